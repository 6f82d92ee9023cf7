/* plan.c - see plan.h. */
#include "stages/long/plan/plan.h"

#include "stages/long/plan/merge_all_of.h"
#include "stages/long/plan/reachable_arrays.h"
#include "stages/long/plan/relax_schema.h"
#include "vlm/base/arena.h"
#include "vlm/json/json_pointer.h"

enum { DEPTH_MAX = 32, POINTER_MAX = 1 << 16 };
enum { SHORT_LIST = 20 }; /* values that one look at a document gives */
enum { HEADER_CHARS = 200 };
/* A recursive object is opened once more (a section's sections), and this many in all;
 * their other members are read whole. */
enum { WITHIN_MAX = 2, OPENED_MAX = 1000 };
enum { WITHIN_DEPTH_MAX = 3 }; /* objects between a row and its tables */
enum { KEY_TOKENS = 3, LEAF_TOKENS = 7, ITEM_KEYS_MAX = 1000 };

/* The schema of a page's answer while it is made. */
struct draft {
    struct plan *plan;
    bool scalars; /* values beside the rows are asked for */
    bool outline;
    bool keep; /* the arrays met are the plan's */
    struct buf pointer, window;
    struct reachable_arrays *reach;
    int n_array, n_opened;
    const cJSON *within[DEPTH_MAX + 1]; /* objects, from the root on */
};

/* --- what a node is ------------------------------------------------------- */

static bool is_object(const cJSON *node)
{
    return json_get(node, "properties") &&
           (schema_is_type(node, "object") || !json_get(node, "type"));
}

/* The node's "x-platen-read", or NULL; beside a "$ref" it overrides that of the
 * target. */
static const char *said_of(const cJSON *node, const cJSON *resolved)
{
    const char *said = json_get_text(node, "x-platen-read");
    return said ? said : json_get_text(resolved, "x-platen-read");
}

static bool is_whole(const cJSON *node, const cJSON *resolved)
{
    const char *said = said_of(node, resolved);
    return said && !strcmp(said, "whole");
}

/* Whether the array grows with the document. */
static bool is_rows(const struct plan *plan, const cJSON *node,
                    const cJSON *resolved)
{
    if (!schema_is_type(resolved, "array") || json_get(resolved, "prefixItems"))
        return false;
    const char *said = said_of(node, resolved);
    if (said) return !strcmp(said, "rows");
    const cJSON *item = json_get(resolved, "items");
    if (!item) return false;
    if (plan->lists || is_object(schema_follow_nullable(plan->source, item)))
        return true;
    const cJSON *most = json_get(resolved, "maxItems");
    return !most || most->valuedouble > SHORT_LIST;
}

/* Whether it is a table within a row, not a list of values or a short list. */
static bool is_rows_within(const struct plan *plan, const cJSON *node,
                           const cJSON *resolved)
{
    const cJSON *most = json_get(resolved, "maxItems");
    const cJSON *item = json_get(resolved, "items");
    if (!is_rows(plan, node, resolved)) return false;
    if (said_of(node, resolved)) return true;
    return is_object(schema_follow_nullable(plan->source, item)) &&
           (!most || most->valuedouble > SHORT_LIST);
}

/* An object that is opened in search of rows. */
static bool may_open(const cJSON *node, const cJSON *resolved)
{
    return is_object(resolved) && !is_whole(node, resolved);
}

/* Whether the object has rows among its members, at any depth. */
static bool looks_for_rows(void *arg, const cJSON *object)
{
    struct draft *d = arg;
    const cJSON *p = NULL;
    cJSON_ArrayForEach(p, json_get(object, "properties"))
    {
        const cJSON *r = schema_follow_nullable(d->plan->source, p);
        if (is_rows(d->plan, p, r)) return true;
        if (may_open(p, r) && reachable_arrays_add(d->reach, r)) return true;
    }
    return false;
}

/* Whether the member is an object, `depth` objects deep, whose rows are read. */
static bool opens(struct draft *d, const cJSON *node, const cJSON *resolved,
                  int depth)
{
    int within = 0;
    for (int i = 0; i <= depth; i++)
        within += d->within[i] == resolved;
    return may_open(node, resolved) && depth < DEPTH_MAX &&
           within < WITHIN_MAX && d->n_opened < OPENED_MAX &&
           reachable_arrays_holds(d->reach, resolved, looks_for_rows, d);
}

/* --- the schema of a window ----------------------------------------------- */

/* "lines_header", with more underscores if the schema has that name. */
static const char *free_key(struct draft *d, const cJSON *taken,
                            const char *key, const char *tail)
{
    const char *name =
        arena_text(d->plan->arena, "%s_%s", *key ? key : "rows", tail);
    while (json_get(taken, name))
        name = arena_text(d->plan->arena, "%s_", name);
    return name;
}

static const char *pointer_with(struct draft *d, const char *key)
{
    size_t size = d->window.size;
    json_pointer_add(&d->window, key);
    const char *text = arena_copy(d->plan->arena, buf_span(&d->window));
    buf_cut(&d->window, size);
    return text;
}

static void require(cJSON *object, const char *key)
{
    cJSON *required = cJSON_GetObjectItemCaseSensitive(object, "required");
    if (!required) required = cJSON_AddArrayToObject(object, "required");
    if (!relax_schema_is_required(object, key))
        cJSON_AddItemToArray(required, cJSON_CreateString(key));
}

/* Adds "<key>_header" and "<key>_continues" of the array `a` to `properties`. Neither is
 * required: without a grammar a model may omit them. */
static void add_marks(struct draft *d, struct plan_array *a, cJSON *properties,
                      const cJSON *taken, const char *key)
{
    const char *header = free_key(d, taken, key, "header");
    const char *continues = free_key(d, taken, key, "continues");
    cJSON *text = cJSON_AddObjectToObject(properties, header);
    cJSON *type = cJSON_AddArrayToObject(text, "type");
    cJSON_AddItemToArray(type, cJSON_CreateString("string"));
    cJSON_AddItemToArray(type, cJSON_CreateString("null"));
    cJSON_AddItemToObject(text, "maxLength", json_new_integer(HEADER_CHARS));
    cJSON_AddStringToObject(text, "description",
                            "Head of the table on this page, as printed");
    cJSON *flag = cJSON_AddObjectToObject(properties, continues);
    cJSON_AddStringToObject(flag, "type", "boolean");
    cJSON_AddStringToObject(flag, "description",
                            "The first of these is the rest of one that began "
                            "on the page before");
    a->header = pointer_with(d, header);
    a->continues = pointer_with(d, continues);
}

/* Adds an array to the plan, and its two members to `object`. */
static void add_array(struct draft *d, struct plan_array *a, const char *key,
                      cJSON *object, const cJSON *taken)
{
    if (!d->outline)
        add_marks(d, a, cJSON_GetObjectItemCaseSensitive(object, "properties"),
                  taken, key);
    if (d->keep) d->plan->array[d->plan->n_array++] = *a;
    d->n_array++;
}

/* Adds the tables that rows of `outer` hold, at `within` of such a row, whose schema
 * is `node`. */
static void add_within(struct draft *d, const struct plan_array *outer,
                       const cJSON *node, const char *within, const char *key,
                       cJSON *object, const cJSON *taken, int depth)
{
    struct plan *plan = d->plan;
    const cJSON *p = NULL;
    cJSON_ArrayForEach(p, json_get(node, "properties"))
    {
        const cJSON *r = schema_follow_nullable(plan->source, p);
        struct buf at = buf_limit(POINTER_MAX);
        buf_add_text(&at, within);
        json_pointer_add(&at, p->string);
        const char *here = arena_copy(plan->arena, buf_span(&at));
        const char *name = arena_text(plan->arena, "%s_%s", key, p->string);
        buf_free(&at);
        if (may_open(p, r) && depth < WITHIN_DEPTH_MAX)
            add_within(d, outer, r, here, name, object, taken, depth + 1);
        if (d->n_array >= PLAN_ARRAY_MAX - 1 || !is_rows_within(plan, p, r))
            continue;
        struct plan_array a = {
            .pointer = arena_text(plan->arena, "%s/*%s", outer->pointer, here),
            .window = arena_text(plan->arena, "%s/*%s", outer->window, here),
            .within = here,
            .of = -1,
            .item = json_get(r, "items")};
        add_array(d, &a, name, object, taken);
    }
}

/* The array's node in a page's answer; its two members precede it in `object`. */
static cJSON *window_array(struct draft *d, const cJSON *node, const char *key,
                           cJSON *object, const cJSON *taken)
{
    struct plan *plan = d->plan;
    struct plan_array a = {
        .pointer = arena_copy(plan->arena, buf_span(&d->pointer)),
        .window = pointer_with(d, *key ? key : "rows"),
        .of = -1,
        .item = json_get(node, "items"),
    };
    int first = plan->n_array;
    const cJSON *item = schema_follow_nullable(plan->source, a.item);
    if (!d->outline && is_object(item))
        add_within(d, &a, item, "", *key ? key : "rows", object, taken, 0);
    add_array(d, &a, key, object, taken);
    for (int i = first; d->keep && i < plan->n_array - 1; i++)
        plan->array[i].of = plan->n_array - 1;
    cJSON *copy = cJSON_Duplicate(node, true);
    relax_schema(copy);
    cJSON_DeleteItemFromObjectCaseSensitive(copy, "maxItems");
    return copy;
}

/* An object without members. It is open: nothing else is generated, and additional
 * members from an endpoint do no harm. */
static cJSON *bare_object(const cJSON *node)
{
    cJSON *object = cJSON_CreateObject();
    const char *said = json_get_text(node, "description");
    if (said) cJSON_AddStringToObject(object, "description", said);
    cJSON_AddStringToObject(object, "type", "object");
    return object;
}

/* All keywords of the node but its members. */
static cJSON *copied_object(const cJSON *node)
{
    cJSON *object = cJSON_CreateObject();
    const cJSON *k = NULL;
    cJSON_ArrayForEach(k, node)
    {
        if (strcmp(k->string, "properties") != 0 &&
            strcmp(k->string, "$defs") != 0)
            cJSON_AddItemToObject(object, k->string, cJSON_Duplicate(k, true));
    }
    relax_schema(object);
    return object;
}

static cJSON *window_object(struct draft *d, const cJSON *node, int depth);

static void add_member(struct draft *d, cJSON *object, const cJSON *p,
                       const cJSON *taken, int depth)
{
    const struct schema *s = d->plan->source;
    const cJSON *r = schema_follow_nullable(s, p);
    cJSON *properties = cJSON_GetObjectItemCaseSensitive(object, "properties");
    cJSON *child = NULL;
    size_t at = d->pointer.size, in = d->window.size;
    json_pointer_add(&d->pointer, p->string);
    bool room = d->n_array < PLAN_ARRAY_MAX, list = is_rows(d->plan, p, r);
    bool rows = room && (list || opens(d, p, r, depth));
    if (rows && !list) {
        json_pointer_add(&d->window, p->string);
        child = window_object(d, r, depth + 1);
    } else if (rows) {
        child = window_array(d, r, p->string, object, taken);
    } else if (d->scalars) {
        child = cJSON_Duplicate(p, true);
        relax_schema_member(child);
        if (d->keep) d->plan->has_scalars = true;
    }
    buf_cut(&d->pointer, at);
    buf_cut(&d->window, in);
    if (!child) return;
    cJSON_AddItemToObject(properties, p->string, child);
    if (rows || !d->scalars) require(object, p->string);
}

/* An object on the way to rows, or the root. */
static cJSON *window_object(struct draft *d, const cJSON *node, int depth)
{
    cJSON *object = d->scalars ? copied_object(node) : bare_object(node);
    const cJSON *p = NULL, *taken = json_get(node, "properties");
    d->within[depth] = node;
    d->n_opened++;
    cJSON_AddObjectToObject(object, "properties");
    cJSON_ArrayForEach(p, taken) add_member(d, object, p, taken, depth);
    return object;
}

/* The document is an array of rows: an object around it has the two members. */
static cJSON *window_list(struct draft *d, const cJSON *node)
{
    cJSON *object = bare_object(node);
    cJSON *properties = cJSON_AddObjectToObject(object, "properties");
    cJSON *rows = window_array(d, node, "", object, NULL);
    cJSON_AddItemToObject(properties, "rows", rows);
    require(object, "rows");
    return object;
}

/* The array that is the whole document, or NULL. */
static const cJSON *only_array(const struct plan *plan, const cJSON *root)
{
    const cJSON *properties = json_get(root, "properties");
    if (is_rows(plan, root, root)) return root;
    if (!is_object(root) || is_whole(root, root) ||
        cJSON_GetArraySize(properties) != 1)
        return NULL;
    const cJSON *r = schema_follow_nullable(plan->source, properties->child);
    return is_rows(plan, properties->child, r) ? r : NULL;
}

/* The source's own definitions, for its references. */
static void add_definitions(const struct plan *plan, cJSON *root)
{
    static const char *const defs[] = {"$defs", "definitions"};
    const cJSON *source = schema_root(plan->source);
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
        const cJSON *own = json_get(source, defs[i]);
        if (!own) continue;
        cJSON_DeleteItemFromObjectCaseSensitive(root, defs[i]);
        cJSON_AddItemToObject(root, defs[i], cJSON_Duplicate(own, true));
    }
}

static void relax_all_definitions(cJSON *root)
{
    relax_schema_definitions(cJSON_GetObjectItemCaseSensitive(root, "$defs"));
    relax_schema_definitions(
        cJSON_GetObjectItemCaseSensitive(root, "definitions"));
}

/* `root` is freed. */
static struct schema *parse_window(const struct plan *plan, cJSON *root,
                                   const char *what, struct err *err)
{
    const char *name =
        arena_text(plan->arena, "%s-%s", schema_name(plan->source), what);
    struct schema *s = schema_of_tree(root, name, plan->source, err);
    err_context(err, "what a page is asked for");
    cJSON_Delete(root);
    return s;
}

static struct schema *draft_window(struct plan *plan, bool scalars,
                                   bool outline, bool keep, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct draft d = {.plan = plan,
                      .scalars = scalars,
                      .outline = outline,
                      .keep = keep,
                      .pointer = buf_limit(POINTER_MAX),
                      .window = buf_limit(POINTER_MAX),
                      .reach = reachable_arrays_new(plan->arena)};
    const cJSON *root =
        schema_follow_nullable(plan->source, schema_root(plan->source));
    cJSON *window = NULL;
    if (is_rows(plan, schema_root(plan->source), root)) {
        window = window_list(&d, root);
    } else if (is_object(root) && !is_whole(root, root)) {
        window = window_object(&d, root, 0);
    } else {
        window = cJSON_Duplicate(root, true);
        relax_schema(window);
        plan->has_scalars = true;
    }
    buf_free(&d.pointer);
    buf_free(&d.window);
    add_definitions(plan, window);
    relax_all_definitions(window);
    return parse_window(plan, window, scalars ? "page" : "rows", err);
}

/* A model that knows only keys is asked for one row a page if the document is an array,
 * else for all values of every page; nothing is relaxed, since it knows whole pages. */
static void plan_outline(struct plan *plan, struct err *err)
{
    const cJSON *root =
        schema_follow_nullable(plan->source, schema_root(plan->source));
    const cJSON *only = only_array(plan, root);
    const cJSON *item = only ? json_get(only, "items") : NULL;
    schema_free(draft_window(plan, true, true, true, err));
    plan->row_is_page =
        item && is_object(schema_follow_nullable(plan->source, item));
    plan->first = plan->source;
    if (err_failed(err) || !plan->row_is_page) return;
    cJSON *row =
        cJSON_Duplicate(schema_follow_nullable(plan->source, item), true);
    add_definitions(plan, row);
    plan->first = plan->page = parse_window(plan, row, "row", err);
}

static void make(struct plan *plan, bool outline, struct err *err)
{
    if (outline) {
        plan_outline(plan, err);
        return;
    }
    plan->first = plan->page = draft_window(plan, true, false, true, err);
    if (plan->n_array && plan->has_scalars)
        plan->rows = draft_window(plan, false, false, false, err);
}

struct plan *plan_new(const struct schema *schema, bool outline,
                      struct err *err)
{
    if (err_failed(err)) return NULL;
    struct plan *plan = mem_alloc(1, sizeof *plan);
    plan->arena = arena_new();
    plan->gathered = schema_bundled(schema);
    plan->source = plan->gathered ? plan->gathered : schema;
    plan->joined = merge_all_of_joined(plan->source);
    if (plan->joined) plan->source = plan->joined;
    make(plan, outline, err);
    if (!err_failed(err) && !plan->n_array) {
        /* every page is asked for all values: short lists are joined, too */
        schema_free(plan->page);
        plan->page = NULL;
        plan->lists = true;
        plan->has_scalars = false;
        make(plan, outline, err);
    }
    if (!err_failed(err)) return plan;
    plan_free(plan);
    return NULL;
}

void plan_free(struct plan *plan)
{
    if (!plan) return;
    schema_free(plan->page);
    schema_free(plan->rows);
    schema_free(plan->joined);
    schema_free(plan->gathered);
    arena_free(plan->arena);
    mem_free(plan);
}

/* --- for people, and estimates -------------------------------------------- */

static int node_tokens(const struct schema *s, const cJSON *node, int depth,
                       int *budget)
{
    const cJSON *r = schema_follow_nullable(s, node), *p = NULL;
    if (depth > DEPTH_MAX || --*budget < 0) return 0;
    if (!is_object(r)) {
        const cJSON *item = json_get(r, "items");
        return item ? 2 + node_tokens(s, item, depth + 1, budget) : LEAF_TOKENS;
    }
    int n = 2;
    cJSON_ArrayForEach(p, json_get(r, "properties"))
    {
        n += KEY_TOKENS + (int)strlen(p->string) / 4 +
             node_tokens(s, p, depth + 1, budget);
    }
    return n;
}

int plan_row_tokens(const struct plan *plan)
{
    int most = 0, budget = ITEM_KEYS_MAX;
    for (int i = 0; i < plan->n_array; i++) {
        if (!plan->array[i].item) continue;
        int n = node_tokens(plan->source, plan->array[i].item, 0, &budget);
        if (n > most) most = n;
    }
    return most;
}

void plan_print(const struct plan *plan, struct buf *out)
{
    for (int i = 0; i < plan->n_array; i++)
        buf_print(out, "rows   %-24s every page, in order\n",
                  *plan->array[i].pointer ? plan->array[i].pointer : "/");
    if (plan->row_is_page) buf_add_text(out, "       a page is one row\n");
    if (!plan->n_array)
        buf_add_text(out, "whole  everything               every page\n");
    else if (plan->has_scalars)
        buf_add_text(out, "whole  everything else          the first page, the "
                          "last, and those whose text fits best\n");
}
