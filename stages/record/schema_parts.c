/* schema_parts.c - see schema_parts.h. */
#include "stages/record/schema_parts.h"

#include "vlm/base/number.h"
#include "vlm/json/json.h"

enum { STEPS_MAX = 1000, DEPTH_MOST = 256 };

struct schema_parts_walk {
    const struct schema *schema;
    struct schema_parts_list *out;
    int steps; /* left */
};

static unsigned type_of_name(const char *name)
{
    static const char *const known[] = {
        "null", "boolean", "string", "integer", "number", "object", "array"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i], name)) return 1U << i;
    return 0;
}

static unsigned type_of_value(const cJSON *v)
{
    if (cJSON_IsString(v)) return SCHEMA_PARTS_STRING;
    if (cJSON_IsBool(v)) return SCHEMA_PARTS_BOOLEAN;
    if (cJSON_IsNull(v)) return SCHEMA_PARTS_NULL;
    if (cJSON_IsNumber(v))
        return number_is_integer(json_number(v)) ? SCHEMA_PARTS_INTEGER
                                                 : SCHEMA_PARTS_NUMBER;
    return cJSON_IsArray(v) ? SCHEMA_PARTS_ARRAY : SCHEMA_PARTS_OBJECT;
}

/* Finds types from `type`, else const or enum; false if it has none of them. */
static bool find_types(const cJSON *node, unsigned *types)
{
    const cJSON *type = json_get(node, "type"), *list = json_get(node, "enum");
    const cJSON *only = json_get(node, "const");
    *types = 0;
    if (cJSON_IsString(type))
        *types = type_of_name(type->valuestring);
    else if (type)
        for (const cJSON *t = type->child; t; t = t->next)
            *types |= type_of_name(t->valuestring);
    else if (only)
        *types = type_of_value(only);
    else if (list)
        for (const cJSON *v = list->child; v; v = v->next)
            *types |= type_of_value(v);
    return type || only || list;
}

static bool has_members(const cJSON *node)
{
    const cJSON *more = json_get(node, "additionalProperties");
    return json_get(node, "properties") ||
           json_get(node, "patternProperties") || (more && !cJSON_IsTrue(more));
}

static bool has_items(const cJSON *node)
{
    return json_get(node, "items") || json_get(node, "prefixItems");
}

static const cJSON *find_union(const cJSON *node)
{
    const cJSON *any = json_get(node, "anyOf");
    return any ? any : json_get(node, "oneOf");
}

/* Adds the parts that apply to a value under `node`: the target of a $ref, the
 * node itself if it has types, members or items, all of allOf. *choice is set
 * to the first list of alternatives on the way. */
static void collect(struct schema_parts_walk *w,
                    struct schema_parts_alternative *p, const cJSON *node,
                    const cJSON **choice, int depth)
{
    unsigned types;
    if (w->steps-- <= 0 || depth > DEPTH_MOST || !cJSON_IsObject(node)) return;
    const cJSON *target = schema_follow(w->schema, node);
    if (target != node) {
        w->out->by_reference = true;
        collect(w, p, target, choice, depth + 1);
    }
    bool describes =
        find_types(node, &types) || has_members(node) || has_items(node);
    bool known = false;
    for (int i = 0; i < p->n; i++)
        known |= p->part[i] == node;
    if (describes && !known && p->n < SCHEMA_PARTS_MAX) p->part[p->n++] = node;
    if (!*choice) *choice = find_union(node);
    const cJSON *all = json_get(node, "allOf");
    for (const cJSON *x = all ? all->child : NULL; x; x = x->next)
        collect(w, p, x, choice, depth + 1);
}

static void set_types(struct schema_parts_alternative *p)
{
    for (int i = 0; i < p->n && !p->typed; i++)
        if (find_types(p->part[i], &p->types)) p->typed = p->part[i];
    for (int i = 0; i < p->n && !p->typed && !p->types; i++)
        p->types =
            has_members(p->part[i]) ? SCHEMA_PARTS_OBJECT : SCHEMA_PARTS_ARRAY;
}

static bool is_same(const struct schema_parts_alternative *a,
                    const struct schema_parts_alternative *b)
{
    return a->n == b->n &&
           !memcmp(a->part, b->part, (size_t)a->n * sizeof *a->part);
}

static void add_parts(struct schema_parts_list *out,
                      const struct schema_parts_alternative *p)
{
    for (int i = 0; i < out->n; i++)
        if (is_same(&out->parts[i], p)) return;
    if (out->n == SCHEMA_PARTS_ALTERNATIVE_MAX)
        out->anything = true;
    else
        out->parts[out->n++] = *p;
}

/* Does the schema, after its $ref, allow no value? */
static bool is_false(const struct schema *s, const cJSON *node)
{
    return cJSON_IsFalse(schema_follow(s, node));
}

static void add_alternatives(struct schema_parts_walk *w, const cJSON *node,
                             int depth)
{
    struct schema_parts_alternative p = {.n = 0};
    const cJSON *choice = NULL;
    if (w->out->anything || is_false(w->schema, node)) return;
    collect(w, &p, node, &choice, 0);
    if (p.n > 0) {
        set_types(&p);
        add_parts(w->out, &p);
    } else if (choice && w->steps > 0 && depth < DEPTH_MOST) {
        for (const cJSON *x = choice->child; x; x = x->next)
            add_alternatives(w, x, depth + 1);
    } else {
        w->out->anything = true;
    }
}

void schema_parts_add(struct schema_parts_list *out, const struct schema *s,
                      const cJSON *node)
{
    struct schema_parts_walk w = {s, out, STEPS_MAX};
    add_alternatives(&w, node, 0);
}

bool schema_parts_is_open(const cJSON *part)
{
    const cJSON *more = json_get(part, "additionalProperties");
    return !json_get(part, "patternProperties") &&
           (!more || cJSON_IsTrue(more));
}

/* Members declared after a part that allows no others cannot occur. */
static void add_declared(struct schema_parts_members *out,
                         const struct schema_parts_alternative *p,
                         struct arena *arena)
{
    for (int i = 0; i < p->n; i++) {
        const cJSON *list = json_get(p->part[i], "properties");
        for (cJSON *m = list ? list->child : NULL; m; m = m->next)
            if (!text_table_find(&out->declared, m->string))
                text_table_put(&out->declared, arena, m->string, m);
        if (!schema_parts_is_open(p->part[i])) return;
    }
}

void schema_parts_members(struct schema_parts_members *out,
                          const struct schema_parts_alternative *p,
                          struct arena *arena)
{
    *out = (struct schema_parts_members){.declared.n = 0};
    add_declared(out, p, arena);
    for (int i = 0; i < p->n; i++) {
        const cJSON *list = json_get(p->part[i], "required");
        for (cJSON *r = list ? list->child : NULL; r; r = r->next)
            if (cJSON_IsString(r))
                text_table_put(&out->required, arena, r->valuestring, r);
    }
}

const cJSON *schema_parts_declared(const struct schema_parts_members *m,
                                   const char *key)
{
    return text_table_find(&m->declared, key);
}

const cJSON *schema_parts_of_items(const struct schema_parts_alternative *p)
{
    for (int i = 0; i < p->n; i++)
        if (has_items(p->part[i])) return p->part[i];
    return NULL;
}

bool schema_parts_requires(const struct schema_parts_members *m,
                           const char *key)
{
    return text_table_find(&m->required, key) != NULL;
}
