"""PDF and TIFF pages of which a library would leave something out: drawn whole, or failed by name; harmless faults are notes.

  raster_losses.py PLATEN-RASTER

prints "ok - name" or "not ok - name: why".
"""
import io
import os
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


def whole(name, data, tall=True):
    """All three bars are there, and what lies between them is white."""
    r = draw(data)
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
    whole('picture behind a soft mask of 40 x 33000 px', pdf(full, picture(black, b'/SMask 7 0 R'), picture(inverse)))
    whole('tall picture in a form', pdf(b'/J Do', picture(bars('L', 40, 33000)), stream(
        b'/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</XObject<</I 6 0 R>>>>', full)))
    over = ('--decoded-pixels-max', '1000000')
    fails('picture above decoded_pixels_max and 32,767 px', pdf(full + HEADER, picture(bars('L', 40, 33000))), '40 x 33000 px', options=over)


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


def long_files():
    """A page of a file so long that pages are drawn in bands is that of a file of one page: 1,500 in two bands, 6,000 in four."""
    grey = Image.effect_noise((900, 900), 60)
    colour = Image.merge('RGB', [Image.effect_noise((900, 900), 60) for _ in 'RGB'])
    lines = b'BT /F 9.7 Tf 11.3 TL 10 196 Td ' + b' '.join(b'(line %d, all of it 1,234.56) Tj T*' % i for i in range(17)) + b' ET'
    full = b'q 200 0 0 200 0 0 cm /I Do Q'
    group = stream(b'/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Group<</S/Transparency/I true>>/Resources<</Font<</F 5 0 R>>/ExtGState<</G<</ca .5>>>>>>',
                   b'/G gs ' + lines)
    exact, close = 0, 4     # levels: where pictures are scaled pixman counts in 65,536ths from the band's own edge
    kinds = {'print': (exact, lines), 'lines and curves': (exact, b'.7 w 3 3 m 197 199 l S 0 1 0 RG 10 20 m 50 250 150 -50 190 180 c S'),
             'colour at the head alone': (exact, lines + b' 1 0 0 rg 20 175 60 20 re f'), 'colour at the foot alone': (exact, lines + b' 1 0 0 rg 20 5 60 20 re f'),
             'print half transparent': (exact, b'/I Do', group), 'a scan': (close, full, picture(grey)),
             'a scan coarser than what is drawn': (close, full, picture(grey.resize((450, 450)))), 'a colour scan': (close, full, picture(colour)),
             'a coarse scan in strips': (close, b' '.join(b'q 200 0 0 67 0 %d cm /%s Do Q' % (67 * i, b'IJK'[i:i + 1]) for i in range(3)), *[picture(grey.resize((450, 150)))] * 3),
             'a scan askew': (close, b'q 190 9 -9 190 9 1 cm /I Do Q', picture(grey)), 'a picture behind a soft mask': (close, b'.8 g 0 0 200 200 re f ' + full, picture(colour, b'/SMask 7 0 R'), picture(grey)),
             'a harmless fault': (exact, lines + b' Q Q')}
    for name, (most, content, *objects) in kinds.items():
        one, *long = (draw(pdf(content, *objects, n_page=n), '--pages', '1') for n in (1, 1500, 6000))
        for n, r in zip((1500, 6000), long):
            same = r.ended and r.pages[0][:5] == one.pages[0][:5] and r.notes == one.notes
            off = [max(abs(x - y) for x, y in zip(one.pages[0][5], r.pages[0][5]))] if same else []
            verdict('%s on the first of %d pages' % (name, n), '' if off and off[0] <= most else '%s %s %s, off by %s' % (r.reason, r.text, r.notes, off))
    mem = io.BytesIO()
    grey.save(mem, 'JPEG')
    for y, place in ((10, 'foot'), (140, 'head')):
        spoilt = picture(grey, data=mem.getvalue()[:9000], how=b'/Filter/DCTDecode')
        fails('JPEG picture cut at the %s of the first of 1500 pages' % place, pdf(b'q 50 0 0 50 10 %d cm /I Do Q' % y + HEADER, spoilt, n_page=1500), options=('--pages', '1'))


with tempfile.TemporaryDirectory() as folder:
    tall_pictures()
    damaged_pictures()
    complaints()
    cut_strips()
    turned_pngs()
    reduced_tiffs()
    long_files()
sys.exit(failed > 0)
