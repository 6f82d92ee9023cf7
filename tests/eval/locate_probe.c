/* locate_probe.c - where the values of a record stand on a file's pages.
 *
 *   locate-probe FILE SCHEMA VALUE [--times N]
 *
 * Draws the pages in the jail, takes their text layer, and prints a JSON object
 * of {pointer: [{page, text, match, distance, boxes}]}: one place a value, more
 * where it is ambiguous, none where it stands nowhere. With --times the search
 * is run N times and what one took goes to stderr, in milliseconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stages/evidence/asked.h"
#include "stages/evidence/tighten.h"
#include "stages/identify.h"
#include "stages/rasterise.h"
#include "vlm/base/buf.h"
#include "vlm/base/json.h"
#include "vlm/base/map.h"
#include "vlm/base/now.h"

enum { PAGES_MAX = 64, PIXELS = 2359296, FILE_MAX = 64 << 20 };

struct probe {
    struct arena *arena;
    struct locate_page page[PAGES_MAX];
    struct words words[PAGES_MAX];
    int n_page;
    double tighten_ms;
};

static void check(const struct err *err)
{
    if (!err_failed(err)) return;
    fprintf(stderr, "locate-probe: %s\n", err->text);
    exit(1);
}

static void read_pages(struct probe *p, const char *path)
{
    static char program[4096];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 20);
    program[n < 0 ? 0 : n] = '\0';
    strcpy(strrchr(program, '/') + 1, "platen-raster");
    struct settings s = {.raster_program = program,
                         .pages = "",
                         .document_bytes_max = 200000000,
                         .pages_max = PAGES_MAX,
                         .decoded_pixels_max = 100000000,
                         .child_memory = (int64_t)2 << 30,
                         .child_cpu_s = 60,
                         .page_wall_s = 30,
                         .document_wall_s = 60};
    struct prepare_target target = {1, 1, PIXELS};
    struct err err = {0};
    struct image image;
    struct document *doc = document_new("probe", path, open(path, O_RDONLY));
    doc->want_words = true;
    identify_document(doc, &s, &err);
    struct raster *r = rasterise_open(doc, &s, &target, NULL, &err);
    while (rasterise_next(r, &image, &err) && p->n_page < PAGES_MAX) {
        double since = now_seconds();
        struct words *own = &p->words[p->n_page];
        *own = tighten_words(rasterise_words(r), &image, p->arena);
        p->tighten_ms += 1000 * (now_seconds() - since);
        p->page[p->n_page] = (struct locate_page){p->n_page + 1, own};
        p->n_page++;
        image_free(&image);
    }
    check(&err);
    rasterise_close(r);
    close(doc->fd);
    document_free(doc);
}

static cJSON *read_json(const char *path, struct arena *arena)
{
    struct err err = {0};
    cJSON *value = json_parse(map_read(path, FILE_MAX, arena, &err), &err);
    check(&err);
    return value;
}

static void print_place(struct buf *out, const struct locate_place *place)
{
    static const char *const match[] = {"exact", "normalised", "fuzzy"};
    buf_print(out, "{\"page\": %d, \"match\": \"%s\", \"distance\": %d, ",
              place->page, match[place->match], place->distance);
    buf_add_text(out, "\"text\": ");
    json_print_string(out, span_of(place->text));
    buf_add_text(out, ", \"boxes\": [");
    for (int i = 0; i < place->n_box; i++)
        buf_print(out, "%s[%.5f, %.5f, %.5f, %.5f]", i ? ", " : "",
                  place->box[i].x, place->box[i].y, place->box[i].w,
                  place->box[i].h);
    buf_add_text(out, "]}");
}

static void print_all(const struct asked_values *asked,
                      const struct located *found)
{
    struct buf out = buf_limit(64 << 20);
    for (int i = 0; i < asked->n_item; i++) {
        buf_add_text(&out, i ? ",\n" : "{");
        json_print_string(&out, span_of(asked->item[i].pointer));
        buf_add_text(&out, ": [");
        for (int k = 0; k < found[i].n_place; k++) {
            if (k) buf_add_text(&out, ", ");
            print_place(&out, &found[i].place[k]);
        }
        buf_add_text(&out, "]");
    }
    buf_add_text(&out, asked->n_item ? "}\n" : "{}\n");
    fwrite(out.data, 1, out.size, stdout);
    buf_free(&out);
}

int main(int n_arg, char **arg)
{
    struct probe p = {.arena = arena_new()};
    struct schema_options options = {.format_asserts = true};
    struct err err = {0};
    if (n_arg < 4) {
        fprintf(stderr, "usage: locate-probe FILE SCHEMA VALUE [--times N]\n");
        return 2;
    }
    read_pages(&p, arg[1]);
    struct schema *schema = schema_load(arg[2], &options, &err);
    check(&err);
    cJSON *value = read_json(arg[3], p.arena);
    struct asked_values asked;
    asked_of_value(schema, value, p.arena, &asked);
    struct located *found =
        arena_array(p.arena, (size_t)asked.n_item + 1, sizeof *found);
    int times = n_arg > 5 ? (int)strtol(arg[5], NULL, 10) : 0;
    double since = now_seconds();
    for (int i = 0; i < times; i++) {
        struct arena *own = arena_new();
        locate_values(p.page, p.n_page, asked.item, asked.n_item, own, found);
        arena_free(own);
    }
    if (times)
        fprintf(stderr, "%d pages, %d values: boxes %.2f ms, search %.2f ms\n",
                p.n_page, asked.n_item, p.tighten_ms,
                1000 * (now_seconds() - since) / times);
    locate_values(p.page, p.n_page, asked.item, asked.n_item, p.arena, found);
    print_all(&asked, found);
    cJSON_Delete(value);
    schema_free(schema);
    arena_free(p.arena);
    return 0;
}
