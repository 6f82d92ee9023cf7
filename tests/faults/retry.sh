# retry.sh - for kill.sh: report_failures = yes. A damaged picture waits in in/; another
# document has failed, has its note in out/, and was given back with good bytes.
options+=(--report-failures yes)
names='bad\.png|again\.png'

make_spool() {
    local s=$1 id
    mkdir -p "$s/in/faults"
    head -c 200 "$root/tests/faults/good.png" > "$s/in/faults/again.png"
    "$platen" run "$s" "${options[@]}" > /dev/null 2>&1
    [ -s "$s/out/faults/again.png.failed.txt" ] || { echo "not ok - faults kill retry: no note to begin with"; exit 1; }
    id=$(ls "$s/failed")
    cp "$root/tests/faults/good.png" "$s/failed/$id/doc"
    "$platen" retry "$s" "$id" > /dev/null 2>&1
    head -c 300 "$root/tests/faults/good.png" > "$s/in/faults/bad.png"
}
expected() { hashes_of "$1"/in/faults/* "$1"/work/*/doc; }

# check SPOOL HASHES [strict]: each document once, and in out/ one note for each in
# failed/ and none else; strict: the one that was given back is done.
check() {
    local spool=$1 wanted=$2 how=${3:-} found left note
    shopt -s nullglob dotglob
    left=("$spool"/in/!(faults|.|..) "$spool"/in/faults/* "$spool"/work/*)
    [ ${#left[@]} = 0 ] || { echo "something is left in in/ or work/: ${left[0]}"; return 1; }
    found=$(sha256sum "$spool"/{done,failed}/*/doc < /dev/null 2> /dev/null | cut -c1-64 | sort)
    [ "$found" = "$wanted" ] || { echo "documents are not each once in done/ or failed/"; return 1; }
    "$platen" fsck "$spool" > "$scratch/fsck" 2>&1 || { grep fault: "$scratch/fsck" | head -3; return 1; }
    found=; for note in "$spool"/out/faults/*.failed.txt; do found+=$(sed -n 's/^To try again: .* //p' "$note")$'\n'; done
    [ "$(sort <<< "$found" | grep .)" = "$(ls "$spool/failed")" ] ||
        { echo "notes of $(tr '\n' ' ' <<< "$found"), failed are $(ls "$spool/failed" | tr '\n' ' ')"; return 1; }
    left=("$spool"/out/faults/.*.tmp "$spool"/pending/*.note)
    [ ${#left[@]} = 0 ] || { echo "left of a note: ${left[0]}"; return 1; }
    [ "$how" = strict ] || return 0
    left=("$spool"/out/faults/*)
    [ ${#left[@]} = 2 ] && [ -s "$spool/out/faults/again.json" ] && [ -s "$spool/out/faults/bad.png.failed.txt" ] ||
        { echo "out/ holds ${left[*]##*/}"; return 1; }
}
