#!/usr/bin/env python3
"""Lists, receipts, invoices and statements of goods whose names begin as a total does ("Total care cream", "Bar stool"), in seven languages.

  labelled.py --platen build/platen [--papers 7] [--first 0] [--kind receipt] [--scans] [--show] [--least KIND=PERCENT]

Each paper is read by an endpoint that gives every row, where no gap may be reported, and by one that leaves out these goods whatever it is
asked: a gap must name each. Prints both counts for each kind; ends with 1 if a paper of text had a false gap or a row was neither read nor
named. --scans: pictures of these papers, read by Tesseract: false gaps and lost rows are counted, and up to --least percent must be right.
"""
import argparse
import datetime
import json
import os
import random
import re
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, '..', 'eval'), os.path.join(here, '..', '..', 'samples')]
import lacking
import papers
from pdf_write import Pdf

# (decimal mark, goods that begin as a total does, other goods, labels)
SAY = {
    'en': ('.', 'Balance bike;Report cover;Bar stool;Card holder;New balance 574;Total care cream;Change mat;Cash box;Net curtain;Tip jar;Paid parking;VAT guide',
           'Oak table;Lamp shade;Widget long;Desk fan;Green tea;Paper A4;Steel rule',
           dict(total='Total', subtotal='Subtotal', tax='VAT', cash='Cash', change='Change', card='Card', net='Net', opening='Opening balance',
                closing='Closing balance', carried='Carried forward', brought='Brought forward')),
    'de': (',', 'Bar-Hocker;Karte Europa;Saldo Buch;Summe Spiel;Netto Korb;Gesamt Pflege Creme;Report Mappe;Visa Foto;Bar Set',
           'Eichentisch;Lampe;Kabel lang;Tee Assam;Papier A4;Stahllineal',
           dict(total='Gesamtbetrag', subtotal='Zwischensumme', tax='MwSt.', cash='Bar', change='Rückgeld', card='Karte', net='Netto',
                opening='Anfangssaldo', closing='Endsaldo', carried='Übertrag', brought='Übertrag')),
    'fr': (',', 'Carte du monde;Report crayon;Total look;Solde stylo;Rendu monnaie jeu;Net filet;Bar à eau',
           'Table;Lampe de bureau;Câble long;Thé vert;Papier A4;Règle',
           dict(total='Total TTC', subtotal='Sous-total', tax='TVA', cash='Espèces', change='Rendu', card='Carte', net='Net',
                opening='Ancien solde', closing='Nouveau solde', carried='A reporter', brought='Report')),
    'es': (',', 'Cambio pañal;Resto tela;Bar mueble;Total crema;Tarjeta regalo;Saldo libro;Suma juego',
           'Mesa;Lámpara;Cable largo;Té verde;Papel A4;Regla',
           dict(total='Total', subtotal='Subtotal', tax='IVA', cash='Efectivo', change='Cambio', card='Tarjeta', net='Neto',
                opening='Saldo anterior', closing='Saldo final', carried='Suma y sigue', brought='Suma anterior')),
    'it': (',', 'Resto pizza;Totale crema;Bar mobile;Cambio gomme;Saldo libro;Netto rete',
           'Tavolo;Lampada;Cavo lungo;Tè verde;Carta A4;Righello',
           dict(total='Totale', subtotal='Subtotale', tax='IVA', cash='Contanti', change='Resto', card='Carta', net='Netto',
                opening='Saldo iniziale', closing='Saldo finale', carried='A riportare', brought='Riporto')),
    'pt': (',', 'Total creme;Saldo livro;Resto tecido;Bar mesa;Cash caixa;Visa foto',
           'Mesa;Candeeiro;Cabo longo;Chá verde;Papel A4;Régua',
           dict(total='Total', subtotal='Subtotal', tax='IVA', cash='Cash', change='Resto', card='Visa', net='Net',
                opening='Saldo anterior', closing='Saldo final', carried='A transportar', brought='Saldo anterior')),
    'nl': (',', 'Bar kruk;Totaal verzorging;Saldo boek;Report map;Net gordijn;Contant doos;Change mat',
           'Tafel;Lamp;Kabel lang;Groene thee;Papier A4;Liniaal',
           dict(total='Totaal', subtotal='Subtotaal', tax='BTW', cash='Contant', change='Wisselgeld', card='Visa', net='Netto',
                opening='Vorig saldo', closing='Nieuw saldo', carried='Transport c/f', brought='Transport b/f')),
}
KINDS = ('list', 'receipt', 'invoice', 'statement')


class Paper:
    def __init__(self, kind, seed):
        self.r = r = random.Random('%s %d' % (kind, seed))
        self.kind = kind
        language = list(SAY)[seed % len(SAY)]
        self.point, odd, plain, self.say = SAY[language]
        self.pdf = Pdf()
        self.font = r.choice(('Helvetica', 'Times-Roman', 'Courier'))
        self.page, self.y = self.pdf.page(595, 842), 790
        self.left = r.random() < 0.3        # amounts are aligned at the left
        n = r.randint(6, 12)
        names = r.sample(odd.split(';'), min(n // 2, len(odd.split(';'))))
        self.odd = set(names)
        rest = plain.split(';')
        names += [r.choice(rest) + r.choice(('', ' large', ' %s%d' % (r.choice('KLMNPR'), r.randint(10, 99)))) for _ in range(n - len(names))]
        r.shuffle(names)
        self.names = names
        getattr(self, kind)()

    def money(self, cents):
        text = '%d%s%02d' % (abs(cents) // 100, self.point, abs(cents) % 100)
        if abs(cents) >= 100000:
            text = text[:-6] + (',' if self.point == '.' else '.') + text[-6:]
        return '-' * (cents < 0) + text

    def row(self, *cells, step=16):
        """Cells are (x, text); a negative x is a right edge."""
        for x, text in cells:
            if x < 0:
                x = -x - (0 if self.left else len(text) * 5)
                x -= 30 if self.left else 0
            self.page.text(x, self.y, 10, text, self.font)
        self.y -= step

    def total(self, name, cents, rate=None, x=-500):
        label = self.say[name] + (' %d %%' % rate if rate else '')
        self.row((60, label), (x, self.money(cents)))

    def price(self):
        return self.r.choice((self.r.randint(1, 60) * 100, self.r.randint(100, 9999), self.r.randint(1, 400) * 50))

    def head(self, title):
        self.row((60, 'Northfield Goods'), step=20)
        self.row((60, title + ' %d' % self.r.randint(1000, 9999)), step=30)

    def settle(self, net, below):
        """The lines below the rows: what is due."""
        r, rate, self.totals = self.r, self.r.choice((7, 19, 20, 21)), {}
        way = r.choice(('total', 'net', 'included', 'silent'))
        if way == 'net':
            tax = (net * rate + 50) // 100
            self.total(r.choice(('subtotal', 'net')), net)
            self.total('tax', tax, rate)
            due = net + tax
            self.total('total', due)
        elif way == 'included':
            due = net
            self.total('total', due)
            self.total('tax', round(net * rate / (100 + rate)), rate)
        elif way == 'silent':
            tax = (net * rate + 50) // 100
            self.total('tax', tax)
            due = net + tax
            self.total('total', due)
        else:
            due = net
            self.total('total', due)
        if below and r.random() < 0.7:
            given = (due // 1000 + 1) * 1000
            if r.random() < 0.5:
                self.total('cash', given)
                self.total('change', given - due)
            else:
                self.total('card', due)
        self.value = {'title': 'Northfield Goods', 'items': self.rows}
        self.value['total'] = due / 100

    def list(self):
        self.head('Liste')
        self.row((60, 'Artikel'), (300, 'Nr'), (-500, 'EUR'))
        self.rows, net = [], 0
        for i, name in enumerate(self.names):
            price = self.price()
            net += price
            self.row((60, name), (300, str(i + 1)), (-500, self.money(price)))
            self.rows.append({'name': name, 'quantity': i + 1, 'price': price / 100})
        self.y -= 10
        self.settle(net, False)

    def receipt(self):
        self.head('Bon')
        self.rows, net = [], 0
        for name in self.names:
            price = self.price()
            net += price
            self.row((60, name), (-400, self.money(price)))
            self.rows.append({'name': name, 'quantity': None, 'price': price / 100})
        self.y -= self.r.choice((0, 10))
        self.settle(net, True)

    def invoice(self):
        self.head('INV')
        self.row((60, 'Item'), (-330, 'Qty'), (-420, 'Price'), (-500, 'EUR'))
        self.rows, net = [], 0
        for name in self.names:
            price, n = self.price(), self.r.randint(1, 4)
            net += price * n
            self.row((60, name), (-330, str(n)), (-420, self.money(price)), (-500, self.money(price * n)))
            self.rows.append({'name': name, 'quantity': n, 'price': price / 100, 'amount': price * n / 100})
        self.settle(net, False)

    def statement(self):
        day, balance, self.rows = datetime.date(2024, 5, 2), self.r.randint(100000, 900000), []
        self.head('Konto')
        opening = balance
        self.row((60, '01.05.2024'), (140, self.say['opening']), (-500, self.money(balance)))
        for name in self.names:
            day += datetime.timedelta(days=self.r.randint(0, 2))
            amount = self.price() * self.r.choice((-1, -1, 1))
            balance += amount
            self.row((60, day.strftime('%d.%m.%Y')), (140, name), (-400, self.money(amount)), (-500, self.money(balance)))
            self.rows.append({'date': day.isoformat(), 'name': name, 'amount': amount / 100, 'balance': balance / 100})
        self.row((60, day.strftime('%d.%m.%Y')), (140, self.say['closing']), (-500, self.money(balance)))
        self.value = {'title': 'Northfield Goods', 'items': self.rows, 'total': None if self.r.random() < 0.5 else balance / 100}

    def schema(self):
        def some(kind):
            return {'type': [kind, 'null']}
        item = {key: some('string' if key in ('name', 'date') else 'number') for key in self.rows[0]}
        return {'$schema': 'https://json-schema.org/draft/2020-12/schema', 'title': self.kind, 'type': 'object', 'additionalProperties': False,
                'properties': {'title': some('string'), 'total': some('number'), 'items': {'type': 'array', 'items': {
                    'type': 'object', 'additionalProperties': False, 'properties': item}}}}


def words(text):
    return set(re.findall(r'\w{3,}', text))


def judge(platen, paper, path, schema):
    """False gaps of a reader who gives all; rows that were lost, of so many, of one who leaves out the odd ones."""
    record, _ = platen.read(path, schema, paper.value, paper.value)
    false = [gap['text'] for gap in record.get('gaps') or []]
    less = dict(paper.value, items=[row for row in paper.rows if row['name'] not in paper.odd])
    record, _ = platen.read(path, schema, less, dict(less, items=[]))
    named = [gap['text'] for gap in record.get('gaps') or []]
    lost = [name for name in paper.odd if not any(words(name) & words(text) for text in named)]
    return false, lost


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--platen', required=True)
    parser.add_argument('--papers', type=int, default=7)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--kind', choices=KINDS, action='append')
    parser.add_argument('--scans', action='store_true')
    parser.add_argument('--least', type=float, default=100)
    parser.add_argument('--show', action='store_true')
    args = parser.parse_args()
    platen, good = lacking.Platen(args.platen, args.scans), True
    with tempfile.TemporaryDirectory(prefix='platen-labelled-') as scratch:
        for kind in args.kind or KINDS:
            clean = n_lost = n_odd = 0
            for seed in range(args.first, args.first + args.papers):
                paper = Paper(kind, seed)
                path, schema = ['%s/%s-%d.%s' % (scratch, kind, seed, end) for end in ('pdf', 'schema.json')]
                paper.pdf.save(path)
                with open(schema, 'w') as f:
                    json.dump(paper.schema(), f)
                if args.scans:
                    path = papers.scan(path, path[:-4], seed)[0]
                false, lost = judge(platen, paper, path, schema)
                clean += not false
                n_lost += len(lost)
                n_odd += len(paper.odd)
                if args.show and (false or lost):
                    print('    %s-%d: false %s, lost %s' % (kind, seed, false, lost))
            held = clean * 100 >= args.least * args.papers and n_lost * 100 <= (100 - args.least) * n_odd
            good &= held
            print('%s - labelled: %s: no false gap in %d of %d, %d of %d rows lost' % ('ok' if held else 'not ok', kind, clean, args.papers, n_lost, n_odd))
    sys.exit(not good)


if __name__ == '__main__':
    main()
