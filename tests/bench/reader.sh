#!/usr/bin/env bash
# reader.sh - documents an hour of `platen run` with and without a reader, by turns:
# one spool each, medians, the last line of each model is the ratio. Random weights of
# the real shapes write answers of bounded length: what is compared is time. Without a
# reader one document has all threads, which is the default. Takes 4 GB of disk.
#   READER_MODELS="embedded 4b:Q4_K_M" (SHAPE:TYPE[:LAYERS]) READER_ROUNDS=3
#   READER_DOCUMENTS=16 READER_THREADS=2 READER_JOBS=4 READER_PIXELS=400000
set -eu
cd "$(dirname "$0")/../.."
platen=$PWD/build/platen
out=$PWD/build/peers
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
documents=${READER_DOCUMENTS:-16} jobs=${READER_JOBS:-4}
mkdir "$scratch/schemas"
cat > "$scratch/schemas/slip.schema.json" << 'JSON'
{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Slip", "type": "object", "properties": {
 "merchant": {"type": "string", "minLength": 20, "maxLength": 40}, "date": {"type": "string", "format": "date"},
 "items": {"type": "array", "minItems": 3, "maxItems": 3, "items": {"type": "object", "properties": {
  "name": {"type": "string", "minLength": 20, "maxLength": 40}, "price": {"type": "number", "minimum": 0, "maximum": 9999}},
  "required": ["name", "price"], "additionalProperties": false}}},
 "required": ["merchant", "date", "items"], "additionalProperties": false}
JSON
files=(samples/good/{kiosk.png,cafe.pdf,turned-page.pdf,four-colours.jpg})
seconds() { # seconds WORD...: of a run over a fresh spool, with these keys
    local spool=$scratch/spool start end
    rm -rf "$spool"
    mkdir -p "$spool/in/$schema"
    for ((i = 0; i < documents; i++)); do cp "${files[i % 4]}" "$spool/in/$schema/$i-$(basename "${files[i % 4]}")"; done
    start=$(date +%s%N)
    "$platen" run "$spool" --stable-for 0 --ocr off --threads "${READER_THREADS:-2}" "${keys[@]}" "$@" > "$scratch/log" 2>&1 || true
    end=$(date +%s%N)
    [ "$(ls "$spool/out/$schema" 2> /dev/null | wc -l)" = "$documents" ] || { tail -n5 "$scratch/log" >&2; exit 1; }
    awk -v ns=$((end - start)) 'BEGIN { printf "%.3f\n", ns / 1e9 }'
}
middle() { sort -g "$1" | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }
for spec in ${READER_MODELS:-embedded 4b:Q4_K_M}; do
    keys=() schema=receipt
    if [ "$spec" != embedded ]; then
        IFS=: read -r shape type layers <<< "$spec"
        text=$out/$shape-$type${layers:+-$layers}.gguf eye=$out/eye-$shape${layers:+-$layers}.gguf schema=slip
        [ -e "$text" ] || { build/release/make-synth "$shape" "$type" "$text.new" ${layers:+layers=$layers} > /dev/null && mv "$text.new" "$text"; }
        [ -e "$eye" ] || { build/release/make-synth "$shape" F16 "$eye.new" vision ${layers:+layers=$layers} > /dev/null && mv "$eye.new" "$eye"; }
        keys=(--model "$text" --mmproj "$eye" --model-check off --schemas "$scratch/schemas" --n-ctx 4096 --max-pixels "${READER_PIXELS:-400000}")
    fi
    rm -f "$scratch/off" "$scratch/on"
    for ((round = 0; round < ${READER_ROUNDS:-3}; round++)); do
        seconds --share-model off --jobs 1 >> "$scratch/off"
        seconds --share-model on --jobs "$jobs" >> "$scratch/on"
    done
    awk -v model="$spec" -v n="$documents" -v a="$(middle "$scratch/off")" -v b="$(middle "$scratch/on")" 'BEGIN {
        printf "%s: %d documents in %.2f s, with a reader in %.2f s: %.2f times the documents an hour\n", model, n, a, b, a / b }'
done
