#!/usr/bin/env bash
# spool.sh - platen run, watch, status, retry and fsck on real spools.
set -u
subject=
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off # second.sh is about it
holds() { # holds NAME WHY COMMAND...: the command succeeds
    local name=$1 why=$2; shift 2
    if "$@" > "$scratch/out" 2>&1; then ok "$name"; else bad "$name" "$why: $(tail -2 "$scratch/out" | tr '\n' ' ')"; fi
}
good=$root/tests/faults/good.png
null=(--engine null --stable-for 0 --schemas "$root/tests/faults")
go() { "$platen" run "$s" "${null[@]}" "$@" > "$scratch/run.out" 2> "$scratch/run.err"; }
fresh() { s=$scratch/$1; mkdir -p "$s/in/faults"; }
count() { find "$s/$1" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l; }
status_is() { # status_is NAME KEY VALUE
    local got; got=$("$platen" status "$s" --json | sed -nE "s/^  \"$2\": ([0-9]+),?/\1/p")
    if [ "$got" = "$3" ]; then ok "$1"; else bad "$1" "status says $2 = $got, want $3"; fi
}
code_of() { grep -h '"code"' "$s"/failed/*/reason.json | head -1 | cut -d'"' -f4; }
# wait_for SECONDS COMMAND...: polls
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }

# --- a batch of everything
fresh batch
cp "$good" "$s/in/faults/a.png"; cp "$good" "$s/in/faults/b c.png"
printf 'no picture' > "$s/in/faults/"$'new\nline\xff.pdf'
: > "$s/in/faults/-rf"
cp "$good" "$s/in/faults/"'%s%n$(x).png'
cp "$good" "$s/in/loose.png"
mkdir -p "$s/in/nosuch"; cp "$good" "$s/in/nosuch/x.png"
ln -s /etc/passwd "$s/in/faults/link.png"; ln -s /nowhere "$s/in/faults/dangling"
mkfifo "$s/in/faults/fifo"; mkdir "$s/in/faults/deep"
: > "$s/in/faults/.hidden"; : > "$s/in/faults/x.pdf.part"; : > "$s/in/faults/~\$doc"
cp "$good" "$s/in/faults/$(printf 'n%.0s' {1..251}).png"
echo precious > "$scratch/precious"; ln "$scratch/precious" "$s/in/faults/hard.txt"
cp "$good" "$scratch/twin.png"; ln "$scratch/twin.png" "$s/in/faults/hard.png"
go; got=$?
[ $got = 16 ] && ok "a batch with failures ends with 16" || bad "a batch with failures ends with 16" "got $got"
status_is "good ones of a batch are done" done 5
status_is "bad ones of a batch have failed" failed 7
[ "$(count work)" = 0 ] && ok "nothing is left in work/" || bad "nothing is left in work/" "$(count work)"
holds "fsck is clean after a batch" fsck "$platen" fsck "$s"
holds "a name with newline and bad UTF-8 comes back byte by byte" "name.json" grep -rqF '"new%0Aline%FF.pdf"' "$s/failed" --include=name.json
[ -p "$s/in/faults/fifo" ] && [ -d "$s/in/faults/deep" ] && [ -e "$s/in/faults/x.pdf.part" ] && ok "FIFO, folder and ignored names stay" || bad "FIFO, folder and ignored names stay" "gone"
[ "$(grep -c 'fifo: is a FIFO' "$scratch/run.err")" = 1 ] && ok "a FIFO is reported once" || bad "a FIFO is reported once" "$(grep -c fifo "$scratch/run.err")"
holds "a link itself goes to failed/" "not there" find "$s/failed" -name doc -type l
[ "$(cat "$scratch/precious")" = precious ] && [ "$(stat -c %h "$scratch/precious")" = 1 ] && ok "a file with another name is copied, the other is left alone" || bad "a file with another name is copied, the other is left alone" "changed"
[ -f "$s/out/faults/a.json" ] && [ -f "$s/out/faults/b c.json" ] && ok "records are linked into out/ under their names" || bad "records are linked into out/ under their names" "$(ls "$s/out/faults")"
lines=$(wc -l < "$scratch/run.err"); [ "$lines" -lt 30 ] && ! grep -q $'\xff' "$scratch/run.err" && ok "one line an event, names escaped" || bad "one line an event, names escaped" "$lines lines"
grep -q '5 done, 7 failed' "$scratch/run.out" && ok "the summary counts them" || bad "the summary counts them" "$(tail -3 "$scratch/run.out")"
go; [ $? = 0 ] && ok "a second run finds nothing to do" || bad "a second run finds nothing to do" "$?"

# --- retry
"$platen" retry "$s" --reason no-schema 2> /dev/null
status_is "retry moves by reason" work 1
go --default-schema faults
status_is "a retried document is done" done 6
id=$(basename "$(dirname "$(grep -l unknown-schema "$s"/failed/*/reason.json | head -1)")")
"$platen" retry "$s" "$id" 2> /dev/null; mkdir -p "$scratch/schemas"
cp "$root"/tests/faults/faults.schema.json "$scratch/schemas/nosuch.schema.json"
"$platen" run "$s" --engine null --stable-for 0 --schemas "$scratch/schemas" -q > /dev/null 2>&1
status_is "retry by id" done 7
"$platen" retry "$s" --reason nonsense 2> /dev/null; [ $? = 1 ] && ok "an unknown reason is refused" || bad "an unknown reason is refused" "$?"
holds "fsck is clean after retries" fsck "$platen" fsck "$s"
holds "only attempts of the new series are kept" "attempt.2" test ! -e "$s/done/$id/attempt.2"

# --- the index is nothing but an index
rm -f "$s"/index.db*; status_is "the index may be deleted" done 7
head -c 5000 /dev/urandom > "$s/index.db"; rm -f "$s"/index.db-*
cp "$good" "$s/in/faults/after.png"; go
status_is "the index may be noise" done 8
holds "fsck makes it anew" rebuild "$platen" fsck "$s" --rebuild-index
"$platen" status "$s" | grep -q 'duplicate of' && ok "equal bytes are pointed out" || bad "equal bytes are pointed out" "no"

# --- garbage in the folders
fresh garbage
for p in work done failed; do
    mkdir -p "$s/$p/20260101T000000Z-0000000000000000/sub" "$s/$p/foreign"
    head -c 3000 /dev/urandom > "$s/$p/20260101T000000Z-0000000000000000/name.json"
    ln -sf /etc "$s/$p/20260101T000000Z-1111111111111111"
done
mkdir -p "$s/work/20260101T000000Z-2222222222222222"
cp "$good" "$s/work/20260101T000000Z-2222222222222222/doc"
truncate -s 2G "$s/work/20260101T000000Z-2222222222222222/name.json"
head -c 500 /dev/urandom > "$s/work/20260101T000000Z-2222222222222222/attempt.1"
head -c 500 /dev/urandom > "$s/work/20260101T000000Z-2222222222222222/reason.json"
cp "$good" "$s/in/faults/a.png"
go --default-schema faults
[ "$(ls "$s"/done/*/record.json | wc -l)" = 2 ] && ok "garbage in the folders stops nothing" || bad "garbage in the folders stops nothing" "$(cat "$scratch/run.err")"
[ -d "$s/done/foreign" ] && [ -L "$s/work/20260101T000000Z-1111111111111111" ] && ok "foreign things are left alone" || bad "foreign things are left alone" "gone"

# --- a result that was ready is committed without reading again
fresh ready
cp "$good" "$s/in/faults/a.png"; go
id=$(ls "$s/done"); mv "$s/done/$id" "$s/work/$id"; rm -f "$s/work/$id/delivered"
"$platen" run "$s" --engine native --model /nonexistent --stable-for 0 -q > /dev/null 2>&1
[ -e "$s/done/$id/delivered" ] && ok "a finished record is committed without an engine" || bad "a finished record is committed without an engine" "not in done/"

# --- out/ and its names
fresh names
cp "$good" "$s/in/faults/a.png"; { cat "$good"; echo; } > "$s/in/faults/a.jpg"; go --format json,xml
[ "$(ls "$s/out/faults" | wc -l)" = 4 ] && ok "two documents of one name get two records each" || bad "two documents of one name get two records each" "$(ls "$s/out/faults")"
rm "$s"/out/faults/*; go; [ "$(ls "$s/out/faults" | wc -l)" = 0 ] && ok "what a consumer took out of out/ stays out" || bad "what a consumer took out of out/ stays out" "back"
rm "$s"/done/*/delivered; go; [ "$(ls "$s/out/faults" | wc -l)" -ge 2 ] && ok "what was never delivered is" || bad "what was never delivered is" "no"

# --- environment
fresh weather
cp "$good" "$s/in/faults/a.png"
"$platen" run "$s" --engine native --model /nonexistent --mmproj /nonexistent --stable-for 0 --schemas "$root/tests/faults" > /dev/null 2> "$scratch/err"; got=$?
[ $got = 17 ] && [ "$(count failed)" = 0 ] && ! ls "$s"/work/*/attempt.* > /dev/null 2>&1 && ok "a missing model fails no document and charges no attempt" || bad "a missing model fails no document and charges no attempt" "code $got: $(cat "$scratch/err")"
"$platen" run "$s" "${null[@]}" --min-free-space 900T > /dev/null 2>&1; cp "$good" "$s/in/faults/b.png"
"$platen" run "$s" "${null[@]}" --min-free-space 900T > /dev/null 2>&1; got=$?
[ $got = 17 ] && [ -e "$s/in/faults/b.png" ] && ok "a full disk leaves documents where they are" || bad "a full disk leaves documents where they are" "code $got"
go; status_is "and a run after repair reads them all" done 2

# --- a full disk, really
if [ "$(id -u)" = 0 ] && mkdir "$scratch/small" && mount -t tmpfs -o size=700k none "$scratch/small" 2> /dev/null; then
    s=$scratch/small/s; mkdir -p "$s/in/faults"
    for i in 1 2 3 4 5 6; do cp "$good" "$s/in/faults/$i.png"; done
    head -c 700k /dev/zero > "$scratch/small/ballast" 2> /dev/null
    go --min-free-space 1; lost=$(count failed)
    rm "$scratch/small/ballast"; go --min-free-space 1
    [ "$lost" = 0 ] && [ "$(count failed)" = 0 ] && [ "$(count done)" = 6 ] && "$platen" fsck "$s" > /dev/null && ok "a really full disk fails nothing, and all goes on after it" || bad "a really full disk fails nothing, and all goes on after it" "failed $(count failed)"
    umount "$scratch/small"
else
    echo "skip - a really full disk: needs root and tmpfs"
fi

# --- in/ on another file system: copies, then removes
if [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d "$scratch")" ]; then
    fresh remote; rmdir "$s/in/faults" "$s/in"
    drop=$(mktemp -d /dev/shm/platen-in.XXXXXX); mkdir "$drop/faults"; ln -s "$drop" "$s/in"
    cp "$good" "$drop/faults/a.png"; printf x > "$drop/faults/b.pdf"; go
    [ "$(count done)" = 1 ] && [ "$(count failed)" = 1 ] && [ -z "$(ls "$drop/faults")" ] && ok "in/ may be another file system" || bad "in/ may be another file system" "$(cat "$scratch/run.err")"
    # away: an empty folder where a mount was
    mv "$drop" "$drop.away"; mkdir "$drop"; go; got=$?
    [ $got = 17 ] && [ -z "$(ls -A "$drop")" ] && grep -q 'not mounted.*\[disk\]' "$scratch/run.err" && ok "in/ that is not mounted is the environment, not an empty folder" || bad "in/ that is not mounted is the environment, not an empty folder" "code $got: $(cat "$scratch/run.err")"
    rmdir "$drop"; mv "$drop.away" "$drop"; cp "$good" "$drop/faults/c.png"; go
    [ "$(count done)" = 2 ] && ok "and mounted again it goes on" || bad "and mounted again it goes on" "$(cat "$scratch/run.err")"
    rm -rf "$drop"
else
    echo "skip - in/ on another file system: /dev/shm is not one"
fi

# --- out/ on another file system: copies
if [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d "$scratch")" ]; then
    fresh away; view=$(mktemp -d /dev/shm/platen-out.XXXXXX); ln -s "$view" "$s/out"
    cp "$good" "$s/in/faults/a.png"; { cat "$good"; echo; } > "$s/in/faults/a.jpg"; go --format json,xml
    rm -f "$s"/done/*/delivered; go --format json,xml # a crash before the mark
    [ "$(ls -A "$view/faults" | wc -l)" = 4 ] && [ "$(for id in "$s"/done/*/; do cat "$view"/faults/*.json | grep -c "$(basename "$id")"; done | sort -u)" = 1 ] && cmp -s <(cat "$view"/faults/*.xml | sort) <(cat "$s"/done/*/record.xml | sort) && ok "out/ may be another file system" || bad "out/ may be another file system" "$(ls -A "$view/faults") $(cat "$scratch/run.err")"
    rm -rf "$view"
else
    echo "skip - out/ on another file system: /dev/shm is not one"
fi

# --- settle
fresh settle
cp "$good" "$s/in/faults/a.png"
start=$(date +%s%N); "$platen" run "$s" "${null[@]}" --stable-for 1 -q > /dev/null 2>&1; took=$((($(date +%s%N) - start) / 1000000))
[ "$(count done)" = 1 ] && [ $took -ge 900 ] && ok "a fresh file is waited for" || bad "a fresh file is waited for" "$took ms"
{ cat "$good"; sleep 1; echo tail; } > "$s/in/faults/slow.png" & writer=$!
sleep 0.3; go; wait $writer
tail -c 5 "$s"/done/*/doc 2> /dev/null | grep -q tail && ok "a file that somebody still writes is waited for" || bad "a file that somebody still writes is waited for" "$(cat "$scratch/run.err")"

# --- watch
fresh watch
"$platen" watch "$s" "${null[@]}" --rescan 60 > "$scratch/watch.out" 2> "$scratch/watch.err" & watcher=$!
wait_for 5 test -d "$s/in" || true; wait_for 5 grep -q watching "$scratch/watch.err"; sleep 0.3
done_is() { [ "$(ls "$s/done" 2> /dev/null | wc -l)" = "$1" ]; }
cp "$good" "$s/in/faults/1.png"
wait_for 5 done_is 1 && ok "watch takes what is copied in" || bad "watch takes what is copied in" "$(cat "$scratch/watch.err")"
{ cat "$good"; echo 2; } > "$s/two"; mv "$s/two" "$s/in/faults/2.png"
wait_for 5 done_is 2 && ok "watch takes what is moved in" || bad "watch takes what is moved in" "no"
{ cat "$good"; echo 3; } > "$s/three"; ln "$s/three" "$s/in/faults/3.png"; rm "$s/three"
wait_for 5 done_is 3 && ok "watch takes what is linked in" || bad "watch takes what is linked in" "no"
mkdir "$s/in/later"; sleep 0.5; cp "$good" "$s/in/later/x.png"
wait_for 5 grep -q unknown-schema "$scratch/watch.err" && ok "watch sees a new sub-folder" || bad "watch sees a new sub-folder" "no"
mv "$s/in" "$s/in.old"; mkdir -p "$s/in/faults"; cp "$good" "$s/in/faults/4.png"
wait_for 20 done_is 4 && ok "watch finds in/ again after it was renamed away" || bad "watch finds in/ again after it was renamed away" "no"
head -c 100 /dev/urandom > "$s/index.db"; cp "$good" "$s/in/faults/5.png"
wait_for 5 done_is 5 && ok "noise in the index while watching stops nothing" || bad "noise in the index while watching stops nothing" "no"
kill -HUP $watcher; wait_for 5 grep -q 'was reloaded' "$scratch/watch.err" && ok "SIGHUP reads the configuration again" || bad "SIGHUP reads the configuration again" "no"
cp "$good" "$s/in/faults/6.png"; wait_for 5 done_is 6 && ok "and the work goes on" || bad "and the work goes on" "no"
start=$(date +%s%N); kill -TERM $watcher; wait $watcher; got=$?; took=$((($(date +%s%N) - start) / 1000000))
[ $got = 0 ] && [ $took -lt 5000 ] && ok "SIGTERM ends watch within 5 s" || bad "SIGTERM ends watch within 5 s" "code $got after $took ms"
# what it was told by events only slows down without them
"$platen" watch "$s" "${null[@]}" --rescan 1 -q > /dev/null 2> "$scratch/watch.err" & watcher=$!
sleep 0.5; for p in $(ps -o pid= --ppid $watcher); do kill -KILL "$p"; done
cp "$good" "$s/in/faults/7.png"
wait_for 6 done_is 7 && ok "without events the rescan finds it" || bad "without events the rescan finds it" "no"
kill -TERM $watcher; wait $watcher
holds "fsck is clean after watching" fsck "$platen" fsck "$s"

# --- the spool itself goes away, or another one takes its place
fresh gone
"$platen" watch "$s" "${null[@]}" --rescan 0.5 -q > /dev/null 2> "$scratch/watch.err" & watcher=$!
wait_for 5 test -d "$s/work"; mv "$s" "$s.elsewhere"; mkdir -p "$s/in"
wait $watcher; got=$?
[ $got = 5 ] && grep -q 'removed or replaced.*\[disk\]' "$scratch/watch.err" && ok "watch ends when the spool is not there any more" || bad "watch ends when the spool is not there any more" "code $got: $(cat "$scratch/watch.err")"

# --- two at once
fresh two
for i in $(seq 40); do { cat "$good"; echo "$i"; } > "$s/in/faults/$i.png"; done
go & one=$!; "$platen" run "$s" "${null[@]}" --jobs 3 -q > /dev/null 2>&1; wait $one
done_is 40 && "$platen" fsck "$s" > /dev/null && ok "two platen share one spool" || bad "two platen share one spool" "$(count done) done"
exit $failed
