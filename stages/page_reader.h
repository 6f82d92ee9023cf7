/* page_reader.h - the words of the pages that are read, and whose they are: the
 * text layer's where it can be believed (page/layer.h), else the second
 * reader's, who reads while the model does.
 *
 * A page is seen as it was drawn; what it says is taken when somebody needs it.
 * The second reader has one page at a time, those behind it wait packed. Pages
 * are known by their index in doc->page. Nothing here fails: what goes wrong
 * costs words and is a warning on the document.
 *
 * LIFE  page_reader_new .. page_reader_free.  THREADS  One thread.
 */
#ifndef STAGES_PAGE_READER_H
#define STAGES_PAGE_READER_H

#include "stages/document.h"
#include "stages/jail.h"
#include "stages/page/layer.h"
#include "stages/page/page_view.h"
#include "stages/page/script.h"
#include "stages/page/words.h"
#include "stages/settings.h"

struct page_reader;

/* Draws a page once more for the second reader, finer than the model sees it;
 * false: it cannot be had any finer. The image is the caller's; *dpi is its. */
struct page_finer {
    bool (*draw)(void *arg, int index, struct image *out, double *dpi);
    void *arg;
};

/* What a page says. Boxes are those of the page as it is displayed. */
struct page_seen {
    struct words words;   /* as their source gives them; a rotten layer's are
                            * not among them */
    struct words tight;   /* the same, boxes near to font and ink (tighten.h) */
    struct script script; /* "": cannot be told */
    enum layer_kind layer; /* what was thought of the text layer */
};

/* Are the words what another reader saw of a picture, who may err: the second
 * reader, or whoever made the text layer of a scan? */
static inline bool page_seen_by_another(const struct page_seen *seen)
{
    return seen->words.source == WORDS_OF_SECOND_READER ||
           seen->layer == LAYER_SCAN;
}

/* `stop` is asked while the second reader is waited for (NULL: nobody asks);
 * where it is not `wanted`, it is asked about no page. */
struct page_reader *page_reader_new(struct document *doc,
                                    const struct settings *settings,
                                    const struct jail_stop *stop, bool wanted);

/* Whom to ask for a page that was drawn too coarse for the second reader. */
void page_reader_set_finer(struct page_reader *p,
                           const struct page_finer *finer);

/* A page will be shown to the second reader for sure: it may begin to load its
 * tables. */
void page_reader_warm(struct page_reader *p);
void page_reader_free(struct page_reader *p); /* NULL is fine */

/* The page as it was drawn, with its text layer. The
 * layer is judged by the ink, which takes some milliseconds (50 on a scan with a
 * layer); the second reader begins where it is needed. A page that was seen
 * before is not looked at again. */
void page_reader_see(struct page_reader *p, int index,
                     const struct words *layer, const struct page_view *view);

/* Hands the second reader its next page where it has answered the last; waits
 * for nothing. To be called now and then while pages wait. */
void page_reader_go_on(struct page_reader *p);

/* Whether the second reader was asked about the page. */
bool page_reader_by_second(const struct page_reader *p, int index);

/* What the page says, waiting for the second reader; nothing of a page that
 * nobody saw. Valid until it is dropped. */
const struct page_seen *page_reader_take(struct page_reader *p, int index);

/* The words of its text layer alone, where they are usable; waits for nothing.
 * Valid as page_reader_take's. */
const struct words *page_reader_of_layer(const struct page_reader *p,
                                         int index);

/* Of those words the ones that the page shows (page/visible.h), boxes near to
 * their ink; none where the page was not set from its layer (another reader's
 * words are no print), or where they were not asked for: page_reader_show. Waits
 * for nothing; valid as page_reader_take's. */
const struct words *page_reader_shown(const struct page_reader *p, int index);

/* From now on page_reader_shown is wanted. */
void page_reader_show(struct page_reader *p);

/* The text of that layer, lines from the top; the columns of a line are apart by
 * `apart`. */
void page_reader_put_text(const struct page_reader *p, int index,
                          const char *apart, struct buf *out);

/* Nobody asks about the page any more. */
void page_reader_drop(struct page_reader *p, int index);

#endif
