#!/usr/bin/env bash
# order.sh - the order of durable steps, from the system calls of whole runs:
# claims, copies, commits, deliveries, retries. Removing any one fsync, lock or
# NOREPLACE must show here (make mutants).
set -u
. "$(dirname "$0")/lib.sh"
command -v strace > /dev/null && command -v python3 > /dev/null || { echo "skip - order: needs strace and python3"; exit 0; }
s=$scratch/s failed=0 n=0
trace() { # trace NAME ARGS...: one run, its order checked
    local name=$1 why; shift
    strace -y -s 4096 -qq -o "$scratch/log.$name" "$platen" "$@" > "$scratch/said" 2>&1
    n=$((n + 1))
    why=$(python3 "$root/tests/faults/order.py" "$s:${elsewhere:-}" "$scratch/log.$name") ||
        { failed=1; echo "not ok - order: $name: $(echo "$why" | sed "s|$scratch/||" | head -3 | tr '\n' ' ')"; }
}
loud=("${options[@]/--quiet/--verbose}" --in-process)
make_spool "$s"
trace run run "$s" "${loud[@]}" --ocr off --format json,xml,pdf,hocr,alto
trace retry retry "$s" --all
trace again run "$s" "${loud[@]}"
mkdir -p "$s/in/new" "$s/work/20260101T000000Z-0000000000000000"
echo '{}' > "$s/work/20260101T000000Z-0000000000000000/name.json"
cp "$root/tests/faults/good.png" "$scratch/other"; ln "$scratch/other" "$s/in/faults/linked.png"
ln -s /etc/passwd "$s/in/faults/pointer.png"
trace links run "$s" "${loud[@]}"
rm -rf "$s"/done/*/delivered "$s"/out/faults/*; trace deliver run "$s" "${loud[@]}"
id=$(ls "$s/done" | head -1); mv "$s/done/$id" "$s/work/$id"; trace ready run "$s" "${loud[@]}"
cp "$root/tests/faults/good.png" "$s/in/faults/late.png"
trace weather run "$s" "${loud[@]}" --engine native --model /nonexistent --mmproj /nonexistent
trace weathered run "$s" "${loud[@]}"
# no lease on another user's file: the bytes are copied before they are read
if [ "$(id -u)" = 0 ]; then
    cp "$root/tests/faults/good.png" "$s/in/faults/theirs.png"; chown 65534 "$s/in/faults/theirs.png"
    trace theirs run "$s" "${loud[@]}"
fi
# a stack is cut, and what is left of a cut that was killed is thrown away
kept=$s; s=$scratch/stack; mkdir -p "$s/in/faults"
cp "$root/tests/faults/stack.tif" "$s/in/faults/"
trace stack run "$s" "${loud[@]}" --split barcode
id=$(basename "$(dirname "$(grep -l '"sheets"' "$s"/done/*/record.json)")")
rm "$s/done/$id"/{record.json,delivered}; mv "$s/done/$id" "$s/work/$id"
for part in "$s"/done/*; do mv "$part" "$s/work/$id/parts/"; rm -f "$s/work/$id/parts/${part##*/}"/{record.json,delivered,attempt.*}; done
trace stack-again run "$s" "${loud[@]}" --split barcode
[ "$(ls "$s/done" | wc -l)" = 4 ] || { failed=1; echo "not ok - order: the stack was not cut anew"; }
# what is old goes: the bytes alone, then stack and parts altogether
touch -d '100 days ago' "$s"/done/*/delivered
trace prune-bytes prune "$s" --done-older 90d --keep-records
trace prune prune "$s" --done-older 90d
[ -z "$(ls "$s/done")" ] || { failed=1; echo "not ok - order: the stack was not pruned"; }
s=$kept
trace hooks run "$s" "${loud[@]}" --on-done /bin/true --on-failed /bin/true
# in/ and out/ elsewhere
if [ "$(stat -c %d /tmp)" != "$(stat -c %d "$scratch")" ]; then
    elsewhere=$(mktemp -d /tmp/platen-order.XXXXXX)
    trap "rm -rf '$scratch' '$elsewhere'" EXIT # as they are now
    s=$scratch/t; mkdir -p "$s" "$elsewhere/in/faults" "$elsewhere/out"
    ln -s "$elsewhere/in" "$s/in"; ln -s "$elsewhere/out" "$s/out"
    cp "$root/tests/faults/good.png" "$elsewhere/in/faults/"; ln -s /nowhere "$elsewhere/in/faults/link"
    trace elsewhere run "$s" "${loud[@]}" --format json,xml
fi
s=$scratch/records; mkdir "$s"; elsewhere=
trace extract extract "$root/tests/faults/good.png" --engine null --schema "$root/tests/faults/faults.schema.json" --out "$s"
[ $failed = 0 ] && echo "ok - order: $n runs make every step durable before the next rests on it"
exit $failed
