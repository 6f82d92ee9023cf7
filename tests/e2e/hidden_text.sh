#!/usr/bin/env bash
# hidden_text.sh - text of a PDF that nobody can see is no print: not among its
# words, no evidence, and a warning where the page says something else.
set -u
subject="hidden text: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
command -v python3 > /dev/null || { echo "skip - hidden text: python3 is not here"; exit 0; }
export PLATEN_OCR=off # it tells nothing here
python3 "$root/tests/support/hidden_text.py" . || { bad "pages to read" "not drawn"; exit 1; }
iban=DE02120300000000202051

wrong=
for file in shown.*.pdf; do
    "$platen" words "$file" > out 2> err && grep -q "\"$iban\"" out || wrong+=" $file"
done
[ -z "$wrong" ] && ok "what people can read is among the words" || bad "what people can read is among the words" "$wrong $(tail -1 err)"
"$platen" words shown.kerned.pdf > out 2> err
[ "$(grep -oE '"(Bruttosumme|in|Euro|Br|uttosumme|inEuro)"' out | tr -d '\n')" = '"Bruttosumme""in""Euro"' ] &&
    ok "a narrow gap before a small letter is in a word" || bad "a narrow gap before a small letter is in a word" "$(cut -c1-200 out) $(tail -1 err)"
"$platen" words shown.arabic.pdf > out 2> err
grep -q '"text":"تسليم"' out && grep -q '"text":"سل"' out &&
    ok "letters that are set to the left of one another are words" || bad "letters that are set to the left of one another are words" "$(grep -o '"text":"[^"]*"' out | tail -7 | tr '\n' ' ') $(tail -1 err)"
wrong=
for file in hidden.*.pdf; do
    "$platen" words "$file" > out 2> err && grep -q '"NW-20417"' out && ! grep -q "\"$iban\"" out || wrong+=" $file"
done
[ -z "$wrong" ] && ok "what they cannot is not" || bad "what they cannot is not" "$wrong $(tail -1 err)"

cat > bill.schema.json << 'JSON'
{"type": "object", "additionalProperties": false, "required": ["number", "iban"], "properties": {
  "number": {"type": ["string", "null"]}, "iban": {"type": ["string", "null"], "x-platen-required-evidence": true}}}
JSON
python3 "$root/tests/support/bad_server.py" --port-file port --answer '{"number":"NW-20417","iban":"'$iban'"}' --log . ok ok ok ok ok ok ok ok &
for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done
says() { # says WHAT FILE EXPRESSION: of its record r, its data d and the codes w of its warnings
    local why
    "$platen" extract "$2" --schema bill.schema.json --engine endpoint --endpoint "http://127.0.0.1:$(cat port)" > "${2%.pdf}.json" 2> err
    why=$(python3 - "$3" "${2%.pdf}.json" << 'PY' 2>&1
import json, sys
r = json.load(open(sys.argv[2]))
d, w = r['data'], [x['code'] for x in r['warnings']]
assert eval(sys.argv[1]), (d, r['review'], r['warnings'])
PY
    ) && ok "$1" || bad "$1" "$(tail -1 <<< "$why") $(tail -1 err)"
}
says "a visible value is proven" shown.black.pdf 'd["iban"] == "'$iban'" and "hidden-text" not in w and r["fields"]["/iban"]["verdict"] == "agree"'
for kind in white under-bar unpainted two-on-another; do
    says "a value that is $kind is not published, and the record goes to review" hidden.$kind.pdf \
        'd["iban"] is None and d["number"] == "NW-20417" and "hidden-text" in w and r["review"] is True'
done
says "the warning says where, and does not repeat the text" hidden.white.pdf \
    '[(x["page"], x["text"]) for x in r["warnings"] if x["code"] == "hidden-text"] == [(1, "page 1: text that the page does not show was not used (words: 2)")]'
says "what TCPDF hides in each of its files is no reason to warn" tcpdf.mark.pdf 'd["iban"] and "hidden-text" not in w'
exit $failed
