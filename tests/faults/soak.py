#!/usr/bin/env python3
"""soak.py SECONDS [EVERY] - watchers in bad weather, for a long time.

Documents are dropped without a pause; four watchers share the spool, one of
them reads by an endpoint that misbehaves; every EVERY seconds (10) something
goes wrong: a process is killed or stopped, the disk is full, out/ or the index
is taken away, noise is put where noise can be put, the endpoint goes. In the
end each document is in done/ or failed/ exactly once, only bad ones failed,
fsck is clean, nothing temporary is left, and no watcher grew in memory or
descriptors. Needs $PLATEN; a full disk needs root (a tmpfs of its own).
"""
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLATEN = os.environ.get("PLATEN", os.path.join(ROOT, "build/platen"))
WATCHERS, AGE_S = 4, 4
GROWTH_KB, GROWTH_FD, FD_MOST, TMP_MOST = 16 * 1024, 6, 64, 60
FD_CLOSED = 5  # what a watcher has before it opens its spool, at most
ENV = dict(os.environ, PLATEN_CONFIG="", LC_ALL="C")
ANSWER = '{"text": null}'
# not what the endpoint says of one document (400, null): that would rightly fail it
WEATHER = "ok ok ok 500 ok reset ok hang ok cut ok 401 ok 429 ok garbage ok".split()


class Soak:
    def __init__(self, seconds, every):
        self.until, self.every = time.monotonic() + seconds, every
        self.box = tempfile.mkdtemp(prefix="platen-soak.")
        self.mount = os.path.join(self.box, "disk")
        os.mkdir(self.mount)
        size = 256 + int(seconds / 3)  # MB: what is done stays, only fill_disk is to fill it
        self.small = os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}m", "none", self.mount],
            stderr=subprocess.DEVNULL).returncode == 0
        self.spool = os.path.join(self.mount, "spool")
        os.makedirs(os.path.join(self.spool, "in/faults"))
        self.good = open(os.path.join(ROOT, "tests/faults/good.png"), "rb").read()
        self.dropped, self.bad, self.n = {}, set(), 0
        self.watcher, self.server, self.first = [None] * WATCHERS, None, {}
        self.faults, self.problems, self.restarts, self.moved = {}, [], 0, 0
        self.most_kb = self.most_fd = self.most_tmp = 0
        self.log = open(os.path.join(self.box, "log"), "ab")

    # --- what runs

    def serve(self):
        if self.server:
            self.server.kill()
            self.server.wait()
        port = os.path.join(self.box, "port")
        if os.path.exists(port):
            os.unlink(port)
        logs = os.path.join(self.box, "asked")
        shutil.rmtree(logs, ignore_errors=True)
        os.mkdir(logs)
        how = [random.choice(WEATHER) for _ in range(200)] + ["ok"]
        self.server = subprocess.Popen(
            [sys.executable, os.path.join(ROOT, "tests/support/bad_server.py"), "--port-file", port,
             "--answer", ANSWER, "--log", logs, "--hang", "2"] + how,
            stdout=self.log, stderr=self.log)
        for _ in range(100):
            if os.path.exists(port):
                break
            time.sleep(0.05)
        self.port = open(port).read().strip()

    def options(self, i):
        common = ["--schemas", os.path.join(ROOT, "tests/faults"), "--stable-for", "0", "--rescan", "0.5",
                  "--min-free-space", "1M", "--jobs", "1", "--quiet"]
        if i == 0:
            return common + ["--engine", "endpoint", "--endpoint", f"http://127.0.0.1:{self.port}",
                             "--endpoint-timeout", "1", "--endpoint-tries", "2"]
        return common + ["--engine", "null"]

    def keep_watching(self):
        for i, w in enumerate(self.watcher):
            if w and w.poll() is None:
                continue
            self.restarts += w is not None
            self.watcher[i] = subprocess.Popen([PLATEN, "watch", self.spool] + self.options(i), env=ENV,
                                               stdout=self.log, stderr=self.log)

    def family(self):
        """The watchers and everything below them."""
        pids, parents = [w.pid for w in self.watcher if w and w.poll() is None], {}
        for p in filter(str.isdigit, os.listdir("/proc")):
            try:
                stat = open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()
                parents.setdefault(int(stat[1]), []).append(int(p))
            except OSError:
                pass
        for p in pids:
            pids += parents.get(p, [])
        return pids

    # --- what is dropped

    def drop(self):
        self.n += 1
        tail = f"{self.n} {random.random()}".encode()
        name, bytes_ = f"{self.n}.png", self.good + tail
        if random.random() < 0.1:
            bytes_ = random.choice([os.urandom(random.randrange(1, 4000)), self.good[:200] + tail, tail])
            name = random.choice([f"{self.n}.pdf", f"{self.n}\n.png", f"-{self.n} $(x).tif"])
        self.place(os.path.join(self.spool, "in/faults"), name, bytes_, bytes_[:len(self.good)] != self.good)

    def place(self, folder, name, bytes_, bad):
        tmp = os.path.join(folder, f".{self.n}.part")
        try:
            with open(tmp, "wb") as f:
                f.write(bytes_)
            os.rename(tmp, os.path.join(folder, name))
        except OSError:  # the disk is full: it never was dropped
            if os.path.exists(tmp):
                os.unlink(tmp)
            return
        digest = hashlib.sha256(bytes_).hexdigest()
        self.dropped[digest] = self.dropped.get(digest, 0) + 1
        if bad:
            self.bad.add(digest)

    # --- what goes wrong

    def kill_one(self, how=signal.SIGKILL):
        pids = self.family()
        if pids:
            try:
                os.kill(random.choice(pids), how)
            except ProcessLookupError:
                pass

    def stop_one(self):
        pids = self.family()
        victim = random.choice(pids) if pids else 0
        try:
            os.kill(victim or os.getpid(), signal.SIGSTOP if victim else 0)
            time.sleep(0.5)
            os.kill(victim or os.getpid(), signal.SIGCONT if victim else 0)
        except ProcessLookupError:
            pass

    def fill_disk(self):
        if not self.small:
            return
        ballast = os.path.join(self.mount, "ballast")
        try:
            with open(ballast, "wb") as f:
                while True:
                    f.write(b"x" * 65536)
        except OSError:
            pass
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            self.drop()
            time.sleep(0.1)
        os.unlink(ballast)

    def move_out(self):
        self.moved += 1
        os.rename(os.path.join(self.spool, "out"), os.path.join(self.mount, f"out.{self.moved}"))
        time.sleep(random.random() / 2)
        os.makedirs(os.path.join(self.spool, "out"), exist_ok=True)

    def noise(self):
        for place in ("in", "work", "done", "failed", "out"):
            try:
                with open(os.path.join(self.spool, place, f"~$noise.{self.n}.tmp"), "wb") as f:
                    f.write(os.urandom(100))
            except OSError:
                pass
        # nor is an id without a document one
        os.makedirs(os.path.join(self.spool, "work", f"20260101T000000Z-{self.n:016x}"), exist_ok=True)
        with open(os.path.join(self.spool, "index.db"), "wb") as f:
            f.write(os.urandom(3000))

    def lose_index(self):
        for name in ("index.db", "index.db-wal", "index.db-shm", "reserve"):
            if os.path.exists(os.path.join(self.spool, name)):
                os.unlink(os.path.join(self.spool, name))

    def end_one(self):
        self.kill_one(signal.SIGTERM)

    def fault(self):
        what = random.choice([self.kill_one, self.kill_one, self.kill_one, self.stop_one, self.fill_disk,
                              self.move_out, self.noise, self.lose_index, self.end_one, self.no_endpoint])
        self.faults[what.__name__] = self.faults.get(what.__name__, 0) + 1
        what()

    def no_endpoint(self):
        self.server.kill()
        self.server.wait()
        time.sleep(0.5)
        self.serve()
        if self.watcher[0]:
            self.watcher[0].terminate()  # its address is another now

    # --- what must stay flat

    def measure(self):
        for w in self.watcher:
            try:
                kb = next(int(line.split()[1]) for line in open(f"/proc/{w.pid}/status")
                          if line.startswith("VmRSS"))
                fds = len(os.listdir(f"/proc/{w.pid}/fd"))
            except (OSError, StopIteration, AttributeError):
                continue
            if w.pid not in self.first and fds <= FD_CLOSED:
                continue  # on a busy machine it may take its time to open the spool
            began, kb0, fd0 = self.first.setdefault(w.pid, (time.monotonic(), kb, fds))
            if time.monotonic() - began < AGE_S:
                self.first[w.pid] = (began, max(kb, kb0), max(fds, fd0))
                continue
            self.most_kb, self.most_fd = max(self.most_kb, kb - kb0), max(self.most_fd, fds)
            if kb - kb0 > GROWTH_KB:
                self.problems.append(f"watcher {w.pid} grew from {kb0} to {kb} KB")
            if fds > FD_MOST or fds - fd0 > GROWTH_FD:
                self.problems.append(f"watcher {w.pid} went from {fd0} to {fds} descriptors")
        tmp = len(self.temporary())
        self.most_tmp = max(self.most_tmp, tmp)
        if tmp > TMP_MOST:
            self.problems.append(f"{tmp} temporary files at once")

    def temporary(self):
        found = []
        for place, _, names in os.walk(self.spool):
            found += [os.path.join(place, n) for n in names if n.endswith(".tmp") and "noise" not in n]
        return found

    # --- the end

    def finish(self):
        for w in self.watcher:
            if w and w.poll() is None:
                w.send_signal(signal.SIGCONT)
                w.terminate()
        for w in self.watcher:
            try:
                w.wait(10)
            except subprocess.TimeoutExpired:
                self.problems.append("a watcher does not end by SIGTERM")
                w.kill()
                w.wait()
        self.server.kill()
        self.server.wait()
        for _ in range(4):
            code = subprocess.run([PLATEN, "run", self.spool] + self.options(1), env=ENV,
                                  stdout=self.log, stderr=self.log, timeout=600).returncode
            if code in (0, 16):
                break
        if code not in (0, 16):
            self.problems.append(f"the last run ends with {code}")
        self.check()

    def check(self):
        found, condemned = {}, 0
        for place in ("done", "failed"):
            for id_ in os.listdir(os.path.join(self.spool, place)):
                doc = os.path.join(self.spool, place, id_, "doc")
                if not os.path.isfile(doc):
                    continue
                digest = hashlib.sha256(open(doc, "rb").read()).hexdigest()
                found[digest] = found.get(digest, 0) + 1
                if place == "failed" and digest not in self.bad:
                    condemned += 1
                    reason = open(os.path.join(self.spool, place, id_, "reason.json")).read()
                    self.log.write(reason.encode())
                if place == "done" and digest in self.bad:
                    self.problems.append(f"{id_} is done, and it is noise")
                if place == "done" and not os.path.exists(os.path.join(self.spool, place, id_, "delivered")):
                    self.problems.append(f"done/{id_} is not delivered")
        lost = sum(n for d, n in self.dropped.items() if found.get(d, 0) < n)
        twice = sum(n for d, n in found.items() if self.dropped.get(d, 0) < n)
        if lost or twice or condemned:
            self.problems.append(f"{lost} lost, {twice} doubled, {condemned} good ones condemned")
        left = [f for f in os.listdir(os.path.join(self.spool, "in/faults")) if f[0] not in ".~"]
        if left:
            self.problems.append(f"{len(left)} are left in in/")
        if self.temporary():
            self.problems.append(f"temporary files are left: {self.temporary()[:3]}")
        fsck = subprocess.run([PLATEN, "fsck", self.spool], env=ENV, stdout=subprocess.PIPE, text=True,
                              errors="replace")
        if fsck.returncode:
            self.problems.append("fsck: " + "; ".join(
                [x for x in fsck.stdout.split("\n") if "fault:" in x][:3]) + f" ({fsck.returncode})")

    def run(self):
        next_fault = next_look = 0
        began = time.monotonic()
        try:
            self.serve()
            next_fault = began + self.every
            while time.monotonic() < self.until:
                self.keep_watching()
                self.drop()
                time.sleep(random.random() * 0.15)
                if time.monotonic() > next_fault:
                    self.fault()
                    next_fault = time.monotonic() + self.every
                if time.monotonic() > next_look:
                    self.measure()
                    next_look = time.monotonic() + 1
            self.finish()
        finally:
            for p in self.watcher + [self.server]:
                if p and p.poll() is None:
                    p.kill()
                    p.wait()
            self.log.close()
            if self.problems:
                print(f"soak: the log is {self.keep_log()}")
            if self.small:
                subprocess.run(["umount", "-l", self.mount])
            shutil.rmtree(self.box, ignore_errors=True)
        total = sum(self.dropped.values())
        faults = ", ".join(f"{n} {k}" for k, n in sorted(self.faults.items()))
        print(f"soak: {time.monotonic() - began:.0f} s, {total} documents ({len(self.bad)} bad), "
              f"{sum(self.faults.values())} faults ({faults}), {self.restarts} restarts; "
              f"at most +{self.most_kb} KB, {self.most_fd} descriptors, {self.most_tmp} temporary files")
        for p in self.problems[:10]:
            print(f"not ok - soak: {p}")
        if not self.problems:
            print(f"ok - soak: {total} documents through {sum(self.faults.values())} faults, each exactly once")
        return bool(self.problems)

    def keep_log(self):
        kept = os.path.join(ROOT, "build/soak.log")
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.copy(os.path.join(self.box, "log"), kept)
        return kept


if __name__ == "__main__":
    sys.exit(Soak(float(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 10).run())
