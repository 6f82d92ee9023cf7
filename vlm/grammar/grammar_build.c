/* grammar_build.c - shared parts of a compilation: rules, ways, types; see
 * grammar_build.h. */
#include "vlm/grammar/grammar_build.h"

#include "vlm/base/number.h"
#include "vlm/json/json.h"

int grammar_limit(const cJSON *limit, int most)
{
    return (int)number_whole(json_number(limit), 0, most);
}

static unsigned type_bit(const char *name)
{
    static const struct {
        const char *name;
        unsigned bit;
    } row[] = {{"null", TYPE_NULL},       {"boolean", TYPE_BOOLEAN},
               {"integer", TYPE_INTEGER}, {"number", TYPE_NUMBER},
               {"string", TYPE_TEXT},     {"array", TYPE_LIST},
               {"object", TYPE_OBJECT}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (!strcmp(name, row[i].name)) return row[i].bit;
    return 0;
}

static unsigned type_set(const cJSON *type)
{
    if (cJSON_IsString(type)) return type_bit(type->valuestring);
    unsigned set = 0;
    for (const cJSON *t = type->child; t; t = t->next)
        set |= type_bit(t->valuestring);
    return set;
}

/* The type that a keyword applies to. */
static unsigned keyword_type(const char *keyword)
{
    static const struct {
        const char *keyword;
        unsigned bit;
    } row[] = {{"properties", TYPE_OBJECT},
               {"required", TYPE_OBJECT},
               {"patternProperties", TYPE_OBJECT},
               {"additionalProperties", TYPE_OBJECT},
               {"propertyNames", TYPE_OBJECT},
               {"minProperties", TYPE_OBJECT},
               {"maxProperties", TYPE_OBJECT},
               {"unevaluatedProperties", TYPE_OBJECT},
               {"dependentRequired", TYPE_OBJECT},
               {"dependentSchemas", TYPE_OBJECT},
               {"items", TYPE_LIST},
               {"prefixItems", TYPE_LIST},
               {"minItems", TYPE_LIST},
               {"maxItems", TYPE_LIST},
               {"uniqueItems", TYPE_LIST},
               {"contains", TYPE_LIST},
               {"unevaluatedItems", TYPE_LIST},
               {"minLength", TYPE_TEXT},
               {"maxLength", TYPE_TEXT},
               {"pattern", TYPE_TEXT},
               {"format", TYPE_TEXT},
               {"minimum", TYPE_NUMBER},
               {"maximum", TYPE_NUMBER},
               {"exclusiveMinimum", TYPE_NUMBER},
               {"exclusiveMaximum", TYPE_NUMBER},
               {"multipleOf", TYPE_NUMBER}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (!strcmp(keyword, row[i].keyword)) return row[i].bit;
    return 0;
}

unsigned grammar_types(const struct intersect *w)
{
    unsigned set = TYPE_ALL, implied = 0;
    bool named = false;
    for (int i = 0; i < w->n; i++) {
        const struct want *want = &w->want[i];
        if (want->kind == WANT_PRESENT || want->kind == WANT_OTHER)
            implied |= TYPE_OBJECT;
        const cJSON *type = json_get(want->schema, "type");
        if (want->kind == WANT_NOT && type && want->schema->child == type &&
            !type->next)
            set &= ~type_set(type);
        if (want->kind != WANT_SCHEMA) continue;
        const cJSON *excluded = json_get(want->schema, "not");
        const cJSON *no_type = json_get(excluded, "type");
        if (no_type && excluded->child == no_type && !no_type->next)
            set &= ~type_set(no_type);
        if (type) {
            set &= type_set(type);
            named = true;
        }
        for (const cJSON *k = want->schema->child; k; k = k->next)
            implied |= keyword_type(k->string);
    }
    if (named) return set;
    return set & (implied ? implied : TYPE_SCALAR);
}

struct way *grammar_way(struct build *b, struct rule *rule, enum way_kind kind)
{
    struct way *way = ARENA_ADD(b->g->arena, rule->way, rule->n_way);
    way->kind = kind;
    return way;
}

const cJSON *grammar_listed_values(const struct intersect *w,
                                   const cJSON **schema)
{
    for (int i = 0; i < w->n; i++) {
        *schema = w->want[i].schema;
        if (w->want[i].kind != WANT_SCHEMA) continue;
        const cJSON *only = json_get(w->want[i].schema, "const");
        if (only) return only;
        const cJSON *list = json_get(w->want[i].schema, "enum");
        if (list) return list;
    }
    return NULL;
}

int grammar_rule(struct build *b, const struct intersect *w)
{
    struct grammar *g = b->g;
    size_t at = (size_t)intersect_hash(w) % RULE_TABLE_SIZE;
    for (; b->rule_at[at]; at = (at + 1) % RULE_TABLE_SIZE)
        if (intersect_equal(&b->wants[b->rule_at[at] - 1], w))
            return b->rule_at[at] - 1;
    if (g->n_rule == GRAMMAR_RULE_MAX) {
        notes_refuse(&b->notes, w->n ? w->want[0].schema : NULL, "",
                     "more than 50,000 distinct values up to this point",
                     b->err);
        return 0;
    }
    struct intersect *own = &b->wants[g->n_rule];
    for (int i = 0; i < w->n; i++)
        intersect_add(own, g->arena, w->want[i]);
    b->rule_at[at] = ++g->n_rule;
    return g->n_rule - 1;
}

int grammar_count_required(const struct object_rule *o)
{
    int n = 0;
    for (int i = 0; i < o->n_member; i++)
        n += o->member[i].required;
    return n;
}

int grammar_names_needed(const struct object_rule *o)
{
    int n = o->n_name ? o->n_least - grammar_count_required(o) : 0;
    return n > 0 ? n : 0;
}
