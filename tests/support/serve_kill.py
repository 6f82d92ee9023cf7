#!/usr/bin/env python3
"""serve_kill.py PLATEN SCRATCH [EVERY] - SIGKILL at each system call of an upload, by strace, in each process of the
server: what was acknowledged is there afterwards, what was not is there once or not at all, and the same key makes it
exactly one document."""
import collections
import http.client
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from spool_client import Server

platen, scratch, every = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
DATA = bytes(range(256)) * 20
CALLS = "openat,mkdirat,pwrite64,write,fsync,renameat2,renameat,unlinkat,close,flock,ftruncate,sendmsg,recvmsg,fstat,newfstatat"


def fresh():
    spool = scratch / "spool"
    shutil.rmtree(spool, ignore_errors=True)
    subprocess.run([platen, "init", spool, "--schemas", "schemas"], capture_output=True, check=True)
    return spool


def attempt(server, whole):
    """Uploads DATA; the acknowledged id, or None."""
    try:
        if not whole:
            return server.upload("x.bin", DATA, "receipt", "key", piece=3000)
        r = server("POST", "/documents?schema=receipt&name=x.bin", DATA, Idempotency_Key="key", timeout=10)
        return r.json["id"] if r.status == 201 else None
    except (OSError, http.client.HTTPException, AssertionError, ValueError):
        return None


def documents(spool):
    return [p for p in (spool / "work").iterdir() if (p / "doc").exists()]


def pool(server):
    """The process that handles a request of any kind: the first of those (the sixth child is the last)."""
    pid = server.child.pid
    kids = [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [k for k in kids if Path(f"/proc/{k}/comm").read_text().startswith("platen-request")]


def traced(pids, *args):
    """strace on running processes; returns when it is attached."""
    tracer = subprocess.Popen(["strace", "-qq", "-o", str(scratch / "calls"), *args, *sum((["-p", str(p)] for p in pids), [])],
                              stderr=subprocess.DEVNULL)
    until = time.time() + 10
    while time.time() < until:
        state = [Path(f"/proc/{p}/status").read_text() for p in pids]
        if all(re.search(r"TracerPid:\t[1-9]", s) for s in state):
            return tracer
        time.sleep(0.01)
    raise SystemExit("strace does not attach")


def processes(server, which):
    return [server.child.pid] if which == "server" else pool(server)[2:3]


def count(which, whole):
    """How often each call is made during one upload."""
    spool = fresh()
    server = Server(platen, spool, "--schemas", "schemas")
    time.sleep(0.3)
    tracer = traced(processes(server, which), "-e", "trace=" + CALLS)
    assert attempt(server, whole)
    time.sleep(0.1)
    tracer.terminate()
    tracer.wait()
    server.stop()
    return collections.Counter(re.findall(r"^(\w+)\(", (scratch / "calls").read_text(), re.M))


def one(which, whole, call, n):
    spool = fresh()
    server = Server(platen, spool, "--schemas", "schemas")
    time.sleep(0.05)
    tracer = traced(processes(server, which), "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={n}")
    acked = attempt(server, whole)
    server.child.kill()
    server.child.wait()
    tracer.wait()
    there = documents(spool)
    if len(there) > 1:
        return "two documents"
    if acked and [p.name for p in there] != [acked]:
        return "what was acknowledged is not there"
    for p in there:
        if (p / "doc").read_bytes() != DATA or json.loads((p / "name.json").read_text())["name"] != "x.bin":
            return "it is not whole"
    server.start()
    again = attempt(server, whole)
    server.stop()
    there = documents(spool)
    if again is None or [p.name for p in there] != [again] or (acked and acked != again):
        return f"the same key again: {acked}, {again}, {[p.name for p in there]}"
    return None if (there[0] / "doc").read_bytes() == DATA else "it is not whole in the end"


points = failures = 0
for which in ("pool", "server"):
    for whole in (True, False):
        for call, most in sorted(count(which, whole).items()):
            for n in range(1, most + 1):
                points += 1
                if points % every:
                    continue
                why = one(which, whole, call, n)
                if why:
                    failures += 1
                    print(f"not ok - serve kill: {which} {'whole' if whole else 'pieces'} {call} {n}: {why}", flush=True)
print(f"{'not ok' if failures else 'ok'} - serve kill: {points} points, every {every} tried, {failures} failures")
sys.exit(failures > 0)
