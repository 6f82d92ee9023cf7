/* decimal.h - the set of numbers that a schema admits, and the state of a
 * number being generated.
 *
 * Numbers have no exponent: up to DECIMAL_WHOLE_MAX digits and, unless whole,
 * up to DECIMAL_PART_MAX decimals (more of either if the schema's bounds have
 * more). A value is stored as a multiple of 10^-part, so all results are exact.
 */
#ifndef VLM_GRAMMAR_DECIMAL_H
#define VLM_GRAMMAR_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_WHOLE_MAX = 20, DECIMAL_PART_MAX = 10, DECIMAL_DIGITS_MAX = 36 };

/* C17 has no standard 128-bit type. */
__extension__ typedef __int128 decimal_value;

struct decimal {
    int whole, part;         /* most digits before and after the point */
    decimal_value low, high; /* bounds, inclusive, in units of 10^-part */
    decimal_value step;      /* all values are multiples of it; same units */
    bool integer;            /* no point, whatever `part` is */
    bool stepped;            /* `step` is set by the schema */
    bool free;               /* the only bounds are those of the digits */
};

enum decimal_phase {
    DECIMAL_START,
    DECIMAL_MINUS,
    DECIMAL_ZERO, /* "0" or "-0": no digit can follow */
    DECIMAL_WHOLE,
    DECIMAL_POINT,
    DECIMAL_PART
};

/* A partly generated number. All zero: nothing yet. */
struct decimal_state {
    decimal_value digits; /* the digits so far, without sign and point */
    uint8_t phase, n_whole, n_part;
    bool negative;
};

/* All numbers of up to that many digits; `integer`: whole numbers only. */
void decimal_init(struct decimal *d, bool integer);

/* Narrow the set to numbers >= text, <= text (> and < if `exclusive`),
 * multiples of text. `text` is a JSON number. False if it has too many digits;
 * d is then unusable. */
bool decimal_least(struct decimal *d, const char *text, bool exclusive);
bool decimal_most(struct decimal *d, const char *text, bool exclusive);
bool decimal_multiple(struct decimal *d, const char *text);

/* Number of values in the set, at most `most`. */
int decimal_count(const struct decimal *d, int most);

/* Appends a byte. False, without any change, if no value begins like that. */
bool decimal_step(const struct decimal *d, struct decimal_state *s, char byte);
bool decimal_may_end(const struct decimal *d, const struct decimal_state *s);

/* Can no further byte follow? */
bool decimal_must_end(const struct decimal *d, const struct decimal_state *s);

/* The value, in units of 10^-part, once decimal_may_end is true. */
decimal_value decimal_get(const struct decimal *d,
                          const struct decimal_state *s);

/* Can the number still become `value`? */
bool decimal_leads_to(const struct decimal *d, const struct decimal_state *s,
                      decimal_value value);

/* Number of values that it can still become, at most `most`. */
int decimal_left(const struct decimal *d, const struct decimal_state *s,
                 int most);

/* Writes the k-th value by absolute size, whole numbers first, as text of at
 * most 64 bytes with the NUL. False if there are not that many. */
bool decimal_example(const struct decimal *d, int k, char out[static 64]);

#endif
