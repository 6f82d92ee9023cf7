#!/usr/bin/env bash
# spool.sh - what the hot folder costs: how long after its settle time a dropped
# file is taken, and what an idle platen watch with 10,000 documents in done/
# takes of a core.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
platen=$(realpath "${PLATEN:-$root/build/platen}")
export PLATEN_CONFIG= LC_ALL=C
scratch=$(mktemp -d); watcher=
trap '[ -z "$watcher" ] || kill $watcher 2> /dev/null; rm -rf "$scratch"' EXIT
s=$scratch/s stable_for=1 drops=${1:-20} idle=${2:-30}
good=$root/tests/faults/good.png
mkdir -p "$s/in/faults"; cp "$good" "$s/in/faults/first.png"
"$platen" run "$s" --engine null --stable-for 0 --schemas "$root/tests/faults" -q
first=$(ls "$s/done")
for ((i = 0; i < 10000; i++)); do printf '20260101T000000Z-%016x\n' $i; done |
    (cd "$s/done" && xargs -I{} cp -al "$first" {})
"$platen" watch "$s" --engine null --stable-for $settle --schemas "$root/tests/faults" -q 2> "$scratch/log" & watcher=$!
sleep 5 # the index is made anew once
for ((i = 0; i < drops; i++)); do
    cp "$good" "$s/in/faults/$i.png"; sleep 1.5
done
sleep 1
# attempt.1 is written right after the claim; doc changed last when it was dropped
for ((i = 0; i < drops; i++)); do
    file=$(grep -lF "\"$i.png\"" "$s"/done/"$(date -u +%Y%m%d)"*/name.json 2> /dev/null | tail -1)
    [ -n "$file" ] || { echo "drop $i was not taken" >&2; continue; }
    echo "$(stat -c '%.9Y' "$(dirname "$file")/attempt.1") $(stat -c '%.9Y' "$(dirname "$file")/doc")"
done | awk -v settle=$settle '{ d = ($1 - $2 - settle) * 1000; sum += d; if (d > most) most = d; n++ }
    END { if (n) printf "pickup after settle: mean %.0f ms, largest %.0f ms of %d drops\n", sum / n, most, n }'
ticks() { awk '{print $14 + $15 + $16 + $17}' "/proc/$1/stat"; }
family="$watcher $(ps -o pid= --ppid $watcher)"
before=0; for p in $family; do before=$((before + $(ticks "$p"))); done
sleep "$idle"
after=0; for p in $family; do after=$((after + $(ticks "$p"))); done
awk -v t=$((after - before)) -v hz="$(getconf CLK_TCK)" -v s="$idle" \
    'BEGIN { printf "idle with 10,000 in done/: %.2f %% of a core over %d s\n", 100 * t / hz / s, s }'
