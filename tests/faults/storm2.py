#!/usr/bin/env python3
"""storm2.py PLATEN FOLDER KILLS SECONDS ENGINE: see storm2.sh."""
import base64
import collections
import hashlib
import http.server
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

PLATEN, FOLDER, KILLS, SECONDS, ENGINE = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SPOOL = FOLDER + '/s'
SEED = int(os.environ.get('SEED', '1'))
FORMATS = 'json,xml,pdf,hocr,alto' if ENGINE == 'null' else 'json,xml'
FOLDERS = ('', 'a', 'a/b', 'deep/x/y/z', 'spa ce', 'n\nl', '\u00e4\u00f6', '-rf')
QUIET_MOST = 400  # seconds: documents wait 10 s and longer after kills
luck = random.Random(SEED)


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# --- documents ---------------------------------------------------------------

PICTURE = read(ROOT + '/tests/faults/good.png')
STACK = read(ROOT + '/tests/faults/stack.tif')
PDF = read(ROOT + '/samples/good/cafe.pdf')
INVOICE = read(ROOT + '/samples/invoice/xrechnung-cii.xml')


class Documents:
    """What was dropped, and what has to come of it."""

    def __init__(self):
        self.n = 0
        self.whole = {}                         # hash of a file: is it good?
        self.attached = collections.Counter()   # hash of an attached file
        self.bad = set()                        # hashes of what has to fail
        self.page_parts = 0

    def drop(self, ending, data, good=True):
        folder = '%s/in/faults/%s' % (SPOOL, luck.choice(FOLDERS))
        os.makedirs(folder, exist_ok=True)
        aside = '%s/aside' % FOLDER
        with open(aside, 'wb') as f:
            f.write(data)
        os.rename(aside, '%s/%d.%s' % (folder, self.n, ending))
        self.whole[sha256(data)] = good
        if not good:
            self.bad.add(sha256(data))

    def mail(self, mark):
        parts = []
        for i in range(luck.randint(1, 4)):
            own = mark + b'-%d' % i
            kind = luck.random()
            if kind < .6:
                name, data = luck.choice(('k.png', '../../x.png', 'same.png')), PICTURE + own
            elif kind < .8:
                name, data = 'c.pdf', PDF + b'\n%' + own
            else:
                name, data = 'bad.pdf', b'%PDF-1.4 damaged ' + own
                self.bad.add(sha256(data))
            self.attached[sha256(data)] += 1
            parts.append('--B\r\nContent-Type: application/octet-stream; name="%s"\r\nContent-Disposition: attachment; filename="%s"\r\nContent-Transfer-Encoding: base64\r\n\r\n%s\r\n'
                         % (name, name, base64.encodebytes(data).decode().replace('\n', '\r\n')))
        head = 'From: a@example.org\r\nSubject: mail %s\r\nDate: Tue, 14 Mar 2023 10:00:00 +0100\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="B"\r\n\r\n' % mark.decode()
        self.drop('eml', (head + ''.join(parts) + '--B--\r\n').encode())

    def make(self):
        self.n += 1
        mark = b'%d.%d' % (SEED, self.n)
        kind = luck.random()
        if kind < .3:
            self.mail(mark)
        elif kind < .5:
            self.drop('tif', STACK + mark)
            self.page_parts += 3
        elif kind < .6:
            self.drop('pdf', PDF + b'\n%' + mark)
        elif kind < .67:
            self.drop('pdf', b'%PDF-1.5 no ' + mark, good=False)
        else:
            self.drop('png', PICTURE + mark)


# --- an endpoint --------------------------------------------------------------

class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def say(self, what):
        body = json.dumps(what).encode()
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.say({'data': [{'id': 'm', 'max_model_len': 32768}]})

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        time.sleep(luck.random() * .2)
        self.say({'choices': [{'message': {'role': 'assistant', 'content': ANSWER}, 'finish_reason': 'stop'}],
                  'usage': {'prompt_tokens': 1, 'completion_tokens': 1}})


def serve():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Answers)
    server.handle_error = lambda *args: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return 'http://127.0.0.1:%d' % server.server_address[1]


# what fits tests/faults/faults.schema.json
ANSWER = '{"text": "x"}'


# --- the storm ------------------------------------------------------------------

def options():
    o = ['--engine', ENGINE, '--stable-for', '0', '--schemas', ROOT + '/tests/faults', '--min-free-space', '1',
         '--split', 'barcode', '--attachments', 'read', '--jobs', '3', '--format', FORMATS, '--rescan', '0.5']
    if ENGINE == 'endpoint':
        o += ['--endpoint', serve()]
    if ENGINE != 'null':
        o += ['--ocr', 'off']
    return o


class Storm:
    def __init__(self):
        self.documents = Documents()
        self.options = options()
        self.log = open(FOLDER + '/log', 'ab')
        self.kills = collections.Counter()
        self.watcher = [self.watch(), self.watch()]

    def watch(self):
        return subprocess.Popen([PLATEN, 'watch', SPOOL, *self.options], stdout=self.log, stderr=self.log)

    def processes(self):
        """(process, type) of all of them."""
        parent, name = {}, {}
        for p in filter(str.isdigit, os.listdir('/proc')):
            try:
                text = read('/proc/%s/stat' % p).decode('latin-1')
            except OSError:
                continue
            state, up = text[text.rindex(')') + 2:].split()[:2]
            if state != 'Z':
                parent[int(p)] = int(up)
                name[int(p)] = text[text.index('(') + 1:text.rindex(')')]
        top = {w.pid for w in self.watcher}
        mine, more = set(top), True
        while more:
            more = {p for p, up in parent.items() if up in mine} - mine
            mine |= more
        return [(p, 'supervisor' if p in top else 'worker' if name[p] == 'platen' else name[p]) for p in mine if p in name]

    def kill_one(self):
        alive = self.processes()
        kinds = sorted({kind for _, kind in alive})
        if not kinds:
            return
        kind = luck.choice(kinds)
        if kind == 'supervisor' and luck.random() < .6:
            return
        victim = luck.choice([p for p, k in alive if k == kind])
        try:
            os.kill(victim, signal.SIGKILL)
            self.kills[kind] += 1
        except OSError:
            pass

    def hunt(self, kind):
        """Kills one that lives for milliseconds: looks at the workers' children."""
        workers = [p for p, k in self.processes() if k == 'worker']
        end = time.time() + .5
        while time.time() < end:
            for w in workers:
                try:
                    for child in read('/proc/%d/task/%d/children' % (w, w)).split():
                        if read('/proc/%d/comm' % int(child)).strip() == kind:
                            os.kill(int(child), signal.SIGKILL)
                            self.kills[kind.decode()] += 1
                            return
                except OSError:
                    continue

    def rage(self):
        end = time.time() + SECONDS
        while time.time() < end and sum(self.kills.values()) < KILLS:
            if len(os.listdir(SPOOL + '/work')) < 25 and self.documents.n < 6 + KILLS // 5:
                for _ in range(luck.randint(0, 2)):
                    self.documents.make()
            time.sleep(luck.random() * .1)
            if luck.random() < .1:
                self.hunt(b'platen-checker')
            else:
                self.kill_one()
            for i, w in enumerate(self.watcher):
                if w.poll() is not None:
                    self.watcher[i] = self.watch()
        for w in self.watcher:
            w.terminate()
        for w in self.watcher:
            w.wait()

    def left(self):
        return [f for _, _, files in os.walk(SPOOL + '/in') for f in files] + os.listdir(SPOOL + '/work')

    def calm(self):
        end = time.time() + QUIET_MOST
        while self.left() and time.time() < end:
            subprocess.run([PLATEN, 'run', SPOOL, *self.options], stdout=self.log, stderr=self.log)
            time.sleep(1)


# --- what has come of it ----------------------------------------------------------

class Count:
    def __init__(self, storm):
        self.storm, self.fault = storm, []
        self.whole, self.attached = collections.Counter(), collections.Counter()
        self.failed, self.state = collections.Counter(), collections.Counter()
        self.page_parts = 0
        self.records = collections.Counter()  # inodes that out/ must have

    def document(self, place, name):
        folder = '%s/%s/%s/' % (SPOOL, place, name)
        files, digest = set(os.listdir(folder)), sha256(read(folder + 'doc'))
        self.state[place] += 1
        part = json.loads(read(folder + 'part.json')) if 'part.json' in files else None
        if part is None:
            self.whole[digest] += 1
        elif 'attachment' in part:
            self.attached[digest] += 1
        else:
            self.page_parts += 1
        for file in files:
            if file.endswith('.tmp') or file in ('rows', 'pace', 'attempt.deferred'):
                self.fault.append('left: ' + folder + file)
        if place == 'failed':
            self.fail(folder, digest)
        else:
            self.done(folder, digest, files)

    def fail(self, folder, digest):
        reason = json.loads(read(folder + 'reason.json'))
        self.failed[reason['code']] += 1
        if digest not in self.storm.documents.bad:
            self.fault.append('condemned: %s %s: %s' % (folder, reason['code'], reason['text']))

    def done(self, folder, digest, files):
        record = json.loads(read(folder + 'record.json'))
        if record['source']['sha256'] != digest:
            self.fault.append('a record of other bytes: ' + folder)
        if digest in self.storm.documents.bad:
            self.fault.append('a damaged document is done: ' + folder)
        if 'parts' not in files:
            for file in files & {'record.json', 'record.xml', 'record.searchable.pdf', 'record.hocr', 'record.alto.xml'}:
                self.records[os.stat(folder + file).st_ino] += 1
            return
        if os.listdir(folder + 'parts'):
            self.fault.append('parts are left: ' + folder)
        for part in record['parts']:
            if not any(os.path.exists('%s/%s/%s' % (SPOOL, p, part['id'])) for p in ('done', 'failed')):
                self.fault.append('a part is nowhere: ' + part['id'])

    def compare(self, what, got, wanted):
        for key in set(got) | set(wanted):
            if got[key] != wanted[key]:
                self.fault.append('%s %s: %d times, not %d' % (what, key, got[key], wanted[key]))

    def out(self):
        got = collections.Counter()
        for base, _, files in os.walk(SPOOL + '/out'):
            for f in files:
                got[os.stat(base + '/' + f).st_ino] += 1
        self.compare('out/ has inode', got, self.records)

    def all(self):
        documents = self.storm.documents
        for place in ('done', 'failed'):
            for name in os.listdir('%s/%s' % (SPOOL, place)):
                self.document(place, name)
        self.compare('document', self.whole, collections.Counter(documents.whole.keys()))
        self.compare('attachment', self.attached, documents.attached)
        if self.page_parts != documents.page_parts:
            self.fault.append('%d parts of pages, not %d' % (self.page_parts, documents.page_parts))
        self.out()
        left = self.storm.left() + os.listdir(SPOOL + '/pending')
        if left:
            self.fault.append('left: %s' % left[:5])
        fsck = subprocess.run([PLATEN, 'fsck', SPOOL], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if fsck.returncode:
            self.fault.append('fsck: ' + fsck.stdout.decode('utf-8', 'replace')[-400:])


def main():
    os.makedirs(SPOOL + '/in/faults')
    os.makedirs(SPOOL + '/work')
    storm = Storm()
    storm.rage()
    begun = time.time()
    storm.calm()
    count = Count(storm)
    count.all()
    kills = sum(storm.kills.values())
    print('storm2 %s: %d documents, %d attachments, %d parts, %d kills %s, %s, failed %s, quiet after %d s' % (
        ENGINE, storm.documents.n, sum(storm.documents.attached.values()), storm.documents.page_parts, kills,
        dict(storm.kills), dict(count.state), dict(count.failed), time.time() - begun))
    if kills == 0:
        count.fault.append('nothing was killed')
    for fault in count.fault[:20]:
        print('not ok - storm2 %s: %s' % (ENGINE, fault.replace('\n', ' ')))
    if count.fault:
        keep = os.environ.get('KEEP')
        if keep:
            subprocess.run(['cp', '-a', FOLDER, keep])
        sys.exit(1)
    print('ok - %d kills of every type of process (%s), each document and part exactly once' % (kills, ENGINE))


main()
