#!/usr/bin/env python3
"""mutants.py [PART]... - takes away one safety at a time; a test must notice.

Every call of fsync, flock, F_SETLEASE, RENAME_NOREPLACE, a validation or a
hash comparison in pipeline/ and stages/ is found by itself, replaced by
nothing, built (build/mutants, with ccache) and shown to the cheapest tests that
may notice, until one fails. A mutant that all of them pass survives: it is
named, and the exit status is 1. PART picks mutants by a part of their name
(FILE:LINE KIND); several may be given. EQUIVALENT lists what cannot be noticed, and why.
"""
import os
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = os.path.join(ROOT, "build/mutants/tree")

# kind: what to look for, what stands there instead, which tests may notice
ORDER, UNIT = "tests/faults/order.sh", "unit"
SPOOL = ["tests/e2e/spool_guard.sh", "tests/e2e/spool.sh"]
CHEAP = (ORDER, UNIT)  # asked first, about all; the others about what is left
KINDS = {
    "fsync": (r"\bfsync\(", "mutant_zero(", [ORDER, "tests/e2e/queue.sh"] + SPOOL),
    "syncfs": (r"\bsyncfs\(", "mutant_zero(", [ORDER] + SPOOL),
    "fdatasync": (r"\bfdatasync\(", "mutant_zero(", [ORDER] + SPOOL),
    "sync": (r"\bdurable_sync\(", "mutant_nothing(", [ORDER] + SPOOL),
    "noreplace": (r"\bRENAME_NOREPLACE\b", "0", [ORDER] + SPOOL),
    "flock": (r"\bflock\(", "mutant_zero(", [ORDER, UNIT] + SPOOL + ["tests/faults/storm.sh 200 5"]),
    "lease": (r"\bfcntl\((\w+), F_SETLEASE,", r"mutant_zero(\1,", SPOOL),
    "validate": (r"\bschema_validate(_stream)?\(", "mutant_valid(",
                 [UNIT, "tests/e2e/validate.sh", "tests/e2e/evidence.sh", "tests/e2e/endpoint.sh"]),
    "record": (r"\bfolder_(record|reason)_fault\(", "mutant_null(", [UNIT] + SPOOL),
    "hash": (r"!strcmp\((hash\.hex|w->\w+->sha256\.hex)", r"!mutant_zero(\1", [UNIT] + SPOOL),
    "check": (r"\bspool_seal_check\((?=&?seal|&w)", "mutant_nothing(", [UNIT] + SPOOL),
    "whole": (r"\bcheck_text\((?=r, )", "mutant_nothing(", [UNIT] + SPOOL),
}
PROLOGUE = ("#define mutant_zero(...) (0)\n#define mutant_nothing(...) ((void)0)\n"
            "#define mutant_valid(...) (1)\n#define mutant_null(...) ((char *)0)\n")

# FILE, a part of the line: why nobody can notice
EQUIVALENT = [
    ("pipeline/spool/fsck.c", "LOCK_UN", "the descriptor is closed right after"),
    ("pipeline/spool/spool_claim.c", "F_UNLCK", "the descriptor is closed right after"),
    ("stages/record/record.c", "check_text(r, r->page", "a second look at what cJSON wrote; only a defect of it shows there"),
    ("stages/record/record.c", "check_text(r, r->group", "a second look at what cJSON wrote; only a defect of it shows there"),
]


def run(command, limit=300, **more):
    try:
        return subprocess.run(command, cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=limit, text=True, errors="replace", **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "")


def sources():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.split("\n")
    return [f for f in listed if f and os.path.isfile(os.path.join(ROOT, f))]


def copy_tree(files):
    kept = set(files)
    for place, _, names in os.walk(TREE):  # what is gone here must go there
        for n in names:
            f = os.path.relpath(os.path.join(place, n), TREE)
            if not f.startswith("build/") and f not in kept:
                os.unlink(os.path.join(place, n))
    for f in files:
        to = os.path.join(TREE, f)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        old = open(to, "rb").read() if os.path.exists(to) else None
        new = open(os.path.join(ROOT, f), "rb").read()
        if old != new:
            shutil.copy(os.path.join(ROOT, f), to)


def sites(files):
    """(file, line from 1, kind) of every safety."""
    for f in files:
        if not re.match(r"(pipeline|stages)/.*\.c$", f) or f.startswith("stages/children/raster/"):
            continue
        for i, line in enumerate(open(os.path.join(TREE, f)), 1):
            code = re.sub(r'"(\\.|[^"\\])*"', '""', re.sub(r"/\*.*?(\*/|$)", "", line))
            if re.match(r" ?\*", line.lstrip()) or re.match(r"(static |const |void |bool )", line):
                continue  # prose, or a definition
            for kind, (pattern, _, _) in KINDS.items():
                if re.search(pattern, code):
                    yield f, i, kind


def build():
    return run(["make", "-j2", "CC=" + os.environ.get("CC", "ccache gcc" if shutil.which("ccache") else "gcc"),
                "CFLAGS=-w", "all", "build/release/unit-tests"], 1200)


def notices(test):
    """Does this test fail?"""
    env = dict(os.environ, PLATEN=os.path.join(TREE, "build/platen"), PLATEN_ROOT=TREE, PLATEN_CONFIG="",
               PLATEN_SHARED=os.path.join(ROOT, "../shared"))
    if test == UNIT:
        parts = ["folder", "seal", "worker", "queue", "evidence", "stream", "stage", "schema_suite"]
        return any(run(["build/release/unit-tests", p], env=env).returncode for p in parts)
    return run(["bash"] + test.split(), env=env).returncode != 0


def mutate(f, line, kind, tests):
    """Builds the mutant and asks these tests; the one that noticed, or None."""
    path = os.path.join(TREE, f)
    whole = open(path).read()
    lines = whole.splitlines(keepends=True)
    pattern, instead, _ = KINDS[kind]
    lines[line - 1] = re.sub(pattern, instead, lines[line - 1], count=1)
    with open(path, "w") as out:
        out.write(PROLOGUE + "".join(lines))
    try:
        made = build()
        if made.returncode:
            return "it does not build:\n" + made.stdout[-600:]
        return next((t for t in tests if notices(t)), None)
    finally:
        with open(path, "w") as out:
            out.write(whole)


def sieve(chosen, cheap):
    """One round over the mutants; those that nobody noticed."""
    def round_of(kind):
        return [t for t in KINDS[kind][2] if (t in CHEAP) == cheap]

    for test in sorted({t for s in chosen for t in round_of(s[2])}):
        if notices(test):
            sys.exit(f"not ok - mutants: {test} fails without any mutant")
    unnoticed = []
    for site in chosen:
        f, line, kind = site
        text = open(os.path.join(TREE, f)).readlines()[line - 1].strip()
        began = time.monotonic()
        by = mutate(f, line, kind, round_of(kind))
        if by and by.startswith("it does not build"):
            sys.exit(f"not ok - mutants: {f}:{line} {kind}: {by}")
        if by:
            print(f"killed {f}:{line} {kind}: {text} by {by} in {time.monotonic() - began:.0f} s", flush=True)
        else:
            unnoticed.append(site)
    build()
    return unnoticed


def main():
    parts = sys.argv[1:] or [""]
    files = sources()
    copy_tree(files)
    print("building the tree as it is", flush=True)
    made = build()
    if made.returncode:
        sys.exit(made.stdout[-2000:])
    chosen, equivalent = [], 0
    for f, line, kind in sites(files):
        text = open(os.path.join(TREE, f)).readlines()[line - 1].strip()
        why = next((w for file, piece, w in EQUIVALENT if file == f and piece in text), None)
        if not any(p in f"{f}:{line} {kind}" for p in parts):
            continue
        if why:
            equivalent += 1
            print(f"equal  {f}:{line} {kind}: {text}: {why}")
        else:
            chosen.append((f, line, kind))
    left = sieve(sieve(chosen, True), False)
    print(f"mutants: {len(chosen) + equivalent} sites, {len(chosen) - len(left)} killed, {equivalent} equivalent, "
          f"{len(left)} survive")
    for f, line, kind in left:
        text = open(os.path.join(TREE, f)).readlines()[line - 1].strip()
        print(f"not ok - mutants: {f}:{line} {kind} survives: {text}")
    if chosen and not left:
        print(f"ok - mutants: {len(chosen)} safeties cannot be taken away unnoticed")
    sys.exit(bool(left) or not chosen)


if __name__ == "__main__":
    main()
