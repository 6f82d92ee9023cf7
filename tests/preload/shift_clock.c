/* shift_clock.c - the wall clock of a process, moved by as many seconds as the file
 * SHIFT_CLOCK says, from one look to the next: PostgreSQL's, in tests of the fleet. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long shift(void)
{
    long seconds = 0;
    const char *path = getenv("SHIFT_CLOCK");
    FILE *f = path ? fopen(path, "re") : NULL;
    if (f && fscanf(f, "%ld", &seconds) != 1) seconds = 0;
    if (f) fclose(f);
    return seconds;
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
    int (*real)(struct timeval *, void *) =
        (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
    int got = real(tv, tz);
    tv->tv_sec += shift();
    return got;
}
