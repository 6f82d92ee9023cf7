#!/usr/bin/env bash
# taken_commands.sh: what reads a document for a command (extract, ocr, words, show,
# eval, export, review) is taken over by it (tests/probe/taken.c), and reaches
# nothing but that document; the command says so, and goes on with the next.
set -u
subject="taken commands: "
. "$(dirname "$0")/../support/e2e.sh"
dir=$(dirname "$(readlink -f "$platen")")
taken=$dir/platen-taken
make -s -C "$root" MODE="$(basename "$dir")" "build/$(basename "$dir")/platen-taken" "build/$(basename "$dir")/wall-probe" > /dev/null 2>&1
[ -x "$taken" ] || { bad "the probe" "cannot be built"; exit 1; }
probe=$dir/wall-probe
cd "$scratch" || exit 1
good=$root/samples/good
use=(--schemas "$root/schemas" --engine null --ocr off)
mkdir dataset; cp "$good/kiosk.png" dataset/; echo '{"merchant": "other"}' > dataset/kiosk.json
"$platen" extract "$good/kiosk.png" --schema receipt "${use[@]}" > record.json 2> /dev/null
mkdir -p spool/in/receipt; cp "$good/kiosk.png" spool/in/receipt/
"$platen" run spool --stable-for 0 "${use[@]}" > /dev/null 2>&1
id=$(ls spool/done | head -1)
echo secret > other; chmod 644 other
export TAKEN_PATH=$scratch/other TAKEN_WIDTH=0

run() { # run COMMAND
    case $1 in
    extract) "$taken" extract "$good/kiosk.png" --schema receipt "${use[@]}" ;;
    ocr) "$taken" ocr "$good/kiosk.png" "${use[@]}" ;;
    words) "$taken" words "$good/kiosk.png" "${use[@]}" ;;
    show) "$taken" show record.json --document "$good/kiosk.png" -o show.png ;;
    eval) "$taken" eval dataset --schema receipt "${use[@]}" ;;
    export) rm -rf set; "$taken" export spool --to ls -o set ;;
    review)
        : > address # that of the server before
        "$taken" review spool > address 2> review.log &
        local server=$! _
        for _ in $(seq 400); do [ -s address ] && break; sleep 0.05; done
        curl -s --max-time 60 -o drawn -H "X-Platen-Token: $(sed 's|.*#||' address)" "$(sed 's|/#.*||' address)/api/v1/documents/$id/pages/1"
        kill $server; wait $server 2> /dev/null
        cat review.log ;;
    esac
}

# attack COMMAND NAME: refused, allowed, or died
attack() {
    TAKEN_IN=drawn TAKEN=$2 run "$1" > log 2>&1
    grep -q "taken: $2: begins" log || { echo "was not reached"; return; }
    grep -oE "taken: $2: (refused|allowed)" log | grep -oE 'refused|allowed' | head -1 | grep . || echo died
}
walls() { # walls COMMAND ALLOWED ACTION...: only ALLOWED is let through
    local command=$1 allowed=$2 wrong= n=0 name got want; shift 2
    for name; do
        got=$(attack "$command" "$name") n=$((n + 1))
        want="refused died"
        [[ " $allowed " = *" $name "* ]] && want=allowed
        [[ " $want " = *" $got "* ]] || wrong+=" $name: $got;"
    done
    [ -z "$wrong" ] && ok "$command: $n attempts, all as they should be" || bad "$command" "$n attempts:$wrong"
}
few="open-other write-other climb open-secret open-parent-memory open-parent-environment write-file unlink fork exec ptrace kill-parent process-memory socket connect"
walls words "poll send raise-cpu" $("$probe" list) open-other write-other climb
for command in extract ocr show eval export review; do walls $command "" $few; done
[ "$(cat other)" = secret ] && ok "files of others are as before" || bad "files of others" "changed"

# --- a reader that dies is a failure of its document
one() { # one ACTION CODE TEXT
    local name=$1; shift
    TAKEN_IN=drawn TAKEN=$name "$taken" extract "$good/kiosk.png" --schema receipt "${use[@]}" > out 2> err
    local status=$?
    [ $status = "$1" ] && grep -q "$2" err && [ ! -s out ] && ok "extract, $name: a failure with a reason" ||
        bad "extract, $name" "ended with $status: $(tail -2 err)"
}
internal=$(sed -n 's/^| `internal`[^|]*|[^|]*|[^|]*| \([0-9]*\) |.*/\1/p' "$root/docs/errors.md")
one abort "$internal" 'kiosk.png: rasterise: the process that read it died of signal 6 \[internal\]'
one exit "$internal" 'the process that read it exited with code 0 \[internal\]'
one junk "$internal" 'broke its protocol \[internal\]'
for command in words show; do
    TAKEN_IN=drawn TAKEN=abort run $command > log 2>&1
    status=$?
    [ $status = "$internal" ] && grep -q 'died of signal 6 \[internal\]' log && ok "$command, abort: a failure with a reason" || bad "$command, abort" "ended with $status: $(tail -1 log)"
done
width=$(python3 -c 'import struct; print(struct.unpack(">I", open("'"$good"'/kiosk.png", "rb").read()[16:20])[0])')
TAKEN_IN=reader TAKEN=abort TAKEN_WIDTH=$width "$taken" extract "$good/kiosk.png" "$good/till-roll.png" --schema receipt --out records "${use[@]}" > out 2> err
status=$?
[ $status = 16 ] && [ "$(ls records)" = till-roll.json ] && ok "the next document is read all the same" || bad "the next document" "ended with $status: $(ls records) $(cat err)"
exit $failed
