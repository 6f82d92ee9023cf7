#!/usr/bin/env bash
# deb.sh DEB - installs, upgrades, removes and purges the package in a bare Debian 12 that
# mmdebstrap makes (root, and Debian's mirror), and reads a document there.
set -u
deb=$(realpath "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
command -v mmdebstrap > /dev/null && [ "$(id -u)" = 0 ] || { echo "skip - deb: needs mmdebstrap, and root"; exit 0; }
scratch=$(mktemp -d)
bare=$scratch/bare failed=0
trap 'umount "$bare/proc" 2> /dev/null; rm -rf --one-file-system "$scratch"' EXIT
ok() { echo "ok - deb: $1"; }
check() { local name=$1; shift; if "$@"; then ok "$name"; else echo "not ok - deb: $name: $(tail -3 "$scratch/log" | tr '\n' ' ')"; failed=1; fi; }
inside() { DEBIAN_FRONTEND=noninteractive chroot "$bare" "$@" >> "$scratch/log" 2>&1; }
mmdebstrap --mode=root --variant=apt --include=systemd-standalone-sysusers,systemd-standalone-tmpfiles ${MIRROR_KEYRING:+--keyring="$MIRROR_KEYRING"} bookworm "$bare" ${MIRROR:-} > "$scratch/log" 2>&1 ||
    { echo "skip - deb: no bare root can be made: $(tail -1 "$scratch/log")"; exit 0; }
# how this machine reaches its mirror is told there as well
grep -lE 'Acquire|Proxy' /etc/apt/apt.conf.d/* 2> /dev/null | xargs -rI{} cp {} "$bare/etc/apt/apt.conf.d/"
cp /etc/resolv.conf /etc/hosts "$bare/etc/" 2> /dev/null
cp "$deb" "$bare/tmp/one.deb"
cp "$root/samples/good/cafe.pdf" "$root/tests/faults/good.png" "$bare/tmp/"
# the same once more, as a later version
dpkg-deb -R "$deb" "$scratch/two" && sed -i 's/^Version: .*/&+1/' "$scratch/two/DEBIAN/control" && dpkg-deb -b "$scratch/two" "$bare/tmp/two.deb" > /dev/null
mount -t proc proc "$bare/proc" || { echo "skip - deb: no /proc can be mounted"; exit 0; }
inside apt-get update
inside apt-get install -y --no-install-recommends /tmp/one.deb tesseract-ocr-eng; check "installs" test $? = 0
inside getent passwd platen; check "the user is there" test $? = 0
check "and the folders are its own" test "$(chroot "$bare" stat -c %U:%a /var/lib/platen /var/cache/platen | tr '\n' ' ')" = "platen:750 platen:750 "
inside /usr/bin/platen extract /tmp/cafe.pdf --schema receipt; check "a document is read" test $? = 0
for f in lib/systemd/system/platen-watch@.service usr/share/man/man1/platen.1.gz usr/share/bash-completion/completions/platen usr/share/zsh/vendor-completions/_platen usr/share/fish/vendor_completions.d/platen.fish; do
    [ -s "$bare/$f" ] || check "$f is there" false
done
echo '; mine' >> "$bare/etc/platen/platen.conf"; echo kept > "$bare/var/lib/platen/document"
inside apt-get install -y --no-install-recommends /tmp/two.deb; check "upgrades" test $? = 0
check "and keeps the configuration that was changed" grep -q '^; mine' "$bare/etc/platen/platen.conf"
inside dpkg -r platen; check "removes" test $? = 0 -a ! -e "$bare/usr/bin/platen" -a -e "$bare/etc/platen/platen.conf"
inside dpkg -P platen; check "purges, and leaves documents alone" test $? = 0 -a ! -e "$bare/etc/platen" -a ! -e "$bare/var/cache/platen" -a -e "$bare/var/lib/platen/document"
left=$(chroot "$bare" find / -xdev -name '*platen*' -not -path '/tmp/*' | grep -v '^/var/lib/platen')
check "nothing else is left" test -z "$left"
exit $failed
