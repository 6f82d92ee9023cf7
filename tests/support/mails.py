#!/usr/bin/env python3
"""mails.py DIR: e-mails and PDFs with attachments, made by Python's email package, qpdf and PIL."""
import base64
import binascii
import io
import os
import struct
import subprocess
import sys
import zipfile
from email import policy
from email.message import EmailMessage
from email.mime.application import MIMEApplication
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOOD = ROOT + '/samples/good/'
PDF, PNG, JPEG = (open(GOOD + name, 'rb').read() for name in ('two-pages.pdf', 'kiosk.png', 'photo-sideways.jpg'))
out = os.path.abspath(sys.argv[1])


def head(m, subject='Invoice'):
    m['From'] = 'Jürgen Müller <jm@example.org>' if isinstance(m, EmailMessage) else 'jm@example.org'
    m['To'], m['Subject'] = 'in@example.com', subject
    m['Date'], m['Message-ID'] = 'Tue, 14 Mar 2023 10:00:00 +0100', '<one@example.org>'
    return m


def write(name, m):
    with open(os.path.join(out, name), 'wb') as f:
        f.write(m if isinstance(m, bytes) else m.as_bytes(policy=policy.SMTP))


def simple(*files, subject='Invoice'):
    m = head(EmailMessage(), subject)
    m.set_content('See the attachments.')
    m.add_alternative('<p>See the attachments.</p>', subtype='html')
    for data, kind, name in files:
        main, sub = kind.split('/')
        m.add_attachment(data, maintype=main, subtype=sub, filename=name)
    return m


def zipped(*files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
        for name, data in files:
            z.writestr(name, data, zipfile.ZIP_STORED if name == 'mimetype' else None)
    return out.getvalue()


def tnef(*files):
    """What Outlook calls winmail.dat: a mark, then attributes with a sum each."""
    def attribute(level, number, data):
        return struct.pack('<BII', level, number, len(data)) + data + struct.pack('<H', sum(data) & 0xffff)
    out = struct.pack('<IH', 0x223e9f78, 1) + attribute(1, 0x89006, struct.pack('<I', 0x10000))
    for name, data in files:
        out += attribute(2, 0x69002, b'\1\0' + b'\0' * 12) + attribute(2, 0x18010, name.encode() + b'\0') + attribute(2, 0x6800f, data)
    return out


OTHER = (zipped(('[Content_Types].xml', '<Types/>'), ('word/document.xml', '<x/>')), 'application/octet-stream', 'offer.docx')
TNEF = (b'\x78\x9f\x3e\x22 tnef', 'application/ms-tnef', 'winmail.dat')

write('two.eml', simple((PDF, 'application/pdf', 'Rechnung März.pdf'), (PNG, 'image/png', 'kiosk.png'), OTHER, subject='Rechnung für März'))
# types and endings that lie: only the bytes count
write('lying.eml', simple((PDF, 'application/octet-stream', 'scan.dat'), (b'no picture', 'image/png', 'a.png')))
write('none.eml', simple(OTHER, TNEF))
write('text.eml', simple())

nested = simple((PDF, 'application/pdf', 'a.pdf'), TNEF)
inner = simple((PNG, 'image/png', 'inside.png'), subject='the inner one')
nested.add_attachment(inner)
write('nested.eml', nested)

m = head(MIMEMultipart('mixed'))
m.attach(MIMEText('hello'))
sealed = MIMEMultipart('encrypted', protocol='application/pgp-encrypted')
sealed.attach(MIMEApplication(b'Version: 1', 'pgp-encrypted'))
sealed.attach(MIMEApplication(b'-----BEGIN PGP MESSAGE-----', 'octet-stream'))
m.attach(sealed)
smime = MIMEApplication(b'\x30\x80', 'pkcs7-mime', name='smime.p7m')
smime.add_header('Content-Disposition', 'attachment', filename='smime.p7m')
m.attach(smime)
write('sealed.eml', m)

# signed: what is signed is read, and the signature is no attachment
m = head(MIMEMultipart('signed', protocol='application/pgp-signature'))
body = MIMEMultipart('mixed')
body.attach(MIMEText('signed'))
part = MIMEApplication(PDF, 'pdf')
part.add_header('Content-Disposition', 'attachment', filename='signed.pdf')
body.attach(part)
m.attach(body)
m.attach(MIMEApplication(b'-----BEGIN PGP SIGNATURE-----', 'pgp-signature', name='signature.asc'))
write('signed.eml', m)

# what the text shows is layout
m = head(MIMEMultipart('related'))
m.attach(MIMEText('<img src="cid:logo"><img src="cid:photo">', 'html'))
for cid, data, sub in (('logo', PNG, 'png'), ('photo', JPEG + b'\0' * max(0, 100001 - len(JPEG)), 'jpeg')):
    part = MIMEBase('image', sub)
    part.set_payload(base64.encodebytes(data).decode())
    part['Content-Transfer-Encoding'] = 'base64'
    part['Content-ID'] = '<%s>' % cid
    part['Content-Disposition'] = 'inline'
    m.attach(part)
write('logo.eml', m)

# old spellings: encoded words and a name in pieces, in Latin-1
raw = simple((PDF, 'application/pdf', 'NAME')).as_bytes(policy=policy.SMTP)
raw = raw.replace(b'Subject: Invoice', b'Subject: =?iso-8859-1?Q?Gru=DF_aus_K=F6ln?=')
raw = raw.replace(b'filename="NAME"', b"filename*0*=iso-8859-1''%DCber;\r\n filename*1*=%20zwei.pdf")
write('latin.eml', raw)
write('unix.eml', raw.replace(b'\r\n', b'\n'))
write('bare.eml', b'Received: from a by b; Tue, 14 Mar 2023 10:00:00 +0100\r\nSubject: no attachment at all\r\nFrom: a@b.c\r\n\r\nhello\r\n')

# pictures that no text shows
for name, text, kind in (('unshown.eml', '<p>see below</p>', 'html'), ('unshown-plain.eml', 'see below', 'plain')):
    m = head(MIMEMultipart('related'))
    m.attach(MIMEText(text, kind))
    part = MIMEApplication(PNG, 'x')
    part.replace_header('Content-Type', 'image/png')
    part['Content-ID'], part['Content-Disposition'] = '<x@y>', 'inline; filename="photo.png"'
    m.attach(part)
    write(name, m)
shown = head(MIMEMultipart('mixed'))
shown.attach(MIMEText('<img src="cid:logo%40x">', 'html'))
part = MIMEApplication(PNG, 'x')
part.replace_header('Content-Type', 'image/png')
part['Content-ID'], part['Content-Disposition'] = '<logo@x>', 'inline; filename="logo.png"'
shown.attach(part)
write('only-logo.eml', shown)
part = MIMEApplication(PDF, 'pdf', name='a.pdf')
shown.attach(part)
write('logo-and-pdf.eml', shown)

# types that lie, and parts that say nothing
UBL = open(ROOT + '/samples/invoice/xrechnung-ubl.xml', 'rb').read()
LETTER = b'<?xml version="1.0"?><order><id>7</id></order>'


def parts(*files, end=b'--B--\n', top=b'', eol=b'\n'):
    out = top + b'From: a@example.org\nTo: b@example.org\nSubject: Invoice\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n'
    for fields, data in files:
        out += b'--B\n' + fields + (b'Content-Transfer-Encoding: base64\n\n' + base64.encodebytes(data) if data else b'')
    return (out + end).replace(b'\n', eol)


def of(kind, name=''):
    return b'Content-Type: %s\n' % kind.encode() + (b'Content-Disposition: attachment; filename="%s"\n' % name.encode() if name else b'')


for i, kind in enumerate(('application/pkcs7-signature', 'application/pgp-signature', 'application/pgp-keys', 'text/plain', 'text/html', 'application/octet-stream')):
    write('hidden%d.eml' % i, parts((of(kind), PDF)))
write('bare-xml.eml', parts((of('text/xml'), UBL), (of('application/pdf', 'a.pdf'), PDF)))
write('bare-xml2.eml', parts((of('application/xml'), UBL)))
write('order.eml', parts((of('application/pdf', 'a.pdf'), PDF), (of('application/xml', 'order.xml'), LETTER)))
write('apple.eml', parts((of('application/applefile', '._a.pdf'), b'\0\5\x16\7\0\2\0\0'), (of('application/pdf', 'a.pdf'), PDF)))
write('failing.eml', parts((of('application/pdf', 'a.pdf'), PDF[:900]), (of('application/x', 'notes.doc'), b'\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old')))

# damaged, or older than MIME
whole = parts((of('application/pdf', 'a.pdf'), PDF), (of('image/png', 'b.png'), PNG))
write('no-end.eml', parts((of('application/pdf', 'a.pdf'), PDF), end=b''))
write('cut-first.eml', whole[:whole.index(b'--B', whole.index(b'PDF') + 20) + 60])
write('cut-lost.eml', whole[:whole.rindex(b'--B\n')])
write('no-blank.eml', whole.replace(b'boundary="B"\n\n--B', b'boundary="B"\n--B'))
write('early-blank.eml', whole.replace(b'MIME-Version', b'\nMIME-Version', 1))
write('undeclared.eml', whole.replace(b'Content-Transfer-Encoding: base64\n', b''))
write('bad-base64.eml', whole.replace(b'\nAAAA', b'\n!!!!', 1) if b'\nAAAA' in whole else whole.replace(b'\n\niVBOR', b'\n\n**\niVBOR'))
cut = base64.encodebytes(PDF)[:-1].rstrip(b'=')
while len(cut.replace(b'\n', b'')) % 4 != 3:
    cut = cut[:-1]
write('base64-cut.eml', b'From: a@example.org\nTo: b@example.org\nMIME-Version: 1.0\nContent-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n' + cut)
for name, top in (('bom.eml', b'\xef\xbb\xbf'), ('lines.eml', b'\r\n\n'), ('mbox.eml', b'From a@example.org Tue Mar 14 10:00:00 2023\n')):
    write(name, parts((of('application/pdf', 'a.pdf'), PDF), top=top))
uu = b'begin 644 scan.png\n' + b''.join(binascii.b2a_uu(PNG[i:i + 45]) for i in range(0, len(PNG), 45)) + b'`\nend\n'
write('uu.eml', b'From: a@example.org\nTo: b@example.org\nSubject: s\n\nSee below.\n' + uu)
write('uu-cut.eml', b'From: a@example.org\nTo: b@example.org\nSubject: s\n\nSee below.\n' + uu[:-40])

# containers
inner = parts((of('application/pdf', 'a.pdf'), PDF))
write('zip.eml', parts((of('application/zip', 'z.zip'), zipped(('folder/', ''), ('folder/a.pdf', PDF), ('b.png', PNG), ('c.txt', 'hello'), ('m.eml', inner)))))
write('tnef.eml', parts((of('application/ms-tnef', 'winmail.dat'), tnef(('A.PDF', PDF), ('B.PNG', PNG)))))
write('tnef-cut.eml', parts((of('application/ms-tnef', 'winmail.dat'), tnef(('A.PDF', PDF), ('B.PNG', PNG))[:-3000])))
write('zip-cut.eml', parts((of('application/zip', 'z.zip'), zipped(('a.pdf', PDF))[:-9000])))
write('7z.eml', parts((of('application/x', 'z.7z'), b'7z\xbc\xaf\x27\x1c\0\4' + PDF)))
write('octets.eml', parts((of('application/octet-stream', 'fwd.eml'), inner)))
for levels in (3, 4):
    m = inner
    for _ in range(levels):
        m = parts((of('application/octet-stream', 'up.eml'), m))
    write('levels%d.eml' % levels, m)
run = subprocess.run
os.chdir(out)
run('openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout key.pem -out cert.pem -days 2', shell=True, check=True, stderr=subprocess.DEVNULL)
open('entity', 'wb').write(inner[inner.index(b'Content-Type'):])
open('plain.pdf', 'wb').write(PDF)
run('openssl smime -sign -nodetach -in entity -signer cert.pem -inkey key.pem -outform DER -out opaque.p7m', shell=True, check=True)
run('openssl cms -sign -nodetach -binary -cades -in plain.pdf -signer cert.pem -inkey key.pem -outform DER -out plain.p7m', shell=True, check=True)
run('openssl cms -sign -nodetach -binary -stream -in plain.pdf -signer cert.pem -inkey key.pem -outform DER -out streamed.p7m', shell=True, check=True)
run('openssl cms -encrypt -in entity -outform DER -out sealed.p7m cert.pem', shell=True, check=True)
for name in ('opaque', 'plain', 'streamed', 'sealed'):
    write('p7m-%s.eml' % name, parts((of('application/pkcs7-mime; smime-type=signed-data', name + '.p7m'), open(name + '.p7m', 'rb').read())))

# deep, many, cut short
m = MIMEMultipart('mixed')
part = MIMEApplication(PDF, 'pdf')
m.attach(part)
for _ in range(60):
    up = MIMEMultipart('mixed')
    up.attach(m)
    m = up
write('deep.eml', head(m))
write('many.eml', simple(*[(PNG, 'image/png', '%d.png' % i) for i in range(103)]))
write('cut.eml', simple((PDF, 'application/pdf', 'a.pdf')).as_bytes(policy=policy.SMTP)[:90000])
write('locked.eml', simple((open(ROOT + '/samples/bad/encrypted.pdf', 'rb').read(), 'application/pdf', 'locked.pdf')))

# --- PDFs with attachments
os.chdir(out)
open('terms.odt', 'wb').write(zipped(('mimetype', 'application/vnd.oasis.opendocument.text')))
open('order.xml', 'wb').write(b'<?xml version="1.0"?><order/>')
open('factur-x.xml', 'wb').write(b'<?xml version="1.0"?><none/>')


def qpdf(*arguments):
    subprocess.run(['qpdf', *arguments], check=True)


qpdf(GOOD + 'cafe.pdf', '--add-attachment', GOOD + 'two-pages.pdf', '--', '--add-attachment', GOOD + 'kiosk.png', '--', '--add-attachment', 'terms.odt', '--',
     '--add-attachment', 'order.xml', '--', '--add-attachment', 'factur-x.xml', '--', 'holder.pdf')
qpdf(GOOD + 'cafe.pdf', '--add-attachment', 'holder.pdf', '--', 'twice.pdf')
qpdf(GOOD + 'cafe.pdf', '--add-attachment', 'terms.odt', '--', 'text-only.pdf')
sys.path.insert(0, ROOT + '/tests/support')
from pdf_objects import pdf_of
# attached to a page, not to the file
TEXT = b'BT /F 20 Tf 40 200 Td (See the pin) Tj ET'
open('pinned.pdf', 'wb').write(pdf_of([
    b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[3 0 R]/Count 1>>',
    b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Annots[4 0 R]/Contents 7 0 R/Resources<</Font<</F 8 0 R>>>>>>',
    b'<</Type/Annot/Subtype/FileAttachment/Rect[10 10 30 30]/FS 5 0 R>>', b'<</Type/Filespec/F(kiosk.png)/EF<</F 6 0 R>>>>',
    b'<</Type/EmbeddedFile/Length %d>>stream\n%s\nendstream' % (len(PNG), PNG), b'<</Length %d>>stream\n%s\nendstream' % (len(TEXT), TEXT),
    b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>']))
qpdf('--encrypt', 'secret', 'x', '256', '--', 'holder.pdf', 'sealed.pdf')
