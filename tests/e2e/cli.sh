#!/usr/bin/env bash
# cli.sh - the command line: exit codes, help, configuration and its
# precedence, extract, ocr, export, doctor, the man pages.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
platen=$(realpath "${PLATEN:-$root/build/platen}")
export PLATEN_CONFIG= LC_ALL=C
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1: $2"; failed=1; }
# expect NAME CODE TEXT ARGS...: exit code, and a part of what is printed
expect() {
    local name=$1 code=$2 text=$3 out got; shift 3
    out=$("$platen" "$@" 2>&1); got=$?
    if [ $got != "$code" ]; then bad "$name" "exit code $got, want $code: $(tail -2 <<< "$out")"
    elif [[ $out != *"$text"* ]]; then bad "$name" "no '$text' in: $(tail -2 <<< "$out")"
    else ok "$name"; fi
}
good=$root/tests/faults/good.png
null=(--engine null --schemas "$root/tests/faults")

expect "no argument: an overview" 0 "usage: platen COMMAND"
expect "--version" 0 "platen " --version
expect "an unknown command" 1 "no such command" frobnicate
expect "an unknown flag names the nearest" 1 "did you mean --stable-for" run s --stable-fr 3
expect "a flag without its value" 1 "needs a value" extract x --schema
expect "too few operands" 1 "usage: platen run" run
for command in extract ocr run watch status retry fleet fsck review export validate schema config doctor model bench ask; do
    expect "help of $command" 0 "usage: platen $command" "$command" --help
done

# --- configuration
printf '[spool]\nstable_for = 7\nformat=xml\n' > platen.conf
PLATEN_CONFIG=platen.conf expect "the file is read" 0 "stable_for = 7 " config
PLATEN_CONFIG=platen.conf PLATEN_STABLE_FOR=8 expect "environment beats file" 0 "stable_for = 8 " config
PLATEN_CONFIG=platen.conf PLATEN_STABLE_FOR=8 expect "a flag beats the environment" 0 "stable_for = 9 " config --stable-for=9
PLATEN_CONFIG=platen.conf expect "origins are shown" 0 "platen.conf:2" config
unset PLATEN_CONFIG
expect "./platen.conf is found" 0 "stable_for = 7 " config
HOME=$scratch XDG_CONFIG_HOME=$scratch/xdg; export HOME XDG_CONFIG_HOME
mkdir -p xdg/platen away; echo 'stable_for = 6' > xdg/platen/platen.conf
(cd away && "$platen" config | grep -q 'stable_for = 6 ') && ok "the user's own file is found" || bad "the user's own file is found" "no"
export PLATEN_CONFIG=
"$platen" config --stable-for 3 > again.conf
expect "what config prints is a configuration" 0 "stable_for = 3 " config --config again.conf
printf 'stable_for = 1\nstable_fro = 2\n' > wrong.conf
expect "an unknown key names line and nearest" 9 "wrong.conf:2: stable_fro: no such key; did you mean stable_for?" config --config wrong.conf
echo 'stable_for = soon' > wrong.conf
expect "a wrong value names what is wanted" 9 "must be a number from 0" config --config wrong.conf
printf '[limits]\nstable_for = 1\n# and again\n[spool]\nSTABLE_FOR = 2\n' > wrong.conf
expect "a key that is there twice names both lines" 9 "wrong.conf:5: STABLE_FOR is already set in line 2" config --config wrong.conf
mkfifo fifo.conf
expect "a FIFO is no configuration and is not waited for" 9 "fifo.conf: is not a regular file" config --config fifo.conf
hex=$(printf 'ab%.0s' {1..32})
for pin in "$hex" "${hex^^}" "$hex  m.gguf" "$hex *m.gguf" "\\$hex  m\\n.gguf"; do
    printf 'model_sha256 = %s\n' "$pin" > pin.conf
    expect "model_sha256 takes $(cut -c1-3 <<< "$pin")...$(cut -c65- <<< "$pin")" 0 "stable_for" config --config pin.conf
done
for pin in "${hex%??}" "${hex}a" "$hex " "${hex%?}g  m.gguf"; do
    expect "model_sha256 refuses ...$(cut -c60- <<< "$pin")" 9 "a line of sha256sum" config --model-sha256 "$pin"
done
# what is compared is the hash alone
model=$root/vlm/embedded/platen-tiny.gguf
expect "a pin as sha256sum prints it holds" 0 '"data"' extract "$good" --schema faults --schemas "$root/tests/faults" --model-sha256 "$(sha256sum "$model" | tr a-f A-F)"
echo 'no equals sign' > wrong.conf
expect "a line that is no key" 9 "wrong.conf:1" config --config wrong.conf
echo 'stable_for = 1' > wrong.conf; chmod 666 wrong.conf
expect "a file that others may write is refused" 9 "chmod go-w" config --config wrong.conf
if [ "$(id -u)" = 0 ]; then
    chmod 644 wrong.conf; chown 12345 wrong.conf
    expect "a file of somebody else is refused" 9 "belongs to user 12345" config --config wrong.conf
fi
expect "a file that is not there" 9 "No such file" config --config nowhere.conf
expect "a wrong value of a flag is an argument error" 1 "stable_for" config --stable-for soon
expect "bytes take units" 0 "max_document_bytes = 3M" config --max-document-bytes 3M
expect "pages that are none are an argument error" 1 "pages: must be numbers and ranges from 1" config --pages x
expect "a switch may be denied" 0 "deskew = no" config --no-deskew
expect "a switch may be followed by its word" 0 "deskew = no" config --deskew no
expect "a switch alone means yes" 0 "lenient = yes" config --lenient
expect "a switch does not eat an operand" 0 '"text": null' extract --lenient "$good" --schema faults "${null[@]}"
expect "config --check finds a missing model" 3 "model-missing" config --check --model /nowhere

# --- extract
expect "a record on stdout" 0 '"text": null' extract "$good" --schema faults "${null[@]}"
"$platen" extract "$good" --schema faults "${null[@]}" 2> /dev/null | python3 -m json.tool > /dev/null && ok "stdout holds JSON alone" || bad "stdout holds JSON alone" "no"
expect "no schema named" 1 "--schema NAME" extract "$good" "${null[@]}"
expect "an unknown schema" 9 "unknown-schema" extract "$good" --schema nosuch "${null[@]}"
expect "a file that is not there" 5 "nowhere.pdf" extract nowhere.pdf --schema faults "${null[@]}"
: > empty.pdf; expect "an empty file" 2 "[empty]" extract empty.pdf --schema faults "${null[@]}"
echo text > text.pdf; expect "an unknown type" 2 "[unknown-type]" extract text.pdf --schema faults "${null[@]}"
head -c 200 "$good" > torn.png; expect "a damaged file" 2 "[damaged]" extract torn.png --schema faults "${null[@]}"
expect "an encrypted PDF" 8 "[encrypted]" extract "$root/samples/bad/encrypted.pdf" --schema faults "${null[@]}"
expect "a page that is not there" 1 "[no-such-page]" extract "$good" --pages 4 --schema faults "${null[@]}"
expect "a missing model" 3 "[model-missing]" extract "$good" --schema faults --schemas "$root/tests/faults" --model /nowhere --mmproj /nowhere
expect "a limit is named with its key" 2 "max_document_bytes" extract "$good" --schema faults "${null[@]}" --max-document-bytes 100
expect "both formats need --out" 1 "--out DIR" extract "$good" --schema faults "${null[@]}" --format json,xml
cp "$good" a.png; cp "$good" b.png; mkdir c; cp "$good" c/a.png
expect "several files, some bad" 16 "[empty]" extract a.png empty.pdf b.png c/a.png --schema faults "${null[@]}" --out records --format json,xml
[ "$(ls records | tr '\n' ' ')" = "a-2.json a-2.xml a.json a.xml b.json b.xml " ] && ok "--out writes each under its own name" || bad "--out writes each under its own name" "$(ls records | tr '\n' ' ')"
[ "$("$platen" extract a.png b.png --schema faults "${null[@]}" 2> /dev/null | wc -l)" = 2 ] && ok "several files on stdout: one a line" || bad "several files on stdout: one a line" "no"
expect "standard input" 0 '"text": null' extract - --schema faults "${null[@]}" < "$good"
"$platen" schema xsd faults --schemas "$root/tests/faults" > faults.xsd 2> /dev/null &&
    xmllint --noout --schema faults.xsd records/a.xml 2> /dev/null && ok "the XML fits the XSD that platen prints" || bad "the XML fits the XSD that platen prints" "xmllint says no"

# --- output that cannot be written
full() { # full NAME ARGUMENT...: a device without space makes any command fail, and says so
    local name=$1; shift
    "$platen" "$@" > /dev/full 2> err; local got=$?
    [ $got = 5 ] && grep -q '^platen: standard output: ' err && ok "full disk: $name" || bad "full disk: $name" "code $got: $(tail -1 err)"
}
full "extract" extract "$good" --schema faults "${null[@]}"
full "extract --format xml" extract "$good" --schema faults "${null[@]}" --format xml
full "schema xsd" schema xsd faults --schemas "$root/tests/faults"
full "schema list" schema list
full "separator" separator --schema receipt
full "config" config
full "words" words "$root/samples/good/cafe.pdf"
full "help" help
full "extract --help" extract --help
full "version" --version
# --- page by page
"$platen" ocr "$root/samples/good/fax-two-pages.tiff" > t.txt 2> err.txt; code=$?
[ $code = 0 ] && [ "$(grep -c $'\f' t.txt)" = 1 ] && [ "$(wc -l < t.txt)" -gt 5 ] && ok "ocr prints the lines of two pages" || bad "ocr prints the lines of two pages" "$code: $(head -3 err.txt)"
"$platen" ocr "$root/samples/good/fax-two-pages.tiff" --to hocr 2> err.txt | grep -q 'x_wconf [0-9]' && ok "and hOCR says how sure each word is" || bad "and hOCR says how sure each word is" "$(cat err.txt)"
expect "the usual settings, with evidence of OCR" 0 "TOTAL" ocr "$root/samples/good/fax-two-pages.tiff"
"$platen" extract "$root/samples/good/two-pages.pdf" --schema page > pages.json 2> err.txt
python3 - << 'PY' 2> err.txt && ok "evidence of each page is its own" || bad "evidence of each page is its own" "$(tail -1 err.txt)"
import json
r = json.load(open("pages.json"))
seen = [(f["page"], e) for f in r["fields"].values() for e in f.get("evidence", [])]
assert {page for page, e in seen} == {1, 2}, seen
assert all(e["page"] == page and e["text"] for page, e in seen if "text" in e), seen
PY

# --- export
s=$scratch/s; mkdir -p "$s/in/receipt"
cp "$good" "$s/in/receipt/=1+1.png"; cp "$good" "$s/in/receipt/b,c.png"
"$platen" run "$s" --engine null --stable-for 0 -q --format json,xml
[ "$("$platen" export "$s" --to jsonl | python3 -c 'import json,sys; print(sum("data" in json.loads(l) for l in sys.stdin))')" = 2 ] && ok "export as JSON Lines" || bad "export as JSON Lines" "no"
"$platen" export "$s" --to csv > t.csv
python3 - << 'PY' && ok "export as CSV, formulas escaped" || bad "export as CSV, formulas escaped" "$(cat t.csv)"
import csv
rows = list(csv.reader(open("t.csv", newline="")))
assert rows[0][:2] == ["id", "source"] and "items" in rows[0], rows[0]
assert sorted(r[1] for r in rows[1:]) == ["'=1+1.png", "b,c.png"], rows
PY
"$platen" export "$s" --to xml > t.xml && xmllint --noout t.xml && [ "$(grep -c '<record[ >]' t.xml)" = 2 ] && ok "export as XML" || bad "export as XML" "$(head -3 t.xml)"
expect "which validates" 0 "t.xml: valid" validate --schema receipt t.xml
expect "and against what holds for any schema" 0 "t.xml: valid" validate --schema record t.xml
"$platen" schema xsd receipt > t.xsd && xmllint --noout --schema t.xsd t.xml 2> err.txt && ok "xmllint agrees" || bad "xmllint agrees" "$(head -3 err.txt)"
sed '0,/<total/s|<total[^>]*/>|<total>x</total>|' t.xml > wrong.xml
expect "a wrong record among them is found" 4 "wrong.xml: " validate --schema receipt wrong.xml
mkdir schemas; cp "$root"/schemas/receipt.* schemas
cp "$root/tests/faults/faults.schema.json" schemas; mkdir -p "$s/in/faults"; cp "$good" "$s/in/faults/f.png"
"$platen" run "$s" --engine null --stable-for 0 -q --schemas schemas
rm schemas/faults.*
out=$("$platen" export "$s" --to xml --schemas schemas 2> err.txt); code=$?
if [ $code = 16 ] && [ "$(grep -c '<record[ >]' <<< "$out")" = 2 ] && xmllint --noout - <<< "$out" && grep -q "done/.* is skipped: no schema faults" err.txt
then ok "a record whose schema is gone is named, the others are exported"
else bad "a record whose schema is gone is named, the others are exported" "$code: $(cat err.txt)"; fi
expect "the schema that is asked for must be there" 9 "no schema faults" export "$s" --to xml --schema faults --schemas schemas
# what is nested this deep has no XSD: nothing is published by halves
deep='{"type":"string"}'
for ((i = 0; i < 110; i++)); do deep="{\"type\":\"array\",\"items\":$deep}"; done
echo "{\"type\":\"object\",\"properties\":{\"a\":$deep}}" > schemas/two.schema.json
expect "XML of a schema that has no XSD is refused first" 9 "no XSD: nested deeper than 100" extract "$good" --schema two --schemas schemas --engine null --out two --format json,xml
[ -z "$(ls two)" ] && ok "and nothing is written" || bad "and nothing is written" "$(ls two)"
mkdir -p "$s/in/two"; cp "$good" "$s/in/two/t.png"
expect "a spool fails such a document before it is read" 16 "[schema-refused]" run "$s" --engine null --stable-for 0 --schemas schemas --format json,xml
[ -z "$(find "$s/done" "$s/out" "$s/failed" -path '*two*' -o -name record.json -path '*failed*')" ] && ok "and publishes nothing" || bad "and publishes nothing" "$(find "$s" -name 'record*')"
expect "and a default schema of the kind ends the run" 9 "default_schema" run "$s" --engine null --schemas schemas --format xml --default-schema two
expect "export to something else" 1 "--to must be" export "$s" --to pdf
expect "a spool that is none" 1 "is not a spool" status "$scratch/c"

# --- doctor, man pages
expect "doctor names the layers" 0 "seccomp" doctor "$s" --engine null
expect "doctor knows all programs that it starts" 0 "of this build" doctor --engine null
expect "doctor draws as platen show does" 0 "platen-annotate's sandbox: all layers" doctor --engine null
expect "doctor misses a program" 3 "annotate_program" doctor --engine null --annotate-program /nonexistent
marked=$("$platen" doctor --engine null --annotate-program /nonexistent)
[ "$(grep -c '^! .*/nonexistent' <<< "$marked")" -ge 1 ] && [[ ${marked##*$'\n'} = *"marked with !" ]] && ok "and marks it" || bad "and marks it" "$marked"
expect "doctor checks the endpoint" 7 "! endpoint: " doctor --engine endpoint --endpoint http://127.0.0.1:1
expect "doctor misses what is no program of ours" 3 "does not start, or is of another build" doctor --engine null --raster-program /bin/true
printf '#!/bin/sh\n[ "$1" = --build ] && printf 0123456789abcdef >&4\n' > "$scratch/of-old"
chmod +x "$scratch/of-old"
expect "doctor knows a program of another build" 3 "is of another build (0123456789abcdef, not " doctor --engine null --annotate-program "$scratch/of-old"
tables() { "$platen" doctor --engine null | grep 'East Asian tables'; }
if [ -d /usr/share/poppler/cMap ]; then
    [ "$(tables)" = 'East Asian tables: /usr/share/poppler/cMap' ] && ok "doctor finds poppler's tables" || bad "doctor finds poppler's tables" "$(tables)"
    if unshare -rm mount -t tmpfs none /usr/share/poppler 2> /dev/null; then
        without=$(unshare -rm sh -c "mount -t tmpfs none /usr/share/poppler; '$platen' doctor --engine null" | grep '^! East Asian')
        [[ $without = *missing*poppler-data* ]] && ok "and says which package lacks" || bad "and says which package lacks" "$without"
    else
        echo "skip - doctor without poppler's tables: no mount namespace here"
    fi
else
    [[ $(tables) = *missing*poppler-data* ]] && ok "doctor says that poppler's tables are missing" || bad "doctor says that poppler's tables are missing" "$(tables)"
fi
"$root/tests/man.sh" --check > man.out 2>&1 && ok "the man pages say what the program says" || bad "the man pages say what the program says" "$(cat man.out)"
figure='[0-9.]* to [0-9.]* s of processor time'
own=$("$platen" config --mdoc | tr '\n' ' ' | grep -o "$figure" | head -1)
[ "$own" ] && [ "$(tr '\n' ' ' < "$root/README.md" | grep -o "$figure" | sort -u)" = "$own" ] && ok "README.md gives OCR the time that the program does" ||
    bad "README.md gives OCR the time that the program does" "$own"
if command -v mandoc > /dev/null; then
    mandoc -T lint "$root"/pipeline/man/platen.1 "$root"/pipeline/man/platen.conf.5 "$root"/pipeline/man/platen-record.5 2>&1 | grep -v 'referenced manual not found' > man.out
    [ -s man.out ] && bad "the man pages are clean mdoc" "$(head -2 man.out)" || ok "the man pages are clean mdoc"
else
    echo "skip - the man pages are clean mdoc: mandoc is missing"
fi
exit $failed
