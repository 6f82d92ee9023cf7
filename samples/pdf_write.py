"""A few hundred bytes of PDF around text and pictures, the same for the same input (no dates, no ids)."""
import io
import zlib

from PIL import Image, ImageFont, TiffImagePlugin

FONTS = '/usr/share/fonts/truetype/%s/%s.ttf'
# Debian's fonts-liberation and fonts-dejavu, fonts-crosextra-caladea and -carlito: all may be embedded and passed on
FOLDERS = {'Liberation': 'liberation', 'DejaVu': 'dejavu', 'Caladea': 'crosextra', 'Carlito': 'crosextra'}


def _g4(im):
    """The G4 strip of a bilevel picture, by libtiff through Pillow."""
    mem = io.BytesIO()
    TiffImagePlugin.STRIP_SIZE = 1 << 30
    im.save(mem, 'TIFF', compression='group4')
    tif = Image.open(io.BytesIO(mem.getvalue()))
    at, size = tif.tag_v2[273][0], tif.tag_v2[279][0]
    return mem.getvalue()[at:at + size], tif.tag_v2[262] == 0


def file_of(name):
    """Of a font that is embedded; None where its name is all that a PDF needs."""
    return next((FONTS % (folder, name) for family, folder in FOLDERS.items() if name.startswith(family)), None)


def widths(name):
    """Of a font that is embedded, from the space on, in thousandths of an em."""
    font = ImageFont.truetype(file_of(name), 1000, layout_engine=ImageFont.Layout.BASIC)
    return [round(font.getlength(bytes([c]).decode('cp1252', 'replace'))) for c in range(32, 256)]


class Page:
    def __init__(self, pdf, width, height, rotate):
        self.pdf, self.size, self.rotate = pdf, (width, height), rotate
        self.ops, self.fonts, self.images = [], set(), []

    def text(self, x, y, size, text, font='Helvetica', grey=0):
        """Latin-1 text on baseline (x, y) in points from the lower left."""
        self.fonts.add(font)
        data = text.encode('cp1252').replace(b'\\', b'\\\\').replace(b'(', b'\\(').replace(b')', b'\\)')
        self.ops.append(b'BT %g g /%s %g Tf %g %g Td (%s) Tj ET' % (grey, font.encode(), size, x, y, data))
        return self

    def rule(self, x0, x1, y, width=0.6):
        self.ops.append(b'%g w %g %g m %g %g l S' % (width, x0, y, x1, y))
        return self

    def image(self, im, x, y, width, height, quality=80):
        self.images.append(self.pdf.add_image(im, quality))
        self.ops.append(b'q %g 0 0 %g %g %g cm /I%d Do Q' % (width, height, x, y, self.images[-1]))
        return self


class Pdf:
    def __init__(self):
        self.objects, self.pages = [None, None], []     # 1 catalogue, 2 page tree
        self.fonts = {}

    def add(self, head, stream=None):
        """An object; returns its number."""
        body = head if stream is None else head[:-2] + b'/Length %d>>\nstream\n' % len(stream) + stream + b'\nendstream'
        self.objects.append(body)
        return len(self.objects)

    def add_image(self, im, quality):
        size = b'/Type/XObject/Subtype/Image/Width %d/Height %d' % im.size
        if im.mode == '1':
            data, white0 = _g4(im)
            return self.add(b'<<' + size + b'/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/CCITTFaxDecode'
                            b'/DecodeParms<</K -1/Columns %d/Rows %d/BlackIs1 %s>>>>'
                            % (im.width, im.height, b'false' if white0 else b'true'), data)
        mem = io.BytesIO()
        im.save(mem, 'JPEG', quality=quality)
        space = {'L': b'/DeviceGray', 'RGB': b'/DeviceRGB'}[im.mode]
        return self.add(b'<<' + size + b'/BitsPerComponent 8/ColorSpace' + space + b'/Filter/DCTDecode>>', mem.getvalue())

    def page(self, width, height, rotate=0):
        self.pages.append(Page(self, width, height, rotate))
        return self.pages[-1]

    def _font(self, name):
        """One that is installed (FOLDERS), whole, so that any machine draws the same page; others by name."""
        if name in self.fonts:
            return self.fonts[name]
        head = b'<</Type/Font/Encoding/WinAnsiEncoding/BaseFont/%s' % name.encode()
        if not file_of(name):
            self.fonts[name] = self.add(head + b'/Subtype/Type1>>')
            return self.fonts[name]
        with open(file_of(name), 'rb') as f:
            data = f.read()
        stream = self.add(b'<</Filter/FlateDecode/Length1 %d>>' % len(data), zlib.compress(data, 9))
        descriptor = self.add(b'<</Type/FontDescriptor/FontName/%s/Flags 32/FontBBox[-600 -400 2000 1200]/ItalicAngle 0'
                              b'/Ascent 905/Descent -212/CapHeight 730/StemV 80/FontFile2 %d 0 R>>' % (name.encode(), stream))
        self.fonts[name] = self.add(head + b'/Subtype/TrueType/FirstChar 32/LastChar 255/Widths[%s]/FontDescriptor %d 0 R>>'
                                    % (b' '.join(b'%d' % w for w in widths(name)), descriptor))
        return self.fonts[name]

    def _finish(self):
        kids = []
        for p in self.pages:
            content = self.add(b'<</Filter/FlateDecode>>', zlib.compress(b'\n'.join(p.ops), 9))
            fonts = b''.join(b'/%s %d 0 R' % (f.encode(), self._font(f)) for f in sorted(p.fonts))
            images = b''.join(b'/I%d %d 0 R' % (i, i) for i in p.images)
            kids.append(self.add(b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 %g %g]/Rotate %d/Contents %d 0 R'
                                 b'/Resources<</Font<<%s>>/XObject<<%s>>>>>>' % (*p.size, p.rotate, content, fonts, images)))
        self.objects[0] = b'<</Type/Catalog/Pages 2 0 R>>'
        self.objects[1] = b'<</Type/Pages/Count %d/Kids[%s]>>' % (len(kids), b' '.join(b'%d 0 R' % k for k in kids))

    def bytes(self):
        self._finish()
        out, at = bytearray(b'%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'), []
        for i, body in enumerate(self.objects):
            at.append(len(out))
            out += b'%d 0 obj\n%s\nendobj\n' % (i + 1, body)
        start = len(out)
        out += b'xref\n0 %d\n0000000000 65535 f \n' % (len(at) + 1) + b''.join(b'%010d 00000 n \n' % a for a in at)
        out += b'trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n' % (len(at) + 1, start)
        return bytes(out)

    def save(self, path):
        with open(path, 'wb') as f:
            f.write(self.bytes())
