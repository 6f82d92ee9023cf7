#!/usr/bin/env python3
"""serve.py PLATEN [N [MB]] - what platen serve takes with N (100,000) documents: the index, lists, searches; and how long a
request waits while files of MB (500) are added and given out. Prints times; not part of make test. SPOOL: one that was made
before, and is kept; it gets no large files."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "support"), str(Path(__file__).resolve().parent)]
import many  # noqa: E402
from spool_client import Server  # noqa: E402

platen, n, mb = sys.argv[1], *[int(x) for x in (sys.argv[2:] + ["100000", "500"][len(sys.argv) - 2:])]
made = os.environ.get("SPOOL")
scratch = Path(tempfile.mkdtemp())
spool = Path(made or scratch / "spool")
os.environ.update(PLATEN_CONFIG="", PLATEN_OCR="off", PLATEN_MAX_DOCUMENT_BYTES=f"{2 * mb}M", PLATEN_MIN_FREE_SPACE="1")


class Probe(threading.Thread):
    """Asks all the time; how long each answer took, in ms."""

    def __init__(self, server, path):
        super().__init__(daemon=True)
        self.server, self.path, self.took, self.ended = server, path, [], threading.Event()
        self.start()

    def run(self):
        c = self.server.connect(600)
        while not self.ended.wait(0.02):
            began = time.monotonic()
            c.request("GET", "/api/v1" + self.path, headers=self.server.headers({}))
            r = c.getresponse()
            r.read()
            assert r.status == 200, r.status
            self.took.append(1000 * (time.monotonic() - began))

    def end(self):
        self.ended.set()
        self.join()
        t = sorted(self.took) or [0]
        return f"{self.path.split('?')[0]} {t[len(t) // 2]:.0f} ms, 99 % below {t[len(t) * 99 // 100]:.0f} ms, at most {t[-1]:.0f} ms ({len(t)} requests)"


def timed(what, path, server, rows=True):
    began = time.monotonic()
    r = server("GET", path)
    took = 1000 * (time.monotonic() - began)
    assert r.status == 200, (path, r.status, r.body[:200])
    print(f"{what:42} {took:7.0f} ms" + (f"  {len(r.json['documents'])} rows" if rows else ""), flush=True)
    return r.json


def many_documents():
    if not made:
        shutil.copy("samples/good/market-scan.pdf", spool / "in/receipt")
        subprocess.run([platen, "run", spool, "-q", "--stable-for", "0"], check=True, stderr=subprocess.DEVNULL)
        began = time.monotonic()
        many.make(spool, n, 0)
        print(f"{n} documents made in {time.monotonic() - began:.0f} s", flush=True)
    (spool / "index.db").unlink(missing_ok=True)
    began = time.monotonic()
    server = Server(platen, spool)
    print(f"{'its address, without an index':42} {1000 * (time.monotonic() - began):7.0f} ms")
    timed("the first list meanwhile", "/documents", server)
    probes = [Probe(server, "/documents?limit=100"), Probe(server, "/counts"), Probe(server, "/me")]
    while server("GET", "/counts").json["done"] + server("GET", "/counts").json["review"] < n - n // 50:
        time.sleep(0.2)
    print(f"{'until all are counted':42} {1000 * (time.monotonic() - began):7.0f} ms")
    value = json.loads(next(spool.glob("done/2025*/record.json")).read_text())["data"]["merchant"].split()[0]
    while len(server("GET", f"/documents?value={value}&to=2025-01-02&limit=1000").json["documents"]) < min(900, n // 2):
        time.sleep(1)
    while not server("GET", f"/documents?value={value}&cursor=20250101T000001Z-{1:016x}").json["documents"]:
        time.sleep(1)
    print(f"{'until all values are searched':42} {1000 * (time.monotonic() - began):7.0f} ms")
    for p in probes:
        print("  meanwhile", p.end())
    began, rows, cursor = time.monotonic(), 0, ""
    slowest = 0
    while cursor is not None:
        since = time.monotonic()
        r = server("GET", f"/documents?limit=1000&cursor={cursor}").json
        slowest = max(slowest, 1000 * (time.monotonic() - since))
        rows, cursor = rows + len(r["documents"]), r["next"]
    print(f"{'all, in pages of 1,000':42} {1000 * (time.monotonic() - began):7.0f} ms  {rows} rows, the slowest page {slowest:.0f} ms")
    for what, path in (("the first page", "/documents"), ("to review", "/documents?state=review"), ("failed", "/documents?state=failed"),
                       ("a common word", "/documents?search=nordwind"), ("a name that one has", f"/documents?search={n - 3}.png"),
                       ("two words", "/documents?search=nordwind+50.png"), ("a word that none has", "/documents?search=zzzz"),
                       ("three words", f"/documents?search=sudwind+receipt+{value}"), ("a value", f"/documents?value={value}"),
                       ("a value that none has", "/documents?value=zzzz"), ("a reason", "/documents?search=encrypted"),
                       ("a day", "/documents?search=2025-01-01"), ("a day that has none", "/documents?from=2024-01-01&to=2024-01-02")):
        timed(what, path, server)
    timed("the counts", "/counts", server, False)
    server.stop()
    began = time.monotonic()
    server = Server(platen, spool)
    timed("its address again, and the first list", "/documents", server)
    print(f"{'':42} {1000 * (time.monotonic() - began):7.0f} ms")
    server.stop()


def large_files():
    server = Server(platen, spool)
    big = scratch / "big.bin"
    with open(big, "wb") as f:
        for _ in range(mb):
            f.write(os.urandom(1 << 20))
    shas = []

    def forget():
        """Out of the memory of the system, so that the disk is read."""
        os.sync()
        for one in spool.glob("work/*/doc"):
            at = os.open(one, os.O_RDONLY)
            os.posix_fadvise(at, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(at)

    def add(i):
        c = server.connect(600)
        with open(big, "rb") as f:
            c.request("POST", f"/api/v1/documents?name={i}.bin", body=f, headers=server.headers(
                {"Content-Type": "application/octet-stream", "Content-Length": str(mb << 20)}))
        r = c.getresponse()
        assert r.status == 201, r.read()
        shas.append(json.loads(r.read())["id"])

    def fetch(id_):
        c = server.connect(600)
        c.request("GET", f"/api/v1/documents/{id_}/original", headers=server.headers({}))
        r, n_byte = c.getresponse(), 0
        while piece := r.read(1 << 20):
            n_byte += len(piece)
        assert n_byte == mb << 20, n_byte

    def beside(what, work, n_mb):
        probes = [Probe(server, p) for p in ("/me", "/counts", "/documents?limit=50")]
        began = time.monotonic()
        threads = [threading.Thread(target=f, args=(a,)) for f, a in work]
        [t.start() for t in threads]
        [t.join() for t in threads]
        took = time.monotonic() - began
        print(f"{what}: {n_mb / took:.0f} MB/s")
        for p in probes:
            print("  meanwhile", p.end())

    beside("nothing else", [(time.sleep, 5)], 0)
    began, at = time.monotonic(), os.open(scratch / "disk", os.O_CREAT | os.O_WRONLY, 0o600)
    with open(big, "rb") as f:
        while piece := f.read(1 << 20):
            os.write(at, piece)
            os.fdatasync(at)
    print(f"the disk alone, fsync for each MB: {mb / (time.monotonic() - began):.0f} MB/s")
    os.unlink(scratch / "disk")
    beside("2 uploads at once", [(add, 0), (add, 1)], 2 * mb)
    beside("6 uploads at once", [(add, i) for i in range(10, 16)], 6 * mb)
    del shas[2:]
    forget()
    beside("2 downloads at once from the disk", [(fetch, i) for i in shas], 2 * mb)
    beside("4 downloads at once", [(fetch, i) for i in shas * 2], 4 * mb)
    beside("an upload and 2 downloads", [(add, 2), (fetch, shas[0]), (fetch, shas[1])], 3 * mb)
    server.stop()


try:
    if not made:
        subprocess.run([platen, "init", spool], capture_output=True, check=True)
        large_files()
        for one in (spool / "work").iterdir():
            shutil.rmtree(one)
    many_documents()
finally:
    shutil.rmtree(scratch)
