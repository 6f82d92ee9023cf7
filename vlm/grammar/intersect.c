/* intersect.c - see intersect.h.
 *
 * A walk in depth: schemas that wait are taken in one by one; where one of
 * them leaves a choice, each branch goes on with a copy of what was asked so
 * far.
 */
#include "vlm/grammar/intersect.h"

#include "vlm/base/fnv.h"
#include "vlm/grammar/grammar_rules.h"
#include "vlm/grammar/notes.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { WANT_MAX = 300, CHOICE_MAX = 60 };
enum { CONDITION_WAY_MAX = 256 }; /* of dependent... and if, together */
enum { STEP_MAX = 20000, APART_MAX = 300000, APART_DEPTH_MAX = 16 };

/* Something that leaves a choice: each branch is a list of wants. */
struct choice {
    struct intersect *branch;
    int n_branch;
};

struct expansion {
    struct intersect done; /* taken in */
    struct intersect wait;
    struct choice choice[CHOICE_MAX];
    int n_choice;
};

struct expander {
    const struct schema *schema;
    struct notes *notes;
    struct arena *arena;
    struct ways out;
    const cJSON *from; /* whose ways they are */
    long n_step;       /* branches that were gone into */
    long n_apart;      /* schemas and values that were compared */
    long *budget;      /* of the validator */
    struct err *err;
};

void intersect_add(struct intersect *w, struct arena *arena, struct want want)
{
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 8;
        struct want *more = arena_array(arena, (size_t)w->room, sizeof *more);
        if (w->n) memcpy(more, w->want, (size_t)w->n * sizeof *more);
        w->want = more;
    }
    w->want[w->n++] = want;
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

static struct intersect copy(const struct intersect *w, struct arena *arena)
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

static void want_in(struct expander *e, struct intersect *branch,
                    enum want_kind kind, const cJSON *schema, const char *key)
{
    if (kind != WANT_PRESENT && kind != WANT_ABSENT && !schema) return;
    intersect_add(branch, e->arena, (struct want){kind, schema, key});
}

/* Can no value be valid for both? Looks at types and spelt-out values. When it
 * goes too deep (schemas may contain themselves) or takes too long the answer
 * is no, and the validator has the last word. */
static bool are_apart(struct expander *e, const cJSON *a, const cJSON *b,
                      int depth);

static const cJSON *plain(const struct schema *s, const cJSON *schema)
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

static bool types_apart(const cJSON *a, const cJSON *b)
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

/* True when all values that `a` spells out are refused by `b`. */
static bool values_apart(struct expander *e, const cJSON *a, const cJSON *b)
{
    const struct schema *s = e->schema;
    const cJSON *only = json_get(a, "const"), *list = json_get(a, "enum");
    if (only) return !schema_admits_within(s, b, only, e->budget);
    if (!list) return false;
    for (const cJSON *v = list->child; v; v = v->next)
        if (++e->n_apart > APART_MAX ||
            (schema_admits_within(s, a, v, e->budget) &&
             schema_admits_within(s, b, v, e->budget)))
            return false;
    return true;
}

static bool names(const cJSON *list, const char *name)
{
    for (const cJSON *v = list ? list->child : NULL; v; v = v->next)
        if (!strcmp(v->valuestring, name)) return true;
    return false;
}

/* A property that both require and that tells them apart; or one that one
 * requires and the other cannot have. */
static bool members_apart(struct expander *e, const cJSON *a, const cJSON *b,
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
        if (p && q && names(needs_b, v->valuestring) &&
            are_apart(e, p, q, depth + 1))
            return true;
        if (!q && cJSON_IsFalse(json_get(b, "additionalProperties")) &&
            !json_get(b, "patternProperties"))
            return true;
    }
    return false;
}

static bool are_apart(struct expander *e, const cJSON *a, const cJSON *b,
                      int depth)
{
    if (depth > APART_DEPTH_MAX || ++e->n_apart > APART_MAX) return false;
    if (schema_stopped(e->schema, e->err)) return false;
    a = plain(e->schema, a);
    b = plain(e->schema, b);
    if (cJSON_IsFalse(a) || cJSON_IsFalse(b)) return true;
    if (!cJSON_IsObject(a) || !cJSON_IsObject(b)) return false;
    return types_apart(json_get(a, "type"), json_get(b, "type")) ||
           values_apart(e, a, b) || values_apart(e, b, a) ||
           members_apart(e, a, b, depth) || members_apart(e, b, a, depth);
}

static void take_branches(struct expander *e, struct expansion *s,
                          const cJSON *schema, const cJSON *list)
{
    bool one = !strcmp(list->string, "oneOf");
    int n = cJSON_GetArraySize(list);
    if (n > GRAMMAR_WAY_MAX) {
        notes_refuse(e->notes, schema, list->string,
                     "more than 2,000 ways to write one value", e->err);
        return;
    }
    struct choice *c = choice_new(e, s, n);
    if (!c) return;
    int i = 0;
    for (const cJSON *b = list->child; b; b = b->next, i++) {
        want_in(e, &c->branch[i], WANT_SCHEMA, b, NULL);
        for (const cJSON *o = list->child; one && o != b; o = o->next)
            if (!are_apart(e, o, b, 0))
                notes_add(e->notes, schema, "oneOf",
                          "that not more than one alternative holds");
    }
}

/* Is there room for one more condition? Those that would multiply the ways
 * beyond what can be gone through are left to the validator. */
static bool may_branch(struct expander *e, const struct expansion *s,
                       const cJSON *schema, const char *keyword)
{
    long n = 1;
    for (int i = 0; i < s->n_choice && n <= CONDITION_WAY_MAX; i++)
        n *= s->choice[i].n_branch;
    if (2 * n <= CONDITION_WAY_MAX) return true;
    notes_add(e->notes, schema, keyword, "that what it asks for holds");
    return false;
}

/* Either the object has no such key, or it has, and more holds. */
static void take_dependent(struct expander *e, struct expansion *s,
                           const cJSON *schema, const char *keyword,
                           const cJSON *more)
{
    bool is_schema = !cJSON_IsArray(more);
    if (!may_branch(e, s, schema, keyword)) return;
    struct choice *c = choice_new(e, s, 2);
    if (!c) return;
    want_in(e, &c->branch[0], WANT_PRESENT, NULL, more->string);
    want_in(e, &c->branch[1], WANT_ABSENT, NULL, more->string);
    if (is_schema) {
        want_in(e, &c->branch[0], WANT_SCHEMA, more, NULL);
        return;
    }
    for (const cJSON *name = more->child; name; name = name->next)
        want_in(e, &c->branch[0], WANT_PRESENT, NULL, name->valuestring);
}

/* The only property that a schema speaks of, or NULL. */
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

/* "if" on the value of one property is decided exactly; of any other "if",
 * both outcomes are offered and the validator has the last word. */
static void take_if(struct expander *e, struct expansion *s,
                    const cJSON *schema)
{
    const cJSON *test = json_get(schema, "if");
    const cJSON *then = json_get(schema, "then");
    const cJSON *other = json_get(schema, "else");
    if (!then && !other) return;
    const cJSON *property = one_property(test);
    bool needed = json_get(test, "required") != NULL;
    if (!may_branch(e, s, schema, "if")) return;
    struct choice *c = choice_new(e, s, property && needed ? 3 : 2);
    if (!c) return;
    want_in(e, &c->branch[0], WANT_SCHEMA, test, NULL);
    want_in(e, &c->branch[0], WANT_SCHEMA, then, NULL);
    want_in(e, &c->branch[1], WANT_SCHEMA, other, NULL);
    if (!property) {
        notes_add(e->notes, schema, "if", "which of then and else holds");
        return;
    }
    want_in(e, &c->branch[1], WANT_OTHER, property, property->string);
    if (!needed) return;
    want_in(e, &c->branch[2], WANT_ABSENT, NULL, property->string);
    want_in(e, &c->branch[2], WANT_SCHEMA, other, NULL);
}

static void take_applicators(struct expander *e, struct expansion *s,
                             const cJSON *schema)
{
    bool dynamic = false;
    const cJSON *target = schema_target(e->schema, schema, &dynamic);
    want_in(e, &s->wait, WANT_SCHEMA, target, NULL);
    if (dynamic)
        notes_add(e->notes, schema, "$dynamicRef",
                  "that it may lead somewhere else");
    for (const cJSON *k = schema->child; k; k = k->next) {
        if (!strcmp(k->string, "allOf"))
            for (const cJSON *b = k->child; b; b = b->next)
                want_in(e, &s->wait, WANT_SCHEMA, b, NULL);
        if (!strcmp(k->string, "anyOf") || !strcmp(k->string, "oneOf"))
            take_branches(e, s, schema, k);
        if (!strcmp(k->string, "dependentSchemas") ||
            !strcmp(k->string, "dependentRequired") ||
            !strcmp(k->string, "dependencies"))
            for (const cJSON *d = k->child; d; d = d->next)
                take_dependent(e, s, schema, k->string, d);
        if (!strcmp(k->string, "if")) take_if(e, s, schema);
    }
}

/* Takes in all that waits; false when nothing can be valid. */
static bool take_waiting(struct expander *e, struct expansion *s)
{
    for (int i = 0; i < s->wait.n && !err_failed(e->err); i++) {
        struct want want = s->wait.want[i];
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
                         "too many schemas hold for one value", e->err);
        else if (want.kind == WANT_SCHEMA)
            take_applicators(e, s, want.schema);
    }
    s->wait.n = 0;
    return !err_failed(e->err);
}

static void add_way(struct expander *e, const struct intersect *way)
{
    size_t n = (size_t)e->out.n;
    if (n == GRAMMAR_WAY_MAX) {
        notes_refuse(e->notes, e->from, "",
                     "more than 2,000 ways to write one value", e->err);
        return;
    }
    if ((n & (n - 1)) == 0) { /* 0, or a power of two: full */
        struct intersect *more =
            arena_array(e->arena, n ? 2 * n : 1, sizeof *more);
        if (n) memcpy(more, e->out.wants, n * sizeof *more);
        e->out.wants = more;
    }
    e->out.wants[e->out.n++] = *way;
}

static void expand(struct expander *e, struct expansion *s)
{
    if (schema_stopped(e->schema, e->err)) return;
    if (++e->n_step > STEP_MAX)
        notes_refuse(e->notes, s->done.n ? s->done.want[0].schema : NULL, "",
                     "its choices contradict each other in too many ways",
                     e->err);
    if (!take_waiting(e, s)) return;
    if (s->n_choice == 0) {
        add_way(e, &s->done);
        return;
    }
    struct choice c = s->choice[--s->n_choice];
    for (int i = 0; i < c.n_branch && !err_failed(e->err); i++) {
        struct expansion *next = mem_alloc(1, sizeof *next);
        *next = *s;
        next->done = copy(&s->done, e->arena);
        next->wait = copy(&c.branch[i], e->arena);
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
    state->wait = copy(from, arena);
    expand(&e, state);
    mem_free(state);
    return e.out;
}
