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
    cp "$root/samples/expected/good/$f.expected.json" "ours/receipt/${f%.*}.json"
done
eval_ ours --json --second-reader off && holds "the documents of a sub-folder are read by the schema that it names" \
    'r["all"]["documents"] == 3 and list(r["schemas"]) == ["receipt"] and r["all"]["exact"] == 1 and r["all"]["ece"] < .1 and r["all"]["tokens_a_page"] > 100 and
     r["schemas"]["receipt"]["fields"]["/items/*/price"]["values"] == r["schemas"]["receipt"]["fields"]["/items/*/name"]["values"] > 5' ||
    bad "the documents of a sub-folder are read by the schema that it names" "$(tail -n1 err)"

"$platen" extract ours/receipt/*.p* --schema receipt --second-reader off --out records 2> err
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
holds "a confident error shows in the calibration, and places where they are expected" 'r["all"]["reliability"][9]["right"] < 1 and r["all"]["evidence_f1"] == 1'
eval_ ours --records records && grep -q '^receipt: 3 documents' out && grep -qE "^  all +$n +[0-9.]+ " out && grep -q 'ECE' out && ok "and as a table" || bad "and as a table" "$(cat err out | head -5)"

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
