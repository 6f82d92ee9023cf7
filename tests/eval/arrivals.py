"""Papers that came last, drawn like the newcomers (newcomers.py) by somebody who knows neither the rules nor the other sets' figures.

House styles of clouds, banks, insurers, carriers, counties and book-keeping programs of fourteen countries. The schemas are those of different
users: strict ones, plain ones (no nulls but where one may be missing) and ones that a program derived from classes (anyOf, titles).
"""
import datetime
import re

import papers
from newcomers import Newcomer, german_vat, iso, later
from papers import iban_of
from strangers import LATIN, cents, kinds_of, luhn, nip, org_nr, partita_iva, pt_nif, spanish_account, spanish_cif, tax_ident, turkish_tax

# Of each country: streets, towns with their codes (# a digit), people and firms.
LAND = {
    'GB': ('Kingfisher Road;Bramley Way;Foundry Lane;Canal Wharf', 'Sheffield S# 2GH;Exeter EX# 1LP;Derby DE# 3QT;Swindon SN# 5BD',
           'Oliver Marsh;Fiona Kendrick;Sanjay Mehta;Beth Calloway', 'Halden Engineering Ltd;Millbrook Catering Ltd;Crestway Logistics Ltd;Fenland Optics Ltd;Oakridge Joinery LLP'),
    'US': ('Juniper Drive;Harrison Street;Lakeview Avenue;Old Mill Road', 'Boise, ID 837##;Tucson, AZ 857##;Madison, WI 537##;Raleigh, NC 276##',
           'Angela Torres;Derek Sullivan;Naomi Park;Walter Hughes', 'Silverline Analytics LLC;Ponderosa Outfitters Inc.;Beacon Title Company;Cedar Fork Brewing Co.'),
    'DE': ('Kirchweg;Friedrich-Ebert-Straße;Am Mühlgraben;Bergstraße', '68### Mannheim;28### Bremen;01### Dresden;48### Münster', 'Annika Reuter;Holger Brinkmann;Silke Dorn;Matthias Eck',
           'Brinkmann Fördertechnik GmbH;Reuter & Partner mbB;Stadtbäckerei Dorn KG;Eck Metallwaren GmbH & Co. KG;Hansa Verpackungen AG'),
    'FR': ('rue de l’Église;boulevard Voltaire;allée des Platanes;rue du Faubourg', '310## Toulouse;670## Strasbourg;350## Rennes;060## Nice', 'Nathalie Lemoine;Hugo Fabre;Aurélie Chevalier;Mathieu Caron',
           'Fabre Logistique SAS;Chevalier Optique SARL;Boulangerie Caron SARL'),
    'ES': ('Calle de la Paz;Gran Vía;Avenida de la Constitución;Calle Real', '500## Zaragoza;290## Málaga;150## A Coruña', 'Rosa Beltrán;Andrés Quintana;Laura Vidal;Javier Soler', 'Transportes Quintana S.L.;Clínica Vidal S.L.P.'),
    'IT': ('Via Garibaldi;Viale Europa;Via San Martino;Piazza Mazzini', '161## Genova GE;701## Bari BA;351## Padova PD', 'Elisa Ricci;Davide Fontana;Martina Gallo;Luca Moretti', 'Fontana Ceramiche S.r.l.;Gallo Trasporti S.p.A.'),
    'PT': ('Rua de Santa Catarina;Avenida 25 de Abril;Rua do Comércio', '4700-1## Braga;3810-1## Aveiro;2900-3## Setúbal', 'Marta Coelho;Nuno Pacheco;Catarina Reis', 'Pacheco Moldes Lda.;Reis & Coelho S.A.;Frutas do Oeste Lda.'),
    'NL': ('Marktstraat;Lindelaan;Oude Rijn;Spoorlaan', '50## GH Tilburg;23## LM Leiden;65## SB Nijmegen', 'Maarten Hoekstra;Esther Vos;Ruben Postma', 'Hoekstra Machines B.V.;Vos Bloemen Export B.V.;Postma Koeltransport B.V.'),
    'BE': ('Kerkstraat;Nijverheidslaan;Koning Albertlaan', '90## Gent;20## Antwerpen;30## Leuven', 'Wouter Claes;Lien Peeters;Bart Wuyts', 'Claes Interieur NV;Peeters Drinks BV;Wuyts Tuinbouw BV;Studio Maas BV'),
    'CH': ('Bahnhofstrasse;Seestrasse;Dorfplatz;Im Grund', '80## Zürich;30## Bern;90## St. Gallen', 'Regula Ammann;Urs Zbinden;Corinne Frei', 'Zbinden Holzbau AG;Praxis Ammann GmbH;Frei Treuhand AG'),
    'SE': ('Drottninggatan;Sveavägen;Skolgatan;Ängsvägen', '752 3# Uppsala;582 2# Linköping;903 2# Umeå', 'Malin Ekström;Johan Åkesson;Lena Nyberg', 'Ekström Snickeri AB;Nybergs Bageri AB'),
    'PL': ('ul. Kwiatowa;ul. Słowackiego;ul. Przemysłowa;al. Niepodległości', '61-7## Poznań;50-1## Wrocław;90-3## Łódź', 'Katarzyna Górska;Tomasz Lewandowski;Paweł Żurek',
           'Górska Studio sp. z o.o.;Żurek Transport sp.k.;Lewandowski Instalacje sp. z o.o.'),
    'CZ': ('Dlouhá;Husova;Na Příkopě;Nádražní', '602 00 Brno;301 00 Plzeň;779 00 Olomouc', 'Jana Dvořáková;Petr Novotný;Tomáš Říha', 'Říha Stavby s.r.o.;Novotný & syn, s.r.o.;Kovárna Dvořák a.s.;Účto Brno s.r.o.'),
    'TR': ('Cumhuriyet Caddesi;Lale Sokak;Bağdat Caddesi', '16### Nilüfer/Bursa;07### Muratpaşa/Antalya;34### Şişli/İstanbul', 'Elif Aydın;Burak Şahin;Zeynep Koç', 'Şahin Otomotiv A.Ş.;Aydın Tekstil Ltd. Şti.;Koç Tarım Ürünleri Ltd. Şti.'),
}
COUNTRY = {'NL': 'Netherlands', 'DE': 'Germany', 'FR': 'France', 'BE': 'Belgium'}
COMPACT = tuple(name for name in LATIN if not name.startswith('DejaVu'))     # of papers with many columns
PALE = 0.92, 0.93, 0.95


class Arrival(Newcomer):
    """A Newcomer of the countries above, with notations of less than nothing, lines between the rows of a table, and styles of schemas."""

    def __init__(self, seed, kind, land, tongue=None, minus=('front',), style='strict', **more):
        super().__init__(seed, kind, 'US' if land == 'US' else 'GB', **more)
        self.land, self.tongue = land, tongue or {'GB': 'en', 'US': 'en', 'BE': 'nl', 'CH': 'de', 'SE': 'sv', 'CZ': 'cs'}.get(land, land.lower())
        self.people, self.firms = (self.r.sample(names, len(names)) for names in (LAND[land][i].split(';') for i in (2, 3)))
        self.minus, self.style = self.r.choice(minus), style
        self.enums, self.integers, self.optional, self.needed = {}, set(), set(), set()      # optional: of a plain schema; needed: of one of classes
        self.lower = self.r.choice((0, 0, -8, 10, 22))      # how far down a page begins

    # -- what there is to print

    def place(self, land=None):
        land = land or self.land
        street, town = (self.r.choice(text.split(';')) for text in LAND[land][:2])
        number = self.r.randint(1, 190)
        return ['%d %s' % (number, street) if land in ('GB', 'US', 'FR') else '%s, %d' % (street, number) if land in ('IT', 'ES', 'PT') else '%s No: %d' % (street, number) if land == 'TR' else '%s %d' % (street, number), self.code(town)]

    def signed(self, text, value):
        return text if value >= 0 else {'front': '-%s', 'back': '%s-', 'brackets': '(%s)', 'long': '\u2212%s'}[self.minus] % text

    def number(self, value, digits=2):
        return self.signed(super().number(abs(value), digits), value)

    def in_money(self, value):
        return super().in_money(value) if value >= 0 or self.minus == 'back' else self.signed(super().in_money(-value), value)

    def maybe(self, at, there, kind=None):
        """A value that not each of these papers has; says whether this one has it."""
        self.optional.add(at)
        if not there:
            self.say_value(at, None, kind)
        return there

    def sides(self, left, right):
        """Where two blocks stand, this one at the left or that one."""
        return (left, right) if self.r.random() < 0.6 else (right, left)

    # -- how it is printed

    def start(self, landscape=False, size=None):
        super().start(landscape, size)
        self.y += self.lower
        return self

    def upright(self, x, top, low):
        self.page.ops.append(b'0.5 w %g %g m %g %g l S' % (x, self.height - top, x, self.height - low))

    def boxes(self, x, y, some, high=28):
        """Boxes beside one another: (wide, label, text, pointer or None, value, kind)."""
        for wide, label, text, at, value, kind in some:
            left, base = self.box_of(x, y, wide, high, label)
            if at:
                self.labelled.append(at)
                self.show(left, base, text, at, value, kind)
            else:
                self.distract(kind, text if value is None else value)
                self.put(left, base, text)
            x += wide

    def apart(self, x, y, lines, at, size=None, more=False, step=1.3):
        """An address whose parts are values of their own; where the next line would be."""
        size = size or self.size
        self.show(x, y, lines[0], at + '/street', kind='text', size=size, more=more)
        code, city = lines[1].split(' ', 1)
        y += size * step
        x = self.show(x, y, code, at + '/postal_code', kind='code', size=size, more=more)
        self.show(x, y, city, at + '/city', kind='text', before=' ', size=size, more=more)
        return y + size * step

    def listing(self, array, columns, rows, kinds, under=(), look='rule', colour=PALE, step=1.6, edge=None, on_full=None, bottom=80, ruled=False, uprights=()):
        """As grid; a row may be a text (a heading of some rows) or a list of (x, text, right): what is summed up in between. What on_full returns, such a
        list, stands first on the new page."""
        self.heads[array] = [key for key, head, *_ in columns if head and key[0] != '_']
        left, right = edge or (min(c[2] for c in columns if not c[3]), max(c[2] for c in columns))
        top = self.y - self.size * 1.2
        self.grid_heads(columns, left, right, look, colour)
        i = 0
        for row in rows:
            below = [line for line in under if isinstance(row, dict) and any(row.get(key) for key, *_ in line)]
            tall = max([len(cell[0]) for cell in row.values() if isinstance(cell, tuple) and isinstance(cell[0], list)] + [1]) if isinstance(row, dict) else 1
            more = (tall - 1 + len(below)) * self.size * 1.2
            self.y += self.size * step
            if on_full and self.y + more > self.height - bottom:
                self.close_lines(uprights, top, self.y - self.size * (step - 0.45))
                brought = on_full(i)
                top = self.y - self.size * 1.2
                self.grid_heads(columns, left, right, look, colour)
                self.y += self.size * step
                if brought:
                    self.cells_alone(brought)
                    self.y += self.size * step
            if isinstance(row, str):
                self.heading(left, self.y, row)
            elif isinstance(row, list):
                self.cells_alone(row)
            else:
                self.row_of('%s/%d/' % (array, i), columns, row, kinds, below, tall)
                i += 1
            self.y += more
            if ruled:
                self.rule(left, right, self.y + self.size * 0.45)
        self.close_lines(uprights, top, self.y + self.size * 0.45)
        self.y += self.size * step

    def cells_alone(self, cells):
        for x, text, on_right in cells:
            self.put(x, self.y, text, right=on_right)

    def row_of(self, at, columns, row, kinds, below, tall):
        for key, _, x, on_right in columns:
            self.grid_cell(at + key, key, row.get(key), x, self.y, on_right, kinds)
        for n, line in enumerate(below):
            for key, x, label in line:
                self.grid_cell(at + key, key, row.get(key), x, self.y + (tall + n) * self.size * 1.2, False, kinds, label)

    def close_lines(self, uprights, top, low):
        for x in uprights:
            self.upright(x, top, low)

    # -- what the user wants

    def schema_of(self, value, at=''):
        schema = super().schema_of(value, at)
        leaf = isinstance(schema['type'], list)
        if at in self.integers:
            schema['type'][0] = 'integer'
        if at in self.enums:
            schema.pop('pattern', None)
            schema['enum'] = self.enums[at] + [None]
        if self.style != 'strict' and schema['type'] == 'object':
            del schema['additionalProperties']
            schema['required'] = [key for key in schema['required'] if self.style == 'classes' and (isinstance(value[key], (dict, list)) or '%s/%s' % (at, key) in self.needed)]
            if not schema['required']:
                del schema['required']
        if self.style == 'plain' and leaf and at not in self.optional:
            schema['type'] = schema['type'][0]
            if 'enum' in schema:
                schema['enum'].pop()
        if self.style == 'classes' and at and at[-1] != '*':
            schema = self.as_derived(schema, at, leaf)
        return schema

    def as_derived(self, schema, at, leaf):
        """As a program writes the schema of a class."""
        title = schema.pop('title', re.sub(r'_', ' ', at.rsplit('/', 1)[1]).title())
        if not leaf:
            return {**schema, 'title': title}
        kind, text = schema.pop('type')[0], {'description': schema.pop('description')} if 'description' in schema else {}
        if at in self.needed:
            return {'type': kind, 'title': title, **text, **schema}
        return {'anyOf': [{'type': kind, **schema}, {'type': 'null'}], 'default': None, 'title': title, **text}


# -- English

def cloudbill(seed):
    """A cloud's bill: the sum under a heading with the date in it, each service with what it is made of below, no heads."""
    p = Arrival(seed, 'cloudbill', 'US', labels=('colon', 'gap', 'above'), minus=('front', 'brackets'), dates=('%B %-d, %Y', '%b %-d, %Y'), currency=('USD',)).start()
    r, end = p.r, p.width - 48
    seller = r.choice(('Nimbus Web Services, Inc.', 'Altostrat Cloud LLC', 'Brightwater Compute, Inc.'))
    month = datetime.date(2025, r.randint(1, 12), 1)
    stop = later(later(month, 31).replace(day=1), -1)
    day = later(stop, r.randint(1, 4))
    due = later(day, r.choice((0, 15, 30)))
    number, account = p.code(r.choice(('##########', 'EUINUS25-#######', '21########'))), p.code('####-####-####')
    with p.look(True, (0.15, 0.2, 0.3)):
        p.show(48, p.y + 10, seller, '/issuer', kind='name', size=p.size * 1.7)
    p.put(end, p.y + 10, 'Invoice', size=p.size * 1.7, right=True)
    p.y += 50
    top = p.y
    p.fields(48, [('Account number', account, '/accountNumber', None, 'id')], gap=80)
    p.y += 8
    p.put(48, p.y, 'Bill to Address:')
    low = p.party(48, p.y + p.size * 1.4, p.firms[0], p.place() + ['US'], '/billTo')
    p.heading(310, top, 'Invoice Summary', 1.2)
    p.rule(310, end, top + 5)
    p.y = top + p.size * 2.4
    p.fields(310, [('Invoice Number', number, '/invoiceNumber', None, 'id'), iso(p, '/invoiceDate', day, 'Invoice Date')], gap=110)
    rows, rate = [], r.choice((0, 6.5, 8.25))
    for name in r.sample('Elastic Compute;Object Storage;Relational Database Service;Data Transfer;Key Management Service;Route Service;Developer Support;Container Registry;CloudMonitor;Simple Queue Service'.split(';'), r.randint(2, 9)):
        charge = r.choice((cents(r, 0.01, 3), cents(r, 5, 900), cents(r, 1000, 9000)))
        rows.append((name, charge, round(charge * rate / 100, 2)))
    charges, tax = round(sum(row[1] for row in rows), 2), round(sum(row[2] for row in rows), 2)
    credit = r.choice((0.0, 0.0, round(charges * 0.1, 2)))
    total = round(charges - credit + tax, 2)
    p.y += 6
    x = 310
    with p.look(True):
        x = p.date(x, p.y, due, '/dueDate', before='TOTAL AMOUNT DUE ON ')
    p.y += p.size * 1.7
    with p.look(True):
        p.money(end, p.y, total, '/totalAmountDue', 'currency', size=p.size * 1.3)
    p.labelled.append('/totalAmountDue')
    p.y = max(low, p.y) + 26
    x = p.put(48, p.y, 'This invoice is for the billing period ')
    x = p.show(x, p.y, p.day(month, '%B %-d'), '/billingPeriod/start', month.isoformat(), 'date')
    p.show(x, p.y, p.day(stop, '%B %-d, %Y'), '/billingPeriod/end', stop.isoformat(), 'date', before=' - ')
    p.y += p.size * 2.4
    p.put(48, p.y, 'Thank you for using our services. Your account will be charged automatically; no further action is needed.')
    p.y += p.size * 3
    p.fill(48, p.y - p.size * 1.3, end - 48, p.size * 2, PALE)
    p.heading(52, p.y, 'Summary')
    p.y += p.size * 2
    p.sums(60, end - 4, [('Service Charges', round(charges - credit, 2), None)], True)
    p.sums(80, end - 60, [('Charges', charges, '/subtotal'), ('Credits', -credit, '/credits'), ('Tax', tax, '/tax')], True)
    p.heading(60, p.y, 'Total for this invoice')
    p.again(end - 4, p.y, p.in_money(total), '/totalAmountDue', right=True)
    p.y += p.size * 3
    p.fill(48, p.y - p.size * 1.3, end - 48, p.size * 2, PALE)
    p.heading(52, p.y, 'Detail')
    p.y += p.size * 2
    for i, (name, charge, part) in enumerate(rows):
        at = '/services/%d/' % i
        if p.y > p.height - 90:
            p.start()
            p.again(48, p.y, number, '/invoiceNumber', before='Invoice Number: ')
            p.y += 30
        with p.look(True):
            p.show(60, p.y, name, at + 'name', kind='text')
            p.money(end - 4, p.y, round(charge + part, 2), at + 'total', True)
        for label, value, key in (('Charges', charge, 'charges'), ('Estimated US sales tax to be collected', part, 'tax')):
            p.y += p.size * 1.4
            p.put(80, p.y, label)
            p.money(end - 60, p.y, value, at + key, True)
        p.y += p.size * 2
    p.put(48, p.height - 44, '* May include estimated US sales tax, VAT, ST, GST and CT.', size=p.size * 0.8)
    p.says['/credits'] = 'credits and promotions, negative'
    return p.done_with('issuer accountNumber billTo invoiceNumber invoiceDate dueDate billingPeriod subtotal credits tax totalAmountDue currency services')


def odoo(seed):
    """A program of many countries: labels above their values in one line, sections and notes between the rows, taxes as words."""
    p = Arrival(seed, 'odoo', 'BE', 'en', style='classes', money=('1,234.56', '1.234,56'), dates=('%m/%d/%Y', '%d/%m/%Y', '%b %-d, %Y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 45
    p.label_how, seller, here, vat_id = 'above', p.firms[0], p.place(), 'BE0' + p.code('4########')
    tint = r.choice(((0.44, 0.29, 0.4), (0.1, 0.4, 0.45), (0.2, 0.2, 0.2)))
    p.fill(45, p.y, 70, 30, tint)
    low = p.party(45, p.y + 46, seller, here + ['Belgium'], '/company')
    p.rule(45, end, low)
    p.party(340, low + 22, p.firms[1], p.place() + ['Belgium'], '/customer')
    their = 'BE0' + p.code('7########')
    p.show(340, low + 22 + p.size * 5.4, their, '/customer/vat', kind='id', before='VAT: ')
    p.labelled.append('/customer/vat')
    p.y = low + 22 + p.size * 9
    day, number = p.some_day(), p.code(r.choice(('INV/2025/#####', 'INV/25-26/####', 'FAC/2025/##/####')))
    if p.date_how == '%m/%d/%Y':                # the paper itself must say which is the month
        day = day.replace(day=13 + day.day % 16)
    due = later(day, r.choice((15, 30, 45)))
    with p.look(False, tint):
        p.show(45, p.y, number, '/name', kind='id', before='Invoice ', size=p.size * 2)
    p.y += p.size * 4
    some = [(45, 'Invoice Date:', *iso(p, '/invoice_date', day, '')[1:]), (145, 'Due Date:', *iso(p, '/invoice_date_due', due, '')[1:]), (245, 'Delivery Date:', *iso(p, None, day, '')[1:])]
    if p.maybe('/invoice_origin', seed % 3 != 0, 'id'):
        some.append((345, 'Source:', p.code('S#####'), '/invoice_origin', None, 'id'))
    if p.maybe('/ref', seed % 2 == 0, 'id'):
        some.append((430, 'Reference:', p.code('PO#####'), '/ref', None, 'id'))
    for x, label, text, at, value, kind in some:
        p.field(x, p.y, label, text, at, value, kind)
    p.y += p.size * 3.4
    rows, data, rate = [], [], 21
    goods = [['Acoustic bloc screen'], ['Customizable desk', '(Steel, White)'], ['Office lamp'], ['Large meeting table'], ['On-site installation', 'half a day, two persons'], ['Drawer black'], ['Cable management box'], ['Consultancy']]
    for i, name in enumerate(r.sample(goods, r.randint(2, 8))):
        if i in (0, 4) and len(goods) > 3 and seed % 2:
            rows.append('Furniture' if i == 0 else 'Services and accessories')
        n, price, off = r.choice((1.0, 2.0, 5.0, 12.0)), cents(r, 15, 1400), r.choice((0, 0, 10.0))
        row = {'description': (name, None), 'quantity': p.cell(n), '_units': 'Units', 'price_unit': p.cell(price), 'discount': p.cell(off) if off else (None, None), 'tax_rate': ('%d%%' % rate, rate),
               'price_subtotal': (p.in_money(round(n * price * (100 - off) / 100, 2)), round(n * price * (100 - off) / 100, 2))}
        rows.append(row)
        data.append(row)
    p.types['/lines/*/discount'] = 'number'
    p.optional.add('/lines/*/discount')
    discounts = any(row['discount'][1] for row in data)
    columns = [('description', 'Description', 45, False), ('quantity', 'Quantity', 245, True), ('_units', '', 249, False), ('price_unit', 'Unit Price', 335, True), ('discount', 'Disc.%' if discounts else '', 385, True),
               ('tax_rate', 'Taxes', 435, True), ('price_subtotal', 'Amount', end, True)]
    p.listing('/lines', columns, rows, kinds_of(price_unit='amount', price_subtotal='amount', discount='rate', tax_rate='rate'), look='rule', step=1.9, ruled=True)
    net = round(sum(row['price_subtotal'][1] for row in data), 2)
    vat = round(net * rate / 100, 2)
    p.sums(330, end, [('Untaxed Amount', net, '/amount_untaxed'), ('VAT %d%%' % rate, vat, '/amount_tax')], True, 1.9)
    p.rule(330, end, p.y - p.size * 1.3)
    p.strong(330, end, 'Total', round(net + vat, 2), '/amount_total', 'currency')
    paid = r.random() < 0.4
    if p.maybe('/amount_paid', paid, 'amount'):
        x = p.put(330, p.y, 'Paid on ')
        p.date(x, p.y, later(day, 3))
        p.money(end, p.y, round(net + vat, 2), '/amount_paid', True)
        p.y += p.size * 1.9
    p.sums(330, end, [('Amount Due', 0.0 if paid else round(net + vat, 2), '/amount_residual')], True)
    p.y += 14
    p.again(45, p.y, number, '/name', before='Payment Communication: ')
    iban = iban_of('BE', (lambda d: d + '%02d' % (int(d) % 97 or 97))(p.code('3#########')))
    p.show(45, p.y + p.size * 1.6, p.grouped(iban), '/iban', iban, 'id', before='on this account: ')
    p.labelled.append('/iban')
    y = p.height - 44
    p.rule(45, end, y - 12)
    text = 'info@studio.example  |  VAT: %s  |  Page 1 / 1' % vat_id
    p.show(p.middle(text), y, vat_id, '/company/vat', kind='id', before=text[:text.index(vat_id)], after=text[text.index(vat_id) + len(vat_id):])
    p.says.update({'/name': 'Number of the invoice', '/amount_residual': 'What is still to be paid', '/lines/*/discount': 'Discount in percent', '/invoice_origin': 'Source document'})
    return p.done_with('name company customer invoice_date invoice_date_due invoice_origin ref lines amount_untaxed amount_tax amount_total amount_paid amount_residual currency iban')


def purchase(seed):
    """An order to a supplier: everything in boxes, the day by which each line is needed, what the supplier calls it below; pages go on."""
    p = Arrival(seed, 'purchase', 'GB', fonts=COMPACT, ordinary=False, money=('1,234.56',), dates=('%d-%b-%Y', '%d/%m/%Y', '%d-%b-%y'), currency=('GBP', 'EUR', 'USD'))
    r, end, number, day = p.r, papers.A4[0] - 40, p.code(p.r.choice(('PO-#######', '45########', 'PO####/25'))), p.some_day()
    buyer, here = p.firms[0], p.place()

    def page(done):
        p.start()
        first = p.n_page == 1
        with p.look(True):
            p.show(40, p.y + 6, buyer, '/buyer/name', kind='name', size=p.size * 1.4, more=not first)
        p.heading(end, p.y + 6, 'PURCHASE ORDER', 1.6, right=True)
        p.y += 24
        if first:
            p.block(40, p.y, here, '/buyer/address', size=p.size * 0.9)
        p.put(end - 120, p.y, 'Page %d' % p.n_page, right=True)
        p.y += 26
        if not first:
            p.again(40, p.y, number, '/po_number', before='Order ')
            p.y += 24

    page(0)
    wide = (end - 40) / 4
    p.boxes(40, p.y, [(wide, 'PURCHASE ORDER NO.', number, '/po_number', None, 'id'), (wide, 'REVISION', str(r.randint(0, 3)), '/revision', None, 'code'),
                      (wide, 'ORDER DATE', *iso(p, '/order_date', day, '')[1:]), (wide, 'SUPPLIER NO.', p.code('V#####'), '/supplier/number', None, 'id')])
    y = p.y + 28
    for x, label, key, firm in ((40, 'SUPPLIER', '/supplier', p.firms[1]), (40 + 2 * wide, 'SHIP TO', '/ship_to', buyer)):
        p.frame(x, y, 2 * wide, 62)
        p.put(x + 3, y + 7.5, label, size=6.5)
        p.show(x + 5, y + 19, firm, key + '/name', kind='name')
        p.block(x + 5, y + 19 + p.size * 1.3, (['Goods In, Gate %d' % r.randint(1, 6)] if x > 40 else []) + p.place(), key + '/address')
    y += 62
    buyer_name, terms, inco = p.people[0], r.choice(('Net 30', 'Net 60 EOM', '2% 10, Net 45')), r.choice(('DAP Sheffield', 'FCA Rotterdam', 'DDP Exeter', 'EXW'))
    p.boxes(40, y, [(wide, 'BUYER', buyer_name, '/contact', None, 'name'), (wide, 'PAYMENT TERMS', terms, '/payment_terms', None, 'text'), (wide, 'INCOTERMS', inco, '/incoterms', None, 'text'),
                    (wide, 'CURRENCY', p.currency, '/currency', None, 'currency')])
    p.y = y + 52
    rows, parts = [], 'Bearing housing SN 510;Hex bolt M12 x 40 zinc;Hydraulic hose 1/2in;Proximity switch PNP;Gasket set;Conveyor belt 600 mm;Grease cartridge;Control relay 24 V;Steel plate 6 mm cut to size;Filter element'.split(';')
    for i in range(r.choice((2, 4, 7, 12, 26, 44))):
        n, price = r.choice(((r.randint(1, 40), cents(r, 8, 640)), (r.choice((250, 1000, 2500)), cents(r, 0.05, 4))))
        need = later(day, r.randint(7, 70))
        name = r.choice(parts)
        rows.append({'line': (str(i + 1), i + 1), 'item': p.code('##-####-@'), 'description': name, 'need_by': (p.day(need), need.isoformat()), 'quantity': p.cell(n, 0), 'uom': r.choice(('EA', 'BX', 'M')),
                     'unit_price': p.cell(price), 'extended': p.cell(round(n * price, 2)), 'supplier_item': p.code('@@#####') if r.random() < 0.6 else None})
    p.types['/lines/*/supplier_item'] = 'string'
    p.listing('/lines', [('line', 'Line', 40, False), ('item', 'Item', 64, False), ('description', 'Description', 120, False), ('need_by', 'Need by', 282, False), ('quantity', 'Quantity', 390, True), ('uom', 'UoM', 396, False),
                         ('unit_price', 'Unit price', 475, True), ('extended', 'Extended', end, True)], rows, kinds_of(unit_price='amount', extended='amount', need_by='date', uom='unit', item='id', supplier_item='id'),
              under=[[('supplier_item', 120, 'Supplier item: ')]], look=r.choice(('grey', 'lines')), on_full=page, step=1.8, ruled=True)
    for row in p.value['lines']:
        row.setdefault('supplier_item', None)
    total = round(sum(row['extended'][1] for row in rows), 2)
    if p.y > p.height - 120:
        page(len(rows))
    p.strong(360, end, r.choice(('Total order value', 'Order Total')), total, '/total')
    p.put(40, p.y + 10, 'Please quote our order number on all correspondence. Our standard conditions of purchase apply.', size=p.size * 0.9)
    p.integers.update({'/lines/*/line', '/lines/*/quantity'})
    p.enums['/currency'] = ['GBP', 'EUR', 'USD']
    return p.done_with('po_number revision order_date buyer supplier ship_to contact payment_terms incoterms currency lines total')


def shoporder(seed):
    """What a shop sends by mail: greeting, goods without heads, the address at the left and the sums at the right."""
    p = Arrival(seed, 'shoporder', 'GB', style='plain', labels=('colon', 'beside'), dates=('%-d %B %Y', '%A'), currency=('GBP',))
    p.date_how = p.r.choice(('%-d %B %Y', '%d %b %Y'))
    p.start()
    r, end = p.r, 470
    shop, number, day = r.choice(('Thimble & Thread', 'Wildwood Outdoor', 'Paper Lantern Books')), p.code(r.choice(('###-#######-#######', '#1#####', 'WW########'))), p.some_day()
    with p.look(True, (0.2, 0.45, 0.4)):
        p.show(p.middle(shop, 2, 310), p.y + 14, shop, '/merchant', kind='name', size=p.size * 2)
    p.y += 56
    p.heading(150, p.y, 'Thank you for your order!', 1.5)
    p.y += p.size * 3
    p.put(150, p.y, 'Hi %s, we have received your order and will let you know when it is on its way.' % p.people[0].split(' ')[0], size=p.size * 0.9)
    p.y += p.size * 2.6
    p.show(150, p.y, number, '/orderNumber', kind='id', before='Order ' + r.choice(('number: ', 'no. ', '#')))
    p.labelled.append('/orderNumber')
    p.y += p.size * 1.5
    p.date(150, p.y, day, '/orderDate', before=r.choice(('Placed on ', 'Order date: ')))
    p.y += p.size * 1.5
    first, last = later(day, 2), later(day, r.randint(4, 7))
    x = p.put(150, p.y, 'Estimated delivery: ')
    x = p.date(x, p.y, first, '/deliveryFrom')
    p.date(x, p.y, last, '/deliveryTo', before=' \u2013 ')
    p.y += p.size * 2
    p.rule(150, end, p.y)
    goods = {'T': 'Linen fabric, sage;Embroidery hoop 20 cm;Wool yarn 100 g;Sewing shears;Pattern: shirt dress', 'W': 'Trail pack 32 L;Merino socks, 2 pairs;Head torch;Camping mug;Down jacket, navy',
             'P': 'The Salt Path (paperback);Atlas of Islands;Notebook, dotted A5;Reading lamp;Gift wrap'}[shop[0]].split(';')
    rows = []
    for i, name in enumerate(r.sample(goods, r.randint(1, 5))):
        n, price, at = r.choice((1, 1, 2, 3)), cents(r, 3, 120), '/items/%d/' % i
        p.y += p.size * 2.6
        p.fill(150, p.y - p.size * 1.2, 24, p.size * 2.6, PALE)
        with p.look(True):
            p.show(184, p.y, name, at + 'title', kind='text')
        x = p.put(184, p.y + p.size * 1.3, 'Qty: ')
        p.show(x, p.y + p.size * 1.3, str(n), at + 'quantity', n)
        p.money(end, p.y, round(n * price, 2), at + 'price', True)
        rows.append(round(n * price, 2))
        p.y += p.size * 1.3
    p.y += p.size * 2
    p.rule(150, end, p.y)
    p.y += p.size * 2
    goods_sum, post, off = round(sum(rows), 2), r.choice((0.0, 3.95, 5.5)), r.choice((0.0, 5.0)) if sum(rows) > 20 else 0.0
    p.sums(300, end, [('Subtotal', goods_sum, '/subtotal'), ('Postage & packing', post, '/shipping')], True)
    if p.maybe('/discount', off, 'amount'):
        p.sums(300, end, [('Discount (WELCOME5)', -off, '/discount')], True)
    p.strong(300, end, r.choice(('Order total', 'Total')), round(goods_sum + post - off, 2), '/total', 'currency')
    p.put(300, p.y, 'Includes VAT of ' + p.in_money(round((goods_sum + post - off) / 6, 2)), size=p.size * 0.9)
    p.distract('amount', round((goods_sum + post - off) / 6, 2))
    p.y += p.size * 3
    y = p.y
    p.heading(150, y, 'Delivery address')
    p.party(150, y + p.size * 1.5, p.people[0], p.place() + ['United Kingdom'], '/shippingAddress')
    p.heading(330, y, 'Payment')
    x = p.show(330, y + p.size * 1.5, r.choice(('Visa', 'Mastercard', 'PayPal')), '/paymentMethod', kind='text')
    p.put(x, y + p.size * 1.5, ' ending in ' + p.code('####'))
    p.put(150, y + p.size * 9, 'Questions? Reply to this message or visit our help pages.', size=p.size * 0.85)
    p.enums['/paymentMethod'] = ['Visa', 'Mastercard', 'PayPal']
    p.integers.add('/items/*/quantity')
    return p.done_with('merchant orderNumber orderDate deliveryFrom deliveryTo items subtotal shipping discount total currency shippingAddress paymentMethod')


def eticket(seed):
    """A passenger's receipt: itinerary of flights, then the fare, taxes by their codes in one table, and how it was paid."""
    p = Arrival(seed, 'eticket', 'GB', labels=('colon', 'gap', 'above'), money=('1,234.56', '1234.56'), dates=('%d %b %Y', '%d%b%y', '%d-%b-%Y'), currency=('EUR', 'GBP', 'USD')).start()
    r, end, upper = p.r, p.width - 45, p.date_how == '%d%b%y'
    airline, prefix, code = r.choice((('Nordwind Airways', '417', 'NW'), ('Air Meridian', '258', 'AM'), ('Skyline Europe', '771', 'SE')))
    say = lambda day: p.day(day).upper() if upper else p.day(day)
    p.fill(0, 0, p.width, 46, (0.02, 0.12, 0.35))
    with p.look(True, (1, 1, 1)):
        p.show(45, 28, airline, '/airline', kind='name', size=p.size * 1.7)
    with p.look(False, (1, 1, 1)):
        p.put(end, 28, 'Electronic ticket receipt', size=p.size * 1.2, right=True)
    p.y = 76
    day, name = p.some_day(), p.people[0]
    issued = later(day, -r.randint(5, 60))
    text = '%s/%s %s' % (name.split(' ')[1].upper(), name.split(' ')[0].upper(), r.choice(('MR', 'MS'))) if seed % 2 else name
    top = p.y
    p.fields(45, [('Passenger', text, '/passenger_name', None, 'name'), ('Booking reference', p.code('@#@@#@'), '/booking_reference', None, 'id'), ('Ticket number', p.code(prefix + '-##########'), '/ticket_number', None, 'id')], gap=105)
    low, p.y = p.y, top
    p.fields(330, [('Date of issue', say(issued), '/issue_date', issued.isoformat(), 'date'), ('Issued by', 'Web sales LON', None, None, 'name'), ('IATA no.', p.code('## # #####'), None, None, 'id')], gap=85)
    p.y = max(low, p.y) + 22
    p.heading(45, p.y, 'Your itinerary', 1.2)
    p.y += p.size * 2.6
    ports = r.sample(('London (LHR);Lisbon (LIS);Vienna (VIE);Oslo (OSL);Athens (ATH);Warsaw (WAW)').split(';'), 3)
    legs = [(ports[0], ports[1], day), (ports[1], ports[0], later(day, r.randint(2, 12)))] if r.random() < 0.6 else [(ports[0], ports[1], day), (ports[1], ports[2], day)] if r.random() < 0.5 else [(ports[0], ports[1], day)]
    rows = []
    for here, there, when in legs:
        start = r.randint(360, 1150)
        stop = start + r.randint(75, 240)
        rows.append({'flight_number': code + ' ' + p.code('####'), 'from': here, 'to': there, 'departure_date': (say(when), when.isoformat()), 'departure_time': '%02d:%02d' % divmod(start, 60), 'arrival_time': '%02d:%02d' % divmod(stop, 60),
                     'booking_class': r.choice('YBMHQK'), 'baggage': r.choice(('1PC', '23K', 'NIL')), '_status': 'OK'})
    p.listing('/segments', [('flight_number', 'Flight', 45, False), ('from', 'From', 95, False), ('to', 'To', 200, False), ('departure_date', 'Date', 308, False), ('departure_time', 'Dep.', 375, False), ('arrival_time', 'Arr.', 410, False),
                            ('booking_class', 'Class', 446, False), ('baggage', 'Bag', 482, False), ('_status', 'Status', 518, False)], rows,
              kinds_of(departure_date='date', flight_number='id', departure_time='time', arrival_time='time', booking_class='code', baggage='code', **{'from': 'text', 'to': 'text'}), look='grey', step=2, ruled=True, edge=(45, end))
    p.y += 10
    p.heading(45, p.y, 'Receipt', 1.2)
    p.y += p.size * 2.4
    fare = float(r.randint(40, 900))
    taxes = [(c, cents(r, 2, 90)) for c in r.sample(('GB', 'UB', 'YQ', 'YR', 'RC', 'ZY', 'J9', 'CJ'), r.randint(2, 6))]
    total = round(fare + sum(v for _, v in taxes), 2)
    p.put(45, p.y, 'Fare')
    x = p.show(150, p.y, p.currency, '/currency', kind='currency')
    p.money(230, p.y, fare, '/base_fare')
    p.labelled += ['/base_fare', '/currency']
    p.y += p.size * 1.7
    p.put(45, p.y, 'Taxes/fees/charges')
    for i, (name, value) in enumerate(taxes):
        p.put(150, p.y, p.currency)
        p.money(230, p.y, value, '/taxes/%d/amount' % i)
        p.show(236, p.y, name, '/taxes/%d/code' % i, kind='code')
        p.y += p.size * 1.4
    p.rule(45, 260, p.y - p.size * 0.6)
    p.y += p.size * 0.8
    p.heading(45, p.y, 'Total')
    with p.look(True):
        p.put(150, p.y, p.currency)
        p.money(230, p.y, total, '/total')
    p.labelled.append('/total')
    p.y += p.size * 2.4
    p.show(150, p.y, r.choice(('CC VI XXXXXXXXXXXX', 'CC CA XXXXXXXXXXXX')) + p.code('####'), '/form_of_payment', kind='text')
    p.put(45, p.y, 'Form of payment')
    p.labelled.append('/form_of_payment')
    p.y += p.size * 1.7
    p.put(45, p.y, 'Fare calculation')
    p.put(150, p.y, 'LON %s LIS%.2f NUC%.2f END ROE0.7%d' % (code, fare * 0.6, fare * 1.2, r.randint(1000, 9999)))
    p.put(45, p.height - 50, 'Check-in closes 45 minutes before departure. Carriage is subject to the conditions of contract.', size=p.size * 0.85)
    p.titles.update({'/base_fare': 'Fare without taxes', '/segments': 'Flights', '/booking_reference': 'PNR'})
    return p.done_with('airline passenger_name booking_reference ticket_number issue_date segments base_fare taxes total currency form_of_payment')


def folio(seed):
    """What a hotel gives at check-out: guest and stay in two blocks, charges and credits in two columns, tax as a row of its own."""
    p = Arrival(seed, 'folio', 'US', ordinary=False, labels=('colon', 'gap', 'above'), minus=('front', 'brackets', 'back'), dates=('%m/%d/%y', '%m-%d-%y', '%m/%d/%Y', '%d-%b-%y'), currency=('USD',)).start()
    r, end, hotel, here = p.r, p.width - 50, p.r.choice(('Hotel Alder Portland', 'The Larkspur Inn & Suites', 'Copper Canyon Resort')), p.place()
    p.show(50, p.y + 8, hotel, '/hotel/name', kind='name', size=p.size * 1.5)
    text = ', '.join(here)
    p.show(50, p.y + 10 + p.size * 1.5, text, '/hotel/address', kind='address')
    p.put(50, p.y + 10 + p.size * 2.9, 'Tel: ' + p.code('(5##) ###-####'))
    p.y += 76
    nights, top = r.randint(1, 6), p.y
    arrive = p.some_day()
    leave, rate = later(arrive, nights), cents(r, 99, 420)
    guest, facts = p.sides(50, 330)
    p.party(guest, p.y, p.people[0].upper() if seed % 2 else p.people[0], p.place() + ['UNITED STATES'], '/guest')
    p.fields(facts, [('Room', str(r.randint(201, 1420)), '/room', None, 'code'), iso(p, '/arrival', arrive, 'Arrive'), iso(p, '/departure', leave, 'Depart'), ('Rate', p.number(rate), '/rate', rate, 'amount'),
                   ('Folio', p.code('######'), '/folio_number', None, 'id'), ('Conf. No.', p.code('########'), '/confirmation_number', None, 'id'), ('Cashier', str(r.randint(10, 99)), None, None, 'code')], gap=72)
    p.y = max(p.y, top + 70) + 24
    rows, balance, tax = [], 0.0, r.choice((0.115, 0.125, 0.14))

    def add(when, name, charge=None, credit=None):
        rows.append({'date': (p.day(when), when.isoformat()), 'description': name, 'charge': p.cell(charge) if charge is not None else (None, None), 'credit': p.cell(credit) if credit is not None else (None, None)})

    for i in range(nights):
        when = later(arrive, i)
        add(when, 'Room Charge', rate)
        add(when, 'State Lodging Tax', round(rate * tax, 2))
        if r.random() < 0.5:
            add(when, r.choice(('Valet Parking', 'Lobby Bar #%d' % r.randint(1000, 9999), 'Room Service', 'Market Pantry')), cents(r, 4, 75))
    balance = round(sum(row['charge'][1] for row in rows), 2)
    add(leave, r.choice(('Visa', 'Master Card', 'American Express')) + ' XXXX' + p.code('####'), None, balance if p.minus == 'front' else -balance)
    credit = rows[-1]['credit'][1]
    p.types.update({'/charges/*/charge': 'number', '/charges/*/credit': 'number'})
    look = r.choice(('lines', 'grey', 'bar'))
    p.listing('/charges', [('date', 'Date', 50, False), ('description', 'Description', 130, False), ('charge', 'Charges', 430, True), ('credit', 'Credits', end, True)], rows,
              kinds_of(charge='amount', credit='amount', date='date'), look=look, colour=(0.35, 0.3, 0.25) if look == 'bar' else PALE, edge=(50, end), step=1.7)
    p.y += 4
    p.put(330, p.y, 'Total')
    p.money(430, p.y, balance, '/total_charges')
    p.money(end, p.y, credit, '/total_credits')
    p.labelled += ['/total_charges', '/total_credits']
    p.y += p.size * 1.9
    p.strong(330, end, 'Balance Due', 0.0, '/balance_due', 'currency')
    p.put(50, p.y + 20, 'I agree that my liability for this bill is not waived. Signature: ______________________', size=p.size * 0.85)
    p.says.update({'/charges/*/credit': 'as printed, null if none', '/rate': 'Room rate per night'})
    return p.done_with('hotel guest room arrival departure rate folio_number confirmation_number charges total_charges total_credits balance_due currency')


def eob(seed):
    """A health plan tells what it paid: heads of three lines, figures with dollar signs, a line of totals; it is not a bill."""
    p = Arrival(seed, 'eob', 'US', ordinary=False, fonts=COMPACT, labels=('colon', 'gap', 'above'), dates=('%m/%d/%Y', '%m/%d/%y', '%B %d, %Y'), currency=('USD',)).start()
    r, end = p.r, p.width - 40
    short = '%m/%d/%y' if p.date_how[1] != 'm' else p.date_how
    plan = r.choice(('Blue Prairie Health Plan', 'Summit Mutual Insurance Company', 'Tri-County Benefits, Inc.'))
    with p.look(True, (0.0, 0.3, 0.55)):
        p.show(40, p.y + 10, plan, '/insurer', kind='name', size=p.size * 1.8)
    p.heading(end, p.y + 6, 'Explanation of Benefits', 1.4, right=True)
    p.heading(end, p.y + 6 + p.size * 1.5, 'THIS IS NOT A BILL', right=True)
    p.y += 60
    day, name, provider = p.some_day(), p.people[0], r.choice(('Ridgeview Family Medicine', 'Valley Orthopedic Associates', 'Lakes Imaging Center'))
    top = p.y
    window, facts = p.sides(40, 330)
    p.again(window, p.y, name, '/member_name')
    p.lines_at(window, p.y + p.size * 1.3, p.place())
    p.fields(facts, [iso(p, '/statement_date', day, 'Statement date'), ('Member', name, '/member_name', None, 'name'), ('Member ID', p.code('@@@#########'), '/member_id', None, 'id'),
                   ('Group number', p.code('00#####'), '/group_number', None, 'id')], gap=90)
    p.y = max(p.y, top + 56) + 20
    p.fill(40, p.y - p.size * 1.4, end - 40, p.size * 3.8, PALE)
    x = 46
    for label, text, at, kind in (('Patient:', r.choice((name, p.people[1])), '/claim/patient_name', 'name'), ('Claim number:', p.code('25##########'), '/claim/number', 'id'), ('Provider:', provider, '/claim/provider', 'name')):
        with p.look(True):
            left = p.put(x, p.y, label) + 4
        p.show(left, p.y, text, at, kind=kind)
        p.labelled.append(at)
        x += 178
    received = later(day, -r.randint(4, 20))
    with p.look(True):
        left = p.put(46, p.y + p.size * 1.6, 'Date received:') + 4
    p.show(left, p.y + p.size * 1.6, p.day(received, short), '/claim/received_date', received.isoformat(), 'date')
    p.labelled.append('/claim/received_date')
    p.y += p.size * 5
    rows, copay = [], r.choice((0.0, 25.0))
    works = 'Office visit;X-ray, two views;Laboratory panel;Physical therapy;Injection;Preventive exam;Ultrasound'.split(';')
    for i in range(r.randint(1, 6)):
        billed = cents(r, 60, 900)
        off = round(billed * r.choice((0.2, 0.35, 0.42)), 2)
        allowed = round(billed - off, 2)
        pays = min(copay, allowed) if i == 0 else 0.0
        deductible = round(r.choice((0.0, 0.3)) * (allowed - pays), 2)
        insured = round((allowed - pays - deductible) * 0.8, 2)
        share = round(allowed - pays - deductible - insured, 2)
        served = later(received, -r.randint(3, 25))
        cell = lambda v: ('$' + p.number(v), v)
        rows.append({'service_date': (p.day(served, short), served.isoformat()), 'service': r.choice(works), 'billed': cell(billed), 'discount': cell(off), 'allowed': cell(allowed), 'copay': cell(pays), 'deductible': cell(deductible),
                     'coinsurance': cell(share), 'plan_paid': cell(insured), 'you_owe': cell(round(pays + deductible + share, 2))})
    keys = [('billed', 'Amount\nbilled', 205), ('discount', 'Plan\ndiscount', 252), ('allowed', 'Allowed\namount', 302), ('copay', 'Copay', 342), ('deductible', 'Deduct-\nible', 390), ('coinsurance', 'Co-\ninsurance', 442),
            ('plan_paid', 'Your plan\npaid', 500), ('you_owe', 'What you\nowe', end)]
    p.size = 7.5
    p.listing('/services', [('service_date', 'Date of\nservice', 40, False), ('service', 'Type of service', 84, False)] + [(key, head, x, True) for key, head, x in keys], rows,
              kinds_of(service_date='date', **{key: 'amount' for key, *_ in keys}), look=r.choice(('grey', 'lines', 'rule')), step=1.9, ruled=True, edge=(40, end))
    sums = {key: round(sum(row[key][1] for row in rows), 2) for key, *_ in keys}
    p.y -= p.size * 0.2
    with p.look(True):
        p.put(84, p.y, 'Totals')
        for key, _, x in keys:
            at = {'billed': '/totals/billed', 'discount': '/totals/discount', 'plan_paid': '/totals/plan_paid', 'you_owe': '/totals/patient_responsibility'}.get(key)
            p.money(x, p.y, sums[key], at, True)
    p.y += p.size * 4
    p.size = 8.5
    x = p.put(40, p.y, 'You may owe your provider up to ')
    p.again(x, p.y, p.in_money(sums['you_owe']), '/totals/patient_responsibility', after='. Your provider will send you a bill.')
    p.put(40, p.y + p.size * 1.5, 'If you do not agree with this decision you have the right to appeal within 180 days.')
    p.titles.update({'/totals/patient_responsibility': 'Total the patient owes', '/claim/provider': 'Doctor or facility'})
    return p.done_with('insurer statement_date member_name member_id group_number claim services totals')


def current(seed):
    """A current account: paid out, paid in, and the balance at the end of each day; brought forward on each page."""
    p = Arrival(seed, 'current', 'GB', style='plain', fonts=COMPACT, ordinary=False, labels=('gap', 'beside'), money=('1,234.56',), dates=('%d %b %y', '%d %b %Y', '%d/%m/%Y'), currency=('GBP',))
    r, end, bank = p.r, papers.A4[0] - 45, p.r.choice(('Pennine Bank plc', 'Meridian Bank UK', 'First Wessex Bank'))
    holder, code, account = r.choice(p.people + p.firms), p.code('40-##-##'), p.code('########')
    start = datetime.date(2025, r.randint(1, 12), 1)
    stop = later(later(start, 31).replace(day=1), -1)
    balance = opening = cents(r, 6000, 30000)
    rows, paid_out, paid_in, days = [], 0.0, 0.0, sorted(later(start, r.randint(0, (stop - start).days)) for _ in range(r.choice((4, 10, 18, 36, 60))))
    for i, day in enumerate(days):
        name, way = r.choice((('COUNCIL TAX', 'DD'), ('TESCO STORES 3217', 'VIS'), ('SALARY HALDEN ENG', 'CR'), ('BETH CALLOWAY', 'BP'), ('WATER RATES', 'DD'), ('CASH WITHDRAWAL', 'ATM'), ('INVOICE PAYMENT', 'CR'), ('MOBILE PHONE', 'DD')))
        value = cents(r, 400, 3200) if way == 'CR' else cents(r, 3, 95) if r.random() < 0.8 else cents(r, 95, 900)
        balance = round(balance + (value if way == 'CR' else -value), 2)
        paid_in, paid_out = round(paid_in + (value if way == 'CR' else 0), 2), round(paid_out + (0 if way == 'CR' else value), 2)
        rows.append({'date': (p.day(day), day.isoformat()), 'type': way, 'details': ([name, p.code('REF ########')] if r.random() < 0.4 else [name], None), 'paid_out': p.cell(value) if way != 'CR' else (None, None), 'paid_in': p.cell(value) if way == 'CR' else (None, None),
                     'balance': p.cell(balance) if days[i + 1:i + 2] != [day] else (None, None), 'now': balance})

    def page(done):
        if p.n_page:
            p.put(205, p.y, 'BALANCE CARRIED FORWARD')
            p.put(end, p.y, p.number(rows[done - 1]['now']), right=True)
        p.start()
        first = p.n_page == 1
        with p.look(True, (0.0, 0.25, 0.3)):
            p.show(45, p.y + 6, bank, '/bank', kind='name', size=p.size * 1.7, more=not first)
        p.put(end, p.y + 6, 'Sheet %d' % p.n_page, right=True)
        p.y += 34
        if not first:
            x = p.again(45, p.y, code, '/sort_code', before='Sort code ')
            p.again(x + 14, p.y, account, '/account_number', before='Account number ')
            p.y += 28
            return [(205, 'BALANCE BROUGHT FORWARD', False), (end, p.number(rows[done - 1]['now']), True)]

    page(0)
    top = p.y
    window, facts = p.sides(45, 330)
    p.party(window, top + 10, holder, p.place(), '/account_holder')
    p.heading(facts, top + 10, 'Your Statement', 1.3)
    p.y = top + 10 + p.size * 2.2
    p.again(p.after_label(facts, p.y, 'Account name', 85), p.y, holder, '/account_holder/name')
    p.y += p.step()
    p.fields(facts, [('Sort code', code, '/sort_code', None, 'id'), ('Account number', account, '/account_number', None, 'id')], gap=85)
    iban = iban_of('GB', 'PENN' + code.replace('-', '') + account)
    if p.maybe('/iban', seed % 3, 'id'):
        p.field(facts, p.y, 'IBAN', p.grouped(iban), '/iban', iban, 'id', gap=85)
    p.y = top + 96
    x = p.date(45, p.y, start, '/period/from')
    p.date(x, p.y, stop, '/period/to', before=' to ')
    p.y += p.size * 2.4
    for i, (label, value, at) in enumerate((('Opening Balance', opening, '/opening_balance'), ('Payments In', paid_in, '/payments_in'), ('Payments Out', paid_out, '/payments_out'), ('Closing Balance', balance, '/closing_balance'))):
        p.put(330, p.y + i * p.size * 1.5, label)
        p.money(end, p.y + i * p.size * 1.5, value, at, 'currency' if i == 0 else True)
        p.labelled.append(at)
    p.y += p.size * 9
    p.types.update({'/transactions/*/' + key: 'number' for key in ('paid_out', 'paid_in', 'balance')})
    p.optional.update('/transactions/*/' + key for key in ('paid_out', 'paid_in', 'balance'))
    table = [[(205, 'BALANCE BROUGHT FORWARD', False), (end, p.number(opening), True)]] + [{key: cell for key, cell in row.items() if key != 'now'} for row in rows]
    table.append([(205, 'BALANCE CARRIED FORWARD', False), (end, p.number(balance), True)])
    p.listing('/transactions', [('date', 'Date', 45, False), ('type', 'Payment type', 115, False), ('details', 'Details', 205, False), ('paid_out', r.choice(('Paid out', '£ Paid out')), 400, True), ('paid_in', r.choice(('Paid in', '£ Paid in')), 475, True), ('balance', r.choice(('Balance', '£ Balance')), end, True)],
              table, kinds_of(date='date', paid_out='amount', paid_in='amount', balance='amount', type='code'), look=r.choice(('rule', 'grey', 'lines')), step=1.65, on_full=page)
    p.says.update({'/transactions/*/paid_out': 'money out', '/transactions/*/paid_in': 'money in', '/transactions/*/balance': 'balance if one is printed in this line'})
    return p.done_with('bank account_holder sort_code account_number iban period opening_balance payments_in payments_out closing_balance currency transactions')


def countytax(seed):
    """A county's bill for real property: boxes of values, what each authority levies, two stubs to send back."""
    p = Arrival(seed, 'countytax', 'US', ordinary=False, fonts=COMPACT, labels=('gap',), dates=('%m/%d/%Y', '%B %d, %Y', '%b %d, %Y'), currency=('USD',)).start()
    r, end = p.r, p.width - 40
    county = r.choice(('Ada', 'Pima', 'Dane', 'Wake')) + ' County'
    year, owner, here = r.choice((2024, 2025)), p.people[0].upper(), [line.upper() for line in p.place()]
    parcel, bill = p.code(r.choice(('R#########', '###-##-###@', '####-###-####-#'))), p.code('2025-######')
    text = county + ' Treasurer'
    with p.look(True):
        p.show(p.middle(text, 1.5), p.y + 6, text, '/issuer', kind='name', size=p.size * 1.5)
    text = 'REAL PROPERTY TAX BILL'
    p.put(p.middle(text, 1.1), p.y + 8 + p.size * 1.6, text, size=p.size * 1.1)
    p.show(end, p.y + 6, str(year), '/tax_year', year, 'number', before='TAX YEAR ', right=True)
    p.y += 50
    p.party(60, p.y + 10, owner, here, '/owner')
    y, wide = p.y, 125
    p.boxes(end - 2 * wide, y, [(wide, 'PARCEL NUMBER', parcel, '/parcel_number', None, 'id'), (wide, 'BILL NUMBER', bill, '/bill_number', None, 'id')])
    where = [line.upper() for line in p.place()][0]
    p.boxes(end - 2 * wide, y + 28, [(2 * wide, 'PROPERTY LOCATION', where, '/property_location', None, 'address')])
    p.boxes(end - 2 * wide, y + 56, [(2 * wide, 'LEGAL DESCRIPTION', 'LOT %d BLK %d %s SUB NO %d' % (r.randint(1, 40), r.randint(1, 9), r.choice(('SUNRISE', 'MEADOW RUN', 'ORCHARD')), r.randint(1, 5)), '/legal_description', None, 'text')])
    p.y += 104
    land, house, off = 1000 * r.randint(40, 190), 1000 * r.randint(120, 460), r.choice((0, 0, 50000, 125000))
    taxable, wide = land + house - off, (end - 40) / 4
    some = [(wide, 'LAND VALUE', p.number(land, 0), '/assessment/land', land, 'number'), (wide, 'IMPROVEMENTS', p.number(house, 0), '/assessment/improvements', house, 'number'),
            (wide, 'EXEMPTIONS', p.number(-off, 0) if off else 'NONE', '/assessment/exemptions' if off else None, -off if off else 'NONE', 'number' if off else 'word'),
            (wide, 'NET TAXABLE VALUE', p.number(taxable, 0), '/assessment/net_taxable', taxable, 'number')]
    p.optional.add('/assessment/exemptions')
    p.boxes(40, p.y, some)
    p.value['assessment'] = {key: p.value['assessment'].get(key) for key in ('land', 'improvements', 'exemptions', 'net_taxable')}
    p.types['/assessment/exemptions'] = 'number'
    p.y += 50
    rows = []
    for name in r.sample(('COUNTY GENERAL;SCHOOL DISTRICT NO 4;CITY;COMMUNITY COLLEGE;FIRE PROTECTION;LIBRARY;MOSQUITO ABATEMENT;EMERGENCY MEDICAL;HIGHWAY').split(';'), r.randint(3, 9)):
        levy = r.randint(20000, 4200000) / 1e9
        rows.append({'authority': name, 'rate': ('%.9f' % levy, round(levy, 9)), 'amount': p.cell(round(levy * taxable, 2)), 'phone': p.code('208-###-####')})
    p.listing('/levies', [('authority', 'TAXING DISTRICT', 40, False), ('phone', 'PHONE', 230, False), ('rate', 'LEVY RATE', 430, True), ('amount', 'TAX AMOUNT', end, True)], rows,
              kinds_of(rate='rate', amount='amount', phone='phone'), look=r.choice(('lines', 'grey')), step=1.5)
    p.y += 5
    general = round(sum(row['amount'][1] for row in rows), 2)
    waste = r.choice((0.0, 86.4, 142.0))
    total = round(general + waste, 2)
    p.sums(300, end, [('TOTAL GENERAL TAXES', general, '/general_taxes')])
    if p.maybe('/special_charges', waste, 'amount'):
        p.sums(300, end, [('SOLID WASTE FEE', waste, '/special_charges')])
    p.strong(300, end, r.choice(('TOTAL TAX DUE', 'TOTAL BILL')), total, '/total_due', 'currency')
    half = round(total / 2, 2)
    y, wide = p.height - 190, (end - 40) / 2
    for i, (label, value, due) in enumerate((('1ST HALF', round(total - half, 2), datetime.date(year, 12, 20)), ('2ND HALF', half, datetime.date(year + 1, 6, 20)))):
        x, at = 40 + i * (wide + 4), '/installments/%d/' % i
        p.frame(x, y, wide - 4, 130)
        p.show(x + 8, y + 16, label, at + 'name', kind='text', after=' PAYMENT STUB')
        p.again(x + 8, y + 34, parcel, '/parcel_number', before='PARCEL ')
        p.again(x + 8, y + 50, owner, '/owner/name')
        p.put(x + 8, y + 78, 'DUE DATE')
        p.show(x + 100, y + 78, p.day(due), at + 'due_date', due.isoformat(), 'date')
        p.put(x + 8, y + 96, 'AMOUNT DUE')
        p.money(x + 200, y + 96, value, at + 'amount', True)
        p.put(x + 8, y + 118, 'Make checks payable to the Treasurer.', size=p.size * 0.85)
    p.integers.update({'/tax_year', '/assessment/land', '/assessment/improvements', '/assessment/net_taxable'})
    return p.done_with('issuer tax_year owner parcel_number bill_number property_location legal_description assessment levies general_taxes special_charges total_due currency installments')


# -- German

def telekom(seed):
    """A telephone company's bill: the numbers in a column at the right edge, rows under headings with what they come to, tax in a sentence."""
    p = Arrival(seed, 'telekom', 'DE', style='plain', money=('1.234,56',), dates=('%d.%m.%Y', '%-d. %B %Y'), currency=('EUR',)).start()
    r, end, tint = p.r, p.width - 45, p.r.choice(((0.88, 0.0, 0.45), (0.9, 0.1, 0.1), (0.0, 0.2, 0.6)))
    firm, here = r.choice(('Fernmelde Deutschland GmbH', 'Rhein-Main Telekommunikation AG', 'Blitznetz Mobilfunk GmbH')), p.place()
    with p.look(True, tint):
        p.put(45, p.y + 10, firm.split(' ')[0].upper(), size=p.size * 1.8)
    p.y = 110
    p.sender_line(60, p.y, firm, here, '/provider/name', '/provider/address', ', ')
    p.party(60, p.y + 18, p.people[0], p.place(), '/customer')
    day = p.some_day()
    number, account, y = p.code('83########'), p.code('51########'), 96
    for label, text, at, value, kind in (iso(p, '/invoiceDate', day, 'Datum'), ('Seite', '1 von 1', None, None, 'code'), ('Kundennummer', account, '/customerNumber', None, 'id'), ('Rechnungsnummer', number, '/invoiceNumber', None, 'id'),
                                         ('Buchungskonto', p.code('49########'), None, None, 'id'), ('Servicenummer', p.code('0800 33 #####'), None, None, 'phone')):
        p.put(420, y, label, size=p.size * 0.8)
        if at:
            p.show(420, y + p.size * 1.15, text, at, value, kind)
            p.labelled.append(at)
        else:
            p.put(420, y + p.size * 1.15, text)
        y += p.size * 2.6
    p.y = 250
    month = (day.replace(day=1) - datetime.timedelta(days=1))
    with p.look(True):
        p.show(60, p.y, p.day(month, '%B %Y'), '/billingMonth', kind='text', before='Ihre Rechnung für ', size=p.size * 1.4)
    p.y += p.size * 4
    rows, data = [], []
    parts = [('Monatliche Beträge', [('Magenta Zuhause M', 34.41), ('MobilFlat L, Rufnummer 0151 %s' % p.code('#######'), 29.37), ('Router-Miete', 4.16), ('TV-Paket Plus', 8.4)]),
             ('Nutzungsabhängige Beträge', [('Verbindungen ins Mobilfunknetz', cents(r, 0.2, 9)), ('Verbindungen Ausland', cents(r, 0.4, 25)), ('Sonderrufnummern', cents(r, 0.3, 5))]),
             ('Einmalige Beträge', [('Bereitstellung Anschluss', 58.78), ('Gutschrift Online-Vorteil', -8.4)])]
    for head, some in parts[:r.randint(1, 3)]:
        rows.append(head)
        chosen = [one for one in some if r.random() < 0.7] or some[:1]
        for name, value in chosen:
            data.append({'description': name, 'vatRate': ('19', 19), 'netAmount': p.cell(value)})
            rows.append(data[-1])
        rows.append([(60, 'Summe ' + head, False), (end, p.number(round(sum(v for _, v in chosen), 2)), True)])
    p.listing('/lineItems', [('description', 'Artikel / Leistung', 60, False), ('vatRate', 'USt. (%)', 410, True), ('netAmount', 'Nettobetrag (Euro)', end, True)], rows, kinds_of(netAmount='amount', vatRate='rate'), look='rule', step=1.7)
    net = round(sum(row['netAmount'][1] for row in data), 2)
    vat = round(net * 0.19, 2)
    p.currency_at = '/currency'
    p.rule(60, end, p.y - p.size * 1.2)
    p.sums(60, end, [('Summe der Beträge ohne Umsatzsteuer', net, '/netTotal')])
    p.put(60, p.y, 'Umsatzsteuer 19 % auf ' + p.number(net) + ' Euro')
    p.money(end, p.y, vat, '/vatAmount')
    p.labelled.append('/vatAmount')
    p.y += p.size * 1.8
    total = round(net + vat, 2)
    p.fill(56, p.y - p.size * 1.3, end - 52, p.size * 2, PALE)
    p.strong(60, end, r.choice(('Rechnungsbetrag', 'Zu zahlender Betrag')), total, '/totalAmount', 'currency', 1.1)
    p.y += 16
    iban, debit = iban_of('DE', p.code('#' * 18)), later(day, r.randint(7, 12))
    x = p.put(60, p.y, 'Der Betrag wird am ')
    p.date(x, p.y, debit, '/debitDate', after=' von Ihrem Konto abgebucht:')
    p.put(60, p.y + p.size * 1.4, 'IBAN %s XXXX XXXX XXXX XXXX %s' % (iban[:4], iban[-2:]))
    y = p.height - 60
    p.rule(60, end, y - 12)
    x = p.again(60, y, firm, '/provider/name', size=p.size * 0.75)
    vat_id = german_vat(p)
    p.show(60, y + p.size, vat_id, '/provider/vatId', kind='id', before='USt-IdNr. ', after=' · Amtsgericht Bonn HRB %s · Geschäftsführung: %s' % (p.code('####'), p.people[2]), size=p.size * 0.75)
    return p.done_with('provider customer customerNumber invoiceNumber invoiceDate billingMonth lineItems netTotal vatAmount totalAmount currency debitDate')


def sapbill(seed):
    """Of a large program: number and date behind one label, items 000010 on, conditions with the minus behind, the tax in a line of its own."""
    p = Arrival(seed, 'sapbill', 'DE', fonts=COMPACT, minus=('back',), money=('1.234,56',), dates=('%d.%m.%Y',), currency=('EUR', 'CHF', 'USD'))
    r, end, seller, here = p.r, papers.A4[0] - 50, p.firms[0], p.place()
    number, day = p.code('90######'), p.some_day()

    def page(done):
        p.start()
        if p.n_page > 1:
            p.again(60, p.y, number, '/invoice_number', before='Rechnung ')
            p.put(end, p.y, 'Seite %d' % p.n_page, right=True)
            p.y += 30

    page(0)
    with p.look(True):
        p.show(end, p.y + 10, seller, '/seller/name', kind='name', right=True, size=p.size * 1.6)
    p.y = 112
    text = '%s, %s, %s' % (seller, *here)
    x = p.again(60, p.y, seller, '/seller/name', size=p.size * 0.72, after=', ')
    p.show(x, p.y, ', '.join(here), '/seller/address', kind='address', size=p.size * 0.72)
    p.put(60, p.y + 20, 'Firma')
    low = p.party(60, p.y + 20 + p.size * 1.3, p.firms[1], p.place(), '/buyer')
    y = p.y + 6
    p.heading(345, y, r.choice(('Rechnung', 'Rechnung - Original')), 1.2)
    y += p.size * 1.8
    order, ship, ordered, shipped = p.code('12#####'), p.code('80######'), later(day, -r.randint(8, 30)), later(day, -r.randint(1, 6))
    for label, code, at, when, at_day in (('Rechnungsnr./Datum', number, '/invoice_number', day, '/invoice_date'), ('Auftragsnr./Datum', order, '/order_number', ordered, None), ('Lieferscheinnr./Datum', ship, '/delivery_note_number', shipped, '/delivery_date')):
        x = p.field(345, y, label, code, at, None, 'id', gap=100, how='gap')
        p.date(x, y, when, at_day, before=' / ')
        y += p.size * 1.45
    for label, text, at, kind in (('Kundennummer', p.code('10####'), '/customer_number', 'id'), ('Ihre Bestellnr.', p.code('45000#####'), '/purchase_order', 'id'), ('Sachbearbeiter/-in', p.people[0], None, 'name')):
        p.field(345, y, label, text, at, None, kind, gap=100, how='gap')
        y += p.size * 1.45
    p.y = max(low, y) + 24
    vat_id = german_vat(p)
    p.show(60, p.y, vat_id, '/seller/vat_id', kind='id', before='Unsere USt-IdNr.: ')
    p.show(300, p.y, german_vat(p), '/buyer/vat_id', kind='id', before='Ihre USt-IdNr.: ')
    p.labelled += ['/seller/vat_id', '/buyer/vat_id']
    p.y += p.size * 3.4
    rows, data = [], []
    goods = 'Förderband-Rolle D50;Sechskantschraube M8x30;Lagerbock verzinkt;Karton 600x400x300;Stretchfolie 23 my;Antriebswelle;Dichtring NBR;Palette EPAL gebraucht'.split(';')
    for i in range(r.choice((1, 2, 3, 5, 9, 17))):
        n, per, price = r.choice(((r.randint(1, 60), 1, cents(r, 2, 320)), (r.choice((500, 1200, 4000)), 100, cents(r, 2, 90))))
        off = r.choice((0, 0, 3, 7.5))
        gross = round(n * price / per, 2)
        less = round(gross * off / 100, 2)
        data.append({'position': ('%06d' % (10 * (i + 1)), '%06d' % (10 * (i + 1))), 'material': p.code('###-#####'), 'description': r.choice(goods), 'quantity': p.cell(n, 0), 'unit': 'ST', 'unit_price': p.cell(price), 'price_per': (str(per), per),
                     'amount': p.cell(gross)})
        rows.append(data[-1])
        if off:
            rows.append([(128, 'Rabatt', False), (400, p.number(-off, 3) + ' %', True), (end, p.number(-less), True)])
            rows.append([(128, 'Nettowert', False), (end, p.number(round(gross - less, 2)), True)])
            data[-1]['less'] = less
        p.distract('amount', -less)
    less = round(sum(row.pop('less', 0) for row in data), 2)
    p.listing('/items', [('position', 'Pos.', 60, False), ('material', 'Material\nBezeichnung', 100, False), ('quantity', 'Menge', 270, True), ('unit', 'ME', 276, False), ('unit_price', 'Preis\n' + p.currency, 360, True), ('price_per', 'pro', 400, True),
                         ('amount', 'Wert\n' + p.currency, end, True)], rows, kinds_of(unit_price='amount', amount='amount', unit='unit', material='id', position='code'), under=[[('description', 100, '')]], look=r.choice(('lines', 'grey')), on_full=page, step=1.8, edge=(60, end))
    net = round(sum(row['amount'][1] for row in data) - less, 2)
    vat = round(net * 0.19, 2)
    if p.y > p.height - 200:
        page(len(data))
    p.sums(200, end, [('Nettosumme', net, '/net_total')])
    x = p.put(200, p.y, 'Ausgangssteuer')
    p.show(360, p.y, p.number(19, 3), '/vat_rate', 19, 'rate', after=' %', right=True)
    p.money(440, p.y, net, None)
    p.money(end, p.y, vat, '/vat_amount')
    p.labelled.append('/vat_amount')
    p.y += p.size * 1.6
    p.rule(200, end, p.y - p.size * 1.1)
    with p.look(True):
        p.put(200, p.y + 2, 'Endbetrag')
        p.show(360, p.y + 2, p.currency, '/currency', kind='currency', right=True)
        p.money(end, p.y + 2, round(net + vat, 2), '/total')
    p.labelled.append('/total')
    p.y += p.size * 4
    p.put(60, p.y, 'Zahlungsbedingungen:')
    x = p.date(156, p.y, later(day, 14), '/discount_date', before='Bis ')
    x = p.put(x, p.y, ' erhalten Sie ')
    x = p.show(x, p.y, '2,000', '/discount_percent', 2, 'rate', after=' % Skonto')
    p.date(156, p.y + p.size * 1.4, later(day, 30), '/due_date', before='Bis ', after=' ohne Abzug')
    p.y += p.size * 4
    p.put(60, p.y, 'Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.')
    p.enums['/currency'] = ['EUR', 'CHF', 'USD']
    p.says.update({'/discount_date': 'last day for cash discount', '/items/*/price_per': 'the price is for so many units', '/items/*/amount': 'before discount'})
    return p.done_with('seller buyer invoice_number invoice_date order_number delivery_note_number delivery_date customer_number purchase_order items net_total vat_rate vat_amount total currency discount_date discount_percent due_date')


def freelance(seed):
    """Of one person without VAT: number and date in the heading's sentence, hours, where to pay in prose."""
    p = Arrival(seed, 'freelance', 'DE', style='classes', ordinary=True, money=('1.234,56',), dates=('%d.%m.%Y', '%-d. %B %Y'), currency=('EUR',)).start()
    r, end, name, here = p.r, p.width - 60, p.people[0], p.place()
    role = r.choice(('Dipl.-Designerin', 'Übersetzungen', 'IT-Beratung', 'Lektorat und Text'))
    p.show(end, p.y + 6, name, '/seller/name', kind='name', right=True, size=p.size * 1.3)
    p.put(end, p.y + 6 + p.size * 1.5, role, right=True)
    y = p.y + 6 + p.size * 2.9
    for line in here:
        p.show(end, y, line, '/seller/address', ', '.join(here), 'address', right=True, more=line != here[0])
        y += p.size * 1.3
    mail = 'post@%s.example' % name.split(' ')[1].lower()
    p.show(end, y, mail, '/seller/email', kind='email', right=True)
    p.y = 150
    p.party(60, p.y, p.firms[0], p.place(), '/buyer')
    day, number = p.some_day(), p.code(r.choice(('2025-0##', '##/2025', 'R-25-###')))
    p.y = 240
    how = r.choice(('one', 'two'))
    if how == 'one':
        with p.look(True):
            x = p.show(60, p.y, number, '/invoice_number', kind='id', before='Rechnung Nr. ', size=p.size * 1.3)
            p.show(x, p.y, p.day(day), '/invoice_date', day.isoformat(), 'date', before=' vom ', size=p.size * 1.3)
    else:
        p.date(end, p.y - p.size * 2, day, '/invoice_date', right=True, before=here[1].split(' ', 1)[1] + ', den ')
        with p.look(True):
            p.show(60, p.y, number, '/invoice_number', kind='id', before='Rechnung ', size=p.size * 1.3)
    p.y += p.size * 3
    start = day.replace(day=1)
    start = (start - datetime.timedelta(days=1)).replace(day=1)
    stop = later(start, 27)
    x = p.put(60, p.y, 'Für meine Leistungen im Zeitraum vom ')
    x = p.date(x, p.y, start, '/service_start')
    x = p.date(x, p.y, stop, '/service_end', before=' bis ')
    p.put(x, p.y, ' berechne ich Ihnen:')
    p.y += p.size * 3.2
    rows, work = [], {'D': 'Entwurf Broschüre;Satz Geschäftsbericht;Korrekturlauf;Bildbearbeitung', 'Ü': 'Übersetzung Bedienungsanleitung;Lektorat Website;Terminologiearbeit', 'I': 'Wartung Server;Schulung vor Ort;Entwicklung Schnittstelle;Fehlersuche',
                      'L': 'Lektorat Katalog;Text Newsletter;Abstimmung'}[role[0]].split(';')
    for what in work[:r.randint(1, len(work))]:
        n, price = r.choice((1.5, 2.0, 4.25, 7.0, 16.5)), r.choice((65.0, 78.0, 85.5, 95.0))
        rows.append({'description': what, 'hours': p.cell(n, 2), 'hourly_rate': (p.in_money(price), price), 'amount': (p.in_money(round(n * price, 2)), round(n * price, 2))})
    p.listing('/items', [('description', 'Leistung', 60, False), ('hours', r.choice(('Stunden', 'Std.')), 330, True), ('hourly_rate', r.choice(('Stundensatz', 'à')), 420, True), ('amount', r.choice(('Betrag', 'Gesamt')), end, True)], rows,
              kinds_of(hourly_rate='amount', amount='amount'), look=r.choice(('rule', 'plain', 'grey')), step=1.8)
    total = round(sum(row['amount'][1] for row in rows), 2)
    costs = r.choice((0.0, 0.0, cents(r, 12, 90)))
    if p.maybe('/expenses', costs, 'amount'):
        p.sums(300, end, [('zzgl. Fahrtkosten', costs, '/expenses')], True)
    p.strong(300, end, r.choice(('Rechnungsbetrag', 'Gesamtsumme')), round(total + costs, 2), '/total', 'currency')
    p.maybe('/vat_amount', False, 'amount')
    p.maybe('/due_date', False, 'date')
    p.y += 14
    p.put(60, p.y, 'Gemäß § 19 UStG enthält der Rechnungsbetrag keine Umsatzsteuer.')
    iban, tax = iban_of('DE', p.code('#' * 18)), p.code('##/###/#####')
    p.y += p.size * 2.4
    x, days = p.put(60, p.y, 'Ich bitte um Überweisung innerhalb von '), r.choice((10, 14, 30))
    p.show(x, p.y, str(days), '/payment_days', days, 'number', after=' Tagen auf mein Konto')
    p.y += p.size * 1.4
    x = p.show(60, p.y, p.grouped(iban), '/iban', iban, 'id', after=' bei der ')
    p.show(x, p.y, r.choice(('Volksbank Elbe', 'GLS Bank', 'Sparkasse Mannheim')), '/bank_name', kind='name')
    p.y += p.size * 3
    p.put(60, p.y, 'Vielen Dank für die gute Zusammenarbeit')
    p.again(60, p.y + p.size * 1.5, name, '/seller/name')
    p.show(60, p.height - 50, tax, '/seller/tax_number', kind='id', before='Steuernummer: ', size=p.size * 0.9)
    p.labelled.append('/seller/tax_number')
    p.integers.add('/payment_days')
    p.needed.update({'/invoice_number', '/invoice_date', '/total'})
    p.says.update({'/payment_days': 'days until payment', '/vat_amount': 'VAT, null if none is charged'})
    return p.done_with('invoice_number invoice_date service_start service_end seller buyer items expenses vat_amount total currency payment_days due_date bank_name iban')


def sparkasse(seed):
    """A statement with two dates without a year, the other party and what it is for below the kind of payment, the sign behind or always printed."""
    p = Arrival(seed, 'sparkasse', 'DE', fonts=COMPACT, ordinary=False, minus=('back', 'front'), money=('1.234,56',), dates=('%d.%m.%Y',), currency=('EUR',))
    r, end, (bank, bic) = p.r, papers.A4[0] - 50, p.r.choice((('Sparkasse Weserland', 'BRLADE21WES'), ('Volksbank Hohe Rhön eG', 'GENODEF1HRN'), ('Kreissparkasse Lahntal', 'HELADEF1LTL')))
    iban, holder, number = iban_of('DE', p.code('#' * 18)), r.choice(p.people + p.firms), r.randint(1, 12)
    month = datetime.date(2025, number, 1)
    last = later(later(month, 31).replace(day=1), -1)

    def page(done):
        p.start()
        first = p.n_page == 1
        with p.look(True, (0.75, 0.0, 0.0)):
            p.show(50, p.y + 4, bank, '/bank_name', kind='name', size=p.size * 1.4, more=not first)
        p.put(end, p.y + 4, 'Blatt %d' % p.n_page, right=True)
        p.y += 22
        x = p.show(50, p.y, str(number), '/statement_number', kind='id', before='Kontoauszug ', after=' / 2025', more=not first)
        p.show(230, p.y, p.grouped(iban), '/account/iban', iban, 'id', before='IBAN ', more=not first)
        p.y += p.size * 2.6
        if first:
            p.show(230, p.y - p.size * 1.2, bic, '/account/bic', kind='id', before='BIC ')
            p.show(50, p.y - p.size * 1.2, holder, '/account/holder', kind='name')
            p.y += p.size

    page(0)
    p.labelled += ['/account/iban', '/account/bic', '/statement_number']
    start = cents(r, -900, 9000)
    sign = lambda v: p.number(v) if p.minus == 'back' and v < 0 else p.number(v) + '+' if p.minus == 'back' else ('+' if v > 0 else '') + p.number(v)
    opened = later(month, -1)
    x = p.put(130, p.y, 'Kontostand am ')
    p.date(x, p.y, opened, None)
    p.show(end, p.y, sign(start), '/opening_balance', start, 'amount', right=True)
    p.labelled.append('/opening_balance')
    p.y += p.size * 2.4
    rows, balance, plus, minus = [], start, 0.0, 0.0
    kinds = [('LASTSCHRIFT', ('Stadtwerke Weserland', 'Abschlag Strom', 'Kd-Nr ######'), -1), ('KARTENZAHLUNG', ('EDEKA Markt Dorn', 'Debitk.# 2027-12', 'Terminal ########'), -1), ('GUTSCHRIFT ÜBERWEISUNG', ('Eck Metallwaren', 'Rechnung ####', ''), 1),
             ('DAUERAUFTRAG', ('Hausverwaltung Kern', 'Miete Wohnung #', ''), -1), ('ONLINE-ÜBERWEISUNG', ('Dr. Silke Dorn', 'RG ######', 'Behandlung'), -1), ('LOHN, GEHALT', ('Hansa Verpackungen', 'Gehalt ##/25', 'PNR ####'), 1), ('ENTGELTABSCHLUSS', ('siehe Anlage', '', ''), -1)]
    for day in sorted(later(month, r.randint(0, (last - month).days)) for _ in range(r.choice((3, 7, 14, 28)))):
        name, text, way = r.choice(kinds)
        amount, value = way * (cents(r, 1, 200) if r.random() < 0.7 else cents(r, 200, 3400)), later(day, r.choice((0, 0, 1)))
        balance = round(balance + amount, 2)
        plus, minus = round(plus + max(amount, 0), 2), round(minus + min(amount, 0), 2)
        lines = [p.code(line) for line in text[1:] if line]
        rows.append({'booking_date': (p.day(day, '%d.%m.'), day.isoformat()), 'value_date': (p.day(value, '%d.%m.'), value.isoformat()), 'type': name, 'amount': (sign(amount), amount), 'counterparty': text[0], 'purpose': ' '.join(lines) if lines else None})
    p.listing('/transactions', [('booking_date', 'Buchung', 50, False), ('value_date', 'Wert', 92, False), ('type', 'Erläuterung', 130, False), ('amount', 'Betrag EUR', end, True)], rows,
              kinds_of(booking_date='date', value_date='date', amount='amount', counterparty='name', purpose='text', type='text'), under=[[('counterparty', 130, '')], [('purpose', 130, '')]], look=r.choice(('lines', 'rule')), on_full=page, step=1.8, bottom=110)
    p.types['/transactions/*/purpose'] = 'string'
    x = p.put(130, p.y, 'Kontostand am ')
    x = p.date(x, p.y, last, '/closing_date')
    p.show(end, p.y, sign(balance), '/closing_balance', balance, 'amount', right=True)
    p.y += p.size * 2
    p.show(130, p.y, 'EUR', '/currency', kind='currency', before='Alle Beträge in ')
    p.put(50, p.height - 45, 'Bitte prüfen Sie die Buchungen. Einwendungen sind binnen sechs Wochen zu erheben.', size=p.size * 0.85)
    p.says.update({'/statement_number': 'without the year', '/transactions/*/amount': 'negative if money goes out', '/transactions/*/counterparty': 'who pays or is paid'})
    return p.done_with('bank_name statement_number account opening_balance closing_date closing_balance currency transactions')


def goae(seed):
    """A doctor's bill by the German schedule of fees: patient and diagnosis, codes with their factor, what is owed to an office that collects."""
    p = Arrival(seed, 'goae', 'DE', ordinary=False, labels=('colon', 'gap'), money=('1.234,56',), dates=('%d.%m.%Y', '%d.%m.%y'), currency=('EUR',)).start()
    r, end, doctor, here = p.r, p.width - 55, 'Dr. med. ' + p.people[0], p.place()
    special = r.choice(('Facharztpraxis für Innere Medizin', 'Orthopädische Praxis', 'Hautärztliche Praxis'))
    p.show(p.middle(doctor, 1.4), p.y + 4, doctor, '/arzt/name', kind='name', size=p.size * 1.4)
    p.put(p.middle(special), p.y + 4 + p.size * 1.4, special)
    text = ' · '.join(here)
    x = p.show(p.middle(text), p.y + 4 + p.size * 2.7, here[0], '/arzt/anschrift', ', '.join(here), 'address', after=' · ')
    p.again(x, p.y + 4 + p.size * 2.7, here[1], '/arzt/anschrift')
    p.y = 130
    patient = p.people[1]
    p.put(55, p.y, 'Frau' if patient.split(' ')[0] in ('Annika', 'Silke') else 'Herrn')
    p.party(55, p.y + p.size * 1.3, patient, p.place(), '/patient', name_key='name', address_key='anschrift')
    day, born = p.some_day(), datetime.date(r.randint(1940, 2004), r.randint(1, 12), r.randint(1, 28))
    number = p.code(r.choice(('P25-#####', '2025/####', '########')))
    y, p.y = p.y, p.y
    p.fields(360, [('Rechnungsnummer', number, '/rechnungsnummer', None, 'id'), iso(p, '/rechnungsdatum', day, 'Rechnungsdatum'), ('Patientennummer', p.code('#####'), '/patient/nummer', None, 'id')], gap=85)
    p.y = y + 80
    p.heading(55, p.y, 'Privatärztliche Rechnung', 1.3)
    p.y += p.size * 2.4
    x = p.put(55, p.y, 'Für die Behandlung von ')
    x = p.again(x, p.y, patient, '/patient/name', after=', ')
    p.date(x, p.y, born, '/patient/geburtsdatum', before='geb. am ')
    p.y += p.size * 1.8
    p.field(55, p.y, 'Diagnose', r.choice(('Lumboischialgie links', 'Hypertonie, Vorsorge', 'Kontaktekzem', 'Z. n. Distorsion OSG rechts')), '/diagnose', kind='text', gap=60, how='colon')
    p.y += p.size * 3.2
    codes = [('1', 'Beratung, auch telefonisch', 4.66), ('5', 'Symptombezogene Untersuchung', 4.66), ('7', 'Vollständige Untersuchung Organsystem', 9.33), ('250', 'Blutentnahme Vene', 2.33), ('410', 'Ultraschall eines Organs', 11.66), ('420', 'Ultraschall weiterer Organe, je', 4.66),
             ('651', 'EKG in Ruhe', 14.75), ('3511', 'Untersuchung Teststreifen', 2.91), ('200', 'Verband', 2.62), ('34', 'Erörterung, mind. 20 Minuten', 17.49)]
    rows, served = [], sorted(later(day, -r.randint(6, 60)) for _ in range(r.randint(1, 3)))
    for when in served:
        for code, text, simple in sorted(r.sample(codes, r.randint(1, 5)), key=lambda one: int(one[0])):
            n, factor = 2 if code == '420' else 1, r.choice((2.3, 2.3, 1.8, 3.5)) if int(code) < 3500 else 1.15
            rows.append({'datum': (p.day(when), when.isoformat()), 'ziffer': code, 'leistung': text, 'anzahl': (str(n), n), 'faktor': p.cell(factor, 2 if factor == 1.15 else r.choice((1, 2))), 'betrag': p.cell(round(n * simple * factor, 2))})
    p.listing('/leistungen', [('datum', 'Datum', 55, False), ('ziffer', r.choice(('Ziffer', 'GOÄ-Nr.')), 155, True), ('leistung', 'Leistung', 170, False), ('anzahl', 'Anz.', 400, True), ('faktor', 'Faktor', 455, True), ('betrag', r.choice(('Betrag €', 'EUR')), end, True)], rows,
              kinds_of(datum='date', ziffer='code', faktor='rate', betrag='amount'), look=r.choice(('lines', 'rule', 'grey')), step=1.6)
    total, things = round(sum(row['betrag'][1] for row in rows), 2), r.choice((0.0, cents(r, 1, 14)))
    p.currency_at = '/waehrung'
    if p.maybe('/auslagen', things, 'amount'):
        p.sums(330, end, [('Auslagen nach § 10 GOÄ', things, '/auslagen')])
    p.strong(330, end, r.choice(('Rechnungsbetrag', 'Gesamtbetrag', 'Zu zahlen')), round(total + things, 2), '/gesamtbetrag', 'currency')
    p.y += 16
    iban, due = iban_of('DE', p.code('#' * 18)), later(day, 30)
    x = p.put(55, p.y, 'Bitte überweisen Sie den Betrag bis zum ')
    p.date(x, p.y, due, '/zahlbar_bis', after=' unter Angabe der Rechnungsnummer.')
    p.y += p.size * 1.5
    p.show(55, p.y, p.grouped(iban), '/iban', iban, 'id', before='IBAN: ', after=' · Deutsche Apotheker- und Ärztebank')
    p.labelled.append('/iban')
    p.put(55, p.y + p.size * 3, 'Steuernummer ' + tax_ident(p) + ' · Die Leistungen sind nach § 4 Nr. 14 UStG umsatzsteuerfrei.', size=p.size * 0.85)
    p.titles.update({'/patient/geburtsdatum': 'Geburtsdatum', '/leistungen/*/ziffer': 'GOÄ-Ziffer', '/leistungen/*/faktor': 'Steigerungsfaktor'})
    p.integers.add('/leistungen/*/anzahl')
    return p.done_with('arzt patient rechnungsnummer rechnungsdatum diagnose leistungen auslagen gesamtbetrag waehrung zahlbar_bis iban')


def qrbill(seed):
    """A Swiss bill with its payment slip below: receipt at the left, the code and the amount, the reference in groups of five at the right."""
    p = Arrival(seed, 'qrbill', 'CH', labels=('gap', 'colon'), ordinary=True, money=("1'234.56",), dates=('%d.%m.%Y', '%-d. %B %Y'), currency=('CHF',)).start()
    r, end, seller, here = p.r, p.width - 55, p.firms[0], p.place()
    buyer, there = p.people[0], p.place()
    with p.look(True):
        p.show(55, p.y + 6, seller, '/creditor/name', kind='name', size=p.size * 1.2)
    p.y = p.apart(55, p.y + 6 + p.size * 1.5, here, '/creditor')
    uid = 'CHE-%s.%s.%s MWST' % (p.code('###'), p.code('###'), p.code('###'))
    p.show(55, p.y, uid, '/creditor/vat_number', kind='id')
    p.show(345, p.y + 22, buyer, '/debtor/name', kind='name')
    p.apart(345, p.y + 22 + p.size * 1.3, there, '/debtor')
    p.y += 80
    day, number = p.some_day(), p.code(r.choice(('R-25####', '250###', 'RG-#####')))
    p.heading(55, p.y, 'Rechnung', 1.6)
    p.y += p.size * 2.6
    p.fields(55, [('Rechnungsnummer', number, '/invoice_number', None, 'id'), iso(p, '/invoice_date', day, 'Rechnungsdatum'), iso(p, '/due_date', later(day, 30), 'Zahlbar bis')], gap=95)
    p.y += 14
    rows = []
    for name in r.sample('Zimmerarbeiten Dachstuhl;Material Fichte;Montage vor Ort;Entsorgung;Beratung Steuererklärung;Lohnbuchhaltung;Physiotherapie Einzelsitzung;Anfahrt Pauschal'.split(';'), r.randint(1, 5)):
        n, price = r.choice((1, 2, 3.5, 8)), r.choice((cents(r, 20, 400), float(r.randint(40, 1900))))
        rows.append({'description': name, 'quantity': p.cell(n, 1 if n != int(n) else 0), 'unit': r.choice(('Std.', 'Stk.', 'Psch.')), 'unit_price': p.cell(price), 'total': p.cell(round(n * price, 2))})
    p.listing('/items', [('description', 'Bezeichnung', 55, False), ('quantity', 'Menge', 290, True), ('unit', 'Einheit', 305, False), ('unit_price', 'Preis', 440, True), ('total', r.choice(('Total CHF', 'Betrag CHF')), end, True)], rows,
              kinds_of(unit_price='amount', total='amount', unit='unit'), look=r.choice(('rule', 'grey')), step=1.7)
    net = round(sum(row['total'][1] for row in rows), 2)
    vat = round(net * 0.081, 2)
    total = round(round((net + vat) * 20) / 20, 2)
    p.sums(330, end, [('Zwischentotal', net, '/subtotal'), ('MWST 8.1%', vat, '/vat_amount'), ('Rundung', round(total - net - vat, 2), None)])
    with p.look(True):
        p.put(330, p.y, 'Rechnungsbetrag CHF')
        p.money(end, p.y, total, '/total')
    p.labelled.append('/total')
    p.y += p.size * 2
    p.put(55, p.y, 'Besten Dank für Ihren Auftrag.')
    y, small = p.height - 297, 6
    p.rule(0, p.width, y)
    p.upright(176, y, p.height)
    iban, reference = iban_of('CH', '30' + p.code('###' + '#' * 12)), p.code('21 ##### ##### ##### ##### #####')
    slip = p.number(total).replace("'", ' ')
    for x, wide, size in ((14, 150, 8), (345, 220, 9)):
        p.heading(x if x == 14 else 190, y + 20, 'Empfangsschein' if x == 14 else 'Zahlteil', 11 / p.size)
        at = y + (38 if x == 14 else 20)
        p.heading(x, at, 'Konto / Zahlbar an', small / p.size)
        p.show(x, at + size * 1.2, p.grouped(iban), '/iban', iban, 'id', size=size, more=x != 14)
        p.again(x, at + size * 2.4, seller, '/creditor/name', size=size)
        p.apart(x, at + size * 3.6, here, '/creditor', size, True, 1.2)
        at += size * 6.6
        p.heading(x, at, 'Referenz', small / p.size)
        p.show(x, at + size * 1.2, reference, '/reference', kind='id', size=size * 0.9, more=x != 14)
        at += size * 3
        if x != 14:
            p.heading(x, at, 'Zusätzliche Informationen', small / p.size)
            p.again(x, at + size * 1.2, number, '/invoice_number', before='Rechnung ', size=size)
            at += size * 3
        p.heading(x, at, 'Zahlbar durch', small / p.size)
        p.again(x, at + size * 1.2, buyer, '/debtor/name', size=size)
        p.apart(x, at + size * 2.4, there, '/debtor', size, True, 1.2)
    for x, size in ((14, 8), (190, 9)):
        at = y + 215
        p.heading(x, at, 'Währung', small / p.size)
        p.show(x, at + size * 1.3, 'CHF', '/currency', kind='currency', size=size, more=x != 14)
        p.heading(x + 50, at, 'Betrag', small / p.size)
        p.again(x + 50, at + size * 1.3, slip, '/total', size=size)
    p.heading(100, y + 270, 'Annahmestelle', small / p.size)
    p.frame(190, y + 36, 130, 130)
    for n in range(90):
        p.fill(192 + r.randint(0, 20) * 6, y + 38 + r.randint(0, 20) * 6, 6, 6, (0, 0, 0))
    p.optional.update({'/due_date'})
    p.says.update({'/reference': 'QR reference', '/creditor/vat_number': 'UID'})
    return p.done_with('creditor debtor invoice_number invoice_date due_date items subtotal vat_amount total currency iban reference')


# -- French

def bulletin(seed):
    """A payslip: what each contribution is reckoned from, its rate and sum for both sides, many cells empty, sections, net before and after tax."""
    p = Arrival(seed, 'bulletin', 'FR', ordinary=False, fonts=COMPACT, labels=('colon', 'gap'), minus=('front',), money=('1 234,56', '1\u00a0234,56', '1234,56'), dates=('%d/%m/%Y',), currency=('EUR',)).start()
    r, end = p.r, p.width - 36
    p.size = 7.5
    firm, here, worker = p.firms[0], p.place(), p.people[0]
    month = datetime.date(2025, r.randint(1, 12), 1)
    last, paid = later(later(month, 31).replace(day=1), -1), later(later(month, 31).replace(day=1), -r.randint(0, 3))
    p.heading(p.middle('BULLETIN DE PAIE', 1.6), p.y + 4, 'BULLETIN DE PAIE', 1.6)
    p.y += 26
    top = p.y
    low = p.party(36, p.y, firm, here, '/employeur', name_key='nom', address_key='adresse', bold=True)
    siret = luhn(luhn(p.code('4#######')) + '0001')
    p.y = low
    p.fields(36, [('SIRET', siret, '/employeur/siret', None, 'id'), ('Code APE', p.code('####@'), '/employeur/code_ape', None, 'code')], gap=50)
    low = p.y
    p.frame(310, top - 12, end - 310, 62)
    p.party(320, top + 6, worker.upper() if seed % 2 else worker, p.place(), '/salarie', name_key='nom', address_key='adresse')
    p.y = max(low, top + 62) + 14
    wide = (end - 36) / 5
    p.boxes(36, p.y, [(wide, 'Matricule', p.code('00###'), '/salarie/matricule', None, 'id'), (wide, 'N° Sécurité sociale', p.code('1 8# 0# ## ### ###'), '/salarie/numero_ss', None, 'id'), (wide, 'Emploi', r.choice(('Comptable', 'Technicien', 'Vendeuse', 'Chef de projet')), '/salarie/emploi', None, 'text'),
                      (wide, 'Période', p.day(month, '%B %Y'), '/periode', None, 'text'), (wide, 'Date de paiement', *iso(p, '/date_paiement', paid, '')[1:])])
    p.y += 48
    base, hours = cents(r, 1900, 4600), 151.67
    gross = base
    rows = [{'libelle': 'Salaire de base', 'base': p.cell(hours), 'taux_salarial': p.cell(round(base / hours, 4), 4), 'montant_salarial': p.cell(base)}]
    if r.random() < 0.6:
        extra, n = round(base / hours * 1.25, 4), float(r.randint(2, 14))
        rows.append({'libelle': 'Heures supplémentaires 125 %', 'base': p.cell(n), 'taux_salarial': p.cell(extra, 4), 'montant_salarial': p.cell(round(n * extra, 2))})
        gross = round(gross + round(n * extra, 2), 2)
    rows.append([(36, 'SALAIRE BRUT', False), (400, p.number(gross), True)])
    cap, data_rows = min(gross, 3925.0), []
    parts = [('Santé', [('Sécurité sociale - Maladie', gross, None, 7.0), ('Complémentaire santé', 3925.0, 0.75, 0.75), ('Complémentaire incapacité', cap, 0.4, 0.4)]), ('Retraite', [('Sécurité sociale plafonnée', cap, 6.9, 8.55), ('Sécurité sociale déplafonnée', gross, 0.4, 2.02),
             ('Complémentaire tranche 1', cap, 4.01, 6.01)]), ('Assurance chômage', [('Chômage', gross, None, 4.05)]), ('CSG / CRDS', [('CSG déductible de l’impôt', round(gross * 0.9825, 2), 6.8, None), ('CSG/CRDS non déductible', round(gross * 0.9825, 2), 2.9, None)])]
    mine = theirs = 0.0
    for head, some in parts:
        rows.append(head)
        for name, of, rate, other in some:
            row = {'libelle': name, 'base': p.cell(of)}
            if rate is not None:
                row.update(taux_salarial=p.cell(rate, 4), montant_salarial=p.cell(-round(of * rate / 100, 2)))
                mine = round(mine + round(of * rate / 100, 2), 2)
            if other is not None:
                row.update(taux_patronal=p.cell(other, 4), montant_patronal=p.cell(round(of * other / 100, 2)))
                theirs = round(theirs + round(of * other / 100, 2), 2)
            rows.append(row)
    data = [row for row in rows if isinstance(row, dict)]
    for row in data:
        for key in ('taux_salarial', 'montant_salarial', 'taux_patronal', 'montant_patronal'):
            row.setdefault(key, (None, None))
            p.types['/lignes/*/' + key] = 'number'
    p.listing('/lignes', [('libelle', 'Rubriques', 36, False), ('base', 'Base', 250, True), ('taux_salarial', 'Taux\nsalarial', 320, True), ('montant_salarial', 'Montant\nsalarial', 400, True), ('taux_patronal', 'Taux\npatronal', 475, True), ('montant_patronal', 'Montant\npatronal', end, True)], rows,
              kinds_of(base='amount', montant_salarial='amount', montant_patronal='amount', taux_salarial='rate', taux_patronal='rate'), look=r.choice(('grey', 'lines')), step=1.55, edge=(36, end), uprights=(180, 256, 326, 406, 481))
    before = round(gross - mine, 2)
    rate = r.choice((0.0, 2.1, 5.8, 9.4))
    taxable = round(before + round(gross * 0.9825 * 0.029, 2), 2)
    tax = round(taxable * rate / 100, 2)
    p.y += 4
    p.put(36, p.y, 'Total des cotisations et contributions')
    p.money(400, p.y, -mine, '/total_cotisations_salariales')
    p.money(end, p.y, theirs, '/total_cotisations_patronales')
    p.y += p.size * 2
    p.sums(36, 400, [('Salaire brut', gross, '/salaire_brut'), ('Net imposable', taxable, '/net_imposable'), ('NET À PAYER AVANT IMPÔT SUR LE REVENU', before, '/net_avant_impot')])
    p.put(36, p.y, 'Impôt sur le revenu prélevé à la source')
    p.show(320, p.y, p.number(rate), '/taux_pas', rate, 'rate', right=True)
    p.money(400, p.y, -tax, '/impot_source')
    p.labelled.append('/impot_source')
    p.y += p.size * 2.2
    p.fill(32, p.y - p.size * 1.4, end - 28, p.size * 2.2, PALE)
    p.currency_at = '/devise'
    p.strong(36, end, r.choice(('NET PAYÉ', 'NET À PAYER')), round(before - tax, 2), '/net_paye', 'currency', 1.3)
    p.put(36, p.y + 8, 'Dans votre intérêt, et pour vous aider à faire valoir vos droits, conservez ce bulletin de paie sans limitation de durée.', size=p.size * 0.9)
    return p.done_with('employeur salarie periode date_paiement lignes salaire_brut total_cotisations_salariales total_cotisations_patronales net_imposable net_avant_impot taux_pas impot_source net_paye devise')


# -- Italian, Spanish, Portuguese

def bolletta(seed):
    """A bill for electricity: a summary in a box, what was read on the meter by time of day, the sums in words of the regulator."""
    p = Arrival(seed, 'bolletta', 'IT', style='plain', labels=('colon', 'gap', 'beside', 'above'), money=('1.234,56',), dates=('%d/%m/%Y', '%d.%m.%Y', '%-d %B %Y'), currency=('EUR',)).start()
    r, end, tint = p.r, p.width - 42, p.r.choice(((0.0, 0.5, 0.35), (0.1, 0.25, 0.6), (0.85, 0.35, 0.0)))
    firm = r.choice(('Energia Tirrena S.p.A.', 'Luce Viva S.r.l.', 'Adriatica Servizi S.p.A.'))
    with p.look(True, tint):
        p.show(42, p.y + 12, firm, '/fornitore', kind='name', size=p.size * 1.8)
    p.heading(end, p.y + 12, 'Bolletta Energia elettrica', 1.2, right=True)
    p.y += 52
    day = p.some_day()
    stop = later(day, -r.randint(5, 12))
    start, due = later(stop, -59), later(day, 20)
    top = p.y
    where = p.place()
    facts, window = p.sides(42, 345)
    p.party(window, p.y, p.people[0], where, '/cliente', name_key='nome', address_key='indirizzo')
    p.fields(facts, [('Numero cliente', p.code('#########'), '/numeroCliente', None, 'id'), ('Codice POD', p.code('IT001E########'), '/pod', None, 'id'), ('Numero fattura', p.code('00425#######'), '/numeroFattura', None, 'id'), iso(p, '/dataEmissione', day, 'Data emissione'),
                  ('Potenza impegnata', '3 kW', None, None, 'unit')], gap=95)
    p.y = max(p.y, top + 70) + 16
    used = [r.randint(40, 260) for _ in 'abc']
    energy, network, other = round(sum(used) * cents(r, 0.14, 0.28), 2), round(9.8 + sum(used) * 0.011, 2), round(sum(used) * 0.0295, 2)
    net = round(energy + network + other, 2)
    excise = round(sum(used) * 0.0227, 2)
    vat = round((net + excise) * 0.1, 2)
    canone = r.choice((0.0, 18.0))
    total = round(net + excise + vat + canone, 2)
    p.fill(42, p.y - 14, end - 42, 54, PALE)
    p.currency_at = '/valuta'
    p.heading(52, p.y + 2, 'TOTALE DA PAGARE')
    with p.look(True, tint):
        p.money(52, p.y + 2 + p.size * 2.4, total, '/totaleDaPagare', 'currency', right=False, size=p.size * 1.6)
    p.heading(240, p.y + 2, r.choice(('ENTRO IL', 'SCADENZA')))
    p.date(240, p.y + 2 + p.size * 2.2, due, '/scadenza')
    p.heading(390, p.y + 2, 'PERIODO')
    x = p.show(390, p.y + 2 + p.size * 2.2, p.day(start, '%d/%m/%y'), '/periodo/dal', start.isoformat(), 'date')
    p.show(x, p.y + 2 + p.size * 2.2, p.day(stop, '%d/%m/%y'), '/periodo/al', stop.isoformat(), 'date', before=' - ')
    p.labelled += ['/totaleDaPagare', '/scadenza']
    p.y += 66
    p.heading(42, p.y, 'Sintesi degli importi fatturati', 1.2)
    p.y += p.size * 2.2
    some = [('Spesa per la materia energia', energy, '/importi/materiaEnergia'), ('Spesa per il trasporto e la gestione del contatore', network, '/importi/trasporto'), ('Spesa per oneri di sistema', other, '/importi/oneriSistema'), ('Accise', excise, '/importi/accise'), ('IVA 10%', vat, '/importi/iva')]
    p.sums(42, 420, some, True)
    if p.maybe('/importi/canoneRai', canone, 'amount'):
        p.sums(42, 420, [('Canone di abbonamento alla televisione', canone, '/importi/canoneRai')], True)
    p.y += 14
    p.heading(42, p.y, 'Letture e consumi', 1.2)
    p.y += p.size * 2.6
    rows = []
    for name, n in zip(('F1', 'F2', 'F3'), used):
        old = r.randint(800, 19000)
        rows.append({'fascia': name, 'letturaPrecedente': p.cell(old, 0), 'letturaAttuale': p.cell(old + n, 0), 'consumo': p.cell(n, 0), '_how': r.choice(('rilevata', 'stimata'))})
    p.listing('/letture', [('fascia', 'Fascia', 42, False), ('letturaPrecedente', 'Lettura\nprecedente', 200, True), ('letturaAttuale', 'Lettura\nattuale', 300, True), ('consumo', 'Consumo\nkWh', 390, True), ('_how', 'Tipo\nlettura', 430, False)], rows,
              kinds_of(fascia='code'), look='grey', step=1.6, edge=(42, end))
    p.put(42, p.y, 'Consumo totale fatturato')
    p.show(390, p.y, p.number(sum(used), 0), '/consumoTotale', sum(used), 'number', right=True, after='')
    p.labelled.append('/consumoTotale')
    p.y += p.size * 3
    iva = partita_iva(p)
    p.put(42, p.y, 'Modalità di pagamento: addebito su conto corrente IT** ************ ' + p.code('####'))
    p.show(42, p.height - 48, iva, '/partitaIva', kind='id', before='Sede legale Via dell’Industria 4, 20121 Milano - P.IVA ', after=' - Servizio clienti 800.%s' % p.code('######'), size=p.size * 0.8)
    p.integers.update({'/consumoTotale', '/letture/*/consumo'})
    return p.done_with('fornitore partitaIva cliente numeroCliente pod numeroFattura dataEmissione periodo scadenza totaleDaPagare valuta importi letture consumoTotale')


def carta(seed):
    """A statement of a credit card: two dates a row, what was paid in another currency in columns of its own, sums above the table."""
    p = Arrival(seed, 'carta', 'IT', fonts=COMPACT, ordinary=False, minus=('front', 'back'), money=('1.234,56',), dates=('%d/%m/%y', '%d/%m/%Y', '%d.%m.%Y'), currency=('EUR',))
    r, end, issuer = p.r, papers.A4[0] - 45, p.r.choice(('CartaPiù Pagamenti S.p.A.', 'Banca del Levante S.p.A.', 'Monviso Card Services S.p.A.'))
    holder, number = p.people[0].upper(), p.code('**** **** **** ####')
    stop = datetime.date(2025, r.randint(2, 12), r.choice((1, 15, 28)))
    charged = later(stop, r.randint(12, 18))

    def page(done):
        p.start()
        first = p.n_page == 1
        with p.look(True, (0.1, 0.2, 0.5)):
            p.show(45, p.y + 6, issuer, '/emittente', kind='name', size=p.size * 1.5, more=not first)
        p.put(end, p.y + 6, 'Pagina %d' % p.n_page, right=True)
        p.y += 36
        if not first:
            p.again(45, p.y, number, '/numero_carta', before='Carta n. ')
            p.y += 26

    page(0)
    top = p.y
    p.party(330, top, holder, p.place(), '', name_key='titolare', address_key='indirizzo')
    p.heading(45, top, 'Estratto conto', 1.5)
    p.y = top + p.size * 2.6
    p.label_how = r.choice(('gap', 'colon'))
    p.fields(45, [('Carta n.', number, '/numero_carta', None, 'id'), iso(p, '/data_estratto', stop, 'Data estratto conto'), ('Codice posizione', p.code('#######'), '/codice_posizione', None, 'id')], gap=100)
    p.y = max(p.y, top + 62) + 16
    rows = []
    shops = 'ESSELUNGA GENOVA;TRENITALIA.COM;AUTOSTRADE TELEPASS;LIBRERIA COLIBRI;AMZN MKTP IT;FARMACIA CENTRALE;RISTORANTE DA MARIO;STREAMFLIX.COM'.split(';')
    for when in sorted(later(stop, -r.randint(1, 31)) for _ in range(r.choice((4, 9, 15, 33, 64)))):
        value = cents(r, 2, 320) if r.random() < 0.94 else -cents(r, 10, 90)
        posted = later(when, r.randint(0, 3))
        row = {'data_operazione': (p.day(when), when.isoformat()), 'data_registrazione': (p.day(posted), posted.isoformat()), 'descrizione': r.choice(shops), 'importo_valuta': (None, None), 'valuta_estera': (None, None), 'importo': p.cell(value)}
        if r.random() < 0.2 and value > 0:
            shop, money, rate = r.choice((('LONDON TRANSPORT', 'GBP', 0.86), ('CHEMISTRY BOOKS NY', 'USD', 1.13), ('SBB ZURICH', 'CHF', 0.94)))
            row.update(descrizione=shop, importo_valuta=p.cell(round(value * rate, 2)), valuta_estera=money)
        rows.append(row)
    p.types.update({'/movimenti/*/importo_valuta': 'number', '/movimenti/*/valuta_estera': 'currency'})
    bought, back = round(sum(row['importo'][1] for row in rows if row['importo'][1] > 0), 2), round(sum(row['importo'][1] for row in rows if row['importo'][1] < 0), 2)
    fee, old = r.choice((0.0, 2.0)), cents(r, 80, 1900)
    total = round(bought + back + fee, 2)
    wide = (end - 45) / 4
    for i, (label, value, at) in enumerate((('Saldo precedente', old, '/saldo_precedente'), ('Totale acquisti', bought, '/totale_acquisti'), ('Totale accrediti', back, '/totale_accrediti'), ('Imposta di bollo', fee, '/bollo'))):
        left, base = p.box_of(45 + i * wide, p.y, wide, 28, label)
        p.money(45 + (i + 1) * wide - 6, base, value, at)
        p.labelled.append(at)
    p.y += 46
    x = p.put(45, p.y, 'Il totale dovuto di ')
    with p.look(True):
        x = p.show(x, p.y, 'EUR', '/valuta', kind='currency', after=' ')
        x = p.show(x, p.y, p.number(total), '/totale_dovuto', total, 'amount')
    x = p.put(x, p.y, ' sarà addebitato sul suo conto il ')
    p.date(x, p.y, charged, '/data_addebito', after='.')
    p.y += 30
    p.listing('/movimenti', [('data_operazione', 'Data\noperazione', 45, False), ('data_registrazione', 'Data\nregistrazione', 110, False), ('descrizione', 'Descrizione', 180, False), ('importo_valuta', 'Importo in\nvaluta', 400, True), ('valuta_estera', 'Val.', 408, False), ('importo', 'Importo in\nEuro', end, True)], rows,
              kinds_of(data_operazione='date', data_registrazione='date', importo='amount', importo_valuta='amount', valuta_estera='currency'), look=r.choice(('grey', 'lines')), step=1.6, on_full=page)
    p.says.update({'/movimenti/*/importo': 'negativo se accredito', '/numero_carta': 'come stampato'})
    return p.done_with('emittente titolare indirizzo numero_carta data_estratto codice_posizione saldo_precedente totale_acquisti totale_accrediti bollo totale_dovuto valuta data_addebito movimenti')


def poliza(seed):
    """A receipt of an insurer: framed sections with a dark head each, parts of the premium side by side under their heads."""
    p = Arrival(seed, 'poliza', 'ES', ordinary=False, labels=('colon', 'gap'), money=('1.234,56',), dates=('%d/%m/%Y', '%-d de %B de %Y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 50
    firm, here = r.choice(('Mutua Cantábrica de Seguros', 'Seguros Alborán S.A.', 'Ibérica Protección S.A.')), p.place()
    with p.look(True, (0.6, 0.0, 0.1)):
        p.show(50, p.y + 10, firm, '/insurer/name', kind='name', size=p.size * 1.6)
    p.block(50, p.y + 10 + p.size * 1.6, here, '/insurer/address', size=p.size * 0.9)
    p.heading(end, p.y + 10, 'RECIBO DE PRIMA', 1.3, right=True)
    p.y += 66
    holder, there, kind = p.people[0], p.place(), r.choice(('Hogar', 'Automóvil', 'Comercio', 'Vida'))
    start = p.some_day()
    stop, day = later(start, 365), later(start, -r.randint(5, 25))

    def section(name, high):
        p.fill(50, p.y - p.size * 1.25, end - 50, p.size * 1.8, (0.25, 0.25, 0.3))
        p.heading(55, p.y, name, colour=(1, 1, 1))
        p.frame(50, p.y - p.size * 1.25, end - 50, high)
        p.y += p.size * 2.2

    section('DATOS DE LA PÓLIZA', p.size * 9)
    y = p.y
    p.fields(56, [('Nº de póliza', p.code('##-#######'), '/policy_number', None, 'id'), ('Nº de recibo', p.code('9########'), '/receipt_number', None, 'id'), ('Ramo', kind, '/line_of_business', None, 'text'), iso(p, '/issue_date', day, 'Fecha de emisión')], gap=85)
    p.y = y
    p.fields(310, [iso(p, '/period/from', start, 'Efecto'), iso(p, '/period/to', stop, 'Vencimiento'), ('Forma de pago', r.choice(('Anual', 'Semestral', 'Trimestral')), '/payment_frequency', None, 'text'), ('Mediador', p.people[1], None, None, 'name')], gap=75)
    p.y = y + p.size * 8.2
    section('TOMADOR DEL SEGURO', p.size * 8.2)
    low = p.party(56, p.y, holder, there, '/policy_holder')
    p.show(56, low, p.code('########@'), '/policy_holder/tax_id', kind='id', before='NIF: ')
    p.labelled.append('/policy_holder/tax_id')
    p.y = low + p.size * 3.8
    net = cents(r, 90, 1400)
    parts = [('Prima neta', net, '/premium/net'), ('Consorcio', round(net * 0.0133, 2), '/premium/consortium'), ('Recargo', r.choice((0.0, round(net * 0.03, 2))), '/premium/surcharge'), ('Impuestos (IPS)', round(net * 0.08, 2), '/premium/tax')]
    total = round(sum(v for _, v, _ in parts), 2)
    section('DESGLOSE DE LA PRIMA', p.size * 5.6)
    wide = (end - 56) / 5
    for i, (label, value, at) in enumerate(parts):
        p.put(56 + wide * (i + 1) - 10, p.y, label, right=True)
        p.money(56 + wide * (i + 1) - 10, p.y + p.size * 1.7, value, at, True)
        p.labelled.append(at)
    p.heading(end - 8, p.y, 'TOTAL RECIBO', right=True)
    with p.look(True):
        p.money(end - 8, p.y + p.size * 1.7, total, '/premium/total', 'currency')
    p.labelled.append('/premium/total')
    p.y += p.size * 6
    covers = []
    for name, limit in r.sample([('Continente', 180000), ('Contenido', 35000), ('Responsabilidad civil', 300000), ('Daños eléctricos', 6000), ('Robo', 12000), ('Asistencia en viaje', 1500)], r.randint(2, 5)):
        own = r.choice((0, 150, 300))
        covers.append({'coverage': name, 'limit': p.cell(limit), 'deductible': p.cell(own) if own else (None, None), '_none': None if own else 'Sin franquicia'})
    p.types['/coverages/*/deductible'] = 'number'
    p.listing('/coverages', [('coverage', 'Garantías', 56, False), ('limit', 'Capital asegurado (€)', 330, True), ('deductible', 'Franquicia (€)', end - 8, True), ('_none', '', end - 8, True)], covers, kinds_of(limit='amount', deductible='amount'), look='rule', step=1.7, edge=(50, end))
    iban = iban_of('ES', spanish_account(p))
    x = p.put(56, p.y + 8, 'Cargo en cuenta: ')
    p.show(x, p.y + 8, p.grouped(iban), '/iban', iban, 'id')
    p.labelled.append('/iban')
    p.show(50, p.height - 45, 'A' + spanish_cif(p)[1:], '/insurer/tax_id', kind='id', before='Inscrita en el Registro Mercantil de Madrid. C.I.F. ', size=p.size * 0.8)
    p.titles.update({'/premium/consortium': 'Consorcio de Compensación', '/policy_holder': 'Tomador'})
    return p.done_with('insurer policy_holder policy_number receipt_number line_of_business issue_date period payment_frequency premium currency coverages iban')


def vencimento(seed):
    """A payslip of two halves, what is earned and what is taken, with codes, and the sums in boxes below."""
    p = Arrival(seed, 'vencimento', 'PT', ordinary=False, fonts=COMPACT, labels=('colon', 'gap'), money=('1.234,56', '1 234,56'), dates=('%d-%m-%Y', '%d/%m/%Y', '%Y-%m-%d'), currency=('EUR',)).start()
    r, end, firm, worker = p.r, p.width - 45, p.firms[0], p.people[0]
    with p.look(True):
        p.show(45, p.y + 4, firm, '/entidade_patronal/nome', kind='name', size=p.size * 1.3)
    low = p.block(45, p.y + 4 + p.size * 1.6, p.place(), '/entidade_patronal/morada')
    p.show(45, low, pt_nif(p), '/entidade_patronal/nif', kind='id', before='Contribuinte n.º ')
    p.labelled.append('/entidade_patronal/nif')
    p.heading(end, p.y + 4, 'Recibo de Vencimento', 1.4, right=True)
    p.put(end, p.y + 4 + p.size * 1.8, 'Original', right=True)
    p.y = low + 26
    month = datetime.date(2025, r.randint(1, 12), 1)
    last = later(later(month, 31).replace(day=1), -1)
    top = p.y
    p.fields(45, [('Nome', worker, '/funcionario/nome', None, 'name'), ('Categoria', r.choice(('Operador', 'Técnica superior', 'Motorista', 'Assistente')), '/funcionario/categoria', None, 'text'), ('N.º mecan.', p.code('###'), '/funcionario/numero', None, 'id')], gap=70)
    low, p.y = p.y, top
    p.fields(320, [('N.º Contribuinte', '2' + p.code('########'), '/funcionario/nif', None, 'id'), ('N.º Seg. Social', '1' + p.code('##########'), '/funcionario/niss', None, 'id'), ('Período', p.day(month, '%B de %Y'), '/periodo', None, 'text'), iso(p, '/data_fecho', last, 'Data fecho')], gap=90)
    p.y = max(low, p.y) + 18
    base = cents(r, 900, 2600)
    days, sub = r.randint(16, 23), 6.0
    pay = [('001', 'Vencimento base', '30', base), ('012', 'Subsídio de alimentação', str(days), round(days * sub, 2))] + r.sample([('021', 'Horas extra 50%', str(r.randint(2, 12)), cents(r, 20, 160)), ('034', 'Diuturnidades', '1', 45.3), ('040', 'Prémio de assiduidade', '1', 50.0)], r.randint(0, 3))
    rate = r.choice((0.055, 0.115, 0.168))
    less = [('101', 'Segurança Social (11%)', '', round(base * 0.11, 2)), ('102', 'IRS (%s%%)' % p.number(rate * 100, 1), '', round(base * rate, 2))] + r.sample([('110', 'Quotização sindical', '', round(base * 0.01, 2)), ('115', 'Seguro de saúde', '', 18.5)], r.randint(0, 2))
    got, taken = round(sum(v for *_, v in pay), 2), round(sum(v for *_, v in less), 2)
    top = p.y
    cells = lambda some: [{'codigo': c, 'descricao': d, 'valor': p.cell(v), **({'quantidade': (q, int(q))} if q else {})} for c, d, q, v in some]
    p.listing('/abonos', [('codigo', 'Cód.', 45, False), ('descricao', 'Abonos', 72, False), ('quantidade', 'Qtd.', 228, True), ('valor', 'Valor', 300, True)], cells(pay), kinds_of(valor='amount', codigo='code'), look='grey', step=1.6, edge=(45, 300))
    low, p.y = p.y, top
    p.listing('/descontos', [('codigo', 'Cód.', 320, False), ('descricao', 'Descontos', 348, False), ('valor', 'Valor', end, True)], cells(less), kinds_of(valor='amount', codigo='code'), look='grey', step=1.6, edge=(320, end))
    p.y = max(low, p.y) + 6
    p.put(72, p.y, 'Total de abonos')
    p.money(300, p.y, got, '/total_abonos')
    p.put(348, p.y, 'Total de descontos')
    p.money(end, p.y, taken, '/total_descontos')
    p.labelled += ['/total_abonos', '/total_descontos']
    p.y += p.size * 3
    p.currency_at = '/moeda'
    p.frame(320, p.y - p.size * 1.5, end - 320, p.size * 2.3)
    p.strong(328, end - 6, r.choice(('Líquido a receber', 'Total a receber')), round(got - taken, 2), '/liquido', 'currency', 1.1)
    iban = iban_of('PT', (lambda d: d + '%02d' % (98 - int(d + '00') % 97))('0035' + p.code('#' * 15)))
    p.field(45, p.y - p.size * 1.9, 'NIB/IBAN', p.grouped(iban), '/iban', iban, 'id', how='colon', gap=0)
    p.put(45, p.y + 20, 'Declaro que recebi a quantia constante neste recibo.')
    p.rule(320, end, p.y + 22)
    p.integers.add('/abonos/*/quantidade')
    return p.done_with('entidade_patronal funcionario periodo data_fecho abonos descontos total_abonos total_descontos liquido moeda iban')


# -- Dutch, Swedish, Polish, Czech, Turkish

def cmr(seed):
    """A consignment note: numbered boxes in two languages, the goods in the middle, weights at the right, signatures below."""
    p = Arrival(seed, 'cmr', 'NL', 'en', ordinary=False, fonts=COMPACT, money=('1.234,56', '1,234.56', '1234.56'), dates=('%d-%m-%Y', '%d.%m.%Y', '%d/%m/%Y'), currency=('EUR',)).start()
    r, left, end = p.r, 40, p.width - 40
    middle = (left + end) / 2
    p.size = 8.5
    day, number = p.some_day(), p.code(r.choice(('NL #######', 'CMR-######', '25/#####')))
    sender, carrier = p.firms[:2]
    p.heading(left, p.y, 'CMR', 2)
    p.put(left + 60, p.y - 6, 'INTERNATIONAL CONSIGNMENT NOTE', size=p.size * 0.9)
    p.put(left + 60, p.y + 4, 'LETTRE DE VOITURE INTERNATIONALE', size=p.size * 0.9)
    p.show(end, p.y, number, '/cmr_number', kind='id', before='No. ', right=True, size=p.size * 1.3)
    p.y += 14

    def box(x, y, wide, high, label, also=''):
        base = p.box_of(x, y, wide, high, label, size=6)
        if also:
            p.put(x + 3, y + 14, also, size=5.5)
        return base[0], y + (25 if also else 20)

    y, wide = p.y, middle - left
    for i, (label, also, key, firm) in enumerate((('1 Sender (name, address, country)', 'Expéditeur (nom, adresse, pays)', '/sender', sender), ('2 Consignee (name, address, country)', 'Destinataire (nom, adresse, pays)', '/consignee', None))):
        x, base = box(left, y + i * 72, wide, 72, label, also)
        there = 'NL' if i == 0 else r.choice(('DE', 'FR', 'BE'))
        p.party(x, base, firm if i == 0 else r.choice(LAND[there][3].split(';')), p.place(there) + [COUNTRY[there]], key)
    x, base = box(middle, y, wide, 72, '16 Carrier (name, address, country)', 'Transporteur (nom, adresse, pays)')
    p.party(x, base, carrier, p.place() + [COUNTRY['NL']], '/carrier')
    x, base = box(middle, y + 72, wide, 36, '17 Successive carriers', 'Transporteurs successifs')
    x, base = box(middle, y + 108, wide, 36, '18 Carrier’s reservations and observations', 'Réserves et observations du transporteur')
    y += 144
    x, base = box(left, y, wide, 36, '3 Place of delivery of the goods', 'Lieu prévu pour la livraison de la marchandise')
    p.show(x, base + 4, r.choice(('Lyon, France', 'Duisburg, Germany', 'Liège, Belgium')), '/place_of_delivery', kind='text')
    x, base = box(middle, y, wide, 36, '5 Documents attached', 'Documents annexés')
    p.show(x, base + 4, r.choice(('Invoice %s, packing list' % p.code('25####'), 'Packing list', 'EUR.1, invoice')), '/documents', kind='text')
    y += 36
    x, base = box(left, y, wide, 36, '4 Place and date of taking over the goods', 'Lieu et date de la prise en charge')
    x = p.show(x, base + 4, r.choice(('Tilburg', 'Leiden', 'Nijmegen')), '/place_of_taking_over', kind='text', after=', ')
    p.date(x, base + 4, day, '/date_of_taking_over')
    x, base = box(middle, y, wide, 36, '25 Registration number of vehicle / trailer')
    plate, trailer = p.code('##-@@@-#'), p.code('O@-##-@@')
    x = p.show(x, base + 6, plate, '/vehicle_plate', kind='code', after=' / ')
    p.show(x, base + 6, trailer, '/trailer_plate', kind='code')
    p.y = y + 36 + 14
    rows = []
    for name in r.sample('Cut flowers, cooled;Machine parts;Frozen vegetables;Steel profiles;Garden furniture;Packaging film;Bicycle frames'.split(';'), r.randint(1, 4)):
        weight = r.choice((r.randint(120, 980), r.randint(1000, 9400)))
        n = r.randint(1, 40)
        rows.append({'marks': p.code('@@-####'), 'packages': (str(n), n), 'packing': r.choice(('pallets', 'cartons', 'crates')), 'goods': name, 'statistical_number': p.code('####.##') if r.random() < 0.7 else (None, None), 'gross_weight_kg': p.cell(weight, 0),
                     'volume_m3': p.cell(r.randint(5, 420) / 10, 1)})
    high = 150
    p.frame(left, p.y - 14, end - left, high)
    size, p.size = p.size, 7.5
    p.listing('/goods', [('marks', '6 Marks\nand Nos', 44, False), ('packages', '7 Number of\npackages', 150, True), ('packing', '8 Method of\npacking', 160, False), ('goods', '9 Nature of\nthe goods', 230, False), ('statistical_number', '10 Statistical\nnumber', 345, False),
                         ('gross_weight_kg', '11 Gross\nweight kg', 480, True), ('volume_m3', '12 Volume\nm³', end - 6, True)], rows, kinds_of(marks='code', packing='text', statistical_number='code', packages='number', gross_weight_kg='number', volume_m3='number'), look='plain', step=1.8, edge=(left, end))
    p.size = size
    p.optional.add('/goods/*/statistical_number')
    p.y = y + 36 + high
    weight = sum(row['gross_weight_kg'][1] for row in rows)
    p.put(400, p.y - 8, 'Total', size=p.size * 0.9)
    p.show(480, p.y - 8, p.number(weight, 0), '/total_gross_weight_kg', weight, 'number', right=True)
    y = p.y
    x, base = box(left, y, wide, 64, '13 Sender’s instructions', 'Instructions de l’expéditeur')
    p.show(x, base + 4, r.choice(('Keep at +4 °C. Call before delivery.', 'Unload at ramp 3 only.', 'Exchange of euro pallets.')), '/sender_instructions', kind='text')
    x, base = box(middle, y, wide, 32, '19 Special agreements', 'Conventions particulières')
    x, base = box(middle, y + 32, wide, 32, '14 Instructions as to payment for carriage')
    carriage = r.choice(('Franco', 'Non franco'))
    p.show(x, base, carriage, '/carriage_payment', kind='text')
    x, base = box(left, y + 64, wide, 36, '21 Established in / on', 'Établie à / le')
    x = p.put(x, base + 4, 'Tilburg, ')
    p.date(x, base + 4, day, '/issue_date')
    x, base = box(middle, y + 64, wide, 36, '15 Cash on delivery', 'Remboursement')
    value = r.choice((None, cents(r, 200, 4000)))
    if p.maybe('/cash_on_delivery', value, 'amount'):
        p.show(x, base + 4, p.number(value), '/cash_on_delivery', value, 'amount', before='EUR ')
    third = (end - left) / 3
    for i, label in enumerate(('22 Signature and stamp of the sender', '23 Signature and stamp of the carrier', '24 Goods received, signature and stamp of the consignee')):
        p.box_of(left + i * third, y + 100, third, 70, label, size=6)
    p.enums['/carriage_payment'] = ['Franco', 'Non franco']
    p.integers.update({'/goods/*/packages'})
    return p.done_with('cmr_number sender consignee carrier place_of_delivery place_of_taking_over date_of_taking_over documents vehicle_plate trailer_plate goods total_gross_weight_kg sender_instructions carriage_payment cash_on_delivery issue_date')


def bevestiging(seed):
    """An order confirmed by a wholesaler: sizes and colours below the article, subtotals of groups, discount by line, sums at the left."""
    p = Arrival(seed, 'bevestiging', 'NL', style='plain', labels=('colon', 'gap', 'above'), ordinary=False, money=('1.234,56',), dates=('%d-%m-%Y', '%-d %B %Y', '%d/%m/%Y'), currency=('EUR',))
    r, end, tint = p.r, papers.A4[0] - 45, (0.15, 0.3, 0.2)
    firm, number, day = p.r.choice(('Kantoorwereld Holland B.V.', 'Tuincentrum Groothandel De Linde B.V.', 'Werkkleding Direct B.V.')), p.code(p.r.choice(('OB25-#####', '2500####', 'SO-######'))), p.some_day()

    def page(done):
        p.start()
        if p.n_page > 1:
            p.again(45, p.y, number, '/orderNummer', before='Orderbevestiging ')
            p.put(end, p.y, 'Pagina %d' % p.n_page, right=True)
            p.y += 28

    page(0)
    p.heading(45, p.y + 10, 'Orderbevestiging', 1.8, colour=tint)
    with p.look(True):
        p.show(end, p.y + 4, firm, '/leverancier/naam', kind='name', right=True, size=p.size * 1.2)
    y, here = p.y + 4 + p.size * 1.5, p.place()
    for line in here:
        p.show(end, y, line, '/leverancier/adres', ', '.join(here), 'address', right=True, more=line != here[0])
        y += p.size * 1.3
    kvk = p.code('########')
    p.show(end, y, kvk, '/leverancier/kvk', kind='id', before='KvK ', right=True)
    p.labelled.append('/leverancier/kvk')
    p.y += 84
    top = p.y
    window, facts = p.sides(45, 330)
    low = p.party(window, top, p.firms[0], p.place(), '/klant', name_key='naam', address_key='adres')
    p.fields(facts, [('Ordernummer', number, '/orderNummer', None, 'id'), iso(p, '/orderDatum', day, 'Orderdatum'), ('Uw referentie', p.code('INK-####'), '/uwReferentie', None, 'id'), iso(p, '/leverDatum', later(day, r.randint(3, 21)), 'Verwachte levering'), ('Debiteurnr.', p.code('1#####'), '/klant/nummer', None, 'id')], gap=105)
    p.y = max(low, p.y) + 26
    rows, data = [], []
    groups = [('Bovenkleding', 'Softshell jack heren;Polo korte mouw;Fleecevest'), ('Schoeisel', 'Werkschoen S3 laag;Laars PU'), ('Toebehoren', 'Kniestukken;Riem elastisch;Veiligheidsbril')]
    for head, names in groups[:r.randint(1, 3)]:
        rows.append(head)
        own = 0.0
        for name in r.sample(names.split(';'), r.randint(1, 2)) * r.choice((1, 1, 2, 7)):
            n, price, off = r.randint(1, 48), cents(r, 4, 130), r.choice((0, 0, 5, 12.5))
            amount = round(n * price * (100 - off) / 100, 2)
            own = round(own + amount, 2)
            data.append({'artikel': p.code('######'), 'omschrijving': ([name, r.choice(('maat M, marine', 'maat XL, zwart', 'maat 43', 'grijs'))] if r.random() < 0.6 else [name], None), 'aantal': p.cell(n, 0), 'prijs': p.cell(price), 'korting': (p.number(off, 1) + '%', off) if off else (None, None), 'bedrag': p.cell(amount)})
            rows.append(data[-1])
        rows.append([(430, 'Subtotaal ' + head.lower(), True), (end, p.number(own), True)])
    p.types['/regels/*/korting'] = 'number'
    p.optional.add('/regels/*/korting')
    p.listing('/regels', [('artikel', 'Art.nr.', 45, False), ('omschrijving', 'Omschrijving', 100, False), ('aantal', 'Aantal', 310, True), ('prijs', 'Prijs', 375, True), ('korting', 'Korting', 440, True), ('bedrag', 'Bedrag', end, True)], rows,
              kinds_of(artikel='id', prijs='amount', bedrag='amount', korting='rate'), look='bar', colour=tint, step=1.75, on_full=page)
    if p.y > p.height - 150:
        page(len(data))
    net = round(sum(row['bedrag'][1] for row in data), 2)
    vat = round(net * 0.21, 2)
    p.rule(45, end, p.y - p.size * 0.8)
    p.y += 8
    p.currency_at = '/valuta'
    p.sums(45, 260, [('Totaal excl. btw', net, '/totaalExcl'), ('Btw 21%', vat, '/btw')], True)
    p.strong(45, 260, 'Totaal incl. btw', round(net + vat, 2), '/totaalIncl', 'currency', 1.1)
    p.put(45, p.y + 10, 'Betaling binnen 30 dagen na factuurdatum. Prijzen onder voorbehoud van drukfouten.', size=p.size * 0.9)
    return p.done_with('leverancier klant orderNummer orderDatum uwReferentie leverDatum regels totaalExcl btw totaalIncl valuta')


def elrakning(seed):
    """A Swedish bill for electricity: facts in two columns, meter readings in a grey box, prices in öre, the giro slip at the foot."""
    p = Arrival(seed, 'elrakning', 'SE', ordinary=False, labels=('gap', 'colon', 'beside', 'above'), money=('1 234,56', '1\u00a0234,56', '1234,56'), dates=('%Y-%m-%d',), currency=('SEK',)).start()
    r, end = p.r, p.width - 45
    firm = r.choice(('Norrsken Energi AB', 'Mälarkraft Elhandel AB', 'Sydvind Kraft AB'))
    with p.look(True, (0.0, 0.35, 0.6)):
        p.show(45, p.y + 10, firm, '/supplier', kind='name', size=p.size * 1.8)
    p.heading(end, p.y + 10, 'Faktura', 1.8, right=True)
    p.y += 46
    day = p.some_day()
    start = later(day, -40).replace(day=1)
    stop, due = later(later(start, 31).replace(day=1), -1), later(day, r.choice((20, 25, 30)))
    top, name = p.y, p.people[0]
    facts, window = p.sides(45, 345)
    p.fields(facts, [('Fakturanummer', p.code('1#######'), '/invoice_number', None, 'id'), ('Kundnummer', p.code('#######'), '/customer_number', None, 'id'), iso(p, '/invoice_date', day, 'Fakturadatum'), iso(p, '/due_date', due, 'Förfallodatum'), ('Anläggnings-id', '735999' + p.code('############'), '/facility_id', None, 'id'),
                  ('Elområde', r.choice(('SE3', 'SE4')), None, None, 'code')], gap=95)
    low = p.y
    p.party(window, top + 24, name, p.place(), '/customer')
    p.y = max(low, top + 80) + 14
    used, price = r.randint(180, 2400), r.randint(3800, 13900) / 100
    old = r.randint(2000, 60000)
    p.fill(45, p.y - p.size * 1.4, end - 45, p.size * 6.4, PALE)
    x = p.put(52, p.y, 'Förbrukning ')
    x = p.date(x, p.y, start, '/period_start')
    p.date(x, p.y, stop, '/period_end', before=' \u2013 ')
    p.y += p.size * 2
    for x, label, value, at in ((52, 'Mätarställning föregående', old, '/meter/previous'), (200, 'Mätarställning aktuell', old + used, '/meter/current'), (345, 'Förbrukning kWh', used, '/meter/consumption_kwh')):
        p.put(x, p.y, label, size=p.size * 0.9)
        p.show(x, p.y + p.size * 1.3, p.number(value, 0), at, value, 'number')
        p.labelled.append(at)
    p.show(455, p.y + p.size * 1.3, p.code('#######'), '/meter/number', kind='id')
    p.put(455, p.y, 'Mätare nr', size=p.size * 0.9)
    p.labelled.append('/meter/number')
    p.y += p.size * 6
    energy, tax, fee = round(used * price / 100, 2), round(used * 0.439, 2), r.choice((29.0, 39.0, 49.0))
    rows = [{'text': 'Rörligt elpris', 'quantity': p.cell(used, 0), 'unit': 'kWh', 'price': p.cell(price), '_per': 'öre', 'amount': p.cell(energy)}, {'text': 'Energiskatt', 'quantity': p.cell(used, 0), 'unit': 'kWh', 'price': p.cell(43.9), '_per': 'öre', 'amount': p.cell(tax)},
            {'text': 'Årsavgift', 'quantity': p.cell(1, 0), 'unit': 'mån', 'price': p.cell(fee), '_per': 'kr', 'amount': p.cell(fee)}]
    if r.random() < 0.4:
        cert = round(used * 0.0025, 2)
        rows.insert(1, {'text': 'Elcertifikat', 'quantity': p.cell(used, 0), 'unit': 'kWh', 'price': p.cell(0.25), '_per': 'öre', 'amount': p.cell(cert)})
    p.listing('/lines', [('text', 'Specifikation', 45, False), ('quantity', 'Antal', 260, True), ('unit', 'Enhet', 270, False), ('price', 'Pris', 400, True), ('_per', '', 405, False), ('amount', 'Belopp kr', end, True)], rows, kinds_of(price='amount', amount='amount', unit='unit'), look='rule', step=1.7)
    net = round(sum(row['amount'][1] for row in rows), 2)
    vat = round(net * 0.25, 2)
    total = float(round(net + vat))
    p.sums(300, end, [('Summa exkl. moms', net, '/net_amount'), ('Moms 25 %', vat, '/vat_amount'), ('Öresavrundning', round(total - net - vat, 2), None)])
    p.strong(300, end, r.choice(('Att betala', 'Summa att betala')), total, '/amount_due', 'currency', 1.15)
    org, ocr, giro = org_nr(p), luhn(p.code('##########')), luhn(p.code('5######'))
    y = p.height - 150
    p.put(45, y - 14, 'Org.nr ' + org + '   Dröjsmålsränta enligt räntelagen. Kundservice 0771-%s' % p.code('## ## ##'), size=p.size * 0.85)
    p.rule(0, p.width, y)
    p.heading(45, y + 20, 'INBETALNING/GIRERING AVI', 1.1)
    wide = (end - 45) / 4
    giro = '%s-%s' % (giro[:4], giro[4:])
    for i, (label, text, at, value, kind) in enumerate((('Till bankgiro', giro, '/bankgiro', None, 'id'), ('OCR', ocr, '/ocr_number', None, 'id'), ('Förfallodag', p.day(due), '/due_date', due.isoformat(), 'date'), ('Belopp kronor', p.number(total), '/amount_due', total, 'amount'))):
        left, base = p.box_of(45 + i * wide, y + 34, wide, 30, label)
        p.show(left, base + 3, text, at, value, kind, more=at in p.truth)
        p.labelled.append(at)
    p.put(45, y + 84, 'Betalningsmottagare', size=6.5)
    p.again(45, y + 96, firm, '/supplier')
    p.put(300, y + 84, 'Avsändare', size=6.5)
    p.again(300, y + 96, name, '/customer/name')
    p.again(45, y + 130, ocr, '/ocr_number', before='#  ', after=' #   %d 00   %s>   %s#41#' % (total, p.code('#'), giro.replace('-', '')))
    p.integers.update({'/meter/previous', '/meter/current', '/meter/consumption_kwh'})
    p.titles.update({'/facility_id': 'Facility (anläggning)', '/lines/*/price': 'Price per unit as printed'})
    return p.done_with('supplier customer customer_number facility_id invoice_number invoice_date due_date period_start period_end meter lines net_amount vat_amount amount_due currency bankgiro ocr_number')


def ksef(seed):
    """A structured invoice as the tax office shows it: seller and buyer under headings, rows with long heads, tax by rate in a second table."""
    p = Arrival(seed, 'ksef', 'PL', style='classes', ordinary=True, fonts=COMPACT, labels=('colon',), money=('1 234,56', '1\u00a0234,56', '1234.56'), dates=('%d.%m.%Y', '%Y-%m-%d'), currency=('PLN',)).start()
    r, end = p.r, p.width - 40
    day, mine, theirs = p.some_day(), nip(p), nip(p)
    number = p.code(r.choice(('FV/####/25', 'FS ###/##/2025', 'F/2025/#####')))
    ksef_number = '%s-%s-%s-%s' % (mine, day.strftime('%Y%m%d'), p.code('@#@#@#@#@#@#').replace('G', 'A').replace('H', 'B').replace('K', 'C'), p.code('##'))
    p.heading(40, p.y + 8, 'Krajowy System e-Faktur', 1.7, colour=(0.35, 0.05, 0.1))
    p.put(end, p.y, 'Numer faktury:', right=True)
    with p.look(True):
        p.show(end, p.y + p.size * 1.6, number, '/numer', kind='id', right=True, size=p.size * 1.3)
    p.put(end, p.y + p.size * 3, 'Faktura podstawowa', right=True)
    p.show(end, p.y + p.size * 4.4, ksef_number, '/numer_ksef', kind='id', before='Numer KSeF: ', right=True, size=p.size * 0.9)
    p.labelled += ['/numer', '/numer_ksef']
    p.y += p.size * 8
    p.rule(40, end, p.y - p.size)
    p.y += p.size
    top = p.y
    for x, head, key, tax in ((40, 'Sprzedawca', '/sprzedawca', mine), (310, 'Nabywca', '/nabywca', theirs)):
        firm, here = p.firms[key == '/nabywca'], p.place()
        p.heading(x, top, head, 1.2)
        p.put(x, top + p.size * 1.8, 'Dane identyfikacyjne')
        p.show(x, top + p.size * 3.2, tax, key + '/nip', kind='id', before='NIP: ')
        p.show(x, top + p.size * 4.5, firm, key + '/nazwa', kind='name', before='Nazwa: ')
        p.put(x, top + p.size * 6.2, 'Adres')
        p.block(x, top + p.size * 7.5, here + ['Polska'], key + '/adres')
        p.labelled += [key + '/nip', key + '/nazwa']
    p.y = top + p.size * 13
    p.rule(40, end, p.y - p.size)
    p.y += p.size
    p.heading(40, p.y, 'Szczegóły', 1.2)
    p.y += p.size * 2
    supplied = later(day, -r.randint(0, 12))
    p.field(40, p.y, 'Data wystawienia, z zastrzeżeniem art. 106na ust. 1 ustawy', p.day(day), '/data_wystawienia', day.isoformat(), 'date', gap=0)
    p.y += p.size * 1.4
    p.field(40, p.y, 'Data dokonania lub zakończenia dostawy towarów lub wykonania usługi', p.day(supplied), '/data_dostawy', supplied.isoformat(), 'date', gap=0)
    p.field(400, p.y - p.size * 1.4, 'Kod waluty', 'PLN', '/waluta', kind='currency', gap=0)
    p.y += p.size * 3
    p.heading(40, p.y, 'Pozycje', 1.2)
    p.put(100, p.y, 'Faktura wystawiona w cenach netto w walucie PLN')
    p.y += p.size * 2.6
    rows, rates = [], r.choice(([23], [23, 8], [23, 5]))
    for i, name in enumerate(r.sample('Usługa transportowa Poznań-Łódź;Projekt graficzny etykiety;Montaż grzejnika;Rura PEX 16 mm;Książka, oprawa miękka;Szkolenie BHP;Wynajem dźwigu;Zawór kulowy 1/2"'.split(';'), r.randint(1, 6))):
        n, price, rate = r.choice((1, r.randint(2, 40))), cents(r, 9, 1300), r.choice(rates)
        rows.append({'lp': (str(i + 1), i + 1), 'nazwa': name, 'cena_netto': p.cell(price), 'ilosc': p.cell(n, 0), 'miara': r.choice(('szt.', 'usł.', 'godz.')), 'stawka': ('%d%%' % rate, rate), 'wartosc_netto': p.cell(round(n * price, 2))})
    p.listing('/pozycje', [('lp', 'Lp.', 40, False), ('nazwa', 'Nazwa towaru lub usługi', 62, False), ('cena_netto', 'Cena jedn.\nnetto', 290, True), ('ilosc', 'Ilość', 330, True), ('miara', 'Miara', 342, False), ('stawka', 'Stawka\npodatku', 425, True), ('wartosc_netto', 'Wartość sprzedaży\nnetto', end, True)], rows,
              kinds_of(cena_netto='amount', wartosc_netto='amount', stawka='rate', miara='unit'), look='grey', step=1.7, ruled=True, edge=(40, end))
    taxes = [(rate, round(sum(row['wartosc_netto'][1] for row in rows if row['stawka'][1] == rate), 2)) for rate in rates]
    taxes = [(rate, net, round(net * rate / 100, 2)) for rate, net in taxes if net]
    total = round(sum(net + vat for _, net, vat in taxes), 2)
    with p.look(True):
        p.show(end, p.y, p.number(total), '/kwota_ogolem', total, 'amount', before='Kwota należności ogółem: ', after=' PLN', right=True, size=p.size * 1.2)
    p.labelled.append('/kwota_ogolem')
    p.y += p.size * 3.4
    p.heading(40, p.y, 'Podsumowanie stawek podatku', 1.2)
    p.y += p.size * 2.6
    p.listing('/podsumowanie', [('stawka', 'Stawka podatku', 120, True), ('netto', 'Kwota netto', 230, True), ('vat', 'Kwota podatku', 340, True), ('brutto', 'Kwota brutto', 450, True)],
              [{'stawka': ('%d%%' % rate, rate), 'netto': p.cell(net), 'vat': p.cell(vat), 'brutto': p.cell(round(net + vat, 2))} for rate, net, vat in taxes], kinds_of(stawka='rate', netto='amount', vat='amount', brutto='amount'), look='grey', step=1.7, ruled=True, edge=(40, 450))
    p.y += p.size
    p.heading(40, p.y, 'Płatność', 1.2)
    p.y += p.size * 1.8
    account = iban_of('PL', '1140' + p.code('#' * 20))[2:]
    p.field(40, p.y, 'Forma płatności', r.choice(('Przelew', 'Gotówka', 'Karta')), '/forma_platnosci', kind='text', gap=0)
    if p.maybe('/termin_platnosci', r.random() < 0.7, 'date'):
        p.field(220, p.y, 'Termin płatności', p.day(later(day, 14)), '/termin_platnosci', later(day, 14).isoformat(), 'date', gap=0)
    p.y += p.size * 1.5
    text = account[:2] + ' ' + ' '.join(account[i:i + 4] for i in range(2, 26, 4))
    p.field(40, p.y, 'Pełny numer rachunku', text, '/numer_rachunku', kind='id', gap=0)
    p.says.update({'/numer_ksef': 'Numer nadany przez KSeF', '/kwota_ogolem': 'Kwota brutto', '/numer_rachunku': 'jak wydrukowano'})
    p.integers.add('/pozycje/*/lp')
    p.enums['/forma_platnosci'] = ['Przelew', 'Gotówka', 'Karta']
    return p.done_with('numer numer_ksef sprzedawca nabywca data_wystawienia data_dostawy waluta pozycje podsumowanie kwota_ogolem forma_platnosci termin_platnosci numer_rachunku')


def faktura(seed):
    """A Czech invoice: two framed halves, supplier with account and symbols, customer with both numbers; dates in a row, tax by rate."""
    p = Arrival(seed, 'faktura', 'CZ', ordinary=True, fonts=COMPACT + ('DejaVuSansCondensed',), labels=('colon', 'gap'), money=('1 234,56', '1\u00a0234,56', '1.234,56'), dates=('%d.%m.%Y', '%-d. %-m. %Y', '%-d.%-m.%Y'), currency=('CZK',)).start()
    r, end, seller, buyer = p.r, p.width - 40, p.firms[0], p.firms[1]
    middle = (40 + end) / 2
    day, number = p.some_day(), p.code(r.choice(('25010####', '2025####', 'FV25#####')))
    symbol = re.sub(r'\D', '', number)
    due, taxed = later(day, 14), later(day, -r.randint(0, 6))
    p.heading(40, p.y + 4, 'FAKTURA - DAŇOVÝ DOKLAD', 1.3)
    p.show(end, p.y + 4, number, '/invoice_number', kind='id', before='č. ', right=True, size=p.size * 1.3)
    p.y += 20
    top, high = p.y, 158
    p.frame(40, top, middle - 40, high)
    p.frame(middle, top, end - middle, high)
    for x, head, key, firm in ((48, 'Dodavatel:', '/supplier', seller), (middle + 8, 'Odběratel:', '/customer', buyer)):
        p.put(x, top + 14, head, size=p.size * 0.9)
        y = p.party(x, top + 14 + p.size * 1.7, firm, p.place(), key, bold=True) + p.size * 0.8
        code = p.code('2#######')
        p.show(x, y, code, key + '/ico', kind='id', before='IČ: ')
        p.labelled.append(key + '/ico')
        if key == '/supplier' or p.maybe('/customer/dic', r.random() < 0.7, 'id'):
            p.show(x + 110, y, 'CZ' + code, key + '/dic', kind='id', before='DIČ: ')
            p.labelled.append(key + '/dic')
        if key == '/supplier':
            y += p.size * 2
            p.put(x, y, 'Peněžní ústav: ' + r.choice(('Česká spořitelna', 'Fio banka', 'ČSOB')))
            account = '%s/%s' % (p.code('##########'), r.choice(('0800', '2010', '0300')))
            p.show(x, y + p.size * 1.4, account, '/bank_account', kind='id', before='Číslo účtu: ')
            p.show(x, y + p.size * 2.8, symbol, '/variable_symbol', kind='id', before='Variabilní symbol: ')
            p.put(x, y + p.size * 4.2, 'Konstantní symbol: 0308')
            p.labelled += ['/bank_account', '/variable_symbol']
    y = top + high - p.size * 5
    p.label_how = r.choice(('colon', 'gap'))
    for line in (iso(p, '/issue_date', day, 'Datum vystavení'), iso(p, '/tax_date', taxed, 'Datum zdanitelného plnění'), iso(p, '/due_date', due, 'Datum splatnosti')):
        p.field(middle + 8, y, *line, gap=130)
        y += p.size * 1.5
    p.y = top + high + 22
    p.put(40, p.y, 'Fakturujeme Vám dodávku zboží a služeb:')
    p.y += p.size * 2.6
    rows, rates = [], r.choice(([21], [21, 12]))
    for name in r.sample('Cihla broušená 30;Práce jeřábu;Dopravné;Zednické práce;Kování brány;Účetní služby za měsíc;Kniha jízd;Písek praný'.split(';'), r.randint(1, 7)):
        n, price, rate = r.choice((1, r.randint(2, 90), 2.5)), r.choice((cents(r, 12, 900), float(r.randint(400, 9000)))), r.choice(rates)
        net = round(n * price, 2)
        vat = round(net * rate / 100, 2)
        rows.append({'description': name, 'quantity': p.cell(n, 0 if n == int(n) else 1), 'unit': r.choice(('ks', 'hod', 'm²')), 'unit_price': p.cell(price), 'vat_rate': ('%d %%' % rate, rate), 'net': p.cell(net), 'vat': p.cell(vat), 'total': p.cell(round(net + vat, 2))})
    p.size = min(p.size, 8)
    p.listing('/items', [('description', 'Označení dodávky', 40, False), ('quantity', 'Množství', 200, True), ('unit', 'MJ', 206, False), ('unit_price', 'Cena\nza MJ', 285, True), ('vat_rate', 'Sazba\nDPH', 325, True), ('net', 'Cena bez\nDPH', 400, True), ('vat', 'DPH', 465, True), ('total', 'Kč celkem', end, True)], rows,
              kinds_of(unit_price='amount', net='amount', vat='amount', total='amount', vat_rate='rate', unit='unit'), look=r.choice(('lines', 'grey')), step=1.7, edge=(40, end))
    nets = [(rate, round(sum(row['net'][1] for row in rows if row['vat_rate'][1] == rate), 2), round(sum(row['vat'][1] for row in rows if row['vat_rate'][1] == rate), 2)) for rate in rates]
    nets = [one for one in nets if one[1]]
    total = round(sum(net + vat for _, net, vat in nets), 2)
    round_to = float(round(total))
    top = p.y
    p.put(40, p.y, 'Rekapitulace DPH v Kč')
    p.y += p.size * 2
    p.listing('/vat_summary', [('rate', 'Sazba', 75, True), ('base', 'Základ', 150, True), ('vat', 'DPH', 220, True), ('total', 'Celkem', 295, True)], [{'rate': ('%d %%' % rate, rate), 'base': p.cell(net), 'vat': p.cell(vat), 'total': p.cell(round(net + vat, 2))} for rate, net, vat in nets],
              kinds_of(rate='rate', base='amount', vat='amount', total='amount'), look='rule', step=1.6, edge=(40, 295))
    low, p.y = p.y, top
    p.sums(330, end, [('Součet položek', total, None)])
    if p.maybe('/rounding', round(round_to - total, 2), 'amount'):
        p.sums(330, end, [('Zaokrouhlení', round(round_to - total, 2), '/rounding')])
    p.fill(326, p.y - p.size * 1.2, end - 322, p.size * 2.2, PALE)
    p.strong(330, end, r.choice(('CELKEM K ÚHRADĚ', 'K úhradě celkem')), round_to, '/total_due', 'currency', 1.2)
    p.y = max(low, p.y) + 20
    p.put(40, p.y, 'Vystavil: ' + p.people[0])
    p.distract('name', p.people[0])
    p.put(40, p.height - 45, 'Zapsáno v obchodním rejstříku vedeném Krajským soudem v Brně, oddíl C, vložka ' + p.code('#####'), size=p.size * 0.85)
    p.says.update({'/tax_date': 'DUZP', '/supplier/ico': 'company number', '/supplier/dic': 'VAT number'})
    return p.done_with('invoice_number supplier customer issue_date tax_date due_date bank_account variable_symbol items vat_summary rounding total_due currency')


def earsiv(seed):
    """A Turkish e-archive invoice: the box of facts at the right, a table with all lines ruled, sums in a ruled box, the total in words."""
    p = Arrival(seed, 'earsiv', 'TR', style='strict', ordinary=True, fonts=COMPACT, labels=('colon',), money=('1.234,56',), dates=('%d-%m-%Y', '%d.%m.%Y', '%d/%m/%Y'), currency=('TRY',)).start()
    r, end, seller = p.r, p.width - 38, p.firms[0]
    p.size = 8
    day, number = p.some_day(), p.code('@@@2025000######')
    p.rule(38, 260, p.y - 4)
    with p.look(True):
        p.show(38, p.y + 8, seller, '/seller/title', kind='name')
    low = p.block(38, p.y + 8 + p.size * 1.4, p.place(), '/seller/address')
    low = p.lines_at(38, low, ['Tel: ' + p.code('0224 ### ## ##'), 'E-Posta: muhasebe@example.com.tr', ('Vergi Dairesi:', r.choice(('Nilüfer', 'Şişli', 'Muratpaşa')), '/seller/tax_office', None, 'text'), ('VKN:', turkish_tax(p), '/seller/tax_number', None, 'id')])
    p.labelled += ['/seller/tax_office', '/seller/tax_number']
    p.rule(38, 260, low)
    p.heading(p.middle('e-Arşiv Fatura', 1.4, 330), p.y + 60, 'e-Arşiv Fatura', 1.4)
    p.y = low + 18
    p.rule(38, 260, p.y - 12)
    p.put(38, p.y, 'SAYIN')
    person = seed % 2
    buyer = p.people[0] if person else p.firms[1]
    y = p.party(38, p.y + p.size * 1.4, buyer, p.place(), '/buyer', name_key='title')
    p.show(38, y, p.code('1#########4') if person else turkish_tax(p), '/buyer/tax_number', kind='id', before='TCKN: ' if person else 'VKN: ')
    p.labelled.append('/buyer/tax_number')
    p.rule(38, 260, y + 10)
    ettn = '%s-%s-4%s-a%s-%s' % tuple(''.join(r.choice('0123456789abcdef') for _ in range(n)) for n in (8, 4, 3, 3, 12))
    right, row_y = 390, p.y
    facts = [('Özelleştirme No:', 'TR1.2', None, None, 'code'), ('Senaryo:', 'EARSIVFATURA', '/scenario', None, 'code'), ('Fatura Tipi:', r.choice(('SATIS', 'IADE')), '/invoice_type', None, 'code'), ('Fatura No:', number, '/invoice_number', None, 'id'), ('Fatura Tarihi:', *iso(p, '/invoice_date', day, '')[1:])]
    if p.maybe('/order_number', r.random() < 0.5, 'id'):
        facts.append(('Sipariş No:', p.code('SIP#######'), '/order_number', None, 'id'))
    for label, text, at, value, kind in facts:
        p.frame(right, row_y - p.size * 1.15, 75, p.size * 1.65)
        p.frame(right + 75, row_y - p.size * 1.15, end - right - 75, p.size * 1.65)
        p.heading(right + 3, row_y, label)
        if at:
            p.show(right + 78, row_y, text, at, value, kind)
            p.labelled.append(at)
        else:
            p.put(right + 78, row_y, text)
        row_y += p.size * 1.65
    p.y = max(y, row_y) + 26
    p.show(38, p.y, ettn, '/ettn', kind='id', before='ETTN: ')
    p.labelled.append('/ettn')
    p.y += p.size * 3
    rows, rate = [], r.choice((20, 20, 10, 1))
    money = lambda v: (p.number(v) + ' TL', v)
    for i, name in enumerate(r.sample('Fren balatası ön;Pamuk kumaş ham;Sulama borusu 16 mm;Yağ filtresi;İplik 30/1;Gübre 25 kg;Nakliye bedeli;Triger kayışı'.split(';'), r.randint(1, 7))):
        n, price, off = r.choice((1, r.randint(2, 120))), cents(r, 15, 2400), r.choice((0, 0, 5))
        gross = round(n * price, 2)
        less = round(gross * off / 100, 2)
        net = round(gross - less, 2)
        rows.append({'_no': str(i + 1), 'description': name, 'quantity': p.cell(n, 0), 'unit': r.choice(('Adet', 'Mt', 'Kg')), 'unit_price': p.cell(price), 'discount': p.cell(less) if less else (None, None), 'vat_rate': ('%%%d' % rate, rate), 'vat_amount': p.cell(round(net * rate / 100, 2)), 'amount': p.cell(net)})
    p.types['/lines/*/discount'] = 'number'
    p.listing('/lines', [('_no', 'Sıra\nNo', 42, False), ('description', 'Mal Hizmet', 66, False), ('quantity', 'Miktar', 218, True), ('unit', '', 221, False), ('unit_price', 'Birim\nFiyat', 292, True), ('discount', 'İskonto\nTutarı', 340, True), ('vat_rate', 'KDV\nOranı', 382, True), ('vat_amount', 'KDV\nTutarı', 450, True), ('amount', 'Mal Hizmet\nTutarı', end - 4, True)], rows,
              kinds_of(unit_price='amount', discount='amount', vat_amount='amount', amount='amount', vat_rate='rate', unit='unit'), look='lines', step=1.8, ruled=True, edge=(38, end), uprights=(38, 62, 180, 244, 296, 344, 386, 454, end))
    net, vat = round(sum(row['amount'][1] for row in rows), 2), round(sum(row['vat_amount'][1] for row in rows), 2)
    less = round(sum(row['discount'][1] or 0 for row in rows), 2)
    for label, value, at in (('Mal Hizmet Toplam Tutarı', round(net + less, 2), '/goods_total'), ('Toplam İskonto', less, '/discount_total'), ('Hesaplanan KDV(%%%d)' % rate, vat, '/vat_total'), ('Vergiler Dahil Toplam Tutar', round(net + vat, 2), None), ('Ödenecek Tutar', round(net + vat, 2), '/payable')):
        p.frame(end - 210, p.y - p.size * 1.2, 130, p.size * 1.7)
        p.frame(end - 80, p.y - p.size * 1.2, 80, p.size * 1.7)
        p.heading(end - 84, p.y, label, right=True)
        p.money(end - 4, p.y, value, at, 'currency' if at == '/payable' else True)
        if at:
            p.labelled.append(at)
        p.y += p.size * 1.7
    p.y += 16
    iban = iban_of('TR', '000' + p.code('##') + '0' + p.code('#' * 16))
    p.frame(38, p.y - 12, end - 38, p.size * 4.4)
    p.put(43, p.y, 'Not: Bu fatura elektronik olarak düzenlenmiştir.')
    p.show(43, p.y + p.size * 1.6, p.grouped(iban), '/iban', iban, 'id', before='IBAN: ')
    p.labelled.append('/iban')
    p.enums['/invoice_type'] = ['SATIS', 'IADE']
    p.says.update({'/ettn': 'UUID of the invoice', '/lines/*/discount': 'null if there is none'})
    return p.done_with('scenario invoice_type invoice_number invoice_date order_number ettn seller buyer lines goods_total discount_total vat_total payable currency iban')


KINDS = {'cloudbill': cloudbill, 'odoo': odoo, 'purchase': purchase, 'shoporder': shoporder, 'eticket': eticket, 'folio': folio, 'eob': eob, 'current': current, 'countytax': countytax, 'telekom': telekom, 'sapbill': sapbill, 'freelance': freelance,
         'sparkasse': sparkasse, 'goae': goae, 'qrbill': qrbill, 'bulletin': bulletin, 'bolletta': bolletta, 'carta': carta, 'poliza': poliza, 'vencimento': vencimento, 'cmr': cmr, 'bevestiging': bevestiging, 'elrakning': elrakning, 'ksef': ksef,
         'faktura': faktura, 'earsiv': earsiv}
NOT_SCANNED = ()
