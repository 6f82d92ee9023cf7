#!/usr/bin/env bash
# model.sh - platen model, bench and ask on the small models of tests/vectors.
cd "$(dirname "$0")/../.." || exit 1
platen=${PLATEN:-build/platen}
v=tests/vectors
t=$v/tiny-parity
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
check() { # check NAME: the verdict of the last command, "why" in $why
    if [ $? = 0 ]; then echo "ok - $1"; else echo "not ok - $1: ${why:-}"; bad=1; fi
}

# The largest difference of two files of floats, and how many there are.
difference() {
    paste <(od -An -v -tf4 -w4 "$1") <(od -An -v -tf4 -w4 "$2") |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (!(d <= m)) m = d; if (NF != 2) bad = 1 }
             END { print bad ? "uneven" : NR, m + 0 }'
}
within() { # within FILE FILE MOST COUNT
    why=$(difference "$1" "$2")
    echo "$why" | awk -v most="$3" -v n="$4" '{ exit !($1 == n && $2 <= most) }'
}

why=$($platen model info $v/tiny-q4_k_m.gguf 2>&1)
[[ $why == *"4 (1 attention, 3 delta rule)"* && $why == *"Q4_K           27"* && $why == *c383dddcf461* ]]
check "info shows sizes, types and hash"

why=$($platen model info $v/micro-mmproj-f32.gguf 2>&1)
[[ $why == *"2 blocks, width 128"* ]]
check "info reads a vision file"

head -c 100000 $v/tiny-q4_k_m.gguf > "$tmp/cut.gguf"
why=$($platen model info "$tmp/cut.gguf" 2>&1); code=$?
[[ $code = 9 && $why == *cut.gguf* ]]
check "a file that was cut short is refused by name"

why=$($platen model plan $v/micro-f32.gguf --mmproj $v/micro-mmproj-f32.gguf --ctx 1024 --parallel 3 2>&1)
[[ $why == *"3 sequences of 1024 tokens"* && $why == *"vision peak"* && $why == *fits* ]]
check "plan adds up what a model needs"

why=$($platen model plan $v/micro-f32.gguf --ctx 8192 2>&1); code=$?
[[ $code = 9 && $why == *8192*4096* ]] && why=$($platen model plan $v/micro-f32.gguf --ctx 8192 --yarn 2 2>&1) && [[ $why == *"of 8192 tokens"* ]]
check "a context beyond the training's needs YaRN"

why=$(PLATEN_YARN=4 $platen model plan $v/micro-f32.gguf --ctx 16384 2>&1)
[[ $why == *"of 16384 tokens"* ]]
check "the key yarn stretches the context"

# --- bad input: one line that names the file, tensor or limit and the remedy
refused() { # refused NAME CODE COMMAND... -- WORD...: the code, one line, every word in it
    local name=$1 want=$2 code words; shift 2
    local command=(); while [ "$1" != -- ]; do command+=("$1"); shift; done; shift
    why=$("${command[@]}" 2>&1 > "$tmp/printed"); code=$?
    words=$why; why="code $code, $(wc -l <<< "$words") lines: $words"
    [ $code = "$want" ] && [ "$(wc -l <<< "$words")" = 1 ] && [ ! -s "$tmp/printed" ] &&
        for word; do [[ $words == *"$word"* ]] || { why="no \"$word\" in $why"; false; break; }; done
    check "$name"
}
change() { # change FILE FROM TO: a copy of micro-f32.gguf with a name changed (same length)
    LC_ALL=C sed "s/$2/$3/" $v/micro-f32.gguf > "$tmp/$1"
}
change arch.gguf qwen35 llamaX
change missing.gguf blk.1.ffn_up.weight blk.1.ffn_uq.weight
refused "another architecture" 2 $platen model plan "$tmp/arch.gguf" -- arch.gguf llamaX Qwen3.5
change key.gguf qwen35.rope.freq_base qwen35.rope.freq_bass
change tensor.gguf blk.1.ssm_dt.bias blk.1.ssm_a.scale
refused "keys that are missing, and that nobody reads" 9 $platen model plan "$tmp/key.gguf" -- key.gguf "2 keys" "freq_base is missing" "freq_bass is not known"
refused "tensors of which nobody reads one" 9 $platen model plan "$tmp/tensor.gguf" -- tensor.gguf "2 tensors" "blk.1.ssm_dt.bias is missing" "blk.1.ssm_a.scale is not known"
refused "a model that is refused blames no picture" 9 $platen extract samples/good/askew.png --schema receipt --model "$tmp/key.gguf" -- key.gguf freq_base "[model-refused]"
refused "a tensor is missing" 9 $platen model plan "$tmp/missing.gguf" -- missing.gguf blk.1.ffn_up.weight missing
refused "no model file at all" 9 $platen model plan $t/prompt.txt -- prompt.txt "not a GGUF file"
refused "a file that is absent" 5 $platen model plan "$tmp/none.gguf" -- none.gguf
refused "a vision file as a model" 9 $platen model plan $v/micro-mmproj-f32.gguf -- micro-mmproj-f32.gguf "vision file"
refused "a context that is too long" 9 $platen model plan $v/micro-f32.gguf --ctx 8192 -- micro-f32.gguf 8192 4096 yarn

$platen model logits $v/micro-f32.gguf --tokens $v/micro-f32.tokens.i32 --out "$tmp/out" --kv f32 2> "$tmp/err"
within "$tmp/out" $v/micro-f32.logits.f32 1e-3 114688
check "logits of ids are the reference's"

cat $t/prompt.txt $t/answer.txt > "$tmp/prompt"
$platen model logits $t/tiny.gguf --mmproj $t/tiny-mmproj.gguf --image $t/image.png \
    --prompt-text "$tmp/prompt" --out "$tmp/out" --kv f32 --exact 2> "$tmp/err"
within "$tmp/out" $t/logits.f32 1e-3 48000
check "logits of a text with its picture are the trainer's"

head -c 400000 /dev/zero > "$tmp/ids"
why=$($platen model logits $v/micro-f32.gguf --tokens "$tmp/ids" --out "$tmp/out" --ctx 512 2>&1)
[[ $? = 15 || $why == *context-full* ]] && [[ $why == *"512"* ]] && [ ! -s "$tmp/out" ]
check "more tokens than the context are refused before anything is computed"

printf 'total <|im_end|>' > "$tmp/text"
plain=$($platen model tokens $v/micro-f32.gguf --text "$tmp/text" | wc -l)
special=$($platen model tokens $v/micro-f32.gguf --text "$tmp/text" --special | wc -l)
why="$plain plain, $special special"
[ "$plain" -gt "$special" ] && [ "$special" -gt 1 ]
check "added tokens in a text count only when asked for"

why=$($platen bench --model $v/micro-q8_0.gguf -p 16 -n 4 -d 0,32 -r 1 -t 1 --json 2>&1)
for test in load pp16 tg4 pp16@32 tg4@32 rss; do
    [[ $why == *"{\"test\":\"$test\","* ]] || { why="no $test in $why"; false; break; }
done
check "bench prints one object a test"

# what the machine could do, and how much of it each test takes
why=$($platen bench --model $v/micro-q8_0.gguf --limits -p 16 -n 4 -d 0 -r 1 -t 1 --json 2>&1)
echo "$why" > "$tmp/out"
why=$(python3 - "$tmp/out" << 'PY' 2>&1
import json, os, sys
rows = {r["test"]: r for r in map(json.loads, open(sys.argv[1]))}
l = rows["limits"]
assert l["t"] == 1 and l["read_gbs"] > 0.3 and l["f32_gflops"] > 0.3 and l["int8_gops"] > 0.3, l
flags = open("/proc/cpuinfo").read().split() if os.uname().machine == "x86_64" else []
assert (l["bf16_gflops"] is not None) == ("avx512_bf16" in flags and "avx512_vnni" in flags), l
assert l["amx_int8_gops"] is None or "amx_int8" in flags and l["amx_int8_gops"] > l["int8_gops"], l
for name, n in ("pp16", 16), ("tg4", 4):  # "s" has four decimals, which is a fast machine's whole time
    r = rows[name]
    assert 0 < r["floor_s"] and abs(r["share"] - r["floor_s"] * r["tps"] / n) < 0.2 * r["share"] + 1e-3, r
assert rows["pp16"]["floor_s"] < rows["tg4"]["floor_s"] * 16, rows
assert rows["rss"]["peak_mb"] < 200, rows  # what was read for the limits is not the tests'
PY
)
check "bench --limits: memory and units of this machine, and each test's share of its floor"

# as a server: figures of each number of sessions, and what a prefix that stays read is worth
$platen bench --model vlm/embedded/platen-tiny.gguf --mmproj vlm/embedded/platen-tiny-mmproj.gguf --image samples/good/kiosk.png \
    --serve-like -p 96 -n 12 --sessions 1,3 --documents 5 --turns 3 -t 1 --json > "$tmp/out" 2> "$tmp/err"
why=$(python3 - "$tmp/out" << 'PY' 2>&1
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
one, three = [r for r in rows if r["test"] == "serve"]
assert (one["sessions"], three["sessions"]) == (1, 3)
for r in one, three:
    assert r["documents"] == 5 and r["answer_tokens"] == 12 and 96 < r["prompt_tokens"], r
    assert r["prefill_tps"] > 0 and r["decode_tps"] > r["output_throughput"] > 0 and r["request_throughput"] > 0, r
    for name in "ttft_ms", "tpot_ms", "e2el_ms":
        assert 0 < r[name]["p50"] <= r[name]["p90"] <= r[name]["p99"], r
    assert abs(r["e2el_ms"]["mean"] - r["ttft_ms"]["mean"] - 11 * r["tpot_ms"]["mean"]) < .1, r
turns = [r for r in rows if r["test"] == "turn"]
assert [t["cached_tokens"] for t in turns] == [0, 108, 216], turns
assert turns[2]["ttft_ms"] < turns[2]["ttft_uncached_ms"], turns
PY
)
check "bench --serve-like: first token, tokens a second by stage, turns, sessions beside each other"
[ "$($platen bench --model vlm/embedded/platen-tiny.gguf --serve-like --sessions 0 2>&1 > /dev/null | grep -c 'must be 1 or more')" = 1 ]
check "and no session is none"

# where the time of a page goes: a PDF, a picture, a dictated answer
$platen extract samples/good/cafe.pdf --schema receipt 2> /dev/null | /usr/bin/python3 -c \
    'import json, sys; print(json.dumps(json.load(sys.stdin)["data"]))' > "$tmp/said.json"
for page in cafe.pdf kiosk.png; do
    $platen bench --page samples/good/$page --schema receipt -t 1 --json
done > "$tmp/out" 2> "$tmp/err"
$platen bench --page samples/good/cafe.pdf --schema receipt -t 1 -r 2 --dictated "$tmp/said.json" --json >> "$tmp/out" 2>> "$tmp/err"
why=$(python3 - "$tmp/out" << 'PY' 2>&1
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert [r["test"] for r in rows] == 3 * ["page"], rows
for r in rows:
    parts, counts = r["parts"], r["counts"]
    assert list(parts) == "raster prepare ocr vision prompt forced drafted sampled validate evidence other".split()
    assert abs(sum(parts.values()) - r["s"]) < 2e-5, r
    assert all(s >= 0 for s in parts.values()) and parts["other"] < 0.2 * r["s"], r
    assert all(parts[n] > 0 for n in ("raster", "vision", "prompt", "forced", "sampled")), r
    assert counts["pages"] == 1 and counts["vision"] > 50 and counts["forced"] > 5, r
pdf, picture, told = rows
assert pdf["counts"]["drafted"] > 20, rows  # those of the picture depend on when OCR is done
# what the words reader says is drafted, and is true: few passes (43 without it)
n = told["counts"]
assert n["passes"] < 30 and n["drafted"] > 0.7 * n["guessed"], told
assert all(0 < r["counts"]["prompt"] - r["counts"]["vision"] < 60 for r in rows), rows  # the schema was read with the model
PY
)
check "bench --page: every second of a document has a part, and the parts add up"
$platen bench --page samples/good/cafe.pdf --schema receipt -t 1 > "$tmp/out" 2> "$tmp/err"
why=$(cat "$tmp/out" "$tmp/err")
bar=$(grep '^\[' "$tmp/out")
[[ $why == *"V vision"*"rows"* && $why == *"100.0 %"* && $bar == *V* && $bar == *d* && ${#bar} = 62 ]]
check "as a table with a bar for people"
why=$($platen bench --page samples/good/cafe.pdf 2>&1 > "$tmp/out"); code=$?
[[ $code = 1 && $why == *--schema* && ! -s $tmp/out ]]
check "no schema: refused"
why=$($platen bench --page "$tmp/none.png" --schema receipt 2>&1 > "$tmp/out"); code=$?
[[ $code != 0 && $why == *none.png* && ! -s $tmp/out ]]
check "no file: said by name, and nothing printed"

# what is ours beyond state and scratch: the issue allows 50 MB
why=$($platen bench --model vlm/embedded/platen-tiny.gguf -p 16 -n 4 -r 1 -t 1 --json 2>&1 | grep -o '"anon_mb":[0-9]*')
[ "${why#*:}" -gt 0 ] && [ "${why#*:}" -lt 50 ]
check "little memory is taken beside weights, state and scratch"

why=$($platen ask $t/tiny.gguf --mmproj $t/tiny-mmproj.gguf --image $t/image.png "What?" --max-tokens 8 2> "$tmp/err"); code=$?
[[ $code = 0 || $code = 4 ]] && [ -n "$why" ]
check "ask answers about a picture"

why=$($platen ask $v/tiny-q4_k_m.gguf --mmproj $v/micro-mmproj-f32.gguf --image $t/image.png "What?" 2>&1); code=$?
[[ $code = 9 && $why == *128*256* ]]
check "a vision file of another width is refused"

e=vlm/embedded/platen-tiny
# a new file is looked at once: what is broken waits for a sound one, what is doubtful is said in the record
damage() { python3 tests/support/damage_gguf.py $e.gguf "$tmp/damaged.gguf" 3 "$1" > /dev/null; }
own=(--model "$tmp/damaged.gguf" --mmproj $e-mmproj.gguf --cache "$tmp/looked")
damage 600
why=$($platen extract samples/good/kiosk.png --schema receipt "${own[@]}" 2>&1); code=$?
[[ $code = 9 && $why == *"broken: blk.3."*model_check* ]] && grep -q '"verdict":"broken"' "$tmp"/looked/*.check.json &&
    sed -i 's/"verdict":"broken"/"verdict":"sane"/' "$tmp"/looked/*.check.json && $platen doctor "${own[@]}" | grep -q '^model: platen-tiny' &&
    why=$($platen doctor "${own[@]}" --cache "$tmp/other" --model-check warn) && [[ $why == *"model: doubtful: blk.3."* ]]
check "a broken model is refused by the layer, once, unless a key says otherwise"
damage 20
why=$($platen extract samples/good/kiosk.png --schema receipt --ground off "${own[@]}" 2>&1)
[[ $why == *'"model-doubtful"'* && $why == *"the model: blk.3."* ]]
check "a doubtful one is used, and the record says so"

# NuExtract 3 is told by the tags of its template, or by the key
LC_ALL=C sed 's/{%- for m in messages -%}/template_start\xe3\x80\x91        /' $v/micro-f32.gguf > "$tmp/nu.gguf"
mkdir "$tmp/schemas"
echo '{"type":"object","properties":{"a":{"const":1}},"required":["a"]}' > "$tmp/schemas/one.schema.json"
asked() { # asked MODEL FLAG...: tokens of the question
    $platen extract samples/good/kiosk.png --schema one --schemas "$tmp/schemas" --max-pixels 65536 --cache "$tmp/looked" \
        --mmproj $v/micro-mmproj-f32.gguf --model "$@" 2>&1 | tr -d '\n ' | grep -o '"tokens":{"prompt":[0-9]*' | grep -o '[0-9]*$'
}
why="$(asked "$tmp/nu.gguf") $(asked $v/micro-f32.gguf --prompt-style nuextract) $(asked "$tmp/nu.gguf" --prompt-style plain) $(asked $v/micro-f32.gguf)"
[[ $why =~ ^([0-9]+)\ ([0-9]+)\ ([0-9]+)\ ([0-9]+)$ ]] && [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ] && [ "${BASH_REMATCH[3]}" = "${BASH_REMATCH[4]}" ] &&
    [ "${BASH_REMATCH[1]}" -lt "${BASH_REMATCH[3]}" ]
check "a file with NuExtract's template is asked by it"

exit $bad
