#!/usr/bin/env bash
# progress.sh - a person sees how far a run is: one line on a terminal, and what
# `platen status` says meanwhile of the page at hand; kept pages after a kill.
subject="progress: "
. "$(dirname "$0")/../support/e2e.sh"
command -v script > /dev/null || { echo "skip - ${subject}script is not here"; exit 0; }
. "$root/tests/support/long.sh"
has() { # has VERDICT FILE PATTERN
    if grep -qE -- "$3" "$2"; then ok "$1"; else bad "$1" "$(tail -c 400 "$2" | tr '\r\033' '\n^')"; fi
}
spool=$scratch/spool
status() { "$platen" status "$spool" "$@" > "$scratch/status" 2>&1; }

draw s200 200
serve s200 --slow 0.4
fill_spool "$spool" s200
mkdir "$scratch/schemas"; cp "$scratch/s200.schema.json" "$scratch/schemas/statement.schema.json"
head -c 200 "$scratch/s200.pdf" > "$spool/in/statement/damaged.pdf"
run=("$platen" run "$spool" --schemas "$scratch/schemas" --stable-for 0 --jobs 2 --engine endpoint --endpoint "$url" --endpoint-parallel 1 "${small[@]}")
TERM=xterm script -qfec "stty cols 50; ${run[*]}" "$scratch/screen" > /dev/null < /dev/null &
for _ in $(seq 200); do grep -q 'page 6' "$scratch/screen" 2> /dev/null && break; sleep 0.05; done
status; cp "$scratch/status" "$scratch/text"; status --json
wait $!
sed 's/\r/\n/g; s/\x1b\[K/@/g' "$scratch/screen" > "$scratch/lines"
has "documents, page and minutes on one line" "$scratch/lines" '^1 of 2 documents, page [5-9] of 9, about 1 min left@'
has "no time is told before it can be" "$scratch/lines" 'page 2 of 9, [0-9]+ s'
grep 'of 2 documents' "$scratch/lines" > "$scratch/drawn"
grep -v '@$' "$scratch/drawn" > "$scratch/out" && bad "each drawing wipes what stood behind it" "$(head -3 "$scratch/out")" ||
    ok "each drawing wipes what stood behind it"
has "a message wipes the line" "$scratch/lines" '^@platen: statement/damaged.pdf: rasterise'
[ "$(tr -d @ < "$scratch/drawn" | wc -L)" = 47 ] && ok "the line is as wide as the terminal" || bad "the line is as wide as the terminal" "$(head -3 "$scratch/drawn")"
has "status shows the page at hand and the rate" "$scratch/text" '^ +page [6-9] of 9, [a-z]+, [0-9.]+ pages per minute, about 1 min left'
has "and for machines" "$scratch/status" '"pages_per_minute": [0-9.]+'
left=$(ls "$spool"/done/*/pace "$spool"/done/*/rows 2> /dev/null)
[ -z "$left" ] && "$platen" fsck "$spool" > "$scratch/out" && ok "nothing of it is left" || bad "nothing of it is left" "$left $(cat "$scratch/out")"

# where nothing can be wiped or a line is short: no escapes, no half numbers
fill_spool "$spool" s200
TERM=dumb script -qfec "stty cols 50; ${run[*]}" "$scratch/screen" > /dev/null < /dev/null
grep -q $'\033' "$scratch/screen" && bad "a dumb terminal gets no escapes" "$(tail -c 300 "$scratch/screen")" || ok "a dumb terminal gets no escapes"
fill_spool "$spool" s200
TERM=xterm script -qfec "stty cols 27; ${run[*]}" "$scratch/screen" > /dev/null < /dev/null
tail -n +2 "$scratch/screen" | sed 's/\r/\n/g; s/\x1b\[K//g' | grep '^[0-9]* of' | grep -v ' [0-9]* s' | sort -u > "$scratch/lines"
[ "$(cat "$scratch/lines")" = "0 of 1 document" ] && ok "half a number is never shown" || bad "half a number is never shown" "$(cat "$scratch/lines")"

# killed, and noise where the note was
fill_spool "$spool" s200
setsid "${run[@]}" > /dev/null 2> "$scratch/err" < /dev/null & group=$!
for _ in $(seq 200); do status --json; grep -q '"page": [5-8]' "$scratch/status" && break; sleep 0.05; done
kill -9 -- -$group; wait $group 2> /dev/null
status
has "after a kill status says what is kept" "$scratch/status" 'pages up to [4-8] of 9 are read and kept'
# what the killed one had at hand is nobody's now, though somebody has the document
touch -d '3 days ago' "$spool"/work/*/pace
: > "$scratch/all"
setsid "${run[@]}" > /dev/null 2> "$scratch/err" < /dev/null & group=$!
for _ in $(seq 40); do status; cat "$scratch/status" >> "$scratch/all"; grep -qE ' page [5-9] of' "$scratch/status" && break; sleep 0.05; done
kill -9 -- -$group; wait $group 2> /dev/null
grep -qE ' page [5-9] of 9, [a-z]+$' "$scratch/all" && ! grep -q ' for .* min' "$scratch/all" && ok "and of a new attempt nothing old" || bad "and of a new attempt nothing old" "$(sort -u "$scratch/all")"
for f in "$spool"/work/*/pace; do head -c 300 /dev/urandom > "$f"; done
status
has "a note of noise is no note" "$scratch/status" 's200'
grep -q 'as far as' "$scratch/status" && bad "a note of noise is no note" "$(cat "$scratch/status")"
"${run[@]}" > "$scratch/out" 2>&1
has "and hinders nobody" "$scratch/out" '^1 done, 0 failed'
exit $failed
