#!/usr/bin/env bash
# long.sh - statements of 30 and 300 rows, read by a reader that knows them and
# errs on demand: every row in order, or a named gap. `make long` does the same
# with thousands of rows.
subject="long: "
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/long.sh"

draw s30 30
serve s30
"$python" "$support/reader_check.py" "$url" "$scratch/s30" --dpi 130 || failed=1
read_statement s30
scored "30 rows in one question" s30
[ "$(requests)" -gt 10 ] || bad "the reader's log" "$(requests) lines"

# what one question gives is held against its pages as well
draw short 60 --seed 5
short() { local reading=(); tried "$1" short "${@:2}"; }
short "$(cat "$scratch/short.pages") pages in one question" --no-gaps --
[ "$(requests)" = 1 ] && ok "and no more" || bad "and no more" "$(requests) questions"
short "of a reader that repeats rows there" --no-gaps -- --repeat
short "of one that merges them" --named -- --merge
short "of one that merges their texts" --named -- --merge --merge-how text
short "of one that stops after 25" --named -- --stop-after 25
short "of one that drops 5 %" --recall 0.95 --named -- --drop 0.05
short "of one that stops after the first" --recall 0.5 --named -- --stop-after 1
# no part of a page is small enough for these: then its lines are asked for
short "of one whose answers are cut at 300 tokens" -- --cut-at 300
short "at 130" --recall 0.95 --named -- --cut-at 130
# a table of which no row is given shows by what its lines have in common
short "of one that forgets a table" --no-gaps -- --forget fees
short "whatever it is asked" --recall 0 --named -- --forget fees --stubborn
short "of one that forgets all tables" --no-gaps -- --forget fees --forget transactions
short "whatever it is asked" --recall 0 --named -- --forget fees --forget transactions --stubborn
"$python" "$support/lacking.py" --platen "$platen" --papers 4 || failed=1
# pictures of them, of which no text is known
"$python" "$support/lacking.py" --platen "$platen" --papers 2 --scans || failed=1

draw s300 300
asked() { tried "$1" s300 "${@:2}"; } # VERDICT SCORE_OPTIONS -- READER_OPTIONS
asked "300 rows of a reader that does not err" --
[ "$(requests)" = 11 ] && ok "and each page is asked about once" || bad "each page is asked about once" "$(requests) questions"
# two pages contradict each other about a value: both are named, whatever they say
"$python" - "$scratch/s300.truth.json" << 'END'
import json, sys
truth = json.load(open(sys.argv[1]))
truth['scalars']['account']['else'] = {str(truth['pages'][-1]['id']): 'E\x9b2J\u202e\n' + 'ü' * 100}
json.dump(truth, open(sys.argv[1].replace('s300', 'differ'), 'w'))
END
serve differ
read_statement s300 "${small[@]}"
grep -qE 'review /account: page 1 says "DE[0-9]{20}", page 11 says "E\?2J\?\\n(ü){20,30}\.\.\.$' "$scratch/err" && ok "a conflict names both values and their pages" ||
    bad "a conflict names both values and their pages" "$(tail -1 "$scratch/err")"
# what stands on the fourth page alone is found, by its name there, behind a null as well
"$python" - "$scratch/s300.schema.json" "$scratch/nullable.schema.json" << 'END'
import json, sys
one = json.load(open(sys.argv[1]))
json.dump({'type': 'object', 'properties': {'x': {'anyOf': [{'type': 'null'}, one]}}, 'required': ['x']}, open(sys.argv[2], 'w'))
END
options_of nullable
"$platen" extract "$scratch/s300.pdf" "${options[@]}" "${small[@]}" > "$scratch/nullable.json" 2> "$scratch/err"
[ "$("$python" -c 'import json, sys; x = json.load(open(sys.argv[1]))["data"]["x"]; print(x["interest"], len(x["transactions"]))' "$scratch/nullable.json" 2>&1)" = "3.25 300" ] &&
    ok "a statement or null is read as a statement" || bad "a statement or null is read as a statement" "$(tail -1 "$scratch/err")$(head -c 300 "$scratch/nullable.json")"
# what a row is, said in another file, which the reader has not, and by an anchor
"$python" - "$scratch" << 'END'
import copy, json, sys
folder = sys.argv[1]
own = json.load(open(folder + '/s300.schema.json'))
def put(name, schema): json.dump(schema, open(f'{folder}/{name}.schema.json', 'w'))
def rows(items, **more):
    s = {**copy.deepcopy(own), **more}
    s['properties']['transactions']['items'] = items
    return s
row = own['properties']['transactions']['items']
json.dump(row, open(folder + '/row.json', 'w'))
put('filed', rows({'$ref': 'row.json'}))
put('anchored', rows({'$dynamicRef': '#row'}, **{'$defs': {'r': {**row, '$dynamicAnchor': 'row'}}}))
put('placed', rows({'$ref': 'b.json#/parts/row'}, **{'$id': 'https://ex.com/b.json', 'parts': {'row': row}}))
END
for kind in filed anchored placed; do
    serve s300
    options_of $kind
    "$platen" extract "$scratch/s300.pdf" "${options[@]}" "${small[@]}" > "$scratch/s300.json" 2> "$scratch/err"
    scored "300 rows that are $kind elsewhere" s300
    [ "$(requests)" = 11 ] && ok "and page by page ($kind)" || bad "and page by page ($kind)" "$(requests) questions"
done
serve s300 --slow 1
read_statement s300 "${small[@]}" --endpoint-parallel 3
scored "three pages are asked about at once" s300
[ "$(requests) $(at_once)" = "11 3" ] && ok "three, and none twice" || bad "three, and none twice" "$(requests) questions, $(at_once) at once"
asked "a reader that fails every fourth time" -- --fail-every 4
asked "a reader that stops after 25 rows" --named -- --stop-after 25
asked "answers that are cut at 700 tokens" -- --cut-at 700
asked "a reader that drops 2 %" --recall 0.995 --named -- --drop 0.02
asked "a reader that repeats the last row of the page before" -- --repeat
asked "a reader that merges rows at the edges of pages" --named -- --merge
asked "one that adds what the other row says" --named -- --merge --merge-how text
asked "one that merges them whatever it is asked: fewer rows, none of two" --recall 0.4 -- --merge --stubborn
asked "one that does all of it" --recall 0.98 --named -- --stop-after 30 --repeat --merge --unseen --drop 0.02

# rows without a date and a sum among those that have them: only their cells tell
draw pending 300 --seed 9 --pending 0.1
pending() { tried "$1" pending "${@:2}"; }
pending "300 rows, some of them pending" --no-gaps --
pending "of a reader that drops 10 %" --recall 0.95 --named -- --drop 0.1
pending "of one that stops after 15 rows" --recall 0.6 --named -- --stop-after 15

for part in pdf truth.json; do cp "$scratch/s300.$part" "$scratch/alone.$part"; done
cp "$scratch/s300.references.schema.json" "$scratch/alone.schema.json"
serve alone
read_statement alone "${small[@]}"
scored "one column as an array of strings" alone

# without a text layer and OCR no page can be checked, and the record says so
draw scan 300 --scan tiff --dpi 110 --seed 7
scanned() { tried "$1" scan --blind --unchecked "${@:2}"; }
scanned "300 rows of a scan without OCR" --
[ "$(requests)" = 11 ] && ok "and each page is asked about once" || bad "each page is asked about once" "$(requests) questions"
grep -q '"review": true' "$scratch/scan.json" && grep -q 'review: 11 pages could not be checked .* set ocr = auto' "$scratch/err" &&
    ok "the record is flagged, and the warning names the remedy" || bad "the record is flagged, and the warning names the remedy" "$(tail -1 "$scratch/err")"
scanned "one that drops 2 %: which rows, nobody knows" --recall 0.95 -- --drop 0.02
scanned "answers that are cut at 700 tokens" -- --cut-at 700
draw whole 20 --scan tiff --dpi 150 --seed 7
serve whole
read_statement whole "${small[@]}"
scored "a scan of $(cat "$scratch/whole.pages") pages in one question" whole --unchecked
PLATEN_OCR=auto read_statement whole "${small[@]}" --ocr-data "$scratch"
scored "one that Tesseract cannot read" whole --unchecked
grep -q 'review: 2 pages could not be checked .*: Tesseract read no words there' "$scratch/err" && ok "and the warning names another remedy" ||
    bad "and the warning names another remedy" "$(grep checked "$scratch/err")"
if PLATEN_OCR=auto "$platen" doctor 2> /dev/null | grep -q "OCR: Tesseract .*reads eng"; then
    PLATEN_OCR=auto read_statement whole "${small[@]}"
    grep -q unchecked "$scratch/whole.json" && bad "with OCR both are checked" "$(grep -A3 unchecked "$scratch/whole.json")" || scored "with OCR both are checked" whole
else
    echo "skip - ${subject}with OCR: tesseract-ocr-eng is not installed"
fi

# a text layer that is the end of who reads it: the child has the third of its pages drawn when it dies
mkdir "$scratch/bin"; cp "$platen" "$scratch/bin/platen"
raster=$(dirname "$(realpath "$platen")")/platen-raster
cat > "$scratch/bin/platen-raster" << END
#!/bin/bash
[[ " \$* " == *" --words "* ]] || exec "$raster" "\$@"
"$raster" "\${@/#\$PPID/\$\$}" 4>&1 > /dev/null | head -c 2000000 >&4 # its parent is this shell
kill -XCPU \$\$
END
chmod +x "$scratch/bin/platen-raster"
draw words 120
serve words
own=$platen platen=$scratch/bin/platen
read_statement words "${small[@]}"
scored "a text layer that kills who reads it costs no page" words --blind
grep -q 'page [3-5]: its text layer cannot be read' "$scratch/words.json" && ok "and the record says so" || bad "and the record says so" "$(grep -A3 '"warnings"' "$scratch/words.json") $(cat $scratch/err)"
"$platen" extract "$scratch/words.pdf" --schema "$scratch/words.schema.json" --engine null > "$scratch/whole.json" 2> "$scratch/err" &&
    grep -q "page [0-9]*: its text layer cannot be read" "$scratch/whole.json" && ok "nor where all pages are one question" || bad "nor where all pages are one question" "$(cat "$scratch/err")"
platen=$own

# answers that hold a part of a page, and a last page that is mostly paper
draw parts 84 --seed 2
serve parts --cut-at 450
read_statement parts
scored "84 rows in answers that hold an eighth of a page" parts --no-gaps

# tables within rows
nested() { # nested VERDICT NAME [OPTION of the reader...]
    local verdict=$1 name=$2 counts options; shift 2
    start_reader nested.py serve "$scratch/$name.truth.json" "$scratch/port" "$@"
    read_statement "$name"
    counts=$("$python" "$support/nested.py" score "$scratch/$name.json" "$scratch/$name.truth.json" $([ "$name" = scanned ] && echo --unchecked) 2>&1) &&
        ok "$verdict ($counts)" || bad "$verdict" "$counts $(tail -1 "$scratch/err" | head -c 300) $(tail -1 "$scratch/reader.err")"
}
accounts() { "$python" "$support/nested.py" draw "$scratch/$1" "${@:2}" > "$scratch/$1.pages" || { bad "$1 is drawn" "nested.py ended badly"; exit 1; }; }
accounts large --accounts 3 --rows 100
nested "accounts that go on over pages" large
nested "whose reader does not say that they do" large --shy
nested "that drops 3 %" large --drop 0.03
nested "whose answers are cut" large --cut-at 900
accounts many --accounts 40 --rows 4 --again --seed 2
nested "small accounts" many
nested "of a reader that drops 20 %" many --drop 0.2
accounts few --accounts 60 --rows 1 --seed 3
nested "accounts of a booking, or none" few --drop 0.05
accounts scanned --accounts 12 --rows 16 --scan 110
nested "accounts of a scan" scanned
nested "of a reader that drops 3 %" scanned --drop 0.03

kills s300 2

# what is too long is printed nowhere, not even in part
serve s300
read_statement s300 "${small[@]}" --max-record-bytes 20000
[ ! -s "$scratch/s300.json" ] && grep -q '\[too-large\]' "$scratch/err" && ok "a record that is too large is not printed in part" ||
    bad "a record that is too large is not printed in part" "$(wc -c < "$scratch/s300.json") bytes, $(tail -1 "$scratch/err")"

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
[ "$lost" = "[]" ] && grep -q 'the record has gaps' "$scratch/err" && ok "what the embedded model leaves out is named" ||
    bad "what the embedded model leaves out is named" "$lost, $(tail -1 "$scratch/err")"
exit $failed
