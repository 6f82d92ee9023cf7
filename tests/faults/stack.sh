# stack.sh - for lib.sh's users: a spool with one stack of six pages in place of
# three documents. Two of its pages are separator sheets, so that three
# documents come out of it, one of them by PLATEN:faults.
options+=(--split barcode)
names='stack(-[1-3])?\.tif'

make_spool() {
    mkdir -p "$1/in/faults"
    cp "$root/tests/faults/stack.tif" "$1/in/faults/stack.tif"
}

# check SPOOL HASHES [strict]: the stack and its parts, each once in done/ (or
# failed/), with all pages, the bytes kept once; strict: nothing has failed.
check() {
    local spool=$1 wanted=$2 how=${3:-} found left
    shopt -s nullglob dotglob
    left=("$spool"/in/!(faults|.|..) "$spool"/in/faults/* "$spool"/work/*)
    [ ${#left[@]} = 0 ] || { echo "something is left in in/ or work/: ${left[0]}"; return 1; }
    "$platen" fsck "$spool" > "$scratch/fsck" 2>&1 || { grep fault: "$scratch/fsck" | head -3; return 1; }
    left=("$spool"/{done,failed}/*/doc)
    # without `strict` the stack itself may have failed, and was not cut then
    [ -z "$how" ] && [ ${#left[@]} = 1 ] && [ "${left[0]%failed/*}" != "${left[0]}" ] && return 0
    [ ${#left[@]} = 4 ] || { echo "${#left[@]} documents, want the stack and three parts"; return 1; }
    found=$(stat -c '%i %h' "${left[@]}" | sort -u | wc -l)
    [ "$found" = 1 ] || { echo "the bytes are kept more than once"; return 1; }
    [ "$(sha256sum < "${left[0]}" | cut -c1-64)" = "$wanted" ] || { echo "the bytes are others"; return 1; }
    found=$(sed -n 's/^  "pages": "\(.*\)".*/\1/p' "$spool"/{done,failed}/*/part.json | sort | tr '\n' ' ')
    [ "$found" = "1 3 5-6 " ] || { echo "the parts have pages $found"; return 1; }
    [ "$how" = strict ] || return 0
    left=("$spool"/failed/*)
    [ ${#left[@]} = 0 ] || { echo "something failed: $(cat "${left[0]}/reason.json")"; return 1; }
    left=("$spool"/out/faults/*)
    [ ${#left[@]} = 3 ] || { echo "out/ holds ${#left[@]} records"; return 1; }
}
