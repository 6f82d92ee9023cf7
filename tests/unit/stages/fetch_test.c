/* fetch_test.c - the fetch process: each client gets its own replies, and one
 * that breaks the protocol harms nobody else. */
#define _GNU_SOURCE
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stages/engine/endpoint_sender.h"
#include "stages/engine/fetch_process.h"
#include "stages/engine/fetch_wire.h"
#include "vlm/base/clock.h"
#include "vlm/base/fd_pass.h"

enum { PARALLEL = 2, LARGE = 3 << 20 };

/* --- an endpoint that repeats what it is sent ------------------------------ */

/* Replies to one request with its body, or the path of a GET, after a pause of
 * as many hundredths of a second as its first byte says ('0' to '9'). */
static void repeat_request(int fd)
{
    static char data[LARGE + 8192], head[200];
    size_t n = 0, size = 0;
    char *body = NULL;
    while (!body || n < (size_t)(body - data) + size) {
        ssize_t got = read(fd, data + n, sizeof data - n - 1);
        if (got <= 0) _exit(0);
        data[n += (size_t)got] = '\0';
        if (body || !(body = strstr(data, "\r\n\r\n"))) continue;
        body += 4;
        const char *length = strcasestr(data, "content-length:");
        size = length ? strtoul(length + 15, NULL, 10) : 0;
    }
    if (!size) { /* GET /path HTTP/1.1 */
        body = data + 4;
        size = strcspn(body, " ");
    } else if (*body >= '0' && *body <= '9') {
        usleep((useconds_t)(*body - '0') * 10000);
    }
    snprintf(head, sizeof head,
             "HTTP/1.1 200 OK\r\nRetry-After: 7\r\nContent-Length: %zu\r\n"
             "Connection: close\r\n\r\n",
             size);
    if (write(fd, head, strlen(head)) < 0) _exit(0);
    for (size_t at = 0; at < size;) {
        ssize_t put = write(fd, body + at, size - at);
        if (put <= 0) _exit(0);
        at += (size_t)put;
    }
    _exit(0);
}

static void run_server(int listener)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGCHLD, SIG_IGN);
    for (int fd; (fd = accept(listener, NULL, NULL)) >= 0; close(fd))
        if (fork() == 0) repeat_request(fd);
    _exit(0);
}

struct place {
    pid_t server;
    char url[64];
    struct settings settings;
    struct process_server *fetch;
    struct engine asker;
    double end; /* nothing waits longer than that */
    const char *shown;
    struct endpoint_sender *sender; /* an honest client */
    struct err err;
};

static bool is_too_late(void *arg)
{
    return clock_seconds() > ((const struct place *)arg)->end;
}

static void set_up(struct place *p)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(listener, 100), 0);
    getsockname(listener, (struct sockaddr *)&at, &size);
    *p = (struct place){.server = fork()};
    if (p->server == 0) run_server(listener);
    close(listener);
    snprintf(p->url, sizeof p->url, "http://127.0.0.1:%d/v1/",
             ntohs(at.sin_port));
    p->settings = (struct settings){.endpoint = p->url,
                                    .endpoint_timeout_s = 5,
                                    .endpoint_parallel = PARALLEL};
    p->end = clock_seconds() + 10;
    p->asker = (struct engine){.stop = is_too_late, .stop_arg = p};
    p->fetch = fetch_process_new(&p->settings, &p->err);
    p->settings.fetch_fd = process_server_door(p->fetch);
    p->sender =
        endpoint_sender_new(&p->settings, &p->asker, &p->shown, &p->err);
    test_ok(&p->err);
}

static void tear_down(struct place *p)
{
    endpoint_sender_free(p->sender);
    process_server_free(p->fetch);
    kill(p->server, SIGKILL);
    waitpid(p->server, NULL, 0);
}

static struct flight *ask(struct endpoint_sender *s, const char *text)
{
    struct buf request = buf_limit(LARGE);
    buf_add_text(&request, text);
    return endpoint_sender_start(s, &request);
}

static void answers(struct endpoint_sender *s, struct flight *f,
                    const char *text)
{
    endpoint_sender_await(s, f);
    assert_int_equal(f->reply.outcome, FETCH_ANSWERED);
    assert_string_equal(f->reply.text, "");
    assert_int_equal(f->reply.status, 200);
    assert_string_equal(buf_span(&f->reply.body).data, text);
    endpoint_sender_end(s, f);
}

static void is_served(struct place *p)
{
    answers(p->sender, ask(p->sender, "of an honest client"),
            "of an honest client");
}

/* --- honest clients ------------------------------------------------------- */

static void each_client_gets_its_own_reply(void **state)
{
    (void)state;
    struct place p;
    set_up(&p);
    struct endpoint_sender *other =
        endpoint_sender_new(&p.settings, &p.asker, &p.shown, &p.err);
    test_ok(&p.err);
    struct flight *slow = ask(p.sender, "5 slow"), *b = ask(other, "b");
    struct flight *quick = ask(p.sender, "1 quick");
    assert_true(b->number == slow->number);
    answers(other, b, "b");
    answers(p.sender, quick, "1 quick");
    answers(p.sender, slow, "5 slow");
    endpoint_sender_free(other);
    tear_down(&p);
}

static void a_large_body_arrives_whole(void **state)
{
    (void)state;
    struct place p;
    set_up(&p);
    static char text[LARGE];
    for (size_t i = 0; i + 1 < sizeof text; i++)
        text[i] = (char)('a' + i % 23);
    struct flight *first = ask(p.sender, text), *second = ask(p.sender, text);
    answers(p.sender, second, text);
    endpoint_sender_await(p.sender, first);
    assert_true(first->reply.retry_after > 6.9 &&
                first->reply.retry_after < 7.1);
    answers(p.sender, first, text);
    tear_down(&p);
}

static void paths_beside_v1_are_found(void **state)
{
    (void)state;
    struct place p;
    struct engine_endpoint_reply reply;
    set_up(&p);
    endpoint_sender_get(p.sender, FETCH_PROPS, 2000, &reply);
    assert_string_equal(buf_span(&reply.body).data, "/props");
    buf_free(&reply.body);
    endpoint_sender_get(p.sender, FETCH_MODELS, 2000, &reply);
    assert_string_equal(buf_span(&reply.body).data, "/v1/models");
    buf_free(&reply.body);
    static const struct {
        const char *base, *chat, *props;
    } row[] = {
        {"http://h:1", "http://h:1/v1/chat/completions", "http://h:1/props"},
        {"http://h:1//", "http://h:1/v1/chat/completions", "http://h:1/props"},
        {"http://h/v1/", "http://h/v1/chat/completions", "http://h/props"},
        {"http://h/v1/chat/completions", "http://h/v1/chat/completions",
         "http://h/props"},
        {"http://h/api/chat/completions", "http://h/api/chat/completions",
         "http://h/api/props"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char url[200];
        fetch_wire_url(row[i].base, FETCH_CHAT, url, sizeof url);
        assert_string_equal(url, row[i].chat);
        fetch_wire_url(row[i].base, FETCH_PROPS, url, sizeof url);
        assert_string_equal(url, row[i].props);
    }
    tear_down(&p);
}

static void what_is_dropped_frees_its_place(void **state)
{
    (void)state;
    struct place p;
    set_up(&p);
    for (int i = 0; i < 4 * PARALLEL; i++)
        endpoint_sender_end(p.sender, ask(p.sender, "9 not waited for"));
    double since = clock_seconds();
    is_served(&p);
    assert_true(clock_seconds() - since < 0.08);
    tear_down(&p);
}

static void answers_get(struct endpoint_sender *s)
{
    struct engine_endpoint_reply reply;
    endpoint_sender_get(s, FETCH_MODELS, 2000, &reply);
    assert_string_equal(buf_span(&reply.body).data, "/v1/models");
    buf_free(&reply.body);
}

static void requests_ahead_leave_room_for_others(void **state)
{
    (void)state;
    struct place p;
    set_up(&p);
    struct endpoint_sender *other =
        endpoint_sender_new(&p.settings, &p.asker, &p.shown, &p.err);
    struct buf text = buf_limit(100);
    buf_add_text(&text, "9 ahead");
    answers(other, ask(other, "known to have a document"),
            "known to have a document");
    struct flight *f = ask(other, "3 other");
    struct flight *ahead = endpoint_sender_start_ahead(p.sender, &text);
    assert_non_null(ahead);
    text = buf_limit(100);
    buf_add_text(&text, "9 ahead");
    assert_null(endpoint_sender_start_ahead(p.sender, &text));
    assert_string_equal(buf_span(&text).data, "9 ahead"); /* it is kept */
    answers(other, f, "3 other");
    assert_null(endpoint_sender_start_ahead(p.sender, &text));
    endpoint_sender_rest(other); /* its document is done */
    answers_get(other);          /* so that was received */
    struct flight *more = endpoint_sender_start_ahead(p.sender, &text);
    assert_non_null(more);
    answers(p.sender, more, "9 ahead");
    answers(p.sender, ahead, "9 ahead");
    endpoint_sender_free(other);
    tear_down(&p);
}

static pid_t child_of(pid_t parent, const char *name)
{
    char path[100], comm[20];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
    FILE *list = fopen(path, "r");
    int pid = 0, found = 0;
    while (list && fscanf(list, "%d", &pid) == 1) {
        snprintf(path, sizeof path, "/proc/%d/comm", pid);
        FILE *f = fopen(path, "r");
        if (f && fscanf(f, "%19s", comm) == 1 && !strcmp(comm, name))
            found = pid;
        if (f) fclose(f);
    }
    if (list) fclose(list);
    return found;
}

static void a_dead_process_is_replaced(void **state)
{
    (void)state;
    struct place p;
    set_up(&p);
    is_served(&p);
    struct flight *f = ask(p.sender, "9 never answered");
    pid_t fetch = child_of(getpid(), "platen-fetch");
    assert_true(fetch > 0);
    kill(fetch, SIGKILL);
    endpoint_sender_await(p.sender, f);
    assert_int_equal(f->reply.outcome, FETCH_FAILED);
    assert_true(engine_endpoint_reply_passes(&f->reply));
    endpoint_sender_end(p.sender, f);
    f = ask(p.sender, "again"); /* waits at the door */
    double end = clock_seconds() + 5;
    while (!f->done && clock_seconds() < end) {
        process_server_ensure(p.fetch);
        endpoint_sender_pause(p.sender, 0.01);
    }
    assert_true(f->done);
    answers(p.sender, f, "again");
    tear_down(&p);
}

static void a_forked_process_has_a_connection_of_its_own(void **state)
{
    (void)state;
    struct place p;
    int status = 0;
    set_up(&p);
    is_served(&p);
    struct flight *before = ask(p.sender, "3 the parent's");
    pid_t child = fork();
    if (child == 0) {
        struct flight *inherited = before;
        endpoint_sender_renew(p.sender, &p.err);
        close(p.settings.fetch_fd); /* needed no more */
        struct flight *f = ask(p.sender, "the child's");
        endpoint_sender_await(p.sender, f);
        _exit(err_failed(&p.err)                          ? 1
              : inherited->reply.outcome != FETCH_FAILED  ? 2
              : f->reply.outcome != FETCH_ANSWERED        ? 3
              : strcmp(f->reply.body.data, "the child's") ? 4
                                                          : 0);
    }
    answers(p.sender, before, "3 the parent's");
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    is_served(&p);
    tear_down(&p);
}

static void a_retired_process_ends_with_its_last_client(void **state)
{
    (void)state;
    struct place p;
    set_up(&p);
    struct process_server *retired = process_server_retire(p.fetch, NULL);
    p.fetch = NULL;
    retired = process_server_tidy(retired);
    assert_non_null(retired);
    is_served(&p);
    endpoint_sender_free(p.sender);
    p.sender = NULL;
    double end = clock_seconds() + 5;
    while ((retired = process_server_tidy(retired))) {
        usleep(10000);
        assert_true(clock_seconds() < end);
    }
    tear_down(&p);
}

/* --- a hostile client ----------------------------------------------------- */

static int raw_client(const struct place *p)
{
    struct err err = {0};
    int fd = fd_pass_connect(p->settings.fetch_fd, &err);
    test_ok(&err);
    return fd;
}

static bool throw_packet(int fd, const struct fetch_head *head, size_t n_body)
{
    static char data[FETCH_CHUNK + 100];
    return message_send(fd, (uint32_t)head->op,
                        (struct span){(const char *)head, sizeof *head},
                        (struct span){data, n_body});
}

/* Waits until the connection ends. */
static bool is_disconnected(int fd)
{
    char data[FETCH_CHUNK];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (poll(&p, 1, 5000) > 0)
        if (recv(fd, data, sizeof data, 0) <= 0) return true;
    return false;
}

static void a_broken_packet_ends_its_connection(void **state)
{
    (void)state;
    struct place p;
    static const struct {
        struct fetch_head head[2];
        size_t n_body;
    } row[] = {
        {{{.op = 99}}, 0},
        {{{.op = -1}}, 0},
        {{{.op = FETCH_TURN}}, 0},
        {{{.op = FETCH_REPLY}}, 0},
        {{{.op = FETCH_POST, .size = 0, .time_ms = 9}}, 0},
        {{{.op = FETCH_POST, .size = -5, .time_ms = 9}}, 0},
        {{{.op = FETCH_POST, .size = FETCH_POST_MOST + 1, .time_ms = 9}}, 0},
        {{{.op = FETCH_POST, .size = 5, .time_ms = 0}}, 0},
        {{{.op = FETCH_POST, .size = 5, .time_ms = -1}}, 0},
        {{{.op = FETCH_POST, .size = 5, .time_ms = 9}}, 5},
        {{{.op = FETCH_GET, .target = FETCH_CHAT, .time_ms = 9}}, 0},
        {{{.op = FETCH_GET, .target = N_FETCH_TARGET, .time_ms = 9}}, 0},
        {{{.op = FETCH_GET, .target = -1, .time_ms = 9}}, 0},
        {{{.op = FETCH_BODY, .number = 1}}, 5},
        {{{.op = FETCH_POST, .size = 5, .time_ms = 9}, {.op = FETCH_BODY}}, 0},
        {{{.op = FETCH_POST, .size = 5, .time_ms = 9}, {.op = FETCH_BODY}}, 6},
        {{{.op = FETCH_POST, .size = 5, .time_ms = 9},
          {.op = FETCH_BODY, .number = 1}},
         5},
        {{{.op = FETCH_POST, .size = 5, .time_ms = 9},
          {.op = FETCH_POST, .size = 5, .time_ms = 9}},
         0},
        {{{.op = FETCH_POST, .size = 1 << 20, .time_ms = 9},
          {.op = FETCH_BODY}},
         FETCH_CHUNK + 1},
    };
    set_up(&p);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int fd = raw_client(&p);
        bool two = row[i].head[1].op || row[i].head[1].size;
        if (two) throw_packet(fd, &row[i].head[0], 0);
        throw_packet(fd, &row[i].head[two], row[i].n_body);
        if (!is_disconnected(fd)) fail_msg("row %zu", i);
        close(fd);
    }
    for (size_t n = 0; n < sizeof(struct fetch_head); n += 47) {
        static const char zeros[sizeof(struct fetch_head)];
        int fd = raw_client(&p);
        send(fd, zeros, n, 0);
        assert_true(is_disconnected(fd));
        close(fd);
    }
    is_served(&p);
    tear_down(&p);
}

static void too_much_at_once_ends_the_connection(void **state)
{
    (void)state;
    struct place p;
    set_up(&p);
    int greedy = raw_client(&p);
    for (uint32_t i = 0; i <= FETCH_CLIENT_MOST / FETCH_POST_MOST; i++)
        throw_packet(greedy,
                     &(struct fetch_head){.op = FETCH_POST,
                                          .number = i,
                                          .size = FETCH_POST_MOST,
                                          .time_ms = 9},
                     0);
    assert_true(is_disconnected(greedy));
    close(greedy);
    is_served(&p);
    tear_down(&p);
}

static void noise_at_the_door_harms_nobody(void **state)
{
    (void)state;
    struct place p;
    int pipes[2], pair[2], word = 1;
    set_up(&p);
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    int door = p.settings.fetch_fd;
    fd_pass_send(door, &word, sizeof word, NULL, 0);
    fd_pass_send(door, &word, sizeof word, pipes, 1);
    fd_pass_send(door, &word, sizeof word, pair, 2);
    fd_pass_send(door, &word, 1, pair, 1);
    assert_true(send(door, "", 0, 0) >= 0); /* looks like its end */
    is_served(&p);
    struct endpoint_sender *late =
        endpoint_sender_new(&p.settings, &p.asker, &p.shown, &p.err);
    answers(late, ask(late, "late"), "late");
    endpoint_sender_free(late);
    for (int i = 0; i < 2; i++) {
        close(pipes[i]);
        close(pair[i]);
    }
    tear_down(&p);
}

/* It asks for as much as it may, the last time without the rest of the body. */
static void a_greedy_client_does_not_stop_others(void **state)
{
    (void)state;
    struct place p;
    enum { MANY = 2 * PARALLEL + 8 };
    static const char slow[] = "9 slow";
    set_up(&p);
    int fd = raw_client(&p);
    for (uint32_t i = 0; i < MANY; i++) {
        struct fetch_head head = {.op = FETCH_POST,
                                  .number = i,
                                  .size = sizeof slow,
                                  .time_ms = INT32_MAX};
        throw_packet(fd, &head, 0);
        head.op = FETCH_BODY;
        size_t n = i + 1 < MANY ? sizeof slow : 1;
        message_send(fd, FETCH_BODY,
                     (struct span){(const char *)&head, sizeof head},
                     (struct span){slow, n});
    }
    usleep(20000);
    double since = clock_seconds();
    is_served(&p); /* as soon as one of the slow ones is answered */
    assert_true(clock_seconds() - since < 0.3);
    close(fd);
    is_served(&p);
    tear_down(&p);
}

/* It uses the numbers of another's requests, and sees none of their bytes. */
static void nothing_of_one_client_reaches_another(void **state)
{
    (void)state;
    struct place p;
    set_up(&p);
    int fd = raw_client(&p);
    static char data[FETCH_CHUNK];
    for (int turn = 0; turn < 20; turn++) {
        struct flight *f = ask(p.sender, "2 secret of a document");
        for (uint32_t number = 0; number < f->number + 2; number++)
            throw_packet(
                fd, &(struct fetch_head){.op = FETCH_DROP, .number = number},
                0);
        struct fetch_head get = {.op = FETCH_GET,
                                 .number = f->number,
                                 .target = FETCH_PROPS,
                                 .time_ms = 1000};
        throw_packet(fd, &get, 0);
        answers(p.sender, f, "2 secret of a document");
        for (ssize_t n; (n = recv(fd, data, sizeof data, MSG_DONTWAIT)) > 0;)
            assert_null(memmem(data, (size_t)n, "secret", 6));
    }
    close(fd);
    tear_down(&p);
}

TEST_GROUP(fetch, cmocka_unit_test(each_client_gets_its_own_reply),
           cmocka_unit_test(a_large_body_arrives_whole),
           cmocka_unit_test(paths_beside_v1_are_found),
           cmocka_unit_test(what_is_dropped_frees_its_place),
           cmocka_unit_test(requests_ahead_leave_room_for_others),
           cmocka_unit_test(a_dead_process_is_replaced),
           cmocka_unit_test(a_forked_process_has_a_connection_of_its_own),
           cmocka_unit_test(a_retired_process_ends_with_its_last_client),
           cmocka_unit_test(a_broken_packet_ends_its_connection),
           cmocka_unit_test(too_much_at_once_ends_the_connection),
           cmocka_unit_test(noise_at_the_door_harms_nobody),
           cmocka_unit_test(a_greedy_client_does_not_stop_others),
           cmocka_unit_test(nothing_of_one_client_reaches_another))
