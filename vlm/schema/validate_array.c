/* validate_array.c - what is asked of an array and its items; see
 * validate.h. */
#include <stdlib.h>

#include "vlm/base/json.h"
#include "vlm/base/number.h"
#include "vlm/schema/validate.h"

static long long limit_of(const struct node *node, enum keyword id,
                          long long otherwise)
{
    const struct keyword_rule *rule = node_rule(node, id);
    return rule ? number_whole(json_number(rule->value), 0, INT64_MAX)
                : otherwise;
}

/* items, prefixItems and unevaluatedItems: which schema is for item i? */
static const struct node *schema_of_item(const struct node *node,
                                         const struct keyword_rule *rule,
                                         const struct spot *spot, int i)
{
    if (rule->id == KEYWORD_PREFIX_ITEMS)
        return i < rule->n_branch ? rule->branch[i].node : NULL;
    if (rule->id == KEYWORD_UNEVALUATED_ITEMS)
        return spot->seen[i] ? NULL : rule->branch[0].node;
    const struct keyword_rule *prefix = node_rule(node, KEYWORD_PREFIX_ITEMS);
    return prefix && i < prefix->n_branch ? NULL : rule->branch[0].node;
}

/* One item against a schema; what a streamed one takes ends with it. */
static bool item_holds(struct validation *r, const struct node *schema,
                       const struct spot *spot, const cJSON *item, int i)
{
    if (!json_is_streamed(r->stream, spot->value))
        return validate_child(r, schema, spot, item, i);
    struct arena *scratch = r->scratch;
    r->scratch = arena_new();
    bool valid = validate_child(r, schema, spot, item, i);
    arena_free(r->scratch);
    r->scratch = scratch;
    return valid;
}

static bool items_hold(struct validation *r, const struct node *node,
                       const struct keyword_rule *rule, const struct spot *spot)
{
    bool valid = true;
    const cJSON *item = NULL;
    for (int i = 0;
         (valid || r->list) && (item = json_next(r->stream, spot->value, item));
         i++) {
        const struct node *schema = schema_of_item(node, rule, spot, i);
        if (!schema) continue;
        valid &= item_holds(r, schema, spot, item, i);
        if (spot->seen) spot->seen[i] = 1;
        if (err_failed(r->err)) return false;
    }
    return valid;
}

static bool contains(struct validation *r, const struct node *node,
                     const struct keyword_rule *rule, const struct spot *spot)
{
    long long least = limit_of(node, KEYWORD_MIN_CONTAINS, 1);
    long long most = limit_of(node, KEYWORD_MAX_CONTAINS, INT64_MAX);
    struct finding_list *list = r->list;
    r->list = NULL;
    long long n = 0;
    const cJSON *item = NULL;
    for (int i = 0; (item = json_next(r->stream, spot->value, item)); i++) {
        if (!item_holds(r, rule->branch[0].node, spot, item, i)) continue;
        n++;
        if (spot->seen) spot->seen[i] = 1;
    }
    r->list = list;
    if (err_failed(r->err)) return false;
    if (n < least)
        return finding_add(r, node, rule, spot, RANK_SIZE,
                           "at least %lld items of the kind \"contains\" "
                           "asks for (there are %lld)",
                           least, n);
    return n <= most ||
           finding_add(r, node, node_rule(node, KEYWORD_MAX_CONTAINS), spot,
                       RANK_SIZE,
                       "at most %lld items of the kind \"contains\" asks for "
                       "(there are %lld)",
                       most, n);
}

struct hashed {
    uint64_t hash;
    int at; /* of the item in the array */
};

static int compare_hashes(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    int c = (x->hash > y->hash) - (x->hash < y->hash);
    return c ? c : (x->at > y->at) - (x->at < y->at);
}

static bool is_among(const cJSON *items, const cJSON *item)
{
    const cJSON *other = NULL;
    cJSON_ArrayForEach(other, items)
    {
        if (json_equal(other, item)) return true;
    }
    return false;
}

/* Do all n items of one hash, which are seen once more, differ? */
static bool differ(struct validation *r, const cJSON *array,
                   const struct hashed *h, size_t n)
{
    cJSON *before = cJSON_CreateArray();
    const cJSON *item = NULL;
    size_t k = 0;
    bool unique = true;
    for (int i = 0;
         unique && k < n && (item = json_next(r->stream, array, item)); i++) {
        if (i != h[k].at) continue;
        unique = !is_among(before, item);
        cJSON_AddItemToArray(before, cJSON_Duplicate(item, true));
        k++;
    }
    cJSON_Delete(before);
    return unique;
}

static bool are_unique(struct validation *r, const cJSON *array)
{
    size_t n = 0, most = (size_t)json_count(r->stream, array), k;
    struct hashed *h = arena_array(r->scratch, most + 1, sizeof *h);
    const cJSON *item = NULL;
    for (; n < most && (item = json_next(r->stream, array, item)); n++)
        h[n] = (struct hashed){json_equal_hash(item), (int)n};
    qsort(h, n, sizeof *h, compare_hashes);
    for (size_t from = 0; from < n; from = k) {
        for (k = from + 1; k < n && h[k].hash == h[from].hash; k++)
            ;
        if (k - from > 1 && !differ(r, array, h + from, k - from)) return false;
    }
    return true;
}

static bool count_holds(struct validation *r, const struct node *node,
                        const struct keyword_rule *rule,
                        const struct spot *spot)
{
    long long n = json_count(r->stream, spot->value);
    long long limit = number_whole(json_number(rule->value), 0, INT64_MAX);
    bool least = rule->id == KEYWORD_MIN_ITEMS;
    if (least ? n >= limit : n <= limit) return true;
    return finding_add(r, node, rule, spot, RANK_SIZE,
                       "at %s %lld items (there are %lld)",
                       least ? "least" : "most", limit, n);
}

bool validate_array(struct validation *r, const struct node *node,
                    const struct keyword_rule *rule, const struct spot *spot)
{
    switch ((int)rule->id) {
    case KEYWORD_PREFIX_ITEMS:
    case KEYWORD_ITEMS:
    case KEYWORD_UNEVALUATED_ITEMS: return items_hold(r, node, rule, spot);
    case KEYWORD_CONTAINS: return contains(r, node, rule, spot);
    case KEYWORD_MIN_ITEMS:
    case KEYWORD_MAX_ITEMS: return count_holds(r, node, rule, spot);
    case KEYWORD_UNIQUE_ITEMS:
        return !cJSON_IsTrue(rule->value) || are_unique(r, spot->value) ||
               finding_add(r, node, rule, spot, RANK_SIZE,
                           "items that all differ");
    default: return true;
    }
}
