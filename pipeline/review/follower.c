/* follower.c - see follower.h. */
#include "pipeline/review/follower.h"

#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "pipeline/review/spool_search.h"
#include "pipeline/review/spool_summary.h"
#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/spool_index.h"
#include "vlm/base/clock.h"
#include "vlm/base/log.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum {
    CHANGES_MAX = 300, /* more at once: list again */
    READ_MAX = 64,     /* documents whose progress is reported */
    VALUES_MAX = 256 << 10,
    VALUE_SIZE = 4096,
    FILL_AT_ONCE = 10,
    UNREAD_AT_ONCE = 10,
    WAIT_MS = 500
};

static const double settle_s = 0.3; /* others write their rows meanwhile */
static const double look_s = 2;     /* at in/ and at what is read */

/* Documents that are read, with a hash of what was reported last. */
struct follower_reported {
    struct {
        char id[SPOOL_ID_SIZE];
        uint64_t hash;
    } row[READ_MAX];
    int n;
};

struct follower {
    struct spool *spool;
    const struct config *config;
    struct spool_index *index;
    void (*event)(void *arg, struct span text);
    void *arg;
    int inotify;
    struct spool_index_filling *filling; /* NULL: the index is filled */
    bool follows, begun, whole; /* whole: every record's values are indexed */
    char unread[SPOOL_ID_SIZE]; /* values of those from here on are indexed */
    char changed[CHANGES_MAX][SPOOL_ID_SIZE];
    int n_changed;
    bool overflow;
    double due;     /* clock_seconds when the changes are looked at; 0: none */
    double look_at; /* the next look at in/ and work/ */
    char counts[400];                  /* as reported last */
    struct spool_index_counts counted; /* of the index, at this day */
    char counted_day[11];              /* "": they have changed */
    struct follower_reported reported;
};

struct follower *follower_new(struct spool *s, const struct config *config,
                              void (*event)(void *arg, struct span text),
                              void *arg)
{
    static const enum spool_place places[] = {SPOOL_WORK, SPOOL_DONE,
                                              SPOOL_FAILED};
    struct follower *f = mem_alloc(1, sizeof *f);
    f->spool = s;
    f->config = config;
    f->event = event;
    f->arg = arg;
    f->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[4200];
        snprintf(path, sizeof path, "%s/%s", s->path,
                 spool_place_name(places[i]));
        if (f->inotify >= 0 &&
            inotify_add_watch(f->inotify, path,
                              IN_CREATE | IN_MOVE | IN_DELETE | IN_ONLYDIR) < 0)
            log_warn("%s cannot be watched; lists may be late", path);
    }
    return f;
}

void follower_free(struct follower *f)
{
    if (!f) return;
    spool_index_fill_end(f->filling);
    spool_index_close(f->index);
    if (f->inotify >= 0) close(f->inotify);
    mem_free(f);
}

/* --- events ---------------------------------------------------------------- */

static void send_event(struct follower *f, const char *name, struct span data)
{
    struct buf text = buf_limit(60 << 10);
    if (!f->follows) return;
    buf_print(&text, "event: %s\ndata: ", name);
    buf_add(&text, data.data, data.size);
    buf_add_text(&text, "\n\n");
    if (!text.full) f->event(f->arg, buf_span(&text));
    buf_free(&text);
}

static void report(struct follower *f, const char *id)
{
    struct buf out = buf_limit(32 << 10);
    if (spool_summary_print(f->spool, f->index, id, &out)) {
        send_event(f, "document", buf_span(&out));
    } else {
        buf_print(&out, "{\"id\":\"%s\"}", id);
        send_event(f, "removed", buf_span(&out));
    }
    buf_free(&out);
}

/* --- the index ------------------------------------------------------------- */

static void note_change(struct follower *f, const char *id)
{
    for (int i = 0; i < f->n_changed; i++)
        if (!strcmp(f->changed[i], id)) return;
    if (f->due <= 0) f->due = clock_seconds() + settle_s;
    f->overflow |= f->n_changed == CHANGES_MAX;
    if (f->n_changed < CHANGES_MAX)
        snprintf(f->changed[f->n_changed++], SPOOL_ID_SIZE, "%s", id);
    else
        spool_index_refresh(f->index, id, false);
}

void follower_changed(struct follower *f, const char *id)
{
    if (f && spool_is_id(id)) note_change(f, id);
}

static void review_row(void *arg, const struct spool_index_row *row)
{
    struct follower *f = arg;
    if (spool_has_file(f->spool, SPOOL_DONE, row->id, CORRECTIONS_FILE))
        follower_changed(f, row->id);
}

/* The index is filled in this process, a few documents at a time, so that others
 * are counted meanwhile. */
static void begin(struct follower *f)
{
    if (f->begun) return;
    f->begun = true;
    spool_index_fill_end(f->filling);
    f->filling = NULL;
    if (!f->index) f->index = spool_index_attach(f->spool);
    if (f->index)
        f->filling = spool_index_fill(f->index);
    else
        f->index = spool_index_open(f->spool, false); /* it is damaged */
}

static void fill_some(struct follower *f)
{
    *f->counted_day = '\0';
    if (spool_index_fill_step(f->filling, FILL_AT_ONCE)) return;
    spool_index_fill_end(f->filling);
    f->filling = NULL;
    if (!spool_index_is_usable(f->index)) {
        spool_index_close(f->index);
        f->index = spool_index_open(f->spool, false);
    }
    spool_index_find(
        f->index,
        &(struct spool_index_query){.state = "review", .most = CHANGES_MAX},
        review_row, f);
    f->overflow = true; /* the list is asked for again */
    f->due = clock_seconds();
}

/* --- counts ---------------------------------------------------------------- */

struct work_counts {
    int waiting, reading;
};

static struct work_counts count_work(struct follower *f)
{
    struct work_counts n = {0};
    struct err none = {0};
    struct arena *arena = arena_new();
    char **id = spool_list(f->spool, SPOOL_WORK, arena, NULL, &none);
    for (; *id; id++) {
        bool is_read = spool_summary_is_read(f->spool, *id);
        n.reading += is_read;
        n.waiting += !is_read;
    }
    n.waiting += (int)spool_scan(f->spool, arena, NULL, NULL, &none).n_drop;
    arena_free(arena);
    return n;
}

void follower_print_counts(struct follower *f, struct buf *out)
{
    char day[11], from[SPOOL_INDEX_TIME];
    if (!f) return;
    begin(f);
    spool_search_today(day, from);
    if (strcmp(day, f->counted_day) != 0)
        spool_index_count(f->index, from, &f->counted);
    memcpy(f->counted_day, day, sizeof day);
    const struct spool_index_counts n = f->counted;
    struct work_counts work = count_work(f);
    buf_print(out,
              "{\"waiting\":%d,\"reading\":%d,\"review\":%d,\"done\":%d,"
              "\"done_today\":%d,\"failed\":%d,\"dismissed\":%d,"
              "\"today\":\"%s\"}",
              work.waiting, work.reading, n.review, n.done, n.today, n.failed,
              n.dismissed, day);
}

static void report_counts(struct follower *f)
{
    struct buf out = buf_limit(sizeof f->counts - 1);
    follower_print_counts(f, &out);
    if (strcmp(f->counts, buf_span(&out).data) != 0) {
        snprintf(f->counts, sizeof f->counts, "%s", buf_span(&out).data);
        send_event(f, "counts", buf_span(&out));
    }
    buf_free(&out);
}

/* --- what is read ---------------------------------------------------------- */

static uint64_t hash_of(struct span text)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < text.size; i++)
        h = (h ^ (unsigned char)text.data[i]) * 1099511628211u;
    return h;
}

static const uint64_t *reported_hash(const struct follower *f, const char *id)
{
    for (int i = 0; i < f->reported.n; i++)
        if (!strcmp(f->reported.row[i].id, id)) return &f->reported.row[i].hash;
    return NULL;
}

/* Reports the progress of documents that are read, if it has changed. */
static void report_progress(struct follower *f)
{
    struct err none = {0};
    struct follower_reported next = {.n = 0};
    struct arena *arena = arena_new();
    char **id = spool_list(f->spool, SPOOL_WORK, arena, NULL, &none);
    for (; *id && next.n < READ_MAX; id++) {
        struct buf out = buf_limit(32 << 10);
        const uint64_t *old = reported_hash(f, *id);
        if ((spool_summary_is_read(f->spool, *id) || old) &&
            spool_summary_print_work(f->spool, *id, &out)) {
            uint64_t hash = hash_of(buf_span(&out));
            if (!old || *old != hash) send_event(f, "document", buf_span(&out));
            snprintf(next.row[next.n].id, SPOOL_ID_SIZE, "%s", *id);
            next.row[next.n++].hash = hash;
        }
        buf_free(&out);
    }
    f->reported = next;
    arena_free(arena);
}

/* --- values ---------------------------------------------------------------- */

/* Appends the folded texts and numbers of a value, one a line. */
static void add_values(const cJSON *value, struct buf *out)
{
    char folded[VALUE_SIZE];
    const cJSON *child = NULL;
    if (cJSON_IsString(value) || cJSON_IsNumber(value)) {
        utf8_fold(value->valuestring, folded, sizeof folded);
        buf_print(out, "%s\n", folded);
    }
    cJSON_ArrayForEach(child, value)
    {
        add_values(child, out);
    }
}

static void index_values(struct follower *f, const char *id)
{
    struct err err = {0};
    struct buf text = buf_limit(VALUES_MAX);
    struct corrected_record_review review = {0};
    int fd = spool_folder_fd(f->spool, SPOOL_DONE, id);
    cJSON *record =
        fd >= 0 ? corrected_record_record(fd, f->config, &review, &err) : NULL;
    add_values(json_get(record, "data"), &text);
    spool_index_set_values(f->index, id, buf_span(&text).data);
    if (review.reviewed) spool_index_refresh(f->index, id, true);
    if (review.reviewed) *f->counted_day = '\0';
    if (fd >= 0) close(fd);
    cJSON_Delete(record);
    buf_free(&text);
}

/* Reads the values of some records; true if there are more. */
static bool index_some(struct follower *f)
{
    struct arena *arena = arena_new();
    char **id = spool_index_unread(f->index, f->unread, UNREAD_AT_ONCE, arena);
    f->whole = !*id && !*f->unread;
    if (!*id) *f->unread = '\0'; /* those that came meanwhile */
    for (; *id; id++) {
        index_values(f, *id);
        snprintf(f->unread, sizeof f->unread, "%s", *id);
    }
    arena_free(arena);
    return !f->whole;
}

/* --- following ------------------------------------------------------------- */

static void read_inotify(struct follower *f)
{
    union {
        struct inotify_event event;
        char bytes[16384];
    } u;
    ssize_t n;
    while (f->inotify >= 0 && (n = read(f->inotify, &u, sizeof u)) > 0) {
        for (size_t at = 0; at < (size_t)n;) {
            struct inotify_event e;
            memcpy(&e, u.bytes + at, sizeof e);
            const char *name = u.bytes + at + sizeof e;
            if (e.mask & IN_Q_OVERFLOW) {
                f->overflow = true;
                f->begun = false; /* the index is compared with the folders */
                f->due = clock_seconds();
            } else if (e.len && spool_is_id(name)) {
                note_change(f, name);
            }
            at += sizeof e + e.len;
        }
    }
}

static void follow_changes(struct follower *f)
{
    f->due = 0;
    *f->counted_day = '\0';
    for (int i = 0; i < f->n_changed; i++) {
        const char *id = f->changed[i];
        spool_index_refresh(f->index, id, false);
        if (spool_exists(f->spool->place[SPOOL_DONE], id)) index_values(f, id);
        if (!f->overflow) report(f, id);
    }
    if (f->overflow) {
        f->whole = false;
        send_event(f, "reload", (struct span){"{}", 2});
    }
    f->n_changed = 0;
    f->overflow = false;
    f->look_at = 0;
}

void follower_follow(struct follower *f, bool follows)
{
    if (!f) return;
    f->follows = follows;
    *f->counts = '\0';
    f->reported.n = 0;
    f->look_at = 0;
}

bool follower_step(struct follower *f)
{
    if (!f) return false;
    begin(f);
    read_inotify(f);
    double now = clock_seconds();
    if (f->due > 0 && now >= f->due) follow_changes(f);
    if (f->follows && now >= f->look_at) {
        report_progress(f);
        report_counts(f);
        f->look_at = clock_seconds() + look_s;
    }
    if (f->filling) fill_some(f);
    return f->filling || (!f->whole && index_some(f));
}

int follower_fd(const struct follower *f)
{
    return f ? f->inotify : -1;
}

int follower_wait_ms(const struct follower *f)
{
    return f ? WAIT_MS : -1;
}
