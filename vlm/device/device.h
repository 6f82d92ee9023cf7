/* device.h - the seam between a sequence and what computes it.
 *
 * Above it (vlm_*.c) are tokens, positions, grammars and the choice; below it
 * is a device: an open model where it is computed, with the weights, what each
 * sequence remembers, and the arithmetic. Today there is one, the processor
 * that this runs on (vlm/device/cpu). Nothing here says that a device's memory is the
 * host's: what lies on a device is named by a handle; what a caller gives or
 * gets as an array lies in host memory.
 *
 *     tokens, positions ──forward──▶ the rows of the pass ──head──▶ logits
 *     picture ──look──▶ rows ──────────┘ (kept until the next pass; the last
 *                                         row of each sequence for ever)
 *
 * Example: three words are guessed to follow a sequence. One run of the last
 * token and the three goes forward; head of the pass's rows 0 to 3 says what
 * the model would have written after each; the state goes back to a mark, and
 * the words that agree are read again (or nothing is, if all four did).
 *
 * EXACT    A row's bits depend on its sequence alone: not on the other runs of
 *          a pass, nor on the number of threads. A sequence may be cut into
 *          runs at multiples of `chunk` tokens without changing a bit, and a
 *          run of at most `steps` tokens anywhere.
 * MEMORY   open takes everything that a pass needs, state_new everything that
 *          a sequence does; a mark takes its copy at its first use, look the
 *          rows that it returns and, the first time, scratch for that size.
 * THREADS  One call at a time for a device.
 * ERRORS   Every call that may fail does nothing after an earlier failure. A
 *          device that is lost fails with ERR_SYSTEM, "engine-error".
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
    DEVICE_RUN_MAX = 256, /* sequences in a pass */
    DEVICE_POINT_MAX = 64 /* marks of a sequence */
};

enum device_kv { DEVICE_KV_F16, DEVICE_KV_Q8, DEVICE_KV_F32 };

/* What is to be computed; borrowed, and outlives the device. */
struct device_model {
    const struct shape *shape;
    const struct weights *weights;
    const struct vision_shape *vision_shape;
    const struct vision_weights *vision_weights; /* NULL: text only */
};

struct device_options {
    int n_ctx;         /* tokens of a sequence; a GPU takes 0 for a good one */
    int n_ubatch;      /* rows of a pass, unless n_run_max is more */
    int n_run_max;     /* sequences in a pass, at most DEVICE_RUN_MAX */
    int n_thread;      /* of the host */
    unsigned features; /* enum cpu_feature that may be used */
    enum device_kv kv; /* how keys and values are kept */
    bool exact;        /* F32 activations on quantised weights */
    bool fast_vision;  /* pictures in 8 or 16 bits, unless exact */
    int ordinal;       /* which one, of several devices of a kind */
    const struct gpu_cuda *cuda; /* the driver of such; NULL: this machine's */
    bool trusted; /* not held against the processor before its first use */

    /* Told of the rows x[n, n_col] that meet the weight at `raw` (in the mapped
     * file) in a product, the head's apart; or NULL. */
    void (*product)(void *arg, const void *raw, const float *x, int n,
                    int n_col);
    void *product_arg;
};

/* Bytes, for `platen model plan`. */
struct device_memory {
    size_t kv, recurrent; /* of one sequence */
    size_t compute;       /* scratch of a pass */
    size_t vision;        /* scratch and rows of the largest picture */

    /* Of a device with memory of its own (else 0): what is free there, besides the
     * weights and the scratch of a pass, which are taken. */
    size_t left;
};

/* The first fields of what a device keeps; the rest is its own. */
struct device {
    const struct device_api *api;
    const char *label; /* as a record names it: "cpu", "cuda:0 NVIDIA GB10" */
    int n_row_max;     /* rows of a pass */
    int n_run_max;
    int n_ctx;        /* tokens of a sequence */
    int n_embd;       /* numbers of a row */
    int chunk, steps; /* where a sequence may be cut, see EXACT */
    int n_thread;
    bool guesses; /* device_guess may be called */
    bool is_far;  /* of a pass only those rows are there that a run asked for
                   * (n_asked), of `steps` tokens at most */

    /* Called by look between parts of its work, or NULL: passes may go forward
     * in it, so that a picture holds up nobody. */
    void (*between)(void *arg);
    void *between_arg;
};

struct device_state { /* what a sequence remembers */
    struct device *device;
    int n_past; /* tokens read */
};

struct device_rows { /* a picture as the text model reads it */
    struct device *device;
    int n_y, n_x; /* rows of the merged grid, one after the other */
};

struct device_head {
    int layer, head;
};

/* Where some heads look from tokens `from` .. n - 1 of a run, among n_key tokens
 * of the sequence from `first` on (a picture's rows, as a rule): weight[n - from,
 * n_head, n_key], the part of the softmax over all keys that falls on each; 0
 * for keys behind a token. A head of a layer without attention looks nowhere:
 * all 0. */
struct device_attention {
    const struct device_head *head;
    int n_head;
    int from;
    int first, n_key;
    float *weight;
};

/* n tokens of one sequence in a pass. */
struct device_run {
    struct device_state *state;
    int n;
    const int32_t *token;      /* [n]; not read where a picture's row stands */
    const struct position *at; /* [n] */

    /* Rows picture_first .. + n_picture - 1 of `picture` stand at tokens
     * picture_at .. + n_picture - 1 of the run. */
    const struct device_rows *picture; /* NULL: only tokens */
    int picture_first, picture_at, n_picture;

    /* So many rows before its last one will be predicted from, as rows of this
     * pass: a device that is far away brings them along. */
    int n_asked;

    const struct device_attention *attention; /* NULL: not asked */

    int left_out; /* of the layers, the one (from 1) that adds nothing; 0: none */
};

/* A place that something is predicted from: the last token that a state has
 * read, or, where state is NULL, row `row` of the latest pass (runs in order).
 * A state's last row goes back with a rewind. */
struct device_place {
    const struct device_state *state;
    int row;
};

/* A token that may follow what a state has read and `ahead` more that were given
 * before it, one by one. */
struct device_guess {
    struct device_state *state;
    int ahead;
    int32_t token;
    struct position at;
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

    struct device_rows *(*look)(struct device *d, const struct image *image,
                                struct err *err);
    struct device_rows *(*rows_new)(struct device *d, const float *rows,
                                    int n_y, int n_x, struct err *err);
    void (*rows_read)(const struct device_rows *r, float *out, struct err *err);
    void (*rows_free)(struct device_rows *r);

    void (*forward)(struct device *d, const struct device_run *run, int n_run,
                    struct err *err);
    void (*head)(struct device *d, const struct device_place *place, int n,
                 float *logits, struct err *err);
    void (*head_rows)(struct device *d, const struct device_place *place, int n,
                      const int32_t *pick, int n_pick, float *logits,
                      struct err *err);
    void (*guess)(const struct device_guess *g, const int32_t *pick, int n_pick,
                  float *logits, struct err *err); /* NULL: never guesses */
    bool (*lost)(const struct device *d);          /* NULL: never */
};

/* Opens a model on the device behind `api` (cpu_device_api). FAIL: ERR_SYSTEM
 * when memory or threads cannot be had. */
struct device *device_open(const struct device_api *api,
                           const struct device_model *model,
                           const struct device_options *options,
                           struct err *err);
void device_close(struct device *d); /* NULL is fine; states and rows first */

/* Has it failed so that only opening it anew may help? */
bool device_lost(const struct device *d);

/* max_pixels: area of the largest picture that will be shown. */
struct device_memory device_memory(const struct device *d, int64_t max_pixels);

/* An empty sequence. FAIL: ERR_SYSTEM when there is no memory for it. */
struct device_state *device_state_new(struct device *d, struct err *err);
void device_state_free(struct device_state *s);  /* NULL is fine */
void device_state_clear(struct device_state *s); /* forgets points as well */

/* `to` becomes a copy of `from` without its points; both of one device. */
void device_state_copy(struct device_state *to, const struct device_state *from,
                       struct err *err);

/* Remembers the present under a number below DEVICE_POINT_MAX, and goes back
 * to it; points behind the one gone back to are forgotten. FAIL: ERR_ARGS for
 * a number out of range or not marked. */
void device_mark(struct device_state *s, int point, struct err *err);
void device_rewind(struct device_state *s, int point, struct err *err);

/* Rows of a picture (RGB or grey) whose sides are multiples of the patch grid.
 * FAIL: ERR_ARGS for other sides or a model without eyes; ERR_SYSTEM when
 * there is no memory. */
struct device_rows *device_encode_image(struct device *d,
                                        const struct image *image,
                                        struct err *err);
/* The same from rows[n_y * n_x, n_embd] made elsewhere; and back to the host. */
struct device_rows *device_rows_new(struct device *d, const float *rows,
                                    int n_y, int n_x, struct err *err);
void device_rows_read(const struct device_rows *r, float *out, struct err *err);
void device_rows_free(struct device_rows *r); /* NULL is fine */

/* Reads the runs' tokens, at most n_row_max in all, and moves each state on.
 * Contexts must hold them (the caller has looked). */
void device_forward(struct device *d, const struct device_run *run, int n_run,
                    struct err *err);

/* logits[n, n_vocab] of n places, at most n_row_max; or only some rows of the
 * head: logits[n, n_pick]. The bits are the same both ways. */
void device_head(struct device *d, const struct device_place *place, int n,
                 float *logits, struct err *err);
void device_head_rows(struct device *d, const struct device_place *place, int n,
                      const int32_t *pick, int n_pick, float *logits,
                      struct err *err);

/* What the model's own block of multi-token prediction says behind a token, as
 * logits[n_pick] of some rows of the head (none: it only goes on). Good for
 * guesses alone. The state is as it was, and must have read something; the next
 * call may be for the token that follows, with `ahead` one more. */
void device_guess(const struct device_guess *guess, const int32_t *pick,
                  int n_pick, float *logits, struct err *err);

#endif
