/* value_gen.c - see value_gen.h. */
#include "tests/support/value_gen.h"

#include <string.h>

#include "vlm/json/json.h"

enum { VALUE_DEPTH_MAX = 6, SCHEMA_DEPTH_MAX = 3, DEF_COUNT = 3 };

static const char *const KEY[] = {"a",      "entry",  "value", "item",
                                  "string", "object", "x y",   "number",
                                  "record", "data",   "",      "_x0065_ntry"};
enum { KEY_COUNT = sizeof KEY / sizeof *KEY };

struct value_maker {
    struct random_bits *bits;
    const struct schema *schema;
};

static cJSON *make(struct value_maker *m, const cJSON *node, int depth);

static bool chance(struct random_bits *r, int percent)
{
    return random_below(r, 100) < percent;
}

static cJSON *make_string(struct value_maker *m)
{
    static const char *const text[] = {"",          "red",
                                       "x",         "a <b> & ]]>",
                                       " \n",       "\xc3\xa9\xe2\x82\xac",
                                       "\x01",      "abcdef",
                                       "2026-02-28"};
    return cJSON_CreateString(
        text[random_below(m->bits, sizeof text / sizeof *text)]);
}

static cJSON *make_number(struct value_maker *m, bool integer)
{
    static const char *const text[] = {
        "0", "-3", "7", "1e2", "12345678901234567890", "1.0", "0.5", "-0.25"};
    return json_new_number(text[random_below(m->bits, integer ? 6 : 8)]);
}

static cJSON *make_any(struct value_maker *m, int depth)
{
    switch (random_below(m->bits, depth < VALUE_DEPTH_MAX ? 7 : 4)) {
    case 0: return make_string(m);
    case 1: return make_number(m, false);
    case 2: return cJSON_CreateBool(chance(m->bits, 50));
    case 3: return cJSON_CreateNull();
    case 4: {
        cJSON *list = cJSON_CreateArray();
        for (int n = random_below(m->bits, 3); n > 0; n--)
            cJSON_AddItemToArray(list, make_any(m, depth + 1));
        return list;
    }
    default: {
        cJSON *object = cJSON_CreateObject();
        int first = random_below(m->bits, KEY_COUNT);
        for (int n = random_below(m->bits, 3); n > 0; n--)
            cJSON_AddItemToObject(object, KEY[(first + n) % KEY_COUNT],
                                  make_any(m, depth + 1));
        return object;
    }
    }
}

static void put_member(cJSON *object, const char *key, cJSON *value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    cJSON_AddItemToObject(object, key, value);
}

static bool is_required(const cJSON *node, const char *key)
{
    const cJSON *list = json_get(node, "required");
    for (const cJSON *x = list ? list->child : NULL; x; x = x->next)
        if (!strcmp(x->valuestring, key)) return true;
    return false;
}

static void fill_object(struct value_maker *m, const cJSON *node, cJSON *object,
                        int depth)
{
    const cJSON *list = json_get(node, "properties");
    const cJSON *more = json_get(node, "additionalProperties");
    const cJSON *pattern = json_get(node, "patternProperties");
    for (const cJSON *p = list ? list->child : NULL; p; p = p->next)
        if (is_required(node, p->string) || chance(m->bits, 55))
            put_member(object, p->string, make(m, p, depth + 1));
    if (cJSON_IsFalse(more) || !chance(m->bits, 60)) return;
    int first = random_below(m->bits, KEY_COUNT);
    for (int n = random_below(m->bits, 3); n > 0; n--) {
        const char *key = KEY[(first + n) % KEY_COUNT];
        const cJSON *value =
            pattern && pattern->child && *key == 'a' ? pattern->child : more;
        if (json_get(list, key) || json_get(object, key)) continue;
        put_member(object, key,
                   cJSON_IsObject(value) ? make(m, value, depth + 1)
                                         : make_any(m, depth + 1));
    }
}

static cJSON *make_object(struct value_maker *m, const cJSON *node, int depth)
{
    cJSON *object = cJSON_CreateObject();
    const cJSON *all = json_get(node, "allOf");
    fill_object(m, node, object, depth);
    for (const cJSON *x = all ? all->child : NULL; x; x = x->next)
        fill_object(m, schema_follow(m->schema, x), object, depth);
    return object;
}

static cJSON *make_array(struct value_maker *m, const cJSON *node, int depth)
{
    const cJSON *items = json_get(node, "items");
    const cJSON *first = json_get(node, "prefixItems");
    cJSON *list = cJSON_CreateArray();
    for (const cJSON *x = first ? first->child : NULL; x; x = x->next)
        cJSON_AddItemToArray(list, make(m, x, depth + 1));
    for (int n = cJSON_IsFalse(items) ? 0 : random_below(m->bits, 3); n > 0;
         n--)
        cJSON_AddItemToArray(list, items ? make(m, items, depth + 1)
                                         : make_any(m, depth + 1));
    return list;
}

static cJSON *pick(struct random_bits *r, const cJSON *list)
{
    return cJSON_GetArrayItem(list, random_below(r, cJSON_GetArraySize(list)));
}

static cJSON *make_type(struct value_maker *m, const cJSON *node,
                        const char *type, int depth)
{
    if (!strcmp(type, "object")) return make_object(m, node, depth);
    if (!strcmp(type, "array")) return make_array(m, node, depth);
    if (!strcmp(type, "string")) return make_string(m);
    if (!strcmp(type, "boolean")) return cJSON_CreateBool(chance(m->bits, 50));
    if (!strcmp(type, "null")) return cJSON_CreateNull();
    return make_number(m, !strcmp(type, "integer"));
}

static cJSON *make(struct value_maker *m, const cJSON *node, int depth)
{
    node = schema_follow(m->schema, node);
    const cJSON *choice = json_get(node, "anyOf");
    const cJSON *list = json_get(node, "enum"), *type = json_get(node, "type");
    if (!choice) choice = json_get(node, "oneOf");
    if (depth > VALUE_DEPTH_MAX) return cJSON_CreateNull();
    if (json_get(node, "const"))
        return cJSON_Duplicate(json_get(node, "const"), true);
    if (list) return cJSON_Duplicate(pick(m->bits, list), true);
    if (choice && (!type || chance(m->bits, 50)))
        return make(m, pick(m->bits, choice), depth + 1);
    if (cJSON_IsArray(type)) type = pick(m->bits, type);
    if (type) return make_type(m, node, type->valuestring, depth);
    bool typed = chance(m->bits, 70);
    if (typed && (json_get(node, "properties") || json_get(node, "allOf") ||
                  json_get(node, "additionalProperties")))
        return make_object(m, node, depth);
    if (typed && (json_get(node, "items") || json_get(node, "prefixItems")))
        return make_array(m, node, depth);
    return make_any(m, depth + 1);
}

cJSON *value_gen(struct random_bits *r, const struct schema *s,
                 const cJSON *node)
{
    struct value_maker m = {r, s};
    return make(&m, node, 0);
}

/* ---- schemas ---------------------------------------------------------- */

struct schema_maker {
    struct random_bits bits;
    struct buf *out;
};

static void put_schema(struct schema_maker *g, int depth);

static void put_properties(struct schema_maker *g, int depth)
{
    int n = random_below(&g->bits, 4);
    int first = random_below(&g->bits, KEY_COUNT);
    buf_add_text(g->out, "\"properties\":{");
    for (int i = 0; i < n; i++) {
        buf_print(g->out, "%s\"%s\":", i ? "," : "",
                  KEY[(first + i) % KEY_COUNT]);
        put_schema(g, depth + 1);
    }
    buf_add_text(g->out, "}");
    if (n && chance(&g->bits, 30))
        buf_print(g->out, ",\"required\":[\"%s\"]", KEY[first]);
}

/* What an object says of members that it does not name. */
static void put_others(struct schema_maker *g, int depth)
{
    if (chance(&g->bits, 20)) {
        buf_add_text(g->out, ",\"patternProperties\":{\"^a\":");
        put_schema(g, depth + 1);
        buf_add_text(g->out, "}");
    }
    if (chance(&g->bits, 40)) return;
    buf_add_text(g->out, ",\"additionalProperties\":");
    if (chance(&g->bits, 50))
        put_schema(g, depth + 1);
    else
        buf_add_text(g->out, chance(&g->bits, 70) ? "false" : "true");
}

static void put_items(struct schema_maker *g, int depth)
{
    bool first = chance(&g->bits, 30);
    if (first) {
        buf_add_text(g->out, "\"prefixItems\":[");
        put_schema(g, depth + 1);
        buf_add_text(g->out, "],");
    }
    buf_add_text(g->out, "\"items\":");
    if (first && chance(&g->bits, 40))
        buf_add_text(g->out, "false");
    else
        put_schema(g, depth + 1);
}

static void put_alternatives(struct schema_maker *g, const char *keyword,
                             int depth)
{
    int n = 2 + random_below(&g->bits, 2);
    buf_print(g->out, "\"%s\":[", keyword);
    for (int i = 0; i < n; i++) {
        if (i) buf_add_text(g->out, ",");
        put_schema(g, depth + 1);
    }
    buf_add_text(g->out, "]");
}

static void put_leaf(struct schema_maker *g)
{
    static const char *const leaf[] = {
        "\"type\":\"string\"",
        "\"type\":[\"string\",\"null\"],\"maxLength\":3",
        "\"type\":\"string\",\"pattern\":\"^[a-z]*$\"",
        "\"type\":\"integer\"",
        "\"type\":\"number\",\"minimum\":-1",
        "\"type\":\"boolean\"",
        "\"type\":\"null\"",
        "\"type\":[\"string\",\"integer\"]",
        "\"type\":[\"object\",\"array\",\"null\"]",
        "\"enum\":[\"red\",7,true,null,[1],{\"a\":[]}]",
        "\"enum\":[\"red\",\"x\"]",
        "\"const\":{\"a\":[null,\"x\"]}",
        "\"type\":\"array\"",
        "\"type\":\"object\"",
        "\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"integer\"}",
        "\"minimum\":5",
        "\"$ref\":\"#/$defs/d0\"",
        "\"$ref\":\"#/$defs/d1\"",
        "\"$ref\":\"#/$defs/d2\"",
        ""};
    buf_add_text(g->out,
                 leaf[random_below(&g->bits, sizeof leaf / sizeof *leaf)]);
}

static void put_schema(struct schema_maker *g, int depth)
{
    buf_add_text(g->out, "{");
    switch (random_below(&g->bits, depth < SCHEMA_DEPTH_MAX ? 12 : 4)) {
    case 4:
    case 5:
    case 6:
        if (chance(&g->bits, 65)) buf_add_text(g->out, "\"type\":\"object\",");
        put_properties(g, depth);
        put_others(g, depth);
        break;
    case 7:
        if (chance(&g->bits, 60)) buf_add_text(g->out, "\"type\":\"array\",");
        put_items(g, depth);
        break;
    case 8: put_alternatives(g, "anyOf", depth); break;
    case 9: put_alternatives(g, "oneOf", depth); break;
    case 10: put_alternatives(g, "allOf", depth); break;
    case 11:
        buf_add_text(g->out, "\"$ref\":\"#/$defs/d0\",");
        put_properties(g, depth);
        break;
    default: put_leaf(g); break;
    }
    buf_add_text(g->out, "}");
}

void value_gen_schema(uint64_t seed, struct buf *out)
{
    struct schema_maker g = {.bits.state = seed, .out = out};
    buf_add_text(out, "{\"$defs\":{");
    for (int i = 0; i < DEF_COUNT; i++) {
        buf_print(out, "%s\"d%d\":{", i ? "," : "", i);
        if (chance(&g.bits, 60)) buf_add_text(out, "\"type\":\"object\",");
        put_properties(&g, 1);
        put_others(&g, 1);
        buf_add_text(out, "}");
    }
    buf_add_text(out, "},\"allOf\":[");
    put_schema(&g, 0);
    buf_add_text(out, "]}");
}
