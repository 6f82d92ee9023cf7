"""Papers kept for measuring, drawn like the arrivals (arrivals.py) by somebody who has seen no rule: nobody who writes one reads them.

House styles of nine languages: hosts and waterworks, craftsmen and dentists, carriers, insurers, employers. Half of the schemas have descriptions;
addresses are often in parts, and some keys ask for what is not printed.
"""
import datetime
import re

import papers
from arrivals import COMPACT, PALE, Arrival
from newcomers import british_vat, french_iban, french_vat, german_vat, iso, later
from papers import iban_of
from strangers import MONTH_NAMES, cents, dutch_vat, italian_account, kinds_of, luhn, nip, partita_iva, spanish_cif, weighed

MONTH_NAMES.setdefault('da', 'januar februar marts april maj juni juli august september oktober november december'.split())
# Of each country: streets, towns (code and city; # a digit), people and firms.
HERE = {
    'GB': ('Wharfedale Road;Tannery Court;St Mary’s Street;Priory Avenue;Gasworks Lane', 'TA# 4RW|Taunton;LN# 3BX|Lincoln;CA# 1DE|Carlisle;SA# 8TH|Swansea;IP# 2NF|Ipswich',
           'Graham Tillotson;Leila Hussain;Rhys Bevan;Charlotte Amesbury;Keith Wardle', 'Tarn Valley Dairies Ltd;Whitcombe Plastics Ltd;Bevan Precision Tooling Ltd;Ironbridge Castings plc;Saltmarsh Brewing Co Ltd'),
    'US': ('Sycamore Lane;Commerce Boulevard;3rd Avenue N;Quail Hollow Court', '801##|Denver, CO;554##|Minneapolis, MN;787##|Austin, TX;631##|St. Louis, MO',
           'Rebecca Lindgren;Marcus Whitaker;Teresa Delgado;Howard Pike', 'Copperhill Landscaping LLC;Tidewater Dental Partners, P.C.;Marigold Events, Inc.;Ozark Pump & Supply Co.'),
    'DE': ('Mozartstraße;Am Stadtgraben;Königsberger Straße;Eichenweg;Talstraße', '720##|Tübingen;991##|Erfurt;241##|Kiel;860##|Augsburg;330##|Bielefeld',
           'Friederike Lamprecht;Torsten Wöhrle;Ingrid Bäcker;Sven Grothe', 'Wöhrle Sanitär GmbH;Maschinenfabrik Lamprecht KG;Bäcker Naturkost GmbH;Grothe & Söhne Elektrotechnik OHG;Nordlicht Papier GmbH'),
    'FR': ('rue Pasteur;impasse des Tilleuls;quai de la Fosse;avenue du Général Leclerc', '210##|Dijon;370##|Tours;740##|Annecy;291##|Quimper', 'Élodie Marchand;Benoît Pelletier;Françoise Guérin;Yannick Le Goff',
           'Pelletier Charpentes SARL;Guérin Distribution SAS;Les Ateliers du Goff SAS;Marchand Viandes SA'),
    'ES': ('Calle de la Luna;Avenida de Portugal;Calle de los Olivos;Ronda Norte', '300##|Murcia;370##|Salamanca;180##|Granada', 'Gloria Santamaría;Ramón Iriarte;Pilar Cebrián',
           'Conservas Iriarte S.A.;Farmacia Cebrián C.B.;Distribuciones Santamaría S.L.;Bodegas Río Seco S.L.'),
    'IT': ('Via Mazzini;Via del Lavoro;Largo Colombo;Via Dante', '421##|Reggio Emilia;341##|Trieste;061##|Perugia', 'Federica Sala;Giorgio Bassi;Noemi Valenti', 'Sala Meccanica S.r.l.;Bassi Legnami S.n.c.;Valenti Tessuti S.p.A.'),
    'NL': ('Dijkgraaf;Nieuwe Haven;Energieweg;Singel', '43## KD|Goes;73## RA|Apeldoorn;59## BN|Venlo;89## CT|Leeuwarden', 'Marijke Terpstra;Jeroen Kuipers;Sanne de Graaf', 'Kuipers Agro B.V.;Terpstra Zuivel B.V.;De Graaf Metaal B.V.;Oostdam Logistiek B.V.'),
    'PL': ('ul. Leśna;ul. Piastowska;ul. Fabryczna;ul. Ogrodowa', '35-0##|Rzeszów;70-4##|Szczecin;15-2##|Białystok', 'Agnieszka Mróz;Piotr Święcicki;Joanna Łapińska', 'Mróz Chłodnictwo sp. z o.o.;Święcicki Okna sp.j.;Łapińska Dystrybucja S.A.;Stalmet Hurt sp. z o.o.'),
    'DK': ('Vestergade;Søndre Allé;Åboulevarden;Kærvej', '50##|Odense C;80##|Aarhus C;90##|Aalborg', 'Mette Sørensen;Jørgen Kjær;Anne-Lise Østergaard;Rasmus Høj', 'Østergaard VVS ApS;Kjærs Bageri A/S;Høj & Sørensen Revision I/S'),
}


class Departure(Arrival):
    """An Arrival of the towns above, whose addresses may be in parts."""

    def __init__(self, seed, kind, land, **more):
        super().__init__(seed, kind, 'SE' if land == 'DK' else land, **more)
        self.land = land
        if land == 'DK':
            self.tongue = 'da'
        self.people, self.firms = (self.r.sample(names, len(names)) for names in (HERE[land][i].split(';') for i in (2, 3)))

    def home(self):
        """Street, code and city."""
        street, town = (self.r.choice(text.split(';')) for text in HERE[self.land][:2])
        number = self.r.randint(1, 160)
        code, city = self.code(town.split('|')[0]), town.split('|')[1]
        return ['%d %s' % (number, street) if self.land in ('GB', 'US', 'FR') else '%s, %d' % (street, number) if self.land in ('IT', 'ES') else '%s %d' % (street, number), code, city]

    def place(self, land=None):
        street, code, city = self.home()
        return [street, city, code] if self.land == 'GB' else [street, '%s %s' % (city, code) if self.land == 'US' else '%s %s' % (code, city)]

    def nest(self, x, y, home, at, country=None, keys=('street', 'postal_code', 'city', 'country'), size=None, more=False, step=1.35):
        """An address in its parts; its country may not be printed (None), or not be asked for (False)."""
        size, (street, code, city) = size or self.size, home
        self.show(x, y, street, '%s/%s' % (at, keys[0]), kind='text', size=size, more=more)
        y += size * step
        if self.land == 'US':
            city, state = city.split(', ')
            x1 = self.show(x, y, city, '%s/%s' % (at, keys[2]), kind='text', after=', ', size=size, more=more)
            x1 = self.show(x1, y, state, at + '/state', kind='code', after=' ', size=size, more=more)
            self.show(x1, y, code, '%s/%s' % (at, keys[1]), kind='code', size=size, more=more)
        elif self.land == 'GB':
            self.show(x, y, city, '%s/%s' % (at, keys[2]), kind='text', size=size, more=more)
            y += size * step
            self.show(x, y, code, '%s/%s' % (at, keys[1]), kind='code', size=size, more=more)
        else:
            x1 = self.show(x, y, code, '%s/%s' % (at, keys[1]), kind='code', size=size, more=more)
            self.show(x1, y, city, '%s/%s' % (at, keys[2]), kind='text', before=' ', size=size, more=more)
        if country:
            y += size * step
            self.show(x, y, country, '%s/%s' % (at, keys[3]), kind='text', size=size, more=more)
        elif country is None and not more:
            self.lacks('%s/%s' % (at, keys[3]))
        return y + size * step

    def lacks(self, at, kind=None):
        """A key of the schema for what is not printed."""
        self.maybe(at, False, kind)

    def pair(self, x, y, label, text, at, value=None, kind=None, gap=90, right=None, how='gap'):
        """A label and a value that may stand at a right edge."""
        if right is None:
            return self.field(x, y, label, text, at, value, kind, gap, how)
        self.put(x, y, label)
        if at is None:
            self.distract(kind, text if value is None else value)
            return self.put(right, y, text, right=True)
        self.labelled.append(at)
        return self.show(right, y, text, at, value, kind, right=True)

    def prose(self, x, y, lines, step=1.4, size=1.0):
        for line in lines:
            self.put(x, y, line, size=self.size * size)
            y += self.size * size * step
        return y

    def foot(self, columns, y=None, size=0.78):
        """Small print in columns at the foot: (x, lines), as lines_at takes them."""
        y = y or self.height - 62
        self.rule(columns[0][0], self.width - columns[0][0], y - self.size * 1.3)
        for x, lines in columns:
            self.lines_at(x, y, lines, size)

    def dashed(self, y):
        self.page.ops.append(b'q [4 3] 0 d 0.5 w 0 %g m %g %g l S Q' % (self.height - y, self.width, self.height - y))


# -- English

def webhost(seed):
    """A host's invoice as its program prints it: a coloured word for paid, a grey band with number and dates, two columns of goods, the payments below."""
    p = Departure(seed, 'webhost', 'US', style='plain', ordinary=True, fonts=COMPACT + ('OpenSans-Regular', 'Lato-Regular'), labels=('colon',), dates=('%m/%d/%Y', '%B %-d, %Y', '%d %b %Y'), currency=('USD',)).start()
    r, end, host = p.r, p.width - 54, p.r.choice(('Stackpine Hosting', 'Hostaria Networks Inc.', 'BlueRack Internet LLC'))
    day = p.some_day()
    due, number = later(day, r.choice((7, 10, 14))), p.code(r.choice(('#####', '1#####', 'SP-2025-####')))
    with p.look(True, (0.1, 0.35, 0.6)):
        p.show(54, p.y + 14, host, '/provider/name', kind='name', size=p.size * 2)
    paid = seed % 3 != 1
    p.fill(end - 96, p.y - 4, 96, 26, (0.25, 0.6, 0.3) if paid else (0.8, 0.25, 0.2))
    word = 'PAID' if paid else 'UNPAID'
    with p.look(True, (1, 1, 1)):
        p.show(p.middle(word, 1.5, end - 48), p.y + 13, word, '/status', kind='text', size=p.size * 1.5)
    p.y += 34
    home = p.home()
    low = p.nest(54, p.y, home, '/provider/address', 'United States')
    p.y = low + 12
    p.fill(54, p.y, end - 54, p.size * 5.6, (0.93, 0.93, 0.93))
    with p.look(True):
        p.show(62, p.y + p.size * 1.7, number, '/invoiceNumber', kind='id', before='Invoice #', size=p.size * 1.35)
    p.pair(62, p.y + p.size * 3.3, *iso(p, '/invoiceDate', day, 'Invoice Date'), gap=0, how='colon')
    p.pair(62, p.y + p.size * 4.7, *iso(p, '/dueDate', due, 'Due Date'), gap=0, how='colon')
    p.y += p.size * 8.4
    p.heading(54, p.y, 'Invoiced To')
    p.y += p.size * 1.5
    person, firm = p.people[0], p.firms[0]
    if p.maybe('/client/company', seed % 2 == 0, 'name'):
        p.show(54, p.y, firm, '/client/company', kind='name')
        p.y += p.size * 1.35
        p.show(54, p.y, person, '/client/contactName', kind='name', before='ATTN: ')
    else:
        p.show(54, p.y, person, '/client/contactName', kind='name')
    low = p.nest(54, p.y + p.size * 1.35, p.home(), '/client/address', 'United States')
    p.lacks('/client/vatNumber')
    p.y = low + p.size * 1.6
    domain = firm.split(' ')[0].lower() + r.choice(('.com', '.net', '-online.com'))
    goods = ['Business Hosting - ' + domain, 'Domain Renewal - ' + domain, 'SSL Certificate - www.' + domain, 'VPS Medium (4 vCPU) - srv1.' + domain, 'Daily Backup, 50 GB', 'Managed E-mail, 10 mailboxes', 'Dedicated IP Address']
    wide, full = end - 54, p.size * 3.1
    p.heads['/items'] = ['description', 'amount']
    p.fill(54, p.y - p.size * 1.3, wide, p.size * 2, (0.87, 0.87, 0.87))
    p.heading(p.middle('Description', x=54 + wide * 0.4), p.y, 'Description')
    p.heading(p.middle('Total', x=end - 45), p.y, 'Total')
    p.y += p.size * 0.7
    top, net = p.y, 0.0
    for i, name in enumerate(r.sample(goods, r.randint(1, 6))):
        at, price, months = '/items/%d/' % i, cents(r, 2, 240), r.choice((1, 12))
        net = round(net + price, 2)
        stop = later(day.replace(year=day.year + 1), -1) if months == 12 else later(day, 29)
        p.frame(54, p.y, wide, full)
        p.show(60, p.y + p.size * 1.25, name, at + 'description', kind='text')
        p.money(end - 6, p.y + p.size * 1.9, price, at + 'amount', True)
        x = p.date(60, p.y + p.size * 2.5, day, at + 'periodStart', before='(')
        p.date(x, p.y + p.size * 2.5, stop, at + 'periodEnd', before=' - ', after=')')
        p.y += full
    rate, credit = r.choice((0, 6.25, 8.31)), r.choice((0.0, 0.0, 5.0))
    tax = round(net * rate / 100, 2)
    total = round(net + tax - credit, 2)
    p.types['/tax'] = 'number'
    p.maybe('/tax', rate, 'amount')
    for label, value, at in (('Sub Total', net, '/subTotal'), ('%.2f%% Sales Tax' % rate, tax, '/tax'), ('Credit', credit, '/credit'), ('Total', total, '/total')):
        if at == '/tax' and not rate:
            continue
        p.fill(54, p.y, wide, p.size * 1.9, (0.93, 0.93, 0.93))
        p.frame(54, p.y, wide, p.size * 1.9)
        with p.look(at == '/total'):
            p.put(end - 98, p.y + p.size * 1.3, label, right=True)
            p.money(end - 6, p.y + p.size * 1.3, value, at, 'currency' if at == '/total' else True)
        p.labelled.append(at)
        p.y += p.size * 1.9
    p.upright(end - 90, top, p.y)
    p.y += p.size * 3
    p.heading(54, p.y, 'Transactions')
    p.y += p.size * 1.2
    first = total if paid else round(total / 4, 2)
    parts = [first] if r.random() < 0.6 or not paid else [round(first / 2, 2), round(first - round(first / 2, 2), 2)]
    heads = (('Transaction Date', 54), ('Gateway', 54 + wide * 0.28), ('Transaction ID', 54 + wide * 0.5), ('Amount', end - 90))
    p.heads['/transactions'] = ['date', 'gateway', 'transactionId', 'amount']
    p.fill(54, p.y, wide, p.size * 1.9, (0.87, 0.87, 0.87))
    for head, x in heads:
        p.heading(x + 5, p.y + p.size * 1.3, head)
    p.y += p.size * 1.9
    for i, part in enumerate(parts):
        at, base = '/transactions/%d/' % i, p.y + p.size * 1.3
        p.frame(54, p.y, wide, p.size * 1.9)
        p.date(59, base, later(day, 2 + 3 * i), at + 'date')
        p.show(heads[1][1] + 5, base, r.choice(('Credit Card', 'PayPal', 'Bank Transfer')), at + 'gateway', kind='text')
        p.show(heads[2][1] + 5, base, p.code('####@#@####@@###'), at + 'transactionId', kind='id')
        p.money(end - 6, base, part, at + 'amount', True)
        p.y += p.size * 1.9
    p.fill(54, p.y, wide, p.size * 1.9, (0.93, 0.93, 0.93))
    p.heading(end - 98, p.y + p.size * 1.3, 'Balance', right=True)
    p.money(end - 6, p.y + p.size * 1.3, round(total - sum(parts), 2), '/balance', True)
    p.labelled.append('/balance')
    x = p.put(p.middle('PDF Generated on 10 October 2025', 0.9), p.height - 40, 'PDF Generated on ', size=p.size * 0.9)
    p.put(x, p.height - 40, p.day(later(day, 9)), size=p.size * 0.9)
    p.distract('date', later(day, 9).isoformat())
    p.enums['/status'] = ['PAID', 'UNPAID']
    return p.done_with('provider client invoiceNumber invoiceDate dueDate status items subTotal tax credit total currency transactions balance')


def water(seed):
    """A bill for water: the account at the right under its label, the sum in a coloured box, readings with a letter behind, charges reckoned out in a line."""
    p = Departure(seed, 'water', 'GB', style='classes', ordinary=True, labels=('above',), minus=('front', 'long'), dates=('%-d %B %Y', '%d %b %Y', '%d/%m/%Y'), currency=('GBP',)).start()
    r, end, firm = p.r, p.width - 48, p.r.choice(('Wessmere Water', 'Calder & Aire Water plc', 'South Downs Water Ltd'))
    with p.look(True, (0.0, 0.35, 0.65)):
        p.show(end, p.y + 10, firm, '/supplier/name', kind='name', right=True, size=p.size * 1.9)
    p.lines_at(end, p.y + 10 + p.size * 1.6, ['Customer services 0345 600 ' + p.code('####')], 0.85, right=True)
    y, home, name = 120, p.home(), p.people[0]
    p.show(66, y, name, '/customer/name', kind='name')
    p.nest(66, y + p.size * 1.35, home, '/customer/address')
    start = p.some_day(2024)
    days = r.choice((90, 181, 184))
    stop = later(start, days)
    day = later(stop, r.randint(2, 9))
    due, account, x = later(day, r.choice((14, 21))), p.code('## #### ####'), 372
    y = 112
    for label, text, at, value, kind in (('Your account number', account, '/account_number', None, 'id'), ('Bill number', p.code('########'), '/bill_number', None, 'id'), iso(p, '/bill_date', day, 'Date of this bill')):
        p.heading(x, y, label, 0.9, colour=(0.0, 0.35, 0.65))
        p.labelled.append(at)
        p.show(x, y + p.size * 1.3, text, at, value, kind)
        y += p.size * 3.2
    p.y = 225
    p.heading(48, p.y, 'Your metered water bill', 1.6)
    p.y += p.size * 2.2
    x = p.date(48, p.y, start, '/period_start', before='This bill is for ')
    x = p.date(x, p.y, stop, '/period_end', before=' to ')
    p.show(x, p.y, str(days), '/days', days, 'number', before=' (', after=' days).')
    p.y += p.size * 1.5
    x = p.again(48, p.y, home[0], '/customer/address/street', before='Water supplied to: ', after=', ')
    x = p.again(x, p.y, home[2], '/customer/address/city', after=', ')
    p.again(x, p.y, home[1], '/customer/address/postal_code')
    p.y += p.size * 1.6
    before = r.choice((0.0, cents(r, 20, 160)))
    paid = r.choice((before, round(before / 2, 2)))
    used = r.randint(9, 140)
    fresh, waste, fixed, drain = r.randint(1700, 2600) / 1000, r.randint(1800, 2900) / 1000, r.randint(80, 140) / 1000, r.randint(90, 240) / 1000
    gone = round(used * 0.95, 2)
    lines = [('Fresh water', None), ('Water used', used, 'm³', fresh), ('Fixed charge', days, 'days', fixed), ('Waste water', None), ('Sewerage volume charge', gone, 'm³', waste), ('Surface water drainage', days, 'days', drain)]
    sums = [round(one[1] * one[3], 2) for one in lines if one[1]]
    now = round(sum(sums), 2)
    owed = round(before - paid + now, 2)
    p.fill(48, p.y, end - 48, 44, (0.85, 0.93, 0.98))
    x = p.put(60, p.y + 26, 'Please pay ', size=p.size * 1.5)
    with p.look(True):
        text = p.in_money(owed)
        x0 = x
        x = p.show(x, p.y + 26, text, '/amount_due', owed, 'amount', size=p.size * 1.5)
        p.see_currency(x0, p.y + 26, text, p.size * 1.5)
    x = p.put(x, p.y + 26, ' by ', size=p.size * 1.5)
    with p.look(True):
        p.date(x, p.y + 26, due, '/due_date', size=p.size * 1.5)
    p.y += 64
    p.heading(48, p.y, 'Your account summary', 1.2)
    p.y += p.size * 1.9
    p.sums(48, 330, [('Balance on your last bill', before, '/previous_balance'), ('Payments received, thank you', -paid or 0.0, '/payments_received'), ('Charges on this bill', now, '/new_charges')], True)
    p.rule(48, 330, p.y - p.size * 1.2)
    p.heading(48, p.y, 'Amount owed')
    p.again(330, p.y, p.in_money(owed), '/amount_due', right=True)
    p.y += p.size * 3
    p.heading(48, p.y, 'Your meter readings', 1.2)
    p.y += p.size * 2.2
    last = r.randint(100, 4000)
    letter = r.choice('AEC')
    p.heads['/readings'] = ['meter_number', 'previous_reading', 'latest_reading', 'consumption']
    for head, x, right in (('Meter serial no.', 48, False), ('Previous reading', 270, True), ('Latest reading', 400, True), ('Used (m³)', end, True)):
        p.heading(x, p.y, head, right=right)
    p.rule(48, end, p.y + p.size * 0.5)
    p.y += p.size * 1.7
    p.show(48, p.y, p.code('##@######'), '/readings/0/meter_number', kind='id')
    p.show(270, p.y, p.number(last, 0), '/readings/0/previous_reading', last, 'number', right=True)
    p.show(400, p.y, p.number(last + used, 0), '/readings/0/latest_reading', last + used, 'number', right=True)
    p.show(404, p.y, letter, '/readings/0/latest_reading_type', kind='code')
    p.show(end, p.y, str(used), '/readings/0/consumption', used, 'number', right=True)
    p.y += p.size * 1.3
    p.date(270, p.y, start, '/readings/0/previous_date', right=True)
    p.date(400, p.y, stop, '/readings/0/latest_date', right=True)
    p.y += p.size * 1.7
    p.put(48, p.y, 'A = we read your meter   E = we estimated   C = you read your meter', size=p.size * 0.85)
    p.y += p.size * 3
    p.heading(48, p.y, 'How we worked out your charges', 1.2)
    p.y += p.size * 2
    i = 0
    for name, *what in lines:
        if what[0] is None:
            p.heading(48, p.y, name, colour=(0.0, 0.35, 0.65))
        else:
            at, (n, unit, rate) = '/charges/%d/' % i, what
            p.show(60, p.y, name, at + 'description', kind='text')
            x = p.show(230, p.y, p.number(n, 0 if n == int(n) else 2), at + 'quantity', n, 'number')
            x = p.show(x, p.y, unit, at + 'unit', kind='unit', before=' ', after=' x ')
            p.show(x, p.y, '£' + p.number(rate, 3), at + 'rate', rate, 'amount')
            p.money(end, p.y, sums[i], at + 'amount', True)
            i += 1
        p.y += p.size * 1.55
    p.again(48, p.height - 62, firm, '/supplier/name', size=p.size * 0.78, after='. Registered in England and Wales.')
    p.foot([(48, ['', ('Company number', p.code('02######'), None, None, 'id')]), (330, [('VAT number', british_vat(p), None, None, 'id'), 'You do not pay VAT on water at home.'])])
    p.heads['/charges'] = []
    p.lacks('/payment_reference', 'id')
    p.lacks('/next_reading_date', 'date')
    p.integers.update({'/days'})
    p.needed.update({'/account_number', '/bill_date', '/amount_due'})
    p.enums['/readings/*/latest_reading_type'] = ['A', 'E', 'C']
    p.says.update({'/supplier/name': 'Name of the water company', '/account_number': 'The customer\'s account number', '/bill_date': 'Date on which the bill was issued', '/period_start': 'First day of the period billed',
                   '/period_end': 'Last day of the period billed', '/days': 'Number of days billed', '/amount_due': 'Amount to be paid', '/due_date': 'Date by which the bill has to be paid',
                   '/previous_balance': 'Balance brought forward from the previous bill', '/payments_received': 'Payments since the previous bill, with the sign as printed', '/new_charges': 'Sum of the charges of this bill',
                   '/readings/*/consumption': 'Cubic metres used', '/readings/*/latest_reading_type': 'A actual, E estimated, C customer', '/charges/*/rate': 'Price per unit in pounds',
                   '/payment_reference': 'Reference to quote with a bank transfer', '/next_reading_date': 'Date of the next meter reading', '/currency': 'ISO 4217 code'})
    return p.done_with('supplier customer account_number bill_number bill_date period_start period_end days previous_balance payments_received new_charges amount_due due_date currency readings charges payment_reference next_reading_date')


def hoadues(seed):
    """An association's dues: letterhead in the middle, open sums by age in boxes, a slip to send back with the sum once more."""
    p = Departure(seed, 'hoadues', 'US', style='strict', ordinary=False, labels=('colon', 'gap'), dates=('%m/%d/%Y', '%B %-d, %Y', '%m/%d/%y'), currency=('USD',)).start()
    r, end, club = p.r, p.width - 60, p.r.choice(('Quail Hollow Homeowners Association', 'Lakeshore Terrace Condominium Association, Inc.', 'Midstate Builders Guild'))
    home = p.home()
    with p.look(True):
        p.show(p.middle(club, 1.5), p.y + 8, club, '/association_name', kind='name', size=p.size * 1.5)
    text = '%s, %s %s' % (home[0], home[2], home[1])
    p.show(p.middle(text), p.y + 8 + p.size * 1.8, text, '/association_address', kind='address')
    text = 'Phone %s  |  office@example.org' % p.code('(5##) 555-01##')
    p.put(p.middle(text), p.y + 8 + p.size * 3.2, text)
    p.y += 62
    p.rule(60, end, p.y)
    p.y += 20
    day = p.some_day()
    due, year = later(day, 35).replace(day=1), day.year
    number, member = p.code(r.choice(('ST-#####', '25-####'))), p.code(r.choice(('QH-###', '0####-#', 'M######')))
    text = 'DUES STATEMENT'
    p.heading(p.middle(text, 1.3), p.y, text, 1.3)
    p.y += p.size * 3
    top = p.y
    window, facts = p.sides(60, 370)
    y = top
    person = p.people[0] + (' & ' + p.people[1] if seed % 2 else '')
    p.show(window, y, person, '/member_name', kind='name')
    owner = p.home()
    p.nest(window, y + p.size * 1.35, owner, '/member_address')
    p.y = top
    p.fields(facts, [('Statement No.', number, '/statement_number', None, 'id'), iso(p, '/statement_date', day, 'Statement Date'), ('Member ID' if 'Guild' in club else 'Lot / Account', member, '/account_id', None, 'id'), iso(p, '/due_date', due, 'Payment Due')], gap=88)
    p.y = top + 84
    rows, balance = [], 0.0
    old = r.choice((0.0, 0.0, cents(r, 40, 350)))
    items = ([('Balance forward', old)] if old else []) + [(r.choice(('Annual dues %d' % year, 'Quarterly assessment Q%d %d' % ((day.month + 2) // 3, year), 'Regular member dues')), float(r.randint(120, 940)))]
    items += r.sample([('Capital reserve contribution', 75.0), ('Clubhouse rental', 150.0), ('Scholarship fund (voluntary)', 25.0), ('Landscape special assessment', cents(r, 40, 90)), ('Key card replacement', 15.0)], r.randint(0, 3))
    if old:
        items.append(('Late fee', 25.0))
    if r.random() < 0.4:
        items.append(('Payment received - check #%d' % r.randint(1001, 9800), -float(r.randint(20, 110))))
    for i, (name, value) in enumerate(items):
        balance = round(balance + value, 2)
        when = later(day, -20 + 4 * i if i else -30)
        rows.append({'date': (p.day(when), when.isoformat()), 'description': name, 'amount': p.cell(value), 'balance': p.cell(balance)})
    p.listing('/transactions', [('date', 'Date', 60, False), ('description', 'Description', 150, False), ('amount', 'Amount', 450, True), ('balance', 'Balance', end, True)], rows, kinds_of(date='date', amount='amount', balance='amount'),
              look=r.choice(('grey', 'lines', 'rule')), step=1.7, edge=(60, end))
    p.y += 10
    wide = (end - 60) / 5
    aged = [round(balance - old, 2), old, 0.0, 0.0] if old < balance else [balance, 0.0, 0.0, 0.0]
    for i, (label, key, value) in enumerate(zip(('Current', '31 - 60 Days', '61 - 90 Days', 'Over 90 Days', 'AMOUNT DUE'), ('current', 'days_31_60', 'days_61_90', 'over_90_days', ''), aged + [balance])):
        x = 60 + i * wide
        p.fill(x, p.y, wide, 17, PALE)
        p.frame(x, p.y, wide, 17)
        p.frame(x, p.y + 17, wide, 20)
        p.heading(p.middle(label, x=x + wide / 2), p.y + 12, label)
        at, text = '/aging/' + key if key else '/amount_due', p.in_money(value)
        p.labelled.append(at)
        with p.look(not key):
            p.show(p.middle(text, x=x + wide / 2), p.y + 31, text, at, value, 'amount')
            if not key:
                p.see_currency(p.middle(text, x=x + wide / 2), p.y + 31, text)
    p.y += 58
    p.prose(60, p.y, ['Dues are payable on the first day of the quarter. A late fee of $25.00 applies to accounts more than', '30 days past due. Questions about your account? Call the office weekdays from 9 to 4.'])
    y = p.height - 190
    p.dashed(y)
    text = 'Please detach and return this portion with your payment'
    p.put(p.middle(text, 0.8), y + 10, text, size=p.size * 0.8)
    p.again(60, y + 40, club, '/association_name')
    p.put(60, y + 40 + p.size * 1.35, 'PO Box %d' % r.randint(100, 9000))
    p.put(60, y + 40 + p.size * 2.7, '%s %s' % (home[2], home[1]))
    p.put(60, y + 95, 'Make checks payable to:', size=p.size * 0.85)
    payee = club.replace(', Inc.', '')
    p.show(60, y + 95 + p.size * 1.3, payee, '/payable_to', kind='name')
    for i, (label, text, at) in enumerate((('Account', member, '/account_id'), ('Due', p.day(due), '/due_date'), ('Amount Due', p.in_money(balance), '/amount_due'))):
        p.put(370, y + 40 + i * p.size * 1.7, label)
        p.again(end, y + 40 + i * p.size * 1.7, text, at, right=True)
    p.put(370, y + 44 + 3 * p.size * 1.7, 'Amount enclosed')
    p.put(end, y + 44 + 3 * p.size * 1.7, '$ ______________', right=True)
    text = 'Federal Tax ID '
    tax = p.code('##-#######')
    p.show(60, p.height - 30, tax, '/association_tax_id', kind='id', before=text, size=p.size * 0.8)
    p.lacks('/autopay_date', 'date')
    p.lacks('/member_email')
    return p.done_with('association_name association_address association_tax_id statement_number statement_date account_id member_name member_email member_address due_date transactions aging amount_due currency payable_to autopay_date')


def machinequote(seed):
    """A quotation as a letter: references in one line, the date alone at the right, what is offered in numbered paragraphs with the price behind dots, options that are not in the sum."""
    p = Departure(seed, 'machinequote', 'GB', style='strict', ordinary=False, fonts=COMPACT + ('LiberationSerif-Regular',), labels=('colon',), dates=('%-d %B %Y', '%d %B %Y', '%d/%m/%Y'), currency=('GBP',)).start()
    r, end, seller, home = p.r, p.width - 64, p.firms[0], p.home()
    p.page.ops.append(b'q 0.5 0.1 0.1 rg 0 0 14 %g re f Q' % p.height)
    with p.look(True, (0.5, 0.1, 0.1)):
        p.show(64, p.y + 10, seller, '/supplier/name', kind='name', size=p.size * 1.6)
    x = p.show(64, p.y + 10 + p.size * 1.7, home[0], '/supplier/street', kind='text', after='  |  ')
    x = p.show(x, p.y + 10 + p.size * 1.7, home[2], '/supplier/city', kind='text', after='  |  ')
    x = p.show(x, p.y + 10 + p.size * 1.7, home[1], '/supplier/postal_code', kind='code', after='  |  ')
    p.put(x, p.y + 10 + p.size * 1.7, p.code('01### ######'))
    p.y += 82
    day = p.some_day()
    number = p.code(r.choice(('Q-25###', 'QU/####/25', 'SQ######')))
    p.date(end, p.y, day, '/quotation_date', right=True)
    person = p.people[0]
    p.show(64, p.y, person, '/customer/attention', kind='name')
    p.show(64, p.y + p.size * 1.35, p.firms[1], '/customer/name', kind='name')
    low = p.nest(64, p.y + p.size * 2.7, p.home(), '/customer/address')
    p.y = low + p.size * 2
    theirs = p.code('RFQ ####')
    x = p.show(64, p.y, number, '/quotation_number', kind='id', before='Our ref: ', after='      ')
    p.labelled.append('/quotation_number')
    if p.maybe('/customer_reference', r.random() < 0.7, 'id'):
        p.show(x, p.y, theirs, '/customer_reference', kind='id', before='Your ref: ')
        p.labelled.append('/customer_reference')
    p.y += p.size * 2.6
    p.put(64, p.y, 'Dear %s,' % person.split(' ')[0])
    p.y += p.size * 2.2
    machine = r.choice(('Bottle rinser', 'Checkweigher', 'Vacuum former', 'Pallet wrapper'))
    p.heading(64, p.y, 'Quotation: %s and accessories' % machine.lower())
    p.y = p.prose(64, p.y + p.size * 2, ['Thank you for your enquiry and for the time your colleagues gave us on site. We are pleased to offer', 'the following equipment, built to the specification that we discussed.']) + p.size * 1.2
    stuff = [([machine + ' type %s' % p.code('@@##'), 'stainless steel frame, infeed from the left'], cents(r, 6000, 28000)), (['Control cabinet IP65 with touch panel'], cents(r, 1200, 4000)), (['Infeed conveyor, 2.5 m', 'modular belt, variable speed drive'], cents(r, 900, 3500)),
             (['Guarding with interlocked doors'], float(r.randint(800, 2600))), (['Commissioning on site', 'two days, travel included'], float(r.randint(900, 1900))), (['Operator training, one day'], 640.0)]
    extra = [(['Reject bin with sensor'], cents(r, 200, 900)), (['Spare parts kit for two years'], cents(r, 300, 1500)), (['Remote maintenance module'], 780.0)]
    chosen = stuff[:1] + r.sample(stuff[1:], r.randint(1, 4))
    net = 0.0

    def offered(array, i, label, what, price, n):
        at = '%s/%d/' % (array, i)
        p.show(64, p.y, label, at + 'item', kind='code')
        p.show(92, p.y, what[0], at + 'description', kind='text')
        total = round(n * price, 2)
        dots = '.' * int((end - 100 - 92 - p.wide(what[0])) / p.wide('.') - 6)
        p.put(92 + p.wide(what[0]) + 6, p.y, dots, size=p.size * 0.9) if array == '/items' and n == 1 else None
        p.money(end, p.y, total, at + 'price', True)
        for line in what[1:]:
            p.y += p.size * 1.3
            p.put(92, p.y, line)
        p.y += p.size * 1.3
        if n > 1:
            x = p.show(92, p.y, str(n), at + 'quantity', n, 'number', after=' off at ')
            p.money(x, p.y, price, at + 'unit_price', True, right=False)
            p.y += p.size * 1.3
        else:
            p.say_value(at + 'quantity', None, 'number')
            p.say_value(at + 'unit_price', None, 'amount')
        p.y += p.size * 0.6
        return total

    for i, (what, price) in enumerate(chosen):
        net = round(net + offered('/items', i, '%d.' % (i + 1), what, price, r.choice((1, 1, 2)) if i else 1), 2)
    p.heads['/items'] = []
    p.types.update({'/items/*/quantity': 'number', '/items/*/unit_price': 'number'})
    p.rule(end - 200, end, p.y - p.size)
    p.y += p.size * 0.6
    p.strong(end - 200, end, r.choice(('Total, net', 'Total price')), net, '/total_excluding_vat', 'currency')
    p.y += p.size
    p.heading(64, p.y, 'Options, not included in the above')
    p.y += p.size * 1.8
    for i, (what, price) in enumerate(r.sample(extra, r.randint(1, 3))):
        p.heads['/options'] = []
        offered('/options', i, chr(65 + i) + ')', what, price, 1)
    for row in p.value['options']:
        del row['quantity'], row['unit_price']
    p.y += p.size
    valid, weeks = later(day, r.choice((30, 60))), r.choice(('8 to 10 weeks', '12 weeks', '6 weeks'))
    p.show(64, p.y, weeks, '/delivery_time', kind='text', before='Delivery: ')
    p.y += p.size * 1.4
    p.show(64, p.y, r.choice(('30% with order, balance 30 days from invoice', '30 days net', '50% with order, 50% before dispatch')), '/payment_terms', kind='text', before='Payment: ')
    p.y += p.size * 1.4
    p.put(64, p.y, 'The delivery time counts from receipt of order and approval of our drawings.')
    p.y += p.size * 1.4
    x = p.put(64, p.y, 'All prices exclude VAT. This quotation is open for acceptance until ')
    p.date(x, p.y, valid, '/valid_until', after='.')
    p.labelled += ['/delivery_time', '/payment_terms']
    p.y += p.size * 3
    p.put(64, p.y, 'Yours sincerely')
    p.y += p.size * 4.5
    signer = p.people[1]
    p.show(64, p.y, signer, '/supplier/contact', kind='name')
    p.put(64, p.y + p.size * 1.35, r.choice(('Sales Engineer', 'Area Sales Manager', 'Technical Director')))
    text = 'Registered in England no. %s     VAT reg. no. ' % p.code('0#######')
    vat = british_vat(p)
    p.show(64, p.height - 34, vat, '/supplier/vat_number', kind='id', before=text, size=p.size * 0.8)
    p.lacks('/vat_amount', 'amount')
    p.lacks('/incoterm')
    p.says.update({'/quotation_number': 'The supplier\'s reference', '/customer_reference': 'Reference of the enquiry, if the letter has one', '/quotation_date': 'Date of the letter', '/valid_until': 'Last day on which the offer can be accepted',
                   '/items': 'What is offered, without options', '/items/*/item': 'Item as printed, with its full stop', '/items/*/description': 'First line of the item', '/items/*/price': 'Price of the whole item',
                   '/items/*/quantity': 'Only where several pieces are offered', '/items/*/unit_price': 'Only where several pieces are offered', '/options': 'What may be ordered in addition', '/options/*/item': 'Letter as printed, with its bracket', '/total_excluding_vat': 'Sum of all items without options',
                   '/customer/attention': 'The person to whom the letter is addressed', '/supplier/contact': 'Who signs', '/vat_amount': 'VAT, if it is stated', '/incoterm': 'Incoterms 2020 code', '/delivery_time': 'Lead time'})
    return p.done_with('quotation_number quotation_date customer_reference valid_until supplier customer items options total_excluding_vat vat_amount currency delivery_time payment_terms incoterm')


# -- German

def handwerk(seed):
    """A craftsman's invoice: hours and material in two tables with sums of their own, the part that is wages in a sentence, discount for paying soon."""
    p = Departure(seed, 'handwerk', 'DE', style='classes', ordinary=True, labels=('colon', 'gap'), money=('1.234,56', '1234,56'), dates=('%d.%m.%Y', '%d.%m.%y', '%-d. %B %Y'), currency=('EUR',)).start()
    r, end, seller, home = p.r, p.width - 58, p.r.choice(('Schreinerei Grothe', 'Malerbetrieb Wöhrle', 'Dachdeckerei Lamprecht GmbH', 'Fliesen Bäcker e.K.')), p.home()
    keys = ('strasse', 'plz', 'ort', 'land')
    p.frame(end - 60, p.y - 6, 60, 40)
    p.heading(p.middle(seller.split(' ')[1][:1], 2.4, end - 30), p.y + 22, seller.split(' ')[1][:1], 2.4)
    with p.look(True):
        p.show(end - 70, p.y + 4, seller, '/betrieb/name', kind='name', right=True, size=p.size * 1.4)
    p.put(end - 70, p.y + 4 + p.size * 1.5, 'Meisterbetrieb seit 19%s' % p.code('#4'), right=True)
    p.y = 118
    small, x = p.size * 0.72, 58
    x = p.again(x, p.y, seller, '/betrieb/name', size=small, after=', ')
    x = p.show(x, p.y, home[0], '/betrieb/adresse/strasse', kind='text', size=small, after=', ')
    x = p.show(x, p.y, home[1], '/betrieb/adresse/plz', kind='code', size=small, after=' ')
    x = p.show(x, p.y, home[2], '/betrieb/adresse/ort', kind='text', size=small)
    p.rule(58, x, p.y + 2)
    buyer = p.people[0]
    p.put(58, p.y + 18, 'Familie')
    p.show(58, p.y + 18 + p.size * 1.3, buyer, '/kunde/name', kind='name')
    p.nest(58, p.y + 18 + p.size * 2.6, p.home(), '/kunde/adresse', False, keys)
    day = p.some_day()
    done, number = later(day, -r.randint(3, 20)), p.code(r.choice(('2025-###', 'R 25/####', 'RE######')))
    y = p.y + 12
    for line in (('Rechnung Nr.', number, '/rechnungsnummer', None, 'id'), iso(p, '/rechnungsdatum', day, 'Datum'), ('Kunden-Nr.', p.code('1####'), '/kundennummer', None, 'id'), ('Sachbearbeiter', p.people[1], None, None, 'name')):
        p.field(370, y, *line, gap=78)
        y += p.size * 1.5
    p.y = 222
    p.heading(58, p.y, 'Rechnung', 1.7)
    p.y += p.size * 2.4
    site = '%s %d, %s' % (r.choice(('Rosenweg', 'Hauptstr.', 'Am Bach')), r.randint(1, 60), home[2])
    p.show(58, p.y, site, '/baustelle', kind='address', before='Bauvorhaben: ')
    p.y += p.size * 1.4
    start = later(done, -r.randint(0, 6))
    x = p.put(58, p.y, 'Leistungszeitraum: ')
    x = p.date(x, p.y, start, '/leistung_von')
    p.date(x, p.y, done, '/leistung_bis', before=' bis ')
    p.labelled += ['/baustelle', '/leistung_von']
    p.y = p.prose(58, p.y + p.size * 2.6, ['Sehr geehrte Damen und Herren,', 'für die ausgeführten Arbeiten erlauben wir uns, wie folgt zu berechnen:']) + p.size * 0.8
    p.heading(58, p.y, 'Arbeitszeit')
    p.y += p.size * 2.2
    rows = []
    for name in r.sample(('Meister', 'Geselle', 'Auszubildender 2. Lehrjahr', 'Helfer', 'Fahrtzeit'), r.randint(1, 4)):
        n, price = r.randint(2, 70) / 2, r.choice((28.5, 42.0, 54.9, 62.0, 38.0))
        when = later(start, r.randint(0, (done - start).days))
        rows.append({'datum': (p.day(when, '%d.%m.%Y'), when.isoformat()), 'taetigkeit': name, 'stunden': p.cell(n), 'stundensatz': p.cell(price), 'betrag': p.cell(round(n * price, 2))})
    p.listing('/arbeitszeit', [('datum', 'Datum', 58, False), ('taetigkeit', 'Tätigkeit', 130, False), ('stunden', 'Std.', 370, True), ('stundensatz', 'Satz €/h', 450, True), ('betrag', 'Betrag €', end, True)], rows,
              kinds_of(datum='date', stundensatz='amount', betrag='amount'), look='rule', edge=(58, end))
    wages = round(sum(row['betrag'][1] for row in rows), 2)
    p.heading(300, p.y, 'Summe Arbeitszeit')
    p.money(end, p.y, wages, '/summe_arbeitszeit')
    p.y += p.size * 2.6
    p.heading(58, p.y, 'Material')
    p.y += p.size * 2.2
    rows = []
    goods = [(['Dispersionsfarbe weiß, 12,5 l'], 'Eim.'), (['Eichenleimholz 26 mm', 'zugeschnitten und geölt'], 'm²'), (['Silikon transparent'], 'Kart.'), (['Dachziegel rot engobiert'], 'Stk.'), (['Feinsteinzeug 60 x 60 cm', 'Farbton anthrazit'], 'm²'), (['Schrauben und Kleinmaterial'], 'psch.'), (['Fugenmörtel grau'], 'Sack')]
    for name, unit in r.sample(goods, r.randint(1, 6)):
        n, price = (1.0, cents(r, 12, 60)) if unit == 'psch.' else (r.randint(20, 400) / 10 if unit == 'm²' else float(r.randint(1, 30)), cents(r, 2, 95))
        rows.append({'menge': p.cell(n), 'einheit': unit, 'bezeichnung': (name, ' '.join(name)), 'einzelpreis': p.cell(price), 'betrag': p.cell(round(n * price, 2))})
    p.listing('/material', [('menge', 'Menge', 100, True), ('einheit', 'ME', 106, False), ('bezeichnung', 'Bezeichnung', 150, False), ('einzelpreis', 'E-Preis €', 450, True), ('betrag', 'Betrag €', end, True)], rows, kinds_of(einzelpreis='amount', betrag='amount', einheit='unit'), look='rule', edge=(58, end))
    stuff = round(sum(row['betrag'][1] for row in rows), 2)
    p.heading(300, p.y, 'Summe Material')
    p.money(end, p.y, stuff, '/summe_material')
    p.labelled += ['/summe_arbeitszeit', '/summe_material']
    p.y += p.size * 1.2
    p.rule(300, end, p.y)
    p.y += p.size * 1.5
    net = round(wages + stuff, 2)
    vat = round(net * 0.19, 2)
    total = round(net + vat, 2)
    p.sums(300, end, [('Nettobetrag', net, '/netto'), ('zzgl. 19 % MwSt.', vat, '/mwst_betrag')])
    p.currency_at = '/waehrung'
    p.strong(300, end, r.choice(('Rechnungsbetrag', 'Gesamtbetrag brutto')), total, '/brutto', 'currency')
    share = round(wages * 1.19, 2)
    p.y += p.size
    x = p.show(58, p.y, p.number(share), '/lohnanteil_brutto', share, 'amount', before='Im Rechnungsbetrag sind Lohnkosten von ', after=' € inkl. MwSt. enthalten (§ 35a EStG).')
    p.y += p.size * 1.4
    due = later(day, r.choice((10, 14, 30)))
    if p.maybe('/skonto_prozent', seed % 2, 'number'):
        p.show(58, p.y, '2 %', '/skonto_prozent', 2, 'rate', before='Bei Zahlung innerhalb von 7 Tagen gewähren wir ', after=' Skonto, sonst')
        p.y += p.size * 1.4
    p.types['/skonto_prozent'] = 'number'
    p.date(58, p.y, due, '/zahlbar_bis', before='zahlbar ohne Abzug bis zum ' if p.value['skonto_prozent'] else 'Bitte zahlen Sie ohne Abzug bis zum ', after='.')
    iban = iban_of('DE', p.code('#' * 18))
    x = p.again(58, p.height - 62 + p.size * 1.014, home[0], '/betrieb/adresse/strasse', size=p.size * 0.78, after=' · ')
    x = p.again(x, p.height - 62 + p.size * 1.014, home[1], '/betrieb/adresse/plz', size=p.size * 0.78, after=' ')
    p.again(x, p.height - 62 + p.size * 1.014, home[2], '/betrieb/adresse/ort', size=p.size * 0.78)
    p.foot([(58, [('', seller, '/betrieb/name', None, 'name'), '', 'Tel. ' + p.code('0### / #####')]), (230, [r.choice(('Volksbank', 'Kreissparkasse')), ('IBAN', p.grouped(iban), '/betrieb/iban', iban, 'id'), ('BIC', p.code('GENODE@1@@@').replace('#', '1'), None, None, 'id')]),
            (430, [('St.-Nr.', p.code('##/###/#####'), '/betrieb/steuernummer', None, 'id'), 'Handwerkskammer-Nr. ' + p.code('######')])])
    p.lacks('/betrieb/ust_id', 'id')
    p.labelled += ['/betrieb/iban', '/betrieb/steuernummer']
    p.needed.update({'/rechnungsnummer', '/brutto'})
    p.says.update({'/baustelle': 'Ort, an dem gearbeitet wurde', '/leistung_von': 'Erster Tag der Arbeiten', '/leistung_bis': 'Letzter Tag der Arbeiten', '/lohnanteil_brutto': 'Lohnkosten nach § 35a EStG mit Mehrwertsteuer', '/summe_arbeitszeit': 'Summe der Stunden in Euro',
                   '/summe_material': 'Summe des Materials, netto', '/netto': 'Rechnungsbetrag ohne Mehrwertsteuer', '/mwst_betrag': 'Mehrwertsteuer', '/brutto': 'Zu zahlender Betrag', '/skonto_prozent': 'Nachlass bei früher Zahlung in Prozent', '/zahlbar_bis': 'Fälligkeit ohne Abzug',
                   '/material/*/bezeichnung': 'Bezeichnung mit allen Zeilen', '/betrieb/ust_id': 'Umsatzsteuer-Identifikationsnummer, nicht die Steuernummer', '/waehrung': 'Dreistelliger Code'})
    return p.done_with('betrieb kunde rechnungsnummer rechnungsdatum kundennummer baustelle leistung_von leistung_bis arbeitszeit summe_arbeitszeit material summe_material netto mwst_betrag brutto waehrung lohnanteil_brutto skonto_prozent zahlbar_bis')


def zahnarzt(seed):
    """A dentist's bill: letterhead of the practice at the right with hours, tooth and number of each service, laboratory and material added below."""
    p = Departure(seed, 'zahnarzt', 'DE', style='plain', ordinary=False, fonts=COMPACT, labels=('colon', 'beside'), money=('1.234,56', '1234,56'), dates=('%d.%m.%Y', '%d.%m.%y'), currency=('EUR',)).start()
    r, end, home = p.r, p.width - 50, p.home()
    doctor = r.choice(('Dr. med. dent. ', 'Dr. ')) + p.people[1]
    x, y = 400, p.y
    p.upright(x - 10, y - 6, y + 150)
    p.show(x, y + 4, 'Zahnarztpraxis' if seed % 2 else 'Praxis für Zahnheilkunde', '/practice/name', kind='name')
    with p.look(True):
        p.show(x, y + 4 + p.size * 1.5, doctor, '/practice/dentist', kind='name', size=p.size * 1.05)
    y = p.nest(x, y + 4 + p.size * 3.2, home, '/practice/address')
    y = p.prose(x, y + p.size, ['Telefon ' + p.code('0#### ####'), 'Sprechzeiten', 'Mo–Do 8–12 und 14–18 Uhr', 'Fr 8–13 Uhr'], 1.35, 0.9)
    iban = iban_of('DE', '30060601' + p.code('00########'))
    p.put(x, y + p.size, 'Deutsche Apotheker- und Ärztebank', size=p.size * 0.9)
    p.show(x, y + p.size * 2.3, p.grouped(iban), '/practice/iban', iban, 'id', size=p.size * 0.9)
    p.show(x, y + p.size * 3.6, p.code('##/###/#####'), '/practice/tax_number', kind='id', before='Steuer-Nr. ', size=p.size * 0.9)
    person = p.people[0]
    p.show(50, 128, person, '/patient/name', kind='name')
    p.nest(50, 128 + p.size * 1.35, p.home(), '/patient/address')
    day, born = p.some_day(), datetime.date(r.randint(1948, 2012), r.randint(1, 12), r.randint(1, 28))
    p.y = 228
    number = p.code(r.choice(('25/####', '######', 'LQ-25-####')))
    x = p.field(50, p.y, 'Rechnung Nr.', number, '/invoice_number', kind='id', gap=0, how='beside')
    p.date(x, p.y, day, '/invoice_date', before=' vom ')
    p.y += p.size * 1.5
    x = p.put(50, p.y, 'Patient: ')
    x = p.again(x, p.y, person, '/patient/name')
    p.date(x, p.y, born, '/patient/date_of_birth', before=', geb. am ')
    p.y += p.size * 2.4
    p.put(50, p.y, 'Für meine Bemühungen erlaube ich mir nach der Gebührenordnung für Zahnärzte zu berechnen:')
    p.y += p.size * 2.8
    rows, when = [], later(day, -r.randint(20, 50))
    work = [('0010', 'Eingehende Untersuchung', 12.94), ('0090', 'Infiltrationsanästhesie', 7.76), ('2060', 'Einflächige Füllung, Adhäsivtechnik', 68.17), ('2080', 'Zweiflächige Füllung, Adhäsivtechnik', 71.92), ('2197', 'Adhäsive Befestigung', 16.82), ('2210', 'Vollkrone, Hohlkehlpräparation', 216.92),
            ('2270', 'Provisorium im direkten Verfahren', 34.92), ('1040', 'Professionelle Zahnreinigung, je Zahn', 3.62), ('5170', 'Abformung mit individuellem Löffel', 32.33), ('4050', 'Entfernung harter Beläge', 1.29)]
    for i in range(r.randint(3, 14)):
        code, name, price = r.choice(work)
        when = later(when, r.choice((0, 0, 2)))
        many = r.randint(12, 28) if code in ('1040', '4050') else 1
        tooth = None if code in ('0010', '1040', '4050') else str(r.choice((11, 14, 16, 24, 26, 36, 37, 45, 47)))
        # fees by hand: a factor and what a service costs by it
        factor = r.choice((1.0, 2.3, 2.3, 3.5))
        fee = round(price / 2.3 * factor * many, 2)
        rows.append({'date': (p.day(when), when.isoformat()), 'tooth': (tooth, None), 'code': code, 'description': name, 'count': p.cell(many, 0), 'factor': p.cell(factor, 1), 'amount': p.cell(fee)})
    p.optional.add('/services/*/tooth')
    p.listing('/services', [('date', 'Datum', 50, False), ('tooth', 'Zahn', 112, False), ('code', 'Geb.-Nr.', 145, False), ('description', 'Leistung', 192, False), ('count', 'Anz.', 415, True), ('factor', 'Faktor', 465, True), ('amount', 'Euro', end, True)], rows,
              kinds_of(date='date', amount='amount', code='code', tooth='code'), look=r.choice(('lines', 'rule')), step=1.5, edge=(50, end))
    fees = round(sum(row['amount'][1] for row in rows), 2)
    lab = r.choice((0.0, cents(r, 80, 520)))
    own, stuff = r.choice((0.0, cents(r, 10, 60))), cents(r, 2, 30)
    total = round(fees + lab + own + stuff, 2)
    p.y += 4
    p.sums(300, end, [('Zahnärztliches Honorar', fees, '/fees')])
    for label, value, at in (('Eigenlabor lt. Beleg', own, '/own_laboratory'), ('Fremdlabor lt. Beleg', lab, '/external_laboratory'), ('Auslagen, Material', stuff, '/materials')):
        p.types[at] = 'number'
        if p.maybe(at, value, 'amount'):
            p.sums(300, end, [(label, value, at)])
    p.rule(300, end, p.y - p.size * 1.2)
    p.strong(300, end, r.choice(('Rechnungsbetrag', 'Gesamtbetrag')), total, '/total', 'currency')
    p.y += p.size
    p.date(50, p.y, later(day, 30), '/due_date', before='Bitte begleichen Sie den Betrag bis zum ', after=' auf das oben genannte Konto.')
    p.y += p.size * 1.4
    p.put(50, p.y, 'Heilbehandlungen sind nach § 4 Nr. 14 UStG von der Umsatzsteuer befreit.')
    p.labelled += ['/patient/name', '/practice/tax_number']
    p.lacks('/diagnosis')
    p.lacks('/insurance_number', 'id')
    p.integers.add('/services/*/count')
    return p.done_with('practice patient invoice_number invoice_date diagnosis insurance_number services fees own_laboratory external_laboratory materials total currency due_date')


def gutschrift(seed):
    """A credit note: facts in a ruled table of two columns at the right, the invoice that it corrects in a sentence, the reason in words, sums with the tax in a line of heads."""
    p = Departure(seed, 'gutschrift', 'DE', style='strict', ordinary=False, labels=('colon',), money=('1.234,56',), minus=('front', 'back'), dates=('%d.%m.%Y', '%Y-%m-%d'), currency=('EUR',)).start()
    r, end, seller, home = p.r, p.width - 56, p.firms[0], p.home()
    buyer, there = p.firms[1], p.home()
    with p.look(True, (0.15, 0.35, 0.2)):
        p.show(p.middle(seller, 1.7), p.y + 10, seller, '/aussteller/firma', kind='name', size=p.size * 1.7)
    p.rule(56, end, p.y + 18)
    p.y = 112
    # window without heading: the sender in a small line, then the receiver
    small = p.size * 0.7
    x = p.again(56, p.y, seller, '/aussteller/firma', size=small, after=' · ')
    x = p.show(x, p.y, home[0], '/aussteller/anschrift/strasse', kind='text', size=small, after=' · ')
    x = p.show(x, p.y, home[1], '/aussteller/anschrift/plz', kind='code', size=small, after=' ')
    p.show(x, p.y, home[2], '/aussteller/anschrift/ort', kind='text', size=small)
    p.show(56, p.y + 16, buyer, '/empfaenger/firma', kind='name')
    y = p.y + 16 + p.size * 1.35
    if r.random() < 0.5:
        p.put(56, y, 'Kreditorenbuchhaltung')
        y += p.size * 1.35
    p.nest(56, y, there, '/empfaenger/anschrift', False, ('strasse', 'plz', 'ort', 'land'))
    day, number = p.some_day(), p.code(r.choice(('GS-25-####', '9000####', 'GU25####')))
    before = later(day, -r.randint(6, 70))
    old = p.code(r.choice(('RE-25-####', '8000####', 'RG25####')))
    y = 104
    for label, text, at, value, kind in (('Gutschrift-Nr.', number, '/gutschriftNr', None, 'id'), iso(p, '/datum', day, 'Datum'), ('Kunden-Nr.', p.code('D#####'), '/kundenNr', None, 'id'), ('Ihre USt-IdNr.', german_vat(p), '/empfaenger/ustIdNr', None, 'id'), ('Bearbeiter', p.people[0], None, None, 'name')):
        p.frame(350, y, 80, 16)
        p.frame(430, y, end - 430, 16)
        p.put(354, y + 11, label, size=p.size * 0.9)
        if at:
            p.labelled.append(at)
            p.show(434, y + 11, text, at, value, kind)
        else:
            p.distract(kind, text)
            p.put(434, y + 11, text)
        y += 16
    p.y = 228
    p.heading(56, p.y, r.choice(('Rechnungskorrektur', 'Gutschrift')), 1.6)
    p.y += p.size * 2.6
    x = p.put(56, p.y, 'Sehr geehrte Damen und Herren, zu unserer Rechnung Nr. ')
    x = p.show(x, p.y, old, '/rechnungNr', kind='id')
    p.date(x, p.y, before, '/rechnungsdatum', before=' vom ', after=' schreiben wir')
    p.y += p.size * 1.4
    p.put(56, p.y, 'Ihnen folgende Positionen gut:')
    p.y += p.size * 3
    sign = r.choice((1, 1, -1))
    rows, rates = [], r.choice(([19], [19, 7]))
    goods = ['Kopierpapier A4 80 g', 'Bio-Apfelsaft 6 x 1 l', 'Kabelkanal 40 x 60', 'Leinsamen 25 kg', 'Versandkarton 300 x 200', 'Dinkelmehl Type 630', 'LED-Panel 62 x 62', 'Eckventil 1/2"']
    for name in r.sample(goods, r.randint(1, 6)):
        n, price, rate = r.randint(1, 48), cents(r, 1, 180), r.choice(rates)
        rows.append({'artikelNr': p.code('###-####'), 'bezeichnung': name, 'menge': p.cell(n, 0), 'preis': p.cell(price), 'ustSatz': ('%d %%' % rate, rate), 'betrag': p.cell(sign * round(n * price, 2))})
    p.listing('/positionen', [('_pos', 'Pos', 56, False), ('artikelNr', 'Artikel', 82, False), ('bezeichnung', 'Bezeichnung', 150, False), ('menge', 'Menge', 330, True), ('preis', 'Preis', 400, True), ('ustSatz', 'USt', 450, True), ('betrag', 'Betrag EUR', end, True)],
              [{'_pos': str(10 * (i + 1)), **row} for i, row in enumerate(rows)], kinds_of(artikelNr='id', preis='amount', betrag='amount', ustSatz='rate'), look='lines', edge=(56, end), ruled=seed % 2 == 0, step=1.7)
    parts = [(rate, round(sum(row['betrag'][1] for row in rows if row['ustSatz'][1] == rate), 2)) for rate in rates]
    parts = [(rate, net, round(net * rate / 100, 2)) for rate, net in parts if net]
    net, vat = round(sum(one[1] for one in parts), 2), round(sum(one[2] for one in parts), 2)
    total = round(net + vat, 2)
    p.y += 6
    p.rule(56, end, p.y - p.size * 1.3)
    for x, head, on_right in ((56, 'Nettowert', False), (200, 'Umsatzsteuer', False), (end, 'Gutschriftbetrag', True)):
        p.heading(x, p.y, head, 0.9, right=on_right)
    p.y += p.size * 1.5
    p.money(56, p.y, net, '/netto', True, right=False)
    p.money(200, p.y, vat, '/umsatzsteuer', True, right=False)
    p.currency_at = '/waehrung'
    with p.look(True):
        p.money(end, p.y, total, '/gesamt', 'currency')
    p.labelled += ['/netto', '/umsatzsteuer', '/gesamt']
    p.rule(56, end, p.y + p.size * 0.6)
    p.y += p.size * 2.6
    p.show(56, p.y, r.choice(('Transportschaden bei Anlieferung', 'Preisdifferenz laut Vereinbarung', 'Fehlmenge', 'Rücksendung wegen Falschlieferung')), '/grund', kind='text', before='Grund der Gutschrift: ')
    p.labelled.append('/grund')
    p.y += p.size * 1.8
    p.put(56, p.y, 'Der Betrag wird mit der nächsten Zahlung verrechnet. Diese Gutschrift ist kein Beleg über eine Zahlung.')
    iban, uid = iban_of('DE', p.code('#' * 18)), german_vat(p)
    p.distract('id', iban)
    p.foot([(56, [('', seller, '/aussteller/firma', None, 'name'), 'Geschäftsführung: ' + p.people[1], 'Amtsgericht %s HRB %s' % (home[2], p.code('#####'))]), (250, ['Commerzbank', 'IBAN ' + p.grouped(iban)]), (430, [('USt-IdNr.', uid, '/aussteller/ustIdNr', None, 'id'), 'www.example.de'])])
    p.labelled.append('/aussteller/ustIdNr')
    p.lacks('/lieferscheinNr', 'id')
    return p.done_with('gutschriftNr datum kundenNr rechnungNr rechnungsdatum lieferscheinNr aussteller empfaenger positionen netto umsatzsteuer gesamt waehrung grund')


# -- French

def avisecheance(seed):
    """A notice of an insurer that a year is due: two blue boxes for contract and vehicle, what is covered with its limits, the parts of the premium in a row of boxes."""
    p = Departure(seed, 'avisecheance', 'FR', style='classes', ordinary=False, labels=('colon',), money=('1 234,56', '1\u00a0234,56', '1.234,56'), dates=('%d/%m/%Y', '%-d %B %Y', '%d.%m.%Y'), currency=('EUR',)).start()
    r, end, insurer = p.r, p.width - 46, p.r.choice(('Mutuelle des Deux Rives', 'Assurances Bocage', 'Prévoyance de l’Ouest'))
    blue = 0.1, 0.2, 0.5
    with p.look(True, blue):
        p.show(46, p.y + 10, insurer, '/assureur', kind='name', size=p.size * 1.7)
    office = p.home()
    p.lines_at(46, p.y + 10 + p.size * 1.6, ['Votre agence : %s, %s %s' % tuple(office), 'Tél. ' + p.code('0# ## ## ## ##')], 0.9)
    holder, home, day = p.people[0], p.home(), p.some_day()
    start = later(day, 40).replace(day=1)
    stop = later(start.replace(year=start.year + 1), -1)
    p.show(330, 120, holder, '/souscripteur/nom', kind='name')
    p.nest(330, 120 + p.size * 1.35, home, '/souscripteur/adresse', None, ('rue', 'code_postal', 'ville', 'pays'))
    p.y = 190
    p.date(46, p.y, day, '/date_avis', before='%s, le ' % office[2])
    p.y += p.size * 3
    p.heading(46, p.y, 'Avis d’échéance', 1.7, colour=blue)
    p.y += p.size * 2.2
    contract, client = p.code(r.choice(('AU ########', '######## @', '4-########'))), p.code('#######')
    plate = '%s-%s-%s' % (p.code('@@'), p.code('###'), p.code('@@'))
    wide = (end - 46 - 14) / 2
    p.page.ops.append(b'0.1 0.2 0.5 RG')
    p.frame(46, p.y, wide, p.size * 8)
    p.frame(46 + wide + 14, p.y, wide, p.size * 8)
    p.page.ops.append(b'0 0 0 RG')
    for x, head, some in ((54, 'VOTRE CONTRAT', [('N° de contrat', contract, '/numero_contrat', None, 'id'), ('N° de client', client, '/numero_client', None, 'id'), ('Formule', r.choice(('Tous risques', 'Tiers étendu', 'Tiers simple')), '/formule', None, 'text')]),
                          (54 + wide + 14, 'VOTRE VÉHICULE', [('Marque et modèle', r.choice(('Peugeot 208', 'Renault Kangoo', 'Citroën C3', 'Dacia Duster')), '/vehicule/marque_modele', None, 'text'), ('Immatriculation', plate, '/vehicule/immatriculation', None, 'id'), ('Puissance fiscale', '%d CV' % r.randint(4, 9), None, None, 'text')])):
        p.heading(x, p.y + p.size * 1.6, head, 0.9, colour=blue)
        for i, (label, text, at, value, kind) in enumerate(some):
            p.pair(x, p.y + p.size * (3.4 + 1.5 * i), label + ' :', text, at, value, kind, gap=92)
    p.y += p.size * 10.6
    x = p.put(46, p.y, 'Votre contrat se renouvelle pour la période du ')
    x = p.date(x, p.y, start, '/periode/debut')
    p.date(x, p.y, stop, '/periode/fin', before=' au ', after='.')
    p.y += p.size * 2.6
    rows = []
    for name, limit in r.sample((('Responsabilité civile', 100000000.0), ('Défense et recours', 8000.0), ('Vol et incendie', None), ('Bris de glace', None), ('Dommages tous accidents', None), ('Protection du conducteur', 500000.0), ('Assistance 0 km', None)), r.randint(3, 6)):
        own = r.choice((None, 75.0, 150.0, 300.0)) if limit is None else None
        rows.append({'garantie': name, 'plafond': p.cell(limit, 0) if limit else (None, None), 'franchise': p.cell(own, 0) if own else (None, None), 'cotisation': p.cell(cents(r, 12, 190))})
    p.types.update({'/garanties/*/plafond': 'number', '/garanties/*/franchise': 'number'})
    p.listing('/garanties', [('garantie', 'Garanties souscrites', 46, False), ('plafond', 'Plafond (€)', 300, True), ('franchise', 'Franchise (€)', 410, True), ('cotisation', 'Cotisation HT (€)', end, True)], rows, kinds_of(plafond='amount', franchise='amount', cotisation='amount'),
              look='bar', colour=blue, edge=(46, end), step=1.75)
    net, fee = round(sum(row['cotisation'][1] for row in rows), 2), r.choice((5.9, 6.2, 8.0))
    tax = round(net * 0.18, 2)
    catnat = r.choice((0.0, 7.05))
    total = round(net + fee + tax + catnat, 2)
    p.y += 4
    step, p.currency_at = (end - 46) / 5, '/devise'
    for i, (label, value, at) in enumerate((('Cotisation HT', net, '/cotisation_ht'), ('Frais de gestion', fee, '/frais'), ('Taxes', tax, '/taxes'), ('Cat. naturelles', catnat, None), ('TOTAL TTC', total, '/total_ttc'))):
        x = 46 + i * step
        p.fill(x, p.y, step - 4, 34, (0.9, 0.92, 0.98))
        p.put(x + 5, p.y + 12, label, size=p.size * 0.9)
        with p.look(at == '/total_ttc'):
            p.money(x + step - 10, p.y + 27, value, at, 'currency' if at == '/total_ttc' else True)
        if at:
            p.labelled.append(at)
    p.y += 34 + p.size * 2.4
    by_bank = seed % 2
    if p.maybe('/date_limite_paiement', not by_bank, 'date'):
        x = p.put(46, p.y, 'Merci de régler cette somme avant le ')
        with p.look(True):
            p.date(x, p.y, start, '/date_limite_paiement')
    if p.maybe('/date_prelevement', by_bank, 'date'):
        x = p.put(46, p.y, 'Aucune démarche de votre part : le montant sera prélevé le ')
        with p.look(True):
            p.date(x, p.y, later(start, 4), '/date_prelevement')
        p.y += p.size * 1.4
        p.put(46, p.y, 'sur le compte se terminant par ' + p.code('####') + '.')
    p.y = p.prose(46, p.y + p.size * 2.2, ['Vous disposez de vingt jours à compter de l’envoi de cet avis pour dénoncer la reconduction de votre contrat', '(articles L113-15-1 et L113-15-2 du code des assurances).'], size=0.9)
    p.again(46, p.height - 40, insurer, '/assureur', after=', société d’assurance mutuelle régie par le code des assurances, RCS %s %s' % (office[2], luhn(p.code('4#######'))), size=p.size * 0.75)
    p.lacks('/bonus_malus', 'amount')
    p.needed.update({'/numero_contrat', '/total_ttc'})
    p.says.update({'/assureur': 'Nom de la compagnie', '/numero_contrat': 'Numéro du contrat d’assurance', '/numero_client': 'Numéro du client ou du sociétaire', '/formule': 'Niveau de couverture', '/date_avis': 'Date à laquelle l’avis a été établi',
                   '/periode/debut': 'Premier jour de la période assurée', '/periode/fin': 'Dernier jour de la période assurée', '/garanties/*/franchise': 'Franchise en euros, s’il y en a une', '/garanties/*/plafond': 'Montant maximal garanti', '/taxes': 'Taxes sur les conventions d’assurance',
                   '/total_ttc': 'Montant à payer, taxes comprises', '/date_limite_paiement': 'Si le souscripteur paie lui-même', '/date_prelevement': 'Si la banque prélève', '/bonus_malus': 'Coefficient de réduction-majoration', '/devise': 'Code ISO de la devise'})
    return p.done_with('assureur souscripteur numero_contrat numero_client date_avis formule vehicule periode garanties cotisation_ht frais taxes total_ttc devise date_limite_paiement date_prelevement bonus_malus')


def relance(seed):
    """A letter that presses for payment: the receiver at the right, the subject in bold, open invoices in a table without sums, the reckoning in an indented list."""
    p = Departure(seed, 'relance', 'FR', style='plain', ordinary=False, fonts=COMPACT + ('LiberationSerif-Regular',), labels=('colon', 'beside'), money=('1 234,56', '1\u00a0234,56'), dates=('%d/%m/%Y', '%d %B %Y', '%d/%m/%y'), currency=('EUR',)).start()
    r, end, seller, home = p.r, p.width - 62, p.firms[0], p.home()
    buyer, there = p.firms[1], p.home()
    with p.look(True):
        p.show(62, p.y + 6, seller, '/creancier/nom', kind='name')
    low = p.nest(62, p.y + 6 + p.size * 1.35, home, '/creancier/adresse')
    p.put(62, low, 'Service recouvrement')
    p.put(62, low + p.size * 1.35, 'recouvrement@example.fr')
    p.show(340, 118, buyer, '/debiteur/nom', kind='name')
    p.nest(340, 118 + p.size * 1.35, there, '/debiteur/adresse')
    day = datetime.date(2025, r.randint(6, 12), r.randint(1, 28))
    text = '%s, le ' % home[2]
    p.date(340, 196, day, '/dateLettre', before=text)
    p.y = 226
    client, registered = p.code(r.choice(('C######', '411####', 'CL-#####'))), p.code('1A ### ### #### #')
    p.show(62, p.y, client, '/numeroClient', kind='id', before='Réf. client : ')
    p.labelled.append('/numeroClient')
    p.y += p.size * 1.5
    if p.maybe('/numeroRecommande', seed % 2, 'id'):
        p.show(62, p.y, registered, '/numeroRecommande', kind='id', before='Lettre recommandée avec AR n° ')
        p.y += p.size * 1.5
    x = p.heading(62, p.y, 'Objet : ')
    with p.look(True):
        p.show(x, p.y, r.choice(('Mise en demeure de payer', 'Deuxième relance', 'Dernier rappel avant mise en demeure')), '/objet', kind='text')
    p.labelled.append('/objet')
    p.y = p.prose(62, p.y + p.size * 2.8, ['Madame, Monsieur,', '', 'Sauf erreur ou omission de notre part, les factures ci-dessous restent impayées à ce jour', 'malgré nos précédents courriers :']) + p.size * 1.4
    rows, style = [], r.choice(('FA25-####', 'F25#####'))
    for ago in sorted((r.randint(45, 150) for _ in range(r.randint(1, 6))), reverse=True):
        made, value = later(day, -ago), cents(r, 60, 5200)
        paid = r.choice((0.0, 0.0, 0.0, round(value / 2, 2)))
        rows.append({'numero': p.code(style), 'dateFacture': (p.day(made), made.isoformat()), 'echeance': (p.day(later(made, 30)), later(made, 30).isoformat()), 'montant': p.cell(value), 'regle': p.cell(paid), 'solde': p.cell(round(value - paid, 2))})
    p.listing('/factures', [('numero', 'Facture', 62, False), ('dateFacture', 'Date', 150, False), ('echeance', 'Échéance', 240, False), ('montant', 'Montant TTC', 390, True), ('regle', 'Réglé', 455, True), ('solde', 'Reste dû', end, True)], rows,
              kinds_of(numero='id', dateFacture='date', echeance='date', montant='amount', regle='amount', solde='amount'), look=r.choice(('lines', 'plain')), ruled=True, edge=(62, end), step=1.7)
    principal, flat = round(sum(row['solde'][1] for row in rows), 2), 40.0 * len(rows)
    interest = round(principal * r.choice((0.021, 0.034)), 2)
    total = round(principal + flat + interest, 2)
    p.y += p.size
    p.put(62, p.y, 'Notre créance s’établit donc comme suit :')
    p.y += p.size * 2
    for label, value, at in (('- principal', principal, '/principal'), ('- pénalités de retard (article L441-10 du code de commerce)', interest, '/penalites'), ('- indemnité forfaitaire pour frais de recouvrement', flat, '/indemnite')):
        x = p.put(90, p.y, label + ' : ')
        p.money(x, p.y, value, at, True, right=False)
        p.labelled.append(at)
        p.y += p.size * 1.45
    x, p.currency_at = p.heading(90, p.y, 'soit un total de '), '/devise'
    with p.look(True):
        text = p.in_money(total)
        p.show(x, p.y, p.number(total), '/total', total, 'amount', after=' €')
        p.see_currency(x, p.y, text)
    p.y += p.size * 2.6
    limit = later(day, r.choice((8, 15)))
    x = p.put(62, p.y, 'Nous vous demandons de nous régler cette somme ')
    p.date(x, p.y, limit, '/dateLimite', before='au plus tard le ', after=', par virement')
    p.y += p.size * 1.4
    iban = french_iban(p)
    p.show(62, p.y, p.grouped(iban), '/iban', iban, 'id', before='sur notre compte IBAN ', after='. Passé ce délai, nous transmettrons')
    p.y = p.prose(62, p.y + p.size * 1.4, ['le dossier à notre conseil.', '', 'Veuillez agréer, Madame, Monsieur, l’expression de nos salutations distinguées.']) + p.size * 2
    p.show(340, p.y, p.people[0], '/signataire', kind='name')
    p.put(340, p.y + p.size * 1.35, 'Responsable comptable')
    siren = luhn(p.code('4#######'))
    text = 'au capital de 50 000 € – RCS %s %s %s %s – TVA %s' % (home[2], siren[:3], siren[3:6], siren[6:], french_vat(siren))
    p.put(p.middle(text, 0.75), p.height - 36, text, size=p.size * 0.75)
    p.distract('id', french_vat(siren))
    p.lacks('/numeroDossier', 'id')
    return p.done_with('creancier debiteur dateLettre numeroClient numeroRecommande numeroDossier objet factures principal penalites indemnite total devise dateLimite iban signataire')


# -- Dutch

def vrachtfactuur(seed):
    """A carrier's bill on its side: each consignment in two lines with where it went, surcharges in percent, weights and loading metres, sums at the left of the foot."""
    p = Departure(seed, 'vrachtfactuur', 'NL', style='plain', ordinary=True, fonts=COMPACT, labels=('colon', 'gap'), money=('1.234,56',), dates=('%d-%m-%Y', '%d-%m-%y', '%d/%m/%Y'), currency=('EUR',))
    r, end, carrier, home = p.r, papers.A4[1] - 44, 'Oostdam Logistiek B.V.', p.home()
    number, day = p.code(r.choice(('VF25#####', '2025-####', '88######'))), p.some_day()
    customer = next(firm for firm in p.firms if firm != carrier)

    def page(done):
        p.start(landscape=True)
        first = p.n_page == 1
        with p.look(True, (0.75, 0.35, 0.0)):
            p.show(44, p.y + 6, carrier, '/carrier_name', kind='name', size=p.size * 1.6, more=not first)
        p.again(end, p.y + 6, number, '/invoice_number', before='Vrachtfactuur ', right=True) if not first else p.heading(end, p.y + 6, 'VRACHTFACTUUR', 1.4, right=True)
        p.y += 34

    page(0)
    top = p.y
    p.nest(44, top - p.size, home, '/carrier_address', False)
    p.show(300, top - p.size, customer, '/customer_name', kind='name')
    p.put(300, top + p.size * 0.35, 't.a.v. crediteurenadministratie')
    p.nest(300, top + p.size * 1.7, p.home(), '/customer_address', False)
    y = top - p.size
    due = later(day, r.choice((14, 30)))
    for line in (('Factuurnummer', number, '/invoice_number', None, 'id'), iso(p, '/invoice_date', day, 'Factuurdatum'), iso(p, '/due_date', due, 'Vervaldatum'), ('Debiteurnummer', p.code('1#####'), '/customer_number', None, 'id'), ('Week', str(day.isocalendar()[1]), None, None, 'number')):
        p.field(560, y, *line, gap=90)
        y += p.size * 1.5
    p.y = max(y, top + p.size * 6) + 22
    rows = []
    towns = ['Goes', 'Venlo', 'Antwerpen', 'Duisburg', 'Leeuwarden', 'Lille', 'Apeldoorn', 'Bremen', 'Gent']
    for i in range(r.choice((2, 5, 8, 14, 22))):
        when = later(day, -r.randint(1, 7))
        a, b = r.sample(towns, 2)
        kg, metres = r.randint(80, 19000), r.randint(4, 136) / 10
        freight = cents(r, 45, 940)
        fuel = round(freight * 0.095, 2)
        extra = r.choice((None, None, cents(r, 10, 85)))
        rows.append({'shipment_number': p.code('ZN######'), 'date': (p.day(when), when.isoformat()), 'from': a, 'to': b, 'packages': p.cell(r.randint(1, 33), 0), 'weight_kg': p.cell(kg, 0), 'loading_metres': p.cell(metres, 1), 'freight': p.cell(freight),
                     'fuel_surcharge': p.cell(fuel), 'other_charges': p.cell(extra) if extra else (None, None), 'total': p.cell(round(freight + fuel + (extra or 0), 2)), 'consignee_reference': p.code('PO-#####') if r.random() < 0.5 else None})
    p.types.update({'/shipments/*/other_charges': 'number', '/shipments/*/consignee_reference': 'string'})
    p.optional.update({'/shipments/*/other_charges', '/shipments/*/consignee_reference'})
    p.listing('/shipments', [('shipment_number', 'Zending', 44, False), ('date', 'Datum', 110, False), ('from', 'Laadplaats', 175, False), ('to', 'Losplaats', 255, False), ('packages', 'Colli', 370, True), ('weight_kg', 'Gewicht kg', 440, True), ('loading_metres', 'Ldm', 490, True), ('freight', 'Vracht', 560, True),
                             ('fuel_surcharge', 'Diesel-\ntoeslag', 625, True), ('other_charges', 'Overige\nkosten', 695, True), ('total', 'Bedrag €', end, True)], rows, kinds_of(date='date', shipment_number='id', freight='amount', fuel_surcharge='amount', other_charges='amount', total='amount', consignee_reference='id'),
              under=[[('consignee_reference', 175, 'Ref. ontvanger: ')]], look=r.choice(('grey', 'lines')), edge=(44, end), on_full=page, step=1.6, bottom=70)
    for row in p.value['shipments']:
        row.setdefault('consignee_reference', None)
    if p.y > p.height - 150:
        page(len(rows))
    net = round(sum(row['total'][1] for row in rows), 2)
    free = seed % 4 == 3
    vat = 0.0 if free else round(net * 0.21, 2)
    total = round(net + vat, 2)
    kg = sum(row['weight_kg'][1] for row in rows)
    p.put(480, p.y, 'Dieseltoeslag deze periode 9,5 % over de vracht', size=p.size * 0.9)
    p.show(480, p.y + p.size * 1.5, p.number(kg, 0), '/total_weight_kg', kg, 'number', before='Totaal vervoerd gewicht: ', after=' kg')
    p.sums(44, 300, [('Totaal exclusief btw', net, '/total_excluding_vat'), ('Btw verlegd' if free else 'Btw 21 %', vat, '/vat_amount')], True)
    p.strong(44, 300, 'Te voldoen', total, '/total_including_vat', 'currency')
    iban = iban_of('NL', 'RABO' + p.code('0#########'))
    x = p.put(44, p.y + 6, 'Gaarne betaling op ')
    p.show(x, p.y + 6, p.grouped(iban), '/iban', iban, 'id', before='IBAN ', after=' onder vermelding van het factuurnummer.')
    vat_id = dutch_vat(p)
    text = 'Btw-nr. '
    x = p.show(44, p.height - 34, vat_id, '/carrier_vat_number', kind='id', before=text, size=p.size * 0.8)
    p.put(x, p.height - 34, '   KvK ' + p.code('########') + '   Op al onze overeenkomsten zijn de AVC 2002 en de CMR van toepassing.', size=p.size * 0.8)
    p.labelled += ['/iban', '/carrier_vat_number', '/total_weight_kg']
    p.integers.update({'/shipments/*/packages'})
    p.lacks('/license_plate')
    p.says.update({'/carrier_name': 'Company that carried the goods and sends the bill', '/customer_name': 'Company that pays', '/customer_number': 'Number of the customer in the books of the carrier', '/shipments': 'One entry for each consignment', '/shipments/*/from': 'Place of loading',
                   '/shipments/*/to': 'Place of unloading', '/shipments/*/packages': 'Number of packages', '/shipments/*/freight': 'Price of the carriage without surcharges', '/shipments/*/other_charges': 'Other costs, null if there are none', '/shipments/*/total': 'Amount of the line',
                   '/shipments/*/consignee_reference': 'Reference of the receiver, null if there is none', '/total_excluding_vat': 'Net amount', '/vat_amount': 'VAT', '/total_including_vat': 'Amount to pay', '/due_date': 'Date by which to pay', '/license_plate': 'Registration of the lorry', '/currency': 'ISO 4217'})
    return p.done_with('invoice_number invoice_date due_date customer_number carrier_name carrier_address carrier_vat_number customer_name customer_address license_plate shipments total_weight_kg total_excluding_vat vat_amount total_including_vat currency iban')


# -- Spanish

def albaran(seed):
    """A delivery note without prices from a printer of one width of letters: boxes with dotted lines, batch and day of expiry of each line, signature of who takes it."""
    p = Departure(seed, 'albaran', 'ES', style='strict', ordinary=False, fonts=('LiberationMono-Regular', 'LiberationMono-Regular', 'LiberationSansNarrow-Regular'), labels=('colon', 'beside'), money=('1.234,56',), dates=('%d/%m/%Y', '%d-%m-%Y', '%d/%m/%y'), currency=('EUR',))
    p.size = 8
    r, end, seller, home = p.r, papers.A4[0] - 40, p.firms[0], p.home()
    number, day = p.code(r.choice(('A25/#####', 'ALB-######', '2500####'))), p.some_day()

    def page(done):
        p.start()
        first = p.n_page == 1
        p.show(40, p.y + 8, seller.upper() if seed % 2 else seller, '/emisor/nombre', kind='name', more=not first, size=p.size * 1.3)
        p.put(end, p.y + 8, 'ALBARÁN DE ENTREGA', right=True, size=p.size * 1.3)
        p.y += 22
        if not first:
            p.again(end, p.y, number, '/numero_albaran', before='Núm. ', after='  Hoja %d' % p.n_page, right=True)
            p.y += 28

    page(0)
    y = p.nest(40, p.y, home, '/emisor/direccion', None, ('calle', 'codigo_postal', 'ciudad', 'pais'))
    cif = spanish_cif(p)
    p.show(40, y, cif, '/emisor/cif', kind='id', before='C.I.F. ')
    p.labelled.append('/emisor/cif')
    buyer = p.firms[1]
    p.frame(300, p.y - 12, end - 300, 70)
    p.put(306, p.y - 2, 'Entregar en:', size=p.size * 0.9)
    p.show(306, p.y - 2 + p.size * 1.7, buyer, '/destinatario/nombre', kind='name')
    p.nest(306, p.y - 2 + p.size * 3.1, p.home(), '/destinatario/direccion', None, ('calle', 'codigo_postal', 'ciudad', 'pais'))
    p.y = y + 58
    for x, label, text, at, value, kind in ((40, 'ALBARÁN', number, '/numero_albaran', None, 'id'), (160, *iso(p, '/fecha', day, 'FECHA')), (250, 'SU PEDIDO', p.code('PC-#####'), '/su_pedido', None, 'id'), (350, 'CLIENTE', p.code('43####'), '/codigo_cliente', None, 'id'), (430, 'TRANSPORTISTA', r.choice(('SEUR', 'Medios propios', 'TIPSA', 'Nacex')), '/transportista', None, 'text')):
        p.put(x, p.y, label)
        p.show(x, p.y + p.size * 1.5, text, at, value, kind)
        p.labelled.append(at)
    p.y += p.size * 4.6
    rows = []
    for name in (r.choice('Atún claro en aceite;Tomate triturado 5 kg;Vino tinto crianza 75 cl;Gasas estériles 20x20;Suero fisiológico;Aceitunas rellenas;Jabón de manos 5 l;Miel de romero 1 kg;Guantes nitrilo talla M'.split(';')) for _ in range(r.choice((2, 4, 6, 11, 48)))):
        lot = r.random() < 0.75
        until = later(day, r.randint(90, 900))
        rows.append({'codigo': p.code('#####'), 'descripcion': name, 'lote': p.code('L####@') if lot else (None, None), 'caducidad': (p.day(until), until.isoformat()) if lot else (None, None),
                     'bultos': p.cell(r.randint(1, 12), 0), 'cantidad': p.cell(r.choice((r.randint(1, 200), r.randint(1000, 2400))), 0)})
    p.types.update({'/lineas/*/lote': 'string', '/lineas/*/caducidad': 'date'})
    p.listing('/lineas', [('codigo', 'Código', 40, False), ('descripcion', 'Descripción', 95, False), ('lote', 'Lote', 270, False), ('caducidad', 'Caducidad', 325, False), ('bultos', 'Bultos', 455, True), ('cantidad', 'Cantidad', end, True)], rows, kinds_of(codigo='id', lote='id', caducidad='date'),
              look='plain' if seed % 2 else 'lines', edge=(40, end), on_full=page, step=1.6, bottom=170)
    parcels = sum(row['bultos'][1] for row in rows)
    weight = r.randint(40, 9000) / 10
    p.y += 8
    for label, text, at, value in (('TOTAL BULTOS', p.number(parcels, 0), '/total_bultos', parcels), ('PESO BRUTO (KG)', p.number(weight, 1), '/peso_bruto_kg', weight)):
        p.put(300, p.y, label)
        p.show(end, p.y, text, at, value, 'number', right=True)
        p.labelled.append(at)
        p.y += p.size * 1.6
    p.y += 10
    if p.maybe('/observaciones', seed % 2, 'text'):
        p.show(40, p.y, r.choice(('Entregar solo por la mañana', 'Avisar antes de descargar', 'Falta 1 bulto, se envía aparte')), '/observaciones', kind='text', before='Observaciones: ')
        p.labelled.append('/observaciones')
        p.y += p.size * 2
    p.frame(40, p.y, 200, 60)
    p.frame(260, p.y, end - 260, 60)
    p.put(46, p.y + 11, 'Recibí conforme (firma y sello)', size=p.size * 0.9)
    p.put(266, p.y + 11, 'DNI', size=p.size * 0.9)
    p.put(266, p.y + 40, 'Fecha y hora', size=p.size * 0.9)
    p.put(40, p.height - 36, 'Este documento no es una factura. Los precios figuran en la factura.', size=p.size * 0.9)
    p.integers.update({'/total_bultos', '/lineas/*/bultos', '/lineas/*/cantidad'})
    p.lacks('/matricula')
    p.lacks('/importe_total', 'amount')
    p.lacks('/fecha_recepcion', 'date')
    return p.done_with('numero_albaran fecha su_pedido codigo_cliente emisor destinatario transportista matricula lineas total_bultos peso_bruto_kg importe_total observaciones fecha_recepcion')


# -- Italian

def contocorrente(seed):
    """A statement of account: the account's number in its parts in boxes, two dates, debits before credits, what it is for at the right; the interest and the next date at the end."""
    p = Departure(seed, 'contocorrente', 'IT', style='classes', ordinary=False, fonts=COMPACT, labels=('colon',), money=('1.234,56',), dates=('%d/%m/%Y', '%d/%m/%y', '%d.%m.%Y'), currency=('EUR',))
    r, end, bank = p.r, papers.A4[0] - 42, p.r.choice(('Banca del Tanaro S.p.A.', 'Cassa di Risparmio Adriatica', 'Credito Padano'))
    green, holder = (0.0, 0.4, 0.3), r.choice(p.people + p.firms)
    account = italian_account(p)
    iban = iban_of('IT', account)
    month = r.choice((3, 6, 9, 12))
    start = datetime.date(2025, month - 2, 1)
    stop = later(later(datetime.date(2025, month, 28), 5).replace(day=1), -1)
    balance = opening = cents(r, 300, 22000) * (1 if seed % 4 else -1)
    p.minus = r.choice(('front', 'back'))
    if p.minus == 'back':
        balance = opening = abs(opening)
    rows, debits, credits = [], 0.0, 0.0
    for day in sorted(later(start, r.randint(1, (stop - start).days - 3)) for _ in range(r.choice((3, 8, 15, 28, 48)))):
        name, way = r.choice(((['Pagamento POS', 'CARTA *' + p.code('####') + ' ESSELUNGA'], 0), (['Bonifico a vostro favore', 'ORD. ' + r.choice(('VALENTI TESSUTI', 'INPS', 'BASSI LEGNAMI'))], 1), (['Addebito SDD', 'ENEL ENERGIA ' + p.code('#####')], 0), (['Prelievo Bancomat'], 0), (['Commissioni e spese'], 0), (['Versamento contanti'], 1), (['Disposizione di bonifico', 'A FAVORE DI STUDIO SALA'], 0)))
        value = cents(r, 200, 3800) if way else cents(r, 2, 900)
        balance = round(balance + (value if way else -value), 2)
        debits, credits = round(debits + (0 if way else value), 2), round(credits + (value if way else 0), 2)
        worth = later(day, r.choice((0, 0, 1, 2)))
        rows.append({'booking_date': (p.day(day), day.isoformat()), 'value_date': (p.day(worth), worth.isoformat()), 'debit': (None, None) if way else p.cell(value), 'credit': p.cell(value) if way else (None, None), 'description': (name, ' '.join(name))})

    def page(done):
        p.start()
        first = p.n_page == 1
        with p.look(True, green):
            p.show(42, p.y + 6, bank, '/bank_name', kind='name', size=p.size * 1.6, more=not first)
        p.put(end, p.y + 6, 'pag. %d' % p.n_page, right=True)
        p.y += 26
        if not first:
            p.again(42, p.y, p.grouped(iban), '/account/iban', before='IBAN ')
            p.y += 26

    page(0)
    p.heading(42, p.y + 6, 'ESTRATTO CONTO', 1.3)
    x = p.date(42, p.y + 6 + p.size * 1.7, start, '/period_start', before='dal ')
    p.date(x, p.y + 6 + p.size * 1.7, stop, '/period_end', before=' al ')
    p.show(330, 110, holder, '/holder/name', kind='name')
    p.nest(330, 110 + p.size * 1.35, p.home(), '/holder/address')
    p.y = 172
    p.heading(42, p.y, 'Coordinate del conto', 0.95, colour=green)
    p.y += 6
    left = 42
    for wide, label, text, key in ((36, 'Paese', 'IT', None), (40, 'Check', iban[2:4], None), (30, 'CIN', account[0], None), (54, 'ABI', account[1:6], 'abi'), (54, 'CAB', account[6:11], 'cab'), (110, 'Numero conto', account[11:], 'number')):
        p.boxes(left, p.y, [(wide, label, text, key and '/account/' + key, None, 'id' if key else 'code')], 26)
        left += wide
    p.boxes(left, p.y, [(end - left, 'BIC', p.code('@@@@IT2@'), '/account/bic', None, 'id')], 26)
    p.y += 42
    p.field(42, p.y, 'IBAN', p.grouped(iban), '/account/iban', iban, 'id', gap=0)
    p.in_code(end, p.y, before='Conto in divisa: ', right=True)
    p.labelled.append('/currency')
    p.y += p.size * 3
    columns = [('booking_date', 'Data', 42, False), ('value_date', 'Valuta', 100, False), ('debit', 'Dare', 225, True), ('credit', 'Avere', 300, True), ('description', 'Descrizione operazione', 318, False)]
    p.types.update({'/transactions/*/debit': 'number', '/transactions/*/credit': 'number'})
    p.put(318, p.y, 'SALDO INIZIALE AL ' + p.day(later(start, -1)))
    p.distract('date', later(start, -1).isoformat())
    p.show(300 if opening >= 0 else 225, p.y, p.number(opening), '/opening_balance', opening, 'amount', right=True)
    p.y += p.size * 2.6
    p.listing('/transactions', columns, rows, kinds_of(booking_date='date', value_date='date', debit='amount', credit='amount'), look=r.choice(('grey', 'lines')), edge=(42, end), on_full=page, step=1.55, bottom=90, ruled=seed % 3 == 0)
    if p.y > p.height - 150:
        page(len(rows))
    p.put(318, p.y, 'TOTALE MOVIMENTI')
    p.money(225, p.y, debits, '/total_debits')
    p.money(300, p.y, credits, '/total_credits')
    p.y += p.size * 1.8
    with p.look(True):
        p.again(318, p.y, p.day(stop), '/period_end', before='SALDO FINALE AL ')
        p.show(300 if balance >= 0 else 225, p.y, p.number(balance), '/closing_balance', balance, 'amount', right=True)
    p.labelled += ['/opening_balance', '/closing_balance', '/total_debits', '/total_credits']
    p.y += p.size * 3
    p.put(42, p.y, 'Tasso creditore annuo lordo: 0,010 %    Tasso debitore annuo: ' + p.number(r.randint(800, 1400) / 100, 3) + ' %')
    p.prose(42, p.y + p.size * 1.6, ['Trascorsi sessanta giorni dal ricevimento senza opposizione scritta, l’estratto conto si intende approvato', '(art. 119 T.U.B.).'], size=0.9)
    text = 'Iscritta all’Albo delle Banche n. %s - Codice fiscale %s' % (p.code('####'), partita_iva(p))
    p.put(p.middle(text, 0.75), p.height - 32, text, size=p.size * 0.75)
    p.lacks('/branch_name')
    p.lacks('/overdraft_limit', 'amount')
    p.says.update({'/bank_name': 'Name of the bank', '/period_start': 'First day of the statement', '/period_end': 'Last day of the statement', '/account/number': 'Account number without bank and branch', '/account/abi': 'Code of the bank, five digits', '/account/cab': 'Code of the branch, five digits',
                   '/account/iban': 'IBAN without spaces', '/opening_balance': 'Balance at the start, negative if overdrawn', '/closing_balance': 'Balance at the end, negative if overdrawn', '/transactions/*/booking_date': 'Date of the entry', '/transactions/*/value_date': 'Value date',
                   '/transactions/*/debit': 'Money out, as a positive number', '/transactions/*/credit': 'Money in', '/transactions/*/description': 'All lines of the description', '/overdraft_limit': 'Agreed overdraft', '/branch_name': 'Name of the branch'})
    return p.done_with('bank_name branch_name holder account period_start period_end currency opening_balance transactions total_debits total_credits closing_balance overdraft_limit')


# -- Polish

def potwierdzenie(seed):
    """An order confirmed: no letterhead but a line at the foot, facts in two columns whose labels stand over their values, a day of dispatch and a rebate in each line."""
    p = Departure(seed, 'potwierdzenie', 'PL', style='strict', ordinary=False, fonts=COMPACT, labels=('above',), money=('1 234,56', '1\u00a0234,56', '1.234,56'), dates=('%d.%m.%Y', '%Y-%m-%d', '%d-%m-%Y'), currency=('PLN', 'EUR'))
    r, end, seller, home = p.r, papers.A4[0] - 48, p.firms[0], p.home()
    number, day, mine = p.code(r.choice(('ZK/####/2025', 'ZS-25-#####', '110#####'))), p.some_day(), nip(p)
    regon, krs = p.code('#########'), p.code('0000######')

    def page(done):
        p.start()
        first = p.n_page == 1
        y = p.height - 40
        p.rule(48, end, y - 12)
        small = p.size * 0.78
        x = p.show(48, y, seller, '/sprzedawca/nazwa', kind='name', size=small, after=', ', more=not first)
        x = p.show(x, y, home[0], '/sprzedawca/adres/ulica', kind='text', size=small, after=', ', more=not first)
        x = p.show(x, y, home[1], '/sprzedawca/adres/kodPocztowy', kind='code', size=small, after=' ', more=not first)
        p.show(x, y, home[2], '/sprzedawca/adres/miasto', kind='text', size=small, more=not first)
        p.show(48, y + small * 1.35, mine, '/sprzedawca/nip', kind='id', before='NIP ', after='   REGON %s   KRS %s' % (regon, krs), size=small, more=not first)
        p.put(end, y, 'Strona %d' % p.n_page, right=True, size=small)
        if not first:
            p.again(48, p.y, number, '/numerZamowienia', before='Potwierdzenie zamówienia ')
            p.y += 30

    page(0)
    p.distract('id', regon)
    p.distract('id', krs)
    p.heading(48, p.y + 12, 'POTWIERDZENIE ZAMÓWIENIA', 1.5)
    p.y += 46
    top, buyer, person = p.y, p.firms[1], p.people[0]
    p.put(48, top, 'Zamawiający', size=p.size * 0.85)
    p.show(48, top + p.size * 1.4, buyer, '/zamawiajacy/nazwa', kind='name')
    y = p.nest(48, top + p.size * 2.75, p.home(), '/zamawiajacy/adres', False, ('ulica', 'kodPocztowy', 'miasto', 'kraj'))
    p.show(48, y, nip(p), '/zamawiajacy/nip', kind='id', before='NIP: ')
    p.labelled.append('/zamawiajacy/nip')
    if p.maybe('/adresDostawy', seed % 2 == 0, 'text'):
        p.put(48, y + p.size * 2, 'Adres dostawy', size=p.size * 0.85)
        text = '%s, %s %s' % tuple(p.home())
        p.show(48, y + p.size * 3.4, text, '/adresDostawy', kind='address')
        p.labelled.append('/adresDostawy')
    their = p.code(r.choice(('ZAM/####', 'PO-#####', '45000#####')))
    facts = [[('Numer zamówienia', number, '/numerZamowienia', None, 'id'), iso(p, '/dataPotwierdzenia', day, 'Data potwierdzenia'), ('Opiekun klienta', p.people[1], '/opiekun', None, 'name')],
             [('Państwa numer', their, '/numerZamowieniaKlienta', None, 'id'), iso(p, '/dataZamowienia', later(day, -r.randint(1, 4)), 'Z dnia'), ('Warunki dostawy', r.choice(('DAP', 'EXW Rzeszów', 'odbiór własny')), '/warunkiDostawy', None, 'text')]]
    for x, column in zip((310, 430), facts):
        y = top
        for label, text, at, value, kind in column:
            p.put(x, y, label, size=p.size * 0.85)
            with p.look(True):
                p.show(x, y + p.size * 1.3, text, at, value, kind)
            p.labelled.append(at)
            y += p.size * 3.4
    p.y = top + p.size * 13.5
    p.y = p.prose(48, p.y, ['Dziękujemy za zamówienie. Niniejszym potwierdzamy przyjęcie do realizacji następujących pozycji:']) + p.size * 1.6
    rows, rate = [], 23
    goods = 'Profil stalowy 40x40x2;Blacha ocynk 1,5 mm;Agregat chłodniczy AC-3;Okno PCV 1200x1400;Klamka aluminiowa;Uszczelka EPDM, mb;Szyba zespolona 4/16/4;Śruba M10x60 ocynk;Łożysko 6205 2RS'.split(';')
    for name in (r.choice(goods) for _ in range(r.choice((1, 3, 6, 9, 34)))):
        n, price, off = r.choice((r.randint(1, 60), r.choice((500, 1200)))), cents(r, 1, 420), r.choice((0, 0, 5, 12))
        send = later(day, r.randint(3, 30))
        rows.append({'indeks': p.code('@@-####'), 'nazwa': name, 'ilosc': p.cell(n, 0), 'jm': r.choice(('szt.', 'kg', 'mb')), 'dataWysylki': (p.day(send), send.isoformat()), 'cena': p.cell(price), 'rabat': ('%d%%' % off, off) if off else (None, None), 'wartosc': p.cell(round(n * price * (100 - off) / 100, 2))})
    p.types['/pozycje/*/rabat'] = 'number'
    p.listing('/pozycje', [('_lp', 'Lp.', 48, False), ('indeks', 'Indeks', 72, False), ('nazwa', 'Nazwa', 120, False), ('ilosc', 'Ilość', 275, True), ('jm', 'j.m.', 281, False), ('dataWysylki', 'Wysyłka', 310, False), ('cena', 'Cena netto', 428, True), ('rabat', 'Rabat', 470, True), ('wartosc', 'Wartość netto', end, True)],
              [{'_lp': str(i + 1), **row} for i, row in enumerate(rows)], kinds_of(indeks='id', dataWysylki='date', cena='amount', wartosc='amount', rabat='rate', jm='unit'), look=r.choice(('grey', 'rule')), edge=(48, end), on_full=page, step=1.6, bottom=90)
    if p.y > p.height - 190:
        page(len(rows))
    net = round(sum(row['wartosc'][1] for row in rows), 2)
    vat = round(net * rate / 100, 2)
    p.currency_at = '/waluta'
    p.sums(340, end, [('Razem netto', net, '/sumaNetto'), ('VAT 23%', vat, '/kwotaVat')], False)
    with p.look(True):
        p.put(340, p.y, 'Razem brutto')
        x = end - p.wide(p.number(round(net + vat, 2)) + ' ' + p.currency)
        x = p.show(x, p.y, p.number(round(net + vat, 2)), '/sumaBrutto', round(net + vat, 2), 'amount', after=' ')
        p.show(x, p.y, p.currency, '/waluta', kind='currency')
    p.labelled.append('/sumaBrutto')
    p.y += p.size * 2.4
    p.show(48, p.y, r.choice(('przelew 14 dni', 'przelew 30 dni', 'przedpłata')), '/warunkiPlatnosci', kind='text', before='Warunki płatności: ')
    p.labelled.append('/warunkiPlatnosci')
    p.prose(48, p.y + p.size * 1.6, ['Prosimy o sprawdzenie potwierdzenia. Ewentualne uwagi prosimy zgłaszać w ciągu 24 godzin.', 'Dokument wygenerowano elektronicznie, nie wymaga podpisu.'], size=0.92)
    p.lacks('/numerRachunku', 'id')
    p.lacks('/terminPlatnosci', 'date')
    return p.done_with('numerZamowienia dataPotwierdzenia numerZamowieniaKlienta dataZamowienia sprzedawca zamawiajacy adresDostawy opiekun warunkiDostawy pozycje sumaNetto kwotaVat sumaBrutto waluta warunkiPlatnosci terminPlatnosci numerRachunku')


# -- Danish

def loenseddel(seed):
    """A payslip: lines with code, units and rate, deductions with the sign behind or in front, sums of the year in a row of boxes, what goes to the bank in the last line."""
    p = Departure(seed, 'loenseddel', 'DK', style='plain', ordinary=False, fonts=COMPACT, labels=('colon', 'gap'), money=('1.234,56',), minus=('front', 'back'), dates=('%d.%m.%Y', '%d-%m-%Y', '%d.%m.%y'), currency=('DKK',)).start()
    r, end, firm = p.r, p.width - 50, p.firms[0]
    month = r.randint(1, 12)
    start = datetime.date(2025, month, 1)
    stop = later(later(start, 31).replace(day=1), -1)
    paid = stop if r.random() < 0.6 else later(stop, -2)
    p.heading(50, p.y + 8, 'LØNSEDDEL', 1.6)
    p.show(end, p.y + 8, firm, '/employer_name', kind='name', right=True, size=p.size * 1.15)
    home = p.home()
    p.show(end, p.y + 8 + p.size * 1.6, '%s, %s %s' % tuple(home), '/employer_address', kind='address', right=True)
    p.show(end, p.y + 8 + p.size * 3, ' '.join(re.findall('..', weighed(p, (-2, -7, -6, -5, -4, -3, -2)))), '/employer_cvr', kind='id', before='CVR-nr. ', right=True)
    p.labelled.append('/employer_cvr')
    p.y += 66
    top = p.y
    person = p.people[0]
    p.show(50, top, person, '/employee/name', kind='name')
    p.nest(50, top + p.size * 1.35, p.home(), '/employee/address', None)
    born = datetime.date(r.randint(1960, 2003), r.randint(1, 12), r.randint(1, 28))
    p.y = top
    reg, account = p.code('####'), p.code('00########')
    p.fields(330, [('Medarbejdernr.', p.code('####'), '/employee/number', None, 'id'), ('CPR-nr.', '%s-%s' % (born.strftime('%d%m%y'), p.code('####')), '/employee/cpr_number', None, 'id'), ('Lønperiode', p.day(start), '/period_start', start.isoformat(), 'date'), iso(p, '/payment_date', paid, 'Til disposition')], gap=96)
    x = 330 + 96 + p.wide(p.day(start))
    y = top + 2 * p.step()
    p.date(x, y, stop, '/period_end', before=' - ')
    p.y = max(p.y, top + p.size * 6) + 20
    rows, gross = [], 0.0
    hourly = r.random() < 0.4
    items = []
    if hourly:
        n, rate = r.randint(240, 322) / 2, cents(r, 150, 260)
        items.append(('1010', 'Timeløn', n, rate, round(n * rate, 2)))
        if r.random() < 0.6:
            n = r.randint(2, 30) / 2
            items.append(('1110', 'Overtid 50 %', n, round(rate * 1.5, 2), round(n * round(rate * 1.5, 2), 2)))
    else:
        items.append(('1000', 'Månedsløn', None, None, float(r.randint(24000, 56000))))
        if r.random() < 0.5:
            items.append(('1250', 'Funktionstillæg', None, None, float(r.randint(500, 2500))))
    pay = round(sum(item[4] for item in items), 2)
    pension, atp = round(pay * 0.04, 2), 99.0
    base = round(pay - pension - atp, 2)
    am = float(round(base * 0.08))
    free = float(r.choice((4300, 5100)))
    tax = float(round(max(base - am - free, 0) * r.choice((0.37, 0.38, 0.39))))
    items += [('3000', 'Pensionsbidrag medarbejder 4 %', None, None, -pension), ('3400', 'ATP-bidrag', None, None, -atp), ('5000', 'AM-bidrag 8 %', base, None, -am), ('5100', 'A-skat', round(base - am - free, 2), None, -tax)]
    if r.random() < 0.6:
        items.append(('6010', r.choice(('Frokostordning', 'Personaleforening', 'Fagligt kontingent')), None, None, -float(r.randint(50, 600))))
    mileage = r.random() < 0.4
    if mileage:
        n = float(r.randint(40, 700))
        items.append(('7000', 'Kørselsgodtgørelse, km', n, 3.81, round(n * 3.81, 2)))
    for code, name, n, rate, value in items:
        rows.append({'code': code, 'description': name, 'units': p.cell(n) if n is not None else (None, None), 'rate': p.cell(rate) if rate is not None else (None, None), 'amount': p.cell(value)})
    p.types.update({'/lines/*/units': 'number', '/lines/*/rate': 'number'})
    p.optional.update({'/lines/*/units', '/lines/*/rate'})
    p.listing('/lines', [('code', 'Kode', 50, False), ('description', 'Tekst', 95, False), ('units', 'Enheder/grundlag', 345, True), ('rate', 'Sats', 420, True), ('amount', 'Beløb', end, True)], rows, kinds_of(code='code', rate='amount', amount='amount'), look=r.choice(('lines', 'grey', 'rule')), edge=(50, end), step=1.6)
    net = round(sum(item[4] for item in items), 2)
    p.rule(50, end, p.y - p.size * 1.1)
    p.y += p.size * 0.6
    with p.look(True):
        x = p.put(50, p.y, 'Udbetales til ')
        x = p.show(x, p.y, reg, '/bank_registration_number', kind='id', before='reg.nr. ')
        p.show(x, p.y, account, '/bank_account_number', kind='id', before=' kontonr. ')
        p.show(end - p.wide(p.number(net)) - 6, p.y, 'DKK', '/currency', kind='currency', right=True)
        p.money(end, p.y, net, '/net_pay')
    p.labelled += ['/bank_registration_number', '/bank_account_number', '/net_pay', '/employee/number']
    p.y += p.size * 3.4
    p.heading(50, p.y, 'Saldi år til dato')
    p.y += 6
    months = month + r.random() / 10
    year = [('AM-indkomst', round(base * months, 2), '/year_to_date/taxable_income'), ('AM-bidrag', float(round(am * months)), '/year_to_date/labour_market_contribution'), ('A-skat', float(round(tax * months)), '/year_to_date/tax'), ('ATP', atp * month, '/year_to_date/atp'), ('Pension', round(pension * months, 2), '/year_to_date/pension')]
    wide = (end - 50) / 5
    p.boxes(50, p.y, [(wide, label, p.number(value), at, value, 'amount') for label, value, at in year], 28)
    p.y += 46
    holidays = r.randint(0, 500) / 20
    p.show(50, p.y, p.number(holidays), '/holiday_days_left', holidays, 'number', before='Feriedage til rest: ')
    p.y += p.size * 1.5
    p.put(50, p.y, 'Trækprocent %d %%   Månedsfradrag %s   Skattekort: hovedkort' % (r.choice((37, 38, 39)), p.number(free)))
    p.labelled += [at for _, _, at in year] + ['/holiday_days_left']
    p.put(50, p.height - 40, 'Gem lønsedlen. Spørgsmål rettes til lønkontoret, tlf. ' + p.code('## ## ## ##') + '.', size=p.size * 0.85)
    p.lacks('/employee/job_title')
    p.lacks('/employment_date', 'date')
    p.says.update({'/employer_name': 'Who pays the wages', '/employer_cvr': 'Danish company number, as printed', '/employee/cpr_number': 'Personal number', '/employee/number': 'Number of the employee in the firm', '/period_start': 'First day of the pay period', '/period_end': 'Last day of the pay period',
                   '/payment_date': 'Day on which the money is at the employee\'s disposal', '/lines': 'All lines of the payslip in their order', '/lines/*/units': 'Hours, kilometres or the base of the line, null if none is printed', '/lines/*/rate': 'Rate per unit, null if none is printed',
                   '/lines/*/amount': 'Amount with its sign: deductions are negative', '/net_pay': 'Amount paid to the bank account', '/year_to_date': 'Sums since the first of January', '/holiday_days_left': 'Days of holiday that are left', '/employment_date': 'Day on which the employment began', '/currency': 'ISO 4217 code'})
    return p.done_with('employer_name employer_address employer_cvr employee period_start period_end payment_date employment_date lines net_pay currency bank_registration_number bank_account_number year_to_date holiday_days_left')


KINDS = {'webhost': webhost, 'water': water, 'hoadues': hoadues, 'machinequote': machinequote, 'handwerk': handwerk, 'zahnarzt': zahnarzt, 'gutschrift': gutschrift, 'avisecheance': avisecheance, 'relance': relance, 'vrachtfactuur': vrachtfactuur, 'albaran': albaran,
         'contocorrente': contocorrente, 'potwierdzenie': potwierdzenie, 'loenseddel': loenseddel}
NOT_SCANNED = ()
