#!/usr/bin/env bash
# record.sh - the record's own schema ships and holds, names of users' schemas stay
# theirs, and records of other versions are refused by name.
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
sed 's/"attempts": 1/"attempts": "1"/' "$scratch/kiosk/kiosk.json" > "$scratch/wrong"
"$platen" validate --schema record "$scratch/wrong" > "$scratch/out" 2> "$scratch/err"
[ $? = 4 ] && grep -q '/attempts' "$scratch/out"; verdict "a member of another type is found"
sed 's/ p_legal=/ q_legal=/' "$scratch/kiosk/kiosk.xml" > "$scratch/wrong.xml"
"$platen" validate --schema record "$scratch/wrong.xml" > "$scratch/out" 2> "$scratch/err"
[ $? = 4 ] && grep -q 'q_legal' "$scratch/out"; verdict "so is an attribute that is none"
python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
next(iter(r["fields"].values()))["evidence"] = [{"page": 1, "box": [0, 0, 1, 1], "source": "attention", "match": "position"}]
json.dump(r, open(sys.argv[2], "w"))' "$scratch/kiosk/kiosk.json" "$scratch/earlier" &&
    "$platen" validate --schema record "$scratch/earlier" > "$scratch/out" 2> "$scratch/err"
verdict "evidence of a kind that earlier versions wrote is valid"
rm "$scratch"/wrong* "$scratch/earlier"

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
"$platen" run "$s" --engine null --stable-for 0 -q --schemas "$scratch/schemas" 2> "$scratch/err"
n=$(ls "$s/done" | wc -l)
old=20261110T080910Z-0123456789abcdef; template=$(ls "$s/done" | head -1)
cp -r "$s/done/$template" "$s/done/$old"
of_format() { # of_format FORMAT: $old's record has this format; "": none, as version 1
    python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
del r["format"]
r = {**({"format": sys.argv[4]} if sys.argv[4] else {}), **r, "id": sys.argv[3]}
json.dump(r, open(sys.argv[2], "w"))' "$s/done/$template/record.json" "$s/done/$old/record.json" "$old" "$1"
}
of_format platen-record/2
"$platen" export "$s" --to jsonl > "$scratch/all.jsonl" 2> "$scratch/err" && [ "$(wc -l < "$scratch/all.jsonl")" = $((n + 1)) ]
verdict "a record of this version is exported with the others"
"$platen" fsck "$s" > "$scratch/out" 2> "$scratch/err"; verdict "and is as it should be"
refused() { # refused VERDICT FORMAT WORDS: by export and by fsck, which name it
    of_format "$2"
    "$platen" export "$s" --to jsonl > "$scratch/all.jsonl" 2> "$scratch/err"
    [ $? = 16 ] && [ "$(wc -l < "$scratch/all.jsonl")" = "$n" ] && grep -q "$old is skipped.*$3" "$scratch/err"
    verdict "$1 is named and left out"
    "$platen" fsck "$s" > "$scratch/out" 2>&1
    [ $? != 0 ] && grep -q "$old.*$3" "$scratch/out"
    verdict "and is a fault to fsck"
}
refused "a record of version 1" "" "version 1"
"$platen" export "$s" --to xml --schemas "$scratch/schemas" > "$scratch/all" 2> "$scratch/err"
[ $? = 16 ] && [ "$(grep -c '<record[ >]' "$scratch/all")" = "$n" ] && grep -q "$old is skipped.*version 1" "$scratch/err"
verdict "also as XML"
refused "one of a later version" platen-record/3 platen-record/3
of_format platen-record/2
"$platen" status "$s" > "$scratch/out" 2> "$scratch/err"; verdict "status counts it"
exit $failed
