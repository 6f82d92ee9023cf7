"""The generator: receipts and text pages with their answers, all from one seed.

Every batch shares one layout size, one schema and one number of items, so that nothing is padded
much.  Words are split by a hash: training never sees the words that evaluation is built from.
"""
import random
import zlib
from collections import namedtuple

import numpy as np

import schema as S
from page import CLASS, FONTS, UNSEEN_FONTS, Page, face, face_for, family, fit, scan, TOKEN
from vocab import IM_END, V

# marks: what the scan did to the page, and the family of its main font
Sample = namedtuple('Sample', 'image shown ids where cells truth marks')
# kind: receipt or page; count: items or lines; held: words and seeds of evaluation; absent: share of missing fields; soft: share of pages that look scaled down
Spec = namedtuple('Spec', 'kind w h count fields held fonts absent hard soft', defaults=(False, None, 0.12, 1.0, 0.0))

UP, LO, DG = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz', '0123456789'
PUNCT = '.,:;-/#&()%$+*!?@\'='
CONS, VOW = 'bcdfghjklmnprstvwz', 'aeiou'
PRODUCTS = ('Milk Bread Butter Eggs Cheese Yogurt Apple Banana Orange Lemon Tomato Potato Onion Carrot Rice Pasta Flour '
            'Sugar Salt Pepper Coffee Tea Juice Water Cola Beer Wine Soap Shampoo Towel Paper Pen Pencil Notebook '
            'Battery Lamp Cable Mouse Candle Honey Jam Chicken Beef Pork Fish Salmon Tuna Shrimp Ham Bacon Sausage '
            'Pizza Soup Salad Cereal Cookie Cake Muffin Bagel Donut Chips Nuts Raisins Beans Corn Peas Spinach Garlic '
            'Ginger Basil Oil Vinegar Mustard Ketchup Mayo Sauce Olives Pickles Tofu').split()
ADJECTIVES = 'Fresh Organic Large Small Red Green White Dark Hot Iced Mini Extra Soft Dry Sweet Plain Light Double'.split()
SHOPS = 'MARKET CAFE STORE SHOP BAKERY DELI BISTRO GROCERY FOODS PHARMACY BOOKS HARDWARE KIOSK DINER'.split()
MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split()
CODES, SIGNS = ('EUR', 'USD', 'GBP', 'CHF'), {'$': 'USD', '€': 'EUR', '£': 'GBP'}
COMMON = ('the of and to in is for on that with as are be this from or have an by not but at which you we our all '
          'please thank number order date total sum price paid cash card change open daily street road').split()


def made_up(r, held, syllables=0):
    """A pronounceable word of the wanted side of the split (one word in eight is held out)."""
    while True:
        w = ''.join(r.choice(CONS) + r.choice(VOW) for _ in range(syllables or r.randint(2, 4)))
        w += r.choice(CONS) if r.random() < 0.4 else ''
        if (zlib.crc32(w.encode()) % 8 == 0) == held:
            return w


def any_word(r, held):
    if not held and r.random() < 0.07:                  # rare characters, seen more often than they are asked for
        return ''.join(r.choice(UP + LO + DG + 2 * PUNCT) for _ in range(r.randint(1, 6)))
    k = r.random()
    if k < 0.22:
        return ''.join(r.choice(DG) for _ in range(r.randint(1, 6)))
    if k < 0.34:
        return '%d.%02d' % (r.randint(0, 999), r.randint(0, 99))
    if k < 0.44:
        return ''.join(r.choice(UP) for _ in range(r.randint(1, 7)))
    if k < 0.56:
        return made_up(r, held).capitalize()
    if k < 0.66:
        return made_up(r, held)
    if k < 0.80:
        return r.choice(COMMON)
    if k < 0.90:
        return r.choice(PRODUCTS)
    if k < 0.95:
        return ''.join(r.choice(UP + LO + DG) for _ in range(r.randint(1, 6)))
    return ''.join(r.choice(UP + LO + DG + PUNCT) for _ in range(r.randint(1, 5)))


class Answer:
    """The answer's tokens; each value token knows the place of its character on the page."""

    def __init__(self, split_quotes):
        self.ids, self.src, self.pending, self.split = [], [], '', split_quotes

    def structure(self, text):
        self.pending += text

    def value(self, text, places, quoted=True):
        if quoted:
            self.pending += '"'
        self._flush()
        for i, c in enumerate(text):
            for b in V.value(c):
                self.ids.append(b)
                self.src.append(places[i] if places else None)
        if quoted:
            self.pending = '"'

    def _flush(self):
        # An engine that forces `":` before it lets the model choose between a quote and null gives
        # the model a split piece; a share of the documents is trained that way.
        text, tail = self.pending, ''
        if self.split and text.endswith('":"'):
            text, tail = text[:-1], '"'
        ids = V.encode(text) + V.encode(tail)
        self.ids += ids
        self.src += [None] * len(ids)
        self.pending = ''

    def finish(self):
        self._flush()
        self.ids.append(IM_END)
        self.src.append(None)


def write(ans, fields, facts):
    """Appends the JSON object of `facts` (kind -> (text, places) or list) and returns it as text values."""
    truth = {}
    for i, f in enumerate(fields):
        ans.structure(('{"' if i == 0 else ',"') + f.key + '":')
        got = facts.get(f.kind)
        if f.type == '[':
            ans.structure('[')
            truth[f.key] = []
            for j, item in enumerate(got or []):
                ans.structure(',' if j else '')
                truth[f.key].append(write(ans, f.children, item))
            ans.structure(']')
        elif f.type == '[s':
            ans.structure('[')
            truth[f.key] = []
            for j, (text, places) in enumerate(got or []):
                ans.structure(',' if j else '')
                ans.value(text, places)
                truth[f.key].append(text)
            ans.structure(']')
        elif got is None:
            ans.structure('null')
            truth[f.key] = None
        else:
            ans.value(got[0], got[1], f.type in 'sd')
            truth[f.key] = got[0]
    ans.structure('}')
    return truth


def text_page(r, spec, fonts):
    p = Page(spec.w, spec.h, r.randint(0, 70), spec.soft > 0 and r.random() < spec.soft)
    path = r.choice(fonts)
    p.marks = [family(path)]
    xh = r.uniform(8, 10.6)
    f = face_for(path, xh)
    lines = []
    room = (spec.h - 14) / max(1, spec.count)
    pitch = min(f.size * r.uniform(1.15, 1.6), max(room, f.size * 1.1))
    y = r.randint(f.size, f.size + int(max(4, spec.h - spec.count * pitch - 8)) // (2 if r.random() < .7 else 1))
    while len(lines) < spec.count and y < spec.h - f.size * 0.3:
        g = face_for(r.choice(fonts), xh) if r.random() < 0.15 else f
        x, s = r.randint(3, 24), ''
        for _ in range(9):
            t = s + (' ' if s else '') + any_word(r, spec.held)
            if x + g.width(t) > spec.w - 4:
                break
            s = t
            if r.random() < 0.15:
                break
        if not s:
            continue
        lines.append((s, p.text(x, y, s, g)))
        y += pitch * (1 if r.random() < 0.9 else 1.3)
    return p, {'lines': lines}


def date_forms(r, p, x, y, f, limit):
    """Draws a date in one of five written forms; returns ISO text and the places of its characters."""
    yy, m, d = r.randint(1998, 2029), r.randint(1, 12), r.randint(1, 28)
    iso, form = '%04d-%02d-%02d' % (yy, m, d), r.randint(0, 4)
    day = '%02d' % d if r.random() < 0.7 else str(d)
    if form == 0:
        s, iy, im, jd = iso, 0, (5, 6), (8, 9)
    elif form in (1, 2):
        sep = '/.'[form - 1]
        s, iy, im, jd = '%02d%s%02d%s%04d' % (d, sep, m, sep, yy), 6, (3, 4), (0, 1)
    elif form == 3:
        s, n = '%s %s %04d' % (day, MONTHS[m - 1], yy), len(day)
        iy, im, jd = n + 5, (n + 1, n + 2), (0, n - 1)
    else:
        s, n = '%s %s, %04d' % (MONTHS[m - 1], day, yy), len(day)
        iy, im, jd = n + 6, (0, 1), (4, 3 + n)
    pre, post = r.choice(['', '', 'Date: ', 'DATE ']), r.choice(['', '', ' %02d:%02d' % (r.randint(0, 23), r.randint(0, 59))])
    if f.width(pre + s + post) > limit:
        pre = post = ''
    q = p.text(x(f.width(pre + s + post)), y, pre + s + post, f)[len(pre):]
    return iso, q[iy:iy + 4] + [q[im[0]], q[im[0]], q[im[1]], q[jd[0]], q[jd[0]], q[jd[1]]]


def cents_of(r):
    return r.randint(5, 4999) if r.random() < 0.8 else r.randint(5000, 29999)


def receipt(r, spec, fonts):
    p = Page(spec.w, spec.h, r.randint(0, 70), spec.soft > 0 and r.random() < spec.soft)
    absent = lambda k=1.0: r.random() < spec.absent * k
    path = r.choice(fonts)
    p.marks = [family(path)]
    f = face_for(path, r.uniform(8, 9.6) if spec.w < 300 else r.uniform(8, 10.6))
    sz = f.size
    lm, rm = r.randint(4, 14), spec.w - r.randint(4, 12)
    facts = {'items': []}
    centre = r.random() < 0.65
    place = lambda w: int((spec.w - w) / 2) if centre else lm
    # Everything that must fit decides the line pitch; extra lines only where there is room.
    need = spec.count + 3
    pitch = sz * r.uniform(1.15, 1.5)
    spare = int((spec.h - 10) / pitch) - need
    if spare < 0:
        pitch, spare = max(sz * 1.05, (spec.h - 10) / need), 0
    y = sz + 2 + r.randint(0, 6)

    def extra(text, chance, x=None):
        nonlocal y, spare
        if spare > 0 and r.random() < chance and f.width(text) < rm - lm:
            p.text(place(f.width(text)) if x is None else x, y, text, f)
            y += pitch
            spare -= 1

    held = spec.held
    extra(r.choice(['RECEIPT', 'Receipt', 'SALE', 'Invoice', 'CASH RECEIPT', '* * *']), 0.12)
    if not absent(0.7):
        big = face(path if r.random() < 0.6 else r.choice(fonts), sz + r.randint(0, 4))
        while True:
            k = r.random()
            m = made_up(r, held) if k < 0.5 else made_up(r, held, 2) + r.choice([' & ', ' ']) + made_up(r, held, 2)
            m = m.title() if r.random() < 0.5 else m.upper()
            if r.random() < 0.6:
                m += ' ' + (r.choice(SHOPS) if r.random() < 0.6 else r.choice(SHOPS).title())
            if big.width(m) < rm - lm:
                break
            big = f
        facts['merchant'] = (m, p.text(place(big.width(m)), y, m, big))
        y += pitch * 1.15
    for _ in range(2):
        extra(r.choice(['%d %s St' % (r.randint(1, 999), made_up(r, held).title()), 'Tel %03d-%04d' % (r.randint(0, 999), r.randint(0, 9999)),
                        'No. %05d' % r.randint(0, 99999), '%s %05d' % (made_up(r, held).title(), r.randint(0, 99999))]), 0.35)
    if not absent():
        facts['date'] = date_forms(r, p, place if r.random() < .5 else (lambda w: lm), y, f, rm - lm)
        y += pitch * (1.2 if spare else 1)
    if r.random() < 0.4:
        p.rule(lm, rm, y - sz * 0.85, r.choice([0, 3]))
        y += 2

    code = None if absent(2) else r.choice(CODES)
    sign = next((s for s, c in SIGNS.items() if c == code), None) if r.random() < 0.6 else None
    on_items = bool(sign) and r.random() < 0.4
    comma = r.random() < 0.2
    shown = lambda c: ('%d.%02d' % (c // 100, c % 100)).replace('.', ',' if comma else '.')

    def amount(cents, right, y, g, mark):
        """Right-aligned amount; returns the fact and the place of the currency mark."""
        t = shown(cents)
        front = mark if mark and len(mark) == 1 and not comma else (mark + ' ' if mark and sum_front else '')
        back = (' ' + mark) if mark and not front else ''
        q = p.text(int(right - g.width(front + t + back)), y, front + t + back, g)
        at = q[len(front):len(front) + len(t)]
        mq = q[:len(mark)] if front else q[-len(mark):] if back else None
        return (t.replace(',', '.'), at), mq

    sum_front = r.random() < 0.5
    style, n = r.randint(0, 4), spec.count
    if style == 4 and not spare:
        style = r.randint(0, 3)
    total = 0
    for _ in range(n):
        for attempt in range(30):
            k = r.random()
            if k < 0.35:
                name = r.choice(PRODUCTS)
            elif k < 0.5:
                name = r.choice(ADJECTIVES) + ' ' + r.choice(PRODUCTS)
            elif k < 0.85 or style > 2:                  # a number after a name would be ambiguous there
                name = made_up(r, held).title()
            else:
                name = made_up(r, held, 2).title() + ' ' + str(r.randint(1, 99))
            if attempt > 20:
                name = made_up(r, held, 2).title()
            if r.random() < 0.25:
                name = name.upper()
            qty, cents = (1 if r.random() < 0.4 else r.randint(2, 12)), cents_of(r)
            form, at, qt = [('%d %s', 1, 0), ('%dx %s', 2, 0), ('%s x%d', 0, 2), ('%s', 0, None), ('%s %d', 0, 1)][style]
            q = str(qty)
            left = form % ((qty, name) if style < 2 else (name,) if style == 3 else (name, qty))
            if f.width(left + '  ' + (sign or '') * on_items + shown(cents)) < rm - lm - 4:
                break
        at = len(q) + at if style < 2 else 0
        qt = {0: 0, 1: 0, 2: len(name) + 2, 3: None, 4: len(name) + 1}[style]
        ls = p.text(lm, y, left, f)
        price, _ = amount(cents, rm, y, f, sign if on_items else None)
        item = {'name': (name, ls[at:at + len(name)]), 'price': price}
        if qt is not None:
            item['quantity'] = (q, ls[qt:qt + len(q)])
        facts['items'].append(item)
        total += cents
        y += pitch
    if r.random() < 0.4:
        p.rule(lm, rm, y - sz * 0.85, r.choice([0, 3]))
        y += 2
    extra('Tax %d%%' % r.randint(5, 25), 0.1, lm)
    mark = sign if sign else code
    if not absent():
        g = f if r.random() < 0.6 else face(path, sz + r.randint(0, 2))
        label = r.choice(['TOTAL', 'Total', 'Total:', 'AMOUNT DUE', 'SUM', 'Grand Total', 'Amount', 'TO PAY'])
        if g.width(label + '   ' + (mark or '') + shown(total)) > rm - lm:
            g, label = f, 'SUM'
        p.text(lm, y, label, g)
        facts['total'], mq = amount(total, rm, y, g, mark)
        y += pitch
    else:
        mark, mq = (sign if on_items else None), None
    if mark:
        facts['currency'] = (code, mq if mq and len(mq) == 3 else [mq[0]] * 3 if mq else None)
    extra('%s %s' % (r.choice(['Cash', 'CARD', 'Paid', 'VISA']), shown(total + r.randint(0, 2000))), 0.2, lm)
    extra(r.choice(['Thank you!', 'THANK YOU', 'Please come again', 'Have a nice day', '%d' % r.randint(10**6, 10**9)]), 0.3)
    return p, facts


def sample(seed, spec):
    r = random.Random(seed)
    fonts = spec.fonts or FONTS
    if spec.count == 0:                                 # blank paper
        page, facts = Page(spec.w, spec.h), {}
    elif spec.kind == 'receipt':
        page, facts = receipt(r, spec, fonts)
    else:
        page, facts = text_page(r, spec, fonts)
    image, move, marks = scan(r, page, spec.hard)
    shown, move = fit(image, move)
    return finish(spec, image, shown, move, page.chars, page.xy, facts, marks + page.marks, r.random() < 0.25 and not spec.held)


def finish(spec, image, shown, move, chars, xy, facts, marks, split):
    """The sample of a picture on which `chars` stand at move(xy) and whose answer is in `facts`."""
    h, w = shown.shape
    ans = Answer(split)
    truth = write(ans, spec.fields, facts)
    ans.finish()
    gw, gh = w // TOKEN, h // TOKEN
    # Grid of cells, 4 rows of 8 per visual token, each holding the class of the character centred there.
    cells = np.zeros((gh * 4, gw * 8), np.int64)
    for c, (x, y) in zip(chars, move(xy)):
        i, j = int(y * 4 / TOKEN), int(x * 8 / TOKEN)
        if 0 <= i < cells.shape[0] and 0 <= j < cells.shape[1]:
            cells[i, j] = CLASS.get(c, 0)
    cells = cells.reshape(gh, 4, gw, 8).transpose(0, 2, 1, 3).reshape(gh * gw, 32)
    where = np.full(len(ans.ids), -1, np.int64)         # visual token * 32 + cell, per answer token
    known = [i for i, s in enumerate(ans.src) if s is not None]
    if known:
        q = move([ans.src[i] for i in known])
        x, y = (np.clip(q[:, 0], 0, w - 1) * 8 / TOKEN).astype(int), (np.clip(q[:, 1], 0, h - 1) * 4 / TOKEN).astype(int)
        where[known] = ((y // 4) * gw + x // 8) * 32 + (y % 4) * 8 + x % 8
    return Sample(image, shown, np.array(ans.ids, np.int64), where, cells, truth, marks)


def batch(seeds, spec):
    return stack([sample(s, spec) for s in seeds])


def stack(ss):
    """Stacked samples; answers padded with -1."""
    n = max(len(s.ids) for s in ss)
    ids, where = np.full((len(ss), n), -1, np.int64), np.full((len(ss), n), -1, np.int64)
    for i, s in enumerate(ss):
        ids[i, :len(s.ids)], where[i, :len(s.ids)] = s.ids, s.where
    return np.stack([s.shown for s in ss]), ids, where, np.stack([s.cells for s in ss]), [s.truth for s in ss]


if __name__ == '__main__':
    import json
    import sys
    import time
    from PIL import Image
    out = sys.argv[1] if len(sys.argv) > 1 else '.'
    for name, spec in [('receipt', Spec('receipt', 256, 192, 2, S.RECEIPT)), ('wide', Spec('receipt', 320, 320, 5, S.RECEIPT)),
                       ('small', Spec('receipt', 256, 160, 1, S.RECEIPT)), ('page', Spec('page', 256, 96, 3, S.PAGE)), ('unseen', Spec('receipt', 288, 256, 4, S.RENAMED, True, UNSEEN_FONTS))]:
        t = time.process_time()
        ss = [sample(i, spec) for i in range(200)]
        t = (time.process_time() - t) / 200
        print('%s: %.2f ms, answer %.0f tokens' % (name, t * 1e3, sum(len(s.ids) for s in ss) / 200))
        sheet = Image.new('L', (spec.w * 4, spec.h * 2))
        for i in range(8):
            sheet.paste(Image.fromarray(ss[i].image), (i % 4 * spec.w, i // 4 * spec.h))
            if i < 3:
                print(V.decode(ss[i].ids), json.dumps([V.tokens[t] for t in ss[i].ids[:14]], ensure_ascii=False) if i == 0 else '')
        sheet.save('%s/%s.png' % (out, name))
