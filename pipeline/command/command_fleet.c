/* command_fleet.c - platen fleet: many machines, one queue in PostgreSQL. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/fleet_worker/fleet_worker.h"
#include "pipeline/observe/metrics.h"
#include "pipeline/process/signals.h"
#include "pipeline/spool/spool.h"
#include "pipeline/spool/spool_json.h"
#include "stages/document/reason.h"
#include "vlm/base/atomic_file.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/base/text.h"
#include "vlm/json/json.h"

enum { GET_AT_ONCE = 500 };

static void check_database(const struct command_line *line, struct err *err)
{
    if (!*line->config->fleet)
        err_set(err, ERR_ARGS,
                "--db CONNINFO is needed, such as \"host=db dbname=platen\"");
}

/* --- init ---------------------------------------------------------------- */

static void init_fleet(const struct command_line *line, struct fleet *f,
                       struct err *err)
{
    static const char *const names[][2] = {{"store", "store"},
                                           {"s3-endpoint", "s3_endpoint"},
                                           {"s3-region", "s3_region"}};
    char path[PATH_MAX];
    fleet_queue_init(f->db, err);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = command_value(line, names[i][0]);
        if (!value || err_failed(err)) continue;
        if (!i && strncmp(value, "s3://", 5) != 0) {
            if (realpath(value, path))
                value = path;
            else
                err_errno(err, "--store %s", value);
        }
        fleet_queue_set(f->db, names[i][1], value, err);
    }
    fleet_learn(f, err);
}

/* --- add ----------------------------------------------------------------- */

/* The name.json that a spool writes when it claims a file. */
static const char *name_json(const char *name, const char *schema,
                             struct arena *arena)
{
    struct buf text = buf_limit(SPOOL_JSON_MAX);
    cJSON *o = cJSON_CreateObject();
    spool_json_add_name(o, "name", name);
    cJSON_AddStringToObject(o, "folder", schema);
    json_add_now(o, "claimed");
    json_print(&text, o, 2);
    const char *kept = arena_copy(arena, buf_span(&text));
    cJSON_Delete(o);
    buf_free(&text);
    return kept;
}

static void add_file(struct fleet *f, const char *path, const char *schema,
                     struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct span bytes = file_map_open(path, err);
    struct fleet_job job = {.name =
                                name_json(text_base_name(path), schema, arena),
                            .part = "",
                            .feeder = ""};
    spool_make_id(job.id);
    if (bytes.size > (size_t)f->config->stage.max_document_bytes)
        err_reason(err, ERR_LIMIT, "too-large",
                   "longer than max_document_bytes");
    fleet_hand_in(f, &job, bytes, err);
    err_context(err, "%s", path);
    if (!err_failed(err)) printf("%s  %s\n", job.id, path);
    file_map_close(bytes);
    arena_free(arena);
}

static void add_files(const struct command_line *line, struct fleet *f,
                      struct err *err)
{
    const char *schema = command_value(line, "schema");
    if (!schema) schema = "";
    if (line->n_operand < 2)
        err_set(err, ERR_ARGS, "usage: platen fleet add FILE...");
    else if (!*schema && !*line->config->default_schema)
        err_set(err, ERR_ARGS, "--schema NAME is needed, or default_schema");
    for (int i = 1; i < line->n_operand; i++)
        add_file(f, line->operand[i], schema, err);
}

/* --- get ----------------------------------------------------------------- */

static void write_out(const char *out, const char *id, const char *ending,
                      struct span bytes, struct err *err)
{
    char path[ATOMIC_FILE_PATH_MAX];
    snprintf(path, sizeof path, "%.3900s/%s.%s", out, id, ending);
    atomic_file_write(path, bytes, err);
}

/* Writes an outcome to disk before the database forgets it. */
static void collect_one(struct fleet *f, const char *out, const char *id,
                        struct err *err)
{
    if (err_failed(err)) return;
    struct arena *arena = arena_new();
    struct fleet_outcome o = fleet_queue_outcome(f->db, id, arena, err);
    if (o.state == FLEET_RESULT) {
        if (*o.xml.hash)
            write_out(out, id, "xml", fleet_file_get(f, &o.xml, arena, err),
                      err);
        write_out(out, id, "json", fleet_file_get(f, &o.record, arena, err),
                  err);
    } else if (o.state == FLEET_DEAD) {
        write_out(out, id, "reason.json",
                  span_of(*o.reason ? o.reason
                                    : arena_text(arena, "{\"code\": \"%s\"}\n",
                                                 o.code)),
                  err);
        log_warn("%s: %s [%s]", id, o.why, o.code);
    }
    fleet_queue_collect(f->db, id, err);
    if (!err_failed(err))
        printf("%s  %s\n", id, o.state == FLEET_DEAD ? o.code : "done");
    arena_free(arena);
}

static void collect_outcomes(const struct command_line *line, struct fleet *f,
                             struct err *err)
{
    const char *out = command_value(line, "out");
    if (!out) err_set(err, ERR_ARGS, "get: --out DIR is needed");
    fleet_learn(f, err);
    for (size_t n = 1; n && !err_failed(err);) {
        struct arena *arena = arena_new();
        char **id = fleet_queue_finished(f->db, GET_AT_ONCE, arena, err);
        for (n = 0; !err_failed(err) && id[n]; n++)
            collect_one(f, out, id[n], err);
        arena_free(arena);
    }
}

/* --- status, drain ------------------------------------------------------- */

static const char *plain(const cJSON *o, const char *key)
{
    const cJSON *n = json_get(o, key);
    return cJSON_IsNumber(n) ? json_number(n) : "";
}

static void print_worker(const cJSON *w)
{
    const char *job = json_get_text_or_empty(w, "job");
    printf("  %s  %s%s, seen %s s ago", json_get_text_or_empty(w, "name"),
           json_get_text_or_empty(w, "model"),
           cJSON_IsTrue(json_get(w, "gpu")) ? ", gpu" : "", plain(w, "seen_s"));
    if (cJSON_IsTrue(json_get(w, "ended")))
        printf(", ended");
    else if (cJSON_IsTrue(json_get(w, "drain")))
        printf(", draining");
    if (*job) printf(", %s for %s s", job, plain(w, "job_s"));
    printf("\n");
}

static void print_needs(const cJSON *n)
{
    const char *model = json_get_text_or_empty(n, "model");
    printf("          %s ready for %s%s%s bytes of memory: %s workers\n",
           plain(n, "ready"), *model ? model : "any model",
           cJSON_IsTrue(json_get(n, "gpu")) ? ", a gpu, " : ", ",
           plain(n, "memory"), plain(n, "workers"));
}

static void print_status(const cJSON *o)
{
    const cJSON *x = NULL;
    printf("  ready   %6s, the oldest for %s s\n", plain(o, "ready"),
           plain(o, "oldest_ready_s"));
    cJSON_ArrayForEach(x, json_get(o, "needs")) print_needs(x);
    printf("  at work %6s\n"
           "  results %6s to be collected\n",
           plain(o, "leased"), plain(o, "results"));
    printf(
        "  a minute %5s jobs, %s pages; %s and %s by the workers of the last "
        "day\n",
        plain(o, "jobs_a_minute"), plain(o, "pages_a_minute"),
        plain(o, "jobs_last_day"), plain(o, "pages_last_day"));
    printf("  dead    %6s\n", plain(o, "dead"));
    cJSON_ArrayForEach(x, json_get(o, "reasons"))
    {
        const struct reason *row = reason_find(x->string);
        printf("          %6s [%s] %s\n", json_number(x), x->string,
               row ? row->remedy : "");
    }
    cJSON_ArrayForEach(x, json_get(o, "latest_dead"))
    {
        printf("  %s  [%s] %s\n", json_get_text_or_empty(x, "job"),
               json_get_text_or_empty(x, "code"),
               json_get_text_or_empty(x, "why"));
    }
    printf("workers of the last day:\n");
    cJSON_ArrayForEach(x, json_get(o, "workers")) print_worker(x);
}

static void show_status(const struct command_line *line, struct fleet *f,
                        struct err *err)
{
    struct arena *arena = arena_new();
    const char *text = fleet_queue_status(f->db, arena, err);
    struct buf out = buf_limit(64 << 20);
    bool prometheus = command_value(line, "prometheus") != NULL;
    cJSON *o = json_parse(span_of(text), err);
    if (prometheus) {
        metrics_print_fleet(o, &out);
        fputs(buf_span(&out).data, stdout);
    } else if (!err_failed(err) && command_value(line, "json")) {
        json_print(&out, o, 2);
        printf("%s\n", buf_span(&out).data);
    } else if (!err_failed(err)) {
        print_status(o);
    }
    cJSON_Delete(o);
    buf_free(&out);
    arena_free(arena);
}

/* Waits until no worker holds a job. */
static int drain(struct fleet *f, struct err *err)
{
    int64_t n = fleet_queue_drain(f->db, err), left = 0, reported = -1;
    if (!err_failed(err))
        log_note("%lld worker%s asked to end", (long long)n,
                 n == 1 ? " was" : "s were");
    while (!err_failed(err) && !signals_stopped()) {
        left = fleet_queue_leases(f->db, err);
        if (!left || err_failed(err)) return EXIT_OK;
        if (left != reported) log_note("%lld at work", (long long)left);
        reported = left;
        /* a killed worker holds its lease until it is taken back */
        fleet_queue_tend(f->db, err);
        signals_poll(NULL, 0, 1000);
    }
    return EXIT_INTERRUPTED;
}

static int run_worker(const struct command_line *line, struct err *err)
{
    const char *scratch = command_value(line, "scratch");
    struct fleet_worker_options o = {
        .config = line->config,
        .scratch = scratch ? scratch : "/tmp",
        .once = command_value(line, "once") != NULL,
        .jobs = command_number(line, "most", 1000000000, 0, err)};
    return fleet_worker_run(&o, err);
}

static int fleet_command(const struct command_line *line, struct err *err)
{
    const char *verb = line->operand[0];
    int code = EXIT_OK;
    signals_open();
    if (line->n_operand > 1 && strcmp(verb, "add") != 0)
        err_set(err, ERR_ARGS, "fleet %s takes no arguments", verb);
    check_database(line, err);
    if (!strcmp(verb, "work")) return run_worker(line, err);
    struct fleet *f = fleet_new(line->config);
    if (!strcmp(verb, "init"))
        init_fleet(line, f, err);
    else if (!strcmp(verb, "add"))
        add_files(line, f, err);
    else if (!strcmp(verb, "get"))
        collect_outcomes(line, f, err);
    else if (!strcmp(verb, "status"))
        show_status(line, f, err);
    else if (!strcmp(verb, "drain"))
        code = drain(f, err);
    else
        err_set(err, ERR_ARGS,
                "%s: not one of init, add, work, get, status, drain", verb);
    fleet_free(f);
    return code;
}

static const struct command_flag flags[] = {
    {"db", "CONNINFO",
     "database, as a libpq connection string; default: key fleet", 0},
    {"store", "WHERE", "init: the store: a folder, or s3://BUCKET/PREFIX", 0},
    {"s3-endpoint", "URL", "init: endpoint of the bucket", 0},
    {"s3-region", "NAME", "init: region for signatures", 0},
    {"schema", "NAME", "add: schema of the files", 's'},
    {"out", "DIR", "get: folder for records and reasons", 'o'},
    {"scratch", "DIR", "work: a local folder (/tmp)", 0},
    {"once", NULL, "work: exit when nothing is ready", 0},
    {"most", "N", "work: exit after this many jobs", 0},
    {"json", NULL, "status: print one JSON object", 0},
    {"prometheus", NULL, "status: print Prometheus metrics", 0},
    {0},
};

const struct command command_fleet_row = {
    .name = "fleet",
    .usage = "init|add|work|get|status|drain [FILE...] --db CONNINFO",
    .summary = "many machines, one queue in PostgreSQL",
    .help =
        "init\tcreates or updates the tables in the schema platen, and stores "
        "--store: a folder shared by all machines (NFS), or a bucket\n"
        "add\tsubmits files, to be read with --schema; prints an id for each\n"
        "work\tis a worker: reads one document after another with the engine "
        "of this machine's platen.conf and the settings and schemas that came "
        "with the document. Start one worker for each document to be read at "
        "the same time\n"
        "get\twrites outcomes of added files to --out, as ID.json, ID.xml or "
        "ID.reason.json; then the database forgets them\n"
        "status\twhat is ready (and for which workers), in progress and dead; "
        "rates; workers of the last day; --prometheus: the same as metrics\n"
        "drain\tasks all workers to end after their current document, and "
        "waits for them\n"
        "\n"
        "A spool feeds a fleet with platen watch SPOOL --fleet CONNINFO and "
        "collects its outcomes. fleet_model, fleet_gpu and fleet_memory say "
        "what a document needs and, for a worker, what it offers. SIGTERM "
        "returns a worker's document at once. A worker that is killed loses "
        "its lease after a minute; after five of them the document is dead. "
        "Keep passwords in ~/.pgpass.\n"
        "\n"
        "  platen fleet init --db \"host=db dbname=platen\" --store "
        "/srv/fleet\n"
        "  platen fleet add *.pdf --schema invoice --db \"host=db "
        "dbname=platen\"\n"
        "  platen fleet work --db \"host=db dbname=platen\"",
    .flag = flags,
    .alias = "db",
    .key = "fleet",
    .least = 1,
    .most = -1,
    .run = fleet_command,
};
