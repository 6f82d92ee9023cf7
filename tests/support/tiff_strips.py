"""TIFF files of one page whose strips can be damaged: write(image, compression), then the methods of Tiff."""
import io
import struct

WIDTH, HEIGHT, OFFSETS, ROWS, COUNTS = 256, 257, 273, 278, 279
SIZE = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8}


class Tiff(bytearray):
    """The bytes of a file; the methods that damage it give a copy."""

    def tags(self):
        e = '<' if self[:2] == b'II' else '>'
        at, = struct.unpack_from(e + 'I', self, 4)
        n, = struct.unpack_from(e + 'H', self, at)
        tags = {}
        for o in range(at + 2, at + 2 + 12 * n, 12):
            tag, kind, count = struct.unpack_from(e + 'HHI', self, o)
            inside = SIZE.get(kind, 1) * count <= 4
            tags[tag] = (e + {3: 'H', 4: 'I'}.get(kind, 'B') * count, o + 8 if inside else struct.unpack_from(e + 'I', self, o + 8)[0])
        return tags

    def get(self, tag):
        form, at = self.tags()[tag]
        return list(struct.unpack_from(form, self, at))

    def having(self, tag, values):
        other = Tiff(self)
        form, at = self.tags()[tag]
        struct.pack_into(form, other, at, *values)
        return other

    def cut_strip(self, which=None, share=.5):
        """A strip's count of bytes is a share of what it was."""
        counts = self.get(COUNTS)
        which = len(counts) // 2 if which is None else which
        counts[which] = max(1, int(counts[which] * share))
        return self.having(COUNTS, counts)

    def set_height(self, height):
        """One strip still, where there was one."""
        other = self.having(HEIGHT, [height])
        return other.having(ROWS, [height]) if ROWS in self.tags() and len(self.get(COUNTS)) == 1 else other

    def double_height(self):
        return self.set_height(2 * self.get(HEIGHT)[0])

    def spoil(self, which, share, data):
        """What follows a share of a strip is `data` (a function of the number of bytes)."""
        other = Tiff(self)
        offset, count = self.get(OFFSETS)[which], self.get(COUNTS)[which]
        keep = int(count * share)
        other[offset + keep:offset + count] = data(count - keep)
        return other


def write(im, compression, rows=None):
    """PIL's image as a TIFF; compression "raw" for none."""
    out = io.BytesIO()
    how = {'tiffinfo': {ROWS: rows}} if rows else {}
    im.save(out, 'TIFF', compression=None if compression == 'raw' else compression, **how)
    return Tiff(out.getvalue())
