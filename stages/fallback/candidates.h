/* candidates.h - which print of its page a value may be, where the reader could only
 * guess.
 *
 * Candidates are what the words of the page can mean: dates, amounts, lines or
 * cells of print. Of these the one with most reasons is taken: what stands left
 * of it or above names the value (its key, title and description, in the words of
 * business papers in six languages); it resembles the reader's guess; the amount
 * is a great one; print of a letterhead for the seller. Without a reason there is
 * none. Pure: all of the result lives in the arena.
 */
#ifndef STAGES_EVIDENCE_PRINTED_H
#define STAGES_EVIDENCE_PRINTED_H

#include "stages/evidence/locate.h"

enum candidates_kind { CANDIDATES_DATE, CANDIDATES_AMOUNT, CANDIDATES_TEXT };

/* A value that is looked for; asked.value is the guess, or null. */
struct candidates_asked {
    struct locate_asked asked;
    enum candidates_kind kind;
};

struct candidates_found {
    const char *text; /* 2026-11-23, a number as JSON has it, or the print, or
                       * NULL: nothing */
    struct located where;
};

/* Looks for each value by itself; out[n_asked] is theirs. */
void candidates_find(const struct numbered_words *page, int n_page,
                     const struct candidates_asked *asked, int n_asked,
                     struct arena *arena, struct candidates_found *out);

#endif
