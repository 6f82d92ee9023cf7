"""Runs platen-raster on a file as its parent would, and reads its frames."""
import struct
import subprocess

MAGIC = 0x32464c50
HELLO, FAIL, COUNT, NOTE, PAGE, END, FILE, OTHER = 1, 2, 16, 17, 18, 19, 25, 26
STATUS = ('damaged encrypted no-pages too-many-pages too-large unsupported-image page-failed no-such-page '
          'resource-cpu resource-memory io-error internal').split()


class Result:
    """layers, n_source, pages [(number, width, height, channels, dpi, bytes)], notes, noted [(what, text)], reason, text, rc;
    files [(name, bytes)] and other, the text of those that are only named; what: 0 a fault that costs nothing, 1 something may be missing, 2 something is not read"""


def parse(data):
    r = Result()
    r.layers, r.n_source, r.pages, r.notes, r.noted, r.reason, r.text, r.ended = 0, 0, [], [], [], None, '', False
    r.files, r.other = [], ''
    at = 0
    while at + 40 <= len(data):
        magic, kind, size, a, b, c, d, e, _ = struct.unpack_from('=2IQ6I', data, at)
        assert magic == MAGIC, 'a frame without its mark'
        body = data[at + 40:at + 40 + size]
        at += 40 + size
        if kind == HELLO:
            r.layers = a
        elif kind == COUNT:
            r.n_source = a
        elif kind == NOTE:
            r.notes.append(body.decode('latin-1'))
            r.noted.append((b, r.notes[-1]))
        elif kind == PAGE:
            r.pages.append((a, b, c, d, e / 1000, body))
        elif kind == FILE:
            r.files.append((body[:b].decode(), body[b:]))
        elif kind == OTHER:
            r.other = body.decode()
        elif kind == FAIL:
            r.reason, r.text = STATUS[a], body.decode('latin-1')
        elif kind == END:
            r.ended = True
    return r


def run(program, path, kind, *options, timeout=120):
    # pixels into a pipe, never a file: the child may write none
    p = subprocess.run(['bash', '-c', 'f=$1 p=$2; shift 2; exec 3<"$f" 4>&1 1>/dev/null; exec "$p" "$@"', 'bash',
                        path, program, '--type', kind, *options],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    r = parse(p.stdout)
    r.rc, r.stderr = p.returncode, p.stderr.decode('latin-1')
    return r
