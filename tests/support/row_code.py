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
_ASTRAY = 0.3               # of a module: how far edges are from their places in the mean
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


def _number_of(runs, start, end):
    """(how far astray the edges are, number) of the code from start to end whose bars are these runs of black pixels, or None."""
    module = (end - start) / MODULES
    edges = [((a - start) / module, (b - start) / module) for a, b in runs]
    astray = sum(abs(x - round(x)) for edge in edges for x in edge) / 2 / len(runs)
    bits = ['0'] * MODULES
    for a, b in edges:
        bits[round(a):round(b)] = '1' * (round(b) - round(a))
    bits = ''.join(bits[:MODULES])
    number = int(bits[5:5 + BITS], 2)
    return (astray, number) if astray < _ASTRAY and bits == _pattern(number) else None


def _runs_in(row):
    """The first runs of ink of a row of pixels, if they may be a code; ends that may be the code's."""
    first = _RUN.search(row)
    if not first or first.end() - first.start() < 5:
        return [], []
    length = (first.end() - first.start()) / 4 * MODULES
    end = int(first.start() + 1.2 * length) + 1
    runs = [run.span() for run in _RUN.finditer(row, first.start(), min(len(row), end))]
    return runs, [i for i, run in enumerate(runs) if abs(run[1] - first.start() - length) <= 0.16 * length]


def _number_in(runs, ends, module):
    """The code's number, or None: as its edges are, else with its ends where they may have been before a coarse scan."""
    ends = [i for i in ends if abs((runs[i][1] - runs[0][0]) / MODULES - module) <= 0.06 * module]
    for shifts in ((0,), (0, -0.5, 0.5, -1, 1)):
        got = [_number_of(runs[:i + 1], runs[0][0] + a, runs[i][1] + b) for i in ends for a in shifts for b in shifts]
        got = sorted(each for each in got if each)
        if got:
            return got[0][1]
    return None


def find(picture):
    """The numbers that stand in the left margin of a Pillow picture, from top to bottom."""
    width = max(1, int(picture.width * _MARGIN))
    data = picture.crop((0, 0, width, picture.height)).convert('L').tobytes().translate(_INK)
    rows = [_runs_in(data[at:at + width]) for at in range(0, len(data), width)]
    # all codes of a picture have the same size
    sizes = sorted((runs[i][1] - runs[0][0]) / MODULES for runs, ends in rows for i in ends if _number_of(runs[:i + 1], runs[0][0], runs[i][1]))
    module = sizes[len(sizes) // 2] if sizes else 1
    found, last, count = [], None, 0
    for runs, ends in rows:
        number = _number_in(runs, ends, module) if ends else None
        last, count = number, count + 1 if number == last else 1
        if number is not None and number not in found[-1:] and count >= _WHOLE * HEIGHT_PT / MODULE_PT * module:
            found.append(number)
    return found
