/* onnx_model.c - see onnx_model.h. */
#include "stages/children/ocr/onnx_model.h"

#ifdef PLATEN_ONNXRUNTIME

#    include <onnxruntime_c_api.h>
#    include <string.h>

#    include "vlm/base/arena.h"

struct onnx_runtime {
    const OrtApi *api;
    OrtEnv *env;
    OrtAllocator *allocator;
    OrtMemoryInfo *memory;
};

struct onnx_model {
    const struct onnx_runtime *r;
    OrtSession *session;
    char *input, *output; /* names, of the allocator */
};

/* Releases a status; false if it was an error. */
static bool went_well(const struct onnx_runtime *r, OrtStatus *status)
{
    if (status) r->api->ReleaseStatus(status);
    return !status;
}

const char *onnx_model_library(void)
{
    return OrtGetApiBase()->GetVersionString();
}

struct onnx_runtime *onnx_model_prepare(void)
{
    struct onnx_runtime *r = mem_alloc(1, sizeof *r);
    r->api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    bool well =
        r->api &&
        went_well(r, r->api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "", &r->env)) &&
        went_well(r, r->api->DisableTelemetryEvents(r->env)) &&
        went_well(r, r->api->GetAllocatorWithDefaultOptions(&r->allocator)) &&
        went_well(r, r->api->CreateCpuMemoryInfo(
                         OrtArenaAllocator, OrtMemTypeDefault, &r->memory));
    if (well) return r;
    mem_free(r);
    return NULL;
}

/* One thread, as the sandbox allows no more; no plans of memory, of which each
 * length of a line would get one. */
static bool set_options(const OrtApi *api, const struct onnx_runtime *r,
                        OrtSessionOptions *o)
{
    return went_well(r, api->SetIntraOpNumThreads(o, 1)) &&
           went_well(r, api->SetInterOpNumThreads(o, 1)) &&
           went_well(r, api->DisableMemPattern(o));
}

/* Whether the model has one input and one output; finds their names. */
static bool find_ends(struct onnx_model *m)
{
    const OrtApi *api = m->r->api;
    size_t n_in = 0, n_out = 0;
    return went_well(m->r, api->SessionGetInputCount(m->session, &n_in)) &&
           went_well(m->r, api->SessionGetOutputCount(m->session, &n_out)) &&
           n_in == 1 && n_out == 1 &&
           went_well(m->r, api->SessionGetInputName(
                               m->session, 0, m->r->allocator, &m->input)) &&
           went_well(m->r, api->SessionGetOutputName(
                               m->session, 0, m->r->allocator, &m->output));
}

struct onnx_model *onnx_model_open(const struct onnx_runtime *r,
                                   const void *data, size_t size)
{
    OrtSessionOptions *options = NULL;
    if (!r || !went_well(r, r->api->CreateSessionOptions(&options)))
        return NULL;
    struct onnx_model *m = mem_alloc(1, sizeof *m);
    m->r = r;
    bool well = set_options(r->api, r, options) &&
                went_well(r, r->api->CreateSessionFromArray(
                                 r->env, data, size, options, &m->session)) &&
                find_ends(m);
    r->api->ReleaseSessionOptions(options);
    if (well) return m;
    onnx_model_close(m);
    return NULL;
}

void onnx_model_close(struct onnx_model *m)
{
    if (!m) return;
    char *const name[] = {m->input, m->output};
    for (size_t i = 0; i < 2; i++)
        if (name[i])
            went_well(m->r, m->r->api->AllocatorFree(m->r->allocator, name[i]));
    if (m->session) m->r->api->ReleaseSession(m->session);
    mem_free(m);
}

char *onnx_model_text(const struct onnx_model *m, const char *key)
{
    const OrtApi *api = m->r->api;
    OrtModelMetadata *all = NULL;
    char *found = NULL, *text = NULL;
    if (!went_well(m->r, api->SessionGetModelMetadata(m->session, &all)))
        return NULL;
    if (went_well(m->r, api->ModelMetadataLookupCustomMetadataMap(
                            all, m->r->allocator, key, &found)) &&
        found) {
        size_t size = strlen(found) + 1;
        text = mem_alloc(size, 1);
        memcpy(text, found, size);
        went_well(m->r, api->AllocatorFree(m->r->allocator, found));
    }
    api->ReleaseModelMetadata(all);
    return text;
}

/* Copies a result, if it is an array of floats of at most ONNX_RANK_MAX
 * dimensions. */
static bool copy_result(const struct onnx_runtime *r, OrtValue *value,
                        struct onnx_array *out)
{
    OrtTensorTypeAndShapeInfo *shape = NULL;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    size_t rank = 0, n = 0;
    void *data = NULL;
    if (!went_well(r, r->api->GetTensorTypeAndShape(value, &shape)))
        return false;
    bool well = went_well(r, r->api->GetTensorElementType(shape, &type)) &&
                type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT &&
                went_well(r, r->api->GetDimensionsCount(shape, &rank)) &&
                rank <= ONNX_RANK_MAX &&
                went_well(r, r->api->GetDimensions(shape, out->size, rank)) &&
                went_well(r, r->api->GetTensorShapeElementCount(shape, &n)) &&
                n > 0 && n <= ONNX_OUTPUT_MAX &&
                went_well(r, r->api->GetTensorMutableData(value, &data));
    r->api->ReleaseTensorTypeAndShapeInfo(shape);
    if (!well) return false;
    out->rank = (int)rank;
    out->value = mem_alloc(n, sizeof *out->value);
    memcpy(out->value, data, n * sizeof *out->value);
    return true;
}

bool onnx_model_run(struct onnx_model *m, const struct onnx_array *in,
                    struct onnx_array *out)
{
    const OrtApi *api = m->r->api;
    OrtValue *given = NULL, *got = NULL;
    size_t n = 1;
    *out = (struct onnx_array){.rank = 0};
    for (int i = 0; i < in->rank; i++)
        n *= (size_t)in->size[i];
    bool well =
        went_well(m->r, api->CreateTensorWithDataAsOrtValue(
                            m->r->memory, in->value, n * sizeof *in->value,
                            in->size, (size_t)in->rank,
                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &given)) &&
        went_well(m->r,
                  api->Run(m->session, NULL, (const char *const[]){m->input},
                           (const OrtValue *const[]){given}, 1,
                           (const char *const[]){m->output}, 1, &got)) &&
        copy_result(m->r, got, out);
    if (got) api->ReleaseValue(got);
    if (given) api->ReleaseValue(given);
    return well;
}

#else

const char *onnx_model_library(void)
{
    return NULL;
}

struct onnx_runtime *onnx_model_prepare(void)
{
    return NULL;
}

struct onnx_model *onnx_model_open(const struct onnx_runtime *r,
                                   const void *data, size_t size)
{
    (void)r;
    (void)data;
    (void)size;
    return NULL;
}

void onnx_model_close(struct onnx_model *m)
{
    (void)m;
}

char *onnx_model_text(const struct onnx_model *m, const char *key)
{
    (void)m;
    (void)key;
    return NULL;
}

bool onnx_model_run(struct onnx_model *m, const struct onnx_array *in,
                    struct onnx_array *out)
{
    (void)m;
    (void)in;
    *out = (struct onnx_array){.rank = 0};
    return false;
}

#endif
