/* checker.c - a checker that was taken over by the record that it checks. */
#define process_start played_start
#define checker_run   fuzzed_checker_run
#include "pipeline/worker/checker.c" /* its messages are static */

#include <assert.h>

#include "tests/fuzz/messages/play.h"

void messages_checker(struct play *p)
{
    static const uint16_t at[] = {offsetof(struct checker_result, fault),
                                  offsetof(struct checker_result, review),
                                  offsetof(struct checker_result, n_warning),
                                  offsetof(struct checker_result, n_part),
                                  offsetof(struct checker_result, schema)};
    const struct checker_result good = {.n_warning = 1};
    const struct play_type type[] = {
        {MESSAGE_RESULT, &good, sizeof good, at, sizeof at / sizeof *at}};
    const struct settings settings = {.page_timeout_s = 5};
    const struct folder f = {.fd = -1};
    struct checker_result r;
    struct err err = {0};
    p->type = type;
    p->n_type = 1;
    p->at_once = true;
    checker_run(&f, "record.json.tmp", NULL, "", &settings, &r, &err);
    play_check_err(p, &err);
    PLAY_TEXT(r.fault);
    PLAY_TEXT(r.schema);
    play_check_bool(&r.review);
    assert(r.n_warning >= 0 && r.n_part >= 0);
}
