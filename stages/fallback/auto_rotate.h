/* auto_rotate.h - a page that lies on its side or on its head, where the model itself can
 * tell (auto_rotate = auto).
 *
 * Which way up a page lies is not guessed from its ink (docs/notes/pages.md says why). But a
 * model that knows outlines alone (engine_facts) guesses where it reads nothing,
 * and its probabilities say so. Where the record of a single page would be unread,
 * and no one else reads the page as it lies, it is shown once more on its head and
 * on either side; what is then read clearly, and far more surely than as it lay, is
 * its right way up. The page is read so from there on, and a warning names the
 * turn. What is published is in the frame of the page as it was given.
 *
 * ORDER  auto_rotate_begin before the first question; if auto_rotate_wanted, then for each
 *        auto_rotate_next a question, judged by auto_rotate_judge; auto_rotate_accept, and where that is
 *        true the page is read again; at last auto_rotate_back.
 */
#ifndef STAGES_TURN_H
#define STAGES_TURN_H

#include "stages/ask/document_run.h"

enum { AUTO_ROTATE_TRIES = 3 };

/* What a question leaves in the document (document.h), and its warnings. */
struct auto_rotate_answer {
    cJSON *data, *gaps, *conflicts;
    struct document_rows *rows;
    struct field *field;
    int n_field, room_field;
    struct span answer;
    struct field_look *look;
    struct warnings *warnings;
    int64_t seed;
    char *text;
};

struct turning {
    struct document_run *r;
    struct warnings *before; /* of the first question: what was known by then */

    /* of the page as it lies, while it is tried */
    struct page_words *reader;
    struct auto_rotate_answer kept;
    struct page page;
    int64_t whole_pixels; /* of its pieces (prepare.h) */
    bool squeezed;

    double p;       /* of its tokens, as the page lies, */
    double p_of[4]; /* and turned by so many quarters; 0: nothing was given */
    bool read[4];   /* that is the p of a page that was read */
    int n_tried, tried;
};

/* Before the first question: what is known of the document by then. */
void auto_rotate_begin(struct turning *t, struct document_run *r);

/* Is the document one that may be turned, and not read as it lies? */
bool auto_rotate_wanted(struct turning *t);

/* Sets the reading up for the next try; false: there is none, and the reading is
 * again what it was. A try says nothing to anybody: no OCR looks, and
 * its warnings are dropped. */
bool auto_rotate_next(struct turning *t);

/* What the question gave; a failure is none of the document's, but for
 * [cancelled]. */
void auto_rotate_judge(struct turning *t);

/* Was it read one way clearly? Then the reading is set up to read it so. */
bool auto_rotate_accept(struct turning *t);

/* Puts places and sides back into the frame of the page as it was given. */
void auto_rotate_back(struct document_run *r);

#endif
