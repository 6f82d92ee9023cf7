/* page_table.h - the words of pages as a table: lines, columns, neighbours, figures.
 *
 * Evidence (stages/evidence) and the check of long documents (stages/long) ask
 * this table alone what a page says: words are split into figures and brought into
 * comparable form (canon.h) here and nowhere else. Built once for the pages of a
 * question, or for the lines of a page that rows are held against. Everything lives
 * in the arena.
 */
#ifndef STAGES_PRINT_PAGE_TABLE_H
#define STAGES_PRINT_PAGE_TABLE_H

#include <stdbool.h>

#include "stages/page/box.h"
#include "stages/print/canon.h"
#include "stages/print/fold.h"
#include "stages/print/text_lines.h"
#include "stages/print/words.h"
#include "vlm/base/arena.h"

/* The words of one page; pages are given in order. */
struct numbered_words {
    int number; /* as a person counts */
    const struct words *words;
};

/* A word as it stands on a page. `place` is in the page's words. */
struct token {
    const struct word *place;
    struct folded fold;
    int page, line, part;   /* page: of those given; line: over all pages, from
                             * the top; part: column of its line */
    int right, below, next; /* on its line, under its part, in the file; -1 */
    bool figure;            /* is or belongs to a number or a date */
};

/* Bytes of a token's text. */
struct piece {
    int token, from, to;
};

/* A number or a date on a line. */
struct table_figure {
    struct canon canon;
    const struct piece *piece;
    int n_piece;
    bool negative, percent, padded; /* padded: 02 */
};

struct table_line {
    const struct line *print;
    struct canons said; /* by its words; nothing where the line is turned */
    int first;          /* token; the next line's is behind its last one */
};

struct page_table {
    struct table_line *line; /* n_line of them, and one that begins behind all
                              * tokens */
    int n_line;
    struct token *token; /* none in a table of lines */
    int n_token;
    struct table_figure *figure;
    int n_figure;
};

/* The table of pages: lines, tokens and figures. */
void page_table_of_pages(const struct numbered_words *page, int n_page,
                         struct arena *arena, struct page_table *out);

/* The table of lines alone, which stay the caller's: no tokens, no figures. */
void page_table_of_lines(const struct text_lines *lines, struct arena *arena,
                         struct page_table *out);

/* The same of the lines of `all` for which keep[] is true. */
struct page_table page_table_some(const struct page_table *all,
                                  const bool *keep, struct arena *arena);

/* The box of a piece: characters share their word's width. */
struct box page_table_box(const struct page_table *table,
                          const struct piece *piece);

#endif
