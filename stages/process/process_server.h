/* process_server.h - a process that serves many others: spawner, model server, fetch
 * process. It is started when it is needed, and again when it has ended.
 *
 * Clients connect at its door (vlm/base/fd_pass.h), which outlives it: a request
 * for a connection waits for the next process. It ends with the process that
 * started it, or when it is retired and its last client has gone.
 */
#ifndef STAGES_PROCESS_PROCESS_SERVER_H
#define STAGES_PROCESS_PROCESS_SERVER_H

#include "stages/process/process.h"

struct process_server;

/* What runs in its process: serves clients at `door`, whose other end is closed
 * when it is retired. keep[0] is `door`, keep[1] its socket to the parent:
 * descriptors for its sandbox. */
typedef void process_server_run(void *arg, int door, const int keep[static 2]);

struct process_server_options {
    const char *name;   /* for ps: at most 15 letters */
    const char *called; /* in messages: "the model server" */
    process_server_run *run;
    void *arg; /* must outlive the server */
    bool confined;
    int keep; /* one more descriptor; 0: none */
};

/* Starts nothing yet. FAIL: ERR_SYSTEM, NULL. */
struct process_server *process_server_new(
    const struct process_server_options *o, struct err *err);

/* Starts it if it does not run and may be started again (struct process_restart), and
 * prints what it has written. Call it repeatedly. All functions accept NULL. */
void process_server_ensure(struct process_server *s);

/* Kills it: the next process_server_ensure starts it again. */
void process_server_restart(struct process_server *s);

/* A descriptor that is readable when it has ended; -1: none runs. */
int process_server_end_fd(const struct process_server *s);

/* The socket where clients connect; 0: no server. */
int process_server_door(const struct process_server *s);

/* In a process that was just forked: closes all but the door, and returns it;
 * 0: no server. */
int process_server_enter(struct process_server *s);

/* The same, and frees the memory. */
void process_server_forget(struct process_server *s);

/* New clients use another server: this one serves the old ones, and ends with the
 * last. Returns the list of all such servers, with `s` in front. */
struct process_server *process_server_retire(struct process_server *s,
                                             struct process_server *retired);

/* Frees those of the list that have ended; returns the rest. */
struct process_server *process_server_tidy(struct process_server *retired);

/* Ends it, and all behind it in a list. */
void process_server_free(struct process_server *s);

#endif
