#!/usr/bin/env bash
# metrics.sh - what is counted is what happened; the file is whole at any time; who asks
# is answered; board and rules name nothing that platen does not say.
set -u
subject='metrics: '
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off # second.sh is about it
options=(--engine null --stable-for 0 --schemas "$root/tests/faults" --min-free-space 1 --rescan 0.2)
s=$scratch/s m=$scratch/m.prom
check() { local name=$1; shift; if "$@"; then ok "$name"; else bad "$name" "$(tail -3 "$scratch/log" | tr '\n' ' ')"; fi; }
wait_for() { local n=$(($1 * 20)); shift; while ! "$@" > /dev/null 2>&1; do [ $((n -= 1)) -gt 0 ] || return 1; sleep 0.05; done; }
value() { sed -n "s/^platen_$1 //p" "${2:-$m}"; }
mkdir -p "$s/in/faults"
for i in 1 2 3; do cp "$root/tests/faults/good.png" "$s/in/faults/$i.png"; done
echo nonsense > "$s/in/faults/bad.png"; cp "$root/tests/faults/stack.tif" "$s/in/faults/"
"$platen" run "$s" "${options[@]}" --split barcode --metrics "$m" --on-failed /bin/false > "$scratch/log" 2>&1
check "documents by outcome and reason" test "$(value 'documents_total{outcome="done",reason=""}') $(value 'documents_total{outcome="failed",reason="unknown-type"}')" = "7 1"
check "pages, those of a stack once" test "$(value pages_total)" = 7
check "how long each stage took" test -n "$(value 'stage_seconds_total{stage="rasterise"}')"
check "what nobody has looked at" test "$(value review_documents)" = "$(grep -L '"parts"' "$s"/done/*/record.json | wc -l)"
check "hooks that are due, and an empty queue" test "$(value hooks_due) $(value 'queue_documents{state="in"}') $(value queue_oldest_seconds)" = "1 0 0"

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$platen" watch "$s" "${options[@]}" --metrics "$m" --metrics-listen "127.0.0.1:$port" --stable-for 3600 > "$scratch/log" 2>&1 & watch=$!
ask() { curl -s -m 5 "$@" "http://127.0.0.1:$port/metrics" > "$scratch/said" 2>> "$scratch/log"; }
check "who asks is answered" wait_for 10 ask -f
cp "$root/tests/faults/good.png" "$s/in/faults/waits.png"
aged() { ask -f && [ "$(value 'queue_documents{state="in"}' "$scratch/said")" = 1 ] && [ "$(value queue_oldest_seconds "$scratch/said" | cut -d. -f1)" -ge 1 ]; }
check "what waits, and for how long" wait_for 10 aged
code() { curl -s -m 5 -o /dev/null -w '%{http_code}' "$@"; }
check "nothing else is there" test "$(code "http://127.0.0.1:$port/") $(code -X DELETE "http://127.0.0.1:$port/metrics")" = "404 405"
python3 - "$port" "$scratch/held" << 'PY' & # who connects and says nothing
import socket, sys, time
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(8)]
open(sys.argv[2], "w").close()
time.sleep(5)
PY
wait_for 10 test -e "$scratch/held"
check "nor does who says nothing keep others out" ask -f
python3 - "$port" "$scratch/crowd" << 'PY' & # 600 that say nothing, 50 that say one letter at a time
import socket, sys, threading, time
held = []
def drip(s):
    try:
        for c in b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 1000:
            s.sendall(bytes([c])); time.sleep(.3)
    except OSError: pass
for i in range(650):
    s = socket.socket(); s.setblocking(i >= 600); held.append(s)
    s.connect_ex(("127.0.0.1", int(sys.argv[1])))
    if i >= 600: threading.Thread(target=drip, args=(s,), daemon=True).start()
open(sys.argv[2], "w").close()
time.sleep(20)
PY
crowd=$!
wait_for 30 test -e "$scratch/crowd"
for i in 1 2 3; do ask -f || break; sleep 1; done
check "nor do 600 idle connections and 50 slow requests" test -s "$scratch/said"
kill $crowd
python3 - "$port" << 'PY'; check "a request that takes too long is not waited for" test $? = 0
import socket, sys, time
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
since, letters = time.time(), iter(b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 1000)
try:
    while time.time() - since < 25: s.sendall(bytes([next(letters)])); time.sleep(.3)
except OSError: pass
sys.exit(not 5 < time.time() - since < 20)
PY
ask -f
check "nor is anything of a document told" eval '! grep -qE "waits|\.png|$s" "$scratch/said"'
kill $watch $!; wait $watch; check "SIGTERM ends it as ever" test $? = 0
"$platen" watch "$s" "${options[@]}" --metrics-listen nowhere > /dev/null 2> "$scratch/log"
check "an address that is none is refused" test $? = 9
timeout -s TERM 2 "$platen" watch "$s" "${options[@]}" --metrics /nonexistent/m.prom > /dev/null 2> "$scratch/log"
check "a file that cannot be written is said once, and stops nothing" test $? = 124 -a "$(grep -c 'metrics:' "$scratch/log")" = 1

# --- the board and the rules
ops=$root/pipeline/ops/prometheus
python3 - "$ops" "$m" > "$scratch/log" 2>&1 << 'PY' && ok "the board and the rules name what platen says" || bad "the board and the rules name what platen says" "$(tail -1 "$scratch/log")"
import json, re, sys
said = set(re.findall(r"^# TYPE (\w+)", open(sys.argv[2]).read(), re.M))
said |= {name + end for name in said for end in ("_sum", "_count")}
board = json.load(open(sys.argv[1] + "/platen.board.json"))
text = "".join(t["expr"] for p in board["panels"] for t in p["targets"]) + open(sys.argv[1] + "/platen.rules.yml").read()
names = {n for n in re.findall(r"platen_\w+", text) if not n.startswith("platen_fleet_")} # fleet.sh has those
assert len(names) > 15 and names <= said, names - said
shown = set(re.findall(r"platen_\w+", json.dumps(board)))
assert all(n in shown or n + "_sum" in shown for n in said if not n.endswith(("_sum", "_count"))), said - shown
assert len({p["id"] for p in board["panels"]}) == len(board["panels"])
PY
command -v promtool > /dev/null || { echo "skip - metrics: no promtool (Debian: prometheus), rules and format are not judged"; exit $failed; }
promtool check metrics < "$m" > "$scratch/log" 2>&1; check "promtool takes the metrics" test $? = 0
promtool check rules "$ops/platen.rules.yml" > "$scratch/log" 2>&1; check "and the rules" test $? = 0
promtool test rules "$ops/platen.rules.test.yml" > "$scratch/log" 2>&1; check "each alert comes when it should, and no other" test $? = 0
python3 -c '
import json, sys
for p in json.load(open(sys.argv[1]))["panels"]:
    for t in p["targets"]: print(t["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*"))' "$ops/platen.board.json" > "$scratch/exprs"
while read -r expr; do promtool check rules <(printf 'groups: [{name: x, rules: [{record: a, expr: %s}]}]' "$(python3 -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$expr")") > "$scratch/log" 2>&1 || bad "the board asks what can be answered" "$expr"; done < "$scratch/exprs"
exit $failed
