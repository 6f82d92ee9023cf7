/* convert_tensor.h - conversion of one tensor: read in pieces, quantised,
 * written. */
#ifndef VLM_CONVERT_CONVERT_TENSOR_H
#define VLM_CONVERT_CONVERT_TENSOR_H

#include "vlm/base/pool.h"
#include "vlm/convert/gguf_write.h"
#include "vlm/convert/imatrix.h"
#include "vlm/convert/tensor_plan.h"

struct convert_job {
    const struct tensor_plan *plan;
    struct gguf_writer *writer;
    struct pool *pool;
    const struct imatrix *imatrix; /* or NULL */
};

/* Adds its row to the directory, and for NVFP4 one for its factors, X.scale. */
void convert_tensor_row(const struct convert_job *job,
                        const struct planned_tensor *t, enum quant_type type);

/* Writes its bytes. FAIL: ERR_CONFIG for a value that is not finite or too
 * large for F16; otherwise as tensor_plan_rows and gguf_write_bytes. */
void convert_tensor(const struct convert_job *job,
                    const struct planned_tensor *t, enum quant_type type,
                    struct err *err);

#endif
