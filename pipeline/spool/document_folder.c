/* document_folder.c - see document_folder.h. */
#include "pipeline/spool/document_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/corrections.h"
#include "pipeline/spool/spool_json.h"
#include "pipeline/spool/spool_prune.h"
#include "stages/document/reason.h"
#include "stages/document/record_files.h"
#include "stages/document/version.h"
#include "vlm/base/buf.h"
#include "vlm/base/hash.h"
#include "vlm/json/json.h"

static void read_name(int fd, const char *id,
                      struct document_folder_state *state)
{
    cJSON *o = spool_read_json(fd, "name.json", SPOOL_JSON_MAX);
    struct spool_source from;
    spool_source_read(o, &from);
    snprintf(state->name, sizeof state->name, "%s",
             *from.name ? from.name : id);
    snprintf(state->folder, sizeof state->folder, "%s", from.folder);
    snprintf(state->path, sizeof state->path, "%s", from.path);
    state->turns = (int)json_get_integer(o, "turns") & 3;
    cJSON_Delete(o);
}

int document_folder_crashes(const struct document_folder_state *state,
                            const char *code)
{
    for (int i = 0; i < DOCUMENT_FOLDER_CRASH_KINDS; i++)
        if (!strcmp(state->crash[i].code, code)) return state->crash[i].n;
    return 0;
}

/* If the table is full, the last row is counted. */
static void count_crash(struct document_folder_state *state, const char *code)
{
    int i = 0;
    while (i < DOCUMENT_FOLDER_CRASH_KINDS - 1 && *state->crash[i].code &&
           strcmp(state->crash[i].code, code) != 0)
        i++;
    snprintf(state->crash[i].code, sizeof state->crash[i].code, "%s", code);
    state->n_crash++;
    if (++state->crash[i].n > state->n_crash_same)
        state->n_crash_same = state->crash[i].n;
}

static void count_end(const cJSON *end, struct document_folder_state *state)
{
    const char *outcome = json_get_text_or_empty(end, "outcome");
    if (!strcmp(outcome, "crash")) {
        const struct reason *row =
            reason_find(json_get_text_or_empty(end, "reason"));
        const char *code = row ? row->code : "internal";
        count_crash(state, code);
        snprintf(state->last_code, sizeof state->last_code, "%s", code);
        snprintf(state->last_text, sizeof state->last_text, "%s",
                 json_get_text_or_empty(end, "text"));
    }
    if (!strcmp(outcome, "retry")) state->n_model++;
    if (json_get(end, "not_before"))
        state->not_before = json_get_integer(end, "not_before");
}

static void read_attempts(int fd, struct document_folder_state *state)
{
    char name[32];
    /* numbers have no gaps: each is written before the next */
    for (int n = 1; n <= DOCUMENT_FOLDER_ATTEMPT_MAX; n++) {
        snprintf(name, sizeof name, "attempt.%d", n);
        if (!spool_exists(fd, name)) break;
        state->n_attempt = n;
        cJSON *begin = spool_read_json(fd, name, SPOOL_JSON_MAX);
        snprintf(name, sizeof name, "attempt.%d.end", n);
        cJSON *end = spool_read_json(fd, name, SPOOL_JSON_MAX);
        state->supervisor = end ? 0 : json_get_integer(begin, "supervisor");
        if (end) {
            count_end(end, state);
        } else {
            state->n_death++;
            state->n_death_alone += cJSON_IsTrue(json_get(begin, "alone"));
        }
        cJSON_Delete(begin);
        cJSON_Delete(end);
    }
}

void document_folder_read_name(int folder_fd, const char *id,
                               struct document_folder_state *state)
{
    *state = (struct document_folder_state){0};
    read_name(folder_fd, id, state);
}

void document_folder_read(int folder_fd, const char *id,
                          struct document_folder_state *state)
{
    *state = (struct document_folder_state){0};
    state->has_doc =
        fstatat(folder_fd, "doc", &state->doc, AT_SYMLINK_NOFOLLOW) == 0;
    state->has_record = spool_exists(folder_fd, "record.json");
    state->has_reason = spool_exists(folder_fd, "reason.json");
    state->retrying = spool_exists(folder_fd, "retry");
    state->unreleased = spool_exists(folder_fd, "taken.json") &&
                        !spool_exists(folder_fd, "released");
    read_name(folder_fd, id, state);
    read_attempts(folder_fd, state);
}

void document_folder_begin(struct folder *f, int attempt, bool alone,
                           struct err *err)
{
    char name[32];
    if (err_failed(err)) return;
    snprintf(name, sizeof name, "attempt.%d", attempt);
    cJSON *o = cJSON_CreateObject();
    json_add_integer(o, "attempt", attempt);
    json_add_now(o, "started");
    cJSON_AddBoolToObject(o, "alone", alone);
    cJSON_AddStringToObject(o, "platen", PLATEN_VERSION);
    if (f->spool->supervisor)
        json_add_integer(o, "supervisor", f->spool->supervisor);
    spool_json_write(f, name, o, err);
}

void document_folder_end(struct folder *f, int attempt,
                         const struct document_folder_end *end, struct err *err)
{
    char name[32], seconds[32];
    if (err_failed(err)) return;
    snprintf(name, sizeof name, "attempt.%d.end", attempt);
    snprintf(seconds, sizeof seconds, "%.3f", end->seconds);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "outcome", end->outcome);
    json_add_now(o, "ended");
    cJSON_AddItemToObject(o, "seconds", json_new_number(seconds));
    if (*end->code) cJSON_AddStringToObject(o, "reason", end->code);
    if (end->stage) cJSON_AddStringToObject(o, "stage", end->stage);
    if (end->page) json_add_integer(o, "page", end->page);
    if (end->signal) json_add_integer(o, "signal", end->signal);
    if (end->text) cJSON_AddStringToObject(o, "text", end->text);
    if (end->not_before) json_add_integer(o, "not_before", end->not_before);
    spool_json_write(f, name, o, err);
}

void document_folder_uncharge(struct folder *f, int attempt, struct err *err)
{
    if (err_failed(err)) return;
    char name[32];
    snprintf(name, sizeof name, "attempt.%d", attempt);
    spool_remove(f, name, err);
}

static cJSON *attempts_of(int fd, int n_attempt)
{
    char name[32];
    cJSON *list = cJSON_CreateArray();
    int first = n_attempt > 40 ? n_attempt - 40 : 1;
    for (int n = first; n <= n_attempt; n++) {
        snprintf(name, sizeof name, "attempt.%d.end", n);
        cJSON *end = spool_read_json(fd, name, SPOOL_JSON_MAX);
        if (!end) {
            end = cJSON_CreateObject();
            cJSON_AddStringToObject(end, "outcome", "death");
        }
        json_add_integer(end, "attempt", n);
        cJSON_AddItemToArray(list, end);
    }
    return list;
}

static cJSON *source_of(const struct document_folder_reason *reason)
{
    cJSON *source = cJSON_CreateObject();
    spool_json_add_name(source, "name", reason->state->name);
    spool_json_add_name(source, "folder", reason->state->folder);
    json_add_integer(source, "bytes", (long long)reason->state->doc.st_size);
    if (*reason->sha256)
        cJSON_AddStringToObject(source, "sha256", reason->sha256);
    return source;
}

void document_folder_set_reason(struct folder *f,
                                const struct document_folder_reason *reason,
                                struct err *err)
{
    if (err_failed(err)) return;
    const struct document_folder_end *end = reason->end;
    const struct reason *row = reason_find(end->code);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "id", f->id);
    cJSON_AddStringToObject(o, "code", end->code);
    json_add_now(o, "created");
    cJSON_AddStringToObject(o, "stage", end->stage ? end->stage : "");
    if (end->page) json_add_integer(o, "page", end->page);
    cJSON_AddStringToObject(o, "text", end->text ? end->text : "");
    cJSON_AddStringToObject(o, "remedy", row ? row->remedy : "");
    cJSON_AddItemToObject(o, "source", source_of(reason));
    cJSON_AddStringToObject(o, "schema", reason->schema);
    if (*reason->model) {
        cJSON *model = cJSON_AddObjectToObject(o, "model");
        cJSON_AddStringToObject(model, "name", reason->model);
        if (*reason->model_sha256)
            cJSON_AddStringToObject(model, "sha256", reason->model_sha256);
    }
    cJSON_AddItemToObject(o, "attempts",
                          attempts_of(f->fd, reason->state->n_attempt));
    cJSON *versions = cJSON_AddObjectToObject(o, "versions");
    cJSON_AddStringToObject(versions, "platen", PLATEN_VERSION);
    spool_json_write(f, "reason.json", o, err);
}

bool document_folder_is_ours(const char *name)
{
    static const char *const names[] = {
        "doc",        "name.json",      "reason.json",   "released",
        "delivered",  "taken.json",     "retry",         "unsynced",
        "parts",      "part.json",      SPOOL_ROWS,      SPOOL_PACE,
        SPOOL_FLEET,  "corrected.json", "corrected.xml", CORRECTIONS_FILE,
        SPOOL_PRUNED, SPOOL_PRUNING,    SPOOL_HOOK_FILE, SPOOL_DISMISSED,
        SPOOL_NOTED,  SPOOL_UNLOCKED,   SPOOL_WORDS};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(names[i], name)) return true;
    const struct record_file *file;
    for (size_t i = 0; (file = record_files_at(i)); i++)
        if (!strcmp(file->name, name)) return true;
    return !strncmp(name, "attempt.", 8);
}

static bool is_pruned(int folder_fd)
{
    return spool_exists(folder_fd, SPOOL_PRUNED) &&
           !spool_exists(folder_fd, "doc");
}

struct hash document_folder_hash(int folder_fd)
{
    struct err err = {0};
    struct hash hash = {{0}};
    int fd = openat(folder_fd, "doc",
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return is_pruned(folder_fd) ? hash : hash_bytes((struct span){"", 0});
    hash = hash_fd(fd, &err);
    close(fd);
    return hash;
}

const char *document_folder_fault_of(const cJSON *record, const char *id,
                                     const char *hex)
{
    const cJSON *source = json_get(record, "source");
    if (!record) return "record.json is not complete";
    if (strcmp(json_get_text_or_empty(record, "id"), id) != 0)
        return "record.json is of another document";
    if (!json_get(record, "data") && !cJSON_IsArray(json_get(record, "parts")))
        return "record.json has no data";
    if (*hex && strcmp(json_get_text_or_empty(source, "sha256"), hex) != 0)
        return "record.json has another SHA-256 than doc";
    return NULL;
}

const char *document_folder_record_fault(int folder_fd, const char *id,
                                         size_t most)
{
    cJSON *o = spool_read_json(folder_fd, "record.json", most);
    struct hash doc = document_folder_hash(folder_fd);
    const char *fault = document_folder_fault_of(o, id, doc.hex);
    cJSON_Delete(o);
    return fault;
}

const char *document_folder_reason_fault_of(const cJSON *reason, const char *id,
                                            const char *hex)
{
    const char *known =
        json_get_text_or_empty(json_get(reason, "source"), "sha256");
    if (!reason) return "reason.json is not complete";
    if (strcmp(json_get_text_or_empty(reason, "id"), id) != 0)
        return "reason.json is of another document";
    if (!reason_find(json_get_text_or_empty(reason, "code")))
        return "reason.json has no known code";
    if (*hex && *known && strcmp(hex, known) != 0)
        return "reason.json has another SHA-256 than doc";
    return NULL;
}

const char *document_folder_reason_fault(int folder_fd, const char *id)
{
    cJSON *o = spool_read_json(folder_fd, "reason.json", SPOOL_JSON_MAX);
    struct hash doc = {{0}};
    if (*json_get_text_or_empty(json_get(o, "source"), "sha256"))
        doc = document_folder_hash(folder_fd);
    const char *fault = document_folder_reason_fault_of(o, id, doc.hex);
    cJSON_Delete(o);
    return fault;
}
