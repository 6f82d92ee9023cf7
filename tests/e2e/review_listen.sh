#!/usr/bin/env bash
# review_listen.sh: from another machine nobody gets in without TLS and a password, and who is let in is named.
subject="review --listen: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$root" || exit 1
command -v openssl > /dev/null && command -v curl > /dev/null || { echo "skip - ${subject}openssl and curl are not here"; exit 0; }
s=$scratch/spool
mkdir -p "$s/in/receipt"
cp samples/good/askew.png "$s/in/receipt"
"$platen" run "$s" -q --stable-for 0 --ocr off 2> "$scratch/err"
id=$(ls "$s/done")
cert=$scratch/cert.pem key=$scratch/key.pem users=$scratch/users
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$key" -out "$cert" 2> /dev/null
printf '# clerks\nann:%s\nbob:%s\ncid:%s:upload\n' "$(openssl passwd -6 -salt abcdefgh 'right horse')" "$(openssl passwd -6 -salt hgfedcba other)" \
    "$(openssl passwd -6 -salt hgfedcba scan)" > "$users"
chmod 600 "$users"
tls="--tls-cert $cert --tls-key $key"
is() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2, wanted $3: $(head -c 300 "$scratch/out") $(cat "$scratch/err")"; }
refuses() { # refuses NAME TEXT ARGS...
    local name=$1 text=$2; shift 2
    timeout 20 "$platen" review "$s" "$@" > "$scratch/out" 2> "$scratch/err"
    local rc=$?
    [ $rc != 0 ] && [ $rc != 124 ] && [ ! -s "$scratch/out" ] && grep -q -- "$text" "$scratch/err" && ok "$name" || bad "$name" "exit $rc: $(cat "$scratch/out" "$scratch/err")"
}
refuses "nothing beside it" "needs --tls-cert" --listen 127.0.0.1
refuses "no password file" "needs --tls-cert" --listen 127.0.0.1 $tls
refuses "no TLS" "needs --tls-cert" --listen 127.0.0.1 --passwords "$users"
refuses "a password file alone" "need --listen" --passwords "$users"
refuses "a certificate that is none" "the certificate or its key" --listen 127.0.0.1 --tls-cert "$users" --tls-key "$key" --passwords "$users"
refuses "a name for an address" "must be an IP address" --listen example.org $tls --passwords "$users"
chmod 644 "$users"; refuses "a password file that everybody may read" "chmod 600" --listen 127.0.0.1 $tls --passwords "$users"
chmod 600 "$users"
printf 'ann:%s\n' "$(openssl passwd -1 x)" > "$scratch/weak"; chmod 600 "$scratch/weak"
refuses "a hash that is guessed in no time" "line 1: the hash of ann is neither" --listen 127.0.0.1 $tls --passwords "$scratch/weak"
printf 'ann:%s:boss\n' "$(openssl passwd -6 x)" > "$scratch/weak"
refuses "a role that is none" "line 1: the role of ann is not" --listen 127.0.0.1 $tls --passwords "$scratch/weak"
: > "$scratch/weak"; refuses "a file that names nobody" "has no users" --listen 127.0.0.1 $tls --passwords "$scratch/weak"

"$platen" review "$s" --listen 127.0.0.1 $tls --passwords "$users" > "$scratch/address" 2> "$scratch/err" &
server=$!
for _ in $(seq 100); do [ -s "$scratch/address" ] && break; sleep 0.05; done
base=$(cat "$scratch/address") base=${base%/}
is "its address has no secret" "$(grep -cE '^https://127\.0\.0\.1:[0-9]+/$' "$scratch/address")" 1
code() { curl -s -o "$scratch/out" -w '%{http_code}' --max-time 20 --cacert "$cert" "$@"; }
asks() { code -H 'X-Platen-Token: x' "$@" "$base/api/v1/queue"; }
is "plain HTTP gets nothing" "$(code "http${base#https}/")" 000
is "the page itself wants a password" "$(code -D "$scratch/head" "$base/") $(grep -ci '^www-authenticate: basic' "$scratch/head")" "401 1"
is "a wrong one" "$(asks -u ann:wrong)" 401
is "another right behind it waits" "$(asks -u ann:wrong)" 429
sleep 1.1
is "somebody unknown" "$(asks -u eve:other)" 401
sleep 1.1
is "another user's" "$(asks -u ann:other)" 401
sleep 1.1
is "the right one" "$(asks -u 'ann:right horse')" 200
is "as the page asks, which has no token here" "$(code -u 'ann:right horse' -H 'X-Platen-Token;' "$base/api/v1/queue")" 200
is "who may only upload sees no records" "$(asks -u cid:scan) $(code -u cid:scan -H 'X-Platen-Token;' "$base/api/v1/me") $(cat "$scratch/out")" \
    '403 200 {"name":"cid","role":"upload","tab":"review"}'
is "without a role it is review" "$(code -u 'ann:right horse' -H 'X-Platen-Token;' "$base/api/v1/me") $(cat "$scratch/out")" '200 {"name":"ann","role":"review","tab":"review"}'
token=$("$platen" serve token "$s" scanner)
is "a program needs no password" "$(code -H "Authorization: Bearer $token" "$base/api/v1/counts")" 200
is "but a token, and gets no page" "$(code -H "Authorization: Bearer ${token}0" "$base/api/v1/counts") $(code -H "Authorization: Bearer $token" "$base/")" "401 401"
is "and one who is in goes on while others guess" "$(asks -u eve:x) $(asks -u 'ann:right horse')" "401 200"
is "the page with it" "$(code -u 'ann:right horse' "$base/")" 200
# bob has not logged in yet: someone who guesses from another address must not lock him out
is "a wrong password from one address" "$(asks --interface 127.0.0.2 -u bob:x)" 401
is "delays that name from there" "$(asks --interface 127.0.0.2 -u bob:other)" 429
is "but not from another address" "$(asks -u bob:other)" 200
is "and not another name from there" "$(asks --interface 127.0.0.3 -u eve:x) $(asks --interface 127.0.0.3 -u bob:nope)" "401 401"
change="{\"version\":0,\"changes\":[{\"pointer\":\"/total\",\"new\":7.50}]}"
post() { code -u 'ann:right horse' -H 'Content-Type: application/json' -d "$change" "$@" "$base/api/v1/documents/$id/corrections"; }
is "a write of another page" "$(post -H 'X-Platen-Token: x' -H 'Origin: https://evil.example')" 403
is "one over HTTP" "$(post -H 'X-Platen-Token: x' -H "Origin: http${base#https}")" 403
is "one without the header that only our page sends" "$(post -H "Origin: $base")" 401
is "one without a password" "$(code -H 'X-Platen-Token: x' -H "Origin: $base" -H 'Content-Type: application/json' -d "$change" "$base/api/v1/documents/$id/corrections")" 401
is "our own" "$(post -H 'X-Platen-Token: x' -H "Origin: $base")" 200
is "the user's name is who" "$(python3 -c 'import json, sys; print(json.loads(open(sys.argv[1]).readline())["who"])' "$s/done/$id/review.jsonl")" ann
kill -TERM $server; wait $server
is "it stops when asked to" "$?" 0
exit $failed
