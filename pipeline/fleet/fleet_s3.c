/* fleet_s3.c - see fleet_s3.h. */
#include "pipeline/fleet/fleet_s3.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <curl/curl.h>

enum { CONNECT_S = 20, STALL_S = 60, TRIES = 3 };

/* One request. */
struct s3_request {
    const struct fleet_store *store;
    const char *hex;
    struct span up; /* of a put; data NULL: a get */
    size_t n_up;
    int fd; /* of a get */
    int sys;
    long status;
    char why[CURL_ERROR_SIZE];
};

static size_t give_bytes(char *to, size_t size, size_t n, void *arg)
{
    struct s3_request *r = arg;
    size_t left = r->up.size - r->n_up,
           take = size * n < left ? size * n : left;
    memcpy(to, r->up.data + r->n_up, take);
    r->n_up += take;
    return take;
}

/* The body of an error is ignored: its status is enough. */
static size_t take_bytes(char *data, size_t size, size_t n, void *arg)
{
    struct s3_request *r = arg;
    size_t left = size * n;
    while (left > 0 && r->fd >= 0) {
        ssize_t put = write(r->fd, data + size * n - left, left);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            r->sys = put < 0 ? errno : ENOSPC;
            return 0;
        }
        left -= (size_t)put;
    }
    return size * n;
}

static void set_names(CURL *curl, const struct s3_request *r)
{
    const struct fleet_store *s = r->store;
    char text[1024];
    snprintf(text, sizeof text, "%s/%s/%.2s/%s", s->endpoint, s->bucket, r->hex,
             r->hex);
    curl_easy_setopt(curl, CURLOPT_URL, text);
    snprintf(text, sizeof text, "aws:amz:%s:s3", s->region);
    curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, text);
    curl_easy_setopt(curl, CURLOPT_USERNAME, s->key);
    curl_easy_setopt(curl, CURLOPT_PASSWORD, s->secret);
}

static struct curl_slist *headers_of(const struct s3_request *r)
{
    /* libcurl signs this; without a body it is the hash of no bytes */
    static const char none[] =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    char text[2400];
    snprintf(text, sizeof text, "x-amz-content-sha256: %s",
             r->up.data ? r->hex : none);
    struct curl_slist *list = curl_slist_append(NULL, text);
    if (*r->store->session) {
        snprintf(text, sizeof text, "x-amz-security-token: %.2000s",
                 r->store->session);
        list = curl_slist_append(list, text);
    }
    return curl_slist_append(list, "Expect:");
}

static CURLcode ask(struct s3_request *r)
{
    CURL *curl = curl_easy_init();
    if (!curl) return CURLE_FAILED_INIT;
    struct curl_slist *headers = headers_of(r);
    set_names(curl, r);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)STALL_S);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, r->why);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, r);
    if (r->up.data) {
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_bytes);
        curl_easy_setopt(curl, CURLOPT_READDATA, r);
        curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE,
                         (curl_off_t)r->up.size);
    }
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &r->status);
    curl_easy_cleanup(curl);
    curl_slist_free_all(headers);
    return code;
}

static bool rewind_file(const struct s3_request *r, struct err *err)
{
    if (r->fd < 0) return true;
    if (ftruncate(r->fd, 0) == 0 && lseek(r->fd, 0, SEEK_SET) == 0) return true;
    err_errno(err, "cannot write");
    return false;
}

static void ask_some_times(struct s3_request *r, struct err *err)
{
    CURLcode code = CURLE_OK;
    for (int n = 0; n < TRIES && rewind_file(r, err); n++) {
        if (n) sleep((unsigned)n);
        r->n_up = 0;
        code = ask(r);
        /* a refused request would be refused again */
        if (code == CURLE_OK || r->sys || (r->status >= 400 && r->status < 500))
            break;
    }
    if (err_failed(err) || code == CURLE_OK) return;
    bool gone = r->status == 404 && !r->up.data;
    if (r->sys) {
        errno = r->sys;
        err_errno(err, "cannot write");
    } else {
        err_reason(err, ERR_REMOTE,
                   gone ? "store-damaged" : "store-unreachable",
                   "%s/%s/%.2s/%s: %s", r->store->endpoint, r->store->bucket,
                   r->hex, r->hex, *r->why ? r->why : curl_easy_strerror(code));
    }
}

void fleet_s3_put(const struct fleet_store *s, const char *hex,
                  struct span bytes, struct err *err)
{
    if (err_failed(err)) return;
    struct s3_request r = {.store = s,
                           .hex = hex,
                           .up = {bytes.data ? bytes.data : "", bytes.size},
                           .fd = -1};
    ask_some_times(&r, err);
}

void fleet_s3_get(const struct fleet_store *s, const char *hex, int fd,
                  struct err *err)
{
    if (err_failed(err)) return;
    struct s3_request r = {.store = s, .hex = hex, .fd = fd};
    ask_some_times(&r, err);
}
