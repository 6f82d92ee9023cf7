/* fetch_wire.c - see fetch_wire.h: the addresses of its targets. */
#include "stages/engine/fetch_wire.h"

#include <stdio.h>
#include <string.h>

/* The length of the first n bytes without slashes at the end, and `tail`. */
static int without_tail(const char *text, int n, const char *tail)
{
    int m = (int)strlen(tail);
    while (n > 0 && text[n - 1] == '/')
        n--;
    return n >= m && !strncmp(text + n - m, tail, (size_t)m) ? n - m : n;
}

void fetch_wire_url(const char *base, enum fetch_target target, char *url,
                    size_t size)
{
    static const char chat[] = "/chat/completions";
    int n = without_tail(base, (int)strlen(base), "");
    int before = without_tail(base, n, chat);
    int server = without_tail(base, before, "/v1");
    if (target == FETCH_CHAT)
        snprintf(url, size, "%.*s%s%s", before, base,
                 before == n && server == n ? "/v1" : "", chat);
    else
        snprintf(url, size, "%.*s%s", server, base,
                 target == FETCH_PROPS ? "/props" : "/v1/models");
}
