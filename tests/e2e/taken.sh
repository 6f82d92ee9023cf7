#!/usr/bin/env bash
# taken.sh: processes that are taken over by their document (tests/probe/taken.c)
# reach nothing but that document, and a spool stays exactly-once.
set -u
subject="taken: "
. "$(dirname "$0")/../support/e2e.sh"
dir=$(dirname "$(readlink -f "$platen")")
taken=$dir/platen-taken
make -s -C "$root" MODE="$(basename "$dir")" "build/$(basename "$dir")/platen-taken" "build/$(basename "$dir")/wall-probe" > /dev/null 2>&1
[ -x "$taken" ] || { bad "the probe" "cannot be built"; exit 1; }
probe=$dir/wall-probe
cd "$scratch" || exit 1
export PLATEN_CONFIG= TAKEN_WIDTH=345
python3 - <<'EOF'
import struct, zlib
def png(path, w, h, grey):
    rows = b''.join(b'\0' + bytes(grey if (x // 9 + y // 9) % 3 else 0 for x in range(w)) for y in range(h))
    chunk = lambda k, d: struct.pack('>I', len(d)) + k + d + struct.pack('>I', zlib.crc32(k + d))
    open(path, 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 0, 0, 0, 0)) +
                           chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
png('evil.png', 345, 200, 255)
EOF
echo secret > other; chmod 644 other

# attack WHERE NAME OPTION...: one document in a process that is taken over;
# prints refused, allowed, or died
attack() {
    local where=$1 name=$2 run n log=log.$RANDOM$RANDOM; shift 2
    rm -rf spool; mkdir -p spool/in/receipt
    : > $log
    if [ "$where" = reader ]; then cp evil.png spool/in/receipt/; else cp "$root/samples/good/kiosk.png" spool/in/receipt/; fi
    TAKEN_IN=$where TAKEN=$name ${under:-} "$taken" run spool --stable-for 0 --schemas "$root/schemas" "$@" > $log 2>&1 &
    run=$!
    for ((n = 0; n < 3000; n++)); do
        grep -qE "taken: $name: (refused|allowed)|by signal|server (has ended|exited|was killed)|process (has )?ended|will be restarted|restarting" $log && break
        kill -0 $run 2> /dev/null || break
        sleep 0.02
    done
    kill -9 $run 2> /dev/null; wait $run 2> /dev/null
    grep -q "taken: $name: begins" $log || { echo "was not reached"; return; }
    grep -oE "taken: $name: (refused|allowed)" $log | grep -oE 'refused|allowed' | head -1 | grep . || echo died
}
# walls WHERE ALLOWED ACTIONS OPTION...: only ALLOWED is let through
walls() {
    local where=$1 allowed=$2 list=$3 wrong= n=0 name got want; shift 3
    for name in $list; do
        got=$(attack "$where" "$name" "$@") n=$((n + 1))
        want="refused died"
        [[ " $allowed " = *" $name "* ]] && want=allowed
        [[ " $want " = *" $got "* ]] || wrong+=" $name: $got;"
    done
    where+=${under:+, without ${under##* }}
    [ -z "$wrong" ] && ok "$where: $n attempts, all as they should be" || bad "$where" "$n attempts:$wrong"
}
all=$("$probe" list | tr '\n' ' ')
few="open-secret open-parent-memory open-parent-environment open-own-memory write-file unlink fork exec ptrace kill-parent tkill-parent process-memory pidfd map-code limit-parent"
export TAKEN_PATH=$scratch/other
null="--engine null"
walls reader "poll send raise-cpu" "open-other climb $all" $null
TAKEN_FDS=8 walls reader "" "descriptors" $null
walls checker "poll send" "open-other climb $few socket connect" $null
TAKEN_FDS=4 walls checker "" "descriptors" $null
walls server "poll send thread" "open-other climb socket connect $few poll send thread" --share-model on --jobs 2
walls fetch "" "open-other climb $few" --engine endpoint --endpoint http://127.0.0.1:9
for where in reader checker; do
    TAKEN_PATH=$scratch/spool/out/planted walls $where "" write-other $null
    TAKEN_PATH=$scratch/written walls $where "" write-other $null
done
# what the other layers hold where one is missing
under="$probe deny landlock"
walls reader "" "open-other climb $few connect" $null
walls checker "" "open-other open-secret write-file exec connect" $null
walls server "" "open-other open-secret write-file exec connect" --share-model on --jobs 2
under="$probe deny seccomp"
for where in reader checker; do
    walls $where "" "open-other open-secret open-shadow write-file truncate unlink ptrace kill-parent process-memory become-root reach-network" $null
done
walls server "" "open-other open-secret write-file unlink ptrace kill-parent process-memory reach-network" --share-model on --jobs 2
under=
[ "$(cat other)" = secret ] && [ ! -e written ] && ok "files of others are as before" || bad "files of others" "changed"

# A page takes over its reader, while others are read beside it: they get the
# records that they get alone.
data() { sed -n '/^  "data": {/,$p' "$1"; }
good=(kiosk.png cafe.pdf bistro.webp till-roll.png)
out=(spool/out/receipt/{kiosk,cafe,bistro,till-roll}.json)
fill() { rm -rf spool; mkdir -p spool/in/receipt; cp "${good[@]/#/$root/samples/good/}" spool/in/receipt/; }
fill; SECONDS=0
"$platen" run spool --stable-for 0 --schemas "$root/schemas" > log 2>&1
limit=$((3 + 2 * SECONDS)) # of one document: those four at once take that long on this machine today
for name in "${good[@]}"; do data "spool/out/receipt/${name%.*}.json" > "${name%.*}.want"; done
beside() { # ATTACK
    local run name n there wrong=
    fill; cp evil.png spool/in/receipt/1.png; cp evil.png spool/in/receipt/z.png
    TAKEN_IN=reader TAKEN=$1 TAKEN_PATH=$scratch/spool/out/receipt/kiosk.json "$taken" run spool --stable-for 0 --jobs 2 \
        --document-timeout $limit --child-memory-limit 1G --schemas "$root/schemas" > log 2>&1 &
    run=$!
    for ((n = 0; n < 3000; n++)); do
        [ "$(find "${out[@]}" 2> /dev/null | wc -l)" = 4 ] && break
        kill -0 $run 2> /dev/null || break
        sleep 0.05
    done
    sleep 0.5 # it may do more
    kill -TERM $run 2> /dev/null; wait $run 2> /dev/null
    grep -q "taken: $1: begins" log || wrong+=" not reached;"
    for name in "${good[@]}"; do
        data "spool/out/receipt/${name%.*}.json" 2> /dev/null | cmp -s - "${name%.*}.want" || wrong+=" $name;"
    done
    there=$(find spool/in/receipt spool/work spool/done spool/failed -mindepth 1 -maxdepth 1 2> /dev/null | wc -l)
    [ "$there" = 6 ] || wrong+=" $there documents of 6;"
    "$platen" fsck spool > fsck.log 2>&1 || wrong+=" fsck: $(tail -1 fsck.log);"
    [ "$(find spool/out -type f -o -type l | wc -l)" -le 6 ] || wrong+=" more records than documents;"
    [ -z "$wrong" ] && ok "$1 beside other documents: nothing of theirs changes" || bad "$1 beside other documents" "$wrong $(tail -3 log)"
}
for name in open-other write-other junk flood close exit abort kill-self loop memory; do beside $name; done
exit $failed
