#!/usr/bin/env bash
# locate.sh: values are found where they stand, on papers whose words' boxes are
# known (tests/eval/evidence.py); `make eval-evidence` draws many more.
subject="evidence: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
dir=$(dirname "$platen")
probe=$dir/locate-probe
python=/usr/bin/python3
make -s MODE="$(basename "$dir")" "$probe" > /dev/null 2>&1 || probe=build/release/locate-probe
[ -x "$probe" ] || make -s build/release/locate-probe > /dev/null || { bad "the probe" "cannot be built"; exit 1; }
[ -d /usr/share/fonts/truetype/liberation ] || { echo "skip - ${subject}no Liberation fonts"; exit 0; }
if $python tests/eval/evidence.py --probe "$probe" --papers 3 --first 1000 --gate --show 5 > "$scratch/scores" 2>&1
then ok "values are found where they were printed"
else bad "values are found elsewhere" "$(cat "$scratch/scores")"; fi
exit $failed
