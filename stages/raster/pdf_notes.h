/* pdf_notes.h - what poppler complains of, and whether it means that something
 * printed is missing from the page.
 *
 * poppler draws what it can and only logs the rest. Its own word for a fault
 * that it could work round is "warning"; any other complaint counts as a loss
 * unless the table in pdf_notes.c knows it to be harmless, so that a complaint
 * never heard of fails the page. docs/notes/pages.md lists the classes.
 */
#ifndef STAGES_RASTER_PDF_NOTES_H
#define STAGES_RASTER_PDF_NOTES_H

#include <stdbool.h>

enum { PDF_NOTE_MAX = 160 };

/* Complaints about one page. */
struct pdf_notes {
    int n_harmless, n_loss;
    char harmless[PDF_NOTE_MAX], loss[PDF_NOTE_MAX]; /* the first of each */
};

/* Counts a complaint and keeps it where it is the first of its class. */
void pdf_notes_add(struct pdf_notes *notes, const char *complaint);

/* Counts something missing that was noticed by us. */
void pdf_notes_add_loss(struct pdf_notes *notes, const char *text);

#endif
