/* child.c - see child.h. */
#include "stages/children/child.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stages/children/sandbox/sandbox.h"
#include "vlm/base/clock.h"

enum { GRACE_S = 5 }; /* for the exit */

void child_init(struct child *c, const struct child_program *program,
                const struct settings *settings,
                const struct child_process_stop *stop)
{
    *c = (struct child){
        .program = program,
        .settings = settings,
        .process = {.pixels = -1, .complaints = -1, .orders = -1}};
    if (stop) c->process.stop = *stop;
    child_allow(c, settings->page_timeout_s, "page_timeout");
}

void child_start(struct child *c, const struct spawn_job *job, int document,
                 struct err *err)
{
    if (err_failed(err)) return;
    c->unread = 0;
    c->killed = false;
    child_process_open(&c->process, job, document, c->settings, err);
}

void child_allow(struct child *c, int seconds, const char *key)
{
    c->left_s = c->allowed_s = seconds;
    c->allowed_by = key;
}

void child_close(struct child *c)
{
    child_process_close(&c->process);
}

/* --- what went wrong ------------------------------------------------------ */

void child_broke_protocol(const struct child *c, const char *what,
                          struct err *err)
{
    if (err_failed(err)) return;
    err_reason(err, ERR_CHILD, c->program->protocol,
               "%s broke its protocol: %s", c->program->called, what);
}

/* Whether the child's last words say that it ran out of memory. */
static bool ran_out_of_memory(const char *words)
{
    static const char *const sign[] = {"out of memory", "bad_alloc",
                                       "failed to allocate", "length_error"};
    for (size_t s = 0; s < sizeof sign / sizeof sign[0]; s++)
        for (const char *at = words; *at; at++)
            if (!strncasecmp(at, sign[s], strlen(sign[s]))) return true;
    return false;
}

/* Explains why the child closed its pipe before its last message. */
static void explain_death(struct child *c, struct err *err)
{
    child_process_wait(&c->process, GRACE_S);
    int status = c->process.status;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char *called = c->program->called, *words = c->process.complaint;
    bool memory = ran_out_of_memory(words);
    c->killed = signal == SIGKILL && !memory;
    if (signal == SIGXCPU)
        err_reason(err, ERR_CHILD, "resource-cpu",
                   "%s took more than %d s of processor time (child_cpu_limit)",
                   called, c->settings->child_cpu_limit_s);
    else if (signal == SIGSYS)
        err_reason(err, ERR_CHILD, "sandbox-violation",
                   "%s made a system call that its sandbox forbids", called);
    else if (memory)
        err_reason(
            err, ERR_CHILD, "resource-memory",
            "%s needed more than %lld bytes of memory (child_memory_limit)",
            called, (long long)c->settings->child_memory_limit);
    else if (signal)
        err_reason(err, ERR_CHILD, c->program->crash,
                   "%s died of signal %d%s%.200s", called, signal,
                   *words ? ": " : "", words);
    else
        err_reason(err, ERR_CHILD, c->program->crash,
                   "%s ended early with status %d%s%.200s", called,
                   WEXITSTATUS(status), *words ? ": " : "", words);
}

/* Counts the time since then, and explains why a transfer ended early. */
static void explain_transfer(struct child *c, enum child_process_end end,
                             double since, struct err *err)
{
    c->left_s -= clock_seconds() - since;
    if (end == CHILD_PROCESS_CLOSED)
        explain_death(c, err);
    else if (end == CHILD_PROCESS_STOPPED)
        err_reason(err, ERR_CANCELLED, "cancelled", "asked to stop");
    else if (end == CHILD_PROCESS_LATE && c->left_s <= 0)
        err_reason(err, ERR_CHILD, "resource-cpu",
                   "%s took longer than %d s (%s)", c->program->called,
                   c->allowed_s, c->allowed_by);
    else if (end == CHILD_PROCESS_LATE)
        err_reason(err, ERR_CHILD, "resource-cpu",
                   "%s made no progress for %d s (page_timeout)",
                   c->program->called, c->settings->page_timeout_s);
}

/* --- messages ------------------------------------------------------------- */

static void read_all(struct child *c, void *data, size_t size, struct err *err)
{
    if (err_failed(err)) return;
    double since = clock_seconds();
    explain_transfer(c,
                     child_process_read(&c->process, data, size,
                                        c->settings->page_timeout_s,
                                        since + c->left_s),
                     since, err);
}

void child_read_bytes(struct child *c, void *data, uint64_t size,
                      struct err *err)
{
    if (size > c->unread)
        child_broke_protocol(c, "a message that is too short", err);
    read_all(c, data, size, err);
    c->unread -= err_failed(err) ? c->unread : size;
}

void child_read_text(struct child *c, size_t most, char *out, struct err *err)
{
    size_t size = c->unread;
    *out = '\0';
    if (size > most) child_broke_protocol(c, "a text that is too long", err);
    if (err_failed(err)) return;
    child_read_bytes(c, out, size, err);
    out[err_failed(err) ? 0 : size] = '\0';
    for (char *at = out; *at; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~') *at = '?';
}

static void read_failure(struct child *c, const struct child_frame *f,
                         struct err *err)
{
    char text[FRAME_TEXT_MAX + 1];
    if (f->a >= c->program->n_status || f->b > INT_MAX)
        child_broke_protocol(c, "an unknown failure", err);
    child_read_text(c, FRAME_TEXT_MAX, text, err);
    if (err_failed(err)) return;
    const struct child_status *status = &c->program->status[f->a];
    err_reason(err, status->kind, status->code, "%s%s", text,
               *text ? "" : "no details given");
    err->page = (int)f->b;
}

void child_read(struct child *c, struct child_frame *f, struct err *err)
{
    *f = (struct child_frame){0};
    if (c->unread) child_broke_protocol(c, "a message that is too long", err);
    read_all(c, f, sizeof *f, err);
    if (err_failed(err)) return;
    if (f->magic != FRAME_MAGIC) {
        child_broke_protocol(c, "a message without its magic number", err);
        return;
    }
    c->unread = f->size;
    if (f->type == FRAME_FAIL) read_failure(c, f, err);
}

void child_expect(struct child *c, uint32_t type, struct child_frame *f,
                  struct err *err)
{
    child_read(c, f, err);
    if (!err_failed(err) && f->type != type)
        child_broke_protocol(c, "an unexpected message", err);
}

void child_expect_end(struct child *c, struct err *err)
{
    char more;
    if (err_failed(err)) return;
    if (c->unread ||
        child_process_read(&c->process, &more, 1, GRACE_S,
                           clock_seconds() + GRACE_S) != CHILD_PROCESS_CLOSED)
        child_broke_protocol(c, "more data than requested", err);
}

void child_write_bytes(struct child *c, const void *data, size_t size,
                       struct err *err)
{
    if (err_failed(err)) return;
    double since = clock_seconds();
    explain_transfer(c,
                     child_process_write(&c->process, data, size,
                                         c->settings->page_timeout_s,
                                         since + c->left_s),
                     since, err);
}

void child_write(struct child *c, struct child_frame f, struct err *err)
{
    f.magic = FRAME_MAGIC;
    child_write_bytes(c, &f, sizeof f, err);
}

/* --- the sandbox ---------------------------------------------------------- */

void child_greet(struct child *c, struct err *err)
{
    struct child_frame f;
    child_expect(c, FRAME_HELLO, &f, err);
    c->layers = f.a;
    c->landlock_abi = f.b;
}

void child_check_layers(unsigned layers, const char *called,
                        const struct settings *settings, struct document *doc,
                        const char *what, struct err *err)
{
    unsigned filters = layers & (SANDBOX_LANDLOCK | SANDBOX_SECCOMP);
    if (err_failed(err)) return;
    if (!filters && !settings_unsandboxed(settings))
        err_reason(err, ERR_MISSING, "no-sandbox",
                   "%s has no sandbox: neither Landlock nor seccomp is "
                   "available here (sandbox = best accepts that)",
                   called);
    else if (!filters && doc)
        document_warn(doc, &(struct warning){.code = WARN_UNSANDBOXED},
                      "%s without a sandbox", what);
    else if (filters != (SANDBOX_LANDLOCK | SANDBOX_SECCOMP) && doc)
        document_warn(doc, &(struct warning){.code = WARN_SANDBOX_PARTIAL},
                      "%s in a sandbox without %s", what,
                      filters == SANDBOX_LANDLOCK ? "seccomp" : "Landlock");
}

void child_check_walls(const struct child *c, struct document *doc,
                       const char *what, struct err *err)
{
    child_check_layers(c->layers, c->program->called, c->settings, doc, what,
                       err);
}
