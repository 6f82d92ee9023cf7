/* searchable.c - see searchable.h: reading the words. */
#include "stages/searchable/searchable.h"

#include "stages/input/rasterise.h"
#include "stages/page/page_view.h"
#include "stages/print/kept_words.h"
#include "stages/print/page_words.h"

static void read_page(struct document *doc, int index, struct raster *raster,
                      struct page_words *words, const struct image *image,
                      const struct settings *settings, struct err *err)
{
    struct arena *arena = arena_new();
    struct kept_words *kept = kept_words_of(doc, index);
    if (kept) kept->quarter_turns = 0;
    struct page_view *view = page_view_new(image, settings->deskew, arena, err);
    if (view) page_words_add(words, index, rasterise_words(raster), view);
    page_view_close(view);
    arena_free(arena);
}

void searchable_read(struct document *doc, const struct settings *settings,
                     const struct child_process_stop *stop, struct err *err)
{
    if (err_failed(err)) return;
    struct prepare_target target = {.grid = 1, .min_pixels = 1};
    struct image image;
    if (doc->n_page && kept_words_are_complete(doc)) return;
    target.max_pixels = settings_page_pixels(settings);
    doc->want_words = true;
    doc->want_invoice = false;
    struct raster *raster = rasterise_open(doc, settings, &target, stop, err);
    struct page_words *words = page_words_new(doc, settings, stop, true);
    for (int i = 0; rasterise_next(raster, &image, err); i++) {
        read_page(doc, i, raster, words, &image, settings, err);
        page_words_get(words, i);
        page_words_drop(words, i);
        image_free(&image);
        rasterise_rested(raster);
    }
    page_words_free(words);
    rasterise_close(raster);
}
