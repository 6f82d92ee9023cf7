#!/usr/bin/env python3
"""spool_page.py PLATEN SPOOL [PICTURES] - drives the page of platen serve in a headless
Chromium: files added while the server is killed, the list as it changes, failed
documents, a record beside its page, roles, three sizes. Prints TAP-like lines."""
import atexit
import base64
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

from chrome import Chrome

platen, spool = sys.argv[1], Path(sys.argv[2])
pictures = Path(sys.argv[3]) if len(sys.argv) > 3 else None
samples = Path(__file__).parents[2] / "samples"
N_FILES, N_WATCH, N_KILLS, N_MANY = (int(os.environ.get(k, d)) for k, d in
                                      (("FILES", 40), ("WATCHERS", 2), ("KILLS", 3), ("MANY", 2000)))
failed = 0


def says(name, holds, why=""):
    global failed
    failed += not holds
    print(f"ok - spool page: {name}" if holds else f"not ok - spool page: {name}: {why}", flush=True)


class Server:
    def __init__(self, *more):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.more = more
        self.start()

    def start(self):
        self.child = subprocess.Popen([platen, "serve", str(spool), "--port", str(self.port), *self.more],
                                      stdout=subprocess.PIPE, text=True)
        self.address = self.child.stdout.readline().strip()
        self.here = self.address.split("#")[0]
        atexit.register(self.child.kill)

    def end(self, how=signal.SIGTERM):
        self.child.send_signal(how)
        self.child.wait()


STATUS = "document.getElementById('status').textContent"
ROWS = "[...document.querySelectorAll('#documents li')]"
SUM = "document.getElementById('add-sum').textContent"
FOUND = "document.getElementById('found').textContent"
LISTED = "!document.getElementById('monitor').hidden && document.getElementById('found').textContent !== ''"


def go(c, where):
    c.js(f"location.hash = {json.dumps('#' + where)}")


def open_page(c, server):
    c.open("about:blank")
    c.open(server.address)
    c.wait(LISTED)


def png(folder, n):
    """A picture of its own: a sample with a comment."""
    data = (samples / "good/kiosk.png").read_bytes()
    text = b"tEXtComment\0%d" % n
    chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
    to = folder / f"scan {n:04}.png"
    to.write_bytes(data[:33] + chunk + data[33:])  # behind IHDR
    return to


def raw(folder, name, mb):
    """A picture of many pieces."""
    to = folder / name
    to.write_bytes(b"P6\n1024 %d\n255\n" % (mb * 1024 // 3) + os.urandom(1024) * (mb * 1024 // 3) * 3)
    return to


def everywhere():
    """(name, SHA-256) of each document in the spool."""
    found = []
    for doc in (d for place in ("work", "done", "failed") for d in spool.glob(f"{place}/*/doc")):
        name = json.loads((doc.parent / "name.json").read_text())["name"]
        found.append((name, hashlib.sha256(doc.read_bytes()).hexdigest()))
    for file in (spool / "in").rglob("*"):
        if file.is_file():
            found.append((file.name, hashlib.sha256(file.read_bytes()).hexdigest()))
    return sorted(found)


def state_of(c, name):
    return c.js(f"{ROWS}.find((r) => r.textContent.includes({json.dumps(name)}))?.dataset.state")


def button_of(c, name, text):
    """The place of that button in the row of that document."""
    c.js(f"window.found = [...{ROWS}.find((r) => r.textContent.includes({json.dumps(name)})).querySelectorAll('button')]"
         f".find((b) => b.textContent === {json.dumps(text)}); found.scrollIntoView()")
    return "window.found"


def look(c, name):
    if not pictures:
        return
    pictures.mkdir(exist_ok=True)
    for width, height, dark in ((320, 640, False), (1280, 800, False), (1280, 800, True), (3840, 2160, False)):
        c.size(width, height, dark)
        time.sleep(.7)
        c.picture(pictures / f"{name}-{width}{'-dark' if dark else ''}.png")
    c.size(1280, 800)


# --- adding -----------------------------------------------------------------


def adding(c, scratch):
    """Files by the picker, a folder, a drop; the server and watchers are killed meanwhile."""
    folder = scratch / "more"
    (folder / "deeper").mkdir(parents=True)
    files = [png(scratch, n) for n in range(N_FILES - 5)]
    inside = [png(folder / "deeper", 9000 + n) for n in range(3)]
    (folder / ".hidden.png").write_bytes(inside[0].read_bytes())
    large, one = raw(scratch, "large.ppm", 40), png(scratch, 8000)
    server = Server()
    watchers = [subprocess.Popen([platen, "watch", str(spool), "-q", "--stable-for", "0", "--engine", "null", "--ocr", "off"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(N_WATCH)]
    for w in watchers:
        atexit.register(w.kill)
    open_page(c, server)
    go(c, "add")
    c.wait("!document.getElementById('add').hidden")
    c.js("document.getElementById('add-schema').value = 'receipt'")
    c.choose("#add-files", [large, *files])
    c.choose("#add-folder", [folder])
    for kill in range(N_KILLS):
        c.wait(f"{SUM} !== '' && parseInt({SUM}) >= {kill * N_FILES // (N_KILLS + 2)}", 120)
        server.end(signal.SIGKILL)
        time.sleep(.5 + .5 * (kill % 2))
        server.start()
    go(c, "monitor")
    c.drop(600, 400, [one])
    says("a drop on another tab leads to Add", c.wait("!document.getElementById('add').hidden"))
    look(c, "add")
    c.wait(f"{SUM} === '{N_FILES} of {N_FILES} added'", 180)
    says(f"{N_FILES} files are added, the server killed {N_KILLS} times", True)
    wanted = sorted((f.name, hashlib.sha256(f.read_bytes()).hexdigest()) for f in [large, one, *files, *inside])
    go(c, "monitor")
    c.js("[...document.querySelectorAll('#states button')].find((b) => b.textContent.startsWith('All')).click()")
    ended = "['review', 'done', 'failed'].reduce((n, s) => n + Number(document.querySelector(`#states [data-state=${s}] .count`).textContent), 0)"
    c.wait(f"{FOUND}.startsWith('{N_FILES} ') && {ended} === {N_FILES}", 60 + N_FILES)
    says("all of them end, and the list says so by itself", True)
    for w in watchers:
        w.terminate()
        w.wait()
    there, left = everywhere(), list((spool / "work").iterdir())
    says("each is there once, whole; a hidden one is not", there == wanted, sorted(set(there) ^ set(wanted))[:4])
    says("nothing is left in work/", not left, [(d.name, sorted(f.name for f in d.iterdir())) for d in left])
    server.end()


def again(c, scratch):
    """A reload in the middle of an upload: the file is chosen again and goes on where it was."""
    server = Server()
    open_page(c, server)
    go(c, "add")
    large = raw(scratch, "resumed.ppm", 60)
    c.choose("#add-files", [large])
    c.wait("document.querySelector('#uploads progress').value > 3e6")
    c.open("about:blank")
    open_page(c, server)
    go(c, "add")
    c.choose("#add-files", [large])
    since = c.wait("document.querySelector('#uploads progress')?.value", 30)
    says("an upload goes on after a reload", since > 3e6, since)
    c.wait(f"{SUM} === '1 of 1 added'", 60)
    says("and is whole", (large.name, hashlib.sha256(large.read_bytes()).hexdigest()) in everywhere())
    c.choose("#add-files", [large])
    c.wait(f"{SUM} === '1 of 2 added, 1 before'")
    says("the same file is not added twice by mistake", everywhere().count((large.name, hashlib.sha256(large.read_bytes()).hexdigest())) == 1)
    c.js("document.querySelector('#uploads .again').click()")
    c.wait(f"{SUM} === '2 of 2 added'", 60)
    says("but it can be", len([x for x in everywhere() if x[0] == large.name]) == 2)
    server.end()
    changed = png(scratch, 8001)
    c.choose("#add-files", [changed])
    c.wait("document.querySelector('#uploads [data-state=held]') !== null")
    changed.write_bytes(b"%PDF-1.4 something else")
    server.start()
    c.wait("document.querySelector('#uploads [data-state=refused]')?.textContent.includes('has changed')", 30)
    says("a file that has changed meanwhile is not added", not [x for x in everywhere() if x[0] == changed.name], (everywhere(), c.js("document.getElementById('uploads').textContent")))
    c.js("document.querySelector('#uploads [data-state=refused] button').click()")
    empty = scratch / "empty.pdf"
    empty.write_bytes(b"")
    c.choose("#add-files", [empty])
    c.wait("document.querySelector('#uploads [data-state=refused]') !== null")
    says("what is refused says why", "1 refused" in c.js(SUM), c.js(SUM))
    server.end()
    for place in ("in", "work", "done", "failed"):
        for one in (spool / place).iterdir():
            if place != "in":
                shutil.rmtree(one)
    for file in (spool / "in").rglob("*"):
        if file.is_file():
            file.unlink()


# --- the list ----------------------------------------------------------------


def read_samples():
    for name in ("market-scan.pdf", "two-pages.pdf", "kiosk.png"):
        shutil.copy(samples / "good" / name, spool / "in/receipt")
    shutil.copy(samples / "good/askew.png", spool / "in/receipt/<img src=x onerror=alert(1)>.png")
    for name in ("encrypted.pdf", "letter.pdf"):
        shutil.copy(samples / "bad" / name, spool / "in/receipt")
    subprocess.run([platen, "run", str(spool), "-q", "--stable-for", "0"], stderr=subprocess.DEVNULL, check=False)


def monitoring(c):
    read_samples()
    server = Server()
    open_page(c, server)
    c.wait(f"{ROWS}.length === 6")
    says("a name with markup is text", "<img src=x" in c.js("document.getElementById('documents').textContent") and
         c.js("document.querySelectorAll('#documents img').length") == 0)
    counts = c.js("[...document.querySelectorAll('#states button:not([hidden])')].map((b) => b.textContent).join()")
    says("states are counted", "Failed 2" in counts, counts)
    look(c, "monitor")
    names = "[...document.querySelectorAll('#documents .name')].map((n) => n.textContent).join()"
    c.js("document.getElementById('find-text').focus()")
    for letter in "two-p":
        c.key(letter)
    c.wait(f"{ROWS}.length === 1")
    says("a search finds a name", c.js(names) == "two-pages.pdf", c.js(names))
    search = ("(() => { const f = document.getElementById('find-text'); f.value = '%s'; f.dispatchEvent(new Event('input', { bubbles: true })); })()")
    c.js(search % "16.71")
    c.wait(f"{names} === 'market-scan.pdf'")
    says("and a value", True)
    c.js(search % "unknown-type")
    c.wait(f"{names} === 'letter.pdf'")
    says("and a reason", True)
    c.js(search % (time.strftime("%Y-%m-%d") + " RECEIPT letter"))
    c.wait(f"{names} === 'letter.pdf'")
    says("and a day, a kind and a name at once", True)
    c.js("document.getElementById('find').reset(); document.getElementById('find').oninput()")
    c.wait(f"{ROWS}.length === 6")
    # another program drops a file
    shutil.copy(samples / "good/cafe.pdf", spool / "in/receipt/dropped.pdf")
    c.wait(f"{ROWS}.some((r) => r.textContent.includes('dropped.pdf') && r.dataset.state === 'waiting')", 30)
    subprocess.run([platen, "run", str(spool), "-q", "--stable-for", "0"], stderr=subprocess.DEVNULL, check=False)
    c.wait(f"{ROWS}.some((r) => r.textContent.includes('dropped.pdf') && ['done', 'review'].includes(r.dataset.state))", 30)
    says("what a folder gets is in the list, and what becomes of it", c.js(f"{ROWS}.length") == 7, c.js(f"{ROWS}.length"))
    server.end(signal.SIGKILL)
    c.wait(f"{STATUS}.startsWith('platen does not answer')")
    server.start()
    c.wait(f"{STATUS} === ''", 20)
    says("the page goes on when the server is back", True)
    failing(c)
    server.end()


def failing(c):
    c.js(f"{button_of(c, 'letter.pdf', 'What to do')}.click()")
    c.wait("document.getElementById('remedy').open")
    told = c.js("document.getElementById('remedy').textContent")
    says("a failure says why and what to do", "unknown-type" in told and "Save the document itself" in told, told)
    look(c, "remedy")
    says("nothing of it is without a name", not c.unnamed(), c.unnamed())
    press = "[...document.querySelectorAll('#remedy button')].find((b) => b.textContent === '%s').click()"
    c.js(press % "Fill in by hand")
    c.wait("document.querySelector('#form [data-pointer]') !== null && !document.getElementById('review').hidden")
    says("it can be filled in by hand", c.js("document.getElementById('title').textContent") == "letter.pdf")
    go(c, "monitor")
    c.wait(LISTED)
    c.js(f"{button_of(c, 'letter.pdf', 'What to do')}.click()")
    c.wait("document.getElementById('remedy').open")
    c.js("(() => { const s = document.querySelector('#remedy select'); s.value = 'invoice'; s.onchange(); })()")
    c.js(press % "Try again")
    c.wait(f"{ROWS}.find((r) => r.textContent.includes('letter.pdf')).dataset.state === 'waiting' && !document.getElementById('remedy').open")
    says("and tried again as another kind", c.js(STATUS) == "letter.pdf: will be read again as invoice", c.js(STATUS))
    c.js(f"{button_of(c, 'encrypted.pdf', 'Try again')}.click()")
    c.wait(f"{ROWS}.find((r) => r.textContent.includes('encrypted.pdf')).dataset.state === 'waiting'")
    subprocess.run([platen, "run", str(spool), "-q", "--stable-for", "0"], stderr=subprocess.DEVNULL, check=False)
    c.wait(f"{ROWS}.find((r) => r.textContent.includes('encrypted.pdf')).dataset.state === 'failed'", 30)
    says("what fails again is told again", True)
    c.js(f"{button_of(c, 'encrypted.pdf', 'What to do')}.click()")
    c.wait("document.getElementById('remedy').open")
    c.js(press % "Dismiss")
    c.wait(f"{ROWS}.find((r) => r.textContent.includes('encrypted.pdf')).dataset.state === 'dismissed'")
    c.js(f"{button_of(c, 'encrypted.pdf', 'Bring back')}.click()")
    c.wait(f"{ROWS}.find((r) => r.textContent.includes('encrypted.pdf')).dataset.state === 'failed'")
    says("dismissed and brought back", True)
    remedying(c, press)


def remedying(c, press):
    """A password, a rotation, pruning: as an administrator."""
    state = f"{ROWS}.find((r) => r.textContent.includes('%s')).dataset.state"
    asks = "(() => { const i = document.querySelector('#remedy input[type=password]'); i.value = '%s'; i.form.requestSubmit(); })()"
    c.js(f"{button_of(c, 'encrypted.pdf', 'What to do')}.click()")
    c.wait("document.getElementById('remedy').open")
    look(c, "password")
    says("nothing of it is without a name", not c.unnamed(), c.unnamed())
    c.js(asks % "wrong")
    c.wait(f"{STATUS}.startsWith('this password does not open')")
    says("a wrong password opens nothing, and may be entered again", c.js("document.getElementById('remedy').open"))
    c.js(asks % "secret")
    c.wait(f"{state % 'encrypted.pdf'} === 'waiting' && !document.getElementById('remedy').open")
    subprocess.run([platen, "run", str(spool), "-q", "--stable-for", "0"], stderr=subprocess.DEVNULL, check=False)
    c.wait(f"['done', 'review'].includes({state % 'encrypted.pdf'})", 30)
    says("the right one opens it", True)
    says("the page keeps no password", c.js("document.querySelector('#remedy input[type=password]').value") == "")
    c.wait(f"{state % 'letter.pdf'} === 'failed'", 30)
    c.js(f"{button_of(c, 'letter.pdf', 'What to do')}.click()")
    c.wait("document.getElementById('remedy').open")
    c.js("(() => { const s = document.querySelector('#remedy select'); s.value = 'invoice'; s.onchange(); })()")
    c.js(press % "Rotate left")
    c.wait(f"{state % 'letter.pdf'} === 'waiting'")
    told = json.loads(next(d for d in spool.glob("work/*/name.json") if json.loads(d.read_text())["name"] == "letter.pdf").read_text())
    says("a rotation goes with the retry", (told["turns"], told["folder"]) == (3, "invoice"), told)
    subprocess.run([platen, "run", str(spool), "-q", "--stable-for", "0"], stderr=subprocess.DEVNULL, check=False)
    c.wait(f"{state % 'letter.pdf'} === 'failed'", 30)
    c.js("document.getElementById('prune').click()")
    c.wait("document.querySelector('#remedy [role=status]').textContent === '0 documents of that age'")
    look(c, "prune")
    says("what nobody would miss is counted first", c.js("document.querySelector('#remedy form button').disabled"))
    c.js("window.real = fetch, window.prunes = 0, window.fetch = async (...of) => { const got = await real(...of);"
         "  if (!String(of[0]).endsWith('/prune') || ++prunes > 1) return got;"
         "  await new Promise((then) => setTimeout(then, 1000));"
         "  return new Response('{\"documents\":7}', { headers: got.headers }); }")
    days = "for (const n of %s) { const i = document.querySelector('#remedy [type=number]'); i.value = n; i.dispatchEvent(new Event('input', { bubbles: true })); }"
    c.js(days % "[3]")
    c.wait("prunes === 1")
    c.js(days % "[1, 12, 120]")
    c.wait("prunes === 2")
    time.sleep(1.3)
    told = c.js("[prunes, document.querySelector('#remedy [role=status]').textContent, document.querySelector('#remedy form button').disabled].join()")
    says("it is counted when nothing more is typed, and a late count is dropped", told == "2,0 documents of that age,true", told)
    c.js("window.fetch = real")
    c.js(press % "Close")
    c.js("window.confirm = () => true")
    c.js(f"{ROWS}.find((r) => r.textContent.includes('encrypted.pdf')).querySelector('a').click()")
    c.wait("[...document.querySelectorAll('#view-acts button')].some((b) => b.textContent === 'Delete')")
    c.js("[...document.querySelectorAll('#view-acts button')].find((b) => b.textContent === 'Delete').click()")
    c.wait(f"location.hash === '#monitor' && !{ROWS}.some((r) => r.textContent.includes('encrypted.pdf'))")
    says("an administrator deletes a document", True)


# --- a record beside its page ---------------------------------------------------


def folder_of(name):
    return next(d.parent for d in spool.glob("done/*/name.json") if json.loads(d.read_text())["name"] == name)


def viewing(c, scratch):
    server = Server()
    open_page(c, server)
    c.wait(f"{ROWS}.some((r) => r.textContent.includes('two-pages.pdf'))")
    c.js(f"{ROWS}.find((r) => r.textContent.includes('two-pages.pdf')).querySelector('a').click()")
    c.wait("document.querySelectorAll('#view .words span').length > 0 && document.querySelector('#view-form [data-pointer]') !== null", 30)
    record = json.loads((folder_of("two-pages.pdf") / "record.json").read_text())
    here = "document.querySelector('#view-form .here [data-pointer]')?.dataset.pointer"
    number = "document.querySelector('#view .page-at').value"
    later = next(p for p, f in record["fields"].items() if f.get("evidence") and f["evidence"][0]["page"] == 2)
    c.js(f"document.querySelector('#view-form [data-pointer=\"{later}\"]').focus()")
    c.wait(f"document.querySelector('#view .box.active')?.dataset.mark === '{later}' && {number} === '2'")
    says("a value leads to its place on its page", True)
    look(c, "view")
    c.js("document.querySelector('#view .page-at').select()")
    c.key("1")
    c.key("Enter")
    first = next(p for p, f in record["fields"].items() if f.get("evidence") and f["evidence"][0]["page"] == 1)
    box = f"document.querySelector('#view .boxes [data-mark=\"{first}\"]')"
    c.wait(f"{box} !== null && document.querySelectorAll('#view .words span').length > 0")
    for turn in range(4):
        if turn:
            c.js("document.querySelector('#view .rotate').click()")
        at = c.js(f"(() => {{ const r = {box}.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; }})()")
        c.send("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        c.wait(f"{here} === '{later}'")
        c.send("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
        c.wait(f"{here} === '{first}'")
    c.mouse(*at)
    c.wait(f"document.activeElement.dataset.pointer === '{first}'")
    c.js("document.querySelector('#view .rotate').click()")
    says("a box leads to its value, however the page is turned", True)
    c.js(f"{box}.focus()")
    c.key("ArrowDown")
    c.key("Enter")
    says("by keys, too", c.js("document.activeElement.dataset.pointer") not in (None, first), c.js("document.activeElement.outerHTML"))
    c.js("getSelection().selectAllChildren(document.querySelector('#view .words'))")
    words = c.js("String(getSelection())")
    says("the words of the page can be selected", "Lamp" in words and "31.80" in words, words)
    where = c.js("(() => { const p = document.querySelector('#view .picture').getBoundingClientRect(), w = [...document.querySelectorAll('#view .words span')]"
                 ".find((s) => s.textContent === 'Lamp ').getBoundingClientRect(); return [(w.left - p.left) / p.width, (w.top - p.top) / p.height]; })()")
    spot = record["fields"]["/items/0/name"]["evidence"][0]["box"]
    says("and lie where they are printed", all(abs(a - b) < .02 for a, b in zip(where, spot)), (where, spot))
    says("nothing is without a name", not c.unnamed(), c.unnamed())
    c.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(scratch))
    for act, name, wanted in (("original", "two-pages.pdf", (samples / "good/two-pages.pdf").read_bytes()), ("json", "two-pages.json", None)):
        c.js(f"document.querySelector('#view-acts [data-act={act}]').click()")
        for _ in range(100):
            if (scratch / name).exists():
                break
            time.sleep(.05)
        time.sleep(.2)
        got = (scratch / name).read_bytes()
        says(f"{act} is downloaded", got == wanted if wanted else json.loads(got) == record, got[:100])
    c.js("document.querySelector('#view-acts [data-act=review]').click()")
    c.wait("!document.getElementById('review').hidden && document.getElementById('title').textContent === 'two-pages.pdf'")
    says("and it leads to Review", True)
    server.end()


def sizes(c):
    """No tab is wider than a telephone, and nothing lacks a name."""
    server = Server()
    open_page(c, server)
    some = folder_of("two-pages.pdf").name
    for width in (320, 1280, 3840):
        c.size(width, 640 if width == 320 else 2160)
        for tab in ("add", "monitor", f"view/{some}", "review"):
            go(c, tab)
            c.wait(f"!document.getElementById('{tab.split('/')[0]}').hidden")
            time.sleep(.4)
            wide = c.js("document.scrollingElement.scrollWidth")
            says(f"{tab.split('/')[0]} fits {width} pixels", wide <= width, wide)
            says(f"{tab.split('/')[0]} at {width}: all is named", not c.unnamed(), c.unnamed())
    c.size(1280, 800)
    server.end()


def many(c):
    """Few rows of many documents exist, any is reached."""
    model = folder_of("kiosk.png")
    for i in range(N_MANY):
        to = spool / "done" / f"20250101T{i // 3600:02}{i // 60 % 60:02}{i % 60:02}Z-{i:016x}"
        shutil.copytree(model, to, copy_function=os.link)
    subprocess.run([platen, "status", str(spool)], stdout=subprocess.DEVNULL, check=False)
    server = Server()
    open_page(c, server)
    c.wait(f"parseInt({FOUND}.replace(',', '')) >= {N_MANY}", 60 + N_MANY // 50)
    frames = c.js("(async () => { const w = document.getElementById('window'), t = []; let last = performance.now();"
                  "for (let i = 0; i < 100; i++) { w.scrollTop += 400; await new Promise(requestAnimationFrame);"
                  "const n = performance.now(); t.push(n - last); last = n; } return t.sort((a, b) => a - b); })()")
    says(f"{N_MANY} documents scroll: {frames[50]:.0f} ms a frame, at most {frames[-1]:.0f}", frames[50] < 100, frames[-5:])
    says("few of their rows exist", c.js(f"{ROWS}.length") < 80, c.js(f"{ROWS}.length"))
    c.js("document.querySelector('#documents a').focus()")
    c.key("End")
    first = "20250101T000000Z-0000000000000000"
    c.wait(f"document.activeElement.hash === '#view/{first}'", 20)
    says("End goes to the last", True)
    server.end()
    for made in spool.glob("done/20250101T*"):
        shutil.rmtree(made)


def roles(c, scratch):
    """Who may only upload sees what becomes of a document, not what is in it."""
    cert, key, users = scratch / "cert.pem", scratch / "key.pem", scratch / "users"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], check=True, stderr=subprocess.DEVNULL)
    made = subprocess.run(["openssl", "passwd", "-6", "secret"], capture_output=True, text=True, check=True).stdout.strip()
    users.write_text(f"ann:{made}:upload\nbob:{made}\n")
    users.chmod(0o600)
    server = Server("--listen", "127.0.0.1", "--tls-cert", str(cert), "--tls-key", str(key), "--passwords", str(users))
    c.send("Security.setIgnoreCertificateErrors", ignore=True)
    for who, tabs, links in (("ann", "Add,Monitor", 0), ("bob", "Add,Monitor,Review", 1)):
        c.send("Network.setExtraHTTPHeaders", headers={"Authorization": "Basic " + base64.b64encode(f"{who}:secret".encode()).decode()})
        c.open("about:blank")
        c.open(server.address)
        c.wait(f"{LISTED} && {ROWS}.length > 3", 30)
        seen = c.js("[...document.querySelectorAll('#tabs a:not([hidden])')].map((a) => a.textContent).join()")
        says(f"{who} has {tabs}", seen == tabs, seen)
        says(f"{who} may open records: {bool(links)}", bool(c.js("document.querySelectorAll('#documents a').length")) == bool(links))
        c.js(f"{button_of(c, 'letter.pdf', 'What to do')}.click()")
        c.wait("document.getElementById('remedy').open")
        acts = c.js("[...document.querySelectorAll('#remedy button')].map((b) => b.textContent).join()")
        says(f"what {who} may do", acts == "Close" if who == "ann" else acts.startswith("Try again,"), acts)
    c.send("Network.setExtraHTTPHeaders", headers={})
    server.end()


def addresses():
    """The same address again, as long as its secret is one."""
    server, kept = Server(), spool / "page-token"
    before, mode = server.address, kept.stat().st_mode & 0o777
    server.end()
    server.start()
    says("the address stays, in a file of its user alone", (server.address, mode) == (before, 0o600), (server.address, before, mode))
    server.end()
    kept.chmod(0o644)
    server.start()
    says("not if others could read it", server.address != before)
    server.end()
    kept.unlink()


def main():
    scratch = spool.parent / "page"
    scratch.mkdir(exist_ok=True)
    c = Chrome(1280, 800)
    try:
        adding(c, scratch)
        again(c, scratch)
        monitoring(c)
        viewing(c, scratch)
        sizes(c)
        many(c)
        own = [x for x in c.complaints() if not re.search("ERR_|Failed to load resource|Failed to fetch|'beforeunload'", x)]
        says("the page complains of nothing", not own, own)
        says("and asks nobody else", not c.outside("http://127.0.0.1:"), c.outside("http://127.0.0.1:")[:3])
        addresses()
        if shutil.which("openssl"):
            roles(c, scratch)
        else:
            print("skip - spool page: roles: openssl is not here")
    except TimeoutError as late:
        says("driven to its end", False, f"{late}; {c.js('location.hash')}; {c.js(STATUS)}; {c.js(SUM)}; {c.complaints()[-3:]}")
    finally:
        c.close()
    return failed > 0


if __name__ == "__main__":
    os.environ.setdefault("PLATEN_CONFIG", "")
    sys.exit(main())
