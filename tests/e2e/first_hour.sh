#!/usr/bin/env bash
# first_hour.sh - what a new user meets: mistyped paths, a document that the
# embedded model cannot read, and which documents failed.
set -u
subject="first hour: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
good=$root/samples/good/kiosk.png
check() { local name=$1; shift; if "$@"; then ok "$name"; else bad "$name" "code ${code:-}: $(cat said out 2> /dev/null | head -20)"; fi; }
p() { "$platen" "$@" > out 2> said < /dev/null; code=$?; }
tells() { grep -qE -- "$1" said; }
prints() { grep -qE -- "$1" out; }
nothing_made() { [ "$(find "$1" 2> /dev/null | wc -l)" = "$2" ]; }

# --- only init creates
mkdir scans; cp "$good" scans/a.png
for command in run watch; do
    p $command nope
    check "$command on a path that does not exist says what to do" eval '[ $code = 1 ] && tells "nope is not a spool: it does not exist. To create one: platen init nope$" && [ ! -e nope ]'
    p $command scans
    check "$command on a folder of scans leaves it as it is" eval '[ $code = 1 ] && tells "scans is not a spool: .* platen init scans$" && nothing_made scans 2'
done
for command in status fsck "retry --all" "dismiss --all" "export --to jsonl"; do
    # shellcheck disable=SC2086
    p ${command%% *} nope ${command#"${command%% *}"}
    check "$command, too" eval '[ $code = 1 ] && tells "platen init nope$" && [ ! -e nope ]'
done
p init spool
p run spool
check "what init made is a spool" test $code = 0
rmdir spool/failed spool/out; p run spool
check "and folders that are missing in it are made again" test $code = 0 -a -d spool/failed -a -d spool/out

p --schemas x extract "$good"
check "a flag before the command says where flags belong" eval '[ $code = 1 ] && tells "flags come after the command: platen COMMAND --schemas"'
p -V
check "-V is the version" eval '[ $code = 0 ] && prints "^platen [0-9]"'

# --- failures by name
cp "$root/samples/bad/encrypted.pdf" spool/in/receipt/x.pdf
echo "no document" > spool/in/receipt/y.docx
echo "no document" > "spool/in/receipt/y[1].docx"
cp "$good" spool/in/receipt/
p run spool --engine null --stable-for 0
p status spool --failed
check "status --failed lists names and reasons" eval '[ $code = 0 ] && [ "$(wc -l < out)" = 3 ] && prints "  receipt/x.pdf  \[encrypted\] ." && prints "receipt/y.docx  \[unknown-type\]"'
p status spool --failed --review --json
check "also as JSON" "$root/tests/support/lists.py" out 'sorted(o["name"] for o in r["failed"]) == ["x.pdf", "y.docx", "y[1].docx"] and {o["code"] for o in r["failed"]} == {"encrypted", "unknown-type"} and all(o["text"] and o["folder"] == "receipt" for o in r["failed"]) and isinstance(r["review"], list) and "unread" not in r'
p dismiss spool receipt/x.pdf
check "dismiss takes a name with its folder" eval '[ $code = 0 ] && tells "1 document dismissed"'
p status spool --failed
check "what is dismissed is not listed" eval '! prints x.pdf && prints y.docx'
p retry spool 'y[1].docx'
check "a name with the characters of a pattern is itself" eval '[ $code = 0 ] && tells "1 document back"'
p run spool --engine null --stable-for 0
p retry spool 'y*' x.pdf
check "a pattern is all that match, and a name counts though dismissed" eval '[ $code = 0 ] && tells "3 documents back" && [ -z "$(ls spool/failed)" ]'
p retry spool z.pdf
check "a name that no document has" eval '[ $code = 1 ] && tells "no document in failed/ has the id or name z.pdf"'
p show spool kiosk.png -o page.png
check "show takes a name" test $code = 0 -a -s page.png
cp "$good" spool/in/receipt/kiosk.png; p run spool --engine null --stable-for 0
p show spool kiosk.png -o page.png
check "and says which ids it means if there are several" eval '[ $code = 1 ] && tells "2 documents have this name: [0-9]"'

# --- failures where people look
notes=(--report-failures yes --engine null --stable-for 0)
"$platen" init noted > out; note=noted/out/receipt/x.docx.failed.txt
echo "no document" > noted/in/receipt/x.docx; p run noted --engine null --stable-for 0
check "without report_failures out/ has no note" test ! -e $note
p run noted "${notes[@]}"
check "with it, also a failure of before has a note with reason and remedy" eval 'grep -q "^x.docx could not be read" $note && grep -q "^Reason: .*\[unknown-type\]$" $note && grep -q "^What to do: Save the document" $note && grep -q "platen retry noted $(ls noted/failed)$" $note'
echo "no document, either" > noted/in/receipt/x.docx; p run noted "${notes[@]}"
check "a second of that name has a note of its own" test "$(ls noted/out/receipt | wc -l)" = 2
id=$(ls noted/failed | head -1); other=$(ls noted/failed | tail -1)
p dismiss noted "$id"
check "dismissed: its note goes, the other stays" test "$(ls noted/out/receipt)" = "x.docx.$other.failed.txt"
p dismiss noted "$id" --undo --report-failures yes
check "no longer dismissed: it is there again" test -e $note
cp "$good" "noted/failed/$id/doc.new"; mv "noted/failed/$id/doc.new" "noted/failed/$id/doc"
p retry noted "$id"; p run noted "${notes[@]}"
check "read after a retry: the record is there, its note is gone" test -e noted/out/receipt/x.docx.json -a ! -e $note
echo mine > $note; p retry noted "$other"; p run noted "${notes[@]}"
check "a file that is no note stays" test "$(cat $note)" = mine
: > "noted/pending/$other.note"; rm noted/out/receipt/x.docx."$other".failed.txt; p run noted "${notes[@]}"
check "a note that a crash left undone is written by the next run" test -e noted/out/receipt/x.docx."$other".failed.txt -a ! -e "noted/pending/$other.note"
p fsck noted; check "and the spool is whole" test $code = 0

# --- the languages of OCR
languages() { env -u LC_ALL -u LANG -u LC_MESSAGES "$@" "$platen" config | sed -n 's/^ocr_languages = \([a-z_+]*\) .*/\1/p'; }
check "without a locale OCR reads English" test "$(languages)$(languages LANG=C.UTF-8)" = engeng
check "one whose language is not installed changes nothing" test "$(languages LANG=xx_YY.UTF-8 PLATEN_OCR_DATA="$scratch")" = eng
mkdir tessdata; : > tessdata/deu.traineddata; : > tessdata/chi_tra.traineddata
check "that of the locale comes first if it is installed" test "$(languages LANG=de_AT.UTF-8 PLATEN_OCR_DATA="$scratch/tessdata")$(languages LC_ALL=zh_TW PLATEN_OCR_DATA="$scratch/tessdata")" = deu+engchi_tra+eng
check "what is configured counts" test "$(languages LANG=de_AT.UTF-8 PLATEN_OCR_DATA="$scratch/tessdata" PLATEN_OCR_LANGUAGES=deu)" = deu

# --- a document that the embedded model cannot read, and of which no words are taken
p extract "$good" --schema receipt --exit-review --out review
check "a record that needs no review exits with 0" eval '[ $code = "$(grep -q "\"review\": true" review/kiosk.json && echo 18 || echo 0)" ]'
python=
for one in python3 /usr/bin/python3; do "$one" -c 'import PIL' 2> /dev/null && { python=$one; break; }; done
[ -n "$python" ] || { echo "skip - first hour: python3-pil is not installed"; exit $failed; }
"$python" - << 'PY' || { echo "skip - first hour: no font to print with"; exit $failed; }
from PIL import Image, ImageDraw, ImageFont
font = ImageFont.truetype('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', 26)
page = Image.new('L', (1240, 1754), 255)
lines = ((100, 'Northwind Interiors Ltd'), (100, '22 Harbour Street, Bristol BS1 4QA'), (700, 'INVOICE 0471'),
         (700, 'Invoice date: 14 March 2025'), (700, 'Payment due: 13 April 2025'),
         (100, 'Bill to: Greenfield Hotels plc, 5 Park Row, Leeds LS1 5HD'), (100, 'VAT GB 123 4567 89'),
         (100, 'Oak reception desk, fitted      1   2,850.00   2,850.00'), (100, 'Bar stools, walnut             12      74.50     894.00'),
         (100, 'Delivery                        1     120.00     120.00'), (700, 'Subtotal 3,864.00'), (700, 'VAT 20% 772.80'),
         (700, 'Total due GBP 4,636.80'))
for i, (x, text) in enumerate(lines):
    ImageDraw.Draw(page).text((x, 100 + i * 44), text, font=font, fill=0)
page.save('invoice.png')
page = Image.new('L', (1240, 1000), 255)
for i, text in enumerate(('Bäckerei Müller & Söhne GmbH', 'Königstraße 12, 70173 Stuttgart', 'Rechnung Nr. 2025-118', 'Datum: 3. März 2025',
                          'für Ihre Bestellung vom 28. Februar', 'Zwischensumme 46,00', 'Gesamtbetrag 49,22', 'Zahlbar innerhalb von 14 Tagen ohne Abzug')):
    ImageDraw.Draw(page).text((100, 100 + i * 60), text, font=font, fill=0)
page.save('german.png')
PY
if "$platen" doctor | grep -q 'OCR: Tesseract .*reads eng'; then
    p extract invoice.png --schema invoice --out records
    check "what the embedded model cannot read is read from words" "$root/tests/support/lists.py" records/invoice.json 'r["engine"] == "words" and r["data"]["date"] == "2025-03-14" and r["data"]["seller"]["name"] == "Northwind Interiors Ltd"'
fi
export PLATEN_GROUND=off
"$python" "$root/tests/support/draw_bill.py" .
p extract bill.pdf --schema invoice --out records
check "the first line says unread, and what to do" eval '[ $code = 0 ] && head -1 said | grep -q "bill.pdf: unread: the embedded demonstration model cannot read this document; .*platen model get 4b --use$"'
check "its values are no lines of their own" eval '[ "$(wc -l < said)" -le 4 ] && tells "warnings about single values: see the record"'
check "the record begins with it, and keeps the others" "$root/tests/support/lists.py" records/bill.json 'r["verdict"] == "unread" and r["warnings"][0]["code"] == "unread" and sum(w["code"] == "low-confidence" for w in r["warnings"]) >= 1'
check "no markup of the model is in it" eval '! grep -q "assistant" records/bill.json && ! grep -qF "]}" said'
if "$platen" doctor | grep -q 'OCR: Tesseract .*reads eng'; then
    p extract german.png --schema invoice --out records
    check "German read as English says so" tells "german.png: page 1: its words look German, but OCR read it as eng: add deu to ocr_languages"
    p ocr german.png
    check "its words are in the order of the page, also those of a later pass" eval '[ "$(wc -l < out)" = 8 ] && prints "^K.* 12, 70173 Stuttgart$"'
    p extract invoice.png --schema invoice --out records
    check "English does not" eval '! tells "its words look"'
fi
p extract bill.pdf --schema invoice --out records --exit-review
check "--exit-review exits with 18" test $code = 18
"$platen" init two > out; cp bill.pdf two/in/invoice/; cp "$good" two/in/receipt/; p run two --stable-for 0 --verbose
check "the log of a run says it" tells "invoice/bill.pdf: done in .*, unread$"
p status two
check "status counts it" prints 'need.* review .*, 1 unread'
check "and says it of the document" prints 'invoice/bill.pdf: done, unread$'
p status two --json
check "also as JSON" "$root/tests/support/lists.py" out 'r["unread"] == 1 and r["review"] >= 1 and [o.get("unread", False) for o in r["latest"] if o["folder"] == "invoice"] == [True]'
p status two --unread
check "status --unread names it" eval '[ "$(wc -l < out)" = 1 ] && prints "^[0-9TZ]+-[0-9a-f]+  invoice/bill.pdf$"'
rm two/index.db*; p status two
check "also after the index was lost" prints ', 1 unread'
exit $failed
