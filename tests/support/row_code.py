"""Small bar codes in a page's margin: a number for each line, drawn and found again.

A code is MODULES bars wide: a black start of four modules, 17 bits of number, 7 of checksum, a black end of two. It stands
alone at the far left at the height of its line, and is as high as the line's letters: a code that is seen whole belongs to a
line that is seen whole. It survives greys, JPEG, and 75 to 300 dots per inch.
"""
import re
import zlib

BITS, CHECK = 17, 7
MODULES = 5 + BITS + CHECK + 3
MODULE_PT, LEFT_PT, BELOW_PT, HEIGHT_PT = 2.1, 5, 1.8, 7.0
WIDTH_PT = MODULES * MODULE_PT
_MARGIN = 0.3               # of a picture's width: codes are looked for left of it
_WHOLE = 0.75               # of its height must be seen
_ASTRAY = 0.2               # of a module: how far edges are from their places in the mean
_INK = bytes(66 if v < 128 else 87 for v in range(256))     # B and W
_RUN = re.compile(b'B+')


def _check(number):
    return zlib.crc32(number.to_bytes(3, 'big')) & ((1 << CHECK) - 1)


def _pattern(number):
    return '11110' + format(number << CHECK | _check(number), '0%db' % (BITS + CHECK)) + '011'


def bars(number):
    """(first module, modules) of each black bar."""
    assert 0 <= number < 1 << BITS
    return [(m.start(), m.end() - m.start()) for m in re.finditer('1+', _pattern(number))]


def draw(ops, number, y):
    """Appends a code beside the baseline y (points) to a PDF page's operators."""
    for at, n in bars(number):
        ops.append(b'%g %g %g %g re' % (LEFT_PT + at * MODULE_PT, y - BELOW_PT, n * MODULE_PT, HEIGHT_PT))
    ops.append(b'f')


def _number_of(runs, end):
    """The number whose bars are these runs of black pixels, or None: their edges lie where modules meet, give or take."""
    start = runs[0][0]
    module = (end - start) / MODULES
    edges = [((a - start) / module, (b - start) / module) for a, b in runs]
    if sum(abs(x - round(x)) for edge in edges for x in edge) > _ASTRAY * 2 * len(runs):
        return None
    bits = ['0'] * MODULES
    for a, b in edges:
        bits[round(a):round(b)] = '1' * (round(b) - round(a))
    bits = ''.join(bits)
    number = int(bits[5:5 + BITS], 2)
    return number if bits == _pattern(number) else None


def _number_in(row):
    """(number, width of a module) of the code that begins with the first ink of a row of pixels, or None."""
    first = _RUN.search(row)
    if not first or first.end() - first.start() < 5:
        return None
    length = (first.end() - first.start()) / 4 * MODULES
    end = int(first.start() + 1.2 * length) + 1
    runs = [run.span() for run in _RUN.finditer(row, first.start(), min(len(row), end))]
    ends = [i for i, run in enumerate(runs) if abs(run[1] - runs[0][0] - length) <= 0.16 * length]
    for i in sorted(ends, key=lambda i: abs(runs[i][1] - runs[0][0] - length)):
        number = _number_of(runs[:i + 1], runs[i][1])
        if number is not None:
            return number, (runs[i][1] - runs[0][0]) / MODULES
    return None


def find(picture):
    """The numbers that stand in the left margin of a Pillow picture, from top to bottom."""
    width = max(1, int(picture.width * _MARGIN))
    data = picture.crop((0, 0, width, picture.height)).convert('L').tobytes().translate(_INK)
    found, last, count = [], None, 0
    for y in range(picture.height + 1):
        got = _number_in(data[y * width:(y + 1) * width]) if y < picture.height else None
        number = got and got[0]
        if number is not None and number == last:
            count += 1
        else:
            last, count = number, 1
        if number is not None and number not in found[-1:] and count >= _WHOLE * HEIGHT_PT / MODULE_PT * got[1]:
            found.append(number)
    return found
