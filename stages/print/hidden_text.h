/* hidden_text.h - reports text of a page that nobody can see.
 *
 * Text that the page does not show is never used (text_layer_check.h). If it is
 * not printed elsewhere on the page, it may be meant for programs: an attack,
 * or what a black bar should have removed.
 */
#ifndef STAGES_PRINT_HIDDEN_TEXT_H
#define STAGES_PRINT_HIDDEN_TEXT_H

#include "stages/document.h"
#include "stages/print/words.h"

/* Adds the warning hidden-text to the document for the hidden words of page
 * `number` whose letters and digits are not among those of its other words. */
void hidden_text_warn(struct document *doc, int number,
                      const struct words *layer);

#endif
