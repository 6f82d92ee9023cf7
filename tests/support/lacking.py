#!/usr/bin/env python3
"""Papers of a page or two, read in one question by a reader that leaves out a row of the table.

  lacking.py --platen build/platen [--papers 10] [--first 0] [--kind invoice] [--scans] [--second] [--faithful] [--side] [--least all=98] [--show] [--keep DIR]

draws that many papers of each kind (tests/eval/papers.py) and has platen read each ten times, with this program as its endpoint:
  all     gives every row: it is asked once, nothing is a gap, and the record is what is printed
  late    leaves out one row of its first answer: the record is what is printed all the same
  never   leaves it out whatever it is asked: a gap names the row
  later   gives no row at all in its first answer: the record is what is printed all the same
  nothing gives none whatever it is asked: a gap names each
  twice   gives one row twice: it is left out, with a warning, or the record is flagged and a warning says so
  null    answers one labelled value with null at first: it is asked for by name, once, and the record is what is printed
  nulls   answers it with null whatever it is asked: it is overlooked, and the record is for review
  wrong   gives one value of a row wrong (a digit, or the value of the row beside it) whatever it is asked: the row is kept, and nothing is a gap
prints what held of how many, by kind, and ends with 1 where any paper did not hold as it should; with --least READER=PERCENT (as often
as you like) only where of that reader's papers fewer held, and the other readers are not held to anything. Of all but the first only papers
of one page with three rows and more, of the last two without --scans and with four: of fewer nobody can tell what a row looks like.

--scans: pictures of these papers, as a scanner has them, without text. Nothing can be checked there: `all` gives every row, and each page has
a gap that says so; the other readers are not tried. --second: read by Tesseract, too, so that they are.
--faithful: the first of the readers alone. --side: pages on their side.
"""
import argparse
import copy
import json
import os
import random
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, '..', 'eval'))
import evidence
import papers

ROWS = {'invoice': 'items', 'receipt': 'items', 'statement': 'lines'}
ROWS_LEAST = 3
TABLE_LEAST = 4


class Platen(evidence.Platen):
    def __init__(self, program, second):
        super().__init__(program)
        self.second = second

    def read(self, path, schema, said, late):
        """The record of what is said, or `late` where it is asked for lines or values, and how many questions were asked."""
        asked = []

        def of_page(body):
            asked.append(body)
            return json.dumps(late if re.search(rb'Only these (lines|values):\\n- ', body) else said)

        self.server.of_page = of_page
        done = subprocess.run([self.program, 'extract', path, '--schema', schema, '--engine', 'endpoint', '--max-tokens', '100000',
                               '--ocr', 'auto' if self.second else 'off', '--endpoint', 'http://127.0.0.1:%d' % self.server.server_address[1]],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        return json.loads(done.stdout), len(asked)


def without(value, name, row):
    """The value without that row, and with it alone."""
    less, alone = copy.deepcopy(value), copy.deepcopy(value)
    del less[name][row]
    alone[name] = [value[name][row]]
    return less, alone


def misread(value, name, row, how):
    """The value with one of that row's values wrong, and with that row alone; None if it has no such value."""
    given = copy.deepcopy(value)
    own, beside = given[name][row], given[name][row - 1]
    keys = [key for key in own if own[key] is not None and beside[key] is not None and own[key] != beside[key] and
            (how == 'beside' or isinstance(own[key], (int, float)))]
    if not keys:
        return None
    key = keys[row % len(keys)]
    if how == 'beside':
        own[key] = beside[key]
    else:
        text = '%.2f' % own[key]
        at = text.index(next(c for c in text if c.isdigit()))
        own[key] = float(text[:at] + str((int(text[at]) + 4) % 10) + text[at + 1:])
    return given, dict(given, **{name: [own]})


def words_of(row):
    return {word for value in row.values() if isinstance(value, str) for word in value.split()}


def digits(text):
    return re.sub(r'\D', '', text)


def figures_of(row):
    """Its amounts as digits alone: the name may stand on a line of its own."""
    return {digits('%.2f' % value) for value in row.values() if isinstance(value, (int, float))}


def is_named(gaps, paper, row):
    """Whether the one gap has words of the row."""
    return len(gaps) == 1 and bool(words_of(paper.value[ROWS[paper.kind]][row]) & set(gaps[0]['text'].split()))


def are_unchecked(gaps, paper, n_row):
    """Whether there is one such gap for each page, with its lines, and of a single page with its rows."""
    rows = {'rows': n_row} if paper.n_page == 1 else {}
    return len(gaps) == paper.n_page and all(
        gap == dict(page=i + 1, unchecked=True, lines=gap['lines'], **rows) and gap['lines'] >= (n_row if rows else 1) for i, gap in enumerate(gaps))


def hold_null(platen, paper, path, schema):
    some = [at for at in paper.labelled if at in paper.truth and at.count('/') == 1 and paper.value.get(at[1:]) is not None]
    if not some:
        return
    at = random.Random(paper.seed).choice(some)
    null, late = dict(paper.value, **{at[1:]: None}), dict(paper.value, **{ROWS[paper.kind]: []})
    record, asked = platen.read(path, schema, null, late)
    field = record['fields'].get(at, {})
    yield 'null', '' if record['data'] == paper.value and asked == 2 and field.get('verdict') == 'agree' else '%s, %d questions, %s' % (at, asked, field)
    record, asked = platen.read(path, schema, null, dict(late, **{at[1:]: None}))
    field = record['fields'].get(at, {})
    yield 'nulls', '' if record['data'] == null and asked == 2 and field.get('verdict') == 'overlooked' and record['review'] else \
        '%s, %d questions, %s' % (at, asked, field)


def hold(platen, paper, path, schema, scan):
    """What each of the readers led to: (name, what is wrong or '')."""
    name, value = ROWS[paper.kind], paper.value
    blind = scan and not platen.second
    record, asked = platen.read(path, schema, value, value)
    gaps = record.get('gaps') or []
    named = are_unchecked(gaps, paper, len(value[name])) and record['review'] if blind else not gaps
    wrong = '' if asked == 1 and named else '%d questions, gaps %s' % (asked, gaps)
    yield 'all', wrong or ('' if record['data'] == value else 'other data')
    if blind or paper.n_page > 1 or len(value[name]) <= ROWS_LEAST:
        return
    yield from hold_null(platen, paper, path, schema)
    row = random.Random(paper.seed).randrange(len(value[name]))
    less, alone = without(value, name, row)
    record, asked = platen.read(path, schema, less, alone)
    yield 'late', '' if record['data'] == value and not record.get('gaps') else \
        'row %d of %d, %d questions, %d rows, gaps %s' % (row, len(value[name]), asked, len(record['data'][name]), record.get('gaps'))
    none = dict(alone, **{name: []})
    record, asked = platen.read(path, schema, less, none)
    gaps = record.get('gaps') or []
    yield 'never', '' if is_named(gaps, paper, row) and record['data'] == less else \
        'row %d of %d, %d questions, %d rows, gaps %s' % (row, len(value[name]), asked, len(record['data'][name]), gaps)
    twice = copy.deepcopy(value)
    twice[name].insert(row, twice[name][row])
    record, asked = platen.read(path, schema, twice, twice)
    codes = {warning['code'] for warning in record['warnings']}
    held = record['data'] == value and 'row-dropped' in codes or record['data'] == twice and record['review'] and 'row-repeated' in codes
    yield 'twice', '' if held and not record.get('gaps') else 'row %d of %d, %d questions, %d rows, %s, gaps %s' % (
        row, len(value[name]), asked, len(record['data'][name]), codes, record.get('gaps'))
    for how in ('digit', 'beside'):
        pair = misread(value, name, row, how)
        if pair:
            record, asked = platen.read(path, schema, *pair)
            held = record['data'] == pair[0] and not record.get('gaps')
            yield 'wrong', '' if held else '%s, row %d of %d, %d questions, %d rows, gaps %s, %s' % (
                how, row, len(value[name]), asked, len(record['data'][name]), record.get('gaps'), pair[1][name])
    if scan or len(value[name]) < TABLE_LEAST:
        return
    empty = dict(value, **{name: []})
    record, asked = platen.read(path, schema, empty, value)
    yield 'later', '' if record['data'] == value and not record.get('gaps') else \
        '%d rows, %d questions, %d rows given, gaps %s' % (len(value[name]), asked, len(record['data'][name]), record.get('gaps'))
    record, asked = platen.read(path, schema, empty, empty)
    texts = [gap['text'].split() for gap in record.get('gaps') or []]
    lost = [row for row in value[name] if not any(words_of(row) & set(text) or figures_of(row) & {digits(word) for word in text} for text in texts)]
    yield 'nothing', '' if not lost and record['data'] == empty else '%d rows, %d questions, %d gaps, lost %s' % (len(value[name]), asked, len(texts), lost)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--platen', required=True)
    parser.add_argument('--papers', type=int, default=10)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--kind', choices=ROWS, action='append')
    parser.add_argument('--scans', action='store_true')
    parser.add_argument('--second', action='store_true')
    parser.add_argument('--faithful', action='store_true')
    parser.add_argument('--side', action='store_true')
    parser.add_argument('--least', action='append', type=lambda text: text.split('='))
    parser.add_argument('--show', action='store_true')
    parser.add_argument('--keep')
    args = parser.parse_args()
    if not papers.FONTS:
        sys.exit('no fonts to draw papers with')
    platen, good = Platen(args.platen, args.second), True
    least = {reader: float(percent) for reader, percent in args.least} if args.least else dict.fromkeys(('all', 'late', 'never', 'later', 'nothing', 'wrong', 'twice', 'null', 'nulls'), 100)
    with tempfile.TemporaryDirectory(prefix='platen-lacking-') as scratch:
        scratch = args.keep or scratch
        os.makedirs(scratch, exist_ok=True)
        for kind in args.kind or ROWS:
            draw, schema = papers.KINDS[kind]
            counts = {}
            for seed in range(args.first, args.first + args.papers):
                paper = draw(seed)
                for page in paper.pdf.pages if args.side else ():
                    page.rotate = (page.rotate + 90 + seed % 2 * 180) % 360
                path = os.path.join(scratch, '%s-%d.pdf' % (kind, seed))
                with open(path, 'wb') as f:
                    f.write(paper.finish())
                if args.scans:
                    path = papers.scan(path, path[:-4], seed)[0]
                for reader, wrong in hold(platen, paper, path, os.path.join(papers.root, 'schemas', schema + '.schema.json'), args.scans):
                    right, n = counts.get(reader, (0, 0))
                    counts[reader] = right + (not wrong), n + 1
                    if wrong and args.show:
                        print('    %s-%d, %s: %s' % (kind, seed, reader, wrong))
                    if args.faithful:
                        break
            held = all(100 * right >= least.get(reader, 0) * n for reader, (right, n) in counts.items())
            print('%s - lacking: %s: %s' % ('ok' if held else 'not ok', kind, ', '.join('%s %d of %d' % (reader, *pair)
                                                                                      for reader, pair in counts.items())))
            good &= held
    sys.exit(not good)


if __name__ == '__main__':
    main()
