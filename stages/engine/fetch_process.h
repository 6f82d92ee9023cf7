/* fetch_process.h - the process that talks to the endpoint: libcurl, TLS and
 * DNS, for all documents of a run. It sees requests and answers, but no files,
 * and it alone reads the API key.
 *
 * Clients (endpoint_sender.h) connect at its door, each with a socket of its
 * own (fetch_wire.h): nothing of one client's connection is seen by another.
 * At most endpoint_parallel requests are sent at once, shared fairly.
 *
 * LIFE  The process ends with the one that started it, or when its door and all
 *       connections are closed.
 */
#ifndef STAGES_ENGINE_FETCH_PROCESS_H
#define STAGES_ENGINE_FETCH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "stages/document/settings.h"
#include "stages/engine/fetch_wire.h"
#include "stages/process/process_server.h"
#include "vlm/base/err.h"

/* Starts a process for settings->endpoint with the key at endpoint_key_fd; the
 * settings must outlive the server (process_server.h). FAIL: ERR_SYSTEM, and NULL. */
struct process_server *fetch_process_new(const struct settings *settings,
                                         struct err *err);

/* In the fetch process: serves the clients that connect at the door. `header`
 * is sent with each request, and cleared once it is copied; or "". With
 * settings->endpoint_signs it is the key of an HMAC-SHA256 of each request instead,
 * in the header Platen-Signature: t=SECONDS,v1=HEX of "SECONDS.BODY". Returns when
 * the door and all connections are closed, or when a name was not found and
 * `outdated`. FAIL: ERR_SYSTEM. */
struct fetch_post {
    const struct settings *settings;
    int door;
    char *header;
    /* before the first client: enters the sandbox */
    void (*opened)(void *arg, struct err *err);
    void *arg;
    /* A file that the sandbox leaves readable was replaced by one that it does
     * not: only a new process can read it. */
    bool (*outdated)(void);
};
void fetch_process_serve(const struct fetch_post *post, struct err *err);

#endif
