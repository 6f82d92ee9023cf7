#!/usr/bin/env python3
"""supervisor.py PLATEN ROOT SCRATCH - stands for systemd: starts `platen watch` with a
notification socket and a watchdog, and tells whether it says what it must, when it
must. Prints "ok - service: ..." or "not ok - ...".
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

PLATEN, ROOT, SCRATCH = sys.argv[1:4]
GOOD = f"{ROOT}/tests/faults/good.png"
failed = 0


def check(name, fine, why=""):
    global failed
    print(f"ok - service: {name}" if fine else f"not ok - service: {name}: {why}", flush=True)
    failed |= not fine


class Service:
    """One `platen watch` and what it said to its supervisor."""

    def __init__(self, name, watchdog_s=0.6, abstract=False, **more):
        self.spool = f"{SCRATCH}/{name}"
        os.makedirs(f"{self.spool}/in/faults", exist_ok=True)
        self.conf = f"{SCRATCH}/{name}.conf"
        if not os.path.exists(self.conf):
            self.write_conf("")
        path = f"{SCRATCH}/{name}.socket"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + path if abstract else path)
        self.log = open(f"{SCRATCH}/{name}.log", "w+")
        st = os.fstat(self.log.fileno())
        environment = dict(os.environ, NOTIFY_SOCKET="@" + path if abstract else path, PLATEN_OCR="off",
                           WATCHDOG_USEC=str(int(watchdog_s * 1e6)), JOURNAL_STREAM=f"{st.st_dev}:{st.st_ino}")
        environment.pop("PLATEN_CONFIG", None)
        arguments = ["--config", self.conf, "--engine", "null", "--stable-for", "0", "--min-free-space", "1", "--schemas", f"{ROOT}/tests/faults"]
        self.process = subprocess.Popen([PLATEN, "watch", self.spool, *arguments, *more.get("arguments", [])],
                                        env=environment, stderr=self.log, stdout=subprocess.DEVNULL)

    def write_conf(self, text):
        with open(self.conf, "w") as f:
            f.write(text)

    def hears(self, word, seconds):
        """Waits for a message with the word; what came up to it, or None."""
        end, said = time.monotonic() + seconds, []
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                said.append(self.socket.recv(4096).decode())
            except TimeoutError:
                return None
            if word in said[-1].split("\n") or any(line.startswith(word) for line in said[-1].split("\n")):
                return said
        return None

    def drain(self):
        self.socket.setblocking(False)
        n = 0
        try:
            while self.socket.recv(4096):
                n += 1
        except BlockingIOError:
            return n

    def says(self, pattern, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with open(self.log.name) as f:
                if re.search(pattern, f.read()):
                    return True
            time.sleep(0.05)
        return False

    def done(self, n, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end and len(os.listdir(f"{self.spool}/done")) < n:
            time.sleep(0.05)
        return len(os.listdir(f"{self.spool}/done")) >= n

    def stop(self, how=signal.SIGTERM):
        began = time.monotonic()
        self.process.send_signal(how)
        code = self.process.wait(timeout=40)
        return code, time.monotonic() - began

    def drop(self, name):
        with open(GOOD, "rb") as a, open(f"{self.spool}/in/faults/{name}", "wb") as b:
            b.write(a.read())


def life():
    s = Service("life")
    check("it says that it is ready", s.hears("READY=1", 20) is not None)
    s.drop("one.png")
    check("and works", s.done(1))
    s.drain()
    time.sleep(1.5)
    beats = s.drain()
    check("its loop gives signs of life, often enough", beats >= 3, beats)
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(s.process.pid)], capture_output=True, text=True).stdout
    s.process.send_signal(signal.SIGSTOP)
    time.sleep(0.3)
    s.drain()
    time.sleep(1.5)
    check("none come while the supervisor stands still, though its children live", s.drain() == 0 and children.strip() != "", children)
    s.process.send_signal(signal.SIGCONT)
    check("and again when it goes on", s.hears("WATCHDOG=1", 5) is not None)
    s.drain()
    s.write_conf("[spool]\nrescan = 0.5\nlog_formt = json\n")
    s.process.send_signal(signal.SIGHUP)
    said = s.hears("RELOADING=1", 10)
    check("SIGHUP: it says that it reloads, and since when", said and re.search(r"MONOTONIC_USEC=\d{5,}", said[-1]), said)
    check("a bad file keeps the old configuration, and is named", s.hears("READY=1", 10) is not None and
          s.says(r"<4>platen: warning: the configuration was not reloaded: .*life\.conf.*log_formt"))
    s.drop("two.png")
    check("and the work goes on", s.done(2))
    s.write_conf("[log]\nlog_format = json\n")
    s.process.send_signal(signal.SIGHUP)
    check("a good one is taken", s.hears("RELOADING=1", 10) is not None and s.hears("READY=1", 10) is not None
          and s.says('"message":"the configuration was reloaded"'))
    s.drop("three.png")
    s.done(3)
    code, took = s.stop()
    said = s.hears("STOPPING=1", 5)
    check("SIGTERM: it says that it stops, and ends with 0 within 5 s", said is not None and code == 0 and took < 5, (said, code, took))
    with open(s.log.name) as f:
        lines = f.read().splitlines()
    check("each line has the priority of the journal", all(re.match(r"<[346]>", line) for line in lines), lines[:3])
    events = [json.loads(line[3:]) for line in lines if line[3:4] == "{"]
    done = [e for e in events if e.get("event") == "done"]
    check("an event is one object a line", done and done[-1]["name"] == "three.png" and done[-1]["id"] in os.listdir(f"{s.spool}/done")
          and done[-1]["pages"] == 1 and done[-1]["level"] == "info" and re.fullmatch(r"\d{4}-.*Z", done[-1]["time"]), events)


def drains():
    s = Service("drain", abstract=True, arguments=["--jobs", "2"])
    check("an abstract socket is spoken to as well", s.hears("READY=1", 20) is not None)
    for i in range(40):
        s.drop(f"{i}.png")
    s.done(3)
    code, took = s.stop()
    charged = [f for d, _, fs in os.walk(f"{s.spool}/work") for f in fs if re.fullmatch(r"attempt\.\d+", f) and f + ".end" not in fs]
    lost = 40 - sum(len(os.listdir(f"{s.spool}/{p}")) for p in ("in/faults", "work", "done", "failed"))
    check("drained: each document is finished or put back, no attempt charged", code == 0 and took < 5 and not charged and lost == 0,
          (code, took, charged, lost))
    fsck = subprocess.run([PLATEN, "fsck", s.spool], capture_output=True, text=True)
    check("fsck is content", fsck.returncode == 0, fsck.stdout[-300:])


def hostile():
    s = Service("names", watchdog_s=0.6, arguments=["--log-format", "json"])
    s.hears("READY=1", 20)
    check("flags choose the form of lines", s.says('^<6>{"time":'))
    with open(f"{s.spool}/in/faults/".encode() + b'a"\n\xff{}\\.png', "wb") as f:
        f.write(b"nonsense")
    s.says('"event":"failed"')
    s.stop()
    with open(s.log.name) as f:
        lines = f.read().splitlines()
    events = [json.loads(re.sub(r"^<\d>", "", line)) for line in lines]
    bad = [e for e in events if e.get("event") == "failed"]
    check("a hostile name is one object on one line, as a warning", len(bad) == 1 and bad[0]["level"] == "warning" and bad[0]["reason"], events)


life()
drains()
hostile()
sys.exit(failed)
