#!/usr/bin/env bash
# long_embedded.sh - long documents read by the embedded model.
subject="long_embedded: "
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/long.sh"

"$python" "$root/tests/long_embedded.py" "$platen" --pages 3 || failed=1

# print that the embedded model does not read as rows: what it left out is named
"$python" - "$support" "$scratch/far.pdf" << 'END'
import sys
sys.path.insert(0, sys.argv[1])
from pdf_objects import pdf_of
rows = [('Tea', 300, y, '%d.25' % (n + 3)) for n, y in enumerate(range(740, 600, -14))]
pages = [b'BT /F 10 Tf ' + b''.join(b'1 0 0 1 60 %d Tm (%s no %d) Tj 1 0 0 1 %d %d Tm (%s) Tj ' % (
    y, name.encode(), page, x, y, price.encode()) for name, x, y, price in rows) + b'ET' for page in (1, 2)]
objects = [b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Count 2/Kids[4 0 R 6 0 R]>>', b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>']
for i, page in enumerate(pages):
    objects += [b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>' % (5 + 2 * i),
                b'<</Length %d>>\nstream\n%s\nendstream' % (len(page), page)]
open(sys.argv[2], 'wb').write(pdf_of(objects))
END
"$platen" extract "$scratch/far.pdf" --schema receipt > "$scratch/far.json" 2> "$scratch/err"
lost=$("$python" - "$scratch/far.json" << 'END'
import json, sys
record = json.load(open(sys.argv[1]))
named = [(gap['page'], gap['text'].split()[-1]) for gap in record.get('gaps') or []]
given = [row['price'] for row in record['data']['items']] + [record['data']['total']]
prices = [n + 3.25 for n in range(10)]
print([(page, price) for page in (1, 2) for price in prices if price not in given and (page, '%.2f' % price) not in named])
END
)
[ "$lost" = "[]" ] && grep -qE 'rows? that the page shows w[a-z]+ not read .gaps' "$scratch/err" && ok "what the embedded model leaves out is named" ||
    bad "what the embedded model leaves out is named" "$lost, $(tail -1 "$scratch/err")"
exit $failed
