#!/usr/bin/env bash
# raster_memory.sh: 30 pages, no two of a size, take no more memory than 3,
# neither in platen nor in the rasteriser; nor does a whole run of platen.
subject="memory: "
. "$(dirname "$0")/../support/e2e.sh"
dir=$(dirname "$(realpath "$platen")")
bench=$dir/raster-bench
case $dir in
*/release) ;;
*) echo "skip - memory: a sanitizer keeps what is freed"; exit 0 ;;
esac
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && python=$p && break; done
[ "$python" ] || { echo "skip - memory: python3-pil is not installed"; exit 0; }
make -s -C "$root" build/release/raster-bench > /dev/null || { bad "the bench" "cannot be built"; exit 1; }

"$python" - "$scratch" << 'EOF'
import sys
from PIL import Image, ImageDraw
def page(i):
    im = Image.new('1', (1654 - i * 37 % 90, 2339 - i * 53 % 120), 1)
    d = ImageDraw.Draw(im)
    for k in range(12):
        d.text((60, 60 + 40 * k), 'Page %d line %d total %d.%02d' % (i, k, i * k, k), fill=0)
    return im
for n in (3, 30):
    pages = [page(i) for i in range(n)]
    pages[0].save('%s/%d.tiff' % (sys.argv[1], n), save_all=True, append_images=pages[1:], compression='group4')
EOF

within() { # NAME FEW MANY: in MB, 10 % and what a library keeps for good
    awk "BEGIN{exit !($3 <= 1.1 * $2 + 1)}" && ok "$1: $2 MB for 3 pages, $3 MB for 30" || bad "$1" "$2 MB for 3 pages, $3 MB for 30"
}
read -r _ _ here3 child3 _ < <("$bench" "$dir/platen-raster" 2359296 "$scratch/3.tiff")
read -r n _ here30 child30 _ < <("$bench" "$dir/platen-raster" 2359296 "$scratch/30.tiff")
[ "$n" = 30 ] && ok "30 pages are drawn" || bad "pages" "$n"
within "stages" "$here3" "$here30"
within "the rasteriser" "$child3" "$child30"
peak() {
    "$python" -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)' "$platen" extract "$1" --schema receipt --engine null --max-pixels 2359296
}
within "platen extract" "$(peak "$scratch/3.tiff")" "$(peak "$scratch/30.tiff")"
exit "$failed"
