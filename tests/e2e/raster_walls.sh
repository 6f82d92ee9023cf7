#!/usr/bin/env bash
# raster_walls.sh: what a rasteriser that has been taken over cannot do, and
# what platen does on a kernel without Landlock, seccomp or both.
set -u
cd "$(dirname "$0")/../.." || exit 1
platen=${PLATEN:-build/platen}
dir=$(dirname "$(readlink -f "$platen")")
probe=$dir/wall-probe
make -s MODE="$(basename "$dir")" "$probe" > /dev/null 2>&1 || probe=build/release/wall-probe
[ -x "$probe" ] || make -s build/release/wall-probe > /dev/null || { echo "not ok - walls: the probe cannot be built"; exit 1; }
bad=0
ok() { echo "ok - $1"; }
not_ok() { echo "not ok - $1: $2"; bad=1; }

# in a shell of its own, which keeps "Bad system call" to itself
attempt() { bash -c '"$@"; exit $?' attempt "$probe" do "$1" "$2" > /dev/null 2>&1; }

attempt open-secret pdf
[ $? = 20 ] && echo "skip - walls: no seccomp here" && exit 0
touch /tmp/wall-probe-target; rm -f /tmp/wall-probe
n=0 wrong=
for kind in pdf picture; do
    for action in $("$probe" list); do
        attempt "$action" $kind
        status=$?
        wanted=refused
        [ "$action/$kind" = open-font/pdf ] && wanted=allowed
        case $status in
        0 | 159) got=refused ;;
        10) got=allowed ;;
        *) got="status $status" ;;
        esac
        n=$((n + 1))
        [ "$got" = "$wanted" ] || wrong+=" $action/$kind: $got"
    done
done
[ "$n" -ge 50 ] && [ -z "$wrong" ] && ok "walls: $n attempts, all as they should be" || not_ok "walls" "$n attempts,$wrong"
[ -e /tmp/wall-probe-target ] && [ ! -e /tmp/wall-probe ] && ok "walls: files are as before" || not_ok "walls: files" "changed"
rm -f /tmp/wall-probe-target /tmp/wall-probe

sample=samples/good/cafe.pdf
try() { "$probe" deny "$1" "$platen" extract "$sample" --schema receipt --engine null ${2:-} > "$out" 2> "$err"; }
out=$(mktemp) err=$(mktemp)
trap 'rm -f "$out" "$err"' EXIT
try landlock && ok "without Landlock seccomp is enough" || not_ok "without Landlock" "$(tail -1 "$err")"
try seccomp && ok "without seccomp Landlock is enough" || not_ok "without seccomp" "$(tail -1 "$err")"
try both; status=$?
[ $status = 3 ] && grep -q '\[no-sandbox\]' "$err" && ok "without both: refused" || not_ok "without both" "status $status, $(tail -1 "$err")"
try both --allow-unsandboxed && grep -q '"unsandboxed": true' "$out" && ok "without both, allowed: the record says so" ||
    not_ok "without both, allowed" "$(tail -1 "$err") $(grep unsandboxed "$out")"
exit $bad
