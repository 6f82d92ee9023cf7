"""Callers: papers for measuring, drawn like the visitors (visitors.py) by somebody who has seen no rule of the reader.

Sixteen layouts of eleven languages: official forms (a W-2, an air waybill, a decision on a tax), letters whose figures stand in sentences, bills with meters or
hours, a Greek invoice and a Turkish packing list with labels of two languages, a repair order with two tables beside one another, a report of a laboratory.
"""
from arrivals import COMPACT, PALE, Arrival
from guests import Guest, finnish_id
from newcomers import french_vat, german_vat, iso, later
from papers import iban_of
from strangers import MONTH_NAMES, SIGNS, cents, kinds_of, luhn, org_nr, pt_nif, turkish_tax

MONTH_NAMES.setdefault('el', 'Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου'.split())
# Of each country: streets, towns (code and city; # a digit), people and firms.
AT = {
    'US': ('Juniper Street;Old Mill Road;Harbor Blvd;Lakeview Terrace', '972##|Portland, OR;537##|Madison, WI;276##|Raleigh, NC;871##|Albuquerque, NM', 'Naomi Castellanos;Derek Hollis;Angela Whitfield;Samuel Ortiz',
           'Cascade Precision Molding Inc.;Hollis Family Dental PLLC;Bluestem Analytics, Inc.;Ortiz Roofing & Gutters LLC'),
    'GB': ('Foundry Lane;Castle Street;Victoria Road;Quayside', 'LS# 2AB|Leeds;EX# 1HG|Exeter;CB# 8PQ|Cambridge;HU# 9TR|Hull', 'Fiona Garside;Amit Chowdhury;Gareth Pugh;Helen Marchbanks',
           'Garside Bakeware Ltd;Pugh Agricultural Spares Ltd;Chowdhury Textiles Ltd;Marchbanks Optical plc;Northfleet Marine Supplies Ltd'),
    'DE': ('Lindenallee;Schillerstraße;Kirchgasse;Am Anger', '040##|Leipzig;550##|Mainz;260##|Oldenburg;890##|Ulm', 'Karin Steinmetz;Oliver Brandt;Renate Kühn;Jens Überall',
           'Steinmetz Feinmechanik GmbH;Brandt & Kühn Logistik KG;Überall Veranstaltungstechnik GmbH;Gärtnerei Brandt e.K.'),
    'GR': ('Ερμού;Λεωφόρος Κηφισίας;Εγνατία;Αγίου Δημητρίου', '105 ##|Αθήνα;546 ##|Θεσσαλονίκη;262 ##|Πάτρα;712 ##|Ηράκλειο', 'Ελένη Παπαδοπούλου;Γιώργος Νικολάου;Μαρία Δημητρίου',
           'ΝΙΚΟΛΑΟΥ ΕΜΠΟΡΙΚΗ Α.Ε.;ΔΗΜΗΤΡΙΟΥ ΤΡΟΦΙΜΑ Ε.Π.Ε.;ΑΙΓΑΙΟ ΕΞΟΠΛΙΣΜΟΙ Ο.Ε.;ΕΛΑΙΩΝΕΣ ΚΡΗΤΗΣ Α.Ε.'),
    'CZ': ('Nádražní;Husova;Na Příkopech;Dlouhá', '602 0#|Brno;301 0#|Plzeň;772 0#|Olomouc;500 0#|Hradec Králové', 'Jana Dvořáčková;Tomáš Říha;Lenka Šťastná;Petr Žižka', 'Říha Stavby s.r.o.;Pekárna Šťastná s.r.o.;Truhlářství Žižka'),
    'SE': ('Storgatan;Kungsgatan;Skolvägen;Hamngatan', '753 ##|Uppsala;582 ##|Linköping;702 ##|Örebro;831 ##|Östersund', 'Åsa Lindqvist;Göran Ekström;Malin Sjöberg', 'Ekströms Förlag AB;Sjöberg & Co Reklambyrå AB;Västanvik Bygg AB;Lindqvist Kommunikation'),
    'PT': ('Rua da Boavista;Avenida da Liberdade;Rua de São Bento;Largo do Carmo', '4050-###|Porto;1250-###|Lisboa;3000-###|Coimbra;4700-###|Braga', 'Joana Figueiredo;Rui Gonçalves;Inês Magalhães',
           'Gonçalves & Irmão, Lda.;Metalomecânica do Ave, S.A.;Cerâmicas Figueiredo, Lda.;Magalhães Equipamentos, S.A.'),
    'TR': ('Atatürk Bulvarı;İstiklal Caddesi;Gazi Sokak;Çınar Sokak', '16###|Bursa;35###|İzmir;34###|İstanbul;20###|Denizli', 'Elif Yıldız;Mehmet Şahin;Ayşe Çelik', 'Yıldız Tekstil San. ve Tic. A.Ş.;Çelik Makina Ltd. Şti.;Şahin Ev Gereçleri A.Ş.'),
    'FI': ('Mannerheimintie;Kauppakatu;Rantatie;Koulukatu', '331##|Tampere;201##|Turku;405##|Jyväskylä;901##|Oulu', 'Päivi Järvinen;Juhani Mäkelä;Sanna Heikkilä', 'Mäkelän Rautatarvike Oy;Järvinen Sähkö Oy;Pohjolan Tukku Oy;Heikkilä Rakennus Oy'),
    'FR': ('rue Victor Hugo;avenue de la République;chemin des Vignes;place Saint-Pierre', '440##|Nantes;330##|Bordeaux;670##|Strasbourg;140##|Caen', 'Sandrine Lacombe;Hervé Toussaint;Amélie Roche',
           'Toussaint Électroménager SAS;Roche & Fils SARL;Hôtel des Remparts SARL;Lacombe Distribution SA'),
    'ES': ('Calle Alcalá;Gran Vía;Calle Serranos;Avenida del Puerto', '280##|Madrid;460##|Valencia;410##|Sevilla;500##|Zaragoza', 'Carmen Ibáñez Soler;Luis Ordóñez Peña;Raquel Núñez Mora;Jorge Albalá Ruiz', 'Clínica Albalá S.L.P.;Laboratorio Turia S.A.'),
    'PL': ('ul. Długa;ul. Słowackiego;ul. Kościuszki;ul. Źródlana', '80-2##|Gdańsk;31-1##|Kraków;90-3##|Łódź;61-7##|Poznań', 'Małgorzata Żurek;Krzysztof Wójcik;Halina Śliwińska;Łukasz Dąbrowski', 'Żurek Nieruchomości sp. z o.o.;Wójcik Meble sp.j.'),
}
TONGUES = {'US': 'en', 'GB': 'en', 'GR': 'el', 'CZ': 'cs', 'SE': 'sv'}


class Caller(Guest):
    """A Guest of the towns above, who may write whole sentences with values within."""

    def __init__(self, seed, kind, land, **more):
        Arrival.__init__(self, seed, kind, 'US' if land == 'US' else 'GB', **more)
        self.land, self.tongue = land, TONGUES.get(land, land.lower())
        self.asks_currency = False
        self.people, self.firms = (self.r.sample(names, len(names)) for names in (AT[land][i].split(';') for i in (2, 3)))

    def home(self):
        """Two lines of an address."""
        street, town = (self.r.choice(text.split(';')) for text in AT[self.land][:2])
        number, (code, city) = self.r.randint(1, 140), town.split('|')
        street = '%d %s' % (number, street) if self.land in ('US', 'GB', 'FR') else '%s No: %d' % (street, number) if self.land == 'TR' else '%s, %d' % (street, number) if self.land in ('ES', 'PT') else '%s %d' % (street, number)
        return [street, '%s %s' % ((city, self.code(code)) if self.land in ('US', 'GB') else (self.code(code), city))]

    def flow(self, right, x, *parts, step=1.5):
        """Sentences from x to right: parts are text, or (text, pointer, value, kind) on one line; lines are broken at spaces."""
        whole, values = '', []
        for part in parts:
            if not isinstance(part, str):
                values.append((len(whole), part))
            whole += part if isinstance(part, str) else part[0]
        kept = [(start, start + len(part[0])) for start, part in values]
        gaps = [i for i, c in enumerate(whole) if c == ' ' and not any(a <= i < b for a, b in kept)] + [len(whole)]
        start = 0
        while start < len(whole):
            end = max([g for g in gaps if g > start and self.wide(whole[start:g]) <= right - x] or [min(g for g in gaps if g > start)])
            line = whole[start:end]
            self.put(x, self.y, line)
            for at, (text, pointer, value, kind) in values:
                if start <= at < end:
                    sign = SIGNS[self.currency]
                    if self.asks_currency and kind == 'amount' and sign in text:
                        first = at - start + text.index(sign)
                        self.truth.setdefault(self.currency_at, []).append({'page': self.n_page, 'text': sign, 'boxes': self.box(x, self.y, line, first, first + len(sign), self.size)})
                    if pointer is None:
                        self.distract(kind, text if value is None else value)
                        continue
                    self.truth.setdefault(pointer, []).append({'page': self.n_page, 'text': text, 'boxes': self.box(x, self.y, line, at - start, at - start + len(text), self.size)})
                    self.say_value(pointer, text if value is None else value, kind)
            start = end + 1
            self.y += self.size * step

    def facts(self, x, y, some, gap=90, how=None, step=1.5):
        """Labelled values under one another: (label, text, pointer or None, value, kind); where the next would be."""
        for label, text, at, value, kind in some:
            self.field(x, y, label, text, at, value, kind, gap, how)
            y += self.size * step
        return y

    def cased(self, x, y, wide, high, label, *lines, size=6):
        """A box of a form with lines of values in it: (text, pointer or None, value, kind), or none."""
        self.frame(x, y, wide, high)
        self.put(x + 3, y + 7, label, size=size)
        y += 8 + self.size * 1.15
        for text, at, value, kind in lines:
            if at:
                again = at in self.truth and kind == 'address'
                self.show(x + 6, y, text, at, value, kind, more=again)
                if not again:
                    self.mark(at)
            else:
                self.put(x + 6, y, text)
                if kind:
                    self.distract(kind, value or text)
            y += self.size * 1.2

    def address_lines(self, lines, at):
        return [(line, at, ', '.join(lines), 'address') for line in lines]


# -- numbers with check digits

def with_last(digits, weights, modulus=11, sign=1):
    """The last digit is that of the weighed sum of the others: Greek and Czech firms, Polish persons."""
    return digits[:-1] + str(sign * sum(int(d) * w for d, w in zip(digits, weights)) % modulus % 10)


def vin(text):
    signs, weights = dict(zip('ABCDEFGHJKLMNPRSTUVWXYZ', (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9))), (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    rest = sum((int(c) if c.isdigit() else signs[c]) * w for c, w in zip(text, weights)) % 11
    return text[:8] + ('X' if rest == 10 else str(rest)) + text[9:]


# -- English

def w2(seed):
    """A statement of wages as the tax office draws it: lettered and numbered boxes with small labels, codes in box 12, one or two lines for states, in the lower half of a blank sheet or at its top."""
    p = Caller(seed, 'w2', 'US', style='classes', ordinary=False, fonts=COMPACT[:2] + ('LiberationMono-Regular',), labels=('above',), money=('1234.56', '1,234.56'), currency=('USD',)).start()
    p.size = 8.5
    r, left, end = p.r, 36, p.width - 36
    y, year = p.y + 8, r.choice((2023, 2024, 2025))
    person, home, works = p.people[0], p.home(), p.home()
    money = lambda label, v, at: (label, (p.number(v), at, v, 'amount')) if v else (label,)
    p.cased(left, y, 150, 26, 'a  Employee’s social security number', ('4' + p.code('###-##-####')[1:], '/employee/ssn', None, 'id'))
    p.put(left + 160, y + 16, 'OMB No. 1545-0008', size=7)
    p.put(end, y + 12, 'Copy B — To Be Filed With Employee’s FEDERAL Tax Return', size=6.5, right=True)
    y += 26
    gross, rate = cents(r, 31000, 98000), r.choice((0.11, 0.134, 0.17))
    saved = round(gross * r.choice((0.03, 0.05, 0.08)), 2)
    care = float(r.choice((0, 0, 2400, 5000)))
    wages = round(gross - saved, 2)
    wide, half, high = 268, (end - left - 268) / 2, 26
    control = p.code('0####A') if p.maybe('/controlNumber', r.random() < 0.6, 'id') else None
    p.cased(left, y, wide, high, 'b  Employer identification number (EIN)', (p.code('##-#######'), '/employer/ein', None, 'id'))
    p.cased(left, y + high, wide, 2.2 * high, 'c  Employer’s name, address, and ZIP code', (p.firms[0], '/employer/name', None, 'name'), *p.address_lines(works, '/employer/address'))
    p.cased(left, y + 3.2 * high, wide, high, 'd  Control number', *([(control, '/controlNumber', None, 'id')] if control else []))
    p.cased(left, y + 4.2 * high, wide, high, 'e  Employee’s first name and initial      Last name', (person, '/employee/name', None, 'name'))
    p.cased(left, y + 5.2 * high, wide, 2.8 * high, 'f  Employee’s address and ZIP code', *p.address_lines(home, '/employee/address'))
    cells = [money('1  Wages, tips, other compensation', wages, '/wages'), money('2  Federal income tax withheld', round(wages * rate, 2), '/federalTaxWithheld'),
             money('3  Social security wages', gross, '/socialSecurityWages'), money('4  Social security tax withheld', round(gross * 0.062, 2), '/socialSecurityTax'),
             money('5  Medicare wages and tips', gross, '/medicareWages'), money('6  Medicare tax withheld', round(gross * 0.0145, 2), '/medicareTax'),
             ('7  Social security tips',), ('8  Allocated tips',), ('9',), money('10  Dependent care benefits', care, '/dependentCareBenefits'), ('11  Nonqualified plans',)]
    for i, cell in enumerate(cells):
        p.cased(left + wide + i % 2 * half, y + i // 2 * high, half, high, *cell, size=5.8)
    for at in ('/socialSecurityTips', '/allocatedTips') + (() if care else ('/dependentCareBenefits',)):
        p.lacks(at, 'amount')
    p.optional.add('/dependentCareBenefits')
    codes = [('D', saved)] + r.sample([('DD', cents(r, 4000, 12000)), ('C', cents(r, 40, 190)), ('W', cents(r, 500, 3000))], r.randint(0, 2))
    for i, name in enumerate('abc'):
        x, top = left + wide + half, y + (5 + i) * high
        p.cased(x, top, half, high, '12' + name + ('  See instructions for box 12' if i == 0 else ''))
        if i < len(codes):
            code, v = codes[i]
            p.show(x + 8, top + 8 + p.size * 1.15, code, '/box12/%d/code' % i, kind='code')
            p.money(x + half - 8, top + 8 + p.size * 1.15, v, '/box12/%d/amount' % i)
    p.cased(left + wide, y + 6 * high, half, high, '13  Statutory empl.   Retirement plan', ('                     X', None, None, None), size=5.2)
    p.cased(left + wide, y + 7 * high, half, high, '14  Other', ('PFML %s' % p.number(cents(r, 40, 300)), None, None, None))
    y += 8 * high
    states = r.sample([('OR', '0123###-#'), ('WI', '036-#######'), ('NC', '60####'), ('NM', '02-######-00-#')], r.choice((1, 1, 2)))
    columns = [('state', '15  State', 38), ('stateId', 'Employer’s state ID number', 104), ('wages', '16  State wages, tips', 93), ('tax', '17  State income tax', 85), ('localWages', '18  Local wages, tips', 88), ('localTax', '19  Local income tax', 78), ('locality', '20  Locality', 54)]
    x = left
    for key, label, w in columns:
        p.frame(x, y, w, 2 * high)
        p.put(x + 3, y + 7, label, size=5.8)
        for i, (state, pattern) in enumerate(states):
            base, own = y + 20 + i * high * 0.8, round(wages / len(states), 2)
            at = '/stateTaxes/%d/%s' % (i, key)
            if key in ('state', 'stateId'):
                p.show(x + 5, base, state if key == 'state' else p.code(pattern), at, kind='code' if key == 'state' else 'id')
            elif key in ('wages', 'tax'):
                p.money(x + w - 6, base, own if key == 'wages' else round(own * 0.058, 2), at)
            else:
                p.say_value(at, None, None if key == 'locality' else 'amount')
        x += w
    p.optional.update('/stateTaxes/*/' + key for key in ('localWages', 'localTax', 'locality'))
    p.y = y + 2 * high + 18
    x = p.put(left, p.y, 'Form ', size=7)
    p.heading(x, p.y, 'W-2', 1.8)
    p.put(x + 44, p.y, 'Wage and Tax Statement', size=9)
    with p.look(True):
        p.show(p.middle(str(year), 2), p.y, str(year), '/taxYear', year, 'number', size=p.size * 2)
    p.integers.add('/taxYear')
    p.put(end, p.y, 'Department of the Treasury — Internal Revenue Service', size=7, right=True)
    p.needed.update(('/taxYear', '/wages'))
    p.says.update({'/wages': 'Box 1', '/box12': 'The lines of box 12 that are filled in'})
    return p.done_with('taxYear employee employer controlNumber wages federalTaxWithheld socialSecurityWages socialSecurityTax medicareWages medicareTax socialSecurityTips allocatedTips dependentCareBenefits box12 stateTaxes')


def airwaybill(seed):
    """An air waybill: boxes with tiny labels, the number in parts at the left and whole at the right, a line of routing, a table of rates, charges prepaid and collect in two columns at the lower left."""
    p = Caller(seed, 'airwaybill', 'GB', style='strict', ordinary=False, fonts=COMPACT[:2], labels=('above',), money=('1234.56', '1,234.56'), dates=('%d %b %Y', '%d-%b-%Y'), currency=('GBP',)).start()
    p.size, r, left, end = 8.5, p.r, 34, p.width - 34
    prefix, serial = r.choice(('176', '020', '618', '125')), p.code('########')
    serial = '%s%d' % (serial[:7], int(serial[:7]) % 7)
    carrier = {'176': 'Gulf Meridian Airlines', '020': 'Rheinland Cargo', '618': 'Straits Air Cargo', '125': 'Albion Airways'}[prefix]
    start, (port, abroad, client, far) = r.choice(('London Heathrow', 'Manchester')), r.choice((('Singapore', 'SIN', 'Lion City Instruments Pte Ltd', ['21 Tuas Avenue 8', '639240 Singapore']), ('Dubai', 'DXB', 'Al Noor Trading LLC', ['Warehouse 14, Al Quoz 3', 'Dubai, United Arab Emirates']), ('Tokyo Narita', 'NRT', 'Hakone Optics K.K.', ['2-14 Shibaura', '105-0023 Tokyo'])))
    first = {'London Heathrow': 'LHR', 'Manchester': 'MAN'}[start]
    p.heading(left, p.y, '%s  %s  %s %s' % (prefix, first, serial[:4], serial[4:]), 1.1)
    with p.look(True):
        p.show(end, p.y, prefix + '-' + serial, '/awb_number', kind='id', right=True, size=p.size * 1.2)
    half, y = (end - left) / 2, p.y + 8
    day = p.some_day()
    fly = later(day, r.randint(1, 3))
    mine = p.home()
    p.cased(left, y, half * 0.55, 50, 'Shipper’s Name and Address', (p.firms[0], '/shipper/name', None, 'name'), *p.address_lines(mine, '/shipper/address'))
    p.cased(left + half * 0.55, y, half * 0.45, 50, 'Shipper’s Account Number', (p.code('GB######'), '/shipper/account', None, 'id'))
    p.frame(left + half, y, half, 50)
    p.put(left + half + 4, y + 12, 'Not Negotiable', size=7)
    p.heading(left + half + 4, y + 25, 'Air Waybill', 1.3)
    p.put(left + half + 4, y + 37, 'Issued by', size=6)
    p.show(left + half + 34, y + 37, carrier, '/issuing_carrier', kind='name')
    y += 50
    p.cased(left, y, half * 0.55, 50, 'Consignee’s Name and Address', (client, '/consignee/name', None, 'name'), *p.address_lines(far, '/consignee/address'))
    p.cased(left + half * 0.55, y, half * 0.45, 50, 'Consignee’s Account Number')
    p.lacks('/consignee/account', 'id')
    p.cased(left + half, y, half, 50, 'Accounting Information', (r.choice(('FREIGHT PREPAID', 'INVOICE TO SHIPPER')), None, None, None), ('NOTIFY: SAME AS CONSIGNEE', None, None, None))
    y += 50
    p.cased(left, y, half, 34, 'Issuing Carrier’s Agent Name and City', (r.choice(('Quayside Forwarding Ltd', 'Pennine Air Freight Ltd')), '/agent/name', None, 'name'), ('HULL', None, None, None))
    p.cased(left + half, y, half, 34, 'Also notify / SCI')
    y += 34
    p.cased(left, y, half / 2, 26, 'Agent’s IATA Code', (p.code('91-4 ####'), '/agent/iata_code', None, 'id'))
    p.cased(left + half / 2, y, half / 2, 26, 'Account No.', (p.code('######'), None, None, 'id'))
    p.cased(left + half, y, half, 26, 'Optional Shipping Information', ('REF ' + p.code('EX-#####'), None, None, 'id'))
    y += 26
    p.cased(left, y, half, 26, 'Airport of Departure (Addr. of First Carrier) and Requested Routing', (start.upper(), '/airport_of_departure', None, 'text'))
    heavy = r.random() < 0.5
    for x, w, label, line in ((0, 40, 'Currency', (p.currency, '/currency', None, 'currency')), (40, 34, 'CHGS Code', ('PP', None, None, None)), (74, 90, 'Declared Value for Carriage', ('NVD', '/declared_value_carriage', None, 'text')), (164, half - 164, 'Declared Value for Customs', (('%d.00' % r.randint(1000, 9000), None, None, None) if heavy else ('NCV', None, None, None)))):
        p.cased(left + half + x, y, w, 26, label, line, size=5.5)
    y += 26
    flight = p.code(r.choice(('BA', 'EK', 'SQ', 'LH')) + r.choice(('###', '##')))
    p.cased(left, y, 34, 26, 'To', (abroad, None, None, None))
    p.cased(left + 34, y, half * 0.5 - 34, 26, 'By First Carrier', (flight[:2], None, None, None))
    p.cased(left + half * 0.5, y, half * 0.5, 26, 'Airport of Destination', (port.upper(), '/airport_of_destination', None, 'text'))
    p.cased(left + half, y, half * 0.5, 26, 'Requested Flight/Date', (flight, '/flight', None, 'id'))
    p.date(left + half + 6 + p.wide(flight + ' / '), y + 8 + p.size * 1.15, fly, '/flight_date', before='/ ')
    p.mark('/flight_date')
    p.cased(left + half * 1.5, y, half * 0.5, 26, 'Amount of Insurance', ('X' * 3, None, None, None))
    y += 26
    p.cased(left, y, end - left, 30, 'Handling Information', (r.choice(('KEEP DRY - DO NOT STACK', 'COMMERCIAL INVOICE ATTACHED TO AWB', 'CALL CONSIGNEE ON ARRIVAL')), '/handling_information', None, 'text'))
    p.y = y + 44
    rows, weight, pieces, sum_of = [], 0.0, 0, 0.0
    for nature, size in r.sample([('OPTICAL INSTRUMENTS', '60x40x40 CM x 2'), ('SPARE PARTS FOR TRACTORS', '120x80x60 CM x 1'), ('COTTON FABRICS', '100x50x50 CM x 3'), ('BAKING TINS, STEEL', '80x60x55 CM x 4')], r.choice((1, 1, 2))):
        n, kg, each = r.randint(1, 9), r.randint(200, 4800) / 10, cents(r, 1.4, 6.8)
        chargeable = float(int(kg) + r.randint(1, 30))
        own = round(chargeable * each, 2)
        weight, pieces, sum_of = round(weight + kg, 1), pieces + n, round(sum_of + own, 2)
        rows.append({'pieces': (str(n), n), 'gross_weight': ('%.1f' % kg, kg), '_k': 'K', 'rate_class': 'Q' if kg >= 45 else 'N', 'chargeable_weight': ('%.1f' % chargeable, chargeable), 'rate': p.cell(each), 'total': p.cell(own), 'nature_of_goods': nature, '_d': size})
    top = p.y - 14
    p.listing('/rate_lines', [('pieces', 'No. of\nPieces', left + 34, True), ('gross_weight', 'Gross\nWeight', left + 84, True), ('_k', 'kg\nlb', left + 90, False), ('rate_class', 'Rate\nClass', left + 112, False), ('chargeable_weight', 'Chargeable\nWeight', left + 196, True), ('rate', 'Rate /\nCharge', left + 246, True), ('total', 'Total', left + 312, True), ('nature_of_goods', 'Nature and Quantity of Goods\n(incl. Dimensions or Volume)', left + 330, False)],
              rows, kinds_of(pieces='number', gross_weight='number', rate_class='code', chargeable_weight='number', rate='amount', total='amount', nature_of_goods='text'), under=[[('_d', left + 330, '')]], look='lines', edge=(left, end), step=1.8)
    p.integers.add('/rate_lines/*/pieces')
    p.y = max(p.y, top + 130)
    p.rule(left, end, p.y - 10)
    p.show(left + 34, p.y + 2, str(pieces), '/total_pieces', pieces, 'number', right=True)
    p.show(left + 84, p.y + 2, '%.1f' % weight, '/total_gross_weight', weight, 'number', right=True)
    p.integers.add('/total_pieces')
    p.money(left + 312, p.y + 2, sum_of)
    p.frame(left, top, end - left, p.y + 8 - top)
    y = p.y + 8
    agent, due = float(r.choice((25, 30, 45))), cents(r, 40, 260)
    quarter = half / 2
    for label, v, at in (('Weight Charge', sum_of, '/weight_charge'), ('Valuation Charge', None, None), ('Tax', None, None), ('Total Other Charges Due Agent', agent, '/other_charges_due_agent'), ('Total Other Charges Due Carrier', due, '/other_charges_due_carrier')):
        p.cased(left, y, quarter, 26, 'Prepaid — ' + label, *([(p.number(v), at, v, 'amount')] if at else []), size=5.5)
        p.cased(left + quarter, y, quarter, 26, 'Collect', size=5.5)
        y += 26
    total = round(sum_of + agent + due, 2)
    p.cased(left, y, quarter, 26, 'Total Prepaid', (p.number(total), '/total_prepaid', total, 'amount'))
    p.cased(left + quarter, y, quarter, 26, 'Total Collect')
    p.lacks('/total_collect', 'amount')
    p.cased(left + half, y - 130, half, 46, 'Other Charges', ('AWC %s   MYC %s' % (p.number(agent), p.number(due)), None, None, None))
    p.frame(left + half, y - 84, half, 110)
    p.prose(left + half + 4, y - 74, ['Shipper certifies that the particulars on the face hereof are correct and that', 'insofar as any part of the consignment contains dangerous goods, such part', 'is properly described by name.'], size=0.7)
    p.show(left + half + 8, y - 22, p.people[0].upper(), '/signed_for_shipper', kind='name')
    p.put(left + half + 4, y - 12, 'Signature of Shipper or his Agent', size=6)
    p.date(left + half + 8, y + 12, day, '/executed_on')
    p.put(left + half + 110, y + 12, 'HULL')
    p.put(left + half + 4, y + 22, 'Executed on (date)                              at (place)', size=6)
    p.says.update({'/awb_number': 'Airline prefix and serial number with a hyphen, e.g. 999-12345678', '/flight': 'Requested flight, without its date', '/executed_on': 'Date on which the carrier or its agent executed the waybill', '/rate_lines/*/nature_of_goods': 'Description without dimensions', '/airport_of_departure': 'As printed', '/signed_for_shipper': 'Name of the person who signed as shipper or agent'})
    return p.done_with('awb_number issuing_carrier shipper consignee agent airport_of_departure airport_of_destination flight flight_date currency declared_value_carriage handling_information rate_lines total_pieces total_gross_weight weight_charge other_charges_due_agent other_charges_due_carrier total_prepaid total_collect signed_for_shipper executed_on')


def overdue(seed):
    """A second reminder with a list of open items: sender in the footer only, facts in one line, debits and credits of which some are partly paid, a strip by age below."""
    p = Caller(seed, 'overdue', 'GB', style='plain', ordinary=True, fonts=COMPACT + ('OpenSans-Regular',), labels=('colon', 'gap'), minus=('front', 'back', 'brackets'), dates=('%d/%m/%Y', '%d %b %Y', '%-d %B %Y'), currency=('GBP',)).start()
    r, left, end = p.r, 52, p.width - 52
    day, seller, buyer, home, works = p.some_day(), p.firms[0], p.firms[1], p.home(), p.home()
    level = r.choice(('First', 'Second', 'Final'))
    p.y += 30
    p.lines_at(left, p.y, ['The Purchase Ledger Manager'])
    p.show(left, p.y + p.size * 1.4, buyer, '/debtor/name', kind='name')
    p.block(left, p.y + p.size * 2.8, home, '/debtor/address')
    p.y += 92
    account = p.code(r.choice(('@@@@##', '#####', 'C-####')))
    p.date(left, p.y, day, '/letter_date')
    p.y += p.size * 2.6
    with p.look(True):
        x = p.put(left, p.y, 'OVERDUE ACCOUNT — ', size=p.size * 1.2)
        x = p.show(x, p.y, level, '/reminder_level', kind='text', after=' reminder', size=p.size * 1.2)
        p.show(end, p.y, account, '/customer_code', kind='id', before='A/c ', right=True, size=p.size * 1.2)
    p.enums['/reminder_level'] = ['First', 'Second', 'Final']
    p.y += p.size * 2.4
    rows, ages, total = [], [0.0] * 4, 0.0
    n = r.randint(4, 9)
    issued = sorted(later(day, -r.randint(34, 170)) for _ in range(n))
    for i, when in enumerate(issued):
        credit = i == n - 2 and r.random() < 0.6
        whole = -cents(r, 20, 150) if credit else cents(r, 180, 6400)
        paid = round(whole * 0.4, 2) if not credit and r.random() < 0.25 else 0.0
        due, left_of = later(when, 30), round(whole - paid, 2)
        late = (day - due).days
        ages[min(3, max(0, late) // 30)] += left_of
        total = round(total + left_of, 2)
        rows.append({'doc_date': (p.day(when), when.isoformat()), 'reference': p.code(('CN' if credit else 'SI') + '-#####'), '_type': 'Credit' if credit else 'Invoice', 'due': None if credit else (p.day(due), due.isoformat()), 'days_overdue': None if credit else (str(late), late), 'original': p.cell(whole), '_paid': p.number(paid) if paid else '–', 'outstanding': p.cell(left_of)})
    where = later(day, 7)
    p.flow(end, left, 'Our records show that the items below remain unpaid. Please arrange for the sum of ', (p.in_money(total), '/amount_due', total, 'amount'), ' to reach us by ', (p.day(where), '/pay_by', where.isoformat(), 'date'), '. If you have paid within the last three days, please disregard this letter.')
    p.y += 12
    p.listing('/open_items', [('doc_date', 'Date', left, False), ('reference', 'Our ref.', left + 78, False), ('_type', 'Type', left + 135, False), ('due', 'Due', left + 180, False), ('days_overdue', 'Days', left + 282, True), ('original', 'Value', left + 356, True), ('_paid', 'Paid', left + 418, True), ('outstanding', 'Balance', end, True)],
              rows, kinds_of(doc_date='date', reference='id', due='date', days_overdue='number', original='amount', outstanding='amount'), look=r.choice(('plain', 'rule', 'grey')), edge=(left, end), step=1.6)
    p.integers.add('/open_items/*/days_overdue')
    p.optional.update(('/open_items/*/due', '/open_items/*/days_overdue'))
    wide = (end - left) / 5
    p.y += 10
    for i, (label, v, at) in enumerate(zip(('1–29 days', '30–59 days', '60–89 days', '90 days +', 'Total overdue'), ages + [total], ('/ageing/days_1_29', '/ageing/days_30_59', '/ageing/days_60_89', '/ageing/days_90_plus', None))):
        p.fill(left + i * wide + 1, p.y, wide - 2, 14, PALE)
        p.put(left + i * wide + 5, p.y + 10, label, size=p.size * 0.9)
        if at:
            p.money(left + (i + 1) * wide - 6, p.y + 10 + p.size * 1.7, round(v, 2), at)
            p.mark(at)
        else:
            p.again(left + (i + 1) * wide - 6, p.y + 10 + p.size * 1.7, p.number(total), '/amount_due', right=True)
    p.y += 54
    interest = round(total * 0.02, 2)
    p.flow(end, left, 'Unless payment is received we shall claim statutory interest, at present ', (p.in_money(interest), None, interest, 'amount'), ', and compensation under the Late Payment of Commercial Debts Act. Queries: ', (p.people[0], '/contact', None, 'name'), ', Credit Control, telephone ', (p.code('01### ######'), None, None, 'id'), '.')
    p.y += 24
    p.put(left, p.y, 'Yours faithfully')
    p.put(left, p.y + 40, 'Credit Control')
    p.foot([(left, [('', seller, '/creditor/name', None, 'name')] + [('', line, '/creditor/address', ', '.join(works), 'address') for line in works]), (left + 190, ['Registered in England', ('No.', p.code('0#######'), None, None, 'id'), ('VAT', p.code('GB ### #### ##'), None, None, 'id')]), (left + 340, [('Sort code', p.code('##-##-##'), '/creditor/sort_code', None, 'id'), ('Account', p.code('########'), '/creditor/account_number', None, 'id')])])
    p.lacks('/collection_fee', 'amount')
    p.titles.update({'/customer_code': 'Customer account code at the creditor', '/amount_due': 'Total to pay', '/open_items/*/original': 'Original amount', '/open_items/*/outstanding': 'Still open'})
    return p.done_with('letter_date reminder_level creditor debtor customer_code open_items ageing amount_due pay_by collection_fee contact')


def repairorder(seed):
    """A garage's work order: customer and car in a band, labour at the left and parts at the right side by side, sums below at the left, the customer's complaint in a box."""
    p = Caller(seed, 'repairorder', 'US', style='strict', ordinary=True, fonts=COMPACT, labels=('beside', 'colon'), money=('1,234.56',), minus=('front', 'brackets'), dates=('%m/%d/%Y', '%m/%d/%y', '%b %d, %Y'), currency=('USD',)).start()
    r, left, end = p.r, 36, p.width - 36
    shop, here = r.choice(('Tri-County Auto & Tire', 'Madrona Import Service', 'Hank’s Garage Inc.')), p.home()
    with p.look(True):
        p.show(p.middle(shop, 1.7), p.y + 6, shop, '/shop/name', kind='name', size=p.size * 1.7)
    text = ' · '.join(here)
    x = p.middle(text)
    x = p.show(x, p.y + 20, here[0], '/shop/address', ', '.join(here), 'address', after=' · ')
    p.show(x, p.y + 20, here[1], '/shop/address', more=True)
    p.y += 40
    day = p.some_day()
    ready = later(day, r.randint(0, 4))
    order = p.code(r.choice(('RO ######', '#####', 'W-####')))
    p.fill(left, p.y, end - left, 70, PALE)
    y, person, home = p.y + 13, p.people[0], p.home()
    car, year = r.choice(('Honda Accord', 'Subaru Outback', 'Ford F-150', 'Toyota Sienna')), r.randint(2009, 2022)
    with p.look(True):
        p.show(left + 6, y, person, '/customer/name', kind='name')
    p.block(left + 6, y + p.size * 1.4, home, '/customer/address')
    p.show(left + 6, y + p.size * 4.2, p.code('(###) 555-01##'), '/customer/phone', kind='id', before='Cell ')
    x = left + 180
    p.show(x, y, str(year), '/vehicle/year', year, 'number', after=' ')
    p.show(x + p.wide('%d ' % year), y, car, '/vehicle/make_and_model', kind='text')
    p.integers.add('/vehicle/year')
    miles = r.randint(28000, 174000)
    p.show(x, y + p.size * 1.4, vin(p.code('1@#@@##@#@#######')), '/vehicle/vin', kind='id', before='VIN ')
    p.show(x, y + p.size * 2.8, p.code('@@@ ####'), '/vehicle/plate', kind='id', before='Lic. ')
    p.show(x, y + p.size * 4.2, p.number(miles, 0), '/vehicle/odometer_in', miles, 'number', before='Mileage in ')
    p.put(x + 96, y + p.size * 4.2, 'out %s' % p.number(miles + r.randint(1, 9), 0))
    p.integers.add('/vehicle/odometer_in')
    p.facts(left + 375, y, [('Work order', order, '/order_number', None, 'id'), iso(p, '/date_in', day, 'Received'), iso(p, '/date_out', ready, 'Completed'), ('Written by', p.people[1], '/service_advisor', None, 'name')], 66, step=1.4)
    p.mark('/vehicle/vin', '/vehicle/plate', '/vehicle/odometer_in', '/customer/phone')
    p.y += 84
    p.frame(left, p.y, end - left, 30)
    p.put(left + 4, p.y + 9, 'CUSTOMER STATES', size=6.5)
    p.show(left + 6, p.y + 22, r.choice(('Grinding noise from front left when braking', 'Check engine light on, rough idle when cold', 'A/C blows warm air after ten minutes', 'Due for 90k service, check battery')), '/complaint', kind='text')
    p.mark('/complaint')
    p.y += 58
    top, middle, each = p.y, 292, float(r.choice((118, 135, 149)))
    work = [('Replace front pads, resurface', 'rotors'), ('Oil and filter change', ''), ('Diagnose misfire, replace', 'coil cyl. 3'), ('Recharge A/C, leak test', ''), ('Rotate and balance tires', ''), ('Replace serpentine belt', '')]
    labor, parts, labor_all, parts_all = [], [], 0.0, 0.0
    for a, b in r.sample(work, r.randint(2, 4)):
        hours = r.randint(3, 32) / 10
        own = round(hours * each, 2)
        labor_all = round(labor_all + own, 2)
        labor.append({'operation': ([a, b], None) if b else (a, None), 'hours': ('%.1f' % hours, hours), 'amount': p.cell(own)})
    for name, code in r.sample([('Brake pad set', 'BP-####'), ('Oil filter', 'PH####'), ('5W-30 synthetic qt', 'OIL530'), ('Ignition coil', 'UF-###'), ('R-1234yf refrigerant', 'RF1234'), ('Belt, serpentine', 'K06####'), ('Shop towels', 'ST-1')], r.randint(2, 6)):
        n, price = r.choice((1, 1, 1, 2, 5)), cents(r, 4, 160)
        own = round(n * price, 2)
        parts_all = round(parts_all + own, 2)
        parts.append({'qty': (str(n), n), 'part_number': p.code(code), 'description': name, 'price': p.cell(price), 'amount': p.cell(own)})
    p.heading(left, p.y - 14, 'LABOR')
    p.heading(middle, p.y - 14, 'PARTS')
    p.listing('/labor', [('operation', 'Operation', left, False), ('hours', 'Hrs', 218, True), ('amount', 'Labor', 272, True)], labor, kinds_of(operation='text', hours='number', amount='amount'), look='rule', edge=(left, 272), step=1.6)
    low, p.y = p.y, top
    p.listing('/parts', [('qty', 'Qty', middle + 14, True), ('part_number', 'Part no.', middle + 22, False), ('description', 'Description', middle + 80, False), ('price', 'Each', end - 62, True), ('amount', 'Ext.', end, True)], parts, kinds_of(qty='number', part_number='id', description='text', price='amount', amount='amount'), look='rule', edge=(middle, end), step=1.6)
    p.integers.add('/parts/*/qty')
    p.y = max(p.y, low) + 14
    fee = round(min(35, labor_all * 0.05), 2)
    off = -float(r.choice((10, 20, 25))) if p.maybe('/discount', seed % 2 == 0, 'amount') else 0.0
    tax = round(parts_all * 0.0775, 2)
    p.sums(left, 272, [('Total labor', labor_all, '/labor_total'), ('Total parts', parts_all, '/parts_total'), ('Shop supplies', fee, '/shop_supplies')] + ([('Coupon', off, '/discount')] if off else []) + [('Sales tax on parts 7.75%', tax, '/sales_tax')], True)
    total = round(labor_all + parts_all + fee + off + tax, 2)
    p.rule(left, 272, p.y - p.size * 1.1)
    p.y += 3
    p.strong(left, 272, 'PLEASE PAY', total, '/amount_due', True, 1.2)
    estimate = round(total * r.choice((0.9, 1.05, 1.1)), 2)
    y = max(low, p.y - 90)
    p.put(middle, y, 'Original estimate')
    p.money(end, y, estimate, '/original_estimate', True)
    p.mark('/original_estimate')
    p.prose(middle, y + 16, ['I hereby authorize the repair work to be done along with the', 'necessary material. Labor at $%d.00 per hour. An express' % each, 'mechanic’s lien is acknowledged. Warranty 12 months or', '12,000 miles, whichever comes first.'], size=0.85)
    p.rule(middle, end, y + 92)
    p.put(middle, y + 102, 'Customer signature', size=6.5)
    p.lacks('/insurance_claim_number', 'id')
    p.says.update({'/complaint': 'What the customer says is wrong', '/date_out': 'Day on which the work was finished', '/amount_due': 'Final sum including tax', '/discount': 'As printed, with its sign'})
    return p.done_with('shop customer vehicle order_number date_in date_out service_advisor complaint insurance_claim_number labor parts labor_total parts_total shop_supplies discount sales_tax original_estimate amount_due')


def proration(seed):
    """A bill for software after a change of plan: a large sum with its day first, credits for unused time and charges for the rest with their periods below, balance applied, no rules in the table."""
    p = Caller(seed, 'proration', 'US', style='plain', ordinary=True, fonts=COMPACT + ('OpenSans-Regular',), labels=('gap', 'beside'), minus=('front', 'long', 'brackets'), dates=('%B %-d, %Y', '%b %-d, %Y'), currency=('USD',)).start()
    r, left, end, grey = p.r, 56, p.width - 56, (0.45, 0.45, 0.5)
    app = r.choice(('Tideboard, Inc.', 'Quillstack Software Inc.', 'Loopdesk Inc.'))
    here, firm, home = p.home(), p.firms[0], p.home()
    p.heading(left, p.y + 8, 'Invoice', 2.2)
    p.heading(end, p.y + 8, app.split(',')[0].split(' ')[0].lower(), 2, right=True, colour=(0.4, 0.4, 0.7))
    p.y += 36
    day = p.some_day()
    until = later(day, r.choice((1, 14, 30)))
    p.y = p.facts(left, p.y, [('Invoice number', p.code('@@#@####-00##'), '/number', None, 'id'), iso(p, '/issued', day, 'Date of issue'), iso(p, '/due', until, 'Date due'), ('Account ID', p.code('acct_######'), None, None, 'id')], 100)
    p.y += 14
    with p.look(True):
        p.show(left, p.y, app, '/vendor/name', kind='name')
    p.block(left, p.y + p.size * 1.4, here + ['United States'], '/vendor/address')
    p.heading(left + 230, p.y, 'Bill to')
    p.show(left + 230, p.y + p.size * 1.4, firm, '/customer/name', kind='name')
    p.show(left + 230, p.y + p.size * 2.8, p.people[0], '/customer/attention', kind='name', before='Attn: ')
    p.block(left + 230, p.y + p.size * 4.2, home, '/customer/address')
    p.y += 84
    old, new = sorted(r.sample((12.0, 19.0, 24.0, 29.0, 49.0), 2))
    seats, more = r.randint(3, 30), r.randint(1, 9)
    days, plans = r.randint(6, 24), ('Starter', 'Team', 'Business')
    first, last = later(day, -1), later(day, days)
    share = lambda price, n: round(price * n * days / 30, 2)
    span = '%s – %s' % (p.day(first, '%b %-d'), p.day(last))
    lines = [(['Unused time on %d × %s' % (seats, plans[0]), 'after ' + p.day(first, '%-d %b %Y')], span, seats, None, -share(old, seats)), (['Remaining time on %d × %s' % (seats + more, plans[1]), 'after ' + p.day(first, '%-d %b %Y')], span, seats + more, None, share(new, seats + more)),
             (plans[1] + ' plan, monthly per seat', '%s – %s' % (p.day(last, '%b %-d'), p.day(later(last, 30))), seats + more, new, round(new * (seats + more), 2))]
    if r.random() < 0.6:
        lines.append(('API calls over plan', span, r.randint(2, 40) * 1000, 0.002, 0.0))
        lines[-1] = lines[-1][:4] + (round(lines[-1][2] * 0.002, 2),)
    rows = [{'description': (a, None), 'period': b, 'quantity': (p.number(n, 0), n), 'unit_price': None if u is None else ('$%s' % p.number(u, 2 if u >= 0.01 else 3), u), 'amount': p.cash(v)} for a, b, n, u, v in lines]
    sub = round(sum(line[-1] for line in lines), 2)
    held = min(sub, float(r.choice((0, 15, 40))))
    due = round(sub - held, 2)
    with p.look(True):
        x = p.again(left, p.y, p.in_money(due), '/amount_due', after=' due ', size=p.size * 1.7)
        p.again(x, p.y, p.day(until), '/due', size=p.size * 1.7)
    p.y += 14
    p.put(left, p.y + 4, 'Pay online with the link in your email')
    p.y += 36
    p.listing('/lines', [('description', 'Description', left, False), ('quantity', 'Qty', 355, True), ('unit_price', 'Unit price', 435, True), ('amount', 'Amount', end, True)], rows, kinds_of(description='text', period='text', quantity='number', unit_price='amount', amount='amount'), under=[[('period', left, '')]], look='plain', edge=(left, end), step=2.1)
    p.integers.add('/lines/*/quantity')
    p.optional.update(('/lines/*/unit_price',))
    p.y += 4
    with p.look(False, grey):
        p.rule(300, end, p.y - p.size * 1.4)
    p.sums(300, end, [('Subtotal', sub, '/subtotal'), ('Total', sub, None)], True)
    if p.maybe('/applied_balance', held > 0, 'amount'):
        p.sums(300, end, [('Applied balance', -held, '/applied_balance')], True)
    p.currency_at = '/currency'
    with p.look(True):
        p.put(300, p.y, 'Amount due')
        text = p.in_money(due)
        x = end - p.wide(text + ' USD')
        p.show(x, p.y, text, '/amount_due', due, 'amount', after=' USD')
    p.truth['/currency'] = [{'page': p.n_page, 'text': 'USD', 'boxes': p.box(x, p.y, text + ' USD', len(text) + 1, len(text) + 4, p.size)}]
    p.say_value('/currency', 'USD', 'currency')
    p.mark('/amount_due')
    p.put(left, p.height - 50, 'Questions? billing@example.com', size=p.size * 0.85)
    p.put(end, p.height - 50, 'Page 1 of 1', size=p.size * 0.85, right=True)
    p.lacks('/sales_tax', 'amount')
    p.lacks('/purchase_order')
    p.titles.update({'/issued': 'Issue date', '/applied_balance': 'Credit balance used on this invoice, negative'})
    p.says.update({'/lines/*/period': 'Period as printed below the description', '/lines': 'All charges and credits'})
    return p.done_with('number issued due purchase_order vendor customer lines subtotal sales_tax applied_balance amount_due currency')


# -- German

def saldo(seed):
    """A bank's answer to an auditor: its head at the upper right, the firm's balances in sentences, two accounts, rates and days within the text, not one table."""
    p = Caller(seed, 'saldo', 'DE', style='strict', ordinary=False, fonts=COMPACT + ('DejaVuSerif', 'Lato-Regular'), labels=('colon',), money=('1.234,56',), minus=('front',), dates=('%d.%m.%Y', '%-d. %B %Y'), currency=('EUR',)).start()
    p.size = 9.5
    r, left, end = p.r, 66, p.width - 66
    bank = r.choice(('Volksbank Mittelland eG', 'Sparkasse Rheinhessen', 'Hansa Kreditbank AG'))
    here, firm, home = p.home(), p.firms[0], p.home()
    with p.look(True):
        p.show(end, p.y + 6, bank, '/bank_name', kind='name', right=True, size=p.size * 1.5)
    p.lines_at(end, p.y + 22, here + ['Telefon ' + p.code('0### ####-0'), 'BIC ' + p.code('GENODE61@@@')], 0.8, True)
    p.y += 84
    p.again(left, p.y, bank, '/bank_name', after=' · %s · %s' % tuple(here), size=p.size * 0.65)
    p.show(left, p.y + 18, firm, '/account_holder/name', kind='name')
    p.block(left, p.y + 18 + p.size * 1.4, home, '/account_holder/address')
    day = p.some_day()
    key = day.replace(year=day.year - 1, month=12, day=31) if seed % 2 else later(day, -r.randint(9, 40))
    clerk = p.people[0]
    p.facts(end - 190, p.y + 6, [('Unser Zeichen', p.code('FK-##/@@'), None, None, 'id'), ('Kunden-Nr.', p.code('### ### ##'), '/customer_number', None, 'id'), ('Bearbeitung', clerk, '/contact_person', None, 'name'), iso(p, '/letter_date', day, 'Datum')], 80)
    p.y += 100
    p.heading(left, p.y, 'Saldenbestätigung für Zwecke der Jahresabschlussprüfung')
    p.y += p.size * 2.6
    iban, loan = iban_of('DE', p.code('#' * 18)), p.code('6########')
    have, open_, limit, rate, monthly = cents(r, 900, 180000), cents(r, 20000, 400000), r.randint(2, 40) * 5000, r.randint(120, 690) / 100, cents(r, 300, 5200)
    until = later(day, r.randint(700, 3400))
    since = later(day, -r.randint(500, 2500))
    p.put(left, p.y, 'Sehr geehrte Damen und Herren,')
    p.y += p.size * 2.2
    p.flow(end, left, 'wunschgemäß bestätigen wir Ihnen die bei uns geführten Konten zum Stichtag ', (p.day(key), '/balance_date', key.isoformat(), 'date'), ' wie folgt. Die Auskunft ergeht ohne Obligo.')
    p.y += p.size
    p.flow(end, left, 'Ihr Geschäftskonto mit der IBAN ', (p.grouped(iban), '/current_account/iban', iban, 'id'), ' wies an diesem Tag ein Guthaben von ', (p.in_money(have), '/current_account/balance', have, 'amount'), ' auf. Für dieses Konto ist eine Kreditlinie in Höhe von ', (p.in_money(float(limit)), '/current_account/credit_limit', float(limit), 'amount'), ' eingeräumt, die nicht in Anspruch genommen war.')
    p.y += p.size
    p.flow(end, left, 'Das Darlehen Nr. ', (loan, '/loan/number', None, 'id'), ', ausgezahlt am ', (p.day(since), '/loan/paid_out_on', since.isoformat(), 'date'), ', valutierte mit ', (p.in_money(open_), '/loan/outstanding', open_, 'amount'), '. Es wird mit ', (p.number(rate) + ' %', '/loan/interest_rate', rate, 'rate'), ' p. a. verzinst und in monatlichen Raten von ', (p.in_money(monthly), '/loan/instalment', monthly, 'amount'), ' getilgt. Die Zinsbindung endet am ', (p.day(until), '/loan/fixed_until', until.isoformat(), 'date'), '.')
    p.y += p.size
    if p.maybe('/guarantees_total', seed % 2 == 0, 'amount'):
        v = r.randint(4, 90) * 500.0
        p.flow(end, left, 'Ferner haben wir für Ihre Rechnung Avale über insgesamt ', (p.in_money(v), '/guarantees_total', v, 'amount'), ' übernommen.')
        p.y += p.size
    costs = cents(r, 25, 120)
    p.flow(end, left, 'Als Sicherheit dient uns eine Grundschuld. Derivative Geschäfte bestanden nicht. Für diese Bestätigung belasten wir Ihr Konto mit ', (p.in_money(costs), '/fee', costs, 'amount'), ' zuzüglich gesetzlicher Umsatzsteuer. Unterschriftsberechtigt sind nach unseren Unterlagen ', (p.people[1], None, None, 'name'), ' und ', (p.people[2], None, None, 'name'), '.')
    p.y += p.size * 2
    p.put(left, p.y, 'Mit freundlichen Grüßen')
    with p.look(True):
        p.again(left, p.y + 20, bank, '/bank_name')
    p.lacks('/savings_account_balance', 'amount')
    p.says.update({'/balance_date': 'Day for which the balances are confirmed', '/current_account/balance': 'Balance of the business account, negative if overdrawn', '/current_account/credit_limit': 'Agreed overdraft', '/loan/paid_out_on': 'Day the loan was paid out', '/loan/outstanding': 'Remaining debt', '/loan/interest_rate': 'Percent per year', '/loan/instalment': 'Monthly payment', '/loan/fixed_until': 'End of the fixed interest period', '/guarantees_total': 'Sum of guarantees (Avale)', '/fee': 'What the bank charges for the confirmation, before VAT', '/contact_person': 'Who handles the matter at the bank', '/savings_account_balance': 'Balance of a savings account, if any'})
    return p.done_with('bank_name account_holder customer_number contact_person letter_date balance_date current_account loan savings_account_balance guarantees_total fee')


def quittung(seed):
    """A receipt from a pad, A5 across: net, tax and sum in a column of small boxes at the right, the sum in words, from whom and for what on lines, several stamped words."""
    p = Caller(seed, 'quittung', 'DE', style='plain', ordinary=False, fonts=COMPACT[:2] + ('DejaVuSerif',), labels=('beside',), money=('1.234,56', '1234,56'), dates=('%d.%m.%Y', '%d.%m.%y', '%-d. %B %Y'), currency=('EUR',)).start(size=(595, 420))
    p.size = 10
    r, left, end = p.r, 40, p.width - 40
    y = 46
    p.frame(left - 12, 24, p.width - 56, 372)
    p.heading(left, y + 4, 'QUITTUNG', 1.8)
    p.show(left + 130, y + 4, p.code(r.choice(('####', 'K-###', '2025/###'))), '/belegnummer', kind='id', before='Nr. ')
    p.mark('/belegnummer')
    words = {1: 'ein', 2: 'zwei', 3: 'drei', 4: 'vier', 5: 'fünf', 6: 'sechs', 7: 'sieben', 8: 'acht', 9: 'neun'}
    hundreds, tens, parts = r.randint(1, 9), r.choice((20, 30, 40, 50, 60, 70, 80, 90)), r.choice((0, 0, 40, 50))
    gross = hundreds * 100 + tens + parts / 100
    rate = r.choice((19, 7))
    net = round(gross / (1 + rate / 100), 2)
    x, wide = 380, 175
    for i, (label, text, at, value, kind) in enumerate((('Netto EUR', p.number(net), '/netto', net, 'amount'), ('+ %d %% MwSt. EUR' % rate, p.number(round(gross - net, 2)), '/umsatzsteuer', round(gross - net, 2), 'amount'), ('Gesamt EUR', p.number(gross), '/betrag', gross, 'amount'))):
        p.frame(x, 34 + i * 24, wide, 24)
        p.put(x + 5, 50 + i * 24, label, size=8.5)
        with p.look(i == 2):
            p.show(x + wide - 8, 50 + i * 24, text, at, value, kind, right=True)
        p.mark(at)
    y += 74
    said = '%shundert%s' % (words[hundreds], {20: 'zwanzig', 30: 'dreißig', 60: 'sechzig', 70: 'siebzig'}.get(tens, words[tens // 10] + 'zig')) + (' %d/100' % parts if parts else '')
    payer, taker = p.people[0] if seed % 2 else p.firms[0], p.firms[1]
    for label, text, at, kind in (('Gesamtbetrag in Worten', '--- %s ---' % said, None, 'text'), ('(im Gesamtbetrag sind %d %% Mehrwertsteuer enthalten)' % rate, '', None, None), ('von', payer, '/zahler', 'name'), ('für', r.choice(('Miete Bierzeltgarnituren, 3 Tage', 'Anzahlung Hochzeitsfloristik', 'Stimmen eines Klaviers', 'Kaution Schlüssel Vereinsheim', 'Reparatur Rasenmäher')), '/verwendungszweck', 'text')):
        p.put(left, y, label, size=8.5)
        if text:
            if at:
                p.show(left + 130, y, text, at, kind=kind)
                p.mark(at)
            else:
                p.put(left + 130, y, text)
            p.rule(left + 124, end - 4, y + 4)
        y += 27 if text else 22
    p.put(left, y, 'dankend erhalten.', size=8.5)
    y += 34
    day, home = p.some_day(), p.home()
    town = home[1].split(' ', 1)[1]
    q = p.show(left, y, town, '/ort', kind='text', after=', den ')
    p.date(q, y, day, '/datum')
    p.rule(left, left + 200, y + 4)
    p.put(left, y + 14, 'Ort / Datum', size=7)
    how = r.choice(('bar', 'EC-Karte', 'Überweisung'))
    for i, name in enumerate(('bar', 'EC-Karte', 'Überweisung')):
        p.put(left + i * 72, y + 38, ('[X] ' if name == how else '[  ] ') + name, size=9)
    p.truth['/zahlungsart'] = [{'page': 1, 'text': how, 'boxes': p.box(left + ('bar', 'EC-Karte', 'Überweisung').index(how) * 72, y + 38, '[X] ' + how, 4, 4 + len(how), 9)}]
    p.say_value('/zahlungsart', how, 'text')
    p.enums['/zahlungsart'] = ['bar', 'EC-Karte', 'Überweisung']
    p.frame(330, y - 30, 215, 84)
    with p.look(True, (0.15, 0.2, 0.55)):
        p.show(340, y - 14, taker, '/empfaenger/name', kind='name')
    with p.look(False, (0.15, 0.2, 0.55)):
        p.block(340, y, home, '/empfaenger/anschrift')
        p.show(340, y + 28, german_vat(p), '/empfaenger/ust_id', kind='id', before='USt-IdNr. ')
    p.mark('/empfaenger/ust_id')
    p.put(334, y + 50, 'Stempel / Unterschrift des Empfängers', size=7)
    p.put(left, 388, 'Buchungsvermerke:  Kto. ' + p.code('4###') + '   Kasse ' + p.code('#') + '   geb. ' + p.day(later(day, 2), '%d.%m.'), size=7)
    p.lacks('/kundennummer', 'id')
    p.titles.update({'/betrag': 'Gezahlter Gesamtbetrag', '/zahler': 'Wer gezahlt hat', '/empfaenger': 'Wer das Geld erhalten hat'})
    return p.done_with('belegnummer datum ort zahler kundennummer verwendungszweck netto umsatzsteuer betrag zahlungsart empfaenger')


# -- other languages

def timologio(seed):
    """A Greek invoice with labels of two languages: firm at the upper left, a row of cells above the parties, customer and delivery side by side, sums at the left of the notes, number of the register as a long code."""
    p = Caller(seed, 'timologio', 'GR', style='strict', ordinary=True, fonts=('LiberationSans-Regular', 'LiberationSansNarrow-Regular', 'DejaVuSansCondensed'), labels=('colon',), money=('1.234,56',), dates=('%d/%m/%Y', '%d-%m-%Y', '%d.%m.%Y'), currency=('EUR',)).start()
    p.size = 8
    r, left, end = p.r, 36, p.width - 36
    afm = lambda: with_last(p.code('09#######'), (256, 128, 64, 32, 16, 8, 4, 2))
    mine = p.home()
    with p.look(True):
        p.show(left, p.y + 6, p.firms[0], '/issuer/name', kind='name', size=p.size * 1.4)
    y = p.block(left, p.y + 22, mine, '/issuer/address')
    p.show(left, y, afm(), '/issuer/vat_number', kind='id', before='ΑΦΜ / VAT No: ')
    p.put(left + 130, y, 'ΔΟΥ / Tax office: ' + r.choice(('ΦΑΕ ΑΘΗΝΩΝ', 'Δ´ ΘΕΣΣΑΛΟΝΙΚΗΣ', 'Α´ ΠΑΤΡΩΝ')))
    p.put(left, y + 11, 'ΓΕΜΗ: ' + p.code('1###########'))
    p.mark('/issuer/vat_number')
    p.heading(end, p.y + 10, 'ΤΙΜΟΛΟΓΙΟ ΠΩΛΗΣΗΣ', 1.5, right=True)
    p.put(end, p.y + 23, 'SALES INVOICE', right=True)
    p.y = y + 26
    day, wide = p.some_day(), (end - left) / 5
    series, number = r.choice(('Α', 'ΤΠΥ', 'Β2')), p.code('####')
    p.boxes(left, p.y, [(wide, 'ΣΕΙΡΑ / SERIES', series, '/series', None, 'code'), (wide, 'ΑΡΙΘΜΟΣ / NUMBER', number, '/number', None, 'id'), (wide, 'ΗΜΕΡΟΜΗΝΙΑ / DATE', p.day(day), '/issue_date', day.isoformat(), 'date'), (wide, 'ΩΡΑ / TIME', '%02d:%02d' % (r.randint(8, 18), r.randint(0, 59)), None, None, 'text'), (wide, 'ΠΛΗΡΩΜΗ / PAYMENT', r.choice(('Επί πιστώσει', 'Μετρητά', 'Κατάθεση')), '/payment_method', None, 'text')])
    p.y += 36
    theirs, store, half = p.home(), p.home(), (end - left) / 2
    client = p.firms[1]
    y = p.y + 12
    p.frame(left, p.y, half - 4, 84)
    p.frame(left + half + 4, p.y, half - 4, 84)
    p.heading(left + 5, y, 'ΣΤΟΙΧΕΙΑ ΠΕΛΑΤΗ / CUSTOMER')
    p.facts(left + 5, y + 14, [('Κωδικός / Code', p.code('30-####'), '/customer/code', None, 'id'), ('Επωνυμία / Name', client, '/customer/name', None, 'name'), ('Διεύθυνση / Address', theirs[0], '/customer/address', ', '.join(theirs), 'address')], 84)
    p.show(left + 5 + 84, y + 14 + p.size * 4.5, theirs[1], '/customer/address', more=True)
    p.field(left + 5, y + 14 + p.size * 6, 'ΑΦΜ / VAT No', afm(), '/customer/vat_number', None, 'id', 84)
    x = left + half + 9
    p.heading(x, y, 'ΣΤΟΙΧΕΙΑ ΑΠΟΣΤΟΛΗΣ / DELIVERY')
    ship = later(day, r.randint(0, 2))
    p.facts(x, y + 14, [('Τόπος / Place', ', '.join(store), '/delivery/place', None, 'address'), ('Σκοπός / Purpose', 'ΠΩΛΗΣΗ', None, None, 'text'), iso(p, '/delivery/shipped_on', ship, 'Έναρξη / Start'), ('Αρ. Οχ. / Vehicle', r.choice(('ΙΚΧ-', 'ΝΖΡ-')) + p.code('####'), '/delivery/vehicle_plate', None, 'id')], 74)
    p.y += 102
    goods = [('Ελαιόλαδο εξαιρετικό 5L', 'ΤΕΜ', 13), ('Φέτα ΠΟΠ βαρέλι', 'ΚΙΛ', 13), ('Χαρτί κουζίνας', 'ΚΙΒ', 24), ('Απορρυπαντικό 10L', 'ΤΕΜ', 24), ('Μέλι θυμαρίσιο 1kg', 'ΤΕΜ', 13), ('Ποτήρια κρασιού σετ 6', 'ΣΕΤ', 24), ('Καφές φίλτρου 500g', 'ΤΕΜ', 24), ('Ελιές Καλαμών 2kg', 'ΤΕΜ', 13)]
    rows, base = [], {}
    for name, unit, rate in r.sample(goods, r.randint(3, 7)):
        n, price, off = r.randint(2, 60), cents(r, 1.5, 68), r.choice((0, 0, 5, 10))
        net = round(n * price * (100 - off) / 100, 2)
        base[rate] = round(base.get(rate, 0.0) + net, 2)
        rows.append({'code': p.code('##.##.###'), 'description': name, 'unit': unit, 'quantity': p.cell(n), 'unit_price': p.cell(price), 'discount_percent': (p.number(off), off) if off else None, 'net': p.cell(net), 'vat_percent': ('%d%%' % rate, rate)})
    p.listing('/items', [('code', 'ΚΩΔΙΚΟΣ\nCODE', left + 2, False), ('description', 'ΠΕΡΙΓΡΑΦΗ\nDESCRIPTION', left + 58, False), ('unit', 'Μ.Μ.\nUNIT', left + 196, False), ('quantity', 'ΠΟΣΟΤΗΤΑ\nQTY', left + 276, True), ('unit_price', 'ΤΙΜΗ\nPRICE', left + 336, True), ('discount_percent', 'ΕΚΠΤ.%\nDISC.%', left + 392, True), ('net', 'ΑΞΙΑ\nVALUE', left + 464, True), ('vat_percent', 'ΦΠΑ%\nVAT%', end - 2, True)],
              rows, kinds_of(code='code', description='text', unit='unit', quantity='number', unit_price='amount', discount_percent='rate', net='amount', vat_percent='rate'), look='lines', edge=(left, end), step=1.6)
    p.types['/items/*/discount_percent'] = 'number'
    p.optional.add('/items/*/discount_percent')
    if not any(row['discount_percent'] for row in rows):
        for i in range(len(rows)):
            p.say_value('/items/%d/discount_percent' % i, None)
    p.y = max(p.y, p.height - 250)
    vat = round(sum(round(v * rate / 100, 2) for rate, v in base.items()), 2)
    net, right, old = round(sum(base.values()), 2), left + 210, cents(r, 0, 4000)
    p.frame(left, p.y - 14, 220, 104)
    p.sums(left + 6, right, [('ΚΑΘΑΡΗ ΑΞΙΑ / NET', net, '/net_total')] + [('ΦΠΑ / VAT %d%%' % rate, round(v * rate / 100, 2), None) for rate, v in sorted(base.items())] + [('ΣΥΝΟΛΟ ΦΠΑ / TOTAL VAT', vat, '/vat_total')])
    p.currency_at = '/currency'
    p.rule(left, left + 220, p.y - p.size * 1.1)
    p.strong(left + 6, right, 'ΠΛΗΡΩΤΕΟ / PAYABLE', round(net + vat, 2), '/payable', 'currency', 1.15)
    y = p.height - 250
    p.put(left + 240, y, 'Προηγούμενο υπόλοιπο / Previous balance')
    p.money(end, y, old, '/previous_balance')
    p.put(left + 240, y + 13, 'Νέο υπόλοιπο / New balance')
    p.money(end, y + 13, round(old + net + vat, 2), '/new_balance')
    p.mark('/previous_balance', '/new_balance')
    p.put(left + 240, y + 34, 'Παρατηρήσεις / Remarks: ' + r.choice(('Οι τιμές περιλαμβάνουν συσκευασία.', 'Επιστροφές εντός 8 ημερών.')))
    p.put(left + 240, y + 47, 'IBAN: ' + p.grouped(iban_of('GR', p.code('0140###' + '#' * 16))))
    p.show(left, p.height - 110, p.code('4000########123'), '/mydata_mark', kind='id', before='ΜΑΡΚ: ')
    p.put(left, p.height - 98, 'UID: ' + ''.join(r.choice('0123456789ABCDEF') for _ in range(40)))
    p.mark('/mydata_mark')
    for x, label in ((left + 20, 'Ο ΕΚΔΟΤΗΣ / ISSUED BY'), (end - 130, 'Ο ΠΑΡΑΛΑΒΩΝ / RECEIVED BY')):
        p.put(x, p.height - 66, label)
    p.lacks('/related_document', 'id')
    p.says.update({'/payable': 'Total to pay for this invoice', '/related_document': 'Number of a related document, if one is named', '/delivery/shipped_on': 'Date on which transport begins', '/mydata_mark': 'Registration number (MARK) of the tax authority'})
    return p.done_with('series number issue_date payment_method issuer customer delivery related_document items net_total vat_total payable currency previous_balance new_balance mydata_mark')


def vyuctovani(seed):
    """A Czech waterworks' yearly account: facts in two columns without colons, meters with old and new states and their days, prices by period, advances deducted, what is due or overpaid, new advances."""
    p = Caller(seed, 'vyuctovani', 'CZ', style='strict', ordinary=False, fonts=COMPACT[:2] + ('DejaVuSansCondensed',), labels=('gap',), money=('1 234,56', '1\u00a0234,56', '1.234,56'), minus=('front', 'back'), dates=('%d.%m.%Y', '%-d. %-m. %Y'), currency=('CZK',)).start()
    p.currency_at, p.asks_currency = '/mena', True
    r, left, end = p.r, 44, p.width - 44
    works = r.choice((('Vodárny Podhůří, a.s.', '45274###'), ('Moravské vodovody, a.s.', '61859###')))
    mine, person, home, spot = p.home(), p.people[0], p.home(), p.home()
    day = p.some_day()
    p.heading(left, p.y + 4, 'Faktura – daňový doklad, vyúčtování vodného a stočného', 1.25)
    p.y += 24
    due, a, b = later(day, 14), later(day, -r.randint(370, 392)), later(day, -r.randint(8, 16))
    number = p.code('2#########')
    p.frame(left, p.y, 250, 96)
    p.put(left + 5, p.y + 9, 'Dodavatel', size=6.5)
    p.party(left + 5, p.y + 22, works[0], mine, '/dodavatel', bold=True, address_key='adresa', name_key='nazev')
    p.show(left + 5, p.y + 60, with_last(p.code(works[1]), range(8, 1, -1), sign=-1), '/dodavatel/ico', kind='id', before='IČO ')
    p.put(left + 90, p.y + 60, 'DIČ CZ' + p.code('########'))
    p.show(left + 5, p.y + 74, p.code('19-########27/0100'), '/dodavatel/cislo_uctu', kind='id', before='Účet ')
    p.mark('/dodavatel/ico', '/dodavatel/cislo_uctu')
    x = left + 270
    p.put(x, p.y + 9, 'Odběratel', size=6.5)
    p.party(x, p.y + 22, person, home, '/odberatel', bold=True, address_key='adresa', name_key='jmeno')
    p.field(x, p.y + 66, 'Zákaznické číslo', p.code('#######'), '/odberatel/zakaznicke_cislo', None, 'id', 100)
    p.y += 114
    low = p.facts(left, p.y, [('Variabilní symbol', number, '/variabilni_symbol', None, 'id'), iso(p, '/datum_vystaveni', day, 'Datum vystavení'), iso(p, '/datum_splatnosti', due, 'Splatnost'), ('DUZP', p.day(b), None, b.isoformat(), 'date')], 110)
    p.field(x, p.y, 'Odběrné místo', p.code('####-####-#'), '/odberne_misto/cislo', None, 'id', 100)
    p.show(x + 100, p.y + p.size * 1.5, ', '.join(spot), '/odberne_misto/adresa', kind='address')
    at = p.after_label(x, p.y + p.size * 3, 'Fakturační období', 100)
    at = p.date(at, p.y + p.size * 3, a, '/obdobi/od', after=' – ')
    p.date(at, p.y + p.size * 3, b, '/obdobi/do')
    p.mark('/obdobi/od', '/obdobi/do')
    p.y = low + 20
    rows, total_m3 = [], 0
    exchange = r.random() < 0.5
    cut = later(a, r.randint(90, 250))
    for i in range(2 if exchange else 1):
        old, used = (r.randint(100, 900) if i == 0 else 0), r.randint(18, 95)
        total_m3 += used
        f, t = (a, cut if exchange else b) if i == 0 else (cut, b)
        rows.append({'cislo_vodomeru': p.code('########'), 'datum_od': (p.day(f), f.isoformat()), 'stav_od': (str(old), old), 'datum_do': (p.day(t), t.isoformat()), 'stav_do': (str(old + used), old + used), 'spotreba': (str(used), used), '_d': 'výměna' if exchange and i == 0 else 'odečet'})
    p.heading(left, p.y, 'Odečty měřidel')
    p.y += 16
    p.listing('/odecty', [('cislo_vodomeru', 'Vodoměr č.', left, False), ('datum_od', 'Počáteční odečet', left + 84, False), ('stav_od', 'Stav m³', left + 215, True), ('datum_do', 'Konečný odečet', left + 240, False), ('stav_do', 'Stav m³', left + 366, True), ('spotreba', 'Spotřeba m³', left + 440, True), ('_d', 'Druh', left + 456, False)], rows, kinds_of(cislo_vodomeru='id', datum_od='date', stav_od='number', datum_do='date', stav_do='number', spotreba='number'), look='rule', edge=(left, end), step=1.5)
    p.integers.update('/odecty/*/' + key for key in ('stav_od', 'stav_do', 'spotreba'))
    p.y += 8
    part = total_m3 * r.randint(3, 7) // 10
    lines, net = [], 0.0
    for name, low_, high in (('Vodné', 44, 58), ('Stočné', 40, 55)):
        price = cents(r, low_, high)
        for m3, year, each in ((part, a.year, price), (total_m3 - part, b.year, round(price * 1.06, 2))):
            own = round(m3 * each, 2)
            net = round(net + own, 2)
            lines.append({'polozka': '%s %d' % (name, year), 'mnozstvi': (str(m3), m3), '_u': 'm³', 'cena_za_m3': p.cell(each), 'castka': p.cell(own)})
    p.listing('/polozky', [('polozka', 'Položka', left, False), ('mnozstvi', 'Množství', left + 215, True), ('_u', '', left + 219, False), ('cena_za_m3', 'Cena za m³ bez DPH', left + 366, True), ('castka', 'Celkem bez DPH', end, True)], lines, kinds_of(polozka='text', mnozstvi='number', cena_za_m3='amount', castka='amount'), look=r.choice(('rule', 'grey')), edge=(left, end), step=1.5)
    vat = round(net * 0.12, 2)
    gross = round(net + vat, 2)
    paid = float(round(gross / 100) * 100 + r.choice((-800, -300, 400, 900)))
    p.sums(left + 240, end, [('Základ DPH 12 %', net, '/zaklad_dane'), ('DPH 12 %', vat, '/dph'), ('Celkem včetně DPH', gross, '/celkem'), ('Zaplacené zálohy', -paid, '/zaplacene_zalohy')])
    rest = round(gross - paid, 2)
    p.y += 4
    p.strong(left + 240, end, 'Nedoplatek k úhradě' if rest > 0 else 'Přeplatek', abs(rest), '/nedoplatek' if rest > 0 else '/preplatek', 'currency', 1.15)
    p.lacks('/preplatek' if rest > 0 else '/nedoplatek', 'amount')
    p.optional.update(('/preplatek', '/nedoplatek'))
    p.y += 14
    new, start = float(r.randint(3, 16) * 50), later(due, r.randint(20, 40))
    p.flow(end, left, 'Od ', (p.day(start), '/nova_zaloha/od', start.isoformat(), 'date'), ' Vám předepisujeme novou měsíční zálohu ve výši ', (p.in_money(new), '/nova_zaloha/castka', new, 'amount'), '. Dosavadní záloha činila ', (p.in_money(new - 50), None, new - 50, 'amount'), '. Reklamaci lze uplatnit do 30 dnů od doručení.')
    p.put(left, p.height - 44, 'Vyřizuje: %s, tel. %s' % (p.people[1], p.code('5## ### ###')), size=p.size * 0.85)
    p.says.update({'/zaplacene_zalohy': 'Tak, jak je vytištěno, i se znaménkem', '/preplatek': 'Jen pokud se vrací', '/nedoplatek': 'Jen pokud se doplácí'})
    return p.done_with('dodavatel odberatel odberne_misto variabilni_symbol datum_vystaveni datum_splatnosti obdobi odecty polozky zaklad_dane dph celkem zaplacene_zalohy nedoplatek preplatek mena nova_zaloha')


def arvode(seed):
    """A Swedish freelancer's bill: what was done in sentences with hours and rate, sums at the left below, all of the sender in four columns at the foot, no table at all."""
    p = Caller(seed, 'arvode', 'SE', style='strict', ordinary=True, fonts=COMPACT + ('Lato-Regular', 'OpenSans-Regular'), labels=('gap', 'above', 'beside'), money=('1 234,56', '1\u00a0234,56', '1234,56'), minus=('front',), dates=('%Y-%m-%d', '%-d %B %Y'), currency=('SEK',)).start()
    p.currency_at, p.asks_currency = '/valuta', True
    r, left, end = p.r, 64, p.width - 64
    me, firm, home, mine = p.people[0], r.choice(('Ekströms Förlag AB', 'Västanvik Bygg AB', 'Sjöberg & Co Reklambyrå AB')), p.home(), p.home()
    p.heading(left, p.y + 14, r.choice(('Faktura', 'FAKTURA')), 2.4)
    p.y += 56
    p.show(left, p.y, firm, '/kund/namn', kind='name')
    p.show(left, p.y + p.size * 1.4, p.people[1], '/kund/referens', kind='name', before='Att: ')
    p.block(left, p.y + p.size * 2.8, home, '/kund/adress')
    day = p.some_day()
    due, number = later(day, r.choice((10, 20, 30))), p.code(r.choice(('2025-0##', '1##', 'F####')))
    y, x = p.y, 350
    for what in (('Nr', number, '/fakturanummer', None, 'id'), iso(p, '/fakturadatum', day, 'Datum'), iso(p, '/forfallodatum', due, 'Oss tillhanda senast'), ('Ert uppdrag', p.code('U-####'), '/uppdragsnummer', None, 'id')):
        p.field(x, y, *what, gap=92)
        y += p.step()
    p.y = max(y, p.y + 70) + 26
    hours, rate, km = r.randint(8, 120) / 2, float(r.choice((650, 780, 850, 925))), r.randint(4, 42) * 10
    fee, travel = hours * rate, round(km * 2.5, 2)
    month = MONTH_NAMES['sv'][(day.month - 2) % 12]
    p.flow(end, left, r.choice(('Språkgranskning och redigering av årsredovisningen', 'Fotografering av nybyggda lägenheter', 'Illustrationer till läroboken')) + ' under %s, sammanlagt ' % month, (p.number(hours, 1), '/antal_timmar', hours, 'number'), ' timmar à ', (p.in_money(rate), '/timarvode', rate, 'amount'), ', vilket ger ett arvode på ', (p.in_money(fee), '/arvode', fee, 'amount'), '. Ett första utkast lämnades den ', (p.day(later(day, -20)), None, later(day, -20).isoformat(), 'date'), '.')
    p.y += 8
    if p.maybe('/reseersattning', r.random() < 0.6, 'amount'):
        p.flow(end, left, 'Resor med egen bil, %d km à 2,50 kr, tillkommer med ' % km, (p.in_money(travel), '/reseersattning', travel, 'amount'), '.')
        p.y += 8
    else:
        travel = 0.0
    net = round(fee + travel, 2)
    vat = round(net * 0.25, 2)
    total = float(round(net + vat))
    p.y += 26
    p.sums(left, left + 220, [('Netto', net, '/summa_exkl_moms'), ('Moms 25 %', vat, '/momsbelopp'), ('Öresutjämning', round(total - net - vat, 2), None)])
    p.rule(left, left + 220, p.y - p.size)
    p.y += 4
    p.strong(left, left + 220, 'Att betala', total, '/att_betala', 'currency', 1.3)
    p.y += 20
    giro = p.code('5###-####')
    p.flow(end, left, 'Betala gärna till bankgiro ', (giro[:8] + luhn(giro[:4] + giro[5:8])[-1], '/bankgiro', None, 'id'), ' och ange ', (luhn(number.replace('-', '').replace('F', '') + p.code('##')), '/ocr', None, 'id'), ' som OCR-nummer. Efter förfallodagen debiteras dröjsmålsränta med 8 procentenheter över referensräntan. Påminnelseavgift 60 kr.')
    org = org_nr(p)
    p.foot([(left, [('', me, '/avsandare/namn', None, 'name')] + [('', line, '/avsandare/adress', ', '.join(mine), 'address') for line in mine]), (left + 140, ['Telefon', p.code('070-### ## ##')]), (left + 240, [('Org.nr', org, '/avsandare/organisationsnummer', None, 'id'), ('Momsreg.nr', 'SE%s01' % org.replace('-', ''), None, None, 'id')]), (left + 385, ['Godkänd för F-skatt'])])
    p.lacks('/rotavdrag', 'amount')
    return p.done_with('fakturanummer fakturadatum forfallodatum uppdragsnummer avsandare kund antal_timmar timarvode arvode reseersattning rotavdrag summa_exkl_moms momsbelopp att_betala valuta bankgiro ocr')


def encomenda(seed):
    """A Portuguese order to a supplier: title and number in a bar, supplier at the left, place of delivery at the right, a day of delivery in each line, long descriptions that wrap, sums at the left."""
    p = Caller(seed, 'encomenda', 'PT', style='classes', ordinary=True, fonts=COMPACT + ('DejaVuSansCondensed',), labels=('colon',), money=('1.234,56', '1 234,56'), dates=('%d-%m-%Y', '%d/%m/%Y', '%Y-%m-%d'), currency=('EUR',)).start()
    r, left, end = p.r, 40, p.width - 40
    number, day, mine, theirs, store = p.code(r.choice(('ENC 2025/####', 'NE####/25', '45000#####'))), p.some_day(), p.home(), p.home(), p.home()
    with p.look(True):
        p.show(left, p.y + 6, p.firms[0], '/comprador/nome', kind='name', size=p.size * 1.3)
    x = p.show(left, p.y + 20, mine[0], '/comprador/morada', ', '.join(mine), 'address', after=', ')
    x = p.show(x, p.y + 20, mine[1], '/comprador/morada', more=True)
    p.show(end, p.y + 20, pt_nif(p), '/comprador/nif', kind='id', before='NIF ', right=True)
    p.mark('/comprador/nif')
    p.fill(left, p.y + 32, end - left, 22, (0.25, 0.35, 0.3))
    with p.look(True, (1, 1, 1)):
        p.put(left + 8, p.y + 47, 'NOTA DE ENCOMENDA', size=p.size * 1.2)
        p.show(end - 8, p.y + 47, number, '/numero', kind='id', before='N.º ', right=True, size=p.size * 1.2)
    p.mark('/numero')
    p.y += 76
    p.heading(left, p.y, 'Fornecedor')
    p.heading(310, p.y, 'Local de descarga')
    p.show(left, p.y + 14, p.firms[1], '/fornecedor/nome', kind='name')
    y = p.block(left, p.y + 14 + p.size * 1.4, theirs, '/fornecedor/morada')
    p.show(left, y, pt_nif(p), '/fornecedor/nif', kind='id', before='Contribuinte ')
    p.show(left, y + p.size * 1.4, p.code('F###'), '/fornecedor/codigo', kind='id', before='V/ código ')
    p.mark('/fornecedor/nif', '/fornecedor/codigo')
    p.show(310, p.y + 14, 'Armazém ' + r.choice(('Norte', 'Central', '2')), '/local_entrega/designacao', kind='name')
    p.block(310, p.y + 14 + p.size * 1.4, store, '/local_entrega/morada')
    p.y = y + 34
    offer = later(day, -r.randint(4, 40))
    p.across(p.y, [(left, 'Data', p.day(day), '/data', day.isoformat(), 'date'), (left + 90, 'V/ proposta', p.code('P####'), '/proposta_fornecedor', None, 'id'), (left + 190, 'de', p.day(offer), None, offer.isoformat(), 'date'), (left + 270, 'Condições', r.choice(('60 dias', '30 dias d.f.', 'Pronto pagamento')), '/condicoes_pagamento', None, 'text'), (left + 370, 'Comprador', p.people[0], '/contacto_compras', None, 'name')])
    p.y += 36
    goods = [(['Rolamento rígido de esferas', '6204-2RS, vedado'], 'UN'), (['Chapa de aço inox AISI 304,', '2000 x 1000 x 2 mm, escovada'], 'UN'), ('Parafuso M8 x 40 DIN 933', 'CX'), (['Óleo hidráulico ISO VG 46,', 'bidão de 20 litros'], 'UN'), ('Luvas de nitrilo tam. 9', 'PAR'), (['Correia trapezoidal perfil A,', 'comprimento 1250 mm'], 'UN'), ('Fita adesiva de embalagem', 'RL'), (['Tinta epóxi cinzenta RAL 7035,', 'componente A + B'], 'KG')]
    rows, net = [], 0.0
    for i, (name, unit) in enumerate(r.sample(goods, r.randint(3, 7))):
        n, price, when = r.randint(1, 80), cents(r, 1.2, 240), later(day, r.choice((7, 14, 21, 30, 45)))
        own = round(n * price, 2)
        net = round(net + own, 2)
        rows.append({'_n': str((i + 1) * 10), 'referencia': p.code('@@-#####'), 'descricao': (name, None), 'data_entrega': (p.day(when), when.isoformat()), 'quantidade': p.cell(n, 0), 'unidade': unit, 'preco': p.cell(price), 'valor': p.cell(own)})
    p.listing('/artigos', [('_n', 'Lin.', left, False), ('referencia', 'Artigo', left + 24, False), ('descricao', 'Designação', left + 82, False), ('data_entrega', 'Entrega', left + 238, False), ('quantidade', 'Qtd.', left + 322, True), ('unidade', 'Un.', left + 328, False), ('preco', 'P. unit.', left + 410, True), ('valor', 'Valor líq.', end, True)], rows, kinds_of(referencia='code', descricao='text', data_entrega='date', quantidade='number', unidade='unit', preco='amount', valor='amount'), look=r.choice(('rule', 'lines', 'grey')), edge=(left, end), step=1.7)
    vat = round(net * 0.23, 2)
    p.y += 12
    p.sums(left, left + 200, [('Total líquido', net, '/total_liquido'), ('IVA 23%', vat, '/iva')])
    p.currency_at = '/moeda'
    with p.look(True):
        p.put(left, p.y, 'TOTAL')
        p.money(left + 170, p.y, round(net + vat, 2), '/total')
    p.show(left + 200, p.y, 'EUR', '/moeda', kind='currency', right=True)
    p.mark('/total')
    p.frame(310, p.y - 34, end - 310, 46)
    p.put(314, p.y - 25, 'Observações', size=6.5)
    if p.maybe('/observacoes', r.random() < 0.6, 'text'):
        p.show(314, p.y - 12, r.choice(('Entregas das 8h30 às 16h30.', 'Indicar o número da encomenda na guia.', 'Anexar certificado de material.')), '/observacoes', kind='text')
    p.put(left, p.height - 60, 'A fatura deve mencionar o número desta encomenda. Capital social 250.000,00 € · CRC Porto ' + p.code('5########'), size=p.size * 0.8)
    p.lacks('/desconto', 'amount')
    p.needed.update(('/numero', '/data', '/total'))
    p.says.update({'/contacto_compras': 'Pessoa que trata da encomenda', '/artigos/*/preco': 'Preço por unidade, sem IVA'})
    return p.done_with('numero data proposta_fornecedor comprador contacto_compras fornecedor local_entrega condicoes_pagamento artigos desconto total_liquido iva total moeda observacoes')


def ceki(seed):
    """A Turkish exporter's packing list of two or three pages with labels of two languages: boxes by number, nets and gross weights, sums carried from page to page."""
    p = Caller(seed, 'ceki', 'TR', style='strict', ordinary=False, fonts=COMPACT[:3], labels=('gap',), money=('1.234,56', '1,234.56'), dates=('%d.%m.%Y', '%d/%m/%Y'), currency=('EUR',)).start()
    r, left, end = p.r, 36, p.width - 36
    day, home = p.some_day(), p.home()
    with p.look(True):
        p.show(left, p.y + 4, p.firms[0], '/exporter/name', kind='name', size=p.size * 1.25)
    y = p.block(left, p.y + 18, home + ['Türkiye'], '/exporter/address')
    p.show(left, y, turkish_tax(p), '/exporter/tax_number', kind='id', before='V.D. No / Tax No: ')
    p.mark('/exporter/tax_number')
    p.heading(end, p.y + 6, 'ÇEKİ LİSTESİ / PACKING LIST', 1.4, right=True)
    invoice, order = p.code(r.choice(('GIB2025000000###', 'EXP-2025-###'))), p.code('PO#####')
    p.facts(330, p.y + 24, [('Tarih / Date', p.day(day), '/date', day.isoformat(), 'date'), ('Fatura No / Invoice No', invoice, '/invoice_number', None, 'id'), ('Sipariş No / Order No', order, '/order_number', None, 'id'), ('Menşei / Origin', 'TÜRKİYE', '/origin', None, 'text')], 104)
    p.y = y + 26
    buyer, there = r.choice((('Nordhus Interiør AS', ['Havnegata 14', '7010 Trondheim', 'Norway']), ('Maison Lacombe SAS', ['12 quai des Chartrons', '33000 Bordeaux', 'France']), ('Textilhaus Brandt GmbH', ['Lindenallee 8', '04107 Leipzig', 'Germany'])))
    p.heading(left, p.y, 'Alıcı / Consignee')
    p.party(left, p.y + 13, buyer, there, '/consignee')
    p.heading(330, p.y, 'Sevkiyat / Shipment')
    truck = p.code(r.choice(('16 @@@ ##', '34 @@ ####')))
    p.facts(330, p.y + 13, [('Araç / Vehicle', truck, '/vehicle', None, 'id'), ('Teslim / Delivery', r.choice(('FCA Bursa', 'DAP', 'EXW')), '/incoterm', None, 'text'), ('Konteyner / Container', '-', None, None, 'text')], 104)
    p.lacks('/container_number', 'id')
    p.y += 74
    goods = [('Bath towel 70x140', 'Banyo havlusu'), ('Hand towel 50x90', 'El havlusu'), ('Bathrobe L', 'Bornoz L'), ('Bed linen set 200x220', 'Nevresim takımı'), ('Kitchen towel', 'Mutfak havlusu'), ('Cotton blanket', 'Pamuklu battaniye'), ('Table cloth 160x260', 'Masa örtüsü')]
    n, box, rows, sums, after = r.randint(40, 84), 1, [], [0, 0, 0.0, 0.0], []
    for _ in range(n):
        (english, turkish), k, pcs = r.choice(goods), r.choice((1, 1, 2, 4)), r.choice((12, 20, 24, 40))
        net = r.randint(40, 190) / 10 * k
        gross = round(net + 0.8 * k, 1)
        sums = [sums[0] + k, sums[1] + pcs * k, round(sums[2] + net, 1), round(sums[3] + gross, 1)]
        after.append(sums)
        rows.append({'carton_numbers': '%d' % box if k == 1 else '%d-%d' % (box, box + k - 1), 'cartons': (str(k), k), 'description': '%s / %s' % (english, turkish), 'colour': r.choice(('White', 'Sand', 'Navy', 'Grey')), 'quantity': (p.number(pcs * k, 0), pcs * k), 'net_weight': (p.number(net, 1), round(net, 1)), 'gross_weight': (p.number(gross, 1), gross)})
        box += k
    edges = left + 108, left + 390, left + 452, end
    line = lambda label, s: [(left + 120, label, False)] + [(x, p.number(v, d), True) for x, v, d in zip(edges, s, (0, 0, 1, 1))]
    pages = [1]

    def on_full(i):
        p.rule(left, end, p.y - p.size * 1.1)
        p.cells_alone(line('Nakli yekûn / Carried forward', after[i - 1]))
        p.put(end, p.height - 30, 'Sayfa / Page %d' % pages[0], right=True, size=p.size * 0.85)
        pages[0] += 1
        p.open_page(size=p.page_size)
        p.heading(left, p.y, 'ÇEKİ LİSTESİ / PACKING LIST')
        p.again(end, p.y, invoice, '/invoice_number', before='Fatura No / Invoice No: ', right=True)
        p.y += 30
        return line('Devreden / Brought forward', after[i - 1])

    p.listing('/packages', [('carton_numbers', 'Koli No\nCarton No', left, False), ('cartons', 'Koli\nCartons', left + 108, True), ('description', 'Malın cinsi\nDescription', left + 120, False), ('colour', 'Renk\nColour', left + 298, False), ('quantity', 'Adet\nPieces', left + 390, True), ('net_weight', 'Net kg', left + 452, True), ('gross_weight', 'Brüt kg\nGross kg', end, True)],
              rows, kinds_of(carton_numbers='text', cartons='number', description='text', colour='text', quantity='number', net_weight='number', gross_weight='number'), look=r.choice(('lines', 'rule')), edge=(left, end), step=1.5, on_full=on_full, bottom=90)
    p.integers.update(('/packages/*/cartons', '/packages/*/quantity', '/total_cartons', '/total_pieces'))
    p.rule(left, end, p.y - p.size * 1.2)
    with p.look(True):
        p.put(left + 120, p.y, 'TOPLAM / TOTAL')
        for x, v, d, at in zip(edges, sums, (0, 0, 1, 1), ('/total_cartons', '/total_pieces', '/total_net_weight', '/total_gross_weight')):
            p.show(x, p.y, p.number(v, d), at, v, 'number', right=True)
            p.mark(at)
    p.y += p.size * 2.4
    volume = r.randint(120, 690) / 10
    if p.y > p.height - 50:
        p.open_page(size=p.page_size)
    p.show(left, p.y, p.number(volume, 1), '/volume_m3', volume, 'number', before='Hacim / Volume: ', after=' m³')
    p.put(left + 150, p.y, 'Paletsiz yüklenmiştir. / Loaded without pallets.')
    p.mark('/volume_m3')
    p.put(end, p.height - 30, 'Sayfa / Page %d' % pages[0], right=True, size=p.size * 0.85)
    return p.done_with('exporter consignee date invoice_number order_number origin vehicle container_number incoterm packages total_cartons total_pieces total_net_weight total_gross_weight volume_m3')


def lahete(seed):
    """A Finnish note of delivery: a band of small labels over values, ordered, delivered and to follow in three columns, a comment below some lines, who received it and the driver at the foot."""
    p = Caller(seed, 'lahete', 'FI', style='plain', ordinary=False, fonts=COMPACT + ('OpenSans-Regular',), labels=('above',), money=('1234,56', '1 234,56'), dates=('%-d.%-m.%Y', '%d.%m.%Y'), currency=('EUR',)).start()
    r, left, end = p.r, 46, p.width - 46
    p.heading(left, p.y + 6, r.choice(('LÄHETE', 'Lähetysluettelo')), 1.9)
    with p.look(True):
        p.show(end, p.y, p.firms[0], '/supplier/name', kind='name', right=True, size=p.size * 1.1)
    mine, theirs, site = p.home(), p.home(), p.home()
    for i, text in enumerate(mine):
        p.show(end, p.y + 12 * (i + 1), text, '/supplier/address', ', '.join(mine), 'address', right=True, more=i > 0)
    p.show(end, p.y + 36, finnish_id(p), '/supplier/business_id', kind='id', before='Y-tunnus ', right=True)
    p.mark('/supplier/business_id')
    p.y += 68
    for x, label, at, name, lines in ((left, 'Tilaaja', '/customer', p.firms[1], theirs), (left + 250, 'Toimitusosoite', '/delivery_address', 'Työmaa ' + r.choice(('Satamakatu', 'Koivuranta', 'Asemanpiha')), site)):
        p.put(x, p.y, label, size=p.size * 0.8)
        p.party(x, p.y + 13, name, lines, at)
    p.y += 76
    day = p.some_day()
    ordered, left_on = later(day, -r.randint(3, 30)), day
    p.fill(left - 4, p.y - 18, end - left + 8, 27, PALE)
    p.across(p.y, [(left, 'Lähetteen nro', p.code(r.choice(('######', 'L-#####'))), '/delivery_note_number', None, 'id'), (left + 90, 'Päiväys', p.day(left_on), '/dispatch_date', left_on.isoformat(), 'date'), (left + 170, 'Tilausnumero', p.code('4####'), '/order_number', None, 'id'), (left + 250, 'Tilauspäivä', p.day(ordered), '/order_date', ordered.isoformat(), 'date'), (left + 330, 'Viitteenne', p.people[0], '/customer_reference', None, 'name'), (left + 430, 'Toimitusehto', r.choice(('TOP', 'NOL', 'VOP')), None, None, 'text')])
    p.y += 36
    goods = [('Kuusiruuvi M10x60 sinkitty', 'kpl'), ('Eristelevy 50 mm', 'pkt'), ('Sähköputki JM 20', 'm'), ('Pistorasia 2-os. uppo', 'kpl'), ('Kipsilevy 13x1200x2600', 'kpl'), ('Lattiaparketti tammi', 'm²'), ('Silikoni, valkoinen', 'prk'), ('Höyrynsulkumuovi', 'rll'), ('Betonikivi harmaa', 'lava'), ('Kaapeli MMJ 3x1,5', 'm')]
    rows = []
    for i, (name, unit) in enumerate(r.sample(goods, r.randint(4, 9))):
        n = r.randint(2, 300)
        short = r.choice((0, 0, 0, n // 3, n))
        weeks = later(day, r.choice((7, 14, 28)))
        rows.append({'_n': str(i + 1), 'item_number': p.code('6#######'), 'description': name, 'unit': unit, 'ordered': p.cell(n, 0), 'delivered': p.cell(n - short, 0), 'backordered': p.cell(short, 0) if short else None, 'expected_on': (p.day(weeks), weeks.isoformat()) if short else None})
    p.listing('/lines', [('_n', '', left, False), ('item_number', 'Tuote', left + 16, False), ('description', 'Nimike', left + 80, False), ('unit', 'Yks.', left + 246, False), ('ordered', 'Tilattu', left + 330, True), ('delivered', 'Toimitettu', left + 400, True), ('backordered', 'Jälkitoimitus', end, True)], rows, kinds_of(item_number='id', description='text', unit='unit', ordered='number', delivered='number', backordered='number', expected_on='date'), under=[[('expected_on', left + 80, 'Jälkitoimitus arviolta ')]], look=r.choice(('rule', 'lines')), edge=(left, end), step=1.6, ruled=seed % 2 == 0)
    for i, row in enumerate(rows):
        if not row['backordered']:
            p.say_value('/lines/%d/backordered' % i, None, 'amount')
            p.say_value('/lines/%d/expected_on' % i, None, 'date')
    p.integers.update('/lines/*/' + key for key in ('ordered', 'delivered', 'backordered'))
    p.optional.update(('/lines/*/backordered', '/lines/*/expected_on'))
    p.y += 14
    weight, parcels = r.randint(40, 990), r.randint(1, 6)
    x = p.show(left, p.y, str(parcels), '/parcels', parcels, 'number', before='Kollit yht. ', after='      ')
    p.show(x, p.y, p.number(weight, 0), '/gross_weight_kg', weight, 'number', before='Paino ', after=' kg')
    p.integers.update(('/parcels', '/gross_weight_kg'))
    p.mark('/parcels', '/gross_weight_kg')
    x = p.show(left + 250, p.y, r.choice(('Posti Rahti', 'Kaukokiito', 'Oma kuljetus')), '/carrier', kind='name', before='Kuljetus: ')
    p.mark('/carrier')
    y = p.height - 100
    for x, label in ((left, 'Vastaanottajan allekirjoitus ja nimenselvennys'), (left + 290, 'Vastaanotettu, pvm')):
        p.rule(x, x + 200, y)
        p.put(x, y + 10, label, size=p.size * 0.8)
    p.put(left, y - 22, 'Huomautukset on tehtävä 8 päivän kuluessa. Käsittelijä: ' + p.people[1])
    p.lacks('/received_by', 'name')
    p.lacks('/received_on', 'date')
    p.says.update({'/dispatch_date': 'Date of the delivery note', '/order_number': 'The supplier\'s order number', '/customer_reference': 'Person at the customer', '/lines/*/delivered': 'Quantity in this delivery', '/lines/*/backordered': 'Quantity still to come', '/lines/*/expected_on': 'When the rest is expected', '/parcels': 'Number of packages', '/received_by': 'Name of who received the goods, if filled in', '/received_on': 'Date of receipt, if filled in', '/customer': 'Who ordered', '/delivery_address': 'Where the goods go'})
    return p.done_with('delivery_note_number dispatch_date order_number order_date customer_reference supplier customer delivery_address lines parcels gross_weight_kg carrier received_by received_on')


def avoir(seed):
    """A French credit note: the customer's window at the right, a reason in a sentence with number and day of the bill, returned goods at positive prices, what is kept for putting back, sums at the left, the firm at the foot alone."""
    p = Caller(seed, 'avoir', 'FR', style='strict', ordinary=True, fonts=COMPACT + ('DejaVuSansCondensed', 'Lato-Regular'), labels=('colon', 'gap'), money=('1 234,56', '1\u00a0234,56', '1234,56'), minus=('front',), dates=('%d/%m/%Y', '%-d %B %Y'), currency=('EUR',)).start()
    p.currency_at, p.asks_currency = '/currency', True
    r, left, end = p.r, 54, p.width - 54
    day, seller, buyer, home, mine = p.some_day(), p.firms[0], p.firms[1], p.home(), p.home()
    p.heading(left, p.y + 10, 'AVOIR', 2.2)
    siren, former = luhn(p.code('4########')[:8]), cents(r, 1200, 9000)
    number = p.code(r.choice(('AV-2025-####', 'A#######', 'AVO25/###')))
    p.facts(left, p.y + 34, [('Numéro', number, '/credit_note_number', None, 'id'), iso(p, '/credit_note_date', day, 'Émis le'), ('Compte client', p.code('411@@@@##'), '/customer/account', None, 'id'), ('Affaire suivie par', p.people[0], None, None, 'name')], 92)
    p.show(320, p.y + 46, buyer, '/customer/name', kind='name')
    p.block(320, p.y + 46 + p.size * 1.4, home, '/customer/address')
    p.y += 122
    bill, back = later(day, -r.randint(12, 60)), later(day, -r.randint(2, 9))
    original = p.code(r.choice(('FA-2025-####', 'F#######', 'FAC25/###')))
    p.flow(end, left, 'Objet : ', (r.choice(('retour de marchandise non conforme', 'reprise de matériel, erreur de commande', 'retour sous garantie')), '/reason', None, 'text'), '. Cet avoir se rapporte à notre facture ', (original, '/original_invoice/number', None, 'id'), ' du ', (p.day(bill), '/original_invoice/date', bill.isoformat(), 'date'), ' ; la marchandise nous est parvenue le ', (p.day(back), '/goods_returned_on', back.isoformat(), 'date'), ' (bon de retour ', (p.code('BR####'), None, None, 'id'), ').')
    p.y += 16
    goods = [('Lave-vaisselle encastrable 12 couverts', 'LVE'), ('Plaque induction 3 foyers', 'PLI'), ('Réfrigérateur combiné 320 L', 'RFC'), ('Hotte inclinée noire', 'HOT'), ('Cave à vin 24 bouteilles', 'CAV'), ('Four à pyrolyse inox', 'FOU'), ('Flexible de raccordement', 'FLX')]
    rows, gross = [], 0.0
    for name, code in r.sample(goods, r.randint(1, 4)):
        n, price = r.randint(1, 6), cents(r, 15, 690)
        own = round(n * price, 2)
        gross = round(gross + own, 2)
        rows.append({'sku': p.code(code + '###'), 'label': name, 'quantity': (str(n), n), 'unit_price': p.cell(price), 'amount': p.cell(own)})
    p.listing('/returned_items', [('sku', 'Réf.', left, False), ('label', 'Article', left + 66, False), ('quantity', 'Qté reprise', left + 312, True), ('unit_price', 'PU HT', left + 396, True), ('amount', 'Montant HT', end, True)], rows, kinds_of(sku='code', label='text', quantity='number', unit_price='amount', amount='amount'), look=r.choice(('plain', 'rule', 'bar')), colour=(0.3, 0.3, 0.35), edge=(left, end), step=1.7)
    p.integers.add('/returned_items/*/quantity')
    kept = round(gross * 0.1, 2) if p.maybe('/restocking_fee', r.random() < 0.6, 'amount') else 0.0
    net = round(gross - kept, 2)
    vat = round(net * 0.2, 2)
    p.y += 16
    p.sums(left, left + 230, [('Total marchandises HT', gross, '/goods_total')] + ([('Frais de remise en stock', -kept, '/restocking_fee')] if kept else []) + [('Base HT', net, '/net_amount'), ('TVA 20 %', vat, '/vat_amount')])
    p.rule(left, left + 230, p.y - p.size)
    p.y += 4
    p.strong(left, left + 230, 'Net à votre crédit', round(net + vat, 2), '/credit_total', 'currency', 1.2)
    p.y += 18
    p.flow(end, left, 'Cette somme sera déduite de votre prochain règlement ou remboursée sur demande sous 30 jours. Solde de votre compte avant avoir : ', (p.in_money(former), None, former, 'amount'), '.')
    lines = [[(seller, '/seller/name', None, 'name'), (mine[0], '/seller/address', ', '.join(mine), 'address'), (mine[1], '/seller/address', None, None)], [('SIREN ' + siren, None, None, 'id'), ('TVA ' + french_vat(siren), '/seller/vat_number', french_vat(siren), 'id'), ('APE 4754Z', None, None, None)]]
    for i, line in enumerate(lines):
        x, y = p.middle(' – '.join(one[0] for one in line), 0.85), p.height - 58 + i * 11
        for n, (text, at, value, kind) in enumerate(line):
            before = ' – ' if n else ''
            if at is None:
                x = p.put(x, y, before + text, size=p.size * 0.85)
            elif text.startswith('TVA '):
                x = p.show(x, y, value, at, kind=kind, before=before + 'TVA ', size=p.size * 0.85)
            else:
                x = p.show(x, y, text, at, value, kind, before=before, size=p.size * 0.85, more=kind is None)
    p.lacks('/refund_iban', 'id')
    p.says.update({'/credit_total': 'Amount credited including VAT, positive', '/restocking_fee': 'Fee kept by the seller, as printed with its sign', '/net_amount': 'Taxable amount after the fee', '/original_invoice': 'The invoice which is corrected', '/reason': 'Reason for the credit', '/seller': 'Who issues the credit note', '/customer/account': 'Account code of the customer'})
    return p.done_with('credit_note_number credit_note_date seller customer original_invoice reason goods_returned_on returned_items goods_total restocking_fee net_amount vat_amount credit_total currency refund_iban')


def analitica(seed):
    """A Spanish report of a laboratory: patient and request in two columns with rules between, results by section with a mark at what is out of range, method in small print below some, who validated it."""
    p = Caller(seed, 'analitica', 'ES', style='strict', ordinary=False, fonts=COMPACT + ('DejaVuSansCondensed',), labels=('colon', 'gap'), money=('1234,56', '1.234,56'), dates=('%d/%m/%Y', '%d-%m-%Y'), currency=('EUR',)).start()
    r, left, end = p.r, 48, p.width - 48
    day, lab = p.some_day(), r.choice(('Laboratorio Turia', 'Análisis Clínicos del Ebro', 'Centro Diagnóstico Alameda'))
    with p.look(True, (0.1, 0.4, 0.45)):
        p.show(left, p.y + 6, lab, '/laboratorio', kind='name', size=p.size * 1.5)
    p.put(end, p.y, ', '.join(p.home()), right=True, size=p.size * 0.85)
    p.put(end, p.y + 11, 'Tel. ' + p.code('9## ### ###') + ' · Registro sanitario ' + p.code('####'), right=True, size=p.size * 0.85)
    p.rule(left, end, p.y + 20)
    p.y += 38
    born = later(day, -r.randint(7000, 30000))
    taken = later(day, -r.randint(1, 5))
    low = p.facts(left, p.y, [('Paciente', p.people[0], '/paciente/nombre', None, 'name'), iso(p, '/paciente/fecha_nacimiento', born, 'F. nac.'), ('Edad', '%d años' % ((day - born).days // 365), None, None, 'text'), ('Sexo', r.choice(('Hombre', 'Mujer')), '/paciente/sexo', None, 'text'), ('NHC', p.code('######'), '/paciente/historia_clinica', None, 'id')], 62)
    p.enums['/paciente/sexo'] = ['Hombre', 'Mujer']
    p.facts(left + 265, p.y, [('Petición', p.code('25######'), '/numero_peticion', None, 'id'), ('Médico', p.people[1], '/medico_solicitante', None, 'name'), iso(p, '/fecha_extraccion', taken, 'Extracción'), iso(p, '/fecha_informe', day, 'Emitido'), ('Entidad', r.choice(('Privado', 'Mutua Levante', 'Asisa')), None, None, 'text')], 72)
    p.rule(left, end, low - 2)
    p.y = low + 20
    sections = [('HEMATOLOGÍA', [('Hemoglobina', 'g/dL', 11.2, 17.4, 12, 16, 1), ('Hematocrito', '%', 34, 50, 36, 47, 1), ('Leucocitos', '10³/µL', 3.1, 12.8, 4, 11, 2), ('Plaquetas', '10³/µL', 120, 460, 150, 400, 0)]),
                ('BIOQUÍMICA', [('Glucosa', 'mg/dL', 64, 138, 70, 110, 0), ('Creatinina', 'mg/dL', 0.5, 1.5, 0.6, 1.2, 2), ('Colesterol total', 'mg/dL', 140, 270, None, 200, 0), ('Triglicéridos', 'mg/dL', 50, 220, None, 150, 0), ('GOT (AST)', 'U/L', 12, 58, 5, 40, 0), ('Ferritina', 'ng/mL', 9, 310, 15, 250, 1)]),
                ('HORMONAS', [('TSH', 'µUI/mL', 0.2, 6.4, 0.4, 4.5, 2), ('Vitamina D (25-OH)', 'ng/mL', 12, 48, 30, None, 1)])]
    rows = []
    for title, tests in sections:
        rows.append(title)
        for name, unit, least, most, a, b, digits in (t for t in tests if r.random() < 0.75):
            v = round(least + (most - least) * r.random(), digits)
            v = int(v) if digits == 0 else v
            range_ = '%s - %s' % (p.number(a, digits), p.number(b, digits)) if a and b else '< %s' % p.number(b, digits) if b else '> %s' % p.number(a, digits)
            flag = 'H' if b and v > b else 'L' if a and v < a else None
            rows.append({'prueba': name, 'resultado': (p.number(v, digits), v), 'marca': flag, 'unidad': unit, 'valores_referencia': range_})
    rows = [row for row, after in zip(rows, rows[1:] + ['']) if not isinstance(row, str) or isinstance(after, dict)]      # no section without a test
    tests = [row for row in rows if isinstance(row, dict)]
    p.listing('/resultados', [('prueba', 'Determinación', left, False), ('marca', '', left + 214, False), ('resultado', 'Resultado', left + 272, True), ('unidad', 'Unidades', left + 292, False), ('valores_referencia', 'Intervalo de referencia', left + 370, False)], rows, kinds_of(prueba='text', resultado='number', unidad='unit', valores_referencia='text', marca='code'), look=r.choice(('grey', 'rule')), edge=(left, end), step=1.65)
    p.enums['/resultados/*/marca'] = ['H', 'L']
    p.optional.add('/resultados/*/marca')
    if not any(row['marca'] for row in tests):
        for i in range(len(tests)):
            p.say_value('/resultados/%d/marca' % i, None)
    p.put(left, p.y, 'H: por encima del intervalo   L: por debajo del intervalo', size=p.size * 0.8)
    p.y += 22
    if p.maybe('/observaciones', seed % 2 == 0, 'text'):
        p.show(left, p.y, r.choice(('Muestra ligeramente hemolizada.', 'Se recomienda repetir en ayunas.', 'Suero lipémico.')), '/observaciones', kind='text', before='Observaciones: ')
        p.mark('/observaciones')
    p.show(end, p.height - 90, p.people[2], '/validado_por', kind='name', right=True, before='Validado por: ')
    p.mark('/validado_por')
    p.put(end, p.height - 78, 'N.º colegiada ' + p.code('46####'), right=True)
    p.put(left, p.height - 50, 'Los resultados se refieren solo a la muestra recibida. Impreso el %s' % p.day(later(day, 1)), size=p.size * 0.8)
    p.lacks('/diagnostico', 'text')
    p.says.update({'/medico_solicitante': 'Médico que pide el análisis', '/fecha_informe': 'Día de emisión del informe', '/resultados/*/marca': 'H o L si está fuera del intervalo', '/numero_peticion': 'Número de la petición'})
    return p.done_with('laboratorio numero_peticion paciente medico_solicitante fecha_extraccion fecha_informe resultados observaciones diagnostico validado_por')


def decyzja(seed):
    """A Polish decision on the tax of a property: office at the upper left, sign and day at the right, who decides and for whom in sentences, a grid of what is taxed, the sum in figures and words, four instalments with their days."""
    p = Caller(seed, 'decyzja', 'PL', style='strict', ordinary=False, fonts=COMPACT[:2] + ('DejaVuSerif', 'LiberationSerif-Regular'), labels=('colon',), money=('1 234,56', '1234,56', '1\u00a0234,56'), dates=('%d.%m.%Y', '%-d %B %Y'), currency=('PLN',)).start()
    p.size = min(p.size, 8.5)
    r, left, end = p.r, 58, p.width - 58
    year = r.choice((2024, 2025, 2026))
    day = p.some_day(year).replace(month=r.randint(1, 2))
    town = r.choice(('Brzeźno', 'Łąkowo', 'Zielona Dolina'))
    p.show(left, p.y, 'Wójt Gminy ' + town, '/organ', kind='name')
    office = p.home()
    p.lines_at(left, p.y + p.size * 1.4, office)
    sign = p.code('FN.3120.###.') + str(year)
    text = '%s, dnia %s r.' % (town, p.day(day))
    p.put(end, p.y, text, right=True)
    x = end - p.wide(text)
    at = text.index(p.day(day))
    p.truth['/data_decyzji'] = [{'page': 1, 'text': p.day(day), 'boxes': p.box(x, p.y, text, at, at + len(p.day(day)), p.size)}]
    p.say_value('/data_decyzji', day.isoformat(), 'date')
    p.show(left, p.y + p.size * 6, sign, '/znak_sprawy', kind='id', before='Znak: ')
    p.mark('/znak_sprawy')
    person, home, spot = p.people[0], p.home(), p.home()
    p.show(340, p.y + p.size * 6, person, '/podatnik/nazwisko_imie', kind='name')
    p.block(340, p.y + p.size * 7.4, home, '/podatnik/adres')
    pesel = p.code('8#0#1######')
    p.show(340, p.y + p.size * 10.2, with_last(pesel[:3] + pesel[3].replace('0', '1') + pesel[4:], (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), 10, -1), '/podatnik/pesel', kind='id', before='PESEL ')
    p.mark('/podatnik/pesel')
    p.y += p.size * 15
    p.heading(p.middle('DECYZJA', 1.5), p.y, 'DECYZJA', 1.5)
    text = 'w sprawie ustalenia wysokości podatku od nieruchomości na rok %d' % year
    p.show(p.middle(text), p.y + 14, str(year), '/rok_podatkowy', year, 'number', before=text[:-4])
    p.integers.add('/rok_podatkowy')
    p.y += 36
    rows, total = [], 0.0
    for name, least, most, rate in (('Grunty pozostałe', 300, 2400, 0.58), ('Budynki mieszkalne', 70, 260, 1.06), ('Budynki pozostałe', 15, 90, 9.1), ('Grunty pod działalność gospodarczą', 50, 400, 1.24), ('Budynki pod działalność gospodarczą', 20, 120, 28.9)):
        if name.endswith('gospodarczą') and r.random() < 0.6:
            continue
        area, rate = r.randint(least * 100, most * 100) / 100, round(rate + r.randint(0, 20) / 100, 2)
        own = round(area * rate, 2)
        total = round(total + own, 2)
        rows.append({'przedmiot': name, 'powierzchnia_m2': p.cell(area), 'stawka': p.cell(rate), 'kwota': p.cell(own)})
    whole = round(total)
    p.flow(end, left, 'Na podstawie art. 21 § 1 pkt 2 ustawy Ordynacja podatkowa oraz uchwały Rady Gminy nr ', (p.code('XLI/###/') + str(year - 1), None, None, 'id'), ' z dnia ', (p.day(later(day, -90)), None, later(day, -90).isoformat(), 'date'), ' r. ustalam podatek od nieruchomości położonej: ', (', '.join(spot), '/polozenie_nieruchomosci', None, 'address'), ', działka nr ', (p.code('###/#'), '/numer_dzialki', None, 'id'), ', księga wieczysta ', (p.code('GD1@/000#####/#'), '/ksiega_wieczysta', None, 'id'), ', w kwocie ', (p.in_money(float(whole)), '/podatek_roczny', float(whole), 'amount'), '.')
    p.y += 14
    p.listing('/podstawa', [('przedmiot', 'Przedmiot opodatkowania', left + 4, False), ('powierzchnia_m2', 'Powierzchnia (m²)', left + 290, True), ('stawka', 'Stawka (zł/m²)', left + 384, True), ('kwota', 'Kwota podatku', end - 4, True)], rows, kinds_of(przedmiot='text', powierzchnia_m2='number', stawka='amount', kwota='amount'), look='lines', edge=(left, end), step=1.7, ruled=True, uprights=(left, left + 200, left + 298, left + 392, end))
    p.put(left + 290, p.y, 'Razem', right=True)
    p.money(end - 4, p.y, total)
    p.y += p.size * 1.5
    p.put(left + 290, p.y, 'Po zaokrągleniu do pełnych złotych', right=True)
    p.again(end - 4, p.y, p.number(float(whole)), '/podatek_roczny', right=True)
    p.y += p.size * 2.6
    p.put(left, p.y, 'Podatek jest płatny w ratach, w następujących kwotach i terminach:')
    p.y += p.size * 1.8
    quarter = whole // 4
    for i, month in enumerate((3, 5, 9, 11)):
        when, own = day.replace(month=month, day=15), float(quarter if i else whole - 3 * quarter)
        p.put(left + 12, p.y, ('I', 'II', 'III', 'IV')[i] + ' rata')
        p.show(left + 60, p.y, p.in_money(own), '/raty/%d/kwota' % i, own, 'amount')
        p.date(left + 130, p.y, when, '/raty/%d/termin' % i, before='do dnia ')
        p.y += p.size * 1.5
    p.y += 10
    account = iban_of('PL', p.code('8355####' + '#' * 16))[2:]
    account = ' '.join([account[:2]] + [account[i:i + 4] for i in range(2, 26, 4)])
    p.flow(end, left, 'Wpłat należy dokonywać na indywidualny rachunek bankowy nr ', (account, '/rachunek_bankowy', None, 'id'), ' lub w kasie urzędu. W razie zwłoki pobiera się odsetki oraz koszty upomnienia 16,00 zł.')
    p.y += 10
    p.heading(left, p.y, 'Pouczenie')
    p.y += p.size * 1.6
    p.flow(end, left, 'Od decyzji służy odwołanie do Samorządowego Kolegium Odwoławczego w terminie 14 dni od dnia doręczenia. Wniesienie odwołania nie wstrzymuje wykonania decyzji.')
    p.put(end - 60, p.y + 30, 'z up. Wójta', right=True)
    p.show(end, p.y + 44, p.people[1], '/podpisal', kind='name', right=True)
    p.put(end, p.y + 56, 'Kierownik Referatu Finansów', right=True)
    p.lacks('/zwolnienie', 'amount')
    p.titles.update({'/podpisal': 'Kto podpisał decyzję', '/podatek_roczny': 'Podatek na cały rok, w złotych', '/organ': 'Organ podatkowy', '/zwolnienie': 'Kwota zwolnienia, jeśli jest'})
    return p.done_with('organ znak_sprawy data_decyzji rok_podatkowy podatnik polozenie_nieruchomosci numer_dzialki ksiega_wieczysta podstawa zwolnienie podatek_roczny raty rachunek_bankowy podpisal')


KINDS = {'w2': w2, 'airwaybill': airwaybill, 'overdue': overdue, 'repairorder': repairorder, 'proration': proration, 'saldo': saldo, 'quittung': quittung, 'timologio': timologio,
         'vyuctovani': vyuctovani, 'arvode': arvode, 'encomenda': encomenda, 'ceki': ceki, 'lahete': lahete, 'avoir': avoir, 'analitica': analitica, 'decyzja': decyzja}
NOT_SCANNED = 'timologio',     # no model of Tesseract's on every machine reads Greek
