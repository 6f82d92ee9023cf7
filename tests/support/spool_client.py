"""spool_client.py - a client of platen serve, for tests: the standard library only."""
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json["code"]


class Server:
    """platen serve on a spool; each call is one request on a connection of its own."""

    def __init__(self, platen, spool, *args, before=(), log=None):
        self.platen, self.spool, self.args, self.before = platen, str(spool), args, before
        self.bearer, self.log, self.child = None, log, None
        self.start()

    def start(self):
        self.child = subprocess.Popen([*self.before, self.platen, "serve", self.spool, *self.args], text=True,
                                      stdout=subprocess.PIPE, stderr=self.log or subprocess.DEVNULL)
        address = self.child.stdout.readline().strip()
        self.base, self.secret = address.split("/#") if "/#" in address else ("", "")
        self.host = self.base[len("http://"):]

    def token(self, name, role):
        return subprocess.run([self.platen, "serve", "token", self.spool, name, "--role", role], check=True,
                              capture_output=True, text=True).stdout.strip()

    def connect(self, timeout=70):
        return http.client.HTTPConnection(self.host, timeout=timeout)

    def headers(self, more):
        own = {"Authorization": "Bearer " + self.bearer} if self.bearer else \
              {"X-Platen-Token": self.secret, "Origin": self.base}
        return {**own, **more}

    def __call__(self, method, path, body=None, timeout=70, **headers):
        head = {k.replace("_", "-"): v for k, v in headers.items()}
        if isinstance(body, (dict, list)):
            body, head = json.dumps(body), {"Content-Type": "application/json", **head}
        c = self.connect(timeout)
        try:
            c.request(method, "/api/v1" + path, body=body, headers=self.headers(head))
            r = c.getresponse()
            return Answer(r.status, dict(r.getheaders()), r.read())
        finally:
            c.close()

    def upload(self, name, data, schema, key, piece=None):
        """In pieces; goes on where the server says. Returns the id; OSError if it was killed."""
        u = self("POST", "/uploads", {"name": name, "schema": schema, "bytes": len(data)}, Idempotency_Key=key)
        assert u.status in (200, 201), (u.status, u.body)
        u = u.json
        at = u["offset"]
        while at < len(data):
            end = at + (piece or u["chunk"])
            r = self("PATCH", "/uploads/" + u["id"], data[at:end], Upload_Offset=str(at),
                     Content_Type="application/octet-stream")
            assert r.status in (200, 201), (r.status, r.body)
            if r.status == 201:
                break
            at = r.json["offset"]
        return u["id"]

    def stop(self, how=signal.SIGTERM):
        self.child.send_signal(how)
        return self.child.wait(timeout=30)


class Events(threading.Thread):
    """Reads the stream of events into a list of (event, data)."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.seen, self.server = [], server
        self.c = server.connect()
        self.c.request("GET", "/api/v1/events", headers=server.headers({}))
        self.r = self.c.getresponse()
        self.start()

    def run(self):
        event = None
        try:
            while line := self.r.readline():
                line = line.decode().rstrip("\n")
                if line.startswith("event: "):
                    event = line[7:]
                elif line.startswith("data: "):
                    self.seen.append((event, json.loads(line[6:])))
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def wait(self, what, seconds=20):
        until = time.time() + seconds
        while time.time() < until:
            for one in list(self.seen):
                if what(*one):
                    return one[1]
            time.sleep(0.05)
        return None


def raw(server, text, seconds=5):
    """Sends bytes as they are; returns the first line of the answer."""
    s = socket.create_connection(tuple(server.host.split(":")), timeout=seconds)
    try:
        s.sendall(text)
        return s.recv(4096).split(b"\r\n")[0].decode("latin-1")
    except OSError:
        return ""
    finally:
        s.close()


def children(pid):
    """The processes that this one has started."""
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(x) for x in f.read().split()]


def kill_all(server):
    """SIGKILL to the server alone; its processes end with it."""
    os.kill(server.child.pid, signal.SIGKILL)
    server.child.wait()
