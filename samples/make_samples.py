#!/usr/bin/env python3
"""Makes every file of samples/ anew, always the same bytes on the same machine.

  /usr/bin/python3 samples/make_samples.py        (python3-pil, fonts-liberation, qpdf,
                                                   libheif-examples, libopenjp2-tools, imagemagick)

A document is written down once, as lines of text on a page of so many "model pixels" (what a page measures
when the embedded model looks at it, letters x about 9 pixels high), and then drawn as a vector PDF, a scan
or a photograph, at that size or at several times that size.
"""
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from email import policy
from email.message import EmailMessage

from PIL import Image, ImageDraw, ImageFilter, ImageFont

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pdf_write import Pdf, file_of

HERE = os.path.dirname(os.path.abspath(__file__))
SANS, BOLD, MONO, SERIF = 'LiberationSans-Regular', 'LiberationSans-Bold', 'LiberationMono-Regular', 'LiberationSerif-Regular'
POINT = 0.72            # points to a model pixel: 100 dpi, a receipt 80 mm wide is 320 pixels


class Sheet:
    """Lines of text and rules on a page of width x height model pixels."""

    def __init__(self, width, height):
        self.w, self.h, self.texts, self.rules = width, height, [], []

    def text(self, x, y, text, font=SANS, size=17, align='left'):
        f = ImageFont.truetype(file_of(font), 200, layout_engine=ImageFont.Layout.BASIC)
        width = f.getlength(text) * size / 200
        x = {'left': x, 'right': x - width, 'centre': (self.w - width) / 2}[align]
        assert x >= 0 and x + width <= self.w, (text, x, width)
        self.texts.append((x, y, text, font, size))

    def rule(self, y, x0=10, x1=None):
        self.rules.append((x0, x1 or self.w - 10, y))

    def draw(self, k=1, ink=20, paper=255):
        """A grey picture, k pixels to a model pixel."""
        im = Image.new('L', (self.w * k, self.h * k), paper)
        d = ImageDraw.Draw(im)
        for x, y, text, font, size in self.texts:
            f = ImageFont.truetype(file_of(font), round(size * k), layout_engine=ImageFont.Layout.BASIC)
            for c in text:
                d.text((int(x * k + .5), int(y * k)), c, font=f, fill=ink, anchor='ls')
                x += f.getlength(c) / k
        for x0, x1, y in self.rules:
            d.line((x0 * k, y * k, x1 * k, y * k), fill=ink, width=k)
        return im

    def put(self, pdf, rotate=0):
        """A vector page; rotate turns it and /Rotate turns it back."""
        w, h = self.w * POINT, self.h * POINT
        page = pdf.page(w, h) if not rotate else pdf.page(h, w, rotate)
        if rotate == 90:                # the page lies on its left side and is to be turned clockwise
            page.ops.append(b'0 1 -1 0 %g 0 cm' % h)
        for x, y, text, font, size in self.texts:
            page.text(x * POINT, h - y * POINT, size * POINT, text, font)
        for x0, x1, y in self.rules:
            page.rule(x0 * POINT, x1 * POINT, h - y * POINT)


def receipt(w, h, merchant=None, date=None, items=(), total=None, currency=None, style='%(q)s %(n)s', sign=True,
            title=None, total_label='TOTAL', thanks=None, size=17, font=SANS, rule=True, iso=None):
    """A sheet and its record. items: (name, quantity or None, price); prices are text, as printed."""
    s, y, pitch = Sheet(w, h), 17, 24
    if title:
        s.text(0, y, title, font, size, 'centre')
        y += pitch
    if merchant:
        s.text(0, y, merchant, font, size + 2, 'centre')
        y += pitch
    if date:
        s.text(0, y, date, font, size, 'centre')
        y += pitch
    if rule and (merchant or date):
        s.rule(y - 16)
    for name, q, price in items:
        s.text(10, y, style % {'q': q, 'n': name} if q else name, font, size)
        s.text(w - 10, y, price, font, size, 'right')
        y += pitch
    if total:
        if rule:
            s.rule(y - 16)
        mark = {'EUR': '\u20ac', 'USD': '$', 'GBP': '\u00a3'}.get(currency) if sign else currency
        s.text(10, y, total_label, font, size)
        s.text(w - 10, y, (mark + total if sign else total + ' ' + mark) if mark else total, font, size, 'right')
        y += pitch
    if thanks:
        s.text(0, y, thanks, font, size, 'centre')
        y += pitch
    assert y - pitch < h - 2, (merchant, y, h)
    record = {'merchant': merchant, 'date': iso, 'items': [{'name': n, 'quantity': q, 'price': Number(p)} for n, q, p in items],
              'total': total and Number(total), 'currency': currency if total else None}
    return s, record


class Number(float):
    """A number that keeps the way it is printed."""

    def __new__(cls, text):
        self = float.__new__(cls, text)
        self.text = text
        return self

    def __repr__(self):
        return self.text


def dumps(value, indent=''):
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict) and value:
        inner = indent + '  '
        return '{\n' + ',\n'.join('%s%s: %s' % (inner, json.dumps(k), dumps(v, inner)) for k, v in value.items()) + '\n' + indent + '}'
    if isinstance(value, list) and value:
        inner = indent + '  '
        return '[\n' + ',\n'.join(inner + dumps(v, inner) for v in value) + '\n' + indent + ']'
    return json.dumps(value, ensure_ascii=False)


def noisy(im, seed, sigma=6, paper=238, blur=0.0):
    """As a scanner sees it."""
    r = random.Random(seed)
    if blur:
        im = im.filter(ImageFilter.GaussianBlur(blur))
    grain = Image.frombytes('L', im.size, bytes(max(0, min(255, int(128 + r.gauss(0, sigma)))) for _ in range(im.width * im.height)))
    flat = im.point(lambda v: int(v * paper / 255))
    return Image.frombytes('L', im.size, bytes(max(0, min(255, a + b - 128)) for a, b in zip(flat.tobytes(), grain.tobytes())))


def skewed(im, degrees):
    """Text runs down to the right by so many degrees."""
    return im.rotate(-degrees, resample=Image.BICUBIC, fillcolor=255)


def write(folder, name, data, expected=None, reason=None):
    path = os.path.join(HERE, folder)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name), 'wb') as f:
        f.write(data)
    if expected is not None:
        with open(os.path.join(HERE, 'expected', os.path.basename(folder), name + '.json'), 'w') as f:
            f.write(dumps(expected) + '\n')
    if reason:
        with open(os.path.join(HERE, 'expected', os.path.basename(folder), name + '.reason'), 'w') as f:
            f.write(reason + '\n')


def saved(im, kind, **how):
    mem = io.BytesIO()
    im.save(mem, kind, **how)
    return mem.getvalue()


def pdf_of(*sheets, rotate=0):
    pdf = Pdf()
    for s in sheets:
        s.put(pdf, rotate)
    return pdf.bytes()


def scan_pdf(*pictures):
    """A PDF of 200-dpi scans; each picture is twice the model's size."""
    pdf = Pdf()
    for im in pictures:
        w, h = im.width / 2 * POINT, im.height / 2 * POINT
        pdf.page(w, h).image(im, 0, 0, w, h, quality=85)
    return pdf.bytes()


def good():
    s, rec = receipt(312, 288, 'Bovela & Tarim CAFE', '2024-03-18', [('Coffee', 2, '7.80'), ('Carrot Cake', 1, '4.50'),
                     ('Orange Juice', 3, '9.60'), ('Bagel', 2, '5.00')], '26.90', 'EUR', thanks='Thank you!', iso='2024-03-18')
    write('good', 'cafe.pdf', pdf_of(s), rec)

    s, rec = receipt(312, 288, 'Kelvado MARKET', '07/11/2023', [('Milk', 1, '1.29'), ('Fresh Bread', 2, '5.98'), ('Butter', 1, '2.49'),
                     ('Organic Eggs', 1, '3.79'), ('Tomato', 4, '3.16')], '16.71', 'USD', style='%(q)sx %(n)s', iso='2023-11-07')
    write('good', 'market-scan.pdf', scan_pdf(noisy(skewed(s.draw(2), 1.4), 1)), rec)

    one, first = receipt(312, 288, 'Pirosol HARDWARE', '12 Jun 2022', [('Lamp', 2, '31.80'), ('Cable', 3, '12.45'), ('Battery', 4, '15.96')],
                         iso='2022-06-12')
    two, second = receipt(312, 288, None, None, [('Notebook', 5, '9.75'), ('Pencil', 6, '4.20')], '74.16', 'GBP', rule=False)
    both = dict(first, items=first['items'] + second['items'], total=second['total'], currency=second['currency'])
    write('good', 'two-pages.pdf', pdf_of(one, two), both)

    one, first = receipt(312, 288, 'Nuvaro BAKERY', '2021-09-28', [('Muffin', 3, '8.40'), ('Donut', 6, '10.20'), ('Cookie', 8, '9.60')],
                         iso='2021-09-28', font=SANS)
    two, second = receipt(312, 288, None, None, [('Iced Tea', 2, '5.80'), ('Hot Coffee', 1, '3.10')], '37.10', 'EUR', rule=False)
    both = dict(first, items=first['items'] + second['items'], total=second['total'], currency=second['currency'])
    fax = [p.draw(2).point(lambda v: 255 * (v > 150)).convert('1') for p in (one, two)]
    write('good', 'fax-two-pages.tiff', saved(fax[0], 'TIFF', compression='group4', save_all=True, append_images=fax[1:], dpi=(200, 200)), both)

    s, rec = receipt(312, 288, 'Tasimo DELI', '21.02.2024', [('Ham', 2, '6.40'), ('Salmon', 1, '12.90'), ('Potato Soup', 1, '5.25'),
                     ('Olives', 3, '8.70')], '33.25', 'EUR', total_label='Total', sign=False, iso='2024-02-21')
    photo = noisy(s.draw(2), 2, 5, 225, 0.6).convert('RGB')
    tint = Image.merge('RGB', [photo.getchannel(c).point(lambda v, k=k: int(v * k)) for c, k in zip('RGB', (1.0, 0.97, 0.9))])
    exif = Image.Exif()
    exif[0x0112] = 6
    write('good', 'photo-sideways.jpg', saved(tint.transpose(Image.Transpose.ROTATE_90), 'JPEG', quality=88, exif=exif), rec)

    s, rec = receipt(264, 192, 'Zobalu KIOSK', '2019-08-05', [('Water', 2, '3.00'), ('Chips', 1, '2.20')], '5.20', 'EUR', size=16, iso='2019-08-05')
    write('good', 'kiosk.png', saved(s.draw(), 'PNG'), rec)

    s, rec = receipt(288, 264, 'Lipatora BISTRO', '14 Oct 2020', [('Green Salad', 1, '8.90'), ('Pizza', 2, '21.00'), ('Red Wine', 2, '13.60'),
                     ('Cola', 1, '3.30')], '46.80', 'USD', total_label='AMOUNT DUE', sign=False, iso='2020-10-14')
    write('good', 'bistro.webp', saved(noisy(s.draw(), 3, 4), 'WEBP', quality=90), rec)

    s, rec = receipt(312, 288, 'Dakopi PHARMACY', '2025-01-09', [('Soap', 3, '5.97'), ('Shampoo', 1, '6.49'), ('Soft Towel', 2, '18.00'),
                     ('Paper', 4, '7.96')], '38.42', 'GBP', style='%(n)s x%(q)s', iso='2025-01-09')
    write('good', 'turned-page.pdf', pdf_of(s, rotate=90), rec)

    s, rec = receipt(312, 288, 'Wimeka FOODS', '03/05/2018', [('White Rice', 1, '2.10'), ('Pasta', 3, '4.47'), ('Olives', 1, '3.65'),
                     ('Honey', 1, '6.20')], '16.42', 'EUR', total_label='SUM', iso='2018-05-03')
    colour = Image.merge('RGB', [s.draw(2, 30, p) for p in (255, 252, 240)])
    write('good', 'colour-lzw.tif', saved(colour, 'TIFF', compression='tiff_lzw', dpi=(200, 200)), rec)

    s, rec = receipt(312, 264, 'Sorubi BOOKS', '2023-12-23', [('Notebook', 2, '9.90'), ('Pen', 5, '7.25'), ('Pencil', 3, '2.85')], '20.00', 'CHF',
                     sign=False, iso='2023-12-23')
    cmyk = Image.merge('CMYK', [Image.new('L', (312, 264))] * 3 + [s.draw().point(lambda v: 255 - v)])
    write('good', 'four-colours.jpg', saved(cmyk, 'JPEG', quality=92), rec)

    s, rec = receipt(264, 168, None, '2020-02-29', [('Hot Tea', 1, '2.75')], None, None, size=16, iso='2020-02-29')
    palette = s.draw().quantize(16)
    write('good', 'torn-off.png', saved(palette, 'PNG', optimize=True), rec)

    s, rec = receipt(312, 288, 'Felano GROCERY', '2022-04-17', [('Garlic', 2, '1.80'), ('Onion', 5, '2.95'), ('Sweet Corn', 2, '3.38'),
                     ('Basil', 1, '1.99'), ('Ginger', 1, '0.89')], '11.01', 'EUR', iso='2022-04-17')
    write('good', 'askew.png', saved(noisy(skewed(s.draw(2), -2.6), 4, 5), 'PNG'), rec)

    names = 'Carrot,Butter,Shampoo,Organic Eggs,Potato,Bread,Cola,White Rice,Yogurt,Salt,Orange,Pepper,Sugar,Coffee,Tomato,Beer,Apple,Onion,Cheese,Lemon,Water,Pasta'
    items = [(name, i * 7 % 5 + 1, '%d.%02d' % divmod((i * 7 % 5 + 1) * (113 + i * 37), 100)) for i, name in enumerate(names.split(','))]
    total = '%d.%02d' % divmod(sum(round(float(price) * 100) for _, _, price in items), 100)
    s, rec = receipt(312, 682, 'Kelvado MARKET', '2024-03-18', items, total, 'EUR', iso='2024-03-18', thanks='Thank you!')
    write('good', 'till-roll.png', saved(s.draw(2).quantize(8), 'PNG', optimize=True), rec)

    nothing = {'merchant': None, 'date': None, 'items': [], 'total': None, 'currency': None}
    write('good', 'blank.jpg', saved(noisy(Image.new('L', (624, 576), 255), 5, 4), 'JPEG', quality=80), nothing)


def by_tool(im, source, target, *command, **how):
    """What another program makes of a picture: of the file IN, which has the ending `source`."""
    with tempfile.TemporaryDirectory() as tmp:
        names = {'IN': tmp + '/in.' + source, 'OUT': tmp + '/out.' + target}
        im.save(names['IN'], **how)
        subprocess.run([names.get(word, word) for word in command], check=True, stdout=subprocess.DEVNULL)
        with open(names['OUT'], 'rb') as f:
            return f.read()


def pictures():
    """A receipt in each other kind of picture, by the program that people use for it."""
    s, rec = receipt(312, 264, 'Velano BAKERY', '2024-06-11', [('Fresh Bread', 2, '6.40'), ('Croissant', 3, '5.70'), ('Hot Coffee', 1, '2.90')],
                     '15.00', 'EUR', iso='2024-06-11')
    exif = Image.Exif()
    exif[0x0112] = 6
    photo = noisy(s.draw(2), 8, 5, 230, 0.6).convert('RGB').transpose(Image.Transpose.ROTATE_90)
    write('good', 'phone.heic', by_tool(photo, 'jpg', 'heic', 'heif-enc', '-q', '60', '-o', 'OUT', 'IN', quality=95, exif=exif), rec)

    s, rec = receipt(264, 240, 'Zobalu KIOSK', '2023-05-19', [('Cola', 2, '4.40'), ('Chips', 3, '6.60')], '11.00', 'EUR', size=16, iso='2023-05-19')
    write('good', 'download.avif', by_tool(noisy(s.draw(2), 9, 4).convert('RGB'), 'png', 'avif', 'heif-enc', '-A', '-q', '60', '-o', 'OUT', 'IN'), rec)

    s, rec = receipt(312, 264, 'Tasimo DELI', '2022-10-02', [('Ham', 1, '3.20'), ('Olives', 2, '5.80'), ('Red Wine', 1, '6.80')], '15.80', 'EUR',
                     iso='2022-10-02')
    write('good', 'archive.jp2', by_tool(noisy(s.draw(2), 10, 4), 'pgm', 'jp2', 'opj_compress', '-r', '20', '-i', 'IN', '-o', 'OUT'), rec)

    s, rec = receipt(264, 192, 'Felano GROCERY', '2021-11-23', [('Milk', 2, '2.58'), ('Butter', 1, '2.49')], '5.07', 'EUR', size=16, iso='2021-11-23')
    write('good', 'till.bmp', by_tool(s.draw().quantize(16), 'png', 'bmp', 'convert', 'IN', '-type', 'palette', '-compress', 'RLE', 'OUT'), rec)

    s, rec = receipt(264, 192, 'Nuvaro BAKERY', '2020-07-30', [('Muffin', 1, '2.80'), ('Cookie', 4, '4.80')], '7.60', 'EUR', size=16, iso='2020-07-30')
    write('good', 'web.gif', saved(s.draw().quantize(8), 'GIF', optimize=True), rec)

    s, rec = receipt(264, 192, 'Pirosol HARDWARE', '2019-02-14', [('Lamp', 1, '15.90'), ('Cable', 2, '8.30')], '24.20', 'EUR', size=16, iso='2019-02-14')
    write('good', 'scanner.pbm', saved(s.draw(2).point(lambda v: 255 * (v > 150)).convert('1'), 'PPM'), rec)


def qpdf(data, *arguments):
    """What qpdf makes of a PDF, the same bytes every time."""
    with tempfile.TemporaryDirectory() as tmp:
        with open(tmp + '/in.pdf', 'wb') as f:
            f.write(data)
        subprocess.run(['qpdf', '--static-id', *arguments, tmp + '/in.pdf', tmp + '/out.pdf'], check=True)
        with open(tmp + '/out.pdf', 'rb') as f:
            return f.read()


def encrypted(data, password):
    """With a password for opening; a weak cipher, because only that gives the same bytes every time."""
    return qpdf(data, '--allow-weak-crypto', '--encrypt', password, 'owner', '128', '--use-aes=n', '--')


def sample(name):
    """A good sample, and what is expected of it."""
    with open(os.path.join(HERE, 'good', name), 'rb') as f, open(os.path.join(HERE, 'expected', 'good', name + '.json')) as e:
        return f.read(), e.read()


def attached():
    """Documents that are in something else: a mail, a PDF, behind a password."""
    def expect(name, text):
        with open(os.path.join(HERE, 'expected', 'attached', name + '.json'), 'w') as f:
            f.write(text)

    (pdf, in_pdf), (png, in_png) = sample('turned-page.pdf'), sample('kiosk.png')
    m = EmailMessage()
    m['From'], m['To'], m['Subject'] = 'Hanna Orlo <hanna@example.org>', 'receipts@example.com', 'Two receipts'
    m['Date'], m['Message-ID'] = 'Tue, 14 May 2024 10:20:30 +0200', '<20240514.1@example.org>'
    m.set_content('Dear all,\n\ntwo receipts of this week are attached.\n\nHanna\n')
    m.add_attachment(pdf, maintype='application', subtype='pdf', filename='pharmacy.pdf')
    m.add_attachment(png, maintype='image', subtype='png', filename='kiosk.png')
    m.set_boundary('=====two-receipts=====')
    write('attached', 'receipts.eml', m.as_bytes(policy=policy.SMTP))
    expect('receipts-1.pdf', in_pdf)
    expect('receipts-2.png', in_png)
    date = 'D:20240514102030Z'
    data, text = sample('cafe.pdf')
    write('attached', 'with-receipt.pdf', qpdf(data, '--add-attachment', os.path.join(HERE, 'good', 'bistro.webp'), '--mimetype=image/webp',
                                               '--creationdate=' + date, '--moddate=' + date, '--'))
    expect('with-receipt-1.pdf', text)
    expect('with-receipt-2.webp', sample('bistro.webp')[1])
    data, text = sample('two-pages.pdf')
    write('attached', 'locked.pdf', encrypted(data, 'hardware 2022'))
    expect('locked.pdf', text)
    with open(os.path.join(HERE, 'passwords'), 'w') as f:
        f.write('another one\nhardware 2022\n')


def bad():
    s, _ = receipt(312, 288, 'Secret SHOP', '2024-01-01', [('Milk', 1, '1.00')], '1.00', 'EUR', font=MONO, size=15)
    write('bad', 'encrypted.pdf', encrypted(pdf_of(s), 'secret'), reason='encrypted')
    jpeg = saved(noisy(s.draw(2), 6), 'JPEG', quality=80)
    write('bad', 'cut-off.jpg', jpeg[:len(jpeg) * 2 // 5], reason='damaged')
    png = saved(s.draw(), 'PNG')
    write('bad', 'cut-off.png', png[:len(png) * 3 // 5], reason='damaged')
    write('bad', 'empty.pdf', b'', reason='empty')
    write('bad', 'letter.pdf', b'This is a text file that calls itself a PDF.\n', reason='unknown-type')
    write('bad', 'no-pages.pdf', Pdf().bytes(), reason='no-pages')
    head = bytearray(saved(Image.new('L', (1, 1)), 'PNG'))
    ihdr = b'IHDR' + (65535).to_bytes(4, 'big') * 2 + bytes(head[24:29])
    import zlib
    head[12:33] = ihdr + zlib.crc32(ihdr).to_bytes(4, 'big')
    write('bad', 'four-gigapixels.png', bytes(head), reason='too-large')


def lines_sheet(lines, width=640, pitch=24, size=17, font=SERIF, top=60):
    s, y = Sheet(width, int(top * 2 + pitch * len(lines))), top
    for x, line in lines:
        if line:
            s.text(x, y, line, font, size)
        y += pitch
    return s


def other():
    body = ['Hanna Orlo', 'Birch Lane 4', '20257 Hamburg', '', 'Dakopi Insurance', 'Claims', 'Harbour Street 88', '20459 Hamburg', '',
            '                                                  14 May 2024', '', 'Water damage in the kitchen, policy 88-20417-C', '',
            'Dear Sir or Madam,', '', 'on 11 May a hose of the dishwasher came off while nobody was', 'at home. The kitchen floor and the ceiling of the flat below',
            'are damaged. Pictures and the bill of the plumber over', '312.40 EUR are enclosed. Please tell me whether I may have the', 'floor replaced before your expert has seen it.', '',
            'Yours faithfully', 'Hanna Orlo']
    s = lines_sheet([(60, line.strip() if not line.startswith('    ') else line.rstrip()) for line in body])
    write('other/letter', 'claim.pdf', pdf_of(s), {
        'sender': 'Hanna Orlo', 'recipient': 'Dakopi Insurance, Claims', 'date': '2024-05-14', 'subject': 'Water damage in the kitchen, policy 88-20417-C',
        'reference': '88-20417-C', 'body_summary': None})
    write('other/page', 'claim.png', saved(s.draw(), 'PNG', optimize=True), {'lines': [line.strip() for line in body if line.strip()]})

    notice = ['DISTRICT COURT OF MARENBERG', '', 'Case No. 14 C 208/24', 'Date of hearing: 2 September 2024', 'Presiding: Judge Ivana Rell', '', 'Petitioner:', 'Tomas Verk', '', 'against', '',
              'Respondents:', '1. Olga Simm, daughter of Peter Simm,', '   aged 41, Mill Road 7, Marenberg', '2. Jan Simm, brother of the first respondent,', '   Station Street 12, Oberau']
    s = lines_sheet([(60, line) for line in notice])
    write('other/court-notice', 'hearing.pdf', scan_pdf(noisy(s.draw(2), 7, 4)), {
        'court': 'District Court of Marenberg', 'case_number': '14 C 208/24', 'date': '2024-09-02', 'presiding_officer': 'Judge Ivana Rell', 'petitioner': 'Tomas Verk',
        'respondents': [{'name': 'Olga Simm', 'relation': 'daughter of Peter Simm', 'address': 'Mill Road 7, Marenberg', 'age': 41},
                        {'name': 'Jan Simm', 'relation': 'brother of the first respondent', 'address': 'Station Street 12, Oberau', 'age': None}]})

    s, y = Sheet(640, 400), 50
    for line in ('Bank of Tolmin', 'Account TO12 0040 8812 7701   Mira Pell', 'Statement 2024-04-01 to 2024-04-30   EUR'):
        s.text(50, y, line, SANS, 17)
        y += 26
    rows = [('2024-04-01', 'Opening balance', '', '1204.50'), ('2024-04-03', 'Rent April', '-640.00', '564.50'), ('2024-04-15', 'Salary Wimeka Foods', '2150.00', '2714.50'),
            ('2024-04-22', 'Dakopi Insurance', '-38.90', '2675.60'), ('2024-04-30', 'Closing balance', '', '2675.60')]
    for date, text, amount, balance in rows:
        y += 26
        s.text(50, y, date)
        s.text(160, y, text)
        if amount:
            s.text(480, y, amount, align='right')
        s.text(590, y, balance, align='right')
    write('other/bank-statement', 'april.pdf', pdf_of(s), {
        'account': {'bank': 'Bank of Tolmin', 'holder': 'Mira Pell', 'number': 'TO12 0040 8812 7701'}, 'period': {'from': '2024-04-01', 'to': '2024-04-30'}, 'currency': 'EUR',
        'opening_balance': Number('1204.50'),
        'lines': [{'date': d, 'description': t, 'amount': Number(a), 'balance': Number(b)} for d, t, a, b in rows if a], 'closing_balance': Number('2675.60')})


LINES = [('Cordless drill K18', '2', '89.50', '179.00', '19'), ('Book: Timber framing', '3', '24.90', '74.70', '7')]
RATES = [('19', '179.00', '34.01'), ('7', '74.70', '5.23')]
UBL = '''<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="{0}Invoice-2" xmlns:cac="{0}CommonAggregateComponents-2" xmlns:cbc="{0}CommonBasicComponents-2">
  <cbc:CustomizationID>{1}</cbc:CustomizationID>
  <cbc:ID>KW-2024-0042</cbc:ID>
  <cbc:IssueDate>2024-05-06</cbc:IssueDate>
  <cbc:DueDate>2024-06-05</cbc:DueDate>
  <cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cbc:BuyerReference>04011000-12345-34</cbc:BuyerReference>
  <cac:AccountingSupplierParty>
    <cac:Party>
      <cac:PostalAddress>
        <cbc:StreetName>Harbour Street 12</cbc:StreetName>
        <cbc:CityName>Hamburg</cbc:CityName>
        <cbc:PostalZone>20459</cbc:PostalZone>
        <cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country>
      </cac:PostalAddress>
      <cac:PartyTaxScheme>
        <cbc:CompanyID>DE123456788</cbc:CompanyID>
        <cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>
      </cac:PartyTaxScheme>
      <cac:PartyLegalEntity><cbc:RegistrationName>Kelvado Tools GmbH</cbc:RegistrationName></cac:PartyLegalEntity>
    </cac:Party>
  </cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty>
    <cac:Party>
      <cac:PostalAddress>
        <cbc:StreetName>Mill Road 7</cbc:StreetName>
        <cbc:CityName>Marenberg</cbc:CityName>
        <cbc:PostalZone>54321</cbc:PostalZone>
        <cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country>
      </cac:PostalAddress>
      <cac:PartyLegalEntity><cbc:RegistrationName>Marenberg Town Works</cbc:RegistrationName></cac:PartyLegalEntity>
    </cac:Party>
  </cac:AccountingCustomerParty>
  <cac:PaymentMeans>
    <cbc:PaymentMeansCode>58</cbc:PaymentMeansCode>
    <cac:PayeeFinancialAccount><cbc:ID>DE02120300000000202051</cbc:ID></cac:PayeeFinancialAccount>
  </cac:PaymentMeans>
  <cac:TaxTotal>
    <cbc:TaxAmount currencyID="EUR">39.24</cbc:TaxAmount>{2}
  </cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    <cbc:LineExtensionAmount currencyID="EUR">253.70</cbc:LineExtensionAmount>
    <cbc:TaxExclusiveAmount currencyID="EUR">253.70</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="EUR">292.94</cbc:TaxInclusiveAmount>
    <cbc:PayableAmount currencyID="EUR">292.94</cbc:PayableAmount>
  </cac:LegalMonetaryTotal>{3}
</Invoice>
'''
UBL_RATE = '''
    <cac:TaxSubtotal>
      <cbc:TaxableAmount currencyID="EUR">{1}</cbc:TaxableAmount>
      <cbc:TaxAmount currencyID="EUR">{2}</cbc:TaxAmount>
      <cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>{0}</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory>
    </cac:TaxSubtotal>'''
UBL_LINE = '''
  <cac:InvoiceLine>
    <cbc:ID>{0}</cbc:ID>
    <cbc:InvoicedQuantity unitCode="C62">{2}</cbc:InvoicedQuantity>
    <cbc:LineExtensionAmount currencyID="EUR">{4}</cbc:LineExtensionAmount>
    <cac:Item>
      <cbc:Name>{1}</cbc:Name>
      <cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>{5}</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory>
    </cac:Item>
    <cac:Price><cbc:PriceAmount currencyID="EUR">{3}</cbc:PriceAmount></cac:Price>
  </cac:InvoiceLine>'''
CII = '''<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="{0}CrossIndustryInvoice:100" xmlns:ram="{0}ReusableAggregateBusinessInformationEntity:100" xmlns:udt="{0}UnqualifiedDataType:100">
  <rsm:ExchangedDocumentContext>
    <ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>{1}</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter>
  </rsm:ExchangedDocumentContext>
  <rsm:ExchangedDocument>
    <ram:ID>KW-2024-0042</ram:ID>
    <ram:TypeCode>380</ram:TypeCode>
    <ram:IssueDateTime><udt:DateTimeString format="102">20240506</udt:DateTimeString></ram:IssueDateTime>
  </rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>{3}
    <ram:ApplicableHeaderTradeAgreement>
      <ram:BuyerReference>04011000-12345-34</ram:BuyerReference>
      <ram:SellerTradeParty>
        <ram:Name>Kelvado Tools GmbH</ram:Name>
        <ram:PostalTradeAddress>
          <ram:PostcodeCode>20459</ram:PostcodeCode>
          <ram:LineOne>Harbour Street 12</ram:LineOne>
          <ram:CityName>Hamburg</ram:CityName>
          <ram:CountryID>DE</ram:CountryID>
        </ram:PostalTradeAddress>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456788</ram:ID></ram:SpecifiedTaxRegistration>
      </ram:SellerTradeParty>
      <ram:BuyerTradeParty>
        <ram:Name>Marenberg Town Works</ram:Name>
        <ram:PostalTradeAddress>
          <ram:PostcodeCode>54321</ram:PostcodeCode>
          <ram:LineOne>Mill Road 7</ram:LineOne>
          <ram:CityName>Marenberg</ram:CityName>
          <ram:CountryID>DE</ram:CountryID>
        </ram:PostalTradeAddress>
      </ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeDelivery/>
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
      <ram:SpecifiedTradeSettlementPaymentMeans>
        <ram:TypeCode>58</ram:TypeCode>
        <ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE02120300000000202051</ram:IBANID></ram:PayeePartyCreditorFinancialAccount>
      </ram:SpecifiedTradeSettlementPaymentMeans>{2}
      <ram:SpecifiedTradePaymentTerms>
        <ram:DueDateDateTime><udt:DateTimeString format="102">20240605</udt:DateTimeString></ram:DueDateDateTime>
      </ram:SpecifiedTradePaymentTerms>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:LineTotalAmount>253.70</ram:LineTotalAmount>
        <ram:TaxBasisTotalAmount>253.70</ram:TaxBasisTotalAmount>
        <ram:TaxTotalAmount currencyID="EUR">39.24</ram:TaxTotalAmount>
        <ram:GrandTotalAmount>292.94</ram:GrandTotalAmount>
        <ram:DuePayableAmount>292.94</ram:DuePayableAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
'''
CII_RATE = '''
      <ram:ApplicableTradeTax>
        <ram:CalculatedAmount>{2}</ram:CalculatedAmount>
        <ram:TypeCode>VAT</ram:TypeCode>
        <ram:BasisAmount>{1}</ram:BasisAmount>
        <ram:CategoryCode>S</ram:CategoryCode>
        <ram:RateApplicablePercent>{0}</ram:RateApplicablePercent>
      </ram:ApplicableTradeTax>'''
CII_LINE = '''
    <ram:IncludedSupplyChainTradeLineItem>
      <ram:AssociatedDocumentLineDocument><ram:LineID>{0}</ram:LineID></ram:AssociatedDocumentLineDocument>
      <ram:SpecifiedTradeProduct><ram:Name>{1}</ram:Name></ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement>
        <ram:NetPriceProductTradePrice><ram:ChargeAmount>{3}</ram:ChargeAmount></ram:NetPriceProductTradePrice>
      </ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">{2}</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement>
        <ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode><ram:RateApplicablePercent>{5}</ram:RateApplicablePercent></ram:ApplicableTradeTax>
        <ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>{4}</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>
      </ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>'''


def invoices():
    """One e-invoice in both syntaxes of EN 16931."""
    profile = 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0'
    expected = {
        'invoice_number': 'KW-2024-0042', 'date': '2024-05-06', 'due_date': '2024-06-05',
        'seller': {'name': 'Kelvado Tools GmbH', 'address': 'Harbour Street 12, 20459 Hamburg, DE', 'tax_id': 'DE123456788'},
        'buyer': {'name': 'Marenberg Town Works', 'address': 'Mill Road 7, 54321 Marenberg, DE', 'tax_id': None},
        'items': [{'description': n, 'quantity': Number(q), 'unit_price': Number(p), 'amount': Number(a)} for n, q, p, a, _ in LINES],
        'subtotal': Number('253.70'), 'tax': Number('39.24'), 'total': Number('292.94'), 'currency': 'EUR', 'iban': 'DE02120300000000202051'}
    for name, text, rate, line, space in (
            ('xrechnung-ubl.xml', UBL, UBL_RATE, UBL_LINE, 'urn:oasis:names:specification:ubl:schema:xsd:'),
            ('xrechnung-cii.xml', CII, CII_RATE, CII_LINE, 'urn:un:unece:uncefact:data:standard:')):
        rates = ''.join(rate.format(*r) for r in RATES)
        lines = ''.join(line.format(i + 1, *item) for i, item in enumerate(LINES))
        write('invoice', name, text.format(space, profile, rates, lines).encode(), expected)


if __name__ == '__main__':
    for folder in ('good', 'bad', 'attached', 'other', 'invoice', 'expected'):
        shutil.rmtree(os.path.join(HERE, folder), ignore_errors=True)
    for kind in ('good', 'bad', 'attached', 'letter', 'page', 'court-notice', 'bank-statement', 'invoice'):
        os.makedirs(os.path.join(HERE, 'expected', kind))
    good()
    pictures()
    bad()
    attached()
    other()
    invoices()
