#!/usr/bin/env bash
# counts.sh - what run and status tell of a queue: what needs review, what failed and
# why, what is on hold and until when, what is ignored.
set -u
subject='counts: '
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off # second.sh is about it
s=$scratch/s
null=(--engine null --stable-for 0 --schemas "$root/tests/faults" --min-free-space 1)
go() { "$platen" run "$s" "${null[@]}" "$@" > "$scratch/out" 2> "$scratch/err"; }
status() { "$platen" status "$s" "$@" > "$scratch/out" 2> "$scratch/err"; }
has() { grep -qE -- "$2" "$scratch/$1" && ok "$3" || bad "$3" "no $2 in: $(cat "$scratch/$1")"; }
hasnt() { grep -qE -- "$2" "$scratch/$1" && bad "$3" "$2 in: $(cat "$scratch/$1")" || ok "$3"; }
member() { sed -nE "s/^  \"$1\": ([0-9]+),?/\1/p" "$scratch/out"; }
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }

mkdir -p "$s/in/faults"
for i in 1 2 3; do { cat "$root/tests/faults/good.png"; echo $i; } > "$s/in/faults/$i.png"; done
cp "$root/samples/bad/encrypted.pdf" "$root/samples/bad/empty.pdf" "$s/in/faults"; echo nonsense > "$s/in/faults/bad.png"; echo other > "$s/in/faults/bad2.png"
: > "$s/in/faults/later.part"; : > "$s/in/.hidden"
go; got=$?
[ $got = 16 ] && ok "some failed" || bad "some failed" "exit $got"
has out '^3 done, 4 failed$' "run: a summary"
has out '^ +3 need review: platen review ' "run: how many need review"
has out '^ +2 failed \[unknown-type\]: .' "run: failures by reason, with what to do"
has out '^ +1 failed \[encrypted\]: .' "run: each reason"
hasnt err '1\.png' "run: no line for what is done"
hasnt out '^document' "run: no table"
has err 'faults/bad.png: .*\[unknown-type\]' "run: failures as they happen"
status
has out '^  in +0 waiting, 2 files ignored$' "status: how many files are ignored"
has out '^ +ignored: in/faults/later.part$' "status: which"
has out '^  done +3, 3 need review' "status: how many need review"
status --json
[ "$(member review) $(member ignored)" = "3 2" ] && grep -q '"faults/later.part"' "$scratch/out" && ok "status --json likewise" || bad "status --json likewise" "$(cat "$scratch/out")"
"$platen" validate --schema "$root/pipeline/ops/status.schema.json" "$scratch/out" > "$scratch/valid" 2>&1 && ok "it is as its schema says" || bad "it is as its schema says" "$(cat "$scratch/valid")"
# an index of an older platen knows nothing of reviews
command -v sqlite3 > /dev/null && sqlite3 "$s/index.db" 'ALTER TABLE document DROP COLUMN review' && status &&
    has out '^  done +3, 3 need review' "status: an older index is made again"

# --- quiet and verbose
{ cat "$root/tests/faults/good.png"; echo 1; } > "$s/in/faults/same.png"
go -q; [ ! -s "$scratch/out" ] && [ ! -s "$scratch/err" ] && ok "--quiet says nothing, of duplicates either" || bad "--quiet says nothing, of duplicates either" "$(cat "$scratch/out" "$scratch/err")"
{ cat "$root/tests/faults/good.png"; echo 1; } > "$s/in/faults/again.png"
go -v
has err 'faults/again.png: done in .*, unread' "--verbose: a line for each document"
has err 'faults/again.png: duplicate of [0-9TZ]+-[0-9a-f]+, which is done' "--verbose: duplicates"
has out '^again.png +faults +done, unread' "--verbose: a table"
{ cat "$root/tests/faults/good.png"; echo 5; } > "$s/in/faults/json.png"
go --log-format json; has err '"event":"done"' "a program that reads the log hears of each document"

# --- a queue on hold
{ cat "$root/tests/faults/good.png"; echo 6; } > "$s/in/faults/6.png"
"$platen" run "$s" "${null[@]}" --min-free-space 900T > /dev/null 2>&1; got=$?
[ $got = 17 ] && ok "a run without room ends with 17" || bad "a run without room ends with 17" "$got"
status; has out 'on hold since 20[0-9TZ:-]+, until platen runs again:$' "status says that the queue is on hold"
has out '\[disk\] less than .*\(min_free_space\)' "and why"
"$platen" watch "$s" "${null[@]}" --min-free-space 900T --rescan 0.2 > /dev/null 2>&1 & watch=$!
held() { status; grep -qE 'on hold since .*, next try at 20[0-9TZ:-]+:$' "$scratch/out"; }
wait_for 10 held && ok "of a watch: until when" || bad "of a watch: until when" "$(cat "$scratch/out")"
status --json; "$platen" validate --schema "$root/pipeline/ops/status.schema.json" "$scratch/out" > "$scratch/valid" 2>&1 && ok "that is as its schema says" || bad "that is as its schema says" "$(cat "$scratch/valid")"
kill $watch; wait $watch
go; status; hasnt out 'on hold' "a run that goes well ends it"
"$platen" fsck "$s" > "$scratch/out" 2>&1; has out 'clean \(0 faults, 0 notes\)' "fsck knows all of it"
exit $failed
