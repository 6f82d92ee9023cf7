/* process.h - the processes of platen: the one place that starts, watches and ends
 * them.
 *
 *     process_start   forks: reader, checker, worker, server, spawner, watcher
 *     process_spawn   starts one of the child programs (children/spawn.h)
 *
 * A forked process has a socket to its parent, dies with it, and exits when its
 * function returns. Its end is noticed by end of file on the socket. What it says
 * is not believed: messages are checked (message.h), time limits are the
 * parent's, and a process that closes its socket is killed.
 */
#ifndef STAGES_PROCESS_PROCESS_H
#define STAGES_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "stages/process/message.h"
#include "vlm/base/err.h"

enum { PROCESS_LINE = 512, PROCESS_LOG_MOST = 64 << 10 };

struct process {
    pid_t pid; /* 0: none, or reaped */
    const char *name, *called;
    int fd;      /* socket that keeps message boundaries; -1: none */
    int status;  /* once it is reaped: as from waitpid */
    bool killed; /* by process_end, while it ran */
    int log;     /* the standard error of a confined one; -1: none */
    char line[PROCESS_LINE];
    size_t n_line, n_log; /* bytes of the present line, and shown so far */
};

/* A process that was not started. */
#define PROCESS_NONE ((struct process){.fd = -1, .log = -1})

struct process_options {
    const char *name;   /* for ps: at most 15 letters */
    const char *called; /* in messages; NULL: its name */
    /* Runs in the process; `fd` is its end of the socket. */
    void (*run)(void *arg, int fd);
    void *arg;
    /* It will enter a sandbox: standard input and output become /dev/null,
     * standard error a pipe, whose lines the parent cleans and prints. Others
     * have the parent's. */
    bool confined;
    /* All descriptors are closed but 0 to 2, `fd` and keep[n_keep], where -1 and
     * 0 mean none. Without it the process has those of its parent. */
    bool closes;
    const int *keep;
    int n_keep;
    /* SIGTERM, SIGINT, SIGHUP and SIGPIPE stay as they are in the parent. Else
     * they are ignored: its parent ends it. */
    bool keeps_signals;
};

/* Forks. FAIL: ERR_SYSTEM, and *p is PROCESS_NONE. */
void process_start(struct process *p, const struct process_options *o,
                   struct err *err);

/* How long to wait for a message. */
struct process_wait {
    bool (*stop)(void *arg); /* polled; true ends the wait; NULL: nobody asks */
    void *arg;
    double deadline; /* clock_seconds; 0: none */
    int seconds;     /* of that limit, and the setting that it comes from */
    const char *key;
};

/* Waits for the next message, and prints meanwhile what the process writes to its
 * standard error. False on failure, and then the process was ended unless the
 * wait was cancelled. FAIL: ERR_CANCELLED; [resource-time] after the deadline;
 * [killed] by somebody else or for lack of memory; [sandbox-violation]; [internal]
 * for another end, and for a broken protocol. */
bool process_receive(struct process *p, const struct message_types *types,
                     const struct process_wait *wait, struct message *m,
                     struct err *err);

/* Prints what a confined process has written since. */
void process_print(struct process *p);

/* For a process that sends nothing: has it ended, or is it to be ended because it
 * did otherwise? Does not wait, and reaps nothing. */
bool process_has_ended(const struct process *p);

/* Kills the process if it runs, waits for it, prints its last lines and closes
 * the socket. Returns its status. */
int process_end(struct process *p);

/* For a process that was just forked: closes what is kept of another one. */
void process_forget(struct process *p);

/* Starts again a process that ends: at once, but if it ended within 10 s of its
 * start after 0.5 s, twice as long each time, up to 30 s. All zero: never
 * started. */
struct process_restart {
    double started, wait_s, not_before; /* clock_seconds */
};
bool process_restart_is_due(const struct process_restart *r);
void process_restart_begun(struct process_restart *r);
void process_restart_ended(struct process_restart *r);

/* --- child programs -------------------------------------------------------- */

enum { PROCESS_MOVES = 8 };

struct process_program {
    const char *path;
    const char *const *argument, *const *environment;
    /* Descriptor move[i] becomes i; all others are closed. */
    int move[PROCESS_MOVES], n_move;
};

/* Starts a program in a process group of its own, with default signals. Returns
 * its process ID. FAIL: ERR_SYSTEM. */
pid_t process_spawn(const struct process_program *program, struct err *err);

/* Kills a process if it runs, and waits for it. Returns its status. */
int process_kill(pid_t pid);

#endif
