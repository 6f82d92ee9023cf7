/* exact_sum.h - sums of money: decimal numbers, exact or not at all.
 *
 * A number is n x 10^-scale. What does not fit (19 digits and more) is not
 * rounded: the function says false, and the caller cannot tell.
 */
#ifndef VLM_BASE_EXACT_SUM_H
#define VLM_BASE_EXACT_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "vlm/base/buf.h"

struct exact_sum {
    int64_t n;
    int scale; /* decimal places, 0 to 18 */
};

/* A number as JSON writes it, the whole text. False: it is none, or does not
 * fit. */
bool exact_sum_read(const char *text, struct exact_sum *out);

/* a + b. False where it does not fit; so below. */
bool exact_sum_add(struct exact_sum a, struct exact_sum b,
                   struct exact_sum *out);

/* a x b. */
bool exact_sum_multiply(struct exact_sum a, struct exact_sum b,
                        struct exact_sum *out);

/* a - b. */
bool exact_sum_subtract(struct exact_sum a, struct exact_sum b,
                        struct exact_sum *out);

/* Is a at most b, whatever its sign? False as well where they cannot be
 * compared; *known says so. */
bool exact_sum_is_within(struct exact_sum a, struct exact_sum b, bool *known);

/* "-12.50": as many places as it has. */
void exact_sum_print(struct exact_sum a, struct buf *out);

#endif
