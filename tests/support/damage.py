#!/usr/bin/env python3
"""Fresh files that are thin, cut or damaged: whatever is missing from one is reported.

    damage.py PLATEN-RASTER [--n 200] [--seed 1] [--keep FOLDER]

Each file is made with one of three things known of it:

    sound    nothing is wrong with it (thin pictures, too): it must be drawn, and without a note of what is missing
    lacking  data was taken away: it must fail, or be drawn with such a note
    spoilt   bytes were replaced: the format may be valid still, so that what came of these is only counted

prints "ok - ..." or "not ok - ..." for each class, and the files that were wrong; --keep leaves these in FOLDER.
"""
import argparse
import base64
import collections
import concurrent.futures
import io
import os
import random
import sys
import tempfile
import zlib

from PIL import Image, ImageDraw

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pdf_objects import pdf_of
import raster_frames
import tiff_strips

SOUND, LACKING, SPOILT = 'sound', 'lacking', 'spoilt'
FONT = b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'


def page(r, mode, width, height):
    """Rows of figures down to the last one, so that no part of it is white."""
    im = Image.new('L', (width, height), 'white')
    d = ImageDraw.Draw(im)
    for y in range(0, height, 12):
        d.text((r.randrange(8), y), ' '.join(str(r.randrange(100000)) for _ in range(width // 30 + 1)), fill='black')
    d.line((0, height - 1, width, height - 1), fill='black')
    return im.convert(mode)


def noise(r, n):
    return r.randbytes(n)


# --- thin pictures -------------------------------------------------------------


def thin(r):
    width, height = r.choice([(1, 1), (1, 2), (2, 1), (r.randrange(1, 20), r.randrange(1, 6000)), (r.randrange(1, 6000), r.randrange(1, 20)), (r.randrange(1, 40), r.randrange(1, 40)),
                              (r.randrange(1, 4), 30000), (30000, r.randrange(1, 4))])
    mode, kind = r.choice(('L', 'L', '1', 'RGB', 'RGBA')), r.choice(('PNG', 'TIFF', 'PNG', 'TIFF', 'JPEG', 'WEBP'))
    if kind == 'JPEG' and mode == 'RGBA' or kind == 'WEBP' and (mode in '1L' or max(width, height) > 16000):
        mode, kind = 'L', 'PNG'
    im = Image.new(mode, (width, height), 'white')
    if r.random() < .6:
        im = Image.frombytes('L', (width, height), noise(r, width * height)).convert(mode)
    out = io.BytesIO()
    im.save(out, kind)
    return SOUND, 'thin %s %s %d x %d' % (kind, mode, width, height), kind.lower(), out.getvalue()


# --- TIFF ----------------------------------------------------------------------


def tiff(r):
    scheme, mode = r.choice([('group3', '1'), ('group4', '1'), ('tiff_ccitt', '1'), ('packbits', 'L'), ('packbits', '1'), ('tiff_lzw', 'L'), ('tiff_lzw', 'RGB'), ('tiff_adobe_deflate', 'L'),
                             ('jpeg', 'L'), ('jpeg', 'RGB')])
    good = tiff_strips.write(page(r, mode, r.randrange(60, 700), r.randrange(60, 700)), scheme)
    n = len(good.get(tiff_strips.COUNTS))
    which, share = r.randrange(n), r.uniform(.02, .9)
    how = r.choice(('whole', 'strip', 'strip', 'strip', 'file', 'height', 'first rows', 'noise', 'zeros', 'byte'))
    name = 'TIFF %s %s, %s' % (scheme, mode, how)
    if how == 'whole':
        return SOUND, name, 'tiff', good
    if how == 'strip':
        return LACKING, name, 'tiff', good.cut_strip(which, share)
    if how == 'file':
        end = max(good.get(tiff_strips.OFFSETS)[i] + good.get(tiff_strips.COUNTS)[i] for i in range(n))
        return LACKING, name, 'tiff', good[:int(end * share)]
    if how == 'height':
        return LACKING, name, 'tiff', good.set_height(int(good.get(tiff_strips.HEIGHT)[0] * r.uniform(1.5, 4)))
    if how == 'first rows':
        return LACKING, name, 'tiff', tiff_strips.write(page(r, mode, 300, 90), scheme, 90).set_height(400)
    if how == 'byte':
        other = tiff_strips.Tiff(good)
        at = good.get(tiff_strips.OFFSETS)[which] + int(good.get(tiff_strips.COUNTS)[which] * share)
        other[at] ^= r.randrange(1, 256)
        return SPOILT, name, 'tiff', other
    return SPOILT, name, 'tiff', good.spoil(which, share, bytes if how == 'zeros' else lambda k: noise(r, k))


# --- other pictures ------------------------------------------------------------


def picture_file(r):
    kind, mode, how = r.choice((('PNG', 'L', {}), ('PNG', '1', {}), ('PNG', 'RGB', {}), ('JPEG', 'L', {}), ('JPEG', 'RGB', {}), ('JPEG', 'RGB', {'progressive': True}), ('WEBP', 'RGB', {}),
                                ('WEBP', 'RGB', {'lossless': True})))
    out = io.BytesIO()
    page(r, mode, r.randrange(60, 500), r.randrange(60, 500)).save(out, kind, **how)
    data, damage = out.getvalue(), r.choice(('whole', 'cut', 'cut', 'scans', 'noise'))
    name = '%s %s%s, %s' % (kind, mode, ' progressive' if 'progressive' in how else '', damage)
    if damage == 'scans' and 'progressive' in how:
        cut, n, all_of = without_scans(r, data)
        return LACKING, '%s %d of %d' % (name, n, all_of), 'jpeg', cut
    if damage == 'whole':
        return SOUND, name, kind.lower(), data
    at = int(len(data) * r.uniform(.3, .9))
    if damage == 'noise':
        return SPOILT, name, kind.lower(), data[:at] + noise(r, 40) + data[at + 40:]
    return LACKING, name, kind.lower(), data[:at]


def without_scans(r, data):
    """A progressive JPEG that ends properly behind some of its scans."""
    scans = [i for i in range(len(data) - 1) if data[i:i + 2] == b'\xff\xda']
    n = r.randrange(1, len(scans))
    tables = data.find(b'\xff\xc4', scans[n - 1], scans[n])
    return data[:tables if tables > 0 else scans[n]] + b'\xff\xd9', n, len(scans)


# --- PDF -----------------------------------------------------------------------


def stream(head, data):
    return b'<<%s/Length %d>>stream\n%s\nendstream' % (head, len(data), data)


def pdf(content, *objects, resources=b''):
    return pdf_of([b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[3 0 R]/Count 1>>',
                   b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<<%s>>/Font<</F 5 0 R>>%s>>>>' % (
                       b''.join(b'/%s %d 0 R' % (b'IJK'[i:i + 1], 6 + i) for i in range(min(3, len(objects)))), resources),
                   stream(b'', content), FONT, *objects])


def run_length(data):
    return b''.join(bytes([len(part) - 1]) + part for part in (data[i:i + 128] for i in range(0, len(data), 128))) + b'\x80'


def rows(data, row):
    return b''.join(b'\0' + data[i:i + row] for i in range(0, len(data), row))


def coder(r, row):
    """(a name, a function, the filters in long and in short form)"""
    return r.choice([
        ('raw', bytes, b'', b''), ('Flate', zlib.compress, b'/Filter/FlateDecode', b'/F/Fl'), ('Flate', zlib.compress, b'/Filter/FlateDecode', b'/F/Fl'),
        ('run length', run_length, b'/Filter/RunLengthDecode', b'/F/RL'), ('ASCII 85', lambda d: base64.a85encode(d) + b'~>', b'/Filter/ASCII85Decode', b'/F/A85'),
        ('hexadecimal', lambda d: d.hex().encode() + b'>', b'/Filter/ASCIIHexDecode', b'/F/AHx'),
        ('Flate in ASCII 85', lambda d: base64.a85encode(zlib.compress(d)) + b'~>', b'/Filter[/ASCII85Decode/FlateDecode]', b'/F[/A85/Fl]'),
        ('predictor', lambda d: zlib.compress(rows(d, row)), b'/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns %d>>' % row, b'/F/Fl/DP<</Predictor 15/Columns %d>>' % row)])


HEADER = b' BT /F 12 Tf 10 180 Td (HEADER) Tj ET'
PLACE = b'q 150 0 0 100 10 10 cm /I Do Q' + HEADER


def pdf_picture(r):
    mode = r.choice(('L', 'L', '1', 'RGB'))
    im = page(r, mode, r.randrange(20, 300), r.randrange(20, 300))
    width, height = im.size
    data = im.tobytes()
    row = len(data) // height
    name, code, how, brief = coder(r, row)
    lacking = r.random() < .7
    kept = r.choice((r.uniform(0, 1), 1 - 1 / height)) if lacking else 1
    part = data[:int(len(data) * kept)] if kept < 1 else data
    what = 'PDF picture %s %s, %d of %d bytes' % (mode, name, len(part), len(data))
    head = b'/Width %d/Height %d/BitsPerComponent %d/ColorSpace/Device%s' % (width, height, 1 if mode == '1' else 8, b'RGB' if mode == 'RGB' else b'Gray')
    fact = LACKING if len(part) < len(data) else SOUND
    where = r.choice(('page', 'page', 'form', 'mask', 'inline', 'pattern'))
    image = stream(b'/Type/XObject/Subtype/Image' + head + how, code(part))
    if where == 'form':
        body = pdf(b'/J Do', image, stream(b'/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</XObject<</I 6 0 R>>/Font<</F 5 0 R>>>>', PLACE))
    elif where == 'mask' and mode == 'L':
        body = pdf(PLACE, stream(b'/Type/XObject/Subtype/Image/Width 9/Height 9/BitsPerComponent 8/ColorSpace/DeviceGray/SMask 7 0 R', bytes(81)), image)
    elif where == 'pattern':
        tile = stream(b'/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 99 99]/XStep 99/YStep 99/Resources<</XObject<</I 6 0 R>>>>', b'q 99 0 0 99 0 0 cm /I Do Q')
        body = pdf(b'/Pattern cs /P scn 0 0 99 99 re f' + HEADER, image, tile, resources=b'/Pattern<</P 7 0 R>>')
    elif where == 'inline':
        head = b'/W %d/H %d/BPC %d/CS/%s' % (width, height, 1 if mode == '1' else 8, b'RGB' if mode == 'RGB' else b'G')
        body = pdf(b'q 150 0 0 100 10 10 cm BI %s%s ID ' % (head, brief) + code(part) + b' EI Q' + HEADER)
    else:
        body, where = pdf(PLACE, image), 'page'
    return fact, '%s, %s' % (what, where), 'pdf', body


def pdf_coded(r):
    """Pictures that other decoders read."""
    im = page(r, 'L', r.randrange(40, 300), r.randrange(40, 300))
    width, height = im.size
    kind = r.choice(('DCT', 'DCT', 'progressive', 'progressive', 'CCITT', 'CCITT'))
    head = b'/Type/XObject/Subtype/Image/Width %d/Height %d' % im.size
    damage = r.choice(('whole', 'cut', 'cut', 'end'))
    if kind == 'CCITT':
        scheme, k = r.choice((('group4', b'/K -1'), ('group3', b'/K 0/EndOfLine true')))
        fax = tiff_strips.write((im if damage != 'end' else im.crop((0, 0, width, height // 2))).convert('1'), scheme, height)
        at, n = fax.get(tiff_strips.OFFSETS)[0], fax.get(tiff_strips.COUNTS)[0]
        data = bytes(fax[at:at + n])
        head += b'/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/CCITTFaxDecode/DecodeParms<<%s/Columns %d/Rows %d>>' % (k, width, height)
    else:
        out = io.BytesIO()
        im.save(out, 'JPEG', progressive=kind == 'progressive')
        data = out.getvalue()
        head += b'/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/DCTDecode'
        if damage == 'end' and kind == 'progressive':
            data = without_scans(r, data)[0]
        elif damage == 'end':
            damage = 'cut'
    if damage == 'cut':
        data = data[:int(len(data) * r.uniform(.0, .9))]
    return (SOUND if damage == 'whole' else LACKING), 'PDF picture in %s, %s' % (kind, damage), 'pdf', pdf(PLACE, stream(head, data))


def pdf_other(r):
    kind = r.choice(('forms', 'glyphs', 'count', 'content', 'attached'))
    if kind == 'forms':
        n = r.choice((r.randrange(1, 99), r.randrange(110, 300)))
        form = b'/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</XObject<</N %d 0 R>>/Font<</F 5 0 R>>>>'
        body = pdf(b'/I Do', *[stream(form % (7 + i), b'/N Do' if i < n - 1 else HEADER) for i in range(n)])
        return (LACKING if n > 102 else SOUND), '%d forms' % n, 'pdf', body
    if kind == 'glyphs':
        names = [b'g%d' % i for i in range(20)]
        held = [n for n in names if r.random() < .8] or names[:1]
        used = [r.randrange(20) for _ in range(r.randrange(1, 4))]
        font = b'<</Type/Font/Subtype/Type3/FontBBox[0 0 500 500]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<<%s>>/Encoding<</Differences[65%s]>>/FirstChar 65/LastChar 84/Widths[%s]>>' % (
            b''.join(b'/%s 7 0 R' % n for n in held), b''.join(b'/' + n for n in names), b'500 ' * 20)
        body = pdf(b'BT /T 30 Tf 10 100 Td (%s) Tj ET' % bytes(65 + i for i in used) + HEADER, font, stream(b'', b'500 0 0 0 500 500 d1 0 0 400 400 re f'))
        body = body.replace(b'/Font<</F 5 0 R', b'/Font<</T 6 0 R')   # of the same length
        return (SOUND if all(names[i] in held for i in used) else LACKING), 'glyphs of type 3', 'pdf', body.replace(HEADER, b' ' * len(HEADER))
    if kind == 'count':
        n, said = r.randrange(1, 9), r.randrange(1, 9)
        kids = b' '.join(b'%d 0 R' % (5 + i) for i in range(n))
        body = pdf_of([b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[%s]/Count %d>>' % (kids, said), stream(b'', HEADER), FONT] +
                      [b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 3 0 R/Resources<</Font<</F 4 0 R>>>>>>'] * n)
        return (SOUND if n == said else LACKING), '%d pages counted as %d' % (n, said), 'pdf', body
    if kind == 'content':
        text = b''.join(b'BT /F 9 Tf 10 %d Td (line %d) Tj ET ' % (i, r.randrange(1000)) for i in range(0, 190, 9))
        data = zlib.compress(text)
        cut = r.random() < .7
        body = pdf(b'/I Do', stream(b'/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<</Font<</F 5 0 R>>>>/Filter/FlateDecode',
                                    data[:int((len(data) - 6) * r.uniform(.05, .95))] if cut else data))
        return (LACKING if cut else SOUND), 'content', 'pdf', body
    held = r.random() < .7
    tree = b'/Names<</EmbeddedFiles<</Names[(a)6 0 R]>>>>' if held else b' ' * 44
    body = pdf(HEADER, b'<</Type/Filespec/F(a.ods)/UF(a.ods)/EF<</F 7 0 R>>>>', stream(b'/Type/EmbeddedFile', b'anything'))
    body = pdf_of([b'<</Type/Catalog/Pages 2 0 R%s>>' % tree] + [part[part.index(b'obj\n') + 4:] for part in body.split(b'\nendobj\n')[1:-1]])
    return (LACKING if held else SOUND), 'an attached file', 'pdf', body


KINDS = ((thin, 3), (tiff, 5), (picture_file, 3), (pdf_picture, 5), (pdf_coded, 2), (pdf_other, 2))


def make(seed, i):
    r = random.Random('%d/%d' % (seed, i))
    kind = r.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0]
    return kind(r)


def result_of(program, folder, seed, i):
    """(class, name, reported, crash, the file, why)"""
    fact, name, kind, data = make(seed, i)
    path = os.path.join(folder, '%d.%s' % (i, kind))
    with open(path, 'wb') as f:
        f.write(data)
    r = raster_frames.run(program, path, kind, '--dpi', '100', '--max-pixels', '2000000', '--memory', str(2 << 30), '--cpu', '20')
    crash = r.rc != 0 or not (r.ended or r.reason) or r.reason == 'internal' or 'Sanitizer' in r.stderr or 'runtime error' in r.stderr
    missing = [text for what, text in r.noted if what]
    if not crash:
        os.unlink(path)
    return fact, name, bool(r.reason or missing), crash, (kind, data), '%s %s %s' % (r.reason, r.text, r.notes) + r.stderr[:300]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument('program')
    a.add_argument('--n', type=int, default=200)
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--keep')
    a = a.parse_args()
    count, wrong = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for i, (fact, name, reported, crash, file, why) in enumerate(pool.map(lambda i: result_of(a.program, folder, a.seed, i), range(a.n))):
            count[fact, reported] += 1
            bad = 'crash' if crash else fact if (fact, reported) in ((SOUND, True), (LACKING, False)) else None
            if not bad:
                continue
            wrong[bad].append('%d %s: %s' % (i, name, why))
            if a.keep:
                with open(os.path.join(a.keep, '%d.%s' % (i, file[0])), 'wb') as f:
                    f.write(file[1])
    said = {'crash': 'none of %d files crashes the rasteriser' % a.n,
            LACKING: 'of %d files with missing data every one is reported' % (count[LACKING, True] + count[LACKING, False]),
            SOUND: 'of %d sound files none is' % (count[SOUND, True] + count[SOUND, False])}
    for what, text in said.items():
        print('ok - ' + text if not wrong[what] else 'not ok - %s: %d are wrong (seed %d), such as %s' % (text, len(wrong[what]), a.seed, '; '.join(wrong[what][:6])))
    print('(%d of %d files whose damage may leave them valid are reported)' % (count[SPOILT, True], count[SPOILT, True] + count[SPOILT, False]))
    return any(wrong.values())


if __name__ == '__main__':
    sys.exit(main())
