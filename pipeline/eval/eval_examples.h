/* eval_examples.h - examples for platen eval --examples: the same documents are
 * read twice, without examples and with them.
 *
 * The first run notes the words of each document; in the second the others are its
 * examples, with their expected values, chosen as in a spool
 * (pipeline/spool/example_choice.h). A document is never its own example, nor is a
 * copy of its file.
 */
#ifndef PIPELINE_EVAL_EVAL_EXAMPLES_H
#define PIPELINE_EVAL_EVAL_EXAMPLES_H

#include <cjson/cJSON.h>

#include "pipeline/config/config.h"

struct eval_examples;

/* The caller frees it after both runs. */
struct eval_examples *eval_examples_new(const struct config *config);
void eval_examples_free(struct eval_examples *x); /* NULL is fine */

/* The second run begins. */
void eval_examples_tell(struct eval_examples *x);

/* In how many documents of the second run examples were told, at most. */
int eval_examples_count(const struct eval_examples *x);

/* The next document to be read: its file and expected data. FAIL: ERR_ARGS if the
 * schema names no sender; as stages_load_schema; ERR_SYSTEM. */
void eval_examples_next(struct eval_examples *x, const char *path,
                        const char *schema, const cJSON *data, struct err *err);

/* Notes its words, or finds examples for it: as reader_task's find_examples. */
int eval_examples_find(void *examples, struct span words, bool whole);

#endif
