#!/usr/bin/env bash
# dead_ends.sh - what a user can do with a file that went to the wrong folder, and
# with one that will never be read.
set -u
subject='dead ends: '
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off
s=$scratch/s good=$root/tests/faults/good.png
null=(--engine null --stable-for 0 --min-free-space 1 --schemas "$root/schemas")
check() { local name=$1; shift; if "$@"; then ok "$name"; else bad "$name" "$(tail -4 "$scratch/out" "$scratch/err" | tr '\n' ' ')"; fi; }
p() { local command=$1; shift; "$platen" "$command" "$s" "$@" > "$scratch/out" 2> "$scratch/err"; }
count() { find "$s/$1" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l; }
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }

# --- init
p init --schemas "$root/schemas"
check "init makes a folder for each schema" test "$(ls "$s/in")" = "$(cd "$root/schemas" && ls ./*.schema.json | sed 's|^\./||; s|\.schema\.json$||')"
check "and says what to drop where" grep -q "^  $s/in/receipt/   Receipt" "$scratch/out"
: > "$s/in/receipt/x.part"; p init --schemas "$root/schemas"; check "again it changes nothing" test $? = 0 -a -e "$s/in/receipt/x.part"
rm "$s/in/receipt/x.part"

# --- a file in the wrong folder
mkdir "$s/in/Reciept"; cp "$good" "$s/in/Reciept/wrong.png"; cp "$good" "$s/in/alone.png"
cp "$root/samples/bad/encrypted.pdf" "$s/in/receipt"; : > "$s/in/receipt/empty.pdf"
p run "${null[@]}"
check "a file in in/Reciept/ and one in in/ itself fail" test "$(count failed)" = 4
id_of() { basename "$(dirname "$(grep -l "\"$1" "$s"/*/*/name.json)")"; }
p retry "$(id_of wrong.png)" --schema reciept --schemas "$root/schemas"; got=$?
check "retry --schema: a schema that is none is refused, with what was meant" test $got = 9 -a "$(grep -c 'did you mean receipt' "$scratch/err")$(count failed)" = 14
p retry "$(id_of wrong.png)" "$(id_of alone.png)" --schema receipt --schemas "$root/schemas"
check "retry --schema gives both back" test $? = 0 -a "$(count failed)" = 2
p run "${null[@]}"
check "and they are read with it" test "$(ls "$s/out/receipt" | tr '\n' ' ')" = "alone.json wrong.json "
"$platen" fsck "$s" > "$scratch/out" 2>&1; check "fsck is content" test $? = 0
p retry --reason encryptd; check "a mistyped reason is named" grep -q 'encryptd is not a reason code (did you mean encrypted?)' "$scratch/err"

# --- one that will never be read
p dismiss; check "dismiss wants to know which" test $? = 1
p dismiss --reason encrypted; check "a failed document is dismissed" grep -q '1 document dismissed' "$scratch/err"
p status; check "status counts it apart" grep -qE '^  failed +2, 1 of them dismissed$' "$scratch/out"
check "and under no reason" test "$(grep -cE '^ +[0-9]+ \[(encrypted|empty)\]' "$scratch/out")" = 1
p status --json; check "and so in JSON" test "$(sed -nE 's/^  "dismissed": ([0-9]+),?/\1/p' "$scratch/out")" = 1
"$platen" validate --schema "$root/pipeline/ops/status.schema.json" "$scratch/out" > "$scratch/err" 2>&1; check "as its schema says" test $? = 0
"$platen" fsck "$s" > "$scratch/out" 2>&1; check "fsck knows the mark" grep -q 'clean (0 faults, 0 notes)' "$scratch/out"
p retry --all; check "retry --all leaves it alone" test "$(count work)$(count failed)" = 11
p run "${null[@]}"
p dismiss "$(id_of encrypted.pdf)" --undo; p status; check "--undo lists it again" grep -qE '^  failed +2$' "$scratch/out"
p dismiss --all; p retry "$(id_of encrypted.pdf)"; check "one named by its id is retried" test "$(count work)" = 1
p run "${null[@]}"; check "and is no longer dismissed" test ! -e "$s/failed/$(id_of encrypted.pdf)/dismissed"

exit $failed
