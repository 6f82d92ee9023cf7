/* docket.c - see docket.h. */
#include "pipeline/review/docket.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/review/renew.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/event.h"
#include "pipeline/spool/folder.h"
#include "stages/record/doubts.h"
#include "vlm/base/json.h"
#include "vlm/base/now.h"

enum { SHOWN_MAX = 200, TEXT_SIZE = 160 };

static const double look_again_s = 2;

/* What tells whether a file is the one that was read. */
struct docket_stamp {
    long long mtime_s, mtime_ns, size;
};

struct docket_entry {
    char id[SPOOL_ID_SIZE];
    enum spool_place place; /* SPOOL_DONE or SPOOL_FAILED */
    struct docket_stamp stamp;
    bool is_read, is_stack;
    int n_doubt, n_left; /* of the record as it was read, and by now */
    double worst;
    char name[TEXT_SIZE], schema[80], code[32];
};

struct docket {
    const struct spool *spool;
    const struct config *config;
    struct docket_entry *entry; /* in the order of their ids */
    size_t n, next;             /* next: to be read */
    double looked;
};

struct docket *docket_new(const struct spool *s, const struct config *config)
{
    struct docket *d = mem_take(1, sizeof *d);
    *d = (struct docket){.spool = s, .config = config, .looked = -1};
    return d;
}

void docket_free(struct docket *d)
{
    if (!d) return;
    mem_give(d->entry);
    mem_give(d);
}

/* --- what is there --- */

static struct docket_stamp stamp_of(const struct docket *d,
                                    const struct docket_entry *e)
{
    char path[SPOOL_ID_SIZE + 32];
    struct stat st;
    bool done = e->place == SPOOL_DONE;
    bool dismissed = !done && spool_is_dismissed(d->spool, e->id);
    snprintf(path, sizeof path, "%.39s/%s", e->id,
             done        ? CORRECTIONS_FILE
             : dismissed ? SPOOL_DISMISSED
                         : "reason.json");
    if (fstatat(d->spool->place[e->place], path, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return (struct docket_stamp){0};
    return (struct docket_stamp){st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                                 st.st_size};
}

static bool same_stamp(const struct docket_stamp *a,
                       const struct docket_stamp *b)
{
    return a->mtime_s == b->mtime_s && a->mtime_ns == b->mtime_ns &&
           a->size == b->size;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct docket_entry *)a)->id,
                  ((const struct docket_entry *)b)->id);
}

/* What is known of it is kept while its files are those that were read. */
static void add(struct docket *d, struct docket_entry *list, size_t *n,
                enum spool_place place, const char *id)
{
    struct docket_entry *e = &list[(*n)++];
    *e = (struct docket_entry){.place = place};
    snprintf(e->id, sizeof e->id, "%s", id);
    e->stamp = stamp_of(d, e);
    const struct docket_entry *old =
        d->n ? bsearch(e, d->entry, d->n, sizeof *e, by_id) : NULL;
    if (old && old->place == place && same_stamp(&old->stamp, &e->stamp))
        *e = *old;
}

static size_t count(char **id)
{
    size_t n = 0;
    while (id[n])
        n++;
    return n;
}

void docket_look(struct docket *d)
{
    struct err err = {0};
    double now = now_seconds();
    if (d->looked >= 0 && now - d->looked < look_again_s) return;
    struct arena *arena = arena_new();
    char **done = spool_list(d->spool, SPOOL_DONE, arena, NULL, &err);
    char **failed = spool_list(d->spool, SPOOL_FAILED, arena, NULL, &err);
    size_t most = count(done) + count(failed), n = 0;
    struct docket_entry *list = mem_take(most + 1, sizeof *list);
    for (; *done; done++)
        add(d, list, &n, SPOOL_DONE, *done);
    for (; *failed; failed++)
        add(d, list, &n, SPOOL_FAILED, *failed);
    qsort(list, n, sizeof *list, by_id);
    mem_give(d->entry);
    d->entry = list;
    d->n = n;
    d->next = 0;
    d->looked = now;
    arena_free(arena);
}

/* --- what it is about --- */

static int n_doubts(const cJSON *record, const struct docket *d, double *worst)
{
    struct arena *arena = arena_new();
    struct doubts doubts;
    doubts_of(record, d->config->stage.review_below, arena, &doubts);
    int n = doubts.n;
    *worst = doubts.worst;
    arena_free(arena);
    return n;
}

static void read_done(const struct docket *d, struct docket_entry *e, int fd)
{
    struct err err = {0};
    double before;
    cJSON *record = renew_record(fd, d->config, NULL, &err);
    e->is_stack = json_get(record, "parts");
    event_cut(e->schema, sizeof e->schema,
              json_get_text_or_empty(json_get(record, "schema"), "name"));
    if (record) e->n_left = e->n_doubt = n_doubts(record, d, &e->worst);
    if (e->stamp.size && record) {
        cJSON *first = folder_json(fd, "record.json",
                                   (size_t)d->config->stage.record_bytes_max);
        e->n_doubt = n_doubts(first, d, &before);
        if (e->n_doubt < e->n_left) e->n_doubt = e->n_left;
        cJSON_Delete(first);
    }
    cJSON_Delete(record);
}

static void read_failed(struct docket_entry *e, int fd,
                        const struct folder_state *state,
                        const struct config *config)
{
    cJSON *reason = folder_json(fd, "reason.json", SPOOL_JSON_MAX);
    event_cut(e->code, sizeof e->code, json_get_text_or_empty(reason, "code"));
    event_cut(e->schema, sizeof e->schema,
              *state->folder ? state->folder : config->default_schema);
    e->n_doubt = e->n_left = 1;
    cJSON_Delete(reason);
}

static void read_entry(const struct docket *d, struct docket_entry *e)
{
    struct folder_state state;
    int fd = spool_folder_fd(d->spool, e->place, e->id);
    e->is_read = true;
    e->n_doubt = e->n_left = 0;
    e->worst = 1;
    if (fd < 0) return;
    folder_read(fd, e->id, &state);
    struct buf name = buf_limit(4096);
    name_escape(state.name, &name);
    event_cut(e->name, sizeof e->name, buf_span(&name).data);
    buf_free(&name);
    if (e->place == SPOOL_DONE)
        read_done(d, e, fd);
    else
        read_failed(e, fd, &state, d->config);
    if (e->place == SPOOL_FAILED && spool_exists(fd, SPOOL_DISMISSED))
        e->n_doubt = e->n_left = 0;
    close(fd);
}

bool docket_step(struct docket *d, double seconds)
{
    double until = now_seconds() + seconds;
    for (; d->next < d->n; d->next++) {
        if (d->entry[d->next].is_read) continue;
        if (now_seconds() > until) return true;
        read_entry(d, &d->entry[d->next]);
    }
    return false;
}

void docket_refresh(struct docket *d, const char *id)
{
    struct docket_entry key = {.is_read = false};
    event_cut(key.id, sizeof key.id, id);
    struct docket_entry *e =
        d->n ? bsearch(&key, d->entry, d->n, sizeof key, by_id) : NULL;
    if (!e) return;
    e->stamp = stamp_of(d, e);
    read_entry(d, e);
}

/* --- what is worst --- */

static int by_need(const void *a, const void *b)
{
    const struct docket_entry *x = *(const struct docket_entry *const *)a;
    const struct docket_entry *y = *(const struct docket_entry *const *)b;
    if (x->place != y->place) return x->place == SPOOL_DONE ? -1 : 1;
    if (x->worst < y->worst) return -1;
    if (x->worst > y->worst) return 1;
    return strcmp(x->id, y->id);
}

static void print_text(struct buf *out, const char *key, const char *text)
{
    buf_print(out, ",\"%s\":", key);
    json_print_string(out, span_of(text));
}

static void print_entry(const struct docket_entry *e, bool first,
                        struct buf *out)
{
    buf_print(out, "%s{\"id\":\"%s\"", first ? "" : ",", e->id);
    print_text(out, "place", spool_place_name(e->place));
    print_text(out, "name", e->name);
    print_text(out, "schema", e->schema);
    buf_print(out, ",\"left\":%d,\"worst\":%.4f", e->n_left, e->worst);
    if (*e->code) print_text(out, "code", e->code);
    buf_add_text(out, "}");
}

void docket_print(struct docket *d, struct buf *out)
{
    size_t n = 0, n_read = 0;
    long long doubts = 0, left = 0;
    const struct docket_entry **row = mem_take(d->n + 1, sizeof *row);
    for (size_t i = 0; i < d->n; i++) {
        const struct docket_entry *e = &d->entry[i];
        n_read += e->is_read;
        doubts += e->n_doubt;
        left += e->n_left;
        if (e->is_read && e->n_left) row[n++] = e;
    }
    qsort(row, n, sizeof *row, by_need);
    buf_print(out,
              "{\"complete\":%s,\"documents\":%zu,\"read\":%zu,\"doubts\":%lld,"
              "\"left\":%lld,\"waiting\":%zu,\"queue\":[",
              n_read == d->n ? "true" : "false", d->n, n_read, doubts, left, n);
    for (size_t i = 0; i < n && i < SHOWN_MAX; i++)
        print_entry(row[i], !i, out);
    buf_add_text(out, "]}");
    mem_give(row);
}
