#!/usr/bin/env bash
# rewritten.sh - a file that changes while it is read once (extract): no record of
# two versions.
set -u
subject='rewritten: '
. "$(dirname "$0")/../support/e2e.sh"
command -v python3 > /dev/null || { echo "skip - ${subject}python3 is not here"; exit 0; }
export PLATEN_OCR=off
good=$root/tests/faults/good.png
# an endpoint that rewrites the document before it answers
cat > "$scratch/server.py" <<'PY'
import http.server, json, os, sys
path, port = sys.argv[1:3]
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass
    def do_GET(self): self.send_error(404)
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if os.path.exists(path + ".rewrite"):
            stat = os.stat(path)
            with open(path, "r+b") as f:
                f.seek(-1, 2); f.write(b"!")
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # not even the time tells
        body = json.dumps({"choices": [{"finish_reason": "stop", "message": {"role": "assistant",
            "content": json.dumps({"items": [], "n": 1})}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(port + ".new", "w") as f: f.write(str(server.server_address[1]))
os.rename(port + ".new", port)
server.serve_forever()
PY
doc=$scratch/doc.png
python3 "$scratch/server.py" "$doc" "$scratch/port" & 
for _ in $(seq 100); do [ -e "$scratch/port" ] && break; sleep 0.05; done
mkdir "$scratch/schemas"
echo '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}' > "$scratch/schemas/one.schema.json"
read_it() {
    "$platen" extract "$@" --schema one --schemas "$scratch/schemas" --engine endpoint \
        --endpoint "http://127.0.0.1:$(cat "$scratch/port")" > "$scratch/out" 2> "$scratch/err"
}
{ cat "$good"; echo x; } > "$doc"
read_it "$doc"; got=$?
[ $got = 0 ] && ok "a file that stays is read" || bad "a file that stays is read" "exit $got: $(cat "$scratch/err")"
touch "$doc.rewrite"
read_it "$doc"; got=$?
[ $got = 2 ] && [ ! -s "$scratch/out" ] && grep -q 'still-written' "$scratch/err" && ok "a file that is rewritten meanwhile gives no record" ||
    bad "a file that is rewritten meanwhile gives no record" "exit $got: $(head -3 "$scratch/out") $(cat "$scratch/err")"
exit $failed
