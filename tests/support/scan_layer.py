#!/usr/bin/env python3
"""scan_layer.py print OUT.pdf | scan PAGE.pgm OUT.pdf [OLD=NEW...] | head PAGE.pgm OUT.pdf [OLD=NEW...]: a page of print; a picture
of it (pdftoppm -gray -r 200) with a scanner's invisible words over it, in which OLD is NEW; print below a picture of its letterhead with such words."""
import sys
import zlib

from pdf_objects import pdf_of

ROWS = [('Northwind Paper Supplies', 18), ('Harbour Street 12, 20459 Hamburg', 11), ('Invoice number NW-20417', 12), ('Date 2024-05-06', 12),
        ('Copy paper A4 80 g 5 boxes 285.00', 12), ('Envelopes DL white 2 boxes 90.00', 12), ('Toner cartridge black 1 piece 110.00', 12),
        ('Total EUR 485.00', 14), ('IBAN DE02120300000000202051', 12), ('Please pay within 30 days. Thank you for your order.', 11)]


HEAD = 2    # rows of the letterhead, and its place
HEAD_AT = b'0 680 595 162 re W n'


def content(n_hidden, changes=()):
    ops, y = [], 780
    for i, (text, size) in enumerate(ROWS):
        y -= 3 * size
        for old, new in changes:
            text = text.replace(old, new)
        ops.append('BT %s /F %d Tf 60 %d Td (%s) Tj ET' % ('3 Tr' if i < n_hidden else '0 Tr', size, y, text))
    return '\n'.join(ops).encode('latin-1')


def stream(head, data):
    return b'<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream' % (head, len(zlib.compress(data)), zlib.compress(data))


def write(out, ops, picture=None):
    objects = [b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[3 0 R]/Count 1>>',
               b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>%s>>>>'
               % (b'/XObject<</I 6 0 R>>' if picture else b''),
               stream(b'', ops), b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>']
    if picture:
        objects.append(picture)
    with open(out, 'wb') as f:
        f.write(pdf_of(objects))


def picture_of(path):
    kind, size, most, pixels = open(path, 'rb').read().split(b'\n', 3)
    assert kind == b'P5' and most == b'255'
    w, h = size.split()
    return stream(b'/Type/XObject/Subtype/Image/Width %s/Height %s/BitsPerComponent 8/ColorSpace/DeviceGray' % (w, h), pixels)


if __name__ == '__main__':
    if sys.argv[1] == 'print':
        write(sys.argv[2], content(0))
    else:
        head = sys.argv[1] == 'head'
        words = content(HEAD if head else len(ROWS), [c.split('=') for c in sys.argv[4:]])
        write(sys.argv[3], b'q %s 595 0 0 842 0 0 cm /I Do Q\n' % (HEAD_AT if head else b'') + words, picture_of(sys.argv[2]))
