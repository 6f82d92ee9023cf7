#!/usr/bin/env python3
"""serve_api.py PLATEN SPOOL - drives /api/v1 of platen serve, beside a platen watch."""
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from spool_client import Events, Server, raw

platen, spool = sys.argv[1], Path(sys.argv[2])
failed = 0


def says(name, holds, why=""):
    global failed
    failed += not holds
    print(f"ok - serve: {name}" if holds else f"not ok - serve: {name}: {why}", flush=True)


def is_(name, got, wanted):
    says(name, got == wanted, f"{got!r}, wanted {wanted!r}")


def problem(r):
    return (r.status, r.headers.get("Content-Type"), r.json["code"], bool(r.json["remedy"]))


def refused(status, code):
    return (status, "application/problem+json", code, True)




class Slow(threading.Thread):
    """Connections that send a byte of a request's head a second."""

    def __init__(self, server, n):
        super().__init__(daemon=True)
        self.began, self.socket = time.time(), []
        for _ in range(n):
            s = socket.create_connection(tuple(server.host.split(":")), timeout=5)
            s.sendall(b"GET /api/v1/me HTTP/1.1\r\nX-Slow: ")
            self.socket.append(s)
        self.start()

    def run(self):
        while self.socket:
            time.sleep(1)
            for s in list(self.socket):
                try:
                    s.sendall(b"x")
                except OSError:
                    self.socket.remove(s)


os.environ["TZ"] = "Pacific/Kiritimati" # 14 hours before UTC: days are local ones
time.tzset()
server = Server(platen, spool, "--schemas", "schemas", log=open(spool.parent / "serve.err", "w"))
good = Path("samples/good/askew.png").read_bytes()
DOC = {"Content_Type": "application/octet-stream"}

# --- who may what ---
admin, review, upload = (server.token(role + "er", role) for role in ("admin", "review", "upload"))
is_("a name that is taken", subprocess.run([platen, "serve", "token", spool, "adminer"], capture_output=True).returncode, 1)
text = (spool / "tokens").read_text()
says("the file has hashes only, for the owner", admin not in text and admin[7:] not in text and
     os.stat(spool / "tokens").st_mode & 0o77 == 0, text)
server.bearer = upload
is_("a token's role", server("GET", "/me").json, {"name": "uploader", "role": "upload", "tab": "spool"})
server.bearer = upload[:-1] + ("0" if upload[-1] != "0" else "1")
is_("a token that is nearly one", problem(server("GET", "/me")), refused(401, "no-access"))
server.bearer = server.token("gone", "admin")
is_("a token works", server("GET", "/me").status, 200)
subprocess.run([platen, "serve", "token", spool, "gone", "--revoke"], check=True)
is_("until it is revoked", server("GET", "/me").status, 401)
server.bearer = None
is_("on the loopback one is admin", server("GET", "/me").json["role"], "admin")
r = server("GET", "/openapi.json").json
is_("the description", (r["openapi"], len(r["paths"]) > 10), ("3.1.0", True))

# --- adding ---
server.bearer = upload
events = Events(server)
says("the first event is the counts", events.wait(lambda e, d: e == "counts" and d["waiting"] == 0), events.seen)
r = server("POST", "/documents?schema=receipt&name=askew.png", good, Idempotency_Key="one", **DOC)
one = r.json["id"]
is_("a document", (r.status, r.headers["Location"], (spool / "work" / one / "doc").read_bytes() == good),
    (201, "/api/v1/documents/" + one, True))
says("is reported", events.wait(lambda e, d: e == "document" and d["id"] == one and d["state"] == "waiting"), events.seen)
says("and counted", events.wait(lambda e, d: e == "counts" and d["waiting"] == 1), events.seen)
r = server("POST", "/documents?schema=receipt&name=askew.png", good, Idempotency_Key="one", **DOC)
is_("with the same key it is the same", (r.status, r.json["id"], len(list((spool / "work").iterdir()))), (201, one, 1))
is_("the key for another", problem(server("POST", "/documents?schema=receipt&name=b.png", good, Idempotency_Key="one", **DOC)),
    refused(422, "key-reused"))
server.bearer = review
is_("another user's key is another key", server("POST", "/documents?schema=nope", good, Idempotency_Key="one", **DOC).code, "unknown-schema")
server.bearer = upload
form = (b'--bound\r\nContent-Disposition: form-data; name="schema"\r\n\r\nreceipt\r\n--bound\r\n'
        b'Content-Disposition: form-data; name="file"; filename="form.png"\r\nContent-Type: image/png\r\n\r\n' + good + b"\r\n--bound--\r\n")
r = server("POST", "/documents", form, Content_Type="multipart/form-data; boundary=bound")
two = r.json["id"]
is_("a form", (r.status, (spool / "work" / two / "doc").read_bytes() == good,
               json.loads((spool / "work" / two / "name.json").read_text())["name"]), (201, True, "form.png"))
is_("a form without a file", problem(server("POST", "/documents", form[:form.index(b"--bound", 5)] + b"--bound--\r\n",
                                            Content_Type="multipart/form-data; boundary=bound")), refused(400, "bad-request"))
is_("a form without a boundary", server("POST", "/documents", form, Content_Type="multipart/form-data").status, 400)
for name, code in (("..", "ignored-name"), ("a/b.pdf", "ignored-name"), ("x.part", "ignored-name"), (".x", "ignored-name"), ("n" * 256, "ignored-name")):
    is_(f"the name {name[:8]}", problem(server("POST", "/documents?name=" + name, good, **DOC)), refused(422, code))
is_("a name with a NUL", server("POST", "/documents?name=a%00b", good, **DOC).status, 400)
is_("an empty document", problem(server("POST", "/documents?name=e.pdf", b"", **DOC)), refused(422, "empty"))


def unfinished():
    """Uploads that are no documents, as soon as those that broke off are gone."""
    until = time.time() + 5
    while time.time() < until and (left := [p.name for p in (spool / "uploads").iterdir() if p.is_dir()]):
        time.sleep(0.05)
    return left


says("none of which is kept", {p.name for p in (spool / "work").iterdir()} == {one, two} and
     not unfinished(), list((spool / "uploads").iterdir()))
html = "<img src=x onerror=alert(1)>.png"
large = os.urandom(9_000_000)
key = "large"
u = server("POST", "/uploads", {"name": html, "schema": "letter", "bytes": len(large)}, Idempotency_Key=key).json
is_("an upload begins", (u["offset"], u["bytes"]), (0, len(large)))
piece = large[:u["chunk"]]
r = server("PATCH", "/uploads/" + u["id"], piece, Upload_Offset="0", **DOC)
is_("a piece", (r.status, r.json["offset"]), (200, len(piece)))
r = server("PATCH", "/uploads/" + u["id"], piece, Upload_Offset="5", **DOC)
is_("a piece at the wrong place", (*problem(r), r.json["offset"]), (*refused(409, "offset"), len(piece)))
server.bearer = review
is_("another user does not see it", server("GET", "/uploads/" + u["id"]).status, 404)
server.bearer = upload
server.stop()
server.start()
slow = Slow(server, 1000)
is_("after a restart it is where it was", server("GET", "/uploads/" + u["id"]).json["offset"], len(piece))
is_("it is no document", server("GET", "/documents/" + u["id"]).status, 404)
is_("it goes on by its key", server.upload(html, large, "letter", key), u["id"])
is_("it is a document", ((spool / "work" / u["id"] / "doc").read_bytes() == large, server("GET", "/documents/" + u["id"]).json["name"]), (True, html))
is_("the last piece again", server("PATCH", "/uploads/" + u["id"], large[-5:], Upload_Offset=str(len(large) - 5), **DOC).status, 201)
v = server("POST", "/uploads", {"name": "c.pdf", "bytes": 10}).json["id"]
is_("a piece beyond its end", server("PATCH", "/uploads/" + v, b"x" * 11, Upload_Offset="0", **DOC).status, 413)
is_("cancelled", (server("DELETE", "/uploads/" + v).status, server("GET", "/uploads/" + v).status), (204, 404))
for body in ({}, {"name": 1, "bytes": 1}, {"name": "a", "bytes": -1}, {"name": "a", "bytes": "1"}, {"name": "a", "bytes": 1, "more": 1}):
    is_(f"an upload of {body}", problem(server("POST", "/uploads", body)), refused(400, "bad-request"))

# --- roles ---
is_("an uploader sees no bytes", problem(server("GET", f"/documents/{one}/original")), refused(403, "not-allowed"))
is_("deletes nothing", server("DELETE", "/documents/" + one).status, 403)
is_("and corrects nothing", server("POST", f"/documents/{one}/retry").status, 403)
server.bearer = review
is_("a reviewer sees them", server("GET", f"/documents/{one}/original").body == good, True)
is_("but does not delete", server("DELETE", "/documents/" + one).status, 403)

# --- reading ---
watch = subprocess.Popen([platen, "watch", spool, "-q", "--stable-for", "0", "--schemas", "schemas", "--ocr", "off",
                          "--format", "json,xml"], stderr=subprocess.DEVNULL)
began = time.time()
r = server("GET", f"/documents/{one}?wait=60")
d = r.json
says("waiting for an outcome", r.status == 200 and d["state"] in ("done", "review") and time.time() - began < 60, r.body[:300])
is_("the record is in it", (d["record"]["id"], d["formats"]), (one, ["json", "xml"]))
r = server("GET", "/documents/" + one, Accept="application/xml")
says("or as XML", r.status == 200 and r.headers["Content-Type"] == "application/xml" and one.encode() in r.body, r.body[:200])
is_("not as PDF", problem(server("GET", "/documents/" + one, Accept="application/pdf")), refused(406, "not-there"))
is_("nor as a picture", server("GET", "/documents/" + one, Accept="image/png").status, 406)
server.bearer = upload
says("an uploader sees the state only", "record" not in server("GET", "/documents/" + one).json, "")
is_("and no XML", server("GET", "/documents/" + one, Accept="application/xml").status, 403)
server.bearer = admin
d = server("GET", f"/documents/{u['id']}?wait=60").json
is_("noise fails, with a remedy", (d["state"], d["code"], bool(d["remedy"]), d["reason"]["id"]), ("failed", "unknown-type", True, u["id"]))
server("GET", f"/documents/{two}?wait=60")
began = time.time()
three = server("POST", "/documents?schema=receipt", good, **DOC).json["id"]
d = server("GET", f"/documents/{three}?wait=30").json
says("a running watch takes an upload at once", "record" in d and time.time() - began < 8, (time.time() - began, d["state"]))
is_("and knows its twin", d.get("duplicate_of") in (one, two), True)
server("DELETE", "/documents/" + three)
subprocess.run(["cp", "samples/bad/no-pages.pdf", spool / "in" / "receipt" / "dropped.pdf"])
until = time.time() + 30
while time.time() < until:
    rows = server("GET", "/documents?name=DROPPED&state=failed").json["documents"]
    if rows:
        break
    time.sleep(0.2)
is_("what is dropped is listed, too", [r["name"] for r in rows], ["dropped.pdf"])
listed = server("GET", "/documents").json
is_("the list, the latest first", ([r["id"] for r in listed["documents"]], listed["next"]),
    (sorted((p.name for k in ("work", "done", "failed") for p in (spool / k).iterdir()), reverse=True), None))
pages, cursor = [], ""
while True:
    r = server("GET", "/documents?limit=1&cursor=" + cursor).json
    pages += [d["id"] for d in r["documents"]]
    cursor = r["next"]
    if not cursor:
        break
is_("page by page", pages, [r["id"] for r in listed["documents"]])
total = str(server("GET", "/documents/" + two).json["record"]["data"]["total"])
time.sleep(1)
is_("by value", {r["id"] for r in server("GET", "/documents?value=" + total).json["documents"]} >= {one, two}, True)
is_("by a value that none has", server("GET", "/documents?value=zzzz").json["documents"], [])
is_("by code", [r["id"] for r in server("GET", "/documents?code=unknown-type").json["documents"]], [u["id"]])
is_("by schema", u["id"] in [r["id"] for r in server("GET", "/documents?schema=receipt").json["documents"]], False)
today = time.strftime("%Y-%m-%d")
is_("by day", (len(server("GET", "/documents?from=" + today).json["documents"]), server("GET", "/documents?to=2020-01-01").json["documents"]), (4, []))
tomorrow = time.strftime("%Y-%m-%d", time.localtime(time.time() + 86400))
is_("a day of this time zone", (len(server("GET", f"/documents?from={today}&to={today}").json["documents"]),
                                server("GET", "/documents?from=" + tomorrow).json["documents"]), (4, []))
found = lambda words: [r["id"] for r in server("GET", "/documents?search=" + words).json["documents"]]
is_("a word of the name", found("FORM.pn"), [two])
is_("words of name, schema and value", found(f"form+Receipt+{total}"), [two])
is_("a reason code", found("unknown-type"), [u["id"]])
is_("a day or month", (len(found(today)), len(found(today[:7])), found("2020-01"), found(today + "+unknown-type")), (4, 4, [], [u["id"]]))
is_("a word that none has", found("form+zzzz"), [])
is_("what could be SQL, or a pattern", (found("%25"), found("'"), found("_"), found("%22%20OR%201")), ([], [], [], []))
for bad in ("state=x", "limit=0", "limit=1001", "limit=x", "from=yesterday", "from=2026-13-01", "cursor=../x", "wait=x&state=y"):
    is_(f"?{bad}", problem(server("GET", "/documents?" + bad)), refused(400, "bad-request"))
c = server("GET", "/counts").json
is_("the counts", (c["waiting"] + c["reading"], c["done"] + c["review"], c["failed"], c["today"]), (0, 2, 2, today))

# --- failed ones ---
is_("dismissed", server("POST", f"/documents/{u['id']}/dismiss").json["state"], "dismissed")
is_("is not listed as failed", [r["name"] for r in server("GET", "/documents?state=failed").json["documents"]], ["dropped.pdf"])
is_("and back", server("POST", f"/documents/{u['id']}/dismiss", {"undo": True}).json["state"], "failed")
is_("a schema that is none", problem(server("POST", f"/documents/{u['id']}/retry", {"schema": "../x"})), refused(422, "unknown-schema"))
watch.terminate()
watch.wait()
is_("retried as another", (server("POST", f"/documents/{u['id']}/retry", {"schema": "receipt"}).json["state"],
                           json.loads((spool / "work" / u["id"] / "name.json").read_text())["folder"]), ("waiting", "receipt"))
is_("once", problem(server("POST", f"/documents/{u['id']}/retry")), refused(409, "not-failed"))
is_("deleted while it waits", (server("DELETE", "/documents/" + u["id"]).status, server("GET", "/documents/" + u["id"]).status), (204, 404))
is_("a done one", server("DELETE", "/documents/" + one).status, 204)
is_("is gone from the list", one in [r["id"] for r in server("GET", "/documents").json["documents"]], False)
is_("twice", problem(server("DELETE", "/documents/" + one)), refused(404, "not-found"))
lock = subprocess.Popen(["flock", spool / "done" / two, "sleep", "20"])
time.sleep(0.3)
is_("one that is in use", problem(server("DELETE", "/documents/" + two)), refused(409, "busy"))
subprocess.run(["pkill", "-P", str(lock.pid)])
lock.kill()

# --- what is refused ---
server.bearer = None
is_("a foreign origin", server("POST", "/documents", good, Origin="http://evil.example").status, 403)
is_("a foreign host", server("GET", "/me", Host="evil.example").status, 421)
server.bearer = admin
is_("even with a token", (server("GET", "/me", Host="evil.example").status, server("GET", "/me", Origin="http://evil.example").status), (421, 403))
is_("another method", (lambda r: (r.status, r.headers["Allow"]))(server("PUT", "/documents")), (405, "GET, POST"))
for path in ("/documents/../../../etc/passwd", "/documents/..%2f..%2fx", "/documents/x", f"/documents/{two}/doc", "/uploads/..", "/nothing", ""):
    is_(f"{path}", server("GET", path).status, 404)
is_("a body without JSON", server("POST", "/uploads", "x", Content_Type="text/plain").status, 415)
is_("one that is none", problem(server("POST", "/uploads", "{", Content_Type="application/json")), refused(400, "bad-request"))
head = f"POST /api/v1/documents HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {admin}\r\n"
is_("10 GB that are announced", raw(server, f"{head}Content-Length: 10737418240\r\n\r\n".encode())[9:12], "413")
is_("two lengths", raw(server, f"{head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx".encode())[9:12], "400")
is_("two hosts", raw(server, f"{head}Host: evil\r\nContent-Length: 0\r\n\r\n".encode())[9:12], "400")

# --- one client's upload that ends in the middle leaves nothing ---
raw(server, f"{head}Content-Length: 3000000\r\n\r\n".encode() + os.urandom(2_000_000), 1)
is_("an upload that breaks off is forgotten", unfinished(), [])

# --- no request holds up another ---
slowest, stop = [0.0], threading.Event()


def ask():
    while not stop.is_set():
        t = time.time()
        server("GET", "/me")
        slowest[0] = max(slowest[0], time.time() - t)
        time.sleep(0.01)


def add(i, data):
    server("POST", f"/documents?name={i}.bin", data, **DOC)


asking = threading.Thread(target=ask)
asking.start()
began, some = time.time(), os.urandom(60_000_000)
adding = [threading.Thread(target=add, args=(i, some)) for i in range(4)]
[t.start() for t in adding]
[t.join() for t in adding]
took = time.time() - began
stop.set()
asking.join()
print(f"# 4 uploads of 60 MB at once: {240 / took:.0f} MB/s; the slowest other request took {1000 * slowest[0]:.0f} ms")
says("a request beside large uploads", slowest[0] < 1, slowest[0])
small = time.time()
[add(f"s{i}", b"x" * 1000) for i in range(50)]
print(f"# 50 documents of 1 kB, one after another: {50 / (time.time() - small):.0f} a second")
slow.join(max(1, slow.began + 40 - time.time()))
is_("1,000 connections that trickle are ended, and held up nobody", len(slow.socket), 0)
is_("it stops when asked to", server.stop(), 0)
sys.exit(failed > 0)
