#!/usr/bin/env bash
# einvoice_mutants.sh [N]: N (400) e-invoices in which values are doubled, removed,
# exchanged or changed: what each has is in its record, or named, or the file fails.
set -u
subject="e-invoice mutants: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
command -v python3 > /dev/null || { echo "skip - e-invoice mutants: python3 is not here"; exit 0; }
for profile in ubl credit en16931 extended; do python3 "$root/tests/support/einvoice.py" xml $profile > $profile.xml; done
python3 "$root/tests/support/einvoice.py" pdf hours.pdf
python3 "$root/tests/support/einvoice_variants.py" || exit 1
mutants=$root/tests/support/einvoice_mutants.py
python3 "$mutants" make made "${1:-400}" ubl.xml credit.xml en16931.xml extended.xml v-ubl-both.xml v-en16931-both.xml v-en16931-line-both.xml v-ubl-sbdh.xml
"$platen" extract made/*.xml --schema "$root/schemas/invoice.schema.json" --engine null --out read > /dev/null 2> read.err
python3 "$mutants" check made read read.err > found.txt && ok "$(tail -1 found.txt)" || bad "$(tail -1 found.txt)" "$(head -5 found.txt | cut -c1-300)"
exit $failed
