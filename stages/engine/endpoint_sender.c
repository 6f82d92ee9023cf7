/* endpoint_sender.c - see endpoint_sender.h: uses a curl multi handle. */
#include "stages/engine/endpoint_sender.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "stages/engine/request_limit.h"
#include "vlm/base/clock.h"
#include "vlm/base/redact_url.h"

enum { POLL_MS = 50, SHOWN_MOST = 1 << 16 };
static const double connect_timeout_s = 10;

struct endpoint_sender {
    const struct settings *settings;
    const struct engine *engine;
    CURLM *multi;
    struct curl_slist *header;
    char *url;
    struct buf shown; /* the URL without a password, for messages */
    struct request_limit *share, own; /* of the run, or of this process only */
    struct flight *first;
    int n_flight;
};

static bool ends_with(const char *text, const char *tail)
{
    size_t n = strlen(text), m = strlen(tail);
    return n >= m && !strcmp(text + n - m, tail);
}

/* Accepts http://host:8080, http://host:8080/v1 and the full address. */
static char *endpoint_url(const char *base)
{
    int n = (int)strlen(base);
    while (n > 0 && base[n - 1] == '/')
        n--;
    size_t size = (size_t)n + 32;
    char *url = mem_alloc(size, 1);
    snprintf(url, size, "%.*s", n, base);
    const char *tail = ends_with(url, "/chat/completions") ? ""
                       : ends_with(url, "/v1")             ? "/chat/completions"
                                               : "/v1/chat/completions";
    snprintf(url + n, size - (size_t)n, "%s", tail);
    return url;
}

static struct curl_slist *header_of(const struct settings *s)
{
    char line[4096];
    struct curl_slist *header =
        curl_slist_append(NULL, "Content-Type: application/json");
    header = curl_slist_append(header, "Expect:");
    if (!*s->endpoint_key) return header;
    snprintf(line, sizeof line, "Authorization: Bearer %s", s->endpoint_key);
    return curl_slist_append(header, line);
}

struct endpoint_sender *endpoint_sender_new(const struct settings *settings,
                                            const struct engine *engine,
                                            const char **url)
{
    struct endpoint_sender *s = mem_alloc(1, sizeof *s);
    s->settings = settings;
    s->engine = engine;
    s->multi = curl_multi_init();
    s->header = header_of(settings);
    s->url = endpoint_url(settings->endpoint);
    s->own.most =
        settings->endpoint_parallel > 1 ? settings->endpoint_parallel : 1;
    s->share = settings->endpoint_share ? settings->endpoint_share : &s->own;
    s->shown = buf_limit(SHOWN_MOST);
    redact_url_secrets(s->url, &s->shown);
    *url = buf_span(&s->shown).data;
    if (s->multi) return s;
    endpoint_sender_free(s);
    return NULL;
}

void endpoint_sender_free(struct endpoint_sender *s)
{
    if (!s) return;
    while (s->first)
        endpoint_sender_end(s, s->first);
    if (s->multi) curl_multi_cleanup(s->multi);
    curl_slist_free_all(s->header);
    mem_free(s->url);
    buf_free(&s->shown);
    mem_free(s);
}

static bool stopped(const struct endpoint_sender *s)
{
    return s->engine->stop && s->engine->stop(s->engine->stop_arg);
}

/* Requests in flight can queue on the server, which adds to their time. */
static long timeout_ms(const struct endpoint_sender *s)
{
    return (long)(s->settings->endpoint_timeout_s * 1000) * s->n_flight;
}

static void set_up(const struct endpoint_sender *s, struct flight *f)
{
    CURL *c = f->curl;
    curl_easy_setopt(c, CURLOPT_URL, s->url);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, s->header);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)(connect_timeout_s * 1000));
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, timeout_ms(s));
    curl_easy_setopt(c, CURLOPT_PRIVATE, f);
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, f->request.data);
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t)f->request.size);
    engine_endpoint_reply_begin(&f->reply, c);
}

static void set_done(struct flight *f, CURLcode code)
{
    f->reply.code = code;
    f->done = true;
    f->arrived = clock_seconds();
}

/* Ends a request that was in flight. */
static void end_flight(struct endpoint_sender *s, struct flight *f,
                       CURLcode code)
{
    if (f->curl)
        curl_easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, &f->reply.status);
    set_done(f, code);
    if (f->counted) request_limit_release(s->share, s->settings->endpoint_slot);
    f->counted = false;
}

/* Lets all transfers proceed as far as possible without waiting. */
static void run_transfers(struct endpoint_sender *s)
{
    int n_running = 0, n_left = 0;
    curl_multi_perform(s->multi, &n_running);
    for (CURLMsg *m; (m = curl_multi_info_read(s->multi, &n_left));) {
        struct flight *f = NULL;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&f);
        if (m->msg == CURLMSG_DONE && f && !f->done)
            end_flight(s, f, m->data.result);
    }
}

static struct flight *new_flight(struct endpoint_sender *s, struct buf *request)
{
    struct flight *f = mem_alloc(1, sizeof *f);
    f->request = *request;
    *request = (struct buf){0};
    f->next = s->first;
    s->first = f;
    s->n_flight++;
    return f;
}

/* Sends a request that is already counted in the limit. */
static struct flight *start_flight(struct endpoint_sender *s,
                                   struct buf *request)
{
    struct flight *f = new_flight(s, request);
    f->counted = true;
    f->curl = curl_easy_init();
    if (f->curl) set_up(s, f);
    if (!f->curl || curl_multi_add_handle(s->multi, f->curl) != CURLM_OK)
        end_flight(s, f, CURLE_FAILED_INIT);
    run_transfers(s);
    return f;
}

struct flight *endpoint_sender_start(struct endpoint_sender *s,
                                     struct buf *request)
{
    while (
        !request_limit_acquire(s->share, s->settings->endpoint_slot, false)) {
        if (stopped(s)) {
            struct flight *f = new_flight(s, request);
            set_done(f, CURLE_ABORTED_BY_CALLBACK);
            return f;
        }
        run_transfers(s);
        curl_multi_poll(s->multi, NULL, 0, POLL_MS, NULL);
    }
    return start_flight(s, request);
}

struct flight *endpoint_sender_start_ahead(struct endpoint_sender *s,
                                           struct buf *request)
{
    run_transfers(s);
    if (!request_limit_acquire(s->share, s->settings->endpoint_slot, true))
        return NULL;
    return start_flight(s, request);
}

void endpoint_sender_await(struct endpoint_sender *s, struct flight *f)
{
    run_transfers(s);
    while (!f->done) {
        if (stopped(s)) {
            end_flight(s, f, CURLE_ABORTED_BY_CALLBACK);
            return;
        }
        curl_multi_poll(s->multi, NULL, 0, POLL_MS, NULL);
        run_transfers(s);
    }
}

void endpoint_sender_pause(struct endpoint_sender *s, double seconds)
{
    double end = clock_seconds() + seconds;
    while (clock_seconds() < end && !stopped(s)) {
        run_transfers(s);
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
    }
}

void endpoint_sender_end(struct endpoint_sender *s, struct flight *f)
{
    struct flight **at = &s->first;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    s->n_flight--;
    if (!f->done) end_flight(s, f, CURLE_ABORTED_BY_CALLBACK);
    if (f->curl) curl_multi_remove_handle(s->multi, f->curl);
    curl_easy_cleanup(f->curl);
    buf_free(&f->request);
    buf_free(&f->reply.body);
    mem_free(f);
}
