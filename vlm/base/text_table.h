/* text_table.h - things by their name, in an arena.
 *
 * A table of zeros is an empty one. Names and things are borrowed; a table
 * ends with its arena.
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
    size_t n, n_row; /* taken; in all, a power of two */
};

/* The thing of that name, or NULL. */
void *text_table_find(const struct text_table *t, const char *name);

/* Gives the name a thing, in place of the one that it had. */
void text_table_put(struct text_table *t, struct arena *arena, const char *name,
                    void *thing);

#endif
