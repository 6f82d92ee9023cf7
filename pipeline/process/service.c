/* service.c - see service.h. */
#include "pipeline/process/service.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* JOURNAL_STREAM has device and inode of the stream, since programs with
 * another stderr inherit the variable. */
static bool is_journal(const char *stream)
{
    char own[64];
    struct stat st;
    if (!stream || fstat(STDERR_FILENO, &st) != 0) return false;
    int n = snprintf(own, sizeof own, "%ju:%ju", (uintmax_t)st.st_dev,
                     (uintmax_t)st.st_ino);
    for (int i = 0; i <= n; i++)
        if (own[i] != stream[i]) return false;
    return true;
}

/* The watchdog interval, if WATCHDOG_PID is this process; else 0. */
static double watchdog(const char *usec, const char *pid)
{
    char *end = NULL;
    double us = usec ? strtod(usec, &end) : 0;
    if (!usec || *end || us <= 0 || us > 1e15) return 0;
    if (pid && strtol(pid, NULL, 10) != (long)getpid()) return 0;
    return us / 1e6;
}

struct service service_read(void)
{
    const char *socket = getenv("NOTIFY_SOCKET"), *term = getenv("TERM");
    return (struct service){
        .notify_socket = socket ? socket : "",
        .watchdog_s = watchdog(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID")),
        .journal = is_journal(getenv("JOURNAL_STREAM")),
        .wipes = term && *term && strcmp(term, "dumb") != 0,
    };
}
