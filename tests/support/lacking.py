#!/usr/bin/env python3
"""Papers of a page or two, read in one question by a reader that leaves out a row of the table.

  lacking.py --platen build/platen [--papers 10] [--first 0] [--kind invoice] [--scans] [--second] [--faithful] [--least all=98] [--show] [--keep DIR]

draws that many papers of each kind (tests/eval/papers.py) and has platen read each five times, with this program as its endpoint:
  all     gives every row: it is asked once, nothing is a gap, and the record is what is printed
  late    leaves out one row of its first answer: the record is what is printed all the same
  never   leaves it out whatever it is asked: a gap names the row
  later   gives no row at all in its first answer: the record is what is printed all the same
  nothing gives none whatever it is asked: a gap names each
prints what held of how many, by kind, and ends with 1 where any paper did not hold as it should; with --least READER=PERCENT (as often
as you like) only where of that reader's papers fewer held, and the other readers are not held to anything. Of all but the first only papers
of one page with three rows and more, of the last two without --scans and with four: of fewer nobody can tell what a row looks like.

--scans: pictures of these papers, as a scanner has them, without text. A gap then is a place on the page. --second: read by Tesseract, too.
--faithful: the first of the readers alone.
"""
import argparse
import base64
import copy
import http.server
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, '..', 'eval'))
import papers
from PIL import Image

ROWS = {'invoice': 'items', 'receipt': 'items', 'statement': 'lines'}
ROWS_LEAST = 3
TABLE_LEAST = 4


def picture_of(part):
    """The rows of pixels of a picture in a request."""
    image = Image.open(io.BytesIO(base64.b64decode(part['image_url']['url'].split(',', 1)[1]))).convert('L')
    data = image.tobytes()
    return [data[at:at + image.width] for at in range(0, len(data), image.width)]


class Pages:
    """Which of a table's rows a later picture shows, by rows of pixels of the first one, which shows the page."""

    def __init__(self, picture, paper, name):
        self.at = {row: y / len(picture) for y, row in enumerate(picture)}
        places = [paper.truth['/%s/%d/%s' % (name, i, next(key for key in row if '/%s/%d/%s' % (name, i, key) in paper.truth))][0]
                  for i, row in enumerate(paper.value[name])]
        self.middle = [box[1] + box[3] / 2 for box in (place['boxes'][0] for place in places)]
        self.near = 1.5 / len(picture)

    def shown(self, picture):
        out = []
        for y in (self.at[row] for row in picture if row in self.at):
            out += [i for i, middle in enumerate(self.middle) if abs(y - middle) <= self.near and i not in out]
        return out


class Reader(http.server.BaseHTTPRequestHandler):
    """Says server.said; server.late where it is asked for lines, and of a part of the page the rows of server.more that it shows."""
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply({'object': 'list', 'data': [{'id': 'reader', 'object': 'model', 'max_model_len': 1 << 20}]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        named = b'Only these lines:\\n- ' in body
        self.server.asked += 1
        content = json.dumps(self.server.late if named else self.server.said)
        pictures = [picture_of(part) for turn in json.loads(body)['messages'] if isinstance(turn['content'], list)
                    for part in turn['content'] if part['type'] == 'image_url'] if self.server.paper else []
        if self.server.asked == 1 and len(pictures) == 1:
            self.server.pages = Pages(pictures[0], self.server.paper, self.server.name)
        elif len(pictures) == 1 and not named and self.server.pages:
            rows = self.server.more[self.server.name]
            content = json.dumps(dict(self.server.more, **{
                self.server.name: [rows[i] for i in self.server.pages.shown(pictures[0]) if rows[i]]}))
        self.reply({'id': 'reader', 'object': 'chat.completion', 'model': 'reader', 'usage': {'prompt_tokens': 1, 'completion_tokens': 1},
                    'choices': [{'index': 0, 'finish_reason': 'stop',
                                 'message': {'role': 'assistant', 'content': content}}]})


class Platen:
    def __init__(self, program, second):
        self.program, self.second = program, second
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Reader)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def read(self, path, schema, said, late, more=None, paper=None):
        """The record, and how many questions were asked. more: of a scan of the paper, the value with null for a row that is never given."""
        self.server.said, self.server.late, self.server.asked = said, late, 0
        self.server.more, self.server.paper, self.server.pages = more, paper, None
        self.server.name = ROWS[paper.kind] if paper else None
        done = subprocess.run([self.program, 'extract', path, '--schema', schema, '--engine', 'endpoint', '--max-tokens', '100000',
                               '--second-reader', 'auto' if self.second else 'off', '--endpoint', 'http://127.0.0.1:%d' % self.server.server_address[1]] + (['--crop', 'no'] if paper else []),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        return json.loads(done.stdout), self.server.asked


def without(value, name, row):
    """The value without that row, and with it alone."""
    less, alone = copy.deepcopy(value), copy.deepcopy(value)
    del less[name][row]
    alone[name] = [value[name][row]]
    return less, alone


def words_of(row):
    return {word for value in row.values() if isinstance(value, str) for word in value.split()}


def digits(text):
    return re.sub(r'\D', '', text)


def figures_of(row):
    """Its amounts as digits alone: the name may stand on a line of its own."""
    return {digits('%.2f' % value) for value in row.values() if isinstance(value, (int, float))}


def is_named(gaps, paper, row):
    """Whether the one gap is the row's: by its words, or its place (a row's beside it will do)."""
    name = ROWS[paper.kind]
    if len(gaps) != 1:
        return False
    place = re.search(r'between ([0-9.]+) % and ([0-9.]+) % of the page', gaps[0]['text'])
    if not place:
        return bool(words_of(paper.value[name][row]) & set(gaps[0]['text'].split()))
    top, foot = (float(part) / 100 for part in place.groups())
    # of rows as broad in every column nobody can tell which stands on which line
    beside = tuple('/%s/%d/' % (name, i) for i in (row - 1, row, row + 1))
    return any(top <= box[1] + box[3] / 2 <= foot for pointer, places in paper.truth.items() if pointer.startswith(beside)
               for box in (place['boxes'][0] for place in places))


def hold(platen, paper, path, schema, scan):
    """What each of the readers led to: (name, what is wrong or '')."""
    name, value = ROWS[paper.kind], paper.value
    of = paper if scan else None
    record, asked = platen.read(path, schema, value, value)
    wrong = '%d questions, gaps %s' % (asked, record.get('gaps')) if asked != 1 or record.get('gaps') else ''
    yield 'all', wrong or ('' if record['data'] == value else 'other data')
    if paper.n_page > 1 or len(value[name]) <= ROWS_LEAST:
        return
    row = random.Random(paper.seed).randrange(len(value[name]))
    less, alone = without(value, name, row)
    record, asked = platen.read(path, schema, less, alone, value, of)
    yield 'late', '' if record['data'] == value and not record.get('gaps') else \
        'row %d of %d, %d questions, %d rows, gaps %s' % (row, len(value[name]), asked, len(record['data'][name]), record.get('gaps'))
    none, holed = dict(alone, **{name: []}), copy.deepcopy(value)
    holed[name][row] = None
    record, asked = platen.read(path, schema, less, none, holed, of)
    gaps = record.get('gaps') or []
    yield 'never', '' if is_named(gaps, paper, row) and record['data'] == less else \
        'row %d of %d, %d questions, %d rows, gaps %s' % (row, len(value[name]), asked, len(record['data'][name]), gaps)
    if scan or len(value[name]) < TABLE_LEAST:
        return
    empty = dict(value, **{name: []})
    record, asked = platen.read(path, schema, empty, value)
    yield 'later', '' if record['data'] == value and not record.get('gaps') else \
        '%d rows, %d questions, %d rows given, gaps %s' % (len(value[name]), asked, len(record['data'][name]), record.get('gaps'))
    record, asked = platen.read(path, schema, empty, empty)
    texts = [gap['text'].split() for gap in record.get('gaps') or []]
    lost = [row for row in value[name] if not any(words_of(row) & set(text) or figures_of(row) & {digits(word) for word in text} for text in texts)]
    yield 'nothing', '' if not lost and record['data'] == empty else '%d rows, %d questions, %d gaps, lost %s' % (len(value[name]), asked, len(texts), lost)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--platen', required=True)
    parser.add_argument('--papers', type=int, default=10)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--kind', choices=ROWS, action='append')
    parser.add_argument('--scans', action='store_true')
    parser.add_argument('--second', action='store_true')
    parser.add_argument('--faithful', action='store_true')
    parser.add_argument('--least', action='append', type=lambda text: text.split('='))
    parser.add_argument('--show', action='store_true')
    parser.add_argument('--keep')
    args = parser.parse_args()
    if not papers.FONTS:
        sys.exit('no fonts to draw papers with')
    platen, good = Platen(args.platen, args.second), True
    least = {reader: float(percent) for reader, percent in args.least} if args.least else dict.fromkeys(('all', 'late', 'never', 'later', 'nothing'), 100)
    with tempfile.TemporaryDirectory(prefix='platen-lacking-') as scratch:
        scratch = args.keep or scratch
        os.makedirs(scratch, exist_ok=True)
        for kind in args.kind or ROWS:
            draw, schema = papers.KINDS[kind]
            counts = {}
            for seed in range(args.first, args.first + args.papers):
                paper = draw(seed)
                path = os.path.join(scratch, '%s-%d.pdf' % (kind, seed))
                with open(path, 'wb') as f:
                    f.write(paper.finish())
                if args.scans:
                    path = papers.scan(path, path[:-4], seed)[0]
                for reader, wrong in hold(platen, paper, path, os.path.join(papers.root, 'schemas', schema + '.schema.json'), args.scans):
                    right, n = counts.get(reader, (0, 0))
                    counts[reader] = right + (not wrong), n + 1
                    if wrong and args.show:
                        print('    %s-%d, %s: %s' % (kind, seed, reader, wrong))
                    if args.faithful:
                        break
            held = all(100 * right >= least.get(reader, 0) * n for reader, (right, n) in counts.items())
            print('%s - lacking: %s: %s' % ('ok' if held else 'not ok', kind, ', '.join('%s %d of %d' % (reader, *pair)
                                                                                      for reader, pair in counts.items())))
            good &= held
    sys.exit(not good)


if __name__ == '__main__':
    main()
