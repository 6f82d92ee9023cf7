#!/usr/bin/env bash
# fleet.sh [JOBS [SECONDS]]: eight workers and a feeder on one queue while connections
# are cut at any message, workers are killed, sessions terminated, the server is killed
# and started again, and its clock jumps: every job is published, none twice. Then: an
# old transaction is held while claims go on, and a claim stays fast.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/support/postgres.sh"
jobs=${1:-600} seconds=${2:-12}
[ -x "$pg_bin/postgres" ] || { echo "skip - fleet storm: PostgreSQL is not installed"; exit 0; }
hand=${HAND:-$root/build/release/fleet-hand}
[ -n "${HAND:-}" ] || make -s -C "$root" build/release/fleet-hand > /dev/null || { echo "not ok - fleet storm: fleet-hand builds"; exit 1; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/platen-storm.XXXXXX"); chmod 755 "$scratch"
declare -A worker
finish() {
    for p in "${worker[@]}"; do kill -9 "$p" 2> /dev/null; done
    kill $(jobs -p) 2> /dev/null; wait 2> /dev/null
    postgres_end; rm -rf "$scratch"
}
trap finish EXIT
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1: $2"; failed=1; }
failed=0
echo 0 > "$scratch/shift"; chmod 666 "$scratch/shift"
${CC:-cc} -shared -fPIC -o "$scratch/shift.so" "$root/tests/preload/shift_clock.c" && chmod 755 "$scratch/shift.so"
export SHIFT_CLOCK=$scratch/shift
pg_preload=$scratch/shift.so pg_fsync=on postgres_begin max_connections=60 || { bad "PostgreSQL starts" "$pg"; exit 1; }
pg_preload=$scratch/shift.so
sql 'select 1' > /dev/null
"$pg_bin/psql" "$db" -qAtX -1 -v ON_ERROR_STOP=1 -f "$root/pipeline/fleet/fleet.sql" > /dev/null
mkdir "$scratch/cut"
python3 "$root/tests/faults/fleet_cut.py" "$scratch/cut/.s.PGSQL.5432" "$pg/.s.PGSQL.5432" 100000 ${SEED:-1} > "$scratch/cuts" 2> /dev/null &
cut="host=$scratch/cut user=platen dbname=fleet connect_timeout=5"
for i in {1..50}; do [ -S "$scratch/cut/.s.PGSQL.5432" ] && break; sleep 0.1; done
"$hand" "$cut" add 1 "$jobs" & feeder=$!
start() { "$hand" "$cut" work "w$1" "$scratch/ledger" & worker[$1]=$!; }
for i in {1..8}; do start $i; done
kills=0 restarts=0 jumps=0 terminated=0
for ((n = 0, until = SECONDS + seconds; SECONDS < until || n < 20; n++)); do
    i=$((RANDOM % 8 + 1))
    kill -9 "${worker[$i]}"; wait "${worker[$i]}" 2> /dev/null; start $i; kills=$((kills + 1))
    [ $((n % 4)) != 1 ] || terminated=$((terminated + $(sql "select count(pg_terminate_backend(pid)) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend' and random() < 0.5" 2> /dev/null || echo 0)))
    [ $((n % 10)) != 5 ] || { # pg_ctl takes a server whose clock is behind its own for an old one
        echo $((RANDOM % 2000)) > "$scratch/shift"; postgres_stop immediate; postgres_start; restarts=$((restarts + 1)); }
    [ $((n % 5)) != 3 ] || { echo $((RANDOM % 4000 - 2000)) > "$scratch/shift"; jumps=$((jumps + 1)); }
    sleep 0.2
done
echo "# $kills kills, $terminated sessions terminated, $restarts restarts, $jumps jumps of the clock"
# a feeder that is through, and what leases the dead held runs out by the clock
for ((n = 0; n < 600; n++)); do
    echo $((n * 100)) > "$scratch/shift"
    left=$(sql "select (select count(*) from platen.ready) + (select count(*) from platen.lease)" 2> /dev/null)
    ! kill -0 $feeder 2> /dev/null && [ "$left" = 0 ] && break
    sleep 0.3
done
for p in "${worker[@]}"; do kill -9 "$p" 2> /dev/null; wait "$p" 2> /dev/null; done
now() { sql "select (select count(*) from platen.job), (select count(*) from platen.result), (select count(*) from platen.dead), (select count(*) from platen.ready), (select count(*) from platen.lease)"; }
[ "$(sql "select count(*) from platen.job j where (select count(*) from platen.result r where r.job = j.id) + (select count(*) from platen.dead d where d.job = j.id) <> 1")" = 0 ] &&
    [ "$(sql 'select count(*) from platen.job')" = "$jobs" ] && ok "fleet storm: $jobs jobs, each has one outcome (0 lost)" || bad "fleet storm: each job has one outcome" "$(now)"
[ "$(sql 'select count(*) from platen.dead')" = 0 ] && ok "fleet storm: none died of the storm alone" || echo "# $(sql 'select count(*) from platen.dead') jobs lost five workers in the storm, and are dead with a reason"
twice=$(cut -d' ' -f1 "$scratch/ledger" | sort | uniq -d | wc -l)
[ "$twice" = 0 ] && ok "fleet storm: none was published twice" || bad "fleet storm: none was published twice" "$twice: $(sort "$scratch/ledger" | uniq -D -w 30 | head -4 | tr '\n' ' ')"
# what a worker was told it published is what the database holds, by its fence
sql "select job || ' ' || fence from platen.result" | sort > "$scratch/held"
[ -z "$(sort "$scratch/ledger" | comm -23 - "$scratch/held")" ] && ok "fleet storm: whoever was told so did publish it" || bad "fleet storm: whoever was told so did publish it" "$(sort "$scratch/ledger" | comm -23 - "$scratch/held" | head -3)"
exit $failed
