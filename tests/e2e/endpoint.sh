#!/usr/bin/env bash
# endpoint.sh - a chat-completions server that misbehaves in every known way:
# nothing is lost, and nothing wrong is published.
set -u
cd "$(dirname "$0")/../.." || exit 1
PLATEN=$(realpath "${PLATEN:-build/platen}")
command -v python3 > /dev/null || { echo "skip - endpoint: python3 is not here"; exit 0; }
tmp=$(mktemp -d)
trap '[ -z "${server:-}" ] || kill "$server" 2> /dev/null; rm -rf "$tmp"' EXIT
failed=0
ok() { echo "ok - endpoint: $1"; }
not_ok() { echo "not ok - endpoint: $1: $2"; failed=1; }
answer='{"merchant":"Corner Shop","date":"2026-11-21","items":[],"total":12.50,"currency":"EUR"}'
document=$(ls samples/good/*.png samples/good/*.pdf 2> /dev/null | head -1)

serve() { # serve BEHAVIOUR...
    [ -z "${server:-}" ] || kill "$server" 2> /dev/null
    rm -rf "$tmp/log" "$tmp/port"; mkdir "$tmp/log"
    python3 tests/support/bad_server.py --port-file "$tmp/port" --answer "$answer" \
        --log "$tmp/log" --hang 4 "$@" &
    server=$!
    for _ in $(seq 100); do [ -s "$tmp/port" ] && break; sleep 0.05; done
    url=http://127.0.0.1:$(cat "$tmp/port")
}
extract() {
    OPENAI_API_KEY=secret "$PLATEN" extract "$document" --schema receipt --engine endpoint \
        --endpoint "$url" --endpoint-timeout 2 "$@" > "$tmp/out" 2> "$tmp/err"
}
publishes() { # publishes NAME BEHAVIOUR...: a record with the answer's values
    local name=$1; shift; serve "$@"; extract
    local rc=$?
    if [ $rc = 0 ] && grep -q '"total": 12.50' "$tmp/out"; then ok "$name"; else not_ok "$name" "exit $rc, $(head -c 300 "$tmp/err")"; fi
}
fails() { # fails NAME CODE BEHAVIOUR...: no record, and the reason is CODE
    local name=$1 code=$2; shift 2; serve "$@"; extract
    local rc=$?
    if [ $rc != 0 ] && [ ! -s "$tmp/out" ] && grep -q "\[$code\]" "$tmp/err"; then ok "$name"; else not_ok "$name" "exit $rc, $(head -c 300 "$tmp/err")"; fi
}

publishes "a good answer is a record" ok
grep -q '"enable_thinking":false' "$tmp/log/0.json" && grep -q '"response_format":{"type":"json_schema"' "$tmp/log/0.json" &&
    grep -q 'data:image/png;base64' "$tmp/log/0.json" && ok "the request carries schema, page and thinking off" ||
    not_ok "the request carries schema, page and thinking off" "$(head -c 300 "$tmp/log/0.json")"
grep -qi 'authorization: bearer secret' "$tmp/log/0.head" && grep -q '^/v1/chat/completions' "$tmp/log/0.head" &&
    ok "the key and the path are sent" || not_ok "the key and the path are sent" "$(head -3 "$tmp/log/0.head")"
publishes "a fenced answer is unfenced" fenced
publishes "429 with Retry-After is asked again" 429 ok
publishes "500 is asked again" 500 ok
publishes "a reset connection is asked again" reset ok
publishes "a time-out is asked again" hang ok
publishes "a body that breaks off is asked again" cut ok
publishes "an invalid answer is asked again once, with the finding" wrong ok
grep -q 'not usable' "$tmp/log/1.json" && ok "the second question names the finding" ||
    not_ok "the second question names the finding" "$(head -c 200 "$tmp/log/1.json")"
fails "an answer that stays invalid is no record" schema-invalid wrong
publishes "words around the one value that fits are left out" prose
grep -q 'words around' "$tmp/out" && ok "and the record says so" || not_ok "and the record says so" "$(grep -A3 warnings "$tmp/out")"
publishes "a fence on the value's line is taken off" inline
publishes "thinking without its beginning is taken off" think
fails "two values are no record" model-invalid-json two
fails "words alone are no record" model-invalid-json words
fails "an answer cut at max_tokens is no record" model-truncated length
tokens() { sed -E 's/.*"max_tokens":([0-9]+).*/\1/' "$tmp/log/$1.json"; }
[ "$(tokens 1)" -gt "$(tokens 0)" ] && [ ! -e "$tmp/log/2.json" ] && ok "it was asked again with a larger budget" ||
    not_ok "it was asked again with a larger budget" "$(tokens 0), then $(tokens 1)"
publishes "a larger budget helps" length ok
fails "an answer cut by a full context is no record" context-full full
[ ! -e "$tmp/log/1.json" ] && ok "and is not asked for again" || not_ok "and is not asked for again" "$(cat "$tmp/err")"
fails "an answer that did not stop is no record" model-truncated filter
fails "no choice is no record" endpoint-failed nochoice
fails "a page of HTML is no record" endpoint-failed garbage
fails "a refused key is named" endpoint-refused 401
fails "a context that is too small is named" context-full 400context
fails "an endless body is cut" endpoint-failed huge
for how in 400 413 null list refusal nochoice garbage; do
    fails "$how: the document's, where a probe is answered" endpoint-rejected $how ok
done
grep -q '"name":"probe"' "$tmp/log/1.json" && [ "$(wc -c < "$tmp/log/1.json")" -lt 8000 ] && [ ! -e "$tmp/log/2.json" ] &&
    ok "the probe is small and shows nothing of the document" || not_ok "the probe is small and shows nothing of the document" "$(wc -c "$tmp"/log/*.json)"
fails "400: the endpoint's, where no probe is answered" endpoint-refused 400
fails "null: the endpoint's, where no probe is answered" endpoint-failed null
fails "a probe that meets a busy server blames nobody" endpoint-failed 400 500
kill "$server" 2> /dev/null; wait "$server" 2> /dev/null
extract --endpoint-tries 1
grep -q '\[endpoint-failed\]' "$tmp/err" && ok "no server at all is named" || not_ok "no server at all is named" "$(cat "$tmp/err")"

# one document that is not answered stops no other
spool=$tmp/four
mkdir -p "$spool/in/receipt"
for i in 1 2 3 4; do cp "$document" "$spool/in/receipt/$i.${document##*.}"; done
serve 400 ok
"$PLATEN" run "$spool" --settle 0 --engine endpoint --endpoint "$url" --endpoint-parallel 1 > "$tmp/out" 2> "$tmp/err"
[ "$(ls "$spool/done" | wc -l) $(ls "$spool/failed" | wc -l)" = "3 1" ] && grep -q '"endpoint-rejected"' "$spool"/failed/*/reason.json &&
    ok "a document that is not answered stops no other" || not_ok "a document that is not answered stops no other" "$(head -c 300 "$tmp/err")"

spool=$tmp/spool
mkdir -p "$spool/in/receipt"; cp "$document" "$spool/in/receipt/"
serve 401
"$PLATEN" run "$spool" --settle 0 --engine endpoint --endpoint "$url" --endpoint-timeout 2 > "$tmp/out" 2> "$tmp/err"
rc=$?
if [ "$(find "$spool/failed" -mindepth 1 -maxdepth 1 | wc -l)" = 0 ] && [ $rc != 0 ]; then ok "the environment fails no document"; else not_ok "the environment fails no document" "exit $rc"; fi
serve ok
"$PLATEN" run "$spool" --settle 0 --engine endpoint --endpoint "$url" > "$tmp/out" 2> "$tmp/err"
if [ "$(find "$spool/done" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] && ls "$spool"/out/receipt/*.json > /dev/null 2>&1; then ok "it is done when the endpoint is back"; else not_ok "it is done when the endpoint is back" "$(head -c 300 "$tmp/err")"; fi
exit $failed
