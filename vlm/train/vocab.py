"""The tiny model's vocabulary: a small byte-level BPE that any `qwen35` tokeniser loads.

Structure (keys, punctuation, null, the chat frame) is merged so that it costs few tokens; values
are always single bytes, because the model copies them character by character from the page.  The
tables here are the ones written into the GGUF, and `encode` is the reference for the C tokeniser.
"""
import re

# GPT-2's order of byte symbols: printable bytes first, then the other 68 as U+0100 + k.
_PRINT = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
_REST = [b for b in range(256) if b not in set(_PRINT)]
BYTES = _PRINT + _REST
SYMBOL = {b: chr(b) for b in _PRINT}
SYMBOL.update({b: chr(256 + k) for k, b in enumerate(_REST)})
BYTE_ID = {b: i for i, b in enumerate(BYTES)}

# Field names the model knows, by the kind of value they ask for.  A renamed schema draws from these.
NAMES = {
    'merchant': ['merchant', 'store', 'shop', 'seller', 'vendor', 'supplier', 'retailer', 'company',
                 'business', 'issuer', 'payee', 'market', 'store_name', 'shop_name'],
    'date': ['date', 'day', 'issued', 'purchased', 'dated', 'bought', 'created', 'issue_date',
             'purchase_date', 'receipt_date'],
    'items': ['items', 'products', 'goods', 'articles', 'entries', 'purchases', 'rows', 'positions',
              'line_items'],
    'name': ['name', 'product', 'item', 'article', 'description', 'label', 'title', 'text', 'item_name'],
    'quantity': ['quantity', 'qty', 'count', 'units', 'pieces', 'number', 'item_count'],
    'price': ['price', 'cost', 'amount', 'value', 'charge', 'item_price', 'line_total'],
    'total': ['total', 'sum', 'due', 'payable', 'paid', 'grand_total', 'total_amount', 'total_due'],
    'currency': ['currency', 'iso', 'code', 'denomination', 'currency_code'],
    'lines': ['lines', 'transcript', 'content', 'paragraphs', 'text_lines'],
}
# Not used yet, but in the vocabulary so that later kinds of document do not change its size.
SPARE = ['invoice', 'buyer', 'customer', 'net', 'tax', 'vat', 'address', 'phone', 'email', 'time',
         'subtotal', 'discount', 'unit', 'payment', 'method', 'reference', 'id', 'page', 'order']

_PUNCT = ['{"', '":', '":"', '":[', '":[{', '":[{"', '":["', '":[]', '":[],', '":[],"', '":[]}', '":{"',
          ',"', '",', '","', '"}', '"},', '"},"', '"},{', '"},{"', '"}]', '"}],', '"}],"', '"}]}',
          '"]', '"],', '"],"', '"]}', '},', '},"', '},{', '},{"', '}]', '}],', '}],"', '}]}', ']}', '],', '],"',
          ':[{', ':[', ':s', ':d', ':n', ':i', ':b', ':e', '\n\n']

CONTROL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|vision_start|>', '<|vision_end|>', '<|image_pad|>']
THINK = ['<think>', '</think>']

# Letters, marks and digits as \w minus underscore stand in for \p{L}\p{M}\p{N}; only ASCII is tokenised here.
_PIECE = re.compile(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+[\r\n]*"
                    r"|\s*[\r\n]+|\s+(?!\S)|\s+")


class Vocab:
    def __init__(self):
        self.tokens = [SYMBOL[b] for b in BYTES]
        self.rank, self.merges = {}, []
        self.ids = {t: i for i, t in enumerate(self.tokens)}
        words = [w for names in NAMES.values() for n in names for w in n.split('_')]
        for piece in _PUNCT + ['null', 'true', 'false', 'user', 'assistant'] + words + SPARE:
            self._grow(piece)
        self.first_special = len(self.tokens)
        for t in CONTROL + THINK:
            self.ids[t] = len(self.tokens)
            self.tokens.append(t)
        self.used = len(self.tokens)
        # Q8_0 does not need it, but engines like embedding tables in whole blocks.
        while len(self.tokens) % 32:
            self.tokens.append('[PAD%d]' % len(self.tokens))
        self.types = [1] * self.first_special + [3] * len(CONTROL) + [4] * len(THINK)
        self.types += [5] * (len(self.tokens) - self.used)

    def _grow(self, piece):
        """Adds merges until `piece` is one token.  New merges rank last, so pieces that were
        complete before stay complete: their own merges always apply first."""
        parts = self._bpe(piece)
        while len(parts) > 1:
            a, b = parts[0], parts[1]
            self.rank[(a, b)] = len(self.merges)
            self.merges.append((a, b))
            if a + b not in self.ids:
                self.ids[a + b] = len(self.tokens)
                self.tokens.append(a + b)
            parts = self._bpe(piece)

    def _bpe(self, piece):
        parts = [SYMBOL[b] for b in piece.encode()]
        while len(parts) > 1:
            best = min(range(len(parts) - 1), key=lambda i: self.rank.get((parts[i], parts[i + 1]), 1 << 30))
            if (parts[best], parts[best + 1]) not in self.rank:
                break
            parts[best:best + 2] = [parts[best] + parts[best + 1]]
        return parts

    def encode(self, text):
        """Structure text to ids: pre-tokeniser, then BPE.  No special tokens."""
        return [self.ids[p] for piece in _PIECE.findall(text) for p in self._bpe(piece)]

    def value(self, text):
        """Value text to ids: one per byte."""
        return [BYTE_ID[b] for b in text.encode()]

    def decode(self, ids):
        inv = {s: b for b, s in SYMBOL.items()}
        out = bytearray()
        for i in ids:
            if i < self.first_special:
                out += bytes(inv[c] for c in self.tokens[i])
        return out.decode('utf-8', 'replace')


V = Vocab()
END, IM_START, IM_END, VIS_START, VIS_END, IMAGE = (V.ids[t] for t in CONTROL)
THINK_ON, THINK_OFF = (V.ids[t] for t in THINK)


def prompt(outline):
    """Token ids before and after the image.  The outline comes first: an engine reads the prefix
    once and forks it for every page of the same schema."""
    before = [IM_START] + V.encode('user\n') + V.encode(outline) + [VIS_START]
    after = [VIS_END, IM_END] + V.encode('\n') + [IM_START] + V.encode('assistant\n')
    after += [THINK_ON] + V.encode('\n\n') + [THINK_OFF] + V.encode('\n\n')
    return before, after


def words_prompt(outline):
    """Token ids before and after the words that stand for a picture (words.py)."""
    before, after = prompt(outline)
    return before[:-1] + V.encode('words:\n'), after[1:]


def chat_bytes(outline, images):
    return ('<|im_start|>user\n%s<|vision_start|>%s<|vision_end|><|im_end|>\n<|im_start|>assistant\n'
            '<think>\n\n</think>\n\n' % (outline, '<|image_pad|>' * images))


if __name__ == '__main__':
    print(len(V.tokens), 'tokens,', len(V.merges), 'merges,', V.used, 'used')
    for t in ['{merchant:s,date:d,items:[{name:s,quantity:i,price:n}],total:n,currency:s}', '{lines:[s]}',
              '{"merchant":"', '","purchase_date":"', '":null,"date":null,"items":[],"total":null,"currency":null}']:
        print(t, [V.tokens[i] for i in V.encode(t)])
