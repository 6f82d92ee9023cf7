#!/usr/bin/env bash
# container.sh - pipeline/ops/Containerfile without a container engine: its instructions
# in roots that debootstrap makes of the Debian it names (kept where tests/distros.sh
# keeps its own), from a copy of HEAD; then its entry point, as its user, without a
# network. Needs root and Debian's mirror. Says "ok - ..." or "not ok - ..."; the log is
# build/container.log.
set -u
cd "$(dirname "$0")/.." || exit 1
PATH=$PATH:/usr/sbin:/sbin
cache=${DISTROS_CACHE:-/var/cache/platen-distros}
if [ "$(id -u)" != 0 ] || ! command -v debootstrap > /dev/null; then
    echo "skip - container: needs root and debootstrap"
    exit 0
fi
if [ -z "${CONTAINER_INSIDE:-}" ]; then
    CONTAINER_INSIDE=1 exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$@"
fi
declare -A suite_of=([docker.io/library/debian:12-slim]=bookworm [docker.io/library/debian:13-slim]=trixie) root_of=()
mkdir -p build "$cache"
log=$PWD/build/container.log
: > "$log"
scratch=$(mktemp -d "$cache/run.XXXXXX")
trap 'umount -R "$scratch"/*/{proc,dev,var/cache/apt/archives} 2> /dev/null; rm -rf --one-file-system "$scratch"' EXIT
git archive --prefix=context/ HEAD | tar -C "$scratch" -x || exit 1
root='' folder=/ user=root entry='' command='' n=0 variables=()
stop() { echo "not ok - container: $1: $(tail -3 "$log" | tr '\n' ' ')"; exit 1; }

from() { # FROM IMAGE [AS NAME]
    local suite=${suite_of[$1]:-}
    [ -n "$suite" ] || stop "FROM $1: no Debian that is known here"
    [ -e "$cache/$suite/etc/debian_version" ] || {
        rm -rf "$cache/$suite.new"
        debootstrap --variant=minbase "$suite" "$cache/$suite.new" >> "$log" 2>&1 && mv "$cache/$suite.new" "$cache/$suite" || stop "debootstrap $suite"
    }
    n=$((n + 1)) root=$scratch/root$n folder=/ user=root variables=()
    cp -a --reflink=auto "$cache/$suite" "$root"
    # how this machine reaches its mirror is told there as well
    grep -lE 'Acquire|Proxy' /etc/apt/apt.conf.d/* 2> /dev/null | xargs -rI{} cp {} "$root/etc/apt/apt.conf.d/"
    cp /etc/resolv.conf /etc/hosts "$root/etc/" 2> /dev/null
    mkdir -p "$cache/$suite.packages"
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --bind "$cache/$suite.packages" "$root/var/cache/apt/archives" || stop "mount"
    [ "${2:-}" != AS ] || root_of[$3]=$root
}
inside() { # inside PROGRAM...: in the root, with its variables, in its folder
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${variables[@]}" \
        chroot --userspec="$user" "$root" /bin/sh -c 'cd "$1" && shift && exec "$@"' sh "$folder" "$@" < /dev/null
}
copy() { # COPY [--from=NAME] SOURCE TARGET
    local source=$scratch/context
    [[ $1 != --from=* ]] || { source=${root_of[${1#--from=}]:-/nonexistent}; shift; }
    [ -e "$source/$1" ] || stop "COPY $1: there is none"
    local target=$2
    [[ $target = /* ]] || target=$folder/$target
    if [ -d "$source/$1" ]; then
        mkdir -p "$root$target" && cp -a "$source/$1/." "$root$target/"
    else
        mkdir -p "$root$(dirname "$target")" && cp -a "$source/$1" "$root$target"
    fi >> "$log" 2>&1 || stop "COPY $*"
}
words() { python3 -c 'import json, sys; print("\0".join(json.loads(sys.argv[1])), end="\0")' "$1"; }

while read -r name rest; do
    echo "== $name $rest" >> "$log"
    case $name in
    FROM) from $rest ;;
    ENV) read -ra more <<< "$rest"; variables+=("${more[@]}") ;;
    WORKDIR) folder=$rest && mkdir -p "$root$folder" ;;
    COPY) copy $rest ;;
    RUN) inside /bin/sh -c "$rest" >> "$log" 2>&1 || stop "RUN ${rest:0:60}" ;;
    USER) user=$rest ;;
    ENTRYPOINT) readarray -d '' -t entry < <(words "$rest") ;;
    CMD) readarray -d '' -t command < <(words "$rest") ;;
    STOPSIGNAL) ;;
    *) stop "$name: an instruction that is not known here" ;;
    esac
done < <(grep -v '^#' pipeline/ops/Containerfile | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' | grep .)
echo "ok - container: every instruction of pipeline/ops/Containerfile"

# as `podman run --network none` would
user=$(awk -F: -v name="$user" '$1 == name {print $3 ":" $4}' "$root/etc/passwd")
folder=/
alone() { unshare --net -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "${variables[@]}" chroot --userspec="$user" "$root" "${entry[@]}" "$@" < /dev/null; }
alone "${command[@]}" > "$scratch/out" 2>&1 && grep -q 'platen extract' "$scratch/out" && echo "ok - container: its entry point" || stop "its entry point: $(tail -1 "$scratch/out")"
mkdir "$root/srv/scans" && cp samples/good/{kiosk.png,cafe.pdf,phone.heic} "$root/srv/scans/" && chown -R "$user" "$root/srv/scans"
alone extract /srv/scans/{kiosk.png,cafe.pdf,phone.heic} --schema receipt --out /srv/scans/out > "$scratch/out" 2>&1 && [ "$(ls "$root"/srv/scans/out/*.json | wc -l)" = 3 ] &&
    echo "ok - container: its user reads a scan, a PDF and a photograph" || stop "its user reads: $(tail -1 "$scratch/out")"
alone doctor > "$scratch/out" 2>&1
grep -q 'built without kernels' "$scratch/out" && stop "no kernels for a GPU" || echo "ok - container: has kernels for a GPU"
grep -E '^!' "$scratch/out" | grep -v sandbox && stop "doctor finds something missing" || echo "ok - container: doctor misses nothing"
