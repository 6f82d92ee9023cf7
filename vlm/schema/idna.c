/* idna.c - see idna.h. */
#include "vlm/schema/idna.h"

#include <limits.h>
#include <stdlib.h>
#include <utf8proc.h>

/* --- Punycode (RFC 3492, section 6) -------------------------------------- */

enum {
    BASE = 36,
    T_LEAST = 1,
    T_MOST = 26,
    SKEW = 38,
    DAMP = 700,
    BIAS = 72,
    FIRST = 128
};

static int adapt(int delta, int n_point, bool first)
{
    delta = first ? delta / DAMP : delta / 2;
    delta += delta / n_point;
    int k = 0;
    for (; delta > (BASE - T_LEAST) * T_MOST / 2; k += BASE)
        delta /= BASE - T_LEAST;
    return k + (BASE - T_LEAST + 1) * delta / (delta + SKEW);
}

static int threshold(int k, int bias)
{
    return k <= bias ? T_LEAST : k >= bias + T_MOST ? T_MOST : k - bias;
}

static int digit_of(char c)
{
    if (c >= 'a' && c <= 'z') return c - 'a';
    if (c >= 'A' && c <= 'Z') return c - 'A';
    return c >= '0' && c <= '9' ? c - '0' + 26 : -1;
}

/* One number of variable length; false at its end or when it is too big. */
static bool decode_number(struct span text, size_t *at, int bias, int *value)
{
    long long w = 1, sum = *value;
    for (int k = BASE;; k += BASE) {
        int digit = *at < text.size ? digit_of(text.data[*at]) : -1;
        if (digit < 0) return false;
        ++*at;
        sum += digit * w;
        if (sum > INT_MAX) return false;
        int t = threshold(k, bias);
        if (digit < t) break;
        w *= BASE - t;
        if (w > INT_MAX) return false;
    }
    *value = (int)sum;
    return true;
}

int idna_decode(struct span text, int rune[static IDNA_LABEL_MAX])
{
    int n = 0, value = 0, bias = BIAS, point = FIRST;
    size_t at = 0;
    for (size_t i = text.size; i > 0; i--)
        if (text.data[i - 1] == '-') {
            at = i;
            break;
        }
    if (at > IDNA_LABEL_MAX) return -1;
    for (size_t i = 0; at > 0 && i < at - 1; i++) {
        if ((unsigned char)text.data[i] >= FIRST) return -1;
        rune[n++] = text.data[i];
    }
    while (at < text.size) {
        int old = value;
        if (!decode_number(text, &at, bias, &value)) return -1;
        if (n == IDNA_LABEL_MAX) return -1;
        bias = adapt(value - old, n + 1, old == 0);
        if (value / (n + 1) > 0x10ffff - point) return -1;
        point += value / (n + 1);
        value %= n + 1;
        memmove(rune + value + 1, rune + value,
                (size_t)(n - value) * sizeof *rune);
        rune[value++] = point;
        n++;
    }
    return n;
}

static int number_size(int value, int bias)
{
    int n = 1;
    for (int k = BASE;; k += BASE, n++) {
        int t = threshold(k, bias);
        if (value < t) return n;
        value = (value - t) / (BASE - t);
    }
}

int idna_encoded_size(const int *rune, int n)
{
    int n_basic = 0, delta = 0, bias = BIAS, point = FIRST;
    for (int i = 0; i < n; i++)
        n_basic += rune[i] < FIRST;
    int size = n_basic + (n_basic > 0), done = n_basic;
    while (done < n) {
        int next = INT_MAX;
        for (int i = 0; i < n; i++)
            if (rune[i] >= point && rune[i] < next) next = rune[i];
        long long step = (long long)(next - point) * (done + 1) + delta;
        if (step > INT_MAX / 2) return INT_MAX;
        delta = (int)step;
        point = next;
        for (int i = 0; i < n; i++) {
            delta += rune[i] < point;
            if (rune[i] != point) continue;
            size += number_size(delta, bias);
            bias = adapt(delta, done + 1, done == n_basic);
            delta = 0;
            done++;
        }
        delta++;
        point++;
    }
    return size;
}

/* --- which characters (RFC 5892) ----------------------------------------- */

enum class { DISALLOWED, ALLOWED, BY_CONTEXT };

struct range {
    int first, last;
};

static bool within(const struct range *range, size_t n, int rune)
{
    for (size_t i = 0; i < n; i++)
        if (rune >= range[i].first && rune <= range[i].last) return true;
    return false;
}

#define WITHIN(rune, ...)                                                      \
    within((const struct range[]){__VA_ARGS__},                                \
           sizeof((const struct range[]){__VA_ARGS__}) / sizeof(struct range), \
           rune)

/* Does the character survive case folding and compatibility mapping? */
static bool is_stable(int rune)
{
    utf8proc_uint8_t text[8], *mapped = NULL;
    utf8proc_ssize_t n = utf8proc_encode_char(rune, text);
    utf8proc_ssize_t m = utf8proc_map(text, n, &mapped,
                                      UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                          UTF8PROC_COMPAT | UTF8PROC_CASEFOLD);
    bool same = m == n && !memcmp(text, mapped, (size_t)n);
    free(mapped); /* utf8proc's own */
    return same;
}

static enum class class_of(int rune) {
    if (WITHIN(rune, {0xdf, 0xdf}, {0x3c2, 0x3c2}, {0x6fd, 0x6fe},
               {0xf0b, 0xf0b}, {0x3007, 0x3007})) return ALLOWED;
    if (WITHIN(rune, {0xb7, 0xb7}, {0x375, 0x375}, {0x5f3, 0x5f4},
               {0x660, 0x669}, {0x6f0, 0x6f9}, {0x30fb, 0x30fb},
               {0x200c, 0x200d})) return BY_CONTEXT;
    if (WITHIN(rune, {0x640, 0x640}, {0x7fa, 0x7fa}, {0x302e, 0x302f},
               {0x3031, 0x3035}, {0x303b, 0x303b})) return DISALLOWED;
    if (rune < 0x80) return WITHIN(rune, {'a', 'z'}, {'0', '9'}, {'-', '-'})
        ? ALLOWED
        : DISALLOWED;
    if (WITHIN(rune, {0x1100, 0x11ff}, {0xa960, 0xa97f},
               {0xd7b0, 0xd7ff})) return DISALLOWED; /* old Hangul */
    if (WITHIN(rune, {0x20d0, 0x20ff}, {0x1d100, 0x1d24f}) ||
        utf8proc_get_property(rune)->ignorable ||
        !is_stable(rune)) return DISALLOWED;
    switch (utf8proc_category(rune)){
        case UTF8PROC_CATEGORY_LL : case UTF8PROC_CATEGORY_LU : case
        UTF8PROC_CATEGORY_LO : case UTF8PROC_CATEGORY_LM : case
        UTF8PROC_CATEGORY_ND : case UTF8PROC_CATEGORY_MN : case
        UTF8PROC_CATEGORY_MC : return ALLOWED;
        default : return DISALLOWED;
    }
}

static bool is_virama(int rune)
{
    return utf8proc_get_property(rune)->combining_class == 9;
}

/* Arabic letters that join to both sides, or (first) to the one behind. */
static bool joins(int rune, bool both)
{
    if (!WITHIN(rune, {0x620, 0x63f}, {0x641, 0x64a}, {0x66e, 0x66f},
                {0x671, 0x6d3}, {0x6fa, 0x6fc}, {0x750, 0x77f}))
        return false;
    return !both || !WITHIN(rune, {0x621, 0x625}, {0x627, 0x627},
                            {0x629, 0x629}, {0x62f, 0x632}, {0x648, 0x648},
                            {0x671, 0x677}, {0x688, 0x699}, {0x6c0, 0x6cb},
                            {0x6cd, 0x6cd}, {0x6cf, 0x6cf}, {0x6d2, 0x6d3});
}

static bool any_within(const int *rune, int n, int first, int last)
{
    for (int i = 0; i < n; i++)
        if (rune[i] >= first && rune[i] <= last) return true;
    return false;
}

/* RFC 5892, appendix A. */
static bool context_holds(const int *rune, int n, int i)
{
    int before = i > 0 ? rune[i - 1] : 0, after = i + 1 < n ? rune[i + 1] : 0;
    switch (rune[i]) {
    case 0xb7: return before == 'l' && after == 'l';
    case 0x375: return WITHIN(after, {0x370, 0x3ff}, {0x1f00, 0x1fff});
    case 0x5f3:
    case 0x5f4: return WITHIN(before, {0x591, 0x5f4});
    case 0x200d: return is_virama(before);
    case 0x200c:
        return is_virama(before) ||
               (joins(before, true) && joins(after, false));
    case 0x30fb:
        for (int k = 0; k < n; k++)
            if (WITHIN(rune[k], {0x3005, 0x3005}, {0x3007, 0x3007},
                       {0x3041, 0x3096}, {0x30a1, 0x30fa}, {0x31f0, 0x31ff},
                       {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff},
                       {0x20000, 0x3ffff}))
                return true;
        return false;
    default:
        return rune[i] <= 0x669 ? !any_within(rune, n, 0x6f0, 0x6f9)
                                : !any_within(rune, n, 0x660, 0x669);
    }
}

/* --- direction (RFC 5893, section 2) -------------------------------------- */

static bool direction_holds(const int *rune, int n)
{
    bool right = false, arabic = false, european = false;
    utf8proc_bidi_class_t last = UTF8PROC_BIDI_CLASS_NSM, first;
    first = (utf8proc_bidi_class_t)utf8proc_get_property(rune[0])->bidi_class;
    right = first == UTF8PROC_BIDI_CLASS_R || first == UTF8PROC_BIDI_CLASS_AL;
    for (int i = 0; i < n; i++) {
        utf8proc_bidi_class_t c =
            (utf8proc_bidi_class_t)utf8proc_get_property(rune[i])->bidi_class;
        bool is_right =
            c == UTF8PROC_BIDI_CLASS_R || c == UTF8PROC_BIDI_CLASS_AL;
        if (right ? c == UTF8PROC_BIDI_CLASS_L : is_right) return false;
        arabic |= c == UTF8PROC_BIDI_CLASS_AN;
        european |= c == UTF8PROC_BIDI_CLASS_EN;
        if (c != UTF8PROC_BIDI_CLASS_NSM) last = c;
    }
    if (!right) return true;
    return !(arabic && european) &&
           (last == UTF8PROC_BIDI_CLASS_R || last == UTF8PROC_BIDI_CLASS_AL ||
            last == UTF8PROC_BIDI_CLASS_EN || last == UTF8PROC_BIDI_CLASS_AN);
}

bool idna_label(const int *rune, int n)
{
    if (rune[0] == '-' || rune[n - 1] == '-') return false;
    if (n > 3 && rune[2] == '-' && rune[3] == '-') return false;
    utf8proc_category_t first = utf8proc_category(rune[0]);
    if (first == UTF8PROC_CATEGORY_MN || first == UTF8PROC_CATEGORY_MC ||
        first == UTF8PROC_CATEGORY_ME)
        return false;
    for (int i = 0; i < n; i++) {
        enum class c = class_of(rune[i]);
        if (c == DISALLOWED || (c == BY_CONTEXT && !context_holds(rune, n, i)))
            return false;
    }
    return direction_holds(rune, n);
}
