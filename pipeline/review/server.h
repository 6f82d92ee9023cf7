/* server.h - the web server of platen serve and platen review: for one spool, on
 * the loopback for one user, or over TLS for users with passwords; and for
 * programs with tokens.
 *
 * One thread that never waits (connections.h): processes handle requests
 * (request_pool.h), children draw pages (draw.h), and corrections are delivered
 * when no request came for a while. It loads no model and reads no document. With
 * Landlock it can write only to its spool.
 */
#ifndef PIPELINE_REVIEW_SERVER_H
#define PIPELINE_REVIEW_SERVER_H

#include "pipeline/config/config.h"
#include "pipeline/spool/spool.h"

struct server_address {
    int port;           /* 0: any free port */
    const char *listen; /* an address; NULL: the loopback, without TLS */
    const char *certificate, *key; /* PEM files, with `listen` */
    const char *passwords;         /* a file of users.h, with `listen` */
    bool whole; /* platen serve: the whole spool is what the page shows first */
};

/* Serves until a signal stops it (call signals_open before). Prints one
 * address, on the loopback with a token. FAIL: ERR_ARGS if the port is taken or
 * the address, certificate or key is unusable; as users_open and file_map_read;
 * ERR_MISSING if the spool was removed; ERR_SYSTEM if an fsync failed: what was
 * answered is saved, and only a new process may continue (S7). */
void server_run(struct spool *s, const struct config *config,
                const struct server_address *address, struct err *err);

#endif
