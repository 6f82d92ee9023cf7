/* searchable.h - a document with its whole text: as a searchable PDF, hOCR or
 * ALTO.
 *
 * The words are those of the text layer, or of OCR where it is not usable
 * (print/kept_words.h), in reading order. No model is needed.
 */
#ifndef STAGES_SEARCHABLE_SEARCHABLE_H
#define STAGES_SEARCHABLE_SEARCHABLE_H

#include "stages/children/child_process.h"
#include "stages/document/document.h"
#include "stages/document/settings.h"
#include "vlm/base/buf.h"

/* Makes the words of all pages known that are not; doc->want_kept_words must
 * have been set before the document was opened. FAIL: as rasterise_open. */
void searchable_read(struct document *doc, const struct settings *settings,
                     const struct child_process_stop *stop, struct err *err);

/* Appends the PDF: the document with invisible words on the pages that have
 * none. A document in which every page has text, or none has words, and of
 * which all pages were read, stays as it is. Nothing is appended before it is
 * complete. FAIL: [damaged], [encrypted],
 * [unsupported-image], [too-large]; as rasterise_open. */
void searchable_pdf(struct document *doc, const struct settings *settings,
                    struct buf *out, struct err *err);

/* Appends hOCR 1.2 (XHTML), or ALTO 4.4, in pixels of the pages as drawn. */
void searchable_hocr(struct document *doc, struct buf *out);
void searchable_alto(struct document *doc, struct buf *out);

/* Appends the words line by line, with a form feed between pages; the same as
 * Markdown without headings, lists and tables, with a comment between pages. */
void searchable_text(struct document *doc, struct buf *out);
void searchable_markdown(struct document *doc, struct buf *out);

#endif
