/* checks_read.c - reads the checks of a schema (checks.h). */
#include <stdio.h>

#include "stages/confidence/checks_inside.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

size_t checks_inside_star(const char *pointer)
{
    const char *at = strstr(pointer, "/*");
    while (at && at[2] && at[2] != '/')
        at = strstr(at + 2, "/*");
    return at ? (size_t)(at - pointer) + 1 : 0;
}

bool checks_inside_same_array(const struct term *a, const struct term *b)
{
    return a->array_size == b->array_size &&
           !memcmp(a->pointer, b->pointer, a->array_size);
}

struct checks_reader {
    struct checks *c;
    struct err *err;
    int number; /* current check, from 0 */
};

static void refuse_check(struct checks_reader *r, const char *what,
                         const char *name)
{
    err_reason(r->err, ERR_CONFIG, "schema-refused",
               "schema %s: x-platen-check/%d: %s%s%s%s",
               schema_name(r->c->schema), r->number, what, *name ? " \"" : "",
               name, *name ? "\"" : "");
}

/* Can the node's values have members that its properties do not name? Members
 * that are merely not forbidden do not count: they are never generated, and a
 * pointer to one is a typing error. */
static bool allows_more(const cJSON *node)
{
    static const char *const says[] = {"additionalProperties",
                                       "patternProperties",
                                       "allOf",
                                       "anyOf",
                                       "oneOf",
                                       "then",
                                       "else"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        const cJSON *more = json_get(node, says[i]);
        if (more && !cJSON_IsFalse(more)) return true;
    }
    return false;
}

/* Does the pointer lead to something that can be a number? */
static bool can_be_number(const struct schema *s, const char *pointer,
                          struct arena *arena)
{
    struct span token;
    const cJSON *node = schema_follow_nullable(s, schema_root(s));
    while (json_pointer_next(&pointer, &token)) {
        const char *key = json_pointer_text(token, arena);
        bool star = !strcmp(key, "*");
        const cJSON *next = star ? json_get(node, "items")
                                 : json_get(json_get(node, "properties"), key);
        if (!next) return !star && allows_more(node);
        node = schema_follow_nullable(s, next);
    }
    const char *type = json_get_text(node, "type");
    return !*pointer &&
           !(type && (!strcmp(type, "object") || !strcmp(type, "array") ||
                      !strcmp(type, "boolean")));
}

static struct term read_term(struct checks_reader *r, const cJSON *json)
{
    struct term t = {.pointer = "", .name = ""};
    if (err_failed(r->err)) return t;
    if (!cJSON_IsString(json)) {
        refuse_check(r, "takes JSON pointers", "");
        return t;
    }
    t.minus = *json->valuestring == '-';
    t.pointer = json->valuestring + t.minus;
    const char *slash = strrchr(t.pointer, '/');
    t.name = slash ? slash + 1 : t.pointer;
    t.array_size = checks_inside_star(t.pointer);
    if (!can_be_number(r->c->schema, t.pointer, r->c->arena))
        refuse_check(r, "the schema has no number at", t.pointer);
    return t;
}

static bool is_optional(const cJSON *optional, const struct term *t)
{
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, optional)
    {
        if (cJSON_IsString(each) && !strcmp(each->valuestring, t->pointer))
            return true;
    }
    return false;
}

static void read_terms(struct checks_reader *r, struct sum_check *check,
                       const cJSON *terms, const cJSON *optional)
{
    const cJSON *each = cJSON_IsArray(terms) ? terms->child : terms;
    for (; each && !err_failed(r->err);
         each = cJSON_IsArray(terms) ? each->next : NULL) {
        if (check->n_term == TERM_MAX) {
            refuse_check(r, "has more than 16 terms", "");
            return;
        }
        struct term *t = &check->term[check->n_term++];
        *t = read_term(r, each);
        t->optional = is_optional(optional, t);
    }
    if (!check->n_term) refuse_check(r, "has no terms", "");
}

/* Are the stars of the pointers compatible? */
static void check_stars(struct checks_reader *r, const struct sum_check *check)
{
    if (check->kind == CHECK_RUNNING && !check->equals.array_size)
        refuse_check(r, "a running balance must be in rows, not at",
                     check->equals.pointer);
    for (int i = 0; i < check->n_term && !err_failed(r->err); i++) {
        const struct term *t = &check->term[i];
        bool bound = checks_inside_same_array(t, &check->equals);
        if (t->array_size && !bound &&
            (check->equals.array_size || check->kind != CHECK_SUM))
            refuse_check(r,
                         "is not in the same rows as \"equals\":", t->pointer);
    }
}

static void read_tolerance(struct checks_reader *r, struct sum_check *check,
                           const cJSON *json)
{
    if (!json) return;
    const char *text = cJSON_IsString(json)   ? json->valuestring
                       : cJSON_IsNumber(json) ? json_number(json)
                                              : "";
    if (!exact_sum_read(text, &check->tolerance))
        refuse_check(r, "\"tolerance\" is not a decimal number", "");
}

static void check_keys(struct checks_reader *r, const cJSON *json)
{
    static const char known[] =
        " sum product running from equals tolerance optional ";
    const cJSON *each = NULL;
    int n_kind = !!json_get(json, "sum") + !!json_get(json, "product") +
                 !!json_get(json, "running");
    if (n_kind != 1 || !json_get(json, "equals"))
        refuse_check(r, "needs one of sum, product, running, and equals", "");
    cJSON_ArrayForEach(each, json)
    {
        char key[16];
        int n = snprintf(key, sizeof key, " %s ", each->string);
        if (n >= (int)sizeof key || !strstr(known, key))
            refuse_check(r, "unknown key", each->string);
    }
}

static void read_check(struct checks_reader *r, const cJSON *json)
{
    static const char *const kinds[] = {"sum", "product", "running"};
    struct sum_check *check = &r->c->check[r->c->n_check++];
    const cJSON *terms = NULL, *from = json_get(json, "from");
    check_keys(r, json);
    for (int i = 0; i < 3 && !terms; i++) {
        terms = json_get(json, kinds[i]);
        check->kind = (enum check_kind)i;
    }
    read_terms(r, check, terms, json_get(json, "optional"));
    check->equals = read_term(r, json_get(json, "equals"));
    if (from) check->from = read_term(r, from);
    if (from && (check->kind != CHECK_RUNNING || check->from.array_size))
        refuse_check(r, "\"from\" is only for a running balance, outside rows",
                     "");
    read_tolerance(r, check, json_get(json, "tolerance"));
    if (!err_failed(r->err)) check_stars(r, check);
}

struct checks *checks_new(const struct schema *schema, struct err *err)
{
    if (err_failed(err)) return NULL;
    const cJSON *all = json_get(schema_root(schema), "x-platen-check");
    const cJSON *json = NULL;
    if (!all) return NULL;
    struct checks *c = mem_alloc(1, sizeof *c);
    c->schema = schema;
    c->arena = arena_new();
    c->texts = arena_new();
    struct checks_reader r = {.c = c, .err = err};
    cJSON_ArrayForEach(json, all)
    {
        if (r.number == CHECK_MAX) refuse_check(&r, "more than 64 checks", "");
        if (!err_failed(err)) read_check(&r, json);
        r.number++;
    }
    if (!err_failed(err)) return c;
    checks_free(c);
    return NULL;
}

void checks_free(struct checks *c)
{
    if (!c) return;
    arena_free(c->arena);
    arena_free(c->texts);
    mem_free(c);
}
