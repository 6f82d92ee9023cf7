#!/usr/bin/env bash
# eval.sh: platen eval tells how much of what was expected was read, of records that are there and of documents that it reads,
# by the rules of the judges in tests/eval.
subject="eval: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
eval_() { "$platen" eval "$@" > out 2> err; }
holds() { # holds NAME EXPRESSION: of the JSON in out, as r
    python3 -c 'import json, sys; r = json.load(open("out")); assert eval("(" + sys.argv[1] + ")"), (sys.argv[1], r["all"])' "$2" 2> why &&
        ok "$1" || bad "$1" "$(tail -qn1 why err)"
}
mkdir -p ours/receipt records
for f in askew.png cafe.pdf kiosk.png; do
    cp "$root/samples/good/$f" ours/receipt/
    cp "$root/samples/expected/good/$f.json" "ours/receipt/${f%.*}.json"
done
eval_ ours --json --ocr off && holds "the documents of a sub-folder are read by the schema that it names" \
    'r["all"]["documents"] == 3 and list(r["schemas"]) == ["receipt"] and r["all"]["exact"] == 1 and r["all"]["ece"] < .1 and r["all"]["tokens_a_page"] > 100 and
     r["schemas"]["receipt"]["fields"]["/items/*/price"]["values"] == r["schemas"]["receipt"]["fields"]["/items/*/name"]["values"] > 5' ||
    bad "the documents of a sub-folder are read by the schema that it names" "$(tail -n1 err)"

"$platen" extract ours/receipt/*.p* --schema receipt --ocr off --out records 2> err
for f in records/*; do cp "$f" "a-${f##*/}"; done
python3 - << 'PY'
import json
def change(name, f):
    r = json.load(open("records/%s.json" % name), parse_float=float)
    f(r["data"], r)
    json.dump(r, open("records/%s.json" % name, "w"))
def askew(d, r):
    d["items"].pop(1)                       # a row that was not read
    d["merchant"] = d["merchant"].upper()   # tolerantly right
def cafe(d, r):
    d["total"] = None
    d["items"][0]["price"] += 1
    r["fields"]["/items/0/price"]["confidence"] = .99
change("askew", askew); change("cafe", cafe)
n = 0
for name in "askew", "cafe", "kiosk":
    e = json.load(open("ours/receipt/%s.json" % name))
    n += 4 + 3 * len(e["items"])
    open("values", "w").write(str(n))
    # boxes are expected where the whole record is
    if name == "kiosk":
        json.dump(json.load(open("records/kiosk.json")), open("ours/receipt/kiosk.json", "w"))
PY
n=$(cat values)
eval_ ours --records records --json && holds "rows are held against those that they match, and errors are counted by field" \
    "r['all']['values'] == $n and r['all']['right'] == $n - 6 and abs(r['all']['tolerant'] - ($n - 5) / $n) < 1e-5 and r['all']['null_wrong'] == 4 and
     r['schemas']['receipt']['fields']['/total']['null_wrong'] == 1 and r['schemas']['receipt']['fields']['/items/*/price']['right'] == r['schemas']['receipt']['fields']['/items/*/price']['values'] - 2 and
     r['all']['exact_in_order'] < r['all']['exact']" || bad "records" "$(tail -n1 err)"
holds "a confident error shows in the calibration" 'r["all"]["reliability"][9]["right"] < 1'
eval_ ours --records records && grep -q '^receipt: 3 documents' out && grep -qE "^  all +$n +[0-9.]+ " out && grep -q 'ECE' out && ok "and as a table" || bad "and as a table" "$(cat err out | head -5)"

# two results
mkdir worse; cp records/* worse/
eval_ ours --records records --json; cp out a.json
eval_ --compare a.json a.json; code=$?
[ $code = 0 ] && tail -n1 out | grep -qx 'no difference' && ok "two identical sets: no difference" || bad "two identical sets: no difference" "$code $(cat err out)"
eval_ ours --compare records worse --json && python3 -c 'import json; r = json.load(open("out")); assert r["verdict"] == "same" and r["documents"] == 3' && ok "folders of records are held against each other" || bad "folders of records are held against each other" "$(cat err)"
python3 - << 'PY'
import json
a = json.load(open("a.json"))
def many(fault):
    d = [dict(a["documents"][2], name="%d.png" % i, exact=a["documents"][2]["exact"] - (fault if i % 3 else 0)) for i in range(15)]
    return dict(a, documents=d)
json.dump(many(0), open("good.json", "w")); json.dump(many(3), open("bad.json", "w"))
PY
eval_ --compare good.json bad.json; code=$?
[ $code = 1 ] && grep -q '^B is worse' out && ok "B that is worse beyond chance ends with 1" || bad "B that is worse beyond chance ends with 1" "$code $(cat err out)"
eval_ --compare bad.json good.json; code=$?
[ $code = 0 ] && grep -q '^B is better' out && ok "B that is better does not" || bad "B that is better does not" "$code $(cat err out)"
eval_ --compare a.json "$root/samples/expected/good/cafe.pdf.json"; code=$?
[ $code = 1 ] && grep -q 'eval --json' err && ok "what is no result is refused" || bad "what is no result is refused" "$code $(cat err)"

# gates
echo '{"most is right": {"measure": "exact", "least": 0.5}, "quick": {"schema": "receipt", "measure": "tokens_a_page", "most": 1e6}}' > gates.json
eval_ ours --records records --gates gates.json; code=$?
[ $code = 0 ] && grep -q '2 of 2 gates passed' err && ok "gates that hold" || bad "gates that hold" "$code $(cat err)"
echo '{"totals": {"field": "/total", "measure": "exact", "least": 0.99}, "gone": {"field": "/tax", "measure": "f1", "least": 0.1}, "fine": {"measure": "f1", "most": 1}}' > gates.json
eval_ ours --records records --gates gates.json; code=$?
[ $code = 4 ] && grep -q 'gate "totals" fails: exact of /total of receipt is 0.6667, must be at least 0.99' err && grep -q '"gone" fails.*not known' err && [ "$(grep -c fails err)" = 2 ] && ok "each gate that fails is named" || bad "each gate that fails is named" "$code $(cat err)"
echo '{"totals": {"measure": "exactly", "least": 0.99}}' > gates.json
eval_ ours --gates gates.json; code=$?
[ $code = 9 ] && [ ! -s out ] && grep -q 'gates.json: totals: "measure" must be exact, ' err && ok "a gate of no measure is refused before anything is read" || bad "a gate of no measure is refused before anything is read" "$code $(cat err)"

# a quantisation that went wrong in one layer and still talks; another seed of the same
mkdir -p sound/receipt
for f in askew.png cafe.pdf kiosk.png torn-off.png turned-page.pdf bistro.webp; do
    cp "$root/samples/good/$f" sound/receipt/
    cp "$root/samples/expected/good/$f.json" "sound/receipt/${f%.*}.json"
done
tiny=$root/vlm/embedded/platen-tiny
python3 "$root/tests/support/damage_gguf.py" "$tiny.gguf" broken.gguf 3 3 > /dev/null
seed() { eval_ sound --json --ocr off --ground off --temperature 0.5 --seed "$@"; }
seed 5; cp out five.json; seed 6; cp out six.json
eval_ --compare five.json six.json; code=$?
[ $code = 0 ] && grep -q '^no \(significant \)\?difference' out && ok "another seed of the same model is no difference" || bad "another seed" "$code $(cat err out)"
echo '{"right": {"measure": "exact", "least": 0.9}}' > gates.json
seed 5 --gates gates.json --model broken.gguf --mmproj "$tiny-mmproj.gguf"; code=$?; cp out broken.json
[ $code = 4 ] && grep -q 'gate "right" fails' err && ok "one layer's scales damaged: the gate fails" || bad "the gate of a damaged model" "$code $(cat err)"
eval_ --compare five.json broken.json; code=$?
[ $code = 1 ] && grep -q '^B is worse' out && ok "and so does the comparison" || bad "the comparison with a damaged model" "$code $(cat err out)"

# confidence learnt anew: one value in nine is wrong, however sure it looks
mkdir many many-records cache
python3 - << 'PY'
import json
for copy in range(10):
    for name in "askew", "cafe", "kiosk":
        text = open("a-%s.json" % name).read()
        open("many-records/%s%d.json" % (name, copy), "w").write(text)
        data, at = json.loads(text)["data"], copy
        for row in [data] + data["items"]:
            for key, value in row.items():
                if key != "items":
                    at += 1
                    row[key] = "other" if at % 9 == 0 else value
        open("many/%s%d.json" % (name, copy), "w").write(json.dumps(data))
PY
printf '[engine]\ncache = %s/cache\n' "$scratch" > conf
eval_ many --records many-records --fit --precision 80 --config conf; code=$?
[ $code = 0 ] && grep -q 'the fit is better' out && grep -q '^  review_threshold = ' out && [ "$(ls cache/*.fit.json | wc -l)" = 1 ] && ok "--fit keeps what predicts better" || bad "--fit keeps what predicts better" "$code $(cat err; tail -n5 out)"
"$platen" extract ours/receipt/askew.png --schema receipt --ocr off --config conf --format json,xml --out fitted 2> err
python3 -c '
import json
new, old = json.load(open("fitted/askew.json")), json.load(open("a-askew.json"))
assert new["confidence_fit"] and "confidence_fit" not in old
assert all(.5 < new["fields"][p]["confidence"] < f["confidence"] for p, f in old["fields"].items() if f["confidence"] > .95), [(f["confidence"], new["fields"][p]["confidence"]) for p, f in old["fields"].items()]
assert sum(f["confidence"] for f in new["fields"].values()) / len(new["fields"]) < .93' 2> why && "$platen" validate --schema record fitted/askew.json > /dev/null && "$platen" schema xsd receipt > receipt.xsd && xmllint --noout --schema receipt.xsd fitted/askew.xml 2>> why &&
    ok "extraction uses it and says so" || bad "extraction uses it and says so" "$(tail -qn1 err why)"
mkdir again; cp ours/receipt/askew.json again/
eval_ again --records fitted --fit --config conf; code=$?
[ $code = 1 ] && grep -q 'already calibrated by a fit' err && ok "a fit is not learnt from its own confidences" || bad "a fit is not learnt from its own confidences" "$code $(cat err)"
eval_ ours --records records --fit --config conf; code=$?
[ $code = 1 ] && grep -q 'at least 200 values' err && ok "below 200 values nothing is learnt" || bad "below 200 values nothing is learnt" "$code $(cat err)"

# a spool whose records a person reviewed
mkdir -p spool/in/receipt; cp ours/receipt/cafe.pdf ours/receipt/kiosk.png spool/in/receipt/
"$platen" run spool --stable-for 0 --ocr off -q > /dev/null 2> err
eval_ spool; code=$?
[ $code = 1 ] && grep -q 'has no reviewed document' err && ok "a spool that nobody reviewed is no truth" || bad "a spool that nobody reviewed is no truth" "$code $(cat err)"
python3 - << 'PY'
import glob, json, os
for path in glob.glob("spool/done/*/record.json"):
    r = json.load(open(path), parse_float=str)
    if r["source"]["name"] != "cafe.pdf": continue
    line = dict(page=1, box=None, who="me", when="2026-11-22T12:00:00Z")
    with open(os.path.dirname(path) + "/review.jsonl", "w") as f:
        f.write(json.dumps(dict(line, pointer="/merchant", old=r["data"]["merchant"], new="Other")) + "\n")
        f.write(json.dumps(dict(line, pointer="")) + "\n")
PY
eval_ spool --records spool --json; code=$?
[ $code = 0 ] && grep -q '1 documents skipped' err && holds "what persons said of the records of a spool is expected" 'r["all"]["documents"] == 1 and r["all"]["right"] == r["all"]["values"] - 1 and r["schemas"]["receipt"]["fields"]["/merchant"]["right"] == 0 and r["all"]["evidence_f1"] is None' || bad "a reviewed spool" "$code $(cat err)"
python3 - << 'PY'
import glob, json
for path in glob.glob("spool/done/*/review.jsonl"):
    r = json.load(open(path.replace("review.jsonl", "record.json")), parse_float=str)
    line = dict(page=1, who="me", when="2026-11-22T12:00:00Z")
    def say(pointer, value, box): f.write(json.dumps(dict(line, pointer=pointer, old=value, new=value, box=box)) + "\n")
    with open(path, "a") as f:
        e = r["fields"]["/date"]["evidence"][0]
        say("/date", r["data"]["date"], [float(x) for x in e["box"]])
        say("/currency", r["data"]["currency"], [0.01, 0.9, 0.05, 0.02])  # elsewhere than it was seen
PY
eval_ spool --records spool --json && holds "places that persons gave are expected, others are not judged" 'abs(r["all"]["evidence_f1"] - .5) < 1e-9 and r["schemas"]["receipt"]["fields"]["/date"]["evidence_f1"] == 1 and r["schemas"]["receipt"]["fields"]["/currency"]["evidence_f1"] == 0 and r["schemas"]["receipt"]["fields"]["/total"]["evidence_f1"] is None' || bad "places of persons" "$(cat err)"
eval_ spool --json --ocr off && holds "and is held against what is read anew" 'r["all"]["documents"] == 1 and r["all"]["right"] == r["all"]["values"] - 1' || bad "read anew" "$(cat err)"

# the report
python3 - << 'PY'
import json
r = json.load(open("records/cafe.json"))
r["data"]["merchant"] = "<script>alert('x')</script>&\"<img src=http://evil/>"
r["data"]["<b>key</b>"] = "made up"
json.dump(r, open("records/cafe.json", "w"))
PY
eval_ ours --records records -o report.html; code=$?
python3 - << 'PY' 2> why && [ $code = 0 ] && ok "the report stands alone, shows places, and what a document says is no markup" || bad "the report stands alone, shows places, and what a document says is no markup" "$code $(tail -qn1 err why)"
import base64, html.parser, io, re, sys
tags, shown = [], []
class Page(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        tags.append((tag, dict(attributes)))
    def handle_data(self, data):
        shown.append(data)
text = open("report.html", encoding="utf-8").read()
Page().feed(text)
names = [tag for tag, _ in tags]
assert not {"script", "b", "link", "iframe", "object"} & set(names), names
assert names.count("svg") == 2 and names.count("polyline") == 1 and "default-src 'none'" in text
pictures = [a["src"] for tag, a in tags if tag == "img"]
assert pictures and all(p.startswith("data:image/") for p in pictures), len(pictures)
assert base64.b64decode(pictures[0].split(",")[1])[:4] == b"\x89PNG"
said = "".join(shown)
assert "<script>alert('x')</script>&" in said and "/<b>key<~1b>" in said and "receipt/cafe.pdf" in said, repr(said)
PY
cp ours/receipt/kiosk.png ours/receipt/cafe.pdf # other bytes than the record's
eval_ ours --records records -o report.html; code=$?
[ $code = 0 ] && grep -q 'cafe.pdf: no pictures.*not the document' err && ok "no place is shown on another document" || bad "no place is shown on another document" "$code $(cat err)"

rm records/cafe.json; echo garbage > ours/receipt/other.pdf; echo '{}' > ours/receipt/other.json
eval_ ours --records records --json; code=$?
[ $code = 16 ] && grep -q 'cafe.pdf' err && holds "what was not read counts as missing" 'r["all"]["failed"] == 2 and r["all"]["null_wrong"] > 10' || bad "what was not read counts as missing" "$code $(cat err)"
rm ours/receipt/other.*
cp ours/receipt/cafe.pdf lonely.pdf
mkdir none; mv lonely.pdf none/
eval_ none --schema receipt; code=$?
[ $code = 1 ] && grep -q 'lonely.json' err && ok "a folder without expected records is no evaluation" || bad "a folder without expected records is no evaluation" "$code $(cat err)"
echo '{"merchant":' > none/lonely.json
eval_ none --schema receipt; code=$?
[ $code = 2 ] && grep -q 'none/lonely.json' err && ok "an expected file that is no JSON is named" || bad "an expected file that is no JSON is named" "$code $(cat err)"

python=
for p in "${PYTHON_TRAIN:-python3}" python3 /usr/bin/python3; do "$p" -c 'import PIL, numpy' 2> /dev/null && python=$p && break; done
[ "$python" ] || { echo "skip - ${subject}the judges' figures: python3-numpy and -pil are not installed"; exit $failed; }
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/eval/agree.py" --platen "$platen" --docs 16 --kind unseen-fonts,page > out 2> err && ok "the figures are those of the judges" || bad "the figures are those of the judges" "$(tail -n2 out err)"
exit $failed
