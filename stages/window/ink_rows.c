/* ink_rows.c - what rows say, as it may be printed (ink_inside.h). */
#include "stages/window/ink_inside.h"

#include <math.h>
#include <string.h>

#include "vlm/base/json.h"

const double ink_space = 0.28;
static const double gap_least = 0.14, gap_near = 0.45; /* em, of words */

const struct ink_sheet *ink_sheet_of(const struct ink_sheet *sheet,
                                     enum print_face face)
{
    return face == PRINT_EVEN ? sheet->even : sheet;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    hash ^= '/';
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash * 1099511628211u;
}

uint64_t ink_key(const char *name)
{
    return hash_text(0, name);
}

static int key_of(struct ink_rows *rows, uint64_t key)
{
    for (int k = 0; k < rows->n_key; k++)
        if (rows->key[k] == key) return k;
    if (rows->n_key == INK_KEYS_MAX) return -1;
    rows->key[rows->n_key] = key;
    return rows->n_key++;
}

/* Calls for each scalar of the row; lists within it are printed who knows how. */
static void each_value(struct ink_rows *rows, const cJSON *node, uint64_t path,
                       void (*take)(struct ink_rows *, int key, const cJSON *,
                                    void *),
                       void *arg)
{
    if (cJSON_IsArray(node)) return;
    if (cJSON_IsObject(node)) {
        for (const cJSON *m = node->child; m; m = m->next)
            each_value(rows, m, hash_text(path, m->string), take, arg);
        return;
    }
    int k = key_of(rows, path);
    if (k >= 0) take(rows, k, node, arg);
}

static void see_cents(struct ink_rows *rows, int key, const cJSON *node,
                      void *arg)
{
    bool *cents = arg;
    (void)rows;
    if (cJSON_IsNumber(node) &&
        fabs(node->valuedouble - round(node->valuedouble)) > 1e-6)
        cents[key] = true;
}

struct ink_taking {
    struct row_print *value;
    const bool *cents;
};

static void take_value(struct ink_rows *rows, int key, const cJSON *node,
                       void *arg)
{
    const struct ink_taking *t = arg;
    struct row_print *v = &t->value[key];
    (void)rows;
    for (enum print_face face = 0; face < PRINT_FACES; face++)
        v->n_form =
            print_width_forms(node, face, t->cents[key], v->width[face]);
    v->text = v->n_form == 1 ? node->valuestring : NULL;
    v->dated = v->n_form > 1 && cJSON_IsString(node);
}

void ink_read_rows(const struct ink_given *given, struct arena *arena,
                   struct ink_rows *out)
{
    bool cents[INK_KEYS_MAX] = {false};
    const cJSON *row = NULL;
    *out = (struct ink_rows){.repeated = -1, .arena = arena};
    size_t n = (size_t)cJSON_GetArraySize(given->rows);
    out->value = arena_array(arena, (n + 1) * INK_KEYS_MAX, sizeof *out->value);
    cJSON_ArrayForEach(row, given->rows)
    {
        each_value(out, row, 0, see_cents, cents);
    }
    cJSON_ArrayForEach(row, given->rows)
    {
        struct ink_taking t = {out->value + (size_t)out->n_row * INK_KEYS_MAX,
                               cents};
        each_value(out, row, 0, take_value, &t);
        if (out->repeated < 0 && given->repeated &&
            json_equal(row, given->repeated))
            out->repeated = out->n_row;
        out->n_row++;
    }
}

/* --- its words ------------------------------------------------------------------ */

/* Is there a gap between words near x? */
static bool has_gap(const struct ink_line *line, const struct ink_cell *c,
                    double x, double em)
{
    int from = (int)(x - gap_near * em), to = (int)(x + gap_near * em);
    int run = 0, least = (int)ceil(gap_least * em);
    for (int i = from < c->x ? c->x : from; i <= to && i < c->x + c->w; i++) {
        run = line->ink[i] ? 0 : run + 1;
        if (run >= least) return true;
    }
    return false;
}

bool ink_has_words(const struct ink_line *line, const struct ink_cell *c,
                   const char *text, enum print_face face, double em)
{
    double whole = print_width(text, face);
    char head[256];
    for (size_t i = 1; text[i] && i < sizeof head - 1; i++) {
        if (text[i] != ' ') continue;
        memcpy(head, text, i);
        head[i] = '\0';
        double at = (print_width(head, face) + ink_space / 2) / whole;
        if (!has_gap(line, c, c->x + at * c->w, em)) return false;
    }
    return true;
}
