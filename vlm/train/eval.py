"""Scores the embedded model on held-out documents.

  python3 eval.py --platen build/platen --docs 400 [--model FILE] [--kind receipt,page,...] [--seed 0]
  python3 eval.py --torch CHECKPOINT [--raw] [--q8] ...

The first form renders PNG files and runs the whole C program; the second decodes greedily in PyTorch
under the same schema constraint.  Words, seeds and (for unseen-fonts) fonts are those that training
never draws.
"""
import argparse
import decimal
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import docs
import schema
from page import UNSEEN_FONTS

HELD = (1 << 40) + (1 << 20)
# Page sizes and the item counts drawn on them.
SIZES = [(256, 160, 1), (256, 192, 2), (256, 224, 3), (288, 256, 4), (320, 288, 5), (256, 192, 1), (320, 224, 3), (288, 192, 2)]
LINE_SIZES = [(256, 96, 3), (256, 64, 2), (320, 160, 5), (256, 128, 4)]
KINDS = {
    'receipt': dict(kind='receipt', fields=schema.RECEIPT),
    'page': dict(kind='page', fields=schema.PAGE),
    'renamed': dict(kind='receipt', fields=schema.RENAMED),
    'absent': dict(kind='receipt', fields=schema.RECEIPT, absent=0.5),
    'blank': dict(kind='receipt', fields=schema.RECEIPT),
    'unseen-fonts': dict(kind='receipt', fields=schema.RECEIPT, fonts=UNSEEN_FONTS),
    'scaled-down': dict(kind='receipt', fields=schema.RECEIPT, soft=1.0),
}
GROUP = 16


def groups(name, count, seed, only=None):
    """(spec, samples) in groups that share size and schema."""
    how = KINDS[name]
    sizes = LINE_SIZES if name == 'page' else SIZES
    sizes = sizes[:only] if only else sizes
    for g in range(-(-count // GROUP)):
        w, h, n = sizes[g % len(sizes)]
        spec = docs.Spec(w=w, h=h, count=0 if name == 'blank' else n, held=True, **how)
        first = HELD + seed * 10_000_000 + list(KINDS).index(name) * 1_000_000 + g * GROUP
        yield spec, [docs.sample(first + i, spec) for i in range(min(GROUP, count - g * GROUP))]


def leaves(fields, truth, got, out, path=''):
    """Appends (field kind, truth, got) for every value; surplus items count as wrong."""
    got = got if isinstance(got, dict) else {}
    for f in fields:
        t, g = truth.get(f.key), got.get(f.key)
        if f.type in ('[', '[s'):
            g = g if isinstance(g, list) else []
            for i in range(max(len(t), len(g))):
                if f.type == '[s':
                    out.append((f.kind, t[i] if i < len(t) else None, g[i] if i < len(g) else None))
                elif i < len(t):
                    leaves(f.children, t[i], g[i] if i < len(g) else {}, out)
                else:
                    out += [(c.kind, None, 'surplus') for c in f.children]
        else:
            out.append((f.kind, t, g))


def same(truth, got):
    if truth is None or got is None:
        return truth is got
    if isinstance(got, decimal.Decimal):
        return decimal.Decimal(truth) == got
    return str(truth) == str(got)


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (x != y)))
        row = new
    return row[-1]


def parse(text):
    try:
        return json.loads(text, parse_float=decimal.Decimal, parse_int=decimal.Decimal)
    except ValueError:
        return None


class Score:
    def __init__(self):
        self.by, self.marks, self.valid, self.docs, self.whole = {}, {}, 0, 0, 0
        self.edits, self.chars, self.nulls, self.null_hits, self.wrong = 0, 0, 0, 0, []

    def add(self, spec, sample, got):
        truth = sample.truth
        self.docs += 1
        self.valid += got is not None
        vs = []
        leaves(spec.fields, truth, got, vs)
        ok = [same(t, g) for _, t, g in vs]
        self.whole += all(ok) and got is not None
        for mark in sample.marks:
            hit = self.marks.setdefault(mark, [0, 0])
            hit[0] += sum(ok)
            hit[1] += len(ok)
        for (kind, t, g), o in zip(vs, ok):
            hit = self.by.setdefault((kind, spec.w, spec.h, spec.count), [0, 0])
            hit[0] += o
            hit[1] += 1
            if t is None:
                self.nulls += 1
                self.null_hits += o
            if not o and len(self.wrong) < 12:
                self.wrong.append('%s: %s -> %s' % (kind, t, g))
        if spec.kind == 'page':
            lines = got.get(spec.fields[0].key) if isinstance(got, dict) else None
            h = '\n'.join(map(str, lines or []))
            t = '\n'.join(truth[spec.fields[0].key])
            self.edits += distance(h, t)
            self.chars += len(t)

    def part(self, key):
        sums = {}
        for k, (a, n) in self.by.items():
            s = sums.setdefault(key(k), [0, 0])
            s[0] += a
            s[1] += n
        return {k: round(100 * a / n, 1) for k, (a, n) in sorted(sums.items())}

    def row(self):
        a, n = map(sum, zip(*self.by.values())) if self.by else (0, 0)
        r = dict(docs=self.docs, valid=round(100 * self.valid / self.docs, 1), values=n, exact=round(100 * a / max(1, n), 2),
                 documents=round(100 * self.whole / self.docs, 1))
        if self.nulls:
            r['null'] = round(100 * self.null_hits / self.nulls, 1)
        if self.chars:
            r['cer'] = round(100 * self.edits / self.chars, 2)
        r['fields'] = self.part(lambda k: k[0])
        r['marks'] = {k: round(100 * a / max(1, n), 1) for k, (a, n) in sorted(self.marks.items())}
        r['sizes'] = {'%dx%d/%d' % k: v for k, v in self.part(lambda k: k[1:]).items()}
        return r


def torch_reader(a):
    import torch
    import decode
    import gguf_write
    from model import Config, Tiny
    torch.set_num_threads(1)
    got = torch.load(a.torch, map_location='cpu')
    sd = got['model' if a.raw else 'ema']
    if a.q8:
        for k, v in sd.items():
            if v.dim() == 2 and v.shape[1] % 32 == 0 and 'pos' not in k and not k.endswith(('ba.weight', 'conv', 'patch.weight')):
                q = np.frombuffer(gguf_write.q8_0(v.numpy()), np.uint8).reshape(-1, 34)
                d = q[:, :2].copy().view('<f2').astype(np.float32)
                sd[k] = torch.from_numpy((q[:, 2:].view(np.int8) * d).reshape(v.shape).astype(np.float32))
    m = Tiny(Config())
    m.load_state_dict(sd)
    m.eval()

    def read(spec, samples):
        texts = decode.generate(m, np.stack([s.shown for s in samples]), schema.outline(spec.fields), spec.fields)
        return [parse(t) for t in texts]
    return read


def platen_reader(a):
    from PIL import Image

    def read(spec, samples):
        tmp = tempfile.mkdtemp(prefix='platen-eval-')
        try:
            names = []
            for i, s in enumerate(samples):
                names.append(os.path.join(tmp, 'doc%03d.png' % i))
                Image.fromarray(s.image).save(names[-1])
            with open(os.path.join(tmp, 'schema.json'), 'w') as f:
                json.dump(schema.json_schema(spec.fields), f)
            out = os.path.join(tmp, 'out')
            cmd = [a.platen, 'extract', *names, '--schema', f.name, '--out', out, '--format', 'json']
            if a.model:
                cmd += ['--model', a.model, '--mmproj', a.model[:-len('.gguf')] + '-mmproj.gguf']
            cmd += a.flag or []
            done = subprocess.run(cmd, capture_output=True, text=True)
            if done.returncode and not os.path.isdir(out):
                sys.exit('platen failed: ' + done.stderr[-2000:])
            result = []
            for n in names:
                path = os.path.join(out, os.path.basename(n)[:-4] + '.json')
                record = parse(open(path).read()) if os.path.exists(path) else None
                result.append(record.get('data') if record else None)
            return result
        finally:
            shutil.rmtree(tmp)
    return read


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--platen', default='build/platen')
    ap.add_argument('--model')
    ap.add_argument('--flag', action='append', help='a flag for platen, --flag=--skip-blank=no')
    ap.add_argument('--torch', help='checkpoint to decode in PyTorch instead')
    ap.add_argument('--raw', action='store_true', help='last weights, not their mean')
    ap.add_argument('--q8', action='store_true', help='round matrices as the shipped file does')
    ap.add_argument('--docs', type=int, default=400)
    ap.add_argument('--kind', default=','.join(KINDS))
    ap.add_argument('--sizes', type=int, help='only the first so many page sizes')
    ap.add_argument('--seed', type=int, default=0)
    ap.add_argument('--json')
    ap.add_argument('--wrong', action='store_true', help='print some wrong values')
    a = ap.parse_args()
    read = torch_reader(a) if a.torch else platen_reader(a)
    table = {}
    print('%-14s %5s %7s %8s %8s %8s %8s %7s' % ('kind', 'docs', 'valid%', 'exact%', 'doc%', 'null%', 'CER%', 's/doc'))
    for kind in a.kind.split(','):
        score, t = Score(), time.time()
        for spec, samples in groups(kind, a.docs, a.seed, a.sizes):
            for s, got in zip(samples, read(spec, samples)):
                score.add(spec, s, got)
        r = table[kind] = score.row()
        print('%-14s %5d %7s %8s %8s %8s %8s %7.2f' % (kind, r['docs'], r['valid'], r['exact'], r['documents'], r.get('null', '-'),
                                                      r.get('cer', '-'), (time.time() - t) / r['docs']))
        print('    ', r['fields'], r['sizes'])
        print('    ', r['marks'], flush=True)
        if a.wrong:
            print('\n'.join('      ' + w for w in score.wrong))
    if a.json:
        with open(a.json, 'w') as f:
            json.dump(table, f, indent=1)


if __name__ == '__main__':
    main()
