/* own_folder.c - see own_folder.h. */
#include "vlm/base/own_folder.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vlm/base/make_folders.h"

bool own_folder_is(const char *path)
{
    struct stat st;
    return path && *path && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
           st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

void own_folder_make(const char *path, struct err *err)
{
    if (err_failed(err)) return;
    if (!path || !*path) {
        err_set(err, ERR_CONFIG,
                "there is no cache folder: name one (cache, XDG_CACHE_HOME or "
                "HOME)");
        return;
    }
    char inside[PATH_MAX];
    snprintf(inside, sizeof inside, "%s/file", path);
    make_folders_above(inside, 0700, err);
    if (!err_failed(err) && !own_folder_is(path))
        err_set(err, ERR_CONFIG,
                "%s is not used: it must be a folder of this user that no one "
                "else can write to (chmod go-w), and no link",
                path);
}
