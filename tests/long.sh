#!/usr/bin/env bash
# long.sh [PART...]: what e2e/long_pages.sh tries with 300 rows, with 2,200 and 20,000;
# scans; 2,000 pages in the memory of 3; killed at 50 random moments.
# The parts: rows errors flight scans ocr memory kills. Ten minutes to an hour; `make long T=kills`.
subject="long: "
. "$(dirname "$0")/support/e2e.sh"
. "$root/tests/support/long.sh"
parts=${*:-rows errors flight scans ocr memory kills}
long=("${small[@]}" --document-timeout 7200)

asked() { # asked VERDICT NAME SCORE_OPTIONS -- READER_OPTIONS
    local since=$SECONDS reading=("${long[@]}")
    tried "$@"
    echo "    $(cat "$scratch/$2.pages") pages, $(requests) questions, $((SECONDS - since)) s"
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

# So many questions at once, of one document and of several, and no more; with a
# latency of 0.6 s the seconds tell what it is good for.
part_flight() {
    local n spool=$scratch/flight
    draw flight 2200 --seed 5
    for n in 1 4 8; do
        serve flight --slow 0.6
        local since=$SECONDS
        read_statement flight "${long[@]}" --endpoint-parallel $n
        scored "2,200 rows, $n questions at once" flight
        [ "$(at_once)" = $n ] && ok "$n at once" || bad "$n at once" "$(at_once)"
        echo "    $(cat "$scratch/flight.pages") pages, $(requests) questions, $((SECONDS - since)) s"
    done
    fill_spool "$spool" flight
    for n in 2 3; do cp "$scratch/flight.pdf" "$spool/in/statement/$n.pdf"; done
    : > "$scratch/log"
    run_spool "$spool" flight
    [ "$(find "$spool/out" -name '*.json' | wc -l) $(at_once)" = "3 4" ] && ok "three documents share the four questions" ||
        bad "three documents share the four questions" "$(at_once) at once, $(tail -1 "$scratch/err")"
}

# Without OCR no page of a scan can be checked: each is a gap that says so.
part_scans() {
    local kind
    for kind in tiff pdf; do
        draw scan-$kind 2200 --scan $kind --dpi 110 --seed 3
        asked "2,200 rows of a scan ($kind), unchecked" scan-$kind --blind --unchecked --
    done
    asked "of one that drops 2 %: which rows, nobody knows" scan-pdf --recall 0.97 --precision 0.995 --blind --unchecked -- --drop 0.02
    asked "of one whose answers are cut at 700 tokens" scan-pdf --blind --unchecked -- --cut-at 700
}

# a row whose date Tesseract misreads begins on page 9 and ends on page 10
part_ocr() {
    draw seconded 300 --scan pdf --dpi 110 --seed 7
    PLATEN_OCR=auto asked "300 rows of a scan that Tesseract reads as well" seconded --blind --
}

# peak NAME: what platen took at most, and its rasteriser, in KB: $mine, $child. Of all
# of each page: three pages that are mostly paper would be read in less
peak() {
    local options since=$SECONDS
    serve "$1"
    options_of "$1"
    read -r mine child < <("$python" -c 'import re, subprocess, sys, time
done = subprocess.Popen(sys.argv[2:], stdout=open(sys.argv[1], "wb"), stderr=subprocess.DEVNULL)
def peak(pid):
    try: return int(re.search(r"VmHWM:\s+(\d+)", open("/proc/%s/status" % pid).read())[1])
    except (OSError, TypeError): return 0
mine = child = 0
while done.poll() is None:
    mine = peak(done.pid) or mine
    for pid in open("/proc/%d/task/%d/children" % (done.pid, done.pid)).read().split(): child = max(child, peak(pid))
    time.sleep(0.005)
print(mine, child)' \
        "$scratch/$1.json" "$platen" extract "$(file_of "$1")" "${options[@]}" --crop no --document-timeout 7200 2> "$scratch/err")
    echo "    $(cat "$scratch/$1.pages") pages, $(requests) questions, $((SECONDS - since)) s"
}
# within NAME FEW MANY: 10 %, and the 1.7 KB a page that poppler keeps
within() {
    [ "${2:-0}" -gt 0 ] && [ "${3:-0}" -gt 0 ] && [ "$3" -le $((11 * $2 / 10 + 18 * n / 10)) ] && ok "$1: $2 KB for 3 pages, $3 KB for $n" ||
        bad "$1" "$2 KB for 3 pages, $3 KB for $n: $(tail -1 "$scratch/err")"
}

# bounded NAME KIND FEW MANY SCORING...: MANY pages in the memory of FEW
bounded() {
    local few few_child mine child
    peak "$3"
    few=$mine few_child=$child
    peak "$4"
    scored "$1" "$4" "${@:5}"
    within "memory of platen, $2" "$few" "$mine"
    within "memory of the rasteriser, $2" "$few_child" "$child"
}

part_memory() {
    local n
    # three rows a page; whole pages, for three cut to their print do not stand for all
    draw pages3 8 --rows-per-page 3
    draw pages2000 5700 --rows-per-page 3
    n=$(cat "$scratch/pages2000.pages")
    bounded "$n pages of three rows" text pages3 pages2000
    draw scans3 8 --rows-per-page 3 --scan pdf --dpi 110
    draw scans500 1420 --rows-per-page 3 --scan pdf --dpi 110
    n=$(cat "$scratch/scans500.pages")
    bounded "$n scans of three rows" scans scans3 scans500 --blind --unchecked
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
