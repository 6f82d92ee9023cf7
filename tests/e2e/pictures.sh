#!/usr/bin/env bash
# pictures.sh - HEIC, AVIF, JPEG 2000, BMP, GIF and PNM by the programs that
# people use: pixels, orientation, pictures that were not read, files that end
# early, and other things saved under a picture's name.
set -u
subject="pictures: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
/usr/bin/python3 -c 'import PIL' 2> /dev/null || { echo "skip - pictures: python3-pil is not here"; exit 0; }
/usr/bin/python3 "$root/tests/support/pictures.py" "$(dirname "$(realpath "$platen")")/platen-raster" || failed=1

null=(--engine null --ocr off)
# says WHAT FILE EXPRESSION: of its record r and the codes w of its warnings
says() {
    local why
    "$platen" extract "$2" --schema receipt "${null[@]}" > record.json 2> err
    why=$(python3 - "$3" << 'PY' 2>&1
import json, sys
r = json.load(open('record.json'))
w = [x['code'] for x in r['warnings']]
assert eval(sys.argv[1]), (r['source'], r['review'], r['warnings'])
PY
    ) && ok "$1" || bad "$1" "$(tail -1 <<< "$why") $(tail -1 err)"
}
# refused WHAT CODE TEXT FILE [OPTION...]
refused() {
    local what=$1 code=$2 text=$3 file=$4; shift 4
    "$platen" extract "$file" --schema receipt "${null[@]}" "$@" > out 2> err
    local got=$?
    [ $got = "$code" ] && grep -qF -- "$text" err && ok "$what" || bad "$what" "exit code $got, want $code: $(tail -1 err)"
}

good=$root/samples/good
says "a photograph of a phone" "$good/phone.heic" "r['source']['type'] == 'HEIF' and 'pictures-unread' not in w"
cp "$good/phone.heic" photo.jpg
says "the content says what a file is, not its name" photo.jpg "r['source']['type'] == 'HEIF'"
for file in several.gif several.webp several.png; do
    says "that $file has more pictures is a warning, for review" $file "w.count('pictures-unread') == 1 and r['review']"
done
/usr/bin/python3 -c 'import sys
from PIL import Image
im = Image.open(sys.argv[1])
im.save("receipt.gif", save_all=True, append_images=[im.rotate(180)])' "$good/web.gif"
null_engine=("${null[@]}") null=()
says "of a receipt that is read well, too" receipt.gif "w == ['pictures-unread'] and r['review'] and r['verdict'] == 'read'"
says "which needs none otherwise" "$good/web.gif" "w == [] and not r['review']"
null=("${null_engine[@]}")
for file in "$good"/{phone.heic,download.avif,archive.jp2,till.bmp,web.gif,scanner.pbm}; do
    head -c $(($(stat -c %s "$file") * 3 / 5)) "$file" > "cut.${file##*.}"
    refused "a ${file##*.} that ends early is damaged" 2 "[damaged]" "cut.${file##*.}"
done
refused "with lenient its part is read" 0 "" cut.bmp --lenient
head -c 30000 "$good/phone.heic" > zeros.heic; truncate -s "$(stat -c %s "$good/phone.heic")" zeros.heic
refused "a HEIC that was not copied to its end is damaged" 2 "not copied completely" zeros.heic
refused "a limit on pixels holds for them, too" 2 "max_decoded_pixels" "$good/archive.jp2" --max-decoded-pixels 1000

# a second document behind the end of the first
/usr/bin/python3 -c 'import sys
from PIL import Image
Image.open(sys.argv[1]).convert("RGB").save("till.webp", lossless=True)' "$good/till.bmp"
for file in "$good"/{cafe.pdf,kiosk.png,photo-sideways.jpg,phone.heic,download.avif,archive.jp2,till.bmp,web.gif} till.webp; do
    iso=$good/phone.heic; [ "${file##*.}" != avif ] || iso=$file # one of each is damaged
    for second in "$good/two-pages.pdf" "$good/kiosk.png" "$iso"; do
        cat "$file" "$second" > "two.${file##*.}"
        says "a ${second##*.} behind a ${file##*.} is reported, for review" "two.${file##*.}" "any('a second file behind the end' in x['text'] for x in r['warnings'] if x['code'] == 'content-unread') and r['review']"
    done
    { cat "$file"; head -c 100 /dev/zero; } > "pad.${file##*.}"
    says "zeros behind a ${file##*.} are nothing" "pad.${file##*.}" "'content-unread' not in w"
done
qpdf --empty --pages "$good/cafe.pdf" -- --add-attachment "$good/two-pages.pdf" -- holds.pdf
says "a PDF inside of a PDF is not behind it" holds.pdf "'content-unread' not in w"

# others saved under the name of a document or a model
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 12345\n' 0 > lfs.pdf
printf '\xef\xbb\xbf\n<!DOCTYPE html>\n<html><title>Sign in</title></html>\n' > login.pdf
refused "a Git LFS pointer is named" 2 "git lfs pull" lfs.pdf
printf '<?xml version="1.0"?>\n<!-- portal -->\n<HTML lang="en"><title>Error</title>\n' > error.pdf
echo '<Invoice xmlns="urn:x"/>' > order.pdf
refused "a page of HTML is named" 2 "an HTML page" login.pdf
refused "so is one of XHTML" 2 "an HTML page" error.pdf
refused "other XML is not called one" 2 "the XML file is no e-invoice" order.pdf
native=(--engine native --mmproj "$(echo "$root"/vlm/embedded/*mmproj*)")
refused "a model that is a Git LFS pointer is named" 9 "git lfs pull" "$good/web.gif" "${native[@]}" --model lfs.pdf
refused "a model that is a page of HTML is named" 9 "an HTML page" "$good/web.gif" "${native[@]}" --model login.pdf
mkdir alone; for file in "$root"/vlm/embedded/*.gguf; do [[ $file = *mmproj* ]] || cp "$file" alone/model.gguf; done
refused "a missing vision file is named" 3 "no vision file (mmproj)" "$good/web.gif" --engine native --model alone/model.gguf
mkdir hf; cp lfs.pdf hf/model.safetensors; echo '{}' > hf/config.json
"$platen" model convert hf --out out.gguf --type f16 > out 2> err
grep -q "git lfs pull" err && ok "one in a folder to convert is named" || bad "one in a folder to convert is named" "$(tail -1 err)"

# pages of a shorter document
refused "pages that a document lacks are left out" 0 "" "$good/web.gif" --pages 1-2
refused "a range behind its end is refused" 1 "page 2 was requested, but the document has 1 page" "$good/web.gif" --pages 2-3

# records and schemas as other programs write them
"$platen" extract "$good/web.gif" --schema receipt --ocr off 2> err > plain.json
{ printf '\xef\xbb\xbf'; cat plain.json; } > marked.json
"$platen" validate --schema receipt marked.json > out 2>&1 && ok "a record with a byte order mark is valid" || bad "a record with a byte order mark is valid" "$(tail -1 out)"
asks() { # asks WHAT SCHEMA TEXT
    printf '%s' "$2" > asks.schema.json
    "$platen" schema check asks.schema.json > out 2> err; local got=$?
    [ $got = 9 ] && grep -qF -- "$3" err && ok "$1" || bad "$1" "exit code $got: $(tail -1 err)"
}
inner='{"type":"object","properties":{"total":{"type":"number"}}}'
asks "an example is no schema" '{"merchant":"Cafe","total":12.5,"items":[{"name":"Tea"}]}' 'an example document with the members "merchant", "total"'
asks "so is one with a member called type" '{"type":"invoice","number":5}' 'an example document'
asks "the format of OpenAI is no schema" '{"type":"json_schema","json_schema":{"name":"r","schema":'"$inner"'}}' 'member "schema"'
asks "nor its inner part" '{"name":"r","strict":true,"schema":'"$inner"'}' 'member "schema"'
asks "nor a tool" '{"name":"r","input_schema":'"$inner"'}' 'member "input_schema"'
asks "a schema without values is refused" '{"type":"object"}' 'it requests nothing'
asks "a misspelled keyword is still named" '{"type":"object","propertis":{"a":{}}}' 'did you mean "properties"'
exit $failed
