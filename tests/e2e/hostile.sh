#!/usr/bin/env bash
# hostile.sh: a reader or checker that is taken over (tests/probe/hostile.c) says what
# it likes. Its document fails after a bounded number of tries, others are read
# meanwhile, and nothing unchecked is published.
set -u
subject="hostile: "
. "$(dirname "$0")/../support/e2e.sh"
dir=$(dirname "$(readlink -f "$platen")")
hostile=$dir/platen-hostile
make -s -C "$root" MODE="$(basename "$dir")" "build/$(basename "$dir")/platen-hostile" > /dev/null 2>&1
[ -x "$hostile" ] || { bad "the probe" "cannot be built"; exit 1; }
cd "$scratch" || exit 1
options=(--stable-for 0 --schemas "$root/schemas" --engine null --ocr off --jobs 2)

# fill: one hostile document and two others
fill() {
    rm -rf spool; "$platen" init spool > /dev/null 2>&1
    mkdir -p spool/in/receipt
    cp "$root/samples/good/kiosk.png" spool/in/receipt/a-hostile.png
    cp "$root/samples/good/cafe.pdf" spool/in/receipt/good.pdf
    cp "$root/samples/good/web.gif" spool/in/receipt/good.gif
}
code_of() { sed -n 's/.*"code": "\(.*\)",*/\1/p' spool/failed/*/reason.json 2> /dev/null | head -1; }

# condemned ATTACK CODE RUNS [OPTION...]: in failed/ with CODE after RUNS runs at most;
# the others are done after the first
condemned() (
    what=$1 code=$2 most=$3; shift 3
    mkdir -p "${what// /-}" && cd "${what// /-}" || exit 1
    fill
    for ((n = 1; n <= most; n++)); do
        HOSTILE=${what% *} HOSTILE_N=${what#* } timeout -s KILL 120 "$hostile" run spool "${options[@]}" "$@" > log 2>&1
        [ "$(find spool/out -name 'good*.json' | wc -l)" = 2 ] || { bad "$what" "others wait in run $n: $(tail -3 log)"; exit 1; }
        [ -n "$(code_of)" ] && break
    done
    [ "$(code_of)" = "$code" ] || { bad "$what" "after $n runs: '$(code_of)', want $code: $(tail -4 log)"; exit 1; }
    [ "$(ls spool/done spool/failed | grep -c Z-)" = 3 ] && "$platen" fsck spool > fsck.log 2>&1 || { bad "$what" "$(tail -2 fsck.log)"; exit 1; }
    ok "$what: [$code] after $n runs, the others at once"
)
# most of the time they wait for the next try
together() {
    local n=0
    while read -r attack number code most more; do
        # shellcheck disable=SC2086
        condemned "$attack $number" "$code" "$most" $more &
        n=$((n + 1))
        [ $n -lt 6 ] || { wait -n || failed=1; n=$((n - 1)); }
    done
    while [ $n -gt 0 ]; do wait -n || failed=1; n=$((n - 1)); done
}
together << 'END'
kill 0 killed 5
disk 0 disk 5
lost 0 model-server-lost 5
exit 1 internal 1
exit 7 internal 1
exit 17 internal 1
exit 15 killed 5
memory 0 killed 5 --child-memory-limit 256M
abort 0 internal 1
empty 0 internal 1
deaf 0 internal 1
closed 0 internal 1
written 0 internal 1
cancelled 0 internal 1
record 0 internal 1
sleep 0 resource-time 1 --document-timeout 10
schema 0 resource-time 1 --document-timeout 10
loop 0 resource-time 1 --document-timeout 10
pages 2000000 internal 1 --document-timeout 10
pages 3 resource-time 1 --document-timeout 10
parts 32767 internal 1 --split barcode
parts 101 internal 1 --split barcode
bomb 0 killed 5
END

# --- the checker: what it did not check is not published
for what in abort kill "exit 15" memory loop; do
    fill; rm spool/in/receipt/good.*
    for n in 1 2 3 4 5; do
        HOSTILE_IN=checker HOSTILE=${what% *} HOSTILE_N=${what#* } "$hostile" run spool "${options[@]}" --page-timeout 2 --child-memory-limit 256M > log 2>&1
        [ -n "$(ls spool/done spool/out/receipt 2> /dev/null | grep -v :)" ] && break
        [ -n "$(code_of)" ] && break
    done
    published=$(find spool/out spool/done -type f | head -1)
    [ -z "$published" ] && [ -n "$(code_of)" ] && ok "a checker that ends by $what: [$(code_of)], nothing is published" ||
        bad "a checker that ends by $what" "${published:-not failed: $(tail -2 log)}"
done
# killed once, by chance: the document is read again
fill; rm spool/in/receipt/good.*
HOSTILE_IN=checker HOSTILE=kill "$hostile" run spool "${options[@]}" > log 2>&1
find spool -name record.json | grep -q . && bad "a checker that was killed once" "leaves a record.json"
"$platen" run spool "${options[@]}" > log 2>&1
[ "$(find spool/out -name '*.json' | wc -l)" = 1 ] && ok "a checker that was killed once: read again" || bad "a checker that was killed once" "$(tail -2 log)"

# --- one record has one time, however long it takes to print it
fill
HOSTILE=clock timeout -s KILL 60 "$hostile" run spool "${options[@]}" --format json,xml > log 2>&1
[ "$(find spool/out -name '*.json' | wc -l)" = 3 ] && ! grep -q "trying again" log && ok "a second passes between JSON and XML" ||
    bad "a second passes between JSON and XML" "$(tail -3 log)"

# --- a rasteriser that dies while the searchable PDF is made costs that file alone
fill; rm spool/in/receipt/a-hostile.png
cat > raster << END
#!/bin/sh
case "\$*" in *--layer*) kill -SEGV \$\$ ;; esac
exec $dir/platen-raster "\$@"
END
chmod 755 raster
"$platen" run spool "${options[@]}" --ocr auto --format json,pdf --raster-program "$scratch/raster" > log 2>&1
[ "$(find spool/out -name '*.json' | wc -l)" = 2 ] && [ -z "$(ls spool/failed)" ] && grep -q not-searchable spool/out/receipt/good.json spool/out/receipt/good*.json &&
    ok "a crash while the PDF is made searchable" || bad "a crash while the PDF is made searchable" "$(tail -3 log)"

# --- a long document lets others pass after its turn, and goes on afterwards
fill; rm spool/in/receipt/good.*
HOSTILE=pages HOSTILE_N=1500 "$hostile" watch spool "${options[@]}" --jobs 1 --document-timeout 3 > log 2>&1 &
run=$!
sleep 1
cp "$root/samples/good/cafe.pdf" spool/in/receipt/good.pdf
for ((n = 0; n < 100; n++)); do [ -e spool/out/receipt/good.json ] && break; sleep 0.1; done
[ -e spool/out/receipt/good.json ] && ok "a document of endless pages delays others by one turn" || bad "a document of endless pages" "another waited for more than $((n / 10)) s: $(tail -3 log)"
sleep 0.5
[ "$(ls spool/work | wc -l)" = 1 ] && kill -0 $run && ok "it goes on afterwards, and is charged for nothing" || bad "a document of endless pages" "$(tail -3 log)"
kill $run; wait $run

# --- standard error
fill; rm spool/in/receipt/good.*
echo "a line of yesterday" > log
HOSTILE=error "$hostile" run spool "${options[@]}" 2>> log > /dev/null
grep -q "a line of yesterday" log && grep -q "hostile: reads -1, truncates -1" log && ok "the operator's log: neither read nor cut" || bad "the operator's log" "$(head -3 log)"
! grep -qP '[\x00-\x08\x0b-\x1f]|\xff' log && [ "$(grep -c flood log)" -lt 9000 ] && [ "$(grep -c "rest is not shown" log)" = 1 ] && ok "what it writes there is cleaned, and not endless" ||
    bad "what it writes there" "$(grep -c flood log) lines; $(tail -1 log | cut -c1-80)"
python3 - "$hostile" "${options[@]}" << 'PY' && ok "the terminal: what is typed is not read" || bad "the terminal" "what was typed reached the reader"
import os, pty, select, sys, time
os.mkdir('tty') if not os.path.isdir('tty') else None
os.link('spool/done/' + os.listdir('spool/done')[0] + '/doc', 'tty/hostile.png')
pid, fd = pty.fork()
if pid == 0:
    os.environ['HOSTILE'] = 'error'
    os.execv(sys.argv[1], [sys.argv[1], 'extract', 'tty/hostile.png', '--schema', 'receipt'] + sys.argv[4:-2])
os.write(fd, b'secret\n')
out, end = b'', time.time() + 30
while time.time() < end:
    if select.select([fd], [], [], 0.5)[0]:
        try: got = os.read(fd, 65536)
        except OSError: break
        if not got: break
        out += got
sys.exit(0 if b'reads -1' in out else 1)
PY

# --- what one document says is not used for the next
fill
HOSTILE=costs "$hostile" run spool "${options[@]}" --metrics metrics > log 2>&1
grep -q invented metrics && bad "metrics" "$(grep invented metrics | head -1)" || ok "metrics have no stage that a reader invents"
grep -qiE 'nan|inf$' metrics && bad "metrics" "$(grep -iE 'nan|inf$' metrics | head -1)" || ok "metrics have numbers only"

exit $failed
