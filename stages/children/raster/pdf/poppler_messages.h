/* poppler_messages.h - what poppler complains of, and whether it means that something
 * printed is missing from the page.
 *
 * poppler draws what it can and only logs the rest. Its own word for a fault
 * that it could work round is "warning"; any other complaint counts as a loss
 * unless the table in poppler_messages.c knows it to be harmless, so that a complaint
 * never heard of fails the page. docs/notes/pages.md lists the classes.
 */
#ifndef STAGES_CHILDREN_RASTER_PDF_POPPLER_MESSAGES_H
#define STAGES_CHILDREN_RASTER_PDF_POPPLER_MESSAGES_H

#include <stdbool.h>

enum { PDF_NOTE_MAX = 160 };

/* Complaints about one page. */
struct poppler_messages {
    int n_harmless, n_loss;
    char harmless[PDF_NOTE_MAX], loss[PDF_NOTE_MAX]; /* the first of each */
};

/* Counts a complaint and keeps it where it is the first of its class. */
void poppler_messages_add(struct poppler_messages *notes,
                          const char *complaint);

/* Counts something missing that was noticed by us. */
void poppler_messages_add_loss(struct poppler_messages *notes,
                               const char *text);

#endif
