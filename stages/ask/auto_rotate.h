/* auto_rotate.h - detects a page that is upside down or on its side from what
 * the model reads (auto_rotate = auto).
 *
 * The orientation is not derived from the ink (docs/notes/pages.md explains
 * why). But the probabilities of the embedded model (engine_facts, outline)
 * show when it only guesses. If the record of a single page would be unread,
 * and neither text layer nor OCR reads the page either, it is asked again with
 * the page rotated by 180, 90 and 270 degrees. A rotation that is read clearly,
 * and with a much higher probability, is used, and a warning names it. Places
 * in the record are those of the page as given.
 *
 * If OCR reads most lines in another direction (words.h, turns), only that
 * rotation is tried, with any model and also for a record that is not unread;
 * it is used if the model reads it no worse.
 *
 * ORDER  auto_rotate_begin before the first question; if auto_rotate_wanted,
 *        for each auto_rotate_next one question and auto_rotate_judge; if
 *        auto_rotate_accept is true, read the page again; at last
 *        auto_rotate_back.
 */
#ifndef STAGES_ASK_AUTO_ROTATE_H
#define STAGES_ASK_AUTO_ROTATE_H

#include "stages/ask/document_run.h"

enum { AUTO_ROTATE_TRIES = 3 };

/* The results of a question in the document (document.h), and its warnings. */
struct auto_rotate_answer {
    cJSON *data, *gaps, *conflicts;
    struct document_rows *rows;
    struct field *field;
    int n_field, field_capacity;
    struct span answer;
    struct warnings *warnings;
    int64_t seed;
    char *text;
};

struct auto_rotate {
    struct document_run *r;
    struct warnings *before; /* warnings before the first question */

    /* state of the unrotated page, saved during the tries */
    struct page_words *words;
    struct auto_rotate_answer kept;
    struct page page;
    int64_t whole_pixels; /* of the page in pieces (prepare.h) */
    bool print_forced;

    int printed_turns;  /* quarter turns that OCR's lines ask for; 0: unknown */
    double p;           /* token_p of the unrotated page */
    double p_turned[4]; /* token_p by quarter turns; 0: no answer */
    bool read[4];       /* by quarter turns: read clearly, with enough values */
    int n_tried;        /* tries so far */
    int tried;          /* quarter turns of the current try */
};

/* Before the first question: sets r->auto_rotate for the embedded model, and notes
 * the warnings. */
void auto_rotate_begin(struct document_run *r);

/* Is it a single page, rotation enabled, and unread as it is? */
bool auto_rotate_wanted(struct auto_rotate *t);

/* Sets the run up for the next try; false: no more tries, and the run is
 * restored. Tries are silent: no OCR, and their warnings are dropped. */
bool auto_rotate_next(struct auto_rotate *t);

/* Notes the result of a try. Clears its failure, except [cancelled]. */
void auto_rotate_judge(struct auto_rotate *t);

/* Was one rotation read clearly? Then sets the run up to read it. */
bool auto_rotate_accept(struct auto_rotate *t);

/* Maps the boxes of a field's evidence back to the page as it was given. */
void auto_rotate_evidence(struct field *f, int quarters, struct arena *arena);

/* Converts places and sides to the frame of the page as given. */
void auto_rotate_back(struct document_run *r);

#endif
