/* server.h - platen review: a small web server on the loopback for one person and
 * one spool.
 *
 * One thread and no waiting: pages are drawn by children (draw.h), the spool is
 * looked through in steps (docket.h), and what was corrected is delivered when
 * nobody types. It has no model, and where the kernel has Landlock it can change
 * nothing but done/, failed/, work/, out/ and pending/ (fence.h).
 */
#ifndef PIPELINE_REVIEW_SERVER_H
#define PIPELINE_REVIEW_SERVER_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

/* Serves until it is asked to stop (signals_open was called); port 0: any that is
 * free. Prints one address, with a token. FAIL: ERR_ARGS where the port is taken;
 * ERR_SYSTEM where an fsync failed: what was answered is saved, a fresh process
 * has to go on (S7). */
void server_run(struct spool *s, const struct config *config, int port,
                struct err *err);

#endif
