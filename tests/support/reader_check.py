"""Asks reader.py about pages, halves of pages and pairs of them, and compares with what statements.py says stands there.

  reader_check.py URL STATEMENT [--pages N] [--dpi 150]

for STATEMENT.pdf or .tiff with its truth and schema; prints "ok - ..." or "not ok - ...".
"""
import argparse
import base64
import io
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

from PIL import Image, ImageSequence

failed = 0


def say(name, why):
    global failed
    failed |= bool(why)
    print('not ok - reader: %s: %s' % (name, why) if why else 'ok - reader: %s' % name)


def pages_of(path, dpi, most):
    if os.path.exists(path + '.tiff'):
        return [p.convert('L') for p, _ in zip(ImageSequence.Iterator(Image.open(path + '.tiff')), range(most))]
    out = []
    for n in range(1, most + 1):
        drawn = subprocess.run(['pdftoppm', '-r', str(dpi), '-f', str(n), '-l', str(n), path + '.pdf'], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL).stdout
        if not drawn:
            break
        out.append(Image.open(io.BytesIO(drawn)))
    return out


def ask(url, pictures, schema, text='Read.', kind='PNG', in_prompt=False, max_tokens=8192):
    content = [{'type': 'text', 'text': text}]
    for picture in pictures:
        data = io.BytesIO()
        picture.save(data, kind)
        content.append({'type': 'image_url', 'image_url': {'url': 'data:image/%s;base64,%s' % (kind.lower(), base64.b64encode(data.getvalue()).decode())}})
    request = {'messages': [{'role': 'user', 'content': content}], 'max_tokens': max_tokens}
    if in_prompt:
        content[0]['text'] += '\nAnswer with one JSON value that fits this JSON Schema, and nothing else:\n%s\n\n' % json.dumps(schema)
    else:
        request['response_format'] = {'type': 'json_schema', 'json_schema': {'name': 'x', 'schema': schema}}
    posted = urllib.request.Request(url + '/v1/chat/completions', json.dumps(request).encode())
    with urllib.request.urlopen(posted) as reply:
        return json.load(reply)['choices'][0]


def content_of(choice):
    return json.loads(choice['message']['content'])


def expected(truth, numbers, array):
    """(rows that these pages show of an array, whether the first is a rest)."""
    out, rest = [], None
    for row in truth['arrays'][array]:
        lines = [line for line in row['lines'] if line['page'] in numbers]
        if lines:
            values = {name: None for name in row['values']}
            for line in lines:
                for name, value in line['values'].items():
                    if value is not None:
                        values[name] = value if values[name] is None else '%s %s' % (values[name], value)
            rest = lines[0] is not row['lines'][0] if rest is None else rest
            out.append(values)
    return out, bool(rest)


def windowed(schema):
    """The statement's schema as one page is asked under."""
    flags = {name + '_continues': {'type': 'boolean'} for name in ('transactions', 'fees')}
    return {**schema, 'properties': {**flags, **schema['properties'], 'header': {'type': ['string', 'null']}, 'other': {'type': 'integer'}}}


def check(truth, got, numbers):
    for array in ('transactions', 'fees'):
        rows, rest = expected(truth, numbers, array)
        if got[array] != rows:
            wrong = [pair for pair in zip(got[array], rows) if pair[0] != pair[1]][:1]
            return 'pages %s: %d %s, not %d: %s' % (numbers, len(got[array]), array, len(rows), wrong)
        if got[array + '_continues'] != rest:
            return 'pages %s: %s_continues is %s' % (numbers, array, not rest)
    for name, scalar in truth['scalars'].items():
        here = any(page['id'] < code and (page['page'] == len(truth['pages']) or truth['pages'][page['page']]['id'] > code)
                   for page in truth['pages'] if page['page'] in numbers for code in scalar['ids'])
        if got[name] != (scalar['value'] if here else None):
            return 'pages %s: %s is %r' % (numbers, name, got[name])
    return None if got['other'] == 0 else 'an unknown property is %r' % got['other']


def halves(url, schema, picture):
    """The answers for a page's upper and lower half, cut in the white between lines."""
    grey, middle = picture.convert('L'), picture.height // 2
    while min(grey.crop((0, middle, grey.width, middle + 1)).getdata()) < 160:
        middle += 1
    parts = [picture.crop((0, 0, picture.width, middle)), picture.crop((0, middle, picture.width, picture.height))]
    return [content_of(ask(url, [part], schema)) for part in parts]


def check_halves(url, schema, pictures):
    for n, picture in enumerate(pictures, 1):
        whole, (upper, lower) = content_of(ask(url, [picture], schema)), halves(url, schema, picture)
        for array in ('transactions', 'fees'):
            rows = upper[array] + lower[array]
            if lower[array + '_continues']:
                k = len(upper[array])
                if k:
                    rows[k - 1:k + 1] = [{name: b if a is None else a if b is None else '%s %s' % (a, b)
                                          for (name, a), b in zip(rows[k - 1].items(), rows[k].values())}]
            if rows != whole[array]:
                return 'page %d: the halves have %d %s, the whole %d' % (n, len(rows), array, len(whole[array]))
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('url')
    parser.add_argument('statement')
    parser.add_argument('--pages', type=int, default=1000)
    parser.add_argument('--dpi', type=int, default=150)
    args = parser.parse_args()
    with open(args.statement + '.truth.json') as f:
        truth = json.load(f)
    with open(args.statement + '.schema.json') as f:
        schema = windowed(json.load(f))
    pictures = pages_of(args.statement, args.dpi, args.pages)
    wrong = [check(truth, content_of(ask(args.url, [p], schema)), [n]) for n, p in enumerate(pictures, 1)]
    say('%d pages, one at a time' % len(pictures), next(filter(None, wrong), None))
    wrong = [check(truth, content_of(ask(args.url, pictures[n - 1:n + 1], schema, kind='JPEG', in_prompt=True)), [n, n + 1])
             for n in range(1, len(pictures))]
    say('pairs of pages, as JPEG, the schema in the prompt', next(filter(None, wrong), None))
    small = [p.convert('L').resize((p.width * 2 // 3, p.height * 2 // 3 + 5), Image.BICUBIC) for p in pictures]
    wrong = [check(truth, content_of(ask(args.url, [p], schema)), [n]) for n, p in enumerate(small, 1)]
    say('pages of two thirds the size', next(filter(None, wrong), None))
    say('halves of pages', check_halves(args.url, schema, pictures))
    lines = [row['lines'][0]['text'] for row in truth['arrays']['transactions'][1:4]]
    text = 'Read.\nOnly these lines:\n' + ''.join('- %s\n' % line.replace(' ', '  ') for line in lines)
    got = content_of(ask(args.url, pictures[:1], schema, text))
    say('only the lines that are named', None if got['transactions'] == [row['values'] for row in truth['arrays']['transactions'][1:4]]
        else '%d rows' % len(got['transactions']))
    cut = ask(args.url, pictures[:1], schema, max_tokens=100)
    say('cut at max_tokens', None if cut['finish_reason'] == 'length' and len(cut['message']['content']) == 300 else cut['finish_reason'])
    try:
        ask(args.url, pictures[:1], schema, max_tokens=16000)
        say('more than the context is refused', 'it is not')
    except urllib.error.HTTPError as e:
        say('more than the context is refused', None if e.code == 400 and b'context' in e.read() else e.code)
    sys.exit(failed)


if __name__ == '__main__':
    main()
