/* document_work.c - see document_work.h. */
#include "pipeline/process/document_work.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/process/confined.h"
#include "pipeline/process/document_sandbox.h"
#include "pipeline/process/signals.h"
#include "pipeline/process/spawner_process.h"
#include "stages/reason.h"
#include "vlm/base/buf.h"
#include "vlm/base/fd_pass.h"

enum { CHUNK = 64 << 10, ITEM_BYTES_MAX = 1 << 29 };

enum message_type {
    MESSAGE_PIECE = 1, /* bytes of an item */
    MESSAGE_ITEM,      /* its number: it is complete */
    MESSAGE_END        /* struct reason_message: there are no more */
};

struct work_message {
    uint32_t type, size; /* enum message_type, bytes of the rest */
    union {
        char piece[CHUNK];
        int32_t number;
        struct reason_message reason;
    } of;
};

static const size_t head_size = offsetof(struct work_message, of);

/* --- the process ----------------------------------------------------------- */

struct document_work_output {
    int fd;
    struct work_message *m; /* long, and a stack can be short */
};

/* Without a caller there is nobody to work for. */
static void send_message(const struct document_work_output *out,
                         enum message_type type, size_t size)
{
    out->m->type = (uint32_t)type;
    out->m->size = (uint32_t)size;
    if (!fd_pass_send(out->fd, out->m, head_size + size, NULL, 0))
        _exit(EXIT_OTHER);
}

void document_work_add(struct document_work_output *out, struct span piece)
{
    for (size_t at = 0, n; at < piece.size; at += n) {
        n = piece.size - at < CHUNK ? piece.size - at : CHUNK;
        memcpy(out->m->of.piece, piece.data + at, n);
        send_message(out, MESSAGE_PIECE, n);
    }
}

void document_work_end(struct document_work_output *out, int number)
{
    out->m->of.number = number;
    send_message(out, MESSAGE_ITEM, sizeof out->m->of.number);
}

void document_work_put(struct document_work_output *out, int number,
                       struct span item)
{
    document_work_add(out, item);
    document_work_end(out, number);
}

static void run_process(void *arg, int fd)
{
    const struct document_work *w = arg;
    struct document_work_output out = {fd, mem_alloc(1, sizeof *out.m)};
    struct settings settings = *w->settings;
    struct err err = {0};
    struct document *doc = document_new("", w->name, w->fd);
    document_sandbox_enter(doc, NULL, &settings, fd, &err);
    if (!err_failed(&err)) w->run(w->arg, doc, &settings, &out, &err);
    reason_pack(&err, &out.m->of.reason);
    send_message(&out, MESSAGE_END, sizeof out.m->of.reason);
}

/* --- the caller's side ------------------------------------------------------ */

static bool asked_to_stop(void *arg)
{
    (void)arg;
    return signals_pending();
}

static void broke_protocol(struct err *err)
{
    if (!err_failed(err))
        err_reason(err, ERR_CHILD, "internal",
                   "the process that read it broke its protocol");
}

/* Handles a message; false: it was the last. */
static bool handle(const struct document_work *w, const struct work_message *m,
                   struct buf *item, struct err *err)
{
    if (m->type == MESSAGE_PIECE && m->size <= sizeof m->of.piece &&
        !item->full) {
        buf_add(item, m->of.piece, m->size);
    } else if (m->type == MESSAGE_ITEM && m->size == sizeof m->of.number &&
               !item->full) {
        w->take(w->arg, m->of.number, buf_span(item), err);
        buf_cut(item, 0);
    } else if (m->type == MESSAGE_END && m->size == sizeof m->of.reason) {
        reason_unpack(&m->of.reason, err);
        return false;
    } else {
        broke_protocol(err);
    }
    return !err_failed(err);
}

static void receive_all(const struct document_work *w, struct confined *process,
                        struct err *err)
{
    const struct confined_stop stop = {asked_to_stop, NULL};
    struct buf item = buf_limit(ITEM_BYTES_MAX);
    struct work_message *m = mem_alloc(1, sizeof *m);
    for (bool more = true; more;) {
        size_t n = confined_receive(process, m, sizeof *m, &stop, err);
        if (err_failed(err)) break;
        if (n < head_size || n != head_size + m->size) broke_protocol(err);
        more = !err_failed(err) && handle(w, m, &item, err);
    }
    buf_free(&item);
    mem_free(m);
}

void document_work_run(const struct document_work *w, struct err *err)
{
    struct confined process;
    struct settings settings = *w->settings;
    struct document_work own = *w;
    struct spawner_process *spawner = NULL;
    if (err_failed(err)) return;
    own.settings = &settings;
    if (!settings.spawner_door)
        spawner = spawner_process_start(w->settings, err);
    if (spawner) settings.spawner_door = spawner_process_door(spawner);
    confined_start(&process, "platen-reader", run_process, &own, err);
    if (!err_failed(err)) receive_all(w, &process, err);
    confined_end(&process);
    spawner_process_free(spawner);
}
