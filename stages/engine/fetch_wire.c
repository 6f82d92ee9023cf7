/* fetch_wire.c - see fetch_wire.h. */
#include "stages/engine/fetch_wire.h"

#include <stdio.h>
#include <string.h>

/* --- messages -------------------------------------------------------------- */

static bool check_head(void *body, size_t size)
{
    struct fetch_head *h = body;
    (void)size;
    MESSAGE_TEXT(h->text);
    message_seconds(&h->retry_after);
    return true;
}

#define HEAD sizeof(struct fetch_head)
#define ROW                       \
    {                             \
        HEAD, HEAD, 0, check_head \
    }
static const struct message_type request[N_FETCH_OP] = {
    [0] = {.least = 1},
    [FETCH_POST] = ROW,
    [FETCH_GET] = ROW,
    [FETCH_BODY] = {HEAD + 1, HEAD + FETCH_CHUNK, 0, check_head},
    [FETCH_DROP] = ROW,
    [FETCH_REST] = ROW,
    [FETCH_TURN] = {.least = 1},
    [FETCH_REPLY] = {.least = 1}};
static const struct message_type reply[N_FETCH_OP] = {
    [0] = {.least = 1},
    [FETCH_POST] = {.least = 1},
    [FETCH_GET] = {.least = 1},
    [FETCH_BODY] = {HEAD + 1, HEAD + FETCH_CHUNK, 0, check_head},
    [FETCH_DROP] = {.least = 1},
    [FETCH_REST] = {.least = 1},
    [FETCH_TURN] = ROW,
    [FETCH_REPLY] = ROW};

const struct message_types fetch_wire_requests = {request, N_FETCH_OP};
const struct message_types fetch_wire_replies = {reply, N_FETCH_OP};

bool fetch_wire_send(int fd, const struct fetch_head *head, struct span body)
{
    const struct span first = {(const char *)head, sizeof *head};
    return message_try_send(fd, (uint32_t)head->op, first, body);
}

enum message_end fetch_wire_receive(int fd, const struct message_types *types,
                                    struct message *m, struct fetch_head *head,
                                    struct span *body)
{
    enum message_end end = message_receive(fd, types, false, m);
    if (end != MESSAGE_RECEIVED) return end;
    memcpy(head, m->body.text, sizeof *head);
    head->op = (int32_t)m->type;
    *body = (struct span){m->body.text + sizeof *head, m->size - sizeof *head};
    return end;
}

/* --- the addresses of its targets ------------------------------------------ */

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
