#!/usr/bin/env python3
"""Statements of several accounts, as tables within rows: draws them, reads them for platen, and compares.

  nested.py draw OUT --accounts 3 --rows 120 [--seed 1] [--again] [--closing] [--scan DPI]     OUT.pdf (or .tiff), OUT.truth.json, OUT.schema.json
  nested.py serve TRUTH.json PORT_FILE [--drop P] [--cut-at N] [--shy]
  nested.py score RECORD.json TRUTH.json [--unchecked]

--rows: of an account in the mean. --again: an account that goes on over a page break is headed there once more.
--closing: each ends with its balance, which every other account has on the next page, below the last booking or alone. The reader
answers about the lines whose codes (row_code.py) it sees, gives an account's number where its heading is in sight, leaves out a
share --drop of the bookings, and does not say that an account goes on where it is --shy. Asked for named lines, it gives those
alone, without the account's number. score: ends with 1 where accounts, or bookings in them, are not those drawn, in order; a
booking that a gap names may be missing, and with --unchecked any, where each page has a gap that says so.
"""
import argparse
import datetime
import hashlib
import json
import os
import random
import sys
from http.server import ThreadingHTTPServer

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, '..', '..', 'samples')]
import reader
import row_code
import statements
from pdf_write import Pdf

SIZE_PT, PITCH_PT, TOP, FOOT = 8.5, 15, 800, 60
COLUMNS = (('date', 80), ('description', 134), ('reference', 330), ('amount', -475), ('balance', -555))


class Drawing:
    def __init__(self, args):
        self.r, self.args, self.pdf = random.Random(args.seed), args, Pdf()
        self.lines, self.n_page, self.accounts, self.day = [], 0, [], datetime.date(2024, 1, 2)
        self.open_page()

    def line(self, parts, what):
        for x, text in parts:
            if x < 0:
                x = -x - SIZE_PT / 1000 * sum({',': 278, '.': 278, '-': 333}.get(c, 556) for c in text)
            self.page.text(x, self.y, SIZE_PT, text, 'Helvetica')
        row_code.draw(self.page.ops, len(self.lines), self.y)
        self.lines.append({'what': what, 'page': self.n_page, 'text': ' '.join(t for _, t in parts)})
        self.y -= PITCH_PT

    def open_page(self):
        self.page, self.y, self.n_page = self.pdf.page(595, 842), TOP, self.n_page + 1
        self.line([(80, 'Group statement'), (500, 'page %d' % self.n_page)], ['page'])

    def head(self):
        self.line([(80, 'Date'), (134, 'Description'), (330, 'Reference'), (440, 'Amount'), (520, 'Balance')], ['head'])

    def words(self, least, most):
        return ' '.join(self.r.choice(statements.WORDS) for _ in range(self.r.randint(least, most)))

    def account(self, i):
        r, n = self.r, self.args.rows
        own = {'iban': 'DE%020d' % r.randrange(10 ** 18), 'holder': self.words(2, 2) + ' Ltd', 'transactions': []}
        self.accounts.append(own)
        if self.y < FOOT + 4 * PITCH_PT:
            self.open_page()
        self.y -= PITCH_PT / 2
        self.line([(80, 'Account'), (140, own['iban']), (300, own['holder'])], ['account', i])
        self.head()
        self.balance = r.randrange(10 ** 6)
        for k in range(r.randint(n // 2, n + n // 2)):
            if self.y < FOOT:
                self.open_page()
                if self.args.again:
                    self.line([(80, 'Account'), (140, own['iban']), (300, 'continued')], ['again', i])
                self.head()
            self.booking(i, k, own)
        if self.args.closing:
            self.closing(i, own)

    def closing(self, i, own):
        """The last line; of every other account on a new page."""
        if i % 2 or self.y < FOOT:
            self.open_page()
        own['closing'] = self.balance / 100
        self.line([(134, 'Closing balance'), (COLUMNS[-1][1], statements.printed('balance', own['closing']))], ['closing', i])

    def booking(self, i, k, own):
        self.day += datetime.timedelta(days=self.r.random() < 0.4)
        amount = self.r.randint(-90000, 90000)
        self.balance += amount
        row = {'date': self.day.isoformat(), 'description': self.words(2, 4), 'reference': 'R%07d' % self.r.randrange(10 ** 7),
               'amount': amount / 100, 'balance': self.balance / 100}
        own['transactions'].append(row)
        self.line([(x, statements.printed(name, row[name])) for name, x in COLUMNS], ['booking', i, k])


def schema(closing):
    def some(kind):
        return {'type': [kind, 'null']}
    booking = {name: some('number' if name in statements.RIGHT else 'string') for name, _ in COLUMNS}
    account = {'iban': some('string'), 'holder': some('string'),
               'transactions': {'type': 'array', 'items': {'type': 'object', 'properties': booking}}}
    if closing:
        account['closing'] = some('number')
    return {'$schema': 'https://json-schema.org/draft/2020-12/schema', 'title': 'Group statement', 'type': 'object',
            'properties': {'title': some('string'), 'accounts': {'type': 'array', 'items': {'type': 'object', 'properties': account}}}}


def draw(args):
    d = Drawing(args)
    for i in range(args.accounts):
        d.account(i)
    d.pdf.save(args.out + '.pdf')
    if args.scan:
        statements.scan_tiff(args.out + '.pdf', args.out + '.tiff', d.n_page, args.scan)
        os.remove(args.out + '.pdf')
    for name, value in (('truth', {'accounts': d.accounts, 'lines': d.lines}), ('schema', schema(args.closing))):
        with open('%s.%s.json' % (args.out, name), 'w') as f:
            json.dump(value, f)
    print(d.n_page)


# -- the reader

class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, args):
        super().__init__(('127.0.0.1', 0), Handler)
        self.args, self.count = args, 0
        args.context, args.fail_every = 16384, 0
        with open(args.truth) as f:
            self.truth = json.load(f)

    def enter(self):
        self.count += 1
        return self.count, 0

    def leave(self):
        pass

    def write(self, line):
        pass


class Handler(reader.Handler):
    def do_GET(self):
        self.reply(200, {'object': 'list', 'data': [{'id': 'reader', 'object': 'model', 'max_model_len': self.server.args.context}]})

    def seen(self, text, pictures):
        """What stands on the lines that are shown, or asked for by name."""
        named, lines = reader.named_lines(text), self.server.truth['lines']
        codes = dict.fromkeys(code for picture in pictures for code in row_code.find(picture) if code < len(lines))
        for line in (lines[code] for code in codes):
            if named is None or line['what'][0] == 'booking' and any(reader.alike(n, line['text']) >= reader.ALIKE for n in named):
                yield line['what']

    def accounts(self, seen, drops):
        """The accounts, and whether the first goes on."""
        out, at, goes_on = [], None, False
        for what, *index in seen:
            if what in ('page', 'head'):
                continue
            own = self.server.truth['accounts'][index[0]]
            if at != index[0]:
                at, goes_on = index[0], goes_on or not out and what != 'account'
                out.append({'iban': None, 'holder': None, 'transactions': []})
                out[-1].update({'closing': None} if 'closing' in own else {})
            if what == 'booking':
                out[-1]['transactions'] += [] if drops() else [own['transactions'][index[1]]]
            elif what == 'closing':
                out[-1]['closing'] = own['closing']
            else:
                out[-1].update(iban=own['iban'], **({'holder': own['holder']} if what == 'account' else {}))
        return out, goes_on

    def answer(self, request, line):
        args = self.server.args
        text, pictures = reader.parts_of(request)
        chance = random.Random(hashlib.sha256(text.encode() + b''.join(p.tobytes() for p in pictures)).hexdigest())
        accounts, goes_on = self.accounts(self.seen(text, pictures), lambda: chance.random() < args.drop)
        given = {'accounts': accounts, 'title': 'Group statement', 'accounts_continues': goes_on and not args.shy}
        names = reader.schema_of(request, text)['properties']
        out = json.dumps({name: given.get(name, False if name.endswith('continues') else None) for name in names})
        most = min(request.get('max_tokens') or 8192, args.cut_at)
        end = 'stop' if len(out) <= most * reader.TOKEN_CHARACTERS else 'length'
        return {'id': 'r', 'object': 'chat.completion', 'model': 'reader', 'usage': {'prompt_tokens': 1000, 'completion_tokens': 100},
                'choices': [{'index': 0, 'finish_reason': end,
                             'message': {'role': 'assistant', 'content': out[:most * reader.TOKEN_CHARACTERS]}}]}


def serve(args):
    server = Server(args)
    with open(args.port_file + '.tmp', 'w') as f:
        f.write(str(server.server_address[1]))
    os.rename(args.port_file + '.tmp', args.port_file)
    server.serve_forever()


# -- the comparison

def score(args):
    with open(args.record) as f:
        record = json.load(f)
    with open(args.truth) as f:
        truth = json.load(f)['accounts']
    got, gaps = record['data']['accounts'], record.get('gaps') or []
    unchecked = [gap['page'] for gap in gaps if gap.get('unchecked')]
    missing, wrong = 0, [a['iban'] for a in got] != [a['iban'] for a in truth]
    for own, has in zip(truth, got):
        rest = iter(own['transactions'])
        wrong |= not all(any(row == t for t in rest) for row in has['transactions'])
        missing += len(own['transactions']) - len(has['transactions'])
        wrong |= has['holder'] != own['holder'] or has.get('closing') != own.get('closing')
    print('accounts: drawn %d, given %d; bookings: missing %d, gaps %d%s' %
          (len(truth), len(got), missing, len(gaps), ', and some are wrong or astray' if wrong else ''))
    if args.unchecked:
        return bool(wrong or unchecked != [page['number'] for page in record['pages']])
    return bool(wrong or missing != len(gaps))


def main():
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(dest='verb', required=True)
    one = verbs.add_parser('draw')
    one.add_argument('out')
    one.add_argument('--accounts', type=int, default=3)
    one.add_argument('--rows', type=int, default=120)
    one.add_argument('--seed', type=int, default=1)
    one.add_argument('--scan', type=int)
    one.add_argument('--again', action='store_true')
    one.add_argument('--closing', action='store_true')
    one = verbs.add_parser('serve')
    one.add_argument('truth')
    one.add_argument('port_file')
    one.add_argument('--drop', type=float, default=0)
    one.add_argument('--cut-at', type=int, default=8192)
    one.add_argument('--shy', action='store_true')
    one = verbs.add_parser('score')
    one.add_argument('record')
    one.add_argument('truth')
    one.add_argument('--unchecked', action='store_true')
    args = parser.parse_args()
    sys.exit({'draw': draw, 'serve': serve, 'score': score}[args.verb](args))


if __name__ == '__main__':
    main()
