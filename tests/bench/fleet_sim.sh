#!/usr/bin/env bash
# fleet_sim.sh [WORKERS [SECONDS [READER_S]]]: simulated workers that read nothing
# against one real PostgreSQL: as many claims and publications as it takes; then the
# same while somebody holds an old transaction for READER_S, and what a claim costs at
# the end of that, from a session of its own. Prints figures; fails below 500 jobs a
# second (MINIMUM), or where that claim takes 10 ms and more (half of 200 of them).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/support/postgres.sh"
workers=${1:-1000} seconds=${2:-20} reader=${3:-30} rate=${RATE:-300}
[ -x "$pg_bin/pgbench" ] || { echo "skip - fleet sim: PostgreSQL is not installed"; exit 0; }
ulimit -n 4096
scratch=$(mktemp -d /tmp/platen-sim.XXXXXX)
finish() { kill $(jobs -p) 2> /dev/null; wait 2> /dev/null; postgres_end; rm -rf "$scratch"; }
trap finish EXIT
failed=0
pg_fsync=on postgres_begin "max_connections=$((workers + 20))" shared_buffers=512MB max_wal_size=4GB || exit 1
pg_fsync=on
"$pg_bin/psql" "$db" -qAtX -1 -v ON_ERROR_STOP=1 -f "$root/pipeline/fleet/fleet.sql" > /dev/null || exit 1
# a job; its settings are as long as real ones
settings=$(printf 'key_of_platen_conf = value\\n%.0s' {1..24})
add() { # add FROM TO
    for ((i = $1; i <= $2; i += 20000)); do
        sql "select count(platen.add('20261122T000000Z-' || lpad(i::text, 16, '0'), repeat('d', 64), 100000, repeat('n', 200), '', repeat('s', 64), E'$settings', '', false, 0, 'sim:/spool', 0, 0)) from generate_series($i, least($i + 19999, $2)) i" > /dev/null
    done
}
cat > "$scratch/work" << 'END'
SELECT job, fence FROM platen.claim('w' || :client_id, 1, '60 s') \gset
SELECT platen.publish(:job, :fence, 'w' || :client_id, 1.5, 3, repeat('r', 3000)::bytea, repeat('h', 64), NULL, '');
END
echo "SELECT platen.beat('20261122T000000Z-' || lpad((random() * 1000)::int::text, 16, '0'), 1, '60 s');" > "$scratch/beat"
printf 'SELECT platen.tend(%s60 s%s, 5);\n\\sleep 200 ms\n' "'" "'" > "$scratch/tend"
bench() { "$pg_bin/pgbench" -h "$pg" -U platen -n -M prepared "$@" fleet 2>&1; }
need=$((${ENOUGH:-40000} + rate * reader * 11 / 10))
began=$SECONDS; add 1 "$need"
echo "# $need jobs added in $((SECONDS - began)) s"
bench -c 1 -f "$scratch/tend" -T 100000 > /dev/null & tend=$!
size() { sql "select pg_size_pretty(sum(pg_total_relation_size('platen.' || relname))) from pg_class where relnamespace = 'platen'::regnamespace and relkind = 'r'"; }
echo "# the database: $(size) with $need jobs that wait: $(sql "select round(sum(pg_total_relation_size('platen.' || relname)) / $need) from pg_class where relnamespace = 'platen'::regnamespace and relkind = 'r'") bytes each"

# --- as fast as it goes; and with the heartbeats of so many
before=$(awk '{ print ($14 + $15 + $16 + $17) / 100 }' "/proc/$(head -1 "$pg/data/postmaster.pid")/stat")
bench -c "$workers" -j 2 -f "$scratch/work@9" -f "$scratch/beat@1" -T "$seconds" > "$scratch/fast"
jobs=$(sql 'select count(*) from platen.result')
# nine of ten transactions are jobs; connecting so many is not what is measured
each=$(sed -n 's/^tps = \([0-9]*\).*/\1/p' "$scratch/fast"); each=$((${each:-0} * jobs / $(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$scratch/fast" | head -1)))
spent=$(awk '{ print ($14 + $15 + $16 + $17) / 100 }' "/proc/$(head -1 "$pg/data/postmaster.pid")/stat")
echo "# $workers workers: $jobs jobs in $seconds s, $each a second; the server took $(awk "BEGIN { printf \"%.2f\", 1000 * ($spent - $before) / ($jobs + 1) }") ms of processor time each; $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); failed transactions: $(grep -oE 'failed transactions: [0-9]+' "$scratch/fast" | tail -1 | grep -oE '[0-9]+$')"
[ "$each" -ge "${MINIMUM:-500}" ] && echo "ok - fleet sim: at least ${MINIMUM:-500} jobs a second" || { echo "not ok - fleet sim: at least ${MINIMUM:-500} jobs a second: $each"; grep -m3 -i error "$scratch/fast"; failed=1; }
twice=$(sql 'select count(*) - count(distinct fence) from platen.result')
[ "$twice" = 0 ] && echo "ok - fleet sim: no fence twice" || { echo "not ok - fleet sim: no fence twice: $twice"; failed=1; }
echo "# the database: $(size) with $jobs results"

# --- an old transaction
claims() { # 200 claims from one session: milliseconds, half and 99 of 100 below
    for i in {1..200}; do echo "BEGIN; EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) SELECT * FROM platen.claim('probe', 1, '60 s'); ROLLBACK;"; done |
        "$pg_bin/psql" "$db" -qAtX | sed -n 's/^Execution Time: \([0-9.]*\) ms/\1/p' | sort -n | awk '{ a[NR] = $1 } END { print a[int(NR / 2)], a[int(NR * 0.99)] }'
}
echo "# before: a claim takes $(claims) ms (half, 99 of 100)"
"$pg_bin/psql" "$db" -qAtX -c 'BEGIN ISOLATION LEVEL REPEATABLE READ' -c 'SELECT count(*) FROM platen.ready' -c "SELECT pg_sleep($reader + 20)" > /dev/null 2>&1 &
sleep 1
bench -c 20 -j 1 -R "$rate" -f "$scratch/work" -T "$reader" > "$scratch/slow"
dead=$(sql "select n_dead_tup from pg_stat_user_tables where relname = 'ready' and schemaname = 'platen'")
read -r half most < <(claims)
sql "select 1 from pg_stat_activity where backend_xmin is not null and query like '%pg_sleep%'" | grep -q 1 || { echo "not ok - fleet sim: the old transaction lives"; failed=1; }
echo "# $reader s behind an old transaction, $rate jobs a second, $dead dead rows: a claim takes $half ms (half), $most ms (99 of 100)"
awk "BEGIN { exit !($half < 10) }" && echo "ok - fleet sim: a claim behind an old transaction stays below 10 ms" || { echo "not ok - fleet sim: a claim behind an old transaction stays below 10 ms: $half"; failed=1; }
exit $failed
