/* number.c - see number.h. */
#include "vlm/base/number.h"

#include <string.h>

#include "vlm/base/fnv.h"
#include "vlm/base/text.h"

static const long long EXPONENT_MOST = 1000000000000000;

/* The exponent at *text, cut to +-EXPONENT_MOST; false: there is none. */
static bool read_exponent(const char **text, long long *exponent)
{
    bool negative = **text == '-';
    if (**text == '-' || **text == '+') ++*text;
    if (!text_is_digit(**text)) return false;
    long long value = 0;
    for (; text_is_digit(**text); ++*text)
        if (value < EXPONENT_MOST) value = value * 10 + (**text - '0');
    if (value > EXPONENT_MOST) value = EXPONENT_MOST;
    *exponent = negative ? -value : value;
    return true;
}

bool number_read(const char *text, struct number *out)
{
    struct number n = {.negative = *text == '-'};
    text += n.negative;
    const char *start = text, *point = NULL;
    long n_seen = 0; /* digits from d1 on */
    long long exponent = 0;
    n.power = -1;
    for (; text_is_digit(*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = text;
            continue;
        }
        if (!n.digits && *text != '0') n.digits = text;
        if (n.digits) n_seen++;
        if (n.digits && *text != '0') n.n_digit = n_seen;
        if (!point && n.digits) n.power++;
        if (point && !n.digits) n.power--;
    }
    bool good = text_is_digit(*start) && (!point || text_is_digit(point[1]));
    if (point) n.places = text - point - 1;
    if (*text == 'e' || *text == 'E')
        good = read_exponent((text++, &text), &exponent) && good;
    n.power += exponent;
    n.places -= exponent;
    *out = n.n_digit ? n : (struct number){.digits = ""};
    return good && !*text;
}

static int compare_size(const struct number *a, const struct number *b)
{
    if (a->n_digit == 0 || b->n_digit == 0)
        return (a->n_digit > 0) - (b->n_digit > 0);
    if (a->power != b->power) return a->power < b->power ? -1 : 1;
    long n = a->n_digit > b->n_digit ? a->n_digit : b->n_digit;
    const char *p = a->digits, *q = b->digits;
    for (long i = 0; i < n; i++) {
        int x = i < a->n_digit ? number_next_digit(&p) : 0;
        int y = i < b->n_digit ? number_next_digit(&q) : 0;
        if (x != y) return x - y;
    }
    return 0;
}

int number_compare(const char *a, const char *b)
{
    struct number x = number_of(a), y = number_of(b);
    if (x.negative != y.negative) return x.negative ? -1 : 1;
    int c = compare_size(&x, &y);
    return x.negative ? -c : c;
}

bool number_is_in_range(const char *a)
{
    struct number d = number_of(a);
    struct number most = number_of("1.7976931348623157e308");
    struct number least = number_of("5e-324");
    return d.n_digit == 0 ||
           (compare_size(&d, &most) <= 0 && compare_size(&d, &least) >= 0);
}

bool number_is_integer(const char *a)
{
    struct number d = number_of(a);
    return d.n_digit == 0 || d.power - (d.n_digit - 1) >= 0;
}

bool number_print(const struct number *n, int digits_most, char *out)
{
    long long n_whole = n->power < 0 ? 1 : n->power + 1;
    long long last = n->power - (n->n_digit - 1); /* power of the last digit */
    long long n_part = n->n_digit && last < 0 ? -last : 0;
    if (n_whole + n_part > digits_most) return false;
    const char *at = n->digits;
    long left = n->n_digit;
    if (n->negative) *out++ = '-';
    for (long long power = n_whole - 1; power >= -n_part; power--) {
        bool is_there = left > 0 && power <= n->power;
        if (power == -1) *out++ = '.';
        *out++ = (char)('0' + (is_there ? number_next_digit(&at) : 0));
        left -= is_there;
    }
    *out = '\0';
    return true;
}

bool number_plain(const char *a, char out[static NUMBER_PLAIN_SIZE])
{
    struct number d = number_of(a);
    return number_print(&d, NUMBER_PLAIN_MAX, out);
}

static void copy_digits(unsigned char *out, const struct number *d)
{
    const char *at = d->digits;
    for (long i = 0; i < d->n_digit; i++)
        out[i] = (unsigned char)number_next_digit(&at);
}

/* rest -= b where rest >= b; both most significant digit first; rest has
 * exactly one digit more than b. */
static bool subtract(unsigned char *rest, const unsigned char *b, long n)
{
    if (rest[0] == 0 && memcmp(rest + 1, b, (size_t)n) < 0) return false;
    int borrow = 0;
    for (long i = n; i >= 0; i--) {
        int v = rest[i] - borrow - (i > 0 ? b[i - 1] : 0);
        borrow = v < 0;
        rest[i] = (unsigned char)(v + 10 * borrow);
    }
    return true;
}

/* With a = A * 10^p and b = B * 10^q, A and B whole and not divisible by ten:
 * for p < q, B would have to hold a ten more than A has, so the answer is no;
 * else it is whether B divides A * 10^(p - q), by long division. More tens
 * than B has factors of two or five (under 4 a digit) change nothing. */
bool number_is_multiple(const char *a, const char *b)
{
    struct number x = number_of(a), y = number_of(b);
    if (x.n_digit == 0) return true;
    if (y.n_digit == 0) return false;
    if (x.n_digit > NUMBER_DIGITS_MAX || y.n_digit > NUMBER_DIGITS_MAX)
        return false;
    long long tens = (x.power - x.n_digit) - (y.power - y.n_digit);
    if (tens < 0) return false;
    if (tens > 4 * y.n_digit) tens = 4 * y.n_digit;

    unsigned char divisor[NUMBER_DIGITS_MAX], rest[NUMBER_DIGITS_MAX + 1] = {0};
    copy_digits(divisor, &y);
    const char *at = x.digits;
    for (long i = 0; i < x.n_digit + tens; i++) {
        memmove(rest, rest + 1, (size_t)y.n_digit);
        rest[y.n_digit] =
            (unsigned char)(i < x.n_digit ? number_next_digit(&at) : 0);
        while (subtract(rest, divisor, y.n_digit))
            continue;
    }
    for (long i = 0; i <= y.n_digit; i++)
        if (rest[i]) return false;
    return true;
}

uint64_t number_key(const struct number *n)
{
    uint64_t h = FNV_START;
    const char *at = n->digits;
    for (long i = 0; i < n->n_digit; i++)
        h = fnv_add(h, (uint64_t)number_next_digit(&at));
    h = fnv_add(h, (uint64_t)n->power);
    return h ^ (uint64_t)n->negative;
}

uint64_t number_hash(const char *a)
{
    struct number d = number_of(a);
    return number_key(&d);
}

long long number_whole(const char *a, long long least, long long most)
{
    struct number d = number_of(a);
    if (d.n_digit == 0) return least > 0 ? least : most < 0 ? most : 0;
    if (d.power < 0) return least > 0 ? least : most < 0 ? most : 0;
    long long value = 0;
    const char *at = d.digits;
    for (long long i = 0; i <= d.power; i++) {
        if (value > (INT64_MAX - 9) / 10) {
            value = INT64_MAX;
            break;
        }
        value = value * 10 + (i < d.n_digit ? number_next_digit(&at) : 0);
    }
    if (d.negative) value = -value;
    return value < least ? least : value > most ? most : value;
}
