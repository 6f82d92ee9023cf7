#!/usr/bin/env bash
# prune.sh - what is done, delivered and old goes, and nothing else: whatever is
# killed, a document is whole or gone, and the next prune ends what was begun.
set -u
subject='prune: '
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off # second.sh is about it
options=(--engine null --stable-for 0 --schemas "$root/tests/faults" --min-free-space 1 --quiet --split barcode)
s=$scratch/s
check() { local name=$1; shift; if "$@"; then ok "$name"; else bad "$name" "$(tail -3 "$scratch/log" | tr '\n' ' ')"; fi; }
count() { find "$s/$1" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l; }
clean() { "$platen" fsck "$s" > "$scratch/log" 2>&1; }
old() { touch -d '100 days ago' "$s"/done/*/delivered; }
prune() { "$platen" prune "$s" --done-older 90d "$@" > "$scratch/out" 2> "$scratch/log"; }
tree() { (cd "$s" && find in work done failed out pending ! -name 'index.db*' | sort | sha256sum); }
# two alone, one that fails, a stack of three
mkdir -p "$s/in/faults"
for n in one two; do cp "$root/tests/faults/good.png" "$s/in/faults/$n.png"; done
echo nonsense > "$s/in/faults/bad.png"
cp "$root/tests/faults/stack.tif" "$s/in/faults/"
"$platen" run "$s" "${options[@]}" > "$scratch/log" 2>&1
n=$(count done) stack=$(basename "$(dirname "$(grep -l '"sheets"' "$s"/done/*/record.json)")")
check "the spool holds what this is about" test "$n $(count failed)" = "6 1"
cp -a "$s" "$scratch/young"

# --- what stays
prune; check "what is young stays" test $? = 0 -a "$(count done)" = 6
for wrong in 90 d 0d -1d 9x 90dd 1000001d 6m 90s 12h ''; do
    "$platen" prune "$s" --done-older "$wrong" > /dev/null 2>&1
    [ $? = 1 ] || bad "--done-older $wrong is refused" "$?"
done
"$platen" prune "$s" --done-older 6m > /dev/null 2> "$scratch/log"; check "six minutes are not six months" grep -q 'm is not a unit; use mo for months' "$scratch/log"
"$platen" prune "$s" --done-older 12h > /dev/null 2> "$scratch/log"; check "less than a day needs --force" grep -q 'less than a day: add --force' "$scratch/log"
"$platen" prune "$s" --done-older 12h --force > /dev/null 2> "$scratch/log"; check "and is taken with it" test $? = 0 -a "$(count done)" = 6
"$platen" prune "$s" > /dev/null 2>&1; check "without an age nothing happens" test $? = 1 -a "$(count done)" = 6
old
before=$(tree); prune --dry-run
check "a dry run lists what would go, and changes nothing" test "$(sort "$scratch/out")" = "$(ls "$s/done")" -a "$(tree)" = "$before"
# at a terminal: lists, and asks
asked() { # asked ANSWER ARGS...: what a person at a terminal sees is in log
    local answer=$1; shift
    python3 - "$answer" "$platen" prune "$s" "$@" > "$scratch/log" <<'PY'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
said = b""
try:
    while True:
        said += (got := os.read(fd, 4096))
        if not got: break
        if said.endswith(b"[y/N] "): os.write(fd, sys.argv[1].encode() + b"\n")
except OSError: pass
sys.stdout.buffer.write(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
}
if command -v python3 > /dev/null; then
    cp -a "$s" "$scratch/all"
    for age in 90d 3mo 2w; do
        asked n --done-older $age
        check "at a terminal it lists what would go ($age), and asks" test "$(grep -c 'faults/one.png' "$scratch/log")$(grep -c 'Delete these 6 documents for good?' "$scratch/log")$(count done)" = 116
    done
    asked "" --done-older 90d; check "no answer is no" test "$(count done)$(grep -c 'nothing was deleted' "$scratch/log")" = 61
    asked n --done-older 1y; check "nothing old enough: no question" test "$(grep -c 'Delete' "$scratch/log")" = 0
    asked y --done-older 90d; check "yes deletes" test "$(count done)" = 0
    rm -rf "$s"; cp -a "$scratch/all" "$s"
    asked n --done-older 90d --force; check "--force does not ask" test "$(count done)$(grep -c 'Delete' "$scratch/log")" = 00
    rm -rf "$s"; mv "$scratch/all" "$s"
fi
one=$(basename "$(dirname "$(grep -l 'one.png' "$s"/done/*/name.json)")")
two=$(basename "$(dirname "$(grep -l 'two.png' "$s"/done/*/name.json)")")
rm "$s/done/$one/delivered"; echo mine > "$s/done/$two/notes.txt"
part=$(basename "$(dirname "$(ls "$s"/done/*/part.json | head -1)")")
touch "$s/done/$part/delivered"
exec 9< "$s/done/$two"
prune
check "undelivered, foreign, and a stack with a young part stay" test "$(count done)" = 6
check "and what holds a foreign file is named" grep -q "$two is kept: it has a file that is not platen's" "$scratch/log"
rm "$s/done/$two/notes.txt"
flock 9; prune; check "what is in use stays" test -e "$s/done/$two/doc"; exec 9<&-
prune; check "and goes when it is free" test ! -e "$s/done/$two" -a "$(count done)" = 5
check "fsck is content with what is left" clean
check "index.db counts what is there" test "$("$platen" status "$s" --json | sed -n "/latest/,\$p" | grep -c "^      \"id\"")" = 6
touch -d '100 days ago' "$s/done/$part/delivered"; mv "$s/done/$part" "$s/failed/$part"; prune
check "a stack stays while a part of it has failed" test -e "$s/done/$stack/doc"
mv "$s/failed/$part" "$s/done/$part"
prune; check "a stack goes with all of its parts" test "$(ls "$s/done")" = "$one"
check "links in out/ stay" test "$(find "$s/out" -type f | wc -l)" = 5
check "what failed stays" test "$(count failed)" = 1
prune; check "once more nothing happens" test $? = 0 -a "$(count done)" = 1
check "fsck is content" clean

# --- only the bytes
rm -rf "$s"; cp -a "$scratch/young" "$s"; old
prune --keep-records
check "with --keep-records the bytes go and the records stay" test "$(ls "$s"/done/*/record.json | wc -l) $(ls "$s"/done/*/doc 2> /dev/null | wc -l)" = "6 0"
check "fsck knows" clean
"$platen" export "$s" --to jsonl --schemas "$root/tests/faults" > "$scratch/out" 2> "$scratch/log"
check "the records are still exported" test "$(wc -l < "$scratch/out")" = 5
prune --keep-records; check "once more nothing happens" grep -q "0 documents' files were deleted" "$scratch/log"
rm -f "$s"/done/"$one"/delivered; "$platen" run "$s" "${options[@]}" > "$scratch/log" 2>&1
check "a record without its bytes is delivered like any other" test -e "$s/done/$one/delivered"
old; prune; check "records go later" test "$(count done)" = 0
# a doc that was simply lost is a fault all the same
rm -rf "$s"; cp -a "$scratch/young" "$s"; rm "$s/done/$one/doc"
clean; check "bytes that are gone without the mark are a fault" test $? = 4

# --- what owes a hook
rm -rf "$s"; cp -a "$scratch/young" "$s"; old; touch "$s/done/$one/hook"
PLATEN_ON_DONE=/bin/true prune; check "what waits for a hook stays" test "$(ls "$s/done")" = "$one"
prune; check "where nobody has a hook it does not" test "$(count done)" = 0

# --- killed at every call that changes something
command -v strace > /dev/null || { echo "skip - prune: no strace"; exit $failed; }
walk() { # walk ARGS...: killed at each call, fsck is content and the next prune ends it
    local call i n points=0 faults=0
    cp -a "$scratch/old" "$s"; strace -qq -o "$scratch/calls" "$platen" prune "$s" --done-older 90d "$@" > /dev/null 2>&1
    for call in renameat2 unlinkat fsync openat close; do
        n=$(grep -c "^$call(" "$scratch/calls") step=1
        [ $call = openat ] || [ $call = close ] && step=$((n / 20 + 1))
        for ((i = 1; i <= n; i += step)); do
            rm -rf "$s"; cp -a "$scratch/old" "$s"
            strace -qq -o /dev/null -e trace=$call -e "inject=$call:signal=KILL:when=$i" "$platen" prune "$s" --done-older 90d "$@" > /dev/null 2>&1
            points=$((points + 1))
            clean || { faults=$((faults + 1)); bad "killed at $call $i" "$(grep fault: "$scratch/log" | head -1)"; }
            prune "$@" && clean && [ "$(state)" = "$wanted" ] || { faults=$((faults + 1)); bad "after $call $i" "$(state) $(tail -1 "$scratch/log")"; }
        done
    done 2> /dev/null
    [ $points -gt 30 ] && [ $faults = 0 ] && ok "killed at $points calls, $*: whole or gone, and the next one ends it"
}
state() { echo "$(count done) $(ls "$s"/done/*/doc 2> /dev/null | wc -l) $(count failed) $(find "$s/pending" -name '*.prune' | wc -l)"; }
rm -rf "$s"; cp -a "$scratch/young" "$s"; old; mv "$s" "$scratch/old"
wanted="0 0 1 0"; walk
rm -rf "$s"; wanted="6 0 1 0"; walk --keep-records
exit $failed
