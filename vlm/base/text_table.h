/* text_table.h - a hash table of pointers by name, in an arena.
 *
 * A zeroed table is empty. Names and values are borrowed; a table ends with its
 * arena.
 */
#ifndef VLM_BASE_TEXT_TABLE_H
#define VLM_BASE_TEXT_TABLE_H

#include "vlm/base/arena.h"

struct text_row {
    const char *name; /* NULL: free */
    void *thing;
};

struct text_table {
    struct text_row *row;
    size_t n, n_row; /* used; allocated, a power of two */
};

/* The value of that name, or NULL. */
void *text_table_find(const struct text_table *t, const char *name);

/* Sets the value of a name, replacing an earlier one. */
void text_table_put(struct text_table *t, struct arena *arena, const char *name,
                    void *thing);

#endif
