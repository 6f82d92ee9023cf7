/* routes.c - see routes.h. */
#include "pipeline/review/routes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

#include "pipeline/review/request_pool.h"
#include "pipeline/review/spool_api.h"
#include "pipeline/review/upload_api.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/spool/event.h"
#include "vlm/base/embed.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

enum { PAGE_MAX = 1000000 };

static const double slice_s = 0.02; /* of one review_queue_step */

EMBED(routes_openapi, "pipeline/review/openapi.json")

/* --- the review tab -------------------------------------------------------- */

static void get_queue(struct routes *r, const struct request *q,
                      struct span body, struct request_reply *reply)
{
    (void)body;
    if (strspn(q->from, "0123456789") != strlen(q->from)) {
        request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request",
                       "from must be a number");
        return;
    }
    review_queue_list(r->queue);
    request_json(reply, MHD_HTTP_OK);
    review_queue_print(r->queue, q->search, strtoul(q->from, NULL, 10),
                       &reply->text);
}

static void get_review(struct routes *r, const struct request *q,
                       struct span body, struct request_reply *reply)
{
    (void)body;
    document_api_document(&r->api, q->id, reply);
}

/* An object; `check`, if it is there, must be true or false. */
static cJSON *parse_object(struct span body, struct request_reply *reply)
{
    struct err err = {0};
    cJSON *o = json_parse(body, &err);
    const cJSON *check = json_get(o, "check");
    if (cJSON_IsObject(o) && (!check || cJSON_IsBool(check))) return o;
    request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request", "%s",
                   err_failed(&err) ? err.text
                   : check          ? "check must be true or false"
                                    : "the body must be a JSON object");
    cJSON_Delete(o);
    return NULL;
}

static void post_corrections(struct routes *r, const struct request *q,
                             struct span body, struct request_reply *reply)
{
    cJSON *o = parse_object(body, reply);
    bool save = !cJSON_IsTrue(json_get(o, "check"));
    if (o) document_api_correct(&r->api, q->id, o, save, reply);
    cJSON_Delete(o);
}

static void post_fill(struct routes *r, const struct request *q,
                      struct span body, struct request_reply *reply)
{
    cJSON *o = parse_object(body, reply);
    bool save = !cJSON_IsTrue(json_get(o, "check"));
    if (o) document_api_fill(&r->api, q->id, o, &q->source, save, reply);
    cJSON_Delete(o);
}

/* --- work of the server ---------------------------------------------------- */

/* What cannot be delivered is tried again later, and reported when there is more
 * of it. */
static void deliver(struct routes *r, const struct request *q, struct span body,
                    struct request_reply *reply)
{
    struct err why;
    (void)q;
    (void)body;
    size_t n = delivery_retry(r->spool, r->config->formats, false, &why);
    if (n)
        log_warn("%zu record%s not delivered to out/ yet: %s", n,
                 n == 1 ? " is" : "s are", why.text);
    reply->head.status = MHD_HTTP_NO_CONTENT;
}

static void get_description(struct routes *r, const struct request *q,
                            struct span body, struct request_reply *reply)
{
    (void)r;
    (void)q;
    (void)body;
    request_json(reply, MHD_HTTP_OK);
    buf_add(&reply->text, routes_openapi,
            (size_t)(routes_openapi_end - routes_openapi));
}

/* --- the table ------------------------------------------------------------- */

#define DOCUMENT "v1/documents/ID"

static const struct route table[] = {
    {"GET", "v1/queue", REQUEST_REVIEW, REQUEST_POOL_QUEUE, ROUTES_NOTHING,
     get_queue},
    {"GET", "v1/openapi.json", REQUEST_UPLOAD, REQUEST_POOL_ANY, ROUTES_NOTHING,
     get_description},
    {"GET", "v1/me", REQUEST_UPLOAD, REQUEST_POOL_ANY, ROUTES_NOTHING,
     spool_api_me},
    {"GET", "v1/schemas", REQUEST_UPLOAD, REQUEST_POOL_ANY, ROUTES_NOTHING,
     spool_api_schemas},
    {"GET", "v1/counts", REQUEST_UPLOAD, REQUEST_POOL_FOLLOWER, ROUTES_NOTHING,
     spool_api_counts},
    {"GET", "v1/events", REQUEST_UPLOAD, 0, ROUTES_EVENTS, NULL},
    {"GET", "v1/documents", REQUEST_UPLOAD, REQUEST_POOL_ANY, ROUTES_NOTHING,
     spool_api_list},
    {"POST", "v1/documents", REQUEST_UPLOAD, 0, ROUTES_DOCUMENT, NULL},
    {"GET", DOCUMENT, REQUEST_UPLOAD, REQUEST_POOL_ANY, ROUTES_NOTHING,
     spool_api_document},
    {"DELETE", DOCUMENT, REQUEST_ADMIN, REQUEST_POOL_ANY, ROUTES_NOTHING,
     spool_api_delete},
    {"GET", DOCUMENT "/original", REQUEST_REVIEW, REQUEST_POOL_ANY,
     ROUTES_NOTHING, spool_api_original},
    {"POST", DOCUMENT "/retry", REQUEST_REVIEW, REQUEST_POOL_ANY, ROUTES_MAYBE,
     spool_api_retry},
    {"GET", DOCUMENT "/review", REQUEST_REVIEW, REQUEST_POOL_ANY,
     ROUTES_NOTHING, get_review},
    {"GET", DOCUMENT "/pages/N", REQUEST_REVIEW, 0, ROUTES_PAGE, NULL},
    {"GET", DOCUMENT "/pages/N/words", REQUEST_REVIEW, 0, ROUTES_WORDS, NULL},
    {"POST", DOCUMENT "/corrections", REQUEST_REVIEW, REQUEST_POOL_ANY,
     ROUTES_JSON, post_corrections},
    {"POST", DOCUMENT "/fill", REQUEST_REVIEW, REQUEST_POOL_ANY, ROUTES_JSON,
     post_fill},
    {"POST", DOCUMENT "/unlock", REQUEST_ADMIN, REQUEST_POOL_SLOW, ROUTES_JSON,
     spool_api_unlock},
    {"POST", "v1/prune", REQUEST_ADMIN, REQUEST_POOL_SLOW, ROUTES_JSON,
     spool_api_prune},
    {"POST", DOCUMENT "/dismiss", REQUEST_REVIEW, REQUEST_POOL_ANY,
     ROUTES_MAYBE, spool_api_dismiss},
    {"POST", "v1/uploads", REQUEST_UPLOAD, REQUEST_POOL_UPLOAD, ROUTES_JSON,
     upload_api_begin},
    {"GET", "v1/uploads/ID", REQUEST_UPLOAD, REQUEST_POOL_UPLOAD,
     ROUTES_NOTHING, upload_api_get},
    {"PATCH", "v1/uploads/ID", REQUEST_UPLOAD, REQUEST_POOL_UPLOAD,
     ROUTES_PIECE, upload_api_continue},
    {"DELETE", "v1/uploads/ID", REQUEST_UPLOAD, REQUEST_POOL_UPLOAD,
     ROUTES_NOTHING, upload_api_cancel},
};

static const struct route work_table[] = {
    [ROUTES_DELIVER] = {"", "", 0, REQUEST_POOL_SLOW, ROUTES_NOTHING, deliver},
    [ROUTES_UPLOAD] = {"", "", 0, REQUEST_POOL_UPLOAD, ROUTES_NOTHING,
                       upload_api_open},
    [ROUTES_APPEND] = {"", "", 0, REQUEST_POOL_UPLOAD, ROUTES_PIECE,
                       upload_api_append},
    [ROUTES_END] = {"", "", 0, REQUEST_POOL_UPLOAD, ROUTES_NOTHING,
                    upload_api_end},
    [ROUTES_DROP] = {"", "", 0, REQUEST_POOL_UPLOAD, ROUTES_NOTHING,
                     upload_api_drop},
    [ROUTES_SWEEP] = {"", "", 0, REQUEST_POOL_SLOW, ROUTES_NOTHING,
                      upload_api_sweep},
};

enum { N_ROUTE = sizeof table / sizeof *table };

const struct route *routes_work(enum routes_work work)
{
    return &work_table[work];
}

/* Work of the server comes after the table. */
static const struct route *route_at(int index)
{
    return index < N_ROUTE ? &table[index] : &work_table[index - N_ROUTE];
}

int routes_index(const struct route *route)
{
    return route->method[0] ? (int)(route - table)
                            : N_ROUTE + (int)(route - work_table);
}

/* --- finding --------------------------------------------------------------- */

/* A page from 1 on, without leading zeros. */
static bool is_page(const char *text, size_t n, int *page)
{
    char *end = NULL;
    if (*text < '1' || *text > '9') return false;
    long value = strtol(text, &end, 10);
    *page = value <= PAGE_MAX ? (int)value : 0;
    return *page > 0 && end == text + n;
}

static bool is_part(const char *pattern, size_t n_pattern, const char *text,
                    size_t n, struct routes_path *path)
{
    if (n_pattern == 2 && !strncmp(pattern, "ID", 2)) {
        if (n >= sizeof path->id) return false;
        snprintf(path->id, sizeof path->id, "%.*s", (int)n, text);
        return spool_is_id(path->id);
    }
    if (n_pattern == 1 && *pattern == 'N') return is_page(text, n, &path->page);
    return n == n_pattern && !strncmp(pattern, text, n);
}

static bool is_path(const char *pattern, const char *url,
                    struct routes_path *path)
{
    for (;;) {
        size_t n_pattern = strcspn(pattern, "/"), n = strcspn(url, "/");
        if (!is_part(pattern, n_pattern, url, n, path)) return false;
        if (!pattern[n_pattern] || !url[n]) return pattern[n_pattern] == url[n];
        pattern += n_pattern + 1;
        url += n + 1;
    }
}

const struct route *routes_find(const char *method, const char *url,
                                struct routes_path *path,
                                char allowed[static ROUTES_METHODS])
{
    size_t n = 0;
    *allowed = '\0';
    for (int i = 0; i < N_ROUTE; i++) {
        *path = (struct routes_path){.page = 0};
        if (!is_path(table[i].path, url, path)) continue;
        if (!strcmp(table[i].method, method)) return &table[i];
        n += (size_t)snprintf(allowed + n, ROUTES_METHODS - n, "%s%s",
                              n ? ", " : "", table[i].method);
    }
    return NULL;
}

/* --- in a process ---------------------------------------------------------- */

void routes_open(struct routes *r, struct spool *s, const struct config *config,
                 int process, void (*event)(void *arg, struct span text),
                 void *arg)
{
    *r = (struct routes){.spool = s, .config = config};
    document_api_open(&r->api, s, config);
    event_cut(r->owner, sizeof r->owner, r->api.who);
    if (process == REQUEST_POOL_FOLLOWER)
        r->follower = follower_new(s, config, event, arg);
    if (process != REQUEST_POOL_QUEUE) return;
    r->queue = review_queue_new(s, config);
    review_queue_list(r->queue);
}

void routes_close(struct routes *r)
{
    review_queue_free(r->queue);
    follower_free(r->follower);
    spool_index_close(r->index);
    document_api_close(&r->api);
}

struct spool_index *routes_index_of(struct routes *r,
                                    struct request_reply *reply)
{
    if (!r->index) r->index = spool_index_attach(r->spool);
    if (!r->index)
        request_refuse(reply, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
                       "the index of the spool cannot be opened");
    return r->index;
}

void routes_handle(struct routes *r, const struct request *q, struct span body,
                   struct request_reply *reply)
{
    event_cut(r->api.who, sizeof r->api.who, *q->who ? q->who : r->owner);
    route_at(q->route)->handle(r, q, body, reply);
}

void routes_changed(struct routes *r, const char *id)
{
    if (r->queue) review_queue_refresh(r->queue, id);
    follower_changed(r->follower, id);
}

void routes_follow(struct routes *r, bool follows)
{
    follower_follow(r->follower, follows);
}

bool routes_step(struct routes *r)
{
    bool more = r->queue && review_queue_step(r->queue, slice_s);
    return follower_step(r->follower) || more;
}

int routes_fd(const struct routes *r)
{
    return follower_fd(r->follower);
}

int routes_wait_ms(const struct routes *r)
{
    return follower_wait_ms(r->follower);
}
