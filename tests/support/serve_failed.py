#!/usr/bin/env python3
"""serve_failed.py PLATEN SPOOL - what a person may do over HTTP about documents that failed: a password, a rotation, pruning."""
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from spool_client import Server

platen, spool = sys.argv[1], Path(sys.argv[2])
failed, secret = 0, f"planted-{os.getpid()}-password"
folder = spool.parent


def is_(name, got, wanted):
    global failed
    failed += got != wanted
    print(f"ok - serve_failed: {name}" if got == wanted else f"not ok - serve_failed: {name}: {got!r}, wanted {wanted!r}", flush=True)


def run():
    subprocess.run([platen, "run", spool, "-q", "--stable-for", "0"], stderr=open(folder / "run.err", "ab"), check=False)


def of(name):
    return next(d for d in spool.glob("[dfw]*/*/name.json") if json.loads(d.read_text())["name"] == name).parent


def record(name):
    return json.loads((of(name) / "record.json").read_text())


plain = "samples/good/market-scan.pdf"
subprocess.run(["qpdf", "--encrypt", secret, "owner", "256", "--", plain, spool / "in/receipt/locked.pdf"], check=True)
locked = (spool / "in/receipt/locked.pdf").read_bytes()
subprocess.run(["cp", plain, spool / "in/receipt/plain.pdf"], check=True)
run()
server = Server(platen, spool, log=open(folder / "serve.err", "w"))
admin, review = server.token("adminer", "admin"), server.token("reviewer", "review")

# --- a password
server.bearer = review
name, id_ = of("locked.pdf"), of("locked.pdf").name
is_("it fails without its password", json.loads((name / "reason.json").read_text())["code"], "encrypted")
ask = lambda body: server("POST", f"/documents/{id_}/unlock", body)
is_("a reviewer gives none", ask({"password": secret}).status, 403)
server.bearer = admin
for body in ({}, {"password": ""}, {"password": 1}, {"password": "a\nb"}, {"password": "x" * 128}, {"password": "x", "more": 1}):
    is_(f"{str(body)[:20]} is none", ask(body).status, 400)
is_("a key that only holds those of a retry is none", server("POST", f"/documents/{id_}/retry", {"schema rotate": 1}).status, 400)
r = ask({"password": "wrong"})
is_("a wrong one opens nothing", (r.status, r.code, sorted(p.name for p in name.glob("unlocked*"))), (422, "no-password", []))
r = ask({"password": secret})
is_("the right one", (r.status, r.json["state"], r.json["id"]), (200, "waiting", id_))
is_("once", (ask({"password": secret}).status, ask({"password": secret}).code), (409, "not-failed"))
run()
doc = of("locked.pdf")
is_("it is done, under the same id", (doc.parent.name, doc.name), ("done", id_))
is_("its bytes are those that came, and the record is of them",
    ((doc / "doc").read_bytes() == locked, record("locked.pdf")["source"]["sha256"], record("locked.pdf")["source"]["bytes"]),
    (True, hashlib.sha256(locked).hexdigest(), len(locked)))
is_("what is read is what is read without it", record("locked.pdf")["data"], record("plain.pdf")["data"])
r = server("GET", f"/documents/{id_}/pages/1")
is_("its page is drawn", (r.status, r.body[:2]), (200, b"\xff\xd8"))
is_("and given out as it came", server("GET", f"/documents/{id_}/original").body == locked, True)
shown = subprocess.run([platen, "show", spool, id_, "-o", folder / "shown.png"], capture_output=True, text=True)
is_("platen show draws it", (shown.returncode, shown.stderr), (0, ""))
found = subprocess.run(["grep", "-rlsa", secret, spool, folder / "serve.err", folder / "run.err"], capture_output=True, text=True).stdout
is_("the password is in no file and no message", found, "")
kept = [open(f"/proc/{p}/cmdline", "rb").read() + open(f"/proc/{p}/environ", "rb").read() for p in [server.child.pid]]
is_("nor in arguments or environment", any(secret.encode() in k for k in kept), False)
scan = subprocess.run(["tests/support/memory_scan.py", str(server.child.pid), secret], capture_output=True, text=True)
if scan.returncode == 2:
    print("skip - serve_failed: memory: " + scan.stdout.strip())
else:
    is_("nor in the memory of any process", {line.split()[-1] for line in scan.stdout.splitlines()}, {"clean"})
fsck = subprocess.run([platen, "fsck", spool], capture_output=True, text=True)
is_("fsck knows its files", (fsck.returncode, " 0 notes" in fsck.stdout), (0, True))

# --- a rotation: pages on their side, of which one cannot be read
turned = """
import sys
from PIL import Image
page = Image.open("samples/good/kiosk.png").convert("L")
turned = page.rotate(90, expand=True)
turned.save(sys.argv[1] + "/turned.png")
turned.save(sys.argv[1] + "/pages.tiff", save_all=True, append_images=[turned])
page.save(sys.argv[1] + "/upright.png")
page.save(sys.argv[1] + "/upright.tiff", save_all=True, append_images=[page])
"""
if subprocess.run(["/usr/bin/python3", "-c", turned, folder], stderr=subprocess.DEVNULL).returncode:
    print("skip - serve_failed: rotation: python3-pil is not installed")
else:
    os.makedirs(spool / "in/none", exist_ok=True)
    for one in ("turned.png", "pages.tiff", "upright.png", "upright.tiff"):
        subprocess.run(["cp", folder / one, spool / "in/none"], check=True)
    run() # there is no schema none
    rotated = of("turned.png").name
    for bad in (45, -90, "90", 360, 90.5, None):
        is_(f"{bad!r} is no rotation", server("POST", f"/documents/{rotated}/retry", {"rotate": bad}).status, 400)
    server.bearer = review
    for one, rotate in (("turned.png", 90), ("pages.tiff", 90), ("upright.png", 0), ("upright.tiff", 0)):
        r = server("POST", f"/documents/{of(one).name}/retry", {"rotate": rotate, "schema": "receipt"})
        is_(f"{one} is rotated by {rotate} and tried again", (r.status, r.json["state"]), (200, "waiting"))
    os.environ["PLATEN_AUTO_ROTATE"] = "off"
    os.environ["PLATEN_OCR"] = "auto"
    run()
    is_("the page is shown upright", server("GET", f"/documents/{rotated}/review").json["turns"], 1)
    for one, other in (("turned.png", "upright.png"), ("pages.tiff", "upright.tiff")):
        is_(f"{one} is read as if it were upright", record(one)["data"], record(other)["data"])
        sides = lambda n: [(p["width_px"], p["height_px"]) for p in record(n)["pages"]]
        places = {(pointer, i): (e["page"], *e["box"]) for pointer, f in record(one)["fields"].items() for i, e in enumerate(f.get("evidence", []))}
        wanted = {(pointer, i): (e["page"], e["box"][1], 1 - e["box"][0] - e["box"][2], e["box"][3], e["box"][2])
                  for pointer, f in record(other)["fields"].items() for i, e in enumerate(f.get("evidence", []))}
        far = [(k, places[k], wanted[k]) for k in places.keys() & wanted.keys() if max(abs(a - b) for a, b in zip(places[k], wanted[k])) > 0.02]
        if wanted: # OCR is here
            is_(f"{one}: values are where they are on the page as it was given", (far, len(places) >= 5), ([], True))
        is_(f"{one}: sides are those of the page as it was given", sides(one), [s[::-1] for s in sides(other)])

# --- pruning
server.bearer = review
is_("a reviewer deletes nothing", server("POST", "/prune", {"days": 1}).status, 403)
server.bearer = admin
for body in ({}, {"days": 0}, {"days": "1"}, {"days": 1.5}, {"days": 2.5e-42}, {"days": 1, "dry_run": 1}, {"days": 1, "all": True},
             {"days": 1, "keep_records dry_run": True}):
    is_(f"prune {body}", server("POST", "/prune", body).status, 400)
is_("nothing is that old", server("POST", "/prune", {"days": 1}).json, {"documents": 0})
old = time.time() - 3 * 86400
done = list((spool / "done").iterdir())
for one in done:
    os.utime(one / "delivered", (old, old))
n = len(done)
is_("what would go", server("POST", "/prune", {"days": 2, "dry_run": True}).json, {"documents": n})
is_("only the documents' files", server("POST", "/prune", {"days": 2, "keep_records": True}).json, {"documents": n})
is_("also the one without its password", sorted(p.name for p in doc.glob("*doc*")) + [p.name for p in doc.glob("unlocked*")], [])
is_("all of it", (server("POST", "/prune", {"days": 2}).json, list((spool / "done").iterdir())), ({"documents": n}, []))
time.sleep(1)
is_("and the list knows", server("GET", "/documents?state=done").json["documents"] + server("GET", "/documents?state=review").json["documents"], [])
is_("it stops when asked to", server.stop(), 0)
sys.exit(failed > 0)
