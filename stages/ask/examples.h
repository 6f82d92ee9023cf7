/* examples.h - reviewed documents of the same sender, told to the model as
 * examples (examples = auto).
 *
 * The caller finds them by the words of the document (run_context's
 * find_examples), which text layer and OCR give before the first question: its
 * first pages are drawn once more for that. Examples are told between prompt and
 * pages of a question about the whole document, to models that take words
 * (engine_facts), whole or not at all, the most similar first, as many as fit
 * into their share of the context:
 *
 *     Earlier documents of the same sender, ...
 *     Example 1. Its print, each line behind "|":
 *     |ACME GmbH
 *     |Coffee<tab>2<tab>5.60
 *     Its record:
 *     {"total":5.60}
 *     End of the examples. ...
 *
 * Their words are other people's text: no line of them can look like one of
 * these, and "<" and "[" are set apart, as in page_text_prompt.h. A value that is
 * in an example and not on the page is a warning (from-example).
 */
#ifndef STAGES_ASK_EXAMPLES_H
#define STAGES_ASK_EXAMPLES_H

#include "stages/ask/question.h"

enum {
    EXAMPLES_PAGES = 4, /* that are drawn for words; an example has no more */
    EXAMPLES_WORDS_MOST = 16 << 10, /* bytes of them; the same */
    EXAMPLES_TEXT_MOST = 1 << 20    /* of all that are found, as JSON */
};

/* Whether they are asked for: by the caller, for this engine and document. */
bool examples_are_wanted(const struct document_run *r);

/* Finds them (r->found) by the words of the first n_page pages, which were
 * drawn; waits for OCR. */
void examples_find(struct document_run *r, int n_page);

/* Tells those that fit with the question (doc->example, doc->example_text).
 * Returns its tokens with them, estimated; 0: none is told. */
int examples_begin(struct document_run *r, const struct question *q);

/* Was a question with examples too long for the context? Then clears the failure
 * and drops them: the caller asks again. */
bool examples_were_too_long(struct document_run *r);

/* No example is told any more. */
void examples_drop(struct document_run *r);

/* Warns of the values of doc->data that are in an example and not on the pages,
 * by the verdicts of doc->field. */
void examples_check(struct document *doc);

/* Prints examples as above in at most max_tokens, estimated
 * (page_text_prompt_tokens). Returns how many are told, and which. */
int examples_put(const struct document_example *all, int n, int max_tokens,
                 struct document_example *told, struct buf *out);

#endif
