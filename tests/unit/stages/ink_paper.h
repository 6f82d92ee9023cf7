/* ink_paper.h - pages drawn for tests of rows against ink (stages/window/ink.h). */
#ifndef TESTS_UNIT_STAGES_INK_PAPER_H
#define TESTS_UNIT_STAGES_INK_PAPER_H

#include "tests/support/test.h"

#include "stages/window/ink.h"
#include "vlm/base/json.h"

enum { ROW_MAX = 40 };

/* A page under way: letters are boxes as broad as those of the print, and the
 * rows that a reader gave of it. */
struct paper {
    struct arena *arena;
    struct image image;
    int y;
    double em, aside;
    bool strict, rest;
    bool close; /* there is print between words, too */
    enum print_face face;
    cJSON *rows, *repeated;
    int line_of[ROW_MAX]; /* of each row that is printed */
    int n_line;
    struct ink_sheet sheet;
    struct ink_table before;
    struct ink_found got;
};

struct paper *paper_new(void);
void paper_free(struct paper *p);

/* Ink from x to `to`. */
void fill(struct paper *p, double x, double to, int top, int foot);

/* Text from x on, or up to -x. */
void put(struct paper *p, double x, const char *text);
void next_line(struct paper *p);

/* Lays the rows that were given onto the page's lines: p->got. */
void look(struct paper *p);

/* Rows n of which all stand on their lines, but those listed (-1 ends); and the
 * lines that look like rows and have none. */
void assert_found(struct paper *p, const char *what, const int *nowhere,
                  const int *missing);

extern const int none[];

#endif
