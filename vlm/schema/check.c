/* check.c - refuses schemas that contradict themselves, as mistakes of their
 * author; see node.h. Each schema is checked by itself, not in combination
 * with others. An alternative of anyOf or oneOf that no value can satisfy only
 * gets a note. */
#include "vlm/base/number.h"
#include "vlm/json/json.h"
#include "vlm/schema/dialect.h"
#include "vlm/schema/node.h"

static const cJSON *keyword_value(const struct node *node, enum keyword id)
{
    const struct keyword_rule *rule = node_rule(node, id);
    return rule ? rule->value : NULL;
}

struct schema_pair {
    enum keyword least, most;
    bool may_be_equal;
};

static void check_ranges(const struct node *node, struct err *err)
{
    static const struct schema_pair pair[] = {
        {KEYWORD_MIN_LENGTH, KEYWORD_MAX_LENGTH, true},
        {KEYWORD_MIN_ITEMS, KEYWORD_MAX_ITEMS, true},
        {KEYWORD_MIN_PROPERTIES, KEYWORD_MAX_PROPERTIES, true},
        {KEYWORD_MINIMUM, KEYWORD_MAXIMUM, true},
        {KEYWORD_MINIMUM, KEYWORD_EXCLUSIVE_MAXIMUM, false},
        {KEYWORD_EXCLUSIVE_MINIMUM, KEYWORD_MAXIMUM, false},
        {KEYWORD_EXCLUSIVE_MINIMUM, KEYWORD_EXCLUSIVE_MAXIMUM, false}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        const cJSON *a = keyword_value(node, pair[i].least);
        const cJSON *b = keyword_value(node, pair[i].most);
        if (!a || !b) continue;
        int c = number_compare(json_number(a), json_number(b));
        if (c > 0 || (c == 0 && !pair[i].may_be_equal))
            node_refuse(node, err,
                        "\"%s\" %s and \"%s\" %s contradict each other",
                        keyword_name(pair[i].least), json_number(a),
                        keyword_name(pair[i].most), json_number(b));
    }
}

static void check_values(const struct node *node, struct err *err)
{
    const cJSON *type = keyword_value(node, KEYWORD_TYPE);
    const cJSON *list = keyword_value(node, KEYWORD_ENUM);
    const cJSON *only = keyword_value(node, KEYWORD_CONST);
    if (only && type && !keyword_type_fits(type, only))
        node_refuse(node, err, "\"const\" and \"type\" contradict each other");
    if (!list) return;
    bool fits = false, holds_only = !only;
    for (const cJSON *v = list->child; v; v = v->next) {
        fits |= !type || keyword_type_fits(type, v);
        holds_only |= only && json_equal(v, only);
    }
    if (!list->child) return; /* odd, but allowed */
    if (!fits)
        node_refuse(node, err, "\"enum\" and \"type\" contradict each other");
    else if (!holds_only)
        node_refuse(node, err, "\"const\" is not in \"enum\"");
}

static bool is_false(const struct keyword_rule *rule)
{
    return rule && cJSON_IsFalse(rule->value);
}

static bool is_long(const cJSON *list)
{
    int n = 0;
    for (const cJSON *x = list ? list->child : NULL; x && n < 16; x = x->next)
        n++;
    return n == 16;
}

/* Finds members by name: by search in a short object, else in a table. */
struct member_finder {
    const cJSON *object;
    struct arena *arena; /* NULL: no table */
    struct text_table table;
};

static struct member_finder new_finder(const cJSON *object)
{
    struct member_finder f = {.object = object};
    if (!is_long(object)) return f;
    f.arena = arena_new();
    for (cJSON *x = object->child; x; x = x->next)
        text_table_put(&f.table, f.arena, x->string, x);
    return f;
}

static const cJSON *find_member(const struct member_finder *f, const char *name)
{
    return f->arena ? text_table_find(&f->table, name)
                    : json_get(f->object, name);
}

static void check_required(const struct node *node, struct err *err)
{
    const cJSON *names = keyword_value(node, KEYWORD_REQUIRED);
    const cJSON *most = keyword_value(node, KEYWORD_MAX_PROPERTIES);
    if (!names) return;
    if (most && number_whole(json_number(most), 0, INT32_MAX) <
                    cJSON_GetArraySize(names))
        node_refuse(node, err,
                    "\"required\" and \"maxProperties\" contradict each other");
    const cJSON *known = keyword_value(node, KEYWORD_PROPERTIES);
    bool closed = is_false(node_rule(node, KEYWORD_ADDITIONAL_PROPERTIES)) &&
                  !node_rule(node, KEYWORD_PATTERN_PROPERTIES);
    struct member_finder member = new_finder(known);
    for (const cJSON *name = names->child; name; name = name->next) {
        const cJSON *property = find_member(&member, name->valuestring);
        if (property ? cJSON_IsFalse(property) : closed)
            node_refuse(node, err,
                        "\"%s\" is required and forbidden at the same time",
                        name->valuestring);
    }
    arena_free(member.arena);
}

/* Is it one of several alternatives (anyOf, oneOf)? */
static bool is_alternative(const struct node *node)
{
    const char *index = strrchr(node->pointer, '/');
    if (!index || !index[1] || index[1 + strspn(index + 1, "0123456789")])
        return false;
    size_t n = (size_t)(index - node->pointer);
    return n >= 6 && (!strncmp(index - 6, "/anyOf", 6) ||
                      !strncmp(index - 6, "/oneOf", 6));
}

/* Is it a keyword that asserts something? */
static bool asserts(const char *name)
{
    const struct keyword_row *row = keyword_find(name);
    return row && row->id < KEYWORD_ID;
}

/* Notes keywords that the schema's draft ignores and a later one would assert:
 * the author probably expects them to work. */
static void note_aside(struct schema *s, const struct node *node)
{
    for (const cJSON *box = node->json->child; box; box = box->next) {
        const char *why = dialect_why_aside(box);
        for (const cJSON *v = why ? box->child : NULL; v; v = v->next)
            if (asserts(v->string) && s->n_note < SCHEMA_NOTE_MAX)
                s->note[s->n_note++] = arena_text(
                    s->arena, "%s#%s: \"%s\" %s", node->resource->source->name,
                    node->pointer, v->string, why);
    }
}

static bool has_nul(const char *text)
{
    return text && strstr(text, "\xc0\x80"); /* U+0000 (json.h) */
}

bool check_names_nul(const cJSON *json)
{
    if (has_nul(json->string)) return true;
    if (cJSON_IsString(json)) return has_nul(json->valuestring);
    for (const cJSON *child = json->child; child; child = child->next)
        if (check_names_nul(child)) return true;
    return false;
}

/* Does the keyword require or allow a text with U+0000? */
static bool requires_nul(const struct keyword_rule *rule)
{
    const cJSON *name = NULL;
    enum keyword id = rule->id;
    if (id == KEYWORD_REQUIRED || id == KEYWORD_ENUM || id == KEYWORD_CONST)
        return check_names_nul(rule->value);
    if (id != KEYWORD_PROPERTIES) return false;
    cJSON_ArrayForEach(name, rule->value)
    {
        if (has_nul(name->string)) return true;
    }
    return false;
}

/* Records are strict JSON without U+0000, and XML cannot represent it. */
static void check_nul(const struct node *node, struct err *err)
{
    for (int i = 0; i < node->n_rule; i++)
        if (requires_nul(&node->rule[i]))
            node_refuse(
                node, err,
                "\"%s\" contains U+0000 (\\u0000), which records cannot "
                "hold: remove it",
                keyword_name(node->rule[i].id));
}

static void check_node(struct schema *s, const struct node *node,
                       struct err *err)
{
    if (!s->options.lenient) note_aside(s, node);
    if (s->options.for_generation) check_nul(node, err);
    struct err own = {0};
    check_ranges(node, &own);
    check_values(node, &own);
    check_required(node, &own);
    if (!err_failed(&own)) return;
    if (!is_alternative(node))
        *err = own;
    else if (s->n_note < SCHEMA_NOTE_MAX)
        s->note[s->n_note++] = arena_text(
            s->arena, "%s: this alternative can never match", own.text);
}

void check_schema(struct schema *s, struct err *err)
{
    for (const struct node *n = s->node; n && !err_failed(err); n = n->next)
        check_node(s, n, err);
}
