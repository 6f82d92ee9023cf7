#!/usr/bin/env python3
"""How well do the OCR engines read words, and what is their confidence worth?

  ocr_words.py --platen build/platen [--pages 8] [--seed 1] [--engine tesseract,onnx] [--models DIR]

draws pages of words, dates and amounts in several fonts and sizes, wears them (100 to 300 dpi, blur, noise, JPEG, up to 3 degrees askew), has
`platen words` read them with each engine, and prints, of the words drawn, how many are read rightly where they stand (IoU 0.3; 0.5 for the box),
processor time per page, and by confidence how many words are right (docs/notes/ocr-models.md).
"""
import argparse
import io
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile

from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONTS = ('dejavu/DejaVuSans', 'dejavu/DejaVuSerif', 'liberation/LiberationSans-Regular', 'liberation/LiberationSerif-Regular', 'liberation/LiberationMono-Regular',
         'liberation/LiberationSansNarrow-Regular', 'liberation/LiberationSerif-Italic')
WORDS = ('Invoice payment Total amount account balance statement customer delivery street order number reference bank transfer Service monthly GmbH '
         'subscription consulting hours Material equipment discount net gross Straße Müller Café Größe VAT IBAN illicit Illinois Willow cliff').split()


def word(dice):
    kind = dice.random()
    if kind < 0.55:
        return dice.choice(WORDS)
    if kind < 0.75:
        return '%d,%03d.%02d' % (dice.randint(1, 99), dice.randint(0, 999), dice.randint(0, 99))
    if kind < 0.85:
        return '%02d/%02d/%d' % (dice.randint(1, 28), dice.randint(1, 12), dice.randint(1998, 2031))
    if kind < 0.95:
        return '%s%d' % (''.join(dice.choices('ABCDEFGHIKLMNOPRSTUVWXYZ', k=2)), dice.randint(10000, 99999999))
    return str(dice.randint(0, 9))


def draw(dice):
    """(image of A4 at 300 dpi, [[word, (x0, y0, x1, y1)]])"""
    im = Image.new('L', (2480, 3508), 255)
    pen, words, y = ImageDraw.Draw(im), [], 200
    while y < 3200:
        size = round(dice.choice((6, 7, 8, 9, 10, 12, 16)) * 300 / 72)
        font = ImageFont.truetype('/usr/share/fonts/truetype/%s.ttf' % dice.choice(FONTS), size)
        x = 200
        while True:
            text = word(dice)
            if x + pen.textlength(text, font=font) > 2300:
                break
            pen.text((x, y), text, font=font, fill=dice.choice((0, 0, 60)))
            words.append((text, pen.textbbox((x, y), text, font=font)))
            x += pen.textlength(text, font=font) + size * dice.choice((0.28, 0.28, 0.28, 2.5))
        y += round(size * dice.uniform(1.25, 2.2))
    return im, words


def wear(im, words, dice):
    """(picture, its dpi, words in 0..1)"""
    degrees, dpi = dice.uniform(-3, 3), dice.choice((100, 120, 150, 200, 300))
    a, (cx, cy) = math.radians(degrees), (im.width / 2, im.height / 2)
    im = im.rotate(degrees, Image.BICUBIC, fillcolor=255)
    turned = []
    for text, (x0, y0, x1, y1) in words:
        at = [((x - cx) * math.cos(a) + (y - cy) * math.sin(a) + cx, (y - cy) * math.cos(a) - (x - cx) * math.sin(a) + cy) for x in (x0, x1) for y in (y0, y1)]
        left, top = min(p[0] for p in at), min(p[1] for p in at)
        turned.append((text, (left / im.width, top / im.height, (max(p[0] for p in at) - left) / im.width, (max(p[1] for p in at) - top) / im.height)))
    im = im.resize((im.width * dpi // 300, im.height * dpi // 300), Image.LANCZOS).filter(ImageFilter.GaussianBlur(dice.uniform(0, 0.5 + dpi / 250)))
    strength = dice.choice((0, 20, 60))
    noise = Image.frombytes('L', im.size, dice.randbytes(im.width * im.height)).point(lambda v: v * strength // 255)
    im = Image.blend(im, noise, 0.2) if strength else im
    mem = io.BytesIO()
    im.save(mem, 'JPEG', quality=dice.choice((35, 60, 85)))
    return Image.open(mem), dpi, turned


def iou(a, b):
    w, h = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0]), min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    shared = max(w, 0) * max(h, 0)
    return shared / (a[2] * a[3] + b[2] * b[3] - shared)


def score(drawn, found, n):
    for text, box in drawn:
        near = [w for w in found if iou(w['box'], box) > 0.3 and w['text'] == text]
        n['drawn'] += 1
        n['right'] += bool(near)
        n['boxed'] += any(iou(w['box'], box) >= 0.5 for w in near)
    for w in found:
        n['sure'].append((w['confidence'], any(iou(w['box'], box) > 0.3 and w['text'] == text for text, box in drawn)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--platen', default='build/platen')
    ap.add_argument('--pages', type=int, default=8)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--engine', type=lambda s: s.split(','), default=['tesseract', 'onnx'])
    ap.add_argument('--models', default=os.environ.get('PLATEN_OCR_MODELS', ''))
    args = ap.parse_args()
    count = {e: {'drawn': 0, 'right': 0, 'boxed': 0, 'sure': [], 'cpu': 0.0} for e in args.engine}
    with tempfile.TemporaryDirectory(prefix='platen-ocr-words-') as folder:
        for i in range(args.pages):
            dice = random.Random(args.seed * 1000 + i)
            im, dpi, words = wear(*draw(dice), dice)
            path = os.path.join(folder, 'page.png')
            im.save(path, dpi=(dpi, dpi))
            for e in args.engine:
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                out = subprocess.run([args.platen, 'words', path, '--ocr', 'always', '--ocr-engine', e, '--ocr-models', args.models, '--child-cpu-limit', '600',
                                      '--page-timeout', '1200'], stdout=subprocess.PIPE, check=True).stdout
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                count[e]['cpu'] += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                score(words, json.loads(out)['words'], count[e])
    for e, n in count.items():
        print('%-10s %5d words  right %5.1f %%  boxes right %5.1f %%  %5.2f s of processor time per page'
              % (e, n['drawn'], 100 * n['right'] / n['drawn'], 100 * n['boxed'] / max(n['right'], 1), n['cpu'] / args.pages))
        for low, high in ((0, .1), (.1, .2), (.2, .3), (.3, .4), (.4, .5), (.5, .6), (.6, .7), (.7, .8), (.8, .85), (.85, .9), (.9, .93), (.93, .96), (.96, .98), (.98, .99), (.99, 1.01)):
            part = [ok for sure, ok in n['sure'] if low <= sure < high]
            if part:
                print('    confidence %.2f to %.2f: %5d words, %5.1f %% right' % (low, min(high, 1), len(part), 100 * sum(part) / len(part)))


if __name__ == '__main__':
    main()
