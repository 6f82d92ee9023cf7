/* grammar.c - compiles a schema into rules; see grammar.h.
 *
 * WHAT IT IS  A schema tells whether a finished value is valid. Generation
 * needs to know which byte can come next. So the schema is compiled once into
 * rules: one for each position of a value, each with a few ways (alternatives)
 * to write it. From
 *
 *     {"type": "object", "additionalProperties": false,
 *      "required": ["kind", "n"],
 *      "properties": {"kind": {"enum": ["in", "out"]},
 *                     "n": {"anyOf": [{"type": "null"},
 *                                     {"type": "integer", "minimum": 5}]}}}
 *
 * come three rules:
 *
 *     0   object: kind -> rule 1, n -> rule 2, both required
 *     1   literal: the trie of "in" and "out", with their quotes
 *     2   literal: null      number: whole, 5 and up
 *
 * HOW  A rule starts as a list of wants: schemas that apply to the value at
 * once. intersect.c follows $ref, allOf, anyOf and the like until only plain
 * keywords are left. A choice (anyOf above) makes several lists, each of which
 * adds ways to the same rule. For members and items grammar_rule finds a rule
 * with the same wants or appends one, so the loop in compile() ends when
 * nothing is new, and a recursive schema is a rule that refers to itself.
 *
 * WHY SO  Listed values (enum, const, true, null) are validated before they go
 * into the trie, so all other keywords are enforced for them without code here.
 * What no trie, range or DFA can enforce goes to the notes: it is checked after
 * generation, and `platen schema check` reports it. Nothing beyond the schema
 * is enforced except the LIMITS and CHOICES of grammar_rules.h.
 */
#include "vlm/grammar/grammar_build.h"

#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

/* CHECK_STEPS_MAX limits validation during compilation to some seconds. */
enum { REPORT_MOST = 1 << 20, CHECK_STEPS_MAX = 20000000 };

/* Fails at the keyword that exceeds the limit of the tries. */
static bool within_limits(struct build *b, const cJSON *schema,
                          const char *keyword)
{
    if (err_failed(b->err) || schema_stopped(b->schema, b->err)) return false;
    if (b->g->n_literal <= GRAMMAR_LITERAL_MAX) return true;
    return notes_refuse(&b->notes, schema, keyword,
                        "the keys and listed values exceed 2,000,000 bytes",
                        b->err);
}

static void add_literal(struct build *b, const struct intersect *from,
                        int *root, const cJSON *value)
{
    if (!intersect_admit(b->schema, from, value, &b->budget)) return;
    struct buf text = buf_limit(GRAMMAR_LITERAL_MAX);
    json_print(&text, value, 0);
    grammar_literal(b->g, root, buf_span(&text), 0, 0);
    buf_free(&text);
}

/* Adds listed values: enum, const, true, false, null. Each is validated first,
 * so that all other keywords are enforced too. */
static void add_literals(struct build *b, const struct intersect *from,
                         const struct intersect *w, int *root)
{
    static const int constant[] = {cJSON_NULL, cJSON_True, cJSON_False};
    const cJSON *schema, *values = grammar_listed_values(w, &schema);
    if (values && !strcmp(values->string, "const")) {
        add_literal(b, from, root, values);
        within_limits(b, schema, "const");
        return;
    }
    for (const cJSON *v = values ? values->child : NULL; v; v = v->next) {
        add_literal(b, from, root, v);
        if (!within_limits(b, schema, "enum")) return;
    }
    unsigned types = grammar_types(w);
    for (int i = 0; i < 3 && !values; i++) {
        cJSON value = {.type = constant[i]};
        if (types & (i == 0 ? TYPE_NULL : TYPE_BOOLEAN))
            add_literal(b, from, root, &value);
    }
}

/* {"not": {"pattern": ...}} can be enforced if the value must be a string. */
static bool is_excluded_pattern(const cJSON *excluded, unsigned types)
{
    return types == TYPE_TEXT && json_get(excluded, "pattern") &&
           !excluded->child->next;
}

/* A "not" of more than a type is only enforced for listed values. */
static void note_not(struct build *b, const struct intersect *w, unsigned types)
{
    for (int i = 0; i < w->n; i++) {
        const cJSON *schema = w->want[i].schema;
        const cJSON *excluded = json_get(schema, "not");
        bool is_type = excluded && excluded->child && !excluded->child->next &&
                       !strcmp(excluded->child->string, "type");
        if (w->want[i].kind == WANT_SCHEMA && excluded && !is_type &&
            !cJSON_IsFalse(excluded) && !is_excluded_pattern(excluded, types))
            notes_add(&b->notes, schema, "not", "the excluded values");
        if (w->want[i].kind == WANT_NOT)
            notes_add(&b->notes, schema, "if", "that its condition is false");
    }
}

/* Is no value admitted ("not": true or "not": {})? */
static bool admits_nothing(const struct intersect *w)
{
    for (int i = 0; i < w->n; i++) {
        const cJSON *excluded = json_get(w->want[i].schema, "not");
        if (w->want[i].kind == WANT_SCHEMA && excluded &&
            (cJSON_IsTrue(excluded) ||
             (cJSON_IsObject(excluded) && !excluded->child)))
            return true;
    }
    return false;
}

static void make_rule(struct build *b, int id)
{
    const struct intersect *from = &b->wants[id];
    struct rule rule = {0};
    struct ways ways = intersect_expand(b->schema, from, &b->notes, b->scratch,
                                        &b->budget, b->err);
    int root = 0;
    for (int i = 0; i < ways.n && !err_failed(b->err); i++) {
        const struct intersect *w = &ways.wants[i];
        if (admits_nothing(w)) continue;
        add_literals(b, from, w, &root);
        const cJSON *schema;
        if (grammar_listed_values(w, &schema)) continue;
        unsigned types = grammar_types(w);
        if (types & (unsigned)~(TYPE_NULL | TYPE_BOOLEAN))
            note_not(b, w, types);
        if (types & TYPE_TEXT) grammar_add_text(b, &rule, w);
        if (types & TYPE_NUMBER) grammar_add_number(b, &rule, w, types);
        if (types & TYPE_LIST) grammar_add_list(b, &rule, w);
        if (types & TYPE_OBJECT) grammar_add_object(b, &rule, w);
    }
    if (root) grammar_way(b, &rule, WAY_LITERAL)->literal = root;
    b->g->rule[id] = rule;
}

static void note_unique(struct build *b)
{
    const struct grammar *g = b->g;
    for (int i = 0; i < g->n_rule; i++) {
        for (int j = 0; j < g->rule[i].n_way; j++) {
            const struct way *way = &g->rule[i].way[j];
            if (way->kind == WAY_LIST && way->list.unique &&
                way->list.item >= 0 && !g->rule[way->list.item].leaf)
                notes_add(&b->notes, way->list.schema, "uniqueItems",
                          "that arrays and objects are unique");
        }
    }
}

/* Finds a rule without ways: `rule` itself or one that it requires; -1 if
 * there is none. `seen` has an entry for each rule. */
static int find_empty_rule(const struct grammar *g, int rule, bool *seen)
{
    const struct rule *r = &g->rule[rule];
    int found = r->n_way == 0 ? rule : -1;
    if (seen[rule]) return -1;
    seen[rule] = true;
    for (int i = 0; i < r->n_way && found < 0; i++) {
        const struct way *way = &r->way[i];
        if (way->kind == WAY_LIST && way->list.n_min > 0 &&
            grammar_item(&way->list, 0) >= 0)
            found = find_empty_rule(g, grammar_item(&way->list, 0), seen);
        if (way->kind != WAY_OBJECT) continue;
        for (int k = 0; k < way->object.n_member && found < 0; k++)
            if (way->object.member[k].required)
                found = find_empty_rule(g, way->object.member[k].rule, seen);
    }
    return found;
}

/* The schema that explains why no value can be generated: an object that must
 * have a member neither named nor described, or one that requires a missing
 * reference. */
static const cJSON *find_empty_schema(const struct build *b)
{
    const struct grammar *g = b->g;
    bool *seen = mem_alloc((size_t)g->n_rule, sizeof *seen);
    int rule = find_empty_rule(g, g->root, seen);
    mem_free(seen);
    for (int i = 0; i < g->n_rule && rule < 0; i++)
        if (g->rule[i].n_way == 0 && b->wants[i].n > 0) rule = i;
    return rule >= 0 && b->wants[rule].n > 0 ? b->wants[rule].want[0].schema
                                             : NULL;
}

/* Compiles into `g`; `closed`: without members of free names. */
static void compile(struct grammar *g, const struct schema *schema, bool closed,
                    struct err *err)
{
    struct build *b = arena_alloc(g->arena, sizeof *b);
    *b = (struct build){.schema = schema,
                        .g = g,
                        .notes.schema = schema,
                        .open.schema = schema,
                        .closed = closed,
                        .properties.arena = g->arena,
                        .scratch = arena_new(),
                        .budget = CHECK_STEPS_MAX,
                        .err = err};
    b->wants = arena_array(g->arena, GRAMMAR_RULE_MAX, sizeof *b->wants);
    b->rule_at = arena_array(g->arena, RULE_TABLE_SIZE, sizeof *b->rule_at);
    struct intersect root = {0};
    intersect_add(&root, g->arena,
                  (struct want){WANT_SCHEMA, schema_root(schema), NULL});
    g->root = grammar_rule(b, &root);
    for (int i = 0; i < g->n_rule && !schema_stopped(schema, err); i++) {
        make_rule(b, i);
        arena_reset(b->scratch);
        if (b->budget < 0)
            notes_refuse(&b->notes,
                         b->wants[i].n ? b->wants[i].want[0].schema : NULL, "",
                         "its alternatives take more than 20,000,000 steps to "
                         "check; nest fewer anyOf, oneOf and not",
                         err);
    }
    const cJSON *empty = find_empty_schema(b);
    if (!err_failed(err)) {
        grammar_finish(g);
        note_unique(b);
    }
    if (!err_failed(err)) within_limits(b, NULL, "");
    const char *missing = schema_missing_ref(schema, empty);
    if (!err_failed(err) && g->rule[g->root].height > GRAMMAR_DEPTH_MAX &&
        missing)
        err_reason(err, ERR_CONFIG, "schema-refused", "%s", missing);
    if (!err_failed(err) && g->rule[g->root].height > GRAMMAR_DEPTH_MAX)
        notes_refuse(&b->notes, empty, "",
                     "admits no value that can be generated (members neither "
                     "named nor described are never generated)",
                     err);
    notes_print(&b->notes, &g->report);
    notes_print(&b->open, &g->openings);
    arena_free(b->scratch);
}

static struct grammar *grammar_new(const struct schema *schema)
{
    struct arena *arena = arena_new();
    struct grammar *g = arena_alloc(arena, sizeof *g);
    g->arena = arena;
    g->rule = arena_array(arena, GRAMMAR_RULE_MAX, sizeof *g->rule);
    *MEM_ADD(g->literal, g->n_literal) = (struct literal){0}; /* none */
    g->report = buf_limit(REPORT_MOST);
    g->openings = buf_limit(REPORT_MOST);
    g->schema = *schema_hash(schema);
    return g;
}

struct grammar *grammar_compile(const struct schema *schema, struct err *err)
{
    if (err_failed(err)) return NULL;
    /* a grammar that is too large with all described members can be within the
     * limits with the named ones only */
    for (int closed = 0; closed < 2; closed++) {
        struct err now = {0};
        struct grammar *g = grammar_new(schema);
        compile(g, schema, closed, &now);
        if (!err_failed(&now)) return g;
        grammar_free(g);
        if (closed == 0 && !schema_stopped(schema, err)) continue;
        if (!err_failed(err)) *err = now;
        break;
    }
    return NULL;
}

void grammar_free(struct grammar *g)
{
    if (!g) return;
    mem_free(g->literal);
    buf_free(&g->report);
    buf_free(&g->openings);
    arena_free(g->arena);
}

void grammar_report(const struct grammar *g, struct buf *out)
{
    struct span text = buf_span(&g->report);
    buf_add(out, text.data, text.size);
}

void grammar_openings(const struct grammar *g, struct buf *out)
{
    struct span text = buf_span(&g->openings);
    buf_add(out, text.data, text.size);
}
