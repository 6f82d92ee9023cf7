/* exact.c - see exact.h. */
#include "vlm/base/exact.h"

#include <stdlib.h>

enum { SCALE_MAX = 18, EXPONENT_DIGITS = 4 };

/* Takes digits off *at into the number; false where it does not fit. */
static bool take_digits(const char **at, int64_t *n, int *count)
{
    for (*count = 0; **at >= '0' && **at <= '9'; ++*at, ++*count)
        if (__builtin_mul_overflow(*n, 10, n) ||
            __builtin_add_overflow(*n, **at - '0', n))
            return false;
    return true;
}

/* As many places as `scale`; false where it does not fit. */
static bool set_scale(struct exact *a, int scale)
{
    if (scale > SCALE_MAX) return false;
    for (; a->scale < scale; a->scale++)
        if (__builtin_mul_overflow(a->n, 10, &a->n)) return false;
    return true;
}

/* Zeros behind the point say nothing, and leave less room. */
static void drop_zeros(struct exact *a, int scale)
{
    for (; a->scale > scale && a->n % 10 == 0; a->scale--)
        a->n /= 10;
}

static bool read_exponent(const char **at, int *exponent)
{
    char *end = NULL;
    *exponent = 0;
    if (**at != 'e' && **at != 'E') return true;
    const char *digits = *at + 1 + ((*at)[1] == '-' || (*at)[1] == '+');
    if (*digits < '0' || *digits > '9') return false;
    long value = strtol(*at + 1, &end, 10);
    if (end - digits > EXPONENT_DIGITS) return false;
    *at = end;
    *exponent = (int)value;
    return true;
}

bool exact_read(const char *text, struct exact *out)
{
    bool negative = *text == '-';
    int whole, places = 0, exponent;
    struct exact a = {0};
    text += negative;
    if (!take_digits(&text, &a.n, &whole) || !whole) return false;
    if (*text == '.') {
        text++;
        if (!take_digits(&text, &a.n, &places) || !places) return false;
    }
    if (!read_exponent(&text, &exponent) || *text) return false;
    if (negative) a.n = -a.n;
    a.scale = places - exponent;
    if (!a.n) a.scale = 0;
    drop_zeros(&a, SCALE_MAX);
    *out = a;
    return a.scale <= SCALE_MAX && set_scale(out, 0);
}

bool exact_add(struct exact a, struct exact b, struct exact *out)
{
    int scale = a.scale > b.scale ? a.scale : b.scale;
    if (!set_scale(&a, scale) || !set_scale(&b, scale)) return false;
    out->scale = scale;
    return !__builtin_add_overflow(a.n, b.n, &out->n);
}

bool exact_subtract(struct exact a, struct exact b, struct exact *out)
{
    return !__builtin_sub_overflow(0, b.n, &b.n) && exact_add(a, b, out);
}

bool exact_multiply(struct exact a, struct exact b, struct exact *out)
{
    drop_zeros(&a, 0);
    drop_zeros(&b, 0);
    struct exact c = {.scale = a.scale + b.scale};
    if (__builtin_mul_overflow(a.n, b.n, &c.n)) return false;
    drop_zeros(&c, SCALE_MAX);
    *out = c;
    return c.scale <= SCALE_MAX;
}

bool exact_is_within(struct exact a, struct exact b, bool *known)
{
    int scale = a.scale > b.scale ? a.scale : b.scale;
    *known = set_scale(&a, scale) && set_scale(&b, scale) && a.n != INT64_MIN &&
             b.n != INT64_MIN;
    return *known && llabs(a.n) <= llabs(b.n);
}

void exact_print(struct exact a, struct buf *out)
{
    uint64_t n = a.n < 0 ? 0 - (uint64_t)a.n : (uint64_t)a.n, one = 1;
    for (int i = 0; i < a.scale; i++)
        one *= 10;
    buf_print(out, "%s%llu", a.n < 0 ? "-" : "", (unsigned long long)(n / one));
    if (a.scale)
        buf_print(out, ".%0*llu", a.scale, (unsigned long long)(n % one));
}
