/* routes.c - see routes.h.
 *
 *   GET  /api/queue?search=&from=  review_queue_print
 *   GET  /api/doc/ID           document_api_document
 *   GET  /api/page/ID/N?width= a JPEG file; 404 if the document has no pages
 *   GET  /api/words/ID/N       {source, words: [{text, box}]}
 *   POST /api/check            document_api_correct without save
 *   POST /api/correct          document_api_correct
 *   POST /api/fill, /api/try   document_api_fill, with and without save
 *   POST /api/retry            document_api_retry
 *   POST /api/dismiss          document_api_dismiss
 */
#include "pipeline/review/routes.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/review/document_api.h"
#include "stages/input/identify.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

enum { ANSWER_MAX = 256 << 20, WIDTH_USUAL = 1200, PAGE_MAX = 1000000 };

/* A document locked for longer than this is reported to the user. */
static const double busy_s = 1;

static const char json_type[] = "application/json";

void routes_open(struct routes *r, struct spool *s, const struct config *config)
{
    *r = (struct routes){.spool = s,
                         .queue = review_queue_new(s, config),
                         .draw = draw_new(s, config)};
    document_api_open(&r->api, s, config);
    review_queue_list(r->queue);
}

void routes_stop(struct routes *r)
{
    draw_close(r->draw);
    r->draw = NULL;
}

void routes_close(struct routes *r)
{
    review_queue_free(r->queue);
    document_api_close(&r->api);
}

void routes_forget(struct routes *r, const struct routes_request *request)
{
    if (r->draw) draw_forget(r->draw, request);
}

/* --- pages --- */

static void drawn(void *arg, enum draw_end end, struct span text)
{
    static const unsigned status[] = {[DRAW_DONE] = MHD_HTTP_OK,
                                      [DRAW_NO_PAGE] = MHD_HTTP_NOT_FOUND,
                                      [DRAW_REFUSED] = DOCUMENT_API_INVALID,
                                      [DRAW_FAILED] =
                                          MHD_HTTP_INTERNAL_SERVER_ERROR};
    struct routes_request *request = arg;
    request->state = ROUTES_ANSWERED;
    if (end == DRAW_DONE) {
        request->answer.status = status[end];
        buf_add(&request->answer.text, text.data, text.size);
    } else {
        request->type = json_type;
        document_api_refuse(&request->answer, status[end], "%s", text.data);
    }
    MHD_resume_connection(request->connection);
}

/* Parses "ID/N". */
static bool parse_page(const char *text, struct draw_job *job)
{
    char *end = NULL;
    const char *slash = strchr(text, '/');
    if (!slash || slash - text != SPOOL_ID_SIZE - 7) return false;
    snprintf(job->id, sizeof job->id, "%.*s", (int)(slash - text), text);
    if (!spool_is_id(job->id) || slash[1] < '1' || slash[1] > '9') return false;
    long page = strtol(slash + 1, &end, 10);
    job->page = page <= PAGE_MAX ? (int)page : 0;
    return !*end && job->page > 0;
}

static int read_width(const char *text)
{
    long width = text ? strtol(text, NULL, 10) : WIDTH_USUAL;
    if (width < DRAW_WIDTH_MIN) width = DRAW_WIDTH_MIN;
    return width > DRAW_WIDTH_MAX ? DRAW_WIDTH_MAX : (int)width;
}

static void request_page(struct routes *r, enum draw_what what,
                         const char *place, const char *width,
                         struct routes_request *request)
{
    struct draw_job job = {.what = what,
                           .width = read_width(width),
                           .done = drawn,
                           .arg = request};
    if (!parse_page(place, &job)) {
        document_api_refuse(&request->answer, MHD_HTTP_NOT_FOUND,
                            "no such page of a document");
        return;
    }
    int fd = spool_folder_fd(r->spool, SPOOL_DONE, job.id);
    job.place = fd >= 0 ? SPOOL_DONE : SPOOL_FAILED;
    if (fd >= 0) close(fd);
    request->type = what == DRAW_PICTURE ? "image/jpeg" : json_type;
    request->state = ROUTES_WAITS;
    draw_add(r->draw, &job);
}

/* --- the rest --- */

static void handle_get(struct routes *r, const char *url,
                       const struct routes_query *query,
                       struct routes_request *request)
{
    struct document_api_answer *a = &request->answer;
    if (!strcmp(url, "queue")) {
        review_queue_list(r->queue);
        a->status = MHD_HTTP_OK;
        review_queue_print(r->queue, query->search ? query->search : "",
                           query->from ? strtoul(query->from, NULL, 10) : 0,
                           &a->text);
    } else if (!strncmp(url, "doc/", 4) && spool_is_id(url + 4)) {
        document_api_document(&r->api, url + 4, a);
    } else if (!strncmp(url, "page/", 5)) {
        request_page(r, DRAW_PICTURE, url + 5, query->width, request);
    } else if (!strncmp(url, "words/", 6)) {
        request_page(r, DRAW_WORDS, url + 6, NULL, request);
    } else {
        document_api_refuse(a, MHD_HTTP_NOT_FOUND, "no such page");
    }
}

/* Parses the answer of DRAW_SOURCE, of a process that has the document. */
static bool parse_source(struct span text, struct document_api_source *source)
{
    int end = 0;
    bool whole = sscanf(text.data, "%d %lld %64[0-9a-f]%n", &source->type,
                        &source->bytes, source->sha256, &end) == 3 &&
                 (size_t)end == text.size && strlen(source->sha256) == 64 &&
                 source->type > FILE_UNKNOWN && source->type <= FILE_MAIL &&
                 source->bytes > 0;
    if (!whole) *source = (struct document_api_source){0};
    return whole;
}

/* The request is handled again, with the source. */
static void source_found(void *arg, enum draw_end end, struct span text)
{
    struct routes_request *request = arg;
    bool found = end == DRAW_DONE && parse_source(text, &request->source);
    request->state = found ? ROUTES_NEW : ROUTES_ANSWERED;
    if (!found)
        document_api_refuse(
            &request->answer, DOCUMENT_API_WRONG, "%s",
            end == DRAW_REFUSED ? text.data : "the document could not be read");
    MHD_resume_connection(request->connection);
}

/* What can be checked without the document's bytes is checked first. */
static void handle_fill(struct routes *r, const cJSON *body,
                        struct routes_request *request)
{
    struct document_api_answer *a = &request->answer;
    bool known = *request->source.sha256;
    document_api_fill(&r->api, body, known ? &request->source : NULL, a);
    if (known || a->status != DOCUMENT_API_OK) return;
    struct draw_job job = {.what = DRAW_SOURCE,
                           .place = SPOOL_FAILED,
                           .done = source_found,
                           .arg = request};
    snprintf(job.id, sizeof job.id, "%s", json_get_text_or_empty(body, "id"));
    request->state = ROUTES_WAITS;
    draw_add(r->draw, &job);
}

static void handle_post(struct routes *r, const char *url,
                        struct routes_request *request)
{
    struct document_api_answer *a = &request->answer;
    struct err err = {0};
    cJSON *body = json_parse(buf_span(&request->body), &err);
    bool is_object = cJSON_IsObject(body);
    if (!is_object)
        document_api_refuse(
            a, MHD_HTTP_BAD_REQUEST, "%s",
            err_failed(&err) ? err.text : "the body must be a JSON object");
    else if (!strcmp(url, "check") || !strcmp(url, "correct"))
        document_api_correct(&r->api, body, !strcmp(url, "correct"), a);
    else if (!strcmp(url, "try"))
        document_api_fill(&r->api, body, NULL, a);
    else if (!strcmp(url, "fill"))
        handle_fill(r, body, request);
    else if (!strcmp(url, "retry"))
        document_api_retry(&r->api, body, a);
    else if (!strcmp(url, "dismiss"))
        document_api_dismiss(&r->api, body, a);
    else
        document_api_refuse(a, MHD_HTTP_NOT_FOUND, "no such page");
    if (a->changed) review_queue_refresh(r->queue, a->id);
    cJSON_Delete(body);
}

void routes_handle(struct routes *r, const char *method, const char *url,
                   const struct routes_query *query,
                   struct routes_request *request)
{
    request->type = json_type;
    request->state = ROUTES_ANSWERED;
    buf_free(&request->answer.text);
    request->answer =
        (struct document_api_answer){.text = buf_limit(ANSWER_MAX)};
    if (request->first == 0) request->first = clock_seconds();
    url += strlen("/api/");
    if (!strcmp(method, "POST"))
        handle_post(r, url, request);
    else
        handle_get(r, url, query, request);
    if (request->answer.busy && clock_seconds() - request->first < busy_s)
        request->state = ROUTES_BUSY;
}
