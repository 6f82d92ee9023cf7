/* vlm_inside.h - what vlm.c, vlm_session.c and vlm_generate.c share. */
#ifndef VLM_VLM_INSIDE_H
#define VLM_VLM_INSIDE_H

#include "vlm/cpu/decode/decoder.h"
#include "vlm/cpu/decode/state.h"
#include "vlm/model/weights.h"
#include "vlm/vlm.h"

enum {
    VLM_UBATCH = 512,       /* rows of a forward pass */
    VLM_PENDING_MAX = 1024, /* tokens of a forced run read at once */
    VLM_BATCH_MAX = 256
};

struct vlm {
    struct arena *arena;
    struct vlm_options options;
    struct gguf *gguf, *mmproj;
    struct shape *shape;
    struct weights weights;
    struct vision_shape vision_shape;
    struct vision_weights vision_weights;
    struct vision *vision; /* NULL: text only */
    struct tokenizer *tokenizer;
    struct tensor_backend *backend;
    struct pool *pool;
    struct decoder *decoder;
    struct state_plan *plan;
    struct vocab_trie *trie;        /* at first use */
    struct constraint_shelf *shelf; /* likewise; between answers */
    struct vlm_info info;
    bool hashed;
    uint32_t *real; /* bit per token: not a padding row */
    int32_t vision_start, image_pad, vision_end;

    /* of the present forward pass */
    float *x;          /* [n_ubatch, n_embd] */
    int32_t (*pos)[3]; /* [n_ubatch] */
    struct run run[VLM_BATCH_MAX];
    /* of the present choice */
    float *y;        /* [n_batch_max, n_embd] */
    float *logits;   /* [n_batch_max, n_vocab] */
    int32_t *picked; /* [n_vocab] */
};

struct vlm_session {
    struct vlm *v;
    struct state *state;
    struct arena *scratch;            /* emptied at every call */
    int32_t pending[VLM_PENDING_MAX]; /* chosen, not yet read */
    int n_pending;
    double read_s; /* spent reading since the last answer */
    int n_read;    /* tokens read since */
    vlm_logits_fn *watch;
    void *watch_arg;
    float *watch_rows; /* [VLM_WATCH_ROWS, n_vocab] while watched */
};

enum { VLM_WATCH_ROWS = 32 };

/* One sequence's part of a forward pass: n tokens, of which some may be rows
 * made elsewhere (a picture of n_y * n_x from rows_at on). */
struct vlm_part {
    struct vlm_session *session;
    const int32_t *token; /* [n]; image_pad where a row stands */
    int n, rows_at, n_y, n_x;
    const float *rows; /* [n_y * n_x, n_embd], or NULL */
    int done;          /* tokens read so far */
};

/* Reads all parts to their ends, as many sequences at a time as fit. The
 * caller has checked that they fit their contexts. */
void vlm_read(struct vlm *v, struct vlm_part *part, int n_part);

/* Reads what was chosen but not yet read. FAIL: as vlm_fits. */
void vlm_flush(struct vlm_session *s, struct err *err);

/* FAIL: ERR_LIMIT "context-full" when n more tokens do not fit. */
bool vlm_fits(const struct vlm_session *s, int n, struct err *err);

#endif
