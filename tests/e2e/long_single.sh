#!/usr/bin/env bash
# long_single.sh - statements that fit one question: rows that the model left out, repeated or merged are
# asked for again or named.
subject="long_single: "
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
"$python" "$support/lacking.py" --platen "$platen" --papers 2 --side || failed=1
# goods that are called as a total is are no totals
"$python" "$support/labelled.py" --platen "$platen" --papers 7 || failed=1
# pictures of them, of which no text is known
"$python" "$support/lacking.py" --platen "$platen" --papers 2 --scans || failed=1
exit $failed
