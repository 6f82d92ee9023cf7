#!/usr/bin/env bash
# record.sh - the record's own schema ships and holds, names of users' schemas stay
# theirs, and records of version 1 are exported with those of version 2.
set -u
subject="record: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
good=samples/good/kiosk.png
python=
for p in python3 /usr/bin/python3; do "$p" -W ignore -c 'import jsonschema' 2> /dev/null && { python=$p; break; }; done
verdict() { if [ $? = 0 ]; then ok "$1"; else bad "$1" "$(tail -3 "$scratch/err")"; fi; }
holds() { # holds FILE EXPRESSION: of the value r in it
    python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
assert eval(sys.argv[2]), r' "$@" 2>> "$scratch/err"
}

# --- the schemas that ship
for name in record stack; do
    "$platen" schema show $name > "$scratch/$name.json" 2> "$scratch/err" && "$platen" schema check $name > /dev/null 2>> "$scratch/err"
    verdict "schema show $name, and platen understands it"
    [ -z "$python" ] || "$python" -W ignore -c 'import json, sys
from jsonschema import Draft202012Validator as V
V.check_schema(json.load(open(sys.argv[1])))' "$scratch/$name.json" 2> "$scratch/err"
    verdict "$name is a schema by python3-jsonschema, too"
done
! "$platen" schema list | grep -qE '^(record|stack|platen-)' 2> "$scratch/err"
verdict "they are no kinds of documents"
"$platen" extract "$good" --schema record --engine null > "$scratch/out" 2> "$scratch/err"
[ $? = 9 ] && grep -q 'no schema record\|unknown-schema' "$scratch/err"; verdict "nor can a document be read under them"

# --- a record, and what is wrong with one
"$platen" extract "$good" --schema receipt --format json,xml --out "$scratch/kiosk" 2> "$scratch/err"
"$platen" validate --schema "$scratch/record.json" "$scratch"/kiosk/* > "$scratch/out" 2> "$scratch/err"; verdict "a record is valid under the schema as it was printed"
"$platen" validate --schema record "$scratch"/kiosk/* > "$scratch/out" 2> "$scratch/err"; verdict "a record and its XML are valid"
holds "$scratch/kiosk/kiosk.json" 'list(r)[0] == "format" and r["format"] == "platen-record/2" and list(r)[-1] == "data"'
verdict "its format comes first, its data last"
holds "$scratch/kiosk/kiosk.json" 'r["verdict"] in ("read", "doubtful", "unread") and r["review"] in (True, False) and all(0 <= f["confidence"] <= 1 for f in r["fields"].values())'
verdict "it says whether to believe it, and each value"
grep -q '<field pointer="/items/0/price" p="0\.[0-9]*" p_legal="[01]\.[0-9]*"' "$scratch/kiosk/kiosk.xml"; verdict "XML has plain pointers as attributes"
sed 's/"tries": 1/"tries": "1"/' "$scratch/kiosk/kiosk.json" > "$scratch/wrong"
"$platen" validate --schema record "$scratch/wrong" > "$scratch/out" 2> "$scratch/err"
[ $? = 4 ] && grep -q '/tries' "$scratch/out"; verdict "a member of another type is found"
sed 's/ p_legal=/ q_legal=/' "$scratch/kiosk/kiosk.xml" > "$scratch/wrong.xml"
"$platen" validate --schema record "$scratch/wrong.xml" > "$scratch/out" 2> "$scratch/err"
[ $? = 4 ] && grep -q 'q_legal' "$scratch/out"; verdict "so is an attribute that is none"
rm "$scratch"/wrong*

# --- a user's schema of the same name stays the user's
mkdir "$scratch/schemas"; cp schemas/receipt.* "$scratch/schemas"
echo '{"title":"Of vinyl","type":"object","additionalProperties":false,"properties":{"artist":{"type":["string","null"]}},"required":["artist"]}' > "$scratch/schemas/record.schema.json"
"$platen" schema show record --schemas "$scratch/schemas" | grep -q vinyl; verdict "a user's schema named record is shown"
"$platen" schema show platen-record --schemas "$scratch/schemas" | grep -q platen-record/2; verdict "platen's own then goes by platen-record"
"$platen" extract "$good" --schema record --schemas "$scratch/schemas" --engine null > "$scratch/vinyl.json" 2> "$scratch/err" &&
    "$platen" validate --schema record --schemas "$scratch/schemas" "$scratch/vinyl.json" > /dev/null 2> "$scratch/err"
verdict "and documents are read under it"

# --- a spool with a record of version 1, and one of a later platen
s=$scratch/spool; mkdir -p "$s/in/receipt"
cp "$good" "$s/in/receipt/new.png"; cp samples/good/*.tif "$s/in/receipt/" 2> /dev/null
"$platen" run "$s" --engine null --settle 0 -q --schemas "$scratch/schemas" 2> "$scratch/err"
n=$(ls "$s/done" | wc -l)
old=20261110T080910Z-0123456789abcdef; template=$(ls "$s/done" | head -1)
cp -r "$s/done/$template" "$s/done/$old"; cp tests/support/record-1.json "$s/done/$old/record.json"
"$platen" export "$s" --to jsonl > "$scratch/all.jsonl" 2> "$scratch/err" && [ "$(wc -l < "$scratch/all.jsonl")" = $((n + 1)) ]
verdict "a record of version 1 is exported with the others"
grep 0123456789abcdef "$scratch/all.jsonl" > "$scratch/old.json"
holds "$scratch/old.json" 'r["format"] == "platen-record/2" and r["warnings"] == [{"code": "unclassified", "text": t} for t in json.load(open("tests/support/record-1.json"))["warnings"]] and r["conflicts"][0]["taken"]["value"] == 5.2 and r["conflicts"][0]["others"][0]["value"] == "5.30" and r["data"] == json.load(open("tests/support/record-1.json"))["data"]'
verdict "as one of version 2, and nothing of it is lost"
"$platen" export "$s" --to xml --schemas "$scratch/schemas" > "$scratch/all" 2> "$scratch/err" && [ "$(grep -c '<record[ >]' "$scratch/all")" = $((n + 1)) ]
verdict "and as XML"
{ echo '<?xml version="1.0"?>'; sed -n '/<record /,/<\/record>/p' "$scratch/all" | awk '/<record /{one = ""} {one = one $0 "\n"} /<\/record>/{if (one ~ /0123456789abcdef/) printf "%s", one}'; } > "$scratch/old.xml"
"$platen" validate --schema receipt "$scratch/old.xml" > "$scratch/out" 2>&1; verdict "valid under its schema's XSD"
"$platen" export "$s" --to csv --with confidence,page,verdict,review > "$scratch/all.csv" 2> "$scratch/err" && python3 - "$scratch/all.csv" 2> "$scratch/err" << 'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline='')))
old = next(r for r in rows if r['id'].endswith('0123456789abcdef'))
assert (old['total'], old['total#page'], old['total#verdict'], old['total#confidence'], old['total#review'], old['#review']) == ('5.2', '1', 'agree', '', '', ''), old
assert all(r['total#review'] in ('true', 'false') for r in rows if r is not old), rows
PY
verdict "and as CSV with what is known beside the values"
sed 's/{/{"format":"platen-record\/3",/;' tests/support/record-1.json > "$s/done/$old/record.json"
"$platen" export "$s" --to jsonl > "$scratch/all.jsonl" 2> "$scratch/err"
[ $? = 16 ] && [ "$(wc -l < "$scratch/all.jsonl")" = "$n" ] && grep -q "$old is left out.*platen-record/3\|platen-record/3.*$old" "$scratch/err"
verdict "one of a later version is named and left out"
cp tests/support/record-1.json "$s/done/$old/record.json"
rm -rf "$s/done/$old/parts"
"$platen" status "$s" > "$scratch/out" 2> "$scratch/err"; verdict "status counts it"
exit $failed
