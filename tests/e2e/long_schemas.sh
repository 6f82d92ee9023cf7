#!/usr/bin/env bash
# long_schemas.sh - 300 rows under schemas that say the same in other ways, and values on which pages differ.
subject="long_schemas: "
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/long.sh"

draw s300 300
# two pages contradict each other about a value: both are named, whatever they say
"$python" - "$scratch/s300.truth.json" << 'END'
import json, sys
truth = json.load(open(sys.argv[1]))
truth['scalars']['account']['else'] = {str(truth['pages'][-1]['id']): 'E\x9b2J\u202e\n' + 'ü' * 100}
json.dump(truth, open(sys.argv[1].replace('s300', 'differ'), 'w'))
END
serve differ
read_statement s300 "${small[@]}"
grep -qE 'review /account: page 1 says "DE[0-9]{20}", page 11 says "E\?2J\?\\n(ü){20,30}\.\.\.$' "$scratch/err" && ok "a conflict names both values and their pages" ||
    bad "a conflict names both values and their pages" "$(tail -1 "$scratch/err")"
# what stands on the fourth page alone is found, by its name there, behind a null as well
"$python" - "$scratch/s300.schema.json" "$scratch/nullable.schema.json" << 'END'
import json, sys
one = json.load(open(sys.argv[1]))
json.dump({'type': 'object', 'properties': {'x': {'anyOf': [{'type': 'null'}, one]}}, 'required': ['x']}, open(sys.argv[2], 'w'))
END
options_of nullable
"$platen" extract "$scratch/s300.pdf" "${options[@]}" "${small[@]}" > "$scratch/nullable.json" 2> "$scratch/err"
[ "$("$python" -c 'import json, sys; x = json.load(open(sys.argv[1]))["data"]["x"]; print(x["interest"], len(x["transactions"]))' "$scratch/nullable.json" 2>&1)" = "3.25 300" ] &&
    ok "a statement or null is read as a statement" || bad "a statement or null is read as a statement" "$(tail -1 "$scratch/err")$(head -c 300 "$scratch/nullable.json")"
# what a row is, said in another file, which the reader has not, and by an anchor
"$python" - "$scratch" << 'END'
import copy, json, sys
folder = sys.argv[1]
own = json.load(open(folder + '/s300.schema.json'))
def put(name, schema): json.dump(schema, open(f'{folder}/{name}.schema.json', 'w'))
def rows(items, **more):
    s = {**copy.deepcopy(own), **more}
    s['properties']['transactions']['items'] = items
    return s
row = own['properties']['transactions']['items']
json.dump(row, open(folder + '/row.json', 'w'))
put('filed', rows({'$ref': 'row.json'}))
put('anchored', rows({'$dynamicRef': '#row'}, **{'$defs': {'r': {**row, '$dynamicAnchor': 'row'}}}))
put('placed', rows({'$ref': 'b.json#/parts/row'}, **{'$id': 'https://ex.com/b.json', 'parts': {'row': row}}))
END
for kind in filed anchored placed; do
    serve s300
    options_of $kind
    "$platen" extract "$scratch/s300.pdf" "${options[@]}" "${small[@]}" > "$scratch/s300.json" 2> "$scratch/err"
    scored "300 rows that are $kind elsewhere" s300
    [ "$(requests)" = 11 ] && ok "and page by page ($kind)" || bad "and page by page ($kind)" "$(requests) questions"
done

for part in pdf truth.json; do cp "$scratch/s300.$part" "$scratch/alone.$part"; done
cp "$scratch/s300.references.schema.json" "$scratch/alone.schema.json"
serve alone
read_statement alone "${small[@]}"
scored "one column as an array of strings" alone
exit $failed
