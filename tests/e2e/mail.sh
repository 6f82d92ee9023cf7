#!/usr/bin/env bash
# mail.sh - what is attached to an e-mail, or with attachments = read to a PDF, is
# read as documents of its own, each once; what cannot be read is named.
set -u
command -v openssl > /dev/null || { echo "skip - mail: openssl is not here"; exit 0; }
subject='mail: '
. "$(dirname "$0")/../support/e2e.sh"
command -v qpdf > /dev/null && command -v python3 > /dev/null || { echo "skip - ${subject}qpdf or python3 is not here"; exit 0; }
export PLATEN_OCR=off PLATEN_STABLE_FOR=0 PLATEN_MIN_FREE_SPACE=1 PLATEN_SCHEMAS=$root/tests/faults PLATEN_ENGINE=null
cd "$scratch" || exit 1
mkdir made; python3 "$root/tests/support/mails.py" made || { bad "mails.py" "failed"; exit 1; }
s=$scratch/s
go() { # go FILE [OPTION...]: in a spool of its own
    rm -rf "$s"; mkdir -p "$s/in/faults"; cp "made/$1" "$s/in/faults/"; shift
    timeout 120 "$platen" run "$s" "$@" > out 2> err
}
holds() { # holds NAME EXPRESSION: of its parts p (records), names n, stack k, reasons f (text by name), warnings w (texts of "attachments" of all parts)
    python3 - "$s" "$2" << 'PY' 2> why && ok "$1" || bad "$1" "$(tail -1 why | cut -c1-900) $(tail -2 err)"
import glob, hashlib, json, os, sys
s = sys.argv[1]
records = [(json.load(open(x)), os.path.dirname(x)) for x in glob.glob(s + '/done/*/record.json')]
k = next((r for r, _ in records if r['format'] == 'platen-stack/2'), None)
p = sorted((r for r, _ in records if 'part' in r), key=lambda r: r['part']['number'])
n = [r['source']['name'] for r in p]
f = {json.load(open(os.path.dirname(x) + '/name.json'))['name']: json.load(open(x)) for x in glob.glob(s + '/failed/*/reason.json')}
w = [x['text'] for r in p for x in r['warnings'] if x['code'] == 'attachments']
for r, d in records:
    assert hashlib.sha256(open(d + '/doc', 'rb').read()).hexdigest() == r['source']['sha256'], d
if k:
    assert len(k['parts']) == len(glob.glob(s + '/*/*/part.json')), k
assert eval(sys.argv[2]), (n, w, f, k, [r['part'] for r in p])
PY
}
clean() { "$platen" fsck "$s" > fsck && ok "$1" || bad "$1" "$(grep fault fsck | head -3)"; }

go two.eml --format json,xml
holds "its PDF and its picture are documents" "n == ['two-1.pdf', 'two-2.png'] and [r['source']['type'] for r in p] == ['PDF', 'PNG'] and p[0]['source']['pages'] == 2"
holds "with their names in the mail" "[r['part'].get('attachment') for r in p] == ['Rechnung März.pdf', 'kiosk.png']"
holds "each has sender, date, Message-ID and subject" "all({x: v for x, v in r['source']['mail'].items() if x != 'attachments'} == {'from': 'Jürgen Müller <jm@example.org>', 'date': '2023-03-14T09:00:00Z', 'message_id': 'one@example.org', 'subject': 'Rechnung für März'} for r in p + [k])"
holds "and the names of all that was read" "all(r['source']['mail']['attachments'] == ['Rechnung März.pdf', 'kiosk.png'] for r in p)"
holds "what cannot be read is named in each record, once" "w == ['attachments that were not read: offer.docx (an office document: export it as PDF)'] * 2 and k['warnings'][0]['text'] == w[0] and all(r['review'] for r in p)"
clean "fsck finds no fault"
[ "$(ls "$s/out/faults" | tr '\n' ' ')" = "two-1.json two-1.xml two-2.json two-2.xml " ] && ok "out/ has them" || bad "out/ has them" "$(ls "$s/out/faults")"
go lying.eml; holds "types are those of the bytes" "n == ['lying-1.pdf'] and w == ['attachments that were not read: a.png']"
go failing.eml; holds "in the reason of a part that fails, too" "f['failing-1.pdf']['code'] == 'damaged' and 'also not read of the same file: notes.doc (a file of Microsoft Office' in f['failing-1.pdf']['text']"
go none.eml; holds "a mail without any fails, and says what it has" "not p and f['none.eml']['code'] == 'no-attachment' and f['none.eml']['text'] == 'the mail has no attached PDF, picture or e-invoice; it has: offer.docx (an office document: export it as PDF), winmail.dat (Outlook\\'s own format TNEF, and it is damaged)'"
go text.eml; holds "so does one without attachments" "f['text.eml']['text'] == 'the mail has no attached PDF, picture or e-invoice'"
go bare.eml; holds "and one that is only text" "f['bare.eml']['code'] == 'no-attachment'"
go nested.eml; holds "a mail inside is read, a broken winmail.dat is named" "n == ['nested-1.pdf', 'nested-2.png'] and p[1]['part']['attachment'] == 'the inner one/inside.png' and 'winmail.dat (Outlook\\'s own format TNEF, and it is damaged)' in w[0]"
go sealed.eml; holds "what is encrypted is named" "f['sealed.eml']['code'] == 'no-attachment' and '(encrypted with PGP)' in f['sealed.eml']['text'] and 'smime.p7m' in f['sealed.eml']['text']"
go signed.eml; holds "a signature is no attachment, and what it signs is read" "n == ['signed-1.pdf'] and not w"
go logo-and-pdf.eml; holds "what a text shows is layout" "n == ['logo-and-pdf-1.pdf'] and not w and not k['warnings']"
for mail in logo only-logo; do go $mail.eml; holds "but named if there is nothing else ($mail)" "'(a picture that its text shows)' in f['$mail.eml']['text']"; done
for mail in unshown unshown-plain; do go $mail.eml; holds "a picture that no text shows is a document ($mail)" "n == ['$mail-1.png'] and not w"; done
for i in 0 1 2 3 4 5; do go hidden$i.eml; holds "a declared type hides no PDF ($i)" "n == ['hidden$i-1.pdf'] and not w"; done
go bare-xml.eml; holds "an e-invoice without a name is one" "len(p) + len(f) == 2 and 'bare-xml-2.pdf' in n"
holds "its record and that of the PDF name each other" "all(r['source']['mail']['attachments'] == ['', 'a.pdf'] for r in p)"
go order.eml; holds "other XML is named, and fails nothing" "n == ['order-1.pdf'] and not f and 'order.xml (XML that is no e-invoice: its root element is order' in w[0]"
go apple.eml; holds "the other half of a Macintosh file is nothing" "n == ['apple-1.pdf'] and not w"
# damaged, or older than MIME
for mail in no-end cut-first cut-lost; do go $mail.eml; holds "a mail without its end says so ($mail)" "n == ['$mail-1.pdf'] and 'the mail is cut short' in w[0] and p[0]['review']"; done
go no-blank.eml; holds "a header without its end says so" "n == ['no-blank-1.pdf'] and 'a header that is damaged' in w[0]"
go early-blank.eml; holds "a header that ends early says so" "'an encoded part in the text: the mail is damaged' in f['early-blank.eml']['text']"
go undeclared.eml; holds "base64 that is not declared is read" "n == ['undeclared-1.pdf', 'undeclared-2.png'] and not w"
go bad-base64.eml; holds "base64 with other letters is reported" "any('in part: its encoding is damaged' in x for x in w) or any('in part: its encoding is damaged' in x['text'] for x in f.values())"
go base64-cut.eml; holds "base64 that ends within four letters is reported" "any('in part: its encoding is damaged' in x for x in w + [y['text'] for y in f.values()])"
for mail in bom lines mbox; do go $mail.eml; holds "a mail is known by its header, whatever is before it ($mail)" "n == ['$mail-1.pdf'] and not w and p[0]['source']['mail']['from'] == 'a@example.org'"; done
go uu.eml; holds "a uuencoded file is read" "n == ['uu-1.png'] and not w and p[0]['part']['attachment'] == 'scan.png'"
go uu-cut.eml; holds "one without its end says so" "'scan.png (uuencoded, and damaged or cut short)' in (w + [f[x]['text'] for x in f])[0]"
# containers
go zip.eml; holds "what is in a ZIP archive is read, or named" "[r['part']['attachment'] for r in p] == ['z.zip/folder/a.pdf', 'z.zip/b.png', 'z.zip/m.eml/a.pdf'] and w[0].endswith(': z.zip/c.txt')"
go tnef.eml; holds "so is what is in a winmail.dat" "[r['part']['attachment'] for r in p] == ['winmail.dat/A.PDF', 'winmail.dat/B.PNG'] and not w"
for mail in zip-cut tnef-cut; do go $mail.eml; holds "one that is cut short says so ($mail)" "'damaged' in (w + [f[x]['text'] for x in f])[0]"; done
go 7z.eml; holds "other archives are named" "'z.7z (a 7z archive' in f['7z.eml']['text']"
for mail in octets levels3 p7m-opaque p7m-plain p7m-streamed; do go $mail.eml; holds "what is inside is read ($mail)" "n == ['$mail-1.pdf'] and not w"; done
go levels4.eml; holds "mails more than three deep are named" "'(a mail inside the mail, more than 3 deep)' in f['levels4.eml']['text']"
go p7m-sealed.eml; holds "what needs a key is named" "'sealed.p7m (encrypted with S/MIME)' in f['p7m-sealed.eml']['text']"
go latin.eml; holds "names in old spellings" "p[0]['source']['mail']['subject'] == 'Gruß aus Köln' and p[0]['part']['attachment'] == 'Über zwei.pdf'"
go unix.eml; holds "line ends of Unix" "n == ['unix-1.pdf']"
go deep.eml; holds "parts nested more than 32 deep are named" "f['deep.eml']['code'] == 'no-attachment' and '(nested more than 32 deep)' in f['deep.eml']['text']"
go many.eml; holds "the first hundred are read, the rest is named" "len(p) == 100 and '102.png (beyond the 100th)' in w[0]"
clean "fsck of a hundred"
go cut.eml; holds "one that is cut short: what is there is judged" "(list(f) == ['cut-1.pdf'] or n == ['cut-1.pdf']) and 'the mail is cut short' in (w + [f[x]['text'] for x in f])[0]"
go locked.eml; holds "an encrypted PDF in it fails by itself" "f['locked-1.pdf']['code'] == 'encrypted'"
echo secret > secret; chmod 600 secret
go locked.eml --passwords secret; holds "with its password it is read" "n == ['locked-1.pdf']"
cp made/two.eml made/two.txt; go two.txt; holds "a mail of another name says how it is read" "'only the attachments are read' in f['two.txt']['text'] and '.eml' in f['two.txt']['text'] and f['two.txt']['code'] == 'unknown-type'"
printf 'From: x\nnothing that looks like\na mail' > made/text.txt; go text.txt; holds "other text is no mail" "f['text.txt']['code'] == 'unknown-type'"

# --- PDFs
go holder.pdf; holds "without the setting attachments are named" "not p and not k"
grep -q '"attachments"' "$s"/done/*/record.json && ok "by a warning" || bad "by a warning" "$(grep -A3 warnings "$s"/done/*/record.json)"
go holder.pdf --attachments read
holds "with it the PDF's own pages come first, then PDFs and pictures" "n == ['holder-1.pdf', 'holder-2.pdf', 'holder-3.png'] or n == ['holder-1.pdf', 'holder-2.png', 'holder-3.pdf']"
holds "other files are named, an e-invoice is not" "len(set(w)) == 1 and 'terms.odt (an office document' in w[0] and 'order.xml (XML)' in w[0] and 'factur-x' not in w[0]"
holds "its own part is the whole file" "p[0]['source']['sha256'] == k['source']['sha256'] and 'attachment' not in p[0]['part'] and p[0]['source']['pages'] == 1"
clean "fsck finds no fault there either"
go pinned.pdf --attachments read; holds "a file pinned to a page is read, too" "n == ['pinned-1.pdf', 'pinned-2.png'] and not w"
go text-only.pdf --attachments read; holds "nothing to read in it: one document" "not k and not f"
go twice.pdf --attachments read; holds "attachments of an attachment are only named" "len(p) == 2 and any('not read' in x for x in w)"
go sealed.pdf --attachments read --passwords secret; holds "encrypted, with its password" "len(p) == 3"
"$platen" extract made/two.eml made/holder.pdf --attachments read --schema faults --out records > out 2> err; got=$?
[ "$got $(ls records | tr '\n' ' ')" = "0 holder-1.json holder-2.json holder-3.json two-1.json two-2.json " ] && ok "extract reads them, too" || bad "extract reads them, too" "$got $(ls records | tr '\n' ' ') $(cat err)"
"$root/tests/support/mail_mutations.py" "$(dirname "$(realpath "$platen")")/platen-raster" 200 || failed=1
"$platen" words made/two.eml > out 2> err; [ $? != 0 ] && grep -q 'by platen extract, run and watch' err && ok "words says what reads mails" || bad "words says what reads mails" "$(cat err)"
exit $failed
