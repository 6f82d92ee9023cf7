#!/usr/bin/env bash
# scale.sh - a spool of many documents: the index is made of what it lacks, and is never the truth; fsck --quick; a CSV
# whose columns are known at its end. `tests/bench/many.py` measures 20,000 and 100,000.
subject="scale: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
export PLATEN_OCR=off
s=$scratch/s
mkdir -p "$s/in/receipt"; cp samples/good/kiosk.png "$s/in/receipt"
"$platen" run "$s" -q --stable-for 0 2> "$scratch/err"
first=$(ls "$s/done")
python3 tests/bench/many.py "$platen" "$s" 300
is() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2, wanted $3: $(head -3 "$scratch/err")"; }
said() { "$platen" status "$s" --json 2> "$scratch/err" > "$scratch/out"; python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($1)" "$scratch/out"; }
index() { python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); r = d.execute(sys.argv[2]).fetchall(); d.commit(); print(*[c for x in r for c in x])' "$s/index.db" "$1"; }
is "status counts what needs review, and what failed" "$(said 'd["done"], d["failed"], d["review"], d["reasons"]["encrypted"]')" "295 6 30 6"

# --- what is known is not read again; what is not is
last=$(ls "$s/done" | grep ^2025 | tail -1)
index "UPDATE document SET name = 'known' WHERE id = '$first'"
copy() { # copy FROM TO: another document
    cp -r "$s/done/$1" "$s/done/$2"
    sed -i "s/$1/$2/" "$s/done/$2/record.json"
}
copy "$last" 20991231T000000Z-00000000000000aa
is "a document that the index lacks is added" "$(said 'd["done"], d["latest"][0]["id"], d["latest"][1]["name"]')" "296 20991231T000000Z-00000000000000aa known"
mkdir "$scratch/archive"; mv "$s/done/20991231T000000Z-00000000000000aa" "$scratch/archive"
copy "$last" 20991231T000000Z-00000000000000bb
is "one comes and one goes: equal counts deceive nobody" "$(said 'd["done"], d["latest"][0]["id"]') $(index "SELECT count(*) FROM document WHERE id LIKE '2099%'")" "296 20991231T000000Z-00000000000000bb 1"
is "the same bytes are a duplicate" "$(said 'd["latest"][0].get("duplicate_of")')" "$last"
rm -r "$s/done/20991231T000000Z-00000000000000bb"
head -c 5000 /dev/urandom | dd of="$s/index.db" bs=4096 seek=1 conv=notrunc 2> /dev/null; rm -f "$s"/index.db-*
is "a damaged index is replaced" "$(said 'd["done"], d["failed"], d["review"], d["reasons"]["encrypted"]')" "295 6 30 6"

# --- fsck
cp -r "$s" "$scratch/changed"; printf x | dd of="$scratch/changed/done/$last/doc" conv=notrunc 2> /dev/null
"$platen" fsck "$scratch/changed" --quick > "$scratch/out"; quick=$?
"$platen" fsck "$scratch/changed" > "$scratch/full"; full=$?
is "fsck reads every document" "$full $(grep -c "fault: done/$last: record.json has another SHA-256 than doc" "$scratch/full")" "4 1"
is "fsck --quick does not, and says so" "$quick $(grep -c 'clean, but documents were not read' "$scratch/out")" "0 1"
rm "$scratch/changed/failed/$(ls "$scratch/changed/failed" | head -1)/reason.json"; echo '{}' > "$scratch/changed/done/$first/record.json"
"$platen" fsck "$scratch/changed" --quick > "$scratch/out"; is "it sees all else" "$? $(grep -c '^fault:' "$scratch/out")" "4 2"

# --- a CSV: columns that come late
"$platen" export "$s" --to csv > "$scratch/even" 2> "$scratch/err"
sed -i 's/"currency": "\(...\)"/"currency": "\1", "extra": 7/' "$s/done/$last/record.json"
echo '{' > "$s/done/$(ls "$s/done" | sed -n 5p)/record.json"
"$platen" export "$s" --to csv > "$scratch/late" 2> "$scratch/err"; code=$?
is "rows are the same before and after a late column" "$(python3 - "$scratch/even" "$scratch/late" "$last" << 'PY'
import csv, sys
even, late = ([r for r in csv.DictReader(open(f, newline=""))] for f in sys.argv[1:3])
kept = {r["id"]: {k: v for k, v in r.items() if k != "extra"} for r in late}
print(len(even), len(late), sum(kept.get(r["id"]) == r for r in even), [r["id"] == sys.argv[3] for r in late if r["extra"] == "7"])
PY
)" "295 294 294 [True]"
is "what cannot be exported is named once" "$code $(grep -c 'is skipped' "$scratch/err")" "16 1"
exit $failed
