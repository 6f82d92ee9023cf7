/* long_inside.h - one long document while it is read, for the files of this folder.
 *
 * long_document.c goes from page to page (prefetch.c draws and asks ahead);
 * read_region.c asks about a page, in halves if the answer is too long
 * (ask_region.c); keep_rows.c takes the answer apart (answer_rows.c), has its rows
 * checked against the lines of the page (page_lines.c, check/) and writes them to
 * the file of rows (row_file.h); assemble.c makes one value of them.
 */
#ifndef STAGES_LONG_LONG_INSIDE_H
#define STAGES_LONG_LONG_INSIDE_H

#include "stages/alignment/coverage/coverage.h"
#include "stages/ask/document_run.h"
#include "stages/long/plan/plan.h"
#include "stages/long/row_file.h"
#include "stages/pixels/image_encode.h"
#include "stages/print/page_table.h"

/* A page that is drawn and prepared, and waits for its turn. */
struct drawn_page {
    struct image image;     /* or `packed` */
    struct packed packed;   /* the image, compressed, while it waits */
    struct page_view *view; /* without its pixels */
    int n_line; /* of print; 0: none, or its rows need no count of them */
    struct warnings *warnings; /* of drawing; the document's at its turn */
    struct arena *arena;       /* owns the view and the warnings */
    int index;                 /* of the page in the document */
    bool asked;         /* a question was sent ahead, or none is needed */
    bool no_text_layer; /* its text layer was not requested (prefetch.c) */
};

/* All cJSON is owned, and part of the state in the file of rows. */
struct long_document {
    struct document_run *r;
    const struct plan *plan;
    struct row_file *rows;
    const char *prompt;      /* instructions for a part of a page */
    const char *real_prompt; /* of the document */
    int prompt_tokens;       /* estimate: prompt and the larger schema */

    /* progress */
    int from;     /* first page that was not read yet */
    int n_shown;  /* pages shown, without blank ones */
    int n_answer; /* answered questions */
    int split;    /* halvings from the start, as the page before needed them */
    int n_fit;    /* pages asked for all values because of their text */
    int n_warned; /* warnings that a state contains */
    struct err lost; /* cause of the last gap */

    /* the page being read */
    struct page_table
        table;    /* its lines, after page_lines_read; none: unknown */
    int quarters; /* of its lines, if the page is on its side (text_lines.h) */
    bool table_read;
    bool by_ocr;        /* the words are those of OCR, and may be wrong */
    bool no_text_layer; /* neither has this page one, nor do those behind it */
    int n_unchecked;    /* rows of a page without lines */
    cJSON *
        around[PLAN_ARRAY_MAX]; /* rows that hold tables, as entries; or NULL */
    int n_around[PLAN_ARRAY_MAX]; /* of these, from the part's own answer */
    cJSON *given; /* answer that exists already (its only page), or NULL */

    /* what the pages before gave */
    struct coverage_shape shape[PLAN_ARRAY_MAX]; /* of each table's rows */
    cJSON *last;   /* array: each table's last row, or null if it is complete */
    cJSON *header; /* array: each table's heading as printed, or null */
    cJSON *scalars; /* header_vote.h */
    cJSON *gaps;    /* {"page": n, "text": line} since the last state */
    bool nested;    /* an answer had rows that hold tables (nested_tables.h) */
    bool header_unchanged; /* by the page before */
    bool strict; /* the document would fit one question (coverage.h) */

    /* drawing ahead (prefetch.c) */
    struct drawn_page *drawn; /* in order, the current page first */
    int n_drawn, n_room;      /* number, capacity */
    int next;                 /* page to draw */
    bool all_drawn;           /* or `late` is why not */
    struct err late;
    const char *late_stage; /* stage in which it failed */
};

/* A part of a page: all of it, or what is between two white gaps. */
struct part {
    const struct image *image; /* of the part alone, white below it */
    int height_px;      /* rows of the image that belong to the page; 0: all */
    int index;          /* of the page */
    double top, bottom; /* 0..1 of the page as shown */
    int depth;          /* number of halvings */
    int n_cut;          /* of these, for size alone */
    bool scalars;       /* all values are wanted, not rows alone */
    bool unanswered;    /* its rows do not fit into an answer */
};

/* Rows of its picture that belong to the page. */
static inline int part_height(const struct part *part)
{
    return part->height_px ? part->height_px : part->image->height_px;
}

/* The number of its page, from 1. */
static inline int part_page(const struct long_document *w,
                            const struct part *part)
{
    return w->r->doc->page[part->index].number;
}

/* --- drawing: prefetch.c, page_scalars.c --------------------------------------- */

/* The next page, with its warnings moved to the document; NULL at the end or after
 * a failure (r->err). Also draws the pages behind it, and asks about them if the
 * engine takes several questions at once. Asking ahead changes no question and no
 * result. */
struct drawn_page *prefetch_next(struct long_document *w);
void prefetch_done(struct long_document *w); /* frees that page */
void prefetch_begin(struct long_document *w, int from);
void prefetch_end(struct long_document *w);

/* Whether the page is asked for all values, and not for rows alone. *fits: because
 * its text mentions values that are still null. */
bool page_scalars_wanted(struct long_document *w, const struct drawn_page *d,
                         bool *fits);

/* --- asking: read_region.c, ask_region.c --------------------------------------- */

/* Asks about the part, in halves if its answer is too long, and keeps the rows.
 * FAIL: r->err. */
void read_region(struct long_document *w, const struct part *part);

/* One question about the part; the value, the caller's, or NULL (r->err). */
cJSON *ask_region(struct long_document *w, const struct part *part);

/* Sends the question ahead of its turn, if the engine can; ask_region then does not
 * wait. A question that turns out different later is asked again. */
bool ask_region_ask_ahead(struct long_document *w, const struct part *part);

/* Asks again about the part asked about last, for the rows on these lines ("- text"
 * each) alone. The value, the caller's, or NULL; r->err has a failure that ends the
 * reading. */
cJSON *ask_region_ask_lines(struct long_document *w, const struct part *part,
                            const char *lines);

/* --- lines of the page: page_lines.c ------------------------------------------- */

/* Sets w->table for the page, once. */
void page_lines_read(struct long_document *w, int index);

/* The lines of w->table whose middle is in the part; margins may have been cropped.
 * None in a part of a page on its side: parts are cut across its lines. Owned by the
 * arena. */
struct page_table page_lines_of_part(const struct long_document *w,
                                     const struct part *part,
                                     struct arena *arena);

/* A box of the displayed page in the frame of w->table. */
struct box page_lines_box(const struct long_document *w,
                          const struct page *page, struct box displayed);

/* Whether the model can be asked about single lines. One that knows a schema's keys
 * alone cannot: its missing rows are gaps at once. */
bool page_lines_can_ask(const struct long_document *w);

/* Adds the gap {"page", "text"}: a row begins on that line, and was not read. */
void page_lines_gap_add(cJSON *gaps, int page, const char *text);

/* Adds the gap {"page", "unchecked": true, "lines", "rows"}: the page has `n_line`
 * lines of print and no known words, so its rows could not be checked. n_row -1:
 * unknown, and left out. */
void page_lines_unchecked_add(cJSON *gaps, int page, int n_line, int n_row);

/* Whether the page may turn out to have no words. */
bool page_lines_allow_unchecked(const struct long_document *w, int index);

/* Adds that gap to w->gaps for the page read last, if it applies. */
void page_lines_unchecked_end_page(struct long_document *w,
                                   const struct drawn_page *d);

/* --- rows: answer_rows.c, check/, keep_rows.c, assemble.c ---------------------- */

/* Takes an array's rows out of an answer: an array of entries (row_file.h), the
 * caller's. *continues (or NULL): the first is the rest of a row. */
cJSON *answer_rows(struct long_document *w, const struct part *part, int array,
                   cJSON *value, bool *continues);

/* Checks the rows of a part (an array of entries for each array of the plan) against
 * the lines of the page: removes what is not there, asks again for what is missing,
 * and adds what is still missing to w->gaps. continues[]: for each array, whether
 * the answer says that it begins with the rest of the waiting row; set to false
 * where that cannot be. */
void check_rows_part(struct long_document *w, const struct part *part,
                     cJSON **entries, bool *continues);

/* Keeps a part's answer: rows in w->rows, other values in w->scalars. Owns `value`;
 * doc->field has its probabilities. */
void keep_rows_part(struct long_document *w, const struct part *part,
                    cJSON *value);

/* Writes the rows that wait for the next page. */
void keep_rows_flush(struct long_document *w);

/* The answer of one question becomes w->given of the document's only page, if that
 * page's schema has its rows in the same places. (check_single_answer.c) */
void long_document_keep_given(struct long_document *w);

/* Sets doc->data and doc->field from the scalars and the file of rows. */
void assemble_value(struct long_document *w);

#endif
