/* sandbox.h - the walls around a child, the strictest that the kernel has.
 *
 * In order: dies with its parent, not dumpable, no descriptors but its own, a
 * network without interfaces, an unprivileged user, resource limits (hard ones:
 * none can be raised again), no new privileges, Landlock (the folders given may be
 * read, nothing else), seccomp (a list of system calls, all others kill).
 */
#ifndef STAGES_CHILDREN_SANDBOX_SANDBOX_H
#define STAGES_CHILDREN_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stages/children/sandbox/frame.h"

/* Where a child finds what it works on, and where its answers go; it has
 * /dev/null as 0 and 1, a pipe to its parent as 2, and nothing else. */
enum { SANDBOX_FD_IN = 3, SANDBOX_FD_OUT = 4 };

/* Which walls stand. */
enum sandbox_layer {
    SANDBOX_NO_NEW_PRIVS = 1,
    SANDBOX_RLIMITS = 2,
    SANDBOX_LANDLOCK = 4,
    SANDBOX_SECCOMP = 8,
    SANDBOX_ADDRESS_LIMIT = 16, /* not in builds with AddressSanitizer */
    SANDBOX_USER = 32,          /* not root */
    SANDBOX_NETWORK = 64        /* a network namespace without interfaces */
};

struct sandbox_limits {
    int64_t memory_bytes; /* address space; 0: no limit */
    int cpu_s;            /* from one call of sandbox_cpu to the next; 0: any */
    int turns_max;        /* calls of it; what all of them may take is hard */
    long parent;          /* process id, to notice that it has gone; 0: any */
};

struct walls {
    unsigned layers; /* enum sandbox_layer */
    int landlock_abi;
};

enum { SANDBOX_PATH_MAX = 64 };

/* Call first. False when the parent has gone already. */
bool sandbox_tie(const struct sandbox_limits *limits);

/* Puts the walls up. path[n_path]: folders that stay readable (none: opening
 * files is not even a known system call then). */
struct walls sandbox_enter(const struct sandbox_limits *limits,
                           const char *const *path, int n_path);

/* CPU time from now on, for the next turn: a page. */
void sandbox_cpu(const struct sandbox_limits *limits);

/* The child's first message. False where neither Landlock nor seccomp stands and
 * that is not allowed: the child must end then; its parent knows why. */
bool sandbox_greet(const struct walls *walls, bool allow_unsandboxed);

/* A message but for its mark; frame.size bytes must follow by sandbox_write. */
void sandbox_send(struct child_frame frame);

/* The same with a text, which is cut to `most` bytes. */
void sandbox_send_text(struct child_frame frame, const char *text, size_t most);

/* The next message, which must be of this type; false: there is none. */
bool sandbox_receive(struct child_frame *frame, uint32_t type);

/* All of it to the parent; ends the child where nobody listens any more. */
void sandbox_write(const void *data, size_t size);

/* All of it from SANDBOX_FD_IN; false at its end. */
bool sandbox_read(void *data, size_t size);

/* Layers of one kind each; 0 or the layer's bit. */
unsigned sandbox_seccomp(bool may_open_files);
int sandbox_landlock(const char *const *path, int n_path); /* ABI or 0 */

#endif
