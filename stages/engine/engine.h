/* engine.h - who reads the pages: our own engine, an endpoint, or nobody.
 *
 * Calls come in this order: open; then for each question of a document begin,
 * page (one by one), answer (again after an unusable one); end behind its last
 * question; then close. One document at a time per engine; n documents in
 * flight are n engines in n processes.
 */
#ifndef STAGES_ENGINE_ENGINE_H
#define STAGES_ENGINE_ENGINE_H

#include "stages/document.h"
#include "stages/settings.h"

struct engine {
    const struct engine_api *api;
    bool (*stop)(void *arg); /* polled while waiting or generating, or NULL */
    void *stop_arg;
    int room; /* tokens that an answer may take behind the pages shown, as far
               * as an answer has told; 0: not known */
    struct span dictated; /* every answer, for measuring; empty: the model's.
                           * Our own engine alone takes it */
};

struct text_lines;
struct schema;

/* A picture that is shown: a prepared page, or rows of it on white. */
struct view {
    const struct image *image;
    const struct page *page; /* as prepare_page left it */
    double top; /* of the rows, in 0..1 of the prepared page's height */
    const struct text_lines *lines; /* of the page (page_view_lines), or NULL */
};

struct engine_facts {
    const char *name;       /* native, endpoint, null */
    const char *model;      /* name of the model, for the record */
    const char *model_hash; /* sha256, "" where unknown */
    const char *device;     /* our own engine's: "cpu", "cuda:0 NVIDIA GB10" */
    const char *no_gpu;     /* why the first that serves is none, or NULL */
    int grid;
    int64_t min_pixels, max_pixels; /* of a page */
    int print_px;   /* height of the letters that the model was taught, where it
                   * reads no others well; or 0 */
    int images_max; /* pages in one prompt; 0: any number */
    int n_ctx;      /* tokens of a question and its answer; 0: no bound */
    const char *doubt; /* about the model, or NULL: a sentence for people */
    bool outline;      /* knows a schema's keys alone, and no other text */
    bool copies;       /* from engine_try's words */
    bool wants_lines;  /* is told where the lines of a page are (view.lines) */
    bool hears;        /* may be told a page's words beside its picture */
    bool unmeasured;   /* answers need not come with probabilities: with none in
                      * doc->field, but perhaps in doc->told */
    int n_flight; /* questions that may be on their way at once; above 1: no
                      * question may tell what the one before it gave */
};

struct engine_try {
    int attempt;         /* from 1; seed is settings->seed + attempt - 1 */
    const char *finding; /* what was wrong with the last answer, or NULL */
    const char *lines;   /* the only lines of the page that are asked about,
                          * one below the other, or NULL */
    int max_tokens;      /* an answer may take */
    struct span words;   /* of the pages' own text, lines of cells with tabs
                          * between: what the answer may copy (engine_facts'
                          * copies). It is the same without, only later. */
};

struct engine_api {
    struct engine *(*open)(const struct settings *settings, struct err *err);
    void (*close)(struct engine *e);
    const struct engine_facts *(*facts)(const struct engine *e);

    /* A question begins: the prompt and schema of the document (kept for the
     * next one with the same schema). Several for a document whose pages are
     * asked about one by one. */
    void (*begin)(struct engine *e, struct document *doc, struct err *err);

    /* Words before the pages that follow: what stood on the page before. They may
     * hold anything that is printed; the engine keeps it from being taken for
     * markup. NULL where the model reads none. */
    void (*context)(struct engine *e, const char *text, struct err *err);

    /* One page, prepared, or a part of it. */
    void (*page)(struct engine *e, struct document *doc,
                 const struct view *view, struct err *err);

    /* Fills doc->answer (in the document's arena), field and token counts.
     * FAIL: [model-truncated] when it was cut off, by max_tokens or by the end
     * of the context; [model-loop], [context-full], [engine-error],
     * [endpoint-failed], [endpoint-refused]; [endpoint-rejected] and
     * [endpoint-invalid] only where a probe was answered. */
    void (*answer)(struct engine *e, struct document *doc,
                   const struct engine_try *now, struct err *err);

    void (*end)(struct engine *e, struct document *doc);

    /* What a schema costs once (its automaton), or NULL. */
    void (*learn)(struct engine *e, const struct schema *schema,
                  struct err *err);

    /* Before open: would facts say `outline`? NULL: no. */
    bool (*asks_outline)(const struct settings *settings, struct err *err);

    /* What begin, context and page have put together is sent as this try, and
     * not waited for: when answer is asked the very same later, its answer may
     * be there already. What is never asked for is dropped, at `end` at the
     * latest; a failure is answer's to tell. False: not now. NULL: one question
     * at a time. */
    bool (*ahead)(struct engine *e, struct document *doc,
                  const struct engine_try *now, struct err *err);

    /* Sends a small test request of its own and waits for the answer. FAIL: as
     * answer. NULL: there is nothing to test. */
    void (*test)(struct engine *e, struct err *err);
};

/* By settings->engine. FAIL: [model-missing], [model-refused]; ERR_CONFIG for
 * an unknown name or an endpoint without a URL. */
struct engine *engine_open(const struct settings *settings, struct err *err);
/* The `outline` of its facts, before it is opened. FAIL: as engine_open, where
 * the model's header cannot be read. */
bool engine_asks_outline(const struct settings *settings, struct err *err);
void engine_close(struct engine *e); /* NULL is fine */

/* Does it answer a small test request? FAIL: as the api's answer. */
void engine_test(struct engine *e, struct err *err);
const struct engine_facts *engine_facts(const struct engine *e);

/* Makes ready what documents of this schema need, before the first of them is
 * opened: no document waits for another's schema. FAIL: [schema-refused]. */
void engine_learn(struct engine *e, const struct schema *schema,
                  struct err *err);

extern const struct engine_api engine_native_api;   /* engine_native.c */
extern const struct engine_api engine_endpoint_api; /* engine_endpoint.c */
extern const struct engine_api engine_null_api;     /* engine_null.c */

#endif
