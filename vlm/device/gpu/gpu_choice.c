/* gpu_choice.c - see gpu_choice.h. */
#include "vlm/device/gpu/gpu_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/buf.h"
#include "vlm/base/file_map.h"
#include "vlm/base/hash.h"
#include "vlm/base/log.h"
#include "vlm/base/own_folder.h"
#include "vlm/device/gpu/gpu_inside.h"
#include "vlm/device/gpu/gpu_ptx.h"

enum {
    FILE_MOST = 1 << 20,
    LAUNCHES = 8,    /* timed ones at least */
    FEW = 9,         /* activations of the comparison of bits */
    FEW_ROWS = 70,   /* rows of weights in it */
    SLOW_CLASS = 64, /* activations from which one layer is enough */
    ROUNDS = 2       /* the faster counts */
};

static const char format[] = "platen-gpu/1";

/* ---- the shapes of a model ------------------------------------------------------ */

enum { PRODUCTS = 1 + 9 * SHAPE_LAYER_MAX }; /* at most */

/* What the text model's launches multiply with. */
struct product_list {
    int n;
    struct gpu_alike at[PRODUCTS];
};

/* As gpu_matmul_many. */
static void add_many(struct product_list *l, const struct weight *const *w,
                     int n)
{
    static float *const nowhere[GPU_PARTS];
    bool done[GPU_PARTS] = {false};
    struct gpu_alike some = gpu_matmul_alike(w, n, nowhere, done);
    for (; some.n; some = gpu_matmul_alike(w, n, nowhere, done))
        if (some.w[0]->raw) l->at[l->n++] = some;
}

static void add_one(struct product_list *l, const struct weight *w)
{
    add_many(l, &w, 1);
}

static void add_layer(struct product_list *l, const struct layer *w)
{
    const struct attention_weights *a = &w->attention;
    const struct gdn_weights *d = &w->gdn;
    const struct weight *const attends[] = {&a->q, &a->k, &a->v};
    const struct weight *const delta[] = {&d->qkv, &d->z, &d->alpha, &d->beta};
    const struct weight *const feeds[] = {&w->ffn.gate, &w->ffn.up};
    if (w->attends)
        add_many(l, attends, 3);
    else
        add_many(l, delta, 4);
    add_one(l, w->attends ? &a->out : &d->out);
    add_many(l, feeds, 2);
    add_one(l, &w->ffn.down);
    add_one(l, &w->ffn.router);
}

static struct product_list *list_products(const struct gpu_device *g,
                                          struct arena *arena)
{
    struct product_list *l = arena_alloc(arena, sizeof *l);
    add_one(l, &g->w.head);
    for (int i = 0; i < g->shape->n_layer; i++)
        add_layer(l, &g->w.layer[i]);
    return l;
}

static struct gpu_choice *choice_of(const struct gpu_act *act,
                                    const struct gpu_alike *p)
{
    int n_row = 0;
    for (int i = 0; i < p->n; i++)
        n_row += p->w[i]->n_row;
    return gpu_matmul_choice(act, p->w[0]->type, n_row, p->w[0]->n_col);
}

/* ---- the file ------------------------------------------------------------------- */

static void choose_best(struct gpu_choice *c)
{
    for (int k = 0; k < GPU_CLASSES; k++) {
        int best = gpu_matmul_first(c->type, gpu_matmul_class_rows(k));
        for (int i = 0; i < GPU_INSTANCES; i++)
            if (c->us[k][i] > 0 &&
                !(c->us[k][best] > 0 && c->us[k][best] <= c->us[k][i]))
                best = i;
        c->best[k] = best;
    }
}

static void print_choice(struct buf *b, const struct gpu_choice *c)
{
    for (int k = 0; k < GPU_CLASSES; k++) {
        if (!(c->us[k][c->best[k]] > 0)) continue;
        buf_print(b, "%s %d %d %d", quant_info(c->type)->name, c->n_row,
                  c->n_col, gpu_matmul_class_rows(k));
        for (int i = 0; i < GPU_INSTANCES; i++)
            if (c->us[k][i] > 0)
                buf_print(b, " %s=%.2f", gpu_matmul_instance[i].name,
                          (double)c->us[k][i]);
        buf_print(b, "\n");
    }
}

static int type_of(const char *name)
{
    for (int t = 0; t <= QUANT_NVFP4; t++)
        if (gpu_matmul_knows((enum quant_type)t) &&
            !strcmp(quant_info((enum quant_type)t)->name, name))
            return t;
    return -1;
}

/* "NAME=MICROSECONDS ..." of a class. */
static void read_times(char *text, float us[GPU_INSTANCES])
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value++ = '\0';
        for (int i = 0; i < GPU_INSTANCES; i++)
            if (!strcmp(gpu_matmul_instance[i].name, word))
                us[i] = strtof(value, NULL);
    }
}

static void read_line(const struct gpu_act *act, char *line)
{
    char name[32];
    int n_row, n_col, n = 0, at = 0;
    if (sscanf(line, "%31s %d %d %d%n", name, &n_row, &n_col, &n, &at) < 4 ||
        type_of(name) < 0 || n != gpu_matmul_class_rows(gpu_matmul_class(n)))
        return;
    struct gpu_choice *c =
        gpu_matmul_choice(act, (enum quant_type)type_of(name), n_row, n_col);
    if (c) read_times(line + at, c->us[gpu_matmul_class(n)]);
}

/* What the file has to begin with: card, driver, kernels. */
static const char *title_of(struct gpu_device *g, struct arena *arena,
                            struct err *err)
{
    const char *ptx = gpu_ptx_text();
    return arena_text(arena, "%s %s, kernels %.16s\n", format,
                      gpu_driver_title(g->driver, arena, err),
                      hash_bytes(span_of(ptx ? ptx : "")).hex);
}

/* The name has the shapes as well: no model writes another's file. */
static const char *path_of(const struct gpu_act *act, const char *folder,
                           const char *title, struct arena *arena)
{
    struct buf b = buf_limit(FILE_MOST);
    if (!folder || !*folder) return NULL;
    buf_add_text(&b, title);
    for (const struct gpu_choice *c = act->choices; c; c = c->next)
        buf_print(&b, "%s %d %d\n", quant_info(c->type)->name, c->n_row,
                  c->n_col);
    const char *path =
        arena_text(arena, "%s/%.24s.gpu", folder, hash_bytes(buf_span(&b)).hex);
    buf_free(&b);
    return path;
}

static void load(const struct gpu_act *act, const char *folder,
                 const char *path, const char *title, struct arena *arena)
{
    struct err quiet = {0};
    char *rest = NULL;
    if (!path || !own_folder_is(folder)) return;
    struct span text = file_map_read(path, FILE_MOST, arena, &quiet);
    if (err_failed(&quiet) || !span_starts(text, title)) return;
    char *copy = arena_copy(arena, text) + strlen(title);
    for (char *line = strtok_r(copy, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        read_line(act, line);
}

static void store(const struct gpu_act *act, const char *folder,
                  const char *path, const char *title)
{
    struct err quiet = {0}; /* measured again next time */
    struct buf text = buf_limit(FILE_MOST);
    if (!path) return;
    buf_add_text(&text, title);
    for (const struct gpu_choice *c = act->choices; c; c = c->next)
        print_choice(&text, c);
    own_folder_make(folder, &quiet);
    if (!err_failed(&quiet) && !text.full)
        atomic_file_write(path, buf_span(&text), &quiet);
    buf_free(&text);
}

/* ---- measuring ------------------------------------------------------------------ */

struct stopwatch {
    struct gpu_device *g;
    struct gpu_choice *shape;
    int n; /* products of this shape */
    struct gpu_alike *of[PRODUCTS];
    float *x, *y; /* on the device: activations, results */
    bool refused[QUANT_NVFP4 + 1][GPU_INSTANCES], known[QUANT_NVFP4 + 1];
    struct err *err;
};

static void multiply(const struct stopwatch *b, const struct gpu_alike *w,
                     int instance, int n)
{
    gpu_matmul_by(b->g->driver, &b->g->buffers.act, w, instance, b->x, n,
                  b->err);
}

/* Whether each instance has the first one's bits, once for each type; the driver may
 * load them now. */
static void compare_bits(struct stopwatch *b)
{
    struct weight w = *b->of[0]->w[0];
    const struct gpu_alike few = {1, {&w}, {b->y}};
    if (b->known[w.type] || err_failed(b->err)) return;
    if (w.n_row > FEW_ROWS) w.n_row = FEW_ROWS;
    size_t size = (size_t)FEW * (size_t)w.n_row * sizeof(float);
    char *want = mem_alloc(size, 2), *got = want + size;
    b->known[w.type] = true;
    multiply(b, &few, gpu_matmul_first(w.type, FEW), FEW);
    gpu_driver_get(b->g->driver, want, b->y, size, b->err);
    for (int i = 0; i < GPU_INSTANCES && !err_failed(b->err); i++) {
        if (!gpu_matmul_serves(i, w.type)) continue;
        gpu_driver_clear(b->g->driver, b->y, size, b->err);
        multiply(b, &few, i, FEW);
        gpu_driver_get(b->g->driver, got, b->y, size, b->err);
        if (err_failed(b->err) || !memcmp(got, want, size)) continue;
        b->refused[w.type][i] = true;
        log_warn("%s: %s of %s is not used: its bits differ",
                 gpu_driver_name(b->g->driver), gpu_matmul_instance[i].name,
                 quant_info(w.type)->name);
    }
    mem_free(want);
}

/* Microseconds of a launch: of one for each layer, in turn. */
static float time_of(const struct stopwatch *b, int instance, int n)
{
    int layers = n > SLOW_CLASS ? 1 : b->n;
    int launches = n > SLOW_CLASS ? 2 : layers > LAUNCHES ? layers : LAUNCHES;
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        gpu_driver_time_begin(b->g->driver, b->err);
        for (int i = 0; i < launches; i++)
            multiply(b, b->of[i % layers], instance, n);
        double us = gpu_driver_time_end(b->g->driver, b->err) / launches;
        if (round == 0 || us < best) best = us;
    }
    return (float)best;
}

/* Is it worth a try? An instance for one activation reads the weights once for
 * each. */
static bool worth(const struct stopwatch *b, int instance, int n)
{
    const struct gpu_instance *i = &gpu_matmul_instance[instance];
    if (b->refused[b->shape->type][instance] ||
        !gpu_matmul_serves(instance, b->shape->type))
        return false;
    if (i->family == GPU_DIRECT)
        return n <= GPU_DIRECT_MOST && n <= 4 * i->tokens;
    return n > 1 || i->family == GPU_FLOAT;
}

/* The most activations that are measured: no more than a pass has. */
static int most_rows(const struct gpu_device *g, const struct gpu_choice *c)
{
    int most = gpu_matmul_class_rows(GPU_CLASSES - 1);
    if (c->n_row == g->shape->n_vocab) return GPU_HEAD_ROWS;
    return g->base.n_row_max < most ? g->base.n_row_max : most;
}

/* Has class k no time yet, but could have? */
static bool lacks(const struct gpu_choice *c, int k, int most)
{
    bool none = gpu_matmul_class_rows(k) <= most;
    for (int i = 0; i < GPU_INSTANCES; i++)
        none &= !(c->us[k][i] > 0);
    return none;
}

static void fill_rows(const struct stopwatch *b, int n, int n_col)
{
    size_t size = (size_t)n * (size_t)n_col;
    float *x = mem_alloc(size, sizeof *x);
    for (size_t i = 0; i < size; i++)
        x[i] = (float)((uint32_t)i * 2654435761u >> 8) / 8388608.0f - 1.0f;
    gpu_driver_upload(b->g->driver, b->x, x, size * sizeof *x, b->err);
    gpu_matmul_round(b->g->driver, &b->g->buffers.act, b->of[0]->w[0], b->x, n,
                     b->err);
    mem_free(x);
}

/* A shape: each class that lacks its times by all instances. */
static void measure(struct stopwatch *b, int most)
{
    struct gpu_choice *c = b->shape;
    compare_bits(b);
    for (int k = 0; k < GPU_CLASSES; k++) {
        int n = gpu_matmul_class_rows(k);
        bool wanted = lacks(c, k, most);
        for (int i = 0; i < GPU_INSTANCES && wanted && !err_failed(b->err); i++)
            if (worth(b, i, n)) c->us[k][i] = time_of(b, i, n);
    }
}

/* The results of a product lie one behind the other. */
static void place_results(const struct stopwatch *b, int n)
{
    for (int i = 0; i < b->n; i++) {
        float *at = b->y;
        for (int k = 0; k < b->of[i]->n; k++) {
            b->of[i]->y[k] = at;
            at += (size_t)n * (size_t)b->of[i]->w[k]->n_row;
        }
    }
}

/* The same where there is memory; else the first instances serve. */
static void measure_in_memory(struct stopwatch *b)
{
    struct err quiet = {0};
    struct gpu_driver *g = b->g->driver;
    int most = most_rows(b->g, b->shape), rows = most > FEW ? most : FEW;
    size_t row = (size_t)rows * sizeof(float);
    b->x = gpu_driver_alloc(g, row * (size_t)b->shape->n_col, &quiet);
    b->y = gpu_driver_alloc(g, row * (size_t)b->shape->n_row, &quiet);
    if (!err_failed(&quiet)) {
        place_results(b, rows);
        fill_rows(b, rows, b->shape->n_col);
        measure(b, most);
    }
    gpu_driver_free(g, b->y);
    gpu_driver_free(g, b->x);
}

/* All that is lacking; was there any? */
static bool measure_all(struct gpu_device *g, struct product_list *list,
                        struct err *err)
{
    struct stopwatch *b = mem_alloc(1, sizeof *b);
    bool any = false;
    *b = (struct stopwatch){.g = g, .err = err};
    for (struct gpu_choice *c = g->buffers.act.choices; c; c = c->next) {
        bool lacking = false;
        for (int k = 0; k < GPU_CLASSES; k++)
            lacking |= lacks(c, k, most_rows(g, c));
        if (!lacking || err_failed(err)) continue;
        if (!any)
            log_note("%s: timing its kernels for this model, once",
                     gpu_driver_name(g->driver));
        any = true;
        b->shape = c;
        b->n = 0;
        for (int i = 0; i < list->n; i++)
            if (choice_of(&g->buffers.act, &list->at[i]) == c)
                b->of[b->n++] = &list->at[i];
        measure_in_memory(b);
    }
    mem_free(b);
    return any;
}

/* A choice for each shape, of no times yet. */
static void begin_choices(struct gpu_device *g, const struct product_list *list)
{
    struct gpu_choice **end = &g->buffers.act.choices;
    for (int i = 0; i < list->n; i++) {
        const struct gpu_alike *p = &list->at[i];
        if (choice_of(&g->buffers.act, p)) continue;
        *end = arena_alloc(g->arena, sizeof **end);
        (*end)->type = p->w[0]->type;
        (*end)->n_col = p->w[0]->n_col;
        for (int k = 0; k < p->n; k++)
            (*end)->n_row += p->w[k]->n_row;
        end = &(*end)->next;
    }
}

void gpu_choice_make(struct gpu_device *g, const char *folder, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    const struct gpu_act *act = &g->buffers.act;
    struct product_list *list = list_products(g, arena);
    begin_choices(g, list);
    const char *title = title_of(g, arena, err);
    const char *path = path_of(act, folder, title, arena);
    load(act, folder, path, title, arena);
    bool news = measure_all(g, list, err);
    for (struct gpu_choice *c = act->choices; c; c = c->next)
        choose_best(c);
    if (news && !err_failed(err)) store(act, folder, path, title);
    arena_free(arena);
}

/* ---- for doctor ----------------------------------------------------------------- */

const char *gpu_choice_text(const struct gpu_device *g)
{
    struct buf b = buf_limit(FILE_MOST);
    for (const struct gpu_choice *c = g->buffers.act.choices; c; c = c->next) {
        buf_print(&b, "%s%s %d x %d", b.size ? "\n" : "",
                  quant_info(c->type)->name, c->n_row, c->n_col);
        for (int k = 0; k < GPU_CLASSES; k++)
            if (c->us[k][c->best[k]] > 0)
                buf_print(&b, "%s %d: %s %.1f us", k ? "," : ":",
                          gpu_matmul_class_rows(k),
                          gpu_matmul_instance[c->best[k]].name,
                          (double)c->us[k][c->best[k]]);
    }
    const char *text = arena_copy(g->arena, buf_span(&b));
    buf_free(&b);
    return text;
}
