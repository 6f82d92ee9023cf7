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

static int open_small(const char *path, size_t most, size_t *size,
                      struct err *err)
{
    int fd = open_regular(path, size, err);
    if (fd < 0 || *size <= most) return fd;
    err_set(err, ERR_LIMIT, "%s: %zu bytes, at most %zu", path, *size, most);
    close(fd);
    return -1;
}

/* Reads up to `size` bytes, and closes the file. */
static size_t read_all(int fd, const char *path, char *data, size_t size,
                       struct err *err)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, data + got, size - got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) err_errno(err, "%s", path);
        if (n <= 0) break;
        got += (size_t)n;
    }
    close(fd);
    return got;
}

struct span file_map_read(const char *path, size_t most, struct arena *arena,
                          struct err *err)
{
    if (err_failed(err)) return (struct span){0};
    size_t size = 0;
    int fd = open_small(path, most, &size, err);
    if (fd < 0) return (struct span){0};
    char *data = arena_alloc(arena, size + 1);
    return (struct span){data, read_all(fd, path, data, size, err)};
}

size_t file_map_copy(const char *path, char *data, size_t most, struct err *err)
{
    if (err_failed(err)) return 0;
    size_t size = 0;
    int fd = open_small(path, most, &size, err);
    return fd < 0 ? 0 : read_all(fd, path, data, size, err);
}
