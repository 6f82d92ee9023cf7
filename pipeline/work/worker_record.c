/* worker_record.c - see worker_record.h. */
#include "pipeline/work/worker_record.h"

#include <fcntl.h>
#include <stdio.h>

#include "pipeline/spool/pace.h"
#include "vlm/base/json.h"
#include "vlm/base/now.h"

enum { NOTE_AFTER_S = 1 };

/* What platen fsck would not take must not be published either. */
static void check_whole(const struct buf *text, struct err *err)
{
    struct err wrong = {0};
    if (err_failed(err) || text->full) return;
    cJSON_Delete(json_parse(buf_span(text), &wrong));
    if (err_failed(&wrong))
        err_reason(err, ERR_SYSTEM, "internal", "the record is no JSON: %s",
                   wrong.text);
}

int worker_record_rows(const struct folder *f)
{
    return openat(f->fd, SPOOL_ROWS, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                  0600);
}

void worker_record_pace(const struct folder *f, const struct event *event,
                        struct tempo *tempo)
{
    double now = now_seconds();
    tempo_hear(tempo, event->n_read, now);
    if (event->seconds < NOTE_AFTER_S) return;
    double page = tempo_of_page(tempo, now);
    struct pace pace = {.page = event->page,
                        .n_page = event->n_page,
                        .n_read = event->n_read,
                        .n_kept = event->n_kept,
                        .per_minute = page > 0 ? 60 / page : 0};
    snprintf(pace.stage, sizeof pace.stage, "%s", event->stage);
    pace_write(f, &pace);
}

void worker_record_write(struct folder *f, const struct document *doc,
                         const struct engine_facts *facts,
                         const struct config *config, struct err *err)
{
    if (err_failed(err)) return;
    size_t most = (size_t)config->stage.record_bytes_max;
    struct buf text = buf_limit(most);
    if (config->formats & FORMAT_XML) {
        record_xml(doc, facts, &text, err);
        if (!err_failed(err) && !text.full)
            spool_write(f, "record.xml", buf_span(&text), err);
        buf_cut(&text, 0);
    }
    if (!err_failed(err)) record_json(doc, facts, &text);
    check_whole(&text, err);
    if (text.full)
        err_reason(err, ERR_LIMIT, "too-large",
                   "the record is longer than %zu bytes (record_bytes_max)",
                   most);
    if (!err_failed(err))
        spool_write(f, "record.json", buf_span(&text), err); /* F5 */
    buf_free(&text);
}
