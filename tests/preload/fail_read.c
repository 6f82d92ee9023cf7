/* fail_read.c - put before libc in a rasteriser: read number READ_AT and all that
 * follow fail as those of a bad disk do, where the document (descriptor 3) has
 * READ_SIZE bytes (0: any).
 *
 *   cc -shared -fPIC -DREAD_AT=1 -DREAD_SIZE=0 -o fail.so fail_read.c
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DOCUMENT = 3 };

static int is_bad(int fd)
{
    static int n;
    struct stat st;
    if (fd != DOCUMENT || fstat(fd, &st)) return 0;
    if (READ_SIZE && st.st_size != READ_SIZE) return 0;
    if (++n < READ_AT) return 0;
    errno = EIO;
    return 1;
}

ssize_t read(int fd, void *to, size_t size)
{
    static ssize_t (*next)(int, void *, size_t);
    void *found = next ? 0 : dlsym(RTLD_NEXT, "read");
    if (found) memcpy(&next, &found, sizeof next);
    return is_bad(fd) ? -1 : next(fd, to, size);
}

ssize_t pread64(int fd, void *to, size_t size, off64_t at)
{
    static ssize_t (*next)(int, void *, size_t, off64_t);
    void *found = next ? 0 : dlsym(RTLD_NEXT, "pread64");
    if (found) memcpy(&next, &found, sizeof next);
    return is_bad(fd) ? -1 : next(fd, to, size, at);
}
