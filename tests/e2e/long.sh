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

draw s300 300
asked() { # asked VERDICT SCORE_OPTIONS -- READER_OPTIONS
    local verdict=$1 score=(); shift
    while [ "$1" != -- ]; do score+=("$1"); shift; done
    shift
    serve s300 "$@"
    read_statement s300 "${small[@]}"
    scored "$verdict" s300 "${score[@]}"
}
asked "300 rows of a reader that does not err" --
asked "a reader that stops after 25 rows" --named -- --stop-after 25
asked "answers that are cut at 700 tokens" -- --cut-at 700
asked "a reader that drops 2 %" --recall 0.995 --named -- --drop 0.02
asked "a reader that repeats the last row of the page before" -- --repeat
asked "a reader that merges rows at the edges of pages" --named -- --merge
asked "one that adds what the other row says" --named -- --merge --merge-how text
asked "one that does all of it" --recall 0.98 --named -- --stop-after 30 --repeat --merge --unseen --drop 0.02

for part in pdf truth.json; do cp "$scratch/s300.$part" "$scratch/alone.$part"; done
cp "$scratch/s300.references.schema.json" "$scratch/alone.schema.json"
serve alone
read_statement alone "${small[@]}"
scored "one column as an array of strings" alone

draw scan 120 --scan tiff --dpi 100
serve scan
read_statement scan "${small[@]}"
scored "120 rows of a scan" scan --blind

kills s300 2

"$python" "$root/tests/long_embedded.py" "$platen" --pages 3 || failed=1
exit $failed
