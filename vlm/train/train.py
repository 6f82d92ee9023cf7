"""Trains the tiny model by stages, resumes exactly, logs one JSON line per interval.

  python3 train.py --out DIR [--mix documents|lines|strips|words] [--decay-from N --stop N] [--init FILE]

Everything follows from the sample number: data seeds, stage, rates.  So a run that is killed and
started again walks the same path (only --until, for a session that ends by the clock, does not).  Muon moves the matrices (it needs far fewer samples than AdamW,
and its cost disappears behind a batch of pages), AdamW the rest.
"""
import argparse
import collections
import json
import math
import multiprocessing
import os
import random
import signal
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

import docs
import real
import schema
import vocab
import words
from model import Config, Tiny, to_patches
from page import FONTS, MORE_FONTS, PACKAGES, PATCH

# A stage runs until this many samples; weights choose between kinds of batch:
# (kind, width, height, smallest and largest count, weight).  'vision' and 'line' train the encoder alone;
# 'line', 'strip' and 'slip' (a whole receipt) are the print of real.py, 'words' has no picture, the others are the
# documents of docs.py.
LINES = [('vision', 256, 64, 2, 3, 3)]
PAGES = [('page', 256, 64, 1, 2, 2), ('page', 256, 96, 1, 3, 2)]
SMALL = [('receipt', 256, 128, 1, 1, 2), ('receipt', 256, 160, 1, 2, 3), ('receipt', 256, 192, 1, 3, 2)]
WIDE = [('receipt', 256, 224, 2, 4, 1.5), ('receipt', 288, 192, 1, 3, 1.5), ('receipt', 320, 224, 2, 4, 1.5),
        ('receipt', 288, 256, 3, 5, 1), ('receipt', 320, 288, 4, 5, 1), ('page', 256, 128, 3, 5, 1), ('page', 320, 160, 3, 6, 1)]
BLANK = [('receipt', 256, 96, 0, 0, 0.15)]
STAGES = [
    (20_000, LINES + PAGES),                # the pointer forms on short texts
    (37_500, LINES + PAGES + SMALL + BLANK),
    (84_000, LINES + PAGES + SMALL + WIDE + BLANK),
    (112_500, [('vision', 256, 64, 2, 3, 0.5), ('vision', 256, 96, 2, 4, 0.2), ('page', 256, 64, 1, 2, 0.7), ('page', 256, 96, 2, 3, 1)] +
     SMALL[1:] + WIDE + WIDE[-2:] + BLANK),                                     # dense pages are what is left to learn
    (1 << 60, [('vision', 256, 96, 2, 4, 0.5), ('page', 256, 64, 1, 2, 1), ('page', 256, 96, 2, 3, 2.5)] +
     SMALL[1:] + WIDE + WIDE[-2:] * 2 + BLANK),
]
# Towards real print: the encoder first, then both parts on strips, always beside the documents of old.
OLD = [('vision', 256, 96, 2, 4, 1), ('vision', 256, 64, 1, 3, 1)]
REAL_LINES = [('line', 384, 48, 2, 2, 3), ('line', 336, 48, 1, 2, 1), ('line', 480, 48, 1, 2, 1), ('line', 384, 72, 3, 3, 2), ('line', 432, 96, 4, 4, 1)]
REAL_STRIPS = [('strip', 384, 48, 2, 2, 2), ('strip', 336, 48, 1, 1, 1), ('strip', 384, 72, 2, 3, 3), ('strip', 432, 96, 3, 4, 2), ('strip', 384, 168, 6, 7, 0.8)]
REAL_SLIPS = [('slip', 384, 192, 7, 9, 0.6), ('slip', 384, 240, 9, 11, 0.4),
              ('cut', 384, 120, 4, 5, 1.2), ('cut', 384, 168, 6, 8, 2), ('cut', 432, 168, 6, 8, 0.6), ('cut', 336, 144, 5, 6, 0.6), ('cut', 384, 216, 8, 10, 0.8)]
WORDS = [('words', 0, 0, 8, 12, 2), ('words', 0, 0, 12, 24, 2), ('words', 0, 0, 24, 40, 1)]
MIXES = {'documents': STAGES, 'lines': [(1 << 60, REAL_LINES + OLD)],
         'strips': [(1 << 60, [(*m[:5], m[5] * 0.5) for m in REAL_STRIPS] + REAL_SLIPS + REAL_LINES + [(*m[:5], m[5] * 0.5) for m in STAGES[-1][1]])],
         'words': [(1 << 60, WORDS + REAL_STRIPS + [(*m[:5], m[5] * 0.5) for m in STAGES[-1][1]])]}
KEYS = torch.tensor([len(t) > 1 and t.isalpha() and t != 'null' for t in vocab.V.tokens])
# Products in bfloat16 where the processor has it: a third less time per sample, gradients the same to 0.9997 (cosine).
BF16 = torch.cuda.is_available() or any('avx512_bf16' in l for l in open('/proc/cpuinfo') if l.startswith('flags'))
RECEIPTS = ('receipt', 'slip', 'cut', 'words')                          # kinds whose answer is a receipt
ENCODER = ('vision', 'line')                            # kinds that train the encoder alone...
DRAWN = {'vision': 'page', 'line': 'strip'}             # ...and what is drawn for them
HELD = 1 << 40                  # seeds from here on belong to evaluation


def tensors(data, device):
    return [torch.as_tensor(d).to(device) for d in data[:4]]


def stage_of(samples, stages):
    return next(mix for until, mix in stages if samples < until)


def plan(samples, b, stages):
    """The batch that begins at this sample number: kind, specification, seeds.  Nothing else decides what is in it."""
    r = random.Random(samples * 7919 + 1)
    mix = stage_of(samples, stages)
    kind, w, h, lo, hi, _ = r.choices(mix, [m[5] for m in mix])[0]
    n = r.randint(lo, hi)
    if kind in RECEIPTS:
        fields = schema.RECEIPT if r.random() < 0.4 else schema.random_schema(r)
    else:
        fields = schema.PAGE if r.random() < 0.6 else (schema.field('lines', r.choice(vocab.NAMES['lines'])),)
    if kind in ENCODER:
        b *= 2
    spec = docs.Spec(DRAWN.get(kind, kind), w, h, n, fields, fonts=FONTS + MORE_FONTS,
                     absent=0.5 if r.random() < 0.2 else 0.12, soft=0.5)
    return kind, spec, range(samples, samples + b)


def draw(seeds, spec):
    return (words if spec.kind == 'words' else real if spec.kind in ('strip', 'slip', 'cut') else docs).batch(seeds, spec)


def batches(samples, b, pool, ahead, stages):
    """Batches from this sample number on; a pool of processes draws some of them ahead."""
    waiting = collections.deque()
    while True:
        while len(waiting) < ahead:
            kind, spec, seeds = plan(samples, b, stages)
            samples += len(seeds)
            waiting.append((kind, spec, pool.apply_async(draw, (seeds, spec)) if pool else seeds))
        kind, spec, data = waiting.popleft()
        yield kind, spec, data.get() if pool else draw(data, spec)


def losses(m, kind, spec, data, weights):
    images, ids, where, cells = data
    out, total = {}, 0.0
    if kind in ENCODER:
        v = m.vis(*to_patches(images))
    else:
        outline, given = schema.outline(spec.fields), ids[:, :-1].clamp(min=0)
        if kind == 'words':
            v, logits, logs, sub = m(None, 0, 0, *vocab.words_prompt(outline), given, words=images)
        else:
            v, logits, logs, sub = m(*to_patches(images), *vocab.prompt(outline), given)
        real, printed = ids >= 0, where >= 0
        ce = F.cross_entropy(logits.flatten(0, 1), ids.flatten(), ignore_index=-1, reduction='none').view(ids.shape)
        # Keys are forced at run time, so they count little; ends of values and nulls are choices and count fully.
        weight = real.float() * torch.where(KEYS.to(ids.device)[ids.clamp(min=0)] & ~printed, 0.1, 1.0)
        lm = (ce * weight).sum() / weight.sum()
        total = lm
        hit = logits.argmax(-1) == ids
        out['lm'], out['struct'] = lm.item(), float(hit[real & ~printed].float().mean())
        if bool(printed.any()):
            token, cell = where.clamp(min=0) // 32, where.clamp(min=0) % 32
            if kind == 'words':                 # a byte of the prompt instead of a cell of the picture
                token, cell = where.clamp(min=0), None
            out['char'] = float(hit[printed].float().mean())
            ptr = 0.0
            for log in logs:
                at = log.gather(-1, token[:, None, :, None].expand(-1, log.shape[1], -1, 1))[..., 0]
                ptr = ptr - at.transpose(1, 2)[printed].mean()
            out['ptr'] = float((logs[-1][:, 0].argmax(-1) == token)[printed].float().mean())
            total = total + weights['ptr'] * ptr
            if cell is not None:
                s = sub[printed]
                out['sub'] = float((s.argmax(-1) == cell[printed]).float().mean())
                total = total + weights['sub'] * F.cross_entropy(s, cell[printed])
    flat = cells.view(-1)
    ink, blank = (flat > 0).nonzero()[:, 0], (flat == 0).nonzero()[:, 0]
    if len(ink) and kind != 'words':
        blank = blank[torch.randint(0, len(blank), (len(ink),), device=blank.device)]
        h = m.cellp(v).view(-1, 32)
        one, zero = m.cellc(h[ink]), m.cellc(h[blank])
        total = total + weights['grid'] * (F.cross_entropy(one, flat[ink]) + 0.5 * F.cross_entropy(zero, flat[blank]))
        out['cell'] = float((one[:, 1:].argmax(-1) + 1 == flat[ink]).float().mean())
    return total, out


def orthogonal(g):
    """The nearest orthogonal matrices to those in g [n, rows, columns]."""
    x = g / (g.flatten(1).norm(dim=1)[:, None, None] + 1e-7)
    x = x.bfloat16() if BF16 else x
    wide = x.shape[1] <= x.shape[2]
    x = x if wide else x.transpose(1, 2)
    for _ in range(5):
        a = x @ x.transpose(1, 2)
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * (a @ a)) @ x
    return x if wide else x.transpose(1, 2)


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            alike = collections.defaultdict(list)           # matrices of one size go together: fewer, larger products
            for p in group['params']:
                if p.grad is not None:
                    alike[p.shape].append(p)
            for shape, ps in alike.items():
                for p in ps:
                    self.state[p].setdefault('m', torch.zeros_like(p)).mul_(0.95).add_(p.grad)
                turned = orthogonal(torch.stack([p.grad + 0.95 * self.state[p]['m'] for p in ps]))
                for p, u in zip(ps, turned):
                    p.mul_(1 - group['lr'] * 0.01).add_(u, alpha=-group['lr'] * math.sqrt(max(1, shape[0] / shape[1])))


def optimisers(m, lr, mlr):
    inner = lambda n, p: p.dim() == 2 and n.startswith(('vis.blocks', 'layers', 'vis.fc')) and not n.endswith(('conv', 'ba.weight'))
    muon = [p for n, p in m.named_parameters() if inner(n, p)]
    rest = [p for n, p in m.named_parameters() if not inner(n, p)]
    return [(Muon(muon, mlr), mlr), (torch.optim.AdamW(rest, lr=lr, betas=(0.9, 0.98), weight_decay=0.0), lr)]


def held_out(m, mix, count=1):
    """Teacher-forced figures on seeds and words that training never sees, by kind."""
    m.eval()
    sums = {}
    with torch.no_grad():
        for kind, w, h, lo, hi, _ in mix:
            if hi == 0:
                continue
            fields = schema.RECEIPT if kind in RECEIPTS else schema.PAGE
            for i in range(count):
                spec = docs.Spec(DRAWN.get(kind, kind), w, h, (lo + hi + i) // 2, fields, True)
                data = draw(range(HELD + 16 * i, HELD + 16 * i + 16), spec)
                for k, v in losses(m, kind, spec, tensors(data, m.emb.weight.device), dict(ptr=1, sub=1, grid=1))[1].items():
                    sums.setdefault('%s.%s' % (kind, k), []).append(v)
    m.train()
    return {k: round(float(np.mean(v)), 4) for k, v in sorted(sums.items())}


def load_weights(m, path):
    """Weights by name from resume.npz or a checkpoint; returns how many fitted."""
    if path.endswith('.npz'):
        got = {k: torch.from_numpy(v.astype(np.float32)) for k, v in np.load(path).items() if k != 'samples'}
    else:
        got = torch.load(path, map_location='cpu')['ema']
    own = m.state_dict()
    patch = got['vis.patch.weight']
    if patch.shape[1] != PATCH ** 2:            # trained on other patches: the same filters on a stretched patch
        n, size = PATCH, int(patch.shape[1] ** 0.5)
        up = F.interpolate(torch.eye(n * n).view(n * n, 1, n, n), (size, size), mode='bicubic', align_corners=False).view(n * n, -1)
        got['vis.patch.weight'] = patch @ up.t()
    for k, v in (('cellc.weight', 0.0), ('cellc.bias', -5.0)):      # trained with fewer classes: the new ones begin as unlikely
        got[k] = torch.cat((got[k], torch.full_like(own[k][len(got[k]):], v)))
    fit = {k: v for k, v in got.items() if k in own and own[k].shape == v.shape}
    own.update(fit)
    m.load_state_dict(own)
    return len(fit)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--out', required=True)
    ap.add_argument('--init', help='weights to start from (npz or checkpoint) when DIR holds no run yet')
    ap.add_argument('--mix', choices=sorted(MIXES), default='documents', help='what is trained on')
    ap.add_argument('--lr', type=float, default=1e-3)
    ap.add_argument('--mlr', type=float, default=0.008)
    ap.add_argument('--batch', type=int, default=16)
    ap.add_argument('--decay-from', type=int, default=1 << 60, help='rates fall linearly from this sample...')
    ap.add_argument('--stop', type=int, default=1 << 61, help='...to zero at this one, where training ends')
    ap.add_argument('--until', type=float, default=0, help='epoch second: rates fall from --scale to zero by then, and training ends')
    ap.add_argument('--scale', type=float, default=1.0, help='share of the rates with which --until begins')
    ap.add_argument('--device', default='cpu', help='cuda on a GPU')
    ap.add_argument('--workers', type=int, default=0, help='processes that draw pages beside the training')
    ap.add_argument('--threads', type=int, default=1, help='of the training itself')
    ap.add_argument('--steps', type=int, default=0, help='end after this many steps (profiling)')
    a = ap.parse_args()
    if a.mix != 'documents' and (len(real.PIXEL_FONTS) < 66 or len(real.PRINT_FONTS) < 136):
        sys.exit('fonts are missing: apt-get install %s %s' % (PACKAGES, real.PACKAGES))
    torch.set_num_threads(a.threads)
    torch.manual_seed(1)
    os.makedirs(a.out, exist_ok=True)
    last = os.path.join(a.out, 'last.pt')
    pool = multiprocessing.Pool(a.workers) if a.workers else None
    m = Tiny(Config()).to(a.device)
    opts = optimisers(m, a.lr, a.mlr)
    state = dict(samples=0, step=0, cpu=0.0)
    if os.path.exists(last):
        saved = torch.load(last, map_location=a.device)
        m.load_state_dict(saved['model'])
        for (o, _), s in zip(opts, saved['opts']):
            o.load_state_dict(s)
        state, ema = saved['state'], saved['ema']
    else:
        if a.init:
            print('took', load_weights(m, a.init), 'tensors from', a.init)
            if a.init.endswith('.npz'):
                state['samples'] = int(np.load(a.init)['samples'])
        ema = {k: v.clone() for k, v in m.state_dict().items()}
    log = open(os.path.join(a.out, 'log.jsonl'), 'a')

    def emit(d):
        log.write(json.dumps(d) + '\n')
        log.flush()
        print(json.dumps(d), flush=True)

    def save():
        torch.save(dict(model=m.state_dict(), ema=ema, opts=[o.state_dict() for o, _ in opts], state=state), last + '.tmp')
        os.replace(last + '.tmp', last)

    quit_now = []
    signal.signal(signal.SIGTERM, lambda *_: quit_now.append(1))
    cpu0, began = time.process_time() - state['cpu'], time.time()
    source = batches(state['samples'], a.batch, pool, 4 * a.workers or 1, MIXES[a.mix])
    sums, since, saved_at, tested_at = {}, time.time(), time.time(), time.time()
    done = 0
    while state['samples'] < a.stop and not quit_now:
        n, step = state['samples'], state['step']
        scale = min(1, (step + 1) / 200, 1 if n < a.decay_from else max(0.0, (a.stop - n) / (a.stop - a.decay_from)))
        if a.until:
            scale = min(1, (step + 1) / 200) * a.scale * max(0.0, (a.until - time.time()) / (a.until - began))
            if scale == 0:
                break
        for o, lr in opts:
            o.param_groups[0]['lr'] = lr * scale
        late = (a.until or n >= a.decay_from) and scale < 0.4          # by then the helpers have done their work
        torch.manual_seed(n)
        kind, spec, data = next(source)
        data = tensors(data, a.device)
        for o, _ in opts:
            o.zero_grad(set_to_none=True)
        helpers = dict(ptr=0.1 if late else 0.3, sub=0.2 if late else 0.5, grid=1.0 if kind in ENCODER else 0.5)
        parts = 2 if a.device == 'cpu' and spec.w * spec.h > 50_000 else 1      # halves of a large batch stay in the cache: a sixth faster
        for part in range(parts):
            with torch.autocast(a.device, dtype=torch.bfloat16, enabled=BF16):
                loss, out = losses(m, kind, spec, [d[len(d) * part // parts:len(d) * (part + 1) // parts] for d in data], helpers)
            (loss / parts).backward()
            for k, v in out.items():
                sums.setdefault('%s.%s' % (kind, k), []).append(v)
        torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        for o, _ in opts:
            o.step()
        keep = min(0.998, (step + 1) / (step + 20))
        with torch.no_grad():
            for k, v in m.state_dict().items():
                ema[k].mul_(keep).add_(v, alpha=1 - keep)
        state['samples'] += len(data[0])
        state['step'] += 1
        state['cpu'] = time.process_time() - cpu0
        done += 1
        now = time.time()
        if now - since > 30:
            emit(dict(step=state['step'], n=state['samples'], cpu=round(state['cpu']), wall=round(now), rate=round(scale, 3),
                      **{k: round(float(np.mean(v)), 4) for k, v in sorted(sums.items())}))
            sums, since = {}, now
        if now - saved_at > 120:
            save()
            saved_at = now
        if now - tested_at > 1800:
            emit(dict(EVAL=1, n=state['samples'], cpu=round(state['cpu']), **held_out(m, stage_of(n, MIXES[a.mix]))))
            tested_at = time.time()
        if a.steps and done >= a.steps:
            break
    save()
    emit(dict(EVAL=1, n=state['samples'], cpu=round(state['cpu']), **held_out(m, stage_of(state['samples'], MIXES[a.mix]))))


if __name__ == '__main__':
    main()
