#!/usr/bin/env bash
# mixed.sh [N] - a hot folder of N mixed files: everything in samples/ again and
# again, in folders of any depth and name, and broken files (support/mixed.py),
# dropped while platen watches. Each must be in done/ or failed/ exactly once, its
# record in the same folder of out/. ENGINE=null: without the model.
set -u
cd "$(dirname "$0")/.." || exit 1
n=${1:-2000}
export PLATEN=${PLATEN:-$PWD/build/platen} PLATEN_CONFIG= LC_ALL=C
scratch=$(mktemp -d "${TMPDIR:-/tmp}/platen-mixed.XXXXXX")
watcher=
trap '[ -z "$watcher" ] || kill "$watcher"; rm -rf "$scratch"' EXIT
s=$scratch/s
mkdir -p "$s/in/receipt"
"$PLATEN" watch "$s" --stable-for 0.5 --empty-after 1 --rescan 5 --schemas "$PWD/schemas" --engine "${ENGINE:-native}" --ocr off -q > /dev/null 2> "$scratch/err" & watcher=$!
fail() { echo "not ok - mixed: $1"; exit 1; }
tests/support/mixed.py drop "$s" "$n" "$scratch/list" || fail "the files could not be dropped"
tests/support/mixed.py wait "$s" 120 || fail "$(tail -2 "$scratch/err")"
kill -TERM $watcher; wait $watcher; code=$?; watcher=
[ $code = 0 ] || fail "watch ended with $code: $(tail -2 "$scratch/err")"
tests/support/mixed.py check "$s" "$scratch/list" || fail "not every document is accounted for"
"$PLATEN" fsck "$s" > "$scratch/fsck" || fail "$(grep fault "$scratch/fsck" | head -3)"
ignored=$("$PLATEN" status "$s" --json | sed -nE 's/^  "ignored": ([0-9]+),/\1/p')
[ "$ignored" = 2 ] || fail "$ignored ignored files, not 2"
done=$(find "$s/done" -maxdepth 1 -name '2*' | wc -l) failed=$(find "$s/failed" -maxdepth 1 -name '2*' | wc -l)
echo "mixed: $(wc -l < "$scratch/list") files, $done done, $failed failed, $(find "$s/in" -type d | wc -l) folders"
echo "ok - mixed: a hot folder of mixed files, each accounted for"
