/* document_sandbox.c - see document_sandbox.h. */
#include "pipeline/process/document_sandbox.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/children/child.h"
#include "stages/children/sandbox/sandbox.h"
#include "stages/engine/engine.h"
#include "stages/process/process.h"
#include "vlm/base/fd_pass.h"

enum { FDS = 5, MARGIN = 4, ROWS_BYTES_LEAST = 512 << 20 };

/* Bytes of address space in use. */
static int64_t mapped_now(void)
{
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f) return 0;
    if (fscanf(f, "%llu", &pages) != 1) pages = 0;
    fclose(f);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

/* The row file of a long document holds its record's rows, with evidence. That
 * a record is too large is found only when it is printed. */
static int64_t rows_bytes(const struct settings *s)
{
    int64_t bytes = MARGIN * s->max_record_bytes;
    return bytes > ROWS_BYTES_LEAST ? bytes : ROWS_BYTES_LEAST;
}

/* Is the model in this process, which then starts threads for it? */
static bool has_model(const struct engine *engine, const struct settings *s)
{
    return engine && s->model_server_fd <= 0 && settings_have_model(s);
}

void document_sandbox_enter(struct document *doc, struct engine *engine,
                            struct settings *settings, int fd, struct err *err)
{
    int keep[FDS] = {fd, doc->fd}, n_keep = 2;
    if (err_failed(err)) return;
    if (doc->unlocked > 0) keep[n_keep++] = doc->unlocked;
    if (settings->spawner_door > 0) {
        settings->spawner_fd = fd_pass_connect(settings->spawner_door, err);
        keep[n_keep++] = settings->spawner_fd;
    }
    int connection = engine ? engine_renew(engine, err) : -1;
    if (connection >= 0) keep[n_keep++] = connection;
    const struct sandbox_profile profile = {
        .messages = true,
        .threads = has_model(engine, settings),
        .memory_bytes = mapped_now() + MARGIN * settings->child_memory_limit,
        .file_bytes = rows_bytes(settings)};
    if (err_failed(err)) return;
    struct sandbox_layers walls = sandbox_confine(&profile, keep, n_keep);
    child_check_layers(walls.layers, "the reader", settings, doc, "read", err);
}

void document_sandbox_enter_alone(const struct settings *settings, int fd,
                                  struct err *err)
{
    if (err_failed(err)) return;
    const struct sandbox_profile profile = {
        .messages = true,
        .memory_bytes = mapped_now() + settings->child_memory_limit};
    struct sandbox_layers walls = sandbox_confine(&profile, &fd, 1);
    child_check_layers(walls.layers, "the checker", settings, NULL, "", err);
}

/* --- doctor ------------------------------------------------------------------- */

struct process_kind {
    const char *name;
    struct sandbox_profile profile;
};

static void send_layers(void *arg, int fd)
{
    const struct process_kind *kind = arg;
    struct sandbox_layers walls = sandbox_confine(&kind->profile, &fd, 1);
    (void)fd_pass_send(fd, &walls, sizeof walls, NULL, 0);
}

bool document_sandbox_doctor(const struct settings *settings, struct buf *out)
{
    static const struct process_kind kinds[] = {
        {"reader", {.messages = true, .file_bytes = ROWS_BYTES_LEAST}},
        {"checker", {.messages = true}},
        {"model server", {.threads = true, .messages = true}},
        {"fetch process",
         {.threads = true, .messages = true, .network = true}}};
    bool all = true;
    (void)settings;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct process process;
        struct sandbox_layers walls = {.layers = 0};
        struct err err = {0};
        process_start(
            &process,
            &(struct process_options){.name = "platen-doctor",
                                      .run = send_layers,
                                      .arg = (void *)(uintptr_t)&kinds[i],
                                      .confined = true},
            &err);
        if (!err_failed(&err))
            (void)fd_pass_receive(process.fd, &walls, sizeof walls, NULL, 0);
        process_end(&process);
        if (kinds[i].profile.network) walls.layers |= SANDBOX_NETWORK;
        all &= child_process_print_layers(kinds[i].name, walls.layers, out);
    }
    buf_add_text(out, "no sandbox, and no document: supervisor, worker, "
                      "spawner, watcher, platen-fleet\n");
    return all;
}
