/* schema_gen.c - see schema_gen.h. */
#include "tests/support/schema_gen.h"

enum { DEPTH_MAX = 3, DEF_MAX = 3 };

struct gen {
    struct random_bits bits;
    struct buf *out;
    int n_def;
    bool in_def; /* $ref then leads to a later one, or is optional */
};

static void value(struct gen *g, int depth);

uint64_t random_next(struct random_bits *r)
{
    uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int random_below(struct random_bits *r, int n)
{
    return (int)(random_next(r) % (uint64_t)n);
}

static int below(struct gen *g, int n)
{
    return random_below(&g->bits, n);
}

static bool chance(struct gen *g, int percent)
{
    return below(g, 100) < percent;
}

static void put(struct gen *g, const char *text)
{
    buf_add_text(g->out, text);
}

static const char *pick(struct gen *g, const char *const *list, int n)
{
    return list[below(g, n)];
}

#define PICK(g, list) pick(g, list, (int)(sizeof(list) / sizeof *(list)))

static void text(struct gen *g, bool nullable)
{
    static const char *const pattern[] = {"^[A-Z]{3}$",
                                          "^[a-z]+(-[a-z]+)*$",
                                          "\\\\d{2,4}",
                                          "^(yes|no|maybe)$",
                                          "^\\\\p{L}{1,8}$",
                                          "^[^\\\"\\\\\\\\]{0,12}$",
                                          "^\\\\u00e9t\\\\u00e9",
                                          "x$",
                                          "^.{2,5}$",
                                          "^[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}$",
                                          "^(ab|a)*c?$",
                                          "[\\\\s\\\\S]",
                                          "^\\\\w+@\\\\w+$",
                                          "^\\\\S*$"};
    static const char *const format[] = {
        "date",          "time",
        "date-time",     "duration",
        "email",         "hostname",
        "ipv4",          "ipv6",
        "uri",           "uri-reference",
        "uuid",          "json-pointer",
        "idn-email",     "iri",
        "uri-template",  "relative-json-pointer",
        "iri-reference", "idn-hostname",
        "no-such-format"};
    buf_print(g->out, "\"type\":%s",
              nullable ? "[\"string\",\"null\"]" : "\"string\"");
    switch (below(g, 4)) {
    case 0: buf_print(g->out, ",\"pattern\":\"%s\"", PICK(g, pattern)); break;
    case 1: buf_print(g->out, ",\"format\":\"%s\"", PICK(g, format)); break;
    default: break;
    }
    if (chance(g, 25)) buf_print(g->out, ",\"minLength\":%d", below(g, 6));
    if (chance(g, 40)) buf_print(g->out, ",\"maxLength\":%d", below(g, 30));
}

static void number(struct gen *g, bool nullable)
{
    bool integer = chance(g, 50);
    static const char *const multiple[] = {"3",   "7",    "0.01", "0.5",
                                           "2.5", "1e-3", "12"};
    const char *name = integer ? "integer" : "number";
    buf_print(g->out,
              nullable ? "\"type\":[\"%s\",\"null\"]" : "\"type\":\"%s\"",
              name);
    int low = below(g, 400) - 200;
    if (chance(g, 30))
        buf_print(g->out, ",\"%s\":%d%s",
                  chance(g, 50) ? "minimum" : "exclusiveMinimum", low,
                  chance(g, 30) ? ".25" : "");
    if (chance(g, 30))
        buf_print(g->out, ",\"%s\":%d%s",
                  chance(g, 50) ? "maximum" : "exclusiveMaximum",
                  low + 1 + below(g, 300), chance(g, 30) ? ".5e0" : "");
    if (chance(g, 20))
        buf_print(g->out, ",\"multipleOf\":%s", PICK(g, multiple));
}

static void spelt(struct gen *g)
{
    static const char *const values[] = {
        "\"red\"",    "\"green\"", "\"\\u00e9\\\"\\n\"",
        "1",          "12",        "-0.5",
        "true",       "null",      "[1,\"a\"]",
        "{\"k\":[]}", "\"\""};
    if (chance(g, 30)) {
        buf_print(g->out, "\"const\":%s", PICK(g, values));
        return;
    }
    put(g, "\"enum\":[");
    int first = below(g, 11), n = 1 + below(g, 5);
    for (int i = 0; i < n; i++)
        buf_print(g->out, "%s%s", i ? "," : "", values[(first + i) % 11]);
    put(g, "]");
}

static void list(struct gen *g, int depth)
{
    put(g, "\"type\":\"array\"");
    int least = chance(g, 30) ? 1 + below(g, 3) : 0;
    bool unique = chance(g, 30);
    if (!unique && chance(g, 25)) {
        put(g, ",\"prefixItems\":[");
        value(g, depth + 1);
        put(g, ",");
        value(g, depth + 1);
        put(g, "]");
    }
    if (chance(g, 80)) {
        put(g, ",\"items\":");
        value(g, unique ? DEPTH_MAX : depth + 1);
    }
    if (least) buf_print(g->out, ",\"minItems\":%d", least);
    if (chance(g, 60))
        buf_print(g->out, ",\"maxItems\":%d", least + below(g, 5));
    if (unique) put(g, ",\"uniqueItems\":true");
}

/* What describes members that are not named. */
static void more(struct gen *g, int depth)
{
    static const char *const pattern[] = {"^x", "^[a-c]$", "t",
                                          "^(a|\\u00e9)+$"};
    static const char *const names[] = {
        "{\"maxLength\":3}", "{\"pattern\":\"^[a-z]+$\"}",
        "{\"enum\":[\"a\",\"zz\"]}", "{\"not\":{\"pattern\":\"b\"}}",
        "{\"anyOf\":[{\"maxLength\":1},{\"format\":\"date\"}]}"};
    int n = below(g, 3);
    if (n) put(g, ",\"patternProperties\":{");
    for (int i = 0, first = below(g, 4); i < n; i++) {
        buf_print(g->out, "%s\"%s\":", i ? "," : "", pattern[(first + i) % 4]);
        value(g, depth + 1);
    }
    if (n) put(g, "}");
    put(g, ",\"additionalProperties\":");
    if (chance(g, 75))
        value(g, depth + 1);
    else
        put(g, "false");
    if (chance(g, 40))
        buf_print(g->out, ",\"propertyNames\":%s", PICK(g, names));
    if (chance(g, 40)) buf_print(g->out, ",\"minProperties\":%d", below(g, 4));
    if (chance(g, 40))
        buf_print(g->out, ",\"maxProperties\":%d", 4 + below(g, 3));
}

static void object(struct gen *g, int depth)
{
    static const char *const key[] = {"a",     "total", "na\\u00efve", "x y",
                                      "q\\\"", "a/b~c", "ab",          "abc"};
    int n = below(g, 5), first = below(g, 8), n_required = 0;
    put(g, "\"type\":\"object\",\"properties\":{");
    for (int i = 0; i < n; i++) {
        buf_print(g->out, "%s\"%s\":", i ? "," : "", key[(first + i) % 8]);
        value(g, depth + 1);
    }
    put(g, "},\"required\":[");
    for (int i = 0; i < n; i++) {
        if (!chance(g, 60)) continue;
        buf_print(g->out, "%s\"%s\"", n_required++ ? "," : "",
                  key[(first + i) % 8]);
    }
    put(g, "]");
    if (depth < DEPTH_MAX && chance(g, 25)) {
        more(g, depth);
        return;
    }
    if (chance(g, 70)) put(g, ",\"additionalProperties\":false");
    if (n && chance(g, 15))
        buf_print(g->out, ",\"minProperties\":%d", below(g, n + 1));
    if (n && chance(g, 15))
        buf_print(g->out, ",\"maxProperties\":%d",
                  n_required + below(g, n - n_required + 1));
    if (n > 1 && chance(g, 15))
        buf_print(g->out, ",\"dependentRequired\":{\"%s\":[\"%s\"]}",
                  key[first], key[(first + 1) % 8]);
    if (n > 1 && chance(g, 10))
        buf_print(g->out,
                  ",\"dependentSchemas\":{\"%s\":{\"required\":[\"%s\"]}}",
                  key[(first + 1) % 8], key[first]);
    if (chance(g, 10)) put(g, ",\"propertyNames\":{\"maxLength\":3}");
}

static void alternatives(struct gen *g, int depth)
{
    static const char *const apart[] = {
        "{\"type\":\"null\"}",
        "{\"type\":\"string\",\"maxLength\":6}",
        "{\"type\":\"integer\",\"minimum\":5}",
        "{\"type\":\"boolean\"}",
        "{\"type\":\"array\",\"items\":{\"type\":\"boolean\"},\"maxItems\":3}",
        "{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"a\"},"
        "\"v\":{\"type\":\"number\"}},\"required\":[\"kind\"]}",
        "{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"b\"},"
        "\"w\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"kind\"]}"};
    if (chance(g, 50)) {
        int first = below(g, 7), n = 2 + below(g, 3);
        put(g, "\"oneOf\":[");
        for (int i = 0; i < n; i++)
            buf_print(g->out, "%s%s", i ? "," : "", apart[(first + i) % 7]);
        put(g, "]");
        return;
    }
    put(g, "\"anyOf\":[");
    value(g, depth + 1);
    put(g, ",");
    value(g, depth + 1);
    put(g, "]");
}

static void together(struct gen *g)
{
    static const char *const sum[] = {
        "\"allOf\":[{\"type\":[\"integer\",\"string\"],\"minimum\":3},"
        "{\"maximum\":40,\"multipleOf\":4,\"maxLength\":5}]",
        "\"allOf\":[{\"type\":\"string\",\"pattern\":\"^[a-f]*$\"},"
        "{\"pattern\":\"b\"},{\"minLength\":2,\"maxLength\":7}]",
        "\"allOf\":[{\"properties\":{\"a\":{\"minimum\":2}},"
        "\"required\":[\"a\"]},{\"type\":\"object\",\"properties\":{\"a\":"
        "{\"type\":\"integer\",\"maximum\":9},\"b\":{\"enum\":[1,\"z\"]}}}]",
        "\"enum\":[1,2,3,4,5,6,\"x\",null],\"not\":{\"enum\":[3,4]},"
        "\"type\":[\"integer\",\"null\"]",
        "\"type\":[\"string\",\"boolean\",\"integer\"],"
        "\"not\":{\"type\":\"integer\"}",
        "\"type\":\"object\",\"properties\":{\"t\":{\"enum\":[\"p\",\"q\"]},"
        "\"u\":{\"type\":\"integer\"}},\"required\":[\"t\"],"
        "\"if\":{\"properties\":{\"t\":{\"const\":\"p\"}}},"
        "\"then\":{\"required\":[\"u\"]},"
        "\"else\":{\"properties\":{\"u\":{\"minimum\":100}}}",
        "\"type\":\"object\",\"patternProperties\":{\"^n_\":"
        "{\"type\":\"number\",\"maximum\":5}},\"properties\":{\"n_a\":"
        "{\"minimum\":1},\"s\":{\"type\":\"string\",\"maxLength\":4}},"
        "\"required\":[\"n_a\",\"n_b\"],\"additionalProperties\":"
        "{\"type\":\"boolean\"},\"minProperties\":2",
        "\"type\":\"array\",\"prefixItems\":[{\"const\":1}],"
        "\"unevaluatedItems\":{\"type\":\"string\",\"maxLength\":3},"
        "\"maxItems\":4"};
    put(g, PICK(g, sum));
}

static void reference(struct gen *g)
{
    buf_print(g->out, "\"$ref\":\"#/$defs/d%d\"", below(g, g->n_def));
}

static void value(struct gen *g, int depth)
{
    bool nullable = chance(g, 35);
    if (chance(g, 2)) {
        put(g, chance(g, 70) ? "true" : "false");
        return;
    }
    put(g, "{");
    if (depth > 0 && g->n_def && chance(g, g->in_def ? 6 : 12))
        reference(g);
    else
        switch (below(g, depth < DEPTH_MAX ? 14 : 8)) {
        case 0:
        case 1:
        case 2: text(g, nullable); break;
        case 3:
        case 4: number(g, nullable); break;
        case 5: spelt(g); break;
        case 6: put(g, "\"type\":[\"boolean\",\"null\"]"); break;
        case 7: text(g, true); break;
        case 8:
        case 9: list(g, depth); break;
        case 10:
        case 11: object(g, depth); break;
        case 12: alternatives(g, depth); break;
        default: together(g); break;
        }
    put(g, "}");
}

void schema_gen(uint64_t seed, struct buf *out)
{
    struct gen g = {.bits.state = seed, .out = out};
    g.n_def = chance(&g, 40) ? 1 + below(&g, DEF_MAX) : 0;
    put(&g, "{");
    if (g.n_def) {
        put(&g, "\"$defs\":{");
        g.in_def = true;
        for (int i = 0; i < g.n_def; i++) {
            buf_print(out, "%s\"d%d\":{", i ? "," : "", i);
            if (chance(&g, 50))
                buf_print(out,
                          "\"type\":\"object\",\"properties\":{\"v\":{\"type\":"
                          "\"integer\"},\"next\":{\"anyOf\":[{\"$ref\":"
                          "\"#/$defs/d%d\"},{\"type\":\"null\"}]}},"
                          "\"required\":[\"v\",\"next\"]",
                          i);
            else
                object(&g, 1);
            put(&g, "}");
        }
        g.in_def = false;
        put(&g, "},");
    }
    if (chance(&g, 80))
        object(&g, 0);
    else
        list(&g, 0);
    put(&g, "}");
}
