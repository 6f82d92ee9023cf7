#!/usr/bin/env bash
# einvoice.sh: an invoice in XML inside a PDF (Factur-X, ZUGFeRD, XRechnung) is held
# against what the model says: it confirms, denies, never overwrites, and is no
# reason to fail whatever is in it.
set -u
subject="e-invoice: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
command -v python3 > /dev/null || { echo "skip - e-invoice: python3 is not here"; exit 0; }
export PLATEN_OCR=off PLATEN_MAX_PIXELS=600000 PATH=/usr/bin:$PATH # a wrapper of python3 would cost more than the test
einvoice() { python3 "$root/tests/support/einvoice.py" "$@"; }
reader() { # reader NAME ANSWER: an endpoint that reads this by heart; its address in the file NAME
    mkdir "log-$1"
    python3 "$root/tests/support/bad_server.py" --port-file "port-$1" --log "log-$1" --answer "$2" ok > /dev/null 2>&1 &
    for _ in $(seq 100); do [ -s "port-$1" ] && break; sleep 0.05; done
    echo "http://127.0.0.1:$(cat "port-$1")" > "$1"
}
extract() { # extract READER FILE... [OPTION...]: records in the folder READER-n; the first in `record`
    local reader=$1
    shift
    rm -rf record
    "$platen" extract "$@" --schema "${schema:-$root/schemas/invoice.schema.json}" --engine endpoint --endpoint "$(cat "$reader")" --out "$reader-$((n += 1))" 2> record.err
    status=$?
    cp "$reader-$n/$(basename "${1%.pdf}").json" record
}
n=0
holds() { # holds WHAT EXPRESSION [PDF]: of its record r, its data d, fields f, codes c, verdicts v, what the e-invoice says e
    [ -z "${3:-}" ] || cp "$last/${3%.pdf}.json" record
    python3 - record "$2" << 'PY' 2> holds.err && ok "$1" || bad "$1" "$(tail -1 holds.err | cut -c1-600) $(tail -2 record.err)"
import json, sys
r = json.load(open(sys.argv[1]))
d, f, w = r["data"], r["fields"], r["warnings"]
c = [x["code"] for x in w]
v = {k: x.get("verdict") for k, x in f.items()}
e = {k: y for k, x in f.items() for y in x.get("evidence", []) if y["source"] == "e-invoice"}
assert eval(sys.argv[2]), (sys.argv[2], w, v, e)
PY
}
reader right "$(einvoice answer)"
reader wrong "$(einvoice answer number=RE-2026/0816 total=197.10 date=2026-11-06 iban=DE02120300000000202057)"

# --- each profile, under each name that the standards give it
profiles='factur-x.xml minimum 9
factur-x.xml basicwl 11
FACTUR-X.XML basic 19
xrechnung.xml en16931 19
zugferd-invoice.xml extended 19
ZUGFeRD-invoice.xml zugferd1 19
xrechnung.xml ubl 19'
while read -r name profile least; do
    einvoice xml "$profile" > "$profile.xml"
    einvoice pdf "scan-$profile.pdf" --scan "$name=$profile.xml"
done <<< "$profiles"
cp scan-zugferd1.pdf scan.pdf
extract right scan-*.pdf; last=right-$n
while read -r name profile least; do
    holds "$name, $profile: confirms what it has" \
        "all(v[k] == 'agree' and e[k]['match'] in ('exact', 'normalised') for k in ('/invoice_number', '/date', '/seller/name', '/total', '/currency')) and len(e) >= $least and 'differ' not in v.values() and 'e-invoice-differs' not in c and 'box' not in e['/total']" "scan-$profile.pdf"
done <<< "$profiles"
extract wrong scan.pdf
holds "what differs is denied, with what it has and its term" \
    "all(v[k] == 'differ' and f[k]['confidence'] <= 0.5 for k in ('/invoice_number', '/date', '/total', '/iban')) and e['/total'] == {'text': '179.10', 'source': 'e-invoice', 'match': 'different', 'term': 'BT-112'} and v['/subtotal'] == v['/items/1/amount'] == 'agree'"
holds "it overwrites nothing, and a person is asked" \
    "d['total'] == 197.10 and d['date'] == '2026-11-06' and r['review'] and c.count('e-invoice-differs') == 4 and any('179.10 (BT-112)' in x['text'] for x in w)"
"$platen" extract scan.pdf --schema "$root/schemas/invoice.schema.json" --engine endpoint --endpoint "$(cat wrong)" --format xml > kept.xml 2> record.err &&
    grep -q 'source="e-invoice" match="different" term="BT-112">179.10<' kept.xml && ok "the record says so in XML, too" || bad "the record says so in XML, too" "$(tail -2 record.err) $(grep -o '<place[^>]*e-invoice[^/]*/place>' kept.xml | head -2)"

# --- beside the words of the page: they have the place, it has the last word
einvoice pdf page.pdf factur-x.xml=en16931.xml
einvoice xml en16931 total=197.10 payable=197.10 > other.xml
einvoice pdf other.pdf factur-x.xml=other.xml
einvoice pdf plain.pdf
extract right page.pdf other.pdf plain.pdf; last=right-$n
holds "words give the place" "[x['source'] for x in f['/total']['evidence']] == ['text-layer', 'e-invoice'] and f['/total']['page'] == 1 and len(f['/total']['evidence'][0]['box']) == 4" page.pdf
holds "what is printed and something else in XML is for a person" "v['/total'] == 'differ' and r['review'] and f['/total']['evidence'][0]['source'] == 'text-layer' and v['/subtotal'] == 'agree'" other.pdf
holds "a PDF without one is what it was" "not e and v['/total'] == 'agree' and not c" plain.pdf

# --- schemas of one's own: names tell the term; what they leave open is never denied
cat > own.schema.json << 'END'
{"type":"object","additionalProperties":false,"required":["Rechnungsnummer","supplierVatId","amountDue","lieferschein","zeilen"],"properties":{
"Rechnungsnummer":{"type":["string","null"]},"supplierVatId":{"type":["string","null"]},"amountDue":{"type":["string","null"]},"lieferschein":{"type":["string","null"]},
"zeilen":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["artikel","menge","betrag"],"properties":{
"artikel":{"type":["string","null"]},"menge":{"type":["number","null"]},"betrag":{"type":["number","null"]}}}}}}
END
schema=own.schema.json
reader own '{"Rechnungsnummer":"RE-2026/0815","supplierVatId":"DE 123 456 788","amountDue":"EUR 179,01","lieferschein":"LS-4711","zeilen":[{"artikel":"Schrauben M4","menge":61,"betrag":30.80},{"artikel":"Fracht","menge":1,"betrag":9.99}]}'
extract own scan.pdf
holds "the names of any schema tell what a value is" "v['/Rechnungsnummer'] == v['/supplierVatId'] == 'agree' and v['/amountDue'] == 'differ' and e['/amountDue']['term'] == 'BT-115'"
holds "a row is held against its own line, and one that has none against nothing" "v['/zeilen/0/artikel'] == v['/zeilen/0/menge'] == 'agree' and v['/zeilen/0/betrag'] == 'differ' and v['/zeilen/1/betrag'] is None and v['/lieferschein'] is None"
sed 's/"amountDue":{/"amountDue":{"x-platen-required-evidence":true,/' own.schema.json > sure.schema.json
schema=sure.schema.json
extract own scan.pdf
holds "where evidence is asked for, what it denies is dropped" "d['amountDue'] is None and 'value-dropped' in c"
unset schema

# --- nothing in it is a reason to fail, and what else may lie in a PDF
einvoice xml order > order.xml
head -c 900 en16931.xml > cut.xml
python3 - << 'END'
text = open("en16931.xml").read()
head, rest = text.split("?>", 1)
laughs = "".join('<!ENTITY l%d "%s">' % (i, "&l%d;" % (i - 1) * 10) for i in range(1, 10))
open("laughs.xml", "w").write(head + '?><!DOCTYPE x [<!ENTITY l0 "ha">' + laughs + "]>" + rest.replace("RE-2026/0815", "&l9;"))
open("file.xml", "w").write(head + '?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>' + rest.replace("RE-2026/0815", "&f;"))
open("deep.xml", "w").write(head + "?>" + "<a>" * 200000)
open("attributes.xml", "w").write(rest.replace("<ram:Name>", "<ram:Name %s>" % " ".join('a%d="1"' % i for i in range(90000)), 1))
END
einvoice pdf foreign.pdf xrechnung.xml=order.xml
for kind in cut laughs file deep attributes; do einvoice pdf $kind.pdf factur-x.xml=$kind.xml; done
einvoice pdf large.pdf factur-x.xml=bytes:100000000
einvoice pdf both.pdf factur-x.xml=en16931.xml factur-x.xml=other.xml
einvoice pdf beside.pdf factur-x.xml=en16931.xml other.xml=other.xml photo.png=bytes:5000000
einvoice pdf portfolio.pdf page-1.txt=order.xml 'Rechnung 0815.xml=en16931.xml'
einvoice pdf several.pdf first.xml=en16931.xml second.xml=other.xml
einvoice pdf order.pdf order.xml=order.xml
extract right foreign.pdf cut.pdf laughs.pdf file.pdf deep.pdf attributes.pdf large.pdf both.pdf beside.pdf portfolio.pdf several.pdf order.pdf
last=right-$n
[ $status = 0 ] && ok "none of them fails" || bad "none of them fails" "status $status: $(tail -3 record.err)"
while IFS='|' read -r file what words; do
    holds "$what" "not e and v['/total'] == 'agree' and [x['text'] for x in w if x['code'] == 'e-invoice-unread' and '$words' in x['text']]" "$file.pdf"
done << 'END'
foreign|other XML is not used|neither UBL nor
cut|nor XML that is cut short|damaged
laughs|nor entities that laugh a billion times|declares entities
file|nor one that names a file|declares entities
deep|nor 200,000 elements in each other|damaged
large|nor 100 MB that take 100 KB|larger than
both|nor two that say different things|several
several|nor two of any other name|several
END
holds "90,000 attributes are none too many" "v['/total'] == 'agree'" attributes.pdf
holds "beside other files the one with the name counts" "e['/total']['text'] == '179.10' and v['/total'] == 'agree' and c == ['attachments']" beside.pdf
holds "in a portfolio one of any name is found" "e['/total']['text'] == '179.10' and c == ['attachments']" portfolio.pdf
holds "other XML is a file that is attached, and no e-invoice" "not e and c == ['attachments']" order.pdf

# --- only in /AF of the catalogue
einvoice pdf related.pdf --scan --related factur-x.xml=en16931.xml
einvoice pdf related-other-name.pdf --scan --related 'Rechnung 0815.xml=en16931.xml'
einvoice pdf related-two.pdf --scan --related first.xml=en16931.xml second.xml=other.xml
einvoice pdf related-cut.pdf --scan --related factur-x.xml=cut.xml
einvoice pdf related-photo.pdf --related photo.png=bytes:5000 factur-x.xml=en16931.xml
extract right related.pdf related-other-name.pdf related-two.pdf related-cut.pdf related-photo.pdf; last=right-$n
for file in related related-other-name; do holds "$file: an e-invoice that only /AF names is found" "v['/total'] == 'agree' and e['/total']['text'] == '179.10' and c in ([], ['low-confidence'])" $file.pdf; done
holds "two of them count as none, and are named" "not e and any(x['code'] == 'e-invoice-unread' and 'several' in x['text'] for x in w)" related-two.pdf
holds "a damaged one is named" "not e and any(x['code'] == 'e-invoice-unread' and 'damaged' in x['text'] for x in w)" related-cut.pdf
holds "another file beside it is named" "e['/total']['text'] == '179.10' and c == ['attachments']" related-photo.pdf

# --- in something else
python3 - scan.pdf mail.eml << 'PY'
import sys
from email.message import EmailMessage
m = EmailMessage()
m['From'], m['Subject'] = 'a@example.org', 'invoice'
m.set_content('attached')
m.add_attachment(open(sys.argv[1], 'rb').read(), maintype='application', subtype='pdf', filename='invoice.pdf')
open(sys.argv[2], 'wb').write(m.as_bytes())
PY
"$platen" extract mail.eml --schema "$root/schemas/invoice.schema.json" --engine endpoint --endpoint "$(cat right)" --out mailed 2> record.err
cp mailed/mail-1.json record; holds "one of a PDF in an e-mail confirms, and is no document" "v['/total'] == 'agree' and '/total' in e and 'attachments' not in c and len(__import__('os').listdir('mailed')) == 1"
"$platen" extract scan.pdf --schema "$root/schemas/invoice.schema.json" --engine endpoint --endpoint "$(cat right)" --out whole --attachments read 2> record.err
cp whole/scan.json record; holds "with attachments = read it is none either" "v['/total'] == 'agree' and '/total' in e and 'part' not in r"
exit $failed
