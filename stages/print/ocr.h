/* ocr.h - what Tesseract reads on a page, to hold against what the
 * model read: words with their places, and the script.
 *
 * The child is the program platen-ocr (stages/children/ocr/): it sees the pixels of
 * pages, its own tables and nothing else, behind the walls of the rasteriser,
 * within limits on memory, CPU and time. One child reads a document's pages; the
 * next document has a fresh one. OCR is optional: whatever goes
 * wrong with it is a warning on the document and never a failure.
 *
 * LIFE  ocr_new .. ocr_free.  THREADS  One thread.
 */
#ifndef STAGES_PRINT_OCR_H
#define STAGES_PRINT_OCR_H

#include "stages/children/jail.h"
#include "stages/document.h"
#include "stages/print/script.h"
#include "stages/print/words.h"
#include "stages/settings.h"
#include "vlm/base/buf.h"

struct ocr;

enum ocr_expect { OCR_WORDS = 1, OCR_SCRIPT = 2 };

/* What a page says; lives until the next page is read. */
struct second_page {
    struct words words;   /* boxes in 0..1 of the image that was given */
    struct script script; /* that of words which were read for sure, else as
                           * Tesseract detects it; "" where nobody asked */
};

/* The words of the settings ocr, ocr_languages and
 * ocr_data. `stop` is asked while the child is waited for (NULL:
 * nobody asks). Starts nothing: the child comes with the first page. Never
 * NULL. */
struct ocr *ocr_new(struct document *doc, const struct settings *settings,
                    const struct jail_stop *stop);
void ocr_free(struct ocr *s); /* NULL is fine */

/* Whether there is one, as far as is known: false where ocr = off, or
 * where it has failed for good. */
bool ocr_is_there(const struct ocr *s);

/* Starts the child before there is a page, so that it loads its tables
 * meanwhile; what goes wrong is told with the first page. */
void ocr_start(struct ocr *s);

/* Reads what is wanted (enum ocr_expect) of page `number`: grey or RGB,
 * upright, as drawn or as shown to the model; dpi 0: not known. It takes one to
 * five seconds of processor time at A4 and 150 dpi, where the script is wanted
 * and the words do not tell it one more. False, and nothing in *out, where it
 * could not be read: the document's warnings say why (once for all pages where
 * it is for good), or `stop` said so. */
bool ocr_read(struct ocr *s, int number, const struct image *page, double dpi,
              unsigned want, struct second_page *out);

/* The same in two steps, between which the child works on its own: a page is
 * sent, then what it says is waited for. One page at a time. Both are false as
 * ocr_read is; nothing is to be received then. */
bool ocr_send(struct ocr *s, int number, const struct image *page, double dpi,
              unsigned want);
bool ocr_receive(struct ocr *s, struct second_page *out);

/* Whether ocr_receive has nothing to wait for. */
bool ocr_has_answered(const struct ocr *s);

/* What is here, a line each, for `platen doctor`, with "! " for what is not. False where it is always
 * wanted and does not work, or where a layer of its sandbox is missing. */
bool ocr_doctor(const struct settings *settings, struct buf *out);

#endif
