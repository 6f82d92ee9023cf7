#!/usr/bin/env python3
"""llama.cpp on what `platen model convert` makes: its own converter's file, and its logits.

    llama.py PEER LIBS SOURCES    PEER: tests/bench/peer.c, built; SOURCES: of llama.cpp

Checkpoints of transformers become files by both converters. Both hold the same tensors, and llama.cpp's library gives
the same logits of both; of every type of ours it gives the logits of our engine, within rounding.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import gguf
import numpy as np

from convert import PLATEN, write_words
from models import DENSE, EYE, MOE, WORDS, config_of, random_model

SAME = 1e-4          # of the largest logit: the same values, added up alike
# root mean square, of that of the logits: both round activations to 8 bits, each in its way
NEAR = {"f32": 2e-3, "bf16": 2e-2, "f16": 2e-3}
QUANTISED = 5e-2
TYPES = ["f32", "bf16", "f16", "q8_0", "q4_k_m", "q5_k_m", "q6_k", "mxfp4", "nvfp4"]
WIDE = dict(hidden_size=256, intermediate_size=512, num_attention_heads=4, linear_num_key_heads=4,
            linear_num_value_heads=8)
CASES = [("dense", dict(DENSE, **WIDE)),
         ("of experts", dict(MOE, **WIDE, moe_intermediate_size=256, shared_expert_intermediate_size=256))]

# The words are not Qwen's, so their fingerprint is in no list: said to be Qwen3.5's.
THEIRS = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/gguf-py"]
from conversion import base
base.TextModel.get_vocab_base_pre = lambda self, tokenizer: "qwen35"
import convert_hf_to_gguf
sys.argv[1:] = sys.argv[2:]
convert_hf_to_gguf.main()
"""


def theirs(sources, folder, out, *more):
    made = subprocess.run([sys.executable, "-c", THEIRS, sources, folder, "--outfile", out, *more],
                          capture_output=True, text=True)
    if made.returncode:
        raise SystemExit(f"llama: convert_hf_to_gguf.py fails: {made.stderr[-2000:]}")


def ours(folder, out, kind):
    subprocess.run([PLATEN, "model", "convert", folder, "-o", out, "--type", kind], check=True,
                   stdout=subprocess.DEVNULL)


def same_tensors(name, a, b):
    """Names, sizes and values; a type may differ where both keep every bit."""
    a, b = ({t.name: t for t in gguf.GGUFReader(p).tensors} for p in (a, b))
    odd = sorted(set(a) ^ set(b))
    for n in set(a) & set(b):
        x, y = (gguf.dequantize(t.data, t.tensor_type).astype(np.float64).reshape(-1) for t in (a[n], b[n]))
        if list(a[n].shape) != list(b[n].shape) or np.abs(x - y).max() > 1e-6 * np.abs(y).max():
            odd.append(n)
    print(f"llama: {name}: {len(a) - len(odd)} of {len(a)} tensors as convert_hf_to_gguf.py has them"
          + (f": not {odd[:5]}" if odd else ""), flush=True)
    return not odd


def logits_of(command, width, out):
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return np.fromfile(out, dtype=np.float32).reshape(-1, width)


def one(tools, seed, name, text, place):
    peer, libs, sources = tools
    words = gguf.GGUFReader(WORDS).fields["tokenizer.ggml.tokens"].contents()
    config, kind = config_of(text, EYE, words)
    random_model(config, kind, seed).save_pretrained(place / "hf")
    write_words(place / "hf", WORDS)
    (place / "hf/preprocessor_config.json").write_text(json.dumps(dict(
        image_mean=[0.5] * 3, image_std=[0.5] * 3, patch_size=16, merge_size=2, temporal_patch_size=2,
        size=dict(shortest_edge=65536, longest_edge=16777216))))
    np.random.default_rng(seed).integers(0, 900, 60).astype(np.int32).tofile(place / "ids")

    def by_llama(model):
        return logits_of([peer, libs, model, 1, "logits", place / "ids", place / "out"], len(words), place / "out")

    def by_platen(model):
        return logits_of([PLATEN, "model", "logits", model, "--tokens", place / "ids", "--out", place / "out"],
                         len(words), place / "out")

    good = []
    for kind in ("f32", "bf16", "q8_0"):
        ours(place / "hf", place / "ours.gguf", kind)
        theirs(sources, place / "hf", place / "theirs.gguf", "--outtype", kind)
        theirs(sources, place / "hf", place / "eye.gguf", "--outtype", kind, "--mmproj")
        good.append(same_tensors(f"{name} {kind}", place / "ours.gguf", place / "theirs.gguf"))
        good.append(same_tensors(f"{name} {kind}, eye", place / "mmproj-ours.gguf", place / "eye.gguf"))
        a, b = by_llama(place / "ours.gguf"), by_llama(place / "theirs.gguf")
        far = float(np.abs(a - b).max() / np.abs(b).max())
        print(f"llama: {name} {kind}: its logits of both files differ by {far:.1e} of the largest", flush=True)
        good.append(far <= SAME)
    for kind in TYPES:
        ours(place / "hf", place / "ours.gguf", kind)
        a, b = by_llama(place / "ours.gguf"), by_platen(place / "ours.gguf")
        far = float(np.sqrt(((a - b) ** 2).mean() / (b ** 2).mean()))
        print(f"llama: {name} {kind}: loads there; root mean square to our logits {far:.1e}", flush=True)
        good.append(far <= NEAR.get(kind, QUANTISED))
    return good


def main():
    tools = [pathlib.Path(p).resolve() for p in sys.argv[1:4]]
    good = []
    for seed, (name, text) in enumerate(CASES):
        with tempfile.TemporaryDirectory() as place:
            good += one(tools, seed, name, text, pathlib.Path(place))
    print(f"llama: {sum(good)} of {len(good)} comparisons hold")
    sys.exit(not all(good))


main()
