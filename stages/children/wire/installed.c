/* installed.c - see installed.h. */
#include "stages/children/wire/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool installed_path(const char *name, char path[INSTALLED_PATH])
{
    static const char *const up[] = {"..", "../.."};
    char program[INSTALLED_PATH], found[INSTALLED_PATH];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < sizeof up / sizeof *up; i++) {
        *slash = '\0';
        int size = snprintf(path, INSTALLED_PATH, "%s/%s/share/platen/%s",
                            program, up[i], name);
        if (size < INSTALLED_PATH && realpath(path, found)) {
            memcpy(path, found, strlen(found) + 1);
            return true;
        }
    }
    path[0] = '\0';
    return false;
}

void installed_tables(char path[INSTALLED_PATH])
{
    if (!installed_path("poppler", path))
        snprintf(path, INSTALLED_PATH, "/usr/share/poppler");
}

void installed_fonts(void)
{
    char path[INSTALLED_PATH];
    if (installed_path("fonts/fonts.conf", path))
        setenv("FONTCONFIG_FILE", path, 1);
}
