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
    VLM_UBATCH = 512,       /* rows of a pass */
    VLM_PENDING_MAX = 1024, /* tokens of a forced run read at once */
    VLM_AHEAD_MAX = 16,     /* tokens of a pass of which some are guessed */
    VLM_POINTS_USUAL = 3,   /* of a session: behind a prompt, behind pages, and
                             * before a guess */
    VLM_POINT_AHEAD = DEVICE_POINT_MAX - 1, /* before such a pass */
    VLM_WATCH_ROWS = 32                     /* rows of logits shown at a time */
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
    struct pool *pool; /* of the host beside a GPU, for choices; or NULL */
    const struct vector_ops *lanes; /* of the host, for the choice */
    struct vocab_trie *trie;        /* at first use */
    struct constraint_cache *shelf; /* likewise; between answers */
    struct vlm_info info;
    bool hashed;
    uint32_t *real; /* bit per token: not a padding row */
    int32_t vision_start, image_pad, vision_end;
    const struct gguf_tensor **by_place; /* sorted; while products are told */

    /* of the present pass */
    struct position *at; /* [n_row_max] */
    struct device_run run[DEVICE_RUN_MAX];
    /* of the present choice */
    float *logits;      /* [n_batch_max, n_vocab] */
    int32_t *picked;    /* [n_vocab] */
    uint32_t *dictated; /* bit per token: goes on with what is dictated */
};

struct vlm_session {
    struct vlm *v;
    struct device_state *state;
    int32_t n_pos; /* position of the next token: not n_past after pictures */
    int32_t point_pos[DEVICE_POINT_MAX];
    struct arena *scratch;            /* emptied at every call */
    int32_t pending[VLM_PENDING_MAX]; /* chosen, not yet read */
    int n_pending;
    int n_ahead;   /* of what was read: guessed, and not yet chosen */
    double read_s; /* spent reading since the last answer */
    int n_read;    /* tokens read since */
    struct vlm_spent spent;
    vlm_logits_fn *watch;
    void *watch_arg;
    float *watch_rows; /* [VLM_WATCH_ROWS, n_vocab] while watched */

    /* where heads look (attention_probe.c) */
    struct vlm_picture *picture;
    int n_picture, room_picture;
    int picture_at;               /* the first one's place in the sequence */
    struct device_attention look; /* n_head 0: not watched */
    size_t room_look;             /* floats of look.weight */
    int looked_at;                /* n_past behind the token noted last; 0 */
    int look_ahead;               /* n_ahead at that pass */
    vlm_gaze_fn *gaze;
    void *gaze_arg;
    int left_out; /* device_run */
};

/* One sequence's part of what is to be read: n tokens, of which some may be a
 * picture's rows, from picture_at on. */
struct vlm_part {
    struct vlm_session *session;
    const int32_t *token; /* [n]; image_pad where a row stands */
    int n;
    const struct device_rows *picture; /* or NULL */
    int picture_at;
    int done; /* tokens read so far */
};

/* Reads all parts to their ends, as many sequences at a time as fit. The
 * caller has checked that they fit their contexts. FAIL: as device_forward. */
void vlm_read(struct vlm *v, struct vlm_part *part, int n_part,
              struct err *err);

/* Reads what was chosen but not yet read. FAIL: as vlm_fits and vlm_read. */
void vlm_flush(struct vlm_session *s, struct err *err);

/* FAIL: ERR_LIMIT "context-full" when n more tokens do not fit. */
bool vlm_fits(const struct vlm_session *s, int n, struct err *err);

/* Keeps in mind that a picture stands at tokens first .. of the sequence, and
 * what is left of pictures after a rewind or in a copy. (attention_probe.c) */
void attention_probe_picture(struct vlm_session *s, int first, int n_y,
                             int n_x);
void attention_probe_rewind(struct vlm_session *s);
void attention_probe_fork(struct vlm_session *to,
                          const struct vlm_session *from);
void attention_probe_close(struct vlm_session *s);

/* What the device shall note of the last of a run's n tokens, or NULL. */
const struct device_attention *attention_probe_ask(struct vlm_session *s,
                                                   int n);

/* Hands what was noted to whoever watches: a token of a value was chosen. */
void attention_probe_report(const struct vlm_session *s, const char *pointer,
                            struct span text);

/* Makes ready to tell of products, and what the device calls then.
 * (vlm_product.c) */
void vlm_device_product_open(struct vlm *v);
void vlm_device_product_report(void *arg, const void *raw, const float *x,
                               int n, int n_col);

/* The device that the options name. FAIL: as vlm_open. (vlm_device.c) */
struct device *vlm_device_open(struct vlm *v, const struct device_model *model,
                               const struct device_options *options,
                               struct err *err);

/* A context by the memory that this machine has left. (vlm.c) */
int vlm_context_default(const struct vlm *v);

/* The device behind model_server_fd. FAIL: "model-server-lost". (vlm_serve.c) */
struct device *vlm_remote_device(const struct vlm *v, struct err *err);

/* The shelf of constraints over the model's vocabulary, made at first use. */
struct constraint_cache *vlm_constraint_cache(struct vlm *v);

#endif
