/* beset_open.c - LD_PRELOAD: who opens a file whose path ends in $BESET_PATH
 * never gets it (spin), or is killed (BESET_HOW=kill). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int open64(const char *path, int flags, ...);

static int ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);
    return n >= m && !strcmp(text + n - m, tail);
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0;
    va_end(args);
    const char *tail = getenv("BESET_PATH"), *how = getenv("BESET_HOW");
    if (tail && ends_with(path, tail)) {
        if (how && !strcmp(how, "kill")) raise(SIGKILL);
        for (;;)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
