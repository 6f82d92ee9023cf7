/* words_line.c - see words_line.h. */
#include "stages/document/words_line.h"

#include <math.h>

/* The upper and lower edge of a word after its page has been turned so that its
 * lines are level. */
static void find_edges(const struct words *words, int i, double *top,
                       double *bottom)
{
    const struct word *word = &words->word[i];
    double slope = words->skew_degrees * M_PI / 180;
    double wide = word->w * words->aspect, rise = fabs(sin(slope));
    double high = fmax(word->h - wide * rise, word->h / 4);
    double middle = word->y + word->h / 2 -
                    tan(slope) * (word->x + word->w / 2) * words->aspect;
    *top = middle - high / 2;
    *bottom = middle + high / 2;
}

int words_line_end(const struct words *words, int from)
{
    double top, bottom, next_top, next_bottom;
    int to = from + 1;
    find_edges(words, from, &top, &bottom);
    for (; to < words->n_word; to++) {
        find_edges(words, to, &next_top, &next_bottom);
        double shared = fmin(bottom, next_bottom) - fmax(top, next_top);
        if (shared < fmin(bottom - top, next_bottom - next_top) / 2) break;
        top = next_top;
        bottom = next_bottom;
    }
    return to;
}
