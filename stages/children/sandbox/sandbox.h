/* sandbox.h - the sandbox of a process, as strict as the kernel allows.
 *
 * In order: the process dies with its parent, is not dumpable, has only the
 * descriptors it was given, a network without interfaces, an unprivileged user,
 * resource limits (hard ones, which cannot be raised), no new privileges,
 * Landlock (only given files are readable), seccomp (a list of allowed system
 * calls; most others kill the process).
 *
 * For programs that platen starts (raster, ocr, annotate) and for processes
 * that it forks. Several layers apply to the calling thread only: enter it
 * before there is a second one.
 */
#ifndef STAGES_CHILDREN_SANDBOX_SANDBOX_H
#define STAGES_CHILDREN_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stages/children/wire/frame.h"

/* The child's input and output; 0 and 1 are /dev/null, 2 is a pipe to the
 * parent, and no other descriptor is open, except one of sealed memory if
 * platen-raster gets passwords. */
enum { SANDBOX_FD_IN = 3, SANDBOX_FD_OUT = 4, SANDBOX_FD_PASSWORDS = 5 };

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

/* What a process can do. All zero: compute, and read and write the descriptors
 * it has. */
struct sandbox_profile {
    /* Files and folders that can be opened for reading. A process that was root
     * becomes another user: what only root can read must be an open
     * descriptor. */
    const char *const *readable;
    int n_readable;
    /* Nodes of a GPU: can be opened, read, written, mapped, controlled. */
    const char *const *device;
    int n_device;
    bool threads;         /* can start threads */
    bool messages;        /* can poll, send and receive on its sockets */
    bool network;         /* can connect to servers; it keeps the network */
    int64_t memory_bytes; /* address space; 0: no limit */
    int64_t file_bytes;   /* size up to which it can write the files that are
                           * open; 0: not at all. Writing beyond fails. */
    int cpu_s;            /* per call of sandbox_cpu; 0: no limit */
    int turns_max;        /* calls of it; their total is a hard limit */
    long parent;          /* process ID, to notice when it has gone; 0: any */
};

struct sandbox_layers {
    unsigned layers; /* enum sandbox_layer */
    int landlock_abi;
};

enum { SANDBOX_PATH_MAX = 64 };

/* Enters the sandbox, and returns its active layers; the process ends here if
 * its parent has gone. All descriptors are closed except 0 to 2 and
 * keep[n_keep]. Without `readable` and `device` no file can be opened, also
 * where the kernel has no Landlock. */
struct sandbox_layers sandbox_confine(const struct sandbox_profile *profile,
                                      const int *keep, int n_keep);

/* Closes all descriptors except 0 to 2 and keep[n]; -1 stands for none. */
void sandbox_close_others(const int *keep, int n);

/* sandbox_confine for a child with SANDBOX_FD_IN and SANDBOX_FD_OUT. */
struct sandbox_layers sandbox_confine_child(
    const struct sandbox_profile *profile);

/* Starts the CPU time of the next turn: a page. */
void sandbox_cpu(const struct sandbox_profile *profile);

/* Sends the child's first message. False if neither Landlock nor seccomp is
 * active and that is not allowed: the child must end; its parent knows why. */
bool sandbox_greet(const struct sandbox_layers *walls, bool allow_unsandboxed);

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

/* Install one layer each; return 0 or the layer's bit, or the ABI. */
unsigned sandbox_seccomp(const struct sandbox_profile *profile);
int sandbox_landlock(const struct sandbox_profile *profile);

#endif
