"""Scores where the embedded model's values stand by its attention alone, on pages of its own kind.

  python3 tests/eval/attention.py --probe build/release/look-probe --docs 200 [--kind receipt,...] [--gate]

Pages come from the generator that it was trained with (held-out words, seeds and, for unseen-fonts, fonts); every glyph's
box is kept.  A value counts if it is right and the box found has an IoU of 0.5 and more with the value's own.
"""
import argparse
import json
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

import docs  # noqa: E402
import eval as scores  # noqa: E402
import page as drawing  # noqa: E402

LEAST = 0.85  # of the right values


class Boxed(drawing.Page):
    """A page that keeps the box of each glyph under the centre that stands for it."""

    def text(self, x, y, text, f):
        out = super().text(x, y, text, f)
        self.boxes = getattr(self, 'boxes', {})
        cx = x
        for c, p in zip(text, out):
            bits, ox, oy = f.glyph(c)
            if bits is not None:
                h, w = bits.shape
                left, top = int(cx + 0.5) + ox + 1, int(y) + oy + 1
                self.boxes[p] = (left, top, left + w - 2, top + h - 2)
            cx += f.advance(c)
        return out


def sample(seed, spec):
    """As docs.sample, but before the picture is stretched: image, truth and the box of each value."""
    r = random.Random(seed)
    p, facts = docs.receipt(r, spec, spec.fonts or docs.FONTS) if spec.kind == 'receipt' else docs.text_page(r, spec, spec.fonts or docs.FONTS)
    image, move, marks = docs.scan(r, p, spec.hard)
    h, w = image.shape

    def box(places):
        corners = []
        for x0, y0, x1, y1 in (p.boxes[at] for at in places or [] if at in p.boxes):
            corners += [(x0, y0), (x1, y0), (x0, y1), (x1, y1)]
        if not corners:
            return None
        q = np.asarray(move(corners))
        (x0, y0), (x1, y1) = q.min(0), q.max(0)
        return [x0 / w, y0 / h, (x1 - x0) / w, (y1 - y0) / h]

    values = {}

    def walk(fields, facts, at):
        for f in fields:
            got = facts.get(f.kind)
            if f.type in ('[', '[s'):
                for i, item in enumerate(got or []):
                    if f.type == '[':
                        walk(f.children, item, '%s/%s/%d' % (at, f.key, i))
                    else:
                        values['%s/%s/%d' % (at, f.key, i)] = (item[0], box(item[1]), f.kind)
            else:
                values['%s/%s' % (at, f.key)] = (got[0], box(got[1]), f.kind) if got else (None, None, f.kind)
    walk(spec.fields, facts, '')
    return image, values, marks + p.marks


def at(value, pointer):
    for key in pointer.split('/')[1:]:
        if isinstance(value, list):
            value = value[int(key)] if int(key) < len(value) else None
        elif isinstance(value, dict):
            value = value.get(key)
    return value


def iou(a, b):
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0
    return w * h / (a[2] * a[3] + b[2] * b[3] - w * h)


def run(args, name, folder):
    from PIL import Image
    how = scores.KINDS[name]
    with open(os.path.join(folder, 'schema.json'), 'w') as f:
        json.dump(scores.schema.json_schema(how['fields']), f)
    truths, files = {}, []
    for g in range(-(-args.docs // scores.GROUP)):
        w, h, n = (scores.LINE_SIZES if name == 'page' else scores.SIZES)[g % (4 if name == 'page' else 8)]
        spec = docs.Spec(w=w, h=h, count=n, held=True, **how)
        first = scores.HELD + list(scores.KINDS).index(name) * 1_000_000 + g * scores.GROUP
        for i in range(min(scores.GROUP, args.docs - g * scores.GROUP)):
            image, values, marks = sample(first + i, spec)
            path = os.path.join(folder, '%s-%05d.png' % (name, len(files)))
            Image.fromarray(image).save(path)
            truths[path] = values, marks, image.shape
            files.append(path)
    model = os.path.join(root, 'vlm', 'embedded', 'platen-tiny')
    out = subprocess.run([args.probe, os.path.join(os.path.dirname(args.probe), 'platen-raster'), os.path.join(folder, 'schema.json'),
                          model + '.gguf', model + '-mmproj.gguf'] + files, stdout=subprocess.PIPE, check=True)
    return truths, [json.loads(line, parse_float=str, parse_int=str) for line in out.stdout.splitlines()]


def judge(args, name, folder):
    truths, answers = run(args, name, folder)
    right = hit = found = pages = 0
    by, seconds = {}, 0
    for a in answers:
        values, marks, shape = truths[a['file']]
        seconds += float(a['seconds'])
        for pointer, (text, box, kind) in values.items():
            got = at(a['answer'], pointer)
            if text is None or got is None or box is None or not scores.same(text, scores.decimal.Decimal(got) if kind in ('price', 'total', 'quantity') else got):
                continue
            right += 1
            f = a['fields'].get(pointer)
            ink = [float(v) for v in f['ink']] if f and f['ink'] else None
            score = iou(ink, box) if ink else 0
            found += ink is not None
            hit += score >= 0.5
            pages += bool(f and f['look'])
            k = by.setdefault(kind, [0, 0])
            k[0] += 1
            k[1] += score >= 0.5
            if args.wrong and score < 0.5 and not args.kinds_wrong or args.wrong and kind in args.kinds_wrong and score < 0.5:
                px = lambda b: b and [round(v * s, 1) for v, s in zip(b, (shape[1], shape[0]) * 2)]
                print(os.path.basename(a['file']), pointer, text, 'want', px(box), 'got', px(ink), 'iou %.2f' % score, ' '.join(m for m in marks if not m.startswith('font')))
    share = hit / max(1, right)
    print('%-14s %5d values right, %5.1f %% with their page, %5.1f %% with a box, %5.1f %% with the right one (IoU 0.5); %.1f ms a page' %
          (name, right, 100 * pages / max(1, right), 100 * found / max(1, right), 100 * share, 1000 * seconds / max(1, len(answers))))
    print('   ' + ', '.join('%s %.1f' % (k, 100 * v[1] / v[0]) for k, v in sorted(by.items())))
    return share >= LEAST


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--probe', default='build/release/look-probe')
    ap.add_argument('--docs', type=int, default=200)
    ap.add_argument('--kind', default='receipt,unseen-fonts,renamed,page')
    ap.add_argument('--wrong', action='store_true', help='print the values whose box is wrong')
    ap.add_argument('--kinds-wrong', default='')
    ap.add_argument('--gate', action='store_true')
    args = ap.parse_args()
    docs.Page = Boxed
    folder = tempfile.mkdtemp()
    try:
        fine = [judge(args, name, folder) for name in args.kind.split(',')]
    finally:
        shutil.rmtree(folder)
    sys.exit(args.gate and not all(fine))


if __name__ == '__main__':
    main()
