#!/usr/bin/env bash
# gpu_ptxas.sh FILE.ptx - NVIDIA's assembler takes every kernel, for four
# generations of devices, and none spills a register. Its figures stand in
# vlm/device/gpu/KERNELS.md, which is held to them (by the clang that is named there);
# UPDATE=1 writes it.
set -u
ptx=$1
table=vlm/device/gpu/KERNELS.md
archs="sm_80 sm_90 sm_100 sm_121"
work=build/ptxas-out
ptxas=${PTXAS:-$(command -v ptxas || find build/ptxas -path '*/bin/ptxas' 2> /dev/null | head -1)}
if [ -z "$ptxas" ]; then
    echo "skip - ptxas is not here: python3 -m venv build/ptxas && build/ptxas/bin/pip install nvidia-cuda-nvcc"
    exit 0
fi
rm -rf $work
mkdir -p $work
for arch in $archs; do
    "$ptxas" -arch="$arch" -v "$ptx" -o /dev/null 2> "$work/$arch" || {
        echo "not ok - $arch: $(head -1 "$work/$arch")"
        exit 1
    }
    spills=$(grep -cE '[1-9][0-9]* bytes (stack frame|spill)' "$work/$arch")
    kernels=$(grep -c 'Compiling entry function' "$work/$arch")
    [ "$spills" = 0 ] || { echo "not ok - $arch: $spills of $kernels kernels spill"; exit 1; }
    echo "ok - $arch: $kernels kernels, none spills"
    awk '/Compiling entry function/ {split($0, q, "\047"); name = q[2]}
         /Used/ {shared = 0
             for (i = 1; i < NF; i++) {
                 if ($i == "Used") registers = $(i + 1)
                 if ($(i + 2) ~ /^smem/) shared = $i
             }
             print name, registers, shared}' "$work/$arch" | sort > "$work/$arch.rows"
done

clang=$(${GPU_CLANG:-clang} --version | head -1)
{
    echo "# Resources of the kernels"
    echo
    echo "Registers per thread on each generation, and bytes of shared memory per block"
    echo "of 128 threads, as reported by NVIDIA's assembler; nothing spills. Written by"
    echo "\`make gpu-ptxas UPDATE=1\` from the PTX made by: $clang."
    echo
    echo "| kernel | sm_80 | sm_90 | sm_100 | sm_121 | shared |"
    echo "|---|---:|---:|---:|---:|---:|"
    join $work/sm_80.rows $work/sm_90.rows | join - $work/sm_100.rows | join - $work/sm_121.rows |
        awk '{most = $3; for (i = 5; i <= 9; i += 2) if ($i > most) most = $i
              print "| " $1 " | " $2 " | " $4 " | " $6 " | " $8 " | " most " |"}'
} > $work/table
if [ "${UPDATE:-}" = 1 ]; then
    cp $work/table $table
elif ! grep -qF "$clang" $table; then
    echo "skip - $table was written with another clang than $clang"
elif diff -u $table $work/table; then
    echo "ok - $table has these figures"
else
    echo "not ok - $table differs: make gpu-ptxas UPDATE=1"
    exit 1
fi
