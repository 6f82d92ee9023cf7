#!/usr/bin/env bash
# maps.sh - members that a schema describes and does not name, and places whose
# schema is not here: check, extract, validate, XML.
subject='maps: '
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
# expect NAME CODE TEXT ARGS...: exit code, and a part of what is printed
expect() {
    local name=$1 code=$2 text=$3; shift 3
    local out; out=$("$platen" "$@" 2>&1); local got=$?
    if [ $got = "$code" ] && [[ $out = *"$text"* ]]; then ok "$name"; else bad "$name" "exit $got: $out"; fi
}
cat > map.schema.json << 'END'
{"type":"object","additionalProperties":false,"required":["no","amounts"],"properties":{
"no":{"type":["string","null"]},
"amounts":{"type":"object","minProperties":2,"propertyNames":{"pattern":"^[A-Z]{3}$"},
 "additionalProperties":{"type":"number"}}}}
END
cat > gone.schema.json << 'END'
{"type":"object","additionalProperties":false,"required":["no"],"properties":{
"no":{"type":["string","null"]},"more":{"$ref":"https://example.com/more.json"}}}
END
cat > must.schema.json << 'END'
{"type":"object","required":["more"],"properties":{"more":{"$ref":"https://example.com/more.json"}}}
END
printf '{"no":null,"more":1}' > more.json

expect 'a map that must have members is taken' 0 'supported completely, and enforced' schema check map.schema.json
expect 'and read as a whole' 0 'whole  everything' schema plan map.schema.json
"$platen" extract "$root/samples/good/askew.png" --schema map.schema.json --engine null --format json,xml --out out 2> err ||
    bad 'a record with a map' "$(cat err)"
amounts=$(tr -d ' \n' < out/askew.json | grep -o '"amounts":{[^}]*}')
[[ $amounts =~ ^\"amounts\":\{\"([A-Z]{3})\":0,\"([A-Z]{3})\":0\}$ ]] && [ "${BASH_REMATCH[1]}" != "${BASH_REMATCH[2]}" ] &&
    ok 'its names are of its own' || bad 'its names are of its own' "$amounts"
if command -v xmllint > /dev/null; then
    "$platen" schema xsd map.schema.json > map.xsd
    xmllint --noout --schema map.xsd out/askew.xml 2> lint && ok 'its XML fits the XSD' || bad 'its XML fits the XSD' "$(head -2 lint)"
fi

expect 'a place whose schema is not here is named' 0 'gone.schema.json#/properties/more: "$ref": https://example.com/more.json not found' schema check gone.schema.json
expect 'with what comes of it' 0 'Until then nothing is generated there' schema check gone.schema.json
expect 'what must be there is refused' 9 'must.schema.json#/properties/more: "$ref": https://example.com/more.json not found' schema check must.schema.json
expect 'a judge must know all' 9 'not found' validate --schema gone.schema.json more.json
"$platen" extract "$root/samples/good/askew.png" --schema gone.schema.json --engine null --out gone 2> err
[ $? = 0 ] && grep -q 'warning: .*#/properties/more' err && ! grep -q '"more"' gone/askew.json &&
    ok 'a record without it says so at its start' || bad 'a record without it says so at its start' "$(cat err)"
exit $failed
