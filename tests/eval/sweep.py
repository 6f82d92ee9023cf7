#!/usr/bin/env python3
"""Which of the numbers chosen by hand matter? Each threshold of stages/print/thresholds.h 20 % lower and higher, on the papers of planted.py.

  sweep.py --platen build/release/platen-sweep [--papers 1] [--seed 1] [--kind bank,..] [--plant digit,..] [--threshold name,..] [--jobs 2]

draws papers with a text layer (layouts.py, strangers.py), has them read as they are and with errors, and once more for each value of each threshold
(a count: one less and one more). It prints for each the fields whose verdict or doubt differs, the records whose gaps do, and of the fields
those that are now told and were wrong (caught) or right (false alarms), less those that no longer are.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import tempfile
import threading

import layouts
import planted

THRESHOLDS = 'stages/print/thresholds.h'
PLANTED = 'digit,other amount,other id,cells exchanged,dropped row'


def thresholds():
    """[(name, [lower, higher])]"""
    with open(THRESHOLDS) as f:
        text = f.read()
    out = []
    for count, name, value in re.findall(r'^THRESHOLD(_COUNT)?\((\w+), ([\d.]+)\);', text, re.M):
        value = float(value)
        out.append((name, [value - 1, value + 1] if count and value < 5 else [round(value * 0.8), round(value * 1.2)] if count else [value * 0.8, value * 1.2]))
    return out


class Sweep:
    def __init__(self, args):
        self.args, self.readers = args, threading.local()
        self.cases = []         # (paper, path, schema, what is said, pointers of wrong values)

    def draw(self, folder):
        for kind in self.args.kind:
            for seed in range(self.args.seed * 1000, self.args.seed * 1000 + self.args.papers):
                paper = planted.KINDS[kind](seed)
                where = os.path.join(folder, '%s-%d' % (kind, seed))
                os.mkdir(where)
                with open(os.path.join(where, 'paper.pdf'), 'wb') as f:
                    f.write(paper.finish())
                schema = layouts.schema_path(paper, where)
                run = planted.Run(self.args)
                for said, errors in [(paper.value, [])] + [made for _, made in run.plants(kind, paper)]:
                    self.cases.append((paper, f.name, schema, said, {at for at, _ in errors}))

    def read(self, case):
        """{pointer: (verdict, doubt, told)}, the gaps."""
        if not hasattr(self.readers, 'mine'):
            self.readers.mine = planted.Reader(self.args.platen)
        paper, path, schema, said, _ = case
        record = self.readers.mine.read(said, path, schema, False, paper)
        if not record:
            return {}, None
        return {at: (f.get('verdict'), f.get('doubt'), planted.told(record, at)) for at, f in record['fields'].items()}, record.get('gaps')

    def read_all(self, pool, setting):
        os.environ['THRESHOLD'] = setting
        return list(pool.map(self.read, self.cases))

    def changes(self, was, now):
        n = collections.Counter()
        for (*_, wrong), (fields, gaps), (new, new_gaps) in zip(self.cases, was, now):
            n['gaps'] += gaps != new_gaps
            for at in fields.keys() | new.keys():
                one, two = fields.get(at), new.get(at)
                n['fields'] += one != two
                if one and two:
                    n['caught' if at in wrong else 'alarms'] += two[2] - one[2]
        return n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--platen', required=True)
    ap.add_argument('--papers', type=int, default=1)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--kind', type=planted.layouts_named, default=list(planted.USUAL))
    ap.add_argument('--plant', type=lambda s: s.split(','), default=PLANTED.split(','))
    ap.add_argument('--threshold', type=lambda s: s.split(','))
    ap.add_argument('--jobs', type=int, default=os.cpu_count())
    sweep = Sweep(ap.parse_args())
    folder = tempfile.mkdtemp(prefix='platen-sweep-')
    try:
        sweep.draw(folder)
        with concurrent.futures.ThreadPoolExecutor(sweep.args.jobs) as pool:
            was = sweep.read_all(pool, '')
            print('%d answers, %d fields, %d of them wrong' % (len(was), sum(len(f) for f, _ in was), sum(len(case[-1]) for case in sweep.cases)), flush=True)
            print('%-22s %8s %7s %6s %7s %7s' % ('threshold', 'value', 'fields', 'gaps', 'caught', 'alarms'))
            for name, values in thresholds():
                for value in values if not sweep.args.threshold or name in sweep.args.threshold else []:
                    n = sweep.changes(was, sweep.read_all(pool, '%s=%g' % (name, value)))
                    print('%-22s %8g %7d %6d %+7d %+7d' % (name, value, n['fields'], n['gaps'], n['caught'], n['alarms']), flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
