#!/usr/bin/env bash
# long_scans.sh - scans without a text layer: unchecked pages are named; with OCR they are checked.
subject="long_scans: "
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/long.sh"

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
    serve whole --merge --merge-how late
    PLATEN_OCR=auto read_statement whole "${small[@]}"
    grep -q '"text": ".*Pharmacy order 1.15"' "$scratch/whole.json" && ok "and a line of which a row made of two lacks the rest is named" ||
        bad "a line of which a row made of two lacks the rest is named" "$(grep -A9 '"gaps"' "$scratch/whole.json")"
else
    echo "skip - ${subject}with OCR: tesseract-ocr-eng is not installed"
fi
exit $failed
