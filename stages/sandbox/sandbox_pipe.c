/* sandbox_pipe.c - whole pieces over a child's two descriptors; see sandbox.h. */
#include "stages/sandbox/sandbox.h"

#include <errno.h>
#include <unistd.h>

void sandbox_write(const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(SANDBOX_FD_OUT, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(1);
        at += n;
        size -= (size_t)n;
    }
}

bool sandbox_read(void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t n = read(SANDBOX_FD_IN, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}
