"""Makes the documents of `make bench-raster`: text pages, scans (JPEG, G4) and 3 against 300 pages.

  make_bench_pdfs.py OUTDIR
"""
import os
import random
import sys

from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', 'samples'))
from pdf_write import Pdf

FONT = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'
WORDS = ('the of and invoice total amount street number date customer order delivery payment bank transfer due '
         'please find enclosed our reference your letter account statement balance').split()


def lines(r, n):
    return [' '.join(r.choice(WORDS) for _ in range(11)).capitalize() + ' %d.' % r.randint(1, 9999) for _ in range(n)]


def text_pdf(path, n_page, embed=None):
    r = random.Random(1)
    pdf = Pdf()
    for _ in range(n_page):
        page = pdf.page(595, 842)
        for i, line in enumerate(lines(r, 48)):
            page.text(60, 780 - 15 * i, 10, line, 'Helvetica')
    pdf.save(path)


def scan_image(r, dpi):
    w, h = int(8.27 * dpi), int(11.69 * dpi)
    im = Image.new('L', (w, h), 245)
    d = ImageDraw.Draw(im)
    font = ImageFont.truetype(FONT, dpi * 10 // 72)
    for i, line in enumerate(lines(r, 48)):
        d.text((dpi * 8 // 10, dpi + i * dpi // 5), line, font=font, fill=30)
    return im


def scan_pdf(path, n_page, dpi, bilevel):
    r = random.Random(2)
    pdf = Pdf()
    for _ in range(n_page):
        im = scan_image(r, dpi)
        pdf.page(595, 842).image(im.point(lambda v: 255 * (v > 128)).convert('1') if bilevel else im, 0, 0, 595, 842)
    pdf.save(path)


if __name__ == '__main__':
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    text_pdf(out + '/text-1.pdf', 1)
    text_pdf(out + '/text-10.pdf', 10)
    scan_pdf(out + '/scan-jpeg-200dpi-5.pdf', 5, 200, False)
    scan_pdf(out + '/scan-g4-300dpi-5.pdf', 5, 300, True)
    text_pdf(out + '/long-3.pdf', 3)
    text_pdf(out + '/long-300.pdf', 300)
