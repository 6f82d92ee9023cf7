# e2e.sh - what the end-to-end scripts begin with; sourced, with $subject said:
# the program, a scratch folder that goes with all background jobs, verdicts.
# Every record that lies in the folder at the end is held to its schema.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
platen=$(realpath "${PLATEN:-$root/build/platen}")
# an empty file is not waited for
export PLATEN_CONFIG= PLATEN_EMPTY_AFTER=0 LC_ALL=C
scratch=$(mktemp -d)
finish() {
    local status=$?
    kill $(jobs -p) 2> /dev/null
    "$root/tests/support/records.py" "$platen" "$scratch" || status=1
    rm -rf "$scratch"
    exit $status
}
trap finish EXIT
failed=0
ok() { echo "ok - $subject$1"; }
bad() { echo "not ok - $subject$1: $2"; failed=1; }
# Copies the program and the schema of faults/ to where another user may enter,
# since a checkout may be somebody's own; sets $platen and $others.
for_another_user() {
    chmod 755 "$scratch"; others=$scratch/others; mkdir "$others"
    cp "$platen" "$(dirname "$platen")/platen-raster" "$root/tests/faults/faults.schema.json" "$root/tests/faults/good.png" "$others"
    platen=$others/platen
}
