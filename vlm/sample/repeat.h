/* repeat.h - notices when an answer has begun to loop.
 *
 * A loop is the same run of 1 to REPEAT_PERIOD_MAX tokens again and again:
 * at least REPEAT_TIMES times in a row and over at least REPEAT_TOKENS tokens.
 * That is far more than rows of a table, leaders of dots or padding ever show.
 */
#ifndef VLM_SAMPLE_REPEAT_H
#define VLM_SAMPLE_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    REPEAT_PERIOD_MAX = 64,
    REPEAT_TIMES = 16,
    REPEAT_TOKENS = 192,
    REPEAT_RING = 128 /* a power of two above the longest period */
};

struct repeat { /* all zero: nothing seen yet */
    int32_t ring[REPEAT_RING];
    int n;
    int same[REPEAT_PERIOD_MAX + 1]; /* tokens equal to the one p before */
};

/* Takes the next token; true when the answer loops. */
bool repeat_feed(struct repeat *r, int32_t token);

#endif
