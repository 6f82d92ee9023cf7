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
[ -n "${HAND:-}" ] || make -s -C "$root" build/release/fleet-hand > /dev/null || { echo "not ok - fleet points: fleet-hand builds"; exit 1; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/platen-points.XXXXXX"); chmod 755 "$scratch"
trap 'kill $(jobs -p) 2> /dev/null; wait 2> /dev/null; postgres_end; rm -rf "$scratch"' EXIT
postgres_begin || { echo "not ok - fleet points: PostgreSQL starts: $pg"; exit 1; }
"$pg_bin/psql" "$db" -qAtX -1 -v ON_ERROR_STOP=1 -f "$root/pipeline/fleet/fleet.sql" > /dev/null 2>&1
jobs=8 failed=0 struck=0
near="host=$scratch user=platen dbname=fleet"
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
clear="truncate platen.job, platen.ready, platen.lease, platen.result, platen.dead"
add() { # add POINT HOW: jobs are handed in, and those that are missing once more
    behind "$1" "$2" "$hand" "$near" add 1 $jobs || lost add "$1" "$2" "it hangs"
    case $2 in kill*) "$hand" "$db" add 1 $jobs ;; esac
    local said; said=$(sql "select (select count(*) from platen.job), (select count(*) from platen.ready); $clear")
    [ "$said" = "$jobs|$jobs" ] || lost add "$1" "$2" "jobs, and those that wait: $said"
}
# a minute passes for a lease that nobody knows of
minute="update platen.lease set expires = '-infinity'; update platen.round set whole = '-infinity', floors = '-infinity'; select platen.tend('60 s', 5); update platen.ready set not_before = '-infinity'"
# of a queue that is worked off, one line; behind it what is held. 2 of 8 died
held="select (select count(*) from platen.job j where (select count(*) from platen.result r where r.job = j.id) + (select count(*) from platen.dead d where d.job = j.id) <> 1),
    (select count(*) from platen.job), (select count(*) from platen.dead), (select count(*) from platen.ready), (select count(*) from platen.lease);
    select job || ' ' || fence from platen.result union all select job || ' ' || fence from platen.dead; $clear"
# work POINT HOW: all moves of a job, and what is left by another worker
work() {
    : > "$scratch/ledger"
    "$hand" "$db" add 1 $jobs
    behind "$1" "$2" "$hand" "$near" turn one "$scratch/ledger" || lost work "$1" "$2" "it hangs"
    sql "$minute" > /dev/null
    "$hand" "$db" turn other "$scratch/ledger"
    sql "$held" > "$scratch/held"
    [ "$(head -1 "$scratch/held")" = "0|8|2|0|0" ] || lost work "$1" "$2" "without one outcome, jobs, dead, ready, leases: $(head -1 "$scratch/held")"
    [ -z "$(cut -d' ' -f1 "$scratch/ledger" | sort | uniq -d)" ] || lost work "$1" "$2" "published twice: $(cut -d' ' -f1 "$scratch/ledger" | sort | uniq -d | head -1)"
    [ -z "$(sort "$scratch/held" | comm -23 <(sort "$scratch/ledger") -)" ] || lost work "$1" "$2" "told so, and it is not there"
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
