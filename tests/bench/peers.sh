#!/usr/bin/env bash
# peers.sh - platen against llama.cpp on the same files, interleaved.
#
# Fetches the prebuilt libraries of llama.cpp from the npm registry, makes
# models of the real shapes with random weights, and runs each test on both by
# turns, at real-time priority where that is allowed. Prints the machine, medians
# in tokens/s and their ratio; the spread is that of the ratio over the rounds.
# Absolute figures mean little on a shared machine. Whether two processors are
# threads of one core, a virtual machine may not say: compare one and two threads.
#   PEER_ROUNDS=3 PEER_THREADS=2 (or 1,2) PEER_MODELS="0.8b:Q8_0 4b:Q4_K_M 35b-a3b:Q4_K_M:8"
#   PEER_PROMPT=512 PEER_ANSWER=128 PEER_DEPTH=0,2048 PEER_LIBS=folder (none: without llama.cpp)
#   PEER_KERNELS=avx2: both without what came after it (llama.cpp by its library for haswell)
#   PEER_LIB=folder of a fork that somebody built (ik_llama.cpp), for a third column
#   PEER_SERVER=a llama-server that somebody built: 4, 8 and 16 documents at once, too, with the first model
# A model is SHAPE:TYPE[:LAYERS]; the MoE has 8 of its 40 layers and takes 5 GB of disk.
set -eu
cd "$(dirname "$0")/../.."
out=build/peers
mkdir -p $out
rounds=${PEER_ROUNDS:-3} thread_counts=${PEER_THREADS:-2} depths=${PEER_DEPTH:-0,2048}
prompt=${PEER_PROMPT:-512} answer=${PEER_ANSWER:-128}
libs=${PEER_LIBS:-$out/package/bins/linux-x64}
[ -z "${PEER_LIB:-}" ] || [ -d "$PEER_LIB" ] || { echo "peers: PEER_LIB=$PEER_LIB is no folder"; exit 3; }

if [ "$libs" != none ] && [ ! -e "$libs" ]; then
    command -v npm > /dev/null || { echo "peers: npm is needed to fetch llama.cpp (or set PEER_LIBS)"; exit 3; }
    (cd $out && npm pack --silent @node-llama-cpp/linux-x64 > pack.txt && tar xzf "$(tail -1 pack.txt)")
fi

kernels=${PEER_KERNELS:-best}
if [ "$kernels" = avx2 ] && [ "$libs" != none ]; then
    rm -rf $out/avx2 && cp -r "$libs" $out/avx2 && libs=$out/avx2
    find $out/avx2 -name 'libggml-cpu-*' ! -name '*-haswell.so' -delete
fi

cc -O2 -o $out/peer tests/bench/peer.c -ldl
first="chrt -f 50" && $first true 2> /dev/null || first=
lscpu | awk -F: '/^(Model name|CPU\(s\)|Thread\(s\) per core|L2 cache|L3 cache)/ { gsub(/^ +/, "", $2); printf "%s: %s; ", $1, $2 }'
echo "load $(cut -d' ' -f1-3 /proc/loadavg); kernels: $kernels${first:+; $first}"
run_peer() { # run_peer NAME FOLDER: a round of it at each depth
    for depth in ${depths//,/ }; do
        LD_LIBRARY_PATH=$2:$2/src:$2/ggml/src $first $out/peer "$2" "$file" "$threads" "$prompt" "$answer" "$depth" 1 |
            sed "s/^/$1 $round /" >> $out/runs
    done
}
print_rows() { # print_rows MODEL THREADS: of the runs
    awk -v model="$1" -v threads="$2" '
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
            if ($1 != "platen" && !($1 in met)) { met[$1] = ++n_peer; peer[n_peer] = $1 }
        }
        END {
            for (q = 1; q <= n_peer; q++)
            for (t = 1; t <= n_test; t++) {
                least = 1e9; most = 0
                for (r = 1; r <= rounds; r++) {
                    a[r] = tps["platen", name[t], r]; b[r] = tps[peer[q], name[t], r]
                    c[r] = b[r] ? a[r] / b[r] : 0
                    if (c[r] < least) least = c[r]
                    if (c[r] > most) most = c[r]
                }
                printf "%-18s %-12s %7d %-10s %9.2f %9.2f %8.2f   %.2f to %.2f\n", model, name[t], threads, peer[q],
                    middle(a, rounds), middle(b, rounds), middle(c, rounds), least, most
            }
        }' $out/runs
}
for spec in ${PEER_MODELS:-0.8b:Q8_0 4b:Q4_K_M 35b-a3b:Q4_K_M:8}; do
    IFS=: read -r shape type layers <<< "$spec"
    file=$out/$shape-$type${layers:+-$layers}.gguf
    [ -e "$file" ] || { build/release/make-synth "$shape" "$type" "$file.new" ${layers:+layers=$layers} && mv "$file.new" "$file"; }
    for threads in ${thread_counts//,/ }; do
        : > $out/runs
        for round in $(seq "$rounds"); do
            $first build/platen bench --model "$file" --kernels "$kernels" -p "$prompt" -n "$answer" -d "$depths" -t "$threads" -r 1 --json |
                sed "s/^/platen $round /" >> $out/runs
            [ "$libs" = none ] || run_peer llama.cpp "$libs"
            [ -z "${PEER_LIB:-}" ] || run_peer fork "$PEER_LIB"
        done
        [ -n "${header:-}" ] || printf '%-18s %-12s %7s %-10s %9s %9s %8s   %s\n' model test threads peer platen peer ratio spread
        header=1
        print_rows "$spec" "$threads"
    done
done
if [ -n "${PEER_SERVER:-}" ]; then
    models=${PEER_MODELS:-0.8b:Q8_0}
    IFS=: read -r shape type layers <<< "${models%% *}"
    tests/bench/peer_server.py build/platen "$PEER_SERVER" "$out/$shape-$type${layers:+-$layers}.gguf" 4,8,16 "$prompt" 64 "${thread_counts##*,}"
fi
