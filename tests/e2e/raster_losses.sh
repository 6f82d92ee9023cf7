#!/usr/bin/env bash
# raster_losses.sh: pages of which poppler would leave something out in silence
# are drawn whole or fail by name; faults that cost nothing are warnings.
set -u
cd "$(dirname "$0")/../.." || exit 1
platen=${PLATEN:-build/platen}
raster=$(dirname "$(readlink -f "$platen")")/platen-raster
for python in python3 /usr/bin/python3; do
    "$python" -c 'import PIL' 2> /dev/null && exec "$python" tests/support/raster_losses.py "$raster"
done
echo "skip - losses: python3-pil is not installed"
