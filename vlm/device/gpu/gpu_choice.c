/* gpu_choice.c - see gpu_choice.h. */
#include "vlm/device/gpu/gpu_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vlm/base/arena.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/buf.h"
#include "vlm/base/file_map.h"
#include "vlm/base/fnv.h"
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

/* Weights of one shape, in all layers. */
struct shape_weights {
    int n;
    const struct weight *w[2 * SHAPE_LAYER_MAX];
};

struct shape_list {
    int n;
    struct shape_weights at[GPU_SHAPES];
};

static void add_weight(struct shape_list *l, const struct weight *w)
{
    int i = 0;
    if (!w->raw || !gpu_matmul_has_instances(w->type)) return;
    while (i < l->n && (l->at[i].w[0]->type != w->type ||
                        l->at[i].w[0]->n_row != w->n_row ||
                        l->at[i].w[0]->n_col != w->n_col))
        i++;
    if (i == GPU_SHAPES) return; /* has the first instances */
    l->n += i == l->n;
    if (l->at[i].n < 2 * SHAPE_LAYER_MAX) l->at[i].w[l->at[i].n++] = w;
}

static void add_layer(struct shape_list *l, const struct layer *w)
{
    const struct attention_weights *a = &w->attention;
    const struct gdn_weights *d = &w->gdn;
    const struct weight *const attends[] = {&a->q, &a->k, &a->v, &a->out};
    const struct weight *const delta[] = {&d->qkv, &d->z, &d->alpha, &d->beta,
                                          &d->out};
    const struct weight *const feeds[] = {&w->ffn.gate, &w->ffn.up,
                                          &w->ffn.down};
    for (size_t i = 0; w->attends && i < sizeof attends / sizeof *attends; i++)
        add_weight(l, attends[i]);
    for (size_t i = 0; !w->attends && i < sizeof delta / sizeof *delta; i++)
        add_weight(l, delta[i]);
    for (size_t i = 0; i < sizeof feeds / sizeof *feeds; i++)
        add_weight(l, feeds[i]);
}

static struct shape_list *list_shapes(const struct gpu_device *g,
                                      struct arena *arena)
{
    struct shape_list *l = arena_alloc(arena, sizeof *l);
    add_weight(l, &g->w.head);
    for (int i = 0; i < g->shape->n_layer; i++)
        add_layer(l, &g->w.layer[i]);
    return l;
}

/* ---- the file ------------------------------------------------------------------- */

static void choose_best(struct gpu_choice *c)
{
    for (int k = 0; k < GPU_CLASSES; k++) {
        bool few = gpu_matmul_class_rows(k) <= GPU_DIRECT_MOST;
        int best =
            few ? GPU_INSTANCE_direct_r16t8w1 : GPU_INSTANCE_product_r64t64;
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
        if (gpu_matmul_has_instances((enum quant_type)t) &&
            !strcmp(quant_info((enum quant_type)t)->name, name))
            return t;
    return -1;
}

static struct gpu_choice *find_choice(struct gpu_choices *c,
                                      const struct weight *w)
{
    for (int i = 0; i < c->n; i++)
        if (c->at[i].type == w->type && c->at[i].n_row == w->n_row &&
            c->at[i].n_col == w->n_col)
            return &c->at[i];
    if (c->n == GPU_SHAPES) return NULL;
    c->at[c->n] = (struct gpu_choice){
        .type = w->type, .n_row = w->n_row, .n_col = w->n_col};
    return &c->at[c->n++];
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

static void read_line(struct gpu_choices *c, char *line)
{
    char type[32];
    struct weight w = {0};
    int n = 0, at = 0;
    if (sscanf(line, "%31s %d %d %d%n", type, &w.n_row, &w.n_col, &n, &at) <
            4 ||
        type_of(type) < 0 || n != gpu_matmul_class_rows(gpu_matmul_class(n)))
        return;
    w.type = (enum quant_type)type_of(type);
    struct gpu_choice *found = find_choice(c, &w);
    if (found) read_times(line + at, found->us[gpu_matmul_class(n)]);
}

/* What the file has to begin with: card, driver, kernels. */
static const char *title_of(struct gpu_device *g, struct arena *arena,
                            struct err *err)
{
    const char *ptx = gpu_ptx_text();
    uint64_t program =
        fnv_bytes(FNV_START, ptx ? ptx : "", ptx ? strlen(ptx) : 0);
    return arena_text(arena, "%s %s, kernels %016llx\n", format,
                      gpu_driver_title(g->driver, arena, err),
                      (unsigned long long)program);
}

static const char *path_of(const char *folder, const char *title,
                           struct arena *arena)
{
    if (!folder || !*folder) return NULL;
    struct hash name = hash_bytes(span_of(title));
    return arena_text(arena, "%s/%.24s.gpu", folder, name.hex);
}

static void load(struct gpu_choices *c, const char *folder, const char *path,
                 const char *title, struct arena *arena)
{
    struct err quiet = {0};
    char *rest = NULL;
    if (!path || !own_folder_is(folder)) return;
    struct span text = file_map_read(path, FILE_MOST, arena, &quiet);
    if (err_failed(&quiet) || strncmp(text.data, title, strlen(title)) != 0)
        return;
    char *copy = arena_text(arena, "%s", text.data + strlen(title));
    for (char *line = strtok_r(copy, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        read_line(c, line);
    for (int i = 0; i < c->n; i++)
        choose_best(&c->at[i]);
}

static void store(const struct gpu_choices *c, const char *folder,
                  const char *path, const char *title)
{
    struct err quiet = {0}; /* measured again next time */
    struct buf text = buf_limit(FILE_MOST);
    if (!path) return;
    buf_add_text(&text, title);
    for (int i = 0; i < c->n; i++)
        print_choice(&text, &c->at[i]);
    own_folder_make(folder, &quiet);
    if (!err_failed(&quiet) && !text.full)
        atomic_file_write(path, buf_span(&text), &quiet);
    buf_free(&text);
}

/* ---- measuring ------------------------------------------------------------------ */

struct stopwatch {
    struct gpu_device *g;
    const struct shape_weights *of;
    float *x, *y; /* on the device: activations, results */
    bool refused[QUANT_NVFP4 + 1][GPU_INSTANCES], known[QUANT_NVFP4 + 1];
    struct err *err;
};

static void multiply(const struct stopwatch *b, const struct weight *w,
                     int instance, int n)
{
    gpu_matmul_by(b->g->driver, &b->g->buffers.act, w, instance, n, b->y,
                  b->err);
}

/* Whether each instance has the first one's bits, once for each type. */
static void compare_bits(struct stopwatch *b)
{
    struct weight w = *b->of->w[0];
    if (b->known[w.type] || err_failed(b->err)) return;
    if (w.n_row > FEW_ROWS) w.n_row = FEW_ROWS;
    size_t size = (size_t)FEW * (size_t)w.n_row * sizeof(float);
    char *want = mem_alloc(size, 2), *got = want + size;
    b->known[w.type] = true;
    multiply(b, &w, GPU_INSTANCE_direct_r16t8w1, FEW);
    gpu_driver_get(b->g->driver, want, b->y, size, b->err);
    for (int i = 0; i < GPU_INSTANCES && !err_failed(b->err); i++) {
        gpu_driver_clear(b->g->driver, b->y, size, b->err);
        multiply(b, &w, i, FEW);
        gpu_driver_get(b->g->driver, got, b->y, size, b->err);
        if (err_failed(b->err) || !memcmp(got, want, size)) continue;
        b->refused[w.type][i] = true;
        log_warn("%s: %s of %s is not used: its bits differ",
                 gpu_driver_name(b->g->driver), gpu_matmul_instance[i].name,
                 quant_info(w.type)->name);
    }
    mem_free(want);
}

/* Microseconds of a launch: of one for the weight of each layer, in turn. */
static float time_of(const struct stopwatch *b, int instance, int n)
{
    int layers = n > SLOW_CLASS ? 1 : b->of->n;
    int launches = n > SLOW_CLASS ? 2 : layers > LAUNCHES ? layers : LAUNCHES;
    double best = 0;
    multiply(b, b->of->w[0], instance, n); /* the driver may load it now */
    for (int round = 0; round < ROUNDS; round++) {
        gpu_driver_time_begin(b->g->driver, b->err);
        for (int i = 0; i < launches; i++)
            multiply(b, b->of->w[i % layers], instance, n);
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
    if (b->refused[b->of->w[0]->type][instance]) return false;
    return i->direct ? n <= GPU_DIRECT_MOST && n <= 4 * i->tokens : n > 1;
}

/* The most activations that are measured: no more than a pass has. */
static int most_rows(const struct stopwatch *b)
{
    bool head = b->of->w[0]->n_row == b->g->shape->n_vocab;
    int most = gpu_matmul_class_rows(GPU_CLASSES - 1);
    if (head) return GPU_HEAD_ROWS;
    return b->g->base.n_row_max < most ? b->g->base.n_row_max : most;
}

static void fill_rows(const struct stopwatch *b, int n, int n_col)
{
    size_t size = (size_t)n * (size_t)n_col;
    float *x = mem_alloc(size, sizeof *x);
    for (size_t i = 0; i < size; i++)
        x[i] = (float)((uint32_t)i * 2654435761u >> 8) / 8388608.0f - 1.0f;
    gpu_driver_upload(b->g->driver, b->x, x, size * sizeof *x, b->err);
    gpu_matmul_round(b->g->driver, &b->g->buffers.act, b->of->w[0], b->x, n,
                     b->err);
    mem_free(x);
}

/* A shape: all classes by all instances. */
static void measure(struct stopwatch *b, struct gpu_choice *c, int most)
{
    fill_rows(b, most, c->n_col);
    compare_bits(b);
    for (int k = 0; k < GPU_CLASSES; k++)
        for (int i = 0; i < GPU_INSTANCES && !err_failed(b->err); i++) {
            int n = gpu_matmul_class_rows(k);
            if (n <= most && worth(b, i, n)) c->us[k][i] = time_of(b, i, n);
        }
}

/* The same where there is memory; else the first instances serve. */
static void measure_in_memory(struct stopwatch *b, struct gpu_choice *c)
{
    struct err quiet = {0};
    int most = most_rows(b);
    size_t row = (size_t)most * sizeof(float);
    if (most >= FEW) {
        b->x = gpu_driver_alloc(b->g->driver, row * (size_t)c->n_col, &quiet);
        b->y = gpu_driver_alloc(b->g->driver, row * (size_t)c->n_row, &quiet);
        if (!err_failed(&quiet)) measure(b, c, most);
        gpu_driver_free(b->g->driver, b->y);
        gpu_driver_free(b->g->driver, b->x);
    }
    choose_best(c);
}

/* Those without a choice; their number. */
static int measure_all(struct gpu_device *g, const struct shape_list *shapes,
                       struct gpu_choices *into, struct err *err)
{
    struct stopwatch *b = mem_alloc(1, sizeof *b);
    int n = 0, before = into->n;
    *b = (struct stopwatch){.g = g, .err = err};
    for (int i = 0; i < shapes->n && !err_failed(err); i++) {
        b->of = &shapes->at[i];
        struct gpu_choice *c = find_choice(into, b->of->w[0]);
        if (!c || c < into->at + before) continue;
        if (n++ == 0)
            log_note("%s: timing its kernels for this model, once",
                     gpu_driver_name(g->driver));
        measure_in_memory(b, c);
    }
    mem_free(b);
    return n;
}

void gpu_choice_make(struct gpu_device *g, const char *folder,
                     struct gpu_choices *into, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    const char *title = title_of(g, arena, err);
    const char *path = path_of(folder, title, arena);
    if (!err_failed(err)) {
        load(into, folder, path, title, arena);
        if (measure_all(g, list_shapes(g, arena), into, err) &&
            !err_failed(err))
            store(into, folder, path, title);
    }
    if (!err_failed(err)) g->buffers.act.choices = into;
    arena_free(arena);
}

/* ---- for doctor ----------------------------------------------------------------- */

const char *gpu_choice_text(const struct gpu_device *g)
{
    struct buf b = buf_limit(FILE_MOST);
    struct arena *arena = arena_new();
    const struct shape_list *shapes = list_shapes(g, arena);
    for (int s = 0; s < shapes->n; s++) {
        const struct gpu_choice *at =
            gpu_matmul_choice(&g->choices, shapes->at[s].w[0]);
        if (!at) continue;
        buf_print(&b, "%s%s %d x %d", b.size ? "\n" : "",
                  quant_info(at->type)->name, at->n_row, at->n_col);
        for (int k = 0; k < GPU_CLASSES; k++)
            if (at->us[k][at->best[k]] > 0)
                buf_print(&b, "%s %d: %s %.1f us", k ? "," : ":",
                          gpu_matmul_class_rows(k),
                          gpu_matmul_instance[at->best[k]].name,
                          (double)at->us[k][at->best[k]]);
    }
    const char *text = arena_copy(g->arena, buf_span(&b));
    buf_free(&b);
    arena_free(arena);
    return text;
}
