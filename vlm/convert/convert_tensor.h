/* convert_tensor.h - one tensor: read in pieces, rounded, written. */
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

/* Its row of the directory; for NVFP4 also that of its factor, X.scale. */
void convert_tensor_row(const struct convert_job *job,
                        const struct planned_tensor *t, enum quant_type type);

/* Its bytes. FAIL: ERR_CONFIG for a value that is no number, or none of F16;
 * otherwise as tensor_plan_rows and gguf_write_bytes. */
void convert_tensor(const struct convert_job *job,
                    const struct planned_tensor *t, enum quant_type type,
                    struct err *err);

#endif
