#!/usr/bin/env bash
# show.sh: platen show and extract --show draw each value's box where the record says, in the colour of its doubt, with the
# value beside it; only onto the document that the record is of.
subject="show: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && python=$p && break; done
[ "$python" ] || { echo "skip - ${subject}python3-pil is not installed"; exit 0; }
show() { "$platen" show "$@" > "$scratch/out" 2> "$scratch/err"; }
holds() { # holds NAME PICTURE RECORD EXPRESSION: of the picture's page, of the sides of boxes, and of the margins
    "$python" - "$2" "$3" "$4" << 'PY' 2> "$scratch/why" && ok "$1" || bad "$1" "$(tail -qn1 "$scratch/why" "$scratch/err" 2> /dev/null)"
import json, sys
from PIL import Image
picture = Image.open(sys.argv[1]).convert("RGB")
fields = json.load(open(sys.argv[2]))["fields"]
width, height = picture.size
is_page = [all(picture.getpixel((x, height * i // 12)) != (245, 245, 245) for i in range(12)) for x in range(width)]
left, right = is_page.index(True), width - 1 - is_page[::-1].index(True)
COLOUR = {"green": (0, 128, 89), "amber": (224, 138, 0), "red": (204, 13, 51)}
def colour(pointer, page=1):
    """Of the box around the value, by most of its upper side; None: there is none."""
    e = [e for e in fields[pointer].get("evidence", []) if e.get("page") == page]
    if not e: return None
    x, y, w, h = e[0]["box"]
    found = {name: 0 for name in COLOUR}
    for i in range(61):
        at = left + (x + w * i / 60) * (right - left)
        for name, rgb in COLOUR.items():
            found[name] += any(sum(abs(a - b) for a, b in zip(picture.getpixel((min(int(at), width - 1), max(min(int((y + h) * height) + d, height - 1), 0))), rgb)) < 90
                               for d in range(-1, 8))
    best = max(found, key=found.get)
    return best if found[best] > 20 else None
def ink(x0, x1):
    """Letters of values (black) between two columns."""
    return sum(n for n, rgb in picture.crop((x0, 0, x1, height)).getcolors(1 << 24) if sum(rgb) < 120)
assert eval(sys.argv[3]), (sys.argv[3], picture.size, left, right, {p: colour(p) for p in fields})
PY
}
cp samples/good/askew.png samples/good/two-pages.pdf "$scratch"
"$platen" extract "$scratch/askew.png" "$scratch/two-pages.pdf" --schema receipt --out "$scratch" --show "$scratch/pictures" --review-threshold 0.5 2> "$scratch/err"
r=$scratch/askew.json
holds "extract --show draws the values where they stand" "$scratch/pictures/askew.page1.png" "$r" \
    'sum(colour(p) == "green" for p in fields) > 8 and not {colour(p) for p in fields} - {"green", None} and ink(0, left - 1) > 500 and ink(right + 2, width) > 200'
show "$r" --review-threshold 0.5 -o "$scratch/one.png"
cmp -s "$scratch/one.png" "$scratch/pictures/askew.page1.png" && ok "show draws the same" || bad "show draws the same" "$(cat "$scratch/err")"
show "$r" --review-threshold 0.5 > "$scratch/out" && cmp -s "$scratch/out" "$scratch/one.png" && ok "without -o the picture goes to stdout" || bad "stdout" "$(cat "$scratch/err")"

"$python" - "$r" "$scratch/doubt.json" << 'PY'
import json, sys
r = json.load(open(sys.argv[1]))
f, d = r["fields"], r["data"]
f["/items/0/price"]["verdict"] = "differ"
f["/items/1/price"].update(p=.97, confidence=.97, verdict="unseen")
f["/items/2/price"].update(p=.3, confidence=.3)
f["/items/3/price"].update(p=.8, confidence=.8)
f["/items/3/name"] = {"source": "person", "page": 1, "evidence": f["/items/3/name"]["evidence"]}
f["/items/4/price"]["evidence"] = [dict(f["/items/4/price"]["evidence"][0], match="ambiguous")]
f["/date"].update(p=.8, confidence=.8, verdict="agree")
f["/items/0/name"].pop("p"); f["/items/0/name"].pop("verdict")
f["/items/0/name"].pop("confidence", None)
del f["/total"]["evidence"]
d["merchant"] = "ಕನ್ನಡ \u202eمخبز\u0007 日本 " + "long " * 2000
json.dump(r, open(sys.argv[2], "w"))
PY
show "$scratch/doubt.json" --review-threshold 0.9 -o "$scratch/doubt.png"
holds "what is in doubt is amber, and only what was read differently is red" "$scratch/doubt.png" "$scratch/doubt.json" \
    '[colour("/items/%d/price" % i) for i in (0, 2, 3, 4)] == ["red", "amber", "amber", "amber"] and colour("/date") == colour("/items/0/name") == "amber" and colour("/items/1/name") == "green" and colour("/total") is None'
"$python" - "$r" "$scratch/edge.json" "$scratch/denied.json" << 'PY'
import json, sys
r = json.load(open(sys.argv[1]))
f = r["fields"]
f["/items/0/name"]["evidence"][0]["box"] = [0, 0, 0.2, 0.02]
f["/items/0/price"]["evidence"][0]["box"] = [0.8, 0.98, 0.2, 0.02]
json.dump(r, open(sys.argv[2], "w"))
f["/total"].update(verdict="differ", evidence=f["/total"]["evidence"] + [{"source": "e-invoice", "match": "different", "term": "BT-112", "text": "179.10"}])
json.dump(r, open(sys.argv[3], "w"))
PY
show "$scratch/edge.json" --review-threshold 0.5 -o "$scratch/edge.png"
holds "boxes at the edge of the page have all their sides" "$scratch/edge.png" "$scratch/edge.json" \
    'all(sum(picture.getpixel(at)[1] - picture.getpixel(at)[0] > 60 for at in line) >= 15 for line in ([(left + 10 + i, 0) for i in range(60)], [(left + 1, 4 + i) for i in range(16)], [(right - 10 - i, height - 1) for i in range(60)], [(right, height - 6 - i) for i in range(16)]))'
show "$scratch/denied.json" --review-threshold 0.5 -o "$scratch/denied.png"
holds "what an e-invoice has stands behind the value that it denies" "$scratch/denied.png" "$scratch/denied.json" \
    'colour("/total") == "red" and ink(right + 2, width) > 0 and width > Image.open(sys.argv[1].replace("denied", "edge")).size[0] + 40'
holds "a page goes with its own values" "$scratch/pictures/two-pages.page2.png" "$scratch/two-pages.json" \
    'sum(colour(p, 2) == "green" for p in fields) == sum(f["page"] == 2 for f in fields.values()) > 0'
show "$scratch/two-pages.json" --page 2 -o "$scratch/two.png" && cmp -s "$scratch/two.png" "$scratch/pictures/two-pages.page2.png" &&
    ok "--page asks for one" || bad "--page asks for one" "$(cat "$scratch/err")"

# upright, as a viewer shows it
"$platen" extract samples/good/turned-page.pdf samples/good/photo-sideways.jpg --schema receipt --out "$scratch" --show "$scratch/pictures" 2> "$scratch/err"
for name in turned-page photo-sideways; do
    holds "$name: boxes in the frame of a viewer" "$scratch/pictures/$name.page1.png" "$scratch/$name.json" \
        'sum(colour(p) is not None for p in fields) > 8'
done

refuses() { # refuses NAME TEXT CODE ARGUMENT...
    local name=$1 text=$2 code=$3
    shift 3
    rm -f "$scratch/no.png"
    show "$@" -o "$scratch/no.png"
    local rc=$?
    [ $rc = "$code" ] && grep -q -- "$text" "$scratch/err" && [ ! -e "$scratch/no.png" ] && ok "$name" || bad "$name" "exit $rc: $(cat "$scratch/err")"
}
refuses "a page that the record has not is named" "no page 3; its pages are 1 to 2" 1 "$scratch/two-pages.json" --page 3
refuses "another document is refused" "is not the document of this record" 1 "$r" --document samples/good/kiosk.png
mkdir -p "$scratch/alone/far" && cp "$r" "$scratch/alone" && cp "$r" "$scratch/alone/far"
refuses "a document that is gone is named, with what to do" "askew.png) was not found: platen show $scratch/alone/far/askew.json --document FILE" 5 "$scratch/alone/far/askew.json"
finds() { # finds NAME ARGUMENT...
    local name=$1; shift
    rm -f "$scratch/found.png"
    (cd "${from:-.}" && "$platen" show "$@" -o "$scratch/found.png") 2> "$scratch/err" && [ -s "$scratch/found.png" ] && ok "$name" || bad "$name" "$(cat "$scratch/err")"
}
finds "records/scan.json finds the document one folder up" "$scratch/alone/askew.json"
from=$root/samples/good finds "and in the current folder" "$scratch/alone/far/askew.json"
echo '{"data": 1}' > "$scratch/alone/none.json"
refuses "what is no record is refused" "not a record" 1 "$scratch/alone/none.json" --document samples/good/kiosk.png
echo '{' > "$scratch/alone/none.json"
refuses "what is no JSON is refused" "is not one record in JSON" 2 "$scratch/alone/none.json"
refuses "a page is a number" "must be a number" 1 "$r" --page x
refuses "without the program that draws it says which is missing" "annotate_program" 5 "$r" --annotate-program /nonexistent

refuses "one that ends early is no picture" "platen-annotate ended early" 7 "$r" --annotate-program /bin/true
cat > "$scratch/noise" << 'END'
#!/bin/sh
yes noise | head -c 100000 >&4
END
chmod +x "$scratch/noise"
refuses "nor is one that talks nonsense believed" "broke its protocol" 7 "$r" --annotate-program "$scratch/noise"

mkdir -p "$scratch/spool/in/receipt"
cp samples/good/askew.png "$scratch/spool/in/receipt"
"$platen" run "$scratch/spool" --stable-for 0 --review-threshold 0.5 > /dev/null 2> "$scratch/err"
id=$(ls "$scratch/spool/done")
show "$scratch/spool" "$id" --review-threshold 0.5 -o "$scratch/spooled.png" && cmp -s "$scratch/spooled.png" "$scratch/one.png" &&
    ok "a spool's document is drawn by its id" || bad "a spool's document is drawn by its id" "$(cat "$scratch/err")"
finds "a record in out/ finds its document in the spool" "$scratch/spool/out/receipt/askew.json"
finds "and so does one in done/" "$scratch/spool/done/$id/record.json"
refuses "an id that is not there is named" "no document in done/ has the id or name 20200101T000000Z-0000000000000000" 1 "$scratch/spool" 20200101T000000Z-0000000000000000
exit $failed
