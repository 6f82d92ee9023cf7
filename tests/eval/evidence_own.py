#!/usr/bin/env python3
"""Where the values of records stand that the embedded model read from its own pages, with no words to help: by its attention.

  evidence_own.py --platen build/platen [--docs 160] [--kind receipt,unseen-fonts] [--wrong] [--gate]

Pages come from the generator that the model was trained with (held-out words, seeds and, for unseen-fonts, fonts).  They are
handed over in the ways in which a page can stand otherwise than it is displayed: as it is; turned, with an EXIF mark; on a PDF
page with /Rotate and a crop box; askew; as pages of one TIFF.  Of the values that are right and printed it prints, by the public benchmark's
formula, how many have their page (F1 of those that say one), and how many have a box there with an IoU of 0.5 and more.
With --gate it ends with 1 below 85 % of boxes or 99 % of pages.
"""
import argparse
import collections
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
sys.path[:0] = [here, os.path.join(root, 'vlm', 'train'), os.path.join(root, 'samples')]
import attention  # noqa: E402
import docs  # noqa: E402
import eval as trained  # noqa: E402
from PIL import Image  # noqa: E402
from pdf_write import Pdf  # noqa: E402

BOXES_LEAST, PAGES_LEAST = 0.85, 0.99
ORIENTATION, PAGES, MARGIN = 0x0112, 4, 40
FORMS = ('plain', 'exif', 'rotate', 'askew', 'tiff')


def same_box(box):
    return box


def save_plain(image, path, r):
    image.save(path + '.png')
    return path + '.png', same_box


def save_exif(image, path, r):
    """Stored on its side or on its head; the mark says how to turn it back."""
    mark, turn = r.choice(((3, Image.ROTATE_180), (6, Image.ROTATE_90), (8, Image.ROTATE_270)))
    exif = Image.Exif()
    exif[ORIENTATION] = mark
    image.transpose(turn).save(path + '.jpg', quality=97, exif=exif)
    return path + '.jpg', same_box


def save_rotate(image, path, r):
    """On a larger page of which the picture is the crop box, turned by the page's /Rotate."""
    degrees = r.choice((90, 180, 270))
    turned = image.transpose({90: Image.ROTATE_90, 180: Image.ROTATE_180, 270: Image.ROTATE_270}[degrees])
    w, h = turned.size
    pdf = Pdf()
    pdf.page(w + 2 * MARGIN, h + MARGIN, degrees).image(turned, MARGIN, 0, w, h, 97)
    with open(path + '.pdf', 'wb') as f:
        f.write(pdf.bytes().replace(b'/Rotate', b'/CropBox[%d 0 %d %d]/Rotate' % (MARGIN, MARGIN + w, h)))
    return path + '.pdf', same_box


def save_askew(image, path, r):
    degrees = r.choice((-1, 1)) * r.uniform(1, 2.5)
    w, h = image.size
    image.rotate(degrees, Image.BICUBIC, fillcolor=image.getpixel((1, 1))).save(path + '.png')
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def turned(box):
        at = [((x - .5) * w, (y - .5) * h) for x in (box[0], box[0] + box[2]) for y in (box[1], box[1] + box[3])]
        xs = [.5 + (x * c + y * s) / w for x, y in at]
        ys = [.5 + (y * c - x * s) / h for x, y in at]
        return [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
    return path + '.png', turned


SAVE = {'plain': save_plain, 'exif': save_exif, 'rotate': save_rotate, 'askew': save_askew}


def papers(kind, count, folder):
    """[(form, file, [(page, pointers' beginning, values, box as displayed)])]; several pages for a TIFF."""
    how, out = trained.KINDS[kind], []
    for n in range(count):
        r, form = random.Random(n), FORMS[n % len(FORMS)]
        w, h, items = trained.SIZES[n // len(FORMS) % len(trained.SIZES)]
        spec = docs.Spec(w=w, h=h, count=items, held=True, **how)
        first = trained.HELD + list(trained.KINDS).index(kind) * 1_000_000 + 500_000 + n * PAGES
        path = os.path.join(folder, '%s-%03d' % (kind, n))
        drawn = [attention.sample(first + i, spec)[:2] for i in range(PAGES if form == 'tiff' else 1)]
        pictures = [Image.fromarray(image) for image, _ in drawn]
        if form == 'tiff':
            pictures[0].save(path + '.tiff', save_all=True, append_images=pictures[1:], compression='tiff_deflate')
            out.append((form, path + '.tiff', [(i + 1, '/receipts/%d' % i, values, same_box) for i, (_, values) in enumerate(drawn)]))
        else:
            name, move = SAVE[form](pictures[0], path, r)
            out.append((form, name, [(1, '', drawn[0][1], move)]))
    return out


def schemas(kind, folder):
    """Files of the schema of one receipt and of a list of them."""
    one = trained.schema.json_schema(trained.KINDS[kind]['fields'])
    many = {'type': 'object', 'properties': {'receipts': {'type': 'array', 'items': one}}, 'required': ['receipts'], 'additionalProperties': False}
    for name, value in (('one', one), ('many', many)):
        with open(os.path.join(folder, name + '.schema.json'), 'w') as f:
            json.dump(value, f)
    return os.path.join(folder, 'one.schema.json'), os.path.join(folder, 'many.schema.json')


def read(platen, files, schema, folder):
    """The record of each file, or None."""
    out = os.path.join(folder, 'records')
    subprocess.run([platen, 'extract', *files, '--schema', schema, '--out', out, '--format', 'json', '--dpi', '72', '--engine', 'native', '--ocr', 'off', '--document-timeout', '7200'],
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    paths = [os.path.join(out, os.path.splitext(os.path.basename(name))[0] + '.json') for name in files]
    return [trained.parse(open(path).read()) if os.path.exists(path) else None for path in paths]


def is_right(text, got, kind):
    if text is None or got is None:
        return False
    return trained.same(text, trained.decimal.Decimal(got) if kind in ('price', 'total', 'quantity') else got)


def judge(record, pages, count, wrong):
    """Counts the values of one record."""
    for page, begin, values, move in pages:
        for pointer, (text, box, kind) in values.items():
            if box is None or not is_right(text, attention.at(record['data'], begin + pointer), kind):
                continue
            field = record['fields'].get(begin + pointer, {})
            evidence = field.get('evidence', [])
            here = [e for e in evidence if e['source'] == 'attention' and int(e['page']) == page]
            best = max((attention.iou([float(v) for v in e['box']], move(box)) for e in here), default=0)
            count['right'] += 1
            count['said'] += 'page' in field
            count['page'] += int(field.get('page', 0)) == page
            count['box'] += len(evidence) > 0
            count['hit'] += best >= 0.5
            if wrong and best < 0.5:
                print('    %s%s page %d: %s stands at %s, said %s' % (record['source']['name'], begin + pointer, page, text, move(box), evidence))


def shares(n):
    precision, recall = n['page'] / max(n['said'], 1), n['page'] / max(n['right'], 1)
    return n['hit'] / max(n['right'], 1), 2 * precision * recall / max(precision + recall, 1e-9)


def line(name, n):
    hit, page = shares(n)
    return '%-28s %5d values right  page F1 %6.2f %%  a box %6.2f %%  the right one %6.2f %%' % (
        name, n['right'], 100 * page, 100 * n['box'] / max(n['right'], 1), 100 * hit)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--platen', required=True)
    parser.add_argument('--docs', type=int, default=160)
    parser.add_argument('--kind', default='receipt,unseen-fonts')
    parser.add_argument('--wrong', action='store_true', help='print the values whose box is wrong')
    parser.add_argument('--gate', action='store_true')
    args = parser.parse_args()
    docs.Page = attention.Boxed
    good = True
    for kind in args.kind.split(','):
        counts = collections.defaultdict(collections.Counter)
        with tempfile.TemporaryDirectory(prefix='platen-own-') as folder:
            one, many = schemas(kind, folder)
            drawn = papers(kind, args.docs, folder)
            for schema, some in ((one, [d for d in drawn if d[0] != 'tiff']), (many, [d for d in drawn if d[0] == 'tiff'])):
                for (form, _, pages), record in zip(some, read(args.platen, [d[1] for d in some], schema, folder)):
                    if record:
                        judge(record, pages, counts[form], args.wrong)
                        judge(record, pages, counts['all'], False)
        for form in FORMS + ('all',):
            print(line('own pages, %s, %s' % (kind, form), counts[form]))
        hit, page = shares(counts['all'])
        good &= hit >= BOXES_LEAST and page >= PAGES_LEAST
    sys.exit(args.gate and not good)


if __name__ == '__main__':
    main()
