/* question.h - one question about some pages, asked until the answer is valid.
 *
 * A document is one question, or several with their answers merged: stages.c
 * decides which pages each one covers.
 */
#ifndef STAGES_ASK_QUESTION_H
#define STAGES_ASK_QUESTION_H

#include "stages/ask/document_run.h"

struct question {
    int from, to; /* doc->page[from] to doc->page[to - 1] */
    bool part;    /* part of a page: a cut-off answer is not asked for again;
                   * the caller asks about less */
    const char *lines;  /* the only lines asked about (engine.h), or NULL */
    int n_token;        /* tokens of the question, estimated; 0: unknown */
    double top, bottom; /* of a part: heights on the page as displayed */
};

/* Might a smaller question succeed after this failure? The answer was cut off,
 * repeated itself without end, or did not fit into the context. */
bool question_was_too_large(const struct err *err);

/* Forgets a failure of the answer itself: the one before it counts. */
void question_forgive(struct err *err);

/* Maximum tokens of the first answer: max_tokens, or what a context of known
 * size has left after the question. */
int question_budget(const struct document_run *r, const struct question *q);

/* Asks about the pages that were shown, or reads their words (engine_facts'
 * reads_words; the embedded model, if its answer is a guess). Asks at most twice: after an unusable
 * answer, with its error in the prompt; after one that was cut off, with a
 * larger token budget if there is room, never with the same. Nulls that were
 * overlooked are asked for by name, once a document. The value is valid, in the
 * order of the schema, and freed by the caller; doc->field has
 * its probabilities, with guesses dropped (ask/required_evidence.h). NULL after a
 * failure: those of engine.h's answer, [model-invalid-json], [schema-invalid],
 * [cancelled]. */
cJSON *question_ask(struct document_run *r, const struct question *q);

/* Whether the question's pages have text layers that are read in place of their
 * pictures: of the embedded model, unless ground is off. */
bool question_has_layers(const struct document_run *r,
                         const struct question *q);

/* Reads the question's pages from their words, in place of the embedded model: as
 * question_ask, but its fields have no probabilities. Sets doc->by_words. NULL,
 * without a failure and with doc->field unchanged: another model, ground = off, no
 * words, or nothing was found. */
cJSON *question_ask_words(struct document_run *r, const struct question *q);

/* The same for engine = auto, of any model, if the words decide the whole value: no
 * null, no empty array. */
cJSON *question_ask_words_first(struct document_run *r,
                                const struct question *q);

/* Validates doc->data, with the rows in the row file, under doc->schema. FAIL:
 * [schema-invalid] with the places; ERR_SYSTEM if a row cannot be read. */
bool question_check_data(struct document *doc, struct err *err);

#endif
