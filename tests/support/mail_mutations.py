#!/usr/bin/env python3
"""Mutated mails: nothing that Python's email package still sees in one is lost silently.

  mail_mutations.py PLATEN-RASTER [N [SEED]]

makes N mails (default 300) of several kinds, damages each at a few places (bits, lines removed, doubled,
exchanged or cut, ends of lines, headers), and asks the rasteriser for its attachments. Each part that Python decodes
and that is a PDF or a picture has to be among the files sent, be named, or something of the mail has to be reported
as damaged. Prints "ok - ..." or "not ok - ...".
"""
import base64
import email
import io
import os
import random
import re
import sys
import tempfile
import zipfile
from email.message import EmailMessage
from email import policy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import raster_frames

program, count, seed = sys.argv[1], int((sys.argv[2:] + ['300'])[0]), int((sys.argv[3:] + ['1'])[0])
GOOD = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + '/samples/good/'
PDF = b'%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n' + bytes(range(256)) * 5 + b'\ntrailer<</Root 1 0 R>>\n%%EOF\n'
PNG = open(GOOD + 'kiosk.png', 'rb').read()[:3000]


def unlike(data, i):
    return data + b'%d' % i


def plain(n):
    m = EmailMessage()
    m['From'], m['To'], m['Subject'], m['Date'] = 'a@x.org', 'b@y.org', 'invoices', 'Tue, 14 Mar 2023 10:00:00 +0100'
    m.set_content('See the attachments.')
    m.add_alternative('<p>See <img src="cid:logo"></p>', subtype='html')
    for i in range(n):
        data, main, sub, name = (PDF, 'application', 'pdf', 'i%d.pdf') if i % 2 else (PNG, 'image', 'png', 'p%d.png')
        m.add_attachment(unlike(data, i), maintype=main, subtype=sub, filename=name % i)
    return m


def seeds():
    yield plain(1).as_bytes(policy=policy.SMTP)
    yield plain(3).as_bytes()
    m = plain(2)
    m.add_attachment(plain(2))
    yield m.as_bytes(policy=policy.SMTP)
    m = plain(1)
    m.add_attachment(plain(3).as_bytes(), maintype='application', subtype='octet-stream', filename='fwd.eml')
    yield m.as_bytes()
    z = io.BytesIO()
    with zipfile.ZipFile(z, 'w', zipfile.ZIP_DEFLATED) as f:
        f.writestr('in.pdf', PDF)
    m = plain(2)
    m.add_attachment(z.getvalue(), maintype='application', subtype='zip', filename='a.zip')
    yield m.as_bytes(policy=policy.SMTP)
    body = b'From: a@x\nTo: b@y\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\nhi\n'
    for i, kind in enumerate((b'application/octet-stream', b'image/png', b'application/pdf; name=x.pdf')):
        body += b'--B\nContent-Type: ' + kind + b'\nContent-Transfer-Encoding: base64\n\n' + base64.encodebytes(unlike(PNG if i == 1 else PDF, i))
    yield body + b'--B--\n'
    yield (body + b'--B--\n').replace(b'\n', b'\r\n')


def damage(data, r):
    kind = r.randrange(9)
    lines = data.splitlines(keepends=True)
    heads = [i for i, line in enumerate(lines) if re.match(rb'--|[A-Za-z-]+:|\s+\S+=|\r?\n', line)]
    i = r.choice(heads) if heads and r.random() < .7 else r.randrange(len(lines))
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(i, lines[r.randrange(len(lines))])
    elif kind == 2:
        j = r.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 3:
        return data[:r.randrange(200, len(data))]
    elif kind == 4:
        lines[i] = lines[i].rstrip(b'\r\n') + r.choice((b'\n', b'\r\n', b'\r', b''))
    elif kind == 5:
        at = r.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << r.randrange(8)]) + data[at + 1:]
    elif kind == 6 and lines[i].strip():
        at = r.randrange(len(lines[i].rstrip(b'\r\n')) + 1)
        lines[i] = lines[i][:at] + r.choice((b' ', b'x', b'"', b';', b'=', b'-', b'\0', b'\n')) + lines[i][at + r.randrange(2):]
    elif kind == 7:
        del lines[i:i + r.randrange(1, 30)]
    else:
        lines[i] = lines[i].upper() if r.random() < .5 else lines[i].lower()
    return b''.join(lines)


def seen(data):
    """What Python finds: a list of (name, bytes) of the files."""
    found = []
    for part in email.message_from_bytes(data).walk():
        if part.is_multipart():
            continue
        try:
            content = part.get_payload(decode=True) or b''
        except Exception:
            continue
        if content[:5] == b'%PDF-' or content[:8] == b'\x89PNG\r\n\x1a\n':
            found.append((part.get_filename() or '', content))
    return found


def lost(data, path):
    with open(path, 'wb') as f:
        f.write(data)
    r = raster_frames.run(program, path, 'mail', '--files', '--max-bytes', '100000000')
    if not r.ended:
        return '' if r.reason else 'the rasteriser died: %s' % r.rc
    named = r.other
    sent = [content for _, content in r.files]
    for name, content in seen(data):
        told = (name and name in named) or 'damaged' in named or '(empty)' in named or 'cut short' in named or ' more' in named
        same = any(s == content or s.rstrip(b'\r\n') == content.rstrip(b'\r\n') for s in sent)
        if not same and not told:
            return '%r of %d bytes: sent %r, other %r' % (name, len(content), [(n, len(c)) for n, c in r.files], named)
    return ''


random.seed(seed)
all_seeds, bad, n_part, n_told = list(seeds()), [], 0, 0
with tempfile.TemporaryDirectory() as folder:
    path = folder + '/mail'
    for data in all_seeds:
        why = lost(data, path)
        if why:
            print('not ok - mail mutations: before any: ' + why)
    for i in range(count):
        r = random.Random(seed * 1000003 + i)
        data = r.choice(all_seeds)
        for _ in range(r.randrange(1, 4)):
            data = damage(data, r) or data
        why = lost(data, path)
        n_part += len(seen(data))
        if why:
            bad.append((i, why))
            if os.environ.get('KEEP'):
                open('%s/%d.eml' % (os.environ['KEEP'], i), 'wb').write(data)
what = 'mail mutations: %d mails, %d files that Python sees' % (count, n_part)
print('not ok - %s: %d lost, mail %d: %s' % (what, len(bad), *bad[0]) if bad else 'ok - ' + what)
for i, why in bad[1:] if os.environ.get('KEEP') else []:
    print('#', i, why)
sys.exit(bool(bad))
