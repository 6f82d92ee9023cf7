#!/usr/bin/env python3
"""Fits the weights of print in stages/confidence/confidence_model.c: how sure is what was taken from the print of a receipt?

  print_fit.py --probe build/release/print-probe [--docs 400] [--seed 7] [--receipts DIR] [--jobs 2]

draws receipts (real.py: printed, worn and scanned as the real ones are), with sums that are right and what often is above the name,
asks print_probe.c for merchant, date and total of each, and fits a logistic model for each kind of value. Prints how well it predicts what it
was not fitted to (five parts), then the weights in the order of confidence_model.h. DIR has receipts with their truth (NAME.jpg, NAME.json),
which are only counted. Needs numpy.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
sys.path.insert(0, os.path.join(root, 'vlm', 'train'))

import docs  # noqa: E402
import eval_real  # noqa: E402
import real  # noqa: E402
import schema  # noqa: E402
from confidence import REVIEW, calibration  # noqa: E402
import trust_fit  # noqa: E402

NAMES = 'one label lead repeats words form place'.split()
TITLES = 'TAX INVOICE|RECEIPT|INVOICE|CASH RECEIPT|CUSTOMER COPY|Tax Invoice|SIMPLIFIED TAX INVOICE|WELCOME TO|QUITTUNG|RECHNUNG|TICKET|REÇU'.split('|')
PARTS, RIDGE = 5, 0.3
drawn = real.slip


def slip(r, spec):
    """The rows of a receipt whose sums are right; sometimes the merchant is not in its first row."""
    extra = {text for texts in (real.BEFORE, real.TAXES, real.PAID, real.BACK) for text in texts}
    rows = [row for row in drawn(r, spec) if row[0].text not in extra]
    facts = lambda row: [fact[:2] for part in row for fact in part.facts]
    at = next((i for i, row in enumerate(rows) if any(key == 'total' for key, _ in facts(row))), None)
    if at is not None:
        cents = next(int(value.replace('.', '')) for key, value in facts(rows[at]) if key == 'total')
        comma = re.search(r',\d\d\D*$', rows[at][-1].text)
        line = lambda label, n: [real.Part(label, 'l'), real.Part(('%d,%02d' if comma else '%d.%02d') % divmod(n, 100), 'r')]
        k, paid = r.random(), -(-cents // 500) * 500
        if k < 0.5:
            rows[at + 1:at + 1] = [line(r.choice(real.PAID), paid)] + ([line(r.choice(real.BACK), paid - cents)] if paid > cents or k < 0.3 else [])
        elif k < 0.75:
            rows.insert(at + 1, line(r.choice(real.PAID), cents))
        if r.random() < 0.5:
            tax = round(cents * r.choice((6, 19, 20)) / 119)
            rows[at:at] = [line(r.choice(real.BEFORE[:-2]), cents - tax), line(r.choice(real.TAXES[:-2]), tax)]
    if r.random() < 0.3:
        rows.insert(0, [real.Part(r.choice(TITLES) if r.random() < 0.7 else real.words(r, spec.held, 3).title(), r.choice('cl'))])
    return rows[:spec.count]


def fit(x, y):
    """Weights of what speaks for a value, which are never negative."""
    used = list(range(x.shape[1]))
    while True:
        w = np.zeros(x.shape[1])
        w[used] = trust_fit.fit(x[:, used], y, RIDGE)
        worst = min(used[1:], key=lambda i: w[i])
        if w[worst] >= 0:
            return w
        used.remove(worst)


def is_right(name, text, truth):
    if truth is None:
        return False
    if name == 'total':
        return abs(float(text) - float(truth)) < 0.005
    bare = lambda s: re.sub(r'[\W_]', '', s).lower()
    return text == truth if name == 'date' else bare(text) == bare(truth)


def ask(args, truths):
    """(name, reasons, right?) of the scalars of files."""
    folder = os.path.dirname(args.probe)
    out = subprocess.run([args.probe, folder + '/platen-raster', folder + '/platen-ocr', *truths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for line in out.splitlines():
        found = json.loads(line)
        for name, truth in truths[found['file']].items():
            if name in found:
                yield name, found[name]['reason'], is_right(name, found[name]['text'], truth)


def draw(args, folder):
    real.slip = slip
    real.PIXEL_FONTS = real.PIXEL_FONTS or real.MONO_FONTS
    truths, r = {}, random.Random(args.seed)
    for i in range(args.docs):
        spec = docs.Spec('slip', r.choice((440, 520, 640)), r.choice((800, 1000, 1200)), r.randint(22, 40), schema.RECEIPT, True)
        s = real.sample(args.seed * 100000 + i, spec)
        path = os.path.join(folder, '%d.png' % i)
        Image.fromarray(s.image).save(path)
        truths[path] = {name: s.truth[name] for name in ('merchant', 'date', 'total')}
    return truths


def of_receipts(folder):
    truths = {}
    for path in sorted(glob.glob(os.path.join(folder, '*.jpg'))):
        with open(path[:-3] + 'json', encoding='utf-8') as f:
            t = json.load(f)
        date, total = eval_real.date_in(t.get('date', '')), re.sub(r'[^\d.]', '', t.get('total', ''))
        truths[path] = {'merchant': t.get('company'), 'date': date and '%04d-%02d-%02d' % date[::-1], 'total': total or None}
    return truths


def told(name, pairs):
    right, ece, _, _, missed = calibration(pairs)
    print('%-22s %4d values, %5.1f %% right; ECE %.3f; of the right %5.1f %% below %g; wrong ones that are not: %d of %d' % (
        name, len(pairs), 100 * right, ece, 100 * np.mean([c < REVIEW for c, ok in pairs if ok]), REVIEW,
        sum(c >= REVIEW for c, ok in pairs if not ok), sum(not ok for _, ok in pairs)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--probe', default='build/release/print-probe')
    ap.add_argument('--docs', type=int, default=400)
    ap.add_argument('--seed', type=int, default=7)
    ap.add_argument('--receipts')
    ap.add_argument('--jobs', type=int, default=os.cpu_count())
    args = ap.parse_args()
    folder = tempfile.mkdtemp(prefix='platen-print-')
    try:
        sets = {'drawn': draw(args, folder), 'real': of_receipts(args.receipts) if args.receipts else {}}
        found = {}
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for name, truths in sets.items():
                parts = [dict(list(truths.items())[i:i + 16]) for i in range(0, len(truths), 16)]
                found[name] = [one for part in pool.map(lambda p: list(ask(args, p)), parts) for one in part]
    finally:
        shutil.rmtree(folder)
    report(found)


def report(found):
    weights, unseen, counted = {}, [], []
    for name in ('date', 'total', 'merchant'):
        x = np.array([f for n, f, _ in found['drawn'] if n == name], float)
        y = np.array([ok for n, _, ok in found['drawn'] if n == name], float)
        part = np.arange(len(y)) % PARTS
        chance = lambda x, w: 1 / (1 + np.exp(-x @ w))
        mine = [(float(c), bool(ok)) for k in range(PARTS) for c, ok in zip(chance(x[part == k], fit(x[part != k], y[part != k])), y[part == k])]
        told('%s, drawn, unseen' % name, mine)
        unseen += mine
        weights[name] = fit(x, y)
        others = [(float(chance(np.array(f), weights[name])), ok) for n, f, ok in found['real'] if n == name]
        if others:
            told('%s, real' % name, others)
        counted += others
    told('all, drawn, unseen', unseen)
    if counted:
        told('all, real', counted)
    print(' ' * 9 + ' '.join('%8s' % n for n in NAMES))
    for name, w in weights.items():
        print('%-9s' % name + ' '.join('%8.3f' % v for v in w))


if __name__ == '__main__':
    main()
