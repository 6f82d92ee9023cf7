/* build.c - see build.h; recompiled when the hash changes (Makefile). */
#include "stages/children/wire/build.h"

#include <string.h>
#include <unistd.h>

#ifndef PLATEN_BUILD /* in a fuzz target, or compiled by hand */
#    define PLATEN_BUILD "0000000000000000"
#endif

enum { BUILD_FD = 4 }; /* stages/children/sandbox/sandbox.h, SANDBOX_FD_OUT */

const char *build_id(void)
{
    return PLATEN_BUILD;
}

bool build_asked(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], "--build") != 0) return false;
    return write(BUILD_FD, build_id(), BUILD_ID_SIZE) == BUILD_ID_SIZE;
}
