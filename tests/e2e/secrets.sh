#!/usr/bin/env bash
# secrets.sh - passwords in addresses are in no message, no file and no list; the
# API key is in no memory except the fetch process's; the index is private.
set -u
subject='secrets: '
. "$(dirname "$0")/../support/e2e.sh"
command -v python3 > /dev/null || { echo "skip - ${subject}python3 is not here"; exit 0; }
export PLATEN_OCR=off
s=$scratch/s
cat > "$scratch/server.py" <<'PY'
import http.server, os, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass
    def do_GET(self): self.send_error(200)
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        with open(sys.argv[1] + ".asked", "a") as f: f.write(self.headers.get("Authorization", "-") + "\n")
        while os.path.exists(sys.argv[1] + ".hold"): time.sleep(0.02)
        self.send_error(int(open(sys.argv[1] + ".status").read()))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w") as f: f.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.handle_error = lambda *args: None # a client that is gone
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
"$platen" config --engine endpoint --endpoint "$url" > "$scratch/out" 2>&1; hides "config: an endpoint" "$scratch/out"
"$platen" config --fleet "host=db user=x password='verysecret and more' dbname=y" > "$scratch/out" 2>&1; hides "config: a fleet" "$scratch/out"
grep -q 'host=db user=x .* dbname=y' "$scratch/out" && ok "the rest of it is shown" || bad "the rest of it is shown" "$(grep ^fleet "$scratch/out")"

# a key from a shell or a file of another system has a line end; a header must not
read_with_key() { : > "$scratch/port.asked"; OPENAI_API_KEY=$1 timeout 60 "$platen" extract "$root/tests/faults/good.png" --schema faults --engine endpoint \
    --endpoint "http://127.0.0.1:$(cat "$scratch/port")/v1" --schemas "$root/tests/faults" --endpoint-tries 1 > /dev/null 2> "$scratch/err"; }
for end in $'\n' $'\r\n' $'\r\nX-Other: 1'; do read_with_key "sk-one$end"; done
[ "$(sort -u "$scratch/port.asked")" = "Bearer sk-one" ] && ok "a key ends with its line" || bad "a key ends with its line" "$(cat "$scratch/port.asked" "$scratch/err")"
read_with_key $'sk\tone'; rc=$?
[ "$rc $(wc -c < "$scratch/port.asked")" = "9 0" ] && grep -q 'OPENAI_API_KEY: the key has a control character' "$scratch/err" && ok "one with a control character is refused" || bad "one with a control character is refused" "$rc $(cat "$scratch/err")"

# while a document is being read: the key is in the memory of the fetch process alone
key=sk-planted-$$-abcdefghijklmnopqrstuvwxyz
wait_until() { for _ in $(seq 200); do "$@" && return; sleep 0.05; done; }
scan() { # scan NAME RELOADS OPTION...: after so many signals to reload (0 or 1)
    local name=$1 reloads=$2 rc got want; shift 2
    : > "$scratch/port.asked"; : > "$scratch/port.hold"
    rm -rf "$s"; mkdir -p "$s/in/faults"; cp "$root/tests/faults/good.png" "$s/in/faults/1.png"
    "$platen" watch "$s" --engine endpoint --endpoint "$url" --stable-for 0 --rescan 0.2 --schemas "$root/tests/faults" \
        --min-free-space 1 --jobs 1 "$@" > "$scratch/out" 2> "$scratch/err" &
    local watcher=$!
    wait_until [ -s "$scratch/port.asked" ]
    if [ "$reloads" = 1 ]; then kill -HUP "$watcher"; wait_until grep -q 'was reloaded' "$scratch/err"; fi
    # the supervisor keeps it as sealed memory, for the next fetch process; a worker is clean
    want="platen can read it,platen clean,$(for _ in $(seq 0 "$reloads"); do echo -n 'platen-fetch has it,'; done)"
    want+='platen-reader clean,platen-spawner clean,platen-watch clean,'
    for _ in $(seq 40); do # a fetch process that is being started reads it in a moment
        got=$("$root/tests/support/memory_scan.py" "$watcher" "$key" 2> "$scratch/why"); rc=$?
        got=$(tr '\n' , <<< "$got")
        [ "$got" = "$want" ] && break; sleep 0.05
    done
    rm "$scratch/port.hold"; kill "$watcher"; wait "$watcher"
    if [ $rc = 2 ]; then echo "skip - $subject$name: $(cat "$scratch/why")"; return; fi
    grep -q "Bearer $key" "$scratch/port.asked" && [ "$got" = "$want" ] && ok "$name" || bad "$name" "$got, asked with $(sort -u "$scratch/port.asked"), $(tail -2 "$scratch/err")"
}
url=http://127.0.0.1:$(cat "$scratch/port")/v1
echo 400 > "$scratch/port.status"
echo "$key" > "$scratch/key"
scan "a key from a file is in the fetch process alone" 0 --endpoint-key-file "$scratch/key"
OPENAI_API_KEY=$key scan "so is one from the environment" 0
OPENAI_API_KEY=$key scan "also after SIGHUP" 1
OPENAI_API_KEY=$key "$platen" config > "$scratch/out" 2>&1
! grep -q "$key" "$scratch/out" && ok "config does not print it" || bad "config does not print it" "$(grep "$key" "$scratch/out")"
umask 022
rm -f "$s"/index.db*
"$platen" run "$s" --engine null --stable-for 0 --schemas "$root/tests/faults" --min-free-space 1 -q > /dev/null 2>&1
[ "$(stat -c %a "$s/index.db")" = 600 ] && ok "index.db is private" || bad "index.db is private" "$(ls -l "$s")"
chmod 644 "$s/index.db"; "$platen" status "$s" > /dev/null 2>&1
[ "$(stat -c %a "$s/index.db")" = 600 ] && ok "one of an older platen becomes so" || bad "one of an older platen becomes so" "$(ls -l "$s")"
exit $failed
