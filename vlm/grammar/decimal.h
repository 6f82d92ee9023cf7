/* decimal.h - the numbers a schema admits, and a number as it is being written.
 *
 * Numbers are written without exponent: up to DECIMAL_WHOLE_MAX digits, then,
 * for those that need not be whole, up to DECIMAL_PART_MAX behind the point
 * (more of either where the schema's own bounds have more). A value is a whole
 * number of units of 10^-part, so all questions are answered exactly.
 */
#ifndef VLM_GRAMMAR_DECIMAL_H
#define VLM_GRAMMAR_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_WHOLE_MAX = 20, DECIMAL_PART_MAX = 10, DECIMAL_DIGITS_MAX = 36 };

/* C17 has no name for a type this wide. */
__extension__ typedef __int128 decimal_value;

struct decimal {
    int whole, part;         /* digits in front of and behind the point */
    decimal_value low, high; /* in units of 10^-part */
    decimal_value step;      /* every value is a multiple of it */
    bool integer;            /* no point, whatever `part` is */
    bool stepped;            /* the step is more than the smallest unit */
    bool free;               /* no bound and no step but those of the digits */
};

enum decimal_phase {
    DECIMAL_START,
    DECIMAL_MINUS,
    DECIMAL_ZERO, /* "0" or "-0", which no digit may follow */
    DECIMAL_WHOLE,
    DECIMAL_POINT,
    DECIMAL_PART
};

/* A number as far as it has been written. All zero: not begun. */
struct decimal_state {
    decimal_value digits; /* all so far, without sign and point */
    uint8_t phase, n_whole, n_part;
    bool negative;
};

/* No bound but the digits; `integer`: no point. */
void decimal_init(struct decimal *d, bool integer);

/* Narrow the set. `text` is a JSON number. False when it has more digits than
 * can be counted here; d is then unusable. */
bool decimal_least(struct decimal *d, const char *text, bool exclusive);
bool decimal_most(struct decimal *d, const char *text, bool exclusive);
bool decimal_multiple(struct decimal *d, const char *text);

/* How many values there are, counted up to `most`. */
int decimal_count(const struct decimal *d, int most);

/* Advances by a byte; false, and no change, when no value of the set begins
 * like that. */
bool decimal_step(const struct decimal *d, struct decimal_state *s, char byte);
bool decimal_may_end(const struct decimal *d, const struct decimal_state *s);

/* Only the end may follow. */
bool decimal_must_end(const struct decimal *d, const struct decimal_state *s);

/* The value, where decimal_may_end. */
decimal_value decimal_get(const struct decimal *d,
                          const struct decimal_state *s);

/* Is `value` among those that what was written may become; and how many values
 * are there, counted up to `most`? */
bool decimal_leads_to(const struct decimal *d, const struct decimal_state *s,
                      decimal_value value);
int decimal_left(const struct decimal *d, const struct decimal_state *s,
                 int most);

/* The k-th value in order of size without sign, as text of at most 64 bytes.
 * False when there are not as many. */
bool decimal_example(const struct decimal *d, int k, char out[static 64]);

#endif
