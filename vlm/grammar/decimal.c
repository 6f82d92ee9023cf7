/* decimal.c - see decimal.h.
 *
 * A prefix represents a few intervals of absolute values: "12" is 12 (with any
 * decimals), 120 to 129, 1200 to 1299 and so on. A value is left if one of them
 * contains a multiple of the step within the bounds.
 */
#include "vlm/grammar/decimal.h"

#include <string.h>

#include "vlm/base/number.h"

struct interval {
    decimal_value first, last; /* empty when last < first */
};

static decimal_value power10(int n)
{
    decimal_value value = 1;
    while (n-- > 0)
        value *= 10;
    return value;
}

static decimal_value top(const struct decimal *d)
{
    return power10(d->whole + d->part) - 1;
}

void decimal_init(struct decimal *d, bool integer)
{
    *d = (struct decimal){.whole = DECIMAL_WHOLE_MAX,
                          .part = integer ? 0 : DECIMAL_PART_MAX,
                          .step = 1,
                          .integer = integer,
                          .stepped = integer,
                          .free = true};
    d->high = top(d);
    d->low = -d->high;
}

/* Exponent (power of ten) of the last digit. */
static long long last_power(const struct number *p)
{
    return p->power - (p->n_digit - 1);
}

/* False if there are more significant digits than fit. */
static bool read_number(const char *text, struct number *p)
{
    return number_read(text, p) && p->n_digit <= DECIMAL_DIGITS_MAX;
}

/* The absolute value in units of 10^-part, rounded down; *exact is false if
 * digits were lost. Values too large for the digits become top(d) + 1. */
static decimal_value in_units(const struct decimal *d, const struct number *p,
                              bool *exact)
{
    *exact = true;
    if (p->n_digit == 0) return 0;
    if (p->power >= d->whole) return top(d) + 1;
    long long shift = last_power(p) + d->part;
    decimal_value value = 0;
    const char *at = p->digits;
    for (long i = 0; i < p->n_digit; i++) {
        if (shift < 0 && i >= p->n_digit + shift) {
            *exact = false;
            break;
        }
        value = value * 10 + number_next_digit(&at);
    }
    return shift > 0 ? value * power10((int)shift) : value;
}

/* Increases `whole` and `part` to fit the digits of a bound or step. */
static bool widen(struct decimal *d, const struct number *p, bool behind_point)
{
    long long whole = p->power + 1, part = -last_power(p);
    int old_part = d->part;
    if (p->n_digit == 0) return true;
    if (whole > d->whole && whole + d->part <= DECIMAL_DIGITS_MAX) {
        d->whole = (int)whole;
        if (d->free) d->low = -(d->high = top(d));
    }
    if (!behind_point || part <= d->part) return true;
    if (d->whole + part > DECIMAL_DIGITS_MAX) return false;
    d->part = (int)part;
    decimal_value scale = power10(d->part - old_part);
    d->step = d->stepped ? d->step * scale : 1;
    d->low = d->free ? -top(d) : d->low * scale;
    d->high = d->free ? top(d) : d->high * scale;
    return true;
}

/* Restricts to at least (sign 1) or at most (-1) the number. */
static bool bound(struct decimal *d, const char *text, bool exclusive, int sign)
{
    struct number p;
    bool exact;
    if (!read_number(text, &p) || !widen(d, &p, !d->integer)) return false;
    decimal_value size = in_units(d, &p, &exact);
    decimal_value value = p.negative ? -size : size;
    bool truncated_inwards = p.negative == (sign > 0); /* towards 0 */
    if (exact ? exclusive : !truncated_inwards) value += sign;
    if (sign > 0 ? value <= d->low : value >= d->high) return true;
    *(sign > 0 ? &d->low : &d->high) = value;
    d->free = false;
    return true;
}

bool decimal_least(struct decimal *d, const char *text, bool exclusive)
{
    return bound(d, text, exclusive, 1);
}

bool decimal_most(struct decimal *d, const char *text, bool exclusive)
{
    return bound(d, text, exclusive, -1);
}

static decimal_value common_divisor(decimal_value a, decimal_value b)
{
    while (b) {
        decimal_value rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool decimal_multiple(struct decimal *d, const char *text)
{
    struct number p;
    bool exact;
    if (!read_number(text, &p) || !widen(d, &p, true)) return false;
    if (p.n_digit == 0) return false;
    decimal_value step = in_units(d, &p, &exact);
    if (!exact) return false;
    if (step > top(d)) { /* only 0 is left */
        if (d->low < 0) d->low = 0;
        if (d->high > 0) d->high = 0;
        step = 1;
    }
    decimal_value shared = common_divisor(step, d->step);
    if (step / shared > top(d) / d->step) return false;
    d->step = step / shared * d->step;
    d->stepped = true;
    d->free = false;
    return true;
}

/* Number of multiples of the step in the interval, which must not be
 * negative. */
static decimal_value multiples(const struct decimal *d, struct interval i)
{
    if (i.last < i.first) return 0;
    return i.last / d->step - (i.first + d->step - 1) / d->step + 1;
}

/* Absolute values admitted with this sign. */
static struct interval sizes(const struct decimal *d, bool negative)
{
    struct interval i = {negative ? -d->high : d->low,
                         negative ? -d->low : d->high};
    if (i.first < negative) i.first = negative; /* no "-0" */
    if (i.last > top(d)) i.last = top(d);
    return i;
}

/* The j-th interval of absolute values that the prefix can become; false after
 * the last. */
static bool next_interval(const struct decimal *d,
                          const struct decimal_state *s, int j,
                          struct interval *out)
{
    decimal_value unit = power10(d->part - s->n_part);
    if (s->phase == DECIMAL_START || s->phase == DECIMAL_MINUS) {
        *out = (struct interval){0, top(d)};
        return j == 0;
    }
    if (s->phase == DECIMAL_WHOLE) {
        if (j > d->whole - s->n_whole) return false;
        unit *= power10(j);
    } else if (j > 0)
        return false;
    out->first = s->digits * unit;
    out->last = out->first + unit - 1;
    return true;
}

static struct interval intersection(struct interval a, struct interval b)
{
    return (struct interval){a.first > b.first ? a.first : b.first,
                             a.last < b.last ? a.last : b.last};
}

int decimal_left(const struct decimal *d, const struct decimal_state *s,
                 int most)
{
    decimal_value count = 0;
    struct interval i;
    struct interval legal = sizes(d, s->negative);
    for (int j = 0; count < most && next_interval(d, s, j, &i); j++)
        count += multiples(d, intersection(i, legal));
    if (s->phase == DECIMAL_START && count < most)
        count += multiples(d, sizes(d, true));
    return count < most ? (int)count : most;
}

int decimal_count(const struct decimal *d, int most)
{
    return decimal_left(d, &(struct decimal_state){0}, most);
}

bool decimal_leads_to(const struct decimal *d, const struct decimal_state *s,
                      decimal_value value)
{
    bool negative = value < 0;
    if (s->phase == DECIMAL_START) return true;
    if (negative != s->negative) return false;
    struct interval i;
    decimal_value size = negative ? -value : value;
    for (int j = 0; next_interval(d, s, j, &i); j++)
        if (size >= i.first && size <= i.last) return true;
    return false;
}

static bool append_digit(const struct decimal *d, struct decimal_state *s,
                         int digit)
{
    switch ((enum decimal_phase)s->phase) {
    case DECIMAL_ZERO: return false;
    case DECIMAL_START:
    case DECIMAL_MINUS:
        s->phase = digit ? DECIMAL_WHOLE : DECIMAL_ZERO;
        s->n_whole = 1;
        break;
    case DECIMAL_WHOLE:
        if (s->n_whole == d->whole) return false;
        s->n_whole++;
        break;
    case DECIMAL_POINT:
    case DECIMAL_PART:
        if (s->n_part == d->part) return false;
        s->phase = DECIMAL_PART;
        s->n_part++;
        break;
    }
    s->digits = s->digits * 10 + digit;
    return true;
}

bool decimal_step(const struct decimal *d, struct decimal_state *s, char byte)
{
    struct decimal_state next = *s;
    if (byte == '-') {
        if (s->phase != DECIMAL_START) return false;
        next.phase = DECIMAL_MINUS;
        next.negative = true;
    } else if (byte == '.') {
        if ((s->phase != DECIMAL_ZERO && s->phase != DECIMAL_WHOLE) ||
            d->part == 0 || d->integer)
            return false;
        next.phase = DECIMAL_POINT;
    } else if (byte >= '0' && byte <= '9') {
        if (!append_digit(d, &next, byte - '0')) return false;
    } else
        return false;
    if (!decimal_left(d, &next, 1)) return false;
    *s = next;
    return true;
}

decimal_value decimal_get(const struct decimal *d,
                          const struct decimal_state *s)
{
    decimal_value size = s->digits * power10(d->part - s->n_part);
    return s->negative ? -size : size;
}

bool decimal_may_end(const struct decimal *d, const struct decimal_state *s)
{
    if (s->phase != DECIMAL_ZERO && s->phase != DECIMAL_WHOLE &&
        s->phase != DECIMAL_PART)
        return false;
    decimal_value value = decimal_get(d, s);
    if (value == 0 && s->negative) return false;
    return value >= d->low && value <= d->high && value % d->step == 0;
}

bool decimal_must_end(const struct decimal *d, const struct decimal_state *s)
{
    for (const char *byte = ".0123456789"; *byte; byte++) {
        struct decimal_state next = *s;
        if (decimal_step(d, &next, *byte)) return false;
    }
    return true;
}

/* Writes a value without trailing zeros after the point. */
static void print_value(const struct decimal *d, decimal_value value, char *out)
{
    char digit[64];
    int n = 0;
    decimal_value size = value < 0 ? -value : value;
    int part = d->part;
    for (; part > 0 && size % 10 == 0; part--)
        size /= 10;
    while (size > 0 || n <= part) {
        digit[n++] = (char)('0' + (int)(size % 10));
        size /= 10;
    }
    if (value < 0) *out++ = '-';
    while (n > 0) {
        *out++ = digit[--n];
        if (n == part && part > 0) *out++ = '.';
    }
    *out = '\0';
}

bool decimal_example(const struct decimal *d, int k, char out[static 64])
{
    struct interval up = sizes(d, false), down = sizes(d, true);
    /* whole values first if possible, as a person would choose */
    decimal_value unit = power10(d->part);
    decimal_value share = d->step / common_divisor(d->step, unit);
    if (decimal_count(d, k + 1) <= k) return false;
    for (int round = share > top(d) / unit; round < 2; round++) {
        decimal_value step = round == 0 ? share * unit : d->step;
        decimal_value a = (up.first + step - 1) / step * step;
        decimal_value b = (down.first + step - 1) / step * step;
        int left = k;
        while (a <= up.last || b <= down.last) {
            bool positive = a <= up.last && (b > down.last || a <= b);
            if (left-- == 0) {
                print_value(d, positive ? a : -b, out);
                return true;
            }
            *(positive ? &a : &b) += step;
        }
    }
    return false;
}
