#!/usr/bin/env bash
# second.sh: OCR finds printed words where they stand, tells a
# script, sees a rotten text layer, stays behind its walls, and is never a reason
# to fail.
set -u
subject="OCR: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
export PLATEN_OCR=auto PLATEN_REVIEW_THRESHOLD=0
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && { python=$p; break; }; done
[ -n "$python" ] || { echo "skip - OCR: python3-pil is not installed"; exit 0; }
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
printed draw invoice invoice.png || { echo "skip - OCR: no font to print with"; exit 0; }
printed draw letter letter.png
printed wear invoice.png worn.png

words invoice.png; at_least "an invoice with single digits and rules" 990 970 invoice.png
grep -q '"script":{"name":"Latin"' words && ok "its script is Latin" || bad "its script is Latin" "$(grep -o '"script":[^}]*' words)"
words worn.png; at_least "the same, blurred and noisy" 970 950 invoice.png

if printed draw kannada kannada.png > kannada.why; then
    if [ -e /usr/share/tesseract-ocr/5/tessdata/kan.traineddata ]; then
        words kannada.png --ocr-languages kan; at_least "Kannada" 950 950 kannada.png
    else
        echo "skip - OCR: tesseract-ocr-kan is not installed"
    fi
    words kannada.png; grep -q '"script":{"name":"Kannada"' words && ok "Kannada is told from Latin" || bad "Kannada is told from Latin" "$(grep -o '"script":[^}]*' words)"
else
    echo "skip - OCR: Kannada: $(cat kannada.why)"
fi

# --- text layers of scans
for layer in true shifted garbled stamp; do printed scan letter.png $layer.pdf $layer; done
words true.pdf; says "a scan's layer that fits is used" '"text layer"' scan
at_least "its words" 990 990 letter.png
words shifted.pdf; says "one that lies beside the ink is not" '"OCR"' rotten
at_least "the words in its place" 990 970 letter.png
words garbled.pdf; says "a garbled one is not" '"OCR"' rotten
words stamp.pdf; says "nor is a stamp alone" '"OCR"' part
words "$root/samples/other/bank-statement/april.pdf"; says "a page that was set from its words" '"text layer"' digital
words true.pdf --ocr always; says "always means always" '"OCR"' scan

# --- without it, or when it dies
mkdir none
words letter.png --ocr-data none; status=$?
[ $status = 0 ] && grep -q '"words":\[\]' words && grep -q 'tesseract-ocr-eng' words.err &&
    ok "without tables there are no words, and the package is named" || bad "without tables" "status $status, $(cat words.err)"
"$platen" words letter.png --ocr-languages eng+tlh > words 2> words.err; status=$?
[ $status = 9 ] && grep -q 'install tesseract-ocr-tlh' words.err && ok "a language that is not there is refused" || bad "a language that is not there is refused" "status $status, $(cat words.err)"
printed draw full full.png
# nine pages on one sheet, or a fast machine is done in time
"$python" -c 'from PIL import Image as I
a = I.open("full.png"); b = I.new(a.mode, (3 * a.width, 3 * a.height))
for i in range(9): b.paste(a, (i % 3 * a.width, i // 3 * a.height))
b.save("crowd.png")'
words crowd.png --child-cpu-limit 1; status=$?
[ $status = 0 ] && grep -q '"words":\[\]' words && grep -q 'processor time (child_cpu_limit)' words.err &&
    ok "one that takes too long is ended, with a warning" || bad "one that takes too long" "status $status, $(cat words.err)"
# a table that is larger than what the child may have; the rasteriser needs less
mkdir huge; cp "$(ls /usr/share/tesseract-ocr/*/tessdata/eng.traineddata /usr/share/tessdata/eng.traineddata 2> /dev/null | head -1)" huge && truncate -s 400M huge/eng.traineddata
words letter.png --ocr-data huge --child-memory-limit 300M; status=$?
[ $status = 0 ] && grep -q 'OCR' words.err && ok "one that takes too much memory is ended, with a warning" || bad "too much memory" "status $status, $(cat words.err)"

# --- its walls: behind them it opens its tables, and nothing else
strace -f -qq -e trace=openat,open,socket,connect,execve,clone,seccomp -o trace "$platen" words worn.png > words 2> words.err
child=$(grep -m1 'execve(.*platen-ocr' trace | cut -d' ' -f1)
behind=$(awk -v pid="$child" '$1 == pid { if (on) print; if (/seccomp\(/) on = 1 }' trace)
data=$(grep -o '"[^"]*eng.traineddata"' <<< "$behind" | head -1)
if [ -z "$child" ] || ! grep -q seccomp trace; then
    echo "skip - OCR: no seccomp here"
else
    other=$(grep -E 'open|socket|connect|execve|clone' <<< "$behind" | grep -v "\"$(dirname "${data//\"/}")/" | grep -v EACCES)
    [ -n "$data" ] && [ -z "$other" ] && ok "behind its walls it opens its tables alone" || bad "behind its walls" "tables: $data, other: $(head -3 <<< "$other")"
fi
dir=$(dirname "$(readlink -f "$platen")")
probe=$dir/wall-probe
make -s -C "$root" MODE="$(basename "$dir")" "build/$(basename "$dir")/wall-probe" > /dev/null 2>&1
if [ -x "$probe" ] && [ "$("$probe" layers pdf)" -ge 12 ]; then
    "$probe" deny landlock "$platen" words invoice.png > words 2> words.err
    grep -q 'read in a sandbox without Landlock' words.err && grep -q '"source":"OCR"' words && ok "without Landlock: read, with a warning" || bad "without Landlock" "$(cat words.err)"
    "$probe" deny seccomp "$platen" doctor | grep -q "OCR's sandbox: without seccomp" && ok "doctor names the layer that it lacks" || bad "doctor" "$("$probe" deny seccomp "$platen" doctor | grep second)"
fi
"$platen" doctor > doctor; grep -q "OCR: Tesseract .*reads eng" doctor && grep -q "OCR's sandbox: all layers" doctor && ok "doctor says what is there" || bad "doctor says what is there" "$(grep second doctor)"

# --- what it says of values: an endpoint that reads by heart says what the page says, or something else
extract() { # extract ANSWER FILE [OPTION...]: the record in `record`
    [ -z "${server:-}" ] || kill "$server" 2> /dev/null
    rm -rf log port; mkdir log
    "$python" "$root/tests/support/bad_server.py" --port-file port --log log --answer "$1" ok > /dev/null 2>&1 &
    server=$!
    for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done
    shift
    "$platen" extract "$@" --schema "$scratch/invoice.schema.json" --engine endpoint --endpoint "http://127.0.0.1:$(cat port)" > record 2> record.err
}
holds() { # holds WHAT EXPRESSION: of the record's fields f, warnings w, codes c, seconds s
    "$python" - record "$2" << 'PY' 2> holds.err && ok "$1" || bad "$1" "$(tail -1 holds.err) $(tail -2 record.err)"
import json, sys
r = json.load(open(sys.argv[1]))
f, w, s = r.get("fields", {}), r["warnings"], r["seconds"]
c = [x["code"] for x in w]
def verdict(key): return f["/" + key].get("verdict")
def sources(key): return {e["source"] for e in f["/" + key].get("evidence", [])}
assert eval(sys.argv[2]), (sys.argv[2], f, w)
PY
}
cat > invoice.schema.json << 'END'
{"type":"object","additionalProperties":false,"required":["seller","number","date","net"],"properties":{
"seller":{"type":["string","null"]},"number":{"type":["string","null"]},"date":{"type":["string","null"]},"net":{"type":["number","null"]}}}
END
net=$("$python" -c 'import json; words = [w for w, _ in json.load(open("invoice.png.json"))]; print(words[words.index("Net") + 1].replace(",", ""))')
right='{"seller":"Miller Trading","number":"2024-0117","date":"2024-11-28","net":'$net'}'
"$python" -c "from PIL import Image; Image.open('worn.png').convert('L').rotate(1.2, Image.BICUBIC, fillcolor=245).save('crooked.jpg', quality=80, dpi=(150, 150))"
extract "$right" crooked.jpg
holds "what a crooked scan says agrees, with a box, a source and a confidence" \
    'all(verdict(k) == "agree" and sources(k) == {"ocr"} and f["/" + k]["evidence"][0]["confidence"] > 0.5 for k in ("seller", "number", "date", "net")) and "ocr" in s and not w'
grep -q 'ocr' record && "$platen" validate --schema "$scratch/invoice.schema.json" record > /dev/null 2>&1 && ok "the record is valid" || bad "the record is valid" "$(cat record.err)"
for degrees in 4.5 -4.5; do
    "$python" -c "from PIL import Image; Image.open('invoice.png').convert('L').rotate($degrees, Image.BICUBIC, fillcolor=255).save('askew.png', dpi=(150, 150))"
    extract "$right" askew.png
    holds "and so does one that is $degrees degrees askew" 'all(verdict(k) == "agree" for k in ("seller", "number", "date", "net")) and not w'
done
wrong=$("$python" -c "print('$net'[:-1] + str((int('$net'[-1]) + 3) % 10))")
extract '{"seller":"Miller Trading","number":"2024-0118","date":"2024-11-26","net":'"$wrong"'}' crooked.jpg
holds "another digit is seen nowhere, whatever else looks like it" \
    'verdict("seller") == "agree" and all(verdict(k) == "unseen" and not sources(k) for k in ("number", "date", "net"))'
printed scan worn.png worn-shifted.pdf shifted
printed scan worn.png worn-true.pdf true
extract "$right" worn-shifted.pdf
holds "a rotten layer's words are no evidence, Tesseract's are" 'verdict("net") == "agree" and sources("net") == sources("seller") == {"ocr"}'
extract "$right" worn-shifted.pdf --ocr off
holds "nor are they where there is nobody else" 'all("verdict" not in f["/" + k] and "evidence" not in f["/" + k] for k in ("seller", "net")) and not w'
extract "$right" worn-shifted.pdf --max-pixels 90000
holds "what a model gets at 31 dpi is drawn once more for OCR" 'all(verdict(k) == "agree" for k in ("seller", "number", "date", "net"))'
extract "$right" worn-true.pdf
holds "a layer that fits is evidence, and OCR only compares it" 'sources("net") == {"text-layer"}'
extract "$right" worn-true.pdf --ocr always
holds "always means always here, too" 'sources("net") == {"ocr"} and "ocr" in s'

# --- without it the record is the same but for what it says, and for one warning
extract "$right" crooked.jpg --ocr-data none
holds "without tables nothing is held against the values, with one warning" 'c == ["ocr-failed"] and "verdict" not in f["/net"] and "tesseract-ocr-eng" in w[0]["text"]'
extract "$right" crooked.jpg --ocr-data huge --child-memory-limit 300M
holds "nor where it dies of a page" 'set(c) == {"ocr-failed"} and "verdict" not in f["/net"]'
"$python" -c "
from PIL import Image
page = Image.open('crooked.jpg'); page.save('many.tiff', save_all=True, append_images=[page] * 5)"
extract "$right" many.tiff --ocr-program /nonexistent
holds "one warning for all pages where there is no program" 'c == ["ocr-failed"]'

# --- the script guard
if [ -e kannada.png ]; then
    extract "$right" kannada.png --endpoint-model Qwen3.5-4B
    holds "a page in a script that the model does not read is said to be one" '[x.get("page") for x in w if x["code"] == "script-unread"] == [1] and verdict("net") == "unseen"'
    extract "$right" kannada.png --endpoint-model other
    holds "of a model that nobody knows nothing is said" '"script-unread" not in c'
    "$platen" extract "$root/samples/good/kiosk.png" --schema receipt > record 2> record.err
    holds "a Latin receipt is not" '"script-unread" not in c and verdict("total") == "agree"'
fi
exit $failed
