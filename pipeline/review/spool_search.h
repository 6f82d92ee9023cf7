/* spool_search.h - which documents a list is asked for: words and days.
 *
 * A word is found in a document's name, schema, reason code or values, without
 * regard to case and accents; a document has to have all of them. One like
 * 2026-11-21 or 2026-11 is also that day or month. Days are those of this
 * machine's time zone; ids tell when a document was taken, in UTC.
 */
#ifndef PIPELINE_REVIEW_SPOOL_SEARCH_H
#define PIPELINE_REVIEW_SPOOL_SEARCH_H

#include "pipeline/review/request.h"
#include "pipeline/spool/spool_index.h"

struct spool_search {
    char text[1024], name[1024], value[1024];         /* folded */
    char day[SPOOL_INDEX_WORDS][2][SPOOL_INDEX_TIME]; /* of the words */
    char from[SPOOL_INDEX_TIME], to[SPOOL_INDEX_TIME];
    struct spool_index_query query; /* its texts are those above, and the
                                     * request's */
    bool none;                      /* no document can fit */
};

/* Reads state, schema, code, name, value, from, to and search of the request, which
 * must last as long. False: from or to is no day. */
bool spool_search_read(struct spool_search *s, const struct request *q);

/* Is the time at or after from, if it is not "", and before to, if it is not ""? All
 * as ids begin. */
bool spool_search_is_between(const char *time, const char *from,
                             const char *to);

/* Does a document without an outcome fit, but for its state? time: as ids begin. */
bool spool_search_fits(const struct spool_search *s, const char *time,
                       const char *name, const char *folder);

/* Today, as 2026-11-21, and when it began, as ids begin. */
void spool_search_today(char day[static 11], char from[SPOOL_INDEX_TIME]);

#endif
