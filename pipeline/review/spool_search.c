/* spool_search.c - see spool_search.h. */
#include "pipeline/review/spool_search.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "vlm/base/clock.h"
#include "vlm/base/utf8.h"

/* --- days ------------------------------------------------------------------ */

/* When the day began, as ids begin. A day or month beyond the end counts on. */
static void print_start(int year, int month, int day,
                        char out[SPOOL_INDEX_TIME])
{
    struct tm tm = {.tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_isdst = -1},
              utc;
    time_t at = mktime(&tm);
    if (!gmtime_r(&at, &utc) ||
        strftime(out, SPOOL_INDEX_TIME, "%Y%m%dT%H%M%S", &utc) != 15)
        snprintf(out, SPOOL_INDEX_TIME, "%s", year < 5000 ? "0" : "9");
}

/* "2026-11-21" or, with day 0, "2026-11". */
static bool read_date(const char *text, int *year, int *month, int *day)
{
    int end = 0;
    size_t n = strlen(text);
    *day = 0;
    if (strspn(text, "0123456789-") != n || (n != 7 && n != 10)) return false;
    int found = sscanf(text, "%4d-%2d%n-%2d%n", year, month, &end, day, &end);
    return found >= 2 && (size_t)end == n && *year >= 0 && *month >= 1 &&
           *month <= 12 && *day >= 0 && *day <= 31 && (n == 7) == (*day == 0);
}

static bool read_day(const char *text, int more, char out[SPOOL_INDEX_TIME])
{
    int year, month, day;
    *out = '\0';
    if (!*text) return true;
    if (!read_date(text, &year, &month, &day) || !day) return false;
    print_start(year, month, day + more, out);
    return true;
}

void spool_search_today(char day[static 11], char from[SPOOL_INDEX_TIME])
{
    time_t now = (time_t)clock_utc();
    struct tm tm;
    *day = *from = '\0';
    if (!localtime_r(&now, &tm) || strftime(day, 11, "%Y-%m-%d", &tm) != 10)
        return;
    print_start(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, from);
}

/* --- words ----------------------------------------------------------------- */

static void add_word(struct spool_search *s, const char *text)
{
    int year, month, day, i = s->query.n_word++;
    struct spool_index_word *w = &s->query.word[i];
    *w = (struct spool_index_word){.text = text, .from = "", .to = ""};
    if (!read_date(text, &year, &month, &day)) return;
    print_start(year, month, day ? day : 1, s->day[i][0]);
    print_start(year, month + !day, day ? day + 1 : 1, s->day[i][1]);
    w->from = s->day[i][0];
    w->to = s->day[i][1];
}

/* Folds the text; a text that has nothing that could be found fits nothing. */
static void fold(struct spool_search *s, const char *text, char out[1024])
{
    utf8_fold(text, out, 1024);
    s->none |= *text && !*out;
}

bool spool_search_read(struct spool_search *s, const struct request *q)
{
    char *rest = NULL;
    *s = (struct spool_search){.none = false};
    fold(s, q->search, s->text);
    fold(s, q->name, s->name);
    fold(s, q->value, s->value);
    for (char *one = strtok_r(s->text, " \t\n", &rest);
         one && s->query.n_word < SPOOL_INDEX_WORDS;
         one = strtok_r(NULL, " \t\n", &rest))
        add_word(s, one);
    s->query.state = q->state;
    s->query.schema = q->schema;
    s->query.code = q->code;
    s->query.name = s->name;
    s->query.value = s->value;
    s->query.from = s->from;
    s->query.to = s->to;
    return read_day(q->from, 0, s->from) && read_day(q->to, 1, s->to);
}

bool spool_search_is_between(const char *time, const char *from, const char *to)
{
    return (!*from || strcmp(time, from) >= 0) &&
           (!*to || strcmp(time, to) < 0);
}

bool spool_search_fits(const struct spool_search *s, const char *time,
                       const char *name, const char *folder)
{
    char in[8200];
    utf8_fold(name, in, 4096);
    if (s->none || !spool_search_is_between(time, s->from, s->to) ||
        !strstr(in, s->name) ||
        (*s->query.schema && strcmp(folder, s->query.schema) != 0))
        return false;
    size_t n = strlen(in);
    in[n++] = ' ';
    utf8_fold(folder, in + n, 4096);
    for (int i = 0; i < s->query.n_word; i++) {
        const struct spool_index_word *w = &s->query.word[i];
        if (!strstr(in, w->text) &&
            (!*w->from || !spool_search_is_between(time, w->from, w->to)))
            return false;
    }
    return true;
}
