/* grammar_names.c - members of free names.
 *
 * WHAT IT IS  A schema can describe names and values of members that it does
 * not list: additionalProperties, patternProperties and propertyNames.
 * Patterns divide the names into classes. From
 *
 *     {"patternProperties": {"^n": {"type": "number"}},
 *      "additionalProperties": {"type": "string"}}
 *
 * come two name rules: names that match ^n have numbers, all others strings.
 * The value of a name that matches several patterns must be valid for each, so
 * each pair of patterns also gets a rule, if there are such names.
 *
 * WHY SO  A name rule is a language of names and a rule for the values. No
 * name is in two of them unless propertyNames has alternatives. A rule that
 * cannot be enforced exactly is not made: such members would fail validation
 * afterwards.
 */
#include "vlm/grammar/grammar_build.h"

#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { PATTERN_MOST = 10, ALTERNATIVE_MOST = 16, NAME_RULE_MOST = 100 };

/* Names that match these `n` patterns and no others. */
struct name_class {
    const char *match[2];
    int n;
};

struct name_builder {
    struct build *b;
    const struct intersect *w;
    struct object_rule *o;
    const char *pattern[PATTERN_MOST]; /* distinct patterns of all schemas */
    int n_pattern;
    struct ways names; /* alternatives of propertyNames */
    const char *const *taken;
    int n_taken;
    bool all; /* all allowed members can be generated */
};

bool grammar_is_described(const struct intersect *value)
{
    for (int i = 0; i < value->n; i++)
        if (value->want[i].schema->child) return true;
    return false;
}

bool grammar_text_has(const struct text_rule *t, const char *text)
{
    int state = DFA_START, n = 0;
    for (; *text; n++) {
        uint32_t c = utf8_take(&text);
        if (t->dfa) state = dfa_step(t->dfa, state, c);
    }
    return n <= t->length_max &&
           (t->dfa ? t->dfa->dist[state] == 0 : n >= t->length_min);
}

/* Does any of the schemas describe members that it does not list? */
static bool describes_more(const struct intersect *w)
{
    static const char *const keyword[] = {
        "additionalProperties", "unevaluatedProperties", "patternProperties"};
    for (int i = 0; i < w->n; i++)
        for (int k = 0; k < 3 && w->want[i].kind == WANT_SCHEMA; k++) {
            const cJSON *more = json_get(w->want[i].schema, keyword[k]);
            if (more && more->child) return true;
        }
    return false;
}

/* The alternatives of propertyNames; without it, a single one that admits any
 * name. */
static struct ways name_alternatives(struct build *b, const struct intersect *w)
{
    struct intersect names = {0};
    for (int i = 0; i < w->n; i++) {
        const cJSON *schema = json_get(w->want[i].schema, "propertyNames");
        if (schema && w->want[i].kind == WANT_SCHEMA)
            intersect_add(&names, b->scratch,
                          (struct want){WANT_SCHEMA, schema, NULL});
    }
    return intersect_expand(b->schema, &names, &b->notes, b->scratch,
                            &b->budget, b->err);
}

const char **grammar_listed_names(struct build *b, const struct intersect *w,
                                  int *n)
{
    const cJSON *schema;
    const char **out = NULL;
    *n = 0;
    if (b->closed || !describes_more(w)) return out;
    struct ways ways = name_alternatives(b, w);
    for (int i = 0; i < ways.n; i++) {
        const cJSON *list = grammar_listed_values(&ways.wants[i], &schema);
        bool one = list && !strcmp(list->string, "const");
        size_t most = one ? 1 : list ? (size_t)cJSON_GetArraySize(list) : 0;
        const char **more =
            arena_array(b->scratch, (size_t)*n + most + 1, sizeof *more);
        if (*n) memcpy(more, out, (size_t)*n * sizeof *more);
        out = more;
        for (const cJSON *v = one    ? list
                              : list ? list->child
                                     : NULL;
             v; v = one ? NULL : v->next)
            if (cJSON_IsString(v)) out[(*n)++] = v->valuestring;
    }
    return out;
}

/* Makes a schema {keyword: value}. */
static struct want made_want(struct build *b, const char *keyword,
                             const cJSON *value)
{
    cJSON *schema = arena_alloc(b->scratch, sizeof *schema);
    cJSON *child = arena_alloc(b->scratch, sizeof *child);
    *child = *value;
    child->string = arena_copy(b->scratch, span_of(keyword));
    *schema = (cJSON){.type = cJSON_Object, .child = child};
    return (struct want){WANT_SCHEMA, schema, NULL};
}

static struct want pattern_want(struct build *b, const char *pattern, bool bar)
{
    cJSON text = {.type = cJSON_String,
                  .valuestring = arena_copy(b->scratch, span_of(pattern))};
    struct want want = made_want(b, "pattern", &text);
    return bar ? made_want(b, "not", want.schema) : want;
}

static bool class_has(const struct name_class *s, const char *pattern)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->match[i], pattern)) return true;
    return false;
}

/* Adds the conditions on the values of such members; false if none can
 * exist. */
static bool class_value(const struct name_builder *t,
                        const struct name_class *s, struct intersect *value)
{
    for (int i = 0; i < t->w->n; i++) {
        const cJSON *schema = t->w->want[i].schema;
        const cJSON *patterns = json_get(schema, "patternProperties");
        struct want want = {WANT_SCHEMA, NULL, NULL};
        bool known = false;
        if (t->w->want[i].kind != WANT_SCHEMA) continue;
        for (const cJSON *p = patterns ? patterns->child : NULL; p;
             p = p->next) {
            if (!class_has(s, p->string)) continue;
            known = true;
            want.schema = p;
            intersect_add(value, t->b->scratch, want);
        }
        want.schema = json_get(schema, "additionalProperties");
        if (!want.schema)
            want.schema = json_get(schema, "unevaluatedProperties");
        if (!known && want.schema) intersect_add(value, t->b->scratch, want);
    }
    for (int i = 0; i < value->n; i++)
        if (cJSON_IsFalse(value->want[i].schema)) return false;
    return true;
}

/* Sets r->taken, the excluded names, and r->count, the number of others. */
static void exclude_taken(struct name_builder *t, struct name_rule *r)
{
    struct grammar *g = t->b->g;
    int n = t->o->n_least;
    for (int i = 0; i < t->n_taken; i++)
        if (grammar_text_has(&r->text, t->taken[i]))
            grammar_literal(g, &r->taken, span_of(t->taken[i]), 0, 0);
    if (r->text.dfa && r->taken) n += g->literal[r->taken].n_text;
    r->count = r->text.dfa ? dfa_count(r->text.dfa, DFA_START,
                                       r->text.length_max, n + 1)
                           : n + 1;
    if (r->text.dfa && r->taken) r->count -= g->literal[r->taken].n_text;
}

/* Can all conditions on the name be enforced during generation? */
static bool is_plain(const struct intersect *way)
{
    for (int i = 0; i < way->n; i++) {
        const cJSON *excluded = json_get(way->want[i].schema, "not");
        if (way->want[i].kind != WANT_SCHEMA ||
            (excluded &&
             (!json_get(excluded, "pattern") || excluded->child->next)))
            return false;
    }
    return true;
}

/* Adds the rule of one class of names for one alternative of propertyNames. */
static void add_rule(struct name_builder *t, const struct name_class *s,
                     const struct intersect *way, const struct intersect *value)
{
    struct build *b = t->b;
    struct notes missed = {.schema = b->schema};
    struct name_rule r = {0};
    struct intersect text = {0};
    char one[] = "1";
    cJSON least = {.type = cJSON_Number, .valuestring = one};
    for (int i = 0; i < way->n; i++)
        intersect_add(&text, b->scratch, way->want[i]);
    intersect_add(&text, b->scratch, made_want(b, "minLength", &least));
    for (int i = 0; i < t->n_pattern; i++)
        intersect_add(
            &text, b->scratch,
            pattern_want(b, t->pattern[i], !class_has(s, t->pattern[i])));
    if (!grammar_text(b, &text, &missed, &r.text)) return;
    int shortest = r.text.dfa ? r.text.dfa->dist[DFA_START] : r.text.length_min;
    if (missed.n || !is_plain(way) || t->o->n_name == NAME_RULE_MOST ||
        shortest > GRAMMAR_NAME_MAX) {
        t->all = false;
        return;
    }
    if (r.text.length_max > GRAMMAR_NAME_MAX)
        r.text.length_max = GRAMMAR_NAME_MAX;
    exclude_taken(t, &r);
    if (r.count <= 0) return;
    r.rule = grammar_rule(b, value);
    if (!t->o->name)
        t->o->name =
            arena_array(b->g->arena, NAME_RULE_MOST, sizeof *t->o->name);
    t->o->name[t->o->n_name++] = r;
}

static void add_class(struct name_builder *t, const struct name_class *s)
{
    struct intersect value = {0};
    const cJSON *schema;
    if (!class_value(t, s, &value)) return;
    if (t->names.n == 0 || !grammar_is_described(&value)) {
        /* two patterns need not have a name in common */
        if (s->n < 2) t->all = false;
        return;
    }
    for (int i = 0; i < t->names.n && !err_failed(t->b->err); i++) {
        const struct intersect *way = &t->names.wants[i];
        if (!grammar_listed_values(way, &schema) &&
            (way->n == 0 || (grammar_types(way) & TYPE_TEXT)))
            add_rule(t, s, way, &value);
    }
}

/* Lists the distinct patterns of all schemas; false if there are too many. */
static bool list_patterns(struct name_builder *t)
{
    for (int i = 0; i < t->w->n; i++) {
        const cJSON *p = json_get(t->w->want[i].schema, "patternProperties");
        if (t->w->want[i].kind != WANT_SCHEMA || !p) continue;
        for (p = p->child; p; p = p->next) {
            int k = 0;
            while (k < t->n_pattern && strcmp(t->pattern[k], p->string) != 0)
                k++;
            if (k < t->n_pattern) continue;
            if (k == PATTERN_MOST) return false;
            t->pattern[t->n_pattern++] = p->string;
        }
    }
    return true;
}

bool grammar_add_names(struct build *b, const struct intersect *w,
                       struct object_rule *o, const char *const *taken,
                       int n_taken)
{
    struct name_builder t = {.b = b,
                             .w = w,
                             .o = o,
                             .taken = taken,
                             .n_taken = n_taken,
                             .all = true};
    if (!list_patterns(&t)) return false;
    if (!b->closed && describes_more(w)) t.names = name_alternatives(b, w);
    if (t.names.n > ALTERNATIVE_MOST) return false;
    struct name_class s = {.n = 0};
    add_class(&t, &s);
    for (int i = 0; i < t.n_pattern; i++) {
        s = (struct name_class){{t.pattern[i], NULL}, 1};
        add_class(&t, &s);
        for (int k = i + 1; k < t.n_pattern; k++) {
            s = (struct name_class){{t.pattern[i], t.pattern[k]}, 2};
            add_class(&t, &s);
        }
    }
    if (o->n_name) b->g->unique = true;
    return t.all;
}
