/* checker.c - see checker.h. */
#include "pipeline/worker/checker.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/process/document_sandbox.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_part.h"
#include "stages/document/reason.h"
#include "stages/process/process.h"
#include "stages/record/xml.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

struct checker_task {
    const struct folder *f;
    const char *name; /* of the record's file */
    const struct schema *record;
    const char *sha256; /* "": to be calculated */
    const struct settings *settings;
};

enum { MESSAGE_RESULT = 1 };

/* What the check needs of the folder, which cannot be opened from the
 * sandbox. */
struct files {
    struct span record, xml; /* data NULL: there is none */
    struct hash doc;         /* empty: pruned */
    bool is_stack;
};

static void open_files(const struct checker_task *c, struct files *files,
                       struct arena *arena)
{
    size_t most = (size_t)c->settings->max_record_bytes;
    *files =
        (struct files){.record = spool_read(c->f->fd, c->name, most, arena),
                       .xml = spool_read(c->f->fd, "record.xml", most, arena),
                       .is_stack = spool_part_is_stack(c->f->fd)};
    if (*c->sha256)
        snprintf(files->doc.hex, sizeof files->doc.hex, "%s", c->sha256);
    else
        files->doc = document_folder_hash(c->f->fd);
}

static void find_fault(struct checker_result *result, const char *what,
                       const char *where)
{
    if (!*result->fault)
        snprintf(result->fault, sizeof result->fault, "%s%s%.100s", what,
                 *where ? " at " : "", where);
}

static void check_schema(const struct schema *schema, const cJSON *record,
                         struct arena *arena, struct checker_result *result)
{
    struct findings found = {.n_finding = 0};
    struct err err = {0};
    if (schema_validate(schema, record, arena, &found, &err)) return;
    find_fault(result, "it is not valid",
               found.n_finding ? found.finding->instance : "");
}

/* The text that is to come, as it is written. */
struct expected {
    struct span rest;
    bool differs;
};

static void compare(void *arg, struct span bytes)
{
    struct expected *e = arg;
    e->differs |= bytes.size > e->rest.size ||
                  memcmp(bytes.data, e->rest.data, bytes.size) != 0;
    if (e->differs) return;
    e->rest.data += bytes.size;
    e->rest.size -= bytes.size;
}

static void check_xml(const struct schema *schema, const cJSON *record,
                      struct span xml, struct checker_result *result)
{
    struct err err = {0};
    struct expected expected = {.rest = xml};
    struct buf out = buf_drained(SIZE_MAX / 2, compare, &expected);
    xml_write_record(schema, record, NULL, &out, &err);
    buf_flush(&out);
    buf_free(&out);
    if (err_failed(&err) || expected.differs || expected.rest.size)
        find_fault(result, "record.xml is another record", "");
}

static void check_record(const struct checker_task *c,
                         const struct files *files, const cJSON *o,
                         struct arena *arena, struct checker_result *result)
{
    const cJSON *parts = json_get(o, "parts");
    const char *fault = document_folder_fault_of(o, c->f->id, files->doc.hex);
    result->review = cJSON_IsTrue(json_get(o, "review"));
    result->unread = !strcmp(json_get_text_or_empty(o, "verdict"), "unread");
    snprintf(result->schema, sizeof result->schema, "%s",
             json_get_text_or_empty(json_get(o, "schema"), "name"));
    result->n_warning = cJSON_GetArraySize(json_get(o, "warnings"));
    result->n_part = files->is_stack ? cJSON_GetArraySize(parts) : 0;
    if (fault) find_fault(result, fault, "");
    if (fault || !c->record) return;
    check_schema(c->record, o, arena, result);
    if (files->xml.data) check_xml(c->record, o, files->xml, result);
}

static void run_process(void *arg, int fd)
{
    const struct checker_task *c = arg;
    struct checker_result result = {.n_part = 0};
    struct files files;
    struct err err = {0};
    struct arena *arena = arena_new();
    open_files(c, &files, arena);
    xml_start();
    document_sandbox_enter_alone(c->settings, fd, &err);
    cJSON *o = files.record.data ? json_parse(files.record, &err) : NULL;
    check_record(c, &files, o, arena, &result);
    const struct span all = {(const char *)&result, sizeof result};
    if (!message_send(fd, MESSAGE_RESULT, all, (struct span){"", 0}))
        _exit(EXIT_OTHER);
}

static bool check_result(void *body, size_t size)
{
    struct checker_result *r = body;
    (void)size;
    MESSAGE_TEXT(r->fault);
    MESSAGE_TEXT(r->schema);
    message_bool(&r->review);
    message_count(&r->n_warning, INT_MAX);
    message_count(&r->n_part, INT_MAX);
    return true;
}

/* What it does ends by itself, and takes milliseconds for an honest record: a
 * stop waits for it, and the deadline is for others. */
void checker_run(const struct folder *f, const char *name,
                 const struct schema *record, const char *sha256,
                 const struct settings *settings, struct checker_result *result,
                 struct err *err)
{
    static const struct message_type type[] = {
        [0] = {.least = 1},
        [MESSAGE_RESULT] = {sizeof *result, sizeof *result, 0, check_result}};
    const struct message_types types = {type, MESSAGE_RESULT + 1};
    struct process process;
    struct checker_task check = {f, name, record, sha256, settings};
    *result = (struct checker_result){.n_part = 0};
    process_start(&process,
                  &(struct process_options){.name = "platen-checker",
                                            .called = "the check of the record",
                                            .run = run_process,
                                            .arg = &check,
                                            .confined = true},
                  err);
    if (err_failed(err)) return;
    struct message *m = mem_alloc(1, sizeof *m);
    const struct process_wait wait = {.deadline = clock_seconds() +
                                                  settings->page_timeout_s,
                                      .seconds = settings->page_timeout_s,
                                      .key = "page_timeout"};
    if (process_receive(&process, &types, &wait, m, err))
        memcpy(result, m->body.text, sizeof *result);
    process_end(&process);
    mem_free(m);
}
