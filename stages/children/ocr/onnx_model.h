/* onnx_model.h - a network in the ONNX format, run by ONNX Runtime: one input
 * and one output, both of floats. The only user of the library; without it
 * (Debian 12) no model opens.
 */
#ifndef STAGES_CHILDREN_OCR_ONNX_MODEL_H
#define STAGES_CHILDREN_OCR_ONNX_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct onnx_model;
struct onnx_runtime; /* what all models of a process share */

enum { ONNX_RANK_MAX = 4, ONNX_OUTPUT_MAX = 1 << 28 /* floats */ };

/* Floats of a shape, whose sizes are above 0. */
struct onnx_array {
    float *value; /* owned by the caller: mem_free */
    int64_t size[ONNX_RANK_MAX];
    int rank;
};

/* The version of ONNX Runtime; NULL: not built in. */
const char *onnx_model_library(void);

/* Starts ONNX Runtime for the rest of the process. It looks at the machine's
 * processor, which a sandbox forbids: call it before, once. NULL: not
 * available. */
struct onnx_runtime *onnx_model_prepare(void);

/* Opens a model in memory. NULL if it is none, or without a runtime. */
struct onnx_model *onnx_model_open(const struct onnx_runtime *runtime,
                                   const void *data, size_t size);
void onnx_model_close(struct onnx_model *m); /* NULL is fine */

/* A text of the model's metadata, which the caller frees with mem_free; NULL:
 * none. */
char *onnx_model_text(const struct onnx_model *m, const char *key);

/* Runs the model. The caller frees out->value. False, with an empty output, if
 * it does not take such an input, or its output is no array of floats. */
bool onnx_model_run(struct onnx_model *m, const struct onnx_array *in,
                    struct onnx_array *out);

#endif
