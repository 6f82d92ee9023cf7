"""Draws statements of account of any length, and says what stands on each of their pages.

  statements.py OUT --rows 300 [--seed 1] [--scan tiff|pdf] [--dpi 150] [--rows-per-page N] [--first 0] [--pending 0.1]

writes OUT.pdf (with --scan tiff OUT.tiff), OUT.truth.json, OUT.schema.json and OUT.references.schema.json (one column as an
array of strings); the same bytes for the same arguments.

Pages differ in what long documents go wrong with: the first begins with a letter and its table in mid-page; some are
letters alone, some landscape, some hold a second table (fees, one of which goes on over a page break); at page breaks rows
are cut in their description, or before their last values, or repeat in full on the next page, or sums are carried forward.
Of --pending a share of the rows have no date and no sum.
A code (row_code.py) stands beside each line that reader.py has to know.

OUT.truth.json:
  arrays   name -> rows in order: {"page", "values", "lines": [{"id", "page", "values", "text"}]}; only a line's own values
  scalars  name -> {"value", "ids"}
  headers  [{"id", "page", "array", "text"}]
  pages    [{"page", "id", "kind", "landscape", "arrays": {name: {"begins": [first, end), "ends": [...], "continues": row or null}}}]
"""
import argparse
import datetime
import io
import json
import os
import random
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, '..', '..', 'samples')]
import row_code
from pdf_write import Pdf

PITCH_PT, MARGIN_PT, LEFT_PT, SIZE_PT = 15, 42, 80, 8.5
WIDTH_PT, MARK_WIDTHS = 556, {',': 278, '.': 278, '-': 333}    # of Helvetica's figures and signs, for 1,000 pt
PORTRAIT, LANDSCAPE, STRETCH = (595, 842), (842, 595), 1.45   # stretch: of the columns of a landscape page
WORDS = ('Standing order Rent Stadtwerke Electricity Bäckerei Weiß Grocery Café Noir Insurance premium Salary Refund Transfer to '
         'savings Card payment Kiosk Railway ticket Pharmacy Müller & Söhne Workshop Garage Phone contract Magazine Cinema '
         'Library fine School lunch Donation Parking Petrol Hardware store Books Dentist Gym Theatre').split()
LETTER = ('Dear customer, thank you for the trust that you have placed in us. With this letter we tell you how your account '
          'has gone on, and what will change. Nothing is asked of you. Should an entry seem wrong to you, write to us within '
          'six weeks; the address stands below. We remain at your service and send kind regards.').split()
COLUMNS = {
    'transactions': (('date', 'Date', 80), ('description', 'Description', 134), ('reference', 'Reference', 330),
                     ('amount', 'Amount', 460), ('balance', 'Balance', 555)),
    'fees': (('number', 'No.', 80), ('text', 'Service', 134), ('amount', 'Fee', 460)),
}
RIGHT = ('amount', 'balance')
PENDING = 'pending'                             # where the others have their date
FEES_PER_PAGE, FEES_LONG = 4, 9


def money(value):
    return '{:,.2f}'.format(value)


def printed(name, value):
    if name in RIGHT:
        return money(value)
    return '{2}.{1}.{0}'.format(*value.split('-')) if name == 'date' else str(value)


class Statement:
    """One document while it is drawn; a page is open at any time, and `y` is the next line's baseline."""

    def __init__(self, rows, seed, first, pending=0):
        self.r, self.n_row, self.next_id = random.Random(seed), rows, first
        self.pdf, self.day = Pdf(), datetime.date(2024, 1, 2)
        self.balance, self.n_cut, self.pending = 1000000, 0, pending
        self.arrays = {'transactions': [], 'fees': []}
        self.scalars, self.headers, self.pages = {}, [], []
        self.account = 'DE%020d' % self.r.randrange(10 ** 18)
        self.again = None               # a row to be printed once more at the next page's head

    # -- lines

    def line(self, parts, code=False):
        """Prints (x, text) parts, right-aligned where x is negative; returns the code's number."""
        number = None
        for x, text in parts:
            if x < 0:
                x = -x - SIZE_PT / 1000 * sum(MARK_WIDTHS.get(c, WIDTH_PT) for c in text)
            self.page.text(x, self.y, SIZE_PT, text, 'Helvetica')
        if code:
            number, self.next_id = self.next_id, self.next_id + 1
            row_code.draw(self.page.ops, number, self.y)
        self.y -= PITCH_PT
        return number

    def room(self):
        return int((self.y - MARGIN_PT) / PITCH_PT) + 1

    def scalar(self, name, label, value, text=None):
        number = self.line([(LEFT_PT, label), (200, text or str(value))], code=True)
        self.scalars.setdefault(name, {'value': value, 'ids': []})['ids'].append(number)

    def open_page(self, kind, landscape=False):
        self.size = LANDSCAPE if landscape else PORTRAIT
        self.page = self.pdf.page(*self.size)
        self.y = self.size[1] - MARGIN_PT
        n = len(self.pages) + 1
        number = self.line([(LEFT_PT, 'Statement of account'), (-self.size[0] + 40, 'page %d' % n)], code=True)
        self.pages.append({'page': n, 'id': number, 'kind': kind, 'landscape': landscape, 'arrays': {}})

    def column_x(self, x):
        return LEFT_PT + (x - LEFT_PT) * STRETCH if self.size == LANDSCAPE else x

    def head(self, array):
        parts = []
        for name, title, x in COLUMNS[array]:
            x = self.column_x(x)
            parts.append((x - SIZE_PT * 0.5 * len(title), title) if name in RIGHT else (x, title))
        number = self.line(parts, code=True)
        self.page.rule(LEFT_PT, self.size[0] - 40, self.y + PITCH_PT - 4)
        text = ' '.join(title for _, title, _ in COLUMNS[array])
        self.headers.append({'id': number, 'page': len(self.pages), 'array': array, 'text': text})

    def row_line(self, array, row, values):
        parts = []
        for name, _, x in COLUMNS[array]:
            if values.get(name) is not None:
                x = self.column_x(x)
                parts.append((-x if name in RIGHT else x, printed(name, values[name])))
            elif name == 'date' and name in values:
                parts.append((self.column_x(x), PENDING))
        number = self.line(parts, code=True)
        row['lines'].append({'id': number, 'page': len(self.pages), 'values': values, 'text': ' '.join(t for _, t in parts)})

    # -- rows

    def words(self, least, most):
        return ' '.join(self.r.choice(WORDS) for _ in range(self.r.randint(least, most)))

    def transaction(self, kind):
        """The lines of a new row: plain, two (lines of description), late (the sums on the second line), or twin: one that
        may stand twice in full, since it has no balance or changes none."""
        r = self.r
        if self.pending and kind == 'plain' and r.random() < self.pending:
            return [{'date': None, 'description': self.words(1, 3), 'reference': 'R%07d' % r.randrange(10 ** 7)}]
        if r.random() < 0.4:
            self.day += datetime.timedelta(days=1)
        first = {'date': self.day.isoformat(), 'description': self.words(2, 4)}
        k = r.random()
        first['reference'] = 'R%07d' % r.randrange(10 ** 7) if k < 0.7 else 'SEPA-%d' % r.randint(1, 9) if k < 0.85 else None
        amount = r.choice((-1, -1, -1, 1)) * r.randint(1, 90000)
        bare = r.random() < (0.7 if kind == 'twin' else 0.2)
        if kind == 'twin' and not bare:
            amount = 0
        self.balance += amount
        sums = {'amount': amount / 100, 'balance': None if bare else self.balance / 100}
        if kind in ('plain', 'twin'):
            return [{**first, **sums}]
        second = {'description': self.words(1, 3)}
        return [{**first, **sums}, second] if kind == 'two' else [first, {**second, **sums}]

    def cut_row(self, kind):
        """One for a page's edge; the rest of every other one says again what the row said."""
        lines = self.transaction(kind)
        self.n_cut += 1
        if self.n_cut % 2 == 0:
            lines[1]['description'] = lines[0]['description'].split()[-1]
        return lines

    def begin_row(self, array, lines):
        values = {name: None for name, _, _ in COLUMNS[array]}
        for part in lines:
            for name, value in part.items():
                if value is not None:
                    values[name] = value if values[name] is None else '%s %s' % (values[name], value)
        row = {'page': len(self.pages), 'values': values, 'lines': []}
        self.arrays[array].append(row)
        return row

    def print_row(self, array, lines, n=None):
        """The lines of a row, or the first n; returns what is left for the next page, (array, row, lines), or None."""
        row = self.begin_row(array, lines)
        for values in lines[:n]:
            self.row_line(array, row, values)
        return (array, row, lines[n:]) if n else None

    def carried(self, word):
        self.line([(134, word), (-self.column_x(555), money(self.balance / 100))])

    def next_lines(self, how, room):
        if self.again:
            lines, self.again = self.again, None
            return lines
        if room == 1 and how == 'again':
            self.again = self.transaction('twin')
            return self.again
        k = self.r.random()
        if k < 0.06 and room > 1:
            self.again = self.transaction('twin')
            return self.again
        return self.transaction('plain' if k < 0.75 or room < 2 else 'two' if k < 0.92 else 'late')

    def fill(self, foot, how, most):
        """Rows until `foot` lines are left or `most` are printed; returns what the next page begins with, or None."""
        rows = self.arrays['transactions']
        end = min(self.n_row, len(rows) + most)
        while len(rows) < end and self.room() > foot:
            room = min(self.room() - foot, end - len(rows))
            if room == 1 and how in ('two', 'late') and not self.again and len(rows) < self.n_row:
                return self.print_row('transactions', self.cut_row(how), 1)
            self.print_row('transactions', self.next_lines(how, self.room() - foot))
        return None

    def fees(self, count):
        """A second table of `count` rows, or as many as there is room for; returns the number left."""
        self.y -= PITCH_PT / 2
        self.line([(LEFT_PT, 'Fees of the period')])
        self.head('fees')
        while count and self.room() > 0:
            number = len(self.arrays['fees']) + 1
            self.print_row('fees', [{'number': number, 'text': self.words(1, 3), 'amount': self.r.randint(1, 4000) / 100}])
            count -= 1
        return count

    # -- pages

    def letter(self, n):
        for i in range(n):
            self.line([(LEFT_PT, ' '.join(LETTER[(12 * i + k) % len(LETTER)] for k in range(12)))])

    def first_lines(self):
        self.scalar('account', 'Account', self.account)
        self.scalar('holder', 'Holder', self.r.choice(('Jördis Maßmann', 'Ann-Kathrin Öhler', 'Pál & Co.')))
        self.scalar('period', 'Period', '2024-01 to 2024-12')
        self.letter(9)

    def draw_page(self, rest, fees, most):
        """One page; returns (what its last row still lacks, fees still to be printed)."""
        n = len(self.pages) + 1
        if n % 11 == 4 and not rest and not fees:
            self.open_page('letter')
            self.letter(14)
            if n == 4:
                self.scalar('interest', 'Interest a year, per cent', 3.25, '3.25')
            self.letter(11)
            return None, 0
        self.open_page('rows', landscape=n % 7 == 3)
        if n == 1:
            self.first_lines()
        if fees:
            fees = self.fees(fees)
            self.y -= PITCH_PT / 2
        if len(self.arrays['transactions']) >= self.n_row and not rest:
            return None, fees
        return self.draw_rows(n, rest, most)

    def draw_rows(self, n, rest, most):
        how = ('two', 'late', 'again', 'plain')[n % 4]
        sums = how == 'plain' or n % 8 == 2
        fees = 0 if n % 5 != 2 else FEES_LONG if n % 20 == 2 else FEES_PER_PAGE
        self.head('transactions')
        if rest:
            for values in rest[2]:
                self.row_line(rest[0], rest[1], values)
        elif n > 1:
            self.carried('Brought forward')
        rest = self.fill(2 * sums + (FEES_PER_PAGE + 3 if fees else 0), how, most)
        if sums:
            self.carried('Sub-total of page %d' % n)
            self.carried('Carried forward')
        return rest, self.fees(fees) if fees else 0

    def draw(self, most):
        rest, fees = None, 0
        while rest or fees or len(self.arrays['transactions']) < self.n_row:
            rest, fees = self.draw_page(rest, fees, most)
        if self.room() < 3:
            self.open_page('rows')
        self.y -= PITCH_PT
        self.scalar('closing_balance', 'Closing balance', self.balance / 100, money(self.balance / 100))
        self.scalars.setdefault('interest', {'value': None, 'ids': []})
        self.list_pages()

    def list_pages(self):
        for name, rows in self.arrays.items():
            for i, row in enumerate(rows):
                at = [line['page'] for line in row['lines']]
                for n in range(at[0], at[-1] + 1):
                    self.list_row(self.pages[n - 1]['arrays'].setdefault(name, {'begins': [], 'ends': [], 'continues': None}),
                                  i, at[0] == n, at[-1] == n)

    @staticmethod
    def list_row(page, i, begins, ends):
        if begins:
            page['begins'] = [page['begins'][0] if page['begins'] else i, i + 1]
        else:
            page['continues'] = i
        if ends:
            page['ends'].append(i)

    def references(self):
        """The references by themselves: an array of scalars."""
        out = []
        for row in self.arrays['transactions']:
            if row['values']['reference']:
                values, line = {'reference': row['values']['reference']}, row['lines'][0]
                out.append({'page': row['page'], 'values': values, 'lines': [{**line, 'values': values}]})
        return out

    def truth(self):
        return {'arrays': {**self.arrays, 'references': self.references()}, 'scalars': self.scalars, 'headers': self.headers, 'pages': self.pages,
                'next': self.next_id}


def schemas():
    """Of the whole statement, and of its references alone."""
    def some(kind, **more):
        return {'type': [kind, 'null'], **more}

    def row(properties):
        return {'type': 'object', 'properties': properties, 'required': list(properties), 'additionalProperties': False}
    transaction = row({'date': some('string', format='date'), 'description': some('string'), 'reference': some('string'),
                       'amount': some('number'), 'balance': some('number')})
    fee = row({'number': some('integer'), 'text': some('string'), 'amount': some('number')})
    root = row({'account': some('string'), 'holder': some('string'), 'period': some('string'), 'interest': some('number'),
                'transactions': {'type': 'array', 'items': transaction}, 'fees': {'type': 'array', 'items': fee},
                'closing_balance': some('number')})
    alone = row({'account': some('string'), 'references': {'type': 'array', 'items': {'type': 'string'}}})
    head = {'$schema': 'https://json-schema.org/draft/2020-12/schema', 'title': 'Statement of account'}
    return {**head, **root}, {**head, **alone}


# -- scans

def pictures(pdf, pages, dpi):
    """The pages as a scanner gives them: black and white."""
    from PIL import Image
    for n in range(1, pages + 1):
        drawn = subprocess.run(['pdftoppm', '-r', str(dpi), '-gray', '-f', str(n), '-l', str(n), pdf], check=True,
                               stdout=subprocess.PIPE).stdout
        yield Image.open(io.BytesIO(drawn)).point(lambda v: 255 * (v > 150)).convert('1')


def scan_tiff(pdf, out, pages, dpi):
    from PIL import TiffImagePlugin
    with TiffImagePlugin.AppendingTiffWriter(out, True) as tiff:
        for picture in pictures(pdf, pages, dpi):
            picture.save(tiff, 'TIFF', compression='group4', dpi=(dpi, dpi))
            tiff.newFrame()


def scan_pdf(pdf, out, pages, dpi):
    scan = Pdf()
    for picture in pictures(pdf, pages, dpi):
        size = picture.width * 72 / dpi, picture.height * 72 / dpi
        scan.page(*size).image(picture, 0, 0, *size)
    scan.save(out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('out')
    parser.add_argument('--rows', type=int, required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--rows-per-page', type=int, default=1000)
    parser.add_argument('--first', type=int, default=0, help='the first code: another document, another range')
    parser.add_argument('--scan', choices=('tiff', 'pdf'))
    parser.add_argument('--dpi', type=int, default=150)
    parser.add_argument('--pending', type=float, default=0, help='a share of the rows')
    args = parser.parse_args()
    statement = Statement(args.rows, args.seed, args.first, args.pending)
    statement.draw(args.rows_per_page)
    pages = len(statement.pages)
    drawn = args.out + ('.drawn.pdf' if args.scan else '.pdf')
    statement.pdf.save(drawn)
    if args.scan:
        (scan_tiff if args.scan == 'tiff' else scan_pdf)(drawn, '%s.%s' % (args.out, args.scan), pages, args.dpi)
        os.remove(drawn)
    whole, alone = schemas()
    for name, value in (('truth', statement.truth()), ('schema', whole), ('references.schema', alone)):
        with open('%s.%s.json' % (args.out, name), 'w') as f:
            json.dump(value, f, ensure_ascii=False, indent=None if name == 'truth' else 1)
    print(pages)


if __name__ == '__main__':
    main()
