#!/usr/bin/env bash
# fleet_long.sh - long documents over a fleet: windows of pages are jobs of their own,
# and whoever finishes last joins them. The record is that of one machine, whatever
# became of the windows.
subject='fleet, long: '
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/long.sh"
. "$root/tests/support/postgres.sh"
[ -x "$pg_bin/postgres" ] || { echo "skip - fleet, long: PostgreSQL is not installed"; exit 0; }
export PLATEN_SETTLE=0
trap 'kill $(jobs -p) 2> /dev/null; wait; postgres_end; finish' EXIT
postgres_begin || { bad "PostgreSQL starts" "$pg"; exit 1; }
mkdir "$scratch/store" "$scratch/machine" "$scratch/schemas"
check() { local name=$1; shift; if "$@" > "$scratch/said" 2>&1; then ok "$name"; else bad "$name" "$(tail -3 "$scratch/said" "$scratch/worker.log" 2> /dev/null | tr '\n' ' ')"; fi; }
is() { [ "$(sql "$1")" = "$2" ]; }
"$platen" fleet init --db "$db" --store "$scratch/store"

read_with() { reading=(--engine endpoint --endpoint "$url" "${small[@]}" --record-bytes-max 64M "$@"); }
# worker [OPTION...]: one in the background, of windows of two pages
worker() { timeout 120 "$platen" fleet work --db "$db" --scratch "$scratch/machine" --fleet-window 2 "${reading[@]}" "$@" 2>> "$scratch/worker.log" & }
alone() { # alone NAME: $scratch/alone.json, its record by one machine
    fill_spool "$scratch/one" "$1"
    "$platen" run "$scratch/one" --schemas "$scratch/schemas" --quiet "${reading[@]}" > "$scratch/out" 2>&1
    cp "$(record_of "$scratch/one")" "$scratch/alone.json"
}
spread() { # spread NAME: $scratch/many.json, by the workers that run
    fill_spool "$scratch/many" "$1"
    timeout 120 "$platen" run "$scratch/many" --fleet "$db" --schemas "$scratch/schemas" --quiet "${reading[@]}" > "$scratch/out" 2>&1
    rm -f "$scratch/many.json"; cp "$(record_of "$scratch/many")" "$scratch/many.json"
}
same() { # all but who it is and how long it took
    python3 - "$scratch/alone.json" "$scratch/many.json" << 'END'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
for o in (a, b):
    for key in ("id", "created", "seconds", "times"):
        o.pop(key, None)
assert a == b, [(k, a.get(k), b.get(k)) for k in {**a, **b} if a.get(k) != b.get(k)]
END
    parts_of "$scratch/alone.json" > "$scratch/alone.parts"
    parts_of "$scratch/many.json" | cmp - "$scratch/alone.parts"
}
draw s300 300
cp "$scratch/s300.schema.json" "$scratch/schemas/statement.schema.json"

# --- several questions on their way at once: no question tells what the page before gave
serve s300
read_with
alone s300
one=$(requests)
: > "$scratch/log"
for n in 1 2 3; do worker; done
spread s300
check "eleven pages, three workers: the record of one machine" same
check "by windows" test "$(grep -c 'spread in windows of 2' "$scratch/worker.log")" = 1
check "five of them, and who finished the last one joined them" test "$(grep -c '\.[1-5]: done' "$scratch/worker.log") $(grep -c '[0-9a-f]\{16\}: done' "$scratch/worker.log")" = "5 1"
check "asked is what one machine asks, and once more about the page before each of four windows" test "$(requests)" = $((one + 4))
check "the database has forgotten all of it" is 'select (select count(*) from platen.job) + (select count(*) from platen.result) + (select count(*) from platen.spread)' 0
check "the spool is whole" "$platen" fsck "$scratch/many"
workers() { jobs -p | grep -v "^$reader$"; }
end_workers() { kill $(workers); wait $(workers); } 2> /dev/null
end_workers

# --- one at a time: each question tells how the page before ended; rows are dropped and asked for again
serve s300 --drop 0.02
read_with --endpoint-parallel 1
alone s300
: > "$scratch/worker.log"
for n in 1 2; do worker; done
spread s300
check "each question tells of the page before: the same record" same
check "by windows as well" test "$(grep -c 'spread in windows of 2' "$scratch/worker.log")" = 1
end_workers

# --- a scan that no one can check: each page is a gap, whoever reads it
draw scan 120 --scan tiff --dpi 110 --seed 7
cp "$scratch/scan.schema.json" "$scratch/schemas/statement.schema.json"
serve scan --repeat
read_with
alone scan
: > "$scratch/worker.log"
for n in 1 2; do worker --fleet-window 1; done
spread scan
check "a scan of a reader that errs: the same record" same
check "its pages one by one" test "$(grep -c 'spread in windows of 1' "$scratch/worker.log")" = 1
end_workers
cp "$scratch/s300.schema.json" "$scratch/schemas/statement.schema.json"

# --- whoever dies, wherever: the same record
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }
minute_passes() { sql "update platen.lease set expires = '-infinity'; update platen.round set whole = '-infinity', floors = '-infinity'; select platen.tend('60 s', 5); update platen.ready set not_before = '-infinity'" > /dev/null; }
serve s300 --slow 0.05
read_with
alone s300
# dies WHERE SQL [COMMAND]: a worker is killed once SQL says so, and COMMAND done; two others end it
dies() {
    local where=$1 first many
    spread s300 & many=$!
    "$platen" fleet work --db "$db" --scratch "$scratch/machine" --fleet-window 2 "${reading[@]}" 2>> "$scratch/worker.log" & first=$!
    wait_for 30 is "$2" t || bad "killed $where" "that never was"
    kill -9 $first; wait $first 2> /dev/null
    minute_passes
    [ -z "${3:-}" ] || sql "$3" > /dev/null
    worker; worker
    wait $many
    check "killed $where: the same record" same
    check "and nothing is left of it" is 'select (select count(*) from platen.job) + (select count(*) from platen.result) + (select count(*) from platen.dead) + (select count(*) from platen.spread)' 0
    end_workers
}
dies "while it reads the first pages" "select count(*) = 1 from platen.lease"
dies "in a window" "select count(*) = 1 from platen.lease where job like '%.2'"
dies "in a window, and another one kills five" "select count(*) = 1 from platen.lease where job like '%.1'" \
    "with l as (delete from platen.ready where job like '%.3' returning *) insert into platen.lease select job, 7, class, 5, 'w', '-infinity', '-infinity' from l; update platen.round set whole = '-infinity', floors = '-infinity'; select platen.tend('60 s', 5)"
dies "while it joins them" "select count(*) = 1 from platen.lease l join platen.spread s using (job) where s.missing = 0"
check "the spool is whole" "$platen" fsck "$scratch/many"
exit $failed
