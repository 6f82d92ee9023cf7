#!/usr/bin/env python3
"""What it costs to say where values stand, on pages with a text layer.

  evidence_cost.py --platen build/platen [--papers 40] [--seed 1] [--gate] [OPTION of extract...]

reads papers with a text layer (papers.py) with the embedded model, or with the one that the options name, and adds up the
seconds of the records' stages. All that is done with a text layer's words and with the model's look at the page is within
"prepare" (is the layer to be believed?) and "validate" (where does each value stand?), which do other things, too: their share
of the whole is the most that evidence can cost. With --gate it ends with 1 above 3 %.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import papers

SHARE_MOST = 0.03


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--platen', required=True)
    parser.add_argument('--papers', type=int, default=40)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--gate', action='store_true')
    args, more = parser.parse_known_args()
    seconds, n_page = collections.Counter(), 0
    with tempfile.TemporaryDirectory(prefix='platen-cost-') as folder:
        for kind, (draw, schema) in papers.KINDS.items():
            files, out = [], os.path.join(folder, kind)
            for seed in range(args.papers // len(papers.KINDS)):
                files.append(os.path.join(folder, '%s-%d.pdf' % (kind, seed)))
                with open(files[-1], 'wb') as f:
                    f.write(draw(1000 * args.seed + seed).finish())
            subprocess.run([args.platen, 'extract', *files, '--schema', os.path.join(papers.root, 'schemas', schema + '.schema.json'),
                            '--out', out, '--format', 'json', *more], stderr=subprocess.DEVNULL)
            for name in os.listdir(out):
                with open(os.path.join(out, name)) as f:
                    record = json.load(f)
                n_page += len(record['pages'])
                seconds.update(record['seconds'])
    if not n_page:
        sys.exit('no record')
    whole, own = sum(seconds.values()), seconds['prepare'] + seconds['validate']
    print('%d pages, %.1f ms each: %s' % (n_page, 1000 * whole / n_page, ', '.join('%s %.2f' % (k, 1000 * v / n_page) for k, v in seconds.most_common())))
    print('evidence costs %.2f %% of a page at most (prepare and validate)' % (100 * own / whole))
    sys.exit(args.gate and own > SHARE_MOST * whole)


if __name__ == '__main__':
    main()
