"""Files that ask for too much, or for something impossible: each must end in the reason named here, in time.

  raster_bombs.py PLATEN-RASTER
"""
import io
import os
import resource
import struct
import sys
import tempfile
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pdf_objects import pdf_of
import raster_frames

program = sys.argv[1]
failed = 0


def run(name, kind, data, wanted, *options, pages=None, seconds=20):
    """wanted: a reason, 'pages', or several of them (any will do)."""
    global failed
    path = os.path.join(folder, 'file')
    with open(path, 'wb') as f:
        f.write(data)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    since = time.time()
    r = raster_frames.run(program, path, kind, '--grid', '32', '--memory', str(1 << 30), '--cpu', '5', *options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    got = 'pages' if r.ended else r.reason or {-24: 'resource-cpu', 152: 'resource-cpu'}.get(r.rc, 'status %d' % r.rc)
    wrong = got not in wanted.split() or (pages is not None and len(r.pages) != pages) or cpu > seconds
    failed += wrong
    print('%s - %s: %s%s%s' % ('not ok' if wrong else 'ok', name, got, ' (%s)' % r.text[:90] if wrong else '',
                               ', %d pages, %.1f s of %.1f' % (len(r.pages), cpu, time.time() - since) if wrong else ''))


def ifd(entries, next_at):
    body = struct.pack('<H', len(entries))
    for tag, kind, count, value in entries:
        body += struct.pack('<HHII', tag, kind, count, value)
    return body + struct.pack('<I', next_at)


def tiff(n, loop=False):
    """n pages of 8 x 8 grey pixels that share their strip; a loop ends where it began."""
    out = bytearray(b'II*\0' + struct.pack('<I', 72) + bytes(64))
    size = 2 + 9 * 12 + 4
    for i in range(n):
        at = 72 + (i + 1) * size
        out += ifd([(256, 3, 1, 8), (257, 3, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8),
                    (277, 3, 1, 1), (278, 3, 1, 8), (279, 4, 1, 64)], at if i + 1 < n else 72 if loop else 0)
    return bytes(out)


def tiff_claiming(width, height, strip=64):
    return b'II*\0' + struct.pack('<I', 8) + ifd(
        [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, 1),
         (278, 4, 1, height), (279, 4, 1, strip)], 0)


def jpeg(mode='L', size=(64, 64), **how):
    from PIL import Image
    mem = io.BytesIO()
    Image.radial_gradient('L').resize(size).convert(mode).save(mem, 'JPEG', **how)
    return mem.getvalue()


def jpeg_scans(n):
    """A progressive JPEG whose last scan comes n times."""
    data = jpeg(progressive=True)
    last = data.rindex(b'\xff\xda')
    return data[:last] + data[last:-2] * n + data[-2:]


def jpeg_claiming(width, height):
    data = bytearray(jpeg())
    at = data.index(b'\xff\xc0') + 5
    data[at:at + 4] = struct.pack('>HH', height, width)
    return bytes(data)


def chunk(kind, body):
    return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))


def png(width, height, *extra, depth=8):
    raw = zlib.compress(bytes((width * depth // 8 + 1) * height), 9) if width * height < 1 << 28 else b''
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, 0, 0, 0, 0)) + b''.join(extra) +
            chunk(b'IDAT', raw) + chunk(b'IEND', b''))


def pdf(pages=1, box='0 0 200 100', count=None, content=b'0 0 m 100 50 l S', more='', compress=False, kids=None):
    objects = [b'<</Type/Catalog/Pages 2 0 R>>',
               b'<</Type/Pages/Count %d/Kids[%s]>>' % (pages if count is None else count, kids if kids is not None else b' '.join(b'%d 0 R' % (4 + i) for i in range(pages))),
               b'<<%s/Length %d>>stream\n%s\nendstream' % (b'/Filter[/FlateDecode/FlateDecode]' if compress else b'', len(content), content)]
    objects += [b'<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents 3 0 R%s>>' % (box.encode(), more.encode())] * pages
    return pdf_of(objects)


def tiffs():
    run('TIFF of 1,000 pages', 'tiff', tiff(1000), 'pages', pages=1000)
    run('TIFF of 1,001 pages', 'tiff', tiff(1001), 'too-many-pages')
    run('TIFF of 70,000 pages', 'tiff', tiff(70000), 'too-many-pages')
    run('TIFF whose pages go round in a loop', 'tiff', tiff(3, loop=True), 'damaged')
    run('TIFF that claims 4 Gpx', 'tiff', tiff_claiming(65535, 65535), 'too-large')
    run('TIFF that claims 2^32 x 2^32 px', 'tiff', tiff_claiming(2 ** 32 - 1, 2 ** 32 - 1), 'too-large damaged')
    run('TIFF that claims 100 Mpx and has 64', 'tiff', tiff_claiming(10000, 10000), 'damaged')
    run('TIFF without width', 'tiff', tiff_claiming(0, 10), 'damaged')


def pictures():
    run('JPEG with 499 scans more', 'jpeg', jpeg_scans(480), 'pages damaged')
    run('JPEG with 10,000 scans', 'jpeg', jpeg_scans(10000), 'resource-cpu', seconds=5)
    run('JPEG that claims 4 Gpx', 'jpeg', jpeg_claiming(65535, 65535), 'too-large', seconds=1)
    run('JPEG that claims 100 Mpx', 'jpeg', jpeg_claiming(10000, 10000), 'damaged')
    data = jpeg('RGB', (400, 300))
    wrong = [n for n in range(25, len(data) - 2, max(1, len(data) // 40))]
    for n in wrong[:40]:
        path = os.path.join(folder, 'cut')
        with open(path, 'wb') as f:
            f.write(data[:n])
        r = raster_frames.run(program, path, 'jpeg')
        if r.reason != 'damaged':
            global failed
            failed += 1
            print('not ok - JPEG cut at %d of %d: %s' % (n, len(data), r.reason))
    print('ok - JPEG cut at %d places: damaged' % len(wrong[:40]))
    run('PNG that claims 4 Gpx', 'png', png(65535, 65535), 'too-large', seconds=1)
    run('PNG of 10,000 x 10,000 px in 100 KB', 'png', png(10000, 10000), 'pages')
    run('PNG one pixel wide', 'png', png(1, 60000), 'pages')
    bomb = zlib.compress(bytes(200 << 20), 9)
    run('PNG with a text bomb', 'png', png(64, 64, chunk(b'zTXt', b'k\0\0' + bomb)), 'pages', seconds=1)
    run('PNG with a profile bomb', 'png', png(64, 64, chunk(b'iCCP', b'k\0\0' + bomb)), 'pages', seconds=1)
    run('PNG with 100,000 text chunks', 'png', png(64, 64, chunk(b'tEXt', b'k\0v') * 100000), 'pages', seconds=2)


def pdfs():
    run('PDF', 'pdf', pdf(), 'pages', pages=1)
    run('PDF of 2,001 pages', 'pdf', pdf(2001), 'too-many-pages')
    run('PDF that counts a million pages and has one', 'pdf', pdf(1, count=10 ** 6), 'pages too-many-pages damaged')
    run('PDF that counts five pages and has two', 'pdf', pdf(2, count=5), 'pages', pages=2)
    run('PDF whose pages are their own parents', 'pdf', pdf(1, kids=b'2 0 R 2 0 R'), 'no-pages damaged page-failed')
    for box in ('0 0 0 0', '0 0 -100 -100', '0 0 1e9 1e9', '0 0 0.0001 0.0001', '0 0 1e400 nan', '0 0 14400 1', '(x) /y 2 3'):
        run('PDF with the page %s' % box, 'pdf', pdf(box=box), 'pages page-failed damaged no-pages')
    run('PDF with a unit of 1,000', 'pdf', pdf(more='/UserUnit 1000'), 'pages')
    run('PDF that unpacks to 64 MB of spaces', 'pdf', pdf(content=zlib.compress(zlib.compress(b' ' * (1 << 26), 9), 9), compress=True), 'pages resource-cpu resource-memory')
    run('PDF with 300,000 nested states', 'pdf', pdf(content=b'q ' * 300000), 'pages resource-cpu resource-memory')
    data, outcomes = pdf(3, content=b'BT ET ' * 200), {}
    for n in range(0, 100, 4):
        path = os.path.join(folder, 'cut')
        with open(path, 'wb') as f:
            f.write(data[:len(data) * n // 100])
        r = raster_frames.run(program, path, 'pdf')
        got = 'pages' if r.ended else r.reason or 'status %d' % r.rc
        outcomes[got] = outcomes.get(got, 0) + 1
    global failed
    bad = set(outcomes) - {'pages', 'damaged', 'no-pages', 'page-failed'}
    failed += bool(bad)
    print('%s - PDF cut at 25 places: %s' % ('not ok' if bad else 'ok', outcomes))


with tempfile.TemporaryDirectory() as folder:
    tiffs()
    pictures()
    pdfs()
sys.exit(failed > 0)
