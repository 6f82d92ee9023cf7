#!/usr/bin/env bash
# io_error.sh: a disk that fails while the rasteriser reads is not the document's
# fault: it waits, others go on, and after five tries it fails as io-error.
subject="io error: "
. "$(dirname "$0")/../support/e2e.sh"
dir=$(dirname "$platen")
case $dir in
*/asan | */tsan) echo "skip - io error: a sanitizer wants to be the first library"; exit 0 ;;
esac
null=(--engine null --ocr off --schemas "$root/schemas" --split off)

bad_disk() { # bad_disk NAME AT SIZE: a rasteriser NAME whose read number AT fails
    ${CC:-cc} -shared -fPIC -DREAD_AT="$2" -DREAD_SIZE="$3" -o "$scratch/$1.so" "$root/tests/preload/fail_read.c" -ldl || bad "the library" "it cannot be built"
    printf '#!/bin/sh\nLD_PRELOAD=%s/%s.so exec %s/platen-raster "$@"\n' "$scratch" "$1" "$dir" > "$scratch/$1"
    chmod 755 "$scratch" "$scratch/$1" "$scratch/$1.so"
}

for at in 1 2; do
    bad_disk "at$at" "$at" 0
    for file in cafe.pdf kiosk.png four-colours.jpg colour-lzw.tif fax-two-pages.tiff bistro.webp phone.heic archive.jp2 till.bmp; do
        [ -e "$root/samples/good/$file" ] || { bad "$file" "no such sample"; continue; }
        "$platen" extract "$root/samples/good/$file" --schema receipt "${null[@]}" --raster-program "$scratch/at$at" > /dev/null 2> "$scratch/err"
        status=$?
        # a small file is read at once
        [ $at = 2 ] && [ $status = 0 ] && { ok "$file is read at once"; continue; }
        [ $status = 5 ] && grep -q '\[io-error\]' "$scratch/err" && ok "read $at of $file" || bad "read $at of $file" "$status $(cat "$scratch/err")"
    done
done

spool=$scratch/spool
mkdir -p "$spool/in/receipt"
cp "$root/samples/good/cafe.pdf" "$spool/in/receipt/bad.pdf"
cp "$root/samples/good/two-pages.pdf" "$spool/in/receipt/good.pdf"
bad_disk one 1 "$(stat -c %s "$spool/in/receipt/bad.pdf")"
work_off() { "$platen" run "$spool" "${null[@]}" --stable-for 0 --min-free-space 1M --quiet --raster-program "$scratch/one" > "$scratch/out" 2> "$scratch/err"; }
count() { find "$spool/$1" -mindepth 1 -maxdepth 1 -type d ! -name '.*' | wc -l; }
work_off
status=$?
[ "$status $(count done) $(count failed) $(count work)" = "17 1 0 1" ] && ok "the document waits, the other one is done" ||
    bad "the document waits" "$status: $(count done) done, $(count failed) failed, $(count work) in work: $(tail -3 "$scratch/err")"
deferred=$(echo "$spool"/work/*/attempt.deferred)
grep -q '"io-error": 1' "$deferred" && ok "the failure is counted" || bad "the failure is counted" "$(cat "$deferred")"
sed -i 's/"times": 1/"times": 4/; s/"io-error": 1/"io-error": 4/; s/"not_before": [0-9]*/"not_before": 1/' "$deferred"
work_off
status=$?
[ "$status $(count done) $(count failed) $(count work)" = "16 1 1 0" ] && grep -q '"io-error"' "$spool"/failed/*/reason.json && ok "after five tries it fails as io-error" ||
    bad "after five tries" "$status: $(count done) done, $(count failed) failed, $(count work) in work: $(tail -3 "$scratch/err")"
exit $failed
