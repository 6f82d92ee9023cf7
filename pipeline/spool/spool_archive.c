/* spool_archive.c - see spool_archive.h. */
#include "pipeline/spool/spool_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/spool/archive_db.h"
#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/durable.h"
#include "stages/stages.h"
#include "vlm/base/file_map.h"
#include "vlm/base/hash.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"
#include "vlm/json/json_pointer.h"

#define JOURNAL "archive.jsonl"

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
    struct archive_db *db;
    struct arena *arena;
    struct known_schema *schema;
};

#define TEXTS ARCHIVE_DB_TEXTS

static void tell(struct spool_archive *a, const char *sql,
                 const char *const *text, struct err *err)
{
    archive_db_tell(a->db, sql, text, err);
}

static long long ask_number(struct spool_archive *a, const char *sql,
                            const char *const *text, struct err *err)
{
    return archive_db_number(a->db, sql, text, err);
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
    return ask_number(
        a, "SELECT 1 FROM archive_forgotten WHERE sender=$1 AND before>$2",
        TEXTS(hash.hex, id), err);
}

/* The number of the document, in the order in which they were noted. */
struct sequence {
    char text[24];
};

/* What was noted of the document goes. */
static struct sequence begin_document(struct spool_archive *a, const char *id,
                                      const char *schema, bool pruned,
                                      struct err *err)
{
    struct sequence seq;
    tell(a,
         "INSERT INTO archive_document(id,spool,schema,pruned) "
         "VALUES($1,$2,$3,0) ON CONFLICT(id) DO UPDATE SET "
         "spool=excluded.spool,schema=excluded.schema",
         TEXTS(id, archive_db_spool(a->db), schema), err);
    if (pruned)
        tell(a, "UPDATE archive_document SET pruned=1 WHERE id=$1", TEXTS(id),
             err);
    tell(a,
         "DELETE FROM archive_value WHERE seq=(SELECT seq FROM "
         "archive_document WHERE id=$1)",
         TEXTS(id), err);
    snprintf(seq.text, sizeof seq.text, "%lld",
             ask_number(a, "SELECT seq FROM archive_document WHERE id=$1",
                        TEXTS(id), err));
    return seq;
}

/* Unless the sender is forgotten. */
static void add_value(struct spool_archive *a, const struct sequence *seq,
                      const char *id, const char *key,
                      const struct earlier_value *v, struct err *err)
{
    if (!is_forgotten(a, v->sender, id, err))
        tell(a,
             "INSERT INTO archive_value(key,sender,value,name,text,seq) "
             "VALUES($1,$2,$3,$4,$5,$6) ON CONFLICT DO NOTHING",
             TEXTS(key, v->sender, v->value, v->name, v->text, seq->text), err);
}

/* Notes those of the document that do not differ from earlier ones. */
static void put(struct spool_archive *a, const struct sequence *seq,
                const char *id, const struct earlier_questions *q,
                const struct earlier_values *values, struct err *err)
{
    for (int i = 0; i < values->n && !err_failed(err); i++) {
        const struct earlier_value *v = &values->value[i];
        if (!v->differs)
            add_value(a, seq, id, q->question[v->question].key, v, err);
    }
}

/* Replaces what is noted of it. */
static void note(struct spool_archive *a, const char *id,
                 const struct known_schema *k,
                 const struct earlier_values *values, bool pruned,
                 struct err *err)
{
    const struct sequence seq = begin_document(a, id, k->name, pruned, err);
    put(a, &seq, id, &k->q, values, err);
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

static const char forget_sender[] =
    "INSERT INTO archive_forgotten(sender,before) VALUES($1,$2) ON "
    "CONFLICT(sender) DO UPDATE SET before=excluded.before WHERE "
    "archive_forgotten.before<excluded.before";

/* A line of the journal: {id, schema, values: [{key, sender, value, name, text}]}
 * or {forgotten, before}. */
static void replay_line(void *arg, cJSON *line, struct err *err)
{
    struct spool_archive *a = arg;
    const char *sender = json_get_text(line, "forgotten");
    const char *id = json_get_text_or_empty(line, "id");
    const cJSON *row = NULL;
    if (sender)
        tell(a, forget_sender,
             TEXTS(sender, json_get_text_or_empty(line, "before")), err);
    if (!spool_is_id(id)) return;
    const struct sequence seq = begin_document(
        a, id, json_get_text_or_empty(line, "schema"), true, err);
    cJSON_ArrayForEach(row, json_get(line, "values"))
    {
        struct earlier_value v = {.question = 0};
        copy_text(v.sender, row, "sender");
        copy_text(v.value, row, "value");
        copy_text(v.name, row, "name");
        copy_text(v.text, row, "text");
        add_value(a, &seq, id, json_get_text_or_empty(row, "key"), &v, err);
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

static struct hash hash_questions(const struct earlier_questions *q)
{
    struct buf text = buf_limit(1 << 20);
    for (int i = 0; i < q->n; i++)
        buf_print(&text, "%s\n", q->question[i].key);
    struct hash hash = hash_bytes(buf_span(&text));
    buf_free(&text);
    return hash;
}

/* Was it read for these questions? If not, no other transaction is open from here
 * on. */
static bool is_filled(struct spool_archive *a, const char *schema,
                      const char *questions, struct err *err)
{
    for (int i = 0; i < 2; i++) {
        if (ask_number(a,
                       "SELECT 1 FROM archive_filled WHERE spool=$1 AND "
                       "schema=$2 AND questions=$3",
                       TEXTS(archive_db_spool(a->db), schema, questions),
                       err) ||
            err_failed(err))
            return true;
        archive_db_begin(a->db, true, err); /* another may be reading it */
    }
    return false;
}

static void set_filled(struct spool_archive *a, const char *schema,
                       const char *questions, struct err *err)
{
    tell(a,
         "INSERT INTO archive_filled(spool,schema,questions) "
         "VALUES($1,$2,$3) ON CONFLICT(spool,schema) DO UPDATE SET "
         "questions=excluded.questions",
         TEXTS(archive_db_spool(a->db), schema, questions), err);
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
        if (k) note(a, *id, k, &values, false, err);
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
    const struct hash now = hash_questions(q);
    if (is_filled(a, schema, now.hex, err)) return;
    tell(a,
         "DELETE FROM archive_value WHERE seq IN (SELECT seq FROM "
         "archive_document WHERE spool=$1 AND schema=$2 AND pruned=0)",
         TEXTS(archive_db_spool(a->db), schema), err);
    read_done(a, schema, err);
    set_filled(a, schema, now.hex, err);
}

/* --- opening -------------------------------------------------------------------- */

/* A transaction; a new database begins with the journal. */
static void begin(struct spool_archive *a, bool alone, struct err *err)
{
    archive_db_begin(a->db, alone, err);
    if (is_filled(a, "", "", err)) return;
    each_line(a, replay_line, a, err);
    set_filled(a, "", "", err);
}

static void undo(struct spool_archive *a, struct err *err)
{
    if (err_failed(err)) archive_db_undo(a->db);
}

void spool_archive_commit(struct spool_archive *a, struct err *err)
{
    archive_db_commit(a->db, err);
}

struct spool_archive *spool_archive_new(struct spool *s,
                                        const struct config *config, bool waits)
{
    struct spool_archive *a = mem_alloc(1, sizeof *a);
    *a = (struct spool_archive){.spool = s,
                                .config = config,
                                .db = archive_db_new(s, config, waits),
                                .arena = arena_new()};
    return a;
}

void spool_archive_use(struct spool_archive *a, int socket)
{
    archive_db_use(a->db, socket);
}

void spool_archive_free(struct spool_archive *a)
{
    if (!a) return;
    archive_db_free(a->db);
    for (struct known_schema *k = a->schema; k; k = k->next)
        schema_free(k->schema);
    arena_free(a->arena);
    mem_free(a);
}

/* --- comparing -------------------------------------------------------------------- */

struct comparing {
    struct spool_archive *a;
    struct arena *arena;
    const char *seq; /* of the document: those before it count */
    struct err *err;
};

/* A value of an earlier document. */
struct earlier_row {
    char id[SPOOL_ID_SIZE], value[EARLIER_TEXT], text[EARLIER_TEXT];
};

/* A document that a person took from the spool is no longer known. Of another spool
 * of the fleet, that spool says so (spool_archive_rebuild). */
static bool is_gone(struct spool_archive *a, const char *id, const char *spool,
                    const char *pruned)
{
    return !strcmp(pruned, "0") && !strcmp(spool, archive_db_spool(a->db)) &&
           !spool_exists(a->spool->place[SPOOL_DONE], id) &&
           !spool_exists(a->spool->place[SPOOL_WORK], id);
}

/* The first with the same value. */
static const char same_row[] =
    "SELECT id,spool,pruned,value,text FROM archive_value JOIN "
    "archive_document USING(seq) WHERE seq<$1 AND key=$2 AND sender=$3 AND "
    "value=$4 ORDER BY seq LIMIT 1";
/* The latest with another value, found in the index alone. */
static const char other_row[] =
    "SELECT id,spool,pruned,value,text FROM archive_value JOIN "
    "archive_document USING(seq) WHERE seq=(SELECT max(seq) FROM "
    "archive_value WHERE seq<$1 AND key=$2 AND sender=$3 AND value<>$4) AND "
    "key||''=$2 AND sender||''=$3";

/* The first row of a statement with the values seq, key, sender, value whose
 * document is still known. */
static bool find_row(const struct comparing *c, const char *sql,
                     const char *key, const struct earlier_value *v,
                     struct earlier_row *row)
{
    struct archive_db *db = c->a->db;
    for (;;) {
        archive_db_ask(db, sql, TEXTS(c->seq, key, v->sender, v->value),
                       c->err);
        if (!archive_db_next(db, c->err)) return false;
        snprintf(row->id, sizeof row->id, "%s", archive_db_text(db, 0));
        bool gone = is_gone(c->a, row->id, archive_db_text(db, 1),
                            archive_db_text(db, 2));
        snprintf(row->value, EARLIER_TEXT, "%s", archive_db_text(db, 3));
        snprintf(row->text, EARLIER_TEXT, "%s", archive_db_text(db, 4));
        archive_db_end(db);
        if (!gone) return !err_failed(c->err);
        tell(c->a,
             "DELETE FROM archive_value WHERE seq=(SELECT seq FROM "
             "archive_document WHERE id=$1)",
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
    struct archive_db *db = c->a->db;
    archive_db_ask(db,
                   "SELECT n,id FROM (SELECT count(*) AS n,min(seq) AS first "
                   "FROM archive_value WHERE key=$1 AND sender=$2 AND "
                   "value=$3 AND seq<$4) AS same JOIN archive_document ON "
                   "seq=first",
                   TEXTS(q->key, v->sender, row->value, c->seq), c->err);
    if (archive_db_next(db, c->err)) {
        const char *n = archive_db_text(db, 0);
        bool one = !strcmp(n, "1");
        said = arena_text(
            c->arena,
            "\"%s\" differs from \"%s\", which %s earlier document%s "
            "of \"%s\" %s since " DAY_FORM " (the last is %s)",
            v->text, row->text, n, one ? "" : "s", v->name,
            one ? "has" : "have", DAY(archive_db_text(db, 1)), row->id);
        archive_db_end(db);
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

/* Others who compare documents of the same senders wait; all lock them in the same
 * order. */
static void lock_senders(struct spool_archive *a,
                         const struct earlier_values *values, struct err *err)
{
    for (const char *last = "", *next; !err_failed(err); last = next) {
        next = NULL;
        for (int i = 0; i < values->n; i++) {
            const char *sender = values->value[i].sender;
            if (strcmp(sender, last) > 0 && (!next || strcmp(sender, next) < 0))
                next = sender;
        }
        if (!next) return;
        archive_db_lock(a->db, next, err);
    }
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
    begin(a, false, err);
    fill(a, schema_name(schema), q, err);
    lock_senders(a, values, err);
    const struct sequence seq =
        begin_document(a, id, schema_name(schema), false, err);
    c.seq = seq.text;
    for (int i = 0; i < values->n && !err_failed(err); i++) {
        struct earlier_value *v = &values->value[i];
        const struct earlier_question *of = &q->question[v->question];
        const char *text = find(&c, q, v);
        if (!text) continue;
        v->differs = !of->unique;
        *ARENA_ADD(arena, all, *n_finding) =
            (struct earlier_finding){.question = of, .text = text};
    }
    put(a, &seq, id, q, values, err);
    undo(a, err);
    return all;
}

/* --- examples ---------------------------------------------------------------------- */

void spool_archive_fill(struct spool_archive *a, const struct schema *schema,
                        const struct earlier_questions *q, struct err *err)
{
    if (err_failed(err)) return;
    begin(a, false, err);
    fill(a, schema_name(schema), q, err);
    spool_archive_commit(a, err);
}

int spool_archive_examples(struct spool_archive *a,
                           const struct earlier_question *q, const char *sender,
                           char (*id)[SPOOL_ID_SIZE], int most, struct err *err)
{
    int n = 0;
    if (err_failed(err)) return 0;
    archive_db_ask(a->db,
                   "SELECT id FROM archive_value JOIN archive_document "
                   "USING(seq) WHERE key=$1 AND sender=$2 AND value='' ORDER "
                   "BY seq DESC",
                   TEXTS(q->key, sender), err);
    while (n < most && archive_db_next(a->db, err))
        snprintf(id[n++], SPOOL_ID_SIZE, "%s", archive_db_text(a->db, 0));
    archive_db_end(a->db);
    return n;
}

/* --- documents in done/ ------------------------------------------------------------ */

static const char last_seq[] = "9223372036854775807";

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
    if (err_failed(err)) return NULL;
    struct spool_archive *a = spool_archive_new(f->spool, config, false);
    bool exists = archive_db_exists(a->db);
    cJSON *lines = exists ? cJSON_CreateArray() : NULL;
    const struct known_schema *k =
        exists ? values_of(a, f->fd, c->record, c->reviewed, NULL, &values,
                           a->arena)
               : NULL;
    if (k) {
        struct comparing all = {a, a->arena, last_seq, err};
        struct earlier_values read =
            earlier_values_of(&k->q, c->read, false, a->arena);
        begin(a, false, err);
        lock_senders(a, &values, err);
        const struct sequence seq =
            begin_document(a, f->id, k->name, false, err);
        for (int i = 0; i < values.n && !err_failed(err); i++) {
            struct earlier_value *v = &values.value[i];
            const struct earlier_finding found = {
                &k->q.question[v->question],
                was_compared(&read, v) ? NULL : find(&all, &k->q, v)};
            if (found.text) v->differs = add_line(lines, c, &found);
        }
        put(a, &seq, f->id, &k->q, &values, err);
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
        begin(a, false, err);
        for (int i = 0; i < values.n; i++) {
            const struct earlier_value *v = &values.value[i];
            if (!v->differs && !is_forgotten(a, v->sender, f->id, err))
                add_journal_value(line, k->q.question[v->question].key, v);
        }
        if (!archive_db_is_fleet(a->db)) append_journal(a, line, err);
        note(a, f->id, k, &values, true, err);
        spool_archive_commit(a, err);
        cJSON_Delete(line);
    }
    arena_free(arena);
}

/* Of a fleet, other spools' values stay, and those of pruned documents, which no
 * journal has. */
static void drop_own(struct spool_archive *a, struct err *err)
{
    if (archive_db_is_fleet(a->db)) {
        tell(a,
             "DELETE FROM archive_value WHERE seq IN (SELECT seq FROM "
             "archive_document WHERE spool=$1 AND pruned=0)",
             TEXTS(archive_db_spool(a->db)), err);
    } else {
        tell(a, "DELETE FROM archive_value", TEXTS(NULL), err);
        tell(a, "DELETE FROM archive_document", TEXTS(NULL), err);
        tell(a, "DELETE FROM archive_forgotten", TEXTS(NULL), err);
    }
    tell(a, "DELETE FROM archive_filled WHERE spool=$1",
         TEXTS(archive_db_spool(a->db)), err);
}

void spool_archive_rebuild(struct spool_archive *a, struct err *err)
{
    if (err_failed(err)) return;
    begin(a, true, err);
    drop_own(a, err);
    each_line(a, replay_line, a, err);
    set_filled(a, "", "", err);
    read_done(a, NULL, err);
    for (struct known_schema *k = a->schema; k; k = k->next)
        if (k->q.n) set_filled(a, k->name, hash_questions(&k->q).hex, err);
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
    begin(a, true, err);
    long long n = ask_number(
        a, "SELECT count(DISTINCT seq) FROM archive_value WHERE sender=$1",
        TEXTS(sender), err);
    each_line(a, copy_others, &f, err);
    print_tombstone(&f.out, hash.hex, now);
    if (f.out.full && !err_failed(err))
        err_set(err, ERR_LIMIT, "%s is larger than 1 GiB", JOURNAL);
    write_journal(a, buf_span(&f.out), err);
    tell(a, "DELETE FROM archive_value WHERE sender=$1", TEXTS(sender), err);
    tell(a, forget_sender, TEXTS(hash.hex, now), err);
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
    begin(a, false, err);
    spool_archive_commit(a, err); /* nobody waits for the reader of the list */
    archive_db_ask(
        a->db,
        name ? "SELECT max(name),key,max(text),count(DISTINCT seq),min(id),"
               "max(id) FROM archive_value JOIN archive_document USING(seq) "
               "WHERE sender=$1 GROUP BY key,CASE text WHEN '' THEN '' ELSE "
               "value END ORDER BY key,max(id)"
             : "SELECT max(name),'','',count(DISTINCT seq),min(id),max(id) "
               "FROM archive_value JOIN archive_document USING(seq) GROUP BY "
               "sender ORDER BY sender",
        name ? TEXTS(sender) : TEXTS(NULL), err);
    while (archive_db_next(a->db, err))
        row(arg, &(struct spool_archive_row){
                     archive_db_text(a->db, 0), archive_db_text(a->db, 1),
                     archive_db_text(a->db, 2),
                     strtoll(archive_db_text(a->db, 3), NULL, 10),
                     archive_db_text(a->db, 4), archive_db_text(a->db, 5)});
}
