#!/usr/bin/env python3
"""A small model hub that misbehaves: hub.py FOLDER MODEL MMPROJ

Serves the API and the files of repositories named after what goes wrong with
them, from two ports (the hub, and the store that it redirects to), and writes
what was asked, with the Authorization that came along, to FOLDER/log.
FOLDER/port holds the hub's port once it listens.
"""
import hashlib
import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FOLDER, MODEL, EYE = sys.argv[1], open(sys.argv[2], "rb").read(), open(sys.argv[3], "rb").read()
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PARTS = {"model-Q8_0-00001-of-00002.gguf": MODEL[:200000], "model-Q8_0-00002-of-00002.gguf": MODEL[200000:300000]}
SEVERAL = {"tiny-Q4_K_M.gguf": MODEL, "tiny-Q8_0.gguf": MODEL, "UD/tiny-UD-IQ2_M.gguf": MODEL,
           "mmproj-F32.gguf": EYE[::-1], "mmproj-F16.gguf": EYE, "README.md": b"x"}
ONE = {"tiny-Q8_0.gguf": MODEL, "mmproj-tiny.gguf": EYE}
# the vision file with its last weights in another order: mm.2 or what lies there
SPOILT = EYE[:-65536] + EYE[-32768:] + EYE[-65536:-32768]
seen, lock = {}, threading.Lock()


def files(repo):
    return {"several": SEVERAL, "split": PARTS, "blind": {"tiny-Q8_0.gguf": MODEL}, "none": {"a.safetensors": b"x"},
            "evil": {"../../../../evil.gguf": MODEL}, "evil2": {"a/.ssh/x.gguf": MODEL},
            "spoilt": {"tiny-Q8_0.gguf": MODEL, "mmproj-tiny.gguf": SPOILT},
            "Qwen3.5-4B-GGUF": SEVERAL, "halfsplit": {"model-Q8_0-00001-of-00002.gguf": MODEL}}.get(repo, ONE)


def times(key):
    """How often this was asked before."""
    with lock:
        seen[key] = seen.get(key, 0) + 1
        return seen[key] - 1


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def say(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with lock, open(FOLDER + "/log", "a") as log:
            log.write("%s %s %s %s\n" % (self.server.what, self.path, self.headers.get("Range", "-"),
                                         self.headers.get("Authorization", "-")))
        part = self.path.strip("/").split("?")[0].split("/")
        if self.server.what == "store":
            return self.blob(part[0], "/".join(part[1:]))
        if part[:2] == ["api", "models"]:
            return self.listing(part[3], part[4:])
        if part[2:3] == ["resolve"]:
            if part[1] == "loop":
                return self.say(302, b"elsewhere", Location=self.path)
            if part[1] == "nowhere":
                return self.say(302, b"elsewhere")
            to = "ftp" if part[1] == "ftp" else "http"
            return self.say(302, b"elsewhere", Location="%s://127.0.0.1:%d/%s/%s" % (to, store, part[1], "/".join(part[4:])))
        self.say(404, b"no")

    def listing(self, repo, rest):
        if repo == "gated" and self.headers.get("Authorization") != "Bearer secret":
            return self.say(401, b"gated")
        if repo == "missing":
            return self.say(404, b"no such repository")
        if rest[0] == "revision":
            if repo == "busy" and times("busy") == 0:
                return self.say(429, b"slow down", Retry_After="1")
            if repo == "closed":
                return self.say(429, b"slow down", Retry_After="86400")
            return self.say(200, json.dumps({"sha": "../.." if repo == "evil3" else COMMIT}).encode())
        entry = [{"type": "file", "path": p, "size": len(b), "oid": "0" * 40,
                  "lfs": {"oid": hashlib.sha256(b).hexdigest(), "size": len(b), "pointerSize": 130}}
                 for p, b in files(repo).items()]
        if "cursor" in self.path or len(entry) < 3:
            return self.say(200, json.dumps(entry[2:] if len(entry) >= 3 else entry).encode())
        self.say(200, json.dumps([{"type": "directory", "path": "UD", "size": 0}] + entry[:2]).encode(),
                 Link='<http://127.0.0.1:%d%s&cursor=abc>; rel="next"' % (hub, self.path))

    def blob(self, repo, path):
        body = files(repo).get(path)
        if body is None:
            return self.say(404, b"no such file")
        asked = self.headers.get("Range", "")
        at = int(asked[6:-1]) if asked and repo != "norange" else 0
        n = times(repo + path)
        if repo == "wrong" and not path.startswith("mmproj"):
            body = body[:-1] + bytes([body[-1] ^ 1])
        if repo == "long":
            body += b"more than was told"
        if repo in ("short", "shorter"):
            body = body[:-1000]
        if repo == "short" and at >= len(body) or repo == "shorter" and at:
            return self.say(416, b"beyond the end")
        if repo == "shorter":  # closes without a length, and has no more than this
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            return self.wfile.write(body)
        if repo == "shut":
            return self.say(503, b"down")
        cut = repo in ("cut", "norange") and n == 0 or repo == "stop"
        self.send_response(206 if at else 200)
        if at:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (at + (1 if repo == "shifted" else 0), len(body) - 1, len(body)))
        self.send_header("Content-Length", str(len(body) - at))
        self.end_headers()
        if repo == "stop":
            os.write(self.wfile.fileno(), body[at:at + 5000] if n == 0 else b"")
        else:
            self.wfile.write(body[at:at + len(body) // 2] if cut else body[at:])
        if cut:
            self.close_connection = True
            self.connection.shutdown(2)


class Quiet(ThreadingHTTPServer):
    def handle_error(self, *args):
        pass


def serve(what):
    server = Quiet(("127.0.0.1", 0), Handler)
    server.what = what
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


hub, store = serve("hub"), serve("store")
with open(FOLDER + "/port.new", "w") as out:
    out.write("%d\n" % hub)
os.rename(FOLDER + "/port.new", FOLDER + "/port")
threading.Event().wait()
