#!/usr/bin/env bash
# archive.sh: what earlier documents say: the same invoice as other bytes, a changed account, who reviewed it, what
# outlives prune, what is forgotten, and all of that when many arrive at once.
set -u
subject='archive: '
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
command -v python3 > /dev/null || { echo "skip - archive: python3 is not here"; exit 0; }
einvoice() { python3 "$root/tests/support/einvoice.py" xml "$@"; }
is() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2, wanted $3: $(tail -3 err)"; }
has() { grep -q -- "$2" out && ok "$1" || bad "$1" "$(cat out err)"; }
p() { "$platen" "$@" > out 2> err; }
mkdir schemas
python3 - "$root/schemas/invoice.schema.json" << 'PY'
import json, sys
schema = json.load(open(sys.argv[1]))
json.dump(schema, open("schemas/plain.schema.json", "w"))
schema["x-platen-check"] += [{"unique": ["/seller/name", "/invoice_number", "/total"]},
                             {"same": ["/iban", "/currency"], "by": "/seller/name"}]
json.dump(schema, open("schemas/invoice.schema.json", "w"))
for name, wrong in (("star", {"unique": ["/items/*/amount"]}), ("none", {"unique": ["/nothing"]}),
                    ("alone", {"same": ["/iban"]}), ("both", {"unique": ["/iban"], "by": "/seller/name"}),
                    ("object", {"unique": ["/seller"]}), ("empty", {"unique": []})):
    schema["x-platen-check"] = [wrong]
    json.dump(schema, open("wrong-%s.schema.json" % name, "w"))
PY
for name in star none alone both object empty; do
    p schema check wrong-$name.schema.json && bad "a wrong check is refused: $name" "$(cat out err)"
    grep -q 'x-platen-check/0: ' out err || bad "and it says where: $name" "$(cat out err)"
done
ok "wrong checks are refused with their place"
export PLATEN_ENGINE=null PLATEN_SCHEMAS=$scratch/schemas PLATEN_STABLE_FOR=0 PLATEN_MIN_FREE_SPACE=1 PLATEN_FORMAT=json,xml
run() { "$platen" run "${spool:-s}" -q "$@" > out 2> err; }
# said NAME: codes and pointers of our warnings in the record of NAME, and whether it is for review
said() {
    python3 - "${spool:-s}/out/invoice/$1.json" << 'PY'
import json, sys
r = json.load(open(sys.argv[1]))
print(*["%s %s" % (w["code"], w["pointer"]) for w in r["warnings"] if "e-invoice" not in w["code"]], r["review"])
PY
}
id_of() { basename "$(dirname "$(grep -l "\"$1\"" "${spool:-s}"/*/*/name.json)")"; }
other=DE89370400440532013000 third=DE75512108001245126199
mkdir -p s/in/invoice s/in/plain
einvoice ubl > s/in/plain/plain.xml
run
[ ! -e s/archive.db ] && ok "a schema that asks nothing makes no index" || bad "no index" "$(ls s)"

# --- the same document, a changed account
einvoice ubl > s/in/invoice/a.xml; run
is "the first of a sender" "$(said a)" "False"
einvoice en16931 > s/in/invoice/b.xml; run
is "the same invoice in the other syntax" "$(said b)" "duplicate /invoice_number True"
grep -q "document $(id_of a.xml) has the same" s/out/invoice/b.json && ok "the warning names the earlier document" || bad "earlier id" "$(grep duplicate -A3 s/out/invoice/b.json)"
einvoice ubl number=RE-2 'seller=MULLER & SOHNE' > s/in/invoice/c.xml; run
is "another number is another invoice" "$(said c)" "False"
einvoice ubl number=RE-2 'seller=Müller, Söhne GmbH & Co. KG' payable=179.1 total=179.100 > s/in/invoice/d.xml; run
is "names are compared folded, totals by value" "$(said d)" "duplicate /invoice_number True"
einvoice ubl number=RE-3 iban=$other > s/in/invoice/e.xml; run
is "another account" "$(said e)" "differs-from-earlier /iban True"
grep -q "\\\\\"$other\\\\\" differs from \\\\\"DE02120300000000202051\\\\\", which 4 earlier documents of .* have since $(date -u +%Y)" s/out/invoice/e.json && ok "the warning has the earlier value, how often and since when" || bad "what differs" "$(grep differs -A3 s/out/invoice/e.json)"
p validate s/out/invoice/e.json s/out/invoice/e.xml --schema schemas/invoice.schema.json; is "the record and its XML are valid" "$?" 0
einvoice ubl number=RE-4 iban=$other > s/in/invoice/f.xml; run
is "a change that nobody has reviewed is no reference" "$(said f)" "differs-from-earlier /iban True"
p status s; has "they are counted as for review" '4 need review'

# --- reviewed
"$platen" review s > address 2> err & server=$!
for _ in $(seq 100); do [ -s address ] && break; sleep 0.05; done
base=$(sed 's|/#.*||' address) token=$(sed 's|.*#||' address) id=$(id_of e.xml)
api() { curl -s --max-time 10 -H "X-Platen-Token: $token" -H "Origin: $base" -H 'Content-Type: application/json' "$@" > out; }
api "$base/api/v1/documents/$id/review"; has "the page gets the warning" differs-from-earlier
has "and where to look" '"why": *"differs-from-earlier"'
api -d "{\"version\":0,\"changes\":[{\"pointer\":\"/iban\",\"new\":\"$other\"}]}" "$base/api/v1/documents/$id/corrections"
kill "$server"; wait "$server"
run
is "a confirmed value is no longer for review" "$(said e)" "False"
einvoice ubl number=RE-5 iban=$other > s/in/invoice/g.xml; run
is "and is the new reference" "$(said g)" "False"
einvoice ubl number=RE-6 iban=$third > s/in/invoice/h.xml; run
grep -q "differs from \\\\\"$other\\\\\"" s/out/invoice/h.json && ok "which the next change is compared with" || bad "the new reference" "$(grep differs -A3 s/out/invoice/h.json)"

# --- duplicates = fail
einvoice en16931 > s/in/invoice/i.xml; run --duplicates fail
is "duplicates = fail" "$(ls s/failed | wc -l) $(grep -c '"code": "duplicate"' s/failed/*/reason.json) $(ls s/failed/*/ | grep -c record)" "1 1 0"
p retry s --all; run
is "after a retry with warn it has a record" "$(said i)" "duplicate /invoice_number True"

# --- rebuilt, deleted, damaged
p archive s 'müller söhne ag'; cp out before
has "what is known about a sender" "invoice same /iban by /seller/name: $other, 2 documents"
p archive s; has "all senders" '^Müller.*: 9 documents, '
p archive s Nobody; is "a stranger" "$? $(grep -c 'nothing is known about "Nobody"' err)" "1 1"
p fsck s --rebuild-index; p archive s 'müller söhne'; cmp -s out before && ok "fsck --rebuild-index makes the same" || bad "rebuilt" "$(diff out before)"
rm s/archive.db*; (umask 077; : > s/archive.jsonl) # as a crash leaves it
einvoice en16931 number=RE-3 > s/in/invoice/j.xml; run
is "without an index the records are read again" "$(said j)" "duplicate /invoice_number True"
head -c 9000 /dev/urandom > s/archive.db; rm -f s/archive.db-*; einvoice en16931 number=RE-5 iban=$other > s/in/invoice/k.xml; run
is "and so with a damaged one" "$(said k)" "duplicate /invoice_number True"
is "it is private" "$(stat -c %a s/archive.db)" 600

# --- a document that a person took away
rm -r "s/done/$(id_of b.xml)" "s/done/$(id_of i.xml)" "s/done/$(id_of a.xml)"
einvoice ubl > s/in/invoice/a2.xml; run
is "what a person took from done/ is not known" "$(said a2)" "False"

# --- pruned
touch -d '100 days ago' s/done/*/delivered; p prune s --done-older 90d --force
is "after prune done/ is empty" "$(ls s/done | wc -l)" 0
is "and what it knew is kept, privately" "$(stat -c %a s/archive.jsonl)" 600
einvoice ubl number=RE-P > s/in/invoice/p.xml; run
touch -d '100 days ago' s/done/*/delivered
PYTHONPATH=$root/tests/support python3 - "$platen" s << 'PY' > out 2> err
import sys
from pathlib import Path
from spool_client import Server
server = Server(sys.argv[1], Path(sys.argv[2]))
server.bearer = server.token("adminer", "admin")
print(server("POST", "/prune", {"days": 90}).json)
server.stop()
PY
has "the page prunes, too" "'documents': 1"
einvoice en16931 number=RE-P > s/in/invoice/p2.xml; run
is "and keeps what it knew" "$(said p2)" "duplicate /invoice_number True"
printf '{"id":"2026' >> s/archive.jsonl
for how in kept rebuilt; do
    [ $how = rebuilt ] && rm s/archive.db*
    einvoice en16931 > s/in/invoice/$how.xml; run
    is "a duplicate of a pruned document: $how" "$(said $how)" "duplicate /invoice_number True"
done

# --- forgotten
einvoice ubl seller=Other > s/in/invoice/other.xml; run
p archive s --forget 'MÜLLER & SÖHNE gmbh'; is "a sender is forgotten" "$?" 0
grep -qi 'ller' s/archive.jsonl && bad "its name is gone" "$(cat s/archive.jsonl)" || ok "its name is gone"
p fsck s --rebuild-index; p archive s; cp out all
is "a rebuild respects it" "$(cat all | cut -d: -f1)" "Other"
einvoice ubl number=RE-9 iban=$third > s/in/invoice/new.xml; run; p archive s 'Müller Söhne'
has "later documents are known again" "/iban by /seller/name: $third, 1 document"

# --- earlier records of a schema that asks for the first time
spool=new; mkdir -p new/in/invoice
PLATEN_SCHEMAS=$root/schemas; einvoice ubl > new/in/invoice/a.xml; run
PLATEN_SCHEMAS=$scratch/schemas; einvoice en16931 > new/in/invoice/b.xml; run
is "records from before the schema asked" "$(said b)" "duplicate /invoice_number True"

# --- what a person enters is compared, too
spool=typed; mkdir -p typed/in/invoice
einvoice ubl > typed/in/invoice/a.xml; run
einvoice ubl number=RE-2 > typed/in/invoice/b.xml; run
einvoice ubl number=RE-3 > typed/in/invoice/c.xml; run
is "nothing of what was read differs" "$(said b) $(said c)" "False False"
: > address; "$platen" review typed > address 2> err & server=$!
for _ in $(seq 400); do [ -s address ] && break; sleep 0.05; done
base=$(sed 's|/#.*||' address) token=$(sed 's|.*#||' address)
correct() { # correct NAME VERSION POINTER VALUE
    api -d "{\"version\":$2,\"changes\":[{\"pointer\":\"$3\",\"new\":\"$4\"}]}" "$base/api/v1/documents/$(id_of "$1")/corrections"
    cp out answer; run; cp answer out
}
correct b.xml 0 /iban $other
is "an account that a person enters is compared" "$(said b)" "differs-from-earlier /iban True"
grep -q "$other.* differs from .*DE02120300000000202051.*, which 2 earlier documents" typed/out/invoice/b.json && ok "with all others, also later ones" || bad "with all others" "$(grep -A3 differs typed/out/invoice/b.json)"
run; run; is "once" "$(said b) $(wc -l < "typed/done/$(id_of b.xml)/review.jsonl")" "differs-from-earlier /iban True 2"
api "$base/api/v1/documents/$(id_of b.xml)/review"; has "the page asks for it again" '"why": *"differs-from-earlier"'
has "as if nobody had entered it" '"said":\[\]'
einvoice ubl number=RE-4 iban=$other > typed/in/invoice/d.xml; run
is "until then it is no reference" "$(said d)" "differs-from-earlier /iban True"
correct b.xml 1 /iban $other; has "who has not seen it confirms nothing" '"code":"changed".*"who":"platen"'
correct b.xml 2 /iban $other; is "confirmed, it is known" "$(said b)" "False"
einvoice ubl number=RE-5 iban=$other > typed/in/invoice/e.xml; run
is "and is the new reference" "$(said e)" "False"
correct c.xml 0 /invoice_number RE-2
is "a number that a person enters, too" "$(said c)" "duplicate /invoice_number True"
api -d "{\"version\":2,\"undo\":0}" "$base/api/v1/documents/$(id_of c.xml)/corrections"; run
is "undone, it says nothing" "$(said c)" "False"
kill "$server"; wait "$server"
p fsck typed; is "the spool with such lines is clean" "$?" 0
p archive typed 'Müller Söhne'; cp out before; p fsck typed --rebuild-index; p archive typed 'Müller Söhne'
cmp -s out before && ok "a rebuild makes the same of them" || bad "rebuilt from typed" "$(diff out before)"

# --- many at once: two copies of 20 invoices, by three platens of several workers
spool=many; mkdir -p many/in/invoice
for i in $(seq 20); do
    einvoice ubl number=N-$i seller="Firm $((i % 5))" > many/in/invoice/$i-a.xml
    einvoice en16931 number=N-$i seller="FIRM $((i % 5)) AG" > many/in/invoice/$i-b.xml
done
for _ in 1 2 3; do "$platen" run many -q --jobs 4 > /dev/null 2>> err & done
wait
is "each is done" "$(ls many/done | wc -l)" 40
for i in $(seq 20); do echo "$(said $i-a) $(said $i-b)"; done | sort | uniq -c | sort -n > pairs
is "of each pair that arrives at once, one is a duplicate" "$(grep -c -v 'False duplicate /invoice_number True\|duplicate /invoice_number True False' pairs)" 0
p fsck many; is "and the spool is clean" "$?" 0
[ $failed = 0 ]
