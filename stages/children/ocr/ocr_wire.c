/* ocr_wire.c - see ocr_wire.h. */
#include "stages/children/ocr/ocr_wire.h"

#include "stages/children/sandbox/sandbox.h"

void ocr_wire_ready(bool tells_script, const char *version)
{
    sandbox_send_text(
        (struct child_frame){.type = OCR_MSG_READY, .a = tells_script}, version,
        FRAME_TEXT_MAX);
}

void ocr_wire_script(uint32_t page, const struct ocr_script *script)
{
    sandbox_send_text((struct child_frame){.type = OCR_MSG_SCRIPT,
                                           .a = page,
                                           .b = script->hundredths},
                      script->name, OCR_SCRIPT_MAX);
}

void ocr_wire_words(uint32_t page, const struct ocr_result *found)
{
    size_t n_packed = found->n_word * sizeof *found->word;
    sandbox_send(
        (struct child_frame){.type = OCR_MSG_WORDS,
                             .size = n_packed + found->n_byte + found->n_word,
                             .a = page,
                             .b = found->n_word,
                             .c = found->n_byte,
                             .d = found->cut});
    sandbox_write(found->word, n_packed);
    sandbox_write(found->byte, found->n_byte);
    sandbox_write(found->sure, found->n_word);
}

void ocr_wire_fail(enum ocr_status status, const char *text)
{
    sandbox_send_text((struct child_frame){.type = FRAME_FAIL, .a = status},
                      text, FRAME_TEXT_MAX);
}

bool ocr_wire_order(struct child_frame *order, struct image *page)
{
    struct err err = {0};
    *page = (struct image){0};
    if (!sandbox_receive(order, OCR_MSG_ORDER) || order->b < 1 ||
        order->c < 1 || (uint64_t)order->b * order->c > OCR_PIXELS_MAX ||
        order->size != (uint64_t)order->b * order->c)
        return false;
    *page = image_new((int)order->b, (int)order->c, 1, &err);
    if (!err_failed(&err) && sandbox_read(page->data, order->size)) return true;
    image_free(page);
    return false;
}
