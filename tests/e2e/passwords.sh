#!/usr/bin/env bash
# passwords.sh - encrypted PDFs are read with the passwords of a file, which are in
# no message, record, argument or environment, and in no process but the rasteriser.
set -u
subject='passwords: '
. "$(dirname "$0")/../support/e2e.sh"
command -v qpdf > /dev/null || { echo "skip - ${subject}qpdf is not here"; exit 0; }
export PLATEN_OCR=off PLATEN_SCHEMAS=$root/tests/faults PLATEN_STABLE_FOR=0 PLATEN_MIN_FREE_SPACE=1
cd "$scratch" || exit 1
plain=$root/samples/good/two-pages.pdf
secret=planted-$$-password-abcdefgh umlaut=Schlüssel-$$
lock() { qpdf --encrypt "$1" "$2" "$3" ${4:-} -- "$plain" "$5" || bad "qpdf makes $5"; }
lock "$secret" owner-$$ 256 '' aes256.pdf
lock other-$$ "$secret" 256 '' owner.pdf
lock "$secret" "$secret" 128 --use-aes=y aes128.pdf
qpdf --allow-weak-crypto --encrypt "$secret" x 40 -- "$plain" rc4.pdf
qpdf --allow-weak-crypto --encrypt "$umlaut" x 128 -- "$plain" umlaut128.pdf
lock "$umlaut" x 256 '' umlaut256.pdf
lock unknown x 256 '' unknown.pdf
qpdf --encrypt "" owner 256 -- "$plain" open.pdf
(umask 077; printf 'wrong\r\n\n%s\r\n%s' "$secret" "$umlaut" > list)
words() { cp "$1" doc.pdf; shift; timeout 60 "$platen" words doc.pdf "$@" 2> err > words; md5sum < words; }

want=$(words "$plain"); [ "$(wc -c < words)" -gt 500 ] || bad "there are words" "$(cat err)"
for file in aes256 owner aes128 rc4 umlaut128 umlaut256 open; do
    [ "$(words "$file.pdf" --passwords list)" = "$want" ] && ok "$file: its words are those of the file without a password" || bad "$file: its words are those of the file without a password" "$(cat err)"
    "$platen" extract "$file.pdf" --schema faults --engine null --passwords list > out 2> err; got=$?
    grep -q content-unread out && bad "$file: libqpdf reads it, too" "$(grep -A2 content-unread out)" || { [ $got = 0 ] && ok "$file: libqpdf reads it, too" || bad "$file: libqpdf reads it, too" "$got, $(cat err)"; }
done
refused() { # refused NAME TEXT ARGUMENT...
    local name=$1 text=$2; shift 2
    "$platen" extract "$@" --schema faults --engine null > out 2> err; local got=$?
    [ $got != 0 ] && grep -q "$text" err && ! grep -q "$secret" err && ok "$name" || bad "$name" "$got, $(cat err)"
}
refused "without the setting it is named" 'needs a password \[encrypted\]\. Put the password into a file and set passwords to its path' aes256.pdf
refused "no password fits" 'no password in the file that the setting passwords names opens it (3 tried) \[encrypted\]' unknown.pdf --passwords list
refused "a file that is missing" 'passwords: none: No such file' aes256.pdf --passwords none
chmod 604 list; refused "a file that others can read" 'passwords: list: others can read or write it: chmod 600 list' aes256.pdf --passwords list; chmod 600 list
: > nothing; chmod 600 nothing; refused "an empty file" 'passwords: nothing: is empty' aes256.pdf --passwords nothing
"$platen" config --passwords list > out 2>&1; grep -q '^passwords = list' out && ! grep -q "$secret" out && ok "config shows the file, not the passwords" || bad "config shows the file, not the passwords" "$(grep passw out)"

# --- as editors write the list, and letters beyond ASCII in each kind of encryption
qpdf --allow-weak-crypto --encrypt "$umlaut" x 40 -- "$plain" umlaut40.pdf
lock "$umlaut" x 128 --use-aes=y umlaut-aes128.pdf
(umask 077; printf 'wrong\n%s\n%s\n' "$secret" "$umlaut" > unix; printf '\357\273\277%s\r\n%s\r\n' "$secret" "$umlaut" > bom
    iconv -f UTF-8 -t UTF-16LE unix | { printf '\377\376'; cat; } > utf16le; iconv -f UTF-8 -t UTF-16BE unix | { printf '\376\377'; cat; } > utf16be
    { printf '\377\376'; sed 's/$/\r/' unix | iconv -f UTF-8 -t UTF-16LE; } > notepad; iconv -f UTF-8 -t ISO-8859-1 unix > latin1)
for how in unix bom utf16le utf16be notepad latin1; do
    for file in aes256 aes128 rc4 umlaut40 umlaut128 umlaut-aes128 umlaut256; do
        "$platen" extract "$file.pdf" --schema faults --engine null --passwords $how > out 2> err; got=$?
        [ $got = 0 ] && ! grep -q 'content-unread\|page-incomplete' out && continue
        bad "a list as $how opens $file" "$got, $(cat err) $(grep -A2 'content-unread\|page-incomplete' out | head -3)"
        continue 2
    done
    ok "a list as $how opens each kind of encryption, and libqpdf reads it, too"
done

# --- while a document is read
s=$scratch/s; mkdir -p "$s/in/faults"; cp aes256.pdf owner.pdf "$s/in/faults"
"$platen" run "$s" --engine null --passwords list > out 2> err
[ "$(find "$s/done" -name record.json | wc -l)" = 2 ] && ok "run reads them" || bad "run reads them" "$(cat err)"
grep -rqs "$secret" "$s" out err && bad "a password is in no file and no message" "$(grep -rls "$secret" "$s" out err)" || ok "a password is in no file and no message"
# a rasteriser that stops when it has opened the file: what has the password
cat > stop.py <<'PY'
"""stop.py PID: stops the first rasteriser below PID that has read 64 KB, and prints arguments and environments of all."""
import os, signal, sys, time
def family(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        for child in open(f"/proc/{pid}/task/{task}/children").read().split():
            yield child
            yield from family(child)
until = time.monotonic() + 30
while time.monotonic() < until:
    try:
        for pid in family(sys.argv[1]):
            if open(f"/proc/{pid}/comm").read() == "platen-raster\n" and "SigIgn" in open(f"/proc/{pid}/status").read() \
                    and int(open(f"/proc/{pid}/status").read().split("Seccomp:")[1].split()[0]) == 2:
                os.kill(int(pid), signal.SIGSTOP)
                for p in [sys.argv[1], *family(sys.argv[1])]:
                    sys.stdout.buffer.write(open(f"/proc/{p}/cmdline", "rb").read() + open(f"/proc/{p}/environ", "rb").read())
                print("\n" + next(line for line in open(f"/proc/{pid}/limits") if "core" in line))
                print(pid)
                sys.exit()
    except (OSError, IndexError):
        pass
PY
rm -rf "$s"; mkdir -p "$s/in/faults"
/usr/bin/python3 -c 'import reportlab' 2> /dev/null || { echo "skip - ${subject}memory: python3-reportlab is not installed"; exit $failed; }
/usr/bin/python3 - "$secret" <<'PY'
import subprocess, sys
from reportlab.pdfgen import canvas
c = canvas.Canvas("long.pdf")
for page in range(1500):
    for line in range(40): c.drawString(50, 800 - 15 * line, f"page {page} line {line} " * 4)
    c.showPage()
c.save()
subprocess.run(["qpdf", "--encrypt", sys.argv[1], "x", "256", "--", "long.pdf", "long-locked.pdf"], check=True)
PY
cp long-locked.pdf "$s/in/faults"
"$platen" watch "$s" --engine null --passwords "$scratch/list" --jobs 1 > out 2> err &
watcher=$!
python3 stop.py "$watcher" > found
"$root/tests/support/memory_scan.py" "$watcher" "$secret" > got 2> why; rc=$?
raster=$(tail -1 found); [ -n "$raster" ] && kill -CONT "$raster"
kill "$watcher"; wait "$watcher"
got=$(sort -u got | tr '\n' ,)
if [ $rc = 2 ]; then echo "skip - ${subject}memory: $(cat why)"
else
    [[ ,$got =~ ^,platen\ can\ read\ it,platen\ clean,platen-raster\ (has|can\ read)\ it,platen-reader\ clean,platen-spawner\ can\ read\ it,$ ]] && ok "only the rasteriser reads it; supervisor and spawner keep it sealed" || bad "only the rasteriser reads it; supervisor and spawner keep it sealed" "$got"
    grep -qa "$secret" found && bad "it is in no argument list and no environment" "$(tr '\0' ' ' < found)" || ok "it is in no argument list and no environment"
    grep -q 'core file size *0 *0' found && ok "the rasteriser dumps no core" || bad "the rasteriser dumps no core" "$(tail -2 found)"
fi
exit $failed
