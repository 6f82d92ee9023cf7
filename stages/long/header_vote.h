/* header_vote.h - values that a document has once, from the answers of its pages.
 *
 * Kept as JSON, so that a state can hold it: an object of entries by JSON pointer,
 *   {"value": v, "page": n, "p": 0.98, "fields": [[pointer, p, p_legal], ...],
 *    "others": [{"value": v, "page": n, "p": 0.5}, ...]}
 * A value is a leaf, or an array that is read whole. Nulls do not count. A value
 * that its page's words confirm wins, then the most probable one, then that of the
 * earlier page. Different values of other pages are the others.
 */
#ifndef STAGES_LONG_HEADER_VOTE_H
#define STAGES_LONG_HEADER_VOTE_H

#include "stages/document/document.h"

/* Adds the values of a page's answer, without its rows, to `all`. field[n_field]:
 * the answer's probabilities (0: all values count alike). */
void header_vote_add(cJSON *all, const cJSON *value, const struct field *field,
                     int n_field, int page);

/* The document's value without its rows: a new object, the caller's. */
cJSON *header_vote_value(const cJSON *all);

/* Calls say(arg, pointer, entry) for each value on which pages differ. */
void header_vote_conflicts(const cJSON *all,
                           void (*say)(void *arg, const char *pointer,
                                       const cJSON *entry),
                           void *arg);

#endif
