#!/usr/bin/env bash
# folders.sh - files in folders of in/NAME/, at any depth and of any name: each
# is one document, out/ has the same folders, nothing lies there uncounted.
set -u
subject="folders: "
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off
good=$root/tests/faults/good.png
null=(--engine null --stable-for 0 --schemas "$root/tests/faults")
go() { "$platen" run "$s" "${null[@]}" "$@" > "$scratch/run.out" 2> "$scratch/run.err"; }
fresh() { s=$scratch/$1; mkdir -p "$s/in/faults"; }
count() { find "$s/$1" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1" "$3, want $2; $(tail -3 "$scratch/run.err" 2> /dev/null | tr '\n' ' ')"; fi; }
status_of() { "$platen" status "$s" --json 2> /dev/null | sed -nE "s/^  \"$1\": ([0-9]+),?/\1/p"; }
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }
done_is() { [ "$(count done)" = "$1" ]; }
other() { cat "$good"; echo "$1"; } # other bytes of the same picture
# in_out PATH NAME: the record out/PATH is that of a document called NAME
in_out() { grep -q "\"name\": \"$2\"" "$s/out/$1"; }

# --- equal names in different folders
fresh same; mkdir -p "$s/in/faults/a/b/c" "$s/in/faults/a/b c" "$s/in/faults/"$'new\nline\xff' "$s/in/faults/-rf" "$s/in/faults/scan.json" "$s/in/other/a"
for f in . a a/b a/b/c "a/b c" -rf scan.json $'new\nline\xff'; do other "$f" > "$s/in/faults/$f/scan.png"; done
other x > "$s/in/other/a/scan.png"
go; got=$?
is "every file is read, one in a folder of no schema fails" "16/8/1" "$got/$(count done)/$(count failed)"
is "out/ has the same folders, with escaped names" 1 "$(cd "$s/out/faults" && ls scan.json a/scan.json a/b/scan.json a/b/c/scan.json "a/b c/scan.json" ./-rf/scan.json new%0Aline%FF/scan.json > "$scratch/ls" 2>&1 && echo 1)"
is "a folder with the name of a record stands beside it" 8 "$(find "$s/out" -name 'scan.json' -type f -o -name 'scan.2*.json' -type f | wc -l)"
is "each record is under the folder of its document" "" "$(for d in "$s"/done/*/; do
    sub=$(sed -n 's/^ *"subfolder": "\(.*\)",/\1/p' "$d/name.json"); [ "$sub" = scan.json ] && continue
    [ "$d/record.json" -ef "$s/out/faults/${sub:+$sub/}scan.json" ] || echo "$sub"
done)"
is "the message names the whole folder" 1 "$(grep -c 'other/a/scan.png: .*unknown-schema' "$scratch/run.err")"
is "the user's folders stay" 9 "$(find "$s/in" -mindepth 2 -type d | wc -l)"
"$platen" status "$s" > "$scratch/out" 2>&1
is "status shows them with their folder" 1 "$(grep -c 'faults/a/b/c/scan.png: done' "$scratch/out")"
"$platen" fsck "$s" --rebuild-index > /dev/null; is "fsck is clean" 0 $?
"$platen" status "$s" > "$scratch/out2" 2>&1; cmp -s "$scratch/out" "$scratch/out2"; is "and the index is rebuilt with them" 0 $?
"$platen" retry "$s" --all --schema faults --schemas "$root/tests/faults" 2> "$scratch/err"; go
is "a retry with another schema keeps the folders below it" 9/1 "$(count done)/$(ls "$s"/out/faults/a/scan.2*.json 2> /dev/null | wc -l)"
rm -rf "$s/out/faults"; rm "$s"/done/*/delivered; go
is "what was not delivered is, into new folders" 9 "$(find "$s/out/faults" -type f | wc -l)"

# --- what is not read is counted
fresh counted; go; mkdir -p "$s/in/faults/a/.git/x" "$s/in/faults/.hidden"
cp "$good" "$s/in/faults/a/one.png"; : > "$s/in/faults/a/.git/x/config"; : > "$s/in/faults/.hidden/y"; : > "$s/in/faults/a/z.part"
mkfifo "$s/in/faults/a/pipe"; ln -s /etc "$s/in/faults/a/link"; ln -s /etc/passwd "$s/in/faults/a/file"; ln -s .. "$s/in/faults/a/loop"
is "links wait as files, hidden folders and special files are ignored and counted" 4/4/0 "$(status_of in)/$(status_of ignored)/$(status_of nested)"
"$platen" status "$s" > "$scratch/out" 2>&1
is "and named" 4 "$(grep -cE 'ignored: in/faults/(a/.git/|.hidden/|a/z.part|a/pipe \(a FIFO\))$' "$scratch/out")"
go; got=$?
is "no link is followed" 16/1/3 "$got/$(count done)/$(find "$s/failed" -name doc -type l | wc -l)"
fresh long; deep=$s/in/faults/$(printf 'd%.0s/' {1..50}); mkdir -p "$deep"; cp "$good" "$deep/x.png"
long=$(printf 'l%.0s' {1..240}); mkdir -p "$s/in/faults/$long/$long/$long/$long/$long/more"; cp "$good" "$s/in/faults/$long/$long/$long/$long/y.png"
other z > "$s/in/faults/$long/$long/$long/$long/$long/z.png"; other more > "$s/in/faults/$long/$long/$long/$long/$long/more/z.png"
wide="$s/in/faults/$(printf '\xff%.0s' {1..90})"; mkdir "$wide"; other wide > "$wide/w.png"
(cd "$s/in/faults/$long/$long/$long/$long/$long" && mkdir -p "$(printf 'm/%.0s' {1..40})" && : > "$(printf 'm/%.0s' {1..40})/far.png")
go; got=$?
is "50 folders deep is read, and 970 bytes; longer paths are left, and the run ends with 5" 5/2 "$got/$(count done)"
is "which it says" 2 "$(grep -cE 'holds (1 file|3 files): the path is too long and is not read' "$scratch/run.err")"
is "status counts the files, and what is deeper still" 4 "$(status_of nested)"
is "out/ is as deep" 2 "$(find "$s/out" -name '[xy].json' | wc -l)"

# --- in/ on another file system
if [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d "$scratch")" ]; then
    fresh remote; rmdir "$s/in/faults" "$s/in"
    drop=$(mktemp -d /dev/shm/platen-in.XXXXXX); mkdir -p "$drop/faults/a/"$'b\n'; ln -s "$drop" "$s/in"
    cp "$good" "$drop/faults/a/x.png"; other 2 > "$drop/faults/a/"$'b\n'/x.png; go
    is "in/ may be another file system" 2/0/2 "$(count done)/$(find "$drop" -name '*.png' | wc -l)/$(find "$s/out/faults/a" -name x.json | wc -l)"
    # a crash between the copy and the removal of the dropped file
    if command -v strace > /dev/null; then
        cp "$good" "$drop/faults/a/y.png"
        { strace -f -qq -o /dev/null -e trace=unlinkat -e inject=unlinkat:signal=KILL:when=1 "$platen" run "$s" "${null[@]}" --in-process; } > /dev/null 2>&1
        left=$(find "$drop" -name y.png | wc -l); go
        is "a copy that a crash interrupted is one document" 1/0/3 "$left/$(find "$drop" -name y.png | wc -l)/$(count done)"
    else
        echo "skip - folders: a copy that a crash interrupted: needs strace"
    fi
    rm -rf "$drop"
else
    echo "skip - folders: in/ on another file system: /dev/shm is not one"
fi

# --- a batch in a folder: its parts go to the same one
fresh batch; mkdir -p "$s/in/faults/monday"; cp "$root/tests/faults/stack.tif" "$s/in/faults/monday/"
go --split barcode
is "the parts of a batch have its folder" 0 "$(($(find "$s/out/faults/monday" -name 'stack-*.json' | wc -l) - $(count done) + 1))"
[ "$(count done)" -gt 2 ] && ok "and there are some" || bad "and there are some" "$(count done)"

# --- watch
fresh watch
"$platen" watch "$s" "${null[@]}" --rescan 60 > "$scratch/watch.out" 2> "$scratch/watch.err" & watcher=$!
wait_for 5 grep -q watching "$scratch/watch.err"; sleep 0.3
mkdir -p "$s/in/faults/new/below/it"; cp "$good" "$s/in/faults/new/below/it/1.png"
wait_for 10 done_is 1 && ok "watch finds a file in folders made a moment ago" || bad "watch finds a file in folders made a moment ago" "$(cat "$scratch/watch.err")"
sleep 0.3; other 2 > "$s/in/faults/new/below/it/2.png"
wait_for 10 done_is 2 && ok "and later ones" || bad "and later ones" "no"
mkdir -p "$s/apart/x/y"; other 3 > "$s/apart/x/y/3.png"; mv "$s/apart" "$s/in/faults/moved"
wait_for 10 done_is 3 && ok "a folder that is moved in, with its files" || bad "a folder that is moved in, with its files" "no"
for i in $(seq 4 40); do mkdir -p "$s/in/faults/many/$((i % 7))/$i"; other $i > "$s/in/faults/many/$((i % 7))/$i/x.png"; done
wait_for 20 done_is 40 && ok "many folders at once" || bad "many folders at once" "$(count done) done"
helper() { for p in $(ps -o pid= --ppid $watcher); do ls -l /proc/$p/fd 2> /dev/null | grep -q inotify && echo $p; done; }
before=$(helper)
for i in $(seq 41 60); do mkdir -p "$s/in/faults/job$i/pages"; other $i > "$s/in/faults/job$i/pages/x.png"; done
wait_for 20 done_is 60; for i in $(seq 41 60); do rm -r "$s/in/faults/job$i"; done; sleep 0.3
is "folders that come and go do not make it watch all others anew" "60 $before" "$(count done) $(helper)"
mv "$s/in/faults/new/below" "$s/in/faults/renamed"; sleep 0.3; other 61 > "$s/in/faults/renamed/it/41.png"
wait_for 10 test -e "$s/out/faults/renamed/it/41.json" && ok "a folder that is renamed" || bad "a folder that is renamed" "no"
rm -r "$s/in/faults/many"; sleep 0.3; mkdir -p "$s/in/faults/many/0"; other 62 > "$s/in/faults/many/0/x.png"
wait_for 10 done_is 62 && ok "and one that is removed and made again" || bad "and one that is removed and made again" "no"
kill -TERM $watcher; wait $watcher
"$platen" fsck "$s" > /dev/null; is "fsck is clean after watching" 0 $?

# --- a file that arrives in pieces is one document
fresh pieces; mkdir "$s/in/faults/a"
"$platen" watch "$s" "${null[@]}" --stable-for 4 --rescan 1 -q > /dev/null 2> "$scratch/watch.err" & watcher=$!
head -c 60 "$good" > "$s/in/faults/a/p.png"
for i in 61 121 181; do sleep 2; tail -c +$i "$good" | head -c 60 >> "$s/in/faults/a/p.png"; done
sleep 2; tail -c +241 "$good" >> "$s/in/faults/a/p.png"
wait_for 30 done_is 1; sleep 0.3
is "pieces that arrive within stable_for, each with its own open and close" 1/0/0 "$(count done)/$(count failed)/$(find "$s/in" -type f | wc -l)"
cmp -s "$good" "$s"/done/*/doc && ok "with all of its bytes" || bad "with all of its bytes" "$(wc -c "$s"/done/*/doc)"
kill -TERM $watcher; wait $watcher

# --- an empty file waits
fresh empty; : > "$s/in/faults/placeholder.png"; cp "$good" "$s/in/faults/a.png"
"$platen" watch "$s" "${null[@]}" --empty-after 3600 --rescan 0.2 > /dev/null 2> "$scratch/watch.err" & watcher=$!
wait_for 10 done_is 1; sleep 0.5
is "an empty file is not taken before empty_after" 1/0/1 "$(count done)/$(count failed)/$(status_of in)"
other 2 > "$s/in/faults/placeholder.png"
wait_for 10 done_is 2 && ok "written, it is taken at once" || bad "written, it is taken at once" "no"
kill -TERM $watcher; wait $watcher
: > "$s/in/faults/never.png"; touch -d '1 hour ago' "$s/in/faults/never.png"
go --empty-after 0
is "after that time it fails" 16/1 "$?/$(grep -l '"code": "empty"' "$s"/failed/*/reason.json | wc -l)"

# --- what a NAS, Windows or a browser keeps in a share is not the user's
fresh nas
for f in '#recycle' @Recycle '$RECYCLE.BIN/S-1-5-21' .Trash-1000/files '#snapshot/daily' .snapshot/daily @Recently-Snapshot/x @eaDir 'System Volume Information' lost+found \
    'scan.pdf.download' RECYCLER FOUND.000; do
    for at in "$s/in" "$s/in/faults" "$s/in/faults/a"; do mkdir -p "$at/$f"; other "$f$at" > "$at/$f/old.png"; done
done
for f in $'Icon\r' ehthumbs.db desktop.ini scan.png.opdownload scan.png.'!ut' scan.png.bak Thumbs.db; do other "$f" > "$s/in/faults/$f"; done
other mine > "$s/in/faults/a/mine.png"; other nr1 > "$s/in/faults/#1.png"; mkdir "$s/in/faults/@home"; other home > "$s/in/faults/@home/h.png"
before=$(find "$s/in" -type f | wc -l)
go
is "recycle bins, snapshots and system folders are left alone at every depth" "0/3/0/$((before - 3))" "$?/$(count done)/$(count failed)/$(find "$s/in" -type f | wc -l)"
is "and counted like hidden names" 46 "$(status_of ignored)"
mkdir -p "$s/in/faults/archive" "$s/in/faults/b"; other x > "$s/in/faults/archive/x.png"; other log > "$s/in/faults/b/scanner.log"; other new > "$s/in/faults/b/new.png"
go --ignore ' Archive, *.LOG'
is "the setting ignore adds names" "0/4/0" "$?/$(count done)/$(count failed)"
"$platen" status "$s" --ignore 'archive,*.log' > "$scratch/out"; is "which status counts" 1 "$(grep -c '48 .*ignored' "$scratch/out")"
go; is "without it they are read" "0/6" "$?/$(count done)"

# --- a file that its writer alone may read waits
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
    fresh mode; cp "$good" "$s/in/faults/a.png"; other b > "$s/in/faults/b.png"; chown -R 65534:65534 "$s"; chown 0:0 "$s"/in/faults/*.png; chmod 600 "$s/in/faults/a.png"; chmod 644 "$s/in/faults/b.png"
    own=$platen; for_another_user
    as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$platen" run "$s" "${null[@]}" --schemas "$others" > "$scratch/run.out" 2> "$scratch/run.err"; }
    as_nobody
    is "a file of mode 600 of another user stays in in/, named; the others are read" "5/1/0/1/1" "$?/$(count done)/$(count failed)/$(find "$s/in" -type f | wc -l)/$(grep -c 'faults/a.png: cannot be taken out of in/: a.png: Permission denied' "$scratch/run.err")"
    chmod 644 "$s/in/faults/a.png"; as_nobody
    is "with the permission it is read" "0/2/0" "$?/$(count done)/$(count failed)"
    platen=$own
else
    echo "skip - folders: a file of another user: needs root"
fi

# --- a file system without RENAME_NOREPLACE (ZFS before 2.2), an old container
refuse() { python3 "$root/tests/support/refuse.py" "$@"; }
if [ "$(uname -m)" = x86_64 ] && refuse 22 316 true 2> /dev/null; then
    for sys in 22 38; do # EINVAL, ENOSYS
        fresh zfs-$sys; mkdir "$s/in/faults/a"; cp "$good" "$s/in/faults/a.png"; other b > "$s/in/faults/a/a.png"; other c > "$s/in/other.png"
        refuse $sys 316 "$platen" run "$s" "${null[@]}" > "$scratch/run.out" 2> "$scratch/run.err"
        is "without RENAME_NOREPLACE ($sys) files are read, fail and are delivered" "16/2/1/2/0" "$?/$(count done)/$(count failed)/$(find "$s/out" -name '*.json' | wc -l)/$(find "$s/in" -type f | wc -l)"
        "$platen" fsck "$s" > /dev/null; is "fsck is clean ($sys)" 0 $?
        refuse $sys 316 "$platen" doctor "$s" --engine null > "$scratch/out"; is "doctor says so, and finds no problem" 0/1 "$?/$(grep -c '^spool: renames look .*no RENAME_NOREPLACE' "$scratch/out")"
    done
    fresh race; for i in $(seq 40); do other "$i" > "$s/in/faults/$i.png"; done
    for i in 1 2 3; do refuse 22 316 "$platen" run "$s" "${null[@]}" > "$scratch/run.$i" 2>&1 & done; wait
    is "three at once read each once" "40/0/40" "$(count done)/$(count failed)/$(cat "$s"/done/*/name.json | grep '"name"' | sort -u | wc -l)"
    refuse 1 86,265 "$platen" doctor "$s" --engine null > "$scratch/out"; is "doctor: no hard links is a problem, with the remedy" "5/1" "$?/$(grep -c '^! spool: cannot make hard links: .*local file system' "$scratch/out")"
    is "doctor leaves nothing behind" 0 "$(find "$s" -maxdepth 1 -name '.doctor*' | wc -l)"
    fresh docker; cp "$good" "$s/in/faults/a.png"
    refuse 1 435 "$platen" doctor --engine null > "$scratch/out"; is "clone3 refused: doctor names the cause" 1 "$(grep -c '^! platen-raster: cannot start .*Operation not permitted. In a container, update Docker' "$scratch/out")"
    refuse 1 435 "$platen" extract "$s/in/faults/a.png" --schema "$root/schemas/receipt.schema.json" --engine null > /dev/null 2> "$scratch/run.err"
    is "and extract" 3/1 "$?/$(grep -c '\[no-process\]. In a container, update Docker' "$scratch/run.err")"
    timeout 60 python3 "$root/tests/support/refuse.py" 1 435 "$platen" run "$s" "${null[@]}" > "$scratch/run.out" 2> "$scratch/run.err"
    is "no document fails by it" "0/1" "$(count failed)/$(grep -c 'no-process' "$scratch/run.err")"
    go; is "it is read when the cause is gone" "1" "$(count done)"
else
    echo "skip - folders: refused system calls: no seccomp for them here"
fi
exit $failed
