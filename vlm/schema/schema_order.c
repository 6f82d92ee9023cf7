/* schema_order.c - the members of a value in the order of its schema; see
 * schema.h. */
#include "vlm/base/json.h"
#include "vlm/schema/node.h"

enum { ORDER_DEPTH_MAX = 200 };

static void order(const struct schema *s, const cJSON *node, cJSON *value,
                  int depth);

/* Links the members anew, as cJSON does: the first one's prev is the last. */
static void relink(cJSON *object, cJSON **member, int n)
{
    for (int i = 0; i < n; i++) {
        member[i]->prev = member[i > 0 ? i - 1 : n - 1];
        member[i]->next = i + 1 < n ? member[i + 1] : NULL;
    }
    object->child = n > 0 ? member[0] : NULL;
}

static void order_members(const struct schema *s, const cJSON *properties,
                          cJSON *object, int depth)
{
    int n = 0;
    cJSON **member =
        mem_take((size_t)cJSON_GetArraySize(object) + 1, sizeof(cJSON *));
    for (const cJSON *p = properties->child; p; p = p->next) {
        cJSON *m = cJSON_GetObjectItemCaseSensitive(object, p->string);
        if (!m) continue;
        order(s, p, m, depth + 1);
        member[n++] = m;
    }
    for (cJSON *m = object->child; m; m = m->next)
        if (!json_get(properties, m->string)) member[n++] = m;
    relink(object, member, n);
    mem_give(member);
}

static void order(const struct schema *s, const cJSON *node, cJSON *value,
                  int depth)
{
    static const char *const in_place[] = {"allOf", "anyOf", "oneOf"};
    node = schema_follow(s, node);
    if (depth > ORDER_DEPTH_MAX || !cJSON_IsObject(node)) return;
    for (size_t i = 0; i < sizeof in_place / sizeof *in_place; i++) {
        const cJSON *list = json_get(node, in_place[i]);
        for (const cJSON *x = list ? list->child : NULL; x; x = x->next)
            order(s, x, value, depth + 1);
    }
    const cJSON *properties = json_get(node, "properties");
    const cJSON *more = json_get(node, "additionalProperties");
    const cJSON *prefix = json_get(node, "prefixItems");
    const cJSON *items = json_get(node, "items");
    if (cJSON_IsObject(value)) {
        for (cJSON *m = more ? value->child : NULL; m; m = m->next)
            if (!json_get(properties, m->string)) order(s, more, m, depth + 1);
        if (properties) order_members(s, properties, value, depth);
    } else if (cJSON_IsArray(value)) {
        const cJSON *p = prefix ? prefix->child : NULL;
        for (cJSON *m = value->child; m; m = m->next) {
            if (p || items) order(s, p ? p : items, m, depth + 1);
            p = p ? p->next : NULL;
        }
    }
}

void schema_order(const struct schema *s, cJSON *value)
{
    order(s, s->root->json, value, 0);
}
