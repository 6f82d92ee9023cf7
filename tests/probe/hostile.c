/* hostile.c - a platen whose reader or checker is taken over by a document with
 * "hostile" in its name, for tests/e2e/hostile.sh: it runs an attack on its parents,
 * after it has entered its sandbox, with what it has there.
 *
 *   HOSTILE      an attack below
 *   HOSTILE_IN   reader (default), or checker: of any document
 *   HOSTILE_N    its number: an exit code, a side in pixels, pages
 *
 * Linked with --wrap for each function that is overridden.
 */
#define _GNU_SOURCE 1

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "pipeline/process/document_sandbox.h"
#include "pipeline/reader/reader.h"
#include "pipeline/spool/document_folder.h"
#include "stages/engine/endpoint_dialect.h"
#include "stages/engine/engine.h"
#include "stages/process/message.h"
#include "stages/record/record.h"
#include "vlm/base/clock.h"
#include "vlm/device/device.h"
#include "vlm/vlm.h"

/* As in reader.c: a program that is taken over knows its own protocol. */
enum { PROGRESS = 1, ROWS, WORDS, SOME_WORDS, OUTCOME, PART, TEXT, PRINTED };

static int caller = -1;
static bool taken, serves;

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static bool is(const char *attack)
{
    return taken && !strcmp(setting("HOSTILE"), attack);
}

static void put(uint32_t type, const void *body, size_t size)
{
    (void)message_send(caller, type, (struct span){body, size},
                       (struct span){"", 0});
}

static void wait_for(double seconds)
{
    struct timespec t = {(time_t)seconds,
                         (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&t, NULL);
}

/* --- attacks ---------------------------------------------------------------- */

/* Always another page that is kept, of as many as it says. */
static void claim_pages(int n_page, const char *stage)
{
    for (int i = 1;; i++) {
        struct event e = {
            .n_page = n_page, .page = i, .n_kept = i, .n_read = i};
        snprintf(e.stage, sizeof e.stage, "%s", stage);
        put(PROGRESS, &e, sizeof e);
        wait_for(0.3);
    }
}

static void claim_stage(const char *stage)
{
    for (;;) {
        struct event e = {.n_page = 1};
        snprintf(e.stage, sizeof e.stage, "%s", stage);
        put(PROGRESS, &e, sizeof e);
        wait_for(0.3);
    }
}

static void report(enum err_kind kind, const char *code)
{
    struct reader_outcome o = {.dialect = ENDPOINT_DIALECT};
    o.err.kind = (int)kind;
    snprintf(o.err.code, sizeof o.err.code, "%s", code);
    snprintf(o.err.text, sizeof o.err.text, "as I say");
    put(OUTCOME, &o, sizeof o);
    wait_for(600);
}

/* Costs that are no numbers, of stages that do not exist; bytes that are no
 * bool. */
static void claim_costs(void)
{
    struct reader_outcome o = {.n_try = 1};
    struct event *e = &o.event;
    e->n_cost = EVENT_COSTS;
    for (int i = 0; i < EVENT_COSTS; i++) {
        snprintf(e->cost[i].stage, sizeof e->cost[i].stage, "invented%d", i);
        e->cost[i].seconds = i % 2 ? NAN : INFINITY;
    }
    snprintf(e->cost[0].stage, sizeof e->cost[0].stage, "extract");
    memset(&e->review, 2, 1);
    memset(&o.is_stack, 2, 1);
    o.err.kind = ERR_INPUT;
    snprintf(o.err.code, sizeof o.err.code, "damaged");
    put(OUTCOME, &o, sizeof o);
    wait_for(600);
}

/* Attached files, as many as it likes. */
static void claim_parts(int n)
{
    struct reader_outcome o = {.is_stack = true, .n_part = n};
    put(OUTCOME, &o, sizeof o);
    for (int i = 1; i <= n; i++) {
        struct spool_part part = {
            .is_attachment = true, .bytes = 5, .number = i, .count = n};
        snprintf(part.ending, sizeof part.ending, "pdf");
        put(PART, &part, sizeof part);
        put(TEXT, "%PDF-", 5);
    }
    wait_for(600);
}

/* What was typed at the terminal, and yesterday's lines of the log. */
static void use_standard_error(void)
{
    char text[64] = "";
    ssize_t n = read(STDERR_FILENO, text, sizeof text - 1);
    int cut = ftruncate(STDERR_FILENO, 0);
    fprintf(stderr, "hostile: reads %zd, truncates %d\n", n, cut);
    fprintf(stderr, "\033[2J\033]0;title\007 two \xff bytes\n");
    for (int i = 0; i < 20000; i++)
        fprintf(stderr, "flood %d\n", i);
}

static void use_memory(void)
{
    for (;;) {
        char *p = malloc(1 << 26);
        if (!p) mem_exhausted(1 << 26);
        memset(p, 1, 1 << 26);
    }
}

static void attack(void)
{
    int n = atoi(setting("HOSTILE_N"));
    if (is("pages")) claim_pages(n, "extract");
    if (is("schema")) claim_stage("schema");
    if (is("disk")) report(ERR_SYSTEM, "disk");
    if (is("lost")) report(ERR_SYSTEM, "model-server-lost");
    if (is("written")) report(ERR_SYSTEM, "still-written");
    if (is("cancelled")) report(ERR_CANCELLED, "cancelled");
    if (is("dialect")) report(ERR_INPUT, "damaged");
    if (is("costs")) claim_costs();
    if (is("parts")) claim_parts(n);
    if (is("error")) use_standard_error();
    if (is("memory")) use_memory();
    if (is("exit")) _exit(n);
    if (is("abort")) abort();
    if (is("kill")) raise(SIGKILL);
    if (is("empty")) (void)!send(caller, "", 0, MSG_NOSIGNAL);
    if (is("deaf")) shutdown(caller, SHUT_RDWR);
    if (is("closed")) close(caller);
    if (is("empty") || is("deaf") || is("closed") || is("sleep")) wait_for(600);
    if (is("loop"))
        for (volatile unsigned k = 0;; k++)
            continue;
}

/* --- where it happens --------------------------------------------------------- */

void __real_document_sandbox_enter(struct document *doc, struct engine *engine,
                                   struct settings *settings, int fd,
                                   struct err *err);
void __wrap_document_sandbox_enter(struct document *doc, struct engine *engine,
                                   struct settings *settings, int fd,
                                   struct err *err);

void __wrap_document_sandbox_enter(struct document *doc, struct engine *engine,
                                   struct settings *settings, int fd,
                                   struct err *err)
{
    __real_document_sandbox_enter(doc, engine, settings, fd, err);
    caller = fd;
    taken = strstr(doc->name, "hostile") && !*setting("HOSTILE_IN");
    if (taken) attack();
}

const char *__real_document_folder_fault_of(const cJSON *record, const char *id,
                                            const char *hex);
const char *__wrap_document_folder_fault_of(const cJSON *record, const char *id,
                                            const char *hex);

const char *__wrap_document_folder_fault_of(const cJSON *record, const char *id,
                                            const char *hex)
{
    taken = !strcmp(setting("HOSTILE_IN"), "checker");
    if (taken) attack();
    return __real_document_folder_fault_of(record, id, hex);
}

void __real_record_json(const struct document *doc,
                        const struct engine_facts *facts, int indent,
                        struct buf *out, struct err *err);
void __wrap_record_json(const struct document *doc,
                        const struct engine_facts *facts, int indent,
                        struct buf *out, struct err *err);

/* A record that is none, and one that takes much to read. */
void __wrap_record_json(const struct document *doc,
                        const struct engine_facts *facts, int indent,
                        struct buf *out, struct err *err)
{
    if (is("record")) {
        buf_add_text(out, "{}");
        return;
    }
    if (!is("bomb")) {
        __real_record_json(doc, facts, indent, out, err);
        return;
    }
    buf_add_text(out, "{\"a\":[");
    for (size_t n = 0; n < (size_t)126 << 20; n += 2)
        buf_add(out, "0,", 2);
    buf_add_text(out, "0]}");
}

struct device_rows *__real_device_encode_image(struct device *d,
                                               const struct image *image,
                                               struct err *err);
struct device_rows *__wrap_device_encode_image(struct device *d,
                                               const struct image *image,
                                               struct err *err);

struct device_rows *__wrap_device_encode_image(struct device *d,
                                               const struct image *image,
                                               struct err *err)
{
    if (!is("picture") || serves)
        return __real_device_encode_image(d, image, err);
    int side = atoi(setting("HOSTILE_N"));
    struct image large = image_new(side, side, 3, err);
    return __real_device_encode_image(d, &large, err);
}

void __real_vlm_serve(struct vlm *v, const struct vlm_serving *with,
                      struct err *err);
void __wrap_vlm_serve(struct vlm *v, const struct vlm_serving *with,
                      struct err *err);

void __wrap_vlm_serve(struct vlm *v, const struct vlm_serving *with,
                      struct err *err)
{
    serves = true;
    __real_vlm_serve(v, with, err);
}

void __real_clock_utc_text(char out[static 21]);
void __wrap_clock_utc_text(char out[static 21]);

/* A clock whose second changes whenever it is read. */
void __wrap_clock_utc_text(char out[static 21])
{
    static unsigned n_read;
    __real_clock_utc_text(out);
    if (!strcmp(setting("HOSTILE"), "clock"))
        memcpy(out, "2026-11-28T10:00:0", 18);
    if (!strcmp(setting("HOSTILE"), "clock"))
        out[18] = (char)('0' + n_read % 10);
    n_read++;
}
