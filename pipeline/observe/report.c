/* report.c - see report.h. */
#include "pipeline/observe/report.h"

#include <stdio.h>
#include <string.h>

#include "pipeline/observe/progress.h"
#include "stages/document/reason.h"
#include "vlm/base/arena.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"
#include "vlm/base/utf8.h"

enum { ROW_MAX = 1000, NAME_COLUMNS = 34, REASONS_MAX = 128 };

struct report_row {
    char name[280], schema[80], outcome[48];
    double seconds;
    int n_warning;
};

struct report {
    char path[4096];
    enum report_detail detail;
    int n_done, n_review, n_failed;
    int n_stack;            /* done, but only split into other documents */
    int n_of[REASONS_MAX];  /* failed documents, by row of reason_at */
    struct report_row *row; /* a ring buffer */
    int n_row;
    struct progress *progress;
};

struct report *report_new(const struct spool *s, enum report_detail detail)
{
    struct report *r = mem_alloc(1, sizeof *r);
    r->row = mem_alloc(ROW_MAX, sizeof *r->row);
    snprintf(r->path, sizeof r->path, "%s", s->path);
    r->detail = detail;
    r->progress = progress_new(true);
    return r;
}

void report_free(struct report *r)
{
    if (!r) return;
    progress_free(r->progress);
    mem_free(r->row);
    mem_free(r);
}

int report_done(const struct report *r)
{
    return r->n_done;
}

int report_failed(const struct report *r)
{
    return r->n_failed;
}

static void keep_row(struct report *r, const struct event *e)
{
    struct report_row *row = &r->row[r->n_row++ % ROW_MAX];
    bool done = e->kind == EVENT_DONE;
    snprintf(row->name, sizeof row->name, "%s", e->name);
    snprintf(row->schema, sizeof row->schema, "%s", e->schema);
    snprintf(row->outcome, sizeof row->outcome, "%s%s%s",
             !done       ? "failed ["
             : e->unread ? "done, unread"
             : e->review ? "done, needs review"
                         : "done",
             done ? "" : e->code, done ? "" : "]");
    row->seconds = e->seconds;
    row->n_warning = e->n_warning;
}

static const char *slash(const struct event *e)
{
    return *e->folder ? "/" : "";
}

enum { FIELDS = 16 };

/* The members of an event in a JSON log; platen(1) lists them. */
static size_t list_fields(const struct event *e, const char *what,
                          struct log_field field[static FIELDS])
{
    size_t n = 0;
    const struct log_field all[] = {
        {"event", what, 0},
        {"id", e->id, 0},
        {"folder", e->folder, 0},
        {"name", e->name, 0},
        {"schema", e->schema, 0},
        {"reason", e->code, 0},
        {"stage", *e->code ? e->stage : "", 0},
        {"page", NULL, *e->code ? e->page : 0},
        {"pages", NULL, e->n_page},
        {"warnings", NULL, e->n_warning},
        {"parts", NULL, e->n_part},
        {"attempt", NULL, e->attempt},
        {"bytes", NULL, (double)e->bytes},
        {"seconds", NULL, e->seconds},
    };
    _Static_assert(sizeof all / sizeof all[0] <= FIELDS, "FIELDS");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].text ? *all[i].text != '\0' : all[i].number > 0)
            field[n++] = all[i];
    return n;
}

/* Reports file, place, problem and remedy. */
static void report_problem(const struct event *e, const char *what,
                           const char *how)
{
    char place[64] = "";
    struct log_field field[FIELDS];
    size_t n = list_fields(e, what, field);
    const struct reason *row = reason_find(e->code);
    if (*e->stage) snprintf(place, sizeof place, "%s: ", e->stage);
    if (*e->stage && e->page)
        snprintf(place, sizeof place, "%s: page %d: ", e->stage, e->page);
    const char *remedy = row ? row->remedy : "";
    if (*e->name)
        log_event(LOG_LEVEL_WARN, field, n, "%s%s%s: %s%s%s [%s]. %s",
                  e->folder, slash(e), e->name, how, place, e->text, e->code,
                  remedy);
    else /* a probe, and no document */
        log_event(LOG_LEVEL_WARN, field, n, "the queue %s%s [%s]. %s", how,
                  e->text, e->code, remedy);
}

static void hear_progress(struct report *r, const struct event *e)
{
    struct progress_step step = {
        .id = e->id,
        .name = e->name,
        .stage = e->stage,
        .page = e->page,
        .n_page = e->n_page,
        .n_read = e->n_read,
    };
    double now = clock_seconds();
    if (event_is_last(e))
        progress_end(r->progress, e->id,
                     e->kind == EVENT_DONE || e->kind == EVENT_FAILED, now);
    else
        progress_update(r->progress, &step, now);
}

void report_tick(struct report *r, size_t n_left)
{
    progress_expect(r->progress, n_left);
    if (r->detail != REPORT_QUIET) progress_draw(r->progress);
}

static void say_done(const struct event *e)
{
    struct log_field field[FIELDS];
    size_t n = list_fields(e, "done", field);
    if (e->n_part)
        log_event(LOG_LEVEL_NOTE, field, n, "%s%s%s: split into %d document%s",
                  e->folder, slash(e), e->name, e->n_part,
                  e->n_part == 1 ? "" : "s");
    else
        log_event(LOG_LEVEL_NOTE, field, n,
                  "%s%s%s: done in %.2f s, %d page%s, %d warning%s%s%s",
                  e->folder, slash(e), e->name, e->seconds, e->n_page,
                  e->n_page == 1 ? "" : "s", e->n_warning,
                  e->n_warning == 1 ? "" : "s",
                  e->unread   ? ", unread"
                  : e->review ? ", needs review"
                              : "",
                  *e->text ? ", not delivered to out/ yet" : "");
}

static void say_retry(const struct event *e)
{
    struct log_field field[FIELDS];
    size_t n = list_fields(e, "retry", field);
    log_event(LOG_LEVEL_NOTE, field, n, "%s%s%s: trying again: %s [%s]",
              e->folder, slash(e), e->name, e->text, e->code);
}

static void count_failure(struct report *r, const char *code)
{
    r->n_failed++;
    for (int i = 0; i < REASONS_MAX && reason_at((size_t)i); i++)
        if (!strcmp(reason_at((size_t)i)->code, code)) r->n_of[i]++;
}

void report_twin(struct report *r, const struct event *e, const char *twin)
{
    if (r->detail == REPORT_EACH)
        log_note("%s%s%s: duplicate of %s, which is done", e->folder, slash(e),
                 e->name, twin);
}

void report_event(struct report *r, const struct event *e)
{
    hear_progress(r, e);
    if (event_is_last(e)) progress_wipe(r->progress);
    switch (e->kind) {
    case EVENT_DONE:
        r->n_done++;
        r->n_review += e->review;
        r->n_stack += e->n_part > 0;
        keep_row(r, e);
        if (r->detail == REPORT_EACH) say_done(e);
        return;
    case EVENT_FAILED:
        count_failure(r, e->code);
        keep_row(r, e);
        report_problem(e, "failed", "");
        return;
    case EVENT_RETRY:
        if (!e->quiet) say_retry(e);
        return;
    case EVENT_WAIT:
        report_problem(e, "wait", "on hold, nothing lost: ");
        return;
    case EVENT_DEFERRED:
        report_problem(e, "deferred", "deferred, others go first: ");
        return;
    case EVENT_BEGIN:
    case EVENT_PROGRESS:
    case EVENT_STOPPED:
    case EVENT_SKIPPED: return;
    }
}

/* Columns, not bytes. */
static void print_cell(const char *text, int width)
{
    int n = 0;
    const char *end = text;
    for (; *end && n < width; n++)
        utf8_take(&end);
    printf("%.*s%*s  ", (int)(end - text), text, width - n, "");
}

static void print_table(const struct report *r)
{
    int n = r->n_row < ROW_MAX ? r->n_row : ROW_MAX;
    int first = r->n_row - n;
    if (!n) return;
    print_cell("document", NAME_COLUMNS);
    print_cell("schema", 15);
    print_cell("outcome", 28);
    printf("%8s %8s\n", "seconds", "warnings");
    for (int i = 0; i < n; i++) {
        const struct report_row *row = &r->row[(first + i) % ROW_MAX];
        print_cell(row->name, NAME_COLUMNS);
        print_cell(row->schema, 15);
        print_cell(row->outcome, 28);
        printf("%8.2f %8d\n", row->seconds, row->n_warning);
    }
    printf("\n");
}

void report_summary(struct report *r)
{
    progress_wipe(r->progress);
    if (r->detail == REPORT_QUIET) return;
    if (r->detail == REPORT_EACH) print_table(r);
    printf("%d done, %d failed\n", r->n_done, r->n_failed);
    if (r->n_stack)
        printf("%6d of those done %s only split: %s documents are counted, "
               "too\n",
               r->n_stack, r->n_stack == 1 ? "was" : "were",
               r->n_stack == 1 ? "its" : "their");
    if (r->n_review)
        printf("%6d need%s review: platen review %s\n", r->n_review,
               r->n_review == 1 ? "s" : "", r->path);
    for (int i = 0; i < REASONS_MAX && reason_at((size_t)i); i++)
        if (r->n_of[i])
            printf("%6d failed [%s]: %s\n", r->n_of[i],
                   reason_at((size_t)i)->code, reason_at((size_t)i)->remedy);
    if (r->n_done)
        printf("records: %s/out (links), %s/done (with their documents)\n",
               r->path, r->path);
    if (r->n_failed) printf("reasons: %s/failed/*/reason.json\n", r->path);
}
