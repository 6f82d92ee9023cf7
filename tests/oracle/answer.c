/* answer.c - what the engine says, for the scripts beside it to compare.
 *
 *     oracle-answer logits MODEL MMPROJ TOKENS IMAGE OUT  logits of every row
 *     oracle-answer steps  ...                            the same, word by word
 *     oracle-answer rows   MODEL MMPROJ IMAGE OUT         rows of a picture
 *     oracle-answer words  MODEL special|plain IN OUT     ids of texts
 *     oracle-answer blocks TYPE IN OUT                    values of blocks
 *     oracle-answer pack   TYPE IN OUT                    blocks of values, 256 a row
 *
 * TOKENS: i32, -1 stands for the picture with its two markers. IMAGE: i32 width
 * and height, then RGB bytes; brought to the model's sizes as a page is. IN of
 * words: for each text a u32 size and its bytes; OUT: for each a u32 count and
 * i32 ids. Numbers are the machine's own. Weights are met by F32 activations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/buf.h"
#include "vlm/base/file_map.h"
#include "vlm/base/memory_limit.h"
#include "vlm/base/resize.h"
#include "vlm/convert/quantise.h"
#include "vlm/model/gguf.h"
#include "vlm/text/tokenizer.h"
#include "vlm/vlm.h"

enum { BYTES_MOST = 1 << 30, PACK_COLS = 256 };

struct answer {
    struct arena *arena;
    FILE *out;
    int n_vocab;
};

static struct span file_of(struct answer *a, const char *path, struct err *err)
{
    return file_map_read(path, BYTES_MOST, a->arena, err);
}

static void put_rows(void *arg, const float *logits, int n_row)
{
    struct answer *a = arg;
    fwrite(logits, sizeof *logits * (size_t)a->n_vocab, (size_t)n_row, a->out);
}

/* The picture, in the size that the model is shown. */
static struct image picture(struct answer *a, const struct vlm_info *info,
                            const char *path, struct err *err)
{
    struct span s = file_of(a, path, err);
    struct image none = {0};
    int32_t side[2];
    if (err_failed(err)) return none;
    memcpy(side, s.data, sizeof side);
    struct image raw = image_new(side[0], side[1], 3, err);
    struct resize_size to = resize_fit(side[0], side[1], info->grid,
                                       info->min_pixels, info->max_pixels, err);
    if (err_failed(err)) return none;
    memcpy(raw.data, s.data + sizeof side, s.size - sizeof side);
    struct image fit = resize_bicubic(&raw, to.width_px, to.height_px, err);
    image_free(&raw);
    return fit;
}

static struct vlm *open_exact(const char *model, const char *mmproj,
                              struct err *err)
{
    struct vlm_options o = {.model = model,
                            .mmproj = mmproj,
                            .n_ctx = 2048,
                            .n_thread = 2,
                            .kv_f32 = true,
                            .exact = true};
    return vlm_open(&o, err);
}

static void feed(struct vlm_session *s, struct span tokens,
                 const struct image *image, struct err *err)
{
    const char *at = tokens.data, *end = at + tokens.size;
    for (; at + sizeof(int32_t) <= end; at += sizeof(int32_t)) {
        int32_t id;
        memcpy(&id, at, sizeof id);
        if (id < 0)
            vlm_feed_image(s, image, err);
        else
            vlm_feed_tokens(s, &id, 1, err);
    }
}

/* Tokens are fed in one piece up to the picture, as a prompt is. */
static void feed_runs(struct vlm_session *s, struct span tokens,
                      const struct image *image, struct err *err)
{
    size_t n = tokens.size / sizeof(int32_t), from = 0;
    for (size_t i = 0; i <= n; i++) {
        int32_t id = -1;
        if (i < n) memcpy(&id, tokens.data + i * sizeof id, sizeof id);
        if (id >= 0) continue;
        vlm_feed_tokens(s, (const int32_t *)(const void *)tokens.data + from,
                        (int)(i - from), err);
        if (i < n) vlm_feed_image(s, image, err);
        from = i + 1;
    }
}

static void logits(struct answer *a, char **arg, bool one_by_one,
                   struct err *err)
{
    struct vlm *v = open_exact(arg[0], arg[1], err);
    struct image image = {0};
    if (!err_failed(err)) image = picture(a, vlm_info(v), arg[3], err);
    struct span tokens = file_of(a, arg[2], err);
    struct vlm_session *s = err_failed(err) ? NULL : vlm_session_open(v, err);
    if (!err_failed(err)) {
        a->n_vocab = vlm_info(v)->n_vocab;
        vlm_watch_logits(s, put_rows, a);
        if (one_by_one)
            feed(s, tokens, &image, err);
        else
            feed_runs(s, tokens, &image, err);
    }
    vlm_session_close(s);
    image_free(&image);
    vlm_close(v);
}

static void rows(struct answer *a, char **arg, struct err *err)
{
    struct vlm *v = open_exact(arg[0], arg[1], err);
    struct image image = {0};
    int n_y = 0, n_x = 0;
    if (!err_failed(err)) image = picture(a, vlm_info(v), arg[2], err);
    float *row =
        err_failed(err) ? NULL : vlm_encode_image(v, &image, &n_y, &n_x, err);
    if (row)
        fwrite(row, sizeof *row * (size_t)vlm_info(v)->n_embd,
               (size_t)n_y * (size_t)n_x, a->out);
    mem_free(row);
    image_free(&image);
    vlm_close(v);
}

static void words(struct answer *a, char **arg, struct err *err)
{
    struct gguf *g = gguf_open(arg[0], err);
    struct tokenizer *t = tokenizer_open(g, err);
    struct span in = file_of(a, arg[2], err);
    const char *at = in.data, *end = in.data + in.size;
    while (!err_failed(err) && at < end) {
        uint32_t size;
        memcpy(&size, at, sizeof size);
        struct arena *arena = arena_new();
        struct tokens ids =
            tokenizer_encode(t, (struct span){at + sizeof size, size},
                             !strcmp(arg[1], "special"), arena, err);
        uint32_t n = (uint32_t)ids.n;
        fwrite(&n, sizeof n, 1, a->out);
        fwrite(ids.id, sizeof *ids.id, n, a->out);
        arena_free(arena);
        at += sizeof size + size;
    }
    tokenizer_close(t);
    gguf_close(g);
}

static void blocks(struct answer *a, char **arg, struct err *err)
{
    uint32_t type = (uint32_t)strtoul(arg[0], NULL, 10);
    struct span in = file_of(a, arg[1], err);
    const struct quant_info *q = quant_info(type);
    if (err_failed(err)) return;
    if (!q->supported) {
        err_set(err, ERR_UNSUPPORTED, "type %u is not read here", type);
        return;
    }
    int64_t n = (int64_t)in.size / q->bytes * q->block;
    float *value = arena_array(a->arena, (size_t)n, sizeof *value);
    quant_decode((enum quant_type)type, in.data, n, value);
    fwrite(value, sizeof *value, (size_t)n, a->out);
}

static void pack(struct answer *a, char **arg, struct err *err)
{
    uint32_t type = (uint32_t)strtoul(arg[0], NULL, 10);
    struct span in = file_of(a, arg[1], err);
    if (err_failed(err)) return;
    size_t bytes = quant_row_bytes((enum quant_type)type, PACK_COLS);
    uint8_t *row = arena_alloc(a->arena, bytes);
    const float *x = (const float *)(const void *)in.data;
    for (size_t at = 0; at + PACK_COLS <= in.size / 4; at += PACK_COLS) {
        quantise_row((enum quant_type)type, x + at, PACK_COLS, NULL, row);
        fwrite(row, 1, bytes, a->out);
    }
}

int main(int argc, char **argv)
{
    struct err err = {0};
    struct answer a = {.arena = arena_new()};
    const char *what = argc > 1 ? argv[1] : "";
    a.out = argc > 4 ? fopen(argv[argc - 1], "wb") : NULL;
    if (!a.out)
        err_set(&err, ERR_ARGS, "see the head of tests/oracle/answer.c");
    else if (!strcmp(what, "logits") && argc == 7)
        logits(&a, argv + 2, false, &err);
    else if (!strcmp(what, "steps") && argc == 7)
        logits(&a, argv + 2, true, &err);
    else if (!strcmp(what, "rows") && argc == 6)
        rows(&a, argv + 2, &err);
    else if (!strcmp(what, "words") && argc == 6)
        words(&a, argv + 2, &err);
    else if (!strcmp(what, "blocks") && argc == 5)
        blocks(&a, argv + 2, &err);
    else if (!strcmp(what, "pack") && argc == 5)
        pack(&a, argv + 2, &err);
    else
        err_set(&err, ERR_ARGS, "see the head of tests/oracle/answer.c");
    if (a.out && fclose(a.out)) err_errno(&err, "%s", argv[argc - 1]);
    if (err_failed(&err)) fprintf(stderr, "oracle-answer: %s\n", err.text);
    arena_free(a.arena);
    return err_failed(&err);
}
