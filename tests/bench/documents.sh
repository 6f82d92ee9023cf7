#!/usr/bin/env bash
# documents.sh - pages a minute from a file to a validated record, against the stack
# that one would put together otherwise, on the same weights and answers.
#
# ours: platen bench --page with the answer dictated, the schema read before (as for
#       the second document of a spool).
# the stack: each page by pdftoppm; the whole page through an encoder (ours in F32
#       stands for it: the prebuilt llama.cpp brings none); prompt and picture anew
#       for each page, and every token of the answer one by one with the whole head,
#       by llama.cpp. One document at a time. Validating costs it nothing here.
# Random weights of the real shapes: what is compared is time, not what is read.
# Each round takes both by turns; medians. Takes 8 GB of disk.
#   DOCUMENTS_SHAPES="0.8b:Q8_0 2b:Q4_K_M 4b:Q4_K_M" (SHAPE:TYPE[:LAYERS])
#   DOCUMENTS_FILES="cafe.pdf turned-page.pdf market-scan.pdf" (of samples/good)
#   DOCUMENTS_ROUNDS=3 DOCUMENTS_THREADS=2 PEER_LIBS=folder
set -eu
cd "$(dirname "$0")/../.."
platen=$PWD/build/platen
out=$PWD/build/peers
mkdir -p "$out"
rounds=${DOCUMENTS_ROUNDS:-3} threads=${DOCUMENTS_THREADS:-2}
libs=${PEER_LIBS:-$out/package/bins/linux-x64}
command -v pdftoppm > /dev/null || { echo "documents: pdftoppm is needed"; exit 3; }
if [ ! -e "$libs" ]; then
    command -v npm > /dev/null || { echo "documents: npm is needed to fetch llama.cpp (or set PEER_LIBS)"; exit 3; }
    (cd "$out" && npm pack --silent @node-llama-cpp/linux-x64 > pack.txt && tar xzf "$(tail -1 pack.txt)")
fi
cc -O2 -o "$out/peer" tests/bench/peer.c -ldl
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

make_model() { # make_model FILE WORD...: as make-synth has them
    local file=$1
    shift
    [ -e "$file" ] && return
    build/release/make-synth "$1" "$2" "$file.new" "${@:3}" > /dev/null && mv "$file.new" "$file"
}
number() { # number KEY FILE: of a JSON object, the first of that name
    grep -o "\"$1\":[0-9.]*" "$2" | head -1 | cut -d: -f2
}
page() { # page REPEAT FILE OUT: ours
    "$platen" bench --page "samples/good/$2" --schema receipt --model "$text" --mmproj "$eye" --threads "$threads" \
        --dictated "samples/expected/good/$2.json" --ocr off -r "$1" --json > "$3"
}
stack() { # stack FILE: its seconds a page, with the tokens that a page of ours has
    local start end answer prompt picture
    start=$(date +%s%N)
    pdftoppm -r 150 -png -singlefile "samples/good/$1" "$scratch/page"
    end=$(date +%s%N)
    "$platen" bench --model "$text" --mmproj "$eye" --image "$scratch/page.png" -t "$threads" -p 0 -n 0 -r 1 $exact --json |
        grep '"test":"vision"' > "$scratch/eye"
    answer=$(awk -v a="$(number forced "$scratch/counts")" -v b="$(number drafted "$scratch/counts")" \
        -v c="$(number sampled "$scratch/counts")" 'BEGIN { print a + b + c }')
    picture=$(number tokens "$scratch/eye")
    prompt=$(($(number prompt "$scratch/counts") - $(number vision "$scratch/counts") + picture))
    LD_LIBRARY_PATH=$libs "$out/peer" "$libs" "$text" "$threads" "$prompt" "$answer" 0 1 > "$scratch/peer"
    awk -v ns=$((end - start)) -v eye="$(number s "$scratch/eye")" '
        match($0, /"test":"(pp|tg)/) { match($0, /"s":[0-9.]*/); s += substr($0, RSTART + 4, RLENGTH - 4) }
        END { printf "%.4f\n", ns / 1e9 + eye + s }' "$scratch/peer"
}
middle() { sort -g "$1" | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }

exact=
"$platen" config | grep -q '^ *vision *=' && exact='--vision exact' # the stack's encoder has F32
printf '%-18s %-18s %12s %12s %8s   (%s threads, pages a minute)\n' model page platen stack ratio "$threads"
for spec in ${DOCUMENTS_SHAPES:-0.8b:Q8_0 2b:Q4_K_M 4b:Q4_K_M}; do
    IFS=: read -r shape type layers <<< "$spec"
    text=$out/$shape-$type${layers:+-$layers}.gguf
    eye=$out/eye-$shape${layers:+-$layers}.gguf
    make_model "$text" "$shape" "$type" ${layers:+layers=$layers}
    make_model "$eye" "$shape" F16 vision ${layers:+layers=$layers}
    for file in ${DOCUMENTS_FILES:-cafe.pdf turned-page.pdf market-scan.pdf}; do
        rm -f "$scratch/ours" "$scratch/theirs"
        page 1 "$file" "$scratch/cold"
        grep -o '"counts":.*' "$scratch/cold" > "$scratch/counts"
        for ((round = 0; round < rounds; round++)); do
            page 2 "$file" "$scratch/warm"
            number s "$scratch/warm" >> "$scratch/ours"
            stack "$file" >> "$scratch/theirs"
        done
        awk -v model="$spec" -v page="$file" -v a="$(middle "$scratch/ours")" -v b="$(middle "$scratch/theirs")" \
            'BEGIN { printf "%-18s %-18s %12.2f %12.2f %8.2f\n", model, page, 60 / a, 60 / b, b / a }'
    done
done
