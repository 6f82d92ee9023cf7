"""Times one training step, forward and backward, by shape and by how it is computed.

  python3 bench.py [--threads 1] [--seconds 5] [--compile]
"""
import argparse
import time

import torch

import docs
import schema
from model import Config, Tiny
from train import losses, tensors

# name, kind, width, height, lines, batch
SHAPES = [('line, encoder', 'vision', 384, 48, 1, 16), ('line, decoder', 'page', 384, 48, 1, 16),
          ('strip, encoder', 'vision', 384, 240, 8, 4), ('strip, decoder', 'page', 384, 240, 8, 4)]
WEIGHTS = dict(ptr=0.3, sub=0.5, grid=1.0)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--threads', type=int, default=1)
    ap.add_argument('--seconds', type=float, default=5)
    ap.add_argument('--compile', action='store_true', help='torch.compile the encoder (torch 2 and later)')
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    print('torch', torch.__version__, 'threads', a.threads, 'compiled' if a.compile else '')
    for name, kind, w, h, count, b in SHAPES:
        spec = docs.Spec('page', w, h, count, schema.PAGE)
        data = tensors(docs.batch(range(b), spec), 'cpu')
        for half in (False, True):
            m = Tiny(Config())
            if a.compile:
                m.vis.forward = torch.compile(m.vis.forward)

            def step():
                with torch.autocast('cpu', dtype=torch.bfloat16, enabled=half):
                    loss, _ = losses(m, kind, spec, data, WEIGHTS)
                loss.backward()
            step()
            steps, wall, cpu = 0, time.time(), time.process_time()
            while time.time() - wall < a.seconds or steps < 2:
                step()
                steps += 1
            cpu = (time.process_time() - cpu) / steps / b
            print('%-15s %dx%d %s: %.1f ms of processor time a sample' % (name, w, h, 'bf16' if half else 'f32 ', cpu * 1e3), flush=True)


if __name__ == '__main__':
    main()
