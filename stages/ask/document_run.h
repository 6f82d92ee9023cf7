/* document_run.h - one document on its way through the stages: what the steps of
 * stage.c and question.c share. */
#ifndef STAGES_ASK_DOCUMENT_RUN_H
#define STAGES_ASK_DOCUMENT_RUN_H

#include "stages/evidence/evidence_pages.h"
#include "stages/input/rasterise.h"
#include "stages/page/prepare.h"
#include "stages/print/page_words.h"
#include "stages/stage.h"

/* Of a document of at most so many pages the words stay until its end
 * (fallback/). */
enum { DOCUMENT_RUN_PAGES_KEPT = 4 };

struct document_run {
    struct document *doc;
    const struct desk *desk;
    struct raster *raster;
    struct prepare_target target;
    int budget; /* tokens of an answer that the context was seen to have room
                   * for; 0: no question was refused */
    int room;   /* tokens of the words of each page of the question at hand, */
    int n_told, n_new; /* pages whose words it was told, and was told first, */
    bool mute;         /* and it shall be told none (page_text_prompt.h) */
    int page;          /* at hand, from 1; 0: none */
    int turn;     /* quarters clockwise by which the only page is turned when it
                    * was drawn (fallback/) */
    bool cramped; /* the only page was not shown: its print is too small... */
    bool squeezed;               /* ...and shall be shown all the same */
    struct page_words *reader;   /* of the pages that are drawn; NULL: nobody */
    struct evidence_pages shown; /* pages of the question at hand */
    int *print_lines; /* of each page, where one question is about all and its
                       * layer has no words (long_document_count_lines); or NULL */
    /* bits of the plan's arrays that it gave no row of, though some seem there */
    unsigned rowless;
    /* answers about the page at hand that an endpoint cut off, none between them
     * that was whole */
    int n_cut_off;
    int n_again;  /* a page was drawn once more, for its child was killed */
    double since; /* when the present stage began */
    /* of a model that knows outlines alone (fallback/fallback.h), or NULL */
    const struct fallback_steps *fallback;
    struct turning *turning;
    struct err *err;
};

/* The next stage begins: closes the time of the last one, tells the desk, and
 * fails with [cancelled] once the desk says stop. Does nothing after a failure,
 * so that doc->stage stays where it happened. */
void document_run_enter(struct document_run *r, const char *stage);

/* The next page of `raster` is doc->page[from], also where others were drawn
 * before. FAIL: as rasterise_open. */
void document_run_restart(struct document_run *r, int from);

/* doc->page[index] as it was drawn last, for its words (nobody's, where there is
 * no r->reader; not the text layer's, of a page that is turned): the stage that begins
 * then is "prepare", or "second" for as long as OCR takes to have
 * the page. */
void document_run_find_words(struct document_run *r, int index,
                             const struct page_view *view);

/* The words of doc->page[from] up to, not with, [to] become those of the question
 * at hand (r->shown), as far as they are not: only now OCR is
 * waited for, in a stage of its own ("second"). What a page is written in is
 * held against what the model reads. */
void document_run_load_words(struct document_run *r, int from, int to);

/* doc->page[index] once more, as fine as its print can be of use, in a child of
 * its own; what is drawn is told in *page, and what the document knows of it
 * stays. False: it cannot be had, which nobody needs to be told. */
bool document_run_draw_again(struct document_run *r, int index,
                             struct image *out, struct page *page);

/* The sides of doc->page[index] change places where it is turned by a quarter. */
void document_run_swap_sides(struct document_run *r, int index);

/* As page_finer's: doc->page[index] once more, where it was drawn below 100 dpi,
 * or a picture made smaller, for a model that sees less than a page's print. */
bool document_run_draw_finer(void *reading, int index, struct image *out,
                             double *dpi);

/* Asked by engines while they work: as the desk's stop, and OCR
 * gets its next page meanwhile. */
bool document_run_should_stop(void *reading);

/* Draws doc->page[index], the next one; false at the end or after a failure. A
 * text layer can be made to exhaust the child that reads it, and says nothing of
 * the picture: then once more without words, of this page and of those behind it
 * (doc->want_words), with a warning. A child that was killed from outside is
 * begun again as it was. FAIL: `err` as rasterise_next. */
bool document_run_draw(struct document_run *r, int index, struct image *image,
                       struct err *err);

#endif
