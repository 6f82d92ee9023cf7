/* annotate_text.h - a line of text in any script, drawn with the system's
 * fonts: fontconfig finds them, raqm shapes and orders the text, cairo draws
 * it.
 *
 * Fonts are listed before the sandbox is entered, and opened inside it. */
#ifndef STAGES_CHILDREN_ANNOTATE_ANNOTATE_TEXT_H
#define STAGES_CHILDREN_ANNOTATE_ANNOTATE_TEXT_H

#include <cairo.h>
#include <stdbool.h>

#include "vlm/base/span.h"

struct mark_fonts;

/* The system's fonts, except bitmap and colour fonts; NULL if there are none.
 * They live until the process ends. */
struct mark_fonts *annotate_text_fonts(void);

/* Writes at most `most` folders that hold fonts; returns their number. */
int annotate_text_folders(const char **path, int most);

/* The width of UTF-8 text at `size` pixels; invalid bytes are skipped. */
double annotate_text_width(struct mark_fonts *fonts, struct span text,
                           double size);

/* Draws it from x on the baseline y, with the source of `cr`. */
void annotate_text_show(struct mark_fonts *fonts, cairo_t *cr, struct span text,
                        double x, double y, double size);

#endif
