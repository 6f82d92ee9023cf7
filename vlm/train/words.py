"""Receipts as words instead of a picture: what a text layer or another reader has found, as an anchor in the prompt.

The prompt is the outline, the line `words:` and the lines of print from top to bottom, one byte a token:

  <|im_start|>user
  {merchant:s,total:n}words:
  PEN MARKET
  TOTAL<tab>EUR 12.00
  <|im_end|> ...as in vocab.prompt

With a picture, `<|vision_start|>...<|vision_end|>` stands between the outline and `words:`.  Pieces of a line that stand more than two
characters apart are parted by a tab, rules and leaders are left out, other spaces are single.  Text that is to be
copied is never merged to longer tokens: an engine makes these tokens byte by byte.

The answer's characters point at bytes of the prompt (`where`), which is taught as the place on a picture is.
"""
import random
from collections import namedtuple

import numpy as np

import docs
import real
import vocab

Words = namedtuple('Words', 'text ids where truth')
# What a reader takes a character for, now and then.
MISREAD = {'0': 'O8', 'O': '0', '1': 'lI', 'l': '1I', 'I': 'l1', '5': 'S', 'S': '5', '8': 'B', 'B': '8', 'Z': '2', 'e': 'c', 'a': 'o', '.': ',', ',': '.', ':': '.;', 'm': 'rn'}


def sample(seed, spec):
    r = random.Random(seed * 17 + 3)
    noisy = r.random() < 0.4
    text, facts, items = '', {}, []
    for row in real.slip(r, spec):
        if row[0].at == 'rule':
            continue
        parts = row if r.random() < 0.9 else row[:1] + [p for p in row[1:] if p.facts]
        line = []
        for part in parts:
            shown = ''.join(r.choice(MISREAD[c])[0] if noisy and r.random() < 0.02 and c in MISREAD else c for c in part.text)
            shown, spots = real.without_leaders(shown, list(range(len(shown))))
            line.append((part, shown.rstrip(), spots))
        for i, (part, shown, spots) in enumerate(line):
            text += ('\t' if r.random() < 0.9 else ' ') if i else ''
            at = {s: len((text + shown[:j]).encode()) for j, s in enumerate(spots[:len(shown)])}
            for key, value, where in part.facts:
                if key is None or any(k not in at for k in where):
                    continue
                # A value that is not the print itself stays what it means, misread or not.
                fact = (''.join(shown[spots.index(k)] for k in where) if value is None else value, [at[k] for k in where])
                if isinstance(key, tuple):
                    while len(items) <= key[1]:
                        items.append({})
                    items[key[1]][key[2]] = fact
                else:
                    facts[key] = fact
            text += shown
        text += '\n'
    ans = docs.Answer(r.random() < 0.25 and not spec.held)
    truth = docs.write(ans, spec.fields, dict(facts, items=items))
    ans.finish()
    where = np.array([-1 if s is None else s for s in ans.src], np.int64)
    return Words(np.array(vocab.V.value(text), np.int64), np.array(ans.ids, np.int64), where, truth)


def batch(seeds, spec):
    """Stacked samples: words padded with line ends, answers with -1."""
    ss = [sample(s, spec) for s in seeds]
    text = np.full((len(ss), max(len(s.text) for s in ss)), vocab.BYTE_ID[10], np.int64)
    ids, where = np.full((2, len(ss), max(len(s.ids) for s in ss)), -1, np.int64)
    for i, s in enumerate(ss):
        text[i, :len(s.text)], ids[i, :len(s.ids)], where[i, :len(s.ids)] = s.text, s.ids, s.where
    return text, ids, where, np.zeros(0, np.int64), [s.truth for s in ss]


if __name__ == '__main__':
    import time
    import schema
    t = time.process_time()
    ss = [sample(i, docs.Spec('words', 0, 0, 24, schema.RECEIPT)) for i in range(500)]
    print('%.2f ms, %.0f words bytes, answer %.0f tokens' % ((time.process_time() - t) * 2, sum(len(s.text) for s in ss) / 500, sum(len(s.ids) for s in ss) / 500))
    print(vocab.V.decode(ss[3].text), vocab.V.decode(ss[3].ids), sep='\n')
