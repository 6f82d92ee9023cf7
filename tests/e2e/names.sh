#!/usr/bin/env bash
# names.sh - mistyped commands, flags, schemas, fields and variables are named with
# what was probably meant; exports are in order of arrival.
set -u
subject='names: '
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off
s=$scratch/s
says() { # says NAME CODE TEXT ARGUMENT...
    local name=$1 code=$2 text=$3; shift 3
    "$platen" "$@" > "$scratch/out" 2> "$scratch/err"; local got=$?
    [ $got = "$code" ] && grep -qF -- "$text" "$scratch/err" && ok "$name" || bad "$name" "exit $got: $(cat "$scratch/err")"
}
says "a command" 1 'exprot: no such command (did you mean export?)' exprot
says "a command after help" 1 'stauts: no such command (did you mean status?)' help stauts
says "a command that is like none" 1 'frobnicate: no such command; see platen help' frobnicate
says "a flag of the command" 1 '--done-oldr: no such flag (did you mean --done-older?)' prune x --done-oldr 9d
says "a key as a flag" 1 '--ocr-languges: no such flag (did you mean --ocr-languages?)' run x --ocr-languges eng
says "a schema" 9 "no schema reciept in" extract "$root/tests/faults/good.png" --schema reciept
says "and the one that was meant" 9 "(did you mean receipt?)" extract "$root/tests/faults/good.png" --schema reciept
export PLATEN_STABLE_FR=2 PLATEN_ROOT=/x PLATEN_PRUNE_AGE=90d
says "a variable" 0 'PLATEN_STABLE_FR is not a setting and is ignored (did you mean PLATEN_STABLE_FOR?)' config
[ "$(grep -c 'is not a setting' "$scratch/err")" = 1 ] && ok "and no others" || bad "and no others" "$(cat "$scratch/err")"
unset PLATEN_STABLE_FR PLATEN_ROOT PLATEN_PRUNE_AGE

mkdir -p "$s/in/receipt" "$s/in/Reciept"
cp "$root/tests/faults/good.png" "$s/in/Reciept/a.png"
# twenty that arrive within a second, their names against their order
for i in $(seq 20 -1 1); do { cat "$root/tests/faults/good.png"; echo "$i"; } > "$s/in/receipt/$i.png"; echo "$i.png"; sleep 0.01; done > "$scratch/order"
"$platen" run "$s" --engine null --stable-for 0 --min-free-space 1 --jobs 2 > /dev/null 2> "$scratch/err"
grep -q 'no schema Reciept in .*(did you mean receipt?).*platen retry with --schema NAME' "$scratch/err" && ok "a folder of in/" || bad "a folder of in/" "$(cat "$scratch/err")"
"$platen" export "$s" --to jsonl | sed -n 's/.*"name":"\([0-9]*.png\)".*/\1/p' | cmp -s - "$scratch/order" && ok "exports are in order of arrival" ||
    bad "exports are in order of arrival" "$("$platen" export "$s" --to jsonl | sed -n 's/.*"name":"\([0-9]*.png\)".*/\1/p' | tr '\n' ' ')"
says "export: a schema" 1 "--schema reciept: no record and no schema has this name (did you mean receipt?)" export "$s" --to jsonl --schema reciept
[ ! -s "$scratch/out" ] && ok "and exports nothing" || bad "and exports nothing" "$(head -2 "$scratch/out")"
says "export: a field" 1 "--rows itmes: no record has this field (did you mean items?)" export "$s" --to csv --rows itmes
says "export: rows are for CSV" 1 "--rows, --with and --dialect need --to csv" export "$s" --to jsonl --rows items
"$platen" export "$s" --to jsonl --schema letter > "$scratch/out" 2>&1 && [ ! -s "$scratch/out" ] && ok "export: a schema without records is no error" || bad "export: a schema without records is no error" "$(cat "$scratch/out")"
exit $failed
