/* delivery.h - records of done/ that are not in out/ yet.
 *
 * A delivery may fail while the commit stands: out/ is full, away, or not to
 * be written. The document is done and undelivered then: it has no file
 * `delivered`, and a mark in pending/, by which it is found and tried again.
 */
#ifndef PIPELINE_SPOOL_DELIVERY_H
#define PIPELINE_SPOOL_DELIVERY_H

#include "pipeline/spool/spool.h"

/* Is done/<id> (its folder: folder_fd) a document with a record that was not
 * delivered? */
bool delivery_is_due(int folder_fd);

/* Delivers what is marked in pending/, or with `all` whatever in done/ is not
 * delivered. A record is verified first, and its place made durable (S7). One
 * that cannot be delivered does not stop the others, unless out/ itself is in
 * the way. Returns how many stay undelivered; *why: the first cause. */
size_t delivery_retry(struct spool *s, unsigned formats, bool all,
                      struct err *why);

#endif
