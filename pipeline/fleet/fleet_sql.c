/* fleet_sql.c - see fleet_sql.h. */
#include "pipeline/fleet/fleet_sql.h"

#include <string.h>
#include <sys/prctl.h>

#include <libpq-fe.h>

#include "pipeline/fleet/fleet.h"
#include "stages/document/reason.h"

enum { STATEMENT = 1, ROW, END, N_TYPE };

/* Texts, each with its NUL. */
static bool check_texts(void *body, size_t size)
{
    return ((const char *)body)[size - 1] == '\0';
}

static const struct message_type type[N_TYPE] = {
    [0] = {.least = 1},
    [STATEMENT] = {1, MESSAGE_CHUNK, 0, check_texts},
    [ROW] = {1, MESSAGE_CHUNK, 0, check_texts},
    [END] = {sizeof(struct reason_message), sizeof(struct reason_message), 0,
             NULL}};
static const struct message_types types = {type, N_TYPE};

/* Finds the texts of a message; returns their number, `most` at most. */
static int split(const struct message *m, const char **text, int most)
{
    int n = 0;
    const char *at = m->body.text, *end = at + m->size;
    for (; at < end && n < most; at += strlen(at) + 1)
        text[n++] = at;
    return n;
}

static bool send_texts(int socket, uint32_t kind, struct buf *texts)
{
    bool sent = !texts->full && message_send(socket, kind, buf_span(texts),
                                             (struct span){"", 0});
    buf_free(texts);
    return sent;
}

static void add_text(struct buf *texts, const char *text)
{
    buf_add(texts, text, strlen(text) + 1);
}

/* --- the process that connects ------------------------------------------------- */

static void run_statement(struct fleet_db *db, const struct message *m,
                          int socket, struct err *err)
{
    const char *text[FLEET_DB_VALUES + 1];
    int n = split(m, text, FLEET_DB_VALUES + 1);
    bool begins = !strcmp(text[0], "BEGIN"),
         undoes = !strcmp(text[0], "ROLLBACK");
    if (begins || undoes) fleet_db_undo(db);
    if (undoes) return;
    struct fleet_question q = {
        .which = FLEET_DB_UNPREPARED, .n = n - 1, .sql = text[0]};
    memcpy(q.value, text + 1, (size_t)(n - 1) * sizeof *text);
    PGresult *r = fleet_db_ask(db, &q, begins, err);
    int rows = r ? PQntuples(r) : 0;
    for (int i = 0; i < rows; i++) {
        struct buf row = buf_limit(MESSAGE_CHUNK);
        for (int c = 0; c < PQnfields(r); c++)
            add_text(&row, PQgetvalue(r, i, c));
        if (!send_texts(socket, ROW, &row)) break;
    }
    PQclear(r);
}

void fleet_sql_serve(struct fleet_db *db, int socket)
{
    struct message *m = mem_alloc(1, sizeof *m);
    while (message_receive(socket, &types, true, m) == MESSAGE_RECEIVED &&
           m->type == STATEMENT) {
        struct err err = {0};
        struct reason_message end;
        run_statement(db, m, socket, &err);
        reason_pack(&err, &end);
        if (!message_send(socket, END,
                          (struct span){(const char *)&end, sizeof end},
                          (struct span){"", 0}))
            break;
    }
    fleet_db_undo(db);
    mem_free(m);
}

static void run_process(void *arg, int fd)
{
    prctl(PR_SET_DUMPABLE, 0);
    fleet_sql_serve(fleet_new(arg)->db, fd);
}

void fleet_sql_start(struct process *p, const struct config *config,
                     struct err *err)
{
    process_start(p,
                  &(struct process_options){.name = "platen-fleet",
                                            .run = run_process,
                                            .arg = (void *)(uintptr_t)config,
                                            .closes = true,
                                            .keep = &config->fleet_fd,
                                            .n_keep = 1},
                  err);
}

/* --- the one that asks ----------------------------------------------------------- */

static void fail(struct err *err)
{
    err_reason(err, ERR_REMOTE, "fleet-unreachable",
               "the process that talks to the fleet ended");
}

void fleet_sql_ask(int socket, const char *sql, const char *const *text,
                   struct err *err)
{
    if (err_failed(err)) return;
    struct buf texts = buf_limit(MESSAGE_CHUNK);
    add_text(&texts, sql);
    for (; *text; text++)
        add_text(&texts, *text);
    if (!send_texts(socket, STATEMENT, &texts)) fail(err);
}

bool fleet_sql_next(int socket, struct fleet_sql_row *row, struct err *err)
{
    if (err_failed(err)) return false;
    struct message *m = &row->message;
    if (message_receive(socket, &types, true, m) != MESSAGE_RECEIVED) {
        fail(err);
    } else if (m->type == ROW) {
        int n = split(m, row->column, FLEET_SQL_COLUMNS);
        for (; n < FLEET_SQL_COLUMNS; n++)
            row->column[n] = "";
        return true;
    } else {
        reason_unpack((const struct reason_message *)&m->body, err);
    }
    return false;
}
