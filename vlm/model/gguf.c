/* gguf.c - see gguf.h: the parts of a file, and access to them. */
#include "vlm/model/gguf.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/cursor.h"
#include "vlm/base/file_map.h"
#include "vlm/base/wrong_file.h"

/* --- gguf read ------------------------------------------------------------- */

/* Reads one part of a GGUF file from its bytes. */

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

/* Order of names, for sorted tables. */
static int gguf_read_order(struct span a, struct span b)
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
                   "incomplete, download it again",
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
                "damaged, download it again",
                r->part->name, r->c.at - 8, what, (unsigned long long)n,
                (unsigned long long)most);
        return text;
    }
    const unsigned char *p = cursor_read(&r->c, n);
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
                "%s: byte %zu: %s is empty: the file is damaged, download it "
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
        cursor_read(&r->c, n * bytes);
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
                    "file is damaged, download it again",
                    r->part->name, gguf_show(t->name, show), i,
                    (unsigned long long)ne);
            return 0;
        }
        t->ne[i] = (int64_t)ne;
    }
    return (uint64_t)n;
}

/* Stores the offset in `*offset`: the start of the data is not known yet. */
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
    if (q->block == 0) { /* unassigned or withdrawn number */
        err_set(err, ERR_UNSUPPORTED,
                "%s: tensor %s: type number %u%s%s is not supported: use a "
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
                "copy is incomplete or damaged, download it again",
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

/* Turns offsets into pointers once the start of the data is known. */
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
                    "%s: tensor %s extends past the file's %zu bytes: the copy "
                    "is incomplete, download it again",
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

/* A scalar integer of any kind. False if it is none or does not fit. */
static bool gguf_read_int(uint32_t kind, const char *data, int64_t *value)
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

static bool gguf_read_float(uint32_t kind, const char *data, double *value)
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

/* The fact of this key among n that are sorted by key, or NULL. */
static const struct gguf_fact *gguf_read_find(const struct gguf_fact *fact,
                                              int n, const char *key)
{
    struct gguf_fact wanted = {.key = span_of(key)};
    return n ? bsearch(&wanted, fact, (size_t)n, sizeof *fact, order_facts)
             : NULL;
}

static void wrong_kind(const char *path, const char *key, const char *what,
                       struct err *err)
{
    err_set(err, ERR_CONFIG,
            "%s: key %s is not %s: convert the model again with a current "
            "converter",
            path, key, what);
}

/* The integer of this key, as gguf_int. */
static int64_t find_int(const struct gguf_fact *fact, int n, const char *path,
                        const char *key, int64_t otherwise, struct err *err)
{
    const struct gguf_fact *f = gguf_read_find(fact, n, key);
    int64_t value = otherwise;
    if (!f || err_failed(err)) return otherwise;
    if (f->array || f->kind == GGUF_BOOL ||
        !gguf_read_int(f->kind, f->data.data, &value))
        wrong_kind(path, key, "a possible integer", err);
    return err_failed(err) ? otherwise : value;
}

static int64_t gguf_read_fact_int(const struct gguf_reader *r, const char *key,
                                  int64_t otherwise, struct err *err)
{
    return find_int(r->fact, r->n_fact, r->part->name, key, otherwise, err);
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
            err_set(err, ERR_CONFIG, "%s: key %s occurs twice", r->part->name,
                    gguf_show(r->fact[i].key, show));
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
    const unsigned char *magic = cursor_read(&r->c, 4);
    if (!magic || memcmp(magic, "GGUF", 4)) {
        const char *what =
            wrong_file_name((struct span){(const char *)r->c.bytes, r->c.size});
        if (what) err_set(err, ERR_CONFIG, "%s: %s", name, what);
        err_set(err, ERR_CONFIG,
                "%s: not a GGUF file (it does not start with GGUF): use a "
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
                "is damaged, download it again",
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

/* --- gguf ------------------------------------------------------------------ */

enum { PART_MAX = 1024 };

struct gguf {
    struct arena *arena; /* owns everything here */
    const char *path;
    struct gguf_part *part;
    int n_part;
    struct gguf_fact *fact; /* of the first part, sorted by key */
    int n_fact;
    struct gguf_tensor *tensor; /* of all parts, in file order */
    int n_tensor;
    const struct gguf_tensor **by_name; /* [n_tensor], sorted */
};

const char *gguf_show(struct span text, char out[static GGUF_SHOW_MAX])
{
    size_t n = text.size < GGUF_SHOW_MAX ? text.size : GGUF_SHOW_MAX - 4;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text.data[i];
        out[i] = c < 32 || c > 126 ? '?' : (char)c;
    }
    snprintf(out + n, 4, "%s", n < text.size ? "..." : "");
    return out;
}

/* ---- parts, and the whole --------------------------------------------- */

/* PREFIX-00001-of-00004.gguf: its two numbers; false for other names. */
static bool part_numbers(const char *path, int *number, int *count, size_t *at)
{
    size_t n = strlen(path), tail = strlen("-00001-of-00004.gguf");
    if (n <= tail) return false;
    const char *p = path + n - tail;
    int end = 0;
    *at = n - tail;
    return sscanf(p, "-%5d-of-%5d.gguf%n", number, count, &end) == 2 &&
           (size_t)end == tail && *number >= 1 && *count >= 1;
}

static int order_names(const void *a, const void *b)
{
    return gguf_read_order((*(const struct gguf_tensor *const *)a)->name,
                           (*(const struct gguf_tensor *const *)b)->name);
}

/* Joins the parts' tensors and sorts them by name. */
static void join_part(struct gguf *g, const struct gguf_reader *r,
                      struct err *err)
{
    if (err_failed(err)) return;
    for (int i = 0; i < g->n_part; i++)
        g->n_tensor += r[i].n_tensor;
    size_t n = (size_t)g->n_tensor;
    g->fact = r[0].fact;
    g->n_fact = r[0].n_fact;
    if (n == 0) return;
    g->tensor = r[0].tensor;
    if (g->n_part > 1) {
        g->tensor = arena_array(g->arena, n, sizeof *g->tensor);
        for (int i = 0, at = 0; i < g->n_part; at += r[i].n_tensor, i++)
            if (r[i].n_tensor)
                memcpy(g->tensor + at, r[i].tensor,
                       (size_t)r[i].n_tensor * sizeof *g->tensor);
    }
    g->by_name = arena_array(g->arena, n, sizeof *g->by_name);
    for (size_t i = 0; i < n; i++)
        g->by_name[i] = &g->tensor[i];
    qsort(g->by_name, n, sizeof *g->by_name, order_names);
    for (size_t i = 1; i < n; i++) {
        char show[GGUF_SHOW_MAX];
        if (span_equal(g->by_name[i - 1]->name, g->by_name[i]->name))
            err_set(err, ERR_CONFIG, "%s: tensor %s occurs twice", g->path,
                    gguf_show(g->by_name[i]->name, show));
    }
}

static void check_split(const struct gguf *g, const struct gguf_reader *r,
                        int i, struct err *err)
{
    if (err_failed(err)) return;
    const char *name = g->part[i].name;
    int64_t count = gguf_read_fact_int(&r[i], "split.count", 1, err);
    int64_t number = gguf_read_fact_int(&r[i], "split.no", i, err);
    int64_t total = gguf_read_fact_int(&r[i], "split.tensors.count", -1, err);
    if (err_failed(err)) return;
    if (count > 1 && g->n_part == 1)
        err_set(err, ERR_CONFIG,
                "%s: one of %lld parts: keep the name that ends in "
                "-00001-of-%05lld.gguf, and all parts in one folder",
                name, (long long)count, (long long)count);
    else if (g->n_part > 1 && (count != g->n_part || number != i))
        err_set(err, ERR_CONFIG,
                "%s: is part %lld of %lld, but is named part %d of %d: "
                "replace it with the right file",
                name, (long long)number + 1, (long long)count, i + 1,
                g->n_part);
    int n_tensor = 0;
    for (int j = 0; j < g->n_part; j++)
        n_tensor += r[j].n_tensor;
    if (i == 0 && g->n_part > 1 && total >= 0 && total != n_tensor)
        err_set(err, ERR_CONFIG,
                "%s: its %d parts have %d tensors, not %lld: use the parts "
                "of one model",
                name, g->n_part, n_tensor, (long long)total);
}

static void read_all(struct gguf *g, struct err *err)
{
    struct gguf_reader *r = mem_alloc((size_t)g->n_part, sizeof *r);
    for (int i = 0; i < g->n_part; i++) {
        r[i].arena = g->arena;
        r[i].part = &g->part[i];
        gguf_read_part(&r[i], err);
    }
    for (int i = 0; i < g->n_part; i++)
        check_split(g, r, i, err);
    join_part(g, r, err);
    mem_free(r);
}

static struct gguf *gguf_new(const char *path, int n_part)
{
    struct arena *arena = arena_new();
    struct gguf *g = arena_alloc(arena, sizeof *g);
    g->arena = arena;
    g->path = arena_copy(arena, span_of(path));
    g->n_part = n_part;
    g->part = arena_array(arena, (size_t)n_part, sizeof *g->part);
    return g;
}

static void open_part(struct gguf *g, int i, const char *path, struct err *err)
{
    if (err_failed(err)) return;
    g->part[i].name = path;
    g->part[i].bytes = file_map_open(path, err);
    g->part[i].mapped = !err_failed(err);
    if (err->kind == ERR_INPUT) err->kind = ERR_CONFIG;
    if (err_failed(err) && g->n_part > 1)
        err_context(err, "part %d of %d", i + 1, g->n_part);
}

struct gguf *gguf_open(const char *path, struct err *err)
{
    if (err_failed(err)) return NULL;
    int number = 1, count = 1;
    size_t at = 0;
    bool split = part_numbers(path, &number, &count, &at);
    if (split && number != 1) {
        err_set(err, ERR_CONFIG,
                "%s: use the first part, %.*s-00001-of-%05d.gguf", path,
                (int)at, path, count);
        return NULL;
    }
    if (split && count > PART_MAX) {
        err_set(err, ERR_LIMIT, "%s: %d parts, at most %d", path, count,
                PART_MAX);
        return NULL;
    }
    struct gguf *g = gguf_new(path, split ? count : 1);
    for (int i = 0; i < g->n_part; i++) {
        const char *name = g->path;
        if (split)
            name = arena_text(g->arena, "%.*s-%05d-of-%05d.gguf", (int)at, path,
                              i + 1, count);
        open_part(g, i, name, err);
    }
    if (!err_failed(err)) read_all(g, err);
    if (err_failed(err)) {
        gguf_close(g);
        return NULL;
    }
    return g;
}

struct gguf *gguf_open_bytes(struct span bytes, const char *name,
                             struct err *err)
{
    if (err_failed(err)) return NULL;
    assert((uintptr_t)bytes.data % GGUF_DATA_ALIGNMENT == 0);
    struct gguf *g = gguf_new(name, 1);
    g->part[0] = (struct gguf_part){.bytes = bytes, .name = g->path};
    read_all(g, err);
    if (err_failed(err)) {
        gguf_close(g);
        return NULL;
    }
    return g;
}

void gguf_close(struct gguf *g)
{
    if (!g) return;
    for (int i = 0; i < g->n_part; i++)
        if (g->part[i].mapped) file_map_close(g->part[i].bytes);
    arena_free(g->arena);
}

struct hash gguf_hash(const struct gguf *g, struct err *err)
{
    struct hash hash = {""};
    if (err_failed(err)) return hash;
    if (g->n_part == 1) return hash_bytes(g->part[0].bytes);
    char *all = mem_alloc((size_t)g->n_part, 64);
    for (int i = 0; i < g->n_part; i++) {
        hash = hash_bytes(g->part[i].bytes);
        memcpy(all + 64 * (size_t)i, hash.hex, 64);
    }
    hash = hash_bytes((struct span){all, 64 * (size_t)g->n_part});
    mem_free(all);
    return hash;
}

/* ---- the directory ---------------------------------------------------- */

const char *gguf_path(const struct gguf *g)
{
    return g->path;
}

int gguf_n_tensor(const struct gguf *g)
{
    return g->n_tensor;
}

const struct gguf_tensor *gguf_tensor(const struct gguf *g, int index)
{
    assert(index >= 0 && index < g->n_tensor);
    return &g->tensor[index];
}

const struct gguf_tensor *gguf_find_tensor(const struct gguf *g,
                                           const char *name)
{
    if (g->n_tensor == 0) return NULL;
    struct gguf_tensor wanted = {.name = span_of(name)};
    const struct gguf_tensor *key = &wanted;
    const struct gguf_tensor **found =
        bsearch(&key, g->by_name, (size_t)g->n_tensor, sizeof key, order_names);
    return found ? *found : NULL;
}

/* ---- facts ------------------------------------------------------------ */

static const struct gguf_fact *fact_of(const struct gguf *g, const char *key)
{
    return gguf_read_find(g->fact, g->n_fact, key);
}

int gguf_n_key(const struct gguf *g)
{
    return g->n_fact;
}

struct span gguf_key(const struct gguf *g, int index)
{
    assert(index >= 0 && index < g->n_fact);
    return g->fact[index].key;
}

bool gguf_has(const struct gguf *g, const char *key)
{
    return fact_of(g, key) != NULL;
}

int64_t gguf_int(const struct gguf *g, const char *key, int64_t otherwise,
                 struct err *err)
{
    return find_int(g->fact, g->n_fact, g->path, key, otherwise, err);
}

double gguf_float(const struct gguf *g, const char *key, double otherwise,
                  struct err *err)
{
    const struct gguf_fact *f = fact_of(g, key);
    double value = otherwise;
    if (!f || err_failed(err)) return otherwise;
    if (f->array || !gguf_read_float(f->kind, f->data.data, &value))
        wrong_kind(g->path, key, "a finite number", err);
    return err_failed(err) ? otherwise : value;
}

bool gguf_bool(const struct gguf *g, const char *key, bool otherwise,
               struct err *err)
{
    const struct gguf_fact *f = fact_of(g, key);
    if (!f || err_failed(err)) return otherwise;
    if (f->array || f->kind != GGUF_BOOL) {
        wrong_kind(g->path, key, "a boolean", err);
        return otherwise;
    }
    return f->data.data[0] != 0;
}

struct span gguf_string(const struct gguf *g, const char *key, struct err *err)
{
    const struct gguf_fact *f = fact_of(g, key);
    struct span text = {"", 0};
    if (!f || err_failed(err)) return text;
    if (f->array || f->kind != GGUF_STRING)
        wrong_kind(g->path, key, "a text", err);
    else
        text = (struct span){f->data.data + 8, f->data.size - 8};
    return text;
}

int64_t gguf_array_size(const struct gguf *g, const char *key, struct err *err)
{
    const struct gguf_fact *f = fact_of(g, key);
    return !f || err_failed(err) ? 0 : (int64_t)f->n;
}

/* The data of element `index`, or NULL after wrong_kind. */
static const char *element(const struct gguf *g, const char *key, int64_t index,
                           const struct gguf_fact **fact, struct err *err)
{
    const struct gguf_fact *f = fact_of(g, key);
    *fact = f;
    if (err_failed(err)) return NULL;
    if (!f || index < 0 || (uint64_t)index >= f->n || f->kind == GGUF_STRING) {
        wrong_kind(g->path, key, "a list of numbers that is long enough", err);
        return NULL;
    }
    return f->data.data + (size_t)index * (size_t)gguf_read_bytes(f->kind);
}

int64_t gguf_array_int(const struct gguf *g, const char *key, int64_t index,
                       struct err *err)
{
    if (err_failed(err)) return 0;
    const struct gguf_fact *f;
    const char *data = element(g, key, index, &f, err);
    int64_t value = 0;
    if (data && !gguf_read_int(f->kind, data, &value))
        wrong_kind(g->path, key, "a list of integers", err);
    return value;
}

double gguf_array_float(const struct gguf *g, const char *key, int64_t index,
                        struct err *err)
{
    if (err_failed(err)) return 0;
    const struct gguf_fact *f;
    const char *data = element(g, key, index, &f, err);
    double value = 0;
    if (data && !gguf_read_float(f->kind, data, &value))
        wrong_kind(g->path, key, "a list of finite numbers", err);
    return value;
}

struct span *gguf_array_strings(const struct gguf *g, const char *key,
                                int64_t n, struct arena *arena, struct err *err)
{
    const struct gguf_fact *f = fact_of(g, key);
    if (err_failed(err)) return NULL;
    if (!f || (uint64_t)n != f->n || (n > 0 && f->kind != GGUF_STRING)) {
        wrong_kind(g->path, key, "a list of strings", err);
        return NULL;
    }
    struct span *text = arena_array(arena, (size_t)n, sizeof *text);
    struct cursor c = {(const unsigned char *)f->data.data, f->data.size, 0,
                       false};
    for (int64_t i = 0; i < n; i++) {
        size_t size = (size_t)cursor_u64le(&c);
        text[i] = (struct span){(const char *)cursor_read(&c, size), size};
    }
    return text;
}
