/* candidate_date.c - see candidate_date.h. */
#include "stages/fallback/candidate_date.h"

#include <string.h>

#include "stages/evidence/locate_inside.h"

/* A date while it is read. */
struct date_scan {
    const char *at;
    char *out;
    int n;
    bool blanks; /* there were some within it */
};

/* The figure that a character is or looks like, or 0. */
static char figure_of(char c)
{
    if (fold_is_digit(c)) return c;
    if (c == 'O' || c == 'o') return '0';
    return c == 'l' || c == 'I' || c == '|' ? '1' : 0;
}

/* How many characters are figures or look so; 0 where none of them is one. */
static int figures_at(const char *at)
{
    int n = 0, n_digit = 0;
    for (; figure_of(at[n]); n++)
        n_digit += fold_is_digit(at[n]);
    return n_digit ? n : 0;
}

static void skip_blanks(struct date_scan *s)
{
    s->blanks |= *s->at == ' ';
    s->at += strspn(s->at, " ");
}

static void take_figures(struct date_scan *s, int n)
{
    while (n-- > 0)
        s->out[s->n++] = figure_of(*s->at++);
}

/* - / or . and blanks round it; 0: none. */
static char take_mark(struct date_scan *s)
{
    skip_blanks(s);
    if (!*s->at || !strchr("-/.", *s->at)) return 0;
    char mark = s->out[s->n++] = *s->at++;
    skip_blanks(s);
    return mark;
}

static bool is_whole_year(const char *at)
{
    return (at[0] == '1' && at[1] == '9') || (at[0] == '2' && at[1] == '0');
}

/* Of n figures that end a date those that are its own: the hour of a time may be
 * right behind them. */
static int own_figures(const char *at, int n)
{
    if (at[n] != ':' || n < 3) return n;
    return n > 3 && is_whole_year(at) ? 4 : 2;
}

/* 14/04/2018, 14.04.18 or 2018-04-14; with blanks the year has four figures. */
static bool take_date(struct date_scan *s)
{
    int first = figures_at(s->at);
    if (first != 1 && first != 2 && first != 4) return false;
    take_figures(s, first);
    if (first == 4 && !is_whole_year(s->out)) return false;
    char mark = take_mark(s);
    int second = figures_at(s->at);
    if (!mark || second < 1 || second > 2) return false;
    take_figures(s, second);
    if (take_mark(s) != mark) return false;
    s->at += *s->at == '\''; /* '18 */
    int last = own_figures(s->at, figures_at(s->at));
    if (first == 4 ? last != 1 && last != 2 : last != 2 && last != 4)
        return false;
    if (s->blanks && first != 4 && last != 4) return false;
    take_figures(s, last);
    s->out[s->n] = '\0';
    if (*s->at == mark && fold_is_digit(s->at[1])) return false;
    return last != 4 || is_whole_year(s->out + s->n - 4);
}

bool candidate_date(const char *text, int *from, int *to,
                    char date[CANDIDATE_DATE_SIZE])
{
    for (int i = *from; text[i]; i++) {
        struct date_scan s = {.at = text + i, .out = date};
        bool inside =
            i > 0 && (figure_of(text[i - 1]) || strchr("-/.", text[i - 1]));
        if (inside || !take_date(&s)) continue;
        *from = i;
        *to = (int)(s.at - text);
        return true;
    }
    return false;
}
