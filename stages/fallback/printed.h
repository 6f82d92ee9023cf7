/* printed.h - which print of its page a value may be, where the reader could only
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

enum printed_kind { PRINTED_DATE, PRINTED_AMOUNT, PRINTED_TEXT };

/* A value that is looked for; asked.value is the guess, or null. */
struct printed_asked {
    struct locate_asked asked;
    enum printed_kind kind;
};

struct printed_found {
    const char *text; /* 2026-11-23, a number as JSON has it, or the print, or
                       * NULL: nothing */
    struct located where;
};

/* Looks for each value by itself; out[n_asked] is theirs. */
void printed_find(const struct page_words *page, int n_page,
                  const struct printed_asked *asked, int n_asked,
                  struct arena *arena, struct printed_found *out);

#endif
