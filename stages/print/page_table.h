/* page_table.h - the words of pages as a table of lines, columns, neighbours
 * and figures.
 *
 * The only source of page content for the alignment (stages/alignment) and the check
 * of long documents (stages/long): words are split into figures and brought
 * into canonical form (canon.h) only here. Built once for the pages of a
 * question, or for the lines of a page that rows are compared with. Everything
 * lives in the arena.
 */
#ifndef STAGES_PRINT_PAGE_TABLE_H
#define STAGES_PRINT_PAGE_TABLE_H

#include <stdbool.h>

#include "stages/document/box.h"
#include "stages/document/words.h"
#include "stages/page/text_lines.h"
#include "stages/print/canon.h"
#include "stages/print/fold.h"
#include "vlm/base/arena.h"

/* The words of one page; pages are in order. */
struct numbered_words {
    int number; /* page number, from 1 */
    const struct words *words;
};

/* A word on a page. `place` points into the page's words. */
struct token {
    const struct word *place;
    struct folded fold;
    int page, line, part;   /* page: index of those given; line: over all pages,
                             * from the top; part: column of its line */
    int right, below, next; /* read after it on its line (to its left in a
                             * script from right to left), under its part, in
                             * the file; -1: none */
    bool figure;            /* part of a number or a date */
};

/* A range of bytes of a token's text. */
struct piece {
    int token, from, to;
};

/* The sign that a number is printed with (figure_sign.h). */
enum figure_sign {
    SIGN_POSITIVE, /* also if there is none */
    SIGN_NEGATIVE,
    SIGN_DEBIT, /* none, in a column of debits */
    SIGN_OPEN   /* unknown */
};

/* A number or a date on a line. */
struct table_figure {
    struct canon canon;
    uint64_t reading; /* which of the canon's keys the pages' notation makes of
                       * it (notation.h); 0: either */
    const struct piece *piece;
    int n_piece;
    enum figure_sign sign;
    bool percent, padded; /* padded: leading zero, as in 02 */
};

struct table_line {
    const struct line *print;
    struct canons said; /* its items; none if the line is rotated */
    int first;          /* its first token; the next line's is after its last */
};

struct page_table {
    struct table_line *line; /* n_line of them, and one that begins after all
                              * tokens */
    int n_line;
    struct token *token; /* none in a table of lines only */
    int n_token;
    struct table_figure *figure;
    int n_figure;
};

/* Builds the table of pages: lines, tokens and figures. */
void page_table_of_pages(const struct numbered_words *page, int n_page,
                         struct arena *arena, struct page_table *out);

/* Builds a table of lines, which the caller owns, without tokens and
 * figures. */
void page_table_of_lines(const struct text_lines *lines, struct arena *arena,
                         struct page_table *out);

/* The same for the lines of `all` with keep[] true. */
struct page_table page_table_some(const struct page_table *all,
                                  const bool *keep, struct arena *arena);

/* The box of a piece in the frame of its line (text_lines_of_upright), to be
 * compared with others; characters share their word's width. */
struct box page_table_box(const struct page_table *table,
                          const struct piece *piece);

/* The right edge of the figure in that frame. */
double page_table_right(const struct page_table *table,
                        const struct table_figure *figure);

/* The same as page_table_box on the page as displayed. */
struct box page_table_place(const struct page_table *table,
                            const struct piece *piece);

#endif
