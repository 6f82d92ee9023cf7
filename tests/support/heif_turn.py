"""Gives the picture of a HEIF file the property irot, which heif-enc 1.15 cannot write.

  turned(bytes, angle)    the file, turned anticlockwise by angle * 90 degrees when it is shown
"""
import struct


def boxes(data):
    at = 0
    while at < len(data):
        size, kind = struct.unpack_from('>I4s', data, at)
        yield kind, data[at + 8:at + size]
        at += size


def box(kind, body):
    return struct.pack('>I4s', len(body) + 8, kind) + body


def moved(iloc, by):
    """The places of items, so many bytes further on."""
    version = iloc[0]
    assert version < 2, 'iloc of a version that heif-enc does not write'
    sizes, = struct.unpack_from('>H', iloc, 4)
    offset, length, base = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    out, at = bytearray(iloc), 8

    def add(place, size):
        value = int.from_bytes(out[place:place + size], 'big')
        out[place:place + size] = (value + by).to_bytes(size, 'big')
    for _ in range(struct.unpack_from('>H', iloc, 6)[0]):
        at += 4 + 2 * version
        based = base and int.from_bytes(iloc[at:at + base], 'big') > 0
        if based:
            add(at, base)
        at += base
        n, = struct.unpack_from('>H', iloc, at)
        at += 2
        for _ in range(n):
            if not based:
                add(at, offset)
            at += offset + length
    return bytes(out)


def associated(ipma, number):
    """Every item has the property of this number, too."""
    assert ipma[0] == 0 and not ipma[3] & 1
    out, at = ipma[:8], 8
    for _ in range(struct.unpack_from('>I', ipma, 4)[0]):
        item, n = struct.unpack_from('>HB', ipma, at)
        out += struct.pack('>HB', item, n + 1) + ipma[at + 3:at + 3 + n] + bytes([0x80 | number])
        at += 3 + n
    return out


def turned(data, angle):
    def meta(body, by):
        out = body[:4]
        for kind, inner in boxes(body[4:]):
            if kind == b'iloc':
                inner = moved(inner, by)
            if kind == b'iprp':
                parts = dict(boxes(inner))
                n = len(list(boxes(parts[b'ipco'])))
                inner = box(b'ipco', parts[b'ipco'] + box(b'irot', bytes([angle]))) + box(b'ipma', associated(parts[b'ipma'], n + 1))
            out += box(kind, inner)
        return out

    def whole(by):
        return b''.join(box(kind, meta(body, by) if kind == b'meta' else body) for kind, body in boxes(data))
    return whole(len(whole(0)) - len(data))
