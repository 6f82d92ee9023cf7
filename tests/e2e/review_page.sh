#!/usr/bin/env bash
# review_page.sh: the page of platen review in a headless Chromium: 100 flagged values of 40 documents confirmed by keys
# alone, the server killed on the way; edits, words, boxes, rows, undo, two tabs, 2,000 rows. PICTURES=DIR keeps how it looks.
subject="review page: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
PYTHONPATH=tests/support python3 -c 'import chrome, sys; sys.exit(not chrome.program())' || { echo "skip - ${subject}no chromium-headless-shell (or chromium) is installed"; exit 0; }
mkdir -p "$scratch/spool/in/receipt"
cp samples/good/askew.png "$scratch/spool/in/receipt"
"$platen" run "$scratch/spool" -q --stable-for 0 2> "$scratch/err"
PYTHONPATH=tests/support python3 tests/support/review_page.py "$platen" "$scratch/spool" ${PICTURES:+"$PICTURES"} 2> "$scratch/why" ||
    bad "driven to its end" "$(tail -3 "$scratch/why")"
"$platen" fsck "$scratch/spool" > "$scratch/out" || bad "the spool is whole" "$(head -2 "$scratch/out")"
exit $failed
