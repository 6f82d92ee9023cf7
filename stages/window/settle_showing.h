/* settle_showing.h - a picture of a table's rows in another order, and which row of
 * the answer stands where (settle_among.c).
 */
#ifndef STAGES_WINDOW_SETTLE_SHOWING_H
#define STAGES_WINDOW_SETTLE_SHOWING_H

#include "stages/window/settle_bands.h"

enum { SHOWN_MOST = 12, SHOWN_FEW = 3, HEARD_MOST = 64 };

/* Slots in the order in which they are shown. */
struct showing {
    int slot[SHOWN_MOST], n;
    int entry[SHOWN_MOST]; /* of the answer, which stands there; -1: none */
    bool same[SHOWN_MOST]; /* it is the row that stood there before */
    bool alone;            /* shown for the second slot's sake */
    bool open
        [SHOWN_MOST]; /* stands between two that nobody doubts: what is given
                            * between these is its row */
    bool between[SHOWN_MOST]; /* these were given as they were */
    bool tight; /* the page's last row without what stands below it */
};

/* The rows that are given for the picture, as entries, HEARD_MOST at most; the
 * caller's, or NULL. FAIL: part_ask_band's. */
cJSON *settle_show(struct inking *s, const struct showing *o);

/* Is the place i shown without lines that may be its row's? How many it has, its dates
 * and sums do not tell. */
bool settle_may_be_cut(const struct inking *s, const struct showing *o, int i);

/* Fills in which of these entries stands where: first those that are given as they
 * were, the others by their ink. */
void settle_place(struct inking *s, struct showing *o, const cJSON *late);

/* Do the rows say the same in words, and something else besides? */
bool settle_is_half(const cJSON *row, const cJSON *other);

/* Is half of what is given for the place i given once more, between what is given
 * there as it was? One of the two is made of two rows, and may be this one; where as
 * many rows are given as are shown, each stands in its place. */
bool settle_is_disputed(const struct showing *o, int i, const cJSON *late);

#endif
