/* worker_record.c - see worker_record.h. */
#include "pipeline/worker/worker_record.h"

#include <fcntl.h>
#include <stdio.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/page_progress.h"
#include "stages/confidence/confidence.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

enum { NOTE_AFTER_S = 1 };

int worker_record_rows(const struct folder *f)
{
    return openat(f->fd, SPOOL_ROWS, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                  0600);
}

void worker_record_progress_begin(const struct folder *f,
                                  struct page_rate *rate)
{
    struct page_progress progress;
    *rate = (struct page_rate){0};
    page_progress_read(f->fd, &progress);
    if (!progress.page) return;
    page_progress_write(f, &(struct page_progress){.n_page = progress.n_page,
                                                   .n_kept = progress.n_kept});
}

void worker_record_progress(const struct folder *f, const struct event *event,
                            struct page_rate *rate)
{
    double now = clock_seconds();
    page_rate_add(rate, event->n_read, now);
    if (event->seconds < NOTE_AFTER_S) return;
    double page = page_rate_of_page(rate, now);
    struct page_progress progress = {.page = event->page,
                                     .n_page = event->n_page,
                                     .n_read = event->n_read,
                                     .n_kept = event->n_kept,
                                     .per_minute = page > 0 ? 60 / page : 0};
    snprintf(progress.stage, sizeof progress.stage, "%s", event->stage);
    page_progress_write(f, &progress);
}

void worker_record_cost(struct event *event, const struct document *doc,
                        const struct engine *engine)
{
    _Static_assert((int)EVENT_COSTS >= (int)DOCUMENT_TIME_MAX, "each stage");
    event->n_warning = warnings_count(doc->warnings);
    event->review = doc->trust && doc->trust->review;
    event->n_page = doc->n_page;
    event->n_prompt_tokens = doc->n_prompt_tokens;
    event->n_sampled = doc->n_sampled;
    event->n_forced = doc->n_forced;
    event->n_cost = doc->n_time;
    for (int i = 0; i < doc->n_time; i++) {
        event_cut(event->cost[i].stage, sizeof event->cost[i].stage,
                  doc->time[i].stage);
        event->cost[i].seconds = doc->time[i].seconds;
    }
    if (engine)
        event_cut(event->model, sizeof event->model,
                  engine_facts(engine)->model);
}

struct record_print {
    const struct document *doc;
    const struct engine_facts *facts;
    size_t most;
};

static void check_size(const struct record_print *p, const struct buf *out,
                       struct err *err)
{
    if (out->full && !err_failed(err))
        err_reason(err, ERR_LIMIT, "too-large",
                   "the record is longer than %zu bytes (max_record_bytes)",
                   p->most);
}

static void print_xml_record(void *arg, struct buf *out, struct err *err)
{
    const struct record_print *p = arg;
    record_xml(p->doc, p->facts, out, err);
    check_size(p, out, err);
}

static void print_json_record(void *arg, struct buf *out, struct err *err)
{
    const struct record_print *p = arg;
    record_json(p->doc, p->facts, 2, out, err);
    check_size(p, out, err);
}

void worker_record_write(struct folder *f, const struct document *doc,
                         const struct engine_facts *facts,
                         const struct config *config, struct err *err)
{
    if (err_failed(err)) return;
    struct record_print p = {doc, facts,
                             (size_t)config->stage.max_record_bytes};
    if (config->formats & FORMAT_XML)
        spool_write_long(f, "record.xml", p.most, print_xml_record, &p, err);
    spool_write_long(f, "record.json", p.most, print_json_record, &p,
                     err); /* F5 */
}

bool worker_record_found(struct folder *f,
                         const struct document_folder_state *state, bool done,
                         const struct config *config, struct err *err)
{
    size_t most = (size_t)config->stage.max_record_bytes;
    if (done ? !state->has_record : !state->has_reason) return false;
    spool_seal_found(f, err);
    if (err_failed(err) ||
        (done ? document_folder_record_fault(f->fd, f->id, most)
              : document_folder_reason_fault(f->fd, f->id)))
        return false;
    spool_write_again(f, done ? "record.json" : "reason.json", err);
    if (done) spool_write_again(f, "record.xml", err);
    return true;
}

void worker_record_note(const struct folder *f, const struct config *config,
                        struct event *event)
{
    cJSON *o = document_folder_json(f->fd, "record.json",
                                    (size_t)config->stage.max_record_bytes);
    event->review = cJSON_IsTrue(json_get(o, "review"));
    event->n_warning = cJSON_GetArraySize(json_get(o, "warnings"));
    cJSON_Delete(o);
}
