#!/usr/bin/env bash
# queue.sh - one document does not hold up another: a schema that takes long
# to load, a worker that is killed at the same document each time.
set -u
subject='queue: '
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off # second.sh is about it
good=$root/tests/faults/good.png
schemas=$scratch/schemas s=$scratch/s
mkdir "$schemas"
cp "$root/tests/faults/faults.schema.json" "$schemas/"
cp "$root/tests/faults/faults.schema.json" "$schemas/bane.schema.json"
options=(--engine null --stable-for 0 --schemas "$schemas" --jobs 1)
fresh() { # fresh: two in bane/, which come first, two in faults/
    rm -rf "$s"; mkdir -p "$s/in/faults" "$s/in/bane"
    cp "$good" "$s/in/bane/1.png"; cp "$good" "$s/in/bane/2.png"; sleep 0.02
    cp "$good" "$s/in/faults/3.png"; cp "$good" "$s/in/faults/4.png"
}
count() { find "$s/$1" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l; }
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }
is_done() { [ "$(count done)" = "$1" ]; }
tells() { grep -q "$1" "$scratch/log"; }
# who opens bane.schema.json never comes back, or is killed
${CC:-cc} -shared -fPIC -o "$scratch/beset.so" "$root/tests/preload/beset_open.c" ||
    { echo "skip - queue: no shared library can be built here"; exit 0; }
beset() { BESET_HOW=$1 BESET_PATH=bane.schema.json LD_PRELOAD=$scratch/beset.so "${@:2}" > /dev/null 2> "$scratch/log"; }
check() { local name=$1; shift; if "$@"; then ok "$name"; else bad "$name" "done $(count done), work $(count work), failed $(count failed): $(tail -3 "$scratch/log" | tr '\n' ' ')"; fi; }

# --- a schema that loads for ever
fresh
BESET_PATH=bane.schema.json LD_PRELOAD=$scratch/beset.so \
    "$platen" run "$s" "${options[@]}" --document-timeout 3 > /dev/null 2> "$scratch/log" &
run=$!
check "documents of other schemas pass one that loads" wait_for 3 is_done 2
check "and document_timeout ends it" wait_for 5 tells 'bane/1.png: trying again: .*document_timeout.*schema.*resource-time'
kill -TERM "$run"; began=${EPOCHREALTIME/./}
wait "$run"; got=$?
check "SIGTERM is obeyed at once while it loads" test "$got" = 130 -a $((${EPOCHREALTIME/./} - began)) -lt 1500000
check "nothing has failed" test "$(count failed)" = 0
"$platen" run "$s" "${options[@]}" > /dev/null 2>&1
check "and it is done when it loads" is_done 4
beset spin timeout -k 2 -s TERM 1 "$platen" extract "$good" --engine null --schema "$schemas/bane.schema.json"
got=$?
check "extract: SIGTERM is obeyed while it loads" test $got = 124
beset spin timeout 5 "$platen" extract "$good" --engine null --schema "$schemas/bane.schema.json" --document-timeout 1
got=$?
check "extract: document_timeout covers it" eval '[ $got = 7 ] && tells resource-time'

# --- a schema that takes long, in platen's own process: it looks up itself
awk 'BEGIN {
    printf "{\"type\":\"object\",\"$defs\":{"
    for (d = 0; d < 20; d++) {
        printf "%s\"d%d\":{\"type\":\"object\",\"properties\":{", d ? "," : "", d
        for (i = 0; i < 2000; i++)
            printf "%s\"k%d\":{\"type\":\"string\",\"pattern\":\"^[a-z]{1,200}(a|b|c%d_%d){1,100}$\"}", i ? "," : "", i, d, i
        printf "}}"
    }
    print "}}"
}' > "$schemas/slow.schema.json"
fresh; rm "$s"/in/faults/*; mv "$s/in/bane" "$s/in/slow"
own() { timeout -k 3 30 "$platen" run "$s" "${options[@]}" --in-process "$@" > /dev/null 2> "$scratch/log" & run=$!; }
own; wait_for 3 test -e "$s"/work/*/attempt.1.begin; sleep 0.3
kill -TERM "$run"; began=${EPOCHREALTIME/./}
wait "$run"; got=$?
check "in-process: SIGTERM is obeyed while it loads" test "$got" = 130 -a $((${EPOCHREALTIME/./} - began)) -lt 1500000
check "and no attempt is charged" eval 'test -z "$(find "$s" -name "attempt.1.*")" && [ "$(count work)" = 1 ]'
own --document-timeout 1
check "in-process: document_timeout ends it" wait_for 5 tells 'trying again: .*schema.*document_timeout.*resource-time'
kill -TERM "$run"; wait "$run"

# --- a worker that is killed each time (the kernel's want of memory, say)
fresh
beset kill "$platen" run "$s" "${options[@]}"
got=$?
check "a document at which workers are killed stops no other" test "$got $(count done) $(count work) $(count failed)" = "15 2 2 0"
"$platen" status "$s" --json > "$scratch/log"
check "it is set back, and status says so" eval 'tells "\"deferred\": 2" && tells "signal 9"'
cp "$good" "$s/in/faults/5.png"
"$platen" run "$s" "${options[@]}" -v 2>&1 > /dev/null | grep -o '[a-z0-9]*/[0-9].png: done' > "$scratch/log"
check "others go first in the next run" test "$(head -1 "$scratch/log")" = "faults/5.png: done"
check "and it is done when nobody kills" is_done 5

# --- a disk that makes nothing durable is not one document's fault
if command -v strace > /dev/null; then
    rm -rf "$s"; mkdir -p "$s/in"; "$platen" run "$s" "${options[@]}" > /dev/null 2>&1
    mkdir "$s/in/faults"; cp "$good" "$s/in/faults/1.png"; cp "$good" "$s/in/faults/2.png"
    strace -f -qq -o /dev/null -e trace=fsync -e inject=fsync:error=EIO "$platen" run "$s" "${options[@]}" > /dev/null 2> "$scratch/log"
    got=$?
    check "what a probe confirms is the environment, of no document" eval '[ $got = 17 ] && [ "$(count failed)" = 0 ] && ! tells "cannot be taken" && ! tells deferred'
    "$platen" run "$s" "${options[@]}" > /dev/null 2>&1
    check "and they are done when it can" is_done 2
fi
exit $failed
