"""Guests: papers for measuring, drawn like the departures (departures.py) by somebody who has seen no rule of the reader.

Eighteen layouts of ten languages as they come by post and mail: shops and craftsmen, lawyers and town works, landlords, hospitals, exporters. The schemas
are those of different users: own keys in English or in the country's language, nested or flat, half of them with descriptions, some keys for what is not printed.
"""
import datetime

from arrivals import COMPACT, PALE, Arrival
from departures import Departure
from newcomers import british_vat, iso, later
from papers import iban_of
from strangers import MONTH_NAMES, SIGNS, cents, italian_account, kinds_of, luhn, nip, partita_iva, spanish_account, weighed

MONTH_NAMES.setdefault('at', 'Jänner Februar März April Mai Juni Juli August September Oktober November Dezember'.split())
MONTH_NAMES.setdefault('nb', 'januar februar mars april mai juni juli august september oktober november desember'.split())
MONTH_NAMES.setdefault('fi', 'tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta'.split())
SIGNS.setdefault('NOK', 'kr')
# Of each country: streets, towns (code and city; # a digit), people and firms.
THERE = {
    'GB': ('Larkhill Road;Quayside;Abbey Lane;Weavers Row;Tollgate Close', 'YO# 7JD|York;PL# 2NW|Plymouth;NG# 5BT|Nottingham;CT# 9QL|Canterbury;HU# 3EA|Hull',
           'Alison Thackray;Neil Pomfret;Zara Iqbal;Gareth Llewellyn;Moira Stack', 'Thackray Signs Ltd;Pomfret Bakeries Ltd;Hallam Dental Care Ltd;Selby Garden Machinery Ltd;Osprey Print Finishing Ltd'),
    'US': ('Chestnut Ridge Road;Larkspur Lane;N 12th Street;Riverbend Drive', '282##|Charlotte, NC;372##|Nashville, TN;981##|Seattle, WA;641##|Kansas City, MO',
           'Deborah Hensley;Miguel Fuentes;Janet Osborne;Curtis Bell', 'Hensley General Contractors, Inc.;Ridgeline Builders LLC;Fuentes Construction Group;Osborne Properties LLC;Bellwether Schools Foundation'),
    'DE': ('Schillerstraße;Am Wasserturm;Goethestraße;Birkenweg;Neue Straße', '370##|Göttingen;890##|Ulm;551##|Mainz;187##|Greifswald;524##|Düren',
           'Gudrun Seidel;Dietmar Hagen;Nicole Ostermann;Rainer Kuhnt', 'Hagen Immobilien GmbH;Ostermann Hausverwaltung KG;Seidel Wohnbau eG'),
    'AT': ('Mariahilfer Straße;Linzer Gasse;Am Graben;Hauptplatz', '10#0|Wien;5020|Salzburg;4020|Linz;8010|Graz;6020|Innsbruck', 'Mag. Eva Pichler;Dr. Lukas Steindl;DI Hannes Moser;Mag. Birgit Leitner',
           'Moser Holzbau GmbH;Leitner Gastronomie KG;Steindl & Partner OG;Alpenblick Hotelbetriebs GmbH'),
    'FR': ('rue Gambetta;boulevard Carnot;rue des Acacias;cours Mirabeau', '350##|Rennes;540##|Nancy;860##|Poitiers;130##|Aix-en-Provence', 'Delphine Rousseau;Thibault Lacroix;Inès Benali;Gilles Morvan', 'Lacroix Conseil SAS;Morvan Marine SARL'),
    'BE': ('Avenue Louise;Rue du Midi;Chaussée de Louvain;Kerkstraat', '1050|Bruxelles;4000|Liège;5000|Namur;1030|Schaerbeek', 'Sophie Delvaux;Pieter Maes;Laurent Dubois', 'Delvaux & Maes SRL;Imprimerie Dubois SA;Brasserie du Midi SRL;Bureau Vert BV;Meubles Lambert SA'),
    'ES': ('Calle Serrano;Avenida de América;Calle del Carmen;Paseo de la Estación', '470##|Valladolid;330##|Oviedo;030##|Alicante;140##|Córdoba', 'Beatriz Montero Gil;Fernando Arroyo Sanz;Cristina Llopis Vera', 'Hermanos Arroyo S.L.;Promociones Llopis S.A.;Cerámicas Montero S.L.'),
    'IT': ('Via Cavour;Via della Repubblica;Corso Matteotti;Via Piave', '431##|Parma;381##|Trento;601##|Ancona;251##|Brescia', 'Alessandra Neri;Stefano Colombo;Ilaria Vitale', 'Colombo Stampi S.r.l.;Neri Costruzioni S.p.A.;Vitale & C. S.a.s.;Cooperativa Monteverde'),
    'NL': ('Bloemstraat;Wilhelminalaan;Vismarkt;Noorderdijk', '38## PV|Amersfoort;62## HT|Maastricht;97## EK|Groningen;48## JW|Breda', 'Hanneke Brouwer;Thijs van der Meer;Loes Kramer;Willem Schouten', 'Tuinschuur.example;Koffiewerk.example;De Speelkist.example;Wolwinkel.example'),
    'NO': ('Storgata;Kirkeveien;Strandgaten;Industriveien', '7014|Trondheim;5003|Bergen;4006|Stavanger;9008|Tromsø;0182|Oslo', 'Ingrid Haugen;Øystein Bakke;Kari Nygård', 'Nygård Rørservice AS;Bakke Elektro AS;Fjordlys Kontor AS;Haugen Bygg og Anlegg AS;Sørli Gartneri ANS'),
    'FI': ('Hämeenkatu;Rantatie;Kauppakatu;Mäkitie', '33100|Tampere;20100|Turku;90100|Oulu;40100|Jyväskylä', 'Päivi Mäkelä;Jukka Lehtonen;Sanna Häkkinen', 'Mäkelän Kiinteistöhuolto Oy;Lehtonen & Pojat Oy;Järvi-Suomen Siivous Oy;Häkkinen Puutarha Ky;Pohjolan Tilitoimisto Oy'),
    'PL': ('ul. Mickiewicza;ul. Sienkiewicza;ul. Rzemieślnicza;ul. Zielona', '20-0##|Lublin;85-0##|Bydgoszcz;40-0##|Katowice', 'Magdalena Król;Krzysztof Pawlak;Beata Żmuda', 'Pawlak Narzędzia sp. z o.o.;Żmuda Ceramika sp.j.;Hurt-Król S.A.;Meblik Śląsk sp. z o.o.'),
    'CZ': ('Masarykova;Sokolská;U Mlýna;Průmyslová', '370 01|České Budějovice;500 02|Hradec Králové;460 01|Liberec;530 03|Pardubice', 'Lenka Procházková;Martin Beneš;Zdeněk Šťastný', 'Beneš Obaly s.r.o.;Šťastný Velkoobchod a.s.;Pekárna Procházka s.r.o.;Sklo Liberec a.s.'),
}
TONGUES = {'GB': 'en', 'US': 'en', 'AT': 'at', 'BE': 'fr', 'NO': 'nb', 'CZ': 'cs'}


class Guest(Departure):
    """A Departure of the towns above."""

    def __init__(self, seed, kind, land, tongue=None, **more):
        Arrival.__init__(self, seed, kind, 'US' if land == 'US' else 'GB', **more)
        self.land, self.tongue = land, tongue or TONGUES.get(land, land.lower())
        self.people, self.firms = (self.r.sample(names, len(names)) for names in (THERE[land][i].split(';') for i in (2, 3)))

    def home(self):
        street, town = (self.r.choice(text.split(';')) for text in THERE[self.land][:2])
        number, (code, city) = self.r.randint(1, 160), town.split('|')
        return ['%d %s' % (number, street) if self.land in ('GB', 'US', 'FR') else '%s, %d' % (street, number) if self.land in ('IT', 'ES') else '%s %d' % (street, number), self.code(code), city]

    def nul(self, at, kind=None):
        """Is not printed: a null number too, where the kind is not an amount."""
        if kind in ('number', 'rate'):
            self.types['/'.join('*' if k.isdigit() else k for k in at.split('/'))] = 'number'
            kind = None
        self.lacks(at, kind)

    def mark(self, *at):
        self.labelled.extend(at)

    def money(self, x, y, value, at=None, sign=False, right=True, kind='amount', size=None, digits=2):
        text = self.in_money(value) if sign else ''
        if at and text and self.number(value, digits) not in text:         # the sign of the currency stands within
            left = x - self.wide(text, size) if right else x
            end = self.show(left, y, text, at, value, kind, size=size)
            if sign == 'currency':
                self.see_currency(left, y, text, size)
            return end
        return super().money(x, y, value, at, sign, right, kind, size, digits)

    def cash(self, value):
        """A cell with the sign of the currency."""
        return self.in_money(value), value

    def middled(self, x, y, text, at, value=None, kind=None, size=1.0, more=False):
        return self.show(self.middle(text, size, x), y, text, at, value, kind, size=self.size * size, more=more)


# -- numbers with check digits

def belgian_vat(p):
    digits = '0' + p.code('4######')
    return 'BE %s.%s.%s%02d' % (digits[:4], digits[4:7], digits[7:], 97 - int(digits) % 97)


def belgian_message(p):
    digits = p.code('2#########')
    digits += '%02d' % (int(digits) % 97 or 97)
    return '+++%s/%s/%s+++' % (digits[:3], digits[3:7], digits[7:])


def austrian_vat(p):
    digits = p.code('6######')
    total = sum(int(d) if i % 2 == 0 else int(d) // 5 + int(d) * 2 % 10 for i, d in enumerate(digits))
    return 'ATU%s%d' % (digits, (10 - (total + 4) % 10) % 10)


def czech_ico(p):
    digits = p.code('2######')
    return digits + str((11 - sum(int(d) * w for d, w in zip(digits, range(8, 1, -1))) % 11) % 10)


def finnish_id(p):
    while True:
        digits = p.code('2######')
        rest = sum(int(d) * w for d, w in zip(digits, (7, 9, 10, 5, 8, 4, 2))) % 11
        if rest != 1:
            return '%s-%d' % (digits, 11 - rest if rest else 0)


def finnish_reference(p):
    digits = p.code('1########')
    digits += str(-sum(int(d) * (7, 3, 1)[i % 3] for i, d in enumerate(reversed(digits))) % 10)
    return '%s %s' % (digits[:5], digits[5:])


def norwegian_id(p):
    return weighed(p, (-3, -2, -7, -6, -5, -4, -3, -2))


def norwegian_account(p):
    digits = weighed(p, (-5, -4, -3, -2, -7, -6, -5, -4, -3, -2))
    return '%s.%s.%s' % (digits[:4], digits[4:6], digits[6:])


# -- English

def marketplace(seed):
    """A market's invoice for a seller: three addresses abreast, prices with and without tax under heads of two lines, the article's number below, tax by rate in a second table."""
    p = Guest(seed, 'marketplace', 'GB', style='classes', ordinary=True, fonts=COMPACT, labels=('beside', 'gap'), dates=('%d %B %Y', '%-d %B %Y', '%d/%m/%Y'), currency=('GBP',)).start()
    r, end = p.r, p.width - 46
    with p.look(True, (0.85, 0.4, 0.0)):
        p.put(46, p.y + 10, r.choice(('tradehaven', 'cartwell business', 'bulkmarket.example')), size=p.size * 1.9)
    p.heading(end, p.y + 10, 'Invoice', 1.9, right=True)
    p.y += 34
    goods = [(['Recycled paper tape 48 mm x 50 m,', 'pack of 6'], 20), (['Nitrile gloves, medium, box of 100'], 20), (['USB-C docking station, 11 ports,', '4K dual display'], 20), (['Field guide to hedgerow plants (paperback)'], 0),
             (['A4 lever arch files, assorted', 'colours, pack of 10'], 20), (['Desk fan 12 inch, white'], 20), (['First aid kit refill, BS 8599-1'], 20), (['Label printer ribbon 110 mm'], 20), (['Staff rota planner 2026 (book)'], 0)]
    rows, parts, total = [], {}, 0.0
    for name, rate in r.sample(goods, r.randint(1, 6)):
        n, net = r.choice((1, 1, 2, 5, 12)), cents(r, 3, 160)
        gross = round(net * (100 + rate) / 100, 2)
        own = round(n * gross, 2)
        parts[rate] = round(parts.get(rate, 0) + own, 2)
        total = round(total + own, 2)
        rows.append({'description': (name, None), 'sku': p.code('B0@#@#####'), 'quantity': p.cell(n, 0), 'unitPriceExclVat': p.cash(net), 'vatRate': ('%d%%' % rate, rate), 'unitPriceInclVat': p.cash(gross), 'lineTotal': p.cash(own)})
    post = r.choice((0.0, 3.99, 4.79))
    if post:
        parts[20] = round(parts.get(20, 0) + post, 2)
        total = round(total + post, 2)
    seller, buyer, day = p.r.choice(('Norbury Supplies Ltd', 'Kwikpack Wholesale Ltd', 'Lumen & Lead Ltd')), p.firms[0], p.some_day()
    order, vat_id = p.code('20#-#######-#######'), british_vat(p)
    p.fill(330, p.y - 4, end - 330, p.size * 8.2, (0.95, 0.95, 0.95))
    y = p.y + p.size * 1.2
    with p.look(True):
        p.put(338, y, 'Paid' if seed % 2 else 'Due within 30 days')
    for label, text, at, kind in (('Sold by', seller, '/sellerName', 'name'), ('VAT #', vat_id, '/sellerVatNumber', 'id')):
        y += p.size * 1.5
        p.field(338, y, label, text, at, kind=kind, gap=62, how='gap')
    y += p.size * 2
    with p.look(True):
        p.put(338, y, 'Total payable', size=p.size * 1.15)
        left = end - 8 - p.wide(p.in_money(total), p.size * 1.15)
        p.show(left, y, p.in_money(total), '/totalPayable', total, 'amount', size=p.size * 1.15)
        p.see_currency(left, y, p.in_money(total), p.size * 1.15)
    p.mark('/totalPayable')
    number = p.code(r.choice(('INV-GB-#########-2025-###', 'GB#@@@##@@#@@I', 'DS-ASE-INV-GB-2025-#######')))
    p.fields(46, [iso(p, '/invoiceDate', day, 'Invoice date'), ('Invoice #', number, '/invoiceNumber', None, 'id'), ('Payment reference', p.code('#@@##@@#@'), None, None, 'id')], gap=88)
    p.y = y + 26
    p.rule(46, end, p.y - 10)
    p.y += p.size
    bill = p.home()
    ship = bill if seed % 2 else p.home()
    person = p.people[0]
    for x, head in ((46, 'Billing address'), (218, 'Delivery address'), (390, 'Sold by')):
        p.heading(x, p.y, head)
    y = p.y + p.size * 1.5
    gb = lambda home: [home[0], home[2] + ', ' + home[1], 'GB']
    p.show(46, y, buyer, '/billTo/companyName', kind='name')
    p.block(46, y + p.size * 1.35, gb(bill), '/billTo/address')
    p.show(218, y, person, '/shipTo/recipient', kind='name')
    p.put(218, y + p.size * 1.35, buyer)
    p.block(218, y + p.size * 2.7, gb(ship), '/shipTo/address')
    p.again(390, y, seller, '/sellerName')
    p.block(390, y + p.size * 1.35, gb(p.home()), '/sellerAddress')
    p.again(390, y + p.size * 5.4, vat_id, '/sellerVatNumber', before='VAT reg. no. ')
    p.y = y + p.size * 8
    p.rule(46, end, p.y - 8)
    p.y += p.size
    p.heading(46, p.y, 'Order information')
    p.y += p.size * 1.6
    some = [iso(p, '/orderDate', later(day, -r.randint(1, 4)), 'Order date'), ('Order #', order, '/orderNumber', None, 'id')]
    if p.maybe('/purchaseOrderNumber', r.random() < 0.6, 'id'):
        some.append(('PO #', p.code(r.choice(('PO-####', '45######'))), '/purchaseOrderNumber', None, 'id'))
    p.fields(46, some, gap=88)
    p.y += p.size
    p.heading(46, p.y, 'Invoice details', 1.2)
    p.y += p.size * 2.4
    p.listing('/items', [('description', 'Description', 46, False), ('quantity', 'Qty', 272, True), ('unitPriceExclVat', 'Unit price\n(excl. VAT)', 340, True), ('vatRate', 'VAT rate', 392, True), ('unitPriceInclVat', 'Unit price\n(incl. VAT)', 466, True), ('lineTotal', 'Item subtotal\n(incl. VAT)', end, True)],
              rows, kinds_of(unitPriceExclVat='amount', unitPriceInclVat='amount', lineTotal='amount', vatRate='rate', sku='id'), under=[[('sku', 46, 'ASIN: ')]], look=r.choice(('rule', 'grey')), step=1.9, edge=(46, end))
    p.types['/shippingCharge'] = 'number'
    if p.maybe('/shippingCharge', post, 'amount'):
        p.put(46, p.y, 'Delivery charges')
        p.money(end, p.y, post, '/shippingCharge', True)
        p.mark('/shippingCharge')
        p.y += p.size * 1.8
    p.rule(46, end, p.y - p.size * 1.2)
    p.heading(340, p.y, 'Invoice total')
    p.again(end, p.y, p.in_money(total), '/totalPayable', right=True)
    p.y += p.size * 3.4
    taxes = []
    for rate in sorted(parts, reverse=True):
        net = round(parts[rate] * 100 / (100 + rate), 2)
        taxes.append({'rate': ('%d%%' % rate, rate), 'net': p.cash(net), 'vat': p.cash(round(parts[rate] - net, 2))})
    p.listing('/vatBreakdown', [('rate', 'VAT rate', 320, True), ('net', 'Subtotal\n(excl. VAT)', 440, True), ('vat', 'VAT subtotal', end, True)], taxes, kinds_of(rate='rate', net='amount', vat='amount'), look='rule', edge=(280, end))
    p.rule(280, end, p.y - p.size * 1.2)
    p.heading(280, p.y, 'Total')
    p.money(440, p.y, round(sum(t['net'][1] for t in taxes), 2), '/totalExclVat', True)
    p.money(end, p.y, round(sum(t['vat'][1] for t in taxes), 2), '/totalVat', True)
    p.mark('/totalExclVat', '/totalVat')
    p.prose(46, p.height - 50, ['Returns within 30 days: see your account. This invoice was issued on behalf of the seller by the operator of the marketplace.', 'Page 1 of 1'], size=0.8)
    p.nul('/promoDiscount', 'amount')
    p.integers.add('/items/*/quantity')
    p.needed.update({'/invoiceNumber', '/invoiceDate', '/totalPayable'})
    p.says.update({'/sellerName': 'The merchant who sold the goods, not the marketplace', '/billTo/companyName': 'Company in the billing address', '/shipTo/recipient': 'Person in the delivery address', '/shipTo/address': 'Street, town, postcode and country of the delivery address, comma separated, without names',
                   '/billTo/address': 'Comma separated, without names', '/totalPayable': 'Total including VAT', '/shippingCharge': 'Delivery charges including VAT', '/items/*/sku': 'The article number (ASIN)', '/items/*/lineTotal': 'Including VAT', '/promoDiscount': 'Promotional discount, if any', '/items/*/vatRate': 'Percent', '/vatBreakdown/*/rate': 'Percent'})
    return p.done_with('invoiceNumber invoiceDate orderNumber orderDate purchaseOrderNumber sellerName sellerVatNumber sellerAddress billTo shipTo items shippingCharge promoDiscount vatBreakdown totalExclVat totalVat totalPayable currency')


def plumber(seed):
    """A tradesman's invoice as he types it himself: letterhead in the middle, no table, what was done in lines with the price at the right, where to pay in prose."""
    p = Guest(seed, 'plumber', 'GB', style='plain', ordinary=True, fonts=('LiberationSerif-Regular', 'Carlito-Regular', 'LiberationSans-Regular'), labels=('beside', 'colon'), dates=('%-d %B %Y', '%d/%m/%Y', '%d/%m/%y', '%d.%m.%y'), currency=('GBP',)).start()
    p.size = r_size = 10
    r, end = p.r, p.width - 72
    boss = r.choice(('D. Ackroyd', 'Mick Sowerby', 'Steve Hanley', 'J. R. Pugh'))
    firm = boss + r.choice((' Plumbing & Heating', ' Heating Services', ' Plumbing'))
    home, phone = p.home(), p.code('07### ######')
    with p.look(True):
        p.middled(None, p.y + 14, firm, '/business/name', kind='name', size=1.7)
    p.y += 14 + r_size * 1.9
    text = '%s, %s, %s' % (home[0], home[2], home[1])
    p.middled(None, p.y, text, '/business/address', kind='address')
    p.y += r_size * 1.4
    text = 'Tel: %s     Gas Safe no. %s' % (phone, p.code('2#####'))
    p.show(p.middle(text), p.y, phone, '/business/phone', kind='id', before='Tel: ', after=text[text.index(phone) + len(phone):])
    p.y += r_size * 3.4
    p.heading(p.middle('INVOICE', 1.5), p.y, 'INVOICE', 1.5)
    p.y += r_size * 3
    top, who, job = p.y, p.people[0], p.home()
    day, number = p.some_day(), p.code(r.choice(('###', '25/###', '1###')))
    p.show(72, top, r.choice(('Mr & Mrs ', 'Ms ', 'Dr ')) + who.split(' ')[1] if seed % 2 else who, '/customerName', kind='name')
    gb = [job[0], job[2], job[1]]
    p.block(72, top + r_size * 1.35, gb, '/customerAddress')
    p.field(370, top, 'Invoice No', number, '/invoiceNo', kind='id', gap=66)
    p.field(370, top + r_size * 1.5, 'Date', p.day(day), '/invoiceDate', day.isoformat(), 'date', gap=66)
    p.y = top + r_size * 7.4
    p.heading(72, p.y, 'To work carried out at ' + ('the above address' if seed % 3 else 'your rental property') + ':')
    p.y += r_size * 2.4
    works = [['Attend to leak under kitchen sink, replace', 'trap and isolating valve'], ['Supply and fit new mixer tap'], ['Drain down heating, replace two radiator', 'valves, refill and bleed system'], ['Annual boiler service'], ['Unblock shower waste'], ['Remove old cylinder and dispose of same'],
             ['Fit outside tap incl. check valve'], ['Power flush of heating system, 9 radiators']]
    p.heads['/work'] = []
    i, total = 0, 0.0
    for lines in r.sample(works, r.randint(1, 4)):
        value = float(r.randint(30, 420)) if r.random() < 0.6 else cents(r, 20, 300)
        at = '/work/%d/' % i
        for n, line in enumerate(lines):
            p.show(72, p.y, line, at + 'description', ' '.join(lines), 'text', more=n > 0)
            if n == len(lines) - 1:
                p.money(end, p.y, value, at + 'price', True)
            p.y += r_size * 1.35
        p.y += r_size * 0.6
        total = round(total + value, 2)
        i += 1
    hours, rate = r.randint(2, 24) / 2, r.choice((38.0, 45.0, 52.5))
    if p.maybe('/labourHours', r.random() < 0.6, 'number'):
        x = p.show(72, p.y, p.number(hours, 1), '/labourHours', hours, 'number', before='Labour ', after=' hrs @ ')
        p.show(x, p.y, p.in_money(rate), '/hourlyRate', rate, 'amount', after=' per hour')
        p.money(end, p.y, round(hours * rate, 2), '/labourTotal', True)
        total = round(total + round(hours * rate, 2), 2)
        p.y += r_size * 2
        p.optional.update({'/hourlyRate', '/labourTotal'})
    else:
        p.maybe('/hourlyRate', False, 'amount')
        p.maybe('/labourTotal', False, 'amount')
    p.types['/labourHours'] = 'number'
    stuff = cents(r, 8, 260)
    if p.maybe('/materials', r.random() < 0.7, 'amount'):
        p.put(72, p.y, 'Materials as per receipts')
        p.money(end, p.y, stuff, '/materials', True)
        p.mark('/materials')
        total = round(total + stuff, 2)
        p.y += r_size * 2
    p.y += r_size
    vat = round(total * 0.2, 2)
    p.types['/vat'] = 'number'
    if p.maybe('/vat', seed % 3 == 1, 'amount'):
        p.put(end - 150, p.y, 'VAT @ 20%')
        p.money(end, p.y, vat, '/vat', True)
        p.mark('/vat')
        total = round(total + vat, 2)
        p.y += r_size * 1.6
    p.rule(end - 150, end, p.y - r_size)
    p.y += 3
    p.strong(end - 150, end, 'TOTAL', total, '/total', 'currency', 1.1)
    p.rule(end - 150, end, p.y - r_size * 1.2)
    p.y += r_size * 2.4
    days = r.choice((7, 14, 28))
    p.show(72, p.y, str(days), '/paymentTermDays', days, 'number', before='Payment due within ', after=' days please. Cheque or bank transfer to:')
    p.y += r_size * 1.7
    sort, account = p.code('20-##-##'), p.code('########')
    x = p.show(72, p.y, boss, '/bank/accountName', kind='name', after=', sort code ')
    x = p.show(x, p.y, sort, '/bank/sortCode', kind='id', after=', account no. ')
    p.show(x, p.y, account, '/bank/accountNumber', kind='id', after='.')
    p.y += r_size * 2.6
    p.put(72, p.y, 'Many thanks for your business.' if p.value['vat'] is None else 'Many thanks.')
    if p.maybe('/business/vatNumber', p.value['vat'] is not None, 'id'):
        p.show(72, p.y + r_size * 2, british_vat(p), '/business/vatNumber', kind='id', before='VAT reg. no. ')
        p.mark('/business/vatNumber')
    elif seed % 2 == 0:
        p.put(72, p.y + r_size * 2, 'Not registered for VAT.', size=r_size * 0.85)
    p.maybe('/dueDate', False, 'date')
    p.maybe('/bank/iban', False, 'id')
    p.mark('/bank/sortCode', '/bank/accountNumber', '/business/phone')
    p.integers.add('/paymentTermDays')
    return p.done_with('business customerName customerAddress invoiceNo invoiceDate dueDate work labourHours hourlyRate labourTotal materials vat total currency paymentTermDays bank')


def progressbill(seed):
    """A contractor's application for payment on two pages: numbered lines of the contract on the first, each item's work to date with lettered columns on the second, which lies on its side."""
    p = Guest(seed, 'progressbill', 'US', style='strict', ordinary=False, fonts=COMPACT, labels=('colon',), minus=('front', 'brackets'), dates=('%m/%d/%Y', '%B %-d, %Y', '%m/%d/%y'), currency=('USD',)).start()
    r, end, firm, owner = p.r, p.width - 48, p.r.choice(('Hensley General Contractors, Inc.', 'Ridgeline Builders LLC', 'Fuentes Construction Group')), p.r.choice(('Osborne Properties LLC', 'Bellwether Schools Foundation'))
    project = r.choice(('Maple Grove Medical Office - Tenant Improvements', 'Riverbend Elementary - Gym Addition', 'Lot 14 Warehouse Shell'))
    day = p.some_day()
    to, signed = later(later(day.replace(day=1), 0), -1), day
    started = later(to, -r.randint(70, 200))
    number = r.randint(2, 9)
    p.heading(48, p.y + 8, 'APPLICATION AND CERTIFICATE FOR PAYMENT', 1.5)
    p.put(end, p.y + 8, 'PAGE ONE OF 2 PAGES', right=True, size=p.size * 0.8)
    p.y += 24
    p.rule(48, end, p.y)
    p.y += 16
    top = p.y
    job = p.code('####-##')
    for x, head, name, key in ((48, 'TO OWNER:', owner, '/owner'), (48, 'FROM CONTRACTOR:', firm, '/contractor')):
        p.put(x, p.y, head, size=p.size * 0.8)
        p.show(x, p.y + p.size * 1.3, name, key + '/name', kind='name')
        p.mark(key + '/name')
        home = p.home()
        text = ['%s' % home[0], '%s %s' % (home[2], home[1])]
        p.y = p.block(x, p.y + p.size * 2.6, text, key + '/address') + p.size * 1.2
    p.put(225, top, 'PROJECT:', size=p.size * 0.8)
    words = project.split(' - ')
    for n, line in enumerate(words):
        p.show(225, top + p.size * (1.3 + 1.3 * n), line + (' -' if n + 1 < len(words) else ''), '/project_name', project, 'text', more=n > 0)
    p.mark('/project_name')
    y = top
    for label, text, at, value, kind in (('APPLICATION NO:', str(number), '/application_number', number, 'number'), iso(p, '/period_to', to, 'PERIOD TO:'), ('PROJECT NO:', job, '/project_number', None, 'id'), iso(p, '/contract_date', started, 'CONTRACT DATE:')):
        p.put(412, y, label, size=p.size * 0.85)
        p.show(end, y, text, at, value, kind, right=True)
        p.mark(at)
        y += p.size * 1.9
    p.y = max(p.y, y) + 14
    names = r.sample(['General conditions', 'Sitework and excavation', 'Concrete footings and slab', 'Structural steel', 'Rough carpentry', 'Roofing and sheet metal', 'Doors, frames and hardware', 'Drywall and acoustical', 'Painting', 'Plumbing', 'HVAC', 'Electrical'], r.randint(4, 11))
    keep = r.choice((5, 10))
    rows = []
    for i, name in enumerate(names):
        plan = float(r.randint(40, 900) * 100)
        before, now = round(plan * r.choice((0, 0.25, 0.4, 0.6))), round(plan * r.choice((0, 0.1, 0.25, 0.4)))
        stored = float(r.choice((0, 0, 0, round(plan * 0.02))))
        done = before + now + stored
        before, now, done = float(before), float(now), float(done)
        rows.append((str(i + 1), name, plan, before, now, stored, done, round(100 * done / plan, 1), plan - done, round(done * keep / 100, 2)))
    total = lambda n: round(sum(row[n] for row in rows), 2)
    original = total(2)
    change = float(r.choice((0, 0, 1250, -800, 3400)))
    held, before_paid = total(9), round(total(3) * (100 - keep) / 100, 2)
    summary = [('1.', 'ORIGINAL CONTRACT SUM', original, 'original_contract_sum'), ('2.', 'NET CHANGE BY CHANGE ORDERS', change, 'change_orders'), ('3.', 'CONTRACT SUM TO DATE (Line 1 ± 2)', original + change, 'contract_sum_to_date'),
               ('4.', 'TOTAL COMPLETED & STORED TO DATE (Column G)', total(6), 'completed_and_stored'), ('5.', 'RETAINAGE %d%% of completed work' % keep, held, 'retainage'), ('6.', 'TOTAL EARNED LESS RETAINAGE (Line 4 less 5)', round(total(6) - held, 2), 'earned_less_retainage'),
               ('7.', 'LESS PREVIOUS CERTIFICATES FOR PAYMENT', before_paid, 'previous_payments'), ('8.', 'CURRENT PAYMENT DUE', round(total(6) - held - before_paid, 2), 'current_payment_due'), ('9.', 'BALANCE TO FINISH, INCLUDING RETAINAGE', round(original + change - total(6) + held, 2), 'balance_to_finish')]
    p.heading(48, p.y, "CONTRACTOR'S APPLICATION FOR PAYMENT", 1.1)
    p.y += p.size * 1.5
    p.put(48, p.y, 'Application is made for payment, as shown below, in connection with the Contract. Continuation sheet is attached.', size=p.size * 0.9)
    p.y += p.size * 2.4
    for no, label, value, key in summary:
        with p.look(no == '8.'):
            p.put(48, p.y, no)
            x = p.put(64, p.y, label)
            dots = '.' * int((430 - x - 8) / p.wide('.'))
            p.put(x + 4, p.y, dots)
            p.put(436, p.y, '$')
            p.money(end, p.y, value, '/summary/' + key)
            p.mark('/summary/' + key)
        p.rule(434, end, p.y + 3)
        p.y += p.size * 2.1
    p.say_value('/summary/retainage_percent', keep, 'rate')
    at = [line for line in summary if line[0] == '5.'][0]
    p.truth.setdefault('/summary/retainage_percent', []).append({'page': p.n_page, 'text': '%d%%' % keep, 'boxes': p.box(64, p.y - p.size * 2.1 * 5, at[1], at[1].index('%d%%' % keep), at[1].index('%d%%' % keep) + len('%d%%' % keep), p.size)})
    p.y += p.size * 2
    p.y = p.prose(48, p.y, ["The undersigned Contractor certifies that to the best of the Contractor's knowledge, information and belief the Work covered", 'by this Application has been completed in accordance with the Contract Documents.'], size=0.9) + p.size * 3
    p.put(48, p.y, 'CONTRACTOR:  By: ______________________________')
    p.date(330, p.y, signed, '/application_date', before='Date: ')
    p.mark('/application_date')
    p.start(landscape=True)
    end = p.width - 44
    p.heading(44, p.y + 8, 'CONTINUATION SHEET', 1.4)
    p.put(end, p.y + 8, 'PAGE 2 OF 2 PAGES', right=True, size=p.size * 0.8)
    p.y += 30
    p.put(44, p.y, 'Application and Certificate for Payment, containing')
    p.put(44, p.y + p.size * 1.3, "Contractor's signed certification, is attached.")
    for label, text, at in (('APPLICATION NO:', str(number), '/application_number'), ('PERIOD TO:', p.day(to), '/period_to'), ('PROJECT NO:', job, '/project_number')):
        p.put(end - 170, p.y, label)
        p.again(end, p.y, text, at, right=True)
        p.y += p.size * 1.4
    p.y += 16
    xs = (44, 70, 262, 350, 420, 482, 560, 606, 682, end)
    for letter, x in zip('ABCDEFG', (44, 70, 262, 350, 420, 482, 560)):
        p.put(x, p.y, letter, right=x > 100)
    p.put(682, p.y, 'H', right=True)
    p.put(end, p.y, 'I', right=True)
    p.y += p.size * 1.8
    cells = []
    for row in rows:
        cells.append({'item_number': row[0], 'description': row[1], 'scheduled_value': p.cell(row[2]), 'previous_work': p.cell(row[3]), 'work_this_period': p.cell(row[4]), 'materials_stored': p.cell(row[5]), 'total_completed': p.cell(row[6]), 'percent_complete': ('%s%%' % p.number(row[7], 1), row[7]), 'balance': p.cell(row[8]), 'retainage': p.cell(row[9])})
    p.listing('/items', [('item_number', 'ITEM\nNO.', 44, False), ('description', 'DESCRIPTION\nOF WORK', 70, False), ('scheduled_value', 'SCHEDULED\nVALUE', xs[2], True), ('previous_work', 'FROM PREVIOUS\nAPPLICATION', xs[3], True), ('work_this_period', 'THIS\nPERIOD', xs[4], True), ('materials_stored', 'MATERIALS\nSTORED', xs[5], True),
                         ('total_completed', 'TOTAL\nCOMPLETED', xs[6], True), ('percent_complete', '%\n(G/C)', xs[7], True), ('balance', 'BALANCE\nTO FINISH', xs[8], True), ('retainage', 'RETAINAGE', xs[9], True)],
              cells, kinds_of(item_number='code', percent_complete='rate', **{k: 'amount' for k in ('scheduled_value', 'previous_work', 'work_this_period', 'materials_stored', 'total_completed', 'balance', 'retainage')}), look='lines', edge=(44, end), ruled=True, step=1.75)
    with p.look(True):
        p.put(70, p.y, 'GRAND TOTALS')
        for n, x in ((2, 262), (3, 350), (4, 420), (5, 482), (6, 560), (8, 682), (9, end)):
            p.put(x, p.y, p.number(total(n)), right=True)
    p.nul('/architect_project_number', 'id')
    p.integers.add('/application_number')
    p.says.update({'/application_number': 'Number of this application for payment', '/period_to': 'Last day of the period covered', '/application_date': "Date beside the contractor's signature", '/summary/change_orders': 'Net change by change orders, negative if it is a deduction',
                   '/summary/retainage_percent': 'Percentage of completed work that is withheld', '/items/*/previous_work': 'Column D', '/items/*/work_this_period': 'Column E', '/items/*/materials_stored': 'Column F', '/items/*/percent_complete': 'In percent, e.g. 62.5', '/items/*/balance': 'Column H', '/items': 'Lines of the continuation sheet without the grand total'})
    return p.done_with('application_number application_date period_to project_name project_number contract_date architect_project_number owner contractor summary items')


def businessrates(seed):
    """A council's demand for business rates: property and its value in a band, what is charged with reliefs taken off, instalments in a table of their own, a slip below."""
    p = Guest(seed, 'businessrates', 'GB', style='classes', ordinary=False, labels=('beside', 'above'), minus=('front', 'back'), dates=('%d/%m/%Y', '%-d %B %Y', '%d %b %Y'), currency=('GBP',), fonts=COMPACT).start()
    r, end = p.r, p.width - 48
    council = r.choice(('Aldermoor Borough Council', 'Wexcombe District Council', 'Castle Vale City Council'))
    with p.look(True, (0.1, 0.3, 0.25)):
        p.show(48, p.y + 10, council, '/council', kind='name', size=p.size * 1.7)
    p.lines_at(48, p.y + 10 + p.size * 1.7, ['Business Rates, Civic Centre, ' + ', '.join((lambda h: (h[0], h[2] + ' ' + h[1]))(p.home())), 'Telephone 01### ######'.replace('######', p.code('######')).replace('###', p.code('###')) + '   business.rates@council.example'], 0.85)
    p.heading(end, p.y + 10, 'NON-DOMESTIC RATE', 1.2, right=True)
    p.heading(end, p.y + 10 + p.size * 1.6, 'DEMAND NOTICE 2025/26', 1.2, right=True)
    y, payer, home = 128, p.firms[0], p.home()
    p.show(60, y, payer, '/ratepayer/name', kind='name')
    gb = [home[0], home[2], home[1]]
    p.block(60, y + p.size * 1.35, gb, '/ratepayer/address')
    issued = datetime.date(2025, r.choice((2, 3)), r.randint(3, 27))
    account, prop = p.code('3########'), p.code('00###########')
    p.y = y
    p.fields(340, [('Account reference', account, '/accountReference', None, 'id'), ('Property reference', prop, '/propertyReference', None, 'id'), iso(p, '/dateOfIssue', issued, 'Date of issue'), ('Reason for bill', r.choice(('Annual bill', 'Main billing', 'Change of liability')), '/reason', None, 'text')], gap=104)
    p.y = 232
    p.fill(48, p.y - 12, end - 48, 46, (0.9, 0.95, 0.93))
    site, value = p.home(), r.randint(52, 480) * 250
    use = r.choice(('Shop and premises', 'Workshop and premises', 'Office and premises', 'Warehouse and premises', 'Surgery and premises'))
    text = '%s, %s, %s' % (site[0], site[2], site[1])
    for yy, label, t, at, kind, v in ((p.y + 2, 'Property address', text, '/property/address', 'address', None), (p.y + 15, 'Description', use, '/property/description', 'text', None), (p.y + 28, 'Rateable value', '£' + p.number(float(value), 0), '/property/rateableValue', 'amount', value)):
        p.heading(56, yy, label, 0.95)
        p.show(150, yy, t, at, v, kind)
        p.mark(at)
    p.integers.add('/property/rateableValue')
    p.y += 60
    small = value < 51000
    rate = 49.9 if small else 55.5
    x = p.put(48, p.y, 'The multiplier for this year is ')
    p.show(x, p.y, p.number(rate, 1) + 'p', '/multiplierPence', rate, 'rate', after=' in the pound%s.' % (' (small business)' if small else ''))
    p.y += p.size * 2.6
    start, stop = datetime.date(2025, 4, 1), datetime.date(2026, 3, 31)
    gross = round(value * rate / 100, 2)
    lines = [('Rates payable %s to %s' % (p.day(start, '%d/%m/%y'), p.day(stop, '%d/%m/%y')), gross)]
    if r.random() < 0.6:
        lines.append(('Retail, hospitality and leisure relief 40%', -round(gross * 0.4, 2)))
    if r.random() < 0.4:
        lines.append(('Transitional adjustment', r.choice((1, -1)) * cents(r, 20, 400)))
    if r.random() < 0.4:
        lines.append(('Balance brought forward from 2024/25', r.choice((1, -1)) * cents(r, 10, 300)))
    if r.random() < 0.3:
        lines.append(('Business Improvement District levy', round(value * 0.01, 2)))
    rows = [{'description': name, 'amount': p.cell(v)} for name, v in lines]
    p.listing('/charges', [('description', 'How your bill is calculated', 48, False), ('amount', 'Amount (£)', 330, True)], rows, kinds_of(amount='amount'), look='rule', edge=(48, 330))
    total = round(sum(v for _, v in lines), 2)
    p.rule(48, 330, p.y - p.size * 1.2)
    p.strong(48, 330, r.choice(('TOTAL AMOUNT DUE', 'AMOUNT PAYABLE')), total, '/totalDue', 'currency')
    low, n = p.y, (10, 2, 12, 10)[seed % 4]
    each = float(int(total / n))
    first = round(total - each * (n - 1), 2)
    months = [4 + i for i in range(n)] if n != 2 else [4, 10]
    dates = [datetime.date(2025 + (m - 1) // 12, (m - 1) % 12 + 1, 1) for m in months]
    p.y = 292 + p.size * 2.6
    p.listing('/instalments', [('dueDate', 'Instalment due', 370, False), ('amount', 'Amount (£)', end, True)], [{'dueDate': (p.day(d), d.isoformat()), 'amount': p.cell(first if i == 0 else each)} for i, d in enumerate(dates)], kinds_of(dueDate='date', amount='amount'), look='rule', edge=(370, end), step=1.45)
    p.y = max(p.y, low) + 14
    p.prose(48, p.y, ['Payment method: ' + ('Direct Debit on the dates shown.' if seed % 2 else 'please pay by Direct Debit, online or at any post office.'), 'If you disagree with the rateable value you may check and challenge it with the Valuation Office Agency.', 'Failure to pay an instalment when due may lead to the whole balance becoming payable.'], size=0.9)
    y = p.height - 150
    p.dashed(y)
    p.heading(48, y + 20, 'PAYMENT SLIP')
    p.again(48, y + 20 + p.size * 1.6, payer, '/ratepayer/name')
    p.boxes(48, y + 50, [(170, 'Account reference', account, None, None, 'id'), (150, 'Amount', p.number(total), None, total, 'amount'), (end - 368, 'Amount paid', '', None, '', 'word')], 30)
    p.truth['/accountReference'].append({'page': p.n_page, 'text': account, 'boxes': p.box(53, y + 69, account, 0, len(account), p.size)})
    p.truth['/totalDue'].append({'page': p.n_page, 'text': p.number(total), 'boxes': p.box(223, y + 69, p.number(total), 0, len(p.number(total)), p.size)})
    for kind, v in (('id', account), ('amount', total), ('word', '')):
        p.distractors[kind].remove(v)
    p.nul('/companyNumber', 'id')
    p.nul('/directDebitReference', 'id')
    p.enums['/reason'] = ['Annual bill', 'Main billing', 'Change of liability']
    p.needed.update({'/accountReference', '/totalDue'})
    return p.done_with('council accountReference propertyReference dateOfIssue reason ratepayer companyNumber property multiplierPence charges totalDue currency instalments directDebitReference')


def hospitalbill(seed):
    """A hospital's statement: what is owed in a coloured box with the number, each visit's charges and what the insurance paid or wrote off below it, ages in boxes, a stub on top."""
    p = Guest(seed, 'hospitalbill', 'US', style='plain', ordinary=False, fonts=COMPACT, labels=('above', 'colon'), minus=('front', 'brackets', 'back'), dates=('%m/%d/%Y', '%m/%d/%y', '%b %-d, %Y'), currency=('USD',)).start()
    r, end = p.r, p.width - 46
    house = r.choice(('Blue Ridge Regional Hospital', 'St. Brendan Medical Center', 'Lakes Orthopedic Associates'))
    teal = 0.0, 0.4, 0.45
    with p.look(True, teal):
        p.show(46, p.y + 10, house, '/facility_name', kind='name', size=p.size * 1.6)
    home = p.home()
    p.block(46, p.y + 10 + p.size * 1.6, [home[0], '%s %s' % (home[2], home[1])], '/facility_address')
    p.put(46, p.y + 10 + p.size * 4.4, 'Billing questions? ' + p.code('(8##) 555-01##') + ', Mon-Fri 8-5')
    person = p.people[0]
    patient = person if seed % 2 else r.choice(('Tyler ', 'Emma ', 'Noah ')) + person.split(' ')[1]
    day = p.some_day()
    due, account = later(day, r.choice((21, 30))), p.code(r.choice(('##########', 'H000########', '7#####-##')))
    visit = later(day, -r.randint(35, 80))
    charges = [('Emergency room visit, level 3', '450'), ('X-ray wrist, 3 views', '320'), ('Laboratory - general', '300'), ('Pharmacy', '250'), ('CT scan head w/o contrast', '351'), ('Physical therapy evaluation', '424'), ('Cast application', '700'), ('IV solutions', '258')]
    entries, gross = [], 0.0
    for name, code in r.sample(charges, r.randint(2, 6)):
        value = cents(r, 30, 1900)
        gross = round(gross + value, 2)
        entries.append((visit if r.random() < 0.7 else later(visit, 1), code, name, value))
    entries.sort(key=lambda e: e[0])
    plan = r.choice(('Meridian Health PPO', 'Cardinal Blue Choice', 'State Employees Plan'))
    off, paid = round(gross * r.randint(20, 45) / 100, 2), round(gross * r.randint(15, 40) / 100, 2)
    entries += [(later(visit, 21), None, 'Contractual adjustment - ' + plan, -off), (later(visit, 24), None, 'Insurance payment - ' + plan, -paid)]
    mine = 0.0
    if r.random() < 0.4:
        mine = float(r.choice((25, 40, 75)))
        entries.append((later(visit, 30), None, 'Patient payment - thank you', -mine))
    owed = round(gross - off - paid - mine, 2)
    # the box at the right
    x, y, wide = 360, p.y - 8, end - 360
    p.fill(x, y, wide, 22, teal)
    p.heading(p.middle('STATEMENT', 1.1, x + wide / 2), y + 15, 'STATEMENT', 1.1, colour=(1, 1, 1))
    y += 22
    for label, text, at, value, kind in (iso(p, '/statement_date', day, 'Statement date'), ('Account number', account, '/account_number', None, 'id'), iso(p, '/due_date', due, 'Payment due')):
        p.frame(x, y, wide, 18)
        p.put(x + 5, y + 12, label)
        p.show(end - 5, y + 12, text, at, value, kind, right=True)
        p.mark(at)
        y += 18
    p.fill(x, y, wide, 24, (0.85, 0.94, 0.95))
    p.frame(x, y, wide, 24)
    p.heading(x + 5, y + 16, 'YOU OWE')
    with p.look(True):
        left = end - 5 - p.wide(p.in_money(owed), p.size * 1.3)
        p.show(left, y + 16, p.in_money(owed), '/amount_you_owe', owed, 'amount', size=p.size * 1.3)
        p.see_currency(left, y + 16, p.in_money(owed), p.size * 1.3)
    p.mark('/amount_you_owe')
    p.y = y + 52
    p.show(46, p.y, person, '/guarantor_name', kind='name')
    mail = p.home()
    p.block(46, p.y + p.size * 1.35, [mail[0], '%s %s' % (mail[2], mail[1])], '/guarantor_address')
    p.y += p.size * 7
    p.dashed(p.y)
    p.put(p.middle('Please detach here and return the upper part with your payment', 0.8), p.y + 9, 'Please detach here and return the upper part with your payment', size=p.size * 0.8)
    p.y += 34
    x = p.show(46, p.y, patient, '/patient_name', kind='name', before='Patient: ', after='     ')
    x = p.date(x, p.y, visit, '/date_of_service', before='Date of service: ', after='     ')
    p.show(x, p.y, plan, '/insurance_plan', kind='name', before='Insurance: ')
    p.mark('/patient_name', '/date_of_service', '/insurance_plan')
    p.y += p.size * 2.8
    rows = [{'date': (p.day(d), d.isoformat()), 'revenue_code': (code, None), 'description': name, 'amount': p.cash(v)} for d, code, name, v in entries]
    p.optional.add('/activity/*/revenue_code')
    rows.insert(sum(e[1] is not None for e in entries), [(120, 'Total charges', False), (end, p.in_money(gross), True)])
    p.distract('amount', gross)
    p.listing('/activity', [('date', 'Date', 46, False), ('revenue_code', 'Rev.\ncode', 120, False), ('description', 'Description of service or payment', 165, False), ('amount', 'Amount', end, True)], rows, kinds_of(date='date', amount='amount', revenue_code='code'), look=r.choice(('grey', 'rule', 'lines')), edge=(46, end), step=1.7)
    p.rule(380, end, p.y - p.size * 1.2)
    p.sums(380, end, [('Insurance adjustments', -off, '/insurance_adjustments'), ('Insurance payments', -paid, '/insurance_payments')], True)
    if mine:
        p.sums(380, end, [('Patient payments', -mine, '/patient_payments')], True)
        p.optional.add('/patient_payments')
    else:
        p.maybe('/patient_payments', False, 'amount')
    p.heading(380, p.y, 'Balance due from you')
    p.again(end, p.y, p.in_money(owed), '/amount_you_owe', right=True)
    p.y += p.size * 3.4
    wide = (end - 46) / 4
    p.boxes(46, p.y, [(wide, label, p.in_money(v), None, v, 'amount') for label, v in (('Current', owed), ('30 days', 0.0), ('60 days', 0.0), ('90+ days', 0.0))], 28)
    p.y += 46
    p.prose(46, p.y, ['You may be eligible for financial assistance. To apply, call the number above or visit our website.', 'We bill your insurance as a courtesy; you are responsible for any balance not covered by your plan.', 'Physicians who treated you may bill you separately.'], size=0.9)
    p.maybe('/policy_number', False, 'id')
    p.maybe('/attending_physician', False)
    p.says.update({'/guarantor_name': 'Person to whom the statement is addressed', '/activity': 'All dated lines: charges, adjustments and payments', '/activity/*/amount': 'With its sign: adjustments and payments are negative', '/insurance_adjustments': 'Negative as printed', '/insurance_payments': 'Negative as printed',
                   '/patient_payments': 'Negative as printed, null if there are none', '/activity/*/revenue_code': 'Code of the charge, if printed'})
    return p.done_with('facility_name facility_address statement_date account_number due_date amount_you_owe currency guarantor_name guarantor_address patient_name date_of_service insurance_plan policy_number attending_physician activity insurance_adjustments insurance_payments patient_payments')


def proforma(seed):
    """A proforma invoice for customs: shipper, consignee and facts in a grid of boxes, tariff number and origin below each article, weights, freight and insurance under the goods, a declaration."""
    p = Guest(seed, 'proforma', 'NL', 'en', style='strict', ordinary=False, fonts=COMPACT, labels=('above',), money=('1,234.56',), dates=('%d %b %Y', '%Y-%m-%d', '%d-%b-%Y'), currency=('USD', 'EUR')).start()
    r, end = p.r, p.width - 42
    wide = end - 42
    shipper, home = r.choice(('Delft Instruments B.V.', 'Polder Seeds B.V.', 'Van Houten Valves B.V.')), p.home()
    text = 'PROFORMA INVOICE'
    p.heading(p.middle(text, 1.7), p.y + 8, text, 1.7)
    p.y += 22
    day, number = p.some_day(), p.code(r.choice(('PF-25-####', 'PI######', '25.####')))
    half, top = wide / 2, p.y
    buyer, land, city = r.choice((('Andes Laboratorios S.A.', 'Chile', 'Santiago'), ('Kilimanjaro Growers Ltd', 'Kenya', 'Nairobi'), ('Hanbit Trading Co., Ltd.', 'South Korea', 'Busan'), ('Gulf Process Supplies LLC', 'United Arab Emirates', 'Dubai')))
    p.frame(42, top, half, 74)
    p.put(45, top + 8, 'SHIPPER / EXPORTER', size=6.5)
    p.show(47, top + 20, shipper, '/exporter/name', kind='name')
    low = p.block(47, top + 20 + p.size * 1.3, [home[0], '%s %s' % (home[1], home[2]), 'The Netherlands'], '/exporter/address')
    eori = 'NL' + p.code('8########')
    p.show(47, low, eori, '/exporter/eori_number', kind='id', before='EORI: ')
    p.frame(42, top + 74, half, 74)
    p.put(45, top + 82, 'CONSIGNEE', size=6.5)
    p.show(47, top + 94, buyer, '/consignee/name', kind='name')
    low = p.block(47, top + 94 + p.size * 1.3, ['%d %s' % (r.randint(2, 900), r.choice(('Industrial Road', 'Harbour Avenue', 'Av. Central'))), city, land], '/consignee/address')
    p.show(47, low, p.people[0], '/consignee/contact', kind='name', before='Attn: ')
    p.mark('/exporter/eori_number', '/consignee/contact', '/exporter/name', '/consignee/name')
    term, place = r.choice((('FCA', 'Rotterdam'), ('CIP', city), ('EXW', home[2]), ('DAP', city)))
    why = r.choice(('Sale', 'Sample', 'Repair and return', 'Temporary export'))
    carrier = r.choice(('Air freight', 'Sea freight', 'Courier'))
    x, y = 42 + half, top
    for some in ([(half / 2, 'NUMBER', number, '/proforma_number', None, 'id'), (half / 2, 'DATE', p.day(day), '/date', day.isoformat(), 'date')], [(half / 2, 'CUSTOMER REFERENCE', p.code('REQ-#####'), '/customer_reference', None, 'id'), (half / 2, 'REASON FOR EXPORT', why, '/reason_for_export', None, 'text')],
                 [(half / 2, 'MODE OF TRANSPORT', carrier, '/transport_mode', None, 'text'), (half / 2, 'COUNTRY OF DESTINATION', land, '/destination_country', None, 'text')]):
        p.boxes(x, y, some, 37)
        y += 37
    p.frame(x, y, half, 37)
    p.put(x + 3, y + 7.5, 'TERMS OF DELIVERY (INCOTERMS® 2020)', size=6.5)
    xx = p.show(x + 5, y + 20, term, '/incoterm', kind='code')
    p.show(xx, y + 20, place, '/incoterm_place', kind='text', before=' ')
    p.mark('/incoterm', '/incoterm_place')
    p.y = top + 170
    goods = [('Control valve DN50, stainless', '8481.80', 'NL'), ('Pressure transmitter 0-10 bar', '9026.20', 'DE'), ('Tomato seed, hybrid, 10 g tins', '1209.91', 'NL'), ('Gasket set PTFE', '3926.90', 'CN'), ('pH electrode, glass body', '9027.90', 'CH'), ('Mounting bracket, steel', '7326.90', 'NL'), ('Calibration certificate kit', '4911.99', 'NL'), ('Peristaltic pump tubing, 15 m', '3917.32', 'FR')]
    rows, weight = [], 0.0
    for name, hs, origin in r.sample(goods, r.randint(1, 6)):
        n, price, kg = r.randint(1, 60), cents(r, 4, 900), r.randint(1, 400) / 10
        weight = round(weight + kg, 1)
        rows.append({'quantity': p.cell(n, 0), 'unit': r.choice(('pcs', 'set', 'box')), 'description': name, 'hs_code': hs, 'country_of_origin': origin, 'net_weight_kg': p.cell(kg, 1), 'unit_value': p.cell(price), 'total_value': p.cell(round(n * price, 2))})
    p.listing('/goods', [('quantity', 'QTY', 68, True), ('unit', 'UNIT', 76, False), ('description', 'FULL DESCRIPTION OF GOODS', 112, False), ('net_weight_kg', 'NET WEIGHT\n(KG)', 376, True), ('unit_value', 'UNIT VALUE\n(%s)' % p.currency, 460, True), ('total_value', 'TOTAL VALUE\n(%s)' % p.currency, end, True)], rows,
              kinds_of(unit_value='amount', total_value='amount', hs_code='code', country_of_origin='code', unit='unit'), under=[[('hs_code', 112, 'HS code '), ('country_of_origin', 210, 'Origin ')]], look='lines', edge=(42, end), step=1.8, ruled=True)
    packs, gross = r.randint(1, 8), round(weight * 1.15 + 2, 1)
    sum_ = round(sum(row['total_value'][1] for row in rows), 2)
    freight = cents(r, 30, 400) if term in ('CIP', 'DAP') else None
    cover = round(sum_ * 0.005, 2) if term == 'CIP' else None
    top = p.y
    p.y += 4
    for label, text, at, value, kind in (('Number of packages', str(packs), '/packages', packs, 'number'), ('Total net weight', p.number(weight, 1), '/total_net_weight_kg', weight, 'number'), ('Total gross weight', p.number(gross, 1), '/total_gross_weight_kg', gross, 'number')):
        p.put(42, p.y, label)
        p.show(180, p.y, text, at, value, kind, right=True, after='' if at == '/packages' else '')
        if at != '/packages':
            p.put(184, p.y, 'kg')
        p.mark(at)
        p.y += p.size * 1.5
    low, p.y = p.y, top + 4
    p.sums(330, end, [('Value of goods', sum_, '/goods_value')])
    for label, value, at in (('Freight', freight, '/freight'), ('Insurance', cover, '/insurance')):
        p.types[at] = 'number'
        if p.maybe(at, value is not None, 'amount'):
            p.sums(330, end, [(label, value, at)])
    p.rule(330, end, p.y - p.size * 1.1)
    p.y += 2
    total = round(sum_ + (freight or 0) + (cover or 0), 2)
    with p.look(True):
        x = p.put(330, p.y, 'TOTAL INVOICE VALUE ')
        p.in_code(x, p.y)
        p.money(end, p.y, total, '/total_value')
    p.mark('/total_value')
    p.y = max(p.y, low) + p.size * 3
    p.y = p.prose(42, p.y, ['Value for customs purposes only. No payment is due on this document.' if why != 'Sale' else 'A commercial invoice will follow on dispatch of the goods.', 'We declare that the information in this proforma invoice is true and correct and that the contents of this shipment are as stated above.']) + p.size * 3
    p.show(42, p.y, p.people[1], '/signatory', kind='name', before='Name: ')
    p.mark('/signatory')
    p.put(300, p.y, 'Signature: ________________________')
    p.nul('/payment_terms')
    p.nul('/consignee/tax_id', 'id')
    p.integers.add('/packages')
    p.enums.update({'/incoterm': ['EXW', 'FCA', 'CPT', 'CIP', 'DAP', 'DPU', 'DDP', 'FOB', 'CFR', 'CIF'], '/reason_for_export': ['Sale', 'Sample', 'Repair and return', 'Temporary export']})
    p.says.update({'/goods/*/hs_code': 'Harmonized System code as printed', '/goods/*/country_of_origin': 'Two-letter country code', '/incoterm': 'Three-letter code', '/incoterm_place': 'Place named after the Incoterm', '/exporter/address': 'All lines, comma separated', '/consignee/address': 'All lines, comma separated',
                   '/freight': 'Freight charges, null if not stated', '/insurance': 'Insurance, null if not stated', '/signatory': 'Name of the person who signs', '/currency': 'ISO 4217'})
    return p.done_with('proforma_number date customer_reference exporter consignee reason_for_export transport_mode destination_country incoterm incoterm_place goods packages total_net_weight_kg total_gross_weight_kg goods_value freight insurance total_value currency payment_terms signatory')


# -- German

def stadtwerke(seed):
    """The town works' bill of a year on two pages: what is owed or given back in a ruled reckoning with the day in prose, the new monthly sum; meters, prices and payments on the second."""
    p = Guest(seed, 'stadtwerke', 'DE', style='strict', ordinary=True, fonts=COMPACT, labels=('gap', 'colon'), money=('1.234,56',), minus=('front', 'back'), dates=('%d.%m.%Y',), currency=('EUR',)).start()
    r, end = p.r, p.width - 56
    town = p.home()
    firm = 'Stadtwerke %s %s' % (town[2], r.choice(('GmbH', 'AG')))
    red = 0.7, 0.05, 0.1
    p.fill(end - 34, p.y - 6, 34, 34, red)
    with p.look(True, red):
        p.show(end - 42, p.y + 8, firm, '/lieferant', kind='name', right=True, size=p.size * 1.5)
    p.put(end - 42, p.y + 8 + p.size * 1.5, 'Strom · Gas · Wasser · Wärme', right=True)
    small = p.size * 0.7
    x = p.again(56, 128, firm, '/lieferant', size=small, after=', ')
    p.put(x, 128, 'Postfach %s, %s %s' % (p.code('## ##'), town[1], town[2]), size=small)
    person, home = p.people[0], p.home()
    p.put(56, 146, 'Frau' if person[:6] in ('Gudrun', 'Nicole') else 'Herrn')
    p.show(56, 146 + p.size * 1.35, person, '/kunde/name', kind='name')
    p.show(56, 146 + p.size * 2.7, home[0], '/kunde/strasse', kind='text')
    x = p.show(56, 146 + p.size * 4.05, home[1], '/kunde/plz', kind='code', after=' ')
    p.show(x, 146 + p.size * 4.05, home[2], '/kunde/ort', kind='text')
    start = datetime.date(2024, r.randint(1, 12), 1)
    stop = later(start.replace(year=2025), -1)
    day = later(stop, r.randint(12, 28))
    due = later(day, 14)
    contract, number = p.code(r.choice(('20########', '### ### ###'))), p.code(r.choice(('VR#########', '4100######')))
    p.y = 136
    p.heading(352, p.y, 'Bei Rückfragen bitte angeben')
    p.y += p.size * 1.6
    p.fields(352, [('Vertragskonto', contract, '/vertragskonto', None, 'id'), ('Rechnungsnummer', number, '/rechnungsnummer', None, 'id'), iso(p, '/rechnungsdatum', day, 'Datum'), ('Kundenservice', p.code('0### / ####-0'), None, None, 'id')], gap=92)
    p.y = 236
    p.heading(56, p.y, 'Jahresabrechnung Strom', 1.5)
    p.y += p.size * 1.9
    x = p.date(56, p.y, start, '/abrechnungVon', before='Abrechnungszeitraum ')
    p.date(x, p.y, stop, '/abrechnungBis', before=' bis ')
    p.mark('/abrechnungVon')
    p.y += p.size * 1.5
    p.put(56, p.y, 'Verbrauchsstelle: %s, %s %s' % tuple(home))
    p.y += p.size * 2.2
    p.y = p.prose(56, p.y, ['Sehr geehrte Damen und Herren,', 'für Ihre Verbrauchsstelle haben wir den folgenden Betrag ermittelt:']) + p.size * 0.8
    # the second page's figures first
    days = (stop - start).days + 1
    changed = seed % 2 == 0
    used = r.randint(900, 6200)
    split = later(start, r.randint(60, 250))
    spans = [(start, later(split, -1)), (split, stop)] if changed else [(start, stop)]
    lines, left = [], used
    for i, (a, b) in enumerate(spans):
        n = left if i == len(spans) - 1 else round(used * ((b - a).days + 1) / days)
        left -= n
        ct = r.randint(2600, 4100) / 100
        lines.append(('Arbeitspreis', a, b, float(n), 'kWh', ct, 'ct/kWh', round(n * ct / 100, 2)))
    for a, b in spans:
        n, fee = (b - a).days + 1, r.randint(9000, 17000) / 100
        lines.append(('Grundpreis', a, b, float(n), 'Tage', fee, '€/Jahr', round(n * fee / 365, 2)))
    net = round(sum(line[-1] for line in lines), 2)
    vat = round(net * 0.19, 2)
    gross = round(net + vat, 2)
    monthly = float(r.randint(round(gross / 14), round(gross / 10)))
    paid = monthly * 11
    rest = round(gross - paid, 2)
    p.currency_at = '/waehrung'
    p.rule(56, end, p.y - p.size * 1.1)
    for label, value, at in (('Nettobetrag', net, '/nettobetrag'), ('Umsatzsteuer 19 %', vat, '/umsatzsteuer'), ('Bruttobetrag Strom', gross, '/bruttobetrag'), ('abzüglich geleisteter Abschläge', -paid, '/abschlaegeGezahlt')):
        p.put(56, p.y, label)
        p.put(end, p.y, '€', right=True)
        p.money(end - 14, p.y, value, at)
        p.mark(at)
        p.y += p.size * 1.6
    p.rule(56, end, p.y - p.size * 1.1)
    at = '/nachzahlung' if rest >= 0 else '/guthaben'
    other = '/guthaben' if rest >= 0 else '/nachzahlung'
    with p.look(True):
        p.put(56, p.y, 'Nachzahlung' if rest >= 0 else 'Guthaben')
        p.put(end, p.y, '€', right=True)
        p.money(end - 14, p.y, abs(rest), at)
    p.see_currency(end - p.wide('€'), p.y, '€')
    p.mark(at)
    p.maybe(other, False, 'amount')
    p.rule(56, end, p.y + p.size * 0.5)
    p.y += p.size * 2.6
    iban = iban_of('DE', p.code('#' * 18))
    if rest >= 0:
        p.date(56, p.y, due, '/faelligAm', before='Den Nachzahlungsbetrag buchen wir am ' if seed % 3 else 'Bitte überweisen Sie den Nachzahlungsbetrag bis zum ', after=' von Ihrem Konto ab.' if seed % 3 else ' auf unser unten genanntes Konto.')
    else:
        p.put(56, p.y, 'Das Guthaben überweisen wir in den nächsten Tagen auf Ihr Konto.')
        p.maybe('/faelligAm', False, 'date')
    p.y += p.size * 2.4
    new = float(max(20, round(gross / 11)))
    first = later(day.replace(day=1), 40).replace(day=1)
    p.heading(56, p.y, 'Ihr neuer Abschlag')
    p.y += p.size * 1.6
    x = p.show(56, p.y, p.number(new), '/neuerAbschlag', new, 'amount', before='Der neue monatliche Abschlag beträgt ', after=' €. ')
    p.date(x, p.y, first, '/abschlagAb', before='Er ist erstmals am ', after=' fällig, danach jeweils zum Ersten des Monats.')
    p.y += p.size * 3
    p.prose(56, p.y, ['Mit freundlichen Grüßen', 'Ihre Stadtwerke'])
    p.foot([(56, ['Amtsgericht %s HRB %s' % (town[2], p.code('####')), 'Aufsichtsratsvorsitz: ' + p.people[1]]), (250, ['Sparkasse ' + town[2], ('IBAN', p.grouped(iban), '/iban', iban, 'id')]), (440, [('USt-IdNr.', 'DE' + p.code('1########'), None, None, 'id'), 'Seite 1 von 2'])])
    p.mark('/iban')
    p.start()
    p.put(56, p.y, 'Seite 2 von 2')
    p.again(end, p.y, number, '/rechnungsnummer', right=True, before='Anlage zur Rechnung ')
    p.y += 30
    p.heading(56, p.y, 'Ermittlung des Verbrauchs', 1.2)
    p.y += p.size * 2.2
    old = r.randint(1000, 60000)
    part = spans[0][1] if changed else None
    readings = [(start, stop, old, old + used)] if not changed else [(start, part, old, old + int(lines[0][3])), (split, stop, old + int(lines[0][3]), old + used)]
    meter = p.code('1 EMH00 #### ####')
    rows = [{'zaehlernummer': meter, 'von': (p.day(a), a.isoformat()), 'bis': (p.day(b), b.isoformat()), 'standAlt': p.cell(m, 0), 'standNeu': p.cell(n, 0), 'ablesung': r.choice(('Ablesung', 'Schätzung', 'Kundenangabe')), 'verbrauch': p.cell(n - m, 0)} for a, b, m, n in readings]
    p.listing('/zaehler', [('zaehlernummer', 'Zählernummer', 56, False), ('von', 'von', 155, False), ('bis', 'bis', 212, False), ('standAlt', 'Zählerstand\nalt', 320, True), ('standNeu', 'Zählerstand\nneu', 385, True), ('ablesung', 'Art', 396, False), ('verbrauch', 'Verbrauch\nin kWh', end, True)],
              rows, kinds_of(zaehlernummer='id', von='date', bis='date'), look='grey', edge=(56, end))
    p.y += 12
    p.heading(56, p.y, 'Berechnung des Betrags', 1.2)
    p.y += p.size * 2.2
    p.listing('/preise', [('bezeichnung', 'Preisbestandteil', 56, False), ('von', 'von', 140, False), ('bis', 'bis', 197, False), ('menge', 'Menge', 305, True), ('einheit', '', 310, False), ('preis', 'Preis', 395, True), ('preiseinheit', '', 400, False), ('betrag', 'Betrag in €', end, True)],
              [{'bezeichnung': a, 'von': (p.day(b), b.isoformat()), 'bis': (p.day(c), c.isoformat()), 'menge': p.cell(d, 0), 'einheit': e, 'preis': p.cell(f), 'preiseinheit': g, 'betrag': p.cell(h)} for a, b, c, d, e, f, g, h in lines],
              kinds_of(von='date', bis='date', preis='amount', betrag='amount', einheit='unit', preiseinheit='unit'), look='grey', edge=(56, end))
    p.heading(300, p.y, 'Summe netto')
    p.again(end, p.y, p.number(net), '/nettobetrag', right=True)
    p.y += p.size * 3
    p.heading(56, p.y, 'Ihre Zahlungen', 1.2)
    p.y += p.size * 2.2
    when = start
    months = []
    for i in range(11):
        when = later(when.replace(day=1), 32).replace(day=1)
        months.append(when)
    for i, m in enumerate(months):
        x = 56 + (i // 4) * 165
        y = p.y + (i % 4) * p.size * 1.5
        p.date(x, y, m)
        p.put(x + 135, y, p.number(monthly) + ' €', right=True)
    p.distract('amount', monthly)
    p.y += p.size * 8
    p.prose(56, p.y, ['Strommix: 62 % erneuerbare Energien. CO2-Emissionen 189 g/kWh, radioaktiver Abfall 0,0001 g/kWh.', 'Vertragslaufzeit unbefristet, Kündigungsfrist ein Monat.'], size=0.85)
    p.nul('/kundennummer', 'id')
    p.nul('/bonus', 'amount')
    p.says.update({'/nachzahlung': 'Nur wenn nachzuzahlen ist, sonst null', '/guthaben': 'Nur wenn ein Guthaben besteht, als positive Zahl, sonst null', '/abschlaegeGezahlt': 'mit Vorzeichen wie gedruckt', '/faelligAm': 'Tag, an dem die Nachzahlung fällig ist oder abgebucht wird'})
    return p.done_with('lieferant vertragskonto kundennummer rechnungsnummer rechnungsdatum kunde abrechnungVon abrechnungBis nettobetrag umsatzsteuer bruttobetrag abschlaegeGezahlt bonus nachzahlung guthaben waehrung faelligAm neuerAbschlag abschlagAb iban zaehler preise')


def nebenkosten(seed):
    """A landlord's reckoning of service charges: each kind of cost with its key, all units and the tenant's own, sums in bold, payments in advance taken off, the new advance in prose."""
    p = Guest(seed, 'nebenkosten', 'DE', style='classes', ordinary=False, fonts=COMPACT + ('LiberationSerif-Regular',), labels=('colon', 'gap'), money=('1.234,56',), minus=('front', 'long'), dates=('%d.%m.%Y', '%d.%m.%y'), currency=('EUR',)).start()
    r, end, firm, home = p.r, p.width - 56, p.firms[0], p.home()
    with p.look(True):
        p.show(56, p.y + 8, firm, '/propertyManager/name', kind='name', size=p.size * 1.3)
    text = '%s, %s %s' % tuple(home)
    p.show(56, p.y + 8 + p.size * 1.6, text, '/propertyManager/address', kind='address')
    p.rule(56, end, p.y + 8 + p.size * 2.4)
    day = p.some_day()
    year = day.year - 1
    who, theirs = p.people[0], p.home()
    y = 118
    p.show(56, y, who, '/tenant/name', kind='name')
    p.block(56, y + p.size * 1.35, [theirs[0], '%s %s' % (theirs[1], theirs[2])], '/tenant/address')
    p.date(end, y + p.size * 5, day, '/statementDate', right=True, before=home[2] + ', den ')
    p.y = y + p.size * 8.5
    p.heading(56, p.y, 'Betriebskostenabrechnung für das Jahr %d' % year, 1.3)
    p.y += p.size * 2.4
    start, stop = datetime.date(year, 1, 1), datetime.date(year, 12, 31)
    unit = p.code('##/###/0#')
    flat, house = float(r.randint(380, 1100)) / 10, float(r.randint(4200, 16000)) / 10
    people, all_people = r.randint(1, 4), r.randint(11, 36)
    units = r.randint(6, 18)
    p.field(56, p.y, 'Mieteinheit', unit + ', ' + r.choice(('EG links', '1. OG rechts', '3. OG Mitte')), None, kind='text', gap=110)
    p.y += p.size * 1.5
    left = p.after_label(56, p.y, 'Vertragsnummer', 110)
    p.show(left, p.y, p.code('M-#####'), '/leaseNumber', kind='id')
    p.y += p.size * 1.5
    left = p.after_label(56, p.y, 'Abrechnungszeitraum', 110)
    x = p.date(left, p.y, start, '/periodStart')
    p.date(x, p.y, stop, '/periodEnd', before=' – ')
    p.y += p.size * 1.5
    left = p.after_label(56, p.y, 'Wohnfläche', 110)
    x = p.show(left, p.y, p.number(flat), '/livingArea', flat, 'number', after=' m²')
    p.put(x, p.y, ' von insgesamt %s m²' % p.number(house))
    p.mark('/leaseNumber', '/periodStart', '/livingArea')
    p.y += p.size * 3
    keys = {'m² Wohnfläche': (house, flat, 2), 'Personen': (float(all_people), float(people), 0), 'Wohneinheiten': (float(units), 1.0, 0)}
    kinds = [('Grundsteuer', 'm² Wohnfläche', (900, 4000)), ('Wasser und Abwasser', 'Personen', (1500, 6000)), ('Müllabfuhr', 'Personen', (800, 3200)), ('Straßenreinigung', 'm² Wohnfläche', (150, 700)), ('Gebäudeversicherung', 'm² Wohnfläche', (1200, 4500)), ('Hausmeister', 'm² Wohnfläche', (1800, 7000)),
             ('Allgemeinstrom', 'Wohneinheiten', (200, 900)), ('Gartenpflege', 'm² Wohnfläche', (400, 2000)), ('Aufzug', 'Wohneinheiten', (900, 2600)), ('Kabelanschluss', 'Wohneinheiten', (600, 1900)), ('Schornsteinfeger', 'Wohneinheiten', (100, 400))]
    rows = []
    for name, key, span in r.sample(kinds, r.randint(4, 11)):
        whole, (a, b, digits) = cents(r, *span), keys[key]
        rows.append({'costType': name, 'totalCost': p.cell(whole), 'allocationKey': key, 'totalUnits': p.cell(a, digits), 'tenantUnits': p.cell(b, digits), 'tenantShare': p.cell(round(whole * b / a, 2))})
    p.listing('/costs', [('costType', 'Kostenart', 56, False), ('totalCost', 'Gesamtkosten\nEUR', 228, True), ('allocationKey', 'Umlageschlüssel', 242, False), ('totalUnits', 'Gesamt-\neinheiten', 385, True), ('tenantUnits', 'Ihre\nEinheiten', 448, True), ('tenantShare', 'Ihr Anteil\nEUR', end, True)],
              rows, kinds_of(totalCost='amount', tenantShare='amount', allocationKey='text'), look=r.choice(('lines', 'grey')), edge=(56, end), ruled=seed % 2 == 1)
    whole, share = round(sum(row['totalCost'][1] for row in rows), 2), round(sum(row['tenantShare'][1] for row in rows), 2)
    p.rule(56, end, p.y - p.size * 1.2)
    with p.look(True):
        p.put(56, p.y, 'Summe')
        p.money(228, p.y, whole, '/totalCosts')
        p.money(end, p.y, share, '/tenantTotal')
    p.mark('/totalCosts', '/tenantTotal')
    p.y += p.size * 2.6
    heat = cents(r, 320, 1400)
    p.types['/heatingCosts'] = 'number'
    if p.maybe('/heatingCosts', r.random() < 0.6, 'amount'):
        p.sums(242, end, [('zzgl. Heizkosten lt. Anlage', heat, '/heatingCosts')])
        share = round(share + heat, 2)
    month = float(round(share / 12 + r.randint(-25, 25)))
    advance = month * 12
    p.sums(242, end, [('abzgl. Vorauszahlungen 12 x %s' % p.number(month), -advance, '/advancePayments')])
    rest = round(share - advance, 2)
    p.rule(242, end, p.y - p.size * 1.2)
    p.strong(242, end, 'Nachzahlung' if rest >= 0 else 'Guthaben', abs(rest), '/balance/amount', 'currency')
    p.say_value('/balance/type', 'additional_payment' if rest >= 0 else 'credit')
    p.kinds['/balance/type'] = 'word'
    word = 'Nachzahlung' if rest >= 0 else 'Guthaben'
    p.truth['/balance/type'] = [{'page': p.n_page, 'text': word, 'boxes': p.box(242, p.y - p.size * 1.7, word, 0, len(word), p.size)}]
    p.y += p.size * 1.4
    due = later(day, 30)
    if p.maybe('/dueDate', rest >= 0, 'date'):
        p.date(56, p.y, due, '/dueDate', before='Wir bitten Sie, den Nachzahlungsbetrag bis spätestens ', after=' auf das Ihnen bekannte Mietkonto zu überweisen.')
    else:
        p.put(56, p.y, 'Das Guthaben wird mit der nächsten Mietzahlung verrechnet.')
    p.y += p.size * 1.5
    new, from_ = float(max(30, round(share / 12))), later(day, 62).replace(day=1)
    if p.maybe('/newAdvance', seed % 3 != 0, 'amount'):
        x = p.date(56, p.y, from_, '/newAdvanceFrom', before='Ab dem ')
        p.show(x, p.y, p.number(new), '/newAdvance', new, 'amount', before=' beträgt Ihre monatliche Vorauszahlung ', after=' EUR.')
        p.optional.add('/newAdvanceFrom')
    else:
        p.put(56, p.y, 'Die Höhe der monatlichen Vorauszahlung bleibt unverändert.')
        p.maybe('/newAdvanceFrom', False, 'date')
    p.y += p.size * 1.5
    p.put(56, p.y, 'Die Belege können Sie nach Terminvereinbarung in unserem Büro einsehen.')
    p.prose(56, p.y + p.size * 3, ['Mit freundlichen Grüßen', firm])
    p.nul('/iban', 'id')
    p.enums['/balance/type'] = ['additional_payment', 'credit']
    p.needed.update({'/tenantTotal'})
    p.says.update({'/balance/type': 'additional_payment if the tenant has to pay (Nachzahlung), credit if he gets money back (Guthaben)', '/balance/amount': 'Positive in both cases', '/costs': 'One entry for each kind of cost in the table', '/costs/*/totalCost': 'Cost of the whole building', '/costs/*/allocationKey': 'As printed',
                   '/costs/*/tenantUnits': 'Units of this tenant', '/totalCosts': 'Sum of the table for the building', '/tenantTotal': "Sum of the tenant's shares in the table", '/heatingCosts': 'Heating, if it is charged separately', '/advancePayments': 'Advance payments with the sign as printed', '/livingArea': 'Square metres of the flat',
                   '/newAdvance': 'New monthly advance, null if unchanged', '/newAdvanceFrom': 'First day of the new advance', '/iban': 'Account to pay to'})
    return p.done_with('propertyManager tenant statementDate leaseNumber periodStart periodEnd livingArea costs totalCosts tenantTotal heatingCosts advancePayments balance currency dueDate newAdvance newAdvanceFrom iban')


def honorarnote(seed):
    """An Austrian consultant's note of fees: name and titles in the middle, place and day at the right, services in a table with hours, cash outlays without tax in another, who and where in the foot alone."""
    p = Guest(seed, 'honorarnote', 'AT', style='plain', ordinary=True, fonts=COMPACT + ('LiberationSerif-Regular',), labels=('beside', 'colon'), money=('1.234,56', '1 234,56', '1234,56'), dates=('%d.%m.%Y', '%-d. %B %Y', '%d.%m.%y'), currency=('EUR',))
    p.sign_first = seed % 2 == 0
    p.start()
    r, end, me, home = p.r, p.width - 64, p.people[0], p.home()
    with p.look(True):
        p.middled(None, p.y + 10, me, '/leistungserbringer/name', kind='name', size=1.7)
    job = r.choice(('Unternehmensberatung', 'Ziviltechniker für Bauwesen', 'Gerichtlich beeidete Sachverständige', 'Psychotherapie und Supervision'))
    p.put(p.middle(job), p.y + 10 + p.size * 1.9, job)
    p.rule(200, p.width - 200, p.y + 10 + p.size * 2.7)
    y, buyer, there = 124, p.firms[0], p.home()
    p.put(64, y, 'An')
    p.show(64, y + p.size * 1.35, buyer, '/empfaenger/name', kind='name')
    p.show(64, y + p.size * 2.7, there[0], '/empfaenger/strasse', kind='text')
    x = p.show(64, y + p.size * 4.05, there[1], '/empfaenger/plz', kind='code', after=' ')
    p.show(x, y + p.size * 4.05, there[2], '/empfaenger/ort', kind='text')
    if p.maybe('/empfaenger/uid', r.random() < 0.5, 'id'):
        p.show(64, y + p.size * 5.4, austrian_vat(p), '/empfaenger/uid', kind='id', before='UID: ')
        p.mark('/empfaenger/uid')
    day = p.some_day()
    p.date(end, y + p.size * 8, day, '/datum', right=True, before=home[2] + ', am ')
    p.y = y + p.size * 11
    number = p.code(r.choice(('##/2025', 'H-25-###', '2025-0##')))
    with p.look(True):
        p.show(64, p.y, number, '/honorarnote_nr', kind='id', before='Honorarnote Nr. ', size=p.size * 1.4)
    p.mark('/honorarnote_nr')
    p.y += p.size * 2.2
    start = later(day, -r.randint(25, 50))
    stop = later(day, -r.randint(2, 8))
    x = p.date(64, p.y, start, '/leistung_von', before='Leistungszeitraum: ')
    p.date(x, p.y, stop, '/leistung_bis', before=' bis ')
    p.mark('/leistung_von')
    p.y += p.size * 1.5
    p.show(64, p.y, r.choice(('Sanierung Stiegenhaus', 'Strategieklausur Geschäftsleitung', 'Gutachten Wasserschaden', 'Einführung Kostenrechnung')), '/betreff', kind='text', before='Betreff: ')
    p.mark('/betreff')
    p.y += p.size * 2.4
    p.put(64, p.y, 'Für meine Leistungen erlaube ich mir zu verrechnen:')
    p.y += p.size * 2.6
    rows = []
    for name in r.sample((['Vorbesprechung'], ['Befundaufnahme vor Ort', 'samt Fotodokumentation'], ['Ausarbeitung der Unterlagen'], ['Moderation Workshop,', 'ganztägig'], ['Telefonate und Schriftverkehr'], ['Präsentation der Ergebnisse'], ['Reisezeit']), r.randint(1, 5)):
        n, price = r.randint(1, 48) / 2, float(r.choice((90, 110, 125, 140)))
        rows.append({'leistung': (name, ' '.join(name)), 'stunden': p.cell(n, 1 if n != int(n) else 0), 'satz': p.cell(price), 'betrag': p.cell(round(n * price, 2))})
    p.listing('/leistungen', [('leistung', 'Leistung', 64, False), ('stunden', 'Stunden', 340, True), ('satz', 'à EUR', 420, True), ('betrag', 'EUR', end, True)], rows, kinds_of(satz='amount', betrag='amount'), look='rule', edge=(64, end))
    fee = round(sum(row['betrag'][1] for row in rows), 2)
    p.y += 2
    p.sums(280, end, [('Honorar netto', fee, '/honorar_netto')], True)
    rate = 0 if job.startswith('Psycho') else 20
    vat = round(fee * rate / 100, 2)
    p.types['/ust_betrag'] = 'number'
    if rate:
        x = p.put(280, p.y, '+ ')
        p.show(x, p.y, '20', '/ust_satz', 20, 'rate', after=' % USt.')
        p.money(end, p.y, vat, '/ust_betrag', True)
        p.mark('/ust_betrag')
        p.y += p.size * 1.6
        p.optional.update({'/ust_satz', '/ust_betrag'})
    else:
        p.optional.update({'/ust_satz', '/ust_betrag'})
        p.nul('/ust_satz', 'rate')
        p.lacks('/ust_betrag', 'amount')
    costs = r.sample([('Fahrtkosten ÖBB', cents(r, 15, 90)), ('Grundbuchauszug', cents(r, 4, 19)), ('Parkgebühren', cents(r, 3, 30)), ('Kopien und Porto', cents(r, 2, 25))], r.randint(1, 3))
    p.y += p.size
    p.put(64, p.y, 'Barauslagen (Durchlaufposten, ohne USt.)')
    p.y += p.size * 1.6
    p.heads['/barauslagen'] = []
    for i, (name, v) in enumerate(costs):
        p.show(280, p.y, name, '/barauslagen/%d/bezeichnung' % i, kind='text')
        p.money(end, p.y, v, '/barauslagen/%d/betrag' % i, True)
        p.y += p.size * 1.5
    total = round(fee + vat + sum(v for _, v in costs), 2)
    p.rule(280, end, p.y - p.size)
    p.y += p.size * 0.6
    p.currency_at = '/waehrung'
    p.strong(280, end, r.choice(('Gesamtbetrag', 'Honorarforderung gesamt', 'Rechnungsbetrag')), total, '/gesamtbetrag', 'currency', 1.1)
    p.y += p.size * 1.6
    days = r.choice((10, 14, 30))
    p.show(64, p.y, str(days), '/zahlungsziel_tage', days, 'number', before='Zahlbar binnen ', after=' Tagen ab Erhalt ohne Abzug auf das unten angeführte Konto.')
    p.y += p.size * 1.5
    if not rate:
        p.put(64, p.y, 'Umsatzsteuerfrei gemäß § 6 Abs. 1 Z 19 UStG.')
    iban, uid = iban_of('AT', p.code('20###########') + p.code('###')), austrian_vat(p)
    y = p.height - 58
    p.rule(64, end, y - p.size * 1.6)
    small = p.size * 0.85
    text = '%s, %s %s' % tuple(home)
    p.show(p.middle(text + '  ·  Tel. 0664 000 00 00', 0.85), y, text, '/leistungserbringer/adresse', kind='address', after='  ·  Tel. 0664 000 00 00', size=small)
    line = ('UID: ' if rate else 'St.Nr. ', uid if rate else p.code('## ###/####'))
    mid = '  ·  IBAN '
    x = p.middle(line[0] + line[1] + mid + p.grouped(iban), 0.85)
    if rate:
        x = p.show(x, y + p.size * 1.3, line[1], '/leistungserbringer/uid', kind='id', before=line[0], size=small)
        p.mark('/leistungserbringer/uid')
        p.optional.add('/leistungserbringer/uid')
    else:
        x = p.put(x, y + p.size * 1.3, line[0] + line[1], size=small)
        p.lacks('/leistungserbringer/uid', 'id')
    p.show(x, y + p.size * 1.3, p.grouped(iban), '/iban', iban, 'id', before=mid, size=small)
    p.mark('/iban')
    p.lacks('/faellig_am', 'date')
    p.integers.add('/zahlungsziel_tage')
    return p.done_with('leistungserbringer empfaenger honorarnote_nr datum betreff leistung_von leistung_bis leistungen honorar_netto ust_satz ust_betrag barauslagen gesamtbetrag waehrung zahlungsziel_tage faellig_am iban')


# -- French

def railreceipt(seed):
    """A railway's voucher of a journey: reference in a dark bar, each leg in two lines with hours and stations, travellers with their fares, tax within the sum, the card in short."""
    p = Guest(seed, 'railreceipt', 'FR', style='strict', ordinary=False, fonts=COMPACT, labels=('above', 'colon'), money=('1 234,56', '1234,56', '1\u00a0234,56'), dates=('%d/%m/%Y', '%-d %B %Y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 54
    firm = r.choice(('Rail Atlantique', 'TransFer Voyageurs', 'Lignes du Rhône'))
    dark = 0.1, 0.1, 0.3
    with p.look(True, dark):
        p.show(54, p.y + 10, firm, '/carrier', kind='name', size=p.size * 1.8)
    p.heading(end, p.y + 10, 'Justificatif d’achat et de voyage', 1.2, right=True)
    p.y += 34
    code, bought = p.code('@@@@@@'), p.some_day()
    p.fill(54, p.y, end - 54, 34, dark)
    with p.look(False, (1, 1, 1)):
        p.put(64, p.y + 12, 'RÉFÉRENCE DU DOSSIER', size=p.size * 0.75)
        p.put(230, p.y + 12, 'NOM ASSOCIÉ AU DOSSIER', size=p.size * 0.75)
        p.put(400, p.y + 12, 'DATE D’ACHAT', size=p.size * 0.75)
        who = p.people[0].upper().split(' ', 1)
        with p.look(True, (1, 1, 1)):
            p.show(64, p.y + 27, code, '/booking_reference', kind='id', size=p.size * 1.15)
            p.show(230, p.y + 27, who[1], '/booking_name', kind='name', size=p.size * 1.15)
            p.date(400, p.y + 27, bought, '/purchase_date', size=p.size * 1.15)
    p.mark('/booking_reference', '/booking_name', '/purchase_date')
    p.y += 62
    stations = r.sample(('Rennes', 'Paris Montparnasse', 'Lyon Part Dieu', 'Avignon TGV', 'Lille Europe', 'Nantes', 'Bordeaux St-Jean', 'Strasbourg', 'Dijon Ville'), 4)
    out = later(bought, r.randint(2, 40))
    legs = [(stations[0], stations[1], out)]
    if r.random() < 0.4:
        legs.append((stations[1], stations[2], out))
    if r.random() < 0.6:
        legs.append((legs[-1][1], stations[0], later(out, r.randint(1, 6))))
    p.heading(54, p.y, 'Votre voyage', 1.25)
    p.y += p.size * 2
    p.heads['/legs'] = []
    hour = r.randint(6, 9)
    last = None
    for i, (a, b, d) in enumerate(legs):
        at = '/legs/%d/' % i
        hour = hour if d == last else r.randint(6, 14)
        last = d
        go = '%02d:%02d' % (hour, r.randint(0, 59))
        hour += r.randint(1, 3)
        come = '%02d:%02d' % (hour, r.randint(0, 59))
        hour += 1
        p.frame(54, p.y, end - 54, p.size * 4.4)
        y1, y2 = p.y + p.size * 1.6, p.y + p.size * 3.4
        p.date(62, y1, d, at + 'date')
        x = p.show(62, y2, p.code('8###'), at + 'train_number', kind='id', before='Train n° ')
        for y, t, s, k in ((y1, go, a, 'departure'), (y2, come, b, 'arrival')):
            with p.look(True):
                p.show(190, y, t, at + k + '_time', kind='code')
            p.show(230, y, s, at + k + '_station', kind='text')
        p.show(400, y1, r.choice(('2', '1')), at + 'class', kind='code', before='Classe ')
        x = p.show(400, y2, '%02d' % r.randint(1, 18), at + 'coach', kind='code', before='Voiture ')
        p.show(x, y2, str(r.randint(11, 99)), at + 'seat', kind='code', before=', place ')
        p.y += p.size * 4.4
    p.y += p.size * 3
    p.heading(54, p.y, 'Voyageurs et tarifs', 1.25)
    p.y += p.size * 2.2
    rows = []
    for name, kind in zip([p.people[0]] + ['%s %s' % (n, p.people[0].split(' ', 1)[1]) for n in r.sample(('Lucas', 'Jeanne', 'Agathe'), r.randint(0, 3))], ('Adulte 26-59 ans', 'Adulte 26-59 ans', 'Enfant 4-11 ans', 'Jeune 12-25 ans')):
        rows.append({'name': name, 'category': kind, 'fare_type': r.choice(('Loisir', 'Loisir - carte Avantage', 'Plein tarif')), 'price': p.cash(cents(r, 9, 98))})
    p.listing('/passengers', [('name', 'Voyageur', 54, False), ('category', 'Type', 190, False), ('fare_type', 'Tarif', 320, False), ('price', 'Prix TTC', end, True)], rows, kinds_of(name='name', price='amount'), look='rule', edge=(54, end), step=1.8)
    fares = round(sum(row['price'][1] for row in rows), 2)
    extra = 0.0
    p.types['/insurance'] = 'number'
    if p.maybe('/insurance', r.random() < 0.4, 'amount'):
        extra = float(r.choice((3.9, 5.9)))
        p.sums(320, end, [('Assurance annulation', extra, '/insurance')], True)
    total = round(fares + extra, 2)
    net = round(fares / 1.1, 2)
    p.rule(320, end, p.y - p.size * 1.2)
    p.strong(320, end, r.choice(('Montant total payé', 'TOTAL TTC')), total, '/total', 'currency', 1.1)
    x = p.put(320, p.y, 'dont TVA ', size=p.size * 0.9)
    x = p.show(x, p.y, '10', '/vat_rate', 10, 'rate', after=' % sur transport', size=p.size * 0.9)
    p.money(end, p.y, round(fares - net, 2), '/vat_amount', True, size=p.size * 0.9)
    p.mark('/vat_amount')
    p.y += p.size * 3
    card = p.code('####')
    x = p.put(54, p.y, 'Payé par carte bancaire ')
    x = p.show(x, p.y, r.choice(('Visa', 'Mastercard')), '/payment/method', kind='text')
    x = p.show(x, p.y, card, '/payment/card_last4', kind='code', before=' **** **** **** ')
    p.date(x, p.y, bought, '/payment/date', before=' le ')
    p.y += p.size * 2.4
    siren = p.code('5########')
    p.prose(54, p.y, ['Ce document n’est pas un titre de transport. Il est établi à la demande du client et vaut justificatif de paiement.', 'Billets échangeables et remboursables sans frais jusqu’à 6 jours avant le départ.'], size=0.88)
    place = p.home()
    y = p.height - 44
    p.rule(54, end, y - 12)
    p.show(54, y, siren, '/carrier_siren', kind='id', before='%s SA, %s, %s %s – RCS %s ' % (firm, place[0], place[1], place[2], place[2]), size=p.size * 0.78)
    p.nul('/company_name')
    p.nul('/loyalty_number', 'id')
    p.says.update({'/booking_reference': 'Six letters (dossier)', '/legs': 'One entry per train', '/legs/*/departure_time': 'HH:MM', '/legs/*/arrival_time': 'HH:MM', '/legs/*/class': '1 or 2', '/vat_amount': 'VAT contained in the fares', '/payment/card_last4': 'Last four digits of the card', '/company_name': 'Company for which the journey was booked', '/loyalty_number': 'Number of the loyalty card',
                   '/carrier_siren': 'SIREN in the foot of the page', '/booking_name': 'Name under which the booking is kept, as printed'})
    return p.done_with('carrier carrier_siren booking_reference booking_name company_name loyalty_number purchase_date legs passengers insurance total vat_rate vat_amount currency payment')


def bilingue(seed):
    """A Belgian invoice in two languages: each label twice, customer in a box at the right, rebate in each line, bases of the tax at the left of the sums, the structured message in a frame."""
    p = Guest(seed, 'bilingue', 'BE', style='strict', ordinary=True, fonts=COMPACT, labels=('colon', 'above'), money=('1.234,56', '1 234,56'), minus=('front',), dates=('%d/%m/%Y', '%d-%m-%Y', '%d/%m/%y'), currency=('EUR',)).start()
    r, end, seller, home = p.r, p.width - 46, p.firms[0], p.home()
    p.label_how = 'gap'
    with p.look(True, (0.35, 0.2, 0.05)):
        p.show(46, p.y + 10, seller, '/seller/name', kind='name', size=p.size * 1.6)
    y = p.y + 10 + p.size * 1.8
    p.show(46, y, home[0], '/seller/street', kind='text')
    x = p.show(46, y + p.size * 1.3, home[1], '/seller/postalCode', kind='code', after=' ')
    p.show(x, y + p.size * 1.3, home[2], '/seller/city', kind='text')
    vat_id, iban = belgian_vat(p), iban_of('BE', (lambda d: d + '%02d' % (int(d) % 97 or 97))(p.code('0#########')))
    p.show(46, y + p.size * 2.6, vat_id, '/seller/vatNumber', kind='id', before='TVA/BTW ')
    p.mark('/seller/vatNumber')
    p.heading(end, p.y + 10, 'FACTURE / FACTUUR', 1.5, right=True)
    buyer, there = p.firms[1], p.home()
    p.frame(318, 84, end - 318, 74)
    p.put(322, 93, 'Client / Klant', size=p.size * 0.75)
    p.show(330, 110, buyer, '/buyer/name', kind='name')
    p.show(330, 110 + p.size * 1.35, there[0], '/buyer/street', kind='text')
    x = p.show(330, 110 + p.size * 2.7, there[1], '/buyer/postalCode', kind='code', after=' ')
    p.show(x, 110 + p.size * 2.7, there[2], '/buyer/city', kind='text')
    p.show(330, 110 + p.size * 4.05, belgian_vat(p), '/buyer/vatNumber', kind='id', before='TVA/BTW ')
    p.mark('/buyer/name', '/buyer/vatNumber')
    day, number = p.some_day(), p.code(r.choice(('2025/####', 'F25-#####', '25######')))
    due = later(day, r.choice((15, 30)))
    p.y = 128
    some = [('Facture n° / Factuur nr.', number, '/invoiceNumber', None, 'id'), iso(p, '/invoiceDate', day, 'Date / Datum'), iso(p, '/dueDate', due, 'Échéance / Vervaldag')]
    if p.maybe('/customerReference', r.random() < 0.6, 'id'):
        some.append(('Votre réf. / Uw ref.', p.code('BC####'), '/customerReference', None, 'id'))
    p.fields(46, some, gap=112)
    p.y += 30
    goods = [(['Papier à en-tête, 500 feuilles', 'Briefpapier, 500 vel'], 'PAK', 21), (['Chaise de bureau / Bureaustoel'], 'ST', 21), (['Bière blonde 24 x 33 cl', 'Blond bier 24 x 33 cl'], 'BAK', 21), (['Livre de recettes / Kookboek'], 'ST', 6), (['Plantes vertes / Groene planten'], 'ST', 6), (['Livraison / Levering'], 'FF', 21), (['Impression brochure A5', 'Druk brochure A5'], 'ST', 21), (['Montage / Montage'], 'U', 21)]
    rows = []
    for name, unit, rate in r.sample(goods, r.randint(2, 7)):
        n, price, off = (1.0, cents(r, 15, 80)) + (0,) if unit == 'FF' else (float(r.randint(1, 40)), cents(r, 2, 240), r.choice((0, 0, 5, 10)))
        rows.append({'code': p.code('@###'), 'description': (name, None), 'quantity': p.cell(n, 0), 'unit': unit, 'unitPrice': p.cell(price, 2), 'discountPercent': ('%d%%' % off, off) if off else (None, None), 'vatRate': ('%d%%' % rate, rate), 'amount': p.cell(round(n * price * (100 - off) / 100, 2))})
    p.types['/lines/*/discountPercent'] = 'number'
    p.listing('/lines', [('code', 'Réf.', 46, False), ('description', 'Description\nOmschrijving', 84, False), ('quantity', 'Qté\nAantal', 268, True), ('unit', 'Un.\nEenh.', 276, False), ('unitPrice', 'Prix unit.\nEenheidspr.', 365, True), ('discountPercent', 'Remise\nKorting', 412, True), ('vatRate', 'TVA\nBTW', 452, True), ('amount', 'Total HTVA\nTotaal excl.', end, True)],
              rows, kinds_of(code='id', unit='unit', unitPrice='amount', amount='amount', discountPercent='rate', vatRate='rate'), look=r.choice(('grey', 'lines')), edge=(46, end), step=1.7, uprights=())
    p.y = max(p.y + 16, 470)
    taxes = []
    for rate in (21, 6):
        base = round(sum(row['amount'][1] for row in rows if row['vatRate'][1] == rate), 2)
        if base:
            taxes.append({'rate': ('%d%%' % rate, rate), 'base': p.cell(base), 'vat': p.cell(round(base * rate / 100, 2))})
    top = p.y
    p.listing('/vatSummary', [('rate', '% TVA/BTW', 100, True), ('base', 'Base/Basis', 180, True), ('vat', 'TVA/BTW', 250, True)], taxes, kinds_of(rate='rate', base='amount', vat='amount'), look='rule', edge=(46, 250))
    low, p.y = p.y, top
    net, vat = (round(sum(t[k][1] for t in taxes), 2) for k in ('base', 'vat'))
    p.sums(310, end, [('Total HTVA / Totaal excl. btw', net, '/totalExclVat'), ('TVA / BTW', vat, '/totalVat')])
    p.fill(304, p.y - p.size * 1.3, end - 304, p.size * 2, PALE)
    p.strong(310, end, 'À PAYER / TE BETALEN', round(net + vat, 2), '/totalInclVat', 'currency')
    p.y = max(low, p.y) + 22
    message = belgian_message(p)
    p.frame(46, p.y, end - 46, 38)
    p.put(52, p.y + 13, 'Merci de payer avec la communication structurée / Gelieve te betalen met de gestructureerde mededeling')
    with p.look(True):
        p.show(p.middle(message, 1.2), p.y + 29, message, '/structuredCommunication', kind='id', size=p.size * 1.2)
    p.y += 60
    p.prose(46, p.y, ['Toute réclamation doit être formulée dans les 8 jours. / Klachten dienen binnen 8 dagen gemeld te worden.', 'En cas de retard, intérêts de 10 % l’an de plein droit. / Bij laattijdige betaling 10 % interest per jaar van rechtswege.'], size=0.85)
    y = p.height - 46
    text = ('IBAN ', p.grouped(iban), '   BIC GEBABEBB   RPM/RPR %s' % home[2])
    p.show(p.middle(''.join(text)), y, text[1], '/seller/iban', iban, 'id', before=text[0], after=text[2])
    p.mark('/seller/iban', '/structuredCommunication')
    p.nul('/deliveryDate', 'date')
    p.nul('/buyer/contactPerson')
    return p.done_with('invoiceNumber invoiceDate dueDate deliveryDate customerReference seller buyer lines vatSummary totalExclVat totalVat totalInclVat currency structuredCommunication')


# -- Spanish

def minuta(seed):
    """A lawyer's bill of fees: client and case in running words, fees and outlays in two tables, tax added and the withheld part taken off, place and day in a sentence at the end."""
    p = Guest(seed, 'minuta', 'ES', style='plain', ordinary=True, fonts=COMPACT + ('LiberationSerif-Regular',), labels=('colon', 'beside'), money=('1.234,56',), minus=('front', 'brackets'), dates=('%-d de %B de %Y', '%d/%m/%Y', '%d-%m-%Y'), currency=('EUR',)).start()
    r, end, me, home = p.r, p.width - 62, p.people[0], p.home()
    office = me + r.choice((' – Abogada', ' Abogados')) if seed % 2 else me
    with p.look(True):
        p.show(62, p.y + 10, me, '/profesional/nombre', kind='name', size=p.size * 1.4)
    p.put(62, p.y + 10 + p.size * 1.6, r.choice(('Abogacía y asesoría jurídica', 'Arquitectura y peritaciones', 'Procuraduría de los Tribunales')) + ' – Col. ' + p.code('#.###'))
    nif = lambda: (lambda n: '%08d%s' % (n, 'TRWAGMYFPDXBNJZSQVHLCKE'[n % 23]))(r.randint(10 ** 7, 5 * 10 ** 7))
    p.show(end, p.y + 10, nif(), '/profesional/nif', kind='id', right=True, before='NIF ')
    p.show(end, p.y + 10 + p.size * 1.5, home[0], '/profesional/domicilio', '%s, %s %s' % tuple(home), 'address', right=True)
    p.show(end, p.y + 10 + p.size * 2.9, '%s %s' % (home[1], home[2]), '/profesional/domicilio', right=True, more=True)
    p.mark('/profesional/nif')
    p.y += 84
    day, number = p.some_day(), p.code(r.choice(('2025/0##', 'M-###/25', '##-2025')))
    with p.look(True):
        p.show(62, p.y, number, '/numero_factura', kind='id', before='FACTURA Nº ', size=p.size * 1.25)
    p.mark('/numero_factura')
    p.y += p.size * 3
    buyer, there = p.firms[0], p.home()
    p.show(62, p.y, buyer, '/cliente/nombre', kind='name', before='Cliente: ')
    p.y += p.size * 1.5
    cif = 'B' + luhn(p.code('4######'))
    x = p.show(62, p.y, cif, '/cliente/nif', kind='id', before='NIF: ')
    p.y += p.size * 1.5
    p.show(62, p.y, '%s, %s %s' % tuple(there), '/cliente/domicilio', kind='address', before='Domicilio: ')
    p.y += p.size * 1.5
    p.show(62, p.y, r.choice(('Procedimiento ordinario %s/2024, Juzgado nº 3', 'Reclamación de cantidad %s/24', 'Constitución de sociedad, exp. %s', 'Recurso de alzada, exp. %s')) % p.code('###'), '/asunto', kind='text', before='Asunto: ')
    p.mark('/cliente/nombre', '/cliente/nif', '/cliente/domicilio', '/asunto')
    p.y += p.size * 3
    fees = [(['Estudio del asunto y documentación'], None), (['Redacción de demanda y', 'preparación de prueba'], None), (['Asistencia a vista oral'], None), (['Informe jurídico'], None), (['Reuniones con el cliente', '(4 sesiones)'], None), (['Negociación extrajudicial'], None)]
    rows = [{'concepto': (name, ' '.join(name)), 'importe': p.cell(float(r.randint(8, 190) * 10) if r.random() < 0.6 else cents(r, 80, 1900))} for name, _ in r.sample(fees, r.randint(1, 5))]
    p.listing('/honorarios', [('concepto', 'HONORARIOS', 62, False), ('importe', 'IMPORTE €', end, True)], rows, kinds_of(importe='amount'), look='rule', edge=(62, end))
    p.y += 8
    base = round(sum(row['importe'][1] for row in rows), 2)
    outlays = [{'concepto': name, 'importe': p.cell(cents(r, 6, 140))} for name in r.sample(('Tasa judicial', 'Nota simple registral', 'Poder notarial', 'Burofax'), r.randint(1, 3))]
    p.listing('/suplidos', [('concepto', 'SUPLIDOS (no sujetos a IVA)', 62, False), ('importe', 'IMPORTE €', end, True)], outlays, kinds_of(importe='amount'), look='rule', edge=(62, end))
    spent = round(sum(row['importe'][1] for row in outlays), 2)
    p.y += 4
    rate = r.choice((15, 15, 7))
    vat, held = round(base * 0.21, 2), round(base * rate / 100, 2)
    p.sums(300, end, [('Base imponible', base, '/base_imponible')], True)
    x = p.show(300, p.y, '21', '/iva_porcentaje', 21, 'rate', before='IVA ', after=' %')
    p.money(end, p.y, vat, '/iva_importe', True)
    p.y += p.size * 1.6
    x = p.show(300, p.y, str(rate), '/irpf_porcentaje', rate, 'rate', before='Retención IRPF ', after=' %')
    p.money(end, p.y, -held, '/irpf_importe', True)
    p.y += p.size * 1.6
    p.mark('/iva_importe', '/irpf_importe')
    p.sums(300, end, [('Total suplidos', spent, '/total_suplidos')], True)
    paid = float(r.choice((100, 200, 300)))
    total = round(base + vat - held + spent, 2)
    p.types['/provision_fondos'] = 'number'
    if p.maybe('/provision_fondos', r.random() < 0.4 and total > 500, 'amount'):
        p.sums(300, end, [('Provisión de fondos recibida', -paid, '/provision_fondos')], True)
        total = round(total - paid, 2)
    p.rule(300, end, p.y - p.size * 1.2)
    p.currency_at = '/moneda'
    p.strong(300, end, r.choice(('TOTAL A PERCIBIR', 'LÍQUIDO A PAGAR')), total, '/total_a_pagar', 'currency')
    p.y += p.size * 1.8
    iban = iban_of('ES', spanish_account(p))
    p.show(62, p.y, p.grouped(iban), '/iban', iban, 'id', before='Ruego transferencia a la cuenta ')
    p.y += p.size * 2.6
    p.date(62, p.y, day, '/fecha', before='En %s, a ' % home[2], after='.')
    p.prose(62, p.height - 48, ['Conforme al RGPD sus datos se tratan con la única finalidad de gestionar la relación profesional y la facturación.'], size=0.8)
    p.lacks('/vencimiento', 'date')
    p.lacks('/cliente/email')
    p.says.update({'/irpf_importe': 'Con signo negativo, tal como se resta', '/provision_fondos': 'Provisión de fondos ya recibida, con signo negativo; null si no hay', '/total_a_pagar': 'Lo que queda por pagar', '/honorarios': 'Líneas de honorarios', '/suplidos': 'Gastos pagados por cuenta del cliente'})
    return p.done_with('numero_factura fecha vencimiento profesional cliente asunto honorarios suplidos base_imponible iva_porcentaje iva_importe irpf_porcentaje irpf_importe total_suplidos provision_fondos total_a_pagar moneda iban')


# -- Italian

def parcella(seed):
    """A professional's bill as a courtesy copy: number and day in one heading, the fund's 4 % and the tax added, the withheld 20 % taken off, sums at the left, stamp duty and terms in small print."""
    p = Guest(seed, 'parcella', 'IT', style='classes', ordinary=True, fonts=COMPACT + ('LiberationSerif-Regular',), labels=('beside', 'colon'), money=('1.234,56',), minus=('front', 'long'), dates=('%d/%m/%Y', '%-d %B %Y', '%d.%m.%Y'), currency=('EUR',))
    p.sign_first = True
    p.start()
    r, end, home = p.r, p.width - 58, p.home()
    me = r.choice(('Studio Tecnico Ing. ', 'Dott. Comm. ', 'Studio Legale Avv. ', 'Arch. ')) + p.people[0]
    with p.look(True):
        p.show(58, p.y + 10, me, '/emittente/denominazione', kind='name', size=p.size * 1.35)
    text = '%s – %s %s' % tuple(home)
    p.show(58, p.y + 10 + p.size * 1.5, home[0], '/emittente/indirizzo', '%s, %s %s' % tuple(home), 'address')
    x = 58 + p.wide(home[0])
    p.show(x, p.y + 10 + p.size * 1.5, '%s %s' % (home[1], home[2]), '/emittente/indirizzo', before=' – ', more=True)
    cf = p.code('@@@@@@##@##@###@')
    x = p.show(58, p.y + 10 + p.size * 2.8, partita_iva(p), '/emittente/partita_iva', kind='id', before='P.IVA ')
    p.show(x, p.y + 10 + p.size * 2.8, cf, '/emittente/codice_fiscale', kind='id', before=' – C.F. ')
    p.mark('/emittente/partita_iva', '/emittente/codice_fiscale')
    p.rule(58, end, p.y + 10 + p.size * 3.7)
    buyer, there = p.firms[0], p.home()
    y = 124
    p.put(340, y, r.choice(('Spett.le', 'Spettabile')))
    p.show(340, y + p.size * 1.35, buyer, '/cliente/denominazione', kind='name')
    p.block(340, y + p.size * 2.7, [there[0], '%s %s' % (there[1], there[2])], '/cliente/indirizzo')
    p.show(340, y + p.size * 5.4, partita_iva(p), '/cliente/partita_iva', kind='id', before='C.F. e P.IVA ')
    p.mark('/cliente/partita_iva')
    day, number = p.some_day(), p.code(r.choice(('##/2025', '###/PA', '0##')))
    p.y = y + p.size * 9
    with p.look(True):
        x = p.show(58, p.y, number, '/numero', kind='id', before='Fattura n. ', size=p.size * 1.3)
        p.date(x, p.y, day, '/data', before=' del ', size=p.size * 1.3)
    p.mark('/numero')
    p.y += p.size * 1.7
    p.put(58, p.y, 'Copia di cortesia priva di valore ai fini fiscali – originale trasmesso tramite Sistema di Interscambio', size=p.size * 0.82)
    p.y += p.size * 3
    rows = []
    for name in r.sample((['Consulenza contabile', 'primo trimestre'], ['Redazione perizia di stima'], ['Progetto esecutivo impianto elettrico'], ['Direzione lavori, acconto'], ['Assistenza in giudizio'], ['Pratica catastale DOCFA'], ['Elaborazione cedolini', 'n. 14 mensilità']), r.randint(1, 5)):
        rows.append({'descrizione': (name, ' '.join(name)), 'importo': p.cash(float(r.randint(9, 240) * 10) if r.random() < 0.7 else cents(r, 90, 2400))})
    p.listing('/prestazioni', [('descrizione', 'Descrizione della prestazione', 58, False), ('importo', 'Importo', end, True)], rows, kinds_of(importo='amount'), look=r.choice(('grey', 'lines')), edge=(58, end), step=1.8, ruled=True)
    fee = round(sum(row['importo'][1] for row in rows), 2)
    fund = round(fee * 0.04, 2)
    base = round(fee + fund, 2)
    vat, held = round(base * 0.22, 2), round(fee * 0.2, 2)
    costs = cents(r, 16, 90)
    p.y += 10
    right = 330
    p.sums(58, right, [('Totale compensi', fee, '/totale_compensi'), (r.choice(('Cassa previdenza 4%', 'Contributo integrativo 4%', 'C.N.P.A.I.A. 4%')), fund, '/contributo_integrativo'), ('Imponibile IVA', base, '/imponibile'), ('IVA 22%', vat, '/iva')], True)
    p.types['/spese_esenti'] = 'number'
    total = round(base + vat, 2)
    if p.maybe('/spese_esenti', seed % 2 == 0, 'amount'):
        p.sums(58, right, [('Spese escluse art. 15', costs, '/spese_esenti')], True)
        total = round(total + costs, 2)
    p.rule(58, right, p.y - p.size * 1.1)
    p.y += p.size * 0.3
    p.currency_at = '/valuta'
    p.strong(58, right, 'Totale fattura', total, '/totale_fattura', 'currency')
    p.sums(58, right, [('Ritenuta d’acconto 20%', -held, '/ritenuta_acconto')], True)
    p.rule(58, right, p.y - p.size * 1.1)
    p.y += p.size * 0.3
    p.strong(58, right, r.choice(('NETTO A PAGARE', 'Netto da versare')), round(total - held, 2), '/netto_a_pagare', True)
    p.y += p.size * 2
    iban = iban_of('IT', italian_account(p))
    due = later(day, r.choice((30, 60)))
    p.show(58, p.y, r.choice(('Bonifico bancario', 'Rimessa diretta')), '/modalita_pagamento', kind='text', before='Pagamento: ')
    p.y += p.size * 1.5
    p.date(58, p.y, due, '/scadenza', before='Scadenza: ')
    p.y += p.size * 1.5
    p.show(58, p.y, p.grouped(iban) if seed % 2 else iban, '/iban', iban, 'id', before='IBAN: ')
    p.mark('/modalita_pagamento', '/scadenza', '/iban')
    p.prose(58, p.height - 52, ['Si prega di trasmettere entro i termini di legge la certificazione delle ritenute operate.', 'Operazione non soggetta a imposta di bollo in quanto assoggettata a IVA.'], size=0.82)
    p.lacks('/codice_destinatario', 'code')
    p.lacks('/bollo', 'amount')
    p.needed.update({'/numero', '/data', '/netto_a_pagare'})
    p.says.update({'/totale_compensi': 'Somma delle prestazioni prima di cassa e IVA', '/contributo_integrativo': 'Importo della cassa di previdenza', '/ritenuta_acconto': 'Importo con il segno stampato', '/spese_esenti': 'Spese fuori campo IVA, se presenti', '/netto_a_pagare': 'Totale fattura meno ritenuta', '/codice_destinatario': 'Codice SDI di sette caratteri', '/bollo': 'Imposta di bollo addebitata'})
    return p.done_with('numero data emittente cliente codice_destinatario prestazioni totale_compensi contributo_integrativo imponibile iva spese_esenti bollo totale_fattura ritenuta_acconto netto_a_pagare valuta modalita_pagamento scadenza iban')


# -- Dutch

def webwinkel(seed):
    """A web shop's invoice: a coloured line, facts without colons, prices with tax, a code for a rebate and the tax within the sum, paid already; chamber and tax numbers in the foot."""
    p = Guest(seed, 'webwinkel', 'NL', style='plain', ordinary=True, fonts=COMPACT, labels=('beside', 'gap'), money=('1.234,56',), minus=('front', 'long'), dates=('%-d %B %Y', '%d-%m-%Y', '%-d-%-m-%Y'), currency=('EUR',)).start()
    p.label_how = 'gap'
    r, end, shop = p.r, p.width - 54, p.firms[0]
    tint = r.choice(((0.9, 0.35, 0.3), (0.1, 0.55, 0.5), (0.35, 0.25, 0.6)))
    with p.look(True, tint):
        p.show(54, p.y + 14, shop, '/shop/name', kind='name', size=p.size * 2.1)
    p.fill(54, p.y + 24, end - 54, 3, tint)
    p.y += 56
    p.heading(54, p.y, 'Factuur', 1.8)
    p.y += p.size * 2.8
    day = p.some_day()
    top, buyer, there = p.y, p.people[0], p.home()
    p.heading(330, top, 'Factuuradres')
    p.show(330, top + p.size * 1.5, buyer, '/customer/name', kind='name')
    p.nest(330, top + p.size * 2.85, there, '/customer/address', False, ('street', 'zip', 'city', 'country'))
    p.put(330, top + p.size * 5.55, r.choice(('Nederland', '')))
    some = [('Factuurnummer', p.code(r.choice(('2025#####', 'F2025-####'))), '/invoice_number', None, 'id'), iso(p, '/invoice_date', day, 'Factuurdatum'), ('Bestelnummer', p.code(r.choice(('#10####', 'W######'))).replace('#', '#'), '/order_number', None, 'id'), iso(p, '/order_date', later(day, -r.randint(0, 2)), 'Besteldatum')]
    p.fields(54, some, gap=96)
    p.y = max(p.y, top + p.size * 7.5) + 16
    goods = [(['Wollen plaid visgraat', 'kleur: zeegroen'], 21), (['Koffiebonen Ethiopië 1 kg'], 9), (['Vogelhuisje eiken'], 21), (['Houten puzzel boerderij', '48 stukjes'], 21), (['Breigaren merino 100 g'], 21), (['Kruidenzaadjes, 6 zakjes'], 9), (['Gietijzeren tuinbankje', 'levering in 2 pakketten'], 21), (['Kookboek Soep van Toen'], 9), (['Theepot gietijzer 0,8 l'], 21)]
    rows, parts, gross = [], {}, 0.0
    for name, rate in r.sample(goods, r.randint(1, 6)):
        n, price = r.choice((1, 1, 2, 3)), r.choice((cents(r, 3, 80), r.randint(3, 120) - 0.05))
        price = round(price, 2)
        own = round(n * price, 2)
        gross = round(gross + own, 2)
        parts[rate] = round(parts.get(rate, 0) + own, 2)
        rows.append({'quantity': ('%dx' % n if seed % 2 else str(n), n), 'product': (name[:1], name[0]), '_detail': name[1] if len(name) > 1 else None, 'unit_price': p.cash(price), 'vat_rate': ('%d%%' % rate, rate), 'total': p.cash(own)})
    p.listing('/items', [('quantity', 'Aantal', 54, False), ('product', 'Artikel', 100, False), ('unit_price', 'Prijs', 370, True), ('vat_rate', 'Btw', 430, True), ('total', 'Totaal', end, True)], rows, kinds_of(unit_price='amount', total='amount', vat_rate='rate'), under=[[('_detail', 100, '')]], look=r.choice(('rule', 'plain')), edge=(54, end), step=2, ruled=seed % 2 == 0)
    p.rule(330, end, p.y - p.size * 1.4)
    p.sums(330, end, [('Subtotaal', gross, '/subtotal')], True)
    off = round(gross * 0.1, 2)
    p.types['/discount'] = 'number'
    if p.maybe('/discount', r.random() < 0.5, 'amount'):
        x = p.show(330, p.y, r.choice(('LENTE10', 'WELKOM10', 'NIEUW10')), '/coupon_code', kind='code', before='Korting (', after=')')
        p.money(end, p.y, -off, '/discount', True)
        p.mark('/discount')
        p.y += p.size * 1.6
        p.optional.add('/coupon_code')
    else:
        off = 0.0
        p.lacks('/coupon_code', 'code')
    post = r.choice((0.0, 4.95, 6.95))
    p.put(330, p.y, 'Verzendkosten')
    if post:
        p.money(end, p.y, post, '/shipping', True)
    else:
        p.show(end, p.y, 'Gratis', '/shipping', 0, 'amount', right=True)
    p.mark('/shipping')
    p.y += p.size * 1.6
    total = round(gross - off + post, 2)
    p.strong(330, end, r.choice(('Totaal', 'Totaalbedrag incl. btw')), total, '/total', 'currency', 1.15)
    share = (total - post) / gross
    vat21 = round((parts.get(21, 0) * share + post) * 21 / 121, 2)
    vat9 = round(parts.get(9, 0) * share * 9 / 109, 2)
    for rate, value, at in ((21, vat21, '/vat_21'), (9, vat9, '/vat_9')):
        p.types[at] = 'number'
        if p.maybe(at, value > 0, 'amount'):
            p.put(330, p.y, 'waarvan btw %d%%' % rate, size=p.size * 0.9)
            p.show(end, p.y, p.in_money(value), at, value, 'amount', right=True, size=p.size * 0.9)
            p.mark(at)
            p.y += p.size * 1.4
    p.y += p.size * 2.4
    p.fill(54, p.y - p.size * 1.5, end - 54, p.size * 2.4, (0.95, 0.95, 0.95))
    x = p.date(62, p.y, later(day, 0), '/paid_on', before='Deze factuur is op ')
    p.show(x, p.y, r.choice(('iDEAL', 'Bancontact', 'Klarna', 'PayPal')), '/payment_method', kind='text', before=' voldaan via ', after='. U hoeft niets meer te betalen.')
    p.y += p.size * 3
    if p.maybe('/track_trace', r.random() < 0.5, 'id'):
        p.show(54, p.y, p.code('3S@@@@#########'), '/track_trace', kind='id', before='Uw pakket volgen? Track & trace-code ')
        p.y += p.size * 1.5
    p.put(54, p.y, 'Retourneren kan binnen 30 dagen, zie de voorwaarden op onze website.')
    home = p.home()
    kvk, vat_id = p.code('6#######'), 'NL%sB01' % weighed(p, (9, 8, 7, 6, 5, 4, 3, 2))
    iban = iban_of('NL', 'INGB0' + p.code('#########'))
    p.distract('id', iban)
    p.foot([(54, [('', shop, '/shop/name', None, 'name'), ('', '%s, %s %s' % tuple(home), '/shop/address', None, 'address')]), (290, [('KvK', kvk, '/shop/kvk', None, 'id'), ('Btw-nr.', vat_id, '/shop/vat_id', None, 'id')]), (410, ['klantenservice@%s' % shop.lower().replace(' ', ''), 'IBAN ' + p.grouped(iban)])])
    p.mark('/shop/kvk', '/shop/vat_id')
    p.lacks('/due_date', 'date')
    p.lacks('/customer/phone')
    p.integers.add('/items/*/quantity')
    p.says.update({'/items/*/product': 'Name of the article without the second line', '/shipping': '0 if shipping is free', '/discount': 'With its sign (negative)', '/vat_21': 'VAT at 21 percent contained in the total', '/vat_9': 'VAT at 9 percent contained in the total', '/paid_on': 'Day of payment', '/due_date': 'Only if still to be paid'})
    return p.done_with('shop customer invoice_number invoice_date order_number order_date due_date items subtotal coupon_code discount shipping total vat_21 vat_9 currency payment_method paid_on track_trace')


# -- Norwegian

def kidfaktura(seed):
    """A Norwegian invoice: customer at the left, facts without colons at the right with their values at the edge, tax by rate in one line, the slip to pay with at the foot."""
    p = Guest(seed, 'kidfaktura', 'NO', style='classes', ordinary=True, fonts=COMPACT, labels=('gap', 'beside'), money=('1 234,56', '1\u00a0234,56', '1.234,56'), dates=('%d.%m.%Y', '%d.%m.%y'), currency=('NOK',)).start()
    r, end, seller, home = p.r, p.width - 50, p.firms[0], p.home()
    org, account, kid = norwegian_id(p), norwegian_account(p), luhn(p.code('00############'))
    with p.look(True, (0.1, 0.25, 0.45)):
        p.show(50, p.y + 10, seller, '/leverandor/navn', kind='name', size=p.size * 1.6)
    p.heading(end, p.y + 10, 'FAKTURA', 1.8, right=True)
    y, buyer, there = 112, p.firms[1], p.home()
    p.show(50, y, buyer, '/kunde/navn', kind='name')
    if r.random() < 0.5:
        p.put(50, y + p.size * 1.35, 'v/ ' + p.people[0])
        y += p.size * 1.35
    p.show(50, y + p.size * 1.35, there[0], '/kunde/gateadresse', kind='text')
    x = p.show(50, y + p.size * 2.7, there[1], '/kunde/postnummer', kind='code', after=' ')
    p.show(x, y + p.size * 2.7, there[2].upper() if seed % 2 else there[2], '/kunde/poststed', kind='text')
    day = p.some_day()
    due, number = later(day, r.choice((10, 14, 30))), p.code(r.choice(('#####', '25####', '1000###')))
    some = [('Fakturanr.', number, '/fakturanummer', None, 'id'), ('Kundenr.', p.code('1####'), '/kundenummer', None, 'id'), iso(p, '/fakturadato', day, 'Fakturadato'), iso(p, '/forfallsdato', due, 'Forfallsdato')]
    if p.maybe('/ordrenummer', seed % 2 == 0, 'id'):
        some.append(('Ordrenr.', p.code('O-#####'), '/ordrenummer', None, 'id'))
    some.append(('Vår ref.', p.people[1], '/var_referanse', None, 'name'))
    y = 104
    for label, text, at, value, kind in some:
        p.pair(350, y, label, text, at, value, kind, right=end)
        y += p.size * 1.5
    p.y = y + 34
    goods = [(['Rørleggerarbeid'], 'timer', 25), (['Kontorpapir A4, eske'], 'stk', 25), (['Elektrisk installasjon', 'iht. tilbud'], 'timer', 25), (['Eple, kasse'], 'kasse', 15), (['Kjøring'], 'km', 25), (['Blomsterjord 40 l'], 'sekk', 25), (['Varmtvannsbereder 200 l'], 'stk', 25), (['Poteter, vasket'], 'kg', 15), (['Skrivebordslampe LED'], 'stk', 25)]
    rows = []
    for name, unit, rate in r.sample(goods, r.randint(1, 7)):
        n, price, off = r.choice((float(r.randint(1, 40)), r.randint(2, 60) / 2)), cents(r, 4, 1900), r.choice((0, 0, 0, 10))
        rows.append({'varenummer': p.code('####'), 'beskrivelse': (name, ' '.join(name)), 'antall': p.cell(n), 'enhet': unit, 'pris': p.cell(price), 'rabatt': p.cell(off, 0) if off else (None, None), 'mva_sats': ('%d %%' % rate, rate), 'belop': p.cell(round(n * price * (100 - off) / 100, 2))})
    p.types['/linjer/*/rabatt'] = 'number'
    p.listing('/linjer', [('varenummer', 'Varenr.', 50, False), ('beskrivelse', 'Beskrivelse', 96, False), ('antall', 'Antall', 285, True), ('enhet', 'Enhet', 293, False), ('pris', 'Pris', 372, True), ('rabatt', 'Rabatt %', 420, True), ('mva_sats', 'MVA', 462, True), ('belop', 'Beløp', end, True)], rows,
              kinds_of(varenummer='id', enhet='unit', pris='amount', belop='amount', rabatt='rate', mva_sats='rate'), look=r.choice(('rule', 'grey', 'lines')), edge=(50, end), step=1.7)
    net = round(sum(row['belop'][1] for row in rows), 2)
    by = [(rate, round(sum(row['belop'][1] for row in rows if row['mva_sats'][1] == rate), 2)) for rate in (25, 15)]
    by = [(rate, base, round(base * rate / 100, 2)) for rate, base in by if base]
    vat = round(sum(one[2] for one in by), 2)
    total = round(net + vat, 2)
    p.rule(330, end, p.y - p.size * 1.2)
    p.sums(330, end, [('Netto', net, '/netto'), ('Merverdiavgift', vat, '/mva')])
    with p.look(True):
        x = p.put(330, p.y, 'Å betale ')
        p.in_code(x, p.y, at='/valuta')
        p.money(end, p.y, total, '/a_betale')
    p.mark('/a_betale')
    p.y += p.size * 2.2
    text = '   '.join('MVA %d %%: grunnlag %s, avgift %s' % (rate, p.number(base), p.number(tax)) for rate, base, tax in by)
    p.put(50, p.y, text, size=p.size * 0.85)
    p.y += p.size * 2
    p.prose(50, p.y, ['Ved forsinket betaling beregnes rente etter forsinkelsesrenteloven. Purregebyr kr 35,00.', 'Oppgi alltid KID ved betaling.'], size=0.9)
    y = p.height - 168
    small = p.size * 0.82
    x = p.again(50, y, seller, '/leverandor/navn', size=small, after=', ')
    x = p.show(x, y, home[0], '/leverandor/gateadresse', kind='text', size=small, after=', ')
    x = p.show(x, y, home[1], '/leverandor/postnummer', kind='code', size=small, after=' ')
    p.show(x, y, home[2], '/leverandor/poststed', kind='text', size=small)
    p.show(end, y, '%s %s %s' % (org[:3], org[3:6], org[6:]), '/leverandor/organisasjonsnummer', org, 'id', right=True, before='Foretaksregisteret NO ', after=' MVA', size=small)
    p.dashed(y + 12)
    y += 24
    p.fill(50, y, end - 50, 96, (1.0, 0.97, 0.8))
    p.heading(56, y + 13, 'Betalingsinformasjon')
    for x, yy, label, t, at, kind in ((56, 34, 'Betal til konto', account, '/kontonummer', 'id'), (200, 34, 'Betalingsfrist', p.day(due), None, None), (56, 66, 'KID', kid, '/kid', 'id'), (340, 34, 'Betalt av', buyer, None, None), (340, 66, 'Kroner', p.number(total), None, None)):
        p.put(x, y + yy - 6, label, size=p.size * 0.75)
        if at:
            p.show(x, y + yy + 6, t, at, kind=kind)
            p.mark(at)
        else:
            p.again(x, y + yy + 6, t, {'Betalingsfrist': '/forfallsdato', 'Betalt av': '/kunde/navn', 'Kroner': '/a_betale'}[label])
    p.lacks('/kunde/organisasjonsnummer', 'id')
    p.lacks('/leveringsdato', 'date')
    p.needed.update({'/fakturanummer', '/a_betale'})
    p.says.update({'/kid': 'KID-nummer til betalingen', '/a_betale': 'Beløp å betale inkl. MVA', '/leverandor/organisasjonsnummer': 'Ni siffer uten mellomrom, uten MVA', '/linjer/*/rabatt': 'Rabatt i prosent, null hvis ingen', '/linjer/*/mva_sats': 'Prosent', '/valuta': 'ISO-kode', '/kontonummer': 'Med punktum som trykt'})
    return p.done_with('fakturanummer fakturadato forfallsdato kundenummer ordrenummer var_referanse leveringsdato leverandor kunde linjer netto mva a_betale valuta kid kontonummer')


# -- Finnish

def lasku(seed):
    """A Finnish invoice: facts in two columns with labels above, tax in a line of heads, the bank's form at the foot with ruled fields and the sum in its corner."""
    p = Guest(seed, 'lasku', 'FI', style='strict', ordinary=True, fonts=COMPACT, labels=('above', 'gap'), money=('1 234,56', '1\u00a0234,56', '1234,56'), dates=('%-d.%-m.%Y', '%d.%m.%Y'), currency=('EUR',)).start()
    r, end, seller, home = p.r, p.width - 46, p.firms[0], p.home()
    y_id, iban, ref = finnish_id(p), iban_of('FI', p.code('5#############')), finnish_reference(p)
    with p.look(True):
        p.show(46, p.y + 8, seller, '/seller/name', kind='name', size=p.size * 1.25)
    p.show(46, p.y + 8 + p.size * 1.5, home[0], '/seller/address', '%s, %s %s' % tuple(home), 'address')
    p.show(46, p.y + 8 + p.size * 2.8, '%s %s' % (home[1], home[2]), '/seller/address', more=True)
    p.heading(310, p.y + 8, 'LASKU', 1.5)
    p.put(end, p.y + 8, '1 (1)', right=True)
    buyer, there = p.firms[1], p.home()
    y = 126
    p.show(56, y, buyer, '/buyer/name', kind='name')
    p.block(56, y + p.size * 1.35, [there[0], '%s %s' % (there[1], there[2].upper())], '/buyer/address')
    day = p.some_day()
    due, number = later(day, r.choice((14, 14, 30))), p.code(r.choice(('####', '25####', '1#####')))
    some = [('Laskun numero', number, '/invoice_number', None, 'id'), iso(p, '/invoice_date', day, 'Laskun päiväys'), ('Asiakasnumero', p.code('1####'), '/customer_number', None, 'id'), iso(p, '/due_date', due, 'Eräpäivä'), ('Viitenumero', ref, '/reference_number', None, 'id'), ('Viivästyskorko', '11,5 %', '/late_interest_percent', 11.5, 'rate')]
    if p.maybe('/your_reference', r.random() < 0.6, 'text'):
        some += [('Viitteenne', p.people[0], '/your_reference', None, 'name')]
    if r.random() < 0.5:
        some += [('Maksuehto', '%d pv netto' % (due - day).days, None, None, 'text')]
    p.y += 42
    if p.label_how == 'above':
        for i, what in enumerate(some):
            p.field(310 + 125 * (i % 2), p.y + p.size * 2.7 * (i // 2), *what)
        p.y += p.size * 2.7 * ((len(some) + 1) // 2)
    else:
        p.fields(310, some, gap=92)
    p.y = max(p.y, 126 + p.size * 6) + 26
    goods = [('Kiinteistönhoito, kuukausimaksu', 'kk'), ('Lumityöt', 'h'), ('Ikkunanpesu', 'kpl'), ('Nurmikon leikkuu', 'krt'), ('Kirjanpito', 'kk'), ('Ylläpitosiivous', 'h'), ('Istutusmulta 40 l', 'ps'), ('Palkanlaskenta', 'kpl'), ('Kilometrikorvaus', 'km')]
    rows = []
    for name, unit in r.sample(goods, r.randint(1, 7)):
        n, price, rate = r.choice((float(r.randint(1, 30)), r.randint(2, 50) / 2)), cents(r, 1, 480), r.choice((25.5, 25.5, 14.0))
        rows.append({'description': name, 'quantity': p.cell(n, 2 if n != int(n) else 0), 'unit': unit, 'unit_price': p.cell(price), 'vat_percent': (p.number(rate, 1) if rate != 14 else '14', rate), 'total_excl_vat': p.cell(round(n * price, 2))})
    p.listing('/rows', [('description', 'Kuvaus', 46, False), ('quantity', 'Määrä', 275, True), ('unit', 'Yks.', 283, False), ('unit_price', 'á-hinta\n(veroton)', 370, True), ('vat_percent', 'Alv %', 425, True), ('total_excl_vat', 'Yhteensä\n(veroton)', end, True)], rows, kinds_of(unit='unit', unit_price='amount', total_excl_vat='amount', vat_percent='rate'), look=r.choice(('rule', 'lines')), edge=(46, end), step=1.7)
    by = []
    for rate in (25.5, 14.0):
        base = round(sum(row['total_excl_vat'][1] for row in rows if row['vat_percent'][1] == rate), 2)
        if base:
            tax = round(base * rate / 100, 2)
            by.append({'vat_percent': (p.number(rate, 1) + ' %', rate), 'net': p.cell(base), 'vat': p.cell(tax), 'gross': p.cell(round(base + tax, 2))})
    p.y += 6
    p.listing('/vat_specification', [('vat_percent', 'Alv-erittely', 330, True), ('net', 'Veroton', 400, True), ('vat', 'Vero', 465, True), ('gross', 'Verollinen', end, True)], by, kinds_of(vat_percent='rate', net='amount', vat='amount', gross='amount'), look='rule', edge=(285, end), step=1.5)
    net, vat = (round(sum(one[k][1] for one in by), 2) for k in ('net', 'vat'))
    total = round(net + vat, 2)
    p.rule(285, end, p.y - p.size * 1.1)
    p.sums(285, end, [('Veroton yhteensä', net, '/total_excl_vat'), ('Arvonlisävero', vat, '/total_vat')])
    p.strong(285, end, r.choice(('Maksettava yhteensä', 'Yhteensä')), total, '/total_to_pay', 'currency', 1.1)
    y = p.height - 196
    small = p.size * 0.82
    x = p.show(46, y, y_id, '/seller/business_id', kind='id', before='Y-tunnus ', after='   Kotipaikka %s   Alv-rek.   Puh. %s' % (home[2], p.code('040 ### ####')), size=small)
    p.mark('/seller/business_id')
    y += 10
    p.rule(46, end, y)
    left, mid = 112, 330
    for i, (label, lines) in enumerate((('Saajan\ntilinumero', [p.grouped(iban)]), ('Saaja', [seller]), ('Maksaja', [buyer, there[0], '%s %s' % (there[1], there[2].upper())]))):
        high = (32, 32, 62)[i]
        for n, line in enumerate(label.split('\n')):
            p.put(50, y + 11 + n * 8, line, size=6.5)
        for n, line in enumerate(lines):
            yy = y + (18 if i == 0 else 14) + n * p.size * 1.25
            if i == 0:
                p.show(left, yy, line, '/iban', iban, 'id', before='IBAN ')
                p.put(mid - 80 + 100, yy, 'BIC OKOYFIHH')
            elif i == 1:
                p.again(left, yy, line, '/seller/name')
            elif n == 0:
                p.again(left, yy, line, '/buyer/name')
            else:
                p.put(left, yy, line)
        y += high
        p.rule(46, mid if i == 1 else end if i != 2 else mid, y)
    low = y
    p.upright(left - 6, low - 126, low)
    p.upright(mid, low - 94, low)
    yy = low - 62
    p.put(mid + 4, yy + 11, 'Viitenro', size=6.5)
    p.again(mid + 60, yy + 14, ref, '/reference_number')
    p.rule(mid, end, yy)
    p.rule(mid, end, yy + 30)
    p.put(mid + 4, yy + 41, 'Eräpäivä', size=6.5)
    p.again(mid + 60, yy + 48, p.day(due), '/due_date')
    p.put(mid + 130, yy + 41, 'Euro', size=6.5)
    p.again(end - 6, yy + 48, p.number(total), '/total_to_pay', right=True)
    p.rule(46, end, low)
    bar = '4' + iban[2:] + '%06d%02d' % (int(total), round(total * 100) % 100) + '000' + ref.replace(' ', '').zfill(20) + due.strftime('%y%m%d')
    p.put(p.middle(bar, 0.85), low + 14, bar, size=p.size * 0.85)
    p.distract('id', bar)
    p.mark('/iban')
    p.nul('/delivery_date', 'date')
    p.nul('/buyer/business_id', 'id')
    return p.done_with('invoice_number invoice_date due_date delivery_date customer_number reference_number your_reference late_interest_percent seller buyer rows vat_specification total_excl_vat total_vat total_to_pay currency iban')


# -- Polish

def korekta(seed):
    """A correcting invoice: what it corrects in a sentence and why, the lines before and after in two tables of the same heads, the difference by sums, the amount in words."""
    p = Guest(seed, 'korekta', 'PL', style='strict', ordinary=False, fonts=COMPACT, labels=('colon', 'beside'), money=('1 234,56', '1\u00a0234,56'), minus=('front',), dates=('%d.%m.%Y', '%Y-%m-%d', '%d-%m-%Y'), currency=('PLN',)).start()
    r, end, seller, buyer = p.r, p.width - 46, p.firms[0], p.firms[1]
    day = p.some_day()
    first = later(day, -r.randint(5, 40))
    number, old = p.code(r.choice(('FK/##/2025', 'KOR ###/05/25', 'FKS-25-####'))), p.code(r.choice(('FV/####/2025', 'FS ###/04/25')))
    city = p.home()
    p.date(end, p.y, day, '/dataWystawienia', right=True, before=city[2] + ', dnia ')
    p.y += 34
    with p.look(True):
        p.show(p.middle('FAKTURA KORYGUJĄCA nr ' + number, 1.4), p.y, number, '/numerKorekty', kind='id', before='FAKTURA KORYGUJĄCA nr ', size=p.size * 1.4)
    p.y += p.size * 2.2
    text = ('do faktury nr ', old, ' z dnia ', p.day(first))
    x = p.middle(''.join(text))
    x = p.show(x, p.y, old, '/numerFakturyPierwotnej', kind='id', before=text[0])
    p.date(x, p.y, first, '/dataFakturyPierwotnej', before=text[2])
    p.mark('/numerKorekty', '/numerFakturyPierwotnej', '/dataFakturyPierwotnej')
    p.y += 30
    top = p.y
    for x, head, name, key in ((46, 'SPRZEDAWCA', seller, '/sprzedawca'), (320, 'NABYWCA', buyer, '/nabywca')):
        p.fill(x, top - p.size * 1.2, 228, p.size * 1.8, PALE)
        p.heading(x + 4, top, head)
        p.show(x + 4, top + p.size * 1.9, name, key + '/nazwa', kind='name')
        home = city if x == 46 else p.home()
        low = p.block(x + 4, top + p.size * 3.2, ['%s' % home[0], '%s %s' % (home[1], home[2])], key + '/adres')
        p.show(x + 4, low, nip(p), key + '/nip', kind='id', before='NIP: ')
        p.mark(key + '/nazwa', key + '/nip')
    p.y = low + 26
    reason = r.choice(('Zwrot towaru', 'Błędna cena jednostkowa', 'Rabat posprzedażowy', 'Pomyłka w ilości'))
    p.show(46, p.y, reason, '/przyczynaKorekty', kind='text', before='Przyczyna korekty: ')
    p.mark('/przyczynaKorekty')
    p.y += p.size * 2.6
    goods = r.sample(('Wiertarka udarowa 750 W', 'Płytka gres 60x60', 'Stół rozkładany dąb', 'Klej montażowy 310 ml', 'Krzesło tapicerowane', 'Papier ścierny P120', 'Taśma malarska 48 mm'), r.randint(1, 4))
    before, after = [], []
    for name in goods:
        n, price, rate, unit = r.randint(2, 60), cents(r, 2, 600), r.choice((23, 23, 8)), r.choice(('szt.', 'op.', 'm2'))
        m, cost = (r.randint(0, n - 1), price) if 'cena' not in reason and 'Rabat' not in reason else (n, round(price * r.choice((0.9, 0.8, 0.95)), 2))
        for rows, a, b in ((before, n, price), (after, m, cost)):
            net = round(a * b, 2)
            tax = round(net * rate / 100, 2)
            rows.append({'nazwa': name, 'ilosc': p.cell(a, 0), 'jm': unit, 'cenaNetto': p.cell(b), 'wartoscNetto': p.cell(net), 'stawkaVat': ('%d%%' % rate, rate), 'kwotaVat': p.cell(tax), 'wartoscBrutto': p.cell(round(net + tax, 2))})
    for head, array, rows in (('Przed korektą:', '/pozycjePrzed', before), ('Po korekcie:', '/pozycjePo', after)):
        p.heading(46, p.y, head)
        p.y += p.size * 2.2
        p.listing(array, [('_lp', 'Lp.', 46, False), ('nazwa', 'Nazwa towaru', 66, False), ('ilosc', 'Ilość', 228, True), ('jm', 'J.m.', 234, False), ('cenaNetto', 'Cena\nnetto', 310, True), ('wartoscNetto', 'Wartość\nnetto', 376, True), ('stawkaVat', 'VAT', 410, True), ('kwotaVat', 'Kwota\nVAT', 470, True), ('wartoscBrutto', 'Wartość\nbrutto', end, True)],
                  [{'_lp': str(i + 1), **row} for i, row in enumerate(rows)], kinds_of(jm='unit', cenaNetto='amount', wartoscNetto='amount', kwotaVat='amount', wartoscBrutto='amount', stawkaVat='rate'), look='lines', edge=(46, end), ruled=True, step=1.7)
        p.heading(310, p.y, 'Razem', right=True)
        for x, k in ((376, 'wartoscNetto'), (470, 'kwotaVat'), (end, 'wartoscBrutto')):
            p.heading(x, p.y, p.number(round(sum(row[k][1] for row in rows), 2)), right=True)
            p.distract('amount', round(sum(row[k][1] for row in rows), 2))
        p.y += p.size * 2.2
    diff = [round(sum(row[k][1] for row in after) - sum(row[k][1] for row in before), 2) for k in ('wartoscNetto', 'kwotaVat', 'wartoscBrutto')]
    p.y += 4
    p.currency_at = '/waluta'
    p.sums(46, 260, [('Zmiana wartości netto', diff[0], '/zmianaNetto'), ('Zmiana podatku VAT', diff[1], '/zmianaVat')])
    p.strong(46, 260, 'Zmiana wartości brutto', diff[2], '/zmianaBrutto')
    with p.look(True):
        x = p.put(320, p.y - p.size * 1.7, 'Do zwrotu: ')
        p.money(x, p.y - p.size * 1.7, abs(diff[2]), '/kwotaDoZwrotu', 'currency', right=False)
    p.mark('/kwotaDoZwrotu')
    p.y += p.size * 1.4
    p.date(46, p.y, later(day, 14), '/terminZwrotu', before='Kwota zostanie zwrócona na rachunek nabywcy do dnia ', after='.')
    p.y += p.size * 5
    for x, word in ((46, 'Wystawił(a)'), (360, 'Odebrał(a)')):
        p.rule(x, x + 150, p.y)
        p.put(x + 45, p.y + 10, word, size=p.size * 0.8)
    p.show(70, p.y - 4, p.people[0], '/wystawil', kind='name')
    p.nul('/numerKsef', 'id')
    p.nul('/numerRachunku', 'id')
    p.says.update({'/zmianaBrutto': 'Różnica ze znakiem (po minus przed)', '/kwotaDoZwrotu': 'Kwota dodatnia', '/numerKsef': 'Numer KSeF, jeśli podany'})
    return p.done_with('numerKorekty dataWystawienia numerFakturyPierwotnej dataFakturyPierwotnej numerKsef przyczynaKorekty sprzedawca nabywca pozycjePrzed pozycjePo zmianaNetto zmianaVat zmianaBrutto kwotaDoZwrotu waluta terminZwrotu numerRachunku wystawil')


# -- Czech

def dodacilist(seed):
    """A Czech delivery note without prices: supplier, customer and place in three ruled boxes, batch and day of expiry below the article, pallets in a second small table, signatures."""
    p = Guest(seed, 'dodacilist', 'CZ', style='plain', ordinary=False, fonts=COMPACT, labels=('colon', 'beside'), money=('1 234,56', '1\u00a0234,56'), dates=('%d.%m.%Y', '%-d. %-m. %Y', '%-d.%-m.%Y'), currency=('CZK',)).start()
    r, end, seller, buyer = p.r, p.width - 42, p.firms[0], p.firms[1]
    day, number = p.some_day(), p.code(r.choice(('DL25#####', '25DL0####', '1250####')))
    with p.look(True):
        p.show(end, p.y + 8, number, '/delivery_note_number', kind='id', right=True, before='DODACÍ LIST č. ', size=p.size * 1.4)
    p.mark('/delivery_note_number')
    p.y += 22
    wide, top = (end - 42) / 3, p.y
    for i, (head, key, name) in enumerate((('Dodavatel', '/supplier', seller), ('Odběratel', '/customer', buyer), ('Místo dodání', '/delivery', 'Provozovna ' + r.choice(('sklad 2', 'Východ', 'u nádraží'))))):
        x, home = 42 + i * wide, p.home()
        p.frame(x, top, wide, 84)
        p.put(x + 4, top + 10, head, size=p.size * 0.8)
        with p.look(i < 2):
            p.show(x + 6, top + 26, name, key + ('/name' if i < 2 else '/place'), kind='name')
        p.show(x + 6, top + 26 + p.size * 1.35, home[0], key + '/street', kind='text')
        xx = p.show(x + 6, top + 26 + p.size * 2.7, home[1], key + '/postal_code', kind='code', after=' ')
        p.show(xx, top + 26 + p.size * 2.7, home[2], key + '/city', kind='text')
        p.mark(key + ('/name' if i < 2 else '/place'))
        if i < 2:
            ico = czech_ico(p)
            p.show(x + 6, top + 78, ico, key + '/ico', kind='id', before='IČO: ', after='' if i else '   DIČ: CZ' + ico)
            p.mark(key + '/ico')
    p.y = top + 104
    sent = later(day, r.choice((0, 1)))
    facts = [iso(p, '/issue_date', day, 'Datum vystavení'), iso(p, '/dispatch_date', sent, 'Datum expedice'), ('Číslo objednávky', p.code(r.choice(('OV-#####', '450#####'))), '/order_number', None, 'id'), ('Způsob dopravy', r.choice(('vlastní', 'DPD', 'Toptrans')), '/carrier', None, 'text')]
    for i, what in enumerate(facts):
        p.field(42 + 258 * (i % 2), p.y + p.size * 1.6 * (i // 2), *what, gap=86)
    p.y += p.size * 5.4
    goods = [('Mouka pšeničná hladká T530, 25 kg', 'pytel', 25.0), ('Lahev sklo 0,75 l zelená', 'ks', 0.48), ('Kartonová krabice 400x300x200', 'ks', 0.36), ('Strojní stretch fólie 23 µm', 'role', 16.5), ('Máslo 82 %, 5 kg blok', 'ks', 5.1), ('Droždí lisované 500 g', 'ks', 0.5), ('Víčko TO 66 zlaté', 'bal', 3.2), ('Cukr krystal, 50 kg', 'pytel', 50.2)]
    rows, weight = [], 0.0
    for name, unit, kg in r.sample(goods, r.randint(2, 8)):
        asked = r.randint(1, 60) * (1 if kg > 4 else 10)
        n = asked if r.random() < 0.75 else r.randint(1, asked)
        own = round(n * kg, 1)
        weight = round(weight + own, 1)
        fresh = kg in (25.0, 5.1, 0.5, 50.2)
        stop = later(day, r.randint(30, 400))
        rows.append({'article_code': p.code('###-###'), 'description': name, 'batch': p.code('L####@') if fresh or r.random() < 0.3 else (None, None), 'best_before': (p.day(stop), stop.isoformat()) if fresh else (None, None), 'ordered': p.cell(asked, 0), 'delivered': p.cell(n, 0), 'unit': unit, 'weight_kg': p.cell(own, 1)})
    p.types['/items/*/best_before'] = 'date'
    p.optional.update({'/items/*/batch', '/items/*/best_before'})
    p.heads['/items'] = []
    p.listing('/items', [('article_code', 'Kód', 42, False), ('description', 'Název zboží', 92, False), ('ordered', 'Objed-\nnáno', 355, True), ('delivered', 'Dodáno', 410, True), ('unit', 'MJ', 420, False), ('weight_kg', 'Hmotnost\n(kg)', end, True)],
              [{k: v for k, v in row.items() if not (isinstance(v, tuple) and v[0] is None)} for row in rows], kinds_of(article_code='id', batch='id', best_before='date', unit='unit'), under=[[('batch', 92, 'Šarže: '), ('best_before', 190, 'Min. trvanlivost: ')]], look=r.choice(('lines', 'grey')), edge=(42, end), step=1.8, ruled=seed % 2 == 1)
    p.rule(42, end, p.y - p.size * 1.2)
    p.put(300, p.y, 'Celková hmotnost')
    p.show(end, p.y, p.number(weight, 1), '/total_weight_kg', weight, 'number', right=True)
    p.mark('/total_weight_kg')
    p.y += p.size * 3
    p.heading(42, p.y, 'Vratné obaly')
    p.y += p.size * 1.9
    packs = [{'type': name, 'issued': (str(a), a), 'returned': (str(b), b)} for name, a, b in ((name, r.randint(1, 9), r.randint(0, 6)) for name in r.sample(('EUR paleta', 'Přepravka E2', 'Sud KEG 50 l', 'Rolltejner'), r.randint(1, 3)))]
    p.listing('/returnable_packaging', [('type', 'Druh obalu', 42, False), ('issued', 'Vydáno', 200, True), ('returned', 'Vráceno', 260, True)], packs, kinds_of(), look='rule', edge=(42, 260), step=1.5)
    p.integers.update({'/returnable_packaging/*/issued', '/returnable_packaging/*/returned'})
    if p.maybe('/note', r.random() < 0.5, 'text'):
        p.y += 4
        p.show(42, p.y, r.choice(('Vykládka zadní rampou, volat řidiči předem.', 'Dodat do 10:00 hodin.', 'Zbytek objednávky dodáme příští týden.')), '/note', kind='text', before='Poznámka: ')
        p.mark('/note')
    y = p.height - 88
    name, plate = p.people[0], '%s%s %s' % (r.randint(1, 9), p.code('@#'), p.code('####'))
    p.show(42, y, name, '/driver', kind='name', before='Řidič: ')
    p.show(230, y, plate, '/vehicle_plate', kind='id', before='SPZ: ')
    p.mark('/driver', '/vehicle_plate')
    for x, word in ((42, 'Vydal (razítko, podpis)'), (360, 'Převzal (datum, podpis)')):
        p.rule(x, x + 180, y + 40)
        p.put(x, y + 50, word, size=p.size * 0.8)
    p.lacks('/received_date', 'date')
    p.lacks('/received_by')
    p.says.update({'/items/*/batch': 'Šarže, null if none is printed', '/items/*/best_before': 'Minimální trvanlivost, null if none is printed', '/received_date': 'Day written beside the receiver\'s signature', '/received_by': 'Who signed for the goods', '/delivery/place': 'First line of the delivery place'})
    return p.done_with('delivery_note_number issue_date dispatch_date order_number carrier supplier customer delivery items total_weight_kg returnable_packaging note driver vehicle_plate received_date received_by')


KINDS = {'marketplace': marketplace, 'plumber': plumber, 'progressbill': progressbill, 'businessrates': businessrates, 'hospitalbill': hospitalbill, 'proforma': proforma, 'stadtwerke': stadtwerke, 'nebenkosten': nebenkosten, 'honorarnote': honorarnote,
         'railreceipt': railreceipt, 'bilingue': bilingue, 'minuta': minuta, 'parcella': parcella, 'webwinkel': webwinkel, 'kidfaktura': kidfaktura, 'lasku': lasku, 'korekta': korekta, 'dodacilist': dodacilist}
NOT_SCANNED = ()
