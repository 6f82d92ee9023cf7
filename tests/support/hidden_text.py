#!/usr/bin/env python3
"""hidden_text.py FOLDER - PDF pages on which one line is visible or hidden in every way that there is.

Writes FOLDER/shown.NAME.pdf, whose line "IBAN DE02120300000000202051" people can read, and FOLDER/hidden.NAME.pdf,
whose line they cannot. FOLDER/tcpdf.mark.pdf has hidden text that every file of TCPDF has."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pdf_objects import pdf_of

IBAN = 'DE02120300000000202051'
LINE = 'IBAN ' + IBAN
X, Y = 60, 600  # of the line


def text(how='', s=LINE, size=12, at=None, font='F'):
    return ' q BT %s /%s %g Tf %s Tm (%s) Tj ET Q ' % (how, font, size, at or '1 0 0 1 %d %d' % (X, Y), s)


def box(colour, low=-4, high=14, width=300, x=X - 5):
    return ' %s %g %g %g %g re f ' % (colour, x, Y + low, width, high - low)


def image(name):
    return ' q 300 0 0 20 %d %d cm /%s Do Q ' % (X - 5, Y - 5, name)


SHOWN = {
    'black': text(), 'grey': text('.5 g'), 'light-grey': text('.8 g'), 'red-on-green': box('0 .6 0 rg') + text('.9 0 0 rg'),
    'white-on-black': box('0 g') + text('1 g'), 'on-colour': box('1 1 0 rg') + text('0 0 .6 rg'),
    'on-picture': image('Dark') + text('1 g'), 'on-noise': image('Noise') + text(),
    'outlined': text('1 Tr .4 w'), 'outlined-large': text('1 Tr .5 w', size=22), 'filled-and-outlined': text('2 Tr .4 w'),
    'twice': text() + text(at='1 0 0 1 %g %d' % (X + .3, Y)), 'shadow': text('.7 g', at='1 0 0 1 %g %g' % (X + 1, Y - 1)) + text(),
    'clipping': 'q BT 7 Tr /F 12 Tf 1 0 0 1 %d %d Tm (%s) Tj ET %s Q' % (X, Y, LINE, box('0 g')),
    'picture-in-letters': 'q BT 7 Tr /F 12 Tf 1 0 0 1 %d %d Tm (%s) Tj ET %s Q' % (X, Y, LINE, image('Dark')),
    'small': text(size=4), 'half-transparent': '/Half gs' + text(), 'struck-out': text() + box('0 g', 3, 4),
    'underlined': text() + box('0 g', -2, -1), 'in-form': '/Form Do', 'upwards': text(at='0 1 -1 0 200 400'),
    'upside-down': text(at='-1 0 0 -1 400 600'), 'shading': text('/Pattern cs /P scn'), 'type3': text(font='T'),
    'under-watermark': text() + text('.88 g', 'COPY', 150, '.7 .7 -.7 .7 60 480'),
    'on-watermark': text('.88 g', 'COPY', 150, '.7 .7 -.7 .7 60 480') + text(),
    'under-stamp': text() + '/Half gs ' + text('.9 0 0 rg', 'PAID', 120, '.9 .2 -.2 .9 60 540'),
    'in-frame': box('.9 g') + text('0 g') + '0 G %d %d 300 20 re S ' % (X - 5, Y - 5),
    'stretched': text('300 Tz'), 'spaced': text('2 Tc'), 'close-lines': text() + text(s='Pay within 30 days', at='1 0 0 1 %d %d' % (X, Y - 10)),
    'condensed': text('60 Tz'),
    'kerned': text() + 'BT /F 12 Tf 60 400 Td [(Br) -105 (uttosumme) -200 (in) -105 (Euro)] TJ ET',
    # right-to-left words, letter by letter in the forms of their places, as Chromium prints them
    'arabic': text() + ''.join(text(s=s, at='1 0 0 1 %g 400' % x, font='A') for s, x in
                               (('d', 126), ('e', 119.3), ('c', 113.3), ('b', 106.7), ('a', 100), ('e', 90.3), ('c', 84.3))),
}
HIDDEN = {
    'white': text('1 g'), 'near-white': text('.96 g'), 'unpainted': text('3 Tr'), 'clipping-nothing': text('7 Tr'),
    'under-box': text() + box('1 g'), 'under-picture': text() + image('Noise'), 'under-white-picture': text() + image('Light'),
    'under-bar': text() + box('0 g'), 'black-on-black': box('0 g') + text(), 'clipped': 'q 0 0 9 9 re W n %s Q' % text(),
    'tiny': text(size=.5), 'one-and-a-half-points': text(size=1.5), 'transparent': '/Clear gs' + text(), 'white-form': '/FormWhite Do',
    'white-outline': text('1 Tr 1 G'), 'one-digit': text() + box('1 g', width=7, x=X + 110),
    'mostly-covered': text() + box('1 g', 2.2, 14), 'two-on-another': text() + box('1 g') + text(s='IBAN DE75512108001245126199'),
    'unpainted-on-print': text('3 Tr') + text(s='Our bank in Bremen has it', at='1 0 0 1 %d %d' % (X, Y - 2)),
    'white-on-print': text(s='Our bank in Bremen has it', at='1 0 0 1 %d %d' % (X, Y - 2)) + text('1 g', size=6),
    'layer-off': '/OC /Off BDC %s EMC' % text(), 'white-type3': text('1 g', font='T'), 'white-shading': text('/Pattern cs /W scn'),
    'unpainted-on-watermark': text('.8 g', 'COPY', 150, '.7 .7 -.7 .7 60 480') + text('3 Tr'),
    'same-colour': box('.5 g') + text('.5 g'), 'nearly-same-colour': box('0 .5 0 rg') + text('0 .52 0 rg'),
    'large-on-print': text('3 Tr', size=22) + text('3 Tr', size=40, at='1 0 0 1 60 560'), 'under-annotation': text(),
}
TCPDF = {'mark': text() + text('3 Tr', 'Powered by TCPDF \\(www.tcpdf.org\\)', 1, '1 0 0 1 20 20')}


def stream(entries, body):
    body = body if isinstance(body, bytes) else body.encode('latin-1')
    return b'<<%s/Length %d>>\nstream\n%s\nendstream' % (entries, len(body), body)


def cmap(first, last, to):
    return ('/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange\n'
            '1 beginbfrange <%s> <%s> %s endbfrange endcmap end end' % (first, last, to))


def page(content, name):
    print_ = [text(s=s, at='1 0 0 1 60 %d' % y) for y, s in
              ((780, 'Northwind Paper Supplies'), (740, 'Invoice NW-20417'), (720, 'Date 14.03.2026'), (680, 'Copy paper'),
               (660, 'Envelopes'), (640, 'Total 485.00'), (560, 'Payable within 14 days'), (540, 'Thank you'))]
    print_ += [text(s=s, at='1 0 0 1 400 %d' % y) for y, s in ((680, '400.00'), (660, '85.00'))]
    noise = bytes((i * 7919 >> 3) & 0x7f | 0x80 for i in range(400))
    glyphs = ''.join('/c%d %d 0 R' % (c, 20) for c in range(32, 91))
    resources = (b'<</Font<</F 3 0 R/A 16 0 R/T 19 0 R>>/XObject<</Dark 6 0 R/Noise 7 0 R/Light 8 0 R/Form 9 0 R/FormWhite 10 0 R>>'
                 b'/ExtGState<</Half<</ca .5>>/Clear<</ca 0>>>>/Pattern<</P 11 0 R/W 12 0 R>>/Properties<</Off 13 0 R>>>>')
    form = b'/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>'
    picture = b'/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8'
    shade = b'<</PatternType 2/Shading<</ShadingType 2/ColorSpace/DeviceRGB/Coords[60 0 360 0]/Extend[true true]/Function<</FunctionType 2/N 1/Domain[0 1]/C0[%s]/C1[%s]>>>>>>'
    annots = b'/Annots[14 0 R]' if name == 'under-annotation' else b''
    return pdf_of([
        b'<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[13 0 R]/D<</OFF[13 0 R]/Order[]>>>>>>',
        b'<</Type/Pages/Count 1/Kids[4 0 R]>>', b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
        b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources %s/Contents 5 0 R%s>>' % (resources, annots),
        stream(b'', '\n'.join(print_ + [content])),
        stream(picture % (1, 1), b'\x20'), stream(picture % (20, 20), noise), stream(picture % (1, 1), b'\xff'),
        stream(form, text()), stream(form, text('1 g')), shade % (b'.6 0 0', b'0 0 .6'), shade % (b'1 1 1', b'1 1 1'),
        b'<</Type/OCG/Name(off)>>',
        b'<</Type/Annot/Subtype/Square/F 4/Rect[%d %d %d %d]/AP<</N 15 0 R>>>>' % (X - 5, Y - 5, X + 295, Y + 15),
        stream(b'/Type/XObject/Subtype/Form/BBox[0 0 300 20]', '1 g 0 0 300 20 re f'),
        b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 17 0 R>>', stream(b'', cmap('61', '65', '[<fee2> <fef4> <fee0> <fe97> <feb4>]')),
        b'null',
        b'<</Type/Font/Subtype/Type3/FontBBox[0 -200 1000 800]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 32/LastChar 90/Widths[%s]'
        b'/CharProcs<<%s>>/Encoding<</Type/Encoding/Differences[32 %s]>>/ToUnicode 21 0 R/Resources<<>>>>' % (
            b' '.join([b'600'] * 59), glyphs.encode(), ''.join('/c%d' % c for c in range(32, 91)).encode()),
        stream(b'', '600 0 50 0 550 700 d1 50 0 100 700 re 450 0 100 700 re 50 300 500 100 re f'),
        stream(b'', cmap('20', '5a', '<0020>'))])


for kind, lines in (('shown', SHOWN), ('hidden', HIDDEN), ('tcpdf', TCPDF)):
    for name, content in lines.items():
        with open('%s/%s.%s.pdf' % (sys.argv[1], kind, name), 'wb') as file:
            file.write(page(content, name))
