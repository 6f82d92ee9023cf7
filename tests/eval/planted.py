#!/usr/bin/env python3
"""Does "agree" mean agree? Errors of every kind, planted in what a reader says of papers.

  planted.py --platen build/platen [--papers 3] [--scans 1] [--of-scan 5] [--seed 1] [--kind bank,...|known|strangers|newcomers|arrivals|departures|guests|visitors|callers] [--plant sign,...]
             [--json FILE] [--show N] [--keep DIR] [--jobs 2] [--gate]

draws papers (layouts.py, strangers.py, newcomers.py, arrivals.py, departures.py, guests.py, visitors.py, callers.py), has platen read each with this program as an endpoint that reads without fail, and once more for each kind of
error, one in a document; a scan costs ten times as much, so only some kinds are planted in each (--of-scan).
It prints, for text layers and for scans:
  planted   by kind, how many errors there are, and of how many nothing tells: the value's verdict is agree or derived, its
            confidence is not below review_threshold and no warning names it (a row that is gone: no gap has its print, and its line
            was not asked for again; columns that are exchanged: a row of which neither cell is flagged); and how many of these are
            in records that nobody is asked to review
  clean     by layout, right values that are flagged, records that are for review, boxes with IoU 0.5 with the true one, of the values with one place,
            and values whose evidence is text that nobody can see
  by root   where the failures are and last a table of groups of kinds with what is asked for of each
"""
import argparse
import collections
import concurrent.futures
import copy
import datetime
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import arrivals
import callers
import confidence
import departures
import evidence
import guests
import layouts
import newcomers
import papers
import strangers
import visitors
from evidence import leaf

USUAL = {**layouts.KINDS, **strangers.KINDS, **newcomers.KINDS}     # of a run that names none; the arrivals, departures, guests, visitors and callers are kept for when they are asked for
KINDS = {**USUAL, **arrivals.KINDS, **departures.KINDS, **guests.KINDS, **visitors.KINDS, **callers.KINDS}
SETS = {'known': list(layouts.KINDS), 'strangers': list(strangers.KINDS), 'newcomers': list(newcomers.KINDS), 'arrivals': list(arrivals.KINDS),
        'departures': list(departures.KINDS), 'guests': list(guests.KINDS), 'visitors': list(visitors.KINDS), 'callers': list(callers.KINDS)}
NOT_SCANNED = layouts.NOT_SCANNED + strangers.NOT_SCANNED + newcomers.NOT_SCANNED + arrivals.NOT_SCANNED + departures.NOT_SCANNED + guests.NOT_SCANNED + visitors.NOT_SCANNED + callers.NOT_SCANNED


# -- what is planted: each gives a copy of the record and its errors, (pointer, wrong value) or ('rows', row's place, its printed cells)

def with_values(value, errors):
    value = copy.deepcopy(value)
    for pointer, wrong in errors:
        *way, last = [int(k) if k.isdigit() else k for k in pointer.strip('/').split('/')]
        node = value
        for k in way:
            node = node[k]
        node[last] = wrong
    return value, errors


def is_date(value):
    return isinstance(value, str) and re.fullmatch(r'\d{4}-\d\d-\d\d', value)


def is_number(value):
    return isinstance(value, (int, float))


def replaced(text, at, by):
    return text[:at] + by + text[at + 1:]


def digit(v, r, text):
    return confidence.faulty(v, r) if any(c.isdigit() for c in str(v)) else None


def letter(v, r, text):
    at = [i for i, c in enumerate(v) if c.isalpha()] if isinstance(v, str) else []
    if not at:
        return None
    i = r.choice(at)
    return replaced(v, i, r.choice([c for c in 'bcfhkmnrtvwxz' if c != v[i].lower()]))


def year(v, r, text):
    return '%d%s' % (int(v[:4]) + r.choice((-1, 1, 10)), v[4:]) if is_date(v) and v[5:] != '02-29' else None


def point(v, r, text):
    return round(v * r.choice((10, 0.1, 100, 0.01)), 4) if is_number(v) and v and re.search(r'\d[.,]\d\d?\D*$', text) else None


def cut(v, r, text):
    """A part of what is printed in one piece."""
    if not isinstance(v, str) or is_date(v) or ', ' in v:
        return None
    if re.match(r'[A-Z]{2}\d\d', v):
        return v[:-(len(v) % 4 or 4)]
    if any(c.isdigit() for c in v):
        parts = re.split(r'[-/ ]', v)
        return r.choice((v[:-2], v[2:]) + ((parts[0], parts[-1]) if len(parts) > 1 and len(parts[-1]) > 2 else ()))
    words = v.split(' ')
    return r.choice((words[0], ' '.join(words[:-1]), ' '.join(words[1:]))) if len(words) > 1 else None


def umlaut(v, r, text):
    bare = v.translate(str.maketrans('äöüéèêàâîôûçÄÖÜÉ', 'aoueeeaaioucAOUE')) if isinstance(v, str) else v
    return bare if bare != v else None


def day_month(v, r, text):
    try:
        # a month that is a word cannot be taken for a day
        other = datetime.date(int(v[:4]), int(v[8:]), int(v[5:7])).isoformat() if is_date(v) else v
    except ValueError:
        return None
    return other if other != v else None


def sign(v, r, text):
    return -v if is_number(v) and v else None


def scale(v, r, text):
    if not is_number(v) or not re.fullmatch(r'-?\d{1,3}[.,\u2019\']\d{3}', text.strip()):
        return None
    return round(v / 1000, 3) if v == int(v) and abs(v) >= 1000 else round(v * 1000)


SIMPLE = {'digit': digit, 'letter': letter, 'year': year, 'decimal point': point, 'cut': cut, 'lost umlaut': umlaut, 'day-month': day_month, 'sign': sign, 'scale': scale}


def same_kind(v):
    return 'number' if is_number(v) else 'date' if is_date(v) else 'code' if any(c.isdigit() for c in str(v)) else 'words'


def printed(paper):
    return [at for at in paper.truth if leaf(paper.value, at) is not None]


def text_of(paper, at):
    return ' '.join(place['text'] for place in paper.truth[at])


def simple(kind):
    def plant(paper, r):
        some = [(at, SIMPLE[kind](leaf(paper.value, at), r, text_of(paper, at))) for at in printed(paper)]
        some = [(at, wrong) for at, wrong in some if wrong not in (None, '')]
        return with_values(paper.value, [r.choice(some)]) if some else None
    return plant


def other_value(paper, r):
    at = r.choice(printed(paper))
    mine = leaf(paper.value, at)
    others = [leaf(paper.value, other) for other in printed(paper)]
    some = [v for v in others if same_kind(v) == same_kind(mine) and v != mine and ', ' not in str(v)]
    return with_values(paper.value, [(at, r.choice(some))]) if some else None


def other_label(paper, r):
    """Two values change places, or one is print under a label that nobody asked for."""
    some = [(a, b) for a, b in paper.exchange if a in paper.truth]
    if not some:
        return None
    a, b = r.choice(some)
    if b not in paper.truth:
        return with_values(paper.value, [(a, b)])
    v, w = leaf(paper.value, a), leaf(paper.value, b)
    return with_values(paper.value, [(a, w), (b, v)]) if v != w else None


def all_signs(paper, r):
    signed = [at for at in printed(paper) if re.search('amount|balance|opening|closing|net$|vat$|total$', at) and leaf(paper.value, at)]
    if paper.kind not in ('bank', 'statement', 'credit', 'accounts'):
        return None
    value, errors = with_values(paper.value, [(at, -leaf(paper.value, at)) for at in signed])
    return value, r.sample(errors, min(3, len(errors)))


def several(paper, r):
    errors = {}
    for kind in r.sample(list(SIMPLE), len(SIMPLE)):
        done = simple(kind)(paper, r)
        if done and len(errors) < 3:
            errors.setdefault(*done[1][0])
    return with_values(paper.value, list(errors.items())) if errors else None


def hidden_value(paper, r):
    return with_values(paper.value, [r.choice(paper.lies)]) if paper.lies else None


def null_label(paper, r):
    some = [at for at in paper.labelled if at in paper.truth]
    return with_values(paper.value, [(r.choice(some), None)]) if some else None


def null_cell(paper, r):
    some = [at for at in printed(paper) if re.search(r'/\d+/', at)]
    return with_values(paper.value, [(r.choice(some), None)]) if some else None


def rows_of(paper):
    return sorted({at.rsplit('/', 1)[0] for at in paper.truth if re.search(r'/\d+/[^/]+$', at)})


def dropped(paper, r):
    some = [row for row in rows_of(paper) if len(leaf(paper.value, row.rsplit('/', 1)[0])) > 2]
    if not some:
        return None
    row = r.choice(some)
    value = copy.deepcopy(paper.value)
    del leaf(value, row.rsplit('/', 1)[0])[int(row.rsplit('/', 1)[1])]
    return value, [('gone', cells_of(paper, row))]


def repeated(paper, r):
    some = rows_of(paper)
    if not some:
        return None
    row = r.choice(some)
    value, (array, at) = copy.deepcopy(paper.value), row.rsplit('/', 1)
    leaf(value, array).insert(int(at) + 1, copy.deepcopy(leaf(value, row)))
    return value, [('twice', [row, '%s/%d' % (array, int(at) + 1)])]


# -- the right print in the wrong field, and omission

def kind_of(paper, at):
    """What kind of thing a value is: as the paper says, else by its key and its print."""
    value, key = leaf(paper.value, at), re.sub(r'/\d+(?=/|$)', '', at)
    if at in paper.kinds or value is None:
        return paper.kinds.get(at)
    if is_date(value):
        return 'date'
    if is_number(value):
        return 'amount' if re.search(r'\d[.,]\d\d\D*$', text_of(paper, at)) else 'number'
    if re.search('address', key):
        return 'address'
    if re.search('name|seller|buyer|holder|bank$|merchant|supplier|sender|recipient', key):
        return 'name'
    return 'id' if re.search('number|iban|reference|tax_id|account|meter', key) else 'currency' if key.endswith('currency') else 'text'


def is_scalar(at):
    return not re.search(r'/\d+(/|$)', at)


def alone(kinds):
    """Another thing of the same kind that is printed on the page, one that no field asks for as well, in place of the right one."""
    def plant(paper, r):
        mine = [at for at in printed(paper) if is_scalar(at) and kind_of(paper, at) in kinds]
        some = []
        for at in mine:
            kind = kind_of(paper, at)
            others = [leaf(paper.value, other) for other in mine if kind_of(paper, other) == kind] + paper.distractors.get(kind, [])
            some += [(at, v) for v in others if not same(v, leaf(paper.value, at)) and (is_number(v) or str(v) not in str(leaf(paper.value, at)))]
        return with_values(paper.value, [r.choice(some)]) if some else None
    return plant


def null_scalar(paper, r):
    some = [at for at in printed(paper) if is_scalar(at)]
    return with_values(paper.value, [(r.choice(some), None)]) if some else None


def last_word(paper, r):
    some = [(at, leaf(paper.value, at)) for at in printed(paper)]
    some = [(at, v.rsplit(' ', 1)[0].rstrip(' ,')) for at, v in some if isinstance(v, str) and ' ' in v and not is_date(v) and kind_of(paper, at) != 'id']
    return with_values(paper.value, [r.choice(some)]) if some else None


def fraction(paper, r):
    some = [(at, leaf(paper.value, at)) for at in printed(paper) if kind_of(paper, at) == 'rate']
    some = [(at, round(v / 100, 6) if v >= 1 else round(v * 100, 4)) for at, v in some if v]
    return with_values(paper.value, [r.choice(some)]) if some else None


OTHER_UNIT = {'kg': 'lb', 'lb': 'kg', 'kWh': 'MWh', 'm³': 'l', 'l': 'm³', 'h': 'd', 'g/l': 'mg/l', 'mmol/l': 'mg/dl', 'mg/dl': 'mmol/l', 'U/l': 'g/l', '%': 'g/l'}


def other_unit(paper, r):
    some = [at for at in printed(paper) if kind_of(paper, at) == 'unit']
    if not some:
        return None
    at = r.choice(some)
    mine = leaf(paper.value, at)
    printed_too = sorted({leaf(paper.value, other) for other in some} - {mine})
    return with_values(paper.value, [(at, r.choice(printed_too) if printed_too and r.random() < 0.5 else OTHER_UNIT.get(mine, 'kg'))])


def other_currency(paper, r):
    some = [at for at in printed(paper) if kind_of(paper, at) == 'currency']
    if not some:
        return None
    at = r.choice(some)
    others = paper.distractors.get('currency') or [c for c in ('EUR', 'USD', 'GBP', 'CHF') if c != leaf(paper.value, at)]
    return with_values(paper.value, [(at, r.choice(others))])


def pairs_of_columns(paper, array, rows):
    """Two keys of one type under printed heads, of which some rows have different values."""
    keys = [key for key in paper.heads[array] if all(key in row for row in rows)]
    kind = lambda key: {same_kind(row[key]) if not isinstance(row[key], str) or is_date(row[key]) else 'text' for row in rows if row[key] is not None}
    return [(a, b) for i, a in enumerate(keys) for b in keys[i + 1:] if kind(a) == kind(b) and len(kind(a)) == 1
            and any(row[a] != row[b] for row in rows)]


def exchanged(paper, r, whole):
    some = [(array, pair) for array in paper.heads for pair in pairs_of_columns(paper, array, leaf(paper.value, array))]
    if not some:
        return None
    array, (a, b) = r.choice(some)
    rows = leaf(paper.value, array)
    i = r.choice([i for i, row in enumerate(rows) if row[a] != row[b]])
    errors = [('%s/%d/%s' % (array, j, key), rows[j][other]) for j in (range(len(rows)) if whole else (i,)) for key, other in ((a, b), (b, a))
              if rows[j][a] != rows[j][b]]
    return with_values(paper.value, errors)[0], [('exchanged', (array, errors))]


def swapped(paper, r):
    """Two fields of one kind outside of rows have one another's value: if there are some, the same member of two objects."""
    mine = [at for at in printed(paper) if is_scalar(at) and kind_of(paper, at) in ('id', 'amount', 'date', 'name', 'address')]
    some = [(a, b) for i, a in enumerate(mine) for b in mine[i + 1:] if kind_of(paper, a) == kind_of(paper, b) and not same(leaf(paper.value, a), leaf(paper.value, b))]
    some = [(a, b) for a, b in some if a.rsplit('/', 1)[1] == b.rsplit('/', 1)[1]] or some
    if not some:
        return None
    a, b = r.choice(some)
    value, errors = with_values(paper.value, [(a, leaf(paper.value, b)), (b, leaf(paper.value, a))])
    return value, [('swapped', errors)]


def merged(paper, r):
    """Two rows are one: its words are those of both, the rest is the second's."""
    some = [array for array in sorted({row.rsplit('/', 1)[0] for row in rows_of(paper)}) if is_scalar(array) and len(leaf(paper.value, array)) > 2]
    if not some:
        return None
    array = r.choice(some)
    value = copy.deepcopy(paper.value)
    rows = leaf(value, array)
    i = r.randrange(len(rows) - 1)
    gone, cells = rows.pop(i), cells_of(paper, '%s/%d' % (array, i))
    words = [key for key, v in gone.items() if kind_of(paper, '%s/%d/%s' % (array, i, key)) == 'text' and isinstance(v, str) and isinstance(rows[i][key], str)]
    for key in words[:1]:
        rows[i][key] = '%s %s' % (gone[key], rows[i][key])
    return value, [('merged', ('%s/%d' % (array, i), cells))]


def cells_of(paper, row):
    return [(place['page'], place['text']) for at, places in paper.truth.items() if at.startswith(row + '/') for place in places]


MISPLACED = {'columns exchanged': lambda paper, r: exchanged(paper, r, True), 'cells exchanged': lambda paper, r: exchanged(paper, r, False),
             'fields exchanged': swapped, 'other party': alone(('name', 'address')), 'other id': alone(('id',)), 'other amount': alone(('amount',)), 'other date': alone(('date',)),
             'null, scalar': null_scalar, 'last word cut': last_word, 'percent as fraction': fraction, 'unit': other_unit, 'currency': other_currency,
             'two rows merged': merged}
PLANTS = {**{kind: simple(kind) for kind in SIMPLE}, 'other value': other_value, 'other label': other_label, 'all signs': all_signs, 'several': several,
          'hidden value': hidden_value, 'null, labelled': null_label, 'null, cell': null_cell, 'dropped row': dropped, 'repeated row': repeated, **MISPLACED}
NOTHING_SAID = 'null, labelled', 'null, cell', 'null, scalar'      # these are noticed; the others are errors


# -- what the record tells

def same(a, b):
    return a == b or is_number(a) and is_number(b) and abs(a - b) < 1e-9


def told(record, at):
    """Is a person asked to look at this value?"""
    field = record['fields'].get(at, {})
    rows = {at} | {at[:m.end(0)] for m in re.finditer(r'/\d+(?=/)', at)}
    try:
        value = leaf(record['data'], at)
    except KeyError:        # the schema does not ask for each key
        value = None
    known = field.get('verdict') in ('agree', 'derived') if value is not None else field.get('verdict') != 'overlooked'
    return not known or field.get('confidence', 1) < confidence.REVIEW or any(w.get('pointer') in rows for w in record['warnings'])


def why(record, at):
    """Why a value is flagged: the doubt, or else the verdict."""
    field = record['fields'].get(at, {}) if at else {}
    verdict = field.get('verdict', 'lost')
    return field.get('doubt') or (verdict if verdict not in ('agree', 'derived') else 'confidence' if field.get('confidence', 1) < confidence.REVIEW else 'warning')


def now_at(record, at, value):
    """Where the record has a value that was said for this pointer: platen may have left out rows before it. None: nowhere."""
    m = re.match(r'(.*)/(\d+)(/[^/]+)$', at)
    try:
        if same(leaf(record['data'], at), value):
            return at
        for i in range(len(leaf(record['data'], m[1])) if m else 0):
            if same(leaf(record['data'], '%s/%d%s' % (m[1], i, m[3])), value):
                return '%s/%d%s' % (m[1], i, m[3])
    except (KeyError, IndexError, TypeError):
        pass
    return None


def bare(text):
    return re.sub(r'\W', '', text)


def was_asked(lines, cells):
    """Do the lines that were asked for again have the print of a row?"""
    lines = [bare(line) for line in lines]
    words = [bare(text) for _, text in cells if len(bare(text)) > 2] or [bare(text) for _, text in cells]
    return any(sum(word in line for word in words) * 2 >= len(words) for line in lines)


def gap_of(record, cells):
    gaps = [(gap.get('page'), bare(gap.get('text', ''))) for gap in record.get('gaps', [])]
    return any(page == at and (bare(text) in said and len(bare(text)) > 2 or not said) for page, said in gaps for at, text in cells)


def columns_noticed(record, array, errors):
    """Is a person asked to look at every row whose cells are exchanged, or at the table?"""
    if any(w.get('pointer') == array for w in record['warnings']):
        return True
    rows = collections.defaultdict(bool)
    for at, wrong in errors:
        now = now_at(record, at, wrong)
        rows[at.rsplit('/', 1)[0]] |= now is None or told(record, now)
    return all(rows.values())


def noticed(record, error):
    what, wrong = error
    if what == 'gone':
        return gap_of(record, wrong) or was_asked(record['asked'], wrong)
    if what == 'exchanged':
        return columns_noticed(record, *wrong)
    if what == 'swapped':
        return any(noticed(record, one) for one in wrong)
    if what == 'merged':
        row, cells = wrong
        return gap_of(record, cells) or was_asked(record['asked'], cells) or any(told(record, at) for at in record['fields'] if at.startswith(row + '/'))
    if what == 'twice':
        row, array = leaf(record['data'], wrong[0]), leaf(record['data'], wrong[0].rsplit('/', 1)[0])
        if sum(same_row == row for same_row in array) < 2:
            return True     # it was left out
        return any(told(record, at) for at in record['fields'] for row in wrong if at.startswith(row + '/')) or any(
            w.get('pointer') in wrong for w in record['warnings'])
    at = now_at(record, what, wrong)
    return at is None or told(record, at)


def box_right(true, places):
    return max((evidence.iou(box, b) for box in places[0]['boxes'] for t in true if t['page'] == places[0]['page'] for b in t['boxes']), default=0) >= 0.5


def share_inside(box, other):
    w = min(box[0] + box[2], other[0] + other[2]) - max(box[0], other[0])
    h = min(box[1] + box[3], other[1] + other[3]) - max(box[1], other[1])
    return max(w, 0) * max(h, 0) / max(box[2] * box[3], 1e-12)


def uses_hidden(record, paper):
    return sum(any(share_inside(e['box'], h['boxes'][0]) > 0.5 for e in field.get('evidence', []) for h in paper.hidden if e['page'] == h['page'] and 'box' in e)
               for field in record['fields'].values())


def rows_of_page(value, paper, page):
    """The value as a reader has it who sees this page alone: its rows, wherever they are in the paper."""
    value, page_of = copy.deepcopy(value), {}
    for row in rows_of(paper):
        array, at = row.rsplit('/', 1)
        page_of.setdefault(array, {})[int(at)] = min(place['page'] for key, places in paper.truth.items() if key.startswith(row + '/') for place in places)
    for array, pages in page_of.items():
        if array.count('/') > 1:
            continue        # a table in a row
        true, said, kept = leaf(paper.value, array), value[array[1:]], []
        for i, row in enumerate(said):
            alike = {j: sum(row[k] == true[j].get(k) for k in row) for j in range(max(i - 1, 0), min(i + 2, len(true)))}
            if pages.get(max(alike, key=alike.get), page) == page:
                kept.append(row)
        value[array[1:]] = kept
    return value


# -- the run

def ask_of(body):
    """The words of a question."""
    texts = []
    for message in json.loads(body).get('messages', []):
        content = message['content']
        texts += [content] if isinstance(content, str) else [part.get('text', '') for part in content]
    return '\n'.join(texts)


class Reader(evidence.Platen):
    """The whole record of what was said. Where one of several pages is asked about, only that page's rows are."""
    env = None      # of the program

    def read(self, value, path, schema, scan, paper):
        page_of, asked = {}, []

        def of_page(body):
            lines = re.search(r'Only these lines:\n(.*)', ask_of(body), re.S)
            asked.extend(lines[1].split('\n') if lines else ())
            pictures = re.findall(rb'data:image[^"]*', body)
            for i, picture in enumerate(pictures):      # the first question has all pages
                page_of.setdefault(picture, i + 1)
            one = len(pictures) == 1 and b'you see a part of it' in body
            return json.dumps(rows_of_page(value, paper, page_of[pictures[0]]) if one else value, ensure_ascii=False)

        self.server.of_page = of_page
        done = subprocess.run([self.program, 'extract', path, '--schema', schema, '--engine', 'endpoint', '--max-tokens', '100000', '--endpoint',
                               'http://127.0.0.1:%d' % self.server.server_address[1]] + (['--ocr', 'auto'] if scan else []),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.env)
        return dict(json.loads(done.stdout), asked=asked) if done.stdout else None


class Run:
    def __init__(self, args):
        self.args, self.lock, self.shown = args, threading.Lock(), 0
        self.planted, self.clean, self.doubts = (collections.defaultdict(collections.Counter) for _ in range(3))
        self.ordinary = {}      # layouts of ordinary bills
        self.readers = threading.local()

    def show(self, *words):
        if self.shown < self.args.show:
            self.shown += 1
            print('   ', *words, flush=True)

    def count_planted(self, source, kind, layout, record, errors, where):
        n = self.planted[source, kind, layout]
        for error in errors:
            n['n'] += 1
            n['in review'] += bool(record and record['review'])
            if record and not noticed(record, error):
                n['unflagged'] += 1
                n['unnoticed'] += not record['review']
                at = error[0] if error[0][0] == '/' else None
                self.show(where, kind, 'unflagged:', error, json.dumps(at and record['fields'].get(now_at(record, at, error[1])), ensure_ascii=False))

    def count_clean(self, source, kind, record, paper, truth, where):
        n = self.clean[source, kind]
        self.ordinary[kind] = paper.ordinary
        n['records'] += not paper.hidden
        n['review'] += not paper.hidden and bool(not record or record['review'])
        n['no record'] += record is None
        n['hidden'] += uses_hidden(record, paper) if record else 0
        n['hidden papers'] += bool(paper.hidden)
        for at in truth:
            value = leaf(paper.value, at)
            if at in paper.undecided or value is None:
                continue
            n['values'] += 1
            now = record and now_at(record, at, value)
            if not now or told(record, now):
                n['flagged'] += 1
                n['lost'] += not now
                self.doubts[source, why(record, now)][kind] += 1
                self.show(where, 'right but flagged:', at, repr(value), json.dumps(now and record['fields'].get(now), ensure_ascii=False))
            places = evidence.Platen.places(record['fields'].get(now, {}).get('evidence', [])) if now else []
            if len(places) == 1 and truth[at][0]['boxes']:      # where a value of a real document stands is not known
                n['placed'] += 1
                n['box right'] += box_right(truth[at], places)

    def plants(self, kind, paper):
        """The kinds of errors that can be made here, and one of each."""
        some = [(plant, PLANTS[plant](paper, random.Random('%s %s %s' % (kind, plant, paper.seed)))) for plant in self.args.plant]
        return [one for one in some if one[1]]

    def paper(self, source, kind, seed):
        """One paper: as it is, and with errors."""
        if not hasattr(self.readers, 'mine'):
            self.readers.mine = Reader(self.args.platen)
        reader, scan, paper = self.readers.mine, source == 'scan', KINDS[kind](seed)
        folder = os.path.join(self.args.keep or self.args.folder, '%s-%s-%d' % (source, kind, seed))
        os.makedirs(folder, exist_ok=True)
        path, truth = os.path.join(folder, 'paper.pdf'), paper.truth
        with open(path, 'wb') as f:
            f.write(paper.finish())
        if scan:
            path, pages = papers.scan(path, os.path.join(folder, 'paper'), seed, skew=5)
            truth = papers.truth_of_scan(truth, pages)
        schema, plants = layouts.schema_path(paper, folder), self.plants(kind, paper)
        if scan:
            random.Random('%s %d' % (kind, seed)).shuffle(plants)
            plants = plants[:self.args.of_scan]
        for plant, (said, errors) in [(None, (paper.value, []))] + plants:
            record = reader.read(said, path, schema, scan, paper)
            if self.args.keep:
                for name, what in (('said', said), ('record', record)):
                    with open(os.path.join(folder, '%s.%s.json' % ((plant or 'clean').replace(' ', '-').replace(',', ''), name)), 'w') as f:
                        json.dump(what, f, ensure_ascii=False, indent=1)
            with self.lock:
                if plant:
                    self.count_planted(source, plant, kind, record, errors, folder)
                    if record and paper.hidden:
                        self.clean[source, kind]['hidden'] += uses_hidden(record, paper)
                else:
                    self.count_clean(source, kind, record, paper, truth, folder)
        if not self.args.keep:
            shutil.rmtree(folder)

    def work(self):
        todo = [(source, kind, self.args.seed * 1000 + i) for source, n in (('text', self.args.papers), ('scan', self.args.scans)) for i in range(n)
                for kind in self.args.kind if not (source == 'scan' and kind in NOT_SCANNED)]
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            for done in [pool.submit(self.paper, *one) for one in todo]:
                done.result()


def added(counters):
    total = collections.Counter()
    for c in counters:
        total.update(c)
    return total


def percent(n, of):
    return '%6.1f %%' % (100 * n / of) if of else '       -'


# What is asked for of a group of kinds, at most: of text layers and of scans. None: no limit, it is only told.
MISREAD = 'digit', 'letter', 'year', 'decimal point', 'lost umlaut', 'day-month', 'sign', 'scale', 'all signs', 'several', 'repeated row', 'hidden value'
GROUPS = [
    ('whole columns exchanged', ('columns exchanged',), 0), ('name or address of another', ('other party',), 0.1), ('another id of the page', ('other id',), 0.1),
    ('another amount of the page', ('other amount',), 0.1), ('another date of the page', ('other date',), 0.1), ('another value or label, anywhere', ('other value', 'other label'), 0.1),
    ('null for a printed scalar', ('null, scalar', 'null, labelled'), 0.15), ('last word or part cut', ('last word cut', 'cut'), 0.05),
    ('percent as fraction', ('percent as fraction',), 0.05), ('unit', ('unit',), 0.05), ('currency', ('currency',), None), ('row dropped', ('dropped row',), 0.01),
    ('two cells exchanged', ('cells exchanged',), None), ('two fields exchanged', ('fields exchanged',), None), ('two rows merged', ('two rows merged',), None), ('null for a cell', ('null, cell',), None),
    ('misread, shifted, invented', MISREAD, 0.005)]
SCANS_MOST = 0.05
CLEAN = {'text': {'ordinary': 0.15, 'all': 0.3, 'flagged': 0.02}, 'scan': {'ordinary': None, 'all': 0.35, 'flagged': 0.05}}
BOXES_LEAST = {'text': 0.97, 'scan': 0.92}


def rate_of(run, source, plants, layouts_of, what='unflagged'):
    """How many errors, and the share of those of which nothing tells."""
    c = added(c for (its, plant, layout), c in run.planted.items() if its == source and plant in plants and layout in layouts_of)
    return c['n'], round(c[what] / c['n'], 4) if c['n'] else None


def clean_of(run, source, layouts_of, what, of):
    c = added(c for (its, layout), c in run.clean.items() if its == source and layout in layouts_of)
    return c[of], round(c[what] / c[of], 4) if c[of] else None


def groups_of(run, source):
    """The table of the groups: name, limit, and of all layouts and of each of the SETS, (how many, share)."""
    sets = {'all': list(KINDS), **SETS}
    ask = CLEAN[source]
    ordinary = [kind for kind in KINDS if run.ordinary.get(kind)]
    out = [(name, most if source == 'text' else None, {s: rate_of(run, source, plants, of) for s, of in sets.items()}) for name, plants, most in GROUPS]
    errors = [plant for plant in PLANTS if plant not in NOTHING_SAID]
    out.append(('all but null', None if source == 'text' else SCANS_MOST, {s: rate_of(run, source, errors, of) for s, of in sets.items()}))
    out.append(('clean for review, ordinary bills', ask['ordinary'], {s: clean_of(run, source, [k for k in of if k in ordinary], 'review', 'records') for s, of in sets.items()}))
    out.append(('clean for review, all', ask['all'], {s: clean_of(run, source, of, 'review', 'records') for s, of in sets.items()}))
    out.append(('right values flagged', ask['flagged'], {s: clean_of(run, source, of, 'flagged', 'values') for s, of in sets.items()}))
    out.append(('boxes in the wrong place', round(1 - BOXES_LEAST[source], 4), {s: (n, None if share is None else round(1 - share, 4)) for s, (n, share) in (
        (s, clean_of(run, source, of, 'box right', 'placed')) for s, of in sets.items())}))
    return out


def print_groups(source, groups):
    print('\n%-34s %8s   %s' % ({'text': 'text layer', 'scan': 'scans'}[source], 'at most', '   '.join('%-18s' % s for s in ('all', *SETS))))
    for name, most, shares in groups:
        cells = ['%-18s' % ('-' if share is None else '%5.1f %% of %d%s' % (100 * share, n, ' !' if most is not None and share > most else '')) for n, share in shares.values()]
        print('%-34s %8s   %s' % (name, '-' if most is None else '%g %%' % (100 * most), '   '.join(cells)))


ROOTS = {'columns and cells': ('columns exchanged', 'cells exchanged'), 'rows': ('dropped row', 'two rows merged', 'repeated row'),
         'fields': ('fields exchanged', 'other party', 'other id', 'other amount', 'other date', 'other label', 'other value'), 'nulls': ('null, scalar', 'null, labelled', 'null, cell'),
         'cuts': ('last word cut', 'cut'), 'currency': ('currency',), 'rates and units': ('percent as fraction', 'unit'), 'misread': MISREAD}


def print_roots(run, source):
    """Where the failures are: the layouts with most of each root; of false alarms, the doubt."""
    print('\n%s: failures by root, and the layouts with most of them' % {'text': 'text layer', 'scan': 'scans'}[source])
    most = lambda counts: ', '.join('%s %d' % one for one in counts.most_common(8) if one[1])
    for root, plants in ROOTS.items():
        counts = collections.Counter()
        for (its, plant, layout), c in run.planted.items():
            if its == source and plant in plants:
                counts[layout] += c['unflagged']
        print('  %-28s %4d of %4d  %s' % (root, sum(counts.values()), rate_of(run, source, plants, KINDS)[0], most(counts)))
    for (its, doubt), counts in sorted(run.doubts.items(), key=lambda one: -sum(one[1].values())):
        if its == source:
            print('  right, but %-17s %4d          %s' % (doubt, sum(counts.values()), most(counts)))


def table(run, source):
    """The figures of a source as they are printed, and the same for a program."""
    planted = {plant: added(c for (its, its_plant, _), c in run.planted.items() if (its, its_plant) == (source, plant)) for plant in PLANTS}
    planted = {plant: c for plant, c in planted.items() if c['n']}
    clean = {kind: run.clean[source, kind] for kind in KINDS if (source, kind) in run.clean}
    print('\n%s\n  %-20s %6s %10s %14s %10s' % ({'text': 'text layer', 'scan': 'scans'}[source], 'planted', 'errors', 'unflagged', 'and no review', 'in review'))
    for kind, c in planted.items():
        print('  %-20s %6d %10s %14s %10s' % (kind, c['n'], percent(c['unflagged'], c['n']), percent(c['unnoticed'], c['n']), percent(c['in review'], c['n'])))
    print('  %-20s %6s %10s %14s %10s %10s %10s %7s' % ('clean', 'values', 'flagged', 'for review', 'box right', 'with a box', 'rows lost', 'hidden'))
    for kind, c in [*clean.items(), ('all', added(clean.values()))]:
        print('  %-20s %6d %10s %14s %10s %10s %10s %7s' % (kind + ('*' if run.ordinary.get(kind) else ''), c['values'], percent(c['flagged'], c['values']),
                                                            percent(c['review'], c['records']), percent(c['box right'], c['placed']), percent(c['placed'], c['values']),
                                                            percent(c['lost'], c['values']), c['hidden'] if c['hidden papers'] else '-'))
    print('  * ordinary bills')
    groups = groups_of(run, source)
    print_roots(run, source)
    return {'planted': {k: dict(c) for k, c in planted.items()}, 'clean': {k: dict(c) for k, c in clean.items()},
            'failures': {'%s: %s' % (plant, layout): c['unflagged'] for (its, plant, layout), c in run.planted.items() if its == source and c['unflagged']},
            'doubts': {doubt: dict(c) for (its, doubt), c in run.doubts.items() if its == source},
            'groups': {name: {'most': most, **{s: {'n': n, 'share': share} for s, (n, share) in shares.items()}} for name, most, shares in groups},
            'hidden_used': added(clean.values())['hidden']}


def good(t):
    """Are the figures good enough to be passed?"""
    return t['hidden_used'] == 0 and all(g['most'] is None or g['all']['share'] is None or g['all']['share'] <= g['most'] for g in t['groups'].values())


def layouts_named(text):
    return [kind for name in text.split(',') for kind in SETS.get(name, [name])]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--platen', default='build/platen')
    ap.add_argument('--papers', type=int, default=3, help='with a text layer, of each layout')
    ap.add_argument('--scans', type=int, default=1)
    ap.add_argument('--of-scan', type=int, default=5, help='kinds of errors planted in each scan')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--kind', type=layouts_named, default=list(USUAL), help='layouts, known (those of layouts.py), strangers, newcomers, arrivals, departures, guests, visitors or callers')
    ap.add_argument('--plant', type=lambda s: [p for p in PLANTS if p.startswith(tuple(s.split(',')))], default=list(PLANTS))
    ap.add_argument('--jobs', type=int, default=os.cpu_count())
    ap.add_argument('--json')
    ap.add_argument('--show', type=int, default=0)
    ap.add_argument('--keep')
    ap.add_argument('--gate', action='store_true')
    args = ap.parse_args()
    args.folder = tempfile.mkdtemp(prefix='platen-planted-')
    run = Run(args)
    try:
        run.work()
    finally:
        shutil.rmtree(args.folder)
    tables = {source: table(run, source) for source, n in (('text', args.papers), ('scan', args.scans)) if n}
    for source, t in tables.items():
        print_groups(source, [(name, g['most'], {s: (g[s]['n'], g[s]['share']) for s in ('all', *SETS)}) for name, g in t['groups'].items()])
    print('\nhidden words used: %s' % ', '.join('%s %d' % (source, t['hidden_used']) for source, t in tables.items()))
    if args.json:
        with open(args.json, 'w') as f:
            json.dump({'seed': args.seed, **tables}, f, indent=1)
    sys.exit(args.gate and not all(good(t) for t in tables.values()))


if __name__ == '__main__':
    main()
