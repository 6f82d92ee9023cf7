/* report.c - see report.h. */
#include "pipeline/work/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stages/reason.h"
#include "vlm/base/arena.h"
#include "vlm/base/log.h"
#include "vlm/base/now.h"
#include "vlm/base/utf8.h"

enum { ROW_MAX = 1000, NAME_COLUMNS = 34 };
enum { PAGES_TO_TELL = 3, SAY_EACH_S = 60 };

struct report_row {
    char name[280], schema[80], outcome[40];
    double seconds;
    int n_warning;
};

struct report {
    char path[4096];
    bool quiet, terminal, drawn;
    int n_done, n_failed;
    struct report_row *row; /* a ring */
    int n_row;
    char long_id[SPOOL_ID_SIZE]; /* the long document heard of last */
    int long_from;               /* its pages then, and when that was */
    double long_since, long_said;
};

struct report *report_new(const struct spool *s, bool quiet)
{
    struct report *r = mem_take(1, sizeof *r);
    r->row = mem_take(ROW_MAX, sizeof *r->row);
    snprintf(r->path, sizeof r->path, "%s", s->path);
    r->quiet = quiet;
    r->terminal = isatty(STDERR_FILENO) == 1;
    return r;
}

void report_free(struct report *r)
{
    if (!r) return;
    mem_give(r->row);
    mem_give(r);
}

int report_done(const struct report *r)
{
    return r->n_done;
}

int report_failed(const struct report *r)
{
    return r->n_failed;
}

static void wipe(struct report *r)
{
    if (r->drawn) fputs("\r\033[K", stderr);
    r->drawn = false;
}

/* Minutes left of a long document by the pages kept since it was first heard
 * of; -1: too few to tell. */
static double minutes_left(struct report *r, const struct event *e)
{
    double now = now_seconds();
    if (strcmp(r->long_id, e->id) != 0 || e->n_kept < r->long_from) {
        snprintf(r->long_id, sizeof r->long_id, "%s", e->id);
        r->long_from = e->n_kept;
        r->long_since = r->long_said = now;
    }
    int n = e->n_kept - r->long_from;
    if (n < PAGES_TO_TELL) return -1;
    return (now - r->long_since) / n * (e->n_page - e->n_kept) / 60;
}

static void print_left(struct report *r, const struct event *e)
{
    double minutes = e->n_kept ? minutes_left(r, e) : -1;
    if (minutes >= 0) fprintf(stderr, ", about %.0f min left", ceil(minutes));
}

/* Without a terminal: a line a minute about a long document. */
static void say_progress(struct report *r, const struct event *e)
{
    if (!e->n_kept || r->quiet) return;
    double minutes = minutes_left(r, e), now = now_seconds();
    if (now - r->long_said < SAY_EACH_S) return;
    r->long_said = now;
    if (minutes < 0)
        log_note("%s: page %d of %d", e->name, e->n_kept, e->n_page);
    else
        log_note("%s: page %d of %d, about %.0f min left", e->name, e->n_kept,
                 e->n_page, ceil(minutes));
}

static void draw_progress(struct report *r, const struct event *e)
{
    if (!r->terminal) say_progress(r, e);
    if (!r->terminal || r->quiet) return;
    fprintf(stderr, "\r\033[K%d done, %d failed; %.40s: %s", r->n_done,
            r->n_failed, e->name, *e->stage ? e->stage : "begins");
    if (e->page) fprintf(stderr, ", page %d", e->page);
    if (e->page && e->n_page) fprintf(stderr, " of %d", e->n_page);
    fprintf(stderr, ", %.1f s", e->seconds);
    print_left(r, e);
    fflush(stderr);
    r->drawn = true;
}

static void keep_row(struct report *r, const struct event *e)
{
    struct report_row *row = &r->row[r->n_row++ % ROW_MAX];
    bool done = e->kind == EVENT_DONE;
    snprintf(row->name, sizeof row->name, "%s", e->name);
    snprintf(row->schema, sizeof row->schema, "%s", e->schema);
    snprintf(row->outcome, sizeof row->outcome, "%s%s%s",
             done ? "done" : "failed [", done ? "" : e->code, done ? "" : "]");
    row->seconds = e->seconds;
    row->n_warning = e->n_warning;
}

static const char *slash(const struct event *e)
{
    return *e->folder ? "/" : "";
}

/* Which file, where in it, what is wrong, and what to do about it. */
static void say_trouble(const struct event *e, const char *how)
{
    char place[64] = "";
    const struct reason *row = reason_find(e->code);
    if (*e->stage) snprintf(place, sizeof place, "%s: ", e->stage);
    if (*e->stage && e->page)
        snprintf(place, sizeof place, "%s: page %d: ", e->stage, e->page);
    const char *remedy = row ? row->remedy : "";
    if (*e->name)
        log_note("%s%s%s: %s%s%s [%s]. %s", e->folder, slash(e), e->name, how,
                 place, e->text, e->code, remedy);
    else /* a probe, and no document */
        log_note("the queue %s%s [%s]. %s", how, e->text, e->code, remedy);
}

void report_event(struct report *r, const struct event *e)
{
    if (e->kind == EVENT_BEGIN || e->kind == EVENT_PROGRESS) {
        draw_progress(r, e);
        return;
    }
    wipe(r);
    switch (e->kind) {
    case EVENT_DONE:
        r->n_done++;
        keep_row(r, e);
        if (!r->quiet && e->n_part)
            log_note("%s%s%s: cut into %d document%s, %d pages", e->folder,
                     slash(e), e->name, e->n_part, e->n_part == 1 ? "" : "s",
                     e->n_page);
        else if (!r->quiet)
            log_note("%s%s%s: done in %.2f s, %d page%s, %d warning%s%s",
                     e->folder, slash(e), e->name, e->seconds, e->n_page,
                     e->n_page == 1 ? "" : "s", e->n_warning,
                     e->n_warning == 1 ? "" : "s",
                     *e->text ? ", not delivered to out/ yet" : "");
        return;
    case EVENT_FAILED:
        r->n_failed++;
        keep_row(r, e);
        say_trouble(e, "");
        return;
    case EVENT_RETRY:
        if (e->quiet) return;
        log_note("%s%s%s: once more: %s [%s]", e->folder, slash(e), e->name,
                 e->text, e->code);
        return;
    case EVENT_WAIT: say_trouble(e, "waits, nothing is lost: "); return;
    case EVENT_DEFERRED: say_trouble(e, "set back, others go first: "); return;
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

void report_summary(struct report *r)
{
    wipe(r);
    int n = r->n_row < ROW_MAX ? r->n_row : ROW_MAX;
    int first = r->n_row - n;
    if (n) {
        print_cell("document", NAME_COLUMNS);
        print_cell("schema", 15);
        print_cell("outcome", 28);
        printf("%8s %8s\n", "seconds", "warnings");
    }
    for (int i = 0; i < n; i++) {
        const struct report_row *row = &r->row[(first + i) % ROW_MAX];
        print_cell(row->name, NAME_COLUMNS);
        print_cell(row->schema, 15);
        print_cell(row->outcome, 28);
        printf("%8.2f %8d\n", row->seconds, row->n_warning);
    }
    printf("%s%d done, %d failed\n", n ? "\n" : "", r->n_done, r->n_failed);
    if (r->n_done)
        printf("records: %s/out (links), %s/done (with their documents)\n",
               r->path, r->path);
    if (r->n_failed) printf("reasons: %s/failed/*/reason.json\n", r->path);
}
