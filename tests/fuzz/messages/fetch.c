/* fetch.c - clients of the fetch process, each taken over by a document, and an
 * endpoint that answers anything: no more is sent than the limits allow, and a
 * reply goes to who asked. Transfers are played, too. */
#include <curl/curl.h>

static CURLMcode add_handle(CURLM *multi, CURL *easy);
static CURLMcode remove_handle(CURLM *multi, CURL *easy);
static CURLMcode perform(CURLM *multi, int *n);
static CURLMsg *info_read(CURLM *multi, int *n);
static CURLMcode wait_a_while(CURLM *multi, struct curl_waitfd *fd, unsigned n,
                              int ms, int *n_ready);
#define curl_multi_add_handle    add_handle
#define curl_multi_remove_handle remove_handle
#define curl_multi_perform       perform
#define curl_multi_info_read     info_read
#define curl_multi_poll          wait_a_while
#define fetch_process_serve      fuzzed_fetch_process_serve
#include "stages/engine/fetch_serve.c" /* what it has of clients is static */

#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <sys/socket.h>

#include "tests/fuzz/messages/play.h"

enum { CLIENTS = 3, RUNNING = 64, PARALLEL = 2 };

static struct scene {
    struct play *play;
    int door; /* the clients' end */
    int client[CLIENTS];
    CURL *running[RUNNING];
    int n_running;
    CURLMsg ended;
} scene;

/* --- transfers ------------------------------------------------------------ */

static struct fetch_request *request_of(CURL *easy)
{
    struct fetch_request *r = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&r);
    assert(r);
    return r;
}

static CURLMcode add_handle(CURLM *multi, CURL *easy)
{
    const struct fetch_request *r = request_of(easy);
    int n_chat = r->target == FETCH_CHAT;
    (void)multi;
    if (scene.n_running == RUNNING) return CURLM_INTERNAL_ERROR;
    for (int i = 0; i < scene.n_running; i++)
        n_chat += request_of(scene.running[i])->target == FETCH_CHAT;
    assert(n_chat <= PARALLEL);
    assert(r->target >= 0 && r->target < N_FETCH_TARGET);
    assert(r->size <= FETCH_POST_MOST && r->body.size == r->size);
    assert(r->client->n_bytes <= FETCH_CLIENT_MOST && r->time_ms > 0);
    scene.running[scene.n_running++] = easy;
    return CURLM_OK;
}

static CURLMcode remove_handle(CURLM *multi, CURL *easy)
{
    (void)multi;
    for (int i = 0; i < scene.n_running; i++)
        if (scene.running[i] == easy)
            scene.running[i--] = scene.running[--scene.n_running];
    return CURLM_OK;
}

static CURLMcode perform(CURLM *multi, int *n)
{
    (void)multi;
    *n = scene.n_running;
    return CURLM_OK;
}

static CURLMsg *info_read(CURLM *multi, int *n)
{
    static char line[] = "Retry-After: nan", much[40000];
    static const char *const after[] = {"nan", "inf", "-1", "7", "1e9"};
    int how = play_byte(scene.play);
    (void)multi;
    if (!scene.n_running || !(how & 1)) return NULL;
    *n = 0;
    CURL *easy = scene.running[how % scene.n_running];
    struct fetch_request *r = request_of(easy);
    snprintf(line + 13, 4, "%s", after[how % 5]);
    read_retry_after(line, 1, strlen(line), r);
    bool whole = append_answer(much, 1, (size_t)how * 150, r) > 0;
    for (int i = 0; how > 250 && i < 30 && whole; i++)
        whole = append_answer(much, 1, sizeof much, r) > 0;
    scene.ended = (CURLMsg){.msg = CURLMSG_DONE, .easy_handle = easy};
    scene.ended.data.result = how & 2 ? CURLE_OK : CURLE_COULDNT_RESOLVE_HOST;
    if (!whole) scene.ended.data.result = CURLE_WRITE_ERROR;
    return &scene.ended;
}

/* --- clients --------------------------------------------------------------- */

static void connect_one(int *client)
{
    struct err err = {0};
    *client = fd_pass_connect(scene.door, &err);
    assert(*client >= 0);
    fcntl(*client, F_SETFL, O_NONBLOCK);
}

static void read_replies(int client)
{
    struct message m;
    struct fetch_head head;
    struct span body;
    for (enum message_end end; client >= 0;) {
        end = fetch_wire_receive(client, &fetch_wire_replies, &m, &head, &body);
        assert(end != MESSAGE_BROKEN);
        if (end != MESSAGE_RECEIVED) return;
        PLAY_TEXT(head.text);
        assert(head.size >= 0 && head.size <= FETCH_REPLY_MOST);
        assert(isfinite(head.retry_after) && m.n_fd == 0);
    }
}

static void leave(void)
{
    for (int i = 0; i < CLIENTS; i++) {
        if (scene.client[i] >= 0) close(scene.client[i]);
        scene.client[i] = -1;
    }
    if (scene.door >= 0) close(scene.door);
    scene.door = -1;
}

static CURLMcode wait_a_while(CURLM *multi, struct curl_waitfd *fd, unsigned n,
                              int ms, int *n_ready)
{
    int what = play_byte(scene.play), *client = &scene.client[what % CLIENTS];
    (void)multi, (void)fd, (void)n, (void)ms, (void)n_ready;
    if (scene.play->at >= scene.play->end) {
        leave();
        return CURLM_OK;
    }
    if (*client < 0) connect_one(client);
    for (int i = what >> 4; i >= 0; i--)
        play_send(scene.play, *client);
    if (what & 8) read_replies(*client);
    if (what % 16 != 6) return CURLM_OK;
    close(*client);
    *client = -1;
    return CURLM_OK;
}

static bool is_outdated(void)
{
    return false;
}

void messages_fetch(struct play *p)
{
    static const uint16_t at[] = {offsetof(struct fetch_head, number),
                                  offsetof(struct fetch_head, size),
                                  offsetof(struct fetch_head, target),
                                  offsetof(struct fetch_head, time_ms),
                                  offsetof(struct fetch_head, ahead)};
    enum { N_AT = sizeof at / sizeof *at };
    const struct fetch_head post = {
        .op = FETCH_POST, .number = 1, .size = 10, .time_ms = 100};
    const struct fetch_head ahead = {
        .op = FETCH_POST, .number = 2, .size = 10, .time_ms = 100, .ahead = 1};
    const struct fetch_head get = {
        .op = FETCH_GET, .number = 3, .target = FETCH_MODELS, .time_ms = 100};
    const struct fetch_head drop = {.op = FETCH_DROP, .number = 1};
    const struct {
        struct fetch_head head;
        char text[16];
    } body = {{.op = FETCH_BODY, .number = 1}, "0123456789"};
    const struct play_type type[] = {
        {FETCH_POST, &post, sizeof post, at, N_AT},
        {FETCH_BODY, &body, sizeof post + 10, at, N_AT},
        {FETCH_POST, &ahead, sizeof ahead, at, N_AT},
        {FETCH_GET, &get, sizeof get, at, N_AT},
        {FETCH_DROP, &drop, sizeof drop, at, N_AT},
        {FETCH_REST, &drop, sizeof drop, at, N_AT}};
    const struct settings settings = {.endpoint = "http://127.0.0.1:1",
                                      .endpoint_timeout_s = 5,
                                      .endpoint_parallel = PARALLEL};
    char header[64] = "";
    int pair[2];
    struct err err = {0};
    int made = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
    assert(!made);
    p->type = type;
    p->n_type = sizeof type / sizeof *type;
    scene = (struct scene){p, pair[0], {-1, -1, -1}, {NULL}, 0, {0}};
    fetch_process_serve(&(struct fetch_post){.settings = &settings,
                                             .door = pair[1],
                                             .header = header,
                                             .outdated = is_outdated},
                        &err);
    assert(!err_failed(&err) && scene.n_running == 0);
    close(pair[1]);
}
