#!/usr/bin/env python3
"""damage_gguf.py MODEL OUT LAYER FACTOR: the model with the scales of one layer's Q8_0 tensors times FACTOR: a
quantisation that went wrong and still talks fluently. Prints how many blocks it touched."""
import struct
import sys

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
STRING, ARRAY, Q8_0, BLOCK = 8, 9, 8, 34
data = bytearray(open(sys.argv[1], 'rb').read())
at = 0


def take(form):
    global at
    value, = struct.unpack_from('<' + form, data, at)
    at += struct.calcsize('<' + form)
    return value


def text():
    global at
    n = take('Q')
    at += n
    return bytes(data[at - n:at]).decode()


def skip(kind):
    global at
    if kind == STRING:
        return text()
    if kind != ARRAY:
        value = data[at:at + SIZES[kind]]
        at += SIZES[kind]
        return int.from_bytes(value, 'little')
    kind, n = take('I'), take('Q')
    for _ in range(n):
        skip(kind)


assert take('I') == 0x46554747 and take('I') == 3
n_tensor, n_key = take('Q'), take('Q')
keys = {}
for _ in range(n_key):
    name = text()
    keys[name] = skip(take('I'))
tensors = []
for _ in range(n_tensor):
    name = text()
    size = 1
    for _ in range(take('I')):
        size *= take('Q')
    tensors.append((name, size, take('I'), take('Q')))
align = keys.get('general.alignment', 32)
base = (at + align - 1) // align * align
n = 0
for name, size, kind, offset in tensors:
    if not name.startswith('blk.%s.' % sys.argv[3]) or kind != Q8_0:
        continue
    for block in range(size // 32):
        place = base + offset + block * BLOCK
        scale, = struct.unpack_from('<e', data, place)
        struct.pack_into('<e', data, place, scale * float(sys.argv[4]))
        n += 1
open(sys.argv[2], 'wb').write(data)
print(n)
sys.exit(n == 0)
