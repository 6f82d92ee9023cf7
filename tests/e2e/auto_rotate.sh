#!/usr/bin/env bash
# turn.sh - a page that lies on its side or head is read upright where the embedded
# model can tell, and its values stand where they stand on the page as it was given.
set -u
subject="auto_rotate: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && { python=$p; break; }; done
[ -n "$python" ] || { echo "skip - turn: python3-pil is not installed"; exit 0; }
export PLATEN_OCR=off
"$python" - "$root/samples/good/kiosk.png" << 'PY' || { bad "pages to turn" "not drawn"; exit 1; }
import sys
from PIL import Image, ImageDraw
page = Image.open(sys.argv[1]).convert('L')
for quarters in range(4):
    page.rotate(-90 * quarters, expand=True).save('%d.png' % quarters)
page.rotate(180).save('head.pdf', resolution=100)
page.rotate(180).save('two.tiff', save_all=True, append_images=[page])
# strokes like letters, lines of them: nothing to be read either way
foreign = Image.new('L', (256, 192), 240)
draw = ImageDraw.Draw(foreign)
for y in range(20, 180, 20):
    for x in range(20, 150 + y % 70, 9):
        draw.line((x, y, x + y * x % 7, y + 12), 30, 2)
        draw.line((x, y + x % 12, x + 5, y + x % 12), 30, 2)
foreign.save('foreign.png')
PY
read_it() { # read_it OUT FILE OPTIONS...
    local out=$1; shift
    "$platen" extract --schema receipt "$@" > "$out.json" 2> "$out.err"
}
holds() { # holds WHAT OUT EXPRESSION: of the record r, u, that of the page as it was drawn, and t, its warnings of turns
    "$python" - "$2" "$3" << 'PY' 2> holds.err && ok "$1" || bad "$1" "$(tail -1 holds.err | cut -c1-900) $(tail -2 "$2.err")"
import json, sys
r, u = json.load(open(sys.argv[1] + '.json')), json.load(open('0.json'))
t = [w for w in r['warnings'] if w['code'] == 'auto-rotated']
def turned(box, quarters):
    x, y, w, h = box
    for _ in range(quarters):
        x, y, w, h = 1 - y - h, x, h, w
    return x, y, w, h
def near(quarters):
    for pointer, field in u['fields'].items():
        for one, other in zip(field.get('evidence', []), r['fields'][pointer].get('evidence', [])):
            if max(abs(a - b) for a, b in zip(turned(one['box'], quarters), other['box'])) > 0.02:
                return False
    return any('evidence' in f for f in r['fields'].values())
sides = lambda record: (record['pages'][0]['width_px'], record['pages'][0]['height_px'])
assert eval(sys.argv[2]), (r['verdict'], t, r['data'])
PY
}
read_it 0 0.png
holds "a page that is read is asked about once" 0 'r["verdict"] == "read" and not t and r["attempts"] == 1'
for quarters in 1 2 3; do
    read_it $quarters $quarters.png
    holds "$((90 * quarters)) degrees: read as upright, and named" $quarters \
        'r["verdict"] == "read" and r["data"] == u["data"] and len(t) == 1 and t[0]["page"] == 1 and "by %d degrees" % (360 - '$((90 * quarters))') in t[0]["text"]'
    holds "$((90 * quarters)) degrees: sides are those of the page as it was given" $quarters \
        "sides(r) == (sides(u) if $quarters == 2 else sides(u)[::-1])"
done
read_it pdf head.pdf
holds "a PDF of a picture" pdf 'r["verdict"] == "read" and r["data"]["total"] == u["data"]["total"] and len(t) == 1'
read_it off 2.png --auto-rotate off
holds "off: unread, and asked about once" off 'r["verdict"] == "unread" and not t and r["attempts"] == 1'
read_it two two.tiff
holds "of several pages none is turned" two 'not t'
read_it foreign foreign.png; read_it plain foreign.png --auto-rotate off
"$python" -c 'import json
a, b = (json.load(open(n)) for n in ("foreign.json", "plain.json"))
assert a["verdict"] == "unread" and a["attempts"] == 4 and b["attempts"] == 1, (a["verdict"], a["attempts"])
for key in ("data", "fields", "warnings", "verdict", "pages"): assert a[key] == b[key], key' 2> holds.err &&
    ok "what is read no way is left as it was" || bad "what is read no way is left as it was" "$(tail -1 holds.err)"
"$platen" ocr --ocr auto 2.png > ocr.txt 2> ocr.err; "$platen" ocr --ocr auto 0.png > upright.txt 2>> ocr.err
[ -s ocr.txt ] && cmp -s ocr.txt upright.txt && ok "plain text as well" || bad "plain text as well" "$(head -c 200 ocr.txt)"

PLATEN_OCR=auto "$platen" doctor | grep -q 'OCR: Tesseract .*reads eng' || { echo "skip - turn: no OCR here"; exit $failed; }
read_it 0 0.png --ocr auto; read_it 3 3.png --ocr auto
holds "OCR reads the page upright, too" 3 \
    'len(t) == 1 and near(3) and sum(f.get("verdict") == "agree" for f in r["fields"].values()) >= 5 and any(e["source"] == "ocr" for f in r["fields"].values() for e in f.get("evidence", []))'
exit $failed
