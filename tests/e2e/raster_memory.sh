#!/usr/bin/env bash
# raster_memory.sh: 30 pages, no two of a size, take no more memory than 3,
# neither in platen nor in the rasteriser; nor does a whole run of platen. 2,000
# pages of a PDF take the 1.7 KB a page that poppler keeps, and no more.
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

PYTHONPATH=$root/tests/support "$python" - "$scratch" << 'EOF'
import sys
from pdf_objects import pdf_of
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
text = b'BT /F 10 Tf 20 TL 50 800 Td ' + b' '.join(b'(Line %d, in all %d.%02d) Tj T*' % (i, i * i, i) for i in range(35)) + b' ET'
leaf = b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Rotate 0/Contents 3 0 R/Resources<</Font<</F 4 0 R>>/ProcSet[/PDF/Text]>>>>'
for n in (3, 2000):
    kids = b' '.join(b'%d 0 R' % (5 + i) for i in range(n))
    with open('%s/%d.pdf' % (sys.argv[1], n), 'wb') as f:
        f.write(pdf_of([b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[%s]/Count %d>>' % (kids, n),
                        b'<</Length %d>>stream\n%s\nendstream' % (len(text), text), b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>', *[leaf] * n]))
EOF

within() { # NAME FEW MANY: in MB, 10 % and what a library keeps for good
    awk "BEGIN{exit !($3 <= 1.1 * $2 + 1)}" && ok "$1: $2 MB for 3 pages, $3 MB for 30" || bad "$1" "$2 MB for 3 pages, $3 MB for 30"
}
read -r _ _ here3 child3 _ < <("$bench" "$dir/platen-raster" 2359296 "$scratch/3.tiff")
read -r n _ here30 child30 _ < <("$bench" "$dir/platen-raster" 2359296 "$scratch/30.tiff")
[ "$n" = 30 ] && ok "30 pages are drawn" || bad "pages" "$n"
within "stages" "$here3" "$here30"
within "the rasteriser" "$child3" "$child30"
drawn() { # PIXELS FILE PAGES: pages, KB
    PYTHONPATH=$root/tests/support "$python" -c 'import raster_frames, resource, sys
pixels, path, pages = sys.argv[2:]
print(len(raster_frames.run(sys.argv[1], path, "pdf", "--max-pixels", pixels, "--pages", pages).pages), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$dir/platen-raster" "$@"
}
for pixels in 1200000 2359296; do
    read -r three few < <(drawn "$pixels" "$scratch/3.pdf" 1-3)
    read -r six many < <(drawn "$pixels" "$scratch/2000.pdf" 1-3,998-999,2000)
    [ "$three $six" = "3 6" ] && [ "$many" -le $((11 * few / 10 + 2000 * 18 / 10)) ] &&
        ok "the rasteriser at $pixels pixels: $few KB for 3 pages of a PDF, $many KB for 2,000" ||
        bad "the rasteriser at $pixels pixels" "$few KB for 3 pages of a PDF, $many KB for 2,000 ($three and $six drawn)"
done
peak() {
    "$python" -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)' "$platen" extract "$1" --schema receipt --engine null --max-pixels 2359296
}
within "platen extract" "$(peak "$scratch/3.tiff")" "$(peak "$scratch/30.tiff")"
exit "$failed"
