"""Drawing printed pages and remembering where every character went.

A page is an ink canvas with cached glyph bitmaps pasted on it, which is faster than drawing text,
and a list of character centres that follows every geometric distortion.  The centres feed the
training-only losses (model.py); without them a tiny model does not learn to read in reasonable time.
"""
import glob
import io
import os
import random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

# Characters with a class of their own in the grid loss; class 0 is blank paper.
# New characters go to the end: classes are places in weights that exist.
CHARS = (''.join(chr(c) for c in range(33, 127)) + '€£' + 'äöüÄÖÜßàâáãåæçéèêëíìîïñóòôõøœúùûýÿÀÂÁÃÅÆÇÉÈÊËÍÌÎÏÑÓÒÔÕØŒÚÙÛÝ°§«»·–’¡¿¥')
CLASS = {c: i + 1 for i, c in enumerate(CHARS)}

_TRAIN = ['truetype/dejavu/*.ttf', 'truetype/liberation/*.ttf', 'truetype/freefont/*.ttf', 'truetype/hack/*.ttf',
          'truetype/inconsolata/*.otf', 'truetype/noto/NotoMono*.ttf', 'truetype/noto/NotoSansMono*.ttf',
          'truetype/roboto/unhinted/RobotoTTF/*.ttf', 'truetype/open-sans/*.ttf', 'truetype/lato/*.ttf',
          'opentype/courier-prime/*.otf']
_SKIP = ('Oblique', 'Italic', 'Symbol', 'Math', 'Thin', 'Hairline', 'Black', 'BI.', 'Light', 'Condensed', 'Narrow')
# Cuts of the same families that only training draws with, so that other families surprise less.
_MORE = ['truetype/dejavu/DejaVuS*Condensed*.ttf', 'truetype/dejavu/DejaVuSans-ExtraLight.ttf', 'truetype/liberation/LiberationSansNarrow-*.ttf',
         'truetype/roboto/unhinted/RobotoTTF/Roboto-Light.ttf', 'truetype/roboto/unhinted/RobotoCondensed-*.ttf',
         'truetype/lato/Lato-Light.ttf', 'truetype/open-sans/OpenSans-Light.ttf']
# Families that training never draws with.
_UNSEEN = ['opentype/cantarell/Cantarell-Regular.otf', 'truetype/crosextra/Carlito-Regular.ttf',
           'truetype/crosextra/Caladea-Regular.ttf', 'truetype/crosextra/Caladea-Bold.ttf',
           'truetype/firacode/FiraCode-Regular.ttf', 'truetype/jetbrains-mono/JetBrainsMono-Regular.ttf']


def _find(patterns, skip=_SKIP):
    found = {f for p in patterns for f in glob.glob(os.path.join(os.environ.get('TRAIN_FONTS', '/usr/share/fonts'), p))}
    return sorted(f for f in found if not any(s in f for s in skip))


FONTS, UNSEEN_FONTS = _find(_TRAIN), _find(_UNSEEN)
MORE_FONTS = _find(_MORE, ('Oblique', 'Italic', 'Condensed-Light'))
PACKAGES = ('fonts-dejavu-core fonts-dejavu-extra fonts-liberation fonts-freefont-ttf fonts-hack fonts-inconsolata '
            'fonts-noto-mono fonts-roboto-unhinted fonts-open-sans fonts-lato fonts-courier-prime fonts-cantarell '
            'fonts-crosextra-carlito fonts-crosextra-caladea fonts-firacode fonts-jetbrains-mono')


def family(path):
    return 'font ' + path.split('/')[-1].split('.')[0].split('-')[0].replace(' ', '')


# Pixels of a patch and of a visual token (2x2 patches).
PATCH = 12
TOKEN = 2 * PATCH

_fonts, _xratio = {}, {}


class Face:
    """A font file at one size, with its glyph bitmaps."""

    def __init__(self, path, size):
        self.path, self.size = path, size
        self.font = ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
        self.adv, self.bitmap, self.large = {}, {}, None

    def advance(self, c):
        a = self.adv.get(c)
        if a is None:
            a = self.adv[c] = self.font.getlength(c)
        return a

    def width(self, text):
        return sum(map(self.advance, text))

    def glyph(self, c):
        g = self.bitmap.get(c)
        if g is None:
            x0, y0, x1, y1 = self.font.getbbox(c, anchor='ls')
            if x1 <= x0 or y1 <= y0:
                g = (None, 0, 0)
            else:
                im = Image.new('L', (x1 - x0 + 2, y1 - y0 + 2), 0)
                ImageDraw.Draw(im).text((1 - x0, 1 - y0), c, font=self.font, fill=255, anchor='ls')
                g = (np.asarray(im), x0 - 1, y0 - 1)
            self.bitmap[c] = g
        return g

    def soft(self, c, px, py):
        """The glyph as it looks when a page four times as large is scaled down, px and py quarters of a pixel in."""
        g = self.bitmap.get((c, px, py))
        if g is None:
            self.large = self.large or ImageFont.truetype(self.path, 4 * self.size, layout_engine=ImageFont.Layout.BASIC)
            x0, y0, x1, y1 = self.large.getbbox(c, anchor='ls')
            g = (None, 0, 0)
            if x1 > x0 and y1 > y0:
                left, top = (x0 + px) // 4 - 1, (y0 + py) // 4 - 1
                im = Image.new('L', (4 * ((x1 + px) // 4 + 2 - left), 4 * ((y1 + py) // 4 + 2 - top)), 0)
                ImageDraw.Draw(im).text((px - 4 * left, py - 4 * top), c, font=self.large, fill=255, anchor='ls')
                g = (np.asarray(im.reduce(4)), left, top)
            self.bitmap[c, px, py] = g
        return g


def face(path, size):
    f = _fonts.get((path, size))
    if f is None:
        f = _fonts[(path, size)] = Face(path, size)
    return f


def face_for(path, xheight):
    """The face whose lower-case x is about `xheight` pixels high: legibility depends on that, not on
    the nominal size."""
    r = _xratio.get(path)
    if r is None:
        b = ImageFont.truetype(path, 200).getbbox('x', anchor='ls')
        r = _xratio[path] = -b[1] / 200
    return face(path, int(round(xheight / r)))


class Page:
    def __init__(self, width, height, ink=0, soft=False):
        self.w, self.h, self.ink, self.soft = width, height, ink, soft
        self.canvas = np.zeros((height, width), np.uint8)
        self.chars, self.xy, self.marks = [], [], []

    def text(self, x, y, text, f):
        """Draws on baseline y; returns the centre of each character."""
        out, cx, cy = [], x, y - f.size * 0.30
        for c in text:
            a = f.advance(c)
            p = (cx + a * 0.5, cy)
            out.append(p)
            if c != ' ':
                self.chars.append(c)
                self.xy.append(p)
                if self.soft:
                    (ix, px), (iy, py) = divmod(int(cx * 4 + 0.5), 4), divmod(int(y * 2), 2)
                    self._blit(ix, iy, f.soft(c, px, 2 * py))
                else:
                    self._blit(int(cx + 0.5), int(y), f.glyph(c))
            cx += a
        return out

    def _blit(self, x, y, g):
        bits, ox, oy = g
        if bits is None:
            return
        x, y = x + ox, y + oy
        h, w = bits.shape
        a0, b0, a1, b1 = max(0, -y), max(0, -x), min(h, self.h - y), min(w, self.w - x)
        if a1 > a0 and b1 > b0:
            v = self.canvas[y + a0:y + a1, x + b0:x + b1]
            np.maximum(v, bits[a0:a1, b0:b1], out=v)

    def rule(self, x0, x1, y, dash=0):
        if 0 <= y < self.h:
            row = self.canvas[int(y), max(0, int(x0)):int(x1)]
            if dash:
                row[(np.arange(row.size) // dash) % 2 == 0] = 255
            else:
                row[:] = 255


_noise = np.random.RandomState(7).standard_normal((1024, 1024)).astype(np.float32)


def fit(image, move):
    """Image and points stretched to whole visual tokens, as the engine does it."""
    h, w = image.shape
    to_h, to_w = (max(TOKEN, round(s / TOKEN) * TOKEN) for s in (h, w))
    if (to_h, to_w) == (h, w):
        return image, move
    scale = np.array([to_w / w, to_h / h], np.float32)
    return np.asarray(Image.fromarray(image).resize((to_w, to_h), Image.BICUBIC)), lambda points: move(points) * scale


def scan(r, page, hard=1.0):
    """The page as a scanner might see it: grey image u8, a function that moves points along, what was done."""
    ink = page.canvas.astype(np.uint16) * (255 - page.ink) >> 8
    im = Image.fromarray((255 - ink).astype(np.uint8))
    turn, marks = None, []
    if r.random() < 0.35 * hard:
        angle = r.uniform(-1.2, 1.2)
        marks.append('rotated')
        im = im.rotate(angle, resample=Image.BILINEAR, fillcolor=255)
        c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
        turn = np.array([[c, s], [-s, c]], np.float32)
    if r.random() < 0.3 * hard:
        marks.append('blurred')
        im = im.filter(ImageFilter.GaussianBlur(r.uniform(0.3, 0.8)))
    if r.random() < 0.2 * hard:
        marks.append('jpeg')
        mem = io.BytesIO()
        im.save(mem, 'JPEG', quality=r.randint(35, 85))
        im = Image.open(io.BytesIO(mem.getvalue()))
    a = np.asarray(im, np.float32)
    hi, lo = r.uniform(205, 255), r.uniform(0, 40)
    if r.random() < 0.25:
        hi, lo = 255., 0.
    a = a * ((hi - lo) / 255.) + lo
    if r.random() < 0.5 * hard:
        marks.append('noise')
        oy, ox = r.randrange(1024 - page.h + 1), r.randrange(1024 - page.w + 1)
        a = a + _noise[oy:oy + page.h, ox:ox + page.w] * r.uniform(2, 14)
    mid = np.array([page.w / 2, page.h / 2], np.float32)

    def move(points):
        p = np.asarray(points, np.float32).reshape(-1, 2)
        return p if turn is None else (p - mid) @ turn.T + mid
    return np.clip(a, 0, 255).astype(np.uint8), move, marks or ['clean']
