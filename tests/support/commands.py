#!/usr/bin/env python3
"""commands.py PLATEN - types what the README and --help show, with default settings, and holds
exit code, verdict, data and warnings against tests/vectors/commands.txt.

Commands that take a document are typed for every sample, good and bad; every other one once.
The four ways to extract must end alike, so one line of the expectations stands for all.
A command that is documented and neither in MATRIX, ONCE nor ELSEWHERE below is a failure.
UPDATE=1 writes the expectations anew: read the difference before you commit it."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPECTED = os.path.join(ROOT, 'tests/vectors/commands.txt')

# What is documented -> what is typed for each sample: {file}, its {schema}, its {stem}.
MATRIX = {
    'extract scan.pdf --schema receipt': 'extract {file} --schema {schema}',
    'extract *.jpg --schema invoice --out records --format json,xml':
        'extract {file} --schema {schema} --out records --format json,xml',
    'extract stack.pdf --schema letter --split barcode --out records':
        'extract {file} --schema {schema} --split barcode --out stack',
    'extract scan.pdf --schema receipt --out records --show pictures':
        'extract {file} --schema {schema} --out shown --show pictures',
    'ocr letter.tiff': 'ocr {file}',
    'words scan.pdf --pages 1': 'words {file} --pages 1',
    'show records/scan.json --document scan.pdf -o scan.png':
        'show records/{stem}.json --document {file} -o shown.png',
    'show records/scan.json -o scan.png': 'show records/{stem}.json -o shown.png',
}

# What is documented -> what is typed once, its exit code, and a text that it prints.
ONCE = {
    'extract book.pdf --schema letter --pages 1-3,7 --dpi 200':
        ('extract two-pages.pdf --schema receipt --pages 1-2 --dpi 200', 0, '"data"'),
    'ocr book.pdf --pages 3 | less': ('ocr two-pages.pdf --pages 2', 0, ''),
    'ocr scan.pdf --to pdf > searchable.pdf': ('ocr market-scan.pdf --to pdf --out texts', 0, ''),
    'ocr *.jpg --to alto --out texts': ('ocr four-colours.jpg kiosk.png --to alto --out texts', 0, ''),
    'words photo.jpg --ocr-languages eng+kan | jq -r \'.words[].text\'':
        ('words kiosk.png --ocr-languages eng', 0, '"words"'),
    'init /srv/scans': ('init new', 0, 'new/in/receipt'),
    'init /srv/scans --schemas /etc/platen/schemas': ('init other --schemas ' + ROOT + '/schemas', 0, 'other/in/receipt'),
    # in this order: three of five fail, one for its folder's name
    '*/10 * * * * platen run /srv/scans': ('run spool', 16, '2 done, 3 failed'),
    'retry spool --reason unknown-schema': ('retry spool --reason unknown-schema', 0, ''),
    'run spool --engine null': ('run spool --engine null', 16, 'unknown-schema'),
    'retry spool --reason unknown-schema --schema receipt':
        ('retry spool --reason unknown-schema --schema receipt', 0, ''),
    'run spool --jobs 2 --format json,xml': ('run spool --jobs 2 --format json,xml', 0, '1 done'),
    'retry spool x.pdf': ('retry spool no-such.pdf', 1, ''),
    'dismiss spool --reason encrypted': ('dismiss spool --reason encrypted', 0, ''),
    'dismiss spool 20261121T021400Z-5e0c8f4d3b2a1907 --undo': ('dismiss spool {locked} --undo', 0, ''),
    'retry spool 20261121T021400Z-5e0c8f4d3b2a1907': ('retry spool {failed}', 0, ''),
    'status SPOOL': ('status spool', 0, 'done'),
    'fsck SPOOL': ('fsck spool', 0, ''),
    'prune /srv/scans --done-older 90d --dry-run': ('prune spool --done-older 90d --dry-run', 0, ''),
    'prune /srv/scans --done-older 2w --keep-records': ('prune spool --done-older 2w --keep-records', 0, ''),
    'export spool --to jsonl | jq .data.total': ('export spool --to jsonl', 0, '"data"'),
    'export spool --to csv --schema receipt > receipts.csv': ('export spool --to csv --schema receipt', 0, 'merchant'),
    'export spool --to csv --schema receipt --rows items':
        ('export spool --to csv --schema receipt --rows items', 0, 'merchant'),
    'export spool --to csv --schema receipt --with confidence,page,review':
        ('export spool --to csv --schema receipt --with confidence,page,review', 0, 'total#confidence'),
    'export spool --to chat-jsonl -o pairs': ('export spool --to chat-jsonl -o pairs', 0, ''),
    'export spool --to ls -o labels': ('export spool --to ls -o labels', 0, ''),
    'show spool 20261122T080110Z-7481aa2ca3febe3f --page 2 -o page2.png':
        ('show spool {two} --page 2 -o page2.png', 0, ''),
    'validate --schema NAME|FILE RECORD...': ('validate --schema receipt records/cafe.json records/cafe.xml', 0, ''),
    'schema list': ('schema list', 0, 'receipt'),
    'schema show NAME': ('schema show receipt', 0, '"merchant"'),
    'schema xsd NAME': ('schema xsd receipt', 0, '<xs:schema'),
    'schema check FILE': ('schema check ' + ROOT + '/schemas/receipt.schema.json', 0, ''),
    'schema plan NAME': ('schema plan receipt', 0, ''),
    'separator --schema receipt > sheet.pdf': ('separator --schema receipt', 0, '%PDF'),
    'separator --schema receipt,invoice --copies 10 > sheets.pdf':
        ('separator --schema receipt,invoice --copies 10', 0, '%PDF'),
    'separator --patch-t > sheet.pdf': ('separator --patch-t', 0, '%PDF'),
    'config': ('config', 0, 'engine = native'),
    'doctor': ('doctor', None, 'kernels'),
    'model check FILE --mmproj F': ('model check {model} --mmproj {mmproj}', 0, 'sane'),
    'model info FILE': ('model info {model}', 0, 'qwen'),
    'bench --page samples/good/cafe.pdf --schema receipt': ('bench --page cafe.pdf --schema receipt', 0, 'vision'),
    'ask model.gguf --mmproj mmproj.gguf --image scan.png "What is the total?"':
        ('ask {model} --mmproj {mmproj} --image kiosk.png Total?', 0, ''),
}

# The README's form of a command above.
README = {
    'export SPOOL --to jsonl|csv|xml': 'export spool --to jsonl | jq .data.total',
    'extract scan.pdf samples/good/*.png --schema receipt --out records --format json,xml':
        'extract *.jpg --schema invoice --out records --format json,xml',
    'init SPOOL': 'init /srv/scans',
    'retry SPOOL ID... | --all | --reason CODE [--schema NAME]': 'retry spool --reason unknown-schema',
    'schema list | show NAME | xsd NAME | check FILE': 'schema list',
    'status /srv/scans': 'status SPOOL',
}

# Typed by a script of its own, which has the server, the second program or the person.
ELSEWHERE = {
    'endpoint': ['extract scan.pdf --schema receipt --engine endpoint', 'watch /srv/scans --engine endpoint', 'doctor spool --engine endpoint'],
    'spool': ['watch /srv/scans', 'watch SPOOL', 'run SPOOL'],
    'fleet': ['fleet '],
    'review': ['review '],
    'serve': ['serve '],
    'archive': ['archive '],
    'eval': ['eval '],
    'searchable': ['ocr report.pdf --to markdown'],
    'model_get': ['model get ', 'model list', 'model rm'],
    'convert': ['model convert', 'model imatrix'],
    'model': ['bench --model', 'model plan', 'model logits', 'model tokens'],
}


def documented(platen):
    """Every command line of the README and of --help, without "platen" and comments."""
    text = open(os.path.join(ROOT, 'README.md'), encoding='utf-8').read()
    lines = re.findall(r'^    (?:\$ )?(platen .*)$', text, re.M)
    overview = subprocess.run([platen, 'help'], capture_output=True, text=True).stdout
    lines += re.findall(r'^  (platen .*)$', overview, re.M)
    for command in re.findall(r'^  (\w+)  +\S', overview, re.M):
        page = subprocess.run([platen, 'help', command], capture_output=True, text=True).stdout
        lines += re.findall(r'^  ((?:\*/10 .*)?platen .*)$', page, re.M)
    return sorted({re.sub(r'^platen ', '', re.split(r' +#|   +', line)[0].strip()) for line in lines})


def record_shown():
    """The README's record, without its comments."""
    text = open(os.path.join(ROOT, 'README.md'), encoding='utf-8').read()
    block = re.search(r'^```jsonc\n(.*?)^```', text, re.M | re.S).group(1)
    return json.loads(re.sub(r' // .*', '', block))


def differences(shown, real, at=''):
    """Where a shown value is not in the real one; figures that depend on the processor may differ a little."""
    if isinstance(shown, dict) and isinstance(real, dict):
        return [d for key in shown for d in differences(shown[key], real.get(key), at + '/' + key)]
    if isinstance(shown, list) and isinstance(real, list) and len(shown) == len(real):
        return [d for i, one in enumerate(shown) for d in differences(one, real[i], at + '/%d' % i)]
    if isinstance(shown, float) and isinstance(real, (int, float)) and '/fields/' in at:
        return [] if abs(shown - real) < 0.02 else [at]
    return [] if shown == real else [at]


def name_of_data(line, data):
    """"right" where it is what the sample says, else the start of its hash."""
    kind = 'good' if ' --schema receipt' in line else re.search(r'--schema (\S+)', line).group(1)
    path = os.path.join(ROOT, 'samples/expected', kind, line.split()[1] + '.json')
    if os.path.exists(path) and json.load(open(path, encoding='utf-8')) == data:
        return 'right'
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:8]


class Matrix:
    def __init__(self, platen, scratch):
        self.platen, self.scratch, self.got = platen, scratch, {}
        self.env = dict(os.environ, PLATEN_CONFIG='', XDG_CACHE_HOME=os.path.join(scratch, 'cache'), LC_ALL='C')

    def type(self, line):
        words = line.split()
        return subprocess.run([self.platen] + words, capture_output=True, cwd=self.scratch, env=self.env,
                              timeout=600, stdin=subprocess.DEVNULL)

    def record_of(self, line, ran):
        """What the command left: a record on stdout or in a file; None: it makes none."""
        place = re.search(r'--out (\w+)', line)
        if not place:
            try:
                return json.loads(ran.stdout)
            except ValueError:
                return None
        name = os.path.splitext(os.path.basename(line.split()[1]))[0]
        path = os.path.join(self.scratch, place.group(1), name + '.json')
        return json.load(open(path, encoding='utf-8')) if os.path.exists(path) else None

    def outcome(self, line, ran):
        said = ran.stderr.decode(errors='replace')
        reasons = re.findall(r'\[([a-z][a-z0-9-]+)\]', said)
        parts = ['exit %d' % ran.returncode]
        if reasons:
            parts.append('reason ' + reasons[-1])
        record = self.record_of(line, ran)
        if record and 'data' in record:
            parts += ['verdict ' + str(record.get('verdict')), 'review ' + str(record.get('review')).lower()]
            # what the model only guesses differs with the versions of poppler and Tesseract
            if record.get('verdict') == 'read':
                codes = sorted({w['code'] for w in record.get('warnings', [])})
                parts += ['warnings ' + (' '.join(codes) or 'none'), 'data ' + name_of_data(line, record['data'])]
        elif line.startswith('ocr') and ran.returncode == 0:
            parts.append('text of %d pages' % (ran.stdout.count(b'\f') + 1) if ran.stdout.strip() else 'no text')
        elif line.startswith('words') and ran.returncode == 0:
            parts.append('source %s' % json.loads(ran.stdout.splitlines()[0])['source'])
        return ', '.join(parts)


def samples():
    """(file, schema) of every sample."""
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, 'samples'))):
        at = os.path.relpath(folder, os.path.join(ROOT, 'samples')).split(os.sep)
        if at[0] in ('good', 'bad', 'other', 'invoice'):
            for name in sorted(names):
                yield os.path.join(folder, name), {'other': at[-1], 'invoice': 'invoice'}.get(at[0], 'receipt')


def crashed(ran):
    said = ran.stderr.decode(errors='replace')
    return ran.returncode < 0 or ran.returncode > 127 or 'AddressSanitizer' in said or 'runtime error:' in said


def run_matrix(m):
    """Every document command for every sample; what crashed, and what --out, --split or --show changed."""
    fell, differ = [], []
    for path, schema in samples():
        shutil.copy(path, m.scratch)
        name = os.path.basename(path)
        for shape in MATRIX.values():
            line = shape.format(file=name, schema=schema, stem=os.path.splitext(name)[0])
            ran = m.type(line)
            if crashed(ran):
                fell.append('%s: %d %s' % (line, ran.returncode, ran.stderr[-300:]))
            plain = re.sub(r' --(out|show|format|split) \S+', '', line)
            outcome = m.outcome(line, ran)
            if m.got.setdefault(plain, outcome) != outcome:
                differ.append('%s: %s, but %s' % (line, outcome, m.got[plain]))
    return fell, differ


def fill_spool(m):
    """A spool as a user has it: two that cannot be read, one of an unknown schema, two that can."""
    for schema, names in {'receipt': ['kiosk.png', 'two-pages.pdf', 'letter.pdf', 'encrypted.pdf'],
                          'reciept': ['cafe.pdf']}.items():
        folder = os.path.join(m.scratch, 'spool/in', schema)
        os.makedirs(folder)
        for name in names:
            shutil.copy(os.path.join(m.scratch, name), folder)


def id_of(m, state, name):
    folder = os.path.join(m.scratch, 'spool', state)
    return next((i for i in os.listdir(folder) if name in open(os.path.join(folder, i, 'name.json')).read()), 'none')


def run_once(m):
    wrong = []
    fill_spool(m)
    for shape, code, text in ONCE.values():
        line = shape
        for word, state, name in (('{failed}', 'failed', 'letter.pdf'), ('{locked}', 'failed', 'encrypted.pdf'),
                                  ('{two}', 'done', 'two-pages.pdf')):
            line = line.replace(word, id_of(m, state, name)) if word in line else line
        line = line.replace('{model}', ROOT + '/vlm/embedded/platen-tiny.gguf')
        line = line.replace('{mmproj}', ROOT + '/vlm/embedded/platen-tiny-mmproj.gguf')
        ran = m.type(line)
        said = (ran.stdout + ran.stderr).decode(errors='replace')
        if crashed(ran) or (code is not None and ran.returncode != code) or text not in said:
            wrong.append('%s: exit %d: %s' % (shape, ran.returncode, said[-200:].replace('\n', ' | ')))
    return wrong


def verdict(name, wrong):
    print('%s - commands: %s%s' % ('not ok' if wrong else 'ok', name, ': ' + ' || '.join(wrong[:5]) if wrong else ''), flush=True)
    return bool(wrong)


def main():
    platen = os.path.realpath(sys.argv[1])
    known = set(MATRIX) | set(ONCE)
    known |= {line for line, stands_for in README.items() if stands_for in known}
    begins = tuple(begin for some in ELSEWHERE.values() for begin in some)
    bad = verdict('every documented command is typed by a test',
                  [line for line in documented(platen) if line not in known and not line.startswith(begins)])
    with tempfile.TemporaryDirectory() as scratch:
        m = Matrix(platen, scratch)
        fell, differ = run_matrix(m)
        bad |= verdict('no command crashes on any sample', fell)
        bad |= verdict('a record is the same with --out, --format, --split and --show', differ)
        if os.environ.get('UPDATE'):
            with open(EXPECTED, 'w', encoding='utf-8') as out:
                out.writelines('%s: %s\n' % item for item in m.got.items())
        want = dict(line.rstrip('\n').split(': ', 1) for line in open(EXPECTED, encoding='utf-8'))
        bad |= verdict('%d commands on samples end as expected' % len(want),
                       ['%s: %s, want %s' % (line, m.got.get(line), want.get(line))
                        for line in sorted(set(m.got) | set(want)) if m.got.get(line) != want.get(line)])
        bad |= verdict('every other documented command works', run_once(m))
        with open(os.path.join(scratch, 'records/market-scan.json'), encoding='utf-8') as record:
            bad |= verdict("the README's record is what platen writes", differences(record_shown(), json.load(record)))
    sys.exit(bad)


main()
