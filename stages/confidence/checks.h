/* checks.h - what must add up: "x-platen-check" at the root of a schema.
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
 * A star is every element of an array; those of "equals" are the same element
 * in all pointers of the check, others are added up. "-" takes away. "running"
 * is a balance from row to row, the oldest first or last. Numbers are decimal
 * and exact (vlm/base/exact_sum.h); strings that are numbers count as such.
 * Where a value is null, absent or no number, or there is no row to add, nothing
 * can be said and nothing is; what is "optional" is then 0. Nothing is ever
 * repaired.
 */
#ifndef STAGES_CONFIDENCE_CHECKS_H
#define STAGES_CONFIDENCE_CHECKS_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

struct checks;

/* Something that does not add up. Texts live until checks_free. */
struct checks_broken {
    const char *pointer;   /* of the value that is not what the others give */
    const char *text;      /* for people */
    const char *const *in; /* pointers of all values in it; a star is every
                            * element */
    int n_in;
};

typedef void checks_sink(void *arg, const struct checks_broken *broken);

/* The checks of a schema, which must outlive them; NULL where it has none. FAIL:
 * ERR_CONFIG, "schema-refused": a check that is written wrong or names what the
 * schema does not have. */
struct checks *checks_new(const struct schema *schema, struct err *err);
void checks_free(struct checks *c); /* NULL is fine, here and below */

/* Tells what in `value` does not add up, in the order of the checks; of one
 * check the first 32 places, and then how many more. `stream` has the arrays of
 * `value` that are not in memory, or is NULL. FAIL: none. */
void checks_run(struct checks *c, const cJSON *value,
                struct json_stream *stream, checks_sink *sink, void *arg);

/* After a run: tells for each check that could be asked of all its places, and
 * is broken at 32 of them at most, the pointers of the values in it. Those that
 * checks_run told are not excepted. */
void checks_report(struct checks *c,
                   void (*tell_values)(void *arg, const char *const *in,
                                       int n_in),
                   void *arg);

#endif
