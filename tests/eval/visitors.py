"""Visitors: papers for measuring, drawn like the guests (guests.py) by somebody who has seen no rule of the reader.

Eighteen layouts of ten languages: bills of India, Quebec, Mexico, Brazil, Japan, Hungary and Romania among those of nearer countries, and papers that are no
bills: a remittance advice, a certificate of calibration, an expense claim, an insurer's account of treatments.
"""
import datetime

from arrivals import COMPACT, PALE, Arrival
from guests import Guest
from newcomers import iso, later
from papers import iban_of
from strangers import MONTH_NAMES, SIGNS, cents, kinds_of, luhn, partita_iva, spanish_account, spanish_cif, weighed

MONTH_NAMES.setdefault('hu', 'január február március április május június július augusztus szeptember október november december'.split())
MONTH_NAMES.setdefault('ro', 'ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie'.split())
for currency, sign in (('INR', 'Rs.'), ('CAD', '$'), ('MXN', '$'), ('BRL', 'R$'), ('JPY', '¥'), ('DKK', 'kr.'), ('HUF', 'Ft'), ('RON', 'lei')):
    SIGNS.setdefault(currency, sign)
FRONT = {'INR': 'Rs. %s', 'MXN': '$%s', 'BRL': 'R$ %s', 'JPY': '¥%s'}
# Of each country: streets, towns (code and city; # a digit), people and firms.
WHERE = {
    'GB': ('Cotton Street;Harbour Way;Priory Road;Saltmarsh Lane', 'M# 4WX|Manchester;BS# 6TF|Bristol;NR# 1DB|Norwich;SA# 8QG|Swansea', 'Hugh Langstaff;Priya Nair;Carys Bevan;Duncan Orr',
           'Langstaff Fasteners Ltd;Bevan Cold Store Ltd;Orr & Nair Consulting LLP;Trident Valve Services Ltd'),
    'US': ('Cottonwood Drive;S Federal Blvd;Airport Road;Prospect Street', '802##|Denver, CO;333##|Miami, FL;891##|Las Vegas, NV;046##|Bangor, ME', 'Rebecca Lindqvist;Terrence Boyd;Marisol Vega;Ethan Kaplan', 'Kaplan Media Group;Vega Orthotics Inc.'),
    'IN': ('MG Road;Station Road;Nehru Nagar;Ring Road', '5600##|Bengaluru;4110##|Pune;6000##|Chennai;3800##|Ahmedabad', 'Rajesh Iyer;Sunita Deshmukh;Arjun Menon', 'Deshmukh Hardware & Tools;Sri Lakshmi Traders;Menon Polymers Pvt. Ltd.;Kaveri Packaging Industries;Shree Ganesh Electricals'),
    'CA': ('rue Saint-Denis;chemin Sainte-Foy;boulevard Laurier;avenue du Parc', 'H2X 3K#|Montréal (Québec);G1V 2L#|Québec (Québec);J1H 4Z#|Sherbrooke (Québec);J8X 1V#|Gatineau (Québec)', 'Maxime Tremblay;Geneviève Bouchard;Olivier Gagnon', 'Déneigement Tremblay inc.;Boulangerie Le Fournil inc.;Gagnon Informatique ltée;Clinique vétérinaire Bouchard'),
    'MX': ('Av. Insurgentes Sur;Calle Morelos;Blvd. Díaz Ordaz;Calle 5 de Mayo', '03100|Ciudad de México;64000|Monterrey, Nuevo León;44100|Guadalajara, Jalisco;72000|Puebla, Puebla', 'Guadalupe Hernández Ríos;Jorge Luis Cantú;Mariana Olvera', 'FERRETERA DEL NORTE;DISTRIBUIDORA OLVERA;SERVICIOS INDUSTRIALES CANTU;PAPELERIA Y COPIAS RIOS'),
    'BR': ('Rua das Laranjeiras;Avenida Paulista;Rua Sete de Setembro;Avenida Ipiranga', '01310-###|São Paulo - SP;22240-###|Rio de Janeiro - RJ;30130-###|Belo Horizonte - MG;90160-###|Porto Alegre - RS', 'Fernanda Oliveira;Thiago Carvalho;Luciana Barros', 'CARVALHO TECNOLOGIA LTDA;BARROS E OLIVEIRA ADVOGADOS;CLINICA ODONTO SORRISO LTDA;STUDIO MOVIMENTO EIRELI;AGENCIA PRISMA COMUNICACAO LTDA'),
    'JP': ('Minami-Aoyama;Nishi-Shinjuku;Honcho;Sakaemachi', '107-00##|Minato-ku, Tokyo;160-00##|Shinjuku-ku, Tokyo;541-00##|Chuo-ku, Osaka;810-00##|Chuo-ku, Fukuoka', 'Kenji Morita;Yuki Tanabe;Aiko Shimizu', 'Morita Seiki Co., Ltd.;Tanabe Translation Office;Shimizu Foods K.K.;Hokuto Trading Co., Ltd.'),
    'DE': ('Rosenstraße;Am Güterbahnhof;Hohe Straße;Ulmenweg', '440##|Dortmund;990##|Erfurt;240##|Kiel;860##|Augsburg', 'Henning Sievers;Martina Voss;Cem Yilmaz;Beate Lorenz', 'Sievers Dachbau GmbH;Voss Elektrotechnik GmbH & Co. KG;Lorenz Fliesen und Estrich GmbH;Yilmaz Trockenbau GmbH'),
    'FR': ('rue des Tanneurs;avenue Jean Jaurès;impasse du Lavoir;quai de Saône', '690##|Lyon;340##|Montpellier;760##|Rouen;380##|Grenoble', 'Camille Perrin;Yann Le Goff;Sabrina Haddad;Bertrand Mercier', 'Mercier Paysages SARL;Le Goff Habitat SAS;Librairie Perrin'),
    'ES': ('Calle Colón;Avenida de Portugal;Calle San Bernardo;Plaza Mayor', '150##|Lugo;180##|Granada;260##|Logroño;370##|Salamanca', 'Nuria Salgado Pons;Óscar Rubio Marín;Teresa Cano Díaz', 'Salgado Perfumería S.L.;Distribuciones Rubio S.A.;Bodegas Cano S.L.'),
    'IT': ('Via Verdi;Via Dante;Viale Trento;Via dei Mulini', '410##|Modena;061##|Perugia;371##|Verona;571##|Livorno', 'Federica Sartori;Antonio De Luca;Paola Bianchi;Simone Greco', 'Sartori Infissi S.r.l.;Greco Alimentari S.r.l.'),
    'DK': ('Vestergade;Havnevej;Nørrebrogade;Skovvej', '8000|Aarhus C;5000|Odense C;9000|Aalborg;2200|København N', 'Mette Kjær;Søren Østergaard;Line Holm', 'Østergaard VVS ApS;Kjær & Co. Revision;Holm Haveservice ApS;Nordhavn Tømrer A/S'),
    'NL': ('Lijsterlaan;Stationsweg;De Dreef;Oranjestraat', '80## KL|Zwolle;33## BX|Dordrecht;73## RT|Apeldoorn;20## MA|Haarlem', 'Marijke van Leeuwen;Bas Dijkstra;Fatima El Idrissi;Koen Jansen', 'Fysio Dijkstra;Tandartspraktijk De Dreef'),
    'HU': ('Petőfi Sándor utca;Kossuth Lajos tér;Rákóczi út;Ősz utca', '1075|Budapest;6720|Szeged;4024|Debrecen;9021|Győr', 'Kovács Eszter;Szűcs Gábor;Tóth Zsófia', 'Szűcs Építőipari Kft.;Tóth és Társa Bt.;Napfény Könyvelő Kft.;Duna Irodaszer Zrt.;Kovács Asztalos Kft.'),
    'RO': ('Str. Mihai Eminescu;Bd. Unirii;Str. Avram Iancu;Calea Victoriei', '400###|Cluj-Napoca;030###|București;300###|Timișoara;700###|Iași', 'Andreea Popescu;Mihai Dumitrescu;Ștefan Țîrlea', 'DUMITRESCU CONSTRUCT SRL;POPESCU & ASOCIAȚII SRL;AGRO BĂRĂGAN SA;TIPOGRAFIA ȚÎRLEA SRL;CASA VERDE IMPEX SRL'),
}
TONGUES = {'GB': 'en', 'US': 'en', 'IN': 'en', 'JP': 'en', 'CA': 'fr', 'MX': 'es', 'BR': 'pt', 'DK': 'da'}


class Visitor(Guest):
    """A Guest of the towns above; `whole`: its money has no parts."""

    def __init__(self, seed, kind, land, whole=False, **more):
        Arrival.__init__(self, seed, kind, 'US' if land in ('US', 'CA', 'MX') else 'GB', **more)
        self.land, self.tongue, self.whole = land, TONGUES.get(land, land.lower()), whole
        self.people, self.firms = (self.r.sample(names, len(names)) for names in (WHERE[land][i].split(';') for i in (2, 3)))

    def home(self):
        street, town = (self.r.choice(text.split(';')) for text in WHERE[self.land][:2])
        number, (code, city) = self.r.randint(1, 160), town.split('|')
        front = '%d, %s' if self.land in ('IN', 'CA') else '%d %s'
        return [front % (number, street) if self.land in ('GB', 'US', 'FR', 'IN', 'CA') else '%s, %d' % (street, number) if self.land in ('IT', 'ES', 'BR') else '%s %s %d' % (street, 'nr.', number) if self.land == 'RO' else '%s %d' % (street, number), self.code(code), city]

    def number(self, value, digits=2):
        text = super().number(value, 0 if self.whole and digits == 2 else digits)
        if self.currency != 'INR' or abs(value) < 100000 or digits != 2:
            return text
        whole, part = text.replace(',', '').lstrip('-').split('.')
        groups = [whole[-3:]]
        whole = whole[:-3]
        while whole:
            groups.insert(0, whole[-2:])
            whole = whole[:-2]
        return self.signed(','.join(groups) + '.' + part, value)

    def in_money(self, value):
        way = FRONT.get(self.currency)
        return self.signed(way % self.number(abs(value)), value) if way else super().in_money(value)

    def total(self, x, right, label, value, at, size=1.0):
        """The sum to pay with the sign of its currency."""
        self.strong(x, right, label, value, at, 'currency', size)


def in_words(n):
    """As India writes it."""
    ones = 'Zero One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen'.split()
    tens = ' . Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety'.split(' ')
    for size, name in ((10000000, 'Crore'), (100000, 'Lakh'), (1000, 'Thousand'), (100, 'Hundred')):
        if n >= size:
            return '%s %s%s' % (in_words(n // size), name, ' ' + in_words(n % size) if n % size else '')
    return ones[n] if n < 20 else tens[n // 10] + (' ' + ones[n % 10] if n % 10 else '')


def uuid(p):
    return ''.join(p.r.choice('0123456789ABCDEF') if c == '#' else c for c in '########-####-4###-A###-############')


def with_gst_check(text):
    """Of an Indian firm, with its last sign."""
    signs, total = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', 0
    for i, c in enumerate(text):
        product = signs.index(c) * (i % 2 + 1)
        total += product // 36 + product % 36
    return text + signs[-total % 36]


def japanese_id(p):
    digits = p.code('#' * 12)
    return 'T%d%s' % (9 - sum(int(d) * (i % 2 + 1) for i, d in enumerate(reversed(digits))) % 9, digits)


def romanian_id(p):
    digits = p.code('1######')
    return 'RO%s%d' % (digits, sum(int(d) * w for d, w in zip(digits, (3, 2, 1, 7, 5, 3, 2))) * 10 % 11 % 10)


def codice_fiscale(text):
    odd = 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23
    place = lambda c: int(c) if c.isdigit() else ord(c) - 65
    return text + chr(65 + sum(odd[place(c)] if i % 2 == 0 else place(c) for i, c in enumerate(text)) % 26)


def cpf(p):
    digits = p.code('#########')
    for _ in range(2):
        rest = sum(int(d) * w for d, w in zip(reversed(digits), range(2, 12))) % 11
        digits += str(0 if rest < 2 else 11 - rest)
    return '%s.%s.%s-%s' % (digits[:3], digits[3:6], digits[6:9], digits[9:])


def cnpj(p):
    digits = p.code('########') + '0001'
    for weights in ((5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2), (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)):
        rest = sum(int(d) * w for d, w in zip(digits, weights)) % 11
        digits += str(0 if rest < 2 else 11 - rest)
    return '%s.%s.%s/%s-%s' % (digits[:2], digits[2:5], digits[5:8], digits[8:12], digits[12:])


# -- English

def gstbill(seed):
    """A bill of an Indian book-keeping program: one ruled frame, the firm at the left, facts in cells at the right, taxes as lines below the goods, the sum in words, a second table by HSN."""
    p = Visitor(seed, 'gstbill', 'IN', style='classes', ordinary=False, fonts=COMPACT[:2], labels=('above',), money=('1,234.56',), dates=('%-d-%b-%y', '%d-%b-%Y', '%d/%m/%Y'), currency=('INR',)).start()
    r, left, end = p.r, 40, p.width - 40
    middle = 305
    text = r.choice(('TAX INVOICE', 'Tax Invoice'))
    p.heading(p.middle(text, 1.3), p.y, text, 1.3)
    p.put(end, p.y, '(ORIGINAL FOR RECIPIENT)', right=True, size=p.size * 0.8)
    p.y += 8
    top, day = p.y, p.some_day()
    state = {'Bengaluru': ('Karnataka', '29'), 'Pune': ('Maharashtra', '27'), 'Chennai': ('Tamil Nadu', '33'), 'Ahmedabad': ('Gujarat', '24')}
    mine, theirs = p.home(), p.home()
    inside = state[mine[2]] == state[theirs[2]]
    gstin = lambda home: with_gst_check(p.code(state[home[2]][1] + '@@@@@####@1Z'))
    for y, home, firm, at, title in ((top, mine, p.firms[0], '/seller', None), (top + 88, theirs, p.firms[1], '/buyer', 'Buyer (Bill to)')):
        p.frame(left, y, middle - left, 88)
        y += 12
        if title:
            p.put(left + 4, y - 1, title, size=p.size * 0.85)
            y += p.size * 1.3
        with p.look(True):
            p.show(left + 4, y, firm, at + '/name', kind='name', size=p.size * 1.1)
        y = p.block(left + 4, y + p.size * 1.4, [home[0], '%s - %s' % (home[2], home[1])], at + '/address')
        p.show(left + 4, y, gstin(home), at + '/gstin', kind='id', before='GSTIN/UIN: ')
        p.show(left + 4, y + p.size * 1.3, state[home[2]][0], at + '/state', kind='text', before='State Name : ', after=', Code : ' + state[home[2]][1])
        p.mark(at + '/gstin', at + '/state')
    half, high = (end - middle) / 2, 176 / 5
    number = p.code(r.choice(('###/25-26', 'KP/25-26/####', 'GST-####')))
    order = r.random() < 0.6
    when = later(day, -r.randint(3, 30))
    cells = [('Invoice No.', number, '/invoiceNo', None, 'id'), ('Dated', p.day(day), '/invoiceDate', day.isoformat(), 'date'),
             ('Delivery Note', '', '/deliveryNote', None, 'id'), ('Mode/Terms of Payment', r.choice(('30 Days', 'Immediate', '45 Days')), '/paymentTerms', None, 'text'),
             ("Buyer's Order No.", p.code('PO-####') if order else '', '/buyerOrderNo', None, 'id'), ('Dated', p.day(when) if order else '', '/buyerOrderDate', when.isoformat(), 'date'),
             ('Dispatched through', r.choice(('VRL Logistics', 'Own vehicle', 'Blue Dart')), '/dispatchedThrough', None, 'text'), ('Destination', theirs[2], '/destination', None, 'text'),
             ('Terms of Delivery', '', None, None, 'text'), ('Motor Vehicle No.', '', '/vehicleNo', None, 'id')]
    for i, (label, text, at, value, kind) in enumerate(cells):
        x, y = p.box_of(middle + i % 2 * half, top + i // 2 * high, half, high, label)
        if text:
            p.show(x, y + 3, text, at, value, kind)
            p.mark(at)
        elif at:
            p.lacks(at, kind)
    p.optional.update(('/buyerOrderNo', '/buyerOrderDate'))
    p.y = top + 176 + 14
    goods = [('Stainless Steel Hinge 4"', '8302', 'Nos'), ('PVC Conduit Pipe 25mm', '3917', 'Mtr'), ('LED Panel Light 18W', '9405', 'Nos'), ('Corrugated Box 5 Ply', '4819', 'Pcs'), ('Copper Wire 2.5 sq mm', '8544', 'Coil'), ('Masking Tape 48mm', '4811', 'Roll'), ('Wall Putty 20 Kg', '3214', 'Bag')]
    rows, by_code, taxable = [], {}, 0.0
    for i, (name, code, unit) in enumerate(r.sample(goods, r.randint(2, 6))):
        n, rate = r.randint(2, 120), cents(r, 12, 2400)
        own = round(n * rate, 2)
        taxable = round(taxable + own, 2)
        by_code[code] = own
        rows.append({'_n': str(i + 1), 'description': name, 'hsn': code, 'quantity': ('%d %s' % (n, unit), n), 'rate': p.cell(rate), 'per': unit, 'amount': p.cell(own)})
    p.listing('/items', [('_n', 'Sl', left + 4, False), ('description', 'Description of Goods', left + 22, False), ('hsn', 'HSN/SAC', 240, False), ('quantity', 'Quantity', 355, True), ('rate', 'Rate', 430, True), ('per', 'per', 440, False), ('amount', 'Amount', end - 4, True)],
              rows, kinds_of(hsn='code', quantity='number', rate='amount', amount='amount', per='unit'), look='rule', edge=(left, end), step=1.7)
    p.types['/items/*/quantity'] = 'number'
    p.rule(450, end, p.y - p.size * 1.3)
    p.money(end - 4, p.y, taxable, '/taxableValue')
    p.y += p.size * 1.7
    tax = round(taxable * (0.09 if inside else 0.18), 2)
    for name, at in ((('Output CGST @ 9%', '/cgst'), ('Output SGST @ 9%', '/sgst')) if inside else (('Output IGST @ 18%', '/igst'),)):
        with p.look(True):
            p.put(230, p.y, name, right=True)
            p.money(end - 4, p.y, tax, at)
        p.mark(at)
        p.y += p.size * 1.5
    for at in (('/igst',) if inside else ('/cgst', '/sgst')):
        p.lacks(at, 'amount')
    p.optional.update(('/cgst', '/sgst', '/igst'))
    exact = round(taxable + tax * (2 if inside else 1), 2)
    total = float(round(exact))
    if p.maybe('/roundOff', exact != total, 'amount'):
        p.put(230, p.y, 'Round Off', right=True)
        p.money(end - 4, p.y, round(total - exact, 2), '/roundOff')
        p.mark('/roundOff')
        p.y += p.size * 1.7
    p.rule(left, end, p.y - p.size * 1.1)
    p.put(230, p.y, 'Total', right=True)
    with p.look(True):
        p.money(end - 4, p.y, total, '/total', True)
    p.mark('/total')
    p.rule(left, end, p.y + p.size * 0.5)
    p.frame(left, top + 176, end - left, p.y + p.size * 0.5 - top - 176)
    p.y += p.size * 1.9
    p.put(left + 4, p.y, 'Amount Chargeable (in words)', size=p.size * 0.85)
    p.put(end - 4, p.y, 'E. & O.E', right=True, size=p.size * 0.85)
    p.y += p.size * 1.4
    with p.look(True):
        text = in_words(int(total)) + ' Only'
        p.show(left + 4, p.y, 'INR', '/currency', kind='currency', after=' ' + text)
    p.y += p.size * 2.4
    x = (left + 4, 250, 320, 400, end - 4)
    p.listing('/hsnSummary', [('hsn', 'HSN/SAC', x[0], False), ('taxableValue', 'Taxable\nValue', x[1], True), ('rate', 'Tax\nRate', x[2], True), ('taxAmount', 'Total\nTax Amount', end - 4, True)],
              [{'hsn': c, 'taxableValue': p.cell(v), 'rate': ('18%', 18), 'taxAmount': p.cell(round(v * 0.18, 2))} for c, v in by_code.items()], kinds_of(hsn='code', taxableValue='amount', rate='rate', taxAmount='amount'), look='lines', edge=(left, end), step=1.5)
    p.y += 6
    bank, account, ifsc = r.choice(('HDFC Bank', 'State Bank of India', 'Canara Bank')), p.code('50200#########'), p.code('@@@@0######')
    p.heading(middle, p.y, "Company's Bank Details")
    p.y += p.size * 1.4
    for label, text, at, kind in (('Bank Name', bank, '/bank/name', 'name'), ('A/c No.', account, '/bank/accountNo', 'id'), ('Branch & IFS Code', ifsc, '/bank/ifsc', 'id')):
        p.put(middle, p.y, label)
        p.show(middle + 80, p.y, text, at, kind=kind, before=': ')
        p.mark(at)
        p.y += p.size * 1.35
    p.prose(left + 4, p.y - p.size * 4, ['Declaration', 'We declare that this invoice shows the actual', 'price of the goods described and that all', 'particulars are true and correct.'], 1.25, 0.85)
    p.y += p.size * 2
    p.put(end - 4, p.y, 'for ' + p.firms[0], right=True)
    p.put(end - 4, p.y + 34, 'Authorised Signatory', right=True)
    text = 'This is a Computer Generated Invoice'
    p.put(p.middle(text), p.y + 54, text)
    p.needed.update(('/invoiceNo', '/invoiceDate', '/total'))
    return p.done_with('invoiceNo invoiceDate deliveryNote paymentTerms buyerOrderNo buyerOrderDate dispatchedThrough destination vehicleNo seller buyer items taxableValue cgst sgst igst roundOff total currency hsnSummary bank')


def qualified(seed):
    """A Japanese firm's qualified invoice in English: title in the middle, the addressee with a line below, the sum in a box above the goods, tax by two rates, a mark at the reduced one, no yen parts."""
    p = Visitor(seed, 'qualified', 'JP', whole=True, style='strict', ordinary=False, fonts=COMPACT, labels=('gap', 'colon'), money=('1,234.56',), dates=('%Y/%m/%d', '%B %-d, %Y', '%Y-%m-%d'), currency=('JPY',)).start()
    r, left, end = p.r, 54, p.width - 54
    title = r.choice(('INVOICE', 'Qualified Invoice'))
    p.heading(p.middle(title, 1.9), p.y + 6, title, 1.9)
    p.rule(left, end, p.y + 14)
    p.y += 44
    day = p.some_day()
    buyer = r.choice(('Nordwind Instruments GmbH', 'Pacific Rim Coffee LLC', 'Sagan Robotics Inc.', 'Ashford Tea Company'))
    p.show(left, p.y, buyer, '/customer', kind='name', size=p.size * 1.25)
    p.rule(left, left + 210, p.y + 5)
    p.put(left, p.y + p.size * 2, 'Attn: Accounts Payable')
    y, home = p.y, p.home()
    number = p.code(r.choice(('2025-####', 'INV25####', 'M-#####')))
    x = 345
    for label, text, at, value, kind in (('Invoice No.', number, '/invoice_no', None, 'id'), iso(p, '/issue_date', day, 'Date of issue')):
        p.field(x, y, label, text, at, value, kind, 76)
        y += p.size * 1.5
    y += p.size
    p.show(x, y, p.firms[0], '/issuer/name', kind='name')
    y = p.block(x, y + p.size * 1.4, [home[0], '%s %s' % (home[2], home[1]), 'Japan'], '/issuer/address')
    p.show(x, y, japanese_id(p), '/issuer/registration_number', kind='id', before='Registration No. ')
    p.mark('/issuer/registration_number')
    p.put(x, y + p.size * 1.35, 'TEL ' + p.code('03-####-####'))
    goods = [(['Translation of user manual', 'Japanese to English, 118 pages'], 10), ('Proofreading, 42 pages', 10), ('Green tea gift set', 8), ('Sample bento, tasting event', 8), ('Spindle bearing unit', 10), (['On-site adjustment', 'incl. travel Tokyo - Osaka'], 10), ('Mineral water 24 x 500 ml', 8), ('Export packing', 10)]
    rows, base = [], {}
    for name, rate in r.sample(goods, r.randint(3, 7)):
        n, price = r.choice((1, 1, 2, 3, 10, 24)), r.randint(4, 900) * 50
        base[rate] = base.get(rate, 0) + n * price
        rows.append({'item': (name + ' *', name) if rate == 8 else (name, None), 'qty': p.cell(n, 0), 'unit_price': p.cell(price), 'amount': p.cell(n * price)})
    taxes = {rate: v * rate // 100 for rate, v in base.items()}
    total = sum(base.values()) + sum(taxes.values())
    p.y = y + p.size * 4
    p.put(left, p.y - 26, 'Subject: ' + r.choice(('Services and goods, ', 'Your order, ')) + p.day(day, '%B %Y'))
    p.frame(left, p.y - 12, 250, 30)
    p.heading(left + 8, p.y + 7, 'Total amount due', 1.1)
    text = p.in_money(total)
    with p.look(True):
        x = left + 242 - p.wide(text, p.size * 1.5)
        p.show(x, p.y + 8, text, '/total_due', total, 'amount', size=p.size * 1.5)
        p.see_currency(x, p.y + 8, text, p.size * 1.5)
    p.mark('/total_due')
    p.put(left + 258, p.y + 7, '(tax included)')
    p.y += 50
    p.listing('/lines', [('item', 'Description', left, False), ('qty', 'Qty', 330, True), ('unit_price', 'Unit price', 425, True), ('amount', 'Amount (JPY)', end, True)], rows, kinds_of(unit_price='amount', amount='amount', qty='number'), look=r.choice(('grey', 'lines')), edge=(left, end), step=1.9, ruled=True)
    p.y += 4
    p.sums(330, end, [('Subtotal', sum(base.values()), '/subtotal'), ('Consumption tax', sum(taxes.values()), '/consumption_tax')])
    p.strong(330, end, 'Total', total, None)
    p.y += 10
    for rate, at in ((10, 'standard'), (8, 'reduced')):
        if rate in base:
            p.put(330, p.y, 'Subject to %d%%' % rate)
            p.money(end - 90, p.y, base[rate], '/tax_%s/taxable' % at)
            p.put(end - 80, p.y, 'Tax')
            p.money(end, p.y, taxes[rate], '/tax_%s/tax' % at)
            p.mark('/tax_%s/taxable' % at)
            p.y += p.size * 1.5
        else:
            p.lacks('/tax_%s/taxable' % at, 'amount')
            p.lacks('/tax_%s/tax' % at, 'amount')
    if 8 in base:
        p.put(330, p.y, '* item at the reduced tax rate (8%)', size=p.size * 0.85)
    p.y += p.size * 3
    p.heading(left, p.y, 'Bank details')
    p.y += p.size * 1.5
    bank = r.choice(('MUFG Bank, Ltd.', 'Mizuho Bank, Ltd.', 'Sumitomo Mitsui Banking Corp.'))
    due = later(day.replace(day=1), 62)
    due = later(due.replace(day=1), -1)
    x = p.show(left, p.y, bank, '/bank/name', kind='name', after=', ')
    p.show(x, p.y, p.code('Aoyama Branch (###)'), '/bank/branch', kind='text')
    p.y += p.size * 1.4
    p.show(left, p.y, p.code('#######'), '/bank/account_no', kind='id', before='Ordinary account ')
    p.put(left, p.y + p.size * 1.4, 'Bank charges are to be borne by the customer.')
    p.y += p.size * 4
    p.date(left, p.y, due, '/payment_due', before='Payment due: ')
    p.mark('/payment_due')
    p.lacks('/purchase_order', 'id')
    p.says['/lines/*/item'] = 'Without the mark of the reduced rate'
    return p.done_with('invoice_no issue_date payment_due customer purchase_order issuer lines subtotal consumption_tax tax_standard tax_reduced total_due currency bank')


def rental(seed):
    """A car hire's closed agreement: labels in small capitals over their values, vehicle and mileage in a panel, charges with rate and units, taxes and fees as rows, what the card was charged."""
    p = Visitor(seed, 'rental', 'US', style='classes', ordinary=False, fonts=COMPACT + ('OpenSans-Regular',), labels=('above',), minus=('front', 'brackets'), dates=('%m/%d/%Y', '%b %-d, %Y', '%d-%b-%Y'), currency=('USD',)).start()
    r, left, end = p.r, 44, p.width - 44
    brand, colour = r.choice((('Meridian Rent-A-Car', (0.0, 0.35, 0.2)), ('Skyway Car Rental', (0.75, 0.1, 0.1)), ('GoFar Rentals', (0.1, 0.2, 0.55))))
    p.fill(0, 0, p.width, 46, colour)
    with p.look(True, (1, 1, 1)):
        p.show(left, 29, brand, '/rentalCompany', kind='name', size=p.size * 1.9)
    p.heading(end, 28, 'RENTAL RECEIPT', 1.1, right=True, colour=(1, 1, 1))
    p.y = 76
    agreement, res = p.code(r.choice(('#########', 'RA ########', '@@#######'))), p.code('########US#')
    out = p.some_day()
    days = r.randint(2, 9)
    back = later(out, days)
    person = p.people[0]
    clock = lambda: '%d:%02d %s' % (r.randint(1, 12), r.choice((0, 12, 27, 45)), r.choice(('AM', 'PM')))
    p.across(p.y, [(left, 'RENTAL AGREEMENT #', agreement, '/agreementNumber', None, 'id'), (left + 150, 'RESERVATION #', res, '/reservationNumber', None, 'id'), (left + 300, 'RENTER', person, '/renterName', None, 'name'), (left + 430, 'INVOICE DATE', p.day(back), '/invoiceDate', back.isoformat(), 'date')])
    p.y += 20
    high = 92
    p.fill(left, p.y, end - left, high, PALE)
    y = p.y + 22
    places = r.sample(('Denver Intl Airport', 'Miami Downtown', 'Las Vegas Airport', 'Portland Jetport', 'Burlington'), 2)
    if r.random() < 0.6:
        places[1] = places[0]
    for x, label, day, place, at in ((left + 10, 'PICKUP', out, places[0], '/pickup'), (left + 190, 'RETURN', back, places[1], '/return')):
        p.heading(x, y, label)
        p.show(x, y + p.size * 1.5, place, at + '/location', kind='text')
        p.date(x, y + p.size * 3, day, at + '/date', after='  ' + clock())
    car, plate = r.choice(('Toyota Corolla', 'Nissan Rogue', 'Ford Escape', 'Chevrolet Malibu')), p.code('@@@-####')
    miles_out = r.randint(4000, 48000)
    miles = r.randint(60, 1900)
    x = left + 360
    p.heading(x, y, 'VEHICLE')
    p.show(x, y + p.size * 1.5, car, '/vehicle/model', kind='text')
    p.show(x, y + p.size * 3, plate, '/vehicle/licensePlate', kind='id', before='Plate ')
    for i, (label, v, at) in enumerate((('Miles out', miles_out, '/vehicle/odometerOut'), ('Miles in', miles_out + miles, '/vehicle/odometerIn'), ('Miles driven', miles, '/vehicle/milesDriven'))):
        xx = left + 10 + i * 120
        xx = p.put(xx, p.y + high - 10, label + '  ')
        p.show(xx, p.y + high - 10, p.number(v, 0), at, v, 'number')
        p.integers.add(at)
        p.mark(at)
    p.y += high + 26
    rate = cents(r, 29, 95)
    rows = [('Time & Mileage', '%d days' % days, rate, round(days * rate, 2))]
    for name, each in (('Loss Damage Waiver', 24.99), ('Additional Driver', 13.0), ('Child Seat', 11.5)):
        if r.random() < 0.5:
            rows.append((name, '%d days' % days, each, round(days * each, 2)))
    if r.random() < 0.5:
        rows.append(('Fuel Service', '%.1f gal' % 6.4, 8.99, 57.54))
    if r.random() < 0.4:
        rows.append(('Member Discount', None, None, -round(days * rate * 0.1, 2)))
    sub = round(sum(v for *_, v in rows), 2)
    rows += [('Airport Concession Fee 11.11%', None, None, round(sub * 0.1111, 2)), ('Vehicle License Recovery Fee', '%d days' % days, 1.85, round(days * 1.85, 2))]
    taxed = round(sum(v for *_, v in rows), 2)
    tax = round(taxed * 0.0825, 2)
    p.listing('/charges', [('description', 'CHARGES', left, False), ('units', 'UNITS', 330, True), ('rate', 'RATE', 430, True), ('amount', 'AMOUNT', end, True)],
              [{'description': a, 'units': b, 'rate': p.cash(c) if c else None, 'amount': p.cash(d)} for a, b, c, d in rows], kinds_of(rate='amount', amount='amount', units='text'), look='rule', edge=(left, end), step=1.7, ruled=seed % 2 == 0)
    p.optional.update(('/charges/*/units', '/charges/*/rate'))
    p.sums(330, end, [('Subtotal', taxed, '/subtotal'), ('Sales Tax 8.25%', tax, '/salesTax')], True)
    total = round(taxed + tax, 2)
    p.total(330, end, 'TOTAL CHARGES', total, '/totalCharges', 1.15)
    deposit = float(r.choice((200, 300)))
    p.y += 6
    if seed % 2:
        p.put(330, p.y, 'Authorization hold (released)')
        p.money(end, p.y, deposit, None, True)
        p.y += p.size * 1.5
    x = p.put(330, p.y, 'Paid by ')
    x = p.show(x, p.y, r.choice(('VISA', 'MASTERCARD', 'AMEX')), '/cardType', kind='text', after=' ending ')
    p.show(x, p.y, p.code('####'), '/cardLastFour', kind='code')
    p.money(end, p.y, -total, '/amountPaid', True)
    p.mark('/cardType', '/amountPaid')
    p.y += p.size * 1.6
    p.put(330, p.y, 'Balance due')
    p.money(end, p.y, 0.0, '/balanceDue', True)
    p.mark('/balanceDue')
    p.y += 46
    p.prose(left, p.y, ['Vehicle returned with ' + r.choice(('full tank', '7/8 tank', '1/4 tank')) + '. No damage reported at return.', 'Tolls and traffic violations may be charged later with an administrative fee of $9.99 each.', 'Questions? Please have your rental agreement number ready and visit our website.'], size=0.9)
    p.lacks('/corporateAccount', 'id')
    p.lacks('/damageDescription')
    p.enums['/cardType'] = ['VISA', 'MASTERCARD', 'AMEX', 'DISCOVER']
    p.needed.update(('/agreementNumber', '/totalCharges'))
    p.says.update({'/charges': 'Every line of the charges table including fees, without tax', '/amountPaid': 'As printed, with its sign', '/charges/*/units': 'e.g. "4 days"', '/damageDescription': 'Text about damage to the vehicle, only if damage was reported'})
    return p.done_with('rentalCompany agreementNumber reservationNumber renterName corporateAccount invoiceDate pickup return vehicle charges subtotal salesTax totalCharges amountPaid balanceDue currency cardType cardLastFour damageDescription')


def remittance(seed):
    """A payer's advice to a supplier: the supplier in a window, facts under one another at the right, invoices and credit notes with what is deducted, the sum paid and into which account."""
    p = Visitor(seed, 'remittance', 'GB', style='plain', ordinary=True, fonts=COMPACT, labels=('gap', 'colon', 'beside'), minus=('front', 'back', 'brackets'), dates=('%d/%m/%Y', '%d %b %Y', '%d.%m.%Y'), currency=('GBP', 'EUR')).start()
    r, left, end = p.r, 50, p.width - 50
    payer = r.choice(('Calder Retail Group plc', 'Ravensmere University', 'Stourbank Housing Association'))
    mine, theirs = p.home(), p.home()
    p.show(end, p.y + 6, payer, '/payer_name', kind='name', right=True, size=p.size * 1.3)
    p.lines_at(end, p.y + 6 + p.size * 1.6, [mine[0], '%s %s' % (mine[2], mine[1])], right=True)
    p.heading(left, p.y + 8, 'REMITTANCE ADVICE', 1.6)
    y = 130
    p.show(left + 6, y, p.firms[0], '/supplier_name', kind='name')
    p.block(left + 6, y + p.size * 1.35, [theirs[0], theirs[2], theirs[1]], '/supplier_address')
    day = p.some_day()
    code = p.code(r.choice(('10####', 'S-#####', '@@@@###')))
    p.y = y
    p.fields(340, [('Supplier number', code, '/supplier_number', None, 'id'), iso(p, '/payment_date', day, 'Payment date'), ('Payment reference', p.code(r.choice(('2000######', 'BACS-######'))), '/payment_reference', None, 'id'), ('Payment method', 'BACS', '/payment_method', None, 'text')], gap=92)
    p.y = y + 84
    p.y = p.prose(left, p.y, ['The following items have been paid to your bank account today. Please allow three working days for the credit.']) + 14
    rows, total, gross_all, off_all = [], 0.0, 0.0, 0.0
    for i in range(r.choice((r.randint(3, 11), r.randint(30, 60)))):
        when = later(day, -r.randint(20, 75))
        credit = i > 0 and r.random() < 0.2
        gross = cents(r, 40, 6200) * (-1 if credit else 1)
        off = round(gross * 0.025, 2) if not credit and r.random() < 0.4 else 0.0
        rows.append({'document_date': (p.day(when), when.isoformat()), 'your_reference': p.code(r.choice(('INV-#####', 'SI/#####', '######')) if not credit else 'CN-####'), 'our_document': p.code('51########'), 'type': 'Credit note' if credit else 'Invoice', 'gross': p.cell(gross), 'discount': p.cell(off), 'net': p.cell(round(gross - off, 2))})
        gross_all, off_all, total = round(gross_all + gross, 2), round(off_all + off, 2), round(total + gross - off, 2)
    def page(done):
        p.put(end, p.height - 40, 'Page %d' % p.n_page, right=True)
        p.start()
        p.again(left, p.y, payer, '/payer_name', before='Remittance advice from ', after=', continued')
        p.y += 30

    p.listing('/items', [('document_date', 'Date', left, False), ('your_reference', 'Your reference', 110, False), ('our_document', 'Our document', 195, False), ('type', 'Type', 275, False), ('gross', 'Gross', 400, True), ('discount', 'Discount', 465, True), ('net', 'Paid', end, True)],
              rows, kinds_of(document_date='date', your_reference='id', our_document='id', gross='amount', discount='amount', net='amount'), look=r.choice(('grey', 'rule', 'lines')), edge=(left, end), step=1.65, on_full=page, bottom=170)
    p.enums['/items/*/type'] = ['Invoice', 'Credit note']
    p.rule(330, end, p.y - p.size * 1.2)
    p.heading(left, p.y, 'Total')
    p.money(400, p.y, gross_all, '/total_gross')
    p.money(465, p.y, off_all, '/total_discount')
    with p.look(True):
        p.money(end, p.y, total, '/total_paid')
    p.y += p.size * 2.6
    sort, account = p.code('##-##-##'), p.code('########')
    p.show(left, p.y, p.currency, '/currency', kind='currency', before='Paid in ', after=' to the account below:')
    p.y += p.size * 1.8
    p.fields(left, [('Account name', p.firms[0], None, None, 'name'), ('Sort code', sort, '/sort_code', None, 'id'), ('Account number', account, '/account_number', None, 'id')], gap=90)
    p.y += 24
    p.prose(left, p.y, ['If you have changed your bank details please tell us in writing; we never accept changes by e-mail alone.', 'Queries: accountspayable@payer.example quoting your supplier number.'], size=0.9)
    p.put(end, p.height - 40, 'Page %d' % p.n_page, right=True)
    p.lacks('/iban', 'id')
    p.lacks('/cheque_number', 'id')
    return p.done_with('payer_name supplier_name supplier_address supplier_number payment_date payment_reference payment_method cheque_number currency sort_code account_number iban items total_gross total_discount total_paid')


def calibration(seed):
    """A laboratory's certificate: number and page in the head, facts with a colon far from their labels, what was measured in a ruled table with tolerance and pass, uncertainty in prose, who signs."""
    p = Visitor(seed, 'calibration', 'GB', style='strict', ordinary=False, fonts=COMPACT + ('DejaVuSansCondensed',), labels=('colon', 'gap'), minus=('front',), dates=('%d %B %Y', '%-d %B %Y', '%d %b %Y', '%Y-%m-%d'), currency=('GBP',)).start()
    r, left, end = p.r, 60, p.width - 60
    lab, home = r.choice(('Northline Metrology Ltd', 'Precision Standards Laboratory', 'Calder Calibration Services')), p.home()
    p.heading(p.middle('CERTIFICATE OF CALIBRATION', 1.7), p.y + 10, 'CERTIFICATE OF CALIBRATION', 1.7)
    number, day = p.code(r.choice(('C25-#####', 'NM/####/25', '25#####'))), p.some_day()
    done = later(day, -r.randint(0, 4))
    p.y += 30
    p.rule(left, end, p.y - 8)
    p.show(left, p.y + 6, lab, '/laboratory/name', kind='name', size=p.size * 1.1)
    p.block(left, p.y + 6 + p.size * 1.5, [home[0], '%s, %s' % (home[2], home[1])], '/laboratory/address')
    p.put(left, p.y + 6 + p.size * 4.3, 'UKAS accredited calibration laboratory No. ' + p.code('0###'))
    y = p.y + 6
    for label, text, at, value, kind in (('Certificate number', number, '/certificateNumber', None, 'id'), iso(p, '/issueDate', day, 'Date of issue'), ('Page', '1 of 1 pages', None, None, 'text')):
        p.field(330, y, label, text, at, value, kind, 100)
        y += p.size * 1.5
    p.y += 66
    p.rule(left, end, p.y - 10)
    tool, unit, points, step = r.choice((('Digital caliper 0-150 mm', 'mm', (0.0, 25.0, 50.0, 100.0, 150.0), 0.03), ('Torque wrench 20-100 N·m', 'N·m', (20.0, 40.0, 60.0, 80.0, 100.0), 4.0), ('Pressure gauge 0-10 bar', 'bar', (0.0, 2.0, 4.0, 6.0, 8.0, 10.0), 0.16), ('Thermometer with probe', '°C', (-18.0, 0.0, 37.0, 63.0, 100.0), 0.5)))
    maker = r.choice(('Mitutoyo', 'Norbar', 'Budenberg', 'ETI', 'Moore & Wright'))
    client, where = p.firms[0], p.home()
    next_due = day.replace(year=day.year + 1) if r.random() < 0.5 else None
    p.y += 6
    p.fields(left, [('Customer', client, '/customer/name', None, 'name')], gap=130)
    p.block(left + 130, p.y, [where[0], '%s, %s' % (where[2], where[1])], '/customer/address')
    p.y += p.size * 3.2
    rows = [('Customer order', p.code('PO#####'), '/orderNumber', None, 'id'), ('Instrument', tool, '/instrument/description', None, 'text'), ('Manufacturer', maker, '/instrument/manufacturer', None, 'text'), ('Model', p.code('@@-###'), '/instrument/model', None, 'code'), ('Serial number', p.code('########'), '/instrument/serialNumber', None, 'id')]
    asset = r.random() < 0.6
    if asset:
        rows.append(('Asset number', p.code('QA-###'), '/instrument/assetNumber', None, 'id'))
    else:
        p.lacks('/instrument/assetNumber', 'id')
    rows.append(iso(p, '/calibrationDate', done, 'Date of calibration'))
    if p.maybe('/recalibrationDue', next_due is not None, 'date'):
        rows.append(iso(p, '/recalibrationDue', next_due, 'Recalibration due'))
    temp, damp = r.randint(190, 215) / 10, r.randint(38, 58)
    p.fields(left, rows, gap=130)
    x = p.show(p.after_label(left, p.y, 'Ambient conditions', 130), p.y, p.number(temp, 1), '/environment/temperatureC', temp, 'number', after=' °C ± 1 °C, ')
    p.show(x, p.y, str(damp), '/environment/relativeHumidity', damp, 'number', after=' % RH ± 10 % RH')
    p.y += p.size * 3
    p.heading(left, p.y, 'Results', 1.15)
    p.y += p.size * 2.2
    digits = 2
    cells, ok = [], True
    for v in points:
        error = r.choice((-1, 1)) * r.randint(0, 11) / 10 * step * (0.9 if r.random() < 0.9 else 1.4)
        got = round(v + error, digits)
        off = round(got - v, digits)
        good = abs(off) <= step
        ok = ok and good
        cells.append({'nominal': p.cell(v, digits), 'reading': p.cell(got, digits), 'error': ('+' + p.number(off, digits) if off > 0 else p.number(off, digits), off), 'tolerance': ('± ' + p.number(step, digits), step), 'result': 'Pass' if good else 'Fail'})
    p.listing('/measurements', [('nominal', 'Reference\n%s' % unit, left + 80, True), ('reading', 'Indication\n%s' % unit, left + 180, True), ('error', 'Error\n%s' % unit, left + 270, True), ('tolerance', 'Tolerance\n%s' % unit, left + 365, True), ('result', 'Result', left + 400, False)],
              cells, kinds_of(nominal='number', reading='number', error='number', tolerance='number', result='word'), look='lines', edge=(left, end), step=1.7, ruled=True, uprights=(left, left + 90, left + 190, left + 280, left + 375, end))
    p.enums['/measurements/*/result'] = ['Pass', 'Fail']
    p.y += 8
    doubt = round(step / 4, 3)
    p.show(left, p.y, p.number(doubt, 3), '/expandedUncertainty', doubt, 'number', before='The expanded uncertainty of measurement is ± ', after=' %s (k = 2, confidence level approx. 95 %%).' % unit)
    p.y += p.size * 1.6
    p.put(left, p.y, 'The results relate only to the item calibrated and are traceable to national standards.')
    p.y += p.size * 3
    p.show(left, p.y, 'Within specification' if ok else 'Outside specification', '/conclusion', kind='text', before='Conclusion: ')
    p.enums['/conclusion'] = ['Within specification', 'Outside specification']
    p.mark('/conclusion')
    y = p.height - 100
    for x, label, who, at in ((left, 'Calibrated by', p.people[0], '/calibratedBy'), (330, 'Approved signatory', p.people[1], '/approvedBy')):
        p.rule(x, x + 160, y)
        p.show(x, y + 12, who, at, kind='name')
        p.put(x, y + 12 + p.size * 1.3, label, size=p.size * 0.85)
        p.mark(at)
    p.says.update({'/measurements/*/tolerance': 'Permitted error as a positive number', '/measurements/*/error': 'Indication minus reference, signed', '/expandedUncertainty': 'Positive number in the unit of the instrument', '/recalibrationDue': 'null if no due date is stated', '/calibrationDate': 'Day on which the instrument was measured', '/instrument/assetNumber': 'Number the customer gave the instrument, if stated'})
    return p.done_with('certificateNumber issueDate calibrationDate recalibrationDue laboratory customer orderNumber instrument environment measurements expandedUncertainty conclusion calibratedBy approvedBy')


# -- German

def schlussrechnung(seed):
    """A craftsman's final account: sections of the work with numbered positions and sums, a rebate, the instalments paid so far with net, tax and gross, what is left; who and where in the foot."""
    p = Visitor(seed, 'schlussrechnung', 'DE', style='strict', ordinary=True, fonts=COMPACT + ('DejaVuSansCondensed',), labels=('colon', 'gap', 'beside'), money=('1.234,56',), minus=('front', 'back', 'long'), dates=('%d.%m.%Y', '%d.%m.%y'), currency=('EUR',)).start()
    r, left, end = p.r, 56, p.width - 52
    firm, home, client, theirs = p.firms[0], p.home(), p.people[0], p.home()
    p.heading(p.middle(firm, 1.8), p.y + 10, firm, 1.8)
    p.distract('name', firm)
    text = r.choice(('Meisterbetrieb seit 1987', 'Ihr Fachbetrieb in %s' % home[2]))
    p.put(p.middle(text), p.y + 10 + p.size * 1.6, text)
    p.rule(left, end, p.y + 10 + p.size * 2.4)
    y = 128
    p.sender_line(left, y - 12, firm, [home[0], '%s %s' % (home[1], home[2])], '/auftragnehmer/name', '/auftragnehmer/anschrift')
    p.show(left, y + 4, client, '/auftraggeber/name', kind='name')
    p.block(left, y + 4 + p.size * 1.35, [theirs[0], '%s %s' % (theirs[1], theirs[2])], '/auftraggeber/anschrift')
    day = p.some_day()
    number, order = p.code(r.choice(('SR-2025-###', '25/####', '2025####'))), p.code('AB-#####')
    p.y = y
    p.fields(360, [('Rechnungs-Nr.', number, '/rechnungsnummer', None, 'id'), ('Auftrags-Nr.', order, '/auftragsnummer', None, 'id'), iso(p, '/rechnungsdatum', day, 'Datum'), ('Bearbeiter', p.people[1], None, None, 'name')], gap=80)
    p.y = 226
    p.heading(left, p.y, 'Schlussrechnung', 1.6)
    p.y += p.size * 1.8
    site = p.home()
    p.show(left, p.y, '%s, %s %s' % tuple(site), '/bauvorhaben', kind='address', before='Bauvorhaben: ')
    p.mark('/bauvorhaben')
    p.y += p.size * 1.4
    begin, stop = later(day, -r.randint(50, 90)), later(day, -r.randint(6, 20))
    x = p.date(left, p.y, begin, '/leistungszeitraum/von', before='Leistungszeitraum: ')
    p.date(x, p.y, stop, '/leistungszeitraum/bis', before=' – ')
    p.mark('/leistungszeitraum/von')
    p.y += p.size * 2.8
    parts = [('Baustelleneinrichtung', [('Gerüst stellen, vorhalten und abbauen', 'm²', 9.8), ('Container für Bauschutt', 'St', 390.0)]), ('Hauptleistung', [('Altbelag entfernen und entsorgen', 'm²', 18.5), ('Untergrund ausgleichen', 'm²', 12.4), ('Material liefern und verlegen', 'm²', 74.9), ('Anschlüsse herstellen', 'm', 22.3)]), ('Nebenleistungen', [('Regiestunden Facharbeiter', 'h', 58.0), ('Anfahrt', 'psch', 45.0)])]
    rows, sum_all = [], 0.0
    for i, (title, works) in enumerate(parts):
        own, title_row = 0.0, '%d  %s' % (i + 1, title)
        rows.append(title_row)
        for j, (name, unit, price) in enumerate(r.sample(works, r.randint(1, len(works)))):
            n = 1.0 if unit == 'psch' else float(r.randint(1, 3)) if unit == 'St' else round(r.randint(20, 900) / 10, 1)
            price = round(price * r.randint(90, 130) / 100, 2)
            value = round(n * price, 2)
            own = round(own + value, 2)
            rows.append({'pos': '%d.%02d' % (i + 1, j + 1), 'leistung': name, 'menge': p.cell(n), 'einheit': unit, 'einzelpreis': p.cell(price), 'gesamtpreis': p.cell(value)})
        sum_all = round(sum_all + own, 2)
        rows.append([(left + 32, 'Summe %d %s' % (i + 1, title), False), (end, p.number(own), True)])
    p.listing('/positionen', [('pos', 'Pos.', left, False), ('leistung', 'Leistung', left + 32, False), ('menge', 'Menge', 345, True), ('einheit', 'Einh.', 352, False), ('einzelpreis', 'EP (€)', 452, True), ('gesamtpreis', 'GP (€)', end, True)],
              rows, kinds_of(pos='code', menge='number', einheit='unit', einzelpreis='amount', gesamtpreis='amount'), look=r.choice(('rule', 'grey', 'lines')), edge=(left, end), step=1.5)
    p.rule(300, end, p.y - p.size * 1.15)
    net = sum_all
    if p.maybe('/nachlass', r.random() < 0.5, 'amount'):
        off = round(sum_all * 0.03, 2)
        p.sums(300, end, [('Summe der Titel', sum_all, None)])
        p.sums(300, end, [('abzgl. 3 % Nachlass', -off, '/nachlass')])
        net = round(sum_all - off, 2)
    vat = round(net * 0.19, 2)
    gross = round(net + vat, 2)
    p.sums(300, end, [('Gesamtsumme netto', net, '/netto'), ('zzgl. 19 % MwSt.', vat, '/mwst')])
    p.sums(300, end, [('Gesamtsumme brutto', gross, '/brutto')])
    iban, tax = iban_of('DE', p.code('4405####' + '#' * 10)), p.code('###/####/####')
    foot = [(left, [firm, home[0], '%s %s' % (home[1], home[2])]), (225, [('St.-Nr.', tax, '/steuernummer', None, 'id'), 'Amtsgericht %s HRB %s' % (home[2], p.code('####'))]), (385, ['Volksbank ' + home[2], ('IBAN', p.grouped(iban), '/iban', iban, 'id')])]
    if seed % 2 == 0:
        p.foot(foot)
        p.put(end, p.height - 82, '- bitte wenden -', right=True)
        p.start()
        p.again(left, p.y, number, '/rechnungsnummer', before='Schlussrechnung ', after=' · Seite 2')
        p.y += 26
    p.y += p.size
    p.heading(left, p.y, 'Abzüglich erhaltener Abschlagszahlungen')
    p.y += p.size * 1.8
    got, paid = [], 0.0
    for i in range(r.randint(1, 3)):
        when = later(begin, 14 + 18 * i)
        part = float(round(gross * r.randint(20, 28) / 100, -1))
        base = round(part / 1.19, 2)
        paid = round(paid + part, 2)
        got.append({'rechnung': ('%d. Abschlag, AR-%s' % (i + 1, p.code('25###')), None), 'datum': (p.day(when), when.isoformat()), 'netto': p.cell(base), 'mwst': p.cell(round(part - base, 2)), 'brutto': p.cell(part)})
    p.listing('/abschlagszahlungen', [('rechnung', 'Rechnung', left, False), ('datum', 'Zahlung vom', 200, False), ('netto', 'netto', 345, True), ('mwst', '19 % MwSt.', 440, True), ('brutto', 'brutto', end, True)], got, kinds_of(datum='date', netto='amount', mwst='amount', brutto='amount'), look='rule', edge=(left, end), step=1.5)
    rest = round(gross - paid, 2)
    p.rule(300, end, p.y - p.size * 1.15)
    p.currency_at = '/waehrung'
    p.total(300, end, 'Noch zu zahlen', rest, '/restbetrag', 1.1)
    p.y += p.size
    due = later(day, r.choice((10, 14, 30)))
    p.date(left, p.y, due, '/zahlbarBis', before='Bitte überweisen Sie den Restbetrag ohne Abzug bis zum ', after='.')
    p.y += p.size * 1.4
    p.put(left, p.y, 'Die gesetzliche Aufbewahrungsfrist dieser Rechnung beträgt für Privatpersonen zwei Jahre.')
    p.foot(foot)
    p.mark('/steuernummer', '/iban')
    p.lacks('/ustIdNr', 'id')
    p.lacks('/sicherheitseinbehalt', 'amount')
    return p.done_with('auftragnehmer auftraggeber rechnungsnummer auftragsnummer rechnungsdatum bauvorhaben leistungszeitraum positionen nachlass netto mwst brutto abschlagszahlungen sicherheitseinbehalt restbetrag waehrung zahlbarBis steuernummer ustIdNr iban')


def reisekosten(seed):
    """An expense claim on a form: the traveller in ruled cells with small labels, days with allowances, slips with their kind and tax, an advance taken off, ticks for how it is paid back."""
    p = Visitor(seed, 'reisekosten', 'DE', style='classes', ordinary=False, fonts=COMPACT, labels=('above',), money=('1.234,56',), minus=('front',), dates=('%d.%m.%Y', '%d.%m.%y'), currency=('EUR',)).start()
    r, left, end = p.r, 44, p.width - 44
    firm = p.firms[0]
    p.heading(left, p.y + 6, 'Reisekostenabrechnung', 1.7)
    p.show(end, p.y + 6, firm, '/company', kind='name', right=True)
    p.y += 20
    start, n = p.some_day(), r.randint(2, 5)
    start = later(start, 0)
    stop = later(start, n - 1)
    who, wide = p.people[0], (end - left) / 4
    goal = r.choice(('Hamburg, Kunde Nordlicht AG', 'Wien, Messe Intertool', 'Stuttgart, Schulung', 'Zürich, Montage'))
    a, b = '%02d:%02d' % (r.randint(5, 9), r.choice((0, 15, 40))), '%02d:%02d' % (r.randint(16, 22), r.choice((5, 30, 50)))
    p.boxes(left, p.y, [(wide * 1.6, 'Name, Vorname', ', '.join(reversed(who.split(' '))), '/employee/name', None, 'name'), (wide * 0.8, 'Personal-Nr.', p.code('00####'), '/employee/personnelNo', None, 'id'), (wide * 0.8, 'Kostenstelle', p.code('4###'), '/employee/costCentre', None, 'id'), (wide * 0.8, 'Belegnummer', p.code('RK25-####'), '/claimNumber', None, 'id')])
    p.boxes(left, p.y + 28, [(wide * 2, 'Reiseziel / Anlass', goal, '/trip/purpose', None, 'text'), (wide * 0.6, 'Beginn (Tag)', p.day(start), '/trip/startDate', start.isoformat(), 'date'), (wide * 0.4, 'Uhrzeit', a, '/trip/startTime', None, 'text'), (wide * 0.6, 'Ende (Tag)', p.day(stop), '/trip/endDate', stop.isoformat(), 'date'), (wide * 0.4, 'Uhrzeit', b, '/trip/endTime', None, 'text')])
    p.y += 84
    p.heading(left, p.y, 'A. Verpflegungsmehraufwand')
    p.y += p.size * 1.9
    rows, meals = [], 0.0
    for i in range(n):
        day = later(start, i)
        full = 14.0 if i in (0, n - 1) else 28.0
        cut = 5.6 if i and r.random() < 0.6 else 0.0
        meals = round(meals + full - cut, 2)
        rows.append({'date': (p.day(day), day.isoformat()), 'kind': 'Anreisetag' if i == 0 else 'Abreisetag' if i == n - 1 else 'ganzer Tag', 'rate': p.cell(full), 'mealDeduction': p.cell(-cut) if cut else None, 'amount': p.cell(round(full - cut, 2))})
    p.listing('/allowances', [('date', 'Datum', left + 4, False), ('kind', 'Art', 120, False), ('rate', 'Pauschale', 300, True), ('mealDeduction', 'Kürzung Frühstück', 410, True), ('amount', 'Betrag EUR', end - 4, True)], rows, kinds_of(date='date', kind='word', rate='amount', mealDeduction='amount', amount='amount'), look='grey', edge=(left + 4, end - 4), step=1.55, ruled=True)
    p.types['/allowances/*/mealDeduction'] = 'number'
    p.enums['/allowances/*/kind'] = ['Anreisetag', 'ganzer Tag', 'Abreisetag']
    p.optional.add('/allowances/*/mealDeduction')
    p.pair(300, p.y, 'Summe A', p.number(meals), '/allowanceTotal', meals, 'amount', right=end - 4)
    p.y += p.size * 3
    p.heading(left, p.y, 'B. Belege')
    p.y += p.size * 1.9
    kinds = [('Übernachtung', 'Hotel Seeblick, %d Nächte' % (n - 1), 7, 89, 340), ('Bahn', 'ICE 2. Klasse, Hin- und Rückfahrt', 7, 60, 220), ('Taxi', 'Bahnhof - Hotel', 7, 9, 35), ('Parken', 'Parkhaus am Bahnhof', 19, 8, 60), ('Bewirtung', 'Abendessen mit Kunden, 3 Personen', 19, 60, 190), ('Sonstiges', 'Messeeintritt', 19, 25, 60)]
    picked = sorted(r.sample(range(len(kinds)), r.randint(2, 6)))
    slips, spent = [], 0.0
    for i, k in enumerate(picked):
        kind, text, rate, low, high = kinds[k]
        day, value = later(start, r.randint(0, n - 1)), cents(r, low, high)
        spent = round(spent + value, 2)
        slips.append({'no': (str(i + 1), i + 1), 'date': (p.day(day), day.isoformat()), 'category': kind, 'description': text, 'vatRate': ('%d %%' % rate, rate), 'amount': p.cell(value)})
    p.listing('/receipts', [('no', 'Nr.', left + 4, False), ('date', 'Datum', 72, False), ('category', 'Art', 130, False), ('description', 'Bezeichnung', 210, False), ('vatRate', 'MwSt.', 445, True), ('amount', 'Betrag EUR', end - 4, True)], slips, kinds_of(no='number', date='date', category='word', vatRate='rate', amount='amount'), look='grey', edge=(left + 4, end - 4), step=1.55, ruled=True)
    p.integers.add('/receipts/*/no')
    p.enums['/receipts/*/category'] = [k[0] for k in kinds]
    p.pair(300, p.y, 'Summe B', p.number(spent), '/receiptTotal', spent, 'amount', right=end - 4)
    p.y += p.size * 3
    car = 0.0
    p.heading(left, p.y, 'C. Fahrt mit privatem Pkw')
    p.types['/mileage/kilometres'] = 'number'
    if r.random() < 0.5:
        km = r.randint(40, 780)
        car = round(km * 0.3, 2)
        x = p.show(left + 150, p.y, p.number(km, 0), '/mileage/kilometres', km, 'number', after=' km x ')
        p.show(x, p.y, '0,30', '/mileage/ratePerKm', 0.3, 'amount', after=' EUR')
        p.money(end - 4, p.y, car, '/mileage/amount')
    else:
        p.put(left + 150, p.y, 'keine')
        p.nul('/mileage/kilometres', 'number')
        p.lacks('/mileage/ratePerKm', 'amount')
        p.lacks('/mileage/amount', 'amount')
    p.y += p.size * 2.6
    total = round(meals + spent + car, 2)
    p.rule(300, end, p.y - p.size * 1.2)
    p.sums(300, end - 4, [('Gesamtkosten', total, '/totalCosts')])
    ahead = float(r.choice((0, 0, 150, 300)))
    if p.maybe('/advance', ahead > 0, 'amount'):
        p.sums(300, end - 4, [('abzüglich Vorschuss', -ahead, '/advance')])
    p.total(300, end - 4, 'Auszahlungsbetrag' if total >= ahead else 'Rückzahlung', round(total - ahead, 2), '/payout')
    p.y += 14
    for i, text in enumerate(('Überweisung auf Gehaltskonto', 'Verrechnung mit nächster Abrechnung')):
        p.frame(left, p.y - 7, 8, 8)
        if i == seed % 2:
            p.put(left + 1.2, p.y, 'x')
            p.show(left + 14, p.y, text.split(' ')[0], '/settlement', kind='word', after=text[text.index(' '):])
        else:
            p.put(left + 14, p.y, text)
        p.y += p.size * 1.7
    p.enums['/settlement'] = ['Überweisung', 'Verrechnung']
    sign = later(stop, r.randint(1, 12))
    y = p.height - 70
    town = p.home()[2]
    p.date(left, y, sign, '/submittedOn', before=town + ', ')
    p.rule(left, left + 200, y + 4)
    p.put(left, y + 13, 'Ort, Datum, Unterschrift Mitarbeiter', size=p.size * 0.8)
    p.rule(330, end, y + 4)
    p.put(330, y + 13, 'Genehmigt (Vorgesetzter), Datum', size=p.size * 0.8)
    p.lacks('/approvedOn', 'date')
    p.says.update({'/employee/name': 'Wie gedruckt: Nachname, Vorname', '/advance': 'Vorschuss mit Vorzeichen wie gedruckt', '/submittedOn': 'Datum der Unterschrift des Mitarbeiters', '/approvedOn': 'Datum der Genehmigung, falls eingetragen', '/settlement': 'Angekreuzte Art der Erstattung', '/allowances/*/mealDeduction': 'mit Vorzeichen, null wenn nichts gekürzt wurde', '/payout': 'Auszahlungsbetrag, negativ bei einer Rückzahlung'})
    p.needed.update(('/employee/name', '/payout', '/trip/startDate', '/trip/endDate'))
    return p.done_with('company claimNumber employee trip allowances allowanceTotal receipts receiptTotal mileage totalCosts advance payout currency settlement submittedOn approvedOn')


# -- French

def micro(seed):
    """A one-person firm's invoice without tax: the name large at the left, the customer in a grey panel at the right, services in two lines, a deposit taken off, the law's words small at the end."""
    p = Visitor(seed, 'micro', 'FR', style='plain', ordinary=True, fonts=('Lato-Regular', 'OpenSans-Regular') + COMPACT, labels=('colon', 'beside'), money=('1 234,56', '1\u00a0234,56', '1234,56'), minus=('front', 'long'), dates=('%d/%m/%Y', '%-d %B %Y'), currency=('EUR',)).start()
    r, left, end = p.r, 52, p.width - 52
    who, home, client, theirs = p.people[0], p.home(), p.firms[0], p.home()
    trade = r.choice(('Photographie', 'Graphisme et illustration', 'Rédaction et relecture', 'Développement web'))
    p.show(left, p.y + 14, who, '/prestataire/nom', kind='name', size=p.size * 2)
    p.put(left, p.y + 14 + p.size * 1.8, trade + ' - entrepreneur individuel (EI)')
    y = p.block(left, p.y + 14 + p.size * 3.6, [home[0], '%s %s' % (home[1], home[2])], '/prestataire/adresse')
    digits = luhn(luhn(p.code('9#######')) + '0001')
    siret = '%s %s %s %s' % (digits[:3], digits[3:6], digits[6:9], digits[9:])
    p.show(left, y, siret, '/prestataire/siret', kind='id', before='SIRET ')
    p.put(left, y + p.size * 1.35, 'Code APE %s' % p.code('74##Z'))
    day = p.some_day()
    p.fill(330, 96, end - 330, 62, (0.94, 0.94, 0.94))
    p.put(340, 110, r.choice(('Adressée à', 'Client')), size=p.size * 0.85)
    with p.look(True):
        p.show(340, 110 + p.size * 1.5, client, '/client/nom', kind='name')
    p.block(340, 110 + p.size * 2.9, [theirs[0], '%s %s' % (theirs[1], theirs[2])], '/client/adresse')
    number = p.code(r.choice(('2025-0##', 'F25##', 'FA-2025-##')))
    p.y = 200
    with p.look(True, (0.2, 0.35, 0.5)):
        p.show(left, p.y, number, '/numero_facture', kind='id', before='Facture n° ', size=p.size * 1.6)
    p.mark('/numero_facture')
    p.y += p.size * 2
    x = p.date(left, p.y, day, '/date_facture', before="Date d'émission : ", after='      ')
    due = later(day, r.choice((15, 30, 45)))
    p.date(x, p.y, due, '/date_echeance', before='À régler avant le ')
    p.mark('/date_facture', '/date_echeance')
    quote = r.random() < 0.6
    if p.maybe('/numero_devis', quote, 'id'):
        p.y += p.size * 1.5
        p.show(left, p.y, p.code('D25-0##'), '/numero_devis', kind='id', before='Suite au devis n° ', after=' accepté')
        p.mark('/numero_devis')
    p.y += p.size * 3.4
    works = [(['Reportage photo', 'demi-journée sur site, 40 images livrées'], 'forfait', 380, 650), (['Retouche avancée', 'fichiers TIFF et JPEG'], 'image', 12, 28), (['Identité visuelle', 'logo, palette, deux pistes'], 'forfait', 700, 1400), (['Mise en page brochure', '12 pages, deux allers-retours'], 'page', 45, 80), (['Relecture', 'texte français, dix mille signes'], 'heure', 35, 55), (['Frais de déplacement', 'aller-retour en train'], 'unité', 40, 140)]
    rows, total = [], 0.0
    for name, unit, low, high in r.sample(works, r.randint(1, 4)):
        n, price = (1 if unit in ('forfait', 'unité') else r.randint(2, 24)), float(r.randint(low, high))
        total += n * price
        rows.append({'designation': name[0], 'detail': name[1], 'quantite': p.cell(n, 0), 'unite': unit, 'prix_unitaire': p.cash(price), 'montant': p.cash(n * price)})
    p.listing('/prestations', [('designation', 'Désignation', left, False), ('quantite', 'Qté', 330, True), ('unite', 'Unité', 345, False), ('prix_unitaire', 'Prix unitaire', 455, True), ('montant', 'Montant', end, True)], rows, kinds_of(prix_unitaire='amount', montant='amount', unite='unit', quantite='number'), under=[[('detail', left, '')]], look=r.choice(('rule', 'plain', 'grey')), edge=(left, end), step=2.1)
    p.rule(330, end, p.y - p.size * 1.3)
    p.sums(330, end, [('Total', total, '/total')], True)
    paid = 0.0
    if p.maybe('/acompte_verse', quote and r.random() < 0.7, 'amount'):
        paid = round(total * 0.3, 2)
        p.sums(330, end, [('Acompte de 30 % versé', -paid, '/acompte_verse')], True)
    p.currency_at = '/devise'
    p.total(330, end, 'Net à payer', round(total - paid, 2), '/net_a_payer', 1.2)
    p.put(330, p.y, 'TVA non applicable, art. 293 B du CGI', size=p.size * 0.85)
    p.y += p.size * 3.5
    iban = iban_of('FR', p.code('20041010' + '#' * 15))
    p.heading(left, p.y, 'Règlement par virement')
    p.y += p.size * 1.5
    p.show(left, p.y, p.grouped(iban), '/iban', iban, 'id', before='IBAN ')
    p.mark('/iban')
    p.put(left, p.y + p.size * 1.4, 'BIC PSSTFRPPLYO')
    p.prose(left, p.height - 92, ['En cas de retard de paiement, des pénalités au taux de 3 fois le taux d’intérêt légal seront appliquées ainsi', 'qu’une indemnité forfaitaire de 40 € pour frais de recouvrement (art. L441-10 du Code de commerce).', 'Pas d’escompte pour paiement anticipé. Dispensé d’immatriculation au RCS et au répertoire des métiers.'], size=0.8)
    p.lacks('/tva', 'amount')
    p.lacks('/prestataire/numero_tva', 'id')
    p.lacks('/bon_de_commande', 'id')
    return p.done_with('prestataire client numero_facture numero_devis bon_de_commande date_facture date_echeance prestations total tva acompte_verse net_a_payer devise iban')


def appelfonds(seed):
    """A manager's call for money from an owner of flats: the building in the head, expenses by their key with shares of all and own, the fund for works apart, the old balance, a coupon below."""
    p = Visitor(seed, 'appelfonds', 'FR', style='strict', ordinary=False, fonts=COMPACT, labels=('colon', 'gap'), money=('1 234,56', '1\u00a0234,56'), minus=('front', 'back'), dates=('%d/%m/%Y',), currency=('EUR',)).start()
    r, left, end = p.r, 44, p.width - 44
    manager, home = r.choice(('Cabinet Vauban Immobilier', 'Syndic Horizon', 'Régie des Deux Rives')), p.home()
    with p.look(True, (0.35, 0.1, 0.3)):
        p.show(left, p.y + 8, manager, '/syndic/name', kind='name', size=p.size * 1.4)
    p.block(left, p.y + 8 + p.size * 1.5, [home[0], '%s %s' % (home[1], home[2])], '/syndic/address')
    person, theirs, house = p.people[0], p.home(), p.home()
    building = r.choice(('Résidence Les Tilleuls', 'Le Clos Saint-Michel', 'Immeuble Le Belvédère'))
    y = 110
    p.put(330, y, 'Madame' if person.split(' ')[0] in ('Camille', 'Sabrina') else 'Monsieur')
    p.show(330, y + p.size * 1.35, person, '/owner/name', kind='name')
    p.block(330, y + p.size * 2.7, [theirs[0], '%s %s' % (theirs[1], theirs[2])], '/owner/address')
    q = r.randint(1, 4)
    due = datetime.date(2025, q * 3 - 2, 1)
    day = later(due, -r.randint(12, 20))
    p.y = y
    reference = p.code('0##-####')
    p.fields(left, [('Copropriété', building, '/building/name', None, 'name'), ('Adresse', '%s, %s %s' % tuple(house), '/building/address', None, 'address'), ('Réf. copropriétaire', reference, '/owner/reference', None, 'id'), iso(p, '/issueDate', day, 'Date')], gap=92)
    p.y = 200
    text = 'APPEL DE FONDS'
    p.heading(p.middle(text, 1.5), p.y, text, 1.5)
    p.y += p.size * 1.8
    stop = later(datetime.date(2025 + q // 4, q * 3 % 12 + 1, 1), -1)
    words = 'Provisions du %s trimestre 2025, du ' % ('1er', '2e', '3e', '4e')[q - 1]
    x = p.middle(words + p.day(due) + ' au ' + p.day(stop))
    x = p.date(x, p.y, due, '/period/start', before=words)
    p.date(x, p.y, stop, '/period/end', before=' au ')
    p.y += p.size * 3
    lots = [('%d' % r.randint(2, 40), 'Appartement', r.randint(210, 690)), ('%d' % r.randint(41, 70), 'Cave', r.randint(4, 12)), ('%d' % r.randint(71, 99), 'Parking', r.randint(15, 30))][:r.randint(1, 3)]
    shares = sum(n for *_, n in lots)
    p.put(left, p.y, 'Lots : ' + ', '.join('n° %s %s (%d)' % lot for lot in lots))
    p.y += p.size * 2.4
    rows, own_all = [], 0.0
    for name, all_of, mine in (('Charges générales', 10000, shares), ('Charges bâtiment A', 4120, shares if shares < 4120 else 400), ('Ascenseur', 1000, r.randint(20, 90)), ('Chauffage collectif', 10000, r.randint(150, 700)), ('Eau froide', 1000, r.randint(15, 70))):
        if name != 'Charges générales' and r.random() < 0.35:
            continue
        budget = float(r.randint(30, 420) * 50)
        own = round(budget * mine / all_of, 2)
        own_all = round(own_all + own, 2)
        rows.append({'label': name, 'budget': p.cell(budget), 'total_shares': p.cell(all_of, 0), 'own_shares': p.cell(mine, 0), 'amount': p.cell(own)})
    p.listing('/provisions', [('label', 'Nature des charges', left, False), ('budget', 'Montant à\nrépartir', 290, True), ('total_shares', 'Base\ntantièmes', 365, True), ('own_shares', 'Vos\ntantièmes', 435, True), ('amount', 'Votre\nquote-part', end, True)], rows, kinds_of(budget='amount', total_shares='number', own_shares='number', amount='amount'), look=r.choice(('grey', 'lines', 'rule')), edge=(left, end), step=1.65)
    p.integers.update(('/provisions/*/total_shares', '/provisions/*/own_shares'))
    p.sums(250, end, [('Total des provisions', own_all, '/provisions_total')])
    fund = 0.0
    if p.maybe('/works_fund', r.random() < 0.7, 'amount'):
        fund = round(own_all * 0.05, 2)
        p.sums(250, end, [('Fonds de travaux (loi ALUR) 5 %', fund, '/works_fund')])
    before = r.choice((0.0, 0.0, cents(r, 20, 600), -cents(r, 5, 90)))
    if p.maybe('/previous_balance', before, 'amount'):
        p.sums(250, end, [('Solde antérieur ' + ('débiteur' if before > 0 else 'créditeur'), before, '/previous_balance')])
    total = round(own_all + fund + before, 2)
    p.rule(250, end, p.y - p.size * 1.15)
    p.total(250, end, 'TOTAL À PAYER', total, '/amount_due')
    p.y += p.size * 1.6
    limit = later(due, 14)
    x = p.put(left, p.y, 'Provision exigible le premier jour du trimestre. ')
    p.date(x, p.y, limit, '/payment_deadline', before='Merci de régler avant le ', after='.')
    p.mark('/payment_deadline')
    p.y += p.size * 1.5
    p.put(left, p.y, 'Les charges impayées après mise en demeure portent intérêt au taux légal (article 36 du décret du 17 mars 1967).', size=p.size * 0.85)
    y = p.height - 150
    p.dashed(y)
    p.put(left, y + 16, 'COUPON À JOINDRE À VOTRE RÈGLEMENT')
    p.again(left, y + 16 + p.size * 1.6, person, '/owner/name')
    p.again(left, y + 16 + p.size * 3.1, reference, '/owner/reference', before='Réf. ')
    p.again(end, y + 16 + p.size * 1.6, p.in_money(total), '/amount_due', right=True, before='Montant : ')
    iban = iban_of('FR', p.code('30003036' + '#' * 15))
    p.show(left, y + 16 + p.size * 5.4, p.grouped(iban), '/iban', iban, 'id', before='Virement sur le compte du syndicat des copropriétaires, IBAN ')
    p.mark('/iban')
    p.lacks('/direct_debit_date', 'date')
    p.says.update({'/works_fund': 'Cotisation au fonds de travaux, null si aucune', '/previous_balance': 'Positive if the owner owes it, negative if it is a credit', '/provisions/*/amount': "The owner's share", '/direct_debit_date': 'Day on which the amount is debited, if paid by direct debit', '/owner/reference': 'Reference of the owner'})
    return p.done_with('syndic building owner issueDate period provisions provisions_total works_fund previous_balance amount_due currency payment_deadline direct_debit_date iban')


def tpstvq(seed):
    """A Quebec invoice: the name in the middle, customer and place of delivery abreast, facts in a bar of cells, goods with a code, two taxes with their numbers beside them, terms in a box."""
    p = Visitor(seed, 'tpstvq', 'CA', style='classes', ordinary=True, fonts=COMPACT + ('OpenSans-Regular',), labels=('above',), money=('1 234,56', '1\u00a0234,56', '1234,56'), minus=('front', 'brackets'), dates=('%Y-%m-%d', '%-d %B %Y', '%d/%m/%Y'), currency=('CAD',)).start()
    r, left, end = p.r, 48, p.width - 48
    firm, home, client, theirs = p.firms[0], p.home(), p.firms[1], p.home()
    p.middled(p.width / 2, p.y + 10, firm, '/fournisseur/nom', kind='name', size=1.9)
    text = '%s, %s %s' % (home[0], home[2], home[1])
    p.show(p.middle(text), p.y + 10 + p.size * 1.7, text, '/fournisseur/adresse', kind='address')
    text = 'Tél. ' + p.code('(514) 555-01##') + '  ·  facturation@fournisseur.example'
    p.put(p.middle(text), p.y + 10 + p.size * 3, text)
    p.y += 10 + p.size * 5.6
    p.heading(left, p.y, 'FACTURE', 1.5)
    day, number = p.some_day(), p.code(r.choice(('00####', 'F-#####', '25-####')))
    due = later(day, 30)
    p.y += 14
    wide = (end - left) / 5
    order = r.random() < 0.6
    p.boxes(left, p.y, [(wide, 'No de facture', number, '/noFacture', None, 'id'), (wide, 'Date', p.day(day), '/dateFacture', day.isoformat(), 'date'), (wide, 'Bon de commande', p.code('BC####') if order else '', '/bonCommande' if order else None, None, 'id'), (wide, 'Échéance', p.day(due), '/dateEcheance', due.isoformat(), 'date'), (wide, 'Représentant', p.people[0].split(' ')[1], None, None, 'name')])
    if not p.maybe('/bonCommande', order, 'id'):
        p.distractors['id'].remove('')
    p.y += 50
    ship = p.home() if seed % 2 else theirs
    for x, label, at, h in ((left, 'FACTURÉ À', '/factureA', theirs), (320, 'LIVRÉ À', '/livreA', ship)):
        p.put(x, p.y, label, size=p.size * 0.85)
        p.show(x, p.y + p.size * 1.4, client, at + '/nom', kind='name')
        p.block(x, p.y + p.size * 2.8, [h[0], '%s %s' % (h[2], h[1])], at + '/adresse')
    p.y += p.size * 7
    goods = [('BU-204', 'Papier recyclé 8,5 x 11, caisse', 'cs'), ('NT-017', 'Savon à mains, 4 L', 'un'), ('EL-330', 'Ampoule DEL A19, paquet de 6', 'pq'), ('SV-900', 'Service sur place, technicien', 'h'), ('QC-112', 'Sel à déglacer, sac 20 kg', 'sac'), ('OU-045', 'Pelle à neige, manche en bois', 'un'), ('CF-021', 'Café torréfié, sac 2 lb', 'un')]
    rows, sub = [], 0.0
    for code, name, unit in r.sample(goods, r.randint(2, 6)):
        n, price = r.choice((1, 2, 3.5, 6, 12)) if unit == 'h' else r.randint(1, 24), cents(r, 4, 130)
        own = round(n * price, 2)
        sub = round(sub + own, 2)
        rows.append({'code': code, 'description': name, 'quantite': p.cell(n, 0 if n == int(n) else 1), 'unite': unit, 'prix': p.cell(price), 'montant': p.cell(own)})
    p.listing('/articles', [('code', 'Code', left, False), ('description', 'Description', left + 62, False), ('quantite', 'Qté', 355, True), ('unite', 'U.', 363, False), ('prix', 'Prix unit.', 460, True), ('montant', 'Montant', end, True)], rows, kinds_of(code='id', quantite='number', unite='unit', prix='amount', montant='amount'), look=r.choice(('grey', 'rule', 'lines')), edge=(left, end), step=1.75, ruled=seed % 3 == 0)
    p.rule(320, end, p.y - p.size * 1.2)
    p.sums(320, end, [('Sous-total', sub, '/sousTotal')], True)
    base = sub
    if p.maybe('/escompte', r.random() < 0.4, 'amount'):
        off = round(sub * 0.05, 2)
        base = round(sub - off, 2)
        p.sums(320, end, [('Escompte 5 %', -off, '/escompte')], True)
    gst, qst = round(base * 0.05, 2), round(base * 0.09975, 2)
    gst_id, qst_id = luhn(p.code('########')) + ' RT0001', p.code('12######## TQ0001')
    for label, value, at, who, ident in (('TPS 5 %', gst, '/tps', '/noTps', gst_id), ('TVQ 9,975 %', qst, '/tvq', '/noTvq', qst_id)):
        p.put(320, p.y, label)
        p.show(388, p.y, ident, who, kind='id', size=p.size * 0.85)
        p.money(end, p.y, value, at, True)
        p.mark(at, who)
        p.y += p.size * 1.6
    p.types['/depot'] = 'number'
    total = round(base + gst + qst, 2)
    p.currency_at = '/devise'
    p.total(320, end, 'TOTAL (CAD)', total, '/total', 1.15)
    p.lacks('/depot', 'amount')
    p.y += 20
    p.frame(left, p.y, end - left, 44)
    p.prose(left + 6, p.y + 14, ['Conditions : net 30 jours. Des frais de 1,5 % par mois (18 % par année) s’appliquent aux comptes en souffrance.', 'Chèque à l’ordre de %s ou virement Interac à facturation@fournisseur.example.' % firm], size=0.9)
    p.put(left, p.height - 50, 'Merci de votre confiance !')
    p.needed.update(('/noFacture', '/dateFacture', '/total'))
    return p.done_with('fournisseur noFacture dateFacture dateEcheance bonCommande factureA livreA articles sousTotal escompte tps noTps tvq noTvq total depot devise')


# -- Spanish and Portuguese

def recargo(seed):
    """A wholesaler's invoice to a shop with the surcharge of equivalence: letterhead at the left, customer in a frame, three rebates, a row of small boxes with each base, its tax and the surcharge."""
    p = Visitor(seed, 'recargo', 'ES', style='plain', ordinary=True, fonts=COMPACT, labels=('above',), money=('1.234,56',), minus=('front',), dates=('%d/%m/%Y', '%d-%m-%Y', '%d/%m/%y'), currency=('EUR',)).start()
    r, left, end = p.r, 42, p.width - 42
    firm, home, client, theirs = p.firms[0], p.home(), p.people[0], p.home()
    with p.look(True):
        p.show(left, p.y + 8, firm, '/emisor/nombre', kind='name', size=p.size * 1.5)
    y = p.block(left, p.y + 8 + p.size * 1.6, [home[0], '%s %s' % (home[1], home[2])], '/emisor/direccion')
    p.show(left, y, spanish_cif(p), '/emisor/nif', kind='id', before='C.I.F. ')
    p.put(left, y + p.size * 1.3, 'Tel. ' + p.code('9## ### ###'))
    p.frame(310, p.y - 4, end - 310, 70)
    shop = r.choice(('Perfumería ', 'Estanco ', 'Mercería ', 'Bazar ')) + client.split(' ')[1]
    p.show(318, p.y + 10, client, '/cliente/nombre', kind='name')
    p.put(318, p.y + 10 + p.size * 1.35, shop)
    y = p.block(318, p.y + 10 + p.size * 2.7, [theirs[0], '%s %s' % (theirs[1], theirs[2])], '/cliente/direccion')
    dni = p.r.randint(10000000, 79999999)
    p.show(318, y, '%d%s' % (dni, 'TRWAGMYFPDXBNJZSQVHLCKE'[dni % 23]), '/cliente/nif', kind='id', before='N.I.F. ')
    p.y += 84
    day = p.some_day()
    number, code = p.code(r.choice(('A/25####', '25-#####', 'FV25/####'))), p.code('43000####')
    wide = (end - left) / 5
    p.boxes(left, p.y, [(wide, 'FACTURA', number, '/numero_factura', None, 'id'), (wide, 'FECHA', p.day(day), '/fecha', day.isoformat(), 'date'), (wide, 'CÓD. CLIENTE', code, '/codigo_cliente', None, 'id'), (wide, 'AGENTE', p.code('0#'), None, None, 'code'), (wide, 'PÁGINA', '1', None, None, 'number')])
    p.y += 52
    goods = [('Gel de baño avena 750 ml', 21, 5.2), ('Colonia infantil 200 ml', 21, 5.2), ('Tónico facial', 21, 5.2), ('Compresas noche 12 u.', 4, 0.5), ('Agua mineral 6 x 1,5 l', 10, 1.4), ('Papel de regalo, bobina', 21, 5.2), ('Infusión manzanilla, caja', 10, 1.4), ('Crema de manos 75 ml', 21, 5.2), ('Galletas artesanas 400 g', 10, 1.4)]
    rows, bases, gross = [], {}, 0.0
    note = p.code('AL25/####')
    rows.append('Albarán %s de fecha %s' % (note, p.day(later(day, -2))))
    for name, rate, extra in r.sample(goods, r.randint(3, 8)):
        n, price, off = r.choice((2, 6, 12, 24)), cents(r, 0.9, 14), r.choice((0, 0, 10, 15))
        own = round(n * price * (100 - off) / 100, 2)
        gross = round(gross + own, 2)
        bases[rate, extra] = round(bases.get((rate, extra), 0) + own, 2)
        rows.append({'referencia': p.code('@####'), 'descripcion': name, 'cantidad': p.cell(n, 0), 'precio': p.cell(price), 'descuento': ('%d' % off, off) if off else None, 'iva': (str(rate), rate), 'importe': p.cell(own)})
    p.optional.add('/lineas/*/descuento')
    p.types['/lineas/*/descuento'] = 'number'
    p.listing('/lineas', [('referencia', 'Ref.', left, False), ('descripcion', 'Descripción', left + 52, False), ('cantidad', 'Cant.', 325, True), ('precio', 'Precio', 385, True), ('descuento', '% Dto.', 430, True), ('iva', 'IVA', 465, True), ('importe', 'Importe', end, True)], rows, kinds_of(referencia='id', cantidad='number', precio='amount', descuento='rate', iva='rate', importe='amount'), look=r.choice(('lines', 'grey')), edge=(left, end), step=1.6)
    y = p.height - 200
    p.put(left, y - 8, 'Importe bruto')
    p.show(left + 70, y - 8, p.number(gross), '/importe_bruto', gross, 'amount')
    p.mark('/importe_bruto')
    p.y = y + 14
    parts, tax_all, extra_all = [], 0.0, 0.0
    for (rate, extra), base in sorted(bases.items(), reverse=True):
        tax, more = round(base * rate / 100, 2), round(base * extra / 100, 2)
        tax_all, extra_all = round(tax_all + tax, 2), round(extra_all + more, 2)
        parts.append({'base': p.cell(base), 'tipo_iva': (p.number(rate), rate), 'cuota_iva': p.cell(tax), 'tipo_recargo': (p.number(extra), extra), 'cuota_recargo': p.cell(more)})
    p.listing('/impuestos', [('base', 'Base imponible', 120, True), ('tipo_iva', '% IVA', 170, True), ('cuota_iva', 'Cuota IVA', 235, True), ('tipo_recargo', '% R.E.', 285, True), ('cuota_recargo', 'Cuota R.E.', 355, True)], parts, kinds_of(base='amount', tipo_iva='rate', cuota_iva='amount', tipo_recargo='rate', cuota_recargo='amount'), look='lines', edge=(left, 355), step=1.45)
    total = round(gross + tax_all + extra_all, 2)
    p.frame(385, y + 2, end - 385, 44)
    p.put(392, y + 15, 'TOTAL FACTURA')
    p.currency_at = '/moneda'
    with p.look(True):
        text = p.in_money(total)
        x = end - 8 - p.wide(text, p.size * 1.5)
        p.show(x, y + 37, p.number(total), '/total', total, 'amount', size=p.size * 1.5, after=text[len(p.number(total)):])
        p.see_currency(x, y + 37, text, p.size * 1.5)
    p.mark('/total')
    due = later(day, r.choice((30, 60)))
    y = p.height - 74
    p.show(left, y, r.choice(('Recibo domiciliado', 'Transferencia bancaria', 'Giro bancario')), '/forma_pago', kind='text', before='Forma de pago: ')
    p.date(left, y + p.size * 1.4, due, '/vencimiento', before='Vencimiento: ', after='   ' + p.number(total) + ' EUR')
    p.mark('/forma_pago', '/vencimiento')
    iban = iban_of('ES', spanish_account(p))
    p.show(300, y, p.grouped(iban), '/iban', iban, 'id', before='IBAN: ')
    p.mark('/iban')
    p.put(left, y + p.size * 3.4, 'Inscrita en el Registro Mercantil de %s, tomo %s, folio %s, hoja %s.' % (home[2], p.code('###'), p.code('##'), p.code('@@-####')), size=p.size * 0.75)
    p.lacks('/descuento_pronto_pago', 'amount')
    p.lacks('/retencion_irpf', 'amount')
    return p.done_with('emisor cliente numero_factura fecha codigo_cliente lineas importe_bruto descuento_pronto_pago impuestos retencion_irpf total moneda forma_pago vencimiento iban')


def cfdi(seed):
    """A Mexican invoice as its program prints it: issuer at the left, fiscal facts under dark bars, codes with their meaning behind a dash, what is withheld, the sum in words, seals in tiny print."""
    p = Visitor(seed, 'cfdi', 'MX', style='strict', ordinary=False, fonts=COMPACT[:3], labels=('colon',), money=('1,234.56',), minus=('front',), dates=('%Y-%m-%d', '%d/%m/%Y'), currency=('MXN',)).start()
    r, left, end = p.r, 38, p.width - 38
    dark = r.choice(((0.15, 0.2, 0.35), (0.3, 0.3, 0.3), (0.45, 0.1, 0.15)))
    legal = r.choice((' SA DE CV', ' S DE RL DE CV'))
    rfc = lambda n: p.code('@@@%02d%02d%02d' % (r.randint(80, 99), r.randint(1, 12), r.randint(1, 28)) + '@#@') if n == 3 else p.code('@@@@%02d%02d%02d' % (r.randint(60, 99), r.randint(1, 12), r.randint(1, 28)) + '##@')
    home, theirs = p.home(), p.home()
    with p.look(True):
        p.show(left, p.y + 6, p.firms[0] + legal, '/emisor/nombre', kind='name', size=p.size * 1.2)
    mine = rfc(3)
    p.show(left, p.y + 6 + p.size * 1.6, mine, '/emisor/rfc', kind='id', before='RFC: ')
    p.show(left, p.y + 6 + p.size * 2.9, '601', '/emisor/regimenFiscal', kind='code', before='Régimen fiscal: ', after=' - General de Ley Personas Morales')
    p.put(left, p.y + 6 + p.size * 4.2, '%s, %s, C.P. %s' % (home[0], home[2], home[1]))
    p.mark('/emisor/rfc', '/emisor/regimenFiscal')
    x, y = 350, p.y - 4
    day = p.some_day()
    folio = p.code('####')

    def bar(x0, x1, y, text):
        p.fill(x0, y, x1 - x0, 13, dark)
        p.heading(x0 + 4, y + 9.5, text, 0.95, colour=(1, 1, 1))

    bar(x, end, y, 'FACTURA')
    y += 24
    series = r.choice(('A', 'FE', 'MTY'))
    for label, text, at, value, kind in (('Serie', series, '/serie', None, 'code'), ('Folio', folio, '/folio', None, 'id'), ('Fecha de emisión', p.day(day), '/fechaEmision', day.isoformat(), 'date'), ('Lugar de expedición', home[1], '/lugarExpedicion', None, 'code'), ('Tipo de comprobante', 'I - Ingreso', None, None, 'text')):
        hour = ' %02d:%02d:%02d' % (r.randint(8, 19), r.randint(0, 59), r.randint(0, 59)) if kind == 'date' else ''
        p.field(x, y, label, text, at, value, kind, 96, **({'after': hour} if hour else {}))
        y += p.size * 1.35
    folio_fiscal = uuid(p)
    p.y = max(y, p.y + 70) + 6
    bar(left, end, p.y, 'RECEPTOR')
    p.y += 25
    person = seed % 3 == 0
    client = p.people[0].upper() if person else p.firms[1]
    use = r.choice((('G03', 'Gastos en general'), ('G01', 'Adquisición de mercancías'), ('I01', 'Construcciones')))
    p.field(left, p.y, 'Nombre', client, '/receptor/nombre', kind='name', gap=90)
    p.field(340, p.y, 'Uso CFDI', use[0], '/receptor/usoCFDI', kind='code', gap=72, after=' - ' + use[1])
    p.y += p.size * 1.4
    p.field(left, p.y, 'RFC', rfc(4 if person else 3), '/receptor/rfc', kind='id', gap=90)
    p.field(340, p.y, 'Domicilio fiscal', theirs[1], '/receptor/codigoPostal', kind='code', gap=72)
    p.y += p.size * 1.4
    p.field(left, p.y, 'Régimen fiscal', '612' if person else '601', '/receptor/regimenFiscal', kind='code', gap=90, after=' - Personas Físicas con Act. Empresariales' if person else ' - General de Ley')
    p.y += p.size * 1.6
    bar(left, end, p.y, 'CONCEPTOS')
    p.y += 28
    goods = [('31162800', 'Tornillería galvanizada surtida', 'H87', 'Pieza'), ('44121600', 'Artículos de oficina varios', 'H87', 'Pieza'), ('72101500', 'Servicio de mantenimiento preventivo', 'E48', 'Servicio'), ('27112000', 'Pala cuadrada con mango', 'H87', 'Pieza'), ('39121000', 'Transformador 110 V', 'H87', 'Pieza'), ('78101800', 'Flete local', 'E48', 'Servicio'), ('14111500', 'Papel bond carta, caja', 'XBX', 'Caja')]
    rows, sub, off_all = [], 0.0, 0.0
    some_off = r.random() < 0.4
    for key, name, unit, unit_name in r.sample(goods, r.randint(1, 6)):
        n, price = 1 if unit == 'E48' else r.randint(1, 60), cents(r, 18, 3900)
        own = round(n * price, 2)
        off = round(own * 0.05, 2) if some_off and r.random() < 0.7 else 0.0
        sub, off_all = round(sub + own, 2), round(off_all + off, 2)
        rows.append({'cantidad': p.cell(n, 2), 'claveUnidad': (unit, None), '_unit': unit_name, 'claveProdServ': key, 'descripcion': name, 'valorUnitario': p.cell(price), 'descuento': p.cell(off), 'importe': p.cell(own)})
    p.listing('/conceptos', [('cantidad', 'Cant.', left + 32, True), ('claveUnidad', 'Unidad', left + 42, False), ('claveProdServ', 'Clave SAT', left + 84, False), ('descripcion', 'Descripción', left + 138, False), ('valorUnitario', 'Valor unitario', 410, True), ('descuento', 'Descuento', 478, True), ('importe', 'Importe', end, True)],
              rows, kinds_of(cantidad='number', claveUnidad='code', claveProdServ='code', valorUnitario='amount', descuento='amount', importe='amount'), look='rule', edge=(left, end), step=1.7)
    p.y += 4
    base = round(sub - off_all, 2)
    iva = round(base * 0.16, 2)
    top = p.y
    p.sums(390, end, [('Subtotal', sub, '/subTotal')], True)
    if p.maybe('/descuento', off_all, 'amount'):
        p.sums(390, end, [('Descuento', off_all, '/descuento')], True)
    p.sums(390, end, [('IVA 16.00%', iva, '/ivaTrasladado')], True)
    held = 0.0
    if p.maybe('/isrRetenido', person and r.random() < 0.7 or seed % 4 == 1, 'amount'):
        held = round(base * 0.0125, 2)
        p.sums(390, end, [('ISR retenido 1.25%', held, '/isrRetenido')], True)
    total = round(base + iva - held, 2)
    p.currency_at = '/moneda'
    p.strong(390, end, 'Total', total, '/total', True)
    low, p.y = p.y, top
    pay = r.choice((('03', 'Transferencia electrónica de fondos', 'PUE', 'Pago en una sola exhibición'), ('99', 'Por definir', 'PPD', 'Pago en parcialidades o diferido'), ('04', 'Tarjeta de crédito', 'PUE', 'Pago en una sola exhibición')))
    for label, text, at, after in (('Forma de pago', pay[0], '/formaPago', ' - ' + pay[1]), ('Método de pago', pay[2], '/metodoPago', ' - ' + pay[3]), ('Moneda', 'MXN', '/moneda', ' - Peso Mexicano')):
        p.field(left, p.y, label, text, at, kind='currency' if at == '/moneda' else 'code', gap=78, after=after)
        p.y += p.size * 1.4
    p.enums['/metodoPago'] = ['PUE', 'PPD']
    p.put(left, p.y, 'Exportación: 01 - No aplica')
    p.y = max(low, p.y) + p.size * 2
    bar(left, end, p.y, 'DATOS FISCALES')
    p.y += 26
    p.page.ops.append(b'0.2 g %g %g 64 64 re f 0 g' % (left, p.height - p.y - 60))
    for label, text, at, kind in (('Folio fiscal (UUID)', folio_fiscal, '/folioFiscal', 'id'), ('No. de serie del CSD', p.code('000010000005########'), None, 'id'), ('No. de serie del certificado SAT', p.code('000010000005########'), None, 'id')):
        p.field(left + 76, p.y, label, text, at, None, kind, 132)
        p.y += p.size * 1.4
    p.date(left + 76, p.y, day, None, before='Fecha y hora de certificación: ')
    p.y += p.size * 1.6
    for label in ('Sello digital del CFDI', 'Sello digital del SAT'):
        p.put(left + 76, p.y, label, size=6)
        p.put(left + 76, p.y + 7, ''.join(r.choice('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') for _ in range(104)) + '==', size=5.5)
        p.y += 17
    text = 'Este documento es una representación impresa de un CFDI'
    p.put(p.middle(text, 0.9), p.y + 10, text, size=p.size * 0.9)
    p.lacks('/ordenCompra', 'id')
    p.lacks('/cfdiRelacionado', 'id')
    p.says.update({'/folioFiscal': 'UUID del timbre', '/receptor/usoCFDI': 'Sólo la clave, p. ej. G03', '/formaPago': 'Sólo la clave de dos dígitos', '/emisor/regimenFiscal': 'Clave de tres dígitos', '/receptor/regimenFiscal': 'Clave de tres dígitos', '/lugarExpedicion': 'Código postal', '/isrRetenido': 'ISR retenido, null si no hay', '/descuento': 'Descuento total, null si no hay', '/cfdiRelacionado': 'UUID de un CFDI relacionado, si lo hay'})
    return p.done_with('folioFiscal serie folio fechaEmision lugarExpedicion emisor receptor ordenCompra cfdiRelacionado conceptos subTotal descuento ivaTrasladado isrRetenido total moneda formaPago metodoPago')


def nfse(seed):
    """A Brazilian town's electronic note of services: one ruled form of boxes, the town's name in the middle, provider and taker, what was done as running text, tax withheld in small cells."""
    p = Visitor(seed, 'nfse', 'BR', style='classes', ordinary=False, fonts=COMPACT, labels=('above',), money=('1.234,56',), minus=('front',), dates=('%d/%m/%Y',), currency=('BRL',)).start()
    r, left, end = p.r, 36, p.width - 36
    wide = end - left
    home, theirs = p.home(), p.home()
    town = home[2].split(' - ')[0]
    day, number = p.some_day(), p.code(r.choice(('########', '2025/####', '####')))
    check = p.code('@###-####') if seed % 2 else p.code('@@@@-@@@@')
    p.frame(left, p.y, wide - 150, 66)
    for i, (text, size) in enumerate((('PREFEITURA MUNICIPAL DE ' + town.upper(), 1.15), ('SECRETARIA MUNICIPAL DA FAZENDA', 0.9), ('NOTA FISCAL ELETRÔNICA DE SERVIÇOS - NFS-e', 1.1))):
        p.heading(p.middle(text, size, left + (wide - 150) / 2), p.y + 18 + i * 17, text, size)
    clock = ' %02d:%02d:%02d' % (r.randint(8, 18), r.randint(0, 59), r.randint(0, 59))
    for i, (label, text, at, value, kind) in enumerate((('Número da Nota', number, '/numeroNota', None, 'id'), ('Data e Hora de Emissão', p.day(day), '/dataEmissao', day.isoformat(), 'date'), ('Código de Verificação', check, '/codigoVerificacao', None, 'id'))):
        x, y = p.box_of(end - 150, p.y + i * 22, 150, 22, label, 6)
        p.show(x, y - 1, text, at, value, kind, after=clock if kind == 'date' else '')
        p.mark(at)
    p.y += 66
    taker = seed % 4 == 2
    client = p.people[0] if taker else p.firms[1]
    for title, firm, h, at in (('PRESTADOR DE SERVIÇOS', p.firms[0], home, '/prestador'), ('TOMADOR DE SERVIÇOS', client, theirs, '/tomador')):
        p.frame(left, p.y, wide, 58)
        p.heading(p.middle(title), p.y + 11, title)
        y = p.y + 11 + p.size * 1.6
        ident = cpf(p) if taker and at == '/tomador' else cnpj(p)
        x = p.show(left + 6, y, ident, at + '/cpfCnpj', kind='id', before='CPF/CNPJ: ', after='        ')
        if at == '/prestador':
            p.show(300, y, p.code('#.###.###-#'), at + '/inscricaoMunicipal', kind='id', before='Inscrição Municipal: ')
        else:
            p.put(300, y, 'Inscrição Municipal: ----')
            p.lacks(at + '/inscricaoMunicipal', 'id')
        p.show(left + 6, y + p.size * 1.4, firm, at + '/razaoSocial', kind='name', before='Nome/Razão Social: ')
        p.show(left + 6, y + p.size * 2.8, '%s - CEP: %s' % (h[0], h[1]), at + '/endereco', kind='address', before='Endereço: ')
        p.show(380, y + p.size * 2.8, h[2].split(' - ')[0], at + '/municipio', kind='text', before='Município: ')
        p.show(end - 36, y + p.size * 2.8, h[2].split(' - ')[1], at + '/uf', kind='code', before='UF: ')
        p.mark(*(at + '/' + k for k in ('cpfCnpj', 'razaoSocial', 'endereco', 'municipio', 'uf')))
        p.y += 58
    p.frame(left, p.y, wide, 190)
    title = 'DISCRIMINAÇÃO DOS SERVIÇOS'
    p.heading(p.middle(title), p.y + 11, title)
    what = r.choice(('Desenvolvimento e manutenção de sistema web', 'Consultoria jurídica em matéria contratual', 'Tratamento odontológico conforme orçamento', 'Criação de campanha para redes sociais'))
    gross = cents(r, 300, 18500)
    y = p.y + 30
    p.show(left + 8, y, what, '/servicoPrestado', kind='text')
    y += p.size * 2.4
    month = later(day.replace(day=1), -1)
    p.put(left + 8, y, 'Período: %s de %d. Contrato %s.' % (p.day(month, '%B'), month.year, p.code('###/2024')))
    due = later(day, 15)
    if p.maybe('/vencimento', r.random() < 0.6, 'date'):
        p.date(left + 8, y + p.size * 1.4, due, '/vencimento', before='Vencimento: ')
        p.mark('/vencimento')
    p.put(left + 8, y + p.size * 3.4, 'Dados bancários: Banco 341, agência %s, conta %s. PIX: CNPJ.' % (p.code('####'), p.code('#####-#')))
    p.y += 190
    held = not taker and r.random() < 0.6
    rates = (('pis', 'PIS (R$)', 0.0065), ('cofins', 'COFINS (R$)', 0.03), ('inss', 'INSS (R$)', 0.0), ('ir', 'IR (R$)', 0.015), ('csll', 'CSLL (R$)', 0.01))
    p.fill(left, p.y, wide, 20, PALE)
    p.frame(left, p.y, wide, 20)
    text = 'VALOR TOTAL DA NOTA = ' + p.in_money(gross)
    with p.look(True):
        x = p.middle(text, 1.2)
        p.show(x, p.y + 14, p.number(gross), '/valorTotal', gross, 'amount', size=p.size * 1.2, before='VALOR TOTAL DA NOTA = R$ ')
        p.currency_at = '/moeda'
        p.see_currency(x, p.y + 14, text, p.size * 1.2)
    p.mark('/valorTotal')
    p.y += 20
    taxes = {key: round(gross * rate, 2) if held else 0.0 for key, _, rate in rates}
    p.boxes(left, p.y, [(wide / 5, label, p.number(taxes[key]), '/retencoes/' + key, taxes[key], 'amount') for key, label, _ in rates], 26)
    p.y += 26
    code, name, rate = r.choice((('02.919', 'Licenciamento de programas de computação', 2.9), ('03.220', 'Advocacia', 5.0), ('04.693', 'Odontologia', 2.0), ('06.394', 'Propaganda e publicidade', 5.0)))
    x, y = p.box_of(left, p.y, wide, 24, 'Código do Serviço', 6)
    p.show(x, y, code, '/codigoServico', kind='code', after=' - ' + name)
    p.y += 24
    iss = round(gross * rate / 100, 2)
    p.boxes(left, p.y, [(wide / 5, 'Valor Total das Deduções (R$)', '0,00', '/deducoes', 0.0, 'amount'), (wide / 5, 'Base de Cálculo (R$)', p.number(gross), '/baseCalculo', gross, 'amount'), (wide / 5, 'Alíquota (%)', p.number(rate) + '%', '/aliquotaIss', rate, 'rate'), (wide / 5, 'Valor do ISS (R$)', p.number(iss), '/valorIss', iss, 'amount'), (wide / 5, 'Valor Líquido (R$)', p.number(round(gross - sum(taxes.values()), 2)), '/valorLiquido', round(gross - sum(taxes.values()), 2), 'amount')], 26)
    p.y += 26
    p.frame(left, p.y, wide, 52)
    title = 'OUTRAS INFORMAÇÕES'
    p.heading(p.middle(title), p.y + 11, title)
    p.prose(left + 8, p.y + 24, ['(1) Esta NFS-e foi emitida com respaldo na legislação municipal.  (2) O ISS desta NFS-e será recolhido pelo prestador.'], size=0.9)
    rps = r.random() < 0.5
    if p.maybe('/numeroRps', rps, 'id'):
        p.show(left + 8, p.y + 24 + p.size * 1.4, p.code('####'), '/numeroRps', kind='id', before='(3) Esta NFS-e substitui o RPS nº ', after=' Série A.', size=p.size * 0.9)
        p.mark('/numeroRps')
    p.mark('/codigoServico')
    p.needed.update(('/numeroNota', '/valorTotal'))
    p.lacks('/dataCompetencia', 'date')
    p.says.update({'/servicoPrestado': 'O que foi prestado, sem período, contrato e dados bancários', '/dataCompetencia': 'Data de competência, se impressa'})
    return p.done_with('numeroNota dataEmissao dataCompetencia codigoVerificacao numeroRps prestador tomador servicoPrestado vencimento codigoServico valorTotal moeda retencoes deducoes baseCalculo aliquotaIss valorIss valorLiquido')


# -- Italian, Danish and Dutch

def tari(seed):
    """An Italian town's demand for the waste tax: arms and office in the middle, the taxpayer in a window, premises with fixed and variable part, the province's share, instalments with their codes."""
    p = Visitor(seed, 'tari', 'IT', style='classes', ordinary=False, fonts=COMPACT + ('DejaVuSansCondensed',), labels=('colon', 'gap'), money=('1.234,56',), minus=('front', 'long'), dates=('%d/%m/%Y',), currency=('EUR',)).start()
    r, left, end = p.r, 46, p.width - 46
    town = r.choice(('Modena', 'Perugia', 'Verona', 'Livorno'))
    p.frame(p.width / 2 - 11, p.y - 10, 22, 26)
    p.middled(p.width / 2, p.y + 30, 'Comune di ' + town, '/ente', kind='name', size=1.6)
    text = 'Settore Tributi - Ufficio TARI'
    p.put(p.middle(text), p.y + 30 + p.size * 1.5, text)
    day = datetime.date(2025, r.choice((3, 4, 5)), r.randint(1, 28))
    person, home = p.people[0], p.home()
    p.y = 122
    code = codice_fiscale(''.join(r.choice('BCDFGLMNPRST') for _ in range(6)) + '%02d%s%02d' % (r.randint(45, 99), r.choice('ABCDEHLMPRST'), r.randint(1, 28)) + 'F257')
    number = p.code(r.choice(('2025/######', '0000######')))
    user = p.code('######')
    p.fields(left, [('Avviso n.', number, '/notice_number', None, 'id'), iso(p, '/notice_date', day, 'del'), ('Codice utente', user, '/user_code', None, 'id'), ('Codice fiscale', code, '/taxpayer/tax_code', None, 'id')], gap=84)
    y = 122
    p.put(330, y, 'Egr. Sig./Gent.ma')
    p.show(330, y + p.size * 1.35, person.upper(), '/taxpayer/name', kind='name')
    p.block(330, y + p.size * 2.7, [home[0].upper(), '%s %s' % (home[1], home[2].upper())], '/taxpayer/address')
    p.y = 206
    p.show(left, p.y, '2025', '/year', 2025, 'number', before='OGGETTO: Avviso di pagamento TARI anno ')
    p.integers.add('/year')
    p.y += p.size * 2.4
    p.y = p.prose(left, p.y, ['Sulla base dei dati dichiarati è dovuta la tassa sui rifiuti calcolata come segue.']) + 12
    rows, due = [], 0.0
    for kind, cat in r.sample((('Abitazione', 'D - %d occupanti'), ('Autorimessa', 'D - %d occupanti'), ('Cantina', 'D - %d occupanti'), ('Ufficio', 'ND 11')), r.randint(1, 3)):
        area = r.randint(12, 160)
        n = r.randint(1, 5)
        fixed, var = round(area * r.randint(60, 190) / 100, 2), round(r.randint(3000, 16000) / 100, 2) if kind in ('Abitazione', 'Ufficio') else 0.0
        off = -round((fixed + var) * 0.2, 2) if r.random() < 0.3 else 0.0
        own = round(fixed + var + off, 2)
        due = round(due + own, 2)
        rows.append({'location': '%s - %s' % (home[0], kind), 'category': cat % n if '%' in cat else cat, 'area_sqm': p.cell(area, 0), 'fixed_part': p.cell(fixed), 'variable_part': p.cell(var), 'reduction': p.cell(off), 'amount': p.cell(own)})
    p.listing('/premises', [('location', 'Ubicazione e uso', left, False), ('category', 'Categoria', 205, False), ('area_sqm', 'Mq', 305, True), ('fixed_part', 'Quota\nfissa', 360, True), ('variable_part', 'Quota\nvariabile', 418, True), ('reduction', 'Riduzioni', 478, True), ('amount', 'Importo', end, True)], rows, kinds_of(area_sqm='number', fixed_part='amount', variable_part='amount', reduction='amount', amount='amount'), look=r.choice(('lines', 'grey')), edge=(left, end), step=1.7, ruled=True)
    p.integers.add('/premises/*/area_sqm')
    tefa = round(due * 0.05, 2)
    p.sums(300, end, [('Totale TARI', due, '/tari_total'), ('Tributo provinciale TEFA 5%', tefa, '/provincial_tax')])
    exact = round(due + tefa, 2)
    total = float(round(exact))
    if p.maybe('/rounding', exact != total, 'amount'):
        p.sums(300, end, [('Arrotondamento', round(total - exact, 2), '/rounding')])
    p.total(300, end, 'TOTALE DOVUTO', total, '/total_due', 1.1)
    p.y += p.size * 1.5
    p.heading(left, p.y, 'SCADENZE DI PAGAMENTO')
    p.y += p.size * 2
    n = r.choice((2, 3, 4))
    each = float(int(total / n))
    stops = [datetime.date(2025, 5, 31), datetime.date(2025, 7, 31), datetime.date(2025, 9, 30), datetime.date(2025, 12, 2)][4 - n:]
    rates = [{'instalment': '%dª rata' % (i + 1), 'due_date': (p.day(d), d.isoformat()), 'notice_code': p.code('3010 0000 00## #### ##'), 'amount': p.cell(each if i < n - 1 else round(total - each * (n - 1), 2))} for i, d in enumerate(stops)]
    rates.append([(left, 'Rata unica', False), (left + 90, p.day(stops[0]), False), (left + 180, p.code('3010 0000 00## #### ##'), False), (430, p.number(total), True)])
    p.listing('/instalments', [('instalment', 'Rata', left, False), ('due_date', 'Scadenza', left + 90, False), ('notice_code', 'Codice avviso pagoPA', left + 180, False), ('amount', 'Importo €', 430, True)], rates, kinds_of(due_date='date', notice_code='id', amount='amount'), look='rule', edge=(left, 430), step=1.6)
    p.y += 8
    p.prose(left, p.y, ['Il pagamento può essere effettuato presso banche, uffici postali, tabaccherie o tramite home banking con il codice pagoPA.', 'Il mancato pagamento alle scadenze comporta la notifica di un avviso di accertamento con sanzione del 25 per cento.', 'Responsabile del procedimento: ' + p.people[1]], size=0.9)
    iva = partita_iva(p)
    p.foot([(left, ['Comune di ' + town + ' - Piazza del Municipio, 1', ('P.IVA', iva, '/ente_vat', None, 'id')]), (330, ['tributi@comune.example', 'lun-ven 8:30-12:30'])])
    p.mark('/ente_vat')
    p.lacks('/previous_debt', 'amount')
    p.lacks('/taxpayer/vat_number', 'id')
    p.needed.update(('/notice_number', '/total_due'))
    p.says.update({'/instalments': 'Le singole rate, senza la rata unica', '/premises/*/reduction': 'As printed, with its sign', '/ente': 'Comune che emette l’avviso', '/previous_debt': 'Importi arretrati di anni precedenti, se presenti', '/notice_date': 'Data dell’avviso', '/premises/*/location': 'Ubicazione e uso come stampati', '/rounding': 'Arrotondamento con segno'})
    return p.done_with('ente ente_vat notice_number notice_date year user_code taxpayer premises tari_total provincial_tax previous_debt rounding total_due currency instalments')


def girokort(seed):
    """A Danish tradesman's invoice: customer at the left without a label, facts at the right edge, work and materials as groups, tax of 25 per cent, the card's line of digits at the foot."""
    p = Visitor(seed, 'girokort', 'DK', style='plain', ordinary=True, fonts=COMPACT + ('OpenSans-Regular', 'Lato-Regular'), labels=('gap', 'colon'), money=('1.234,56',), minus=('front',), dates=('%d-%m-%Y', '%d.%m.%Y', '%-d. %B %Y'), currency=('DKK',)).start()
    r, left, end = p.r, 52, p.width - 52
    firm, home, client, theirs = p.firms[0], p.home(), p.people[0], p.home()
    p.heading(end, p.y + 10, firm, 1.7, right=True)
    p.distract('name', firm)
    p.show(left, 104, client, '/kunde/navn', kind='name')
    p.block(left, 104 + p.size * 1.35, [theirs[0], '%s %s' % (theirs[1], theirs[2])], '/kunde/adresse')
    day = p.some_day()
    due = later(day, r.choice((8, 14, 30)))
    number = p.code(r.choice(('#####', '2025###')))
    p.heading(left, 196, 'Faktura', 1.7)
    p.y = 160
    for label, text, at, value, kind in (('Fakturanr.', number, '/fakturanummer', None, 'id'), ('Kundenr.', p.code('####'), '/kundenummer', None, 'id'), iso(p, '/fakturadato', day, 'Fakturadato'), ('Sagsnr.', p.code('S-####'), '/sagsnummer', None, 'id')):
        p.pair(380, p.y, label, text, at, value, kind, right=end)
        p.y += p.size * 1.5
    p.y += 12
    x = p.put(left, p.y, 'Vedr.: ')
    p.show(x, p.y, r.choice(('Udskiftning af varmtvandsbeholder', 'Reparation af tag', 'Beskæring af hæk og træer', 'Montering af køkken')), '/vedroerende', kind='text')
    p.y += p.size * 3
    groups = [('Arbejdsløn', [('Svend, timer', 'tim', 495.0), ('Lærling, timer', 'tim', 315.0), ('Servicevogn', 'stk', 285.0)]), ('Materialer', [('Kobberrør 22 mm', 'm', 118.5), ('Fittings, diverse', 'stk', 46.25), ('Tagpap', 'rulle', 612.0), ('Skruer og beslag', 'stk', 149.0), ('Varmtvandsbeholder 110 l', 'stk', 5890.0), ('Fugemasse', 'stk', 74.95)])]
    rows, sub = [], 0.0
    for title, some in groups:
        rows.append(title)
        for name, unit, price in r.sample(some, r.randint(1, min(4, len(some)))):
            n = r.randint(4, 60) / 4 if unit in ('tim', 'm') else float(r.randint(1, 4))
            own = round(n * price, 2)
            sub = round(sub + own, 2)
            rows.append({'tekst': name, 'antal': p.cell(n), 'enhed': unit, 'pris': p.cell(price), 'beloeb': p.cell(own)})
    p.listing('/linjer', [('tekst', 'Beskrivelse', left, False), ('antal', 'Antal', 330, True), ('enhed', 'Enhed', 340, False), ('pris', 'Stk. pris', 440, True), ('beloeb', 'Beløb', end, True)], rows, kinds_of(antal='number', enhed='unit', pris='amount', beloeb='amount'), look=r.choice(('rule', 'grey', 'plain')), edge=(left, end), step=1.65)
    p.rule(330, end, p.y - p.size * 1.2)
    vat = round(sub * 0.25, 2)
    total = round(sub + vat, 2)
    p.sums(330, end, [('Subtotal', sub, '/subtotal'), ('Moms (25,00%)', vat, '/moms')])
    p.put(330, p.y, 'I alt ')
    with p.look(True):
        p.show(330 + p.wide('I alt '), p.y, 'DKK', '/valuta', kind='currency')
        p.money(end, p.y, total, '/total')
    p.mark('/total')
    p.y += p.size * 3
    reg, account, cvr = p.code('####'), p.code('00########'), weighed(p, (-2, -7, -6, -5, -4, -3, -2))
    fi = luhn(p.code('#' * 14))
    creditor = p.code('8#######')
    p.date(left, p.y, due, '/forfaldsdato', before='Betalingsbetingelser: Netto %d dage - Forfaldsdato: ' % (due - day).days)
    p.mark('/forfaldsdato')
    p.y += p.size * 1.5
    x = p.show(left, p.y, reg, '/bank/regnr', kind='id', before='Beløbet indbetales på bankkonto: Reg.nr. ')
    p.show(x, p.y, account, '/bank/kontonr', kind='id', before=' Kontonr. ')
    p.mark('/bank/regnr', '/bank/kontonr')
    p.y += p.size * 1.5
    p.put(left, p.y, 'Ved for sen betaling tilskrives renter efter renteloven samt rykkergebyr på 100,00 kr.')
    if p.maybe('/haandvaerkerfradrag', r.random() < 0.4, 'amount'):
        p.y += p.size * 1.5
        wage = round(total * 0.4, 2)
        p.show(left, p.y, p.number(wage), '/haandvaerkerfradrag', wage, 'amount', before='Heraf fradragsberettiget arbejdsløn inkl. moms: ', after=' kr.')
    y = p.height - 104
    p.rule(left, end, y - 12)
    p.put(left, y, 'Indbetalingskort')
    p.put(left, y + p.size * 1.6, '+71< %s +%s<' % (fi, creditor), size=p.size * 1.2)
    p.truth['/fik_linje'] = [{'page': 1, 'text': '+71< %s +%s<' % (fi, creditor), 'boxes': p.box(left, y + p.size * 1.6, '+71< %s +%s<' % (fi, creditor), 0, len('+71< %s +%s<' % (fi, creditor)), p.size * 1.2)}]
    p.say_value('/fik_linje', '+71< %s +%s<' % (fi, creditor), 'id')
    p.foot([(left, [('', firm, '/leverandoer/navn', None, 'name'), ('', '%s, %s %s' % tuple(home), '/leverandoer/adresse', None, 'address')]), (300, [('CVR-nr.', cvr, '/leverandoer/cvr', None, 'id'), 'Tlf. ' + p.code('## ## ## ##')]), (430, ['faktura@firma.example', 'Side 1 af 1'])])
    p.mark('/leverandoer/cvr')
    p.lacks('/ean_nummer', 'id')
    p.lacks('/rabat', 'amount')
    p.titles.update({'/haandvaerkerfradrag': 'Fradragsberettiget arbejdsløn', '/fik_linje': 'FIK-linje (+71)'})
    return p.done_with('leverandoer kunde fakturanummer kundenummer sagsnummer ean_nummer fakturadato forfaldsdato vedroerende linjer rabat subtotal moms total valuta haandvaerkerfradrag bank fik_linje')


def zorgnota(seed):
    """A Dutch insurer's account of treatments: policy and day at the right, who was treated as headings, each claim with provider and period in two lines, what is paid and what is one's own risk."""
    p = Visitor(seed, 'zorgnota', 'NL', style='classes', ordinary=False, fonts=COMPACT + ('OpenSans-Regular',), labels=('gap', 'above'), money=('1.234,56',), minus=('front',), dates=('%d-%m-%Y', '%-d %B %Y'), currency=('EUR',)).start()
    r, left, end = p.r, 56, p.width - 56
    insurer, colour = r.choice((('Zilverberg Zorgverzekeringen', (0.0, 0.4, 0.55)), ('Eendracht Zorg', (0.8, 0.4, 0.0)), ('Noorderzorg U.A.', (0.2, 0.45, 0.15))))
    with p.look(True, colour):
        p.show(left, p.y + 8, insurer, '/insurerName', kind='name', size=p.size * 1.7)
    who, home = p.people[0], p.home()
    p.show(left, 108, who, '/policyholder/name', kind='name', before=r.choice(('De heer/mevrouw ', 'Aan ')))
    p.block(left, 108 + p.size * 1.35, [home[0], '%s %s' % (home[1], home[2])], '/policyholder/address')
    day = p.some_day()
    relation, number = p.code('1########'), p.code('7#########')
    p.y = 108
    p.fields(355, [iso(p, '/statementDate', day, 'Datum'), ('Relatienummer', relation, '/customerNumber', None, 'id'), ('Declaratienummer', number, '/statementNumber', None, 'id')], gap=92)
    p.y = 186
    p.heading(left, p.y, 'Overzicht van uw zorgkosten', 1.5)
    p.y += p.size * 2.2
    p.y = p.prose(left, p.y, ['Wij hebben de onderstaande nota’s verwerkt. Hieronder ziet u wat wij vergoeden en wat u zelf betaalt.']) + 10
    claims = [('Huisarts, consult', 'Huisartsenpraktijk Oost', 12, 60, False), ('Fysiotherapie, zitting', 'Fysio Dijkstra', 35, 45, True), ('Laboratoriumonderzoek', 'Medlon', 9, 160, True), ('Apotheek, geneesmiddel', 'Apotheek De Brug', 6, 95, True), ('Ziekenhuis, polikliniek', 'Isala', 110, 900, True), ('Tandarts, controle', 'Tandartspraktijk De Dreef', 24, 70, False)]
    rows, paid_all, risk_all, own_all, first = [], 0.0, 0.0, 0.0, None
    persons = [who] + ([p.people[1]] if r.random() < 0.4 else [])
    for one in persons:
        rows.append(one + ', geboren ' + p.day(datetime.date(r.randint(1955, 2001), r.randint(1, 12), r.randint(1, 28)), '%d-%m-%Y'))
        so_far = 0.0
        for name, house, low, high, risky in r.sample(claims, r.randint(1, 4)):
            when, cost = later(day, -r.randint(20, 80)), cents(r, low, high)
            risk = round(min(cost, 385 - so_far), 2) if risky and r.random() < 0.7 else 0.0
            so_far = round(so_far + risk, 2)
            own = round(cost * 0.25, 2) if name.startswith('Tandarts') else 0.0
            paid = round(cost - risk - own, 2)
            paid_all, risk_all, own_all = round(paid_all + paid, 2), round(risk_all + risk, 2), round(own_all + own, 2)
            rows.append({'treatmentDate': (p.day(when, '%d-%m-%Y'), when.isoformat()), 'description': name, 'provider': house, 'charged': p.cell(cost), 'reimbursed': p.cell(paid), 'deductible': p.cell(risk), 'ownContribution': p.cell(own)})
        first = so_far if first is None else first
    p.listing('/claims', [('treatmentDate', 'Behandel-\ndatum', left, False), ('description', 'Omschrijving', left + 62, False), ('charged', 'Nota-\nbedrag', 330, True), ('reimbursed', 'Vergoed', 390, True), ('deductible', 'Eigen\nrisico', 440, True), ('ownContribution', 'Eigen\nbijdrage', end, True)], rows, kinds_of(treatmentDate='date', provider='name', charged='amount', reimbursed='amount', deductible='amount', ownContribution='amount'), under=[[('provider', left + 62, '')]], look='rule', edge=(left, end), step=1.8, ruled=seed % 2 == 0)
    p.rule(left, end, p.y - p.size * 1.2)
    p.heading(left, p.y, 'Totaal')
    for x, v, at in ((390, paid_all, '/totalReimbursed'), (440, risk_all, '/totalDeductible'), (end, own_all, '/totalOwnContribution')):
        p.money(x, p.y, v, at)
    p.y += p.size * 3
    due = round(risk_all + own_all, 2)
    if p.maybe('/amountToPay', due > 0, 'amount'):
        p.fill(left, p.y - p.size * 1.5, end - left, p.size * 2.4, PALE)
        with p.look(True):
            p.put(left + 8, p.y, 'U betaalt aan ons')
            p.money(end - 8, p.y, due, '/amountToPay', 'currency')
        p.mark('/amountToPay')
        p.y += p.size * 2.8
        limit = later(day, 21)
        p.date(left, p.y, limit, '/collectionDate', before='Wij schrijven dit bedrag omstreeks ', after=' af van uw rekening')
        p.optional.add('/collectionDate')
        iban = iban_of('NL', 'RABO0' + p.code('#########'))
        p.show(left, p.y + p.size * 1.4, p.grouped(iban), '/iban', iban, 'id', before='met nummer ', after='.')
        p.optional.add('/iban')
        p.y += p.size * 4
    else:
        p.put(left, p.y, 'U hoeft niets te betalen. Bedragen zijn in euro (EUR).')
        p.truth['/currency'] = [{'page': 1, 'text': 'EUR', 'boxes': p.box(left, p.y, 'U hoeft niets te betalen. Bedragen zijn in euro (EUR).', 48, 51, p.size)}]
        p.say_value('/currency', 'EUR', 'currency')
        p.lacks('/collectionDate', 'date')
        p.lacks('/iban', 'id')
        p.y += p.size * 3
    used = round(min(385.0, first + r.choice((0, 0, 0, 40))), 2)
    p.heading(left, p.y, 'Stand van uw eigen risico %d' % day.year)
    p.y += p.size * 1.7
    for label, v, at in (('Verplicht eigen risico', 385.0, '/deductibleStatus/limit'), ('Tot nu toe verrekend', used, '/deductibleStatus/used'), ('Nog te gaan', round(385 - used, 2), '/deductibleStatus/remaining')):
        p.put(left, p.y, label)
        p.money(280, p.y, v, at, True)
        p.mark(at)
        p.y += p.size * 1.45
    p.prose(left, p.height - 66, ['Klopt er iets niet? Laat het ons binnen zes weken weten via Mijn omgeving of bel 088 - ' + p.code('### ## ##') + '.', insurer + ', Postbus ' + p.code('###') + ', ' + p.code('8###') + ' AA Leeuwarden. KvK ' + p.code('0#######')], size=0.85)
    p.lacks('/bic', 'id')
    p.needed.update(('/statementDate', '/customerNumber'))
    p.says.update({'/claims': 'One row per treatment of all insured persons', '/claims/*/provider': 'Zorgverlener', '/amountToPay': 'What the policyholder has to pay, null if nothing', '/collectionDate': 'Day of the direct debit', '/deductibleStatus/used': 'Eigen risico verrekend tot nu toe', '/policyholder/name': 'Without salutation', '/iban': 'Account the amount is collected from', '/statementNumber': 'Declaratienummer'})
    return p.done_with('insurerName statementDate statementNumber customerNumber policyholder claims totalReimbursed totalDeductible totalOwnContribution amountToPay currency collectionDate iban bic deductibleStatus')


# -- Hungarian and Romanian

def szamla(seed):
    """A Hungarian invoice: seller and buyer in two framed halves, a row of cells with mode and three days, lines with net, tax and gross, a small table by rate, the sum to pay large, no parts of a forint."""
    p = Visitor(seed, 'szamla', 'HU', whole=True, style='strict', ordinary=True, fonts=COMPACT + ('DejaVuSans',), labels=('above',), money=('1 234,56', '1.234,56', '1\u00a0234,56'), minus=('front',), dates=('%Y.%m.%d.', '%Y-%m-%d', '%Y. %B %-d.'), currency=('HUF',)).start()
    p.size = min(p.size, 8.5) if p.font.startswith('DejaVu') else p.size
    r, left, end = p.r, 40, p.width - 40
    half = (end - left) / 2
    p.heading(left, p.y + 6, 'SZÁMLA', 1.9)
    number = p.code(r.choice(('SZ-2025/####', 'E-ABC-2025-###', '2025/00###')))
    p.show(end, p.y + 6, number, '/szamlaszam', kind='id', right=True, before='Számla sorszáma: ')
    p.mark('/szamlaszam')
    p.y += 20
    person = seed % 3 == 1
    buyer = p.people[0] if person else p.firms[1]
    tax = lambda: weighed(p, (-9, -7, -3, -1, -9, -7, -3), 10) + p.code('-2-') + r.choice(('42', '06', '09', '08'))
    account = '-'.join(weighed(p, weights, 10) for weights in ((-9, -7, -3, -1, -9, -7, -3), (-9, -7, -3, -1, -9, -7, -3))) + '-00000000'
    for x, title, name, at in ((left, 'Eladó:', p.firms[0], '/elado'), (left + half, 'Vevő:', buyer, '/vevo')):
        p.frame(x, p.y, half, 88)
        p.put(x + 6, p.y + 11, title, size=p.size * 0.85)
        with p.look(True):
            p.show(x + 6, p.y + 24, name, at + '/nev', kind='name')
        h = p.home()
        y = p.block(x + 6, p.y + 24 + p.size * 1.4, ['%s %s' % (h[1], h[2]), h[0] + '.'], at + '/cim')
        if at == '/elado' or not person:
            p.show(x + 6, y, tax(), at + '/adoszam', kind='id', before='Adószám: ')
            p.mark(at + '/adoszam')
        else:
            p.lacks(at + '/adoszam', 'id')
        if at == '/elado':
            p.show(x + 6, y + p.size * 1.4, account, at + '/bankszamla', kind='id', before='Bankszámlaszám: ')
            p.mark(at + '/bankszamla')
    p.optional.add('/vevo/adoszam')
    p.y += 88
    day = p.some_day()
    cash = r.random() < 0.3
    done, due = later(day, -r.randint(0, 5)), day if cash else later(day, r.choice((8, 15, 30)))
    wide = (end - left) / 4
    p.boxes(left, p.y, [(wide, 'Fizetési mód', 'Készpénz' if cash else r.choice(('Átutalás', 'Bankkártya')), '/fizetesi_mod', None, 'text'), (wide, 'Teljesítés dátuma', p.day(done), '/teljesites_datuma', done.isoformat(), 'date'), (wide, 'Számla kelte', p.day(day), '/szamla_kelte', day.isoformat(), 'date'), (wide, 'Fizetési határidő', p.day(due), '/fizetesi_hatarido', due.isoformat(), 'date')])
    p.enums['/fizetesi_mod'] = ['Készpénz', 'Átutalás', 'Bankkártya']
    p.y += 54
    goods = [('Könyvelési díj', 'hó', 27), ('Másolópapír A4', 'csomag', 27), ('Tölgyfa polc', 'db', 27), ('Szakkönyv', 'db', 5), ('Falazóelem 30', 'db', 27), ('Kiszállítás', 'alk.', 27), ('Festés, mázolás', 'm2', 27), ('Tankönyv', 'db', 5), ('Bérszámfejtés', 'fő', 27)]
    rows, bases = [], {}
    for name, unit, rate in r.sample(goods, r.randint(2, 6)):
        n, price = r.randint(1, 30), r.randint(12, 900) * 25
        net, vat = n * price, round(n * price * rate / 100)
        old = bases.get(rate, (0, 0))
        bases[rate] = old[0] + net, old[1] + vat
        rows.append({'megnevezes': name, 'mennyiseg': p.cell(n, 0), 'egyseg': unit, 'egysegar': p.cell(price), 'netto': p.cell(net), 'afa_kulcs': ('%d%%' % rate, rate), 'afa': p.cell(vat), 'brutto': p.cell(net + vat)})
    p.listing('/tetelek', [('megnevezes', 'Megnevezés', left, False), ('mennyiseg', 'Menny.', 205, True), ('egyseg', 'Egys.', 211, False), ('egysegar', 'Egységár', 300, True), ('netto', 'Nettó ár', 365, True), ('afa_kulcs', 'ÁFA', 400, True), ('afa', 'ÁFA érték', 465, True), ('brutto', 'Bruttó ár', end, True)], rows, kinds_of(mennyiseg='number', egyseg='unit', egysegar='amount', netto='amount', afa_kulcs='rate', afa='amount', brutto='amount'), look=r.choice(('rule', 'grey', 'lines')), edge=(left, end), step=1.75)
    p.y += 6
    net, vat = sum(b[0] for b in bases.values()), sum(b[1] for b in bases.values())
    p.listing('/afa_osszesito', [('afa_kulcs', 'ÁFA kulcs', 300, True), ('netto', 'Nettó', 365, True), ('afa', 'ÁFA', 465, True), ('brutto', 'Bruttó', end, True)], [{'afa_kulcs': ('%d%%' % rate, rate), 'netto': p.cell(b[0]), 'afa': p.cell(b[1]), 'brutto': p.cell(sum(b))} for rate, b in sorted(bases.items())], kinds_of(afa_kulcs='rate', netto='amount', afa='amount', brutto='amount'), look='rule', edge=(250, end), step=1.5)
    p.rule(250, end, p.y - p.size * 1.2)
    p.heading(250, p.y, 'Összesen')
    for x, v, at in ((365, net, '/netto_osszesen'), (465, vat, '/afa_osszesen'), (end, net + vat, '/brutto_osszesen')):
        p.money(x, p.y, v, at)
    p.y += p.size * 3.4
    p.currency_at = '/penznem'
    p.total(250, end, 'Fizetendő összesen:', net + vat, '/fizetendo', 1.45)
    p.y += p.size * 2
    p.put(left, p.y, 'A számla aláírás és bélyegző nélkül is érvényes.')
    if p.maybe('/megjegyzes', r.random() < 0.5, 'text'):
        p.y += p.size * 1.6
        p.show(left, p.y, r.choice(('Köszönjük a vásárlást!', 'A munkát 2 év garanciával végeztük.', 'Szállítólevél a csomagban.')), '/megjegyzes', kind='text', before='Megjegyzés: ')
        p.mark('/megjegyzes')
    p.put(left, p.height - 40, 'Készült: szamla.example programmal', size=p.size * 0.8)
    p.put(end, p.height - 40, '1. oldal / 1', size=p.size * 0.8, right=True)
    p.lacks('/rendelesszam', 'id')
    p.lacks('/vevo/bankszamla', 'id')
    return p.done_with('szamlaszam elado vevo fizetesi_mod teljesites_datuma szamla_kelte fizetesi_hatarido rendelesszam tetelek afa_osszesito netto_osszesen afa_osszesen brutto_osszesen fizetendo penznem megjegyzes')


def facturaro(seed):
    """A Romanian invoice: supplier at the left and customer at the right with the same facts one under another, series and number in the middle between them, a ruled grid with numbered columns, totals in its last row."""
    p = Visitor(seed, 'facturaro', 'RO', style='plain', ordinary=True, fonts=('LiberationSans-Regular', 'LiberationSerif-Regular', 'DejaVuSansCondensed'), labels=('colon',), money=('1.234,56', '1,234.56', '1234.56'), minus=('front',), dates=('%d.%m.%Y', '%d/%m/%Y', '%d-%m-%Y'), currency=('RON',)).start()
    r, left, end = p.r, 38, p.width - 38
    day = p.some_day()
    due = later(day, r.choice((7, 15, 30)))
    series, number = r.choice(('CJ', 'FCT', 'BVO', 'A')), p.code('0####')
    for x, title, firm, at in ((left, 'Furnizor', p.firms[0], '/furnizor'), (392, 'Client', p.firms[1], '/client')):
        y, home = p.y, p.home()
        p.show(x, y, firm, at + '/denumire', kind='name', before=title + ': ')
        facts = [('Reg. com.', p.code('J##/####/200#'), '/reg_com', 'id'), ('CIF', romanian_id(p), '/cif', 'id')]
        for label, text, key, kind in facts:
            y += p.size * 1.4
            p.show(x, y, text, at + key, kind=kind, before=label + ': ')
        y += p.size * 1.4
        p.show(x, y, home[0], at + '/adresa', '%s, %s, %s' % (home[0], home[2], home[1]), 'address', before='Adresa: ')
        y += p.size * 1.4
        p.show(x, y, '%s, %s' % (home[2], home[1]), at + '/adresa', more=True)
        iban = iban_of('RO', r.choice(('BTRL', 'INGB', 'RNCB')) + p.code('#' * 16))
        if at == '/furnizor' or seed % 2:
            y += p.size * 1.4
            p.show(x, y, iban, at + '/iban', kind='id', before='IBAN: ')
        else:
            p.lacks(at + '/iban', 'id')
        p.mark(*(at + k for k in ('/denumire', '/reg_com', '/cif', '/adresa')))
    p.optional.add('/client/iban')
    p.y += p.size * 12
    p.heading(p.middle('FACTURA', 1.9), p.y, 'FACTURA', 1.9)
    text = 'Seria %s nr. %s' % (series, number)
    x = p.middle(text)
    p.show(x, p.y + p.size * 1.8, series, '/serie', kind='code', before='Seria ')
    p.show(x + p.wide('Seria %s ' % series), p.y + p.size * 1.8, number, '/numar', kind='id', before='nr. ')
    text = 'Data (zi/lună/an): ' + p.day(day)
    p.date(p.middle(text), p.y + p.size * 3.2, day, '/data_emiterii', before='Data (zi/lună/an): ')
    text = 'Cota TVA: 19%'
    p.put(p.middle(text), p.y + p.size * 4.6, text)
    p.mark('/serie', '/numar', '/data_emiterii')
    p.y += p.size * 8
    goods = [('Servicii tipografice, pliante A5', 'buc'), ('Ciment 40 kg', 'sac'), ('Manoperă montaj', 'oră'), ('Semințe de floarea-soarelui', 'kg'), ('Gresie porțelanată', 'mp'), ('Consultanță juridică', 'oră'), ('Transport local', 'km'), ('Țeavă PPR 20 mm', 'm'), ('Îngrășământ complex', 'sac')]
    rows, net_all, vat_all = [], 0.0, 0.0
    for i, (name, unit) in enumerate(r.sample(goods, r.randint(2, 7))):
        n, price = r.randint(1, 90), cents(r, 3, 290)
        net = round(n * price, 2)
        vat = round(net * 0.19, 2)
        net_all, vat_all = round(net_all + net, 2), round(vat_all + vat, 2)
        rows.append({'nr_crt': (str(i + 1), i + 1), 'denumire': name, 'um': unit, 'cantitate': p.cell(n), 'pret_unitar': p.cell(price), 'valoare': p.cell(net), 'valoare_tva': p.cell(vat)})
    columns = [('nr_crt', 'Nr.\ncrt.', left + 4, False), ('denumire', 'Denumirea produselor\nsau a serviciilor', left + 30, False), ('um', 'U.M.', 242, False), ('cantitate', 'Cantitatea', 325, True), ('pret_unitar', 'Preț unitar\n(fără TVA) -lei-', 402, True), ('valoare', 'Valoarea\n-lei-', 480, True), ('valoare_tva', 'Valoarea TVA\n-lei-', end - 3, True)]
    rows.insert(0, [(left + 6, '0', False), (130, '1', False), (250, '2', False), (308, '3', False), (378, '4', False), (444, '5 (3x4)', False), (530, '6', False)])
    uprights = (left, left + 24, 236, 272, 330, 407, 485, end)
    p.listing('/produse', columns, rows, kinds_of(nr_crt='number', um='unit', cantitate='number', pret_unitar='amount', valoare='amount', valoare_tva='amount'), look='lines', edge=(left, end), step=1.7, ruled=True, uprights=uprights)
    p.integers.add('/produse/*/nr_crt')
    total = round(net_all + vat_all, 2)
    p.y += 2
    p.heading(402, p.y, 'Total', right=True)
    p.money(480, p.y, net_all, '/total_fara_tva')
    p.money(end - 3, p.y, vat_all, '/total_tva')
    p.y += p.size * 2
    p.heading(402, p.y, 'Total de plată (col. 5 + col. 6)', right=True)
    p.currency_at = '/moneda'
    with p.look(True):
        p.money(end - 3, p.y, total, '/total_plata', 'currency', size=p.size * 1.15)
    p.mark('/total_plata')
    p.y += p.size * 3
    agent = p.people[0]
    p.date(left, p.y, due, '/data_scadentei', before='Termen de plată: ')
    p.mark('/data_scadentei')
    p.y += p.size * 1.8
    p.frame(left, p.y - 4, end - left, 58)
    y = p.y + 8
    p.show(left + 6, y, agent, '/delegat/nume', kind='name', before='Numele delegatului: ')
    p.mark('/delegat/nume')
    x = p.show(left + 6, y + p.size * 1.5, p.code('@@ ######'), '/delegat/act_identitate', kind='id', before='B.I./C.I. seria ')
    p.mark('/delegat/act_identitate')
    if p.maybe('/delegat/auto', r.random() < 0.6, 'id'):
        p.show(left + 6, y + p.size * 3, p.code(r.choice(('CJ ## @@@', 'B ### @@@', 'TM ## @@@'))), '/delegat/auto', kind='id', before='Mijloc de transport: auto ')
        p.mark('/delegat/auto')
    p.put(330, y, 'Semnătura de primire')
    p.put(left, p.height - 44, 'Factura circulă fără semnătură și ștampilă conform art. 319 alin. (29) din Legea nr. 227/2015.', size=p.size * 0.85)
    p.lacks('/aviz_insotire', 'id')
    p.lacks('/discount', 'amount')
    return p.done_with('furnizor client serie numar data_emiterii data_scadentei aviz_insotire produse discount total_fara_tva total_tva total_plata moneda delegat')


KINDS = {'gstbill': gstbill, 'qualified': qualified, 'rental': rental, 'remittance': remittance, 'calibration': calibration, 'schlussrechnung': schlussrechnung, 'reisekosten': reisekosten, 'micro': micro, 'appelfonds': appelfonds,
         'tpstvq': tpstvq, 'recargo': recargo, 'cfdi': cfdi, 'nfse': nfse, 'tari': tari, 'girokort': girokort, 'zorgnota': zorgnota, 'szamla': szamla, 'facturaro': facturaro}
NOT_SCANNED = ()
