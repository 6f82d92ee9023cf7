/* fleet_spread.c - see fleet_spread.h. */
#include "pipeline/command/fleet_spread.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "pipeline/work/worker_window.h"
#include "vlm/base/hash.h"
#include "vlm/base/json.h"

/* A first page is often a cover, and the next one shows how a table is headed. */
enum { BEGUN_PAGES = 2 };

void fleet_spread_id(const struct fleet_job *job, char id[static SPOOL_ID_SIZE])
{
    snprintf(id, SPOOL_ID_SIZE, "%.*s", (int)strcspn(job->id, "."), job->id);
}

/* --- before --------------------------------------------------------------- */

static int new_file(const struct folder *folder, const char *name,
                    struct err *err)
{
    if (err_failed(err)) return -1;
    int fd =
        openat(folder->fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) err_errno(err, "%s: %s", folder->id, name);
    return fd;
}

static void put_rows(const struct folder *folder, struct fleet *f,
                     const struct fleet_job *job, struct err *err)
{
    if (!*job->rows) return;
    int fd = new_file(folder, SPOOL_ROWS, err);
    if (fd < 0) return;
    fleet_store_get(&f->store, job->rows, fd, err);
    close(fd);
}

static void put_answers(const struct folder *folder, struct fleet *f,
                        const struct fleet_job *job, struct err *err)
{
    int n = 0, fd = new_file(folder, WORKER_ANSWERS, err);
    struct arena *arena = arena_new(), *one = arena_new();
    const struct fleet_file *file =
        fleet_queue_answers(f->db, folder->id, job->n_window, &n, arena, err);
    for (int i = 0; i < n && !err_failed(err); i++) {
        struct span said = fleet_file_get(f, &file[i], one, err);
        if (!err_failed(err) && !fleet_store_write(fd, said))
            err_errno(err, "%s", WORKER_ANSWERS);
        arena_reset(one);
    }
    if (fd >= 0) close(fd);
    arena_free(one);
    arena_free(arena);
}

static void put_window(struct folder *folder, const struct desk_window *window,
                       struct err *err)
{
    char text[200];
    snprintf(text, sizeof text,
             "{\"from\": %d, \"until\": %d, \"least\": %d, \"begun\": %s}\n",
             window->from, window->until, window->least,
             window->begun ? "true" : "false");
    spool_write(folder, WORKER_WINDOW, span_of(text), err);
}

void fleet_spread_prepare(struct folder *folder, struct fleet *f,
                          const struct fleet_job *job, struct err *err)
{
    int n_page = f->config->fleet_window;
    struct desk_window window = {.from =
                                     job->first_page ? job->first_page - 1 : 0,
                                 .until = job->last_page,
                                 .begun = true};
    bool known = job->first_page || job->n_window;
    if (err_failed(err) || (!known && !n_page)) return;
    if (!known)
        window =
            (struct desk_window){.until = BEGUN_PAGES, .least = 2 * n_page};
    put_window(folder, &window, err);
    if (!known) return;
    put_rows(folder, f, job, err);
    put_answers(folder, f, job, err);
}

/* --- behind ---------------------------------------------------------------- */

static int open_work(const struct fleet_scratch *s, const struct fleet_job *job)
{
    char id[SPOOL_ID_SIZE];
    fleet_spread_id(job, id);
    return spool_folder_fd(&s->spool, SPOOL_WORK, id);
}

bool fleet_spread_is_read(const struct fleet_scratch *s,
                          const struct fleet_job *job)
{
    int fd = open_work(s, job);
    bool is = fd >= 0 && spool_exists(fd, WORKER_WINDOW_READ);
    if (fd >= 0) close(fd);
    return is;
}

/* A file of the document's folder; empty where it is not there. */
static struct span read_file(const struct fleet_scratch *s, struct fleet *f,
                             const struct fleet_job *job, const char *name,
                             struct arena *arena)
{
    size_t most = (size_t)f->config->stage.record_bytes_max;
    int fd = open_work(s, job);
    struct span text = {NULL, 0};
    if (fd >= 0) text = spool_read(fd, name, most, arena);
    if (fd >= 0) close(fd);
    return text.data ? text : (struct span){"", 0};
}

bool fleet_spread_rest(const struct fleet_scratch *s, struct fleet *f,
                       const struct fleet_job *job, int n_page, struct err *err)
{
    if (err_failed(err)) return false;
    struct arena *arena = arena_new();
    struct fleet_job rest = *job;
    struct span rows = read_file(s, f, job, SPOOL_ROWS, arena);
    struct span said = read_file(s, f, job, WORKER_ANSWERS_NEW, arena);
    struct hash hash = hash_bytes(rows);
    struct fleet_file answers = fleet_file_put(f, said, err);
    rest.first_page = BEGUN_PAGES + 1;
    rest.last_page = n_page;
    if (rows.size) {
        fleet_store_put(&f->store, rows, &hash, err);
        snprintf(rest.rows, sizeof rest.rows, "%s", hash.hex);
    }
    bool mine = fleet_queue_spread(f->db, &rest, f->config->fleet_window,
                                   &answers, err);
    arena_free(arena);
    return mine;
}

void fleet_spread_outcome(const struct fleet_scratch *s, struct fleet *f,
                          const struct fleet_job *job,
                          struct fleet_outcome *outcome, struct arena *arena,
                          struct err *err)
{
    *outcome = (struct fleet_outcome){.state = FLEET_RESULT};
    if (err_failed(err)) return;
    struct span said = read_file(s, f, job, WORKER_ANSWERS_NEW, arena);
    outcome->record = fleet_file_put(f, said, err);
}
