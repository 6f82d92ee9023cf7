/* ocr.h - words and script of a page, read by an OCR engine, to check what the
 * model read.
 *
 * The child is the program platen-ocr (stages/children/ocr/). It sees only the
 * pixels of pages and its own tables, in the same sandbox as the rasteriser,
 * with limits on memory, CPU and time. One child reads the pages of a document;
 * the next document gets a new one. OCR is optional: its errors are warnings on
 * the document, never failures.
 *
 * LIFE  ocr_new .. ocr_free.  THREADS  One thread.
 */
#ifndef STAGES_PRINT_OCR_H
#define STAGES_PRINT_OCR_H

#include "stages/children/child_process.h"
#include "stages/document/document.h"
#include "stages/document/settings.h"
#include "stages/document/words.h"
#include "stages/print/script.h"
#include "vlm/base/buf.h"

struct ocr;

enum ocr_expect { OCR_WORDS = 1, OCR_SCRIPT = 2 };

/* The result for a page; valid until the next page is read. */
struct ocr_page {
    struct words words;   /* boxes in 0..1 of the given image */
    struct script script; /* that of the words if these are confident, else the
                           * one that Tesseract detects; "" if not requested */
};

/* Uses the settings whose names begin with ocr. `stop` is polled while
 * waiting for the child (NULL: no polling). Starts no child yet: the first page
 * does. Never NULL. */
struct ocr *ocr_new(struct document *doc, const struct settings *settings,
                    const struct child_process_stop *stop);
void ocr_free(struct ocr *s); /* NULL is fine */

/* Whether OCR is available as far as is known: false if ocr = off, or after a
 * permanent failure. */
bool ocr_is_available(const struct ocr *s);

/* Starts the child early, so that it loads its tables before the first page.
 * Errors are reported with the first page. */
void ocr_start(struct ocr *s);

/* Reads what is wanted (enum ocr_expect) from page `number`: grey or RGB,
 * upright, as drawn or as shown to the model; dpi 0: unknown. Takes one to five
 * seconds of CPU time for A4 at 150 dpi, and one more if the script is wanted
 * and the words do not give it. False, with *out empty, if the page could not
 * be read (the document's warnings say why; once for all pages if the failure
 * is permanent), or on `stop`. */
bool ocr_read(struct ocr *s, int number, const struct image *page, double dpi,
              unsigned want, struct ocr_page *out);

/* The same in two steps, so that the child works in parallel: send a page, then
 * wait for the result. One page at a time. Both return false as ocr_read does;
 * nothing can be received then. */
bool ocr_send(struct ocr *s, int number, const struct image *page, double dpi,
              unsigned want);
bool ocr_receive(struct ocr *s, struct ocr_page *out);

/* Whether ocr_receive would not wait. */
bool ocr_has_answered(const struct ocr *s);

/* `platen doctor`: prints the state of OCR, one line each, with "! " for a
 * problem. False if OCR is required (ocr = always) and does not work, or a
 * sandbox layer is missing. */
bool ocr_doctor(const struct settings *settings, struct buf *out);

#endif
