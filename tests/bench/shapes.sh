#!/usr/bin/env bash
# shapes.sh - the true shapes with fewer layers: load, plan, run, and the fast
# kernels against the scalar ones on the same file. Takes 3 GB of disk.
set -eu
cd "$(dirname "$0")/../.."
out=build/shapes
mkdir -p $out
for i in $(seq 0 23); do
    printf "\\$(printf %03o $((i * 37 % 256)))\\$(printf %03o $((i % 7)))\\0\\0"
done > $out/ids
difference() {
    paste <(od -An -v -tf4 -w4 "$1") <(od -An -v -tf4 -w4 "$2") |
        awk '{ d = $1 - $2; if (d < 0) d = -d; if (!(d <= m)) m = d; if ($1 * $1 > s) s = $1 * $1 }
             END { printf "%d logits up to %.2f, largest difference %.2e\n", NR, sqrt(s), m; exit !(NR > 0 && m <= 1e-3) }'
}
for spec in ${SHAPES:-0.8b:Q8_0 2b:Q4_K_M 4b:Q4_K_M 35b-a3b:Q4_K_M}; do
    file=$out/${spec%:*}.gguf
    build/release/make-synth "${spec%:*}" "${spec#*:}" "$file" layers=4 vocab=2048 > /dev/null
    build/platen model plan "$file" --ctx 4096 --parallel 2 > $out/plan
    build/platen model logits "$file" --tokens $out/ids --exact --out $out/best
    build/platen model logits "$file" --tokens $out/ids --exact --kernels scalar --out $out/scalar
    printf '%-16s %s: ' "$spec" "$(grep sum $out/plan | tr -s ' ')"
    difference $out/best $out/scalar
    rm "$file"
done
