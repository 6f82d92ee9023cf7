#!/usr/bin/env python3
"""einvoice_mutants.py: mutates e-invoices, and checks that nothing of one is lost in silence.

    einvoice_mutants.py make DIR N FILE.xml...      N mutants, and DIR/plan.json
    einvoice_mutants.py check DIR RECORDS LOG       a line for each fault, then "N mutants: ..."; 1 if there are faults

A mutant doubles a value (with another text), removes one, exchanges two or changes one. What must be seen in its record:
- doubled, changed: the new text, among data, evidence or warnings; or its term or path among those without a field.
  Beside a value that a field has, the record is for review.
- removed, exchanged: another record than before, unless the values had no field.
Or it fails, with a reason.
"""
import copy
import json
import os
import random
import sys
import xml.etree.ElementTree as E

MARK = 'ZZ%05dQX'


def leaves(root):
    """Each element without children, its parent, and its path of local names."""
    found = []

    def walk(e, path):
        for c in e:
            at = path + '/' + c.tag.split('}')[1]
            if len(c):
                walk(c, at)
            elif (c.text or '').strip():
                found.append((c, e, at))
    walk(root, '')
    return found


def other(text, i):
    if text.strip().isdigit() and len(text.strip()) == 8:  # a date of CII
        return '20%02d%02d%02d' % (31 + i % 60, 1 + i % 12, 1 + i % 28)
    if len(text) == 10 and text[4] == text[7] == '-':
        return '20%02d-%02d-%02d' % (31 + i % 60, 1 + i % 12, 1 + i % 28)
    try:
        float(text)
        return '%d.%02d' % (70000 + i, i % 100)
    except ValueError:
        return MARK % i


def mutate(tree, i, kind, dice):
    root = copy.deepcopy(tree)
    all_ = leaves(root)
    e, parent, path = dice.choice(all_)
    case = {'kind': kind, 'path': path, 'old': e.text.strip()}
    if kind == 'double':
        twin = copy.deepcopy(e)
        twin.text = case['new'] = other(e.text, i)
        parent.insert(list(parent).index(e) + 1, twin)
    elif kind == 'change':
        e.text = case['new'] = other(e.text, i)
    elif kind == 'remove':
        parent.remove(e)
    else:
        f = dice.choice(all_)[0]
        case['old'], case['new'] = e.text, f.text
        e.text, f.text = f.text, e.text
    return root, case


def make(folder, n, files):
    plan, dice = {}, random.Random(56)
    os.makedirs(folder, exist_ok=True)
    trees = [(os.path.basename(f)[:-4], E.parse(f).getroot()) for f in files]
    for name, tree in trees:
        E.ElementTree(tree).write('%s/base-%s.xml' % (folder, name), encoding='utf-8', xml_declaration=True)
    for i in range(n):
        name, tree = trees[i % len(trees)]
        root, case = mutate(tree, i, ('double', 'remove', 'exchange', 'change')[i // len(trees) % 4], dice)
        case['base'] = name
        plan['m%05d' % i] = case
        E.ElementTree(root).write('%s/m%05d.xml' % (folder, i), encoding='utf-8', xml_declaration=True)
    json.dump(plan, open(folder + '/plan.json', 'w'))


def seen(r):
    """What a record says of the file."""
    return {k: r[k] for k in ('data', 'fields', 'verdict', 'review')} | {'w': [(x['code'], x.get('pointer'), x['text']) for x in r['warnings']]}


def names_of(path):
    return path.split('/')[-1]


def is_of_field(r, case):
    """Does a field have the value that was there?"""
    return any(e.get('xpath', '').split('/')[-1].split(':')[-1].split('[')[0] == names_of(case['path']) and
               same(e['text'], case['old']) for f in r['fields'].values() for e in f.get('evidence', []))


def same(shown, text):
    text = ' '.join(text.split())
    return shown == text or shown.replace('-', '') == text[:8]


def has(r, text):
    evidence = [e['text'] for f in r['fields'].values() for e in f.get('evidence', [])]
    return any(same(t, text) for t in evidence) or any(text in x['text'] for x in r['warnings']) or text in json.dumps(r['data'])


def fault(case, base, r):
    if r is None:
        return None  # it failed, and check() has looked for the reason
    unmapped = [x['text'] for x in r['warnings'] if x['code'] == 'e-invoice-unmapped']
    had_field = is_of_field(base, case)
    if case['kind'] in ('double', 'change'):
        if case['kind'] == 'double' and had_field and not r['review']:
            return 'a second value beside that of a field is not for review'
        if not has(r, case['new']) and (had_field or not unmapped):
            return 'the new value is nowhere'
        return None
    if had_field and seen(base) == seen(r) and case.get('new') != case['old']:
        return 'the record is the same as before'
    return None


def check(folder, records, log):
    plan, reasons = json.load(open(folder + '/plan.json')), open(log, encoding='utf-8', errors='replace').read()
    load = lambda name: json.load(open('%s/%s.json' % (records, name))) if os.path.exists('%s/%s.json' % (records, name)) else None
    n_fault, n_failed, n_review = 0, 0, 0
    for name, case in sorted(plan.items()):
        r, base = load(name), load('base-' + case['base'])
        what = fault(case, base, r)
        if r is None:
            n_failed += 1
            if not any(name in x and '[' in x for x in reasons.split('\n')):
                what = 'it failed without a reason'
        else:
            n_review += r['review']
        if what:
            n_fault += 1
            print('%s: %s: %s' % (name, what, case))
    print('%d mutants: %d for review, %d failed with a reason, %d lost something' % (len(plan), n_review, n_failed, n_fault))
    return n_fault > 0


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        make(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
    else:
        sys.exit(check(*sys.argv[2:]))
