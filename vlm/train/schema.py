"""Schemas as the generator sees them, their JSON Schema form and their outline.

A field is (key, kind, type, children): `kind` is what it means on the page (a key of vocab.NAMES),
`type` is one outline letter or '[' for an array of objects or '[s' for an array of strings.
"""
import json
from collections import namedtuple

from vocab import NAMES

Field = namedtuple('Field', 'key kind type children')
TYPE = {'merchant': 's', 'date': 'd', 'total': 'n', 'currency': 's', 'name': 's', 'quantity': 'i', 'price': 'n'}


def field(kind, key=None, children=()):
    return Field(key or kind, kind, {'items': '[', 'lines': '[s'}.get(kind) or TYPE[kind], tuple(children))


RECEIPT = (field('merchant'), field('date'),
           field('items', children=(field('name'), field('quantity'), field('price'))),
           field('total'), field('currency'))
PAGE = (field('lines'),)
# The evaluation's renamed schema: names from the pool, but never these together nor in this order.
RENAMED = (field('total', 'sum'), field('currency', 'code'), field('date', 'purchase_date'),
           field('items', 'products', (field('price', 'cost'), field('name', 'description'), field('quantity', 'qty'))),
           field('merchant', 'shop'))


def outline(fields):
    def one(f):
        body = {'[': lambda: '[%s]' % outline(f.children), '[s': lambda: '[s]'}
        return '%s:%s' % (f.key, body[f.type]() if f.type in body else f.type)
    return '{%s}' % ','.join(map(one, fields))


_JSON = {'s': {'type': ['string', 'null']}, 'd': {'type': ['string', 'null'], 'format': 'date'},
         'n': {'type': ['number', 'null']}, 'i': {'type': ['integer', 'null']}}


def json_schema(fields):
    props = {}
    for f in fields:
        if f.type == '[':
            props[f.key] = {'type': 'array', 'items': json_schema(f.children)}
        elif f.type == '[s':
            props[f.key] = {'type': 'array', 'items': {'type': 'string'}}
        else:
            props[f.key] = dict(_JSON[f.type])
    return {'type': 'object', 'properties': props, 'required': [f.key for f in fields], 'additionalProperties': False}


def random_schema(r):
    """Any subset, order and naming of the receipt's fields except the held-out combination."""
    while True:
        top = [k for k in ('merchant', 'date', 'items', 'total', 'currency') if r.random() < 0.8]
        if not top:
            continue
        if r.random() < 0.7:
            r.shuffle(top)
        inner = [k for k in ('name', 'quantity', 'price') if r.random() < 0.85] or ['name']
        if r.random() < 0.6:
            r.shuffle(inner)
        own = r.random() < 0.3       # some schemas keep the plain names

        def pick(kind, used):
            for _ in range(20):
                key = kind if own else r.choice(NAMES[kind])
                if key not in used:
                    break
            used.add(key)
            return key
        used, sub = set(), set()
        children = [field(k, pick(k, sub)) for k in inner]
        fields = tuple(field(k, pick(k, used), children if k == 'items' else ()) for k in top)
        if [f.kind for f in fields] != [f.kind for f in RENAMED]:
            return fields


def outline_of_json(schema):
    """The outline of any JSON Schema (a reference for the C renderer; see outline_vectors.json)."""
    t = schema.get('type')
    t = [x for x in t if x != 'null'] if isinstance(t, list) else [t]
    t = t[0] if t else None
    if t == 'object' or 'properties' in schema:
        return '{%s}' % ','.join('%s:%s' % (k, outline_of_json(v)) for k, v in schema.get('properties', {}).items())
    if t == 'array' or 'items' in schema:
        return '[%s]' % outline_of_json(schema.get('items', {}))
    if 'enum' in schema:
        return 'e'
    if t == 'string' and schema.get('format') == 'date':
        return 'd'
    return {'number': 'n', 'integer': 'i', 'boolean': 'b'}.get(t, 's')


if __name__ == '__main__':
    extra = {'type': 'object', 'properties': {
        'number': {'type': 'string'}, 'issued': {'type': ['string', 'null'], 'format': 'date'},
        'kind': {'type': 'string', 'enum': ['invoice', 'credit']}, 'paid': {'type': 'boolean'},
        'buyer': {'type': 'object', 'properties': {'name': {'type': 'string'}, 'age': {'type': ['integer', 'null']}}},
        'tags': {'type': 'array', 'items': {'type': 'string'}}, 'net': {'type': 'number'}}}
    vectors = [{'schema': s, 'outline': outline_of_json(s)}
               for s in (json_schema(RECEIPT), json_schema(PAGE), json_schema(RENAMED), extra)]
    assert vectors[0]['outline'] == outline(RECEIPT) and vectors[2]['outline'] == outline(RENAMED)
    print(json.dumps(vectors, indent=1))
