/* show_file.c - see show_file.h. */
#include "pipeline/command/show_file.h"

#include <stdio.h>
#include <unistd.h>

void show_file_write(const char *path, struct span bytes, struct err *err)
{
    char tmp[5000];
    if (err_failed(err)) return;
    snprintf(tmp, sizeof tmp, "%.4900s.tmp", path);
    FILE *f = fopen(tmp, "we");
    bool ok = f && fwrite(bytes.data, 1, bytes.size, f) == bytes.size &&
              fflush(f) == 0 && fsync(fileno(f)) == 0;
    if (f) ok = fclose(f) == 0 && ok;
    if (ok && rename(tmp, path) == 0) return;
    err_errno(err, "cannot write %s", path);
    err->kind = ERR_SYSTEM;
    unlink(tmp);
}
