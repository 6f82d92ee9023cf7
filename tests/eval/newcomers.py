"""Papers of today's offices, drawn by somebody who knows neither the rules nor what is right of the strangers (strangers.py).

Fourteen house styles as programs for invoices, shops, banks and suppliers draw them, each with a schema that a user writes in a minute. What
a paper says of itself is what a Stranger says; beside that a schema may have descriptions (says).
"""
import contextlib
import datetime

import papers
from papers import iban_of
from strangers import SIGNS, Stranger, cents, dutch_vat, italian_account, kinds_of, luhn, partita_iva, pt_nif, spanish_cif

# Of each country: streets, towns with their codes (# a digit), people and firms.
LAND = {
    'GB': ('Harbour Street;Victoria Road;King William Way;Orchard Close', 'Norwich NR# #AB;Bristol BS# 6TD;Leicester LE# 9PW;Dundee DD# 4HN',
           'Hannah Brook;Tom Ellery;Priya Nair;George Lamb', 'Pennant Design Ltd;Arkwright & Lowe Ltd;Sandpiper Media Ltd;Broadland Fencing Ltd;The Copper Kettle'),
    'US': ('Market Street;Kettner Boulevard;Peachtree Road;Canal Street', 'Portland, OR 972##;San Diego, CA 921##;Atlanta, GA 303##;Columbus, OH 432##',
           'Megan Whitfield;Carlos Rivera;Brian Stokes;Dana Lowell', 'Redwood Remodeling LLC;Blue Mesa Dental Group;Harper Analytics, Inc.;Northside Bakery LLC;Quarry Lane Holdings'),
    'DE': ('Rosenstraße;Ludwigsplatz;Hafenweg;Am Alten Markt', '20### Hamburg;50### Köln;70### Stuttgart;90### Nürnberg', 'Katrin Baumann;Stefan Hölzl;Miriam Thoma;Jörg Pfeiffer',
           'Elektro Baumann GmbH;Druckerei Hölzl & Co. KG;Werbeagentur Blickfang GmbH;Gasthaus Zur Linde;Metallbau Pfeiffer e.K.;Praxis Dr. Thoma'),
    'FR': ('rue des Lilas;avenue Jean Jaurès;place de la République;chemin du Vieux Port', '690## Lyon;330## Bordeaux;440## Nantes;590## Lille',
           'Camille Roussel;Julien Mercier;Sophie Garnier;Karim Haddad', 'Atelier Garnier SARL;Mercier Menuiserie SAS;Les Jardins de Provence SARL;Imprimerie Roussel SA;Hôtel du Parc'),
    'ES': ('Calle Alcalá;Avenida Diagonal;Calle San Fernando;Plaza Nueva', '280## Madrid;080## Barcelona;480## Bilbao', 'Marta Ibáñez;Sergio Cano;Elena Ruiz;Pablo Ortega',
           'Comercial Ibáñez S.L.;Asesoría Ruiz S.L.P.;Reformas Cano S.L.'),
    'IT': ('Via Manzoni;Via Verdi;Corso Italia;Viale dei Tigli', '501## Firenze FI;371## Verona VR;101## Torino TO', 'Chiara Greco;Paolo Marchetti;Sara Lombardi',
           'Tipografia Greco S.r.l.;Marchetti Arredamenti S.a.s.;Lombardi Impianti S.r.l.;Pasticceria Aurora S.n.c.'),
    'PT': ('Rua Augusta;Avenida da Boavista;Rua Direita;Largo do Rossio', '1100-0## Lisboa;4100-1## Porto;8000-2## Faro', 'Beatriz Monteiro;Tiago Nogueira;Ana Bela Matos',
           'Nogueira Consultores Lda.;Monteiro & Matos S.A.'),
    'NL': ('Stationsweg;Prinsengracht;Beukenlaan;Industrieweg', '30## KL Rotterdam;25## BX Den Haag;56## DC Eindhoven;80## TR Zwolle', 'Femke Jansen;Daan Mulder;Iris van Leeuwen;Bram Dekker',
           'Mulder Installaties B.V.;Fietswinkel Dekker;Van Leeuwen Catering B.V.;Bouwbedrijf Jansen B.V.'),
}
GREY = 0.45, 0.45, 0.45


class Newcomer(Stranger):
    """A Stranger of the countries above, with bold and coloured print, filled heads of tables, rows of several lines and footers."""

    def __init__(self, seed, kind, land, labels=('beside', 'colon', 'gap'), ordinary=True, **more):
        super().__init__(seed, kind, ordinary=ordinary, **more)
        self.land, self.tongue = land, 'en' if land in ('GB', 'US') else land.lower()
        self.page_size, self.rotate, self.crop = papers.LETTER if land == 'US' else papers.A4, 0, (0, 0)
        self.people, self.firms = (self.r.sample(names, len(names)) for names in (LAND[land][i].split(';') for i in (2, 3)))
        self.label_how = self.r.choice(labels)
        self.bold, self.colour, self.bold_labels, self.sign_first = False, None, False, False
        self.currency_at, self.says = '/currency', {}

    # -- what there is to print

    def place(self):
        streets, towns = (self.r.choice(text.split(';')) for text in LAND[self.land][:2])
        number, town = self.r.randint(1, 190), self.code(towns)
        street = '%d %s' % (number, streets) if self.land in ('GB', 'US', 'FR') else '%s, %d' % (streets, number) if self.land == 'IT' else '%s %d' % (streets, number)
        if self.land == 'GB' and self.r.random() < 0.5:
            city, code = town.split(' ', 1)
            return [street, city, code]
        return [street, 'Suite %d' % self.r.randint(100, 900), town] if self.land == 'US' and self.r.random() < 0.3 else [street, town]

    def in_money(self, value):
        return '%s %s' % (SIGNS[self.currency], self.number(value)) if self.sign_first else super().in_money(value)

    def cell(self, value, digits=2):
        return self.number(value, digits), value

    # -- how it is printed

    @contextlib.contextmanager
    def look(self, bold=False, colour=None):
        before = self.bold, self.colour
        self.bold, self.colour = bold, colour
        yield
        self.bold, self.colour = before

    def put(self, x, y, text, of=(), size=None, right=False, bold=False):
        ops = self.page.ops
        n = len(ops)
        end = super().put(x, y, text, of, size, right)
        ink = b'%g %g %g' % (self.colour or (0, 0, 0))
        if self.colour:
            ops[n:] = [op.replace(b'BT 0 g', b'BT %s rg' % ink, 1) for op in ops[n:]]
        if self.bold:                           # drawn and traced, as programs do that have no bold font
            ops[n:] = [b'q 0.3 w %s RG' % ink] + [op.replace(b' 0 Tr ', b' 2 Tr ', 1) for op in ops[n:]] + [b'Q']
        return end

    def heading(self, x, y, text, size=1.0, right=False, colour=None):
        """Print that nobody asks for, in bold; `size` in those of the text."""
        with self.look(True, colour):
            return self.put(x, y, text, size=self.size * size, right=right)

    def after_label(self, x, y, label, gap=100, how=None):
        with self.look(self.bold_labels, self.colour):
            return super().after_label(x, y, label, gap, how)

    def fill(self, x, y, wide, high, colour):
        self.page.ops.append(b'q %g %g %g rg %g %g %g %g re f Q' % (*colour, x, self.height - y - high, wide, high))

    def frame(self, x, y, wide, high):
        self.page.ops.append(b'0.6 w %g %g %g %g re S' % (x, self.height - y - high, wide, high))

    def middle(self, text, size=1.0, x=None):
        """Where a text begins that stands in the middle of the page, or about x."""
        return (self.width / 2 if x is None else x) - self.wide(text, self.size * size) / 2

    def again(self, x, y, text, at, **more):
        """A value that is printed elsewhere, too."""
        return self.show(x, y, text, at, more=True, **more)

    def see_currency(self, left, y, text, size=None):
        super().see_currency(left, y, text, size)
        if self.currency_at != '/currency':
            self.truth.setdefault(self.currency_at, []).extend(self.truth.pop('/currency'))
        self.say_value(self.currency_at, self.currency, 'currency')

    def party(self, x, y, name, lines, at, size=None, bold=False, name_key='name', address_key='address'):
        """Name and address under one another; where the next line would be."""
        with self.look(bold):
            self.show(x, y, name, '%s/%s' % (at, name_key), kind='name', size=size)
        return self.block(x, y + (size or self.size) * 1.35, lines, '%s/%s' % (at, address_key))

    def sender_line(self, x, y, name, lines, name_at, address_at, between=' · '):
        """In one small line above the window of the envelope."""
        size, more = self.size * 0.72, address_at in self.truth
        end = self.show(x, y, name, name_at, kind='name', size=size, more=name_at in self.truth)
        for i, line in enumerate(lines):
            end = self.put(end, y, between, size=size)
            end = self.show(end, y, line, address_at, ', '.join(lines), 'address', size=size, more=more or i > 0)
        self.rule(x, end, y + 2.5)

    def lines_at(self, x, y, some, size=1.0, right=False, step=1.3):
        """Lines of print, or of (label, text, pointer or None, value, kind); on later pages once more."""
        size *= self.size
        for line in some:
            if isinstance(line, str):
                self.put(x, y, line, size=size, right=right)
            else:
                label, text, at, value, kind = line
                if at:
                    self.show(x, y, text, at, value, kind, before=label and label + ' ', size=size, right=right, more=at in self.truth)
                else:
                    self.distract(kind, value or text)
                    self.put(x, y, (label and label + ' ') + text, size=size, right=right)
            y += size * step
        return y

    def across(self, y, some):
        """Labels above their values, beside one another: (x, label, text, pointer or None, value, kind)."""
        for x, *what in some:
            self.field(x, y, *what, how='above')

    def strong(self, x, right, label, value, at, sign=False, size=1.0):
        """The last of the sums."""
        with self.look(True):
            self.put(x, self.y, label, size=self.size * size)
            self.money(right, self.y, value, at, sign, size=self.size * size)
        if at:
            self.labelled.append(at)
        self.y += self.size * 1.7 * size

    def grid_heads(self, columns, left, right, look, colour):
        lines = max(head.count('\n') for _, head, *_ in columns)
        high = self.size * (1.9 + 1.15 * lines)
        if look in ('bar', 'grey'):
            self.fill(left - 4, self.y - self.size * 1.25, right - left + 8, high, colour)
        if look == 'lines':
            self.rule(left, right, self.y - self.size * 1.2)
        with self.look(look != 'plain', (1, 1, 1) if look == 'bar' else None):
            for _, head, x, on_right in columns:
                for i, line in enumerate(head.split('\n')):
                    self.put(x, self.y + i * self.size * 1.15, line, right=on_right)
        self.y += lines * self.size * 1.15
        if look in ('rule', 'lines'):
            self.rule(left, right, self.y + self.size * 0.45)
        self.y += self.size * 0.3

    def grid(self, array, columns, rows, kinds, under=(), look='rule', colour=(0.9, 0.9, 0.9), step=1.55, edge=None, on_full=None, bottom=80, ruled=False):
        """Rows of (text, value), (lines, value) or text under heads (key, head, x, right); `under` says what stands below the first line of a row,
        [[(key, x, label)]]. A key with _ is print alone. `on_full` opens a page: it is told how many rows are done."""
        self.heads[array] = [key for key, head, *_ in columns if head and key[0] != '_']
        left, right = edge or (min(c[2] for c in columns if not c[3]), max(c[2] for c in columns))
        self.grid_heads(columns, left, right, look, colour)
        for i, row in enumerate(rows):
            tall = max(len(cell[0]) if isinstance(cell, tuple) and isinstance(cell[0], list) else 1 for cell in row.values())
            below = [line for line in under if any(row.get(key) for key, *_ in line)]
            more = (tall - 1 + len(below)) * self.size * 1.2
            self.y += self.size * step
            if on_full and self.y + more > self.height - bottom:
                on_full(i)
                self.grid_heads(columns, left, right, look, colour)
                self.y += self.size * step
            for key, _, x, on_right in columns:
                self.grid_cell('%s/%d/%s' % (array, i, key), key, row.get(key), x, self.y, on_right, kinds)
            for n, line in enumerate(below):
                for key, x, label in line:
                    self.grid_cell('%s/%d/%s' % (array, i, key), key, row.get(key), x, self.y + (tall + n) * self.size * 1.2, False, kinds, label)
            self.y += more
            if ruled:
                self.rule(left, right, self.y + self.size * 0.45)
        self.y += self.size * step

    def grid_cell(self, at, key, cell, x, y, right, kinds, label=''):
        if cell is None:
            return
        text, value = cell if isinstance(cell, tuple) else (cell, None)
        if key[0] == '_':
            self.put(x, y, label + text, right=right)
        elif text is None:
            self.say_value(at, None)
        else:
            for n, line in enumerate(text if isinstance(text, list) else [text]):
                self.show(x, y + n * self.size * 1.2, line, at, ' '.join(text) if isinstance(text, list) else value, kinds.get(key), right, before=label, more=n > 0)

    def schema_of(self, value, at=''):
        schema = super().schema_of(value, at)
        if at in self.says:
            schema['description'] = self.says[at]
        return schema

    def done_with(self, keys):
        """The record in the order in which the user asks."""
        keys = keys.split()
        assert sorted(keys) == sorted(self.value), sorted(set(keys) ^ set(self.value))
        self.value = {key: self.value[key] for key in keys}
        return self.done()


# -- numbers with check digits

def german_vat(p):
    digits, product = p.code('2#######'), 10
    for d in digits:
        product = ((int(d) + product) % 10 or 10) * 2 % 11
    return 'DE%s%d' % (digits, (11 - product) % 10)


def british_vat(p):
    digits = p.code('3######')
    return 'GB %s %s %02d' % (digits[:3], digits[3:], 97 - sum(int(d) * w for d, w in zip(digits, range(8, 1, -1))) % 97)


def french_vat(siren):
    return 'FR%02d%s' % ((12 + 3 * (int(siren) % 97)) % 97, siren)


def french_iban(p):
    bank, branch, account = p.code('30###'), p.code('0####'), p.code('#' * 11)
    return iban_of('FR', bank + branch + account + '%02d' % (97 - (89 * int(bank) + 15 * int(branch) + 3 * int(account)) % 97))


def later(day, days):
    return day + datetime.timedelta(days=days)


def iso(p, at, day, label, kind='date'):
    """A line of labelled values: a date."""
    return label, p.day(day), at, day.isoformat(), kind


# -- English

def cloud(seed):
    """An invoice of a service in the net: no ruled boxes, the sum in a headline, two lines a row."""
    p = Newcomer(seed, 'cloud', 'US', labels=('beside',), dates=('%B %-d, %Y', '%b %-d, %Y'), currency=('USD',)).start()
    r, end = p.r, p.width - 50
    seller = r.choice(('Lumenstack, Inc.', 'Parcelbee Inc.', 'Formwise Labs LLC'))
    day = p.some_day()
    due, start = later(day, r.choice((0, 14, 30))), day.replace(day=1)
    number = p.code(r.choice(('@@#@###@-####', 'INV-######', '####-####')))
    p.heading(50, p.y + 16, 'Invoice', 2)
    with p.look(True, GREY):
        p.show(end, p.y + 16, seller, '/vendor/name', kind='name', right=True, size=p.size * 1.8)
    p.y += 48
    p.bold_labels = True
    for line in (('Invoice number', number, '/invoice_number', None, 'id'), iso(p, '/issue_date', day, 'Date of issue'), iso(p, '/due_date', due, 'Date due')):
        left = 50 + max(p.wide('Invoice number'), p.wide('Date of issue')) + 16
        p.field(50, p.y, *line, gap=left - 50, how='gap')
        p.y += p.size * 1.5
    p.y += 16
    top = p.y
    with p.look(True):
        p.again(50, top, seller, '/vendor/name')
    low = p.block(50, top + p.size * 1.4, p.place() + ['United States'], '/vendor/address')
    host = seller.split(' ')[0].strip(',').lower() + '.com'
    p.show(50, low, 'billing@' + host, '/vendor/email', kind='email')
    p.heading(300, top, 'Bill to')
    buyer = p.firms[0]
    low = max(low, p.party(300, top + p.size * 1.4, buyer, p.place() + ['United States'], '/customer'))
    mail = '%s@example.com' % p.people[0].lower().replace(' ', '.')
    p.distract('email', mail)
    p.put(300, low, mail)
    rows, plan = [], r.choice(('Team plan', 'Growth plan', 'Enterprise workspace'))
    for name in [plan] + r.sample(('Additional seats', 'API requests, per 1,000', 'Storage, per GB', 'Priority support', 'Email credits, per 100'), r.randint(0, 4)):
        n, price = r.choice((1, r.randint(2, 40), r.randint(1100, 5200))) if name[-1].isdigit() or name[-1] == 'B' else r.choice((1, r.randint(2, 30))), cents(r, 0.1, 9) if name != plan else cents(r, 19, 190)
        until = later(start.replace(day=28), 4).replace(day=1)
        rows.append({'description': name, 'period_start': (p.day(start, '%b %-d, %Y'), start.isoformat()), 'period_end': (p.day(until, '%b %-d, %Y'), until.isoformat()),
                     'quantity': p.cell(n, 0), 'unit_price': (p.in_money(price), price), 'amount': (p.in_money(round(n * price, 2)), round(n * price, 2))})
    net = round(sum(row['amount'][1] for row in rows), 2)
    percent, rate = r.choice((0, 10, 20)), r.choice((6.25, 7.25, 8.875))
    off = round(net * percent / 100, 2)
    tax = round((net - off) * rate / 100, 2)
    total = round(net - off + tax, 2)
    p.y = low + 40
    with p.look(True):
        x = p.show(50, p.y, p.in_money(total), '/amount_due', total, 'amount', size=p.size * 1.5)
        x = p.show(x, p.y, 'USD', '/currency', kind='currency', before=' ', size=p.size * 1.5)
        p.again(x, p.y, p.day(due), '/due_date', before=' due ', size=p.size * 1.5)
    p.y += p.size * 2.2
    with p.look(True, (0.35, 0.3, 0.85)):
        p.put(50, p.y, 'Pay online')
    p.y += p.size * 3.5
    after = 50 + p.wide(rows[0]['period_start'][0])
    p.grid('/line_items', [('description', 'Description', 50, False), ('quantity', 'Qty', 350, True), ('unit_price', 'Unit price', 440, True), ('amount', 'Amount', end, True)], rows,
           kinds_of(unit_price='amount', amount='amount', period_start='date', period_end='date'), under=[[('period_start', 50, ''), ('period_end', after, ' – ')]], look='rule', step=1.9)
    p.y += 10
    p.sums(330, end, [('Subtotal', net, '/subtotal')], True)
    if off:
        p.sums(330, end, [('Promotion (%d%% off)' % percent, -off, '/discount')], True)
    else:
        p.say_value('/discount', None, 'amount')
    p.sums(330, end, [('Sales tax (%g%%)' % rate, tax, '/tax'), ('Total', total, '/total')], True)
    p.heading(330, p.y, 'Amount due')
    with p.look(True):
        p.again(end, p.y, p.in_money(total), '/amount_due', after=' USD', right=True)
    p.labelled.append('/amount_due')
    low = p.height - 40
    p.rule(50, end, low - 14)
    with p.look(False, GREY):
        p.again(50, low, number, '/invoice_number', size=p.size * 0.85, after=' · Thank you for being a customer')
        p.put(end, low, 'Page 1 of 1', size=p.size * 0.85, right=True)
    p.says.update({'/discount': 'as printed, with its sign', '/line_items': 'all lines of the invoice'})
    return p.done_with('vendor customer invoice_number issue_date due_date currency line_items subtotal discount tax total amount_due')


def taxinvoice(seed):
    """Buyer at the left, labels in the middle, seller at the right; rows may go on; a slip to send back."""
    p = Newcomer(seed, 'taxinvoice', 'GB', money=('1,234.56',), dates=('%-d %b %Y', '%d %b %Y', '%d %B %Y'), currency=('GBP',)).start()
    r, end = p.r, p.width - 45
    seller, buyer = p.firms[:2]
    day, number = p.some_day(), p.code(r.choice(('INV-####', 'SI-0####', '#####')))
    due = later(day, r.choice((14, 30)))
    p.fill(end - 60, p.y - 6, 60, 40, (0.82, 0.87, 0.92))
    p.put(60, p.y + 50, r.choice(('TAX INVOICE', 'INVOICE')), size=p.size * 2.4)
    p.y += 84
    top = p.y
    p.party(75, top, buyer, p.place(), '', name_key='customer', address_key='customer_address')
    p.bold_labels = True
    vat_number, y = british_vat(p), top
    for label, text, at, value, kind in (iso(p, '/invoice_date', day, 'Invoice Date'), ('Invoice Number', number, '/invoice_number', None, 'id'),
                                         ('Reference', p.code('PO/####'), '/reference', None, 'id'), ('VAT Number', vat_number, '/supplier_vat_number', None, 'id')):
        p.heading(305, y - p.size * 0.2, label)
        p.show(305, y + p.size * 1.05, text, at, value, kind)
        p.labelled.append(at)
        y += p.size * 2.9
    low = p.party(430, top, seller, p.place() + ['UNITED KINGDOM'], '', name_key='supplier', address_key='supplier_address')
    p.y = max(y, low) + 26

    def page(done):
        p.start()
        p.again(45, p.y, number, '/invoice_number', before='Invoice ')
        p.put(end, p.y, 'Page %d' % p.n_page, right=True)
        p.y += 30

    jobs = 'Website maintenance;Logo design;Photography, half day;Copywriting;Banner printing;Project management;Newsletter layout;Trade stand hire;Courier;Proof reading;Colour brochures;Video editing'.split(';')
    rows, rate = [], r.choice((20, 20, 20, 5))
    for _ in range(r.choice((2, 3, 5, 8, 22, 31))):
        n, price = r.choice((1.0, 2.0, 2.5, 7.5, 12.0)), cents(r, 12, 480)
        rows.append({'description': r.choice(jobs), 'quantity': p.cell(n), 'unit_price': p.cell(price), 'vat_rate': ('%d%%' % rate, rate), 'amount': p.cell(round(n * price, 2))})
    p.grid('/lines', [('description', 'Description', 45, False), ('quantity', 'Quantity', 330, True), ('unit_price', 'Unit Price', 410, True), ('vat_rate', 'VAT', 455, True),
                      ('amount', 'Amount GBP', end, True)], rows, kinds_of(unit_price='amount', amount='amount', vat_rate='rate'), on_full=page, step=1.9, ruled=True)
    if p.y > p.height - 300:
        page(len(rows))
    net = round(sum(row['amount'][1] for row in rows), 2)
    vat = round(net * rate / 100, 2)
    p.y += 4
    for label, value, at in (('Subtotal', net, '/subtotal'), ('TOTAL VAT %d%%' % rate, vat, '/total_vat')):
        p.put(455, p.y, label, right=True)
        p.money(end, p.y, value, at)
        p.labelled.append(at)
        p.y += p.size * 1.8
    p.rule(380, end, p.y - p.size * 1.1)
    with p.look(True):
        p.show(455, p.y, 'GBP', '/currency', kind='currency', before='TOTAL ', right=True)
        p.money(end, p.y, round(net + vat, 2), '/total')
    p.labelled.append('/total')
    p.y += 30
    with p.look(True):
        p.date(45, p.y, due, '/due_date', before='Due Date: ')
    p.labelled.append('/due_date')
    p.y = p.lines_at(45, p.y + p.size * 1.5, ['Please pay by bank transfer to %s.' % r.choice(('Lloyds Bank', 'Barclays', 'Monzo Business')),
                                              ('Sort code', p.code('30-##-##'), '/sort_code', None, 'id'), ('Account number', p.code('########'), '/account_number', None, 'id')])
    p.labelled += ['/sort_code', '/account_number']
    y = p.height - 150
    for x in range(45, int(end), 8):
        p.rule(x, x + 4, y)
    p.heading(45, y + 30, 'PAYMENT ADVICE', 1.7)
    p.again(75, y + 48, seller, '/supplier', before='To: ')
    for i, (label, text, at) in enumerate((('Customer', buyer, '/customer'), ('Invoice Number', number, '/invoice_number'), ('Amount Due', p.number(round(net + vat, 2)), '/total'),
                                           ('Due Date', p.day(due), '/due_date'), ('Amount Enclosed', None, None))):
        p.heading(330, y + 26 + i * p.size * 1.9, label)
        if at:
            p.again(430, y + 26 + i * p.size * 1.9, text, at)
    p.rule(430, end, y + 28 + 4 * p.size * 1.9)
    return p.done_with('supplier supplier_address supplier_vat_number customer customer_address invoice_number invoice_date due_date reference currency lines subtotal total_vat total sort_code account_number')


def estimate(seed):
    """A quotation: heads in a coloured bar, what is done in bold and its description below."""
    p = Newcomer(seed, 'estimate', 'US', ordinary=False, labels=('gap',), money=('1,234.56',), dates=('%m/%d/%Y',), currency=('USD',)).start()
    r, end = p.r, p.width - 50
    tint = r.choice(((0.18, 0.42, 0.3), (0.2, 0.35, 0.6), (0.55, 0.25, 0.2)))
    seller = p.firms[0]
    day = p.some_day()
    until = later(day, r.choice((15, 30, 45)))
    phone = p.code('(503) ###-####')
    low = p.party(50, p.y + 6, seller, p.place(), '/company', bold=True)
    low = p.lines_at(50, low, [('', phone, '/company/phone', None, 'phone'), 'www.%s.com' % seller.split(' ')[0].lower()])
    p.fill(end - 70, p.y, 70, 46, tint)
    p.y = low + 20
    with p.look(False, tint):
        p.put(50, p.y, r.choice(('Estimate', 'Quote')), size=p.size * 2.2)
    p.y += 24
    top = p.y
    p.heading(50, top, 'ADDRESS', colour=tint)
    low = p.party(50, top + p.size * 1.5, p.firms[1], p.place(), '/customer')
    p.bold_labels = True
    number, y = p.code('1###'), top
    for line in ((r.choice(('ESTIMATE #', 'ESTIMATE NO.')), number, '/estimate_number', None, 'id'), iso(p, '/estimate_date', day, 'DATE'), iso(p, '/expiration_date', until, 'EXPIRATION DATE')):
        p.field(350, y, *line, gap=110, how='gap')
        y += p.size * 1.6
    p.y = max(low, y) + 22
    p.rule(50, end, p.y - 14)
    some = [(50, 'SALES REP', p.people[0], '/sales_rep', None, 'name'), (230, 'P.O. NUMBER', p.code('PO-####'), '/po_number', None, 'id'), (410, 'PROJECT', 'Job ' + p.code('##'), None, None, 'code')]
    if seed % 2:
        del some[1]
        p.say_value('/po_number', None, 'id')
    p.y += p.size * 1.2
    p.across(p.y, some)
    p.y += 34
    rows = []
    works = [('Demolition', 'Remove cabinets and dispose of debris'), ('Cabinets', 'Supply and install shaker cabinets'), ('Plumbing', 'Relocate sink and connect dishwasher'),
             ('Electrical', 'Add two dedicated 20 A circuits'), ('Painting', 'Two coats, walls and ceiling'), ('Flooring', 'Engineered oak, glued'), ('Permit', 'City permit and inspection'),
             ('Tile', 'Subway tile backsplash, labor and grout')]
    for name, what in r.sample(works, r.randint(2, 7)):
        n, price = r.choice((1, r.randint(2, 60))), r.choice((cents(r, 18, 900), float(r.randint(20, 1900))))
        rows.append({'activity': name, 'description': what, 'qty': p.cell(n, 0), 'rate': p.cell(price), 'amount': p.cell(round(n * price, 2))})
    p.grid('/items', [('activity', 'ACTIVITY', 50, False), ('qty', 'QTY', 380, True), ('rate', 'RATE', 460, True), ('amount', 'AMOUNT', end, True)], rows, kinds_of(rate='amount', amount='amount'),
           under=[[('description', 50, '')]], look='bar', colour=tint, step=1.8)
    net = round(sum(row['amount'][1] for row in rows), 2)
    percent = r.choice((5, 10, 15))
    off = round(net * percent / 100, 2)
    tax = round((net - off) * 0.0825, 2)
    p.rule(50, end, p.y - p.size * 0.6)
    p.y += 10
    p.sums(340, end, [('SUBTOTAL', net, '/subtotal'), ('DISCOUNT %d%%' % percent, -off, '/discount'), ('TAX (8.25%)', tax, '/tax')])
    p.strong(340, end, 'TOTAL', round(net - off + tax, 2), '/total', 'currency', 1.3)
    p.rule(340, end, p.y - p.size * 0.8)
    p.y += 34
    p.put(50, p.y, 'Accepted By')
    p.put(340, p.y, 'Accepted Date')
    p.says.update({'/expiration_date': 'the estimate is good until then', '/discount': 'negative if it is printed with a minus', '/sales_rep': 'who made the estimate',
                   '/currency': 'three letters, such as USD'})
    return p.done_with('estimate_number estimate_date expiration_date company customer sales_rep po_number items subtotal discount tax total currency')


def grocer(seed):
    """A slip with the shelves as headings, heads above the columns and the tax by rate at the end."""
    p = Newcomer(seed, 'grocer', 'GB', ordinary=False, money=('1,234.56',), dates=('%d/%m/%Y', '%d %b %Y', '%d/%m/%y'), currency=('GBP',))
    r, p.by_word, end = p.r, False, 220
    p.size = 8
    shelves = [('FRUIT & VEG', 'Bananas loose;Carrots 1kg;Gala apples;Baby spinach;Red onions'), ('BAKERY', 'Sourdough loaf;Croissant;Seeded roll;Malt loaf'), ('DAIRY', 'Whole milk 2L;Salted butter;Mature cheddar;Greek yogurt'),
               ('HOUSEHOLD', 'Bin liners;Washing up liquid;Kitchen roll;Light bulb E27')]
    chosen = [shelf for shelf in shelves[:3] if r.random() < 0.8] + shelves[3:]
    items = [(name, r.choice((1, 1, 1, 2, 3)), cents(r, 0.4, 8)) for _, names in chosen for name in r.sample(names.split(';'), r.randint(1, 3))]
    of_shelf = {name: shelf for shelf, names in chosen for name in names.split(';')}
    p.start(size=(240, 380 + 15 * len(items) + 14 * len(chosen)))
    shop = r.choice(('Hobbs & Daughters', 'Greenway Foodstore', 'Marlow Market'))
    with p.look(True):
        p.show(p.middle(shop, 1.6), p.y, shop, '/merchant', kind='name', size=p.size * 1.6)
    lines = p.place()
    where = ', '.join(lines)
    p.show(p.middle(where), p.y + p.size * 1.8, where, '/address', kind='address')
    text = 'VAT No. ' + british_vat(p)
    p.show(p.middle(text), p.y + p.size * 3.1, text[8:], '/vat_number', kind='id', before=text[:8])
    p.labelled.append('/vat_number')
    p.y += p.size * 5.4
    day = p.some_day()
    x = p.date(20, p.y, day, '/date')
    p.show(x, p.y, '%02d:%02d' % (r.randint(8, 20), r.randint(0, 59)), '/time', kind='time', before='  ')
    p.put(end, p.y, p.code('Till 0#  Op 1##'), right=True)
    p.y += p.size * 2
    p.rule(20, end, p.y - p.size * 0.3)
    p.y += p.size
    p.heads['/items'] = ['name', 'quantity', 'amount']
    for x, head, right in ((20, 'Item', False), (165, 'Qty', True), (end, '£', True)):
        p.heading(x, p.y, head, right=right)
    shelf = None
    for i, (name, n, price) in enumerate(items):
        if of_shelf[name] != shelf:
            shelf = of_shelf[name]
            p.y += p.size * 1.9
            p.heading(20, p.y, shelf)
        p.y += p.size * 1.45
        at = '/items/%d/' % i
        p.show(28, p.y, name, at + 'name')
        p.show(165, p.y, str(n), at + 'quantity', n, right=True)
        p.show(end, p.y, p.number(round(n * price, 2)), at + 'amount', round(n * price, 2), 'amount', right=True)
    house = round(sum(n * price for name, n, price in items if of_shelf[name] == 'HOUSEHOLD'), 2)
    total = round(sum(round(n * price, 2) for _, n, price in items), 2)
    saved = round(r.choice((0.0, 0.5, 1.25)), 2)
    p.y += p.size * 2.2
    p.rule(20, end, p.y - p.size * 1.1)
    p.sums(20, end, [('Subtotal', total, '/subtotal')])
    if saved:
        p.sums(20, end, [('Offers and savings', -saved, '/savings')])
    else:
        p.say_value('/savings', None, 'amount')
    paid = round(total - saved, 2)
    p.strong(20, end, 'TOTAL TO PAY', paid, '/total', True, 1.3)
    p.show(20, p.y, r.choice(('Visa Debit', 'Mastercard', 'American Express')), '/payment_method', kind='text')
    p.money(end, p.y, paid, None)
    p.y += p.size * 1.4
    p.show(20, p.y, p.code('####'), '/card_last_digits', kind='id', before='**** **** **** ')
    p.y += p.size * 2.4
    rates = [('20%', 20, house, round(house / 6, 2)), ('0%', 0, round(total - house, 2), 0.0)]
    p.grid('/vat', [('rate', 'VAT rate', 20, False), ('gross', 'Gross', 140, True), ('vat', 'VAT', end, True)],
           [{'rate': (text, rate), 'gross': p.cell(gross), 'vat': p.cell(vat)} for text, rate, gross, vat in rates if gross], kinds_of(rate='rate', gross='amount', vat='amount'), look='plain', step=1.4)
    text = 'Thank you for shopping with us'
    p.put(p.middle(text), p.y + 8, text)
    return p.done_with('merchant address date time items subtotal savings total payment_method card_last_digits vat_number vat')


# -- German

def rechnung(seed):
    """Sender above the window, box with the numbers at the right, letterhead at the right, in the middle or at the left; two rates, footer in columns."""
    p = Newcomer(seed, 'rechnung', 'DE', labels=('colon', 'gap'), money=('1.234,56',), dates=('%d.%m.%Y',), currency=('EUR',))
    r, end, style = p.r, papers.A4[0] - 50, seed % 3
    seller, buyer = p.firms[:2]
    here, vat_id, iban, number = p.place(), german_vat(p), iban_of('DE', p.code('#' * 18)), p.code(r.choice(('RE-2025-####', '2025####', 'R25/####')))
    phone, (house, bic) = p.code('040 / ### ## ##'), r.choice((('Commerzbank', 'COBADEFFXXX'), ('Deutsche Bank', 'DEUTDEFFXXX'), ('Postbank', 'PBNKDEFFXXX')))

    def footer():
        y = p.height - 62
        p.rule(60, end, y - 12)
        for x, some in ((60, [('', seller, '/verkaeufer/name', None, 'name'), ('', here[0], '/verkaeufer/adresse', ', '.join(here), 'address'), ('', here[1], '/verkaeufer/adresse', ', '.join(here), 'address')]),
                        (230, ['Tel. ' + phone, 'Amtsgericht %s' % here[1].split(' ')[1], ('USt-IdNr.', vat_id, '/verkaeufer/ust_id', None, 'id')]),
                        (385, [house, ('IBAN', p.grouped(iban), '/iban', iban, 'id'), ('BIC', bic, '/bic', None, 'id')])):
            p.lines_at(x, y, some, 0.8)

    def page(done):
        if p.n_page:
            p.put(400, p.y + p.size * 1.3, 'Übertrag', right=True)
            p.money(end, p.y + p.size * 1.3, round(sum(row['gesamtpreis'][1] for row in rows[:done]), 2), None)
        p.start()
        footer()
        if p.n_page > 1:
            p.again(60, p.y, number, '/rechnungsnummer', before='Rechnung ')
            p.put(end, p.y, 'Seite %d' % p.n_page, right=True)
            p.y += 30

    page(0)
    if style == 0:
        with p.look(True):
            p.again(end, p.y, seller, '/verkaeufer/name', size=p.size * 1.5, right=True)
        p.lines_at(end, p.y + p.size * 1.7, [('', line, '/verkaeufer/adresse', None, 'address') for line in here] + ['Telefon ' + phone], right=True)
    elif style == 1:
        with p.look(True):
            p.again(p.middle(seller, 2), p.y + 8, seller, '/verkaeufer/name', size=p.size * 2)
        p.rule(60, end, p.y + 18)
    else:
        p.fill(60, p.y - 8, 26, 26, (0.75, 0.2, 0.2))
        with p.look(True):
            p.again(94, p.y + 10, seller, '/verkaeufer/name', size=p.size * 1.7)
    p.y = 125
    p.sender_line(60, p.y, seller, here, '/verkaeufer/name', '/verkaeufer/adresse')
    p.y += 22
    day = p.some_day()
    given, due = later(day, -r.randint(1, 6)), later(day, 30)
    low = p.party(60, p.y, buyer, p.place(), '/kunde', address_key='adresse')
    y = p.y
    if style:
        p.frame(end - 200, y - 16, 200, p.size * 8 + 14)
    for line in (('Rechnungs-Nr.', number, '/rechnungsnummer', None, 'id'), ('Kunden-Nr.', p.code('1####'), '/kundennummer', None, 'id'), iso(p, '/rechnungsdatum', day, 'Rechnungsdatum'),
                 iso(p, '/lieferdatum', given, 'Lieferdatum'), ('Ansprechpartner', p.people[0], None, None, 'name')):
        p.field(end - 192, y, *line, gap=88)
        y += p.size * 1.6
    p.y = max(low, y) + 36
    p.heading(60, p.y, 'Rechnung', 1.6)
    p.y += p.size * 2.6
    p.put(60, p.y, 'Sehr geehrte Damen und Herren,')
    p.y += p.size * 1.4
    p.put(60, p.y, 'für unsere Lieferungen und Leistungen erlauben wir uns zu berechnen:')
    p.y += p.size * 3
    rows, goods = [], 'Kopierpapier A4;Ordner breit;Blumenerde 20 l;Verlängerungskabel;Fachbuch Statik;LED-Lampe;Kaffeebohnen;Stehpult;Montagestunde;Schild graviert;Tonerkartusche;Mineralwasser'.split(';')
    for i in range(r.choice((2, 3, 4, 6, 9, 24, 33))):
        n, price, name = r.choice((1, r.randint(2, 30), 2.5)), cents(r, 1, 240), r.choice(goods)
        rate = 7 if name in ('Fachbuch Statik', 'Kaffeebohnen', 'Blumenerde 20 l') else 19
        rows.append({'pos': (str(i + 1), i + 1), 'artikelnummer': p.code('##-####'), 'bezeichnung': name, 'menge': p.cell(n, 0 if n == int(n) else 2), 'einheit': r.choice(('Stk.', 'Std.', 'Pkg.')),
                     'einzelpreis': p.cell(price), 'mwst_satz': ('%d %%' % rate, rate), 'gesamtpreis': p.cell(round(n * price, 2))})
    p.grid('/positionen', [('pos', 'Pos.', 60, False), ('artikelnummer', 'Art.-Nr.', 88, False), ('bezeichnung', 'Bezeichnung', 145, False), ('menge', 'Menge', 305, True), ('einheit', 'Einheit', 315, False),
                           ('einzelpreis', 'Einzelpreis\nEUR', 410, True), ('mwst_satz', 'MwSt.', 455, True), ('gesamtpreis', 'Gesamtpreis\nEUR', end, True)], rows,
           kinds_of(einzelpreis='amount', gesamtpreis='amount', mwst_satz='rate', einheit='unit', artikelnummer='id'), look=('lines', 'grey', 'bar')[style],
           colour=(0.88, 0.88, 0.88) if style == 1 else (0.35, 0.35, 0.4), on_full=page, bottom=115)
    if p.y > p.height - 300:
        page(len(rows))
    whole = round(sum(row['gesamtpreis'][1] for row in rows), 2)
    percent = r.choice((0, 0, 3, 5))
    by_rate = {rate: round(sum(row['gesamtpreis'][1] for row in rows if row['mwst_satz'][1] == rate) * (100 - percent) / 100, 2) for rate in (19, 7)}
    by_rate = {rate: net for rate, net in by_rate.items() if net}
    net = round(sum(by_rate.values()), 2)
    taxes = {rate: round(part * rate / 100, 2) for rate, part in by_rate.items()}
    total = round(net + sum(taxes.values()), 2)
    p.currency_at = '/waehrung'
    left, p.y = 330, p.y + 14
    top = p.y
    if percent:
        p.sums(left, end - 6, [('Zwischensumme', whole, None), ('abzgl. %d %% Rabatt' % percent, round(net - whole, 2), '/rabatt')], True)
    else:
        p.say_value('/rabatt', None, 'amount')
    p.sums(left, end - 6, [('Summe netto', net, '/netto')], True)
    for i, (rate, part) in enumerate(by_rate.items()):
        x = p.put(left, p.y, 'zzgl. ')
        x = p.show(x, p.y, '%d' % rate, '/steuern/%d/satz' % i, rate, 'rate', after=' % MwSt. auf ')
        p.money(x, p.y, part, '/steuern/%d/netto' % i, right=False)
        p.money(end - 6, p.y, taxes[rate], '/steuern/%d/betrag' % i, True)
        p.y += p.size * 1.6
    p.strong(left, end - 6, r.choice(('Rechnungsbetrag', 'Gesamtbetrag')), total, '/gesamtbetrag', 'currency')
    p.frame(left - 6, top - p.size * 1.4, end - left + 6, p.y - top + p.size * 0.4)
    p.y += 14
    if r.random() < 0.5:
        x = p.put(60, p.y, 'Zahlbar bis ')
        x = p.date(x, p.y, later(day, 10))
        x = p.put(x, p.y, ' mit 2 % Skonto oder bis ')
        p.date(x, p.y, due, '/faellig_am', after=' ohne Abzug.')
    else:
        x = p.put(60, p.y, 'Bitte überweisen Sie den Betrag ohne Abzug bis zum ')
        p.date(x, p.y, due, '/faellig_am', after=' auf unser Konto.')
    return p.done_with('verkaeufer kunde rechnungsnummer rechnungsdatum lieferdatum kundennummer faellig_am positionen rabatt netto steuern gesamtbetrag waehrung iban bic')


def mahnung(seed):
    """A letter that asks for what is open: a table of bills, fee and interest."""
    p = Newcomer(seed, 'mahnung', 'DE', ordinary=False, labels=('colon', 'gap'), money=('1.234,56',), dates=('%d.%m.%Y', '%d.%m.%y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 60
    seller, buyer, here = p.firms[0], r.choice((p.firms[1], p.people[1])), p.place()
    day = datetime.date(2025, r.randint(7, 12), r.randint(1, 28))
    with p.look(True, (0.1, 0.25, 0.5)):
        p.show(60, p.y + 8, seller, '/glaeubiger', kind='name', size=p.size * 1.6)
    p.lines_at(60, p.y + 8 + p.size * 1.6, ['Buchhaltung · Telefon ' + p.code('0711 ######')], 0.85)
    p.y = 125
    p.sender_line(60, p.y, seller, here, '/glaeubiger', '/glaeubiger_adresse', ' - ')
    p.y += 20
    p.party(60, p.y, buyer, p.place(), '', name_key='schuldner', address_key='schuldner_adresse')
    y = p.y
    for line in (iso(p, '/datum', day, 'Datum'), ('Kundennummer', p.code('D#####'), '/kundennummer', None, 'id'), ('Bearbeiter', p.people[0], None, None, 'name')):
        p.field(370, y, *line, gap=75)
        y += p.size * 1.5
    p.y += 92
    level = r.choice((1, 2, 3))
    with p.look(True):
        p.show(60, p.y, str(level), '/mahnstufe', level, 'number', after='. Mahnung', size=p.size * 1.4)
    p.y += p.size * 3
    for line in ('Sehr geehrte Damen und Herren,', '', 'leider konnten wir zu den folgenden Rechnungen noch keinen vollständigen Zahlungseingang', 'feststellen. Bitte prüfen Sie die Aufstellung:'):
        p.put(60, p.y, line)
        p.y += p.size * 1.4
    p.y += p.size * 1.8
    rows = []
    for ago in sorted((r.randint(35, 160) for _ in range(r.randint(1, 7))), reverse=True):
        made, sum_of = later(day, -ago), cents(r, 30, 2900)
        due = later(made, 14)
        open_sum = sum_of if r.random() < 0.75 else round(sum_of - cents(r, 5, 25), 2)
        rows.append({'rechnungsnummer': p.code('25#####'), 'rechnungsdatum': (p.day(made), made.isoformat()), 'faellig_am': (p.day(due), due.isoformat()), 'verzugstage': p.cell((day - due).days, 0),
                     'rechnungsbetrag': p.cell(sum_of), 'offener_betrag': p.cell(open_sum)})
    p.grid('/offene_posten', [('rechnungsnummer', 'Rechnung', 60, False), ('rechnungsdatum', 'vom', 135, False), ('faellig_am', 'fällig am', 215, False), ('verzugstage', 'Tage\nin Verzug', 335, True),
                              ('rechnungsbetrag', 'Rechnungs-\nbetrag EUR', 440, True), ('offener_betrag', 'offener\nBetrag EUR', end, True)], rows,
           kinds_of(rechnungsbetrag='amount', offener_betrag='amount', rechnungsdatum='date', faellig_am='date', rechnungsnummer='id'), look=r.choice(('grey', 'lines')))
    total = round(sum(row['offener_betrag'][1] for row in rows), 2)
    fee, interest = (0.0, 5.0, 10.0)[level - 1], round(total * 0.0112 * level, 2)
    p.rule(60, end, p.y - p.size * 1.1)
    p.y += 6
    p.sums(300, end, [('Summe der offenen Posten', total, '/summe_offen'), ('Mahngebühr', fee, '/mahngebuehr'), ('Verzugszinsen', interest, '/verzugszinsen')])
    p.currency_at = '/waehrung'
    p.strong(300, end, r.choice(('Gesamtforderung', 'Zu zahlender Betrag')), round(total + fee + interest, 2), '/gesamtforderung', 'currency')
    p.y += 16
    x = p.put(60, p.y, 'Wir bitten Sie, den Gesamtbetrag bis spätestens ')
    p.date(x, p.y, later(day, 10), '/zahlungsfrist', after=' zu überweisen. Sollten Sie bereits')
    p.y += p.size * 1.4
    x = p.put(60, p.y, 'gezahlt haben (Zahlungen sind bis ')
    x = p.date(x, p.y, later(day, -2))
    p.put(x, p.y, ' berücksichtigt), ist dieses Schreiben gegenstandslos.')
    p.y += p.size * 3
    p.put(60, p.y, 'Mit freundlichen Grüßen')
    p.put(60, p.y + p.size * 1.4, p.people[0])
    y = p.height - 60
    p.rule(60, end, y - 12)
    iban = iban_of('DE', p.code('#' * 18))
    x = p.show(60, y, p.grouped(iban), '/iban', iban, 'id', before='Bankverbindung: IBAN ', size=p.size * 0.85)
    p.put(x, y, '   ·   USt-IdNr. ' + german_vat(p), size=p.size * 0.85)
    p.titles.update({'/glaeubiger': 'Wer mahnt', '/schuldner': 'Wer zahlen soll', '/zahlungsfrist': 'Zahlbar bis', '/gesamtforderung': 'Zu zahlen insgesamt'})
    return p.done_with('datum glaeubiger glaeubiger_adresse schuldner schuldner_adresse kundennummer mahnstufe offene_posten summe_offen mahngebuehr verzugszinsen gesamtforderung waehrung zahlungsfrist iban')


def auftrag(seed):
    """An order confirmation: letterhead in the middle, labels above their values across the page, the article's number below its name."""
    p = Newcomer(seed, 'auftrag', 'DE', ordinary=False, money=('1.234,56',), dates=('%d.%m.%Y', '%-d. %B %Y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 50
    seller, here = 'Nordlicht Büromöbel GmbH', p.place()
    with p.look(True):
        p.show(p.middle(seller, 1.8), p.y + 8, seller, '/seller/name', kind='name', size=p.size * 1.8)
    text = ', '.join(here)
    p.show(p.middle(text), p.y + 12 + p.size * 1.5, text, '/seller/address', kind='address')
    vat_id = german_vat(p)
    text = 'USt-IdNr. %s · Tel. %s' % (vat_id, p.code('0911 #####-0'))
    p.show(p.middle(text), p.y + 12 + p.size * 2.8, vat_id, '/seller/tax_id', kind='id', before=text[:10], after=text[10 + len(vat_id):])
    p.y += 84
    day = p.some_day()
    p.put(50, p.y, 'Rechnungsadresse', size=p.size * 0.85)
    p.put(320, p.y, 'Lieferadresse', size=p.size * 0.85)
    p.party(50, p.y + p.size * 1.6, p.firms[0], p.place(), '/buyer')
    p.again(320, p.y + p.size * 1.6, p.firms[0], '/buyer/name')
    p.block(320, p.y + p.size * 2.95, p.place(), '/delivery_address')
    p.y += p.size * 8
    p.heading(50, p.y, 'Auftragsbestätigung', 1.5)
    p.y += p.size * 4
    number = p.code('AB-######')
    p.rule(50, end, p.y - p.size * 2.3)
    p.across(p.y, [(50, 'Auftrag', number, '/order_number', None, 'id'), (140, 'Datum', *iso(p, '/order_date', day, '')[1:]), (240, 'Ihre Bestellung', p.code('B#####'), '/customer_reference', None, 'id'),
                   (330, 'Liefertermin', *iso(p, '/delivery_date', later(day, r.randint(10, 40)), '')[1:]), (440, 'Sachbearbeitung', p.people[0], '/contact', None, 'name')])
    p.rule(50, end, p.y + p.size * 0.8)
    p.y += p.size * 4
    rows = []
    for i, name in enumerate(r.sample('Schreibtisch Lund 160 x 80;Rollcontainer Lund;Bürostuhl Vega;Aktenschrank 5 OH;Besprechungstisch oval;Garderobe Stahl;Trennwand Akustik;Monitorarm'.split(';'), r.randint(2, 7))):
        n, price, off = r.randint(1, 24), cents(r, 39, 890), r.choice((0, 0, 5, 10))
        rows.append({'position': (str(10 * (i + 1)), 10 * (i + 1)), 'article_number': p.code('NB#####-##'), 'description': name, 'quantity': p.cell(n, 0), 'unit': 'Stück', 'unit_price': p.cell(price),
                     'discount_percent': p.cell(off, 0) if off else (None, None), 'line_total': p.cell(round(n * price * (100 - off) / 100, 2))})
    p.types['/items/*/discount_percent'] = 'number'
    p.grid('/items', [('position', 'Pos', 50, False), ('description', 'Artikel', 80, False), ('quantity', 'Menge', 300, True), ('unit', 'ME', 308, False), ('unit_price', 'Preis', 400, True),
                      ('discount_percent', 'Rabatt %', 455, True), ('line_total', 'Summe EUR', end, True)], rows,
           kinds_of(unit_price='amount', line_total='amount', discount_percent='rate', unit='unit', article_number='id'), under=[[('article_number', 80, 'Art.-Nr. ')]], look='grey', step=1.75)
    goods, freight = round(sum(row['line_total'][1] for row in rows), 2), r.choice((0.0, 49.0, 89.5))
    net = round(goods + freight, 2)
    p.rule(300, end, p.y - p.size * 0.6)
    p.y += 8
    p.sums(300, end, [('Warenwert', goods, '/goods_value'), ('Fracht und Verpackung', freight, '/shipping'), ('Nettobetrag', net, None), ('19 % Mehrwertsteuer', round(net * 0.19, 2), '/vat')])
    p.strong(300, end, 'Auftragswert', round(net + round(net * 0.19, 2), 2), '/total', 'currency')
    p.y += 14
    x = p.put(50, p.y, 'Zahlungsbedingungen: ')
    p.show(x, p.y, r.choice(('14 Tage 2 % Skonto, 30 Tage netto', '30 Tage netto', 'Vorkasse')), '/payment_terms', kind='text')
    p.labelled.append('/payment_terms')
    p.put(50, p.y + p.size * 2, 'Wir danken für Ihren Auftrag, den wir wie oben bestätigen.')
    p.says.update({'/seller/tax_id': 'VAT number of the seller', '/items/*/discount_percent': 'discount of the line in percent, null if none', '/order_number': 'number of this confirmation',
                   '/customer_reference': 'order number of the customer', '/vat': 'VAT amount', '/total': 'with VAT'})
    return p.done_with('order_number order_date customer_reference contact delivery_date seller buyer delivery_address items goods_value shipping vat total currency payment_terms')


# -- French

def energie(seed):
    """A bill for electricity: references at the left, the address at the right, the sum in a box, then the detail."""
    p = Newcomer(seed, 'energie', 'FR', labels=('beside', 'colon'), money=('1 234,56', '1\u00a0234,56'), dates=('%d/%m/%Y', '%-d %B %Y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 45
    brand = r.choice(('Voltéa', 'Énergie du Rhône', 'Lumière de France'))
    day = p.some_day()
    start = later(day, -61)
    stop, taken = later(day, -1), later(day, 15)
    p.fill(0, 0, p.width, 10, (0.1, 0.3, 0.6))
    with p.look(True, (0.1, 0.3, 0.6)):
        p.show(45, p.y + 8, brand, '/fournisseur', kind='name', size=p.size * 2)
    p.y += 50
    top = p.y
    p.heading(45, p.y, 'Vos références')
    p.y += p.size * 1.6
    where = p.place()
    p.fields(45, [('N° client', p.code('6 ### ### ###'), '/numero_client', None, 'id'), ('N° de compte', p.code('4########'), None, None, 'id'), ('Point de livraison', p.code('14 ### ### ### ###'), '/point_de_livraison', None, 'id')], gap=95)
    p.put(45, p.y, 'Lieu de consommation' + (' :' if p.label_how == 'colon' else ''))
    low = p.block(45, p.y + p.size * 1.3, where, '/lieu_consommation')
    y = p.party(330, top + 24, p.people[0], p.place(), '', name_key='client', address_key='adresse_client')
    p.y = max(low, y) + 24
    number = p.code('10 ### ### ###')
    with p.look(True):
        x = p.show(45, p.y, number, '/numero_facture', kind='id', before='Facture n° ', size=p.size * 1.25)
        p.show(x, p.y, p.day(day), '/date_facture', day.isoformat(), 'date', before=' du ', size=p.size * 1.25)
    p.y += p.size * 2
    x = p.date(45, p.y, start, '/periode_debut', before='Période du ')
    p.date(x, p.y, stop, '/periode_fin', before=' au ')
    p.y += 22
    rows, posts = [], r.choice((['Heures pleines', 'Heures creuses'], ['Base'], ['Heures pleines', 'Heures creuses', 'Heures week-end']))
    for name in posts:
        old, used, price = r.randint(800, 60000), r.randint(70, 1400), r.randint(1500, 2700) / 10000
        rows.append({'poste': name, 'ancien_index': p.cell(old, 0), 'nouvel_index': p.cell(old + used, 0), 'consommation_kwh': p.cell(used, 0), 'prix_kwh': p.cell(price, 4), 'montant_ht': p.cell(round(used * price, 2))})
    used = round(sum(row['montant_ht'][1] for row in rows), 2)
    standing, duty = cents(r, 18, 42), round(sum(row['consommation_kwh'][1] for row in rows) * 0.0337, 2)
    vat = round((used + duty) * 0.2, 2)
    low_vat = round(standing * 0.055, 2)
    net, total = round(used + standing + duty, 2), round(used + standing + duty + vat + low_vat, 2)
    p.fill(45, p.y, end - 45, p.size * 4.6, (0.9, 0.94, 0.98))
    p.y += p.size * 1.8
    p.currency_at = '/devise'
    p.heading(55, p.y, r.choice(('Montant à payer TTC', 'Net à payer')), 1.2)
    with p.look(True):
        p.money(end - 10, p.y, total, '/total_ttc', 'currency', size=p.size * 1.2)
    p.labelled.append('/total_ttc')
    p.y += p.size * 1.8
    p.date(55, p.y, taken, '/date_prelevement', before=r.choice(('sera prélevé à partir du ', 'à régler avant le ')))
    p.y += 40
    p.heading(45, p.y, 'Le détail de votre facture', 1.2)
    p.y += p.size * 2.6
    p.put(45, p.y, 'Abonnement (TVA 5,5 %)')
    p.money(end, p.y, standing, '/abonnement_ht')
    p.labelled.append('/abonnement_ht')
    p.y += p.size * 2.4
    p.grid('/consommations', [('poste', 'Consommation', 45, False), ('ancien_index', 'Ancien index', 205, True), ('nouvel_index', 'Nouvel index', 285, True), ('consommation_kwh', 'kWh', 345, True),
                              ('prix_kwh', 'Prix du kWh\n(€ HT)', 430, True), ('montant_ht', 'Montant\n(€ HT)', end, True)], rows, kinds_of(prix_kwh='amount', montant_ht='amount'), look='grey')
    p.y += 4
    p.sums(45, end, [('Taxes et contributions (accise sur l’électricité)', duty, '/taxes')])
    p.rule(280, end, p.y - p.size * 0.8)
    p.y += 6
    p.sums(280, end, [('Total hors TVA', net, '/total_ht'), ('TVA à 5,5 %', low_vat, None), ('TVA à 20 %', vat, None), ('Total TVA', round(vat + low_vat, 2), '/total_tva')], True)
    p.heading(280, p.y, 'Total TTC')
    with p.look(True):
        p.again(end, p.y, p.number(total), '/total_ttc', after=' €', right=True)
    with p.look(False, GREY):
        p.again(45, p.height - 45, brand, '/fournisseur', after=', SA au capital de 2 000 000 € · 552 081 317 RCS Paris', size=p.size * 0.8)
    return p.done_with('fournisseur client adresse_client numero_client point_de_livraison lieu_consommation numero_facture date_facture periode_debut periode_fin date_prelevement consommations abonnement_ht taxes total_ht total_tva total_ttc devise')


def facture(seed):
    """Boxes with heads, names of goods that go on in a second line, tax by rate beside the sums, a part paid already."""
    p = Newcomer(seed, 'facture', 'FR', money=('1 234,56', '1\u00a0234,56', '1.234,56'), dates=('%d/%m/%Y',), currency=('EUR',)).start()
    r, end = p.r, p.width - 40
    siren = luhn(p.code('4#######'))
    seller, buyer = p.firms[:2]
    p.fill(40, p.y - 8, 50, 34, (0.85, 0.8, 0.7))
    low = p.party(40, p.y + 42, seller, p.place(), '/seller', bold=True)
    siret = luhn(siren + '0001')
    low = p.lines_at(40, low, [('N° TVA :', french_vat(siren), '/seller/tax_id', None, 'id'), 'SIRET : %s %s %s %s' % (siret[:3], siret[3:6], siret[6:9], siret[9:])])
    p.labelled.append('/seller/tax_id')
    p.heading(end, p.y + 8, 'FACTURE', 2, right=True)
    p.frame(310, p.y + 28, end - 310, p.size * 6.4)
    p.put(318, p.y + 28 + p.size * 1.4, 'Adressé à', size=p.size * 0.8)
    p.party(318, p.y + 28 + p.size * 2.9, buyer, p.place(), '/buyer')
    p.y = max(low, p.y + 28 + p.size * 7) + 14
    day = p.some_day()
    number, x, wide = p.code(r.choice(('FA-2025-####', 'F25####', '2025-0###'))), 40, (end - 40) / 4
    for label, text, at, value, kind in (('Facture n°', number, '/invoice_number', None, 'id'), iso(p, '/issue_date', day, 'Date d’émission'), iso(p, '/due_date', later(day, 30), 'Échéance'),
                                         ('Règlement', r.choice(('Virement', 'Chèque', 'Prélèvement')), '/payment_method', None, 'text')):
        p.fill(x, p.y, wide, p.size * 1.8, (0.92, 0.92, 0.92))
        p.frame(x, p.y, wide, p.size * 3.8)
        p.put(p.middle(label, 1, x + wide / 2), p.y + p.size * 1.25, label)
        p.show(p.middle(text, 1, x + wide / 2), p.y + p.size * 3.2, text, at, value, kind)
        p.labelled.append(at)
        x += wide
    p.y += p.size * 6.5

    def page(done):
        p.start()
        p.again(40, p.y, number, '/invoice_number', before='Facture n° ')
        p.put(end, p.y, 'page %d' % p.n_page, right=True)
        p.y += 32

    names = [['Fenêtre PVC double vitrage', 'blanc, 120 x 135 cm'], ['Porte d’entrée aluminium', 'avec serrure trois points'], ['Pose et ajustement'], ['Volet roulant électrique', 'moteur radio, coffre 150'], ['Parquet chêne massif'],
             ['Plinthe assortie', 'longueur 2,20 m'], ['Déplacement'], ['Lasure satinée', 'pot de 5 litres'], ['Évacuation des gravats'], ['Visserie inox']]
    rows, rates = [], r.choice(([20], [20, 10], [20, 10, 5.5]))
    for _ in range(r.choice((2, 3, 5, 7, 12, 20))):
        n, price, rate, name = r.choice((1, r.randint(2, 40), 4.5)), cents(r, 6, 700), r.choice(rates), r.choice(names)
        rows.append({'reference': p.code('@@##-#'), 'description': (name, None), 'quantity': p.cell(n, 0 if n == int(n) else 2), 'unit': r.choice(('U', 'm²', 'h')), 'unit_price': p.cell(price),
                     'vat_rate': p.cell(rate, 0 if rate == int(rate) else 1), 'amount': p.cell(round(n * price, 2))})
    p.grid('/lines', [('reference', 'Réf.', 40, False), ('description', 'Désignation', 90, False), ('quantity', 'Qté', 325, True), ('unit', 'Unité', 337, False), ('unit_price', 'P.U. HT', 430, True),
                      ('vat_rate', 'TVA %', 470, True), ('amount', 'Montant HT', end, True)], rows, kinds_of(unit_price='amount', amount='amount', vat_rate='rate', unit='unit', reference='id'), look='bar',
           colour=(0.3, 0.3, 0.32), on_full=page, step=1.8, ruled=r.random() < 0.5)
    if p.y > p.height - 220:
        page(len(rows))
    p.y = max(p.y, 520) if p.n_page == 1 else p.y
    by_rate = {rate: round(sum(row['amount'][1] for row in rows if row['vat_rate'][1] == rate), 2) for rate in rates}
    taxes = [(rate, net, round(net * rate / 100, 2)) for rate, net in by_rate.items() if net]
    net, vat = round(sum(by_rate.values()), 2), round(sum(tax for *_, tax in taxes), 2)
    paid = r.choice((0.0, round((net + vat) * 0.3, 2)))
    top = p.y
    p.grid('/vat', [('rate', 'Taux', 90, True), ('base', 'Base HT', 170, True), ('amount', 'Montant TVA', 255, True)],
           [{'rate': ('%s %%' % p.number(rate, 0 if rate == int(rate) else 1), rate), 'base': p.cell(base), 'amount': p.cell(tax)} for rate, base, tax in taxes],
           kinds_of(rate='rate', base='amount', amount='amount'), look='lines', edge=(40, 255))
    low, p.y = p.y, top
    p.sums(340, end - 6, [('Total HT', net, '/total_net'), ('Total TVA', vat, '/total_vat'), ('Total TTC', round(net + vat, 2), '/total_gross')], True)
    if paid:
        p.sums(340, end - 6, [('Acompte versé', -paid, '/deposit')], True)
    else:
        p.say_value('/deposit', None, 'amount')
    p.fill(334, p.y - p.size * 1.1, end - 334, p.size * 1.9, (0.92, 0.92, 0.92))
    p.strong(340, end - 6, 'Net à payer', round(net + vat - paid, 2), '/amount_due', 'currency')
    p.frame(334, top - p.size * 1.4, end - 334, p.y - top)
    p.y = max(low, p.y) + 20
    iban = french_iban(p)
    p.field(40, p.y, 'IBAN', p.grouped(iban), '/iban', iban, 'id', how='colon', gap=0)
    p.put(40, p.y + p.size * 1.5, 'Pas d’escompte pour règlement anticipé. Pénalités de retard : trois fois le taux légal.', size=p.size * 0.85)
    p.says.update({'/total_net': 'without VAT', '/total_gross': 'with VAT', '/deposit': 'paid in advance, as printed', '/vat': 'VAT by rate'})
    return p.done_with('seller buyer invoice_number issue_date due_date payment_method lines vat total_net total_vat total_gross deposit amount_due currency iban')


# -- Spanish, Italian, Portuguese

def telefono(seed):
    """A bill of a telephone company: the sums in a coloured box, then what each number costs."""
    p = Newcomer(seed, 'telefono', 'ES', labels=('colon', 'gap', 'beside'), money=('1.234,56',), dates=('%d/%m/%Y', '%-d de %B de %Y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 45
    firm = r.choice(('Telmóvil España S.A.U.', 'Nexa Comunicaciones S.A.', 'Aire Móvil S.L.'))
    tint = r.choice(((0.8, 0.05, 0.1), (0.0, 0.35, 0.65), (0.3, 0.55, 0.1)))
    p.fill(45, p.y - 12, 120, 30, tint)
    with p.look(True, (1, 1, 1)):
        p.put(55, p.y + 7, firm.split(' ')[0], size=p.size * 1.5)
    p.y += 40
    top, here = p.y, p.place()
    low = p.party(45, p.y, firm, here, '', name_key='operador', address_key='direccion_operador')
    p.show(45, low, 'A' + spanish_cif(p)[1:], '/cif_operador', kind='id', before='CIF: ')
    p.labelled.append('/cif_operador')
    p.party(340, top, p.people[0], p.place(), '', name_key='titular', address_key='direccion_titular')
    p.y = top + 78
    day = datetime.date(2025, r.randint(2, 12), r.choice((1, 5, 8, 22)))
    stop = later(day.replace(day=1), -1)
    start = stop.replace(day=1)
    number = p.code(r.choice(('CI0#########', '@#####-25', '60-@#@#-######')))
    p.heading(45, p.y, 'Tu factura', 1.8, colour=tint)
    p.y += p.size * 2.8
    y = p.y
    p.fields(45, [('Nº de factura', number, '/numero_factura', None, 'id'), iso(p, '/fecha_emision', day, 'Fecha de emisión'), ('Nº de cliente', p.code('#########'), '/numero_cliente', None, 'id')], gap=90)
    x = p.after_label(45, p.y, 'Periodo', 90)
    x = p.show(x, p.y, p.day(start, '%d/%m/%Y'), '/periodo_desde', start.isoformat(), 'date')
    p.show(x, p.y, p.day(stop, '%d/%m/%Y'), '/periodo_hasta', stop.isoformat(), 'date', before=' - ')
    low = p.y
    lines = []
    for _ in range(r.randint(1, 6)):
        fee, used = r.choice((9.0, 15.0, 24.79, 32.23)), r.choice((0.0, 0.0, cents(r, 0.3, 18)))
        lines.append({'numero': p.code('6## ### ###'), 'tarifa': r.choice(('Móvil 20 GB', 'Ilimitada', 'Familia Plus', 'Básica 5 GB')), 'cuota': p.cell(fee), 'consumo': p.cell(used), 'importe': p.cell(round(fee + used, 2))})
    fees, used = round(sum(line['cuota'][1] for line in lines), 2), round(sum(line['consumo'][1] for line in lines), 2)
    off = r.choice((0.0, round(fees * 0.2, 2)))
    base = round(fees + used - off, 2)
    vat = round(base * 0.21, 2)
    p.currency_at = '/moneda'
    p.fill(320, y - p.size * 1.6, end - 320, p.size * 11.5, (0.95, 0.95, 0.95))
    p.y = y
    p.sums(330, end - 10, [('Cuotas', fees, '/cuotas'), ('Consumos', used, '/consumos')], True)
    if off:
        p.sums(330, end - 10, [('Descuentos', -off, '/descuentos')], True)
    else:
        p.say_value('/descuentos', None, 'amount')
    p.sums(330, end - 10, [('Base imponible', base, '/base_imponible'), ('IVA (21%)', vat, '/iva')], True)
    p.strong(330, end - 10, r.choice(('Importe total', 'Total a pagar')), round(base + vat, 2), '/importe_total', 'currency', 1.2)
    p.y = max(low, y + p.size * 11) + 34
    p.heading(45, p.y, 'Detalle por línea', 1.2)
    p.y += p.size * 2.6
    p.grid('/lineas', [('numero', 'Línea', 45, False), ('tarifa', 'Tarifa', 150, False), ('cuota', 'Cuota (€)', 350, True), ('consumo', 'Consumo (€)', 440, True), ('importe', 'Importe (€)', end, True)], lines,
           kinds_of(cuota='amount', consumo='amount', importe='amount', numero='id'), look=r.choice(('bar', 'rule')), colour=tint, step=1.8, ruled=True)
    p.y += 14
    x = p.put(45, p.y, 'El importe se cargará en tu cuenta %s a partir del ' % p.code('ES## **** **** **** **** ####'))
    p.date(x, p.y, later(day, 7), '/fecha_cargo', after='.')
    p.again(45, p.height - 45, firm, '/operador', after=' · Atención al cliente 1%d · Inscrita en el Registro Mercantil de Madrid' % r.randint(100, 999), size=p.size * 0.8)
    return p.done_with('operador direccion_operador cif_operador titular direccion_titular numero_cliente numero_factura fecha_emision periodo_desde periodo_hasta cuotas consumos descuentos base_imponible iva importe_total moneda fecha_cargo lineas')


def notacredito(seed):
    """A credit note: letterhead in the middle, customer at the right, tax by rate, sums in boxes at the foot."""
    p = Newcomer(seed, 'notacredito', 'IT', money=('1.234,56',), dates=('%d/%m/%Y',), currency=('EUR',)).start()
    r, end = p.r, p.width - 40
    p.sign_first = True
    seller, buyer, here = p.firms[0], p.firms[1], p.place()
    with p.look(True):
        p.show(p.middle(seller, 1.7), p.y + 8, seller, '/seller/name', kind='name', size=p.size * 1.7)
    text = ' - '.join(here)
    x = p.show(p.middle(text), p.y + 8 + p.size * 1.8, here[0], '/seller/address', ', '.join(here), 'address', after=' - ')
    p.again(x, p.y + 8 + p.size * 1.8, here[1], '/seller/address')
    vat_id = partita_iva(p)
    text = 'P. IVA %s - Tel. %s' % (vat_id, p.code('055 ######'))
    p.show(p.middle(text), p.y + 8 + p.size * 3.1, vat_id, '/seller/tax_id', kind='id', before='P. IVA ', after=text[7 + len(vat_id):])
    p.rule(40, end, p.y + 8 + p.size * 4)
    p.y += 70
    day = p.some_day()
    before = later(day, -r.randint(9, 60))
    number, old = p.code(r.choice(('NC ##/2025', '##/NC', 'NC-00##'))), p.code('####/2025')
    p.heading(40, p.y, 'NOTA DI CREDITO', 1.4)
    p.y += p.size * 2.2
    y = p.y
    p.label_how = r.choice(('gap', 'colon'))
    for line in (('Numero', number, '/credit_note_number', None, 'id'), iso(p, '/credit_note_date', day, 'Data')):
        p.field(40, y, *line, gap=70)
        y += p.size * 1.5
    x = p.show(40, y, old, '/original_invoice_number', kind='id', before='Rif. fattura n. ')
    p.date(x, y, before, '/original_invoice_date', before=' del ')
    p.put(330, p.y - p.size * 2, 'Spett.le')
    low = p.party(330, p.y - p.size * 0.6, buyer, p.place(), '/customer', bold=True)
    p.show(330, low, partita_iva(p), '/customer/tax_id', kind='id', before='P. IVA / C.F. ')
    p.labelled.append('/customer/tax_id')
    p.y = max(y, low) + 32
    rows, rates = [], r.choice(([22], [22, 10], [22, 4]))
    for name in r.sample('Biglietti da visita;Volantini A5;Manifesto 70x100;Tavolo allungabile;Sedia impilabile;Lampada a sospensione;Quadro elettrico;Torta millefoglie;Reso merce difettosa'.split(';'), r.randint(1, 6)):
        n, price, off, rate = r.randint(1, 60), cents(r, 2, 140), r.choice((0, 0, 10, 20)), r.choice(rates)
        rows.append({'code': p.code('@##.###'), 'description': name, 'quantity': p.cell(n, 0), 'unit': r.choice(('pz', 'nr', 'kg')), 'unit_price': p.cell(price), 'discount': p.cell(off, 0) if off else (None, None),
                     'amount': p.cell(round(n * price * (100 - off) / 100, 2)), 'vat_rate': ('%d%%' % rate, rate)})
    p.types['/items/*/discount'] = 'number'
    p.grid('/items', [('code', 'Codice', 40, False), ('description', 'Descrizione', 95, False), ('quantity', 'Q.tà', 285, True), ('unit', 'U.M.', 295, False), ('unit_price', 'Prezzo', 380, True),
                      ('discount', 'Sc. %', 420, True), ('amount', 'Importo', 500, True), ('vat_rate', 'IVA', end, True)], rows,
           kinds_of(unit_price='amount', amount='amount', discount='rate', vat_rate='rate', unit='unit', code='id'), look=r.choice(('grey', 'rule')))
    taxes = [(rate, round(sum(row['amount'][1] for row in rows if row['vat_rate'][1] == rate), 2)) for rate in rates]
    taxes = [(rate, base, round(base * rate / 100, 2)) for rate, base in taxes if base]
    net, vat = (round(sum(tax[i] for tax in taxes), 2) for i in (1, 2))
    p.y = max(p.y, 560)
    top = p.y
    p.frame(40, top - 16, 260, 74)
    p.grid('/vat_summary', [('rate', 'Aliquota', 90, True), ('base', 'Imponibile', 190, True), ('tax', 'Imposta', 290, True)], [{'rate': ('%d%%' % rate, rate), 'base': p.cell(base), 'tax': p.cell(tax)} for rate, base, tax in taxes],
           kinds_of(rate='rate', base='amount', tax='amount'), look='plain', edge=(46, 294))
    p.y = top
    p.frame(310, top - 16, end - 310, 74)
    p.sums(318, end - 8, [('Totale imponibile', net, '/net_total'), ('Totale IVA', vat, '/vat_total')], True)
    p.y += 6
    p.strong(318, end - 8, r.choice(('Totale documento', 'TOTALE A VOSTRO CREDITO')), round(net + vat, 2), '/total', 'currency', 1.1)
    p.y = top + 84
    iban = iban_of('IT', italian_account(p))
    p.field(40, p.y, 'Banca: Banco Popolare Toscano IBAN', iban, '/iban', kind='id', how='beside')
    p.says.update({'/original_invoice_number': 'invoice that is credited', '/original_invoice_date': 'its date', '/total': 'amount of the credit, with VAT'})
    return p.done_with('credit_note_number credit_note_date original_invoice_number original_invoice_date seller customer items vat_summary net_total vat_total total currency iban')


def hospedagem(seed):
    """The bill of a hotel: guest at the left, stay at the right, each night a row, tax by rate, paid by card."""
    p = Newcomer(seed, 'hospedagem', 'PT', labels=('gap', 'colon'), money=('1.234,56', '1234,56'), dates=('%d-%m-%Y', '%d/%m/%Y', '%Y-%m-%d'), currency=('EUR',)).start()
    r, end = p.r, p.width - 50
    hotel, here, nif = r.choice(('Hotel Miramar', 'Pousada da Ribeira', 'Casa do Jardim Boutique Hotel')), p.place(), pt_nif(p)
    with p.look(True):
        p.show(end, p.y + 6, hotel, '/hotel_name', kind='name', right=True, size=p.size * 1.7)
    p.lines_at(end, p.y + 6 + p.size * 1.7, [('', line, '/hotel_address', ', '.join(here), 'address') for line in here] + [('NIF', nif, '/hotel_tax_id', None, 'id'), 'Tel. ' + p.code('+351 2## ### ###')], right=True)
    p.labelled.append('/hotel_tax_id')
    p.y += 76
    nights = r.randint(1, 7)
    arrival = p.some_day()
    leaving = later(arrival, nights)
    top, number = p.y, p.code(r.choice(('FR 2025H/####', 'FT H25/####')))
    p.heading(50, p.y, 'Fatura-Recibo' if number[:2] == 'FR' else 'Fatura', 1.5)
    p.y += p.size * 3
    low = p.party(50, p.y, p.people[0], p.place() + ['Portugal'], '', name_key='guest_name', address_key='guest_address')
    p.show(50, low, pt_nif(p), '/guest_tax_id', kind='id', before='Contribuinte: ')
    p.labelled.append('/guest_tax_id')
    p.y = top
    room, people = str(r.randint(101, 540)), r.randint(1, 3)
    p.fields(330, [('Documento', number, '/invoice_number', None, 'id'), iso(p, '/invoice_date', leaving, 'Data de emissão'), ('Quarto', room, '/room', None, 'code'), iso(p, '/arrival', arrival, 'Chegada'),
                   iso(p, '/departure', leaving, 'Partida'), ('Hóspedes', str(people), None, None, 'number'), ('Reserva', p.code('BK######'), '/reservation', None, 'id')], gap=90)
    p.y = max(low, p.y) + 30
    rows, rate = [], cents(r, 62, 210)

    def add(day, name, n, price, vat):
        rows.append({'date': (p.day(day), day.isoformat()), 'description': name, 'quantity': p.cell(n, 0), 'unit_price': p.cell(price), 'vat_rate': ('%d%%' % vat, vat), 'amount': p.cell(round(n * price, 2))})

    for i in range(nights):
        day = later(arrival, i)
        add(day, 'Alojamento quarto duplo' if people > 1 else 'Alojamento quarto single', 1, rate, 6)
        for name, vat in r.sample((('Restaurante', 13), ('Minibar', 23), ('Lavandaria', 23), ('Estacionamento', 23)), r.choice((0, 0, 1, 2))):
            add(day, name, r.randint(1, 3), cents(r, 3, 28), vat)
    add(leaving, 'Taxa municipal turística', people * nights, 2.0, 0)
    p.grid('/charges', [('date', 'Data', 50, False), ('description', 'Descrição', 125, False), ('quantity', 'Qtd.', 320, True), ('unit_price', 'Preço', 395, True), ('vat_rate', 'IVA', 445, True), ('amount', 'Valor', end, True)], rows,
           kinds_of(unit_price='amount', amount='amount', vat_rate='rate', date='date'), look=r.choice(('lines', 'grey')))
    total = round(sum(row['amount'][1] for row in rows), 2)
    p.strong(330, end, r.choice(('Total do documento', 'Total')), total, '/total', 'currency', 1.15)
    p.put(330, p.y, r.choice(('Cartão Visa', 'Multibanco', 'Numerário')))
    p.money(end, p.y, total, None)
    p.y += 30
    p.heading(50, p.y, 'Resumo do IVA')
    p.y += p.size * 2
    sums = {vat: round(sum(row['amount'][1] for row in rows if row['vat_rate'][1] == vat), 2) for vat in (0, 6, 13, 23)}
    p.grid('/vat_summary', [('rate', 'Taxa', 90, True), ('base', 'Incidência', 180, True), ('vat', 'IVA', 250, True)],
           [{'rate': ('%d%%' % vat, vat), 'base': p.cell(round(gross - round(gross * vat / (100 + vat), 2), 2)), 'vat': p.cell(round(gross * vat / (100 + vat), 2))} for vat, gross in sums.items() if gross],
           kinds_of(rate='rate', base='amount', vat='amount'), look='rule', edge=(50, 250))
    p.put(50, p.height - 50, '%s-Processado por programa certificado n.º %d/AT' % (p.code('@@@#'), r.randint(100, 2999)), size=p.size * 0.8)
    p.titles.update({'/total': 'Total paid', '/room': 'Room number', '/guest_tax_id': 'Tax number of the guest'})
    return p.done_with('hotel_name hotel_address hotel_tax_id guest_name guest_address guest_tax_id invoice_number invoice_date reservation room arrival departure charges total currency vat_summary')


# -- Dutch

def pakbon(seed):
    """A delivery note without amounts: two addresses side by side, what was ordered, what comes and what follows."""
    p = Newcomer(seed, 'pakbon', 'NL', ordinary=False, labels=('gap', 'colon', 'beside'), money=('1.234,56',), dates=('%d-%m-%Y', '%-d %B %Y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 45
    sender, here = r.choice(('Technische Unie Oost B.V.', 'Groothandel Van Rijn B.V.', 'Sanitairhuis Holland B.V.')), p.place()
    with p.look(True, (0.05, 0.4, 0.35)):
        p.show(45, p.y + 8, sender, '/leverancier/naam', kind='name', size=p.size * 1.6)
    x = p.show(45, p.y + 10 + p.size * 1.5, here[0], '/leverancier/adres', ', '.join(here), 'address', after=', ')
    x = p.again(x, p.y + 10 + p.size * 1.5, here[1], '/leverancier/adres')
    p.put(x, p.y + 10 + p.size * 1.5, '  |  KvK %s  |  BTW %s' % (p.code('########'), dutch_vat(p)))
    p.heading(end, p.y + 8, 'PAKBON', 1.7, right=True)
    p.y += 62
    top, day = p.y, p.some_day()
    for x, head, key in ((45, 'Afleveradres', 'afleveradres'), (230, 'Factuuradres', None)):
        p.heading(x, top, head)
        if key:
            low = p.party(x, top + p.size * 1.5, p.firms[0], p.place(), '/' + key, name_key='naam', address_key='adres')
        else:
            p.put(x, top + p.size * 1.5, p.fit(p.firms[1], 150))
            p.distract('name', p.firms[1])
            for i, line in enumerate(p.place()):
                p.put(x, top + p.size * (2.85 + 1.3 * i), line)
    p.fields(395, [('Pakbonnr.', p.code('PB######'), '/pakbonnummer', None, 'id'), iso(p, '/leverdatum', day, 'Leverdatum'), ('Ordernr.', p.code('VO-#####'), '/ordernummer', None, 'id'),
                   ('Uw ref.', p.code('W####'), '/uw_referentie', None, 'id')], gap=62)
    p.y = max(low, p.y) + 30
    number = p.value['pakbonnummer']

    def page(done):
        p.start()
        p.again(45, p.y, number, '/pakbonnummer', before='Pakbon ')
        p.put(end, p.y, 'Blad %d' % p.n_page, right=True)
        p.y += 30

    rows = []
    goods = 'Kogelkraan 15 mm;Wastafelsifon chroom;Knelkoppeling recht;Thermostaatkraan;Radiator type 22;PVC-buis 40 mm;Inbouwdoos;Installatiedraad 2,5 mm²;Groepenkast;Wandcontactdoos;Closetpot wit;Kitspuit'.split(';')
    for _ in range(r.choice((2, 4, 6, 9, 14, 40))):
        n = r.choice((r.randint(1, 24), r.choice((50, 100, 250, 1200))))
        sent = n if r.random() < 0.75 else r.randint(0, n)
        rows.append({'artikelnummer': p.code('###.####'), 'omschrijving': r.choice(goods), 'eenheid': r.choice(('st', 'm', 'doos')), 'besteld': p.cell(n, 0), 'geleverd': p.cell(sent, 0), 'nalevering': p.cell(n - sent, 0)})
    p.grid('/regels', [('artikelnummer', 'Artikel', 45, False), ('omschrijving', 'Omschrijving', 115, False), ('eenheid', 'Eenh.', 300, False), ('besteld', 'Besteld', 390, True), ('geleverd', 'Geleverd', 460, True),
                       ('nalevering', 'Nog te leveren', end, True)], rows, kinds_of(eenheid='unit', artikelnummer='id'), look=r.choice(('grey', 'rule', 'lines')), on_full=page, ruled=True, step=1.7)
    if p.y > p.height - 150:
        page(len(rows))
    packs, weight = r.randint(1, 14), r.randint(20, 4200) / 10
    x = p.put(45, p.y + 6, 'Aantal colli: ')
    p.show(x, p.y + 6, str(packs), '/aantal_colli', packs, 'number')
    x = p.put(180, p.y + 6, 'Gewicht: ')
    p.show(x, p.y + 6, p.number(weight, 1), '/gewicht_kg', weight, 'number', after=' kg')
    x = p.put(320, p.y + 6, 'Vervoerder: ')
    p.show(x, p.y + 6, r.choice(('Van der Wal Transport', 'PostNL', 'DHL Freight', 'Eigen vervoer')), '/vervoerder', kind='name')
    p.labelled += ['/aantal_colli', '/gewicht_kg', '/vervoerder']
    p.y += 46
    p.put(45, p.y, 'Voor ontvangst (naam en handtekening)')
    p.rule(240, 420, p.y)
    return p.done_with('leverancier afleveradres pakbonnummer leverdatum ordernummer uw_referentie regels aantal_colli gewicht_kg vervoerder')


def afschrift(seed):
    """A statement of account: off and on in two columns, the other's account below its name, page after page."""
    p = Newcomer(seed, 'afschrift', 'NL', ordinary=False, money=('1.234,56',), dates=('%d-%m-%Y', '%-d %b %Y', '%d-%m-%y'), currency=('EUR',))
    r, end = p.r, papers.A4[0] - 50
    bank, iban, number = r.choice(('Hollandse Handelsbank N.V.', 'Waalbank', 'De Nieuwe Spaarbank')), iban_of('NL', p.code('RABO##########')), str(r.randint(1, 12))
    month = r.randint(1, 12)
    start = datetime.date(2025, month, 1)
    stop = later(later(start, 31).replace(day=1), -1)

    def page(done):
        p.start()
        first = p.n_page == 1
        with p.look(True, (0.9, 0.4, 0.0)):
            p.show(50, p.y + 4, bank, '/bank', kind='name', size=p.size * 1.5, more=not first)
        p.put(end, p.y + 4, 'Blad %d' % p.n_page, right=True)
        p.y += 34
        if not first:
            p.again(50, p.y, p.grouped(iban), '/iban', before='Rekening ')
            p.y += 26

    page(0)
    p.party(50, p.y + 14, r.choice(p.firms + p.people), p.place(), '', name_key='account_holder', address_key='address')
    p.y += 80
    p.heading(50, p.y, 'Rekeningafschrift', 1.5)
    p.y += p.size * 3.6
    p.across(p.y, [(50, 'Rekeningnummer', p.grouped(iban), '/iban', iban, 'id'), (220, 'Afschriftnummer', number, '/statement_number', None, 'id')])
    p.put(320, p.y - p.size * 1.1, 'Periode', size=p.size * 0.8)
    x = p.date(320, p.y, start, '/period_start')
    p.date(x, p.y, stop, '/period_end', before=' t/m ')
    p.put(470, p.y - p.size * 1.1, 'Valuta', size=p.size * 0.8)
    p.show(470, p.y, 'EUR', '/currency', kind='currency')
    p.y += p.size * 3.4
    names = 'Albert Bakkerij;Waterbedrijf Vitens Zuid;Kantoorcentrale B.V.;Gemeente Utrecht;Zorgverzekeraar Noord;J. de Boer;Belastingdienst;Tankstation A12;Huur Vastgoed Oost;Klant Pietersen'.split(';')
    rows, days = [], sorted(later(start, r.randint(0, (stop - start).days)) for _ in range(r.choice((4, 9, 16, 30, 44))))
    for day in days:
        amount, on = r.choice((cents(r, 2, 95), cents(r, 100, 3200))), r.random() < 0.3
        rows.append({'date': (p.day(day), day.isoformat()), 'name': r.choice(names), 'debit': (None, None) if on else p.cell(amount), 'credit': p.cell(amount) if on else (None, None),
                     'counterparty_iban': (lambda other: (p.grouped(other), other))(iban_of('NL', p.code(r.choice(('INGB', 'ABNA')) + '##########')))})
    off, on = (round(sum(row[key][1] or 0 for row in rows), 2) for key in ('debit', 'credit'))
    old = cents(r, 200, 30000)
    x = 50
    for label, value, at in (('Vorig saldo', old, '/opening_balance'), ('Totaal af', off, '/total_debit'), ('Totaal bij', on, '/total_credit'), ('Nieuw saldo', round(old + on - off, 2), '/closing_balance')):
        p.frame(x, p.y - p.size * 1.4, (end - 50) / 4, p.size * 3.6)
        p.put(x + 6, p.y, label, size=p.size * 0.85)
        p.money(x + (end - 50) / 4 - 8, p.y + p.size * 1.5, value, at)
        p.labelled.append(at)
        x += (end - 50) / 4
    p.y += p.size * 5
    p.types.update({'/transactions/*/debit': 'number', '/transactions/*/credit': 'number'})
    p.grid('/transactions', [('date', 'Datum', 50, False), ('name', 'Omschrijving', 130, False), ('debit', r.choice(('Af', 'Bedrag af')), 430, True), ('credit', 'Bij' if p.seed % 2 else 'Bedrag bij', end, True)], rows,
           kinds_of(debit='amount', credit='amount', date='date', name='name', counterparty_iban='id'), under=[[('counterparty_iban', 130, '')]], look=r.choice(('lines', 'grey')), on_full=page, step=1.7, ruled=r.random() < 0.4)
    with p.look(False, GREY):
        p.put(50, min(p.y + 10, p.height - 40), 'Uw tegoed valt onder het Nederlandse depositogarantiestelsel.', size=p.size * 0.8)
    p.says.update({'/iban': 'account of the statement, without spaces', '/transactions/*/debit': 'money out, null if none', '/transactions/*/credit': 'money in, null if none',
                   '/transactions/*/name': 'who pays or is paid'})
    return p.done_with('bank account_holder address iban statement_number period_start period_end currency opening_balance total_debit total_credit closing_balance transactions')


KINDS = {'cloud': cloud, 'taxinvoice': taxinvoice, 'estimate': estimate, 'grocer': grocer, 'rechnung': rechnung, 'mahnung': mahnung, 'auftrag': auftrag, 'energie': energie, 'facture': facture,
         'telefono': telefono, 'notacredito': notacredito, 'hospedagem': hospedagem, 'pakbon': pakbon, 'afschrift': afschrift}
NOT_SCANNED = ()
