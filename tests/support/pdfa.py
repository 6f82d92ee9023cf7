#!/usr/bin/env python3
"""pdfa.py make PICTURE: scans, each with one thing that PDF/A-2b allows (pdfa-ok-*.pdf) or not (pdfa-no-*.pdf), with the reason in NAME.why.
pdfa.py check FILE...: what PDF/A-2b (ISO 19005-2) asks of each file; prints what is missing.

veraPDF is the judge where it is installed; these are the conditions that a change of pdf_writer.c or pdf_archive.c could break."""
import re
import subprocess
import sys
import zlib

from pdf_objects import pdf_of


def stream(head, content):
    return b'<< %s /Length %d >>\nstream\n%s\nendstream' % (head, len(content), content)


def make(picture):
    from PIL import Image
    im = Image.open(picture).convert('L')
    w, h = im.size
    im.save('grey.jpg', quality=90)
    im.convert('CMYK').save('cmyk-scan.jpg', quality=85)
    jpeg, cmyk = open('grey.jpg', 'rb').read(), open('cmyk-scan.jpg', 'rb').read()

    def image(colours, data, filters=b'/DCTDecode', extra=b''):
        return stream(b'/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace %s /BitsPerComponent 8 /Filter %s %s' % (w, h, colours, filters, extra), data)

    def write(name, why='', content=b'', root=b'', page=b'', resources=b'', im=image(b'/DeviceGray', jpeg), more=()):
        used = b'/Resources << /XObject << /Im 5 0 R >> %s >>' % resources
        box = b'/MediaBox [0 0 %.2f %.2f]' % (w * .48, h * .48)
        open('pdfa-%s.pdf' % name, 'wb').write(pdf_of([
            b'<< /Type /Catalog /Pages 2 0 R %s >>' % root, b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
            b'<< /Type /Page /Parent 2 0 R %s /Contents 4 0 R %s %s >>' % (box, used, page),
            stream(b'', b'q %.2f 0 0 %.2f 0 0 cm /Im Do Q %s' % (w * .48, h * .48, content)), im, *more]))
        open('pdfa-%s.why' % name, 'w').write(why)

    helvetica = b'/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'
    write('ok-scan', root=b'/OpenAction [3 0 R /Fit]')
    write('ok-layer', content=b'BT /F1 12 Tf 3 Tr 50 50 Td (Foreign words) Tj ET', resources=helvetica)
    write('ok-indexed', im=image(b'[/Indexed /DeviceRGB 255 <%s>]' % bytes(i // 3 for i in range(768)).hex().encode(), zlib.compress(im.tobytes()), b'/FlateDecode'))
    write('ok-form', im=stream(b'/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /Im 6 0 R >> >>', b'/Im Do'), more=[image(b'/DeviceGray', jpeg)])
    write('no-script', '/OpenAction', root=b'/OpenAction << /S /JavaScript /JS (1) >>')
    write('no-names', '/Names', root=b'/Names << >>')
    write('no-font', 'text of another program', content=b'BT /F1 12 Tf 50 50 Td (Stamp) Tj ET', resources=helvetica)
    write('no-cmyk', '/DeviceCMYK', im=image(b'/DeviceCMYK', cmyk, extra=b'/Decode [1 0 1 0 1 0 1 0]'))
    write('no-ink', 'the operator k', content=b'0 0 0 1 k 0 0 9 9 re f')
    write('no-link', '/Annots', page=b'/Annots [ << /Type /Annot /Subtype /Link /Rect [0 0 9 9] >> ]')
    write('no-smooth', '/Interpolate', im=image(b'/DeviceGray', jpeg, extra=b'/Interpolate true'))
    write('no-intent', '/Intent', im=image(b'/DeviceGray', jpeg, extra=b'/Intent /Other'))
    write('no-profile', 'colour profile', im=image(b'[/ICCBased 6 0 R]', jpeg), more=[stream(b'/N 1', b'x' * 200)])
    write('no-state', '/HT', content=b'/G gs', resources=b'/ExtGState << /G << /HT /Default >> >>')
    write('no-depth', 'nested graphics states', content=b'q ' * 30 + b'Q ' * 30)
    write('no-inline', 'the operator BI', content=b'q 9 0 0 9 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID a EI Q')
    write('no-box', 'a box of less than 3', page=b'/TrimBox [0 0 2 2]')


def missing(name):
    data = open(name, 'rb').read()
    plain = subprocess.run(['qpdf', '--qdf', '--object-streams=disable', name, '-'], capture_output=True).stdout
    fonts = subprocess.run(['pdffonts', name], capture_output=True, text=True).stdout.splitlines()[2:]
    wanted = {
        'a version': data.startswith(b'%PDF-1.7\n') and min(data[10:14]) > 127,
        'a claim': b'<pdfaid:part>2</pdfaid:part>' in data and b'<pdfaid:conformance>B</pdfaid:conformance>' in data,
        'its metadata': re.search(rb'/Metadata \d+ 0 R', plain) and b'/Subtype /XML' in plain,
        'an intent': re.search(rb'/OutputIntents \[', plain) and b'/GTS_PDFA1' in plain and re.search(rb'/DestOutputProfile \d+ 0 R', plain),
        'a profile': b'acsp' in plain and b'RGB XYZ ' in plain,
        'an ID': b'/ID [' in plain,
        'no encryption': b'/Encrypt' not in plain,
        'line ends before endstream': not re.search(rb'[^\n]endstream', data),
        'its font': all(line.split()[-5] == 'yes' for line in fonts if 'Platen' in line), # others are not used
        'no CMYK': b'/DeviceCMYK' not in plain,
    }
    return [what for what, there in wanted.items() if not there]


if sys.argv[1] == 'make':
    make(sys.argv[2])
else:
    for file in sys.argv[2:]:
        for what in missing(file):
            print(file, 'lacks', what)
