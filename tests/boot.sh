#!/usr/bin/env bash
# boot.sh - a real systemd, booted by systemd-nspawn over a copy of this machine's own
# files that is thrown away, runs platen-watch@.service and platen-serve@.service as they are: started, fed,
# reloaded, stopped dead by a signal and begun anew by the watchdog, drained. Needs root.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
skip() { echo "skip - boot: $1"; exit 0; }
command -v systemd-nspawn > /dev/null && [ "$(id -u)" = 0 ] || skip "needs systemd-nspawn, and root"
[ -x /lib/systemd/systemd ] || skip "no systemd is installed"
check=$(mktemp -d) over=$(mktemp -d) # /root/check inside; where the copy is made
trap 'rm -rf "$check"; rmdir "$over"' EXIT
mkdir "$check/docs"
cp "$root"/samples/good/{cafe.pdf,kiosk.png,four-colours.jpg,fax-two-pages.tiff,bistro.webp} "$check/docs/"
ops=$root/pipeline/ops
make -s -C "$root" install PREFIX=/usr DESTDIR="$check/inst" > "$check/log" 2>&1 || { echo "not ok - boot: make install: $(tail -1 "$check/log")"; exit 1; }
install -D -m 644 -t "$check/inst/usr/lib/systemd/system" "$ops"/systemd/*.service "$ops"/systemd/*.timer
install -D -m 644 "$ops/debian/platen.sysusers" "$check/inst/usr/lib/sysusers.d/platen.conf"
install -D -m 644 "$ops/debian/platen.tmpfiles" "$check/inst/usr/lib/tmpfiles.d/platen.conf"
cat > "$check/run" << 'END'
#!/bin/bash
# inside: every line of /root/check/said is a verdict
unit=platen-watch@var-lib-platen-scans.service s=/var/lib/platen/scans
exec > /root/check/log 2>&1
cp -a /root/check/inst/. /
systemd-sysusers; systemd-tmpfiles --create platen.conf; systemctl daemon-reload
say() { echo "$1 - boot: $2" >> /root/check/said; }
check() { local name=$1; shift; if "$@"; then say ok "$name"; else say "not ok" "$name: $(systemctl show -p Result,ActiveState,NRestarts,StatusText $unit | tr '\n' ' ') $(journalctl -q -u $unit -n 4 -o cat | tr '\n' ' ')"; fi; }
wait_for() { local n=$(($1 * 5)); shift; while ! "$@"; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.2; done; }
done_is() { [ "$(ls $s/done 2> /dev/null | wc -l)" = "$1" ]; }
drop() { install -o platen -g platen "$1" "$s/in/receipt/$2"; }
is() { [ "$(systemctl show -P "$1" $unit)" = "$2" ]; }
install -d -o platen -g platen $s $s/in $s/in/receipt
mkdir -p /run/systemd/system/$unit.d
printf '[Service]\nWatchdogSec=6\n' > /run/systemd/system/$unit.d/soon.conf # not two minutes
systemctl daemon-reload
systemctl start $unit
check "systemd starts it, and hears that it is ready" is ActiveState active
for f in /root/check/docs/*; do drop "$f" "$(basename "$f")"; done
check "PDF, PNG, JPEG, TIFF and WebP are read inside the unit's walls" wait_for 120 done_is 5
check "and none failed" test -z "$(ls $s/failed 2> /dev/null)"
check "their records lie in out/" test "$(ls $s/out/receipt/*.json | wc -l)" = 5
check "all walls of the rasteriser stand" eval '! grep -lq "unsandboxed\|sandbox-" $s/done/*/record.json'
systemctl reload $unit
{ cat /root/check/docs/kiosk.png; echo 2; } > /tmp/two.png; drop /tmp/two.png two.png
check "reloaded, it goes on" wait_for 60 done_is 6
check "as the same process" is NRestarts 0
kill -STOP "$(systemctl show -P MainPID $unit)"
{ cat /root/check/docs/kiosk.png; echo 3; } > /tmp/three.png; drop /tmp/three.png three.png
check "a supervisor that stands still is begun anew by the watchdog" wait_for 60 is NRestarts 1
check "and the next one reads what waited" wait_for 60 done_is 7
page=platen-serve@var-lib-platen-scans.service at=http://127.0.0.1:8017/api/v1
systemctl start $page; bearer="Authorization: Bearer $(runuser -u platen -- platen serve token $s boot --role admin)"
api() { curl -sf --max-time 20 -H "$bearer" "$@"; }
check "beside it the page is served inside its own walls" wait_for 10 api "$at/me"
{ cat /root/check/docs/kiosk.png; echo http; } > /tmp/http.png
check "what is added over HTTP is read" eval 'api --data-binary @/tmp/http.png "$at/documents?schema=receipt&name=http.png" > /tmp/added && wait_for 60 done_is 8'
id=$(sed 's/.*"id":"\([^"]*\)".*/\1/' /tmp/added)
check "and its page is drawn" eval 'api "$at/documents/$id/pages/1" | head -c 2 | od -An -tx1 | grep -q "ff d8"'
check "the journal has no secret" eval '! journalctl -q -u $page -o cat | grep -q "$(cat $s/page-token)"'
systemctl stop $page
{ cat /root/check/docs/kiosk.png; echo 4; } > /tmp/four.png; drop /tmp/four.png four.png
systemctl stop $unit
check "drained: it ends well" is Result success
check "and with it all that it had started" test -z "$(pgrep -u platen)"
check "nothing was lost: in, work and done hold all" test "$(($(ls $s/in/receipt | wc -l) + $(ls $s/work | wc -l) + $(ls $s/done | wc -l)))" = 9
check "the journal has a line for each document" test "$(journalctl -q -u $unit -o cat | grep -c ': done in')" -ge 6
runuser -u platen -- platen fsck $s; check "the spool is whole" test $? = 0
echo end >> /root/check/said
systemctl poweroff
END
chmod 755 "$check/run"
cat > "$check/platen-check.service" << 'END'
[Unit]
DefaultDependencies=no
Requires=basic.target
After=basic.target
[Service]
Type=oneshot
ExecStart=/root/check/run
END
# seen by nobody else: a hierarchy of control groups, where the machine has an old one, and the copy
cat > "$check/boot" << 'END'
[ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ] || mount -t cgroup2 none /sys/fs/cgroup || exit 1
mount -t tmpfs tmpfs "$2" && mkdir "$2"/{upper,work,all} || exit 1
mount -t overlay overlay -o "lowerdir=/,upperdir=$2/upper,workdir=$2/work" "$2/all" || exit 1
cp "$1/platen-check.service" "$2/all/etc/systemd/system/"
exec systemd-nspawn -q -D "$2/all" --boot --register=no --keep-unit --private-network --machine="platen-boot-$$" \
    --bind="$1:/root/check" --tmpfs=/var/lib/platen --console=pipe \
    --system-call-filter="landlock_create_ruleset landlock_add_rule landlock_restrict_self" systemd.unit=platen-check.service
END
timeout -k 5 ${BOOT_S:-300} unshare -m --propagation private bash "$check/boot" "$check" "$over" < /dev/null > "$check/console" 2>&1
[ -s "$check/said" ] || skip "this machine boots no container: $(grep -v '^$' "$check/console" | tail -2 | tr '\n' ' ' | cut -c1-300)"
grep -v '^end$' "$check/said"
grep -q '^end$' "$check/said" || { echo "not ok - boot: it came to its end: $(tail -3 "$check/log" | tr '\n' ' ')"; exit 1; }
! grep -q '^not ok' "$check/said"
