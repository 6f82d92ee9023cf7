#!/usr/bin/env bash
# corpus.sh: difficult files of public test suites (PLATEN_SHARED, else
# ../shared). A run of platen over all of them settles each one; pictures are
# compared with Pillow, first pages of PDFs with pdftoppm, counts with pdfinfo.
subject="corpus: "
. "$(dirname "$0")/support/e2e.sh"
cd "$root" || exit 1
corpus=${PLATEN_SHARED:-../shared}/corpus
[ -d "$corpus" ] || { echo "skip - corpus: $corpus is not here"; exit 0; }
for python in python3 /usr/bin/python3 none; do "$python" -c 'import PIL' 2> /dev/null && break; done
[ "$python" != none ] && command -v pdftoppm > /dev/null || { echo "skip - corpus: needs python3-pil and poppler-utils"; exit 0; }
raster=$(dirname "$(realpath "$platen")")/platen-raster

mkdir -p "$scratch/spool/in/receipt"
n=0
for f in "$corpus"/*/*.pdf "$corpus"/*/*.png "$corpus"/*/*.jpg "$corpus"/*/*.tif "$corpus"/*/*.tiff; do
    [ -f "$f" ] || continue
    cp "$f" "$scratch/spool/in/receipt/$n-$(basename "$f")" && n=$((n + 1))
done
"$platen" run "$scratch/spool" --engine null --child-cpu-limit 10 > "$scratch/log" 2>&1
left=$(find "$scratch/spool/in" -type f | wc -l)
done=$(find "$scratch/spool/done" -name record.json | wc -l)
lost=$(find "$scratch/spool/failed" -name reason.json | wc -l)
[ "$left" = 0 ] && [ $((done + lost)) -gt 0 ] && ok "$n files: $done records, $lost reasons, none left over" || bad "run" "$n files: $done records, $lost reasons, $left left over"
[ "$(find "$scratch/spool/failed" -name reason.json -exec grep -lE 'raster-(crash|protocol)|sandbox-violation|internal' {} + | wc -l)" = 0 ] && ok "no crash" || bad "crashes" "see the reasons"
"$platen" fsck "$scratch/spool" > /dev/null && ok "fsck" || bad "fsck" "not clean"
"$python" tests/support/raster_pil.py "$raster" "$corpus" | grep corpus || failed=1
"$python" tests/support/corpus.py "$raster" "$corpus" || failed=1
exit "$failed"
