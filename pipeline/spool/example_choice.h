/* example_choice.h - which reviewed documents are examples for a document
 * (stages/ask/examples.h): those whose sender its words name, the most similar
 * first.
 *
 * A name counts if the words of it are in the document's words, one behind the
 * other on a line, compared as senders are (stages/confidence/earlier.h). How
 * similar two documents are is the share of words that both have, figures being
 * alike: a form has the same headings each time. It is cut to sixteenths, so
 * that documents on one form come in one order, the latest first, and the prompt
 * with them is the same for the next one (vlm/model_server/serve.h).
 */
#ifndef PIPELINE_SPOOL_EXAMPLE_CHOICE_H
#define PIPELINE_SPOOL_EXAMPLE_CHOICE_H

#include <cjson/cJSON.h>

#include "vlm/base/arena.h"
#include "vlm/base/buf.h"
#include "vlm/base/span.h"

enum { EXAMPLE_LIKENESS = 16, EXAMPLE_LIKENESS_LEAST = 4 };

/* A reviewed document. */
struct example_candidate {
    const char *id;
    const char *sender; /* folded */
    struct span words;  /* by line */
    int likeness;       /* 0 to EXAMPLE_LIKENESS */
    void *of;           /* the caller's */
};

/* Calls `one` with each text of the words that can be a sender's name, folded;
 * many times with some. */
void example_choice_names(struct span words,
                          void (*one)(void *arg, const char *name), void *arg);

/* Sorts the candidates by their likeness to the words, then the latest first, and
 * sets it. Returns how many are examples: of the sender of the first one, and not
 * below EXAMPLE_LIKENESS_LEAST. */
int example_choice_rank(struct span words, struct example_candidate *all,
                        int n);

/* Appends the example to a list in JSON, as run_context's find_examples gives it;
 * example_choice_end ends one that was begun. */
void example_choice_print(const struct example_candidate *e, const cJSON *value,
                          struct buf *out);
void example_choice_end(struct buf *out);

/* The list as a file without a name, at its start, that a reader can be given; -1:
 * it is empty, or there is no memory. */
int example_choice_file(const struct buf *list);

#endif
