#!/usr/bin/env bash
# cut.sh [EVERY] [stack] - power cuts: killed at a mutating system call, on an ext4 of
# its own whose unwritten data is thrown away (EXT4_IOC_SHUTDOWN without log
# flush); then mounted again. What was acknowledged must be there before
# recovery, and everything after it. Needs root and loop devices.
set -u
. "$(dirname "$0")/lib.sh"
every=${1:-1}
[ "${2:-}" = stack ] && . "$(dirname "$0")/stack.sh"
skip() { echo "skip - power cut: $1"; exit 0; }
. "$(dirname "$0")/disk.sh"
make_spool "$scratch/template"
hashes=$(expected "$scratch/template")
load() { umount "$mount"; fresh; cp -a "$scratch/template" "$mount/s"; sync; }
load
trace_calls "$scratch/calls" run "$mount/s" "${options[@]}" --in-process
points=0 failed=0 total=0
fail() { failed=$((failed + 1)); echo "not ok - faults cut: $call $i: $1"; }
acknowledged() { # names that the killed run reported, each with its document
    grep -oE "($names): (done|cut|.*\[[a-z-]+\])" "$scratch/log" | cut -d: -f1
}
for call in mkdirat write pwrite64 fsync fdatasync renameat renameat2 linkat unlinkat openat close; do
    n=$(grep -cx "$call" "$scratch/calls")
    [ "$call" = openat ] || [ "$call" = close ] && step=$((every * 4)) || step=$every
    for ((i = 1; i <= n; i++)); do
        total=$((total + 1))
        [ $((total % step)) = 0 ] || continue
        load
        # not --quiet: the lines are what is acknowledged
        strace -qq -o /dev/null -e trace="$call" -e "inject=$call:signal=KILL:when=$i" \
            "$platen" run "$mount/s" "${options[@]/--quiet/--stable-for=0}" --in-process > /dev/null 2> "$scratch/log"
        cut_power || { fail "the file system did not come back"; continue; }
        points=$((points + 1))
        for name in $(acknowledged); do
            grep -qF "\"$name\"" "$mount"/s/done/*/name.json "$mount"/s/failed/*/name.json 2> /dev/null ||
                fail "$name was acknowledged and is gone"
        done
        "$platen" run "$mount/s" "${options[@]}" > /dev/null 2>&1
        why=$(check "$mount/s" "$hashes" strict) || fail "$why"
    done 2> /dev/null
done
# what is acknowledged lasts although its producer never synced it: a power cut
# right after the run, without an fsync of anybody else
call=none i=0
umount "$mount"; fresh; mkdir -p "$mount/s/in/faults"; sync
cp "$root/tests/faults/good.png" "$mount/s/in/faults/good.png"
"$platen" run "$mount/s" "${options[@]}" --in-process > /dev/null 2>&1
cut_power || fail "the file system did not come back"
points=$((points + 1))
cmp -s "$root/tests/faults/good.png" "$mount"/s/done/*/doc || fail "an acknowledged document lost its bytes"
"$platen" fsck "$mount/s" > "$scratch/fsck" || fail "$(head -1 "$scratch/fsck")"
umount "$mount"
echo "faults cut: $points power cuts, $failed failures"
[ $points -gt 0 ] || { echo "not ok - faults cut: no point was run"; exit 1; }
[ $failed = 0 ] && echo "ok - $points power cuts, nothing acknowledged is lost"
exit $((failed > 0))
