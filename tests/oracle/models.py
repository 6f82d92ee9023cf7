#!/usr/bin/env python3
"""Small random checkpoints of transformers against ours: logits, picture rows.

    models.py ANSWER [FOLDER]    FOLDER: keep the two of tests/vectors/official
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
import transformers
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from convert import convert

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = ROOT / "tests/vectors/micro-f32.gguf"
MOST = 1e-4  # of the largest value
START, END, PAD = "<|vision_start|>", "<|vision_end|>", "<|image_pad|>"

DENSE = dict(hidden_size=128, intermediate_size=192, num_hidden_layers=4, num_attention_heads=2,
             num_key_value_heads=1, head_dim=64, linear_num_key_heads=2, linear_num_value_heads=2,
             linear_key_head_dim=64, linear_value_head_dim=64)
MOE = dict(DENSE, num_experts=8, num_experts_per_tok=3, moe_intermediate_size=64,
           shared_expert_intermediate_size=96)
EYE = dict(depth=2, hidden_size=128, intermediate_size=256, num_heads=2)
# name, text, vision, width and height of the picture, words behind it
# the two that make test keeps
TINY = dict(hidden_size=64, intermediate_size=96, num_attention_heads=2, num_key_value_heads=1, head_dim=32,
            linear_key_head_dim=32, linear_value_head_dim=32, linear_num_value_heads=4, section=[2, 1, 1])
TINY_EYE = dict(depth=2, hidden_size=64, intermediate_size=96, num_heads=2, num_position_embeddings=144)
KEPT = ("tiny dense", "tiny moe")
CASES = [
    ("tiny dense", dict(DENSE, **TINY), TINY_EYE, (61, 100), 40),
    ("tiny moe", dict(MOE, **TINY, tie=True), TINY_EYE, (100, 61), 40),
    ("dense", DENSE, EYE, (256, 288), 40),
    ("moe", dict(MOE, linear_num_value_heads=4), EYE, (288, 256), 40),
    ("two value heads a key head", dict(DENSE, linear_num_value_heads=4), EYE, (256, 256), 150),
    ("three value heads a key head", dict(DENSE, linear_num_value_heads=6), EYE, (320, 256), 90),
    ("four, one head of keys for four", dict(DENSE, linear_num_value_heads=8, num_attention_heads=4),
     EYE, (256, 320), 90),
    ("tied head", dict(DENSE, tie=True), EYE, (256, 256), 40),
    ("attention every second layer", dict(DENSE, num_hidden_layers=6, interval=2), EYE, (256, 256), 40),
    ("true sizes of heads", dict(DENSE, head_dim=256, linear_key_head_dim=128, linear_value_head_dim=128,
                                 section=[11, 11, 10]), dict(EYE, hidden_size=144), (320, 320), 200),
    ("six heads, two of keys", dict(DENSE, hidden_size=192, num_attention_heads=6, num_key_value_heads=2),
     dict(EYE, depth=3, num_heads=4), (256, 256), 70),
    ("experts of the largest", dict(MOE, num_experts=64, num_experts_per_tok=10, linear_num_key_heads=4,
                                    linear_num_value_heads=16), EYE, (256, 256), 70),
    ("a picture to be fitted", DENSE, EYE, (517, 401), 40),
    ("a small picture", dict(MOE), EYE, (61, 100), 40),
    ("a long text", DENSE, EYE, (256, 256), 900),
]


def config_of(text, vision, words):
    text = dict(text, vocab_size=len(words), max_position_embeddings=4096)
    rope = dict(rope_type="default", rope_theta=1e7, partial_rotary_factor=0.25, mrope_interleaved=True,
                mrope_section=text.pop("section", [3, 3, 2]))
    text["rope_parameters"] = rope
    text["full_attention_interval"] = text.pop("interval", 4)
    tie = text.pop("tie", False)
    vision = dict(vision, out_hidden_size=text["hidden_size"])
    kind = "Moe" if "num_experts" in text else ""
    if kind:
        text.pop("intermediate_size")
    config = getattr(transformers, f"Qwen3_5{kind}Config")(
        text_config=dict(text, tie_word_embeddings=tie), vision_config=vision, tie_word_embeddings=tie,
        image_token_id=words.index(PAD), vision_start_token_id=words.index(START),
        vision_end_token_id=words.index(END))
    config._attn_implementation = "eager"
    return config, getattr(transformers, f"Qwen3_5{kind}ForConditionalGeneration")


def scale_of(name, p):
    """Of what a parameter adds up: columns; of kernels, all of one output."""
    if name.endswith(("experts.gate_up_proj", "experts.down_proj")):
        return p.shape[-1] ** -0.5
    return p[0].numel() ** -0.5


ABOUT_ONE = ("linear_attn.norm.weight", "norm1.weight", "norm2.weight", "merger.norm.weight")


def random_model(config, kind, seed):
    """Activations of order one in every layer, and values that bfloat16 holds."""
    torch.manual_seed(seed)
    model = kind(config).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name.endswith("A_log"):
                p.uniform_(-2, 1)
            elif p.dim() == 1:
                p.normal_(1 if name.endswith(ABOUT_ONE) else 0, 0.1)
            else:
                p.normal_(0, scale_of(name, p))
            p.copy_(p.to(torch.bfloat16).to(torch.float32))
    return model


def picture(width, height, seed):
    """Shapes and noise: every patch differs, and edges are there."""
    r = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    wave = 127 + 90 * np.sin(x / 17)[..., None] * np.cos(y / 11)[..., None] * r.uniform(0.5, 1, 3)
    wave += r.normal(0, 25, (height, width, 3))
    return np.clip(wave, 0, 255).astype(np.uint8)


def official(model, words, rgb, before, behind):
    """Logits of every row, and the rows of the picture."""
    from PIL import Image
    seen = Qwen2VLImageProcessorPil(patch_size=16, merge_size=2, temporal_patch_size=2,
                                    size=dict(shortest_edge=65536, longest_edge=16777216),
                                    image_mean=[0.5] * 3, image_std=[0.5] * 3)(
        images=Image.fromarray(rgb), return_tensors="pt")
    grid = seen["image_grid_thw"]
    n = int(grid.prod()) // 4
    ids = [*before, words.index(START), *[words.index(PAD)] * n, words.index(END), *behind]
    ids = torch.tensor([ids])
    kinds = (ids == words.index(PAD)).int()
    with torch.no_grad():
        rows = model.model.get_image_features(seen["pixel_values"], grid).pooler_output
        out = model(input_ids=ids, pixel_values=seen["pixel_values"], image_grid_thw=grid,
                    mm_token_type_ids=kinds, use_cache=False)
    rows = torch.cat(list(rows)) if isinstance(rows, (tuple, list)) else rows
    return out.logits[0].float().numpy(), rows.float().numpy(), grid


def ours(answer, how, place, tokens, rgb, width):
    np.array(tokens, dtype=np.int32).tofile(place / "tokens.i32")
    with open(place / "image.rgb", "wb") as f:
        f.write(np.array([rgb.shape[1], rgb.shape[0]], dtype=np.int32).tobytes() + rgb.tobytes())
    model, eye = str(place / "text.gguf"), str(place / "eye.gguf")
    middle = [] if how == "rows" else [place / "tokens.i32"]
    subprocess.run([answer, how, model, eye, *middle, place / "image.rgb", place / "out"], check=True)
    return np.fromfile(place / "out", dtype=np.float32).reshape(-1, width)


def furthest(got, want):
    if got.shape != want.shape:
        raise SystemExit(f"shapes differ: {got.shape}, {want.shape}")
    return float(np.abs(got - want).max() / np.abs(want).max())


def keep(folder, name, place, tokens, rgb, logits):
    """The vectors of `make test`."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    for part in ("text.gguf", "eye.gguf", "tokens.i32", "image.rgb"):
        (folder / f"{name.removeprefix('tiny ')}.{part}").write_bytes((place / part).read_bytes())
    logits[-(len(tokens) // 2):].tofile(folder / f"{name.removeprefix('tiny ')}.logits.f32")


def one(answer, seed, case, words, place, folder):
    name, text, vision, (width, height), n = case
    config, kind = config_of(text, vision, words)
    model = random_model(config, kind, seed)
    model.save_pretrained(place)
    convert(place, WORDS, place / "text.gguf", place / "eye.gguf", name in KEPT)
    r = np.random.default_rng(seed)
    plain = r.integers(0, 900, n + 9).tolist()
    rgb = picture(width, height, seed)
    want, rows, grid = official(model, words, rgb, plain[:9], plain[9:])
    tokens = [*plain[:9], -1, *plain[9:]]
    far = {"rows": furthest(ours(answer, "rows", place, tokens, rgb, rows.shape[1]), rows)}
    for how in ("logits", "steps"):
        far[how] = furthest(ours(answer, how, place, tokens, rgb, want.shape[1]), want)
    if folder and name in KEPT:
        keep(folder, name, place, tokens, rgb, want)
    print(f"models: {name:34} {len(want):5} rows  logits {far['logits']:.1e}  one by one {far['steps']:.1e}"
          f"  picture {far['rows']:.1e}", flush=True)
    return max(far.values()) < MOST


def main():
    answer, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    import gguf
    words = gguf.GGUFReader(WORDS).fields["tokenizer.ggml.tokens"].contents()
    good = 0
    for seed, case in enumerate(CASES):
        with tempfile.TemporaryDirectory() as place:
            good += one(answer, seed, case, words, pathlib.Path(place), folder)
    print(f"models: {good} of {len(CASES)} checkpoints agree within {MOST}")
    sys.exit(good != len(CASES))


if __name__ == "__main__":
    main()
