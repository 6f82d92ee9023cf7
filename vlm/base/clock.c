/* clock.c - see clock.h. */
#include "vlm/base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double clock_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_wait_longer(double wait, double first, double most)
{
    if (wait <= 0) return first;
    return 2 * wait < most ? 2 * wait : most;
}

long long clock_utc(void)
{
    return (long long)time(NULL);
}

double clock_utc_fine(void)
{
    return seconds_of(CLOCK_REALTIME);
}

void clock_utc_print(long long utc, char text[static 21])
{
    time_t t = (time_t)utc;
    struct tm tm;
    if (!gmtime_r(&t, &tm) ||
        strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &tm) != 20)
        text[0] = '\0';
}

void clock_utc_text(char text[static 21])
{
    clock_utc_print(clock_utc(), text);
}
