/* file_map.c - see file_map.h. The only caller of mmap for files. */
#include "vlm/base/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_map_can_read(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

static int open_regular(const char *path, size_t *size, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        err_errno(err, "%s", path);
        return -1;
    }
    struct stat st;
    if (fstat(fd, &st)) {
        err_errno(err, "%s", path);
    } else if (!S_ISREG(st.st_mode)) {
        err_set(err, ERR_INPUT, "%s: not a regular file", path);
    } else {
        *size = (size_t)st.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

struct span file_map_open(const char *path, struct err *err)
{
    struct span map = {0};
    if (err_failed(err)) return map;
    size_t size = 0;
    int fd = open_regular(path, &size, err);
    if (fd < 0) return map;
    if (size == 0) {
        err_set(err, ERR_INPUT, "%s: the file is empty", path);
    } else {
        void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
        if (p == MAP_FAILED)
            err_errno(err, "%s: cannot be mapped", path);
        else
            map = (struct span){p, size};
    }
    close(fd);
    return map;
}

void file_map_close(struct span map)
{
    union {
        const char *in;
        void *out;
    } p = {map.data}; /* munmap takes a pointer to writable memory */
    if (map.data) munmap(p.out, map.size);
}

struct span file_map_read(const char *path, size_t most, struct arena *arena,
                          struct err *err)
{
    struct span text = {0};
    if (err_failed(err)) return text;
    size_t size = 0;
    int fd = open_regular(path, &size, err);
    if (fd < 0) return text;
    if (size > most) {
        err_set(err, ERR_LIMIT, "%s: %zu bytes, at most %zu", path, size, most);
        close(fd);
        return text;
    }
    char *data = arena_alloc(arena, size + 1);
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, data + got, size - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) err_errno(err, "%s", path);
        if (n <= 0) break;
        got += (size_t)n;
    }
    close(fd);
    return (struct span){data, got};
}
