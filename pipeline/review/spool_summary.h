/* spool_summary.h - what a list says of a document (Summary of openapi.json). */
#ifndef PIPELINE_REVIEW_SPOOL_SUMMARY_H
#define PIPELINE_REVIEW_SPOOL_SUMMARY_H

#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_index.h"

/* Appends the object of a document with an outcome. */
void spool_summary_print_row(const struct spool_index_row *row,
                             struct buf *out);

/* The same for a document in work/; false: it is no longer there. */
bool spool_summary_print_work(const struct spool *s, const char *id,
                              struct buf *out);

/* The same for a file of in/. */
void spool_summary_print_drop(const struct drop *drop, struct buf *out);

/* The same for any document, by its folder; the index follows. False: there is
 * none with this id. */
bool spool_summary_print(struct spool *s, struct spool_index *index,
                         const char *id, struct buf *out);

/* Is the document in work/ being read? */
bool spool_summary_is_read(const struct spool *s, const char *id);

#endif
