"""Pictures by the programs that people use, drawn by platen-raster and compared with what went in.

  pictures.py PLATEN-RASTER

prints "ok - ..." or "not ok - ...", and leaves several.gif, .webp and .png (pictures of several frames) in the
current folder.
"""
import os
import shutil
import struct
import subprocess
import sys
import zlib

from PIL import Image, ImageDraw, ImageOps

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import heif_turn
import raster_frames

program = sys.argv[1]
failed = 0


def verdict(what, why):
    global failed
    failed += bool(why)
    print('not ok - pictures: %s: %s' % (what, why) if why else 'ok - pictures: ' + what)


def drawn(path, kind, pixels=10000000):
    r = raster_frames.run(program, path, kind, '--max-pixels', str(pixels), '--memory', str(2 << 30))
    if not r.ended:
        return None, '%s %s (%d)' % (r.reason, r.text, r.rc)
    _, w, h, c, _, data = r.pages[0]
    return Image.frombytes('L' if c == 1 else 'RGB', (w, h), data).convert('RGB'), r


def compare(what, path, kind, want, mean=0.0):
    """The mean difference of a channel is at most `mean`."""
    got, r = drawn(path, kind)
    if got is None:
        why = r
    elif got.size != want.size:
        why = '%s, not %s' % (got.size, want.size)
    else:
        off = sum(abs(a - b) for a, b in zip(got.tobytes(), want.convert('RGB').tobytes())) / len(got.tobytes())
        why = '' if off <= mean else 'differs by %.2f' % off
    verdict(what, why)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def page(size=(96, 64)):
    """Different in each corner."""
    im = Image.new('RGB', size, 'white')
    d = ImageDraw.Draw(im)
    d.rectangle((4, 4, 40, 20), fill='red')
    d.rectangle((60, 40, 90, 60), fill='blue')
    d.line((0, 63, 95, 0), fill='black')
    return im


def heif():
    page().save('page.png')
    for kind, how in (('heic', []), ('avif', ['-A'])):
        encode = ['heif-enc', *how, '-q', '95', '-p', 'chroma=444', '-o']
        if subprocess.run([*encode, 'turned.' + kind, 'page.png'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            print('skip - pictures: heif-enc has no encoder for ' + kind)
            return
        wrong = []
        for o in range(1, 9):
            exif = Image.Exif()
            exif[0x0112] = o
            page().save('page.jpg', exif=exif, quality=98, subsampling=0)
            run(*encode, 'turned.' + kind, 'page.jpg')
            want = ImageOps.exif_transpose(Image.open('page.jpg')).convert('RGB')
            got, r = drawn('turned.' + kind, 'heif')
            if got is None or got.size != want.size or sum(abs(a - b) for a, b in zip(got.tobytes(), want.tobytes())) > 2 * len(got.tobytes()):
                wrong.append(o)
        verdict('%s, orientation of EXIF alone' % kind, wrong and 'orientations %s' % wrong)
        # the last one says both: EXIF 8, and a property
        data = open('turned.' + kind, 'rb').read()
        for angle in range(0 if b'irot' in data or b'imir' in data else 4):      # later versions write them
            with open('both.' + kind, 'wb') as f:
                f.write(heif_turn.turned(data, angle))
            compare('%s, property irot %d and EXIF: turned once' % (kind, angle), 'both.' + kind, 'heif', page().rotate(90 * angle, expand=True), 2)
        see_through = page().convert('RGBA')
        see_through.putalpha(Image.linear_gradient('L').resize(see_through.size))
        see_through.save('alpha.png')
        white = Image.alpha_composite(Image.new('RGBA', see_through.size, 'white'), see_through)
        run(*encode, 'alpha.' + kind, 'alpha.png')
        compare(kind + ', alpha on white', 'alpha.' + kind, 'heif', white, 2)
        Image.linear_gradient('L').save('grey.png')
        run(*encode[:-1], '-o', 'grey.' + kind, 'grey.png')
        compare(kind + ', grey', 'grey.' + kind, 'heif', Image.linear_gradient('L'), 2)
    page().resize((48, 32)).save('small.png')
    run('heif-enc', 'page.png', 'small.png', '-o', 'two.heic')
    _, r = drawn('two.heic', 'heif')
    verdict('a HEIC of two pictures says so', '' if [w for w, _ in r.noted] == [6] else r.noted)
    with open('sequence.avif', 'wb') as f:
        f.write(data.replace(b'miaf', b'avis', 1))
    _, r = drawn('sequence.avif', 'heif')
    verdict('so does a sequence with a still picture', '' if [w for w, _ in r.noted] == [6] else r.noted)
    with open('moov.heic', 'wb') as f:
        f.write(b'\0\0\0\x18ftypmsf1\0\0\0\0msf1hevc\0\0\0\x08moov')
    _, why = drawn('moov.heic', 'heif')
    verdict('one without is refused', '' if 'unsupported-image' in why and 'sequence' in why else why)


def jpeg2000():
    page().save('page.ppm')
    for name, how in (('lossless', []), ('of three layers', ['-r', '20,10,1']), ('in tiles', ['-t', '40,40']), ('with precincts', ['-c', '[64,64]']),
                      ('bare', [])):
        out = 'page.j2k' if name == 'bare' else 'page.jp2'
        run('opj_compress', '-n', '4', *how, '-i', 'page.ppm', '-o', out)
        compare('JPEG 2000 ' + name, out, 'jp2', page())
    big = page().resize((1920, 1280))
    big.save('big.ppm')
    run('opj_compress', '-i', 'big.ppm', '-o', 'big.jp2')
    got, _ = drawn('big.jp2', 'jp2', 20000)
    want = big.resize(got.size, Image.BOX)
    off = sum(abs(a - b) for a, b in zip(got.tobytes(), want.tobytes())) / len(want.tobytes())
    verdict('JPEG 2000 without its finest resolutions', '' if got.width < 480 and off < 3 else '%s differs by %.2f' % (got.size, off))


def bmp():
    for name, how in (('RLE8', ['-type', 'palette', '-compress', 'RLE']), ('BMP2', ['BMP2:']), ('BMP3', ['BMP3:']), ('BMP4', [])):
        target = how.pop() + 'page.bmp' if how and how[0].endswith(':') else 'page.bmp'
        run('convert', 'page.png', *how, target)
        compare('BMP of ImageMagick, ' + name, 'page.bmp', 'bmp', page())
    # masks and the first row on top; RLE4: by hand
    pixels = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (132, 130, 132)]
    rows = struct.pack('<3H2x', 0xf800, 0x7e0, 0x1f) + struct.pack('<3H2x', 0xffff, 0, 0x8410)
    with open('masks.bmp', 'wb') as f:
        f.write(struct.pack('<2sIHHI', b'BM', 0, 0, 0, 66) + struct.pack('<IiiHHIIiiII', 40, 3, -2, 1, 16, 3, 0, 2835, 2835, 0, 0) +
                struct.pack('<III', 0xf800, 0x7e0, 0x1f) + rows)
    want = Image.new('RGB', (3, 2))
    want.putdata(pixels)
    compare('BMP of 16 bits with masks, from the top', 'masks.bmp', 'bmp', want, 1)
    code = bytes([5, 0x12, 0, 0, 0, 3, 0x34, 0x50, 2, 0x99, 0, 0, 0, 2, 1, 1, 2, 0x77, 0, 1])
    index = [0, 7, 7, 0, 0, 0] + [0] * 6 + [3, 4, 5, 9, 9, 0] + [1, 2, 1, 2, 1, 0]
    palette = b''.join(bytes([i * 16, i * 16, i * 16, 0]) for i in range(16))
    with open('rle4.bmp', 'wb') as f:
        f.write(struct.pack('<2sIHHI', b'BM', 0, 0, 0, 118) + struct.pack('<IiiHHIIiiII', 40, 6, 4, 1, 4, 2, len(code), 0, 0, 16, 0) + palette + code)
    want = Image.new('RGB', (6, 4))
    want.putdata([(i * 16,) * 3 for i in index])
    compare('BMP, RLE4 with a jump', 'rle4.bmp', 'bmp', want)


def pnm():
    for name, kind in (('text', 'ppm'), ('text', 'pgm'), ('text', 'pbm')):
        run('convert', 'page.png', '-compress', 'none', 'text.' + kind)
        compare('%s as text' % kind.upper(), 'text.' + kind, 'pnm', Image.open('text.' + kind))
    with open('two.ppm', 'wb') as f:
        f.write(open('page.ppm', 'rb').read() * 2)
    _, r = drawn('two.ppm', 'pnm')
    verdict('two pictures in a PPM are said', '' if [w for w, _ in r.noted] == [6] else r.noted)


def several():
    one, more = page(), [page().rotate(90 * i) for i in (1, 2)]
    one.save('several.gif', save_all=True, append_images=more)
    one.save('several.webp', save_all=True, append_images=more, lossless=True)
    one.save('several.png')
    # Pillow 9 writes no APNG with a control chunk of its own for one frame: put it before the pixels
    data = open('several.png', 'rb').read()
    body = b'acTL' + struct.pack('>II', 3, 0)
    with open('several.png', 'wb') as f:
        f.write(data[:33] + struct.pack('>I', 8) + body + struct.pack('>I', zlib.crc32(body)) + data[33:])
    for kind in ('gif', 'webp', 'png'):
        got, r = drawn('several.' + kind, kind)
        same = got is not None and got.size == one.size and max(abs(a - b) for a, b in zip(got.tobytes(), one.tobytes())) <= 2
        verdict('%s: the first of three' % kind, '' if same and 'has 3 pictures' in ''.join(r.notes) else 'another picture, or no note')


page().save('page.png')
for work, tool in ((heif, 'heif-enc'), (jpeg2000, 'opj_compress'), (bmp, 'convert'), (pnm, 'convert'), (several, 'sh')):
    # another program of that name is not ImageMagick
    if shutil.which(tool) and (tool != 'convert' or not subprocess.run(['convert', '-version'], capture_output=True).returncode):
        work()
    else:
        print('skip - pictures: %s: no %s' % (work.__name__, tool))
sys.exit(failed > 0)
