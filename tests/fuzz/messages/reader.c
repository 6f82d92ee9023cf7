/* reader.c - a taken-over reader: whatever it sends, its caller sees texts that
 * end, numbers in their range, and no more bytes than it may. */
#define process_start        played_start
#define reader_print_most    fuzzed_reader_print_most
#define reader_start         fuzzed_reader_start
#define reader_wait          fuzzed_reader_wait
#define reader_learn_dialect fuzzed_reader_learn_dialect
#define reader_test_engine   fuzzed_reader_test_engine
#define reader_next_part     fuzzed_reader_next_part
#define reader_part_bytes    fuzzed_reader_part_bytes
#define reader_print         fuzzed_reader_print
#define reader_end           fuzzed_reader_end
#include "pipeline/reader/reader.c" /* its messages are static */

#include <assert.h>
#include <math.h>

#include "tests/fuzz/messages/play.h"

enum { PAGES = 20, BYTES = 1 << 20 };

static void check_costs(const struct event *e)
{
    assert(e->n_cost >= 0 && e->n_cost <= EVENT_COSTS);
    for (int i = 0; i < e->n_cost; i++) {
        PLAY_TEXT(e->cost[i].stage);
        assert(isfinite(e->cost[i].seconds) && e->cost[i].seconds >= 0);
    }
}

static void check_found(const struct event *e)
{
    PLAY_TEXT(e->stage);
    PLAY_TEXT(e->schema);
    PLAY_TEXT(e->sha256);
    PLAY_TEXT(e->model);
    play_check_bool(&e->review);
    check_costs(e);
    assert(e->n_page >= 0 && e->n_page <= PAGES);
    assert(e->n_kept >= 0 && e->n_kept <= e->n_page);
    assert(e->page >= 0 && e->n_read >= 0 && e->n_warning >= 0);
    assert(e->n_prompt_tokens >= 0 && e->n_sampled >= 0 && e->n_forced >= 0);
}

static void on_event(void *arg, const struct event *e)
{
    (void)arg;
    check_found(e);
}

static void check_part_of(const struct spool_part *part)
{
    PLAY_TEXT(part->pages);
    PLAY_TEXT(part->schema);
    PLAY_TEXT(part->archive_number);
    PLAY_TEXT(part->warning);
    PLAY_TEXT(part->attachment);
    PLAY_TEXT(part->unread);
    PLAY_TEXT(part->mail_subject);
    PLAY_TEXT(part->mail_from);
    PLAY_TEXT(part->mail_id);
    PLAY_TEXT(part->mail_date);
    PLAY_TEXT(part->sha256);
    PLAY_TEXT(part->ending);
    play_check_bool(&part->is_attachment);
    play_check_bool(&part->is_mail);
    play_check_bool(&part->attachments_read);
    assert(part->bytes >= 0 && part->bytes <= BYTES &&
           !strchr(part->ending, '.'));
}

/* As spool_part_make does. */
static void take_parts(struct reader *r, int n, struct err *err)
{
    int64_t bytes = 0;
    assert(n >= 0 && n <= SPLIT_FILES_MAX);
    for (int i = 0; i < n && !err_failed(err); i++) {
        struct spool_part part;
        reader_next_part(r, &part, err);
        if (err_failed(err)) return;
        check_part_of(&part);
        struct buf out = buf_limit(2 * BYTES);
        if (part.is_attachment) reader_part_bytes(r, &part, &out, err);
        assert(err_failed(err) || !part.is_attachment ||
               (int64_t)out.size == part.bytes);
        bytes += (int64_t)out.size;
        buf_free(&out);
        assert(bytes <= BYTES);
    }
}

static void take_print(struct reader *r, struct err *err)
{
    struct buf out = buf_limit(BYTES);
    reader_print(r, FORMAT_JSON, &out, err);
    buf_free(&out);
}

static void take_all(struct reader *r, struct play *p, struct err *err)
{
    struct reader_outcome o;
    reader_wait(r, &o, err);
    play_check_err(p, err);
    if (!err_failed(err)) {
        check_found(&o.event);
        PLAY_TEXT(o.archive_number);
        PLAY_TEXT(o.warning);
        PLAY_TEXT(o.schema);
        play_check_bool(&o.is_stack);
        assert(o.kind.name == o.schema && o.n_try >= 0);
        assert(!(o.dialect & ~(unsigned)ENDPOINT_DIALECT));
        take_parts(r, o.n_part, err);
        play_check_err(p, err);
    }
    take_print(r, err);
    play_check_err(p, err);
}

static int no_rows(void *arg)
{
    (void)arg;
    return -1;
}

/* What a reader says to be its words; it asks once. */
static int no_examples(void *arg, struct span words, bool whole)
{
    struct play *p = arg;
    (void)whole;
    assert(words.size > 0 && words.size <= EXAMPLES_WORDS_MOST);
    assert(!p->n_words++);
    return -1;
}

static const uint16_t in_event[] = {
    offsetof(struct event, stage),           offsetof(struct event, n_page),
    offsetof(struct event, n_kept),          offsetof(struct event, page),
    offsetof(struct event, n_cost),          offsetof(struct event, cost),
    offsetof(struct event, cost[0].seconds), offsetof(struct event, review),
    offsetof(struct event, schema),          offsetof(struct event, sha256),
    offsetof(struct event, n_read)};
static const uint16_t in_outcome[] = {
    offsetof(struct reader_outcome, err.kind),
    offsetof(struct reader_outcome, err.code),
    offsetof(struct reader_outcome, err.text),
    offsetof(struct reader_outcome, err.page),
    offsetof(struct reader_outcome, event.stage),
    offsetof(struct reader_outcome, event.n_page),
    offsetof(struct reader_outcome, event.n_cost),
    offsetof(struct reader_outcome, event.cost[0].seconds),
    offsetof(struct reader_outcome, n_try),
    offsetof(struct reader_outcome, dialect),
    offsetof(struct reader_outcome, is_stack),
    offsetof(struct reader_outcome, n_part),
    offsetof(struct reader_outcome, archive_number),
    offsetof(struct reader_outcome, warning),
    offsetof(struct reader_outcome, kind),
    offsetof(struct reader_outcome, schema)};
static const uint16_t in_part[] = {offsetof(struct spool_part, pages),
                                   offsetof(struct spool_part, is_attachment),
                                   offsetof(struct spool_part, bytes),
                                   offsetof(struct spool_part, ending),
                                   offsetof(struct spool_part, attachment),
                                   offsetof(struct spool_part, is_mail),
                                   offsetof(struct spool_part, mail_subject)};
static const uint16_t in_reason[] = {offsetof(struct reason_message, kind),
                                     offsetof(struct reason_message, code),
                                     offsetof(struct reason_message, text),
                                     offsetof(struct reason_message, page)};
#define AT(list) list, sizeof(list) / sizeof *(list)

void messages_reader(struct play *p)
{
    static const char piece[64] = "{}";
    const struct event event = {.stage = "read", .n_page = 3, .n_kept = 1};
    const struct reader_outcome good = {
        .event = {.stage = "settle", .n_page = 3, .n_cost = 1},
        .is_stack = true,
        .n_part = 2};
    const struct reader_outcome bad = {
        .err = {.kind = ERR_INPUT, .code = "damaged", .text = "why"}};
    const struct spool_part part = {.pages = "1-2", .number = 1, .count = 2};
    const struct spool_part file = {.is_attachment = true,
                                    .bytes = sizeof piece,
                                    .ending = "pdf",
                                    .is_mail = true};
    const struct reason_message printed = {.kind = ERR_NONE};
    const struct reason_message refused = {.kind = ERR_LIMIT,
                                           .code = "too-large"};
    const struct play_type type[] = {
        {MESSAGE_OUTCOME, &good, sizeof good, AT(in_outcome)},
        {MESSAGE_PROGRESS, &event, sizeof event, AT(in_event)},
        {MESSAGE_ROWS, NULL, 0, NULL, 0},
        {MESSAGE_PART, &part, sizeof part, AT(in_part)},
        {MESSAGE_PART, &file, sizeof file, AT(in_part)},
        {MESSAGE_TEXT, piece, sizeof piece, NULL, 0},
        {MESSAGE_PRINTED, &printed, sizeof printed, AT(in_reason)},
        {MESSAGE_PRINTED, &refused, sizeof refused, AT(in_reason)},
        {MESSAGE_OUTCOME, &bad, sizeof bad, AT(in_outcome)},
        {MESSAGE_WORDS, piece, sizeof piece, NULL, 0},
        {MESSAGE_SOME_WORDS, piece, sizeof piece, NULL, 0}};
    const struct settings settings = {.max_pages = PAGES,
                                      .max_document_bytes = BYTES,
                                      .document_timeout_s = 5};
    struct engine engine = {.dialect = 0};
    struct err err = {0};
    struct reader_task task = {.settings = &settings,
                               .document = -1,
                               .engine = &engine,
                               .stop = play_stop,
                               .progress = on_event,
                               .open_rows = no_rows,
                               .find_examples = no_examples,
                               .arg = p};
    p->type = type;
    p->n_type = sizeof type / sizeof *type;
    struct reader *r = reader_start(&task, &err);
    take_all(r, p, &err);
    reader_end(r);
    reader_learn_dialect(&task, 4);
    assert(!(engine.dialect & ~(unsigned)ENDPOINT_DIALECT));
}
