/* grammar_container.c - rules for arrays and objects. */
#include "vlm/grammar/grammar_build.h"

#include "vlm/base/text_table.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { LIST_MOST = 100000, PREFIX_MAX = 2000 };

static const cJSON null_value = {.type = cJSON_NULL};

/* The conditions for item `i`; for an i beyond all prefixItems, those for
 * further items. */
static struct intersect item_wants(struct build *b, const struct intersect *w,
                                   int i)
{
    struct intersect out = {0};
    for (int j = 0; j < w->n; j++) {
        if (w->want[j].kind != WANT_SCHEMA) continue;
        const cJSON *schema = w->want[j].schema;
        const cJSON *prefix = json_get(schema, "prefixItems");
        const cJSON *item = json_get(schema, "items");
        if (prefix && i < cJSON_GetArraySize(prefix))
            item = cJSON_GetArrayItem(prefix, i);
        else if (!item)
            item = json_get(schema, "unevaluatedItems");
        if (item)
            intersect_add(&out, b->scratch,
                          (struct want){WANT_SCHEMA, item, NULL});
    }
    return out;
}

static void list_limits(struct build *b, struct list_rule *l,
                        const cJSON *schema, bool alone)
{
    const cJSON *least = json_get(schema, "minItems");
    const cJSON *most = json_get(schema, "maxItems");
    const cJSON *prefix = json_get(schema, "prefixItems");
    const cJSON *contains = json_get(schema, "contains");
    const cJSON *count = json_get(schema, "minContains");
    if (least && grammar_limit(least, LIST_MOST) > l->n_min)
        l->n_min = grammar_limit(least, LIST_MOST);
    if (most && (l->n_max < 0 || grammar_limit(most, LIST_MOST) < l->n_max))
        l->n_max = grammar_limit(most, LIST_MOST);
    if (prefix && cJSON_GetArraySize(prefix) > l->n_prefix)
        l->n_prefix = cJSON_GetArraySize(prefix);
    if (cJSON_IsTrue(json_get(schema, "uniqueItems"))) {
        l->unique = true;
        l->schema = schema;
    }
    if (contains && !(count && grammar_limit(count, 1) == 0 &&
                      !json_get(schema, "maxContains")))
        notes_add(&b->notes, schema, "contains",
                  "the number of matching items");
    if (json_get(schema, "unevaluatedItems") && !alone)
        notes_add(&b->notes, schema, "unevaluatedItems",
                  "what adjacent schemas evaluate");
}

void grammar_add_list(struct build *b, struct rule *rule,
                      const struct intersect *w)
{
    struct list_rule l = {.n_max = -1};
    for (int i = 0; i < w->n; i++)
        if (w->want[i].kind == WANT_SCHEMA)
            list_limits(b, &l, w->want[i].schema, w->n == 1);
    if (l.n_max < 0)
        l.n_max = l.n_min > GRAMMAR_LIST_MAX ? l.n_min : GRAMMAR_LIST_MAX;
    if (l.n_prefix > l.n_max) l.n_prefix = l.n_max;
    if (l.n_min > l.n_max || l.n_prefix > PREFIX_MAX) return;
    l.prefix = arena_array(b->g->arena, (size_t)l.n_prefix, sizeof *l.prefix);
    for (int i = 0; i <= l.n_prefix; i++) {
        struct intersect item =
            item_wants(b, w, i < l.n_prefix ? i : PREFIX_MAX);
        *(i < l.n_prefix ? &l.prefix[i] : &l.item) = grammar_rule(b, &item);
    }
    if (l.unique && l.n_prefix) {
        l.unique = false;
        notes_add(&b->notes, l.schema, "uniqueItems",
                  "in combination with prefixItems");
    }
    if (l.unique) b->g->unique = true;
    struct way *way = grammar_way(b, rule, WAY_LIST);
    way->list = l;
}

/* Does the pattern of a patternProperties match the key? */
static bool pattern_matches(struct build *b, const cJSON *schema,
                            const cJSON *pattern, const char *key)
{
    const struct dfa *d = grammar_pattern(b, pattern->string);
    if (!d) {
        notes_add(&b->notes, schema, "patternProperties",
                  "a pattern that is not a regular language");
        return false;
    }
    int state = DFA_START;
    while (*key)
        state = dfa_step(d, state, utf8_take(&key));
    return d->dist[state] == 0;
}

/* Adds the conditions of one schema for the member `key`; `own` is its schema
 * in "properties", or NULL. */
static void member_wants(struct build *b, const cJSON *schema, const cJSON *own,
                         const char *key, struct intersect *out)
{
    const cJSON *patterns = json_get(schema, "patternProperties");
    const cJSON *names = json_get(schema, "propertyNames");
    bool known = own != NULL;
    struct want want = {WANT_SCHEMA, own, NULL};
    if (own) intersect_add(out, b->scratch, want);
    for (const cJSON *p = patterns ? patterns->child : NULL; p; p = p->next) {
        if (!pattern_matches(b, schema, p, key)) continue;
        known = true;
        want.schema = p;
        intersect_add(out, b->scratch, want);
    }
    want.schema = json_get(schema, "additionalProperties");
    if (!want.schema) want.schema = json_get(schema, "unevaluatedProperties");
    if (!known && want.schema) intersect_add(out, b->scratch, want);
    if (!names) return;
    char *text = arena_copy(b->scratch, span_of(key));
    cJSON name = {.type = cJSON_String, .valuestring = text};
    static const cJSON never = {.type = cJSON_False};
    want.schema = &never;
    if (!schema_admits_within(b->schema, names, &name, &b->budget))
        intersect_add(out, b->scratch, want);
}

/* State while the rule of an object is made. */
struct object_build {
    struct object_rule rule;
    struct text_table place; /* by key: its index in `member`, an int */
    struct text_table *own;  /* [w->n] "properties" of each condition, by key */
    int n_least, n_most;     /* members; n_most -1: any number */
    int n_declared;          /* further members come from propertyNames */
    bool impossible;
    bool open; /* some allowed members are never generated */
};

/* The member with this key, added if new; NULL on failure. */
static struct member *add_key(struct build *b, struct object_build *o,
                              const cJSON *schema, const char *key)
{
    int *place = text_table_find(&o->place, key);
    if (place) return &o->rule.member[*place];
    if (o->rule.n_member == GRAMMAR_MEMBER_MAX) {
        notes_refuse(&b->notes, schema, "properties",
                     "an object has more than 20,000 members", b->err);
        o->impossible = true;
        return NULL;
    }
    struct member *m = ARENA_ADD(b->scratch, o->rule.member, o->rule.n_member);
    *m = (struct member){.key = arena_copy(b->g->arena, span_of(key))};
    place = arena_alloc(b->scratch, sizeof *place);
    *place = o->rule.n_member - 1;
    text_table_put(&o->place, b->scratch, m->key, place);
    return m;
}

static void add_keys(struct build *b, struct object_build *o,
                     const struct want *want, struct text_table *own)
{
    if (want->kind == WANT_PRESENT || want->kind == WANT_OTHER) {
        struct member *m = add_key(b, o, want->schema, want->key);
        if (m) m->required = true;
    }
    if (want->kind != WANT_SCHEMA) return;
    const cJSON *properties = json_get(want->schema, "properties");
    const cJSON *required = json_get(want->schema, "required");
    const cJSON *least = json_get(want->schema, "minProperties");
    const cJSON *most = json_get(want->schema, "maxProperties");
    for (cJSON *p = properties ? properties->child : NULL; p; p = p->next) {
        add_key(b, o, want->schema, p->string);
        text_table_put(own, b->scratch, p->string, p);
    }
    for (const cJSON *r = required ? required->child : NULL; r; r = r->next) {
        struct member *m = add_key(b, o, want->schema, r->valuestring);
        if (m) m->required = true;
    }
    if (least && grammar_limit(least, LIST_MOST) > o->n_least)
        o->n_least = grammar_limit(least, LIST_MOST);
    if (most && (o->n_most < 0 || grammar_limit(most, LIST_MOST) < o->n_most))
        o->n_most = grammar_limit(most, LIST_MOST);
}

/* Sets the member's rule; false if it cannot be written. */
static bool make_member(struct build *b, const struct object_build *o,
                        const struct intersect *w, struct member *m)
{
    struct intersect value = {0};
    for (int i = 0; i < w->n; i++) {
        const struct want *want = &w->want[i];
        if (want->kind == WANT_SCHEMA)
            member_wants(b, want->schema, text_table_find(&o->own[i], m->key),
                         m->key, &value);
        else if (want->key && !strcmp(want->key, m->key)) {
            if (want->kind == WANT_ABSENT) return false;
            if (want->kind == WANT_OTHER)
                intersect_add(&value, b->scratch,
                              (struct want){WANT_NOT, want->schema, NULL});
        }
    }
    for (int i = 0; i < value.n; i++)
        if (cJSON_IsFalse(value.want[i].schema) &&
            value.want[i].kind == WANT_SCHEMA)
            return false;
    if (m >= o->rule.member + o->n_declared && !grammar_is_described(&value))
        return false;
    m->rule = grammar_rule(b, &value);
    return true;
}

/* If free names are not enough, minProperties makes the first optional members
 * required; maxProperties drops the last ones. Of the rest, members that can be
 * null are always written. */
static bool resolve_optional(struct build *b, const struct intersect *w,
                             struct object_build *o)
{
    int n = grammar_count_required(&o->rule), n_own = 0;
    struct object_rule *r = &o->rule;
    for (int i = 0; i < r->n_name; i++)
        if (r->name[i].count > n_own) n_own = r->name[i].count;
    for (int i = 0; i < r->n_member && n + n_own < o->n_least; i++) {
        n += !r->member[i].required;
        r->member[i].required = true;
    }
    if (n + n_own < o->n_least || (o->n_most >= 0 && n > o->n_most))
        return false;
    for (int i = r->n_member; i-- > 0 && o->n_most >= 0;) {
        if (r->n_member <= o->n_most) break;
        if (r->member[i].required) continue;
        o->n_declared -= i < o->n_declared;
        memmove(&r->member[i], &r->member[i + 1],
                (size_t)(--r->n_member - i) * sizeof *r->member);
    }
    for (int i = 0; i < r->n_member; i++) {
        struct member *m = &r->member[i];
        if (!m->required && i < o->n_declared)
            m->required = intersect_admit(b->schema, &b->wants[m->rule],
                                          &null_value, &b->budget);
    }
    for (int i = 0; i < w->n; i++)
        if (w->n > 1 && json_get(w->want[i].schema, "unevaluatedProperties"))
            notes_add(&b->notes, w->want[i].schema, "unevaluatedProperties",
                      "what adjacent schemas evaluate");
    return true;
}

/* Notes an object that allows other members: only described ones are generated,
 * because a model that can invent members does. */
static void note_opening(struct build *b, const struct intersect *w,
                         bool has_names)
{
    const cJSON *open = NULL;
    const char *keyword = "additionalProperties";
    for (int i = 0; i < w->n; i++) {
        const cJSON *schema = w->want[i].schema;
        if (w->want[i].kind != WANT_SCHEMA) continue;
        if (cJSON_IsFalse(json_get(schema, "additionalProperties")) &&
            !json_get(schema, "patternProperties"))
            return;
        if (cJSON_IsFalse(json_get(schema, "unevaluatedProperties"))) return;
        if (!open || json_get(schema, "properties")) open = schema;
        if (json_get(schema, "patternProperties"))
            keyword = "patternProperties";
    }
    if (open)
        notes_add(&b->open, open, keyword,
                  has_names ? "only those other members that are described are "
                              "generated"
                            : "other members are allowed but never generated");
}

/* Keeps the members that can be written; false if a required one cannot. */
static bool make_members(struct build *b, struct object_build *o,
                         const struct intersect *w)
{
    int n = 0, n_named = 0;
    for (int i = 0; i < o->rule.n_member; i++) {
        /* in place: make_member needs its index */
        struct member *m = &o->rule.member[i];
        if (make_member(b, o, w, m)) {
            n_named += i < o->n_declared;
            o->rule.member[n++] = *m;
        } else if (m->required)
            return false;
    }
    o->rule.n_member = n;
    o->n_declared = n_named;
    return true;
}

/* Adds members of free names, except for all keys mentioned here. */
static void make_names(struct build *b, struct object_build *o,
                       const struct intersect *w, const char **taken)
{
    int n = 0;
    for (size_t i = 0; i < o->place.n_row; i++)
        if (o->place.row[i].name) taken[n++] = o->place.row[i].name;
    for (int i = 0; i < w->n; i++)
        if (w->want[i].key) taken[n++] = w->want[i].key;
    o->rule.n_least = o->n_least;
    o->open = !grammar_add_names(b, w, &o->rule, taken, n);
    o->rule.n_most =
        o->n_most < 0 ? o->rule.n_member + GRAMMAR_LIST_MAX : o->n_most;
    if (o->rule.n_most < o->n_least) o->rule.n_most = o->n_least;
}

void grammar_add_object(struct build *b, struct rule *rule,
                        const struct intersect *w)
{
    struct object_build o = {.n_most = -1};
    o.own = arena_array(b->scratch, (size_t)w->n, sizeof *o.own);
    for (int i = 0; i < w->n; i++)
        add_keys(b, &o, &w->want[i], &o.own[i]);
    o.n_declared = o.rule.n_member;
    int n_listed = 0;
    const char **listed = grammar_listed_names(b, w, &n_listed);
    for (int i = 0; i < n_listed; i++)
        add_key(b, &o, w->want[0].schema, listed[i]);
    if (o.impossible || (o.n_most >= 0 && o.n_least > o.n_most)) return;
    const char **taken = arena_array(
        b->scratch, (size_t)(o.rule.n_member + w->n), sizeof *taken);
    if (!make_members(b, &o, w)) return;
    make_names(b, &o, w, taken);
    if (!resolve_optional(b, w, &o)) return;
    size_t n = (size_t)o.rule.n_member;
    struct member *member = arena_array(b->g->arena, n + 1, sizeof *member);
    if (n) memcpy(member, o.rule.member, n * sizeof *member);
    o.rule.member = member;
    if (o.open) note_opening(b, w, o.rule.n_name > 0);
    grammar_way(b, rule, WAY_OBJECT)->object = o.rule;
}
