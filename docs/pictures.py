#!/usr/bin/python3
"""pictures.py - makes the pictures of README.md from the samples: a scan, the same page as
`platen show` draws it, and two tabs of the page of `platen serve`. Run from the top folder, after
make. Needs pdftoppm, Pillow (python3-pil) and Chromium. A picture over 150 KB is an error."""
import os
import subprocess
import sys
import tempfile
import time

from PIL import Image

sys.path.insert(0, "tests/support")
from chrome import Chrome  # noqa: E402

SAMPLE = "samples/good/market-scan.pdf"
SPOOL = [SAMPLE] + [f"samples/{name}" for name in ("good/photo-sideways.jpg", "good/kiosk.png", "good/cafe.pdf",
                                                   "good/till-roll.png", "good/two-pages.pdf", "bad/encrypted.pdf")]
N_PAGES = 400  # of a document that is still being read

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
    if size > 150_000:
        sys.exit(f"docs/{name} is larger than 150 KB")

def long_document(path):
    page = Image.open("samples/good/kiosk.png").convert("L")
    page.save(path, save_all=True, append_images=[page] * (N_PAGES - 1), compression="tiff_lzw")

def serve(folder):
    spool = f"{folder}/spool"
    call("build/platen", "init", spool)
    os.makedirs(f"{spool}/in/receipt", exist_ok=True)
    call("cp", *SPOOL, f"{spool}/in/receipt")
    subprocess.run(["build/platen", "run", spool, "--stable-for", "0", "-q"])
    long_document(f"{spool}/in/receipt/journal 2026-10.tif")
    server = subprocess.Popen(["build/platen", "serve", spool], stdout=subprocess.PIPE, text=True)
    watch = subprocess.Popen(["build/platen", "watch", spool, "--stable-for", "0", "-q"])
    try:
        chrome = Chrome(1160, 560)
        chrome.open(server.stdout.readline().strip())
        chrome.wait("document.getElementById('documents').textContent.includes('minute')", 60)
        call("cp", "samples/good/askew.png", f"{spool}/in/receipt/till 7.png")
        chrome.wait("document.getElementById('documents').textContent.includes('till 7')", 60)
        time.sleep(1)
        chrome.picture(f"{folder}/monitor.png")
        chrome.js("[...document.querySelectorAll('#documents a')].find((a) => a.textContent === 'market-scan.pdf').click()")
        chrome.wait("document.querySelectorAll('#view .words span').length > 0")
        chrome.js("document.querySelector('#view-form [data-pointer=\"/items/3/price\"]').focus()")
        time.sleep(1)
        chrome.picture(f"{folder}/view.png")
        chrome.close()
    finally:
        watch.terminate()
        server.terminate()
        watch.wait()

with tempfile.TemporaryDirectory() as scratch:
    call("pdftoppm", "-r", "150", "-png", "-singlefile", SAMPLE, f"{scratch}/scan")
    keep(f"{scratch}/scan.png", "scan.png", 420, 18)
    call("build/platen", "extract", SAMPLE, "--schema", "receipt", "--out", scratch)
    call("build/platen", "show", f"{scratch}/market-scan.json", "--document", SAMPLE, "-o", f"{scratch}/show.png")
    keep(f"{scratch}/show.png", "show.png", 1100, 18)
    serve(scratch)
    keep(f"{scratch}/monitor.png", "spool-monitor.png", 1160, 10)
    keep(f"{scratch}/view.png", "spool-view.png", 1160, 10)
