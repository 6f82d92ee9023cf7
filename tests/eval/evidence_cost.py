#!/usr/bin/env python3
"""What it costs to say where values stand, on pages with a text layer.

  evidence_cost.py --platen build/platen [--papers 40] [--seed 1] [--gate] [OPTION of extract...]

reads papers of one page with a text layer (papers.py) with the embedded model, or with the one that the options name, and
takes the seconds of their records. All that is done with a text layer's words, once they are there, is within "prepare" (is the
layer to be believed?) and "validate" (where does each value stand?), which do other things, too: their share of a page's time is
the most that evidence can cost. With --gate it ends with 1 where the middle one of these shares is above 3 %.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import papers

SHARE_MOST = 0.03
KINDS = ('invoice', 'receipt', 'letter')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--platen', required=True)
    parser.add_argument('--papers', type=int, default=40)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--gate', action='store_true')
    args, more = parser.parse_known_args()
    shares, own = [], []
    with tempfile.TemporaryDirectory(prefix='platen-cost-') as folder:
        for kind in KINDS:
            draw, schema = papers.KINDS[kind]
            files, out = [], os.path.join(folder, kind)
            for seed in range(args.papers // len(KINDS)):
                files.append(os.path.join(folder, '%s-%d.pdf' % (kind, seed)))
                with open(files[-1], 'wb') as f:
                    f.write(draw(1000 * args.seed + seed).finish())
            subprocess.run([args.platen, 'extract', *files, '--schema', os.path.join(papers.root, 'schemas', schema + '.schema.json'),
                            '--out', out, '--format', 'json', '--max-tokens', '400', *more], stderr=subprocess.DEVNULL)
            for name in os.listdir(out):
                with open(os.path.join(out, name)) as f:
                    seconds = json.load(f)['seconds']
                own.append(seconds['prepare'] + seconds['validate'])
                shares.append(own[-1] / sum(seconds.values()))
    share = statistics.median(shares)
    print('%d pages: what evidence is a part of takes %.1f ms, %.2f %% of a page (medians), %.2f %% at most' %
          (len(own), 1000 * statistics.median(own), 100 * share, 100 * max(shares)))
    sys.exit(args.gate and share > SHARE_MOST)


if __name__ == '__main__':
    main()
