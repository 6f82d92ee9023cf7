#!/usr/bin/env bash
# bundle.sh FOLDER PROGRAMS BUILD - makes the bundle (make bundle) in FOLDER of the
# programs in PROGRAMS, which find libraries in ../lib, and packs it beside itself.
# From this system: libraries, poppler-data, fonts, Tesseract's data.
set -eu
bundle=$1 programs=$2 build=$3
fail() { echo "make bundle: $1" >&2; exit 1; }
need() { [ -e "$1" ] || fail "$1 is missing; install $2"; }
need /usr/share/poppler/cMap poppler-data
need /usr/share/tesseract-ocr/5/tessdata/eng.traineddata tesseract-ocr-eng
need /usr/share/fonts/opentype/urw-base35 fonts-urw-base35
need /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core
need /usr/bin/zstd zstd

rm -rf "$bundle"
make -s --no-print-directory install PREFIX="$bundle" > /dev/null
rm -rf "$bundle/lib" # systemd's units name a place
share=$bundle/share/platen
mkdir -p "$bundle/lib" "$share/poppler" "$share/fonts" "$share/tessdata"

strip -o "$bundle/bin/platen" "$programs/platen"
for program in platen-raster platen-ocr platen-annotate; do
    strip -o "$bundle/libexec/platen/$program" "$programs/$program"
done

# what proves a GPU (tests/gpu/prove), and the samples and models it reads, but for those
# of random weights, which it makes
tools=$bundle/libexec/platen
if [ -e "$programs/gpu-proof" ]; then
    for program in gpu-proof make-synth; do strip -o "$tools/$program" "$programs/$program"; done
    for program in gpu-limits gpu-predict peer; do strip -o "$tools/$program" "$build/$program"; done
    mkdir -p "$tools/gpu-timed" "$bundle/tests/gpu" "$bundle/tests/vectors" "$bundle/vlm" "$bundle/samples"
    strip -o "$tools/gpu-timed/libcuda.so.1" "$build/gpu-timed/libcuda.so.1"
    install tests/gpu/prove "$bundle/tests/gpu/"
    for name in micro-q8_0 tiny-q4_k_m; do cp "tests/vectors/$name.gguf" "$bundle/tests/vectors/"; done
    cp -r tests/vectors/blocks tests/vectors/tiny-parity "$bundle/tests/vectors/"
    cp -r samples/good "$bundle/samples/"
    ln -s ../share/platen/embedded "$bundle/vlm/embedded"
fi

# decoders of HEIC and AVIF where libheif has them as plugins (Debian 13)
plugins=()
for name in libde265 dav1d; do
    for path in /usr/lib/*/libheif/plugins/"libheif-$name.so"; do
        [ ! -e "$path" ] || { install -Dm 644 -t "$share/heif" "$path" && plugins+=("$path"); }
    done
done

# libc's own stay the system's: the loader, and what belongs to it
own='^(libc|libm|libmvec|libdl|librt|libpthread|libresolv|libutil|libanl|libnsl|ld-linux-x86-64|libnss_.*|libthread_db)\.so'
ldd "$programs"/platen* $([ ! -e "$programs/gpu-proof" ] || echo "$programs/gpu-proof") "${plugins[@]}" | awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' | sort -u | grep -vE "$own" |
    while read -r name path; do install -m 644 "$path" "$bundle/lib/$name" && strip "$bundle/lib/$name"; done
! ldd "$programs"/platen* | grep 'not found' || fail "a library is missing"

cp -rL /usr/share/poppler/. "$share/poppler/"
cp /usr/share/tesseract-ocr/5/tessdata/eng.traineddata "$share/tessdata/"
cp -r /usr/share/tesseract-ocr/5/tessdata/configs /usr/share/tesseract-ocr/5/tessdata/tessconfigs "$share/tessdata/" 2> /dev/null || true
cp /usr/share/tesseract-ocr/5/tessdata/pdf.ttf "$share/tessdata/" 2> /dev/null || true
cp -L /usr/share/fonts/opentype/urw-base35/*.otf /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf "$share/fonts/"
mkdir "$share/fonts/conf.d"
for conf in 30-metric-aliases 40-nonlatin 45-generic 45-latin 49-sansserif 57-dejavu-sans 60-generic 60-latin 61-urw-bookman 61-urw-c059 61-urw-d050000l \
    61-urw-gothic 61-urw-nimbus-mono-ps 61-urw-nimbus-roman 61-urw-nimbus-sans 61-urw-p052 61-urw-standard-symbols-ps 61-urw-z003; do
    [ ! -e "/etc/fonts/conf.d/$conf.conf" ] || cp -L "/etc/fonts/conf.d/$conf.conf" "$share/fonts/conf.d/"
done
cat > "$share/fonts/fonts.conf" << 'END'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
	<dir prefix="relative">.</dir>
	<dir>/usr/share/fonts</dir>
	<dir>/usr/local/share/fonts</dir>
	<include ignore_missing="yes">conf.d</include>
</fontconfig>
END
licences=$bundle/share/doc/platen/licences
mkdir -p "$licences"
for path in $(ldd "$programs"/platen* "${plugins[@]}" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u); do
    package=$(dpkg -S "$(realpath "$path")" 2> /dev/null | cut -d: -f1 | head -1)
    [ -z "$package" ] || [ ! -e "/usr/share/doc/$package/copyright" ] || cp -L "/usr/share/doc/$package/copyright" "$licences/$package"
done

tar -C "$(dirname "$bundle")" --sort=name --owner=0 --group=0 --numeric-owner -c "$(basename "$bundle")" |
    zstd -q --ultra -22 -T0 --long=27 -f -o "$bundle.tar.zst"
echo "$bundle.tar.zst: $(($(stat -c %s "$bundle.tar.zst") / 1024)) KiB"
