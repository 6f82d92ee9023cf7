#!/usr/bin/env bash
# words.sh: engine = words fills in a schema from the words of the pages, without a
# model; engine = auto asks one only for what they do not decide; and they are a second
# opinion on what another model says.
set -u
subject="words: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
command -v python3 > /dev/null || { echo "skip - words: python3 is not here"; exit 0; }
python=python3
/usr/bin/python3 -c 'import PIL' 2> /dev/null && python=/usr/bin/python3
"$python" "$root/tests/support/draw_bill.py" . 2> draw.err
holds() { # holds WHAT RECORD EXPRESSION: of the record r, its data d, fields f
    python3 - "$2" "$3" << 'PY' 2> holds.err && ok "$1" || bad "$1" "$(tail -1 holds.err | cut -c1-900) $(tail -2 err)"
import json, sys
r = json.load(open(sys.argv[1]))
d, f = r["data"], r["fields"]
same = lambda r: (r["data"], [(k, x["verdict"], x["confidence"], x["evidence"][0]["text"]) for k, x in r["fields"].items()])
assert eval(sys.argv[2]), (sys.argv[2], r["verdict"], r["engine"], d, {k: (f[k].get("verdict"), f[k]["confidence"]) for k in f})
PY
}
cat > wanted.json << 'JSON'
{"invoice_number": "HT-20417", "date": "2024-03-18", "due_date": "2024-04-17",
 "seller": {"name": "Harbour Tools Ltd", "address": "12 Quay Street, Bristol BS1 4RN", "tax_id": null},
 "buyer": {"name": "Mill Lane Bakery Ltd", "address": "4 Mill Lane, Bath BA1 2QR", "tax_id": null},
 "items": [{"description": "Steel chisel", "quantity": 4, "unit_price": 12.5, "amount": 50},
           {"description": "Mallet", "quantity": 2, "unit_price": 18, "amount": 36},
           {"description": "Whetstone", "quantity": 1, "unit_price": 14, "amount": 14}],
 "allowances": null, "charges": null, "subtotal": 100, "tax": 20, "total": 120, "prepaid": null, "rounding": null,
 "amount_due": null, "currency": "GBP", "iban": "DE02120300000000202051"}
JSON
"$platen" extract bill.pdf --schema invoice --engine words > bill.json 2> err
holds "the words fill in the schema" bill.json 'd == json.load(open("wanted.json"))'
holds "the record says who read" bill.json 'r["engine"] == "words" and r["model"]["name"] == "none" and r["verdict"] == "read" and r["tokens"]["sampled"] == 0'
holds "each value has its box on the page, a verdict and a confidence" bill.json \
    'len(f) > 20 and all(x["evidence"][0]["page"] == 1 and len(x["evidence"][0]["box"]) == 4 and 0 < x["confidence"] <= 1 for x in f.values() if x["verdict"] == "agree")'
"$platen" validate --schema record bill.json > validate.out 2>&1 && ok "the record is as records are" || bad "the record is as records are" "$(tail -1 validate.out)"
"$platen" extract bill.pdf --schema invoice --engine words --ocr off > plain.json 2> err
holds "OCR is not needed for it" plain.json 'd == json.load(open("bill.json"))["data"]'
"$platen" extract bill.pdf --schema invoice > native.json 2> err
holds "the embedded model's engine says the same of a text layer" native.json 'd == json.load(open("bill.json"))["data"] and r["engine"] == "words"'
"$platen" extract bill.pdf --schema invoice --ground off > off.json 2> err
holds "but with ground = off" off.json 'd != json.load(open("bill.json"))["data"] and r["engine"] == "native"'
# a schema that nobody has seen, with references, objects and a leaf that may not be null
cat > own.schema.json << 'JSON'
{"type": "object", "additionalProperties": false, "required": ["sum"], "$defs": {"money": {"type": ["number", "null"]}},
 "properties": {"sum": {"$ref": "#/$defs/money", "title": "Total"}, "ref": {"type": "string", "title": "Invoice number"},
 "vessel": {"type": "string"}, "lines": {"type": "array", "items": {"type": "object", "properties": {"what": {"type": "string", "title": "Description"},
 "amount": {"type": "number"}}}}}}
JSON
"$platen" extract bill.pdf --schema own.schema.json --engine words > own.json 2> err
holds "of any schema; a value that is nowhere is left out where it may not be null" own.json \
    'd["sum"] == 120 and d["ref"] == "HT-20417" and "vessel" not in d and [x["amount"] for x in d["lines"]] == [50, 36, 14]'
# several pages are read at once: what is missing is a gap, and does not cost the sums of the second page
cat > moves.schema.json << 'JSON'
{"type": "object", "properties": {"total": {"type": ["number", "null"]}, "moves": {"type": "array", "items": {"type": "object", "properties": {
 "plag": {"type": ["string", "null"]}, "zeb": {"type": ["number", "null"]}, "mede": {"type": ["number", "null"]}}}}}}
JSON
"$platen" extract three.pdf --schema moves.schema.json --engine words > three.json 2> err
holds "of three pages there is one answer, and a gap for each row that it lacks" three.json \
    'd == {"total": 120, "moves": []} and r["gaps"] == [{"page": 1, "text": "Alpha%d %d.50 %d.25" % (y, 11 + 7 * y, 31 + 5 * y)} for y in range(6)] and r["review"]'
cat > lines.schema.json << 'JSON'
{"type": "object", "properties": {"items": {"type": "array", "items": {"type": "object", "properties": {"description": {"type": ["string", "null"]},
 "quantity": {"type": ["number", "null"]}, "unit_price": {"type": ["number", "null"]}, "amount": {"type": ["number", "null"]}}}}}}
JSON
"$platen" extract mixed.pdf --schema lines.schema.json --engine words > mixed.json 2> err
holds "a row that is made of the lines of two is doubtful" mixed.json \
    '[k for k, x in f.items() if x["verdict"] == "doubtful"] == ["/items/1/" + k for k in d["items"][1]] and d["items"][1]["amount"] == 48 and r["review"]'
if [ -s scan.png ] && "$platen" doctor | grep -q 'OCR: Tesseract .*reads eng'; then
    "$platen" extract scan.png --schema invoice --engine words > scan.json 2> err
    holds "a scan is read with the words of OCR" scan.json \
        'd["total"] == 120 and d["date"] == "2024-03-18" and d["buyer"]["name"] == "Mill Lane Bakery Ltd" and len(d["items"]) == 3 and f["/total"]["evidence"][0]["source"] == "ocr"'
    "$platen" extract scan.png --schema invoice --engine words --ocr off > none.json 2> err
    holds "without words nothing is said" none.json 'r["verdict"] == "unread" and d["total"] is None and d["items"] == []'
fi
# engine = auto, with a model that can read nothing: its answers are unlike any
auto() { # auto NAME PROPERTIES [MORE]: the record, or why there is none, is NAME.json, err
    echo '{"type": "object", "additionalProperties": false, "properties": {'"$2"'}'"${3-}"'}' > "$1.schema.json"
    "$platen" extract bill.pdf --schema "$1.schema.json" --engine auto --model "$v/micro-q8_0.gguf" --mmproj "$v/micro-mmproj-f32.gguf" --max-tokens 40 > "$1.json" 2> err
}
asked() { # asked WHAT NAME: the model was asked, whatever it said
    grep -q '"engine": "native"' "$2.json" || grep -q '\[model-' err && ok "$1" || bad "$1" "$(head -c 300 "$2.json") $(tail -1 err)"
}
v=$root/tests/vectors
few='"invoice_number": {"type": "string"}, "date": {"type": "string", "format": "date"}, "subtotal": {"type": "number"}, "tax": {"type": "number"}, "total": {"type": "number"}'
auto few "$few" ', "x-platen-check": [{"sum": ["/subtotal", "/tax"], "equals": "/total"}]'
holds "engine = auto: what the words decide is not asked" few.json \
    'd == {"invoice_number": "HT-20417", "date": "2024-03-18", "subtotal": 100, "tax": 20, "total": 120} and r["engine"] == "words" and r["attempts"] == 0 and r["verdict"] == "read" and not r["review"] and r["tokens"]["prompt"] == 0'
"$platen" extract bill.pdf --schema few.schema.json --engine words > words.json 2> err
holds "it is what engine = words says" few.json 'same(r) == same(json.load(open("words.json")))'
auto vessel "$few"', "vessel": {"type": ["string", "null"]}'
asked "a null is: the model may read it" vessel
auto optional "$few"', "vessel": {"type": "string"}'
asked "so is what was left out" optional
auto sum "$few" ', "x-platen-check": [{"sum": ["/subtotal", "/subtotal"], "equals": "/total"}]'
asked "and a sum that does not add up" sum
# a second opinion on a model behind an endpoint
second() { # second NAME OLD NEW: the record of an answer with NEW for OLD is NAME.json
    sed "s|$2|$3|" wanted.json | tr -d '\n' > answer
    rm -f port
    python3 "$root/tests/support/bad_server.py" --port-file port --answer "$(cat answer)" --log . ok ok ok ok &
    local server=$!
    for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done
    "$platen" extract bill.pdf --schema "${schema:-invoice}" --engine endpoint --endpoint "http://127.0.0.1:$(cat port)" > "$1.json" 2> err
    kill $server
}
second right '"total": 120' '"total": 120'
holds "a right answer is not flagged" right.json \
    'd == json.load(open("wanted.json")) and all(x["verdict"] == "agree" for k, x in f.items() if k in ("/total", "/tax", "/date", "/due_date", "/invoice_number", "/iban"))'
second wrong '"total": 120' '"total": 100'
holds "a total that is another amount of the page is" wrong.json 'd["total"] == 100 and f["/total"]["verdict"] != "agree" and f["/total"]["confidence"] < 0.9 and r["review"]'
second swapped '"due_date": "2024-04-17"' '"due_date": "2024-03-18"'
holds "so is a date that stands under another label" swapped.json 'f["/due_date"]["verdict"] != "agree" and r["review"]'
# a date whose form the schema leaves open
sed '/"format": "date",/d' "$root/schemas/invoice.schema.json" > loose.schema.json
schema=$scratch/loose.schema.json second form 2024-03-18 18.03.2024
holds "another form of the same date is not another one" form.json 'd["date"] == "18.03.2024" and f["/date"]["verdict"] == "agree"'
second null '"total": 120' '"total": null'
holds "and a null whose value is printed, with its place" null.json 'd["total"] is None and f["/total"]["verdict"] == "overlooked" and f["/total"]["evidence"][0]["page"] == 1 and r["review"]'
exit $failed
