/* model_info.c - see model_info.h. */
#include "pipeline/models/model_info.h"

#include <stdio.h>
#include <string.h>

#include "vlm/model/gguf.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/text/tokenizer.h"

enum { N_TYPE = 64 };

static const double MIB = 1024.0 * 1024.0;

static void print_shape(const struct gguf *g, struct err *err)
{
    struct shape *s = mem_alloc(1, sizeof *s);
    shape_read(g, s, err);
    if (!err_failed(err)) {
        int n_attend = 0;
        for (int i = 0; i < s->n_layer; i++)
            n_attend += s->attends[i];
        printf("layers        %d (%d attention, %d delta rule)%s\n", s->n_layer,
               n_attend, s->n_layer - n_attend,
               s->n_draft ? ", and a draft layer (MTP)" : "");
        printf("width         %d\n", s->n_embd);
        printf("context       %d\n", s->n_ctx_train);
        printf("attention     %d heads of %d, %d of keys, %d rotated\n",
               s->n_head, s->n_embd_head, s->n_head_kv, s->n_rot);
        printf("delta rule    %d key heads, %d value heads of %d\n", s->n_gdn_k,
               s->n_gdn_v, s->gdn_dim);
        if (s->n_expert)
            printf("experts       %d of %d, %d used, shared %d\n", s->n_expert,
                   s->n_ff_expert, s->n_expert_used, s->n_ff_shared);
        else
            printf("feed-forward  %d\n", s->n_ff);
        printf("vocabulary    %d rows\n", s->n_vocab);
    }
    mem_free(s);
}

static void print_vision_shape(const struct gguf *g, struct err *err)
{
    struct vision_shape s;
    shape_read_vision(g, &s, err);
    if (err_failed(err)) return;
    printf("vision        %d blocks, width %d, %d heads, feed-forward %d\n",
           s.n_layer, s.n_embd, s.n_head, s.n_ff);
    printf("rows          %d wide, one for %d x %d px\n", s.n_out,
           s.patch_size * s.merge_size, s.patch_size * s.merge_size);
    printf("pixels        %lld to %lld\n", (long long)s.min_pixels,
           (long long)s.max_pixels);
}

static void print_types(const struct gguf *g)
{
    int count[N_TYPE] = {0};
    size_t bytes[N_TYPE] = {0}, all = 0;
    for (int i = 0; i < gguf_n_tensor(g); i++) {
        const struct gguf_tensor *t = gguf_tensor(g, i);
        if ((int)t->type >= N_TYPE) continue;
        count[t->type]++;
        bytes[t->type] += t->size_bytes;
        all += t->size_bytes;
    }
    printf("tensors       %d, %.1f MiB\n", gguf_n_tensor(g), (double)all / MIB);
    for (int i = 0; i < N_TYPE; i++)
        if (count[i])
            printf("  %-11s %5d %10.1f MiB\n", quant_info((uint32_t)i)->name,
                   count[i], (double)bytes[i] / MIB);
}

static void print_tokenizer(const struct gguf *g, struct err *err)
{
    struct tokenizer *t = tokenizer_open(g, err);
    if (err_failed(err)) return;
    int n[8] = {0};
    for (int i = 0; i < tokenizer_size(t); i++)
        n[tokenizer_type(t, i) & 7]++;
    printf("tokenizer     qwen35: %d normal, %d control, %d user-defined, %d "
           "unused\n",
           n[TOKEN_NORMAL], n[TOKEN_CONTROL], n[TOKEN_USER_DEFINED],
           n[TOKEN_UNUSED]);
    tokenizer_close(t);
}

/* Fails for tensors that are missing, misshapen or unused. */
static void check_tensors(const struct gguf *g, bool vision, struct err *err)
{
    struct arena *arena = arena_new();
    if (vision) {
        struct vision_shape s;
        struct vision_weights w;
        shape_read_vision(g, &s, err);
        weights_read_vision(g, &s, arena, &w, err);
    } else {
        struct shape *s = arena_alloc(arena, sizeof *s);
        struct weights w;
        shape_read(g, s, err);
        weights_read(g, s, arena, &w, err);
    }
    arena_free(arena);
}

void model_info(const char *path, struct err *err)
{
    if (err_failed(err)) return;
    struct gguf *g = gguf_open(path, err);
    if (err_failed(err)) return;
    struct span name = gguf_string(g, "general.name", err);
    struct span arch = gguf_string(g, "general.architecture", err);
    printf("file          %s\n", path);
    if (name.size) printf("name          %.*s\n", (int)name.size, name.data);
    printf("architecture  %.*s\n", (int)arch.size, arch.data);
    bool vision = span_equal(arch, span_of("clip"));
    if (vision) {
        print_vision_shape(g, err);
    } else {
        print_shape(g, err);
        print_tokenizer(g, err);
    }
    if (!err_failed(err)) {
        print_types(g);
        check_tensors(g, vision, err);
        struct hash h = gguf_hash(g, err);
        if (!err_failed(err)) printf("sha256        %s\n", h.hex);
    }
    gguf_close(g);
}
