#!/usr/bin/env bash
# serve.sh: a program adds, sees and changes documents over HTTP, as if by hand in the folders, and no more than its role allows.
subject="serve: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
export PLATEN_OCR=off
"$platen" init "$scratch/spool" > /dev/null 2>&1
PYTHONPATH=tests/support python3 tests/support/serve_api.py "$platen" "$scratch/spool" 2> "$scratch/why" ||
    { [ -s "$scratch/why" ] && bad "driven to its end" "$(tail -3 "$scratch/why")"; failed=1; }
rm -rf "$scratch"/spool/work/*
"$platen" fsck "$scratch/spool" > "$scratch/out" || bad "the spool is whole" "$(head -2 "$scratch/out")"
exit $failed
