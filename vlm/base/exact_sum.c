/* exact_sum.c - see exact_sum.h. */
#include "vlm/base/exact_sum.h"

#include <stdlib.h>

#include "vlm/base/number.h"

enum { SCALE_MAX = 18 };

/* Changes the number to `scale` places; false if it does not fit. */
static bool set_scale(struct exact_sum *a, int scale)
{
    if (scale > SCALE_MAX) return false;
    for (; a->scale < scale; a->scale++)
        if (__builtin_mul_overflow(a->n, 10, &a->n)) return false;
    return true;
}

/* Removes trailing zeros after the point, to leave more range. */
static void drop_zeros(struct exact_sum *a, int scale)
{
    for (; a->scale > scale && a->n % 10 == 0; a->scale--)
        a->n /= 10;
}

bool exact_sum_read(const char *text, struct exact_sum *out)
{
    struct number number;
    if (!number_read(text, &number)) return false;
    long long scale = number.n_digit - 1 - number.power;
    struct exact_sum a = {0};
    const char *at = number.digits;
    for (long i = 0; i < number.n_digit; i++)
        if (__builtin_mul_overflow(a.n, 10, &a.n) ||
            __builtin_add_overflow(a.n, number_next_digit(&at), &a.n))
            return false;
    if (scale > SCALE_MAX || scale < -SCALE_MAX) return false;
    a.scale = (int)scale;
    if (number.negative) a.n = -a.n;
    *out = a;
    return set_scale(out, number.places > SCALE_MAX ? SCALE_MAX
                          : number.places < 0       ? 0
                                                    : (int)number.places);
}

bool exact_sum_add(struct exact_sum a, struct exact_sum b,
                   struct exact_sum *out)
{
    int scale = a.scale > b.scale ? a.scale : b.scale;
    if (!set_scale(&a, scale) || !set_scale(&b, scale)) return false;
    out->scale = scale;
    return !__builtin_add_overflow(a.n, b.n, &out->n);
}

bool exact_sum_subtract(struct exact_sum a, struct exact_sum b,
                        struct exact_sum *out)
{
    return !__builtin_sub_overflow(0, b.n, &b.n) && exact_sum_add(a, b, out);
}

bool exact_sum_multiply(struct exact_sum a, struct exact_sum b,
                        struct exact_sum *out)
{
    drop_zeros(&a, 0);
    drop_zeros(&b, 0);
    struct exact_sum c = {.scale = a.scale + b.scale};
    if (__builtin_mul_overflow(a.n, b.n, &c.n)) return false;
    drop_zeros(&c, SCALE_MAX);
    *out = c;
    return c.scale <= SCALE_MAX;
}

struct exact_sum exact_sum_shorten(struct exact_sum a)
{
    drop_zeros(&a, 0);
    return a;
}

bool exact_sum_equals(struct exact_sum a, struct exact_sum b)
{
    struct exact_sum left;
    return exact_sum_subtract(a, b, &left) && left.n == 0;
}

bool exact_sum_is_within(struct exact_sum a, struct exact_sum b, bool *known)
{
    int scale = a.scale > b.scale ? a.scale : b.scale;
    *known = set_scale(&a, scale) && set_scale(&b, scale) && a.n != INT64_MIN &&
             b.n != INT64_MIN;
    return *known && llabs(a.n) <= llabs(b.n);
}

void exact_sum_print(struct exact_sum a, struct buf *out)
{
    uint64_t n = a.n < 0 ? 0 - (uint64_t)a.n : (uint64_t)a.n, one = 1;
    for (int i = 0; i < a.scale; i++)
        one *= 10;
    buf_print(out, "%s%llu", a.n < 0 ? "-" : "", (unsigned long long)(n / one));
    if (a.scale)
        buf_print(out, ".%0*llu", a.scale, (unsigned long long)(n % one));
}
