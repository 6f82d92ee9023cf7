#!/usr/bin/env bash
# fleet_secrets.sh - the passwords and keys of a fleet are in the processes that
# connect to it, and in no worker, reader or spawner.
set -u
subject='fleet secrets: '
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/postgres.sh"
[ -x "$pg_bin/postgres" ] || { echo "skip - ${subject}PostgreSQL is not installed"; exit 0; }
export PLATEN_OCR=off PLATEN_STABLE_FOR=0 PLATEN_MIN_FREE_SPACE=1 PLATEN_SCHEMAS=$root/tests/faults
trap 'kill $(jobs -p) 2> /dev/null; wait; postgres_end; finish' EXIT
postgres_begin || { bad "PostgreSQL starts" "$pg"; exit 1; }
mkdir "$scratch/store" "$scratch/machine"
"$platen" fleet init --db "$db" --store "$scratch/store" || exit 1
wait_until() { for _ in $(seq 200); do "$@" && return; sleep 0.05; done; return 1; }
is() { [ "$(sql "$1")" = "$2" ]; }
wall=planted-$$-conninfo-abcdefgh pgpassword=planted-$$-pgpassword-abcdefgh secret=planted-$$-s3secret-abcdefgh aws=planted-$$-awssecret-abcdefgh
printf 'any\n%s\n' "$secret" > "$scratch/key"
printf '[fleet]\nfleet = %s password=%s\nfleet_key_file = %s\n' "$db" "$wall" "$scratch/key" > "$scratch/file.conf"
printf '[fleet]\nfleet = %s\n' "$db" > "$scratch/environment.conf"
scan() { # scan NAME PID TEXT WANT: which processes have it
    local got rc
    for _ in $(seq 40); do # one that has just started reads or wipes it in a moment
        got=$("$root/tests/support/memory_scan.py" "$2" "$3" 2> "$scratch/why"); rc=$?
        got=$(tr '\n' , <<< "$got")
        [ $rc = 2 ] && { echo "skip - $subject$1: $(cat "$scratch/why")"; return; }
        [ "$got" = "$4" ] && { ok "$1"; return; }
        sleep 0.05
    done
    bad "$1" "$got"
}

cat > "$scratch/reader.py" <<'PY'
"""reader.py PID [SIGNAL]: waits for a reader below PID, sends it the signal, and prints its pid."""
import os, sys, time
def family(pid):
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        yield child
        yield from family(child)
until = time.monotonic() + 30
while time.monotonic() < until:
    try:
        for pid in family(sys.argv[1]):
            if open(f"/proc/{pid}/comm").read() == "platen-reader\n":
                os.kill(int(pid), int(sys.argv[2]) if sys.argv[2:] else 0)
                time.sleep(0.02 if sys.argv[2:] else 0)
                state = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
                if not sys.argv[2:] or state == "T":  # it may have been about to end
                    sys.exit(print(pid))
    except OSError:
        pass
PY

# --- a worker of the fleet, while a document is read
cat > "$scratch/server.py" <<'PY'
import socket, time
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); time.sleep(600)
PY
python3 "$scratch/server.py" > "$scratch/port" &
wait_until [ -s "$scratch/port" ]
reads() { # reads NAME [TEXT WHAT]... -- [VARIABLE=VALUE]... FLAG...: a worker with these
    local name=$1 scans=(); shift
    while [ "$1" != -- ]; do scans+=("$1"); shift; done; shift
    "$platen" fleet add "$root/tests/faults/good.png" --schema faults --db "$db" > /dev/null
    env "$@" "$platen" fleet work --scratch "$scratch/machine" --engine endpoint --endpoint "http://127.0.0.1:$(cat "$scratch/port")/v1" "${flags[@]}" 2> "$scratch/err" &
    local worker=$!
    wait_until is 'select count(*) from platen.lease' 1 && python3 "$scratch/reader.py" $worker > /dev/null
    for ((i = 0; i < ${#scans[@]}; i += 2)); do
        scan "$name: ${scans[i + 1]}" $worker "${scans[i]}" 'platen clean,platen clean,platen has it,platen-fetch clean,platen-reader clean,platen-spawner clean,'
    done
    kill $worker; wait $worker
    wait_until is 'select count(*) from platen.ready' 1
    sql 'truncate platen.ready, platen.job cascade' > /dev/null
}
flags=(); reads "a worker with platen.conf" "$wall" "the password in fleet" "$secret" "the key in fleet_key_file" -- PLATEN_CONFIG="$scratch/file.conf"
flags=(--db "$db password=$wall"); reads "a worker with a flag" "$wall" "the password in --db" "$secret" "the key" -- PLATEN_FLEET_KEY_FILE="$scratch/key"
flags=(); reads "a worker with the environment" "$wall" "the password in PLATEN_FLEET" "$pgpassword" PGPASSWORD "$aws" AWS_SECRET_ACCESS_KEY -- \
    PLATEN_FLEET="$db password=$wall" PGPASSWORD=$pgpassword AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY="$aws"

# --- a spool that feeds it, while a reader looks for separators
feeds() { # as reads: watch with these
    local name=$1 reloads=$2 scans=(); shift 2
    while [ "$1" != -- ]; do scans+=("$1"); shift; done; shift
    rm -rf "$scratch/s"; mkdir -p "$scratch/s/in/faults"
    env "$@" "$platen" watch "$scratch/s" --engine null --split barcode --jobs 1 --rescan 0.2 "${flags[@]}" 2> "$scratch/err" &
    local watcher=$! reader=
    if [ "$reloads" = 1 ]; then
        wait_until [ -d "$scratch/s/work" ]; sleep 0.3
        kill -HUP $watcher; wait_until grep -q 'was reloaded' "$scratch/err"
    fi
    python3 "$scratch/reader.py" $watcher 19 > "$scratch/reader" & local holder=$!
    for n in {1..100}; do # a reader may be too fast to be stopped
        cp "$root/tests/faults/stack.tif" "$scratch/s/in/faults/$n.tif"
        sleep 0.3; kill -0 $holder 2> /dev/null || break
    done
    wait $holder; reader=$(cat "$scratch/reader")
    for ((i = 0; i < ${#scans[@]}; i += 2)); do
        scan "$name: ${scans[i + 1]}" $watcher "${scans[i]}" 'platen can read it,platen clean,platen-fleet has it,platen-reader clean,platen-spawner clean,platen-watch clean,'
    done
    [ -z "$reader" ] || kill -CONT "$reader"
    # and what it hides still connects
    cp "$root/tests/faults/good.png" "$scratch/s/in/faults/"
    wait_until is 'select count(*) > 0 from platen.job' t && ok "$name: documents are handed over" || bad "$name: documents are handed over" "$(tail -3 "$scratch/err")"
    kill $watcher; wait $watcher
    sql 'truncate platen.ready, platen.job cascade' > /dev/null
}
flags=(); feeds "a feeder with platen.conf" 0 "$wall" "the password in fleet" "$secret" "the key in fleet_key_file" -- PLATEN_CONFIG="$scratch/file.conf"
flags=(--fleet "$db password=$wall"); feeds "a feeder with a flag" 1 "$wall" "the password, also after SIGHUP" -- A=b
flags=(); feeds "a feeder with the environment" 1 "$wall" "PLATEN_FLEET, also after SIGHUP" "$pgpassword" PGPASSWORD "$aws" AWS_SECRET_ACCESS_KEY -- \
    PLATEN_FLEET="$db password=$wall" PGPASSWORD=$pgpassword AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY="$aws"
PLATEN_CONFIG="$scratch/file.conf" "$platen" config > "$scratch/out" 2>&1
grep -q "^fleet = $db password=\*\*\* *; $scratch/file.conf:2" "$scratch/out" && ! grep -q "$wall\|$secret" "$scratch/out" && ok "config shows the address without them" || bad "config shows the address without them" "$(grep fleet "$scratch/out")"
exit $failed
