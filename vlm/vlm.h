/* vlm.h - looks at page images and writes text that fits a grammar.
 *
 * THREADS  A vlm is read-only once open and may be shared by sessions, but its
 *          pool runs one product at a time: call from one thread.
 *          A session is one sequence of tokens.
 * MEMORY   vlm_open maps the weights. vlm_session_open takes everything that
 *          generating will ever need; no later call allocates per token.
 * RESULT   Same weights, same input, same seed: same bytes, on any number of
 *          threads and in any company. Other instruction sets may differ.
 */
#ifndef VLM_VLM_H
#define VLM_VLM_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/hash.h"
#include "vlm/base/image.h"
#include "vlm/base/span.h"

struct grammar;
struct vocab_trie;
struct tokenizer;
struct vlm;
struct vlm_session;

struct vlm_options {
    const char *model;     /* GGUF, first part when split */
    const char *mmproj;    /* vision GGUF, or NULL for text only */
    int n_ctx;             /* tokens a session may hold; 0: a good default */
    int n_thread;          /* 0: cpu_count() */
    int n_batch_max;       /* sequences stepped together; 0: 1 */
    bool kv_q8;            /* keys and values in Q8_0 instead of F16 */
    bool kv_f32;           /* in F32: for exactness tests */
    bool exact;            /* F32 activations on quantised weights */
    unsigned features_off; /* enum cpu_feature not to use */
    float yarn_factor;     /* 0: as the file says */
    int64_t max_pixels;    /* 0: as the vision file says */
};

struct vlm_info {
    const char *name; /* general.name or the file's stem */
    struct hash hash; /* of model and mmproj together */
    int n_vocab, n_ctx, n_ctx_train, n_embd;
    int64_t min_pixels, max_pixels; /* of an image, after resizing */
    const char *prompt_format;      /* platen.prompt.format, or NULL: full */
    bool has_vision;
};

struct vlm *vlm_open(const struct vlm_options *options, struct err *err);
void vlm_close(struct vlm *v); /* NULL is fine; sessions must be closed */
const struct vlm_info *vlm_info(const struct vlm *v);
const struct tokenizer *vlm_tokenizer(const struct vlm *v);
const struct vocab_trie *vlm_trie(struct vlm *v); /* made at first use */

struct vlm_session *vlm_session_open(struct vlm *v, struct err *err);
void vlm_session_close(struct vlm_session *s);
void vlm_session_clear(struct vlm_session *s); /* back to an empty sequence */
int vlm_session_length(const struct vlm_session *s); /* tokens so far */

/* Append to the sequence. `special`: added tokens in the text are matched
 * (our own chat markup); never for text from outside. An image adds
 * vision_start, its rows and vision_end. FAIL: ERR_LIMIT "context-full" when
 * it would not fit, in which case nothing was appended. */
void vlm_feed_text(struct vlm_session *s, struct span text, bool special,
                   struct err *err);
void vlm_feed_image(struct vlm_session *s, const struct image *rgb,
                    struct err *err);

/* Remembers the present point under a number from 0; a point set again is
 * replaced. Rewinding drops everything after it; later points are forgotten.
 * Points are a copy of the recurrent state; keys and values stay in place. */
void vlm_mark(struct vlm_session *s, int point, struct err *err);
void vlm_rewind(struct vlm_session *s, int point, struct err *err);

/* `to` (an open session of the same vlm) becomes a copy of `from`. */
void vlm_fork(struct vlm_session *to, const struct vlm_session *from,
              struct err *err);

/* Saves or restores the sequence; the file carries a hash of the model and of
 * the tokens. FAIL: ERR_CONFIG when it was made by another model. */
void vlm_save(const struct vlm_session *s, const char *path, struct err *err);
void vlm_restore(struct vlm_session *s, const char *path, struct err *err);

struct vlm_sampling {
    float temperature;  /* 0: greedy */
    int top_k;          /* 0: off */
    float top_p, min_p; /* 1 and 0: off */
    float presence_penalty;
    uint64_t seed;
};

enum vlm_finish {
    VLM_FINISH_STOP,   /* end token, or the grammar is complete */
    VLM_FINISH_LENGTH, /* max_tokens reached: never a record */
    VLM_FINISH_LOOP,   /* repetition detected */
    VLM_FINISH_CANCELLED
};

struct vlm_request {
    const struct grammar *grammar; /* NULL: free text */
    struct vlm_sampling sampling;
    int max_tokens;
    bool (*stop)(void *arg); /* polled at every token, or NULL */
    void *stop_arg;
};

/* The probability of a leaf value's tokens before masking. */
struct vlm_leaf {
    const char *pointer; /* JSON pointer into the answer */
    double p;            /* product over the sampled tokens of the value */
    double p_legal;      /* mass of the legal set at its first token */
};

struct vlm_answer {
    struct span text;
    enum vlm_finish finish;
    int n_sampled, n_forced, n_prompt;
    struct vlm_leaf *leaf;
    int n_leaf;
    double prompt_s, sample_s;
};

/* Continues the sequence. Text and leaves are in the arena. FAIL: ERR_SYSTEM
 * "engine-error" for NaN or Inf in the logits; ERR_LIMIT "context-full". */
void vlm_generate(struct vlm_session *s, const struct vlm_request *request,
                  struct arena *arena, struct vlm_answer *answer,
                  struct err *err);

/* n sessions step by step together, weights read once a step; each answer is
 * the same, bit for bit, as alone. */
void vlm_generate_batch(struct vlm_session *const *s,
                        const struct vlm_request *const *request, int n,
                        struct arena *arena, struct vlm_answer *answer,
                        struct err *err);

#endif
