/* settle.c - a part's rows held against the lines of its page
 * (windows_inside.h): what was given twice goes, what was left out is asked for
 * by name, what is missing then is a gap. */
#include "stages/window/windows_inside.h"

#include <stdlib.h>

#include "stages/question.h"
#include "stages/window/scalars.h"
#include "vlm/base/buf.h"
#include "vlm/base/json.h"

enum { NAMED_MAX = 200, NAMED_BYTES_MAX = 16000, SHOWN_MAX = 120 };

/* So many of the rows must be found on lines of text, or the text is not what
 * is printed: a scan's own reading, gone wrong. */
static const double text_holds = 0.7;

struct settling {
    struct windows *w;
    const struct part *part;
    const struct lines *lines; /* of the part */
    cJSON **entries;           /* each array's rows (rows.h) */
    struct coverage found[PLAN_ARRAY_MAX];
    cJSON *scalars; /* all that is known besides */
    struct arena *arena;
};

static bool among(const int *list, int n, int one)
{
    for (int i = 0; i < n; i++)
        if (list[i] == one) return true;
    return false;
}

/* The rows of the entries as an array that owns none of them. */
static cJSON *rows_of(const cJSON *entries)
{
    cJSON *rows = cJSON_CreateArray();
    const cJSON *e = NULL;
    cJSON_ArrayForEach(e, entries)
    {
        cJSON_AddItemReferenceToArray(rows, (cJSON *)json_get(e, "row"));
    }
    return rows;
}

static void find(struct settling *s, int array)
{
    struct windows *w = s->w;
    cJSON *others = cJSON_CreateObject();
    cJSON_AddItemReferenceToObject(others, "values", s->scalars);
    for (int i = 0; i < w->plan->n_array; i++)
        if (i != array)
            cJSON_AddItemToObject(others, w->plan->array[i].window,
                                  rows_of(s->entries[i]));
    cJSON *rows = rows_of(s->entries[array]);
    coverage_find(s->lines, rows, others, &w->shape[array], s->arena,
                  &s->found[array]);
    cJSON_Delete(rows);
    cJSON_Delete(others);
}

/* Is the text layer what the model sees? */
static bool text_is_usable(const struct settling *s, int array)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]), n_on = 0;
    for (int i = 0; i < n; i++)
        n_on += c->line_of_row[i] >= 0;
    return s->lines->has_text && c->known && n_on >= text_holds * n;
}

static bool repeats_last(const struct settling *s, int array)
{
    const cJSON *last = cJSON_GetArrayItem(s->w->last, array);
    return s->part->top <= 0 && cJSON_IsObject(last) &&
           json_equal(json_get(last, "row"),
                      json_get(s->entries[array]->child, "row"));
}

static void say_dropped(const struct settling *s, const cJSON *entry)
{
    struct buf text = buf_limit(1 << 16);
    json_print(&text, json_get(entry, "row"), 0);
    document_warn(s->w->r->doc,
                  "page %d: left out, it is not printed there: %.*s",
                  s->w->r->doc->page[s->part->index].number, SHOWN_MAX,
                  buf_span(&text).data);
    buf_free(&text);
}

/* Rows that stand on no line here: of another page. */
static void drop_extra(struct settling *s, int array)
{
    struct coverage *c = &s->found[array];
    if (!s->entries[array]->child) return;
    bool usable = text_is_usable(s, array), first = true;
    int i = 0;
    for (cJSON *next, *e = s->entries[array]->child; e; e = next, i++) {
        next = e->next;
        bool repeat = first && repeats_last(s, array);
        first = false;
        if (!among(c->extra, c->n_extra, i) || !(usable || repeat)) continue;
        if (!repeat) say_dropped(s, e);
        cJSON_Delete(cJSON_DetachItemViaPointer(s->entries[array], e));
    }
}

/* --- what was left out ------------------------------------------------------ */

/* Lines that are rows of some table and are in none. */
static int find_missing(const struct settling *s, int *line)
{
    const struct plan *plan = s->w->plan;
    int n = 0;
    for (int l = 0; l < s->lines->n_line && n < NAMED_MAX; l++) {
        bool missing = false, taken = false;
        for (int i = 0; i < plan->n_array; i++) {
            const struct coverage *c = &s->found[i];
            int n_row = cJSON_GetArraySize(s->entries[i]);
            taken |= among(c->line_of_row, n_row, l);
            missing |= among(c->missing, c->n_missing, l);
        }
        if (missing && !taken) line[n++] = l;
    }
    return n;
}

/* "- text" of each, or NULL where there is no text to name them by. */
static const char *name_lines(const struct settling *s, const int *line, int n)
{
    struct buf text = buf_limit(NAMED_BYTES_MAX);
    for (int i = 0; i < n && s->lines->has_text; i++)
        buf_print(&text, "- %s\n", s->lines->line[line[i]].text);
    const char *copy = text.size ? arena_copy(s->arena, buf_span(&text)) : NULL;
    buf_free(&text);
    return copy;
}

/* Puts each of `late`, which stands on one of the lines asked about, where its
 * line stands among those of the rows that are there. */
static void put_in(struct settling *s, int array, cJSON *late, const int *line,
                   int n_line)
{
    struct coverage c = {0};
    cJSON *rows = rows_of(late);
    coverage_find(s->lines, rows, NULL, &s->w->shape[array], s->arena, &c);
    cJSON_Delete(rows);
    const struct coverage *old = &s->found[array];
    int n_old = cJSON_GetArraySize(s->entries[array]), at = 0, i = 0;
    cJSON *all = cJSON_CreateArray();
    for (cJSON *e; (e = late->child); i++) {
        int l = c.line_of_row[i];
        cJSON_DetachItemViaPointer(late, e);
        if (!among(line, n_line, l)) {
            cJSON_Delete(e);
            continue;
        }
        for (; at < n_old && old->line_of_row[at] < l; at++)
            cJSON_AddItemToArray(
                all, cJSON_DetachItemFromArray(s->entries[array], 0));
        cJSON_AddItemToArray(all, e);
    }
    while (s->entries[array]->child)
        cJSON_AddItemToArray(all,
                             cJSON_DetachItemFromArray(s->entries[array], 0));
    cJSON_Delete(s->entries[array]);
    s->entries[array] = all;
}

static void ask_again(struct settling *s, const int *line, int n)
{
    struct windows *w = s->w;
    const char *named = name_lines(s, line, n);
    cJSON *value = named ? part_ask_lines(w, s->part, named) : NULL;
    for (int i = 0; value && i < w->plan->n_array; i++) {
        cJSON *late = take_rows(w, s->part, i, value, NULL);
        put_in(s, i, late, line, n);
        cJSON_Delete(late);
        find(s, i);
    }
    cJSON_Delete(value);
}

static void name_gaps(struct settling *s, const int *line, int n)
{
    for (int i = 0; i < n; i++) {
        const char *text = s->lines->line[line[i]].text;
        cJSON *gap = cJSON_CreateObject();
        cJSON_AddItemToObject(
            gap, "page",
            json_new_integer(s->w->r->doc->page[s->part->index].number));
        cJSON_AddStringToObject(gap, "text", text ? text : "");
        cJSON_AddItemToArray(s->w->gaps, gap);
    }
}

/* --- lines of the part --------------------------------------------------------- */

static struct lines lines_between(const struct lines *page,
                                  const struct part *part, struct arena *arena)
{
    struct lines out = {.has_text = page->has_text};
    out.line = arena_array(arena, (size_t)page->n_line, sizeof *out.line);
    for (int i = 0; i < page->n_line; i++) {
        double y = page->line[i].y + page->line[i].h / 2;
        if (y >= part->top && y < part->bottom)
            out.line[out.n_line++] = page->line[i];
    }
    return out;
}

static int *find_all(struct settling *s, int *n_missing)
{
    int *line = arena_array(s->arena, NAMED_MAX, sizeof *line);
    for (int i = 0; i < s->w->plan->n_array; i++)
        find(s, i);
    *n_missing = find_missing(s, line);
    return line;
}

void part_settle(struct windows *w, const struct part *part, cJSON **entries)
{
    int n_array = w->plan->n_array, n = 0;
    if (!n_array || !w->lines.n_line || err_failed(w->r->err)) return;
    struct settling s = {.w = w,
                         .part = part,
                         .entries = entries,
                         .scalars = scalars_value(w->scalars),
                         .arena = arena_new()};
    struct lines lines = lines_between(&w->lines, part, s.arena);
    s.lines = &lines;
    find_all(&s, &n);
    for (int i = 0; i < n_array; i++)
        drop_extra(&s, i);
    int *line = find_all(&s, &n);
    bool usable = lines.has_text;
    for (int i = 0; i < n_array; i++)
        usable &= text_is_usable(&s, i);
    if (n && usable) {
        ask_again(&s, line, n);
        n = find_missing(&s, line);
        name_gaps(&s, line, n);
    }
    for (int i = 0; i < n_array; i++)
        if (s.found[i].known) w->shape[i] = s.found[i].shape;
    cJSON_Delete(s.scalars);
    arena_free(s.arena);
}
