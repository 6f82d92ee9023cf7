#!/usr/bin/env bash
# ocr_models.sh: the models of ocr_engine = onnx are got, listed and removed; with them
# (PLATEN_OCR_MODELS: their folder) pages are read, also turned, askew, tiny and
# large; without them, or with damaged ones, Tesseract reads.
set -u
subject="OCR models: "
models=${PLATEN_OCR_MODELS:-}
unset PLATEN_OCR_MODELS PLATEN_OCR_ENGINE
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
export PLATEN_OCR=always HF_HOME=$scratch/hf HOME=$scratch/home
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && { python=$p; break; }; done
[ -n "$python" ] || { echo "skip - OCR models: python3-pil is not installed"; exit 0; }
printed() { "$python" "$root/tests/support/printed.py" "$@"; }
check() { if eval "$2"; then ok "$1"; else bad "$1" "status $status: $(tail -2 said)"; fi; }
run() { "$platen" "$@" > out 2> said; status=$?; }

# --- got, listed, removed
names="PP-OCRv6/det/PP-OCRv6_det_small PP-OCRv6/rec/PP-OCRv6_rec_small PP-OCRv4/cls/ch_ppocr_mobile_v2.0_cls_mobile"
for name in $names; do
    mkdir -p "mirror/${name%/*}"
    if [ -n "$models" ]; then cp "$models/${name##*/}.onnx" "mirror/$name.onnx"; else echo other > "mirror/$name.onnx"; fi
done
"$python" -u -m http.server 0 --bind 127.0.0.1 -d mirror > port 2> /dev/null &
for _ in $(seq 100); do grep -q port port && break; sleep 0.1; done
mirror=http://127.0.0.1:$(sed -n 's/.*port \([0-9]*\).*/\1/p' port)
run model get ocr:klingon
check "an unknown script: the known ones are listed" '[ $status = 1 ] && grep -q "ocr:greek" said'
if [ -n "$models" ]; then
    touch platen.conf
    PLATEN_CONFIG=$scratch/platen.conf run model get ocr --mirror "$mirror" --use
    check "get verifies them, and --use names their folder" '[ $status = 0 ] && grep -q "^ocr_models = $scratch/hf/hub/ocr$" platen.conf'
    run model list; check "list shows them" '[ "$(grep -c "/ocr/.*onnx$" out)" = 3 ]'
    run model rm ocr; check "rm removes them" '[ $status = 0 ] && [ -z "$(find hf -name "*.onnx")" ]'
fi
echo other > mirror/PP-OCRv6/det/PP-OCRv6_det_small.onnx
run model get ocr --mirror "$mirror"
check "a file with another hash is refused" '[ $status = 2 ] && [ -z "$(find hf -name "*.onnx")" ]'

# --- without models
printed draw invoice invoice.png > why || { echo "skip - OCR models: no font to print with"; exit $failed; }
mkdir none
run words invoice.png --ocr-models none
check "without models Tesseract reads" '[ $status = 0 ] && grep -q "Miller" out && [ ! -s said ]'
run words invoice.png --ocr-models none --ocr-engine onnx
check "if they are asked for, a warning says what is missing" '[ $status = 0 ] && grep -q "\"words\":\[\]" out && grep -q "ocr_engine = onnx: " said'
run doctor --ocr-models none --ocr-engine onnx
if grep -q "without ONNX Runtime" out; then
    check "doctor says what would add them" 'grep -q libonnxruntime-dev out'
    echo "skip - OCR models: built without ONNX Runtime (libonnxruntime-dev)"; exit $failed
fi
printf 'no model' > none/a_det.onnx; cp none/a_det.onnx none/a_rec.onnx
run words invoice.png --ocr-models none
check "with damaged ones, too" '[ $status = 0 ] && grep -q "Miller" out && [ ! -s said ]'
[ -n "$models" ] || { echo "skip - OCR models: none to read with (PLATEN_OCR_MODELS: a folder of platen model get ocr)"; exit $failed; }

# --- with them
export PLATEN_OCR_MODELS=$models
read_at_least() { # WHAT BOX RIGHT IMAGE TRUTH: of the words drawn, so many per mille
    run words "$4"
    local got; got=$(printed score "$5" out)
    set -- "$1" "$2" "$3" "$got" $got
    awk -v b="$8" -v r="${10}" -v box="$2" -v right="$3" 'BEGIN { exit !(b * 1000 >= box && r * 1000 >= right) }' &&
        ok "$1: $4" || bad "$1" "$4; $(tail -1 said)"
}
run doctor; check "doctor names the model and its scripts" 'grep -q "OCR: ONNX Runtime .*, PP-OCR.*, reads Latin" out && grep -q "OCR.s sandbox: all layers" out'
run doctor --ocr-languages eng+rus
check "a language whose script they lack is Tesseract's" '! grep -q ONNX out'
printed wear invoice.png worn.png
read_at_least "an invoice with single digits and rules" 990 980 invoice.png invoice.png
read_at_least "the same, blurred and noisy" 990 970 worn.png invoice.png
cat > change.py << 'END'
import json, sys
from PIL import Image
how, source, out = sys.argv[1:]
im, words = Image.open(source).convert('L'), json.load(open(source + '.json'))
if how == 'large':  # three pages beside and below each other
    sheet = Image.new('L', (3 * im.width, 2 * im.height), 255)
    for i in range(6):
        sheet.paste(im, (i % 3 * im.width, i // 3 * im.height))
    words = [[t, [(i % 3 + x) / 3, (i // 3 + y) / 2, w / 3, h / 2]] for i in range(6) for t, (x, y, w, h) in words]
    im = sheet
elif how == 'tiny':
    im = im.resize((im.width * 55 // 100, im.height * 55 // 100), Image.LANCZOS)
elif how == 'askew':
    im = im.rotate(3, Image.BICUBIC, fillcolor=255)
else:
    quarters = int(how)
    for _ in range(quarters):
        im = im.transpose(Image.ROTATE_270)
        words = [[t, [1 - y - h, x, h, w]] for t, (x, y, w, h) in words]
im.save(out, dpi=(82, 82) if how == 'tiny' else (150, 150))
json.dump(words, open(out + '.json', 'w'))
END
printed draw letter letter.png
for how in tiny large 1 2 3 askew; do
    "$python" change.py "$how" letter.png "$how.png"
    case $how in
        askew) # boxes of what was turned are not those that were drawn
            run words askew.png
            check "a page that is 3 degrees askew" '"$python" -c "
import json
got = {w[\"text\"] for w in json.loads(open(\"out\").readline())[\"words\"]}
drawn = [t for t, _ in json.load(open(\"askew.png.json\"))]
assert sum(t in got for t in drawn) >= 0.98 * len(drawn)" 2> /dev/null' ;;
        [123]) read_at_least "a page turned by $how quarters" 980 980 "$how.png" "$how.png" ;;
        *) read_at_least "a $how page" 980 970 "$how.png" "$how.png" ;;
    esac
done

# --- its walls: behind them it opens nothing but Tesseract's table of scripts
strace -f -qq -e trace=openat,open,socket,connect,execve,clone,clone3,seccomp -o trace "$platen" words worn.png > out 2> said
child=$(grep -m1 'execve(.*platen-ocr' trace | cut -d' ' -f1)
behind=$(awk -v pid="$child" '$1 == pid { if (on) print; if (/seccomp\(/) on = 1 }' trace)
if [ -z "$child" ] || ! grep -q seccomp trace; then
    echo "skip - OCR models: no seccomp here"
else
    other=$(grep -E 'open|socket|connect|execve|clone' <<< "$behind" | grep -v 'osd.traineddata' | grep -v EACCES)
    grep -q "Miller" out && [ -z "$other" ] && ok "behind its walls it opens no file" || bad "behind its walls" "$(head -3 <<< "$other")"
fi

# --- a script they do not read
if printed draw kannada kannada.png > why; then
    run words kannada.png --ocr-engine onnx
    check "a page in another script is said to be unread" 'grep -q "does not read its script, Kannada" said'
else
    echo "skip - OCR models: Kannada: $(cat why)"
fi
exit $failed
