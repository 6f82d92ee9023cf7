/* second_wire.c - see second_wire.h. */
#include "stages/second/second_wire.h"

#include <string.h>

#include "stages/sandbox/sandbox.h"

static void write_frame(struct second_frame frame)
{
    frame.magic = SECOND_MAGIC;
    sandbox_write(&frame, sizeof frame);
}

static uint32_t text_size(const char *text, size_t most)
{
    size_t n = strlen(text);
    return (uint32_t)(n < most ? n : most);
}

void second_wire_hello(unsigned layers, int landlock_abi)
{
    write_frame((struct second_frame){
        .kind = SECOND_HELLO, .a = layers, .b = (uint32_t)landlock_abi});
}

void second_wire_ready(bool tells_script, const char *version)
{
    uint32_t n = text_size(version, SECOND_TEXT_MAX);
    write_frame(
        (struct second_frame){.kind = SECOND_READY, .a = tells_script, .b = n});
    sandbox_write(version, n);
}

void second_wire_script(uint32_t page, const struct second_script *script)
{
    uint32_t n = text_size(script->name, SECOND_SCRIPT_MAX);
    write_frame((struct second_frame){
        .kind = SECOND_SCRIPT, .a = page, .b = n, .c = script->hundredths});
    sandbox_write(script->name, n);
}

void second_wire_words(uint32_t page, const struct second_found *found)
{
    write_frame((struct second_frame){.kind = SECOND_WORDS,
                                      .a = page,
                                      .b = found->n_word,
                                      .c = found->n_byte,
                                      .d = found->cut});
    sandbox_write(found->word, found->n_word * sizeof *found->word);
    sandbox_write(found->byte, found->n_byte);
    sandbox_write(found->sure, found->n_word);
}

void second_wire_fail(enum second_status status, const char *text)
{
    uint32_t n = text_size(text, SECOND_TEXT_MAX);
    write_frame(
        (struct second_frame){.kind = SECOND_FAIL, .a = status, .b = n});
    sandbox_write(text, n);
}

bool second_wire_order(struct second_order *order, struct image *page)
{
    struct err err = {0};
    *page = (struct image){0};
    if (!sandbox_read(order, sizeof *order) || order->magic != SECOND_MAGIC ||
        order->width < 1 || order->height < 1 ||
        (uint64_t)order->width * order->height > SECOND_PIXELS_MAX)
        return false;
    *page = image_new((int)order->width, (int)order->height, 1, &err);
    if (!err_failed(&err) &&
        sandbox_read(page->data, page->stride_bytes * order->height))
        return true;
    image_free(page);
    return false;
}
