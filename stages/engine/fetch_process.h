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

#include "stages/engine/fetch_wire.h"
#include "stages/settings.h"
#include "vlm/base/err.h"

struct fetch_process;

/* Starts a process for settings->endpoint with the key at endpoint_key_fd; the
 * settings must outlive the struct. FAIL: ERR_SYSTEM, and NULL. */
struct fetch_process *fetch_process_new(const struct settings *settings,
                                        struct err *err);

/* Starts it again if it has ended. Call it repeatedly. NULL is fine, as for all
 * functions below. */
void fetch_process_ensure(struct fetch_process *p);

/* A descriptor that is readable when it has ended; -1: none runs. */
int fetch_process_end_fd(const struct fetch_process *p);

/* The socket where clients connect, for settings.fetch_fd. */
int fetch_process_door(const struct fetch_process *p);

/* In a client that was just forked: closes the other descriptors, and returns
 * the door; 0: no process. */
int fetch_process_enter(struct fetch_process *p);

/* In a forked process: frees the memory only. */
void fetch_process_forget(struct fetch_process *p);

/* New clients use another process: this one serves the old ones, and ends with
 * the last. Returns the list of all such processes, with `p` in front. */
struct fetch_process *fetch_process_retire(struct fetch_process *p,
                                           struct fetch_process *retired);

/* Frees those of the list that have ended; returns the rest. */
struct fetch_process *fetch_process_tidy(struct fetch_process *retired);

/* Ends the process, and all behind it in a list. */
void fetch_process_free(struct fetch_process *p);

/* In the fetch process: serves the clients that connect at the door. `header`
 * is sent with each request, and cleared once it is copied; or "". Returns when
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
