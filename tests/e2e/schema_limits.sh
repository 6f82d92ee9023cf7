#!/usr/bin/env bash
# schema_limits.sh - schemas that are long, deep or go round: each is loaded and
# compiled in seconds and in a stack of 256 KiB, or refused by name.
subject="schema limits: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
python3 - << 'PY'
import json
def put(name, schema): json.dump(schema, open(name + ".schema.json", "w"))
def obj(**p): return {"type": "object", "additionalProperties": False, "required": list(p), "properties": p}
def nest(n, wrap, s):
    for i in range(n): s = wrap(s)
    return s
def defs(n, step, **more):
    d = {"d%d" % i: step("#/$defs/d%d" % (i + 1)) for i in range(n)}
    return dict(obj(a={"$ref": "#/$defs/d0"}), **{"$defs": dict(d, **{"d%d" % n: {"type": "string"}})})
text = {"type": "string"}
put("enum", obj(a={"enum": ["value %06d" % i for i in range(60000)]}))
put("numbers", obj(a={"enum": list(range(60000))}))
put("apart", obj(a={"oneOf": [{"enum": ["%s%d" % (c, i) for i in range(20000)]} for c in "ab"]}))
put("million", obj(a={"enum": ["%08x" % (i * 2654435761 % 2**32) for i in range(400000)]}))
put("constant", obj(a={"type": "array", "uniqueItems": True, "minItems": 1, "items": {"enum": ["x" * 1000000]}}))
put("unique", obj(a={"type": "array", "uniqueItems": True, "minItems": 900, "maxItems": 1000, "items": {"enum": ["v%d" % i for i in range(30000)]}}))
put("long", obj(a={"type": "array", "uniqueItems": True, "minItems": 2, "maxItems": 4, "items": {"type": "string", "pattern": "^[a-z ]*$", "maxLength": 100000}}))
put("far", obj(a={"type": "string", "pattern": "^[a-z]{5000}$"}))
put("round", dict(obj(x={"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}), **{"$defs": {
    c: {"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/" + c}}} for c in "AB"}}))
put("choices", obj(a={"type": "string", "allOf": [{"anyOf": [False, False]}] + [{"anyOf": [{"minLength": i}, {"maxLength": 99}]} for i in range(40)]}))
put("ways", obj(a={"oneOf": [obj(k={"const": "k%d" % i}) for i in range(3000)]}))
put("names", {"required": ["k%06d" % i for i in range(60000)]})
put("members", dict(obj(**{"k%d" % i: text for i in range(1500)}), patternProperties={"^k%d" % i: text for i in range(60)}))
put("patterns", obj(**{"k%d" % i: {"type": "string", "pattern": "^(a|b)*a(a|b){%d}c%d$" % (i % 12 + 4, i)} for i in range(1500)}))
put("references", defs(5000, lambda to: {"$ref": to}))
put("chain", defs(190, lambda to: {"$ref": to}))
put("all", obj(a=nest(60, lambda s: {"allOf": [s]}, text)))
put("any", obj(a=nest(60, lambda s: {"anyOf": [s]}, text)))
put("arrays", obj(a=nest(120, lambda s: {"type": "array", "items": s}, text)))
put("exponential", defs(25, lambda to: {"oneOf": [{"$ref": to}, {"not": {"$ref": to}}]}))
# what a schema of 400 KB may look like
note = {"type": "string", "maxLength": 40, "description": "what stands beside it"}
put("flat", obj(**{"k%d" % i: text for i in range(10000)}))
put("optional", {"type": "object", "properties": {"k%d" % i: dict(note, description="x" * 150) for i in range(1900)}})
put("optionals", {"type": "object", "properties": {"k%d" % i: text for i in range(11000)}})
put("objects", obj(**{"g%d" % g: obj(**{"p%d_%d" % (g, i): note for i in range(50)}) for g in range(75)}))
put("one", obj(**{"v%d" % k: {"oneOf": [obj(kind={"const": "k%d" % i}, a=note) for i in range(100)]} for k in range(16)}))
put("open", obj(**{"v%d" % k: {"oneOf": [{"type": "object", "properties": {"k%d" % i: note}, "required": ["k%d" % i]} for i in range(100)]} for k in range(24)}))
put("named", dict(obj(**{"p%d" % i: {"$ref": "#n%d" % i} for i in range(4500)}), **{"$defs": {"d%d" % i: {"$anchor": "n%d" % i, "type": "string"} for i in range(4500)}}))
put("with_id", dict(obj(**{"p%d" % i: {"$ref": "u:d%d" % i} for i in range(4500)}), **{"$defs": {"d%d" % i: {"$id": "u:d%d" % i, "type": "string"} for i in range(4500)}}))
put("unknown", obj(**{"p%d" % i: dict(text, widget="w%d" % i, fooo=i) for i in range(6000)}))
put("conditional", obj(**{"p%d" % i: dict({"properties": {"t": {"enum": ["a", "b"]}, "x": text}}, **{"if": {"properties": {"t": {"const": "a"}}, "required": ["t"]}, "then": {"required": ["x"]}}) for i in range(1900)}))
put("letters", obj(**{"k%d" % i: {"type": "string", "pattern": "^\\p{Lu}\\p{L}* %d$" % i} for i in range(600)}))
put("spans", obj(**{"k%d" % i: {"type": "string", "pattern": "^.{1,200}%d$" % i} for i in range(4800)}))
open("deep.schema.json", "w").write('{"const":' + "[" * 100000 + "]" * 100000 + "}")
open("v.json", "w").write('{"a":"x"}')
open("nested.json", "w").write("[" * 63 + "]" * 63)
PY
# check NAME CODE TEXT: a verdict within 10 s of the processor's time (SLOW where
# sanitizers look on), however busy the machine is
check() {
    local name=$1 code=$2 text=$3 out got
    out=$(ulimit -s 256 -t "${SLOW:-10}"; timeout 300 "$platen" schema check "./$name.schema.json" 2>&1); got=$?
    if [ $got != "$code" ]; then bad "$name" "exit code $got, want $code: $(tail -1 <<< "$out" | cut -c1-200)"
    elif [[ $out != *"$text"* ]]; then bad "$name" "no '$text' in: $(tail -1 <<< "$out" | cut -c1-200)"
    else ok "$name"; fi
}
whole="enforced during generation"
check enum 0 "$whole"
check numbers 0 "$whole"
check apart 0 "$whole"
check million 9 "/properties/a: enum: the keys and listed values exceed"
check constant 0 "$whole"
check unique 0 "$whole"
check long 0 "$whole"
check far 0 "$whole"
check round 9 "admits no value that can be generated"
check choices 9 "/properties/a: too many combinations of choices contradict"
check exponential 9 "/properties/a: its alternatives take more than 20,000,000 steps"
check ways 9 "/properties/a: oneOf: more than 2,000 alternatives"
check names 9 "names#: properties: an object has more than 20,000"
check members 0 "$whole"
check patterns 0 "needs too many states"
check references 9 "a chain of more than 200 schemas"
check chain 0 "$whole"
check all 0 "$whole"
check any 0 "$whole"
check arrays 0 "$whole"
check spans 0 "needs too many states"
# about 400 KB each: below a second of the processor's time, whatever else it does
for name in flat optional optionals objects one open named with_id unknown conditional letters; do
    TIMEFORMAT="%U %S"
    spent=$( { time timeout 60 "$platen" schema check "./$name.schema.json" > out.txt 2> err.txt; } 2>&1)
    grep -q "$whole\|checked after" out.txt || bad "$name is taken" "$(tail -1 err.txt | cut -c1-200)"
    awk -v s="$spent" -v most="${SLOW:-1}" 'BEGIN { split(s, t, " "); exit t[1] + t[2] > most }' && ok "$name in a second" || bad "$name in a second" "$spent"
done
# the XSD of many members, and many members in XML, take no more than their number
python3 - << 'PY'
import json
json.dump({"type": "object", "additionalProperties": False, "required": ["k%d" % i for i in range(40000)],
           "properties": {"k%d" % i: {"type": "string"} for i in range(40000)}}, open("wide.schema.json", "w"))
json.dump({"type": "object", "additionalProperties": {"type": "string"}}, open("entries.schema.json", "w"))
open("entries.xml", "w").write('<data xmlns="urn:platen:record:2">' + "".join('<entry key="k%d">x</entry>' % i for i in range(60000)) + "</data>")
PY
within() { # within NAME TEXT COMMAND...: two seconds of the processor's time
    local name=$1 text=$2 spent; shift 2
    spent=$( { time timeout 60 "$platen" "$@" > out.txt 2> err.txt; } 2>&1)
    grep -q "$text" out.txt && awk -v s="$spent" -v most="${SLOW:-2}" 'BEGIN { split(s, t, " "); exit t[1] + t[2] > most }' &&
        ok "$name" || bad "$name" "$spent $(tail -1 err.txt | cut -c1-200)"
}
within "the XSD of 40,000 members" '</xs:schema>' schema xsd ./wide.schema.json
within "60,000 entries in XML" 'entries.xml: valid' validate --schema ./entries.schema.json entries.xml
check deep 9 "nested deeper than 256"
for name in chain all any; do
    out=$(ulimit -s 256; "$platen" validate --schema "./$name.schema.json" v.json 2>&1) && ok "$name: a value" || bad "$name: a value" "$out"
done
printf '{"$ref":"#/$defs/t","$defs":{"t":{"type":"array","items":{"allOf":[{"$ref":"#/$defs/t"}]}}}}' > t.schema.json
out=$(ulimit -s 256; "$platen" validate --schema ./t.schema.json nested.json 2>&1) && ok "a deep value" || bad "a deep value" "$out"
# the smallest value of each is written without a stack as well
for name in unique constant far; do
    out=$( (ulimit -s 256; timeout "${SLOW:-10}" "$platen" extract "$root/tests/faults/good.png" --schema "./$name.schema.json" --engine null --max-record-bytes 4M 2> err.txt) | wc -c) # wc itself may need more
    [ "$out" -gt 5000 ] && ok "$name: an instance" || bad "$name: an instance" "$(tail -1 err.txt | cut -c1-200)"
done
exit $failed
