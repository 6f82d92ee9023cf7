#!/usr/bin/env bash
# kernels.sh - what the compiler made of the kernels.
set -u
cd "$(dirname "$0")/../.." || exit 1
name="no product of a kernel loads from the stack what a narrower store just left there"
objects=$(ls build/release/vlm/tensor/*/k_*.o 2> /dev/null)
if [ "$(uname -m)" != x86_64 ] || ! command -v objdump > /dev/null || [ -z "$objects" ]; then
    echo "skip - $name: needs x86-64, objdump and build/release"
elif found=$(tests/support/store_forwarding.py $objects 2>&1); then
    echo "ok - $name"
else
    echo "not ok - $name: $(head -1 <<< "$found") ($(wc -l <<< "$found") in all)"
    exit 1
fi
