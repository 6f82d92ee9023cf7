/* delivery.h - records of done/, and notes on failures, that are not in out/ yet.
 *
 * A delivery can fail after the commit: out/ is full, missing or not writable.
 * The document is then done and undelivered: it has no file `delivered`, and an
 * entry in pending/, through which it is found and tried again.
 */
#ifndef PIPELINE_SPOOL_DELIVERY_H
#define PIPELINE_SPOOL_DELIVERY_H

#include "pipeline/spool/spool.h"

/* Does the folder of done/ have a record that was not delivered? */
bool delivery_is_due(int folder_fd);

/* Writes notes that are due (failure_note_retry); delivers what has an entry in
 * pending/, or with `all` everything undelivered
 * in done/. A record is verified first, and its place made durable (S7). One
 * that cannot be delivered does not stop the others, unless out/ itself fails.
 * Returns how many stay undelivered; *why: the first cause. */
size_t delivery_retry(struct spool *s, unsigned formats, bool all,
                      struct err *why);

#endif
