#!/usr/bin/python3
"""The embedded model on its own receipts: each read alone, and all as the pages of one document under a list of receipts.

  long_embedded.py PLATEN [--pages 40] [--seed 0] [--least 0.5] [--wrong]

Prints "ok - ..." where as many values are right in the list as alone, less --least per cent points, and every page has
its receipt in its place; "not ok - ..." otherwise.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
sys.path.insert(0, os.path.join(root, 'vlm', 'train'))
try:
    from PIL import Image
    import eval as trained
    import schema
except ImportError as e:
    print('skip - embedded list: %s (python3-numpy, python3-pil)' % e.name)
    sys.exit(0)

SIZES = len(trained.SIZES)


def receipts(count, seed):
    """(spec, sample) of receipts that training never saw, in all sizes, one after another."""
    groups = list(trained.groups('receipt', SIZES * trained.GROUP, seed))
    return [(groups[i % SIZES][0], groups[i % SIZES][1][i // SIZES]) for i in range(count)]


def extract(platen, files, wanted, folder):
    """The data of each record, in the order of the files; None without one."""
    with open(os.path.join(folder, 'schema.json'), 'w') as f:
        json.dump(wanted, f)
    out = os.path.join(folder, 'out')
    done = subprocess.run([platen, 'extract', *files, '--schema', f.name, '--out', out, '--document-timeout', '7200'],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    records = []
    for name in files:
        path = os.path.join(out, os.path.splitext(os.path.basename(name))[0] + '.json')
        records.append(trained.parse(open(path).read())['data'] if os.path.exists(path) else None)
    if None in records:
        print('    ' + done.stderr.strip().split('\n')[-1][:300])
    return records


def right(docs, got, wrong):
    """(values that are right, values)."""
    values = []
    for n, ((spec, sample), data) in enumerate(zip(docs, got), 1):
        mine = []
        trained.leaves(spec.fields, sample.truth, data, mine)
        values += [trained.same(t, g) and data is not None for _, t, g in mine]
        if wrong:
            for kind, t, g in mine:
                if not trained.same(t, g):
                    print('    page %d: %s: %s -> %s' % (n, kind, t, g))
    return sum(values), len(values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('platen')
    parser.add_argument('--pages', type=int, default=40)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--least', type=float, default=0.5)
    parser.add_argument('--wrong', action='store_true', help='print the values that are wrong')
    args = parser.parse_args()
    docs = receipts(args.pages, args.seed)
    pictures = [Image.fromarray(sample.image) for _, sample in docs]
    receipt = schema.json_schema(schema.RECEIPT)
    listed = {'type': 'object', 'properties': {'receipts': {'type': 'array', 'items': receipt}}, 'required': ['receipts'],
              'additionalProperties': False}
    with tempfile.TemporaryDirectory(prefix='platen-list-') as folder:
        files = [os.path.join(folder, 'page%03d.png' % i) for i in range(len(docs))]
        for name, picture in zip(files, pictures):
            picture.save(name)
        alone, values = right(docs, extract(args.platen, files, receipt, folder), args.wrong)
        tiff = os.path.join(folder, 'all.tiff')
        pictures[0].save(tiff, save_all=True, append_images=pictures[1:], compression='tiff_deflate')
        data = extract(args.platen, [tiff], listed, folder)[0] or {'receipts': []}
    got = data['receipts']
    together, _ = right(docs, got + [None] * (len(docs) - len(got)), args.wrong)
    holds = len(got) == len(docs) and 100 * (alone - together) <= args.least * values and alone > 0
    print('%s - embedded list: %d receipts on %d pages: %d of %d values right, %d of them alone'
          % ('ok' if holds else 'not ok', len(got), len(docs), together, values, alone)
          + ('' if holds else ': more than %g points apart' % args.least))
    sys.exit(not holds)


if __name__ == '__main__':
    main()
