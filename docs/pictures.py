#!/usr/bin/python3
"""pictures.py - makes the pictures of README.md from the samples: a scan, the same page as
`platen show` draws it, and the page of `platen review`. Run from the top folder, after make.
Needs pdftoppm, Pillow (python3-pil) and Chromium. A picture over 200 KB is an error."""
import os
import subprocess
import sys
import tempfile
import time

from PIL import Image

sys.path.insert(0, "tests/support")
from chrome import Chrome  # noqa: E402

SAMPLE = "samples/good/market-scan.pdf"
SPOOL = (SAMPLE, "samples/good/photo-sideways.jpg", "samples/good/kiosk.png")
DOUBT = ("--review-threshold", "0.99")  # more than the one ambiguous date at the default

os.environ["PLATEN_CONFIG"] = ""

def call(*words):
    subprocess.run(words, check=True)

def keep(png, name, width, step):
    """Fewer levels: the noise of a scan is most of a PNG file."""
    picture = Image.open(png).convert("RGB")
    if picture.width > width:
        picture = picture.resize((width, round(picture.height * width / picture.width)), Image.LANCZOS)
    picture = picture.point(lambda v: min(255, (v + step // 2) // step * step))
    picture.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(f"docs/{name}", optimize=True)
    size = os.path.getsize(f"docs/{name}")
    print(f"docs/{name}: {picture.width} x {picture.height}, {size} bytes")
    if size > 200_000:
        sys.exit(f"docs/{name} is larger than 200 KB")

def review(folder):
    os.makedirs(f"{folder}/spool/in/receipt")
    call("cp", *SPOOL, f"{folder}/spool/in/receipt")
    call("build/platen", "run", f"{folder}/spool", "--stable-for", "0", "-q", *DOUBT)
    server = subprocess.Popen(["build/platen", "review", f"{folder}/spool", *DOUBT], stdout=subprocess.PIPE, text=True)
    try:
        chrome = Chrome(1280, 760)
        chrome.open(server.stdout.readline().strip())
        chrome.wait("!document.getElementById('work').hidden && (document.activeElement?.dataset?.pointer ?? '') !== ''")
        time.sleep(2)  # a child draws the page
        chrome.picture(f"{folder}/review.png")
        chrome.close()
    finally:
        server.terminate()

with tempfile.TemporaryDirectory() as scratch:
    call("pdftoppm", "-r", "150", "-png", "-singlefile", SAMPLE, f"{scratch}/scan")
    keep(f"{scratch}/scan.png", "scan.png", 420, 18)
    call("build/platen", "extract", SAMPLE, "--schema", "receipt", "--out", scratch)
    call("build/platen", "show", f"{scratch}/market-scan.json", "--document", SAMPLE, "-o", f"{scratch}/show.png")
    keep(f"{scratch}/show.png", "show.png", 1100, 18)
    review(scratch)
    keep(f"{scratch}/review.png", "review.png", 1160, 10)
