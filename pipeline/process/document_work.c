/* document_work.c - see document_work.h. */
#include "pipeline/process/document_work.h"

#include <string.h>
#include <unistd.h>

#include "pipeline/process/document_sandbox.h"
#include "pipeline/process/signals.h"
#include "stages/children/spawner.h"
#include "stages/document/reason.h"
#include "stages/process/process.h"
#include "vlm/base/buf.h"

enum { ITEM_BYTES_MAX = 1 << 29 };

enum {
    MESSAGE_PIECE = 1, /* bytes of an item */
    MESSAGE_ITEM,      /* its number: it is complete */
    MESSAGE_END,       /* struct reason_message: there are no more */
    N_MESSAGE
};

static const struct message_type types[N_MESSAGE] = {
    [0] = {.least = 1},
    [MESSAGE_PIECE] = {.least = 1, .most = MESSAGE_CHUNK},
    [MESSAGE_ITEM] = {sizeof(int32_t), sizeof(int32_t), 0, NULL},
    [MESSAGE_END] = {sizeof(struct reason_message),
                     sizeof(struct reason_message), 0, NULL}};

/* --- the process ----------------------------------------------------------- */

struct document_work_output {
    int fd;
};

/* Nobody waits for the rest if the caller has gone. */
static void send_message(const struct document_work_output *out, uint32_t type,
                         const void *body, size_t size)
{
    const struct span bytes = {body, size}, none = {"", 0};
    if (!message_send(out->fd, type, bytes, none)) _exit(EXIT_OTHER);
}

void document_work_add(struct document_work_output *out, struct span piece)
{
    for (size_t at = 0, n; at < piece.size; at += n) {
        n = piece.size - at < MESSAGE_CHUNK ? piece.size - at : MESSAGE_CHUNK;
        send_message(out, MESSAGE_PIECE, piece.data + at, n);
    }
}

void document_work_end(struct document_work_output *out, int number)
{
    const int32_t item = number;
    send_message(out, MESSAGE_ITEM, &item, sizeof item);
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
    struct document_work_output out = {fd};
    struct settings settings = *w->settings;
    struct reason_message reason;
    struct err err = {0};
    struct document *doc = document_new("", w->name, w->fd);
    doc->unlocked = w->unlocked;
    document_sandbox_enter(doc, NULL, &settings, fd, &err);
    if (!err_failed(&err)) w->run(w->arg, doc, &settings, &out, &err);
    reason_pack(&err, &reason);
    send_message(&out, MESSAGE_END, &reason, sizeof reason);
}

/* --- the caller's side ------------------------------------------------------ */

/* Handles a message; false: it was the last. */
static bool handle(const struct document_work *w, const struct message *m,
                   struct buf *item, struct err *err)
{
    int32_t number;
    if (m->type == MESSAGE_PIECE) {
        buf_add(item, m->body.text, m->size);
    } else if (m->type == MESSAGE_ITEM && !item->full) {
        memcpy(&number, m->body.text, sizeof number);
        w->take(w->arg, number, buf_span(item), err);
        buf_cut(item, 0);
    } else if (m->type == MESSAGE_END) {
        reason_unpack((const struct reason_message *)&m->body, err);
        return false;
    }
    if (item->full && !err_failed(err))
        err_reason(err, ERR_CHILD, "internal",
                   "the process that read it sent more than %d bytes",
                   ITEM_BYTES_MAX);
    return !err_failed(err);
}

static void receive_all(const struct document_work *w, struct process *process,
                        struct err *err)
{
    const struct process_wait wait = {.stop = signals_pending};
    struct buf item = buf_limit(ITEM_BYTES_MAX);
    struct message *m = mem_alloc(1, sizeof *m);
    const struct message_types known = {types, N_MESSAGE};
    while (process_receive(process, &known, &wait, m, err) &&
           handle(w, m, &item, err))
        continue;
    buf_free(&item);
    mem_free(m);
}

void document_work_run(const struct document_work *w, struct err *err)
{
    struct process process;
    struct settings settings = *w->settings;
    struct document_work own = *w;
    struct process_server *spawner = NULL;
    if (err_failed(err)) return;
    own.settings = &settings;
    if (!settings.spawner_door) spawner = spawner_new(w->settings, err);
    process_server_ensure(spawner);
    if (spawner) settings.spawner_door = process_server_door(spawner);
    process_start(
        &process,
        &(struct process_options){.name = "platen-reader",
                                  .called = "the process that read it",
                                  .run = run_process,
                                  .arg = &own,
                                  .confined = true},
        err);
    if (!err_failed(err)) receive_all(w, &process, err);
    process_end(&process);
    process_server_free(spawner);
}
