/* evidence_pages.h - the pages of a question while it is open, and what they prove.
 *
 * LIFE  evidence_pages_begin before the pages of a question, evidence_pages_add for each of them
 *       before the first answer, evidence_pages_prove for each answer; evidence_pages_end at last.
 */
#ifndef STAGES_EVIDENCE_EVIDENCE_PAGES_H
#define STAGES_EVIDENCE_EVIDENCE_PAGES_H

#include "stages/document.h"
#include "stages/evidence/locate.h"
#include "vlm/base/err.h"

struct evidence_pages {
    struct arena *arena;
    struct numbered_words *page;
    int n_page, room;
    bool is_read; /* somebody read one of them, */
    bool partial; /* and nobody all of them */
};

/* Forgets the pages of the question before. */
void evidence_pages_begin(struct evidence_pages *s);

/* A page of the question, in order, with its words (page_words.h), which stay
 * the caller's. */
void evidence_pages_add(struct evidence_pages *s, int number,
                        const struct words *words);

/* Whether the page was added. */
bool evidence_pages_has(const struct evidence_pages *s, int number);

/* Gives the values of an answer, valid under doc->schema, their verdicts and
 * evidence in doc->field; where the engine is not `measured`, the fields are
 * made for that. Texts go to doc->scratch. What no words show is left to where
 * the model looked and to the page (attention_evidence.h). Of the words only those between
 * the heights top and bottom (0..1) count. */
void evidence_pages_prove(const struct evidence_pages *s, struct document *doc,
                          const cJSON *value, bool measured, double top,
                          double bottom);

/* The places where the field's value was found become its evidence, in the
 * arena. */
void evidence_pages_set_evidence(struct field *f, const struct located *found,
                                 struct arena *arena);

/* Gives all memory back; nothing was begun: fine. */
void evidence_pages_end(struct evidence_pages *s);

#endif
