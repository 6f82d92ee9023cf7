/* answer_probe.c - what the embedded model reads of pictures, and how surely.
 *
 *     answer-probe RASTER SCHEMA MODEL MMPROJ FILE...: one JSON object a line
 *
 * {"file", "seconds", "answer", "fields": {pointer: [p, p_min, p_min_of_siblings, p_legal,
 * n_token]}}
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/engine/engine.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/page/prepare.h"
#include "vlm/base/buf.h"
#include "vlm/base/clock.h"
#include "vlm/base/file_map.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum { SCHEMA_MOST = 1 << 20, LINE_MOST = 1 << 22 };

struct probe {
    struct settings settings;
    struct engine *engine;
    struct schema *schema;
    struct err err;
};

static void print_document(const struct document *doc, double seconds)
{
    struct buf out = buf_limit(LINE_MOST);
    buf_add_text(&out, "{\"file\":");
    json_print_string(&out, span_of(doc->name));
    buf_print(&out, ",\"seconds\":%.6f,\"answer\":%.*s,\"fields\":{", seconds,
              (int)doc->answer.size, doc->answer.data);
    for (int i = 0; i < doc->n_field; i++) {
        const struct field *f = &doc->field[i];
        if (i) buf_add_text(&out, ",");
        json_print_string(&out, span_of(f->pointer));
        buf_print(&out, ":[%.9f,%.9f,%.9f,%.9f,%d]", f->p, f->p_min,
                  f->p_min_of_siblings, f->p_legal, f->n_token);
    }
    buf_add_text(&out, "}}\n");
    fwrite(out.data, 1, out.size, stdout);
    buf_free(&out);
}

static void read_file(struct probe *p, const char *path)
{
    const struct engine_facts *f = engine_facts(p->engine);
    const struct engine_api *api = p->engine->api;
    struct prepare_target target = {.grid = f->grid,
                                    .min_pixels = f->min_pixels,
                                    .max_pixels = f->max_pixels};
    struct engine_try now = {.attempt = 1, .max_tokens = 4000};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct document *doc = document_new("id", path, fd);
    struct image image = {0};
    doc->schema = p->schema;
    identify_document(doc, &p->settings, &p->err);
    struct raster *r =
        rasterise_open(doc, &p->settings, &target, NULL, &p->err);
    if (!err_failed(&p->err)) rasterise_next(r, &image, &p->err);
    struct page_view *seen =
        page_view_new(&image, p->settings.deskew, doc->arena, &p->err);
    prepare_page(&image, seen, &doc->page[0], &target, &p->settings, &p->err);
    page_view_close(seen);
    double since = clock_seconds();
    if (!err_failed(&p->err) && !doc->page[0].blank) {
        struct view view = {.image = &image, .page = &doc->page[0]};
        api->begin(p->engine, doc, &p->err);
        if (!err_failed(&p->err)) api->page(p->engine, doc, &view, &p->err);
        if (!err_failed(&p->err)) api->answer(p->engine, doc, &now, &p->err);
        if (!err_failed(&p->err)) print_document(doc, clock_seconds() - since);
    }
    if (err_failed(&p->err)) fprintf(stderr, "%s: %s\n", path, p->err.text);
    p->err = (struct err){0};
    image_free(&image);
    rasterise_close(r);
    document_free(doc);
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc < 6) return 2;
    struct probe p = {.settings = {.raster_program = argv[1],
                                   .engine = "native",
                                   .model = argv[3],
                                   .mmproj = argv[4],
                                   .model_sha256 = "",
                                   .cache = "",
                                   .n_thread = 1,
                                   .pages = "",
                                   .deskew = true,
                                   .max_document_bytes = 200000000,
                                   .max_pages = 2000,
                                   .max_decoded_pixels = 100000000,
                                   .child_memory_limit = (int64_t)2 << 30,
                                   .child_cpu_limit_s = 10,
                                   .page_timeout_s = 30,
                                   .document_timeout_s = 60}};
    struct arena *arena = arena_new();
    struct span text = file_map_read(argv[2], SCHEMA_MOST, arena, &p.err);
    if (!err_failed(&p.err))
        p.schema = schema_parse(text, argv[2], NULL, &p.err);
    p.engine = engine_open(&p.settings, &p.err);
    if (err_failed(&p.err)) {
        fprintf(stderr, "%s\n", p.err.text);
        return 1;
    }
    for (int i = 5; i < argc; i++)
        read_file(&p, argv[i]);
    engine_close(p.engine);
    schema_free(p.schema);
    arena_free(arena);
    return 0;
}
