"""chrome.py - a headless Chromium, driven over its debugging pipe: keys, pictures,
and what the page says. Nothing but Python's own library."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
KEYS = {"Enter": 13, "Tab": 9, "Escape": 27, "F2": 113, "F1": 112, "ArrowDown": 40,
        "ArrowUp": 38, "Backspace": 8, "PageDown": 34}
ALT, CTRL, META, SHIFT = 1, 2, 4, 8


def program():
    return next((p for p in map(shutil.which, NAMES) if p), None)


class Chrome:
    def __init__(self, width=1280, height=800):
        self.home = tempfile.mkdtemp()
        out_r, self.out = os.pipe()
        self.inp, in_w = os.pipe()

        def place():
            os.dup2(out_r, 13)
            os.dup2(in_w, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)
        flags = ["--headless", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
                 "--no-first-run", f"--user-data-dir={self.home}", "--disable-dev-shm-usage"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        self.child = subprocess.Popen([program(), *flags, "about:blank"], preexec_fn=place,
                                      close_fds=False, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
        os.close(out_r)
        os.close(in_w)
        self.rest, self.n, self.session, self.events = b"", 0, None, []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.size(width, height)

    def close(self):
        self.child.kill()
        self.child.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self, until):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.inp], [], [], max(0, until - time.time()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.inp, 1 << 16)
            if not got:
                raise EOFError("the browser has ended")
            self.rest += got
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def send(self, method, **params):
        self.n += 1
        order = {"id": self.n, "method": method, "params": params}
        if self.session:
            order["sessionId"] = self.session
        os.write(self.out, json.dumps(order).encode() + b"\0")
        until = time.time() + 30
        while True:
            got = self.message(until)
            if got.get("id") == self.n:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']['message']}")
                return got["result"]
            if got.get("method") == "Page.javascriptDialogOpening":
                # "leave this page?", while something is being saved: yes
                yes = {"id": 0, "method": "Page.handleJavaScriptDialog", "params": {"accept": True},
                       "sessionId": self.session}
                os.write(self.out, json.dumps(yes).encode() + b"\0")
            elif "method" in got:
                self.events.append(got)

    def complaints(self):
        """What the page threw or its console holds as errors."""
        said = []
        for e in self.events:
            if e["method"] == "Runtime.exceptionThrown":
                d = e["params"]["exceptionDetails"]
                said.append(d.get("exception", {}).get("description", d["text"]))
            if e["method"] == "Log.entryAdded" and e["params"]["entry"]["level"] == "error":
                said.append(e["params"]["entry"]["text"])
        return said

    def outside(self, here):
        """Addresses that were asked for and are not of this server."""
        return [u for e in self.events if e["method"] == "Network.requestWillBeSent"
                for u in [e["params"]["request"]["url"]]
                if not u.startswith((here, "blob:" + here, "about:", "data:"))]

    def size(self, width, height, dark=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        self.send("Page.navigate", url=url)

    def js(self, text):
        got = self.send("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"].get("exception", {}).get("description", "?"))
        return got["result"].get("value")

    def wait(self, text, seconds=15):
        until = time.time() + seconds
        while time.time() < until:
            try:
                value = self.js(text)
            except RuntimeError:
                value = None
            if value:
                return value
            time.sleep(0.01)
        raise TimeoutError(f"not within {seconds} s: {text}")

    def key(self, name, modifiers=0):
        text = {"Enter": "\r"}.get(name, name if len(name) == 1 else "")
        # the codes of "." and "(" are those of Delete and ArrowDown
        code = KEYS.get(name, ord(name.upper()[0]) if name[0].isalnum() else 0)
        if modifiers & (ALT | CTRL):
            text = ""
        more = {"text": text, "unmodifiedText": text} if text else {}
        # what is an event of a key to the page is one to an editor as well
        if name.lower() == "z" and modifiers & CTRL:
            more["commands"] = ["undo"]
        self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=name,
                  modifiers=modifiers, windowsVirtualKeyCode=code, **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, modifiers=modifiers,
                  windowsVirtualKeyCode=code)

    def mouse(self, x0, y0, x1=None, y1=None):
        """A click, or a drag to the second place."""
        def at(kind, x, y, buttons):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                      buttons=buttons, clickCount=1)
        at("mousePressed", x0, y0, 1)
        if x1 is not None:
            for i in range(1, 5):
                at("mouseMoved", x0 + (x1 - x0) * i / 4, y0 + (y1 - y0) * i / 4, 1)
        at("mouseReleased", x0 if x1 is None else x1, y0 if y1 is None else y1, 0)

    def choose(self, selector, paths):
        """Files, or a folder, for an input of type file."""
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=[str(p) for p in paths])

    def drop(self, x, y, paths):
        data = {"items": [], "files": [str(p) for p in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.send("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)
            time.sleep(.2)  # a drop counts only after the page has allowed it

    def unnamed(self):
        """What a screen reader would come to and could not name."""
        need = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "progressbar", "image", "dialog", "list",
                "navigation", "group", "region", "Date", "spinbutton"}
        return [n["role"]["value"] for n in self.send("Accessibility.getFullAXTree")["nodes"]
                if not n.get("ignored") and n["role"]["value"] in need and not n.get("name", {}).get("value")]

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))
