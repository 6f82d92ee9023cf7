"""Quick checks of the trainer's own parts; a minute on one core.

  python3 selftest.py
"""
import json
import random

import numpy as np
import torch

import decode
import docs
import gguf_write
import real
import schema
import vocab
import words
from model import Config, Session, Tiny, delta_all, delta_step, to_patches, unit
from page import CHARS, CLASS


def check(ok, what):
    print('%s %s' % ('ok  ' if ok else 'FAIL', what))
    if not ok:
        raise SystemExit(1)


def delta_rule():
    torch.manual_seed(0)
    b, h, n, d = 2, 3, 200, 32
    q = unit(torch.randn(b, h, n, d).double()) * d ** -0.5
    k = unit(torch.randn(b, h, n, d).double() + 0.7)             # correlated keys are the hard case
    v, g, beta = torch.randn(b, h, n, d).double(), -torch.rand(b, h, n).double() * 0.3, torch.rand(b, h, n).double()
    state, out = torch.zeros(b, h, d, d).double(), []
    for t in range(n):
        o, state = delta_step(q[:, :, t], k[:, :, t], v[:, :, t], g[:, :, t], beta[:, :, t], state)
        out.append(o)
    o, s = delta_all(q, k, v, g, beta)
    check((o - torch.stack(out, 2)).abs().max() < 1e-12 and (s - state).abs().max() < 1e-12, 'delta rule: parallel form = recurrence')


def cached_decoding():
    torch.manual_seed(0)
    m = Tiny(Config(lvh=8)).double()
    p, ids = torch.randn(2, 48, Config.patch ** 2).double(), torch.randint(0, 600, (2, 9))
    before, after = [600, 3, 5], [7, 8]
    with torch.no_grad():
        want = m(p, 6, 8, before, after, ids)[1]
        s = Session(m, p, 6, 8, before, after)
        worst = (s.logits - want[:, 0]).abs().max()
        for t in range(ids.shape[1]):
            s.step(ids[:, t])
            worst = max(worst, (s.logits - want[:, t + 1]).abs().max())
    check(worst < 1e-12, 'cached decoding = forward')


def answers_are_walkable():
    """Every answer the generator writes must be a path of the constrained decoder, token by token."""
    r, tokens = random.Random(3), 0
    for i in range(300):
        kind = 'page' if i % 5 == 0 else 'strip' if i % 5 == 1 else 'slip' if i % 5 == 2 else 'receipt'
        fields = schema.PAGE if kind in ('page', 'strip') else schema.RECEIPT if i % 3 == 0 else schema.random_schema(r)
        spec = docs.Spec(kind, 256, 192, 7 if kind == 'slip' else 0 if i % 29 == 0 else r.randint(1, 3), fields, True, absent=0.3)
        s = (real if kind in ('strip', 'slip', 'cut') else docs).sample(i, spec)
        walk = decode.walker(fields)
        allowed = next(walk)
        for j, t in enumerate(s.ids):
            assert int(t) in allowed, (vocab.V.decode(s.ids), vocab.V.tokens[t])
            try:
                allowed = walk.send(int(t))
            except StopIteration:
                assert j == len(s.ids) - 1
        tokens += len(s.ids)
        json.loads(vocab.V.decode(s.ids))
    check(True, 'answers are paths of the constrained decoder (%d tokens)' % tokens)


def generator_repeats():
    spec = docs.Spec('receipt', 256, 192, 2, schema.RECEIPT)
    a, b = docs.sample(77, spec), docs.sample(77, spec)
    check((a.image == b.image).all() and (a.ids == b.ids).all() and (a.where == b.where).all(), 'the same seed gives the same page')
    p = to_patches(a.shown[None])[0][0]
    n = Config.patch
    check(p.shape == (a.shown.size // n ** 2, n ** 2) and np.allclose(p[1, 0], (a.shown[0, n] - 127.5) / 127.5), 'patches come in merge order')


def strips_are_labelled():
    """On a strip the answer's characters point at cells of their own class (but for years of two digits, names of months and the like)."""
    hits = total = 0
    for i in range(60):
        spec = docs.Spec('slip', 384, 192, 8, schema.RECEIPT, True) if i % 3 == 0 else docs.Spec('strip', 384, 96, 4, schema.PAGE, True)
        s, again = real.sample(i, spec), real.sample(i, spec)
        assert (s.image == again.image).all() and (s.ids == again.ids).all()
        for t, at in zip(s.ids, s.where):
            if at >= 0 and chr(vocab.BYTES[t]) in CLASS and vocab.BYTES[t] < 127:
                total += 1
                hits += s.cells[at // 32, at % 32] == CLASS[chr(vocab.BYTES[t])]
    check(total > 2000 and hits / total > 0.9, 'characters of a strip stand where its answer says (%d of %d)' % (hits, total))
    check(len(CHARS) < Config.classes and len(set(CHARS)) == len(CHARS), 'every character has a class')


def words_are_labelled():
    """With words for a picture, the answer's characters point at bytes of the prompt that are the same."""
    hits = total = 0
    for i in range(60):
        s = words.sample(i, docs.Spec('words', 0, 0, 12, schema.RECEIPT, True))
        json.loads(vocab.V.decode(s.ids))
        for t, at in zip(s.ids, s.where):
            if at >= 0:
                total += 1
                hits += s.text[at] == t
    check(total > 2000 and hits / total > 0.9, 'characters of an answer stand in the words (%d of %d)' % (hits, total))
    m = Tiny(Config())
    text, ids, where, _, _ = (torch.as_tensor(x) if isinstance(x, np.ndarray) else x for x in words.batch(range(3), docs.Spec('words', 0, 0, 8, schema.RECEIPT)))
    v, logits, logs, _ = m(None, 0, 0, *vocab.words_prompt(schema.outline(schema.RECEIPT)), ids[:, :-1].clamp(min=0), words=text)
    check(logits.shape[:2] == ids.shape and logs[0].shape[-1] == text.shape[1], 'a prompt of words goes through the model')


def quantisation():
    a = np.random.RandomState(0).randn(7, 64).astype(np.float32)
    raw = np.frombuffer(gguf_write.q8_0(a), np.uint8).reshape(-1, 34)
    back = raw[:, 2:].view(np.int8) * raw[:, :2].copy().view('<f2').astype(np.float32)
    check(np.abs(back.reshape(a.shape) - a).max() <= np.abs(a).max() / 250, 'Q8_0 blocks')


def field_names():
    for names in vocab.NAMES.values():
        for w in (w for n in names for w in n.split('_')):
            assert len(vocab.V.encode(w)) == 1, w
    check(vocab.V.types[vocab.IMAGE] == 3 and len(vocab.V.tokens) % 32 == 0, 'every field name is one token a word')
    held = {docs.made_up(random.Random(i), True) for i in range(200)}
    seen = {docs.made_up(random.Random(i), False) for i in range(2000)}
    check(not held & seen, 'held-out words are never drawn for training')


for test in (field_names, delta_rule, cached_decoding, answers_are_walkable, generator_repeats, strips_are_labelled, words_are_labelled, quantisation):
    test()
