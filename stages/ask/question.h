/* question.h - one question about some pages, asked until the answer is valid.
 *
 * A document is one question, or several whose answers are joined: stage.c says
 * which pages each one has.
 */
#ifndef STAGES_ASK_QUESTION_H
#define STAGES_ASK_QUESTION_H

#include "stages/ask/document_run.h"

struct question {
    int from, to; /* doc->page[from] up to, not with, doc->page[to] */
    bool part;    /* of a page: what is cut off is not asked again, but less */
    const char *lines;  /* the only lines asked about (engine.h), or NULL */
    int n_token;        /* of it, about; 0: not known */
    double top, bottom; /* of a part: heights on the page as displayed */
};

/* Could a smaller question be answered where this failure ended one? Cut off,
 * repeating itself without end, or no room in the context. */
bool question_was_too_large(const struct err *err);

/* Tokens that the first answer may take: what is configured, as far as the
 * context that is known of has room behind the question. */
int question_budget(const struct document_run *r, const struct question *q);

/* Asks about the pages that were shown, twice at most: after an unusable answer
 * with what was wrong with it, after one that was cut off with a larger budget
 * of tokens where there is room, never with the same. The value is valid and in
 * the order of the schema, the caller's; doc->field has its probabilities, with
 * guesses dropped (evidence/required.h). NULL after a failure: what answer of engine.h
 * says, [model-invalid-json], [schema-invalid], [cancelled]. */
cJSON *question_ask(struct document_run *r, const struct question *q);

/* True when doc->data is valid for doc->schema, with the rows that are not in
 * memory; else [schema-invalid] with the places. FAIL also: ERR_SYSTEM where a
 * row cannot be had. */
bool question_check_data(struct document *doc, struct err *err);

#endif
