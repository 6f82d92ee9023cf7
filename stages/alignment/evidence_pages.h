/* evidence_pages.h - the words of a question's pages, and the evidence they
 * give.
 *
 * LIFE  evidence_pages_begin before a question's pages; evidence_pages_add for
 *       each page before the first answer; evidence_pages_find for each
 *       answer; evidence_pages_end at last.
 */
#ifndef STAGES_ALIGNMENT_EVIDENCE_PAGES_H
#define STAGES_ALIGNMENT_EVIDENCE_PAGES_H

#include "stages/alignment/alignment.h"
#include "stages/document/document.h"
#include "vlm/base/err.h"

struct evidence_pages {
    struct arena *arena;
    struct numbered_words *page;
    int n_page;
    bool is_read; /* at least one page has words */
    bool partial; /* but not every page is covered by words */
};

/* Forgets the pages of the previous question. */
void evidence_pages_begin(struct evidence_pages *s);

/* Adds a page of the question, in order, with its words (page_words.h), which
 * the caller owns. */
void evidence_pages_add(struct evidence_pages *s, int number,
                        const struct words *words);

/* Whether the page was added. */
bool evidence_pages_has(const struct evidence_pages *s, int number);

/* Sets verdicts and evidence in doc->field for the values of an answer that is
 * valid under doc->schema; if the engine is not `measured`, the fields are
 * created. Texts go to doc->scratch. Values that no words show get only the
 * question's page, if it is one. Only words between the heights
 * top and bottom (0..1) are used. */
void evidence_pages_find(const struct evidence_pages *s, struct document *doc,
                         const cJSON *value, bool measured, double top,
                         double bottom);

/* Sets the places where the field's value was found as its evidence, in the
 * arena. */
void evidence_pages_set_evidence(struct field *f,
                                 const struct aligned_value *found,
                                 struct arena *arena);

/* Frees all memory. Allowed without evidence_pages_begin. */
void evidence_pages_end(struct evidence_pages *s);

#endif
