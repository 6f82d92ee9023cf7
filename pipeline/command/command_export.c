/* command_export.c - platen export: the records of a spool as one stream. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/export/csv.h"
#include "pipeline/export/csv_cells.h"
#include "pipeline/export/csv_details.h"
#include "pipeline/export/export_dataset.h"
#include "pipeline/process/signals.h"
#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/spool.h"
#include "stages/ask/schema_names.h"
#include "stages/document/reason.h"
#include "stages/record/mapping.h"
#include "stages/record/record.h"
#include "stages/record/record_schema.h"
#include "stages/record/xml.h"
#include "stages/stages.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"
#include "vlm/schema/schema.h"

enum to { TO_JSONL, TO_CSV, TO_XML, TO_CHAT, TO_STUDIO, N_TO };

/* A schema that a record names, loaded once. */
struct loaded_schema {
    struct loaded_schema *next;
    const char *name, *prompt;
    struct schema *schema, *record;
    struct err err; /* why it cannot be used */
};

struct export
{
    struct spool spool;
    const struct config *config;
    const char *schema; /* NULL: all */
    enum to to;
    struct csv *csv;
    const struct csv_dialect *dialect; /* of it */
    /* CSV: the columns are known when all records were seen. Rows are printed
     * into a file until then, and again if a record added a column. */
    FILE *rows;           /* NULL: stdout, or none */
    int n_column;         /* of these rows; -1: none yet */
    bool learning, again; /* the first pass, the second */
    bool searching;       /* a pass that only looks for records of `schema` */
    bool found;           /* a record of `schema` exists */
    char only[256];       /* CSV: the schema of the records so far */
    struct buf out;
    struct loaded_schema *loaded;
    struct arena *arena;
    struct export_dataset *set; /* pages and records, for --output */
    bool all;                   /* --all: also records not reviewed */
    int n_left_out, n_unreviewed;
    struct err *err;
};

/* All records of a CSV need the same schema, which gives the columns. */
static void check_same_schema(struct export *x, const char *schema)
{
    if (!*x->only) snprintf(x->only, sizeof x->only, "%s", schema);
    if (!strcmp(x->only, schema)) return;
    err_set(x->err, ERR_ARGS,
            "the spool has records of %s and %s, which need different columns: "
            "add --schema NAME",
            x->only, schema);
}

static struct loaded_schema *find_schema(struct export *x, const char *name)
{
    for (struct loaded_schema *d = x->loaded; d; d = d->next)
        if (!strcmp(d->name, name)) return d;
    struct loaded_schema *d = arena_alloc(x->arena, sizeof *d);
    d->next = x->loaded;
    d->name = arena_copy(x->arena, span_of(name));
    x->loaded = d;
    struct run_context context = {.settings = &x->config->stage};
    d->schema =
        stages_load_schema(name, &context, x->arena, &d->prompt, &d->err);
    if (x->to == TO_XML) record_check_xml(d->schema, &d->err);
    if (x->to == TO_XML) d->record = record_schema_new(d->schema, &d->err);
    return d;
}

/* Reports a record that cannot be exported; the others are, and the exit code
 * is EXIT_SOME_FAILED. */
static void leave_out(struct export *x, const char *id, struct err *why)
{
    err_context(why, "done/%s is skipped", id);
    reason_log(why);
    x->n_left_out++;
}

static void add_xml(struct export *x, const char *id, const cJSON *record,
                    const char *schema)
{
    struct buf text = buf_limit(1 << 26);
    const struct loaded_schema *d = find_schema(x, schema);
    struct err own = d->err;
    xml_write_record(d->record, record, NULL, &text, &own);
    /* the output is one XML document: drop the record's declaration */
    const char *from = buf_span(&text).data;
    const char *end = !strncmp(from, "<?xml", 5) ? strstr(from, "?>") : NULL;
    if (err_failed(&own))
        leave_out(x, id, &own);
    else
        buf_add_text(&x->out, end ? end + 2 + (end[2] == '\n') : from);
    buf_free(&text);
}

/* A full disk or an interrupt ends the export; another failure skips one. */
static void add_example(struct export *x, const char *id, int fd,
                        const cJSON *record,
                        const struct corrected_record_review *review)
{
    const char *schema =
        json_get_text_or_empty(json_get(record, "schema"), "name");
    if (x->to == TO_CHAT && !x->all && !review->reviewed) {
        x->n_unreviewed++;
        return;
    }
    if (!cJSON_GetArraySize(json_get(record, "pages"))) {
        log_note("done/%s has no pages: it is left out", id);
        return;
    }
    const struct loaded_schema *d = find_schema(x, schema);
    struct export_document one = {.id = id,
                                  .folder_fd = fd,
                                  .record = record,
                                  .n_line = review->n_line,
                                  .schema = d->schema,
                                  .prompt = d->prompt};
    struct err own = d->err;
    export_dataset_add(x->set, &one, &own);
    if (own.kind == ERR_SYSTEM || own.kind == ERR_CANCELLED)
        *x->err = own;
    else if (err_failed(&own))
        leave_out(x, id, &own);
}

static void drop_rows(struct export *x)
{
    if (x->rows) fclose(x->rows);
    x->rows = NULL;
}

static void add_csv(struct export *x, const char *schema, const cJSON *record)
{
    check_same_schema(x, schema);
    if (x->learning) {
        csv_learn(x->csv, record, x->err);
        int n = csv_n_column(x->csv);
        if (x->n_column >= 0 && n != x->n_column) drop_rows(x);
        x->n_column = n;
    }
    if (!x->learning || x->rows) csv_rows(x->csv, record, &x->out);
}

static void add_record(struct export *x, const char *id, int fd,
                       const cJSON *record,
                       const struct corrected_record_review *review)
{
    const char *schema =
        json_get_text_or_empty(json_get(record, "schema"), "name");
    if (x->schema && strcmp(x->schema, schema) != 0) return;
    x->found = true;
    if (x->searching) return;
    switch (x->to) {
    case TO_CSV: add_csv(x, schema, record); return;
    case TO_JSONL:
        json_print(&x->out, record, 0);
        buf_add_text(&x->out, "\n");
        return;
    case TO_XML: add_xml(x, id, record, schema); return;
    default: add_example(x, id, fd, record, review); return;
    }
}

static void flush_out(struct export *x)
{
    FILE *to = x->rows ? x->rows : stdout;
    if (fwrite(buf_span(&x->out).data, 1, x->out.size, to) == x->out.size)
        ;
    else if (x->rows)
        drop_rows(x); /* a full disk: two passes */
    else
        err_errno(x->err, "cannot write to stdout");
    buf_cut(&x->out, 0);
}

static void walk_done(struct export *x)
{
    struct arena *arena = arena_new();
    char **id = spool_list(&x->spool, SPOOL_DONE, arena, NULL, x->err);
    for (; *id && !err_failed(x->err); id++) {
        int fd = spool_folder_fd(&x->spool, SPOOL_DONE, *id);
        struct err torn = {0};
        struct corrected_record_review review = {0};
        cJSON *record = corrected_record_record(fd, x->config, &review, &torn);
        if (json_get(record, "parts"))
            ; /* a stack: its parts have the records */
        else if (record)
            add_record(x, *id, fd, record, &review);
        else if (!x->again && !x->searching)
            leave_out(x, *id, &torn);
        if (fd >= 0) close(fd);
        cJSON_Delete(record);
        flush_out(x);
    }
    arena_free(arena);
}

/* --schema must name a schema of the folder or of a record. */
static void check_schema(struct export *x)
{
    if (err_failed(x->err) || !x->schema) return;
    const char *folder = x->config->stage.schemas;
    for (const char **name = schema_names(folder, x->arena); *name; name++)
        if (!strcmp(*name, x->schema)) return;
    x->searching = true;
    walk_done(x);
    x->searching = false;
    if (!x->found)
        err_set(x->err, ERR_ARGS,
                "--schema %s: no record and no schema has this name%s",
                x->schema, schema_names_hint(folder, x->schema, x->arena));
}

static void copy_rows(struct export *x)
{
    char chunk[1 << 16];
    rewind(x->rows);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, x->rows)) > 0;)
        if (fwrite(chunk, 1, n, stdout) != n)
            err_errno(x->err, "cannot write to stdout");
    if (ferror(x->rows)) err_errno(x->err, "cannot read a temporary file");
}

static void export_csv(struct export *x)
{
    x->rows = tmpfile(); /* without one: two passes */
    x->n_column = -1;
    x->learning = true;
    walk_done(x);
    x->learning = false;
    if (x->rows && fflush(x->rows) != 0) drop_rows(x);
    FILE *rows = x->rows;
    x->rows = NULL;
    csv_check_rows(x->csv, x->err);
    if (!err_failed(x->err)) {
        csv_header(x->csv, &x->out);
        flush_out(x);
    }
    x->rows = rows;
    x->again = !rows;
    if (!err_failed(x->err) && x->again) walk_done(x);
    if (!err_failed(x->err) && rows) copy_rows(x);
    drop_rows(x);
}

static void export_all(struct export *x)
{
    if (x->to == TO_CSV) {
        export_csv(x);
        return;
    }
    if (x->to == TO_XML)
        buf_add_text(&x->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                              "<records xmlns=\"" MAPPING_NAMESPACE "\">\n");
    if (!err_failed(x->err)) walk_done(x);
    if (x->to == TO_XML) buf_add_text(&x->out, "</records>\n");
    if (!err_failed(x->err)) flush_out(x);
}

static void close_schemas(struct export *x)
{
    for (struct loaded_schema *d = x->loaded; d; d = d->next) {
        schema_free(d->record);
        schema_free(d->schema);
    }
    arena_free(x->arena);
}

static void read_flags(struct export *x, const struct command_line *line)
{
    static const char *const names[] = {"jsonl", "csv", "xml", "chat-jsonl",
                                        "ls"};
    const char *to = command_value(line, "to");
    size_t i = 0;
    while (i < N_TO && (!to || strcmp(names[i], to) != 0))
        i++;
    x->to = (enum to)i;
    x->all = command_value(line, "all") != NULL;
    bool folder = command_value(line, "output") != NULL;
    bool for_csv = command_value(line, "rows") || command_value(line, "with") ||
                   command_value(line, "dialect");
    if (i == N_TO)
        err_set(x->err, ERR_ARGS,
                "--to must be jsonl, csv, xml, chat-jsonl or ls");
    else if (i >= TO_CHAT && !folder)
        err_set(x->err, ERR_ARGS,
                "--to %s writes pages and records into a folder: add -o DIR",
                to);
    else if (i < TO_CHAT && folder)
        err_set(x->err, ERR_ARGS,
                "--to %s writes to stdout: > FILE, not -o FILE", to);
    else if (i != TO_CSV && for_csv)
        err_set(x->err, ERR_ARGS, "--rows, --with and --dialect need --to csv");
    x->dialect = csv_cells_find(command_value(line, "dialect"));
    if (!x->dialect)
        err_set(x->err, ERR_ARGS,
                "--dialect must be rfc4180, excel or excel-de");
}

static void export_folder(struct export *x, const char *folder)
{
    signals_open();
    x->set = export_dataset_open(folder,
                                 x->to == TO_CHAT ? EXPORT_CHAT : EXPORT_STUDIO,
                                 x->config, x->err);
    if (!err_failed(x->err)) walk_done(x);
    export_dataset_end(x->set, x->err);
    export_dataset_close(x->set);
    if (x->n_unreviewed && !err_failed(x->err))
        log_note("%d records skipped: not fully reviewed (platen review; --all "
                 "includes them)",
                 x->n_unreviewed);
}

static int export_command(const struct command_line *line, struct err *err)
{
    struct export x = {.config = line->config,
                       .schema = command_value(line, "schema"),
                       .arena = arena_new(),
                       .out = buf_limit(1 << 28),
                       .err = err};
    const char *list = command_value(line, "with");
    read_flags(&x, line);
    struct csv_details *with =
        list ? csv_details_new(list, line->config->stage.review_threshold,
                               x.dialect, err)
             : NULL;
    x.csv = csv_new(command_value(line, "rows"), with, x.dialect);
    if (x.to == TO_XML) xml_start();
    spool_open(&x.spool, line->operand[0], false, err);
    check_schema(&x);
    if (x.to == TO_XML && x.schema && !err_failed(err))
        *err = find_schema(&x, x.schema)->err;
    if (!err_failed(err) && x.to >= TO_CHAT)
        export_folder(&x, command_value(line, "output"));
    else if (!err_failed(err))
        export_all(&x);
    spool_close(&x.spool);
    close_schemas(&x);
    csv_free(x.csv);
    csv_details_free(with);
    buf_free(&x.out);
    return x.n_left_out ? EXIT_SOME_FAILED : EXIT_OK;
}

static const struct command_flag flags[] = {
    {"to", "FORMAT", "jsonl, csv, xml, chat-jsonl or ls", 't'},
    {"output", "DIR", "chat-jsonl, ls: folder for pages and records", 'o'},
    {"all", NULL, "chat-jsonl: also records that were not reviewed", 0},
    {"schema", "NAME", "only records of this schema", 's'},
    {"rows", "FIELD", "csv: one row per item of this array", 0},
    {"with", "LIST", "csv: any of confidence,page,verdict,review as columns",
     0},
    {"dialect", "NAME", "csv: rfc4180 (default), excel or excel-de", 0},
    {0},
};

const struct command command_export_row = {
    .name = "export",
    .usage = "SPOOL --to jsonl|csv|xml|chat-jsonl|ls [--schema NAME] [--rows "
             "FIELD] [--with LIST] [--dialect NAME] [-o DIR] [--all]",
    .summary = "print the records of a spool, or write them with their pages",
    .help =
        "Prints the records of done/, oldest first. jsonl: one record per "
        "line. xml: one <records>, valid under platen schema xsd NAME, or xsd "
        "record for several schemas. csv: one row per record and one column "
        "per value; arrays are JSON text in a cell or, with --rows, one row "
        "per item. A cell that a spreadsheet would execute as a formula, or "
        "that begins with an apostrophe, is prefixed with an apostrophe. "
        "seller.name is `name` in `seller`; a dot in a key is written \\. "
        "--dialect excel adds a byte order mark; excel-de also has semicolons, "
        "decimal commas and dates as 22.11.2026, for German settings.\n"
        "\n"
        "--with confidence,page,verdict,review (any of them) adds columns to "
        "each value: total#confidence (0..1), total#page, total#verdict (of "
        "the OCR check) and total#review (true if a warning names it), and "
        "#verdict and #review to the record. Unknown is an empty cell; an "
        "array has the lowest confidence, the first page and the worst verdict "
        "of its values. # in a key is written \\#.\n"
        "\n"
        "Corrections (platen review) are applied, with \"source\": \"person\" "
        "in the value's field. Records of version 1 are refused: read those "
        "documents again.\n"
        "\n"
        "chat-jsonl: training pairs for fine-tuning on corrections. "
        "DIR/chat.jsonl has a line for each completely reviewed record (--all: "
        "each record): \"messages\" with the prompt, {\"type\": \"image\"} for "
        "each page, and the corrected value as the answer; \"images\" with the "
        "files of the pages, as TRL and ms-swift read them (started in DIR). "
        "Pages are drawn as the configured model sees them. Documents that are "
        "read page by page are skipped and listed.\n"
        "\n"
        "ls: DIR/tasks.json for Label Studio, with the values as predictions, "
        "and DIR/label-config.xml for the project. The label of a value is its "
        "JSON pointer; values without a box are lines \"POINTER: TEXT\". Label "
        "Studio serves DIR/pictures with "
        "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED=true and "
        "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT=DIR. Its export is read by "
        "platen review SPOOL --import FILE.\n"
        "\n"
        "A record that cannot be exported (for example, its schema is missing) "
        "is listed and skipped; the exit status is then 16.\n"
        "\n"
        "  platen export spool --to jsonl | jq .data.total\n"
        "  platen export spool --to csv --schema receipt > receipts.csv\n"
        "  platen export spool --to csv --schema receipt --rows items\n"
        "  platen export spool --to csv --schema receipt --with "
        "confidence,page,review\n"
        "  platen export spool --to chat-jsonl -o pairs\n"
        "  platen export spool --to ls -o labels",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = export_command,
};
