/* fleet_scratch.c - see fleet_scratch.h. */
#define _GNU_SOURCE
#include "pipeline/fleet_worker/fleet_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/fleet/fleet_settings.h"
#include "vlm/base/clock.h"
#include "vlm/json/json.h"

/* Keeps the top folder: workers have it open. */
static int remove_entry(const char *path, const struct stat *st, int kind,
                        struct FTW *at)
{
    (void)st;
    if (at->level == 0) return 0;
    if (kind == FTW_DP)
        rmdir(path);
    else
        unlink(path);
    return 0;
}

static void empty_folder(const char *folder, const char *name)
{
    char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Opens the file that the folder's owner locks while it runs. */
static int open_alive(const char *folder)
{
    char path[500];
    snprintf(path, sizeof path, "%s/alive", folder);
    return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Removes folders of killed workers; young ones may be about to be locked. */
static void sweep_dead(const char *folder)
{
    char pattern[400];
    struct stat st;
    glob_t found;
    snprintf(pattern, sizeof pattern, "%.300s/platen-fleet.??????", folder);
    if (glob(pattern, 0, NULL, &found) != 0) return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) ||
            st.st_uid != getuid() || clock_utc() - (long long)st.st_mtime < 60)
            continue;
        int fd = open_alive(path);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            empty_folder(path, "");
            rmdir(path);
        }
        if (fd >= 0) close(fd);
    }
    globfree(&found);
}

void fleet_scratch_open(struct fleet_scratch *s, const char *folder,
                        struct err *err)
{
    char path[500];
    *s = (struct fleet_scratch){.path = "", .alive = -1};
    if (err_failed(err)) return;
    sweep_dead(folder);
    snprintf(s->path, sizeof s->path, "%.300s/platen-fleet.XXXXXX", folder);
    if (!mkdtemp(s->path)) {
        err_errno(err, "scratch: %s", s->path);
        *s->path = '\0';
        return;
    }
    s->alive = open_alive(s->path);
    if (s->alive < 0 || flock(s->alive, LOCK_EX | LOCK_NB) != 0)
        err_errno(err, "scratch: %s", s->path);
    snprintf(path, sizeof path, "%s/spool", s->path);
    spool_open(&s->spool, path, true, err);
}

void fleet_scratch_close(struct fleet_scratch *s)
{
    if (!*s->path) return;
    spool_close(&s->spool);
    empty_folder(s->path, "");
    rmdir(s->path);
    if (s->alive >= 0) close(s->alive);
    *s->path = '\0';
}

void fleet_scratch_empty(const struct fleet_scratch *s)
{
    static const char *const places[] = {"spool/work", "spool/done",
                                         "spool/failed", "spool/out",
                                         "spool/pending"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        empty_folder(s->path, places[i]);
}

const char *fleet_scratch_schemas(struct fleet_scratch *s, struct fleet *f,
                                  const struct fleet_job *job,
                                  struct arena *arena, struct err *err)
{
    if (err_failed(err)) return "";
    const char *folder = arena_text(arena, "%s/schemas", s->path);
    if (!strcmp(s->schemas, job->schemas)) return folder;
    *s->schemas = '\0';
    empty_folder(s->path, "schemas");
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        err_errno(err, "%s", folder);
    fleet_learn(f, err);
    fleet_settings_get(&f->store, job->schemas, folder, err);
    if (!err_failed(err))
        snprintf(s->schemas, sizeof s->schemas, "%s", job->schemas);
    return folder;
}

void fleet_scratch_take(struct fleet_scratch *s, struct fleet *f,
                        const struct fleet_job *job, struct err *err)
{
    struct folder folder = {.fd = -1};
    if (err_failed(err)) return;
    if (!spool_is_id(job->id)) {
        err_reason(err, ERR_REMOTE, "fleet-refused",
                   "%.40s: not the id of a document", job->id);
        return;
    }
    fleet_learn(f, err);
    spool_admit(&s->spool, job->id, &folder, err);
    spool_write(&folder, "name.json", span_of(job->name), err);
    if (*job->part) spool_write(&folder, "part.json", span_of(job->part), err);
    int fd = err_failed(err)
                 ? -1
                 : openat(folder.fd, "doc",
                          O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) err_errno(err, "%s: doc", job->id);
    fleet_store_get(&f->store, job->document, fd, err);
    if (fd >= 0) close(fd);
    spool_unlock(&folder);
}

static struct span read_whole(int fd, const char *name, size_t most,
                              struct arena *arena)
{
    struct span text = spool_read(fd, name, most, arena);
    return text.data ? text : (struct span){"", 0};
}

static void read_reason(int fd, struct fleet_outcome *outcome,
                        struct arena *arena)
{
    struct err none = {0};
    struct span text = read_whole(fd, "reason.json", SPOOL_JSON_MAX, arena);
    cJSON *o = json_parse(text, &none);
    outcome->reason = arena_copy(arena, text);
    outcome->code =
        arena_copy(arena, span_of(json_get_text_or_empty(o, "code")));
    outcome->why =
        arena_copy(arena, span_of(json_get_text_or_empty(o, "text")));
    cJSON_Delete(o);
}

void fleet_scratch_outcome(struct fleet_scratch *s, struct fleet *f,
                           const struct fleet_job *job, bool done,
                           struct fleet_outcome *outcome, struct arena *arena,
                           struct err *err)
{
    *outcome = (struct fleet_outcome){.state = FLEET_DEAD};
    if (err_failed(err)) return;
    size_t most = (size_t)f->config->stage.max_record_bytes;
    int fd =
        spool_folder_fd(&s->spool, done ? SPOOL_DONE : SPOOL_FAILED, job->id);
    if (fd < 0) {
        err_errno(err, "%s", job->id);
        return;
    }
    if (done) {
        struct span xml = read_whole(fd, "record.xml", most, arena);
        outcome->state = FLEET_RESULT;
        outcome->record =
            fleet_file_put(f, read_whole(fd, "record.json", most, arena), err);
        if (xml.size) outcome->xml = fleet_file_put(f, xml, err);
    } else {
        read_reason(fd, outcome, arena);
    }
    close(fd);
}
