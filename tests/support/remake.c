/* remake.c - see remake.h. */
#include "tests/support/remake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "vlm/base/buf.h"
#include "vlm/model/gguf.h"

enum { ALIGNMENT = 32 };

/* ---- taking apart ----------------------------------------------------- */

static const char *copied(struct remake *r, struct span text)
{
    return arena_copy(r->arena, text);
}

static void put(struct buf *b, uint64_t v, int n_byte)
{
    unsigned char bytes[8];
    for (int i = 0; i < n_byte; i++)
        bytes[i] = (unsigned char)(v >> (8 * i));
    buf_add(b, bytes, (size_t)n_byte);
}

static struct span kept(struct remake *r, struct buf *b)
{
    char *p = arena_alloc(r->arena, b->size + 1);
    memcpy(p, b->data, b->size);
    struct span s = {p, b->size};
    buf_free(b);
    return s;
}

static void take_key(struct remake *r, const struct gguf_fact *f)
{
    struct buf b = buf_limit(1u << 27);
    if (f->array) put(&b, GGUF_ARRAY, 4);
    put(&b, f->kind, 4);
    if (f->array) put(&b, f->n, 8);
    buf_add(&b, f->data.data, f->data.size);
    assert_true(r->n_key < REMAKE_MOST);
    r->key[r->n_key++] = (struct remake_key){copied(r, f->key), kept(r, &b)};
}

static void take_tensor(struct remake *r, const struct gguf_tensor *t)
{
    assert_true(r->n_tensor < REMAKE_MOST);
    struct remake_tensor *to = &r->tensor[r->n_tensor++];
    *to = (struct remake_tensor){.name = copied(r, t->name),
                                 .n_dim = t->n_dim,
                                 .type = t->type,
                                 .data = t->data,
                                 .size = t->size_bytes};
    memcpy(to->ne, t->ne, sizeof to->ne);
}

struct remake *remake_of(struct span bytes)
{
    struct arena *arena = arena_new();
    struct remake *r = arena_alloc(arena, sizeof *r);
    r->arena = arena;
    char *mine = arena_alloc(arena, bytes.size + 64);
    mine += (64 - (uintptr_t)mine % 64) % 64;
    memcpy(mine, bytes.data, bytes.size);
    struct err err = {0};
    struct gguf_part part = {.bytes = {mine, bytes.size}, .name = "made"};
    struct gguf_reader reader = {.arena = arena, .part = &part};
    gguf_read_part(&reader, &err);
    test_ok(&err);
    for (int i = 0; i < reader.n_fact; i++)
        take_key(r, &reader.fact[i]);
    for (int i = 0; i < reader.n_tensor; i++)
        take_tensor(r, &reader.tensor[i]);
    return r;
}

struct remake *remake_file(const char *path)
{
    char full[4096];
    size_t size;
    void *data = test_read(test_path(full, path), &size);
    struct remake *r = remake_of((struct span){data, size});
    test_give(data);
    return r;
}

void remake_free(struct remake *r)
{
    arena_free(r->arena);
}

/* ---- tensors ---------------------------------------------------------- */

struct remake_tensor *remake_find(struct remake *r, const char *name)
{
    for (int i = 0; i < r->n_tensor; i++)
        if (!strcmp(r->tensor[i].name, name)) return &r->tensor[i];
    return NULL;
}

struct remake_tensor *remake_tensor(struct remake *r, const char *name)
{
    struct remake_tensor *t = remake_find(r, name);
    if (!t) fail_msg("no tensor %s", name);
    return t;
}

void remake_drop(struct remake *r, const char *name)
{
    struct remake_tensor *t = remake_tensor(r, name);
    int behind = r->n_tensor - (int)(t - r->tensor) - 1;
    memmove(t, t + 1, (size_t)behind * sizeof *t);
    r->n_tensor--;
}

static void *room(struct remake *r, struct remake_tensor *t)
{
    t->size = quant_row_bytes(t->type, t->ne[0]) *
              (size_t)(t->ne[1] * t->ne[2] * t->ne[3]);
    void *data = arena_alloc(r->arena, t->size + 1);
    t->data = data;
    return data;
}

void *remake_add(struct remake *r, const char *name, enum quant_type type,
                 int64_t a, int64_t b, int64_t c, int64_t d)
{
    assert_true(r->n_tensor < REMAKE_MOST && !remake_find(r, name));
    struct remake_tensor *t = &r->tensor[r->n_tensor++];
    *t = (struct remake_tensor){.name = copied(r, span_of(name)), .type = type};
    const int64_t ne[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        t->ne[i] = ne[i] ? ne[i] : 1;
        if (ne[i]) t->n_dim = i + 1;
    }
    return room(r, t);
}

static int64_t n_value(const struct remake_tensor *t)
{
    return t->ne[0] * t->ne[1] * t->ne[2] * t->ne[3];
}

float *remake_values(struct remake *r, const struct remake_tensor *t)
{
    float *v = arena_array(r->arena, (size_t)n_value(t), sizeof *v);
    quant_decode(t->type, t->data, n_value(t), v);
    return v;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* One block of Q8_0: a scale and 32 integers. */
static void encode_q8_0(const float *value, unsigned char *out)
{
    float most = 0;
    for (int i = 0; i < 32; i++)
        most = fmaxf(most, fabsf(value[i]));
    uint16_t scale = quant_f32_to_f16(most / 127);
    float d = quant_f16_to_f32(scale);
    memcpy(out, &scale, 2);
    for (int i = 0; i < 32; i++) {
        float q = d > 0 ? roundf(value[i] / d) : 0;
        out[2 + i] = (unsigned char)(int)fmaxf(fminf(q, 127), -127);
    }
}

void remake_store(struct remake *r, struct remake_tensor *t,
                  enum quant_type type, const float *value)
{
    t->type = type;
    unsigned char *out = room(r, t);
    for (int64_t i = 0; i < n_value(t); i++) {
        uint16_t half = quant_f32_to_f16(value[i]);
        uint32_t bits = bits_of(value[i]);
        bits += 0x7fff + (bits >> 16 & 1); /* to nearest even */
        if (type == QUANT_F32)
            memcpy(out + 4 * i, &value[i], 4);
        else if (type == QUANT_F16)
            memcpy(out + 2 * i, &half, 2);
        else if (type == QUANT_BF16)
            memcpy(out + 2 * i, (unsigned char *)&bits + 2, 2);
        else if (i % 32 == 0)
            encode_q8_0(value + i, out + i / 32 * 34);
    }
    assert_true(type == QUANT_F32 || type == QUANT_F16 || type == QUANT_BF16 ||
                type == QUANT_Q8_0);
}

/* ---- keys ------------------------------------------------------------- */

static struct remake_key *key_of(const struct remake *r, const char *name)
{
    for (int i = 0; i < r->n_key; i++)
        if (!strcmp(r->key[i].name, name))
            return (struct remake_key *)(uintptr_t)&r->key[i];
    return NULL;
}

bool remake_has_key(const struct remake *r, const char *name)
{
    return key_of(r, name) != NULL;
}

void remake_drop_key(struct remake *r, const char *name)
{
    struct remake_key *k = key_of(r, name);
    if (!k) fail_msg("no key %s", name);
    int behind = r->n_key - (int)(k - r->key) - 1;
    memmove(k, k + 1, (size_t)behind * sizeof *k);
    r->n_key--;
}

static void set(struct remake *r, const char *name, struct buf *b)
{
    struct remake_key *k = key_of(r, name);
    assert_true(r->n_key < REMAKE_MOST);
    if (!k) k = &r->key[r->n_key++];
    *k = (struct remake_key){copied(r, span_of(name)), kept(r, b)};
}

static struct buf value_of(enum gguf_kind kind)
{
    struct buf b = buf_limit(1u << 27);
    put(&b, kind, 4);
    return b;
}

void remake_set_int(struct remake *r, const char *name, int64_t value)
{
    struct buf b = value_of(value < 0 ? GGUF_I32 : GGUF_U32);
    put(&b, (uint64_t)value, 4);
    set(r, name, &b);
}

void remake_set_float(struct remake *r, const char *name, float value)
{
    struct buf b = value_of(GGUF_F32);
    put(&b, bits_of(value), 4);
    set(r, name, &b);
}

void remake_set_bool(struct remake *r, const char *name, bool value)
{
    struct buf b = value_of(GGUF_BOOL);
    put(&b, value, 1);
    set(r, name, &b);
}

void remake_set_text(struct remake *r, const char *name, const char *value)
{
    struct buf b = value_of(GGUF_STRING);
    put(&b, strlen(value), 8);
    buf_add_text(&b, value);
    set(r, name, &b);
}

void remake_set_list(struct remake *r, const char *name, enum gguf_kind kind,
                     const int *value, int n)
{
    struct buf b = value_of(GGUF_ARRAY);
    put(&b, kind, 4);
    put(&b, (uint64_t)n, 8);
    for (int i = 0; i < n; i++)
        put(&b, (uint64_t)value[i], gguf_read_bytes(kind));
    set(r, name, &b);
}

void remake_set_floats(struct remake *r, const char *name, const float *value,
                       int n)
{
    struct buf b = value_of(GGUF_ARRAY);
    put(&b, GGUF_F32, 4);
    put(&b, (uint64_t)n, 8);
    for (int i = 0; i < n; i++)
        put(&b, bits_of(value[i]), 4);
    set(r, name, &b);
}

/* ---- putting together ------------------------------------------------- */

static void align(struct buf *b)
{
    while (b->size % ALIGNMENT)
        buf_add(b, "", 1);
}

static void put_text(struct buf *b, const char *text)
{
    put(b, strlen(text), 8);
    buf_add_text(b, text);
}

static void put_tensor(struct buf *b, const struct remake_tensor *t,
                       uint64_t offset)
{
    put_text(b, t->name);
    put(b, (uint64_t)t->n_dim, 4);
    for (int i = 0; i < t->n_dim; i++)
        put(b, (uint64_t)t->ne[i], 8);
    put(b, t->type, 4);
    put(b, offset, 8);
}

/* A file of tensors first .. last - 1 and of keys[n_key]. */
static void build(const struct remake *r, const struct remake_key *key,
                  int n_key, int first, int last, struct buf *b)
{
    buf_add(b, "GGUF", 4);
    put(b, 3, 4);
    put(b, (uint64_t)(last - first), 8);
    put(b, (uint64_t)n_key, 8);
    for (int i = 0; i < n_key; i++) {
        put_text(b, key[i].name);
        buf_add(b, key[i].value.data, key[i].value.size);
    }
    uint64_t offset = 0;
    for (int i = first; i < last; i++) {
        put_tensor(b, &r->tensor[i], offset);
        offset += (r->tensor[i].size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    align(b);
    for (int i = first; i < last; i++) {
        buf_add(b, r->tensor[i].data, r->tensor[i].size);
        align(b);
    }
}

struct span remake_bytes(const struct remake *r)
{
    struct buf b = buf_limit(1u << 28);
    build(r, r->key, r->n_key, 0, r->n_tensor, &b);
    char *p = arena_alloc(r->arena, b.size + 64);
    p += (64 - (uintptr_t)p % 64) % 64;
    memcpy(p, b.data, b.size);
    struct span s = {p, b.size};
    buf_free(&b);
    return s;
}

static void save(FILE *f, struct buf *b)
{
    assert_non_null(f);
    assert_int_equal(fwrite(b->data, 1, b->size, f), b->size);
    assert_int_equal(fclose(f), 0);
    buf_free(b);
}

void remake_save(const struct remake *r, char path[static 64])
{
    struct buf b = buf_limit(1u << 28);
    build(r, r->key, r->n_key, 0, r->n_tensor, &b);
    snprintf(path, 64, "/tmp/platen-remake-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    save(fdopen(fd, "wb"), &b);
}

static void part_path(const char *stem, int i, int n, char path[static 96])
{
    snprintf(path, 96, "%.64s-%05d-of-%05d.gguf", stem, i + 1, n);
}

void remake_save_parts(const struct remake *r, int n, char first[static 96])
{
    char stem[64] = "/tmp/platen-parts-XXXXXX", path[96];
    int fd = mkstemp(stem);
    assert_true(fd >= 0);
    close(fd);
    remove(stem);
    for (int i = 0; i < n; i++) {
        struct remake *part = remake_of(remake_bytes(r));
        if (i) part->n_key = 0;
        remake_set_int(part, "split.no", i);
        remake_set_int(part, "split.count", n);
        remake_set_int(part, "split.tensors.count", r->n_tensor);
        struct buf b = buf_limit(1u << 28);
        build(part, part->key, part->n_key, r->n_tensor * i / n,
              r->n_tensor * (i + 1) / n, &b);
        part_path(stem, i, n, path);
        save(fopen(path, "wb"), &b);
        remake_free(part);
    }
    part_path(stem, 0, n, first);
}

void remake_remove_parts(const char *first, int n)
{
    char stem[64], path[96];
    snprintf(stem, sizeof stem, "%.*s",
             (int)(strlen(first) - strlen("-00001-of-00001.gguf")), first);
    for (int i = 0; i < n; i++) {
        part_path(stem, i, n, path);
        remove(path);
    }
}
