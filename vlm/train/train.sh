#!/bin/sh
# Starts or resumes training; one run at a time.  Kill it whenever you like: it saves and ends.
#   train.sh [--fresh] [--background] [arguments of train.py...]
# --fresh begins from random weights instead of resume.npz (only when train-out/ holds no run yet).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${TRAIN_OUT:-$here/../../train-out/run}
mkdir -p "$out"
fresh='' background=''
while [ $# -gt 0 ]; do
    case $1 in
    --fresh) fresh=1 ;;
    --background) background=1 ;;
    *) break ;;
    esac
    shift
done
python=${PYTHON_TRAIN:-/usr/bin/python3}          # another one for a current torch, which is two to three times as fast
"$python" -c 'import torch, numpy, PIL' 2>/dev/null || {
    echo 'training needs Debian packages: python3-torch python3-numpy python3-pil libopenblas0-pthread' >&2
    exit 1
}
# Without OpenBLAS behind libblas.so.3 a step takes ten times as long.
case $(readlink -f /usr/lib/*/libblas.so.3 2>/dev/null) in
*openblas*) ;;
*) echo 'warning: libblas.so.3 is not OpenBLAS (apt-get install libopenblas0-pthread)' >&2 ;;
esac
cd "$here"
"$python" -c 'import sys, page
missing = 42 - len(page.FONTS)
if missing > 0: sys.exit("%d of 42 training fonts are missing: apt-get install %s" % (missing, page.PACKAGES))'
[ -n "$fresh" ] || [ ! -f resume.npz ] || set -- --init resume.npz "$@"
flock -n "$out/lock" true || {
    echo "a run is going on in $out already (a killed one still writes its weights and its evaluation)" >&2
    exit 1
}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
if [ -n "$background" ]; then
    nohup flock -n "$out/lock" nice -n 10 "$python" train.py --out "$out" "$@" >>"$out/output" 2>&1 &
    echo "training in the background, see: $python $here/status.py $out"
else
    exec flock -n "$out/lock" nice -n 10 "$python" train.py --out "$out" "$@"
fi
