#!/usr/bin/env bash
# ground.sh: what the embedded model only guesses is read from the words of the page:
# each value stands there and is shown, and what they do not decide is null.
set -u
subject="ground: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && { python=$p; break; }; done
[ -n "$python" ] || { echo "skip - ground: python3-pil is not installed"; exit 0; }
"$python" "$root/tests/support/draw_bill.py" . 2> draw.err && [ -s scan.png ] || { echo "skip - ground: no font to print with"; exit 0; }
read_it() { "$platen" extract --schema invoice "$@" > record 2> record.err; }
holds() { # holds WHAT EXPRESSION: of the record r, its data d, fields f, codes of warnings w
    python3 - record "$2" << 'PY' 2> holds.err && ok "$1" || bad "$1" "$(tail -1 holds.err | cut -c1-900) $(tail -2 record.err)"
import json, sys
r = json.load(open(sys.argv[1]))
d, f, w = r["data"], r["fields"], {x["code"] for x in r["warnings"]}
assert eval(sys.argv[2]), (sys.argv[2], r["verdict"], r["engine"], w, {k: d[k] for k in d if k != "items"}, {k: f[k].get("verdict") for k in f})
PY
}
shown='all(x["evidence"] and not x.get("p") for k, x in f.items() if x["verdict"] == "agree") and {"/total", "/date", "/seller/name", "/items/2/amount"} <= {k for k in f if f[k]["verdict"] == "agree"}'
read_it bill.pdf
holds "a text layer is read, not guessed at" \
    'r["engine"] == "words" and r["verdict"] == "read" and d["total"] == 120 and d["date"] == "2024-03-18" and d["seller"]["name"] == "Harbour Tools Ltd"'
holds "the model has not been asked" 'r["tokens"]["sampled"] == 0 and r["attempts"] == 0'
holds "each value is shown where it stands" "$shown"
read_it bill.pdf --ground off
holds "ground = off: what the model says" 'r["engine"] == "native" and r["verdict"] != "read" and d["total"] != 120'
read_it sparse.pdf
holds "a record of few values is doubtful, and the others are null" \
    'r["engine"] == "words" and r["verdict"] == "doubtful" and r["review"] and d["invoice_number"] == "HT-20417" and d["total"] is None and d["date"] is None and d["items"] == []'
if "$platen" doctor | grep -q 'OCR: Tesseract .*reads eng'; then
    read_it scan.png
    holds "of a scan, too, with the words of OCR" \
        'r["engine"] == "words" and d["total"] == 120 and d["due_date"] == "2024-04-17" and len(d["items"]) == 3 and all(e["source"] == "ocr" for x in f.values() for e in x.get("evidence", []))'
    holds "each of them is shown" "$shown"
    holds "nothing is left of what the model had said" 'not w & {"pages-differ", "gaps", "value-misfit", "value-dropped", "retried"}'
    "$platen" validate --schema invoice record > /dev/null 2>&1 && ok "the record is valid" || bad "the record is valid" "$(cat record.err)"
    read_it scan.png --ground off
    holds "not with ground = off" 'r["engine"] == "native" and r["verdict"] != "read"'
fi
read_it scan.png --ocr off
holds "where nobody reads words, the model's answer is for a person" 'r["engine"] == "native" and r["verdict"] != "read" and r["review"]'
for own in kiosk.png bistro.webp till-roll.png; do
    "$platen" extract --schema receipt "$root/samples/good/$own" > record 2> record.err
    holds "what the model can read stays: $own" 'r["engine"] == "native" and r["verdict"] == "read"'
done
exit $failed
