#!/usr/bin/env bash
# deps.sh [run|test|ci|deb|bundle] - installs the packages that are missing, as root or
# with password-less sudo; otherwise prints the one command to type and fails.
# A library is missing when pkg-config does not know it, a tool when it is not
# on the PATH: other builds of the same thing are welcome.
set -u
for_what=${1:-run}
PATH=$PATH:/usr/sbin:/sbin # where mkfs lies, and people's PATH ends before it
missing=()
library() { pkg-config --exists "$1" 2> /dev/null || missing+=("$2"); }
header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] || missing+=("$2"); }
tool() { command -v "$1" > /dev/null || missing+=("$2"); }
# Debian's modules are for /usr/bin/python3, which another python3 may hide.
module() { python3 -c "import $1" 2> /dev/null || /usr/bin/python3 -c "import $1" 2> /dev/null || missing+=("$2"); }

tool gcc gcc; tool make make; tool pkg-config pkg-config
header stdio.h libc6-dev
library libcjson libcjson-dev
library libpcre2-8 libpcre2-dev
library libutf8proc libutf8proc-dev
library libidn2 libidn2-dev
library libcrypto libssl-dev
library libxml-2.0 libxml2-dev
library libcurl libcurl4-openssl-dev
library libpng libpng-dev
library libjpeg libjpeg-dev
library sqlite3 libsqlite3-dev
library libpq libpq-dev
library inih libinih-dev
library libmicrohttpd libmicrohttpd-dev
header inotifytools/inotifytools.h libinotifytools0-dev
header crypt.h libcrypt-dev
library poppler-glib libpoppler-glib-dev
library libqpdf libqpdf-dev
library lcms2 liblcms2-dev
library gmime-3.0 libgmime-3.0-dev
library libarchive libarchive-dev
library libytnef libytnef0-dev
library zlib zlib1g-dev
library cairo libcairo2-dev
library fontconfig libfontconfig-dev
library libtiff-4 libtiff-dev
library libwebp libwebp-dev
library libheif libheif-dev
library libopenjp2 libopenjp2-7-dev
# from Debian 13 on libheif has its decoders in packages of their own
if (. /etc/os-release; [ "$ID" = debian ] && [ "${VERSION_ID:-13}" -ge 13 ]) 2> /dev/null; then
    for plugin in libde265 dav1d; do
        compgen -G "/usr/lib/*/libheif/plugins/libheif-$plugin.so" > /dev/null || missing+=("libheif-plugin-$plugin")
    done
fi
library zbar libzbar-dev
header zint.h libzint-dev
library tesseract libtesseract-dev
library lept libleptonica-dev
library raqm libraqm-dev
# Tesseract's own tables: the language that is the default, and what tells scripts
table() { compgen -G "/usr/share/tesseract-ocr/*/tessdata/$1.traineddata" > /dev/null || compgen -G "/usr/*share/tess*data/$1.traineddata" > /dev/null || [ -e "/usr/share/tesseract/tessdata/$1.traineddata" ] || missing+=("tesseract-ocr-$1"); }
table eng; table osd
# text in East Asian fonts that a PDF does not embed
[ -e /usr/share/poppler/cMap ] || missing+=(poppler-data)
# what stands for Helvetica, Times and Courier, which a PDF need not embed
[ -e /usr/share/fonts/opentype/urw-base35/NimbusSans-Regular.otf ] || missing+=(fonts-urw-base35)
if [ "$for_what" = deb ]; then
    # dpkg-buildpackage asks for the package build-essential by name
    dpkg -s build-essential > /dev/null 2>&1 || missing+=(build-essential)
    tool dpkg-buildpackage dpkg-dev; tool dh debhelper; tool lintian lintian
    # where units belong; from Debian 13 on in a package of its own
    if apt-cache show systemd-dev > /dev/null 2>&1; then library systemd systemd-dev; else library systemd systemd; fi
fi
if [ "$for_what" = bundle ]; then
    tool zstd zstd
    [ -d /usr/share/fonts/truetype/dejavu ] || missing+=(fonts-dejavu-core)
    # with clang the bundle has what proves a GPU, too
    ! command -v clang > /dev/null || library cmocka libcmocka-dev
fi
if [ "$for_what" = test ] || [ "$for_what" = ci ]; then
    library cmocka libcmocka-dev
    tool strace strace; tool xmllint libxml2-utils; tool python3 python3
    # a real server for the tests of the fleet; its programs are in no PATH
    compgen -G "/usr/lib/postgresql/*/bin/initdb" > /dev/null || tool initdb postgresql
    tool ps procps; tool curl curl; tool mandoc mandoc; tool xxd xxd
    # print of known metrics for the pages that tests draw
    [ -d /usr/share/fonts/truetype/liberation ] || missing+=(fonts-liberation)
    [ -d /usr/share/fonts/truetype/dejavu ] || missing+=(fonts-dejavu-core)
    tool mkfs.ext4 e2fsprogs; tool pdftoppm poppler-utils; tool qpdf qpdf
    module jsonschema python3-jsonschema
    module PIL python3-pil; module numpy python3-numpy
    table kan
    [ -e /usr/share/fonts/truetype/lohit-kannada/Lohit-Kannada.ttf ] || missing+=(fonts-lohit-knda)
fi
if [ "$for_what" = ci ]; then
    # optional, and in no Debian before 13: OCR with models
    [ "$(. /etc/os-release && echo "${VERSION_ID:-0}")" -ge 13 ] 2> /dev/null && library libonnxruntime libonnxruntime-dev
    command -v chromium-headless-shell > /dev/null || command -v chromium > /dev/null || missing+=(chromium-headless-shell)
    tool clang clang; tool clang-format clang-format; tool debootstrap debootstrap
    # other programs' pictures
    tool heif-enc libheif-examples; tool opj_compress libopenjp2-tools; tool convert imagemagick
    # units, alerts and launchers by their own judges
    tool promtool prometheus; tool systemd-analyze systemd; tool systemd-nspawn systemd-container; tool shellcheck shellcheck; module yaml python3-yaml
    # libFuzzer and the sanitizers of clang
    compgen -G "$(clang --print-resource-dir 2> /dev/null)/lib/linux/libclang_rt.fuzzer-*.a" > /dev/null || missing+=(libclang-rt-14-dev)
fi
[ ${#missing[@]} = 0 ] && exit 0

# each once
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
command="apt-get install -y --no-install-recommends ${missing[*]}"
if ! command -v apt-get > /dev/null; then
    echo "platen needs these (as Debian calls them): ${missing[*]}" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif sudo -n true 2> /dev/null; then
    as_root="sudo -n"
else
    echo "Packages are missing. Run this, then repeat your make command:" >&2
    echo "    sudo apt-get update && sudo $command" >&2
    exit 1
fi
mkdir -p build
echo "installing ${#missing[@]} packages (log: build/apt.log): ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# a sandbox without _apt cannot drop privileges, which is no reason to stop
$as_root apt-get update -qq || true
# a dot for every tenth line of the log, so that minutes of downloads are seen to go on
# shellcheck disable=SC2086
{ $as_root $command 2>&1; echo "apt-get ended with $?"; } | tee build/apt.log | awk 'NR % 10 == 0 { printf "."; fflush() } END { print "" }'
[ "$(tail -1 build/apt.log)" = "apt-get ended with 0" ] || {
    tail -5 build/apt.log >&2
    echo "apt-get failed; the whole log is build/apt.log" >&2
    exit 1
}
