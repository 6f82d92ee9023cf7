/* csv.c - see csv.h. */
#include "pipeline/command/csv.h"

#include <string.h>

#include "vlm/base/json.h"

enum { COLUMN_MAX = 2000, PATH_MAX_BYTES = 1024, DEPTH_MAX = 32 };

struct csv {
    struct arena *arena;
    const char *rows;
    const char *column[COLUMN_MAX];
    int n_column;
};

/* A walk over the leaves of a value, by path. */
struct walk {
    const struct csv *csv;
    char path[PATH_MAX_BYTES];
    void (*leaf)(void *arg, const char *path, const cJSON *value);
    void *arg;
};

struct csv *csv_new(const char *rows)
{
    struct csv *c = mem_take(1, sizeof *c);
    c->arena = arena_new();
    c->rows = rows;
    return c;
}

void csv_free(struct csv *c)
{
    if (!c) return;
    arena_free(c->arena);
    mem_give(c);
}

static void walk_value(struct walk *w, const cJSON *value, int depth)
{
    size_t size = strlen(w->path);
    const cJSON *member = NULL;
    if (!cJSON_IsObject(value) || depth == DEPTH_MAX) {
        w->leaf(w->arg, w->path, value);
        return;
    }
    cJSON_ArrayForEach(member, value)
    {
        size_t n = strlen(member->string);
        if (size + n + 2 > sizeof w->path) continue;
        if (size) w->path[size] = '.';
        memcpy(w->path + size + (size > 0), member->string, n + 1);
        walk_value(w, member, depth + 1);
        w->path[size] = '\0';
    }
}

/* The array whose items become rows: leaves of its items are columns below
 * its own path. */
static void walk_item(struct walk *w, const char *rows, const cJSON *item)
{
    size_t n = strlen(rows);
    if (n >= sizeof w->path) return;
    memcpy(w->path, rows, n + 1);
    walk_value(w, item, 0);
}

static void learn_path(struct csv *c, const char *path)
{
    for (int i = 0; i < c->n_column; i++)
        if (!strcmp(c->column[i], path)) return;
    if (c->n_column < COLUMN_MAX)
        c->column[c->n_column++] = arena_copy(c->arena, span_of(path));
}

static bool is_rows(const struct csv *c, const char *path, const cJSON *value)
{
    return c->rows && !strcmp(path, c->rows) && cJSON_IsArray(value);
}

static void learn_leaf(void *arg, const char *path, const cJSON *value)
{
    struct csv *c = arg;
    if (!is_rows(c, path, value)) {
        learn_path(c, path);
        return;
    }
    const cJSON *item = NULL;
    struct walk inner = {.csv = c, .leaf = learn_leaf, .arg = c};
    cJSON_ArrayForEach(item, value)
    {
        walk_item(&inner, path, item);
    }
}

void csv_learn(struct csv *c, const cJSON *record)
{
    struct walk w = {.csv = c, .leaf = learn_leaf, .arg = c};
    walk_value(&w, json_get(record, "data"), 0);
}

static void add_quoted(struct buf *out, const char *text)
{
    /* a number is not a formula, although it may begin with a sign; text is
     * never given as a bare number here */
    bool formula = *text && strchr("=+-@\t\r", *text);
    bool quote = formula || strpbrk(text, ",\"\r\n") || *text == ' ';
    if (!quote) {
        buf_add_text(out, text);
        return;
    }
    buf_add_text(out, formula ? "\"'" : "\"");
    for (; *text; text++) {
        if (*text == '"') buf_add_text(out, "\"");
        buf_add(out, text, 1);
    }
    buf_add_text(out, "\"");
}

static void add_cell(struct buf *out, const cJSON *value)
{
    if (!value || cJSON_IsNull(value)) return;
    if (cJSON_IsNumber(value)) {
        buf_add_text(out, json_number(value));
    } else if (cJSON_IsString(value)) {
        add_quoted(out, value->valuestring);
    } else {
        struct buf text = buf_limit(1 << 24);
        json_print(&text, value, 0);
        add_quoted(out, buf_span(&text).data);
        buf_free(&text);
    }
}

void csv_header(const struct csv *c, struct buf *out)
{
    buf_add_text(out, "id,source");
    for (int i = 0; i < c->n_column; i++) {
        buf_add_text(out, ",");
        add_quoted(out, c->column[i]);
    }
    buf_add_text(out, "\r\n");
}

/* The cells of one row, by column. */
struct row {
    const struct csv *csv;
    const cJSON *cell[COLUMN_MAX];
    const cJSON *items; /* the array whose items are rows */
};

static void fill_leaf(void *arg, const char *path, const cJSON *value)
{
    struct row *row = arg;
    if (is_rows(row->csv, path, value)) {
        row->items = value;
        return;
    }
    for (int i = 0; i < row->csv->n_column; i++)
        if (!strcmp(row->csv->column[i], path)) row->cell[i] = value;
}

static void print_row(const struct row *row, const cJSON *record,
                      struct buf *out)
{
    add_cell(out, json_get(record, "id"));
    buf_add_text(out, ",");
    add_cell(out, json_get(json_get(record, "source"), "name"));
    for (int i = 0; i < row->csv->n_column; i++) {
        buf_add_text(out, ",");
        add_cell(out, row->cell[i]);
    }
    buf_add_text(out, "\r\n");
}

void csv_rows(const struct csv *c, const cJSON *record, struct buf *out)
{
    struct row *row = mem_take(1, sizeof *row);
    row->csv = c;
    struct walk w = {.csv = c, .leaf = fill_leaf, .arg = row};
    walk_value(&w, json_get(record, "data"), 0);
    const cJSON *item = NULL;
    if (!row->items || !row->items->child) print_row(row, record, out);
    cJSON_ArrayForEach(item, row->items)
    {
        struct row *one = mem_take(1, sizeof *one);
        *one = *row;
        one->items = NULL;
        struct walk inner = {.csv = c, .leaf = fill_leaf, .arg = one};
        walk_item(&inner, c->rows, item);
        print_row(one, record, out);
        mem_give(one);
    }
    mem_give(row);
}
