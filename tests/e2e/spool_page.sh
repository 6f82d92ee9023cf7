#!/usr/bin/env bash
# spool_page.sh: the page of platen serve in a headless Chromium: files added while the server is killed (FILES=200 WATCHERS=4 KILLS=5
# for the long form), the list, failed documents, a record beside its page, roles. PICTURES=DIR keeps how it looks.
subject="spool page: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
PYTHONPATH=tests/support python3 -c 'import chrome, sys; sys.exit(not chrome.program())' || { echo "skip - ${subject}no chromium-headless-shell (or chromium) is installed"; exit 0; }
"$platen" init "$scratch/spool" > "$scratch/out"
mkdir -p "$scratch/spool/in/receipt"
PYTHONPATH=tests/support python3 tests/support/spool_page.py "$platen" "$scratch/spool" ${PICTURES:+"$PICTURES"} 2> "$scratch/why" ||
    bad "driven to its end" "$(tail -3 "$scratch/why")"
"$platen" fsck "$scratch/spool" > "$scratch/out" || bad "the spool is whole" "$(head -2 "$scratch/out")"
exit $failed
