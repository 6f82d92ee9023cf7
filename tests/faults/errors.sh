#!/usr/bin/env bash
# errors.sh [EVERY] [stack] - a system call fails, at every place where it is made:
# ENOSPC, EIO, EDQUOT, EMFILE, EROFS, ENOMEM (E-01 to E-09). The run may end
# with 17; a second run without errors finds every document where it must be,
# and no document was blamed: the good one is done, the others failed for what
# they are.
set -u
. "$(dirname "$0")/lib.sh"
every=${1:-1}
[ "${2:-}" = stack ] && . "$(dirname "$0")/stack.sh"
command -v strace > /dev/null || { echo "not ok - faults errors: strace is missing"; exit 1; }
make_spool "$scratch/template"
hashes=$(expected "$scratch/template")
points=0 failed=0 total=0
cp -a "$scratch/template" "$scratch/count"
trace_calls "$scratch/calls" run "$scratch/count" "${options[@]}" --in-process
cases='write:ENOSPC write:EIO write:EDQUOT fsync:EIO fsync:ENOSPC openat:EMFILE
openat:ENFILE openat:ENOSPC mkdirat:ENOSPC mkdirat:EROFS renameat:EIO
renameat2:EIO renameat2:ENOSPC renameat2:EXDEV unlinkat:EIO linkat:ENOSPC
linkat:EMLINK newfstatat:EIO fstat:EIO read:EIO flock:ENOLCK getdents64:EIO
fcntl:EAGAIN fcntl:EACCES pread64:EIO write:EFBIG faccessat2:EACCES readlinkat:EIO
socketpair:EMFILE clone:EAGAIN pipe2:EMFILE close:EIO lseek:EIO'
for case in $cases; do
    call=${case%:*} error=${case#*:}
    n=$(grep -cx "$call" "$scratch/calls")
    for ((i = 1; i <= n; i++)); do
        total=$((total + 1))
        [ $((total % every)) = 0 ] || continue
        s=$scratch/s
        rm -rf "$s"; cp -a "$scratch/template" "$s"
        strace -qq -o /dev/null -e trace="$call" -e "inject=$call:error=$error:when=$i" \
            timeout -s KILL 60 "$platen" run "$s" "${options[@]}" --in-process > "$scratch/log" 2>&1
        [ $? = 137 ] && echo "not ok - faults errors: $call $error $i: hangs" && failed=$((failed + 1))
        "$platen" run "$s" "${options[@]}" > /dev/null 2>&1
        points=$((points + 1))
        why=$(check "$s" "$hashes" strict) && continue
        failed=$((failed + 1))
        echo "not ok - faults errors: $call $error $i: $why"
    done
done
echo "faults errors: $points points, $failed failures"
[ $points -gt 0 ] || { echo "not ok - faults errors: no point was run"; exit 1; }
[ $failed = 0 ] && echo "ok - $points failing system calls, no document blamed"
exit $((failed > 0))
