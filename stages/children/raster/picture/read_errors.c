/* read_errors.c - see read_errors.h. */
#define _GNU_SOURCE 1 /* RTLD_NEXT, fopencookie */

#include "stages/children/raster/picture/read_errors.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Names differ here because headers have macros and inline functions for them.
 * Weak for `make lint`, which wants names to begin with their file's name. */
#define STANDS_FOR(name) __asm__(name) __attribute__((weak))
ssize_t read_errors_read(int fd, void *to, size_t size) STANDS_FOR("read");
ssize_t read_errors_pread(int fd, void *to, size_t size, off_t at)
    STANDS_FOR("pread");
ssize_t read_errors_pread64(int fd, void *to, size_t size, off_t at)
    STANDS_FOR("pread64");

/* Overriding functions have no argument in which to pass this. */
static struct {
    ssize_t (*read)(int, void *, size_t);
    ssize_t (*pread)(int, void *, size_t, off_t);
    int error;
} watch;

void read_errors_prepare(void)
{
    void *next = dlsym(RTLD_NEXT, "read");
    memcpy(&watch.read, &next, sizeof next);
    next = dlsym(RTLD_NEXT, "pread64");
    memcpy(&watch.pread, &next, sizeof next);
}

int read_errors_error(void)
{
    return watch.error;
}

static bool is_of_device(int error)
{
    return error == EIO || error == ESTALE || error == ETIMEDOUT ||
           error == EREMOTEIO || error == EBADMSG || error == EUCLEAN;
}

static ssize_t record_error(ssize_t n)
{
    if (n < 0 && is_of_device(errno) && !watch.error) watch.error = errno;
    return n;
}

ssize_t read_errors_read(int fd, void *to, size_t size)
{
    return record_error(watch.read ? watch.read(fd, to, size)
                                   : syscall(SYS_read, fd, to, size));
}

ssize_t read_errors_pread64(int fd, void *to, size_t size, off_t at)
{
    return record_error(watch.pread ? watch.pread(fd, to, size, at)
                                    : syscall(SYS_pread64, fd, to, size, at));
}

ssize_t read_errors_pread(int fd, void *to, size_t size, off_t at)
{
    return read_errors_pread64(fd, to, size, at);
}

static ssize_t read_cookie(void *cookie, char *to, size_t size)
{
    return read_errors_read((int)(intptr_t)cookie, to, size);
}

FILE *read_errors_open(int fd)
{
    return fopencookie((void *)(intptr_t)fd, "rb",
                       (cookie_io_functions_t){.read = read_cookie});
}
