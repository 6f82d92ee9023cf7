/* tensor_plan.h - the tensors of a model file, and the source of their values.
 *
 * Names and layouts of a checkpoint become those of GGUF (MODEL.md, "The
 * container and its tensors"): norms are increased by one, A_log becomes
 * -e^A_log, value heads go from grouped to tiled order, fused experts are
 * split, single experts are stacked, the patch kernel is split into its two
 * frames.
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
    int layer;                       /* -1: not in a block */
    int n_dim;
    int64_t ne[4]; /* sizes, the fastest first */
    int64_t n_row, n_col;
    struct hf_matrix *part; /* [n_part] stacked, with equal numbers of rows */
    int n_part;
    enum tensor_plan_rows rows;
    enum tensor_plan_cols cols;
    enum tensor_plan_value value;
    int64_t kept; /* ROWS_HEADS: rows before the value heads; ROWS_GATES,
                   * ROWS_UPS: rows of one expert */
    int64_t unit; /* rows or columns of a head; pixels of a patch */
};

struct tensor_plan {
    struct planned_tensor *tensor; /* in file order */
    int n;
    const struct hf_config *config;
};

/* Plans the tensors of the text model or of the vision file, in the arena.
 * FAIL: ERR_UNSUPPORTED for a name unknown in this family, ERR_CONFIG for
 * missing or misshapen tensors. */
struct tensor_plan tensor_plan_make(const struct checkpoint *c,
                                    const struct hf_config *f, bool vision,
                                    struct arena *arena, struct err *err);

/* Reads rows first .. first + n - 1 of a planned tensor to out[n, n_col]. */
void tensor_plan_rows(const struct tensor_plan *p,
                      const struct planned_tensor *t, int64_t first, int64_t n,
                      float *out, struct err *err);

/* The same for a tensor of which all parts are HF_NVFP4: codes, and scales per
 * 16 columns, without the parts' factors. */
void tensor_plan_codes(const struct tensor_plan *p,
                       const struct planned_tensor *t, int64_t first, int64_t n,
                       uint8_t *code, uint8_t *scale, struct err *err);

/* Are all its parts NVFP4, in an order that preserves the groups of 16? */
bool tensor_plan_is_nvfp4(const struct planned_tensor *t);

enum tensor_plan_shape {
    SHAPE_AS_IS,   /* the sizes of the checkpoint, reversed */
    SHAPE_VECTOR,  /* one size: all values */
    SHAPE_CONV,    /* [channels, 1, taps] */
    SHAPE_PATCH,   /* [width, 3, 2, patch, patch]: one of the two frames */
    SHAPE_EXPERTS, /* [experts, rows, columns] */
    SHAPE_GATE_UP  /* the same, with gates and ups as rows */
};

struct tensor_plan_name {
    const char *from, *to;
    enum tensor_plan_shape shape;
    enum tensor_plan_rows rows;
    enum tensor_plan_cols cols;
    enum tensor_plan_value value;
    int unit;      /* rows or columns of a head: 1; 0: the head size */
    bool keeps_qk; /* rows of queries and keys come first */
};

/* Destination of a tensor of the checkpoint. */
struct tensor_plan_place {
    /* NULL: none; the second one is used if a tensor is split in two */
    const struct tensor_plan_name *name[2];
    bool vision;
    int layer;  /* -1: not in a block */
    int expert; /* -1: none, or all of them in one tensor */
};

/* Finds a tensor's destination; false for a name unknown in this family. */
bool tensor_plan_names_find(const char *name, int n_layer,
                            struct tensor_plan_place *place);

#endif
