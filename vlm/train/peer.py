"""Checks the exported decoder against llama.cpp's prebuilt library: same text on a few pages.

  npm pack @node-llama-cpp/linux-x64 && tar xzf *.tgz
  python3 peer.py --lib package/bins/linux-x64 --model DIR/platen-tiny.gguf CHECKPOINT

Image rows come from our own encoder (the prebuilt library has none); everything after is llama.cpp:
its tokeniser, its M-RoPE positions, its Gated DeltaNet.  Greedy, constrained by the schema.
"""
import argparse
import ctypes as C
import glob
import os

import numpy as np
import torch

import decode
import docs
import eval as held
import schema
import vocab
from model import Config, Tiny, to_patches


class Blob(C.Structure):
    """Parameters by value without their layout: larger than the real structs, passed on the stack."""
    _fields_ = [('words', C.c_uint32 * 128)]


class Batch(C.Structure):
    _fields_ = [('n', C.c_int32), ('token', C.c_void_p), ('embd', C.c_void_p), ('pos', C.c_void_p),
                ('n_seq', C.c_void_p), ('seq', C.c_void_p), ('logits', C.c_void_p)]


class Peer:
    def __init__(self, lib, model):
        base = C.CDLL(glob.glob(lib + '/libggml-base*.so*')[0], C.RTLD_GLOBAL)
        ggml = C.CDLL([p for p in glob.glob(lib + '/libggml.*so*')][0], C.RTLD_GLOBAL)
        self.l = l = C.CDLL(glob.glob(lib + '/libllama.*so*')[0], C.RTLD_GLOBAL)
        ggml.ggml_backend_load_all_from_path(lib.encode())
        l.llama_backend_init()
        l.llama_model_default_params.restype = l.llama_context_default_params.restype = Blob
        l.llama_model_load_from_file.restype = l.llama_init_from_model.restype = C.c_void_p
        l.llama_model_load_from_file.argtypes = [C.c_char_p, Blob]
        l.llama_init_from_model.argtypes = [C.c_void_p, Blob]
        l.llama_decode.argtypes = [C.c_void_p, Batch]
        l.llama_get_logits_ith.restype = C.POINTER(C.c_float)
        l.llama_get_logits_ith.argtypes = [C.c_void_p, C.c_int32]
        l.llama_model_get_vocab.restype = C.c_void_p
        l.llama_model_get_vocab.argtypes = [C.c_void_p]
        l.llama_tokenize.argtypes = [C.c_void_p, C.c_char_p, C.c_int32, C.c_void_p, C.c_int32, C.c_bool, C.c_bool]
        self.model = l.llama_model_load_from_file(model.encode(), l.llama_model_default_params())
        if not self.model:
            raise SystemExit('llama.cpp does not load ' + model)
        self.base = base

    def tokenize(self, text):
        out = (C.c_int32 * 4096)()
        n = self.l.llama_tokenize(self.l.llama_model_get_vocab(self.model), text.encode(), len(text.encode()), out, 4096, False, True)
        return list(out[:n])

    def open(self):
        p = self.l.llama_context_default_params()
        p.words[0], p.words[1], p.words[2] = 1024, 1024, 1024        # n_ctx, n_batch, n_ubatch
        for i in range(4, 12):                                       # n_threads, n_threads_batch: their defaults are 4
            if p.words[i] == p.words[i + 1] == 4:
                p.words[i] = p.words[i + 1] = 1
                break
        self.ctx = self.l.llama_init_from_model(self.model, p)

    def decode(self, pos, tokens=None, rows=None):
        """pos: [n] for tokens, [4, n] for rows.  Returns the logits of the last one."""
        n = len(tokens) if tokens is not None else len(rows)
        pos = np.ascontiguousarray(pos, np.int32)
        zero, flags = np.zeros(n, np.int32), np.zeros(n, np.int8)
        flags[-1] = 1
        ptr = (C.c_void_p * n)(*[zero.ctypes.data] * n)
        ones = np.ones(n, np.int32)
        tok = np.ascontiguousarray(tokens, np.int32) if tokens is not None else None
        emb = np.ascontiguousarray(rows, np.float32) if rows is not None else None
        b = Batch(n, tok.ctypes.data if tok is not None else None, emb.ctypes.data if emb is not None else None,
                  pos.ctypes.data, ones.ctypes.data, C.cast(ptr, C.c_void_p), flags.ctypes.data)
        rc = self.l.llama_decode(self.ctx, b)
        assert rc == 0, rc
        return np.ctypeslib.as_array(self.l.llama_get_logits_ith(self.ctx, -1), (len(vocab.V.tokens),)).copy()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('checkpoint')
    ap.add_argument('--lib', required=True)
    ap.add_argument('--model', required=True)
    a = ap.parse_args()
    torch.set_num_threads(1)
    m = Tiny(Config())
    m.load_state_dict(torch.load(a.checkpoint, map_location='cpu')['ema'])
    m.eval()
    peer = Peer(os.path.abspath(a.lib), a.model)
    same, worst = 0, 0.0
    cases = [('receipt', 0), ('receipt', 1), ('renamed', 2), ('page', 0), ('absent', 1)]
    for kind, which in cases:
        spec, samples = list(held.groups(kind, 64, 0))[which]
        s = samples[0]
        line = schema.outline(spec.fields)
        ours = decode.generate(m, s.shown[None], line, spec.fields)[0]
        with torch.no_grad():
            patches, gh, gw = to_patches(s.shown[None])
            rows = m.vis(patches, gh, gw)[0].numpy()
            session = decode.Session(m, patches, gh, gw, *vocab.prompt(line))
        before, after = vocab.prompt(line)
        text = vocab.chat_bytes(line, len(rows))
        ids = peer.tokenize(text)
        assert ids == before + [vocab.IMAGE] * len(rows) + after, 'tokenisers differ'
        peer.open()
        n0, gw = len(before), gw // 2
        peer.decode(np.arange(n0), tokens=before)
        i = np.arange(len(rows))
        peer.decode(np.stack([0 * i + n0, n0 + i // gw, n0 + i % gw, 0 * i]), rows=rows)
        pos = n0 + max(gw, gh // 2)
        logits = peer.decode(pos + np.arange(len(after)), tokens=after)
        worst = max(worst, float(np.abs(logits - session.logits[0].numpy()).max()))
        pos += len(after)
        walk, out = decode.walker(spec.fields), []
        allowed = next(walk)
        while True:
            best = allowed[int(np.argmax(logits[allowed]))]
            out.append(best)
            try:
                allowed = walk.send(best)
            except StopIteration:
                break
            logits = peer.decode([pos], tokens=[best])
            pos += 1
        theirs = vocab.V.decode(out)
        same += theirs == ours
        print('%s: %s\n  %s' % (kind, 'same' if theirs == ours else 'DIFFERENT', ours), *([] if theirs == ours else ['\n  ' + theirs]))
    print('%d of %d pages give the same text; largest difference of first logits %.2g' % (same, len(cases), worst))


if __name__ == '__main__':
    main()
