#!/usr/bin/env bash
# storm.sh [DOCUMENTS] [SECONDS] - several platen with several workers on one
# spool, killed at random; then one run, and the checker.
set -u
. "$(dirname "$0")/lib.sh"
documents=${1:-600} seconds=${2:-20}
s=$scratch/s
mkdir -p "$s/in/faults"
for ((i = 0; i < documents; i++)); do
    { cat "$root/tests/faults/good.png"; echo "$i"; } > "$s/in/faults/$i.png"
done
hashes=$(expected "$s")
kills=0 end=$((SECONDS + seconds))
{
    while [ $SECONDS -lt $end ]; do
        while [ "$(jobs -rp | wc -l)" -lt 3 ]; do
            "$platen" run "$s" "${options[@]}" --jobs 2 > /dev/null 2>&1 &
        done
        sleep 0.0$((RANDOM % 9 + 1))
        # one of the supervisors, or one of their workers
        family=$(jobs -rp; for p in $(jobs -rp); do ps -o pid= --ppid "$p"; done)
        victim=$(echo $family | tr ' ' '\n' | shuf -n 1)
        [ -n "$victim" ] && kill -KILL "$victim" && kills=$((kills + 1))
        [ -n "$(ls "$s/in/faults")" ] || break
    done
    for p in $(jobs -rp); do kill -KILL "$p"; done
    wait
} 2> /dev/null
"$platen" run "$s" "${options[@]}" > "$scratch/log" 2>&1
why=$(check "$s" "$hashes") ||
    { echo "not ok - faults storm: $why"; tail -3 "$scratch/log"; exit 1; }
lost=$(find "$s/failed" -name reason.json | wc -l)
linked=$(find "$s/out/faults" -type f | wc -l)
echo "faults storm: $documents documents, $kills random kills, $lost condemned"
[ $kills -gt 0 ] || { echo "not ok - faults storm: nothing was killed"; exit 1; }
[ "$lost" = 0 ] || { echo "not ok - faults storm: $lost documents condemned"; exit 1; }
[ "$linked" = "$documents" ] ||
    { echo "not ok - faults storm: $linked records in out/ for $documents documents"; exit 1; }
echo "ok - $kills random kills of several workers, each document exactly once"
