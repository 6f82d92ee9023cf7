#!/usr/bin/env bash
# long_pages.sh - 300 rows, read page by page: every row in order, or a named gap. `make long` does the same
# with thousands of rows.
subject="long_pages: "
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/long.sh"

draw s300 300
asked() { tried "$1" s300 "${@:2}"; } # VERDICT SCORE_OPTIONS -- MODEL_OPTIONS
asked "300 rows of a reader that does not err" --
[ "$(requests)" = 11 ] && ok "and each page is asked about once" || bad "each page is asked about once" "$(requests) questions"
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
asked "one that merges them whatever it is asked: fewer rows, none of two" --recall 0.4 --misread -- --merge --stubborn
asked "one that does all of it" --recall 0.98 --named --misread -- --stop-after 30 --repeat --merge --unseen --drop 0.02

# rows without a date and a sum among those that have them: only their cells tell
draw pending 300 --seed 9 --pending 0.1
pending() { tried "$1" pending "${@:2}"; }
pending "300 rows, some of them pending" --no-gaps --
pending "of a reader that drops 10 %" --recall 0.95 --named -- --drop 0.1
pending "of one that stops after 15 rows" --recall 0.6 --named -- --stop-after 15

# answers that hold a part of a page, and a last page that is mostly paper
draw parts 84 --seed 2
serve parts --cut-at 450
read_statement parts
scored "84 rows in answers that hold an eighth of a page" parts --no-gaps

# what is too long is printed nowhere, not even in part
serve s300
read_statement s300 "${small[@]}" --max-record-bytes 20000
[ ! -s "$scratch/s300.json" ] && grep -q '\[too-large\]' "$scratch/err" && ok "a record that is too large is not printed in part" ||
    bad "a record that is too large is not printed in part" "$(wc -c < "$scratch/s300.json") bytes, $(tail -1 "$scratch/err")"
exit $failed
