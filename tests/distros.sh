#!/usr/bin/env bash
# distros.sh [SUITE...] - the README's two commands, as a user types them, in a bare
# Debian system that debootstrap makes for each SUITE (bookworm and trixie unless
# named), from a clone of HEAD. Needs root and Debian's mirror. The base systems and
# the packages are kept in $DISTROS_CACHE; each run works in a copy that is deleted.
# DISTROS_GOALS=run leaves out the tests (.ci/run, whose time is limited).
# Says "ok - ..." or "not ok - ..."; the logs are in build/distros.
#
# distros.sh --inputs - a hash of what decides whether platen builds on another
# system: the Makefiles, the list of packages and the library headers in use. After
# both suites pass it is noted in tests/distros.passed, and .ci/run compares it.
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
PATH=$PATH:/usr/sbin:/sbin
cache=${DISTROS_CACHE:-/var/cache/platen-distros}

inputs() {
    {
        git ls-files -z Makefile '*.mk' tests/deps.sh | xargs -0 cat
        git grep -hE '^# *include <' -- '*.c' '*.h' | tr -d ' ' | sort -u
    } | sha256sum | cut -c 1-32
}
[ "${1:-}" != --inputs ] || { inputs; exit 0; }

# in a namespace of its own: mounts and processes end with it
if [ -z "${DISTROS_INSIDE:-}" ]; then
    if [ "$(id -u)" != 0 ] || ! command -v debootstrap > /dev/null; then
        echo "skip - distros: needs root and debootstrap (apt-get install debootstrap)"
        exit 0
    fi
    DISTROS_INSIDE=1 exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$@"
fi

# base SUITE: the system that debootstrap makes, once
base() {
    [ ! -e "$cache/$1/etc/debian_version" ] || return 0
    rm -rf "$cache/$1" && mkdir -p "$cache"
    debootstrap --variant=minbase "$1" "$cache/$1.new" > "build/distros/$1.base.log" 2>&1 &&
        mv "$cache/$1.new" "$cache/$1"
}

# enter ROOT COMMAND...: as root, with a clean environment
enter() {
    local root=$1; shift
    env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        chroot "$root" "$@" < /dev/null
}

# furnish SUITE ROOT: a copy of the base system with the project in it
furnish() {
    cp -a --reflink=auto "$cache/$1" "$2" || return 1
    # how this machine reaches its mirror is told there as well
    grep -lE 'Acquire|Proxy' /etc/apt/apt.conf.d/* 2> /dev/null | xargs -rI{} cp {} "$2/etc/apt/apt.conf.d/"
    cp /etc/resolv.conf /etc/hosts "$2/etc/" 2> /dev/null
    mkdir -p "$cache/$1.packages"
    mount -t proc proc "$2/proc" && mount -t sysfs sysfs "$2/sys" && mount --rbind /dev "$2/dev" &&
        mount --bind "$cache/$1.packages" "$2/var/cache/apt/archives" || return 1
    # what the README takes for granted
    enter "$2" apt-get update -qq &&
        enter "$2" apt-get install -y -qq --no-install-recommends git make gcc libc6-dev &&
        git clone -q "file://$top" "$2/root/platen"
}

check() { # check NAME STATUS LOG
    [ "$2" = 0 ] && echo "ok - $1" && return
    echo "not ok - $1"
    grep -aE '^not ok' "$3" || tail -25 "$3"
    failed=1
    return 1
}

suite() {
    local name=$1 log=build/distros/$1 root
    echo "== $name: the base system ($(date +%H:%M:%S))"
    base "$name" || { check "$name: debootstrap" 1 "$log.base.log"; return; }
    root=$(mktemp -d "$cache/run.XXXXXX")
    trap 'umount -R "$root/system/dev" "$root"/system/{proc,sys,var/cache/apt/archives} 2> /dev/null; rm -rf --one-file-system "$root"' EXIT
    furnish "$name" "$root/system" > "$log.base.log" 2>&1
    check "$name: git, make and a compiler" $? "$log.base.log"
    for goal in ${DISTROS_GOALS:-run test}; do
        echo "== $name: make $goal ($(date +%H:%M:%S); log: $log.$goal.log)"
        ls -A "$root/system/tmp" > "$log.tmp"
        enter "$root/system" sh -c "cd /root/platen && make $goal" > "$log.$goal.log" 2>&1
        check "$name: make $goal" $? "$log.$goal.log" || break
        tail -1 "$log.$goal.log"
        ls -A "$root/system/tmp" | diff "$log.tmp" - > "$log.left"
        check "$name: make $goal leaves nothing in /tmp" $? "$log.left"
    done
    grep -ahs '^skip' "$log.test.log" | sort | uniq -c
    umount -R "$root/system/dev" "$root"/system/{proc,sys,var/cache/apt/archives}
    rm -rf --one-file-system "$root"
    trap - EXIT
}

failed=0
mkdir -p build/distros
[ $# -gt 0 ] || set -- bookworm trixie
for name in "$@"; do suite "$name"; done
if [ $failed = 0 ] && [ -z "${DISTROS_GOALS:-}" ] && [ "$*" = "bookworm trixie" ] && git diff --quiet HEAD; then
    inputs > tests/distros.passed
    echo "noted in tests/distros.passed: commit it"
fi
exit $failed
