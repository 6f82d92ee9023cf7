/* settle.c - a part's rows held against the lines of its page
 * (windows_inside.h): what was given twice goes, what was left out is asked for
 * by name, what is missing then is a gap. */
#include "stages/window/windows_inside.h"

#include <stdio.h>
#include <stdlib.h>

#include <string.h>

#include "stages/question.h"
#include "stages/window/scalars.h"
#include "vlm/base/buf.h"
#include "vlm/base/json.h"

enum { FEW_ROWS = 8, REST_LINES = 3 };
enum { NAMED_MAX = 200, NAMED_BYTES_MAX = 16000, SHOWN_MAX = 120 };

/* So many of the rows must be found on lines of text, or the text is not what
 * is printed: a scan's own reading, gone wrong. */
static const double text_holds = 0.7;

/* A row of which its lines say so much less than others' do is doubtful. */
static const double doubt_gap = 0.1;

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
static bool text_is_usable(const struct settling *s)
{
    int n = 0, n_on = 0;
    for (int a = 0; a < s->w->plan->n_array; a++) {
        if (!s->found[a].known) return false;
        int n_row = cJSON_GetArraySize(s->entries[a]);
        for (int i = 0; i < n_row; i++)
            n_on += s->found[a].line_of_row[i] >= 0;
        n += n_row;
    }
    return s->lines->has_text && n_on >= text_holds * n;
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
static void drop_extra(struct settling *s, int array, bool usable)
{
    struct coverage *c = &s->found[array];
    bool first = true;
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

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What lines say of a row as a rule: the median; of few rows the best. */
static double usual_said(const struct settling *s, int array)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]);
    double *said = arena_array(s->arena, (size_t)n + 1, sizeof *said);
    for (int i = 0; i < n; i++)
        said[i] = c->said[i];
    qsort(said, (size_t)n, sizeof *said, by_size);
    return n < 3 ? 1 : said[n < FEW_ROWS ? n - 1 : n / 2];
}

/* Adds the lines of rows that say what stands elsewhere; how many there are. */
static int add_doubtful(const struct settling *s, int *line, int n)
{
    for (int a = 0; a < s->w->plan->n_array; a++) {
        const struct coverage *c = &s->found[a];
        int n_row = cJSON_GetArraySize(s->entries[a]);
        double usual = usual_said(s, a);
        for (int i = 0; i < n_row && n < NAMED_MAX; i++)
            if (c->line_of_row[i] >= 0 && c->said[i] < usual - doubt_gap)
                line[n++] = c->line_of_row[i];
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

/* The old row on line `l`, or -1. */
static int row_on(const struct settling *s, int array, int l)
{
    int n = cJSON_GetArraySize(s->entries[array]);
    for (int i = 0; i < n; i++)
        if (s->found[array].line_of_row[i] == l) return i;
    return -1;
}

/* Behind the row that stands above line `l`. */
static int place_above(const struct settling *s, int array, const int *above,
                       int l)
{
    int n = cJSON_GetArraySize(s->entries[array]), at = 0;
    for (int i = 0; i < n; i++)
        if (above[i] >= 0 && above[i] < l) at = i + 1;
    return at;
}

/* Does a row that is known begin on line l, or should one? */
static bool begins_row(const struct settling *s, const int *line, int n_line,
                       int l)
{
    for (int a = 0; a < s->w->plan->n_array; a++)
        if (row_on(s, a, l) >= 0) return true;
    return among(line, n_line, l);
}

/* The lines asked about with those that go on with them, in order; at[] becomes
 * the places of all of them on the page. */
static struct lines asked_lines(const struct settling *s, const int *line,
                                int n_line, int *at)
{
    struct lines out = {.has_text = true};
    int n = s->lines->n_line;
    bool on = false;
    out.line = arena_array(s->arena, (size_t)n + 1, sizeof *out.line);
    for (int l = 0; l < n; l++) {
        bool asked = among(line, n_line, l);
        on = asked || (on && !begins_row(s, line, n_line, l));
        if (!on) continue;
        at[out.n_line] = l;
        out.line[out.n_line++] = s->lines->line[l];
    }
    return out;
}

/* cJSON_InsertItemInArray of Debian 12 refuses items that stood in a list. */
static void insert(cJSON *list, int at, cJSON *item)
{
    cJSON *tail = cJSON_CreateArray();
    while (cJSON_GetArrayItem(list, at))
        cJSON_AddItemToArray(tail, cJSON_DetachItemFromArray(list, at));
    cJSON_AddItemToArray(list, item);
    while (tail->child)
        cJSON_AddItemToArray(list, cJSON_DetachItemFromArray(tail, 0));
    cJSON_Delete(tail);
}

/* Puts each of `late`, which stands on one of the lines asked about, where its
 * line stands among those of the rows that are there; one that has a row
 * already takes its place where its line says more of it. */
static void put_in(struct settling *s, int array, cJSON *late, const int *line,
                   int n_line)
{
    struct coverage c = {0};
    int *at = arena_array(s->arena, (size_t)s->lines->n_line + 1, sizeof *at);
    struct lines asked = asked_lines(s, line, n_line, at);
    cJSON *rows = rows_of(late);
    coverage_find(&asked, rows, NULL, &s->w->shape[array], s->arena, &c);
    cJSON_Delete(rows);
    for (int i = 0; late->child; i++) {
        cJSON *e = cJSON_DetachItemFromArray(late, 0);
        int l = c.line_of_row[i] < 0 ? -1 : at[c.line_of_row[i]];
        int old = l < 0 ? -1 : row_on(s, array, l);
        bool better = old >= 0 && c.said[i] > s->found[array].said[old];
        if (l < 0 || !among(line, n_line, l) || (old >= 0 && !better)) {
            cJSON_Delete(e);
            continue;
        }
        if (old >= 0)
            cJSON_ReplaceItemInArray(s->entries[array], old, e);
        else
            insert(s->entries[array],
                   place_above(s, array, s->found[array].line_of_row, l), e);
        find(s, array);
    }
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

/* A row behind which one is missing does not go on over the page's end. */
static void close_rows(struct settling *s, const int *line, int n_line)
{
    int missing = n_line ? line[n_line - 1] : -1;
    for (int a = 0; a < s->w->plan->n_array; a++) {
        int n = cJSON_GetArraySize(s->entries[a]);
        if (n && s->found[a].line_of_row[n - 1] < missing)
            cJSON_AddTrueToObject(cJSON_GetArrayItem(s->entries[a], n - 1),
                                  "closed");
    }
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

/* --- the rest of a row from the page before -------------------------------------- */

/* Does the line say the head of the array's table? */
static bool is_head(const struct settling *s, int array, int l)
{
    const cJSON *head = cJSON_GetArrayItem(s->w->header, array);
    return cJSON_IsString(head) &&
           !strcmp(head->valuestring, s->lines->line[l].text);
}

/* The lines between the table's head and its first row: of them stands what
 * belongs to a row of the page before. */
static int lines_of_rest(const struct settling *s, int array, int *line)
{
    int n = 0,
        first = s->entries[array]->child ? s->found[array].line_of_row[0] : 0;
    for (int l = first - 1; l >= 0 && n <= REST_LINES; l--) {
        if (is_head(s, array, l)) return n;
        line[n++] = l;
    }
    return 0;
}

/* The answer says that it begins with a rest, and does not: that is asked for,
 * too, or named. */
static void ask_rest(struct settling *s, int array)
{
    int line[REST_LINES + 1], n = lines_of_rest(s, array, line);
    bool rest = false;
    if (n < 1 || take_rest_fits(s->w, array, s->entries[array]->child)) return;
    const char *named = name_lines(s, line, n);
    cJSON *value = named ? part_ask_lines(s->w, s->part, named) : NULL;
    cJSON *late = value ? take_rows(s->w, s->part, array, value, &rest) : NULL;
    if (rest && late && take_rest_fits(s->w, array, late->child))
        insert(s->entries[array], 0, cJSON_DetachItemFromArray(late, 0));
    else
        name_gaps(s, line, n);
    cJSON_Delete(late);
    cJSON_Delete(value);
}

void settle_part(struct windows *w, const struct part *part, cJSON **entries,
                 const bool *continues)
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
    bool usable = text_is_usable(&s);
    for (int i = 0; i < n_array; i++)
        drop_extra(&s, i, usable);
    int *line = find_all(&s, &n);
    if (usable) {
        n = add_doubtful(&s, line, n);
        if (n) ask_again(&s, line, n);
        n = find_missing(&s, line);
        close_rows(&s, line, n);
        name_gaps(&s, line, n);
    }
    for (int i = 0; i < n_array && usable; i++)
        if (continues[i] && part->top <= 0) ask_rest(&s, i);
    for (int i = 0; i < n_array; i++)
        if (s.found[i].known) w->shape[i] = s.found[i].shape;
    cJSON_Delete(s.scalars);
    arena_free(s.arena);
}
