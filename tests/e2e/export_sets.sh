#!/usr/bin/env bash
# export_sets.sh: corrected records with their pages for training, and for Label Studio and back.
subject="export with pages: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
command -v python3 > /dev/null || { echo "skip - ${subject}python3 is not here"; exit 0; }
export PLATEN_STABLE_FOR=0
is() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2, wanted $3: $(head -c 300 "$scratch/err")"; }
py() { python3 -c "import json, sys; $1" "${@:2}"; }

# --- a pair is what an endpoint was asked, to the byte ---
s=$scratch/spool
mkdir -p "$s/in/receipt" "$scratch/log"
cp samples/good/two-pages.pdf samples/good/askew.png samples/good/blank.jpg "$s/in/receipt"
answer='{"currency":"EUR","items":[{"price":1.10,"name":"<script>","quantity":1}],"merchant":"Corner \"Shop\"","date":"2026-11-21","total":12.50}'
python3 tests/support/bad_server.py --port-file "$scratch/port" --answer "$answer" --log "$scratch/log" --hang 4 ok &
for _ in $(seq 100); do [ -s "$scratch/port" ] && break; sleep 0.05; done
asked="--engine endpoint --endpoint http://127.0.0.1:$(cat "$scratch/port")"
"$platen" run "$s" -q $asked 2> "$scratch/err"
"$platen" export "$s" --to chat-jsonl -o "$scratch/none" $asked 2> "$scratch/err"
is "what nobody reviewed is left out, and counted" "$? $(wc -c < "$scratch/none/chat.jsonl") $(grep -c '^platen: 3 records' "$scratch/err")" "0 0 1"
"$platen" export "$s" --to chat-jsonl --all -o "$scratch/pairs" $asked 2> "$scratch/err"
is "a blank page alone is no pair, and is named" "$? $(grep -c 'every page is blank' "$scratch/err")" "16 1"
python3 - "$scratch/log" "$scratch/pairs" "$answer" > "$scratch/out" 2>&1 << 'PY'
import base64, glob, json, sys
log, pairs, answer = sys.argv[1:]
asked = {}
for path in glob.glob(log + "/*.json"):
    text, *pictures = json.load(open(path))["messages"][0]["content"]
    files = tuple(base64.b64decode(p["image_url"]["url"].split(",")[1]) for p in pictures)
    asked[files] = text["text"]
n = 0
for line in open(pairs + "/chat.jsonl"):
    pair = json.loads(line)
    user, assistant = pair["messages"]
    assert (user["role"], assistant["role"]) == ("user", "assistant")
    files = tuple(open(f"{pairs}/{name}", "rb").read() for name in pair["images"])
    assert files in asked, "not the pictures that were sent"
    assert user["content"] == [{"type": "text", "text": asked[files]}] + [{"type": "image"}] * len(files)
    (said,) = assistant["content"]
    assert said["type"] == "text"
    value = json.loads(said["text"])
    assert value == json.loads(answer) and list(value) == ["merchant", "date", "items", "total", "currency"], said
    assert '"total":12.50,' in said["text"] and ", " not in said["text"], said
    n += len(files)
print(n)
PY
is "question, pictures and answer are the model's own" "$(tail -1 "$scratch/out")" 3

# --- Label Studio ---
"$platen" export "$s" --to ls -o "$scratch/ls" 2> "$scratch/err"
is "tasks, pages and how they are shown" "$? $(ls "$scratch/ls" | tr '\n' ' ')$(ls "$scratch/ls/pictures" | wc -l)" "0 label-config.xml pictures tasks.json 4"
xmllint --noout "$scratch/ls/label-config.xml" 2> /dev/null && ok "the configuration is XML" || bad "the configuration is XML" "$(cat "$scratch/ls/label-config.xml")"
rm -r "$scratch/spool"; mkdir -p "$s/in/receipt"
cp samples/good/askew.png samples/good/kiosk.png samples/good/two-pages.pdf samples/good/torn-off.png "$s/in/receipt"
"$platen" run "$s" -q 2> "$scratch/err"
of() { basename "$(dirname "$(grep -l "\"$1" "$s"/*/*/name.json)")"; }
id=$(of askew.png)
ls() { "$platen" export "$s" --to ls -o "$scratch/ls"; }
send() { tests/support/label_studio.py "$scratch/ls/tasks.json" "$scratch/sent.json" "$@" && "$platen" review "$s" --import "$scratch/sent.json" > "$scratch/out" 2> "$scratch/err"; }
said() { cat "$s"/done/*/review.jsonl 2> /dev/null | sha256sum; }
ls
before=$(said)
refused() { # refused NAME WHERE CHANGE...: nothing changed, and it says where
    local name=$1 where=$2; shift 2
    send "askew:/merchant=Changed" "$@"
    local rc=$?
    [ $rc != 0 ] && grep -q "$where" "$scratch/err" && [ "$before" = "$(said)" ] && ok "$name" || bad "$name" "exit $rc, $(cat "$scratch/err" "$scratch/out")"
}
refused "a text that is no number changes nothing" "task .* of $(of kiosk.png).*/total.*12,50" "kiosk:/total=12,50"
refused "nor a value that the schema does not allow" "$(of two-pages.pdf).*/date" "two-pages:/date=soon"
refused "nor a label of no value" "/nosuch is not a value" "kiosk:+/nosuch=1"
refused "nor two rectangles of one value" "/total is annotated twice" "kiosk:+/total=1"
refused "nor annotations that differ" "several annotations" "kiosk:two"
send "kiosk:/total=12,50"
py 't = json.load(open(sys.argv[1])); t[0]["data"] = {"image": "x"}; json.dump(t, open(sys.argv[1], "w"))' "$scratch/sent.json"
"$platen" review "$s" --import "$scratch/sent.json" > "$scratch/out" 2> "$scratch/err"
is "nor somebody else's task" "$? $(grep -c 'task 1: not a task of platen' "$scratch/err") $([ "$before" = "$(said)" ] && echo same)" "2 1 same"

send "askew:/total=7.50" "askew:/date=" "askew:/items/1/name=" "askew:/items/1/quantity=" "askew:/items/1/price=" \
    "askew:+/items/5/name=<b>New</b>" "askew:/merchant@30,2" "kiosk:skip"
is "what was said is taken" "$? $(sed "s/[0-9]* values/N values/" "$scratch/out")" "0 3 documents imported, N values changed, 0 documents skipped (corrected later), 1 tasks without an annotation"
"$platen" export "$s" --to jsonl > "$scratch/export" 2> "$scratch/err"
is "it is in the record" "$(python3 - "$scratch/export" "$id" << 'PY'
import json, sys
d = {r["id"]: r for r in map(json.loads, open(sys.argv[1]))}[sys.argv[2]]
v, f = d["data"], d["fields"]
print(v["total"], v["date"], [i["name"] for i in v["items"]], v["items"][-1]["price"], f["/total"]["source"], f["/merchant"]["evidence"][0]["box"][:2])
PY
)" "7.5 None ['Garlic', 'Sweet Corn', 'Basil', 'Ginger', '<b>New</b>'] None person [0.3, 0.02]"
is "who is the annotator" "$(py 'print({json.loads(l)["who"] for l in open(sys.argv[1])})' "$s/done/$id/review.jsonl")" "{'ann@example.org'}"
[ ! -e "$s/done/$(of kiosk.png)/review.jsonl" ] && ok "a skipped task says nothing" || bad "a skipped task" "it was taken"
after=$(said)
"$platen" review "$s" --import "$scratch/sent.json" > "$scratch/out" 2> "$scratch/err"
is "the same file once more is as once" "$? $([ "$after" = "$(said)" ] && echo same)" "0 same"
send "askew:/total=9" "kiosk:skip"
is "what was corrected since is not written over" "$? $(grep -c "of $id skipped: ann@example.org corrected /total" "$scratch/err") $([ "$after" = "$(said)" ] && echo same)" "16 1 same"
py 'print(json.load(open(sys.argv[1]))["data"]["total"])' "$s/out/receipt/askew.json" > "$scratch/total"
is "out/ has it" "$(cat "$scratch/total")" 7.5
"$platen" export "$s" --to chat-jsonl -o "$scratch/reviewed" 2> "$scratch/err"
is "and what was reviewed is a pair" "$(grep -c '\\"total\\":7.50' "$scratch/reviewed/chat.jsonl")" 1
"$platen" fsck "$s" > "$scratch/out" && ok "fsck is content" || bad "fsck" "$(cat "$scratch/out")"
"$platen" export "$s" --to ls 2> "$scratch/err"
is "a folder is asked for" "$? $(grep -c 'add -o DIR' "$scratch/err")" "1 1"
exit $failed
