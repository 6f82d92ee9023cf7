/* figure_sign.h - whether a figure is printed as negative.
 *
 * Printed are a minus or plus before or after it, brackets, and the marks CR
 * and DR, S and H. Without these a table's head decides: an amount below
 * "Paid out" is a debit. A dash of which it is unclear whether it is a minus,
 * and CR in a document without DR (a bank's balance has it, and a refund on a
 * credit card), leave the sign open.
 */
#ifndef STAGES_PRINT_FIGURE_SIGN_H
#define STAGES_PRINT_FIGURE_SIGN_H

#include <stdbool.h>

#include "stages/print/page_table.h"
#include "vlm/base/arena.h"

/* Sets the sign of all figures of the table. Dates have none. */
void figure_sign_find(struct page_table *table, struct arena *arena);

/* Whether a value's text, which is one number, is negative. */
bool figure_sign_is_negative(const char *text);

/* Whether a value's name or title (NULL: none) is that of debits: "paidOut",
 * "Soll", "withdrawal_amount". */
bool figure_sign_names_debit(const char *name);

#endif
