#!/usr/bin/env python3
"""review_client.py SPOOL ID FAILED COMMAND...: starts COMMAND (platen review, under whatever watches it), corrects a value
of document ID four times, takes the last back, fills in FAILED by hand, and stops it. Prints a line for each that was
acknowledged; ends quietly where the server is gone."""
import http.client
import json
import signal
import subprocess
import sys

spool, doc, failed = sys.argv[1:4]
server = subprocess.Popen(sys.argv[4:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
address = server.stdout.readline().strip()
try:
    host, token = address[len('http://'):].split('/#')
    head = {'X-Platen-Token': token, 'Origin': 'http://' + host, 'Content-Type': 'application/json'}
    wire = http.client.HTTPConnection(host, timeout=20)

    def ask(how, path, body=None):
        wire.request(how, '/api/v1/documents/' + path, headers=head, body=json.dumps(body) if body else None)
        answer = wire.getresponse()
        value = json.loads(answer.read())
        assert answer.status == 200, (answer.status, value)
        return value

    version = 0
    for name in 'one', 'two', 'three', 'four':
        change = {'pointer': '/text', 'new': name}
        version = ask('POST', doc + '/corrections', {'version': version, 'changes': [change]})['version']
        print(name, flush=True)
    ask('POST', doc + '/corrections', {'version': version, 'undo': version - 1})
    print('undone', flush=True)
    ask('POST', failed + '/fill', {'data': {'text': 'by hand'}})
    print('filled', flush=True)
except (OSError, ValueError, http.client.HTTPException):
    pass
finally:
    # below strace it is a child; without, its children are not to be stopped instead of it
    under = ['pgrep', '-P', str(server.pid)] if 'strace' in sys.argv[4] else ['echo', str(server.pid)]
    below = subprocess.run(under, capture_output=True, text=True).stdout.split()
    if server.poll() is None:
        subprocess.run(['kill', '-TERM', *(below or [str(server.pid)])])
    server.wait()
