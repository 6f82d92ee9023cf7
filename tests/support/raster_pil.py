"""Pictures in every variant, drawn by platen-raster and by Pillow, pixel by pixel.

  raster_pil.py PLATEN-RASTER [CORPUS]

prints "ok - name" or "not ok - name: why".
"""
import glob
import io
import math
import os
import struct
import sys
import tempfile
import warnings
import zlib

from PIL import Image, ImageDraw, ImageOps, TiffImagePlugin

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raster_frames

warnings.simplefilter('ignore')
program = sys.argv[1]
failed = 0


def picture(mode, size=(203, 117)):
    """Something with gradients, edges, letters and colours."""
    w, h = size
    r, g = Image.linear_gradient('L').resize(size), Image.radial_gradient('L').resize(size)
    rgb = Image.merge('RGB', (r, g, ImageOps.invert(r)))
    d = ImageDraw.Draw(rgb)
    d.rectangle((20, 20, 80, 60), fill=(200, 10, 30))
    d.text((90, 40), 'platen 0123', fill=(0, 0, 0))
    d.line((0, 0, w, h), fill=(0, 90, 255), width=3)
    if mode == 'P':
        return rgb.quantize(60)
    if mode in ('RGBA', 'LA'):
        rgb.putalpha(g)
        return rgb.convert(mode)
    if mode == 'I;16':
        raw = b''.join(struct.pack('<H', (x * 311 + y * 577) & 0xffff) for y in range(h) for x in range(w))
        return Image.frombytes('I;16', size, raw)
    return rgb.convert(mode)


def stretched(im, height):
    """To another height; each row the mean of what it covers."""
    w, h, rows = im.width * 3, im.height, im.tobytes()
    out = bytearray()
    for y in range(height):
        top, end = y * h / height, (y + 1) * h / height
        parts = [(i, min(end, i + 1) - max(top, i)) for i in range(int(top), min(h, math.ceil(end)))]
        out += bytes(round(sum(rows[i * w + x] * part for i, part in parts) / (end - top)) for x in range(w))
    return Image.frombytes('RGB', (im.width, height), bytes(out))


def reference(im):
    """Upright, on white, grey or RGB, as platen defines it: of 16 bits the upper 8."""
    across, down = (float(im.tag_v2.get(tag, 0)) for tag in (282, 283)) if im.format == 'TIFF' else (1, 1)
    if im.format != 'TIFF':             # which Pillow turns by itself
        im = ImageOps.exif_transpose(im)
    if im.mode.startswith('I'):
        wide = im.convert('I')
        return Image.frombytes('L', im.size, bytes(min(255, max(0, v >> 8)) for v in wide.getdata())).convert('RGB')
    if im.mode in ('P', 'PA') or 'transparency' in im.info or im.mode in ('RGBA', 'LA', 'La', 'RGBa'):
        im = im.convert('RGBA')
        white = Image.new('RGBA', im.size, (255, 255, 255, 255))
        im = Image.alpha_composite(white, im)
    im = im.convert('RGB')
    if across > 0 and down > 0 and abs(across / down - 1) > 0.02:       # a fax: square pixels
        im = stretched(im, round(im.height * across / down))
    return im


# What an orientation of TIFF and Exif asks for.
UPRIGHT = {2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
           5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE,
           8: Image.Transpose.ROTATE_90}


def upright(im, orientation):
    return im.transpose(UPRIGHT[orientation]) if orientation in UPRIGHT else im


def compare(name, path, kind, tolerance=0, frames=None, expected=None):
    global failed
    why = None
    try:
        r = raster_frames.run(program, path, kind, '--max-pixels', str(10 ** 9), '--memory', str(2 << 30))
        im = Image.open(path)
        if not r.ended:
            why = 'refused: %s %s' % (r.reason, r.text)
        elif frames and len(r.pages) != frames:
            why = '%d pages, not %d' % (len(r.pages), frames)
        for i, (number, w, h, c, _, data) in enumerate(r.pages if not why else []):
            if frames:
                im.seek(i)
            want = expected or reference(im.copy() if frames else im)
            got = Image.frombytes('L' if c == 1 else 'RGB', (w, h), data).convert('RGB')
            if want.size != got.size:
                why = 'page %d is %s, not %s' % (number, got.size, want.size)
                break
            worst = max(abs(a - b) for a, b in zip(want.tobytes(), got.tobytes()))
            if worst > tolerance:
                why = 'page %d differs by up to %d' % (number, worst)
                break
    except Exception as e:              # a reference that cannot be made is a failure, too
        why = '%s: %s' % (type(e).__name__, e)
    failed += why is not None
    print('not ok - %s: %s' % (name, why) if why else 'ok - ' + name)


def variant(name, kind, im, fmt, tolerance=0, frames=None, expected=None, **how):
    mem = io.BytesIO()
    im.save(mem, fmt, **how)
    written(name, kind, mem.getvalue(), tolerance, frames, expected)


def written(name, kind, data, tolerance=0, frames=None, expected=None):
    path = os.path.join(folder, 'file')
    with open(path, 'wb') as f:
        f.write(data)
    compare(name, path, kind, tolerance, frames, expected)


def adam7(im):
    """An interlaced PNG, which Pillow reads but does not write (PNG specification, 8.2)."""
    w, h = im.size
    n = len(im.getbands())
    data, raw = im.tobytes(), bytearray()
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        for y in range(y0, h, dy):
            row = b''.join(data[(y * w + x) * n:(y * w + x + 1) * n] for x in range(x0, w, dx))
            if row:
                raw += b'\0' + row

    def chunk(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[n]
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, colour, 0, 0, 1)) +
            chunk(b'IDAT', zlib.compress(bytes(raw))) + chunk(b'IEND', b''))


def tiffs():
    for mode, schemes in (('1', 'raw group3 group4 tiff_ccitt tiff_lzw tiff_deflate packbits'), ('L', 'raw tiff_lzw tiff_deflate packbits jpeg'),
                          ('P', 'raw tiff_lzw'), ('RGB', 'raw tiff_lzw tiff_adobe_deflate packbits jpeg'), ('RGBA', 'raw tiff_lzw'), ('LA', 'raw'),
                          ('CMYK', 'raw tiff_lzw'), ('I;16', 'raw tiff_deflate')):
        for scheme in schemes.split():
            im = picture(mode)
            TiffImagePlugin.STRIP_SIZE = 4096 if scheme != 'jpeg' else 1 << 20
            loose = {'CMYK': 1, 'RGBA': 1, 'LA': 1}.get(mode, 0)
            variant('TIFF %s %s' % (mode, scheme), 'tiff', im, 'TIFF', tolerance=loose, compression=None if scheme == 'raw' else scheme)
    for o in range(1, 9):
        # turned here: whether Pillow turns a TIFF by itself depends on its version and the compression
        grey, black = picture('L'), picture('1')
        variant('TIFF orientation %d' % o, 'tiff', grey, 'TIFF', expected=upright(grey, o).convert('RGB'), tiffinfo={274: o})
        variant('TIFF G4 orientation %d' % o, 'tiff', black, 'TIFF', expected=upright(black, o).convert('RGB'), tiffinfo={274: o}, compression='group4')
    for dpi in ((204, 98), (204, 102), (204, 196), (98, 204), (200, 200)):
        variant('TIFF of %d x %d dpi' % dpi, 'tiff', picture('1'), 'TIFF', tolerance=4, dpi=dpi, compression='group4')
    variant('TIFF RGB of 204 x 98 dpi', 'tiff', picture('RGB'), 'TIFF', tolerance=4, dpi=(204, 98))
    variant('TIFF fill order 2', 'tiff', picture('1'), 'TIFF', tiffinfo={266: 2}, compression='group4')
    pages = [picture('L', (60 + i, 40)) for i in range(5)]
    variant('TIFF of five pages', 'tiff', pages[0], 'TIFF', frames=5, save_all=True, append_images=pages[1:])


def others():
    for mode in ('L', 'RGB', 'CMYK'):
        for how in ({}, {'progressive': True}, {'subsampling': 0}, {'quality': 20}, {'optimize': True}):
            variant('JPEG %s %s' % (mode, how or 'plain'), 'jpeg', picture(mode), 'JPEG', tolerance=mode == 'CMYK', **how)
    for o in range(0, 10):
        exif = Image.Exif()
        exif[0x0112] = o
        variant('JPEG orientation %d' % o, 'jpeg', picture('RGB'), 'JPEG', exif=exif)
        if 1 <= o <= 8:
            variant('WebP orientation %d' % o, 'webp', picture('RGB'), 'WEBP', exif=exif, lossless=True)
            variant('PNG orientation %d' % o, 'png', picture('RGB'), 'PNG', exif=exif)
    for mode in ('1', 'L', 'LA', 'P', 'RGB', 'RGBA', 'I;16'):
        variant('PNG ' + mode, 'png', picture(mode), 'PNG', tolerance=1)
    for bits in (1, 2, 4):
        variant('PNG palette of %d bits' % bits, 'png', picture('RGB').quantize(1 << bits), 'PNG', bits=bits)
    variant('PNG palette with transparency', 'png', picture('P'), 'PNG', tolerance=1, transparency=3)
    variant('PNG grey with a transparent grey', 'png', picture('L'), 'PNG', tolerance=1, transparency=100)
    for mode in ('L', 'LA', 'RGB', 'RGBA'):
        written('PNG interlaced ' + mode, 'png', adam7(picture(mode)), tolerance=1)
    for name, mode, how in (('lossy', 'RGB', {'quality': 60}), ('lossless', 'RGB', {'lossless': True}), ('alpha', 'RGBA', {'lossless': True, 'exact': True})):
        variant('WebP ' + name, 'webp', picture(mode), 'WEBP', tolerance=1, **how)

    for mode in ('1', 'L', 'P', 'RGB'):
        variant('BMP ' + mode, 'bmp', picture(mode), 'BMP')
    for mode in ('1', 'L', 'P', 'RGB'):
        for interlace in (0, 1):
            variant('GIF %s%s' % (mode, ' interlaced' if interlace else ''), 'gif', picture(mode), 'GIF', interlace=interlace)
    variant('GIF with transparency', 'gif', picture('P'), 'GIF', transparency=3)
    for n in (2, 4, 256):
        variant('GIF of %d colours' % n, 'gif', picture('RGB', (701, 97)).quantize(n), 'GIF')
    for mode in ('1', 'L', 'RGB'):
        variant('PNM ' + mode, 'pnm', picture(mode), 'PPM')
    variant('PNM of 16 bits', 'pnm', picture('I;16').convert('I'), 'PPM', tolerance=1)
    for mode in ('L', 'LA', 'RGB', 'RGBA'):
        variant('JPEG 2000 ' + mode, 'jp2', picture(mode), 'JPEG2000', tolerance=mode.endswith('A'))
    for how in ({'tile_size': (64, 64)}, {'irreversible': True}, {'no_jp2': True}, {'progression': 'RPCL', 'num_resolutions': 3}):
        variant('JPEG 2000 %s' % how, 'jp2', picture('RGB'), 'JPEG2000', tolerance='irreversible' in how, **how)


# Not compared: what Pillow reads otherwise or not at all, each for a reason.
LEFT_OUT = {
    'exif_imagemagick_orientation.png': 'orientation in a text chunk, which platen skips unread',
    'i_trns.png': 'the reference above knows no transparency in 16 bits',
    'flower-rgb-planar-16.tif': 'Pillow 9.4 takes the wrong byte; see the test below',
}


def corpus(root):
    """Files of public test suites that both read; how many is checked, so that silence is not success."""
    n = bad = skipped = 0
    kinds = {'PNG': 'png', 'JPEG': 'jpeg', 'MPO': 'jpeg', 'TIFF': 'tiff', 'WEBP': 'webp'}
    for path in sorted(glob.glob(root + '/image/*') + glob.glob(root + '/tiff/*') + glob.glob(root + '/exif/*')):
        try:
            im = Image.open(path)
            kind = kinds[im.format]
            want = reference(im)
        except Exception:
            skipped += 1
            continue
        r = raster_frames.run(program, path, kind, '--max-pixels', str(10 ** 9), '--memory', str(2 << 30))
        if not r.ended or os.path.basename(path) in LEFT_OUT:
            skipped += 1
            continue
        _, w, h, c, _, data = r.pages[0]
        got = Image.frombytes('L' if c == 1 else 'RGB', (w, h), data).convert('RGB')
        n += 1
        worst = max(abs(a - b) for a, b in zip(want.tobytes(), got.tobytes())) if want.size == got.size else 'size'
        if worst == 'size' or worst > 1:
            bad += 1
            print('# %s (%s %s): %s' % (os.path.basename(path), kind, im.mode, worst))
    global failed
    good = n >= 150 and bad == 0
    failed += not good
    print('%s - corpus: %d files compared, %d differ, %d not read by one of the two%s' % ('ok' if good else 'not ok', n, bad, skipped, '' if good else ': see above'))


with tempfile.TemporaryDirectory() as folder:
    tiffs()
    others()
if len(sys.argv) > 2 and os.path.isdir(sys.argv[2]):
    corpus(sys.argv[2])
else:
    print('skip - corpus: ../shared/corpus is not here')
sys.exit(failed > 0)
