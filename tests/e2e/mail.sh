#!/usr/bin/env bash
# mail.sh - what is attached to an e-mail, or with attachments = read to a PDF, is
# read as documents of its own, each once; what cannot be read is named.
set -u
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
holds "each has sender, date, Message-ID and subject" "all(r['source']['mail'] == {'from': 'Jürgen Müller <jm@example.org>', 'date': '2023-03-14T09:00:00Z', 'message_id': 'one@example.org', 'subject': 'Rechnung für März'} for r in p + [k])"
holds "what cannot be read is named once" "w == ['attachments that were not read: offer.docx'] and k['warnings'][0]['text'] == w[0] and p[0]['review']"
clean "fsck finds no fault"
[ "$(ls "$s/out/faults" | tr '\n' ' ')" = "two-1.json two-1.xml two-2.json two-2.xml " ] && ok "out/ has them" || bad "out/ has them" "$(ls "$s/out/faults")"
go lying.eml; holds "types are those of the bytes" "n == ['lying-1.pdf'] and w == ['attachments that were not read: a.png']"
go none.eml; holds "a mail without any fails, and says what it has" "not p and f['none.eml']['code'] == 'no-attachment' and f['none.eml']['text'] == 'the mail has no attached PDF, picture or e-invoice; it has: offer.docx, winmail.dat (Outlook\\'s own format TNEF)'"
go text.eml; holds "so does one without attachments" "f['text.eml']['text'] == 'the mail has no attached PDF, picture or e-invoice'"
go bare.eml; holds "and one that is only text" "f['bare.eml']['code'] == 'no-attachment'"
go nested.eml; holds "a mail inside and winmail.dat are named" "n == ['nested-1.pdf'] and 'the inner one (a mail inside the mail)' in w[0] and 'winmail.dat (Outlook\\'s own format TNEF)' in w[0]"
go sealed.eml; holds "what is encrypted is named" "f['sealed.eml']['code'] == 'no-attachment' and '(encrypted with PGP)' in f['sealed.eml']['text'] and 'smime.p7m (encrypted or sealed with S/MIME)' in f['sealed.eml']['text']"
go signed.eml; holds "a signature is no attachment, and what it signs is read" "n == ['signed-1.pdf'] and not w"
go logo.eml; holds "a logo is layout, a photograph in the text is not" "n == ['logo-1.jpeg'] and not w"
go latin.eml; holds "names in old spellings" "p[0]['source']['mail']['subject'] == 'Gruß aus Köln' and p[0]['part']['attachment'] == 'Über zwei.pdf'"
go unix.eml; holds "line ends of Unix" "n == ['unix-1.pdf']"
go deep.eml; holds "parts nested more than 32 deep are named" "f['deep.eml']['code'] == 'no-attachment' and '(nested more than 32 deep)' in f['deep.eml']['text']"
go many.eml; holds "the first hundred are read, the rest is named" "len(p) == 100 and '102.png (beyond the 100th)' in w[0]"
clean "fsck of a hundred"
go cut.eml; holds "one that is cut short: what is there is judged" "list(f) == ['cut-1.pdf'] or n == ['cut-1.pdf']"
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
holds "other files are named, an e-invoice is not" "len(w) == 1 and 'terms.odt' in w[0] and 'order.xml (XML)' in w[0] and 'factur-x' not in w[0]"
holds "its own part is the whole file" "p[0]['source']['sha256'] == k['source']['sha256'] and 'attachment' not in p[0]['part'] and p[0]['source']['pages'] == 1"
clean "fsck finds no fault there either"
go pinned.pdf --attachments read; holds "a file pinned to a page is read, too" "n == ['pinned-1.pdf', 'pinned-2.png'] and not w"
go text-only.pdf --attachments read; holds "nothing to read in it: one document" "not k and not f"
go twice.pdf --attachments read; holds "attachments of an attachment are only named" "len(p) == 2 and any('not read' in x for x in w)"
go sealed.pdf --attachments read --passwords secret; holds "encrypted, with its password" "len(p) == 3"
"$platen" extract made/two.eml made/holder.pdf --attachments read --schema faults --out records > out 2> err; got=$?
[ "$got $(ls records | tr '\n' ' ')" = "0 holder-1.json holder-2.json holder-3.json two-1.json two-2.json " ] && ok "extract reads them, too" || bad "extract reads them, too" "$got $(ls records | tr '\n' ' ') $(cat err)"
"$platen" words made/two.eml > out 2> err; [ $? != 0 ] && grep -q 'by platen extract, run and watch' err && ok "words says what reads mails" || bad "words says what reads mails" "$(cat err)"
exit $failed
