/* poppler_messages.h - classifies poppler's error messages: does one mean that
 * printed content is missing from the page?
 *
 * poppler draws what it can and only logs the rest. It calls a fault that it
 * worked around a "warning"; any other message counts as a loss unless the
 * table in poppler_messages.c lists it as harmless, so that an unknown message
 * fails the page. docs/notes/pages.md lists the classes.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_POPPLER_MESSAGES_H
#define STAGES_CHILDREN_RASTER_PDF_POPPLER_MESSAGES_H

#include <stdbool.h>

enum { PDF_NOTE_MAX = 160 };

/* Messages about one page. */
struct poppler_messages {
    int n_harmless, n_loss;
    char harmless[PDF_NOTE_MAX], loss[PDF_NOTE_MAX]; /* the first of each */
};

/* Counts a message and keeps it if it is the first of its class. */
void poppler_messages_add(struct poppler_messages *notes,
                          const char *complaint);

/* Counts missing content that platen detected itself. */
void poppler_messages_add_loss(struct poppler_messages *notes,
                               const char *text);

#endif
