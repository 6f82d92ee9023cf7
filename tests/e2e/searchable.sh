#!/usr/bin/env bash
# searchable.sh: searchable PDFs, hOCR and ALTO: words where they are printed, for
# every kind of file and rotation; pages and pictures stay as they are; files in
# out/ beside the record.
set -u
subject="searchable: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
export PLATEN_REVIEW_THRESHOLD=0
/usr/bin/python3 -c 'import PIL' 2> /dev/null || { echo "skip - searchable: python3-pil is not installed"; exit 0; }
for p in qpdf fix-qdf pdftotext pdftocairo pdfimages xmllint; do
    type $p > /dev/null 2>&1 || { echo "skip - searchable: $p is not installed (qpdf, poppler-utils, libxml2-utils)"; exit 0; }
done
check() { /usr/bin/python3 "$root/tests/support/searchable.py" "$@"; }
is() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2, not $3"; }
# finds WHAT LEAST FILE [PAGE] [DEGREES]: per mille of the words that were drawn
finds() {
    local got; got=$(check score page.png.json "${@:3}" 2>&1)
    [ "${got//[0-9]/}" = "" ] && [ "$got" -ge "$2" ] && ok "$1 ($got)" || bad "$1" "${got##*$'\n'}, not $2"
}
to() { "$platen" ocr "$1" --to "$2" "${@:4}" > "$3" 2> err || bad "$1 to $2" "$(cat err)"; }
/usr/bin/python3 "$root/tests/support/printed.py" draw invoice page.png || { echo "skip - searchable: no font to print with"; exit 0; }
check make page.png . 2> make.err || bad "files to read" "$(tail -1 make.err)"

# --- PDF
for file in page.png page.webp cmyk.jpg exif{1,2,3,4,5,6,7,8}.jpg scan.pdf up{90,180,270}.pdf crop.pdf; do
    to $file pdf out.pdf
    qpdf --check out.pdf > qpdf.out 2>&1 || bad "$file: qpdf" "$(tail -1 qpdf.out)"
    finds "words of $file where they are printed" 930 out.pdf
done
to skew.png pdf out.pdf; finds "words of a page that is askew" 930 out.pdf 1 2
to far.png pdf out.pdf; finds "words of a page that is far askew" 900 out.pdf 1 12
to fax.tiff pdf out.pdf; finds "words of a TIFF's second page" 930 out.pdf 2
pdfimages -list out.pdf | awk 'NR > 2 && $8 == 1' | wc -l > n; is "black and white stays one bit" "$(cat n)" 2
to exif6.jpg pdf out.pdf; pdfimages -all out.pdf image; cmp -s image-000.jpg exif6.jpg && ok "a JPEG is in the PDF as it is" || bad "a JPEG is in the PDF as it is" "$(ls -l image* exif6.jpg)"
pdftocairo -png -r 50 -singlefile out.pdf turned; to exif1.jpg pdf out.pdf; pdftocairo -png -r 50 -singlefile out.pdf straight
/usr/bin/python3 -c '
from PIL import Image, ImageChops
a, b = (Image.open(f).convert("L") for f in ("turned.png", "straight.png"))
assert a.size == b.size and sum(ImageChops.difference(a, b).histogram()[64:]) < 50' && ok "it is upright" || bad "it is upright" "another picture"
for file in scan.pdf up90.pdf crop.pdf; do
    to $file pdf out.pdf; pdftocairo -png -r 60 -singlefile $file before; pdftocairo -png -r 60 -singlefile out.pdf after
    cmp -s before.png after.png && ok "$file looks as before" || bad "$file looks as before" "another picture"
done
to scan.pdf pdf one.pdf; to scan.pdf pdf two.pdf; cmp -s one.pdf two.pdf && ok "the same bytes each time" || bad "the same bytes each time" "they differ"

to mixed.pdf pdf out.pdf; finds "a scan between pages with text" 930 out.pdf 2
for page in 1 3; do is "page $page of it has its own text once" "$(pdftotext -f $page -l $page out.pdf - | grep -c Printed)" 1; done
is "and no font of ours" "$(pdffonts -f 3 -l 3 out.pdf | grep -c Invisible)" 0
to mixed.pdf pdf out.pdf --pages 2-3; is "only the pages that were asked for" "$(pdftotext out.pdf - | grep -c Printed) $(qpdf --show-npages out.pdf)" "1 2"
to text.pdf pdf out.pdf; cmp -s out.pdf text.pdf && ok "a file with text stays as it is" || bad "a file with text stays as it is" "other bytes"
to scan.pdf pdf one.pdf; to one.pdf pdf out.pdf; cmp -s out.pdf one.pdf && ok "so does one that is searchable" || bad "so does one that is searchable" "other bytes"
to scan.pdf pdf out.pdf --ocr off; cmp -s out.pdf scan.pdf && ok "so does a scan without OCR" || bad "so does a scan without OCR" "other bytes"
"$platen" ocr locked.pdf --to pdf > out.pdf 2> err; status=$?
[ $status != 0 ] && [ ! -s out.pdf ] && grep -q 'encrypted.*qpdf --decrypt' err && ok "one with permissions is refused, with a way out" || bad "one with permissions" "status $status, $(cat err)"
got=$(check scripts "$(dirname "$platen")/platen-raster" scripts.pdf 2>&1); is "Japanese, Kannada, Arabic, Hebrew, beyond 16 bits" "${got##*$'\n'}" 9

# --- hOCR, ALTO
"$platen" words mixed.pdf fax.tiff > /dev/null 2>&1
for file in up90.pdf mixed.pdf fax.tiff far.png; do
    "$platen" words $file > words 2> err
    for format in hocr alto; do
        to $file $format out.xml; xmllint --nonet --noout --nocatalogs out.xml 2> lint.err || bad "$file: $format is XML" "$(head -1 lint.err)"
        got=$(check same words out.xml 2>&1); [ "${got//[0-9]/}" = "" ] && ok "$format of $file has its words and boxes ($got)" || bad "$format of $file" "${got##*$'\n'}"
    done
done
# --- a picture does not grow by more than the words
/usr/bin/python3 -c '
from PIL import Image, ImageFilter
import random
page = Image.open("page.png").convert("L")
random.seed(3)
noise = Image.effect_noise(page.size, 40).filter(ImageFilter.GaussianBlur(1))
photo = Image.blend(page, noise, .25).convert("RGB")
photo.save("photo.webp", quality=80); photo.save("photo.tiff", compression="jpeg", quality=80, dpi=(150, 150))
bits = page.point(lambda v: 255 * (v > 128)).convert("1")
bits.save("bits.tiff", compression="group4", dpi=(150, 150)); bits.save("bits.png", dpi=(150, 150))
photo.save("exact.webp", lossless=True)
photo.convert("L").save("grey.tiff", compression="jpeg", quality=80, dpi=(150, 150))
for name, one in ("photo", photo), ("grey", photo.convert("L")):
    one.save(name + ".jp2", quality_mode="rates", quality_layers=[16], irreversible=True)
photo.save("photo.j2k", quality_mode="rates", quality_layers=[16], irreversible=True)
photo.convert("RGBA").save("alpha.jp2")' 2> make.err || bad "pictures" "$(tail -1 make.err)"
sides() { /usr/bin/python3 -c '
import sys
from PIL import Image, ImageChops
a, b = (Image.open(f).convert("L") for f in sys.argv[1:])
assert a.size == b.size
h = ImageChops.difference(a, b).histogram()
print(sum(i * n for i, n in enumerate(h)) / sum(h) < float(3), h[0] == sum(h))' "$@" 2>&1 | tail -1; }
for file in photo.webp photo.tiff bits.tiff bits.png; do
    to $file pdf out.pdf; small=$(stat -c %s $file); large=$(stat -c %s out.pdf)
    [ $large -lt $((5 * small / 2 + 12000)) ] && ok "$file of $small bytes becomes $large" || bad "$file does not grow" "$small bytes become $large"
    rm -f image-*; pdfimages -png out.pdf image; exact="True $([ ${file%.*} = bits ] && echo True || echo False)"
    same=$(sides $file image-000.png) # exact is better still
    [ "${file%.*}" = bits ] || same=${same% *}" False"
    is "and looks the same" "$same" "$exact"
done
for file in photo.jp2 grey.jp2 photo.j2k photo.tiff grey.tiff; do
    to $file pdf out.pdf; small=$(stat -c %s $file); large=$(stat -c %s out.pdf)
    [ $large -lt $((small + 14000)) ] && ok "$file of $small bytes is embedded ($large)" || bad "$file is embedded" "$small bytes become $large"
    pdftocairo -png -r 150 -singlefile out.pdf drawn; qpdf --check out.pdf > qpdf.out 2>&1 || bad "$file: qpdf" "$(tail -1 qpdf.out)"
    got=$(/usr/bin/python3 -c '
import sys
from PIL import Image, ImageChops
a, b = (Image.open(f).convert("L") for f in sys.argv[1:])
h = ImageChops.difference(a, b.resize(a.size)).histogram()
print(sum(i * n for i, n in enumerate(h)) / sum(h) < (1 if b.size == a.size else 12))' $file drawn.png 2>&1 | tail -1); is "and drawn" "$got" True
done
to alpha.jp2 pdf out.pdf; is "JPEG 2000 that a PDF cannot hold becomes pixels" "$(pdfimages -list out.pdf | grep -c jpx)" 0
to exact.webp pdf out.pdf; rm -f image-*; pdfimages -png out.pdf image; is "a lossless picture loses nothing" "$(sides exact.webp image-000.png)" "True True"

# --- PDF/A-2b
pdfa() { PYTHONPATH=$root/tests/support /usr/bin/python3 "$root/tests/support/pdfa.py" "$@"; }
pdfa make page.png || bad "scans for PDF/A" "not made"
made=()
for file in page.png photo.jp2 photo.tiff bits.tiff fax.tiff exif6.jpg cmyk.jpg photo.webp scan.pdf pdfa-ok-*.pdf; do
    to $file pdf a-${file%.*}-${file##*.}.pdf --output-type pdfa --redo-ocr; made+=(a-${file%.*}-${file##*.}.pdf)
done
is "PDF/A-2b of ${#made[@]} pictures and scans" "$(pdfa check "${made[@]}" 2>&1)" ""
if type verapdf > /dev/null 2>&1; then for file in "${made[@]}"; do verapdf --flavour 2b --format text $file | grep -q ^PASS && ok "$file by veraPDF" || bad "$file by veraPDF" "not compliant"; done; fi
is "their words are there" "$(pdftotext a-cmyk-jpg.pdf - | wc -w) $(pdftotext a-pdfa-ok-layer-pdf.pdf - | grep -c Foreign)" "$(pdftotext a-page-png.pdf - | wc -w) 0"
to scan.pdf pdf out.pdf; is "without output_type it does not say so" "$(pdfa check out.pdf | grep -c 'a claim\|an intent')" 2
for file in pdfa-no-*.pdf; do
    "$platen" ocr $file --to pdf --output-type pdfa > out.pdf 2> err; status=$?
    [ $status = 2 ] && [ ! -s out.pdf ] && grep -qF -- "$(cat ${file%.pdf}.why)" err && grep -q 'not-pdfa' err && ok "$file is refused by name" || bad "$file" "status $status, $(tail -1 err)"
done
"$platen" ocr text.pdf --to pdf --output-type pdfa-2 > out.pdf 2> err; is "a file with text is not copied as PDF/A" "$? $(stat -c %s out.pdf)" "2 0"
to scan.pdf pdf one.pdf --output-type pdfa --ocr off; to one.pdf pdf out.pdf; finds "words go into PDF/A" 930 out.pdf; is "and it stays PDF/A" "$(pdfa check out.pdf | grep -v 'a version')" ""
to scan.pdf pdf one.pdf --output-type pdfa; to scan.pdf pdf two.pdf --output-type pdfa; cmp -s one.pdf two.pdf && ok "PDF/A: the same bytes each time" || bad "PDF/A: the same bytes each time" "they differ"
"$platen" extract pdfa-no-link.pdf --schema receipt --engine null --format json,pdf --output-type pdfa --out nopdfa > /dev/null 2> err; is "a record says why not" "$(grep -c '"not-searchable"' nopdfa/pdfa-no-link.json) $(grep -c '/Annots' nopdfa/pdfa-no-link.json)" "1 1"

# --- what users of OCRmyPDF ask for
cat > options.py << 'PY'
# the scan as signed.pdf (by a field's child, without /SigFlags), unsigned.pdf (an empty field), old.pdf and oldform.pdf (another program's invisible
# words, on the page and in a form), stamp.pdf (a visible word as well)
from PIL import Image
from pdf_objects import pdf_of
im = Image.open('page.png').convert('L')
im.save('one.jpg', quality=92)
picture = b'/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode' % im.size
w, h = im.width * .48, im.height * .48
def stream(head, content):
    return b'<< %s /Length %d >>\nstream\n%s\nendstream' % (head, len(content), content)
def write(name, content=b'', form=b'', root=b''):
    resources = b'/Resources << /XObject << /Im 5 0 R /OCR 7 0 R >> /Font << /F9 6 0 R >> >>'
    open(name, 'wb').write(pdf_of([
        b'<< /Type /Catalog /Pages 2 0 R %s >>' % root, b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        b'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents 4 0 R %s >>' % (w, h, resources),
        stream(b'', b'q %.2f 0 0 %.2f 0 0 cm /Im Do Q q /OCR Do Q %s' % (w, h, content)), stream(picture, open('one.jpg', 'rb').read()),
        b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
        stream(b'/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F9 6 0 R >> >>', form)]))
hidden = b"q BT 3 Tr /F9 12 Tf 12 TL 50 250 Td (Foreign) Tj [(old)-300(words)] TJ (more) ' ET Q "
field = b'/AcroForm << /Fields [ << /T (a) /FT /Sig /Kids [ << %s >> ] >> ] >>'
write('signed.pdf', root=field % b'/V << /Type /Sig /Contents <00> >>')
write('unsigned.pdf', root=field % b'/T (b)')
write('old.pdf', hidden)
write('oldform.pdf', form=hidden)
write('stamp.pdf', hidden + b'BT 0 Tr /F9 12 Tf 300 5 Td (STAMP) Tj ET')
PY
PYTHONPATH=$root/tests/support /usr/bin/python3 options.py
for file in signed unsigned old stamp oldform; do qpdf --check $file.pdf > qpdf.out 2>&1 || bad "$file.pdf" "$(tail -1 qpdf.out)"; done
"$platen" ocr signed.pdf --to pdf > out.pdf 2> err; is "a signed file is refused" "$? $(stat -c %s out.pdf) $(grep -c 'invalidate_digital_signatures' err)" "2 0 1"
to signed.pdf pdf out.pdf --invalidate-digital-signatures; finds "but not if that is asked for" 930 out.pdf
to unsigned.pdf pdf out.pdf; finds "a field without a signature is no reason" 930 out.pdf
to signed.pdf hocr out.hocr; is "hOCR changes no file" "$(grep -c ocr_page out.hocr | head -1)" "$(grep -c ocr_page out.hocr)"
"$platen" extract signed.pdf --schema receipt --engine null --format json,pdf --out signed > /dev/null 2> err; is "a record says so" "$(grep -c '"not-searchable"' signed/signed.json) $(ls signed | grep -c pdf)" "1 0"
for file in old oldform; do
    to $file.pdf pdf out.pdf --redo-ocr; finds "$file.pdf has OCR's words" 930 out.pdf
    is "and no others" "$(pdftotext out.pdf - | grep -cE 'Foreign|old|more')" 0
    pdftocairo -png -r 60 -singlefile $file.pdf before; pdftocairo -png -r 60 -singlefile out.pdf after; cmp -s before.png after.png && ok "it looks as before" || bad "it looks as before" "another picture"
done
to stamp.pdf pdf out.pdf --redo-ocr; is "a visible word stays, once" "$(pdftotext out.pdf - | grep -c STAMP) $(pdftotext out.pdf - | grep -c Foreign)" "1 0"
to text.pdf pdf out.pdf --redo-ocr; cmp -s out.pdf text.pdf && ok "visible text is not read again" || bad "visible text is not read again" "other bytes"
to old.pdf pdf out.pdf --redo-ocr --ocr off; cmp -s out.pdf old.pdf && ok "without OCR nothing is dropped" || bad "without OCR nothing is dropped" "other bytes"

# --- a page fed the wrong way round: its words are read, in order, where they are
/usr/bin/python3 -c '
from PIL import Image
page = Image.open("page.png")
for q in 2, 3: page.rotate(-90 * q, expand=True).save("head%d.png" % q, dpi=page.info["dpi"])'
to page.png hocr upright.xml; to page.png pdf out.pdf; pdftotext -raw out.pdf upright.txt
for q in 2 3; do
    to head$q.png hocr out.xml; to head$q.png pdf out.pdf; pdftotext -raw out.pdf turned.txt
    got=$(/usr/bin/python3 - $q << 'PY'
import difflib, re, sys
def words(name):
    return [(text, tuple(map(int, box.split()))) for box, text in re.findall(r"ocrx_word.*?bbox ([\d ]+);[^>]*>([^<]*)<", open(name).read())]
def back(box):
    for _ in range(int(sys.argv[1])):
        x0, y0, x1, y1 = box
        box, side[:] = (y0, side[0] - x1, y1, side[0] - x0), side[::-1]
    return box
a, b = words("upright.xml"), words("out.xml")
page = list(map(int, re.search(r"ocr_page.*?bbox 0 0 (\d+) (\d+)", open("out.xml").read()).groups()))
found = {}
for text, box in b:
    side = page[:]
    found.setdefault(text, []).append(back(box))
near = sum(any(max(abs(p - q) for p, q in zip(box, other)) <= 4 for other in found.get(text, [])) for text, box in a)
order = difflib.SequenceMatcher(None, *(open(n).read().split() for n in ("upright.txt", "turned.txt")), autojunk=False).ratio()
print(near >= .93 * len(a) > 30, order > .93, near, len(a), order)
PY
    )
    [ "$(qpdf --show-object=1 out.pdf > /dev/null; qpdf --qdf out.pdf - | grep -ac /Rotate)" = 0 ] && ok "it stays as it is" || bad "it stays as it is" "/Rotate"
    to head$q.png pdf out.pdf --rotate-pages; finds "it can be turned upright" 930 out.pdf
    [ "${got:0:9}" = "True True" ] && ok "turned by $((90 * q)) degrees" || bad "turned by $((90 * q)) degrees" "$got"
done

cp scan.pdf 'a"<&>b.pdf'; for format in hocr alto; do to 'a"<&>b.pdf' $format out.xml; xmllint --noout out.xml 2> err && ok "$format: any file name" || bad "$format: any file name" "$(head -1 err)"; done
xsd=${ALTO_XSD:-$root/tests/vectors/alto/alto-4-4.xsd}
if [ -e "$xsd" ]; then
    echo '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/1999/xlink"><xs:attributeGroup name="simpleLink"/></xs:schema>' > xlink.xsd
    sed 's|http://www.loc.gov/standards/xlink/xlink.xsd|xlink.xsd|' "$xsd" > alto.xsd
    for file in mixed.pdf skew.png; do
        to $file alto out.xml; xmllint --nonet --noout --schema alto.xsd out.xml 2> err && ok "ALTO 4.4 of $file is valid" || bad "ALTO 4.4 of $file is valid" "$(head -2 err)"
    done
else
    echo "skip - searchable: ALTO's schema (ALTO_XSD=alto-4-4.xsd, https://www.loc.gov/standards/alto/)"
fi

# --- a spool
"$platen" init s > /dev/null; mkdir -p s/in/page
cp mixed.pdf exif6.jpg locked.pdf s/in/receipt/; cp mixed.pdf s/in/receipt/exif6.alto.pdf
"$platen" run s --engine null --stable-for 0 --format json,xml,pdf,hocr,alto > run.out 2>&1
is "documents of a spool" "$(grep -c '4 done' run.out)" 1
for ending in json xml searchable.pdf hocr alto.xml; do [ -s s/out/receipt/mixed.$ending ] && ok "out/ has mixed.$ending" || bad "out/ has mixed.$ending" "$(ls s/out/receipt)"; done
finds "the PDF in out/" 930 s/out/receipt/mixed.searchable.pdf 2
is "no name is lost" "$(ls s/out/receipt/exif6*xml | wc -l)" 4
grep -q '"not-searchable"' s/out/receipt/locked.json && [ ! -e s/out/receipt/locked.searchable.pdf ] && [ -s s/out/receipt/locked.hocr ] && ok "a PDF that cannot be made is a warning" || bad "a PDF that cannot be made is a warning" "$(ls s/out/receipt)"
"$platen" fsck s > fsck.out 2>&1 && ok "fsck knows the files" || bad "fsck knows the files" "$(tail -1 fsck.out)"
touch -d '100 days ago' s/done/*/delivered; "$platen" prune s --done-older 90d --keep-records --force > /dev/null 2> err
is "prune --keep-records deletes what has the pages" "$(find s/done -name '*.pdf' -o -name doc | wc -l) $(find s/done -name record.hocr | wc -l)" "0 4"
"$platen" extract mixed.pdf --schema receipt --engine null --format pdf > out.pdf 2> err; finds "platen extract --format pdf" 930 out.pdf 2
printf '#!/bin/sh\ncase "$*" in *--layer*) echo made >> %s/layers;; esac\nexec %s-raster "$@"\n' "$PWD" "$platen" > raster; chmod 755 raster; chmod o+rx .; : > layers; chmod 666 layers
"$platen" extract mixed.pdf --schema receipt --engine null --format pdf --raster-program "$PWD/raster" > out.pdf 2> err; is "which is made once" made "$(cat layers)"

"$platen" separator --schema receipt > sheet.pdf; qpdf --empty --pages sheet.pdf scan.pdf text.pdf sheet.pdf up90.pdf -- stack.pdf
"$platen" extract stack.pdf --schema receipt --engine null --split barcode --out parts --format json,pdf > /dev/null 2> err
finds "the first part of a batch" 930 parts/stack-1.searchable.pdf 1; finds "and the second" 930 parts/stack-2.searchable.pdf 1
is "with their own pages" "$(for n in 1 2; do qpdf --show-npages parts/stack-$n.searchable.pdf; done | xargs)" "2 1"
/usr/bin/python3 -c '
from PIL import Image, ImageOps
page = Image.open("'"$root"'/samples/good/kiosk.png").convert("L")
page.save("kiosk.png"); page.rotate(90, expand=True).save("side.png")'
for file in kiosk side; do "$platen" extract $file.png --schema receipt --out turned --format json,pdf,hocr 2> /dev/null; done
got=$(check turned turned/kiosk.searchable.pdf turned/side.searchable.pdf 2>&1)
grep -q auto-rotated turned/side.json && [ "${got//[0-9]/}" = "" ] && [ "$got" -gt 5 ] && ok "a page that the model turned ($got words)" || bad "a page that the model turned" "${got##*$'\n'}"

# --- the command line
"$platen" ocr scan.pdf page.png --to pdf --out texts 2> err && ls texts > n; is "several files" "$(tr '\n' ' ' < n)" "page.searchable.pdf scan.searchable.pdf "
"$platen" ocr scan.pdf page.png --to alto > /dev/null 2> err; is "not on stdout" "$? $(grep -c 'add --out DIR' err)" "1 1"
"$platen" ocr scan.pdf --to odt > /dev/null 2> err; is "an unknown format" "$? $(grep -c 'pdf, hocr or alto' err)" "1 1"
"$platen" run s --engine null --format pdf --fleet host=x > /dev/null 2> err; is "not with a fleet" "$? $(grep -c "fleet's workers return records only" err)" "9 1"

# --- Markdown
answer='{"markdown": "\n```markdown\n# Miller **Trading**\n\n| Number | 2024-0117 |\n|---|---|\n| invented | Date |\n```\n"}'
mkdir log; python3 "$root/tests/support/bad_server.py" --port-file port --answer "$answer" --log log ok & 
for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done
model=(--engine endpoint --endpoint "http://127.0.0.1:$(cat port)")
"$platen" ocr fax.tiff --to markdown "${model[@]}" > out.md 2> err; status=$?
printf '# Miller **Trading**\n\n| Number | 2024-0117 |\n|---|---|\n| invented | Date |\n' > one.md
{ cat one.md; printf '\n<!-- page 2 -->\n\n'; cat one.md; } | cmp -s - out.md && ok "Markdown without fences, page by page" || bad "Markdown" "status $status, $(cat err out.md | head -5)"
is "the share of words in common" "$(grep -c "fax.tiff: page [12]: 5 of the model's 6 words are among the [0-9]* of OCR ([0-9]* % in common)" err)" 2
"$platen" ocr scan.pdf text.pdf --to markdown --out texts "${model[@]}" 2> err && cmp -s one.md texts/scan.md && [ -s texts/text.md ] && ok "Markdown of several files" || bad "Markdown of several files" "$(cat err)"
# --- the embedded model writes neither: they are the words of hOCR
"$platen" ocr scan.pdf --to markdown > out.md 2> err; is "the embedded model says that it cannot write Markdown" "$? $(grep -c 'Qwen3.5 4B or larger' err)" "0 1"
words_of() { sed 's/<!-- page [0-9]* -->//' "$1" | tr -d '\\' | tr -s ' \f\n' '\n' | sed '/^$/d'; }
for file in scan.pdf mixed.pdf fax.tiff "$root/samples/good/market-scan.pdf" "$root/samples/good/kiosk.png"; do
    to "$file" hocr out.hocr; to "$file" markdown out.md; "$platen" ocr "$file" > out.txt 2> err || bad "$file as text" "$(cat err)"
    /usr/bin/python3 -c '
import html, re
for line in re.findall(r"class=.ocr_line.*?</span></span>", open("out.hocr").read(), re.S):
    print(" ".join(html.unescape(w) for w in re.findall(r"ocrx_word[^>]*>([^<]*)<", line)))' > want.txt
    tr -d '\f' < out.txt | cmp -s - want.txt && [ -s want.txt ] && ok "text of ${file##*/} has the lines and words of hOCR" || bad "text of $file" "$(diff out.txt want.txt | head -3)"
    words_of want.txt > a; words_of out.md > b; cmp -s a b && ok "so has its Markdown" || bad "Markdown of $file" "$(diff a b | head -3)"
done
is "it invents nothing" "$("$platen" ocr "$root/samples/good/market-scan.pdf" 2> err | grep -c 'TOTAL $16.71\|4x Tomato 3.16')" 2
"$platen" ocr scan.pdf text.pdf > out.txt 2> err; is "text of several files, a form feed between them" "$(grep -c $'\f' out.txt)" 1
exit $failed
