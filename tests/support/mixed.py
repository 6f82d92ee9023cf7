#!/usr/bin/env python3
"""mixed.py - a hot folder of many different files: drops them, and accounts for each.

    mixed.py drop SPOOL N LIST    writes what was dropped, and how it must end, to LIST
    mixed.py wait SPOOL SECONDS   until nothing is left; fails after SECONDS without progress
    mixed.py check SPOOL LIST     prints what is wrong

Everything in samples/ is dropped again and again, into other folders each time: samples/good and
samples/bad with the schema receipt, samples/*/NAME with the schema NAME. Files that this makes are in between.
"""
import collections
import itertools
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote_to_bytes

ROOT = Path(__file__).resolve().parents[2]
NAMES = [b"2026", "Müller & Söhne".encode(), b"50%", b"new\nline", b"\xfflatin", b"scan.json", b"-rf", b"a b"]


def samples():
    """(schema, file name, bytes, outcome) of each; "" if the outcome does not matter."""
    schemas = {p.name.split(".")[0] for p in (ROOT / "schemas").glob("*.schema.json")}
    for path in sorted((ROOT / "samples").glob("*/**/*")):
        kind = path.relative_to(ROOT / "samples").parts[0]
        if not path.is_file() or kind == "expected" or kind.startswith("_"):
            continue
        schema = path.parent.name if path.parent.name in schemas else "receipt"
        yield schema, os.fsencode(path.name), path.read_bytes(), {"bad": "failed", "good": "done", "other": "done"}.get(kind, "")


def broken(given):
    """The same for files that are broken on purpose."""
    chance = random.Random(1)
    good = [g for g in given if g[3] == "done"]
    yield "receipt", b"empty.png", b"", "failed"
    yield "letter", b"noise.pdf", chance.randbytes(5000), "failed"
    yield "no-such-schema", b"lost.png", good[0][2], "failed"
    for schema, name, data, _ in good:
        yield schema, b"half-" + name, data[:len(data) // 2], ""
        hole = bytearray(data)
        hole[len(data) // 3:len(data) // 3 + 64] = bytes(64)
        yield schema, b"hole-" + name, bytes(hole), ""


def put(spool, folder, name, data, how):
    """In place, in two pieces; under another name first; in a folder that is moved in."""
    place = os.path.join(spool, b"in", folder)
    if how == 3 and not os.path.exists(place):
        stage = os.path.join(spool, b"stage")
        os.makedirs(stage)
        with open(os.path.join(stage, name), "wb") as f:
            f.write(data)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.rename(stage, place)
        return
    os.makedirs(place, exist_ok=True)
    final = os.path.join(place, name)
    half = final + b".part" if how == 1 else final
    with open(half, "wb") as f:
        f.write(data[:len(data) // 2])
        f.flush()
        f.write(data[len(data) // 2:])
    if half != final:
        os.rename(half, final)


def drop(spool, n, listed):
    given = list(samples())
    kinds = given + list(broken(given))
    with open(listed, "w") as out:
        for i in range(n):
            schema, name, data, outcome = kinds[i % len(kinds)]
            copy = i // len(kinds)
            below = list(itertools.islice(itertools.cycle(NAMES), copy % 5 + copy // 5, copy // 5 * 2 + copy % 5)) if copy else []
            folder = b"/".join([schema.encode()] + below + ([b"%d" % copy] if copy else []))
            put(spool, folder, name, data, i % 4)
            out.write(json.dumps([folder.hex(), name.hex(), outcome]) + "\n")
        os.symlink("/etc/passwd", os.path.join(spool, b"in/receipt/link.png"))
        out.write(json.dumps([b"receipt".hex(), b"link.png".hex(), "failed"]) + "\n")
    for ignored in b"in/receipt/.hidden", b"in/receipt/x.part":
        Path(os.fsdecode(os.path.join(spool, ignored))).touch()


def wait(spool, patience):
    before, since = None, time.monotonic()
    while True:
        told = subprocess.run([os.environ["PLATEN"], "status", spool, "--json"], capture_output=True, check=True).stdout
        now = {k: v for k, v in json.loads(told).items() if k in ("in", "work", "done", "failed")}
        if not now["in"] and not now["work"]:
            return 0
        if now != before:
            before, since = now, time.monotonic()
        if time.monotonic() - since > patience:
            print(f"nothing has moved for {patience} s: {now}")
            return 1
        time.sleep(0.5)


def documents(spool):
    """(place, folder of the spool, path in in/, name, is it a part) of each."""
    for place in "done", "failed":
        for at in (spool / place).iterdir():
            name = json.loads((at / "name.json").read_text())
            folder = "/".join(filter(None, (name["folder"], name.get("subfolder"))))
            yield place, at, folder, unquote_to_bytes(name["name"]), (at / "part.json").exists()


def check(spool, listed):
    wrong = []
    wanted = {}
    for line in open(listed):
        folder, name, outcome = json.loads(line)
        wanted[bytes.fromhex(folder), bytes.fromhex(name)] = outcome
    out = {os.stat(f).st_ino: f.parent.relative_to(spool / "out") for f in (spool / "out").rglob("*") if f.is_file()}
    found, ids, parts = collections.Counter(), set(), set()
    for place, at, folder, name, is_part in documents(spool):
        ids.add(at.name)
        key = unquote_to_bytes(folder), name
        if not is_part:
            found[key] += 1
            if wanted.get(key, "") not in ("", place):
                why = json.loads((at / "reason.json").read_text())["code"] if place == "failed" else ""
                wrong.append(f"{folder}/{name} is {place} {why}")
        if place == "failed":
            continue
        record = json.loads((at / "record.json").read_text())
        parts.update(p["id"] for p in record.get("parts", []) if isinstance(p, dict) and "id" in p)
        if (at / "parts").exists():
            continue
        where = out.pop((at / "record.json").stat().st_ino, None)
        if where is None or str(where).replace(".json.folder", ".json") != folder:
            wrong.append(f"the record of {folder}/{name} is in out/{where}")
    wrong += [f"{k} was dropped and is nowhere" for k in wanted if not found[k]]
    wrong += [f"{k} is there {n} times" for k, n in found.items() if n != 1 or k not in wanted]
    wrong += [f"the part {p} is nowhere" for p in parts - ids]
    wrong += [f"{f} is left in in/" for f in (spool / "in").rglob("*") if not f.is_dir() and f.name not in (".hidden", "x.part", ".platen")]
    for line in wrong[:10]:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    what, spool, *rest = sys.argv[1:]
    if what == "drop":
        drop(os.fsencode(spool), int(rest[0]), rest[1])
    elif what == "wait":
        sys.exit(wait(spool, float(rest[0])))
    else:
        sys.exit(check(Path(spool), rest[0]))
