#!/usr/bin/env bash
# raster_blank.sh: paper is blank; anything on it is shown to the model.
set -u
cd "$(dirname "$0")/../.." || exit 1
platen=${PLATEN:-build/platen}
for python in python3 /usr/bin/python3; do
    "$python" -c 'import PIL' 2> /dev/null && exec "$python" tests/support/raster_blank.py "$platen"
done
echo "skip - blank pages: python3-pil is not installed"
