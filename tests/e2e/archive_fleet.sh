#!/usr/bin/env bash
# archive_fleet.sh - what earlier documents say, of all spools that feed a fleet: in a real PostgreSQL, by
# several workers and spools at once; killed, the database away, pruned, forgotten, rebuilt.
set -u
subject='archive of a fleet: '
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/postgres.sh"
[ -x "$pg_bin/postgres" ] || { echo "skip - ${subject}PostgreSQL is not installed"; exit 0; }
command -v python3 > /dev/null || { echo "skip - ${subject}python3 is not here"; exit 0; }
trap 'kill $(jobs -p) 2> /dev/null; wait; postgres_end; finish' EXIT
cd "$scratch" || exit 1
mkdir schemas store machine
python3 - "$root/schemas/invoice.schema.json" > schemas/invoice.schema.json << 'PY'
import json, sys
schema = json.load(open(sys.argv[1]))
schema["x-platen-check"] += [{"unique": ["/seller/name", "/invoice_number", "/total"]},
                             {"same": ["/iban"], "by": "/seller/name"}]
json.dump(schema, sys.stdout)
PY
postgres_begin || { bad "PostgreSQL starts" "$pg"; exit 1; }
export PLATEN_ENGINE=null PLATEN_OCR=off PLATEN_SCHEMAS=$scratch/schemas PLATEN_STABLE_FOR=0 PLATEN_MIN_FREE_SPACE=1
"$platen" fleet init --db "$db" --store "$scratch/store" || exit 1
for _ in 1 2 3; do "$platen" fleet work --db "$db" --scratch "$scratch/machine" 2>> worker.log & done
planted=planted-$$-password-abcdefgh
export PLATEN_FLEET="$db password=$planted"
einvoice() { python3 "$root/tests/support/einvoice.py" xml "$@"; }
is() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2, wanted $3: $(tail -3 err)"; }
has() { grep -q -- "$2" out && ok "$1" || bad "$1" "$(cat out err)"; }
p() { "$platen" "$@" > out 2> err; }
run() { timeout 100 "$platen" run "$1" -q "${@:2}" > /dev/null 2>> err; }
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }
asks() { [ "$(sql "$1")" = "$2" ]; }
# said SPOOL NAME: codes and pointers of our warnings in the record of NAME, and whether it is for review
said() {
    python3 - "$1/out/invoice/$2.json" << 'PY'
import json, sys
r = json.load(open(sys.argv[1]))
print(*["%s %s" % (w["code"], w["pointer"]) for w in r["warnings"] if "e-invoice" not in w["code"]], r["review"])
PY
}
id_of() { basename "$(dirname "$(grep -l "\"$2.xml\"" "$1"/*/*/name.json)")"; }
other=DE89370400440532013000 third=DE75512108001245126199
mkdir -p a/in/invoice b/in/invoice

# --- one spool after the other
einvoice ubl > a/in/invoice/a.xml; run a
is "the first of a sender" "$(said a a)" "False"
einvoice en16931 > b/in/invoice/b.xml; run b
is "the same invoice in another spool" "$(said b b)" "duplicate /invoice_number True"
grep -q "document $(id_of a a) has the same" b/out/invoice/b.json && ok "the warning names the other spool's document" || bad "earlier id" "$(grep duplicate -A3 b/out/invoice/b.json)"
einvoice ubl number=RE-2 'seller=MULLER & SOHNE AG' iban=$other > b/in/invoice/c.xml; run b
is "another account" "$(said b c)" "differs-from-earlier /iban True"
grep -q "$other.* differs from .*DE02120300000000202051.*, which 2 earlier documents of .* have since $(date -u +%Y)" b/out/invoice/c.json && ok "with the earlier value, how often and since when" || bad "what differs" "$(grep differs -A3 b/out/invoice/c.json)"
is "no spool and no worker has an index" "$(find . -name 'archive.db*' -o -name archive.jsonl)" ""
p archive a; has "all senders, of both" '^Müller.*: 3 documents, '
einvoice ubl > b/in/invoice/d.xml; run b --duplicates fail
is "duplicates = fail" "$(ls b/failed | wc -l) $(grep -c '"code": "duplicate"' b/failed/*/reason.json)" "1 1"

# --- reviewed in one spool, known in the other
: > address; "$platen" review b > address 2> err & server=$!
wait_for 10 test -s address
base=$(sed 's|/#.*||' address) token=$(sed 's|.*#||' address)
curl -s --max-time 10 -H "X-Platen-Token: $token" -H "Origin: $base" -H 'Content-Type: application/json' \
    -d "{\"version\":0,\"changes\":[{\"pointer\":\"/iban\",\"new\":\"$other\"}]}" "$base/api/v1/documents/$(id_of b c)/corrections" > out
kill "$server"; wait "$server"
is "a confirmed value is no longer for review" "$(said b c)" "False"
einvoice ubl number=RE-3 iban=$other > a/in/invoice/e.xml; run a
is "and is a reference in the other spool" "$(said a e)" "False"

# --- many at once: two copies of 20 invoices, one in each spool, read by three workers, compared by eight
mkdir -p m/in/invoice n/in/invoice
for i in $(seq 20); do
    einvoice ubl number=N-$i seller="Firm $((i % 5))" > m/in/invoice/$i.xml
    einvoice en16931 number=N-$i seller="FIRM $((i % 5)) AG" > n/in/invoice/$i.xml
done
run m --jobs 4 & first=$!; run n --jobs 4; wait $first
is "each is done" "$(ls m/done | wc -l) $(ls n/done | wc -l)" "20 20"
is "each spool has one name in it" "$(sql 'select count(distinct spool) from platen.archive_document')" 4
for i in $(seq 20); do echo "$(said m $i) $(said n $i)"; done > pairs
is "of each pair that arrives at once, one is a duplicate" "$(grep -c -x 'False duplicate /invoice_number True\|duplicate /invoice_number True False' pairs)" 20
known() { for i in 0 1 2 3 4; do "$platen" archive m "Firm $i"; done; }
known > before
for s in m n; do p fsck $s --rebuild-index; done; has "fsck says what it made" "fleet's archive was rebuilt"
known > after; cmp -s before after && ok "a rebuild by each spool makes the same" || bad "rebuilt" "$(diff before after)"

# --- killed while it is compared: one has locked its sender, and waits to note it
held="select count(*) from pg_locks where not granted and relation = 'platen.archive_value'::regclass"
hold() { sql "begin; lock table platen.archive_value in share mode; select pg_sleep(600)" > /dev/null 2>&1 & holder=$!; }
let_go() {
    sql "select pg_cancel_backend(pid) from pg_stat_activity where query ~ 'pg_sleep[(]600' and pid <> pg_backend_pid()" > /dev/null; wait $holder
    wait_for 10 asks "select count(*) from pg_stat_activity where state ~ 'transaction' or wait_event_type = 'Lock'" 0
}
mkdir -p k/in/invoice
einvoice ubl seller=Kestrel > k/in/invoice/first.xml; run k
einvoice ubl number=K-1 seller=Kestrel > k/in/invoice/new.xml
einvoice en16931 number=N-1 seller='Firm 1' > k/in/invoice/again.xml
hold
setsid "$platen" run k -q --jobs 2 > /dev/null 2>> err & run=$!
wait_for 30 asks "$held" 2 && ok "two wait to note what they compare" || bad "two wait to note what they compare" "$(sql 'select query, state from pg_stat_activity')"
"$root/tests/support/memory_scan.py" $run "$planted" > out 2> err; got=$?
if [ $got = 2 ]; then echo "skip - ${subject}who has the password: $(cat err)"; else
    is "the processes that compare have no password" "$(grep -c '^platen-archive clean' out) $(grep -c '^platen-archive' out) $(grep -c '^platen-fleet has it' out)" "2 2 2"
fi
kill -9 -$run; wait $run 2> /dev/null; let_go
is "killed, nothing is noted" "$(sql "select count(*) from platen.archive_value where value ~ '^k1'") $(ls k/work/*/record.json | wc -l)" "0 2"
cp -a k held
run k
wanted="False duplicate /invoice_number True"
is "and it is no duplicate of itself" "$(said k new) $(said k again)" "$wanted"

# --- killed at any step: from there on, on entry to every 40th system call
if command -v strace > /dev/null; then
    rm -rf k; cp -a held k; strace -qq -o calls "$platen" run k -q --in-process > /dev/null 2>> err
    n=0 fired=0 wrong=0
    while read -r most call; do
        for ((i = 1; i <= most; i++)); do
            [ $(((n += 1) % 20)) = 0 ] || continue
            rm -rf k; cp -a held k
            sql "delete from platen.archive_filled where spool = '$(cat k/archive.id)'; delete from platen.archive_document where spool = '$(cat k/archive.id)'; delete from platen.archive_value where seq not in (select seq from platen.archive_document)"
            strace -qq -o /dev/null -e trace="$call" -e "inject=$call:signal=KILL:when=$i" "$platen" run k -q --in-process > /dev/null 2>&1
            [ $? = 137 ] && fired=$((fired + 1))
            run k; got="$(said k new) $(said k again)"
            [ "$got" = "$wanted" ] || { wrong=$((wrong + 1)); echo "# $call $i: $got"; }
        done 2> /dev/null
    done < <(sed -nE 's/^([a-z_0-9]+)\(.*/\1/p' calls | grep -v execve | sort | uniq -c)
    [ $fired -gt 10 ] && [ $wrong = 0 ] && ok "killed at $fired steps, each document is compared as if it had not been" || bad "killed at $fired steps" "$wrong wrong"
    p archive k Kestrel; cp out before; p fsck k --rebuild-index; p archive k Kestrel
    cmp -s out before && ok "and the index is what a rebuild makes" || bad "rebuilt" "$(diff out before)"
fi

# --- the database away: before, and while it is compared
p archive a; postgres_stop
p archive a; is "archive: it says who cannot be reached" "$? $(grep -c fleet-unreachable err)" "3 1"
postgres_start
mkdir -p d/in/invoice; einvoice ubl number=D-1 seller=Dora > d/in/invoice/d.xml
hold; : > err; run d & run=$!
wait_for 30 asks "$held" 1
postgres_stop immediate; wait $run; got=$?; wait $holder
is "the database goes while a document waits to be noted: it waits, and nothing fails" "$got $(ls d/work | wc -l) $(ls d/failed | wc -l) $(grep -c fleet-unreachable err)" "17 1 0 1"
postgres_start
run d; is "it comes back: the document is done, and no duplicate" "$(said d d)" "False"
einvoice en16931 number=D-1 seller=Dora > a/in/invoice/dora.xml; run a
is "and is known" "$(said a dora)" "duplicate /invoice_number True"

# --- taken away, pruned
rm -r "d/done/$(id_of d d)"
einvoice ubl number=D-1 seller=Dora > d/in/invoice/d2.xml; run d
is "what a person took from done/ is not known; its copies elsewhere are" "$(said d d2 | cut -c1-9) $(grep -c "$(id_of a dora)" d/out/invoice/d2.json)" "duplicate 1"
touch -d '100 days ago' a/done/*/delivered; p prune a --done-older 90d --force
is "after prune done/ is empty, and no journal is" "$(ls a/done | wc -l) $(ls a | grep -c archive.jsonl)" "0 0"
for how in kept rebuilt; do
    [ $how = rebuilt ] && p fsck a --rebuild-index
    einvoice en16931 number=RE-3 > b/in/invoice/$how.xml; run b
    is "a duplicate of a pruned document of another spool: $how" "$(said b $how | cut -d' ' -f1,2)" "duplicate /invoice_number"
done

# --- forgotten, in all spools at once
p archive b --forget 'MÜLLER & SÖHNE gmbh'; is "a sender is forgotten" "$?" 0
for s in a b; do p fsck $s --rebuild-index; done
p archive a; grep -q Müller out && bad "a rebuild of any spool respects it" "$(cat out)" || ok "a rebuild of any spool respects it"
is "its name is nowhere" "$(sql "select count(*) from platen.archive_value where name ~ 'ller'") $(grep -ci ller b/archive.jsonl)" "0 0"
einvoice ubl number=RE-9 iban=$third > a/in/invoice/new.xml; run a; p archive b 'Müller Söhne'
has "later documents are known again" "/iban by /seller/name: $third, 1 document"

# --- what a spool knew before it fed the fleet
PLATEN_FLEET=; mkdir -p o/in/invoice
einvoice ubl number=O-1 seller=Old > o/in/invoice/1.xml; run o
touch -d '100 days ago' o/done/*/delivered; p prune o --done-older 90d --force
einvoice ubl number=O-2 seller=Old > o/in/invoice/2.xml; run o
PLATEN_FLEET="$db password=$planted"; p archive o Old; has "its journal is read" 'unique.*: 1 document'
for i in 1 2; do einvoice en16931 number=O-$i seller=Old > o/in/invoice/$i-again.xml; done; run o
is "and its records" "$(said o 1-again) $(said o 2-again)" "duplicate /invoice_number True duplicate /invoice_number True"
einvoice en16931 number=O-2 seller=Old > b/in/invoice/old.xml; run b
is "by another spool, too" "$(said b old)" "duplicate /invoice_number True"
[ $failed = 0 ]
