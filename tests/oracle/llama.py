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
FINER = 0.1          # where theirs has rounded tensors that ours has not
# root mean square, of that of the logits: both round activations to 8 bits, each in its way
NEAR = {"f32": 2e-3, "bf16": 2e-2, "f16": 5e-3}
QUANTISED = 8e-2
EXPERTS = 3          # times as far: rounding moves a token to another expert where two are nearly as good
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


FLOATS = (gguf.GGMLQuantizationType.F32, gguf.GGMLQuantizationType.F16, gguf.GGMLQuantizationType.BF16)


def same_tensors(name, a, b):
    """Names, sizes and values. A type may differ where both keep every bit, and where ours keeps what theirs rounds to
    8 bits (ssm_alpha, ssm_beta); a single row may be said to be one or not (ffn_gate_inp_shexp). The order is that of
    llama-quantize with ours, that of the checkpoint with theirs. Whether all is well, and whether all is the same."""
    a, b = ({t.name: t for t in gguf.GGUFReader(p).tensors} for p in (a, b))
    odd, finer = sorted(set(a) ^ set(b)), 0
    for n in set(a) & set(b):
        x, y = (gguf.dequantize(t.data, t.tensor_type).astype(np.float64).reshape(-1) for t in (a[n], b[n]))
        rounded = a[n].tensor_type in FLOATS and b[n].tensor_type not in FLOATS
        finer += rounded
        sizes = [[d for d in t[n].shape if d > 1] for t in (a, b)]
        most = (1e-2 if rounded else 1e-6) * np.abs(y).max()
        if sizes[0] != sizes[1] or np.abs(x - y).max() > most:
            odd.append(n)
    print(f"llama: {name}: {len(a) - len(odd)} of {len(a)} tensors as convert_hf_to_gguf.py has them, {finer} finer"
          + (f": not {odd[:5]}" if odd else ""), flush=True)
    return not odd, not finer


# Keys that may differ, and why.
FREE = {
    "general.name": "theirs begins with a capital",
    "general.size_label": "theirs counts the parameters",
    "tokenizer.ggml.add_bos_token": "ours says that none is added, theirs only where tokenizer_config.json does",
    "clip.vision.image_min_pixels": "ours keeps what preprocessor_config.json says",
    "clip.vision.image_max_pixels": "the same",
}


def same_keys(name, a, b):
    """What is said of the model, key by key."""
    def told(path):
        fields = gguf.GGUFReader(path).fields
        return {k: f.contents() for k, f in fields.items() if not k.startswith("GGUF.")}
    a, b = told(a), told(b)
    odd = [k for k in sorted(set(a) | set(b)) if k not in FREE and a.get(k) != b.get(k)]
    alike = sum(a[k] == b[k] for k in set(a) & set(b))
    print(f"llama: {name}: {alike} of {len(set(a) | set(b))} keys alike, {len(odd)} that may not differ do")
    for k in odd:
        print(f"llama: {name}: {k}: {str(a.get(k))[:70]}, by convert_hf_to_gguf.py {str(b.get(k))[:70]}", flush=True)
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

    good, exact, times = [], {}, EXPERTS if "num_experts" in text else 1
    for kind in ("f32", "bf16", "q8_0"):
        ours(place / "hf", place / "ours.gguf", kind)
        theirs(sources, place / "hf", place / "theirs.gguf", "--outtype", kind, "--no-mtp")
        theirs(sources, place / "hf", place / "eye.gguf", "--outtype", kind, "--mmproj")
        for what, a, b in ((f"{name} {kind}", "ours.gguf", "theirs.gguf"),
                           (f"{name} {kind}, eye", "mmproj-ours.gguf", "eye.gguf")):
            alike, exact[what] = same_tensors(what, place / a, place / b)
            good += [alike, same_keys(what, place / a, place / b)]
        a, b = by_llama(place / "ours.gguf"), by_llama(place / "theirs.gguf")
        far = float(np.abs(a - b).max() / np.abs(b).max())
        print(f"llama: {name} {kind}: its logits of both files differ by {far:.1e} of the largest", flush=True)
        good.append(far <= (SAME if exact[f"{name} {kind}"] else FINER * times))
    for kind in TYPES:
        ours(place / "hf", place / "ours.gguf", kind)
        a, b = by_llama(place / "ours.gguf"), by_platen(place / "ours.gguf")
        far = float(np.sqrt(((a - b) ** 2).mean() / (b ** 2).mean()))
        print(f"llama: {name} {kind}: loads there; root mean square to our logits {far:.1e}", flush=True)
        good.append(far <= NEAR.get(kind, QUANTISED) * times)
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
