/* text_table.c - see text_table.h. */
#include "vlm/base/text_table.h"

#include "vlm/base/fnv.h"

static struct text_row *find_slot(const struct text_table *t, const char *name)
{
    size_t i = (size_t)fnv_bytes(FNV_START, name, strlen(name));
    while (t->row[i & (t->n_row - 1)].name &&
           strcmp(t->row[i & (t->n_row - 1)].name, name) != 0)
        i++;
    return &t->row[i & (t->n_row - 1)];
}

void *text_table_find(const struct text_table *t, const char *name)
{
    return t->n_row ? find_slot(t, name)->thing : NULL;
}

static void grow(struct text_table *t, struct arena *arena)
{
    struct text_table old = *t;
    t->n_row = old.n_row ? 2 * old.n_row : 16;
    t->row = arena_array(arena, t->n_row, sizeof *t->row);
    for (size_t i = 0; i < old.n_row; i++)
        if (old.row[i].name) *find_slot(t, old.row[i].name) = old.row[i];
}

void text_table_put(struct text_table *t, struct arena *arena, const char *name,
                    void *thing)
{
    if (2 * t->n >= t->n_row) grow(t, arena);
    struct text_row *row = find_slot(t, name);
    t->n += !row->name;
    *row = (struct text_row){name, thing};
}
