#!/usr/bin/env python3
"""same_gguf.py A.gguf B.gguf [--values]: do both hold the same tensors? Tensors of one type must be equal byte for byte
but for the last digit of norms (a checkpoint stores them less one) and of ssm_a (stored as a logarithm); with --values
those of different types are compared as values, to the last digit of F32. Prints what differs; ends with 1 if anything does."""
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../vlm/train'))
import numpy as np
from export_hf import Gguf

a, b = (Gguf(p) for p in sys.argv[1:3])
values, wrong, same = '--values' in sys.argv, [], 0
names = lambda g: {n for n in g.tensors if not n.endswith('.scale')}
wrong += ['%s: in one file only' % n for n in sorted(names(a) ^ names(b))]
for n in sorted(names(a) & names(b)):
    (sa, ka, ra), (sb, kb, rb) = a.tensors[n], b.tensors[n]
    x, y = a.get(n), b.get(n)
    loose = 'norm' in n or n.endswith('ssm_a')
    if tuple(sa) != tuple(sb):
        wrong.append('%s: sizes %s and %s' % (n, sa, sb))
    elif loose or (values and ka != kb):
        if np.abs(x - y).max() > 2e-7 * max(1, np.abs(x).max()):
            wrong.append('%s: values differ by %g' % (n, np.abs(x - y).max()))
    elif ka != kb or ra.tobytes() != rb.tobytes():
        wrong.append('%s: types %d and %d, or other bytes' % (n, ka, kb))
    same += 1
print('\n'.join(wrong[:8]) if wrong else '%d tensors are the same' % same)
sys.exit(bool(wrong))
