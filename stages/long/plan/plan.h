/* plan.h - how a document that is longer than one answer will be read.
 *
 * Arrays that grow with the document ("rows": of objects, or of values without
 * a low maxItems) are read page by page; everything else ("whole") is read from
 * where it stands. "x-platen-read": "rows" or "whole" on an array overrules it,
 * and "whole" on an object is meant for all in it.
 *
 * What a page is asked for follows from the schema: a relaxed copy of it (a page
 * need not show everything: null is allowed everywhere, no minimum asked), with
 * all values (`first`) or the rows alone (`rows`). Beside an array "lines" stand
 * "lines_header", the head of the table as printed, and "lines_continues": the
 * first of these rows is the rest of one that began on the page before.
 *
 * A row may hold a table of its own: an account its bookings, an order its lines.
 * These are rows, too ("/accounts/<*>/lines", <*> for a star alone), and their marks
 * stand beside the outer array. Rows within those are values of theirs.
 *
 * THREADS  Read-only once made.
 */
#ifndef STAGES_LONG_PLAN_PLAN_H
#define STAGES_LONG_PLAN_PLAN_H

#include "vlm/base/buf.h"
#include "vlm/schema/schema.h"

enum { PLAN_ARRAY_MAX = 16 };

struct plan_array {
    const char *pointer;   /* in the document's value: "/lines"; "": itself; a
                            * star is each row of another array */
    const char *window;    /* in a page's answer */
    const char *within;    /* in a row of that array: "/lines"; or NULL */
    int of;                /* that array, which comes behind it; or -1 */
    const char *header;    /* of its head there */
    const char *continues; /* of its mark there */
    const cJSON *item;     /* a row's schema, one of plan->source, or NULL
                            * where all rows are valid */
};

struct plan {
    const struct schema *source; /* or what is joined of it (merge_all_of.h) */
    struct schema *gathered;     /* owned; in one piece, where it was not */
    struct schema *joined;       /* owned; NULL where nothing was */
    struct plan_array array[PLAN_ARRAY_MAX];
    int n_array;
    bool has_scalars; /* there is more than rows */
    bool lists;       /* nothing else grows: short lists are rows, too */
    bool row_is_page; /* a page is asked for one row, nothing else */
    const struct schema *first; /* asks a page for all */
    struct schema *page;        /* the same where it is not the source; owned */
    struct schema *rows; /* asks for rows alone; NULL where `first` serves */
    struct arena *arena;
};

/* The plan of a schema, which must outlive it. `outline`: for a model that
 * knows no more than a schema's own keys, so that nothing is put beside them.
 * NULL after a failure: [schema-refused] where no window's schema can be made
 * of it. Free it with plan_free. */
struct plan *plan_new(const struct schema *schema, bool outline,
                      struct err *err);
void plan_free(struct plan *plan); /* NULL is fine */

/* What is read how, one place a line, for people. */
void plan_print(const struct plan *plan, struct buf *out);

/* Tokens that a row takes, about: for the choice between one question and
 * many. 0 without rows. */
int plan_row_tokens(const struct plan *plan);

#endif
