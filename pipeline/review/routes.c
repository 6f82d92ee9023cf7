/* routes.c - see routes.h.
 *
 *   GET  /api/queue            docket_print
 *   GET  /api/doc/ID           papers_document
 *   GET  /api/page/ID/N?width= a JPEG file
 *   GET  /api/words/ID/N       {source, words: [{text, box}]}
 *   POST /api/check            papers_correct without save
 *   POST /api/correct          papers_correct
 *   POST /api/fill, /api/try   papers_fill, with and without save
 *   POST /api/retry            papers_retry
 *   POST /api/dismiss          papers_dismiss
 */
#include "pipeline/review/routes.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vlm/base/json.h"
#include "vlm/base/now.h"

enum { ANSWER_MAX = 256 << 20, WIDTH_USUAL = 1200, PAGE_MAX = 1000000 };

/* How long a document may be locked before the person is told. */
static const double busy_s = 1;

static const char json_type[] = "application/json";

void routes_open(struct routes *r, struct spool *s, const struct config *config)
{
    *r = (struct routes){.spool = s,
                         .docket = docket_new(s, config),
                         .draw = draw_new(s, config)};
    papers_open(&r->papers, s, config);
    docket_look(r->docket);
}

void routes_stop(struct routes *r)
{
    draw_close(r->draw);
    r->draw = NULL;
}

void routes_close(struct routes *r)
{
    docket_free(r->docket);
    papers_close(&r->papers);
}

void routes_forget(struct routes *r, const struct routes_request *request)
{
    if (r->draw) draw_forget(r->draw, request);
}

/* --- pages --- */

static void drawn(void *arg, bool ok, struct buf *out)
{
    struct routes_request *request = arg;
    struct span text = buf_span(out);
    request->state = ROUTES_ANSWERED;
    if (ok) {
        request->answer.status = MHD_HTTP_OK;
        buf_add(&request->answer.text, text.data + 1, text.size - 1);
    } else {
        request->type = json_type;
        papers_refuse(&request->answer, MHD_HTTP_INTERNAL_SERVER_ERROR, "%s",
                      text.size > 1 ? text.data + 1
                                    : "the page could not be drawn");
    }
    MHD_resume_connection(request->connection);
}

/* "ID/N" behind a prefix. */
static bool read_place(const char *text, struct draw_job *job)
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

static void ask_for(struct routes *r, enum draw_what what, const char *place,
                    const char *width, struct routes_request *request)
{
    struct draw_job job = {.what = what,
                           .width = read_width(width),
                           .done = drawn,
                           .arg = request};
    if (!read_place(place, &job)) {
        papers_refuse(&request->answer, MHD_HTTP_NOT_FOUND,
                      "that is no page of a document");
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

static void get(struct routes *r, const char *url, const char *width,
                struct routes_request *request)
{
    struct papers_answer *a = &request->answer;
    if (!strcmp(url, "queue")) {
        docket_look(r->docket);
        a->status = MHD_HTTP_OK;
        docket_print(r->docket, &a->text);
    } else if (!strncmp(url, "doc/", 4) && spool_is_id(url + 4)) {
        papers_document(&r->papers, url + 4, a);
    } else if (!strncmp(url, "page/", 5)) {
        ask_for(r, DRAW_PICTURE, url + 5, width, request);
    } else if (!strncmp(url, "words/", 6)) {
        ask_for(r, DRAW_WORDS, url + 6, NULL, request);
    } else {
        papers_refuse(a, MHD_HTTP_NOT_FOUND, "there is no such page");
    }
}

static void post(struct routes *r, const char *url,
                 struct routes_request *request)
{
    struct papers_answer *a = &request->answer;
    struct err err = {0};
    cJSON *body = json_parse(buf_span(&request->body), &err);
    bool is_object = cJSON_IsObject(body);
    if (!is_object)
        papers_refuse(a, MHD_HTTP_BAD_REQUEST, "%s",
                      err_failed(&err) ? err.text : "want a JSON object");
    else if (!strcmp(url, "check") || !strcmp(url, "correct"))
        papers_correct(&r->papers, body, !strcmp(url, "correct"), a);
    else if (!strcmp(url, "try") || !strcmp(url, "fill"))
        papers_fill(&r->papers, body, !strcmp(url, "fill"), a);
    else if (!strcmp(url, "retry"))
        papers_retry(&r->papers, body, a);
    else if (!strcmp(url, "dismiss"))
        papers_dismiss(&r->papers, body, a);
    else
        papers_refuse(a, MHD_HTTP_NOT_FOUND, "there is no such page");
    if (a->changed) docket_refresh(r->docket, a->id);
    cJSON_Delete(body);
}

void routes_take(struct routes *r, const char *method, const char *url,
                 const char *width, struct routes_request *request)
{
    request->type = json_type;
    request->state = ROUTES_ANSWERED;
    buf_free(&request->answer.text);
    request->answer = (struct papers_answer){.text = buf_limit(ANSWER_MAX)};
    if (request->first == 0) request->first = now_seconds();
    url += strlen("/api/");
    if (!strcmp(method, "POST"))
        post(r, url, request);
    else
        get(r, url, width, request);
    if (request->answer.busy && now_seconds() - request->first < busy_s)
        request->state = ROUTES_BUSY;
}
