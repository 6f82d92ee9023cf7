/* ink_paper.c - see ink_paper.h. */
#include "tests/unit/stages/ink_paper.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 900, HEIGHT = 1200, PITCH = 24 };

struct paper *paper_new(void)
{
    static struct paper p;
    struct err err = {0};
    p = (struct paper){.arena = arena_new(), .y = 40, .em = 14};
    p.image = image_new(WIDTH, HEIGHT, 1, &err);
    assert_int_equal(err.kind, ERR_NONE);
    memset(p.image.data, 0xff, (size_t)WIDTH * HEIGHT);
    p.rows = cJSON_CreateArray();
    return &p;
}

void paper_free(struct paper *p)
{
    image_free(&p->image);
    cJSON_Delete(p->rows);
    cJSON_Delete(p->repeated);
    arena_free(p->arena);
}

void fill(struct paper *p, double x, double to, int top, int foot)
{
    for (int y = top; y < foot; y++)
        for (int i = (int)lround(x); i < (int)lround(to); i++)
            image_row(&p->image, y)[i] = 0;
}

/* Text from x on, or up to -x. */
void put(struct paper *p, double x, const char *text)
{
    if (x < 0) x = -x - p->em * print_width(text, p->face);
    x += p->aside;
    for (; *text; text++) {
        char letter[2] = {*text, '\0'};
        double wide = p->em * print_width(letter, p->face);
        int high =
            (int)(p->em * (strchr("acemnorsuvwxz", *text) ? 0.52 : 0.72));
        if (strchr(".,-", *text)) high = 2;
        if (*text != ' ' || p->close)
            fill(p, x + 0.05 * p->em, x + wide - 0.05 * p->em, p->y - high,
                 p->y);
        x += wide;
    }
}

void next_line(struct paper *p)
{
    p->y += PITCH;
    p->n_line++;
}

void look(struct paper *p)
{
    struct err err = {0};
    ink_sheet_read(&p->image, p->arena, &p->sheet, &err);
    assert_int_equal(err.kind, ERR_NONE);
    struct ink_given given = {.rows = p->rows,
                              .repeated = p->repeated,
                              .rest = p->rest,
                              .strict = p->strict,
                              .before = &p->before};
    ink_find(&p->sheet, &given, p->arena, &p->got);
}

/* Rows n of which all stand on their lines, but those listed (-1 ends); and the
 * lines that look like rows and have none. */
void assert_found(struct paper *p, const char *what, const int *nowhere,
                  const int *missing)
{
    int n = cJSON_GetArraySize(p->rows), k = 0, m = 0;
    if (!p->got.trusted) fail_msg("%s: not trusted", what);
    assert_int_equal(p->sheet.n_line, p->n_line);
    for (int r = 0; r < n; r++) {
        bool lost = p->got.line_of_row[r] < 0;
        if (lost != (nowhere[k] == r)) fail_msg("%s: row %d", what, r);
        if (p->got.odd[r]) fail_msg("%s: row %d is odd", what, r);
        k += lost;
    }
    for (int l = 0; l < p->sheet.n_line; l++) {
        if (!p->got.looks[l] || p->got.row_of_line[l] >= 0) continue;
        if (missing[m++] != l) fail_msg("%s: line %d is missing", what, l);
    }
    if (missing[m] >= 0) fail_msg("%s: line %d is not", what, missing[m]);
}

const int none[] = {-1};
