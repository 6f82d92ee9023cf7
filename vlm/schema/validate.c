/* validate.c - a value against a schema; see schema.h and validate.h.
 *
 * A first run only asks for the verdict. Where it is no, a second one looks
 * at everything and says what is wrong.
 */
#include "vlm/schema/validate.h"

#include "vlm/base/json.h"

static unsigned char *seen_new(struct validation *r, const cJSON *value)
{
    return arena_take(r->scratch, (size_t)json_count(r->stream, value) + 1);
}

static void seen_merge(const struct validation *r, unsigned char *into,
                       const unsigned char *from, const cJSON *value)
{
    int n = into && from ? json_count(r->stream, value) : 0;
    for (int i = 0; i < n; i++)
        into[i] |= from[i];
}

bool validate_quietly(struct validation *r, const struct node *node,
                      const struct spot *spot)
{
    struct finding_list *list = r->list;
    r->list = NULL;
    bool valid = validate_node(r, node, spot);
    r->list = list;
    return valid;
}

/* As validate_quietly; what the schema has seen counts only if it holds. */
static bool try_branch(struct validation *r, const struct node *node,
                       const struct spot *spot)
{
    struct spot own = *spot;
    if (spot->seen) own.seen = seen_new(r, spot->value);
    if (!validate_quietly(r, node, &own)) return false;
    seen_merge(r, spot->seen, own.seen, spot->value);
    return true;
}

bool validate_child(struct validation *r, const struct node *node,
                    const struct spot *spot, const cJSON *child, int index)
{
    bool named = cJSON_IsObject(spot->value);
    struct place place = {spot->place, named ? child->string : NULL, index};
    struct spot below = {child, &place, spot->scope, NULL};
    return validate_node(r, node, &below);
}

/* Is a the better explanation? Its worst finding is milder, or it has fewer. */
static bool is_closer(const struct finding_list *a,
                      const struct finding_list *b)
{
    if (!b) return true;
    if (a->finding[0].rank != b->finding[0].rank)
        return a->finding[0].rank > b->finding[0].rank;
    return a->n_finding < b->n_finding;
}

/* Where no branch holds: what the one says that came closest, unless all
 * fail at once on the value's own type. */
static bool report_branches(struct validation *r, const struct node *node,
                            const struct keyword_rule *rule,
                            const struct spot *spot)
{
    struct finding_list *list = r->list, *best = NULL;
    if (!list || err_failed(r->err)) return false;
    const char *here = finding_place(r->scratch, spot->place);
    struct spot own = *spot;
    for (int i = 0; i < rule->n_branch; i++) {
        struct finding_list *l = arena_take(r->scratch, sizeof *l);
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

/* The outermost resource on the way here that has the anchor decides. */
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

bool validate_node(struct validation *r, const struct node *node,
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
    /* unevaluated... must not see what a neighbour has looked at */
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
        r.list = arena_take(arena, sizeof *r.list);
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
