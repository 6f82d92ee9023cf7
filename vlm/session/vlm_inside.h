/* vlm_inside.h - what vlm.c, vlm_session.c and vlm_generate.c share. */
#ifndef VLM_SESSION_VLM_INSIDE_H
#define VLM_SESSION_VLM_INSIDE_H

#include "vlm/device/device.h"
#include "vlm/model/shape.h"
#include "vlm/model/weights.h"
#include "vlm/vlm.h"

struct vector_ops;
struct pool;

enum {
    VLM_UBATCH = 512,       /* rows per pass */
    VLM_PENDING_MAX = 1024, /* tokens of a forced run evaluated at once */
    VLM_AHEAD_MAX = 16,     /* tokens of a pass with drafted tokens */
    VLM_POINTS_USUAL = 3,   /* checkpoints per session: after the prompt, after
                             * the pages, before a draft */
    VLM_POINT_AHEAD = DEVICE_POINT_MAX - 1, /* the checkpoint before a draft */
    VLM_WATCH_ROWS = 32                     /* rows of logits per callback */
};

struct vlm {
    struct arena *arena;
    struct vlm_options options;
    struct gguf *gguf, *mmproj, *mtp;
    struct shape *shape;
    struct weights weights;
    struct vision_shape vision_shape;
    struct vision_weights vision_weights;
    struct tokenizer *tokenizer;
    struct device *device;
    struct pool *pool; /* host threads for sampling beside a GPU; or NULL */
    const struct vector_ops *ops;         /* host's, for sampling */
    struct vocab_trie *trie;              /* created at first use */
    struct constraint_cache *constraints; /* idle constraints; created at first
                                           * use */
    struct vlm_info info;
    bool hashed;
    uint32_t *real; /* bit per token: set unless a padding row */
    int32_t vision_start, image_pad, vision_end;
    const struct gguf_tensor **by_address; /* sorted; only with
                                            * options.product */

    /* the current pass */
    struct position *at; /* [n_row_max] */
    struct device_run run[DEVICE_RUN_MAX];
    /* the current choice */
    float *logits;      /* [n_batch_max, n_vocab] */
    int32_t *picked;    /* [n_vocab] */
    uint32_t *dictated; /* bit per token: continues `dictated` */
};

struct vlm_session {
    struct vlm *v;
    struct device_state *state;
    int32_t n_pos; /* position of the next token; differs from n_past after
                    * images */
    int32_t point_pos[DEVICE_POINT_MAX];
    struct arena *scratch;            /* reset at every call */
    int32_t pending[VLM_PENDING_MAX]; /* chosen, not yet evaluated */
    int n_pending;
    int n_ahead;   /* tokens evaluated as a draft, not yet chosen */
    double read_s; /* evaluation time since the last answer */
    int n_read;    /* tokens evaluated since the last answer */
    struct vlm_spent spent;
    vlm_logits_fn *watch;
    void *watch_arg;
    float *watch_rows; /* [VLM_WATCH_ROWS, n_vocab] while watch is set */
    int left_out;      /* device_run's left_out */
};

/* Tokens of one sequence to evaluate; some can be rows of an image, from token
 * picture_at on. */
struct vlm_part {
    struct vlm_session *session;
    const int32_t *token; /* [n]; image_pad for the rows of an image */
    int n;
    const struct device_rows *picture; /* NULL: only text */
    int picture_at;
    bool prompt; /* fed, not generated */
    int done;    /* tokens evaluated so far */
};

/* Evaluates all parts completely, as many sequences per pass as fit. The caller
 * has checked that they fit their contexts. FAIL: as device_forward. */
void vlm_read(struct vlm *v, struct vlm_part *part, int n_part,
              struct err *err);

/* Evaluates the pending tokens. FAIL: as vlm_fits and vlm_read. */
void vlm_flush(struct vlm_session *s, struct err *err);

/* Do n more tokens fit? FAIL: ERR_LIMIT "context-full". */
bool vlm_fits(const struct vlm_session *s, int n, struct err *err);

/* Sorts the tensors by address for options.product; the callback that the
 * device calls for each product. (vlm_device.c) */
void vlm_device_product_open(struct vlm *v);
void vlm_device_product_report(void *arg, const void *raw, const float *x,
                               int n, int n_col);

/* Opens the device named in the options. FAIL: as vlm_open. (vlm_device.c) */
struct device *vlm_device_open(struct vlm *v, const struct device_model *model,
                               const struct device_options *options,
                               struct err *err);

/* Context length that fits into free memory. (cost.c) */
int vlm_context_default(const struct vlm *v);

/* Connects to the server at model_server_fd. FAIL: "model-server-lost".
 * (vlm_serve.c) */
struct device *vlm_remote_device(const struct vlm *v, struct err *err);

/* Constraints over the model's vocabulary, for reuse; created at first use. */
struct constraint_cache *vlm_constraint_cache(struct vlm *v);

#endif
