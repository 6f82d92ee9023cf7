/* annotate_text.h - a line of text in whatever script, drawn with the system's fonts:
 * fontconfig says which, raqm shapes and orders, cairo draws.
 *
 * Fonts are listed before the walls go up and opened behind them. */
#ifndef STAGES_CHILDREN_ANNOTATE_ANNOTATE_TEXT_H
#define STAGES_CHILDREN_ANNOTATE_ANNOTATE_TEXT_H

#include <cairo.h>
#include <stdbool.h>

#include "vlm/base/span.h"

struct mark_fonts;

/* The system's fonts, for what is neither bitmap nor in colours; NULL where
 * there are none. They live until the process ends. */
struct mark_fonts *annotate_text_fonts(void);

/* Folders that fonts are read from, at most `most`; how many. */
int annotate_text_folders(const char **path, int most);

/* How wide the line is at `size` pixels; UTF-8, what is none is left out. */
double annotate_text_width(struct mark_fonts *fonts, struct span text,
                           double size);

/* Draws it from x on, on the line y, with the source of `cr`. */
void annotate_text_show(struct mark_fonts *fonts, cairo_t *cr, struct span text,
                        double x, double y, double size);

#endif
