"""Measures how scans of real receipts are read, beside Tesseract: single lines and whole receipts.

  python3 eval_real.py --weights FILE [--grid] [--tesseract] [--what lines,receipts] [--receipts DIR] [--show 20]

FILE is a checkpoint of train.py, or resume.npz.  Lines are cut twice: along the boxes of the truth, scaled to
10 pixels a character, and by our own search for rows of ink, scaled by the height of the print.  Fields of a whole receipt
come from its lines by a few rules, the same for every reader.  Case does not count: the truth of the scans is in capitals.  The scans are for measuring only: nothing here is
ever trained on, and where they are absent the script says so and ends.
"""
import argparse
import collections
import csv
import difflib
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image, ImageFilter

from eval import distance

TOKEN = 24
NARROWEST, WIDEST = 336, 504     # narrower lines stand on more paper, wider ones are cut at their widest gap


def receipts(folder):
    for path in sorted(glob.glob(os.path.join(folder, '*.jpg'))):
        boxes = []
        for row in csv.reader(open(path[:-3] + 'csv', encoding='utf-8', errors='replace'), quoting=csv.QUOTE_NONE):
            if len(row) > 8 and ','.join(row[8:]).strip():
                n = list(map(int, row[:8]))
                boxes.append(((min(n[::2]), min(n[1::2]), max(n[::2]), max(n[1::2])), ','.join(row[8:]).strip()))
        yield os.path.basename(path)[:-4], np.asarray(Image.open(path).convert('L')), boxes, json.load(open(path[:-3] + 'json', encoding='utf-8'))


def rows_of(boxes):
    """Boxes that stand side by side, as lines from top to bottom."""
    rows = []
    for box, text in sorted(boxes, key=lambda b: b[0][1] + b[0][3]):
        mid = (box[1] + box[3]) / 2
        if rows and rows[-1][0] < mid < rows[-1][1]:
            rows[-1][2].append((box, text))
        else:
            h = box[3] - box[1]
            rows.append((box[1] + h * 0.25, box[3] - h * 0.25, [(box, text)]))
    return [sorted(r[2]) for r in rows]


# --- pictures of lines -----------------------------------------------------------------------------------------------

def stretched(a):
    lo, hi = np.percentile(a, [0.5, 85])
    return np.clip((a.astype(np.float32) - lo) * (255 / max(16, hi - lo)), 0, 255).astype(np.uint8)


def prepared(a, scale, sy=None):
    """A cut line on paper of whole visual tokens, 48 high where it fits."""
    h, w = a.shape
    to_w, to_h = max(8, round(w * scale)), max(8, round(h * (sy or scale)))
    im = Image.fromarray(stretched(a)).resize((to_w, to_h), Image.BICUBIC if scale > 0.6 else Image.LANCZOS)
    pw, ph = max(NARROWEST, -(-(to_w + 8) // TOKEN) * TOKEN), max(2, -(-to_h // TOKEN)) * TOKEN
    page = Image.new('L', (pw, ph), 255)
    page.paste(im, (4, (ph - to_h) // 2))
    return np.asarray(page)


def ink_of(a):
    """Where there is print: darker than its surroundings."""
    im = Image.fromarray(a)
    wide = np.asarray(im.filter(ImageFilter.BoxBlur(max(8, a.shape[1] // 40))), np.float32)
    dark = wide - np.asarray(im.filter(ImageFilter.BoxBlur(1)), np.float32)
    return dark > max(6.0, 0.35 * np.percentile(dark, 99.5))


def own_lines(a):
    """(top, bottom, left, right) of every line, by rows of ink."""
    ink = ink_of(a)
    h, w = ink.shape
    ink[:, :max(1, w // 100)] = ink[:, -max(1, w // 100):] = False
    cols = ink.mean(0)
    ink[:, cols > 0.5] = False                          # the edge of the paper
    profile = np.convolve(ink.sum(1), np.ones(3) / 3, 'same')
    on = profile > max(2.0, 0.004 * w)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], on.view(np.int8), [0]))))
    runs = [(a0, b0) for a0, b0 in zip(edges[::2], edges[1::2]) if b0 - a0 > 3]
    if not runs:
        return [], 1
    heights = np.array([b - a0 for a0, b in runs])
    usual = np.median(heights[heights >= max(5, np.percentile(heights, 40))])
    out = []

    def split(top, bottom):
        if bottom - top > 1.9 * usual:
            part = profile[top + int(usual * 0.6):bottom - int(usual * 0.6)]
            if len(part) and part.min() < 0.35 * np.percentile(profile[top:bottom], 80):
                at = top + int(usual * 0.6) + int(part.argmin())
                split(top, at)
                split(at, bottom)
                return
        out.append((top, bottom))
    for top, bottom in runs:
        split(top, bottom)
    lines = []
    for top, bottom in out:
        if bottom - top < 0.45 * usual:                 # rules, dots, dirt
            continue
        x = np.flatnonzero(ink[top:bottom].sum(0))
        if len(x) > 3:
            lines.append((top, bottom, x[0], x[-1] + 1))
    return lines, usual


def own_cuts(a):
    """[(line number, picture, source cut)] of a receipt; a wide line is several pieces."""
    lines, usual = own_lines(a)
    cuts = []
    for n, (top, bottom, left, right) in enumerate(lines):
        tall = bottom - top
        scale = 17.0 / usual if tall < 1.6 * usual else 22.0 / tall
        pad = max(2, int(0.2 * usual))
        y0, y1 = max(0, top - pad), min(a.shape[0], bottom + pad)
        spans = [(left, right)]
        ink = ink_of(a[y0:y1]).sum(0) > 0
        while (spans[-1][1] - spans[-1][0]) * scale > WIDEST:
            l, r = spans.pop()
            mid = ink[l + int((r - l) * 0.25):r - int((r - l) * 0.25)]
            best, at, run = 0, len(mid) // 2, 0
            for i, v in enumerate(mid):
                run = 0 if v else run + 1
                if run > best:
                    best, at = run, i - run // 2
            at += l + int((r - l) * 0.25)
            spans += [(l, at), (at, r)]
        for l, r in sorted(spans):
            cut = a[y0:y1, max(0, l - pad):min(a.shape[1], r + pad)]
            cuts.append((n, prepared(cut, scale), cut))
    return cuts, lines


# --- readers ---------------------------------------------------------------------------------------------------------

class Model:
    def __init__(self, path, grid):
        import torch
        import train
        from model import Config, Tiny
        torch.set_num_threads(1)
        self.torch, self.m, self.grid = torch, Tiny(Config()), grid
        train.load_weights(self.m, path)
        self.m.eval()

    def read(self, pictures):
        import schema
        import decode
        by, out = collections.defaultdict(list), [''] * len(pictures)
        for i, p in enumerate(pictures):
            by[p.shape].append(i)
        for shape, where in by.items():
            for k in range(0, len(where), 24):
                part = where[k:k + 24]
                images = np.stack([pictures[i] for i in part])
                if self.grid:
                    texts = self.cells(images)
                else:
                    got = decode.generate(self.m, images, schema.outline(schema.PAGE), schema.PAGE, limit=40 + shape[1] // 4)
                    texts = [' '.join(json.loads(t)['lines']) if t.endswith('}') else ' '.join(re.findall(r'"([^"]*)', t)[2::2]) for t in got]
                for i, t in zip(part, texts):
                    out[i] = t
        return out

    def cells(self, images):
        """What the encoder alone sees: the likeliest character of every column of cells (one line a picture)."""
        from model import to_patches
        from page import CHARS
        torch = self.torch
        with torch.no_grad():
            patches, gh, gw = to_patches(images)
            p = self.m.grid(self.m.vis(patches, gh, gw)).softmax(-1)
        b = p.shape[0]
        p = p.view(b, gh // 2, gw // 2, 4, 8, -1).permute(0, 1, 3, 2, 4, 5).reshape(b, gh * 2, gw * 4, -1)
        best, cls = p[..., 1:].max(-1)
        best, row = best.max(1)                         # [b, columns]
        cls = cls.gather(1, row[:, None])[:, 0]
        out = []
        for score, c in zip(best.numpy(), cls.numpy()):
            text, last = '', -9
            for x in np.flatnonzero(score > 0.5):
                if any(score[y] > score[x] or (score[y] == score[x] and y < x) for y in (x - 1, x + 1) if 0 <= y < len(score)):
                    continue
                text += (' ' if x - last > 5 and text else '') + CHARS[c[x]] if c[x] < len(CHARS) else ''
                last = x
            out.append(text)
        return out


def tesseract(cuts, psm='7'):
    out = []
    with tempfile.TemporaryDirectory() as tmp:
        for a in cuts:
            if psm == '7':
                a = np.pad(a, 12, constant_values=int(np.percentile(a, 90)))
            Image.fromarray(a).save(tmp + '/line.png')
            got = subprocess.run(['tesseract', tmp + '/line.png', '-', '--psm', psm], capture_output=True, text=True, env=dict(os.environ, OMP_THREAD_LIMIT='1')).stdout
            out.append(' '.join(got.split()) if psm == '7' else got)
    return out


# --- fields by rules -------------------------------------------------------------------------------------------------

MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split()


def date_in(text):
    """The first day, month and year that are written in the text, or None."""
    for m in re.finditer(r'(?<!\d)(\d{1,2})\s?[-/. ]\s?(\d{1,2})\s?[-/. ]\s?(20\d\d|\d\d)(?!\d)|(?<!\d)(20\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)|'
                         r'(?<!\d)(\d{1,2})[- ./]?([A-Za-z]{3})[a-z]*[- ./,]*(20\d\d|\d\d)(?!\d)', text):
        g = m.groups()
        if g[0]:
            d, mo, y = int(g[0]), int(g[1]), int(g[2])
        elif g[3]:
            d, mo, y = int(g[5]), int(g[4]), int(g[3])
        else:
            if g[7].lower() not in MONTHS:
                continue
            d, mo, y = int(g[6]), MONTHS.index(g[7].lower()) + 1, int(g[8])
        y += 2000 if y < 100 else 0
        if 1 <= d <= 31 and 1 <= mo <= 12 and 2000 <= y <= 2035:
            return d, mo, y
    return None


def amounts(text):
    return [float(a.replace(',', '').replace(' ', '')) for a in re.findall(r'(?<![\d.])(\d{1,3}(?:,\d{3})+\.\d\d|\d+\s?\.\s?\d\d)(?!\d)', text)]


def fields_of(lines):
    date = next((d for d in map(date_in, lines) if d), None)
    best, merchant = None, ''
    for i, line in enumerate(lines):
        low = line.lower()
        if 'total' not in low or re.search(r'sub|qty|item|tax|gst|vat|disc|saving|round', low):
            continue
        found = amounts(line) or amounts(lines[i + 1] if i + 1 < len(lines) else '')
        if found and (best is None or found[-1] > 0):
            best = found[-1]
    if best is None:
        every = [a for line in lines for a in amounts(line)]
        best = max(every) if every else None
    for line in lines[:6]:
        if len(re.findall('[A-Za-z]', line)) >= 5 and len(re.findall(r'\d', line)) < 4:
            merchant = line
            break
    return date, best, merchant


def score_fields(lines, truth, sums):
    date, total, merchant = fields_of(lines)
    want_total = amounts(truth.get('total', '').replace('RM', '').replace('$', ''))
    sums['receipts'] += 1
    sums['date'] += date is not None and date == date_in(truth.get('date', ''))
    sums['total'] += bool(want_total) and total == want_total[-1]
    sums['merchant'] += difflib.SequenceMatcher(None, merchant.lower(), truth.get('company', '').lower()).ratio() >= 0.8


def main():
    ap = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    ap.add_argument('--receipts', default=os.path.join(here, '../../../shared/corpus/receipts'))
    ap.add_argument('--weights', action='append', default=[])
    ap.add_argument('--grid', action='store_true', help='read with the encoder and its training head alone')
    ap.add_argument('--tesseract', action='store_true')
    ap.add_argument('--what', default='lines,receipts')
    ap.add_argument('--limit', type=int, default=0, help='only so many receipts')
    ap.add_argument('--show', type=int, default=0, help='print so many lines beside their truth')
    a = ap.parse_args()
    if not os.path.isdir(a.receipts):
        sys.exit('skipped: no receipts at ' + a.receipts)
    data = list(receipts(a.receipts))[:a.limit or None]
    readers = [(os.path.basename(w), lambda made, cut, m=Model(w, a.grid): m.read(made)) for w in a.weights]
    if a.tesseract:
        readers.append(('tesseract', lambda made, cut: tesseract(cut)))
    if 'lines' in a.what:
        made, cut, truth = [], [], []
        for _, image, boxes, _ in data:
            for (x0, y0, x1, y1), text in boxes:
                pad = max(1, (y1 - y0) // 8)
                c = image[max(0, y0 - pad):y1 + pad, max(0, x0 - pad):x1 + pad]
                scale = 10.0 * len(text) / max(1, x1 - x0)
                scale = min(max(scale, 12.0 / (y1 - y0)), 26.0 / (y1 - y0))     # a narrow or wide font keeps a legible height
                made.append(prepared(c, scale))
                cut.append(c)
                truth.append(' '.join(text.split()))
        for name, read in readers:
            got = read(made, cut)
            edits, chars = sum(distance(g.upper(), t.upper()) for g, t in zip(got, truth)), sum(map(len, truth))
            exact = sum(g.upper() == t.upper() for g, t in zip(got, truth))
            print('lines by the boxes of the truth, %s: CER %.1f %% of %d characters, %.1f %% of %d exact' % (name, 100 * edits / chars, chars, 100 * exact / len(truth), len(truth)), flush=True)
            for g, t in list(zip(got, truth))[::max(1, len(truth) // max(1, a.show))][:a.show]:
                print('   ', repr(t), '->', repr(g))
    if 'receipts' in a.what:
        table = collections.OrderedDict((name, collections.Counter()) for name, _ in readers)
        exact = collections.Counter()
        for name, image, boxes, keys in data:
            rows = [' '.join(t for _, t in r) for r in rows_of(boxes)]
            score_fields(rows, keys, exact)
            cuts, lines = own_cuts(image)
            whole = '\n'.join(rows)
            for reader, read in readers:
                parts = collections.defaultdict(list)
                for (n, _, _), text in zip(cuts, read([c[1] for c in cuts], [c[2] for c in cuts])):
                    parts[n].append(text)
                got = [' '.join(parts[n]) for n in range(len(lines)) if ' '.join(parts[n]).strip()]
                table[reader]['edits'] += distance('\n'.join(got).upper(), whole.upper())
                table[reader]['chars'] += len(whole)
                score_fields(got, keys, table[reader])
        show = lambda name, s: print('whole receipts, %s: CER %s, date %d, total %d, merchant %d of %d' % (
            name, '%.1f %%' % (100 * s['edits'] / s['chars']) if s['chars'] else '-', s['date'], s['total'], s['merchant'], s['receipts']), flush=True)
        show('true lines', exact)
        for name, s in table.items():
            show(name + ', our cut', s)
        if a.tesseract:
            s = collections.Counter()
            for name, image, boxes, keys in data:
                got = [' '.join(l.split()) for l in tesseract([image], '4')[0].splitlines() if l.strip()]
                rows = '\n'.join(' '.join(t for _, t in r) for r in rows_of(boxes))
                s['edits'] += distance('\n'.join(got).upper(), rows.upper())
                s['chars'] += len(rows)
                score_fields(got, keys, s)
            show('tesseract, its own cut', s)


if __name__ == '__main__':
    main()
