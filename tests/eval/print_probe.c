/* print_probe.c - which print of receipts is taken for their scalars, and what
 * speaks for it.
 *
 *     print-probe RASTER OCR FILE...: one JSON object a line
 *
 * {"file", "merchant": {"text", "reason": [...]}, "date", "total"}; what is not
 * found is left out
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/fallback/candidates.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/print/page_words.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

enum { LINE_MOST = 1 << 16, ASKED = 3 };

static const struct {
    const char *name, *description;
    enum confidence_print_kind kind;
} asked_for[ASKED] = {
    {"merchant", "Name of the shop, as printed at the top", PRINT_TEXT},
    {"date", "Day of the purchase, as YYYY-MM-DD", PRINT_DATE},
    {"total", "Amount that was paid", PRINT_AMOUNT}};

static void print_found(struct buf *out, const char *name,
                        const struct candidates_found *found)
{
    if (!found->text) return;
    buf_print(out, ",\"%s\":{\"text\":", name);
    json_print_string(out, span_of(found->text));
    for (int i = 0; i < PRINT_FEATURES; i++)
        buf_print(out, "%s%.5f", i ? "," : ",\"reason\":[", found->reason[i]);
    buf_add_text(out, "]}");
}

static void find_scalars(const struct document *doc, const struct words *words)
{
    struct numbered_words page = {1, words};
    struct candidates_asked asked[ASKED];
    struct candidates_found found[ASKED];
    struct buf out = buf_limit(LINE_MOST);
    cJSON *nothing = cJSON_CreateNull();
    for (int i = 0; i < ASKED; i++)
        asked[i] = (struct candidates_asked){
            .asked = {.pointer =
                          arena_text(doc->arena, "/%s", asked_for[i].name),
                      .value = nothing,
                      .description = asked_for[i].description},
            .kind = asked_for[i].kind};
    candidates_find(&page, 1, asked, ASKED, doc->arena, found);
    buf_add_text(&out, "{\"file\":");
    json_print_string(&out, span_of(doc->name));
    for (int i = 0; i < ASKED; i++)
        print_found(&out, asked_for[i].name, &found[i]);
    buf_add_text(&out, "}\n");
    fwrite(out.data, 1, out.size, stdout);
    buf_free(&out);
    cJSON_Delete(nothing);
}

static void read_file(const struct settings *settings, const char *path)
{
    struct prepare_target target = {
        .grid = 32, .min_pixels = 1024, .max_pixels = SETTINGS_PAGE_PIXELS};
    struct err err = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct document *doc = document_new("id", path, fd);
    struct page_words *words = page_words_new(doc, settings, NULL, true);
    struct image image = {0};
    identify_document(doc, settings, &err);
    struct raster *r = rasterise_open(doc, settings, &target, NULL, &err);
    if (!err_failed(&err)) rasterise_next(r, &image, &err);
    struct page_view *seen =
        page_view_new(&image, settings->deskew, doc->arena, &err);
    if (seen && !err_failed(&err)) {
        page_words_add(words, 0, rasterise_words(r), seen);
        find_scalars(doc, &page_words_get(words, 0)->tight);
    } else {
        fprintf(stderr, "%s: %s\n", path, err.text);
    }
    page_view_close(seen);
    page_words_free(words);
    image_free(&image);
    rasterise_close(r);
    document_free(doc);
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    const struct settings settings = {.raster_program = argv[1],
                                      .ocr = "always",
                                      .ocr_languages = "eng",
                                      .ocr_engine = "tesseract",
                                      .ocr_models = "",
                                      .ocr_data = "",
                                      .ocr_program = argv[2],
                                      .cache = "",
                                      .pages = "",
                                      .deskew = true,
                                      .max_document_bytes = 200000000,
                                      .max_pages = 2000,
                                      .max_decoded_pixels = 100000000,
                                      .child_memory_limit = (int64_t)2 << 30,
                                      .child_cpu_limit_s = 60,
                                      .page_timeout_s = 60,
                                      .document_timeout_s = 120};
    for (int i = 3; i < argc; i++)
        read_file(&settings, argv[i]);
    return 0;
}
