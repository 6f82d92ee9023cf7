"""A checkpoint's folder as two GGUF files, by `platen model convert`.

transformers saves the weights; the words are those of another GGUF file, written
as tokenizer.json has them.
"""
import json
import pathlib
import subprocess

import gguf
from transformers.models.qwen3_5.tokenization_qwen3_5 import PRETOKENIZE_REGEX

PLATEN = pathlib.Path(__file__).resolve().parents[2] / "build/platen"
NORMAL, CONTROL, LITERAL = 1, 3, 4


def write_words(folder, words):
    field = gguf.GGUFReader(words).fields
    token, kind, merges = (field[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "token_type", "merges"))
    split = {"type": "Split", "pattern": {"Regex": PRETOKENIZE_REGEX}, "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    whole = {
        "version": "1.0",
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, level]},
        "decoder": level,
        "added_tokens": [{"id": i, "content": t, "special": kind[i] == CONTROL, "normalized": False}
                         for i, t in enumerate(token) if kind[i] in (CONTROL, LITERAL)],
        "model": {"type": "BPE", "merges": merges,
                  "vocab": {t: i for i, t in enumerate(token) if kind[i] == NORMAL}},
    }
    (folder / "tokenizer.json").write_text(json.dumps(whole))
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<|im_end|>"}))


def convert(folder, words, text, eye, bf16=False):
    write_words(folder, words)
    subprocess.run([PLATEN, "model", "convert", folder, "-o", text, "--type", "bf16" if bf16 else "f32"],
                   check=True, stdout=subprocess.DEVNULL)
    text.with_name("mmproj-" + text.name).rename(eye)
