/* command_status.c - platen status: what is waiting, done and failed. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/deferral.h"
#include "pipeline/spool/delivery.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/page_progress.h"
#include "pipeline/spool/queue_pause.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_index.h"
#include "pipeline/spool/spool_json.h"
#include "pipeline/spool/spool_part.h"
#include "stages/document/reason.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"
#include "vlm/base/redact_url.h"
#include "vlm/json/json.h"

/* --- status stacks --------------------------------------------------------- */

/* Progress of stacks for platen status.
 *
 * A stack is in done/ as soon as it is split, before its parts are read. It is
 * reported as
 *   {id, name, parts, done, failed}
 * where parts - done - failed parts have no outcome yet. */

static void add_name(cJSON *o, int fd, const char *id)
{
    struct document_folder_state state;
    document_folder_read_name(fd, id, &state);
    spool_json_add_name(o, "name", state.name);
}

/* Counts the parts by their ids, which derive from the id of the stack. */
static cJSON *count_parts(const struct spool *s, const char *id, int fd,
                          int n_part)
{
    cJSON *o = cJSON_CreateObject();
    int done = 0, failed = 0;
    for (int i = 1; i <= n_part; i++) {
        char part[SPOOL_ID_SIZE];
        spool_part_id(id, i, part);
        done += spool_exists(s->place[SPOOL_DONE], part);
        failed += spool_exists(s->place[SPOOL_FAILED], part);
    }
    cJSON_AddStringToObject(o, "id", id);
    add_name(o, fd, id);
    json_add_integer(o, "parts", n_part);
    json_add_integer(o, "done", done);
    json_add_integer(o, "failed", failed);
    return o;
}

/* The object of the stack `id` in done/; NULL if it is not a stack or was
 * pruned. `most`: limit of its record in bytes. Owned by the caller. */
static cJSON *status_stacks_one(const struct spool *s, const char *id,
                                size_t most)
{
    int fd = spool_folder_fd(s, SPOOL_DONE, id);
    if (fd < 0) return NULL;
    cJSON *record = spool_part_is_stack(fd)
                        ? spool_read_json(fd, "record.json", most)
                        : NULL;
    const cJSON *parts = json_get(record, "parts");
    cJSON *stack =
        parts ? count_parts(s, id, fd, cJSON_GetArraySize(parts)) : NULL;
    cJSON_Delete(record);
    close(fd);
    return stack;
}

static bool is_waiting(const cJSON *stack)
{
    return json_get_integer(stack, "done") + json_get_integer(stack, "failed") <
           json_get_integer(stack, "parts");
}

/* Adds the stack `id` to the list, once, if a part has no outcome yet. */
static void status_stacks_add(const struct spool *s, const char *id,
                              size_t most, cJSON *list)
{
    const cJSON *known = NULL;
    cJSON_ArrayForEach(known, list)
    {
        if (!strcmp(json_get_text_or_empty(known, "id"), id)) return;
    }
    cJSON *stack = status_stacks_one(s, id, most);
    if (stack && is_waiting(stack))
        cJSON_AddItemToArray(list, stack);
    else
        cJSON_Delete(stack);
}

/* Prints "3 of 20 parts done, 1 failed". */
static void status_stacks_print(const cJSON *stack)
{
    long long n_part = json_get_integer(stack, "parts"),
              failed = json_get_integer(stack, "failed");
    printf("%lld of %lld part%s done", json_get_integer(stack, "done"), n_part,
           n_part == 1 ? "" : "s");
    if (failed) printf(", %lld failed", failed);
}

/* --- lists of documents ---------------------------------------------------- */

enum { JSON_MOST = 256 << 20 };

static const char *const lists[] = {"failed", "review", "unread"};
enum { N_LIST = sizeof lists / sizeof lists[0] };

/* Is the whole record reviewed by a person? Reads done/ID only if it has
 * corrections. */
static bool is_reviewed(const struct spool *s, const struct config *config,
                        const char *id)
{
    struct err err = {0};
    struct corrected_record_review review = {0};
    int fd = spool_folder_fd(s, SPOOL_DONE, id);
    if (fd < 0) return true;
    if (spool_exists(fd, CORRECTIONS_FILE))
        cJSON_Delete(corrected_record_record(fd, config, &review, &err));
    close(fd);
    return review.reviewed;
}

/* Is one of the lists asked for? */
static bool is_list_asked(const struct command_line *line)
{
    for (int i = 0; i < N_LIST; i++)
        if (command_value(line, lists[i])) return true;
    return false;
}

/* One list, while its rows come from the index. */
struct listing {
    const struct spool *spool;
    const struct config *config;
    bool unread; /* only records that are unread */
    cJSON *list;
};

static cJSON *add_document(struct listing *r, const struct spool_index_row *row)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "id", row->id);
    cJSON_AddStringToObject(o, "name", row->name);
    cJSON_AddStringToObject(o, "folder", row->folder);
    cJSON_AddItemToArray(r->list, o);
    return o;
}

static void add_failed(void *arg, const struct spool_index_row *row)
{
    struct listing *r = arg;
    if (spool_is_dismissed(r->spool, row->id)) return;
    int fd = spool_folder_fd(r->spool, SPOOL_FAILED, row->id);
    if (fd < 0) return;
    cJSON *reason = spool_read_json(fd, "reason.json", SPOOL_JSON_MAX);
    cJSON *o = add_document(r, row);
    cJSON_AddStringToObject(o, "code", row->code);
    cJSON_AddStringToObject(o, "text", json_get_text_or_empty(reason, "text"));
    cJSON_Delete(reason);
    close(fd);
}

static void add_doubtful(void *arg, const struct spool_index_row *row)
{
    struct listing *r = arg;
    if (r->unread && !row->unread) return;
    if (is_reviewed(r->spool, r->config, row->id)) return;
    add_document(r, row);
}

static void print_lines(const cJSON *list)
{
    const cJSON *o = NULL;
    cJSON_ArrayForEach(o, list)
    {
        const char *folder = json_get_text_or_empty(o, "folder");
        const char *code = json_get_text_or_empty(o, "code");
        printf("%s  %s%s%s", json_get_text_or_empty(o, "id"), folder,
               *folder ? "/" : "", json_get_text_or_empty(o, "name"));
        if (*code) printf("  [%s] %s", code, json_get_text_or_empty(o, "text"));
        printf("\n");
    }
}

/* Prints the lists asked for: a line per document, or with --json one object
 * with an array for each list. */
static void print_lists(struct spool *s, const struct command_line *line)
{
    bool json = command_value(line, "json") != NULL;
    cJSON *all = cJSON_CreateObject();
    struct spool_index *index = spool_index_open(s, false);
    for (int i = 0; i < N_LIST; i++) {
        bool failed = !strcmp(lists[i], "failed");
        struct listing r = {s, line->config, !strcmp(lists[i], "unread"),
                            cJSON_CreateArray()};
        if (!command_value(line, lists[i])) {
            cJSON_Delete(r.list);
            continue;
        }
        spool_index_list(index, failed, failed ? add_failed : add_doubtful, &r);
        cJSON_AddItemToObject(all, lists[i], r.list);
        if (!json) print_lines(r.list);
    }
    spool_index_close(index);
    if (json) {
        struct buf out = buf_limit(JSON_MOST);
        json_print(&out, all, 2);
        printf("%s\n", buf_span(&out).data);
        buf_free(&out);
    }
    cJSON_Delete(all);
}

/* --- command status -------------------------------------------------------- */

enum { LATEST = 10, LONG_S = 120, IGNORED_SHOWN = 10 };

struct status {
    struct spool *spool;
    size_t n_in, n_ignored, n_work, n_done, n_failed, n_foreign;
    size_t n_deferred; /* included in n_work */
    size_t n_undelivered, n_unlisted, n_nested, n_review, n_dismissed;
    size_t n_unread; /* included in n_review */
    const struct config *config;
    struct arena *arena;
    size_t most; /* max_record_bytes */
    cJSON *in_work, *stacks, *reasons, *latest, *ignored, *hold;
};

static size_t count_documents(struct status *s, enum spool_place place,
                              struct err *err)
{
    size_t n = 0, foreign = 0;
    char **id = spool_list(s->spool, place, s->arena, &foreign, err);
    while (id[n])
        n++;
    s->n_foreign += foreign;
    return n;
}

/* Why the document is deferred, and until when watch does not try it. */
static void add_deferral(struct status *s, cJSON *o, int fd)
{
    struct deferral d;
    char until[21];
    deferral_read(fd, &d);
    if (d.times == 0) return;
    s->n_deferred++;
    clock_utc_print(d.not_before, until);
    cJSON *why = cJSON_AddObjectToObject(o, "deferred");
    json_add_integer(why, "times", d.times);
    cJSON_AddStringToObject(why, "reason", d.code);
    cJSON_AddStringToObject(why, "text", d.text);
    cJSON_AddStringToObject(why, "until", until);
}

static void add_count(cJSON *o, const char *key, int n)
{
    if (n) json_add_integer(o, key, n);
}

/* The progress of a document that is being read; of another one, the pages that
 * need not be read again. */
static void add_progress(cJSON *o, int fd)
{
    struct page_progress progress;
    char rate[32];
    bool held = spool_is_held(fd); /* first: a claim removes an old note */
    page_progress_read(fd, &progress);
    if (!progress.n_kept && !(held && progress.page)) return;
    cJSON *how = cJSON_AddObjectToObject(o, "progress");
    add_count(how, "pages", progress.n_page);
    add_count(how, "kept", progress.n_kept);
    if (!held || !progress.page) return;
    add_count(how, "page", progress.page);
    cJSON_AddStringToObject(how, "stage", progress.stage);
    json_add_integer(how, "stage_seconds", (long long)progress.age_s);
    if (progress.per_minute <= 0) return;
    double left =
        ceil((progress.n_page - progress.n_read) / progress.per_minute -
             progress.age_s / 60);
    snprintf(rate, sizeof rate, "%.*f", progress.per_minute < 0.1 ? 4 : 1,
             progress.per_minute);
    cJSON_AddItemToObject(how, "pages_per_minute", json_new_number(rate));
    json_add_integer(how, "minutes_left", left > 1 ? (long long)left : 1);
}

static size_t count_undelivered(struct status *s, struct err *err)
{
    size_t n = 0;
    char **id = spool_list(s->spool, SPOOL_DONE, s->arena, NULL, err);
    for (; *id; id++) {
        if (spool_is_delivered(s->spool, *id)) continue;
        int fd = spool_folder_fd(s->spool, SPOOL_DONE, *id);
        if (fd < 0) continue;
        n += delivery_is_due(fd);
        if (spool_part_is_stack(fd)) /* some parts may be unread */
            status_stacks_add(s->spool, *id, s->most, s->stacks);
        close(fd);
    }
    return n;
}

/* Warns that the counts are too small, because of a folder without access. */
static void warn_unlisted(struct status *s, const char *where, const char *name)
{
    log_warn("%s/%s; its files are not counted", where, name);
    s->n_unlisted++;
}

/* Of a part: adds its stack, whose folder is in done/ already. */
static void add_stack_of(struct status *s, int fd)
{
    struct spool_part part;
    if (spool_part_read(fd, &part) && spool_is_id(part.stack))
        status_stacks_add(s->spool, part.stack, s->most, s->stacks);
}

static void add_work(struct status *s, struct err *err)
{
    struct document_folder_state state;
    char **id = spool_list(s->spool, SPOOL_WORK, s->arena, NULL, err);
    for (; *id; id++) {
        int fd = spool_folder_fd(s->spool, SPOOL_WORK, *id);
        if (fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
            warn_unlisted(s, "work", *id);
        if (fd < 0) continue;
        document_folder_read(fd, *id, &state);
        cJSON *o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "id", *id);
        spool_json_add_name(o, "name", state.name);
        json_add_integer(o, "attempts", state.n_attempt);
        add_deferral(s, o, fd);
        add_progress(o, fd);
        add_stack_of(s, fd);
        close(fd);
        cJSON_AddItemToArray(s->in_work, o);
        s->n_work++;
    }
}

static void add_reason(void *arg, const char *code, int n)
{
    json_add_integer(((struct status *)arg)->reasons, code, n);
}

static void add_latest(void *arg, const struct spool_index_row *row)
{
    struct status *s = arg;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "id", row->id);
    cJSON_AddStringToObject(o, "name", row->name);
    cJSON_AddStringToObject(o, "folder", row->folder);
    cJSON_AddStringToObject(o, "state", *row->code ? "failed" : "done");
    if (*row->code) cJSON_AddStringToObject(o, "code", row->code);
    if (row->unread) cJSON_AddTrueToObject(o, "unread");
    if (*row->twin) cJSON_AddStringToObject(o, "duplicate_of", row->twin);
    cJSON *stack =
        *row->code ? NULL : status_stacks_one(s->spool, row->id, s->most);
    if (stack) cJSON_AddItemToObject(o, "stack", stack);
    cJSON_AddItemToArray(s->latest, o);
}

/* Counts records flagged for review that have not been reviewed completely. */
static void count_review(void *arg, const struct spool_index_row *row)
{
    struct status *s = arg;
    if (is_reviewed(s->spool, s->config, row->id)) return;
    s->n_review++;
    s->n_unread += row->unread;
}

/* Why the whole queue is on hold, if it is. */
static void add_hold(struct status *s)
{
    struct queue_pause w;
    char since[21], until[21] = "";
    if (!queue_pause_read(s->spool, &w)) return;
    clock_utc_print(w.since, since);
    if (w.until) clock_utc_print(w.until, until);
    s->hold = cJSON_CreateObject();
    cJSON_AddStringToObject(s->hold, "reason", w.code);
    cJSON_AddStringToObject(s->hold, "text", w.text);
    cJSON_AddStringToObject(s->hold, "since", since);
    cJSON_AddStringToObject(s->hold, "until", until);
}

/* Counts dismissed documents, and subtracts them from their reasons. */
static void count_dismissed(struct status *s, struct err *err)
{
    char **id = spool_list(s->spool, SPOOL_FAILED, s->arena, NULL, err);
    for (; *id; id++) {
        if (!spool_is_dismissed(s->spool, *id)) continue;
        int fd = spool_folder_fd(s->spool, SPOOL_FAILED, *id);
        cJSON *reason = spool_read_json(fd, "reason.json", SPOOL_JSON_MAX);
        const char *code = json_get_text_or_empty(reason, "code");
        const cJSON *known = json_get(s->reasons, code);
        int left = known ? known->valueint - 1 : 0;
        cJSON_DeleteItemFromObjectCaseSensitive(s->reasons, code);
        if (left > 0) json_add_integer(s->reasons, code, left);
        cJSON_Delete(reason);
        if (fd >= 0) close(fd);
        s->n_dismissed++;
    }
}

static void gather_status(struct status *s, struct err *err)
{
    struct drops drops = spool_scan(s->spool, s->arena, NULL, NULL, err);
    s->n_in = drops.n_drop;
    for (size_t i = 0; i < drops.n_unlisted; i++)
        warn_unlisted(s, "in", drops.unlisted[i]);
    s->n_ignored = drops.n_ignored;
    s->n_nested = drops.n_nested;
    for (size_t i = 0; i < drops.n_ignored && i < DROPS_IGNORED; i++)
        cJSON_AddItemToArray(s->ignored, cJSON_CreateString(drops.ignored[i]));
    add_hold(s);
    add_work(s, err);
    s->n_done = count_documents(s, SPOOL_DONE, err);
    s->n_undelivered = count_undelivered(s, err);
    s->n_failed = count_documents(s, SPOOL_FAILED, err);
    struct spool_index *index = spool_index_open(s->spool, false);
    spool_index_list(index, false, count_review, s);
    spool_index_reasons(index, add_reason, s);
    count_dismissed(s, err);
    spool_index_latest(index, LATEST, add_latest, s);
    spool_index_close(index);
}

/* What reads the documents of a configuration: the model's file, the endpoint's
 * address, or the engine. */
static void print_model_of(const struct config *c, struct buf *out)
{
    if (!strcmp(c->stage.engine, "endpoint"))
        redact_url_secrets(c->stage.endpoint, out);
    else
        buf_add_text(out, settings_have_model(&c->stage) ? c->stage.model
                                                         : c->stage.engine);
}

/* By schema, if sections of the configuration differ. */
static cJSON *list_models(const struct config *c)
{
    cJSON *list = cJSON_CreateObject();
    for (const struct config *s = config_each_schema(c, c); s;
         s = config_each_schema(c, s)) {
        struct buf model = buf_limit(1 << 14);
        print_model_of(s, &model);
        cJSON_AddStringToObject(list, s->of_schema, buf_span(&model).data);
        buf_free(&model);
    }
    return list;
}

static void print_status_json(struct status *s)
{
    struct buf out = buf_limit(64 << 20);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "spool", s->spool->path);
    json_add_integer(o, "in", (long long)s->n_in);
    json_add_integer(o, "ignored", (long long)s->n_ignored);
    json_add_integer(o, "nested", (long long)s->n_nested);
    json_add_integer(o, "work", (long long)s->n_work);
    json_add_integer(o, "deferred", (long long)s->n_deferred);
    json_add_integer(o, "done", (long long)s->n_done);
    json_add_integer(o, "review", (long long)s->n_review);
    json_add_integer(o, "unread", (long long)s->n_unread);
    json_add_integer(o, "undelivered", (long long)s->n_undelivered);
    json_add_integer(o, "unlisted", (long long)s->n_unlisted);
    json_add_integer(o, "failed", (long long)s->n_failed);
    json_add_integer(o, "dismissed", (long long)s->n_dismissed);
    json_add_integer(o, "foreign", (long long)s->n_foreign);
    cJSON_AddItemToObject(o, "reasons", s->reasons);
    cJSON_AddItemToObject(o, "ignored_names", s->ignored);
    if (s->hold) cJSON_AddItemToObject(o, "on_hold", s->hold);
    if (s->config->schema)
        cJSON_AddItemToObject(o, "models", list_models(s->config));
    cJSON_AddItemToObject(o, "in_work", s->in_work);
    cJSON_AddItemToObject(o, "stacks", s->stacks);
    cJSON_AddItemToObject(o, "latest", s->latest);
    json_print(&out, o, 2);
    printf("%s\n", buf_span(&out).data);
    buf_free(&out);
    cJSON_Delete(o);
}

static void print_deferral(const cJSON *why)
{
    if (!why) return;
    const struct reason *row =
        reason_find(json_get_text_or_empty(why, "reason"));
    printf("      deferred %s times, until %s: [%s] %s. %s\n",
           json_number(json_get(why, "times")),
           json_get_text_or_empty(why, "until"),
           json_get_text_or_empty(why, "reason"),
           json_get_text_or_empty(why, "text"), row ? row->remedy : "");
}

static void print_progress(const cJSON *how)
{
    const cJSON *page = json_get(how, "page"), *kept = json_get(how, "kept");
    const cJSON *pages = json_get(how, "pages");
    const cJSON *rate = json_get(how, "pages_per_minute");
    const cJSON *since = json_get(how, "stage_seconds");
    if (page)
        printf("      page %s of %s, %s", json_number(page),
               pages ? json_number(pages) : "?",
               json_get_text_or_empty(how, "stage"));
    if (page && since && since->valueint >= LONG_S)
        printf(" for %d min", since->valueint / 60);
    if (!page && kept)
        printf("      pages up to %s of %s are read and kept",
               json_number(kept), pages ? json_number(pages) : "?");
    if (page && rate)
        printf(", %s pages per minute, about %s min left", json_number(rate),
               json_number(json_get(how, "minutes_left")));
    if (page || kept) printf("\n");
}

static void print_stacks(const cJSON *stacks)
{
    const cJSON *o = NULL;
    if (stacks->child) printf("\nstacks with unread parts:\n");
    cJSON_ArrayForEach(o, stacks)
    {
        printf("  %s  %s: ", json_get_text_or_empty(o, "id"),
               json_get_text_or_empty(o, "name"));
        status_stacks_print(o);
        printf("\n");
    }
}

static void print_latest(const cJSON *o)
{
    const char *folder = json_get_text_or_empty(o, "folder");
    const char *code = json_get_text_or_empty(o, "code");
    const char *twin = json_get_text_or_empty(o, "duplicate_of");
    const cJSON *stack = json_get(o, "stack");
    printf("  %s  %s%s%s: ", json_get_text_or_empty(o, "id"), folder,
           *folder ? "/" : "", json_get_text_or_empty(o, "name"));
    if (stack) printf("split, ");
    if (stack)
        status_stacks_print(stack);
    else
        printf("%s%s%s%s", json_get_text_or_empty(o, "state"), *code ? " " : "",
               code, json_get(o, "unread") ? ", unread" : "");
    printf("%s%s\n", *twin ? ", duplicate of " : "", twin);
}

/* Prints why the queue is on hold, and until when. */
static void print_hold(const cJSON *hold)
{
    if (!hold) return;
    const char *code = json_get_text_or_empty(hold, "reason");
    const char *until = json_get_text_or_empty(hold, "until");
    const struct reason *row = reason_find(code);
    printf("  the queue has been on hold since %s",
           json_get_text_or_empty(hold, "since"));
    if (*until)
        printf(", next try at %s", until);
    else
        printf(", until platen runs again");
    printf(":\n          [%s] %s. %s\n", code,
           json_get_text_or_empty(hold, "text"), row ? row->remedy : "");
}

static void print_ignored(const struct status *s)
{
    const cJSON *name = NULL;
    int n = 0;
    cJSON_ArrayForEach(name, s->ignored)
    {
        if (n++ < IGNORED_SHOWN)
            printf("          ignored: in/%s\n", name->valuestring);
    }
    if (s->n_ignored > IGNORED_SHOWN)
        printf("          and %zu more\n", s->n_ignored - IGNORED_SHOWN);
}

static void print_models(const struct config *c)
{
    cJSON *list = list_models(c);
    const cJSON *one = NULL;
    cJSON_ArrayForEach(one, list)
        printf("  %s is read by %s\n", one->string, one->valuestring);
    cJSON_Delete(list);
}

static void print_in(const struct status *s)
{
    printf("%s\n  in      %6zu waiting", s->spool->path, s->n_in);
    if (s->n_ignored)
        printf(", %zu file%s ignored", s->n_ignored,
               s->n_ignored == 1 ? "" : "s");
    printf("\n");
    print_ignored(s);
    if (s->n_nested)
        printf("          %zu file%s in nested folders that are not read "
               "(recursive = no, or a path of more than %d bytes): move %s "
               "up one level\n",
               s->n_nested, s->n_nested == 1 ? "" : "s", FILE_NAME_PATH_MAX,
               s->n_nested == 1 ? "it" : "them");
}

static void print_status_text(struct status *s)
{
    const cJSON *o = NULL;
    print_in(s);
    print_hold(s->hold);
    print_models(s->config);
    printf("  work    %6zu", s->n_work);
    if (s->n_deferred) printf(", %zu of them deferred", s->n_deferred);
    printf("\n  done    %6zu", s->n_done);
    if (s->n_review)
        printf(", %zu need%s review (platen review %s)", s->n_review,
               s->n_review == 1 ? "s" : "", s->spool->path);
    if (s->n_unread) printf(", %zu unread", s->n_unread);
    if (s->n_undelivered)
        printf(", %zu of them not delivered to out/ yet", s->n_undelivered);
    if (s->stacks->child)
        printf(", %d of them stacks with unread parts",
               cJSON_GetArraySize(s->stacks));
    printf("\n  failed  %6zu", s->n_failed);
    if (s->n_dismissed) printf(", %zu of them dismissed", s->n_dismissed);
    printf("\n");
    if (s->n_foreign)
        printf("  foreign %6zu files that are not platen's\n", s->n_foreign);
    cJSON_ArrayForEach(o, s->reasons)
    {
        printf("          %6s [%s] %s\n", json_number(o), o->string,
               reason_find(o->string) ? reason_find(o->string)->remedy : "");
    }
    if (s->n_work) printf("\nin work:\n");
    cJSON_ArrayForEach(o, s->in_work)
    {
        printf("  %s  %s (attempts: %s)\n", json_get_text_or_empty(o, "id"),
               json_get_text_or_empty(o, "name"),
               json_number(json_get(o, "attempts")));
        print_deferral(json_get(o, "deferred"));
        print_progress(json_get(o, "progress"));
    }
    print_stacks(s->stacks);
    if (s->latest->child) printf("\nlatest:\n");
    cJSON_ArrayForEach(o, s->latest) print_latest(o);
    cJSON_Delete(s->reasons);
    cJSON_Delete(s->in_work);
    cJSON_Delete(s->stacks);
    cJSON_Delete(s->latest);
    cJSON_Delete(s->ignored);
    cJSON_Delete(s->hold);
}

static int status_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    int code = EXIT_OK;
    spool_open(&spool, line->operand[0], false, err);
    spool.flat = !line->config->recursive;
    spool.ignore = line->config->ignore;
    if (!err_failed(err) && is_list_asked(line)) {
        print_lists(&spool, line);
    } else if (!err_failed(err)) {
        struct status s = {.spool = &spool,
                           .arena = arena_new(),
                           .most = (size_t)line->config->stage.max_record_bytes,
                           .config = line->config,
                           .ignored = cJSON_CreateArray(),
                           .in_work = cJSON_CreateArray(),
                           .stacks = cJSON_CreateArray(),
                           .reasons = cJSON_CreateObject(),
                           .latest = cJSON_CreateArray()};
        gather_status(&s, err);
        if (command_value(line, "json"))
            print_status_json(&s);
        else
            print_status_text(&s);
        if (s.n_unlisted || s.n_nested) code = EXIT_ACCESS;
        arena_free(s.arena);
    }
    spool_close(&spool);
    return code;
}

static const struct command_flag flags[] = {
    {"json", NULL, "print one JSON object", 0},
    {"failed", NULL, "list failed documents, but not dismissed ones", 0},
    {"review", NULL, "list documents that need review", 0},
    {"unread", NULL, "list those of them whose record is unread", 0},
    {0},
};

const struct command command_status_row = {
    .name = "status",
    .usage = "SPOOL [--failed] [--review] [--unread] [--json]",
    .summary = "show what is waiting, in progress, done and failed, and why",
    .help = "Prints how many documents are in each folder and how many need "
            "review; why the queue is on hold and until when; the models of "
            "schemas "
            "that have their own; ignored files; "
            "documents in progress with the current page and pages per minute; "
            "reasons of failures with their remedies; and the latest outcomes. "
            "A batch is done once it is split; while some of its parts are not "
            "read, it is listed with how many are. Deferred documents wait in "
            "work/: the environment failed them although a probe found nothing "
            "wrong; others go first, and they are retried automatically. It "
            "may be run at any time; it changes nothing but the index, which "
            "it rebuilds if missing.\n"
            "\n"
            "--failed, --review and --unread list documents instead: id, name "
            "and reason, a line each, or with --json one object with an array "
            "for each list.\n"
            "\n"
            "Exits with 0, or with 5 if files are in a folder that is not read "
            "(recursive = no, or a path that is too long), or a folder cannot "
            "be listed, so that the counts are too small.",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = status_command,
};
