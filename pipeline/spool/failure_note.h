/* failure_note.h - out/NAME/x.pdf.failed.txt: why a document failed, for people
 * who see only out/ (report_failures).
 *
 * A note exists while its document is failed and not dismissed, or is read
 * again: it is removed when the document is dismissed or its record delivered.
 * Before the commit to failed/ an entry in pending/ says that a note is due;
 * the mark SPOOL_NOTED in the document's folder, which is made before the note,
 * says that there is or may be one. A note is recognised by the document's id
 * in it, so no other file is replaced or removed.
 */
#ifndef PIPELINE_SPOOL_FAILURE_NOTE_H
#define PIPELINE_SPOOL_FAILURE_NOTE_H

#include "pipeline/spool/spool.h"

/* Writes the note of a locked folder of failed/ unless it is dismissed, and
 * removes the entry. FAIL: "disk"; the entry stays. */
void failure_note_put(struct folder *f, struct err *err);

/* Removes the note of a locked folder, if it has one. FAIL: "disk". */
void failure_note_drop(struct folder *f, struct err *err);

#endif
