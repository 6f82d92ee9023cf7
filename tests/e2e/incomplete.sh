#!/usr/bin/env bash
# incomplete.sh: a record of a page of which something is missing, or of a file that
# holds more than its pages, says so and asks for a review; the same page whole does not.
subject="incomplete: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
PATH=/usr/bin:$PATH
python3 -c 'import PIL' 2> /dev/null || { echo "skip - incomplete: python3-pil is not installed"; exit 0; }
export PLATEN_OCR=off
answer='{"merchant":"Corner Shop","date":"2026-11-21","items":[],"total":12.50,"currency":"EUR"}'
mkdir log
python3 "$root/tests/support/bad_server.py" --port-file port --log log --answer "$answer" told > /dev/null 2>&1 &
for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done

PYTHONPATH=$root/tests/support python3 - << 'EOF'
import struct, zlib
from pdf_objects import pdf_of
TEXT = b'BT /F 14 Tf 20 TL 40 700 Td (Corner Shop) Tj T* (Date 2026-11-21) Tj T* (Total EUR 12.50) Tj ET '
def stream(head, data):
    return b'<<%s/Length %d>>stream\n%s\nendstream' % (head, len(data), data)
def picture(share):
    return stream(b'/Type/XObject/Subtype/Image/Width 90/Height 60/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode', zlib.compress(b'\x40' * int(5400 * share)))
def pdf(image, root=b'', kids=1, count=None, page2=TEXT, page1=b''):
    leaf = b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>/XObject<</I 4 0 R>>/Properties<</MC0 7 0 R/MC1<</Type/OCMD/OCGs[7 0 R 8 0 R]/P/AllOn>>>>>>>>'
    pages = [leaf % (5 if i != 1 else 6) for i in range(kids)]
    return pdf_of([b'<</Type/Catalog/Pages 2 0 R%s>>' % root, b'<</Type/Pages/Kids[%s]/Count %d>>' % (b' '.join(b'%d 0 R' % (9 + i) for i in range(kids)), count or kids),
                   b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>', image, stream(b'', TEXT + page1 + b'q 90 0 0 60 300 600 cm /I Do Q'), stream(b'', page2),
                   b'<</Type/Filespec/F(terms.odt)/UF(terms.odt)/EF<</F 8 0 R>>>>', stream(b'/Type/EmbeddedFile', b'anything'), *pages])
broken = stream(b'/Type/XObject/Subtype/Image/Width 90/Height 60/Filter/JPXDecode', b'\0\0\0\x0cjP  \r\n\x87\n' + b'no picture' * 9)
files = {'whole': pdf(picture(1)), 'short': pdf(picture(.5)), 'attached': pdf(picture(1), b'/Names<</EmbeddedFiles<</Names[(a)7 0 R]>>>>'), 'count': pdf(picture(1), kids=3, count=1),
         'undrawn': pdf(broken, kids=2, page2=TEXT)}
LAYERS = b'/OCProperties<</OCGs[7 0 R]/D<</%s[7 0 R]>>>>'
HELD = b'/OC /MC0 BDC BT /F 14 Tf 40 300 Td (Discount 5) Tj ET EMC '
files |= {'layer': pdf(picture(1), LAYERS % b'OFF', page1=HELD), 'layer-on': pdf(picture(1), LAYERS % b'ON', page1=HELD), 'layer-unused': pdf(picture(1), LAYERS % b'OFF'),
          'members': pdf(picture(1), LAYERS % b'OFF', page1=HELD.replace(b'MC0', b'MC1')), 'picture-layer': pdf(picture(1).replace(b'/Width', b'/OC 7 0 R/Width', 1), LAYERS % b'OFF'),
          'xfa': pdf(picture(1), b'/NeedsRendering true/AcroForm<</Fields[]/XFA 8 0 R>>')}
files['members'] = files['members'].replace(b'/F(terms.odt)/UF(terms.odt)', b'/Type/OCG/Name(Prices)    ')
for name, data in files.items():
    open(name + '.pdf', 'wb').write(data)
EOF

holds() { # holds WHAT FILE CODE REVIEW [OPTION...]: CODE "": no warning of these
    local what=$1 file=$2 code=$3 review=$4; shift 4
    "$platen" extract "$file.pdf" --schema "$root/schemas/receipt.schema.json" --engine endpoint --endpoint "http://127.0.0.1:$(cat port)" --endpoint-model any "$@" > "$file.json" 2> err ||
        { bad "$what" "$(tail -1 err)"; return; }
    python3 - "$file.json" "$code" "$review" << 'EOF' 2> why && ok "$what" || bad "$what" "$(tail -1 why)"
import json, sys
r = json.load(open(sys.argv[1]))
w = [(x['code'], x.get('page')) for x in r['warnings'] if x['code'] in ('page-incomplete', 'page-faulty', 'content-unread', 'attachments', 'hidden-layer', 'xfa-form')]
assert [c for c, _ in w] == sys.argv[2].split(), r['warnings']
assert r['review'] == (sys.argv[3] == 'yes'), (r['review'], r['verdict'], r['warnings'])
assert all(p == 1 for c, p in w if c in ('page-incomplete', 'hidden-layer')), w
EOF
}
holds "a whole page is no reason for a review" whole "" no
holds "a picture that is cut is one" short page-incomplete yes
holds "so is an attached file" attached attachments yes
holds "so is a layer that is off" layer hidden-layer yes
holds "also of a picture" picture-layer hidden-layer yes
holds "and where one of several must be on" members hidden-layer yes
holds "one that is on is none" layer-on "" no
holds "nor one that is off and of no page" layer-unused "" no
holds "so is a dynamic XFA form" xfa xfa-form yes
holds "so are pages that the count leaves out" count content-unread yes
holds "so is a page of which a picture cannot be drawn, with lenient" undrawn page-incomplete yes --lenient
exit $failed
