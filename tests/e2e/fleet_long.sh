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
check "five of them, and who finished the last one joined them" test "$(grep -c '\.[1-5]: done' "$scratch/worker.log") $(grep -c '[0-9a-f]: done' "$scratch/worker.log")" = "5 1"
check "and nothing was asked twice" test "$(requests)" = "$one"
check "the database has forgotten all of it" is 'select (select count(*) from platen.job) + (select count(*) from platen.result) + (select count(*) from platen.spread)' 0
check "the spool is whole" "$platen" fsck "$scratch/many"
kill $(jobs -p | grep -v "^$reader$"); wait $(jobs -p | grep -v "^$reader$") 2> /dev/null
exit $failed
