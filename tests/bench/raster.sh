#!/usr/bin/env bash
# raster.sh BUILD: processor time from PDF to prepared pixels over that of
# pdftoppm at the same pixel size, in one run; peak memory of 300 pages over 3.
set -eu
build=$1
docs=$build/bench-docs
python=/usr/bin/python3
$python -c 'import PIL' 2> /dev/null || { echo "bench-raster needs python3-pil"; exit 3; }
command -v pdftoppm > /dev/null || { echo "bench-raster needs poppler-utils"; exit 3; }
[ -e "$docs/long-300.pdf" ] || $python tests/bench/make_bench_pdfs.py "$docs"
rounds=${ROUNDS:-3}
pixels=${MAX_PIXELS:-2359296}

ours() { "$build/raster-bench" "$build/platen-raster" "$pixels" "$1"; }
theirs() { # FILE WIDTH HEIGHT: processor seconds
    local TIMEFORMAT='%U %S'
    { time pdftoppm -scale-to-x "$2" -scale-to-y "$3" "$1" > /dev/null 2>&1; } 2>&1 | awk '{print $1 + $2}'
}

printf '%-28s %6s %9s %9s %6s\n' document pages platen pdftoppm ratio
for f in "$docs"/*.pdf ${EXTRA:-}; do
    a=0 b=0
    for _ in $(seq "$rounds"); do
        read -r n cpu _ _ w h _ < <(ours "$f")
        other=$(theirs "$f" "$w" "$h")
        a=$(awk "BEGIN{print $a + $cpu}") b=$(awk "BEGIN{print $b + $other}")
    done
    awk "BEGIN{printf \"%-28s %6d %8.3fs %8.3fs %6.2f\\n\", \"$(basename "$f")\", $n, $a/$rounds, $b/$rounds, $a/$b}"
done
read -r _ _ self3 child3 w h _ < <(ours "$docs/long-3.pdf")
read -r _ _ self300 child300 _ _ _ < <(ours "$docs/long-300.pdf")
awk "BEGIN{printf \"peak memory, 300 pages over 3: %+.1f MB here, %+.1f MB in the rasteriser; one page is %.1f MB\\n\",
    $self300 - $self3, $child300 - $child3, $w * $h * 4 / 1048576}"
