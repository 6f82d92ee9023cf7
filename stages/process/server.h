/* server.h - a process that serves many others: spawner, model server, fetch
 * process. It is started when it is needed, and again when it has ended.
 *
 * Clients connect at its door (vlm/base/fd_pass.h), which outlives it: a request
 * for a connection waits for the next process. It ends with the process that
 * started it, or when it is retired and its last client has gone.
 */
#ifndef STAGES_PROCESS_SERVER_H
#define STAGES_PROCESS_SERVER_H

#include "stages/process/process.h"

struct server;

/* What runs in its process: serves clients at `door`, whose other end is closed
 * when it is retired. keep[0] is `door`, keep[1] its socket to the parent:
 * descriptors for its sandbox. */
typedef void server_run(void *arg, int door, const int keep[static 2]);

struct server_options {
    const char *name;   /* for ps: at most 15 letters */
    const char *called; /* in messages: "the model server" */
    server_run *run;
    void *arg; /* must outlive the server */
    bool confined;
    int keep; /* one more descriptor; 0: none */
};

/* Starts nothing yet. FAIL: ERR_SYSTEM, NULL. */
struct server *server_new(const struct server_options *o, struct err *err);

/* Starts it if it does not run and may be started again (struct restart), and
 * prints what it has written. Call it repeatedly. All functions accept NULL. */
void server_ensure(struct server *s);

/* Kills it: the next server_ensure starts it again. */
void server_restart(struct server *s);

/* A descriptor that is readable when it has ended; -1: none runs. */
int server_end_fd(const struct server *s);

/* The socket where clients connect; 0: no server. */
int server_door(const struct server *s);

/* In a process that was just forked: closes all but the door, and returns it;
 * 0: no server. */
int server_enter(struct server *s);

/* The same, and frees the memory. */
void server_forget(struct server *s);

/* New clients use another server: this one serves the old ones, and ends with the
 * last. Returns the list of all such servers, with `s` in front. */
struct server *server_retire(struct server *s, struct server *retired);

/* Frees those of the list that have ended; returns the rest. */
struct server *server_tidy(struct server *retired);

/* Ends it, and all behind it in a list. */
void server_free(struct server *s);

#endif
