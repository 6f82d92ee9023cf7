#!/usr/bin/env python3
"""Pages of the embedded model's generator, turned: how many are read the right way up, and is any page turned that lies right?

  turn.py --platen build/platen [--docs 48] [--seed 77] [--receipts DIR] [--ocr off] [--gate]

Each receipt is read upright and turned three ways; places are held against those of the upright record. --receipts: a
folder of foreign .jpg, which lie upright, whole (at three sizes) and in pieces whose print is about as large as the model
was taught: of them none may be turned. --gate ends with 1 where a page is turned the wrong way, a place is elsewhere, or
fewer than 98 % of those that were unread as they lie come back.
"""
import argparse
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image, ImageOps

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, '..', '..', 'vlm', 'train'))
import eval as scores
import schema

PIECES, PIECE_SIDES, SMALL_PIXELS = 14, ((256, 192), (288, 256), (320, 288)), (60000, 90000, 150000)
BACK_LEAST, IOU_LEAST = 0.98, 0.7


def draw_own(folder, docs, seed):
    for kind in ('receipt', 'unseen-fonts'):
        number = 0
        for _, samples in scores.groups(kind, docs, seed):
            for sample in samples:
                for quarters in range(4):
                    name = '%s_%d-%d.png' % (kind, number, quarters)
                    Image.fromarray(np.ascontiguousarray(np.rot90(sample.image, -quarters))).save(os.path.join(folder, name))
                number += 1


def draw_foreign(folder, receipts, seed):
    draws = random.Random(seed)
    for path in sorted(glob.glob(os.path.join(receipts, '*.jpg'))):
        page = ImageOps.exif_transpose(Image.open(path)).convert('L')
        stem = os.path.basename(path)[:-4]
        for i in range(PIECES):
            width, height = draws.choice(PIECE_SIDES)
            scale = width / page.width * draws.choice((1, 1.5, 2))
            w, h = min(page.width, int(width / scale)), min(page.height, int(height / scale))
            x, y = draws.randint(0, page.width - w), draws.randint(0, page.height - h)
            piece = page.crop((x, y, x + w, y + h))
            piece.resize((max(32, int(w * scale)), max(32, int(h * scale))), Image.LANCZOS).save(os.path.join(folder, '%s_%d-0.png' % (stem, i)))
        for pixels in SMALL_PIXELS:
            scale = (pixels / (page.width * page.height)) ** .5
            small = page.resize((int(page.width * scale), int(page.height * scale)), Image.LANCZOS)
            small.save(os.path.join(folder, '%s_%dpx-0.png' % (stem, pixels)))


def read(platen, folder, fields, flags):
    """Records by (name, quarters) of all pages of the folder."""
    shape, out = os.path.join(folder, 'schema.json'), os.path.join(folder, 'out')
    with open(shape, 'w') as f:
        json.dump(schema.json_schema(fields), f)
    pages = sorted(glob.glob(os.path.join(folder, '*.png')))
    done = subprocess.run([platen, 'extract', *pages, '--schema', shape, '--out', out, '--format', 'json', *flags], stderr=subprocess.PIPE, text=True)
    records = {}
    for path in glob.glob(os.path.join(out, '*.json')):
        name, quarters = os.path.basename(path)[:-5].rsplit('-', 1)
        with open(path) as f:
            records[name, int(quarters)] = json.load(f)
    if len(records) != len(pages):
        sys.exit('platen failed: ' + done.stderr[-2000:])
    return records


def turned_by(record):
    """Quarters clockwise."""
    for warning in record['warnings']:
        if warning['code'] == 'auto-rotated':
            return int(re.search(r'rotated by (\d+) degrees', warning['text']).group(1)) // 90
    return 0


def turned(box, quarters):
    x, y, w, h = box
    for _ in range(quarters):
        x, y, w, h = 1 - y - h, x, h, w
    return x, y, w, h


def overlap(a, b):
    w, h = (min(a[i] + a[i + 2], b[i] + b[i + 2]) - max(a[i], b[i]) for i in (0, 1))
    return w * h / (a[2] * a[3] + b[2] * b[3] - w * h) if w > 0 and h > 0 else 0


def places(upright, record, quarters):
    """Of the values whose place is known on both: how many, and how many are elsewhere."""
    n = elsewhere = 0
    for pointer, field in upright['fields'].items():
        other = record['fields'].get(pointer, {})
        if 'evidence' in field and 'evidence' in other:
            n += 1
            elsewhere += overlap(turned(field['evidence'][0]['box'], quarters), other['evidence'][0]['box']) < IOU_LEAST
    return n, elsewhere


def score(title, records):
    tried = back = wrong = same = n_place = elsewhere = unread = 0
    for (name, quarters), record in records.items():
        by = turned_by(record)
        unread += record['verdict'] == 'unread'
        wrong += by and (by + quarters) % 4 != 0
        if quarters and (by or record['verdict'] == 'unread'):
            upright = records[name, 0]
            tried, back = tried + 1, back + ((by + quarters) % 4 == 0)
            same += record['data'] == upright['data']
            if by:
                n, bad = places(upright, record, quarters)
                n_place, elsewhere = n_place + n, elsewhere + bad
    print('%-8s %5d pages, %d unread in the end, %d turned the wrong way' % (title, len(records), unread, wrong))
    if tried:
        print('         %d unread as they lie: %d are read upright, %d with the values of the upright page; %d places, %d elsewhere' %
              (tried, back, same, n_place, elsewhere))
    return wrong or elsewhere or back < BACK_LEAST * tried


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--platen', default='build/platen')
    parser.add_argument('--docs', type=int, default=48, help='of each kind, each read four times')
    parser.add_argument('--seed', type=int, default=77)
    parser.add_argument('--receipts')
    parser.add_argument('--ocr', default='off')
    parser.add_argument('--gate', action='store_true')
    args = parser.parse_args()
    flags, failed = ['--ocr', args.ocr], False
    with tempfile.TemporaryDirectory(prefix='platen-turn-') as own, tempfile.TemporaryDirectory(prefix='platen-turn-') as foreign:
        draw_own(own, args.docs, args.seed)
        failed |= bool(score('own', read(args.platen, own, schema.RECEIPT, flags)))
        if args.receipts:
            draw_foreign(foreign, args.receipts, args.seed)
            failed |= bool(score('foreign', read(args.platen, foreign, schema.RECEIPT, flags)))
    sys.exit(args.gate and failed)


if __name__ == '__main__':
    main()
