#!/usr/bin/env python3
"""review_page.py PLATEN SPOOL [PICTURES] - drives the page of platen review in a
headless Chromium, without a mouse where keys do: 100 flagged values in 40
documents with the server killed on the way, edits, words, boxes, rows, undo, two
tabs, 2,000 rows. SPOOL holds one document that was read. Prints TAP-like lines."""
import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from chrome import ALT, CTRL, SHIFT, Chrome

platen, spool = sys.argv[1], Path(sys.argv[2])
pictures = Path(sys.argv[3]) if len(sys.argv) > 3 else None
failed = 0


def says(name, holds, why=""):
    global failed
    failed += not holds
    print(f"ok - review page: {name}" if holds else f"not ok - review page: {name}: {why}", flush=True)


class Server:
    def __init__(self):
        self.child = subprocess.Popen([platen, "review", str(spool), "--review-threshold", "0.7"],
                                      stdout=subprocess.PIPE, text=True)
        self.address = self.child.stdout.readline().strip()
        self.here = self.address.split("#")[0]
        atexit.register(self.child.kill)  # does nothing to one that has ended

    def end(self, how=signal.SIGTERM):
        self.child.send_signal(how)
        return self.child.wait()


def make(model, n, change):
    """A document like the model's, under its own id, its record changed."""
    tail = f"{n:016x}"
    to = spool / "done" / f"20261101T{n // 3600:02}{n // 60 % 60:02}{n % 60:02}Z-{tail}"
    shutil.copytree(model, to)
    for old in ("record.xml", "review.jsonl", "corrected.json"):
        (to / old).unlink(missing_ok=True)
    record = json.loads((model / "record.json").read_text())
    record["id"], record["warnings"], record["verdict"], record["review"] = to.name, [], "read", True
    for f in record["fields"].values():
        f.update(p=.99, p_legal=.99, confidence=.99)
        f.pop("verdict", None)
    change(record)
    (to / "record.json").write_text(json.dumps(record, indent=2))
    return to


def lines(folder):
    file = folder / "review.jsonl"
    return [json.loads(x) for x in file.read_text().splitlines()] if file.exists() else []


AT = "(document.activeElement?.dataset?.pointer ?? '')"
SPOT = f"(document.getElementById('title').textContent + '|' + document.getElementById('left').textContent + '|' + {AT})"
READY = f"!document.getElementById('work').hidden && {AT} !== ''"
STATUS = "document.getElementById('status').textContent"
SAVED = "document.getElementById('status').textContent === 'saved'"
DONE = "!document.getElementById('list').hidden && document.getElementById('list-note').textContent.startsWith('All done')"


def open_page(c, server):
    c.open("about:blank")
    c.open(server.address)
    c.wait(f"({READY}) || ({DONE})")


def step(c, key, modifiers=0):
    """A key, and what it leads to: another value has the focus, or nothing is left."""
    before = c.js(f"location.href + {AT} + document.getElementById('form').childElementCount + (window.opened ??= 0)")
    was = c.js(f"window.was = document.activeElement, {AT}")
    c.key(key, modifiers)
    c.wait(f"({DONE}) || (document.activeElement !== window.was && {AT} !== '')")
    return was, before


def hundred(c, server):
    keys = 0
    for turn in range(130):
        if c.js(DONE):
            break
        if turn == 37:
            # in mid-save: the key is down, the answer not yet here
            c.key("Enter")
            keys += 1
            server.end(signal.SIGKILL)
            told = [x for x in every() if x]
            server = Server()
            kept = every()
            says("kill -9 in mid-save loses nothing that was there", kept[:len(told)] == told or
                 all(t in kept for t in told), (told, kept))
            open_page(c, server)
            continue
        step(c, "Enter")
        keys += 1
    return keys, server


def every():
    return [(d.name, x["pointer"]) for d in sorted((spool / "done").iterdir()) for x in lines(d)]


def flagged(record):
    for i, pointer in enumerate(["/date", "/items/1/price", "/total"][:2 + int(record["id"][-1], 16) % 2]):
        record["fields"][pointer]["confidence"] = .3 + .1 * i


def look(c, name):
    if not pictures:
        return
    pictures.mkdir(exist_ok=True)
    for width, height in ((1440, 900), (1280, 800), (600, 900), (390, 844)):
        for dark in (False, True):
            c.size(width, height, dark)
            time.sleep(.5)
            c.picture(pictures / f"{name}-{width}-{'dark' if dark else 'light'}.png")
    c.size(1280, 800)


def confirming(c, model):
    for n in range(40):
        make(model, n, flagged)
    total = sum(sum(f.get("confidence", 1) < .7 for f in json.loads((d / "record.json").read_text())["fields"].values())
                for d in (spool / "done").iterdir() if d.name.startswith("20261101"))
    says("40 documents have 100 flagged values", total == 100, total)
    server = Server()
    open_page(c, server)
    look(c, "doubt")
    keys, server = hundred(c, server)
    said = every()
    says("nothing is left", c.js(DONE), c.js(SPOT))
    says("every value was said once", len(said) == len(set(said)) == 100, (len(said), len(set(said))))
    says(f"{keys} keys for 100 values, no mouse", keys <= 130, keys)
    look(c, "nothing")
    server.end()
    out = subprocess.run([platen, "export", str(spool), "--to", "jsonl"], capture_output=True, text=True, check=True).stdout
    by_person = sum(f.get("source") == "person" for r in map(json.loads, out.splitlines()) for f in r["fields"].values())
    says("all of them are in the export", by_person == 100, by_person)


def box_of(c, selector):
    return c.js(f"(() => {{ const r = document.querySelector({selector!r}).getBoundingClientRect(); "
                "return [r.left, r.top, r.width, r.height]; })()")


def at_word(folder, pointer):
    e = json.loads((folder / "record.json").read_text())["fields"][pointer]["evidence"][0]["box"]
    return e[0] + e[2] / 2, e[1] + e[3] / 2


def editing(c, model):
    def doubtful(record):
        for pointer in ("/merchant", "/items/0/name", "/items/2/price", "/items/2/quantity", "/total"):
            record["fields"][pointer]["confidence"] = .4
        record["data"]["merchant"] = "<script>document.title='in'</script><img src=x onerror=alert(1)>"
        record["warnings"] = [{"code": "blank", "text": "<b>bold</b>"}]
    folder = make(model, 100, doubtful)
    before = json.loads((folder / "record.json").read_text())["data"]
    server = Server()
    open_page(c, server)
    says("markup of a document is text", c.js("document.querySelectorAll('script, #form img, #notes b').length") == 1 and
         c.js("document.activeElement.value").startswith("<script>"), c.js("document.activeElement.value"))
    c.wait("document.getElementById('picture').naturalWidth > 0")
    # typed, and wrong while it is typed
    c.js("document.activeElement.select()")
    for letter in "Shop":
        c.key(letter)
    step(c, "Enter")
    says("at the next doubt", c.js(AT) == "/items/0/name", c.js(AT))
    step(c, "F2")
    for letter in "1x":
        c.key(letter)
    c.wait("document.activeElement.getAttribute('aria-invalid') === 'true'")
    says("what is typed is validated", "number" in c.js("document.activeElement.parentNode.querySelector('.note').textContent"))
    c.key("Escape")
    says("Escape drops what was typed", c.js("document.activeElement.value") == str(before["items"][2]["price"]) or
         c.js("document.activeElement.value").startswith("3"), c.js("document.activeElement.value"))
    # sent before it was validated: back it comes
    c.js("document.activeElement.select()")
    c.key("x")
    c.key("Enter")
    c.wait("document.activeElement.closest('.field')?.querySelector('.note').textContent.startsWith('not saved')")
    says("what is refused is a doubt as before", c.js(AT) == "/items/2/price" and c.js("document.activeElement.value") == "x", c.js(SPOT))
    c.key("Escape")
    # a click on a word takes it, with its place
    x, y, w, h = box_of(c, "#boxes")
    u, v = at_word(folder, "/items/0/price")
    c.mouse(x + u * w, y + v * h)
    c.wait(f"document.activeElement.value !== '{before['items'][2]['price']:.2f}' && !document.querySelector('.field.wrong')", 30)
    taken = c.js("document.activeElement.value")
    says("a click on a word takes it", float(taken) == before["items"][0]["price"], taken)
    step(c, "Enter")
    # a drag marks a box
    c.mouse(x + .2 * w, y + .3 * h, x + .4 * w, y + .4 * h)
    step(c, "Enter")
    c.wait(SAVED)
    said = {s["pointer"]: s for s in lines(folder)}
    says("typed, null, taken and marked are kept", said["/merchant"]["new"] == "Shop" and said["/items/0/name"]["new"] is None and
         said["/items/2/price"]["new"] == before["items"][0]["price"] and
         all(abs(a - b) < .02 for a, b in zip(said["/items/2/quantity"]["box"], (.2, .3, .2, .1))), said)
    says("a number stays as it is written", f'"new":{taken}' in (folder / "review.jsonl").read_text(), taken)
    # undo
    c.key("z", CTRL)
    c.wait(f"{AT} === '/items/2/quantity' && document.getElementById('status').textContent === 'undone'")
    says("undo brings the doubt back", c.js("document.activeElement.closest('.field').dataset.level") == "doubt",
         c.js("document.activeElement.closest('.field').dataset.level"))
    rows(c, folder, before)
    help_and_leave(c)
    server.end()
    two_tabs(c, folder)


def rows(c, folder, before):
    count = "document.querySelectorAll('.row').length"
    n = c.js(count)
    c.key("i", ALT)
    c.wait(f"{count} === {n + 1} && {AT} === '/items/3/name'")
    c.key("r", ALT)
    c.wait(f"{count} === {n}")
    c.wait(f"{AT}.startsWith('/items/3/')")
    c.js("(() => { const f = document.querySelector('[data-pointer=\"/items/2/name\"]'); f.focus(); f.setSelectionRange(6, 6); })()")
    c.key("s", ALT)
    c.wait(f"{count} === {n + 1}")
    c.wait("document.querySelector('[data-pointer=\"/items/3/name\"]') !== null")
    name = before["items"][2]["name"]
    says("rows are added, removed, split", [c.js(f"document.querySelector('[data-pointer=\"/items/{i}/name\"]').value") for i in (2, 3)] ==
         [name[:6].strip(), name[6:].strip()], name)
    c.key("z", CTRL)
    c.wait(f"{count} === {n}")


def help_and_leave(c):
    c.wait(READY)
    c.js("document.activeElement.select()")
    c.key("?")
    says("? shows the keys", c.wait("document.getElementById('help').open"))
    look(c, "keys")
    c.key("Escape")
    c.wait("!document.getElementById('help').open")
    was = c.js(AT)
    c.key("Tab")
    on = c.js(AT)
    c.key("Tab", SHIFT)
    says("Tab and Shift+Tab go between values", on not in ("", was) and c.js(AT) == was, (was, on, c.js(AT)))
    c.key("Escape")
    says("Escape leaves", c.wait("!document.getElementById('list').hidden && document.getElementById('queue').childElementCount === 1"))
    look(c, "list")


def two_tabs(c, folder):
    server = Server()
    open_page(c, server)
    at = c.js(AT)
    record = json.loads((folder / "record.json").read_text())
    said = lines(folder)
    token = server.address.split("#")[1]
    body = {"version": len(said), "changes": [{"pointer": at, "new": 77}]}
    other = subprocess.run(["curl", "-s", "-H", f"X-Platen-Token: {token}", "-H", f"Origin: {server.here[:-1]}", "-H",
                            "Content-Type: application/json", "-d", json.dumps(body), f"{server.here}api/v1/documents/{folder.name}/corrections"],
                           capture_output=True, text=True, check=True).stdout
    c.key("Enter")
    shown = c.wait("document.querySelector('.field.wrong .note')?.textContent")
    says("the second tab sees who confirmed it", shown.startswith("confirmed by ") and "77" in shown, (shown, other))
    says("and has overwritten nothing", lines(folder)[-1]["new"] == 77 and record["id"] == folder.name, lines(folder)[-1])
    server.end()


def middle_of(c, selector):
    x, y, w, h = box_of(c, selector)
    return x + w / 2, y + h / 2


def hints(c, model):
    """Buttons that say their keys, a null of an unread page, a date that is none, a server that is gone."""
    def unread(record):
        record["verdict"] = "unread"
        record["data"]["date"] = record["data"]["currency"] = None
        for f in record["fields"].values():
            f["confidence"] = .05 # it is opened first
    folder = make(model, 150, unread)
    server = Server()
    open_page(c, server)
    told = c.js("['accept', 'absent', 'discard'].map((id) => document.getElementById(id).textContent.trim()).join('; ')")
    says("keys are shown as buttons", told == "Accept Enter; Not on the page F2; All documents Esc" and
         box_of(c, "#accept")[2] > 0, told)
    look(c, "keys-shown")
    c.js("document.querySelector('[data-pointer=\"/date\"]').focus()")
    note = "document.querySelector('[data-pointer=\"/date\"]').closest('.field').querySelector('.note').textContent"
    holder = "document.querySelector('[data-pointer=\"%s\"]').placeholder"
    says("a null of an unread page was not read", c.js(holder % "/date") == "not read", c.js(holder % "/date"))
    for letter in "2/9":
        c.key(letter)
    c.wait(f"{note}.startsWith('enter a date')")
    says("a date that is none says how to type one", c.js(note) == "enter a date like 13 April 2025 or 2025-04-13", c.js(note))
    c.mouse(*middle_of(c, "#discard"))
    says("a click on Discard drops what was typed", c.js("document.activeElement.value") == "" and c.js(AT) == "/date", c.js(SPOT))
    c.mouse(*middle_of(c, "#absent"))
    c.wait(f"{SAVED} && {AT} !== '/date'")
    says("a null that a person gave is not on the page", c.js(holder % "/date") == "not on the page", c.js(holder % "/date"))
    at = c.js(AT)
    c.mouse(*middle_of(c, "#accept"))
    c.wait(f"{SAVED} && {AT} !== '{at}'")
    said = [s["pointer"] for s in lines(folder)]
    says("a click on Accept keeps the value", said == ["/date", at], said)
    server.end(signal.SIGKILL)
    c.key("Enter")
    c.wait(f"{STATUS}.includes('platen review has stopped')")
    says("a server that is gone is told of", c.js("document.getElementById('status').classList.contains('stopped')"), c.js(STATUS))
    shutil.rmtree(folder)


def large(c, model):
    def long(record):
        row, fields = record["data"]["items"][0], record["fields"]
        for i in range(2000):
            if i >= len(record["data"]["items"]):
                record["data"]["items"].append(dict(row))
            for key in row:
                fields[f"/items/{i}/{key}"] = dict(fields[f"/items/0/{key}"], confidence=.2 if i in (0, 999, 1999) and key == "price" else .99)
    make(model, 200, long)
    server = Server()
    since = time.time()
    c.open("about:blank")
    c.open(server.address)
    c.wait(f"{AT} === '/items/0/price'")
    first = time.time() - since
    step(c, "Enter")
    middle = c.js(AT)
    since = time.time()
    step(c, "Enter")
    one = time.time() - since
    says(f"2,000 rows: the first value after {first:.1f} s, the next after {one:.2f}",
         first < 15 and one < 8 and middle == "/items/999/price" and c.js(AT) == "/items/1999/price", (middle, c.js(AT)))
    says("not all rows are built", c.js("document.querySelectorAll('.row.built').length") < 400)
    c.wait(SAVED)
    server.end()


def failing(c):
    """What failed: said why, filled in by hand; another is tried again."""
    for d in list((spool / "done").iterdir()):
        shutil.rmtree(d)
    (spool / "in/receipt").mkdir(exist_ok=True)
    for name in ("encrypted.pdf", "letter.pdf"):
        shutil.copy(Path(__file__).parents[2] / "samples/bad" / name, spool / "in/receipt")
        subprocess.run([platen, "run", str(spool), "-q", "--stable-for", "0"], stderr=subprocess.DEVNULL, check=False)
        time.sleep(1.1)  # ids are in the order of seconds
    server = Server()
    c.open("about:blank")
    c.open(server.address)
    c.wait("document.querySelector('#notes [data-act=retry]') !== null")
    told = c.js("document.getElementById('notes').textContent")
    says("a failed document says why and what to do, once", "encrypted" in told and told.count("password.") == 1 and "qpdf" in told, told)
    look(c, "failed")
    schemas = c.js("[...document.querySelector('#notes select').options].map(o => o.value).join()")
    says("it may be tried with another schema", "invoice" in schemas and "receipt" in schemas, schemas)
    says("its own is chosen", c.js("document.querySelector('#notes select').value") == "receipt")
    says("and dismissed", c.js("document.querySelector('#notes [data-act=dismiss]') !== null"))
    c.key("Enter")
    says("another Enter does nothing to it", len(list((spool / "failed").iterdir())) == 2)
    c.wait("document.getElementById('paper-note').textContent.includes('cannot be shown')")
    says("an encrypted one has no picture, and no fault of the server",
         not [x for x in c.complaints() if "status of 500" in x], c.complaints())
    for _ in range(3): # kind of document, Try again, Fill in by hand
        c.key("Tab")
    c.key("Enter")
    c.wait(f"{AT} === '/merchant'")
    for letter in "Cafe":
        c.key(letter)
    c.key("Enter")
    says("Enter goes on in a form that is kept as a whole", c.js(AT) == "/date", c.js(AT))
    c.js("document.getElementById('save').focus()")
    c.key("Enter")
    c.wait("document.getElementById('notes').textContent.includes('unknown-type')")
    by_hand = [json.loads((d / "record.json").read_text()) for d in (spool / "done").iterdir()]
    says("and is kept as its record", [(r["engine"], r["data"]["merchant"]) for r in by_hand] == [("person", "Cafe")], by_hand)
    says("what is said of one is not said of the next", "saved" in c.js(STATUS) or c.js(STATUS) == "", c.js(STATUS))
    c.js("document.querySelector('#notes [data-act=retry]').focus()")
    c.key("Enter")
    c.wait(DONE)
    says("another is given back", len(list((spool / "work").iterdir())) == 1 and not list((spool / "failed").iterdir()))
    server.end()


def note_of(c, pointer):
    return c.js(f"document.querySelector('[data-pointer=\"{pointer}\"]').closest('.field').querySelector('.note').textContent")


def words(c, model):
    """Why a value is in doubt, and which comes first; amounts and dates as people write them."""
    def german(record):
        for pointer, confidence in (("/merchant", .6), ("/date", .5), ("/items/1/price", .2), ("/items/2/quantity", .3)):
            record["fields"][pointer]["confidence"] = confidence
        record["fields"]["/date"].update(verdict="doubtful", doubt="date-order")
        record["warnings"] = [
            {"code": "low-confidence", "pointer": "/date", "text": "review /date: confidence 0.50, day and month may be exchanged"},
            {"code": "check-failed", "pointer": "/total", "text": "review /total: the sum of the items is 4137.60"}]
        record["data"]["items"][0]["price"], record["data"]["total"] = 12.5, 1
        record["fields"]["/items/0/price"]["evidence"][0]["text"] = "12,50"
        for i, row in enumerate(record["data"]["items"][1:]):
            row["price"] = 7
            for e in record["fields"][f"/items/{i + 1}/price"].get("evidence", []): # OCR may not have seen it
                e["text"] = "7"
        record["fields"]["/total"]["evidence"][0]["text"] = "1"
    folder = make(model, 160, german)
    server = Server()
    open_page(c, server)
    says("the least certain value is first", c.js(AT) == "/items/1/price", c.js(AT))
    says("the reason of a doubt is in words", note_of(c, "/date") == "day and month may be exchanged (50 % sure)" and
         note_of(c, "/total") == "does not add up: the sum of the items is 4137.60", (note_of(c, "/date"), note_of(c, "/total")))
    look(c, "words")

    def typed(pointer, text, wanted):
        c.js(f"document.querySelector('[data-pointer=\"{pointer}\"]').focus(); document.activeElement.select()")
        for letter in text:
            c.key(letter)
        for _ in range(60):
            if wanted in note_of(c, pointer):
                return True
            time.sleep(.05)
        return False
    for pointer, text, wanted in (
            ("/total", "4.137,60", "understood as 4137.60"), ("/total", "1.234", "understood as 1234"),
            ("/total", "(12,50 \u20ac)", "understood as -12.50"), ("/items/2/quantity", "1.000", "understood as 1000"),
            ("/date", "13 April 2025", "understood as 2025-04-13"), ("/date", "13. M\u00e4rz 2025", "understood as 2025-03-13"),
            ("/date", "03/04/2025", "can mean two things: write 2025-04-03 or 2025-03-04"),
            ("/date", "31/02/2025", "enter a date like"), ("/currency", "\u00a3", "understood as GBP"),
            ("/currency", "x1", "this does not fit: ISO 4217 code")):
        says(f"typed {text}: {wanted}", typed(pointer, text, wanted), note_of(c, pointer))
        c.key("Escape")
    typed("/date", "03/04/2025", "can mean two things")
    c.key("Enter")
    says("what can mean two things is not saved", c.js(AT) == "/date" and not lines(folder), lines(folder))
    c.key("Escape")
    typed("/total", "4.137,60", "understood")
    step(c, "Enter")
    c.wait(SAVED)
    says("what is saved is what was understood", '"new":4137.60,' in (folder / "review.jsonl").read_text(), (folder / "review.jsonl").read_text())
    says("and shown so", c.js("document.querySelector('[data-pointer=\"/total\"]').value") == "4137.60")
    server.end()
    shutil.rmtree(folder)


def listing(c, model):
    """450 documents: pages of the list, a search in any of them; failed ones, each after the other."""
    def doubt(record):
        record["fields"]["/total"]["confidence"] = .3
    made = [make(model, 1000 + i, doubt) for i in range(450)]
    for i, folder in enumerate(made):
        name = json.loads((folder / "name.json").read_text())
        name["name"] = ("S\u00fcdwind" if i % 45 == 44 else "Nordwind") + f" {i}.png"
        (folder / "name.json").write_text(json.dumps(name))
    failed = []
    for i in range(5):
        failed.append(spool / "failed" / f"20261102T00000{i}Z-{i:016x}")
        shutil.copytree(made[0], failed[-1])
        (failed[-1] / "record.json").unlink()
        (failed[-1] / "name.json").write_text(json.dumps({"name": f"lost {i}.png", "folder": "reciept"}))
        (failed[-1] / "reason.json").write_text(json.dumps({
            "id": failed[-1].name, "code": "unknown-schema", "stage": "prompt", "text": "no schema in /srv/schemas is called reciept"}))
    server = Server()
    open_page(c, server)
    c.wait("!document.getElementById('left').textContent.includes('searching')")
    c.js("document.getElementById('leave').click()")
    rows, note = "document.querySelectorAll('#queue li').length", "document.getElementById('list-note').textContent"
    c.wait(f"{rows} === 200 && {note}.startsWith('1 to 200 of 45')")
    total = int(c.js(note).split()[-1])
    look(c, "list")
    c.js("document.getElementById('pages-on').click()")
    c.wait(f"{note} === '201 to 400 of {total}'")
    c.js("document.getElementById('pages-on').click()")
    c.wait(f"{rows} === {total - 400} && document.getElementById('pages-on').disabled")
    says("a long list has pages", "not read: " in c.js("document.getElementById('queue').lastChild.textContent"))
    c.js("document.getElementById('search').focus()")
    for letter in "sudwind":
        c.key(letter)
    c.wait(f"{rows} === 10")
    says("a search finds a name in any of them, whatever its accents", "S\u00fcdwind 44.png" in c.js("document.getElementById('queue').textContent"))
    c.js("document.querySelector('#queue button').click()")
    c.wait(READY)
    first = c.js("document.getElementById('title').textContent")
    step(c, "Enter")
    c.wait(f"document.getElementById('title').textContent !== {json.dumps(first)}")
    says("the next one is of the same search", c.js("document.getElementById('title').textContent").startswith("S\u00fcdwind"), c.js(SPOT))
    c.js("document.getElementById('leave').click()")
    c.js("document.getElementById('search').value = 'lost'; document.getElementById('search').dispatchEvent(new Event('input'))")
    c.wait(f"{rows} === 5")
    c.js("document.querySelectorAll('#queue button')[2].click()")
    c.wait("document.querySelector('#notes [data-act=dismiss]') !== null")
    told = c.js("document.getElementById('notes').textContent")
    says("a failure is told without stages and commands", "prompt" not in told and "platen retry" not in told and "/srv" not in told and "Choose what kind" in told, told)
    says("a schema that was mistyped is proposed, with the button beside it", c.js("document.querySelector('#notes select').value") == "receipt" and
         c.js("document.querySelector('#notes [data-act=retry]').parentNode.contains(document.querySelector('#notes select'))"))
    look(c, "mistyped")
    c.js("document.querySelector('#notes [data-act=dismiss]').click()")
    c.wait("document.getElementById('title').textContent === 'lost 3.png'")
    c.wait(f"{STATUS} !== ''")
    says("after Dismiss comes the next one", c.js(STATUS).startswith("lost 2.png: dismissed"), c.js(STATUS))
    c.js("document.querySelector('#notes [data-act=dismiss]').click()")
    c.wait("document.getElementById('title').textContent === 'lost 4.png'")
    c.js("document.getElementById('leave').click()")
    c.wait(f"{rows} === 3")
    c.js("document.querySelector('#queue button').click()")
    c.wait("document.getElementById('title').textContent === 'lost 0.png'")
    says("what was said of another is gone", c.js(STATUS) == "", c.js(STATUS))
    server.end()
    for folder in made + failed:
        shutil.rmtree(folder)


def main():
    model = next(d for d in (spool / "done").iterdir())
    c = Chrome(1280, 800)
    try:
        record = json.loads((model / "record.json").read_text())
        for f in record["fields"].values():
            f["confidence"] = .99
        record["warnings"], record["review"] = [], False
        (model / "record.json").write_text(json.dumps(record, indent=2))
        confirming(c, model)
        editing(c, model)
        hints(c, model)
        words(c, model)
        listing(c, model)
        large(c, model)
        failing(c)
        # a server that was killed, and a second clerk, are complaints of the network
        own = [x for x in c.complaints() if not re.search("ERR_CONNECTION|Failed to load resource|Failed to fetch", x)]
        says("the page complains of nothing", not own, own)
        away = [u for u in c.outside("http://127.0.0.1:") if u]
        says("and asks nobody else", not away, away)
    except TimeoutError as late:
        says("driven to its end", False, f"{late}; {c.js(SPOT)}; {c.js(STATUS)}; {c.complaints()}")
    finally:
        c.close()
    return failed > 0


if __name__ == "__main__":
    os.environ.setdefault("PLATEN_CONFIG", "")
    sys.exit(main())
