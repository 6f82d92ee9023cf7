"""Draws business papers of which it is known where each value stands.

A paper is a PDF with text (`scan` makes pictures of it), the schema it is read by, the record of a reader without fail, and for
each value the boxes in which it is printed, one a line of print, in 0..1 of the page as it is displayed. Layouts, fonts,
languages, notations of numbers and dates, page boxes and turns vary with the seed; the same seed gives the same paper.

Boxes are those of the font (ascent to descent) and those of the ink; both are called the box of a word by somebody.
"""
import datetime
import math
import os
import random
import subprocess
import sys
import zlib

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.join(here, '..', '..')
sys.path.insert(0, os.path.join(root, 'samples'))
from PIL import Image, ImageChops, ImageFilter, ImageFont
import pdf_write

A4, LETTER = (595, 842), (612, 792)
FONT_DIR = '/usr/share/fonts/truetype/'
FONTS = [path for path in (
    'liberation/LiberationSans-Regular.ttf', 'liberation/LiberationSerif-Regular.ttf', 'liberation/LiberationMono-Regular.ttf',
    'liberation/LiberationSansNarrow-Regular.ttf', 'dejavu/DejaVuSans.ttf', 'dejavu/DejaVuSerif.ttf',
    'dejavu/DejaVuSansCondensed.ttf', 'crosextra/Carlito-Regular.ttf', 'lato/Lato-Regular.ttf', 'open-sans/OpenSans-Regular.ttf',
) if os.path.exists(FONT_DIR + path)]

MONTHS = {
    'en': 'January February March April May June July August September October November December'.split(),
    'de': 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(),
    'fr': 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(),
}
WORDS = {
    'en': ('Cable Desk lamp Paper A4 Office chair Monitor stand Printer Toner Keyboard Mouse pad Notebook Pen set Shelf Coffee Tea '
           'Water filter Adapter Battery pack Screen Cover Mounting kit Service hour Consulting Transport').split(),
    'de': ('Kabel Schreibtischlampe Papier A4 Bürostuhl Monitorhalter Drucker Toner Tastatur Mausmatte Notizbuch Stifte Regal '
           'Kaffee Tee Wasserfilter Netzteil Akku Bildschirm Hülle Befestigung Arbeitsstunde Beratung Lieferung Gehäuse').split(),
    'fr': ('Câble Lampe de bureau Papier A4 Chaise Support écran Imprimante Toner Clavier Tapis Carnet Stylos Étagère Café Thé '
           'Filtre à eau Adaptateur Batterie Écran Housse Fixation Heure de service Conseil Transport').split(),
}
SAY = {
    'en': dict(invoice='Invoice', number='Invoice no.', date='Date', invoice_date='Invoice date', due='Due date', description='Description',
               quantity='Qty', price='Unit price', amount='Amount', subtotal='Subtotal', tax='VAT', total='Total', bill='Bill to',
               statement='Statement of account', account='Account', holder='Account holder', period='Period', to='to', opening='Opening balance',
               closing='Closing balance', balance='Balance', carried='Carried forward', brought='Brought forward', cash='Cash', thanks='Thank you',
               subject='Subject', reference='Your reference', page='Page', iban='IBAN', tax_id='VAT ID', dear='Dear Sir or Madam,', pos='Pos.'),
    'de': dict(invoice='Rechnung', number='Rechnungs-Nr.', date='Datum', invoice_date='Rechnungsdatum', due='Fällig am', description='Bezeichnung',
               quantity='Menge', price='Einzelpreis', amount='Betrag', subtotal='Zwischensumme', tax='MwSt.', total='Gesamtbetrag', bill='Kunde',
               statement='Kontoauszug', account='Konto', holder='Kontoinhaber', period='Zeitraum', to='bis', opening='Anfangssaldo',
               closing='Endsaldo', balance='Saldo', carried='Übertrag', brought='Übertrag', cash='Bar', thanks='Vielen Dank', subject='Betreff',
               reference='Ihr Zeichen', page='Seite', iban='IBAN', tax_id='USt-IdNr.', dear='Sehr geehrte Damen und Herren,', pos='Pos.'),
    'fr': dict(invoice='Facture', number='Facture n°', date='Date', invoice_date='Date de facture', due='Échéance', description='Désignation',
               quantity='Qté', price='Prix unitaire', amount='Montant', subtotal='Sous-total', tax='TVA', total='Total TTC', bill='Client',
               statement='Relevé de compte', account='Compte', holder='Titulaire', period='Période', to='au', opening='Solde initial',
               closing='Solde final', balance='Solde', carried='À reporter', brought='Report', cash='Espèces', thanks='Merci', subject='Objet',
               reference='Référence', page='Page', iban='IBAN', tax_id='N° TVA', dear='Madame, Monsieur,', pos='Pos.'),
}
STREETS = {'en': 'Mill Lane,Station Road,Church Street,Park Avenue', 'de': 'Hauptstraße,Bahnhofstraße,Am Mühlbach,Gartenweg',
           'fr': 'rue de la Gare,avenue Foch,rue du Moulin,place du Marché'}
CITIES = {'en': 'Leeds,Bristol,York', 'de': 'Berlin,München,Köln', 'fr': 'Lyon,Nantes,Lille'}
PEOPLE = {'en': 'Mary Fletcher,John O’Neill,Ann-Kate Brown', 'de': 'Jördis Maßmann,Ann-Kathrin Öhler,Peter Groß',
          'fr': 'Hélène Lefèvre,Jean-Pierre Noël,Aïcha Benoît'}
FIRMS = {'en': 'Fletcher & Sons Ltd,Northern Office Supplies,Blue Harbour Trading', 'de': 'Müller & Söhne GmbH,Bürobedarf Nord KG,Weiß Handels AG',
         'fr': 'Établissements Noël,Papeterie du Nord SARL,Lefèvre et Fils'}
FILL = {'en': 'we thank you for your order and send the goods as agreed with the enclosed papers for your files',
        'de': 'wir danken für Ihren Auftrag und senden die Ware wie vereinbart mit den beigefügten Unterlagen für Ihre Akten',
        'fr': 'nous vous remercions de votre commande et envoyons la marchandise comme convenu avec les documents pour vos dossiers'}


class Sheet(pdf_write.Page):
    """A page whose text may have characters that are not in the Windows code page."""

    def text(self, x, y, size, text, font, grey=0, mode=0):
        try:
            data = text.encode('cp1252')
        except UnicodeEncodeError:
            font += '+'
            codes = self.pdf.codes.setdefault(font, {})
            data = bytes(codes.setdefault(c, 33 + len(codes)) for c in text)
        self.fonts.add(font)
        data = b''.join(b'\\%03o' % c if c in b'\\()' or c < 32 else b'%c' % c for c in data)
        self.ops.append(b'BT %g g %d Tr /%s %g Tf %g %g Td (%s) Tj ET' % (grey, mode, font.encode(), size, x, y, data))
        return self


class Fonts(pdf_write.Pdf):
    """Any TrueType font, whole, in the Windows code page; a name with a plus has codes of its own."""

    def __init__(self):
        super().__init__()
        self.codes, self.read_as = {}, {}     # of a font: code of each character; what a text layer says for one, if not itself

    def page(self, width, height, rotate=0):
        self.pages.append(Sheet(self, width, height, rotate))
        return self.pages[-1]

    def _coded(self, name):
        """The encoding of the characters that were used, and what they mean."""
        codes = sorted((code, c) for c, code in self.codes[name].items())
        says = b''.join(b'<%02x> <%s>\n' % (code, self.read_as.get(c, c).encode('utf-16-be').hex().encode()) for code, c in codes)
        meaning = self.add(b'<<>>', b'/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <00> <ff> '
                           b'endcodespacerange %d beginbfchar\n%sendbfchar endcmap end end' % (len(codes), says))
        return b'<</Type/Encoding/Differences[%s]>>/ToUnicode %d 0 R' % (b' '.join(b'%d/uni%04X' % (code, ord(c)) for code, c in codes), meaning)

    def _font(self, name):
        if name in self.fonts:
            return self.fonts[name]
        key, name = name, name.rstrip('+')
        path = FONT_DIR + next(p for p in FONTS if os.path.basename(p)[:-4] == name)
        with open(path, 'rb') as f:
            data = f.read()
        font = face(name)
        spelt = {code: c for c, code in self.codes.get(key, {}).items()} or {c: bytes([c]).decode('cp1252', 'replace') for c in range(32, 256)}
        widths = [round(font.getlength(spelt[c])) if c in spelt else 0 for c in range(32, 256)]
        encoding = self._coded(key) if key in self.codes else b'/WinAnsiEncoding'
        ascent, descent = font.getmetrics()
        stream = self.add(b'<</Filter/FlateDecode/Length1 %d>>' % len(data), zlib.compress(data, 6))
        descriptor = self.add(b'<</Type/FontDescriptor/FontName/%s/Flags 32/FontBBox[-600 -400 2000 1200]/ItalicAngle 0/Ascent %d'
                              b'/Descent %d/CapHeight 730/StemV 80/FontFile2 %d 0 R>>' % (name.encode(), ascent, -descent, stream))
        self.fonts[key] = self.add(b'<</Type/Font/BaseFont/%s/Subtype/TrueType/FirstChar 32/LastChar 255/Widths[%s]/FontDescriptor %d 0 R/Encoding%s>>' % (
            name.encode(), b' '.join(b'%d' % w for w in widths), descriptor, encoding))
        return self.fonts[key]


def iban_of(country, bban):
    """With its check digits."""
    digits = ''.join(str(int(c, 36)) for c in bban + country + '00')
    return '%s%02d%s' % (country, 98 - int(digits) % 97, bban)


faces = {}


def face(name):
    if name not in faces:
        path = next(p for p in FONTS if os.path.basename(p)[:-4] == name)
        faces[name] = ImageFont.truetype(FONT_DIR + path, 1000, layout_engine=ImageFont.Layout.BASIC)
    return faces[name]


class Paper:
    """A document while it is drawn. Places are points from the upper left of the page as it is displayed."""

    def __init__(self, seed, kind, language=None):
        self.r = r = random.Random('%s %s' % (kind, seed))
        self.kind, self.seed = kind, seed
        self.language = language or r.choice(('en', 'de', 'fr'))
        self.say = SAY[self.language]
        self.font = os.path.basename(r.choice(FONTS))[:-4]
        self.size = r.choice((8, 9, 10, 11))
        self.pdf, self.truth, self.value, self.n_page = Fonts(), {}, {}, 0
        self.labelled = []                      # pointers of values beside a label
        self.kinds, self.heads, self.distractors, self.ordinary = {}, {}, {}, kind == 'invoice'     # see strangers.py
        self.by_word = r.random() < 0.4         # each word is placed by itself, without a space
        self.rotate = r.choice((0, 0, 0, 90, 180, 270))
        self.crop = r.choice(((0, 0), (0, 0), (36, 50), (-20, 15)))
        self.money_how = {'en': r.choice(('1,234.56', '1,234.56', '1234.56')), 'de': r.choice(('1.234,56', '1.234,56', '1234,56', "1'234.56")),
                          'fr': r.choice(('1 234,56', '1\u00a0234,56', '1.234,56'))}[self.language]
        self.date_how = r.choice({'en': ('%d/%m/%Y', '%B %d, %Y', '%d %b %Y', '%Y-%m-%d'), 'de': ('%d.%m.%Y', '%d. %B %Y', '%d.%m.%y'),
                                  'fr': ('%d/%m/%Y', '%d %B %Y', '%d.%m.%Y')}[self.language])
        self.currency = r.choice({'en': ('GBP', 'USD', 'EUR'), 'de': ('EUR', 'CHF'), 'fr': ('EUR',)}[self.language])

    # -- notations

    def number(self, value, digits=2):
        text = '{:,.{}f}'.format(abs(value), digits)
        how = self.money_how
        if how in ('1234.56', '1234,56'):
            text = text.replace(',', '')
        marks = {'1,234.56': ',.', '1234.56': ',.', '1.234,56': '.,', '1234,56': '.,', '1 234,56': ' ,', '1\u00a0234,56': '\u00a0,', "1'234.56": "'."}[how]
        text = ''.join({',': marks[0], '.': marks[1]}.get(c, c) for c in text)
        return '-' + text if value < 0 else text

    def count(self, value):
        return self.number(value, 0 if value == int(value) else 1)

    def with_currency(self, value):
        sign = {'EUR': '€', 'GBP': '£', 'USD': '$', 'CHF': 'CHF'}[self.currency]
        if self.language == 'en':
            return sign + self.number(value) if len(sign) == 1 else '%s %s' % (sign, self.number(value))
        return '%s %s' % (self.number(value), sign)

    def day(self, iso, how=None):
        day = datetime.date.fromisoformat(iso)
        month = MONTHS[self.language][day.month - 1]
        text = (how or self.date_how).replace('%B', month).replace('%b', month[:3])
        return day.strftime(text) if text.find('%') >= 0 else text

    def pick(self, table):
        return self.r.choice(table[self.language].split(','))

    def fitting(self, words, wide):
        """How many of the words fit in so many points, one at least."""
        n = len(words)
        while n > 1 and self.wide(' '.join(words[:n])) > wide:
            n -= 1
        return n

    def words(self, least, most):
        return ' '.join(self.r.choice(WORDS[self.language]) for _ in range(self.r.randint(least, most)))

    def address(self):
        return ['%s %d' % (self.pick(STREETS), self.r.randint(1, 99)), '%05d %s' % (self.r.randint(10000, 99999), self.pick(CITIES))]

    # -- pages

    def open_page(self, landscape=False, size=None):
        w, h = size or (LETTER if self.language == 'en' else A4)
        self.width, self.height = (h, w) if landscape else (w, h)
        self.n_page += 1
        raw = (self.width, self.height) if self.rotate in (0, 180) else (self.height, self.width)
        self.page = self.pdf.page(*raw, self.rotate)
        self.page.size = raw
        w, h = self.width, self.height
        matrix = {0: (1, 0, 0, 1, 0, 0), 90: (0, 1, -1, 0, h, 0), 180: (-1, 0, 0, -1, w, h), 270: (0, -1, 1, 0, 0, w)}[self.rotate]
        matrix = matrix[:4] + (matrix[4] + self.crop[0], matrix[5] + self.crop[1])
        self.page.ops.append(b'%g %g %g %g %g %g cm' % matrix)
        self.y = 40

    def wide(self, text, size=None, font=None):
        return face(font or self.font).getlength(text) * (size or self.size) / 1000

    def box(self, x, y, text, start, end, size):
        """The box of text[start:end], by font and by ink."""
        f, part = face(self.font), text[start:end]
        left = x + self.wide(text[:start], size)
        ascent, descent = f.getmetrics()
        ink = f.getbbox(part, anchor='ls')
        k = size / 1000
        both = ((left, y - ascent * k, left + self.wide(part, size), y + descent * k),
                (left + ink[0] * k, y + ink[1] * k, left + ink[2] * k, y + ink[3] * k))
        return [[a / self.width, b / self.height, (c - a) / self.width, (d - b) / self.height] for a, b, c, d in both]

    def put(self, x, y, text, of=(), size=None, right=False, bold=False):
        """Text with its baseline at y; `of` lists (pointer, part of the text) or pointers of all of it."""
        size = size or self.size
        if right:
            x -= self.wide(text, size)
        if self.by_word:
            at = 0
            for word in text.split(' '):
                if word:
                    self.page.text(x + self.wide(text[:at], size), self.height - y, size, word, self.font)
                at += len(word) + 1
        else:
            self.page.text(x, self.height - y, size, text, self.font)
        for entry in of:
            pointer, part = (entry, text) if isinstance(entry, str) else entry
            start = text.index(part)
            self.truth.setdefault(pointer, []).append({'page': self.n_page, 'text': part, 'boxes': self.box(x, y, text, start, start + len(part), size)})
        return x + self.wide(text, size)

    def label(self, x, y, label, text, of, gap=None):
        """A label and its value: beside it, far from it, above it or grown together with it."""
        how = self.label_how
        of = [of] if isinstance(of, str) else of
        self.labelled += [entry if isinstance(entry, str) else entry[0] for entry in of]
        if how == 'joined' and not self.by_word:
            self.put(x, y, '%s:%s' % (label, text), of)
        elif how == 'above':
            self.put(x, y - self.size * 1.15, label, size=self.size * 0.8)
            self.put(x, y, text, of)
        else:
            end = self.put(x, y, label + (':' if how == 'colon' else ''))
            self.put(max(end + self.size * 0.6, x + (gap or 0)), y, text, of)

    def finish(self):
        for page in self.pdf.pages:
            page.crop = self.crop
        data = self.pdf.bytes()
        for page in self.pdf.pages:
            w, h = page.size
            old = b'/MediaBox[0 0 %g %g]' % (w, h)
            x, y = self.crop
            new = b'/MediaBox[%g %g %g %g]/CropBox[%g %g %g %g]' % (x - 30, y - 30, x + w + 30, y + h + 30, x, y, x + w, y + h)
            data = data.replace(old, new)
        return data            # the cross-reference table is rebuilt by readers


# -- kinds of papers

def letterhead(p, name, address):
    p.put(50, p.y + 20, name, ['/seller/name'], size=p.size * p.r.choice((1, 1.4, 1.8)))
    p.y += 20
    for i, line in enumerate(address):
        p.y += p.size * 1.3
        p.put(50, p.y, line, ['/seller/address'])


def invoice(seed, twins=False):
    p = Paper(seed, 'invoice')
    r, say = p.r, p.say
    p.label_how = r.choice(('beside', 'colon', 'gap', 'above', 'joined'))
    seller, buyer = p.pick(FIRMS), r.choice((p.pick(PEOPLE), p.pick(FIRMS)))
    while buyer == seller:
        buyer = p.pick(FIRMS)
    here, there = p.address(), p.address()
    day = datetime.date(2024, r.randint(1, 12), r.randint(1, 28))
    due = day + datetime.timedelta(days=r.choice((0, 14, 30)) if twins else r.choice((14, 30)))
    p.open_page(landscape=r.random() < 0.1)
    letterhead(p, seller, here)
    tax_id = 'DE%09d' % r.randrange(10 ** 9)
    number = r.choice(('RE-2024-%04d', '2024/%05d', 'F%06d', '%08d')) % r.randint(1, 9999)
    iban = iban_of('DE', '%018d' % r.randrange(10 ** 18))
    p.y += 30
    top = p.y
    p.put(50, p.y, say['bill'])
    p.y += p.size * 1.4
    p.put(50, p.y, buyer, ['/buyer/name'])
    for line in there:
        p.y += p.size * 1.3
        p.put(50, p.y, line, ['/buyer/address'])
    x, y, step = p.width - 230, top, p.size * (2.6 if p.label_how == 'above' else 1.5)
    p.put(x, y - step - 8, say['invoice'], size=p.size * 1.5)
    for name, text, pointer in ((say['number'], number, '/invoice_number'), (r.choice((say['invoice_date'], say['date'])), p.day(day.isoformat()), '/date'),
                                (say['due'], p.day(due.isoformat()), '/due_date'), (say['tax_id'], tax_id, '/seller/tax_id')):
        p.label(x, y, name, text, pointer, gap=100)
        y += step
    p.y = max(p.y, y) + 30
    items = table(p, twins)
    subtotal = round(sum(i['amount'] for i in items), 2)
    rate = r.choice((0, 19, 7, 20)) if twins else r.choice((19, 7, 20))
    tax = round(subtotal * rate / 100, 2)
    total = round(subtotal + tax, 2)
    end = p.width - 50
    for label, value, pointer in ((say['subtotal'], subtotal, '/subtotal'), ('%s %d %%' % (say['tax'], rate), tax, '/tax'), (say['total'], total, '/total')):
        p.y += p.size * 1.6
        text = p.with_currency(value)
        number_part = p.number(value)
        p.put(end - 220, p.y, label)
        p.put(end, p.y, text, [(pointer, text if text[0] in '€£$' else number_part)], right=True)
    p.y += 40
    sentence = '%s: %s' % (say['iban'], ' '.join(iban[i:i + 4] for i in range(0, len(iban), 4)))
    p.put(50, p.y, sentence, [('/iban', sentence.split(': ')[1])])
    footer = '%s · %s · %s' % (seller, here[0], here[1])
    p.put(50, p.height - 30, footer, size=p.size * 0.8)
    p.value = {'invoice_number': number, 'date': day.isoformat(), 'due_date': due.isoformat(),
               'seller': {'name': seller, 'address': ', '.join(here), 'tax_id': tax_id},
               'buyer': {'name': buyer, 'address': ', '.join(there), 'tax_id': None},
               'items': items, 'subtotal': subtotal, 'tax': tax, 'total': total, 'currency': None, 'iban': iban}
    return p


def table(p, twins):
    r, say = p.r, p.say
    columns = [('description', 90, False), ('quantity', p.width - 260, True), ('unit_price', p.width - 160, True), ('amount', p.width - 50, True)]
    numbered = r.random() < 0.5
    headed = r.random() < 0.85
    names = {'description': say['description'], 'quantity': say['quantity'], 'unit_price': say['price'], 'amount': say['amount']}
    if headed:
        for key, x, right in columns:
            p.put(x, p.y, names[key], right=right)
        if numbered:
            p.put(50, p.y, say['pos'])
        p.heads['/items'] = list(names)
    items = []
    for i in range(r.randint(1, 12)):
        p.y += p.size * 1.7
        quantity = r.choice((1, 1, 1, 2, 3, 5, 10) if twins else (1, 2, 3, 4, 5, 10, 12))
        price = r.choice((5.0, 12.5, 12.5, 99.0)) if twins else r.randint(100, 250000) / 100
        item = {'description': p.words(1, 4), 'quantity': quantity, 'unit_price': price, 'amount': round(quantity * price, 2)}
        at = '/items/%d/' % i
        if numbered:
            p.put(50, p.y, str(i + 1))
        words = item['description'].split(' ')
        cut = 2 if len(words) > 2 and r.random() < 0.6 else len(words)
        cut = p.fitting(words[:cut], p.width - 400)
        p.put(90, p.y, ' '.join(words[:cut]), [at + 'description'])
        p.put(columns[1][1], p.y, p.count(quantity), [at + 'quantity'], right=True)
        p.put(columns[2][1], p.y, p.number(price), [at + 'unit_price'], right=True)
        p.put(columns[3][1], p.y, p.number(item['amount']), [at + 'amount'], right=True)
        if cut < len(words):
            p.y += p.size * 1.25
            p.put(90, p.y, ' '.join(words[cut:]), [at + 'description'])
        items.append(item)
    p.y += p.size
    return items


def receipt(seed, twins=False):
    p = Paper(seed, 'receipt')
    r, say = p.r, p.say
    p.open_page(size=(230, 420 + 14 * r.randint(0, 12)))
    shop, day = p.pick(FIRMS), datetime.date(2024, r.randint(1, 12), r.randint(1, 28)).isoformat()
    p.put((p.width - p.wide(shop)) / 2, p.y, shop, ['/merchant'])
    for line in p.address():
        p.y += p.size * 1.3
        p.put((p.width - p.wide(line)) / 2, p.y, line)
    p.y += p.size * 2.2
    p.put(16, p.y, p.day(day), ['/date'])
    p.put(p.width - 16, p.y, '%02d:%02d' % (r.randint(8, 20), r.randint(0, 59)), right=True)
    p.y += p.size
    items, how = [], r.choice(('x', 'line', 'plain'))
    for i in range(r.randint(1, 8)):
        p.y += p.size * 1.6
        price = r.choice((1.0, 2.0, 2.5)) if twins else r.randint(50, 3000) / 100
        item = {'name': p.words(1, 2), 'quantity': r.randint(1, 4) if how == 'x' else None, 'price': price}
        at, name = '/items/%d/' % i, item['name']
        if how == 'x':
            text = '%dx %s' % (item['quantity'], name)
            p.put(16, p.y, text, [(at + 'quantity', '%dx' % item['quantity']), (at + 'name', name)])
        else:
            p.put(16, p.y, name, [at + 'name'])
        if how == 'line':
            p.y += p.size * 1.3
        p.put(p.width - 16, p.y, p.number(price), [at + 'price'], right=True)
        items.append(item)
    total = round(sum(i['price'] for i in items), 2)
    p.y += p.size * 2
    text = p.with_currency(total)
    p.put(16, p.y, say['total'])
    p.put(p.width - 16, p.y, text, [('/total', text if text[0] in '€£$' else p.number(total))], right=True)
    paid = total if twins or r.random() < 0.5 else total + r.randint(1, 20)
    p.y += p.size * 1.5
    p.put(16, p.y, say['cash'])
    p.put(p.width - 16, p.y, p.number(paid), right=True)
    p.put(16, p.y + 30, say['thanks'])
    p.value = {'merchant': shop, 'date': day, 'items': items, 'total': total, 'currency': None}
    return p


def statement(seed, twins=False):
    p = Paper(seed, 'statement')
    r, say = p.r, p.say
    p.label_how = r.choice(('beside', 'colon', 'gap'))
    bank, holder = p.pick(FIRMS), p.pick(PEOPLE)
    account = iban_of('DE', '%018d' % r.randrange(10 ** 18))
    first = datetime.date(2024, r.randint(1, 11), 1)
    last = first + datetime.timedelta(days=29)
    balance = r.randint(10000, 900000) / 100
    opening, day, lines = balance, first, []
    short = r.random() < 0.3
    n = r.choice((6, 25, 60, 110))
    landscape = r.random() < 0.15

    def head():
        p.open_page(landscape)
        p.put(50, p.y, bank, ['/account/bank'], size=p.size * 1.3)
        p.put(p.width - 50, p.y, '%s %d' % (say['page'], p.n_page), right=True)
        p.y += p.size * 2
        spaced = ' '.join(account[i:i + 4] for i in range(0, len(account), 4))
        p.label(50, p.y, say['account'], spaced, '/account/number', gap=120)

    how = {'de': '%d.%m.', 'fr': '%d/%m', 'en': '%d %b'}[p.language] if short else None
    middle = 65 + max(p.wide(p.day('2024-09-%02d' % n, how)) for n in range(10, 30))

    def titles():
        p.y += p.size * 2.2
        for x, text, right in ((50, say['date'], False), (middle, say['description'], False), (p.width - 150, say['amount'], True), (p.width - 50, say['balance'], True)):
            p.put(x, p.y, text, right=right)

    head()
    p.put(p.width - 50, p.y, say['statement'], right=True)
    p.y += p.size * 1.5
    p.label(50, p.y, say['holder'], holder, '/account/holder', gap=120)
    p.y += p.size * 1.5
    a, b = p.day(first.isoformat()), p.day(last.isoformat())
    text = '%s %s %s' % (a, say['to'], b)
    p.label(50, p.y, say['period'], text, [('/period/from', a), ('/period/to', b)], gap=120)
    titles()
    p.y += p.size * 1.6
    p.put(middle, p.y, say['opening'])
    p.put(p.width - 50, p.y, p.number(opening), ['/opening_balance'], right=True)
    p.heads['/lines'] = ['date', 'description', 'amount', 'balance']
    for i in range(n):
        if p.y > p.height - 90:
            p.y += p.size * 1.6
            p.put(middle, p.y, say['carried'])
            p.put(p.width - 50, p.y, p.number(balance), right=True)
            head()
            titles()
            p.y += p.size * 1.6
            p.put(middle, p.y, say['brought'])
            p.put(p.width - 50, p.y, p.number(balance), right=True)
        if r.random() < 0.5 and day < last:
            day += datetime.timedelta(days=1)
        amount = r.choice((-10.0, -25.5, 10.0)) if twins else r.choice((-1, -1, 1)) * r.randint(100, 200000) / 100
        balance = round(balance + amount, 2)
        line = {'date': day.isoformat(), 'description': p.words(1, 4), 'amount': amount, 'balance': balance}
        at = '/lines/%d/' % i
        p.y += p.size * 1.6
        p.put(50, p.y, p.day(line['date'], how), [at + 'date'])
        words = line['description'].split(' ')
        cut = 2 if len(words) > 2 and r.random() < 0.4 else len(words)
        cut = p.fitting(words[:cut], p.width - 225 - middle)
        p.put(middle, p.y, ' '.join(words[:cut]), [at + 'description'])
        p.put(p.width - 150, p.y, p.number(amount), [at + 'amount'], right=True)
        p.put(p.width - 50, p.y, p.number(balance), [at + 'balance'], right=True)
        if cut < len(words):
            p.y += p.size * 1.25
            p.put(middle, p.y, ' '.join(words[cut:]), [at + 'description'])
        lines.append(line)
    p.y += p.size * 1.8
    p.put(middle, p.y, say['closing'])
    p.put(p.width - 50, p.y, p.number(balance), ['/closing_balance'], right=True)
    p.value = {'account': {'bank': bank, 'holder': holder, 'number': account}, 'period': {'from': first.isoformat(), 'to': last.isoformat()},
               'currency': None, 'opening_balance': opening, 'lines': lines, 'closing_balance': balance}
    return p


def letter(seed, twins=False):
    p = Paper(seed, 'letter')
    r, say = p.r, p.say
    p.label_how = r.choice(('beside', 'colon'))
    p.open_page()
    sender, recipient = [p.pick(FIRMS)] + p.address(), [p.pick(PEOPLE)] + p.address()
    day = datetime.date(2024, r.randint(1, 12), r.randint(1, 28)).isoformat()
    x = r.choice((50, p.width - 220))
    for line in sender:
        p.put(x, p.y, line, ['/sender'])
        p.y += p.size * 1.3
    p.y += 20
    for line in recipient:
        p.put(50, p.y, line, ['/recipient'])
        p.y += p.size * 1.3
    p.y += 20
    city = sender[2].split(' ', 1)[1]
    text = '%s, %s' % (city, p.day(day))
    p.put(p.width - 50, p.y, text, [('/date', p.day(day))], right=True)
    reference = r.choice(('AZ 12/%04d', 'K-%06d', '%d-B')) % r.randint(1, 9999)
    p.y += p.size * 2
    p.label(50, p.y, say['reference'], reference, '/reference')
    subject = p.words(4, 9)
    p.y += p.size * 2
    words = subject.split(' ')
    end = p.put(50, p.y, say['subject'] + ': ')
    cut = len(words)
    while p.wide(' '.join(words[:cut])) > 200:
        cut -= 1
    p.put(end, p.y, ' '.join(words[:cut]), ['/subject'])
    if cut < len(words):
        p.y += p.size * 1.3
        p.put(end if r.random() < 0.5 else 50, p.y, ' '.join(words[cut:]), ['/subject'])
    p.y += p.size * 2.5
    p.put(50, p.y, say['dear'])
    fill = FILL[p.language].split()
    for _ in range(12):
        p.y += p.size * 1.3
        words = [r.choice(fill) for _ in range(11)]
        if r.random() < 0.3:
            words[5] = reference if twins else recipient[0].split()[-1]
        p.put(50, p.y, ' '.join(words))
    p.value = {'sender': ', '.join(sender), 'recipient': ', '.join(recipient), 'date': day, 'subject': subject, 'reference': reference, 'body_summary': None}
    return p


KINDS = {'invoice': (invoice, 'invoice'), 'receipt': (receipt, 'receipt'), 'statement': (statement, 'bank-statement'), 'letter': (letter, 'letter')}


def turned(box, width, height, degrees, new_width, new_height):
    """The box that holds `box`, in 0..1 of a page that was turned about its middle, in 0..1 of the picture that has room for it."""
    a = math.radians(degrees)
    x, y, w, h = box[0] * width, box[1] * height, box[2] * width, box[3] * height
    mx, my = width / 2, height / 2
    corners = [(mx + (px - mx) * math.cos(a) + (py - my) * math.sin(a), my - (px - mx) * math.sin(a) + (py - my) * math.cos(a))
               for px in (x, x + w) for py in (y, y + h)]
    x0, y0, x1, y1 = (f(c[i] for c in corners) for f in (min, max) for i in (0, 1))
    x0, y0, x1, y1 = x0 - mx + new_width / 2, y0 - my + new_height / 2, x1 - mx + new_width / 2, y1 - my + new_height / 2
    return [x0 / new_width, y0 / new_height, (x1 - x0) / new_width, (y1 - y0) / new_height]


def worn(image, r, skew):
    """What a scanner makes of a page: grey, a little blurred, noisy and crooked; and by how many degrees."""
    degrees = r.choice((0, r.uniform(-skew, skew), r.uniform(-0.5, 0.5)))
    image = image.rotate(degrees, Image.BICUBIC, expand=True, fillcolor=255).filter(ImageFilter.GaussianBlur(r.uniform(0, 0.8)))
    noise = Image.frombytes('L', image.size, r.randbytes(image.width * image.height)).point(lambda v: v * r_noise // 255)
    return ImageChops.subtract(image.point(lambda v: 25 + v * 220 // 255), noise), degrees


r_noise = 24


def scan(pdf, base, seed, skew=1):
    """The same as a scanner has it, pictures alone (a PDF, TIFF or JPEG): its name, and of each page what turned() asks for."""
    r = random.Random('scan %s %s' % (os.path.basename(pdf), seed))
    dpi = r.choice((150, 200, 300))
    prefix = base + '.page'
    subprocess.run(['pdftoppm', '-r', str(dpi), '-gray', '-cropbox', pdf, prefix], check=True)
    folder = os.path.dirname(base)
    names = sorted(name for name in os.listdir(folder) if name.startswith(os.path.basename(prefix)))
    pages = []
    for name in names:
        with Image.open(os.path.join(folder, name)) as image:
            pages.append(worn(image.convert('L'), r, skew) + image.size)
        os.remove(os.path.join(folder, name))
    kind = r.choice(('pdf', 'tif', 'jpg') if len(pages) == 1 else ('pdf', 'tif'))
    out = '%s-scan.%s' % (base, kind)
    first, rest = pages[0][0], [page[0] for page in pages[1:]]
    if kind == 'pdf':
        first.save(out, 'PDF', resolution=dpi, save_all=True, append_images=rest, quality=r.choice((60, 75, 90)))
    elif kind == 'tif':
        first.save(out, 'TIFF', dpi=(dpi, dpi), compression='tiff_lzw', save_all=True, append_images=rest)
    else:
        first.save(out, 'JPEG', dpi=(dpi, dpi), quality=r.choice((60, 75, 90)))
    return out, [(width, height, degrees, *page.size) for page, degrees, width, height in pages]


def truth_of_scan(truth, pages):
    return {pointer: [dict(place, boxes=[turned(box, *pages[place['page'] - 1]) for box in place['boxes']]) for place in places]
            for pointer, places in truth.items()}
