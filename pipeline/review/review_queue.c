/* review_queue.c - see review_queue.h. */
#include "pipeline/review/review_queue.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/event.h"
#include "stages/document/reason.h"
#include "stages/record/review_items.h"
#include "vlm/base/clock.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum { SHOWN_MAX = 200, TEXT_SIZE = 160 };

static const double list_again_s = 2;

/* Identifies the version of a file that was read. */
struct review_queue_stamp {
    long long mtime_s, mtime_ns, size;
};

struct review_queue_entry {
    char id[SPOOL_ID_SIZE];
    enum spool_place place; /* SPOOL_DONE or SPOOL_FAILED */
    struct review_queue_stamp stamp;
    bool is_read, is_stack;
    int n_doubt, n_left; /* doubtful values originally, and still to review */
    double worst;        /* the lowest confidence */
    char name[TEXT_SIZE], schema[80], code[32];
    char sought[4 * TEXT_SIZE]; /* what a search looks into, folded */
};

struct review_queue {
    const struct spool *spool;
    const struct config *config;
    struct review_queue_entry *entry; /* sorted by id */
    size_t n, next;                   /* next: index of the next to look at */
    double listed;                    /* clock_seconds of the last listing */
};

struct review_queue *review_queue_new(const struct spool *s,
                                      const struct config *config)
{
    struct review_queue *d = mem_alloc(1, sizeof *d);
    *d = (struct review_queue){.spool = s, .config = config, .listed = -1};
    return d;
}

void review_queue_free(struct review_queue *d)
{
    if (!d) return;
    mem_free(d->entry);
    mem_free(d);
}

/* --- listing --- */

static struct review_queue_stamp stamp_of(const struct review_queue *d,
                                          const struct review_queue_entry *e)
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
        return (struct review_queue_stamp){0};
    return (struct review_queue_stamp){st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                                       st.st_size};
}

static bool same_stamp(const struct review_queue_stamp *a,
                       const struct review_queue_stamp *b)
{
    return a->mtime_s == b->mtime_s && a->mtime_ns == b->mtime_ns &&
           a->size == b->size;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct review_queue_entry *)a)->id,
                  ((const struct review_queue_entry *)b)->id);
}

/* Adds a document with what was read of it. Whether its files have changed is
 * looked at in steps: with 100,000 documents that takes a second. */
static void add_entry(struct review_queue *d, struct review_queue_entry *list,
                      size_t *n, enum spool_place place, const char *id)
{
    struct review_queue_entry *e = &list[(*n)++];
    *e = (struct review_queue_entry){.place = place};
    snprintf(e->id, sizeof e->id, "%s", id);
    const struct review_queue_entry *old =
        d->n ? bsearch(e, d->entry, d->n, sizeof *e, by_id) : NULL;
    if (old && old->place == place) *e = *old;
}

static size_t count_ids(char **id)
{
    size_t n = 0;
    while (id[n])
        n++;
    return n;
}

void review_queue_list(struct review_queue *d)
{
    struct err err = {0};
    double now = clock_seconds();
    /* not while it looks through the last list: it would begin anew each time */
    if (d->listed >= 0 && (d->next < d->n || now - d->listed < list_again_s))
        return;
    struct arena *arena = arena_new();
    char **done = spool_list(d->spool, SPOOL_DONE, arena, NULL, &err);
    char **failed = spool_list(d->spool, SPOOL_FAILED, arena, NULL, &err);
    size_t most = count_ids(done) + count_ids(failed), n = 0;
    struct review_queue_entry *list = mem_alloc(most + 1, sizeof *list);
    for (; *done; done++)
        add_entry(d, list, &n, SPOOL_DONE, *done);
    for (; *failed; failed++)
        add_entry(d, list, &n, SPOOL_FAILED, *failed);
    qsort(list, n, sizeof *list, by_id);
    mem_free(d->entry);
    d->entry = list;
    d->n = n;
    d->next = 0;
    d->listed = now;
    arena_free(arena);
}

/* --- reading --- */

static int n_doubts(const cJSON *record, const struct review_queue *d,
                    double *worst)
{
    struct arena *arena = arena_new();
    struct review_items doubts;
    review_items_of(record, d->config->stage.review_threshold, arena, &doubts);
    int n = doubts.n;
    *worst = doubts.worst;
    arena_free(arena);
    return n;
}

static void read_done(const struct review_queue *d,
                      struct review_queue_entry *e, int fd)
{
    struct err err = {0};
    double before;
    cJSON *record = corrected_record_record(fd, d->config, NULL, &err);
    e->is_stack = json_get(record, "parts");
    event_cut(e->schema, sizeof e->schema,
              json_get_text_or_empty(json_get(record, "schema"), "name"));
    if (record) e->n_left = e->n_doubt = n_doubts(record, d, &e->worst);
    if (e->stamp.size && record) {
        cJSON *first = spool_read_json(
            fd, "record.json", (size_t)d->config->stage.max_record_bytes);
        e->n_doubt = n_doubts(first, d, &before);
        if (e->n_doubt < e->n_left) e->n_doubt = e->n_left;
        cJSON_Delete(first);
    }
    cJSON_Delete(record);
}

static void read_failed(struct review_queue_entry *e, int fd,
                        const struct document_folder_state *state,
                        const struct config *config)
{
    cJSON *reason = spool_read_json(fd, "reason.json", SPOOL_JSON_MAX);
    event_cut(e->code, sizeof e->code, json_get_text_or_empty(reason, "code"));
    event_cut(e->schema, sizeof e->schema,
              *state->folder ? state->folder : config->default_schema);
    e->n_doubt = e->n_left = 1;
    cJSON_Delete(reason);
}

static const char *meaning_of(const struct review_queue_entry *e)
{
    const struct reason *row = reason_find(e->code);
    return row ? row->meaning : "";
}

static void read_entry(const struct review_queue *d,
                       struct review_queue_entry *e)
{
    struct document_folder_state state;
    int fd = spool_folder_fd(d->spool, e->place, e->id);
    e->is_read = true;
    e->n_doubt = e->n_left = 0;
    e->worst = 1;
    if (fd < 0) return;
    document_folder_read(fd, e->id, &state);
    struct buf name = buf_limit(4096);
    file_name_escape(state.name, &name);
    event_cut(e->name, sizeof e->name, buf_span(&name).data);
    if (e->place == SPOOL_DONE)
        read_done(d, e, fd);
    else
        read_failed(e, fd, &state, d->config);
    buf_cut(&name, 0);
    buf_print(&name, "%s %s %s %s", e->name, e->schema, e->code, meaning_of(e));
    utf8_fold(buf_span(&name).data, e->sought, sizeof e->sought);
    buf_free(&name);
    if (e->place == SPOOL_FAILED && spool_exists(fd, SPOOL_DISMISSED))
        e->n_doubt = e->n_left = 0;
    close(fd);
}

bool review_queue_step(struct review_queue *d, double seconds)
{
    double until = clock_seconds() + seconds;
    for (; d->next < d->n; d->next++) {
        struct review_queue_entry *e = &d->entry[d->next];
        if (clock_seconds() > until) return true;
        struct review_queue_stamp stamp = stamp_of(d, e);
        if (e->is_read && same_stamp(&e->stamp, &stamp)) continue;
        e->stamp = stamp;
        read_entry(d, e);
    }
    return false;
}

void review_queue_refresh(struct review_queue *d, const char *id)
{
    struct review_queue_entry key = {.is_read = false};
    event_cut(key.id, sizeof key.id, id);
    struct review_queue_entry *e =
        d->n ? bsearch(&key, d->entry, d->n, sizeof key, by_id) : NULL;
    if (!e) return;
    e->stamp = stamp_of(d, e);
    read_entry(d, e);
}

/* --- printing --- */

static int by_confidence(const void *a, const void *b)
{
    const struct review_queue_entry *x =
        *(const struct review_queue_entry *const *)a;
    const struct review_queue_entry *y =
        *(const struct review_queue_entry *const *)b;
    if (x->place != y->place) return x->place == SPOOL_DONE ? -1 : 1;
    if (x->worst < y->worst) return -1;
    if (x->worst > y->worst) return 1;
    return strcmp(x->id, y->id);
}

static void print_entry(const struct review_queue_entry *e, bool first,
                        struct buf *out)
{
    buf_print(out, "%s{\"id\":\"%s\"", first ? "" : ",", e->id);
    json_print_member(out, "place", spool_place_name(e->place));
    json_print_member(out, "name", e->name);
    json_print_member(out, "schema", e->schema);
    buf_print(out, ",\"left\":%d,\"worst\":%.4f", e->n_left, e->worst);
    if (*e->code) json_print_member(out, "code", e->code);
    if (*e->code) json_print_member(out, "why", meaning_of(e));
    buf_add_text(out, "}");
}

static bool matches(const struct review_queue_entry *e, const char *search)
{
    return !*search || strstr(e->sought, search) || !strcmp(e->id, search);
}

void review_queue_print(struct review_queue *d, const char *search, size_t from,
                        struct buf *out)
{
    size_t n = 0, n_read = 0;
    long long doubts = 0, left = 0;
    char sought[TEXT_SIZE] = "";
    const struct review_queue_entry **row = mem_alloc(d->n + 1, sizeof *row);
    utf8_fold(search, sought, sizeof sought);
    for (size_t i = 0; i < d->n; i++) {
        const struct review_queue_entry *e = &d->entry[i];
        n_read += e->is_read;
        doubts += e->n_doubt;
        left += e->n_left;
        if (e->is_read && e->n_left && matches(e, sought)) row[n++] = e;
    }
    qsort(row, n, sizeof *row, by_confidence);
    buf_print(out,
              "{\"complete\":%s,\"documents\":%zu,\"read\":%zu,\"doubts\":%lld,"
              "\"left\":%lld,\"waiting\":%zu,\"most\":%d,\"queue\":[",
              n_read == d->n ? "true" : "false", d->n, n_read, doubts, left, n,
              SHOWN_MAX);
    for (size_t i = from; i < n && i - from < SHOWN_MAX; i++)
        print_entry(row[i], i == from, out);
    buf_add_text(out, "]}");
    mem_free(row);
}
