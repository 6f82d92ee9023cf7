"""Papers of the kinds that come by post, drawn by somebody who does not write the rules (planted.py), each with its own schema.

The schemas are what a user writes in a minute: keys, types and now and then a title; no descriptions, no checks. Beside what a
Layout has, a paper says of each value what kind of thing it is (kinds), which columns have a printed head (heads), and what is
printed that no field asks for (distractors).
"""
import datetime
import math
import re

import papers
from evidence import leaf
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
    'cs': 'ledna února března dubna května června července srpna září října listopadu prosince'.split(),
    'tr': 'Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık'.split(),
}
SIGNS = {'EUR': '€', 'GBP': '£', 'USD': '$', 'CHF': 'CHF', 'PLN': 'zł', 'SEK': 'kr', 'CZK': 'Kč', 'TRY': 'TL', 'ILS': '₪', 'AUD': '$', 'NZD': '$'}
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

    def elsewhere(self, between=', '):
        """An address that nobody asks for."""
        lines = self.place()
        self.distract('address', ', '.join(lines))
        return between.join(lines)

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
            rows = leaf(self.value, array)
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
        """From left to right, as it is drawn: numbers in a text from right to left keep their order."""
        return re.sub(r'\d[\d.,/%-]*', lambda m: m[0][::-1], as_drawn(text)) if any('\u0590' <= c < '\u0700' for c in text) else text

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
            for key, head, x, right in columns:
                cell = row.get(key or head)
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


def pt_nif(p):
    digits = p.code('5#######')
    rest = sum(int(d) * w for d, w in zip(digits, (9, 8, 7, 6, 5, 4, 3, 2))) % 11
    return digits + str(0 if rest < 2 else 11 - rest)


def spanish_cif(p):
    return 'B' + luhn(p.code('9######'))


def spanish_account(p):
    """Bank and office, two check digits, number."""
    bank, number = p.code('2100####'), p.code('##########')
    check = lambda digits: '%d' % {10: 1, 11: 0}.get(11 - sum(int(d) * w for d, w in zip(digits, (1, 2, 4, 8, 5, 10, 9, 7, 3, 6))) % 11,
                                                     11 - sum(int(d) * w for d, w in zip(digits, (1, 2, 4, 8, 5, 10, 9, 7, 3, 6))) % 11)
    return bank + check('00' + bank) + check(number) + number


def abn(p):
    """Of an Australian firm."""
    digits = p.code('#########')
    rest = sum(int(d) * w for d, w in zip(digits, (3, 5, 7, 9, 11, 13, 15, 17, 19)))
    return next('%d%s' % (first, digits) for first in range(10, 99) if ((first // 10 - 1) * 10 + first % 10 + rest) % 89 == 0)


def nhs_number(p):
    while True:
        digits = p.code('4########')
        last = -sum(int(d) * w for d, w in zip(digits, range(10, 1, -1))) % 11
        if last < 10:
            return '%s %s %s%d' % (digits[:3], digits[3:6], digits[6:], last)


def turkish_tax(p):
    digits, total = p.code('#########'), 0
    for i, d in enumerate(digits):
        t = (int(d) + 9 - i) % 10
        v = t * 2 ** (9 - i) % 9
        total += 9 if t and not v else v
    return '%s%d' % (digits, -total % 10)


def tax_ident(p):
    """Of a German, in groups as it is printed."""
    digits, product = p.code('4') + ''.join(p.r.sample('012356789', 9)), 10
    for d in digits:
        total = (int(d) + product) % 10 or 10
        product = total * 2 % 11
    whole = digits + str((11 - product) % 10)
    return ' '.join((whole[:2], whole[2:5], whole[5:8], whole[8:]))


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
    p.show(300, p.y, p.firms[0], '/leverancier', before='t.n.v. ', more=True)
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
                       ('importo', 'Importo', 500, True), ('iva', 'IVA %', end, True)], rows, kinds=kinds_of(prezzo='amount', importo='amount', um='unit', iva='rate'))
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
    p.show(50, y + 30, p.firms[0], '/leverantor', after='  ' + p.elsewhere(), size=p.size * 0.9, more=True)
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
    p.show(40, p.y, p.firms[0], '/carrier', before='Remit to: ', after=', ' + p.elsewhere(), more=True)
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


def hotel(seed):
    p = Stranger(seed, 'hotel', 'GB', dates=('%d-%b-%y', '%d/%m/%Y', '%d %b %Y'), ordinary=True).start()
    r, end = p.r, p.width - 45
    p.show((p.width - p.wide('Harbour Lights Hotel', p.size * 1.6)) / 2, p.y + 6, 'Harbour Lights Hotel', '/hotel', kind='name', size=p.size * 1.6)
    for i, line in enumerate(p.place()):
        p.put((p.width - p.wide(line)) / 2, p.y + 20 + i * p.size * 1.3, line)
    p.y += 60
    arrival = p.some_day()
    nights = r.randint(1, 6)
    departure = arrival + datetime.timedelta(days=nights)
    top = p.y
    p.show(45, p.y, p.people[0], '/guest', kind='name')
    p.block(45, p.y + p.size * 1.3, p.place(), '/guest_address')
    p.fields(p.width - 220, [('Folio No.', p.code('F-#####'), '/folio_no', None, 'id'), ('Room', str(r.randint(101, 619)), '/room', None, 'code'),
                             ('Arrival', p.day(arrival), '/arrival', arrival.isoformat(), 'date'), ('Departure', p.day(departure), '/departure', departure.isoformat(), 'date'),
                             ('Confirmation', p.code('########'), None, None, 'id'), ('Cashier', p.people[1], None, None, 'name')], gap=80)
    p.y = max(p.y, top + 60) + 12
    rows, rate = [], cents(r, 75, 240)
    for i in range(nights):
        day = arrival + datetime.timedelta(days=i)
        for name, amount in [('Accommodation', rate)] + [(what, cents(r, 4, 68)) for what in r.sample(('Restaurant', 'Bar', 'Breakfast', 'Parking', 'Minibar'), r.randint(0, 2))]:
            rows.append({'date': (p.day(day), day.isoformat()), 'description': name, 'charges': (p.number(amount), amount), 'credits': (None, None)})
    charged = round(sum(row['charges'][1] for row in rows), 2)
    paid = charged if r.random() < 0.4 else round(charged / 2, 2)
    rows.append({'date': (p.day(departure), departure.isoformat()), 'description': r.choice(('Visa card', 'Deposit transfer')), 'charges': (None, None), 'credits': (p.number(paid), paid)})
    p.types.update({'/lines/*/charges': 'number', '/lines/*/credits': 'number'})
    p.table('/lines', [('date', 'Date', 45, False), ('description', 'Description', 125, False), ('charges', 'Charges', 430, True), ('credits', 'Credits', end, True)], rows,
            kinds=kinds_of(charges='amount', credits='amount', date='date'))
    p.rule(330, end, p.y - p.size)
    p.put(330, p.y, 'Total')
    p.money(430, p.y, charged, '/total_charges')
    p.money(end, p.y, paid, '/total_credits')
    p.y += p.size * 1.8
    p.put(330, p.y, 'Balance due')
    p.money(end, p.y, round(charged - paid, 2), '/balance_due')
    p.labelled += ['/balance_due']
    p.in_code(330, p.y + p.size * 1.6, 'All amounts in ')
    if r.random() < 0.6:
        p.approximately(330, p.y + p.size * 3.2, charged)
    p.put(45, p.y + 60, 'I agree that I am liable for this account. Signature')
    return p.done()


def spanish(seed):
    p = Stranger(seed, 'spanish', 'ES', money=('1.234,56',), dates=('%d/%m/%Y', '%d-%m-%Y', '%-d de %B de %Y'), currency=('EUR',), ordinary=True).start()
    r, end = p.r, p.width - 50
    day = p.some_day()
    p.put(50, p.y + 8, 'FACTURA', size=p.size * 1.7)
    p.y += 34
    p.fields(50, [('Factura nº', p.code('A/25-####'), '/numero', None, 'id'), ('Fecha', p.day(day), '/fecha', day.isoformat(), 'date'),
                  ('Vencimiento', p.day(day + datetime.timedelta(days=60)), '/vencimiento', (day + datetime.timedelta(days=60)).isoformat(), 'date')], gap=80)
    p.y += 12
    for x, head, key, firm in ((50, 'Datos del cliente', 'cliente', p.firms[0]), (320, 'Datos del emisor', 'emisor', p.firms[1])):
        p.put(x, p.y, head, size=p.size * 0.9)
        p.show(x, p.y + p.size * 1.5, firm, '/%s/nombre' % key, kind='name')
        below = p.block(x, p.y + p.size * 2.8, p.place(), '/%s/direccion' % key)
        p.field(x, below, 'NIF', spanish_cif(p), '/%s/nif' % key, kind='id', how='colon', gap=0)
    p.y = below + 26
    rows = []
    for name in p.goods(r.randint(1, 7)):
        n, price, off = r.randint(1, 24), cents(r, 3, 190), r.choice((0, 0, 0, 5, 10))
        rows.append({'concepto': name, 'unidades': (str(n), n), 'precio': (p.number(price), price), 'descuento': ('%d' % off, off),
                     'importe': (p.number(round(n * price * (100 - off) / 100, 2)), round(n * price * (100 - off) / 100, 2))})
    p.table('/lineas', [('concepto', 'Concepto', 50, False), ('unidades', 'Uds.', 300, True), ('precio', 'Precio', 380, True), ('descuento', '% Dto.', 440, True), ('importe', 'Importe', end, True)], rows,
            kinds=kinds_of(precio='amount', importe='amount', descuento='rate'))
    base = round(sum(row['importe'][1] for row in rows), 2)
    vat, held = round(base * 0.21, 2), round(base * 0.15, 2) if seed % 3 == 0 else None
    p.y += 8
    p.sums(320, end, [('Base imponible', base, '/base_imponible')])
    x = p.put(320, p.y, 'IVA ')
    p.show(x, p.y, '21', '/tipo_iva', 21, 'rate', after=' %')
    p.money(end, p.y, vat, '/iva')
    p.y += p.size * 1.6
    if held:
        p.sums(320, end, [('Retención IRPF 15 %', -held, None)])
    p.sums(320, end, [(r.choice(('TOTAL FACTURA', 'Total a pagar')), round(base + vat - (held or 0), 2), '/total')], '€')
    p.y += 24
    iban = iban_of('ES', spanish_account(p))
    p.field(50, p.y, 'Forma de pago: transferencia a', p.grouped(iban), '/iban', iban, 'id', how='beside')
    return p.done()


def portuguese(seed):
    p = Stranger(seed, 'portuguese', 'PT', money=('1.234,56', '1 234,56'), dates=('%d-%m-%Y', '%d/%m/%Y', '%Y-%m-%d'), currency=('EUR',), ordinary=True).start()
    r, end = p.r, p.width - 45
    day = p.some_day()
    p.show(45, p.y + 8, p.firms[0], '/fornecedor', kind='name', size=p.size * 1.4)
    p.y = p.block(45, p.y + p.size * 2.4, p.place(), '/morada_fornecedor')
    p.field(45, p.y, 'Contribuinte', pt_nif(p), '/nif_fornecedor', kind='id', how='colon', gap=0)
    p.put(330, p.y, 'Exmo.(s) Sr.(s)')
    p.show(330, p.y + p.size * 1.5, p.firms[1], '/cliente', kind='name')
    p.y = p.block(330, p.y + p.size * 2.8, p.place(), '/morada_cliente') + 14
    number = p.code('FT 2025A/###')
    p.put(45, p.y, 'Fatura ', size=p.size * 1.2)
    p.show(45 + p.wide('Fatura ', p.size * 1.2), p.y, number, '/numero', kind='id', size=p.size * 1.2)
    p.put(330, p.y, 'ATCUD: ' + p.code('@@@#@@@#-###'))
    p.y += 22
    for x, label, text, at, value, kind in ((45, 'Data', p.day(day), '/data', day.isoformat(), 'date'), (150, 'Vencimento', p.day(day + datetime.timedelta(days=30)), '/vencimento',
                                             (day + datetime.timedelta(days=30)).isoformat(), 'date'), (270, 'V/ Contribuinte', pt_nif(p), '/nif_cliente', None, 'id'), (400, 'Requisição', p.code('R####'), None, None, 'id')):
        p.field(x, p.y, label, text, at, value, kind, how='above')
    p.y += 26
    rows = []
    for name in p.goods(r.randint(2, 7)):
        n, price = r.randint(1, 24), cents(r, 2, 150)
        rows.append({'descricao': name, 'quantidade': (str(n), n), 'preco': (p.number(price), price), 'iva': ('23%', 23), 'valor': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/linhas', [('descricao', 'Descrição', 45, False), ('quantidade', 'Qtd.', 300, True), ('preco', 'Pr. Unitário', 390, True), ('iva', 'IVA', 440, True), ('valor', 'Valor', end, True)], rows,
            kinds=kinds_of(preco='amount', valor='amount', iva='rate'))
    net = round(sum(row['valor'][1] for row in rows), 2)
    vat = round(net * 0.23, 2)
    p.y += 10
    p.sums(350, end, [('Total ilíquido', net, '/total_iliquido'), ('Total IVA', vat, '/total_iva')])
    p.sums(350, end, [('Total a pagar', round(net + vat, 2), '/total')], '€')
    return p.done()


def turkish(seed):
    p = Stranger(seed, 'turkish', 'TR', money=('1.234,56',), dates=('%d.%m.%Y', '%d/%m/%Y', '%d-%m-%Y'), currency=('TRY',), ordinary=True).start()
    r, end = p.r, p.width - 45
    day = p.some_day()
    p.show(45, p.y + 6, p.firms[0], '/satici', kind='name', size=p.size * 1.3)
    p.y = p.block(45, p.y + p.size * 2.3, p.place(), '/satici_adres')
    p.field(45, p.y, 'Vergi No', turkish_tax(p), '/satici_vergi_no', kind='id', how='colon', gap=0)
    p.y += 24
    top = p.y
    p.put(45, p.y, 'SAYIN')
    p.show(45, p.y + p.size * 1.4, p.firms[1], '/alici', kind='name')
    low = p.block(45, p.y + p.size * 2.7, p.place(), '/alici_adres')
    p.field(45, low, 'Vergi No', turkish_tax(p), '/alici_vergi_no', kind='id', how='colon', gap=0)
    p.y = top
    p.fields(340, [('Fatura No', p.code('GIB2025000######'), '/fatura_no', None, 'id'), ('Fatura Tarihi', p.day(day), '/fatura_tarihi', day.isoformat(), 'date'),
                   ('İrsaliye No', p.code('IRS2025000######'), None, None, 'id'), ('Vade Tarihi', p.day(day + datetime.timedelta(days=30)), '/vade_tarihi',
                                                                                     (day + datetime.timedelta(days=30)).isoformat(), 'date')], gap=70)
    p.y = max(p.y, low) + 26
    rows = []
    for i, name in enumerate(p.goods(r.randint(2, 7))):
        n, price = r.randint(1, 60), cents(r, 8, 900)
        rows.append({'Sıra': str(i + 1), 'mal_hizmet': name, 'miktar': (str(n), n), 'birim': r.choice(('Adet', 'Koli')), 'birim_fiyat': (p.number(price), price),
                     'tutar': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/kalemler', [(None, 'Sıra', 45, False), ('mal_hizmet', 'Mal Hizmet', 80, False), ('miktar', 'Miktar', 300, True), ('birim', 'Birim', 312, False), ('birim_fiyat', 'Birim Fiyat', 430, True),
                          ('tutar', 'Tutar', end, True)], rows, kinds=kinds_of(birim_fiyat='amount', tutar='amount', birim='unit'))
    net = round(sum(row['tutar'][1] for row in rows), 2)
    vat = round(net * 0.2, 2)
    p.y += 8
    p.sums(330, end, [('Mal Hizmet Toplam Tutarı', net, '/toplam'), ('Hesaplanan KDV (%20)', vat, '/kdv'), ('Ödenecek Tutar', round(net + vat, 2), '/odenecek_tutar')], 'TL')
    return p.done()


def hebrew(seed):
    """Labels stand right of their values, and the first column is the right one."""
    p = Stranger(seed, 'hebrew', 'IL', dates=('%d/%m/%Y', '%d.%m.%Y'), currency=('ILS',), ordinary=True, fonts=('DejaVuSans',)).start()
    r, end = p.r, p.width - 50
    day = p.some_day()
    due = day + datetime.timedelta(days=30)
    p.show(end, p.y + 8, p.firms[0], '/supplier', kind='name', right=True, size=p.size * 1.5)
    p.y += 12 + p.size * 1.5
    for i, line in enumerate(p.place()):
        p.put(end, p.y, p.drawn(line), right=True)
        p.y += p.size * 1.3
    p.put(end, p.y, p.drawn('ח.פ.'), right=True)
    p.show(end - 60, p.y, luhn(p.code('51######')), '/company_number', kind='id', right=True)
    p.y += 30
    x = 250
    y = p.y
    for label, text, at, value, kind in (('חשבונית מס', p.code('######'), '/invoice_number', None, 'id'), ('תאריך', p.day(day), '/date', day.isoformat(), 'date'),
                                         ('לתשלום עד', p.day(due), '/due_date', due.isoformat(), 'date'), ('הזמנה', p.code('####-##'), None, None, 'id')):
        p.put(x, y, p.drawn(label), right=True)
        if at:
            p.show(x - 80, y, text, at, value, kind, right=True)
            p.labelled.append(at)
        else:
            p.distract(kind, text)
            p.put(x - 80, y, text, right=True)
        y += p.size * 1.5
    p.put(end, p.y, p.drawn('לכבוד'), right=True)
    p.show(end, p.y + p.size * 1.5, p.people[0], '/customer', kind='name', right=True)
    for i, line in enumerate(p.place()):
        p.put(end, p.y + p.size * (2.8 + 1.3 * i), p.drawn(line), right=True)
    p.y = y + 26
    rows = []
    for name in p.goods(r.randint(2, 6)):
        n, price = r.randint(1, 20), cents(r, 5, 300)
        rows.append({'description': name, 'quantity': (str(n), n), 'unit_price': (p.number(price), price), 'amount': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/lines', [('description', 'תיאור', end, True), ('quantity', 'כמות', 340, True), ('unit_price', 'מחיר', 250, True), ('amount', 'סכום', 130, True), ], rows, ruled=False,
            kinds=kinds_of(unit_price='amount', amount='amount'))
    net = round(sum(row['amount'][1] for row in rows), 2)
    vat = round(net * 0.18, 2)
    p.y += 8
    for label, value, at in (('סכום ביניים', net, '/subtotal'), ('מע״מ 18%', vat, '/vat'), ('סך הכל לתשלום', round(net + vat, 2), '/total')):
        p.put(260, p.y, p.drawn(label), right=True)
        p.money(130, p.y, value, at)
        p.labelled.append(at)
        p.y += p.size * 1.6
    return p.done()


def garage(seed):
    p = Stranger(seed, 'garage', 'GB', dates=('%d/%m/%Y', '%d/%m/%y', '%d %b %Y'), ordinary=True).start()
    r, end = p.r, p.width - 45
    day = p.some_day()
    p.show(45, p.y + 8, r.choice(('Northgate Motors', 'Greenhill Garages Ltd')), '/garage', kind='name', size=p.size * 1.6)
    p.put(end, p.y + 8, 'INVOICE', right=True, size=p.size * 1.4)
    p.put(45, p.y + 8 + p.size * 1.6, p.elsewhere())
    p.y += 46
    top = p.y
    p.put(45, p.y, 'Customer')
    p.show(45, p.y + p.size * 1.4, p.people[0], '/customer', kind='name')
    low = p.block(45, p.y + p.size * 2.7, p.place(), '/customer_address')
    p.fields(320, [('Invoice No.', p.code('J#####'), '/invoice_no', None, 'id'), ('Date', p.day(day), '/date', day.isoformat(), 'date'),
                   ('Registration', p.code('@@## @@@'), '/registration', None, 'id'), ('Mileage', p.number(r.randint(8000, 120000), 0), '/mileage', None, 'number'),
                   ('MOT due', p.day(day + datetime.timedelta(days=r.randint(20, 300))), None, None, 'code')], gap=80)
    p.say_value('/mileage', int(p.value['mileage'].replace(',', '').replace('.', '')), 'number')
    p.y = max(p.y, low) + 18
    rows = []
    for name in r.sample(('Full service', 'Replace front brake pads', 'Diagnose engine light', 'Fit exhaust bracket', 'Wheel alignment'), r.randint(1, 4)):
        hours, rate = r.choice((0.5, 0.8, 1.0, 1.5, 2.25, 3.0)), r.choice((62.0, 68.5, 74.0))
        rows.append({'work': name, 'hours': ('%g' % hours if hours != int(hours) else '%.1f' % hours, hours), 'rate': (p.number(rate), rate), 'amount': (p.number(round(hours * rate, 2)), round(hours * rate, 2))})
    p.table('/labour', [('work', 'Labour', 45, False), ('hours', 'Hours', 350, True), ('rate', 'Rate', 440, True), ('amount', 'Amount', end, True)], rows, kinds=kinds_of(rate='amount', amount='amount'))
    labour = round(sum(row['amount'][1] for row in rows), 2)
    p.put(440, p.y, 'Labour total', right=True)
    p.money(end, p.y, labour, '/labour_total')
    p.y += p.size * 2.5
    parts = []
    for name in r.sample(('Oil filter', 'Engine oil 5W-30', 'Brake pad set', 'Air filter', 'Wiper blade', 'Exhaust bracket', 'Spark plug'), r.randint(2, 5)):
        n, price = r.randint(1, 5), cents(r, 4, 90)
        parts.append({'part_no': p.code('@##-####'), 'description': name, 'qty': (str(n), n), 'each': (p.number(price), price), 'amount': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/parts', [('part_no', 'Part no.', 45, False), ('description', 'Parts supplied', 120, False), ('qty', 'Qty', 350, True), ('each', 'Each', 440, True), ('amount', 'Amount', end, True)],
            parts, kinds=kinds_of(each='amount', amount='amount', part_no='id'))
    some = round(sum(row['amount'][1] for row in parts), 2)
    p.put(440, p.y, 'Parts total', right=True)
    p.money(end, p.y, some, '/parts_total')
    p.y += p.size * 2.5
    vat = round((labour + some) * 0.2, 2)
    p.sums(340, end, [('Net', round(labour + some, 2), '/net'), ('VAT @ 20%', vat, '/vat'), ('Total', round(labour + some + vat, 2), '/total')], 'sign')
    if seed % 3 == 0:
        p.stamp('PAID WITH THANKS', 400, p.y, 16)
    return p.done()


def pharmacy(seed):
    p = Stranger(seed, 'pharmacy', 'DE', money=('1.234,56', '1234,56'), dates=('%d.%m.%Y', '%d.%m.%y'), currency=('EUR',), ordinary=True).start()
    r, end = p.r, p.width - 50
    day = p.some_day()
    p.show(50, p.y + 6, 'Apotheke am Markt', '/apotheke', kind='name', size=p.size * 1.5)
    p.put(50, p.y + 6 + p.size * 1.5, 'Inh. %s, %s' % (p.people[3], p.elsewhere()), size=p.size * 0.9)
    p.distract('name', p.people[3])
    p.y += 48
    p.show(50, p.y, p.people[0], '/patient', kind='name')
    p.block(50, p.y + p.size * 1.3, p.place(), '/anschrift')
    p.fields(330, [('Rechnung Nr.', p.code('25-####'), '/rechnungsnummer', None, 'id'), ('Datum', p.day(day), '/datum', day.isoformat(), 'date'),
                   ('Kundennummer', p.code('#####'), '/kundennummer', None, 'id'), ('Arzt', 'Dr. ' + p.people[1], '/arzt', None, 'name')], gap=80)
    p.y += 24
    rows = []
    drugs = 'Ibuprofen 400 mg,Pantoprazol 20 mg,Ramipril 5 mg,Salbutamol Spray,Metformin 1000 mg,Levothyroxin 75,Amoxicillin 500 mg,Hustensaft'.split(',')
    for i, name in enumerate(r.sample(drugs, r.randint(2, 6))):
        n, price = r.choice((1, 1, 1, 2, 3)), cents(r, 4, 130)
        fee = round(min(max(5.0, price * 0.1), 10.0) * n, 2)
        rows.append({'pzn': weighed(p, (1, 2, 3, 4, 5, 6, 7)), 'artikel': name, 'menge': (str(n), n), 'preis': (p.number(price), price), 'zuzahlung': (p.number(fee), fee), 'betrag': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/positionen', [('pzn', 'PZN', 50, False), ('artikel', 'Artikel', 110, False), ('menge', 'Menge', 300, True), ('preis', 'Einzelpreis', 380, True), ('zuzahlung', 'Zuzahlung', 460, True),
                            ('betrag', 'Betrag EUR', end, True)], rows, kinds=kinds_of(preis='amount', betrag='amount', zuzahlung='amount', pzn='id'))
    total = round(sum(row['betrag'][1] for row in rows), 2)
    p.y += 6
    p.put(330, p.y, 'Summe Zuzahlung')
    p.money(460, p.y, round(sum(row['zuzahlung'][1] for row in rows), 2), '/summe_zuzahlung')
    p.y += p.size * 1.6
    p.sums(330, end, [('Gesamtbetrag', total, '/gesamtbetrag'), ('darin enthalten 19 % MwSt', round(total * 19 / 119, 2), '/mwst')])
    p.y += 20
    iban = iban_of('DE', p.code('#' * 18))
    p.field(50, p.y, 'Bitte überweisen Sie auf IBAN', p.grouped(iban), '/iban', iban, 'id', how='beside')
    return p.done()


def subscription(seed):
    p = Stranger(seed, 'subscription', 'US', dates=('%B %-d, %Y', '%b %-d, %Y', '%m/%d/%Y'), currency=('USD',), ordinary=True).start()
    r, end = p.r, p.width - 45
    day = p.some_day()
    until = day + datetime.timedelta(days=r.choice((30, 31, 364)))
    p.put(45, p.y + 8, 'Invoice', size=p.size * 1.8)
    p.show(end, p.y + 8, 'Cloudpost Inc.', '/vendor', kind='name', right=True, size=p.size * 1.4)
    p.y += 36
    p.fields(45, [('Invoice number', p.code('CP@####-####'), '/invoice_number', None, 'id'), ('Date of issue', p.day(day), '/date_of_issue', day.isoformat(), 'date'),
                  ('Date due', p.day(day + datetime.timedelta(days=r.choice((0, 15)))), '/date_due', None, 'date')])
    due = p.truth['/date_due'][0]['text']
    p.say_value('/date_due', (day if due == p.day(day) else day + datetime.timedelta(days=15)).isoformat(), 'date')
    p.y += 12
    for x, head, key, firm in ((45, 'From', 'vendor', None), (310, 'Bill to', 'bill_to', next(firm for firm in p.firms if firm != 'Cloudpost Inc.'))):
        p.put(x, p.y, head)
        if firm:
            p.show(x, p.y + p.size * 1.4, firm, '/customer', kind='name')
        else:
            p.show(x, p.y + p.size * 1.4, 'Cloudpost Inc.', '/vendor', more=True)
        low = p.block(x, p.y + p.size * 2.7, p.place(), '/%s_address' % ('customer' if firm else 'vendor'))
    p.y = low + 26
    rows = []
    seats, price = r.randint(2, 60), r.choice((8.0, 12.5, 15.0, 29.0))
    plan = r.choice(('Team plan', 'Business plan', 'Pro seats'))
    old = round(-price * r.randint(2, seats) * 0.4, 2)
    some = [(plan, day, until, seats, price, round(seats * price, 2)), ('Unused time on ' + r.choice(('Starter plan', 'Basic plan')), day, day + datetime.timedelta(days=12), 1, old, old)]
    some += [('Extra storage', day, until, r.randint(1, 9), 4.0, None)] if seed % 2 else []
    for name, a, b, n, each, amount in some:
        amount = round(n * each, 2) if amount is None else amount
        rows.append({'description': name, 'period_start': (p.day(a, '%b %-d, %Y'), a.isoformat()), 'period_end': (p.day(b, '%b %-d, %Y'), b.isoformat()), 'qty': (str(n), n),
                     'unit_price': (p.in_money(each), each), 'amount': (p.in_money(amount), amount)})
    p.table('/lines', [('description', 'Description', 45, False), ('period_start', 'From', 225, False), ('period_end', 'To', 305, False), ('qty', 'Qty', 415, True), ('unit_price', 'Unit price', 485, True),
                       ('amount', 'Amount', end, True)], rows, kinds=kinds_of(unit_price='amount', amount='amount', period_start='date', period_end='date'))
    net = round(sum(row['amount'][1] for row in rows), 2)
    tax = round(max(net, 0) * 0.0825, 2)
    credit_used = cents(r, 1, 20) if net > 60 else 0.0
    p.y += 6
    p.sums(340, end, [('Subtotal', net, '/subtotal')], '$')
    x = p.put(340, p.y, 'Sales tax (')
    p.show(x, p.y, '8.25', '/tax_rate', 8.25, 'rate', after='%)')
    p.money(end, p.y, tax, '/tax', '$')
    p.y += p.size * 1.6
    p.sums(340, end, [('Total', round(net + tax, 2), '/total'), ('Applied balance', -credit_used, '/applied_balance'), ('Amount due', round(net + tax - credit_used, 2), '/amount_due')], '$')
    p.say_value('/currency', 'USD', 'currency')
    p.put(340, p.y, 'Amounts in USD')
    p.see_currency(340, p.y, 'Amounts in USD')
    return p.done()


def till(seed):
    p = Stranger(seed, 'till', 'GB', money=('1,234.56',), dates=('%d/%m/%Y', '%d/%m/%y', '%d %b %Y'), currency=('AUD', 'NZD'))
    r = p.r
    p.start(size=(226, 470 + 12 * r.randint(0, 6)))
    p.by_word = False
    middle = lambda text: (p.width - p.wide(text)) / 2
    name = r.choice(('Koala Hardware', 'Southern Cross Deli', 'Bayside Pharmacy', 'Kiwi Garden Centre'))
    p.show(middle(name), p.y, name, '/shop', kind='name')
    for line in ('%d Queen Street' % r.randint(1, 200), 'Ph %s' % p.code('02 #### ####')):
        p.y += p.size * 1.3
        p.put(middle(line), p.y, line)
    p.y += p.size * 1.6
    p.field(16, p.y, 'ABN' if p.currency == 'AUD' else 'GST No', abn(p) if p.currency == 'AUD' else p.code('1##-###-###'), '/tax_number', kind='id', how='beside')
    day = p.some_day()
    p.y += p.size * 1.6
    p.put(16, p.y, 'TAX INVOICE')
    p.date(p.width - 16, p.y, day, '/date', right=True)
    p.y += p.size * 1.2
    rows = []
    rate = 0.1 if p.currency == 'AUD' else 0.15
    for i, item in enumerate(r.sample('Hose nozzle,Potting mix,Sun hat,Olive bread,Flat white,Sunscreen,Batteries AA,Paint roller,Meat pie,Garden gloves'.split(','), r.randint(2, 6))):
        p.y += p.size * 1.5
        n, price = r.choice((1, 1, 1, 2, 4)), cents(r, 2, 40)
        at = '/items/%d/' % i
        p.show(16, p.y, item.upper(), at + 'name')
        p.show(140, p.y, str(n), at + 'qty', n, right=True)
        p.show(p.width - 16, p.y, p.number(round(n * price, 2)), at + 'amount', round(n * price, 2), 'amount', right=True)
        rows.append(round(n * price, 2))
    total = round(sum(rows), 2)
    gst = round(total * rate / (1 + rate), 2)
    tip = 0.05 * r.randint(0, 2)
    paid = float(r.choice((math.ceil(total / 5) * 5, math.ceil(total / 20) * 20)))
    p.y += p.size * 2.2
    p.sums(16, p.width - 16, [(r.choice(('SUB-TOTAL (EX)', 'TOTAL EXCL GST', 'SUBTOTAL EX GST')), round(total - gst, 2), '/subtotal'), ('GST %d%%' % round(rate * 100), gst, '/gst')])
    p.sums(16, p.width - 16, [(r.choice(('TOTAL', 'TOTAL INCL GST')), total, '/total')], 'sign')
    p.sums(16, p.width - 16, [('CASH', paid, '/cash'), ('CHANGE', round(paid - total, 2), '/change')])
    p.put(16, p.y + 14, 'THANK YOU - %s' % p.code('REG# ##'))
    return p.done()


# -- forms, letters and lists

def customs(seed):
    """Boxes with numbers and labels above what is in them."""
    p = Stranger(seed, 'customs', 'GB', dates=('%d/%m/%Y', '%d.%m.%Y', '%Y-%m-%d'), currency=('EUR', 'USD', 'CHF')).start()
    r = p.r
    day = p.some_day()
    gross = r.randint(300, 9800)
    goods_value = cents(r, 900, 48000)

    def box_at(x, y, wide, high, label, text, at, value=None, kind=None):
        bx, by = p.box_of(x, y, wide, high, label)
        if isinstance(text, list):
            p.show(bx, by, text[0], at + '/name', kind='name')
            p.block(bx, by + p.size * 1.3, text[1:], at + '/address')
        elif at:
            p.show(bx, by, text, at, value, kind)
            p.labelled.append(at)
        else:
            p.put(bx, by, text)
            if kind:
                p.distract(kind, text if value is None else value)

    p.put(40, p.y, 'EXPORT DECLARATION', size=p.size * 1.2)
    y, w = p.y + 12, p.width - 80
    box_at(40, y, w / 2, 60, '2 Consignor / Exporter', [p.firms[0]] + p.place(), '/consignor')
    box_at(40 + w / 2, y, w / 4, 30, '1 Declaration', r.choice(('EX A', 'EX D')), '/declaration_type', None, 'code')
    box_at(40 + w * 3 / 4, y, w / 4, 30, 'A Office of export', p.code('GB000###'), '/office_of_export', None, 'id')
    box_at(40 + w / 2, y + 30, w / 4, 30, '5 Items', '1', '/items_count', 1)
    packages = r.randint(2, 80)
    box_at(40 + w * 3 / 4, y + 30, w / 4, 30, '6 Total packages', str(packages), '/total_packages', packages)
    box_at(40, y + 60, w / 2, 60, '8 Consignee', [p.firms[1]] + p.place(), '/consignee')
    box_at(40 + w / 2, y + 60, w / 2, 30, '7 Reference number', p.code('##GB@#####'), '/reference_number', None, 'id')
    box_at(40 + w / 2, y + 90, w / 4, 30, '15 Country of dispatch', 'United Kingdom', '/country_of_dispatch', None, 'country')
    box_at(40 + w * 3 / 4, y + 90, w / 4, 30, '17 Country of destination', r.choice(('Norway', 'Switzerland', 'Japan', 'Canada')), '/country_of_destination', None, 'country')
    box_at(40, y + 120, w / 2, 60, '14 Declarant / Representative', [p.firms[2]] + p.place(), '/declarant')
    bx, by = p.box_of(40 + w / 2, y + 120, w / 2, 30, '22 Currency and total amount invoiced')
    p.show(bx, by, p.currency, '/currency', kind='currency')
    p.money(40 + w - 6, by, goods_value, '/total_amount_invoiced')
    box_at(40 + w / 2, y + 150, w / 4, 30, '20 Delivery terms', r.choice(('FCA Leeds', 'DAP Oslo', 'EXW Truro')), '/delivery_terms', None, 'text')
    box_at(40 + w * 3 / 4, y + 150, w / 4, 30, '23 Exchange rate', '1.1%d' % r.randint(100, 999), None)
    box_at(40, y + 180, w / 2, 30, '31 Packages and description of goods', '%d CARTONS %s' % (packages, p.goods(1)[0].upper()), '/goods_description', None, 'text')
    box_at(40 + w / 2, y + 180, w / 4, 30, '33 Commodity code', p.code('8### ####'), '/commodity_code', None, 'id')
    box_at(40 + w * 3 / 4, y + 180, w / 4, 30, '35 Gross mass (kg)', p.number(gross, 0), '/gross_mass', gross)
    box_at(40, y + 210, w / 4, 30, '37 Procedure', p.code('10 00'), '/procedure', None, 'code')
    box_at(40 + w / 4, y + 210, w / 4, 30, '38 Net mass (kg)', p.number(gross - r.randint(20, 200), 0), '/net_mass', None)
    p.say_value('/net_mass', int(p.truth['/net_mass'][0]['text'].replace(',', '')))
    bx, by = p.box_of(40 + w / 2, y + 210, w / 4, 30, '46 Statistical value (GBP)')
    p.money(40 + w * 3 / 4 - 6, by, round(goods_value * 0.87, 2), '/statistical_value')
    box_at(40 + w * 3 / 4, y + 210, w / 4, 30, '40 Previous document', p.code('Z-380-####'), None, None, 'id')
    box_at(40, y + 240, w / 2, 40, '54 Place and date', '', None)
    x = p.put(45, y + 262, 'Felixstowe, ')
    p.date(x, y + 262, day, '/date')
    box_at(40 + w / 2, y + 240, w / 2, 40, 'D Control by office of departure', '', None)
    p.stamp('CLEARED', 40 + w / 2 + 80, y + 276, 18)
    return p.done()


def order(seed):
    p = Stranger(seed, 'order', 'US', dates=('%m/%d/%Y', '%b %-d, %Y', '%Y-%m-%d'), currency=('USD',)).start()
    r, end = p.r, p.width - 40
    day = p.some_day()
    p.show(40, p.y + 6, p.firms[0], '/buyer', kind='name', size=p.size * 1.4)
    p.put(end, p.y + 6, 'PURCHASE ORDER', right=True, size=p.size * 1.4)
    p.y += 32
    p.fields(p.width - 220, [('P.O. No.', p.code('45######'), '/po_number', None, 'id'), ('Date', p.day(day), '/order_date', day.isoformat(), 'date'),
                             ('Required by', p.day(day + datetime.timedelta(days=r.randint(10, 40))), '/required_by', None, 'date'), ('Quote ref.', p.code('Q-####'), None, None, 'id')], gap=80)
    shown = p.truth['/required_by'][0]['text']
    p.say_value('/required_by', next((day + datetime.timedelta(days=n)).isoformat() for n in range(10, 41) if p.day(day + datetime.timedelta(days=n)) == shown), 'date')
    p.y += 14
    low = p.y
    for x, head, key, firm in ((40, 'VENDOR', 'vendor', p.firms[1]), (230, 'SHIP TO', 'ship_to', p.firms[2]), (420, 'BILL TO', 'bill_to', p.firms[3])):
        p.put(x, p.y, head)
        p.show(x, p.y + p.size * 1.5, firm, '/%s/name' % key, kind='name')
        low = p.block(x, p.y + p.size * 2.8, p.place(), '/%s/address' % key)
        if key == 'ship_to':
            p.show(x, low, p.people[0], '/ship_to/attention', kind='name', before='Attn: ')
    p.y = low + 32
    rows = []
    for i, name in enumerate(p.goods(r.randint(2, 9))):
        n, price = r.choice((r.randint(1, 90), r.randint(500, 4000))), r.choice((cents(r, 1, 60), r.randint(100, 900) / 1000))
        digits = 2 if price == round(price, 2) and price >= 1 else 3
        rows.append({'Line': str(10 * (i + 1)), 'item_no': p.code('@@-#####'), 'description': name, 'quantity': (p.number(n, 0), n), 'uom': r.choice(('EA', 'BX', 'FT')),
                     'unit_price': (p.number(price, digits), price), 'extended_price': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/items', [(None, 'Line', 40, False), ('item_no', 'Item No.', 70, False), ('description', 'Description', 140, False), ('quantity', 'Quantity', 350, True), ('uom', 'UOM', 370, False),
                       ('unit_price', 'Unit Price', 470, True), ('extended_price', 'Extended Price', end, True)], rows, kinds=kinds_of(unit_price='amount', extended_price='amount', uom='unit', item_no='id'))
    total = round(sum(row['extended_price'][1] for row in rows), 2)
    freight_cost = cents(r, 20, 200)
    p.y += 6
    p.sums(380, end, [('Merchandise', total, '/merchandise_total'), ('Freight allowance', freight_cost, None), ('Order value', round(total + freight_cost, 2), '/total')], '$')
    p.put(40, p.y, 'Payment terms: ')
    p.show(40 + p.wide('Payment terms: '), p.y, r.choice(('Net 30', '2% 10, Net 30', 'Net 45')), '/payment_terms', kind='text')
    p.put(40, p.y + p.size * 2, 'Buyer: %s, ext. %s' % (p.people[1], p.code('####')))
    p.distract('name', p.people[1])
    return p.done()


def assessment(seed):
    p = Stranger(seed, 'assessment', 'DE', money=('1.234,56',), dates=('%d.%m.%Y', '%-d. %B %Y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 55
    day, due = p.some_day(), None
    due = day + datetime.timedelta(days=33)
    office = 'Finanzamt ' + r.choice(('Hannover-Nord', 'Leipzig I', 'Duisburg-West'))
    p.show(55, p.y + 4, office, '/finanzamt', kind='name')
    p.put(55, p.y + 4 + p.size * 1.3, p.elsewhere(), size=p.size * 0.85)
    tax_no, ident = p.code('##/###/#####'), tax_ident(p)
    y = p.y + 8
    for label, text, at, value, kind in (('Datum', p.day(day), '/datum', day.isoformat(), 'date'), ('Steuernummer', tax_no, '/steuernummer', None, 'id'),
                                         ('Identifikationsnummer', ident, '/identifikationsnummer', ident.replace(' ', ''), 'id'), ('Telefon', p.code('0511 ###-###'), None, None, 'id')):
        p.field(350, y, label, text, at, value, kind, how='gap', gap=100)
        y += p.size * 1.5
    p.y += 70
    who = p.people[0]
    p.show(55, p.y, who, '/empfaenger', kind='name')
    p.block(55, p.y + p.size * 1.3, p.place(), '/anschrift')
    p.y += 60
    year = r.randint(2021, 2024)
    x = p.put(55, p.y, 'Bescheid für ', size=p.size * 1.3)
    x = p.show(x, p.y, str(year), '/jahr', year, size=p.size * 1.3)
    p.put(x, p.y, ' über Einkommensteuer und Solidaritätszuschlag', size=p.size * 1.3)
    p.y += p.size * 3
    p.put(55, p.y, 'Festsetzung')
    p.y += p.size * 2
    rows = []
    for name, share in (('Einkommensteuer', 1), ('Solidaritätszuschlag', 0.055), ('Kirchensteuer', 0.09))[:2 + seed % 2]:
        fixed = cents(r, 2500, 30000) if share == 1 else round(rows[0]['festgesetzt'][1] * share, 2)
        paid = round(fixed * r.choice((0.8, 0.93, 1.06)), 2)
        rows.append({'steuerart': name, 'festgesetzt': (p.number(fixed), fixed), 'abgezogen': (p.number(paid), paid), 'verbleibend': (p.number(round(fixed - paid, 2)), round(fixed - paid, 2))})
    p.table('/steuern', [('steuerart', 'Steuerart', 55, False), ('festgesetzt', 'Festgesetzt', 290, True), ('abgezogen', 'Ab Steuerabzug', 410, True), ('verbleibend', 'Verbleibend', end, True)], rows,
            kinds=kinds_of(festgesetzt='amount', abgezogen='amount', verbleibend='amount'))
    rest = round(sum(row['verbleibend'][1] for row in rows), 2)
    p.y += 6
    p.put(55, p.y, 'Insgesamt')
    p.money(end, p.y, rest, '/insgesamt')
    p.y += p.size * 2.5
    already = round(abs(rest) * 0.3, 2)
    x = p.put(55, p.y, 'Bereits getilgt: ')
    p.money(x, p.y, already, None, right=False)
    p.y += p.size * 2
    if rest - already > 0:
        x = p.put(55, p.y, 'Bitte zahlen Sie spätestens am ')
        x = p.date(x, p.y, due, '/zahlbar_bis')
        x = p.put(x, p.y, ' den Betrag von ')
        p.money(x, p.y, round(rest - already, 2), '/nachzahlung', '€', right=False)
        p.say_value('/erstattung', None, 'amount')
    else:
        x = p.put(55, p.y, 'Das Guthaben von ')
        x = p.money(x, p.y, round(already - rest, 2), '/erstattung', '€', right=False)
        p.put(x, p.y, ' wird erstattet.')
        p.say_value('/zahlbar_bis', None, 'date')
        p.say_value('/nachzahlung', None, 'amount')
    p.value = {key: p.value[key] for key in sorted(p.value)}
    p.y += p.size * 4
    p.put(55, p.y, 'Besteuerungsgrundlagen')
    p.y += p.size * 2
    income = cents(r, 30000, 90000)
    p.sums(55, end, [('Einkünfte aus nichtselbständiger Arbeit', income, '/einkuenfte_arbeit'), ('Gesamtbetrag der Einkünfte', income, None),
                     ('Sonderausgaben', round(income * 0.11, 2), '/sonderausgaben'), ('Zu versteuerndes Einkommen', float(int(income * 0.89)), '/zu_versteuerndes_einkommen')])
    return p.done()


def lab(seed):
    p = Stranger(seed, 'lab', 'GB', dates=('%d/%m/%Y', '%d.%m.%Y', '%d %b %Y')).start()
    r, end = p.r, p.width - 45
    taken = p.some_day()
    reported = taken + datetime.timedelta(days=r.randint(0, 3))
    born = datetime.date(r.randint(1940, 2004), r.randint(1, 12), r.randint(1, 28))
    p.show(45, p.y + 6, 'Ridings Pathology Service', '/laboratory', kind='name', size=p.size * 1.4)
    p.put(45, p.y + 6 + p.size * 1.5, p.elsewhere())
    p.y += 46
    y = p.y
    p.fields(45, [('Patient', p.people[0], '/patient', None, 'name'), ('Date of birth', p.day(born), '/date_of_birth', born.isoformat(), 'date'), ('NHS No.', nhs_number(p), '/nhs_number', None, 'id')], gap=80)
    low, p.y = p.y, y
    p.fields(320, [('Lab No.', p.code('25.#####.@'), '/lab_number', None, 'id'), ('Collected', p.day(taken), '/collected', taken.isoformat(), 'date'),
                   ('Reported', p.day(reported), '/reported', reported.isoformat(), 'date'), ('Requested by', 'Dr ' + p.people[1], '/requested_by', None, 'name')], gap=80)
    p.y = max(p.y, low) + 18
    rows = []
    for name, unit, low_end, high_end, digits in r.sample([('Sodium', 'mmol/l', 133, 146, 0), ('Potassium', 'mmol/l', 3.5, 5.3, 1), ('Creatinine', 'µmol/l', 59, 104, 0), ('Haemoglobin', 'g/l', 130, 180, 0),
                                                           ('Platelets', '10^9/l', 150, 400, 0), ('ALT', 'U/l', 5, 41, 0), ('TSH', 'mU/l', 0.27, 4.2, 2), ('Glucose', 'mmol/l', 3.9, 5.8, 1),
                                                           ('CRP', 'mg/l', 0, 5, 1), ('Ferritin', 'µg/l', 30, 400, 0)], r.randint(4, 9)):
        result = round(r.uniform(low_end * 0.8, high_end * 1.2) + 0.1, digits)
        mark = 'H' if result > high_end else 'L' if result < low_end else None
        show = lambda v: '%.*f' % (digits, v)
        rows.append({'test': name, 'result': (show(result), result if digits else int(result)), 'flag': (mark, None), 'unit': unit, 'reference_range': '%s - %s' % (show(low_end), show(high_end))})
    p.table('/results', [('test', 'Test', 45, False), ('result', 'Result', 230, True), ('flag', 'Flag', 250, False), ('unit', 'Unit', 310, False), ('reference_range', 'Reference range', 420, False)], rows,
            kinds=kinds_of(unit='unit', reference_range='code', flag='code'))
    p.y += 14
    p.put(45, p.y, 'Comment: ')
    p.show(45 + p.wide('Comment: '), p.y, r.choice(('Repeat fasting sample suggested.', 'Sample slightly haemolysed.', 'No further action needed.')), '/comment', kind='text')
    p.put(45, p.y + p.size * 3, 'Authorised by %s' % p.people[2])
    p.distract('name', p.people[2])
    return p.done()


def delivery(seed):
    p = Stranger(seed, 'delivery', 'DE', money=('1.234,56',), dates=('%d.%m.%Y', '%d.%m.%y')).start()
    r, end = p.r, p.width - 45
    day = p.some_day()
    p.show(45, p.y + 4, 'Hartmann Chemie GmbH', '/lieferant', kind='name', size=p.size * 1.4)
    p.put(end, p.y + 4, 'LIEFERSCHEIN', right=True, size=p.size * 1.4)
    p.y += 34
    p.put(45, p.y, 'Lieferanschrift')
    p.show(45, p.y + p.size * 1.4, p.firms[0] if p.firms[0] != 'Hartmann Chemie GmbH' else p.firms[1], '/empfaenger', kind='name')
    low = p.block(45, p.y + p.size * 2.7, p.place(), '/lieferanschrift')
    p.fields(330, [('Lieferschein-Nr.', p.code('LS-######'), '/lieferschein_nr', None, 'id'), ('Datum', p.day(day), '/datum', day.isoformat(), 'date'),
                   ('Ihre Bestellung', p.code('B-####/25'), '/bestellung', None, 'id'), ('Kunden-Nr.', p.code('1####'), None, None, 'id'),
                   ('Spediteur', 'Elbtrans KG', '/spediteur', None, 'name')], gap=85)
    p.y = max(p.y, low) + 20
    rows = []
    goods = 'Natronlauge 50 %,Isopropanol techn.,Zitronensäure,Glycerin 99 %,Ethanol vergällt,Salzsäure 31 %,Harnstoff,Kaliumsorbat'.split(',')
    for i, name in enumerate(r.sample(goods, r.randint(3, 8))):
        n = r.choice((25, 50, 200, 800, 950, 1000, 1200, 2400))
        until = day + datetime.timedelta(days=r.randint(200, 900))
        rows.append({'pos': (str(i + 1), i + 1), 'artikel': name, 'charge': p.code('@#####-##'), 'menge': (p.number(n, 0), n), 'einheit': r.choice(('kg', 'l')), 'gebinde': (str(max(1, n // 200)), max(1, n // 200)),
                     'haltbar_bis': (p.day(until), until.isoformat())})
    p.table('/positionen', [('pos', 'Pos.', 45, False), ('artikel', 'Artikel', 75, False), ('charge', 'Charge', 200, False), ('menge', 'Menge', 320, True), ('einheit', 'Einheit', 330, False),
                            ('gebinde', 'Gebinde', 420, True), ('haltbar_bis', 'Haltbar bis', 440, False)], rows, kinds=kinds_of(einheit='unit', charge='id', haltbar_bis='date'))
    p.y += 8
    weight = sum(row['menge'][1] for row in rows)
    x = p.put(45, p.y, 'Gesamtgewicht netto ')
    x = p.show(x, p.y, p.number(weight, 0), '/gesamtgewicht', weight)
    p.show(x, p.y, 'kg', '/gewichtseinheit', kind='unit', before=' ')
    p.y += 30
    p.put(45, p.y, 'Ware erhalten:')
    p.rule(120, 300, p.y)
    if seed % 2:
        p.stamp('WARENEINGANG GEPRÜFT', 250, p.y - 20, 16)
    return p.done()


def timesheet(seed):
    p = Stranger(seed, 'timesheet', 'GB', dates=('%d/%m/%Y', '%d/%m', '%d %b')).start()
    r, end = p.r, p.width - 50
    monday = p.some_day()
    monday -= datetime.timedelta(days=monday.weekday())
    p.put(50, p.y + 4, 'Weekly time sheet', size=p.size * 1.5)
    p.y += 30
    y = p.y
    p.fields(50, [('Employee', p.people[0], '/employee', None, 'name'), ('Client', p.firms[0], '/client', None, 'name'), ('Project', p.code('P-####'), '/project', None, 'id')], gap=70)
    low, p.y = p.y, y
    ending = monday + datetime.timedelta(days=6)
    p.fields(330, [('Week ending', p.day(ending, '%d/%m/%Y' if '/' in p.date_how else '%d %b %Y'), '/week_ending', ending.isoformat(), 'date'), ('Approved by', p.people[1], '/approved_by', None, 'name')], gap=80)
    p.y = max(low, p.y) + 18
    rows = []
    for i in range(r.choice((5, 6, 7))):
        day = monday + datetime.timedelta(days=i)
        start, hours, pause = r.choice((7.5, 8.0, 8.5, 9.0)), r.choice((7.5, 8.0, 6.25, 8.75, 4.0)), r.choice((0.5, 0.75, 1.0))
        clock = lambda v: '%02d:%02d' % (int(v), round(v % 1 * 60))
        rows.append({'day': day.strftime('%a'), 'date': (p.day(day), day.isoformat()), 'start': clock(start), 'finish': clock(start + hours + pause), 'break': ('%.2f' % pause, pause),
                     'hours': ('%.2f' % hours, hours)})
    p.table('/days', [('day', 'Day', 50, False), ('date', 'Date', 100, False), ('start', 'Start', 200, False), ('finish', 'Finish', 270, False), ('break', 'Break', 380, True), ('hours', 'Hours', end, True)], rows,
            kinds=kinds_of(date='date', start='time', finish='time'))
    total = sum(row['hours'][1] for row in rows)
    p.put(270, p.y, 'Total hours')
    p.show(end, p.y, '%.2f' % total, '/total_hours', total, right=True)
    p.labelled.append('/total_hours')
    over = max(0.0, total - 37.5)
    p.y += p.size * 1.8
    p.put(270, p.y, 'of which overtime')
    p.show(end, p.y, '%.2f' % over, '/overtime_hours', over, right=True)
    p.labelled.append('/overtime_hours')
    p.put(50, p.y + 40, 'Signed')
    return p.done()


def tender(seed):
    p = Stranger(seed, 'tender', 'DE', money=('1.234,56',), dates=('%d.%m.%Y', '%-d. %B %Y'), currency=('EUR',)).start()
    r, end = p.r, p.width - 45
    day = p.some_day()
    until = day + datetime.timedelta(days=42)
    p.show(45, p.y + 4, 'Holzbau Kern GmbH', '/bieter', kind='name', size=p.size * 1.4)
    p.put(45, p.y + 4 + p.size * 1.5, p.elsewhere(' · '), size=p.size * 0.9)
    p.y += 50
    p.put(45, p.y, 'Auftraggeber')
    p.show(45, p.y + p.size * 1.4, p.people[0], '/auftraggeber', kind='name')
    low = p.block(45, p.y + p.size * 2.7, p.place(), '/anschrift')
    p.fields(330, [('Angebot Nr.', p.code('A25-####'), '/angebotsnummer', None, 'id'), ('Datum', p.day(day), '/datum', day.isoformat(), 'date'),
                   ('Bindefrist bis', p.day(until), '/bindefrist', until.isoformat(), 'date'), ('Bauvorhaben', 'Anbau ' + r.choice(('Nord', 'Süd', 'Garten')), '/bauvorhaben', None, 'text')], gap=80)
    p.y = max(low, p.y) + 20
    rows, total = [], 0
    for i, name in enumerate(r.sample('Dachlatten liefern,Sparren aufstellen,Schalung Fichte,Dämmung 200 mm,Fenster einbauen,Treppe Buche,Fassade Lärche,Gerüst stellen'.split(','), r.randint(3, 6))):
        unit = r.choice(('m²', 'm', 'St.', 'psch'))
        for alternative in ([False, True] if r.random() < 0.4 else [False]):
            n, price = r.choice((1, r.randint(4, 240))), cents(r, 12, 380)
            amount = round(n * price, 2)
            total += 0 if alternative else amount
            rows.append({'pos': '%02d.%02d%s' % (r.choice((1, 1)), (i + 1) * 10, '.A' if alternative else ''), 'kurztext': ('Alternativ: ' if alternative else '') + name.split(' ')[0] + (' Eiche' if alternative else ' ' + name.split(' ')[1]),
                         'menge': (p.number(n, 0), n), 'einheit': unit, 'einheitspreis': (p.number(price), price), 'gesamtpreis': ('nur EP', None) if alternative else (p.number(amount), amount)})
    for row in rows:                            # an alternative has no sum of its own
        if row['gesamtpreis'][1] is None:
            row['gesamtpreis'], row['_nur'] = (None, None), 'nur EP'
    p.types['/positionen/*/gesamtpreis'] = 'number'
    p.table('/positionen', [('pos', 'Pos.', 45, False), ('kurztext', 'Kurztext', 95, False), ('menge', 'Menge', 310, True), ('einheit', 'Einheit', 322, False), ('einheitspreis', 'EP', 440, True),
                            ('gesamtpreis', 'GP', end, True), ('_nur', '', end, True)], rows, kinds=kinds_of(einheitspreis='amount', gesamtpreis='amount', einheit='unit', pos='id'))
    total = round(total, 2)
    p.y += 8
    p.sums(330, end, [('Summe netto', total, '/netto'), ('zzgl. 19 % MwSt.', round(total * 0.19, 2), '/mwst'), ('Angebotssumme brutto', round(total + round(total * 0.19, 2), 2), '/brutto')], '€')
    p.put(45, p.y + 20, 'Mit freundlichen Grüßen')
    p.put(45, p.y + 20 + p.size * 3, p.people[1])
    p.distract('name', p.people[1])
    return p.done()


def insurance(seed):
    p = Stranger(seed, 'insurance', 'GB', dates=('%d %B %Y', '%d/%m/%Y', '%-d %b %Y')).start()
    r = p.r
    day = p.some_day()
    loss = day - datetime.timedelta(days=r.randint(12, 60))
    p.show(60, p.y + 4, 'Solent Mutual Insurance', '/insurer', kind='name', size=p.size * 1.4)
    p.put(60, p.y + 4 + p.size * 1.4, p.elsewhere(), size=p.size * 0.9)
    p.y += 60
    p.show(60, p.y, p.people[0], '/policyholder', kind='name')
    p.block(60, p.y + p.size * 1.3, p.place(), '/address')
    refs = [('Our claim ref', p.code('CL/######/@'), '/claim_reference', None, 'id'), ('Policy', p.code('HH-########'), '/policy_number', None, 'id'),
            ('Your broker ref', p.code('BK####'), None, None, 'id'), ('Date', p.day(day), '/date', day.isoformat(), 'date')]
    p.fields(350, refs if seed % 2 else [refs[1], refs[2], refs[0], refs[3]], gap=80)
    p.y = max(p.y, 150) + 24
    p.show(60, p.y, p.people[0], '/policyholder', before='Dear ', after=',', more=True)
    p.y += p.size * 2.2
    x = p.put(60, p.y, 'Re: ')
    p.show(x, p.y, r.choice(('Escape of water at your property', 'Storm damage to your roof', 'Theft of a bicycle')), '/subject', kind='text')
    p.y += p.size * 2.2
    claim = cents(r, 800, 9000)
    excess = r.choice((100.0, 250.0, 350.0))
    x = p.put(60, p.y, 'Thank you for your claim for the loss of ')
    x = p.date(x, p.y, loss, '/date_of_loss')
    p.put(x, p.y, '. We have now received the report of')
    p.y += p.size * 1.4
    x = p.show(60, p.y, p.people[1], '/loss_adjuster', kind='name')
    p.put(x, p.y, ', our loss adjuster, who visited you this week.')
    p.y += p.size * 2
    x = p.put(60, p.y, 'The damage is assessed at ')
    x = p.money(x, p.y, claim, '/assessed_damage', 'sign', right=False)
    x = p.put(x, p.y, ' and your excess is ')
    x = p.money(x, p.y, excess, '/excess', 'sign', right=False)
    p.put(x, p.y, '.')
    p.y += p.size * 1.4
    x = p.put(60, p.y, 'We will therefore pay ')
    x = p.money(x, p.y, round(claim - excess, 2), '/settlement', 'sign', right=False)
    p.put(x, p.y, ' to your account within five working days.')
    p.y += p.size * 2
    limit = day + datetime.timedelta(days=28)
    x = p.put(60, p.y, 'If you do not agree, please write to us by ')
    p.date(x, p.y, limit, '/objection_deadline', after='.')
    p.y += p.size * 4
    p.put(60, p.y, 'Yours sincerely')
    p.show(60, p.y + p.size * 3, p.people[2], '/signed_by', kind='name')
    p.put(60, p.y + p.size * 4.3, 'Claims Department')
    return p.done()


def donation(seed):
    p = Stranger(seed, 'donation', 'US', dates=('%B %-d, %Y', '%m/%d/%Y'), currency=('USD',)).start()
    r = p.r
    day = p.some_day()
    written = day + datetime.timedelta(days=r.randint(2, 20))
    p.show(60, p.y + 6, r.choice(('Duluth Animal Shelter', 'Fresno Food Bank', 'Gulf Coast Literacy Fund')), '/charity', kind='name', size=p.size * 1.5)
    p.block(60, p.y + 6 + p.size * 1.6, p.place(), '/charity_address')
    p.y += 66
    p.date(60, p.y, written, '/letter_date')
    p.y += p.size * 2.5
    p.show(60, p.y, p.people[0], '/donor', kind='name')
    p.block(60, p.y + p.size * 1.3, p.place(), '/donor_address')
    p.y += p.size * 6
    p.fields(60, [('Receipt No.', p.code('D-2025-####'), '/receipt_number', None, 'id'), ('EIN', p.code('4#-#######'), '/ein', None, 'id')], gap=70)
    p.y += p.size * 1.5
    amount = float(r.choice((25, 50, 100, 250, 500, 1200))) if r.random() < 0.7 else cents(r, 20, 900)
    x = p.put(60, p.y, 'Thank you for your gift of ')
    x = p.money(x, p.y, amount, '/amount', 'sign', right=False)
    x = p.put(x, p.y, ' received on ')
    x = p.date(x, p.y, day, '/donation_date')
    x = p.put(x, p.y, ' by ')
    p.show(x, p.y, r.choice(('check', 'credit card')), '/payment_method', kind='text', after='.')
    p.y += p.size * 1.5
    p.put(60, p.y, 'No goods or services were provided in exchange. Last year our friends gave ')
    p.y += p.size * 1.5
    x = p.money(60, p.y, cents(r, 20000, 90000), None, '$', right=False)
    p.put(x, p.y, ', and every dollar helped.')
    p.y += p.size * 4
    p.show(60, p.y, p.people[1], '/signed_by', kind='name')
    p.put(60, p.y + p.size * 1.3, 'Treasurer')
    return p.done()


def fees(seed):
    p = Stranger(seed, 'fees', 'DE', money=("1'234.56",), dates=('%d.%m.%Y', '%d.%m.%y'), currency=('CHF',)).start()
    r, end = p.r, p.width - 55
    day = datetime.date(2025, r.choice((3, 6, 9, 12)), 30)
    start = datetime.date(2025, day.month - 2, 1)
    p.show(55, p.y + 4, 'Kantonalbank Seetal', '/bank', kind='name', size=p.size * 1.4)
    p.y += 44
    p.show(330, p.y, p.people[0], '/kontoinhaber', kind='name')
    p.block(330, p.y + p.size * 1.3, ['Seestrasse %d' % r.randint(1, 90), p.code('5###') + ' Lenzburg'], '/adresse')
    p.y += 60
    p.put(55, p.y, 'Gebührenanzeige', size=p.size * 1.4)
    p.y += p.size * 3
    iban = iban_of('CH', p.code('00781############'))
    p.fields(55, [('Konto', p.grouped(iban), '/iban', iban, 'id'), ('Abschluss per', p.day(day), '/abschluss', day.isoformat(), 'date'), ('Referenz', p.code('GB-#######'), '/referenz', None, 'id')], gap=90)
    x = p.put(55, p.y, 'Zeitraum: ')
    x = p.date(x, p.y, start, '/von')
    p.date(x, p.y, day, '/bis', before=' - ')
    p.y += p.size * 3
    rows = []
    for name in r.sample(('Kontoführung', 'Zahlungsaufträge Papier', 'Bargeldbezug fremd', 'Auslandzahlung SEPA', 'Porto', 'Kartengebühr'), r.randint(2, 6)):
        n, price = r.randint(1, 14), r.choice((0.5, 1.0, 2.0, 3.5, 5.0))
        rows.append({'leistung': name, 'anzahl': (str(n), n), 'ansatz': (p.number(price), price), 'betrag': (p.number(round(n * price, 2)), round(n * price, 2))})
    p.table('/gebuehren', [('leistung', 'Leistung', 55, False), ('anzahl', 'Anzahl', 320, True), ('ansatz', 'Ansatz', 420, True), ('betrag', 'Betrag CHF', end, True)], rows,
            kinds=kinds_of(ansatz='amount', betrag='amount'))
    total = round(sum(row['betrag'][1] for row in rows), 2)
    p.y += 6
    p.put(330, p.y, 'Total zu Ihren Lasten')
    p.money(end, p.y, total, '/total')
    p.labelled.append('/total')
    p.y += p.size * 2
    x = p.put(55, p.y, 'Saldo nach Belastung ')
    p.put(x, p.y, 'CHF ')
    p.money(x + p.wide('CHF '), p.y, cents(r, 900, 30000), '/saldo', right=False)
    p.date(330, p.y, day + datetime.timedelta(days=1), '/valuta', before='Valuta ')
    return p.done()


def rent(seed):
    p = Stranger(seed, 'rent', 'GB', dates=('%d/%m/%Y', '%d %b %Y', '%d-%m-%Y')).start()
    r, end = p.r, p.width - 45
    p.show(45, p.y + 4, 'Caxton Estates', '/landlord', kind='name', size=p.size * 1.4)
    p.put(end, p.y + 4, 'Rent statement', right=True, size=p.size * 1.2)
    p.y += 40
    p.show(45, p.y, p.people[0], '/tenant', kind='name')
    p.block(45, p.y + p.size * 1.3, p.place(), '/property')
    day = datetime.date(2025, r.randint(5, 12), r.randint(2, 12))
    p.fields(330, [('Tenancy ref.', p.code('T/#####'), '/tenancy_reference', None, 'id'), ('Statement date', p.day(day), '/statement_date', day.isoformat(), 'date')], gap=85)
    p.y += 34
    monthly = float(r.randint(600, 1400))
    balance = opening = r.choice((0.0, monthly, cents(r, 10, 300)))
    rows = []
    for month in range(day.month - 4, day.month):
        for when, name, charge, paid in ((datetime.date(2025, month, 1), 'Rent', monthly, None), (datetime.date(2025, month, r.randint(2, 9)), r.choice(('Standing order', 'Bank transfer')), None,
                                                                                                      monthly if r.random() < 0.7 else cents(r, 200, monthly))):
            balance = round(balance + (charge or 0) - (paid or 0), 2)
            rows.append({'date': (p.day(when), when.isoformat()), 'details': name, 'charge': (charge and p.number(charge), charge), 'paid': (paid and p.number(paid), paid),
                         'balance': (p.number(balance), balance)})
    p.put(125, p.y, 'Balance brought forward')
    p.money(end, p.y, opening, '/opening_balance')
    p.y += p.size * 2.5
    p.types.update({'/entries/*/charge': 'number', '/entries/*/paid': 'number'})
    p.table('/entries', [('date', 'Date', 45, False), ('details', 'Details', 125, False), ('charge', 'Charge', 340, True), ('paid', 'Paid', 440, True), ('balance', 'Balance', end, True)], rows,
            kinds=kinds_of(charge='amount', paid='amount', balance='amount', date='date'))
    p.y += 8
    x = p.put(45, p.y, 'Amount outstanding at the date of this statement: ')
    p.money(x, p.y, balance, '/outstanding', 'sign', right=False)
    p.y += p.size * 2
    x = p.put(45, p.y, 'Your rent will change to ')
    x = p.money(x, p.y, monthly + 35, None, 'sign', right=False)
    x = p.put(x, p.y, ' from ')
    p.date(x, p.y, datetime.date(2026, 4, 1))
    return p.done()


def school(seed):
    p = Stranger(seed, 'school', 'GB', dates=('%d %B %Y', '%d/%m/%Y')).start()
    r, end = p.r, p.width - 50
    day = p.some_day()
    p.show((p.width - p.wide('Chapel Row Academy', p.size * 1.5)) / 2, p.y + 4, 'Chapel Row Academy', '/school', kind='name', size=p.size * 1.5)
    where = p.elsewhere()
    p.put((p.width - p.wide(where)) / 2, p.y + 4 + p.size * 1.5, where)
    p.y += 46
    y = p.y
    p.fields(50, [('Pupil', p.people[0], '/pupil', None, 'name'), ('Form', p.code('1#@'), '/form', None, 'code'), ('Admission no.', p.code('00####'), '/admission_no', None, 'id')], gap=60)
    low, p.y = p.y, y
    present = r.randint(88, 99)
    p.fields(330, [('Form tutor', p.people[1], '/form_tutor', None, 'name'), ('Term', r.choice(('Autumn 2024', 'Spring 2025')), '/term', None, 'code'), ('Date', p.day(day), '/date', day.isoformat(), 'date')], gap=70)
    p.y = max(low, p.y) + 16
    rows = []
    for name in r.sample(('Mathematics', 'English', 'Biology', 'Chemistry', 'History', 'French', 'Art', 'Computing', 'Music'), r.randint(4, 8)):
        rows.append({'subject': name, 'teacher': r.choice(p.people), 'attainment': r.choice('A B C D'.split()), 'effort': (lambda v: (str(v), v))(r.randint(1, 5)), 'exam': (lambda v: (str(v), v))(r.randint(31, 98))})
    p.table('/subjects', [('subject', 'Subject', 50, False), ('teacher', 'Teacher', 150, False), ('attainment', 'Attainment', 300, False), ('effort', 'Effort', 420, True), ('exam', 'Exam', end, True)], rows,
            kinds=kinds_of(attainment='code'))
    p.y += 10
    x = p.put(50, p.y, 'Attendance: ')
    p.show(x, p.y, str(present), '/attendance', present, 'rate', after='%')
    x = p.put(200, p.y, 'Days absent: ')
    absent = r.randint(0, 9)
    p.show(x, p.y, str(absent), '/days_absent', absent)
    p.y += p.size * 2
    x = p.put(50, p.y, 'Next parents’ evening: ')
    p.date(x, p.y, day + datetime.timedelta(days=r.randint(10, 50)))
    p.put(50, p.y + p.size * 3, p.people[2])
    p.put(50, p.y + p.size * 4.3, 'Head teacher')
    p.distract('name', p.people[2])
    return p.done()


def members(seed):
    """One table in two halves side by side."""
    p = Stranger(seed, 'members', 'GB', dates=('%d/%m/%Y', '%Y', '%d.%m.%y')).start()
    if p.date_how == '%Y':
        p.date_how = '%d/%m/%Y'
    r = p.r
    day = p.some_day()
    p.show(45, p.y + 4, r.choice(('Albion Rowing Club', 'Truro Choral Society', 'Hexham Allotment Association')), '/club', kind='name', size=p.size * 1.4)
    p.y += 24
    x = p.put(45, p.y, 'Members at ')
    p.date(x, p.y, day, '/date')
    p.y += 24
    n = r.randint(12, 70)
    first, last = 'Ann,Bob,Clara,Dev,Ella,Finn,Gwen,Hugh,Iris,Jack,Kate,Liam,Mona,Nils,Olga'.split(','), 'Archer,Barton,Clegg,Dawson,Eames,Frost,Gill,Hobbs,Irwin,Jarvis,Keane,Lowe,Mason,Nunn,Pike'.split(',')
    rows = []
    numbers = sorted(r.sample(range(100, 2600), n))
    for number in numbers:
        joined = datetime.date(r.randint(1988, 2025), r.randint(1, 12), r.randint(1, 28))
        paid = r.choice((25.0, 40.0, 12.5))
        rows.append({'number': p.number(number, 0).replace(',', ''), 'name': '%s %s' % (r.choice(first), r.choice(last)), 'joined': (p.day(joined), joined.isoformat()), 'fee': (p.number(paid), paid)})
    half, top = (n + 1) // 2, p.y
    if half * p.size * 1.45 > p.height - 120 - p.y:
        rows, n = rows[:64], min(n, 64)
        half = (n + 1) // 2
    low = p.y
    for x, a, b in ((45, 0, half), (320, half, n)):
        p.y = top
        p.table('/members', [('number', 'No.', x, False), ('name', 'Name', x + 40, False), ('joined', 'Joined', x + 130, False), ('fee', 'Fee', x + 225, True)], rows[a:b], step=1.45, start=a,
                kinds=kinds_of(number='id', name='name', joined='date', fee='amount'))
        low = max(low, p.y)
    p.y = low + 4
    x = p.put(45, p.y, 'Number of members: ')
    p.show(x, p.y, str(n), '/count', n)
    x = p.put(320, p.y, 'Fees in all: ')
    p.money(x, p.y, round(sum(row['fee'][1] for row in rows), 2), '/fees_total', 'sign', right=False)
    return p.done()


def stock(seed):
    """Several pages with row numbers and the heads on each."""
    p = Stranger(seed, 'stock', 'GB', money=('1,234.56',), dates=('%d/%m/%Y', '%d %b %Y'))
    r, end = p.r, papers.A4[0] - 40
    day = p.some_day()
    where = r.choice(('Depot North', 'Warehouse 3', 'Main store'))

    def page():
        p.start()
        first = p.n_page == 1
        x = p.put(40, p.y, 'Stock list: ')
        p.show(x, p.y, where, '/warehouse', kind='text', more=not first)
        p.date(300, p.y, day, '/counted_on', before='Counted on ', more=not first)
        p.put(end, p.y, 'Page %d' % p.n_page, right=True)
        p.y += p.size * 2.4

    page()
    rows = []
    for i in range(r.choice((38, 90, 130))):
        held, price = r.choice((r.randint(1, 999), r.randint(1000, 9000))), cents(r, 0.2, 40)
        kept = r.randint(0, held // 2)
        rows.append({'#': str(i + 1), 'code': p.code('@@####'), 'item': r.choice(GOODS['en'].split(',')), 'bin': p.code('@##'), 'on_hand': (p.number(held, 0), held), 'reserved': (p.number(kept, 0), kept),
                     'value': (p.number(round(held * price, 2)), round(held * price, 2))})
    p.table('/items', [(None, '#', 60, True), ('code', 'Code', 75, False), ('item', 'Item', 135, False), ('bin', 'Bin', 275, False), ('on_hand', 'On hand', 370, True), ('reserved', 'Reserved', 450, True),
                       ('value', 'Value £', end, True)], rows, step=1.45, on_full=page, kinds=kinds_of(value='amount', code='id', bin='code'))
    p.put(275, p.y + 6, 'Total value')
    p.money(end, p.y + 6, round(sum(row['value'][1] for row in rows), 2), '/total_value')
    p.labelled.append('/total_value')
    return p.done()


KINDS = {'utility': utility, 'hotel': hotel, 'freight': freight, 'calls': calls, 'garage': garage, 'pharmacy': pharmacy, 'subscription': subscription, 'till': till,
         'dutch': dutch, 'polish': polish, 'italian': italian, 'spanish': spanish, 'portuguese': portuguese, 'swedish': swedish, 'turkish': turkish, 'hebrew': hebrew,
         'card': card, 'payslip': payslip, 'customs': customs, 'order': order, 'assessment': assessment, 'lab': lab, 'delivery': delivery, 'timesheet': timesheet,
         'tender': tender, 'insurance': insurance, 'donation': donation, 'fees': fees, 'rent': rent, 'school': school, 'members': members, 'stock': stock}
NOT_SCANNED = 'hebrew',      # no model of Tesseract's on every machine reads it
