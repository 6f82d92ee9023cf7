/* check_rows.c - a part's rows held against the lines of its page
 * (long_inside.h): what stands on another page goes, what was left out or
 * made of two rows is asked for by name, what is missing then is a gap. */
#include "stages/long/check/check_rows.h"

#include <stdlib.h>
#include <string.h>

#include "stages/long/header_vote.h"
#include "stages/long/nested_tables.h"
#include "vlm/base/buf.h"
#include "vlm/base/sort.h"
#include "vlm/json/json.h"

enum { FEW_ROWS = 8, ROUNDS_MAX = 16 };
enum { SHOWN_MAX = 120 };

/* A row of which its lines say so much less than others' do is doubtful. */
static const double doubt_gap = 0.1;

/* The rows of the entries as an array that owns none of them; the caller's. */
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

static bool lies(const struct settling *s)
{
    if (!s->part) return false;
    const struct page *page = &s->w->r->doc->page[s->part->index];
    return page->width_px > page->height_px;
}

/* Holds the array's rows against the lines. */
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
    struct coverage_given given = {
        .rows = rows,
        .rest = s->continues[array],
        .others = others,
        .lies = lies(s),
        .strict = w->strict,
        .open = w->r->rowless >> array & 1 || (s->part && s->part->unanswered),
        .head = cJSON_GetArrayItem(w->header, array),
        .heads = w->header,
        .above = json_get(cJSON_GetArrayItem(w->last, array), "row")};
    for (int i = 0; i < w->plan->n_array; i++)
        given.exact |= coverage_text_is_exact(&w->shape[i]);
    coverage_find(s->table, &given, &w->shape[array], s->arena,
                  &s->found[array]);
    cJSON_Delete(rows);
    cJSON_Delete(others);
}

void check_rows_find_all(struct settling *s)
{
    for (int i = 0; i < s->w->plan->n_array; i++)
        find(s, i);
}

/* --- rows that are none of this page ----------------------------------------- */

static void say_dropped(const struct settling *s, const cJSON *entry,
                        const char *why)
{
    struct buf text = buf_limit(1 << 16);
    json_print_brief(&text, json_get(entry, "row"), SHOWN_MAX);
    int page = s->w->r->doc->page[s->part->index].number;
    document_warn(s->w->r->doc,
                  &(struct warning){.code = WARN_ROW_DROPPED, .page = page},
                  "page %d: left out, %s: %s", page, why, buf_span(&text).data);
    buf_free(&text);
}

/* Is it the row that the page before ended with? */
static bool repeats_last(const struct settling *s, int array,
                         const cJSON *entry)
{
    const cJSON *last = cJSON_GetArrayItem(s->w->last, array);
    return s->part->top <= 0 && entry == s->entries[array]->child &&
           cJSON_IsObject(last) &&
           json_equal(json_get(last, "row"), json_get(entry, "row"));
}

/* Rows that stand on no line here: of another page. */
static void drop_extra(struct settling *s, int array, bool usable)
{
    struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]), i = 0;
    bool *extra = arena_array(s->arena, (size_t)n + 1, sizeof *extra);
    for (int k = 0; k < n; k++)
        extra[k] = check_rows_has(c->extra, c->n_extra, k) &&
                   (usable || check_rows_has_no_room(s, array, k));
    for (cJSON *next, *e = s->entries[array]->child; e; e = next, i++) {
        next = e->next;
        bool repeat = check_rows_has(c->extra, c->n_extra, i) &&
                      repeats_last(s, array, e);
        if (!extra[i] && !repeat) continue;
        if (!repeat) say_dropped(s, e, "it is not printed there");
        cJSON_Delete(cJSON_DetachItemViaPointer(s->entries[array], e));
    }
    find(s, array);
}

/* The worst of the rows that are made of two, and of which lines have been asked
 * about; -1: none. */
static int worst_mixed(const struct settling *s, int array)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]), worst = -1;
    for (int i = 0; i < n; i++)
        if (c->line_of_row[i] >= 0 && c->doubt[i] == COVERAGE_MIXED &&
            s->asked[c->line_of_row[i]] &&
            (worst < 0 || c->said[i] < c->said[worst]))
            worst = i;
    return worst;
}

/* Takes out rows that are made of two, the worst first: without it those whose
 * lines it took may be found to be whole. */
static void drop_mixed(struct settling *s, int array)
{
    for (int i; (i = worst_mixed(s, array)) >= 0;) {
        cJSON *e = cJSON_DetachItemFromArray(s->entries[array], i);
        s->dropped[s->found[array].line_of_row[i]] |= 1u << array;
        say_dropped(s, e, "no line says all of it");
        cJSON_Delete(e);
        find(s, array);
    }
}

/* --- what was left out ------------------------------------------------------ */

int check_rows_find_missing(const struct settling *s, int *line)
{
    const struct plan *plan = s->w->plan;
    int n = 0;
    for (int l = 0; l < s->table->n_line && n < CHECK_ROWS_LINES_MAX; l++) {
        bool missing = false, taken = false;
        for (int i = 0; i < plan->n_array; i++) {
            const struct coverage *c = &s->found[i];
            int n_row = cJSON_GetArraySize(s->entries[i]);
            taken |= check_rows_has(c->line_of_row, n_row, l);
            missing |= check_rows_has(c->missing, c->n_missing, l) &&
                       !(s->unsure && (check_rows_is_in_order(s, i, l) ||
                                       check_rows_is_of_row(s, i, l, NULL)));
        }
        if (missing && !taken) line[n++] = l;
    }
    return n;
}

/* What lines say of a row as a rule: the median; of few rows the best. */
static double usual_said(const struct settling *s, int array)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]);
    double *said = arena_array(s->arena, (size_t)n + 1, sizeof *said);
    for (int i = 0; i < n; i++)
        said[i] = c->said[i];
    sort_doubles(said, (size_t)n);
    return n < 3 ? 1 : said[n < FEW_ROWS ? n - 1 : n / 2];
}

/* Adds the lines of doubtful rows that were not asked about yet. */
static int add_doubtful(const struct settling *s, int *line, int n)
{
    for (int a = 0; a < s->w->plan->n_array; a++) {
        const struct coverage *c = &s->found[a];
        int n_row = cJSON_GetArraySize(s->entries[a]);
        double usual = usual_said(s, a);
        for (int i = 0; i < n_row && n < CHECK_ROWS_LINES_MAX; i++) {
            int l = c->line_of_row[i];
            bool doubt = l >= 0 && (c->doubt[i] != COVERAGE_SURE ||
                                    c->said[i] < usual - doubt_gap);
            if (doubt && !s->asked[l] && !check_rows_has(line, n, l))
                line[n++] = l;
        }
    }
    return n;
}

/* "- text" of each. */
const char *check_rows_names(const struct settling *s, const int *line, int n)
{
    struct buf text = buf_limit(CHECK_ROWS_BYTES_MAX);
    for (int i = 0; i < n; i++)
        buf_print(&text, "- %s\n", s->table->line[line[i]].print->text);
    const char *copy = text.size ? arena_copy(s->arena, buf_span(&text)) : NULL;
    buf_free(&text);
    return copy;
}

/* The row on line `l`, the most certain where there are some, or -1. */
static int row_on(const struct settling *s, int array, int l)
{
    const struct coverage *c = &s->found[array];
    int n = cJSON_GetArraySize(s->entries[array]), best = -1;
    for (int i = 0; i < n; i++)
        if (c->line_of_row[i] == l &&
            (best < 0 || c->doubt[i] < c->doubt[best]))
            best = i;
    return best;
}

/* Behind the row that stands above line `l`. */
static int place_above(const struct settling *s, int array, int l)
{
    int n = cJSON_GetArraySize(s->entries[array]), at = 0;
    const int *above = s->found[array].line_of_row;
    for (int i = 0; i < n; i++)
        if (above[i] >= 0 && above[i] < l) at = i + 1;
    return at;
}

bool check_rows_begins_row(const struct settling *s, int l)
{
    for (int a = 0; a < s->w->plan->n_array; a++)
        if (row_on(s, a, l) >= 0) return true;
    return false;
}

/* The lines asked about with those that go on with them, in order; at[] becomes
 * the places of all of them on the page. */
static struct page_table asked_lines(const struct settling *s, const int *line,
                                     int n_line, int *at)
{
    int n = s->table->n_line, k = 0;
    bool *on = arena_array(s->arena, (size_t)n + 1, sizeof *on);
    for (int l = 0; l < n; l++) {
        on[l] = check_rows_has(line, n_line, l) ||
                (l && on[l - 1] && !check_rows_begins_row(s, l));
        if (on[l]) at[k++] = l;
    }
    return page_table_some(s->table, on, s->arena);
}

/* The entry in the place of row `old`, where its line says more of it. */
static void put_over(struct settling *s, int array, int old, int l, cJSON *e)
{
    enum coverage_doubt doubt = s->found[array].doubt[old];
    double said = s->found[array].said[old];
    cJSON *list = s->entries[array];
    /* of a row with a heading the answer about one of its lines says less */
    if (nested_tables_is_around(s->w->plan, array) &&
        nested_tables_is_final(json_get(cJSON_GetArrayItem(list, old), "row"),
                               json_get(e, "row"))) {
        cJSON_Delete(e);
        return;
    }
    cJSON *before = cJSON_DetachItemFromArray(list, old);
    check_rows_insert(list, old, e);
    find(s, array);
    const struct coverage *c = &s->found[array];
    bool better = c->doubt[old] < doubt ||
                  (c->doubt[old] == doubt && c->said[old] > said);
    better = better && c->line_of_row[old] == l;
    e = cJSON_DetachItemFromArray(list, old);
    find(s, array);
    if (better)
        check_rows_insert(list, place_above(s, array, l), e);
    else
        check_rows_insert(list, old, before);
    cJSON_Delete(better ? before : e);
    find(s, array);
}

/* Is line `l` one of those asked about? Or the one above, which is no row's: a row
 * may begin there and have its values below. */
static bool is_asked(const struct settling *s, const int *line, int n, int l)
{
    return check_rows_has(line, n, l) ||
           (check_rows_has(line, n, l + 1) && !check_rows_begins_row(s, l));
}

/* Puts each of `late`, which stands on one of the lines asked about, where its
 * line stands among those of the rows that are there. */
static void put_in(struct settling *s, int array, cJSON *late, const int *line,
                   int n_line)
{
    struct coverage c = {0};
    int *at = arena_array(s->arena, (size_t)s->table->n_line + 1, sizeof *at);
    struct page_table asked = asked_lines(s, line, n_line, at);
    cJSON *rows = rows_of(late);
    struct coverage_given given = {.rows = rows, .lies = lies(s)};
    coverage_find(&asked, &given, &s->w->shape[array], s->arena, &c);
    cJSON_Delete(rows);
    for (int i = 0; late->child; i++) {
        cJSON *e = cJSON_DetachItemFromArray(late, 0);
        int l = c.line_of_row[i] < 0 ? -1 : at[c.line_of_row[i]];
        int old = l < 0 ? -1 : row_on(s, array, l);
        bool told = l >= 0 && old < 0 && s->unsure &&
                    check_rows_is_of_row(s, array, l, e);
        if (l < 0 || told || !is_asked(s, line, n_line, l)) {
            cJSON_Delete(e);
        } else if (old >= 0) {
            put_over(s, array, old, l, e);
        } else {
            check_rows_insert(s->entries[array], place_above(s, array, l), e);
            find(s, array);
        }
    }
}

/* Of an answer that has no room for all of them each half is asked for. */
static void ask_again(struct settling *s, const int *line, int n)
{
    struct windows *w = s->w;
    const char *named = check_rows_names(s, line, n);
    cJSON *value = named ? ask_region_ask_lines(w, s->part, named) : NULL;
    if (!value && n > 1 && !err_failed(w->r->err)) {
        ask_again(s, line, n / 2);
        ask_again(s, line + n / 2, n - n / 2);
        return;
    }
    w->n_answer += value != NULL;
    for (int i = 0; value && i < w->plan->n_array; i++) {
        cJSON *late = keep_rows(w, s->part, i, value, NULL);
        put_in(s, i, late, line, n);
        cJSON_Delete(late);
    }
    cJSON_Delete(value);
    check_rows_find_all(s);
}

/* Whether the question is another than those before: a line is new, or fewer
 * are missing. */
static bool is_new(struct settling *s, const int *line, int n, int n_missing)
{
    bool is = n_missing < s->n_missing;
    for (int i = 0; i < n; i++) {
        is |= !s->asked[line[i]];
        s->asked[line[i]] = true;
    }
    s->n_missing = n_missing;
    return is;
}

/* Asks for what is missing as long as something comes of it, and for each
 * doubtful row once. */
static void ask_for_lines(struct settling *s)
{
    int *line = arena_array(s->arena, CHECK_ROWS_LINES_MAX, sizeof *line);
    for (int round = 0; round < ROUNDS_MAX; round++) {
        int n_missing = check_rows_find_missing(s, line);
        int n = s->unsure ? n_missing : add_doubtful(s, line, n_missing);
        if (!n || !is_new(s, line, n, n_missing)) return;
        sort_ints(line, (size_t)n);
        ask_again(s, line, n);
        if (err_failed(s->w->r->err)) return;
        for (int i = 0; i < s->w->plan->n_array; i++) {
            if (!s->unsure) drop_mixed(s, i);
            drop_extra(s, i, !s->unsure);
        }
        check_rows_find_all(s);
    }
}

bool check_rows_asks(const struct windows *w)
{
    return w->plan->n_array && !engine_facts(w->r->desk->engine)->outline;
}

static void check_rows_rests(struct settling *s)
{
    for (int i = 0; i < s->w->plan->n_array; i++)
        check_first_row(s, i);
    check_rows_find_all(s);
}

/* Takes out what is not there and, where the text is usable, asks for the rest. */
static void ask(struct settling *s, bool usable)
{
    int n_array = s->w->plan->n_array;
    for (int i = 0; i < n_array; i++)
        drop_extra(s, i, usable && !s->unsure);
    check_rows_find_all(s);
    if (!usable) return;
    if (s->part->unanswered)
        check_rows_rests(s); /* or they are asked for as rows */
    ask_for_lines(s);
    if (!s->part->unanswered) check_rows_rests(s);
}

void check_rows_part(struct windows *w, const struct part *part,
                     cJSON **entries, bool *continues)
{
    int n_array = w->plan->n_array;
    if (!n_array || err_failed(w->r->err)) return;
    long_document_read_table(w, part->index);
    if (!w->table.n_line) {
        for (int i = 0; i < n_array; i++)
            w->n_unchecked += cJSON_GetArraySize(entries[i]);
        return;
    }
    struct settling s = {.w = w,
                         .part = part,
                         .entries = entries,
                         .continues = continues,
                         .scalars = header_vote_value(w->scalars),
                         .unsure = w->by_another,
                         .arena = arena_new()};
    nested_tables_describe(w, s.scalars);
    struct page_table table = ask_region_table(w, part, s.arena);
    s.table = &table;
    s.asked = arena_array(s.arena, (size_t)table.n_line + 1, sizeof *s.asked);
    s.dropped =
        arena_array(s.arena, (size_t)table.n_line + 1, sizeof *s.dropped);
    check_rows_find_all(&s);
    bool usable = check_rows_text_is_usable(&s);
    if (check_rows_asks(w)) ask(&s, usable);
    if (usable) check_rows_leave_gaps(&s);
    for (int i = 0; i < n_array; i++) {
        if (s.found[i].known) w->shape[i] = s.found[i].shape;
        nested_tables_place(w, i, entries[i], s.found[i].line_of_row, &table,
                            s.arena);
    }
    cJSON_Delete(s.scalars);
    arena_free(s.arena);
}
