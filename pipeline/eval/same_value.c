/* same_value.c - see same_value.h. */
#include "pipeline/eval/same_value.h"

#include <string.h>

#include "stages/print/canon_number.h"
#include "vlm/base/number.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum { TEXT_MOST = 1 << 27, SHORT_MOST = 128, WORDS_OF_DATE = 5 };

bool same_value_is_null(const cJSON *value)
{
    return !value || cJSON_IsNull(value);
}

bool same_value_exactly(const cJSON *a, const cJSON *b)
{
    if (same_value_is_null(a) || same_value_is_null(b))
        return same_value_is_null(a) && same_value_is_null(b);
    return json_equal(a, b);
}

/* --- forms --------------------------------------------------------------- */

/* One case, one space between words, none at the ends. */
static void add_normalised(struct buf *out, const char *text)
{
    struct buf one_case = buf_limit(TEXT_MOST);
    if (!utf8_add_caseless(text, &one_case)) buf_add_text(&one_case, text);
    const char *at = buf_span(&one_case).data;
    for (bool first = true;; first = false) {
        at += strspn(at, " \t\r\n\v\f");
        size_t n = strcspn(at, " \t\r\n\v\f");
        if (!n) break;
        if (!first) buf_add_text(out, " ");
        buf_add(out, at, n);
        at += n;
    }
    buf_free(&one_case);
}

/* Removes the sign of a number; returns whether it was a minus. */
static bool strip_sign(char *text)
{
    static const char minus[] = "\u2212";
    size_t n = strlen(text);
    bool round = n > 2 && text[0] == '(' && text[n - 1] == ')';
    bool behind = n > 1 && text[n - 1] == '-';
    size_t front = round || *text == '-'                     ? 1
                   : !strncmp(text, minus, sizeof minus - 1) ? sizeof minus - 1
                                                             : 0;
    if (round || behind) text[n - 1] = '\0';
    memmove(text, text + front, strlen(text + front) + 1);
    return front > 0 || behind;
}

/* Only digits and separators, and not a code with a leading 0. */
static bool is_figure(const char *text)
{
    bool code = text[0] == '0' && text[1] >= '0' && text[1] <= '9';
    return *text && !code && strspn(text, "0123456789.,'") == strlen(text);
}

/* Adds an amount; false: not an amount, or ambiguous. */
static bool add_amount(struct buf *out, const char *text)
{
    char figure[SHORT_MOST];
    struct canon c;
    if (strlen(text) >= sizeof figure) return false;
    memcpy(figure, text, strlen(text) + 1);
    bool minus = strip_sign(figure);
    if (!is_figure(figure) || !canon_number(figure, &c) || c.other)
        return false;
    minus &= strpbrk(figure, "123456789") != NULL;
    buf_print(out, "n%c%llx", minus ? '-' : '+', (unsigned long long)c.key);
    return true;
}

static void add_number(struct buf *out, const char *number)
{
    char plain[NUMBER_PLAIN_SIZE + 1];
    bool has_plain = number_plain(number, plain);
    const char *point = has_plain ? strchr(plain, '.') : NULL;
    size_t n = has_plain ? strlen(plain) : 0;
    /* 1.234 as a text could be a thousand; 1.2340 cannot */
    if (point && strlen(point) == 4) memcpy(plain + n, "0", 2);
    if (!has_plain || !add_amount(out, plain))
        buf_print(out, "h%llx", (unsigned long long)number_hash(number));
}

/* Has the text a time of day? Then it is not only a date. */
static bool has_time(const char *text)
{
    for (const char *at = text; *at; at++)
        if (*at == ':' || (*at == 't' && at[1] >= '0' && at[1] <= '9'))
            return true;
    return false;
}

/* Splits the text into words, in place; 0: too many. */
static int split_words(char *text, const char *word[static WORDS_OF_DATE])
{
    int n = 0;
    for (char *at = text; *at; n++) {
        if (n == WORDS_OF_DATE) return 0;
        word[n] = at;
        at += strcspn(at, " ");
        if (*at) *at++ = '\0';
    }
    return n;
}

/* Adds an unambiguous date with a year; false: it is none. */
static bool add_date(struct buf *out, const char *text)
{
    char folded[SHORT_MOST];
    const char *word[WORDS_OF_DATE];
    struct canon c;
    if (strlen(text) >= sizeof folded / 2 || has_time(text)) return false;
    utf8_fold(text, folded, sizeof folded);
    int n = split_words(folded, word);
    if (!n || canon_date(word, n, &c) != n || c.other || !c.year || !c.century)
        return false;
    buf_print(out, "d%d/%llx", c.century * 100 + c.year - 1,
              (unsigned long long)c.key);
    return true;
}

void same_value_print(const cJSON *leaf, struct buf *out)
{
    struct buf text = buf_limit(TEXT_MOST);
    if (cJSON_IsNumber(leaf)) {
        add_number(out, json_number(leaf));
    } else if (!cJSON_IsString(leaf)) {
        buf_add_text(out, cJSON_IsTrue(leaf) ? "true" : "false");
    } else {
        add_normalised(&text, leaf->valuestring);
        const char *normalised = buf_span(&text).data;
        if (!add_date(out, normalised) && !add_amount(out, normalised))
            buf_print(out, "t%s", normalised);
    }
    buf_free(&text);
}

bool same_value_tolerantly(const cJSON *a, const cJSON *b)
{
    struct buf one = buf_limit(TEXT_MOST), other = buf_limit(TEXT_MOST);
    if (same_value_exactly(a, b)) return true;
    if (same_value_is_null(a) || same_value_is_null(b)) return false;
    same_value_print(a, &one);
    same_value_print(b, &other);
    bool same = span_equal(buf_span(&one), buf_span(&other));
    buf_free(&one);
    buf_free(&other);
    return same;
}
