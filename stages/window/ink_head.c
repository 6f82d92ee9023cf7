/* ink_head.c - the line on which a table's head is printed (ink.h). */
#include "stages/window/ink_inside.h"

#include <math.h>
#include <string.h>

#include "stages/page/print_width.h"

enum { WORDS_MAX = 48, HEAD_LEAST = 2 /* cells */ };
/* Titles may be bold, which is broader by so much. */
static const double fit_em = 0.5, fit_part = 0.1;

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

/* Whether the words from..to fill the cell. */
static bool fills(const struct head_words *head, int from, int to,
                  const struct ink_cell *cell, bool even, double em)
{
    double w = (to - from - 1) * ink_space;
    for (int i = from; i < to; i++)
        w += print_width(head->word[i], even);
    return fabs(cell->w - w * em) <= fit_em * em + fit_part * w * em;
}

/* Whether the words, all in order, are as broad as the line's cells. */
static bool is_head(const struct head_words *head, const struct ink_line *line,
                    bool even, double em)
{
    bool reached[WORDS_MAX + 1] = {
        true}; /* words before, by the cells so far */
    if (line->n_cell < HEAD_LEAST) return false;
    for (int c = 0; c < line->n_cell; c++) {
        bool next[WORDS_MAX + 1] = {false};
        for (int from = 0; from < head->n; from++)
            for (int to = from + 1; reached[from] && to <= head->n; to++)
                next[to] |= fills(head, from, to, &line->cell[c], even, em);
        memcpy(reached, next, sizeof reached);
    }
    return reached[head->n];
}

int ink_head_line(const struct ink_sheet *sheet, const char *head,
                  const struct ink_table *print)
{
    struct head_words words = {.n = 0};
    const struct ink_sheet *own = print->even ? sheet->even : sheet;
    read_words(head, &words);
    for (int l = 0; l < own->n_line; l++)
        if (is_head(&words, &own->line[l], print->even,
                    print->letters * own->letter))
            return l;
    return -1;
}
