#!/usr/bin/env python3
"""The public suites through the program, case by case, with its exit codes.

usage: suites.py PLATEN SUITES_FOLDER; `make test-suites` calls it.
"""
import glob, json, os, re, subprocess, sys, tempfile

platen, suites = os.path.abspath(sys.argv[1]), sys.argv[2]
scratch = tempfile.mkdtemp()
wrong = []


def validate(schema, record, *flags):
    done = subprocess.run([platen, 'validate', '--schema', schema, record, *flags],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode


def raw_values(text):
    """The groups of a suite file with schema and data as they were written (numbers too)."""
    number = type('number', (str,), {})
    return json.loads(text, parse_float=number, parse_int=number), number


def dump(value, number):
    marks = {}

    def mark(v):
        if isinstance(v, number):
            marks['@@%d@@' % len(marks)] = str(v)
            return '@@%d@@' % (len(marks) - 1)
        if isinstance(v, dict):
            return {k: mark(x) for k, x in v.items()}
        return [mark(x) for x in v] if isinstance(v, list) else v
    text = json.dumps(mark(value))
    return re.sub(r'"(@@\d+@@)"', lambda m: marks[m.group(1)], text)


def json_schema(name, pattern, *flags):
    n = good = 0
    remotes = suites + '/JSON-Schema-Test-Suite/remotes'
    schema, record = scratch + '/schema.json', scratch + '/record.json'
    for path in sorted(glob.glob(suites + '/JSON-Schema-Test-Suite/tests/draft2020-12/' + pattern)):
        groups, number = raw_values(open(path, encoding='utf-8').read())
        for group in groups:
            open(schema, 'w').write(dump(group['schema'], number))
            for test in group['tests']:
                open(record, 'w').write(dump(test['data'], number))
                code = validate(schema, record, '--catalogue', remotes, *flags)
                n += 1
                good += code == (0 if test['valid'] else 4)
                if code != (0 if test['valid'] else 4):
                    wrong.append('%s: %s: %s: %d' % (os.path.basename(path), group['description'],
                                                     test['description'], code))
    print('%s: %d of %d' % (name, good, n))
    return good, n


def json_text():
    schema = scratch + '/any.json'
    open(schema, 'w').write('true')
    for kind, want in ('y', 0), ('n', 2):
        files = sorted(glob.glob(suites + '/JSONTestSuite/test_parsing/%s_*' % kind))
        codes = {f: validate(schema, f) for f in files}
        wrong.extend('%s: %d' % (os.path.basename(f), c) for f, c in codes.items() if c != want)
        print('JSONTestSuite %s: %d of %d' % (kind, sum(c == want for c in codes.values()), len(files)))


json_text()
good, n = json_schema('2020-12 required', '*.json')
fgood, fn = json_schema('2020-12 optional/format', 'optional/format/*.json', '--format-asserts')
for line in wrong[:40]:
    print('  ' + line)
sys.exit(good != n or fgood * 100 < fn * 95)
