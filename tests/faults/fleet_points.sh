#!/usr/bin/env bash
# fleet_points.sh [EACH]: one worker (or who hands jobs in), and a cut or kill at every
# EACH-th statement that it says to PostgreSQL (1: all of them), before, in the middle of
# its answer, or behind it. Then another one ends it: each job has one outcome, none two.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/support/postgres.sh"
each=${1:-1}
[ -x "$pg_bin/postgres" ] || { echo "skip - fleet points: PostgreSQL is not installed"; exit 0; }
hand=${HAND:-$root/build/release/fleet-hand}
[ -x "$hand" ] || { make -s -C "$root" build/release/fleet-hand > /dev/null || { echo "not ok - fleet points: fleet-hand builds"; exit 1; }; }
scratch=$(mktemp -d /tmp/platen-points.XXXXXX); chmod 755 "$scratch"
trap 'kill $(jobs -p) 2> /dev/null; wait 2> /dev/null; postgres_end; rm -rf "$scratch"' EXIT
postgres_begin || { echo "not ok - fleet points: PostgreSQL starts: $pg"; exit 1; }
"$pg_bin/psql" "$db" -qAtX -1 -v ON_ERROR_STOP=1 -f "$root/pipeline/fleet/fleet.sql" > /dev/null 2>&1
jobs=8 failed=0 struck=0
near="host=$scratch user=platen dbname=fleet"
tables="platen.job, platen.ready, platen.lease, platen.result, platen.dead, platen.spread"
asked() { cat "$scratch/count" 2> /dev/null || echo 0; }
# behind POINT HOW COMMAND...: the command, struck there
behind() {
    local point=$1 how=$2 proxy; shift 2
    rm -f "$scratch/.s.PGSQL.5432" "$scratch/count"
    python3 "$root/tests/faults/fleet_point.py" "$scratch/.s.PGSQL.5432" "$pg/.s.PGSQL.5432" "$point" "$how" "$scratch/count" 2> "$scratch/why" & proxy=$!
    while [ ! -S "$scratch/.s.PGSQL.5432" ]; do sleep 0.01; done
    { timeout 60 "$@"; got=$?; } 2> /dev/null # bash itself says who was killed
    kill $proxy; wait $proxy 2> /dev/null
    [ "$got" != 124 ]
}
lost() { echo "not ok - fleet points: $1 at statement $2, $3: $4"; failed=1; }
add() { # add POINT HOW: jobs are handed in, and those that are missing once more
    sql "truncate $tables" > /dev/null
    behind "$1" "$2" "$hand" "$near" add 1 $jobs || lost add "$1" "$2" "it hangs"
    case $2 in kill*) "$hand" "$db" add 1 $jobs ;; esac
    [ "$(sql 'select (select count(*) from platen.job), (select count(*) from platen.ready)')" = "$jobs|$jobs" ] || lost add "$1" "$2" "$(sql 'select count(*) from platen.ready') wait"
}
# what is true of a queue that is worked off: 2 of 8 died, 2 were spread in 3 windows each
verdict() {
    local one="select count(*) from platen.job j where (select count(*) from platen.result r where r.job = j.id) + (select count(*) from platen.dead d where d.job = j.id) <> 1"
    [ "$(sql "$one")" = 0 ] || lost work "$1" "$2" "$(sql "$one") jobs without one outcome"
    [ "$(sql 'select (select count(*) from platen.job), (select count(*) from platen.dead), (select count(*) from platen.spread where missing = 0), (select count(*) from platen.ready), (select count(*) from platen.lease)')" = "14|2|2|0|0" ] ||
        lost work "$1" "$2" "$(sql 'select (select count(*) from platen.job), (select count(*) from platen.dead), (select count(*) from platen.spread where missing = 0), (select count(*) from platen.ready), (select count(*) from platen.lease)')"
    [ -z "$(cut -d' ' -f1 "$scratch/ledger" | sort | uniq -d)" ] || lost work "$1" "$2" "published twice: $(cut -d' ' -f1 "$scratch/ledger" | sort | uniq -d | head -1)"
    sql "select job || ' ' || fence from platen.result union all select job || ' ' || fence from platen.dead" | sort > "$scratch/held"
    [ -z "$(sort "$scratch/ledger" | comm -23 - "$scratch/held")" ] || lost work "$1" "$2" "told so, and it is not there"
}
# work POINT HOW: all moves of a job, and what is left by another worker
work() {
    sql "truncate $tables" > /dev/null
    "$hand" "$db" add 1 $jobs
    : > "$scratch/ledger"
    behind "$1" "$2" "$hand" "$near" turn one "$scratch/ledger" || lost work "$1" "$2" "it hangs"
    # a minute passes for a lease that nobody knows of
    sql "update platen.lease set expires = '-infinity'; update platen.round set whole = '-infinity', floors = '-infinity'; select platen.tend('60 s', 5); update platen.ready set not_before = '-infinity'" > /dev/null
    "$hand" "$db" turn other "$scratch/ledger"
    verdict "$1" "$2"
}
for what in add work; do
    $what 0 before
    n=$(asked)
    struck=0
    for ((point = 1; point <= n; point += each)); do
        for how in before half after kill-before kill-after; do
            $what $point $how
            struck=$((struck + 1))
        done
    done
    [ $failed = 0 ] && echo "ok - fleet points: $what struck at every $each. of $n statements, $struck times: 0 lost, 0 twice"
done
exit $failed
