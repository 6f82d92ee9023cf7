/* candidates.h - finds the print on a page that a guessed value most probably
 * is.
 *
 * Candidates are the dates, amounts, lines and cells on the page. The one with
 * the highest score is chosen: a label left of it or above it names the value
 * (its key, title and description, in the vocabulary of business papers in six
 * languages); it resembles the model's guess; it is a large amount; it is in
 * the letterhead, for the seller. Without any reason none is chosen. Pure; the
 * result is in the arena.
 */
#ifndef STAGES_FALLBACK_CANDIDATES_H
#define STAGES_FALLBACK_CANDIDATES_H

#include "stages/alignment/alignment.h"
#include "stages/confidence/confidence_model.h"

/* A value to find; asked.value is the model's guess, or null. */
struct candidates_asked {
    struct leaf_value asked;
    enum confidence_print_kind kind;
};

struct candidates_found {
    const char *text; /* ISO date, JSON number or printed text; NULL: none */
    struct aligned_value where;
    double reason[PRINT_FEATURES]; /* what speaks for it, without the guess */
};

/* Finds each value independently; writes out[n_asked]. */
void candidates_find(const struct numbered_words *page, int n_page,
                     const struct candidates_asked *asked, int n_asked,
                     struct arena *arena, struct candidates_found *out);

#endif
