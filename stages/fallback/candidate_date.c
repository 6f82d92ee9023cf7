/* candidate_date.c - see candidate_date.h. */
#include "stages/fallback/candidate_date.h"

#include <string.h>

#include "stages/alignment/assign.h"
#include "stages/alignment/find.h"
#include "stages/alignment/label.h"
#include "stages/alignment/meaning.h"
#include "stages/alignment/occurrence.h"
#include "stages/alignment/unit.h"
#include "stages/alignment/wanted.h"

/* State while a date is scanned. */
struct date_scan {
    const char *at;
    char *out;
    int n;
    bool blanks; /* it has spaces */
};

/* The digit that a character is or looks like, or 0. */
static char digit_of(char c)
{
    if (fold_is_digit(c)) return c;
    if (c == 'O' || c == 'o') return '0';
    return c == 'l' || c == 'I' || c == '|' ? '1' : 0;
}

/* Number of characters that are or look like digits; 0: none is one. */
static int count_digits(const char *at)
{
    int n = 0, n_digit = 0;
    for (; digit_of(at[n]); n++)
        n_digit += fold_is_digit(at[n]);
    return n_digit ? n : 0;
}

static void skip_blanks(struct date_scan *s)
{
    s->blanks |= *s->at == ' ';
    s->at += strspn(s->at, " ");
}

static void append_digits(struct date_scan *s, int n)
{
    while (n-- > 0)
        s->out[s->n++] = digit_of(*s->at++);
}

/* The separator - / or . with spaces around it; 0: none. */
static char append_separator(struct date_scan *s)
{
    skip_blanks(s);
    if (!*s->at || !strchr("-/.", *s->at)) return 0;
    char separator = s->out[s->n++] = *s->at++;
    skip_blanks(s);
    return separator;
}

static bool is_whole_year(const char *at)
{
    return (at[0] == '1' && at[1] == '9') || (at[0] == '2' && at[1] == '0');
}

/* Of n digits at the end of a date, those of the year: an hour can follow
 * without a space. */
static int digits_of_year(const char *at, int n)
{
    if (at[n] != ':' || n < 3) return n;
    return n > 3 && is_whole_year(at) ? 4 : 2;
}

/* 14/04/2018, 14.04.18 or 2018-04-14; with spaces the year has four digits. */
static bool scan_date(struct date_scan *s)
{
    int first = count_digits(s->at);
    if (first != 1 && first != 2 && first != 4) return false;
    append_digits(s, first);
    if (first == 4 && !is_whole_year(s->out)) return false;
    char separator = append_separator(s);
    int second = count_digits(s->at);
    if (!separator || second < 1 || second > 2) return false;
    append_digits(s, second);
    if (append_separator(s) != separator) return false;
    s->at += *s->at == '\''; /* '18 */
    int last = digits_of_year(s->at, count_digits(s->at));
    if (first == 4 ? last != 1 && last != 2 : last != 2 && last != 4)
        return false;
    if (s->blanks && first != 4 && last != 4) return false;
    append_digits(s, last);
    s->out[s->n] = '\0';
    if (*s->at == separator && fold_is_digit(s->at[1])) return false;
    return last != 4 || is_whole_year(s->out + s->n - 4);
}

bool candidate_date(const char *text, int *from, int *to,
                    char date[CANDIDATE_DATE_SIZE])
{
    for (int i = *from; text[i]; i++) {
        struct date_scan s = {.at = text + i, .out = date};
        bool inside =
            i > 0 && (digit_of(text[i - 1]) || strchr("-/.", text[i - 1]));
        if (inside || !scan_date(&s)) continue;
        *from = i;
        *to = (int)(s.at - text);
        return true;
    }
    return false;
}
