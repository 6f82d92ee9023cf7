# long.sh - what e2e/long_pages.sh and long.sh share: statements are drawn, a reader
# that knows them is started, and records are compared with what was drawn.
# Sourced behind e2e.sh.
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && python=$p && break; done
[ "$python" ] || { echo "skip - ${subject}python3-pil is not installed"; exit 0; }
support=$root/tests/support
# what a scan's words tell is tried in second.sh, and where that is said
export PLATEN_OCR=${PLATEN_OCR:-off}
# A4 at 85 dpi: a reader that reads codes needs no more
small=(--max-pixels 700000)

draw() { # draw NAME ROWS [OPTION...]: $scratch/NAME.pdf or .tiff, .truth.json, .schema.json
    local name=$1 rows=$2; shift 2
    "$python" "$support/statements.py" "$scratch/$name" --rows "$rows" "$@" > "$scratch/$name.pages" ||
        { bad "$name is drawn" "statements.py ended badly"; exit 1; }
}
start_reader() { # start_reader SCRIPT WORD...: in the place of the one before, which writes its port to $scratch/port; at $url
    [ -z "${reader:-}" ] || { kill "$reader"; wait "$reader"; } 2> /dev/null
    rm -f "$scratch/port" "$scratch/log"
    "$python" "$support/$1" "${@:2}" 2> "$scratch/reader.err" &
    reader=$!
    for _ in $(seq 200); do [ -s "$scratch/port" ] && break; sleep 0.05; done
    url=http://127.0.0.1:$(cat "$scratch/port")
}
serve() { # serve NAME [OPTION...]: the reader of that statement; $scratch/log has a line a request
    start_reader reader.py --port-file "$scratch/port" --truth "$scratch/$1.truth.json" --log "$scratch/log" "${@:2}"
}
file_of() { local f; for f in "$scratch/$1".pdf "$scratch/$1".tiff; do [ -e "$f" ] && echo "$f"; done; }
options_of() { options=(--schema "$scratch/$1.schema.json" --engine endpoint --endpoint "$url" --max-record-bytes 64M); }
read_statement() { # read_statement NAME [OPTION...]: $scratch/NAME.json
    local name=$1 options; shift
    options_of "$name"
    rm -f "$scratch/$name.json"
    "$platen" extract "$(file_of "$name")" "${options[@]}" "$@" > "$scratch/$name.json" 2> "$scratch/err"
}
# scored VERDICT NAME [OPTION of score_rows.py...]: the last record of NAME
scored() {
    local verdict=$1 name=$2 counts; shift 2
    if [ ! -s "$scratch/$name.json" ]; then
        bad "$verdict" "no record: $(tail -1 "$scratch/err" | head -c 300)$(tail -1 "$scratch/reader.err" | head -c 200)"
    elif counts=$("$python" "$support/score_rows.py" "$scratch/$name.json" "$scratch/$name.truth.json" "$@" 2>&1); then
        ok "$verdict ($(head -1 <<< "$counts"))"
    else
        bad "$verdict" "$counts"
    fi
}
# tried VERDICT NAME [OPTION of score_rows.py...] -- [OPTION of reader.py...]: the statement, read as ${reading[@]} says
reading=("${small[@]}")
tried() {
    local verdict=$1 name=$2 score=(); shift 2
    while [ "$1" != -- ]; do score+=("$1"); shift; done
    shift
    serve "$name" "$@"
    read_statement "$name" "${reading[@]}"
    scored "$verdict" "$name" "${score[@]}"
}
requests() { grep -vc '"by_name": true' "$scratch/log"; } # without the question by name, once a document, for nulls beside a label

at_once() { grep -o '"at_once": [0-9]*' "$scratch/log" | sort -k2 -n | tail -1 | tr -dc 0-9; } # the most requests at a time

# parts_of RECORD: the bytes of its data, fields, gaps and warnings
parts_of() {
    "$python" - "$1" << 'END'
import json, sys
text = open(sys.argv[1]).read()
at, decode = text.index('{') + 1, json.JSONDecoder().raw_decode
while True:
    while text[at] in ' \n,':
        at += 1
    if text[at] == '}':
        break
    name, at = decode(text, at)
    while text[at] in ' \n:':
        at += 1
    end = decode(text, at)[1]
    if name in ('data', 'fields', 'gaps', 'warnings'):
        print(name, text[at:end])
    at = end
END
}

# run_spool FOLDER NAME: `platen run` over the statement, in a process group of its own
run_spool() {
    local options
    options_of "$2"
    mkdir -p "$scratch/schemas"; cp "$scratch/$2.schema.json" "$scratch/schemas/statement.schema.json"
    setsid bash -c 'echo $$ > "$0"; exec "$@"' "$scratch/group" "$platen" run "$1" --schemas "$scratch/schemas" --stable-for 0 --quiet "${options[@]:2}" "${small[@]}" > "$scratch/out" 2> "$scratch/err"
}
record_of() { find "$1/out" -name '*.json' 2> /dev/null | head -1; }
fill_spool() { rm -rf "$1"; mkdir -p "$1/in/statement"; cp "$(file_of "$2")" "$1/in/statement/"; }

# kills NAME N: N times the run is killed at a random moment and begun again;
# what was read is kept, and the record is that of a run nobody disturbed.
kills() {
    local name=$1 n=$2 i span moment spool=$scratch/spool differ=0 asked_more=0 undisturbed missing=0 run
    # with gaps and second questions
    serve "$name" --slow 0.02 --drop 0.02
    fill_spool "$spool" "$name"
    span=$(date +%s%N); run_spool "$spool" "$name"; span=$((($(date +%s%N) - span) / 1000000))
    [ "$(record_of "$spool")" ] || { bad "a run that nobody disturbs" "no record: $(tail -2 "$scratch/err")"; return; }
    parts_of "$(record_of "$spool")" > "$scratch/whole"
    [ -s "$scratch/whole" ] || { bad "a run that nobody disturbs" "a record without data"; return; }
    undisturbed=$(requests)
    for ((i = 0; i < n; i++)); do
        fill_spool "$spool" "$name"
        : > "$scratch/log"
        rm -f "$scratch/group"
        run_spool "$spool" "$name" 2> /dev/null &
        run=$!
        moment=$((RANDOM * span / 32768))
        sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
        kill -9 -- "-$(cat "$scratch/group")" 2> /dev/null
        wait $run 2> /dev/null
        run_spool "$spool" "$name"
        if [ "$(record_of "$spool")" ]; then
            parts_of "$(record_of "$spool")" | cmp -s - "$scratch/whole" || differ=$((differ + 1))
        else
            missing=$((missing + 1)); tail -1 "$scratch/err" >&2
        fi
        # those in flight when it was killed are asked again
        [ "$(requests)" -le $((undisturbed + 5)) ] || asked_more=$((asked_more + 1))
    done
    [ "$differ $missing" = "0 0" ] && ok "killed at $n moments of $span ms: the same bytes" ||
        bad "killed at $n moments of $span ms: the same bytes" "$differ differ, $missing have no record"
    [ $asked_more = 0 ] && ok "what was read before is not asked for again (of $undisturbed questions)" ||
        bad "what was read before is not asked for again" "in $asked_more of $n runs more than 5 above $undisturbed were asked"
}
