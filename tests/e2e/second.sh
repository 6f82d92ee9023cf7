#!/usr/bin/env bash
# second.sh: the second reader finds printed words where they stand, tells a
# script, sees a rotten text layer, stays behind its walls, and is never a reason
# to fail.
set -u
subject="second reader: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && { python=$p; break; }; done
[ -n "$python" ] || { echo "skip - second reader: python3-pil is not installed"; exit 0; }
printed() { "$python" "$root/tests/support/printed.py" "$@"; }
words() { "$platen" words "$@" > words 2> words.err; }
# at_least WHAT BOX RIGHT PAGE: of the words drawn, so many per mille
at_least() {
    local got; got=$(printed score "$4" words)
    set -- "$1" "$2" "$3" "$got" $got
    awk -v b="$8" -v r="${10}" -v box="$2" -v right="$3" 'BEGIN { exit !(b * 1000 >= box && r * 1000 >= right) }' &&
        ok "$1: $4" || bad "$1" "$4; $(tail -1 words.err)"
}
# says WHAT SOURCE LAYER: whose words came, and what was thought of the layer
says() {
    grep -q "\"source\":$2,\"text_layer\":\"$3\"" words && ok "$1" || bad "$1" "$(cut -c1-120 words) $(tail -1 words.err)"
}
printed draw invoice invoice.png || { echo "skip - second reader: no font to print with"; exit 0; }
printed draw letter letter.png
printed wear invoice.png worn.png

words invoice.png; at_least "an invoice with single digits and rules" 990 970 invoice.png
grep -q '"script":{"name":"Latin"' words && ok "its script is Latin" || bad "its script is Latin" "$(grep -o '"script":[^}]*' words)"
words worn.png; at_least "the same, blurred and noisy" 970 950 invoice.png

if printed draw kannada kannada.png > kannada.why; then
    if [ -e /usr/share/tesseract-ocr/5/tessdata/kan.traineddata ]; then
        words kannada.png --second-reader-languages kan; at_least "Kannada" 950 950 kannada.png
    else
        echo "skip - second reader: tesseract-ocr-kan is not installed"
    fi
    words kannada.png; grep -q '"script":{"name":"Kannada"' words && ok "Kannada is told from Latin" || bad "Kannada is told from Latin" "$(grep -o '"script":[^}]*' words)"
else
    echo "skip - second reader: Kannada: $(cat kannada.why)"
fi

# --- text layers of scans
for layer in true shifted garbled stamp; do printed scan letter.png $layer.pdf $layer; done
words true.pdf; says "a scan's layer that fits is used" '"text layer"' scan
at_least "its words" 990 990 letter.png
words shifted.pdf; says "one that lies beside the ink is not" '"second reader"' rotten
at_least "the words in its place" 990 970 letter.png
words garbled.pdf; says "a garbled one is not" '"second reader"' rotten
words stamp.pdf; says "nor is a stamp alone" '"second reader"' part
words "$root/samples/other/bank-statement/april.pdf"; says "a page that was set from its words" '"text layer"' digital
words true.pdf --second-reader always; says "always means always" '"second reader"' scan

# --- without it, or when it dies
mkdir none
words letter.png --second-reader-data none; status=$?
[ $status = 0 ] && grep -q '"words":\[\]' words && grep -q 'tesseract-ocr-eng' words.err &&
    ok "without tables there are no words, and the package is named" || bad "without tables" "status $status, $(cat words.err)"
"$platen" words letter.png --second-reader-languages eng+tlh > words 2> words.err; status=$?
[ $status = 9 ] && grep -q 'install tesseract-ocr-tlh' words.err && ok "a language that is not there is refused" || bad "a language that is not there is refused" "status $status, $(cat words.err)"
printed draw full full.png
words full.png --child-cpu 1; status=$?
[ $status = 0 ] && grep -q '"words":\[\]' words && grep -q 'processor time (child_cpu)' words.err &&
    ok "one that takes too long is ended, with a warning" || bad "one that takes too long" "status $status, $(cat words.err)"
words letter.png --child-memory 80M; status=$?
[ $status = 0 ] && grep -q 'second reader' words.err && ok "one that takes too much memory is ended, with a warning" || bad "too much memory" "status $status, $(cat words.err)"

# --- its walls: behind them it opens its tables, and nothing else
strace -f -qq -e trace=openat,open,socket,connect,execve,clone,seccomp -o trace "$platen" words worn.png > words 2> words.err
child=$(grep -m1 'execve(.*platen-read' trace | cut -d' ' -f1)
behind=$(awk -v pid="$child" '$1 == pid { if (on) print; if (/seccomp\(/) on = 1 }' trace)
data=$(grep -o '"[^"]*eng.traineddata"' <<< "$behind" | head -1)
if [ -z "$child" ] || ! grep -q seccomp trace; then
    echo "skip - second reader: no seccomp here"
else
    other=$(grep -E 'open|socket|connect|execve|clone' <<< "$behind" | grep -v "\"$(dirname "${data//\"/}")/" | grep -v EACCES)
    [ -n "$data" ] && [ -z "$other" ] && ok "behind its walls it opens its tables alone" || bad "behind its walls" "tables: $data, other: $(head -3 <<< "$other")"
fi
dir=$(dirname "$(readlink -f "$platen")")
probe=$dir/wall-probe
[ -x "$probe" ] || make -s -C "$root" MODE="$(basename "$dir")" "build/$(basename "$dir")/wall-probe" > /dev/null 2>&1
if [ -x "$probe" ] && [ "$("$probe" layers)" -ge 12 ]; then
    "$probe" deny landlock "$platen" words invoice.png > words 2> words.err
    grep -q 'read in a sandbox without Landlock' words.err && grep -q '"source":"second reader"' words && ok "without Landlock: read, with a warning" || bad "without Landlock" "$(cat words.err)"
    "$probe" deny seccomp "$platen" doctor | grep -q "second reader's sandbox: without seccomp" && ok "doctor names the layer that it lacks" || bad "doctor" "$("$probe" deny seccomp "$platen" doctor | grep second)"
fi
"$platen" doctor > doctor; grep -q "second reader: Tesseract .*reads eng" doctor && grep -q "second reader's sandbox: all layers" doctor && ok "doctor says what is there" || bad "doctor says what is there" "$(grep second doctor)"
exit $failed
