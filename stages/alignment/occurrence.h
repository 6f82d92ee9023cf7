/* occurrence.h - a place where a value may be printed. */
#ifndef STAGES_ALIGNMENT_OCCURRENCE_H
#define STAGES_ALIGNMENT_OCCURRENCE_H

#include "stages/alignment/alignment_inside.h"

/* Adds an occurrence; pieces are copied. It replaces one that begins at the same
 * place and has a greater penalty. */
void occurrence_add(struct alignment *l, struct wanted_value *a,
                    const struct piece *piece, int n_piece,
                    struct occurrence c);

/* The text of the pieces as printed. */
const char *occurrence_text(const struct alignment *l,
                            const struct piece *piece, int n_piece);

/* Whether the occurrence uses the token. */
bool occurrence_has_token(const struct occurrence *c, int token);

#endif
