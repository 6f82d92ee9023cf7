/* spool_archive.c - see spool_archive.h. */
#include "pipeline/spool/spool_archive.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/durable.h"
#include "pipeline/spool/spool_sqlite.h"
#include "stages/stages.h"
#include "vlm/base/file_map.h"
#include "vlm/base/hash.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

#define DATABASE "archive.db"
#define JOURNAL  "archive.jsonl"

enum { WAIT_MS = 5000, POLL_MS = 20, PREPARED_MOST = 32 };

struct prepared {
    const char *sql; /* a literal: its address tells it */
    sqlite3_stmt *statement;
};

/* A schema that records name. */
struct known_schema {
    struct known_schema *next;
    const char *name;
    struct schema *schema; /* NULL: there is none any more */
    struct earlier_questions q;
};

struct spool_archive {
    struct spool *spool;
    const struct config *config;
    bool waits, damaged;
    sqlite3 *db;
    struct prepared prepared[PREPARED_MOST];
    int n_prepared;
    struct arena *arena;
    struct known_schema *schema;
};

static const char *const layout =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA temp_store=MEMORY;"
    "PRAGMA synchronous=FULL;" /* a document that it lost would be missed */
    "CREATE TABLE IF NOT EXISTS document("
    " seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " schema TEXT NOT NULL, pruned INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS value("
    " key TEXT NOT NULL, sender TEXT NOT NULL, value TEXT NOT NULL,"
    " seq INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,"
    " PRIMARY KEY(key, sender, value, seq)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS value_seq ON value(seq);"
    "CREATE INDEX IF NOT EXISTS value_sender ON value(sender);"
    "CREATE TABLE IF NOT EXISTS forgotten("
    " sender TEXT PRIMARY KEY, before TEXT NOT NULL) WITHOUT ROWID;"
    /* the questions that the records of a schema were read for; "": the journal
     * was read */
    "CREATE TABLE IF NOT EXISTS filled("
    " schema TEXT PRIMARY KEY, questions TEXT NOT NULL) WITHOUT ROWID;";

/* --- statements ----------------------------------------------------------- */

static void fail(struct spool_archive *a, struct err *err)
{
    int code = a->db ? sqlite3_errcode(a->db) : SQLITE_CANTOPEN;
    if (err_failed(err)) return;
    err_reason(err, ERR_SYSTEM, "disk", "%s: %s", DATABASE,
               a->db ? sqlite3_errmsg(a->db) : "cannot be opened");
    /* derived: the next one is made anew */
    a->damaged = spool_sqlite_is_damaged(code);
    if (a->damaged) spool_sqlite_drop(a->spool, DATABASE);
}

static void run(struct spool_archive *a, const char *sql, struct err *err)
{
    if (!err_failed(err) && !spool_sqlite_run(a->db, sql)) fail(a, err);
}

/* The statement of this literal, prepared once. */
static sqlite3_stmt *prepare(struct spool_archive *a, const char *sql,
                             struct err *err)
{
    struct prepared *p = a->prepared;
    while (p < a->prepared + a->n_prepared && p->sql != sql)
        p++;
    if (p < a->prepared + a->n_prepared) return p->statement;
    assert(a->n_prepared < PREPARED_MOST);
    p->sql = sql;
    if (sqlite3_prepare_v2(a->db, sql, -1, &p->statement, NULL) != SQLITE_OK) {
        fail(a, err);
        return NULL;
    }
    a->n_prepared++;
    return p->statement;
}

enum { TEXT_MOST = 6 };

/* Begins the statement with the texts (up to NULL) as its first values. */
static sqlite3_stmt *ask(struct spool_archive *a, const char *sql,
                         const char *const text[TEXT_MOST], struct err *err)
{
    sqlite3_stmt *s = err_failed(err) ? NULL : prepare(a, sql, err);
    for (int i = 0; s && i < TEXT_MOST && text[i]; i++)
        spool_sqlite_bind(s, i + 1, text[i]);
    return s;
}

/* The next row; at the end, or on failure, false and the statement is over. */
static bool next_row(struct spool_archive *a, sqlite3_stmt *s, struct err *err)
{
    if (!s) return false;
    int code = err_failed(err) ? SQLITE_DONE : sqlite3_step(s);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail(a, err);
    sqlite3_reset(s);
    return false;
}

#define TEXTS(...)                 \
    (const char *const[TEXT_MOST]) \
    {                              \
        __VA_ARGS__                \
    }

/* Runs a statement that has no rows. */
static void tell(struct spool_archive *a, const char *sql,
                 const char *const text[TEXT_MOST], struct err *err)
{
    sqlite3_stmt *s = ask(a, sql, text, err);
    while (next_row(a, s, err))
        continue;
}

/* The first column of the first row; 0: there is none. */
static long long ask_number(struct spool_archive *a, const char *sql,
                            const char *const text[TEXT_MOST], struct err *err)
{
    sqlite3_stmt *s = ask(a, sql, text, err);
    if (!next_row(a, s, err)) return 0;
    long long found = sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    return found;
}

/* --- the journal ------------------------------------------------------------ */

/* The file has names and accounts: for its owner only. */
static int open_journal(struct spool_archive *a, const char *name, int flags,
                        struct err *err)
{
    int fd = openat(a->spool->root, name,
                    flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) durable_fail(err, "cannot open", name);
    return fd;
}

static void write_all(int fd, struct span text, struct err *err)
{
    for (size_t n = 0; n < text.size && !err_failed(err);) {
        ssize_t put = write(fd, text.data + n, text.size - n);
        if (put > 0)
            n += (size_t)put;
        else if (put == 0 || errno != EINTR)
            durable_fail(err, "cannot write", JOURNAL);
    }
}

/* Appends a line, durably. A line that a crash left incomplete is ended first, and
 * is ignored as it does not parse. */
static void append_journal(struct spool_archive *a, const cJSON *line,
                           struct err *err)
{
    struct buf text = buf_limit(1 << 24);
    char last = '\n';
    int fd =
        err_failed(err) ? -1 : open_journal(a, JOURNAL, O_RDWR | O_APPEND, err);
    off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
        durable_fail(err, "cannot read", JOURNAL);
    if (last != '\n') buf_add_text(&text, "\n");
    json_print(&text, line, 0);
    buf_add_text(&text, "\n");
    if (fd >= 0) write_all(fd, buf_span(&text), err);
    if (fd >= 0 && !err_failed(err)) durable_sync(a->spool, fd, JOURNAL, err);
    if (fd >= 0) close(fd);
    if (end == 0 && !err_failed(err))
        durable_sync(a->spool, a->spool->root, JOURNAL, err);
    buf_free(&text);
}

/* Calls `one` with each line of the journal. */
static void each_line(struct spool_archive *a,
                      void (*one)(void *arg, cJSON *line, struct err *err),
                      void *arg, struct err *err)
{
    struct buf path = buf_limit(4200);
    buf_print(&path, "%s/%s", a->spool->path, JOURNAL);
    struct span all = {"", 0};
    struct stat st;
    /* one that a crash left empty is none */
    bool there = !fstatat(a->spool->root, JOURNAL, &st, AT_SYMLINK_NOFOLLOW) &&
                 st.st_size > 0;
    if (there && !err_failed(err)) all = file_map_open(path.data, err);
    const char *at = all.data, *end = at + all.size;
    for (int n = 1; at < end && !err_failed(err); n++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct err own = {0};
        if (!stop) stop = end;
        cJSON *line = json_parse((struct span){at, (size_t)(stop - at)}, &own);
        if (line)
            one(arg, line, err);
        else
            log_warn("%s, line %d: is not complete, and is ignored", JOURNAL,
                     n);
        cJSON_Delete(line);
        at = stop + 1;
    }
    if (there) file_map_close(all);
    buf_free(&path);
}

/* --- notes ------------------------------------------------------------------- */

/* The same for all of its spellings, and does not say who it is. */
static struct hash hash_of(const char *sender)
{
    return hash_bytes(span_of(sender));
}

static bool is_forgotten(struct spool_archive *a, const char *sender,
                         const char *id, struct err *err)
{
    struct hash hash = hash_of(sender);
    return ask_number(a, "SELECT 1 FROM forgotten WHERE sender=? AND before>?",
                      TEXTS(hash.hex, id), err);
}

/* The number of the document, in the order in which they were noted; what was noted
 * of it goes. */
static long long begin_document(struct spool_archive *a, const char *id,
                                const char *schema, bool pruned,
                                struct err *err)
{
    tell(a, "INSERT OR IGNORE INTO document(id,schema,pruned) VALUES(?,?,0)",
         TEXTS(id, schema), err);
    if (pruned)
        tell(a, "UPDATE document SET pruned=1 WHERE id=?", TEXTS(id), err);
    tell(a, "DELETE FROM value WHERE seq=(SELECT seq FROM document WHERE id=?)",
         TEXTS(id), err);
    return ask_number(a, "SELECT seq FROM document WHERE id=?", TEXTS(id), err);
}

static void add_value(struct spool_archive *a, long long seq, const char *key,
                      const struct earlier_value *v, struct err *err)
{
    sqlite3_stmt *s =
        ask(a,
            "INSERT OR IGNORE INTO "
            "value(key,sender,value,name,text,seq) "
            "VALUES(?,?,?,?,?,?)",
            TEXTS(key, v->sender, v->value, v->name, v->text), err);
    if (s) sqlite3_bind_int64(s, 6, seq);
    while (next_row(a, s, err))
        continue;
}

/* Notes those of the document that do not differ from earlier ones. */
static void put(struct spool_archive *a, long long seq, const char *id,
                const struct earlier_questions *q,
                const struct earlier_values *values, struct err *err)
{
    for (int i = 0; i < values->n && !err_failed(err); i++) {
        const struct earlier_value *v = &values->value[i];
        if (!v->differs && !is_forgotten(a, v->sender, id, err))
            add_value(a, seq, q->question[v->question].key, v, err);
    }
}

/* Only a reviewed document whose words are kept is an example. */
static void drop_examples(const struct earlier_questions *q,
                          struct earlier_values *values)
{
    int n = 0;
    for (int i = 0; i < values->n; i++)
        if (!q->question[values->value[i].question].example)
            values->value[n++] = values->value[i];
    values->n = n;
}

static void copy_text(char out[static EARLIER_TEXT], const cJSON *row,
                      const char *key)
{
    snprintf(out, EARLIER_TEXT, "%s", json_get_text_or_empty(row, key));
}

/* A line of the journal: {id, schema, values: [{key, sender, value, name, text}]}
 * or {forgotten, before}. */
static void replay_line(void *arg, cJSON *line, struct err *err)
{
    struct spool_archive *a = arg;
    const char *sender = json_get_text(line, "forgotten");
    const char *id = json_get_text_or_empty(line, "id");
    const cJSON *row = NULL;
    if (sender)
        tell(a, "INSERT OR REPLACE INTO forgotten(sender,before) VALUES(?,?)",
             TEXTS(sender, json_get_text_or_empty(line, "before")), err);
    if (!spool_is_id(id)) return;
    long long seq = begin_document(
        a, id, json_get_text_or_empty(line, "schema"), true, err);
    cJSON_ArrayForEach(row, json_get(line, "values"))
    {
        struct earlier_value v = {.question = 0};
        copy_text(v.sender, row, "sender");
        copy_text(v.value, row, "value");
        copy_text(v.name, row, "name");
        copy_text(v.text, row, "text");
        add_value(a, seq, json_get_text_or_empty(row, "key"), &v, err);
    }
}

/* --- the records in done/ ----------------------------------------------------- */

static struct known_schema *known_schema(struct spool_archive *a,
                                         const char *name)
{
    struct err err = {0};
    const char *prompt;
    struct run_context context = {.settings = &a->config->stage};
    for (struct known_schema *k = a->schema; k; k = k->next)
        if (!strcmp(k->name, name)) return k;
    struct known_schema *k = arena_alloc(a->arena, sizeof *k);
    k->name = arena_copy(a->arena, span_of(name));
    k->schema = stages_load_schema(name, &context, a->arena, &prompt, &err);
    if (k->schema) k->q = earlier_questions_of(k->schema, a->arena);
    k->next = a->schema;
    a->schema = k;
    return k;
}

/* The values of a record, of a folder, in the arena. NULL: there are none. */
static const struct known_schema *values_of(struct spool_archive *a, int fd,
                                            const cJSON *record, bool reviewed,
                                            const char *only,
                                            struct earlier_values *values,
                                            struct arena *arena)
{
    const char *name =
        json_get_text_or_empty(json_get(record, "schema"), "name");
    bool asked = *name && (!only || !strcmp(name, only));
    const struct known_schema *k = asked ? known_schema(a, name) : NULL;
    *values = (struct earlier_values){.n = 0};
    if (k) *values = earlier_values_of(&k->q, record, reviewed, arena);
    if (k && !spool_exists(fd, SPOOL_WORDS)) drop_examples(&k->q, values);
    return k && k->q.n ? k : NULL;
}

/* The same of a record in done/. */
static const struct known_schema *read_values(struct spool_archive *a, int fd,
                                              const char *only,
                                              struct earlier_values *values,
                                              struct arena *arena)
{
    struct corrected_record_review review = {.n_line = 0};
    struct err err = {0};
    cJSON *record = corrected_record_record(fd, a->config, &review, &err);
    const struct known_schema *k =
        values_of(a, fd, record, review.reviewed, only, values, arena);
    cJSON_Delete(record);
    return k;
}

static const char *print_questions(const struct earlier_questions *q,
                                   struct arena *arena)
{
    struct buf text = buf_limit(1 << 20);
    for (int i = 0; i < q->n; i++)
        buf_print(&text, "%s\n", q->question[i].key);
    const char *all = arena_copy(arena, buf_span(&text));
    buf_free(&text);
    return all;
}

static void set_filled(struct spool_archive *a, const char *schema,
                       const char *questions, struct err *err)
{
    tell(a, "INSERT OR REPLACE INTO filled(schema,questions) VALUES(?,?)",
         TEXTS(schema, questions), err);
}

/* Reads the records of the schema; NULL: of all that ask. */
static void read_done(struct spool_archive *a, const char *only,
                      struct err *err)
{
    struct arena *list = arena_new(), *arena = arena_new();
    char **id = err_failed(err)
                    ? NULL
                    : spool_list(a->spool, SPOOL_DONE, list, NULL, err);
    for (; id && *id && !err_failed(err); id++) {
        struct earlier_values values;
        int fd = spool_folder_fd(a->spool, SPOOL_DONE, *id);
        const struct known_schema *k =
            fd < 0 ? NULL : read_values(a, fd, only, &values, arena);
        if (k)
            put(a, begin_document(a, *id, k->name, false, err), *id, &k->q,
                &values, err);
        if (fd >= 0) close(fd);
        arena_reset(arena);
    }
    arena_free(arena);
    arena_free(list);
}

/* Reads the records of the schema unless it was done for these questions. */
static void fill(struct spool_archive *a, const char *schema,
                 const struct earlier_questions *q, struct err *err)
{
    struct arena *arena = arena_new();
    const char *now = print_questions(q, arena);
    bool filled =
        ask_number(a, "SELECT 1 FROM filled WHERE schema=? AND questions=?",
                   TEXTS(schema, now), err);
    if (!err_failed(err) && !filled) {
        tell(a,
             "DELETE FROM value WHERE seq IN (SELECT seq FROM document WHERE "
             "schema=? AND pruned=0)",
             TEXTS(schema), err);
        read_done(a, schema, err);
        set_filled(a, schema, now, err);
    }
    arena_free(arena);
}

/* --- opening -------------------------------------------------------------------- */

/* Other processes write for milliseconds, or for minutes while they read all of
 * done/. */
static int wait_for_others(void *arg, int times)
{
    const struct spool_archive *a = arg;
    if (!a->waits && times * POLL_MS > WAIT_MS) return 0;
    sqlite3_sleep(POLL_MS);
    return 1;
}

/* The handle is closed. */
static void close_db(struct spool_archive *a)
{
    while (a->n_prepared)
        sqlite3_finalize(a->prepared[--a->n_prepared].statement);
    sqlite3_close(a->db);
    a->db = NULL;
}

static void open_once(struct spool_archive *a, struct err *err)
{
    if (!spool_sqlite_open(a->spool, DATABASE, &a->db)) fail(a, err);
    if (a->db) sqlite3_busy_handler(a->db, wait_for_others, a);
    run(a, layout, err);
    if (err_failed(err)) close_db(a);
}

/* Opens it unless it is open; a damaged one is replaced. */
static void open_db(struct spool_archive *a, struct err *err)
{
    struct err first = {0};
    if (err_failed(err) || a->db) return;
    a->damaged = false;
    open_once(a, &first);
    if (a->damaged)
        open_once(a, err);
    else if (err_failed(&first))
        *err = first;
}

/* A transaction; a new database begins with the journal. */
static void begin(struct spool_archive *a, struct err *err)
{
    open_db(a, err);
    run(a, "BEGIN IMMEDIATE", err);
    if (err_failed(err) ||
        ask_number(a, "SELECT 1 FROM filled WHERE schema=''", TEXTS(NULL), err))
        return;
    each_line(a, replay_line, a, err);
    set_filled(a, "", "", err);
}

static void undo(struct spool_archive *a, struct err *err)
{
    if (err_failed(err) && a->db) spool_sqlite_run(a->db, "ROLLBACK");
}

void spool_archive_commit(struct spool_archive *a, struct err *err)
{
    run(a, "COMMIT", err);
    undo(a, err);
}

struct spool_archive *spool_archive_new(struct spool *s,
                                        const struct config *config, bool waits)
{
    struct spool_archive *a = mem_alloc(1, sizeof *a);
    *a = (struct spool_archive){
        .spool = s, .config = config, .waits = waits, .arena = arena_new()};
    return a;
}

void spool_archive_free(struct spool_archive *a)
{
    if (!a) return;
    close_db(a);
    for (struct known_schema *k = a->schema; k; k = k->next)
        schema_free(k->schema);
    arena_free(a->arena);
    mem_free(a);
}

/* --- comparing -------------------------------------------------------------------- */

struct comparing {
    struct spool_archive *a;
    struct arena *arena;
    long long seq; /* of the document: those before it count */
    struct err *err;
};

/* A value of an earlier document. */
struct earlier_row {
    char id[SPOOL_ID_SIZE], value[EARLIER_TEXT], text[EARLIER_TEXT];
};

/* A document that a person took from the spool is no longer known. */
static bool is_gone(struct spool_archive *a, const char *id, bool pruned)
{
    return !pruned && !spool_exists(a->spool->place[SPOOL_DONE], id) &&
           !spool_exists(a->spool->place[SPOOL_WORK], id);
}

/* The first with the same value. */
static const char same_row[] =
    "SELECT id,pruned,value,text FROM value JOIN document USING(seq) WHERE "
    "seq<?1 AND key=?2 AND sender=?3 AND value=?4 ORDER BY seq LIMIT 1";
/* The latest with another value, found in the index alone. */
static const char other_row[] =
    "SELECT id,pruned,value,text FROM value JOIN document USING(seq) WHERE "
    "seq=(SELECT max(seq) FROM value WHERE seq<?1 AND key=?2 AND sender=?3 "
    "AND value<>?4) AND +key=?2 AND +sender=?3";

/* The first row of a statement with the values seq, key, sender, value whose
 * document is still known. */
static bool find_row(const struct comparing *c, const char *sql,
                     const char *key, const struct earlier_value *v,
                     struct earlier_row *row)
{
    for (;;) {
        sqlite3_stmt *s = ask(c->a, sql, TEXTS(NULL), c->err);
        if (!s) return false;
        sqlite3_bind_int64(s, 1, c->seq);
        spool_sqlite_bind(s, 2, key);
        spool_sqlite_bind(s, 3, v->sender);
        spool_sqlite_bind(s, 4, v->value);
        if (!next_row(c->a, s, c->err)) return false;
        snprintf(row->id, sizeof row->id, "%s", spool_sqlite_text(s, 0));
        bool gone = is_gone(c->a, row->id, sqlite3_column_int(s, 1));
        snprintf(row->value, EARLIER_TEXT, "%s", spool_sqlite_text(s, 2));
        snprintf(row->text, EARLIER_TEXT, "%s", spool_sqlite_text(s, 3));
        sqlite3_reset(s);
        if (!gone) return true;
        tell(c->a,
             "DELETE FROM value WHERE seq=(SELECT seq FROM document WHERE "
             "id=?)",
             TEXTS(row->id), c->err);
        if (err_failed(c->err)) return false;
    }
}

static const char *find_duplicate(const struct comparing *c,
                                  const struct earlier_question *q,
                                  const struct earlier_value *v)
{
    struct earlier_row row;
    struct buf text = buf_limit(4096);
    if (!find_row(c, same_row, q->key, v, &row)) return NULL;
    buf_print(&text, "document %s has the same", row.id);
    for (int i = 0; i < q->n_pointer; i++)
        buf_print(&text, "%s %s", i ? "," : "", q->pointer[i]);
    const char *said = arena_copy(c->arena, buf_span(&text));
    buf_free(&text);
    return said;
}

/* "2026-11-29" of an id. */
#define DAY(id)  (id), (id) + 4, (id) + 6
#define DAY_FORM "%.4s-%.2s-%.2s"

/* How often and since when earlier documents have the row's value. */
static const char *describe(const struct comparing *c,
                            const struct earlier_question *q,
                            const struct earlier_value *v,
                            const struct earlier_row *row)
{
    const char *said = NULL;
    sqlite3_stmt *s = ask(c->a,
                          "SELECT n,id FROM (SELECT count(*) AS n,min(seq) AS "
                          "first FROM value WHERE key=? AND sender=? AND "
                          "value=? AND seq<?) JOIN document ON seq=first",
                          TEXTS(q->key, v->sender, row->value), c->err);
    if (s) sqlite3_bind_int64(s, 4, c->seq);
    if (next_row(c->a, s, c->err)) {
        long long n = sqlite3_column_int64(s, 0);
        said = arena_text(
            c->arena,
            "\"%s\" differs from \"%s\", which %lld earlier document%s "
            "of \"%s\" %s since " DAY_FORM " (the last is %s)",
            v->text, row->text, n, n == 1 ? "" : "s", v->name,
            n == 1 ? "has" : "have", DAY(spool_sqlite_text(s, 1)), row->id);
        sqlite3_reset(s);
    }
    return said;
}

/* Is it a value that no earlier document of the sender has, while there are
 * others? */
static const char *find_change(const struct comparing *c,
                               const struct earlier_question *q,
                               const struct earlier_value *v)
{
    struct earlier_row row;
    if (find_row(c, same_row, q->key, v, &row) ||
        !find_row(c, other_row, q->key, v, &row))
        return NULL;
    return describe(c, q, v, &row);
}

/* What other documents say of the value; NULL: nothing. */
static const char *find(const struct comparing *c,
                        const struct earlier_questions *q,
                        const struct earlier_value *v)
{
    const struct earlier_question *of = &q->question[v->question];
    return of->example  ? NULL
           : of->unique ? find_duplicate(c, of, v)
                        : find_change(c, of, v);
}

struct earlier_finding *spool_archive_compare(
    struct spool_archive *a, const char *id, const struct schema *schema,
    const struct earlier_questions *q, struct earlier_values *values,
    struct arena *arena, int *n_finding, struct err *err)
{
    struct earlier_finding *all = NULL;
    struct comparing c = {.a = a, .arena = arena, .err = err};
    *n_finding = 0;
    if (err_failed(err)) return NULL;
    drop_examples(q, values);
    begin(a, err);
    fill(a, schema_name(schema), q, err);
    c.seq = begin_document(a, id, schema_name(schema), false, err);
    for (int i = 0; i < values->n && !err_failed(err); i++) {
        struct earlier_value *v = &values->value[i];
        const struct earlier_question *of = &q->question[v->question];
        const char *text = find(&c, q, v);
        if (!text) continue;
        v->differs = !of->unique;
        *ARENA_ADD(arena, all, *n_finding) =
            (struct earlier_finding){.question = of, .text = text};
    }
    put(a, c.seq, id, q, values, err);
    undo(a, err);
    return all;
}

/* --- examples ---------------------------------------------------------------------- */

void spool_archive_fill(struct spool_archive *a, const struct schema *schema,
                        const struct earlier_questions *q, struct err *err)
{
    if (err_failed(err)) return;
    begin(a, err);
    fill(a, schema_name(schema), q, err);
    spool_archive_commit(a, err);
}

int spool_archive_examples(struct spool_archive *a,
                           const struct earlier_question *q, const char *sender,
                           char (*id)[SPOOL_ID_SIZE], int most, struct err *err)
{
    int n = 0;
    if (err_failed(err)) return 0;
    sqlite3_stmt *s = ask(a,
                          "SELECT id FROM value JOIN document USING(seq) WHERE "
                          "key=? AND sender=? AND value='' ORDER BY seq DESC",
                          TEXTS(q->key, sender), err);
    while (n < most && next_row(a, s, err))
        snprintf(id[n++], SPOOL_ID_SIZE, "%s", spool_sqlite_text(s, 0));
    if (s) sqlite3_reset(s);
    return n;
}

/* --- documents in done/ ------------------------------------------------------------ */

/* Was the value compared when the document was read? */
static bool was_compared(const struct earlier_values *read,
                         const struct earlier_value *v)
{
    for (int i = 0; i < read->n; i++) {
        const struct earlier_value *old = &read->value[i];
        if (old->question == v->question && !strcmp(old->sender, v->sender) &&
            !strcmp(old->value, v->value))
            return true;
    }
    return false;
}

/* Adds a line about the value, unless there is one. False: there is. */
static bool add_line(cJSON *lines, const struct spool_archive_corrected *c,
                     const struct earlier_finding *found)
{
    cJSON *line = earlier_warning(found);
    const char *pointer = json_get_text(line, "pointer");
    const char *code = json_get_text(line, "code");
    const cJSON *now = json_pointer_find(json_get(c->record, "data"), pointer);
    const cJSON *each = NULL;
    cJSON_ArrayForEach(each, c->line)
    {
        const cJSON *old = json_get(each, "old");
        bool same = !strcmp(json_get_text_or_empty(each, "code"), code) &&
                    !strcmp(json_get_text_or_empty(each, "pointer"), pointer);
        if (!same || !old || !now || !json_equal(old, now)) continue;
        cJSON_Delete(line);
        return false;
    }
    cJSON_AddItemToObject(line, "old", cJSON_Duplicate(now, true));
    cJSON_AddStringToObject(line, "who", "platen");
    json_add_now(line, "when");
    cJSON_AddItemToArray(lines, line);
    return true;
}

cJSON *spool_archive_learn(struct folder *f,
                           const struct spool_archive_corrected *c,
                           const struct config *config, struct err *err)
{
    struct earlier_values values;
    if (err_failed(err) || !spool_exists(f->spool->root, DATABASE)) return NULL;
    cJSON *lines = cJSON_CreateArray();
    struct spool_archive *a = spool_archive_new(f->spool, config, false);
    const struct known_schema *k =
        values_of(a, f->fd, c->record, c->reviewed, NULL, &values, a->arena);
    if (k) {
        struct comparing all = {a, a->arena, LLONG_MAX, err};
        struct earlier_values read =
            earlier_values_of(&k->q, c->read, false, a->arena);
        begin(a, err);
        long long seq = begin_document(a, f->id, k->name, false, err);
        for (int i = 0; i < values.n && !err_failed(err); i++) {
            struct earlier_value *v = &values.value[i];
            const struct earlier_finding found = {
                &k->q.question[v->question],
                was_compared(&read, v) ? NULL : find(&all, &k->q, v)};
            if (found.text) v->differs = add_line(lines, c, &found);
        }
        put(a, seq, f->id, &k->q, &values, err);
        spool_archive_commit(a, err);
    }
    spool_archive_free(a);
    return lines;
}

static cJSON *journal_line(const char *id, const struct known_schema *k)
{
    cJSON *line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "id", id);
    cJSON_AddStringToObject(line, "schema", k->name);
    cJSON_AddArrayToObject(line, "values");
    return line;
}

static void add_journal_value(cJSON *line, const char *key,
                              const struct earlier_value *v)
{
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "key", key);
    cJSON_AddStringToObject(row, "sender", v->sender);
    cJSON_AddStringToObject(row, "value", v->value);
    cJSON_AddStringToObject(row, "name", v->name);
    cJSON_AddStringToObject(row, "text", v->text);
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(line, "values"), row);
}

void spool_archive_keep(struct spool_archive *a, const struct folder *f,
                        struct err *err)
{
    struct earlier_values values;
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    const struct known_schema *k = read_values(a, f->fd, NULL, &values, arena);
    if (k) drop_examples(&k->q, &values); /* its words go */
    if (k && values.n) {
        cJSON *line = journal_line(f->id, k);
        begin(a, err);
        for (int i = 0; i < values.n; i++) {
            const struct earlier_value *v = &values.value[i];
            if (!v->differs && !is_forgotten(a, v->sender, f->id, err))
                add_journal_value(line, k->q.question[v->question].key, v);
        }
        if (!err_failed(err)) append_journal(a, line, err);
        put(a, begin_document(a, f->id, k->name, true, err), f->id, &k->q,
            &values, err);
        spool_archive_commit(a, err);
        cJSON_Delete(line);
    }
    arena_free(arena);
}

void spool_archive_rebuild(struct spool_archive *a, struct err *err)
{
    if (err_failed(err)) return;
    begin(a, err);
    run(a,
        "DELETE FROM value; DELETE FROM document; DELETE FROM forgotten; "
        "DELETE FROM filled",
        err);
    each_line(a, replay_line, a, err);
    set_filled(a, "", "", err);
    read_done(a, NULL, err);
    for (struct known_schema *k = a->schema; k; k = k->next)
        if (k->q.n)
            set_filled(a, k->name, print_questions(&k->q, a->arena), err);
    spool_archive_commit(a, err);
}

/* --- forgetting ---------------------------------------------------------------------- */

struct forgetting {
    const char *sender; /* folded */
    struct buf out;
};

/* Copies the line without the sender's values. */
static void copy_others(void *arg, cJSON *line, struct err *err)
{
    struct forgetting *f = arg;
    cJSON *values = cJSON_GetObjectItemCaseSensitive(line, "values");
    cJSON *next = NULL;
    (void)err;
    for (cJSON *row = values ? values->child : NULL; row; row = next) {
        next = row->next;
        if (!strcmp(json_get_text_or_empty(row, "sender"), f->sender))
            cJSON_Delete(cJSON_DetachItemViaPointer(values, row));
    }
    if (values && !values->child) return;
    json_print(&f->out, line, 0);
    buf_add_text(&f->out, "\n");
}

static void print_tombstone(struct buf *out, const char *hex,
                            const char *before)
{
    cJSON *line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "forgotten", hex);
    cJSON_AddStringToObject(line, "before", before);
    json_print(out, line, 0);
    buf_add_text(out, "\n");
    cJSON_Delete(line);
}

/* Replaces the journal, durably. */
static void write_journal(struct spool_archive *a, struct span text,
                          struct err *err)
{
    static const char tmp[] = JOURNAL ".tmp";
    struct folder root = {a->spool, JOURNAL, a->spool->root};
    if (err_failed(err)) return;
    int fd = open_journal(a, tmp, O_WRONLY | O_TRUNC, err);
    if (fd < 0) return;
    write_all(fd, text, err);
    if (!err_failed(err)) durable_sync(a->spool, fd, tmp, err);
    close(fd);
    spool_keep_tmp(&root, JOURNAL, err);
}

int spool_archive_forget(struct spool_archive *a, const char *name,
                         struct err *err)
{
    char sender[EARLIER_TEXT], now[SPOOL_ID_SIZE];
    struct forgetting f = {.sender = sender};
    if (err_failed(err)) return 0;
    f.out = buf_limit(1 << 30);
    earlier_fold(name, sender);
    spool_make_id(now);
    struct hash hash = hash_of(sender);
    begin(a, err);
    long long n =
        ask_number(a, "SELECT count(DISTINCT seq) FROM value WHERE sender=?",
                   TEXTS(sender), err);
    each_line(a, copy_others, &f, err);
    print_tombstone(&f.out, hash.hex, now);
    if (f.out.full && !err_failed(err))
        err_set(err, ERR_LIMIT, "%s is larger than 1 GiB", JOURNAL);
    write_journal(a, buf_span(&f.out), err);
    tell(a, "DELETE FROM value WHERE sender=?", TEXTS(sender), err);
    tell(a, "INSERT OR REPLACE INTO forgotten(sender,before) VALUES(?,?)",
         TEXTS(hash.hex, now), err);
    spool_archive_commit(a, err);
    buf_free(&f.out);
    return (int)n;
}

/* --- listing --------------------------------------------------------------------------- */

void spool_archive_list(struct spool_archive *a, const char *name,
                        void (*row)(void *arg,
                                    const struct spool_archive_row *row),
                        void *arg, struct err *err)
{
    char sender[EARLIER_TEXT] = "";
    if (err_failed(err)) return;
    if (name) earlier_fold(name, sender);
    begin(a, err);
    spool_archive_commit(a, err); /* nobody waits for the reader of the list */
    sqlite3_stmt *s =
        name ? ask(a,
                   "SELECT max(name),key,text,count(DISTINCT seq),min(id),"
                   "max(id) FROM value JOIN document USING(seq) WHERE sender=? "
                   "GROUP BY key,CASE text WHEN '' THEN '' ELSE value END "
                   "ORDER BY key,max(id)",
                   TEXTS(sender), err)
             : ask(a,
                   "SELECT max(name),'','',count(DISTINCT seq),min(id),max(id) "
                   "FROM value JOIN document USING(seq) GROUP BY sender "
                   "ORDER BY sender",
                   TEXTS(NULL), err);
    while (next_row(a, s, err))
        row(arg, &(struct spool_archive_row){
                     spool_sqlite_text(s, 0), spool_sqlite_text(s, 1),
                     spool_sqlite_text(s, 2), sqlite3_column_int64(s, 3),
                     spool_sqlite_text(s, 4), spool_sqlite_text(s, 5)});
}
