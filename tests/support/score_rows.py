"""Compares a record's rows with what statements.py drew.

  score_rows.py RECORD.json TRUTH.json [--recall 0.995] [--precision 1] [--named] [--misread] [--no-gaps] [--blind] [--unchecked] [--array NAME]

prints a line an array: rows drawn, rows of the record, found (the longest common sequence: right in every value and in order),
extra (in the record, but of no row), astray (right, but out of order), missing, and how many of these a gap names; and the
scalars that are right. A row is named by a gap of its page with the words of one of its lines. Ends with 1
where recall or precision is less than asked for, a right row stands out of order, with --named a missing row is not named,
or with --no-gaps a gap names what is not missing. With --misread a row with one wrong value, or one that is null, is neither extra nor missing;
but a wrong value must be flagged. --array: of that array alone. With --blind (no text tells which pages to ask)
a scalar may be null that stands on neither the first page nor the last. With --unchecked no text of any page is known: each must
have a gap that says so, with no fewer lines than the lines of rows that were drawn, and the record must be flagged for review.
"""
import argparse
import bisect
import collections
import json
import sys
from decimal import Decimal

ALIKE = 0.8                 # of a line's words make it the same line


def key(values):
    """Of a row, or of an element of an array of scalars."""
    return tuple(sorted(values.items() if isinstance(values, dict) and len(values) > 1 else
                        enumerate(values.values() if isinstance(values, dict) else [values])))


def common(truth, got):
    """Indices into truth and got of a longest common sequence."""
    places = collections.defaultdict(list)
    for i, k in enumerate(truth):
        places[k].append(i)
    tails, nodes = [], []           # least end of a sequence of each length; the sequence that ends there
    for j, k in enumerate(got):
        for i in reversed(places.get(k, ())):
            at = bisect.bisect_left(tails, i)
            node = (i, j, nodes[at - 1] if at else None)
            if at == len(tails):
                tails.append(i)
                nodes.append(node)
            else:
                tails[at], nodes[at] = i, node
    out, node = [], nodes[-1] if nodes else None
    while node:
        out.append(node[:2])
        node = node[2]
    return out[::-1]


def names(gap, line):
    words, have = collections.Counter(line['text'].split()), collections.Counter(gap['text'].split())
    return gap['page'] == line['page'] and (not have or sum((words & have).values()) >= ALIKE * sum(words.values()))


def are_unchecked(record, truth, gaps):
    """Whether each page has such a gap and no other, and the record is flagged; with what is wrong."""
    lines = collections.Counter(dict((line['id'], line['page']) for rows in truth['arrays'].values() for row in rows
                                     for line in row['lines']).values())
    pages = [page['page'] for page in truth['pages']]
    if [gap['page'] for gap in gaps] != pages or not all(gap.get('unchecked') for gap in gaps):
        return 'unchecked are pages %s of %d' % ([gap['page'] for gap in gaps], len(pages))
    few = [gap for gap in gaps if gap['lines'] < lines[gap['page']] or len(pages) == 1 and 'rows' not in gap]
    return 'fewer lines than were drawn: %s' % few[0] if few else '' if record['review'] else 'the record is not flagged'


class Score:
    def __init__(self, truth, got, gaps, is_flagged=None):
        """`gaps` loses those that name a missing row. is_flagged(row, name): given where rows with one wrong value count as read."""
        keys, have = [key(row['values']) for row in truth], [key(row) for row in got]
        both = common(keys, have)
        self.drawn, self.given, self.found = len(keys), len(have), len(both)
        right = sum((collections.Counter(keys) & collections.Counter(have)).values())
        self.extra, self.astray = len(have) - right, right - len(both)
        found = {i for i, _ in both}
        lost = [i for i in range(len(keys)) if i not in found]
        self.misread = 0
        if is_flagged:
            self.leave_misread(truth, got, lost, set(range(len(have))) - {j for _, j in both}, is_flagged)
        self.missing, self.named, self.unnamed = len(lost), 0, []
        alike = collections.defaultdict(list)
        for i, k in enumerate(keys):
            alike[k].append(i)
        for i in lost:
            # of rows that are the same in every value, nobody can say which is missing
            lines = [line for same in alike[keys[i]] for line in truth[same]['lines']]
            gap = next((gap for line in lines for gap in gaps if names(gap, line)), None)
            if gap:
                gaps.remove(gap)
                self.named += 1
            else:
                self.unnamed.append(i)

    def leave_misread(self, truth, got, lost, extra, is_flagged):
        """Takes rows out of `lost` that were given with one wrong value."""
        for i in list(lost):
            own = truth[i]['values']
            for j in sorted(extra):
                wrong = [name for name in own if got[j].get(name) != own[name]] if isinstance(own, dict) and isinstance(got[j], dict) else []
                if len(wrong) == 1 and len(own) > 2 and (got[j].get(wrong[0]) is None or is_flagged(j, wrong[0])):
                    lost.remove(i)
                    extra.remove(j)
                    self.misread, self.extra = self.misread + 1, self.extra - 1
                    break

    def line(self):
        return 'drawn %d, given %d, found %d, extra %d, astray %d, missing %d, named %d%s' % (
            self.drawn, self.given, self.found, self.extra, self.astray, self.missing, self.named, ', misread %d' % self.misread if self.misread else '')

    def holds(self, args):
        return (self.found >= args.recall * self.drawn and self.given - self.extra >= args.precision * self.given and
                not self.astray and not (args.named and self.unnamed))


def load(path):
    with open(path) as f:
        return json.load(f, parse_float=lambda text: Decimal(text).normalize(), parse_int=Decimal)


def is_at_edge(truth, scalar):
    """Whether it stands on the first page or the last."""
    pages = [page['id'] for page in truth['pages']]
    at = [bisect.bisect_right(pages, code) for code in scalar['ids']]
    return not at or min(at) == 1 or max(at) == len(pages)


def is_right(got, truth, scalar, blind):
    return got == scalar['value'] or blind and got is None and not is_at_edge(truth, scalar)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('record')
    parser.add_argument('truth')
    parser.add_argument('--recall', type=float, default=1)
    parser.add_argument('--precision', type=float, default=1)
    parser.add_argument('--named', action='store_true')
    parser.add_argument('--misread', action='store_true')
    parser.add_argument('--no-gaps', action='store_true')
    parser.add_argument('--blind', action='store_true')
    parser.add_argument('--unchecked', action='store_true')
    parser.add_argument('--array')
    args = parser.parse_args()
    record, truth = load(args.record), load(args.truth)
    gaps = [gap for gap in record.get('gaps') or [] if 'text' in gap]
    unchecked = [gap for gap in record.get('gaps') or [] if 'unchecked' in gap]
    wrong = are_unchecked(record, truth, unchecked) if args.unchecked else ''
    holds = not wrong and not (args.no_gaps and unchecked)
    for name, rows in truth['arrays'].items():
        if name not in record['data'] or args.array not in (None, name):
            continue
        def is_flagged(j, key, name=name):
            field = record['fields']['/%s/%d/%s' % (name, j, key)]
            return field.get('verdict') != 'agree' or field['confidence'] <= Decimal('0.5')
        score = Score(rows, record['data'][name], gaps, is_flagged if args.misread else None)
        holds &= score.holds(args)
        print('%s: %s' % (name, score.line()))
        for i in score.unnamed[:3]:
            print('    not given nor named: page %d: %s' % (rows[i]['page'], rows[i]['lines'][0]['text']))
    scalars = [name for name in truth['scalars'] if name in record['data']]
    right = sum(is_right(record['data'][name], truth, truth['scalars'][name], args.blind) for name in scalars)
    print('scalars: %d of %d; gaps besides: %d; pages unchecked: %d%s' % (right, len(scalars), len(gaps), len(unchecked), wrong and ': ' + wrong))
    for gap in gaps[:3]:
        print('    gap: page %s: %s' % (gap['page'], gap['text']))
    sys.exit(not (holds and right == len(scalars) and not (args.no_gaps and gaps)))


if __name__ == '__main__':
    main()
