#!/usr/bin/env python3
"""Fits the weights of the embedded model in stages/confidence/confidence_model.c.

  trust_fit.py --probe build/release/answer-probe [--weights DIR] [--docs 640] [--seed 7]

draws receipts in fonts that neither training nor the scores know (the slanted ones of real.py's families), and a third as many of the
generator's own kinds, with held-out words and other seeds than the scores; reads them with the embedded model, and
prints the weights in the order of trust_model.h. Half of the documents count as checked by the sum of their prices.
Nothing foreign is fitted to. Needs numpy; other models are fitted in the same way to pages of their kind.
"""
import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
sys.path.insert(0, os.path.join(root, 'vlm', 'train'))

import eval as scores  # noqa: E402
import page  # noqa: E402
import real  # noqa: E402
import schema  # noqa: E402
from confidence import leaves  # noqa: E402

NAMES = 'one p p_min p_min_of_siblings p_legal token_p null figure held broken'.split()
TOKEN_MOST = 32


def odds(p):
    p = min(max(p, 1e-6), 1 - 1e-6)
    return math.log(p / (1 - p))


def rows_of(answer, fields, truth, said, checked):
    """(features, right?) of each value of a document."""
    values, flat = [], {}
    leaves(fields, truth, answer, '', values)

    def walk(v, at):
        for k, w in v.items() if isinstance(v, dict) else enumerate(v):
            walk(w, '%s/%s' % (at, k)) if isinstance(w, (dict, list)) else flat.__setitem__('%s/%s' % (at, k), w)
    walk(answer, '')
    log_p = n_token = 0
    for at, f in said.items():
        if flat.get(at) is not None:
            p, n = float(f[0]), int(f[4])
            share = min(1, TOKEN_MOST / n)
            log_p, n_token = log_p + share * math.log(max(p, 1e-300)), n_token + share * n
    token_p = math.exp(log_p / n_token) if n_token else 0.5
    prices = [v for at, v in flat.items() if at.startswith('/items/') and at.endswith('/price')]
    total, sums = flat.get('/total'), 0
    if checked and prices and total is not None and None not in prices:
        sums = 1 if abs(sum(map(float, prices)) - float(total)) < 0.005 else -1
    for at, ok in values:
        if at not in said:
            continue
        p, p_min, p_min_of_siblings, p_legal = map(float, said[at][:4])
        text = '' if flat[at] is None else str(flat[at])
        figure = any(c.isdigit() for c in text) and not any(c.isalpha() for c in text)
        mine = sums * (at == '/total' or at.endswith('/price'))
        yield [1, odds(p), odds(p_min), odds(p_min_of_siblings), odds(p_legal), odds(token_p), flat[at] is None, figure, mine > 0, mine < 0], ok


def fit(x, y, ridge=1e-2):
    """Logistic regression by Newton's method, with a little of a ridge."""
    w = np.zeros(x.shape[1])
    for _ in range(60):
        q = 1 / (1 + np.exp(-x @ w))
        w -= np.linalg.solve((x.T * (q * (1 - q))) @ x + ridge * np.eye(len(w)), x.T @ (q - y) + ridge * w)
    return w


def read(args, kind, n, folder):
    from PIL import Image
    model = os.path.join(args.weights, 'platen-tiny')
    for spec, samples in scores.groups(kind, n, args.seed):
        path = os.path.join(folder, 'schema.json')
        with open(path, 'w') as f:
            json.dump(schema.json_schema(spec.fields), f)
        files = {}
        for i, s in enumerate(samples):
            file = os.path.join(folder, '%03d.png' % i)
            Image.fromarray(s.image).save(file)
            files[file] = s.truth
        raster = os.path.join(os.path.dirname(args.probe), 'platen-raster')
        out = subprocess.run([args.probe, raster, path, model + '.gguf', model + '-mmproj.gguf', *files], stdout=subprocess.PIPE).stdout
        for line in out.splitlines():
            a = json.loads(line, parse_float=str, parse_int=str)
            yield spec.fields, files[a['file']], a


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--probe', default='build/release/answer-probe')
    ap.add_argument('--weights', default=os.path.join(root, 'vlm', 'embedded'), help='folder of the two files')
    ap.add_argument('--docs', type=int, default=640)
    ap.add_argument('--seed', type=int, default=7)
    args = ap.parse_args()
    other = [f for f in real.SLANTED_FONTS if f not in page.UNSEEN_FONTS]
    scores.KINDS['other-fonts'] = dict(kind='receipt', fields=schema.RECEIPT, fonts=other)
    scores.KINDS['other-page'] = dict(kind='page', fields=schema.PAGE, fonts=other)
    folder, x, y, r = tempfile.mkdtemp(prefix='platen-fit-'), [], [], random.Random(1)
    try:
        for kind in ('other-fonts', 'receipt', 'page', 'absent', 'renamed', 'scaled-down', 'other-page'):
            n = args.docs if kind == 'other-fonts' else args.docs // 3 if kind == 'receipt' else args.docs // 6
            for fields, truth, a in read(args, kind, n, folder):
                for features, ok in rows_of(a['answer'], fields, truth, a['fields'], r.random() < 0.5):
                    x.append(features)
                    y.append(ok)
            print('%s: %d values so far' % (kind, len(y)), file=sys.stderr, flush=True)
    finally:
        shutil.rmtree(folder)
    if not y:
        sys.exit('the model in %s answered nothing' % args.weights)
    w = fit(np.array(x, float), np.array(y, float))
    print('\n'.join('%-8s %7.3f' % p for p in zip(NAMES, w)))


if __name__ == '__main__':
    main()
