#!/usr/bin/env bash
# review.sh: what a person says of a record is kept durably, given out by export and out/, and nobody else gets in.
subject="review: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
s=$scratch/spool
mkdir -p "$s/in/receipt"
cp samples/good/askew.png samples/good/kiosk.png samples/good/two-pages.pdf "$s/in/receipt"
cp samples/bad/encrypted.pdf samples/bad/letter.pdf "$s/in/receipt"
export PLATEN_FORMAT=json,xml PLATEN_STABLE_FOR=0
"$platen" run "$s" -q 2> "$scratch/err"
of() { basename "$(dirname "$(grep -l "\"$1" "$s"/*/*/name.json)")"; }
id=$(of askew.png)
base= token= server=
start() {
    : > "$scratch/address" # that of the server before
    "$platen" review "$s" "$@" > "$scratch/address" 2> "$scratch/err" &
    server=$!
    for _ in $(seq 100); do [ -s "$scratch/address" ] && break; sleep 0.05; done
    base=$(sed 's|/#.*||' "$scratch/address") token=$(sed 's|.*#||' "$scratch/address")
}
stop() { kill -TERM "$server"; wait "$server"; }
code() { curl -s -o "$scratch/out" -w '%{http_code}' --max-time 10 "$@"; }
get() { local what=$1; shift; code -H "X-Platen-Token: $token" "$@" "$base/api/v1/$what"; }
post() { local to=$1 body=$2; shift 2; code -H "X-Platen-Token: $token" -H "Origin: ${origin-$base}" -H 'Content-Type: application/json' --data-binary "$body" "$@" "$base/api/v1/$to"; }
correct() { post "documents/$id/corrections" "$@"; }
check() { local body=$1; shift; correct "${body/\{/\{\"check\":true,}" "$@"; }
is() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2, wanted $3: $(head -c 300 "$scratch/out") $(cat "$scratch/err")"; }
json() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($2)" "$1"; }

before=$(sha256sum "$s/done/$id/record.json")
start
is "an address of the loopback with a token behind the #" "$(grep -cE '^http://127\.0\.0\.1:[0-9]+/#[0-9a-f]{64}$' "$scratch/address")" 1

# --- nobody gets in ---
is "without a token" "$(code "$base/api/v1/queue")" 401
is "with one that differs in its last letter" "$(code -H "X-Platen-Token: ${token%?}x" "$base/api/v1/queue")" 401
is "with the token in the address" "$(code "$base/api/v1/queue?token=$token")" 401
is "under a name that somebody lets point at us" "$(code -H "Host: evil.example:${base##*:}" -H "X-Platen-Token: $token" "$base/api/v1/queue")" 421
is "the page itself as well" "$(code -H 'Host: evil.example' "$base/")" 421
is "at another port's name" "$(code -H 'Host: 127.0.0.1:1' "$base/")" 421
change="{\"version\":0,\"changes\":[{\"pointer\":\"/total\",\"new\":7.50,\"page\":1,\"box\":[0.1,0.2,0.3,0.05]}]}"
is "from a foreign origin" "$(origin=http://evil.example correct "$change")" 403
is "from its own and a foreign one" "$(correct "$change" -H 'Origin: http://evil.example')" 400
is "from no origin" "$(code -H "X-Platen-Token: $token" -H 'Content-Type: application/json' -d "$change" "$base/api/v1/documents/$id/corrections")" 403
is "as a form, which any page may send" "$(code -H "X-Platen-Token: $token" -H "Origin: $base" -d "$change" "$base/api/v1/documents/$id/corrections")" 415
is "read by another page" "$(code -H "X-Platen-Token: $token" -H 'Sec-Fetch-Site: cross-site' "$base/api/v1/queue")" 403
is "by another method" "$(code -X DELETE -H "X-Platen-Token: $token" "$base/api/v1/queue")" 405
for path in /../../../etc/passwd /api/v1/documents/../../x "/api/v1/documents/..%2f..%2fx" "/api/v1/documents/$id/pages/../1" "/api/v1/documents/$id/pages/0" "/api/v1/documents/..%2f..%2f/pages/1" "/api/v1/documents/$id/doc"; do
    got=$(code --path-as-is -H "X-Platen-Token: $token" "$base$path")
    [ "$got" = 404 ] || { bad "$path" "$got"; break; }
done && [ "$got" = 404 ] && ok "paths lead nowhere"
head -c 10000000 /dev/zero | tr '\0' ' ' > "$scratch/large"
is "10 MB are refused" "$(correct "@$scratch/large")" 413
is "and so in pieces of unknown length" "$(correct "@$scratch/large" -H 'Transfer-Encoding: chunked')" 413
is "no JSON" "$(correct '{"id":')" 400
curl -s -D "$scratch/head" -o /dev/null "$base/"
wanted=0
for header in "Content-Security-Policy: default-src 'none'; script-src 'self'" "frame-ancestors 'none'" 'X-Content-Type-Options: nosniff' 'Cache-Control: no-store' 'Referrer-Policy: no-referrer'; do
    grep -qF "$header" "$scratch/head" && wanted=$((wanted + 1))
done
[ $wanted = 5 ] && ! grep -q unsafe "$scratch/head" && ok "the page is told what it may not" || bad "headers" "$(cat "$scratch/head")"
python3 - "${base##*:}" << 'PY' && is "1,000 connections leave it alive" "$(get queue)" 200
import socket, sys
held = []
for i in range(1000):
    c = socket.socket()
    c.settimeout(2)
    try:
        c.connect(("127.0.0.1", int(sys.argv[1])))
        c.sendall(b"GET /api/v1/queue HTTP/1.1\r\nHost: ")
        held.append(c)
    except OSError:
        break
PY
[ ! -e "$s/done/$id/review.jsonl" ] && ok "and nothing was written" || bad "nothing was written" "$(cat "$s/done/$id/review.jsonl")"
if command -v strace > /dev/null; then
    grep -q 'no Landlock' "$scratch/err" && echo "skip - ${subject}this kernel has no Landlock" ||
        { grep -qE '^NoNewPrivs:\s1' /proc/$server/status && ok "the server is fenced in" || bad "the server is fenced in" "$(grep Priv /proc/$server/status)"; }
fi

# --- a page, a document ---
is "the queue" "$(get queue)" 200
[ "$(json "$scratch/out" 'd["complete"], d["documents"], [q["place"] for q in d["queue"]][-1]')" = "True 5 failed" ] && ok "the queue: doubts first, then what failed" || bad "queue" "$(cat "$scratch/out")"
is "a page, drawn in the jail" "$(get "documents/$id/pages/1?width=500") $(head -c 3 "$scratch/out" | xxd -p)" "200 ffd8ff"
is "a page that is not there" "$(get "documents/$id/pages/9")" 404
is "a document" "$(get "documents/$id/review") $(json "$scratch/out" '"record" in d and "properties" in d["schema"], d["version"]')" "200 True 0"

# --- corrections ---
is "what the schema does not allow" "$(correct "${change/7.50/\"x\"}")" 422
is "while it is typed, too" "$(check "${change/7.50/\"x\"}") $(json "$scratch/out" 'd["findings"][0]["pointer"]')" "422 /total"
is "a box on a page that is not of the document" "$(check "${change/\"page\":1/\"page\":2}") $(json "$scratch/out" 'd["detail"]')" "400 a box must be four numbers from 0 to 1 and a page of the document"
is "a check keeps nothing" "$(check "$change") $(ls "$s/done/$id" | grep -c review)" "200 0"
is "a correction" "$(correct "$change") $(json "$scratch/out" 'd["version"]')" "200 1"
is "a second tab sees who was faster" "$(correct "${change/7.50/8}") $(json "$scratch/out" '"%s %s" % (d["who"], d["value"])')" "409 $(id -un) 7.5"
is "another value of the same version is taken" "$(correct "{\"version\":0,\"changes\":[{\"pointer\":\"/merchant\",\"new\":\"<script>alert(1)</script>\"}]}")" 200
row='{"name":null,"quantity":null,"price":null}'
is "a row is added" "$(correct "{\"version\":2,\"changes\":[{\"pointer\":\"/items/1\",\"insert\":true,\"new\":$row}]}")" 200
is "who did not see it is told" "$(correct "{\"version\":2,\"changes\":[{\"pointer\":\"/items/3/price\",\"new\":1}]}")" 409
is "a row is split in one step" "$(correct "{\"version\":3,\"changes\":[{\"pointer\":\"/items/0/name\",\"new\":\"Gar\"},{\"pointer\":\"/items/1\",\"insert\":true,\"new\":$row}]}") $(json "$scratch/out" 'd["line"]')" "200 3"
is "and taken back as one" "$(correct "{\"version\":5,\"undo\":3}")" 200
is "twice is once too often" "$(correct "{\"version\":6,\"undo\":3}")" 400
get "documents/$id/review" > /dev/null
is "the record as it is now" "$(json "$scratch/out" '[i["name"] for i in d["record"]["data"]["items"]][:3], d["record"]["data"]["total"], d["record"]["fields"]["/total"]["source"], d["version"]')" "['Garlic', None, 'Onion'] 7.5 person 6"

# --- a document that another process has locked ---
held() { # held SECONDS: locks the document for so long
    flock "$s/done/$id" sh -c "touch '$scratch/held'; sleep $1" & holder=$!
    until [ -e "$scratch/held" ]; do sleep 0.02; done
    rm "$scratch/held"
}
held 3
curl -s -o "$scratch/late" -w '%{http_code}' --max-time 10 -H "X-Platen-Token: $token" -H "Origin: $base" -H 'Content-Type: application/json' \
    -d "{\"check\":true,\"version\":6,\"changes\":[{\"pointer\":\"/total\",\"new\":1}]}" "$base/api/v1/documents/$id/corrections" > "$scratch/late.code" & late=$!
sleep 0.2 # until the server has it
is "while one request waits for a locked document, others are answered" "$(get queue --max-time 0.4)" 200
wait "$late"
is "and that one is told" "$(cat "$scratch/late.code") $(json "$scratch/late" 'd["detail"][:33]')" "503 another platen process is using t"
kill "$holder"; wait "$holder"
held 0.3
is "a short wait is not noticed" "$(check "{\"version\":6,\"changes\":[{\"pointer\":\"/total\",\"new\":1}]}")" 200
wait "$holder"

# --- two clerks ---
cp "$scratch/address" "$scratch/first"
first=$server
start
is "a second server sees it as well" "$(correct "${change/7.50/9}")" 409
stop
server=$first base=$(sed 's|/#.*||' "$scratch/first") token=$(sed 's|.*#||' "$scratch/first")

# --- failed documents ---
sealed=$(of encrypted.pdf)
get "documents/$sealed/review" > /dev/null
is "a failed document says why, and what to do" "$(json "$scratch/out" 'd["reason"]["code"], bool(d["remedy"]), "properties" in d["schema"]')" "encrypted True True"
is "what is filled in must be whole" "$(post documents/$sealed/fill "{\"data\":{\"total\":1}}")" 422
is "its page cannot be drawn, which is no fault of the server" "$(get "documents/$sealed/pages/1") $(json "$scratch/out" '"password" in d["detail"] or "encrypted" in d["detail"]')" "422 True"
get "queue?search=encrypted.PDF" > /dev/null
is "a search in the queue" "$(json "$scratch/out" '[q["id"] for q in d["queue"]], d["waiting"]')" "['$sealed'] 1"
is "from a later row" "$(get "queue?from=1") $(json "$scratch/out" 'len(d["queue"]) - d["waiting"]')" "200 -1"
is "its record by hand" "$(post documents/$sealed/fill "{\"data\":{\"merchant\":\"By Hand\",\"date\":null,\"items\":[],\"total\":4.20,\"currency\":\"EUR\"}}")" 200
[ -f "$s/done/$sealed/record.json" ] && [ ! -e "$s/failed/$sealed" ] && ok "it is done by one rename" || bad "it is done" "$(ls "$s/failed")"

# --- a document of 190 MB is hashed; others are answered meanwhile
large=20261101T000000Z-00000000000000ff
cp -r "$s/failed/$(of letter.pdf)" "$s/failed/$large"
printf '%%PDF-1.7\n' > "$s/failed/$large/doc"; truncate -s 190M "$s/failed/$large/doc"
sed -i "s/\"id\": *\"[^\"]*\"/\"id\": \"$large\"/" "$s/failed/$large/reason.json"
curl -s -o "$scratch/late" -w '%{http_code}' --max-time 60 -H "X-Platen-Token: $token" -H "Origin: $base" -H 'Content-Type: application/json' \
    -d "{\"data\":{\"merchant\":\"Large\",\"date\":null,\"items\":[],\"total\":1,\"currency\":\"EUR\"}}" "$base/api/v1/documents/$large/fill" > "$scratch/late.code" & late=$!
n=0; while kill -0 $late 2> /dev/null; do get queue > /dev/null; n=$((n + 1)); done; wait $late
[ "$(cat "$scratch/late.code")" = 200 ] && [ $n -ge 4 ] && ok "while a large one is filled in, others are answered" || bad "while a large one is filled in, others are answered" "$n answers, $(cat "$scratch/late.code" "$scratch/late")"
is "and its record has its hash" "$(json "$s/done/$large/record.json" 'd["source"]["sha256"], d["source"]["type"], d["source"]["bytes"]')" "$(sha256sum "$s/done/$large/doc" | cut -d' ' -f1) PDF 199229440"
rm -rf "$s/done/$large" "$s"/out/receipt/letter*
letter=$(of letter.pdf)
is "another goes back to work" "$(post documents/$letter/retry "{}")" 200
[ -d "$s/work/$letter" ] && ok "and lies there" || bad "retry" "$(ls "$s/work")"
is "once" "$(post documents/$letter/retry "{}")" 409

# --- a failed document is read with another schema, or dismissed
mkdir -p "$s/in/Reciept" "$s/in/invoice"; python3 tests/support/einvoice.py xml ubl > "$s/in/invoice/bill.xml"; cp samples/good/kiosk.png "$s/in/Reciept/lost.png"; cp samples/bad/empty.pdf "$s/in/receipt"
"$platen" run "$s" -q --stable-for 0 --ocr off 2> /dev/null
lost=$(basename "$(dirname "$(grep -l lost.png "$s"/failed/*/name.json)")") empty=$(of empty.pdf)
get "documents/$lost/review" > /dev/null
is "the page is told the schemas, and which was meant" "$(json "$scratch/out" '"receipt" in d["schemas"] and d["meant"]')" receipt
is "a schema that is none" "$(post documents/$lost/retry "{\"schema\":\"../x\"}")" 422
is "read with another schema" "$(post documents/$lost/retry "{\"schema\":\"receipt\"}")" 200
is "which its name.json says" "$(json "$s/work/$lost/name.json" 'd["folder"]')" receipt
json() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); print($2)" "$1" "${3:-}"; }
queued() { get queue > /dev/null; json "$scratch/out" '[e["id"] for e in d["queue"]].count(sys.argv[2])' "$1"; }
for _ in $(seq 50); do [ "$(queued "$empty")" = 1 ] && break; sleep 0.1; done
is "one that failed is listed" "$(queued "$empty")" 1
is "until it is dismissed" "$(post documents/$empty/dismiss "{}") $(queued "$empty")" "200 0"
is "an e-invoice in XML has a record and no picture" "$(get "documents/$(of bill.xml)/review") $(get "documents/$(of bill.xml)/pages/1") $(json "$scratch/out" 'd["detail"]')" "200 404 an e-invoice in XML has no pages to draw"
[ -f "$s/failed/$empty/doc" ] && [ -f "$s/failed/$empty/dismissed" ] && ok "it stays in failed/" || bad "it stays in failed/" "$(ls "$s/failed")"

stop
is "it stops when asked to" "$?" 0
# --- what came of it ---
[ "$before" = "$(sha256sum "$s/done/$id/record.json")" ] && ok "record.json is as it was" || bad "record.json is as it was" "it changed"
"$platen" export "$s" --to jsonl > "$scratch/export" 2> "$scratch/err"
is "export gives what was said" "$(python3 - "$scratch/export" "$id" "$sealed" << 'PY'
import json, sys
r = {d["id"]: d for d in map(json.loads, open(sys.argv[1]))}
a, f = r[sys.argv[2]], r[sys.argv[3]]
print(a["data"]["total"], a["fields"]["/total"]["evidence"][0]["box"], f["data"]["merchant"], f["engine"], f["fields"]["/total"])
PY
)" "7.5 [0.1, 0.2, 0.3, 0.05] By Hand person {'source': 'person'}"
cmp -s "$s/out/receipt/askew.json" "$s/done/$id/corrected.json" && [ "$(json "$s/out/receipt/askew.json" 'd["data"]["total"]')" = 7.5 ] && ok "and so does out/, in the place of the first" || bad "out/" "$(ls "$s/out/receipt")"
is "each under one name" "$(ls "$s/out/receipt" | tr '\n' ' ')" "askew.json askew.xml encrypted.json encrypted.xml kiosk.json kiosk.xml two-pages.json two-pages.xml "
"$platen" validate --schema record "$s"/out/receipt/*.json "$s"/out/receipt/*.xml > "$scratch/out" && ok "corrected records are records" || bad "corrected records are records" "$(grep -v ': valid' "$scratch/out" | head -2)"
"$platen" export "$s" --to xml > "$scratch/x" && grep -q '&lt;script&gt;' "$scratch/x" && ok "a text that looks like markup is a text" || bad "markup" "$(head -c 200 "$scratch/x")"
"$platen" fsck "$s" > "$scratch/out" && grep -q ' 0 notes' "$scratch/out" && ok "fsck knows the files" || bad "fsck knows the files" "$(cat "$scratch/out")"
printf '{"pointer":"/total","ne' >> "$s/done/$id/review.jsonl"
"$platen" fsck "$s" > "$scratch/out" && grep -q 'never acknowledged' "$scratch/out" && ok "a torn tail is harmless" || bad "a torn tail is harmless" "$(cat "$scratch/out")"
cp "$s/done/$id/review.jsonl" "$scratch/kept"
printf '\nnoise\n' >> "$s/done/$id/review.jsonl"
"$platen" fsck "$s" > "$scratch/out"
is "a line that is none is a fault" "$? $(grep -c 'fault: done/.*review.jsonl, line 7' "$scratch/out")" "4 1"
"$platen" export "$s" --to jsonl > "$scratch/export" 2> "$scratch/err"
is "and export leaves the record out, by name" "$? $(grep -c "$id" "$scratch/err")" "16 1"
cp "$scratch/kept" "$s/done/$id/review.jsonl"

rm -r "$s/pending" # hints; made again behind the fence would be too late
# --- killed in the middle of saving: what was acknowledged is there ---
python3 - "$platen" "$s" "$id" << 'PY' > "$scratch/out" 2>&1 && ok "$(cat "$scratch/out")" || bad "kill -9 in mid-save" "$(tail -1 "$scratch/out")"
import http.client, json, os, random, signal, subprocess, sys, threading, time
platen, spool, doc = sys.argv[1:4]
random.seed(7)
acked, value = [], 1000
for turn in range(10):
    p = subprocess.Popen([platen, "review", spool], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    address = p.stdout.readline().strip()
    host, token = address[len("http://"):].split("/#")
    head = {"X-Platen-Token": token, "Origin": "http://" + host, "Content-Type": "application/json"}
    timer = threading.Timer(random.uniform(.02, .25), lambda: os.kill(p.pid, signal.SIGKILL))
    try:
        c = http.client.HTTPConnection(host, timeout=5)
        c.request("GET", f"/api/v1/documents/{doc}/review", headers=head)
        version = json.loads(c.getresponse().read())["version"]
        timer.start()
        while True:
            value += 1
            c.request("POST", f"/api/v1/documents/{doc}/corrections", headers=head, body=json.dumps({"version": version,
                      "changes": [{"pointer": "/total", "new": value}]}))
            a = c.getresponse()
            body = json.loads(a.read())
            assert a.status == 200, (a.status, body)
            version = body["version"]
            acked.append(value)
    except (OSError, http.client.HTTPException, json.JSONDecodeError):
        pass
    timer.join()
    p.wait()
    lines = open(f"{spool}/done/{doc}/review.jsonl", "rb").read().split(b"\n")
    kept = [json.loads(l).get("new") for l in lines[:-1] if l.startswith(b"{")]
    assert [v for v in acked if v not in kept] == [], "acknowledged and lost"
assert len(acked) > 4, acked
print(f"killed 10 times, all of {len(acked)} acknowledged are there")
PY
"$platen" run "$s" -q 2> "$scratch/err"
[ "$(json "$s/out/receipt/askew.json" 'd["data"]["total"]')" -gt 1000 ] && "$platen" fsck "$s" > "$scratch/out" && ok "what was left undelivered any run delivers" || bad "delivery after the kill" "$(cat "$scratch/err" "$scratch/out")"

mkdir "$scratch/gone" && cp -r "$s/in" "$s/work" "$s/done" "$s/failed" "$s/out" "$scratch/gone" && s=$scratch/gone && start
mv "$scratch/gone" "$scratch/rest" # at once: rm takes work/ before the spool, which is another message
rm -r "$scratch/rest"
wait "$server"
is "it ends where its spool is gone" "$? $(grep -c 'was removed' "$scratch/err")" "5 1"
"$platen" review "$s" --port 0 > "$scratch/out" 2>&1
is "a port is a number from 1 on" "$?" 1
"$platen" review "$scratch/none" > "$scratch/out" 2>&1
is "a spool that is not there" "$?" 1
exit $failed
