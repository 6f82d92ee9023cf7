#!/usr/bin/env python3
"""What does the words engine read? Right, null and wrong values by kind of field, on papers drawn for planted.py.

  words.py --platen build/platen [--papers 1] [--scans 0] [--seed 1] [--kind known|strangers|newcomers|arrivals|departures|guests|visitors|callers|name,..] [--show N] [--keep DIR] [--json FILE] [--gate]

For each kind of field: how many values the papers have, how many of them are right, null, wrong, wrong and not flagged (planted.told), right and
flagged; values that are said where the paper has none count as wrong. Rows: how many tables have all rows with every value right, and the
share of rows that are right. Milliseconds are those of the record (seconds), without OCR.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import layouts
import papers
import planted
from evidence import leaf

KINDS = planted.KINDS
# Required of digital papers: at least right, at most wrong without a flag.
EXACT = 'date', 'amount', 'number', 'rate', 'id', 'currency'
PARTIES = 'name', 'address'
NEEDED = {EXACT: (0.95, 0.005), PARTIES: (0.85, None)}


def squeezed(v):
    return re.sub(r'\s+', '', v) if isinstance(v, str) else v


def same(a, b, kind):
    if a is None or b is None:
        return a is b
    return planted.same(a, b) or kind == 'id' and squeezed(a) == squeezed(b)


def scalars_of(value, at=''):
    """The pointers of all leaves outside of arrays."""
    for key, v in value.items():
        if isinstance(v, dict):
            yield from scalars_of(v, '%s/%s' % (at, key))
        elif not isinstance(v, list):
            yield '%s/%s' % (at, key)


def arrays_of(value, at=''):
    for key, v in value.items():
        if isinstance(v, dict):
            yield from arrays_of(v, '%s/%s' % (at, key))
        elif isinstance(v, list) and v and isinstance(v[0], dict):
            yield '%s/%s' % (at, key)


def matched(said, true):
    """For each true row the said row that is most like it, in order."""
    n, m = len(true), len(said)
    like = lambda a, b: 1 + sum(planted.same(b.get(k), v) for k, v in a.items() if v is not None) if isinstance(b, dict) else 0
    best = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + like(true[i], said[j]))
    pairs, i, j = {}, 0, 0
    while i < n and j < m:
        if best[i][j] == best[i + 1][j + 1] + like(true[i], said[j]):
            pairs[i] = j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


class Run:
    def __init__(self, args):
        self.args, self.lock, self.shown = args, threading.Lock(), 0
        self.fields, self.tables, self.by_paper = (collections.defaultdict(collections.Counter) for _ in range(3))
        self.sure = collections.defaultdict(collections.Counter)
        self.spent = collections.defaultdict(list)

    def show(self, *words):
        if self.shown < self.args.show:
            self.shown += 1
            print('   ', *words, flush=True)

    def count(self, source, layout, paper, record, at, true, said, pointer):
        """One value: `pointer` is where the record has it."""
        kind = planted.kind_of(paper, at) or 'text'
        if said is not None and record and pointer in record['fields']:
            self.sure[record['fields'][pointer].get('confidence')].update({'n': 1, 'right': same(true, said, kind)})
        n, own = self.fields[source, kind], self.by_paper[source, layout]
        if true is None and said is None:
            return
        n['n'] += true is not None
        own['n'] += 1
        flagged = record is not None and pointer is not None and planted.told(record, pointer)
        if same(true, said, kind):
            n['right'] += 1
            own['right'] += 1
            n['right flagged'] += flagged
        elif said is None:
            n['null'] += 1
            n['null noticed'] += flagged
            self.show(layout, 'null:', at, repr(true))
        else:
            n['wrong'] += 1
            n['wrong unflagged'] += not flagged
            own['wrong'] += 1
            self.show(layout, 'WRONG%s:' % ('' if flagged else ' unflagged'), at, repr(true), 'said', repr(said))

    def record(self, source, layout, paper, record):
        data = record['data'] if record else {}
        for at in scalars_of(paper.value):
            if at in paper.undecided:
                continue
            try:
                said = leaf(data, at)
            except (KeyError, TypeError):
                said = None
            self.count(source, layout, paper, record, at, leaf(paper.value, at), said, at)
        for at in arrays_of(paper.value):
            try:
                said = leaf(data, at) or []
            except (KeyError, TypeError):
                said = []
            self.rows(source, layout, paper, record, at, leaf(paper.value, at), said)

    def rows(self, source, layout, paper, record, at, true, said):
        pairs, right = matched(said, true), 0
        t = self.tables[source, layout]
        for i, row in enumerate(true):
            j = pairs.get(i)
            good = j is not None
            for key, v in row.items():
                if isinstance(v, (dict, list)) or '%s/%d/%s' % (at, i, key) in paper.undecided:
                    continue
                own = said[j].get(key) if j is not None else None
                good = good and same(v, own, None)
                self.count(source, layout, paper, record, '%s/%d/%s' % (at, i, key), v, own, None if j is None else '%s/%d/%s' % (at, j, key))
            right += good
        t['tables'] += 1
        t['rows'] += len(true)
        t['right rows'] += right
        t['more'] += max(0, len(said) - len(true))
        t['complete'] += len(said) == len(true) and right == len(true)
        if len(said) != len(true) or right != len(true):
            self.show(layout, 'TABLE', at, '%d rows of %d, %d right' % (len(said), len(true), right))

    def paper(self, source, kind, seed):
        scan, paper = source == 'scan', KINDS[kind](seed)
        folder = os.path.join(self.args.keep or self.args.folder, '%s-%s-%d' % (source, kind, seed))
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, 'paper.pdf')
        with open(path, 'wb') as f:
            f.write(paper.finish())
        if scan:
            path, _ = papers.scan(path, os.path.join(folder, 'paper'), seed, skew=5)
        schema = layouts.schema_path(paper, folder)
        done = subprocess.run([self.args.platen, 'extract', path, '--schema', schema, '--engine', self.args.engine] + self.args.more,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        record = json.loads(done.stdout) if done.stdout else None
        with self.lock:
            if not record:
                self.show(kind, 'NO RECORD', done.stderr.strip()[-300:])
            self.record(source, kind, paper, record)
            if record:
                self.spent[source].append(1000 * sum(s for stage, s in record['seconds'].items() if stage != 'ocr') / max(len(record['pages']), 1))
        if self.args.keep:
            for name, what in (('truth', paper.value), ('record', record)):
                with open(os.path.join(folder, name + '.json'), 'w') as f:
                    json.dump(what, f, ensure_ascii=False, indent=1)
        else:
            shutil.rmtree(folder)

    work = planted.Run.work


def percent(n, of):
    return '%5.1f %%' % (100 * n / of) if of else '      -'


def table(run, source):
    fields = {kind: c for (its, kind), c in sorted(run.fields.items()) if its == source}
    groups = [('numbers, dates, ids', planted.added(fields[k] for k in fields if k in EXACT)), ('parties', planted.added(fields[k] for k in fields if k in PARTIES)), ('all', planted.added(fields.values()))]
    columns = 'right', 'null', 'null noticed', 'wrong', 'wrong unflagged', 'right flagged'
    print('\n%-22s %6s %s' % (source, 'values', ' '.join('%16s' % c for c in columns)))
    for name, c in [*fields.items(), *groups]:
        print('%-22s %6d %s' % (name, c['n'], ' '.join('%16s' % percent(c[k], c['n']) for k in columns)))
    t = planted.added(c for (its, _), c in run.tables.items() if its == source)
    print('tables complete and right %s of %d; rows right %s of %d, %d too many' % (percent(t['complete'], t['tables']), t['tables'], percent(t['right rows'], t['rows']), t['rows'], t['more']))
    print('by layout: %s' % ', '.join('%s %d/%d%s' % (layout, c['right'], c['n'], ' (%d wrong)' % c['wrong'] if c['wrong'] else '') for (its, layout), c in run.by_paper.items() if its == source))
    spent = sorted(run.spent[source])
    if spent:
        print('milliseconds a page without OCR: median %.1f, 90 %% %.1f' % (spent[len(spent) // 2], spent[len(spent) * 9 // 10]))
    return {'fields': {k: dict(c) for k, c in fields.items()}, 'groups': {k: dict(c) for k, c in groups}, 'tables': dict(t), 'ms': spent[len(spent) // 2] if spent else None}


def good(t):
    exact, parties = t['groups']['numbers, dates, ids'], t['groups']['parties']
    rows = t['tables']
    return (exact.get('right', 0) >= 0.95 * exact['n'] and exact.get('wrong unflagged', 0) <= 0.005 * exact['n'] and parties.get('right', 0) >= 0.85 * parties['n']
            and rows.get('right rows', 0) >= 0.9 * rows['rows'])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--platen', default='build/platen')
    ap.add_argument('--papers', type=int, default=1)
    ap.add_argument('--scans', type=int, default=0)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--kind', type=planted.layouts_named, default=list(planted.USUAL))
    ap.add_argument('--engine', default='words')
    ap.add_argument('--more', nargs='*', default=[])
    ap.add_argument('--jobs', type=int, default=os.cpu_count())
    ap.add_argument('--json')
    ap.add_argument('--show', type=int, default=0)
    ap.add_argument('--keep')
    ap.add_argument('--gate', action='store_true')
    args = ap.parse_args()
    args.folder = tempfile.mkdtemp(prefix='platen-words-')
    run = Run(args)
    try:
        run.work()
    finally:
        shutil.rmtree(args.folder)
    tables = {source: table(run, source) for source, n in (('text', args.papers), ('scan', args.scans)) if n}
    print('\nconfidence, values, right: %s' % ', '.join('%.3f %d %.3f' % (p, c['n'], c['right'] / c['n']) for p, c in sorted(run.sure.items())))
    if args.json:
        with open(args.json, 'w') as f:
            json.dump({'seed': args.seed, **tables}, f, indent=1)
    sys.exit(args.gate and not all(good(t) for source, t in tables.items() if source == 'text'))


if __name__ == '__main__':
    main()
