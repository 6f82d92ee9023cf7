/* checks.h - arithmetic checks: "x-platen-check" at the root of a schema.
 *
 *   "x-platen-check": [
 *     {"sum": ["/subtotal", "/tax", "-/paid"], "optional": ["/paid"],
 *      "equals": "/total"},
 *     {"sum": "/items/<*>/amount", "equals": "/subtotal", "tolerance": "0.01"},
 *     {"product": ["/items/<*>/quantity", "/items/<*>/price"],
 *      "equals": "/items/<*>/amount"},
 *     {"running": "/lines/<*>/amount", "from": "/opening",
 *      "equals": "/lines/<*>/balance"}]      (<*> stands for a star alone)
 *
 * A star is every element of an array; a star that "equals" has too is the same
 * element in all pointers of the check, any other is added up. "-" subtracts.
 * "running" is a balance from row to row, the oldest row first or last. Numbers
 * are exact decimals (vlm/base/exact_sum.h); strings that are numbers count as
 * such. If a value is null, absent or not a number, or there are no rows, the
 * check is skipped; an "optional" value is then 0. Values are never corrected.
 *
 * Entries with "unique" or "same" compare documents (earlier.h): they are checked
 * here like the others, and not run.
 */
#ifndef STAGES_CONFIDENCE_CHECKS_H
#define STAGES_CONFIDENCE_CHECKS_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/exact_sum.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

struct checks;

/* A broken check. Texts are valid until checks_free. */
struct checks_broken {
    const char *pointer;   /* pointer of the "equals" value */
    const char *text;      /* for people */
    const char *const *in; /* n_in pointers of all values in the check; a star
                            * is every element */
    int n_in;
    struct exact_sum over; /* the value less what it should be */
    struct exact_sum tolerance;
};

typedef void checks_sink(void *arg, const struct checks_broken *broken);

/* Reads the checks of a schema, which must outlive them; NULL if it has none.
 * FAIL: ERR_CONFIG [schema-refused]: an invalid check, or a pointer that the
 * schema does not have. */
struct checks *checks_new(const struct schema *schema, struct err *err);
void checks_free(struct checks *c); /* NULL is fine, here and below */

/* Calls sink for each place in `value` that breaks a check, in the order of the
 * checks; for one check the first 32 places, then once with how many more.
 * `stream` has the arrays of `value` that are not in memory, or is NULL. Cannot
 * fail. */
void checks_run(struct checks *c, const cJSON *value,
                struct json_stream *stream, checks_sink *sink, void *arg);

/* After a run: calls `report` with the pointers of the values in each check
 * that could be calculated at all its places and is broken at no more than 32
 * of them. Values that checks_run reported are included. */
void checks_report(struct checks *c,
                   void (*report)(void *arg, const char *const *in, int n_in),
                   void *arg);

#endif
