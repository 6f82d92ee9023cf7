/* text_lines.h - the lines of print on a page, from its words or from its ink.
 *
 * A line is everything at the same height: a row of a table is one line,
 * however far apart its columns are, and so are two columns of text. Boxes are
 * in 0..1 of the page, from the top left (words.h).
 */
#ifndef STAGES_PAGE_TEXT_LINES_H
#define STAGES_PAGE_TEXT_LINES_H

#include "stages/document/words.h"
#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/image.h"
#include <stdbool.h>

enum { LINE_PARTS_MAX = 32 };

enum { LINE_LETTERS_LEAST = 4 /* in a line of ink: fewer are specks */ };

struct line {
    double x, y, w, h;
    const char *text;  /* words joined by one space, left to right; NULL for a
                        * line of ink */
    struct word *word; /* left to right; for ink its pieces (text NULL) */
    int *box;          /* of each word: its index in the boxes given */
    int n_word;
    bool turned; /* runs up or down the page */
    int n_part;  /* groups separated by wide gaps: the columns it touches */
    double part_x[LINE_PARTS_MAX], part_w[LINE_PARTS_MAX];
};

/* The index of the line's page, if pages are stacked, each of height 1. */
static inline int line_page(const struct line *line)
{
    return (int)(line->y + line->h / 2);
}

struct text_lines {
    struct line *line; /* from the top; rotated lines come last */
    int n_line;
    int quarters; /* text_lines_of_upright: clockwise turns that brought the
                   * page to its side, or upside down; rotate90_back leads into these lines */
    bool has_text;
};

/* A word of a page turned clockwise by `quarters` * 90 degrees, on the page
 * before (rotate90_back). */
struct word text_lines_word_back(struct word word, int quarters);

/* Groups a page's words into lines; no lines and no text without words. Boxes
 * are those of the deskewed page (words->skew_degrees). */
void text_lines_of_words(const struct words *words, struct arena *arena,
                         struct text_lines *out);

/* The same, but if most words run up or down the page, or were read upside down
 * (words->turns), lines are those of the page turned upright; and the lines of
 * tables side by side, whose heading repeats, are cut: all of the first table, then
 * those of the second. */
void text_lines_of_upright(const struct words *words, struct arena *arena,
                           struct text_lines *out);

/* Appends the text of lines from the top, each ended by "\n"; the parts of a
 * line are separated by `apart`. */
void text_lines_append_text(const struct text_lines *lines, const char *apart,
                            struct buf *out);

/* Appends a line's words, its parts separated by `apart`. */
void text_lines_append_line(const struct line *line, const char *apart,
                            struct buf *out);

/* Finds lines of ink on a grey or RGB page, dark on light, without rules,
 * specks and images. None on an empty page. Text slopes down to the right by
 * `degrees`; boxes are those of the deskewed page. FAIL: ERR_SYSTEM. */
void text_lines_of_ink(const struct image *page, double degrees,
                       struct arena *arena, struct text_lines *out,
                       struct err *err);

/* Moves words of the image that deskew_turn made to where they are on the page
 * as displayed, by words->skew_degrees; a box becomes the smallest one around the
 * word. */
void text_lines_skew_words(struct words *words);

/* Moves boxes of letters to where they are after the page is rotated back by
 * `degrees` about its centre; they are small, and keep their size. `aspect`: the
 * page's width / height. */
void text_lines_turn_boxes(struct word *box, int n, double degrees,
                           double aspect);

#endif
