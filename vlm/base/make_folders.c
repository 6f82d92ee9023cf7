/* make_folders.c - see make_folders.h. */
#include "vlm/base/make_folders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vlm/base/arena.h"

void make_folders_above(const char *file, unsigned mode, struct err *err)
{
    if (err_failed(err)) return;
    size_t size = strlen(file) + 1;
    char *path = mem_alloc(size, 1);
    memcpy(path, file, size);
    for (char *at = path; !err_failed(err) && (at = strchr(at + 1, '/'));) {
        *at = 0;
        if (mkdir(path, mode) != 0 && errno != EEXIST)
            err_errno(err, "%s", path);
        *at = '/';
    }
    mem_free(path);
}

void make_folders_one(const char *path, struct err *err)
{
    if (!path || err_failed(err)) return;
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return;
    err_errno(err, "%s", path);
    err->kind = ERR_SYSTEM;
}
