/* actions.h - what a process that has been taken over by its document would
 * try. */
#ifndef TESTS_PROBE_ACTIONS_H
#define TESTS_PROBE_ACTIONS_H

#include <stddef.h>

/* What the process has when it enters the sandbox. */
struct actions_held {
    int socket[2];
    int file;   /* empty */
    int secret; /* not kept */
};

enum { ACTIONS_FILE_BYTES = 1 << 20 }; /* that `file` may have */

/* The name of action i; NULL after the last. */
const char *actions_name(size_t i);

/* 1: the kernel let it through; 0: it refused; -1: no such action. Many end
 * the process. */
int actions_try(const char *name, const struct actions_held *held);

#endif
