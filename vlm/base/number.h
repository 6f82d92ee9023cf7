/* number.h - decimal numbers as text, compared exactly.
 *
 * Account numbers and totals never pass through a double. All texts must be
 * JSON numbers (json.h has checked them). Exponents beyond 10^15 in size count
 * as 10^15, so that only such numbers could be taken for one another.
 */
#ifndef VLM_BASE_NUMBER_H
#define VLM_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMBER_DIGITS_MAX = 1000 }; /* of number_is_multiple */

int number_compare(const char *a, const char *b); /* <0, 0, >0 */
bool number_is_integer(const char *a);            /* 1.0 and 1e2 are */

/* Can the IEEE double, which most readers of JSON put it into, hold it? False
 * for 1e999, which they would take for infinity (or refuse), and for 1e-999,
 * which they would take for zero. */
bool number_is_in_range(const char *a);

/* Is a an integer multiple of b (b > 0)? Exact up to NUMBER_DIGITS_MAX
 * significant digits in either; beyond it false. */
bool number_is_multiple(const char *a, const char *b);

/* The number without an exponent and without zeros that say nothing, for those
 * who read none: 1.50e2 is 150, -0.0 is 0. False, and nothing written, when it
 * has more than NUMBER_PLAIN_MAX digits that way. */
enum { NUMBER_PLAIN_MAX = 24, NUMBER_PLAIN_SIZE = NUMBER_PLAIN_MAX + 4 };
bool number_plain(const char *a, char out[static NUMBER_PLAIN_SIZE]);

/* Equal for numbers that number_compare finds equal. */
uint64_t number_hash(const char *a);

/* The value as a whole number, cut to least..most. For limits such as
 * minLength, which may be written 2.0 or 1e1. */
long long number_whole(const char *a, long long least, long long most);

#endif
