/* vlm.h - the engine's API: feed text and images, generate under a grammar.
 *
 * THREADS  A vlm is read-only once open and can be shared by sessions, but its
 *          pool runs one job at a time: call from one thread only.
 *          A session is one sequence of tokens.
 * MEMORY   vlm_open maps the weights. vlm_session_open allocates everything
 *          that generation needs; later calls allocate nothing per token.
 * ERRORS   Every call is a no-op after an earlier failure: a chain of calls
 *          with one err can go on after a vlm_open that returned NULL.
 * RESULT   Same weights, input and seed: same bytes, with any number of threads
 *          and in any batch. Other instruction sets may give other bytes.
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

/* Input rows of one product with a weight: x[n, n_col] times matrix `matrix` of
 * the n_matrix in tensor `tensor` of the model file. */
struct vlm_product {
    struct span tensor;
    int matrix, n_matrix;
    const float *x;
    int n, n_col;
};
typedef void vlm_product_fn(void *arg, const struct vlm_product *product);

struct vlm_options {
    const char *model;  /* GGUF file; the first part of a split model */
    const char *mmproj; /* vision GGUF, or NULL for text only */
    int n_ctx;          /* maximum tokens per session; 0: automatic */
    int n_thread;       /* 0: cpu_count() */
    int n_batch_max;    /* maximum sequences per batch; 0: 1 */
    bool kv_q8;         /* keys and values in Q8_0 instead of F16 */
    bool kv_f32;        /* keys and values in F32: for exactness tests */
    bool exact;         /* F32 activations on quantised weights */
    const char *mtp;    /* GGUF with a block for multi-token prediction; NULL:
                         * the one in the model file, if any */
    bool mtp_off;       /* no multi-token prediction */
    bool fast_vision;   /* image encoder in 8 or 16 bits where the CPU supports
                         * it, unless exact */
    bool fast_prompt;   /* what is fed, not generated, in BF16 tiles where the
                         * CPU has them, unless exact */
    unsigned features_off;   /* enum cpu_feature bits not to use */
    unsigned features_model; /* those emulated, for tests (CPU_TILE_MODEL) */
    float yarn_factor;       /* 0: the model file's value */
    int64_t max_pixels;      /* 0: the vision file's value */
    const char *cache;       /* folder for cached file hashes; NULL: none. Not
                            * used where the hash is checked against a pin */

    const char *timings; /* folder for times of a GPU's kernels
                              * (gpu_choice.h); NULL: measured at each open */

    /* Above 0: socket of a model server (vlm_serve) that does the work. */
    int model_server_fd;
    double model_server_wait_s; /* timeout for its first message */

    /* "cpu" (or NULL), "cuda:N", or "auto": the first usable GPU, else cpu. */
    const char *device;
    const struct gpu_cuda *cuda; /* driver; NULL: the system's */

    /* called for each product of the text model but the head's; or NULL */
    vlm_product_fn *product;
    void *product_arg;
};

struct vlm_info {
    const char *name;      /* general.name, or the file name without .gguf */
    struct hash hash;      /* hash of model and mmproj together */
    struct hash file_hash; /* SHA-256 of the model file alone */
    int n_vocab;           /* rows of the output head */
    int n_token;           /* token ids below it are in use */
    int n_ctx, n_ctx_train, n_embd;
    int64_t min_pixels, max_pixels; /* image area after resizing */
    int grid; /* image sides are multiples of this: patch size * merge size */
    const char *prompt_format; /* platen.prompt.format, or "nuextract" if the
                                * chat template has its tags; NULL: the full
                                * prompt */
    bool has_vision;
    const char *device;  /* device in use: "cpu avx512", "cuda:0 NVIDIA GB10" */
    const char *no_gpu;  /* device = auto: why no GPU is used, or NULL */
    const char *kernels; /* which a GPU's products use, a line for each shape,
                          * or NULL */
};

/* A GPU in this machine. */
struct vlm_device {
    char name[96];
    int major, minor; /* compute capability */
    bool unified;     /* shares the CPU's memory */
    size_t left;      /* free bytes */
    char why[480];    /* why it cannot be used, or "" */
};

/* Lists at most `most` GPUs; returns their number. FAIL: ERR_MISSING, no
 * driver; ERR_SYSTEM, the driver does not work. (vlm_device.c) */
int vlm_device_list(struct vlm_device *out, int most, struct err *err);

/* Memory of an open model, in bytes, for `platen model plan`. */
struct vlm_memory {
    size_t weights;       /* tensors of the model file */
    size_t vision;        /* tensors of the vision file */
    size_t kv, recurrent; /* per session; recurrent: with the usual number of
                           * checkpoints */
    size_t compute;       /* scratch of decoder and sampler */
    size_t vision_peak;   /* encoder scratch for the largest image */
    size_t device; /* GPU memory available for all of this; 0: on the CPU */
    int n_ctx;
};

/* Is this model prompted with schema outlines only? Reads the file header.
 * FAIL: as vlm_open. */
bool vlm_asks_outline(const char *model, struct err *err);

/* Opens a model: maps and checks its files, allocates what all sessions share.
 * FAIL: ERR_MISSING; ERR_CONFIG (not a model, or an unsupported family);
 * ERR_SYSTEM, with reason "model-server-lost" if the server does not answer
 * (later calls: if it has ended); for a GPU "device-missing" and
 * "device-refused" (ERR_UNSUPPORTED). */
struct vlm *vlm_open(const struct vlm_options *options, struct err *err);
void vlm_close(struct vlm *v); /* NULL is fine; close sessions first */

/* For processes that are forked to use v, as device_detach and device_renew
 * (device.h). With a model server, clear every session after vlm_renew. */
void vlm_detach(struct vlm *v);
int vlm_renew(struct vlm *v, struct err *err);

/* Computes the file hashes at the first call. */
const struct vlm_info *vlm_info(struct vlm *v);
struct vlm_memory vlm_memory(const struct vlm *v);
int vlm_threads(const struct vlm *v);

/* Lower bound of the work per token, whatever the device. */
struct vlm_work {
    double bytes;    /* weight bytes read per token, including the head */
    double products; /* multiplications with weights per token, without the
                      * head */
    double head;     /* multiplications of the output head */
    double depth_products, depth_bytes; /* per token and preceding token */
};
struct vlm_work vlm_work(const struct vlm *v);
/* Multiplications of the image encoder for an image of this size. */
double vlm_cost_vision(const struct vlm *v, int width_px, int height_px);

/* Opens an empty sequence of at most n_ctx tokens. Checkpoints are allocated at
 * their first use. FAIL: ERR_SYSTEM, out of memory. */
struct vlm_session *vlm_session_open(struct vlm *v, struct err *err);
void vlm_session_close(struct vlm_session *s);       /* NULL is fine */
void vlm_session_clear(struct vlm_session *s);       /* empties the sequence */
int vlm_session_length(const struct vlm_session *s); /* in tokens */

/* Append to the sequence. `special`: the text can contain added tokens (our own
 * chat markup); never set it for external text. An image adds vision_start, its
 * rows and vision_end. FAIL: ERR_LIMIT "context-full" if it does not fit
 * (nothing is appended); for an image ERR_ARGS unless its sides are multiples
 * of vlm_info's grid (vlm/base/resize.h). */
void vlm_feed_text(struct vlm_session *s, struct span text, bool special,
                   struct err *err);
void vlm_feed_image(struct vlm_session *s, const struct image *rgb,
                    struct err *err);

/* The rows[n_y * n_x, n_embd] that vlm_feed_image would feed; owned by the
 * caller (mem_free). NULL after a failure. FAIL: as vlm_feed_image. */
float *vlm_encode_image(struct vlm *v, const struct image *rgb, int *n_y,
                        int *n_x, struct err *err);

/* Append token ids, or an image's rows[n_y * n_x, n_embd] encoded elsewhere
 * (merged grid, row by row). */
void vlm_feed_tokens(struct vlm_session *s, const int32_t *token, int n,
                     struct err *err);
void vlm_feed_rows(struct vlm_session *s, const float *rows, int n_y, int n_x,
                   struct err *err);

/* Calls fn with logits[n_row, n_vocab] for everything fed from now on, in
 * order: the prediction after each token. fn NULL: stops. */
typedef void vlm_logits_fn(void *arg, const float *logits, int n_row);
void vlm_watch_logits(struct vlm_session *s, vlm_logits_fn *fn, void *arg);

/* Logits[n_vocab] after the last token: borrowed until the next call that feeds
 * or generates. FAIL: ERR_ARGS if nothing was fed. */
const float *vlm_logits(struct vlm_session *s, struct err *err);

/* Time and tokens of a session since it was opened. Of answers: forced runs,
 * passes with drafted tokens, and tokens sampled one by one. In a batch, each
 * session counts the whole time of a pass. */
struct vlm_spent {
    double vision_s, prompt_s; /* image encoder, prompt evaluation */
    double forced_s, drafted_s, sampled_s;
    int n_vision; /* rows of images */
    int n_prompt, n_forced, n_drafted, n_sampled;
    int n_guessed; /* tokens drafted; n_drafted of them were accepted */
    int n_pass;    /* passes of answers over the weights */
};
const struct vlm_spent *vlm_spent(const struct vlm_session *s);

/* Set a checkpoint with a number from 0 (replaces one of that number), and
 * return to it. A rewind drops everything after the checkpoint, later
 * checkpoints too. A checkpoint copies the recurrent state; keys and values
 * stay in place. */
void vlm_mark(struct vlm_session *s, int point, struct err *err);
void vlm_rewind(struct vlm_session *s, int point, struct err *err);

struct vlm_sampling {
    float temperature;      /* 0: greedy */
    int top_k;              /* 0: off */
    float top_p, min_p;     /* 1 and 0: off */
    float presence_penalty; /* for free text only, ignored under a grammar */
    uint64_t seed;
};

enum vlm_finish {
    VLM_FINISH_STOP,   /* end token, or grammar complete */
    VLM_FINISH_LENGTH, /* max_tokens reached: no record */
    VLM_FINISH_LOOP,   /* repetition detected */
    VLM_FINISH_CANCELLED
};

struct vlm_request {
    const struct grammar *grammar; /* NULL: free text */
    struct vlm_sampling sampling;
    struct span dictated; /* with a grammar: the expected answer; among the
                           * tokens that continue it the most probable is
                           * chosen. Empty: the model decides */
    struct span words;    /* words the answer is likely to copy: lines of
                           * tab-separated cells, used for drafts. The answer is
                           * bit-identical, in fewer passes */
    struct span expected; /* with a grammar: an answer that is likely, compact
                           * JSON; null and [] stand for what is not known. Used
                           * for drafts before `words` */
    int max_tokens;
    bool (*stop)(void *arg); /* polled at every token; true cancels; or NULL */
    void *stop_arg;
};

/* Probability of a leaf value's tokens before masking. */
struct vlm_leaf {
    const char *pointer; /* JSON pointer into the answer */
    double p;     /* product over the value's sampled tokens; each over the
                     * whole vocabulary, or over the legal tokens where only
                     * those were computed (numbers, dates, names of an enum) */
    double p_min; /* the least probable token */
    double
        p_min_of_siblings; /* the least probability that any of its tokens has anywhere
                   * in the answer's values: if one 4 was doubtful, so are the
                   * other 4s on this page */
    double p_legal;        /* mass of the legal tokens at its first token */
    int n_token;           /* sampled tokens */
};

struct vlm_answer {
    struct span text;
    enum vlm_finish finish;
    int n_sampled, n_forced, n_prompt;
    int n_pass; /* passes over the weights */
    struct vlm_leaf *leaf;
    int n_leaf;
    double prompt_s, sample_s;
};

/* Generates an answer and appends it to the sequence. Text and leaves are in
 * the arena. FAIL: ERR_SYSTEM "engine-error" for NaN or Inf in the logits;
 * ERR_LIMIT "context-full"; ERR_ARGS if `dictated` does not fit the grammar. */
void vlm_generate(struct vlm_session *s, const struct vlm_request *request,
                  struct arena *arena, struct vlm_answer *answer,
                  struct err *err);

/* Generates n answers as one batch, so the weights are read once per step; each
 * answer is bit-identical to a single run. */
void vlm_generate_batch(struct vlm_session *const *s,
                        const struct vlm_request *const *request, int n,
                        struct arena *arena, struct vlm_answer *answer,
                        struct err *err);

/* The same one step at a time: answers can be added between steps. A step
 * advances every answer by one token (or one forced run) and returns the number
 * of unfinished answers. Arguments of admit must stay valid until the answer is
 * complete (vlm_batch_writing is false). Each answer has its own err. FAIL of
 * admit: ERR_LIMIT if n_batch_max answers are unfinished. */
struct vlm_batch *vlm_batch_new(struct vlm *v);
void vlm_batch_free(struct vlm_batch *b);
void vlm_batch_admit(struct vlm_batch *b, struct vlm_session *s,
                     const struct vlm_request *request, struct arena *arena,
                     struct vlm_answer *answer, struct err *err);
int vlm_batch_step(struct vlm_batch *b);
bool vlm_batch_writing(const struct vlm_batch *b, const struct vlm_session *s);

/* Options of a model server. Its clients are processes with a vlm on the same
 * files whose model_server_fd is the other end of listen_fd (a SOCK_SEQPACKET
 * pair). Sequences are kept here and evaluated as one batch; answers are
 * bit-identical. */
struct vlm_serving {
    int listen_fd;
    int n_place;              /* maximum sequences (vlm_max_sequences) */
    const struct err *why;    /* v NULL: the error that clients receive */
    void (*ready)(void *arg); /* called once, before the first client is
                               * accepted, or NULL: from then on no file is
                               * opened; no thread runs unless the device's
                               * driver has some */
    void (*beat)(void *arg);  /* called before each unit of work, or NULL */
    void *arg;
};

/* Prompt prefixes that are cached, so that each is evaluated once. */
enum { VLM_PREFIXES_KEPT = 2 };

/* Sequences that fit into free memory in addition to the cached prefixes: at
 * most n_batch_max less these, at least 1. */
int vlm_max_sequences(const struct vlm *v);

/* Serves until all other ends of listen_fd are closed. FAIL: ERR_SYSTEM, the
 * device is lost. */
void vlm_serve(struct vlm *v, const struct vlm_serving *with, struct err *err);

#endif
