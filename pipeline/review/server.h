/* server.h - platen review: a small web server for one spool, on the loopback for
 * one person, or over TLS for users with passwords.
 *
 * One thread and no waiting: pages are drawn by children (draw.h), the spool is
 * looked through in steps (review_queue.h), and what was corrected is delivered when
 * nobody types. It has no model, and where the kernel has Landlock it can change
 * nothing but done/, failed/, work/, out/ and pending/ (write_access.h).
 */
#ifndef PIPELINE_REVIEW_SERVER_H
#define PIPELINE_REVIEW_SERVER_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

/* Where it listens. */
struct server_door {
    int port;           /* 0: any that is free */
    const char *listen; /* an address; NULL: the loopback, and nothing below */
    const char *certificate, *key; /* files of PEM */
    const char *passwords;         /* users.h */
};

/* Serves until it is asked to stop (signals_open was called). Prints one address,
 * on the loopback with a token. FAIL: ERR_ARGS where the port is taken or the
 * address, certificate or key is of no use; as users_open and file_map_read;
 * ERR_MISSING where the spool was removed;
 * ERR_SYSTEM where an fsync failed: what was answered is saved, a fresh process
 * has to go on (S7). */
void server_run(struct spool *s, const struct config *config,
                const struct server_door *door, struct err *err);

#endif
