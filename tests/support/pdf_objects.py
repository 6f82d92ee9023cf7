"""pdf_objects.py - objects of a PDF as a file."""


def pdf_of(objects):
    """objects[0], the catalogue, is 1 0 R, and so on."""
    out, at = bytearray(b'%PDF-1.7\n'), []
    for i, body in enumerate(objects):
        at.append(len(out))
        out += b'%d 0 obj\n%s\nendobj\n' % (i + 1, body)
    start = len(out)
    out += b'xref\n0 %d\n0000000000 65535 f \n' % (len(at) + 1) + b''.join(b'%010d 00000 n \n' % a for a in at)
    return bytes(out + b'trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n' % (len(at) + 1, start))
