#!/usr/bin/env python3
"""draw_bill.py FOLDER - one invoice that no model was taught, as FOLDER/bill.pdf (text layer), FOLDER/scan.png (without),
FOLDER/sparse.pdf, which says hardly any of what an invoice says, FOLDER/three.pdf: goods without a heading, sums and prose
on a page each, and FOLDER/mixed.pdf, in which nothing tells whose lines those between two goods are."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pdf_objects import pdf_of

BILL = [  # left, top, size in points, text
    (60, 52, 18, 'Harbour Tools Ltd'), (60, 72, 10, '12 Quay Street, Bristol BS1 4RN'),
    (60, 122, 10, 'Bill to'), (60, 137, 10, 'Mill Lane Bakery Ltd'), (60, 152, 10, '4 Mill Lane'), (60, 167, 10, 'Bath BA1 2QR'),
    (340, 122, 10, 'Invoice number'), (450, 122, 10, 'HT-20417'), (340, 137, 10, 'Invoice date'), (450, 137, 10, '2024-03-18'),
    (340, 152, 10, 'Due date'), (450, 152, 10, '2024-04-17'), (340, 167, 10, 'Currency'), (450, 167, 10, 'GBP'),
    (60, 222, 10, 'Description'), (330, 222, 10, 'Quantity'), (400, 222, 10, 'Unit price'), (500, 222, 10, 'Amount'),
    (60, 242, 10, 'Steel chisel'), (330, 242, 10, '4'), (400, 242, 10, '12.50'), (500, 242, 10, '50.00'),
    (60, 258, 10, 'Mallet'), (330, 258, 10, '2'), (400, 258, 10, '18.00'), (500, 258, 10, '36.00'),
    (60, 274, 10, 'Whetstone'), (330, 274, 10, '1'), (400, 274, 10, '14.00'), (500, 274, 10, '14.00'),
    (400, 302, 10, 'Subtotal'), (500, 302, 10, '100.00'), (400, 318, 10, 'VAT 20%'), (500, 318, 10, '20.00'),
    (400, 334, 10, 'Total'), (500, 334, 10, '120.00'), (60, 382, 10, 'IBAN'), (110, 382, 10, 'DE02 1203 0000 0000 2020 51'),
]
SPARSE = [(60, 100, 10, 'Thank you for your order.'), (60, 130, 10, 'Invoice number'), (160, 130, 10, 'HT-20417'),
          (60, 160, 10, 'The parcel is on its way to you.')]
GOODS = [(x, 100 + 16 * y, 10, text) for y in range(6) for x, text in ((60, 'Alpha%d' % y), (200, '%d.50' % (11 + 7 * y)), (330, '%d.25' % (31 + 5 * y)))]
THREE = [GOODS, BILL[30:36], SPARSE[-1:]]
LINES = ['No|Description|Price|Quantity|Amount', '2|Stuhl Monteur Gamma|5.00|2|10.00', '|Halterung Alpha||21', '|Stuhl|48.00|1|48.00', 'Gross: 48.00', '|Lampe Alpha',
         '4|Gamma Stuhl|27.00|2|54.00', '5|Beta Lampe Lampe|16.00|3|48.00', '|Halterung Halterung|20.00|5|100.00']
MIXED = [[(x, 100 + 12 * i, 10, text) for i, line in enumerate(LINES) for x, text in zip((60, 130, 300, 380, 460), line.split('|')) if text], SPARSE[-1:]]


def pdf(*pages):
    body = [''.join('BT /F %g Tf %g %g Td (%s) Tj ET ' % (size, x, 842 - y, text) for x, y, size, text in lines).encode() for lines in pages]
    first = 4
    return pdf_of([b'<</Type/Catalog/Pages 2 0 R>>',
                   b'<</Type/Pages/Kids[%s]/Count %d>>' % (b' '.join(b'%d 0 R' % (first + 2 * i) for i in range(len(pages))), len(pages)),
                   b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'] + [part for i, text in enumerate(body) for part in (
                       b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>' % (first + 2 * i + 1),
                       b'<</Length %d>>stream\n%s\nendstream' % (len(text), text))])


def scan(lines):
    from PIL import Image, ImageDraw, ImageFont
    page = Image.new('L', (1190, 1684), 255)
    for x, y, size, text in lines:
        font = ImageFont.truetype('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', round(2.2 * size))
        ImageDraw.Draw(page).text((2 * x, 2 * y), text, 0, font, anchor='ls')
    return page


for name, pages in (('bill', [BILL]), ('sparse', [SPARSE]), ('three', THREE), ('mixed', MIXED)):
    with open(os.path.join(sys.argv[1], name + '.pdf'), 'wb') as out:
        out.write(pdf(*pages))
try:
    scan(BILL).save(os.path.join(sys.argv[1], 'scan.png'), dpi=(144, 144))
except (ImportError, OSError) as e:
    print('no scan.png: %s' % e, file=sys.stderr)
