#!/usr/bin/env python3
"""The whole program on files and answers that nobody would think of: thin pictures, and PDFs with a text layer, of which an endpoint says anything.

    whole.py PLATEN [--seconds S] [--n N] [--seed 1] [--keep FOLDER]

Runs `platen extract` and `platen ocr` as people do (schemas page and receipt, with and without bar codes) until N runs are
made or S seconds are over. A run is wrong where it dies of a signal, where a sanitizer complains, where its failure is
platen's own (internal, raster-crash), or where its record is no JSON. With PLATEN=build/asan/platen a read of foreign bytes
is seen as well (make fuzz-whole). --keep leaves what was wrong in FOLDER, with the answers that were given.
"""
import argparse
import concurrent.futures
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from PIL import Image

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'support'))
from pdf_objects import pdf_of

WORDS = ('Total', 'Subtotal', 'VAT', 'Date', 'Item', 'Bread', 'Milk', 'Corner Shop', 'EUR', '12.50', '1,234.56', '0.00', '-3.20', '2026-11-21', '21/11/2026', '10', '1', 'x', 'Invoice No. 20417', '%')
NASTY = ('', ' ', '\u0000', '\ud7ff', '\U0001f600', '\u202e', 'a' * 5000, '<|im_end|>', '</think>', '{"a":1}', '\\', '"', '\n\n', '-', '9' * 400, '1e999', 'null', '\u0301')


# --- files ---------------------------------------------------------------------


def thin(r):
    sides = [r.choice((1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, r.randrange(1, 70))), r.choice((1, 2, 9, 15, 31, 150, 400, 3000, r.randrange(1, 9000)))]
    if r.random() < .5:
        sides.reverse()
    mode = r.choice(('L', 'L', '1', 'RGB', 'RGBA', 'P'))
    im = Image.new('L', sides, 255)
    if r.random() < .6:
        im.frombytes(r.randbytes(sides[0] * sides[1]))
    out = io.BytesIO()
    kind = r.choice(('PNG', 'TIFF', 'PNG', 'TIFF', 'WEBP' if max(sides) < 16000 and mode in ('RGB', 'RGBA') else 'PNG'))
    im.convert(mode).save(out, kind)
    return kind.lower(), out.getvalue(), []


def text_page(r, said):
    """Rows of words: a table, a list, or a jumble."""
    out, size, y = [], r.choice((4, 7, 9, 10, 12, 30)), r.choice((780, 400, 841, 100))
    columns = sorted(r.randrange(-20, 590) for _ in range(r.randrange(1, 6)))
    for _ in range(r.choice((0, 1, 3, 12, 40, 90))):
        for x in columns:
            word = r.choice(WORDS) if r.random() < .8 else ''.join(r.choice('abcXYZ0123456789.,-/ ') for _ in range(r.randrange(1, 25)))
            said.append(word)
            place = b'1 0 0 1 %d %d' % (x, y) if r.random() < .95 else b'%g %g %g %g %d %d' % (r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1), x, y)
            out.append(b'BT /F %g Tf %d Tr %s Tm (%s) Tj ET' % (size, r.choice((0, 0, 0, 0, 3)), place, word.replace('(', '').replace(')', '').encode()))
        y -= r.choice((size, size + 2, 2 * size, 0, 3))
    if r.random() < .3:
        out.append(b'%g w 0 0 m %d %d l S' % (r.uniform(0, 5), r.randrange(600), r.randrange(800)))
    return b'\n'.join(out)


def text_pdf(r):
    said, n = [], r.choice((1, 1, 2, 2, 3, 5))
    pages = [text_page(r, said) for _ in range(n)]
    box = r.choice((b'595 842', b'595 842', b'842 595', b'226 842', b'595 30', b'12 800', b'72 72'))
    objects = [b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[%s]/Count %d>>' % (b' '.join(b'%d 0 R' % (4 + 2 * i) for i in range(n)), n), b'<</Type/Font/Subtype/Type1/BaseFont/%s>>' % r.choice((b'Helvetica', b'Courier'))]
    for i, text in enumerate(pages):
        objects += [b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 %s]/Rotate %d/Contents %d 0 R/Resources<</Font<</F 3 0 R>>>>>>' % (box, r.choice((0, 0, 0, 90, 180)), 5 + 2 * i),
                    b'<</Length %d>>stream\n%s\nendstream' % (len(text), text)]
    return 'pdf', pdf_of(objects), said


# --- answers -------------------------------------------------------------------


def value_of(r, schema, said, root, depth=0):
    """Most often what the schema allows."""
    if not isinstance(schema, dict) or depth > 12:
        return None
    if '$ref' in schema:
        name = schema['$ref'].split('/')[-1]
        return value_of(r, root.get('$defs', root.get('definitions', {})).get(name), said, root, depth + 1)
    for key in ('anyOf', 'oneOf'):
        if key in schema:
            return value_of(r, r.choice(schema[key]), said, root, depth + 1)
    if 'enum' in schema:
        return r.choice(schema['enum'])
    if 'const' in schema:
        return schema['const']
    kind = schema.get('type', 'object')
    kind = r.choice(kind) if isinstance(kind, list) else kind
    if r.random() < .004:
        kind = r.choice(('null', 'string', 'number', 'array', 'boolean'))
    if kind == 'object':
        known = schema.get('properties', {})
        return {k: value_of(r, v, said, root, depth + 1) for k, v in known.items() if r.random() < .998}
    if kind == 'array':
        n = r.choice((0, 1, 2, 3, 8, 40))
        rows = [value_of(r, schema.get('items'), said, root, depth + 1) for _ in range(n)]
        return rows + rows[:1] * r.choice((0, 0, 0, 5))
    if kind in ('number', 'integer'):
        words = [w.replace(',', '') for w in said if w.replace(',', '').replace('.', '').replace('-', '').isdigit()]
        try:
            return float(r.choice(words)) if words and r.random() < .7 else r.choice((0, -1, 1e15, 12.5, 3))
        except ValueError:
            return 7
    if kind == 'boolean':
        return r.random() < .5
    if kind == 'null':
        return None
    if schema.get('format') == 'date':
        return r.choice(('2026-11-21', '1900-01-01') * 20 + ('2026-02-30', '21.11.2026'))
    if 'pattern' in schema and r.random() < .95:
        return r.choice(('EUR', 'DE89370400440532013000', '2026-11-21')[:1 + ('A-Z]{3}' not in schema['pattern']) * 2])
    text = ' '.join(r.choice(said) for _ in range(r.randrange(1, 4))) if said and r.random() < .8 else r.choice(NASTY)
    return text


def text_of(r, value):
    text = json.dumps(value, ensure_ascii=r.random() < .5)
    how = r.random()
    if how < .05:
        return text[:r.randrange(len(text) + 1)]
    if how < .08:
        return '```json\n%s\n```' % text
    if how < .10:
        return '<think>so</think>' + text
    if how < .12:
        at = r.randrange(len(text) + 1)
        return text[:at] + r.choice(NASTY) + text[at:]
    return text


def tokens_of(r, text):
    """What the tokens of the answer are said to weigh; cut anywhere, and not always the answer's."""
    out, data, at = [], text.encode(errors='replace'), 0
    while at < len(data):
        part = data[at:at + r.randrange(1, 7)]
        at += len(part)
        out.append({'token': part.decode(errors='replace'), 'logprob': r.choice((-.001, -.01, -2.5, -30, 0, .5)), 'bytes': list(part), 'top_logprobs': []})
    if r.random() < .1:
        out = out[:r.randrange(len(out) + 1)]
    return out


class Server(ThreadingHTTPServer):
    """Answers by what the path names: the run's own chances, and the words of its file."""
    daemon_threads = True
    runs = {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def say(self, body):
        data = json.dumps(body).encode(errors='replace')
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.say({'object': 'list', 'data': [{'id': 'any', 'object': 'model'}]})

    def do_POST(self):
        ask = json.loads(self.rfile.read(int(self.headers.get('Content-Length', 0))))
        run = self.server.runs[self.path.split('/')[1]]
        with run['lock']:
            r = run['r']
            schema = ask.get('response_format', {}).get('json_schema', {}).get('schema', {})
            if 'dark' in schema.get('properties', {}):
                text = '{"dark": true}'
            else:
                text = text_of(r, value_of(r, schema, run['said'], schema))
                run['answers'].append(text)
            body = {'choices': [{'index': 0, 'finish_reason': r.choice(('stop',) * 12 + ('length', None)), 'message': {'role': 'assistant', 'content': text}}],
                    'usage': {'prompt_tokens': r.choice((11, 0, 10**12)), 'completion_tokens': 7}}
            if ask.get('logprobs') and run['told']:
                body['choices'][0]['logprobs'] = {'content': tokens_of(r, text)}
        self.say(body)


# --- runs ----------------------------------------------------------------------


def command(r, program, path, url, kind):
    split = ['--split', r.choice(('off', 'barcode'))]
    if kind != 'pdf' and r.random() < .5:
        return [program, 'extract', path, '--schema', r.choice(('page', 'receipt')), '--engine', 'null', *split]
    engine = ['--engine', 'endpoint', '--endpoint', url, '--endpoint-model', 'any']
    if r.random() < .2:
        return [program, 'ocr', path, *engine]
    return [program, 'extract', path, '--schema', r.choice(('page', 'receipt', 'receipt', 'bank-statement')), *engine, *split]


def run(a, server, i):
    """None, or why it was wrong."""
    r = random.Random('%d/%d' % (a.seed, i))
    kind, data, said = r.choice((thin, text_pdf, text_pdf))(r)
    own = {'r': random.Random('%d/%d/answers' % (a.seed, i)), 'said': said or list(WORDS), 'answers': [], 'told': r.random() < .6, 'lock': threading.Lock()}
    server.runs[str(i)] = own
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'file.' + kind)
        with open(path, 'wb') as f:
            f.write(data)
        line = command(r, a.program, path, 'http://127.0.0.1:%d/%d/v1' % (server.server_port, i), kind)
        line += ['--schemas', os.path.join(ROOT, 'schemas'), '--ocr', 'always' if r.random() < .05 else 'off']
        env = dict(os.environ, PLATEN_CONFIG='', LC_ALL='C', ASAN_OPTIONS='detect_leaks=0', UBSAN_OPTIONS='print_stacktrace=1')
        try:
            p = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, timeout=300)
        except subprocess.TimeoutExpired:
            return kind, data, own, line, 'not finished after 300 s'
    said = p.stderr.decode(errors='replace')
    why = ''
    if p.returncode < 0 or p.returncode > 17:
        why = 'status %d' % p.returncode
    for sign in ('Sanitizer', 'runtime error', '[internal]', '[raster-crash]', '[raster-protocol]', '[sandbox-violation]', 'not valid JSON'):
        if sign in said:
            why = sign
    if p.returncode == 0 and line[1] == 'extract' and not why:
        try:
            json.loads(p.stdout)
        except ValueError as e:
            why = 'the record is no JSON: %s' % e
    return (kind, data, own, line, '%s\n%s' % (why, said)) if why else None


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument('program')
    a.add_argument('--seconds', type=float, default=0)
    a.add_argument('--n', type=int, default=0)
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--only', type=int, help='this run alone')
    a.add_argument('--keep')
    a = a.parse_args()
    a.program = os.path.abspath(a.program)
    server = Server(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    until = time.monotonic() + a.seconds if a.seconds else None
    done, wrong, at = 0, [], a.only or 0
    n_at_once = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(n_at_once) as pool:
        while (a.only is None or not done) and (not a.n or done < a.n) and (not until or time.monotonic() < until):
            turn = range(at, at + (1 if a.only is not None else min(4 * n_at_once, a.n - done) if a.n else 4 * n_at_once))
            for i, bad in zip(turn, pool.map(lambda i: run(a, server, i), turn)):
                if bad:
                    wrong.append((i, *bad))
            done, at = done + len(turn), at + len(turn)
    for i, kind, data, own, line, why in wrong:
        print('not ok - run %d of seed %d: %s: %s' % (i, a.seed, ' '.join(line[1:]), why[:3000]))
        if a.keep:
            os.makedirs(a.keep, exist_ok=True)
            with open(os.path.join(a.keep, '%d-%d.%s' % (a.seed, i, kind)), 'wb') as f:
                f.write(data)
            with open(os.path.join(a.keep, '%d-%d.answers.json' % (a.seed, i)), 'w') as f:
                json.dump(own['answers'], f)
    if not wrong:
        print('ok - %d runs on thin pictures and printed pages, with answers of any kind: no crash, no record that is none' % done)
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
