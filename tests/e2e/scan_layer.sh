#!/usr/bin/env bash
# scan_layer.sh: the invisible words that a scanner puts over a picture are evidence
# only where OCR reads the same; without OCR they speak neither for a value nor
# against it. A picture of a letterhead over print is read by OCR.
set -u
subject="scan layer: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
for tool in python3 pdftoppm; do command -v $tool > /dev/null || { echo "skip - scan layer: $tool is not here"; exit 0; }; done
"$platen" doctor --engine null | grep -q 'OCR: Tesseract .*reads eng' || { echo "skip - scan layer: no OCR here"; exit 0; }
make() { python3 "$root/tests/support/scan_layer.py" "$@"; }
make print print.pdf && pdftoppm -gray -r 200 print.pdf page && mv page*.pgm page.pgm
make scan page.pgm right.pdf
make scan page.pgm total.pdf 485.00=435.00
make scan page.pgm date.pdf 2024-05-06=2024-06-05
make scan page.pgm name.pdf Northwind=Southgate
make scan page.pgm iban.pdf DE02120300000000202051=DE02500105170137075030
make scan page.pgm number.pdf NW-20417=NW-20477
make head page.pgm head.pdf
make head page.pgm other.pdf Northwind=Southgate
cat > bill.schema.json << 'END'
{"title":"Bill","type":"object","additionalProperties":false,"required":["seller","number","date","total","iban"],"properties":{"seller":{"type":["string","null"]},"number":{"type":["string","null"],"description":"Invoice number"},
"date":{"type":["string","null"],"format":"date"},"total":{"type":["number","null"],"description":"Total"},"iban":{"type":["string","null"]}}}
END
answer() { # answer KEY VALUE...: what is printed, but for these
    python3 - "$@" << 'PY'
import json, sys
a = {"seller": "Northwind Paper Supplies", "number": "NW-20417", "date": "2024-05-06", "total": 485.00, "iban": "DE02120300000000202051"}
for k, v in zip(sys.argv[1::2], sys.argv[2::2]): a[k] = float(v) if k == "total" else v
print(json.dumps(a))
PY
}
reader() { # reader NAME ANSWER: an endpoint that says this
    mkdir "log-$1"
    python3 "$root/tests/support/bad_server.py" --port-file "port-$1" --log "log-$1" --answer "$2" ok > /dev/null 2>&1 &
    for _ in $(seq 100); do [ -s "port-$1" ] && break; sleep 0.05; done
}
says() { # says WHAT READER FILE OCR EXPRESSION: of its record r, fields f, verdicts v
    "$platen" extract "$3" --schema bill.schema.json --engine endpoint --endpoint "http://127.0.0.1:$(cat "port-$2")" --ocr "$4" > record 2> err
    python3 - "$5" << 'PY' 2> holds.err && ok "$1" || bad "$1" "$(tail -1 holds.err | cut -c1-500) $(tail -1 err)"
import json, sys
r = json.load(open("record"))
f = r["fields"]
v = {k: x.get("verdict") for k, x in f.items()}
assert eval(sys.argv[1]), (v, f, [x["text"] for x in r["warnings"]])
PY
}
reader right "$(answer)"
says "a layer that OCR confirms is evidence" right right.pdf auto 'set(v.values()) == {"agree"} and not r["review"] and {e["source"] for x in f.values() for e in x["evidence"]} == {"text-layer"}'
while IFS='|' read -r key file value; do
    reader "$key" "$(answer "$key" "$value")"
    says "$key: what only the layer says is not confirmed" "$key" "$file.pdf" auto "v['/$key'] in ('unseen', 'differ', 'doubtful') and f['/$key']['confidence'] < 0.5 and r['review']"
    says "$key: what is printed is" right "$file.pdf" auto "v['/$key'] == 'agree' and f['/$key']['evidence'][0]['source'] == 'ocr'"
    says "$key: without OCR neither is sure" "$key" "$file.pdf" off "v['/$key'] == 'doubtful' and f['/$key']['doubt'] == 'layer' and r['review']"
    says "$key: and what is printed is not denied" right "$file.pdf" off "v['/$key'] in (None, 'doubtful') and r['review']"
done << 'END'
total|total|435.00
date|date|2024-06-05
iban|iban|DE02500105170137075030
number|number|NW-20477
seller|name|Southgate Paper Supplies
END
says "without OCR a right layer is doubtful, too" right right.pdf off 'set(v.values()) == {"doubtful"} and {x["doubt"] for x in f.values()} == {"layer"} and r["review"]'
hidden='[x["text"] for x in r["warnings"] if x["code"] == "hidden-text"]'
says "a picture of a letterhead is read by OCR" right head.pdf auto 'set(v.values()) == {"agree"} and f["/seller"]["evidence"][0]["source"] == "ocr" and f["/total"]["evidence"][0]["source"] == "text-layer" and not r["review"] and not '"$hidden"
says "words over it that it does not show are hidden" seller other.pdf auto 'v["/seller"] in ("unseen", "differ") and r["review"] and '"$hidden"' == ["page 1: text that the page does not show was not used (words: 1)"]'
says "and what it shows is evidence" right other.pdf auto 'v["/seller"] == "agree"'
says "without OCR they all are hidden" right head.pdf off 'v["/seller"] == "unseen" and '"$hidden"
exit $failed
