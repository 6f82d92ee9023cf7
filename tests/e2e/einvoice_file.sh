#!/usr/bin/env bash
# einvoice_file.sh: an e-invoice in an XML file (UBL 2.1, Cross Industry Invoice)
# becomes a record without a model; other XML fails and says what was expected.
set -u
subject="e-invoice file: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
command -v python3 > /dev/null || { echo "skip - e-invoice file: python3 is not here"; exit 0; }
einvoice() { python3 "$root/tests/support/einvoice.py" "$@"; }
invoice=$root/schemas/invoice.schema.json
# an endpoint where nobody listens: whoever asks a model fails
extract() { "$platen" extract "$@" --engine endpoint --endpoint http://127.0.0.1:9 > out.json 2> out.err; }
holds() { # holds WHAT EXPRESSION [RECORD]: of its record r, data d, fields f, warnings w, their codes c
    python3 - "${3:-out.json}" "$2" << 'PY' 2> holds.err && ok "$1" || bad "$1" "$(tail -1 holds.err | cut -c1-800) $(tail -2 out.err)"
import json, sys
r = json.load(open(sys.argv[1]))
d, f, w = r["data"], r["fields"], {x["code"]: x["text"] for x in r["warnings"]}
c = [x["code"] for x in r["warnings"]]
assert eval(sys.argv[2]), (sys.argv[2], d, w)
PY
}
fails() { # fails WHAT FILE CODE TEXT
    extract "$2" --schema "${schema:-$invoice}" && bad "$1" "it did not fail"
    grep -qF "[$3]" out.err && grep -qF "$4" out.err && ok "$1" || bad "$1" "$(cut -c1-600 out.err)"
}

# --- both syntaxes, one record
einvoice answer > answer.json
for profile in ubl en16931 extended zugferd1 credit; do
    einvoice xml $profile > $profile.xml
    extract $profile.xml --schema "$invoice"
    holds "$profile: every value, no model, the verdict read" \
        "d == dict(json.load(open('answer.json')), allowances=None, charges=None, prepaid=None, rounding=None, amount_due=179.1, seller=dict(name='Müller & Söhne GmbH', address='Weg 1, 10115 Berlin, DE', tax_id='DE123456788'), buyer=dict(name='Kunde AG', address='Weg 1, 10115 Berlin, DE', tax_id=None)) and r['engine'] == 'e-invoice' and r['verdict'] == 'read' and r['attempts'] == 0 and r['pages'] == [] and r['source']['type'] == 'XML' and r['source']['pages'] == 0 and 'sha256' not in r['model']"
    [ $profile = credit ] || holds "$profile: nothing for a person to check" "not r['review'] and w['e-invoice-lacks'].endswith('no value for: /buyer/tax_id, /allowances, /charges, /prepaid, /rounding')"
done
holds "a credit note is for a person" "r['review'] and 'BT-3 is 381' in w['credit-note'] and 'BT-3' not in w['e-invoice-unmapped'].replace('BT-32', '')"
sed 's|<cbc:ID>RE-2026/0815</cbc:ID>||; s|<cbc:LineExtensionAmount[^>]*>[^<]*</cbc:LineExtensionAmount>||2; s|<cbc:DueDate>[^<]*</cbc:DueDate>||' ubl.xml > poor.xml
extract poor.xml --schema "$invoice"
holds "a value that EN 16931 requires of every invoice is missing: for a person" \
    "r['review'] and d['invoice_number'] is d['due_date'] is None and [(x['pointer'], x['text'].split('BT-')[1][:4]) for x in r['warnings'] if x['code'] == 'e-invoice-incomplete'] == [('/invoice_number', '1, w'), ('/items/0/amount', '131,')] and '/due_date' in w['e-invoice-lacks']"
extract ubl.xml --schema "$invoice"
holds "the evidence is the XPath" \
    "f['/total'] == {'confidence': 1.0, 'evidence': [{'text': '179.10', 'source': 'e-invoice', 'match': 'exact', 'term': 'BT-112', 'xpath': '/Invoice/cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount'}]} and f['/items/1/amount']['evidence'][0]['xpath'] == '/Invoice/cac:InvoiceLine[2]/cbc:LineExtensionAmount' and len(f['/seller/address']['evidence']) == 4 and 'evidence' not in f['/buyer/tax_id']"
python3 - << 'PY' && ok "each XPath finds its value" || bad "each XPath finds its value" "see above"
import json, re, sys
import xml.etree.ElementTree as E
spaces = dict(n for _, n in E.iterparse("ubl.xml", events=["start-ns"]) if n[0])
root = E.parse("ubl.xml").getroot()
for name, field in json.load(open("out.json"))["fields"].items():
    for one in field.get("evidence", []):
        found = root.findall("." + re.sub(r"^/\w+", "", one["xpath"]), spaces)
        if [x.text for x in found] != [one["text"]]:
            sys.exit("%s: %s has %s" % (name, one["xpath"], [x.text for x in found]))
PY
"$platen" extract ubl.xml --schema "$invoice" --engine null --out xml --format xml 2> out.err &&
    "$platen" validate xml/ubl.xml --schema "$invoice" > valid.txt && grep -q 'xpath="/Invoice/cbc:ID"' xml/ubl.xml &&
    ok "the record in XML has it, too, and is valid" || bad "the record in XML has it, too, and is valid" "$(cat out.err valid.txt) $(ls xml)"

"$platen" extract ubl.xml --schema "$invoice" --engine null --out words --format json,pdf,hocr,alto 2> out.err
[ $? = 0 ] && [ "$(ls words)" = ubl.json ] && ok "without pages it has no searchable files, and its record" || bad "no searchable files" "$(ls words) $(cat out.err)"
python3 - << 'END'
from email.message import EmailMessage
m = EmailMessage()
m['From'], m['Subject'], m['Message-ID'] = 'a@example.com', 'Invoice', '<1@example.com>'
m.set_content('attached')
m.add_attachment(open('ubl.xml', 'rb').read(), maintype='application', subtype='xml', filename='invoice.xml')
open('letter.eml', 'wb').write(bytes(m))
END
"$platen" extract letter.eml --schema "$invoice" --engine null --out letter 2> out.err
[ $? = 0 ] && grep -q '"engine": "e-invoice"' letter/letter-1.json && grep -q '"from": "a@example.com"' letter/letter-1.json &&
    ok "attached to an e-mail it is read, too" || bad "attached to an e-mail" "$(ls letter) $(cat out.err)"
mkdir same && cp ubl.xml same && "$platen" extract same/ubl.xml --schema "$invoice" --engine null --out same --format xml 2> out.err
[ $? = 1 ] && cmp -s ubl.xml same/ubl.xml && grep -q 'choose another folder' out.err && ok "a record does not replace the e-invoice" || bad "a record does not replace the e-invoice" "$(cat out.err)"

# --- the test suite of XRechnung: the same invoices in both
corpus=${PLATEN_SHARED:-$root/../shared}/corpus/einvoice
if [ -d "$corpus" ]; then
    "$platen" extract "$corpus"/*.xml --schema "$invoice" --engine null --out suite 2> out.err
    python3 - << 'PY' > suite.txt && ok "$(cat suite.txt)" || bad "invoices in UBL and CII give the same record" "$(tail -3 suite.txt)"
import glob, json, sys
n, same = 0, lambda x: json.load(open(x))
for one in sorted(glob.glob("suite/*_ubl.json")):
    a, b = same(one), same(one.replace("_ubl", "_uncefact"))
    for r in a, b:
        r["terms"] = [(k, [e["term"] for e in v.get("evidence", [])]) for k, v in r["fields"].items()]
        r["lacks"] = [w for w in r["warnings"] if w["code"] != "e-invoice-unmapped"]
    for key in "data", "terms", "lacks", "verdict", "review":
        if a[key] != b[key]:
            sys.exit("%s: %s: %s and %s" % (one, key, a[key], b[key]))
    asks = {w["code"] for w in a["warnings"]} & {"check-failed", "e-invoice-unfit", "e-invoice-incomplete", "content-unread", "attachments"}
    several = [w for w in a["warnings"] if w["code"] == "e-invoice-several" and w["pointer"] == "/iban"] # four have two or three accounts
    n += a["verdict"] == "read" and not asks and bool(several) == a["review"]
print("%d invoices of the XRechnung suite give the same record in UBL and in CII" % n)
sys.exit(n != 10)
PY
else
    echo "skip - e-invoice file: the XRechnung suite is not here"
fi

# --- several taxes, allowances and charges, attachments, price for 100
python3 - << 'PY'
text = open("ubl.xml").read()
allowance = lambda charge, amount, why: ("<cac:AllowanceCharge><cbc:ChargeIndicator>%s</cbc:ChargeIndicator><cbc:AllowanceChargeReason>%s"
    "</cbc:AllowanceChargeReason><cbc:Amount currencyID='EUR'>%s</cbc:Amount></cac:AllowanceCharge>" % (charge, why, amount))
rate = lambda base, amount, percent: ("<cac:TaxSubtotal><cbc:TaxableAmount currencyID='EUR'>%s</cbc:TaxableAmount><cbc:TaxAmount currencyID='EUR'>%s"
    "</cbc:TaxAmount><cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>%s</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal>" % (base, amount, percent))
text = text.replace("<cac:TaxTotal>", allowance("false", "10.00", "Treue") + allowance("true", "5.00", "Fracht") + "<cac:TaxTotal>")
text = text.replace("</cac:TaxTotal>", rate("100.00", "19.00", "19") + rate("50.50", "3.54", "7.0") + "</cac:TaxTotal>")
text = text.replace("<cac:AccountingSupplierParty>", "<cac:AdditionalDocumentReference><cbc:ID>A1</cbc:ID><cac:Attachment>"
    "<cbc:EmbeddedDocumentBinaryObject mimeCode='application/pdf' filename='hours.pdf'>JVBERi0=</cbc:EmbeddedDocumentBinaryObject></cac:Attachment>"
    "</cac:AdditionalDocumentReference><cac:AdditionalDocumentReference><cbc:ID>A2</cbc:ID></cac:AdditionalDocumentReference>"
    "<cbc:House>7</cbc:House><cac:AccountingSupplierParty>", 1)
text = text.replace("80.0000</cbc:PriceAmount>", "8000.00</cbc:PriceAmount><cbc:BaseQuantity>100.0</cbc:BaseQuantity>")
open("rich.xml", "w").write(text)
PY
cat > rich.schema.json << 'END'
{"title":"Rechnung","type":"object","additionalProperties":false,"required":["Rechnungsnummer","brutto","taxes","discounts","positionen"],"properties":{
"Rechnungsnummer":{"type":"string"},"brutto":{"type":"string"},"iban":{"type":"string","pattern":"^FR"},"weight":{"type":"number"},
"payments":{"type":"array","items":{"type":"object","properties":{"amount":{"type":["number","null"]},"date":{"type":["string","null"]}}}},
"charges":{"type":"array","items":{"type":"object","properties":{"description":{"type":"string"},"amount":{"type":"number"}}}},
"taxes":{"type":"array","items":{"type":"object","properties":{"rate":{"type":"number"},"net_amount":{"type":["number","null"]},"amount":{"type":"number"}}}},
"discounts":{"type":"array","items":{"type":"object","properties":{"description":{"type":"string"},"amount":{"type":"number"}}}},
"positionen":{"type":"array","items":{"type":"object","required":["menge","einzelpreis"],"properties":{"menge":{"type":["number","null"]},"einzelpreis":{"type":["number","null"]}}}}}}
END
extract rich.xml --schema rich.schema.json
holds "several taxes, allowances and charges are rows, and no other array is" \
    "d['taxes'] == [{'rate': 19, 'net_amount': 100, 'amount': 19}, {'rate': 7.0, 'net_amount': 50.5, 'amount': 3.54}] and d['discounts'] == [{'description': 'Treue', 'amount': 10}] and d['charges'] == [{'description': 'Fracht', 'amount': 5}] and d['payments'] == [] and f['/taxes/1/rate']['evidence'][0]['xpath'] == '/Invoice/cac:TaxTotal/cac:TaxSubtotal[2]/cac:TaxCategory/cbc:Percent'"
holds "a price for 100 is divided" "d['positionen'][0] == {'menge': 1.5, 'einzelpreis': 80.0}"
holds "a number is a text where the schema wants one, and what may be left out is" "d['brutto'] == '179.10' and 'weight' not in d and '/weight' not in f"
holds "a value that the schema does not allow is for a person" "'iban' not in d and r['review'] and any(x.get('pointer') == '/iban' and x['code'] == 'e-invoice-unfit' and 'DE0212' in x['text'] for x in r['warnings'])"
holds "attachments are named, and a reference is none" "w['attachments'] == 'attached to the e-invoice and not read: hours.pdf' and 'JVBER' not in open('out.json').read()"
holds "terms and elements without a field are listed" "any('BT-3, BT-5, BT-9, BT-27, BT-31' in x['text'] for x in r['warnings']) and any('not of EN 16931, and without a field: 1 value, /Invoice/cbc:House' in x['text'] for x in r['warnings'])"

# --- what is refused, and why
einvoice xml order > order.xml
echo '<svg xmlns="http://www.w3.org/2000/svg"/>' > picture.xml
head -c 900 ubl.xml > cut.xml
printf '<?xml version="1.0"?><!DOCTYPE Invoice [<!ENTITY a "b">]>' > dtd.xml && cat ubl.xml >> dtd.xml
printf '<?xml version="1.0"?><!DOCTYPE Invoice SYSTEM "http://127.0.0.1:9/x.dtd">' > network.xml && cat ubl.xml >> network.xml
{ cat ubl.xml | head -c -12; head -c 4200000 /dev/zero | tr '\0' ' '; echo '</Invoice>'; } > large.xml
printf '<html><head><title>Login</title></head></html>' > login.xml
fails "another kind of XML: what it is and what was expected" order.xml not-e-invoice "Order of the namespace urn:oasis:names:specification:ubl:schema:xsd:Order-2; expected Invoice or CreditNote (UBL 2.1) or CrossIndustryInvoice (CII)"
fails "a picture in XML" picture.xml not-e-invoice "svg"
fails "a web page" login.xml unknown-type "an HTML page, perhaps of a login"
fails "a document type: the reason" dtd.xml not-e-invoice "<!DOCTYPE"
fails "one from the network" network.xml not-e-invoice "<!DOCTYPE"
fails "XML that is cut short: the line" cut.xml damaged "line 1: "
fails "more than 4 MB" large.xml too-large "4194304"
fails "a record that platen wrote" xml/ubl.xml not-e-invoice "a record that platen wrote"
schema=page fails "a schema without a field for it" ubl.xml not-e-invoice "use a schema for invoices"
sed 's/"type": \["string", "null"\],/"type": "string",/' "$invoice" > strict.schema.json
einvoice xml minimum > minimum.xml
schema=strict.schema.json fails "a required value that it lacks, as everywhere" minimum.xml schema-invalid "/due_date: found null"

# --- other encodings: by content, whatever the name is
python3 - << 'PY'
text = open("ubl.xml").read()
open("wide.dat", "wb").write(('<?xml version="1.0" encoding="UTF-16"?>' + text).encode("utf-16"))
open("marked.xml", "wb").write(b"\xef\xbb\xbf \n" + text.encode())
for name in "iso-8859-1", "iso-8859-15", "windows-1252":
    open(name + ".xml", "wb").write(('<?xml version="1.0" encoding="%s"?>' % name + text).encode(name))
PY
for file in wide.dat marked.xml iso-8859-1.xml iso-8859-15.xml windows-1252.xml; do
    extract $file --schema "$invoice"
    holds "$file is read" "d['seller']['name'] == 'Müller & Söhne GmbH'"
done

# --- a hot folder: beside its PDF, with stacks and with the model's choice of the schema
mkdir -p spool/in/invoice
cp ubl.xml order.xml spool/in/invoice/
cp xml/ubl.xml spool/in/invoice/record.xml
cp "$root/samples/other/letter/claim.pdf" spool/in/invoice/ubl.pdf
"$platen" run spool --schemas "$root/schemas" --stable-for 0 --engine null --split barcode > run.txt 2>&1
[ "$(ls spool/out/invoice | wc -l)" = 2 ] && grep -q '2 done, 2 failed' run.txt &&
    ok "in a hot folder, beside the PDF of its name" || bad "in a hot folder, beside the PDF of its name" "$(tail -5 run.txt) $(find spool/out)"
id=$(sed -n 's/^  "id": "\(.*\)",/\1/p' "$(grep -l '"type": "XML"' spool/out/invoice/*)")
"$platen" show spool "$id" -o shown.png 2> show.txt
[ $? = 2 ] && grep -q 'no page to draw' show.txt && [ ! -e shown.png ] && ok "show says that there is no page" || bad "show says that there is no page" "$(cat show.txt)"
"$platen" words ubl.xml > words.txt 2>&1
[ $? = 2 ] && grep -q 'an e-invoice in XML has no pages' words.txt && ok "and so does words" || bad "and so does words" "$(cat words.txt)"
"$platen" ocr ubl.xml > ocr.txt 2>&1
[ $? = 2 ] && grep -q 'use a schema for invoices' ocr.txt && ok "ocr fails, too" || bad "ocr fails, too" "$(cat ocr.txt)"
"$platen" extract ubl.xml --schema "$invoice" --engine null --out pics --show pics > /dev/null 2> out.err && [ "$(ls pics)" = ubl.json ] &&
    ok "extract --show writes its record and no picture" || bad "extract --show writes its record and no picture" "$(cat out.err; ls pics)"
"$platen" extract ubl.xml --schemas "$root/schemas" --schema auto --engine endpoint --endpoint http://127.0.0.1:9 > out.json 2> out.err
holds "schema auto: it is an invoice, and no model is asked" "r['schema']['name'] == 'invoice' and r['classification'] == {'name': 'invoice', 'p': 1.0, 'p_legal': 1.0}"
exit $failed
