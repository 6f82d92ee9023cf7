#!/usr/bin/env bash
# raster_walls.sh: what a process that has been taken over by its document
# cannot do, and what platen does on a kernel without Landlock, seccomp or both.
set -u
cd "$(dirname "$0")/../.." || exit 1
platen=${PLATEN:-build/platen}
dir=$(dirname "$(readlink -f "$platen")")
probe=$dir/wall-probe
make -s MODE="$(basename "$dir")" "build/$(basename "$dir")/wall-probe" > /dev/null 2>&1 || probe=build/release/wall-probe
[ -x "$probe" ] || make -s build/release/wall-probe > /dev/null || { echo "not ok - walls: the probe cannot be built"; exit 1; }
bad=0
ok() { echo "ok - $1"; }
not_ok() { echo "not ok - $1: $2"; bad=1; }

# in a shell of its own, which keeps "Bad system call" to itself
attempt() { bash -c '"$@"; exit $?' attempt $as "$probe" do "$1" "$2" > /dev/null 2>&1; }

as=
attempt open-secret pdf
[ $? = 20 ] && echo "skip - walls: no seccomp here" && exit 0
# what each process can do, of all that the probe tries
can() {
    case $1 in
    pdf) echo " open-font " ;;
    picture) echo " " ;;
    reader) echo " write-open poll send " ;;
    server) echo " poll send thread " ;;
    fetch) echo " poll send thread socket reach-network connect " ;;
    esac
}
walls() { # WHO
    local n=0 wrong= kind action status wanted got
    touch /tmp/wall-probe-target; rm -rf /tmp/wall-probe
    for kind in pdf picture reader server fetch; do
        for action in $("$probe" list); do
            attempt "$action" $kind
            status=$?
            wanted=refused
            [[ $(can $kind) = *" $action "* ]] && wanted=allowed
            case $status in
            0 | 159) got=refused ;;
            10) got=allowed ;;
            *) got="status $status" ;;
            esac
            n=$((n + 1))
            [ "$got" = "$wanted" ] || wrong+=" $action/$kind: $got"
        done
    done
    [ "$n" -ge 300 ] && [ -z "$wrong" ] && ok "walls, $1: $n attempts, all as they should be" || not_ok "walls, $1" "$n attempts,$wrong"
    [ "$(stat -c %a-%h-%s /tmp/wall-probe-target)" = 644-1-0 ] && [ ! -e /tmp/wall-probe ] && ok "walls, $1: files are as before" || not_ok "walls, $1: files" "changed"
    rm -rf /tmp/wall-probe-target /tmp/wall-probe
}
umask 022
walls "$(id -un)"
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
    room=$(mktemp -d) # the build folder may be closed to others
    chmod 755 "$room"; cp "$probe" "$room"; probe=$room/wall-probe
    as="setpriv --reuid 1000 --regid 1000 --clear-groups"
    walls "an ordinary user"
    as= probe=$dir/wall-probe
    rm -rf "$room"
fi

sample=samples/good/cafe.pdf
try() { "$probe" deny "$1" "$platen" extract "$sample" --schema receipt --engine null ${2:-} > "$out" 2> "$err"; }
out=$(mktemp) err=$(mktemp)
trap 'rm -f "$out" "$err"' EXIT
# one layer is enough to go on, and the record says which one is missing
alone() { # MISSING NAME
    try "$1" && grep -q "without $2" "$out" && ok "without $2: drawn, with a warning" || not_ok "without $2" "$(tail -1 "$err")"
}
alone landlock Landlock
alone seccomp seccomp
try network && try user && ok "without network namespace or change of user: drawn" || not_ok "without network or user" "$(tail -1 "$err")"

# what the other layers then hold back: seccomp alone must not mean that root
# reads everything, Landlock alone not that sockets lead somewhere
held() { # MISSING ACTION [PROFILE]
    bash -c '"$@"; exit $?' attempt "$probe" deny "$1" "$probe" do "$2" "${3:-pdf}" > /dev/null 2>&1
    case $? in
    0 | 159) ok "without $1: $2 is refused${3:+ to $3}" ;;
    *) not_ok "without $1: $2${3:+ to $3}" "allowed" ;;
    esac
}
held landlock open-shadow
held landlock reach-network
held landlock write-file
held seccomp reach-network
held seccomp open-shadow
held seccomp open-secret
held seccomp become-root
held seccomp raise-cpu
held seccomp raise-memory
for kind in reader server fetch; do
    held landlock open-secret $kind
    for action in open-shadow write-file truncate unlink fork exec ptrace kill-parent process-memory; do
        held landlock $action $kind
    done
    for action in open-secret open-shadow write-file truncate unlink ptrace kill-parent process-memory become-root raise-memory write-beyond read-closed listen; do
        held seccomp $action $kind
    done
done
held landlock open-font server
held seccomp reach-network reader
held seccomp reach-network server

# each layer is in place here, and one that is not is named by doctor
layers=$("$probe" layers pdf)
for layer in landlock:4 seccomp:8 user:32 network:64; do
    name=${layer%:*} bit=${layer#*:}
    [ $((layers & bit)) != 0 ] || { echo "skip - walls: no $name on this machine"; continue; }
    [ "$name" = user ] && [ "$(id -u)" != 0 ] && continue
    "$probe" deny "$name" "$platen" doctor > "$out" 2> "$err"; status=$?
    [ $status = 3 ] && [ "$(grep -c '^! sandbox.*: no (without' "$out")" = 1 ] && ok "doctor: without $name it is not well" ||
        not_ok "doctor without $name" "status $status, $(grep -c ': no' "$out") missing"
done
"$platen" doctor > "$out" && ! grep -q ': no (without' "$out" && ok "doctor: with all layers it is well" || not_ok "doctor" "$(grep ': no' "$out")"
try landlock,seccomp; status=$?
[ $status = 3 ] && grep -q '\[no-sandbox\]' "$err" && ok "without both: refused" || not_ok "without both" "status $status, $(tail -1 "$err")"
try landlock,seccomp "--sandbox best" && grep -q '"unsandboxed": true' "$out" && ok "without both, allowed: the record says so" ||
    not_ok "without both, allowed" "$(tail -1 "$err") $(grep unsandboxed "$out")"
exit $bad
