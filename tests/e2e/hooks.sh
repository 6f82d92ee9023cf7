#!/usr/bin/env bash
# hooks.sh - on_done and on_failed: run at least once for each outcome, with the
# record's path alone, and whatever they do the document stays what it is.
set -u
subject='hooks: '
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off # second.sh is about it
options=(--engine null --stable-for 0 --schemas "$root/tests/faults" --min-free-space 1)
s=$scratch/s
check() { local name=$1; shift; if "$@"; then ok "$name"; else bad "$name" "$(tail -3 "$scratch/log" | tr '\n' ' ')"; fi; }
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }
fresh() {
    rm -rf "$s"; mkdir -p "$s/in/faults"; : > "$scratch/heard"
    cp "$root/tests/faults/good.png" "$s/in/faults/a b;\$(x).png"; echo nonsense > "$s/in/faults/bad.png"
}
run() { timeout -k 1 60 "$platen" run "$s" "${options[@]}" "$@" > /dev/null 2> "$scratch/log"; }
due() { find "$s/done" "$s/failed" -name hook | wc -l; }
hook() { printf '#!/bin/sh\n%s\n' "$2" > "$scratch/$1"; chmod +x "$scratch/$1"; }
hook tell 'echo "$# $1" >> "$(dirname "$0")/heard"; [ -s "$1" ] && [ ! -t 0 ] && ! read -r _'
hook refuse 'echo refused >> "$(dirname "$0")/heard"; exit 3'
hook hang 'sleep 1000 & echo $! > "$(dirname "$0")/child"; sleep 1000'
hook slow 'sleep 1; echo slow >> "$(dirname "$0")/heard"'

fresh; run --on-done "$scratch/tell" --on-failed "$scratch/tell"
check "each outcome is told once, by the path of its file alone" \
    test "$(sort "$scratch/heard")" = "$(for f in "$s"/done/*/record.json "$s"/failed/*/reason.json; do echo "1 $f"; done | sort)"
check "and nothing is due any more" test "$(due)" = 0
run --on-done "$scratch/tell" --on-failed "$scratch/tell"
check "nor told again" test "$(wc -l < "$scratch/heard")" = 2
fresh; run; run --on-done "$scratch/tell"
check "what was done before there was a hook is not told" test ! -s "$scratch/heard"
cd "$scratch" && run --on-done tell; check "a program without an absolute path is refused" test $? = 9

fresh; run --on-done "$scratch/refuse" --on-failed "$scratch/tell"; got=$?
check "a hook that fails ends a run with 17, tried once" test $got = 17 -a "$(grep -c refused "$scratch/heard")" = 1
check "it is said" grep -q 'the hook of .* exited with code 3; the document keeps' "$scratch/log"
check "the document stays in done/, its record in out/" test -s "$s"/done/*/record.json -a "$(ls "$s/out/faults" | wc -l) $(due)" = "1 1"
"$platen" fsck "$s" > "$scratch/log" 2>&1; check "fsck knows the mark" grep -q "clean (0 faults, 0 notes)" "$scratch/log"
rm -f "$s"/pending/*; run --on-done "$scratch/tell"
check "the next run tells it, by the mark alone" test $? = 16 -o $? = 0 -a "$(due)" = 0 -a "$(grep -c done/ "$scratch/heard")" = 1
fresh; run --on-done /nonexistent; check "a program that is not there fails likewise" test $? = 17 -a "$(due)" = 1
fresh; run --on-done "$scratch/hang" --hook-timeout 1
check "one that hangs is killed with its children" test $? = 17 -a "$(due)" = 1 -a "$(sed -n 's/^State:.\(.\).*/\1/p' "/proc/$(cat "$scratch/child")/status" 2> /dev/null | tr -d Z)" = ""

# --- killed: it is run again
fresh; "$platen" run "$s" "${options[@]}" --on-done "$scratch/slow" > /dev/null 2>&1 & run=$!
wait_for 10 eval 'test -e "$s"/done/*/delivered'; sleep 0.3; kill -KILL $run; wait $run 2> /dev/null
run --on-done "$scratch/slow"; check "a hook that was cut off runs again" test "$(cat "$scratch/heard")" = slow -a "$(due)" = 0

# --- a worker that is forked while a hook runs must not keep the hook's lock
hook later 'touch "$(dirname "$0")/begun"; while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.05; done; exit 3'
fresh; rm -f "$s/in/faults/bad.png" "$scratch/begun" "$scratch/go"
"$platen" watch "$s" "${options[@]}" --on-done "$scratch/later" --rescan 0.2 > /dev/null 2> "$scratch/log" & watch=$!
wait_for 10 test -e "$scratch/begun"
kill -HUP $watch # retires the idle worker: the next document gets a new one
wait_for 10 grep -q 'configuration was reloaded' "$scratch/log"
cp "$root/tests/faults/good.png" "$s/in/faults/2.png"
wait_for 10 eval '[ "$(ls "$s/done" | wc -l)" = 2 ]'
touch "$scratch/go"; wait_for 10 eval '[ "$(grep -c "exited with code 3" "$scratch/log")" = 2 ]'
unlocked() { local f; for f in "$s"/pending/*.hook; do flock -n "$f" true || return 1; done; }
check "a hook that failed is unlocked, though a worker was forked while it ran" wait_for 3 unlocked
kill $watch; wait $watch

# --- a retry forgets it, and fails anew
fresh; run --on-failed "$scratch/refuse"; "$platen" retry "$s" --all 2> /dev/null; run --on-failed "$scratch/tell"
check "a retry begins anew" test "$(grep -c failed/ "$scratch/heard") $(due)" = "1 0"

# --- watch: others go on while one runs, and what is corrected is told again
fresh; "$platen" watch "$s" "${options[@]}" --on-done "$scratch/slow" --rescan 0.2 > /dev/null 2> "$scratch/log" & watch=$!
for i in 1 2 3 4; do cp "$root/tests/faults/good.png" "$s/in/faults/$i.png"; done
check "documents pass a slow hook" wait_for 3 eval '[ "$(ls "$s/done" | wc -l)" = 5 ]'
check "each is told in the end" wait_for 12 eval '[ "$(grep -c slow "$scratch/heard") $(due)" = "5 0" ]'
kill $watch; wait $watch; check "SIGTERM ends it with 0" test $? = 0

# --- what a person corrects is told again, by the corrected record, and so is what was filled in by hand
fresh; cp "$root/samples/bad/encrypted.pdf" "$s/in/faults/bad.png"; run --on-done "$scratch/tell" --on-failed "$scratch/tell"
done_id=$(basename "$s"/done/*) failed_id=$(basename "$s"/failed/*); : > "$scratch/heard"
python3 "$root/tests/faults/review_client.py" "$s" "$done_id" "$failed_id" "$platen" review "$s" "${options[@]}" --on-done "$scratch/tell" > "$scratch/said" 2> "$scratch/log"
check "a correction, and a record by hand, owe a hook" test "$(tail -1 "$scratch/said") $(due)" = "filled 2"
run --on-done "$scratch/tell" --on-failed "$scratch/tell"
check "what is told is the corrected record" test "$(sort "$scratch/heard")" = "$(printf '1 %s\n' "$s/done/$done_id/corrected.json" "$s/done/$failed_id/corrected.json" | sort)"
check "which has what the person said" grep -q '"three"' "$s/done/$done_id/corrected.json"
run --on-done "$scratch/tell"; check "and once" test "$(wc -l < "$scratch/heard") $(due)" = "2 0"

# --- in two at once each is told once
fresh; for i in $(seq 20); do cp "$root/tests/faults/good.png" "$s/in/faults/$i.png"; done
run --on-done "$scratch/tell" & run --on-done "$scratch/tell"; wait
check "two platen tell each once" test "$(sort "$scratch/heard" | uniq | wc -l) $(wc -l < "$scratch/heard")" = "21 21"
exit $failed
