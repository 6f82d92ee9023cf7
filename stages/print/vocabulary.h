/* vocabulary.h - the words of business papers: what they name, and what a line is on
 * which they stand.
 *
 * Of English, German, French, Spanish, Italian, Portuguese and Dutch. Labels of
 * values, names in schemas, sums below a table and how a receipt was paid are looked
 * up in this table alone. Words are folded (utf8_fold).
 */
#ifndef STAGES_PRINT_VOCABULARY_H
#define STAGES_PRINT_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/* What a line may be that says a word. */
enum vocabulary_line {
    VOCABULARY_NO_LINE,
    VOCABULARY_CARRIED, /* a balance carried forward, wherever it says so */
    VOCABULARY_SUM,     /* a sum, if it begins so */
    VOCABULARY_TAX,     /* a tax, wherever it says so */
    VOCABULARY_PAYMENT, /* how it was paid, or part of a sum, if it begins so */
    VOCABULARY_UNPRICED, /* no price, if it ends so */
    VOCABULARY_COMPANY   /* a company's name, if it ends so */
};

/* What the folded word means, as English words apart by spaces ("invoice
 * number"), or NULL: nothing but itself. "": nothing at all. */
const char *vocabulary_meaning(const char *word, size_t size);

/* The same, and where it means nothing but itself and has five letters or more, of
 * a word that differs from it in one: "tota1", "betrog". */
const char *vocabulary_near_meaning(const char *word, size_t size);

/* Whether the folded word says what form a company has: gmbh, ltd, bhd. */
bool vocabulary_is_company(const char *word, size_t size);

/* Whether the folded text says one of these words, whole, where such lines say it. */
bool vocabulary_says(const char *text, enum vocabulary_line line);

#endif
