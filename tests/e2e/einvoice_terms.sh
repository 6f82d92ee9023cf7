#!/usr/bin/env bash
# einvoice_terms.sh: an e-invoice in XML that says more than the plain one: several
# values of a term, amounts between the lines and the payment, lines that are none,
# envelopes, files inside, other formats. Nothing of it is taken for the plain one.
set -u
subject="e-invoice terms: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
command -v python3 > /dev/null || { echo "skip - e-invoice terms: python3 is not here"; exit 0; }
einvoice() { python3 "$root/tests/support/einvoice.py" "$@"; }
for profile in ubl credit en16931 extended minimum basicwl; do einvoice xml $profile > $profile.xml; done
einvoice pdf hours.pdf
python3 "$root/tests/support/einvoice_variants.py" || exit 1
cat > plain.schema.json << 'END'
{"title":"Invoice","type":"object","additionalProperties":false,"required":["total","items"],"properties":{"total":{"type":["number","null"]},"due_date":{"type":["string","null"]},
"items":{"type":"array","items":{"type":"object","properties":{"description":{"type":["string","null"]},"amount":{"type":["number","null"]}}}}},
"x-platen-check":[{"sum":"/items/*/amount","equals":"/total","tolerance":"1000"}]}
END
# an endpoint where nobody listens: whoever asks a model fails
read_all() { # read_all OUT SCHEMA FILE... [OPTION...]
    local out=$1 schema=$2
    shift 2
    "$platen" extract "$@" --schema "$schema" --engine endpoint --endpoint http://127.0.0.1:9 --out "$out" > /dev/null 2> "$out.err"
}
holds() { # holds WHAT RECORD EXPRESSION: of its data d, fields f, warnings w as (code, pointer, text), codes c
    python3 - "$2" "$3" << 'PY' 2> holds.err && ok "$1" || bad "$1" "$(tail -1 holds.err | cut -c1-700)"
import json, sys
r = json.load(open(sys.argv[1]))
d, f, w = r["data"], r["fields"], [(x["code"], x.get("pointer"), x["text"]) for x in r["warnings"]]
c = {x[0] for x in w} - {"e-invoice-lacks", "e-invoice-unmapped"}
assert eval(sys.argv[2]), (sys.argv[2], d, w)
PY
}
read_all built "$root/schemas/invoice.schema.json" v-*.xml
read_all own plain.schema.json v-ubl-prepaid.xml v-extended-groups.xml ubl.xml

# --- several values of a term
while IFS='|' read -r name pointer first second; do
    holds "$name: both are named, and neither is sure" built/v-$name.json \
        "r['review'] and c - {'credit-note', 'check-failed'} == {'e-invoice-several', 'low-confidence'} and any(x[0] == 'e-invoice-several' and x[1] == '$pointer' and '\"$first\"' in x[2] and '\"$second\"' in x[2] for x in w) and f['$pointer']['confidence'] <= 0.5 and [x['text'] for x in f['$pointer']['evidence']][:2] == ['$first', '$second']"
done << 'END'
ubl-due|/due_date|2026-12-05|2026-11-15
credit-due|/due_date|2026-12-05|2026-11-15
en16931-terms|/due_date|2026-11-15|2026-12-05
ubl-accounts|/iban|DE02120300000000202051|DE02500105170137075030
en16931-accounts|/iban|DE02120300000000202051|DE02500105170137075030
ubl-number|/invoice_number|RE-2026/0815|RE-9
en16931-number|/invoice_number|RE-2026/0815|RE-9
ubl-total|/total|179.10|180.00
ubl-line-amount|/items/0/amount|120.00|121.00
en16931-name|/seller/name|Müller & Söhne GmbH|Meier KG
END
holds "two payments to one account are none" built/v-ubl-account-twice.json "not r['review'] and not c and d['iban'] == 'DE02120300000000202051'"
holds "nor are two forms of a number" built/v-ubl-total-same.json "not r['review'] and not c"
holds "of a third account, the first and the third are named" built/v-ubl-accounts-three.json "len([x for x in w if x[0] == 'e-invoice-several']) == 2 and len(f['/iban']['evidence']) == 3"

# --- amounts between the lines and the payment: fields of the built-in schema, checks that hold
while IFS='|' read -r name values; do
    for syntax in ubl en16931 credit; do
        holds "$syntax with $name: no alarm" built/v-$syntax-$name.json \
            "c <= {'credit-note'} and r['review'] == ('$syntax' == 'credit') and {k: d[k] for k in dict($values)} == dict($values)"
    done
done << 'END'
prepaid|total=179.10, prepaid=100.00, amount_due=79.10
paid|total=179.10, prepaid=179.10, amount_due=0
rounding|total=179.10, rounding=-0.10, amount_due=179.00
prepaid-rounding|total=179.10, prepaid=79.13, rounding=0.03, amount_due=100.00
freight|subtotal=160.50, charges=10.00, total=189.10, amount_due=189.10
discount|subtotal=140.50, allowances=10.00, total=169.10
both|subtotal=145.50, allowances=10.00, charges=5.00, prepaid=50.00, amount_due=124.10
line-discount|subtotal=140.50, total=169.10
line-charge|subtotal=155.50, total=184.10
line-both|subtotal=145.50, total=174.10
dozen|subtotal=150.50
seven|subtotal=150.50
thousand|subtotal=150.50
END
holds "a price for a dozen is that of one" built/v-ubl-dozen.json "abs(d['items'][0]['unit_price'] * 1.5 - 120) < 1e-6 and [x['term'] for x in f['/items/0/unit_price']['evidence']] == ['BT-146', 'BT-149']"
holds "a wrong amount of a line with a discount is none that the discount explains" built/v-ubl-line-wrong.json "'check-failed' in c and r['review']"
holds "a wrong net amount is none that a charge explains" built/v-ubl-freight-wrong.json "'check-failed' in c and r['review']"
holds "a schema without a field for the amount to pay: both are named" own/v-ubl-prepaid.json \
    "r['review'] and any(x[0] == 'e-invoice-several' and x[1] == '/total' and '\"179.10\" (BT-112) and \"79.10\" (BT-115)' in x[2] for x in w) and f['/total']['confidence'] <= 0.5"
holds "where it is the total nothing is said" own/ubl.json "not r['review'] and not c"

# --- lines that are no lines, and no lines at all
for record in built own; do
    holds "headings and remarks of EXTENDED are no items ($record)" $record/v-extended-groups.json \
        "[x['amount'] for x in d['items']] == [120.00, 30.50] and not r['review'] and any('LineStatusReasonCode' in x[2] or 'LineID' in x[2] for x in w if x[0] == 'e-invoice-unmapped')"
done
for name in ubl-no-lines en16931-no-lines; do
    holds "$name: incomplete" built/v-$name.json "r['review'] and ('e-invoice-incomplete', '/items') in [x[:2] for x in w] and d['items'] == []"
done
read_all none "$root/schemas/invoice.schema.json" minimum.xml basicwl.xml
for profile in minimum basicwl; do holds "$profile has no lines: incomplete" none/$profile.json "r['review'] and 'e-invoice-incomplete' in c"; done

# --- envelopes
for name in sbdh wrapped; do
    for syntax in ubl en16931; do
        holds "$syntax in an envelope ($name): read, with the path in it" built/v-$syntax-$name.json \
            "not r['review'] and d['total'] == 179.10 and f['/total']['evidence'][0]['xpath'].startswith('/') and f['/total']['evidence'][0]['xpath'].split('/')[1].split(':')[-1] in ('StandardBusinessDocument', 'Envelope')"
    done
done
fails() { # fails WHAT FILE CODE TEXT
    "$platen" extract "$2" --schema "$root/schemas/invoice.schema.json" --engine null > out.json 2> out.err && bad "$1" "it did not fail"
    grep -qF "[$3]" out.err && grep -qF "$4" out.err && ok "$1" || bad "$1" "$(cut -c1-500 out.err)"
}
fails "an envelope with two is named" w-two-in-envelope.xml not-e-invoice "an envelope with 2 invoices"

# --- other formats are named
while IFS='|' read -r file words; do fails "$file: $words" w-$file.xml not-e-invoice "$words"; done << 'END'
fatturapa|a FatturaPA invoice (Italy)
facturae|a Facturae invoice (Spain)
ksef|a KSeF invoice (Poland)
ebinterface|an ebInterface invoice (Austria)
finvoice|a Finvoice invoice (Finland)
cfdi|a CFDI invoice (Mexico)
END
fails "a signed file is named, with the way to its content" w-signed.p7m unknown-type "openssl cms -verify"

# --- encodings that the bytes contradict
for name in utf16-declared ucs2-declared bom-latin1-declared wide-utf8-declared; do
    holds "$name: the bytes decide" built/v-$name.json "d['seller']['name'] == 'Müller & Söhne GmbH' and not r['review']"
done
fails "Latin-1 that declares nothing: the reason" w-latin1.xml damaged "UTF-8"

# --- files inside an e-invoice
read_all files "$root/schemas/invoice.schema.json" v-ubl-files.xml v-en16931-files.xml
for syntax in ubl en16931; do
    holds "$syntax: files inside are named" files/v-$syntax-files.json "r['review'] and any(x[0] == 'attachments' and 'hours.pdf' in x[2] for x in w) and any(x[0] == 'attachments' and 'table.xlsx' in x[2] for x in w)"
    "$platen" extract v-$syntax-files.xml --schema "$root/schemas/invoice.schema.json" --engine null --attachments read --out read-$syntax > /dev/null 2> read.err
    holds "$syntax: with attachments = read a PDF inside is a document" read-$syntax/v-$syntax-files-2.json "r['part']['attachment'] == 'hours.pdf' and r['source']['type'] == 'PDF' and r['source']['pages'] == 1"
    holds "$syntax: what is no document is still named" read-$syntax/v-$syntax-files-1.json "d['total'] == 179.10 and r['review'] and any('table.xlsx' in x[2] for x in w) and not any('hours.pdf' in x[2] for x in w)"
done
exit $failed
