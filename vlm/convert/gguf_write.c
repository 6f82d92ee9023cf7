/* gguf_write.c - keeps metadata and directory in memory, writes tensors
 * directly. */
#include "vlm/convert/gguf_write.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vlm/base/buf.h"

enum { VERSION = 3, ALIGNMENT = 32 };

struct gguf_writer {
    struct arena *arena;
    const char *path, *part;
    FILE *file;
    struct buf facts, directory;
    uint64_t n_fact, n_tensor, offset;
    uint64_t written; /* bytes of the current tensor */
};

struct gguf_writer *gguf_write_new(const char *path)
{
    struct gguf_writer *w = mem_alloc(1, sizeof *w);
    w->arena = arena_new();
    w->path = arena_copy(w->arena, span_of(path));
    w->part = arena_text(w->arena, "%s.part", path);
    w->facts = buf_limit((size_t)1 << 31);
    w->directory = buf_limit((size_t)1 << 30);
    return w;
}

const char *gguf_write_path(const struct gguf_writer *w)
{
    return w->part;
}

/* Closes, then renames or removes the file; frees everything in any case. */
static void close_writer(struct gguf_writer *w, struct err *err)
{
    bool made = w->file != NULL;
    if (made && fclose(w->file)) err_errno(err, "%s", w->part);
    if (made && !err_failed(err) && rename(w->part, w->path))
        err_errno(err, "%s", w->path);
    if (made && err_failed(err)) unlink(w->part);
    buf_free(&w->facts);
    buf_free(&w->directory);
    arena_free(w->arena);
    mem_free(w);
}

void gguf_write_end(struct gguf_writer *w, struct err *err)
{
    if (w) close_writer(w, err);
}

/* --- little-endian numbers ------------------------------------------------- */

static void add_int(struct buf *b, uint64_t value, int bytes)
{
    unsigned char out[8];
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> 8 * i);
    buf_add(b, out, (size_t)bytes);
}

static void add_text(struct buf *b, struct span text)
{
    add_int(b, text.size, 8);
    buf_add(b, text.data, text.size);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* --- facts ----------------------------------------------------------------- */

static void add_key(struct gguf_writer *w, const char *key, enum gguf_kind kind)
{
    add_text(&w->facts, span_of(key));
    add_int(&w->facts, (uint64_t)kind, 4);
    w->n_fact++;
}

void gguf_write_text(struct gguf_writer *w, const char *key, struct span text)
{
    add_key(w, key, GGUF_STRING);
    add_text(&w->facts, text);
}

void gguf_write_u32(struct gguf_writer *w, const char *key, int64_t value)
{
    add_key(w, key, GGUF_U32);
    add_int(&w->facts, (uint64_t)value, 4);
}

void gguf_write_f32(struct gguf_writer *w, const char *key, double value)
{
    add_key(w, key, GGUF_F32);
    add_int(&w->facts, float_bits((float)value), 4);
}

void gguf_write_bool(struct gguf_writer *w, const char *key, bool value)
{
    add_key(w, key, GGUF_BOOL);
    add_int(&w->facts, value, 1);
}

void gguf_write_list(struct gguf_writer *w, const char *key,
                     enum gguf_kind kind, int64_t n)
{
    add_key(w, key, GGUF_ARRAY);
    add_int(&w->facts, (uint64_t)kind, 4);
    add_int(&w->facts, (uint64_t)n, 8);
}

void gguf_write_list_text(struct gguf_writer *w, struct span text)
{
    add_text(&w->facts, text);
}

void gguf_write_list_i32(struct gguf_writer *w, int32_t value)
{
    add_int(&w->facts, (uint32_t)value, 4);
}

void gguf_write_list_f32(struct gguf_writer *w, float value)
{
    add_int(&w->facts, float_bits(value), 4);
}

void gguf_write_list_bool(struct gguf_writer *w, bool value)
{
    add_int(&w->facts, value, 1);
}

/* --- tensors --------------------------------------------------------------- */

size_t gguf_write_tensor(struct gguf_writer *w, const char *name,
                         enum quant_type type, int n_dim, const int64_t *ne)
{
    int64_t rows = 1;
    add_text(&w->directory, span_of(name));
    add_int(&w->directory, (uint64_t)n_dim, 4);
    for (int i = 0; i < n_dim; i++) {
        add_int(&w->directory, (uint64_t)ne[i], 8);
        if (i) rows *= ne[i];
    }
    size_t bytes = quant_row_bytes(type, ne[0]) * (size_t)rows;
    add_int(&w->directory, (uint64_t)type, 4);
    add_int(&w->directory, w->offset, 8);
    w->offset += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    w->n_tensor++;
    return bytes;
}

void gguf_write_bytes(struct gguf_writer *w, const void *bytes, size_t size,
                      struct err *err)
{
    if (err_failed(err)) return;
    if (fwrite(bytes, 1, size, w->file) != size)
        err_errno(err, "%s: write", w->part);
    w->written += size;
}

void gguf_write_pad(struct gguf_writer *w, struct err *err)
{
    static const char zero[ALIGNMENT];
    if (err_failed(err)) return;
    size_t excess = w->written % ALIGNMENT;
    if (excess) gguf_write_bytes(w, zero, ALIGNMENT - excess, err);
    w->written = 0;
}

void gguf_write_begin(struct gguf_writer *w, struct err *err)
{
    if (err_failed(err)) return;
    struct buf head = buf_limit(64);
    buf_add(&head, "GGUF", 4);
    add_int(&head, VERSION, 4);
    add_int(&head, w->n_tensor, 8);
    add_int(&head, w->n_fact, 8);
    if (w->facts.full || w->directory.full)
        err_set(err, ERR_LIMIT, "%s: more than two gigabytes of metadata",
                w->path);
    else if (!(w->file = fopen(w->part, "wb")))
        err_errno(err, "%s", w->part);
    gguf_write_bytes(w, head.data, head.size, err);
    gguf_write_bytes(w, buf_span(&w->facts).data, w->facts.size, err);
    gguf_write_bytes(w, buf_span(&w->directory).data, w->directory.size, err);
    gguf_write_pad(w, err);
    buf_free(&head);
}

void gguf_write_flush(struct gguf_writer *w, struct err *err)
{
    if (err_failed(err)) return;
    if (fflush(w->file) || fsync(fileno(w->file)))
        err_errno(err, "%s: write", w->part);
}
