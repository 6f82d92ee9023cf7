/* device.h - the interface between a sequence and the device that computes it.
 *
 * The caller (vlm_*.c) has tokens, positions, grammars and the sampler. A
 * device is an open model where it is computed: its weights, the state of each
 * sequence, and the arithmetic. The devices are the CPU (vlm/device/cpu), an
 * NVIDIA GPU (vlm/device/gpu) and a model server (vlm/model_server). A device's
 * memory need not be the host's: data on a device is named by a handle; arrays
 * passed or returned are in host memory.
 *
 *     tokens, positions ──forward──▶ the rows of the pass ──head──▶ logits
 *     image ──encode_image──▶ rows ────┘ (valid until the next pass; each
 *                                         sequence's last row: always)
 *
 * Example: three tokens are drafted after a sequence. One run of the last token
 * and these three goes forward; head of the pass's rows 0 to 3 gives the
 * predictions after each; the state is rewound to a checkpoint, and the
 * accepted tokens are evaluated again (unless all of them were accepted).
 *
 * EXACT    A row's bits depend on its sequence alone: not on the other runs of
 *          a pass, nor on the number of threads. A sequence can be cut into
 *          runs at multiples of `chunk` tokens without changing a bit, and a
 *          run of at most `steps` tokens anywhere.
 * MEMORY   open allocates everything that a pass needs, state_new everything
 *          that a sequence needs; mark allocates its copy at its first use,
 *          encode_image its rows and, the first time, scratch for that size.
 * THREADS  One call at a time per device.
 * ERRORS   Every call that can fail is a no-op after an earlier failure. A lost
 *          device fails with ERR_SYSTEM, "engine-error".
 */
#ifndef VLM_DEVICE_DEVICE_H
#define VLM_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vlm/base/err.h"
#include "vlm/base/image.h"
#include "vlm/base/position.h"

struct shape;
struct weights;
struct vision_shape;
struct vision_weights;
struct gpu_cuda;

enum {
    DEVICE_RUN_MAX = 256,  /* sequences in a pass */
    DEVICE_POINT_MAX = 64, /* checkpoints of a sequence */
    DEVICE_GUESS_MAX = 32  /* sequences of a device_guess */
};

enum device_kv { DEVICE_KV_F16, DEVICE_KV_Q8, DEVICE_KV_F32 };

/* The model; borrowed, must outlive the device. */
struct device_model {
    const struct shape *shape;
    const struct weights *weights;
    const struct vision_shape *vision_shape;
    const struct vision_weights *vision_weights; /* NULL: text only */
};

struct device_options {
    int n_ctx;         /* tokens per sequence; 0: automatic (GPU only) */
    int n_ubatch;      /* rows per pass, if more than n_run_max */
    int n_run_max;     /* sequences in a pass, at most DEVICE_RUN_MAX */
    int n_thread;      /* host threads */
    unsigned features; /* enum cpu_feature bits to use */
    unsigned slow;     /* those not to use for products with weights */
    enum device_kv kv; /* format of keys and values */
    bool exact;        /* F32 activations on quantised weights */
    bool fast_vision;  /* image encoder in 8 or 16 bits, unless exact */
    bool fast_prompt;  /* prompts in BF16 tiles, if the CPU has them, unless
                        * exact; a GPU and a server ignore it */
    int ordinal;       /* number among devices of a kind */
    const struct gpu_cuda *cuda; /* GPU driver; NULL: the system's */
    const char *timings; /* folder where times of a GPU's kernels are kept
                          * (gpu_choice.h); NULL: none */
    bool trusted; /* skip the comparison with the CPU before first use, and the
                   * timing of kernels */

    /* Called with the input rows x[n, n_col] of each product with the weight at
     * `raw` (in the mapped file), except the head's; or NULL. */
    void (*product)(void *arg, const void *raw, const float *x, int n,
                    int n_col);
    void *product_arg;
};

/* Bytes, for `platen model plan`. */
struct device_memory {
    size_t kv, recurrent; /* per sequence */
    size_t compute;       /* scratch of a pass */
    size_t vision;        /* scratch and rows of the largest image */

    /* Free memory of a device with its own memory (else 0), with the weights
     * and the scratch of a pass already allocated. */
    size_t left;
};

/* The public part of a device; the implementation's fields follow. */
struct device {
    const struct device_api *api;
    const char *label;   /* name in records: "cpu avx512", "cpu avx512+amx" with
                        * prompts in tiles, "cuda:0 NVIDIA GB10" */
    const char *kernels; /* which a GPU's products use, a line for each shape,
                          * or NULL */
    int n_row_max;       /* maximum rows per pass */
    int n_run_max;
    int n_ctx;        /* maximum tokens per sequence */
    int n_embd;       /* values per row */
    int chunk, steps; /* where a sequence can be cut, see EXACT */
    int n_thread;
    bool guesses;   /* device_guess is supported */
    int n_together; /* answers that share passes now; 0 or 1: one. Set by the
                     * caller, or by a model server's reply */
    bool is_remote; /* a pass returns only the rows that a run requests
                     * (n_asked), of at most `steps` tokens */

    /* Called by encode_image between parts of its work, or NULL: it can run
     * passes, so that an image delays no other sequence. */
    void (*between)(void *arg);
    void *between_arg;
};

struct device_state { /* the state of a sequence */
    struct device *device;
    int n_past; /* tokens evaluated */
};

struct device_rows { /* an image as rows of the text model */
    struct device *device;
    int n_y, n_x; /* size of the merged grid, row by row */
};

/* n tokens of one sequence in a pass. */
struct device_run {
    struct device_state *state;
    int n;
    const int32_t *token;      /* [n]; ignored for rows of an image */
    const struct position *at; /* [n] */

    /* Rows picture_first .. + n_picture - 1 of `picture` are tokens picture_at
     * .. + n_picture - 1 of the run. */
    const struct device_rows *picture; /* NULL: only text */
    int picture_first, picture_at, n_picture;

    /* Number of rows at the end that will be predicted from as rows of this
     * pass: a remote device returns their logits with it. */
    int n_asked;

    int left_out; /* layer to leave out, from 1; 0: none */

    bool prompt; /* tokens of a prompt, for which fast_prompt holds; the others
                  * are those of an answer */
};

/* A row to predict from: the last token of a state, or, if state is NULL, row
 * `row` of the latest pass (runs in order). A rewind restores a state's last
 * row. */
struct device_place {
    const struct device_state *state;
    int row;
};

/* n drafted tokens after a state and `ahead` more tokens passed before them. */
struct device_guess {
    struct device_state *state;
    int ahead;
    int n;
    const int32_t *token;      /* [n] */
    const struct position *at; /* [n] */
};

struct device_api {
    const char *name; /* "cpu" */
    struct device *(*open)(const struct device_model *model,
                           const struct device_options *options,
                           struct err *err);
    void (*close)(struct device *d);
    struct device_memory (*memory)(const struct device *d, int64_t max_pixels);

    struct device_state *(*state_new)(struct device *d, struct err *err);
    void (*state_free)(struct device_state *s);
    void (*state_clear)(struct device_state *s);
    void (*state_copy)(struct device_state *to, const struct device_state *from,
                       struct err *err);
    void (*mark)(struct device_state *s, int point, struct err *err);
    void (*rewind)(struct device_state *s, int point, struct err *err);

    struct device_rows *(*encode_image)(struct device *d,
                                        const struct image *image,
                                        struct err *err);
    struct device_rows *(*rows_new)(struct device *d, const float *rows,
                                    int n_y, int n_x, struct err *err);
    void (*rows_read)(const struct device_rows *r, float *out, struct err *err);
    void (*rows_free)(struct device_rows *r);

    float *(*floats_new)(struct device *d, size_t n); /* NULL: of the heap */
    void (*floats_free)(struct device *d, float *at);

    void (*forward)(struct device *d, const struct device_run *run, int n_run,
                    struct err *err);
    void (*head)(struct device *d, const struct device_place *place, int n,
                 float *logits, struct err *err);
    void (*head_rows)(struct device *d, const struct device_place *place, int n,
                      const int32_t *pick, int n_pick, float *logits,
                      struct err *err);
    void (*guess)(struct device *d, const struct device_guess *guess, int n,
                  const int32_t *pick, int n_pick, float *logits,
                  struct err *err);       /* NULL: not supported */
    bool (*lost)(const struct device *d); /* NULL: cannot be lost */
    void (*detach)(struct device *d);     /* NULL: nothing to do */
    int (*renew)(struct device *d,
                 struct err *err); /* NULL: cannot be forked */
};

/* Opens a model on the device of `api` (such as cpu_device_api). FAIL:
 * ERR_SYSTEM, out of memory or threads. */
struct device *device_open(const struct device_api *api,
                           const struct device_model *model,
                           const struct device_options *options,
                           struct err *err);
void device_close(struct device *d); /* NULL is fine; free states and rows
                                      * first */

/* Has it failed in a way that only opening it again can repair? */
bool device_lost(const struct device *d);

/* For a process that opens a device and forks others to use it: detach gives up
 * a connection to a server; renew, in the forked process and before use, opens
 * one of its own, or starts threads of its own. It returns the descriptor of
 * the connection, -1: none. Sequences of a server are empty afterwards and have
 * no checkpoints; others are those of the parent. FAIL: ERR_UNSUPPORTED for a
 * device that cannot be used in a forked process; as remote_device_open. */
void device_detach(struct device *d);
int device_renew(struct device *d, struct err *err);

/* max_pixels: area of the largest image. */
struct device_memory device_memory(const struct device *d, int64_t max_pixels);

/* Opens an empty sequence. FAIL: ERR_SYSTEM, out of memory. */
struct device_state *device_state_new(struct device *d, struct err *err);
void device_state_free(struct device_state *s);  /* NULL is fine */
void device_state_clear(struct device_state *s); /* drops checkpoints too */

/* Makes `to` a copy of `from` without its checkpoints; both of one device. */
void device_state_copy(struct device_state *to, const struct device_state *from,
                       struct err *err);

/* Set checkpoint `point`, below DEVICE_POINT_MAX, and return to it; a rewind
 * drops later checkpoints. FAIL: ERR_ARGS for a number out of range or not
 * set. */
void device_mark(struct device_state *s, int point, struct err *err);
void device_rewind(struct device_state *s, int point, struct err *err);

/* Encodes an image (RGB or grey) whose sides are multiples of the patch grid.
 * FAIL: ERR_ARGS for other sides, or without a vision encoder; ERR_SYSTEM, out
 * of memory. */
struct device_rows *device_encode_image(struct device *d,
                                        const struct image *image,
                                        struct err *err);
/* The same from rows[n_y * n_x, n_embd] encoded elsewhere; and a copy back to
 * the host. */
struct device_rows *device_rows_new(struct device *d, const float *rows,
                                    int n_y, int n_x, struct err *err);
void device_rows_read(const struct device_rows *r, float *out, struct err *err);
void device_rows_free(struct device_rows *r); /* NULL is fine */

/* n numbers in the host's memory, into which this device copies fastest: for logits
 * that are read again and again. Never fails; free them before the device is closed. */
float *device_floats_new(struct device *d, size_t n);
void device_floats_free(struct device *d, float *at); /* NULL is fine */

/* Evaluates the runs' tokens, at most n_row_max in all, and advances each
 * state. The caller has checked that they fit their contexts. */
void device_forward(struct device *d, const struct device_run *run, int n_run,
                    struct err *err);

/* The logits[n, n_vocab] of n places, at most n_row_max; or of some rows of the
 * head: logits[n, n_pick]. Both have the same bits. */
void device_head(struct device *d, const struct device_place *place, int n,
                 float *logits, struct err *err);
void device_head_rows(struct device *d, const struct device_place *place, int n,
                      const int32_t *pick, int n_pick, float *logits,
                      struct err *err);

/* The logits[n, n_pick] of some rows of the head after the drafted tokens of n
 * sequences (at most DEVICE_GUESS_MAX and n_run_max, all different), by the
 * model's block of multi-token prediction. For drafts only. A state must not be
 * empty and does not change; until it does, the next call can be for the tokens
 * that follow, with `ahead` increased by this call's. */
void device_guess(struct device *d, const struct device_guess *guess, int n,
                  const int32_t *pick, int n_pick, float *logits,
                  struct err *err);

#endif
