/* play.c - see play.h. */
#define _GNU_SOURCE
#include "tests/fuzz/messages/play.h"

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages/document/reason.h"
#include "vlm/base/fd_pass.h"
#include "vlm/base/utf8.h"

enum { NO_SUCH_PID = INT_MAX, STOPS_MOST = 4096, SOCKET_BYTES = 1 << 20 };

struct packet {
    uint32_t type, size;
    unsigned char body[MESSAGE_BODY_MOST];
};

static struct play *present;

int play_byte(struct play *p)
{
    return p->at < p->end ? *p->at++ : 0;
}

static unsigned play_word(struct play *p)
{
    unsigned low = (unsigned)play_byte(p);
    return low | (unsigned)play_byte(p) << 8;
}

/* --- one message ----------------------------------------------------------- */

/* A value at the edge of its type. */
static size_t put_edge(unsigned char *to, size_t room, int which)
{
    static const int32_t number[] = {-1, INT32_MAX, INT32_MIN, 0, 1, 32767};
    static const int64_t large[] = {INT64_MAX, INT64_MIN, -1, 1LL << 40};
    const double real[] = {NAN, HUGE_VAL, -1, -0.0, 1e308};
    const void *from = which < 6    ? (const void *)&number[which]
                       : which < 10 ? (const void *)&large[which - 6]
                                    : (const void *)&real[(which - 10) % 5];
    size_t size = which < 6 ? sizeof *number : sizeof *large;
    if (size > room) size = room;
    memcpy(to, from, size);
    return size;
}

static void change(struct play *p, const struct play_type *t,
                   unsigned char *body, size_t size)
{
    unsigned how = (unsigned)play_byte(p), place = play_word(p);
    size_t at = how & 128 && t->n_at ? t->at[place % t->n_at] : place % size;
    if (at >= size) return;
    how &= 127;
    if (how < 48)
        put_edge(body + at, size - at, (int)(how % 15));
    else if (how < 64)
        body[at] = (unsigned char)play_byte(p);
    else {
        size_t n = play_word(p) % (size - at) + 1;
        memset(body + at, play_byte(p), n);
    }
}

static size_t fill(struct play *p, const struct play_type *t, struct packet *m)
{
    int how = play_byte(p);
    size_t size = t->size;
    m->type = t->type;
    memset(m->body, how >> 4, 256);
    if (t->size) memcpy(m->body, t->body, t->size);
    if (how % 16 == 13) size = play_word(p) % sizeof m->body;
    if (size > t->size) memset(m->body + t->size, how, size - t->size);
    m->size = (uint32_t)size;
    for (int n = how % 16 < 13 ? how % 16 % 5 : 1; n > 0 && size; n--)
        change(p, t, m->body, size);
    if (how % 16 == 14) m->size = play_word(p);
    if (how % 16 == 15) m->type = (uint32_t)play_byte(p);
    return size;
}

bool play_send(struct play *p, int fd)
{
    struct packet m;
    int what = play_byte(p), null = -1;
    if (p->at >= p->end) return false;
    const struct play_type *t = &p->type[(size_t)(what & 15) % p->n_type];
    size_t size = offsetof(struct packet, body) + fill(p, t, &m);
    if (what >> 4 == 15) size = (size_t)play_byte(p) % sizeof(uint64_t);
    int n_fd = what >> 4 > 10 ? what >> 4 & 3 : 0;
    if (n_fd) null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int all[] = {null, null, null, null};
    if (size)
        fd_pass_send(fd, &m, size, all, null >= 0 ? n_fd : 0);
    else
        send(fd, "", 0, MSG_NOSIGNAL);
    if (null >= 0) close(null);
    return true;
}

static void drain(int fd)
{
    char some[64];
    while (recv(fd, some, sizeof some, MSG_DONTWAIT) > 0)
        continue;
}

bool play_more(struct play *p)
{
    if (p->peer < 0) return false;
    drain(p->peer);
    if (play_send(p, p->peer)) return true;
    close(p->peer);
    p->peer = -1;
    return false;
}

bool play_stop(void *play)
{
    struct play *p = play;
    if (p->at < p->end && *p->at == 0xee) {
        p->at++;
        p->stopped = true;
        return true;
    }
    play_more(p);
    return false;
}

/* --- the process ----------------------------------------------------------- */

void play_begin(struct play *p)
{
    static const int status[] = {0, 1 << 8, 15 << 8, SIGSYS, SIGSEGV, SIGKILL};
    p->status = status[play_byte(p) % 6];
    p->peer = -1;
    present = p;
}

void play_end(struct play *p)
{
    if (p->peer >= 0) close(p->peer);
    p->peer = -1;
    present = NULL;
}

void played_start(struct process *p, const struct process_options *o,
                  struct err *err)
{
    int pair[2];
    struct play *play = present;
    *p = PROCESS_NONE;
    if (err_failed(err)) return;
    assert(o->run && o->name && strlen(o->name) < 16);
    int made = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
    assert(!made);
    fcntl(pair[1], F_SETFL, O_NONBLOCK);
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &(int){SOCKET_BYTES},
               sizeof(int));
    if (play->peer >= 0) close(play->peer);
    play->peer = pair[1];
    p->pid = NO_SUCH_PID;
    p->status = play->status;
    p->name = o->name;
    p->fd = pair[0];
    while (play->at_once && play_more(play))
        continue;
}

/* --- what must hold -------------------------------------------------------- */

void play_check_text(const char *text, size_t size)
{
    assert(memchr(text, '\0', size));
    for (size_t n; *text; text += n) {
        n = utf8_shown(text);
        assert(n > 0);
    }
}

void play_check_bool(const bool *flag)
{
    unsigned char byte;
    memcpy(&byte, flag, 1);
    assert(byte <= 1);
}

void play_check_err(const struct play *p, const struct err *err)
{
    static const char *const ours[] = {"still-written", "crash-loop"};
    if (!err_failed(err)) return;
    PLAY_TEXT(err->text);
    const char *code = reason_of(err)->code;
    assert(!err->reason || reason_find(err->reason));
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        assert(strcmp(code, ours[i]) != 0);
    assert(p->stopped || err->kind != ERR_CANCELLED);
    assert(p->stopped || strcmp(code, "cancelled") != 0);
    assert(p->status == SIGKILL || p->status == 15 << 8 ||
           strcmp(code, "killed") != 0); /* 15: EXIT_OTHER, out of memory */
    assert(err->page >= 0);
}
