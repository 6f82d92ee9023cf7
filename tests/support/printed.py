#!/usr/bin/env python3
"""printed.py - printed pages whose every word and its box is known.

    printed.py draw invoice|letter|full|kannada OUT.png  and OUT.png.json, the truth: [[text, [x, y, w, h]], ...]
    printed.py wear IN.png OUT.png                    as a scanner gives it back: blurred, noisy, JPEG artefacts
    printed.py scan IN.png OUT.pdf LAYER              that picture with its words invisible on it, as a scanner's
                                                      program adds them; LAYER: true, shifted, garbled, stamp
    printed.py score IN.png WORDS.jsonl               "words 110 box 1.000 right 0.991": of the words drawn, those
                                                      that were read where they stand (IoU 0.5), and read rightly

python3-pil; boxes in 0..1 of the page from the top left.
"""
import io
import json
import os
import random
import sys
import zlib

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont, features

from pdf_objects import pdf_of

DPI = 150
WIDTH, HEIGHT = 1240, 1754
LATIN = ('dejavu/DejaVuSans', 'liberation/LiberationSans-Regular', 'liberation2/LiberationSans-Regular')
KANNADA = ('lohit-kannada/Lohit-Kannada', 'Navilu/Navilu', 'Gubbi/Gubbi')
WORDS = ('invoice payment total amount account balance statement customer delivery street order number reference '
         'bank transfer service monthly subscription consulting hours material equipment discount net gross').split()
KANNADA_WORDS = ('ಕರ್ನಾಟಕ ಸರ್ಕಾರ ರಾಜ್ಯ ಬೆಂಗಳೂರು ನಗರ ವಿದ್ಯುತ್ ಬಿಲ್ ಪಾವತಿ ದಿನಾಂಕ ಹೆಸರು ವಿಳಾಸ ಮೊತ್ತ ಒಟ್ಟು ರೂಪಾಯಿ ಗ್ರಾಹಕ '
                 'ಭಾರತ ಮನೆ ಶಾಲೆ ಪುಸ್ತಕ ನೀರು ಊಟ ಹಣ ಕನ್ನಡ ಭಾಷೆ ಸಾಹಿತ್ಯ ಕವಿ ಜನರು ದೇಶ ತಾಲೂಕು ಜಿಲ್ಲೆ ಗ್ರಾಮ ಕಚೇರಿ').split()


def font(names, points):
    for name in names:
        path = '/usr/share/fonts/truetype/%s.ttf' % name
        if os.path.exists(path):
            return ImageFont.truetype(path, round(points * DPI / 72))
    print('no font: ' + ', '.join(names))
    sys.exit(77)


class Paper:
    def __init__(self):
        self.image = Image.new('L', (WIDTH, HEIGHT), 255)
        self.draw = ImageDraw.Draw(self.image)
        self.words = []

    def put(self, x, y, text, with_font, right=False):
        """Words from (x, y), or up to x."""
        if right:
            x -= self.draw.textlength(text, font=with_font)
        for word in text.split(' '):
            self.draw.text((x, y), word, font=with_font, fill=0)
            x0, y0, x1, y1 = self.draw.textbbox((x, y), word, font=with_font)
            self.words.append([word, [x0 / WIDTH, y0 / HEIGHT, (x1 - x0) / WIDTH, (y1 - y0) / HEIGHT]])
            x += self.draw.textlength(word + ' ', font=with_font)

    def rule(self, y, grey):
        self.draw.line((120, y, WIDTH - 120, y), fill=grey)


def money(dice):
    return '%d,%03d.%02d' % (dice.randint(1, 9), dice.randint(0, 999), dice.randint(0, 99))


def draw_invoice(p, dice):
    """Single digits in columns, rules between rows: what layout analysis leaves out."""
    usual, large = font(LATIN, 9), font(LATIN, 16)
    p.put(120, 100, 'Miller Trading', large)
    p.put(840, 100, 'INVOICE', large)
    for i, (key, value) in enumerate((('Number', '2024-0117'), ('Date', '28/11/2024'), ('VAT', 'DE814584193'))):
        p.put(720, 220 + 32 * i, key, usual)
        p.put(900, 220 + 32 * i, value, usual)
    columns = (120, 560, 700, 860, 1120)
    for x, head in zip(columns, ('Description', 'Quantity', 'Rate', 'Price', 'Amount')):
        p.put(x, 400, head, usual, x == 1120)
    for row in range(16):
        y = 440 + 40 * row
        p.rule(y - 6, 0 if row == 0 else 150)
        p.put(columns[0], y, ' '.join(dice.sample(WORDS, 2)).title(), usual)
        p.put(columns[1] + 30, y, str(dice.randint(1, 9)), usual)
        p.put(columns[2], y, dice.choice('079'), usual)
        p.put(columns[3], y, money(dice), usual)
        p.put(columns[4], y, money(dice), usual, True)
    for row, key in enumerate(('Net', 'Tax', 'Total')):
        p.put(columns[3], 1140 + 40 * row, key, usual)
        p.put(columns[4], 1140 + 40 * row, money(dice), usual, True)


def draw_letter(p, dice, lines=14):
    usual = font(LATIN, 10)
    for line in range(lines):
        p.put(150, 160 + 38 * line, ' '.join(dice.choices(WORDS, k=9)).capitalize(), usual)


def draw_kannada(p, dice):
    if not features.check('raqm'):
        print('Pillow without raqm joins no letters')
        sys.exit(77)
    usual = font(KANNADA, 13)
    for line in range(12):
        p.put(120, 120 + 64 * line, ' '.join(dice.sample(KANNADA_WORDS, 5)), usual)


def draw(kind, out):
    p = Paper()
    kinds = {'invoice': draw_invoice, 'letter': draw_letter, 'kannada': draw_kannada,
             'full': lambda p, dice: draw_letter(p, dice, 38)}
    kinds[kind](p, random.Random(7))
    p.image.save(out, dpi=(DPI, DPI))
    with open(out + '.json', 'w') as f:
        json.dump(p.words, f)


def wear(source, out):
    im = Image.open(source).convert('L').filter(ImageFilter.GaussianBlur(0.7))
    random.seed(3)
    noise = Image.frombytes('L', im.size, random.randbytes(im.width * im.height)).point(lambda v: v // 10)
    im = ImageChops.subtract(im.point(lambda v: 20 + v * 225 // 255), noise)
    mem = io.BytesIO()
    im.save(mem, 'JPEG', quality=60)
    Image.open(mem).save(out, dpi=(DPI, DPI))
    os.link(source + '.json', out + '.json')


def layer_of(words, kind):
    """The words as the layer has them."""
    if kind == 'shifted':
        return [[text, [x + 0.02, y + 0.012, w, h]] for text, (x, y, w, h) in words]
    if kind == 'garbled':
        return [[''.join('~1|^'[i // 2 % 4] if i % 2 else c for i, c in enumerate(text)), box] for text, box in words]
    if kind == 'stamp':
        return words[-2:]
    return words


def scan(source, out, kind):
    im = Image.open(source).convert('L')
    with open(source + '.json') as f:
        words = json.load(f)
    width, height = im.width * 72 / DPI, im.height * 72 / DPI
    ops = ['q %g 0 0 %g 0 0 cm /I Do Q BT 3 Tr' % (width, height)]
    for text, (x, y, w, h) in layer_of(words, kind):
        size = h * height
        text = text.encode('cp1252', 'replace').decode('latin-1').replace('\\', '\\\\').replace('(', '\\(')
        # Courier is 0.6 wide: stretched to the box
        across = 100 * w * width / (0.6 * size * max(len(text), 1))
        ops.append('/F %.2f Tf %.2f Tz 1 0 0 1 %.2f %.2f Tm (%s) Tj'
                   % (size, across, x * width, height * (1 - y - h) + 0.15 * size, text.replace(')', '\\)')))
    content = ('\n'.join(ops) + ' ET').encode('latin-1')
    picture = zlib.compress(im.tobytes())
    objects = [b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[3 0 R]/Count 1>>',
               b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 %.2f %.2f]/Contents 4 0 R/Resources<</Font<</F 6 0 R>>'
               b'/XObject<</I 5 0 R>>>>>>' % (width, height),
               b'<</Length %d>>\nstream\n%s\nendstream' % (len(content), content),
               b'<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray'
               b'/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream' % (im.width, im.height, len(picture), picture),
               b'<</Type/Font/Subtype/Type1/BaseFont/Courier>>']
    with open(out, 'wb') as f:
        f.write(pdf_of(objects))


def overlap(a, b):
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0
    return w * h / (a[2] * a[3] + b[2] * b[3] - w * h)


def score(source, words):
    with open(source + '.json') as f:
        truth = json.load(f)
    with open(words) as f:
        got = json.loads(f.readline())['words']
    placed = right = 0
    for text, box in truth:
        best = max(got, key=lambda w: overlap(box, w['box']), default=None)
        if best and overlap(box, best['box']) >= 0.5:
            placed += 1
            right += best['text'] == text
    print('words %d box %.3f right %.3f read %d' % (len(truth), placed / len(truth), right / len(truth), len(got)))


if __name__ == '__main__':
    {'draw': draw, 'wear': wear, 'scan': scan, 'score': score}[sys.argv[1]](*sys.argv[2:])
