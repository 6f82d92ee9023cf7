#!/usr/bin/env bash
# schema_models.sh: sections [schema.NAME] of platen.conf. Two models of which one fits into memory read 200 documents and are
# loaded no more often than model_patience implies; kill -9 loses nothing; one that is missing holds up only its own documents.
subject="schema models: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
for name in small large; do # files of their own, and so hashes
    mkdir "$scratch/$name"
    cp vlm/embedded/platen-tiny.gguf "$scratch/$name/$name.gguf"
    printf '%s' "$name" >> "$scratch/$name/$name.gguf"
    cp vlm/embedded/platen-tiny-mmproj.gguf "$scratch/$name/mmproj.gguf"
done
mkdir "$scratch/schemas"
for name in receipt bill; do cp schemas/receipt.schema.json "$scratch/schemas/$name.schema.json"; done
export PLATEN_SCHEMAS=$scratch/schemas
conf=$scratch/platen.conf
cat > "$conf" << END
[engine]
model = $scratch/large/large.gguf
model_memory = 1
stable_for = 0
rescan = 0.2
ocr = off
ground = off
[schema.receipt]
model = $scratch/small/small.gguf
END
with() { printf '%s\n' "[engine]" "model = $scratch/large/large.gguf" "$@" > "$scratch/with.conf"; }

# --- the file
refused() { # refused NAME CODE LINES -- WORDS: by config --check
    local name=$1 want=$2 lines=() code; shift 2
    while [ "$1" != -- ]; do lines+=("$1"); shift; done; shift
    with "${lines[@]}"
    why=$("$platen" config --check --config "$scratch/with.conf" 2>&1 > /dev/null); code=$?
    [ $code = "$want" ] && [ "$(wc -l <<< "$why")" = 1 ] && for word; do
        [[ $why == *"$word"* ]] || { bad "$name" "no \"$word\" in $why"; return; }
    done && ok "$name" || bad "$name" "$code $why"
}
refused "a schema that there is not" 9 "[schema.receit]" "max_pixels = 9" -- with.conf:4 "[schema.receit]" "did you mean receipt"
refused "a model that there is not" 3 "[schema.receipt]" "model = /none.gguf" -- with.conf:4 "[schema.receipt]" /none.gguf "[model-missing]" "Put the model"
refused "a model without a vision file" 3 "[schema.receipt]" "model = $root/tests/vectors/tiny-q4_k_m.gguf" "mmproj = /none" -- with.conf:4 /none
refused "a key that is of the whole machine" 9 "[schema.receipt]" "stable_for = 1" -- with.conf:4 stable_for "only examples, engine, model"
refused "a key that is mistyped" 9 "[schema.receipt]" "modell = 1" -- with.conf:4 "did you mean model"
refused "a value that is none" 9 "[schema.receipt]" "max_pixels = few" -- with.conf:4 max_pixels
refused "a key that is set twice" 9 "[schema.receipt]" "model = a" "[log]" "[schema.receipt]" "model = b" -- with.conf:7 with.conf:4
refused "a section without a name" 9 "[schema.]" "model = a" -- with.conf:4 "[schema.NAME]"
refused "a section that is mistyped" 9 "[shema.receipt]" "model = a" -- with.conf:4 "[schema.NAME]"
refused "model and endpoint" 9 "[schema.receipt]" "model = a" "endpoint = http://127.0.0.1:1/v1" -- with.conf:4 "remove one"
refused "engine endpoint without an address" 9 "[schema.receipt]" "engine = endpoint" -- with.conf:4 "endpoint = URL"
"$platen" run "$scratch" --config "$scratch/with.conf" > "$scratch/out" 2> "$scratch/err"
[ $? = 9 ] && grep -q with.conf:4 "$scratch/err" && ok "run refuses such a file, too" || bad "run refuses such a file, too" "$(cat "$scratch/err")"

"$platen" config --config "$conf" > "$scratch/printed"
"$platen" config --config "$scratch/printed" | sed 's/ *; .*//' > "$scratch/again"
sed 's/ *; .*//' "$scratch/printed" | diff -I '^# file' - "$scratch/again" > "$scratch/diff" && grep -q '^\[schema.receipt\]' "$scratch/again" &&
    ok "config prints the sections, and what it prints is read again" || bad "config prints the sections, and what it prints is read again" "$(head -3 "$scratch/diff")"
"$platen" config --config "$conf" --engine null | grep -q 'small.gguf.*not used: a flag' && ok "config says that a flag is first" || bad "config says that a flag is first" ""
"$platen" doctor --config "$conf" > "$scratch/out"
grep -A9 '^\[schema.receipt\]' "$scratch/out" | grep -q "model file: .*small.gguf" && ok "doctor opens the model of each schema" || bad "doctor opens the model of each schema" "$(grep model "$scratch/out")"
hash_of() { "$platen" extract samples/good/kiosk.png --schema "$1" "${@:2}" 2> /dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["model"]["sha256"])'; }
small=$(hash_of receipt --model "$scratch/small/small.gguf") large=$(hash_of receipt --model "$scratch/large/large.gguf")

mkdir "$scratch/status"; "$platen" init "$scratch/status" > "$scratch/out"
"$platen" status "$scratch/status" --config "$conf" | grep -q "receipt is read by $scratch/small/small.gguf" &&
    "$platen" status "$scratch/status" --json --config "$conf" | grep -q '"receipt":.*small.gguf' && ! "$platen" status "$scratch/status" --json | grep -q '"models"' &&
    ok "status says what reads a schema" || bad "status says what reads a schema" "$("$platen" status "$scratch/status" --config "$conf")"

# --- 200 documents
python3 - "$scratch/documents" << 'END'
import os, sys
sys.path.insert(0, "tests/support")
from pdf_objects import pdf_of
for i in range(200):
    text = b"BT /F 12 Tf 40 200 Td (Shop %d, total 12.%02d) Tj ET" % (i, i % 100)
    folder = "%s/%s" % (sys.argv[1], "receipt" if i % 2 else "bill")
    os.makedirs(folder, exist_ok=True)
    open("%s/%d.pdf" % (folder, i), "wb").write(pdf_of([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[4 0 R]>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 210 298]/Resources<</Font<</F 3 0 R>>>>/Contents 5 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(text), text)]))
END
fill() { # fill NAME [PATTERN]
    local folder
    spool=$scratch/$1
    for folder in receipt bill; do mkdir -p "$spool/in/$folder"; cp "$scratch/documents/$folder/"${2:-*}.pdf "$spool/in/$folder"; done
    n=$(find "$spool/in" -name '*.pdf' | wc -l)
}
run() { "$platen" run "$spool" --config "$conf" "$@" >> "$spool.out" 2>> "$spool.err"; }
loads() { grep -c "loading $scratch/$1/$1.gguf" <(grep -v unloading "$spool.err"); }
all_there() { # each once, none failed, read by the model of its schema
    local out wrong
    out=$(find "$spool/out" -name '*.json' | wc -l)
    wrong=$(python3 - "$spool" "$small" "$large" << 'END'
import glob, json, sys
for path in glob.glob(sys.argv[1] + "/done/*/record.json"):
    record = json.load(open(path))
    want = sys.argv[2] if record["schema"]["name"] == "receipt" else sys.argv[3]
    if record["model"].get("sha256") != want: print(record["schema"]["name"], record["model"])
END
)
    why="$out records of $n, $(ls "$spool/failed" | wc -l) failed, $(ls "$spool/work" | wc -l) in work, wrong: ${wrong:0:200} $(tail -n 2 "$spool.err")"
    [ "$out" = "$n" ] && [ "$(ls "$spool/done" | wc -l)" = "$n" ] && [ -z "$(ls "$spool/failed" "$spool/work" | grep ^2)" ] && [ -z "$wrong" ]
}
fill once
run; code=$?
all_there && [ $n = 200 ] && [ $code = 0 ] && [ "$(loads small)" = 1 ] && [ "$(loads large)" = 1 ] && ok "200 documents load each of two models once" ||
    bad "200 documents load each of two models once" "$code, small $(loads small), large $(loads large), $why"

fill patience
began=$(date +%s.%N)
run --model-patience 2; code=$?
most=$(python3 -c "import time; print(int(2 + 2 * (time.time() - $began) / 2))")
loads=$(($(loads small) + $(loads large)))
all_there && [ $code = 0 ] && [ $loads -gt 2 ] && [ $loads -le "$most" ] && ok "and as often as a short model_patience implies" ||
    bad "and as often as a short model_patience implies" "$code, $loads loads, at most $most, $why"

fill both '?'
run --model-memory 1G
all_there && ! grep -q unloading "$spool.err" && [ "$(loads small)" = 1 ] && [ "$(loads large)" = 1 ] && ok "where both fit, both stay loaded" ||
    bad "where both fit, both stay loaded" "$why"

# --- kill -9
fill killed
for round in 1 2 3 4; do
    run --model-patience 1 & pid=$!
    sleep "$((round % 2)).$((RANDOM % 5 + 4))"
    kill -9 $pid 2> /dev/null; wait $pid 2> /dev/null
done
run; code=$?
all_there && [ $code = 0 ] && ok "kill -9 of platen loses nothing" || bad "kill -9 of platen loses nothing" "$code $why"
fill server '1?'
run --model-patience 1 & pid=$!
while kill -0 $pid 2> /dev/null; do
    sleep "0.$((RANDOM % 9 + 1))"
    victim=$(pgrep -P $pid -x platen-model | head -1) && kill -9 "$victim" 2> /dev/null
done
wait $pid; code=$?
all_there && [ $code = 0 ] && ok "nor does kill -9 of model servers" || bad "nor does kill -9 of model servers" "$code $why"
sleep 0.3
[ -z "$(pgrep -x platen-model -P 1)" ] && ok "no model server is left" || bad "no model server is left" "$(pgrep -x platen-model -P 1)"

# --- a flag is first: a dry run stays one
spool=$scratch/dry; mkdir -p "$spool/in/receipt"; cp "$scratch/documents/receipt/1.pdf" "$spool/in/receipt"
run --engine null; code=$?
[ $code = 0 ] && ! grep -q loading "$spool.err" && ok "--engine null loads no model" || bad "--engine null loads no model" "$code $(tail -n 2 "$spool.err")"
[ "$(hash_of receipt --config "$conf")" = "$small" ] && [ "$(hash_of bill --config "$conf")" = "$large" ] &&
    [ "$(hash_of receipt --config "$conf" --model "$scratch/large/large.gguf")" = "$large" ] && ok "extract uses the section of its schema, unless a flag names a model" ||
    bad "extract uses the section of its schema, unless a flag names a model" "$(hash_of receipt --config "$conf")"

# --- a document of 300 pages lets the other model be loaded (G6)
spool=$scratch/long; mkdir -p "$spool/in/receipt" "$spool/in/bill"
python3 - "$spool/in/bill/long.pdf" << 'END'
import sys
sys.path.insert(0, "tests/support")
from pdf_objects import pdf_of
n = 300
pages = [b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 210 298]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>" % (4 + n + i) for i in range(n)]
text = [b"BT /F 12 Tf 40 %d Td (Shop %d, total 12.%02d) Tj ET" % (200 - 20 * (i % 9), i, i % 100) for i in range(n)]
open(sys.argv[1], "wb").write(pdf_of([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count %d/Kids[%s]>>" %
    (n, b" ".join(b"%d 0 R" % (4 + i) for i in range(n))), b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"] + pages +
    [b"<</Length %d>>stream\n%s\nendstream" % (len(t), t) for t in text]))
END
await() { for _ in $(seq 200); do [ -e "$1" ] && return; sleep 0.05; done; return 1; }
"$platen" watch "$spool" --config "$conf" --document-timeout 2 --model-patience 1 > "$spool.out" 2> "$spool.err" & pid=$!
for _ in $(seq 200); do "$platen" status "$spool" 2> /dev/null | grep -q 'page [0-9]* of 300' && break; sleep 0.05; done
cp "$scratch/documents/receipt/1.pdf" "$spool/in/receipt"
await "$spool/out/receipt/1.json" && [ ! -e "$spool/out/bill/long.json" ] && ok "a long document lets the other model be loaded" ||
    bad "a long document lets the other model be loaded" "$(ls "$spool/out/bill") $(tail -n 3 "$spool.err")"
kill $pid; wait $pid
[ "$(ls "$spool/work" | grep -c ^2)" = 1 ] && [ -z "$(ls "$spool/failed" | grep ^2)" ] && ok "and waits" || bad "and waits" "$(tail -n 3 "$spool.err")"

# --- one that fails
spool=$scratch/missing; mkdir -p "$spool/in/receipt" "$spool/in/bill"
cp "$scratch"/documents/receipt/?.pdf "$spool/in/receipt"; cp "$scratch"/documents/bill/?.pdf "$spool/in/bill"
mv "$scratch/small/small.gguf" "$scratch/small/away"
run; code=$?
[ $code = 17 ] && [ "$(ls "$spool/out/bill" | wc -l)" = 5 ] && [ -z "$(ls "$spool/failed" | grep ^2)" ] &&
    grep -q "schema.receipt.*small.gguf.*model-missing" "$spool.err" && ok "where a model is missing, others go on, and nothing fails" ||
    bad "where a model is missing, others go on, and nothing fails" "$code $(ls "$spool/out") $(tail -n 3 "$spool.err")"
mv "$scratch/small/away" "$scratch/small/small.gguf"
run; code=$?
[ $code = 0 ] && [ "$(ls "$spool/out/receipt" | wc -l)" = 5 ] && ok "and the next run reads the rest" || bad "and the next run reads the rest" "$code $(tail -n 2 "$spool.err")"

# --- an endpoint of its own, in a watch; its key is that of the section
answer='{"merchant":"Corner Shop","date":"2026-11-21","items":[],"total":12.50,"currency":"EUR"}'
with "endpoint_key_file = $scratch/key" "endpoint_timeout = 2" "stable_for = 0" "rescan = 0.2" "ocr = off" "[schema.receipt]" "endpoint = http://127.0.0.1:9/v1"
echo global > "$scratch/key"; echo own > "$scratch/own"
spool=$scratch/watched; mkdir -p "$spool/in/receipt" "$spool/in/bill"
cp "$scratch/documents/receipt/1.pdf" "$spool/in/receipt"
OPENAI_API_KEY=global "$platen" watch "$spool" --config "$scratch/with.conf" --endpoint-tries 1 > "$spool.out" 2> "$spool.err" & pid=$!
for _ in $(seq 200); do grep -q endpoint-failed "$spool.err" && break; sleep 0.05; done
cp "$scratch/documents/bill/2.pdf" "$spool/in/bill"
await "$spool/out/bill/2.json" && ok "an endpoint that is down holds up only its schema" || bad "an endpoint that is down holds up only its schema" "$(tail -n 3 "$spool.err")"
mkdir "$scratch/log"
python3 tests/support/bad_server.py --port-file "$scratch/port" --answer "$answer" --log "$scratch/log" --hang 4 ok & server=$!
await "$scratch/port"; sleep 0.1
sed -i "s,http://127.0.0.1:9/v1,http://127.0.0.1:$(cat "$scratch/port")/v1," "$scratch/with.conf"
kill -HUP $pid
await "$spool/out/receipt/1.json" && grep -q '"total": 12.5' "$spool/out/receipt/1.json" && ok "SIGHUP: another endpoint, and it is read" || bad "SIGHUP: another endpoint, and it is read" "$(tail -n 3 "$spool.err")"
! grep -rqi 'bearer' "$scratch/log" && ok "it was not sent the key of the other endpoint" || bad "it was not sent the key of the other endpoint" "$(grep -rhi bearer "$scratch/log" | head -1)"
echo "endpoint_key_file = $scratch/own" >> "$scratch/with.conf"
kill -HUP $pid; sleep 0.5
cp "$scratch/documents/receipt/3.pdf" "$spool/in/receipt"
await "$spool/out/receipt/3.json" && grep -rqi 'bearer own' "$scratch/log" && ok "but its own" || bad "but its own" "$(grep -rhi bearer "$scratch/log" | head -1) $(tail -n 3 "$spool.err")"
kill $pid $server; wait $pid; code=$?
[ $code = 0 ] && [ -z "$(ls "$spool/failed" "$spool/work" | grep ^2)" ] && ok "nothing failed" || bad "nothing failed" "$code $(ls "$spool/failed")"
exit $failed
