"""Schema-constrained greedy decoding in PyTorch, as the C pipeline does it.

The schema becomes alternatives of structure text between values.  Their tokens are forced where all
agree; elsewhere, and inside values, the model picks among what the schema allows.
"""
import numpy as np
import torch

import vocab
from model import Session, to_patches

V = vocab.V
DIGITS = [vocab.BYTE_ID[b] for b in b'0123456789']
DOT, DASH = vocab.BYTE_ID[ord('.')], vocab.BYTE_ID[ord('-')]
PRINTABLE = [vocab.BYTE_ID[b] for b in range(32, 127) if b not in b'"\\']
MORE = [vocab.BYTE_ID[b] for b in range(0x80, 0xc0)]                         # what follows the first byte of a character
FIRST = {vocab.BYTE_ID[b]: 2 if b < 0xe0 else 3 for b in range(0xc2, 0xf0)}     # and how long a character gets
LONGEST = 80


def _object(fields, i, cont):
    """Alternatives (structure text, leaf) from before field i on; a leaf is (type, what follows)."""
    f = fields[i]
    pre = ('{"' if i == 0 else ',"') + f.key + '":'
    after = (lambda: _object(fields, i + 1, cont)) if i + 1 < len(fields) else (lambda: [('}' + t, a) for t, a in cont()])
    if f.type in ('[', '[s'):
        def element():
            return _object(f.children, 0, more) if f.type == '[' else [('"', ('s', more))]

        def more():
            return [(',' + t, a) for t, a in element()] + [(']' + t, a) for t, a in after()]
        return [(pre + '[' + t, a) for t, a in element()] + [(pre + '[]' + t, a) for t, a in after()]
    return [(pre + ('"' if f.type in 'sd' else ''), (f.type, after)), (pre + 'null', ('null', after))]


def _value_ids(kind, ids):
    """Byte tokens that may follow inside a value, and whether the value may end here."""
    n = len(ids)
    if kind == 's':
        for back in (1, 2):                     # an unfinished character of several bytes
            if n >= back and FIRST.get(ids[-back], 0) > back:
                return MORE, False
        return (PRINTABLE + list(FIRST) if n < LONGEST else []), True
    if kind == 'd':
        return ([DASH] if n in (4, 7) else DIGITS if n < 10 else []), n == 10
    if kind == 'null':
        return [], True
    whole = DOT not in ids
    allowed = [] if whole and (ids[0] == DIGITS[0] or len(ids) > 8) else list(DIGITS)
    if kind == 'n' and whole and len(ids) < 9:
        allowed.append(DOT)
    if not whole and len(ids) - ids.index(DOT) > 2:
        allowed = []
    return allowed, ids[-1] != DOT


def _tokens(text, leaf):
    """Structure tokens of an alternative; a number brings its first digit along, which keeps it apart from null."""
    ids = V.encode(text)
    if leaf is None:
        return [(ids + [vocab.IM_END], None, [])]
    if leaf[0] in 'ni':
        return [(ids + [d], leaf, [d]) for d in DIGITS]
    return [(ids, leaf, [])]


def walker(fields):
    """Coroutine: yields the list of allowed ids, is sent the chosen one."""
    alternatives = _object(fields, 0, lambda: [('', None)])
    kind, value = 'null', []               # nothing but structure may come first
    while True:
        options = [o for t, leaf in alternatives for o in _tokens(t, leaf)]
        path = []
        while not (len(options) == 1 and len(options[0][0]) == len(path)):
            inside, may_end = ([], True) if path else _value_ids(kind, value)
            pick = yield inside + sorted({o[0][len(path)] for o in options} if may_end else [])
            if pick in inside:
                value.append(pick)
                continue
            path.append(pick)
            options = [o for o in options if o[0][:len(path)] == path]
        _, leaf, value = options[0]
        if leaf is None:
            return
        kind, follow = leaf
        alternatives = [('"' + t, a) for t, a in follow()] if kind in 'sd' else follow()


@torch.no_grad()
def generate(m, images, outline, fields, limit=400):
    """JSON texts for a batch of images that share size and schema."""
    s = Session(m, *to_patches(images), *vocab.prompt(outline))
    walkers = [walker(fields) for _ in images]
    allowed = [next(w) for w in walkers]
    out = [[] for _ in images]
    for _ in range(limit):
        if all(a is None for a in allowed):
            break
        logits = s.logits.numpy()
        ids = []
        for i, a in enumerate(allowed):
            if a is None:
                ids.append(vocab.IM_END)
                continue
            best = a[0] if len(a) == 1 else a[int(np.argmax(logits[i][a]))]
            ids.append(best)
            out[i].append(best)
            try:
                allowed[i] = walkers[i].send(best)
            except StopIteration:
                allowed[i] = None
        s.step(ids)
    return [V.decode(ids) for ids in out]
