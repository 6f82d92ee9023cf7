#!/usr/bin/env bash
# install.sh - make install puts everything there that the program needs: from
# any folder, moved elsewhere, with no repository in sight.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap '[ -z "${watcher:-}" ] || kill "$watcher" 2> /dev/null; rm -rf "$scratch"' EXIT
failed=0
ok() { echo "ok - install: $1"; }
bad() { echo "not ok - install: $1: $2"; failed=1; }
in_tree() { env -u MAKEFLAGS -u MAKELEVEL make -s -C "$root" "$@" > "$scratch/make" 2>&1; }

in_tree install DESTDIR="$scratch/dest" PREFIX=/opt/platen || { bad "make install" "$(tail -2 "$scratch/make")"; exit 1; }
p=$scratch/dest/opt/platen missing=
for file in bin/platen libexec/platen/platen-raster libexec/platen/platen-ocr libexec/platen/platen-annotate share/platen/schemas/receipt.schema.json \
    share/platen/embedded/platen-tiny.gguf share/platen/embedded/platen-tiny-mmproj.gguf share/man/man1/platen.1 share/man/man5/platen.conf.5 share/man/man5/platen-record.5 share/doc/platen/LICENSE; do
    [ -f "$p/$file" ] || missing+=" $file"
done
for file in lib/systemd/system/platen-watch@.service share/bash-completion/completions/platen share/zsh/site-functions/_platen \
    share/fish/vendor_completions.d/platen.fish share/doc/platen/status.schema.json share/doc/platen/examples/endpoint.conf \
    $(grep -oE '(\]\(|src=")[A-Za-z_/-]+\.(md|png)' "$root/README.md" | sed 's|^.*["(]|share/doc/platen/|' | sort -u); do
    [ -s "$p/$file" ] || missing+=" $file"
done
grep -q '^ExecStart=/opt/platen/bin/platen watch' "$p/lib/systemd/system/platen-watch@.service" && ok "units start the program that was installed" ||
    bad "units start the program that was installed" "$(grep ExecStart= "$p/lib/systemd/system/platen-watch@.service")"
[ -z "$missing" ] && [ "$(ls "$scratch/dest")" = opt ] && ok "DESTDIR and PREFIX are kept to" || bad "DESTDIR and PREFIX are kept to" "missing:$missing"
cp -r "$p" "$scratch/moved"; p=$scratch/moved
in_tree uninstall DESTDIR="$scratch/dest" PREFIX=/opt/platen
[ -z "$(find "$scratch/dest" ! -type d)" ] && ok "make uninstall leaves no file" || bad "make uninstall leaves no file" "$(find "$scratch/dest" ! -type d | head -2)"

cp "$root/samples/good/cafe.pdf" "$scratch/cafe.pdf"
mkdir -p "$scratch/away" "$scratch/s/in/receipt"; cd "$scratch/away" || exit 1
alone() { env -i HOME="$scratch/away" PATH=/usr/bin:/bin "$@"; } # no variable of ours
alone strace -f -qq -e trace=file -o "$scratch/trace" "$p/bin/platen" extract ../cafe.pdf --schema receipt > "$scratch/record" 2> "$scratch/err"
grep -q '"data": {' "$scratch/record" && ok "extract reads a sample" || bad "extract reads a sample" "$(cat "$scratch/err")"
! grep -qF "\"$root" "$scratch/trace" && grep -q "$p/share/platen/embedded" "$scratch/trace" && ok "no file of the repository is opened" || bad "no file of the repository is opened" "$(grep -F "\"$root" "$scratch/trace" | head -1)"
ln -s "$p/bin/platen" platen
alone ./platen doctor > "$scratch/doctor" 2>&1 && grep -q 'no problems found' "$scratch/doctor" && ok "doctor is content, through a link as well" || bad "doctor is content, through a link as well" "$(tail -2 "$scratch/doctor")"
alone "$p/bin/platen" watch ../s --stable-for 0 -q > "$scratch/err" 2>&1 & watcher=$!
cp ../cafe.pdf ../s/in/receipt/
for _ in $(seq 200); do [ -e ../s/out/receipt/cafe.json ] && break; sleep 0.1; done
kill -TERM $watcher; wait $watcher; watcher=
data() { sed -n '/^  "data": {/,$p' "$1"; }
[ -n "$(data "$scratch/record")" ] && [ "$(data ../s/out/receipt/cafe.json)" = "$(data "$scratch/record")" ] && ok "watch gives the record that extract gave" || bad "watch gives the record that extract gave" "$(cat "$scratch/err")"
exit $failed
