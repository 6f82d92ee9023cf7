/* ink_rows.c - what rows say, as it may be printed (ink_inside.h). */
#include "stages/window/ink_inside.h"

#include <math.h>

#include "vlm/base/json.h"

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
    for (int even = 0; even < 2; even++)
        v->n_form =
            print_width_forms(node, even, t->cents[key], v->width[even]);
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
