/* tensor_plan.h - which tensors a model file gets, and where their values come from.
 *
 * Names and layouts of a checkpoint become those of GGUF (MODEL.md, "The
 * container and its tensors"): norms grow by one, A_log becomes -e^A_log, value
 * heads go from grouped to tiled order, the fused experts are split, single
 * experts are stacked, the patch kernel is split by its two frames.
 */
#ifndef VLM_CONVERT_TENSOR_PLAN_H
#define VLM_CONVERT_TENSOR_PLAN_H

#include "vlm/convert/hf_config.h"
#include "vlm/convert/hf_matrix.h"

enum tensor_plan_rows { ROWS_PLAIN, ROWS_HEADS, ROWS_GATES, ROWS_UPS };

enum tensor_plan_cols { COLS_PLAIN, COLS_HEADS, COLS_FRAME_0, COLS_FRAME_1 };

enum tensor_plan_value { VALUE_PLAIN, VALUE_PLUS_ONE, VALUE_MINUS_EXP };

enum { TENSOR_PLAN_NAME_MAX = 64 };

struct planned_tensor {
    char name[TENSOR_PLAN_NAME_MAX]; /* in the GGUF */
    int layer;                       /* -1: of no block */
    int n_dim;
    int64_t ne[4]; /* the fastest first */
    int64_t n_row, n_col;
    struct hf_matrix *part; /* [n_part]: stacked, with as many rows each */
    int n_part, room_part;
    enum tensor_plan_rows rows;
    enum tensor_plan_cols cols;
    enum tensor_plan_value value;
    int64_t kept; /* ROWS_HEADS: rows before the value heads; of gates and
                   * ups: rows of one expert */
    int64_t unit; /* rows or columns of a head; pixels of a patch */
};

struct tensor_plan {
    struct planned_tensor *tensor; /* in the order of the file */
    int n;
    const struct hf_config *config;
};

/* The text model's tensors, or those of the vision file; in the arena. FAIL:
 * ERR_UNSUPPORTED for a name that is none of the family's, ERR_CONFIG for
 * what is missing or misshapen. */
struct tensor_plan tensor_plan_make(const struct checkpoint *c,
                                    const struct hf_config *f, bool vision,
                                    struct arena *arena, struct err *err);

/* out[n, n_col] of rows first .. first + n - 1 of a planned tensor. */
void tensor_plan_rows(const struct tensor_plan *p,
                      const struct planned_tensor *t, int64_t first, int64_t n,
                      float *out, struct err *err);

/* The same of one whose parts are all HF_NVFP4: codes, and scales of 16
 * columns, without the factors of its parts. */
void tensor_plan_codes(const struct tensor_plan *p,
                       const struct planned_tensor *t, int64_t first, int64_t n,
                       uint8_t *code, uint8_t *scale, struct err *err);

/* Are all its values NVFP4 already, in an order that keeps its groups? */
bool tensor_plan_is_nvfp4(const struct planned_tensor *t);

enum tensor_plan_shape {
    SHAPE_AS_IS,   /* the sizes of the checkpoint, the other way round */
    SHAPE_VECTOR,  /* one size: all values */
    SHAPE_CONV,    /* [channels, 1, taps] */
    SHAPE_PATCH,   /* [width, 3, 2, patch, patch], one of two frames */
    SHAPE_EXPERTS, /* [experts, rows, columns] */
    SHAPE_GATE_UP  /* the same with gates and ups in it */
};

struct tensor_plan_name {
    const char *from, *to;
    enum tensor_plan_shape shape;
    enum tensor_plan_rows rows;
    enum tensor_plan_cols cols;
    enum tensor_plan_value value;
    int unit;      /* of heads: 1, or 0 for the size of a head */
    bool keeps_qk; /* the rows of queries and keys stand before */
};

/* Where a tensor of the checkpoint goes. */
struct tensor_plan_place {
    const struct tensor_plan_name
        *name[2]; /* NULL: nowhere; the second one where a
                                      * tensor is taken apart in two */
    bool vision;
    int layer;  /* -1: of no block */
    int expert; /* -1: of none, or all of them in one */
};

/* False for a name that is none of the family's. */
bool tensor_plan_names_find(const char *name, int n_layer,
                            struct tensor_plan_place *place);

#endif
