/* off_row.c - see off_row.h. */
#include "stages/evidence/off_row.h"

#include <ctype.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/json/json_pointer.h"

/* A value with one place. */
struct placed_value {
    struct field *field;
    size_t array, row; /* bytes of its pointer before the index, and with it;
                        * 0: not in an array */
    int n_line;        /* lines of its evidence, the first ones, in print */
    bool yearless;     /* a date printed with day and month only */
    bool in_word;      /* a figure within letters */
};

/* "1", "12x", "1.00": frequent on every page. */
enum { SHORT_MOST = 4 };

/* Finds the index of the innermost row in the pointer. */
static void find_row(struct placed_value *s)
{
    const char *pointer = s->field->pointer, *at = pointer;
    struct span token;
    while (json_pointer_next(&at, &token)) {
        if (json_pointer_index(token) < 0 || !*at) continue;
        s->array = (size_t)(token.data - pointer);
        s->row = (size_t)(at - pointer);
    }
}

/* The number of runs of letters or digits: "06 Aug" has two. */
static int n_part(const char *text)
{
    int n = 0;
    bool inside = false;
    for (; *text; text++) {
        bool now =
            isalnum((unsigned char)*text) || (unsigned char)*text >= 0x80;
        n += now && !inside;
        inside = now;
    }
    return n;
}

/* "S6hne": a misread word, not a number. */
static bool is_word(const char *text)
{
    size_t n = strlen(text);
    return n > 2 && !strchr(text, ' ') && isalpha((unsigned char)text[0]) &&
           isalpha((unsigned char)text[n - 1]);
}

static void mark(struct field *f)
{
    if (!f->doubt) f->doubt = DOUBT_PLACE;
}

/* Whether the value is printed at one place; sets its kind and row. */
static bool read_place(struct placed_value *s)
{
    struct field *f = s->field;
    if (f->verdict != FIELD_AGREE || !f->n_evidence) return false;
    const char *text = f->evidence->text;
    bool one = f->evidence->match != EVIDENCE_AMBIGUOUS;
    bool is_short = f->is_figure && text && strlen(text) <= SHORT_MOST;
    s->yearless = f->year && text && n_part(text) < 3;
    s->in_word = f->is_figure && text && is_word(text);
    find_row(s);
    if (!one && f->is_figure && (is_short || s->row)) mark(f);
    while (one && s->n_line < f->n_evidence && f->evidence[s->n_line].page)
        s->n_line++;
    return s->n_line > 0;
}

/* Whether they have a line in common. */
static bool beside(const struct placed_value *a, const struct placed_value *b)
{
    for (int i = 0; i < a->n_line; i++)
        for (int k = 0; k < b->n_line; k++)
            if (a->field->evidence[i].line == b->field->evidence[k].line)
                return true;
    return false;
}

static bool same_start(const struct placed_value *a,
                       const struct placed_value *b, size_t n)
{
    return !strncmp(a->field->pointer, b->field->pointer, n);
}

static bool same_row(const struct placed_value *a, const struct placed_value *b)
{
    return a->row && a->array == b->array && a->row == b->row &&
           same_start(a, b, a->row);
}

/* The fields of a row are consecutive. */
static bool beside_own(const struct placed_value *all, int n, int i)
{
    for (int k = i + 1; k < n && same_row(&all[i], &all[k]); k++)
        if (beside(&all[i], &all[k])) return true;
    for (int k = i - 1; k >= 0 && same_row(&all[i], &all[k]); k--)
        if (beside(&all[i], &all[k])) return true;
    return false;
}

static bool beside_others(const struct placed_value *all, int n, int i)
{
    const struct placed_value *a = &all[i];
    for (int k = 0; k < n; k++)
        if (all[k].row && (!a->row || all[k].array == a->array) &&
            same_start(a, &all[k], a->array) && !same_row(a, &all[k]) &&
            beside(a, &all[k]))
            return true;
    return false;
}

/* The year of most dates without a printed one, if two have it; or 0. */
static int usual_year(const struct placed_value *all, int n)
{
    int usual = 0, most = 1;
    for (int i = 0; i < n; i++) {
        int same = 0;
        if (!all[i].yearless || all[i].field->year == usual) continue;
        for (int k = 0; k < n; k++)
            same += all[k].yearless && all[k].field->year == all[i].field->year;
        if (same > most) {
            most = same;
            usual = all[i].field->year;
        }
    }
    return usual;
}

static bool same_place(const struct evidence *a, const struct evidence *b)
{
    return a->page == b->page && a->box.x == b->box.x && a->box.y == b->box.y;
}

/* A date outside rows at the same place as another one: one of them is printed
 * elsewhere, or not at all. */
static bool shares_date(const struct placed_value *all, int n, int i)
{
    const struct placed_value *s = &all[i];
    if (s->row || !s->field->year) return false;
    for (int k = 0; k < n; k++)
        if (k != i && !all[k].row && all[k].field->year &&
            same_place(s->field->evidence, all[k].field->evidence))
            return true;
    return false;
}

static bool is_stray(const struct placed_value *all, int n, int i)
{
    const struct placed_value *s = &all[i];
    if (s->in_word || shares_date(all, n, i)) return true;
    if (!s->row) return s->field->is_figure && beside_others(all, n, i);
    if (beside_own(all, n, i)) return false;
    return beside_others(all, n, i);
}

void off_row_mark(struct field *field, int n_field)
{
    struct arena *arena = arena_new();
    struct placed_value *all =
        arena_array(arena, (size_t)n_field + 1, sizeof *all);
    int n = 0;
    for (int i = 0; i < n_field; i++) {
        all[n] = (struct placed_value){.field = &field[i]};
        if (!read_place(&all[n])) continue;
        n++;
    }
    int usual = usual_year(all, n);
    for (int i = 0; i < n; i++)
        if (is_stray(all, n, i) ||
            (all[i].yearless && all[i].field->year != usual))
            mark(all[i].field);
    arena_free(arena);
}
