#!/usr/bin/env python3
"""Does platen eval print the figures of `make eval-embedded` and `make eval-confidence`?

  agree.py --platen build/platen [--docs 16] [--kind unseen-fonts,absent,page]

draws documents of the embedded model's generator with what is expected of them, has platen read them once, scores the
records by the rules of vlm/train/eval.py and confidence.py, and holds what platen eval prints of the same records against that.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(here)), 'vlm', 'train'))
sys.path.insert(0, here)

import confidence
import eval as scores
from PIL import Image


def value_of(fields, truth):
    """What is expected, as JSON; numbers were texts."""
    out = {}
    for f in fields:
        t = truth.get(f.key)
        if f.type == '[':
            out[f.key] = [value_of(f.children, row) for row in t]
        else:
            out[f.key] = float(t) if f.type in 'ni' and t is not None else t
    return out


def judge(platen, kind, docs, folder):
    """(by the judges, by platen): values, exactly right, nulls, right nulls, ECE, right of the surest 80 %."""
    score, pairs = scores.Score(), []
    files, records = os.path.join(folder, kind), os.path.join(folder, kind + '-records')
    os.mkdir(files)
    for g, (spec, samples) in enumerate(scores.groups(kind, docs, 0)):
        names = []
        for i, s in enumerate(samples):
            names.append(os.path.join(files, 'doc%d-%03d.png' % (g, i)))
            Image.fromarray(s.image).save(names[-1])
            with open(names[-1][:-4] + '.json', 'w') as f:
                json.dump(value_of(spec.fields, s.truth), f)
        with open(os.path.join(folder, kind + '.schema.json'), 'w') as f:
            json.dump(scores.schema.json_schema(spec.fields), f)
        subprocess.run([platen, 'extract', *names, '--schema', f.name, '--out', records, '--format', 'json', '--ocr', 'off'],
                       stderr=subprocess.DEVNULL)
        for name, s in zip(names, samples):
            with open(os.path.join(records, os.path.basename(name)[:-4] + '.json')) as f:
                text = f.read()
            score.add(spec, s, scores.parse(text)['data'])
            r, values = json.loads(text, parse_float=str, parse_int=str), []
            confidence.leaves(spec.fields, s.truth, r['data'], '', values)
            pairs += [(float(r['fields'][at]['confidence']), ok) for at, ok in values if at in r['fields']]
    right, n = map(sum, zip(*score.by.values()))
    _, ece, surest, _, _ = confidence.calibration(pairs)
    got = json.loads(subprocess.run([platen, 'eval', files, '--records', records, '--json'], stdout=subprocess.PIPE, check=True).stdout)['all']
    expected_nulls = got['values'] - got['expected']
    return ((n, right / n, score.nulls, score.null_hits, ece, surest),
            (got['values'], got['exact_in_order'], expected_nulls, got['null_right'], got['ece'], got['accuracy_at_80']), got)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--platen', default='build/platen')
    ap.add_argument('--docs', type=int, default=16)
    ap.add_argument('--kind', default='unseen-fonts,absent,page')
    args = ap.parse_args()
    folder, good = tempfile.mkdtemp(prefix='platen-agree-'), True
    try:
        for kind in args.kind.split(','):
            judges, platen, got = judge(args.platen, kind, args.docs, folder)
            # rows that are held against those they match give other figures than rows in order
            shifted = abs(got['exact'] - got['exact_in_order']) > 1e-6
            same = all(abs(a - b) < 2e-6 for a, b in list(zip(judges, platen))[:2 if shifted else 6])
            good &= same
            print('%-13s %s values, exact %.6f, %s nulls, %s right, ECE %.6f, surest %.6f%s%s' % (
                kind, *platen, '; rows do not match in order' if shifted else '', '' if same else '; the judges say ' + str(judges)))
    finally:
        shutil.rmtree(folder)
    sys.exit(not good)


if __name__ == '__main__':
    main()
