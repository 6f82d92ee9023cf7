/* validate_object.c - what is asked of an object and its members; see
 * validate.h. */
#include "vlm/base/json.h"
#include "vlm/base/number.h"
#include "vlm/schema/validate.h"

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

/* Does a pattern of patternProperties fit? A limit hit goes to err. */
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

/* A member that no schema knows, or that the one for such members refuses. */
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

static bool count_holds(struct validation *r, const struct node *node,
                        const struct keyword_rule *rule,
                        const struct spot *spot)
{
    long long n = cJSON_GetArraySize(spot->value);
    long long limit = number_whole(json_number(rule->value), 0, INT64_MAX);
    bool least = rule->id == KEYWORD_MIN_PROPERTIES;
    if (least ? n >= limit : n <= limit) return true;
    return finding_add(r, node, rule, spot, RANK_SIZE,
                       "at %s %lld members (there are %lld)",
                       least ? "least" : "most", limit, n);
}

bool validate_object(struct validation *r, const struct node *node,
                     const struct keyword_rule *rule, const struct spot *spot)
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
    case KEYWORD_MAX_PROPERTIES: return count_holds(r, node, rule, spot);
    default: return true;
    }
}
