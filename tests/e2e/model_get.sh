#!/usr/bin/env bash
# model_get.sh - platen model get, list, rm against a hub that misbehaves.
subject="model get: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
tiny=$root/vlm/embedded/platen-tiny.gguf eye=$root/vlm/embedded/platen-tiny-mmproj.gguf
mkdir hub
"$root/tests/support/hub.py" "$scratch/hub" "$tiny" "$eye" & server=$!
for _ in $(seq 100); do [ -e hub/port ] && break; sleep 0.1; done
[ -e hub/port ] || { bad "the hub" "does not start"; exit 1; }
export HF_ENDPOINT=http://127.0.0.1:$(cat hub/port) HF_HOME=$scratch/hf HOME=$scratch/home HF_TOKEN=
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
commit=0123456789abcdef0123456789abcdef01234567
get() { "$platen" model get "$@" > out 2> said < /dev/null; code=$?; }
at() { echo "hf/hub/models--own--$1/snapshots/$commit/$2"; }
whole() { cmp -s "$tiny" "$(at "$1" tiny-Q8_0.gguf)" && cmp -s "$eye" "$(at "$1" mmproj-tiny.gguf)"; }
nothing() { [ -z "$(find . -name '*.gguf' -path "*$1*" -print -quit)" ]; }
check() { if [ "$2" = 1 ]; then ok "$1"; else bad "$1" "code $code: $(cat said)"; fi; }
holds() { if "$@"; then echo 1; else echo 0; fi; }

"$platen" model list > out 2> said; code=$?
check "an empty list says where it looked, and what to do" "$([ $code = 0 ] && [ ! -s out ] && grep -q "$HF_HOME/hub: download one with platen model get" said && echo 1)"
"$platen" model get hf:own/stop > out.stop 2> said.stop < /dev/null & stops=$!
get hf:own/shut
check "a server that is down: what to do, and no model" "$([ $code = 7 ] && grep -q 'Try again later$' said && nothing shut && [ -z "$(find hf -path '*shut*' -name '*.part')" ] && echo 1)"
cat > platen.conf <<CONF
# mine
[document]
pages = 1
[model]
model_sha256 = $(printf %064d 0)
model = /no/such.gguf
CONF
PLATEN_CONFIG=$scratch/platen.conf "$platen" model get hf:own/one --use > out 2> said; code=$?
check "model and vision file lie in the hub's folder" "$(holds test $code = 0 -a "$(whole one; echo $?)" = 0)"
check "the plan says that it fits" "$(grep -q '^fits' out && echo 1)"
check "--use keeps other lines and drops the old pin" "$([ "$(grep -c = platen.conf)" = 3 ] && grep -q '# mine' platen.conf && grep -q "^model  = $scratch/$(at one tiny-Q8_0.gguf)" platen.conf && grep -q '^mmproj = /' platen.conf && echo 1)"
PLATEN_CONFIG=$scratch/platen.conf "$platen" extract "$root/samples/good/kiosk.png" --schema receipt > record 2> said; code=$?
check "what was got reads a document" "$([ $code = 0 ] && grep -q total record && echo 1)"
cp platen.conf before.conf
PLATEN_CONFIG=$scratch/platen.conf "$platen" model get hf:own/spoilt --use > out 2> said < /dev/null; code=$?
check "--use takes no broken model" "$([ $code = 9 ] && grep -q "^broken" out && cmp -s before.conf platen.conf && echo 1)"
HF_TOKEN=secret get hf:own/one
check "what is there is not fetched again" "$([ $code = 0 ] && grep -q 'already downloaded' said && [ "$(grep -c 'store /one/tiny-Q8' hub/log)" = 1 ] && echo 1)"

HF_TOKEN=secret get hf:own/gated
check "a gated repository opens to a token" "$([ $code = 0 ] && whole gated && echo 1)"
check "the token does not follow to another host" "$(grep '^store /gated' hub/log | grep -qv secret && ! grep '^store' hub/log | grep -q secret && grep '^hub' hub/log | grep -q secret && echo 1)"
get hf:own/gated2; get hf:own/gated --dir elsewhere
check "without one it says what to do" "$([ $code = 9 ] && grep -q HF_TOKEN said && [ ! -e elsewhere ] && echo 1)"
mkdir -p hf && echo " secret " > hf/token; get hf:own/gated --dir elsewhere; rm -f hf/token
check "the token file of HF_HOME serves" "$([ $code = 0 ] && [ -e elsewhere/tiny-Q8_0.gguf ] && echo 1)"

get 4b
named="hf/hub/models--unsloth--Qwen3.5-4B-GGUF/snapshots/$commit"
check "a name is a repository, of which Q4_K_M is taken" "$([ $code = 0 ] && cmp -s "$tiny" "$named/tiny-Q4_K_M.gguf" && cmp -s "$eye" "$named/mmproj-F16.gguf" && [ ! -e "$named/tiny-Q8_0.gguf" ] && grep -q 'hf:unsloth/Qwen3.5-4B-GGUF; it was not tested' said && echo 1)"
check "the seconds of a page are estimated" "$(grep -qE '^about [0-9.]+ s for a page at 150 dpi' out && echo 1)"
get 4b:Q8_0
check "a name with a type is that file" "$([ $code = 0 ] && [ -e "$named/tiny-Q8_0.gguf" ] && echo 1)"
"$platen" model rm 4b:Q8_0 2> said; code=$?
check "rm knows the name, too" "$([ $code = 0 ] && [ ! -e "$named/tiny-Q8_0.gguf" ] && [ -e "$named/tiny-Q4_K_M.gguf" ] && echo 1)"
get 5b
check "an unknown name: those that are known" "$([ $code = 1 ] && grep -q '5b: expected 0.8b, 2b, 4b, 9b, 27b, 35b-a3b, hf:' said && echo 1)"

get hf:own/several
check "several: listed, status 1, nothing fetched" "$([ $code = 1 ] && [ "$(grep -c 'tiny-' out)" = 3 ] && ! grep -q mmproj out && grep -q 'several:Q4_K_M' said && nothing several && echo 1)"
get hf:own/several:iq2_m
check "a type picks one, and F16 of the vision files" "$([ $code = 0 ] && [ -e "$(at several UD/tiny-UD-IQ2_M.gguf)" ] && cmp -s "$eye" "$(at several mmproj-F16.gguf)" && [ ! -e "$(at several mmproj-F32.gguf)" ] && echo 1)"
get hf:own/several:Q4_K
check "Q4_K is not Q4_K_M" "$([ $code = 1 ] && grep -q 'no model of type Q4_K' said && echo 1)"
get hf:own/split
check "all parts are fetched" "$([ "$(cat "$(at split model-Q8_0-00001-of-00002.gguf)" "$(at split model-Q8_0-00002-of-00002.gguf)" | cmp -n 300000 - "$tiny" && echo 1)" = 1 ] && echo 1)"
get hf:own/halfsplit
check "a model with a part missing is none" "$([ $code = 1 ] && nothing halfsplit && echo 1)"

get hf:own/cut
check "a cut connection is gone on with" "$([ $code = 0 ] && whole cut && grep 'store /cut/tiny' hub/log | tail -1 | grep -q 'bytes=[1-9]' && echo 1)"
get hf:own/norange
check "a server without ranges is read from the start" "$([ $code = 0 ] && whole norange && echo 1)"
part=$(at shifted .); mkdir -p "$part"; head -c 1000 "$tiny" > "$(at shifted tiny-Q8_0.gguf).part"
get hf:own/shifted
check "a range other than the one asked for is not taken" "$([ $code = 0 ] && whole shifted && echo 1)"
head -c 1000000 "$tiny" > "$scratch/x"; mkdir -p "$(at one2 .)"; cp x "$(at one2 tiny-Q8_0.gguf).part"
get hf:own/one2
check "a .part of an earlier run is gone on with" "$([ $code = 0 ] && whole one2 && grep -q 'store /one2/tiny-Q8_0.gguf bytes=1000000-' hub/log && echo 1)"
tr '\0' 'x' < x > "$scratch/y"; mkdir -p "$(at one3 .)"; cp y "$(at one3 tiny-Q8_0.gguf).part"
get hf:own/one3
check "a .part of other bytes fails by its hash and goes" "$([ $code = 2 ] && nothing one3 && [ ! -e "$(at one3 tiny-Q8_0.gguf).part" ] && get hf:own/one3 && [ $code = 0 ] && whole one3 && echo 1)"
get hf:own/wrong
check "wrong bytes are no model" "$([ $code = 2 ] && grep -q SHA-256 said && nothing wrong && [ -z "$(find hf -path '*wrong*' -name '*.part')" ] && echo 1)"
get() { timeout 120 "$platen" model get "$@" > out 2> said < /dev/null; code=$?; }
get hf:own/short
check "a file shorter than announced is an error, not an endless download" "$([ $code = 2 ] && grep -q 'were announced' said && [ "$(grep -c 'store /short/tiny' hub/log)" = 1 ] && nothing short && echo 1)"
get hf:own/shorter
check "nor does one without a length download for ever" "$([ $code = 7 ] && [ "$(grep -c 'store /shorter/tiny' hub/log)" -lt 20 ] && nothing shorter && echo 1)"
get hf:own/long
check "more bytes than told are no model" "$([ $code = 2 ] && grep -q 'longer than' said && nothing long && echo 1)"
get hf:own/busy
check "429 is waited for as it says" "$([ $code = 0 ] && grep -q 'trying again in 1 s' said && whole busy && echo 1)"
get hf:own/closed
check "a wait of a day is said, not waited" "$([ $code != 0 ] && [ $code != 1 ] && grep -qE 'pause of (86400|21600) seconds' said && echo 1)"
for way in "loop:more than 5 redirects" "ftp:redirected to another protocol than http" "nowhere:status 302"; do
    get hf:own/${way%%:*}
    check "a redirect of no use: ${way%%:*}" "$([ $code = 7 ] && grep -q "${way#*:}" said && nothing "/${way%%:*}" && [ "$(grep -c "hub /own/${way%%:*}/resolve" hub/log)" -le 6 ] && echo 1)"
done
get hf:own/missing
check "a repository that is not there" "$([ $code = 1 ] && grep -q 'not found' said && echo 1)"
for evil in evil evil2 evil3; do
    get hf:own/$evil
    check "names that lead out of the folder: $evil" "$([ $code != 0 ] && [ -z "$(find . -name 'evil.gguf' -o -name 'x.gguf')" ] && echo 1)"
done
for name in hf:own hf:own/a/b hf:../x hf:own/one: own/one hf:own/..; do
    get $name
    check "not a name: $name" "$([ $code = 1 ] && echo 1)"
done

sum=$(sha256sum < "$tiny" | cut -c 1-64)
get "$HF_ENDPOINT/own/one/resolve/main/tiny-Q8_0.gguf" --sha256 "$sum" --dir plain --mmproj "$eye"
check "a plain address" "$([ $code = 0 ] && cmp -s "$tiny" plain/tiny-Q8_0.gguf && echo 1)"
get "$HF_ENDPOINT/own/one/resolve/main/tiny-Q8_0.gguf" --dir plain1
check "without --sha256 the hash is printed as not verified" "$([ $code = 0 ] && cmp -s "$tiny" plain1/tiny-Q8_0.gguf && grep -q "SHA-256 $sum, not verified" said && echo 1)"
get "$HF_ENDPOINT/own/one/resolve/main/tiny-Q8_0.gguf" --dir plain1
check "also of a file that is there already" "$([ $code = 0 ] && grep -q 'already downloaded' said && grep -q "SHA-256 $sum" said && echo 1)"
get "$HF_ENDPOINT/own/one/resolve/main/tiny-Q8_0.gguf" --sha256 "${sum//[0-4]/5}" --dir plain2
check "a plain address with another hash" "$([ $code = 2 ] && nothing plain2 && echo 1)"
get "$HF_ENDPOINT/own/one/resolve/main/nothere.gguf" --dir plain3
check "a refusal leaves no empty .part" "$([ $code = 1 ] && grep -q 404 said && [ -d plain3 ] && [ -z "$(ls -A plain3)" ] && echo 1)"
get "$HF_ENDPOINT/own/nothere.txt"
check "an address of no model" "$([ $code = 1 ] && echo 1)"
wait $stops
check "what arrived of a server that stopped is kept" "$([ -s "$(at stop tiny-Q8_0.gguf).part" ] && grep -q 'Try again later; the partial download is kept' said.stop && echo 1)"

"$platen" model list > out; code=$?
check "list names what lies there" "$([ "$(grep -c 'models--own--one/' out)" = 2 ] && echo 1)"
"$platen" model rm hf:own/several:iq2 2> said; code=$?
check "rm of a type that is none removes nothing" "$([ $code = 1 ] && [ -e "$(at several UD/tiny-UD-IQ2_M.gguf)" ] && echo 1)"
"$platen" model rm hf:own/several:IQ2_M 2> said && "$platen" model rm "$scratch/$(at one tiny-Q8_0.gguf)" 2> said; code=$?
check "rm removes by name and by path" "$([ $code = 0 ] && [ ! -e "$(at several UD/tiny-UD-IQ2_M.gguf)" ] && [ -e "$(at several mmproj-F16.gguf)" ] && [ ! -e "$(at one tiny-Q8_0.gguf)" ] && echo 1)"
cp "$tiny" outside.gguf; "$platen" model rm "$scratch/outside.gguf" 2> said; one=$?
"$platen" model rm "$HF_HOME/hub/../../outside.gguf" 2> said; code=$?
check "rm touches nothing outside" "$([ $one = 1 ] && [ $code = 1 ] && [ -e outside.gguf ] && echo 1)"
kill $server
exit $failed
