#!/usr/bin/env bash
# man.sh [--check]: writes the tables of the man pages, docs/errors.md and
# docs/configuration.md from the program itself (platen config --mdoc,
# --mdoc-reasons, --mdoc-warnings), or reports where they differ.
set -eu
cd "$(dirname "$0")/.."
platen=${PLATEN:-build/platen}
fill() { # fill PAGE MARK COMMAND...: puts the output between the marks
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
keep() { # keep PAGE: what was made is the page, or is compared with it
    if [ "$check" = 1 ]; then cmp -s "$scratch/page" "$1" || { echo "$1 differs from the program: run tests/man.sh"; status=1; }
    else cp "$scratch/page" "$1"; fi
}
each() { fill "$@"; keep "$1"; }
check=0; [ "${1:-}" = --check ] && check=1
each pipeline/man/platen.conf.5 keys "$platen" config --mdoc
each pipeline/man/platen.1 reasons "$platen" config --mdoc-reasons
each pipeline/man/platen-record.5 warnings "$platen" config --mdoc-warnings
for name in errors configuration; do
    python3 tests/support/docs.py "$platen" $name > "$scratch/page"
    keep docs/$name.md
done
exit $status
