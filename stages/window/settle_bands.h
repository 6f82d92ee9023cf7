/* settle_bands.h - what settle_ink.c and settle_bands.c share. */
#ifndef STAGES_WINDOW_SETTLE_BANDS_H
#define STAGES_WINDOW_SETTLE_BANDS_H

#include "stages/window/ink.h"
#include "stages/window/settle.h"

enum { SETTLE_LINES_OF_ROW = 3 /* at most */ };

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
    bool rest;                /* the first entry is the rest of a row */
    bool *taken;              /* lines that are another table's, or a gap */
    struct ink_table *before; /* of the pages before */
    struct ink_table own;     /* of this one, where there are none */
    struct ink_table here;    /* as it was found, once it is known to be here */
    const struct ink_table
        *told; /* another one whose print is known, or NULL */
    struct ink_found found;
    struct slot *slot;
    int n_slot;
    bool *sure;   /* of each line: it was given twice */
    bool *put;    /* of each line: so a row came to stand there */
    int *tries;   /* of each line: questions about it */
    bool *gap;    /* of each line: it is no other table's */
    bool *named;  /* of each line: as a gap */
    bool *left;   /* of each line: its row, as it seems, fitted none and went */
    bool *head;   /* of each line: it is a table's, as far as was told */
    bool headed;  /* these are found, */
    int own_head; /* and this one's is that line; -1: it is not */
    int n_asked;
    struct arena *arena;
};

/* Lays the entries onto the lines and finds the slots. (settle_ink.c) */
void settle_ink_find(struct inking *s);

/* Asks about bands of the page for what is in doubt, and takes into the entries
 * what is given between rows that are given again. (settle_bands.c) */
void settle_bands(struct inking *s);

/* Shows rows at the edges of the page, and others that are in doubt, in another
 * order, and takes what is given twice for a line. True where that changed rows.
 * (settle_among.c) */
bool settle_among(struct inking *s);

/* Finds the heads of all tables that the reader told, in about that print.
 * (settle_ink.c) */
void settle_heads(struct inking *s, const struct ink_table *print);

/* Warns of values that stand in other columns than the table's head has them.
 * (settle_columns.c) */
void settle_columns(struct inking *s);
void settle_odd(struct inking *s);

/* The entry, copied, becomes that of the slot; the copy. (settle_bands.c) */
cJSON *settle_put(struct inking *s, int slot, const cJSON *entry);

/* The entry is known to stand here, whatever its ink. Until it is forgotten, it goes
 * for nothing that its ink says. (settle_seat.c) */
void settle_know(cJSON *entry);
bool settle_is_known(const cJSON *entries, int row);
void settle_forget(cJSON *entries);

/* Lays such entries that stand on no line onto lines that look like rows and have
 * none, where there are as many of both. (settle_seat.c) */
void settle_seat(struct inking *s);

/* Pixels above the line, half way to the one before. (settle_bands.c) */
int settle_between(const struct inking *s, int line);

/* The head of the page, down to the table's first row on line `first`, is shown
 * with each band, as far as it is small and ends above `before`: it names the
 * columns, and the page. (settle_bands.c) */
int settle_head(const struct inking *s, int first, int before);

/* The table's rows that are given for strips of the page, as entries, but for a
 * rest; the caller's, or NULL. (settle_bands.c) */
cJSON *settle_ask_strips(struct inking *s, const struct page_band *band);

/* The few rows of a table of which most stand on no line, shown in another order,
 * too: what is given so stands on lines then, or what is not goes, and is named.
 * False: nothing was asked. (settle_unplaced.c) */
bool settle_unplaced(struct inking *s);

/* The same of a longer one: the page is shown with its lower half first, and what is
 * given then of the rows at its edges is taken. (settle_turned.c) */
void settle_turned(struct inking *s);
void settle_drop(struct inking *s, int row, const char *why); /* settle_ink.c */
void settle_leave_gap(struct inking *s, int line);

#endif
