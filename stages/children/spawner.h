/* spawner.h - a small process that starts the child programs for others, which
 * may not start any themselves.
 *
 *     client ──door: one end of a pair──▶ spawner
 *     client ──REQUEST_START──▶ spawner     with the document's descriptor
 *     client ◀──REPLY_STARTED── spawner     with the ends of the child's pipes
 *
 * It is forked before its parent opens anything, and holds the settings and the
 * door, no document. Its clients are not trusted: messages are checked, programs and limits come from the settings, and a client can end
 * only the children that were started for it. All of them end with it.
 */
#ifndef STAGES_CHILDREN_SPAWNER_H
#define STAGES_CHILDREN_SPAWNER_H

#include "stages/children/spawn.h"
#include "stages/process/process_server.h"

/* What a client receives for a child. */
struct spawner_ends {
    int out;        /* its messages */
    int complaints; /* its stderr */
    int orders;     /* our end of its descriptor 3; -1 with a document */
};

/* For settings.spawner_door (process_server.h); process_server_ensure starts it. The settings must
 * outlive it. FAIL: ERR_SYSTEM. */
struct process_server *spawner_new(const struct settings *settings,
                                   struct err *err);

/* Starts a child; document -1: it takes orders. Returns its number. FAIL: as
 * spawn_start; ERR_SYSTEM if the spawner has ended. */
long spawner_start(int spawner, const struct spawn_job *job, int document,
                   struct spawner_ends *ends, struct err *err);

/* Ends it. Returns its status, as from waitpid; SIGKILL if the spawner has
 * ended. */
int spawner_end(int spawner, long child);

/* The same two without a spawner, in this process. */
long spawner_start_here(const struct settings *settings,
                        const struct spawn_job *job, int document,
                        struct spawner_ends *ends, struct err *err);

#endif
