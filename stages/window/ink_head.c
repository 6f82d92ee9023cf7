/* ink_head.c - the line on which a table's head is printed (ink.h). */
#include "stages/window/ink_inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 48, HEAD_LEAST = 3 /* cells */ };
/* Titles may be bold, which is broader by so much. Few of them are short: a row's
 * values must not look like them. */
static const double fit_em = 0.25, fit_part = 0.06;

struct head_words {
    char text[400];
    const char *word[WORDS_MAX];
    int n;
};

static void read_words(const char *head, struct head_words *out)
{
    char *rest = NULL;
    size_t n = strlen(head);
    if (n >= sizeof out->text) n = sizeof out->text - 1;
    memcpy(out->text, head, n);
    out->text[n] = '\0';
    for (char *w = strtok_r(out->text, " \t\n|", &rest);
         w && out->n < WORDS_MAX; w = strtok_r(NULL, " \t\n|", &rest))
        out->word[out->n++] = w;
}

/* Whether the words from..to fill the cell, and stand apart in it. */
static bool fills(const struct head_words *head, int from, int to,
                  const struct ink_line *line, int cell,
                  const struct ink_table *print, double em)
{
    const struct ink_cell *own = &line->cell[cell];
    char text[sizeof head->text] = "";
    size_t n = 0;
    double w = (to - from - 1) * ink_space;
    for (int i = from; i < to; i++) {
        w += print_width(head->word[i], print->face);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
                              i > from ? " " : "", head->word[i]);
    }
    return fabs(own->w - w * em) <= fit_em * em + fit_part * w * em &&
           ink_has_words(line, own, text, print->face, em);
}

/* Whether the words, all in order, are as broad as the line's last cells; left of them
 * may be a mark. */
static bool is_head(const struct head_words *head, const struct ink_line *line,
                    const struct ink_table *print, double em)
{
    /* of so many words, by the cells so far, or -1 */
    int n_cell[WORDS_MAX + 1];
    memset(n_cell, -1, sizeof n_cell);
    for (int c = 0; c < line->n_cell; c++) {
        int next[WORDS_MAX + 1];
        memset(next, -1, sizeof next);
        n_cell[0] = 0;
        for (int from = 0; from < head->n; from++)
            for (int to = from + 1; n_cell[from] >= 0 && to <= head->n; to++)
                if (fills(head, from, to, line, c, print, em))
                    next[to] = n_cell[from] + 1;
        memcpy(n_cell, next, sizeof n_cell);
    }
    return n_cell[head->n] >= HEAD_LEAST;
}

int ink_head_line(const struct ink_sheet *sheet, const char *head,
                  const struct ink_table *print)
{
    struct head_words words = {.n = 0};
    const struct ink_sheet *own = ink_sheet_of(sheet, print->face);
    read_words(head, &words);
    for (int l = 0; l < own->n_line; l++)
        if (is_head(&words, &own->line[l], print, print->letters * own->letter))
            return l;
    return -1;
}
