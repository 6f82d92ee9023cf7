"""A small GGUF v3 writer: metadata, F32, F16 and Q8_0 tensors.  numpy only."""
import struct

import numpy as np

U32, I32, F32, BOOL, STR, ARR, U64 = 4, 5, 6, 7, 8, 9, 10
_SCALAR = {U32: '<I', I32: '<i', F32: '<f', BOOL: '<?', U64: '<Q'}
T_F32, T_F16, T_Q8_0 = 0, 1, 8


def _string(s):
    b = s.encode()
    return struct.pack('<Q', len(b)) + b


def _value(kind, v):
    return _string(v) if kind == STR else struct.pack(_SCALAR[kind], v)


def q8_0(a):
    """Rows of 32-element blocks: half-precision scale, 32 signed bytes."""
    x = np.ascontiguousarray(a, np.float32).reshape(-1, 32)
    d = np.abs(x).max(1) / np.float32(127)
    inv = np.where(d > 0, 1 / np.where(d > 0, d, 1), 0)
    q = x * inv[:, None]
    q = np.trunc(q + np.copysign(np.float32(0.5), q)).astype(np.int8)        # half away from zero, as ggml rounds
    out = np.empty((len(x), 34), np.uint8)
    out[:, :2] = d.astype('<f2')[:, None].view(np.uint8)
    out[:, 2:] = q.view(np.uint8)
    return out.tobytes()


class Writer:
    def __init__(self):
        self.meta, self.tensors = [], []

    def add(self, key, kind, value):
        self.meta.append(_string(key) + struct.pack('<I', kind) + _value(kind, value))

    def array(self, key, kind, values):
        body = b''.join(_value(kind, v) for v in values)
        self.meta.append(_string(key) + struct.pack('<IIQ', ARR, kind, len(values)) + body)

    def tensor(self, name, a, kind=None):
        """`a` in row-major order, so its last axis is ne[0].  Without `kind`: Q8_0 for matrices with rows of whole
        blocks, F32 otherwise."""
        a = np.ascontiguousarray(a, np.float32)
        if kind is None:
            kind = T_Q8_0 if a.ndim == 2 and a.shape[1] % 32 == 0 else T_F32
        data = q8_0(a) if kind == T_Q8_0 else a.astype('<f2' if kind == T_F16 else '<f4').tobytes()
        self.tensors.append((name, a.shape[::-1], kind, data))

    def save(self, path):
        head, offset = b'', 0
        for name, ne, kind, data in self.tensors:
            head += _string(name) + struct.pack('<I', len(ne)) + struct.pack('<%dQ' % len(ne), *ne)
            head += struct.pack('<IQ', kind, offset)
            offset += -(-len(data) // 32) * 32
        out = b'GGUF' + struct.pack('<IQQ', 3, len(self.tensors), len(self.meta)) + b''.join(self.meta) + head
        with open(path, 'wb') as f:
            f.write(out + b'\0' * (-len(out) % 32))
            for _, _, _, data in self.tensors:
                f.write(data + b'\0' * (-len(data) % 32))
