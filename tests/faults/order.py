#!/usr/bin/env python3
"""order.py SPOOL LOG... - were the durable steps made, and in order?

Reads strace logs (-y) of platen on one spool and keeps a model of what a power
cut would take: names that were made, moved or removed since their folder's
last fsync, bytes that were written since their file's. Then asks at each point
of no return (spool.h, F1 to F7) whether anything is still open that it rests
on; whether what must not be replaced could have been; and whether work/<id>
was locked by who changed it. Prints one line for each breach.
"""
import re
import sys

CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
FD = re.compile(r"^(?:AT_FDCWD|\d+)<(.*)>$")
EXEMPT = re.compile(r"^/(index\.db|reserve|lock|waits|pending(?!/[^/]*\.prune$))")
FOLDER = re.compile(r"^/(work|done|failed)/\d{8}T[^/]+")


def arguments(text):
    """Splits at commas outside of quotes, braces and <paths>."""
    out, depth, quoted, part, escaped = [], 0, False, "", False
    for c in text:
        if quoted:
            quoted = escaped or c != '"'
            escaped = c == "\\" and not escaped
        elif c == '"':
            quoted = True
        elif c in "{[<":
            depth += 1
        elif c in "}]>":
            depth -= 1
        if c == "," and not quoted and depth == 0:
            out.append(part.strip())
            part = ""
        else:
            part += c
    return out + [part.strip()]


class Model:
    def __init__(self, spool, log):
        self.spool, self.log, self.line = spool, log, 0
        self.names, self.bytes = {}, {}  # open: path -> what was done
        self.locks, self.mode, self.breaches = {}, None, []
        self.synced, self.made, self.renamed, self.claimed = set(), set(), set(), {}

    def breach(self, what):
        self.breaches.append(f"{self.log}:{self.line}: {what}")

    def path(self, fd, name=None):
        """Below the spool, or None."""
        m = FD.match(fd)
        if not m:
            return None
        path = m.group(1)
        if name is not None:
            path = path if name in (".", "") else name if name[0] == "/" else f"{path}/{name}"
        if path.startswith(self.spool):
            return path[len(self.spool):] or "/"
        return path if path.startswith(OTHERS) else None

    def touch(self, path, what):
        # nothing rests on a temporary name, and tidying needs no more than the
        # spool for itself
        if path is None or EXEMPT.match(path) or path.endswith(".tmp") or self.mode == "EX":
            return
        folder = path.rsplit("/", 1)[0] or "/"
        self.names.setdefault(folder, what)
        m = FOLDER.match(path)
        if m and path != m.group(0) and m.group(0) not in self.locks.values():
            self.breach(f"{what}: {m.group(0)} is not locked")
        if m and path != m.group(0) and self.mode is None:
            self.breach(f"{what}: the spool is not locked")

    def clean(self, before, *paths):
        for table, kind in ((self.names, "names in"), (self.bytes, "bytes of")):
            for path, what in table.items():
                if any(re.fullmatch(p, path) for p in paths):
                    self.breach(f"{before}: {kind} {path} may be lost ({what})")

    def move(self, old, new):
        def moved(path):
            return new + path[len(old):] if path == old or path.startswith(old + "/") else path
        self.names = {moved(p): w for p, w in self.names.items()}
        self.bytes = {moved(p): w for p, w in self.bytes.items()}
        self.locks = {f: moved(p) for f, p in self.locks.items()}
        self.synced = {moved(p) for p in self.synced}

    def rename(self, a, flags):
        old, new = self.path(a[0], a[1].strip('"')), self.path(a[2], a[3].strip('"'))
        if old is None or new is None:
            return
        name = new.rsplit("/", 1)[1]
        tmp = old.endswith(".tmp") and old.rsplit("/", 1)[0] == new.rsplit("/", 1)[0]
        if "RENAME_NOREPLACE" not in flags and not (tmp and FOLDER.match(new)):
            self.breach(f"rename of {old} may replace {new}")
        if old.endswith(".tmp"):
            self.clean(f"rename to {new}", re.escape(old))
        folder = new.rsplit("/", 1)[0]
        if name in ("record.json", "reason.json"):
            self.clean(f"rename to {new}", re.escape(folder))
        if name == "doc" and tmp and folder in self.made and folder not in self.renamed:
            # a claim by copy: what was taken is known before it counts
            self.clean(f"claim by copy of {new}", re.escape(folder))
            if not any(p.startswith(("/in",) + OTHERS) for p in self.locks.values()):
                self.breach(f"claim by copy of {new}: two could make it")
        if FOLDER.fullmatch(old) and new.startswith("/done") and f"{old}/doc" not in self.synced:
            self.breach(f"commit to {new}: the document's bytes may be lost")
        if FOLDER.fullmatch(old) and FOLDER.fullmatch(new):
            self.clean(f"commit to {new}", re.escape(old) + "(/.*)?")
            if old not in self.locks.values():
                self.breach(f"commit of {old}, which is not locked")
        elif name == "doc" and not tmp:
            self.clean(f"claim of {old}", "/work", re.escape(folder) + "(/.*)?")
            self.claimed[old.rsplit("/", 1)[0]] = folder
            self.renamed.add(folder)
        self.touch(old, f"rename of {old}")
        self.move(old, new)
        self.touch(new, f"rename to {new}")

    def unlink(self, a, flags):
        path = self.path(a[0], a[1].strip('"'))
        if path is None:
            return
        if "AT_REMOVEDIR" in flags and self.mode != "EX" and not self.locks:
            self.breach(f"{path} is removed without the spool's lock")
        if not path.startswith(("/work", "/done", "/failed", "/out", "/index", "/reserve", "/pending")) \
                and not path.endswith(".tmp"):
            self.clean(f"removal of the dropped {path}", "/work", "/work/.*")
        if re.match(r"/pending/[^/]+\.prune/", path):
            self.clean(f"removal of {path}", "/done", "/pending")
        if re.match(r"/done/[^/]+/(doc|hook)$", path):
            self.clean(f"removal of {path}", re.escape(path.rsplit("/", 1)[0]))
        if path.endswith("/retry"):
            self.clean(f"removal of {path}", re.escape(path[:-6]))
        self.bytes.pop(path, None)
        if "AT_REMOVEDIR" in flags:
            self.names.pop(path, None)  # went with it
        if path.endswith(".prune"):
            return  # an empty folder that comes back is in nobody's way
        self.touch(path, f"removal of {path}")

    def call(self, name, a, result):
        if name in ("fsync", "fdatasync"):
            path = self.path(a[0])
            if path in self.claimed:  # else it is in neither folder
                self.clean(f"the claim's removal from {path}", re.escape(self.claimed.pop(path)))
            self.synced.add(path)
            self.names.pop(path, None)
            self.bytes.pop(path, None)
        elif name == "syncfs":
            self.names, self.bytes = {}, {}
        elif name == "openat" and "O_CREAT" in a[2]:
            path = self.path(a[0], a[1].strip('"'))
            self.touch(path, f"{path} was made")
        elif name in ("mkdirat", "symlinkat"):
            path = self.path(a[-2], a[-1].strip('"')) if name == "symlinkat" else self.path(a[0], a[1].strip('"'))
            self.touch(path, f"{path} was made")
            self.made.add(path)
        elif name in ("write", "pwrite64", "copy_file_range", "ioctl"):
            to = a[2] if name == "copy_file_range" else a[0]
            path = self.path(to)
            if name == "write" and a[0].startswith("2<") and re.search(r": done in|\[[a-z-]+\]", a[1]):
                self.clean("report", "/work", "/done", "/failed", "/in(/.*)?")
            elif path and not EXEMPT.match(path) and "(deleted)" not in to and "#" not in path and name != "ioctl":
                self.bytes[path] = "written"
        elif name == "renameat2":
            self.rename(a, a[4])
        elif name == "renameat":
            self.rename(a, "")
        elif name == "linkat":
            path, record = self.path(a[2], a[3].strip('"')), self.path(a[0])
            for place in (record, "/done", "/work") if record.startswith("/done") else ():
                if place not in self.synced:
                    self.breach(f"link {path}: {place} may be lost")
            self.touch(path, f"link {path}")
        elif name == "rename":  # without a folder's promise: extract
            old = self.path("0<>", a[0].strip('"'))
            if old:
                self.clean("rename by extract", re.escape(old))
                self.move(old, self.path("0<>", a[1].strip('"')))
        elif name == "unlinkat":
            self.unlink(a, a[2])
        elif name == "flock":
            path = self.path(a[0])
            if path == "/lock":
                self.clean("use of the spool", "/")  # its folders
                self.mode = "EX" if "LOCK_EX" in a[1] else "SH"
            elif path and "LOCK_EX" in a[1]:
                self.locks[a[0].split("<")[0]] = path
            elif path and "LOCK_UN" in a[1]:
                self.locks.pop(a[0].split("<")[0], None)
        elif name == "close":
            self.locks.pop(a[0].split("<")[0], None)
        elif name in ("clone", "clone3", "vfork", "fork"):
            self.clean("an attempt", "/in(/.*)?", "/work", "/work/.*")
            if self.mode == "EX":
                self.breach("an attempt while the spool's lock is not shared")

    def read(self):
        with open(self.log, errors="replace") as f:
            for self.line, text in enumerate(f, 1):
                m = CALL.match(text)
                if m and int(m.group(3)) >= 0:
                    self.call(m.group(1), arguments(m.group(2)), int(m.group(3)))
        self.clean("the end", "/.*")
        return self.breaches


OTHERS = tuple(filter(None, sys.argv[1].split(":")[1:])) or ("\0",)
spool, logs = sys.argv[1].split(":")[0], sys.argv[2:]
breaches = [b for log in logs for b in Model(spool, log).read()]
print("\n".join(breaches))
sys.exit(len(breaches) > 0)
