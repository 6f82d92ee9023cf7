/* worker_record.c - see worker_record.h. */
#include "pipeline/worker/worker_record.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/spool/page_progress.h"
#include "stages/document/page_range.h"
#include "stages/document/record_files.h"
#include "stages/engine/engine.h"
#include "stages/input/split.h"
#include "vlm/base/clock.h"

enum { NOTE_AFTER_S = 1 };

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

void worker_record_cost(struct event *event, const struct event *found,
                        const struct engine *engine)
{
    event->n_warning = found->n_warning;
    event->review = found->review;
    event->n_page = found->n_page;
    event->n_prompt_tokens = found->n_prompt_tokens;
    event->n_sampled = found->n_sampled;
    event->n_forced = found->n_forced;
    event->n_cost = found->n_cost;
    memcpy(event->cost, found->cost, sizeof event->cost);
    event_cut(event->sha256, sizeof event->sha256, found->sha256);
    if (*found->schema)
        event_cut(event->schema, sizeof event->schema, found->schema);
    if (engine)
        event_cut(event->model, sizeof event->model,
                  engine_facts(engine)->model);
}

struct record_print {
    struct reader *reader;
    int what;    /* a format */
    bool failed; /* the reader, not the disk */
};

static void print_record(void *arg, struct buf *out, struct err *err)
{
    struct record_print *p = arg;
    reader_print(p->reader, p->what, out, err);
    p->failed = err_failed(err);
}

/* A PDF that cannot be made is empty, and a warning of the record, which is
 * printed later. */
static void drop_if_empty(struct folder *f, const char *name, struct err *err)
{
    struct stat st;
    if (err_failed(err) || fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW))
        return;
    if (st.st_size == 0) spool_remove(f, name, err);
}

bool worker_record_write(struct folder *f, struct reader *reader,
                         unsigned formats, const struct config *config,
                         struct err *err)
{
    const struct settings *s = &config->stage;
    struct record_print print = {.reader = reader};
    const struct record_file *file;
    if (err_failed(err)) return false;
    for (size_t i = 0; (file = record_files_at(i)) && !err_failed(err); i++) {
        if (!((formats | FORMAT_JSON) & file->format)) {
            /* of an attempt with other settings */
            if (spool_exists(f->fd, file->name))
                spool_remove(f, file->name, err);
            continue;
        }
        print.what = (int)file->format;
        spool_write_tmp(f, file->name, reader_print_most(s, print.what), false,
                        print_record, &print, err);
        if (file->format == FORMAT_JSON) break;
        spool_keep_tmp(f, file->name, err);
        drop_if_empty(f, file->name, err);
    }
    return print.failed;
}

/* Compares the record of an earlier process with its document, and removes it if
 * it does not fit or cannot be checked: it is then made again. FAIL: "disk". */
static bool is_record_of(struct folder *f, const struct config *config,
                         struct checker_result *found, struct err *err)
{
    struct err own = {0};
    checker_run(f, "record.json", NULL, "", &config->stage, found, &own);
    if (err_failed(&own) && !own.reason) *err = own;
    if (err_failed(err)) return false;
    if (!err_failed(&own) && !*found->fault) return true;
    spool_remove(f, "record.json", err);
    return false;
}

bool worker_record_found(struct folder *f,
                         const struct document_folder_state *state, bool done,
                         const struct config *config,
                         struct checker_result *found, struct err *err)
{
    if (done ? !state->has_record : !state->has_reason) return false;
    spool_seal_found(f, err);
    if (err_failed(err) ||
        (done ? !is_record_of(f, config, found, err)
              : document_folder_reason_fault(f->fd, f->id) != NULL))
        return false;
    if (!done) spool_write_again(f, "reason.json", err);
    const struct record_file *file;
    for (size_t i = 0; done && (file = record_files_at(i)); i++)
        spool_write_again(f, file->name, err);
    return true;
}

/* --- the parts of a stack --- */

enum { STEM_MOST = 140 }; /* spool_out.c cuts at 150 */

struct cut {
    const struct document_folder_state *state;
    const char *sha256;
    struct reader *reader;
    struct spool_part part; /* received last */
    struct err *err;
};

/* "stack.pdf" -> "stack-3.pdf"; of_attachment: its own ending, or "". */
static void name_part(const char *name, int number, const char *of_attachment,
                      char out[static FILE_NAME_BYTES_MAX + 1])
{
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot > name && strlen(dot) <= 5 ? (size_t)(dot - name)
                                                        : strlen(name);
    const char *ending = name + stem;
    if (stem > STEM_MOST) stem = STEM_MOST;
    if (*of_attachment) ending = of_attachment;
    snprintf(out, FILE_NAME_BYTES_MAX + 1, "%.*s-%d%s%s", (int)stem, name,
             number, *of_attachment ? "." : "", ending);
}

/* The separator's schema replaces the folder. With an invalid name the folder
 * stays, and the part is refused when it is read. */
static void fill_part(void *arg, int number, struct spool_part *part,
                      struct spool_part_name *name)
{
    struct cut *cut = arg;
    struct spool_part *found = &cut->part;
    struct page_range pages;
    struct spool_part told = *part; /* by spool_part_make */
    reader_next_part(cut->reader, found, cut->err);
    page_range_parse(&pages, found->pages, cut->err);
    *part = *found;
    memcpy(part->stack, told.stack, sizeof part->stack);
    part->number = told.number;
    part->count = told.count;
    if (!part->is_attachment)
        snprintf(part->sha256, sizeof part->sha256, "%s", cut->sha256);
    name_part(cut->state->name, number, found->ending, name->name);
    snprintf(name->folder, sizeof name->folder, "%.255s",
             split_names_schema(found->schema) ? found->schema
                                               : cut->state->folder);
}

/* Bytes that are only written here, and parsed in readers. */
static void print_bytes(void *arg, struct buf *out, struct err *err)
{
    struct cut *cut = arg;
    if (!err_failed(err)) *err = *cut->err;
    reader_part_bytes(cut->reader, &cut->part, out, err);
    if (err_failed(err)) *cut->err = *err;
}

bool worker_record_parts(struct folder *f,
                         const struct document_folder_state *state,
                         const struct reader_outcome *outcome,
                         struct reader *reader, struct err *err)
{
    struct err own = {0};
    struct cut cut = {
        state, outcome->event.sha256, reader, {.number = 0}, &own};
    if (err_failed(err)) return false;
    spool_part_make(f, outcome->n_part, fill_part, print_bytes, &cut, err);
    if (err_failed(&own)) *err = own;
    return err_failed(&own);
}
