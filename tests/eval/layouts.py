"""Papers on which a value that is printed may be another value's (planted.py), drawn as papers.py draws.

Each brings its schema, and what a reader may take for something else: values that change places under another label
(exchange), text that nobody can see (hidden) with the values that it claims (lies), and the pointers of right values that the page leaves open
(undecided).
"""
import datetime
import json
import os
import unicodedata

import papers
from papers import Paper, iban_of

TEXT, NUMBER = {'type': ['string', 'null']}, {'type': ['number', 'null']}
DATE = {'type': ['string', 'null'], 'format': 'date', 'description': 'as YYYY-MM-DD'}


def of(kind, description):
    return dict(kind, description=description)


def record(**properties):
    return {'type': 'object', 'properties': properties, 'required': list(properties), 'additionalProperties': False}


def rows(**properties):
    return {'type': 'array', 'maxItems': 500, 'items': record(**properties)}


SAY = {
    'en': dict(order='Order date', invoice='Invoice date', due='Due date', delivery='Delivery date', ours='Our reference', yours='Your reference',
               customer='Customer no.', number='Invoice no.', buyer='Bill to', seller='Seller', former='Former account (closed)', pay='Please pay to',
               net='Net amount', vat='VAT', total='Total', title='Invoice', credit='Credit note', unit='Unit price', meter='Meter no.',
               previous='Previous reading', reading='Current reading', used='Consumption', price='Price per kWh', out='Paid out', into='Paid in'),
    'de': dict(order='Bestelldatum', invoice='Rechnungsdatum', due='Fällig am', delivery='Lieferdatum', ours='Unser Zeichen', yours='Ihr Zeichen',
               customer='Kunden-Nr.', number='Rechnungs-Nr.', buyer='Rechnung an', seller='Verkäufer', former='Frühere Bankverbindung (erloschen)',
               pay='Bitte zahlen Sie auf', net='Nettobetrag', vat='MwSt.', total='Gesamtbetrag', title='Rechnung', credit='Gutschrift', unit='Einzelpreis',
               meter='Zähler-Nr.', previous='Alter Stand', reading='Neuer Stand', used='Verbrauch', price='Preis je kWh', out='Soll', into='Haben'),
    'fr': dict(order='Date de commande', invoice='Date de facture', due='Échéance', delivery='Date de livraison', ours='Notre référence',
               yours='Votre référence', customer='N° client', number='Facture n°', buyer='Facturé à', seller='Vendeur', former='Ancien compte (clôturé)',
               pay='À régler sur', net='Montant HT', vat='TVA', total='Total TTC', title='Facture', credit='Avoir', unit='Prix unitaire', meter='Compteur n°',
               previous='Ancien relevé', reading='Nouveau relevé', used='Consommation', price='Prix du kWh', out='Débit', into='Crédit'),
}
LONG = {
    'en': ('Kestrel Tools & Fittings Ltd', 'Ashdown Timber and Building Supplies Limited', 'Harrow Lane Consulting Group plc', 'Pembroke Marine Paints Ltd',
           'Thornbury Brothers Haulage LLP'),
    'de': ('Kestrel Werkzeuge GmbH & Co. KG', 'Müller Maschinenbau Süd GmbH', 'Bürobedarf Grünwald & Söhne OHG', 'Gebrüder Weiß Spedition AG',
           'Stadtwerke Bad Kösen GmbH'),
    'fr': ('Établissements Lefèvre et Fils SARL', 'Société Générale de Câblage SA', 'Boulangerie Noël & Cie', 'Compagnie des Eaux de Nîmes',
           'Ateliers Mécaniques du Rhône SAS'),
}
COUNTRY = {'en': ('United Kingdom', 'GB', 'GBP'), 'de': ('Deutschland', 'DE', 'EUR'), 'fr': ('France', 'FR', 'EUR')}
SHOP = {
    'en': 'Balance bike,Report cover,Bar stool,Card holder,New balance 574,Total care cream,Change mat,Cash box,Tax guide 2024,Sum of parts puzzle,'
          'Subtotal stamp,Date palm,Visa wallet,Due date planner,Page marker,Oak table,Lamp shade,Widget long,Desk lamp,Coffee',
    'de': 'Summenstempel,Saldo Heft,Barhocker,Kartenhalter,Wechselmatte,Total Pflegecreme,Steuerratgeber,Geldkassette,Übertrag Block,Datumstempel,'
          'Gesamt Kalender,Betragsblock,Regal Eiche,Tischlampe,Kaffee,Tee,Notizbuch',
    'fr': 'Total soin crème,Carte cadeau,Espèces rares livre,Report album,Solde bien roman,Monnaie boîte,Date dattier,Table chêne,Lampe,Café,Thé,Carnet,'
          'Sous-total tampon,Tabouret de bar',
}
MINUS = '\u2212'


class Layout(Paper):
    def __init__(self, seed, kind, schema, language=None):
        super().__init__(seed, kind, language)
        self.schema, self.exchange, self.hidden, self.lies, self.undecided = schema, [], [], [], set()
        self.ordinary = kind in ('bill', 'meter')
        self.size = min(self.size, 9)
        self.label_how = self.r.choice(('beside', 'colon', 'gap', 'above'))
        self.them = SAY[self.language]

    def firm(self):
        return self.r.choice(LONG[self.language])

    def two_firms(self):
        return self.r.sample(LONG[self.language], 2)

    def iban(self):
        country = COUNTRY[self.language][1]
        digits = lambda n: '%0*d' % (n, self.r.randrange(10 ** n))
        return iban_of(country, {'GB': 'NWBK' + digits(14), 'DE': digits(18), 'FR': digits(23)}[country])

    def grouped(self, iban):
        return ' '.join(iban[i:i + 4] for i in range(0, len(iban), 4))

    def lines(self, x, right, rows, step=1.6):
        """Labels at the left and figures at the right: (label, text, of)."""
        for label, text, of_text in rows:
            self.y += self.size * step
            self.put(x, self.y, label)
            self.put(right, self.y, text, of_text, right=True)
            self.labelled += [entry if isinstance(entry, str) else entry[0] for entry in of_text]

    def hide(self, x, y, text, how):
        """Text of which nothing is seen."""
        page, size, wide = self.page, self.size, self.wide(text)
        at = x, self.height - y
        around = b'%g %g %g %g re' % (at[0] - 2, at[1] - size * 0.4, wide + 4, size * 1.5)
        tiny = 0.5 if how == 'tiny' else size
        if how == 'clipped':
            page.ops.append(b'q %g %g 1 1 re W n' % (at[0], at[1] - 30))
        page.text(*at, tiny, text, self.font, grey=1 if how == 'white' else 0, mode=3 if how == 'mode 3' else 0)
        if how == 'clipped':
            page.ops.append(b'Q')
        if how in ('box', 'redacted'):
            page.ops.append(b'%d g %s f' % (how == 'box', around))
        if how == 'picture':
            page.image(papers.Image.new('L', (max(8, round(wide)), 16), self.r.choice((255, 200, 120))), at[0] - 2, at[1] - size * 0.4, wide + 4, size * 1.5)
        self.hidden.append({'page': self.n_page, 'text': text, 'boxes': self.box(x, y, text, 0, len(text), tiny)})

    def on_side(self, degrees):
        """The page is displayed a quarter turn further than it was drawn."""
        for page in self.pdf.pages:
            page.rotate = (page.rotate + degrees) % 360
        turn = (lambda b: [1 - b[1] - b[3], b[0], b[3], b[2]]) if degrees == 90 else (lambda b: [b[1], 1 - b[0] - b[2], b[3], b[2]])
        for place in self.hidden + [place for places in self.truth.values() for place in places]:
            place['boxes'] = [turn(box) for box in place['boxes']]


WAYS_TO_HIDE = 'white', 'mode 3', 'box', 'picture', 'clipped', 'tiny', 'redacted'


def bill(seed, hide=None, kind='bill'):
    """Two of everything: dates, references, parties, accounts."""
    p = Layout(seed, kind, None)
    r, say = p.r, p.them
    if p.language == 'en':
        p.date_how = r.choice(('%d/%m/%Y', '%d/%m/%Y', '%B %d, %Y', '%d %b %Y'))
        p.currency = 'GBP'
    seller, buyer = p.two_firms()
    country = COUNTRY[p.language][0]
    p.open_page()
    p.put(50, p.y + 12, seller, ['/seller/name'], size=p.size * r.choice((1, 1.4)))
    p.y += 14
    for line in p.address() + [country]:
        p.y += p.size * 1.3
        p.put(50, p.y, line)
    p.y += 30
    top = p.y
    p.put(50, p.y, say['buyer'])
    p.y += p.size * 1.5
    p.put(50, p.y, buyer, ['/buyer/name'])
    p.labelled.append('/buyer/name')
    for line in p.address():
        p.y += p.size * 1.3
        p.put(50, p.y, line)
    ordered = datetime.date(2024, r.randint(1, 10), r.randint(1, 28))
    invoiced = ordered + datetime.timedelta(days=r.randint(3, 20))
    due = invoiced + datetime.timedelta(days=r.choice((14, 30)))
    values = {'number': r.choice(('INV-%05d', 'RE-2024-%04d', '2024/%05d', 'R%07d')) % r.randint(1, 9999),
              'ours': r.choice(('KM/%04d', 'OR-%05d', '%d-B')) % r.randint(100, 9999), 'yours': r.choice(('PO %05d', 'AZ 12/%04d', 'B%06d')) % r.randint(100, 9999),
              'customer': '%06d' % r.randrange(10 ** 6), 'order': ordered.isoformat(), 'invoice': invoiced.isoformat(), 'due': due.isoformat()}
    keys = {'number': 'invoice_number', 'ours': 'our_reference', 'yours': 'your_reference', 'customer': 'customer_number', 'order': 'order_date',
            'invoice': 'invoice_date', 'due': 'due_date'}
    lines = ['number', 'ours', 'yours', 'customer', 'order', 'invoice', 'due']
    if r.random() < 0.5:
        lines = lines[:1] + r.sample(lines[1:], len(lines) - 1)
    y, step = top, p.size * (2.7 if p.label_how == 'above' else 1.5)
    for name in lines:
        text = p.day(values[name]) if name in ('order', 'invoice', 'due') else values[name]
        p.label(p.width - 250, y, say[name], text, '/' + keys[name], gap=110)
        y += step
    days = [datetime.date.fromisoformat(values[name]) for name in ('order', 'invoice', 'due')]
    p.y = max(p.y, y) + 20
    net = r.randint(5000, 900000) / 100
    vat = round(net * r.choice((7, 19, 20)) / 100, 2)
    end = p.width - 50
    money = lambda v, at: (p.with_currency(v), [(at, p.with_currency(v) if p.with_currency(v)[0] in '€£$' else p.number(v))])
    p.lines(end - 220, end, [(say[name], *money(v, at)) for name, v, at in
                             (('net', net, '/net'), ('vat', vat, '/vat'), ('total', round(net + vat, 2), '/total'))])
    iban, old = p.iban(), p.iban()
    p.y += 40
    shown = hide is None or r.random() < 0.5
    accounts = [(say['pay'] + ' IBAN: ', iban, ['/iban'])] if shown else []
    if hide is None and r.random() < 0.7:
        accounts.insert(r.randint(0, 1), (say['former'] + ' IBAN: ', old, []))
        p.exchange.append(('/iban', old))
    for label, number, at in accounts:
        p.put(50, p.y, label + p.grouped(number), [(pointer, p.grouped(number)) for pointer in at])
        p.labelled += at
        p.y += p.size * 1.8
    p.value = {keys[name]: values[name] for name in lines}
    p.value.update(seller={'name': seller}, buyer={'name': buyer}, net=net, vat=vat, total=round(net + vat, 2), iban=iban if shown else None)
    if hide:
        what = '/iban' if not shown else r.choice(('/iban', '/total', '/invoice_date'))
        wrong = {'/iban': p.iban(), '/total': round(net * 1.7, 2), '/invoice_date': (invoiced + datetime.timedelta(days=400)).isoformat()}[what]
        text = {'/iban': 'IBAN: ' + p.grouped(wrong) if what == '/iban' else '', '/total': '%s %s' % (say['total'], p.with_currency(wrong) if what == '/total' else ''),
                '/invoice_date': '%s %s' % (say['invoice'], p.day(wrong) if what == '/invoice_date' else '')}[what]
        p.hide(60, p.y + 40, text, hide)
        p.lies.append((what, wrong))
    p.exchange += [('/our_reference', '/your_reference'), ('/order_date', '/invoice_date'), ('/invoice_date', '/due_date'), ('/seller/name', '/buyer/name'),
                   ('/customer_number', '/invoice_number')]
    fields = {'invoice_number': of(TEXT, 'Number of the invoice, as printed'), 'our_reference': of(TEXT, 'Reference of the seller'),
              'your_reference': of(TEXT, 'Reference of the buyer'), 'customer_number': of(TEXT, 'Number of the customer'),
              'order_date': of(DATE, 'Day of the order, as YYYY-MM-DD'), 'invoice_date': of(DATE, 'Day of the invoice, as YYYY-MM-DD'),
              'due_date': of(DATE, 'Day by which to pay, as YYYY-MM-DD'), 'seller': record(name=of(TEXT, 'Who sends the invoice')),
              'buyer': record(name=of(TEXT, 'Who is to pay')), 'net': of(NUMBER, 'Sum before tax'), 'vat': of(NUMBER, 'Tax in all'),
              'total': of(NUMBER, 'Amount to pay'), 'iban': of(TEXT, 'Account to pay to, without spaces')}
    for pair in list(p.exchange):              # the other one may be print that nobody asks for
        if pair[0] in ('/our_reference', '/order_date', '/customer_number') and r.random() < 0.5:
            p.exchange = [(pair[1], p.value[pair[0][1:]]) if it == pair else it for it in p.exchange if it == pair or pair[0] not in it]
            fields.pop(pair[0][1:])
            p.value.pop(pair[0][1:])
            p.truth.pop(pair[0])
            p.labelled.remove(pair[0])
    if p.date_how == '%d/%m/%Y' and not any(day.day > 12 for day in days) and p.language != 'fr' and p.currency != 'GBP':
        p.undecided = {'/' + keys[name] for name in ('order', 'invoice', 'due')}
    p.value = {key: p.value[key] for key in fields}
    p.schema = record(**fields)
    return p


def hidden(seed):
    return bill(seed, hide=WAYS_TO_HIDE[seed % len(WAYS_TO_HIDE)], kind='hidden')


def signed(p, value, how):
    """A figure with its sign; `how` that of columns says nothing."""
    text = p.number(abs(value))
    less = {'minus': '-' + text, 'trailing': text + '-', 'brackets': '(%s)' % text, 'U+2212': MINUS + text, 'CR/DR': text + ' DR', 'S/H': text + ' S',
            'columns': text}[how]
    return less if value < 0 else text + {'CR/DR': ' CR', 'S/H': ' H'}.get(how, '')


WAYS_TO_SIGN = 'minus', 'trailing', 'brackets', 'U+2212', 'CR/DR', 'S/H', 'columns'


def bank(seed):
    """A statement of account, by the ways to sign a figure."""
    how = WAYS_TO_SIGN[seed % len(WAYS_TO_SIGN)]
    p = Layout(seed, 'bank', 'bank-statement', {'S/H': 'de', 'CR/DR': 'en'}.get(how))
    r, say, them = p.r, p.say, p.them
    if p.language == 'en':
        p.date_how, p.currency = r.choice(('%d %b %Y', '%d/%m/%Y')), 'GBP'
    p.label_how = r.choice(('beside', 'colon', 'gap'))
    bank_name, holder, account = p.firm(), p.pick(papers.PEOPLE), p.iban()
    day, last = datetime.date(2024, r.randint(1, 11), 1), None
    balance = r.randint(-100000, 200000) / 100
    balance_how = r.choice(('minus', 'brackets', 'trailing')) if how == 'columns' else how
    p.open_page()
    p.put(50, p.y, bank_name, ['/account/bank'], size=p.size * 1.2)
    p.put(p.width - 50, p.y, p.currency, ['/currency'], right=True)
    first, last = day, day + datetime.timedelta(days=28)
    a, b = p.day(first.isoformat()), p.day(last.isoformat())
    for label, text, places in ((say['account'], p.grouped(account), '/account/number'), (say['holder'], holder, '/account/holder'),
                                (say['period'], '%s %s %s' % (a, say['to'], b), [('/period/from', a), ('/period/to', b)])):
        p.y += p.size * 1.8
        p.label(50, p.y, label, text, places, gap=110)
    p.y += p.size * 3
    middle, x_out, x_in, end = 130, p.width - 210, p.width - 130, p.width - 50
    heads = [(x_out, them['out']), (x_in, them['into'])] if how == 'columns' else [(x_in, say['amount'])]
    p.put(50, p.y, say['date'])
    p.put(middle, p.y, say['description'])
    for x, text in heads + [(end, say['balance'])]:
        p.put(x, p.y, text, right=True)
    p.y += p.size * 1.6
    p.put(middle, p.y, say['opening'])
    p.put(end, p.y, signed(p, balance, balance_how), ['/opening_balance'], right=True)
    opening, lines = balance, []
    p.heads['/lines'] = ['date', 'description', 'balance'] + (['amount'] if how != 'columns' else [])
    for i in range(r.choice((6, 14, 22))):
        if r.random() < 0.6 and day < last:
            day += datetime.timedelta(days=1)
        amount = r.choice((-1, -1, 1)) * r.randint(100, 150000) / 100
        balance = round(balance + amount, 2)
        line = {'date': day.isoformat(), 'description': p.words(1, 2), 'amount': amount, 'balance': balance}
        p.y += p.size * 1.6
        p.put(50, p.y, p.day(line['date']), ['/lines/%d/date' % i])
        words = line['description'].split(' ')
        line['description'] = ' '.join(words[:p.fitting(words, x_out - 60 - middle)])
        p.put(middle, p.y, line['description'], ['/lines/%d/description' % i])
        p.put(x_out if how == 'columns' and amount < 0 else x_in, p.y, signed(p, amount, how), ['/lines/%d/amount' % i], right=True)
        p.put(end, p.y, signed(p, balance, balance_how), ['/lines/%d/balance' % i], right=True)
        lines.append(line)
    p.y += p.size * 1.8
    p.put(middle, p.y, say['closing'])
    p.put(end, p.y, signed(p, balance, balance_how), ['/closing_balance'], right=True)
    p.labelled += ['/opening_balance', '/closing_balance']
    p.value = {'account': {'bank': bank_name, 'holder': holder, 'number': account}, 'period': {'from': first.isoformat(), 'to': last.isoformat()},
               'currency': p.currency, 'opening_balance': opening, 'lines': lines, 'closing_balance': balance}
    return p


def credit(seed):
    """A credit note, of which the figures are printed with a minus or without."""
    p = Layout(seed, 'credit', record(seller=of(TEXT, 'Name of the seller'), number=of(TEXT, 'Number of the credit note'), date=of(DATE, 'Day of the credit note'),
                                      items=rows(description=TEXT, amount=of(NUMBER, 'Amount of the line, as printed')),
                                      net=of(NUMBER, 'Net amount, as printed'), vat=of(NUMBER, 'VAT, as printed'), total=of(NUMBER, 'Total, as printed')))
    r, say, them = p.r, p.say, p.them
    how = WAYS_TO_SIGN[seed % 4]
    sign = -1 if seed // 4 % 3 else 1
    p.open_page()
    seller, number, day = p.firm(), 'CN-%05d' % r.randint(1, 99999), datetime.date(2024, r.randint(1, 12), r.randint(13, 28)).isoformat()
    p.put(50, p.y, seller, ['/seller'])
    p.y += 40
    p.put(50, p.y, them['credit'], size=p.size * 1.5)
    for label, text, at in ((them['credit'] + ' ' + {'en': 'no.', 'de': 'Nr.', 'fr': 'n°'}[p.language], number, '/number'), (say['date'], p.day(day), '/date')):
        p.y += p.size * 2.8
        p.label(50, p.y, label, text, at, gap=110)
    p.y += p.size * 3
    end, items = p.width - 50, []
    p.put(50, p.y, say['description'])
    p.put(end, p.y, say['amount'], right=True)
    for i in range(r.randint(2, 6)):
        p.y += p.size * 1.7
        item = {'description': p.words(1, 3), 'amount': sign * r.randint(500, 200000) / 100}
        p.put(50, p.y, item['description'], ['/items/%d/description' % i])
        p.put(end, p.y, signed(p, item['amount'], how), ['/items/%d/amount' % i], right=True)
        items.append(item)
    net = round(sum(item['amount'] for item in items), 2)
    vat = round(net * 0.19, 2)
    p.y += p.size
    p.lines(end - 200, end, [(them[name], signed(p, v, how), ['/' + name]) for name, v in (('net', net), ('vat', vat), ('total', round(net + vat, 2)))])
    p.value = {'seller': seller, 'number': number, 'date': day, 'items': items, 'net': net, 'vat': vat, 'total': round(net + vat, 2)}
    return p


def shop(seed):
    """A list of things that are named by words for sums, dates and payments."""
    p = Layout(seed, 'shop', record(seller=of(TEXT, 'Name of the shop'), items=rows(name=of(TEXT, 'What was bought'), quantity=of(NUMBER, 'How many'),
                                                                                    price=of(NUMBER, 'Amount of the line')), total=of(NUMBER, 'Amount to pay')))
    r, say = p.r, p.say
    p.open_page()
    seller = p.firm()
    p.put(50, p.y, seller, ['/seller'])
    p.y += p.size * 3
    names = r.sample(SHOP[p.language].split(','), r.randint(6, 12))
    end, items, quantities = p.width - r.choice((50, 150)), [], r.random() < 0.6
    p.put(50, p.y, say['description'])
    if quantities:
        p.put(end - 90, p.y, say['quantity'], right=True)
        p.heads['/items'] = ['name', 'quantity', 'price']
    p.put(end, p.y, say['amount'], right=True)
    for i, name in enumerate(names):
        p.y += p.size * 1.7
        item = {'name': name, 'quantity': r.randint(1, 5) if quantities else None, 'price': r.randint(100, 30000) / 100}
        p.put(50, p.y, name, ['/items/%d/name' % i])
        if quantities:
            p.put(end - 90, p.y, str(item['quantity']), ['/items/%d/quantity' % i], right=True)
        p.put(end, p.y, p.number(item['price']), ['/items/%d/price' % i], right=True)
        items.append(item)
    total = round(sum(item['price'] for item in items), 2)
    p.y += p.size
    p.lines(50, end, [(say['total'], p.number(total), ['/total'])])
    p.value = {'seller': seller, 'items': items, 'total': total}
    return p


def accounts(seed):
    """Several accounts with entries of their own, which share days and amounts."""
    p = Layout(seed, 'accounts', record(bank=of(TEXT, 'Name of the bank'), accounts=rows(
        number=of(TEXT, 'Account number'), opening=of(NUMBER, 'Balance before the first entry'),
        entries=rows(date=of(DATE, 'Day of booking, as YYYY-MM-DD'), description=of(TEXT, 'What it was for'), amount=of(NUMBER, 'Amount with its sign')),
        closing=of(NUMBER, 'Balance after the last entry'))))
    r, say = p.r, p.say
    if p.language == 'en':
        p.date_how, p.currency = r.choice(('%d %b %Y', '%d/%m/%Y')), 'GBP'
    p.open_page()
    bank_name, end = p.firm(), p.width - 50
    p.put(50, p.y, bank_name, ['/bank'], size=p.size * 1.2)
    start, all_of_them = datetime.date(2024, r.randint(1, 11), 3), []
    for n in range(r.randint(2, 4)):
        if p.y > p.height - 200:
            p.open_page()
        at, number, balance = '/accounts/%d/' % n, '%08d' % r.randrange(10 ** 8), r.randint(10000, 500000) / 100
        p.y += p.size * 3
        p.put(50, p.y, '%s %s' % (say['account'], number), [(at + 'number', number)])
        p.labelled.append(at + 'number')
        p.y += p.size * 1.6
        p.put(130, p.y, say['opening'])
        p.put(end, p.y, p.number(balance), [at + 'opening'], right=True)
        entries, opening = [], balance
        for i in range(r.randint(2, 8)):
            p.y += p.size * 1.6
            entry = {'date': (start + datetime.timedelta(days=r.randint(0, 6))).isoformat(), 'description': p.words(1, 3),
                     'amount': r.choice((-1, 1)) * r.choice((10.0, 25.5, r.randint(100, 90000) / 100))}
            balance = round(balance + entry['amount'], 2)
            p.put(50, p.y, p.day(entry['date']), [at + 'entries/%d/date' % i])
            p.put(130, p.y, entry['description'], [at + 'entries/%d/description' % i])
            p.put(end, p.y, p.number(entry['amount']), [at + 'entries/%d/amount' % i], right=True)
            entries.append(entry)
        p.y += p.size * 1.6
        p.put(130, p.y, say['closing'])
        p.put(end, p.y, p.number(balance), [at + 'closing'], right=True)
        p.labelled += [at + 'opening', at + 'closing']
        all_of_them.append({'number': number, 'opening': opening, 'entries': entries, 'closing': balance})
    p.value = {'bank': bank_name, 'accounts': all_of_them}
    return p


def meter(seed):
    """Figures of three decimals or of thousands, beside money that says which."""
    p = Layout(seed, 'meter', record(supplier=of(TEXT, 'Who supplies'), meter=of(TEXT, 'Number of the meter'), previous=of(NUMBER, 'Previous reading'),
                                     reading=of(NUMBER, 'Current reading'), used=of(NUMBER, 'Consumption'), price=of(NUMBER, 'Price of one kWh'),
                                     net=of(NUMBER, 'Net amount'), vat=of(NUMBER, 'VAT'), total=of(NUMBER, 'Total')))
    r, them = p.r, p.them
    p.money_how = '1,234.56' if p.language == 'en' else '1.234,56'
    three = seed % 3 == 0                       # three decimals: 1,234 m3 of 0,345
    p.open_page()
    supplier, number = p.firm(), '%07d' % r.randrange(10 ** 7)
    p.put(50, p.y, supplier, ['/supplier'])
    p.y += 40
    p.label(50, p.y, them['meter'], number, '/meter', gap=120)
    used = r.randint(1001, 9999) / (1000 if three else 1)
    previous = r.randint(1001, 80000) / (1000 if three else 1)
    price = r.randint(1001, 9999) / 1000
    net = round(used * price, 2)
    net = net if net >= 1000 else round(net + 1000, 2)      # there is a standing charge as well
    vat = round(net * 0.19, 2)
    end, digits = p.width - 150, 3 if three else 0
    p.y += 20
    p.lines(50, end, [(them['previous'], p.number(previous, digits), ['/previous']), (them['reading'], p.number(previous + used, digits), ['/reading']),
                      (them['used'], p.number(used, digits) + (' m³' if three else ' kWh'), [('/used', p.number(used, digits))]),
                      (them['price'], p.number(price, 3), ['/price'])])
    p.y += 20
    p.lines(50, end, [(them[name], p.with_currency(v), [('/' + name, p.number(v))]) for name, v in (('net', net), ('vat', vat), ('total', round(net + vat, 2)))])
    p.value = {'supplier': supplier, 'meter': number, 'previous': previous, 'reading': round(previous + used, 3), 'used': used, 'price': price,
               'net': net, 'vat': vat, 'total': round(net + vat, 2)}
    return p


RTL = {
    'arabic': (('محمد العلي', 'فاطمة حسن', 'سمير منصور', 'نور الدين', 'مكتبة بغداد', 'شركة النور'),
               dict(seller='البائع', buyer='العميل', number='رقم', date='تاريخ', total='مجموع')),
    'hebrew': (('דוד כהן', 'שרה לוי', 'משה מזרחי', 'רחל פרץ', 'ספרי ירושלים', 'חברת אור'),
               dict(seller='המוכר', buyer='לכבוד', number='מספר', date='תאריך', total='סך הכל')),
}


def forms():
    """Arabic letters as they are drawn: {letter: {'isolated': ..., 'initial': ...}}."""
    table = {}
    for code in range(0xfe80, 0xfef5):
        how, *letters = unicodedata.decomposition(chr(code)).split()
        if len(letters) == 1:
            table.setdefault(chr(int(letters[0], 16)), {})[how.strip('<>')] = chr(code)
    return table


FORMS = forms()


def as_drawn(text):
    """From left to right, joined."""
    out = []
    for i, c in enumerate(text):
        before = i and 'initial' in FORMS.get(text[i - 1], {})
        after = i + 1 < len(text) and 'initial' in FORMS.get(c, {}) and text[i + 1] in FORMS
        mine = FORMS.get(c, {})
        before = before and c in FORMS
        out.append(mine.get('medial' if before and after else 'final' if before else 'initial' if after else 'isolated', c))
    return ''.join(reversed(out))


def rtl(seed):
    """A bill that is written from right to left."""
    p = Layout(seed, 'rtl', record(seller=of(TEXT, 'Who sells'), buyer=of(TEXT, 'Who buys'), number=of(TEXT, 'Number of the invoice'),
                                   date=of(DATE, 'Day of the invoice'), total=of(NUMBER, 'Amount to pay')), 'en')
    r = p.r
    p.font, p.size = 'DejaVuSans', 10
    names, say = RTL[r.choice(('arabic', 'hebrew'))]
    p.date_how = r.choice(('%Y-%m-%d', '%d/%m/%Y'))
    p.open_page()
    seller, buyer = r.sample(names, 2)
    number, day, total = 'INV-%05d' % r.randint(1, 99999), datetime.date(2024, r.randint(1, 12), r.randint(13, 28)).isoformat(), r.randint(1000, 900000) / 100
    if r.random() < 0.7:                        # as most programs write them: the text layer has the letters, not their forms
        p.pdf.read_as = {form: letter for letter, all_forms in FORMS.items() for form in all_forms.values()}
    for label, text, at in ((say['seller'], seller, '/seller'), (say['buyer'], buyer, '/buyer'), (say['number'], number, '/number'), (say['date'], p.day(day), '/date'),
                            (say['total'], p.number(total), '/total')):
        p.y += 28
        p.put(p.width - 60, p.y, as_drawn(label), right=True)
        p.put(p.width - 170, p.y, as_drawn(text) if text[-1] > '\u0500' else text, [at], right=True)
    p.value = {'seller': seller, 'buyer': buyer, 'number': number, 'date': day, 'total': total}
    return p


def side(seed):
    p = (bill, bank, shop)[seed % 3](seed, **{'kind': 'side'} if seed % 3 == 0 else {})
    p.on_side(90 if seed // 3 % 2 else 270)
    return p


def of_papers(kind):
    def draw(seed):
        p = papers.KINDS[kind][0](seed, twins=seed % 2 == 1)
        p.schema, p.exchange, p.hidden, p.lies, p.undecided = papers.KINDS[kind][1], [], [], [], set()
        dates = {at: places[0]['text'] for at, places in p.truth.items() if '/' in places[0]['text'] and 'date' in at or '/period' in at}
        if p.language == 'en' and p.currency != 'GBP' and p.date_how == '%d/%m/%Y' and all(text[:2] < '13' for text in dates.values()):
            p.undecided = set(dates)
        if kind == 'invoice':
            p.exchange = [('/date', '/due_date'), ('/seller/name', '/buyer/name')]
        return p
    return draw


KINDS = {**{kind: of_papers(kind) for kind in papers.KINDS}, 'bill': bill, 'hidden': hidden, 'bank': bank, 'credit': credit, 'shop': shop, 'accounts': accounts,
         'meter': meter, 'rtl': rtl, 'side': side}
NOT_SCANNED = 'hidden', 'rtl'      # there is nothing to see; no model of Tesseract's reads it


def schema_path(p, folder):
    """Of the paper's schema, which is written to the folder unless it is one of platen's."""
    if isinstance(p.schema, str):
        return os.path.join(papers.root, 'schemas', p.schema + '.schema.json')
    path = os.path.join(folder, 'paper.schema.json')
    with open(path, 'w') as f:
        json.dump({'$schema': 'https://json-schema.org/draft/2020-12/schema', 'title': 'Paper', **p.schema}, f)
    return path
