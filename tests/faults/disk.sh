# disk.sh - an ext4 of its own, whose power can be cut: what was not written goes
# (EXT4_IOC_SHUTDOWN without log flush). Sourced behind lib.sh, with skip() defined.
# shellcheck shell=bash disable=SC2154
[ "$(id -u)" = 0 ] || skip "needs root"
command -v mkfs.ext4 > /dev/null && command -v strace > /dev/null && command -v python3 > /dev/null ||
    skip "needs e2fsprogs, strace and python3"
image=$scratch/image mount=$scratch/mount
mkdir -p "$mount"
trap 'umount "$mount" 2> /dev/null; rm -rf "$scratch"' EXIT
fresh() { rm -f "$image"; truncate -s 24M "$image" && mkfs.ext4 -q "$image" && mount -o loop "$image" "$mount"; }
fresh 2> /dev/null || skip "no loop mounts here"
# only ever a mount that this script made: it stops the whole file system
cut_power() {
    [ "$(stat -c %m "$mount")" = "$mount" ] || exit 1
    python3 - "$mount" << 'PY'
import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587d, struct.pack("I", 2))
PY
    umount "$mount" && mount -o loop "$image" "$mount"
}
