/* reading.c - see reading.h. */
#include "stages/reading.h"

#include "vlm/base/now.h"

void reading_restart(struct reading *r, int from)
{
    struct jail_stop stop = {r->desk->stop, r->desk->stop_arg};
    if (err_failed(r->err)) return;
    rasterise_close(r->raster);
    r->raster = rasterise_again(r->doc, r->desk->settings, &r->target, from,
                                &stop, r->err);
}

bool reading_draw(struct reading *r, int index, struct image *image,
                  struct err *err)
{
    struct document *doc = r->doc;
    if (err_failed(err)) return false;
    if (rasterise_next(r->raster, image, err)) return true;
    if (err->kind != ERR_CHILD || !doc->want_words || index >= doc->n_page)
        return false;
    int page = doc->page[index].number;
    document_warn(
        doc, &(struct warning){.code = WARN_TEXT_LAYER_LOST, .page = page},
        "page %d: its text layer cannot be read, and from here on none "
        "is: %s",
        page, err->text);
    *err = (struct err){0};
    doc->want_words = false;
    reading_restart(r, index);
    return !err_failed(r->err) && rasterise_next(r->raster, image, err);
}

void reading_enter(struct reading *r, const char *stage)
{
    if (err_failed(r->err)) return;
    const struct desk *desk = r->desk;
    double now = now_seconds();
    document_add_time(r->doc, r->doc->stage, now - r->since);
    r->since = now;
    r->doc->stage = stage;
    if (desk->progress) desk->progress(desk->progress_arg, r->doc, r->page);
    if (desk->stop && desk->stop(desk->stop_arg))
        err_reason(r->err, ERR_CANCELLED, "cancelled", "asked to stop");
}
