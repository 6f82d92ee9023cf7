#!/usr/bin/env bash
# full.sh - a mail whose attached files do not fit on the disk: nobody is blamed, and
# once there is room each of them is read once. Its bytes come from the reader and
# cannot be asked for again.
set -u
. "$(dirname "$0")/lib.sh"
skip() { echo "skip - full disk: $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "needs root"
mount=$scratch/mount failed=0
mkdir -p "$mount"
trap 'umount "$mount" 2> /dev/null; rm -rf "$scratch"' EXIT
mount -t tmpfs -o size=24m none "$mount" 2> /dev/null || skip "no mounts here"
umount "$mount"

make_mail() { # make_mail FILE N: a mail with N pictures of 3 MB
    python3 - "$root/tests/faults/good.png" "$1" "$2" << 'PY'
import os, sys
from email.message import EmailMessage
m = EmailMessage()
m['From'], m['Date'], m['Subject'] = 'a@example.org', 'Tue, 14 Mar 2023 10:00:00 +0100', 'large'
m.set_content('large')
for i in range(int(sys.argv[3])):
    m.add_attachment(open(sys.argv[1], 'rb').read() + os.urandom(3 << 20), maintype='image', subtype='png', filename='%d.png' % i)
open(sys.argv[2], 'wb').write(m.as_bytes())
PY
}
for n in 1 2; do
    mount -t tmpfs -o size=24m none "$mount"
    s=$mount/s
    "$platen" init "$s" --schemas "$root/tests/faults" > /dev/null 2>&1
    mkdir -p "$s/in/faults"
    make_mail "$s/in/faults/mail.eml" $n
    room=$(df --output=avail -B1 "$mount" | tail -1)
    head -c $((room - (2 << 20))) /dev/zero > "$mount/filler"
    for turn in 1 2 3; do
        timeout -s KILL 60 "$platen" run "$s" "${options[@]}" > "$scratch/log" 2>&1
        code=$?
        [ $code = 17 ] && [ -z "$(ls "$s/failed")" ] && [ ! -e "$s"/work/*/attempt.1 ] && continue
        echo "not ok - full disk: $n attached, run $turn: exit code $code, $(tail -2 "$scratch/log")"; failed=1
    done
    rm "$mount/filler"
    timeout -s KILL 60 "$platen" run "$s" "${options[@]}" > "$scratch/log" 2>&1
    "$platen" fsck "$s" > "$scratch/fsck" 2>&1 || { echo "not ok - full disk: $(tail -1 "$scratch/fsck")"; failed=1; }
    [ "$(ls "$s/out/faults" | wc -l)" = $n ] && [ "$(ls "$s/done" | wc -l)" = $((n + 1)) ] ||
        { echo "not ok - full disk: $n attached: $(tail -2 "$scratch/log")"; failed=1; }
    umount "$mount"
done
[ $failed = 0 ] && echo "ok - full disk: attached files wait for room, and are then read once"
exit $failed
