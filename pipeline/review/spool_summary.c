/* spool_summary.c - see spool_summary.h. */
#include "pipeline/review/spool_summary.h"

#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/page_progress.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

/* "20261121T021400Z-..." is a time. */
static void print_time(const char *id, struct buf *out)
{
    buf_print(out, ",\"time\":\"%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ\"", id, id + 4,
              id + 6, id + 9, id + 11, id + 13);
}

static void print_head(const char *id, const char *state, const char *name,
                       const char *folder, struct buf *out)
{
    buf_add_text(out, "{\"id\":");
    if (id)
        buf_print(out, "\"%s\"", id);
    else
        buf_add_text(out, "null");
    json_print_member(out, "state", state);
    json_print_member(out, "name", name);
    json_print_member(out, "folder", folder);
    if (id) print_time(id, out);
}

void spool_summary_print_row(const struct spool_index_row *row, struct buf *out)
{
    const char *state = row->done        ? row->review ? "review" : "done"
                        : row->dismissed ? "dismissed"
                                         : "failed";
    print_head(row->id, state, row->name, row->folder, out);
    json_print_member(out, "schema", row->schema);
    buf_print(out, ",\"seconds\":%.3f", row->seconds);
    if (row->unread) buf_add_text(out, ",\"unread\":true");
    if (*row->twin) json_print_member(out, "duplicate_of", row->twin);
    if (*row->code) json_print_member(out, "code", row->code);
    buf_add_text(out, "}");
}

static void print_raw(const char *id, const char *state, const char *name,
                      const char *folder, struct buf *out)
{
    struct buf escaped = buf_limit(4096), path = buf_limit(8192);
    file_name_escape(name, &escaped);
    file_name_escape(folder, &path);
    print_head(id, state, buf_span(&escaped).data, buf_span(&path).data, out);
    buf_free(&escaped);
    buf_free(&path);
}

static void print_pace(const struct page_progress *p, struct buf *out)
{
    if (*p->stage) json_print_member(out, "stage", p->stage);
    if (p->page) buf_print(out, ",\"page\":%d", p->page);
    if (p->n_page) buf_print(out, ",\"pages\":%d", p->n_page);
    if (p->n_page > p->n_read && p->per_minute > 0)
        buf_print(out, ",\"seconds_left\":%.0f",
                  60 * (p->n_page - p->n_read) / p->per_minute);
}

bool spool_summary_print_work(const struct spool *s, const char *id,
                              struct buf *out)
{
    struct document_folder_state state;
    struct page_progress pace;
    int fd = spool_folder_fd(s, SPOOL_WORK, id);
    if (fd < 0) return false;
    bool is_document = spool_exists(fd, "doc"), held = spool_is_held(fd);
    document_folder_read_name(fd, id, &state);
    page_progress_read(fd, &pace);
    close(fd);
    if (!is_document) return false; /* it is being claimed */
    print_raw(id, held ? "reading" : "waiting", state.name, state.path, out);
    if (held) print_pace(&pace, out);
    buf_add_text(out, "}");
    return true;
}

void spool_summary_print_drop(const struct drop *drop, struct buf *out)
{
    char time[21];
    print_raw(NULL, "waiting", drop->name, drop->path, out);
    clock_utc_print(drop->stat.st_mtim.tv_sec, time);
    json_print_member(out, "time", time);
    buf_add_text(out, "}");
}

struct summary_printing {
    struct buf *out;
    bool found;
};

static void print_found(void *arg, const struct spool_index_row *row)
{
    struct summary_printing *p = arg;
    p->found = true;
    spool_summary_print_row(row, p->out);
}

bool spool_summary_print(struct spool *s, struct spool_index *index,
                         const char *id, struct buf *out)
{
    struct summary_printing p = {.out = out};
    struct spool_index_query q = {.id = id, .most = 1};
    if (spool_summary_print_work(s, id, out)) return true;
    spool_index_refresh(index, id, false);
    spool_index_find(index, &q, print_found, &p);
    return p.found;
}

bool spool_summary_is_read(const struct spool *s, const char *id)
{
    int fd = spool_folder_fd(s, SPOOL_WORK, id);
    bool held = fd >= 0 && spool_is_held(fd);
    if (fd >= 0) close(fd);
    return held;
}
