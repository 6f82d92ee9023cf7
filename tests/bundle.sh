#!/usr/bin/env bash
# bundle.sh [SUITE...] - what `make bundle` made, unpacked and run by an ordinary user: in
# a root that holds nothing but glibc and a shell, and in a bare Debian of each SUITE
# (trixie unless named; those that tests/distros.sh keeps). Needs root. Says "ok - ..."
# or "not ok - ...".
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
PATH=$PATH:/usr/sbin:/sbin
cache=${DISTROS_CACHE:-/var/cache/platen-distros}
archive=$(ls -t build/bundle/platen-*-x86_64.tar.zst 2> /dev/null | head -1)
[ "$(id -u)" = 0 ] || { echo "skip - bundle: needs root"; exit 0; }
[ -n "$archive" ] || { echo "skip - bundle: there is none (make bundle)"; exit 0; }
if [ -z "${BUNDLE_INSIDE:-}" ]; then
    BUNDLE_INSIDE=1 exec unshare --mount --propagation private --pid --fork --kill-child "$0" "$@"
fi
scratch=$(mktemp -d)
trap 'umount -R "$scratch"/*/proc "$scratch"/*/dev 2> /dev/null; rm -rf --one-file-system "$scratch"' EXIT
failed=0
ok() { echo "ok - bundle: $1"; }
bad() { echo "not ok - bundle: $1: ${2:-}"; failed=1; }

[ "$(stat -c %s "$archive")" -le $((60 << 20)) ] && ok "is of at most 60 MiB" || bad "is of at most 60 MiB" "$(stat -c %s "$archive")"

furnish() { # furnish ROOT: the bundle, a user's home, the samples
    mkdir -p "$1"/{proc,dev,tmp,home/user} && mount -t proc proc "$1/proc" && mount -t tmpfs dev "$1/dev"
    mknod -m 666 "$1/dev/null" c 1 3 && mknod -m 666 "$1/dev/urandom" c 1 9
    chmod 1777 "$1/tmp"
    tar -C "$1/home/user" --zstd -xf "$archive" && cp -r samples "$1/home/user/" && mv "$1"/home/user/platen-* "$1/home/user/platen"
    chown -R 1000:1000 "$1/home/user"
}
user() { # user ROOT PROGRAM ARGUMENT...
    local root=$1; shift
    chroot --userspec=1000:1000 "$root" /bin/sh -c 'HOME=/home/user PATH=/home/user/platen/bin:/bin:/usr/bin; unset LD_LIBRARY_PATH; export HOME PATH; exec "$@"' sh "$@" < /dev/null
}
part() { python3 -c 'import json,sys; r = json.load(open(sys.argv[1])); print(json.dumps(r["data"], sort_keys=True))' "$1"; }

run_there() { # run_there NAME ROOT
    local name=$1 root=$2 wrong="" page
    user "$root" /home/user/platen/bin/platen doctor > "$scratch/doctor" 2>&1
    # of what a bundle brings nothing is missing
    grep -E '^!' "$scratch/doctor" | grep -vE 'osd|sandbox' > "$scratch/marked"
    [ ! -s "$scratch/marked" ] && ok "$name: doctor misses nothing" || bad "$name: doctor misses nothing" "$(cat "$scratch/marked")"
    grep -q '^East Asian tables: /home/user/platen/share' "$scratch/doctor" && ok "$name: poppler's tables are the bundle's" || bad "$name: poppler's tables are the bundle's" "$(grep East "$scratch/doctor")"
    grep -q 'not usable: this platen was built without kernels' "$scratch/doctor" && bad "$name: has kernels for a GPU" || ok "$name: has kernels for a GPU"
    for page in kiosk.png cafe.pdf fax-two-pages.tiff bistro.webp photo-sideways.jpg phone.heic download.avif; do
        user "$root" /home/user/platen/bin/platen extract "/home/user/samples/good/$page" --schema receipt > "$scratch/there.json" 2> "$scratch/err" &&
            "$top/build/release/platen" extract "$top/samples/good/$page" --schema receipt > "$scratch/here.json" 2> /dev/null &&
            [ "$(part "$scratch/there.json")" = "$(part "$scratch/here.json")" ] || wrong+=" $page: $(tail -1 "$scratch/err")"
    done
    [ -z "$wrong" ] && ok "$name: an ordinary user reads the samples, as here" || bad "$name: an ordinary user reads the samples, as here" "$wrong"
}

# --- glibc and a shell, nothing else
bare=$scratch/bare
mkdir -p "$bare"/{bin,lib/x86_64-linux-gnu,lib64}
cp -L /lib64/ld-linux-x86-64.so.2 "$bare/lib64/"
for name in libc.so.6 libm.so.6 libmvec.so.1 libdl.so.2 librt.so.1 libpthread.so.0 libresolv.so.2 libutil.so.1 libnss_files.so.2; do
    cp -L "/lib/x86_64-linux-gnu/$name" "$bare/lib/x86_64-linux-gnu/" 2> /dev/null
done
cp -L /bin/dash "$bare/bin/sh"
furnish "$bare"
run_there "glibc and a shell" "$bare"

# --- Debian
for suite in "${@:-trixie}"; do
    [ -e "$cache/$suite/etc/debian_version" ] || { echo "skip - bundle: no base system of $suite (tests/distros.sh $suite)"; continue; }
    cp -a --reflink=auto "$cache/$suite" "$scratch/$suite"
    furnish "$scratch/$suite"
    run_there "$suite" "$scratch/$suite"
done
exit $failed
