#!/usr/bin/env python3
"""records.py PLATEN FOLDER: holds every record below FOLDER, JSON and XML, to the
schema that platen ships (platen schema show record, stack; platen schema xsd
record): by platen's own validator, by python3-jsonschema and by xmllint where
they are there. What is torn or no record is passed over. One verdict; none where
there is no record."""
import json, os, re, shutil, subprocess, sys, tempfile

platen, folder = sys.argv[1:]
JSON_MOST, PEER_MOST, BYTES_MOST = 20000, 1 << 20, 60 << 20
OURS = re.compile(rb'\s*\{\s*"format":\s*"platen-(record|stack)/')
XML = re.compile(rb'\s*<\?xml[^>]*\?>\s*<record\s')


def look(path, found):
    """Sorts the file in: the record itself, or each line of a list of them."""
    if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > BYTES_MOST:
        return
    try:
        with open(path, 'rb') as f:
            text = f.read(200)
            kind = OURS.match(text)
            if not kind and not XML.match(text):
                return
            text += f.read()
    except OSError:
        return
    if not kind:
        if text.rstrip().endswith(b'</record>'):
            found['xml'].append((path, text))
        return
    for part in [text] if whole(text) else text.splitlines():
        if whole(part):
            found[OURS.match(part)[1].decode()].append((path, part))


def whole(text):
    try:
        return OURS.match(text) and json.loads(text) is not None
    except ValueError:
        return False


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')


def copies(records, ending, place):
    """Files of their own: a path may hold several, or be gone."""
    paths = []
    for i, (path, text) in enumerate(records):
        paths.append('%s/%s.%d.%s' % (place, os.path.basename(path)[:80], i, ending))
        with open(paths[-1], 'wb') as f:
            f.write(text)
    return paths


def own(name, paths):
    for i in range(0, len(paths), 500):
        r = run(platen, 'validate', '--schema', 'platen-' + name, *paths[i:i + 500])
        if r.returncode:
            yield '\n'.join(line for line in r.stdout.splitlines() if not line.endswith(': valid'))[:2000]


def peer(name, records):
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        return
    judge = Draft202012Validator(json.loads(run(platen, 'schema', 'show', 'platen-' + name).stdout))
    for path, text in records:
        if len(text) > PEER_MOST:
            continue
        for error in judge.iter_errors(json.loads(text)):
            yield 'jsonschema: %s: /%s: %.300s' % (path, '/'.join(map(str, error.path)), error.message)
            return


def lint(paths, place):
    if not paths or not shutil.which('xmllint'):
        return
    xsd = place + '/record.xsd'
    with open(xsd, 'w') as f:
        f.write(run(platen, 'schema', 'xsd', 'platen-record').stdout)
    r = run('xmllint', '--noout', '--huge', '--schema', xsd, *paths[:500])
    if r.returncode:
        yield '\n'.join(line for line in r.stdout.splitlines() if not line.endswith(' validates'))[:2000]


found = {'record': [], 'stack': [], 'xml': []}
for at, folders, files in os.walk(folder):
    for file in files:
        look(os.path.join(at, file), found)
n = sum(map(len, found.values()))
if not n:
    sys.exit(0)
with tempfile.TemporaryDirectory() as place:
    why = []
    for name in ('record', 'stack'):
        paths = copies(found[name], name + '.json', place)
        why += [*own(name, paths), *peer(name, found[name][:JSON_MOST])] if paths else []
    paths = copies(found['xml'], 'xml', place)
    why += [*own('record', paths), *lint(paths, place)]
name = 'each of %d records is as their schema says' % n
print('not ok - %s: %s' % (name, '; '.join(why)) if why else 'ok - ' + name)
sys.exit(bool(why))
