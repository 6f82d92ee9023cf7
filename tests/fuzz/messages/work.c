/* work.c - the process that reads a document for one command, taken over. */
#define process_start     played_start
#define document_work_run fuzzed_document_work_run
#define document_work_put fuzzed_document_work_put
#define document_work_add fuzzed_document_work_add
#define document_work_end fuzzed_document_work_end
#include "pipeline/process/document_work.c" /* its messages are static */

#include <assert.h>

#include "tests/fuzz/messages/play.h"

static void never_run(void *arg, struct document *doc,
                      const struct settings *settings,
                      struct document_work_output *out, struct err *err)
{
    (void)arg, (void)doc, (void)settings, (void)out, (void)err;
    assert(false);
}

static void take(void *arg, int number, struct span item, struct err *err)
{
    (void)arg, (void)number;
    assert(item.data && item.data[item.size] == '\0' && !err_failed(err));
}

void messages_work(struct play *p)
{
    static const char piece[100] = "row";
    static const int32_t number = 3;
    static const uint16_t at[] = {offsetof(struct reason_message, kind),
                                  offsetof(struct reason_message, code),
                                  offsetof(struct reason_message, text),
                                  offsetof(struct reason_message, page)};
    const struct reason_message end = {.kind = ERR_INPUT, .code = "damaged"};
    const struct play_type type[] = {
        {MESSAGE_PIECE, piece, sizeof piece, NULL, 0},
        {MESSAGE_ITEM, &number, sizeof number, NULL, 0},
        {MESSAGE_END, &end, sizeof end, at, sizeof at / sizeof *at}};
    const struct settings settings = {.spawner_door = 1}; /* never used */
    struct err err = {0};
    p->type = type;
    p->n_type = sizeof type / sizeof *type;
    p->at_once = true;
    document_work_run(&(struct document_work){.name = "x",
                                              .fd = -1,
                                              .settings = &settings,
                                              .run = never_run,
                                              .take = take},
                      &err);
    play_check_err(p, &err);
}
