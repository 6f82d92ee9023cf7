/* convert.c - see convert.h. */
#include "vlm/convert/convert.h"

#include <string.h>

#include "vlm/base/cpu.h"
#include "vlm/base/pool.h"
#include "vlm/convert/convert_tensor.h"
#include "vlm/convert/hf_tokenizer.h"
#include "vlm/convert/imatrix.h"
#include "vlm/convert/metadata.h"
#include "vlm/convert/type_mix.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/text/tokenizer.h"

struct conversion {
    const struct convert_options *o;
    const struct type_mix *mix;
    struct checkpoint *checkpoint;
    struct hf_config config;
    struct imatrix *imatrix;
    struct pool *pool;
    struct arena *arena;
};

/* --- test of the written files -------------------------------------------- */

static void test_model_file(const struct gguf *g, struct arena *arena,
                            struct err *err)
{
    struct shape shape;
    struct weights weights;
    shape_read(g, &shape, err);
    if (!err_failed(err)) weights_read(g, &shape, arena, &weights, err);
    tokenizer_close(tokenizer_open(g, err));
}

static void test_vision_file(const struct gguf *g, struct arena *arena,
                             struct err *err)
{
    struct vision_shape shape;
    struct vision_weights weights;
    shape_read_vision(g, &shape, err);
    if (!err_failed(err)) weights_read_vision(g, &shape, arena, &weights, err);
}

/* Detects a config.json that does not match the tensors. */
static void test_file(const char *path, bool vision, struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct gguf *g = gguf_open(path, err);
    if (!err_failed(err) && vision)
        test_vision_file(g, arena, err);
    else if (!err_failed(err))
        test_model_file(g, arena, err);
    err_context(err, "the converted model cannot be loaded");
    gguf_close(g);
    arena_free(arena);
}

/* --- one file -------------------------------------------------------------- */

static void write_facts(struct conversion *c, struct gguf_writer *w,
                        bool vision, struct err *err)
{
    if (vision) {
        metadata_vision(w, &c->config, type_mix_vision_file_type(c->mix));
        return;
    }
    struct arena *scratch = arena_new();
    metadata_text(w, &c->config, c->mix->file_type);
    hf_tokenizer_write(w, c->checkpoint, &c->config, scratch, err);
    arena_free(scratch);
}

static void write_tensors(struct conversion *c, struct gguf_writer *w,
                          const struct tensor_plan *p, bool vision,
                          struct err *err)
{
    struct convert_job job = {
        .plan = p, .writer = w, .pool = c->pool, .imatrix = c->imatrix};
    for (int i = 0; i < p->n && !err_failed(err); i++)
        convert_tensor_row(&job, &p->tensor[i],
                           type_mix_type(c->mix, p, &p->tensor[i], vision));
    gguf_write_begin(w, err);
    for (int i = 0; i < p->n && !err_failed(err); i++) {
        if (c->o->tell) c->o->tell(c->o->tell_arg, p->tensor[i].name, i, p->n);
        convert_tensor(&job, &p->tensor[i],
                       type_mix_type(c->mix, p, &p->tensor[i], vision), err);
    }
}

static void write_file(struct conversion *c, const char *path, bool vision,
                       struct err *err)
{
    if (err_failed(err)) return;
    struct tensor_plan p =
        tensor_plan_make(c->checkpoint, &c->config, vision, c->arena, err);
    struct gguf_writer *w = gguf_write_new(path);
    if (!err_failed(err)) write_facts(c, w, vision, err);
    if (!err_failed(err)) write_tensors(c, w, &p, vision, err);
    gguf_write_flush(w, err);
    test_file(gguf_write_path(w), vision, err);
    gguf_write_end(w, err);
}

/* --- both ------------------------------------------------------------------ */

/* "DIR/NAME.gguf": "DIR/mmproj-NAME.gguf". */
static const char *vision_path(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    return arena_text(arena, "%.*smmproj-%s", folder, path, path + folder);
}

static void open_all(struct conversion *c, struct err *err)
{
    int n_thread = c->o->n_thread ? c->o->n_thread : cpu_count();
    c->mix = type_mix_find(c->o->type);
    if (!c->mix)
        err_set(err, ERR_ARGS, "--type %.40s: not one of %s", c->o->type,
                type_mix_names);
    c->checkpoint = checkpoint_open(c->o->folder, err);
    hf_config_read(c->checkpoint, &c->config, c->arena, err);
    if (c->o->imatrix) c->imatrix = imatrix_open(c->o->imatrix, err);
    if (!err_failed(err)) c->pool = pool_new(n_thread, err);
}

const char *convert_run(const struct convert_options *o, struct arena *arena,
                        struct err *err)
{
    if (err_failed(err)) return NULL;
    struct conversion c = {.o = o, .arena = arena_new()};
    const char *vision = NULL;
    open_all(&c, err);
    if (!err_failed(err) && c.config.has_vision)
        vision = vision_path(o->out, arena);
    write_file(&c, o->out, false, err);
    if (vision) write_file(&c, vision, true, err);
    pool_free(c.pool);
    imatrix_close(c.imatrix);
    hf_config_free(&c.config);
    checkpoint_close(c.checkpoint);
    arena_free(c.arena);
    return err_failed(err) ? NULL : vision;
}
