#!/usr/bin/env bash
# webhook.sh: each outcome is told to the server that webhook names, signed, until it says that it has it.
subject="webhook: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
python3 - "$platen" "$scratch" << 'PY' || failed=1
import hashlib, hmac, http.server, json, os, shutil, signal, subprocess, sys, threading, time
from pathlib import Path

platen, scratch = sys.argv[1], Path(sys.argv[2])
spool, failed, got, refuse = scratch / "spool", 0, [], [2]


def says(name, holds, why=""):
    global failed
    failed |= not holds
    print(f"ok - webhook: {name}" if holds else f"not ok - webhook: {name}: {why}", flush=True)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        stamp, mac = (x[x.index("=") + 1:] for x in self.headers["Platen-Signature"].split(","))
        right = hmac.compare_digest(mac, hmac.new(b"s3cret", stamp.encode() + b"." + body, hashlib.sha256).hexdigest())
        refuse[0] -= refuse[0] > 0
        got.append((self.path, right and abs(time.time() - int(stamp)) < 60, json.loads(body), not refuse[0]))
        self.send_response(500 if refuse[0] else 204)
        self.end_headers()

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
(scratch / "secret").write_text("s3cret\n")
(scratch / "conf").write_text(f"[hooks]\nwebhook = http://127.0.0.1:{server.server_port}/got?it=1\nwebhook_secret_file = {scratch}/secret\n")
os.chmod(scratch / "conf", 0o600)
subprocess.run([platen, "init", spool], capture_output=True)
shutil.copy("samples/good/askew.png", spool / "in/receipt")
shutil.copy("samples/bad/no-pages.pdf", spool / "in/receipt")
watch = lambda: subprocess.Popen([platen, "watch", spool, "-q", "--config", scratch / "conf", "--stable-for", "0", "--ocr", "off"],
                                 stderr=open(scratch / "err", "a"))


def wait(what, seconds=60):
    until = time.time() + seconds
    while time.time() < until and not what():
        time.sleep(0.1)
    return what()


p = watch()
says("a refused one is sent again", wait(lambda: len({g[2]["type"] for g in got if g[3]}) == 2), got)
says("to the address as it is, signed", all(path == "/got?it=1" and right for path, right, _, _ in got), got)
first = [g[2] for g in got if not g[3]]
says("with the same event", first and first[0]["event"] in [g[2]["event"] for g in got if g[3]], got)
by = {g[2]["type"]: g[2] for g in got}
says("what happened to which", (by["document.failed"]["name"], by["document.failed"]["code"], by["document.done"]["name"]) ==
     ("no-pages.pdf", "no-pages", "askew.png") and (spool / "done" / by["document.done"]["id"]).is_dir(), by)
time.sleep(1)
n = len(got)
says("and no more", not list((spool / "pending").glob("*.hook")), list((spool / "pending").iterdir()))
# killed while it cannot be told
refuse[0] = 1000
failing = by["document.failed"]["id"]
subprocess.run([platen, "retry", spool, failing], capture_output=True)
says("another outcome is another event", wait(lambda: len(got) > n) and got[-1][2]["event"] != by["document.failed"]["event"], got[n:])
event = got[-1][2]["event"]
p.send_signal(signal.SIGKILL)
p.wait()
refuse[0] = 0
p = watch()
says("after kill -9 it is told all the same", wait(lambda: event in [g[2]["event"] for g in got if g[3]]), got[n:])
p.terminate()
p.wait()
for text, why in (("webhook = ftp://x", "must begin with http"),
                  ("webhook = http://x", "needs webhook_secret_file"),
                  (f"webhook = http://x\nwebhook_secret_file = {scratch}/secret\non_done = /bin/true", "exclude each other")):
    (scratch / "conf").write_text("[hooks]\n" + text + "\n")
    r = subprocess.run([platen, "run", spool, "--config", scratch / "conf"], capture_output=True, text=True)
    says(f"a setting that {why}", r.returncode == 9 and why in r.stderr, (r.returncode, r.stderr))
sys.exit(failed)
PY
exit $failed
