#!/usr/bin/env python3
"""Our readers of blocks against the package gguf, and NVFP4 against modelopt.

    blocks.py ANSWER N    N random blocks of each type
"""
import pathlib
import subprocess
import sys
import tempfile
import warnings

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Type

# Where halves stand in a block: random ones would be no numbers half the time.
HALVES = {
    Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2], Type.Q8_0: [0],
    Type.Q2_K: [80, 82], Type.Q3_K: [108], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208],
    Type.IQ2_XXS: [0], Type.IQ2_XS: [0], Type.IQ2_S: [0], Type.IQ3_XXS: [0], Type.IQ3_S: [0],
    Type.IQ1_S: [0], Type.IQ1_M: [], Type.IQ4_NL: [0], Type.IQ4_XS: [0], Type.TQ1_0: [52],
    Type.TQ2_0: [64], Type.MXFP4: [], Type.NVFP4: [], Type.BF16: [], Type.F16: [], Type.F32: [],
}


def random_blocks(kind, n, r):
    block, size = gguf.GGML_QUANT_SIZES[kind]
    if block == 1:
        values = r.normal(0, 1, 256 * n).astype(np.float32)
        raw = gguf.quantize(values, kind) if kind != Type.F32 else values
        return np.ascontiguousarray(raw).view(np.uint8).reshape(n, -1)
    raw = r.integers(0, 256, (n, size), dtype=np.uint8)
    for at in HALVES[kind]:
        half = (r.uniform(-4, 4, n) * 10.0 ** r.integers(-6, 3, n)).astype(np.float16)
        raw[:, at:at + 2] = half.view(np.uint8).reshape(n, 2)
    if kind == Type.IQ1_M:  # the half is the four top nibbles of the scales
        raw[:, 55] = raw[:, 55] & 0x0F | 0x30
    if kind == Type.NVFP4:
        raw[:, :4] &= 0x7F
    return raw


def ours(answer, kind, raw, place):
    raw.tofile(place / "in")
    subprocess.run([answer, "blocks", str(int(kind)), place / "in", place / "out"], check=True)
    return np.fromfile(place / "out", dtype=np.float32)


def types(answer, n, place):
    good = 0
    for kind in HALVES:
        raw = random_blocks(kind, n, np.random.default_rng(int(kind)))
        with np.errstate(all="ignore"):
            want = gguf.dequantize(raw, kind).astype(np.float32).reshape(-1)
        got = ours(answer, kind, raw, place)
        alike = (got.view(np.uint32) == want.view(np.uint32)) | ((got == 0) & (want == 0)) \
            | (np.isnan(got) & np.isnan(want))
        good += bool(alike.all())
        if not alike.all():
            at = int(np.flatnonzero(~alike)[0])
            print(f"blocks: {kind.name}: {(~alike).sum()} of {len(got)} values differ, the first at {at}: "
                  f"{got[at]!r}, want {want[at]!r}")
    print(f"blocks: {good} of {len(HALVES)} types alike bit for bit, {n} blocks of each")
    return good == len(HALVES)


# Our quantisers: bit for bit where there is one right answer; by their error where there is a better one; and where
# gguf reads a type that it does not write, below the next one of theirs that is no larger.
EXACT = [Type.F16, Type.BF16]
RIVAL = {Type.Q8_0: Type.Q8_0, Type.MXFP4: Type.MXFP4, Type.Q4_K: Type.Q4_1, Type.Q5_K: Type.Q5_1, Type.Q6_K: Type.Q5_1,
         Type.NVFP4: Type.MXFP4}
LESS = 1 + 1e-6


def pack(answer, kind, x, place):
    x.tofile(place / "in")
    subprocess.run([answer, "pack", str(int(kind)), place / "in", place / "out"], check=True)
    return np.fromfile(place / "out", dtype=np.uint8)


def quantisers(answer, n, place):
    r = np.random.default_rng(15)
    x = (r.normal(0, 1, (n, 256)) * 10.0 ** r.uniform(-3, 1, (n, 1))).astype(np.float32)
    good = 0
    for kind in EXACT:
        theirs = np.ascontiguousarray(gguf.quantize(x, kind)).view(np.uint8).reshape(-1)
        alike = np.array_equal(pack(answer, kind, x, place), theirs)
        print(f"blocks: our {kind.name} of {n} rows is {'' if alike else 'NOT '}gguf's bit for bit")
        good += alike
    for kind, rival in RIVAL.items():
        packed = pack(answer, kind, x, place).reshape(n, -1)
        got = gguf.dequantize(packed, kind).astype(np.float32)
        same = np.array_equal(got.reshape(-1), ours(answer, kind, packed, place))
        block = 32 if kind == rival else 256
        error = ((got - x).astype(np.float64) ** 2).reshape(-1, block).mean(1)
        other = ((gguf.dequantize(gguf.quantize(x, rival), rival) - x).astype(np.float64) ** 2)
        other = other.reshape(-1, block).mean(1)
        more = int((error > other * LESS).sum())
        ratio = float((error / other).mean())
        print(f"blocks: our {kind.name:5} read by gguf as by us: {same}; error of it is {ratio:.3f} of gguf's {rival.name}"
              f" on the mean, larger in {more} of {len(error)} blocks")
        good += same and ratio <= LESS
    print(f"blocks: {good} of {len(EXACT) + len(RIVAL)} quantisers hold")
    return good == len(EXACT) + len(RIVAL)


def as_ggml(codes, scale):
    """modelopt's halves of bytes (neighbours) as ggml's (eight apart), in 64."""
    low, high = codes & 15, codes >> 4
    value = np.stack([low, high], -1).reshape(-1, 4, 16)
    q = value[:, :, :8] | value[:, :, 8:] << 4
    return np.concatenate([scale.reshape(-1, 4), q.reshape(-1, 32)], 1).astype(np.uint8)


def nvfp4(answer, n, place):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from modelopt.torch.quantization.qtensor import NVFP4QTensor
    torch.manual_seed(4)
    x = torch.randn(n, 64) * torch.logspace(-3, 1, n)[:, None]
    packed, scale, second = NVFP4QTensor.quantize(x, 16)
    want = packed.dequantize(dtype=torch.float32, scale=scale, double_scale=second, block_sizes={-1: 16})
    raw = as_ggml(packed._quantized_data.numpy().reshape(-1), scale.view(torch.uint8).numpy())
    got = ours(answer, Type.NVFP4, raw, place) * np.float32(second)
    far = np.abs(got - want.numpy().reshape(-1)).max() / np.abs(want.numpy()).max()
    print(f"blocks: NVFP4 of modelopt, {n} blocks: furthest {far:.1e} of the largest")
    ratio = rounded_by_ours(answer, x, want.numpy(), np.float32(second), place)
    print(f"blocks: NVFP4 of ours errs {ratio:.3f} of what modelopt's does, on its numbers and its factor")
    return far < 1e-6 and ratio <= LESS


def rounded_by_ours(answer, x, want, second, place):
    """Squared error of our codes, of that of modelopt's."""
    x = x.numpy().astype(np.float64)
    scaled = (x / second).astype(np.float32).reshape(-1, 256)
    packed = pack(answer, Type.NVFP4, scaled, place)
    got = ours(answer, Type.NVFP4, packed, place).reshape(x.shape) * second
    return float(((got - x) ** 2).sum() / ((want - x) ** 2).sum())


def main():
    answer, n = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        good = [types(answer, n, place), quantisers(answer, n // 4, place), nvfp4(answer, n, place)]
    sys.exit(not all(good))


main()
