#!/usr/bin/env bash
# secrets.sh - passwords in addresses are in no message, no file and no list; the
# index is private.
set -u
subject='secrets: '
. "$(dirname "$0")/../support/e2e.sh"
command -v python3 > /dev/null || { echo "skip - ${subject}python3 is not here"; exit 0; }
export PLATEN_OCR=off
s=$scratch/s
cat > "$scratch/server.py" <<'PY'
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass
    def do_GET(self): self.send_error(200)
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        with open(sys.argv[1] + ".asked", "a") as f: f.write(self.headers.get("Authorization", "-") + "\n")
        self.send_error(int(open(sys.argv[1] + ".status").read()))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w") as f: f.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
PY
echo 400 > "$scratch/port.status"
python3 "$scratch/server.py" "$scratch/port" &
for _ in $(seq 100); do [ -e "$scratch/port" ] && break; sleep 0.05; done
url=http://ann:verysecret@127.0.0.1:$(cat "$scratch/port")/v1
hides() { # hides NAME WHERE...: the password is nowhere, its address is
    local name=$1; shift
    if grep -rqs verysecret "$@"; then bad "$name" "$(grep -rs verysecret "$@" | head -3)"
    elif grep -rqs 'ann:\*\*\*@127.0.0.1\|password=\*\*\*' "$@"; then ok "$name"
    else bad "$name" "names no address: $(cat "$@" 2> /dev/null | tail -5)"; fi
}
mkdir -p "$s/in/faults"
options=(--engine endpoint --endpoint "$url" --stable-for 0 --schemas "$root/tests/faults" --min-free-space 1 --endpoint-tries 1)
for status in 400 401; do
    echo $status > "$scratch/port.status"; cp "$root/tests/faults/good.png" "$s/in/faults/$status.png"
    timeout 60 "$platen" run "$s" "${options[@]}" > "$scratch/out" 2> "$scratch/err"
    hides "an endpoint that answers $status: no password in messages" "$scratch/err"
    hides "nor in the spool" "$s/work" "$s/failed" "$scratch/err"
    "$platen" status "$s" > "$scratch/out" 2>&1
    cat "$scratch/err" >> "$scratch/out"; hides "nor in status" "$scratch/out"
done
grep -q "Basic $(printf ann:verysecret | base64)" "$scratch/port.asked" && ok "the endpoint gets it" || bad "the endpoint gets it" "$(cat "$scratch/port.asked")"
"$platen" extract "$root/tests/faults/good.png" --schema faults --engine endpoint --endpoint "${url/$(cat "$scratch/port")/1}" \
    --schemas "$root/tests/faults" --endpoint-tries 1 > /dev/null 2> "$scratch/err"
hides "an endpoint that is down" "$scratch/err"
"$platen" doctor --engine endpoint --endpoint "$url" > "$scratch/out" 2>&1; hides "doctor" "$scratch/out"
"$platen" config --endpoint "$url" > "$scratch/out" 2>&1; hides "config: an endpoint" "$scratch/out"
"$platen" config --fleet "host=db user=x password='verysecret and more' dbname=y" > "$scratch/out" 2>&1; hides "config: a fleet" "$scratch/out"
grep -q 'host=db user=x .* dbname=y' "$scratch/out" && ok "the rest of it is shown" || bad "the rest of it is shown" "$(grep ^fleet "$scratch/out")"
umask 022
rm -f "$s"/index.db*
"$platen" run "$s" --engine null --stable-for 0 --schemas "$root/tests/faults" --min-free-space 1 -q > /dev/null 2>&1
[ "$(stat -c %a "$s/index.db")" = 600 ] && ok "index.db is private" || bad "index.db is private" "$(ls -l "$s")"
chmod 644 "$s/index.db"; "$platen" status "$s" > /dev/null 2>&1
[ "$(stat -c %a "$s/index.db")" = 600 ] && ok "one of an older platen becomes so" || bad "one of an older platen becomes so" "$(ls -l "$s")"
exit $failed
