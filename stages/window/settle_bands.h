/* settle_bands.h - what settle_ink.c and settle_bands.c share. */
#ifndef STAGES_WINDOW_SETTLE_BANDS_H
#define STAGES_WINDOW_SETTLE_BANDS_H

#include "stages/window/ink.h"
#include "stages/window/settle.h"

/* A line on which a row begins, or looks as if. */
struct slot {
    int line, row; /* row -1: none was given */
    bool doubt;    /* to be given again */
    bool beside;   /* one that has no row */
};

/* One table of the part. */
struct inking {
    struct windows *w;
    const struct part *part;
    const struct ink_sheet *sheet;
    int array;
    cJSON *entries;
    bool rest; /* the first entry is the rest of a row */
    const bool *taken;
    struct ink_table *before;
    double letters;
    bool even;
    struct ink_found found;
    struct slot *slot;
    int n_slot;
    bool *sure; /* of each line: it was given twice */
    int *tries; /* of each line: questions about it */
    int n_asked;
    struct arena *arena;
};

/* Lays the entries onto the lines and finds the slots. (settle_ink.c) */
void settle_ink_find(struct inking *s);

/* Asks about bands of the page for what is in doubt, and takes into the entries
 * what is given between rows that are given again. (settle_bands.c) */
void settle_bands(struct inking *s);

#endif
