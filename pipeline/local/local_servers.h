/* local_servers.h - the processes that serve the readers of a command: spawner,
 * and model server or fetch process if the engine needs one.
 */
#ifndef PIPELINE_LOCAL_LOCAL_SERVERS_H
#define PIPELINE_LOCAL_LOCAL_SERVERS_H

#include "pipeline/config/config.h"

struct local_servers;

/* Starts them. `settings`, a copy of the configuration's, gets their sockets;
 * both must outlive the result. NULL on failure. FAIL: ERR_SYSTEM. */
struct local_servers *local_servers_new(const struct config *config,
                                        struct settings *settings,
                                        struct err *err);

/* Starts those again that have ended. Call it repeatedly while a document is
 * read. NULL is fine. FAIL: ERR_SYSTEM. */
void local_servers_ensure(struct local_servers *s);

/* Ends them. NULL is fine. */
void local_servers_free(struct local_servers *s);

#endif
