"""The Qwen3.5 vision-language block structure at toy size, plus training-only heads.

Parameter names are chosen so that export.py is a table lookup.  Written for torch 1.13 and later.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    # vision
    patch: int = 12
    vd: int = 128
    vl: int = 4
    vh: int = 4
    vff: int = 512
    vgrid: int = 24
    # decoder
    vocab: int = 640
    d: int = 128
    nl: int = 8
    full_every: int = 2        # every second layer is full attention: copying a page is attention work
    ff: int = 384
    nh: int = 4
    nkv: int = 2
    hd: int = 64
    rot: int = 32
    sections: tuple = (6, 5, 5)
    theta: float = 10000.0
    lkh: int = 4
    lvh: int = 4
    lk: int = 32               # key and value width of a GDN head; loaders want them equal
    conv: int = 4
    eps: float = 1e-6
    # training-only heads
    classes: int = 176        # blank, page.CHARS, some to spare
    cells: int = 32            # 4 rows x 8 columns per visual token
    pointer_layers: tuple = (5, 7)
    pointer_heads: tuple = (0, 2)


def rotate(x, cos, sin):
    """Rotate-half over the first 2*len(cos) dims, the rest passes."""
    h = cos.shape[-1]
    a, b, rest = x[..., :h], x[..., h:2 * h], x[..., 2 * h:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin, rest), -1)


class VisionBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c.vh
        self.norm1, self.norm2 = nn.LayerNorm(c.vd, 1e-6), nn.LayerNorm(c.vd, 1e-6)
        self.qkv, self.proj = nn.Linear(c.vd, 3 * c.vd), nn.Linear(c.vd, c.vd)
        self.fc1, self.fc2 = nn.Linear(c.vd, c.vff), nn.Linear(c.vff, c.vd)

    def forward(self, x, cos, sin):
        b, n, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        a = torch.softmax(torch.matmul(q * q.shape[-1] ** -0.5, k.transpose(-1, -2)), -1)
        x = x + self.proj(torch.matmul(a, v).transpose(1, 2).reshape(b, n, d))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x)), approximate='tanh'))


class Vision(nn.Module):
    """Grey patches [B, N, 256] in merge order -> one row per 2x2 patches."""

    def __init__(self, c):
        super().__init__()
        self.c = c
        self.patch = nn.Linear(c.patch ** 2, c.vd)
        self.pos = nn.Embedding(c.vgrid ** 2, c.vd)
        self.blocks = nn.ModuleList(VisionBlock(c) for _ in range(c.vl))
        self.norm = nn.LayerNorm(c.vd, 1e-6)
        self.fc1, self.fc2 = nn.Linear(4 * c.vd, 4 * c.vd), nn.Linear(4 * c.vd, c.d)
        self.seen = {}

    def geometry(self, gh, gw, like):
        """Taps of the align-corners bilinear position table and rotary angles, in merge order."""
        key = (gh, gw, like.dtype, like.device)
        if key in self.seen:
            return self.seen[key]
        n = self.c.vgrid

        def ramp(k):
            s = torch.linspace(0, n - 1, k, dtype=torch.float64)
            lo = s.floor().long()
            return lo, (lo + 1).clamp(max=n - 1), (s - lo)
        r0, r1, fr = ramp(gh)
        c0, c1, fc = ramp(gw)
        order = lambda t: t.reshape(gh // 2, 2, gw // 2, 2).permute(0, 2, 1, 3).reshape(-1)
        taps = [(r0, c0, 1 - fr, 1 - fc), (r0, c1, 1 - fr, fc), (r1, c0, fr, 1 - fc), (r1, c1, fr, fc)]
        index = torch.stack([order(a[:, None] * n + b) for a, b, _, _ in taps])
        weight = torch.stack([order(x[:, None] * y) for _, _, x, y in taps])
        half = self.c.vd // self.c.vh // 2
        inv = 10000.0 ** (-torch.arange(0, half, 2, dtype=torch.float64) / half)
        row = order(torch.arange(gh)[:, None].expand(gh, gw))[:, None] * inv
        col = order(torch.arange(gw)[None].expand(gh, gw))[:, None] * inv
        angle = torch.cat((row, col), -1)
        out = self.seen[key] = (index.to(like.device), *(t.to(like) for t in (weight[..., None], angle.cos(), angle.sin())))
        return out

    def forward(self, x, gh, gw):
        index, weight, cos, sin = self.geometry(gh, gw, x)
        x = self.patch(x) + (self.pos(index) * weight).sum(0)
        for b in self.blocks:
            x = b(x, cos, sin)
        x = self.norm(x).reshape(x.shape[0], -1, 4 * self.c.vd)
        return self.fc2(F.gelu(self.fc1(x)))


class RMS(nn.Module):
    """Zero-centred RMS norm."""

    def __init__(self, d, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.zeros(d)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * (1 + self.weight)


def unit(x):
    return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6)


def delta_step(q, k, v, g, beta, state):
    """One token of the gated delta rule; q,k,v [B,H,d], g,beta [B,H], state [B,H,dk,dv]."""
    state = state * g.exp()[..., None, None]
    u = (v - (state * k[..., None]).sum(-2)) * beta[..., None]
    state = state + k[..., None] * u[..., None, :]
    return (state * q[..., None]).sum(-2), state


def delta_all(q, k, v, g, beta, chunk=64):
    """The whole sequence, chunk by chunk: one unit-triangular solve for all chunks together (stable for
    correlated keys, as on blank paper, unlike a product of powers), then a short loop that carries the state."""
    b, h, n, d = q.shape
    pad = -n % chunk
    if pad:                                     # g = 0 and beta = 0: padded tokens leave the state alone
        q, k, v = (F.pad(t, (0, 0, 0, pad)) for t in (q, k, v))
        g, beta = F.pad(g, (0, pad)), F.pad(beta, (0, pad))
    q, k, v = (t.reshape(b, h, -1, chunk, d) for t in (q, k, v))
    g, beta = g.reshape(b, h, -1, chunk), beta.reshape(b, h, -1, chunk, 1)
    c = g.cumsum(-1)
    low = torch.ones(chunk, chunk, dtype=torch.bool, device=q.device).tril()
    decay = (c[..., :, None] - c[..., None, :]).masked_fill(~low, float('-inf')).exp()
    kt, kb, fade = k.transpose(-1, -2), k * beta, c.exp()[..., None]
    a = (torch.matmul(kb, kt) * decay).tril(-1)
    u, w = torch.linalg.solve_triangular(a, torch.cat((v * beta, kb * fade), -1), upper=False, unitriangular=True).split(d, -1)
    qk, qs = torch.matmul(q, kt) * decay, q * fade
    ks, keep = (k * (c[..., -1:] - c).exp()[..., None]).transpose(-1, -2), c[..., -1].exp()[..., None, None]
    state, out = torch.zeros(b, h, d, d, dtype=q.dtype, device=q.device), []
    for i in range(q.shape[2]):
        fresh = u[:, :, i] - torch.matmul(w[:, :, i], state)
        out.append(torch.matmul(qs[:, :, i], state) + torch.matmul(qk[:, :, i], fresh))
        state = state * keep[:, :, i] + torch.matmul(ks[:, :, i], fresh)
    return torch.cat(out, 2)[:, :, :n], state


class DeltaNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.kd, self.vd = c.lkh * c.lk, c.lvh * c.lk
        self.qkv = nn.Linear(c.d, 2 * self.kd + self.vd, bias=False)
        self.z = nn.Linear(c.d, self.vd, bias=False)
        self.ba = nn.Linear(c.d, 2 * c.lvh, bias=False)
        self.conv = nn.Parameter(torch.randn(c.conv, 2 * self.kd + self.vd) / math.sqrt(c.conv))
        self.A_log = nn.Parameter(torch.empty(c.lvh).uniform_(1, 16).log())
        dt = torch.exp(torch.rand(c.lvh) * math.log(100) + math.log(0.001))
        self.dt_bias = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))
        self.norm = nn.Parameter(torch.ones(c.lk))
        self.out = nn.Linear(self.vd, c.d, bias=False)

    def forward(self, x, cache=None):
        c = self.c
        b, n, _ = x.shape
        u = self.qkv(x)
        past = cache.get('conv') if cache else None
        u = F.pad(u, (0, 0, c.conv - 1, 0)) if past is None else torch.cat((past, u), 1)
        if cache is not None:
            cache['conv'] = u[:, 1 - c.conv:]
        u = F.silu(sum(u[:, j:j + n] * self.conv[j] for j in range(c.conv)))
        q, k, v = (t.reshape(b, n, -1, c.lk) for t in u.split((self.kd, self.kd, self.vd), -1))
        q, k = unit(q) * c.lk ** -0.5, unit(k)
        if c.lvh != c.lkh:
            q, k = q.repeat_interleave(c.lvh // c.lkh, 2), k.repeat_interleave(c.lvh // c.lkh, 2)
        beta, a = self.ba(x).split(c.lvh, -1)
        g = -self.A_log.exp() * F.softplus(a + self.dt_bias)
        q, k, v, g, beta = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), g.transpose(1, 2), beta.sigmoid().transpose(1, 2)
        if cache and 'state' in cache:
            o, s = delta_step(q[:, :, 0], k[:, :, 0], v[:, :, 0], g[:, :, 0], beta[:, :, 0], cache['state'])
            o = o[:, :, None]
        else:
            o, s = delta_all(q, k, v, g, beta)
        if cache is not None:
            cache['state'] = s
        o = o.transpose(1, 2)
        o = o * torch.rsqrt(o.pow(2).mean(-1, keepdim=True) + c.eps) * self.norm
        o = o * F.silu(self.z(x).reshape(b, n, c.lvh, c.lk))
        return self.out(o.reshape(b, n, -1))


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.q = nn.Linear(c.d, c.nh * c.hd * 2, bias=False)      # per head: query, gate
        self.k, self.v = (nn.Linear(c.d, c.nkv * c.hd, bias=False) for _ in range(2))
        self.o = nn.Linear(c.nh * c.hd, c.d, bias=False)
        self.qn, self.kn = RMS(c.hd, c.eps), RMS(c.hd, c.eps)

    def forward(self, x, cos, sin, mask, cache=None, pointer=None):
        """`pointer` = (first query, first key, last key): also return the log attention of the chosen heads there."""
        c = self.c
        b, n, _ = x.shape
        q, gate = self.q(x).view(b, n, c.nh, 2, c.hd).unbind(3)
        k = self.kn(self.k(x).view(b, n, c.nkv, c.hd)).transpose(1, 2)
        v = self.v(x).view(b, n, c.nkv, c.hd).transpose(1, 2)
        q, k = rotate(self.qn(q).transpose(1, 2), cos, sin), rotate(k, cos, sin)
        if cache is not None:
            if 'k' in cache:
                k, v = torch.cat((cache['k'], k), 2), torch.cat((cache['v'], v), 2)
            cache['k'], cache['v'] = k, v
        r = c.nh // c.nkv
        s = torch.matmul(q * c.hd ** -0.5, k.repeat_interleave(r, 1).transpose(-1, -2))
        if mask is not None:
            s = s + mask
        log = None
        if pointer is not None:
            t0, i0, i1 = pointer
            log = torch.log_softmax(s[:, list(c.pointer_heads), t0:], -1)[..., i0:i1]
        o = torch.matmul(torch.softmax(s, -1), v.repeat_interleave(r, 1)).transpose(1, 2)
        return self.o((o * torch.sigmoid(gate)).reshape(b, n, -1)), log


class Layer(nn.Module):
    def __init__(self, c, i):
        super().__init__()
        self.full = (i + 1) % c.full_every == 0
        self.mix = Attention(c) if self.full else DeltaNet(c)
        self.n1, self.n2 = RMS(c.d, c.eps), RMS(c.d, c.eps)
        self.gate, self.up = nn.Linear(c.d, c.ff, bias=False), nn.Linear(c.d, c.ff, bias=False)
        self.down = nn.Linear(c.ff, c.d, bias=False)

    def forward(self, x, rope, mask, cache=None, pointer=None):
        log = None
        if self.full:
            y, log = self.mix(self.n1(x), *rope, mask, cache, pointer)
        else:
            y = self.mix(self.n1(x), cache)
        x = x + y
        h = self.n2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h)), log


class Tiny(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.vis = Vision(c)
        self.emb = nn.Embedding(c.vocab, c.d)
        self.layers = nn.ModuleList(Layer(c, i) for i in range(c.nl))
        self.norm = RMS(c.d, c.eps)
        # Dropped at export: the class in every cell of a visual token, and the cell of the next character.
        self.cellp, self.cellc = nn.Linear(c.d, c.cells * 32), nn.Linear(32, c.classes)
        self.subh = nn.Linear(c.d, c.cells)
        for name, p in self.named_parameters():
            if p.dim() == 2 and not name.endswith('conv'):
                nn.init.normal_(p, std=0.02 if name in ('emb.weight', 'vis.pos.weight') else p.shape[1] ** -0.5)
                if name.endswith(('out.weight', '.o.weight', 'down.weight', 'proj.weight')) or \
                        (name.startswith('vis.blocks') and name.endswith('fc2.weight')):
                    p.data.mul_(0.3)
            elif name.endswith('.bias'):
                nn.init.zeros_(p)
        self._dct()

    def _dct(self):
        """Patches start as a low-pass DCT that maps white paper to zero: that saves the thousands of
        samples in which a random projection finds strokes."""
        n = self.c.patch
        t = torch.arange(n).float()
        base = [torch.cos(math.pi * (t + .5) * u / n) * math.sqrt((1 if u == 0 else 2) / n) for u in range(n)]
        order = sorted((max(u, v), u + v, u, v) for u in range(n) for v in range(n))[:self.c.vd]
        w = torch.stack([torch.outer(base[u], base[v]).reshape(-1) for _, _, u, v in order]) * 0.7
        self.vis.patch.weight.data[:len(w)] = w
        self.vis.patch.bias.data = -self.vis.patch.weight.data.sum(1)

    def rope(self, pos, like):
        """pos [3, n] -> cos, sin [n, rot/2], interleaved sections."""
        inv = self.c.theta ** (-torch.arange(0, self.c.rot, 2, dtype=torch.float64) / self.c.rot)
        axis = torch.zeros(self.c.rot // 2, dtype=torch.long)
        for dim in (1, 2):
            axis[dim:3 * self.c.sections[dim]:3] = dim
        angle = pos.double()[axis].t() * inv
        return angle.cos().to(like), angle.sin().to(like)

    @staticmethod
    def positions(n0, hm, wm, n1):
        a, b = torch.arange(n0), torch.arange(n1) + n0 + max(hm, wm)
        r = torch.arange(hm)[:, None].expand(hm, wm).reshape(-1)
        c = torch.arange(wm)[None].expand(hm, wm).reshape(-1)
        return torch.stack([torch.cat((a, t + n0, b)) for t in (torch.zeros_like(r), r, c)])

    def grid(self, v):
        """Class logits of every cell: [B, N, cells, classes]."""
        return self.cellc(self.cellp(v).view(*v.shape[:2], self.c.cells, 32))

    def forward(self, patches, gh, gw, before, after, answer, pointers=True, words=None):
        """before/after: prompt ids (the same for the batch), answer [B, T]: teacher forcing; `words` [B, N] may stand in
        for the picture (patches None).  Returns visual rows, logits from the last prompt token on, pointer logs, sub-cell logits."""
        v = self.vis(patches, gh, gw) if words is None else self.emb(words)
        b, n0, n = v.shape[0], len(before), v.shape[1]
        text = lambda ids: self.emb(torch.as_tensor(ids, device=v.device))[None].expand(b, -1, -1)
        x = torch.cat((text(before), v, text(after), self.emb(answer)), 1)
        if words is not None:
            n0, gh, gw, n, shown = n0 + n, 0, 0, 0, (n0, n0 + n)
        else:
            shown = (n0, n0 + n)
        start = n0 + n + len(after) - 1
        rope = self.rope(self.positions(n0, gh // 2, gw // 2, x.shape[1] - n0 - n), x)
        mask = torch.full((x.shape[1],) * 2, float('-inf'), dtype=x.dtype, device=x.device).triu(1)
        logs, sub = [], None
        for i, layer in enumerate(self.layers):
            want = (start, *shown) if pointers and i in self.c.pointer_layers else None
            if pointers and i == self.c.pointer_layers[-1]:
                sub = self.subh(x[:, start:])
            x, log = layer(x, rope, mask, pointer=want)
            if log is not None:
                logs.append(log)
        return v, torch.matmul(self.norm(x[:, start:]), self.emb.weight.t()), logs, sub


class Session:
    """Cached decoding of a batch: same prompt, one token per step and row."""

    def __init__(self, m, patches, gh, gw, before, after):
        self.m, b = m, patches.shape[0]
        v = m.vis(patches, gh, gw)
        text = lambda ids: m.emb(torch.as_tensor(ids))[None].expand(b, -1, -1)
        x = torch.cat((text(before), v, text(after)), 1)
        pos = m.positions(len(before), gh // 2, gw // 2, len(after))
        self.caches = [{} for _ in m.layers]
        self.next = int(pos[0, -1]) + 1
        mask = torch.full((x.shape[1],) * 2, float('-inf'), dtype=x.dtype).triu(1)
        self.logits = self._run(x, pos, mask)

    def _run(self, x, pos, mask):
        rope = self.m.rope(pos, x)
        for layer, cache in zip(self.m.layers, self.caches):
            x, _ = layer(x, rope, mask, cache)
        return torch.matmul(self.m.norm(x[:, -1]), self.m.emb.weight.t())

    def step(self, ids):
        pos = torch.full((3, 1), self.next)
        self.next += 1
        self.logits = self._run(self.m.emb(torch.as_tensor(ids))[:, None], pos, None)


def to_patches(images, p=Config.patch):
    """[B, H, W] u8 -> [B, N, p * p] in merge order, scaled as the engine does; rows and columns of patches."""
    b, h, w = images.shape
    x = (torch.as_tensor(images).float() - 127.5) / 127.5
    return x.view(b, h // p // 2, 2, p, w // p // 2, 2, p).permute(0, 1, 4, 2, 5, 3, 6).reshape(b, -1, p * p), h // p, w // p
