/* raster_wire.c - see raster_wire.h. */
#include "stages/children/raster/raster_wire.h"

#include <string.h>

#include "stages/children/raster/barcodes.h"
#include "stages/children/raster/raster_protocol.h"
#include "stages/children/sandbox/sandbox.h"

void raster_wire_count(int n_source, int n_chosen)
{
    sandbox_send((struct child_frame){.type = RASTER_COUNT,
                                      .a = (uint32_t)n_source,
                                      .b = (uint32_t)n_chosen});
}

void raster_wire_invoice(const struct pdf_attachment *attached)
{
    const struct cii *cii = &attached->cii;
    sandbox_send((struct child_frame){.type = RASTER_INVOICE,
                                      .a = (uint32_t)attached->status,
                                      .b = cii->n,
                                      .c = cii->n_byte,
                                      .size = cii->n * sizeof *cii->value +
                                              cii->n_byte});
    if (cii->n == 0) return;
    sandbox_write(cii->value, cii->n * sizeof *cii->value);
    sandbox_write(cii->byte, cii->n_byte);
}

static void write_words(int number, const struct text_layer *text)
{
    if (text->n_word == 0) return;
    sandbox_send((struct child_frame){
        .type = RASTER_WORDS,
        .a = (uint32_t)number,
        .b = text->n_word,
        .c = text->n_byte,
        .d = text->cut,
        .e = text->picture,
        .size = text->n_word * sizeof *text->word + text->n_byte});
    sandbox_write(text->word, text->n_word * sizeof *text->word);
    sandbox_write(text->byte, text->n_byte);
}

static void write_note(int number, enum raster_note kind, const char *text)
{
    if (!*text) return;
    sandbox_send_text((struct child_frame){.type = RASTER_NOTE,
                                           .a = (uint32_t)number,
                                           .b = kind},
                      text, FRAME_TEXT_MAX);
}

void raster_wire_sheet(int number, const struct sheet *sheet)
{
    const struct image *image = &sheet->image;
    write_note(number, RASTER_NOTE_UNREAD, sheet->unread);
    write_note(number, RASTER_NOTE_MISSING, sheet->missing);
    write_note(number, RASTER_NOTE_FAULT, sheet->note);
    write_words(number, &sheet->text);
    size_t n_byte = image->stride_bytes * (size_t)image->height_px;
    double dpi = sheet->dpi > 0 && sheet->dpi < 1e6 ? sheet->dpi : 0;
    sandbox_send((struct child_frame){.type = RASTER_PAGE,
                                      .a = (uint32_t)number,
                                      .b = (uint32_t)image->width_px,
                                      .c = (uint32_t)image->height_px,
                                      .d = (uint32_t)image->n_channel,
                                      .e = (uint32_t)(dpi * 1000 + 0.5),
                                      .size = n_byte});
    sandbox_write(image->data, n_byte);
}

static uint32_t thousandths(int part, int whole)
{
    return whole > 0 && part > 0 ? (uint32_t)(1000.0 * part / whole) : 0;
}

void raster_wire_codes(int number, const struct image *page,
                       const struct barcodes *codes, bool is_drawn)
{
    int width = page->width_px, height = page->height_px;
    sandbox_send((struct child_frame){.type = RASTER_CODES,
                                      .a = (uint32_t)number,
                                      .b = (uint32_t)codes->n,
                                      .c = (uint32_t)codes->marks,
                                      .d = is_drawn ? 0 : 1,
                                      .e = codes->blank});
    for (int i = 0; i < codes->n; i++) {
        const struct code *c = &codes->code[i];
        int length = c->width > c->height ? c->width : c->height;
        sandbox_send_text(
            (struct child_frame){
                .type = RASTER_CODE,
                .a = (uint32_t)number,
                .b = thousandths(length, width < height ? width : height),
                .c = thousandths(c->y, height)},
            c->text, FRAME_TEXT_MAX);
    }
}

static uint32_t status_of(const struct err *err)
{
    static const char *const code[] = {
        [RASTER_DAMAGED] = "damaged",
        [RASTER_ENCRYPTED] = "encrypted",
        [RASTER_NO_PAGES] = "no-pages",
        [RASTER_TOO_MANY_PAGES] = "too-many-pages",
        [RASTER_TOO_LARGE] = "too-large",
        [RASTER_UNSUPPORTED] = "unsupported-image",
        [RASTER_PAGE_FAILED] = "page-failed",
        [RASTER_NO_SUCH_PAGE] = "no-such-page",
        [RASTER_CPU] = "resource-cpu",
        [RASTER_MEMORY] = "resource-memory",
        [RASTER_IO_ERROR] = "io-error",
    };
    for (uint32_t i = 0; err->reason && i < sizeof code / sizeof code[0]; i++)
        if (!strcmp(err->reason, code[i])) return i;
    return err->kind == ERR_SYSTEM ? RASTER_MEMORY : RASTER_INTERNAL;
}

void raster_wire_fail(const struct err *err)
{
    sandbox_send_text((struct child_frame){.type = FRAME_FAIL,
                                           .a = status_of(err),
                                           .b = (uint32_t)err->page},
                      err->text, FRAME_TEXT_MAX);
}

void raster_wire_end(void)
{
    sandbox_send((struct child_frame){.type = RASTER_END});
}
