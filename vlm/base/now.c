/* now.c - see now.h. */
#include "vlm/base/now.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double now_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double now_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

long long now_utc(void)
{
    return (long long)time(NULL);
}

double now_utc_fine(void)
{
    return seconds_of(CLOCK_REALTIME);
}

void now_utc_print(long long utc, char text[static 21])
{
    time_t t = (time_t)utc;
    struct tm tm;
    if (!gmtime_r(&t, &tm) ||
        strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &tm) != 20)
        text[0] = '\0';
}

void now_utc_text(char text[static 21])
{
    now_utc_print(now_utc(), text);
}
