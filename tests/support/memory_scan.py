#!/usr/bin/env python3
"""Which processes have a text in their memory?

    memory_scan.py PID TEXT

Reads all writable memory of PID and of its descendants, their environment, and
the files that live only in memory and are open in them. Prints the name of each
process, sorted, with "has it", "can read it" or "clean". Exit 2: not allowed here.
"""
import os
import sys


def family(pid):
    yield pid
    for task in os.listdir(f"/proc/{pid}/task"):
        for child in open(f"/proc/{pid}/task/{task}/children").read().split():
            yield from family(int(child))


def in_memory(pid, text):
    keep = len(text) - 1
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            region, rights = line.split()[:2]
            if "w" not in rights:
                continue
            at, end = (int(x, 16) for x in region.split("-"))
            tail = b""
            while at < end:
                try:
                    memory.seek(at)
                    data = memory.read(min(1 << 20, end - at))
                except OSError:
                    break
                if not data:
                    break
                if text in tail + data:
                    return True
                tail, at = data[-keep:], at + len(data)
    with open(f"/proc/{pid}/environ", "rb") as environment:
        return text in environment.read()


def in_descriptors(pid, text):
    for fd in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{fd}"
        try:
            if os.readlink(path).startswith("/memfd:"):
                with open(path, "rb") as file:
                    if text in file.read():
                        return True
        except OSError:
            pass
    return False


def main():
    text = sys.argv[2].encode()
    rows = []
    try:
        for pid in family(int(sys.argv[1])):
            name = open(f"/proc/{pid}/comm").read().strip()
            if not open(f"/proc/{pid}/maps").read(1):
                continue  # has ended
            what = "has it" if in_memory(pid, text) else "can read it" if in_descriptors(pid, text) else "clean"
            rows.append(f"{name} {what}")
    except PermissionError as why:
        print(why, file=sys.stderr)
        return 2
    print("\n".join(sorted(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
