/* engine.h - what reads the pages: the native engine, an endpoint, or nothing.
 *
 * Order of calls: open; for each question of a document begin, page (for each
 * page), answer (again after an unusable one); end after the document's last
 * question; close. An engine handles one document at a time; n documents in
 * parallel are n engines in n processes.
 */
#ifndef STAGES_ENGINE_ENGINE_H
#define STAGES_ENGINE_ENGINE_H

#include "stages/document/document.h"
#include "stages/document/settings.h"

struct engine {
    const struct engine_api *api;
    bool (*stop)(void *arg); /* polled while waiting or generating, or NULL */
    void *stop_arg;
    int room; /* tokens left for an answer after the pages, as of the last
               * answer; 0: unknown */
    unsigned
        dialect; /* learnt from the endpoint (endpoint_dialect.h); a process
                       * that forks others takes it over from them */
    struct span dictated; /* forced answer, for benchmarks; empty: the model
                           * answers. Native engine only */
};

struct schema;

/* An image shown to the model: a prepared page, or rows of it on white. */
struct view {
    const struct image *image;
    const struct page *page; /* as prepare_page left it */
};

struct engine_facts {
    const char *name;       /* native, endpoint, words, null */
    const char *model;      /* name of the model, for the record */
    const char *model_hash; /* SHA-256, "" if unknown */
    const char *device;  /* native engine: "cpu avx512", "cuda:0 NVIDIA GB10" */
    const char *no_gpu;  /* why no GPU is used, or NULL */
    const char *kernels; /* a GPU's, a line for each shape, or NULL */
    int grid;
    int64_t min_pixels, max_pixels; /* of a page */
    int print_px;   /* letter height that the model was trained on, if it reads
                   * no others well; or 0 */
    int images_max; /* pages per prompt; 0: any number */
    int n_ctx;      /* tokens of a question with its answer; 0: no limit */
    const char *doubt; /* a warning about the model as a sentence, or NULL */
    bool
        prompt_is_keys; /* the prompt is only the schema's keys, without text */
    bool copies;        /* it can copy from engine_try's words */
    bool takes_words;   /* accepts a page's words in addition to its image */
    bool unmeasured;    /* answers can lack probabilities: doc->field has none,
                      * but doc->token_probs may have */
    bool
        reads_words; /* the words of the pages answer (stages/words); the api has
                       * no `answer` */
    int n_flight; /* questions that can be in flight at once; above 1 a question
                      * must not depend on the answer to the one before */
};

struct engine_try {
    int attempt;         /* from 1; seed is settings->seed + attempt - 1 */
    const char *finding; /* what was wrong with the last answer, or NULL */
    const char *lines; /* the lines of the page to answer for, one per line, or
                          * NULL: all */
    const char *names; /* the only values to look for again, one per line, or
                        * NULL: all */
    int max_tokens;    /* limit for the answer */
    struct span words; /* the pages' own text, lines of cells separated by
                          * tabs, which the answer can copy (engine_facts'
                          * copies). Affects only the speed, not the answer */
    struct span
        expected; /* a likely answer, as text; the same holds. The answer
                           * itself, if the words answer (reads_words) */
};

struct engine_api {
    struct engine *(*open)(const struct settings *settings, struct err *err);
    void (*close)(struct engine *e);
    const struct engine_facts *(*facts)(const struct engine *e);

    /* Begins a question with the document's prompt, schema and example_text,
     * which are kept for the next one with the same. A document whose pages are
     * asked about separately has several. */
    void (*begin)(struct engine *e, struct document *doc, struct err *err);

    /* Adds words before the following pages: text of the previous page. It can
     * be any printed text; the engine prevents that it is taken for markup.
     * NULL if the model cannot read text. */
    void (*context)(struct engine *e, const char *text, struct err *err);

    /* Shows a prepared page, or a part of it. */
    void (*page)(struct engine *e, struct document *doc,
                 const struct view *view, struct err *err);

    /* Fills in doc->answer (in the document's arena), field and token counts.
     * FAIL: [model-truncated] if it was cut off, by max_tokens or at the end of
     * the context; [model-loop], [context-full], [engine-error],
     * [endpoint-failed], [endpoint-refused]; [endpoint-rejected] and
     * [endpoint-invalid] only if a probe was answered. */
    void (*answer)(struct engine *e, struct document *doc,
                   const struct engine_try *now, struct err *err);

    void (*end)(struct engine *e, struct document *doc);

    /* Compiles a schema in advance (its automaton), and reads the prompt if the
     * model is in this process. NULL: not needed. */
    void (*learn)(struct engine *e, const struct schema *schema,
                  const char *prompt, struct err *err);

    /* Before open: whether facts would have `prompt_is_keys`. NULL: no. */
    bool (*asks_outline)(const struct settings *settings, struct err *err);

    /* Sends the question built by begin, context and page as this try, without
     * waiting: if answer later asks exactly the same, its reply may have
     * arrived. Unused replies are dropped, at `end` at the latest; answer
     * reports errors. False: not possible now. NULL: only one question at a
     * time. */
    bool (*ahead)(struct engine *e, struct document *doc,
                  const struct engine_try *now, struct err *err);

    /* Sends a small test request and waits for the answer. FAIL: as answer.
     * NULL: nothing to test. */
    void (*test)(struct engine *e, struct err *err);

    /* As engine_detach and engine_renew; NULL: nothing to do. */
    void (*detach)(struct engine *e);
    int (*renew)(struct engine *e, struct err *err);
};

/* Opens settings->engine. FAIL: [model-missing], [model-refused]; ERR_CONFIG
 * for an unknown name or an endpoint without a URL. */
struct engine *engine_open(const struct settings *settings, struct err *err);
/* The `prompt_is_keys` of its facts, before it is opened. FAIL: as engine_open, if the
 * model's header cannot be read. */
bool engine_asks_outline(const struct settings *settings, struct err *err);
void engine_close(struct engine *e); /* NULL is fine */

/* For a process that opens an engine and forks others to use it. detach: gives
 * up the connection to a server. renew, in the forked process and before use:
 * opens a connection, and starts threads, of its own; returns the connection's
 * descriptor, -1: none. FAIL: as open. */
void engine_detach(struct engine *e);
int engine_renew(struct engine *e, struct err *err);

/* Checks that it answers a small test request. FAIL: as the api's answer. */
void engine_test(struct engine *e, struct err *err);
const struct engine_facts *engine_facts(const struct engine *e);

/* The facts of what reads this document, for its record: those of the engine, but
 * for an e-invoice in XML, and one that was read from its words. */
const struct engine_facts *engine_facts_for(const struct engine *e,
                                            const struct document *doc);

/* Prepares a schema and its prompt before the first document is opened, so that
 * no document waits for it. FAIL: [schema-refused]. */
void engine_learn(struct engine *e, const struct schema *schema,
                  const char *prompt, struct err *err);

extern const struct engine_api engine_native_api;   /* engine_native.c */
extern const struct engine_api engine_endpoint_api; /* engine_endpoint.c */
extern const struct engine_api engine_words_api;    /* engine_words.c */
extern const struct engine_api engine_null_api;     /* engine_null.c */

#endif
