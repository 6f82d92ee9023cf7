#!/usr/bin/env python3
"""serve_soak.py PLATEN [N] - N documents (200) are added over HTTP and by drops while four watchers run and the server is
killed five times; each ends exactly once, and a listener that starts again sees all of them."""
import http.client
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from spool_client import Server  # noqa: E402

platen, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
scratch = Path(tempfile.mkdtemp())
spool = scratch / "spool"
random.seed(5)
os.environ.update(PLATEN_CONFIG="", PLATEN_STABLE_FOR="0.2", PLATEN_OCR="off", PLATEN_ENGINE="null", PLATEN_RESCAN="2")
subprocess.run([platen, "init", spool], capture_output=True, check=True)
pictures = [Path("samples/good", x).read_bytes() for x in ("askew.png", "kiosk.png")]
watchers = [subprocess.Popen([platen, "watch", spool, "-q"], stderr=subprocess.DEVNULL) for _ in range(4)]
server, lock = Server(platen, spool, "--port", str(20000 + os.getpid() % 20000)), threading.Lock()
token = server.token("soak", "admin")
server.bearer = token
acked, work, stop = {}, list(range(n)), threading.Event()


def data(i):
    """Bytes of its own: noise behind the end of a picture."""
    return pictures[i % 2] + b"%08d" % i


def add():
    while True:
        with lock:
            if not work:
                return
            i = work.pop()
        if i % 10 == 0:
            (spool / "in/receipt" / f".{i}.png").write_bytes(data(i))
            (spool / "in/receipt" / f".{i}.png").rename(spool / "in/receipt" / f"drop{i}.png")
            continue
        for turn in range(100):
            try:
                if i % 2:
                    acked[i] = server.upload(f"{i}.png", data(i), "receipt", f"key{i}", piece=5000)
                else:
                    r = server("POST", f"/documents?schema=receipt&name={i}.png", data(i), timeout=10, Idempotency_Key=f"key{i}")
                    assert r.status == 201, (r.status, r.body)
                    acked[i] = r.json["id"]
                break
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.1)
            except AssertionError as e:
                print("#", i, e)
                time.sleep(0.2)


threads = [threading.Thread(target=add) for _ in range(4)]
[t.start() for t in threads]
for turn in range(5):
    left = len(work)
    while work and left - len(work) < n // 7:
        time.sleep(0.02)
    with lock:
        server.child.send_signal(signal.SIGKILL)
        server.child.wait()
        server.start()
        server.bearer = token
[t.join() for t in threads]
print(f"# {len(acked)} acknowledged over HTTP, {n - len(acked)} dropped; the server was killed 5 times")


def outcomes():
    return [p for k in ("done", "failed") for p in (spool / k).iterdir()]


until = time.time() + 300
while time.time() < until and len(outcomes()) < n:
    time.sleep(0.5)
time.sleep(2)
failed = 0


def says(name, holds, why=""):
    global failed
    failed |= not holds
    print(f"ok - serve soak: {name}" if holds else f"not ok - serve soak: {name}: {why}", flush=True)


docs = sorted((p / "doc").read_bytes() for p in outcomes())
says("each document ends exactly once", docs == sorted(data(i) for i in range(n)), f"{len(docs)} of {n}, {len(set(docs))} different")
names = {p.name for p in outcomes()}
says("under the id that was told", set(acked.values()) <= names, set(acked.values()) - names)
seen, cursor = set(), ""
while True:
    page = server("GET", "/documents?limit=50&cursor=" + cursor).json
    seen |= {d["id"] for d in page["documents"]}
    cursor = page["next"]
    if not cursor:
        break
says("and the list has each", seen == names, seen ^ names)
c = server("GET", "/counts").json
says("as the counts have", c["done"] + c["review"] + c["failed"] == n and c["waiting"] + c["reading"] == 0, c)
[w.terminate() for w in watchers]
[w.wait() for w in watchers]
says("the server ends", server.stop() == 0)
r = subprocess.run([platen, "fsck", spool], capture_output=True, text=True)
says("the spool is whole", r.returncode == 0, r.stdout[-300:])
shutil.rmtree(scratch)
sys.exit(failed)
