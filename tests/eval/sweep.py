#!/usr/bin/env python3
"""Which of the numbers chosen by hand matter? Each threshold of stages/print/thresholds.h 20 % lower and higher, on the papers of planted.py.

  sweep.py --platen build/release/platen-sweep [--papers 1] [--seed 1] [--kind bank,..] [--plant digit,..] [--of-paper 2] [--scans] [--threshold name,..]
           [--off] [--enough 5] [--jobs 2] [--json FILE]

draws papers with a text layer, or as scans, and has each read by the words engine, by a reader without fail and, --of-paper times, by one that errs; and
again with thresholds lower, or higher (a count: by one at least), all at once: if the record is the same but for its times, none of them matters here,
else each half of them is tried. One that has changed --enough records matters and is left out from then on.
--off: 0 and very large instead, to find the rules that can go.
It prints for each, lower and higher: of so many records so many changed; of these changed fields (value, verdict, doubt or told) and gaps; and of the
fields those that are now told and were wrong (caught) or right (alarms), and values of the words engine that are now right, less those that no longer are.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import threading

import layouts
import papers
import planted
from evidence import leaf

THRESHOLDS = 'stages/print/thresholds.h'
PLANTED = 'digit,other amount,other id,cells exchanged,dropped row'
TIMES = 'id', 'created', 'seconds', 'source'
LOWER, HIGHER = 'lower', 'higher'


def thresholds(off):
    """{name: {LOWER: value, HIGHER: value}}"""
    with open(THRESHOLDS) as f:
        text = f.read()
    out = {}
    for count, name, value in re.findall(r'^THRESHOLD(_COUNT)?\((\w+), ([\d.]+)\);', text, re.M):
        value = float(value)
        step = max(1, round(value * 0.2)) if count else value * 0.2
        out[name] = {LOWER: 0, HIGHER: 1000} if off else {LOWER: value - step, HIGHER: value + step}
    return out


def pointers(value, at=''):
    if isinstance(value, (dict, list)):
        for key, v in value.items() if isinstance(value, dict) else enumerate(value):
            yield from pointers(v, '%s/%s' % (at, key))
    else:
        yield at


def value_at(data, at):
    try:
        return leaf(data, at)
    except (KeyError, IndexError, TypeError):
        return None


class Case:
    """One paper and what is said about it: a value, or None for the words engine."""

    def __init__(self, name, paper, path, schema, scan, said, wrong):
        self.name, self.paper, self.path, self.schema, self.scan, self.said, self.wrong = name, paper, path, schema, scan, said, wrong

    def fields(self, record):
        """{pointer: (value, verdict, doubt, told)}"""
        return {at: (value_at(record['data'], at), f.get('verdict'), f.get('doubt'), planted.told(record, at)) for at, f in record['fields'].items()}

    def right(self, record):
        if self.said is not None:
            return 0
        return sum(planted.same(value_at(record['data'], at), value_at(self.paper.value, at)) for at in pointers(self.paper.value) if at not in self.paper.undecided)

    def changes(self, was, now):
        n = collections.Counter(records=1)
        if now:
            old, new = self.fields(was), self.fields(now)
            n['gaps'] = was.get('gaps') != now.get('gaps')
            n['right'] = self.right(now) - self.right(was)
            for at in old.keys() | new.keys():
                one, two = old.get(at), new.get(at)
                n['fields'] += one != two
                if one and two and self.said is not None:
                    n['caught' if at in self.wrong else 'alarms'] += two[3] - one[3]
        return n


class Sweep:
    def __init__(self, args):
        self.args, self.readers, self.lock = args, threading.local(), threading.Lock()
        self.values, self.cases, self.runs = thresholds(args.off), [], 0
        self.tried, self.n = collections.Counter(), collections.defaultdict(collections.Counter)    # of (name, way)

    def draw(self, folder):
        for kind in self.args.kind:
            for seed in range(self.args.seed * 1000, self.args.seed * 1000 + self.args.papers):
                if self.args.scans and kind in planted.NOT_SCANNED:
                    continue
                paper = planted.KINDS[kind](seed)
                where = os.path.join(folder, '%s-%d' % (kind, seed))
                os.mkdir(where)
                path = os.path.join(where, 'paper.pdf')
                with open(path, 'wb') as f:
                    f.write(paper.finish())
                if self.args.scans:
                    path, _ = papers.scan(path, os.path.join(where, 'paper'), seed, skew=5)
                schema = layouts.schema_path(paper, where)
                plants = planted.Run(self.args).plants(kind, paper)
                random.Random('%s %d' % (kind, seed)).shuffle(plants)
                for name, (said, errors) in [('words', (None, [])), ('clean', (paper.value, []))] + plants[:self.args.of_paper]:
                    self.cases.append(Case('%s %d %s' % (kind, seed, name), paper, path, schema, self.args.scans, said, {at for at, _ in errors}))
        random.Random(1).shuffle(self.cases)

    def read(self, case, way, names):
        """The record with these thresholds lower or higher, and what is told of it; None: there is none."""
        if not hasattr(self.readers, 'mine'):
            self.readers.mine = planted.Reader(self.args.platen)
        reader = self.readers.mine
        reader.env = dict(os.environ, THRESHOLD=''.join(',%s=%g' % (name, self.values[name][way]) for name in names))
        self.runs += 1
        if case.said is not None:
            record = reader.read(case.said, case.path, case.schema, case.scan, case.paper)
        else:
            done = subprocess.run([self.args.platen, 'extract', case.path, '--schema', case.schema, '--engine', 'words'] + (['--ocr', 'auto'] if case.scan else []),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=reader.env)
            record = json.loads(done.stdout) if done.stdout else None
        return record and {key: v for key, v in record.items() if key not in TIMES}

    def halves(self, names, way):
        """The names by how often they change something, in two halves that do so alike."""
        rate = {name: (self.n[name, way]['records'] + 0.3) / (self.tried[name, way] + 3) for name in names}
        names, first = sorted(names, key=lambda name: -rate[name]), []
        while len(first) < len(names) - 1 and (not first or sum(rate[name] for name in first) < sum(rate.values()) / 2):
            first.append(names[len(first)])
        return first, names[len(first):]

    def search(self, case, was, way, names, known=False):
        """{name: counts} of those that change the record; known: one of several does."""
        if not names:
            return {}
        if not known or len(names) == 1:
            now = self.read(case, way, names)
            if now == was:
                return {}
            if len(names) == 1:
                return {names[0]: case.changes(was, now)}
        first, rest = self.halves(names, way)
        found = self.search(case, was, way, first)
        return {**found, **self.search(case, was, way, rest, not found)}

    def case(self, case):
        was = self.read(case, LOWER, [])
        if not was:
            print('no record:', case.name, flush=True)
            return
        for way in LOWER, HIGHER:
            names = [name for name in self.values if self.n[name, way]['records'] < self.args.enough and (not self.args.threshold or name in self.args.threshold)]
            found = self.search(case, was, way, names)
            with self.lock:
                for name in names:
                    self.tried[name, way] += 1
                    self.n[name, way].update(found.get(name, {}))

    def all(self):
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            for i, done in enumerate([pool.submit(self.case, case) for case in self.cases]):
                done.result()
                if i % 10 == 9 or i + 1 == len(self.cases):
                    still = sum(not self.n[name, LOWER]['records'] and not self.n[name, HIGHER]['records'] for name in self.values)
                    print('%d of %d records, read %d times; %d thresholds have changed none' % (i + 1, len(self.cases), self.runs, still), flush=True)
                    self.save()

    def save(self):
        if self.args.json:
            with open(self.args.json, 'w') as f:
                json.dump({name: {way: {'of': self.tried[name, way], **self.n[name, way]} for way in (LOWER, HIGHER)} for name in self.values}, f, indent=1)

    def table(self):
        columns = 'records', 'of', 'fields', 'gaps', 'caught', 'alarms', 'right'
        print('%-22s %6s %8s %s' % ('threshold', '', 'value', ' '.join('%7s' % c for c in columns)))
        for name, values in self.values.items():
            for way in LOWER, HIGHER:
                n = dict(self.n[name, way], of=self.tried[name, way])
                if n['of']:
                    print('%-22s %6s %8g %s' % (name, way, values[way], ' '.join(('%+7d' if c in columns[4:] else '%7d') % n.get(c, 0) for c in columns)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--platen', required=True)
    ap.add_argument('--papers', type=int, default=1)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--kind', type=planted.layouts_named, default=list(planted.USUAL))
    ap.add_argument('--plant', type=lambda s: s.split(','), default=PLANTED.split(','))
    ap.add_argument('--of-paper', type=int, default=2)
    ap.add_argument('--scans', action='store_true')
    ap.add_argument('--threshold', type=lambda s: s.split(','))
    ap.add_argument('--off', action='store_true')
    ap.add_argument('--enough', type=int, default=5)
    ap.add_argument('--jobs', type=int, default=os.cpu_count())
    ap.add_argument('--json')
    sweep = Sweep(ap.parse_args())
    folder = tempfile.mkdtemp(prefix='platen-sweep-')
    try:
        sweep.draw(folder)
        sweep.all()
        sweep.table()
    finally:
        shutil.rmtree(folder)


if __name__ == '__main__':
    main()
