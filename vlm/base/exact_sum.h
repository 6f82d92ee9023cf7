/* exact_sum.h - exact decimal arithmetic for amounts of money.
 *
 * A number is n x 10^-scale. Results that do not fit (19 digits and more) are
 * not rounded: the function returns false.
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

/* Reads a whole text as a JSON number. False: not a number, or does not fit. */
bool exact_sum_read(const char *text, struct exact_sum *out);

/* a + b. False if it does not fit; also below. */
bool exact_sum_add(struct exact_sum a, struct exact_sum b,
                   struct exact_sum *out);

/* a x b. */
bool exact_sum_multiply(struct exact_sum a, struct exact_sum b,
                        struct exact_sum *out);

/* a - b. */
bool exact_sum_subtract(struct exact_sum a, struct exact_sum b,
                        struct exact_sum *out);

/* The same number without zeros at the end of its decimals. */
struct exact_sum exact_sum_shorten(struct exact_sum a);

/* Are they the same number? */
bool exact_sum_equals(struct exact_sum a, struct exact_sum b);

/* Is |a| at most b? False also if they cannot be compared; then *known is
 * false. */
bool exact_sum_is_within(struct exact_sum a, struct exact_sum b, bool *known);

/* Appends it with its decimal places: "-12.50". */
void exact_sum_print(struct exact_sum a, struct buf *out);

#endif
