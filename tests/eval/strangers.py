"""Papers of the kinds that come by post, drawn by somebody who does not write the rules (planted.py), each with its own schema.

The schemas are what a user writes in a minute: keys, types and now and then a title; no descriptions, no checks. Beside what a
Layout has, a paper says of each value what kind of thing it is (kinds), which columns have a printed head (heads), and what is
printed that no field asks for (distractors).
"""
import datetime
import math

import layouts
import papers
from layouts import Layout, as_drawn
from papers import MONTHS, iban_of

LATIN = tuple(name for name in ('LiberationSans-Regular', 'LiberationSerif-Regular', 'LiberationSansNarrow-Regular', 'DejaVuSansCondensed', 'DejaVuSans', 'DejaVuSerif',
                                'Carlito-Regular') if any(path.endswith('/%s.ttf' % name) for path in papers.FONTS))      # they have all the letters
MONTH_NAMES = {
    **MONTHS,
    'nl': 'januari februari maart april mei juni juli augustus september oktober november december'.split(),
    'pl': 'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia'.split(),
    'it': 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(),
    'es': 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(),
    'pt': 'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'.split(),
    'sv': 'januari februari mars april maj juni juli augusti september oktober november december'.split(),
    'tr': 'Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık'.split(),
}
SIGNS = {'EUR': '€', 'GBP': '£', 'USD': '$', 'CHF': 'CHF', 'PLN': 'zł', 'SEK': 'kr', 'TRY': 'TL', 'ILS': '₪', 'AUD': '$', 'NZD': '$'}
# Of each country: streets, towns with their codes (# a digit), people and firms.
LAND = {
    'GB': ('Mill Lane,Station Road,Corn Street,Chapel Row,Albion Terrace', 'Hexham NE46 #AB,Leeds LS# 4TN,Truro TR1 #QX,Bath BA# 5DR',
           'Miriam Holt,Owen Prys,Callum Reid,Nadia Rahman,Ruth Ainsley,Peter Garland,Joan Whitby,Imran Sadiq',
           'Tynedale Power Ltd,Marlow & Finch LLP,Harbour Lights Hotel,Greenhill Garages Ltd,Caxton Estates,Northgate Motors,Wye Valley Foods plc'),
    'US': ('Maple Street,Lincoln Avenue,Dock Road,Industrial Parkway,W 4th Street', 'Akron OH 443##,Fresno CA 937##,Tampa FL 336##,Duluth MN 558##',
           'Karen Doyle,Luis Ortega,Wendell Price,Tamika Jones,Dale Hutchins,Amy Chen,Robert Kowalski',
           'Lakeside Freight Inc.,Bolton Supply Co.,Cloudpost Inc.,Summit Card Services,Prairie Foods LLC,Delmar Tool & Die,Oak Hill Dental Group'),
    'DE': ('Gartenstraße,Am Bahnhof,Lindenweg,Schulgasse,Industriestraße', '3#117 Hannover,0#103 Leipzig,8#331 München,4#057 Duisburg',
           'Sabine Krüger,Jens Albrecht,Uta Schäfer,Olaf Winkler,Petra Löhr,Timo Vogt',
           'Apotheke am Markt,Laborgemeinschaft Elbe GbR,Holzbau Kern GmbH,Rhenus Versicherung AG,Autohaus Brandt KG,Hartmann Chemie GmbH'),
    'NL': ('Kerkstraat,Dorpsweg,Havenkade,Molenlaan', '10## AB Amsterdam,35## HG Utrecht,97## KL Groningen', 'Joost de Wit,Anneke Visser,Sem Bakker,Lotte Smits',
           'Bakker Techniek B.V.,De Groene Tuin V.O.F.,Van Dijk Drukwerk B.V.,Smits & Zonen B.V.'),
    'PL': ('ul. Długa,ul. Polna,al. Wolności,ul. Źródlana', '00-9## Warszawa,31-0## Kraków,80-8## Gdańsk', 'Anna Wójcik,Marek Zieliński,Ewa Dąbrowska',
           'Hurtownia Śruba sp. z o.o.,Meble Łąka S.A.,Drukarnia Żak s.c.,Ogrody Wiśniewski sp.j.'),
    'IT': ('Via Roma,Corso Garibaldi,Via dei Mille,Piazza Dante', '201## Milano MI,001## Roma RM,401## Bologna BO', 'Giulia Ferri,Marco Bellini,Lucia Conti',
           'Ferramenta Conti S.r.l.,Officina Bellini S.n.c.,Carta e Penna S.p.A.,Cantina del Colle S.r.l.'),
    'ES': ('Calle Mayor,Avenida del Puerto,Calle Olivo,Paseo de Gracia', '280## Madrid,460## Valencia,410## Sevilla', 'Lucía Moreno,Iván Peña,Carmen Núñez',
           'Suministros Peña S.L.,Imprenta Núñez S.A.,Viveros del Sur S.L.,Talleres Moreno S.L.'),
    'PT': ('Rua do Carmo,Avenida da Liberdade,Rua das Flores,Travessa do Poço', '1200-4## Lisboa,4050-2## Porto,3000-1## Coimbra', 'João Falcão,Inês Araújo,Rui Simões',
           'Papelaria Araújo Lda.,Cerâmica do Poço S.A.,Falcão & Irmãos Lda.,Vinhos da Serra Lda.'),
    'SE': ('Storgatan,Kungsvägen,Hamngatan,Björkvägen', '111 #2 Stockholm,413 #5 Göteborg,211 #3 Malmö', 'Åsa Lindqvist,Björn Öberg,Karin Sjödin',
           'Öbergs Bygg AB,Lindqvist Måleri AB,Nordisk Kontorsvaror AB,Sjödins Trädgård HB'),
    'TR': ('Atatürk Caddesi,Çınar Sokak,İstasyon Yolu', '34### Kadıköy İstanbul,06### Çankaya Ankara,35### Konak İzmir', 'Ayşe Yıldız,Mehmet Öztürk,Gülşen Çelik',
           'Yıldız Kırtasiye Ltd. Şti.,Çelik Makina A.Ş.,Öztürk Gıda San. Tic. Ltd. Şti.'),
    'IL': ('הרצל,ויצמן,רחוב הגפן', 'תל אביב 61###,חיפה 33###,ירושלים 91###', 'דוד כהן,שרה לוי,משה מזרחי,רחל פרץ', 'ספרי ירושלים,חברת אור,משרד הצפון,דפוס הכרמל'),
}
GOODS = {
    'en': 'Hinge plate,Copper pipe 15 mm,Wall bracket,Sealing tape,Work gloves,Oak board,Primer grey,Hose clamp,Drill bit set,Ceiling hook,Door closer,Cable drum,Paint tray',
    'de': 'Scharnier,Kupferrohr 15 mm,Wandhalter,Dichtband,Handschuhe,Eichenbrett,Grundierung grau,Schlauchschelle,Bohrersatz,Deckenhaken,Türschließer,Kabeltrommel',
    'nl': 'Scharnierplaat,Koperen buis,Muurbeugel,Werkhandschoenen,Eiken plank,Slangklem,Borenset,Plafondhaak,Deurdranger,Kabelhaspel',
    'pl': 'Zawias stalowy,Rura miedziana,Uchwyt ścienny,Taśma uszczelniająca,Rękawice robocze,Deska dębowa,Zestaw wierteł,Hak sufitowy,Bęben kablowy',
    'it': 'Cerniera acciaio,Tubo di rame,Staffa a muro,Guanti da lavoro,Tavola di rovere,Fascetta,Set di punte,Gancio,Avvolgicavo,Cuscinetto 6204',
    'es': 'Bisagra de acero,Tubo de cobre,Soporte de pared,Guantes de trabajo,Tabla de roble,Abrazadera,Juego de brocas,Gancho de techo,Carrete',
    'pt': 'Dobradiça de aço,Tubo de cobre,Suporte de parede,Luvas de trabalho,Tábua de carvalho,Abraçadeira,Jogo de brocas,Gancho,Bobina de cabo',
    'sv': 'Gångjärn,Kopparrör,Väggfäste,Arbetshandskar,Ekplanka,Slangklämma,Borrsats,Takkrok,Dörrstängare,Kabelvinda',
    'tr': 'Menteşe,Bakır boru,Duvar askısı,İş eldiveni,Meşe tahta,Hortum kelepçesi,Matkap ucu seti,Tavan kancası,Kablo makarası',
    'he': 'ציר פלדה,צינור נחושת,כפפות עבודה,לוח אלון,סט מקדחים,וו תקרה,תוף כבל',
}


class Stranger(Layout):
    """Fills its record and schema while it is drawn."""

    def __init__(self, seed, kind, land='GB', money=('1,234.56',), dates=('%d/%m/%Y',), currency=('GBP',), ordinary=False, fonts=LATIN):
        self.tongue = {'GB': 'en', 'US': 'en', 'SE': 'sv', 'IL': 'he'}.get(land, land.lower())
        super().__init__(seed, kind, None, self.tongue if self.tongue in papers.SAY else 'en')
        r = self.r
        self.land, self.ordinary = land, ordinary
        self.money_how, self.date_how, self.currency = r.choice(money), r.choice(dates), r.choice(currency)
        self.font, self.size = r.choice(fonts), r.choice((8, 8.5, 9))
        self.rotate = r.choice((0,) * 9 + (90, 180, 270))
        self.page_size = papers.LETTER if land == 'US' else papers.A4
        self.types, self.titles, self.prints = {}, {}, []
        self.firms = r.sample(LAND[land][3].split(','), len(LAND[land][3].split(',')))
        self.people = r.sample(LAND[land][2].split(','), len(LAND[land][2].split(',')))

    # -- what there is to print

    def code(self, pattern):
        """# is a digit, @ a letter."""
        return ''.join(str(self.r.randint(0, 9)) if c == '#' else self.r.choice('ABCDEFGHKLMNPRSTVWX') if c == '@' else c for c in pattern)

    def place(self):
        """An address of two lines."""
        streets, towns = (text.split(',') for text in LAND[self.land][:2])
        street, number = self.r.choice(streets), self.r.randint(1, 180)
        return ['%d %s' % (number, street) if self.land in ('GB', 'US') else '%s %d' % (street, number), self.code(self.r.choice(towns))]

    def goods(self, n):
        names = GOODS[self.tongue].split(',')
        return [self.r.choice(names) for _ in range(n)] if n > len(names) else self.r.sample(names, n)

    def some_day(self, year=2025, last=28):
        """As in life: two days of five are of the first twelve."""
        return datetime.date(year, self.r.randint(1, 12), self.r.randint(1, last))

    def day(self, day, how=None):
        if isinstance(day, str):
            day = datetime.date.fromisoformat(day)
        month = MONTH_NAMES.get(self.tongue, MONTHS['en'])[day.month - 1]
        text = (how or self.date_how).replace('%B', month).replace('%b', month[:3]).replace('%-d', str(day.day)).replace('%-m', str(day.month))
        return day.strftime(text) if '%' in text else text

    def in_money(self, value):
        """With the sign of the currency, as its country writes it."""
        sign, number = SIGNS[self.currency], self.number(value)
        if self.currency in ('GBP', 'USD', 'AUD', 'NZD', 'ILS'):
            return '-%s%s' % (sign, number[1:]) if number[0] == '-' else sign + number
        return '%s %s' % (sign, number) if self.currency == 'CHF' or self.land == 'NL' else '%s %s' % (number, sign)

    def fit(self, text, wide, size=None):
        """As many of its words as there is room for."""
        words = text.split(' ')
        while len(words) > 1 and self.wide(' '.join(words), size) > wide:
            words.pop()
        return ' '.join(words)

    # -- what is asked for

    def say_value(self, at, value, kind=None):
        """Puts a value into the record; a null is of its kind ('date', 'amount', else text)."""
        node, way = self.value, at.strip('/').split('/')
        for key, after in zip(way, way[1:]):
            if isinstance(node, list):
                while len(node) <= int(key):
                    node.append({})
                node = node[int(key)]
            else:
                node = node.setdefault(key, [] if after.isdigit() else {})
        node[way[-1]] = value
        if kind:
            self.kinds[at] = kind
        general = '/'.join('*' if k.isdigit() else k for k in at.split('/'))
        if value is not None or kind in ('date', 'amount'):
            self.types[general] = 'date' if kind == 'date' else 'number' if isinstance(value, (int, float)) or kind == 'amount' else 'string'
        if kind == 'currency':
            self.types[general] = 'currency'

    def distract(self, kind, value):
        """Print that no field asks for."""
        self.distractors.setdefault(kind, []).append(value)

    def schema_of(self, value, at=''):
        if isinstance(value, list):
            keys = list(dict.fromkeys(key for row in value for key in row))
            return {'type': 'array', 'items': self.schema_of(dict.fromkeys(keys), at + '/*')}
        if isinstance(value, dict):
            return {'type': 'object', 'properties': {key: self.schema_of(v, '%s/%s' % (at, key)) for key, v in value.items()},
                    'required': list(value), 'additionalProperties': False}
        kind = self.types.get(at, 'string')
        schema = {'type': ['number' if kind == 'number' else 'string', 'null']}
        if kind == 'date':
            schema['format'] = 'date'
        if kind == 'currency':
            schema['pattern'] = '^[A-Z]{3}$'
        if at in self.titles:
            schema['title'] = self.titles[at]
        return schema

    def done(self):
        for array in self.heads:                # a row has all keys
            rows = layouts_leaf(self.value, array)
            keys = list(dict.fromkeys(key for row in rows for key in row))
            rows[:] = [{key: row.get(key) for key in keys} for row in rows]
        self.schema = self.schema_of(self.value)
        return self

    # -- pages

    def start(self, landscape=False, size=None):
        self.open_page(landscape, size or self.page_size)
        return self

    def put(self, x, y, text, of=(), size=None, right=False, bold=False):
        wide = self.wide(text, size)
        self.prints.append((self.n_page, x - wide if right else x, y - (size or self.size) * 0.7, x if right else x + wide, y + (size or self.size) * 0.15, text))
        return super().put(x, y, text, of, size, right)

    def drawn(self, text):
        return as_drawn(text) if any('\u0590' <= c < '\u0700' for c in text) else text

    def show(self, x, y, text, at, value=None, kind=None, right=False, before='', after='', size=None, more=False):
        """Prints a value, and puts it into the record (`more`: it goes on, or is there again)."""
        all_of_it = self.drawn(before + text + after)
        left = x - self.wide(all_of_it, size) if right else x
        end = self.put(left, y, all_of_it, size=size)
        start = len(before) if all_of_it == before + text + after else len(after)
        self.truth.setdefault(at, []).append({'page': self.n_page, 'text': text, 'boxes': self.box(left, y, all_of_it, start, start + len(text), size or self.size)})
        if not more:
            self.say_value(at, text if value is None else value, kind)
        return end

    def money(self, x, y, value, at=None, sign=False, right=True, kind='amount', size=None, digits=2):
        """An amount; without `at` it is print that nobody asks for."""
        number = self.number(value, digits)
        text = self.in_money(value) if sign else number
        if at is None:
            self.distract(kind, value)
            return self.put(x, y, text, right=right, size=size)
        if text == number:
            return self.show(x, y, number, at, value, kind, right, size=size)
        left = x - self.wide(text, size) if right else x
        whole = ' ' not in text.replace(number, '')
        end = self.show(left, y, text if whole else number, at, value, kind, size=size, **({} if whole else dict(
            before=text[:text.index(number)], after=text[text.index(number) + len(number):])))
        if sign == 'currency':
            self.see_currency(left, y, text, size)
        return end

    def see_currency(self, left, y, text, size=None):
        """The sign of the currency in a text that is printed."""
        sign = SIGNS[self.currency] if SIGNS[self.currency] in text else self.currency
        start = text.index(sign)
        self.truth.setdefault('/currency', []).append({'page': self.n_page, 'text': sign, 'boxes': self.box(left, y, text, start, start + len(sign), size or self.size)})

    def in_code(self, x, y, before='', after='', at='/currency', right=False):
        """The currency by its code, in a sentence."""
        return self.show(x, y, self.currency, at, kind='currency', before=before, after=after, right=right)

    def date(self, x, y, day, at=None, right=False, **more):
        if at is None:
            self.distract('date', day.isoformat())
            return self.put(x, y, more.get('before', '') + self.day(day), right=right)
        return self.show(x, y, self.day(day), at, day.isoformat(), 'date', right, **more)

    def block(self, x, y, lines, at, kind='address', step=1.3, size=None):
        """Lines that are one value; where the next line would be."""
        for i, line in enumerate(lines):
            self.show(x, y, line, at, ', '.join(lines), kind, size=size, more=i > 0)
            y += (size or self.size) * step
        return y

    def after_label(self, x, y, label, gap=100, how=None):
        """Prints a label; where its value goes."""
        how, label = how or self.label_how, self.drawn(label)
        if how == 'above':
            self.put(x, y - self.size * 1.1, label, size=self.size * 0.8)
            return x
        end = self.put(x, y, label + (':' if how == 'colon' and label[-1] not in ':.?' else ''))
        return max(end + self.size * 0.6, x + gap if how in ('gap', 'colon') else 0)

    def field(self, x, y, label, text, at, value=None, kind=None, gap=100, how=None, **more):
        """A label and its value; `at` None: nobody asks for it."""
        left = self.after_label(x, y, label, gap, how)
        if at is None:
            self.distract(kind, text if value is None else value)
            return self.put(left, y, self.drawn(text))
        self.labelled.append(at)
        return self.show(left, y, text, at, value, kind, **more)

    def step(self):
        """From one labelled line to the next."""
        return self.size * (2.5 if self.label_how == 'above' else 1.5)

    def fields(self, x, some, gap=100):
        """Labelled values under one another: (label, text, at, value, kind)."""
        for label, text, at, value, kind in some:
            self.field(x, self.y, label, text, at, value, kind, gap)
            self.y += self.step()

    def sums(self, x, right, some, sign=False, step=1.6):
        """Labels at the left, amounts at the right: (label, amount, at)."""
        for label, value, at in some:
            self.put(x, self.y, self.drawn(label))
            self.money(right, self.y, value, at, sign)
            if at:
                self.labelled.append(at)
            self.y += self.size * step

    def box_of(self, x, y, wide, high, label, size=None):
        """A box of a form with its label in its upper left corner; where its value goes."""
        self.page.ops.append(b'0.6 w %g %g %g %g re S' % (x, self.height - y - high, wide, high))
        self.put(x + 3, y + 7.5, label, size=size or 6.5)
        return x + 5, y + 19

    def rule(self, x0, x1, y):
        self.page.ops.append(b'0.5 w %g %g m %g %g l S' % (x0, self.height - y, x1, self.height - y))

    def titles_of(self, columns, size=None):
        for key, head, x, right in columns:
            if head:
                self.put(x, self.y, self.drawn(head), right=right, size=size)

    def table(self, array, columns, rows, step=1.55, on_full=None, start=0, bottom=70, ruled=True, kinds=None):
        """Rows under their heads: columns are (key or None, head, x, right), cells (text, value) or text. `on_full` opens a page and prints the heads."""
        self.heads[array] = list(dict.fromkeys(self.heads.get(array, []) + [key for key, head, *_ in columns if key and head]))
        self.titles_of(columns)
        if ruled:
            self.rule(min(x for _, _, x, right in columns if not right), max(x for _, _, x, _ in columns), self.y + self.size * 0.4)
        for i, row in enumerate(rows, start):
            self.y += self.size * step
            if on_full and self.y > self.height - bottom:
                on_full()
                self.titles_of(columns)
                self.y += self.size * step
            for key, _, x, right in columns:
                cell = row.get(key or _)
                if cell is None:
                    continue
                text, value = cell if isinstance(cell, tuple) else (cell, None)
                if key is None or key[0] == '_':
                    self.put(x, self.y, self.drawn(text), right=right)
                elif text is None:
                    self.say_value('%s/%d/%s' % (array, i, key), None)
                else:
                    self.show(x, self.y, text, '%s/%d/%s' % (array, i, key), value, (kinds or {}).get(key), right)
        self.y += self.size * step
        return self.y

    def stamp(self, text, x, y, size=20, degrees=12, grey=0.55):
        """Words over what is printed."""
        a = math.radians(degrees)
        self.page.ops.append(b'q %g %g %g %g %g %g cm' % (math.cos(a), math.sin(a), -math.sin(a), math.cos(a), x, self.height - y))
        self.page.text(0, 0, size, text, self.font, grey=grey)
        self.page.ops.append(b'0 g Q')

    def approximately(self, x, y, total, other='EUR'):
        """What the total is in another currency, for information."""
        rate = self.r.randint(800, 1300) / 1000
        self.distract('amount', round(total * rate, 2))
        self.distract('currency', other)
        self.put(x, y, 'Approx. %s %s' % (other, self.number(round(total * rate, 2))))


def layouts_leaf(value, pointer):
    for token in pointer.strip('/').split('/'):
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


def cents(r, least, most):
    return r.randint(round(least * 100), round(most * 100)) / 100


def kinds_of(**kinds):
    return kinds


# -- numbers with check digits: what is invented is valid

def luhn(digits):
    """With its last digit: Swedish organisations and OCR numbers, Italian and Israeli firms."""
    total = sum(sum(divmod(int(d) * (2 if i % 2 == 0 else 1), 10)) for i, d in enumerate(reversed(digits)))
    return '%s%d' % (digits, -total % 10)


def weighed(p, weights, modulus=11, ten=None):
    """Digits whose weighed sum gives the last one; tried again where that has two digits."""
    while True:
        digits = [p.r.randint(1, 9)] + [p.r.randint(0, 9) for _ in weights[1:]]
        last = sum(d * w for d, w in zip(digits, weights)) % modulus
        if last < 10 or ten is not None:
            return ''.join(map(str, digits)) + str(last if last < 10 else ten)


def nip(p):
    return weighed(p, (6, 5, 7, 2, 3, 4, 5, 6, 7))


def dutch_vat(p):
    return 'NL%sB01' % weighed(p, (9, 8, 7, 6, 5, 4, 3, 2))


def partita_iva(p):
    return luhn(p.code('0#########'))


def italian_account(p):
    """With its control letter."""
    odd = 1, 0, 5, 7, 9, 13, 15, 17, 19, 21
    digits = p.code('0542811101' + '#' * 12)
    return chr(65 + sum(odd[int(d)] if i % 2 == 0 else int(d) for i, d in enumerate(digits)) % 26) + digits


def org_nr(p):
    digits = luhn(p.code('55#######'))
    return digits[:6] + '-' + digits[6:]


# -- bills and invoices

def utility(seed):
    p = Stranger(seed, 'utility', 'GB', dates=('%d %B %Y', '%d/%m/%Y', '%d %b %Y'), ordinary=True).start()
    r, end = p.r, p.width - 45
    p.show(45, p.y + 8, p.firms[0], '/supplier', kind='name', size=p.size * 1.6)
    p.put(end, p.y + 8, 'Your electricity bill', right=True, size=p.size * 1.3)
    p.y += 40
    first = p.some_day(2024)
    last = first + datetime.timedelta(days=r.randint(27, 31))
    due = last + datetime.timedelta(days=r.randint(16, 24))
    p.show(45, p.y, p.people[0], '/customer', kind='name')
    p.block(45, p.y + p.size * 1.3, p.place(), '/supply_address')
    y = p.y
    p.fields(p.width - 250, [('Account number', p.code('8### #### ##'), '/account_number', None, 'id'), ('Bill number', p.code('#######'), '/bill_number', None, 'id'),
                             ('Meter serial no.', p.code('S##@#####'), None, None, 'id'), ('Bill date', p.day(last + datetime.timedelta(days=3)), '/bill_date',
                                                                                           (last + datetime.timedelta(days=3)).isoformat(), 'date')])
    p.y = max(p.y, y + 50) + 12
    x = p.put(45, p.y, 'For the period ')
    x = p.date(x, p.y, first, '/period_start')
    x = p.put(x, p.y, ' to ')
    p.date(x, p.y, last, '/period_end')
    p.y += p.size * 2.5
    rows, read = [], r.randint(900, 60000)
    for name in r.sample(('Day', 'Night', 'Weekend', 'Standard'), r.randint(1, 3)):
        used, price = r.randint(90, 1600), r.randint(900, 4500) / 100
        rows.append({'rate': name, 'previous': (p.number(read, 0), read), 'present': (p.number(read + used, 0), read + used), 'used': (p.number(used, 0), used),
                     'pence': (p.number(price), price), 'amount': (p.number(round(used * price / 100, 2)), round(used * price / 100, 2))})
        read += 7000 + used
    p.table('/usage', [('rate', 'Rate', 45, False), ('previous', 'Previous reading', 200, True), ('present', 'This reading', 280, True), ('used', 'kWh used', 350, True),
                       ('pence', 'p per kWh', 430, True), ('amount', 'Amount £', end, True)], rows, kinds=kinds_of(amount='amount', pence='amount'))
    days = (last - first).days
    standing, before = round(days * 0.53, 2), cents(r, 20, 240)
    used = round(sum(row['amount'][1] for row in rows) + standing, 2)
    vat = round(used * 0.05, 2)
    paid = before if r.random() < 0.7 else round(before / 2, 2)
    p.y += 8
    p.sums(250, end, [('Standing charge, %d days at 53p' % days, standing, '/standing_charge'), ('Charges before VAT', used, None), ('VAT at 5%', vat, '/vat'),
                      ('Charges for this period', round(used + vat, 2), '/charges')])
    p.y += 6
    p.sums(250, end, [('Balance from your last bill', before, '/previous_balance'), ('Payments received, thank you', paid, '/payments'),
                      (r.choice(('Amount now due', 'Total to pay')), round(used + vat + before - paid, 2), '/amount_due')])
    p.y += 14
    x = p.put(45, p.y, 'We will collect this amount by Direct Debit on or after ')
    p.date(x, p.y, due, '/payment_date')
    if r.random() < 0.3:
        p.stamp('COPY BILL', 300, p.y - 30)
    return p.done()


def dutch(seed):
    p = Stranger(seed, 'dutch', 'NL', money=('1.234,56', '1234,56'), dates=('%d-%m-%Y', '%-d %B %Y'), currency=('EUR',), ordinary=True).start()
    r, end = p.r, p.width - 50
    p.show(50, p.y + 10, p.firms[0], '/leverancier', kind='name', size=p.size * 1.5)
    p.y = p.block(50, p.y + 10 + p.size * 1.6, p.place(), '/adres_leverancier')
    p.put(50, p.y, 'KvK ' + p.code('########'))
    p.field(50, p.y + p.size * 1.3, 'BTW-nr.', dutch_vat(p), '/btw_nummer', kind='id', how='beside')
    p.y += 34
    p.show(50, p.y, p.firms[1], '/klant', kind='name')
    p.block(50, p.y + p.size * 1.3, p.place(), '/adres_klant')
    day = p.some_day()
    p.y += 6
    p.fields(p.width - 230, [('Factuurnummer', p.code('2025-####'), '/factuurnummer', None, 'id'), ('Factuurdatum', p.day(day), '/factuurdatum', day.isoformat(), 'date'),
                             ('Vervaldatum', p.day(day + datetime.timedelta(days=14)), '/vervaldatum', (day + datetime.timedelta(days=14)).isoformat(), 'date'),
                             ('Debiteurnummer', p.code('#####'), None, None, 'id')], gap=90)
    p.y += 22
    rows = []
    for name in p.goods(r.randint(2, 7)):
        n, price = r.randint(1, 12), cents(r, 2, 260)
        rows.append({'omschrijving': name, 'aantal': (str(n), n), 'prijs': (p.number(price), price), 'bedrag': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/regels', [('aantal', 'Aantal', 80, True), ('omschrijving', 'Omschrijving', 100, False), ('prijs', 'Prijs', 420, True), ('bedrag', 'Bedrag', end, True)], rows,
            kinds=kinds_of(prijs='amount', bedrag='amount'))
    net = round(sum(row['bedrag'][1] for row in rows), 2)
    vat = round(net * 0.21, 2)
    p.y += 6
    p.sums(330, end, [('Totaal excl. btw', net, '/subtotaal')], 'currency')
    p.put(330, p.y, 'Btw ')
    p.show(330 + p.wide('Btw '), p.y, '21', '/btw_percentage', 21, 'rate', after='%')
    p.money(end, p.y, vat, '/btw', 'currency')
    p.y += p.size * 1.6
    p.sums(330, end, [(r.choice(('Totaal incl. btw', 'Te betalen')), round(net + vat, 2), '/totaal')], 'currency')
    p.say_value('/valuta', 'EUR', 'currency')
    p.truth['/valuta'] = p.truth.pop('/currency')
    p.y += 26
    iban = iban_of('NL', p.code('INGB##########'))
    p.field(50, p.y, 'IBAN', p.grouped(iban), '/iban', iban, 'id', how='beside')
    p.put(300, p.y, 't.n.v. ' + p.firms[0])
    if r.random() < 0.3:
        p.stamp('BETAALD', 400, p.y - 34)
    return p.done()


def polish(seed):
    p = Stranger(seed, 'polish', 'PL', money=('1 234,56', '1234,56'), dates=('%d.%m.%Y', '%Y-%m-%d', '%d-%m-%Y'), currency=('PLN',), ordinary=True).start()
    r, end = p.r, p.width - 40
    number, day = p.code('FV/##/2025/#'), p.some_day()
    p.put(40, p.y + 8, 'Faktura VAT nr ', size=p.size * 1.4)
    p.show(40 + p.wide('Faktura VAT nr ', p.size * 1.4), p.y + 8, number, '/numer', kind='id', size=p.size * 1.4)
    city = r.choice(('Kraków', 'Warszawa', 'Gdańsk'))
    p.put(end, p.y, '%s, dnia %s' % (city, p.day(day)), [('/data_wystawienia', p.day(day))], right=True)
    p.say_value('/data_wystawienia', day.isoformat(), 'date')
    p.date(end, p.y + p.size * 1.4, day - datetime.timedelta(days=r.randint(0, 3)), '/data_sprzedazy', right=True, before='Data sprzedaży: ')
    p.y += 46
    y = p.y
    for x, head, key, firm in ((40, 'Sprzedawca', 'sprzedawca', p.firms[0]), (310, 'Nabywca', 'nabywca', p.firms[1])):
        p.put(x, y, head + ':')
        p.show(x, y + p.size * 1.5, firm, '/%s/nazwa' % key, kind='name')
        below = p.block(x, y + p.size * 2.8, p.place(), '/%s/adres' % key)
        tax_id = nip(p)
        p.field(x, below, 'NIP', tax_id if seed % 2 else '-'.join((tax_id[:3], tax_id[3:6], tax_id[6:8], tax_id[8:])), '/%s/nip' % key, kind='id', how='colon', gap=0)
    p.y = below + 26
    rows, rates = [], [23, 23, 23, 8]
    for i, name in enumerate(p.goods(r.randint(2, 7))):
        n, price, rate = r.randint(1, 40), cents(r, 3, 400), r.choice(rates)
        net = round(n * price, 2)
        vat = round(net * rate / 100, 2)
        rows.append({'Lp.': str(i + 1), 'nazwa': name, 'jm': 'szt.', 'ilosc': (str(n), n), 'cena_netto': (p.number(price), price), 'wartosc_netto': (p.number(net), net),
                     'stawka_vat': ('%d%%' % rate, rate), 'VAT': p.number(vat), 'wartosc_brutto': (p.number(round(net + vat, 2)), round(net + vat, 2)), '_vat': vat})
    p.table('/pozycje', [(None, 'Lp.', 40, False), ('nazwa', 'Nazwa towaru', 60, False), ('jm', 'J.m.', 205, False), ('ilosc', 'Ilość', 260, True), ('cena_netto', 'Cena netto', 320, True),
                         ('wartosc_netto', 'Wart. netto', 385, True), ('stawka_vat', 'Stawka', 425, True), (None, 'VAT', 480, True), ('wartosc_brutto', 'Wart. brutto', end, True)],
            rows, kinds=kinds_of(cena_netto='amount', wartosc_netto='amount', wartosc_brutto='amount', stawka_vat='rate', jm='unit'))
    net, vat = round(sum(row['wartosc_netto'][1] for row in rows), 2), round(sum(row['_vat'] for row in rows), 2)
    p.y += 4
    p.put(310, p.y, 'Razem', right=True)
    p.money(385, p.y, net, '/razem_netto')
    p.money(480, p.y, vat, '/razem_vat')
    p.money(end, p.y, round(net + vat, 2), '/razem_brutto')
    p.y += p.size * 3
    x = p.put(40, p.y, 'Do zapłaty: ')
    p.truth.setdefault('/razem_brutto', []).append({'page': 1, 'text': p.number(round(net + vat, 2)), 'boxes': p.box(x, p.y, p.number(round(net + vat, 2)), 0, len(p.number(round(net + vat, 2))), p.size)})
    x = p.put(x, p.y, p.number(round(net + vat, 2)))
    p.show(x, p.y, p.currency, '/waluta', kind='currency', before=' ')
    p.y += p.size * 1.6
    due = day + datetime.timedelta(days=14)
    p.date(40, p.y, due, '/termin_platnosci', before='Termin płatności: ')
    p.put(310, p.y, 'Sposób zapłaty: przelew')
    p.y += p.size * 1.6
    account = iban_of('PL', p.code('1' + '#' * 23))[2:]
    p.field(40, p.y, 'Konto', account[:2] + ' ' + p.grouped(account[2:]), '/konto', kind='id', how='colon', gap=0)
    return p.done()


def italian(seed):
    p = Stranger(seed, 'italian', 'IT', money=('1.234,56',), dates=('%d/%m/%Y',), currency=('EUR',), ordinary=True).start()
    r, end = p.r, p.width - 40
    p.show(40, p.y + 8, p.firms[0], '/fornitore', kind='name', size=p.size * 1.4)
    p.y = p.block(40, p.y + p.size * 2.4, p.place(), '/indirizzo_fornitore')
    p.field(40, p.y, 'P.IVA', 'IT' + partita_iva(p), '/partita_iva', kind='id', how='beside')
    p.put(320, p.y - p.size * 2.6, 'Spett.le')
    p.show(320, p.y - p.size * 1.3, p.firms[1], '/cliente', kind='name')
    y = p.block(320, p.y, p.place(), '/indirizzo_cliente')
    p.field(320, y, 'P.IVA', partita_iva(p), None, kind='id', how='beside')
    p.y = y + 18
    day = p.some_day()
    for x, wide, label, text, at, value, kind in ((40, 120, 'Tipo documento', 'FATTURA', None, None, 'word'), (160, 120, 'Numero', p.code('###/@'), '/numero', None, 'id'),
                                                  (280, 120, 'Data', p.day(day), '/data', day.isoformat(), 'date'),
                                                  (400, end - 400, 'Scadenza', p.day(day + datetime.timedelta(days=30)), '/scadenza', (day + datetime.timedelta(days=30)).isoformat(), 'date')):
        bx, by = p.box_of(x, p.y, wide, 24, label)
        if at:
            p.show(bx, by, text, at, value, kind)
            p.labelled.append(at)
        else:
            p.put(bx, by, text)
    p.y += 46
    rows = []
    for name in p.goods(r.randint(2, 8)):
        n, price = r.randint(1, 30), cents(r, 2, 180)
        rows.append({'descrizione': name, 'um': r.choice(('PZ', 'NR')), 'qta': (str(n), n), 'prezzo': (p.number(price), price), 'iva': ('22', 22),
                     'importo': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/righe', [('descrizione', 'Descrizione', 40, False), ('um', 'U.M.', 270, False), ('qta', 'Q.tà', 340, True), ('prezzo', 'Prezzo un.', 420, True),
                       ('importo', 'Importo', 500, True), ('iva', 'IVA %', end, True)], rows, kinds=kinds_of(prezzo='amount', importo='amount', um='unit'))
    net = round(sum(row['importo'][1] for row in rows), 2)
    vat = round(net * 0.22, 2)
    p.y = max(p.y + 20, 480)
    x = 40
    for label, wide, value, at in (('Imponibile', 110, net, '/imponibile'), ('Aliquota', 60, None, None), ('IVA', 110, vat, '/iva'), ('Totale documento EUR', end - 320, round(net + vat, 2), '/totale')):
        bx, by = p.box_of(x, p.y, wide, 26, label)
        if at:
            p.money(x + wide - 5, by + 2, value, at)
            p.labelled.append(at)
        else:
            p.put(bx, by + 2, '22%')
        x += wide
    iban = iban_of('IT', italian_account(p))
    p.field(40, p.y + 46, 'Banca d\'appoggio', iban, '/iban', kind='id', how='colon', gap=0)
    return p.done()


def swedish(seed):
    p = Stranger(seed, 'swedish', 'SE', money=('1 234,56', '1234,56'), dates=('%Y-%m-%d',), currency=('SEK',), ordinary=True).start()
    r, end = p.r, p.width - 50
    p.show(50, p.y + 10, p.firms[0], '/leverantor', kind='name', size=p.size * 1.6)
    p.put(end, p.y + 10, 'FAKTURA', right=True, size=p.size * 1.6)
    p.y += 50
    day = p.some_day()
    due = day + datetime.timedelta(days=30)
    p.show(330, p.y, p.firms[1], '/kund', kind='name')
    p.block(330, p.y + p.size * 1.3, p.place(), '/kundadress')
    p.fields(50, [('Fakturanr', p.code('1####'), '/fakturanr', None, 'id'), ('Fakturadatum', p.day(day), '/fakturadatum', day.isoformat(), 'date'),
                  ('Förfallodatum', p.day(due), '/forfallodatum', due.isoformat(), 'date'), ('Kundnr', p.code('####'), None, None, 'id'),
                  ('Er referens', p.people[0], '/er_referens', None, 'name'), ('Vår referens', p.people[1], None, None, 'name')])
    p.y += 16
    rows = []
    for name in p.goods(r.randint(2, 6)):
        n, price = r.randint(1, 25), cents(r, 30, 1500)
        rows.append({'artikel': p.code('##-###'), 'benamning': name, 'antal': (str(n), n), 'enhet': r.choice(('st', 'm')), 'pris': (p.number(price), price),
                     'belopp': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/rader', [('artikel', 'Art.nr', 50, False), ('benamning', 'Benämning', 110, False), ('antal', 'Antal', 320, True), ('enhet', 'Enhet', 335, False), ('pris', 'À-pris', 440, True),
                       ('belopp', 'Belopp', end, True)], rows, kinds=kinds_of(pris='amount', belopp='amount', enhet='unit', artikel='id'))
    net = round(sum(row['belopp'][1] for row in rows), 2)
    vat = round(net * 0.25, 2)
    pay = round(net + vat)
    p.y += 10
    p.sums(330, end, [('Netto', net, '/netto'), ('Moms 25 %', vat, '/moms'), ('Öresavrundning', round(pay - net - vat, 2), None), ('Belopp att betala', float(pay), '/att_betala')])
    p.show(330, p.y, 'SEK', '/valuta', kind='currency', before='Alla belopp i ')
    y = p.height - 110
    p.rule(50, end, y - 12)
    bankgiro, org = luhn(p.code('5#####')), org_nr(p)
    for x, label, text, at in ((50, 'Bankgiro', bankgiro[:3] + '-' + bankgiro[3:], '/bankgiro'), (180, 'OCR-nummer', luhn(p.code('#########')), '/ocr_nummer'),
                               (330, 'Org.nr', org, '/org_nr'), (450, 'Momsreg.nr', 'SE%s01' % org.replace('-', ''), None)):
        p.field(x, y + 12, label, text, at, kind='id', how='above')
    p.put(50, y + 30, '%s  %s' % (p.firms[0], ', '.join(p.place())), size=p.size * 0.9)
    return p.done()


# -- transport and trade

def freight(seed):
    p = Stranger(seed, 'freight', 'US', dates=('%m/%d/%Y', '%m/%d/%y', '%b %d, %Y'), currency=('USD',), ordinary=True).start()
    r, end = p.r, p.width - 40
    p.show(40, p.y + 6, p.firms[0], '/carrier', kind='name', size=p.size * 1.6)
    p.put(end, p.y + 6, 'FREIGHT BILL', right=True, size=p.size * 1.4)
    p.y += 34
    day = p.some_day()
    x = 40
    for label, text, at, value, kind in (('PRO NUMBER', p.code('###-######'), '/pro_number', None, 'id'), ('BILL DATE', p.day(day), '/bill_date', day.isoformat(), 'date'),
                                         ('B/L NUMBER', p.code('BL#######'), '/bl_number', None, 'id'), ('P.O. NUMBER', p.code('PO-#####'), None, None, 'id'),
                                         ('TERMS', 'NET 15', None, None, 'word')):
        bx, by = p.box_of(x, p.y, (end - 40) / 5, 26, label)
        if at:
            p.show(bx, by + 1, text, at, value, kind)
            p.labelled.append(at)
        else:
            p.distract(kind, text)
            p.put(bx, by + 1, text)
        x += (end - 40) / 5
    p.y += 46
    y = p.y
    for x, head, key, firm in ((40, 'SHIPPER', 'shipper', p.firms[1]), (220, 'CONSIGNEE', 'consignee', p.firms[2]), (400, 'BILL TO', 'bill_to', p.firms[3])):
        p.put(x, y, head, size=p.size * 0.9)
        p.show(x, y + p.size * 1.4, firm, '/%s/name' % key, kind='name')
        below = p.block(x, y + p.size * 2.7, p.place(), '/%s/address' % key)
    p.y = below + 18
    rows = []
    for name in p.goods(r.randint(1, 6)):
        n, weight, rate = r.randint(1, 40), r.choice((r.randint(90, 990), r.randint(1000, 9800))), cents(r, 9, 48)
        charge = round(weight / 100 * rate, 2)
        rows.append({'pieces': (str(n), n), 'description': name.upper(), 'weight_lb': (p.number(weight, 0), weight), 'rate': (p.number(rate), rate), 'charge': (p.number(charge), charge)})
    p.table('/lines', [('pieces', 'PIECES', 75, True), ('description', 'DESCRIPTION OF ARTICLES', 95, False), ('weight_lb', 'WEIGHT LBS', 350, True), ('rate', 'RATE/CWT', 440, True),
                       ('charge', 'CHARGES', end, True)], rows, kinds=kinds_of(rate='amount', charge='amount'))
    freight_sum = round(sum(row['charge'][1] for row in rows), 2)
    percent = r.choice((18.5, 24.25, 31))
    fuel = round(freight_sum * percent / 100, 2)
    p.y += 4
    pieces, weight = sum(row['pieces'][1] for row in rows), sum(row['weight_lb'][1] for row in rows)
    p.show(75, p.y, str(pieces), '/total_pieces', pieces, right=True)
    p.show(350, p.y, p.number(weight, 0), '/total_weight', weight, right=True)
    p.money(end, p.y, freight_sum, '/freight_charges')
    p.put(95, p.y, 'TOTALS')
    p.y += p.size * 2
    p.put(300, p.y, 'FUEL SURCHARGE ')
    p.show(300 + p.wide('FUEL SURCHARGE '), p.y, p.number(percent, 0 if percent == int(percent) else 2), '/fuel_percent', percent, 'rate', after='%')
    p.money(end, p.y, fuel, '/fuel_surcharge')
    p.y += p.size * 1.6
    p.sums(300, end, [('LIFTGATE', 45.0, None), ('PAY THIS AMOUNT', round(freight_sum + fuel + 45, 2), '/total')], '$')
    p.y += 20
    p.put(40, p.y, 'Remit to: %s, %s' % (p.firms[0], ', '.join(p.place())))
    if r.random() < 0.4:
        p.stamp('RECEIVED', 420, p.y - 30)
    return p.done()


# -- accounts

def card(seed):
    p = Stranger(seed, 'card', 'US', dates=('%m/%d/%Y', '%m/%d/%y', '%m/%d'), currency=('USD',))
    r = p.r
    head_how = p.date_how if '%y' in p.date_how.lower() else '%m/%d/%Y'
    close = datetime.date(2025, r.randint(2, 12), r.choice((5, 9, 11, 12, 20)))
    number, holder = p.code('XXXX XXXX XXXX ####'), p.people[0].upper()
    end = papers.LETTER[0] - 40

    def page():
        p.start()
        first = p.n_page == 1
        p.show(40, p.y, p.firms[3], '/issuer', kind='name', more=not first)
        p.put(end, p.y, 'Page %d' % p.n_page, right=True)
        p.y += p.size * 1.5
        x = p.put(40, p.y, 'Account ending in ')
        p.show(x, p.y, number[-4:], '/account_ending', kind='id', more=not first)
        x = p.put(330, p.y, 'Closing date ')
        p.show(x, p.y, p.day(close, head_how), '/closing_date', close.isoformat(), 'date', more=not first)
        p.y += p.size * 2.4

    page()
    p.show(40, p.y, holder, '/cardholder', kind='name')
    p.y += p.size * 2
    n = r.choice((22, 48, 75))
    start = close - datetime.timedelta(days=30)
    days = sorted(start + datetime.timedelta(days=r.randint(0, 29)) for _ in range(n))
    if r.random() < 0.6:                        # the first page alone leaves the order open
        early = start.replace(day=1) if start.day <= 12 else start
        days = sorted([min(d, start + datetime.timedelta(days=6)) if i < n // 3 and start.day < 7 else d for i, d in enumerate(days)]) if early else days
    rows, names = [], 'GROCERY MART,GAS STATION 0412,COFFEE HOUSE,BOOK NOOK,PIZZA CORNER,CITY PARKING,AIRLINE TICKET,HARDWARE DEPOT,ONLINE STREAMING,PHARMACY PLUS'.split(',')
    for d in days:
        amount = -cents(r, 50, 600) if r.random() < 0.06 else cents(r, 3, 420) if r.random() < 0.93 else cents(r, 1000, 2600)
        posted = d + datetime.timedelta(days=r.randint(0, 2))
        rows.append({'transaction_date': (p.day(d), d.isoformat()), 'posting_date': (p.day(posted), posted.isoformat()),
                     'description': '%s %s' % (r.choice(names), p.code('@@##')), 'amount': (p.number(amount), amount)})
    old = cents(r, 100, 3000)
    bought, credits = round(sum(row['amount'][1] for row in rows if row['amount'][1] > 0), 2), round(-sum(row['amount'][1] for row in rows if row['amount'][1] < 0), 2)
    new = round(old + bought - credits, 2)
    p.sums(40, 250, [('Previous balance', old, '/previous_balance'), ('Payments and credits', credits, '/payments_and_credits'), ('Purchases', bought, '/purchases'),
                     ('New balance', new, '/new_balance'), ('Minimum payment due', max(25.0, round(new * 0.02, 2)), '/minimum_payment'), ('Credit limit', 8500.0, None)], '$')
    due = close + datetime.timedelta(days=25)
    p.field(320, p.y - p.size * 4, 'Payment due date', p.day(due, head_how), '/due_date', due.isoformat(), 'date', how='beside')
    p.y += p.size * 2
    p.table('/transactions', [('transaction_date', 'Trans. date', 40, False), ('posting_date', 'Post date', 120, False), ('description', 'Description', 200, False),
                              ('amount', 'Amount', end, True)], rows, on_full=page, kinds=kinds_of(amount='amount', transaction_date='date', posting_date='date'))
    return p.done()


def calls(seed):
    """Two tables of calls side by side on each page."""
    p = Stranger(seed, 'calls', 'GB', dates=('%d/%m/%Y', '%d %b', '%d/%m/%y'), ordinary=True)
    r = p.r
    full = '%d/%m/%Y' if '/' in p.date_how else '%d %b %Y'
    bill_day = p.some_day()
    p.start()
    p.show(45, p.y + 6, 'Peninsula Telecom', '/provider', kind='name', size=p.size * 1.5)
    p.y += 36
    p.show(45, p.y, p.firms[0], '/customer', kind='name')
    p.block(45, p.y + p.size * 1.3, p.place(), '/address')
    p.fields(340, [('Bill number', p.code('PT######'), '/bill_number', None, 'id'), ('Telephone number', p.code('01### ######'), '/telephone_number', None, 'id'),
                   ('Date', p.day(bill_day, full), '/date', bill_day.isoformat(), 'date')])
    p.y += 14
    n = r.choice((17, 40, 90))
    start = bill_day - datetime.timedelta(days=31)
    days = sorted(start + datetime.timedelta(days=r.randint(0, 29)) for _ in range(n))
    rows = []
    for d in days:
        cost = r.randint(2, 480) / 100
        rows.append({'date': (p.day(d), d.isoformat()), 'time': '%02d:%02d' % (r.randint(7, 21), r.randint(0, 59)), 'number': p.code(r.choice(('07### ######', '01### ######'))),
                     'duration': '%d:%02d' % (r.randint(0, 48), r.randint(0, 59)), 'cost': ('%.2f' % cost, cost)})
    total, rent = round(sum(row['cost'][1] for row in rows), 2), 24.5
    vat = round((total + rent) * 0.2, 2)
    p.sums(45, 300, [('Line rental', rent, '/line_rental'), ('Calls', total, '/calls_total'), ('VAT 20%', vat, '/vat'), ('Total due', round(total + rent + vat, 2), '/total_due')], 'sign')
    p.y += 10
    done = 0
    while done < n:
        room = int((p.height - 60 - p.y) / (p.size * 1.45)) - 1
        half = min(room, (n - done + 1) // 2)
        top, low = p.y, p.y
        for x in (45, 315):
            part = rows[done:done + half]
            if part:
                p.y = top
                p.table('/calls', [('date', 'Date', x, False), ('time', 'Time', x + 62, False), ('number', 'Number', x + 98, False), ('duration', 'Min:sec', x + 198, True),
                                   ('cost', 'Cost £', x + 240, True)], part, step=1.45, start=done, kinds=kinds_of(cost='amount', date='date', number='id'))
                low, done = max(low, p.y), done + len(part)
        p.y = low
        if done < n:
            p.start()
            p.put(45, p.y, 'Calls, continued')
            p.y += p.size * 2.5
    return p.done()


def payslip(seed):
    p = Stranger(seed, 'payslip', 'GB', dates=('%d/%m/%Y', '%d %B %Y', '%d %b %Y')).start()
    r, end = p.r, p.width - 40
    day = p.some_day()
    p.show(40, p.y + 4, p.firms[0], '/employer', kind='name', size=p.size * 1.3)
    p.put(end, p.y + 4, 'PAY ADVICE', right=True)
    p.y += 26
    x, wide = 40, (end - 40) / 5
    for label, text, at, value, kind in (('Employee', p.people[0], '/employee', None, 'name'), ('Employee no.', p.code('0####'), '/employee_no', None, 'id'),
                                         ('NI number', p.code('@@ ## ## ## C'), '/ni_number', None, 'id'), ('Tax code', r.choice(('1257L', '1100L', 'BR')), '/tax_code', None, 'code'),
                                         ('Pay date', p.day(day), '/pay_date', day.isoformat(), 'date')):
        bx, by = p.box_of(x, p.y, wide, 25, label)
        p.show(bx, by, text, at, value, kind)
        p.labelled.append(at)
        x += wide
    p.y += 46
    salary = cents(r, 1800, 4200)
    pay = [('Basic pay', salary)] + [(name, cents(r, 20, 380)) for name in r.sample(('Overtime', 'Bonus', 'Shift allowance', 'Holiday pay'), r.randint(0, 3))]
    gross = round(sum(v for _, v in pay), 2)
    less = [('PAYE tax', round(gross * 0.13, 2)), ('National Insurance', round(gross * 0.08, 2))] + [(name, cents(r, 15, 160)) for name in r.sample(
        ('Pension', 'Student loan', 'Cycle scheme'), r.randint(0, 3))]
    taken = round(sum(v for _, v in less), 2)
    months = r.randint(2, 11)
    top = p.y
    p.table('/payments', [('description', 'Payments', 40, False), ('amount', 'Amount', 250, True)], [{'description': n, 'amount': (p.number(v), v)} for n, v in pay],
            kinds=kinds_of(amount='amount'))
    low, p.y = p.y, top
    p.table('/deductions', [('description', 'Deductions', 290, False), ('amount', 'Amount', 460, True), ('year_to_date', 'Year to date', end, True)],
            [{'description': n, 'amount': (p.number(v), v), 'year_to_date': (p.number(round(v * months, 2)), round(v * months, 2))} for n, v in less],
            kinds=kinds_of(amount='amount', year_to_date='amount'))
    p.y = max(low, p.y) + 10
    p.rule(40, end, p.y - 10)
    p.put(40, p.y, 'Gross pay')
    p.money(250, p.y, gross, '/gross_pay')
    p.put(290, p.y, 'Total deductions')
    p.money(460, p.y, taken, '/total_deductions')
    p.y += p.size * 2
    p.put(40, p.y, 'Gross pay to date')
    p.money(250, p.y, round(gross * months, 2), '/gross_to_date')
    p.put(290, p.y, 'Net pay')
    p.money(460, p.y, round(gross - taken, 2), '/net_pay', 'sign')
    p.labelled += ['/gross_pay', '/total_deductions', '/gross_to_date', '/net_pay']
    p.y += 30
    p.put(40, p.y, 'Paid by BACS to account ending ' + p.code('####'))
    return p.done()


KINDS = {'utility': utility, 'dutch': dutch, 'polish': polish, 'italian': italian, 'swedish': swedish, 'freight': freight, 'card': card, 'calls': calls, 'payslip': payslip}
NOT_SCANNED = ()
