#!/usr/bin/env bash
# man.sh [--check]: fills the tables of the man pages from the program itself
# (platen config --mdoc, --mdoc-reasons, --mdoc-warnings), or says where they differ.
set -eu
cd "$(dirname "$0")/.."
platen=${PLATEN:-build/platen}
fill() { # fill PAGE MARK COMMAND...: between the marks stands the output
    local page=$1 mark=$2; shift 2
    "$@" > "$scratch/table"
    awk -v mark="$mark" -v table="$scratch/table" '
        $0 == ".\\\" end " mark { inside = 0 }
        !inside { print }
        $0 == ".\\\" begin " mark { inside = 1; while ((getline line < table) > 0) print line }
    ' "$page" > "$scratch/page"
}
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
status=0
each() {
    fill "$@"
    if [ "$check" = 1 ]; then cmp -s "$scratch/page" "$1" || { echo "$1 differs from the program: tests/man.sh"; status=1; }
    else cp "$scratch/page" "$1"; fi
}
check=0; [ "${1:-}" = --check ] && check=1
each pipeline/man/platen.conf.5 keys "$platen" config --mdoc
each pipeline/man/platen.1 reasons "$platen" config --mdoc-reasons
each pipeline/man/platen-record.5 warnings "$platen" config --mdoc-warnings
exit $status
