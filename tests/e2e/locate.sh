#!/usr/bin/env bash
# locate.sh: values are found where they stand, on papers whose words' boxes are
# known (tests/eval/evidence.py); `make eval-evidence` draws many more.
subject="evidence: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && python=$p && break; done
[ "$python" ] || { echo "skip - ${subject}python3-pil is not installed"; exit 0; }
[ -d /usr/share/fonts/truetype/liberation ] || { echo "skip - ${subject}no Liberation fonts"; exit 0; }
if "$python" tests/eval/evidence.py --platen "$platen" --papers 2 --first 1000 --gate --show 5 > "$scratch/scores" 2>&1
then ok "values are found where they were printed"
else bad "values are found elsewhere" "$(cat "$scratch/scores")"; fi
exit $failed
