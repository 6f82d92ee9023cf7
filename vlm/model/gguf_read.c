/* gguf_read.c - see gguf_read.h. Everything in the file is untrusted: one
 * cursor reads it, and no count is believed before the bytes that it needs are
 * seen to be there.
 */
#include "vlm/model/gguf_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENTRY_MAX = 65536, /* tensors, and keys */
    KEY_BYTES_MAX = 65535,
    ALIGNMENT_MAX = 65536,
    KEY_BYTES_MIN = 8 + 1 + 4 + 1,          /* length, name, kind, value */
    INFO_BYTES_MIN = 8 + 1 + 4 + 8 + 4 + 8, /* the same for a tensor */
};
static const uint64_t string_bytes_max = 64u << 20;

/* Bytes of a value; 0 for kinds without a fixed size. */
int gguf_read_bytes(uint32_t kind)
{
    static const int bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return kind < sizeof bytes / sizeof *bytes ? bytes[kind] : 0;
}

int gguf_read_order(struct span a, struct span b)
{
    size_t least = a.size < b.size ? a.size : b.size;
    int order = memcmp(a.data, b.data, least);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static bool cut_short(const struct gguf_reader *r, const char *where,
                      struct err *err)
{
    return err_set(err, ERR_CONFIG,
                   "%s: ends inside %s (the file has %zu bytes): the copy is "
                   "incomplete, fetch it again",
                   r->part->name, where, r->part->bytes.size);
}

static struct span read_string(struct gguf_reader *r, uint64_t most,
                               const char *what, struct err *err)
{
    struct span text = {"", 0};
    uint64_t n = cursor_u64le(&r->c);
    if (n > most && !r->c.overrun) {
        err_set(err, ERR_CONFIG,
                "%s: byte %zu: %s of %llu bytes, at most %llu: the file is "
                "damaged, fetch it again",
                r->part->name, r->c.at - 8, what, (unsigned long long)n,
                (unsigned long long)most);
        return text;
    }
    const unsigned char *p = cursor_take(&r->c, n);
    if (p) text = (struct span){(const char *)p, (size_t)n};
    if (!p) cut_short(r, what, err);
    return text;
}

static struct span read_name(struct gguf_reader *r, const char *what,
                             struct err *err)
{
    struct span name = read_string(r, KEY_BYTES_MAX, what, err);
    if (!err_failed(err) && name.size == 0)
        err_set(err, ERR_CONFIG,
                "%s: byte %zu: %s is empty: the file is damaged, fetch it "
                "again",
                r->part->name, r->c.at - 8, what);
    return name;
}

/* Walks over n values of `kind`, so that later reads need no checks. */
static void skip_values(struct gguf_reader *r, uint32_t kind, uint64_t n,
                        struct err *err)
{
    uint64_t bytes = (uint64_t)gguf_read_bytes(kind);
    if (bytes == 0) bytes = 8; /* a string's length, at the least */
    if (n > cursor_left(&r->c) / bytes) {
        cut_short(r, "a value", err);
    } else if (kind != GGUF_STRING) {
        cursor_take(&r->c, n * bytes);
    } else {
        for (uint64_t i = 0; i < n && !err_failed(err); i++)
            read_string(r, string_bytes_max, "a string", err);
    }
}

static void read_fact(struct gguf_reader *r, struct gguf_fact *f,
                      struct err *err)
{
    char show[GGUF_SHOW_MAX];
    f->key = read_name(r, "a key", err);
    f->kind = cursor_u32le(&r->c);
    f->n = 1;
    f->array = f->kind == GGUF_ARRAY;
    if (f->array) {
        f->kind = cursor_u32le(&r->c);
        f->n = cursor_u64le(&r->c);
    }
    if (err_failed(err)) return;
    if (r->c.overrun) {
        cut_short(r, "a key", err);
        return;
    }
    if (!gguf_read_bytes(f->kind) && f->kind != GGUF_STRING) {
        err_set(err, ERR_CONFIG,
                "%s: key %s: value type %u%s is not one of GGUF's: the file "
                "is damaged, or newer than this program",
                r->part->name, gguf_show(f->key, show), f->kind,
                f->array ? " in an array" : "");
        return;
    }
    size_t start = r->c.at;
    skip_values(r, f->kind, f->n, err);
    f->data = (struct span){r->part->bytes.data + start, r->c.at - start};
    if (!err_failed(err) && f->kind == GGUF_BOOL && !f->array &&
        (unsigned char)f->data.data[0] > 1)
        err_set(err, ERR_CONFIG, "%s: key %s: %u is neither false nor true",
                r->part->name, gguf_show(f->key, show),
                (unsigned char)f->data.data[0]);
}

/* The number of elements, each step checked; 0 after a failure. */
static uint64_t read_dims(struct gguf_reader *r, struct gguf_tensor *t,
                          struct err *err)
{
    char show[GGUF_SHOW_MAX];
    uint32_t n_dim = cursor_u32le(&r->c);
    if (!r->c.overrun && (n_dim < 1 || n_dim > 4)) {
        err_set(err, ERR_CONFIG, "%s: tensor %s: %u dimensions, not 1 to 4",
                r->part->name, gguf_show(t->name, show), n_dim);
        return 0;
    }
    t->n_dim = (int)n_dim;
    int64_t n = 1;
    for (int i = 0; i < 4; i++) {
        t->ne[i] = 1;
        if (i >= t->n_dim) continue;
        uint64_t ne = cursor_u64le(&r->c);
        if (r->c.overrun) break;
        if (ne < 1 || ne > INT64_MAX ||
            __builtin_mul_overflow(n, (int64_t)ne, &n)) {
            err_set(err, ERR_CONFIG,
                    "%s: tensor %s: dimension %d of %llu is not possible: the "
                    "file is damaged, fetch it again",
                    r->part->name, gguf_show(t->name, show), i,
                    (unsigned long long)ne);
            return 0;
        }
        t->ne[i] = (int64_t)ne;
    }
    return (uint64_t)n;
}

/* Leaves the offset in `*offset`: where the data begin is not known yet. */
static void read_tensor(struct gguf_reader *r, struct gguf_tensor *t,
                        uint64_t *offset, struct err *err)
{
    char show[GGUF_SHOW_MAX];
    t->name = read_name(r, "a tensor's name", err);
    if (err_failed(err)) return;
    uint64_t n = read_dims(r, t, err);
    uint32_t type = cursor_u32le(&r->c);
    *offset = cursor_u64le(&r->c);
    if (err_failed(err)) return;
    if (r->c.overrun) {
        cut_short(r, "the tensor directory", err);
        return;
    }
    gguf_show(t->name, show);
    const struct quant_info *q = quant_info(type);
    if (q->block == 0) { /* nobody's number, or one that was given up */
        err_set(err, ERR_UNSUPPORTED,
                "%s: tensor %s: type number %u%s%s is not known here: use a "
                "file in another quantisation, such as Q8_0 or Q4_K_M",
                r->part->name, show, type, q->name ? ", " : "",
                q->name ? q->name : "");
        return;
    }
    if (t->ne[0] % q->block) {
        err_set(err, ERR_CONFIG,
                "%s: tensor %s: rows of %lld are no multiple of %d, the block "
                "of %s",
                r->part->name, show, (long long)t->ne[0], q->block, q->name);
        return;
    }
    t->type = (enum quant_type)type;
    uint64_t bytes;
    if (__builtin_mul_overflow(n / (uint64_t)q->block, (uint64_t)q->bytes,
                               &bytes) ||
        bytes > r->part->bytes.size) {
        err_set(err, ERR_CONFIG,
                "%s: tensor %s does not fit into the file's %zu bytes: the "
                "copy is incomplete or damaged, fetch it again",
                r->part->name, show, r->part->bytes.size);
        return;
    }
    t->size_bytes = (size_t)bytes;
}

static int order_by_data(const void *a, const void *b)
{
    const struct gguf_tensor *s = *(const struct gguf_tensor *const *)a;
    const struct gguf_tensor *t = *(const struct gguf_tensor *const *)b;
    return (s->data > t->data) - (s->data < t->data);
}

static void refuse_overlaps(struct gguf_reader *r, struct arena *scratch,
                            struct err *err)
{
    if (err_failed(err) || r->n_tensor < 2) return;
    size_t n = (size_t)r->n_tensor;
    const struct gguf_tensor **by = arena_array(scratch, n, sizeof(void *));
    for (size_t i = 0; i < n; i++)
        by[i] = &r->tensor[i];
    qsort(by, n, sizeof *by, order_by_data);
    for (size_t i = 1; i < n; i++) {
        const char *end = (const char *)by[i - 1]->data + by[i - 1]->size_bytes;
        if (end <= (const char *)by[i]->data) continue;
        char a[GGUF_SHOW_MAX], b[GGUF_SHOW_MAX];
        err_set(err, ERR_CONFIG,
                "%s: tensors %s and %s share bytes: the file is damaged",
                r->part->name, gguf_show(by[i - 1]->name, a),
                gguf_show(by[i]->name, b));
        return;
    }
}

/* Turns offsets into pointers once it is known where the data begin. */
static void place_tensors(struct gguf_reader *r, const uint64_t *offset,
                          uint64_t alignment, struct err *err)
{
    if (err_failed(err)) return;
    size_t size = r->part->bytes.size;
    uint64_t base = (r->c.at + alignment - 1) & ~(alignment - 1);
    for (int i = 0; i < r->n_tensor; i++) {
        struct gguf_tensor *t = &r->tensor[i];
        char show[GGUF_SHOW_MAX];
        gguf_show(t->name, show);
        uint64_t at, end;
        if (offset[i] % alignment) {
            err_set(err, ERR_CONFIG,
                    "%s: tensor %s: offset %llu is no multiple of the "
                    "alignment %llu",
                    r->part->name, show, (unsigned long long)offset[i],
                    (unsigned long long)alignment);
            return;
        }
        if (__builtin_add_overflow(base, offset[i], &at) ||
            __builtin_add_overflow(at, t->size_bytes, &end) || end > size) {
            err_set(err, ERR_CONFIG,
                    "%s: tensor %s ends behind the file's %zu bytes: the copy "
                    "is incomplete, fetch it again",
                    r->part->name, show, size);
            return;
        }
        if (at % GGUF_DATA_ALIGNMENT) {
            err_set(err, ERR_CONFIG,
                    "%s: tensor %s starts at byte %llu, which is no multiple "
                    "of %d: write the file again with general.alignment 32",
                    r->part->name, show, (unsigned long long)at,
                    GGUF_DATA_ALIGNMENT);
            return;
        }
        t->data = r->part->bytes.data + at;
    }
}

static int order_facts(const void *a, const void *b)
{
    return gguf_read_order(((const struct gguf_fact *)a)->key,
                           ((const struct gguf_fact *)b)->key);
}

/* A scalar integer of any kind. False when it is none or does not fit. */
bool gguf_read_int(uint32_t kind, const char *data, int64_t *value)
{
    struct cursor c = {(const unsigned char *)data, 8, 0, false};
    uint64_t v = 0;
    int bytes = gguf_read_bytes(kind);
    if (kind != GGUF_STRING && bytes) v = cursor_uint(&c, bytes);
    switch (kind) {
    case GGUF_U8:
    case GGUF_U16:
    case GGUF_U32:
    case GGUF_BOOL: *value = (int64_t)v; return true;
    case GGUF_I8: *value = (int8_t)v; return true;
    case GGUF_I16: *value = (int16_t)v; return true;
    case GGUF_I32: *value = (int32_t)v; return true;
    case GGUF_I64: *value = (int64_t)v; return true;
    case GGUF_U64: *value = (int64_t)v; return v <= INT64_MAX;
    default: return false;
    }
}

bool gguf_read_float(uint32_t kind, const char *data, double *value)
{
    float single;
    int64_t whole;
    if (kind == GGUF_F32) {
        memcpy(&single, data, sizeof single);
        *value = (double)single;
    } else if (kind == GGUF_F64) {
        memcpy(value, data, sizeof *value);
    } else if (kind != GGUF_BOOL && gguf_read_int(kind, data, &whole)) {
        *value = (double)whole;
    } else {
        return false;
    }
    return isfinite(*value);
}

const struct gguf_fact *gguf_read_find(const struct gguf_fact *fact, int n,
                                       const char *key)
{
    struct gguf_fact wanted = {.key = span_of(key)};
    return n ? bsearch(&wanted, fact, (size_t)n, sizeof *fact, order_facts)
             : NULL;
}

int64_t gguf_read_fact_int(const struct gguf_reader *r, const char *key,
                           int64_t otherwise, struct err *err)
{
    const struct gguf_fact *f = gguf_read_find(r->fact, r->n_fact, key);
    int64_t value = otherwise;
    if (!f || err_failed(err)) return otherwise;
    if (f->array || f->kind == GGUF_BOOL ||
        !gguf_read_int(f->kind, f->data.data, &value)) {
        err_set(err, ERR_CONFIG, "%s: key %s is not a possible integer",
                r->part->name, key);
        return otherwise;
    }
    return value;
}

static void read_facts(struct gguf_reader *r, uint64_t n, struct err *err)
{
    if (err_failed(err)) return;
    r->fact = arena_array(r->arena, (size_t)n, sizeof *r->fact);
    for (uint64_t i = 0; i < n && !err_failed(err); i++, r->n_fact++)
        read_fact(r, &r->fact[i], err);
    if (err_failed(err) || n == 0) return;
    qsort(r->fact, (size_t)n, sizeof *r->fact, order_facts);
    for (uint64_t i = 1; i < n; i++) {
        char show[GGUF_SHOW_MAX];
        if (span_equal(r->fact[i - 1].key, r->fact[i].key))
            err_set(err, ERR_CONFIG, "%s: key %s stands there twice",
                    r->part->name, gguf_show(r->fact[i].key, show));
    }
}

static uint64_t read_alignment(const struct gguf_reader *r, struct err *err)
{
    int64_t a = gguf_read_fact_int(r, "general.alignment", 32, err);
    if (!err_failed(err) && (a < 1 || a > ALIGNMENT_MAX || (a & (a - 1))))
        err_set(err, ERR_CONFIG,
                "%s: general.alignment is %lld, not a power of two up to %d",
                r->part->name, (long long)a, ALIGNMENT_MAX);
    return err_failed(err) ? 32 : (uint64_t)a;
}

/* Magic, version and the two counts. */
static void read_header(struct gguf_reader *r, uint64_t *n_tensor,
                        uint64_t *n_fact, struct err *err)
{
    if (err_failed(err)) return;
    const char *name = r->part->name;
    const unsigned char *magic = cursor_take(&r->c, 4);
    if (!magic || memcmp(magic, "GGUF", 4)) {
        err_set(err, ERR_CONFIG,
                "%s: not a GGUF file (it does not begin with GGUF): give a "
                "model in that format",
                name);
        return;
    }
    uint32_t version = cursor_u32le(&r->c);
    *n_tensor = cursor_u64le(&r->c);
    *n_fact = cursor_u64le(&r->c);
    if (r->c.overrun) {
        cut_short(r, "the header", err);
    } else if (version != 0 && version % 65536 == 0) {
        err_set(err, ERR_UNSUPPORTED,
                "%s: a big-endian GGUF file: use a little-endian one", name);
    } else if (version < 2 || version > 3) {
        err_set(err, ERR_UNSUPPORTED,
                "%s: GGUF version %u, not 2 or 3: convert the model again",
                name, version);
    } else if (*n_tensor > ENTRY_MAX || *n_fact > ENTRY_MAX) {
        err_set(err, ERR_LIMIT,
                "%s: %llu tensors and %llu keys, at most %d of each: the file "
                "is damaged, fetch it again",
                name, (unsigned long long)*n_tensor,
                (unsigned long long)*n_fact, ENTRY_MAX);
    } else if (*n_fact * KEY_BYTES_MIN + *n_tensor * INFO_BYTES_MIN >
               cursor_left(&r->c)) {
        cut_short(r, "the header", err);
    }
}

void gguf_read_part(struct gguf_reader *r, struct err *err)
{
    if (err_failed(err)) return;
    const struct span bytes = r->part->bytes;
    r->c = (struct cursor){(const unsigned char *)bytes.data, bytes.size, 0,
                           false};
    uint64_t n_tensor = 0, n_fact = 0;
    read_header(r, &n_tensor, &n_fact, err);
    read_facts(r, n_fact, err);
    uint64_t alignment = read_alignment(r, err);
    if (err_failed(err)) return;

    struct arena *scratch = arena_new();
    r->tensor = arena_array(r->arena, (size_t)n_tensor, sizeof *r->tensor);
    uint64_t *offset = arena_array(scratch, (size_t)n_tensor, sizeof *offset);
    for (uint64_t i = 0; i < n_tensor && !err_failed(err); i++, r->n_tensor++)
        read_tensor(r, &r->tensor[i], &offset[i], err);
    place_tensors(r, offset, alignment, err);
    refuse_overlaps(r, scratch, err);
    arena_free(scratch);
}
