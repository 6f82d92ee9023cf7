#!/usr/bin/env bash
# kind.sh - default_schema = auto, and extract --schema auto: the kind that the
# endpoint names is the schema that is read under, and nothing else is guessed.
subject="kind: "
. "$(dirname "$0")/../support/e2e.sh"
command -v python3 > /dev/null || { echo "skip - ${subject}python3 is not here"; exit 0; }
cd "$scratch" || exit 1
cp "$root/tests/faults/good.png" scan.png
mkdir schemas
cp "$root"/schemas/{receipt,letter}.schema.json schemas/
sed -i '1s/^/\xef\xbb\xbf/' schemas/letter.schema.json # a mark, as editors set it
mkdir schemas/folder.schema.json; ln -s nowhere schemas/gone.schema.json # no kinds
export OPENAI_API_KEY=none
answer='{"merchant":"Corner Shop","date":"2026-11-21","items":[],"total":12.50,"currency":"EUR"}'

serve() { # serve KIND [BEHAVIOUR DOUBT]
    [ -z "${server:-}" ] || { kill "$server"; wait "$server"; } 2> /dev/null
    rm -rf log port; mkdir log
    python3 "$root/tests/support/bad_server.py" --port-file port --answer "$answer" \
        --log log --kind "$1" --doubt "${3:-}" "${2:-ok}" & server=$!
    for _ in $(seq 100); do [ -s port ] && break; sleep 0.05; done
    set_endpoint=(--engine endpoint --endpoint "http://127.0.0.1:$(cat port)" --schemas schemas)
}
says() { # says NAME CODE TEXT COMMAND...: exit code, and the text somewhere
    local name=$1 code=$2 text=$3 got; shift 3
    "$platen" "$@" > out.txt 2> err.txt; got=$?
    if [ $got != "$code" ]; then bad "$name" "exit code $got, want $code: $(tail -1 err.txt | cut -c1-200)"
    elif ! grep -q -- "$text" out.txt err.txt; then bad "$name" "no '$text': $(tail -1 err.txt | cut -c1-200)"
    else ok "$name"; fi
}

serve receipt
says "the chosen schema is read under" 0 '"total": 12.50' extract scan.png --schema auto "${set_endpoint[@]}"
[ "$(python3 -c 'import json; r = json.load(open("out.txt")); print(r["schema"]["name"], r["classification"], r["attempts"])')" = "receipt {'name': 'receipt'} 1" ] &&
    ok "the record says what was chosen" || bad "the record says what was chosen" "$(head -c 300 out.txt)"
grep -q "reports no probabilities" err.txt && ok "that nothing was measured is said" || bad "that nothing was measured is said" "$(cat err.txt)"
[ "$(ls log/*.json | wc -l)" = 2 ] && grep -q '"none of these"' log/0.json && grep -q 'letter: ' log/0.json &&
    ! grep -qE 'folder|gone' log/0.json &&
    ok "one question about the kind, with all titles" || bad "one question about the kind, with all titles" "$(ls log)"
says "records as XML have it as well" 0 '<name>receipt</name>' extract scan.png --schema auto --format xml "${set_endpoint[@]}"
mv out.txt record.xml
says "and are valid" 0 '' validate --schema schemas/receipt.schema.json record.xml

mkdir -p spool/in/letter && cp scan.png spool/in/a.png
says "a file in in/ itself is read as what it is" 0 '1 done' run spool --default-schema auto --stable-for 0 "${set_endpoint[@]}"
grep -q '"total": 12.50' spool/out/a.json && ok "its record is delivered" || bad "its record is delivered" "$(ls -R spool/out)"

# an endpoint that tells what its tokens weigh is measured as any other
serve receipt told
says "an endpoint's own probability counts" 0 '"total": 12.50' extract scan.png --schema auto "${set_endpoint[@]}"
[ "$(python3 -c 'import json; r = json.load(open("out.txt")); k = r["classification"]; print(k["name"], k["p"] > 0.98, "p_legal" in k, [w["code"] for w in r["warnings"] if w["code"].startswith("classification")])')" = "receipt True False []" ] &&
    ok "and is in the record, without what nobody knows" || bad "and is in the record, without what nobody knows" "$(head -c 300 out.txt)"
says "and what is just too little does not read as enough" 4 'of 2 schemas the most likely: receipt 0\.99; a probability of 0\.9999 ' extract scan.png --schema auto --classify-threshold 0.9999 "${set_endpoint[@]}"
serve receipt told ceip
says "one that is not sure fails, and says how much it was" 4 'most likely: receipt 0.0[0-9]; a probability of 0.70' extract scan.png --schema auto "${set_endpoint[@]}"
says "unless less is asked for" 0 '"total": 12.50' extract scan.png --schema auto --classify-threshold 0.05 "${set_endpoint[@]}"

# a schema whose name no separator could have is chosen like any other
mkdir odd; cp schemas/receipt.schema.json "odd/Beleg für uns.schema.json"; cp schemas/receipt.schema.json "odd/$(printf 'n%.0s' {1..100}).schema.json"
for name in "Beleg für uns" "$(printf 'n%.0s' {1..100})"; do
    serve "$name" told
    says "a kind called ${name:0:20} is read under" 0 '"total": 12.50' extract scan.png --schema auto "${set_endpoint[@]}" --schemas odd
done
serve "$(printf 'n%.0s' {1..100})" told nn
says "a long name leaves room for its probability" 4 'most likely: n\{80\} 0\.' extract scan.png --schema auto "${set_endpoint[@]}" --schemas odd

serve "none of these"
says "none of these is a failure with a reason" 4 'unclear-schema' extract scan.png --schema auto "${set_endpoint[@]}"
cp scan.png spool/in/b.png
"$platen" run spool --default-schema auto --stable-for 0 "${set_endpoint[@]}" > out.txt 2> err.txt
grep -q '"code": "unclear-schema"' spool/failed/*/reason.json && grep -q 'answered: none of these' spool/failed/*/reason.json &&
    grep -q '"stage": "classify"' spool/failed/*/reason.json && ok "the reason names what was said" ||
    bad "the reason names what was said" "$(cat spool/failed/*/reason.json err.txt | head -c 400)"

serve "none of these" told
says "one that is sure of that says so" 4 'fits none of the 2 schemas: none of these [01].[0-9]* .unclear-schema' extract scan.png --schema auto "${set_endpoint[@]}"
serve bill
says "a kind that there is not is none" 4 'names none of the 2 schemas: /kind: found "bill", .*unclear-schema.. Drop it' extract scan.png --schema auto "${set_endpoint[@]}"

# the embedded model is asked by outlines alone: said before anything is taken
if [ -f "$root/vlm/embedded/platen-page-1.gguf" ] || ls "$root"/vlm/embedded/*.gguf > /dev/null 2>&1; then
    cp scan.png spool/in/c.png
    says "a model that cannot choose ends a run at its start" 9 'cannot choose a schema' run spool --default-schema auto --stable-for 0
    [ -e spool/in/c.png ] && ok "and nothing was taken" || bad "and nothing was taken" "$(ls -R spool)"
    says "and an extraction" 9 'model-refused' extract scan.png --schema auto
fi
# a native model of random weights: its probabilities decide, and are named
v=$root/tests/vectors
micro=(--model "$v/micro-f32.gguf" --mmproj "$v/micro-mmproj-f32.gguf" --schemas schemas --max-pixels 65536)
says "a model that is not sure says how much it is" 4 'of 2 schemas the most likely: [a-z ]* 0\.[0-9]*, [a-z ]* 0\.[0-9]*' extract scan.png --schema auto "${micro[@]}"
echo '{"title":"Nothing","description":"Says nothing.","const":1}' | tee schemas/letter.schema.json > schemas/receipt.schema.json
"$platen" extract scan.png --schema auto --classify-threshold 0 "${micro[@]}" > out.txt 2> err.txt
python3 - << 'PY' 2> err.txt && ok "a chosen kind stands with its probabilities" || bad "a chosen kind stands with its probabilities" "$(head -c 300 out.txt err.txt)"
import json
record = json.load(open("out.txt"))
kind = record["classification"]
assert kind["name"] == record["schema"]["name"] and 0 <= kind["p"] <= kind["p_legal"] < 1
PY
rm -r schemas/*
says "a folder without schemas has no kinds" 9 'unknown-schema' extract scan.png --schema auto "${set_endpoint[@]}"
exit $failed
