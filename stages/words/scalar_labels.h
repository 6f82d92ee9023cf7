/* scalar_labels.h - the words that may be the label of print outside of tables
 * (words_inside.h).
 */
#ifndef STAGES_WORDS_SCALAR_LABELS_H
#define STAGES_WORDS_SCALAR_LABELS_H

#include "stages/words/words_inside.h"

/* Notes which amounts are over one another in a column (r->over), for what follows. */
void scalar_labels_index(struct words_reading *r);

/* Whether an amount or a date begins at the token. */
bool scalar_labels_is_amount(const struct words_reading *r, int t);

/* The words left of the token on its line: of the nearest cell that has words, up to
 * an amount or a date. *crossed: figures are between. */
struct label_words scalar_labels_beside(const struct words_reading *r,
                                        int token, bool *crossed);

/* Whether words of another role are between a label and its print, from `first` to
 * before `end`: "invoice for your order of 1 March 2018". */
bool scalar_labels_is_of_nearer(const struct words_reading *r,
                                const struct leaf_slot *s, int first, int end);

/* The words of the next line above that are over the tokens; none if it is not
 * near, or they are those of the print beside them. */
struct label_words scalar_labels_above(const struct words_reading *r, int first,
                                       int last, bool text);

/* The column that the tokens are under, a few lines below its table; NULL. */
const struct table_column *scalar_labels_column_over(
    const struct words_reading *r, int first, int last);

/* Whether two numbers, side by side without words between, are under two columns:
 * sums of both. */
bool scalar_labels_is_line_of_sums(const struct words_reading *r, int line);

/* The fit of a sum under a column, in a line of several: the words of its line with
 * those of the head. */
double scalar_labels_fit_under_column(const struct words_reading *r,
                                      const struct leaf_slot *s, int first,
                                      int last);

/* How well the words beside or above the tokens name the slot; the labels that announce
 * the token's print (labelled.c); the better of both. */
double scalar_labels_fit(const struct words_reading *r,
                         const struct leaf_slot *s, int first, int last);
double scalar_labels_fit_announced(const struct words_reading *r,
                                   const struct leaf_slot *s, int token);
double scalar_labels_fit_all(const struct words_reading *r,
                             const struct leaf_slot *s, int first, int last);

#endif
