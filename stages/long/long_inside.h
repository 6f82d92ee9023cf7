/* long_inside.h - what the files of this room share of one reading. */
#ifndef STAGES_LONG_LONG_INSIDE_H
#define STAGES_LONG_LONG_INSIDE_H

#include "stages/ask/document_run.h"
#include "stages/engine/image_encode.h"
#include "stages/long/check/coverage.h"
#include "stages/long/plan/plan.h"
#include "stages/long/row_file.h"
#include "stages/print/page_table.h"

/* A page that is drawn and prepared, and waits for its turn. */
struct drawn {
    struct image image;     /* or */
    struct packed packed;   /* while it waits */
    struct page_view *view; /* without its pixels */
    const struct text_lines
        *lines; /* of it, where somebody will ask for them */
    struct warnings
        *warnings;       /* of drawing it: the document's when its turn comes */
    struct arena *arena; /* of the view and the warnings */
    int index;
    bool asked;    /* about, ahead; or there is nothing to ask */
    bool wordless; /* its text layer was not asked for, see prefetch.c */
};

/* All cJSON here is owned, and is what a state in the file of rows holds. */
struct windows {
    struct document_run *r;
    const struct plan *plan;
    struct row_file *rows;
    const char *prompt; /* instructions for a part */
    const char *real_prompt;
    int prompt_tokens; /* of them and the larger schema, about */
    int from;          /* the first page that was not read yet */
    int n_shown;       /* pages, without blank ones */
    int n_answer;      /* questions that were answered */
    int split;     /* pages are halved so often from the start: the page before
                   * had to be */
    int n_fit;     /* pages asked for all values for what their text says */
    int n_warned;  /* warnings that are in a state */
    bool wordless; /* the last page was: those behind it are, too */
    struct err lost; /* why something was left as a gap, last */
    struct coverage_shape shape[PLAN_ARRAY_MAX]; /* of each table's rows */
    struct page_table
        table; /* of the page at hand, once long_document_read_table was
                              * called; no lines: nobody can tell */
    bool table_read;
    bool by_another; /* OCR saw its words, and may err */
    int n_unchecked; /* rows of the page at hand, which has no lines */
    cJSON *last;     /* an array: each array's last row (row_file.h), or null:
                            * the next page may go on with it */
    cJSON *header;   /* an array: each table's head as printed, or null */
    bool
        nested; /* rows hold tables of their own (nested_tables.h), as an answer showed */
    cJSON *around[PLAN_ARRAY_MAX]; /* of the part at hand: its rows that hold
                                    * tables, as entries; or NULL */
    int n_around[PLAN_ARRAY_MAX];  /* of these, its own answer gave */
    cJSON *scalars;                /* header_vote.h */
    cJSON *gaps;         /* {"page": n, "text": line} found since the state */
    struct drawn *drawn; /* in order, the page at hand first (prefetch.c) */
    int n_drawn, n_room; /* how many there are, and may be */
    int next;            /* page to draw */
    bool all_drawn;      /* or the next one failed: */
    struct err late;     /* why, and in which stage */
    const char *late_stage;
    bool strict;  /* it would fit one question: see coverage.h */
    cJSON *given; /* for its only page already, or NULL */
    bool steady;  /* the page before did not change what is told of it */
};

/* A part of a page: all of it, or what lies between two white gaps. */
struct part {
    const struct text_lines *lines; /* of the page (struct view), or NULL */
    const struct image *image;      /* of the part alone, and white below it, */
    int height_px;                  /* behind so many rows; 0: there is none */
    int index;                      /* of the page */
    double top, bottom;             /* 0..1 of the page as it is shown */
    int depth;                      /* how often the page was halved, */
    int n_cut;                      /* as often for its size alone */
    bool scalars;    /* asked for all values, not for rows alone */
    bool unanswered; /* no answer about it would hold its rows */
};

/* How many rows of its picture are of the page. */
static inline int part_height(const struct part *part)
{
    return part->height_px ? part->height_px : part->image->height_px;
}

/* Asks about the part, in halves where its answer is too long, and takes what
 * it gives into w. FAIL: r->err. (ask_region.c) */
void ask_region_read(struct windows *w, const struct part *part);

/* What one question gave for the document's only page becomes w->given, where that
 * page's answer has its rows in the same places. (check_single_answer.c) */
void long_document_keep_given(struct windows *w);

/* The page whose turn it is, with its warnings in the document; NULL at the end,
 * or after a failure (r->err). Draws those behind it, too, and asks about them,
 * where the engine takes several questions at once: what is asked of a page and
 * what is kept of it are the same whether it came ahead or not. (prefetch.c) */
struct drawn *prefetch_next(struct windows *w);
void prefetch_done(struct windows *w); /* frees it */
void prefetch_begin(struct windows *w, int from);
void prefetch_end(struct windows *w);

/* Is the page asked for all values, not for rows alone? *fits (or NULL): it is
 * for what its text says. (long_document.c) */
bool long_document_wants_scalars(struct windows *w, const struct drawn *d,
                                 bool *fits);

/* The page's table, by which to tell what was left out. (long_document.c) */
void long_document_read_table(struct windows *w, int index);

/* Sends the question about the part ahead of its turn, where the engine does so
 * now; ask_region_read then need not wait for its answer. Only as far as what is known
 * is what will be known then; else it is asked again. (ask_region.c) */
bool ask_region_ask_ahead(struct windows *w, const struct part *part);

/* Asks once more about the part that was asked about last, for the rows on these
 * lines ("- text" each) alone. The value, the caller's, or NULL where there is
 * none: what is still missing is named, a failure that ends the reading is in
 * r->err. (ask_region.c) */
cJSON *ask_region_ask_lines(struct windows *w, const struct part *part,
                            const char *lines);

/* The lines of w->table whose middle the part shows: it may be of a page without
 * its margins. The arena's. (ask_region.c) */
struct page_table ask_region_table(const struct windows *w,
                                   const struct part *part,
                                   struct arena *arena);

/* Takes a part's answer: rows to w->rows, the rest to w->scalars. `value` is
 * no longer the caller's; doc->field has its probabilities. (keep_rows.c) */
void keep_rows_part(struct windows *w, const struct part *part, cJSON *value);

/* An entry, a line of row_file.h; `row` and `fields` become its own. (keep_rows.c) */
cJSON *keep_rows_entry(int array, int page, cJSON *row, cJSON *fields);

/* Of an entry, or null: what comes behind it is no rest of it. (keep_rows.c) */
void keep_rows_close(cJSON *entry);

/* Takes an array's rows out of an answer, as entries of row_file.h: an array, the
 * caller's. *continues (or NULL): the first is the rest of one. (keep_rows.c) */
cJSON *keep_rows(struct windows *w, const struct part *part, int array,
                 cJSON *value, bool *continues);

/* Holds the rows of a part (an array of entries for each array of the plan)
 * against the lines of the page: takes out what is not there, asks again for
 * what is missing, and names in w->gaps what is missing then. continues[]: of
 * each array, whether it begins with the rest of the row that waits, as the
 * answer says; false afterwards where that cannot be. (check_rows.c) */
void check_rows_part(struct windows *w, const struct part *part,
                     cJSON **entries, bool *continues);

/* Can the reader be asked about lines of which the document's plan has rows? Of one
 * that knows a schema's keys alone what it left out is a gap at once. (check_rows.c) */
bool check_rows_asks(const struct windows *w);

/* Adds a gap {"page", "unchecked": true, "lines", "rows"}: the page has so many
 * lines of print and no known words, so its rows could not be checked. n_row -1:
 * unknown, and left out. (unchecked_pages.c) */
void unchecked_pages_add(cJSON *gaps, int page, int n_line, int n_row);

/* May the lines of the page be asked for at its end? (unchecked_pages.c) */
bool unchecked_pages_may_be(const struct windows *w, int index);

/* The same in w->gaps for the page that was read last, where that is so.
 * (unchecked_pages.c) */
void unchecked_pages_end_page(struct windows *w, const struct drawn *d);

/* Can the entry be the rest of the array's last row? (keep_rows.c) */
bool keep_rows_rest_fits(const struct windows *w, int array,
                         const cJSON *entry);

/* Writes the rows that wait for a next page. (keep_rows.c) */
void keep_rows_flush(struct windows *w);

/* doc->data and doc->field from the scalars and the file of rows. (assemble.c) */
void assemble_value(struct windows *w);

#endif
