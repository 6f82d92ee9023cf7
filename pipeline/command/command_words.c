/* command_words.c - platen words: the words of pages and their boxes, from the
 * text layer or OCR, without a model. */
#include <string.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/local/extract_files.h"
#include "pipeline/process/document_work.h"
#include "pipeline/process/signals.h"
#include "stages/document/reason.h"
#include "stages/input/identify.h"
#include "stages/input/rasterise.h"
#include "stages/pixels/deskew.h"
#include "stages/print/ocr.h"
#include "stages/print/text_layer_check.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

enum { LINE_BYTES_MAX = 1 << 26 };

/* --- in the process that reads the document ------------------------------- */

struct sources {
    const struct document *doc;
    struct document_work_output *out;
    struct raster *raster;
    struct ocr *ocr;
    bool always; /* use OCR for every page */
    bool deskew;
};

/* The words of a page and their source. */
struct words_of_page {
    const char *source; /* "text layer" or "OCR"; NULL: no words */
    struct text_layer_check_verdict layer;
    const struct words *words;
    struct script script;
};

static void print_script(struct buf *out, const struct script *script)
{
    if (!*script->name) {
        json_print_member(out, "script", NULL);
        return;
    }
    buf_print(out, ",\"script\":{\"name\":\"%s\",\"confidence\":%.2f}",
              script->name, script->confidence);
}

static void print_words(struct buf *out, const struct words *words)
{
    buf_print(out, ",\"words\":[");
    for (int i = 0; i < words->n_word; i++) {
        const struct word *w = &words->word[i];
        buf_print(out, "%s{\"text\":", i ? "," : "");
        json_print_string(out, span_of(w->text));
        buf_print(out, ",\"box\":[%.5f,%.5f,%.5f,%.5f],\"confidence\":%.2f}",
                  w->x, w->y, w->w, w->h, (double)w->confidence);
    }
    buf_print(out, "]}\n");
}

static void print_page(const struct sources *from, const struct page *page,
                       const struct words_of_page *read)
{
    struct buf out = buf_limit(LINE_BYTES_MAX);
    buf_print(&out, "{\"file\":");
    json_print_string(&out, span_of(from->doc->name));
    buf_print(&out, ",\"page\":%d", page->number);
    json_print_member(&out, "source", read->source);
    json_print_member(&out, "text_layer",
                      text_layer_check_name(read->layer.kind));
    print_script(&out, &read->script);
    print_words(&out, read->words);
    document_work_put(from->out, page->number, buf_span(&out));
    buf_free(&out);
}

/* The words that OCR reads on the page, straightened if it is skewed; false if
 * it fails. */
static bool read_by_ocr(const struct sources *from, const struct page *page,
                        const struct image *image, double skew_degrees,
                        struct ocr_page *seen)
{
    struct err err = {0};
    struct image straight = {0};
    if (skew_degrees != 0) straight = image_to_grey(image, &err);
    if (straight.data) deskew_turn(&straight, skew_degrees, &err);
    bool read =
        !err_failed(&err) &&
        ocr_read(from->ocr, page->number, straight.data ? &straight : image,
                 page->dpi, OCR_WORDS | OCR_SCRIPT, seen);
    image_free(&straight);
    if (!read) return false;
    seen->words.skew_degrees = skew_degrees;
    text_lines_skew_words(&seen->words);
    return true;
}

/* Prints the words of the text layer if it is usable, unless OCR is to read all
 * pages; otherwise of OCR; if that fails, whatever the layer has. */
static void print_page_words(const struct sources *from,
                             const struct page *page, const struct image *image,
                             struct err *err)
{
    struct ocr_page seen;
    struct words_of_page read = {.words = &read.layer.words};
    struct arena *arena = arena_new();
    struct page_view *view = page_view_new(image, from->deskew, arena, err);
    double skew_degrees = view ? view->skew_degrees : 0;
    text_layer_check_judge(rasterise_words(from->raster), view, arena,
                           &read.layer, err);
    page_view_close(view);
    if (read.words->n_word) read.source = "text layer";
    script_of_words(read.words, &read.script);
    if (!err_failed(err) &&
        (from->always || !text_layer_check_is_usable(&read.layer)) &&
        read_by_ocr(from, page, image, skew_degrees, &seen)) {
        read.source = "OCR";
        read.words = &seen.words;
        read.script = seen.script;
    }
    if (!err_failed(err)) print_page(from, page, &read);
    arena_free(arena);
}

static void read_document(void *arg, struct document *doc,
                          const struct settings *settings,
                          struct document_work_output *out, struct err *err)
{
    (void)arg;
    struct prepare_target target = {.grid = 1,
                                    .min_pixels = 1,
                                    .max_pixels =
                                        settings_page_pixels(settings)};
    struct image image;
    doc->want_words = true;
    identify_document(doc, settings, err);
    struct sources from = {
        .doc = doc,
        .out = out,
        .raster = rasterise_open(doc, settings, &target, NULL, err),
        .ocr = ocr_new(doc, settings, NULL),
        .always = !strcmp(settings->ocr, "always"),
        .deskew = settings->deskew};
    for (int i = 0; !err_failed(err); i++) {
        if (!rasterise_next(from.raster, &image, err)) break;
        print_page_words(&from, &doc->page[i], &image, err);
        image_free(&image);
        rasterise_rested(from.raster);
    }
    ocr_free(from.ocr);
    rasterise_close(from.raster);
    for (int i = 0; i < doc->warnings->n; i++)
        log_warn("%s: %s", doc->name, doc->warnings->row[i].text);
}

/* --- in the command ------------------------------------------------------- */

static void print_line(void *arg, int page, struct span line, struct err *err)
{
    (void)arg, (void)page;
    command_write(NULL, line, err);
}

static void read_file(const char *path, const struct settings *settings,
                      struct err *err)
{
    struct document_work work = {
        .settings = settings, .run = read_document, .take = print_line};
    extract_files_work(path, &work, err);
}

static int words_command(const struct command_line *line, struct err *err)
{
    int n_failed = 0;
    signals_open();
    for (int i = 0; i < line->n_operand && !err_failed(err); i++) {
        struct err one = {0};
        read_file(line->operand[i], &line->config->stage, &one);
        if (!err_failed(&one)) continue;
        n_failed++;
        if (line->n_operand == 1 || extract_files_hopeless(&one))
            *err = one;
        else
            reason_log(&one);
    }
    return n_failed ? EXIT_SOME_FAILED : EXIT_OK;
}

const struct command command_words_row = {
    .name = "words",
    .usage = "FILE... [--pages LIST] [--ocr always]",
    .summary = "print the words of pages with their boxes, without a model",
    .help =
        "Prints one JSON object per page and line: file, page, source (\"text "
        "layer\", \"OCR\" or null), text_layer (digital, scan, part, rotten: "
        "garbled, none), script, and words: text, box ([x, y, width, height] "
        "in 0..1 of the page as a viewer shows it, from the top left) and "
        "confidence (1 for a text layer).\n"
        "\n"
        "The words come from the file's text layer if it matches the printed "
        "text; otherwise, and for all pages with --ocr always, from Tesseract "
        "(ocr_languages). Text that the page does not show is left out.\n"
        "\n"
        "  platen words scan.pdf --pages 1\n"
        "  platen words photo.jpg --ocr-languages eng+kan | jq -r "
        "'.words[].text'",
    .least = 1,
    .most = -1,
    .run = words_command,
};
