/* message.c - see message.h. */
#include "stages/process/message.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "stages/document/reason.h"
#include "vlm/base/fd_pass.h"

struct head {
    uint32_t type, size;
};

_Static_assert(offsetof(struct message, body) == sizeof(struct head),
               "a message is received where it stays");
_Static_assert((int)MESSAGE_FDS_MOST == (int)FD_PASS_MAX, "one transport");

static bool send_parts(int socket, uint32_t type, struct span head,
                       struct span rest, const int *fd, int n_fd, bool waits)
{
    struct head first = {type, (uint32_t)(head.size + rest.size)};
    const struct iovec part[] = {{&first, sizeof first},
                                 {(void *)(uintptr_t)head.data, head.size},
                                 {(void *)(uintptr_t)rest.data, rest.size}};
    return fd_pass_send_parts(socket, part, 3, fd, n_fd, waits);
}

bool message_send(int socket, uint32_t type, struct span head, struct span rest)
{
    return send_parts(socket, type, head, rest, NULL, 0, true);
}

bool message_try_send(int socket, uint32_t type, struct span head,
                      struct span rest)
{
    return send_parts(socket, type, head, rest, NULL, 0, false);
}

bool message_send_fds(int socket, uint32_t type, struct span head,
                      const int *fd, int n_fd)
{
    return send_parts(socket, type, head, (struct span){"", 0}, fd, n_fd, true);
}

static void close_fds(struct message *m)
{
    for (int i = 0; i < m->n_fd; i++)
        close(m->fd[i]);
    m->n_fd = 0;
}

static bool fits(const struct message_types *types, struct message *m, size_t n)
{
    if (n < sizeof(struct head) || n != sizeof(struct head) + m->size ||
        m->type >= types->n)
        return false;
    const struct message_type *row = &types->of[m->type];
    return m->size >= row->least && m->size <= row->most &&
           m->n_fd <= row->fds &&
           (!row->check || row->check(m->body.text, m->size));
}

enum message_end message_receive(int socket, const struct message_types *types,
                                 bool waits, struct message *m)
{
    size_t most = sizeof(struct head) + MESSAGE_BODY_MOST;
    ssize_t n =
        fd_pass_take(socket, m, most, m->fd, MESSAGE_FDS_MOST, &m->n_fd, waits);
    if (n == 0 || (n < 0 && errno == ECONNRESET)) return MESSAGE_CLOSED;
    if (n < 0) return errno == EAGAIN ? MESSAGE_NONE : MESSAGE_BROKEN;
    if (fits(types, m, (size_t)n)) return MESSAGE_RECEIVED;
    close_fds(m);
    return MESSAGE_BROKEN;
}

void message_clean(char *text, size_t size)
{
    text[size - 1] = '\0';
    reason_clean(text);
}

void message_bool(bool *flag)
{
    unsigned char byte;
    memcpy(&byte, flag, 1);
    *flag = byte != 0;
}

void message_seconds(double *seconds)
{
    static const double thousand_years = 3.2e10;
    if (!(*seconds >= 0 && *seconds <= thousand_years)) *seconds = 0;
}

void message_count(int *count, int most)
{
    if (*count < 0 || *count > most) *count = 0;
}
