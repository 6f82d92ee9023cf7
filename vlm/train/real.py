"""Lines and strips as receipts of the real world show them: thermal, dot-matrix and office print, faded, crooked,
broken, compressed, in columns, with codes, numbers, addresses and the accents of Western Europe.

A slip is a strip with a whole receipt on it, and its answer may be any schema of receipts.  A strip is drawn at the resolution of a scanner, line by line, spoilt there, and scaled to the size that the
model reads.  The answer is the strip's text by lines; rules and leaders (runs of four and more dashes, dots,
stars) are print to be seen but not written.  Nothing here is taken from receipts that exist.

  python3 real.py DIR          sheets to look at, and the time a sample takes
"""
import io
import random
import unicodedata
from collections import namedtuple

import numpy as np
from PIL import Image, ImageFilter, ImageFont

import docs
from docs import DG, LO, UP, Answer, Sample, made_up
from page import CLASS, FONTS, MORE_FONTS, Face, _find

_PIXEL = ['truetype/pc/Px_*.ttf', 'pc/Px_*.ttf', 'pc-extra/Px_*.ttf', 'opentype/terminus/terminus-[nb]o[rl]*.otb',
          'opentype/spleen/spleen-*.otf', 'opentype/unifont/unifont.otf', 'truetype/dotgothic16/*.ttf', 'truetype/glasstty/*.ttf']
_PRINT = ['opentype/ocr-b/OCRB.otf', 'opentype/ocr-b/OCRBS.otf', 'truetype/3270/*.ttf', 'opentype/b612/B612*.otf', 'truetype/anonymous-pro/*.ttf',
          'truetype/clear-sans/*.ttf', 'truetype/tlwg/Tlwg*.ttf', 'opentype/urw-base35/Nimbus*.otf', 'truetype/agave/*.ttf',
          'fonts-go/Go-[MBR]*.ttf', 'truetype/go/Go-[MBR]*.ttf', 'truetype/hermit/*.otf', 'truetype/monoid/Monoid-R*.ttf', 'truetype/paratype/PT[CNMS]*.ttf',
          'opentype/play/*.otf', 'truetype/routed-gothic/*.ttf', 'truetype/osifont/*.ttf', 'opentype/league-mono/LeagueMono-[RBMCN]*.otf',
          'truetype/tuffy/Tuffy.ttf', 'truetype/tuffy/Tuffy_Bold.ttf', 'truetype/ricty-diminished/RictyDiminished-[RB]*.ttf',
          'opentype/dosis/Dosis-[MB]*.otf', 'opentype/yanone-kaffeesatz/*-Regular.otf']
_SLANTED = ('Italic', 'italic', 'Oblique', 'oblique', 'Monoisome', 'Thin', 'UltraLight', 'PTS56', 'PTS76', 'BI.', 'Pro I', 'spleen-5x8', 'Square')
PIXEL_FONTS = _find(_PIXEL, _SLANTED + ('-2x', '8x8', 'Kaypro', '225'))
PRINT_FONTS = _find(_PRINT, _SLANTED) + FONTS + MORE_FONTS
# never trained: what confidence is fitted to (tests/eval/trust_fit.py)
SLANTED_FONTS = [f for f in _find(_PRINT, ('Thin', 'Light', 'Square')) if f not in PRINT_FONTS]
MONO = ('Mono', 'mono', 'Courier', 'OCRB', '3270', 'Typewriter', 'Inconsolata', 'Hack', 'Anonymous', 'agave', 'Hermit', 'Ricty')
MONO_FONTS = [f for f in PRINT_FONTS if any(m in f for m in MONO)]
PACKAGES = ('fonts-pc fonts-pc-extra fonts-terminus-otb fonts-spleen fonts-unifont fonts-dotgothic16 fonts-glasstty fonts-ocr-b fonts-3270 '
            'fonts-b612 fonts-anonymous-pro fonts-clear-sans fonts-tlwg-typewriter-ttf fonts-tlwg-typo-ttf fonts-tlwg-mono-ttf fonts-urw-base35 '
            'fonts-agave fonts-go fonts-hermit fonts-monoid fonts-paratype fonts-play fonts-routed-gothic fonts-osifont fonts-league-mono '
            'fonts-tuffy fonts-ricty-diminished fonts-dosis fonts-yanone-kaffeesatz')

# --- what is printed -------------------------------------------------------------------------------------------------

ACCENTED = 'äöüéèêàâçñóíáúòùîôëïãõåøæ'
STREETS = ('Street Road Avenue Lane Drive Square Court Place Park Way St. Rd. Ave. Blvd Hwy Unit Floor Suite Lot Block Rue Place Avenue '
           'Strasse Straße Platz Weg Allee Gasse Via Piazza Corso Viale Calle Plaza Paseo Avda. Rua Praça Largo Laan Straat Plein Gade Vej').split()
FORMS = 'LTD LTD. Ltd. LLC INC Inc. CO. GmbH AG KG SA S.A. SARL S.L. SRL S.p.A. BV B.V. NV AB A/S PTY LIMITED & CO & SONS BROS'.split()
TRADES = docs.SHOPS + ('SUPERMARKET RESTAURANT TRADING ENTERPRISE SERVICES CENTRE STATIONERY OPTICAL MOTORS ELECTRONICS PETROL CLINIC HOTEL '
                       'BAR GRILL PIZZERIA BOULANGERIE APOTHEKE BÄCKEREI METZGEREI FARMACIA PANADERÍA TABAC LIBRERIA CAFÉ BRASSERIE').split()
LABELS = ('TOTAL|SUBTOTAL|SUB TOTAL|GRAND TOTAL|NET TOTAL|TOTAL DUE|TOTAL AMOUNT|AMOUNT|AMOUNT DUE|BALANCE|CASH|CHANGE|CHANGE DUE|TENDERED|ROUNDING|'
          'ROUNDING ADJ|DISCOUNT|TAX|VAT|SALES TAX|VAT 20%|TAX 6%|TAX 7.5%|TAXABLE|SERVICE CHARGE|DEPOSIT|CARD|VISA|MASTERCARD|DEBIT|EFTPOS|QTY|'
          'TOTAL QTY|ITEMS|NO OF ITEMS|ITEM COUNT|TOTAL SAVINGS|PRICE|UNIT PRICE|SUMME|ZWISCHENSUMME|GESAMT|MWST 19%|BAR|RÜCKGELD|GEGEBEN|'
          'NETTO|BRUTTO|TOTAL TTC|TOTAL HT|TVA 20%|À PAYER|MONTANT|ESPÈCES|RENDU|CARTE|TOTALE|IMPORTO|RESTO|CONTANTI|IVA 21%|'
          'IMPORTE|EFECTIVO|CAMBIO|TARJETA|TOTAAL|SUBTOTAAL|BTW|CONTANT|WISSELGELD|PIN|TROCO|DINHEIRO|MOMS').split('|')
HEADS = ('DESCRIPTION|ITEM|QTY|PRICE|AMOUNT|TOTAL|U/PRICE|DISC|CODE|RATE|NET|TAX|ARTIKEL|MENGE|PREIS|BETRAG|QTÉ|PRIX|UNIT|NO|SKU').split('|')
PHRASES = ('THANK YOU|THANK YOU FOR SHOPPING WITH US|PLEASE COME AGAIN|HAVE A NICE DAY|THANK YOU, PLEASE COME AGAIN|SEE YOU SOON|GOODS SOLD ARE NOT RETURNABLE|'
           'NO REFUND WITHOUT RECEIPT|KEEP THIS RECEIPT|EXCHANGE WITHIN 7 DAYS|TAX INVOICE|SIMPLIFIED TAX INVOICE|RECEIPT|OFFICIAL RECEIPT|CASH SALE|'
           'CUSTOMER COPY|MERCHANT COPY|DUPLICATE|REPRINT|TAKE AWAY|EAT IN|WELCOME|TABLE|GUESTS|SIGNATURE|APPROVED|CARD SALE|DELIVERY NOTE|'
           'VIELEN DANK FÜR IHREN EINKAUF|AUF WIEDERSEHEN|ES BEDIENTE SIE|MERCI DE VOTRE VISITE|À BIENTÔT|AU REVOIR|GRACIAS POR SU COMPRA|'
           'FACTURA SIMPLIFICADA|IVA INCLUIDO|GRAZIE E ARRIVEDERCI|DOCUMENTO COMMERCIALE|BEDANKT EN TOT ZIENS|OBRIGADO|TAK FOR BESØGET|'
           'ALL PRICES INCLUDE TAX|SERVED BY|YOUR CASHIER TODAY WAS|OPEN DAILY 9AM TO 10PM|FOLLOW US ON|FREE WIFI|HOW DID WE DO?').split('|')
KEYS = ('Date|Time|Cashier|Receipt No|Invoice No|Bill No|Doc No.|Ref|Ref No|Tel|TEL|Fax|Phone|Table|Server|Counter|POS|Terminal|Trans|Trans No|Order|Order No|'
        'Staff|Member|Member ID|Card No|Auth Code|Approval|Batch|Store|Shop|Till|Register|Operator|Salesperson|Customer|VAT No|VAT Reg|Tax ID|Reg No|ABN|'
        'Co. Reg|USt-IdNr|Steuernr|Datum|Uhrzeit|Bon-Nr|Kasse|Beleg|SIRET|TVA|N° TVA|Caisse|Heure|Ticket|P.IVA|C.F.|Data|Ora|NIF|CIF|Fecha|Hora|KVK|BTW|Page|Pump|Printed').split('|')
PLAIN_KEYS = [k for k in KEYS if k not in ('Date', 'Datum', 'Data', 'Fecha', 'Printed')]         # those that no date follows
MONTHS = docs.MONTHS + 'January February March April June July August September October November December'.split()


def digits(r, n):
    return ''.join(r.choice(DG) for _ in range(n))


def word(r, held):
    k = r.random()
    if k < 0.35:
        w = made_up(r, held)
    elif k < 0.7:
        w = r.choice(docs.PRODUCTS)
    elif k < 0.85:
        w = r.choice(docs.COMMON)
    else:
        w = r.choice(docs.ADJECTIVES)
    if r.random() < 0.08:
        i = r.randrange(len(w))
        w = w[:i] + r.choice(ACCENTED) + w[i + 1:]
    return w


def shaped(r, text):
    k = r.random()
    return text.upper() if k < 0.55 else text.title() if k < 0.85 else text


def money(r):
    c = r.choice([r.randint(5, 999), r.randint(100, 9999), r.randint(1000, 99999), r.randint(10000, 9999999)])
    whole, part = c // 100, '%02d' % (c % 100)
    if r.random() < 0.25:
        part = r.choice(['00', '50', '90', '99', '95'])
    k = r.random()
    whole = '{:,}'.format(whole) if k < 0.5 else str(whole)
    t = whole + '.' + part
    if k > 0.82:
        t = t.replace(',', ' ').replace('.', ',').replace(' ', '.')
    k = r.random()
    if k < 0.12:
        t = r.choice('$€£') + r.choice(['', '', ' ']) + t
    elif k < 0.20:
        t = r.choice(['USD', 'EUR', 'GBP', 'CHF', 'RM', 'Rs', 'kr', 'AUD', 'S$']) + r.choice(['', ' ']) + t
    elif k < 0.25:
        t += r.choice([' €', '€', ' EUR', ' SR', ' A', ' B', '*', ' T', '%', ' S', 'N'])
    elif k < 0.29:
        t = '-' + t
    elif k < 0.31:
        t += '-'
    return t


def date(r):
    y, m, d = r.randint(1998, 2029), r.randint(1, 12), r.randint(1, 31)
    sep, k = r.choice('//--.. '), r.random()
    name = r.choice(MONTHS)
    name = name.upper() if r.random() < 0.5 else name
    year = str(y) if r.random() < 0.65 else '%02d' % (y % 100)
    if k < 0.5:
        t = sep.join(['%02d' % d, '%02d' % m, year])
    elif k < 0.6:
        t = sep.join(['%d' % d, '%d' % m, year])
    elif k < 0.7:
        t = sep.join([str(y), '%02d' % m, '%02d' % d])
    elif k < 0.9:
        t = sep.join([('%02d' if r.random() < .7 else '%d') % d, name, year])
    else:
        t = '%s %d, %d' % (name, d, y)
    if r.random() < 0.5:
        t += r.choice([' ', ' ', '  ']) + clock(r)
    return t


def clock(r):
    h, m, s = r.randint(0, 23), r.randint(0, 59), r.randint(0, 59)
    k = r.random()
    if k < 0.4:
        return '%02d:%02d' % (h, m)
    if k < 0.7:
        return '%02d:%02d:%02d' % (h, m, s)
    return '%d:%02d%s' % (h % 12 or 12, m, r.choice(['AM', 'PM', ' AM', ' PM', 'am', 'pm']))


def phone(r):
    return r.choice(['0%s-%s %s', '+%s %s %s', '(0%s) %s-%s', '0%s %s%s', '%s-%s%s', '%s.%s.%s']) % (digits(r, r.randint(1, 3)), digits(r, r.randint(3, 4)), digits(r, 4))


def code(r):
    k = r.random()
    if k < 0.35:
        return digits(r, r.choice([2, 3, 4, 5, 6, 8, 10, 12, 13]))
    if k < 0.55:
        return ''.join(r.choice(UP) for _ in range(r.randint(1, 4))) + r.choice(['', '', '-', '/', ' ']) + digits(r, r.randint(2, 9))
    if k < 0.7:
        return digits(r, r.randint(3, 7)) + '-' + r.choice([r.choice(UP), digits(r, r.randint(1, 4)), digits(r, 2) + r.choice(UP)])
    if k < 0.78:
        return r.choice('*xX') * r.choice([3, 4, 8, 12]) + digits(r, 4)
    if k < 0.86:
        return '#' + digits(r, r.randint(2, 6))
    if k < 0.93:
        return '(%s)' % (digits(r, r.randint(5, 8)) + r.choice(['', '-' + r.choice(UP)]))
    return ''.join(r.choice(UP + LO + DG + docs.PUNCT) for _ in range(r.randint(2, 7)))


def web(r, held):
    name = made_up(r, held)
    return r.choice(['www.%s.com', 'www.%s.co.uk', '%s.de', 'info@%s.com', 'WWW.%s.NET', 'http://%s.eu', 'facebook.com/%s', 'sales@%s.fr', '@%s']) % name


def address(r, held):
    number = str(r.randint(1, 999)) + r.choice(['', ',', r.choice(UP), '-' + str(r.randint(1, 99)), '/' + digits(r, 1)])
    parts = [r.choice(['', 'NO. ', 'No.', 'Nr. ']) + number, shaped(r, made_up(r, held)), shaped(r, r.choice(STREETS))]
    if r.random() < 0.4:
        r.shuffle(parts)
    if r.random() < 0.5:
        town = shaped(r, made_up(r, held))
        parts.append(r.choice([digits(r, 5) + ' ' + town, town + ',', town.title() + ' ' + digits(r, 4) + ' ' + r.choice(UP) + r.choice(UP)]))
    return ' '.join(parts)


def words(r, held, n):
    return ' '.join(word(r, held) for _ in range(n))


# A piece of a line: `at` is l(eft), c(entre), r(ight), a share of the width, or 'rule' for all of it.  A fact is
# (kind, value or None for the print itself, the index in the text of each of its characters).
Part = namedtuple('Part', 'text at facts', defaults=((),))


def content(r, held):
    """Some line of a receipt, by parts."""
    return [Part(*p) for p in line_of(r, held)]


def line_of(r, held):
    k = r.random()
    if k < 0.10:                                                                     # a firm
        t = shaped(r, words(r, held, r.randint(1, 2))) + ' ' + shaped(r, r.choice(TRADES)) + (' ' + r.choice(FORMS) if r.random() < 0.5 else '')
        return [(t, 'c')]
    if k < 0.21:                                                                     # an address
        return [(address(r, held), 'c' if r.random() < 0.7 else 'l')]
    if k < 0.31:                                                                     # key and value
        key, value = r.choice(KEYS), r.choice([code, date, phone, clock])(r) if r.random() < 0.8 else shaped(r, words(r, held, 1))
        key = key.upper() if r.random() < 0.4 else key
        colon = r.choice([':', ': ', ' : ', ' ', '. ', '# '])
        if r.random() < 0.25:
            return [(key, 'l'), (colon.strip() + ' ' + value if colon.strip() else value, r.choice([0.3, 0.4, 'r']))]
        line = [(key + colon + value, r.choice('lllc'))]
        if r.random() < 0.25:
            line.append((r.choice([clock(r), code(r), r.choice(KEYS) + ':' + digits(r, 2)]), 'r'))
        return line
    if k < 0.36:
        return [(date(r), r.choice('lcr'))] + ([(r.choice([clock, code])(r), 'r')] if r.random() < 0.3 else [])
    if k < 0.54:                                                                     # an item
        name = shaped(r, words(r, held, r.randint(1, 3)))
        if r.random() < 0.3:
            name = code(r) + ' ' + name
        if r.random() < 0.2:
            name += ' ' + r.choice(['%dG', '%dML', '%dKG', '%d L', '%dCM', '%dPCS', '%dX%d', '(%d)', '%d%%'])[:3].replace('%d', str(r.randint(1, 999))).strip('(%X')
        q = r.choice(['%d', '%d ', '%d x', '%dX', '%d.00', '%d PCS', '%d @']) % r.randint(1, 24)
        form = r.random()
        if form < 0.3:
            return [(name, 'l'), (money(r), 'r')]
        if form < 0.5:
            return [(q + ' ' + name, 'l'), (money(r), 'r')]
        if form < 0.65:
            return [(name, 'l')]
        if form < 0.8:
            return [(q + ' ' + r.choice(['x', 'X', '@', '*', '']) + ' ' + money(r), r.choice(['l', 0.1])), (money(r), 'r')]
        return [(code(r) if r.random() < .5 else name, 'l'), (q, 0.45), (money(r), 0.62), (money(r), 'r')]
    if k < 0.70:                                                                     # a sum
        label = r.choice(LABELS)
        label = label if r.random() < 0.55 else label.title()
        label += r.choice(['', '', ':', ' :', ' (' + r.choice(['EUR', 'USD', 'RM', 'Incl. VAT', '2']) + ')'])
        if r.random() < 0.08:
            label += ' ' + '.' * r.randint(4, 14)
        return [(label, r.choice(['l', 'l', 'l', 0.2, 0.4])), (money(r), 'r')]
    if k < 0.73:
        return [(h, p) for h, p in zip(r.sample(HEADS, 3), ['l', 0.5, 'r'])]
    if k < 0.76:
        return [(money(r), p) for p in r.sample(['l', 0.35, 0.65, 'r'], r.randint(2, 3))] if r.random() < .6 else [(code(r), 'l'), (money(r), 0.5), (money(r), 'r')]
    if k < 0.84:
        return [(shaped(r, r.choice(PHRASES)), 'c')]
    if k < 0.88:
        return [(phone(r) if r.random() < 0.6 else web(r, held), 'c')]
    if k < 0.92:                                                                     # a rule
        return [(r.choice('----==..*_#~') * 80, 'rule')]
    if k < 0.96:                                                                     # sentences
        return [(words(r, held, r.randint(3, 7)).capitalize() + r.choice(['.', '!', '', ',']), r.choice('lc'))]
    star = r.choice(['* %s *', '*** %s ***', '- %s -', '<%s>', '[%s]', '** %s', '%s?', "%s's", '%s & %s'])
    return [(star.replace('%s', shaped(r, word(r, held))), 'c')]


# --- whole slips -----------------------------------------------------------------------------------------------------

TOTALS = ('TOTAL|Total|TOTAL:|Total :|GRAND TOTAL|NET TOTAL|TOTAL DUE|AMOUNT DUE|Amount Due|TOTAL AMOUNT|BALANCE DUE|TO PAY|TOTAL (INCL. TAX)|SUMME|GESAMT|'
          'Gesamtbetrag|ZU ZAHLEN|TOTAL TTC|NET À PAYER|À PAYER|TOTALE|TOTALE COMPLESSIVO|IMPORTE TOTAL|TOTAL A PAGAR|TOTAAL|TE BETALEN|AT BETALE').split('|')
BEFORE = 'SUBTOTAL|Sub Total|SUB-TOTAL|Total Excl. Tax|ZWISCHENSUMME|NETTO|TOTAL HT|SUBTOTALE|BASE IMPONIBLE|SUBTOTAAL|TOTAL QTY|Items'.split('|')
PAID = 'CASH|Cash|CARD|VISA|MASTERCARD|BAR|GEGEBEN|EC-KARTE|ESPÈCES|CARTE BANCAIRE|CONTANTI|EFECTIVO|TARJETA|CONTANT|PIN|TENDERED'.split('|')
BACK = 'CHANGE|Change|CHANGE DUE|RÜCKGELD|RENDU|RESTO|CAMBIO|WISSELGELD|TROCO'.split('|')
TAXES = 'TAX 6%|VAT 20%|Tax|SALES TAX|MWST 19%|MwSt 7%|TVA 20%|IVA 22%|IVA 21%|BTW 21%|SERVICE CHARGE 10%|ROUNDING|Discount'.split('|')
DATED = 'Date: |DATE |Date : |DATE:|Datum: |Le |Data: |Fecha: |Issued |Bill Date: '.split('|')


def moved(facts, by):
    return [(key, value, [i + by for i in where]) for key, value, where in facts]


def dated(r):
    """A date as printed and its fact, in year, month, day."""
    y, m, d = r.randint(2000, 2029), r.randint(1, 12), r.randint(1, 28)
    year, sep, k = (str(y) if r.random() < 0.6 else '%02d' % (y % 100)), r.choice('//--. '), r.random()
    day = '%02d' % d if r.random() < 0.85 else str(d)
    month = '%02d' % m if k < 0.75 else docs.MONTHS[m - 1]
    month = month.upper() if r.random() < 0.5 else month
    if k < 0.1:
        year, day, parts = str(y), '%02d' % d, 'ymd'
    else:
        parts = 'dmy'
    text, at = '', {}
    for p in parts:
        at[p] = len(text)
        text += {'y': year, 'm': month, 'd': day}[p] + sep
    iy, im, jd = at['y'], at['m'], at['d']
    where = [iy, iy, iy, iy + 1] if len(year) == 2 else [iy, iy + 1, iy + 2, iy + 3]
    where += [im, im, im + 1, jd, jd, jd + len(day) - 1]
    return text[:-1], [('date', '%04d-%02d-%02d' % (y, m, d), where)]


def figure(cents, style, key):
    """An amount as this slip prints it and its fact."""
    text = '{:,}'.format(cents // 100) if style['thousands'] else str(cents // 100)
    text += '.%02d' % (cents % 100)
    where = [i for i, c in enumerate(text) if c != ',']
    if style['comma']:
        text = text.replace(',', '#').replace('.', ',').replace('#', '.')
    return text, [(key, '%d.%02d' % (cents // 100, cents % 100), where)]


def price(r, cents, style, key, mark=None):
    text, facts = figure(cents, style, key)
    if mark:
        text, facts = mark + style['gap'] + text, moved(facts, len(mark + style['gap']))
    return Part(text + r.choice(style['tails']), 'r', facts)


def item(r, i, held, style):
    """The rows of one item and what it costs."""
    cents = docs.cents_of(r) if r.random() < 0.9 else r.randint(30000, 2000000)
    name, q = shaped(r, words(r, held, r.choice([1, 1, 2, 2, 3]))), str(r.randint(1, 24))
    fact = lambda kind, at, n: [(('items', i, kind), None, list(range(at, at + n)))]
    right = price(r, cents, style, ('items', i, 'price'))
    unit = figure(max(5, cents // int(q)), style, None)[0]
    lead = code(r) + ' ' if style['codes'] else ''
    if style['item'] == 0:
        rows = [[Part(name, 'l', fact('name', 0, len(name))), right]]
    elif style['item'] == 1:
        x = r.choice([' ', ' x ', 'x ', ' X '])
        rows = [[Part(q + x + name, 'l', fact('quantity', 0, len(q)) + fact('name', len(q + x), len(name))), right]]
    elif style['item'] == 2:
        rows = [[Part(lead + name, 'l', fact('name', len(lead), len(name)))],
                [Part(q + style['times'] + unit, style['second'], fact('quantity', 0, len(q))), right]]
    elif style['item'] == 3:
        rows = [[Part(lead + name, 'l', fact('name', len(lead), len(name)))],
                [Part(unit, 0.3), Part('x' + q if style['codes'] else q, 0.55, fact('quantity', int(style['codes']), len(q))), right]]
    else:
        rows = [[Part(name, 'l', fact('name', 0, len(name))), Part(q, 0.55, fact('quantity', 0, len(q))), Part(unit, 0.66), right]]
    return rows, cents


def slip(r, spec):
    """Rows of a receipt of at most spec.count lines; as many items as there is room for."""
    held, absent = spec.held, lambda: r.random() < spec.absent
    style = dict(thousands=r.random() < 0.6, comma=r.random() < 0.25, gap=r.choice(['', '', ' ']), item=r.randint(0, 4), codes=r.random() < 0.3,
                 times=r.choice([' x ', ' X ', 'x', ' @ ', ' * ']), second=r.choice(['l', 0.1, 0.2]), tails=r.choice([[''], [''], ['', ''], [' A', ' B'], [' T', ''], [' S']]))
    rule = [Part(r.choice('---==..*_') * 80, 'rule')]
    mark = r.choice(['EUR', 'USD', 'GBP', 'CHF', '$', '€', '£']) if r.random() < 0.6 else None
    at = r.choice('ccccl')
    head, body, tail, foot = [], [], [], []
    if not absent():
        name = shaped(r, words(r, held, r.randint(1, 2))) + ' ' + shaped(r, r.choice(TRADES)) + (' ' + r.choice(FORMS) if r.random() < 0.5 else '')
        head.append([Part(name, at, [('merchant', None, list(range(len(name))))])])
    text, facts = dated(r)
    pre, post = r.choice(DATED + [''] * 8), r.choice(['', ' ', '  ', ' - '])
    line = [[Part(pre + text + (post + clock(r) if post else ''), r.choice(['l', at]), moved(facts, len(pre)))]] if not absent() else []
    rows, total = [], 0
    want = max(1, (spec.count - 5) // 2) if spec.count < 14 else r.randint(spec.count // 4, spec.count - 9)
    i = 0
    while i == 0 or len(rows) + 2 <= want:
        more, cents = item(r, i, held, style)
        rows, total, i = rows + more, total + cents, i + 1
    if not absent():
        due, label = price(r, total, style, 'total', mark), r.choice(TOTALS)
        if mark and mark in '$€£' or mark and r.random() < 0.8:
            due.facts.append(('currency', {'$': 'USD', '€': 'EUR', '£': 'GBP'}.get(mark, mark), list(range(3)) if len(mark) == 3 else [0, 0, 0]))
        elif mark:
            label, due = '%s (%s)' % (label, mark), price(r, total, style, 'total')
            due = due._replace(facts=due.facts)
            n = len(label)
            tail.append([Part(label, 'l', [('currency', mark, [n - 4, n - 3, n - 2])]), due])
            label = None
        if label:
            tail.append([Part(label, r.choice(['l', 'l', 0.2]), []), due])
    extra = lambda text, cents: [Part(text, 'l'), price(r, cents, style, None)]
    # What may stand there beside the facts, where there is room: (before or after what, row).
    room = spec.count - len(head) - len(line) - len(rows) - len(tail)
    pool = []
    for _ in range(r.randint(0, 3)):
        pool.append((head, 'end', [Part(address(r, held), at)]))
    pool += [(head, 'end', [Part(r.choice(PLAIN_KEYS) + ': ' + code(r), at)]), (head, 'end', [Part('Tel: ' + phone(r), at)]), (head, 'end', [Part(shaped(r, r.choice(PHRASES)), at)]),
             (line, 'end', [Part(r.choice(PLAIN_KEYS) + r.choice([':', ' : ', ' ']) + code(r), 'l')]), (line, 'start', [Part(r.choice(PLAIN_KEYS) + ': ' + code(r), 'l')]), (line, 'end', rule),
             (rows, 'end', rule), (foot, 'end', rule), (foot, 'end', [Part(shaped(r, r.choice(PHRASES)), 'c')]), (foot, 'end', [Part(shaped(r, r.choice(PHRASES)), 'c')]),
             (tail, 'start', extra(r.choice(BEFORE), total - r.randint(0, max(1, total // 5)))), (tail, 'start', extra(r.choice(TAXES), r.randint(0, 2000))),
             (tail, 'end', extra(r.choice(PAID), total + r.randint(0, 5000))), (tail, 'end', extra(r.choice(BACK), r.randint(0, 5000)))]
    r.shuffle(pool)
    for where, side, row in pool[:max(0, room)]:
        where.insert(len(where) if side == 'end' else 0, row)
    return (head + line + rows + tail + foot)[:spec.count]


def cut(r, spec):
    """spec.count rows from anywhere in a longer receipt, as a strip between two white gaps shows them."""
    rows = slip(r, spec._replace(count=max(14, spec.count + r.randint(2, 28))))
    at = r.choice([0, len(rows) - spec.count, r.randint(0, len(rows) - spec.count)]) if len(rows) > spec.count else 0
    rows, number = rows[at:at + spec.count], {}
    anew = lambda key: ('items', number.setdefault(key[1], len(number)), key[2]) if isinstance(key, tuple) else key
    return [[part._replace(facts=[(anew(key), value, where) for key, value, where in part.facts]) for part in row] for row in rows]


# --- how it is printed -----------------------------------------------------------------------------------------------

_pens, _spots = {}, {}


class Pen:
    """A font at one size that prints whole lines; binary where a print head makes dots."""

    def __init__(self, path, size, binary):
        self.face, self.binary = Face(path, size), binary
        self.cap = max(1, -self.face.font.getbbox('H', anchor='ls')[1])
        self.none = self.face.glyph('\uffff')[0]
        self.known = {}

    def has(self, c):
        k = self.known.get(c)
        if k is None:
            g = self.face.glyph(c)[0]
            k = self.known[c] = g is not None and not (self.none is not None and g.shape == self.none.shape and (g == self.none).all())
        return k

    def say(self, text):
        """The text as this font can print it, and the index that each character had."""
        out, origin = '', []
        for i, c in enumerate(text):
            if c != ' ' and not self.has(c):
                c = 'ss' if c == 'ß' else unicodedata.normalize('NFD', c)[0]
                c = c if all(self.has(x) for x in c) else ''
            out += c
            origin += [i] * len(c)
        return out, origin

    def line(self, text, gap=0.0):
        """Ink u8, centres of the characters that are not spaces, the row of the baseline."""
        f, x, place = self.face, 1.0, []
        for c in text:
            place.append(x)
            x += f.advance(c) + gap
        up, down = int(f.size * 1.15) + 1, int(f.size * 0.4) + 1
        ink = np.zeros((up + down, int(x) + 3), np.uint8)
        for c, at in zip(text, place):
            bits, ox, oy = f.glyph(c)
            if bits is None:
                continue
            h, w = bits.shape
            y0, x0 = up + oy, int(at + 0.5) + ox
            a, b = max(0, -y0), max(0, -x0)
            v = ink[y0 + a:y0 + h, x0 + b:x0 + w]
            np.maximum(v, bits[a:a + v.shape[0], b:b + v.shape[1]], out=v)
        if self.binary:
            ink = np.where(ink > 110, 255, 0).astype(np.uint8)
        centres = [at + f.advance(c) / 2 for c, at in zip(text, place)]
        return ink, np.array(centres, np.float32), up


def pen(path, size, binary):
    key = (path, size, binary)
    if key not in _pens:
        _pens[key] = Pen(path, size, binary)
    return _pens[key]


def spot(size):
    """One dot of a print head, as a block to multiply with."""
    if size not in _spots:
        t = np.arange(size) - (size - 1) / 2
        d = np.hypot(t[:, None], t[None])
        _spots[size] = np.clip(size / 2 + 0.3 - d, 0, 1).astype(np.float32)
    return _spots[size]


_rough = np.random.RandomState(11).rand(64, 64).astype(np.float32)
_grain = np.random.RandomState(12).standard_normal((700, 1400)).astype(np.float32)


def cloud(r, h, w, cells):
    """A smooth random field between 0 and 1."""
    ny, nx = max(2, int(cells * h / max(h, w)) + 1), max(2, int(cells * w / max(h, w)) + 1)
    y, x = r.randrange(64 - min(63, ny)), r.randrange(64 - min(63, nx))
    part = Image.fromarray(_rough[y:y + ny, x:x + nx])
    return np.asarray(part.resize((w, h), Image.BICUBIC))


def style_of(r):
    """What one receipt is printed with: (how, font)."""
    k = r.random()
    if k < 0.36:
        return 'thermal', r.choice(PIXEL_FONTS)
    if k < 0.62:
        return 'thermal', r.choice(MONO_FONTS if r.random() < 0.6 else PRINT_FONTS)
    if k < 0.74:
        return 'matrix', r.choice(PIXEL_FONTS if r.random() < 0.6 else MONO_FONTS)
    return 'office', r.choice(PRINT_FONTS)


PIXEL_SIZE = {'spleen-12x24': 24, 'spleen-16x32': 32, 'spleen-32x64': 64, 'spleen-6x12': 12, 'spleen-8x16': 16, 'Glass_TTY': 20}


def make_pen(r, how, path):
    if path in PIXEL_FONTS:
        return pen(path, next((s for k, s in PIXEL_SIZE.items() if k in path), 16), True)
    if how == 'matrix':
        return pen(path, r.choice([12, 13, 14, 16]), True)
    if how == 'thermal':
        return pen(path, r.choice([20, 24, 28]), True)
    return pen(path, 32, False)


Hand = namedtuple('Hand', 'how pen cap stretch gap')      # what a line is printed with; `cap` in source pixels
Piece = namedtuple('Piece', 'text image centres base')


def typeset(r, hand, text):
    p = hand.pen
    ink, xs, base = p.line(text, hand.gap * p.cap)
    unit = 1
    if hand.how == 'matrix' or (p.binary and r.random() < 0.1):
        unit = 4
        ink = (np.kron(ink.astype(np.float32) / 255, spot(unit)) * 255).astype(np.uint8)
    scale = hand.cap / (p.cap * unit)
    w, h = max(2, int(ink.shape[1] * scale * hand.stretch + 0.5)), max(2, int(ink.shape[0] * scale + 0.5))
    how = Image.BOX if scale * hand.stretch < 0.8 and r.random() < 0.5 else Image.BILINEAR if r.random() < 0.7 else Image.BICUBIC
    return Piece(text, np.asarray(Image.fromarray(ink).resize((w, h), how)), xs * (unit * w / ink.shape[1]), base * unit * h / ink.shape[0])


class Strip:
    """Lines put on a canvas at source resolution, and what was put where."""

    def __init__(self, w, h):
        self.ink = np.zeros((h, w), np.uint8)
        self.h, self.w = h, w
        self.chars, self.xy, self.lines, self.facts = [], [], [], {}

    def put(self, piece, x, y, mid):
        """The piece with its baseline at y; returns the places of its characters."""
        image = piece.image
        x, y = int(round(x)), int(round(y - piece.base))
        h, w = image.shape
        a0, b0, a1, b1 = max(0, -y), max(0, -x), min(h, self.h - y), min(w, self.w - x)
        if a1 > a0 and b1 > b0:
            v = self.ink[y + a0:y + a1, x + b0:x + b1]
            np.maximum(v, image[a0:a1, b0:b1], out=v)
        places = [(x + cx, mid) for cx in piece.centres]
        for c, p in zip(piece.text, places):
            if c != ' ':
                self.chars.append(c)
                self.xy.append(p)
        return places

    def learn(self, part, text, origin, places):
        """The facts of a part, as they came out in print."""
        for key, value, where in part.facts:
            at = {}
            for j, i in enumerate(origin):
                at.setdefault(i, []).append(j)
            found = [j for i in where for j in at.get(i, ())] if value is None else [at[i][0] for i in where if i in at]
            if key is None or not found or value is not None and len(found) != len(where):
                continue                                # the font could not print it
            value = ''.join(text[j] for j in found) if value is None else value
            fact = (value, [places[j] for j in found])
            if isinstance(key, tuple):
                items = self.facts.setdefault('items', [])
                while len(items) <= key[1]:
                    items.append({})
                items[key[1]][key[2]] = fact
            else:
                self.facts[key] = fact

    def write(self, text, places):
        """A line of the transcript: single spaces, a space lies behind the character before it."""
        clean, spots = '', []
        for c, at in zip(text.rstrip(), places):
            if c != ' ' or (clean and clean[-1] != ' '):
                clean += c
                spots.append(at or spots[-1])
        if clean:
            self.lines.append((clean, spots))


def without_leaders(text, places):
    """Text and places less the runs of four and more of a character that only guides the eye."""
    out, kept, j = '', [], 0
    while j < len(text):
        n = 1
        while j + n < len(text) and text[j + n] == text[j]:
            n += 1
        if n < 4 or text[j] not in '.-=_*#~':
            out += text[j:j + n]
            kept += places[j:j + n]
        j += n
    return out, kept


def print_row(r, s, row, hand, y, left, right, whole):
    """One line of the strip; what does not fit is cut, or squeezed where the text must stay whole."""
    base = y + hand.cap / 2
    if row[0].at == 'rule':
        c = row[0].text[0]
        n = int((right - left) / (hand.pen.face.advance(c) / hand.pen.cap * hand.cap * hand.stretch + 0.5))
        if hand.pen.has(c) and n > 3:
            s.put(typeset(r, hand._replace(gap=0), c * n), left, base, y)
        return
    said = [(part, *hand.pen.say(part.text)) for part in row]
    said = [x for x in said if x[1].strip()]
    while True:
        pieces = [typeset(r, hand, text) for _, text, _ in said]
        width = sum(p.image.shape[1] for p in pieces) + (len(pieces) - 1) * hand.cap
        if width <= right - left:
            break
        if whole and hand.stretch > 0.3:
            hand = hand._replace(stretch=hand.stretch * max(0.6, (right - left) / width * 0.99), gap=min(hand.gap, 0))
        elif len(said) > 1:
            said = said[-2:] if len(said) > 2 else said[-1:]
        elif len(said[0][1]) > 3:
            part, text, origin = said[0]
            text = text.rsplit(' ', 1)[0] if ' ' in text else text[:int(len(text) * 0.7)]
            said = [(part, text, origin[:len(text)])]
        else:
            break
    text, places, free = '', [], left                   # everything left of `free` is printed on
    for i, ((part, t, origin), piece) in enumerate(zip(said, pieces)):
        w, at = piece.image.shape[1], part.at
        last = right - w - sum(p.image.shape[1] + hand.cap * 0.6 for p in pieces[i + 1:])
        x = {'l': left, 'c': (s.w - w) / 2, 'r': right - w}[at] if isinstance(at, str) else left + at * (right - left)
        x = max(free, min(x, last))
        free = x + w + hand.cap * 0.6
        spots = s.put(piece, x, base, y)
        s.learn(part, t, origin, spots)
        t, spots = without_leaders(t, spots)
        text, places = text + t + ' ', places + spots + [None]
    s.write(text, places)


def draw(r, spec, scale):
    """A strip of spec.count lines, `scale` source pixels for each of the model's."""
    s = Strip(int(spec.w * scale), int(spec.h * scale))
    how, path = style_of(r)
    p = make_pen(r, how, path)
    whole = spec.kind != 'strip'
    rows = (cut if spec.kind == 'cut' else slip)(r, spec) if whole else [content(r, spec.held) for _ in range(spec.count)]
    pitch = s.h / max(1, len(rows)) * r.uniform(0.76, 1)
    pitch = min(pitch, 34 * scale)
    # Capitals of 10 to 16 pixels, where lines are as dense as the strip wants them.
    cap = min(r.uniform(9.5, 16) * scale, pitch * r.uniform(0.5, 0.72))
    advance = p.face.advance('0') / p.cap * cap
    stretch = min(max(r.triangular(5.6, 13, 7.8) * scale / advance, 0.5), 1.7)          # thermal print is tall and narrow
    usual = Hand(how, p, cap, stretch, r.choice([0, 0, 0, r.uniform(0, 0.15), r.uniform(-0.04, 0.02)]))
    left, right = r.uniform(2, 26) * scale, s.w - r.uniform(2, 26) * scale
    y = pitch * 0.52 + (s.h - pitch * len(rows)) * r.random()
    for row in rows:
        hand, k = usual, r.random()
        if k < 0.10:
            hand = hand._replace(stretch=min(2.0, stretch * r.uniform(1.5, 2.0)))
        elif k < 0.14:
            hand = hand._replace(cap=min(cap * 1.5, pitch * 0.8), stretch=stretch * 0.75)
        elif k < 0.18:
            hand = hand._replace(pen=make_pen(r, how, r.choice(PRINT_FONTS)))
        print_row(r, s, row, hand, y, left, right, whole)
        y += pitch * r.uniform(0.97, 1.03)
    thick, k = max(1, int(scale * r.uniform(0.7, 2))), r.random()
    if k < 0.05:                                         # underlines, frames
        at = r.randrange(s.h)
        s.ink[at:at + thick] = r.randint(120, 255)
    elif k < 0.08:
        at = int(s.w * r.choice([r.uniform(0, 0.05), r.uniform(0.95, 1), r.random()]))
        s.ink[:, at:at + thick] = r.randint(120, 255)
    return s, [how]


def bend(r, s, scale):
    """Skew and curl: the canvas moved up and down by column; returns the ink and a function for points."""
    k = r.random()
    if k < 0.35:
        return s.ink, lambda p: p
    slope = r.gauss(0, 0.006)
    wave, phase, amount = r.uniform(0.5, 1.6), r.random() * 6.28, r.gauss(0, 1.0) * scale * (k > 0.7)
    shift = lambda x: slope * (x - s.w / 2) + amount * np.sin(x / s.w * 6.28 * wave + phase)
    n = 12
    edge = np.linspace(0, s.w, n + 1)
    d = shift(edge)
    mesh = [((int(edge[i]), 0, int(edge[i + 1]), s.h),
             (edge[i], -d[i], edge[i], s.h - d[i], edge[i + 1], s.h - d[i + 1], edge[i + 1], -d[i + 1])) for i in range(n)]
    ink = np.asarray(Image.fromarray(s.ink).transform((s.w, s.h), Image.MESH, mesh, Image.BILINEAR))

    def move(p):
        p = np.array(p, np.float32).reshape(-1, 2)
        p[:, 1] += shift(p[:, 0])
        return p
    return ink, move


def spoil(r, ink, scale, hard, marks):
    """Print, paper and scanner: grey image u8 at source resolution."""
    h, w = ink.shape
    im = Image.fromarray(ink)
    k = r.random()
    if scale > 1.2 and k < 0.12 * hard:
        im = im.filter(ImageFilter.MaxFilter(3))
    elif scale > 1.6 and k < 0.18 * hard:
        im = im.filter(ImageFilter.MinFilter(3))
    if r.random() < 0.75 * hard:
        im = im.filter(ImageFilter.GaussianBlur(r.uniform(0.25, 0.65) * scale))
    a = np.asarray(im, np.float32) / 255
    k = r.random()
    if k < 0.22 * hard:                                  # worn: the head prints unevenly, dots fall off
        marks.append('worn')
        a = a * np.clip(cloud(r, h, w, r.randint(6, 40)) * r.uniform(1.2, 3) - r.uniform(-0.3, 0.15), 0.25, 1)
    elif k < 0.33 * hard:
        marks.append('broken')
        a = a * (cloud(r, h, w, 62) > r.uniform(0.05, 0.22))
        a = np.asarray(Image.fromarray((a * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.35 * scale)), np.float32) / 255
    if r.random() < 0.10 * hard:                         # rows or columns that the head skips
        for _ in range(r.randint(1, 4)):
            if r.random() < 0.5:
                at = r.randrange(h)
                a[at:at + max(1, int(0.7 * scale))] *= r.uniform(0, 0.6)
            else:
                at = r.randrange(w)
                a[:, at:at + max(1, int(0.7 * scale))] *= r.uniform(0, 0.6)
    k = r.random()
    depth = 1.0 if k < 0.5 else r.uniform(0.45, 1) if k < 0.8 else r.uniform(0.13, 0.45)
    if depth < 0.45:
        marks.append('faded')
    paper = r.uniform(225, 255) if r.random() < 0.7 else r.uniform(150, 235)
    dark = r.uniform(0, 60) if r.random() < 0.7 else r.uniform(40, 110)
    dark = min(dark, paper - 60)
    ground = np.full((h, w), paper, np.float32)
    if r.random() < 0.22 * hard:                         # light from one side, folds, dirt
        marks.append('uneven')
        ground *= 1 - r.uniform(0.03, 0.3) * cloud(r, h, w, r.randint(2, 5))
    if r.random() < 0.08 * hard:
        at = r.randrange(w)
        ground[:, at:at + max(2, int(r.uniform(2, 12) * scale))] *= r.uniform(0.75, 0.97)
    if r.random() < 0.15 * hard:                         # paper made white but for blocks around the print
        marks.append('halo')
        near = Image.fromarray((a * 255).astype(np.uint8)).reduce(8).filter(ImageFilter.MaxFilter(3)).resize((w, h), Image.NEAREST)
        near = (np.asarray(near) > 25) & (cloud(r, h, w, r.randint(4, 30)) > r.uniform(0.2, 0.8))
        ground = np.where(near, np.float32(r.uniform(205, 250)), np.float32(255))
        dark = min(dark, 90)
        grey = ground - a * depth * (ground - dark)
        grey = grey + near * _grain[:h, :w] * r.uniform(0, 12) if h <= 700 and w <= 1400 else grey
    else:
        grey = ground - a * depth * (ground - dark)
    if r.random() < 0.45 * hard:
        oy, ox = r.randrange(max(1, 700 - h)), r.randrange(max(1, 1400 - w))
        grain = _grain[oy:oy + h, ox:ox + w]
        if grain.shape == grey.shape:
            grey = grey + grain * r.uniform(1, 13) * (0.4 + 0.6 * depth)
    if r.random() < 0.25 * hard:                         # a scanner that whitens paper
        top = r.uniform(0.86, 0.98) * paper
        grey = grey * (255 / top)
    out = np.clip(grey, 0, 255).astype(np.uint8)
    if r.random() < 0.5 * hard:
        marks.append('jpeg')
        mem = io.BytesIO()
        Image.fromarray(out).save(mem, 'JPEG', quality=r.randint(25, 90))
        out = np.asarray(Image.open(io.BytesIO(mem.getvalue())))
    return out


def sample(seed, spec):
    r = random.Random(seed * 31 + 5)
    scale = r.triangular(0.85, 2.4, 1.3)
    s, marks = draw(r, spec, scale)
    ink, move = bend(r, s, scale)
    grey = spoil(r, ink, scale, spec.hard, marks)
    k = r.random()
    shown = Image.fromarray(grey).resize((spec.w, spec.h), Image.BICUBIC if k < 0.4 else Image.BILINEAR if k < 0.7 else Image.BOX)
    a = np.asarray(shown)
    if r.random() < 0.5:                                 # the page comes with its contrast stretched
        lo, hi = np.percentile(a, [0.5, 90])
        if hi - lo > 12:
            a = np.clip((a.astype(np.float32) - lo) * (255 / (hi - lo)), 0, 255).astype(np.uint8)
    ratio = np.array([spec.w / s.w, spec.h / s.h], np.float32)
    to = lambda p: move(np.asarray(p, np.float32).reshape(-1, 2)) * ratio
    return docs.finish(spec, a, a, to, s.chars, s.xy, dict(s.facts, lines=s.lines), marks, r.random() < 0.25 and not spec.held)


def batch(seeds, spec):
    return docs.stack([sample(s, spec) for s in seeds])


if __name__ == '__main__':
    import sys
    import time
    import schema as S
    out = sys.argv[1] if len(sys.argv) > 1 else '.'
    print(len(PIXEL_FONTS), 'pixel fonts,', len(PRINT_FONTS), 'others,', len(MONO_FONTS), 'of them of one width')
    for name, spec, across in [('line', docs.Spec('strip', 384, 48, 2, S.PAGE), 3), ('strip', docs.Spec('strip', 384, 216, 8, S.PAGE), 3), ('wide', docs.Spec('strip', 480, 96, 4, S.PAGE), 3),
                               ('cut', docs.Spec('cut', 384, 168, 7, S.RECEIPT), 3), ('slip', docs.Spec('slip', 384, 240, 10, S.RECEIPT), 3), ('long', docs.Spec('slip', 384, 720, 32, S.RECEIPT), 4)]:
        [sample(i, spec) for i in range(100)]
        t = time.process_time()
        ss = [sample(i, spec) for i in range(200)]
        t = (time.process_time() - t) / 200
        print('%s: %.2f ms, answer %.0f tokens' % (name, t * 1e3, sum(len(s.ids) for s in ss) / 200))
        down = max(1, min(24, 1000 // spec.h))
        sheet = Image.new('L', ((spec.w + 8) * across, (spec.h + 8) * down), 90)
        for i in range(across * down):
            im = ss[i].image.copy()
            sheet.paste(Image.fromarray(im), (i % across * (spec.w + 8), i // across * (spec.h + 8)))
            if i < 3:
                print(ss[i].truth)
        sheet.save('%s/%s.png' % (out, name))
