#!/usr/bin/env bash
# peers.sh - platen against llama.cpp on the same files, interleaved.
#
# Fetches the prebuilt libraries of llama.cpp from the npm registry, makes
# models of the real shapes with random weights, and runs each test on both by
# turns. Prints medians and their ratio; the spread is that of the ratio over
# the rounds. Absolute figures mean little on a shared machine.
#   PEER_ROUNDS=3 PEER_THREADS=2 PEER_MODELS="0.8b:Q8_0 4b:Q4_K_M"
#   PEER_PROMPT=512 PEER_ANSWER=128 PEER_DEPTH=0 PEER_LIBS=folder
set -eu
cd "$(dirname "$0")/../.."
out=build/peers
mkdir -p $out
rounds=${PEER_ROUNDS:-3} threads=${PEER_THREADS:-2} depth=${PEER_DEPTH:-0}
prompt=${PEER_PROMPT:-512} answer=${PEER_ANSWER:-128}
libs=${PEER_LIBS:-$out/package/bins/linux-x64}

if [ ! -e "$libs" ]; then
    command -v npm > /dev/null || { echo "peers: npm is needed to fetch llama.cpp (or set PEER_LIBS)"; exit 3; }
    (cd $out && npm pack --silent @node-llama-cpp/linux-x64 > pack.txt && tar xzf "$(tail -1 pack.txt)")
fi

cc -O2 -o $out/peer tests/bench/peer.c -ldl
for spec in ${PEER_MODELS:-0.8b:Q8_0 4b:Q4_K_M}; do
    file=$out/${spec%:*}-${spec#*:}.gguf
    [ -e "$file" ] || { build/release/make-synth "${spec%:*}" "${spec#*:}" "$file.new" && mv "$file.new" "$file"; }
    : > $out/runs
    for round in $(seq "$rounds"); do
        build/platen bench --model "$file" -p "$prompt" -n "$answer" -d "$depth" -t "$threads" -r 1 --json |
            sed "s/^/platen $round /" >> $out/runs
        LD_LIBRARY_PATH=$libs $out/peer "$libs" "$file" "$threads" "$prompt" "$answer" "$depth" 1 |
            sed "s/^/peer $round /" >> $out/runs
    done
    awk -v model="$spec" -v threads="$threads" '
        function middle(a, n,   i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && a[j] < a[j - 1]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
            return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
        }
        /"tps"/ {
            match($3, /"test":"[^"]*"/); test = substr($3, RSTART + 8, RLENGTH - 9)
            match($3, /"tps":[0-9.]*/); tps[$1, test, $2] = substr($3, RSTART + 6, RLENGTH - 6)
            if (!(test in seen)) { seen[test] = ++n_test; name[n_test] = test }
            if ($2 > rounds) rounds = $2
        }
        END {
            for (t = 1; t <= n_test; t++) {
                least = 1e9; most = 0
                for (r = 1; r <= rounds; r++) {
                    a[r] = tps["platen", name[t], r]; b[r] = tps["peer", name[t], r]
                    c[r] = b[r] ? a[r] / b[r] : 0
                    if (c[r] < least) least = c[r]
                    if (c[r] > most) most = c[r]
                }
                printf "%-14s %-12s %9.2f %9.2f %8.2f   %.2f to %.2f\n", model, name[t],
                    middle(a, rounds), middle(b, rounds), middle(c, rounds), least, most
            }
        }' $out/runs > $out/table
    [ -n "${header:-}" ] || printf '%-14s %-12s %9s %9s %8s   %s\n' model test platen llama.cpp ratio "spread ($threads threads)"
    header=1
    cat $out/table
done
