/* gguf.c - see gguf.h: the parts of a file, and what may be asked of them. */
#include "vlm/model/gguf.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/map.h"
#include "vlm/model/gguf_read.h"

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
static void join(struct gguf *g, const struct gguf_reader *r, struct err *err)
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
            err_set(err, ERR_CONFIG, "%s: tensor %s stands there twice",
                    g->path, gguf_show(g->by_name[i]->name, show));
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
                "%s: holds part %lld of %lld, but is named part %d of %d: put "
                "the right file there",
                name, (long long)number + 1, (long long)count, i + 1,
                g->n_part);
    int n_tensor = 0;
    for (int j = 0; j < g->n_part; j++)
        n_tensor += r[j].n_tensor;
    if (i == 0 && g->n_part > 1 && total >= 0 && total != n_tensor)
        err_set(err, ERR_CONFIG,
                "%s: its %d parts hold %d tensors, not %lld: put the parts of "
                "one model together",
                name, g->n_part, n_tensor, (long long)total);
}

static void read_all(struct gguf *g, struct err *err)
{
    struct gguf_reader *r = mem_take((size_t)g->n_part, sizeof *r);
    for (int i = 0; i < g->n_part; i++) {
        r[i].arena = g->arena;
        r[i].part = &g->part[i];
        gguf_read_part(&r[i], err);
    }
    for (int i = 0; i < g->n_part; i++)
        check_split(g, r, i, err);
    join(g, r, err);
    mem_give(r);
}

static struct gguf *gguf_new(const char *path, int n_part)
{
    struct arena *arena = arena_new();
    struct gguf *g = arena_take(arena, sizeof *g);
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
    g->part[i].bytes = map_open(path, err);
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
                "%s: give the first part, %.*s-00001-of-%05d.gguf", path,
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
        if (g->part[i].mapped) map_close(g->part[i].bytes);
    arena_free(g->arena);
}

struct hash gguf_hash(const struct gguf *g, struct err *err)
{
    struct hash hash = {""};
    if (err_failed(err)) return hash;
    if (g->n_part == 1) return hash_bytes(g->part[0].bytes);
    char *all = mem_take((size_t)g->n_part, 64);
    for (int i = 0; i < g->n_part; i++) {
        hash = hash_bytes(g->part[i].bytes);
        memcpy(all + 64 * (size_t)i, hash.hex, 64);
    }
    hash = hash_bytes((struct span){all, 64 * (size_t)g->n_part});
    mem_give(all);
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

static void wrong_kind(const struct gguf *g, const char *key, const char *what,
                       struct err *err)
{
    err_set(err, ERR_CONFIG,
            "%s: key %s is not %s: convert the model again with a current "
            "converter",
            g->path, key, what);
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
    const struct gguf_fact *f = fact_of(g, key);
    int64_t value = otherwise;
    if (!f || err_failed(err)) return otherwise;
    if (f->array || f->kind == GGUF_BOOL ||
        !gguf_read_int(f->kind, f->data.data, &value))
        wrong_kind(g, key, "a possible integer", err);
    return err_failed(err) ? otherwise : value;
}

double gguf_float(const struct gguf *g, const char *key, double otherwise,
                  struct err *err)
{
    const struct gguf_fact *f = fact_of(g, key);
    double value = otherwise;
    if (!f || err_failed(err)) return otherwise;
    if (f->array || !gguf_read_float(f->kind, f->data.data, &value))
        wrong_kind(g, key, "a finite number", err);
    return err_failed(err) ? otherwise : value;
}

bool gguf_bool(const struct gguf *g, const char *key, bool otherwise,
               struct err *err)
{
    const struct gguf_fact *f = fact_of(g, key);
    if (!f || err_failed(err)) return otherwise;
    if (f->array || f->kind != GGUF_BOOL) {
        wrong_kind(g, key, "a truth value", err);
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
        wrong_kind(g, key, "a text", err);
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
        wrong_kind(g, key, "a list of numbers that is long enough", err);
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
        wrong_kind(g, key, "a list of integers", err);
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
        wrong_kind(g, key, "a list of finite numbers", err);
    return value;
}

struct span *gguf_array_strings(const struct gguf *g, const char *key,
                                int64_t n, struct arena *arena, struct err *err)
{
    const struct gguf_fact *f = fact_of(g, key);
    if (err_failed(err)) return NULL;
    if (!f || (uint64_t)n != f->n || (n > 0 && f->kind != GGUF_STRING)) {
        wrong_kind(g, key, "a list of texts", err);
        return NULL;
    }
    struct span *text = arena_array(arena, (size_t)n, sizeof *text);
    struct cursor c = {(const unsigned char *)f->data.data, f->data.size, 0,
                       false};
    for (int64_t i = 0; i < n; i++) {
        size_t size = (size_t)cursor_u64le(&c);
        text[i] = (struct span){(const char *)cursor_take(&c, size), size};
    }
    return text;
}
