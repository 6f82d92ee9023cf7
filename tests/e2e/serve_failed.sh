#!/usr/bin/env bash
# serve_failed.sh: a document that failed is opened with a password, or rotated, over HTTP; the password is kept nowhere. Old ones are pruned.
subject="serve_failed: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
command -v qpdf > /dev/null || { echo "skip - ${subject}qpdf is not here"; exit 0; }
export PLATEN_OCR=off
"$platen" init "$scratch/spool" > /dev/null 2>&1
PYTHONPATH=tests/support python3 tests/support/serve_failed.py "$platen" "$scratch/spool" 2> "$scratch/why" ||
    { [ -s "$scratch/why" ] && bad "driven to its end" "$(tail -3 "$scratch/why")"; failed=1; }
exit $failed
