#!/usr/bin/env bash
# jsonschema_peer.sh - platen validate and Debian's python3-jsonschema give the
# same verdict on the shipped schemas and 500 mutated records.
platen=${PLATEN:-build/platen}
root=${PLATEN_ROOT:-.}
for python in python3 /usr/bin/python3 none; do
    $python -W ignore -c 'from jsonschema import Draft202012Validator' 2> /dev/null && break
done
if [ $python = none ]; then
    echo 'skip - python3-jsonschema agrees: not installed'
    exit 0
fi
exec $python -W ignore - "$platen" "$root/schemas" <<'PY'
import copy, json, os, random, subprocess, sys, tempfile
from jsonschema import Draft202012Validator

platen, folder = sys.argv[1:]
party = {'name': 'N', 'address': 'A 1, B', 'tax_id': None}
good = {
    'receipt': {'merchant': 'M', 'date': '2026-02-28', 'items': [{'name': 'x', 'quantity': 2, 'price': 1.5}],
                'total': 1.5, 'currency': 'EUR'},
    'invoice': {'invoice_number': '7', 'date': None, 'due_date': '2026-03-01', 'seller': party, 'buyer': party,
                'items': [{'description': 'd', 'quantity': 1, 'unit_price': 2, 'amount': 2}],
                'subtotal': 2, 'tax': None, 'total': 2, 'currency': None, 'iban': 'DE02120300000000202051'},
    'letter': {'sender': 's', 'recipient': None, 'date': None, 'subject': 'x', 'reference': '',
               'body_summary': 'b'},
    'court-notice': {'court': 'c', 'case_number': '1', 'date': None, 'presiding_officer': None, 'petitioner': 'p',
                     'respondents': [{'name': 'r', 'relation': None, 'address': None, 'age': 42}]},
    'bank-statement': {'account': {'bank': 'b', 'holder': None, 'number': '1'}, 'period': {'from': None, 'to': None},
                       'currency': 'EUR', 'opening_balance': 0, 'closing_balance': -1.5,
                       'lines': [{'date': None, 'description': 'd', 'amount': -1.5, 'balance': None}]},
    'page': {'lines': ['a', 'b']}}
values = [None, True, False, 0, -1, 1.5, 2.0, 151, 10**20, '', 'EUR', 'eur', 'EURO', 'x' * 1001, '\u20ac' * 1000,
          'DE02 1', [], {}, [1], [None] * 3, {'name': 'n'}]
r = random.Random(20261121)


def places(v, at=()):
    yield at
    for k, x in v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, list) else ():
        yield from places(x, at + (k,))


def mutate(v):
    v = copy.deepcopy(v)
    for _ in range(r.randint(1, 2)):
        at = r.choice(list(places(v)))
        holder = v
        for k in at[:-1]:
            holder = holder[k]
        kind = r.randrange(4)
        if not at:
            if isinstance(v, dict) and kind == 0:
                v['more'] = r.choice(values)
        elif kind == 0:
            del holder[at[-1]]
        elif kind == 1 and isinstance(holder, list):
            holder.insert(at[-1], r.choice(values))
        else:
            holder[at[-1]] = r.choice(values)
    return v


tried = agreed = n_valid = 0
with tempfile.TemporaryDirectory() as scratch:
    for name in sorted(good):
        schema = json.load(open('%s/%s.schema.json' % (folder, name)))
        Draft202012Validator.check_schema(schema)
        peer = Draft202012Validator(schema)
        records = [good[name]] + [mutate(good[name]) for _ in range(85)]
        files = []
        for i, record in enumerate(records):
            files.append('%s/%s-%d.json' % (scratch, name, i))
            json.dump(record, open(files[-1], 'w'))
        done = subprocess.run([platen, 'validate', '--json', '--schema', '%s/%s.schema.json' % (folder, name), *files],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        verdicts = json.loads(done.stdout or '[]')
        for record, verdict in zip(records, verdicts):
            tried += 1
            valid = peer.is_valid(record)
            n_valid += valid
            agreed += verdict['valid'] == valid
            if verdict['valid'] != valid:
                print('# %s: %s: platen %s, peer %s' % (name, json.dumps(record)[:200], verdict['valid'], valid))
        if not verdicts[0]['valid']:
            print('# %s: the unchanged record is not valid: %s' % (name, verdicts[0]))
            agreed -= 1
name = 'python3-jsonschema agrees on %d of %d records (%d valid)' % (agreed, tried, n_valid)
fine = tried >= 500 and agreed == tried and 20 < n_valid < tried - 20
print('ok - %s' % name if fine else 'not ok - %s: want all' % name)
sys.exit(not fine)
PY
