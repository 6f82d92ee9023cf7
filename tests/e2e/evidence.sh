#!/usr/bin/env bash
# evidence.sh - x-platen-required-evidence: what the model guessed is not
# published. The embedded model is never sure to the last digit, so that at
# review_threshold 1 every value is a guess, and at 0 none is.
set -u
cd "$(dirname "$0")/../.." || exit 1
platen=$(realpath "${PLATEN:-build/platen}")
export PLATEN_CONFIG=
command -v python3 > /dev/null || { echo "skip - evidence: python3 is not here"; exit 0; }
tmp=$(mktemp -d)
finish() {
    local status=$?
    [ -z "${server:-}" ] || kill "$server" 2> /dev/null
    tests/support/records.py "$platen" "$tmp" || status=1
    rm -rf "$tmp"
    exit $status
}
trap finish EXIT
kept=0 # copies of what the next question writes over
failed=0
verdict() { # verdict NAME: of the last command
    if [ $? = 0 ]; then echo "ok - evidence: $1"; else echo "not ok - evidence: $1: $(tail -3 "$tmp/err")"; failed=1; fi
}
# The receipt's schema with marks: total may be null, merchant must not.
python3 - "$tmp" << 'PY'
import json, sys
s = json.load(open("schemas/receipt.schema.json"))
s["properties"]["total"]["x-platen-required-evidence"] = True
s["properties"]["items"]["x-platen-required-evidence"] = True
s["properties"]["merchant"] = {"type": "string", "x-platen-required-evidence": True}
json.dump(s, open(sys.argv[1] + "/marked.schema.json", "w"))
PY
extract() {
    "$platen" extract "$page" --schema "$tmp/marked.schema.json" "$@" > "$tmp/out" 2> "$tmp/err"
    local status=$?
    cp "$tmp/out" "$tmp/kept.$((kept += 1))"
    return $status
}
holds() { # holds EXPRESSION: of the record r, its data d and its warnings w
    python3 - "$tmp/out" "$1" 2>> "$tmp/err" << 'PY'
import json, sys
r = json.load(open(sys.argv[1]))
d, w, f = r["data"], r["warnings"], r["fields"]
def some(*parts): return any(all(p in x["text"] for p in parts) for x in w)
assert eval(sys.argv[2]), (sys.argv[2], d, w, f)
PY
}
page=samples/good/kiosk.png
extract --review-threshold 0 &&
    holds 'd["total"] is not None and d["items"] and not some("evidence")'
verdict "nothing is dropped when nothing is doubted"
read -r total date < <(python3 -c 'import json, sys; d = json.load(open(sys.argv[1]))["data"]; print(d["total"], d["date"])' "$tmp/out")

extract --review-threshold 1 &&
    holds 'd["total"] is None and some("dropped /total: '"$total"'", "evidence") and 0 < f["/total"]["p"] < 1 and not some("review /total")'
verdict "a guess becomes null, and the warning tells what it was"
holds 'all(v is None for i in d["items"] for v in i.values()) and some("dropped /items/0/name")'
verdict "a mark on a list covers the values in it"
holds 'd["merchant"] and some("no evidence for /merchant")'
verdict "a value without a null stays, with a warning"
holds "d['date'] == '$date' and some('review /date')"
verdict "a value without a mark stays, for review"
"$platen" validate --schema "$tmp/marked.schema.json" "$tmp/out" > /dev/null 2> "$tmp/err"
verdict "the record is valid"
extract --review-threshold 1 --format xml && grep -q '<total xsi:nil="true"/>' "$tmp/out" &&
    "$platen" validate --schema "$tmp/marked.schema.json" "$tmp/out" > /dev/null 2> "$tmp/err"
verdict "so it is as XML"

# what must add up: of this receipt it does; twice the prices do not
with_checks() { # with_checks CHECKS
    python3 - "$tmp" "$1" << 'PY'
import json, sys
s = json.load(open("schemas/receipt.schema.json"))
s["x-platen-check"] = json.loads(sys.argv[2])
json.dump(s, open(sys.argv[1] + "/sums.schema.json", "w"))
PY
    "$platen" extract "$page" --schema "$tmp/sums.schema.json" > "$tmp/out" 2> "$tmp/err"
}
with_checks '[{"sum": "/items/*/price", "equals": "/total"}]' && holds 'not some("the sum of")'
verdict "a total that is the sum of its rows is not doubted"
with_checks '[{"sum": ["/items/*/price", "/items/*/price"], "equals": "/total"}]' &&
    holds "d['total'] == $total and some('review /total: the sum of', 'but /total is $total')"
verdict "one that is not is named and stays"
with_checks '[{"sum": "/items/*/prize", "equals": "/total"}]'
[ $? = 9 ] && grep -q 'no number at "/items/\*/prize"' "$tmp/err"
verdict "a check that names nothing is refused"

page=samples/good/two-pages.pdf
extract --review-threshold 1 && holds 'd["total"] is None and some("page 1: dropped") and some("page 2: dropped")'
verdict "each page's guesses are named with the page"
extract --engine null --review-threshold 1 && holds 'd["total"] is None and not some("evidence")'
verdict "the null engine drops nothing"

page=samples/good/kiosk.png
mkdir "$tmp/log"
python3 tests/support/bad_server.py --port-file "$tmp/port" --log "$tmp/log" --hang 4 \
    --answer '{"merchant":"Corner Shop","date":null,"items":[],"total":12.50,"currency":"EUR"}' ok &
server=$!
for _ in $(seq 100); do [ -s "$tmp/port" ] && break; sleep 0.05; done
reads_by_heart() {
    extract --review-threshold 1 --engine endpoint --endpoint "http://127.0.0.1:$(cat "$tmp/port")" --endpoint-timeout 5 "$@"
}
reads_by_heart --ocr off && holds 'str(d["total"]) == "12.5" and some("evidence", "no probabilities")'
verdict "an endpoint's values stay, and the record says so"
if compgen -G "/usr/share/tesseract-ocr/*/tessdata/eng.traineddata" > /dev/null; then
    reads_by_heart --ocr auto && holds 'd["total"] is None and some("dropped /total: 12.5", "OCR")'
    verdict "but not what OCR sees nowhere"
fi

sed 's/required-evidence/required-evidense/' "$tmp/marked.schema.json" > "$tmp/slip.schema.json"
"$platen" schema check "$tmp/slip.schema.json" > "$tmp/out" 2> "$tmp/err"
[ $? = 9 ] && grep -q '#/properties/merchant: "x-platen-required-evidense"' "$tmp/err" "$tmp/out"
verdict "a mark that is misspelt is refused"
exit $failed
