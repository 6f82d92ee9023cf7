#!/usr/bin/env python3
"""source.py - what the lint reads in the sources themselves.

    source.py [CHECK...]    findings, one a line: FILE:LINE: what is wrong

Every check takes the tree as {path: text} and yields findings, so that the
selftest can plant a fault in memory. It leans on the format that `make format` gives: a
function begins and ends in the first column, and so does a prototype.
"""
import os
import re
import subprocess
import sys

LINES_MAX = 1000      # of a file
FUNCTION_MAX = 60    # lines of a function
FUNCTION_P95 = 30
SMALL_FILE = 150     # lines of a file that needs more than one user
PROGRAM = ("vlm/", "stages/", "pipeline/")

# Checks that report nothing, since the tree does not pass them: none.
OFF = set()

# Longer than they should be, and why.
LONG_FILES = {}

# Public functions with an err and no guard, and why.
UNGUARDED = {
    "err_set": "says the failure; keeps an earlier one",
    "err_reason": "says the failure; keeps an earlier one",
    "notes_refuse": "says a failure with its place",
    "node_refuse": "says a failure with its place",
    "gpu_driver_recorded": "ends a record, which nothing else does",
    "node_refuse_at": "says a failure with its place",
}

# What may stand before a guard: it has no effect.
PURE = {"sizeof", "if", "for", "while", "return", "switch",
        "fact_of", "gguf_read_find"}  # these look a fact up

# Two places may have their own struct of this name, and why.
SAME_NAMES = {}

# Papers that the tree does not ship: README and MODEL.md say what they said.
NOT_SHIPPED = ("qwen35" + "-model",)


def tree():
    names = subprocess.run(["git", "ls-files"], check=True, capture_output=True,
                           text=True).stdout.split("\n")
    out = {}
    for name in names:
        if re.search(r"\.([chf]|md|mk|sh|py|def|1|5)$|Makefile$", name):
            with open(name, encoding="utf-8", errors="replace") as f:
                out[name] = f.read()
    return out


def program(files, *endings):
    return {f: t for f, t in files.items()
            if f.startswith(PROGRAM) and f.endswith(endings)}


# --- layers ---------------------------------------------------------------

def read_layers():
    """The folders, each with its place in the order."""
    with open("tests/lint/layers", encoding="utf-8") as f:
        rows = [line.split("#")[0].strip() for line in f]
    return {row: place for place, row in enumerate(r for r in rows if r)}


def folder(path):
    return path.rsplit("/", 1)[0] if "/" in path else ""


def may_include(path, target, layers):
    """A folder includes itself, and what stands above it."""
    return layers.get(folder(target), len(layers)) <= layers.get(folder(path), -1)


def check_layers(files):
    layers = read_layers()
    for path, text in program(files, ".c", ".h").items():
        if folder(path) not in layers:
            yield f"{path}:1: its folder has no line in tests/lint/layers"
            continue
        for n, line in enumerate(text.split("\n"), 1):
            found = re.match(r'#include "([^"]+\.h)"', line)
            if found and not may_include(path, found[1], layers):
                yield f"{path}:{n}: {folder(path)} may not include {found[1]}, which stands below it in tests/lint/layers"


# --- functions -----------------------------------------------------------

def bare(text):
    """Without comments, strings, characters and attributes; the lines stay."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    return re.sub(r'__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|'
                  r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  blank, text, flags=re.S)


def functions(text):
    """(name, first line, last line, head, body) of each function."""
    pattern = re.compile(
        r"^(?P<head>[A-Za-z_][^;{}#=]*?\b(?P<name>\w+)\((?P<args>[^;{}]*)\)\s*)\n"
        r"\{\n(?P<body>.*?)^\}", re.M | re.S)
    code = bare(text)
    for f in pattern.finditer(code):
        first = code.count("\n", 0, f.start()) + 1
        yield (f["name"], first, first + f[0].count("\n"), f["head"], f["body"])


def check_sizes(files):
    for path, text in files.items():
        if not path.endswith((".c", ".h")):
            continue
        lines = text.count("\n")
        if lines > LINES_MAX and path not in LONG_FILES and path.startswith(PROGRAM):
            yield f"{path}:1: {lines} lines, at most {LINES_MAX}"
        if path.endswith(".c"):
            for name, first, last, _, _ in functions(text):
                if last - first + 1 > FUNCTION_MAX:
                    yield f"{path}:{first}: {name} has {last - first + 1} lines, at most {FUNCTION_MAX}"


def lengths(files):
    return sorted(last - first + 1 for text in program(files, ".c").values()
                  for _, first, last, _, _ in functions(text))


# --- guards --------------------------------------------------------------

def calls(code):
    """(name, arguments) of every call in the code."""
    for found in re.finditer(r"\b(\w+)\(", code):
        depth, end = 1, found.end()
        while end < len(code) and depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        yield found[1], code[found.end():end - 1]


def is_guarded(body):
    """Has nothing an effect before err is looked at? A call that gets the err
    looks at it itself."""
    before = body.split("err_failed(err)")[0]
    return all(name in PURE or re.search(r"(^|, |\s)err$", args)
               for name, args in calls(before))


def check_guards(files):
    for path, text in program(files, ".c").items():
        for name, first, _, head, body in functions(text):
            if head.startswith("static") or name in UNGUARDED:
                continue
            if re.search(r"(?<!const )struct err \*err\b", head) and not is_guarded(body):
                yield f"{path}:{first}: {name} does something before its guard"


# --- contracts -----------------------------------------------------------

PROTOTYPE = re.compile(r"(?!typedef|#)[a-z][\w ]*[ *](\w+)\(")


def check_contracts(files):
    """A prototype stands under a comment, alone or in a group without an empty
    line, or has one behind it. (k_*.h are the bodies of k_*.c, and no doors.)"""
    for path, text in program(files, ".h").items():
        if "/k_" in path:
            continue
        said, depth, inside, lines = False, 0, False, text.split("\n")
        for n, line in enumerate(lines, 1):
            if inside or line.startswith("/*"):
                inside, said = "*/" not in line, True
            elif not line.strip():
                said = said and depth > 0
            elif PROTOTYPE.match(line) and depth == 0:
                end = next((i for i in range(n - 1, len(lines))
                            if re.search(r"[;{]", lines[i])), n - 1)
                behind = "/*" in " ".join(lines[n - 1:end + 1])
                if not said and not behind:
                    yield f"{path}:{n}: {PROTOTYPE.match(line)[1]} has no contract"
            depth += line.count("{") - line.count("}")


# --- files ---------------------------------------------------------------

def check_headers(files):
    """A header is there for two users, or hides a type. A small file that serves
    one file beside it belongs into that file."""
    users = {}
    for path, text in files.items():
        if path.endswith((".c", ".h")):
            for header in re.findall(r'#include "([^"]+\.h)"', text):
                if path[:-2] != header[:-2]:
                    users.setdefault(header, set()).add(path)
    for path in program(files, ".h"):
        code = files.get(path[:-2] + ".c")
        if code is None or code.count("\n") > SMALL_FILE:
            continue
        hides = any(re.search(rf"^struct {name} \{{", code, re.M)
                    for name in re.findall(r"^struct (\w+);", files[path], re.M))
        using = users.get(path, set())
        one = len(using) == 1 and min(using).endswith(".c")
        if one and not hides and folder(min(using)) == folder(path):
            yield f"{path}:1: serves {min(using)} alone: merge the two"


def check_hidden(files):
    """A file without a header of its own says in its first comment what it hides."""
    for path, text in program(files, ".c").items():
        first = re.match(r"/\*(.*?)\*/", text, re.S)
        said = first[1].split(" - ", 1)[-1].strip() if first else ""
        if path[:-2] + ".h" not in files and (len(said) < 20 or said.startswith("see ")):
            yield f"{path}:1: its first comment does not say what it is for"


# --- words ---------------------------------------------------------------

def check_names(files):
    where = {}
    for path, text in program(files, ".c", ".h").items():
        for found in re.finditer(r"^struct (\w+) \{", bare(text), re.M):
            where.setdefault(found[1], []).append(path)
    for name, paths in sorted(where.items()):
        if len(paths) > 1 and name not in SAME_NAMES:
            yield f"{paths[0]}:1: struct {name} is also in {' '.join(paths[1:])}"


def check_citations(files):
    for path, text in files.items():
        for n, line in enumerate(text.split("\n"), 1):
            for name in NOT_SHIPPED:
                if name in line:
                    yield f"{path}:{n}: cites {name}, which the tree does not ship"


# --- documents -----------------------------------------------------------

LINK = re.compile(r"(?:\]\(|src=\")([^)#:\"]+)")
FILE_NAME = re.compile(r"`((?:[\w.-]+/)*[a-z][\w-]*\.(?:c|h|py|sh|mk|def|md))`")


README_LINES, README_WORDS = 160, 1200
FOLDER_README_LINES = 60  # one page: what is where


def check_readmes(files):
    for path, text in files.items():
        if path == "README.md":
            lines, words = text.count("\n"), len(text.split())
            if lines > README_LINES or words > README_WORDS:
                yield (f"{path}:1: {lines} lines and {words} words, at most "
                       f"{README_LINES} and {README_WORDS}: docs/ has layer")
        elif path.endswith("/README.md") and text.count("\n") > FOLDER_README_LINES:
            yield f"{path}:1: {text.count(chr(10))} lines, at most {FOLDER_README_LINES}: docs/ has layer"


def shipped():
    return set(subprocess.run(["git", "ls-files"], check=True, capture_output=True,
                              text=True).stdout.split("\n"))


def check_documents(files):
    """A link leads to a file or folder of the tree, and a file that is named
    in a document, by its path or the end of it, is there."""
    there = shipped()
    folders = {path[:i] for path in there for i, c in enumerate(path) if c == "/"}
    ends = {path[i:] for path in there for i in range(len(path)) if i == 0 or path[i - 1] == "/"}
    for path, text in files.items():
        if not path.endswith(".md"):
            continue
        for n, line in enumerate(text.split("\n"), 1):
            for link in LINK.findall(line):
                to = os.path.normpath(os.path.join(folder(path), link))
                if to not in there and to not in folders:
                    yield f"{path}:{n}: a link to {link}, which is not there"
            for name in FILE_NAME.findall(line):
                if os.path.normpath(name.lstrip("./")) not in ends:
                    yield f"{path}:{n}: names {name}, which is not there"


CHECKS = {
    "layers": check_layers,
    "lengths": check_sizes,
    "guards": check_guards,
    "contracts": check_contracts,
    "headers": check_headers,
    "hidden": check_hidden,
    "names": check_names,
    "citations": check_citations,
    "documents": check_documents,
    "readmes": check_readmes,
}


def main():
    files = tree()
    only = sys.argv[1:]
    for name, check in CHECKS.items():
        if name in only or (not only and name not in OFF):
            for finding in check(files):
                print(finding)
    if not only:
        size = lengths(files)
        p95 = size[len(size) * 95 // 100]
        print(f"lint: {len(size)} functions, half of them at most {size[len(size) // 2]} lines, "
              f"95 of 100 at most {p95}", file=sys.stderr)
        if p95 > FUNCTION_P95:
            print(f"tests/lint/source.py:1: 95 of 100 functions have {p95} lines, at most {FUNCTION_P95}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
