/* archive.c - the process that reads what a record says for the archive, taken
 * over. */
#define process_start                 played_start
#define worker_archive_compare        fuzzed_archive_compare
#define worker_archive_refused        fuzzed_archive_refused
#define worker_archive_find_examples  fuzzed_archive_find_examples
#define worker_archive_wants_examples fuzzed_archive_wants_examples
#include "pipeline/worker/worker_archive.c" /* its messages are static */

#include <assert.h>

#include "tests/fuzz/messages/play.h"

void messages_archive(struct play *p)
{
    static const uint16_t at[] = {offsetof(struct earlier_value, question),
                                  offsetof(struct earlier_value, differs),
                                  offsetof(struct earlier_value, sender),
                                  offsetof(struct earlier_value, text)};
    const struct earlier_value good = {.question = 1, .sender = "a"};
    const struct reason_message end = {.kind = ERR_INPUT, .code = "damaged"};
    const struct play_type played[] = {
        {MESSAGE_VALUE, &good, sizeof good, at, sizeof at / sizeof *at},
        {MESSAGE_PIECE, "row", 3, NULL, 0},
        {MESSAGE_END, &end, sizeof end, NULL, 0}};
    const struct config config = {.stage = {.page_timeout_s = 5}};
    const struct worker_archive w = {.config = &config};
    const struct earlier_questions q = {.n = 2};
    struct earlier_value value[2];
    struct archive_finding found[2];
    struct archive_task t = {
        .w = &w, .q = &q, .fd = -1, .value = value, .found = found};
    struct buf out = buf_limit(1 << 16);
    struct err err = {0};
    p->type = played;
    p->n_type = sizeof played / sizeof *played;
    p->at_once = true;
    run_task(&t, play_byte(p) % 2 ? &out : NULL, &err);
    play_check_err(p, &err);
    assert(t.n_value <= q.n && t.n_found <= q.n);
    for (int i = 0; i < t.n_value; i++) {
        const struct earlier_value *v = &value[i];
        assert(v->question >= 0 && v->question < q.n);
        PLAY_TEXT(v->sender);
        PLAY_TEXT(v->value);
        PLAY_TEXT(v->name);
        PLAY_TEXT(v->text);
        play_check_bool(&v->differs);
    }
    buf_free(&out);
}
