"""First pages of difficult PDFs: platen-raster against poppler's other renderer, page counts against pdfinfo.

  corpus.py PLATEN-RASTER FOLDER

Both pages are averaged down to cells of 16 x 16 px. A cell is lost where pdftoppm has ink and platen has none; a page is
half where over a tenth of the inked cells are lost (two cells at least: the renderers place hair lines differently).
"""
import glob
import io
import os
import subprocess
import sys

from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raster_frames

program, folder = sys.argv[1:]
CELL, INK, FAINT, MEAN = 16, 24, 6, 8       # px; grey levels below white; grey levels between the pages' means
# Where pdftoppm is the one that errs.
KNOWN = {'smask_alpha_oob.pdf': 'an alpha mask is 0 outside its group (PDF 32000-1, 11.6.5.3); pdftoppm paints there'}
classes = {}


def note(kind, name, text=''):
    if kind in ('differs', 'half') and name in KNOWN:
        kind = 'pdftoppm errs'
    classes.setdefault(kind, []).append(name)
    if kind in ('differs', 'half', 'count'):
        print('not ok - corpus: %s: %s %s' % (name, kind, text))


def call(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
    except subprocess.TimeoutExpired:
        return None


def cells(im):
    return im.convert('L').resize((max(1, im.width // CELL), max(1, im.height // CELL)), Image.BOX)


def compare(name, path, page):
    _, w, h, c, _, data = page
    ours = Image.frombytes('L' if c == 1 else 'RGB', (w, h), data)
    r = call('pdftoppm', '-f', '1', '-l', '1', '-singlefile', '-cropbox', '-scale-to-x', str(w), '-scale-to-y', str(h), '-png', path)
    try:
        theirs = Image.open(io.BytesIO(r.stdout))
    except Exception:
        return note('pdftoppm gives nothing', name)
    a, b = list(cells(ours).getdata()), list(cells(theirs.resize((w, h))).getdata())
    inked = sum(v < 255 - INK for v in b)
    lost = sum(v < 255 - INK and u > 255 - FAINT for u, v in zip(a, b))
    mean = abs(sum(a) - sum(b)) / len(a)
    if lost >= 2 and lost * 10 > inked:
        return note('half', name, '%d of %d inked cells are white' % (lost, inked))
    note('differs' if mean > MEAN else 'same', name, 'by %.1f grey levels' % mean)


def look_at(path):
    name = os.path.basename(path)
    r = raster_frames.run(program, path, 'pdf', '--memory', str(2 << 30), '--cpu', '10', '--max-pixels', '1000000')
    if not r.ended:
        return note('refused: %s' % (r.reason or 'resource-cpu'), name)
    info = call('pdfinfo', path)
    counted = [line.split()[1] for line in info.stdout.decode('latin-1').splitlines() if line.startswith('Pages:')] if info else []
    if counted and int(counted[0]) != len(r.pages) and not any('counts' in n for n in r.notes):
        note('count', name, 'pdfinfo %s, platen %d' % (counted[0], len(r.pages)))
    compare(name, path, r.pages[0])


files = sorted(glob.glob(folder + '/pdf/*.pdf'))
for f in files:
    look_at(f)
for kind in sorted(classes):
    print('# %4d %s' % (len(classes[kind]), kind))
bad = sum(len(classes.get(k, [])) for k in ('differs', 'half', 'count'))
print('%s - corpus: %d PDFs, %d wrong' % ('not ok' if bad else 'ok', len(files), bad))
sys.exit(bad > 0)
