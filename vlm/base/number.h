/* number.h - decimal numbers as text, compared exactly.
 *
 * Account numbers and totals never pass through a double. All texts must be
 * JSON numbers (json.h has checked them). Exponents beyond 10^15 in size count
 * as 10^15, so that only such numbers could be taken for one another.
 */
#ifndef VLM_BASE_NUMBER_H
#define VLM_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal number: d1.d2...dn x 10^power, without zeros at either end. The
 * digits stay in the source text, where a point may lie between them. */
struct number {
    bool negative;
    const char *digits; /* at d1 */
    long n_digit;       /* significant ones; 0 for zero */
    long long power;    /* of ten, of d1; 0 for zero */
    long long places;   /* behind the point as written: 2 of 1.50 */
};

/* Reads a whole text: a sign '-', digits, a point with digits, an exponent.
 * False: it is none; `out` is then what was read so far. */
bool number_read(const char *text, struct number *out);

/* The same for what is known to be a number. */
static inline struct number number_of(const char *text)
{
    struct number n;
    number_read(text, &n);
    return n;
}

/* The digit at *at, which moves on: n_digit times from `digits` on. */
static inline int number_next_digit(const char **at)
{
    if (**at == '.') ++*at;
    return *(*at)++ - '0';
}

/* Writes it without an exponent: 0.05, -1234.5. False, and nothing written,
 * when that takes more than digits_most digits; `out` holds three bytes more. */
bool number_print(const struct number *n, int digits_most, char *out);

/* Equal for equal numbers. */
uint64_t number_key(const struct number *n);

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
