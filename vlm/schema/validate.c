/* validate.c - validation of a value; see schema.h and validate.h.
 *
 * The first run only finds the verdict. If the value is invalid, a second run
 * collects the findings.
 */
#include "vlm/schema/validate.h"

#include <stdlib.h>

#include "vlm/base/number.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

static bool validate_child(struct validation *r, const struct node *node,
                           const struct spot *spot, const cJSON *child,
                           int index);
static bool validate_node(struct validation *r, const struct node *node,
                          const struct spot *spot);

/* Is the count within the limit of minItems, maxItems, minProperties or
 * maxProperties? */
static bool count_holds(struct validation *r, const struct node *node,
                        const struct keyword_rule *rule,
                        const struct spot *spot, long long n, const char *what)
{
    long long limit = number_whole(json_number(rule->value), 0, INT64_MAX);
    bool least =
        rule->id == KEYWORD_MIN_ITEMS || rule->id == KEYWORD_MIN_PROPERTIES;
    if (least ? n >= limit : n <= limit) return true;
    return finding_add(r, node, rule, spot, RANK_SIZE,
                       "at %s %lld %s (there are %lld)",
                       least ? "least" : "most", limit, what, n);
}

/* --- validate array -------------------------------------------------------- */

/* Keywords for arrays and their items. */

static long long limit_of(const struct node *node, enum keyword id,
                          long long otherwise)
{
    const struct keyword_rule *rule = node_rule(node, id);
    return rule ? number_whole(json_number(rule->value), 0, INT64_MAX)
                : otherwise;
}

/* The schema that items, prefixItems or unevaluatedItems applies to item i. */
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

/* Validates one item; the scratch memory of a streamed one is freed at once. */
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
    int at; /* index of the item */
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

/* Do the n items of equal hash all differ? Reads the array again. */
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

static bool validate_array(struct validation *r, const struct node *node,
                           const struct keyword_rule *rule,
                           const struct spot *spot)
{
    switch ((int)rule->id) {
    case KEYWORD_PREFIX_ITEMS:
    case KEYWORD_ITEMS:
    case KEYWORD_UNEVALUATED_ITEMS: return items_hold(r, node, rule, spot);
    case KEYWORD_CONTAINS: return contains(r, node, rule, spot);
    case KEYWORD_MIN_ITEMS:
    case KEYWORD_MAX_ITEMS:
        return count_holds(r, node, rule, spot,
                           json_count(r->stream, spot->value), "items");
    case KEYWORD_UNIQUE_ITEMS:
        return !cJSON_IsTrue(rule->value) || are_unique(r, spot->value) ||
               finding_add(r, node, rule, spot, RANK_SIZE,
                           "items that all differ");
    default: return true;
    }
}

/* --- validate object ------------------------------------------------------- */

/* Keywords for objects and their members. */

static bool has_all(struct validation *r, const struct node *node,
                    const struct keyword_rule *rule, const struct spot *spot,
                    const cJSON *names)
{
    bool valid = true;
    for (const cJSON *n = names->child; n && (valid || r->list); n = n->next)
        if (!json_get(spot->value, n->valuestring))
            valid = finding_add(r, node, rule, spot, RANK_MISSING, "the key %s",
                                finding_value(r, n));
    return valid;
}

/* dependentRequired, dependentSchemas and dependencies. */
static bool dependent(struct validation *r, const struct node *node,
                      const struct keyword_rule *rule, const struct spot *spot)
{
    bool valid = true;
    for (int i = 0; i < rule->n_branch && (valid || r->list); i++) {
        const struct branch *b = &rule->branch[i];
        if (!json_get(spot->value, b->name)) continue;
        valid &= b->names ? has_all(r, node, rule, spot, b->names)
                          : validate_node(r, b->node, spot);
    }
    if (rule->id != KEYWORD_DEPENDENT_REQUIRED) return valid;
    for (const cJSON *d = rule->value->child; d && (valid || r->list);
         d = d->next)
        if (json_get(spot->value, d->string))
            valid &= has_all(r, node, rule, spot, d);
    return valid;
}

static bool names_hold(struct validation *r, const struct keyword_rule *rule,
                       const struct spot *spot)
{
    bool valid = true;
    for (const cJSON *m = spot->value->child; m && (valid || r->list);
         m = m->next) {
        cJSON *name = cJSON_CreateString(m->string);
        if (!name) return err_set(r->err, ERR_SYSTEM, "no memory");
        struct place place = {spot->place, m->string, 0};
        struct spot own = {name, &place, spot->scope, NULL};
        valid &= validate_node(r, rule->branch[0].node, &own);
        cJSON_Delete(name);
    }
    return valid;
}

static const struct branch *find_property(const struct keyword_rule *rule,
                                          const char *name)
{
    for (int i = 0; rule && i < rule->n_branch; i++)
        if (!strcmp(rule->branch[i].name, name)) return &rule->branch[i];
    return NULL;
}

/* Does a pattern of patternProperties match? Exceeding the limit sets err. */
static bool name_fits(struct validation *r, const struct node *node,
                      const struct branch *branch, const char *name)
{
    enum pattern_verdict v = pattern_match(branch->pattern, span_of(name));
    if (v == PATTERN_LIMIT)
        node_refuse(node, r->err, "the pattern \"%s\" takes more than %d steps",
                    branch->name, PATTERN_MATCH_MAX);
    return v == PATTERN_YES;
}

static bool is_additional(struct validation *r, const struct node *node,
                          const char *name)
{
    if (find_property(node_rule(node, KEYWORD_PROPERTIES), name)) return false;
    const struct keyword_rule *p = node_rule(node, KEYWORD_PATTERN_PROPERTIES);
    for (int i = 0; p && i < p->n_branch; i++)
        if (name_fits(r, node, &p->branch[i], name)) return false;
    return true;
}

/* Applies additionalProperties or unevaluatedProperties to a member. */
static bool extra_member(struct validation *r, const struct node *node,
                         const struct keyword_rule *rule,
                         const struct spot *spot, const cJSON *member)
{
    const struct node *schema = rule->branch[0].node;
    if (!cJSON_IsFalse(schema->json))
        return validate_child(r, schema, spot, member, 0);
    if (!r->list) return false;
    struct place place = {spot->place, member->string, 0};
    struct spot own = {member, &place, spot->scope, NULL};
    const struct keyword_rule *known = node_rule(node, KEYWORD_PROPERTIES);
    return finding_add(r, node, rule, &own, RANK_EXTRA, "no key but %s here",
                       known ? finding_names(r, known->value) : "none");
}

static bool members_hold(struct validation *r, const struct node *node,
                         const struct keyword_rule *rule,
                         const struct spot *spot)
{
    bool valid = true;
    size_t i = 0;
    for (const cJSON *m = spot->value->child; m && (valid || r->list);
         m = m->next, i++) {
        bool applies = false;
        if (rule->id == KEYWORD_PROPERTIES) {
            const struct branch *b = find_property(rule, m->string);
            applies = b != NULL;
            if (b) valid &= validate_child(r, b->node, spot, m, 0);
        } else if (rule->id == KEYWORD_PATTERN_PROPERTIES) {
            for (int k = 0; k < rule->n_branch; k++) {
                if (!name_fits(r, node, &rule->branch[k], m->string)) continue;
                applies = true;
                valid &= validate_child(r, rule->branch[k].node, spot, m, 0);
            }
        } else {
            applies = rule->id == KEYWORD_ADDITIONAL_PROPERTIES
                          ? is_additional(r, node, m->string)
                          : !spot->seen[i];
            if (applies) valid &= extra_member(r, node, rule, spot, m);
        }
        if (applies && spot->seen) spot->seen[i] = 1;
        if (err_failed(r->err)) return false;
    }
    return valid;
}

static bool validate_object(struct validation *r, const struct node *node,
                            const struct keyword_rule *rule,
                            const struct spot *spot)
{
    switch ((int)rule->id) {
    case KEYWORD_REQUIRED: return has_all(r, node, rule, spot, rule->value);
    case KEYWORD_DEPENDENT_SCHEMAS:
    case KEYWORD_DEPENDENT_REQUIRED:
    case KEYWORD_DEPENDENCIES: return dependent(r, node, rule, spot);
    case KEYWORD_PROPERTY_NAMES: return names_hold(r, rule, spot);
    case KEYWORD_PROPERTIES:
    case KEYWORD_PATTERN_PROPERTIES:
    case KEYWORD_ADDITIONAL_PROPERTIES:
    case KEYWORD_UNEVALUATED_PROPERTIES:
        return members_hold(r, node, rule, spot);
    case KEYWORD_MIN_PROPERTIES:
    case KEYWORD_MAX_PROPERTIES:
        return count_holds(r, node, rule, spot, cJSON_GetArraySize(spot->value),
                           "members");
    default: return true;
    }
}

/* --- validate scalar ------------------------------------------------------- */

/* Keywords for a single value. */

static bool type_holds(struct validation *r, const struct node *node,
                       const struct keyword_rule *rule, const struct spot *spot)
{
    if (keyword_type_fits(rule->value, spot->value)) return true;
    return finding_add(r, node, rule, spot, RANK_TYPE, "type %s",
                       cJSON_IsString(rule->value)
                           ? rule->value->valuestring
                           : finding_names(r, rule->value));
}

static bool enum_holds(struct validation *r, const struct node *node,
                       const struct keyword_rule *rule, const struct spot *spot)
{
    size_t i = 0, mask = rule->n_value_at - 1;
    if (rule->value_at)
        i = (size_t)json_equal_hash_stream(spot->value, r->stream) & mask;
    for (; rule->value_at && rule->value_at[i]; i = (i + 1) & mask)
        if (json_equal_stream(spot->value, rule->value_at[i], r->stream))
            return true;
    const cJSON *v = rule->value_at ? NULL : rule->value->child;
    for (; v; v = v->next)
        if (json_equal_stream(spot->value, v, r->stream)) return true;
    return finding_add(r, node, rule, spot, RANK_VALUE, "%s",
                       finding_names(r, rule->value));
}

static bool number_holds(struct validation *r, const struct node *node,
                         const struct keyword_rule *rule,
                         const struct spot *spot)
{
    const char *value = json_number(spot->value);
    const char *limit = json_number(rule->value);
    if (rule->id == KEYWORD_MULTIPLE_OF) {
        if (number_is_multiple(value, limit)) return true;
        return finding_add(r, node, rule, spot, RANK_SIZE, "a multiple of %s",
                           limit);
    }
    int c = number_compare(value, limit);
    const char *word = rule->id == KEYWORD_MINIMUM             ? "at least"
                       : rule->id == KEYWORD_MAXIMUM           ? "at most"
                       : rule->id == KEYWORD_EXCLUSIVE_MINIMUM ? "more than"
                                                               : "less than";
    bool good = rule->id == KEYWORD_MINIMUM             ? c >= 0
                : rule->id == KEYWORD_MAXIMUM           ? c <= 0
                : rule->id == KEYWORD_EXCLUSIVE_MINIMUM ? c > 0
                                                        : c < 0;
    return good ||
           finding_add(r, node, rule, spot, RANK_SIZE, "%s %s", word, limit);
}

static bool length_holds(struct validation *r, const struct node *node,
                         const struct keyword_rule *rule,
                         const struct spot *spot)
{
    long long n = (long long)utf8_count(spot->value->valuestring);
    long long limit = number_whole(json_number(rule->value), 0, INT64_MAX);
    bool least = rule->id == KEYWORD_MIN_LENGTH;
    if (least ? n >= limit : n <= limit) return true;
    return finding_add(r, node, rule, spot, RANK_SIZE,
                       "at %s %lld characters (there are %lld)",
                       least ? "least" : "most", limit, n);
}

static bool pattern_holds(struct validation *r, const struct node *node,
                          const struct keyword_rule *rule,
                          const struct spot *spot)
{
    switch (pattern_match(rule->pattern, span_of(spot->value->valuestring))) {
    case PATTERN_YES: return true;
    case PATTERN_NO:
        return finding_add(r, node, rule, spot, RANK_TEXT, "a match of %s",
                           finding_value(r, rule->value));
    default:
        return node_refuse(node, r->err,
                           "the pattern \"%.100s\" takes more than %d steps on "
                           "a text of %zu bytes",
                           rule->value->valuestring, PATTERN_MATCH_MAX,
                           strlen(spot->value->valuestring));
    }
}

static bool format_is_kept(struct validation *r, const struct node *node,
                           const struct keyword_rule *rule,
                           const struct spot *spot)
{
    if (!rule->format || format_holds(rule->format, rule->pattern,
                                      span_of(spot->value->valuestring)))
        return true;
    return finding_add(r, node, rule, spot, RANK_TEXT, "the format %s",
                       rule->format->name);
}

/* Applies one rule; false if it does not hold, with findings if wanted. */
static bool validate_scalar(struct validation *r, const struct node *node,
                            const struct keyword_rule *rule,
                            const struct spot *spot)
{
    bool string = cJSON_IsString(spot->value);
    switch ((int)rule->id) {
    case KEYWORD_TYPE: return type_holds(r, node, rule, spot);
    case KEYWORD_ENUM: return enum_holds(r, node, rule, spot);
    case KEYWORD_CONST:
        return json_equal_stream(spot->value, rule->value, r->stream) ||
               finding_add(r, node, rule, spot, RANK_VALUE, "%s",
                           finding_value(r, rule->value));
    case KEYWORD_MINIMUM:
    case KEYWORD_MAXIMUM:
    case KEYWORD_EXCLUSIVE_MINIMUM:
    case KEYWORD_EXCLUSIVE_MAXIMUM:
    case KEYWORD_MULTIPLE_OF:
        return !cJSON_IsNumber(spot->value) ||
               number_holds(r, node, rule, spot);
    case KEYWORD_MIN_LENGTH:
    case KEYWORD_MAX_LENGTH:
        return !string || length_holds(r, node, rule, spot);
    case KEYWORD_PATTERN: return !string || pattern_holds(r, node, rule, spot);
    case KEYWORD_FORMAT: return !string || format_is_kept(r, node, rule, spot);
    default: return true;
    }
}

/* --- validate -------------------------------------------------------------- */

static unsigned char *seen_new(struct validation *r, const cJSON *value)
{
    return arena_alloc(r->scratch, (size_t)json_count(r->stream, value) + 1);
}

static void seen_merge(const struct validation *r, unsigned char *into,
                       const unsigned char *from, const cJSON *value)
{
    int n = into && from ? json_count(r->stream, value) : 0;
    for (int i = 0; i < n; i++)
        into[i] |= from[i];
}

/* As validate_node without findings. */
static bool validate_quietly(struct validation *r, const struct node *node,
                             const struct spot *spot)
{
    struct finding_list *list = r->list;
    r->list = NULL;
    bool valid = validate_node(r, node, spot);
    r->list = list;
    return valid;
}

/* As validate_quietly; what the schema has evaluated counts only if it
 * holds. */
static bool try_branch(struct validation *r, const struct node *node,
                       const struct spot *spot)
{
    struct spot own = *spot;
    if (spot->seen) own.seen = seen_new(r, spot->value);
    if (!validate_quietly(r, node, &own)) return false;
    seen_merge(r, spot->seen, own.seen, spot->value);
    return true;
}

/* Applies the schema to a member or an item of the value at `spot`. */
static bool validate_child(struct validation *r, const struct node *node,
                           const struct spot *spot, const cJSON *child,
                           int index)
{
    bool named = cJSON_IsObject(spot->value);
    struct place place = {spot->place, named ? child->string : NULL, index};
    struct spot below = {child, &place, spot->scope, NULL};
    return validate_node(r, node, &below);
}

/* Is `a` closer to valid? Its worst finding is milder, or it has fewer. */
static bool is_closer(const struct finding_list *a,
                      const struct finding_list *b)
{
    if (!b) return true;
    if (a->finding[0].rank != b->finding[0].rank)
        return a->finding[0].rank > b->finding[0].rank;
    return a->n_finding < b->n_finding;
}

/* Reports that no branch holds, with the findings of the closest one, unless
 * all fail on the type of the value itself. */
static bool report_branches(struct validation *r, const struct node *node,
                            const struct keyword_rule *rule,
                            const struct spot *spot)
{
    struct finding_list *list = r->list, *best = NULL;
    if (!list || err_failed(r->err)) return false;
    const char *here = finding_place(r->scratch, spot->place);
    struct spot own = *spot;
    for (int i = 0; i < rule->n_branch; i++) {
        struct finding_list *l = arena_alloc(r->scratch, sizeof *l);
        if (spot->seen) own.seen = seen_new(r, spot->value);
        r->list = l;
        validate_node(r, rule->branch[i].node, &own);
        r->list = list;
        if (err_failed(r->err) || l->n_finding == 0) continue;
        finding_sort(l->finding, l->n_finding);
        bool far = l->finding[0].rank == RANK_TYPE &&
                   !strcmp(l->finding[0].instance, here);
        if (!far && is_closer(l, best)) best = l;
    }
    finding_add(r, node, rule, spot, RANK_CHOICE,
                "one of the %d alternatives of \"%s\"", rule->n_branch,
                keyword_name(rule->id));
    for (int i = 0; best && i < best->n_finding; i++)
        if (list->n_finding < VALIDATE_FINDING_MAX)
            list->finding[list->n_finding++] = best->finding[i];
    return false;
}

static bool any_of(struct validation *r, const struct node *node,
                   const struct keyword_rule *rule, const struct spot *spot)
{
    bool valid = false;
    for (int i = 0; i < rule->n_branch && (!valid || spot->seen); i++)
        valid |= try_branch(r, rule->branch[i].node, spot);
    return valid || report_branches(r, node, rule, spot);
}

static bool one_of(struct validation *r, const struct node *node,
                   const struct keyword_rule *rule, const struct spot *spot)
{
    int n_valid = 0, first = 0;
    for (int i = 0; i < rule->n_branch && n_valid < 2; i++) {
        if (!try_branch(r, rule->branch[i].node, spot)) continue;
        if (n_valid++ == 0) first = i;
        if (n_valid == 2)
            return finding_add(r, node, rule, spot, RANK_CHOICE,
                               "only one alternative of \"oneOf\"; both %d "
                               "and %d (from 0) hold",
                               first, i);
    }
    return n_valid == 1 || report_branches(r, node, rule, spot);
}

static bool all_of(struct validation *r, const struct keyword_rule *rule,
                   const struct spot *spot)
{
    bool valid = true;
    for (int i = 0; i < rule->n_branch && (valid || r->list); i++)
        valid &= validate_node(r, rule->branch[i].node, spot);
    return valid;
}

static bool is_not(struct validation *r, const struct node *node,
                   const struct keyword_rule *rule, const struct spot *spot)
{
    struct spot own = *spot;
    own.seen = NULL;
    if (!validate_quietly(r, rule->branch[0].node, &own)) return true;
    return finding_add(r, node, rule, spot, RANK_CHOICE,
                       "something that the schema under \"not\" refuses");
}

static bool if_then_else(struct validation *r, const struct node *node,
                         const struct keyword_rule *rule,
                         const struct spot *spot)
{
    bool holds = try_branch(r, rule->branch[0].node, spot);
    const struct keyword_rule *next =
        node_rule(node, holds ? KEYWORD_THEN : KEYWORD_ELSE);
    return !next || validate_node(r, next->branch[0].node, spot);
}

/* The outermost resource in scope that has the anchor determines the target. */
static const struct node *dynamic_target(const struct keyword_rule *rule,
                                         const struct spot *spot)
{
    const struct node *target = rule->target;
    if (!rule->anchor) return target;
    for (const struct scope *s = spot->scope; s; s = s->outer) {
        const struct anchor *a =
            text_table_find(&s->resource->anchor, rule->anchor);
        if (a && a->dynamic) target = a->node;
    }
    return target;
}

static bool apply_rule(struct validation *r, const struct node *node,
                       const struct keyword_rule *rule, const struct spot *spot)
{
    switch ((int)rule->id) {
    case KEYWORD_REF: return validate_node(r, rule->target, spot);
    case KEYWORD_DYNAMIC_REF:
        return validate_node(r, dynamic_target(rule, spot), spot);
    case KEYWORD_ALL_OF: return all_of(r, rule, spot);
    case KEYWORD_ANY_OF: return any_of(r, node, rule, spot);
    case KEYWORD_ONE_OF: return one_of(r, node, rule, spot);
    case KEYWORD_NOT: return is_not(r, node, rule, spot);
    case KEYWORD_IF: return if_then_else(r, node, rule, spot);
    default: break;
    }
    if (!validate_scalar(r, node, rule, spot)) return false;
    if (cJSON_IsObject(spot->value))
        return validate_object(r, node, rule, spot);
    if (cJSON_IsArray(spot->value)) return validate_array(r, node, rule, spot);
    return true;
}

static bool apply_rules(struct validation *r, const struct node *node,
                        const struct spot *spot)
{
    bool valid = true;
    for (int i = 0; i < node->n_rule; i++) {
        if (node->rule[i].id >= KEYWORD_ID) break;
        valid &= apply_rule(r, node, &node->rule[i], spot);
        if (err_failed(r->err)) return false;
        if (!valid && !r->list) return false;
    }
    return valid;
}

static bool within_limits(struct validation *r, const struct node *node)
{
    if (r->depth > VALIDATE_DEPTH_MAX)
        return node_refuse(node, r->err,
                           "a reference loop, or schemas nested deeper than "
                           "%d",
                           VALIDATE_DEPTH_MAX);
    if (++r->n_step > r->step_max)
        return node_refuse(node, r->err, "takes more than %ld steps",
                           r->step_max);
    return true;
}

/* True if the value is valid. Also false if err has failed. */
static bool validate_node(struct validation *r, const struct node *node,
                          const struct spot *spot)
{
    if (err_failed(r->err) || !within_limits(r, node)) return false;
    if (cJSON_IsTrue(node->json)) return true;
    if (cJSON_IsFalse(node->json))
        return finding_add(r, node, NULL, spot, RANK_EXTRA,
                           "nothing here (the schema is false)");
    struct spot own = *spot;
    struct scope scope = {spot->scope, node->resource};
    if (!spot->scope || spot->scope->resource != node->resource)
        own.scope = &scope;
    /* unevaluated... must not count what adjacent schemas have evaluated */
    if (node->looks_back) own.seen = seen_new(r, spot->value);
    r->depth++;
    bool valid = apply_rules(r, node, &own);
    r->depth--;
    if (node->looks_back && valid)
        seen_merge(r, spot->seen, own.seen, spot->value);
    return valid;
}

bool schema_validate(const struct schema *s, const cJSON *value,
                     struct arena *arena, struct findings *out, struct err *err)
{
    return schema_validate_stream(s, value, NULL, arena, out, err);
}

bool schema_validate_stream(const struct schema *s, const cJSON *value,
                            struct json_stream *stream, struct arena *arena,
                            struct findings *out, struct err *err)
{
    *out = (struct findings){0};
    if (err_failed(err)) return false;
    struct validation r = {
        .keep = arena, .scratch = arena_new(), .stream = stream, .err = err};
    r.step_max = VALIDATE_STEP_MAX;
    struct spot root = {.value = value};
    bool valid = validate_node(&r, s->root, &root);
    if (!valid && !err_failed(err)) {
        r.list = arena_alloc(arena, sizeof *r.list);
        r.n_step = 0;
        validate_node(&r, s->root, &root);
        finding_sort(r.list->finding, r.list->n_finding);
        out->finding = r.list->finding;
        out->n_finding = r.list->n_finding;
    }
    arena_free(r.scratch);
    return valid && !err_failed(err);
}

bool schema_admits_within(const struct schema *s, const cJSON *json,
                          const cJSON *value, long *budget)
{
    const struct node *node = node_find(s, json);
    if (!node || *budget < 0) return false;
    struct err err = {0};
    struct arena *scratch = arena_new();
    struct validation r = {
        .keep = scratch, .scratch = scratch, .step_max = *budget, .err = &err};
    struct spot root = {.value = value};
    bool valid = validate_node(&r, node, &root);
    *budget -= r.n_step;
    arena_free(scratch);
    return valid && !err_failed(&err);
}

bool schema_admits(const struct schema *s, const cJSON *json,
                   const cJSON *value)
{
    long budget = VALIDATE_STEP_MAX;
    return schema_admits_within(s, json, value, &budget);
}
