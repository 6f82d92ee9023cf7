/* vlm.h - looks at page images and writes text that fits a grammar.
 *
 * THREADS  A vlm is read-only once open and may be shared by sessions, but its
 *          pool runs one product at a time: call from one thread.
 *          A session is one sequence of tokens.
 * MEMORY   vlm_open maps the weights. vlm_session_open takes everything that
 *          generating will ever need; no later call allocates per token.
 * ERRORS   Nothing happens after an earlier failure: a chain of calls with one
 *          err may go on behind a vlm_open that gave NULL.
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
struct gpu_cuda;
struct vlm;
struct vlm_session;
struct vlm_batch;

/* Rows that met a weight in a product: x[n, n_col] and matrix `matrix` of the
 * n_matrix of a tensor of the model file. */
struct vlm_product {
    struct span tensor;
    int matrix, n_matrix;
    const float *x;
    int n, n_col;
};
typedef void vlm_product_fn(void *arg, const struct vlm_product *product);

struct vlm_options {
    const char *model;  /* GGUF, first part when split */
    const char *mmproj; /* vision GGUF, or NULL for text only */
    int n_ctx;          /* tokens a session may hold; 0: a good default */
    int n_thread;       /* 0: cpu_count() */
    int n_batch_max;    /* sequences stepped together; 0: 1 */
    bool kv_q8;         /* keys and values in Q8_0 instead of F16 */
    bool kv_f32;        /* in F32: for exactness tests */
    bool exact;         /* F32 activations on quantised weights */
    const char *mtp;    /* GGUF with a block of multi-token prediction, or NULL:
                            * the model file's own, if it has one */
    bool mtp_off;       /* none is used */
    bool fast_vision;   /* pictures in 8 or 16 bits where the machine has
                            * products for them, unless exact */
    unsigned features_off; /* enum cpu_feature not to use */
    float yarn_factor;     /* 0: as the file says */
    int64_t max_pixels;    /* 0: as the vision file says */
    const char *cache;     /* folder for hashes of files, or NULL: none; not
                            * where the hash is checked against a pin */

    /* Above 0: the arithmetic is done by who serves behind this door (vlm_serve),
     * who has to say a first word within so many seconds. */
    int model_server_fd;
    double reader_wait_s;

    /* What does the arithmetic: "cpu" (NULL), "cuda:N", a GPU, or "auto", the
     * first GPU that serves, else the processor. A GPU's driver is this machine's,
     * unless `cuda` is one (vlm/device/gpu/gpu_cuda.h). */
    const char *device;
    const struct gpu_cuda *cuda;

    /* told of every product of the text model but the head's, or NULL */
    vlm_product_fn *product;
    void *product_arg;
};

struct vlm_info {
    const char *name;      /* general.name or the file's stem */
    struct hash hash;      /* of model and mmproj together */
    struct hash file_hash; /* of the model alone, as sha256sum has it */
    int n_layer, n_head;   /* heads of a layer that has attention */
    int n_vocab;           /* rows of the head */
    int n_token;           /* ids below it have a meaning */
    int n_ctx, n_ctx_train, n_embd;
    int64_t min_pixels, max_pixels; /* of an image, after resizing */
    int grid; /* its sides are multiples of this: patch size * merge size */
    const char *prompt_format; /* platen.prompt.format, or "nuextract" by the
                                * file's template, or NULL: full */
    bool has_vision;
    const char
        *device; /* that does the arithmetic: "cpu", "cuda:0 NVIDIA GB10" */
    const char *no_gpu; /* of "auto": why none is used, or NULL */
};

/* A GPU of this machine. */
struct vlm_device {
    char name[96];
    int major, minor; /* its generation */
    bool unified;     /* its memory is the processor's */
    size_t left;      /* bytes that are free */
    char why[480];    /* it cannot be used, or "" */
};

/* All GPUs, `most` at most; how many. FAIL: ERR_MISSING, there is no driver;
 * ERR_SYSTEM, it does not work. (vlm_device.c) */
int vlm_device_list(struct vlm_device *out, int most, struct err *err);

/* What an open model takes, for `platen model plan`. */
struct vlm_memory {
    size_t weights;       /* bytes of the model file's tensors */
    size_t vision;        /* and of the vision file's */
    size_t kv, recurrent; /* of one session, with its usual points */
    size_t compute;       /* scratch of the decoder and of the choice */
    size_t vision_peak;   /* scratch for the largest image */
    size_t device;        /* what a GPU had for all of this; 0: the processor */
    int n_ctx;
};

/* Is the model in this file one that is asked by outlines of schemas alone?
 * Reads its header only. FAIL: as vlm_open. */
bool vlm_asks_outline(const char *model, struct err *err);

/* Maps and checks the files, takes what all sessions share. FAIL: ERR_MISSING,
 * ERR_CONFIG (a file that is not a model, or of another family), ERR_SYSTEM, and
 * that with "model-server-lost" where a reader does not answer, or any later call when
 * it has ended; for a GPU "device-missing" and "device-refused" (ERR_UNSUPPORTED). */
struct vlm *vlm_open(const struct vlm_options *options, struct err *err);
void vlm_close(struct vlm *v); /* NULL is fine; sessions must be closed */
/* The hash is computed at the first call. */
const struct vlm_info *vlm_info(struct vlm *v);
struct vlm_memory vlm_memory(const struct vlm *v);
int vlm_threads(const struct vlm *v);

/* What must be done at least, whatever does it. */
struct vlm_work {
    double bytes; /* of weights that one token reads, its head's among them */
    double products; /* multiplications of a token with weights, without head */
    double head;     /* of a head's rows */
    double depth_products, depth_bytes; /* of a token for each one before it */
};
struct vlm_work vlm_work(const struct vlm *v);
/* Multiplications of the encoder for a picture of so many pixels. */
double vlm_cost_vision(const struct vlm *v, int width_px, int height_px);

/* An empty sequence of at most n_ctx tokens. Points are taken at their first
 * use. FAIL: ERR_SYSTEM when there is no memory for it. */
struct vlm_session *vlm_session_open(struct vlm *v, struct err *err);
void vlm_session_close(struct vlm_session *s); /* NULL is fine */
void vlm_session_clear(struct vlm_session *s); /* back to an empty sequence */
int vlm_session_length(const struct vlm_session *s); /* tokens so far */

/* Append to the sequence. `special`: added tokens in the text are matched
 * (our own chat markup); never for text from outside. An image adds
 * vision_start, its rows and vision_end. FAIL: ERR_LIMIT "context-full" when
 * it would not fit, in which case nothing was appended; for an image ERR_ARGS
 * unless its sides are multiples of vlm_info's grid (vlm/base/resize.h). */
void vlm_feed_text(struct vlm_session *s, struct span text, bool special,
                   struct err *err);
void vlm_feed_image(struct vlm_session *s, const struct image *rgb,
                    struct err *err);

/* What vlm_feed_image feeds: the picture's rows[n_y * n_x, n_embd], the
 * caller's (mem_free). NULL after a failure, which is as vlm_feed_image's. */
float *vlm_encode_image(struct vlm *v, const struct image *rgb, int *n_y,
                        int *n_x, struct err *err);

/* The same from token ids, and from an image's rows[n_y * n_x, n_embd] that
 * were made elsewhere (merged grid, row by row). */
void vlm_feed_tokens(struct vlm_session *s, const int32_t *token, int n,
                     struct err *err);
void vlm_feed_rows(struct vlm_session *s, const float *rows, int n_y, int n_x,
                   struct err *err);

/* Calls fn with the logits[n_row, n_vocab] of everything that is fed from now
 * on, in order: the prediction after each token. NULL ends it. */
typedef void vlm_logits_fn(void *arg, const float *logits, int n_row);
void vlm_watch_logits(struct vlm_session *s, vlm_logits_fn *fn, void *arg);

/* Some heads of a model that copies from a picture look at the very place that
 * they copy from. A head is named by its layer and its number in it. */
struct vlm_head {
    int layer, head;
};

/* A picture of the sequence: n_y rows of n_x cells, each what one row of the
 * text model holds (vlm_info's grid, in pixels), one row after the other. */
struct vlm_picture {
    int first; /* of its cells among the keys of a gaze */
    int n_y, n_x;
};

/* Where the heads looked from the token before one that was chosen. */
struct vlm_gaze {
    const char *pointer; /* of the value that the token belongs to */
    struct span text;    /* the token's bytes, as far as they are its */
    int n_head, n_key;
    const float *weight; /* [n_head, n_key]: of a head's attention, the part
                          * that falls on each; what is missing to 1 falls on
                          * text. 0 for a head that is none. */
    const struct vlm_picture *picture; /* all that were fed, in order */
    int n_picture;
};

/* Calls fn at every token of a value that is chosen from now on (not at quotes,
 * at what a grammar leaves no choice about, nor before a picture was fed); what it is
 * given lasts as long as the call. NULL: only notes it for attention_probe_last. No
 * heads: nothing is noted any more. Answers are the same to the bit. */
typedef void vlm_gaze_fn(void *arg, const struct vlm_gaze *gaze);
void vlm_watch_heads(struct vlm_session *s, const struct vlm_head *head,
                     int n_head, vlm_gaze_fn *fn, void *arg);

/* Where they looked from the token that was fed last; pointer NULL, no text.
 * Lasts until something is fed. False where that is not known: no heads, no
 * picture, or nothing fed since the last rewind. */
bool attention_probe_last(const struct vlm_session *s, struct vlm_gaze *gaze);

/* The prediction after the last token, [n_vocab]: borrowed until the next call
 * that feeds or generates. FAIL: ERR_ARGS when nothing was fed. */
const float *vlm_logits(struct vlm_session *s, struct err *err);

/* Where the time of a session went since it was opened: the encoder, reading what
 * was fed, and of answers: forced runs, passes with a guess in them and what was
 * chosen from them, tokens chosen one by one. In company each session counts the
 * whole of a pass. Tokens beside it. */
struct vlm_spent {
    double vision_s, prompt_s, forced_s, drafted_s, sampled_s;
    int n_vision; /* rows of pictures */
    int n_prompt, n_forced, n_drafted, n_sampled;
    int n_guessed; /* of which n_drafted were right */
};
const struct vlm_spent *vlm_spent(const struct vlm_session *s);

/* Remembers the present point under a number from 0; a point set again is
 * replaced. Rewinding drops everything after it; later points are forgotten.
 * Points are a copy of the recurrent state; keys and values stay in place. */
void vlm_mark(struct vlm_session *s, int point, struct err *err);
void vlm_rewind(struct vlm_session *s, int point, struct err *err);

/* `to` (an open session of the same vlm) becomes a copy of `from`; points of
 * `to` are forgotten, those of `from` are not copied. */
void vlm_fork(struct vlm_session *to, const struct vlm_session *from,
              struct err *err);

struct vlm_sampling {
    float temperature;      /* 0: greedy */
    int top_k;              /* 0: off */
    float top_p, min_p;     /* 1 and 0: off */
    float presence_penalty; /* of free text: never under a grammar */
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
    struct span dictated; /* with a grammar: the answer, known before;
                                    * of the tokens that it goes on with, the
                                    * most probable is taken. Empty: the
                                    * model's own */
    struct span words;    /* that the answer may copy: lines of cells with tabs
                        * between. The answer is the same bit for bit, with
                        * fewer passes where it does. */
    int max_tokens;
    bool (*stop)(void *arg); /* polled at every token, or NULL */
    void *stop_arg;
};

/* The probability of a leaf value's tokens before masking. */
struct vlm_leaf {
    const char *pointer; /* JSON pointer into the answer */
    double p;     /* product over the sampled tokens of the value, each over the
               * whole vocabulary, or over the legal tokens where only those
               * were computed (numbers, dates, names of an enum) */
    double p_min; /* the least of them: one letter that was a guess */
    double p_kin; /* the least that any of its tokens got anywhere in the
                     * values of the answer: where one 4 was doubtful, the
                     * others of this print are, however sure they look */
    double p_legal; /* mass of the legal set at its first token */
    int n_token;    /* that were sampled */
};

struct vlm_answer {
    struct span text;
    enum vlm_finish finish;
    int n_sampled, n_forced, n_prompt;
    int n_pass; /* of the weights that its tokens took */
    struct vlm_leaf *leaf;
    int n_leaf;
    double prompt_s, sample_s;
};

/* Continues the sequence, which then holds the answer too. Text and leaves are in the arena. FAIL: ERR_SYSTEM
 * "engine-error" for NaN or Inf in the logits; ERR_LIMIT "context-full";
 * ERR_ARGS where the grammar does not allow what is dictated. */
void vlm_generate(struct vlm_session *s, const struct vlm_request *request,
                  struct arena *arena, struct vlm_answer *answer,
                  struct err *err);

/* n sessions step by step together, weights read once a step; each answer is
 * the same, bit for bit, as alone. */
void vlm_generate_batch(struct vlm_session *const *s,
                        const struct vlm_request *const *request, int n,
                        struct arena *arena, struct vlm_answer *answer,
                        struct err *err);

/* The same one step at a time: answers may be taken up between any two steps.
 * A step moves every answer on by one token (or one forced run) and returns
 * how many are still being written. What is given to admit must stay until
 * its answer is complete: vlm_batch_writing says whether it is not. Each
 * answer has its own err. FAIL of admit: ERR_LIMIT when n_batch_max are being
 * written. */
struct vlm_batch *vlm_batch_new(struct vlm *v);
void vlm_batch_free(struct vlm_batch *b);
void vlm_batch_admit(struct vlm_batch *b, struct vlm_session *s,
                     const struct vlm_request *request, struct arena *arena,
                     struct vlm_answer *answer, struct err *err);
int vlm_batch_step(struct vlm_batch *b);
bool vlm_batch_writing(const struct vlm_batch *b, const struct vlm_session *s);

/* Works for other processes, each with a vlm of its own on the same files that has
 * the other end of the door (a SOCK_SEQPACKET pair) as its model_server_fd. Their
 * sequences lie here, their tokens go through the weights together; answers are
 * the same bit for bit. */
struct vlm_serving {
    int door;
    int n_place;             /* sequences at a time, as vlm_places */
    const char *why;         /* where v is NULL: what everybody is told */
    void (*beat)(void *arg); /* called before each piece of work, or NULL */
    void *arg;
};

/* Beginnings of sequences that are kept, so that a prompt is read once. */
enum { VLM_PLACES_KEPT = 2 };

/* How many sequences fit into the memory that there is, besides those that are
 * kept: n_batch_max less these at most, 1 at least. */
int vlm_places(const struct vlm *v);

/* Ends when nobody has the other end any more. */
void vlm_serve(struct vlm *v, const struct vlm_serving *with, struct err *err);

#endif
