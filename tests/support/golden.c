/* golden.c - see golden.h. */
#include "tests/support/golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "vlm/json/json.h"

void golden_take(void *arg, const float *logits, int n_row)
{
    struct golden_rows *r = arg;
    size_t row = (size_t)r->n_vocab * sizeof *r->row;
    while (r->n + n_row > r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->row = mem_grow(r->row, (size_t)r->room, row);
    }
    memcpy(r->row + (size_t)r->n * (size_t)r->n_vocab, logits,
           (size_t)n_row * row);
    r->n += n_row;
}

void golden_drop(struct golden_rows *rows)
{
    mem_free(rows->row);
    *rows = (struct golden_rows){.n_vocab = rows->n_vocab};
}

static void *file(const char *folder, const char *name, const char *end,
                  size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder, name, end);
    return test_read(path, size);
}

static double number(const cJSON *o, const char *key, double otherwise)
{
    const cJSON *n = o ? json_get(o, key) : NULL;
    return n ? n->valuedouble : otherwise;
}

struct golden golden_read(const char *folder, const char *name)
{
    struct golden g = {0};
    struct err err = {0};
    size_t size;
    snprintf(g.model, sizeof g.model, "%s%s.gguf", folder, name);
    char *text = file(folder, name, ".json", &size);
    cJSON *info = json_parse((struct span){text, size}, &err);
    test_ok(&err);
    const cJSON *t = json_get(info, "tolerance");
    const cJSON *f32 = json_get(t, "f32_activations_f32_cache");
    g.max_f32 = number(f32, "max_abs", 0);
    g.rows_above = (int)number(f32, "rows_allowed_above", 0);
    g.max_f16 = number(json_get(t, "f32_activations_f16_cache"), "max_abs", 0);
    const cJSON *q8 = json_get(t, "q8_activations");
    g.mean_q8 = number(q8, "mean_abs", g.max_f16);
    g.cosine_q8 = number(q8, "median_row_cosine", 0.99999);
    g.n_vocab = (int)number(info, "vocab", 0);
    g.n_greedy = (int)number(info, "greedy_tokens", 0);
    cJSON_Delete(info);
    test_give(text);
    g.token = file(folder, name, ".tokens.i32", &size);
    g.n_token = (int)(size / sizeof *g.token);
    g.logits = file(folder, name, ".logits.f32", &size);
    assert_int_equal(size, (size_t)g.n_token * (size_t)g.n_vocab * 4);
    return g;
}

void golden_free(struct golden *g)
{
    test_give(g->token);
    test_give(g->logits);
}

struct vlm *golden_open(const char *model, const char *mmproj,
                        void (*set)(struct vlm_options *o))
{
    struct err err = {0};
    struct vlm_options o = {
        .model = model, .mmproj = mmproj, .n_ctx = 256, .n_thread = 1};
    if (set) set(&o);
    struct vlm *v = vlm_open(&o, &err);
    test_ok(&err);
    return v;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct golden_difference golden_compare(const float *got, const float *want,
                                        int n, int n_vocab, double most)
{
    struct golden_difference d = {0};
    double *cosine = calloc((size_t)n, sizeof *cosine);
    assert_non_null(cosine);
    for (int i = 0; i < n; i++) {
        double worst = 0, gw = 0, gg = 0, ww = 0;
        for (int v = 0; v < n_vocab; v++) {
            double g = (double)got[(size_t)i * (size_t)n_vocab + (size_t)v];
            double w = (double)want[(size_t)i * (size_t)n_vocab + (size_t)v];
            assert_true(isfinite(g));
            worst = fmax(worst, fabs(g - w));
            d.mean += fabs(g - w);
            gw += g * w;
            gg += g * g;
            ww += w * w;
        }
        d.max = fmax(d.max, worst);
        d.above += worst > most;
        cosine[i] = gw / sqrt(gg * ww + 1e-60);
    }
    d.mean /= (double)n * n_vocab;
    qsort(cosine, (size_t)n, sizeof *cosine, ascending);
    d.cosine = cosine[n / 2];
    free(cosine);
    return d;
}
