/* text_page.h - pages of text written for a test, and what a reader gave of them. */
#ifndef TESTS_UNIT_STAGES_TEXT_PAGE_H
#define TESTS_UNIT_STAGES_TEXT_PAGE_H

#include "stages/alignment/coverage/coverage.h"

enum { TEXT_GIVEN = 1, TEXT_PRINTED = 2, TEXT_PLACES = 7 };

/* A page under way, with the rows that a reader gave of it. Letters are 0.008
 * wide, lines 0.015 apart. */
struct text_page {
    struct arena *arena;
    struct word word[8192];
    struct words words;
    cJSON *rows, *others, *above, *head, *heads;
    double y;
    bool strict, lies;
    struct page_table table;
    struct coverage got;
    struct coverage_shape before;
};

/* Row i of a statement, in a written form of the place. */
struct page_line {
    const char *name, *date, *carried; /* strftime-like: %d %m %y %M */
    char thousands, point;
    bool minus_behind;
};

extern const struct page_line text_page_places[TEXT_PLACES];

struct text_page *text_page_new(void);
void text_page_free(struct text_page *p);

/* A line of columns, "x:text|x:text", x in hundredths; a text that begins with
 * < ends at x. Its index. */
int text_page_line(struct text_page *p, const char *columns);
__attribute__((format(printf, 2, 3))) int text_page_linef(struct text_page *p,
                                                          const char *fmt, ...);

/* The row as the reader gave it; all else that he gave. */
__attribute__((format(printf, 2, 3))) void text_page_gave(struct text_page *p,
                                                          const char *fmt, ...);
void text_page_others(struct text_page *p, const char *text);

/* Makes p->table. */
void text_page_table(struct text_page *p);

/* "missing ..., extra ..." by index; p->got is what was found. */
char *text_page_look(struct text_page *p);

/* Looks, and frees the page. */
void text_page_assert(struct text_page *p, const char *what, int n,
                      const char *wanted);

/* A row of a statement: date, what for, amount, balance. Every third amount is
 * the same, and so is every second text; row 5 and 6 are identical. Its line. */
int text_page_row(struct text_page *p, const struct page_line *how, int i,
                  int what);

/* A letterhead, rows from..to-1 but `left_out`, a sum carried forward; the line
 * of what was left out. */
int text_page_statement(struct text_page *p, const struct page_line *how,
                        int from, int to, int left_out);

#endif
