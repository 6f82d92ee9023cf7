/* show_pages.h - pictures of a document's pages with the record's values. */
#ifndef PIPELINE_SHOW_SHOW_PAGES_H
#define PIPELINE_SHOW_SHOW_PAGES_H

#include <cjson/cJSON.h>

#include "stages/document.h"
#include "stages/page/prepare.h"
#include "stages/settings.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/base/span.h"

/* Receives the picture of a page as a PNG file. */
typedef void show_take(void *arg, int page, struct span png, struct err *err);

struct show_pages {
    const cJSON *record;
    int fd;           /* the document, at its start */
    const char *name; /* name of the document, for people */
    const struct settings *settings;
    show_take *take;
    void *arg;
};

/* Draws page `page` of the document; 0: every page with a value, or the first
 * if there is none. FAIL: [no-such-page]; ERR_ARGS if the document does not
 * have the record's SHA-256, or the record is not one; as rasterise_next and
 * annotate_draw. */
void show_pages_draw(const struct show_pages *s, int page, struct err *err);

/* Receives the picture of a page; it can change the image but not keep it. */
typedef void show_page_take(void *arg, struct page *page, struct image *image,
                            struct err *err);

/* Draws the pages of `doc` listed in `pages` ("2,5-7") in the size of `target`
 * (NULL: at most the size a model sees). Damaged pages are drawn as far as
 * possible, since they were accepted before. FAIL: as rasterise_next;
 * ERR_CANCELLED at a signal. */
void show_pages_raster(struct document *doc, const char *pages,
                       const struct settings *settings,
                       const struct prepare_target *target,
                       show_page_take *take, void *arg, struct err *err);

#endif
