#!/usr/bin/env bash
# bad_input.sh - every kind of bad input: one line on stderr that names file,
# place, code and remedy, in extract as in run; the exit code; the original
# bytes in failed/ beside the same code and remedy.
set -u
subject="bad input: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
field() { sed -nE "s/^  \"$1\": \"?(.*[^\",])\"?,?\$/\1/p" "$2" | head -1; }

# says NAME CODE PLACE LINES: one line, "platen: NAME: PLACE: what [code]. Remedy."
says() {
    local remedy pattern
    remedy=$("$platen" config --mdoc-reasons | sed -nE "/^\.It Li $2( |\$)/,/^Exit status/p" |
        sed '1,/^\.\\" remedy/d; /^Exit status/d' | paste -sd ' ')
    pattern="platen: *$1: $3*[a-z0-9]* [[]$2[]]. $remedy"
    [ -n "$remedy" ] && [ "$(wc -l < "$4")" = 1 ] && [[ $(cat "$4") == $pattern ]]
}

# refused CODE EXIT PLACE FILE ARGS...: by extract, and by run from a spool
refused() {
    local code=$1 exit=$2 place=$3 file=$4 name got s=$scratch/spool reason; shift 4
    name=$(basename "$file")
    "$platen" extract "$file" --schema faults "$@" > "$scratch/out" 2> "$scratch/err"; got=$?
    if [ $got != "$exit" ]; then bad "$code, extract" "ends with $got, want $exit"
    elif [ -s "$scratch/out" ]; then bad "$code, extract" "something is on stdout"
    elif ! says "$name" "$code" "$place" "$scratch/err"; then bad "$code, extract" "$(cat "$scratch/err")"
    else ok "$code, extract"; fi
    rm -rf "$s"; mkdir -p "$s/in/faults"; cp "$file" "$s/in/faults/"
    in_spool "$code" "$place" "faults/$name" "$file" "$@"
}

# in_spool CODE PLACE NAME FILE ARGS...: what lies in $s/in becomes a failure
in_spool() {
    local code=$1 place=$2 name=$3 file=$4 got reason; shift 4
    "$platen" run "$s" --stable-for 0 -q "$@" > /dev/null 2> "$scratch/err"; got=$?
    reason=$(echo "$s"/failed/*/reason.json)
    if [ $got != 16 ]; then bad "$code, run" "ends with $got, want 16"
    elif ! says "$name" "$code" "$place" "$scratch/err"; then bad "$code, run" "$(cat "$scratch/err")"
    elif ! cmp -s "$file" "$s"/failed/*/doc; then bad "$code, run" "the bytes in failed/ are others"
    elif [ "$(field code "$reason")" != "$code" ]; then bad "$code, run" "reason.json says $(field code "$reason")"
    elif ! grep -qF "[$code]. $(field remedy "$reason")" "$scratch/err"; then bad "$code, run" "another remedy in reason.json"
    elif [ "$(field stage "$reason")" != "${place%%:*}" ]; then bad "$code, run" "stage $(field stage "$reason")"
    else ok "$code, run"; fi
}

cd "$scratch" || exit 1
good=$root/tests/faults/good.png
null=(--engine null --schemas "$root/tests/faults")
echo text > text.pdf;            refused unknown-type 2 identify text.pdf "${null[@]}"
: > empty.pdf;                   refused empty 2 identify empty.pdf "${null[@]}"
head -c 200 "$good" > torn.png;  refused damaged 2 "rasterise: page 1" torn.png "${null[@]}"
# lenient is spoken of where it gives something, and nowhere else
speaks() { "$platen" extract "$1" "${null[@]}" --schema faults > said 2>&1; grep -q '\[damaged\]' said || bad "$1 is damaged" "$(tail -1 said)"; grep -q lenient said; }
python3 - "$root/samples/bad/cut-off.jpg" << 'PY'
import sys
d = open(sys.argv[1], "rb").read()
scan = d.index(b"\xff\xda")
open("no-rows.jpg", "wb").write(d[:scan + 2 + d[scan + 3]] + b"\xff\xd9")
open("garbage.tif", "wb").write(b"II*\0" + bytes(range(1, 250)) * 12)
open("garbage.pdf", "wb").write(b"%PDF-1.4\n" + bytes(range(1, 250)) * 12)
PY
speaks "$root/samples/bad/cut-off.jpg" && ok "half a picture can be had with lenient" || bad "half a picture can be had with lenient" "nobody says so"
for file in no-rows.jpg garbage.tif garbage.pdf torn.png; do
    speaks $file && bad "lenient gives nothing of $file" "it is offered" || ok "lenient gives nothing of $file"
done
cp "$root/samples/bad/encrypted.pdf" "$root/samples/bad/no-pages.pdf" .
refused encrypted 8 rasterise encrypted.pdf "${null[@]}"
refused no-pages 2 rasterise no-pages.pdf "${null[@]}"
refused too-many-pages 2 rasterise "$root/samples/good/two-pages.pdf" "${null[@]}" --max-pages 1
refused too-large 2 identify "$good" "${null[@]}" --max-document-bytes 100
refused too-large 2 rasterise "$root/samples/bad/four-gigapixels.png" "${null[@]}"
# the second page draws a picture that is not there
python3 - > broken.pdf << 'PY'
import sys
parts = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>"]
for content, resources in ((5, b"<<>>"), (6, b"<</XObject<</I 9 0 R>>>>")):
    parts.append(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Resources %s/Contents %d 0 R>>" % (resources, content))
for ops in (b"0 0 100 100 re f", b"/I Do (x) Tj"):
    parts.append(b"<</Length %d>>stream\n%s\nendstream" % (len(ops), ops))
out, at = b"%PDF-1.4\n", []
for n, part in enumerate(parts, 1):
    at.append(len(out))
    out += b"%d 0 obj%s\nendobj\n" % (n, part)
start = len(out)
out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(at) + 1) + b"".join(b"%010d 00000 n \n" % a for a in at)
out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(at) + 1, start)
sys.stdout.buffer.write(out)
PY
refused page-failed 2 "rasterise: page 2" broken.pdf "${null[@]}"

# each page's answer fits, both together do not: nothing is published
mkdir most
echo '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["items"],"additionalProperties":false,
"x-platen-per-page":true,"properties":{"items":{"type":"array","minItems":2,"maxItems":3,"uniqueItems":true,
"items":{"enum":["a","b","c"]}}}}' > most/faults.schema.json
refused schema-invalid 4 "validate: all pages together: /items" "$root/samples/good/two-pages.pdf" --engine null --schemas "$scratch/most"

# no schema, unknown schema: questions of the spool's folders
s=$scratch/loose; mkdir -p "$s/in"; cp "$good" "$s/in/x.png"
in_spool no-schema identify x.png "$good" "${null[@]}"
s=$scratch/strange; mkdir -p "$s/in/nosuch"; cp "$good" "$s/in/nosuch/x.png"
in_spool unknown-schema identify nosuch/x.png "$good" "${null[@]}"

# the model's doing: a small model of random weights goes round in circles
v=$root/tests/vectors/tiny-parity
mkdir schemas
echo '{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"t":{"type":"string"}},
"required":["t"],"additionalProperties":false}' > schemas/faults.schema.json
own=(--schemas "$scratch/schemas" --model "$v/tiny.gguf" --mmproj "$v/tiny-mmproj.gguf")
refused context-full 4 extract "$good" "${own[@]}" --n-ctx 64
refused model-truncated 4 extract "$good" "${own[@]}" --n-ctx 4096 --max-tokens 50
refused model-loop 4 extract "$good" "${own[@]}" --n-ctx 4096 --max-tokens 3000
rm -rf "$scratch/spool"; mkdir -p "$scratch/spool/in/faults"; cp "$good" "$scratch/spool/in/faults/a.png"
"$platen" run "$scratch/spool" --stable-for 0 -q --schemas "$root/tests/faults" --model /nowhere > /dev/null 2> err; got=$?
[ $got = 17 ] && [ -z "$(ls "$scratch/spool/failed")" ] && head -1 err > first && says faults/a.png model-missing "on hold, nothing lost: extract" first &&
    ok "model-missing, run: the queue waits" || bad "model-missing, run: the queue waits" "code $got: $(cat err)"

# ocr and watch say it the same way
"$platen" ocr encrypted.pdf --engine null > out 2> err; got=$?
[ $got = 8 ] && [ ! -s out ] && says encrypted.pdf encrypted rasterise err && ok "encrypted, ocr" || bad "encrypted, ocr" "code $got: $(cat err)"
"$platen" watch "$scratch/loose" --stable-for 0 -q "${null[@]}" > /dev/null 2> watch & watcher=$!
mkdir -p "$scratch/loose/in/faults"; cp encrypted.pdf "$scratch/loose/in/faults/"
for _ in $(seq 100); do grep -q 'faults/encrypted.pdf' watch && break; sleep 0.05; done
kill -TERM $watcher; wait $watcher
grep faults/ watch > err; says faults/encrypted.pdf encrypted rasterise err && ok "encrypted, watch" || bad "encrypted, watch" "$(cat watch)"

# an endpoint that answers what is no JSON, or does not fit
ask() { # ask BEHAVIOUR CODE
    [ -z "${server:-}" ] || kill "$server" 2> /dev/null
    rm -rf log port; mkdir log
    python3 "$root/tests/support/bad_server.py" --port-file port --answer '{}' --log log --hang 4 "$1" &
    server=$!
    for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done
    refused "$2" 4 "$3" "$good" --schemas "$root/tests/faults" --engine endpoint --endpoint "http://127.0.0.1:$(cat port)"
}
ask words model-invalid-json unfence
ask wrong schema-invalid validate
# the rasteriser is killed at its first pages: nobody's fault, and nothing is lost of it
own=$(dirname "$platen")/platen-raster
[ -x "$own" ] || own=$root/build/platen-raster
cat > "$scratch/killed" << 'END'
#!/bin/bash
u32() { for v; do printf "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((v & 255)) $((v >> 8 & 255)) $((v >> 16 & 255)) $((v >> 24 & 255)))" >&4; done; }
mkdir "$0.begun" 2> /dev/null || exec OWN "$@"
u32 0x32464c50 1 0 0 15 7 0 0 0 0 0x32464c50 16 0 0 1 1 0 0 0 0
kill -KILL $$
END
sed -i "s|OWN|$own|" "$scratch/killed"
chmod +x "$scratch/killed"
read_by() { "$platen" extract "$root/samples/good/kiosk.png" --schema receipt --ocr off --raster-program "$1" 2> "$scratch/err" | grep -vE '"(id|created|[a-z]+)": ("2|[0-9.]+,?$)'; }
read_by "$own" > "$scratch/whole"
read_by "$scratch/killed" > "$scratch/again"
[ -d "$scratch/killed.begun" ] && [ -s "$scratch/again" ] && ! grep -q 'text layer' "$scratch/err" &&
    diff <(sed '/"seconds"/,/}/d' "$scratch/whole") <(sed '/"seconds"/,/}/d' "$scratch/again") > "$scratch/out" &&
    ok "a rasteriser that is killed costs the document nothing" || bad "a rasteriser that is killed costs the document nothing" "$(tail -2 "$scratch/err")$(head -5 "$scratch/out")"
# a page in pieces, none of which can be as small as that
for most in 16384 40000; do
    timeout 60 "$platen" extract "$root/samples/good/till-roll.png" --schema receipt --ocr off --max-pixels $most > "$scratch/out" 2> "$scratch/err"
    [ $? = 0 ] && ok "a long page and pictures of $most px at most" || bad "a long page and pictures of $most px at most" "$(tail -1 "$scratch/err")"
done
exit $failed
