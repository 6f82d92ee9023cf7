/* document_run.h - one document on its way through the stages: the state that
 * stages.c, question.c and long/ share.
 *
 * THE LIVES OF A PAGE
 *
 *     what                made by              owner          until
 *     pixels as drawn     document_run_draw    the caller     prepare_page replaces them
 *     page_view           page_view_new        the caller     page_view_close; its lines
 *                                                             stay in the arena
 *     a copy for OCR      page_words_add       page_words     OCR has received it
 *     words               page_words_add, OCR  page_words     page_words_drop, or its end
 *     prepared pixels     prepare_page         the caller     the engine has its page
 *     the same, packed    long/prefetch.c      drawn_page     its turn
 *     words of all pages  kept_words_set       the document   document_free
 *     struct page         the document         the document   document_free
 */
#ifndef STAGES_ASK_DOCUMENT_RUN_H
#define STAGES_ASK_DOCUMENT_RUN_H

#include "stages/alignment/evidence_pages.h"
#include "stages/document/run_context.h"
#include "stages/engine/engine.h"
#include "stages/input/rasterise.h"
#include "stages/page/prepare.h"
#include "stages/print/page_words.h"

struct document_run {
    struct document *doc;
    const struct run_context *context;
    struct raster *raster;
    struct prepare_target target;
    int budget;       /* largest answer known to fit the context, in tokens; 0:
                       * no question was refused */
    int text_tokens;  /* tokens for the words of each page of this question */
    int n_text_pages; /* pages of this question sent with words */
    int n_new_text_pages; /* those never sent with words before */
    bool no_page_text;    /* ask this question without words */
    int page;             /* current page, from 1; 0: none */
    int quarter_turns;    /* clockwise, of all pages (doc->turns), or of
                               * the only one (auto_rotate.h) */
    bool print_too_small; /* the only page was not shown for that reason */
    bool print_forced;    /* show such a page all the same */
    bool words_first;     /* show none: the words may answer */
    const struct document_example *found; /* examples for it (examples.h) */
    int n_found;
    struct page_words *words; /* of the pages drawn; NULL: none are read */
    struct evidence_pages evidence; /* pages of this question */
    int *print_lines; /* text lines of each page, where one question covers all
                       * and the layer has no words (long_document_count_lines);
                       * or NULL */
    unsigned empty_arrays; /* bit per array of the plan: no row was answered,
                            * although the pages seem to have some */
    bool asked_by_name;    /* nulls that were overlooked (ask/reask_nulls.h) */
    int n_cut_off; /* answers about the current page that the endpoint cut off,
                    * since the last complete one */
    int n_redrawn; /* pages drawn again because the child was killed */
    double since;  /* start of the current stage */
    struct auto_rotate *auto_rotate; /* of the embedded model; else NULL */
    struct err *err;
};

/* Starts the next stage: closes the time of the last one and reports progress.
 * Fails with [cancelled] once context->stop says so. Does nothing after a
 * failure, so that doc->stage stays where it happened. */
void document_run_enter(struct document_run *r, const char *stage);

/* Reopens `raster` so that its next page is doc->page[from], which may have
 * been drawn before. FAIL: as rasterise_open. */
void document_run_restart(struct document_run *r, int from);

/* Passes the last drawn page, doc->page[index], to r->words (does nothing where
 * that is NULL; the text layer of a turned page is not used). Enters the stage
 * "prepare"; the time OCR takes to accept the page counts as "ocr". */
void document_run_find_words(struct document_run *r, int index,
                             const struct page_view *view);

/* Adds the words of doc->page[from] to doc->page[to - 1] to the question
 * (r->evidence), unless they are there already. Waits for OCR, in a stage of
 * its own ("ocr"), and warns of scripts that the model cannot read. */
void document_run_load_words(struct document_run *r, int from, int to);

/* Swaps width and height of doc->page[index] if it is turned by 90 or 270
 * degrees. */
void document_run_swap_sides(struct document_run *r, int index);

/* A page_finer: draws doc->page[index] again if it was drawn below 100 dpi, or
 * if a picture was reduced for a model that sees less than the page's print.
 * `run` is a struct document_run. */
bool document_run_draw_finer(void *run, int index, struct image *out,
                             double *dpi);

/* Polled by engines while they work: context->stop; also feeds OCR its next
 * page. `run` is a struct document_run. */
bool document_run_should_stop(void *run);

/* Draws doc->page[index], the next one; false at the end or after a failure. A
 * text layer may exhaust the child that reads it: the page and those after it
 * are then drawn without words (doc->want_words), with a warning. A child that
 * was killed from outside is restarted. FAIL: `err` as rasterise_next. */
bool document_run_draw(struct document_run *r, int index, struct image *image,
                       struct err *err);

#endif
