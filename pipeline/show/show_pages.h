/* show_pages.h - pictures of a document's pages with the record's values.
 *
 * Records and documents are parsed in a process of their own (document_work.h).
 */
#ifndef PIPELINE_SHOW_SHOW_PAGES_H
#define PIPELINE_SHOW_SHOW_PAGES_H

#include "pipeline/process/document_work.h"
#include "stages/document/document.h"
#include "stages/document/settings.h"
#include "stages/page/prepare.h"
#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/base/span.h"

/* Receives the picture of a page as a PNG file. */
typedef void show_take(void *arg, int page, struct span png, struct err *err);

struct show_pages {
    struct span record; /* JSON */
    int fd;             /* the document, at its start */
    int unlocked;       /* as in struct document */
    const char *name;   /* name of the document, for people */
    const struct settings *settings;
    show_take *take;
    void *arg;
};

enum { SHOW_PAGES_FIRST = 0, SHOW_PAGES_WITH_VALUES = -1 };

/* Draws page `page` of the document; SHOW_PAGES_FIRST: the record's first;
 * SHOW_PAGES_WITH_VALUES: every page with a value, or the first if there is
 * none. FAIL: [no-such-page]; ERR_ARGS if the document does not have the
 * record's SHA-256, or the record is not one; as rasterise_next, annotate_draw
 * and document_work_run. */
void show_pages_draw(const struct show_pages *s, int page, struct err *err);

/* What a record says of its document: its id, a spool's or "", and its name, no
 * path; in the arena. FAIL: as json_parse and document_work_run. */
struct show_pages_source {
    const char *id, *name;
};
struct show_pages_source show_pages_source(struct span record,
                                           const struct settings *settings,
                                           struct arena *arena,
                                           struct err *err);

/* Receives the picture of a page; it can change the image but not keep it. */
typedef void show_page_take(void *arg, struct page *page, struct image *image,
                            struct err *err);

/* In such a process: draws the pages of `doc` listed in `pages` ("2,5-7") in the size of `target`
 * (NULL: at most the size a model sees). Damaged pages are drawn as far as
 * possible, since they were accepted before. FAIL: as rasterise_next. */
void show_pages_raster(struct document *doc, const char *pages,
                       const struct settings *settings,
                       const struct prepare_target *target,
                       show_page_take *take, void *arg, struct err *err);

#endif
