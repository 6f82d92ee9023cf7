#!/usr/bin/env bash
# spool_guard.sh - what one file, one writer, one full folder or one dead process
# may do to a spool: nothing to the others, nothing to what was published.
set -u
subject=
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off # second.sh is about it
for_another_user
good=$others/good.png
null=(--engine null --stable-for 0 --schemas "$others")
fresh() { s=$scratch/$1; mkdir -p "$s/in/faults"; }
exec 3>&1
in_time() { # a run that does not end is no run that holds the others up
    timeout -s KILL 30 "$@"; local code=$?
    [ $code != 137 ] || { bad "a run ends" "killed after 30 s: $*" >&3; exit 1; }
    return $code
}
go() { in_time "$platen" run "$s" "${null[@]}" "$@" > "$scratch/run.out" 2> "$scratch/run.err"; }
count() { find "$s/$1" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l; }
is() { # is NAME WANT GOT [MORE]
    if [ "$2" = "$3" ]; then ok "$1"; else bad "$1" "$3, want $2; ${4:-} $(tail -3 "$scratch/run.err" 2> /dev/null | tr '\n' ' ')"; fi
}
status_of() { "$platen" status "$s" --json 2> /dev/null | sed -nE "s/^  \"$1\": ([0-9]+),?/\1/p"; }
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }
bound() { # is each record of done/ bound to the bytes beside it?
    local d
    for d in "$s"/done/*/; do grep -q "$(sha256sum < "$d/doc" | cut -c1-64)" "$d/record.json" || return 1; done
}
root_only() { [ "$(id -u)" = 0 ] && return 0; echo "skip - $1: needs root"; return 1; }
as_nobody() { in_time setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

# --- in/ on another file system: each entry is its own problem
if [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d "$scratch")" ]; then
    fresh remote; rmdir "$s/in/faults" "$s/in"
    drop=$(mktemp -d /dev/shm/platen-guard.XXXXXX); mkdir "$drop/faults"; ln -s "$drop" "$s/in"
    ln -s /etc/passwd "$drop/faults/a-link.png"; ln -s /nowhere "$drop/faults/b-dangling"
    truncate -s 50G "$drop/faults/c-sparse.pdf"; : > "$drop/faults/d-empty.pdf"
    cp "$good" "$drop/faults/z.png"
    go; got=$?
    is "a link, a huge file and a good one in in/ elsewhere: the good one is done" 1 "$(count done)"
    is "links are copied as links and fail" 2 "$(find "$s/failed" -name doc -type l | wc -l)"
    [ "$(readlink "$s"/failed/*/doc | grep -c passwd)" = 1 ] && ! grep -rqs root: "$s/failed" && ok "their targets are not opened" || bad "their targets are not opened" "$(ls -l "$s"/failed/*/doc)"
    is "the huge one is left, and the run says so" 5/yes "$got/$(grep -q 'c-sparse.pdf: .*max_document_bytes' "$scratch/run.err" && echo yes)"
    is "no copy of it is left over" 0 "$(count work)" "$(du -s "$s")"
    cp "$good" "$drop/faults/y.png"; go
    is "nor does it stop the next run" 2 "$(count done)"
    go --min-free-space 1 --max-document-bytes 300
    { cat "$good"; head -c 4000 /dev/zero; } > "$drop/faults/x.png"; go --max-document-bytes 4k
    is "the limit counts for what is copied" 2/0 "$(count done)/$(count work)"
    if root_only "a file of in/ that platen may not read"; then
        fresh nobody; rmdir "$s/in/faults" "$s/in"; ln -s "$drop" "$s/in"; rm -f "$drop"/faults/* "$drop/.platen"
        cp "$good" "$drop/faults/a-secret.png"; chmod 600 "$drop/faults/a-secret.png"; cp "$good" "$drop/faults/b.png"
        chmod 755 "$scratch"; chown -R 65534 "$s"; chown 65534 "$drop" "$drop/faults" "$drop/faults/b.png"
        as_nobody "$platen" run "$s" "${null[@]}" > "$scratch/run.out" 2> "$scratch/run.err"; got=$?
        is "a file that cannot be read stops no other" 1/5/yes "$(count done)/$got/$(grep -q 'a-secret.png' "$scratch/run.err" && echo yes)"
    fi
    rm -rf "$drop"
else
    echo "skip - in/ on another file system: /dev/shm is not one"
fi

# --- a folder that cannot be listed
if root_only "a folder that cannot be listed"; then
    fresh locked; mkdir "$s/in/closed"; cp "$good" "$s/in/faults/a.png"; cp "$good" "$s/in/closed/b.png"
    chmod 755 "$scratch"; chown -R 65534 "$s"; chown 0 "$s/in/closed"; chmod 700 "$s/in/closed"
    as_nobody "$platen" run "$s" "${null[@]}" > "$scratch/run.out" 2> "$scratch/run.err"; got=$?
    is "a folder that cannot be listed is an error of the run" 5/1/yes "$got/$(count done)/$(grep -q 'in/closed: Permission denied' "$scratch/run.err" && echo yes)"
    as_nobody "$platen" status "$s" > "$scratch/out" 2>&1; got=$?
    is "and of status" 5/yes "$got/$(grep -q 'in/closed: Permission denied' "$scratch/out" && echo yes)"
    as_nobody "$platen" fsck "$s" > "$scratch/out" 2>&1; got=$?
    is "and of fsck" 5/yes "$got/$(grep -q 'fault: in/closed: Permission denied' "$scratch/out" && echo yes)"
    chmod 704 "$s/in/closed"; as_nobody "$platen" status "$s" > "$scratch/out" 2>&1; got=$?
    is "and one that may be listed, but not searched" 5/1 "$got/$(grep -c 'in/closed: Permission denied' "$scratch/out")"
    mkdir "$s/work/20260101T000000Z-0000000000000000"; chmod 700 "$s/work/20260101T000000Z-0000000000000000"; chmod 755 "$s/in/closed"
    as_nobody "$platen" run "$s" "${null[@]}" -q > "$scratch/run.out" 2> "$scratch/run.err"; got=$?
    is "and so is a folder of work/" 5/yes "$got/$(grep -q 'work/20260101T000000Z-0000000000000000: Permission denied' "$scratch/run.err" && echo yes)"
fi

# --- recursive = no: files in a nested folder are not read, and not overlooked
fresh nested; mkdir -p "$s/in/faults/2026-11/more" "$s/in/faults/empty/.hidden"
cp "$good" "$s/in/faults/a.png"; cp "$good" "$s/in/faults/2026-11/b.png"; cp "$good" "$s/in/faults/2026-11/more/c.png"; : > "$s/in/faults/empty/.x"
go --recursive=no; got=$?
is "files in a nested folder are not read: the run ends with 5" 5/1 "$got/$(count done)"
is "and says which, how many and what to do" 1 "$(grep -c 'in/faults/2026-11: holds 2 files: nested folders are not read (recursive = no); move them up one level' "$scratch/run.err")"
export PLATEN_RECURSIVE=no; "$platen" status "$s" > "$scratch/out" 2>&1; got=$?
is "status counts them" 5/2/1 "$got/$(status_of nested)/$(grep -c '2 files in nested folders' "$scratch/out")"
"$platen" fsck "$s" > "$scratch/out" 2>&1; got=$?
is "fsck notes them" 0/1/1 "$got/$(grep -c '^note: in/faults/2026-11: holds 2 files' "$scratch/out")/$(grep -c '^2 files are in nested folders' "$scratch/out")"
mv "$s"/in/faults/2026-11/b.png "$s"/in/faults/2026-11/more/c.png "$s/in/faults"; go; got=$?; unset PLATEN_RECURSIVE
is "one level up they are read" 0/3 "$got/$(count done)"

# --- an operator moves done/ away, or removes it, while platen watches
fresh moved
feed() { for i in $(seq "$1" "$2"); do { cat "$good"; echo "$i"; } > "$s/in/faults/.t"; mv "$s/in/faults/.t" "$s/in/faults/f$i.png"; done; }
done_is() { [ "$(count done)" = "$1" ] && { [ -z "${2:-}" ] || [ "$(count out/faults)" = "$2" ]; }; }
"$platen" watch "$s" "${null[@]}" --rescan 0.5 -q > "$scratch/run.out" 2> "$scratch/run.err" & watch=$!
wait_for 5 test -d "$s/out"; feed 1 4; wait_for 10 done_is 4
mv "$s/done" "$s/archive"; mkdir "$s/done"; feed 5 8; wait_for 10 done_is 4
is "mv done archive; mkdir done: new documents go to the new done/" 4/4 "$(count archive)/$(count done)"
mv "$s"/archive/* "$s/done/"; rmdir "$s/archive"
rm -rf "$s/done"; mkdir "$s/done"; feed 9 12; wait_for 10 done_is 4 12
is "rm -rf done; mkdir done: it goes on" 4/12 "$(count done)/$(count out/faults)"
rm -rf "$s/done"; feed 13 16; wait_for 10 done_is 4 16
is "rm -rf done: it is made again" 4/16 "$(count done)/$(count out/faults)"
wait_for 5 grep -q 'done was moved or replaced' "$scratch/run.err"; is "and said" 0 $?
kill $watch; wait $watch; is "the watcher lived" 0 $?
"$platen" fsck "$s" > "$scratch/out" 2>&1; is "fsck finds it clean" 0 $? "$(cat "$scratch/out")"

# --- the bytes that were taken are ours
if root_only "another user's file, whose lease is refused"; then
    fresh lease; cp "$good" "$s/in/faults/a.png"; chmod 755 "$scratch"; chown -R 65534 "$s"; chown 0 "$s/in/faults/a.png"
    exec 9>> "$s/in/faults/a.png"
    as_nobody "$platen" run "$s" "${null[@]}" -q > "$scratch/run.out" 2> "$scratch/run.err"
    printf 'written after the commit' >&9; exec 9>&-
    is "a writer that another user's file keeps cannot change what is done" 1/bound "$(count done)/$(bound && echo bound)"
    # and while it is read: by a file that changes under the worker's hands
    cp "$good" "$s/in/faults/b.png"
    in_time strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:delay_exit=400000:when=1 \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$platen" run "$s" "${null[@]}" -q > "$scratch/run.out" 2> "$scratch/run.err" 9>> "$s/in/faults/b.png" & run=$!
    wait_for 5 sh -c "ls $s/work/*/doc"; for d in "$s"/work/*/doc; do printf tail >> "$d"; done; wait $run
    is "bytes that came while it was taken are in the record's bytes" 2/bound/1 "$(count done)/$(bound && echo bound)/$(cat "$s"/done/*/doc | grep -c tail)"
fi
fresh bits; cp "$good" "$s/in/faults/a.png"; chmod 6755 "$s/in/faults/a.png"; go
is "set-user-id bits are stripped" 755 "$(stat -c %a "$s"/done/*/doc)"

# --- undelivered is a state
if root_only "out/ as a full file system" && fresh full && mkdir "$s/out" && mount -t tmpfs -o size=64k,mode=755 none "$s/out" 2> /dev/null; then
    head -c 64k /dev/zero > "$s/out/ballast" 2> /dev/null
    cp "$good" "$s/in/faults/a.png"
    # a worker that is slow to let go of what it has told of
    command -v strace > /dev/null && slow="strace -f -qq -o /dev/null -e trace=sendto -e inject=sendto:delay_exit=200000" || slow=
    in_time $slow "$platen" run "$s" "${null[@]}" > "$scratch/run.out" 2> "$scratch/run.err"; got=$?
    is "out/ is full: done, and not delivered" 17/1/1 "$got/$(count done)/$(status_of undelivered)"
    grep -q 'not delivered to out/ yet' "$scratch/run.err" && ok "and the run says so" || bad "and the run says so" "$(cat "$scratch/run.err")"
    "$platen" fsck "$s" | grep -q 'not delivered.*yet' && ok "and fsck" || bad "and fsck" "$("$platen" fsck "$s")"
    "$platen" watch "$s" "${null[@]}" --rescan 0.3 > /dev/null 2> "$scratch/run.err" & watcher=$!
    wait_for 5 grep -q watching "$scratch/run.err"; rm "$s/out/ballast"
    wait_for 5 test -s "$s/out/faults/a.json" && ok "a watch delivers it once there is room" || bad "a watch delivers it once there is room" "$(cat "$scratch/run.err")"
    umount "$s/out" || bad "out/ may be unmounted meanwhile" "busy"
    # moved away, and made anew
    mv "$s/out" "$s/out.old"; cp "$good" "$s/in/faults/b.png"
    wait_for 5 test -n "$(ls "$s/done" | sed -n 2p)"; sleep 0.3; mkdir "$s/out"
    wait_for 5 test -s "$s/out/faults/b.json" && [ ! -e "$s/out.old/faults/b.json" ] && ok "out/ that was moved away and made anew gets the records" || bad "out/ that was moved away and made anew gets the records" "$(ls -R "$s/out.old") $(cat "$scratch/run.err")"
    mv "$s/out" "$s/out.older"; mkdir "$s/out"; cp "$good" "$s/in/faults/c.png"
    wait_for 5 test -s "$s/out/faults/c.json" && ok "at once as well" || bad "at once as well" "$(ls -R "$s/out.older")"
    kill -TERM $watcher; wait $watcher
    go; is "then everything is delivered" 0/0 "$?/$(status_of undelivered)"
fi

# --- two records of one stem, where out/ is another file system
if [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d "$scratch")" ] && command -v strace > /dev/null; then
    fresh stems; view=$(mktemp -d /dev/shm/platen-guard.XXXXXX); ln -s "$view" "$s/out"; mkdir "$view/faults"
    for e in png jpg tif; do { cat "$good"; echo $e; } > "$s/in/faults/a.$e"; done
    # the window between looking and renaming in out/, made wide
    in_time strace -f -qq -o /dev/null -P "$view/faults" -e trace=renameat,renameat2 -e inject=renameat,renameat2:delay_enter=700000 \
        "$platen" run "$s" "${null[@]}" --jobs 3 > "$scratch/run.out" 2> "$scratch/run.err"
    is "records of one stem do not replace each other" 3 "$(for id in "$s"/done/*/; do grep -l "$(basename "$id")" "$view"/faults/*.json; done | sort -u | wc -l)"
    is "and nothing temporary stays" 3 "$(ls -A "$view/faults" | wc -l)"
    rm -rf "$view"
fi

# --- what a crash leaves
fresh left; cp "$good" "$s/in/faults/a.png"; go
id=$(ls "$s/done"); mv "$s/done/$id" "$s/work/$id"; rm -f "$s/work/$id"/{record.json,delivered,attempt.1.end}
echo half > "$s/work/$id/attempt.1.end.tmp"; echo half > "$s/work/$id/record.json.tmp"
exec 8< "$s/lock"; flock -s 8; go; exec 8<&- # another platen is alive
is "temporary files do not reach done/" 1/0 "$(count done)/$(find "$s/done" -name '*.tmp' | wc -l)"
: > "$s/done/$id/delivered.tmp"
"$platen" fsck "$s" > "$scratch/out"; is "fsck takes one for what it is" 0/0 "$?/$(grep -c fault: "$scratch/out")" "$(cat "$scratch/out")"
flock "$s/done/$id" "$platen" fsck "$s" > "$scratch/out"; is "and does not mind that of a live platen" 0 "$(grep -c delivered.tmp "$scratch/out")"

# --- crashes of different processes, and the pause between attempts
fresh kinds; cp "$good" "$s/in/faults/a.png"; go
id=$(ls "$s/done"); mv "$s/done/$id" "$s/work/$id"; rm -f "$s/work/$id"/{record.json,delivered} "$s"/out/faults/*
crash() { printf '{"attempt":%s}' "$1" > "$s/work/$id/attempt.$1"; printf '{"outcome":"crash","reason":"%s","not_before":%s}' "$2" "$3" > "$s/work/$id/attempt.$1.end"; }
crash 1 internal 0; crash 2 raster-crash 0; go
is "crashes of two kinds do not condemn a document" 1/0 "$(count done)/$(count failed)"
# a watcher that knows the document from before hears of the crash all the same
mv "$s/done/$id" "$s/work/$id"; rm -f "$s/work/$id"/{record.json,delivered,attempt.*} "$s"/out/faults/*
exec 8< "$s/work/$id"; flock 8
"$platen" watch "$s" "${null[@]}" --rescan 0.3 > /dev/null 2> "$scratch/run.err" 8<&- & watcher=$!
wait_for 5 grep -q watching "$scratch/run.err"; sleep 0.7
crash 1 internal $(($(date +%s) + 3)); exec 8<&-; sleep 1.2; early=$(count done)
wait_for 6 test -e "$s/done/$id"
is "every platen keeps the pause after a crash" 0/1 "$early/$(count done)"
kill -TERM $watcher; wait $watcher
# nor takes a crash for a death, while the other one is about to file it (a file's time is up to a tick of the
# kernel behind the clock)
mv "$s/done/$id" "$s/work/$id"; rm -f "$s/work/$id"/{record.json,delivered,attempt.*} "$s"/out/faults/*
sleep 30 & other=$!
printf '{"attempt":1,"supervisor":%s}' $other > "$s/work/$id/attempt.1"
{ sleep 0.4; crash 1 internal $(($(date +%s) + 3)); } &
go -q --stable-for 0; kill $other
is "a crash that another platen files is waited for" 1/no "$(count done)/$([ $(($(stat -c %.2Y "$s/done/$id/attempt.2" | tr -d .) + 5)) -ge "$(grep -o '[0-9]*}$' "$s/done/$id/attempt.1.end" | tr -d '}')00" ] || echo early; [ -e "$s/done/$id/attempt.3" ] && echo more; echo no)"
mv "$s/done/$id" "$s/work/$id"; rm -f "$s/work/$id"/{record.json,delivered}; crash 1 internal 0; crash 2 internal 0; go
is "two of one kind do" 1 "$(count failed)"

# --- limits and failures of the disk
fresh limit; cp "$good" "$s/in/faults/a.png"
(ulimit -f 0; exec "$platen" run "$s" "${null[@]}") 2>&1 > /dev/null | cat > "$scratch/run.err"; got=${PIPESTATUS[0]}
is "ulimit -f is the environment, and is named" 17/yes/0 "$got/$(grep -q 'ulimit -f' "$scratch/run.err" && echo yes)/$(count failed)"
go; is "and without it the document is done" 1 "$(count done)"
fresh sync; cp "$good" "$s/in/faults/a.png"; go; cp "$good" "$s/in/faults/b.png"
timeout 20 strace -qq -o /dev/null -e trace=fsync -e inject=fsync:error=EIO:when=3 \
    "$platen" watch "$s" "${null[@]}" > /dev/null 2> "$scratch/run.err"; got=$?
is "a watch whose fsync fails ends, and blames nobody" 17/0/yes "$got/$(count failed)/$(grep -q 'scans the whole spool again' "$scratch/run.err" && echo yes)"
go; is "its next start goes on" 2 "$(count done)"

# --- half a record, half a reason: named, and not delivered
fresh half; cp "$good" "$s/in/faults/a.png"; head -c 99 "$good" > "$s/in/faults/b.png"; go
for f in "$s"/done/*/record.json "$s"/failed/*/reason.json; do head -c 50 "$f" > "$f.cut"; cat "$f.cut" > "$f"; rm "$f.cut"; done
"$platen" fsck "$s" > "$scratch/fsck" 2>&1
is "fsck names half a record and half a reason" 1/1 "$(grep -c 'fault.*done/' "$scratch/fsck")/$(grep -c 'fault.*failed/' "$scratch/fsck")" "$(cat "$scratch/fsck")"
rm -f "$s"/done/*/delivered "$s"/out/faults/*; go
is "half a record is not delivered" 0/yes "$(find "$s/out/faults" -name '*.json' | wc -l)/$(grep -q 'is not delivered' "$scratch/run.err" && echo yes)"
exit $failed
