/* page_words.h - the words of the pages that are read, and whose they are: the
 * text layer's where it can be believed (page/text_layer_check.h), else the second
 * reader's, who reads while the model does.
 *
 * A page is seen as it was drawn; what it says is taken when somebody needs it.
 * OCR has one page at a time, those behind it wait packed. Pages
 * are known by their index in doc->page. Nothing here fails: what goes wrong
 * costs words and is a warning on the document.
 *
 * LIFE  page_words_new .. page_words_free.  THREADS  One thread.
 */
#ifndef STAGES_PRINT_PAGE_WORDS_H
#define STAGES_PRINT_PAGE_WORDS_H

#include "stages/children/jail.h"
#include "stages/document.h"
#include "stages/page/page_view.h"
#include "stages/print/script.h"
#include "stages/print/text_layer_check.h"
#include "stages/print/words.h"
#include "stages/settings.h"

struct page_words;

/* Draws a page once more for OCR, finer than the model sees it;
 * false: it cannot be had any finer. The image is the caller's; *dpi is its. */
struct page_finer {
    bool (*draw)(void *arg, int index, struct image *out, double *dpi);
    void *arg;
};

/* What a page says. Boxes are those of the page as it is displayed. */
struct page_seen {
    struct words words; /* as their source gives them; a rotten layer's are
                            * not among them */
    struct words
        tight; /* the same, boxes near to font and ink (shrink_box.h) */
    struct script script;             /* "": cannot be told */
    enum text_layer_check_kind layer; /* what was thought of the text layer */
};

/* Are the words what another reader saw of a picture, who may err: the second
 * reader, or whoever made the text layer of a scan? */
static inline bool page_words_may_err(const struct page_seen *seen)
{
    return seen->words.source == WORDS_OF_OCR ||
           seen->layer == TEXT_LAYER_CHECK_SCAN;
}

/* `stop` is asked while OCR is waited for (NULL: nobody asks);
 * where it is not `wanted`, it is asked about no page. */
struct page_words *page_words_new(struct document *doc,
                                  const struct settings *settings,
                                  const struct jail_stop *stop, bool wanted);

/* Whom to ask for a page that was drawn too coarse for OCR. */
void page_words_set_finer(struct page_words *p, const struct page_finer *finer);

/* A page will be shown to OCR for sure: it may begin to load its
 * tables. */
void page_words_start_ocr(struct page_words *p);
void page_words_free(struct page_words *p); /* NULL is fine */

/* The page as it was drawn, with its text layer. The
 * layer is judged by the ink, which takes some milliseconds (50 on a scan with a
 * layer); OCR begins where it is needed. A page that was seen
 * before is not looked at again. */
void page_words_add(struct page_words *p, int index, const struct words *layer,
                    const struct page_view *view);

/* Hands OCR its next page where it has answered the last; waits
 * for nothing. To be called now and then while pages wait. */
void page_words_feed_ocr(struct page_words *p);

/* Whether OCR was asked about the page. */
bool page_words_are_ocr(const struct page_words *p, int index);

/* What the page says, waiting for OCR; nothing of a page that
 * nobody saw. Valid until it is dropped. */
const struct page_seen *page_words_get(struct page_words *p, int index);

/* The words of its text layer alone, where they are usable; waits for nothing.
 * Valid as page_words_get's. */
const struct words *page_words_of_layer(const struct page_words *p, int index);

/* Of those words the ones that the page shows (page/visible_words.h), boxes near to
 * their ink; none where the page was not set from its layer (another reader's
 * words are no print), or where they were not asked for: page_words_expect. Waits
 * for nothing; valid as page_words_get's. */
const struct words *page_words_shown(const struct page_words *p, int index);

/* From now on page_words_shown is wanted. */
void page_words_expect(struct page_words *p);

/* The text of that layer, lines from the top; the columns of a line are apart by
 * `apart`. */
void page_words_put_text(const struct page_words *p, int index,
                         const char *apart, struct buf *out);

/* Nobody asks about the page any more. */
void page_words_drop(struct page_words *p, int index);

#endif
