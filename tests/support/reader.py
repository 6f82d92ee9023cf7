#!/usr/bin/env python3
"""A chat-completions server that reads statements.py's pages without fail, and errs on demand.

    reader.py --port-file F --truth T.json [--truth ...] --log FILE [--context 16384] [--answer-max 8192] [ERRORS]

It finds the codes in the pictures of a request and answers from the truth about those lines only, in the request's schema:
an array whose name it knows gets the rows that it sees, a scalar its value where it stands; `NAME_continues` says whether
the first row of NAME is the rest of one that began before; `header` is the head of the table. What it does not know is null,
or the least value that is allowed. Where the prompt holds a line "Only these lines:" and lines that begin with "- ", only
rows on those lines are given. A token is 3 characters, or 32 x 32 pixels.

    --stop-after N   ends each array behind N rows      --drop P      leaves out a share P of the rows, others each time
    --repeat         gives the last row of the page before once more at the head of each page
    --merge          makes one row of the two at a page's edge, seen or not, unless asked for named lines (--stubborn: always);
                     --merge-how says what it has of each: mix, text (both descriptions), fill (what the first lacks), late
                     (the first's date and description alone)
    --unseen         adds rows of the next page
    --forget NAME    gives no row of that array, unless asked for named lines (--stubborn: always)
    --fail-every N   HTTP 500                           --slow S      seconds for each answer
    --cut-at N       never more than N tokens an answer, whatever was asked for

--log gets a line of JSON a request: pages, rows, tokens, pictures, how it ended, how many were there at once.
"""
import argparse
import base64
import bisect
import collections
import hashlib
import io
import json
import os
import random
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import row_code

GRID_PX, TOKEN_CHARACTERS = 32, 3
ALIKE = 0.8                 # of a line's words make it the line that was asked for


# number: of the row in its array; rest: it began before what is seen; page: where what is seen of it begins
Row = collections.namedtuple('Row', 'number values rest page')


class Truth:
    """What stands beside which code: `line` a list of (array, row, line's index), `scalar` a name, `header` a text; `page` its page."""

    def __init__(self, paths):
        self.arrays, self.scalars, self.line, self.scalar, self.header, self.page = {}, {}, {}, {}, {}, {}
        self.of_document, self.begins = [], []
        for number, path in enumerate(paths):
            with open(path) as f:
                self.add(number, json.load(f))

    def add(self, number, truth):
        self.of_document.append(truth)
        self.begins.append(truth['pages'][0]['id'])
        for page in truth['pages']:
            self.page[page['id']] = page['page']
        for name, rows in truth['arrays'].items():
            self.arrays.setdefault(name, []).append(rows)
            for i, row in enumerate(rows):
                for k, line in enumerate(row['lines']):
                    self.line.setdefault(line['id'], []).append((name, i, k))
                    self.page[line['id']] = line['page']
        for name, scalar in truth['scalars'].items():
            self.scalars[name] = None
            for code in scalar['ids']:
                self.scalar[code] = (name, scalar['value'])
            for code, value in scalar.get('else', {}).items():  # what another page says
                self.scalar[int(code)] = (name, value)
        for header in truth['headers']:
            self.header[header['id']] = (header['array'], header['text'])

    def document(self, code):
        return bisect.bisect_right(self.begins, code) - 1


class Shown:
    """What the pictures of one request show: rows of arrays with the values seen, scalars, headers."""

    def __init__(self, truth, codes, named):
        self.truth, self.pages, self.scalars, self.headers = truth, [], {}, {}
        self.rows = collections.OrderedDict()       # array -> {row: {line: values}}
        self.document = truth.document(codes[0]) if codes else 0
        known = [c for c in dict.fromkeys(codes) if c in truth.line or c in truth.scalar or c in truth.header or c in truth.page]
        self.known = len(known)
        for code in known:
            page = truth.page.get(code)
            if page and page not in self.pages:
                self.pages.append(page)
            if code in truth.scalar:
                name, value = truth.scalar[code]
                self.scalars.setdefault(name, value)
            elif code in truth.header:
                array, text = truth.header[code]
                self.headers.setdefault(array, text)
            elif code in truth.line:
                for array, row, line in truth.line[code]:
                    self.rows.setdefault(array, {}).setdefault(row, {})[line] = self.source(array)[row]['lines'][line]
        if named is not None:
            self.keep(named)

    def source(self, array):
        return self.truth.of_document[self.document]['arrays'][array]

    def keep(self, named):
        """Only the rows that stand on the lines that were asked for; each line takes one row."""
        lines = [(array, row, line['text']) for array, rows in self.rows.items() for row, seen in rows.items()
                 for line in seen.values()]
        kept = set()
        for text in named:
            for name in self.rows:
                best = max(((alike(text, line), -i) for i, (array, row, line) in enumerate(lines)
                            if array == name and (array, row) not in kept), default=(0, 0))
                if best[0] >= ALIKE:
                    kept.add(lines[-best[1]][:2])
        self.rows = {array: {row: seen for row, seen in rows.items() if (array, row) in kept} for array, rows in self.rows.items()}

    def list(self, array):
        out = []
        for number, seen in self.rows.get(array, {}).items():
            lines = [seen[k] for k in sorted(seen)]
            out.append(Row(number, joined(lines), 0 not in seen, lines[0]['page']))
        return out

    def whole(self, array, number):
        """A row as it is drawn, seen or not; None where there is none."""
        rows = self.source(array)
        return Row(number, joined(rows[number]['lines']), False, rows[number]['page']) if 0 <= number < len(rows) else None


def joined(lines):
    values = {}
    for line in lines:
        for name, value in line['values'].items():
            if value is not None:
                values[name] = '%s %s' % (values[name], value) if name in values else value
    return values


def alike(a, b):
    """How much of the shorter text's words the longer one has; of two equal ones, the fuller match first."""
    a, b = collections.Counter(a.split()), collections.Counter(b.split())
    same, sizes = sum((a & b).values()), (sum(a.values()), sum(b.values()))
    if same < min(sizes) * ALIKE or not min(sizes) or same < max(sizes) / 2:
        return 0
    return same / min(sizes) + same / max(sizes)


class Errors:
    """What the reader does wrong, the same for the same request."""

    def __init__(self, args, named, salt):
        self.args, self.named, self.random = args, named, random.Random('%d %s' % (args.seed, salt))

    def spoil(self, shown, array, rows):
        a = self.args
        if array in a.forget and (a.stubborn or not self.named):
            return []
        if a.drop:
            rows = [row for row in rows if self.random.random() >= a.drop]
        if a.merge and (a.stubborn or not self.named):
            rows = self.merge(shown, array, rows)
        if a.repeat:
            rows = self.repeat(shown, array, rows)
        if a.unseen and rows:
            after = [shown.whole(array, rows[-1].number + 1 + k) for k in range(2)]
            rows = rows + [row for row in after if row]
        return rows[:a.stop_after] if a.stop_after else rows

    def before(self, shown, array, rows, k):
        """The last row of the page before, where rows[k] is the first that begins on its page."""
        row = rows[k]
        if row.rest or k and rows[k - 1].page == row.page and not rows[k - 1].rest:
            return None
        return shown.whole(array, row.number - 1)

    def repeat(self, shown, array, rows):
        out = []
        for k, row in enumerate(rows):
            before = self.before(shown, array, rows, k)
            out += [before, row] if before else [row]
        return out

    def merge(self, shown, array, rows):
        """The first row of each page swallows the one before, seen or not, and the last two rows become one."""
        out = []
        for k, row in enumerate(rows):
            before = self.before(shown, array, rows, k)
            if before:
                row = row._replace(values=self.merged(before.values, row.values, self.args.merge_how == 'mix'))
                if out and out[-1].number == before.number:
                    out.pop()
            out.append(row)
        if len(out) > 2 and not out[-2].rest:
            last = out.pop()
            out[-1] = out[-1]._replace(values=self.merged(out[-1].values, last.values, False))
        return out

    def merged(self, first, second, at_head):
        """One row's values of two's."""
        how = self.args.merge_how
        if how == 'mix' and not at_head:
            return {**second, **first, 'amount': second.get('amount')}
        if how == 'fill':
            return {**second, **first}
        if how == 'text':
            texts = {name: '%s %s' % (first[name], second[name]) for name in ('description', 'text') if name in first and name in second}
            return {**first, **texts}
        return {**second, **{name: first[name] for name in list(first)[:2]}}


# -- schemas

class Answer:
    """The JSON value for a schema."""

    def __init__(self, root, shown, errors):
        self.root, self.shown, self.errors, self.n_row = root, shown, errors, 0

    def follow(self, node):
        for _ in range(32):
            if not isinstance(node, dict) or '$ref' not in node:
                break
            target = self.root
            for part in node['$ref'].lstrip('#').strip('/').split('/'):
                target = target[part.replace('~1', '/').replace('~0', '~')] if part else target
            node = target
        return node if isinstance(node, dict) else {}

    def options(self, node):
        """The alternatives without null, and whether null is one."""
        node = self.follow(node)
        if 'allOf' in node and len(node['allOf']) == 1:
            node = {**node, **self.follow(node['allOf'][0])}
        for key in ('anyOf', 'oneOf'):
            if key in node:
                pairs = [self.options(option) for option in node[key]]
                return [o for options, _ in pairs for o in options], any(null for _, null in pairs)
        types = node.get('type')
        types = types if isinstance(types, list) else [types] if types else []
        if types == ['null'] or node.get('const', 0) is None:
            return [], True
        return [{**node, 'type': [t for t in types if t != 'null'][0] if types else self.kind(node)}], 'null' in types or not types

    @staticmethod
    def kind(node):
        return 'object' if 'properties' in node else 'array' if 'items' in node else None

    def least(self, node):
        options, null = self.options(node)
        if null or not options:
            return None
        node = options[0]
        if 'const' in node:
            return node['const']
        if 'enum' in node:
            return None if None in node['enum'] else node['enum'][0]
        if node['type'] == 'string':
            return {'date': '1970-01-01', 'date-time': '1970-01-01T00:00:00Z'}.get(node.get('format'), ' ' * node.get('minLength', 0))
        if node['type'] == 'object':
            return {name: self.least(child) for name, child in node.get('properties', {}).items()}
        if node['type'] == 'array':
            return [self.least(node.get('items', {})) for _ in range(node.get('minItems', 0))]
        return {'boolean': False, 'integer': 0, 'number': 0}.get(node['type'])

    def fit(self, value, node):
        """A printed value as the schema has it."""
        options, _ = self.options(node)
        kinds = [option['type'] for option in options]
        if value is None:
            return self.least(node)
        if isinstance(value, str) or not set(kinds) & {'number', 'integer'}:
            return str(value) if 'string' in kinds or not kinds or None in kinds else self.least(node)
        return value

    def rows(self, array, node):
        """An array's rows; one of scalars gets the column of the array's name without its s."""
        items = self.options(node.get('items', {}))[0]
        listed = self.errors.spoil(self.shown, array, self.shown.list(array))[:node.get('maxItems')]
        self.n_row += len(listed)
        if items and items[0]['type'] == 'object':
            out = [self.object(items[0], row.values) for row in listed]
        else:
            out = [self.fit(row.values.get(array.rstrip('s')), node.get('items', {})) for row in listed]
        return out + [self.least(node['items']) for _ in range(len(out), node.get('minItems', 0))]

    def continues(self, name, node):
        arrays = [a for a in self.shown.truth.arrays if a == name[:-len('_continues')]] or \
                 [a for a in self.shown.truth.arrays if a in node['properties']]
        listed = self.shown.list(arrays[0]) if arrays else []
        return bool(listed) and listed[0].rest

    def header(self, name, node):
        arrays = [a for a in self.shown.truth.arrays if name == a + '_header'] or \
                 [a for a in self.shown.truth.arrays if a in node.get('properties', {})]
        return next((self.shown.headers[a] for a in arrays if a in self.shown.headers), None)

    def child(self, name, child, node, row):
        options, _ = self.options(child)
        kinds = [option['type'] for option in options]
        if row is not None and name in row:
            return self.fit(row[name], child)
        if 'array' in kinds and name in self.shown.truth.arrays:
            return self.rows(name, options[kinds.index('array')])
        if 'boolean' in kinds and name.endswith('continues'):
            return self.continues(name, node)
        if row is None and name in self.shown.truth.scalars:
            return self.fit(self.shown.scalars.get(name), child)
        if name == 'header' or name.endswith('_header'):
            return self.fit(self.header(name, node), child)
        if 'object' in kinds:
            return self.object(options[kinds.index('object')], row)
        return self.least(child)

    def object(self, node, row=None):
        return {name: self.child(name, child, node, row) for name, child in node.get('properties', {}).items()}


def schema_of(request, text):
    wrapped = (request.get('response_format') or {}).get('json_schema') or {}
    if 'schema' in wrapped:
        return wrapped['schema']
    at = text.find('{', max(0, text.find('JSON Schema')))
    return json.JSONDecoder().raw_decode(text[at:])[0]


def named_lines(text):
    """The lines asked for, or None where all are."""
    if 'Only these lines:' not in text.split('\n'):
        return None
    tail = text.split('\nOnly these lines:\n', 1)[-1]
    return [m.group(1) for m in re.finditer(r'^- (.*)$', tail, re.M)]


def parts_of(request):
    """(text, pictures) of all turns."""
    text, pictures = [], []
    for turn in request['messages']:
        content = turn['content']
        for part in [{'type': 'text', 'text': content}] if isinstance(content, str) else content:
            if part['type'] == 'text':
                text.append(part['text'])
            else:
                data = part['image_url']['url'].split(',', 1)[1]
                pictures.append(Image.open(io.BytesIO(base64.b64decode(data))))
    return '\n'.join(text), pictures


class Refused(Exception):
    pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        n = self.server.args.context
        if self.path == '/v1/models' and not self.server.args.shy:
            self.reply(200, {'object': 'list', 'data': [{'id': 'reader', 'object': 'model', 'max_model_len': n, 'meta': {'n_ctx_train': n}}]})
        elif self.path == '/props' and not self.server.args.shy:
            self.reply(200, {'default_generation_settings': {'n_ctx': n}})
        else:
            self.reply(404, {'error': {'code': 404, 'message': 'File Not Found', 'type': 'not_found_error'}})

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        since, line = time.time(), {}
        n, line['at_once'] = self.server.enter()
        try:
            if self.server.args.fail_every and n % self.server.args.fail_every == 0:
                raise Refused(500, 'asked to fail')
            value = self.answer(json.loads(body), line)
            line['status'] = 200
        except Refused as e:
            line['status'] = e.args[0]
            value = {'error': {'code': e.args[0], 'message': e.args[1], 'type': 'exceed_context_size_error' if e.args[0] == 400 else 'server_error'}}
        line['s'] = round(time.time() - since, 3)
        self.server.leave()
        self.server.write({'n': n, **line})
        self.reply(line['status'], value)

    def answer(self, request, line):
        args = self.server.args
        text, pictures = parts_of(request)
        prompt = len(text) // TOKEN_CHARACTERS + sum(-(-p.width // GRID_PX) * -(-p.height // GRID_PX) for p in pictures)
        asked = request.get('max_tokens') or request.get('max_completion_tokens') or args.answer_max
        line.update(pictures=[p.size for p in pictures], prompt=prompt, max_tokens=asked)
        if prompt + asked > args.context:
            raise Refused(400, "This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the "
                          'messages, %d in the completion).' % (args.context, prompt + asked, prompt, asked))
        named = named_lines(text)
        codes = [code for picture in pictures for code in row_code.find(picture)]
        shown = Shown(self.server.truth, codes, named)
        errors = Errors(args, named, hashlib.sha256((text + repr(codes)).encode()).hexdigest())
        answer = Answer(schema_of(request, text), shown, errors)
        roots = answer.options(answer.root)[0]
        value = answer.object(roots[0]) if roots and roots[0]['type'] == 'object' else answer.least(answer.root)
        out = json.dumps(value, ensure_ascii=False, separators=(',', ':'))
        time.sleep(args.slow)
        most = min(asked, args.answer_max, args.cut_at or asked)
        tokens = -(-len(out) // TOKEN_CHARACTERS)
        end = 'stop' if tokens <= most else 'length'
        line.update(pages=shown.pages, lines=shown.known, named=named and len(named), by_name='Only these values:' in text, rows=answer.n_row, tokens=min(tokens, most), end=end)
        return {'id': 'reader', 'object': 'chat.completion', 'model': request.get('model', 'reader'),
                'choices': [{'index': 0, 'finish_reason': end,
                             'message': {'role': 'assistant', 'content': out[:most * TOKEN_CHARACTERS]}}],
                'usage': {'prompt_tokens': prompt, 'completion_tokens': min(tokens, most)}}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, args):
        super().__init__(('127.0.0.1', args.port), Handler)
        self.args, self.truth, self.count, self.here, self.lock = args, Truth(args.truth), 0, 0, threading.Lock()
        self.log = open(args.log, 'a') if args.log else None

    def enter(self):
        """The request's number, and how many are here with it."""
        with self.lock:
            self.count, self.here = self.count + 1, self.here + 1
            return self.count, self.here

    def leave(self):
        with self.lock:
            self.here -= 1

    def write(self, line):
        if self.log:
            with self.lock:
                self.log.write(json.dumps(line) + '\n')
                self.log.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--port', type=int, default=0)
    parser.add_argument('--port-file', required=True)
    parser.add_argument('--truth', action='append', required=True)
    parser.add_argument('--log')
    parser.add_argument('--context', type=int, default=16384)
    parser.add_argument('--answer-max', type=int, default=8192)
    parser.add_argument('--shy', action='store_true', help='does not tell its context')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--stop-after', type=int)
    parser.add_argument('--cut-at', type=int)
    parser.add_argument('--drop', type=float, default=0)
    parser.add_argument('--forget', action='append', default=[])
    parser.add_argument('--fail-every', type=int)
    parser.add_argument('--slow', type=float, default=0)
    parser.add_argument('--merge-how', choices=('mix', 'text', 'fill', 'late'), default='mix')
    for flag in ('--repeat', '--merge', '--stubborn', '--unseen'):
        parser.add_argument(flag, action='store_true')
    server = Server(parser.parse_args())
    with open(server.args.port_file + '.tmp', 'w') as f:
        f.write(str(server.server_address[1]))
    os.rename(server.args.port_file + '.tmp', server.args.port_file)
    server.serve_forever()


if __name__ == '__main__':
    main()
