#!/usr/bin/env bash
# validate.sh - platen validate and platen schema: verdicts, exit codes, texts.
platen=${PLATEN:-build/platen}
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
failed=0
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1: $2"; failed=1; }
# expect NAME CODE TEXT ARGS...: exit code, and a part of what is printed
expect() {
    local name=$1 code=$2 text=$3; shift 3
    local out; out=$("$platen" "$@" 2>&1); local got=$?
    if [ $got != "$code" ]; then bad "$name" "exit code $got, want $code: $out"
    elif [[ $out != *"$text"* ]]; then bad "$name" "no '$text' in: $out"
    else ok "$name"; fi
}
put() { printf '%s' "$2" > "$scratch/$1"; }

put good.json '{"merchant":"A","date":"2026-02-28","items":[{"name":"x","quantity":1,"price":2.50}],"total":2.50,"currency":"EUR"}'
put bad.json '{"merchant":"A","date":null,"items":[],"total":"2.50","currency":null}'
put twice.json '{"merchant":"A","merchant":"B"}'
put nul.json '"a\u0000b"'
put torn.json '{"merchant":'
put any.json 'true'
put string.json '{"type":"string"}'
put record.json "{\"id\":\"1\",\"source\":{},\"pages\":[],\"schema\":{},\"engine\":\"null\",\"data\":$(cat "$scratch/bad.json")}"
put unknown.json '{"nullable":true}'
put near.json '{"requred":["a"]}'
put four.json '{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"minimum":3,"exclusiveMinimum":true}}}'
put bare-four.json '{"properties":{"a":{"minimum":3,"exclusiveMinimum":true}}}'
put three.json '{"a":3}'
put loop.json '{"$defs":{"a":{"$ref":"#/$defs/a"}}}'
put remote.json '{"$ref":"https://example.com/x.json"}'
put hopeless.json '{"pattern":"^(a+)+\\1$"}'
put slow.json '{"pattern":"^(a+)+$"}'
put contrary.json '{"minLength":3,"maxLength":2}'
put integer.json '{"type":"integer"}'
put as.json '"aaaa"'
put one.json '9007199254740993.0'
mkdir "$scratch/catalogue" "$scratch/catalogue/ours"
put catalogue/catalogue.json '{"https://example.com/":"ours"}'
put catalogue/ours/x.json '{"type":"integer"}'
put secret.json '{"type":"integer"}'
put climb.json '{"$ref":"http://localhost:1234/%2e%2e/secret.json"}'
cd "$scratch" || exit 1
[[ $platen = /* ]] || platen=$OLDPWD/$platen

expect 'a valid record' 0 'good.json: valid' validate --schema receipt good.json
expect 'a record that is not valid' 4 '/total: found "2.50", wanted type "number" or "null"' validate --schema receipt bad.json
expect 'findings for machines' 4 '"instance": "/total"' validate --schema receipt bad.json --json
expect 'data of a whole record' 4 '/data/total: found' validate --schema receipt record.json
expect 'the worst of several files counts' 2 'good.json: valid' validate --schema receipt good.json bad.json torn.json
expect 'a torn text' 2 'line 1, column 13: a value is needed' validate --schema receipt torn.json
expect 'a key that is there twice' 2 'a key that was there before' validate --schema receipt twice.json
expect 'a NUL in a string' 2 '\u0000 is not allowed' validate --schema string.json nul.json
expect 'a schema that asks for nothing takes RFC 8259' 0 valid validate --schema any.json twice.json nul.json
expect 'an integer is one by value' 0 valid validate --schema integer.json one.json
expect 'a file that is not there' 5 'none.json' validate --schema receipt none.json
expect 'a schema that is not there' 9 'platen schema list' validate --schema none good.json
expect 'no schema named' 1 '--schema' validate good.json
expect 'an unknown keyword is said with its place' 0 'unknown.json#: "nullable"' validate --schema unknown.json good.json
expect 'nearly a keyword is refused' 9 'near.json#: "requred" is not a keyword; did you mean "required"?' validate --schema near.json good.json
expect 'and let in when asked' 0 valid validate --schema near.json good.json --allow-unknown
expect 'draft 4 is read by its name' 4 '/a' validate --schema four.json three.json
expect 'and by --draft' 4 '/a' validate --schema bare-four.json three.json --draft 4
expect 'a reference loop is refused' 9 'loop.json#/$defs/a: a reference loop' validate --schema loop.json good.json
expect 'a remote reference is refused' 9 'remote.json#: "$ref": https://example.com/x.json not found' validate --schema remote.json one.json
expect 'unless the catalogue has it' 0 valid validate --schema remote.json one.json --catalogue catalogue
expect 'by the setting as well' 0 valid validate --schema remote.json one.json --schema-catalogue catalogue
expect 'no way out of the catalogue' 9 'not found' validate --schema climb.json one.json --catalogue catalogue
# files beside the schema: by place, by the address of its own $id, by theirs
mkdir -p kin/below
put kin/place.json '{"allOf":[{"$ref":"below/x.json#/$defs/i"},{"$ref":"y"}]}'
put kin/below/x.json '{"$defs":{"i":{"$ref":"../y.json"}}}'
put kin/y.json '{"type":"integer"}'
put kin/address.json '{"$id":"https://example.com/a/address.json","$ref":"https://example.com/a/y.json"}'
put kin/named.json '{"$ref":"/elsewhere"}'
put kin/z.json '{"$id":"/elsewhere","type":"integer"}'
put kin/above.json '{"$ref":"../integer.json"}'
put kin/escape.json '{"$ref":"%2e%2e/integer.json"}'
put kin/link.json '{"$ref":"linked.json"}'
ln -s ../integer.json kin/linked.json
ln -s .. kin/up
put kin/through.json '{"$ref":"up/integer.json"}'
put kin/host.json '{"$id":"https://example.com/host.json","$ref":"https://example.com/../../y.json"}'
for name in place address named host; do
    expect "a schema beside it is found: $name" 0 valid validate --schema kin/$name.json one.json
    expect "and asserts: $name" 4 'wanted type integer' validate --schema kin/$name.json string.json
done
for name in above escape link through; do
    expect "none outside its folder: $name" 9 'not found' validate --schema kin/$name.json one.json
done
expect 'what is missing is named with its remedy' 9 'save it beside the schema, in kin, or in a folder set with schema_catalogue' validate --schema kin/link.json one.json
(cd kin && expect 'its folder may be the one at hand' 0 valid validate --schema place.json ../one.json)
expect 'its records have an XSD too' 0 'type="integer"' schema xsd kin/place.json
expect 'a slow pattern is refused' 9 'hopeless.json#: "pattern": the pattern is too slow' schema check hopeless.json
put forty.json "\"$(printf 'a%.0s' {1..40})b\""
expect 'one that others try for ever is matched' 4 'pattern' validate --schema slow.json forty.json
expect 'and admits' 0 valid validate --schema slow.json as.json
expect 'a contradiction is refused' 9 '"minLength" 3 and "maxLength" 2 contradict' schema check contrary.json
put not.json '{"type":"object","properties":{"a":{"not":{"const":1}}}}'
expect 'what is checked after generation' 0 '/properties/a: not' schema check not.json
expect 'the list of schemas' 0 'receipt              Receipt' schema list
expect 'a schema itself' 0 '"title": "Receipt"' schema show receipt
for name in receipt invoice letter court-notice bank-statement page; do
    expect "the schema $name is understood" 0 "$name: supported completely" schema check $name
done

# XML: the same values, held against the XSD that platen prints
ns='xmlns="urn:platen:record:2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
put good.xml "<data $ns><merchant>A</merchant><date xsi:nil='true'/><items><item><name>x &amp; y</name><quantity>1</quantity><price>2.50</price></item></items><total>2.50</total><currency>EUR</currency></data>"
put bad.xml "<data $ns><merchant>A</merchant><date xsi:nil='true'/><items/><total>2,50</total><currency>EUR</currency></data>"
put torn.xml "<data $ns><merchant>A"
put xxe.xml "<!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><data $ns><merchant>&x;</merchant></data>"
expect 'a valid XML record' 0 'good.xml: valid' validate --schema receipt good.xml
expect 'an XML record that is not valid' 4 "not accepted by the pattern" validate --schema receipt bad.xml
expect 'torn XML' 2 'not XML' validate --schema receipt torn.xml
put angle.json '<.>'
expect 'neither JSON nor XML, under any schema' 2 'not XML' validate --schema any.json angle.json
python3 -c "print('<data $ns>\n<merchant ' + ' '.join('a%d=\"x\"' % i for i in range(200000)) + '/></data>')" > many.xml
SECONDS=0
expect 'an element with 200,000 attributes' 2 'line 2: an element with more than 1000 attributes' validate --schema receipt many.xml
[ $SECONDS -lt 10 ] && ok 'and is refused at once' || bad 'and is refused at once' "$SECONDS s"
python3 -c "print('<data $ns>\n<!-- ' + 'a=1 ' * 2000 + '--><merchant>' + '=' * 2000 + '</merchant><date xsi:nil=\"true\"/><items/><total>1</total><currency>EUR</currency></data>')" > signs.xml
expect 'equals signs that are no attributes' 0 valid validate --schema receipt signs.xml
expect 'a DOCTYPE' 2 'a DOCTYPE is not allowed' validate --schema receipt xxe.xml
for name in receipt invoice letter court-notice bank-statement page; do
    expect "the XSD of $name" 0 '<xs:schema' schema xsd $name
done
if command -v xmllint > /dev/null; then
    "$platen" schema xsd receipt > receipt.xsd
    if xmllint --noout --schema receipt.xsd good.xml 2> /dev/null; then ok 'xmllint agrees on good.xml'; else bad 'xmllint agrees on good.xml' 'it does not'; fi
    if xmllint --noout --schema receipt.xsd bad.xml 2> /dev/null; then bad 'xmllint agrees on bad.xml' 'it does not'; else ok 'xmllint agrees on bad.xml'; fi
else
    echo 'skip - xmllint agrees: not installed'
fi
if command -v strace > /dev/null && strace -o /dev/null true 2> /dev/null; then
    strace -f -e trace=openat,connect,socket -o trace "$platen" validate --schema receipt xxe.xml > /dev/null 2>&1
    if grep -qE 'hostname|socket|connect' trace; then bad 'no other file, no network' "$(grep -E 'hostname|socket|connect' trace | head -1)"; else ok 'no other file, no network'; fi
else
    echo 'skip - no other file, no network: no strace'
fi

# a user adds a schema, as schemas/README.md says
mkdir mine
sed 's/"title": "Receipt"/"title": "Delivery note"/; s/"total"/"weight"/' "$("$platen" config | sed -n 's/^schemas = \([^ ]*\).*/\1/p')/receipt.schema.json" > mine/delivery-note.schema.json
expect 'a schema of one'"'"'s own is listed' 0 'Delivery note' schema list --schemas mine
expect 'and checked' 0 'delivery-note: supported completely' schema check delivery-note --schemas mine
expect 'and validates' 4 'the key "weight"' validate --schemas mine --schema delivery-note good.json

# what lies there under such a name and is no file of a schema
mkdir mine/folder.schema.json; ln -s nowhere mine/dangling.schema.json; ln -s delivery-note.schema.json mine/linked.schema.json
list=$("$platen" schema list --schemas mine 2> list.err)
[ "$(wc -l <<< "$list")/$(grep -c '^linked .*Delivery note' <<< "$list")" = 2/1 ] && ok 'folders and dangling links are no schemas' || bad 'folders and dangling links are no schemas' "$list"
[ "$(grep -c 'mine/\(folder\|dangling\).schema.json: not a readable file; skipped' list.err)" = 2 ] && ok 'and a word is said of each' || bad 'and a word is said of each' "$(cat list.err)"
expect 'nor are they read' 9 'no schema folder in mine' validate --schemas mine --schema folder good.json
put own-meta.json '{"$schema":"https://example.com/meta.json","type":"object","required":["merchant"]}'
expect 'a metaschema of one'"'"'s own judges' 0 'own-meta.json#: "$schema": metaschema https://example.com/meta.json not found' validate --schema own-meta.json good.json
expect 'by what it says' 4 'found true, wanted type object' validate --schema own-meta.json any.json
exit $failed
