/* header_vote.h - what several pages say about values that a document has once.
 *
 * Kept as JSON, so that it can wait in a file: an object of entries by JSON
 * pointer,
 *   {"value": v, "page": n, "p": 0.98, "fields": [[pointer, p, p_legal], ...],
 *    "others": [{"value": v, "page": n, "p": 0.5}, ...]}
 * A value is a leaf, or an array that is read whole. Of those that are not null
 * one that its page's words confirm is taken before others, then the most
 * probable one, then the earlier page's; what another page says else is one of
 * the others.
 */
#ifndef STAGES_LONG_HEADER_VOTE_H
#define STAGES_LONG_HEADER_VOTE_H

#include "stages/document.h"

/* Adds the values of a page's answer to `all`. `value` holds no rows any more;
 * field[n_field] are the answer's probabilities (none: all are alike). */
void header_vote_add(cJSON *all, const cJSON *value, const struct field *field,
                     int n_field, int page);

/* The document's value without its rows: a new object, the caller's. */
cJSON *header_vote_value(const cJSON *all);

/* What pages contradict each other about, one a call to say(arg, pointer, entry). */
void header_vote_conflicts(const cJSON *all,
                           void (*say)(void *arg, const char *pointer,
                                       const cJSON *entry),
                           void *arg);

#endif
