/* prefetch.c - pages that are drawn, and asked about, ahead of their turn
 * (long_inside.h). */
#include "stages/long/long_inside.h"

#include "vlm/json/json.h"

void prefetch_begin(struct long_document *w, int from)
{
    const struct engine *engine = w->r->context->engine;
    int n_flight = engine_facts(engine)->n_flight;
    w->n_room = engine->api->ahead && n_flight > 1 ? n_flight : 1;
    w->drawn = mem_alloc((size_t)w->n_room, sizeof *w->drawn);
    w->next = from;
}

static void free_drawn(struct drawn_page *d)
{
    image_free(&d->image);
    image_encode_drop(&d->packed);
    if (d->arena) arena_free(d->arena);
    *d = (struct drawn_page){0};
}

void prefetch_done(struct long_document *w)
{
    if (w->r->doc->n_page > 1) /* auto_rotate.h reads those of a single page */
        page_words_drop(w->r->words, w->drawn[0].index);
    free_drawn(&w->drawn[0]);
    w->n_drawn--;
    memmove(w->drawn, w->drawn + 1, (size_t)w->n_drawn * sizeof *w->drawn);
}

void prefetch_end(struct long_document *w)
{
    for (int i = 0; i < w->n_drawn; i++)
        free_drawn(&w->drawn[i]);
    mem_free(w->drawn);
    w->drawn = NULL;
    w->n_drawn = 0;
}

/* Drops the pixels of a page that waits, but keeps what is needed later. */
static void count_lines(struct long_document *w, struct drawn_page *d)
{
    if (page_lines_allow_unchecked(w, d->index) &&
        !w->r->doc->page[d->index].blank && d->view)
        d->n_line = page_view_n_line(d->view, &w->late);
    page_view_close(d->view);
}

static bool draw_page(struct long_document *w, struct drawn_page *d)
{
    struct document_run *r = w->r;
    document_run_enter(r, "rasterise");
    w->late_stage = "rasterise";
    if (err_failed(r->err) ||
        !document_run_draw(r, w->next, &d->image, &w->late))
        return false;
    d->index = w->next++;
    d->no_text_layer = !r->doc->want_words;
    d->view = page_view_new(&d->image, r->context->settings->deskew, d->arena,
                            &w->late);
    if (d->view) document_run_find_words(r, d->index, d->view);
    w->late_stage = "prepare";
    struct page *page = &r->doc->page[d->index];
    prepare_page(&d->image, d->view, page, &r->target, r->context->settings,
                 &w->late);
    count_lines(w, d);
    d->asked = page->blank;
    if (err_failed(&w->late) && !w->late.page) w->late.page = page->number;
    return !err_failed(&w->late) && !err_failed(r->err);
}

/* Warnings of drawing are kept with the page. */
static void draw(struct long_document *w)
{
    struct document *doc = w->r->doc;
    struct drawn_page *d = &w->drawn[w->n_drawn];
    struct warnings *before = doc->warnings;
    *d = (struct drawn_page){.arena = arena_new()};
    doc->warnings = d->warnings = warnings_new(d->arena);
    bool given = draw_page(w, d);
    doc->warnings = before;
    if (given)
        w->n_drawn++;
    else
        free_drawn(d);
    w->all_drawn = !given;
}

/* Pages behind the current one are asked about only if the context (heading, last row)
 * of the page before is likely to stay the same. */
static bool may_ask(const struct long_document *w, const struct drawn_page *d)
{
    return w->n_room > 1 && !w->split && !w->given &&
           (d == w->drawn || w->header_unchanged);
}

static void ask_ahead(struct long_document *w, struct drawn_page *d)
{
    bool fits;
    if (d->asked || !may_ask(w, d)) return;
    image_encode_unpack(&d->packed, &d->image, w->r->err);
    struct part part = {.image = &d->image, .index = d->index, .bottom = 1};
    part.scalars = page_scalars_wanted(w, d, &fits);
    d->asked = ask_region_ask_ahead(w, &part);
}

/* Asks about drawn pages, and draws more meanwhile; waiting pictures are compressed. */
static void go_ahead(struct long_document *w)
{
    bool asked = true;
    for (int i = 0; asked && i < w->n_room && !err_failed(w->r->err); i++) {
        if (i == w->n_drawn && !w->all_drawn) draw(w);
        if (i == w->n_drawn) return;
        ask_ahead(w, &w->drawn[i]);
        asked = w->drawn[i].asked;
        if (w->n_room > 1 && !w->drawn[i].packed.data)
            w->drawn[i].packed = image_encode_pack(&w->drawn[i].image);
    }
}

/* A failure is reported after all pages before it are read and kept. */
static void fail(struct long_document *w)
{
    if (!err_failed(&w->late)) return;
    document_run_enter(w->r, w->late_stage);
    if (!err_failed(w->r->err)) *w->r->err = w->late;
}

struct drawn_page *prefetch_next(struct long_document *w)
{
    struct document *doc = w->r->doc;
    go_ahead(w);
    if (!w->n_drawn) fail(w);
    if (err_failed(w->r->err) || !w->n_drawn) return NULL;
    image_encode_unpack(&w->drawn[0].packed, &w->drawn[0].image, w->r->err);
    warnings_join(doc->warnings, w->drawn[0].warnings);
    return &w->drawn[0];
}
