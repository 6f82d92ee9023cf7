#!/usr/bin/env python3
"""many.py PLATEN SPOOL N [BYTES] - makes a spool of N documents from the one
document that SPOOL holds in done/: own ids, bytes and names, one in 50 failed,
one in 10 to review; delivered. BYTES: of a document (padded). Then `times`
below measures what a user waits for: many.py PLATEN SPOOL times."""
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def make(spool, n, size):
    model = next(d for d in (spool / "done").iterdir() if not d.name.startswith("2025"))
    doc = (model / "doc").read_bytes()
    record, name = (json.loads((model / f).read_text()) for f in ("record.json", "name.json"))
    same = {f: (model / f).read_bytes() for f in ("attempt.1", "attempt.1.end")}
    out = spool / "out/receipt"
    out.mkdir(parents=True, exist_ok=True)
    for i in range(n):
        day, second = divmod(i, 86400)
        id_ = f"202501{day + 1:02}T{second // 3600:02}{second // 60 % 60:02}{second % 60:02}Z-{i:016x}"
        failed = i % 50 == 49
        to = spool / ("failed" if failed else "done") / id_
        to.mkdir(mode=0o700)
        bytes_ = doc.ljust(size, b"\0") + i.to_bytes(8, "big")
        sha = hashlib.sha256(bytes_).hexdigest()
        write(to / "doc", bytes_)
        write(to / "name.json", json.dumps({**name, "name": f"{'Nordwind' if i % 7 else 'Südwind'} {i}.png"}))
        for file, text in same.items():
            write(to / file, text)
        if failed:
            write(to / "reason.json", json.dumps({
                "id": id_, "code": "encrypted", "created": "2025-01-01T00:00:00Z", "stage": "rasterise",
                "text": "is encrypted", "remedy": "", "source": {"name": "x", "folder": "receipt", "sha256": sha},
                "schema": "receipt", "attempts": []}))
            continue
        record.update(id=id_, review=i % 10 == 0)
        record["source"].update(sha256=sha, bytes=len(bytes_), name=f"{i}.png")
        record["fields"]["/total"]["confidence"] = .2 + i % 400 / 1000 if i % 10 == 0 else .99
        write(to / "record.json", json.dumps(record, indent=2))
        write(to / "delivered", b"")
        os.link(to / "record.json", out / f"{i}.json")


def times(platen, spool):
    for what in (["status"], ["status"], ["export", "--to", "csv"], ["export", "--to", "jsonl"],
                 ["fsck"], ["fsck"]):
        if what == ["status"] and not (spool / "index.db").exists():
            label = "status (first: makes index.db)"
        else:
            label = " ".join(what)
        since, before = time.time(), os.times()
        run = subprocess.run([platen, what[0], str(spool), *what[1:]], stdout=subprocess.DEVNULL, check=False)
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        print(f"{label}: {time.time() - since:.1f} s, {used:.1f} s of processor, exit {run.returncode}", flush=True)


def main():
    platen, spool, what = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    if what == "times":
        times(platen, spool)
    else:
        make(spool, int(what), int(sys.argv[4]) if len(sys.argv) > 4 else 0)


if __name__ == "__main__":
    os.environ.setdefault("PLATEN_CONFIG", "")
    main()
