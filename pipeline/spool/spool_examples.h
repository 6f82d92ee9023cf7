/* spool_examples.h - examples for a document among the reviewed ones of its spool.
 *
 * Their senders are in archive.db (spool_archive.h), their words in SPOOL_WORDS and
 * their values in the corrected records of done/. A pruned document is no example,
 * nor is one of a forgotten sender.
 */
#ifndef PIPELINE_SPOOL_SPOOL_EXAMPLES_H
#define PIPELINE_SPOOL_SPOOL_EXAMPLES_H

#include "pipeline/spool/spool_archive.h"

/* Appends up to `most` examples for a document with these words as a list in JSON
 * (example_choice.h); nothing if there are none, or the schema names no sender.
 * FAIL: "disk". */
void spool_examples_find(struct spool *s, const struct config *config,
                         const struct schema *schema, struct span words,
                         int most, struct buf *out, struct err *err);

#endif
