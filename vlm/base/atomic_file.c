/* atomic_file.c - see atomic_file.h. */
#include "vlm/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void set_error(const char *path, struct err *err)
{
    err_errno(err, "cannot write %s", path);
    err->kind = ERR_SYSTEM;
}

void atomic_file_begin(struct atomic_file *f, const char *path, struct err *err)
{
    f->file = NULL;
    if (err_failed(err)) return;
    struct stat old = {.st_mode = 0666};
    if (strlen(path) >= sizeof f->path) {
        errno = ENAMETOOLONG;
        set_error(path, err);
        return;
    }
    snprintf(f->path, sizeof f->path, "%s", path);
    snprintf(f->temporary, sizeof f->temporary, "%s.tmp", path);
    (void)stat(path, &old);
    unlink(f->temporary);
    int fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  old.st_mode & 0777);
    f->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (f->file) return;
    set_error(path, err);
    if (fd >= 0) close(fd);
}

bool atomic_file_keep_name(const char *path)
{
    char copy[ATOMIC_FILE_PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0) close(fd);
    return ok;
}

void atomic_file_end(struct atomic_file *f, struct err *err)
{
    if (!f->file) return;
    bool ok = !err_failed(err) && !ferror(f->file) && fflush(f->file) == 0 &&
              fsync(fileno(f->file)) == 0;
    if (fclose(f->file) != 0) ok = false;
    f->file = NULL;
    if (ok && rename(f->temporary, f->path) == 0) {
        /* some file systems have no fsync of folders: that is no failure */
        (void)atomic_file_keep_name(f->path);
        return;
    }
    if (!err_failed(err)) set_error(f->path, err);
    unlink(f->temporary);
}

void atomic_file_drop(struct atomic_file *f)
{
    if (!f->file) return;
    fclose(f->file);
    f->file = NULL;
    unlink(f->temporary);
}

void atomic_file_write(const char *path, struct span bytes, struct err *err)
{
    struct atomic_file f;
    if (err_failed(err)) return;
    atomic_file_begin(&f, path, err);
    if (f.file) fwrite(bytes.data, 1, bytes.size, f.file);
    atomic_file_end(&f, err);
}
