/* page_words.h - the words of the pages that are read, and their source: the
 * text layer if it can be trusted (print/text_layer_check.h), else OCR, which
 * works while the model does.
 *
 * A page is added when it is drawn; its words are fetched when needed. OCR
 * reads one page at a time; others wait compressed. Pages are identified by
 * their index in doc->page. Nothing here fails: an error costs words and is a
 * warning on the document.
 *
 * LIFE  page_words_new .. page_words_free.  THREADS  One thread.
 */
#ifndef STAGES_PRINT_PAGE_WORDS_H
#define STAGES_PRINT_PAGE_WORDS_H

#include "stages/children/child_process.h"
#include "stages/document/document.h"
#include "stages/document/settings.h"
#include "stages/document/words.h"
#include "stages/page/page_view.h"
#include "stages/print/script.h"
#include "stages/print/text_layer_check.h"

struct page_words;

/* Draws a page again for OCR, finer than for the model; false: no finer image
 * is available. The caller frees the image; *dpi is its resolution. */
struct page_finer {
    bool (*draw)(void *arg, int index, struct image *out, double *dpi);
    void *arg;
};

/* The words of a page. Boxes are in 0..1 of the page as displayed. */
struct page_seen {
    struct words words; /* as from their source; without those of a garbled
                           * layer and hidden ones */
    struct words
        tight; /* the same, with boxes close to font and ink (shrink_box.h) */
    struct script script;             /* "": unknown */
    enum text_layer_check_kind layer; /* the verdict on the text layer */
};

/* Whether the words were recognised from an image, and so can be wrong: by OCR,
 * or by the program that made the text layer of a scan. */
static inline bool page_words_may_err(const struct page_seen *seen)
{
    return seen->words.source == WORDS_OF_OCR ||
           seen->layer == TEXT_LAYER_CHECK_SCAN;
}

/* `stop` is polled while waiting for OCR (NULL: no polling). Without `wanted`
 * no page is sent to OCR. */
struct page_words *page_words_new(struct document *doc,
                                  const struct settings *settings,
                                  const struct child_process_stop *stop,
                                  bool wanted);

/* Sets the source of finer images for pages drawn too coarsely for OCR. */
void page_words_set_finer(struct page_words *p, const struct page_finer *finer);

/* Has OCR read scans with a text layer, too: the layer's words, which nobody
 * sees, are used if it reads the same, else its own. */
void page_words_doubt_layers(struct page_words *p);

/* Tells that a page will certainly be sent to OCR, which can load its
 * tables. */
void page_words_start_ocr(struct page_words *p);
void page_words_free(struct page_words *p); /* NULL is fine */

/* Adds a page as drawn, with its text layer. The layer is checked against the
 * ink, which takes some milliseconds (50 for a scan with a layer); OCR starts
 * if it is needed. A page that was added before is ignored. */
void page_words_add(struct page_words *p, int index, const struct words *layer,
                    const struct page_view *view);

/* Sends OCR its next page if it has finished the last; does not wait. Call now
 * and then while pages wait. */
void page_words_feed_ocr(struct page_words *p);

/* Waits until OCR has read all pages that were sent to it. */
void page_words_await(struct page_words *p);

/* Whether the page was sent to OCR, and not only for its covered words. */
bool page_words_are_ocr(const struct page_words *p, int index);

/* Whether page_words_get would not wait. Depends on time. */
bool page_words_are_final(struct page_words *p, int index);

/* The page's words, waiting for OCR; empty for a page that was not added. Valid
 * until the page is dropped. */
const struct page_seen *page_words_get(struct page_words *p, int index);

/* The words of the text layer alone, if usable; does not wait. Valid as for
 * page_words_get. */
const struct words *page_words_of_layer(const struct page_words *p, int index);

/* The words of a page that was generated from its layer, with boxes close to
 * their ink. None of other pages (words recognised from an image are not
 * print), nor of a truncated layer. Does not wait; valid as for
 * page_words_get. */
const struct words *page_words_shown(const struct page_words *p, int index);

/* Appends the text of the usable layer, else what OCR has read by now, lines
 * from the top; columns of a line are separated by `apart`. Does not wait. So
 * the text depends on time: it may change how fast an answer is, not what it
 * is. */
void page_words_append_text(struct page_words *p, int index, const char *apart,
                            struct buf *out);

/* Frees a page that is no longer needed. */
void page_words_drop(struct page_words *p, int index);

#endif
