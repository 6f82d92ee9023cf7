/* wanted.h - the values of an answer: names, rows, columns, kinds. */
#ifndef STAGES_ALIGNMENT_WANTED_H
#define STAGES_ALIGNMENT_WANTED_H

#include "stages/alignment/alignment_inside.h"

/* Fills in what pointers, titles and descriptions of the l->n_asking values
 * tell; l->asking has space for them. */
void wanted_read(struct alignment *l, const struct leaf_value *asked);

/* Sets the roles of a value from its meanings. */
void wanted_read_roles(struct wanted_value *a);

/* Whether the word is among the meanings of the value's own names. */
bool wanted_has_meaning(const struct wanted_value *a, const char *word);

/* The same for the names of a value, with or without what it is part of. */
double wanted_fit(const struct wanted_value *a, const struct label_words *p);

/* Whether the value is named as an identifier whose check digits are wrong. */
bool wanted_fails_check_digits(const struct wanted_value *a);

#endif
