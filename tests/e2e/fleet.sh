#!/usr/bin/env bash
# fleet.sh - many workers, one queue in a real PostgreSQL: what goes in comes out once,
# by `fleet add` and by a spool; who is to blame; the database away; who can what.
set -u
subject='fleet: '
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/postgres.sh"
[ -x "$pg_bin/postgres" ] || { echo "skip - fleet: PostgreSQL is not installed"; exit 0; }
export PLATEN_OCR=off PLATEN_ENGINE=null PLATEN_STABLE_FOR=0
trap 'kill $(jobs -p) 2> /dev/null; wait; postgres_end; finish' EXIT
postgres_begin || { bad "PostgreSQL starts" "$pg"; exit 1; }
export PLATEN_SCHEMAS=$scratch/schemas
mkdir "$PLATEN_SCHEMAS" "$scratch/store" "$scratch/out" "$scratch/machine"
cp "$root/tests/faults/faults.schema.json" "$PLATEN_SCHEMAS/"
cp "$root/tests/faults/faults.schema.json" "$PLATEN_SCHEMAS/bane.schema.json"
good=$root/tests/faults/good.png
fleet() { "$platen" fleet "$@" --db "$db"; }
# a worker has no schemas of its own: those of the job are what counts
worker() { PLATEN_SCHEMAS=$root/schemas timeout 120 "$platen" fleet work --db "$db" --scratch "$scratch/machine" "$@" 2>> "$scratch/worker.log"; }
check() { local name=$1; shift; if "$@" > "$scratch/said" 2>&1; then ok "$name"; else bad "$name" "$(tail -3 "$scratch/said" "$scratch/worker.log" 2> /dev/null | tr '\n' ' ')"; fi; }
wait_for() { local n=$(($1 * 10)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.1; done; }
is() { [ "$(sql "$1")" = "$2" ]; }
count() { find "$1" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l; }
state() { sql 'select (select count(*) from platen.ready), (select count(*) from platen.lease), (select count(*) from platen.result), (select count(*) from platen.dead)'; }

# --- the database
"$platen" fleet status --db "host=$scratch" 2> "$scratch/said"; got=$?
check "nobody there: fleet-unreachable" test "$got $(grep -c fleet-unreachable "$scratch/said")" = "3 1"
fleet status 2> "$scratch/said"; got=$?
check "no tables: fleet-refused, and what to do" test "$got $(grep -c 'fleet-refused.*fleet init' "$scratch/said")" = "9 1"
check "init makes the tables" fleet init --store "$scratch/store"
# as an earlier version had it: one column less, which nobody may mistake for another
fleet add "$good" --schema faults > /dev/null
sql "drop function platen.claim; create function platen.claim(text, integer, interval) returns table (job text, fence bigint) language sql as 'select null::text, 1::bigint where false'" > /dev/null
timeout 5 "$platen" fleet work --db "$db" --scratch "$scratch/machine" --once 2> "$scratch/why"
check "tables of an earlier version are said to be so, and init brings them up to date" eval 'grep -q "column .attempt. does not exist" "$scratch/why" && fleet init && worker --once && mkdir "$scratch/old" && fleet get --out "$scratch/old"'
check "init may be run again" fleet init
check "and keeps the store" is "select value from platen.setting where name = 'store'" "$(realpath "$scratch/store")"
check "no table is without a word of what it is for" test "$(grep -c 'CREATE TABLE' "$root/pipeline/fleet/fleet.sql")" = "$(sql "select count(*) from pg_tables where schemaname = 'platen'")"
check "heartbeats are HOT: the hot tables leave room and are vacuumed by count" \
    is "select count(*) from pg_class where relname in ('ready', 'lease') and reloptions::text ~ 'vacuum_threshold=2000' and (relname = 'ready' or reloptions::text ~ 'fillfactor=50')" 2

# --- add, work, get
fleet add "$good" "$root/samples/good/two-pages.pdf" --schema faults --format json,xml > "$scratch/ids"
head -c 200 "$good" > "$scratch/damaged.png"
fleet add "$scratch/damaged.png" --schema faults >> "$scratch/ids"
check "three wait" test "$(state)" = "3|0|0|0"
check "a worker works them off" worker --once
check "two are read, one is dead with its reason" test "$(state)" = "0|0|2|1"
check "status says it" eval 'fleet status | grep -q "1 \[damaged\]"'
check "and to programs" eval 'fleet status --json | python3 -c "import json,sys; s=json.load(sys.stdin); assert s[\"results\"]==2 and s[\"reasons\"]=={\"damaged\":1} and len(s[\"workers\"])>=1"'
fleet status --prometheus > "$scratch/m.prom"
value() { sed -n "s/^platen_$1 //p" "$scratch/m.prom"; }
check "and to Prometheus" test "$(value fleet_up) $(value 'fleet_jobs{state="results"}') $(value 'fleet_dead_jobs{reason="damaged"}') $(value fleet_workers) $(value 'fleet_fitting_workers{model="",gpu="no",memory="0"}')" = "1 2 1 0 0"
check "board and rules know these names, and no others" python3 - "$root/pipeline/ops/prometheus" "$scratch/m.prom" << 'END'
import re, sys
said = set(re.findall(r"^# TYPE (\w+)", open(sys.argv[2]).read(), re.M))
shown, warned = (set(re.findall(r"platen_fleet_\w+", open(sys.argv[1] + name).read())) for name in ("/platen.board.json", "/platen.rules.yml"))
assert shown == said and warned < said and len(warned) > 4, (shown ^ said, warned - said)
END
command -v promtool > /dev/null && check "promtool takes them" promtool check metrics < "$scratch/m.prom"
fleet get --out "$scratch/out" > /dev/null 2>&1
check "get brings records, XML and reason" test "$(ls "$scratch/out" | sed 's/[^.]*//' | sort | tr '\n' ' ')" = ".json .json .reason.json .xml .xml "
check "and the database forgets them" is 'select count(*) from platen.job' 0
check "nothing is left on the worker's machine" test -z "$(find "$scratch/machine" -mindepth 1 -type d)"

# --- a worker tells of itself and of all
port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
fleet add "$good" --schema faults > /dev/null
worker --metrics "$scratch/m.prom" --metrics-listen "127.0.0.1:$port" --most 2 & told=$!
read_one() { curl -sf -m 5 "http://127.0.0.1:$port/metrics" > "$scratch/m.prom.asked" && grep -q '^platen_documents_total{outcome="done",reason=""} 1' "$scratch/m.prom.asked"; }
check "who asks a worker is told what it read" wait_for 20 read_one
check "and how the fleet does" grep -q '^platen_fleet_up 1' "$scratch/m.prom.asked"
fleet add "$good" --schema faults > /dev/null; wait $told
check "its file has the last word" test "$(value 'documents_total{outcome="done",reason=""}')" = 2
fleet get --out "$scratch/out" > /dev/null 2>&1

# --- a spool feeds it
s=$scratch/s
mkdir -p "$s/in/faults/deep/er" "$scratch/alone/in/faults/deep/er"
for spool in "$s" "$scratch/alone"; do
    cp "$root/samples/good/two-pages.pdf" "$spool/in/faults/deep/er/a.pdf"; cp "$good" "$spool/in/faults/b.png"
    cp "$scratch/damaged.png" "$spool/in/faults/deep/c.png"; : > "$spool/in/faults/empty.pdf"
done
"$platen" run "$scratch/alone" --quiet > /dev/null 2>&1
worker & first=$!
timeout 100 "$platen" run "$s" --fleet "$db" --quiet > "$scratch/said" 2>&1; got=$?
check "run ends as it does alone" test "$got $(count "$s/done") $(count "$s/failed") $(count "$s/work")" = "16 2 2 0"
same() { python3 - "$s" "$scratch/alone" << 'END'
import glob, json, sys
def said(spool):
    out = {}
    for f in glob.glob(spool + "/done/*/record.json") + glob.glob(spool + "/failed/*/reason.json"):
        o = json.load(open(f))
        def bare(x):
            if isinstance(x, dict): return {k: bare(v) for k, v in x.items()
                if k not in ("id", "created", "seconds", "started", "ended", "attempts", "times", "claimed") and "second" not in k}
            return [bare(v) for v in x] if isinstance(x, list) else x
        out[o["source"]["name"]] = bare(o)
    return out
a, b = map(said, sys.argv[1:])
assert a == b, [(k, a.get(k), b.get(k)) for k in b if a.get(k) != b.get(k)]
assert len(a) == 4
END
}
check "records and reasons are the same as those read alone" same
check "out/ has the folders" test -f "$s/out/faults/deep/er/a.json" -a -f "$s/out/faults/b.json"
check "the spool is whole" "$platen" fsck "$s"
check "and the database has forgotten" is 'select count(*) from platen.job' 0
# the spool compares what the fleet has read; the fleet's workers compare nothing
python3 - "$root/schemas/invoice.schema.json" > "$PLATEN_SCHEMAS/twins.schema.json" << 'END'
import json, sys
schema = json.load(open(sys.argv[1]))
schema["x-platen-check"] = [{"unique": ["/seller/name", "/invoice_number", "/total"]}]
json.dump(schema, sys.stdout)
END
mkdir -p "$scratch/twins/in/twins"
for syntax in ubl en16931; do python3 "$root/tests/support/einvoice.py" xml $syntax > "$scratch/twins/in/twins/$syntax.xml"; done
timeout 100 "$platen" run "$scratch/twins" --fleet "$db" --quiet > "$scratch/said" 2>&1
check "of two equal invoices that a fleet has read one is a duplicate" test "$(count "$scratch/twins/done") $(grep -l '"code": "duplicate"' "$scratch"/twins/out/twins/*.json | wc -l)" = "2 1"
check "and workers make no index" test -z "$(find "$scratch/machine" -name 'archive.*')"

# --- the database away
postgres_stop
cp "$good" "$s/in/faults/d.png"
timeout 100 "$platen" run "$s" --fleet "$db" --quiet > "$scratch/why" 2>&1; got=$?
check "the database away: the spool waits, nothing fails" test "$got $(count "$s/work") $(count "$s/failed")" = "17 1 2"
check "and says why" grep -q fleet-unreachable "$scratch/why"
postgres_start
check "it comes back: the worker does by itself, and the document is read" eval 'timeout 100 "$platen" run "$s" --fleet "$db" --quiet; [ $(count "$s/done") = 3 ]'
check "drain: the worker ends after what it does" eval 'fleet drain; wait_for 30 eval "! kill -0 $first"'
wait "$first"; got=$?
check "with 0" test "$got" = 0

# --- stacks
if python3 -c 'import PIL' 2> /dev/null && "$platen" separator --schema faults > "$scratch/sheets.pdf" 2> /dev/null; then
    mkdir -p "$scratch/t/in/faults"
    cp "$root/tests/faults/stack.tif" "$scratch/t/in/faults/"
    timeout 100 "$platen" run "$scratch/t" --split barcode --fleet "$db" --quiet > "$scratch/said" 2>&1 &
    run=$!
    wait_for 20 is 'select count(*) > 0 from platen.ready' t
    worker --once
    wait_for 20 eval '[ $(count "$scratch/t/work") = 0 ]' || worker --once
    wait "$run"
    mkdir -p "$scratch/u/in/faults"; cp "$root/tests/faults/stack.tif" "$scratch/u/in/faults/"
    "$platen" run "$scratch/u" --split barcode --quiet > /dev/null 2>&1
    check "a stack is cut here, its parts are read there" test "$(count "$scratch/t/done") $(count "$scratch/t/failed")" = "$(count "$scratch/u/done") $(count "$scratch/u/failed")"
fi

# --- who can what
fleet add "$good" --schema faults --fleet-model big --fleet-memory 1M > /dev/null
check "a worker of another model leaves it" worker --once
check "so it waits" test "$(state)" = "1|0|0|0"
check "and status says for whom" eval 'fleet status | grep -q "1 ready for big, 1048576 bytes of memory: 0 workers"'
check "the right one takes it" worker --once --fleet-model big
check "and reads it" test "$(state)" = "0|0|1|0"
fleet get --out "$scratch/out" > /dev/null
fleet add "$good" --schema faults --fleet-gpu > /dev/null
worker --once; check "no GPU: it waits" test "$(state)" = "1|0|0|0"
worker --once --fleet-gpu; check "a GPU: it is read" test "$(state)" = "0|0|1|0"
fleet get --out "$scratch/out" > /dev/null

# --- deaths; whom these ask never answers
python3 -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); time.sleep(600)' > "$scratch/port" &
wait_for 10 test -s "$scratch/port"
beset() {
    "$platen" fleet work --db "$db" --scratch "$scratch/machine" --engine endpoint \
        --endpoint "http://127.0.0.1:$(cat "$scratch/port")/v1" 2>> "$scratch/worker.log" &
    first=$!
}
fleet add "$good" --schema bane > /dev/null
beset; wait_for 20 is 'select count(*) from platen.lease' 1
kill -TERM $first; wait $first
check "SIGTERM gives the document back at once, and nobody is charged" is 'select attempt from platen.ready' 0
for n in 1 2 3 4 5; do
    beset; wait_for 20 is "select attempt from platen.lease" $n
    kill -9 $first; wait $first 2> /dev/null
    # a minute passes
    sql "update platen.lease set expires = '-infinity'; update platen.round set whole = '-infinity', floors = '-infinity'; select platen.tend('60 s', 5); update platen.ready set not_before = '-infinity'" > /dev/null
done
check "from the third on it ran alone" test "$(grep -c 'it runs alone' "$scratch/worker.log")" = 3
check "five workers died on it: it is dead, and says so" is "select code, why like '%5 workers%' from platen.dead" "crash-loop|t"
fleet get --out "$scratch/out" > /dev/null 2>&1
# of a spool: failed, with a reason
mkdir -p "$s/in/bane"; cp "$good" "$s/in/bane/e.png"
timeout 100 "$platen" run "$s" --fleet "$db" --quiet > "$scratch/said" 2>&1 & run=$!
wait_for 20 is 'select count(*) from platen.ready' 1
sql "with l as (delete from platen.ready returning *) insert into platen.lease select job, 7, class, 5, 'w', '-infinity', '-infinity' from l; update platen.round set whole = '-infinity', floors = '-infinity'; select platen.tend('60 s', 5)" > /dev/null
wait $run
check "a spool's document fails by it, with a reason" grep -q '"crash-loop"' "$s"/failed/*/reason.json
check "the spool is whole" "$platen" fsck "$s"

# --- processes of platen that die: who connects for a spool, and who starts the workers of a fleet
child() { # child PID NAME NTH: a child of PID
    python3 - "$@" << 'END'
import os, sys
pids = [p for p in open(f"/proc/{sys.argv[1]}/task/{sys.argv[1]}/children").read().split() if open(f"/proc/{p}/comm").read().strip() == sys.argv[2]]
print(pids[int(sys.argv[3])])
END
}
mkdir -p "$scratch/f/in/faults"
"$platen" watch "$scratch/f" --fleet "$db" --jobs 1 --rescan 0.2 --quiet 2> "$scratch/said" & run=$!
cp "$good" "$scratch/f/in/faults/1.png"
wait_for 20 is 'select count(*) from platen.ready' 1
connects() { kill -9 "$(child "$(child $run platen "$1")" platen-fleet 0)"; }
check "the process that connects for a spool is killed" wait_for 10 eval 'connects 0 || connects 1'
cp "$good" "$scratch/f/in/faults/2.png"
check "and the next document is handed over" wait_for 30 is 'select count(*) from platen.ready' 2
check "nobody is charged" test "$(cat "$scratch/f"/work/*/attempt.*.end 2> /dev/null | grep -c crash)" = 0
worker --once
check "and both are read" wait_for 30 eval '[ $(count "$scratch/f/done") = 2 ]'
kill $run; wait $run
fleet add "$good" --schema bane > /dev/null
beset; wait_for 20 is 'select count(*) from platen.lease' 1
check "the process that starts the workers is killed" wait_for 10 eval 'kill -9 $(child $first platen 0)'
wait $first; got=$?
check "the worker ends with an error" test "$got $(tail -1 "$scratch/worker.log" | grep -c 'process that starts the workers')" = "7 1"
check "and gives its document back, uncharged" is 'select attempt from platen.ready' 0
sql 'truncate platen.ready, platen.job cascade' > /dev/null

# --- the store
fleet add "$good" --schema faults > /dev/null
rm "$scratch/store"/*/"$(sha256sum < "$good" | cut -c1-64)"
check "bytes that are gone from the store" worker --once
check "kill their job, not the worker" is 'select code from platen.dead' store-damaged
fleet get --out "$scratch/out" > /dev/null 2>&1
chmod 755 "$scratch" 2> /dev/null
fleet add "$good" --schema faults > /dev/null
f=$(ls "$scratch/store"/*/"$(sha256sum < "$good" | cut -c1-64)"); chmod u+w "$f"
printf 'x' | dd of="$f" bs=1 seek=100 conv=notrunc 2> /dev/null
check "bytes that are others" worker --once
check "are never read" is 'select code from platen.dead' store-damaged
fleet get --out "$scratch/out" > /dev/null 2>&1
find "$scratch/store" -type f -delete # the damaged one, too
fleet add "$good" --schema faults > /dev/null; worker --once; fleet get --out "$scratch/out" > /dev/null
find "$scratch/store" -type f -exec touch -d '40 days ago' {} +
fleet add "$good" --schema faults > /dev/null
find "$scratch/store" -type f -mtime +30 -delete
check "who sweeps the store takes nothing of a job: handing in made its bytes and schemas new" worker --once
check "and it is read" is 'select count(*) from platen.result' 1
fleet get --out "$scratch/out" > /dev/null 2>&1
check "temporary files are not left there" test -z "$(find "$scratch/store" -name '*.tmp')"

# --- launchers, each by the linter that is here
ops=$root/pipeline/ops
if command -v systemd-analyze > /dev/null; then
    sed "s|/usr/bin/platen|$platen|" "$ops/platen-fleet@.service" > "$scratch/platen-fleet@.service"
    check "the systemd template is sound" eval '[ -z "$(systemd-analyze verify "$scratch/platen-fleet@.service" 2>&1 | grep -v "^$")" ]'
    check "and keeps its workers in" eval 'systemd-analyze security --offline=true --threshold=20 "$ops/platen-fleet@.service"'
fi
check "the Slurm script is a script" bash -n "$ops/fleet.sbatch"
command -v shellcheck > /dev/null && check "and shellcheck has nothing to say" shellcheck "$ops/fleet.sbatch"
if python3 -c 'import yaml' 2> /dev/null; then
    check "the papers for Kubernetes are YAML, and the KEDA query is one" python3 - "$ops" "$db" "$pg_bin/psql" << 'END'
import subprocess, sys, yaml
for name in ("fleet-job", "fleet-deployment"):
    docs = list(yaml.safe_load_all(open(f"{sys.argv[1]}/{name}.yaml")))
    pod = docs[0]["spec"]["template"]["spec"]
    assert pod["containers"][0]["args"][:2] == ["fleet", "work"] and pod["volumes"]
query = docs[1]["spec"]["triggers"][0]["metadata"]["query"]
assert docs[1]["spec"]["scaleTargetRef"]["name"] == docs[0]["metadata"]["name"]
assert subprocess.check_output([sys.argv[3], sys.argv[2], "-qAtXc", query]).strip() == b"0"
END
fi

# --- a bucket of S3: a server of its own, and one that refuses
moto=${MOTO_SERVER:-$(command -v moto_server)}
if [ -x "${moto:-}" ]; then
    port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
    "$moto" -H 127.0.0.1 -p "$port" > "$scratch/moto.log" 2>&1 &
    wait_for 60 curl -s "http://127.0.0.1:$port/" -o /dev/null
    curl -sf -X PUT "http://127.0.0.1:$port/pages" --aws-sigv4 aws:amz:us-east-1:s3 --user any:thing -o /dev/null
    fleet init --store s3://pages/fleet --s3-endpoint "http://127.0.0.1:$port" --s3-region us-east-1 2> "$scratch/why"; got=$?
    check "S3 without keys is refused" test "$got $(grep -c fleet_key_file "$scratch/why")" = "1 1"
    printf 'any\nthing\n' > "$scratch/key"
    export PLATEN_FLEET_KEY_FILE=$scratch/key
    check "a bucket as store" fleet init
    check "files go in" fleet add "$good" "$root/samples/good/two-pages.pdf" --schema faults
    check "and are there" test "$(curl -s "http://127.0.0.1:$port/pages?list-type=2" | grep -o "<Key>fleet/../$(sha256sum < "$good" | cut -c1-64)</Key>" | wc -l)" = 1
    check "a worker reads them" worker --once
    check "both" test "$(state)" = "0|0|2|0"
    fleet get --out "$scratch/out" > /dev/null 2>&1
    fleet init --s3-endpoint "http://127.0.0.1:9" > /dev/null 2>&1
    fleet add "$good" --schema faults > /dev/null 2> "$scratch/why"; got=$?
    check "nobody there: store-unreachable" test "$got $(grep -c store-unreachable "$scratch/why")" = "3 1"
else
    echo "skip - fleet: S3: no moto_server (pip install 'moto[server]'; MOTO_SERVER=...)"
fi
exit $failed
