#!/usr/bin/env python3
"""Stacks of scans with separator sheets and stickers, made to be split.

stack.py OUT.pdf|OUT.tif [--dpi N] PAGE...    a page: WORD[,WORD]..., of
  doc=TEXT        a page of text that begins with TEXT
  note=TEXT       a page with TEXT alone
  blank
  file=PICTURE    that picture, as large as the page
  code=TEXT       the page is a sheet: TEXT as a large Code 128, and below it in words
  sticker=TEXT    TEXT as a small Code 128 in the upper corner of what else is there
  both=TEXT       two large codes: on top, and upside down at the foot
  qr=FILE         a picture (of a QR code) in the middle
  turn=DEGREES    clockwise, whole page
  faint           print at a quarter of its contrast
  noise           dirt
  scratch         a white streak through the code, from end to end
  ruin            the code is smeared: nobody can read it
An encoder of its own: what platen prints is not what proves that it reads.
"""
import random
import sys

from PIL import Image, ImageChops, ImageDraw, ImageFont

# ISO/IEC 15417: widths of bars and spaces of the values 0 to 105, and the stop
WIDTHS = ('212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 '
          '113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 '
          '212123 212321 232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 '
          '113123 113321 133121 313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 '
          '314111 221411 431111 111224 111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 '
          '241211 221114 413111 241112 134111 111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 '
          '214121 412121 111143 111341 131141 114113 114311 411113 411311 113141 114131 311141 411131 211412 211214 '
          '211232 2331112').split()


def code128(text, module, height):
    values = [104] + [ord(c) - 32 for c in text]  # start B
    values.append(sum(v * max(i, 1) for i, v in enumerate(values)) % 103)
    widths = [int(w) for v in values + [106] for w in WIDTHS[v]]
    image = Image.new('L', ((sum(widths) + 20) * module, height), 255)
    draw, x = ImageDraw.Draw(image), 10 * module
    for i, w in enumerate(widths):
        if i % 2 == 0:
            draw.rectangle((x, 0, x + w * module - 1, height), fill=0)
        x += w * module
    return image


def font(size):
    for name in ('DejaVuSans.ttf', 'LiberationSans-Regular.ttf', 'FreeSans.ttf'):
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            pass
    return ImageFont.load_default()


def write(draw, at, text, dpi, points=10):
    draw.text(at, text, fill=0, font=font(dpi * points // 72))


def text_page(draw, text, dpi, rng):
    write(draw, (dpi, dpi * 2), text, dpi, 16)
    words = 'amount due by the end of this month for goods delivered see terms overleaf'.split()
    for i in range(18):
        line = ' '.join(rng.choice(words) for _ in range(8))
        write(draw, (dpi, dpi * 3 + i * dpi // 4), line, dpi)


def put_code(page, text, dpi, where):
    large = where != 'sticker'
    image = code128(text, max(dpi // (50 if large else 100), 1), int(dpi * (1.2 if large else 0.4)))
    x = (page.width - image.width) // 2 if large else page.width - image.width - dpi // 3
    y = {'top': int(dpi * 1.5), 'foot': int(page.height - dpi * 3), 'sticker': dpi // 3}[where]
    page.paste(image.rotate(180) if where == 'foot' else image, (x, y))
    return (x, y, x + image.width, y + image.height)


def damage(page, box, words, dpi, rng):
    draw = ImageDraw.Draw(page)
    x0, y0, x1, y1 = box
    if 'scratch' in words:
        draw.line((x0, y0 + (y1 - y0) // 3, x1, y1 - (y1 - y0) // 3), fill=255, width=dpi // 12)
    if 'ruin' in words:
        for _ in range(400):
            x, y = rng.randint(x0, x1), rng.randint(y0, y1)
            draw.line((x, y0, x + rng.randint(-9, 9), y1), fill=rng.choice((0, 255)), width=rng.randint(1, 4))


def make(spec, dpi, rng):
    words = dict((w.split('=', 1) + [''])[:2] for w in spec.split(','))
    page = Image.new('L', (int(8.27 * dpi), int(11.69 * dpi)), 255)
    draw = ImageDraw.Draw(page)
    box = None
    if 'file' in words:
        page.paste(Image.open(words['file']).convert('L').resize(page.size))
    if 'doc' in words:
        text_page(draw, words['doc'], dpi, rng)
    if 'note' in words:
        write(draw, (dpi, dpi * 2), words['note'], dpi, 14)
    if 'code' in words:
        box = put_code(page, words['code'], dpi, 'top')
        write(draw, (dpi * 2, dpi * 4), 'separator ' + words['code'], dpi, 20)
    if 'both' in words:
        box = put_code(page, words['both'], dpi, 'top')
        put_code(page, words['both'], dpi, 'foot')
    if 'sticker' in words:
        box = put_code(page, words['sticker'], dpi, 'sticker')
    if 'qr' in words:
        qr = Image.open(words['qr']).convert('L').resize((dpi * 2, dpi * 2), Image.NEAREST)
        page.paste(qr, (dpi * 3, dpi * 4))
    if box:
        damage(page, box, words, dpi, rng)
    if 'faint' in words:
        page = page.point(lambda v: 255 - (255 - v) // 4)
    if 'noise' in words:
        page = ImageChops.darker(page, Image.frombytes('L', page.size, rng.randbytes(page.width * page.height)).point(
            lambda v: 90 if v < 9 else 255))
    if 'turn' in words:
        degrees = float(words['turn'])
        page = page.rotate(-degrees, expand=degrees % 90 == 0, fillcolor=255, resample=Image.BICUBIC)
    return page


def main():
    args, dpi = sys.argv[1:], 200
    if '--dpi' in args:
        at = args.index('--dpi')
        dpi = int(args[at + 1])
        del args[at:at + 2]
    out, specs = args[0], args[1:]
    rng = random.Random(len(specs))
    pages = [make(spec, dpi, rng) for spec in specs]
    more = {'compression': 'tiff_lzw'} if out.endswith('.tif') else {}
    pages[0].save(out, save_all=True, append_images=pages[1:], resolution=dpi, **more)


main()
