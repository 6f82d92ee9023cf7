#!/usr/bin/env python3
"""Papers of a page or two, read in one question by a reader that leaves out a row of the table.

  lacking.py --platen build/platen [--papers 10] [--first 0] [--kind invoice] [--show] [--keep DIR]

draws that many papers of each kind (tests/eval/papers.py) and has platen read each three times, with this program as its endpoint:
  all     gives every row: it is asked once, nothing is a gap, and the record is what is printed
  late    leaves out one row unless it is asked for its line: the record is what is printed all the same
  never   leaves it out whatever it is asked: a gap names the row
prints what held of how many, by kind, and ends with 1 where any paper did not hold as it should. Of the last two only papers of one page
with three rows and more: of fewer nobody can tell what a row looks like.
"""
import argparse
import copy
import http.server
import json
import os
import random
import subprocess
import sys
import tempfile
import threading

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, '..', 'eval'))
import papers

ROWS = {'invoice': 'items', 'receipt': 'items', 'statement': 'lines'}
ROWS_LEAST = 3


class Reader(http.server.BaseHTTPRequestHandler):
    """Says server.said, and server.late where it is asked for lines."""
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
        self.reply({'id': 'reader', 'object': 'chat.completion', 'model': 'reader', 'usage': {'prompt_tokens': 1, 'completion_tokens': 1},
                    'choices': [{'index': 0, 'finish_reason': 'stop',
                                 'message': {'role': 'assistant', 'content': self.server.late if named else self.server.said}}]})


class Platen:
    def __init__(self, program):
        self.program = program
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Reader)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def read(self, path, schema, said, late):
        """The record, and how many questions were asked."""
        self.server.said, self.server.late, self.server.asked = json.dumps(said), json.dumps(late), 0
        done = subprocess.run([self.program, 'extract', path, '--schema', schema, '--engine', 'endpoint', '--max-tokens', '100000',
                               '--second-reader', 'off', '--endpoint', 'http://127.0.0.1:%d' % self.server.server_address[1]],
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


def hold(platen, paper, path, schema):
    """What each of the readers led to: (name, what is wrong or '')."""
    name, value = ROWS[paper.kind], paper.value
    record, asked = platen.read(path, schema, value, value)
    wrong = '%d questions, gaps %s' % (asked, record.get('gaps')) if asked != 1 or record.get('gaps') else ''
    yield 'all', wrong or ('' if record['data'] == value else 'other data')
    if paper.n_page > 1 or len(value[name]) <= ROWS_LEAST:
        return
    row = random.Random(paper.seed).randrange(len(value[name]))
    less, alone = without(value, name, row)
    record, asked = platen.read(path, schema, less, alone)
    yield 'late', '' if record['data'] == value and not record.get('gaps') else \
        'row %d of %d, %d questions, %d rows, gaps %s' % (row, len(value[name]), asked, len(record['data'][name]), record.get('gaps'))
    none = dict(alone, **{name: []})
    record, asked = platen.read(path, schema, less, none)
    gaps = record.get('gaps') or []
    named = len(gaps) == 1 and words_of(value[name][row]) & set(gaps[0]['text'].split())
    yield 'never', '' if named and record['data'] == less else \
        'row %d of %d, %d questions, %d rows, gaps %s' % (row, len(value[name]), asked, len(record['data'][name]), gaps)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--platen', required=True)
    parser.add_argument('--papers', type=int, default=10)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--kind', choices=ROWS, action='append')
    parser.add_argument('--show', action='store_true')
    parser.add_argument('--keep')
    args = parser.parse_args()
    if not papers.FONTS:
        sys.exit('no fonts to draw papers with')
    platen, good = Platen(args.platen), True
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
                for reader, wrong in hold(platen, paper, path, os.path.join(papers.root, 'schemas', schema + '.schema.json')):
                    right, n = counts.get(reader, (0, 0))
                    counts[reader] = right + (not wrong), n + 1
                    if wrong and args.show:
                        print('    %s-%d, %s: %s' % (kind, seed, reader, wrong))
            held = all(right == n for right, n in counts.values())
            print('%s - lacking: %s: %s' % ('ok' if held else 'not ok', kind, ', '.join('%s %d of %d' % (reader, *pair)
                                                                                      for reader, pair in counts.items())))
            good &= held
    sys.exit(not good)


if __name__ == '__main__':
    main()
