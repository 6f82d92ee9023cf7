# lib.sh - what the fault runs share: a spool with three documents, and the
# checker that asks whether each of them is exactly where it must be.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
platen=${PLATEN:-$root/build/platen}
# memory where it can be had: kills and errors do not ask what a disk keeps
[ -w /dev/shm ] && : "${TMPDIR:=/dev/shm}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/platen-faults.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
options=(--engine null --stable-for 0 --schemas "$root/tests/faults" --quiet --min-free-space 1)
unset PLATEN_CONFIG
export PLATEN_CONFIG= PLATEN_EMPTY_AFTER=0 LC_ALL=C
shopt -s extglob

# as they are said to be done or not
names='good\.png|dama%0Aged\.png|empty\.pdf'

# $1: a fresh spool: a good picture, a damaged one with a newline in its name,
# an empty file. Each is taken in another way: the good one is another user's
# (where we may give it away) and gets a private copy in work/, the damaged one
# has a second name and is copied out of in/, the empty one is renamed. Two are
# in folders below the schema's.
make_spool() {
    local deep=$1/in/faults/deep
    mkdir -p "$deep/er" "$1/elsewhere"
    cp "$root/tests/faults/good.png" "$deep/good.png"
    [ "$(id -u)" != 0 ] || chown 65534 "$deep/good.png"
    head -c 200 "$root/tests/faults/good.png" > "$deep/er/dama"$'\n'"ged.png"
    ln "$deep/er/dama"$'\n'"ged.png" "$1/elsewhere/second"
    : > "$1/in/faults/empty.pdf"
}

hashes_of() { for f; do [ -f "$f" ] && sha256sum < "$f" | cut -c1-64; done | sort; }
expected() { hashes_of "$1"/in/faults/{,deep/,deep/er/}*; }

# check SPOOL HASHES [strict]: every hash once in done/ or failed/, nothing
# anywhere else, fsck clean. strict: the good one in done/, the others failed.
# Thousands of points go through here: few processes.
check() {
    local spool=$1 wanted=$2 how=${3:-} found left name names=
    shopt -s nullglob dotglob
    found=$(sha256sum "$spool"/{done,failed}/*/doc < /dev/null 2> /dev/null | cut -c1-64 | sort)
    [ "$found" = "$wanted" ] || { echo "documents are not each once in done/ or failed/"; return 1; }
    left=("$spool"/in/!(faults|.|..) "$spool"/in/faults/!(deep|.|..) "$spool"/in/faults/deep/!(er|.|..) "$spool"/in/faults/deep/er/* "$spool"/work/*)
    [ ${#left[@]} = 0 ] || { echo "something is left in in/ or work/: ${left[0]}"; return 1; }
    "$platen" fsck "$spool" > "$scratch/fsck" 2>&1 || { grep fault: "$scratch/fsck" | head -3; return 1; }
    [ "$how" = strict ] || return 0
    for name in "$spool"/done/*/name.json; do names+=$(< "$name"); done
    [[ $names == *'"good.png"'* ]] ||
        { echo "the good document is not in done/: $(cat /dev/null "$spool"/failed/*/reason.json | grep -h '"code"' | tr -d '\n')"; return 1; }
    left=("$spool"/failed/*/reason.json)
    [ ${#left[@]} = 2 ] || { echo "a bad document is not in failed/"; return 1; }
    left=("$spool"/out/faults/deep/*)
    [ ${#left[@]} = 1 ] || { echo "out/ does not hold the one record"; return 1; }
}

# Names of all system calls of a run, one line a call: of the process itself,
# or with -f of its workers and children as well.
trace_calls() { # trace_calls FILE [-f] ARGS...
    local file=$1 follow=(); shift
    [ "$1" = -f ] && { follow=(-f); shift; }
    strace "${follow[@]}" -qq -o "$file.raw" "$platen" "$@" > /dev/null 2>&1
    sed -E 's/^[0-9]+ +//' "$file.raw" | grep -oE '^[a-z_0-9]+\(' | tr -d '(' > "$file"
}

# most_calls FILE: "N CALL" for each call of the traced run FILE, N the most
# that any one of its processes made: strace counts for each by itself, and a
# larger number would never fire.
most_calls() {
    awk '{ p = $1 ~ /^[0-9]+$/ ? $1 : 0; c = p ? $2 : $1
           if (!match(c, /^[a-z_0-9]+\(/)) next
           c = substr(c, 1, RLENGTH - 1)
           if (++n[p, c] > most[c]) most[c] = n[p, c] }
         END { for (c in most) print most[c], c }' "$1.raw" | sort -k2
}
