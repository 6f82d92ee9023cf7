/* spool_index.c - see spool_index.h. */
#include "pipeline/spool/spool_index.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_json.h"
#include "pipeline/spool/spool_sqlite.h"
#include "vlm/base/log.h"
#include "vlm/base/utf8.h"
#include "vlm/json/json.h"

enum { BUSY_MS = 5000, RECORD_MAX = 64 << 20, BATCH = 1000 };

struct spool_index {
    struct spool *spool;
    sqlite3 *db;
    sqlite3_stmt *insert; /* NULL: not prepared yet */
    bool broken;          /* was logged; not used any more */
    int code;             /* SQLite's, of the failure */
};

static const char *const layout =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA temp_store=MEMORY;"  /* a server may write in its spool only */
    "PRAGMA synchronous=NORMAL;" /* rows that a power cut takes are read again */
    "CREATE TABLE IF NOT EXISTS document("
    " id TEXT PRIMARY KEY, state TEXT NOT NULL, name TEXT, folder TEXT,"
    " schema TEXT, code TEXT NOT NULL DEFAULT '', sha256 TEXT, bytes INTEGER,"
    " seconds REAL, warnings INTEGER, twin TEXT NOT NULL DEFAULT '',"
    " review INTEGER NOT NULL DEFAULT 0,"
    " unread INTEGER NOT NULL DEFAULT 0,"
    " dismissed INTEGER NOT NULL DEFAULT 0)"
    " WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS content("
    " id TEXT PRIMARY KEY, text TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS document_hash ON document(sha256);"
    "CREATE INDEX IF NOT EXISTS document_code ON document(state, code);"
    "CREATE INDEX IF NOT EXISTS document_flags ON"
    " document(state, review, dismissed, id);";
static const char begin[] = "BEGIN IMMEDIATE", commit[] = "COMMIT";

/* The next spool_index_open replaces it. */
static bool is_damaged(const struct spool_index *ix)
{
    return spool_sqlite_is_damaged(ix->code);
}

static void complain(struct spool_index *ix)
{
    ix->code = ix->db ? sqlite3_errcode(ix->db) : SQLITE_CANTOPEN;
    bool damaged = is_damaged(ix);
    if (!ix->broken)
        log_warn("index.db: %s; no document is affected, %s",
                 ix->db ? sqlite3_errmsg(ix->db) : "cannot be opened",
                 damaged ? "it is made anew"
                         : "platen fsck --rebuild-index rebuilds it");
    ix->broken = true;
}

static bool run(struct spool_index *ix, const char *sql)
{
    return spool_sqlite_run(ix->db, sql);
}

/* fold(text) of SQL: utf8_fold. */
static void fold(sqlite3_context *c, int n, sqlite3_value **value)
{
    char folded[4096];
    const unsigned char *text = n == 1 ? sqlite3_value_text(*value) : NULL;
    utf8_fold(text ? (const char *)text : "", folded, sizeof folded);
    sqlite3_result_text(c, folded, -1, SQLITE_TRANSIENT);
}

static bool open_db(struct spool_index *ix)
{
    if (!spool_sqlite_open(ix->spool, "index.db", &ix->db)) return false;
    sqlite3_busy_timeout(ix->db, BUSY_MS);
    sqlite3_create_function(ix->db, "fold", 1,
                            SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, fold,
                            NULL, NULL);
    /* made by an older platen: begin anew; the layout indexes what it lacks */
    if (run(ix, "SELECT id FROM document LIMIT 0") &&
        !run(ix, "SELECT dismissed FROM document LIMIT 0") &&
        !run(ix, "DROP TABLE document"))
        return false;
    return run(ix, layout);
}

static void change(struct spool_index *ix, const char *sql)
{
    if (!ix->broken && !run(ix, sql)) complain(ix);
}

static sqlite3_stmt *prepare(struct spool_index *ix, const char *sql)
{
    sqlite3_stmt *s = NULL;
    if (!ix || ix->broken) return NULL;
    if (sqlite3_prepare_v2(ix->db, sql, -1, &s, NULL) != SQLITE_OK)
        complain(ix);
    return s;
}

static void insert_row(struct spool_index *ix, const struct event *e,
                       const char *twin, bool dismissed)
{
    if (!ix->insert)
        ix->insert = prepare(
            ix, "INSERT OR REPLACE INTO document(id,state,name,folder,schema,"
                "code,sha256,bytes,seconds,warnings,twin,review,unread,"
                "dismissed) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    sqlite3_stmt *s = ix->insert;
    if (!s || ix->broken) return;
    bool done = e->kind == EVENT_DONE;
    spool_sqlite_bind(s, 1, e->id);
    spool_sqlite_bind(s, 2, done ? "done" : "failed");
    spool_sqlite_bind(s, 3, e->name);
    spool_sqlite_bind(s, 4, e->folder);
    spool_sqlite_bind(s, 5, e->schema);
    spool_sqlite_bind(s, 6, done ? "" : e->code);
    spool_sqlite_bind(s, 7, e->is_part ? "" : e->sha256);
    sqlite3_bind_int64(s, 8, e->bytes);
    sqlite3_bind_double(s, 9, e->seconds);
    sqlite3_bind_int(s, 10, e->n_warning);
    spool_sqlite_bind(s, 11, twin);
    sqlite3_bind_int(s, 12, done && e->review);
    sqlite3_bind_int(s, 13, done && e->unread);
    sqlite3_bind_int(s, 14, dismissed);
    if (sqlite3_step(s) != SQLITE_DONE) complain(ix);
    sqlite3_reset(s);
}

static void find_twin(struct spool_index *ix, const struct event *e,
                      char twin[static SPOOL_ID_SIZE])
{
    twin[0] = '\0';
    /* parts of a stack share their bytes, but are not duplicates */
    if (!*e->sha256 || e->is_part) return;
    sqlite3_stmt *s =
        prepare(ix, "SELECT id FROM document INDEXED BY document_hash WHERE "
                    "sha256=? AND id<>? AND state='done' LIMIT 1");
    if (!s) return;
    spool_sqlite_bind(s, 1, e->sha256);
    spool_sqlite_bind(s, 2, e->id);
    if (sqlite3_step(s) == SQLITE_ROW)
        snprintf(twin, SPOOL_ID_SIZE, "%s", spool_sqlite_text(s, 0));
    sqlite3_finalize(s);
}

void spool_index_put(struct spool_index *ix, const struct event *event,
                     char twin[static SPOOL_ID_SIZE])
{
    twin[0] = '\0';
    if (!ix) return;
    find_twin(ix, event, twin);
    insert_row(ix, event, twin, false);
}

static void forget_from(struct spool_index *ix, const char *sql, char **id,
                        size_t n)
{
    sqlite3_stmt *s = prepare(ix, sql);
    for (size_t i = 0; s && i < n && !ix->broken; i++) {
        spool_sqlite_bind(s, 1, id[i]);
        if (sqlite3_step(s) != SQLITE_DONE) complain(ix);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
}

void spool_index_forget(struct spool_index *ix, char **id, size_t n)
{
    if (!ix) return;
    change(ix, begin);
    forget_from(ix, "DELETE FROM document WHERE id=?", id, n);
    forget_from(ix, "DELETE FROM content WHERE id=?", id, n);
    change(ix, commit);
}

/* --- from the folders --------------------------------------------------- */

static void read_outcome(int fd, const char *id, bool done, struct event *e)
{
    *e = (struct event){.kind = done ? EVENT_DONE : EVENT_FAILED};
    cJSON *o = spool_read_json(fd, done ? "record.json" : "reason.json",
                               done ? RECORD_MAX : SPOOL_JSON_MAX);
    cJSON *name = spool_read_json(fd, "name.json", SPOOL_JSON_MAX);
    const cJSON *schema = json_get(o, "schema");
    event_cut(e->id, sizeof e->id, id);
    e->is_part = spool_exists(fd, "part.json");
    event_cut(e->name, sizeof e->name, json_get_text_or_empty(name, "name"));
    struct spool_source from;
    spool_source_read(name, &from);
    event_name(e->folder, sizeof e->folder, from.path);
    event_cut(e->schema, sizeof e->schema,
              done ? json_get_text_or_empty(schema, "name")
                   : json_get_text_or_empty(o, "schema"));
    event_cut(e->code, sizeof e->code, json_get_text_or_empty(o, "code"));
    event_cut(e->sha256, sizeof e->sha256,
              json_get_text_or_empty(json_get(o, "source"), "sha256"));
    e->bytes = json_get_integer(json_get(o, "source"), "bytes");
    const cJSON *part = NULL;
    cJSON_ArrayForEach(part, json_get(o, "seconds"))
    {
        e->seconds += part->valuedouble;
    }
    e->n_warning = cJSON_GetArraySize(json_get(o, "warnings"));
    e->review = cJSON_IsTrue(json_get(o, "review"));
    e->unread = !strcmp(json_get_text_or_empty(o, "verdict"), "unread");
    cJSON_Delete(o);
    cJSON_Delete(name);
}

/* Marks the ids of the sorted list that the index has. Returns those that it has
 * although their folders are gone. */
static char **compare(struct spool_index *ix, enum spool_place place, char **id,
                      bool *known, struct arena *arena, size_t *n_gone)
{
    sqlite3_stmt *s =
        prepare(ix, "SELECT id FROM document WHERE state=? ORDER BY id");
    char **gone = NULL, **at = id;
    *n_gone = 0;
    if (!s) return NULL;
    spool_sqlite_bind(s, 1, spool_place_name(place));
    while (sqlite3_step(s) == SQLITE_ROW) {
        while (*at && strcmp(*at, spool_sqlite_text(s, 0)) < 0)
            at++;
        if (*at && !strcmp(*at, spool_sqlite_text(s, 0))) {
            known[at - id] = true;
            continue;
        }
        if (spool_exists(ix->spool->place[place], spool_sqlite_text(s, 0)))
            continue;
        *MEM_ADD(gone, *n_gone) =
            arena_copy(arena, span_of(spool_sqlite_text(s, 0)));
    }
    if (sqlite3_errcode(ix->db) != SQLITE_DONE) complain(ix);
    sqlite3_finalize(s);
    return gone;
}

/* All twins at once: one by one is slow if many are equal. */
static void set_twins(struct spool_index *ix)
{
    change(ix, "WITH first AS (SELECT sha256, min(id) AS id FROM document "
               "WHERE state='done' AND sha256<>'' GROUP BY sha256) "
               "UPDATE document SET twin=first.id FROM first WHERE "
               "document.sha256=first.sha256 AND document.id<>first.id AND "
               "document.twin=''");
}

static const enum spool_place filled[] = {SPOOL_FAILED, SPOOL_DONE};

enum { N_FILLED = sizeof filled / sizeof *filled };

struct spool_index_filling {
    struct spool_index *ix;
    struct arena *arena;
    struct {
        char **id;
        bool *known;
        size_t n_left; /* the first ones, which were not looked at */
    } of[N_FILLED];
    bool added;
};

struct spool_index_filling *spool_index_fill(struct spool_index *ix)
{
    struct spool_index_filling *f = mem_alloc(1, sizeof *f);
    f->ix = ix;
    f->arena = arena_new();
    for (int i = 0; i < N_FILLED; i++) {
        struct err err = {0};
        size_t n = 0, n_gone;
        char **id = spool_list(ix->spool, filled[i], f->arena, NULL, &err);
        while (id[n])
            n++;
        f->of[i].id = id;
        f->of[i].n_left = n;
        f->of[i].known = mem_alloc(n + 1, sizeof(bool));
        char **gone =
            compare(ix, filled[i], id, f->of[i].known, f->arena, &n_gone);
        if (n_gone && !err_failed(&err)) spool_index_forget(ix, gone, n_gone);
        mem_free(gone);
    }
    return f;
}

struct read_row {
    struct event event;
    bool dismissed;
};

/* The next document that the index lacks; false: there is none. */
static bool read_next(struct spool_index_filling *f, struct read_row *row)
{
    for (int i = 0; i < N_FILLED; i++)
        while (f->of[i].n_left) {
            size_t at = --f->of[i].n_left;
            const char *id = f->of[i].id[at];
            if (f->of[i].known[at]) continue;
            int fd = spool_folder_fd(f->ix->spool, filled[i], id);
            if (fd < 0) continue;
            read_outcome(fd, id, filled[i] == SPOOL_DONE, &row->event);
            row->dismissed =
                filled[i] == SPOOL_FAILED && spool_exists(fd, SPOOL_DISMISSED);
            close(fd);
            return true;
        }
    return false;
}

/* They are read before the transaction, which others wait for. */
bool spool_index_fill_step(struct spool_index_filling *f, int most)
{
    struct spool_index *ix = f->ix;
    struct read_row *row = mem_alloc((size_t)most, sizeof *row);
    int n = 0;
    while (n < most && !ix->broken && read_next(f, &row[n]))
        n++;
    if (n) change(ix, begin);
    for (int i = 0; i < n; i++)
        insert_row(ix, &row[i].event, "", row[i].dismissed);
    if (n) change(ix, commit);
    f->added |= n > 0;
    bool more = n == most && !ix->broken;
    if (!more && f->added) set_twins(ix);
    mem_free(row);
    return more;
}

void spool_index_fill_end(struct spool_index_filling *f)
{
    if (!f) return;
    for (int i = 0; i < N_FILLED; i++)
        mem_free(f->of[i].known);
    arena_free(f->arena);
    mem_free(f);
}

bool spool_index_is_usable(const struct spool_index *ix)
{
    return ix && !ix->broken;
}

/* Makes it agree with the folders, which are the truth. */
static void fill(struct spool_index *ix)
{
    struct spool_index_filling *f = spool_index_fill(ix);
    while (spool_index_fill_step(f, BATCH))
        continue;
    spool_index_fill_end(f);
}

static void close_db(struct spool_index *ix)
{
    sqlite3_finalize(ix->insert);
    sqlite3_close(ix->db);
    *ix = (struct spool_index){.spool = ix->spool, .code = ix->code};
}

static bool open_and_fill(struct spool_index *ix, bool rebuild)
{
    if (!open_db(ix) || (rebuild && !run(ix, "DELETE FROM document")))
        complain(ix);
    else
        fill(ix);
    return !ix->broken;
}

struct spool_index *spool_index_attach(struct spool *s)
{
    struct spool_index *ix = mem_alloc(1, sizeof *ix);
    ix->spool = s;
    if (open_db(ix)) return ix;
    complain(ix);
    spool_index_close(ix);
    return NULL;
}

struct spool_index *spool_index_open(struct spool *s, bool rebuild)
{
    struct spool_index *ix = mem_alloc(1, sizeof *ix);
    ix->spool = s;
    if (open_and_fill(ix, rebuild)) return ix;
    if (is_damaged(ix)) {
        close_db(ix);
        spool_sqlite_drop(s, "index.db");
        if (open_and_fill(ix, true)) return ix;
    }
    spool_index_close(ix);
    return NULL;
}

void spool_index_close(struct spool_index *ix)
{
    if (!ix) return;
    close_db(ix);
    mem_free(ix);
}

/* --- questions ---------------------------------------------------------- */

void spool_index_reasons(struct spool_index *ix,
                         void (*row)(void *arg, const char *code, int n),
                         void *arg)
{
    sqlite3_stmt *s = prepare(ix, "SELECT code, count(*) FROM document WHERE "
                                  "state='failed' GROUP BY code ORDER BY code");
    if (!s) return;
    while (sqlite3_step(s) == SQLITE_ROW)
        row(arg, spool_sqlite_text(s, 0), sqlite3_column_int(s, 1));
    sqlite3_finalize(s);
}

static void each_id(struct spool_index *ix, const char *question,
                    void (*row)(void *arg, const char *id), void *arg)
{
    sqlite3_stmt *s = prepare(ix, question);
    if (!s) return;
    while (sqlite3_step(s) == SQLITE_ROW)
        row(arg, spool_sqlite_text(s, 0));
    sqlite3_finalize(s);
}

void spool_index_doubtful(struct spool_index *ix,
                          void (*row)(void *arg, const char *id), void *arg)
{
    each_id(ix, "SELECT id FROM document WHERE state='done' AND warnings>0",
            row, arg);
}

static void each_row(sqlite3_stmt *s,
                     void (*row)(void *arg, const struct spool_index_row *row),
                     void *arg)
{
    while (sqlite3_step(s) == SQLITE_ROW)
        row(arg,
            &(struct spool_index_row){
                spool_sqlite_text(s, 0), spool_sqlite_text(s, 1),
                spool_sqlite_text(s, 2), spool_sqlite_text(s, 3),
                spool_sqlite_text(s, 4), sqlite3_column_double(s, 5),
                sqlite3_column_int(s, 6) != 0, spool_sqlite_text(s, 7),
                !strcmp(spool_sqlite_text(s, 8), "done"),
                sqlite3_column_int(s, 9) != 0, sqlite3_column_int(s, 10) != 0});
    sqlite3_finalize(s);
}

#define COLUMNS                                                           \
    "SELECT id,name,folder,code,twin,seconds,unread,schema,state,review," \
    "dismissed FROM document "

void spool_index_latest(struct spool_index *ix, int most,
                        void (*row)(void *arg,
                                    const struct spool_index_row *row),
                        void *arg)
{
    sqlite3_stmt *s = prepare(ix, COLUMNS "ORDER BY id DESC LIMIT ?");
    if (!s) return;
    sqlite3_bind_int(s, 1, most);
    each_row(s, row, arg);
}

void spool_index_list(struct spool_index *ix, bool failed,
                      void (*row)(void *arg, const struct spool_index_row *row),
                      void *arg)
{
    sqlite3_stmt *s = prepare(
        ix, failed ? COLUMNS "WHERE state='failed' ORDER BY id"
                   : COLUMNS "WHERE state='done' AND review<>0 ORDER BY id");
    if (s) each_row(s, row, arg);
}

/* A condition for each member of the query, in the order of their values. */
static void print_conditions(const struct spool_index_query *q, struct buf *sql)
{
    static const struct {
        const char *state, *text;
    } states[] = {/* all columns of the index, so that it has the order, too */
                  {"done", "state='done' AND review=0 AND dismissed=0"},
                  {"review", "state='done' AND review=1 AND dismissed=0"},
                  {"failed", "state='failed' AND review=0 AND dismissed=0"},
                  {"dismissed", "state='failed' AND review=0 AND dismissed=1"}};
    buf_add_text(sql, COLUMNS "WHERE 1");
    for (size_t i = 0; q->state && i < sizeof states / sizeof *states; i++)
        if (!strcmp(states[i].state, q->state))
            buf_print(sql, " AND %s", states[i].text);
}

/* Adds the condition if there is a value for it. */
static void add_condition(const char *value, const char *text, struct buf *sql,
                          const char **bound, int *n)
{
    if (!value || !*value) return;
    buf_print(sql, " AND %s", text);
    bound[(*n)++] = value;
}

#define VALUE(what)                                                  \
    "EXISTS(SELECT 1 FROM content WHERE content.id=document.id AND " \
    "instr(text," what "))"

static void add_word(const struct spool_index_word *w, struct buf *sql,
                     const char **bound, int *n)
{
    int text = *n + 1;
    bound[(*n)++] = w->text;
    buf_print(sql,
              " AND (instr(fold(name||' '||folder||' '||schema||' '||code),"
              "?%d) OR " VALUE("?%d"),
              text, text);
    if (*w->from) {
        buf_print(sql, " OR (id>=?%d AND id<?%d)", text + 1, text + 2);
        bound[(*n)++] = w->from;
        bound[(*n)++] = w->to;
    }
    buf_add_text(sql, ")");
}

void spool_index_find(struct spool_index *ix, const struct spool_index_query *q,
                      void (*row)(void *arg, const struct spool_index_row *row),
                      void *arg)
{
    struct buf sql = buf_limit(8192);
    const char *bound[8 + 3 * SPOOL_INDEX_WORDS];
    int n = 0;
    print_conditions(q, &sql);
    add_condition(q->schema, "schema=?", &sql, bound, &n);
    add_condition(q->code, "code=?", &sql, bound, &n);
    add_condition(q->name, "instr(fold(name),?)", &sql, bound, &n);
    add_condition(q->from, "id>=?", &sql, bound, &n);
    add_condition(q->to, "id<?", &sql, bound, &n);
    add_condition(q->before, "id<?", &sql, bound, &n);
    add_condition(q->id, "id=?", &sql, bound, &n);
    add_condition(q->value, VALUE("?"), &sql, bound, &n);
    for (int i = 0; i < q->n_word; i++)
        add_word(&q->word[i], &sql, bound, &n);
    buf_print(&sql, " ORDER BY id DESC LIMIT %d", q->most);
    sqlite3_stmt *s = prepare(ix, buf_span(&sql).data);
    for (int i = 0; s && i < n; i++)
        spool_sqlite_bind(s, i + 1, bound[i]);
    if (s) each_row(s, row, arg);
    buf_free(&sql);
}

void spool_index_count(struct spool_index *ix, const char *today,
                       struct spool_index_counts *n)
{
    *n = (struct spool_index_counts){0};
    sqlite3_stmt *s = prepare(
        ix, "SELECT state, review, dismissed, count(*), sum(id>=?) FROM "
            "document GROUP BY state, review, dismissed");
    if (!s) return;
    spool_sqlite_bind(s, 1, today);
    while (sqlite3_step(s) == SQLITE_ROW) {
        bool done = !strcmp(spool_sqlite_text(s, 0), "done");
        int count = sqlite3_column_int(s, 3);
        if (done && sqlite3_column_int(s, 1))
            n->review += count;
        else if (done) {
            n->done += count;
            n->today += sqlite3_column_int(s, 4);
        } else if (sqlite3_column_int(s, 2))
            n->dismissed += count;
        else
            n->failed += count;
    }
    sqlite3_finalize(s);
}

/* --- one document ------------------------------------------------------- */

static void run_bound(struct spool_index *ix, const char *sql, const char *one,
                      const char *two)
{
    sqlite3_stmt *s = prepare(ix, sql);
    if (!s) return;
    spool_sqlite_bind(s, 1, one);
    if (two) spool_sqlite_bind(s, 2, two);
    if (sqlite3_step(s) != SQLITE_DONE) complain(ix);
    sqlite3_finalize(s);
}

struct known_row {
    bool is_there, done, dismissed;
};

static void note_known(void *arg, const struct spool_index_row *row)
{
    *(struct known_row *)arg =
        (struct known_row){true, row->done, row->dismissed};
}

void spool_index_refresh(struct spool_index *ix, const char *id, bool reviewed)
{
    struct event e;
    struct known_row known = {0};
    char twin[SPOOL_ID_SIZE], *gone[] = {(char *)(uintptr_t)id};
    if (!ix || ix->broken) return;
    int fd = spool_folder_fd(ix->spool, SPOOL_DONE, id);
    bool done = fd >= 0;
    if (!done) fd = spool_folder_fd(ix->spool, SPOOL_FAILED, id);
    struct spool_index_query q = {.id = id, .most = 1};
    spool_index_find(ix, &q, note_known, &known);
    if (fd < 0) {
        if (known.is_there) spool_index_forget(ix, gone, 1);
        return;
    }
    if (!known.is_there || known.done != done) {
        read_outcome(fd, id, done, &e);
        spool_index_put(ix, &e, twin);
        known = (struct known_row){true, done, false};
    }
    bool dismissed = !done && spool_exists(fd, SPOOL_DISMISSED);
    close(fd);
    if (dismissed != known.dismissed)
        run_bound(ix, "UPDATE document SET dismissed=NOT dismissed WHERE id=?",
                  id, NULL);
    if (reviewed)
        run_bound(ix, "UPDATE document SET review=0 WHERE id=?", id, NULL);
}

char **spool_index_unread(struct spool_index *ix, const char *before, int most,
                          struct arena *arena)
{
    char **list = NULL;
    size_t n = 0;
    sqlite3_stmt *s =
        prepare(ix, "SELECT id FROM document WHERE +state='done' AND id<? AND "
                    "NOT EXISTS(SELECT 1 FROM content WHERE "
                    "content.id=document.id) ORDER BY id DESC LIMIT ?");
    if (s) spool_sqlite_bind(s, 1, *before ? before : "~");
    if (s) sqlite3_bind_int(s, 2, most);
    while (s && sqlite3_step(s) == SQLITE_ROW)
        *ARENA_ADD(arena, list, n) =
            arena_copy(arena, span_of(spool_sqlite_text(s, 0)));
    sqlite3_finalize(s);
    *ARENA_ADD(arena, list, n) = NULL;
    return list;
}

void spool_index_set_values(struct spool_index *ix, const char *id,
                            const char *text)
{
    run_bound(ix, "INSERT OR REPLACE INTO content(id,text) VALUES(?,?)", id,
              text);
}
