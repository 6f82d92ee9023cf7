/* upload_api.c - see upload_api.h. */
#include "pipeline/review/upload_api.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <microhttpd.h>

#include "pipeline/review/spool_api.h"
#include "pipeline/spool/event.h"
#include "pipeline/spool/spool_upload.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

enum { KEPT_S = 7 * 24 * 3600 };

static const char usual_name[] = "document";

/* --- answers --------------------------------------------------------------- */

static void answer_added(const char *id, struct request_reply *reply)
{
    request_json(reply, MHD_HTTP_CREATED);
    snprintf(reply->head.id, sizeof reply->head.id, "%s", id);
    buf_print(&reply->text, "{\"id\":\"%s\",\"url\":\"/api/v1/documents/%s\"}",
              id, id);
}

static void answer_upload(const struct spool_upload *u, unsigned status,
                          struct request_reply *reply)
{
    request_json(reply, status);
    snprintf(reply->head.id, sizeof reply->head.id, "%s", u->id);
    buf_print(&reply->text,
              "{\"id\":\"%s\",\"offset\":%lld,\"bytes\":%lld,\"chunk\":%d}",
              u->id, u->offset, u->bytes >= 0 ? u->bytes : u->offset,
              ROUTES_PIECE_MAX);
}

/* Refuses unless it went well. */
static bool went_well(enum spool_upload_end end, const struct spool_upload *u,
                      const struct err *err, struct request_reply *reply)
{
    if (err_failed(err)) {
        bool full = err->sys == ENOSPC || err->sys == EDQUOT;
        request_fail(reply,
                     full ? MHD_HTTP_INSUFFICIENT_STORAGE
                          : MHD_HTTP_SERVICE_UNAVAILABLE,
                     err);
        return false;
    }
    switch (end) {
    case SPOOL_UPLOAD_OK: return true;
    case SPOOL_UPLOAD_MISSING:
        request_refuse(reply, MHD_HTTP_NOT_FOUND, "not-found",
                       "no upload has this id: begin it again");
        break;
    case SPOOL_UPLOAD_BUSY:
        reply->head.busy = true;
        request_refuse(reply, MHD_HTTP_CONFLICT, "busy",
                       "another request adds to this upload");
        break;
    case SPOOL_UPLOAD_OFFSET:
        request_refuse(reply, MHD_HTTP_CONFLICT, "offset",
                       "the upload is at another offset, or complete");
        buf_cut(&reply->text, reply->text.size - 1);
        buf_print(&reply->text, ",\"offset\":%lld}", u->offset);
        break;
    case SPOOL_UPLOAD_REUSED:
        request_refuse(reply, MHD_HTTP_UNPROCESSABLE_CONTENT, "key-reused",
                       "the Idempotency-Key stands for another document");
    }
    return false;
}

/* --- beginning ------------------------------------------------------------- */

static bool is_name(const struct routes *r, const char *name,
                    struct request_reply *reply)
{
    const char *wrong = NULL;
    if (!*name || strlen(name) > FILE_NAME_BYTES_MAX)
        wrong = "the name must have 1 to 255 bytes";
    else if (strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
        wrong = "the name must be that of a file, without folders";
    else if (file_name_ignored(name, r->config->ignore))
        wrong = "files with this name are ignored in in/, too";
    if (wrong)
        request_refuse(reply, MHD_HTTP_UNPROCESSABLE_CONTENT, "ignored-name",
                       "%s", wrong);
    return !wrong;
}

/* May a document of this size be added? */
static bool has_room(const struct routes *r, long long bytes,
                     struct request_reply *reply)
{
    long long most = r->config->stage.max_document_bytes;
    if (most > 0 && bytes > most)
        request_refuse(reply, MHD_HTTP_CONTENT_TOO_LARGE, "too-large",
                       "the document has more than %lld bytes "
                       "(max_document_bytes)",
                       most);
    else if (!spool_has_space(r->spool,
                              r->config->free_bytes + (bytes > 0 ? bytes : 0)))
        request_refuse(reply, MHD_HTTP_INSUFFICIENT_STORAGE, "disk-full",
                       "the disk of the spool is nearly full");
    else
        return true;
    return false;
}

/* Makes a document of an upload that has all its bytes: the server may have been
 * killed before it did. */
static enum spool_upload_end settle(struct routes *r, struct spool_upload *u,
                                    enum spool_upload_end end, struct err *err)
{
    bool whole = u->bytes > 0 && u->offset == u->bytes && !u->complete;
    return end == SPOOL_UPLOAD_OK && whole
               ? spool_upload_finish(r->spool, u, err)
               : end;
}

static bool begin(struct routes *r, const struct request *q,
                  struct spool_upload *u, const char *name, const char *schema,
                  bool *fresh, struct request_reply *reply)
{
    struct err err = {0};
    if (!is_name(r, name, reply) || !has_room(r, u->bytes, reply)) return false;
    if (*schema && !spool_api_is_schema(r, schema)) {
        request_refuse(reply, MHD_HTTP_UNPROCESSABLE_CONTENT, "unknown-schema",
                       "no schema has this name");
        return false;
    }
    snprintf(u->name, sizeof u->name, "%s", name);
    snprintf(u->folder, sizeof u->folder, "%s", schema);
    event_cut(u->who, sizeof u->who, r->api.who);
    enum spool_upload_end end =
        spool_upload_begin(r->spool, u, q->key, fresh, &err);
    end = settle(r, u, end, &err);
    return went_well(end, u, &err, reply);
}

UPLOAD_API(begin)
{
    struct err err = {0};
    struct spool_upload u = {.bytes = -1};
    bool fresh;
    cJSON *o = json_parse(body, &err);
    const cJSON *name = json_get(o, "name"), *schema = json_get(o, "schema"),
                *bytes = json_get(o, "bytes");
    bool sound = cJSON_IsString(name) && (!schema || cJSON_IsString(schema)) &&
                 cJSON_IsNumber(bytes) && bytes->valuedouble >= 1 &&
                 bytes->valuedouble < 1e15 &&
                 cJSON_GetArraySize(o) == 2 + (schema != NULL);
    if (sound) u.bytes = json_get_integer(o, "bytes");
    if (!sound)
        request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request", "%s",
                       err_failed(&err)
                           ? err.text
                           : "the body must have name, bytes and perhaps "
                             "schema");
    else if (begin(r, q, &u, name->valuestring,
                   schema ? schema->valuestring : "", &fresh, reply))
        answer_upload(&u, fresh ? MHD_HTTP_CREATED : MHD_HTTP_OK, reply);
    cJSON_Delete(o);
}

/* --- going on -------------------------------------------------------------- */

static struct spool_upload upload_of(const struct routes *r,
                                     const struct request *q)
{
    struct spool_upload u = {.bytes = -1};
    snprintf(u.id, sizeof u.id, "%s", q->id);
    event_cut(u.who, sizeof u.who, r->api.who);
    return u;
}

UPLOAD_API(get)
{
    struct err err = {0};
    struct spool_upload u = upload_of(r, q);
    (void)body;
    enum spool_upload_end end =
        settle(r, &u, spool_upload_find(r->spool, &u), &err);
    if (went_well(end, &u, &err, reply)) answer_upload(&u, MHD_HTTP_OK, reply);
}

static void finish(struct routes *r, struct spool_upload *u,
                   struct request_reply *reply)
{
    struct err err = {0};
    enum spool_upload_end end = spool_upload_finish(r->spool, u, &err);
    if (went_well(end, u, &err, reply)) answer_added(u->id, reply);
}

UPLOAD_API(continue)
{
    struct err err = {0};
    struct spool_upload u = upload_of(r, q);
    enum spool_upload_end end =
        settle(r, &u, spool_upload_find(r->spool, &u), &err);
    if (!q->has_offset || !body.size) {
        request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request",
                       "the request must have the header Upload-Offset and a "
                       "piece");
        return;
    }
    if (!went_well(end, &u, &err, reply)) return;
    if (u.complete) { /* its acknowledgement was lost */
        answer_added(u.id, reply);
        return;
    }
    if (q->offset + (long long)body.size > u.bytes && q->offset == u.offset) {
        request_refuse(reply, MHD_HTTP_CONTENT_TOO_LARGE, "too-large",
                       "the piece goes beyond the end of the upload");
        return;
    }
    if (!has_room(r, (long long)body.size, reply)) return;
    end = spool_upload_add(r->spool, &u, q->offset, body, true, false, &err);
    if (!went_well(end, &u, &err, reply)) return;
    if (u.offset == u.bytes)
        finish(r, &u, reply);
    else
        answer_upload(&u, MHD_HTTP_OK, reply);
}

UPLOAD_API(cancel)
{
    struct err none = {0};
    struct spool_upload u = upload_of(r, q);
    (void)body;
    if (went_well(spool_upload_drop(r->spool, &u), &u, &none, reply))
        reply->head.status = MHD_HTTP_NO_CONTENT;
}

/* --- a whole document ------------------------------------------------------ */

/* Answers 201 if it is a document already, else 200. */
UPLOAD_API(open)
{
    bool fresh;
    struct spool_upload u = {.bytes = -1};
    (void)body;
    if (!has_room(r, q->bytes, reply) ||
        !begin(r, q, &u, *q->name ? q->name : usual_name, q->schema, &fresh,
               reply))
        return;
    if (u.complete)
        answer_added(u.id, reply);
    else
        answer_upload(&u, MHD_HTTP_OK, reply);
}

UPLOAD_API(append)
{
    struct err err = {0};
    struct spool_upload u = upload_of(r, q);
    if (!has_room(r, q->offset + (long long)body.size, reply)) return;
    enum spool_upload_end end = spool_upload_add(r->spool, &u, q->offset, body,
                                                 false, q->offset == 0, &err);
    if (went_well(end, &u, &err, reply)) answer_upload(&u, MHD_HTTP_OK, reply);
}

UPLOAD_API(end)
{
    struct spool_upload u = upload_of(r, q);
    (void)body;
    if (q->offset > 0)
        finish(r, &u, reply);
    else
        request_refuse(reply, MHD_HTTP_UNPROCESSABLE_CONTENT, "empty",
                       "the document has no bytes");
}

UPLOAD_API(drop)
{
    struct spool_upload u = upload_of(r, q);
    (void)body;
    spool_upload_drop(r->spool, &u);
    reply->head.status = MHD_HTTP_NO_CONTENT;
}

UPLOAD_API(sweep)
{
    (void)q;
    (void)body;
    spool_upload_sweep(r->spool, clock_utc() - KEPT_S);
    reply->head.status = MHD_HTTP_NO_CONTENT;
}
