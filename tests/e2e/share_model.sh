#!/usr/bin/env bash
# reader.sh: one process holds the model for all documents in flight. Records are those of each document alone;
# whoever ends the reader, stops it, or ends a worker loses no document, and none is blamed.
subject="reader: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
files=(samples/good/{kiosk.png,cafe.pdf,two-pages.pdf,turned-page.pdf,four-colours.jpg,fax-two-pages.tiff,bistro.webp})
n=14
fill() { # fill SPOOL: each file twice, under names that say which
    mkdir -p "$1/in/receipt"
    for f in "${files[@]}"; do
        for i in 1 2; do cp "$f" "$1/in/receipt/$i-$(basename "$f")"; done
    done
}
run() { # run SPOOL ARGUMENT...: in the foreground of who calls it
    "$platen" run "$1" --stable-for 0 --ocr off "${@:2}" > "$1.out" 2> "$1.err"
}
begin() { # begin NAME ARGUMENT...: sets spool, pid
    spool=$scratch/$1
    fill "$spool"
    "$platen" run "$spool" --stable-for 0 --ocr off --share-model on "${@:2}" > "$spool.out" 2> "$spool.err" &
    pid=$!
}
reader_of() { pgrep -P "$1" -x platen-model; } # of a run
await_reader() {
    for _ in $(seq 200); do reader_of "$pid" > /dev/null && return; sleep 0.02; done
    return 1
}
content() { # content SPOOL: its records, but for when and how fast
    python3 - "$1" << 'PY'
import glob, json, os, sys
for path in sorted(glob.glob(sys.argv[1] + "/out/receipt/*.json")):
    r = json.load(open(path))
    for key in ("id", "created", "seconds"): del r[key]
    print(os.path.basename(path), json.dumps(r, sort_keys=True))
PY
}
same() { # same NAME: all are there, none failed, all as they were without a reader
    local left
    left=$(ls "$spool/work" "$spool/failed" 2> /dev/null | grep -c '^2')
    content "$spool" > "$scratch/got"
    [ "$(wc -l < "$scratch/got")" = $n ] && [ "$left" = 0 ] && cmp -s "$scratch/want" "$scratch/got" && ok "$1" ||
        bad "$1" "$(wc -l < "$scratch/got") records, $left left; $(diff "$scratch/want" "$scratch/got" | cut -c -300 | head -3); $(tail -n3 "$spool.err")"
}
unblamed() { ! grep -rqs '"outcome": *"\(crash\|reject\)' "$spool"/done/*/attempt.*; }

spool=$scratch/off
fill "$spool"
run "$spool" --share-model off --jobs 2 || bad "the samples are read without a reader" "$(tail -n1 "$spool.err")"
content "$spool" > "$scratch/want"

# what the reader may do once it has the model: nothing of what /proc tells
confined() { # confined PID: without its layers prints which
    local net
    [ "$(awk '/^Seccomp:/ {print $2}' "/proc/$1/status" 2> /dev/null)" = 2 ] || { echo "no seccomp"; return; }
    awk '/^Uid:/ && $2 == 0 {print "root"} /^CapEff:/ && $2 !~ /^0*$/ {print "capabilities"} /^NoNewPrivs:/ && $2 != 1 {print "new privileges"}' "/proc/$1/status"
    net=$(readlink "/proc/$1/ns/net") && [ "$net" = "$(readlink /proc/self/ns/net)" ] && echo "network"
    ls -l "/proc/$1/fd" 2> /dev/null | awk '/ -> / && !/ [0-2] -> / && !/socket:|pipe:/ {print "open:", $NF}'
}
begin on
await_reader && reader=$(reader_of $pid)
for _ in $(seq 200); do open_to=$(confined "$reader" 2> /dev/null); [ "$open_to" ] || break; sleep 0.01; done
wait $pid; code=$?
[ "$reader" ] && [ -z "$open_to" ] && ok "it is sandboxed" || bad "it is sandboxed" "$reader: $open_to"
[ $code = 0 ] || bad "a run with a reader ends well" "$code $(tail -n1 "$spool.err")"
same "records of four documents at a time are those of each alone"

# to whom the model is new: workers look at it through the reader, in a home without a cache
spool=$scratch/new
mkdir -p "$spool/in/receipt" "$scratch/home"
cp samples/good/kiosk.png "$spool/in/receipt/"
env -i HOME="$scratch/home" PATH="$PATH" "$platen" run "$spool" --stable-for 0 > "$spool.out" 2> "$spool.err" &
await_reader_of() { for _ in $(seq 200); do reader_of $! > /dev/null && return; kill -0 $! 2> /dev/null || return; sleep 0.01; done; }
await_reader_of; seen=$(reader_of $!)
wait $!; code=$?
[ $code = 0 ] && [ "$seen" ] && [ -s "$spool/out/receipt/kiosk.json" ] && grep -q '"verdict":"sane"' "$scratch"/home/.cache/platen/*.check.json &&
    ok "it is the default, and a model that is new is looked at" || bad "it is the default, and a model that is new is looked at" "$code $(tail -n2 "$spool.err")"

begin pages --n-ctx 700 --jobs 3
wait $pid
run_off=$scratch/pages-off
fill "$run_off"
run "$run_off" --n-ctx 700 --jobs 1
content "$run_off" > "$scratch/want-pages"
content "$spool" > "$scratch/got"
cmp -s "$scratch/want-pages" "$scratch/got" && [ -s "$scratch/got" ] && ok "and so are those of pages asked about in parts" ||
    bad "and so are those of pages asked about in parts" "$(diff "$scratch/want-pages" "$scratch/got" | cut -c -200 | head -3)"

# of two documents of 300 pages neither holds up a receipt that comes later
python3 - "$scratch/long.pdf" << 'PY'
import sys
sys.path.insert(0, "tests/support")
from pdf_objects import pdf_of
n = 300
pages = [b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 420 595]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>" % (4 + n + i) for i in range(n)]
text = [b"BT /F 12 Tf 40 %d Td (%s) Tj ET" % (500 - 20 * (i % 9), b"Shop %d, total 12.%02d" % (i, i % 100)) for i in range(n)]
open(sys.argv[1], "wb").write(pdf_of([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count %d/Kids[%s]>>" %
    (n, b" ".join(b"%d 0 R" % (4 + i) for i in range(n))), b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"] + pages +
    [b"<</Length %d>>stream\n%s\nendstream" % (len(t), t) for t in text]))
PY
spool=$scratch/fair
mkdir -p "$spool/in/receipt"
cp "$scratch/long.pdf" "$spool/in/receipt/"
(cat "$scratch/long.pdf"; echo) > "$spool/in/receipt/other.pdf"
"$platen" watch "$spool" --stable-for 0 --rescan 0.2 --ocr off > "$spool.out" 2> "$spool.err" & pid=$!
for _ in $(seq 200); do "$platen" status "$spool" 2> /dev/null | grep -q 'page [0-9]* of 300' && break; sleep 0.05; done
cp samples/good/kiosk.png "$spool/in/receipt/"
for _ in $(seq 400); do [ -e "$spool/out/receipt/kiosk.json" ] && break; sleep 0.05; done
at_hand=$(ls "$spool/work" | wc -l)
kill -TERM $pid; wait $pid
[ -e "$spool/out/receipt/kiosk.json" ] && [ "$at_hand" = 2 ] && ok "long documents hold up no receipt" ||
    bad "long documents hold up no receipt" "$at_hand at hand: $(ls "$spool/out/receipt" 2> /dev/null | tr '\n' ' ') $(tail -n2 "$spool.err")"

# who ends the reader
for round in 1 2 3; do
    begin "kill-$round"
    for _ in $(seq $((round % 3 + 1))); do
        await_reader || break
        sleep "0.$((RANDOM % 60 + 10))"
        victim=$(reader_of $pid) && kill -9 "$victim" 2> /dev/null
    done
    wait $pid; code=$?
    [ $code = 0 ] && unblamed || bad "a run whose reader is killed ends well" "$code $(tail -n2 "$spool.err")"
    same "kill -9 of the reader, round $round: all records are there, and nobody is blamed"
done

begin always
while kill -0 $pid 2> /dev/null; do
    victim=$(reader_of $pid) && kill -9 $victim 2> /dev/null
    sleep 0.05
done
wait $pid; code=$?
[ $code = 0 ] && unblamed && same "where every reader is killed at once, workers read for themselves" ||
    bad "where every reader is killed at once, workers read for themselves" "$code $(tail -n2 "$spool.err")"

# one that says nothing
begin stopped --page-timeout 2
await_reader && sleep 0.3 && victim=$(reader_of $pid) && kill -STOP $victim
wait $pid; code=$?
[ $code = 0 ] && grep -q 'sent no heartbeat for 2 s' "$spool.err" && unblamed && same "a reader that hangs is ended and started anew" ||
    bad "a reader that hangs is ended and started anew" "$code $(tail -n2 "$spool.err")"

# SIGHUP: a new reader behind a new door, while documents are at hand; the old one ends with its last worker
spool=$scratch/hup
fill "$spool"
printf '[engine]\nshare_model = on\n' > "$scratch/hup.conf"
"$platen" watch "$spool" --config "$scratch/hup.conf" --stable-for 0 --ocr off --rescan 0.2 > "$spool.out" 2> "$spool.err" & pid=$!
await_reader && first=$(reader_of $pid | head -1); sleep 0.3
kill -HUP $pid
for _ in $(seq 100); do last=$(reader_of $pid | tail -1); [ "${last:-$first}" != "$first" ] && break; sleep 0.05; done
[ "$last" ] && [ "$last" != "$first" ] && ok "SIGHUP while documents are at hand: a new reader" || bad "SIGHUP while documents are at hand: a new reader" "$first, then $last: $(tail -n2 "$spool.err")"
for _ in $(seq 600); do [ -z "$(ls "$spool/work" "$spool/in/receipt" 2> /dev/null | grep -v '^work\|^$\|:$')" ] && break; sleep 0.1; done
for _ in $(seq 100); do kill -0 "$first" 2> /dev/null || break; sleep 0.1; done
kill -0 "$first" 2> /dev/null && bad "the old one ends with its last worker" "it still runs: $(grep -E "State|PPid" /proc/$first/status | tr "\n" " ")" || ok "the old one ends with its last worker"
kill -TERM $pid; wait $pid; code=$?
[ $code = 0 ] && unblamed && ! ls "$spool/failed" | grep -q . && [ "$(ls "$spool/work")" = "" ] && ok "no document was lost, and nobody blamed" || bad "no document was lost, and nobody blamed" "$code $(ls "$spool/failed" "$spool/work" | head -3) $(tail -n2 "$spool.err")"

# who ends a worker
begin worker
await_reader && sleep 0.4
before=$(reader_of $pid)
victim=$(pgrep -P $pid -x platen | head -1)
kill -9 "$victim" 2> /dev/null
sleep 0.3
after=$(reader_of $pid)
wait $pid
[ "$before" ] && { [ "$before" = "$after" ] || ! kill -0 $pid 2> /dev/null; } && ok "a worker that is killed does not end the reader" ||
    bad "a worker that is killed does not end the reader" "$before, then $after: $(tail -n2 "$spool.err")"
run "$spool" --share-model on
unblamed && same "and its document is read by the next run at the latest"

# nothing is left behind
sleep 0.2
[ -z "$(pgrep -x platen-model -P 1)" ] && ok "no reader outlives its run" || bad "no reader outlives its run" "$(pgrep -x platen-model -P 1)"
exit $failed
