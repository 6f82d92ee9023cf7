#!/usr/bin/env bash
# kill.sh [EVERY] [stack|mail|retry|archive] - SIGKILL on entry to every system call of `platen run` over
# three documents (stack: over one that is cut into three; mail: over one with two attachments; retry: over one that was given back and one that fails, with notes on
# failures in out/; archive: over documents that are compared with earlier ones), one restart, checker clean; every third point
# kills the restart as well and restarts again. Every EVERY-th point (1:
# all, and then also with workers and rasteriser followed).
set -u
. "$(dirname "$0")/lib.sh"
every=${1:-1}
[ -n "${2:-}" ] && . "$(dirname "$0")/$2.sh"
command -v strace > /dev/null || { echo "not ok - faults kill: strace is missing"; exit 1; }
make_spool "$scratch/template"
hashes=$(expected "$scratch/template")
points=0 failed=0 fired=0

killed() { # killed CALL N FOLLOW SPOOL ARGS...
    local call=$1 n=$2 follow=$3 s=$4; shift 4
    # shellcheck disable=SC2086
    strace $follow -qq -o /dev/null -e trace="$call" -e "inject=$call:signal=KILL:when=$n" \
        "$platen" run "$s" "${options[@]}" "$@" > /dev/null 2>&1
}

one() { # one CALL N FOLLOW ARGS...: kill there, restart, check
    local call=$1 n=$2 follow=$3 strict=strict why; shift 3
    local s=$scratch/s
    rm -rf "$s"; cp -a "$scratch/template" "$s"
    killed "$call" "$n" "$follow" "$s" "$@"
    # with everything followed, the rasteriser may have been killed twice, which
    # is a verdict on the document like any other crash
    [ $? = 137 ] && fired=$((fired + 1))
    [ -n "$follow" ] && strict=
    [ $((points % 3)) = 2 ] && [ -z "$follow" ] && killed "$call" "$n" "" "$s" "$@"
    "$platen" run "$s" "${options[@]}" > /dev/null 2>&1
    points=$((points + 1))
    why=$(check "$s" "$hashes" $strict) && return
    failed=$((failed + 1))
    echo "not ok - faults kill: $call $n $follow $*: $why"
}

walk() { # walk FOLLOW ARGS...: all points of a run with these arguments
    local follow=$1 call n total; shift
    cp -a "$scratch/template" "$scratch/count"
    trace_calls "$scratch/calls" ${follow:+-f} run "$scratch/count" "${options[@]}" "$@"
    rm -rf "$scratch/count"
    total=0
    while read -r n call; do
        [ "$call" = execve ] && continue # strace itself makes it
        for ((i = 1; i <= n; i++)); do
            total=$((total + 1))
            [ $((total % every)) = 0 ] || continue
            one "$call" $i "$follow" "$@" 2> /dev/null # the shell's "Killed"
        done
    done < <(most_calls "$scratch/calls")
}

walk "" --in-process
walk "" --jobs 1
[ "$every" = 1 ] && walk -f --jobs 2
echo "faults kill ${2:-}: $points points, $fired kills, $failed failures"
[ $points -gt 0 ] && [ $fired -gt 0 ] || { echo "not ok - faults kill: no point was run"; exit 1; }
[ $failed = 0 ] && echo "ok - killed at $points system calls${2:+ of a $2}, each document exactly once"
exit $((failed > 0))
