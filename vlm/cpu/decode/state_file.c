/* state_file.c - a sequence as a file (state.h).
 *
 * magic, hash of the model, sizes, hash of the tokens; tokens, recurrent part,
 * keys and values up to n_past; at the end a hash of all before it, so that a
 * file that was cut short or changed is never taken up. Little-endian.
 */
#include <stdio.h>
#include <string.h>

#include "vlm/base/map.h"
#include "vlm/cpu/decode/state.h"

#define MAGIC "PLATENS1"

struct head {
    char magic[8];
    char model[64];  /* hex */
    char tokens[64]; /* hex */
    int32_t kv, n_attend, n_delta, n_head_kv, n_embd_head;
    int32_t n_gdn_v, gdn_dim, conv_rows, conv_width;
    int32_t n_past, n_pos, n_embd;
};

static struct head head_of(const struct state_plan *p, const struct hash *model)
{
    struct head h = {.kv = (int32_t)p->kv,
                     .n_attend = p->n_attend,
                     .n_delta = p->n_delta,
                     .n_head_kv = p->n_head_kv,
                     .n_embd_head = p->n_embd_head,
                     .n_gdn_v = p->n_gdn_v,
                     .gdn_dim = p->gdn_dim,
                     .conv_rows = p->conv_rows,
                     .conv_width = p->conv_width,
                     .n_embd = p->n_embd};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    memcpy(h.model, model->hex, sizeof h.model);
    return h;
}

static struct hash tokens_hash(const int32_t *token, int n)
{
    return hash_bytes(
        (struct span){(const char *)token, (size_t)n * sizeof *token});
}

/* Calls fn for every used range of the block, in file order. */
static void each_range(const struct state_plan *p, int n_past,
                       void (*fn)(void *arg, size_t at, size_t size), void *arg)
{
    fn(arg, 0, p->fixed_bytes);
    size_t n_block = (size_t)((n_past + STATE_KEYS - 1) / STATE_KEYS);
    size_t n = (size_t)p->n_attend * (size_t)p->n_head_kv;
    for (size_t i = 0; i < n; i++) {
        size_t at = p->fixed_bytes + i * (p->key_head + p->value_head);
        fn(arg, at, n_block * p->key_block);
        fn(arg, at + p->key_head, (size_t)n_past * p->value_row);
    }
}

struct writer {
    FILE *file;
    const char *block;
    bool failed;
};

static void put(struct writer *w, const void *bytes, size_t size)
{
    if (size && fwrite(bytes, size, 1, w->file) != 1) w->failed = true;
}

static void put_range(void *arg, size_t at, size_t size)
{
    struct writer *w = arg;
    put(w, w->block + at, size);
}

static void append_checksum(const char *path, struct err *err)
{
    struct span map = map_open(path, err);
    if (err_failed(err)) return;
    struct hash sum = hash_bytes(map);
    map_close(map);
    FILE *f = fopen(path, "ab");
    bool good = f && fwrite(sum.hex, 64, 1, f) == 1;
    if ((f && fclose(f)) || !good) err_errno(err, "write");
}

void state_save(const struct state *s, const struct hash *model,
                const char *path, struct err *err)
{
    if (err_failed(err)) return;
    struct head h = head_of(s->plan, model);
    h.n_past = s->n_past;
    h.n_pos = s->n_pos;
    memcpy(h.tokens, tokens_hash(s->token, s->n_past).hex, sizeof h.tokens);

    struct writer w = {.file = fopen(path, "wb"), .block = s->block};
    if (!w.file) {
        err_errno(err, "%s", path);
        return;
    }
    put(&w, &h, sizeof h);
    put(&w, s->token, (size_t)s->n_past * sizeof *s->token);
    each_range(s->plan, s->n_past, put_range, &w);
    if (fclose(w.file) || w.failed) err_errno(err, "write");
    append_checksum(path, err);
    err_context(err, "%s", path);
}

struct reader {
    const char *from;
    size_t at;
    char *block;
};

static void measure_range(void *arg, size_t at, size_t size)
{
    (void)at;
    *(size_t *)arg += size;
}

static void get_range(void *arg, size_t at, size_t size)
{
    struct reader *r = arg;
    memcpy(r->block + at, r->from + r->at, size);
    r->at += size;
}

/* Everything that must hold before a byte of it is used. */
static bool check(struct span map, const struct state *s,
                  const struct hash *model, struct head *h, struct err *err)
{
    if (map.size < sizeof *h + 64 || memcmp(map.data, MAGIC, 8) != 0)
        return err_set(err, ERR_CONFIG, "not a saved sequence");
    memcpy(h, map.data, sizeof *h);
    struct head want = head_of(s->plan, model);
    if (memcmp(h->model, want.model, sizeof want.model) != 0)
        return err_set(err, ERR_CONFIG,
                       "saved with another model (%.12s, this one is %.12s); "
                       "make it again",
                       h->model, want.model);
    memcpy(want.tokens, h->tokens, sizeof want.tokens);
    want.n_past = h->n_past;
    want.n_pos = h->n_pos;
    if (memcmp(h, &want, sizeof want) != 0)
        return err_set(err, ERR_CONFIG,
                       "saved with another type of keys and values; make it "
                       "again");
    if (h->n_past < 0 || h->n_past > s->plan->n_ctx || h->n_pos < 0)
        return err_set(err, ERR_CONFIG, "%d tokens, this context holds %d",
                       h->n_past, s->plan->n_ctx);
    size_t size = sizeof *h + (size_t)h->n_past * sizeof *s->token + 64;
    each_range(s->plan, h->n_past, measure_range, &size);
    if (map.size != size)
        return err_set(err, ERR_CONFIG, "%zu bytes, must be %zu", map.size,
                       size);
    struct hash sum = hash_bytes((struct span){map.data, size - 64});
    if (memcmp(sum.hex, map.data + size - 64, 64) != 0)
        return err_set(err, ERR_CONFIG, "damaged; make it again");
    return true;
}

void state_restore(struct state *s, const struct hash *model, const char *path,
                   struct err *err)
{
    if (err_failed(err)) return;
    state_clear(s);
    struct span map = map_open(path, err);
    struct head h;
    if (!err_failed(err) && check(map, s, model, &h, err)) {
        struct reader r = {map.data, sizeof h, s->block};
        size_t size = (size_t)h.n_past * sizeof *s->token;
        memcpy(s->token, map.data + r.at, size);
        r.at += size;
        each_range(s->plan, h.n_past, get_range, &r);
        s->n_past = h.n_past;
        s->n_pos = h.n_pos;
    }
    map_close(map);
    err_context(err, "%s", path);
}
