#!/usr/bin/env bash
# alloc.sh [EVERY] [stack] - the n-th allocation fails, for every EVERY-th n: of platen
# and of all its libraries. extract: the whole record, or no record, a line on
# stderr and a documented exit code. run: the same, fsck is clean, and a second
# run finds every document where it must be, with nobody blamed.
set -u
. "$(dirname "$0")/lib.sh"
every=${1:-1}
[ "${2:-}" = stack ] && . "$(dirname "$0")/stack.sh"
# A platen with AddressSanitizer (PLATEN=build/asan/platen) says what was leaked,
# with exit code 99.
sanitizer=
grep -q __asan_init "$platen" && sanitizer=-DBELOW_SANITIZER
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=1:exitcode=99
${CC:-cc} -shared -fPIC -O1 -fno-omit-frame-pointer $sanitizer -o "$scratch/fail.so" "$root/tests/preload/fail_alloc.c" 2> "$scratch/cc" ||
    { echo "skip - alloc: no shared library can be built here"; exit 0; }
points=0 failed=0
with() { timeout -s KILL 60 env LD_PRELOAD="$scratch/fail.so" "$@"; }
count() { FAIL_ALLOC_COUNT=$scratch/count with "$@" > /dev/null 2>&1; cat "$scratch/count"; }
bad() { failed=$((failed + 1)); echo "not ok - alloc: $1: allocation $n of $total: $2: $(head -c 300 "$scratch/err" | tr '\n' ' ')"; }
documented=" 0 1 2 3 4 5 7 9 15 16 17 "
steady() { grep -vE '"(id|created|started|seconds|.*_s|.*_at)"|T[0-9:]+Z|[0-9]\.[0-9]{3}' "$1"; }

# every EVERY-th, and the last ones: a record that was given is not taken back
numbers() { seq $((1 + RANDOM % every)) "$every" "$total"; [ "$every" = 1 ] || seq $((total - 2)) "$total"; }

extract_all() { # extract_all FORMAT
    local extract=("$platen" extract "$root/tests/faults/good.png" --engine null --schema "$root/tests/faults/faults.schema.json" --format "$1")
    "${extract[@]}" > "$scratch/want" 2> /dev/null
    total=$(count "${extract[@]}")
    for n in $(numbers); do
        FAIL_ALLOC=$n with "${extract[@]}" > "$scratch/out" 2> "$scratch/err"
        code=$?; points=$((points + 1))
        [[ $documented == *" $code "* ]] || { bad "extract $1" "exit code $code"; continue; }
        if [ $code = 0 ]; then
            [ "$(steady "$scratch/out")" = "$(steady "$scratch/want")" ] || bad "extract $1" "another record, and exit code 0"
        else
            [ -s "$scratch/err" ] || bad "extract $1" "exit code $code without a word"
            [ ! -s "$scratch/out" ] || bad "extract $1" "exit code $code, and yet a record"
        fi
    done
}
extract_all json
extract_all xml

make_spool "$scratch/template"
hashes=$(expected "$scratch/template")
cp -a "$scratch/template" "$scratch/s"
total=$(count "$platen" run "$scratch/s" "${options[@]}" --in-process)
for n in $(numbers); do
    s=$scratch/s; rm -rf "$s"; cp -a "$scratch/template" "$s"
    FAIL_ALLOC=$n with "$platen" run "$s" "${options[@]}" --in-process > /dev/null 2> "$scratch/err"
    code=$?; points=$((points + 1))
    [[ $documented == *" $code "* ]] || { bad run "exit code $code"; continue; }
    if [ $code = 0 ]; then
        why=$(check "$s" "$hashes" strict) || bad run "exit code 0, and $why"
    else
        [ $code = 16 ] || [ -s "$scratch/err" ] || bad run "exit code $code without a word"
    fi
    if [ -d "$s/failed" ]; then
        "$platen" fsck "$s" > "$scratch/fsck" 2>&1 || bad run "fsck: $(grep fault: "$scratch/fsck" | head -1)"
    fi
    "$platen" run "$s" "${options[@]}" > /dev/null 2>&1
    why=$(check "$s" "$hashes" strict) || bad run "$why"
done
echo "faults alloc: $points allocations failed, $failed failures"
[ $points -gt 0 ] || { echo "not ok - alloc: no point was run"; exit 1; }
[ $failed = 0 ] && echo "ok - alloc: $points failing allocations, nothing lost, nothing wrong"
exit $((failed > 0))
