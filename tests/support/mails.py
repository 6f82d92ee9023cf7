#!/usr/bin/env python3
"""mails.py DIR: e-mails and PDFs with attachments, made by Python's email package, qpdf and PIL."""
import base64
import os
import subprocess
import sys
from email import policy
from email.message import EmailMessage
from email.mime.application import MIMEApplication
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOOD = ROOT + '/samples/good/'
PDF, PNG, JPEG = (open(GOOD + name, 'rb').read() for name in ('two-pages.pdf', 'kiosk.png', 'photo-sideways.jpg'))
out = sys.argv[1]


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


OTHER = (b'PK\3\4 an office file', 'application/octet-stream', 'offer.docx')
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

# a logo is layout, a photograph that the text shows is not
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
open('terms.odt', 'wb').write(b'PK\3\4 text')
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
