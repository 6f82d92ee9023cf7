/* sandbox.h - the sandbox of a child, as strict as the kernel allows.
 *
 * In order: the child dies with its parent, is not dumpable, has only its own
 * descriptors, a network without interfaces, an unprivileged user, resource
 * limits (hard ones, which cannot be raised), no new privileges, Landlock (only
 * given folders are readable), seccomp (a list of allowed system calls; any
 * other kills the child).
 */
#ifndef STAGES_CHILDREN_SANDBOX_SANDBOX_H
#define STAGES_CHILDREN_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stages/children/sandbox/frame.h"

/* The child's input and output; 0 and 1 are /dev/null, 2 is a pipe to the
 * parent, and no other descriptor is open. */
enum { SANDBOX_FD_IN = 3, SANDBOX_FD_OUT = 4 };

/* Active layers. */
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
    int cpu_s;            /* per call of sandbox_cpu; 0: no limit */
    int turns_max;        /* calls of it; their total is a hard limit */
    long parent;          /* process ID, to notice when it has gone; 0: any */
};

struct walls {
    unsigned layers; /* enum sandbox_layer */
    int landlock_abi;
};

enum { SANDBOX_PATH_MAX = 64 };

/* Call first. False if the parent has already gone. */
bool sandbox_tie(const struct sandbox_limits *limits);

/* Enters the sandbox. path[n_path]: folders that stay readable (none: the
 * system calls that open files are forbidden, too). */
struct walls sandbox_enter(const struct sandbox_limits *limits,
                           const char *const *path, int n_path);

/* Starts the CPU time of the next turn: a page. */
void sandbox_cpu(const struct sandbox_limits *limits);

/* Sends the child's first message. False if neither Landlock nor seccomp is
 * active and that is not allowed: the child must end; its parent knows why. */
bool sandbox_greet(const struct walls *walls, bool allow_unsandboxed);

/* Sends a header (the magic number is filled in); frame.size bytes must follow
 * through sandbox_write. */
void sandbox_send(struct child_frame frame);

/* The same with a text, which is cut to `most` bytes. */
void sandbox_send_text(struct child_frame frame, const char *text, size_t most);

/* Reads the next header. False if there is none, or its type differs. */
bool sandbox_receive(struct child_frame *frame, uint32_t type);

/* Writes all bytes to the parent; ends the child if the parent has gone. */
void sandbox_write(const void *data, size_t size);

/* Reads all bytes from SANDBOX_FD_IN; false at its end. */
bool sandbox_read(void *data, size_t size);

/* Install one layer each; return 0 or the layer's bit. */
unsigned sandbox_seccomp(bool may_open_files);
int sandbox_landlock(const char *const *path, int n_path); /* ABI or 0 */

#endif
