#!/usr/bin/env bash
# service.sh - platen watch as a service: what it says to its supervisor, how it is
# drained and reloaded, its lines; and the units, held against systemd's own judge.
set -u
subject='service: '
. "$(dirname "$0")/../support/e2e.sh"
units=$root/pipeline/ops/systemd
python3 "$root/tests/support/supervisor.py" "$platen" "$root" "$scratch" || failed=1

# --- without a supervisor nothing is different
mkdir -p "$scratch/s/in"
NOTIFY_SOCKET=/nonexistent/socket timeout -s TERM 2 "$platen" watch "$scratch/s" --engine null 2> "$scratch/log"
[ $? = 124 ] && grep -q 'NOTIFY_SOCKET cannot be reached' "$scratch/log" && ok "a socket that is not there is said, and no more" ||
    bad "a socket that is not there is said, and no more" "$(cat "$scratch/log")"
JOURNAL_STREAM=1:2 "$platen" fsck /nonexistent 2> "$scratch/log"
grep -q '^platen: ' "$scratch/log" && ok "no priorities where stderr is not the journal" || bad "no priorities where stderr is not the journal" "$(cat "$scratch/log")"

# --- status --json is as its schema and its page say
mkdir -p "$scratch/t/in/faults"
cp "$root/tests/faults/good.png" "$scratch/t/in/faults/a.png"; cp "$root/tests/faults/good.png" "$scratch/t/in/faults/b.png"
echo nonsense > "$scratch/t/in/faults/c.png"
"$platen" run "$scratch/t" --engine null --stable-for 0 --schemas "$root/tests/faults" > /dev/null 2>&1
mkdir "$scratch/t/work/20260101T000000Z-0000000000000000"
echo '{"first":1,"since":1,"times":2,"not_before":1900000000,"reason":"disk","stage":"extract","text":"why"}' > "$scratch/t/work/20260101T000000Z-0000000000000000/attempt.deferred"
"$platen" status "$scratch/t" --json > "$scratch/status.json"
python3 - "$root" "$scratch/status.json" > "$scratch/log" 2>&1 << 'PY' && ok "status --json is as its schema and platen(1) say" || bad "status --json is as its schema and platen(1) say" "$(tail -1 "$scratch/log")"
import json, re, sys
import jsonschema
schema = json.load(open(sys.argv[1] + "/pipeline/ops/status.schema.json"))
status = json.load(open(sys.argv[2]))
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(status)
assert (status["done"], status["failed"], len(status["latest"])) == (2, 1, 3), status
assert any("duplicate_of" in one for one in status["latest"]) and status["reasons"], status
for wrong in ({"done": -1}, {"in_work": [{}]}, {"new": 1}):
    try:
        jsonschema.Draft202012Validator(schema).validate({**status, **wrong})
        raise AssertionError(f"the schema takes {wrong}")
    except jsonschema.ValidationError:
        pass
page = open(sys.argv[1] + "/pipeline/man/platen.1").read()
page = page[page.index(".It Cm status"):page.index(".It Cm retry")]
def names(o):
    for k, v in o.get("properties", {}).items():
        yield k
        yield from names(v)
        yield from names(v.get("items", {}))
missing = [n for n in names(schema) if not re.search(rf"\b{n}\b", page)]
assert not missing, f"platen(1) does not say {missing}"
PY

# --- the units
command -v systemd-analyze > /dev/null || { echo "skip - service: no systemd-analyze, the units are not judged"; exit $failed; }
mkdir "$scratch/units"
for unit in platen-watch@ platen-run@ platen-prune@ platen-serve@; do
    said=$(systemd-analyze security --offline=yes --threshold=20 "$units/$unit.service" 2>&1)
    [ $? = 0 ] && [[ $said == *"Overall exposure"* ]] && ok "$unit.service is exposed below 2.0" || bad "$unit.service is exposed below 2.0" "$(tail -1 <<< "$said")"
    # the program stands elsewhere here, and its pages are not installed
    sed "s|/usr/bin/platen|$platen|; /^Documentation/d" "$units/$unit.service" > "$scratch/units/${unit}srv-scans.service"
done
cp "$units"/*.timer "$scratch/units"
said=$(systemd-analyze verify "$scratch"/units/*srv-scans.service 2>&1 | grep units/platen)
[ -z "$said" ] && ok "systemd finds nothing wrong with them" || bad "systemd finds nothing wrong with them" "$said"
for unit in platen-watch@ platen-run@; do
    mkdir "$scratch/units/${unit}srv-scans.service.d"
    cp "$units"/*.conf "$scratch/units/${unit}srv-scans.service.d"
done
said=$(systemd-analyze verify "$scratch"/units/*srv-scans.service 2>&1 | grep "units/platen")
[ -z "$said" ] && ok "nor with their drop-ins" || bad "nor with their drop-ins" "$said"
echo 'DeviceAlow=/dev/null' >> "$scratch/units/platen-run@srv-scans.service.d/gpu.conf"
systemd-analyze verify "$scratch"/units/*srv-scans.service 2>&1 | grep -q DeviceAlow && ok "which it reads" || bad "which it reads" "a slip was not seen"
# what the sandbox of the children is made of (stages/children/sandbox) must be left to them
for needed in unshare capset seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self; do
    grep -q "^SystemCallFilter=.*\b$needed\b" "$units/platen-watch@.service" || bad "the units let the sandbox be" "$needed"
done
grep -q '^RestrictNamespaces=user net$' "$units/platen-watch@.service" && ok "the units let the sandbox be" || bad "the units let the sandbox be" namespaces
exit $failed
