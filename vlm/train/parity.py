"""Writes the fixture that ties the C engine to this code: random weights, one image, float64 logits.

  python3 parity.py DIR

The model is smaller than the shipped one but asks for more: colour kernels with two different frames,
more value heads than key heads (tiled order), three recurrent layers before one of attention, norms
away from one.  Files: tiny.gguf, tiny-mmproj.gguf (F32), image.png, prompt.txt, answer.txt,
tokens.i32 (the ids both texts must give), rows.f32 (the image's rows), logits.f32 [tokens, vocab],
one row per token.  Everything is seeded, so the files are reproducible.
"""
import json
import os
import sys

import numpy as np
import torch
import torch.nn as nn
from PIL import Image

import export
import gguf_write as G
import schema
import vocab
from model import Config, Tiny

ANSWER = '{"merchant":"Ab 1","date":null,"items":[{"name":"x","quantity":2,"price":1.50}],"total":'
W, H = 96, 64


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    torch.manual_seed(35)
    c = Config(patch=16, vd=64, vl=2, vh=2, vff=128, vgrid=6, d=64, nl=4, full_every=4, ff=96, nh=4, nkv=2, hd=32, rot=16,
               sections=(3, 3, 2), lkh=2, lvh=4, lk=32, pointer_layers=())
    m = Tiny(c)
    m.vis.patch = nn.Linear(1536, c.vd)
    for name, p in m.named_parameters():
        if p.dim() < 2 and not name.endswith(('A_log', 'dt_bias')):
            p.data += torch.randn_like(p) * 0.2
    m.emb.weight.data *= 10             # logits of some size, so that the tolerance means something
    # F32 is what the file holds: rounding first keeps the comparison exact.
    sd = {k: v.numpy().copy() for k, v in m.state_dict().items()}
    m = m.double().eval()
    export.decoder(sd, c, 0, G.T_F32).save(os.path.join(out, 'tiny.gguf'))
    export.mmproj(sd, c, G.T_F32, pixels=(W * H, W * H)).save(os.path.join(out, 'tiny-mmproj.gguf'))

    y, x = np.mgrid[0:H, 0:W]
    r = np.random.RandomState(5)
    rgb = np.stack([128 + 100 * np.sin(x / 7 + k) * np.cos(y / (5 + k)) for k in range(3)], -1) + r.randn(H, W, 3) * 15
    rgb = np.clip(rgb, 0, 255).astype(np.uint8)
    Image.fromarray(rgb).save(os.path.join(out, 'image.png'))

    gh, gw = H // 16, W // 16
    p = torch.from_numpy((rgb.astype(np.float64) - 127.5) / 127.5)              # (x - 0.5) / 0.5 on 0..1
    p = p.permute(2, 0, 1).reshape(3, gh // 2, 2, 16, gw // 2, 2, 16).permute(1, 4, 2, 5, 0, 3, 6)
    p = p.reshape(-1, 3, 1, 256).expand(-1, -1, 2, -1).reshape(1, -1, 1536)     # channel, frame, y, x

    line = schema.outline(schema.RECEIPT)
    before, after = vocab.prompt(line)
    answer = vocab.V.encode(ANSWER)
    n = gh * gw // 4
    tokens = before + [vocab.IMAGE] * n + after + answer
    with torch.no_grad():
        rows = m.vis(p, gh, gw)
        text = lambda ids: m.emb(torch.as_tensor(ids))[None]
        h = torch.cat((text(before), rows, text(after + answer)), 1)
        rope = m.rope(m.positions(len(before), gh // 2, gw // 2, len(after + answer)), h)
        mask = torch.full((h.shape[1],) * 2, float('-inf'), dtype=h.dtype).triu(1)
        for layer in m.layers:
            h, _ = layer(h, rope, mask)
        logits = torch.matmul(m.norm(h), m.emb.weight.t())[0]
    write = lambda name, a, t: np.asarray(a).astype(t).tofile(os.path.join(out, name))
    write('tokens.i32', tokens, '<i4')
    write('rows.f32', rows[0].numpy(), '<f4')
    write('logits.f32', logits.numpy(), '<f4')
    for name, text in (('prompt.txt', vocab.chat_bytes(line, n)), ('answer.txt', ANSWER)):
        with open(os.path.join(out, name), 'w') as f:
            f.write(text)
    with open(os.path.join(out, 'fixture.json'), 'w') as f:
        json.dump(dict(tokens=len(tokens), vocab=len(vocab.V.tokens), width=W, height=H, image_tokens=n,
                       hidden=c.d, tolerance=1e-3), f)
        f.write('\n')
    print(len(tokens), 'tokens, logits', float(logits.abs().max()), 'at most')


if __name__ == '__main__':
    main()
