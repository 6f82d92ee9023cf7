/* checker.c - see checker.h. */
#include "pipeline/worker/checker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/process/confined.h"
#include "pipeline/process/document_sandbox.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_part.h"
#include "stages/reason.h"
#include "stages/record/xml.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

struct checker_task {
    const struct folder *f;
    const struct schema *record;
    const char *sha256; /* "": to be calculated */
    const struct settings *settings;
};

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
    *files = (struct files){
        .record = spool_read(c->f->fd, "record.json", most, arena),
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
    if (send(fd, &result, sizeof result, MSG_NOSIGNAL) < 0) _exit(EXIT_OTHER);
}

void checker_run(const struct folder *f, const struct schema *record,
                 const char *sha256, const struct settings *settings,
                 struct checker_result *result, struct err *err)
{
    struct confined process;
    struct checker_task check = {f, record, sha256, settings};
    *result = (struct checker_result){.n_part = 0};
    confined_start(&process, "platen-checker", run_process, &check, err);
    if (err_failed(err)) return;
    ssize_t n;
    do { /* a stop waits for it: what is left takes milliseconds */
        n = recv(process.fd, result, sizeof *result, 0);
    } while (n < 0 && errno == EINTR);
    bool whole = n == (ssize_t)sizeof *result;
    int status = confined_end(&process);
    result->fault[sizeof result->fault - 1] = '\0';
    if (!whole)
        err_reason(err, ERR_CHILD, "internal",
                   "the check of the record ended early, by signal %d",
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}
