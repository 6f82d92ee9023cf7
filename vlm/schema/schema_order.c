/* schema_order.c - sorts the members of a value into the order of its
 * schema; see schema.h. */
#include "vlm/json/json.h"
#include "vlm/schema/node.h"

enum { ORDER_DEPTH_MAX = 200 };

/* If `array` is not NULL, only `member`, its item `index`, is sorted. */
struct ordering {
    const struct schema *schema;
    const cJSON *array;
    int index;
    cJSON *member;
};

static void order_value(const struct ordering *o, const cJSON *node,
                        cJSON *value, int depth);

/* Relinks the members as cJSON does: the first one's prev is the last. */
static void relink(cJSON *object, cJSON **member, int n)
{
    for (int i = 0; i < n; i++) {
        member[i]->prev = member[i > 0 ? i - 1 : n - 1];
        member[i]->next = i + 1 < n ? member[i + 1] : NULL;
    }
    object->child = n > 0 ? member[0] : NULL;
}

static void order_members(const struct ordering *o, const cJSON *properties,
                          cJSON *object, int depth)
{
    int n = 0;
    cJSON **member =
        mem_alloc((size_t)cJSON_GetArraySize(object) + 1, sizeof(cJSON *));
    for (const cJSON *p = properties->child; p; p = p->next) {
        cJSON *m = cJSON_GetObjectItemCaseSensitive(object, p->string);
        if (!m) continue;
        order_value(o, p, m, depth + 1);
        member[n++] = m;
    }
    for (cJSON *m = object->child; m; m = m->next)
        if (!json_get(properties, m->string)) member[n++] = m;
    if (!o->array) relink(object, member, n);
    mem_free(member);
}

static void order_items(const struct ordering *o, const cJSON *node,
                        cJSON *array, int depth)
{
    const cJSON *prefix = json_get(node, "prefixItems");
    const cJSON *items = json_get(node, "items");
    const cJSON *p = prefix ? prefix->child : NULL;
    if (array == o->array) {
        const struct ordering inside = {.schema = o->schema};
        p = cJSON_GetArrayItem(prefix, o->index);
        if (p || items)
            order_value(&inside, p ? p : items, o->member, depth + 1);
        return;
    }
    for (cJSON *m = array->child; m; m = m->next) {
        if (p || items) order_value(o, p ? p : items, m, depth + 1);
        p = p ? p->next : NULL;
    }
}

static void order_value(const struct ordering *o, const cJSON *node,
                        cJSON *value, int depth)
{
    static const char *const in_place[] = {"allOf", "anyOf", "oneOf"};
    node = schema_follow(o->schema, node);
    if (depth > ORDER_DEPTH_MAX || !cJSON_IsObject(node)) return;
    for (size_t i = 0; i < sizeof in_place / sizeof *in_place; i++) {
        const cJSON *list = json_get(node, in_place[i]);
        for (const cJSON *x = list ? list->child : NULL; x; x = x->next)
            order_value(o, x, value, depth + 1);
    }
    const cJSON *properties = json_get(node, "properties");
    const cJSON *more = json_get(node, "additionalProperties");
    if (cJSON_IsObject(value)) {
        for (cJSON *m = more ? value->child : NULL; m; m = m->next)
            if (!json_get(properties, m->string))
                order_value(o, more, m, depth + 1);
        if (properties) order_members(o, properties, value, depth);
    } else if (cJSON_IsArray(value)) {
        order_items(o, node, value, depth);
    }
}

void schema_order(const struct schema *s, cJSON *value)
{
    order_value(&(struct ordering){.schema = s}, s->root->json, value, 0);
}

void schema_order_member(const struct schema *s, const cJSON *value,
                         const cJSON *array, int index, cJSON *member)
{
    const struct ordering o = {s, array, index, member};
    order_value(&o, s->root->json, (cJSON *)(uintptr_t)value, 0);
}
