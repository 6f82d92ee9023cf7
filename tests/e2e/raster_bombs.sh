#!/usr/bin/env bash
# raster_bombs.sh: limits on pages, pixels, scans, chunks and filters, each at
# the limit and one over; impossible sizes; files cut short.
set -u
cd "$(dirname "$0")/../.." || exit 1
platen=${PLATEN:-build/platen}
raster=$(dirname "$(readlink -f "$platen")")/platen-raster
for python in python3 /usr/bin/python3; do
    "$python" -c 'import PIL' 2> /dev/null && exec "$python" tests/support/raster_bombs.py "$raster"
done
echo "skip - bombs: python3-pil is not installed"
