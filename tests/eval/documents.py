#!/usr/bin/env python3
"""planted.py on real documents whose truth is known: errors of every kind, planted in what a reader says of them.

  documents.py PATH ... [options of planted.py]

A PATH is an e-invoice with its XML (einvoices.py), a folder with paper.pdf, schema.json and truth.json (null: the paper does not say), or a folder of those.
The schema asks for what is known alone: of an e-invoice, what the XML says and the pages print. Amounts, dates and ids of the pages that are no value
are what other values may be taken for. Where a value stands is not known. Needs poppler-utils.
"""
import copy
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import einvoices
import papers
import planted
import words
from evidence import leaf

NAMES = re.compile('^(?!.*(id|number|no)$).*(name|seller|buyer|holder|bank$|merchant|supplier|sender|recipient|company)')
ORDINARY = re.compile('invoice|items|charges', re.I)    # of bills, among the keys of a schema


def pages_of(path):
    """The text of each page as it is laid out, and again as it is written."""
    texts = [subprocess.run(['pdftotext', *how, path, '-'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode('utf-8', 'replace').split('\f') for how in (['-layout'], [])]
    return [(number, page) for number, both in enumerate(zip(*texts), 1) for page in both]


def kind_of(value, at):
    return 'date' if planted.is_date(value) else 'currency' if at.endswith('currency') else 'amount' if planted.is_number(value) and value != int(value) else 'number' if planted.is_number(value) else 'text'


def date_on(page, value):
    """The text of a date that no e-invoice has: the month before the day, of Japan, or without its year."""
    y, m, d = map(int, value.split('-'))
    name = datetime.date(y, m, d).strftime('%b')
    match = re.search(r'(?i)%s[a-z]*\.? 0?%d(?:st|nd|rd|th)? ?,? ?%d|\b0?%d[./-]0?%d[./-](?:%d|%02d)\b|%d年0?%d月0?%d日|\b%02d/%02d\b' % (name, d, y, m, d, y, y % 100, y, m, d, d, m), page)
    return match[0] if match else ''


def text_on(value, kind, page):
    if kind != 'text' or re.search(r'\d', value):
        return einvoices.print_of(value, kind, page)
    match = re.search(r'(?i)(?<!\w)' + r'\s+'.join(map(re.escape, value.split())) + r'(?!\w)', page)       # "aubonmoulin.fr" is no name
    return match[0] if match else ''


def print_on(value, at, pages, whole=True):
    """The first page that says a value, and its text there; or else (not `whole`) the one that has all its words."""
    kind = kind_of(value, at)
    for kind in ('amount', 'number') if kind == 'number' else (kind,):
        for number, page in pages:
            text = ', '.join(filter(None, (text_on(part, kind, page) for part in (value.split(', ') if kind == 'text' else [value]))))
            text = text or kind == 'date' and date_on(page, value)
            if text and (kind != 'text' or text.count(', ') == value.count(', ')):
                return {'page': number, 'text': re.sub(r'\s+', ' ', text), 'boxes': []}
    for number, page in pages if kind == 'text' and not whole else ():
        if all(word in page for word in re.findall(r'\w+', value)):
            return {'page': number, 'text': value, 'boxes': []}
    return None


def asked(schema, value):
    """The schema without what the value has not, and without checks, which may be of that."""
    schema = {key: v for key, v in schema.items() if key != 'x-platen-check'}
    if 'properties' in schema:
        schema['properties'] = {key: asked(schema['properties'][key], v) for key, v in value.items()}
        schema['required'] = list(value)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        schema['items'] = asked(schema['items'], value[0])
    return schema


def leaves(value, at=''):
    for key, v in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(v, (dict, list)):
            yield from leaves(v, '%s/%s' % (at, key))
        else:
            yield '%s/%s' % (at, key), v


def row_on(row, at, pages):
    """The places of a row's cells on the first page that says most of it."""
    best = {}
    for number in sorted({number for number, _ in pages}):
        own = [page for page in pages if page[0] == number]
        some = [('%s/%s' % (at, key), print_on(v, key, own, False)) for key, v in row.items() if v is not None and not isinstance(v, (bool, dict, list))]
        some = {at: place for at, place in some if place}
        best = max(best, some, key=lambda places: sum(len(place['text']) for place in places.values()))      # a short number is anywhere
    return best


class Document:
    """A document as planted.py has papers."""

    def __init__(self, name, seed, pdf, schema, value, pages):
        self.kind, self.seed, self.pdf, self.value, self.schema = name, seed, pdf, value, asked(schema, value)
        self.hidden, self.lies, self.undecided, self.labelled, self.kinds = [], [], set(), [], {}
        self.ordinary = ORDINARY.search(' '.join(value)) is not None
        places = {at: print_on(v, at, pages, False) for at, v in leaves(value) if v is not None and not isinstance(v, bool) and planted.is_scalar(at)}
        for array in words.arrays_of(value):
            for i, row in enumerate(leaf(value, array)):
                places.update(row_on(row, '%s/%d' % (array, i), pages))
        self.truth = {at: [place] for at, place in places.items() if place}
        for at in self.truth:       # what a party has is no name
            if planted.kind_of(self, at) == 'name' and not NAMES.search(at.rsplit('/', 1)[1]):
                self.kinds[at] = 'id' if re.search(r'\d\d', str(leaf(value, at))) else 'text'
        self.heads = {at: list(leaf(value, at)[0]) for at in words.arrays_of(value)}
        scalars = [(at, planted.kind_of(self, at)) for at in self.truth if planted.is_scalar(at)]
        self.exchange = [(a, b) for a, kind in scalars for b, other in scalars if a != b and kind == other != 'text']
        self.distractors = others_of(pages, [v for _, v in leaves(value) if v is not None])

    def finish(self):
        return self.pdf


def others_of(pages, values):
    """Amounts, dates and ids of the pages that are none of the values."""
    text, out = '\n'.join(page for _, page in pages), {'amount': set(), 'date': set(), 'id': set()}
    for m in re.findall(r'(?<![\w.,-])\d{1,3}(?:[.,\' ]?\d{3})*[.,]\d\d(?![\w.,-])', text):
        out['amount'].add(float(re.sub(r'\D', '', m)) / 100)
    for d, sign, m, y in re.findall(r'\b(\d\d?)([./-])(\d\d?)\2((?:19|20)\d\d)\b', text):
        if int(m) <= 12 and int(d) <= 31 and (sign == '.' or int(d) > 12):
            out['date'].add('%s-%02d-%02d' % (y, int(m), int(d)))
    for token in re.findall(r'(?<!\S)[A-Z0-9][A-Z0-9./-]{5,}(?!\S)', text):
        if len(re.findall(r'\d', token)) > 3 and not re.fullmatch(r'[\d.,-]+[.,]\d\d|\d+[./-]\d+[./-]\d+', token):
            out['id'].add(token)
    said = [planted.bare(str(v)) for v in values]
    strange = lambda v: not any(planted.same(v, other) for other in values) and v and (planted.is_number(v) or not any(planted.bare(v) in s or s in planted.bare(v) for s in said if s))
    return {kind: sorted(filter(strange, found)) for kind, found in out.items()}


def is_signed(value, place, pages):
    """Whether the print has the value's sign: the syntax leaves some signs to the type."""
    minus = any(re.search('[-\u2212] ?(EUR ?)?' + re.escape(place['text']) + '|' + re.escape(place['text']) + ' ?-', page) for _, page in pages)
    return not planted.is_number(value) or not value or minus == (value < 0)


def invoice(path, schema):
    """The parts of a Document of an e-invoice."""
    with tempfile.TemporaryDirectory(prefix='platen-documents-') as folder:
        pdf, scalars, lines = einvoices.opened(path, folder)
    pages, value = pages_of(path), {}
    for at, v in scalars.items():
        # the syntax asks for sums that the page need not print again
        if v is None or v == 0 or at == '/amount_due' and v == scalars['/total']:
            continue
        v = max(v, key=lambda one: one[:2].isalpha()) if isinstance(v, list) else v
        place = print_on(v, at, pages)
        if at == '/iban' and place:
            v = re.sub(r'\s', '', v)
            place = place if papers.iban_of(v[:2], v[4:]) == v else None     # many are none
        if place and is_signed(v, place, pages):
            *way, last = at.strip('/').split('/')
            node = value
            for key in way:
                node = node.setdefault(key, {})
            node[last] = place['text'] if at != '/iban' and einvoices.WHERE[at][0] in ('id', 'name') else v

    def is_known(line, key):
        place = line[key] is not None and print_on(line[key], key, pages)
        return place and is_signed(line[key], place, pages)
    known = [key for key in einvoices.OF_LINE if lines and all(is_known(line, key) for line in lines)]
    if {'description', 'amount'} <= set(known):
        value['items'] = [{key: line[key] for key in known} for line in lines]
    return pdf, schema, value, pages


def folder_of(path):
    with open(os.path.join(path, 'schema.json')) as s, open(os.path.join(path, 'truth.json')) as t, open(os.path.join(path, 'paper.pdf'), 'rb') as p:
        return p.read(), json.load(s), json.load(t), pages_of(os.path.join(path, 'paper.pdf'))


def add(paths):
    """Adds to what planted.py draws."""
    with open(os.path.join(here, '..', '..', 'schemas', 'invoice.schema.json')) as f:
        schema = json.load(f)
    files = sorted({os.path.join(d, f) for path in paths for d, _, names in os.walk(path) for f in names} | {path for path in paths if os.path.isfile(path)})
    known = []
    for path in files:
        folder, base = os.path.split(path)
        try:
            parts = folder_of(folder) if base == 'truth.json' else invoice(path, schema) if base.lower().endswith('.pdf') and not os.path.exists(os.path.join(folder, 'truth.json')) else None
        except ValueError as e:
            print('%s left out: %s' % (path, e))
            continue
        if parts and parts[2] and parts[3] not in known:
            known.append(parts[3])      # the same print may be several files
            name = re.sub(r'[^\w-]', '_', os.path.basename(folder) if base == 'truth.json' else base[:-4])
            while name in planted.KINDS:
                name += '_'
            planted.KINDS[name] = lambda seed, name=name, parts=parts: Document(name, seed, *copy.deepcopy(parts))


def main():
    planted.KINDS.clear()
    split = next((i for i, arg in enumerate(sys.argv) if i and arg[0] == '-'), len(sys.argv))
    add(sys.argv[1:split])
    planted.SETS = {'documents': list(planted.KINDS)}
    sys.argv[1:] = ['--kind', 'documents', '--papers', '1', '--scans', '0'] + sys.argv[split:]
    planted.main()


if __name__ == '__main__':
    main()
