/* number.h - decimal numbers as text, compared exactly.
 *
 * Account numbers and totals are never converted to a double. All texts must be
 * JSON numbers (checked by json.h). Exponents beyond 10^15 in magnitude count
 * as 10^15, so only such numbers could be confused with each other.
 */
#ifndef VLM_BASE_NUMBER_H
#define VLM_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal number: d1.d2...dn x 10^power, without zeros at either end. The
 * digits stay in the source text, which can have a point between them. */
struct number {
    bool negative;
    const char *digits; /* at d1 */
    long n_digit;       /* significant ones; 0 for zero */
    long long power;    /* of ten, of d1; 0 for zero */
    long long places;   /* decimal places as written: 2 of 1.50 */
};

/* Reads a whole text: a sign '-', digits, a point with digits, an exponent.
 * False: not a number; `out` is then the part read. */
bool number_read(const char *text, struct number *out);

/* The same for a valid number. */
static inline struct number number_of(const char *text)
{
    struct number n;
    number_read(text, &n);
    return n;
}

/* The digit at *at, which advances: n_digit times from `digits` on. */
static inline int number_next_digit(const char **at)
{
    if (**at == '.') ++*at;
    return *(*at)++ - '0';
}

/* Writes it without an exponent: 0.05, -1234.5. False, and nothing written, if
 * that takes more than digits_most digits; `out` has three bytes more. */
bool number_print(const struct number *n, int digits_most, char *out);

/* A hash that is equal for equal numbers. */
uint64_t number_key(const struct number *n);

enum { NUMBER_DIGITS_MAX = 1000 }; /* for number_is_multiple */

int number_compare(const char *a, const char *b); /* <0, 0, >0 */
bool number_is_integer(const char *a);            /* 1.0 and 1e2 are */

/* Is it in the range of an IEEE double, which most JSON parsers use? False for
 * 1e999, which they would read as infinity (or refuse), and for 1e-999, which
 * they would read as zero. */
bool number_is_in_range(const char *a);

/* Is a an integer multiple of b (b > 0)? Exact up to NUMBER_DIGITS_MAX
 * significant digits in either; beyond it false. */
bool number_is_multiple(const char *a, const char *b);

/* The number without an exponent and redundant zeros, for readers that accept
 * neither: 1.50e2 is 150, -0.0 is 0. False, and nothing written, if it has more
 * than NUMBER_PLAIN_MAX digits in that form. */
enum { NUMBER_PLAIN_MAX = 24, NUMBER_PLAIN_SIZE = NUMBER_PLAIN_MAX + 4 };
bool number_plain(const char *a, char out[static NUMBER_PLAIN_SIZE]);

/* A hash that is equal for numbers that number_compare finds equal. */
uint64_t number_hash(const char *a);

/* The value as an integer, clamped to least..most. For limits such as
 * minLength, which can be written 2.0 or 1e1. */
long long number_whole(const char *a, long long least, long long most);

#endif
