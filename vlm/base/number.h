/* number.h - decimal numbers as text, compared exactly.
 *
 * Account numbers and totals never pass through a double. All texts must be
 * JSON numbers (json.h has checked them).
 */
#ifndef VLM_BASE_NUMBER_H
#define VLM_BASE_NUMBER_H

#include <stdbool.h>

int number_compare(const char *a, const char *b); /* <0, 0, >0 */
bool number_is_integer(const char *a);            /* 1.0 and 1e2 are */

/* Is a an integer multiple of b (b > 0)? Exact for any number of digits up
 * to a documented limit; beyond it false. */
bool number_is_multiple(const char *a, const char *b);

#endif
