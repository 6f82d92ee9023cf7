"""PDF and TIFF pages of which a library would leave something out: drawn whole, or failed by name; harmless faults are notes.

  raster_losses.py PLATEN-RASTER

prints "ok - name" or "not ok - name: why".
"""
import base64
import io
import os
import re
import struct
import sys
import tempfile
import zlib

from PIL import Image, ImageDraw, features

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pdf_objects import pdf_of
import raster_frames
import tiff_strips

program = sys.argv[1]
failed = 0
FONT = b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
HEADER = b' BT /F 12 Tf 10 180 Td (HEADER) Tj ET'


def pdf(content, *objects, box=(200, 200), more=b'', n_page=1):
    """One page, and empty ones behind it; objects are 6 0 R and on: I, J, K as pictures, 5 0 R is the font F."""
    first, behind = 6 + len(objects), n_page - 1
    kids = b' '.join(b'%d 0 R' % i for i in (3, *range(first, first + behind)))
    names = b''.join(b'/%s %d 0 R' % (b'IJK'[i:i + 1], 6 + i) for i in range(len(objects)))
    body = [b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[%s]/Count %d>>' % (kids, n_page),
            b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents 4 0 R/Resources<</XObject<<%s>>/Font<</F 5 0 R>>>>%s>>' % (*box, names, more),
            stream(b'', content), FONT, *objects]
    return pdf_of(body + [b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>'] * behind)


def pdf_with(resources, content, *objects, fonts=b''):
    """One page with resources of its own beside the pictures I, J, K and the font F."""
    names = b''.join(b'/%s %d 0 R' % (b'IJK'[i:i + 1], 6 + i) for i in range(min(3, len(objects))))
    return pdf_of([b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[3 0 R]/Count 1>>',
                   b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<<%s>>/Font<</F 5 0 R%s>>%s>>>>' % (names, fonts, resources),
                   stream(b'', content), FONT, *objects])


def stream(head, data):
    return b'<<%s/Length %d>>stream\n%s\nendstream' % (head, len(data), data)


def picture(im, head=b'', data=None, how=b'/Filter/FlateDecode'):
    bits = 1 if im.mode == '1' else 8
    data = zlib.compress(im.tobytes(), 1) if data is None else data
    colour = b'' if b'ImageMask' in head else b'/ColorSpace/Device' + (b'RGB' if im.mode == 'RGB' else b'Gray')
    return stream(b'/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent %d%s%s%s' % (*im.size, bits, colour, head, how), data)


def bars(mode, width, height):
    """Black bars at the beginning, the middle and the end of the longer side."""
    im = Image.new(mode, (width, height), 'white')
    d, n = ImageDraw.Draw(im), max(width, height)
    for at in (0, n // 2 - n // 20, n - n // 10):
        d.rectangle((0, at, width, at + n // 10) if height >= width else (at, 0, at + n // 10, height), fill='black')
    return im


def draw(data, *options, kind='pdf'):
    path = os.path.join(folder, 'file')
    with open(path, 'wb') as f:
        f.write(data)
    return raster_frames.run(program, path, kind, '--memory', str(2 << 30), '--cpu', '30', *options)


def verdict(name, why):
    global failed
    failed += bool(why)
    print('not ok - %s: %s' % (name, why) if why else 'ok - ' + name)


def whole(name, data, tall=True, refused=None):
    """All three bars are there, and what lies between them is white; or it is refused with this word."""
    r = draw(data)
    if refused and r.reason == 'page-failed' and refused in r.text:
        return verdict(name, '')
    if not r.ended:
        return verdict(name, '%s %s' % (r.reason, r.text))
    _, w, h, c, _, pixels = r.pages[0]
    im = Image.frombytes('L' if c == 1 else 'RGB', (w, h), pixels).convert('L')
    got = [im.getpixel((w // 2, int(h * f)) if tall else (int(w * f), h // 2)) for f in (.03, .3, .5, .7, .97)]
    verdict(name, '' if all(abs(a - b) < 40 for a, b in zip(got, (0, 255, 0, 255, 0))) else 'greys %s' % got)


def fails(name, data, *words, options=()):
    r = draw(data, *options)
    good = r.reason == 'page-failed' and all(word in r.text for word in words)
    verdict(name, '' if good else '%s %s %s' % ('drawn' if r.ended else r.reason, r.text, r.notes))
    r = draw(data, '--lenient', *options)       # who asks for it gets what there is, with a warning
    verdict(name + ', lenient', '' if r.ended and r.notes else '%s %s %s' % (r.reason, r.text, r.notes))


def warns(name, data, *words):
    """Drawn, with a note that says so."""
    r = draw(data)
    verdict(name, '' if r.ended and all(any(word in note for note in r.notes) for word in words) else '%s %s %s' % (r.reason, r.text, r.notes))


def passes(name, data, notes=True):
    r = draw(data)
    verdict(name, '' if r.ended and bool(r.notes) == notes else '%s %s %s' % (r.reason, r.text, r.notes))


def tall_pictures():
    full, turned = b'q 200 0 0 200 0 0 cm /I Do Q', b'q 0 200 200 0 0 0 cm /I Do Q'
    for height in (30000, 30001, 32766, 32767, 32768, 70000):
        whole('picture of 40 x %d px' % height, pdf(full, picture(bars('L', 40, height))))
    whole('picture of 33000 x 40 px', pdf(full, picture(bars('L', 33000, 40))), tall=False)
    whole('colour picture of 40 x 33000 px', pdf(full, picture(bars('RGB', 40, 33000))))
    whole('bilevel picture of 400 x 33000 px', pdf(full, picture(bars('1', 400, 33000))))
    whole('stencil of 400 x 33000 px', pdf(full, picture(bars('1', 400, 33000), b'/ImageMask true')))
    whole('stencil of 400 x 33000 px on its side', pdf(turned, picture(bars('1', 400, 33000), b'/ImageMask true')), tall=False)
    black, inverse = Image.new('L', (8, 8), 0), bars('L', 40, 33000).point(lambda v: 255 - v)
    whole('picture behind a soft mask of 40 x 33000 px', pdf(full, picture(black, b'/SMask 7 0 R'), picture(inverse)),
          refused='Reducing maskImage height')     # poppler 25 cuts such a mask, and says so
    whole('tall picture in a form', pdf(b'/J Do', picture(bars('L', 40, 33000)), stream(
        b'/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</XObject<</I 6 0 R>>>>', full)))
    over = ('--max-decoded-pixels', '1000000')
    fails('picture above max_decoded_pixels and 32,767 px', pdf(full + HEADER, picture(bars('L', 40, 33000))), '40 x 33000 px', options=over)


def damaged_pictures():
    im = Image.effect_noise((300, 200), 60)
    place = b'q 150 0 0 100 10 10 cm /I Do Q' + HEADER

    def coded(fmt, **how):
        mem = io.BytesIO()
        im.save(mem, fmt, **how)
        return mem.getvalue()
    kinds = {'JPEG': (coded('JPEG'), b'DCT'), 'progressive JPEG': (coded('JPEG', progressive=True), b'DCT'),
             'Flate': (zlib.compress(im.tobytes()), b'Flate')}
    if features.check('jpg_2000'):
        kinds['JPEG 2000'] = (coded('JPEG2000'), b'JPX')
    for name, (data, code) in kinds.items():
        how = b'/Filter/%sDecode' % code
        passes('%s picture' % name, pdf(place, picture(im, data=data, how=how)), notes=False)
        fails('%s picture cut in half' % name, pdf(place, picture(im, data=data[:len(data) // 2], how=how)))
    fails('JPEG picture of nothing', pdf(place, picture(im, data=b'no JPEG', how=b'/Filter/DCTDecode')))
    fails('CCITT picture of garbage', pdf(place, picture(im.convert('1'), data=b'\0\1\2\3' * 50, how=b'/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 300/Rows 200>>')))
    fails('JBIG2 picture of garbage', pdf(place, picture(im.convert('1'), data=bytes(range(64)), how=b'/Filter/JBIG2Decode')))


def hex85(data):
    return base64.a85encode(data) + b'~>'


def run_length(data):
    return b''.join(bytes([len(part) - 1]) + part for part in (data[i:i + 100] for i in range(0, len(data), 100))) + b'\x80'


def lzw(data, early=1):
    """As a writer does that clears its table before it is full; the reader knows one entry less than the writer."""
    out, held, n, width, size, table, word = bytearray(), 0, 0, 9, 258, {bytes([i]): i for i in range(256)}, b''

    def put(code):
        nonlocal held, n
        held, n = held << width | code, n + width
        while n >= 8:
            out.append(held >> n - 8 & 255)
            n -= 8
        held &= (1 << n) - 1
    put(256)
    for i in data:
        byte = bytes([i])
        if word + byte in table:
            word += byte
            continue
        put(table[word])
        table[word + byte], size, word = size, size + 1, byte
        width = 9 + sum(size - 1 + early >= 1 << bits for bits in (9, 10, 11))
        if size == 4000:
            put(256)
            table, size, width = {bytes([k]): k for k in range(256)}, 258, 9
    if word:
        put(table[word])
        width = 9 + sum(size + early >= 1 << bits for bits in (9, 10, 11))
    put(257)
    return bytes(out) + (bytes([held << 8 - n & 255]) if n else b'')


def png_rows(data, row):
    return b''.join(b'\0' + data[i:i + row] for i in range(0, len(data), row))


def short_pictures():
    """A stream that ends properly and holds fewer rows than it promises: poppler fills it up in silence."""
    im = Image.effect_noise((300, 200), 60)
    rgb = Image.merge('RGB', [im] * 3)
    place = b'q 150 0 0 100 10 10 cm /I Do Q' + HEADER
    coders = {'raw': (bytes, b''), 'Flate': (zlib.compress, b'/Filter/FlateDecode'), 'LZW': (lzw, b'/Filter/LZWDecode'),
              'LZW with late changes': (lambda d: lzw(d, 0), b'/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>'),
              'run lengths': (run_length, b'/Filter/RunLengthDecode'), 'ASCII 85': (hex85, b'/Filter/ASCII85Decode'),
              'hexadecimal digits': (lambda d: d.hex().encode() + b'>', b'/Filter/ASCIIHexDecode'),
              'Flate in ASCII 85': (lambda d: hex85(zlib.compress(d)), b'/Filter[/ASCII85Decode/FlateDecode]'),
              'Flate with a predictor': (lambda d: zlib.compress(png_rows(d, 300)), b'/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 300>>')}
    for name, (code, how) in coders.items():
        data = im.tobytes()
        passes('picture in %s' % name, pdf(place, picture(im, data=code(data), how=how)), notes=False)
        for share in (.999, .5, 0):
            warns('picture in %s, %g of it' % (name, share), pdf(place, picture(im, data=code(data[:int(len(data) * share)]), how=how)), 'image')
    for bits in (1, 2, 4):
        row = (300 * bits + 7) // 8
        head = b'/Type/XObject/Subtype/Image/Width 300/Height 200/ColorSpace/DeviceGray/BitsPerComponent %d/Filter/FlateDecode' % bits
        passes('picture of %d bits' % bits, pdf(place, stream(head, zlib.compress(b'\x5a' * 200 * row))), notes=False)
        warns('picture of %d bits without its last row' % bits, pdf(place, stream(head, zlib.compress(b'\x5a' * 199 * row))), 'image')
    short = zlib.compress(im.tobytes()[:30000])
    indexed = b'/Type/XObject/Subtype/Image/Width 300/Height 200/ColorSpace[/Indexed/DeviceRGB 255 7 0 R]/BitsPerComponent 8/Filter/FlateDecode'
    passes('indexed picture', pdf(place, stream(indexed, zlib.compress(im.tobytes())), stream(b'', bytes(768))), notes=False)
    warns('indexed picture cut', pdf(place, stream(indexed, short), stream(b'', bytes(768))), 'image')
    warns('colour picture cut', pdf(place, picture(rgb, data=short)), 'image')
    warns('soft mask cut', pdf(place, picture(rgb, b'/SMask 7 0 R'), picture(im, data=short)), 'image')
    warns('mask cut', pdf(place, picture(rgb, b'/Mask 7 0 R'), picture(im.convert('1'), b'/ImageMask true', data=zlib.compress(b'\xaa' * 99))), 'image')
    form = b'/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</XObject<</I 6 0 R>>>>'
    warns('picture cut in a form', pdf(b'/J Do', picture(im, data=short), stream(form, place[:-len(HEADER)])), 'image')
    tile = stream(b'/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 99 99]/XStep 99/YStep 99/Resources<</XObject<</I 6 0 R>>>>', b'q 99 0 0 99 0 0 cm /I Do Q')
    warns('picture cut in a pattern', pdf_with(b'/Pattern<</P 7 0 R>>', b'/Pattern cs /P scn 0 0 99 99 re f' + HEADER, picture(im, data=short), tile), 'image')
    passes('a picture that is not shown may be cut', pdf(HEADER, picture(im, data=short)), notes=False)


def jpegs_without_scans():
    rgb = Image.merge('RGB', [Image.effect_noise((300, 200), 60)] * 3)
    out = io.BytesIO()
    rgb.save(out, 'JPEG', progressive=True)
    data = out.getvalue()
    # a scan begins behind the tables that come with it
    scans = [i for i in range(len(data) - 1) if data[i:i + 2] == b'\xff\xda']
    for n in (1, len(scans) - 1):
        tables = data.find(b'\xff\xc4', scans[n - 1], scans[n])
        end = tables if tables > 0 else scans[n]
        cut = data[:end] + b'\xff\xd9'
        name = 'progressive JPEG with %d of %d scans' % (n, len(scans))
        fails(name, pdf(b'q 150 0 0 100 10 10 cm /I Do Q' + HEADER, picture(rgb, data=cut, how=b'/Filter/DCTDecode')), 'JPEG')
        r = draw(cut, kind='jpeg')
        verdict(name + ', a file', '' if r.reason == 'damaged' and 'scans' in r.text else '%s %s %s' % (r.reason, r.text, r.notes))


def fax_pictures():
    def code(im, scheme):
        fax = tiff_strips.write(im, scheme)
        return bytes(fax[fax.get(tiff_strips.OFFSETS)[0]:][:fax.get(tiff_strips.COUNTS)[0]])
    grain = Image.effect_noise((54, 222), 90).convert('1')   # which takes more bytes coded than plain
    r = draw(pdf(b'q 150 0 0 100 10 10 cm /I Do Q' + HEADER, picture(grain, data=code(grain, 'group3'), how=b'/Filter/CCITTFaxDecode/DecodeParms<</EndOfLine true/Columns 54/Rows 222>>')))
    verdict('group3 picture of noise', '' if r.ended and not r.notes else '%s %s %s' % (r.reason, r.text, r.notes))
    im = lines('1', 601, 200)
    for scheme, how in (('group4', b'/K -1'), ('group3', b'/K 0/EndOfLine true')):
        whole, few = code(im, scheme), code(im.crop((0, 0, 601, 90)), scheme)
        for name, data in (('whole', whole), ('cut', whole[:len(whole) // 2]), ('that ends with its first rows', few), ('of nothing', b'')):
            filters = b'/Filter/CCITTFaxDecode/DecodeParms<<%s/Columns 601/Rows 200>>' % how
            r = draw(pdf(b'q 150 0 0 100 10 10 cm /I Do Q' + HEADER, picture(im, data=data, how=filters)))
            verdict('%s picture %s' % (scheme, name), '' if (r.ended and not r.notes) == (name == 'whole') else '%s %s %s' % (r.reason, r.text, r.notes))


def jbig2_pictures():
    """Segments by hand: a page, a generic region of it, arithmetically coded or in MMR."""
    def segment(number, kind, data):
        return struct.pack('>IBBBI', number, kind, 0, 1, len(data)) + data
    page = segment(0, 48, struct.pack('>IIIIBH', 64, 56, 0, 0, 0, 0))
    # a generic region of 54 x 44 px: T.88, H.1
    region = segment(1, 38, struct.pack('>IIIIB', 54, 44, 4, 11, 0) + bytes.fromhex('0003fffdff02fefefe0400eeed87fbcb2bffac'))
    mmr = segment(1, 38, struct.pack('>IIIIB', 64, 56, 0, 0, 0) + b'\x01' + b'\xff' * 7)
    for name, data, word in (('whole', page + region, None), ('that ends within a segment', page + region[:-6], 'early'), ('without a region', page, 'empty'),
                             ('of nothing', b'', 'no data'), ('in MMR', page + mmr, 'MMR')):
        r = draw(pdf(b'q 150 0 0 100 10 10 cm /I Do Q' + HEADER, picture(Image.new('1', (64, 56)), data=data, how=b'/Filter/JBIG2Decode')))
        good = (r.ended and not r.notes) if not word else r.reason == 'page-failed' or any(word in n for n in r.notes)
        verdict('JBIG2 picture %s' % name, '' if good else '%s %s %s' % (r.reason, r.text, r.notes))


def inline_pictures():
    data = Image.effect_noise((40, 30), 60).tobytes()
    head = b'q 99 0 0 99 0 0 cm BI /W 40 /H 30 /BPC 8 /CS /G %s ID '
    tail = b' EI Q BT /F 12 Tf 10 150 Td (BEHIND) Tj ET ' + HEADER
    for name, how, code in (('raw', b'', bytes), ('Flate', b'/F /Fl', zlib.compress), ('ASCII 85', b'/F /A85', hex85), ('Flate in ASCII 85', b'/F [/A85 /Fl]', lambda d: hex85(zlib.compress(d))),
                            ('run lengths', b'/F /RL', run_length), ('hexadecimal digits', b'/F /AHx', lambda d: d.hex().encode() + b'>'),
                            ('Flate with a predictor', b'/F /Fl /DP <</Predictor 12 /Columns 40>>', lambda d: zlib.compress(png_rows(d, 40)))):
        passes('inline picture, %s' % name, pdf(head % how + code(data) + tail), notes=False)
        warns('inline picture cut, %s' % name, pdf(head % how + code(data[:600]) + tail), 'image')
    passes('inline stencil', pdf(b'q 9 0 0 9 0 0 cm BI /W 9 /H 4 /IM true /D [1 0] ID ' + b'\xaa\x80' * 4 + b' EI Q' + HEADER), notes=False)
    warns('inline stencil cut', pdf(b'q 9 0 0 9 0 0 cm BI /W 9 /H 4 /IM true ID ' + b'\xaa\x80' * 3 + b' EI Q' + HEADER), 'image')
    warns('inline stencil a byte short', pdf(b'q 9 0 0 9 0 0 cm BI /W 9 /H 4 /IM true ID ' + b'\xaa\x80' * 3 + b'\xaa\nEI Q' + HEADER), 'image')


def forms_and_glyphs():
    def nested(n):
        form = b'/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</XObject<</N %d 0 R>>/Font<</F 5 0 R>>>>'
        return pdf(b'/I Do', *[stream(form % (7 + i), b'/N Do' if i < n - 1 else HEADER) for i in range(n)])
    passes('100 forms one in another', nested(100), notes=False)
    warns('200 forms one in another', nested(200), 'nested')
    box = b'500 0 0 0 500 500 d1 0 0 400 400 re f'

    def type3(names, text):
        font = b'<</Type/Font/Subtype/Type3/FontBBox[0 0 500 500]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<<%s>>/Encoding<</Type/Encoding/Differences[65/gA/gB 200/gC]>>/FirstChar 65/LastChar 66/Widths[500 500]>>'
        return pdf_with(b'', b'BT /T 30 Tf 10 100 Td ' + text + b' ET' + HEADER, font % b''.join(b'/%s 7 0 R' % n for n in names), stream(b'', box), fonts=b'/T 6 0 R')
    passes('type 3 font with its glyphs', type3((b'gA', b'gB'), b'(AB) Tj'), notes=False)
    passes('type 3 font without a glyph that no text has', type3((b'gA',), b'(AA) Tj'), notes=False)
    passes('type 3 font with a glyph named by its code', type3((b'gA', b'zero'), b'(A0) Tj'), notes=False)
    for text in (b'(AB) Tj', b'<4142> Tj', b'(\\102) Tj', b'[(A) -20 (B)] TJ', b"(A\\310) '"):
        warns('type 3 font without a glyph of %s' % text.decode(), type3((b'gA',), text), 'glyph')
    passes('a page painted white', pdf(b'1 g 0 0 200 200 re f'), notes=False)
    passes('a page of blanks', pdf(b'BT /F 12 Tf 10 100 Td ( ) Tj ET'), notes=False)
    passes('a page of nothing', pdf(b' '), notes=False)
    passes('a page with a white picture', pdf(b'q 9 0 0 9 0 0 cm /I Do Q', picture(Image.new('L', (9, 9), 255))), notes=False)
    warns('a page whose content lies outside', pdf(b'0 0 1 rg 900 900 20 20 re f'), 'nothing')


def files_with_more():
    """What no page shows is not passed over."""
    def file(root, *objects):
        data = pdf(HEADER, *objects)
        body = data[:data.rindex(b'xref\n', 0, data.rindex(b'startxref'))]
        parts = re.findall(rb'\d+ 0 obj\n(.*?)\nendobj\n', body, re.S)
        return pdf_of([parts[0].replace(b'/Catalog', b'/Catalog' + root)] + parts[1:])

    def spec(name):
        return b'<</Type/Filespec/F(%s)/UF(%s)/EF<</F 7 0 R>>>>' % (name, name)
    hold = stream(b'/Type/EmbeddedFile', b'anything')
    tree = b'/Names<</EmbeddedFiles<</Names[(a)6 0 R]>>>>'
    warns('PDF with an attached file', file(tree, spec(b'list.xlsx'), hold), '1 attached file is not read (list.xlsx)')
    passes('PDF with an e-invoice', file(tree, spec(b'factur-x.xml'), hold), notes=False)
    note = b'<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS 6 0 R>>'
    warns('PDF with a file attached to a page', pdf(HEADER, spec(b'a'), hold, note, more=b'/Annots[8 0 R]'), 'attached to a page')
    warns('PDF portfolio', file(tree + b'/Collection<</View/D>>', spec(b'a.pdf'), hold), 'portfolio')
    warns('dynamic XFA form', file(b'/NeedsRendering true/AcroForm<</XFA 6 0 R/Fields[]>>', hold), 'XFA')
    passes('static XFA form', file(b'/AcroForm<</XFA 6 0 R/Fields[7 0 R]>>', hold, b'<</FT/Tx/T(a)>>'), notes=False)
    good = pdf(HEADER, n_page=3)
    for count, word in ((1, 'declares 1'), (2, 'declares 2'), (5, 'declares 5')):
        warns('PDF of 3 pages that counts %d' % count, good.replace(b'/Count 3', b'/Count %d' % count), word)
    r = draw(good.replace(b'/Count 3', b'/Count 1000000'))
    verdict('PDF of 3 pages that counts 1,000,000', '' if r.reason == 'damaged' and '1000000' in r.text and 'has 3' in r.text else '%s %s' % (r.reason, r.text))


def complaints():
    fails('text in a font that is not there', pdf(HEADER + b' BT /G 12 Tf 10 20 Td (LOST) Tj ET'), 'font')
    fails('picture that is not there', pdf(HEADER + b' /Nothing Do'), 'Nothing')
    fails('operator that nobody knows', pdf(HEADER + b' 1 2 frobnicate'), 'frobnicate')
    fails('content that ends within a string', pdf(HEADER + b' BT 10 20 Td (LOST'))
    passes('more Q than q', pdf(HEADER + b' Q Q'))
    passes('marked content of a wrong type', pdf(b'1 /x BDC' + HEADER + b' EMC'))
    passes('a line from nowhere', pdf(HEADER + b' 10 10 l S'))
    passes('an annotation without a place', pdf(HEADER, more=b'/Annots[<</Type/Annot/Subtype/Link>>]'))


def lines(mode, width=601, height=800):
    """Rows of figures; the width is no multiple of 8, so that rows of a fax have bits that nobody writes."""
    im = Image.new('L', (width, height), 'white')
    for y in range(20, height - 20, 16):
        ImageDraw.Draw(im).text((20, y), ' '.join(str(y * y * k % 99991) for k in range(1, 11)), fill='black')
    return im.convert(mode, dither=Image.Dither.NONE) if mode == '1' else im.convert(mode)


def cut_strips():
    """What libtiff only warns of, or says nothing of, is damage."""
    for scheme, mode in (('group3', '1'), ('group4', '1'), ('tiff_ccitt', '1'), ('jpeg', 'L'), ('jpeg', 'RGB'), ('packbits', 'L'), ('tiff_lzw', 'L'), ('tiff_adobe_deflate', 'L')):
        good = tiff_strips.write(lines(mode), scheme)
        kinds = {'whole': good, 'cut in the middle of a strip': good.cut_strip(), 'whose height is doubled': good.double_height()}
        if scheme == 'group4':
            kinds['whose strip ends with its first rows'] = tiff_strips.write(lines(mode).crop((0, 0, 601, 90)), scheme).set_height(800)
        for name, data in kinds.items():
            name = 'TIFF of %s, %s, %s' % (scheme, mode, name)
            r = draw(bytes(data), kind='tiff')
            if name.endswith('whole'):
                verdict(name, '' if r.ended and not r.notes else '%s %s %s' % (r.reason, r.text, r.notes))
                continue
            verdict(name, '' if r.reason == 'damaged' else '%s %s %s' % (r.reason, r.text, r.notes))
            r = draw(bytes(data), '--lenient', kind='tiff')
            verdict(name + ', lenient', '' if r.ended and r.notes else '%s %s %s' % (r.reason, r.text, r.notes))


def turned_pngs():
    """Where the file says which way up it is: in a chunk before the pixels or behind them, in binary or as text."""
    im = Image.new('L', (40, 20), 'white')
    im.paste(0, (0, 0, 10, 5))                   # upper left; upright it is upper right (orientation 6)
    out = io.BytesIO()
    im.save(out, 'PNG')
    plain = out.getvalue()
    exif = b'II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0'
    text = b'\nexif\n%8d\n%s\n' % (len(exif), exif.hex().encode())

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    kinds = {'eXIf': chunk(b'eXIf', exif), 'a raw profile in tEXt': chunk(b'tEXt', b'Raw profile type exif\0' + text),
             'a raw profile in zTXt': chunk(b'zTXt', b'Raw profile type APP1\0\0' + zlib.compress(text))}
    for name, data in kinds.items():
        for place, at in (('before', plain.index(b'IDAT') - 4), ('behind', plain.index(b'IEND') - 4)):
            r = draw(plain[:at] + data + plain[at:], kind='png')
            good = r.ended and r.pages[0][1:3] == (20, 40) and r.pages[0][5][19] == 0 and r.pages[0][5][0] == 255
            verdict('PNG turned by %s %s its pixels' % (name, place), '' if good else '%s %s %s' % (r.reason, r.text, r.pages and r.pages[0][1:3]))
    r = draw(plain[:plain.index(b'IEND') - 4] + kinds['eXIf'][:-3], kind='png')
    verdict('PNG that ends in a chunk behind its pixels is drawn', '' if r.ended and r.pages[0][1:3] == (40, 20) else '%s %s' % (r.reason, r.text))


def reduced_tiffs():
    """A reduced image is a thumbnail where there is a larger one, and a page where there is none."""
    def file(*sizes):
        pages, out = [Image.new('L', size, 'white') for size in sizes], io.BytesIO()
        pages[0].save(out, 'TIFF', save_all=True, append_images=pages[1:])
        return out.getvalue()

    def mark(data, *which):
        """Pages `which`, from 0, say that they are reduced images: their directories are written anew, with one entry more."""
        data, (at,), n, link = bytearray(data), struct.unpack_from('<I', data, 4), 0, 4
        while at:
            count, = struct.unpack_from('<H', data, at)
            end = at + 2 + 12 * count
            following, = struct.unpack_from('<I', data, end)
            if n in which:
                entries = [bytes(data[o:o + 12]) for o in range(at + 2, end, 12)] + [struct.pack('<HHII', 254, 4, 1, 1)]
                entries = b''.join(sorted(entries, key=lambda e: struct.unpack('<H', e[:2])))
                new = len(data) + len(data) % 2
                data += b'\0' * (new - len(data)) + struct.pack('<H', count + 1) + entries + struct.pack('<I', following)
                struct.pack_into('<I', data, link, new)
                end = new + 2 + 12 * (count + 1)
            link, at, n = end, following, n + 1
        return bytes(data)
    page, small = (300, 400), (60, 80)
    for name, sizes, marked, want in (('a full-size page that calls itself reduced', (page, page, page), (1,), 3), ('a thumbnail behind its page', (page, small), (1,), 1),
                                      ('a thumbnail before its page', (small, page), (0,), 1), ('nothing but a reduced image', (page,), (0,), 1),
                                      ('a small page that does not call itself reduced', (page, small), (), 2), ('a wide page that calls itself reduced', (page, (800, 300)), (1,), 2)):
        r = draw(mark(file(*sizes), *marked), kind='tiff')
        verdict('TIFF with ' + name, '' if r.ended and len(r.pages) == want else '%s %s %d pages' % (r.reason, r.text, len(r.pages)))


with tempfile.TemporaryDirectory() as folder:
    tall_pictures()
    damaged_pictures()
    short_pictures()
    jpegs_without_scans()
    fax_pictures()
    jbig2_pictures()
    inline_pictures()
    forms_and_glyphs()
    files_with_more()
    complaints()
    cut_strips()
    turned_pngs()
    reduced_tiffs()
sys.exit(failed > 0)
