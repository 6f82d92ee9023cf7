/* metrics.c - see metrics.h. */
#include "pipeline/observe/metrics.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/corrections.h"
#include "pipeline/spool/deferral.h"
#include "stages/document/version.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

/* --- metrics gauges -------------------------------------------------------- */

/* The gauges of a spool. */

static void note_age(struct metrics *m, double since)
{
    double age = clock_utc_fine() - since;
    if (age > m->oldest_s) m->oldest_s = age;
}

static void look_at_work(struct metrics *m, struct spool *s,
                         struct arena *arena)
{
    struct err err = {0};
    for (char **id = spool_list(s, SPOOL_WORK, arena, NULL, &err); *id; id++) {
        struct deferral d;
        struct stat name;
        int fd = spool_folder_fd(s, SPOOL_WORK, *id);
        if (fd < 0) continue;
        deferral_read(fd, &d);
        /* written at the claim, and never after */
        if (fstatat(fd, "name.json", &name, AT_SYMLINK_NOFOLLOW) == 0)
            note_age(m, (double)name.st_mtim.tv_sec);
        m->n_work++;
        m->n_deferred += d.times > 0;
        close(fd);
    }
}

struct unseen {
    const struct spool *s;
    double n;
};

static void count_doubt(void *arg, const char *id)
{
    struct unseen *d = arg;
    d->n += !spool_has_file(d->s, SPOOL_DONE, id, CORRECTIONS_FILE);
}

void metrics_refresh(struct metrics *m, struct spool *s, struct spool_index *ix)
{
    struct err err = {0};
    struct unseen unseen = {.s = s};
    struct arena *arena = arena_new();
    m->n_work = m->n_deferred = m->oldest_s = 0;
    struct drops drops = spool_scan(s, arena, NULL, NULL, &err);
    if (!err_failed(&err)) m->n_in = (double)drops.n_drop;
    for (size_t i = 0; i < drops.n_drop; i++)
        note_age(m, (double)drops.drop[i].stat.st_ctim.tv_sec);
    look_at_work(m, s, arena);
    spool_index_doubtful(ix, count_doubt, &unseen);
    if (ix) m->n_review = unseen.n;
    arena_free(arena);
}

/* --- metrics --------------------------------------------------------------- */

void metrics_begin(struct metrics *m)
{
    *m = (struct metrics){.since = clock_utc_fine()};
}

/* --- counting ----------------------------------------------------------- */

/* Labels come from closed lists (reasons, stages), so METRICS_ROWS suffice. */
static void add_counter(struct metrics *m, const char *name, const char *label,
                        double value)
{
    struct metrics_row *row = NULL;
    for (int i = 0; i < m->n_row && !row; i++)
        if (!strcmp(m->row[i].name, name) && !strcmp(m->row[i].label, label))
            row = &m->row[i];
    if (!row && m->n_row == METRICS_ROWS) return;
    if (!row) {
        row = &m->row[m->n_row++];
        row->name = name;
        event_cut(row->label, sizeof row->label, label);
    }
    row->value += value;
}

static void add_cost(struct metrics *m, const struct event *e)
{
    for (int i = 0; i < e->n_cost; i++)
        add_counter(m, "stage_seconds", e->cost[i].stage, e->cost[i].seconds);
    if (e->n_prompt_tokens)
        add_counter(m, "tokens", "prompt", e->n_prompt_tokens);
    if (e->n_sampled) add_counter(m, "tokens", "sampled", e->n_sampled);
    if (e->n_forced) add_counter(m, "tokens", "forced", e->n_forced);
}

static bool is_of_model(const char *code)
{
    return !strncmp(code, "model-", 6) || !strncmp(code, "endpoint-", 9);
}

void metrics_count_event(struct metrics *m, const struct event *e)
{
    if (!event_is_last(e)) return;
    if (*e->model) {
        snprintf(m->model, sizeof m->model, "%s", e->model);
        m->model_loaded = true;
    }
    add_cost(m, e);
    if (e->kind == EVENT_DONE) {
        add_counter(m, "done", "", 1);
        m->n_page += e->n_part ? 0 : e->n_page; /* those of a stack's parts */
        m->n_warning += e->n_warning;
    }
    if (e->kind == EVENT_FAILED) add_counter(m, "failed", e->code, 1);
    if (e->kind == EVENT_RETRY && !e->quiet)
        add_counter(m, "retries", e->code, 1);
    if (e->kind == EVENT_DEFERRED) add_counter(m, "deferred", e->code, 1);
    if (e->kind == EVENT_WAIT) add_counter(m, "pauses", e->code, 1);
    if (e->kind == EVENT_WAIT && is_of_model(e->code)) m->model_loaded = false;
    if (e->kind != EVENT_DONE && e->kind != EVENT_FAILED) return;
    m->n_document++;
    m->document_s += e->seconds;
}

/* --- printing ----------------------------------------------------------- */

static void head(struct buf *out, const char *name, const char *type,
                 const char *help)
{
    buf_print(out, "# HELP platen_%s %s\n# TYPE platen_%s %s\n", name, help,
              name, type);
}

static void add_label(struct buf *out, const char *key, const char *text)
{
    buf_print(out, "%s=\"", key);
    for (const char *p = text; *p; p++) {
        if (*p == '\\' || *p == '"') buf_add_text(out, "\\");
        if ((unsigned char)*p < 0x20)
            buf_add_text(out, "?");
        else
            buf_add(out, p, 1);
    }
    buf_add_text(out, "\"");
}

static void print_rows(const struct metrics *m, struct buf *out,
                       const char *row, const char *name, const char *label,
                       const char *help)
{
    head(out, name, "counter", help);
    for (int i = 0; i < m->n_row; i++) {
        if (strcmp(m->row[i].name, row) != 0) continue;
        buf_print(out, "platen_%s{", name);
        add_label(out, label, m->row[i].label);
        buf_print(out, "} %.10g\n", m->row[i].value);
    }
}

static void print_one(struct buf *out, const char *name, const char *type,
                      const char *help, double value)
{
    head(out, name, type, help);
    buf_print(out, "platen_%s %.10g\n", name, value);
}

static void print_documents(const struct metrics *m, struct buf *out)
{
    static const char *const outcome[] = {"done", "failed"};
    head(out, "documents_total", "counter",
         "Documents processed, by outcome and reason.");
    for (int i = 0; i < m->n_row; i++)
        for (int o = 0; o < 2; o++) {
            if (strcmp(m->row[i].name, outcome[o]) != 0) continue;
            buf_print(out, "platen_documents_total{outcome=\"%s\",",
                      outcome[o]);
            add_label(out, "reason", m->row[i].label);
            buf_print(out, "} %.10g\n", m->row[i].value);
        }
    head(out, "document_seconds", "summary",
         "Time from the start of an attempt to the outcome.");
    buf_print(out, "platen_document_seconds_sum %.10g\n", m->document_s);
    buf_print(out, "platen_document_seconds_count %.10g\n", m->n_document);
}

static void print_counters(const struct metrics *m, struct buf *out)
{
    print_documents(m, out);
    print_one(out, "pages_total", "counter", "Pages of done documents.",
              m->n_page);
    print_one(out, "warnings_total", "counter", "Warnings in records.",
              m->n_warning);
    print_rows(m, out, "retries", "retries_total", "reason",
               "Attempts that are repeated.");
    print_rows(m, out, "deferred", "deferred_total", "reason",
               "Deferrals of documents.");
    print_rows(m, out, "pauses", "pauses_total", "reason",
               "Pauses of the queue, because the environment failed.");
    print_rows(m, out, "stage_seconds", "stage_seconds_total", "stage",
               "Time spent on documents, by stage.");
    print_rows(m, out, "tokens", "tokens_total", "kind",
               "Tokens read, sampled, or forced by the grammar.");
}

static void print_gauges(const struct metrics *m, struct buf *out)
{
    head(out, "queue_documents", "gauge", "Documents without an outcome.");
    buf_print(out, "platen_queue_documents{state=\"in\"} %.10g\n", m->n_in);
    buf_print(out, "platen_queue_documents{state=\"work\"} %.10g\n", m->n_work);
    buf_print(out, "platen_queue_documents{state=\"deferred\"} %.10g\n",
              m->n_deferred);
    print_one(out, "queue_oldest_seconds", "gauge",
              "Age of the oldest document without an outcome, 0 without one.",
              m->oldest_s);
    print_one(out, "busy_documents", "gauge", "Documents being read.",
              m->n_busy);
    print_one(out, "undelivered_documents", "gauge",
              "Done documents whose record is not in out/ yet.",
              m->n_undelivered);
    print_one(out, "hooks_due", "gauge", "Outcomes whose hook has not run yet.",
              m->n_hook);
    print_one(out, "review_documents", "gauge",
              "Documents done with warnings and not reviewed.", m->n_review);
}

/* --- a fleet ------------------------------------------------------------- */

void metrics_set_fleet(struct metrics *m, const char *status)
{
    struct err bad = {0};
    cJSON_Delete(m->fleet);
    m->fleet = status ? json_parse(span_of(status), &bad) : NULL;
}

static void print_fleet_jobs(const cJSON *o, struct buf *out)
{
    static const char *const state[] = {"ready", "leased", "results"};
    const cJSON *code = NULL;
    head(out, "fleet_jobs", "gauge",
         "Jobs of the fleet: ready, leased, or with a result to be collected.");
    for (size_t i = 0; i < sizeof state / sizeof *state; i++)
        buf_print(out, "platen_fleet_jobs{state=\"%s\"} %.10g\n", state[i],
                  json_get_number(o, state[i]));
    head(out, "fleet_dead_jobs", "gauge",
         "Jobs that no worker could read, by reason.");
    cJSON_ArrayForEach(code, json_get(o, "reasons"))
    {
        buf_add_text(out, "platen_fleet_dead_jobs{");
        add_label(out, "reason", code->string);
        buf_print(out, "} %.10g\n", code->valuedouble);
    }
}

static void print_needs(const cJSON *o, struct buf *out, const char *name,
                        const char *help, const char *key)
{
    const cJSON *n = NULL;
    head(out, name, "gauge", help);
    cJSON_ArrayForEach(n, json_get(o, "needs"))
    {
        buf_print(out, "platen_%s{", name);
        add_label(out, "model", json_get_text_or_empty(n, "model"));
        buf_print(out, ",gpu=\"%s\",memory=\"%.10g\"} %.10g\n",
                  cJSON_IsTrue(json_get(n, "gpu")) ? "yes" : "no",
                  json_get_number(n, "memory"), json_get_number(n, key));
    }
}

/* The number of workers seen in the last five minutes. */
static double living(const cJSON *o)
{
    double n = 0;
    const cJSON *w = NULL;
    cJSON_ArrayForEach(w, json_get(o, "workers"))
    {
        n += !cJSON_IsTrue(json_get(w, "ended")) &&
             json_get_number(w, "seen_s") < 300;
    }
    return n;
}

void metrics_print_fleet(const cJSON *o, struct buf *out)
{
    print_one(out, "fleet_up", "gauge",
              "1 if the fleet's database answers, else 0.", o != NULL);
    if (!o) return;
    print_fleet_jobs(o, out);
    print_one(out, "fleet_oldest_ready_seconds", "gauge",
              "Age of the oldest ready job, 0 without one.",
              json_get_number(o, "oldest_ready_s"));
    print_needs(o, out, "fleet_ready_jobs", "Ready jobs, by what they need.",
                "ready");
    print_needs(o, out, "fleet_fitting_workers",
                "Workers that offer what these jobs need.", "workers");
    print_one(out, "fleet_workers", "gauge",
              "Workers seen in the last five minutes.", living(o));
    print_one(out, "fleet_jobs_per_minute", "gauge",
              "Jobs per minute of all workers, in their last full minutes.",
              json_get_number(o, "jobs_a_minute"));
    print_one(out, "fleet_pages_per_minute", "gauge",
              "Pages per minute of all workers, in their last full minutes.",
              json_get_number(o, "pages_a_minute"));
}

/* --- all ------------------------------------------------------------------ */

void metrics_print(const struct metrics *m, struct buf *out)
{
    print_counters(m, out);
    if (m->no_spool)
        metrics_print_fleet(m->fleet, out);
    else
        print_gauges(m, out);
    head(out, "model_loaded", "gauge",
         "1 if a worker has opened the model, else 0.");
    buf_add_text(out, "platen_model_loaded{");
    add_label(out, "model", m->model);
    buf_print(out, "} %d\n", m->model_loaded);
    head(out, "build_info", "gauge", "The running version.");
    buf_print(out, "platen_build_info{version=\"%s\"} 1\n", PLATEN_VERSION);
    print_one(out, "start_time_seconds", "gauge", "Start time, UTC.", m->since);
}
