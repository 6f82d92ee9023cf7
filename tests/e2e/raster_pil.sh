#!/usr/bin/env bash
# raster_pil.sh: TIFF, JPEG, PNG, WebP, BMP, GIF, PNM and JPEG 2000 in all variants against Pillow.
set -u
cd "$(dirname "$0")/../.." || exit 1
platen=${PLATEN:-build/platen}
raster=$(dirname "$(readlink -f "$platen")")/platen-raster
for python in python3 /usr/bin/python3; do
    "$python" -c 'import PIL' 2> /dev/null && exec "$python" tests/support/raster_pil.py "$raster" "${PLATEN_SHARED:-../shared}/corpus"
done
echo "skip - pixels against Pillow: python3-pil is not installed"
