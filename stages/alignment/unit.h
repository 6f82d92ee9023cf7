/* unit.h - complete units of print: from one edge to the next. */
#ifndef STAGES_ALIGNMENT_UNIT_H
#define STAGES_ALIGNMENT_UNIT_H

#include "stages/alignment/alignment_inside.h"

/* Whether the text is groups with digits, and codes of few letters: "DE12 5001",
 * "INV-7". */
bool unit_is_code(const char *text);

/* Whether the token is in no date, amount or share. */
bool unit_is_plain_number(const struct alignment *l, int token);

/* Whether a decided value uses the token. */
bool unit_is_taken(const struct alignment *l, int token);

/* Whether a decided value uses a token of the figure. */
bool unit_figure_is_taken(const struct alignment *l,
                          const struct table_figure *f);

/* Whether it is "&", or a word without a meaning, like "of". */
bool unit_is_joint(const struct alignment *l, int token);

/* Whether it is a few capitals that can be a part of a code: "PO" of "PO 08184". */
bool unit_is_prefix(const struct alignment *l, int token);

/* Whether it is the sign of a product. */
bool unit_is_times(const struct alignment *l, int token);

/* Whether the token's cell is a sentence. */
bool unit_is_prose(const struct alignment *l, int token);

/* Whether the print goes on before or after every possible place, so that the
 * value may be part of a longer one. Outside of tables a complete place is
 * chosen instead of a part. */
bool unit_is_part_everywhere(const struct alignment *l, struct wanted_value *a);

#endif
