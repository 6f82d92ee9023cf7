/* command_separator.c - platen separator: prints sheets to place between the
 * documents of a stack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairo-pdf.h>
#include <zint.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "stages/document/reason.h"
#include "stages/input/split.h"
#include "vlm/base/file_map.h"

/* A4, in points. US letter is 18 wider and 50 shorter; the margins fit both. */
static const double page_width = 595.28, page_height = 841.89;
static const double margin = 56, bars_height = 110, square_side = 170;
enum { COPIES_MAX = 1000, CODE_MAX = 100 };

struct sheets {
    cairo_surface_t *surface;
    cairo_t *cr;
    int copies;
    struct err *err;
};

/* Draws a bar code made by zint into width x height at (x, y). */
static void draw_code(struct sheets *s, int symbology, const char *text,
                      double x, double y, double width, double height)
{
    struct zint_symbol *symbol = ZBarcode_Create();
    if (symbol) {
        symbol->symbology = symbology;
        symbol->show_hrt = 0;
    }
    if (!symbol || ZBarcode_Encode_and_Buffer_Vector(
                       symbol, (const unsigned char *)text, 0, 0) >= 5) {
        err_set(s->err, ERR_ARGS, "%s: %s", text,
                symbol ? symbol->errtxt : "no memory");
        ZBarcode_Delete(symbol);
        return;
    }
    const struct zint_vector *v = symbol->vector;
    double across = width / (double)v->width, down = height / (double)v->height;
    for (const struct zint_vector_rect *r = v->rectangles; r; r = r->next)
        cairo_rectangle(s->cr, x + across * (double)r->x,
                        y + down * (double)r->y, across * (double)r->width,
                        down * (double)r->height);
    cairo_fill(s->cr);
    ZBarcode_Delete(symbol);
}

/* Centred, and small enough for the page. */
static void draw_text(struct sheets *s, const char *text, double y, double size)
{
    cairo_text_extents_t extents;
    cairo_set_font_size(s->cr, size);
    cairo_text_extents(s->cr, text, &extents);
    double most = page_width - 2 * margin;
    if (extents.x_advance > most) {
        size *= most / extents.x_advance;
        cairo_set_font_size(s->cr, size);
        cairo_text_extents(s->cr, text, &extents);
    }
    cairo_move_to(s->cr, (page_width - extents.x_advance) / 2, y);
    cairo_show_text(s->cr, text);
}

/* There are two bar codes, in case the sheet is torn or crumpled, and a square
 * code that reads in any orientation. Few words: a page with many is taken for
 * a page of a document (split.h). */
static void draw_sheet(struct sheets *s, const char *code, const char *schema)
{
    double width = page_width - 2 * margin, height = page_height;
    draw_code(s, BARCODE_CODE128, code, margin, margin, width, bars_height);
    draw_code(s, BARCODE_QRCODE, code, (page_width - square_side) / 2, 340,
              square_side, square_side);
    draw_code(s, BARCODE_CODE128, code, margin, height - margin - bars_height,
              width, bars_height);
    draw_text(s, *schema ? schema : "next document", 260, 48);
    draw_text(s, code, 300, 16);
    draw_text(s, "platen: a new document starts after this sheet", 580, 14);
    cairo_show_page(s->cr);
}

static cairo_status_t write_out(void *arg, const unsigned char *data,
                                unsigned size)
{
    (void)arg;
    return fwrite(data, 1, size, stdout) == size ? CAIRO_STATUS_SUCCESS
                                                 : CAIRO_STATUS_WRITE_ERROR;
}

static void check_schema(const struct config *config, const char *name,
                         struct err *err)
{
    char path[4600];
    if (err_failed(err)) return;
    snprintf(path, sizeof path, "%.4096s/%.100s.schema.json",
             config->stage.schemas, name);
    if (!split_names_schema(name) || !file_map_can_read(path))
        err_reason(err, ERR_CONFIG, "unknown-schema", "no schema %.80s in %s",
                   name, config->stage.schemas);
}

static void add_sheets(struct sheets *s, const char *schema)
{
    char code[CODE_MAX];
    snprintf(code, sizeof code, "%s%s", *schema ? split_prefix : split_patch,
             schema);
    for (int i = 0; i < s->copies && !err_failed(s->err); i++)
        draw_sheet(s, code, schema);
}

/* Draws a sheet for each name of "receipt,invoice"; s NULL: checks the
 * names. */
static void each_schema(const char *list, struct sheets *s,
                        const struct config *config, struct err *err)
{
    char name[256];
    for (const char *at = list; *at && !err_failed(err);) {
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        if (s)
            add_sheets(s, name);
        else
            check_schema(config, name, err);
        at += n + (at[n] == ',');
    }
}

static void print_sheets(const char *schemas, bool patch, int copies,
                         struct err *err)
{
    if (err_failed(err)) return;
    struct sheets s = {.copies = copies, .err = err};
    s.surface = cairo_pdf_surface_create_for_stream(write_out, NULL, page_width,
                                                    page_height);
    cairo_pdf_surface_set_metadata(s.surface, CAIRO_PDF_METADATA_TITLE,
                                   "platen separator sheets");
    s.cr = cairo_create(s.surface);
    cairo_select_font_face(s.cr, "sans", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    if (patch) add_sheets(&s, "");
    each_schema(schemas, &s, NULL, err);
    cairo_destroy(s.cr);
    cairo_surface_finish(s.surface);
    cairo_status_t status = cairo_surface_status(s.surface);
    cairo_surface_destroy(s.surface);
    if (!err_failed(err) &&
        (status != CAIRO_STATUS_SUCCESS || fflush(stdout) != 0)) {
        err_set(err, ERR_SYSTEM, "cannot write the sheets: %s",
                cairo_status_to_string(status));
        err->reason = "disk";
    }
}

static int separator_command(const struct command_line *line, struct err *err)
{
    const char *schemas = command_value(line, "schema");
    bool patch = command_value(line, "patch-t");
    if (!schemas) schemas = "";
    if (!patch && !*schemas)
        err_set(err, ERR_ARGS, "which sheets? Add --schema NAME or --patch-t");
    int copies = command_number(line, "copies", COPIES_MAX, 1, err);
    each_schema(schemas, NULL, line->config, err);
    if (!err_failed(err) && isatty(STDOUT_FILENO))
        err_set(err, ERR_ARGS,
                "the sheets are a PDF: platen separator ... > sheets.pdf");
    print_sheets(schemas, patch, copies, err);
    return err_failed(err) ? EXIT_OTHER : EXIT_OK;
}

static const struct command_flag flags[] = {
    {"schema", "NAME,...",
     "sheets that name the schema that follows: PLATEN:NAME", 's'},
    {"patch-t", NULL, "sheets that only separate: PATCHT", 0},
    {"copies", "N", "copies of each sheet", 0},
    {0},
};

const struct command command_separator_row = {
    .name = "separator",
    .usage = "[--schema NAME,...] [--patch-t] [--copies N] > sheets.pdf",
    .summary = "print separator sheets for scanned batches",
    .help =
        "Prints a PDF of separator sheets (A4; also fits letter). Place one "
        "before each document in a stack, scan the stack into one file and "
        "read it with split = barcode: each document gets a record of its own. "
        "A sheet printed with --schema also names the schema of the following "
        "document, whatever folder the file is dropped into.\n"
        "\n"
        "  platen separator --schema receipt > sheet.pdf\n"
        "  platen separator --schema receipt,invoice --copies 10 > sheets.pdf\n"
        "  platen separator --patch-t > sheet.pdf\n"
        "\n"
        "For duplex scanning print both sides: --copies 2, duplex.",
    .flag = flags,
    .least = 0,
    .most = 0,
    .run = separator_command,
};
