/* text_page.c - see text_page.h. */
#include "tests/unit/stages/text_page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "vlm/json/json.h"

struct text_page *text_page_new(void)
{
    static struct text_page p;
    p = (struct text_page){.arena = arena_new(), .y = 0.02};
    p.words = (struct words){.word = p.word, .aspect = 1};
    p.rows = cJSON_CreateArray();
    return &p;
}

void text_page_free(struct text_page *p)
{
    arena_free(p->arena);
    cJSON_Delete(p->rows);
    cJSON_Delete(p->others);
    cJSON_Delete(p->above);
    cJSON_Delete(p->head);
    cJSON_Delete(p->heads);
}

static void put(struct text_page *p, double x, const char *text)
{
    char *copy = arena_text(p->arena, "%s", text), *rest = NULL;
    for (char *w = strtok_r(copy, " ", &rest); w;
         w = strtok_r(NULL, " ", &rest)) {
        double width = 0.008 * (double)strlen(w);
        p->word[p->words.n_word++] = (struct word){x, p->y, width, 0.012, w, 1};
        x += width + 0.004;
    }
}

/* Of words with a space of half a letter between them. */
static double width_of(const char *text)
{
    double width = 0;
    for (; *text; text++)
        width += *text == ' ' ? 0.004 : 0.008;
    return width;
}

int text_page_line(struct text_page *p, const char *columns)
{
    char *copy = arena_text(p->arena, "%s", columns), *rest = NULL;
    static int n_line;
    n_line = p->y < 0.03 ? 0 : n_line;
    for (char *c = strtok_r(copy, "|", &rest); c;
         c = strtok_r(NULL, "|", &rest)) {
        char *text = strchr(c, ':') + 1;
        double x = atof(c) / 100;
        if (*text == '<') x -= width_of(++text);
        put(p, x, text);
    }
    p->y += 0.015;
    return n_line++;
}

int text_page_linef(struct text_page *p, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return text_page_line(p, text);
}

void text_page_gave(struct text_page *p, const char *fmt, ...)
{
    char text[1024];
    struct err err = {0};
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cJSON_AddItemToArray(p->rows,
                         json_parse((struct span){text, strlen(text)}, &err));
    test_ok(&err);
}

void text_page_others(struct text_page *p, const char *text)
{
    struct err err = {0};
    p->others = json_parse((struct span){text, strlen(text)}, &err);
    test_ok(&err);
}

void text_page_table(struct text_page *p)
{
    struct text_lines lines;
    text_lines_of_words(&p->words, p->arena, &lines);
    page_table_of_lines(&lines, p->arena, &p->table);
}

char *text_page_look(struct text_page *p)
{
    char *said = arena_text(p->arena, "missing");
    text_page_table(p);
    struct coverage_given given = {.rows = p->rows,
                                   .others = p->others,
                                   .strict = p->strict,
                                   .lies = p->lies,
                                   .head = p->head,
                                   .heads = p->heads,
                                   .above = p->above};
    coverage_find(&p->table, &given, p->before.n_row ? &p->before : NULL,
                  p->arena, &p->got);
    assert_true(p->got.known);
    for (int i = 0; i < p->got.n_missing; i++)
        said = arena_text(p->arena, "%s %d", said, p->got.missing[i]);
    said = arena_text(p->arena, "%s, extra", said);
    for (int i = 0; i < p->got.n_extra; i++)
        said = arena_text(p->arena, "%s %d", said, p->got.extra[i]);
    return said;
}

const struct page_line text_page_places[TEXT_PLACES] = {
    {"british", "%d/%m/%Y", "Balance carried forward", ',', '.', false},
    {"american", "%m/%d/%Y", "Opening balance", ',', '.', false},
    {"german", "%d.%m.%y", "\u00DCbertrag", '.', ',', true},
    {"swiss", "%d.%m.%Y", "Saldovortrag", '\'', '.', false},
    {"english words", "%d %M %Y", "Brought forward", ',', '.', true},
    {"words first", "%M %d, %Y", "Closing balance", ',', '.', false},
    {"iso", "%Y-%m-%d", "A reporter", '.', ',', false},
};

static int two_digits(char *out, int value)
{
    return snprintf(out, 3, "%02d", value % 100);
}

static void write_date(const struct page_line *how, int month, int day,
                       char *out)
{
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr",
                                        "May", "Jun", "Jul", "Aug",
                                        "Sep", "Oct", "Nov", "Dec"};
    for (const char *at = how->date; *at; at++) {
        if (*at != '%') {
            *out++ = *at;
            continue;
        }
        char c = *++at;
        out += c == 'd'   ? two_digits(out, day)
               : c == 'm' ? two_digits(out, month)
               : c == 'y' ? two_digits(out, 24)
               : c == 'Y' ? snprintf(out, 5, "2024")
                          : snprintf(out, 4, "%s", names[month - 1]);
    }
    *out = '\0';
}

static void write_amount(const struct page_line *how, long cents, char *out)
{
    long whole = labs(cents) / 100;
    const char *front = cents < 0 && !how->minus_behind ? "-" : "";
    const char *back = cents < 0 && how->minus_behind ? "-" : "";
    if (whole >= 1000)
        snprintf(out, 32, "%s%ld%c%03ld%c%02ld%s", front, whole / 1000,
                 how->thousands, whole % 1000, how->point, labs(cents) % 100,
                 back);
    else
        snprintf(out, 32, "%s%ld%c%02ld%s", front, whole, how->point,
                 labs(cents) % 100, back);
}

/* The amount of row k, and the balance behind it. */
static long cents_of(int k)
{
    return k % 3 ? -(1234 + 98765L * k % 250000) : 350;
}

static long balance_of(int k)
{
    long cents = 500000;
    for (int i = 0; i <= k; i++)
        cents += i == 6 ? 0 : cents_of(i);
    return cents;
}

int text_page_row(struct text_page *p, const struct page_line *how, int i,
                  int what)
{
    char date[32], amount[32], balance[32];
    int k = i == 6 ? 5 : i;
    int month = 1 + k / 9 % 12, day = 1 + k * 5 % 28;
    long cents = cents_of(k);
    write_date(how, month, day, date);
    write_amount(how, cents, amount);
    write_amount(how, balance_of(k), balance);
    if (what & TEXT_GIVEN)
        text_page_gave(p,
                       "{\"date\":\"2024-%02d-%02d\",\"text\":\"Shop %s %d\","
                       "\"amount\":%.2f}",
                       month, day, k % 2 ? "north" : "south", k / 2,
                       (double)cents / 100);
    if (!(what & TEXT_PRINTED)) return -1;
    return text_page_linef(p, "10:%s|30:Shop %s %d|70:<%s|90:<%s", date,
                           k % 2 ? "north" : "south", k / 2, amount, balance);
}

int text_page_statement(struct text_page *p, const struct page_line *how,
                        int from, int to, int left_out)
{
    int missing = -1;
    char date[32], opening[32], closing[32];
    write_date(how, 7, 31, date);
    write_amount(how, balance_of(from - 1), opening);
    write_amount(how, balance_of(to - 1), closing);
    text_page_line(p, "10:Example Bank|60:12 Long Street");
    text_page_linef(p, "10:Statement of %s|80:Page 3 of 12", date);
    text_page_line(p, "10:Date|30:Details|65:Amount|85:Balance");
    text_page_linef(p, "30:%s|90:<%s", how->carried, opening);
    for (int i = from; i < to; i++) {
        int at = text_page_row(p, how, i,
                               i == left_out ? TEXT_PRINTED
                                             : TEXT_GIVEN | TEXT_PRINTED);
        if (i == left_out) missing = at;
    }
    text_page_linef(p, "10:%s|30:%s|90:<%s", date, how->carried, closing);
    text_page_linef(p, "30:Total|70:<%s", closing);
    text_page_line(p, "10:Call 0800 123 456 or write to us.");
    return missing;
}

void text_page_assert(struct text_page *p, const char *what, int n,
                      const char *wanted)
{
    char *said = text_page_look(p);
    if (strcmp(said, wanted))
        fail_msg("%s %d: %s, wanted %s", what, n, said, wanted);
    text_page_free(p);
}
