/* shown.h - the pages of a question while it is open, and what they prove.
 *
 * LIFE  shown_begin before the pages of a question, shown_add for each of them
 *       before the first answer, shown_prove for each answer; shown_end at last.
 */
#ifndef STAGES_EVIDENCE_SHOWN_H
#define STAGES_EVIDENCE_SHOWN_H

#include "stages/document.h"
#include "stages/evidence/locate.h"
#include "vlm/base/err.h"

struct shown {
    struct arena *arena;
    struct page_words *page;
    int n_page, room;
    bool is_read; /* somebody read one of them, */
    bool partial; /* and nobody all of them */
};

/* Forgets the pages of the question before. */
void shown_begin(struct shown *s);

/* A page of the question, in order, with its words (page_reader.h), which stay
 * the caller's. */
void shown_add(struct shown *s, int number, const struct words *words);

/* Whether the page was added. */
bool shown_has(const struct shown *s, int number);

/* Gives the values of an answer, valid under doc->schema, their verdicts and
 * evidence in doc->field; where the engine is not `measured`, the fields are
 * made for that. Texts go to doc->scratch. What no words show is left to where
 * the model looked and to the page (pointed.h). Of the words only those between
 * the heights top and bottom (0..1) count. */
void shown_prove(const struct shown *s, struct document *doc,
                 const cJSON *value, bool measured, double top, double bottom);

/* The places where the field's value was found become its evidence, in the
 * arena. */
void shown_set_evidence(struct field *f, const struct located *found,
                        struct arena *arena);

/* Gives all memory back; nothing was begun: fine. */
void shown_end(struct shown *s);

#endif
