#!/usr/bin/env python3
"""Where values stand: platen's boxes against papers whose words' boxes are known.

  evidence.py --platen build/platen [--papers 40] [--first 0] [--kind invoice] [--scans] [--keep DIR] [--show N] [--gate]

draws that many papers of each kind (papers.py), half of them with values that repeat, has platen read them with this
program as an endpoint that reads without fail, takes from the records where the values stand, and prints by kind, against boxes of the font and boxes of the ink:
  precision  of the values with one place, how many have a box with IoU 0.5 with a true one on its page
  recall     of the values that are printed
  wrong      of the values with one place, how many touch no true box
With --scans the papers are pictures alone, in grey, blurred, noisy and crooked, and the places come from OCR.
It also prints what verdicts the values have, which are right all of them, and by the confidence of their words.
With --gate it ends with 1 where F1 is below 0.97 or the share of wrong places is 0.01 or more (scans: 0.90, 0.02).
"""
import argparse
import collections
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import papers

F1_LEAST, WRONG_MOST = {False: 0.97, True: 0.90}, {False: 0.01, True: 0.02}


def iou(a, b):
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    shared = max(w, 0) * max(h, 0)
    return shared / (a[2] * a[3] + b[2] * b[3] - shared)


class Score:
    def __init__(self):
        self.n = collections.Counter()

    def add(self, true, places, which):
        """One value: its true boxes, and the places found."""
        n = self.n
        n['true'] += 1
        n['ambiguous'] += len(places) > 1
        if len(places) != 1:
            return len(places) > 1 and 'ambiguous' or 'missing'
        n['placed'] += 1
        best = max((iou(box, t['boxes'][which]) for box in places[0]['boxes'] for t in true if t['page'] == places[0]['page']), default=0)
        n['hit'] += best >= 0.5
        n['wrong'] += best == 0
        n['lines'] += len({(t['page'], round(t['boxes'][0][1], 4)) for t in true if t['page'] == places[0]['page']})
        return '' if best >= 0.5 else 'wrong' if best == 0 else 'loose'

    def values(self):
        n = self.n
        precision, recall = n['hit'] / max(n['placed'], 1), n['hit'] / max(n['true'], 1)
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        return precision, recall, f1, n['wrong'] / max(n['placed'], 1)

    def line(self, name):
        precision, recall, f1, wrong = self.values()
        return '%-18s %6d values  precision %6.2f %%  recall %6.2f %%  F1 %6.2f %%  wrong %5.2f %%  ambiguous %5.2f %%' % (
            name, self.n['true'], 100 * precision, 100 * recall, 100 * f1, 100 * wrong, 100 * self.n['ambiguous'] / max(self.n['true'], 1))


class Reader(http.server.BaseHTTPRequestHandler):
    """A chat-completions server that says what it was told to: server.said."""
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply({'object': 'list', 'data': [{'id': 'reader', 'object': 'model', 'max_model_len': 1 << 20}]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        said = self.server.of_page(body) if hasattr(self.server, 'of_page') else self.server.said
        self.reply({'id': 'reader', 'object': 'chat.completion', 'model': 'reader', 'usage': {'prompt_tokens': 1, 'completion_tokens': 1},
                    'choices': [{'index': 0, 'finish_reason': 'stop', 'message': {'role': 'assistant', 'content': said}}]})


class Platen:
    """Places as the record has them."""

    def __init__(self, program):
        self.program = program
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Reader)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def find(self, value, path, schema, scan):
        """The record's fields."""
        self.server.said = json.dumps(value, ensure_ascii=False)
        done = subprocess.run([self.program, 'extract', path, '--schema', schema, '--engine', 'endpoint', '--max-tokens', '100000',
                               '--endpoint', 'http://127.0.0.1:%d' % self.server.server_address[1]] +
                              (['--ocr', 'auto'] if scan else ['--deskew', 'no']), stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)['fields']

    @staticmethod
    def places(evidence):
        one = {'page': evidence[0]['page'], 'text': evidence[0]['text'], 'boxes': [e['box'] for e in evidence if 'box' in e]} if evidence else None
        return [] if not evidence else [one, one] if evidence[0]['match'] == 'ambiguous' else [one]


def leaf(value, pointer):
    for token in pointer.strip('/').split('/'):
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


class Verdicts:
    """Of values that are right, by kind of value and match."""

    def __init__(self):
        self.n = collections.Counter()

    def add(self, value, field):
        evidence = field.get('evidence') or [{}]
        what = 'figures' if isinstance(value, (int, float)) or any(c.isdigit() for c in str(value)) else 'words'
        sure = min(e.get('confidence', 1) for e in evidence)
        self.n[what, field.get('verdict', '-'), evidence[0].get('match', '-'), 'sure' if sure >= 0.8 else 'unsure'] += 1

    def print(self):
        for what in ('figures', 'words'):
            mine = {key[1:]: n for key, n in self.n.items() if key[0] == what}
            print('%s: %s' % (what, ', '.join('%s %.2f %%' % (' '.join(key), 100 * n / sum(mine.values()))
                                              for key, n in sorted(mine.items(), key=lambda item: -item[1]))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--platen', required=True)
    parser.add_argument('--papers', type=int, default=40)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--kind', choices=papers.KINDS, action='append')
    parser.add_argument('--scans', action='store_true')
    parser.add_argument('--keep')
    parser.add_argument('--show', type=int, default=0)
    parser.add_argument('--gate', action='store_true')
    args = parser.parse_args()
    finder = Platen(args.platen)
    scratch = args.keep or tempfile.mkdtemp(prefix='platen-evidence-')
    os.makedirs(scratch, exist_ok=True)
    scores, verdicts, shown = collections.defaultdict(Score), Verdicts(), 0
    for kind in args.kind or papers.KINDS:
        draw, schema = papers.KINDS[kind]
        for seed in range(args.first, args.first + args.papers):
            paper = draw(seed, twins=seed % 2 == 1)
            base = os.path.join(scratch, '%s-%d' % (kind, seed))
            with open(base + '.pdf', 'wb') as f:
                f.write(paper.finish())
            path, truth = base + '.pdf', paper.truth
            if args.scans:
                path, pages = papers.scan(path, base, seed)
                truth = papers.truth_of_scan(truth, pages)
            fields = finder.find(paper.value, path, os.path.join(papers.root, 'schemas', schema + '.schema.json'), args.scans)
            found = {pointer: finder.places(field.get('evidence', [])) for pointer, field in fields.items()}
            for pointer, true in truth.items():
                verdicts.add(leaf(paper.value, pointer), fields[pointer])
                for which, name in enumerate(('font', 'ink')):
                    fault = scores[kind, name].add(true, found.get(pointer, []), which)
                    scores['all', name].add(true, found.get(pointer, []), which)
                    if fault and shown < args.show:
                        shown += 1
                        print('    %s: %s %s %s: %r printed at %s, found %s' % (base, name, fault, pointer, leaf(paper.value, pointer), [
                            (t['page'], [round(v, 3) for v in t['boxes'][which]]) for t in true], [
                            (p['page'], p['text'], [[round(v, 3) for v in b] for b in p['boxes']]) for p in found.get(pointer, [])]))
            for name in {base + '.pdf', path} if not args.keep else ():
                os.remove(name)
    good = True
    for (kind, name), score in sorted(scores.items()):
        print(score.line('%s, %s' % (kind, name)))
        f1, wrong = score.values()[2:]
        good &= kind != 'all' or (f1 >= F1_LEAST[args.scans] and wrong < WRONG_MOST[args.scans])
    verdicts.print()
    if not args.keep:
        os.rmdir(scratch)
    sys.exit(args.gate and not good)


if __name__ == '__main__':
    main()
