# mail.sh - for kill.sh: a spool with one e-mail in place of three documents. Two
# pictures are attached to it.
names='mail(-[12]\.png|\.eml)'

make_spool() {
    mkdir -p "$1/in/faults"
    python3 - "$root/tests/faults/good.png" "$1/in/faults/mail.eml" << 'PY'
import sys
from email.message import EmailMessage
m = EmailMessage()
m['From'], m['Date'], m['Subject'] = 'a@example.org', 'Tue, 14 Mar 2023 10:00:00 +0100', 'two'
m.set_content('two')
for i in range(2):
    m.add_attachment(open(sys.argv[1], 'rb').read() + bytes(i), maintype='image', subtype='png', filename='%d.png' % i)
open(sys.argv[2], 'wb').write(m.as_bytes())
PY
}

# check SPOOL HASHES [strict]: the mail and its parts, each once in done/ (or
# failed/), each with its own bytes; strict: nothing has failed.
check() {
    local spool=$1 wanted=$2 how=${3:-} left
    shopt -s nullglob dotglob
    left=("$spool"/in/!(faults|.|..) "$spool"/in/faults/* "$spool"/work/*)
    [ ${#left[@]} = 0 ] || { echo "something is left in in/ or work/: ${left[0]}"; return 1; }
    "$platen" fsck "$spool" > "$scratch/fsck" 2>&1 || { grep fault: "$scratch/fsck" | head -3; return 1; }
    left=("$spool"/{done,failed}/*/doc)
    # without `strict` the mail itself may have failed, and has no parts then
    [ -z "$how" ] && [ ${#left[@]} = 1 ] && [ "${left[0]%failed/*}" != "${left[0]}" ] && return 0
    [ ${#left[@]} = 3 ] || { echo "${#left[@]} documents, want the mail and two parts"; return 1; }
    [ "$(cat "${left[@]}" | wc -c)" = "$(($(stat -c %s "$root/tests/faults/good.png") * 2 + 1 + $(cat "$spool"/done/*/parts/../doc | wc -c)))" ] || { echo "the bytes are others"; return 1; }
    sha256sum "${left[@]}" | grep -q "^$wanted" || { echo "the bytes of the mail are others"; return 1; }
    [ "$how" = strict ] || return 0
    left=("$spool"/failed/*)
    [ ${#left[@]} = 0 ] || { echo "something failed: $(cat "${left[0]}/reason.json")"; return 1; }
    left=("$spool"/out/faults/*)
    [ ${#left[@]} = 2 ] || { echo "out/ holds ${#left[@]} records"; return 1; }
}
