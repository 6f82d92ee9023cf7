/* spool_api.c - see spool_api.h. */
#define _GNU_SOURCE /* strcasestr */
#include "pipeline/review/spool_api.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <microhttpd.h>

#include "pipeline/config/config_file.h"
#include "pipeline/review/spool_search.h"
#include "pipeline/review/spool_summary.h"
#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_prune.h"
#include "stages/ask/schema_names.h"
#include "stages/document/reason.h"
#include "stages/document/record_files.h"
#include "stages/input/rasterise.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

enum {
    LIMIT_USUAL = 100,
    LIMIT_MAX = 1000,
    KEY_SIZE = 2100,
    PASSWORD_MAX = 127, /* as in raster/pdf/pdf_password.h */
    DAYS_MAX = 36500
};

static void refuse_missing(struct request_reply *reply)
{
    request_refuse(reply, MHD_HTTP_NOT_FOUND, "not-found",
                   "no document has this id");
}

/* --- small ones ------------------------------------------------------------ */

SPOOL_API(me)
{
    (void)body;
    request_json(reply, MHD_HTTP_OK);
    buf_add_text(&reply->text, "{\"name\":");
    json_print_string(&reply->text, span_of(*q->who ? q->who : r->owner));
    json_print_member(&reply->text, "role",
                      request_role_name((enum request_role)q->role));
    json_print_member(&reply->text, "tab", q->spool ? "spool" : "review");
    buf_add_text(&reply->text, "}");
}

SPOOL_API(schemas)
{
    struct arena *arena = arena_new();
    const char **one = schema_names(r->config->stage.schemas, arena);
    (void)q;
    (void)body;
    request_json(reply, MHD_HTTP_OK);
    buf_add_text(&reply->text, "{\"schemas\":[");
    for (bool first = true; *one; one++, first = false) {
        if (!first) buf_add_text(&reply->text, ",");
        json_print_string(&reply->text, span_of(*one));
    }
    buf_add_text(&reply->text, "]");
    json_print_member(&reply->text, "default", r->config->default_schema);
    buf_add_text(&reply->text, "}");
    arena_free(arena);
}

SPOOL_API(counts)
{
    (void)q;
    (void)body;
    request_json(reply, MHD_HTTP_OK);
    follower_print_counts(r->follower, &reply->text);
}

/* --- the list -------------------------------------------------------------- */

/* Rows with their keys: ids, and in/PATH for a file that was not taken yet. Such
 * a key sorts behind all ids. */
struct listed {
    const char *key, *text;
};

struct document_listing {
    struct routes *r;
    const struct request *q;
    struct spool_search search;
    size_t most; /* rows of each source: one more than are listed */
    struct arena *arena;
    struct listed *row;
    size_t n;
};

static void add_listed(struct document_listing *l, const char *key,
                       struct buf *text)
{
    *ARENA_ADD(l->arena, l->row, l->n) =
        (struct listed){arena_copy(l->arena, span_of(key)),
                        arena_copy(l->arena, buf_span(text))};
    buf_free(text);
}

static void add_row(void *arg, const struct spool_index_row *row)
{
    struct buf text = buf_limit(16 << 10);
    spool_summary_print_row(row, &text);
    add_listed(arg, row->id, &text);
}

static void add_work(struct document_listing *l, const char *id)
{
    const struct request *q = l->q;
    struct document_folder_state state;
    int fd = spool_folder_fd(l->r->spool, SPOOL_WORK, id);
    if (fd < 0) return;
    bool held = spool_is_held(fd);
    document_folder_read_name(fd, id, &state);
    close(fd);
    bool wanted = (!*q->state || !strcmp(q->state, "waiting") == !held) &&
                  spool_search_fits(&l->search, id, state.name, state.folder);
    struct buf text = buf_limit(16 << 10);
    if (wanted && spool_summary_print_work(l->r->spool, id, &text))
        add_listed(l, id, &text);
    else
        buf_free(&text);
}

static void list_work(struct document_listing *l, struct err *err)
{
    char **id = spool_list(l->r->spool, SPOOL_WORK, l->arena, NULL, err);
    size_t n = 0, before = l->n;
    while (id[n])
        n++;
    while (n-- > 0 && l->n - before < l->most) {
        bool later = *l->q->cursor && strcmp(id[n], l->q->cursor) >= 0;
        if (!later &&
            spool_search_is_between(id[n], l->search.from, l->search.to))
            add_work(l, id[n]);
    }
}

static bool is_drop_wanted(const struct document_listing *l,
                           const struct drop *d)
{
    char time[SPOOL_INDEX_TIME];
    struct tm tm;
    gmtime_r(&d->stat.st_mtim.tv_sec, &tm);
    strftime(time, sizeof time, "%Y%m%dT%H%M%S", &tm);
    return spool_search_fits(&l->search, time, d->name, d->folder);
}

static void list_in(struct document_listing *l, struct err *err)
{
    struct drops drops = spool_scan(l->r->spool, l->arena, NULL, NULL, err);
    for (size_t i = 0; i < drops.n_drop; i++) {
        const struct drop *d = &drops.drop[i];
        struct buf key = buf_limit(KEY_SIZE), text = buf_limit(16 << 10);
        buf_add_text(&key, "in/");
        file_name_escape(d->path, &key);
        buf_add_text(&key, "/");
        file_name_escape(d->name, &key);
        const char *at = buf_span(&key).data;
        bool later = *l->q->cursor && strcmp(at, l->q->cursor) >= 0;
        if (!key.full && !later && is_drop_wanted(l, d)) {
            spool_summary_print_drop(d, &text);
            add_listed(l, at, &text);
        }
        buf_free(&key);
        buf_free(&text);
    }
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct listed *)b)->key,
                  ((const struct listed *)a)->key);
}

static void print_list(struct document_listing *l, struct buf *out)
{
    size_t shown = l->n < l->most ? l->n : l->most - 1;
    if (l->n) qsort(l->row, l->n, sizeof *l->row, by_key);
    buf_add_text(out, "{\"documents\":[");
    for (size_t i = 0, n = 0; i < shown; i++) {
        if (i && !strcmp(l->row[i].key, l->row[i - 1].key))
            continue; /* it moved while it was listed */
        buf_print(out, "%s%s", n++ ? "," : "", l->row[i].text);
    }
    buf_add_text(out, "],\"next\":");
    if (l->n > shown)
        json_print_string(out, span_of(l->row[shown - 1].key));
    else
        buf_add_text(out, "null");
    buf_add_text(out, "}");
}

static bool is_state(const char *state)
{
    static const char *const states[] = {
        "", "waiting", "reading", "review", "done", "failed", "dismissed"};
    size_t i = 0, n = sizeof states / sizeof *states;
    while (i < n && strcmp(states[i], state) != 0)
        i++;
    return i < n;
}

/* A number of the address in its range; `usual` for "". -1: it is none. */
static long read_number(const char *text, long least, long most, long usual)
{
    char *end = NULL;
    if (!*text) return usual;
    if (strspn(text, "0123456789") != strlen(text)) return -1;
    long value = strtol(text, &end, 10);
    return value < least || value > most ? -1 : value;
}

static void list_documents(struct document_listing *l,
                           struct spool_index *index, struct err *err)
{
    const struct request *q = l->q;
    struct spool_index_query *ask = &l->search.query;
    bool outcome = *q->code || *q->value;
    bool every = !*q->state, waits = !strcmp(q->state, "waiting");
    if (l->search.none) return;
    if (!outcome && (every || waits)) list_in(l, err);
    if (!outcome && (every || waits || !strcmp(q->state, "reading")))
        list_work(l, err);
    ask->before = q->cursor;
    ask->most = (int)l->most;
    if (every || (!waits && strcmp(q->state, "reading") != 0))
        spool_index_find(index, ask, add_row, l);
}

SPOOL_API(list)
{
    struct err err = {0};
    struct document_listing l = {.r = r, .q = q};
    long limit = read_number(q->limit, 1, LIMIT_MAX, LIMIT_USUAL);
    (void)body;
    if (limit < 0 || !is_state(q->state) || !spool_search_read(&l.search, q) ||
        (*q->cursor && strncmp(q->cursor, "in/", 3) != 0 &&
         !spool_is_id(q->cursor))) {
        request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request",
                       "state, limit, from, to or cursor is not one");
        return;
    }
    struct spool_index *index = routes_index_of(r, reply);
    if (!index) return;
    l.most = (size_t)limit + 1;
    l.arena = arena_new();
    list_documents(&l, index, &err);
    request_json(reply, MHD_HTTP_OK);
    print_list(&l, &reply->text);
    if (err_failed(&err))
        request_fail(reply, MHD_HTTP_SERVICE_UNAVAILABLE, &err);
    arena_free(l.arena);
}

/* --- one document ---------------------------------------------------------- */

/* Answers with the Summary. */
static void answer_summary(struct routes *r, const char *id,
                           struct request_reply *reply)
{
    struct spool_index *index = routes_index_of(r, reply);
    if (!index) return;
    buf_cut(&reply->text, 0);
    request_json(reply, MHD_HTTP_OK);
    if (!spool_summary_print(r->spool, index, id, &reply->text))
        refuse_missing(reply);
}

/* The folder of a document with an outcome; -1: it has none. */
static int open_outcome(struct routes *r, const char *id, bool *done)
{
    int fd = spool_folder_fd(r->spool, SPOOL_DONE, id);
    *done = fd >= 0;
    return *done ? fd : spool_folder_fd(r->spool, SPOOL_FAILED, id);
}

/* A record as a file: with corrections if there are some. */
static int open_record(int folder, unsigned format)
{
    char name[64];
    const struct record_file *row = record_files_of(format);
    snprintf(name, sizeof name, "corrected%s", row->ending);
    int fd = spool_open_file(folder, name);
    return fd >= 0 ? fd : spool_open_file(folder, row->name);
}

static void print_formats(int folder, struct buf *out)
{
    buf_add_text(out, ",\"formats\":[\"json\"");
    if (spool_exists(folder, record_files_of(FORMAT_XML)->name))
        buf_add_text(out, ",\"xml\"");
    if (spool_exists(folder, record_files_of(FORMAT_PDF)->name))
        buf_add_text(out, ",\"pdf\"");
    buf_add_text(out, "]");
}

static void print_done(struct routes *r, const struct request *q, int fd,
                       struct request_reply *reply)
{
    struct err err = {0};
    struct corrected_record_review review = {0};
    print_formats(fd, &reply->text);
    if (q->role < REQUEST_REVIEW) return;
    cJSON *record = corrected_record_record(fd, r->config, &review, &err);
    buf_print(&reply->text, ",\"corrected\":%d", review.n_line);
    if (record) {
        buf_add_text(&reply->text, ",\"record\":");
        json_print(&reply->text, record, 0);
    }
    cJSON_Delete(record);
}

static void print_failed(int fd, struct buf *out)
{
    cJSON *reason = spool_read_json(fd, "reason.json", SPOOL_JSON_MAX);
    const struct reason *row =
        reason_find(json_get_text_or_empty(reason, "code"));
    json_print_member(out, "meaning", row ? row->meaning : "");
    json_print_member(out, "remedy", row ? row->remedy : "");
    if (cJSON_IsObject(reason)) {
        buf_add_text(out, ",\"reason\":");
        json_print(out, reason, 0);
    }
    cJSON_Delete(reason);
}

static void answer_document(struct routes *r, const struct request *q,
                            struct request_reply *reply)
{
    bool done;
    struct stat doc;
    answer_summary(r, q->id, reply);
    if (reply->head.status != MHD_HTTP_OK) return;
    int fd = open_outcome(r, q->id, &done);
    reply->head.wait = fd < 0;
    buf_cut(&reply->text, reply->text.size - 1);
    if (fd >= 0 && fstatat(fd, "doc", &doc, AT_SYMLINK_NOFOLLOW) == 0)
        buf_print(&reply->text, ",\"bytes\":%lld", (long long)doc.st_size);
    if (fd >= 0 && done) print_done(r, q, fd, reply);
    if (fd >= 0 && !done) print_failed(fd, &reply->text);
    if (fd >= 0) close(fd);
    buf_add_text(&reply->text, "}");
}

/* The document's file name, as ASCII for a header. */
static void set_file_name(int folder, const char *id, const char *ending,
                          struct request_reply *reply)
{
    struct document_folder_state state;
    size_t n = 0;
    document_folder_read_name(folder, id, &state);
    for (const char *p = state.name; *p && n < sizeof reply->head.file - 40;
         p++)
        if (*p >= ' ' && *p <= '~' && !strchr("\"\\/;%", *p))
            reply->head.file[n++] = *p;
    snprintf(reply->head.file + n, sizeof reply->head.file - n, "%s%s",
             n ? "" : id, ending);
}

/* The record in a format of its own. */
static void answer_record(struct routes *r, const struct request *q,
                          unsigned format, const char *type,
                          struct request_reply *reply)
{
    bool done;
    answer_summary(r, q->id, reply);
    if (reply->head.status != MHD_HTTP_OK) return;
    int fd = open_outcome(r, q->id, &done);
    reply->head.wait = fd < 0;
    reply->fd = fd >= 0 && done ? open_record(fd, format) : -1;
    if (q->role < REQUEST_REVIEW) {
        request_refuse(reply, MHD_HTTP_FORBIDDEN, "not-allowed",
                       "a record needs the role review");
    } else if (fd < 0 || !done) {
        request_refuse(reply, MHD_HTTP_CONFLICT, "not-done",
                       "the document has no record");
    } else if (reply->fd < 0) {
        request_refuse(reply, MHD_HTTP_NOT_ACCEPTABLE, "not-there",
                       "the document has no record in this format");
    } else {
        set_file_name(fd, q->id, record_files_of(format)->ending, reply);
        snprintf(reply->head.type, sizeof reply->head.type, "%s", type);
    }
    if (reply->head.status != MHD_HTTP_OK && reply->fd >= 0) {
        close(reply->fd);
        reply->fd = -1;
    }
    if (fd >= 0) close(fd);
}

/* Which of our types the client prefers: the first that it names. */
static int choose_type(const char *accept)
{
    static const char *const types[] = {"application/json",
                                        "application/xml",
                                        "text/xml",
                                        "application/pdf",
                                        "*/*",
                                        "application/*"};
    static const int chosen[] = {0, 1, 1, 2, 0, 0};
    const char *first = NULL;
    int best = *accept ? -1 : 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *at = strcasestr(accept, types[i]);
        if (!at || (first && at >= first)) continue;
        first = at;
        best = chosen[i];
    }
    return best;
}

SPOOL_API(document)
{
    (void)body;
    if (read_number(q->wait, 0, 60, 0) < 0) {
        request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request",
                       "wait must be a number of seconds from 0 to 60");
        return;
    }
    switch (choose_type(q->accept)) {
    case 0: answer_document(r, q, reply); break;
    case 1: answer_record(r, q, FORMAT_XML, "application/xml", reply); break;
    case 2: answer_record(r, q, FORMAT_PDF, "application/pdf", reply); break;
    default:
        request_refuse(reply, MHD_HTTP_NOT_ACCEPTABLE, "bad-request",
                       "Accept must be application/json, application/xml or "
                       "application/pdf");
    }
}

SPOOL_API(original)
{
    static const enum spool_place places[] = {SPOOL_WORK, SPOOL_DONE,
                                              SPOOL_FAILED};
    (void)body;
    refuse_missing(reply);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int fd = spool_folder_fd(r->spool, places[i], q->id);
        if (fd < 0) continue;
        reply->fd = spool_open_file(fd, "doc");
        if (reply->fd >= 0) {
            reply->head.status = MHD_HTTP_OK;
            snprintf(reply->head.type, sizeof reply->head.type,
                     "application/octet-stream");
            set_file_name(fd, q->id, "", reply);
        }
        close(fd);
        if (reply->fd >= 0) return;
    }
}

/* --- changes --------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *of)
{
    while (*of && strcmp(*of, name) != 0)
        of++;
    return *of;
}

/* An object, or nothing, which counts as one without members; `members` are those
 * that it may have, and NULL. */
static cJSON *parse_body(struct span body, const char *const *members,
                         struct request_reply *reply)
{
    struct err err = {0};
    cJSON *o = body.size ? json_parse(body, &err) : cJSON_CreateObject();
    const cJSON *one = cJSON_IsObject(o) ? o->child : NULL;
    while (one && is_one_of(one->string, members))
        one = one->next;
    if (cJSON_IsObject(o) && !one) return o;
    request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request", "%s",
                   err_failed(&err) ? err.text
                                    : "the body must be a JSON object with no "
                                      "other member than is described");
    cJSON_Delete(o);
    return NULL;
}

bool spool_api_is_schema(const struct routes *r, const char *name)
{
    struct arena *arena = arena_new();
    const char **known = schema_names(r->config->stage.schemas, arena);
    bool found = !strcmp(name, "auto");
    for (; *known && !found; known++)
        found = !strcmp(*known, name);
    arena_free(arena);
    return found;
}

/* Refuses a document that is not in failed/, or that another process has. */
static bool is_failed(struct routes *r, const char *id,
                      struct request_reply *reply)
{
    struct folder f;
    struct err err = {0};
    if (spool_lock(r->spool, SPOOL_FAILED, id, &f, &err)) {
        spool_unlock(&f);
        return true;
    }
    reply->head.busy =
        !err_failed(&err) && spool_exists(r->spool->place[SPOOL_FAILED], id);
    answer_summary(r, id, reply);
    if (err_failed(&err))
        request_fail(reply, MHD_HTTP_SERVICE_UNAVAILABLE, &err);
    else if (reply->head.busy)
        request_refuse(reply, MHD_HTTP_CONFLICT, "busy",
                       "another platen process is using the document");
    else if (reply->head.status == MHD_HTTP_OK)
        request_refuse(reply, MHD_HTTP_CONFLICT, "not-failed",
                       "the document has not failed");
    return false;
}

static void answer_change(struct routes *r, const char *id,
                          const struct err *err, struct request_reply *reply)
{
    if (err_failed(err)) {
        request_fail(reply,
                     err->kind == ERR_SYSTEM ? MHD_HTTP_SERVICE_UNAVAILABLE
                                             : MHD_HTTP_CONFLICT,
                     err);
        return;
    }
    request_changed(reply, id);
    answer_summary(r, id, reply);
}

/* A fleet reads documents elsewhere, from their bytes alone. */
static bool is_own(struct routes *r, struct request_reply *reply)
{
    if (!*r->config->fleet) return true;
    request_refuse(reply, MHD_HTTP_CONFLICT, "of-fleet",
                   "a fleet reads the documents of this spool");
    return false;
}

/* Clockwise quarter turns; -1: it is another number. */
static int read_turns(const cJSON *rotate)
{
    static const double degrees[] = {0, 90, 180, 270};
    int i = 0;
    while (i < 4 &&
           (!cJSON_IsNumber(rotate) || rotate->valuedouble < degrees[i] ||
            rotate->valuedouble > degrees[i]))
        i++;
    return i < 4 ? i : -1;
}

SPOOL_API(retry)
{
    static const char *const members[] = {"schema", "rotate", NULL};
    struct err err = {0};
    char id[SPOOL_ID_SIZE], *list[] = {id, NULL};
    cJSON *o = parse_body(body, members, reply);
    const cJSON *schema = json_get(o, "schema"),
                *rotate = json_get(o, "rotate");
    if (!o) return;
    snprintf(id, sizeof id, "%s", q->id);
    if ((schema && !cJSON_IsString(schema)) ||
        (rotate && read_turns(rotate) < 0)) {
        request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request",
                       "schema must be a text, rotate 0, 90, 180 or 270");
    } else if (schema && !spool_api_is_schema(r, schema->valuestring)) {
        request_refuse(reply, MHD_HTTP_UNPROCESSABLE_CONTENT, "unknown-schema",
                       "no schema has this name");
    } else if ((!rotate || is_own(r, reply)) && is_failed(r, id, reply)) {
        if (schema) spool_set_folder(r->spool, id, schema->valuestring, &err);
        if (rotate) spool_set_turns(r->spool, id, read_turns(rotate), &err);
        spool_retry(r->spool, list, &err);
        answer_change(r, id, &err, reply);
    }
    cJSON_Delete(o);
}

SPOOL_API(dismiss)
{
    static const char *const members[] = {"undo", NULL};
    struct err err = {0};
    cJSON *o = parse_body(body, members, reply);
    const cJSON *undo = json_get(o, "undo");
    if (!o) return;
    if (undo && !cJSON_IsBool(undo)) {
        request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request",
                       "undo must be true or false");
    } else if (is_failed(r, q->id, reply)) {
        spool_dismiss(r->spool, q->id, !cJSON_IsTrue(undo), &err);
        answer_change(r, q->id, &err, reply);
    }
    cJSON_Delete(o);
}

/* --- with a password ------------------------------------------------------- */

struct unlocking {
    struct settings settings; /* with the password */
    int fd;                   /* the document */
};

static void print_unlocked(void *arg, struct buf *out, struct err *err)
{
    struct unlocking *u = arg;
    struct document *doc = document_new("", "", u->fd);
    rasterise_unlock(doc, &u->settings, out, err);
    document_free(doc);
}

/* Puts the document without its encryption beside it. Only platen-raster, in its
 * sandbox, reads it and the password, which is in sealed memory. */
static void unlock(struct routes *r, const char *id, struct span password,
                   struct err *err)
{
    struct folder f;
    struct unlocking u = {.settings = r->config->stage};
    if (!spool_lock(r->spool, SPOOL_FAILED, id, &f, err)) {
        if (!err_failed(err)) err_set(err, ERR_ARGS, "it is in use");
        return;
    }
    u.settings.passwords_fd = config_file_seal(password, "password", err);
    u.settings.spawner_fd = 0;
    u.fd = spool_open_file(f.fd, "doc");
    if (u.fd < 0 && !err_failed(err)) err_errno(err, "doc");
    spool_write_long(&f, SPOOL_UNLOCKED, settings_whole_bytes(&u.settings),
                     false, print_unlocked, &u, err);
    if (u.fd >= 0) close(u.fd);
    if (u.settings.passwords_fd > 0) close(u.settings.passwords_fd);
    spool_unlock(&f);
}

static void unlock_and_retry(struct routes *r, char *id, const char *password,
                             struct request_reply *reply)
{
    struct err err = {0};
    char *list[] = {id, NULL};
    unlock(r, id, span_of(password), &err);
    if (err.reason && !strcmp(err.reason, "encrypted")) {
        request_refuse(reply, MHD_HTTP_UNPROCESSABLE_CONTENT, "no-password",
                       "this password does not open the document");
        return;
    }
    spool_retry(r->spool, list, &err);
    answer_change(r, id, &err, reply);
}

SPOOL_API(unlock)
{
    static const char *const members[] = {"password", NULL};
    char id[SPOOL_ID_SIZE];
    cJSON *o = parse_body(body, members, reply);
    const cJSON *password = json_get(o, "password");
    char *text = cJSON_IsString(password) ? password->valuestring : NULL;
    if (!o) return;
    snprintf(id, sizeof id, "%s", q->id);
    if (!text || !*text || strlen(text) > PASSWORD_MAX || strpbrk(text, "\r\n"))
        request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request",
                       "password must be a text of 1 to %d bytes in one line",
                       PASSWORD_MAX);
    else if (is_own(r, reply) && is_failed(r, id, reply))
        unlock_and_retry(r, id, text, reply);
    if (text) explicit_bzero(text, strlen(text));
    cJSON_Delete(o);
}

/* --- for good ---------------------------------------------------------------- */

struct prune_answer {
    struct spool_index *index;
    bool dry_run;
};

static void forget_pruned(void *arg, const char *id, const char *what,
                          const char *why)
{
    const struct prune_answer *p = arg;
    char own[SPOOL_ID_SIZE], *list[] = {own};
    snprintf(own, sizeof own, "%s", id);
    if (!why && !p->dry_run && !strcmp(what, "document"))
        spool_index_forget(p->index, list, 1);
}

/* Documents delivered before so many days. */
static void prune(struct routes *r, struct spool_index *index,
                  const cJSON *asked, struct request_reply *reply)
{
    struct err err = {0};
    struct prune_answer p = {index, cJSON_IsTrue(json_get(asked, "dry_run"))};
    const struct spool_prune how = {
        .before = clock_utc() - json_get_integer(asked, "days") * 86400,
        .keep_records = cJSON_IsTrue(json_get(asked, "keep_records")),
        .dry_run = p.dry_run,
        .most = (size_t)r->config->stage.max_record_bytes,
        .config = r->config,
        .tell = forget_pruned,
        .arg = &p};
    size_t n = spool_prune(r->spool, &how, &err);
    request_json(reply, MHD_HTTP_OK);
    buf_print(&reply->text, "{\"documents\":%zu}", n);
    if (err_failed(&err))
        request_fail(reply, MHD_HTTP_SERVICE_UNAVAILABLE, &err);
}

static bool is_flag(const cJSON *value)
{
    return !value || cJSON_IsBool(value);
}

SPOOL_API(prune)
{
    static const char *const members[] = {"days", "keep_records", "dry_run",
                                          NULL};
    cJSON *o = parse_body(body, members, reply);
    const cJSON *days = json_get(o, "days");
    long long n = json_get_integer(o, "days");
    (void)q;
    if (!o) return;
    if (!cJSON_IsNumber(days) || n < 1 || n > DAYS_MAX ||
        days->valuedouble > (double)n || days->valuedouble < (double)n ||
        !is_flag(json_get(o, "keep_records")) ||
        !is_flag(json_get(o, "dry_run"))) {
        request_refuse(reply, MHD_HTTP_BAD_REQUEST, "bad-request",
                       "days must be a number from 1 to %d, keep_records and "
                       "dry_run true or false",
                       DAYS_MAX);
    } else {
        struct spool_index *index = routes_index_of(r, reply);
        if (index) prune(r, index, o, reply);
    }
    cJSON_Delete(o);
}

SPOOL_API(delete)
{
    struct err err = {0};
    struct spool_index *index = routes_index_of(r, reply);
    char id[SPOOL_ID_SIZE], *list[] = {id};
    (void)body;
    if (!index) return;
    snprintf(id, sizeof id, "%s", q->id);
    switch (spool_prune_delete(r->spool, id, &err)) {
    case SPOOL_PRUNE_MISSING: refuse_missing(reply); break;
    case SPOOL_PRUNE_BUSY:
        reply->head.busy = true;
        request_refuse(reply, MHD_HTTP_CONFLICT, "busy",
                       "the document is being read or changed");
        break;
    case SPOOL_PRUNE_PART:
        request_refuse(reply, MHD_HTTP_CONFLICT, "is-part",
                       "the document is a batch or a part of one");
        break;
    case SPOOL_PRUNE_DELETED:
        spool_index_forget(index, list, 1);
        reply->head.status = MHD_HTTP_NO_CONTENT;
        request_changed(reply, id);
    }
    if (err_failed(&err))
        request_fail(reply, MHD_HTTP_SERVICE_UNAVAILABLE, &err);
}
