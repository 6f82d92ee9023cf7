/* assemble.c - one value from the answers of the pages (long_inside.h). The rows stay
 * in their file; readers of the value get them from there one by one, the same each
 * time (document.h, struct document_rows). */
#include "stages/long/long_inside.h"

#include "stages/ask/auto_rotate.h"
#include "stages/ask/field.h"
#include "stages/long/header_vote.h"
#include "stages/long/plan/relax_schema.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { POINTER_MAX = 1 << 16 };

/* The array at the pointer; creates it and the objects above it. */
static cJSON *make_array(cJSON **root, const char *pointer, struct arena *arena)
{
    struct span token;
    if (!*pointer) {
        cJSON_Delete(*root);
        return *root = cJSON_CreateArray();
    }
    cJSON *at = *root;
    while (json_pointer_next(&pointer, &token)) {
        const char *key = json_pointer_text(token, arena);
        cJSON *next = cJSON_GetObjectItemCaseSensitive(at, key);
        if (next && (!*pointer || !cJSON_IsObject(next))) {
            cJSON_DeleteItemFromObjectCaseSensitive(at, key);
            next = NULL;
        }
        if (!next) {
            next = *pointer ? cJSON_CreateObject() : cJSON_CreateArray();
            cJSON_AddItemToObject(at, key, next);
        }
        at = next;
    }
    return at;
}

static void add_scalar_fields(struct long_document *w)
{
    struct document *doc = w->r->doc;
    const cJSON *entry = NULL, *f = NULL;
    cJSON_ArrayForEach(entry, w->scalars)
    {
        cJSON_ArrayForEach(f, json_get(entry, "fields"))
        {
            struct field *own = document_add_field(doc);
            *own = field_kept(f, doc->arena);
            own->pointer = arena_copy(doc->arena, span_of(own->pointer));
        }
    }
}

/* --- what no page shows ----------------------------------------------------- */

static struct field *field_of(struct document *doc, const char *pointer)
{
    for (int i = 0; i < doc->n_field; i++)
        if (!strcmp(doc->field[i].pointer, pointer)) return &doc->field[i];
    return document_add_field(doc);
}

/* A field for a value that was not read, without any evidence. */
static void tell_default(struct document *doc, const char *pointer)
{
    *field_of(doc, pointer) = (struct field){.pointer = pointer, .p_legal = 1};
    document_warn(
        doc, &(struct warning){.code = WARN_DEFAULT_USED, .pointer = pointer},
        "review %s: no page gives it, it is the schema's default", pointer);
}

/* The schema's default for a member that was not read and cannot be null; NULL: it has
 * no valid one. */
static const cJSON *default_for(const struct schema *s, const cJSON *node)
{
    const cJSON *null = &(cJSON){.type = cJSON_NULL};
    const cJSON *own = json_get(node, "default");
    if (!own) own = json_get(schema_follow(s, node), "default");
    bool fits =
        own && !schema_admits(s, node, null) && schema_admits(s, node, own);
    return fits ? own : NULL;
}

static void fill_defaults(struct long_document *w, const cJSON *node,
                          cJSON *value, struct buf *pointer)
{
    const struct schema *s = w->plan->source;
    const cJSON *p = NULL;
    node = schema_follow_nullable(s, node);
    cJSON_ArrayForEach(p, json_get(node, "properties"))
    {
        cJSON *m = cJSON_GetObjectItemCaseSensitive(value, p->string);
        const cJSON *own = cJSON_IsNull(m) ? default_for(s, p) : NULL;
        size_t size = pointer->size;
        json_pointer_add(pointer, p->string);
        if (cJSON_IsObject(m)) fill_defaults(w, p, m, pointer);
        if (own) {
            cJSON_ReplaceItemInObjectCaseSensitive(value, p->string,
                                                   cJSON_Duplicate(own, true));
            tell_default(w->r->doc,
                         arena_copy(w->r->doc->arena, buf_span(pointer)));
        }
        buf_cut(pointer, size);
    }
}

/* Leaves out optional members, and gives others their default. */
static void finish_scalars(struct long_document *w)
{
    const struct schema *s = w->plan->source;
    struct buf pointer = buf_limit(POINTER_MAX);
    relax_schema_drop_nulls(s, schema_root(s), w->r->doc->data);
    fill_defaults(w, schema_root(s), w->r->doc->data, &pointer);
    buf_free(&pointer);
}

/* --- rows, from their file --------------------------------------------------- */

struct gathered {
    struct document_rows rows;
    struct row_file *file;
    const struct schema *schema;
    const cJSON *value; /* all but the rows */
    struct {
        const cJSON *array; /* in value, empty; NULL for a table within rows */
        const char *pointer, *within;
        int around;     /* the outer array (nested_tables.h), or -1 */
        bool is_around; /* it is an outer array */
        int n_row,
            n_seen;  /* of next_fields; for inner rows, in the outer row */
        cJSON *held; /* the next row */
    } of[PLAN_ARRAY_MAX];
    int n_of;
    int quarter_turns;   /* of the pages, as they were read */
    cJSON *pages;        /* of values that are not rows, by pointer */
    cJSON *row;          /* returned last */
    int index;           /* its index; -1: none */
    struct arena *arena; /* of the fields returned last */
};

static struct gathered *gathered_of(void *rows)
{
    return rows; /* its first row */
}

/* The array of the group, or -1 (for a table within rows). */
static int find_array(const struct gathered *g, const cJSON *group)
{
    int i = 0;
    while (i < g->n_of && (!group || g->of[i].array != group))
        i++;
    return i < g->n_of ? i : -1;
}

static int count_rows(struct json_stream *stream, const cJSON *group)
{
    const struct gathered *g = gathered_of(stream);
    int i = find_array(g, group);
    return i < 0 ? -1 : g->of[i].n_row;
}

/* The next row of the array (-1: of any), or false. Its array is one of the plan. */
static bool next_of_file(struct gathered *g, int array,
                         struct row_file_row *row)
{
    if (!row_file_next(g->file, array, row, &g->rows.err)) return false;
    if (row->array >= 0 && row->array < g->n_of) return true;
    err_set(&g->rows.err, ERR_SYSTEM, "a row of no array was kept");
    return false;
}

/* Adds the tables that preceded their row to it. */
static void put_tables(struct gathered *g, int around)
{
    for (int i = 0; i < g->n_of; i++) {
        cJSON *held = g->of[i].held;
        if (g->of[i].around != around || !held) continue;
        struct arena *arena = arena_new();
        make_array(&g->row, g->of[i].within, arena)->child = held->child;
        held->child = NULL;
        cJSON_Delete(held);
        g->of[i].held = NULL;
        arena_free(arena);
    }
}

/* Keeps an inner row until its outer row comes. */
static void hold(struct gathered *g, int i, cJSON *row)
{
    if (!g->of[i].held) g->of[i].held = cJSON_CreateArray();
    cJSON_AddItemToArray(g->of[i].held, row);
}

/* The array's next row, with the tables in it, or NULL. */
static cJSON *read_row(struct gathered *g, int array)
{
    struct row_file_row line;
    int wanted = g->of[array].is_around ? -1 : array;
    while (next_of_file(g, wanted, &line)) {
        bool inner = g->of[line.array].around == array;
        if (line.array != array && !inner) continue;
        cJSON *row = row_file_value(&line, &g->rows.err);
        if (!inner || !row) return row;
        hold(g, line.array, row);
    }
    return NULL;
}

/* The row in its final form. */
static void finish_row(struct gathered *g, int array)
{
    put_tables(g, array);
    schema_order_member(g->schema, g->value, g->of[array].array, g->index,
                        g->row);
}

static void drop_held(struct gathered *g)
{
    for (int i = 0; i < g->n_of; i++) {
        cJSON_Delete(g->of[i].held);
        g->of[i].held = NULL;
    }
}

static const cJSON *next_row(struct json_stream *stream, const cJSON *group,
                             const cJSON *child)
{
    struct gathered *g = gathered_of(stream);
    int i = find_array(g, group);
    if (i < 0) return child ? child->next : group->child;
    if (!child) {
        row_file_rewind(g->file, &g->rows.err);
        drop_held(g);
        g->index = -1;
    }
    cJSON_Delete(g->row);
    g->row = read_row(g, i);
    g->index++;
    if (g->row) finish_row(g, i);
    return g->row;
}

/* The pointer of the row in the value; advances the count of its array. */
static const char *place_of(struct gathered *g, int i)
{
    int around = g->of[i].around, index = g->of[i].n_seen++;
    if (around >= 0)
        return arena_text(g->arena, "%s/%d%s/%d", g->of[around].pointer,
                          g->of[around].n_seen, g->of[i].within, index);
    for (int k = 0; k < i; k++)
        if (g->of[k].around == i) g->of[k].n_seen = 0;
    return arena_text(g->arena, "%s/%d", g->of[i].pointer, index);
}

static const struct field *next_fields(struct document_rows *rows, bool first,
                                       int *n_field)
{
    struct gathered *g = gathered_of(rows);
    struct row_file_row line;
    arena_reset(g->arena);
    for (int i = 0; first && i < g->n_of; i++)
        g->of[i].n_seen = 0;
    if (first) row_file_rewind(g->file, &rows->err);
    if (!next_of_file(g, -1, &line)) return NULL;
    const char *place = place_of(g, line.array);
    struct field *field = row_file_fields(&line, g->arena, &rows->err);
    for (int i = 0; field && i < line.n_field; i++) {
        field[i].pointer =
            arena_text(g->arena, "%s%s", place, field[i].pointer);
        auto_rotate_evidence(&field[i], g->quarter_turns, g->arena);
    }
    *n_field = line.n_field;
    return field;
}

static bool is_at_or_below(const char *pointer, const char *place)
{
    size_t n = strlen(place);
    return !strncmp(pointer, place, n) && (!pointer[n] || pointer[n] == '/');
}

/* The page of the row that contains the pointer; 0: none does. A row comes after the
 * rows of its tables. */
static int page_of_row(struct gathered *g, const char *pointer)
{
    int page = 0;
    struct row_file_row line;
    row_file_rewind(g->file, &g->rows.err);
    for (int i = 0; i < g->n_of; i++)
        g->of[i].n_seen = 0;
    while (!page && next_of_file(g, -1, &line))
        if (is_at_or_below(pointer, place_of(g, line.array))) page = line.page;
    return page;
}

/* An array that is read whole has one page for all of it. */
static int page_of_value(struct gathered *g, const char *pointer)
{
    char *at = arena_copy(g->arena, span_of(pointer)), *slash;
    const cJSON *page = json_get(g->pages, at);
    while (!page && (slash = strrchr(at, '/'))) {
        *slash = '\0';
        page = json_get(g->pages, at);
    }
    return page ? page->valueint : 0;
}

static int page_of(struct document_rows *rows, const char *pointer)
{
    struct gathered *g = gathered_of(rows);
    int page = page_of_row(g, pointer);
    return page ? page : page_of_value(g, pointer);
}

static void close_rows(struct document_rows *rows)
{
    struct gathered *g = gathered_of(rows);
    cJSON_Delete(g->row);
    drop_held(g);
    cJSON_Delete(g->pages);
    row_file_close(g->file);
    arena_free(g->arena);
    mem_free(g);
}

/* Sets the page on which each value was read, except nulls. */
static cJSON *pages_of(const cJSON *scalars)
{
    cJSON *pages = cJSON_CreateObject();
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, scalars)
    {
        const cJSON *page = json_get(entry, "page");
        if (page && !cJSON_IsNull(json_get(entry, "value")))
            cJSON_AddItemToObject(pages, entry->string,
                                  json_new_integer(page->valueint));
    }
    return pages;
}

/* Owns the file from now on. */
static struct gathered *gathered_new(struct long_document *w)
{
    struct gathered *g = mem_alloc(1, sizeof *g);
    g->rows = (struct document_rows){.stream = {next_row, count_rows},
                                     .next_fields = next_fields,
                                     .page_of = page_of,
                                     .close = close_rows};
    g->file = w->rows;
    g->quarter_turns = w->r->quarter_turns;
    g->pages = pages_of(w->scalars);
    g->arena = arena_new();
    w->rows = NULL;
    return g;
}

static void count_all(struct gathered *g, struct err *err)
{
    struct row_file_row line;
    row_file_rewind(g->file, err);
    while (!err_failed(err) && next_of_file(g, -1, &line))
        g->of[line.array].n_row++;
    if (err_failed(&g->rows.err) && !err_failed(err)) *err = g->rows.err;
}

static void take_array(struct gathered *g, const struct plan_array *a,
                       struct document *doc)
{
    int i = g->n_of;
    g->of[i].around = a->of;
    g->of[i].pointer = arena_copy(doc->arena, span_of(a->pointer));
    if (a->of >= 0) {
        g->of[i].within = arena_copy(doc->arena, span_of(a->within));
        g->of[a->of].is_around = true;
    } else {
        g->of[i].array = make_array(&doc->data, a->pointer, doc->arena);
    }
}

void assemble_value(struct long_document *w)
{
    struct document *doc = w->r->doc;
    if (err_failed(w->r->err)) return;
    document_drop_data(doc);
    doc->n_field = doc->field_capacity = 0;
    doc->data = header_vote_value(w->scalars);
    add_scalar_fields(w);
    finish_scalars(w);
    struct gathered *g = gathered_new(w);
    doc->rows = &g->rows;
    g->schema = doc->schema;
    for (; g->n_of < w->plan->n_array; g->n_of++) {
        const struct plan_array *a = &w->plan->array[g->n_of];
        take_array(g, a, doc);
    }
    g->value = doc->data;
    count_all(g, w->r->err);
}
