#!/usr/bin/env bash
# whole.sh: a replay of what tests/fuzz/whole.py and tests/support/damage.py do for longer (make fuzz, make damage).
set -u
cd "$(dirname "$0")/../.." || exit 1
platen=${PLATEN:-build/platen}
raster=$(dirname "$(readlink -f "$platen")")/platen-raster
for python in python3 /usr/bin/python3; do
    "$python" -c 'import PIL' 2> /dev/null || continue
    "$python" tests/fuzz/whole.py "$platen" --n 24 --seed 41
    status=$?
    "$python" tests/support/damage.py "$raster" --n 300 --seed 41 || status=1
    exit $status
done
echo "skip - whole: python3-pil is not installed"
