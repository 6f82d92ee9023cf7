/* text_lines.h - the lines of print on a page, from its words or from its ink.
 *
 * A line is what stands side by side: a row of a table is one line, however far
 * apart its columns are, and so are two columns of text at the same height.
 * Boxes are in 0..1 of the page, from the top left (words.h).
 */
#ifndef STAGES_PRINT_TEXT_LINES_H
#define STAGES_PRINT_TEXT_LINES_H

#include <stdbool.h>

#include "stages/print/words.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/image.h"

enum { LINE_PARTS_MAX = 32 };
enum { LINE_LETTERS_LEAST = 4 /* of a line of ink: fewer are specks */ };

struct line {
    double x, y, w, h;
    const char *text;  /* words joined by one space, left to right; NULL where
                        * only ink was seen */
    struct word *word; /* left to right; pieces of ink (text NULL) without */
    int *box;          /* of each word: its index among the boxes given */
    int n_word;
    bool turned; /* runs up or down the page */
    int n_part;  /* groups apart by wide gaps: the columns that it touches */
    double part_x[LINE_PARTS_MAX], part_w[LINE_PARTS_MAX];
};

/* The page of several laid end to end, each 1 high, on which the line stands. */
static inline int line_page(const struct line *line)
{
    return (int)(line->y + line->h / 2);
}

struct text_lines {
    struct line *line; /* from the top; what is turned stands last */
    int n_line;
    bool has_text;
};

/* Lines of boxes in any order: those whose vertical extents overlap by half are
 * one line, judged from neighbour to neighbour, so that a page may lie slightly
 * askew. A gap wider than `gap` times the line's usual height parts it. `aspect`
 * is the page's width / height. Texts (all or none NULL) are copied; all of the
 * result lives in the arena. */
void text_lines_of_boxes(const struct word *box, int n_box, double aspect,
                         double gap, struct arena *arena,
                         struct text_lines *out);

/* Lines of a page's words; none and no text where it has no words. */
void text_lines_of_words(const struct words *words, struct arena *arena,
                         struct text_lines *out);

/* The words of lines that have text, from the top, each line ended by "\n"; the
 * parts of a line are apart by `apart`. */
void text_lines_put_text(const struct text_lines *lines, const char *apart,
                         struct buf *out);

/* A line's words, its parts apart by `apart`. */
void text_lines_put_line(const struct line *line, const char *apart,
                         struct buf *out);

/* Lines of the ink on a page, grey or RGB, dark on light; rules, specks and pictures
 * left out. None where the page is empty. Text runs down to the right by `degrees`,
 * 5 at most; boxes are those of the page set straight. FAIL: ERR_SYSTEM. */
void text_lines_of_ink(const struct image *page, double degrees,
                       struct arena *arena, struct text_lines *out,
                       struct err *err);

/* Where boxes of letters lie once their page is turned back by so many degrees about
 * its centre; they are small, and keep their sides. `aspect` as above. */
void text_lines_turn_boxes(struct word *box, int n, double degrees,
                           double aspect);

#endif
