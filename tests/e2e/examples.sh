#!/usr/bin/env bash
# examples.sh: reviewed documents of the same sender are told to the model as examples: which, how much of them, and what
# a model that copies from them is caught at.
set -u
subject='examples: '
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
command -v python3 > /dev/null || { echo "skip - examples: python3 is not here"; exit 0; }
is() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2, wanted $3: $(tail -3 err)"; }
holds() { # holds WHAT FILE EXPRESSION: of the JSON r, codes and pointers of its warnings w
    python3 - "$2" "$3" << 'PY' 2> holds.err && ok "$1" || bad "$1" "$(tail -1 holds.err | cut -c1-900) $(tail -2 err)"
import json, sys
r = json.load(open(sys.argv[1]))
w = {(x["code"], x.get("pointer")) for x in r.get("warnings", [])} if isinstance(r, dict) else set()
assert eval(sys.argv[2]), (sys.argv[2], r)
PY
}
mkdir schemas
python3 - << 'PY'
import json
text, number = {"type": ["string", "null"]}, {"type": ["number", "null"]}
schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A bill", "type": "object",
          "additionalProperties": False, "properties": {
              "seller": {"type": "object", "additionalProperties": False, "properties": {"name": text}, "required": ["name"]},
              "number": text, "iban": text, "total": number},
          "required": ["seller", "number", "iban", "total"]}
json.dump(schema, open("schemas/plain.schema.json", "w"))
schema["x-platen-check"] = [{"unique": ["/seller/name", "/number"]}]
json.dump(schema, open("schemas/bill.schema.json", "w"))
PY
# bill FILE SELLER NUMBER TOTAL [LAYOUT]: a page, a.pdf, with the text of one layout or another
bill() {
    python3 - "$root" "$@" << 'PY'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/support")
from pdf_objects import pdf_of
path, seller, number, total, layout = (sys.argv[2:] + ["old"])[:5]
lines = [(60, 60, seller), (60, 80, "12 Quay Street, Bristol"), (60, 140, "Invoice number"), (200, 140, number),
         (60, 160, "Amount due in pounds"), (200, 160, total), (60, 180, "Pay to account"), (200, 180, "DE02 1203 0000 0000 2020 51")]
if layout == "new":
    lines = [(60, 60, seller), (60, 90, "No."), (200, 90, number), (60, 110, "Sum"), (200, 110, total)]
if layout == "long":
    lines += [(60, 200 + 9 * i, "Further terms that nobody reads, paragraph %d of the print below" % i) for i in range(60)]
body = "".join("BT /F %d Tf %d %d Td (%s) Tj ET " % (8 if y > 190 else 10, x, 842 - y, t) for x, y, t in lines).encode()
open(path, "wb").write(pdf_of([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>",
    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", b"<</Length %d>>stream\n%s\nendstream" % (len(body), body)]))
PY
}
serve() { # serve ANSWER [OPTIONS] BEHAVIOUR...
    local answer=$1; shift
    [ -z "${server:-}" ] || kill "$server" 2> /dev/null
    rm -rf log port; mkdir log
    python3 "$root/tests/support/bad_server.py" --port-file port --answer "$answer" --log log --models '{"data":[{"id":"m"}]}' "$@" &
    server=$!
    for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done
    PLATEN_ENDPOINT=http://127.0.0.1:$(cat port); export PLATEN_ENDPOINT
}
answer() { printf '{"seller":{"name":"%s"},"number":"%s","iban":"DE02120300000000202051","total":%s}' "$@"; }
export PLATEN_ENGINE=endpoint PLATEN_SCHEMAS=$scratch/schemas PLATEN_STABLE_FOR=0 PLATEN_MIN_FREE_SPACE=1 PLATEN_OCR=off PLATEN_N_CTX=16384
run() { "$platen" run "${spool:-s}" -q --examples auto "$@" > out 2> err; }
id_of() { basename "$(dirname "$(grep -l "\"$1\"" "${spool:-s}"/*/*/name.json)")"; }
# review NAME [NUMBER]: a person confirms the record of NAME
review() {
    local id address base token
    id=$(id_of "$1"); : > address; "$platen" review "${spool:-s}" > address 2> err & local page=$!
    for _ in $(seq 400); do [ -s address ] && break; sleep 0.05; done
    address=$(cat address) base=${address%%/#*} token=${address##*#}
    python3 - "${spool:-s}/done/$id/record.json" "$2" "$3" << 'PY' > changes
import json, sys
d = json.load(open(sys.argv[1]))["data"]
new = {"/seller/name": d["seller"]["name"], "/number": sys.argv[2], "/iban": d["iban"], "/total": float(sys.argv[3])}
print(json.dumps({"version": 0, "changes": [{"pointer": p, "new": v} for p, v in new.items()]}))
PY
    curl -s --max-time 10 -H "X-Platen-Token: $token" -H "Origin: $base" -H 'Content-Type: application/json' \
        -d @changes "$base/api/v1/documents/$id/corrections" > corrected
    kill "$page"; wait "$page" 2> /dev/null; : > address
    run # delivers it
}
# asked: the text of the last question
asked() { python3 -c 'import glob, json
print("".join(p.get("text", "") for p in json.load(open(max(glob.glob("log/*.json"), key=lambda f: int(f[4:-5]))))["messages"][0]["content"]))'; }

# --- without a reviewed document, and with one
mkdir -p s/in/bill s/in/plain
serve "$(answer 'Harbour Tools Ltd' HT-1 120.5)" copies
bill s/in/bill/a.pdf 'Harbour Tools Ltd' HT-1 120.50; cp s/in/bill/a.pdf s/in/plain/p.pdf; run
holds "the first of a sender has no example" s/out/bill/a.json '"examples" not in r and r["verdict"] == "read"'
is "its words are kept" "$(head -1 "s/done/$(id_of a.pdf)/words.txt")" "Harbour Tools Ltd"
ls s/done/*/words.txt > /dev/null 2>&1 && [ "$(ls s/done/*/words.txt | wc -l)" = 1 ] && ok "those of a schema that names a sender" || bad "words of one" "$(ls s/done/*)"
bill s/in/bill/b.pdf 'HARBOUR TOOLS' HT-2 97.25; run
holds "what nobody has reviewed is no example" s/out/bill/b.json '"examples" not in r'
review a.pdf HT-1 120.5
a=$(id_of a.pdf)
bill s/in/bill/c.pdf 'Harbour Tools Ltd' HT-3 64.75; run
holds "the record lists its examples" s/out/bill/c.json "r['examples'] == ['$a']"
asked > said
grep -q '^|Invoice number.HT-1$' said && grep -q '^{"seller":{"name":"Harbour Tools Ltd"},"number":"HT-1"' said && ok "their words by line, and their reviewed value" || bad "what is told" "$(cat said)"
[ "$(grep -n 'JSON Schema' said | cut -d: -f1)" -lt "$(grep -n '^Example 1' said | cut -d: -f1)" ] && ok "behind the schema" || bad "behind the schema" "$(cat said)"

# --- the model copies: all planted values are found, and nothing that is printed
holds "copied values are not on the page" s/out/bill/c.json \
    'r["fields"]["/number"]["verdict"] in ("unseen", "differ") and r["fields"]["/total"]["verdict"] in ("unseen", "differ") and r["review"]'
holds "and are said to be from an example" s/out/bill/c.json \
    '{p for c, p in w if c == "from-example"} == {"/number", "/total"} and any("'"$a"'" in x["text"] for x in r["warnings"])'
for i in $(seq 12); do bill "s/in/bill/copy$i.pdf" 'Harbour Tools Ltd' "HT-9$i" "$((300 + i)).25"; done; run --jobs 4
is "each copy of many" "$(cat s/out/bill/copy*.json | grep -c '"code": "from-example"')" 24

# --- which, and how many
bill s/in/bill/d.pdf 'Harbour Tools Ltd' HT-4 17.2 new; run; review d.pdf HT-4 17.2
bill s/in/bill/long.pdf 'Harbour Tools Ltd' HT-5 18.2 long; run; review long.pdf HT-5 18.2
d=$(id_of d.pdf) long=$(id_of long.pdf)
bill s/in/bill/e.pdf 'Harbour Tools Ltd' HT-6 17.5 new; run
holds "the most similar layout first" s/out/bill/e.json "r['examples'][0] == '$d' and len(r['examples']) <= 3"
bill s/in/bill/f.pdf 'Harbour Tools Ltd' HT-7 17.6 long; run
holds "whatever it is" s/out/bill/f.json "r['examples'][0] == '$long' and '$a' in r['examples']"
bill s/in/bill/g.pdf 'Harbour Tools Ltd' HT-8 17.6 long; run --examples 1
holds "no more than examples says" s/out/bill/g.json "r['examples'] == ['$long']"
bill s/in/bill/h.pdf 'Harbour Tools Ltd' HT-10 17.6 long; run --n-ctx 4096 --max-pixels 1000000
holds "those that do not fit are left out" s/out/bill/h.json "'$a' in r['examples'] and '$long' not in r['examples']"
bill s/in/bill/i.pdf 'Other Tools Ltd' HT-4 17.2; run
holds "those of another sender are not told" s/out/bill/i.json '"examples" not in r'
bill s/in/bill/j.pdf 'Harbour Tools Ltd' HT-11 17.6; run --engine words
holds "the words engine ignores them" s/out/bill/j.json '"examples" not in r'
mkdir -p t/in/bill; bill t/in/bill/a.pdf 'Harbour Tools Ltd' HT-3 64.75; spool=t run
holds "another spool knows none" t/out/bill/a.json '"examples" not in r'
serve "$(answer 'Harbour Tools Ltd' HT-12 5)" --when 'Its record=400context' ok
bill s/in/bill/k.pdf 'Harbour Tools Ltd' HT-12 5.00; run
holds "a question that is too long with them is asked without" s/out/bill/k.json '"examples" not in r and r["data"]["total"] == 5'

# --- off: the same bytes as ever
serve "$(answer 'Harbour Tools Ltd' HT-13 5)" ok
for how in off auto; do
    rm -rf u; mkdir -p u/in/bill; bill u/in/bill/a.pdf 'Harbour Tools Ltd' HT-13 5.00
    spool=u run --examples $how; cp u/out/bill/a.json $how.json; cp "log/$(ls log | grep -c json).json" $how.request 2> /dev/null || cp "$(ls -t log/*.json | head -1)" $how.request
    ls u/done/*/words.txt > $how.words 2> /dev/null
done
cmp off.request auto.request && ok "without an example the question has the same bytes" || bad "the same question" "$(cmp off.request auto.request)"
python3 - << 'PY' > same && ok "and the record the same values" || bad "the same record" "$(diff off.json auto.json)"
import json, sys
a, b = (json.load(open(n)) for n in ("off.json", "auto.json"))
for r in (a, b):
    for key in ("id", "created", "seconds"):
        del r[key]
sys.exit(a != b)
PY
is "off keeps no words" "$(wc -l < off.words) $(wc -l < auto.words)" "0 1"

# --- gone
serve "$(answer 'Harbour Tools Ltd' HT-1 120.5)" copies
"$platen" archive s 'Harbour Tools' > out 2> err; grep -q 'bill examples by /seller/name: 3 documents' out && ok "platen archive shows them" || bad "archive" "$(cat out err)"
"$platen" fsck s --rebuild-index > out 2>&1; is "fsck is content" "$?" 0
bill s/in/bill/l.pdf 'Harbour Tools Ltd' HT-14 64.75; run
holds "a rebuilt index has them" s/out/bill/l.json "'$a' in r['examples']"
rm -r "s/done/$a"; bill s/in/bill/m.pdf 'Harbour Tools Ltd' HT-15 64.75; run
holds "one that a person took away is none" s/out/bill/m.json "r.get('examples') == ['$long']"
"$platen" archive s --forget 'harbour tools' > out 2> err
bill s/in/bill/n.pdf 'Harbour Tools Ltd' HT-16 64.75; run
holds "a forgotten sender has none" s/out/bill/n.json '"examples" not in r'
"$platen" fsck s --rebuild-index > /dev/null 2>&1; bill s/in/bill/o.pdf 'Harbour Tools Ltd' HT-17 64.75; run
holds "nor after a rebuild" s/out/bill/o.json '"examples" not in r'

# --- the native engine, with a small model that answers anything: shared by all readers or not, the records are the same
serve "$(answer 'Harbour Tools Ltd' HT-1 120.5)" ok
spool=n; mkdir -p n/in/bill; bill n/in/bill/a.pdf 'Harbour Tools Ltd' HT-1 120.50; run; review a.pdf HT-1 120.5
for i in 1 2 3 4; do bill "n/in/bill/n$i.pdf" 'Harbour Tools Ltd' "HT-2$i" "2$i.50"; done; bill n/in/bill/other.pdf 'Nobody Else' N-1 3.25
for how in off on none; do
    cp -r n $how; spool=$how
    run --examples $([ $how = none ] && echo off || echo auto) --engine native --model "$root/tests/vectors/micro-f32.gguf" --mmproj "$root/tests/vectors/micro-mmproj-f32.gguf" \
        --model-check off --n-ctx 4096 --max-pixels 300000 --max-tokens 300 --share-model $([ $how = off ] && echo off || echo on)
    python3 - $how << 'PY' > $how.records
import glob, json, os, sys
for path in sorted(glob.glob(sys.argv[1] + "/out/bill/[no]*.json")):
    r = json.load(open(path))
    for key in ("id", "created", "seconds"): del r[key]
    print(os.path.basename(path), json.dumps(r, sort_keys=True))
PY
done
cmp -s off.records on.records && ok "native: the same records with a shared model and without" || bad "native: the same records" "$(diff off.records on.records | cut -c1-600) $(cat err)"
python3 - << 'PY' > why && ok "native: the examples are read, of those that have any" || bad "native: tokens" "$(cat why)"
import json, sys
a, b = ({l.split(" ", 1)[0]: json.loads(l.split(" ", 1)[1]) for l in open(n)} for n in ("on.records", "none.records"))
more = {k: a[k]["tokens"]["prompt"] / max(1, a[k]["attempts"]) - b[k]["tokens"]["prompt"] / max(1, b[k]["attempts"]) for k in a}
print(more, {k: a[k].get("examples") for k in a})
sys.exit(len(a) != 5 or not all(("examples" in a[k]) == (k[0] == "n") for k in a) or not all((more[k] > 50) == (k[0] == "n") for k in a) or a["other.json"] != b["other.json"])
PY

# --- platen eval: without and with, and no document is its own example
mkdir -p ours/bill
for i in 1 2 3 4 5 6; do
    bill "ours/bill/$i.pdf" 'Harbour Tools Ltd' "HT-7$i" "4$i.50"; answer 'Harbour Tools Ltd' "HT-7$i" "4$i.50" > "ours/bill/$i.json"
done
cp ours/bill/6.pdf ours/bill/7.pdf; cp ours/bill/6.json ours/bill/7.json
bill ours/bill/alone.pdf 'Nobody Else' N-1 3.25; answer 'Nobody Else' N-1 3.25 > ours/bill/alone.json
serve '{"seller":{"name":null},"number":null,"iban":null,"total":null}' copies
"$platen" eval ours --examples --json --ground prompt > out 2> err; is "eval --examples" "$?" 0
holds "compares without and with" out 'r["verdict"] == "better" and r["documents"] == 8 and r["better"] == 7 and r["exact"]["a"] == 0 and r["exact"]["b"] == 14 / 32'
grep -q 'A is without examples, B is with them; 7 documents have any' err && ok "and says how many have examples" || bad "how many" "$(cat err)"
python3 - << 'PY' > why && ok "no document is its own example, nor a copy of it" || bad "its own example" "$(cat why)"
import glob, json, re, sys
told = set()
for f in glob.glob("log/*.json"):
    text = "".join(p.get("text", "") for p in json.load(open(f))["messages"][0]["content"])
    before, _, after = text.rpartition("End of the examples.")
    own = re.search(r"HT-7\d", after)
    told |= {(own.group(), n) for n in re.findall(r"HT-7\d", before)} if own and before else set()
print(sorted(told))
sys.exit(any(a == b for a, b in told) or len({a for a, b in told}) != 6)
PY
"$platen" eval ours --examples --gates x > out 2> err; is "of one result alone it says nothing" "$? $(grep -c -- "--gates cannot be used with --examples" err)" "1 1"
mkdir -p theirs/plain; cp ours/bill/1.* theirs/plain; "$platen" eval theirs --examples > out 2> err
is "a schema without a sender" "$? $(grep -c 'does not say who the sender is' err)" "1 1"
[ $failed = 0 ]
