#!/usr/bin/env bash
# cut_review.sh [EVERY] - power cuts while a person corrects records: a process
# of platen review is killed at a mutating system call, on an ext4 of its own whose unwritten data is
# thrown away. What the page was told is saved must be in review.jsonl, in its
# order, and in the record that is given out. Needs root and loop devices.
set -u
. "$(dirname "$0")/lib.sh"
every=${1:-1}
skip() { echo "skip - power cut in review: $1"; exit 0; }
command -v pgrep > /dev/null || skip "needs procps"
. "$(dirname "$0")/disk.sh"
make_spool "$scratch/template"
"$platen" run "$scratch/template" "${options[@]}" 2> /dev/null
id=$(basename "$(dirname "$(grep -l '"good' "$scratch"/template/*/*/name.json)")")
sealed=$(basename "$(dirname "$(grep -l '"dama' "$scratch"/template/*/*/name.json)")")
load() { umount "$mount"; fresh; cp -a "$scratch/template" "$mount/s"; sync; }
review=("$platen" review "$mount/s" "${options[@]/--quiet/--stable-for=0}")
client() { python3 "$root/tests/faults/review_client.py" "$mount/s" "$id" "$sealed" "$@" 2> "$scratch/why"; }
load
client strace -f -qq -o "$scratch/calls.raw" "${review[@]}" > "$scratch/log"
[ "$(tr '\n' ' ' < "$scratch/log")" = "one two three four undone filled " ] ||
    { echo "not ok - power cut in review: $(cat "$scratch/log" "$scratch/why")"; exit 1; }
points=0 failed=0 total=0
fail() { failed=$((failed + 1)); echo "not ok - power cut in review: $call $i: $1"; }
# what was acknowledged, held against the lines and the record that they make
kept() {
    python3 - "$mount/s" "$id" "$sealed" "$scratch/log" "$scratch/export" << 'PY'
import json, os, sys
spool, doc, sealed, log, export = sys.argv[1:]
acked = open(log).read().split()
path = f"{spool}/done/{doc}/review.jsonl"
lines = [json.loads(l) for l in open(path).read().split("\n")[:-1]] if os.path.exists(path) else []
said = ["undone" if "undo" in l else l["new"] for l in lines]
assert said[:len(acked)] == [a for a in acked if a != "filled"][:len(said)] and len(said) >= len([a for a in acked if a != "filled"]), (acked, said)
records = {r["id"]: r for r in map(json.loads, open(export))}
wanted = None if not said else "three" if said[-1] == "undone" else said[-1]
assert records[doc]["data"]["text"] == wanted, (said, records[doc]["data"])
assert "filled" not in acked or records[sealed]["data"]["text"] == "by hand", "what was filled in is gone"
out = [json.load(open(os.path.join(at, n))) for at, _, names in os.walk(spool + "/out/faults") for n in names]
assert {r["id"]: r["data"] for r in out} == {i: r["data"] for i, r in records.items()}, "out/ has something else"
PY
}
for call in pwrite64 write ftruncate fsync fdatasync unlinkat linkat mkdirat renameat renameat2 openat close; do
    # the most of one process: the server, one that handles requests, one that draws
    n=$(awk -v call="$call" 'index($2, call "(") == 1 { if (++n[$1] > most) most = n[$1] } END { print most + 0 }' "$scratch/calls.raw")
    [ "$call" = openat ] || [ "$call" = close ] && step=$((every * 6)) || step=$every
    for ((i = 1; i <= n; i++)); do
        total=$((total + 1))
        [ $((total % step)) = 0 ] || continue
        load
        client strace -f -qq -o /dev/null -e trace="$call" -e "inject=$call:signal=KILL:when=$i" "${review[@]}" > "$scratch/log"
        cut_power || { fail "the file system did not come back"; continue; }
        points=$((points + 1))
        "$platen" run "$mount/s" "${options[@]}" > /dev/null 2>&1
        "$platen" export "$mount/s" --to jsonl --schemas "$root/tests/faults" > "$scratch/export" 2> "$scratch/why" || fail "$(head -1 "$scratch/why")"
        kept 2> "$scratch/why" || fail "$(tail -1 "$scratch/why")"
        "$platen" fsck "$mount/s" > "$scratch/fsck" || fail "$(head -1 "$scratch/fsck")"
    done 2> /dev/null
done
# and right after the last word, without an fsync of anybody else
call=none i=0
load
client "${review[@]}" > "$scratch/log"
cut_power || fail "the file system did not come back"
points=$((points + 1))
"$platen" run "$mount/s" "${options[@]}" > /dev/null 2>&1
"$platen" export "$mount/s" --to jsonl --schemas "$root/tests/faults" > "$scratch/export" 2> /dev/null
kept 2> "$scratch/why" || fail "$(tail -1 "$scratch/why")"
umount "$mount"
[ $points -gt 1 ] || { echo "not ok - power cut in review: no point was run"; exit 1; }
[ $failed = 0 ] && echo "ok - $points power cuts while records are corrected, nothing acknowledged is lost"
exit $((failed > 0))
