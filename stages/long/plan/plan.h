/* plan.h - how a document that does not fit one answer is read.
 *
 * Arrays that grow with the document ("rows": of objects, or of values without a low
 * maxItems) are read page by page, everything else ("whole") from the pages that have
 * it. "x-platen-read": "rows" or "whole" on an array overrides this; "whole" on an
 * object covers everything in it.
 *
 * The schema of a page's answer is a relaxed copy of the document's (null is allowed
 * everywhere, minimums are dropped) with all values (`first`) or the rows alone
 * (`rows`). For an array "lines" it adds "lines_header", the heading of the table as
 * printed, and "lines_continues": the first row is the rest of one on the page before.
 *
 * A row can hold a table: an account its bookings, an order its lines. These are rows
 * too ("/accounts/<*>/lines", <*> for a star alone), and the added members are in the
 * outer array's object. Tables within such rows are plain values.
 *
 * THREADS  Read-only once made.
 */
#ifndef STAGES_LONG_PLAN_PLAN_H
#define STAGES_LONG_PLAN_PLAN_H

#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"

enum { PLAN_ARRAY_MAX = 16 };

struct plan_array {
    const char *pointer; /* in the document's value: "/lines"; "": the value; a
                            * star: each row of the outer array */
    const char *window;  /* in a page's answer */
    const char *within;  /* in a row of the outer array: "/lines"; or NULL */
    int of;              /* the outer array, a later one; or -1 */
    const char *header;  /* in a page's answer: the heading */
    const char *continues; /* in a page's answer: the first row continues one */
    const cJSON *item;     /* schema of a row, in plan->source; NULL: any */
};

struct plan {
    const struct schema *source; /* the schema, or `joined` */
    struct schema *gathered;     /* owned: its bundle, or NULL */
    struct schema *joined;       /* owned: merge_all_of.h, or NULL */
    struct plan_array array[PLAN_ARRAY_MAX];
    int n_array;
    bool has_scalars; /* the schema has more than rows */
    bool lists;       /* no other array grows: short lists are rows too */
    bool row_is_page; /* a page gives one row, nothing else */
    const struct schema *first; /* of an answer with all values */
    struct schema *page;        /* owned: the same if it is not the source */
    struct schema *rows; /* of an answer with rows alone; NULL: as `first` */
    struct arena *arena;
};

/* The plan of a schema, which must outlive it. `outline`: for a model that knows only
 * a schema's own keys, so that no members are added. FAIL: [schema-refused] if no
 * schema of a page can be made of it, and NULL. Free it with plan_free. */
struct plan *plan_new(const struct schema *schema, bool outline,
                      struct err *err);
void plan_free(struct plan *plan); /* NULL is fine */

/* Prints how each place is read, one per line. */
void plan_print(const struct plan *plan, struct buf *out);

/* Estimated tokens of a row, for the choice between one question and many. 0 without
 * rows. */
int plan_row_tokens(const struct plan *plan);

#endif
