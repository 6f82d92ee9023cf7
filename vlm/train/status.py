"""Prints how training goes: figures and curves as text, or as a picture.

  python3 status.py [DIR] [--png FILE]
"""
import json
import os
import sys

WANTED = ['receipt.char', 'receipt.ptr', 'receipt.sub', 'receipt.cell', 'page.char', 'vision.cell']
COLOURS = ['#c0392b', '#e67e22', '#f1c40f', '#27ae60', '#2980b9', '#8e44ad']


def read(path):
    """Log lines by sample number; a resumed run may repeat some, the later line wins."""
    rows = {}
    for line in open(path):
        try:
            d = json.loads(line)
        except ValueError:
            continue
        if 'n' in d:
            rows[(d['n'], 'EVAL' in d)] = d
    return [rows[k] for k in sorted(rows)]


def series(rows, key, evals):
    return [(d['n'], d[key]) for d in rows if key in d and ('EVAL' in d) == evals]


def plot(points, width=64, height=10):
    if not points:
        return []
    top = points[-1][0] or 1
    cols = {}
    for n, v in points:
        cols.setdefault(min(width - 1, n * width // top), []).append(v)
    grid = [[' '] * width for _ in range(height)]
    for c, vs in cols.items():
        grid[height - 1 - min(height - 1, int(sum(vs) / len(vs) * height))][c] = '*'
    return ['%4d%% |%s' % (100 * (height - i) // height, ''.join(r)) for i, r in enumerate(grid)] + ['      +' + '-' * width]


def picture(rows, path):
    from PIL import Image, ImageDraw
    w, h, left, bottom = 760, 400, 50, 40
    im = Image.new('RGB', (w, h), 'white')
    d = ImageDraw.Draw(im)
    top = rows[-1]['n']
    x = lambda n: left + n / top * (w - left - 150)
    y = lambda v: h - bottom - v * (h - bottom - 15)
    for i in range(11):
        d.line([(left, y(i / 10)), (x(top), y(i / 10))], fill='#dddddd')
        d.text((left - 32, y(i / 10) - 6), '%d%%' % (i * 10), fill='black')
    for i in range(5):
        d.text((x(top * i / 4) - 15, h - bottom + 8), '%dk' % (top * i / 4000), fill='black')
    d.text((left + 180, h - 16), 'samples (receipts, pages, lines)', fill='black')
    for i, (key, colour) in enumerate(zip(WANTED, COLOURS)):
        pts = series(rows, key, False)
        k = max(1, len(pts) // 150)
        pts = [(pts[j][0], sum(v for _, v in pts[j:j + k]) / len(pts[j:j + k])) for j in range(0, len(pts), k)]
        if len(pts) > 1:
            d.line([(x(n), y(v)) for n, v in pts], fill=colour, width=2)
        d.text((w - 142, 20 + 16 * i), key, fill=colour)
    im.save(path)


def main():
    args = [a for a in sys.argv[1:] if not a.startswith('--')]
    here = os.path.dirname(os.path.abspath(__file__))
    png = args.pop() if '--png' in sys.argv else None
    path = os.path.join(args[0] if args else os.path.join(here, '../../train-out/run'), 'log.jsonl')
    if not os.path.exists(path):
        sys.exit('no run yet: ' + path)
    rows = read(path)
    logs = [d for d in rows if 'EVAL' not in d]
    if png:
        return picture(rows, png)
    print('%d samples, %d steps, %.1f CPU hours, rate %.2f' % (logs[-1]['n'], logs[-1]['step'], logs[-1]['cpu'] / 3600, logs[-1]['rate']))
    print('held out, teacher-forced:')
    for d in [d for d in rows if 'EVAL' in d][-6:]:
        print('  %8d' % d['n'], ' '.join('%s %.3f' % (k, d[k]) for k in WANTED if k in d))
    for key in ('receipt.char', 'vision.cell'):
        print(key + ' (training documents)')
        print('\n'.join(plot(series(rows, key, False))))


if __name__ == '__main__':
    main()
