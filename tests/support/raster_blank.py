"""Pages that are paper and nothing else, and pages that hold something, through `platen extract`.

  raster_blank.py PLATEN

prints "ok - name" or "not ok - name".
"""
import functools
import json
import os
import random
import subprocess
import sys
import tempfile

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

platen = sys.argv[1]
failed = 0
PAGE = (874, 1240)      # A5 at 150 dpi
random.seed(7)
FONT = '/usr/share/fonts/truetype/%s.ttf'


def font(size):
    for name in ('dejavu/DejaVuSans', 'liberation/LiberationSans-Regular'):
        if os.path.exists(FONT % name):
            return ImageFont.truetype(FONT % name, size)
    return ImageFont.load_default()


def paper(grey=250, size=PAGE):
    return Image.new('L', size, grey)


@functools.cache
def noise(size, sigma):
    return Image.effect_noise(size, sigma)              # about 128; slow


def noisy(im, sigma):
    return ImageChops.add(im, noise(im.size, sigma), offset=-128)


def lit(im, fall=40):
    """A lamp that fades towards one corner."""
    ramp = Image.linear_gradient('L').resize(im.size).rotate(180).point(lambda v: v * fall // 255)
    side = Image.linear_gradient('L').rotate(90, expand=True).resize(im.size).point(lambda v: v * (fall // 3) // 255)
    return ImageChops.subtract(ImageChops.subtract(im, ramp), side)


def dusty(im, n=150):
    d = ImageDraw.Draw(im)
    for _ in range(n):
        x, y = random.randrange(im.width), random.randrange(im.height)
        d.rectangle((x, y, x + random.randrange(2), y + random.randrange(2)), fill=random.randrange(60, 200))
    return im


def text(im, percent, lines=20, size=22):
    """Receipt lines whose ink is so much darker than the paper."""
    d = ImageDraw.Draw(im)
    ink = im.getpixel((10, 10)) - round(2.55 * percent)
    for i in range(lines):
        d.text((im.width // 5, im.height // 6 + i * size * 2), 'Coffee and bread %d     %d.%02d EUR' % (i, i * 3, i * 7 % 100), fill=ink, font=font(size))
    return im


def word(im, where, say='Paid', size=18, ink=90):
    ImageDraw.Draw(im).text(where, say, fill=ink, font=font(size))
    return im


def stamp(im):
    d = ImageDraw.Draw(im)
    d.ellipse((690, 60, 830, 200), outline=150, width=4)
    d.text((720, 115), 'COPY', fill=150, font=font(28))
    return im


def photo(blur):
    im = Image.effect_noise((40, 56), 90).resize(PAGE, Image.BICUBIC)
    return im.filter(ImageFilter.GaussianBlur(blur))


def check(name, im, want, **how):
    global failed
    path = os.path.join(folder, 'page.' + ('jpg' if how else 'png'))
    im.save(path, dpi=(150, 150), **(how or {'compress_level': 1}))
    r = subprocess.run([platen, 'extract', path, '--schema', 'receipt', '--engine', 'null'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        got = json.loads(r.stdout)['pages'][0].get('blank', False)
    except ValueError:
        got = r.stderr.decode()
    failed += got != want
    print('%s - %s: %s' % ('ok' if got == want else 'not ok', name, 'blank' if got is True else 'shown' if got is False else got))


def scanned(im):
    """With the dark edges of a scanner whose lid was open."""
    d = ImageDraw.Draw(im)
    d.rectangle((0, 0, 14, im.height), fill=20)
    d.rectangle((0, im.height - 20, im.width, im.height), fill=20)
    return im


def blank_pages():
    check('dark edges', scanned(noisy(paper(245), 2)), True)
    for grey in (255, 235):
        check('paper of grey %d' % grey, paper(grey), True)
    for sigma in (2, 12):
        scan = noisy(paper(240), sigma)
        check('scanner noise of %d' % sigma, scan, True)
        for quality in (50, 85):
            check('scanner noise of %d, JPEG of quality %d' % (sigma, quality), scan, True, quality=quality)
    check('uneven light', lit(paper()), True)
    scan = noisy(lit(paper()), 3)
    check('uneven light and noise', scan, True)
    check('uneven light and noise, JPEG', scan, True, quality=60)
    scan = dusty(noisy(paper(245), 2))
    check('dust', scan, True)
    check('dust, JPEG', scan, True, quality=60)
    check('noise in three colours, JPEG', Image.merge('RGB', [noisy(paper(g), 4) for g in (245, 243, 230)]), True, quality=70)


def written_pages():
    gradient = Image.linear_gradient('L').resize(PAGE)
    check('photograph: a sky', gradient, False)
    check('photograph: a wall', gradient.point(lambda v: 90 + v // 3), False)
    check('photograph: a vignette', Image.radial_gradient('L').resize(PAGE), False)
    for blur in (40,):
        check('photograph, blurred by %d px' % blur, photo(blur), False)
        check('photograph, blurred by %d px, JPEG' % blur, photo(blur), False, quality=75)
    for percent, lines, sigma in ((3, 1, 1), (5, 20, 2)):
        name = '%d lines of text at %d %% contrast' % (lines, percent)
        check(name, text(paper(), percent, lines), False)
        check(name + ', JPEG', text(paper(), percent, lines), False, quality=75)
        check(name + ', noise', noisy(text(paper(), percent, lines), sigma), False)
    check('text at 5 % contrast, noise, JPEG', noisy(text(paper(), 5), 2), False, quality=75)
    check('receipt at 5 % contrast', text(paper(size=(400, 900)), 5, 16, 16), False)
    check('one short word', word(noisy(paper(), 2), (600, 800)), False)
    check('one small word', word(paper(), (600, 800), '12', 14), False)
    check('stamp in a corner', stamp(noisy(paper(), 2)), False)
    check('page number at the very edge', word(paper(), (430, 8), '- 17 -'), False)
    check('mark in the corner', word(paper(), (8, 6), 'II'), False)
    check('text on half a page of uneven light', text(noisy(lit(paper()), 2), 10, 8), False)
    check('strip of 200 x 6000 px', text(paper(size=(200, 6000)), 60, 3, 12), False)


with tempfile.TemporaryDirectory() as folder:
    blank_pages()
    written_pages()
sys.exit(failed > 0)
