/* engine_words.c - reads no pictures: the words of the pages answer, in
 * stages/words (engine_facts' reads_words). It never fails, and needs no model.
 */
#include "stages/engine/engine.h"

enum { GRID = 32, PIXELS_MIN = 65536 };
/* 72 dpi of an A4 page: enough to compare a text layer with the ink. OCR has the page
 * drawn finer. */
enum { PIXELS_MOST = 500000 };

struct engine_words {
    struct engine engine;
    struct engine_facts facts;
};

static struct engine *words_open(const struct settings *settings,
                                 struct err *err)
{
    if (err_failed(err)) return NULL;
    (void)settings;
    struct engine_words *e = mem_alloc(1, sizeof *e);
    e->facts = (struct engine_facts){
        .name = "words",
        .model = "none",
        .model_hash = "",
        .grid = GRID,
        .min_pixels = PIXELS_MIN,
        .max_pixels = PIXELS_MOST,
        .unmeasured = true,
        .reads_words = true,
    };
    return &e->engine;
}

static void words_close(struct engine *e)
{
    mem_free(e);
}

static const struct engine_facts *words_facts(const struct engine *e)
{
    return &((const struct engine_words *)e)->facts;
}

static void words_begin(struct engine *e, struct document *doc, struct err *err)
{
    (void)e;
    (void)doc;
    (void)err;
}

static void words_page(struct engine *e, struct document *doc,
                       const struct view *view, struct err *err)
{
    (void)e;
    (void)doc;
    (void)view;
    (void)err;
}

static void words_end(struct engine *e, struct document *doc)
{
    (void)e;
    (void)doc;
}

const struct engine_api engine_words_api = {
    .open = words_open,
    .close = words_close,
    .facts = words_facts,
    .begin = words_begin,
    .page = words_page,
    .end = words_end,
};
