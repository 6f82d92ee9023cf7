/* show_pages.h - pages of a record's document as pictures with its values. */
#ifndef PIPELINE_SHOW_SHOW_PAGES_H
#define PIPELINE_SHOW_SHOW_PAGES_H

#include <cjson/cJSON.h>

#include "stages/document.h"
#include "stages/page/prepare.h"
#include "stages/settings.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/base/span.h"

/* Takes the picture of a page as the bytes of a PNG file. */
typedef void show_take(void *arg, int page, struct span png, struct err *err);

struct show_pages {
    const cJSON *record;
    int fd;           /* its document, from the start */
    const char *name; /* of the document, for people */
    const struct settings *settings;
    show_take *take;
    void *arg;
};

/* Draws page `page` of the document, or, where that is 0, every page on which a
 * value stands; the first where none does. The document must have the SHA-256
 * that is in the record. FAIL: [no-such-page]; ERR_ARGS where it is another
 * document or the record is none; as rasterise_next and annotate_draw. */
void show_pages_draw(const struct show_pages *s, int page, struct err *err);

/* Takes the picture of a page, which it may change and not keep. */
typedef void show_page_take(void *arg, struct page *page, struct image *image,
                            struct err *err);

/* Draws the pages of `doc` that `pages` names ("2,5-7") as large as `target` says
 * (NULL: as a model would see them at most), and as far as they go where they are
 * damaged: they were taken once. FAIL: as rasterise_next; ERR_CANCELLED at a
 * signal. */
void show_pages_raster(struct document *doc, const char *pages,
                       const struct settings *settings,
                       const struct prepare_target *target,
                       show_page_take *take, void *arg, struct err *err);

#endif
