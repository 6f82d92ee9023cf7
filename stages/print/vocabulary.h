/* vocabulary.h - the words of business documents: their meaning, and the kind
 * of line they mark.
 *
 * In English, German, French, Spanish, Italian, Portuguese and Dutch; the usual labels
 * in Swedish, Danish, Norwegian, Polish, Czech and Turkish, too. The only
 * table for labels of values, names in schemas, totals below a table and how a
 * receipt was paid. Words are folded (utf8_fold).
 */
#ifndef STAGES_PRINT_VOCABULARY_H
#define STAGES_PRINT_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

/* The kind of line that a word marks, or of a word that marks none. */
enum vocabulary_line {
    VOCABULARY_NO_LINE,
    VOCABULARY_CARRIED, /* a balance carried forward, if anywhere in the line */
    VOCABULARY_SUM,     /* a total, if at the start */
    VOCABULARY_TAX,     /* a tax, if anywhere in the line */
    VOCABULARY_PAYMENT, /* a payment or part of a total, if at the start */
    VOCABULARY_UNPRICED, /* not a price, if at the end */
    VOCABULARY_COMPANY,  /* a company's name, if at the end */
    VOCABULARY_CURRENCY, /* no line: a currency's code or name */
    VOCABULARY_DEBIT,    /* no line: a column of what is paid out */
    VOCABULARY_CREDIT    /* no line: of what is paid in */
};

/* The meaning of a folded word, as English words separated by spaces ("invoice
 * number"), or NULL: the word itself. "": no meaning. */
const char *vocabulary_meaning(const char *word, size_t size);

/* Whether the folded word is of this kind, wherever it is: gmbh, ltd and bhd are
 * VOCABULARY_COMPANY. */
bool vocabulary_is(const char *word, size_t size, enum vocabulary_line kind);

/* Whether the folded text has a word of this kind, whole, where it must be; of
 * those that mark a line. */
bool vocabulary_says(const char *text, enum vocabulary_line line);

/* Whether the folded word can be a part of a label: it has a meaning, also with a
 * letter misread, or is in a text that marks a total, a tax or a payment. */
bool vocabulary_is_label(const char *word);

#endif
