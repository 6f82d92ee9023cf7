#!/usr/bin/env python3
"""searchable.py - searchable PDFs, hOCR and ALTO against what was printed.

    searchable.py make IN.png DIR          the upper third of the page (IN.png becomes that) as other files: exifN.jpg (stored in each EXIF orientation), cmyk.jpg,
                                           fax.tiff (two pages), page.webp, skew.png (by 2 degrees), far.png (by 12), scan.pdf, up90.pdf ...
                                           (scanned on their sides, /Rotate), crop.pdf, mixed.pdf (text, scan, text)
    searchable.py score IN.png.json PDF [PAGE] [DEGREES]    per mille of the words drawn that are in the PDF where they are
                                           printed, within 3 pixels, rightly; the page grew if turned by 5 DEGREES or more
    searchable.py same WORDS.jsonl FILE    FILE (hOCR or ALTO) has the words of `platen words`, with their boxes
    searchable.py turned A.pdf B.pdf       B, which is A turned anticlockwise by 90 degrees, has its words in their places
    searchable.py scripts RASTER OUT.pdf   words of several scripts through platen-raster --layer, and back by pdftotext
"""
import html
import json
import math
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET

from raster_frames import parse

FILE, LAYER_FILE, LAYER_PAGE, MAGIC = 25, 27, 28, 0x32464c50
ONE = 1 << 20


def words_of_pdf(path, page=1):
    """[(text, [x0, y0, x1, y1])] in 0..1 of the page as displayed."""
    out = subprocess.run(['pdftotext', '-cropbox', '-bbox', '-f', str(page), '-l', str(page), path, '-'], check=True,
                         capture_output=True, text=True).stdout
    info = subprocess.run(['pdftocairo', '-f', str(page), '-l', str(page), '-r', '72', '-png', '-singlefile', '-cropbox',
                           path, path + '.size'], check=True, capture_output=True)
    from PIL import Image
    w, h = Image.open(path + '.size.png').size
    os.remove(path + '.size.png')
    found = re.findall(r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>', out)
    return [(html.unescape(t), [float(a) / w, float(b) / h, float(c) / w, float(d) / h]) for a, b, c, d, t in found]


def make(path, folder):
    from PIL import Image
    from pdf_objects import pdf_of
    im = Image.open(path).convert('L')
    # the upper third is enough, and read sooner
    height = 600
    truth = [(t, [x, y * im.height / height, w, h * im.height / height])
             for t, (x, y, w, h) in json.load(open(path + '.json')) if (y + h) * im.height < height - 20]
    im = im.crop((0, 0, im.width, height))
    im.save(path, dpi=(150, 150))
    json.dump(truth, open(path + '.json', 'w'))
    turn = {1: None, 2: Image.FLIP_LEFT_RIGHT, 3: Image.ROTATE_180, 4: Image.FLIP_TOP_BOTTOM, 5: Image.TRANSPOSE,
            6: Image.ROTATE_90, 7: Image.TRANSVERSE, 8: Image.ROTATE_270}
    os.chdir(folder)
    for number, way in turn.items():
        exif = Image.Exif()
        exif[0x112] = number
        stored = im.transpose(way) if way is not None else im
        stored.convert('RGB').save('exif%d.jpg' % number, quality=92, dpi=(150, 150), exif=exif)
    im.convert('CMYK').save('cmyk.jpg', quality=92, dpi=(150, 150))
    two = im.point(lambda v: 255 * (v > 128)).convert('1')
    two.save('fax.tiff', compression='group4', dpi=(150, 150), save_all=True, append_images=[two])
    im.save('page.webp', lossless=True)
    im.rotate(-2, fillcolor=255, resample=Image.BICUBIC).save('skew.png', dpi=(150, 150))
    im.rotate(-12, expand=True, fillcolor=255, resample=Image.BICUBIC).save('far.png', dpi=(150, 150))
    im.save('scan.pdf', resolution=150)
    for degrees in (90, 180, 270):
        im.rotate(degrees, expand=True).save('turned.pdf', resolution=150)
        subprocess.run(['qpdf', 'turned.pdf', '--rotate=%d' % degrees, 'up%d.pdf' % degrees], check=True)
    # the same page in the middle of a larger one, on its side, of which the crop box shows only it
    wide = Image.new('L', (im.width + 200, im.height + 300), 255)
    wide.paste(im, (120, 90))
    wide.save('wide.pdf', resolution=150)
    pt = 72 / 150
    box = [120 * pt, (300 - 90) * pt, (120 + im.width) * pt, (300 - 90 + im.height) * pt]
    text = subprocess.run(['qpdf', '--qdf', '--object-streams=disable', 'wide.pdf', '-'], capture_output=True).stdout
    text = text.replace(b'/MediaBox', b'/CropBox [ %.3f %.3f %.3f %.3f ]\n  /MediaBox' % tuple(box), 1)
    open('loose.pdf', 'wb').write(text)
    fixed = subprocess.run(['fix-qdf', 'loose.pdf'], capture_output=True).stdout
    open('crop.pdf', 'wb').write(fixed)
    content = b'BT /F1 24 Tf 72 700 Td (Printed by a program) Tj ET'
    page = b'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>'
    open('text.pdf', 'wb').write(pdf_of([
        b'<< /Type /Catalog /Pages 2 0 R >>', b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>', page,
        b'<< /Length %d >>\nstream\n%s\nendstream' % (len(content), content),
        b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']))
    subprocess.run(['qpdf', '--empty', '--pages', 'text.pdf', 'scan.pdf', 'text.pdf', '--', 'mixed.pdf'], check=True)
    subprocess.run(['qpdf', '--encrypt', '', 'owner', '256', '--', 'scan.pdf', 'locked.pdf'], check=True)


def score(truth, path, page=1, degrees=0.0):
    got, near = words_of_pdf(path, page), 3 / 1240
    slope, right = math.radians(degrees), 0
    wide, high = 1240, 600
    if degrees >= 5:
        wide, high = (1240 * math.cos(slope) + 600 * math.sin(slope), 600 * math.cos(slope) + 1240 * math.sin(slope))
    drawn = json.load(open(truth))
    for text, (x, y, w, h) in drawn:
        # about the page's middle
        cx, cy = (x + w / 2 - 0.5) * 1240, (y + h / 2 - 0.5) * 600
        at = ((cx * math.cos(slope) - cy * math.sin(slope)) / wide + 0.5,
              (cx * math.sin(slope) + cy * math.cos(slope)) / high + 0.5)
        right += any(t == text and abs((b[0] + b[2]) / 2 - at[0]) < near and abs((b[1] + b[3]) / 2 - at[1]) < 2 * near and
                     (degrees or abs(b[2] - b[0] - w) < 2 * near) for t, b in got)
    print(1000 * right // len(drawn))


def same(words, path):
    want = []
    for line in open(words):
        want.append([(w['text'], w['box']) for w in json.loads(line)['words']])
    tree, got = ET.parse(path).getroot(), []
    if tree.tag.endswith('alto'):
        ns = '{http://www.loc.gov/standards/alto/ns-v4#}'
        for page in tree.iter(ns + 'Page'):
            w, h = float(page.get('WIDTH')), float(page.get('HEIGHT'))
            got.append([(s.get('CONTENT'), [float(s.get('HPOS')) / w, float(s.get('VPOS')) / h,
                                            float(s.get('WIDTH')) / w, float(s.get('HEIGHT')) / h])
                        for s in page.iter(ns + 'String')])
    else:
        for page in tree.iter():
            if page.get('class') != 'ocr_page':
                continue
            w, h = map(float, re.search(r'bbox 0 0 (\d+) (\d+)', page.get('title')).groups())
            found = []
            for s in page.iter():
                if s.get('class') == 'ocrx_word':
                    x0, y0, x1, y1 = map(float, re.search(r'bbox (\d+) (\d+) (\d+) (\d+)', s.get('title')).groups())
                    found.append((s.text, [x0 / w, y0 / h, (x1 - x0) / w, (y1 - y0) / h]))
            got.append(found)
    assert len(got) == len(want), 'pages: %d, not %d' % (len(got), len(want))
    for n, (a, b) in enumerate(zip(got, want), 1):
        assert [t for t, _ in a] == [t for t, _ in b], 'page %d: %s' % (n, [x for x in zip(a, b) if x[0][0] != x[1][0]][:3])
        for (text, box), (_, wanted) in zip(a, b):
            assert all(abs(p - q) < 2 / 800 for p, q in zip(box, wanted)), '%s: %s, not %s' % (text, box, wanted)
    print(sum(map(len, got)))


def turned(upright, side):
    want, got = words_of_pdf(upright), words_of_pdf(side)
    for text, (x0, y0, x1, y1) in want:
        box = (y0, 1 - x1, y1, 1 - x0)
        assert any(t == text and all(abs(p - q) < 0.02 for p, q in zip(b, box)) for t, b in got), '%s at %s: %s' % (
            text, box, got)
    print(len(want))


def frame(kind, body, a=0, b=0):
    return struct.pack('=2IQ6I', MAGIC, kind, len(body), a, b, 0, 0, 0, 0) + body


def layer(program, pdf, pages):
    """platen-raster --layer; pages: [(number, quarters, skew, [(text, box)])]"""
    orders = frame(LAYER_FILE, pdf, 0, len(pages))
    for number, quarters, skew, words in pages:
        texts = [t.encode() for t, _ in words]
        body = struct.pack('=2Ii8I', number, quarters, skew, len(words), sum(map(len, texts)), 0, 0, 0, 0, 0, 0)
        for (_, box), text in zip(words, texts):
            body += struct.pack('=5I', *[round(v * ONE) for v in box], len(text))
        orders += frame(LAYER_PAGE, body + b''.join(texts))
    ours, its = socket.socketpair()
    p = subprocess.Popen(['bash', '-c', 'p=$1 n=$2; exec 3<&$n 4>&1 1>/dev/null; exec "$p" --layer', 'bash', program,
                          str(its.fileno())], pass_fds=[its.fileno()], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    its.close()

    def send():
        try:
            ours.sendall(orders)
        except OSError:
            pass
        ours.close()

    threading.Thread(target=send).start()
    out, err = p.communicate(timeout=60)
    at = 0
    while at + 40 <= len(out):
        _, kind, size = struct.unpack_from('=2IQ', out, at)
        if kind == FILE:
            return out[at + 40:at + 40 + size]
        at += 40 + size
    r = parse(out)
    raise SystemExit('no file: %s %s %s' % (r.reason, r.text, err))


def scripts(program, path):
    from pdf_objects import pdf_of
    page = b'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>'
    pdf = pdf_of([b'<< /Type /Catalog /Pages 2 0 R >>', b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>', page])
    want = [('請求書', [.1, .1, .2, .04]), ('令和6年', [.4, .1, .2, .04]), ('Größe', [.1, .2, .1, .02]),
            ('ಬೆಂಗಳೂರು', [.3, .2, .2, .02]), ('𠮷野家', [.1, .3, .15, .03]), ('😀', [.5, .3, .03, .03]),
            ('السلام', [.6, .4, .15, .03]), ('שלום', [.1, .4, .1, .03]), ('a<b>&"c"', [.1, .5, .2, .02])]
    open(path, 'wb').write(layer(program, pdf, [(1, 0, 0, want)]))
    got = words_of_pdf(path)
    plain = subprocess.run(['pdftotext', path, '-'], capture_output=True, text=True).stdout
    for text, box in want:
        assert text in plain, '%s: not in %s' % (text, plain)
        # with boxes pdftotext prints letters as they stand, from left to right
        found = [b for t, b in got if t in (text, text[::-1])]
        assert found, '%s: not among %s' % (text, [t for t, _ in got])
        x, y, w, h = box
        assert all(abs(p - q) < 0.003 for p, q in zip(found[0], (x, y, x + w, y + h))), '%s: %s, not %s' % (
            text, found[0], box)
    assert len(got) == len(want), got
    print(len(got))


if __name__ == '__main__':
    what, rest = sys.argv[1], sys.argv[2:]
    if what == 'score':
        score(rest[0], rest[1], int(rest[2]) if len(rest) > 2 else 1, float(rest[3]) if len(rest) > 3 else 0)
    else:
        {'make': make, 'same': same, 'turned': turned, 'scripts': scripts}[what](*rest)
