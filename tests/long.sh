#!/usr/bin/env bash
# long.sh [PART...]: what e2e/long.sh tries with 300 rows, with 2,200 and 20,000;
# scans; 2,000 pages in the memory of 3; killed at 50 random moments. The parts:
# rows errors scans memory kills. Ten minutes to an hour; `make long T=kills`.
subject="long: "
. "$(dirname "$0")/support/e2e.sh"
. "$root/tests/support/long.sh"
parts=${*:-rows errors scans memory kills}
long=("${small[@]}" --document-wall 7200)

asked() { # asked VERDICT NAME SCORE_OPTIONS -- READER_OPTIONS
    local verdict=$1 name=$2 score=() since=$SECONDS; shift 2
    while [ "$1" != -- ]; do score+=("$1"); shift; done
    shift
    serve "$name" "$@"
    read_statement "$name" "${long[@]}"
    scored "$verdict" "$name" "${score[@]}"
    echo "    $(cat "$scratch/$name.pages") pages, $(requests) questions, $((SECONDS - since)) s"
}

part_rows() {
    local n
    draw rows2200 2200
    draw rows20000 20000
    for n in 2200 20000; do asked "$n rows of a reader that does not err" rows$n --; done
    for n in 2200 20000; do asked "$n rows of a reader that drops 2 %" rows$n --recall 0.995 --named -- --drop 0.02; done
}

part_errors() {
    local how
    draw errors 2200 --seed 7
    asked "2,200 rows of a reader that stops after 25" errors --named -- --stop-after 25
    asked "of one whose answers are cut at 700 tokens" errors -- --cut-at 700
    asked "of one that repeats rows at the edges of pages" errors -- --repeat
    asked "of one that merges rows there" errors --named -- --merge
    for how in text fill late; do
        asked "of one that merges them otherwise ($how)" errors --named -- --merge --merge-how $how
    done
    asked "of one that adds rows of pages it was not shown" errors -- --unseen
    asked "of one that tells nobody its context" errors -- --shy
    asked "of one with a context of 8,192" errors -- --context 8192 --answer-max 4096
    asked "of one that fails every seventh time" errors -- --fail-every 7
    asked "of one that does all of it" errors --recall 0.995 --named -- --stop-after 30 --repeat --merge --unseen --drop 0.02 --fail-every 9
}

part_scans() {
    local kind
    for kind in tiff pdf; do
        draw scan-$kind 2200 --scan $kind --dpi 110 --seed 3
        asked "2,200 rows of a scan ($kind)" scan-$kind --blind --
        asked "of a reader that repeats rows" scan-$kind --blind -- --repeat
    done
    asked "of one that drops 2 %" scan-pdf --recall 0.995 --blind -- --drop 0.02
}

peak() { # peak NAME: $megabytes of the largest process that read it
    local options since=$SECONDS
    serve "$1"
    options_of "$1"
    megabytes=$("$python" -c 'import resource, subprocess, sys
done = subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "wb"), stderr=subprocess.PIPE)
sys.exit(done.stderr.decode()) if done.returncode else print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)' \
        "$scratch/$1.json" "$platen" extract "$(file_of "$1")" "${options[@]}" --max-pixels 600000 --document-wall 7200 2> "$scratch/err")
    echo "    $(cat "$scratch/$1.pages") pages, $(requests) questions, $((SECONDS - since)) s"
}

part_memory() {
    local few megabytes
    # three rows a page
    draw pages3 8 --rows-per-page 3
    draw pages2000 5700 --rows-per-page 3
    peak pages3
    few=$megabytes
    peak pages2000
    scored "$(cat "$scratch/pages2000.pages") pages of three rows" pages2000
    awk "BEGIN{exit !(${few:-0} > 0 && ${megabytes:-0} > 0 && ${megabytes:-0} <= 1.1 * ${few:-0} + 1)}" &&
        ok "memory: $few MB for $(cat "$scratch/pages3.pages") pages, $megabytes MB for $(cat "$scratch/pages2000.pages")" ||
        bad "memory" "$few MB for $(cat "$scratch/pages3.pages") pages, $megabytes MB for $(cat "$scratch/pages2000.pages"): $(tail -1 "$scratch/err")"
}

part_kills() {
    draw kills 300
    kills kills "${KILLS:-50}"
}

for part in $parts; do
    echo "== $part"
    "part_$part"
done
exit $failed
