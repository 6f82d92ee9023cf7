#!/usr/bin/env bash
# attention.sh: values that no words show stand where the embedded model looked, in the frame of the page as it is
# displayed; where nobody says where it looked, records know the page. `make eval-evidence` draws many more.
subject="attention: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && python=$p && break; done
[ "$python" ] || { echo "skip - ${subject}python3-pil is not installed"; exit 0; }
"$python" - "$scratch" << 'PY'
import json, sys
from PIL import Image
at, page = sys.argv[1], Image.open("samples/good/kiosk.png").convert("L")
exif = Image.Exif()
exif[0x0112] = 6
page.transpose(Image.ROTATE_90).save(at + "/turned.jpg", quality=97, exif=exif)
page.save(at + "/two.tiff", save_all=True, append_images=[Image.new("L", page.size, 255), page], compression="tiff_deflate")
one = json.load(open("schemas/receipt.schema.json"))
many = {"$schema": one["$schema"], "type": "object", "properties": {"receipts": {"type": "array", "items": {
    k: v for k, v in one.items() if not k.startswith("$")}}}, "required": ["receipts"], "additionalProperties": False}
json.dump(many, open(at + "/many.schema.json", "w"))
PY
extract() { # extract NAME ARGUMENT...
    local name=$1
    shift
    "$platen" extract --ocr off "$@" > "$scratch/$name" 2> "$scratch/err"
}
holds() { # holds NAME TEXT EXPRESSION: of boxes(NAME), fields(NAME)
    "$python" - "$scratch" "$2" << 'PY' 2> "$scratch/why" && ok "$1" || bad "$1" "$(tail -qn1 "$scratch/why" "$scratch/err")"
import json, sys
def fields(name): return json.load(open(sys.argv[1] + "/" + name))["fields"]
def boxes(name, below="", page=1):
    out = {}
    for pointer, f in fields(name).items():
        for e in f.get("evidence", []):
            assert e["source"] == "attention" and e["match"] == "position" and "text" not in e and len(f["evidence"]) == 1, e
            assert "verdict" not in f and f["page"] == e["page"], f
            if e["page"] == page and pointer.startswith(below): out[pointer[len(below):]] = e["box"]
    return out
def near(a, b, most=.02):
    assert a.keys() == b.keys() and len(a) > 8, (sorted(a), sorted(b))
    assert all(abs(v - w) < most for k in a for v, w in zip(a[k], b[k])), (a, b)
    return True
assert eval(sys.argv[2]), sys.argv[2]
PY
}
extract plain samples/good/kiosk.png --schema receipt
holds "printed values have a box, rows below one another" \
    '(b := boxes("plain")) and len(b) == len(fields("plain")) and b["/items/0/name"][1] < b["/items/1/name"][1] < b["/total"][1] and b["/items/0/name"][0] < b["/items/0/price"][0]'
extract turned "$scratch/turned.jpg" --schema receipt
holds "a page with an EXIF mark has them where a viewer shows them" 'near(boxes("plain"), boxes("turned"))'
extract askew samples/good/askew.png --schema receipt
extract halves samples/good/askew.png --schema receipt --n-ctx 280 &&
    holds "and so have the halves of an askew page that is too much for one answer" \
        'json.load(open(sys.argv[1] + "/halves"))["attempts"] > 1 and near(boxes("askew", "/items"), boxes("halves", "/items"))'
extract two "$scratch/two.tiff" --schema "$scratch/many.schema.json"
holds "pages of a long document have theirs" 'near(boxes("plain"), boxes("two", "/receipts/0", 1)) and near(boxes("plain"), boxes("two", "/receipts/1", 3))'
mkdir "$scratch/model"
cp vlm/embedded/platen-tiny*.gguf "$scratch/model"
extract blind samples/good/kiosk.png --schema receipt --model "$scratch/model/platen-tiny.gguf" --mmproj "$scratch/model/platen-tiny-mmproj.gguf" \
    --cache "$scratch/model"
holds "a model of which no head points gives the page alone" '(f := fields("blind")) and len(f) > 8 and all(v["page"] == 1 and "evidence" not in v for v in f.values())'
exit $failed
