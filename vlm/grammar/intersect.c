/* intersect.c - see intersect.h.
 *
 * Depth-first: pending schemas are expanded one by one. At a choice, each
 * branch continues with a copy of the conditions so far.
 */
#include "vlm/grammar/intersect.h"

#include "vlm/base/fnv.h"
#include "vlm/grammar/grammar_rules.h"
#include "vlm/grammar/notes.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { WANT_MAX = 300, CHOICE_MAX = 60 };
enum { CONDITION_WAY_MAX = 256 }; /* for dependent... and if together */
enum { STEP_MAX = 20000, COMPARE_MAX = 300000, COMPARE_DEPTH_MAX = 16 };

/* A choice; each branch is a list of conditions. */
struct choice {
    struct intersect *branch;
    int n_branch;
};

struct expansion {
    struct intersect done; /* expanded */
    struct intersect pending;
    struct choice choice[CHOICE_MAX];
    int n_choice;
};

struct expander {
    const struct schema *schema;
    struct notes *notes;
    struct arena *arena;
    struct ways out;
    const cJSON *from; /* the schema being expanded */
    long n_step;       /* branches entered */
    long n_compared;   /* schemas and values compared */
    long *budget;      /* validation steps left */
    struct err *err;
};

void intersect_add(struct intersect *w, struct arena *arena, struct want want)
{
    *ARENA_ADD(arena, w->want, w->n) = want;
}

static bool want_equal(const struct want *a, const struct want *b)
{
    return a->kind == b->kind && a->schema == b->schema &&
           (a->key == b->key || (a->key && b->key && !strcmp(a->key, b->key)));
}

bool intersect_equal(const struct intersect *a, const struct intersect *b)
{
    if (a->n != b->n) return false;
    for (int i = 0; i < a->n; i++)
        if (!want_equal(&a->want[i], &b->want[i])) return false;
    return true;
}

uint64_t intersect_hash(const struct intersect *w)
{
    uint64_t h = FNV_START;
    for (int i = 0; i < w->n; i++) {
        h = fnv_add(h, (uint64_t)w->want[i].kind);
        h = fnv_add(h, (uint64_t)(uintptr_t)w->want[i].schema);
        const char *key = w->want[i].key ? w->want[i].key : "";
        h = fnv_bytes(h, key, strlen(key));
    }
    return h;
}

bool intersect_admit(const struct schema *s, const struct intersect *w,
                     const cJSON *value, long *budget)
{
    for (int i = 0; i < w->n; i++) {
        const struct want *want = &w->want[i];
        bool is_object = cJSON_IsObject(value);
        const cJSON *member =
            want->key && is_object ? json_get(value, want->key) : NULL;
        switch (want->kind) {
        case WANT_SCHEMA:
            if (!schema_admits_within(s, want->schema, value, budget))
                return false;
            break;
        case WANT_NOT:
            if (schema_admits_within(s, want->schema, value, budget))
                return false;
            break;
        case WANT_PRESENT:
            if (is_object && !member) return false;
            break;
        case WANT_ABSENT:
            if (member) return false;
            break;
        case WANT_OTHER:
            if (!member ||
                schema_admits_within(s, want->schema, member, budget))
                return false;
            break;
        }
    }
    return true;
}

static struct intersect copy_wants(const struct intersect *w,
                                   struct arena *arena)
{
    struct intersect out = {0};
    for (int i = 0; i < w->n; i++)
        intersect_add(&out, arena, w->want[i]);
    return out;
}

static struct choice *choice_new(struct expander *e, struct expansion *s,
                                 int n_branch)
{
    if (s->n_choice == CHOICE_MAX) {
        notes_refuse(e->notes, e->from, "",
                     "more than 60 choices for one value", e->err);
        return NULL;
    }
    struct choice *c = &s->choice[s->n_choice++];
    c->branch = arena_array(e->arena, (size_t)n_branch, sizeof *c->branch);
    c->n_branch = n_branch;
    return c;
}

static void add_want(struct expander *e, struct intersect *branch,
                     enum want_kind kind, const cJSON *schema, const char *key)
{
    if (kind != WANT_PRESENT && kind != WANT_ABSENT && !schema) return;
    intersect_add(branch, e->arena, (struct want){kind, schema, key});
}

/* Are the schemas disjoint, so that no value is valid for both? Compares types,
 * listed values and members. The answer is no if the comparison gets too deep
 * (schemas can be recursive) or takes too long; the validator then decides. */
static bool are_disjoint(struct expander *e, const cJSON *a, const cJSON *b,
                         int depth);

static const cJSON *follow_ref(const struct schema *s, const cJSON *schema)
{
    const cJSON *end = schema_follow(s, schema);
    return cJSON_IsObject(end) ? end : schema;
}

static bool type_has(const cJSON *type, const char *name)
{
    if (cJSON_IsString(type)) return !strcmp(type->valuestring, name);
    for (const cJSON *t = type->child; t; t = t->next)
        if (!strcmp(t->valuestring, name)) return true;
    return false;
}

static bool types_disjoint(const cJSON *a, const cJSON *b)
{
    static const char *const name[] = {"null",   "boolean", "number", "integer",
                                       "string", "array",   "object"};
    if (!a || !b) return false;
    bool number_a = type_has(a, "number") || type_has(a, "integer");
    bool number_b = type_has(b, "number") || type_has(b, "integer");
    if (number_a && number_b) return false;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (type_has(a, name[i]) && type_has(b, name[i])) return false;
    return true;
}

/* Are all values that `a` lists invalid for `b`? */
static bool values_disjoint(struct expander *e, const cJSON *a, const cJSON *b)
{
    const struct schema *s = e->schema;
    const cJSON *only = json_get(a, "const"), *list = json_get(a, "enum");
    if (only) return !schema_admits_within(s, b, only, e->budget);
    if (!list) return false;
    for (const cJSON *v = list->child; v; v = v->next)
        if (++e->n_compared > COMPARE_MAX ||
            (schema_admits_within(s, a, v, e->budget) &&
             schema_admits_within(s, b, v, e->budget)))
            return false;
    return true;
}

static bool list_has(const cJSON *list, const char *name)
{
    for (const cJSON *v = list ? list->child : NULL; v; v = v->next)
        if (!strcmp(v->valuestring, name)) return true;
    return false;
}

/* Do both require a property with disjoint schemas, or does one require a
 * property that the other forbids? */
static bool members_disjoint(struct expander *e, const cJSON *a, const cJSON *b,
                             int depth)
{
    const cJSON *type = json_get(a, "type"), *other = json_get(b, "type");
    if (!type || !other || !cJSON_IsString(type) || !cJSON_IsString(other) ||
        strcmp(type->valuestring, "object") != 0)
        return false;
    const cJSON *in_a = json_get(a, "properties");
    const cJSON *in_b = json_get(b, "properties");
    const cJSON *needs_a = json_get(a, "required");
    const cJSON *needs_b = json_get(b, "required");
    for (const cJSON *v = needs_a ? needs_a->child : NULL; v; v = v->next) {
        const cJSON *p = json_get(in_a, v->valuestring);
        const cJSON *q = json_get(in_b, v->valuestring);
        if (p && q && list_has(needs_b, v->valuestring) &&
            are_disjoint(e, p, q, depth + 1))
            return true;
        if (!q && cJSON_IsFalse(json_get(b, "additionalProperties")) &&
            !json_get(b, "patternProperties"))
            return true;
    }
    return false;
}

static bool are_disjoint(struct expander *e, const cJSON *a, const cJSON *b,
                         int depth)
{
    if (depth > COMPARE_DEPTH_MAX || ++e->n_compared > COMPARE_MAX)
        return false;
    if (schema_stopped(e->schema, e->err)) return false;
    a = follow_ref(e->schema, a);
    b = follow_ref(e->schema, b);
    if (cJSON_IsFalse(a) || cJSON_IsFalse(b)) return true;
    if (!cJSON_IsObject(a) || !cJSON_IsObject(b)) return false;
    return types_disjoint(json_get(a, "type"), json_get(b, "type")) ||
           values_disjoint(e, a, b) || values_disjoint(e, b, a) ||
           members_disjoint(e, a, b, depth) || members_disjoint(e, b, a, depth);
}

static void expand_branches(struct expander *e, struct expansion *s,
                            const cJSON *schema, const cJSON *list)
{
    bool one = !strcmp(list->string, "oneOf");
    int n = cJSON_GetArraySize(list);
    if (n > GRAMMAR_WAY_MAX) {
        notes_refuse(e->notes, schema, list->string,
                     "more than 2,000 alternatives for one value", e->err);
        return;
    }
    struct choice *c = choice_new(e, s, n);
    if (!c) return;
    int i = 0;
    for (const cJSON *b = list->child; b; b = b->next, i++) {
        add_want(e, &c->branch[i], WANT_SCHEMA, b, NULL);
        for (const cJSON *o = list->child; one && o != b; o = o->next)
            if (!are_disjoint(e, o, b, 0))
                notes_add(e->notes, schema, "oneOf",
                          "that only one alternative matches");
    }
}

/* Can one more condition be expanded? Those that would make too many
 * alternatives are left to the validator. */
static bool can_branch(struct expander *e, const struct expansion *s,
                       const cJSON *schema, const char *keyword)
{
    long n = 1;
    for (int i = 0; i < s->n_choice && n <= CONDITION_WAY_MAX; i++)
        n *= s->choice[i].n_branch;
    if (2 * n <= CONDITION_WAY_MAX) return true;
    notes_add(e->notes, schema, keyword, "that its requirements hold");
    return false;
}

/* Either the object lacks the key, or it has it and `more` applies. */
static void expand_dependent(struct expander *e, struct expansion *s,
                             const cJSON *schema, const char *keyword,
                             const cJSON *more)
{
    bool is_schema = !cJSON_IsArray(more);
    if (!can_branch(e, s, schema, keyword)) return;
    struct choice *c = choice_new(e, s, 2);
    if (!c) return;
    add_want(e, &c->branch[0], WANT_PRESENT, NULL, more->string);
    add_want(e, &c->branch[1], WANT_ABSENT, NULL, more->string);
    if (is_schema) {
        add_want(e, &c->branch[0], WANT_SCHEMA, more, NULL);
        return;
    }
    for (const cJSON *name = more->child; name; name = name->next)
        add_want(e, &c->branch[0], WANT_PRESENT, NULL, name->valuestring);
}

/* The property, if the schema constrains exactly one and nothing else; or
 * NULL. */
static const cJSON *one_property(const cJSON *schema)
{
    const cJSON *all = json_get(schema, "properties");
    for (const cJSON *k = schema->child; k; k = k->next)
        if (strcmp(k->string, "properties") != 0 &&
            strcmp(k->string, "required") != 0)
            return NULL;
    if (!all || !all->child || all->child->next) return NULL;
    const cJSON *needs = json_get(schema, "required");
    if (needs && (!needs->child || needs->child->next ||
                  strcmp(needs->child->valuestring, all->child->string) != 0))
        return NULL;
    return all->child;
}

/* An "if" on the value of one property is enforced exactly. For any other, both
 * outcomes are possible and the validator decides. */
static void expand_if(struct expander *e, struct expansion *s,
                      const cJSON *schema)
{
    const cJSON *test = json_get(schema, "if");
    const cJSON *then = json_get(schema, "then");
    const cJSON *other = json_get(schema, "else");
    if (!then && !other) return;
    const cJSON *property = one_property(test);
    bool needed = json_get(test, "required") != NULL;
    if (!can_branch(e, s, schema, "if")) return;
    struct choice *c = choice_new(e, s, property && needed ? 3 : 2);
    if (!c) return;
    add_want(e, &c->branch[0], WANT_SCHEMA, test, NULL);
    add_want(e, &c->branch[0], WANT_SCHEMA, then, NULL);
    add_want(e, &c->branch[1], WANT_SCHEMA, other, NULL);
    if (!property) {
        notes_add(e->notes, schema, "if", "whether then or else applies");
        return;
    }
    add_want(e, &c->branch[1], WANT_OTHER, property, property->string);
    if (!needed) return;
    add_want(e, &c->branch[2], WANT_ABSENT, NULL, property->string);
    add_want(e, &c->branch[2], WANT_SCHEMA, other, NULL);
}

static void expand_applicators(struct expander *e, struct expansion *s,
                               const cJSON *schema)
{
    bool dynamic = false;
    const cJSON *target = schema_target(e->schema, schema, &dynamic);
    add_want(e, &s->pending, WANT_SCHEMA, target, NULL);
    if (dynamic)
        notes_add(e->notes, schema, "$dynamicRef",
                  "a target that depends on the outer schema");
    for (const cJSON *k = schema->child; k; k = k->next) {
        if (!strcmp(k->string, "allOf"))
            for (const cJSON *b = k->child; b; b = b->next)
                add_want(e, &s->pending, WANT_SCHEMA, b, NULL);
        if (!strcmp(k->string, "anyOf") || !strcmp(k->string, "oneOf"))
            expand_branches(e, s, schema, k);
        if (!strcmp(k->string, "dependentSchemas") ||
            !strcmp(k->string, "dependentRequired") ||
            !strcmp(k->string, "dependencies"))
            for (const cJSON *d = k->child; d; d = d->next)
                expand_dependent(e, s, schema, k->string, d);
        if (!strcmp(k->string, "if")) expand_if(e, s, schema);
    }
}

/* Expands all pending conditions; false if no value can be valid. */
static bool expand_pending(struct expander *e, struct expansion *s)
{
    for (int i = 0; i < s->pending.n && !err_failed(e->err); i++) {
        struct want want = s->pending.want[i];
        bool known = false;
        for (int j = 0; j < s->done.n; j++)
            known |= want_equal(&s->done.want[j], &want);
        if (known) continue;
        if (want.kind == WANT_SCHEMA && cJSON_IsFalse(want.schema))
            return false;
        if (want.kind == WANT_NOT && cJSON_IsTrue(want.schema)) return false;
        if (cJSON_IsBool(want.schema) && want.kind != WANT_OTHER) continue;
        intersect_add(&s->done, e->arena, want);
        if (s->done.n > WANT_MAX)
            notes_refuse(e->notes, want.schema, "",
                         "more than 300 schemas apply to one value", e->err);
        else if (want.kind == WANT_SCHEMA)
            expand_applicators(e, s, want.schema);
    }
    s->pending.n = 0;
    return !err_failed(e->err);
}

static void add_way(struct expander *e, const struct intersect *way)
{
    if (e->out.n == GRAMMAR_WAY_MAX) {
        notes_refuse(e->notes, e->from, "",
                     "more than 2,000 alternatives for one value", e->err);
        return;
    }
    *ARENA_ADD(e->arena, e->out.wants, e->out.n) = *way;
}

static void expand(struct expander *e, struct expansion *s)
{
    if (schema_stopped(e->schema, e->err)) return;
    if (++e->n_step > STEP_MAX)
        notes_refuse(e->notes, s->done.n ? s->done.want[0].schema : NULL, "",
                     "too many combinations of choices contradict each other",
                     e->err);
    if (!expand_pending(e, s)) return;
    if (s->n_choice == 0) {
        add_way(e, &s->done);
        return;
    }
    struct choice c = s->choice[--s->n_choice];
    for (int i = 0; i < c.n_branch && !err_failed(e->err); i++) {
        struct expansion *next = mem_alloc(1, sizeof *next);
        *next = *s;
        next->done = copy_wants(&s->done, e->arena);
        next->pending = copy_wants(&c.branch[i], e->arena);
        expand(e, next);
        mem_free(next);
    }
}

struct ways intersect_expand(const struct schema *s,
                             const struct intersect *from, struct notes *notes,
                             struct arena *arena, long *budget, struct err *err)
{
    if (err_failed(err)) return (struct ways){0};
    struct expander e = {
        .schema = s, .notes = notes, .arena = arena, .err = err};
    e.budget = budget;
    e.from = from->n ? from->want[0].schema : NULL;
    struct expansion *state = mem_alloc(1, sizeof *state);
    state->pending = copy_wants(from, arena);
    expand(&e, state);
    mem_free(state);
    return e.out;
}
