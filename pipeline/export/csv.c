/* csv.c - see csv.h. */
#include "pipeline/export/csv.h"

#include <string.h>

#include "pipeline/export/csv_cells.h"
#include "pipeline/export/csv_details.h"
#include "vlm/base/suggest.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

enum { COLUMN_MAX = 2000, PATH_BYTES_MAX = 1 << 20, DEPTH_MAX = 32 };

struct csv {
    struct arena *arena;
    const char *rows;
    struct csv_details *with; /* or NULL */
    const struct csv_dialect *dialect;
    const char *column[COLUMN_MAX];
    int n_column, n_record;
    bool full;       /* more than COLUMN_MAX columns */
    bool rows_known; /* a record has the field `rows`, possibly null */
};

/* A walk over the leaves of a value, by path. */
struct walk {
    struct buf path, pointer;
    bool hash; /* escape "#" in keys: it separates columns of details */
    void (*leaf)(void *arg, const struct walk *at, const cJSON *value);
    void *arg;
};

struct csv *csv_new(const char *rows, struct csv_details *with,
                    const struct csv_dialect *dialect)
{
    struct csv *c = mem_alloc(1, sizeof *c);
    c->arena = arena_new();
    c->rows = rows;
    c->with = with;
    c->dialect = dialect;
    return c;
}

void csv_free(struct csv *c)
{
    if (!c) return;
    arena_free(c->arena);
    mem_free(c);
}

/* Adds a key to the path: "." separates keys and "\\" escapes the next
 * character; the columns id and source keep their names. */
static void add_step(struct walk *w, const char *key, bool first)
{
    struct buf *path = &w->path;
    json_pointer_add(&w->pointer, key);
    if (!first) buf_add_text(path, ".");
    if (first && (!strcmp(key, "id") || !strcmp(key, "source")))
        buf_add_text(path, "\\");
    for (; *key; key++) {
        if (*key == '.' || *key == '\\' || (*key == '#' && w->hash))
            buf_add_text(path, "\\");
        buf_add(path, key, 1);
    }
}

static void walk_value(struct walk *w, const cJSON *value, int depth)
{
    size_t size = w->path.size, pointer = w->pointer.size;
    const cJSON *member = NULL;
    if (!cJSON_IsObject(value) || !value->child || depth == DEPTH_MAX) {
        w->leaf(w->arg, w, value);
        return;
    }
    cJSON_ArrayForEach(member, value)
    {
        add_step(w, member->string, depth == 0);
        walk_value(w, member, depth + 1);
        buf_cut(&w->path, size);
        buf_cut(&w->pointer, pointer);
    }
}

static const char *path_of(const struct walk *w)
{
    return buf_span(&w->path).data;
}

static void walk_data(const struct csv *c, const cJSON *record, struct walk w)
{
    w.path = buf_limit(PATH_BYTES_MAX);
    w.pointer = buf_limit(PATH_BYTES_MAX);
    w.hash = c->with != NULL;
    walk_value(&w, json_get(record, "data"), 0);
    buf_free(&w.path);
    buf_free(&w.pointer);
}

/* Walks an item of the array that becomes rows: its leaves are columns below
 * the array's path. */
static void walk_item(const struct csv *c, const char *pointer, int index,
                      const cJSON *item, struct walk w)
{
    w.path = buf_limit(PATH_BYTES_MAX);
    w.pointer = buf_limit(PATH_BYTES_MAX);
    w.hash = c->with != NULL;
    buf_add_text(&w.path, c->rows);
    buf_add_text(&w.pointer, pointer);
    json_pointer_add_index(&w.pointer, index);
    walk_value(&w, item, 1);
    buf_free(&w.path);
    buf_free(&w.pointer);
}

static void learn_path(struct csv *c, const char *path)
{
    for (int i = 0; i < c->n_column; i++)
        if (!strcmp(c->column[i], path)) return;
    c->full |= c->n_column == COLUMN_MAX;
    if (!c->full)
        c->column[c->n_column++] = arena_copy(c->arena, span_of(path));
}

static bool is_rows(const struct csv *c, const char *path, const cJSON *value)
{
    return c->rows && !strcmp(path, c->rows) && cJSON_IsArray(value);
}

static void learn_leaf(void *arg, const struct walk *at, const cJSON *value)
{
    struct csv *c = arg;
    c->rows_known |= c->rows && !strcmp(path_of(at), c->rows);
    if (!is_rows(c, path_of(at), value)) {
        learn_path(c, path_of(at));
        return;
    }
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, value)
    {
        walk_item(c, "", 0, item, (struct walk){.leaf = learn_leaf, .arg = c});
    }
}

void csv_learn(struct csv *c, const cJSON *record, struct err *err)
{
    if (err_failed(err)) return;
    c->n_record++;
    walk_data(c, record, (struct walk){.leaf = learn_leaf, .arg = c});
    if (c->full)
        err_set(err, ERR_LIMIT,
                "the records have more than %d columns: use --to jsonl",
                COLUMN_MAX);
}

int csv_n_column(const struct csv *c)
{
    return c->n_column;
}

void csv_check_rows(const struct csv *c, struct err *err)
{
    if (err_failed(err) || !c->rows || c->rows_known || !c->n_record) return;
    struct suggest near = suggest_begin(c->rows);
    for (int i = 0; i < c->n_column; i++)
        suggest_try(&near, c->column[i]);
    err_set(err, ERR_ARGS, "--rows %s: no record has this field%s%s%s", c->rows,
            near.best ? " (did you mean " : "", near.best ? near.best : "",
            near.best ? "?)" : "");
}

static void add_cell(const struct csv *c, const cJSON *value, struct buf *out)
{
    char date[11];
    if (!value || cJSON_IsNull(value)) return;
    if (cJSON_IsNumber(value)) {
        csv_cells_number(c->dialect, json_number(value), out);
    } else if (cJSON_IsString(value)) {
        bool day = csv_cells_date(c->dialect, value->valuestring, date);
        csv_cells_text(out, day ? date : value->valuestring);
    } else {
        struct buf text = buf_limit(1 << 24);
        json_print(&text, value, 0);
        csv_cells_text(out, buf_span(&text).data);
        buf_free(&text);
    }
}

void csv_header(const struct csv *c, struct buf *out)
{
    const char *separator = c->dialect->separator;
    buf_print(out, "%sid%ssource", c->dialect->mark, separator);
    if (c->with) csv_details_record_header(c->with, out);
    for (int i = 0; i < c->n_column; i++) {
        buf_add_text(out, separator);
        csv_cells_text(out, c->column[i]);
        if (c->with) csv_details_header(c->with, c->column[i], out);
    }
    buf_add_text(out, "\r\n");
}

/* The cells of one row, by column. */
struct csv_row {
    const struct csv *csv;
    const cJSON *cell[COLUMN_MAX];
    const char *pointer[COLUMN_MAX]; /* of the cells, for details */
    const cJSON *items;              /* the array that becomes rows */
    const char *items_pointer;
    struct arena *arena; /* of pointers */
};

static void fill_leaf(void *arg, const struct walk *at, const cJSON *value)
{
    struct csv_row *row = arg;
    const char *path = path_of(at);
    const char *pointer =
        row->csv->with ? arena_copy(row->arena, buf_span(&at->pointer)) : "";
    if (is_rows(row->csv, path, value)) {
        row->items = value;
        row->items_pointer = pointer;
        return;
    }
    for (int i = 0; i < row->csv->n_column; i++)
        if (!strcmp(row->csv->column[i], path)) {
            row->cell[i] = value;
            row->pointer[i] = pointer;
        }
}

static void print_row(const struct csv_row *row, const cJSON *record,
                      struct buf *out)
{
    const struct csv *c = row->csv;
    const struct csv_details *with = c->with;
    add_cell(c, json_get(record, "id"), out);
    buf_add_text(out, c->dialect->separator);
    add_cell(c, json_get(json_get(record, "source"), "name"), out);
    if (with) csv_details_record_cells(with, out);
    for (int i = 0; i < c->n_column; i++) {
        buf_add_text(out, c->dialect->separator);
        add_cell(c, row->cell[i], out);
        if (with) csv_details_cells(with, row->pointer[i], row->cell[i], out);
    }
    buf_add_text(out, "\r\n");
}

void csv_rows(const struct csv *c, const cJSON *record, struct buf *out)
{
    struct csv_row *row = mem_alloc(1, sizeof *row);
    struct arena *kept = arena_new(), *row_arena = arena_new();
    const cJSON *item = NULL;
    int index = 0;
    row->csv = c;
    row->arena = kept;
    if (c->with) csv_details_set_record(c->with, record);
    walk_data(c, record, (struct walk){.leaf = fill_leaf, .arg = row});
    if (!row->items || !row->items->child) print_row(row, record, out);
    cJSON_ArrayForEach(item, row->items)
    {
        struct csv_row *one = mem_alloc(1, sizeof *one);
        *one = *row;
        one->items = NULL;
        one->arena = row_arena;
        walk_item(c, row->items_pointer, index++, item,
                  (struct walk){.leaf = fill_leaf, .arg = one});
        print_row(one, record, out);
        arena_reset(row_arena);
        mem_free(one);
    }
    mem_free(row);
    arena_free(kept);
    arena_free(row_arena);
}
