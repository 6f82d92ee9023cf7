"""Marks a row a page of a scan with a broad pen, as somebody does who goes through it: mark_scan.py SCAN.tiff GREY

The band lies across the page at a height that differs from page to page, over one line of print or parts of two; print on
it stays legible.
"""
import sys

from PIL import Image, ImageChops, ImageDraw, ImageSequence


def main():
    path, grey = sys.argv[1], int(sys.argv[2])
    pages = [frame.convert('L') for frame in ImageSequence.Iterator(Image.open(path))]
    for n, page in enumerate(pages):
        w, h = page.size
        top = 0.3 + 0.05 * (n % 7)
        band = Image.new('L', page.size, 255)
        ImageDraw.Draw(band).rectangle((0.08 * w, top * h, 0.92 * w, (top + 0.016) * h), fill=grey)
        pages[n] = ImageChops.darker(page, band)
    pages[0].save(path, save_all=True, append_images=pages[1:], compression='tiff_lzw')


main()
