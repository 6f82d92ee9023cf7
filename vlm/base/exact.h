/* exact.h - sums of money: decimal numbers, exact or not at all.
 *
 * A number is n x 10^-scale. What does not fit (19 digits and more) is not
 * rounded: the function says false, and the caller cannot tell.
 */
#ifndef VLM_BASE_EXACT_H
#define VLM_BASE_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "vlm/base/buf.h"

struct exact {
    int64_t n;
    int scale; /* decimal places, 0 to 18 */
};

/* A number as JSON writes it, the whole text. False: it is none, or does not
 * fit. */
bool exact_read(const char *text, struct exact *out);

/* a + b. False where it does not fit; so below. */
bool exact_add(struct exact a, struct exact b, struct exact *out);

/* a x b. */
bool exact_multiply(struct exact a, struct exact b, struct exact *out);

/* a - b. */
bool exact_subtract(struct exact a, struct exact b, struct exact *out);

/* Is a at most b, whatever its sign? False as well where they cannot be
 * compared; *known says so. */
bool exact_is_within(struct exact a, struct exact b, bool *known);

/* "-12.50": as many places as it has. */
void exact_print(struct exact a, struct buf *out);

#endif
