# archive.sh - for kill.sh: e-invoices under a schema that asks about earlier documents. One is in
# done/; two in in/ are the same in both syntaxes, one has another account.
mkdir -p "$scratch/schemas"
python3 - "$root/schemas/invoice.schema.json" > "$scratch/schemas/faults.schema.json" << 'PY'
import json, sys
schema = json.load(open(sys.argv[1]))
schema["x-platen-check"] = [{"unique": ["/seller/name", "/invoice_number", "/total"]},
                            {"same": ["/iban"], "by": "/seller/name"}]
json.dump(schema, sys.stdout)
PY
options=(--engine null --stable-for 0 --schemas "$scratch/schemas" --quiet --min-free-space 1)
names='[a-d]\.xml'

make_spool() {
    local in=$1/in/faults invoice=$root/tests/support/einvoice.py
    mkdir -p "$in"
    python3 "$invoice" xml ubl > "$in/a.xml"
    "$platen" run "$1" "${options[@]}" > /dev/null 2>&1
    python3 "$invoice" xml ubl number=RE-2 > "$in/b.xml"
    python3 "$invoice" xml en16931 number=RE-2 > "$in/c.xml"
    python3 "$invoice" xml ubl number=RE-3 iban=DE89370400440532013000 > "$in/d.xml"
}
expected() { hashes_of "$1"/in/faults/* "$1"/done/*/doc; }

# check SPOOL HASHES [strict]: each document once; of the two one is a duplicate; the other account
# differs; the index is what a rebuild makes.
check() {
    local spool=$1 wanted=$2 how=${3:-} found left
    shopt -s nullglob dotglob
    found=$(sha256sum "$spool"/{done,failed}/*/doc < /dev/null 2> /dev/null | cut -c1-64 | sort)
    [ "$found" = "$wanted" ] || { echo "documents are not each once in done/ or failed/"; return 1; }
    left=("$spool"/in/!(faults|.|..) "$spool"/in/faults/* "$spool"/work/*)
    [ ${#left[@]} = 0 ] || { echo "something is left in in/ or work/: ${left[0]}"; return 1; }
    "$platen" fsck "$spool" > "$scratch/fsck" 2>&1 || { grep fault: "$scratch/fsck" | head -3; return 1; }
    [ "$how" = strict ] || return 0
    left=("$spool"/done/*)
    [ ${#left[@]} = 4 ] || { echo "a document has failed: $(cat "$spool"/failed/*/reason.json)"; return 1; }
    found=$(grep -lE '"code": ?"duplicate"' "$spool"/done/*/record.json | wc -l)
    [ "$found" = 1 ] || { echo "$found duplicates, want one"; return 1; }
    found=$(grep -lE '"code": ?"differs-from-earlier"' "$spool"/done/*/record.json | wc -l)
    [ "$found" = 1 ] || { echo "$found other accounts, want one"; return 1; }
    "$platen" archive "$spool" 'Müller & Söhne' > "$scratch/known" 2>&1
    "$platen" fsck "$spool" --quick --rebuild-index --schemas "$scratch/schemas" > /dev/null 2>&1
    "$platen" archive "$spool" 'Müller & Söhne' > "$scratch/rebuilt" 2>&1
    cmp -s "$scratch/known" "$scratch/rebuilt" || { echo "the index is wrong: $(diff "$scratch/known" "$scratch/rebuilt" | head -3)"; return 1; }
}
