#!/usr/bin/env python3
"""How far the confidence of values and the verdict of records are to be believed.

  confidence.py --platen build/platen [--docs 400] [--planted 1200] [--receipts DIR] [--what own,foreign,planted,scanned] [--gate]

own      pages of the embedded model's generator (the sets of `make eval-embedded`): the expected calibration error in ten
         bins, how many of the surest 80 % of the values are right, and how many records are `unread`
foreign  receipts that nobody here drew (a folder of .jpg): records that are neither `unread` nor wholly for review
planted  papers with a text layer (papers.py), read by a program that reads without fail but for some digits: how many of
         those are not for review, and how many right values are
scanned  the same as scans, in grey, blurred, noisy and crooked, which Tesseract reads besides
--gate ends with 1 where a figure is worse than it may be.
"""
import argparse
import collections
import copy
import datetime
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
sys.path.insert(0, os.path.join(root, 'vlm', 'train'))
sys.path.insert(0, here)

REVIEW = 0.9
MODEL = os.path.join(root, 'vlm', 'embedded', 'platen-tiny')
EMBEDDED = ['--model', MODEL + '.gguf', '--mmproj', MODEL + '-mmproj.gguf']
FAULTS, FAULTS_ONE_IN = 4, 12      # planted in each paper: so many, or one value of so many
ECE_MOST, SUREST_LEAST, UNREAD_MOST, UNFLAGGED_MOST, FLAGGED_MOST = 0.03, 0.99, 0.01, 0.001, 0.2


def read_files(platen, files, schema, folder, more=()):
    """The records of the files, None where there is none."""
    out = os.path.join(folder, 'out')
    done = subprocess.run([platen, 'extract', *files, '--schema', schema, '--out', out, '--format', 'json', *more], stderr=subprocess.PIPE, text=True)
    if not os.path.isdir(out):
        sys.exit('platen failed: ' + done.stderr[-2000:])
    paths = [os.path.join(out, os.path.splitext(os.path.basename(f))[0] + '.json') for f in files]
    records = [json.load(open(p), parse_float=str, parse_int=str) if os.path.exists(p) else None for p in paths]
    shutil.rmtree(out)
    return records


def leaves(fields, truth, got, at, out):
    """Appends (pointer, right?) of every value that was given."""
    import eval as scores
    got = got if isinstance(got, dict) else {}
    for f in fields:
        t, g, place = truth.get(f.key) if truth else None, got.get(f.key), '%s/%s' % (at, f.key)
        if f.type in ('[', '[s'):
            for i, item in enumerate(g or []):
                want = t[i] if t and i < len(t) else None
                if f.type == '[s':
                    out.append(('%s/%d' % (place, i), want == item))
                else:
                    leaves(f.children, want, item, '%s/%d' % (place, i), out)
        else:
            number = f.type in 'ni' and g is not None
            out.append((place, truth is not None and scores.same(t, scores.decimal.Decimal(g) if number else g)))


def calibration(pairs):
    """(right, ece, right of the surest 80 %, for review, missed) of (confidence, right) pairs."""
    bins = collections.defaultdict(list)
    for c, ok in pairs:
        bins[min(9, int(c * 10))].append((c, ok))
    ece = sum(abs(sum(ok for _, ok in b) - sum(c for c, _ in b)) for b in bins.values()) / len(pairs)
    surest = sorted(pairs, key=lambda x: -x[0])[:int(0.8 * len(pairs))]
    wrong = [c for c, ok in pairs if not ok]
    return (sum(ok for _, ok in pairs) / len(pairs), ece, sum(ok for _, ok in surest) / len(surest),
            sum(c < REVIEW for c, _ in pairs) / len(pairs), sum(c >= REVIEW for c in wrong) / max(1, len(wrong)))


def own(args, folder):
    import eval as scores
    from PIL import Image
    good, n_unread, n_record = True, 0, 0
    for kind in args.kind.split(','):
        pairs, verdicts = [], collections.Counter()
        for spec, samples in scores.groups(kind, args.docs, args.seed):
            files = []
            for i, s in enumerate(samples):
                files.append(os.path.join(folder, 'doc%03d.png' % i))
                Image.fromarray(s.image).save(files[-1])
            schema = os.path.join(folder, 'schema.json')
            with open(schema, 'w') as f:
                json.dump(scores.schema.json_schema(spec.fields), f)
            for s, r in zip(samples, read_files(args.platen, files, schema, folder, EMBEDDED + ['--ocr', args.ocr])):
                if not r:
                    continue
                verdicts[r['verdict']] += 1
                values = []
                leaves(spec.fields, s.truth, r['data'], '', values)
                pairs += [(float(r['fields'][at]['confidence']), ok) for at, ok in values if at in r['fields']]
        n_unread += verdicts['unread']
        n_record += sum(verdicts.values())
        if not pairs:
            print('%-14s %s' % (kind, dict(verdicts)), flush=True)
            continue
        right, ece, surest, flagged, missed = calibration(pairs)
        print('%-14s %6d values, %5.2f %% right; ECE %.4f; of the surest 80 %% %6.2f %% right; %5.2f %% for review, %5.2f %% of the wrong are not; %s' %
              (kind, len(pairs), 100 * right, ece, 100 * surest, 100 * flagged, 100 * missed, dict(verdicts)), flush=True)
        if kind in ('receipt', 'unseen-fonts'):
            good &= ece < ECE_MOST
        if kind == 'unseen-fonts':
            good &= surest >= SUREST_LEAST
    print('own pages: %d of %d records are unread' % (n_unread, n_record))
    return good and n_unread <= UNREAD_MOST * n_record


def foreign(args, folder):
    files = sorted(glob.glob(os.path.join(args.receipts, '*.jpg'))) if args.receipts else []
    if not files:
        print('foreign: skipped, no folder of receipts (--receipts)')
        return True
    verdicts, believed = collections.Counter(), 0
    for first in range(0, len(files), 32):
        for r in read_files(args.platen, files[first:first + 32], os.path.join(root, 'schemas', 'receipt.schema.json'), folder, EMBEDDED):
            if r:
                verdicts[r['verdict']] += 1
                believed += r['verdict'] != 'unread' and any(float(f['confidence']) >= REVIEW for f in r['fields'].values())
    print('foreign: %s; %d are neither unread nor wholly for review' % (dict(verdicts), believed))
    return believed == 0


def digits_of(value, at, out):
    """The pointers of values with digits."""
    if isinstance(value, dict):
        for k, v in value.items():
            digits_of(v, at + [k], out)
    elif isinstance(value, list):
        for i, v in enumerate(value):
            digits_of(v, at + [i], out)
    elif value is not None and not isinstance(value, bool) and any(c.isdigit() for c in str(value)):
        out.append(at)


def faulty(value, r):
    """The value with one digit that is another, or None."""
    for _ in range(20):
        text = str(value)
        at = r.choice([i for i, c in enumerate(text) if c.isdigit()])
        text = text[:at] + r.choice([d for d in '0123456789' if d != text[at]]) + text[at + 1:]
        try:
            if len(text) == 10 and text[4] == text[7] == '-':
                datetime.date.fromisoformat(text)
            if not isinstance(value, str):
                if str(type(value)(text)) != text:
                    continue
                return type(value)(text)
            return text
        except ValueError:
            pass
    return None


def plant(value, r):
    """A copy with some wrong digits, and their pointers."""
    value, places, planted = copy.deepcopy(value), [], set()
    digits_of(value, [], places)
    for at in r.sample(places, min(max(FAULTS, len(places) // FAULTS_ONE_IN), len(places))):
        node = value
        for k in at[:-1]:
            node = node[k]
        wrong = faulty(node[at[-1]], r)
        if wrong is not None:
            node[at[-1]] = wrong
            planted.add('/' + '/'.join(str(k).replace('~', '~0').replace('/', '~1') for k in at))
    return value, planted


def planted(args, folder):
    return plant_in(args, folder, False)


def scanned(args, folder):
    return plant_in(args, folder, True)


def plant_in(args, folder, scans):
    """Papers of each kind until enough is planted; where OCR has to look at pictures, each is read once."""
    import evidence
    import papers
    finder, n, source = evidence.Platen(args.platen), collections.Counter(), 'scans' if scans else 'text layer'
    for kind, (draw, schema) in papers.KINDS.items():
        k, seed = collections.Counter(), args.seed * 1000
        while k['planted'] < args.planted / len(papers.KINDS):
            seed += 1
            paper = draw(seed, twins=seed % 2 == 1)
            base = os.path.join(folder, '%s-%d' % (kind, seed))
            with open(base + '.pdf', 'wb') as f:
                f.write(paper.finish())
            path = papers.scan(base + '.pdf', base, seed)[0] if scans else base + '.pdf'
            faults = plant(paper.value, random.Random(seed))
            for value, wrong in (faults,) if scans and seed % 4 else ((paper.value, set()), faults):
                fields = finder.find(value, path, os.path.join(root, 'schemas', schema + '.schema.json'), scans)
                for at, f in fields.items():
                    low = f['confidence'] < REVIEW
                    what = 'planted' if at in wrong else 'beside' if wrong else 'clean'
                    k[what] += 1
                    k[what, 'low'] += low
                    if at in wrong and not low and args.show:
                        print('    not for review: %s %s %s' % (base, at, json.dumps(f)))
            for name in {base + '.pdf', path}:
                os.remove(name)
        n += k
        print('planted, %s, %-10s %s' % (source, kind, planted_line(k)), flush=True)
    print('planted, %s, %-10s %s' % (source, 'all', planted_line(n)))
    flagged = n['beside', 'low'] + n['clean', 'low'] + n['planted', 'low']
    return (n['planted'] - n['planted', 'low'] <= UNFLAGGED_MOST * n['planted'] and n['clean', 'low'] <= FLAGGED_MOST * n['clean'] and
            flagged - n['planted'] <= FLAGGED_MOST * (n['beside'] + n['clean']))


def planted_line(n):
    share = lambda what: 100 * n[what, 'low'] / max(1, n[what])
    return '%5d wrong values, %d not for review; for review %.1f %% of the right values where nothing was planted (%d), %.1f %% where something was (%d)' % (
        n['planted'], n['planted'] - n['planted', 'low'], share('clean'), n['clean'], share('beside'), n['beside'])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--platen', default='build/platen')
    ap.add_argument('--docs', type=int, default=400)
    ap.add_argument('--planted', type=int, default=1200, help='wrong values, of each kind of source')
    ap.add_argument('--seed', type=int, default=0)
    ap.add_argument('--kind', default='receipt,unseen-fonts,page,renamed,absent,blank,scaled-down')
    ap.add_argument('--receipts', default=os.environ.get('RECEIPTS', ''))
    ap.add_argument('--what', default='own,foreign,planted,scanned')
    ap.add_argument('--ocr', default='auto', help='for own pages')
    ap.add_argument('--show', action='store_true')
    ap.add_argument('--gate', action='store_true')
    args = ap.parse_args()
    folder = tempfile.mkdtemp(prefix='platen-confidence-')
    try:
        good = [{'own': own, 'foreign': foreign, 'planted': planted, 'scanned': scanned}[w](args, folder) for w in args.what.split(',')]
    finally:
        shutil.rmtree(folder)
    sys.exit(args.gate and not all(good))


if __name__ == '__main__':
    main()
