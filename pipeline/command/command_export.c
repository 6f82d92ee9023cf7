/* command_export.c - platen export: the records of a spool as one stream. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/csv.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/folder.h"
#include "stages/reason.h"
#include "stages/record/xml.h"
#include "stages/stage.h"
#include "vlm/base/json.h"
#include "vlm/schema/schema.h"

enum to { TO_JSONL, TO_CSV, TO_XML };

struct export
{
    struct spool spool;
    const struct config *config;
    const char *schema; /* NULL: all */
    enum to to;
    struct csv *csv;
    bool learning;  /* the first of two walks for CSV */
    char only[256]; /* the schema of what was seen */
    struct buf out;
    struct schema *described, *record; /* for XML */
    struct err *err;
};

static const char *text_of(const cJSON *o, const char *key)
{
    const cJSON *t = json_get(o, key);
    return cJSON_IsString(t) ? t->valuestring : "";
}

/* Columns come from one schema. */
static void same_schema(struct export *x, const char *schema)
{
    if (!*x->only) snprintf(x->only, sizeof x->only, "%s", schema);
    if (!strcmp(x->only, schema)) return;
    err_set(x->err, ERR_ARGS,
            "the spool holds records of %s and %s, which have other columns: "
            "add --schema NAME",
            x->only, schema);
}

static void load_schema(struct export *x, const char *name)
{
    const char *prompt;
    if (x->described && !strcmp(schema_name(x->described), name)) return;
    schema_free(x->record);
    schema_free(x->described);
    x->record = NULL;
    struct arena *arena = arena_new();
    x->described =
        stage_load_schema(name, &x->config->stage, arena, &prompt, x->err);
    arena_free(arena);
    if (x->described) x->record = xml_record_schema(x->described, x->err);
}

static void put_xml(struct export *x, const cJSON *record, const char *schema)
{
    struct buf text = buf_limit(1 << 26);
    load_schema(x, schema);
    xml_write_record(x->record, record, &text, x->err);
    /* one document of all: the declaration of each goes */
    const char *from = buf_span(&text).data;
    const char *end = !strncmp(from, "<?xml", 5) ? strstr(from, "?>") : NULL;
    buf_add_text(&x->out, end ? end + 2 + (end[2] == '\n') : from);
    buf_free(&text);
}

static void put_record(struct export *x, const cJSON *record)
{
    const char *schema = text_of(json_get(record, "schema"), "name");
    if (x->schema && strcmp(x->schema, schema) != 0) return;
    switch (x->to) {
    case TO_CSV:
        same_schema(x, schema);
        if (x->learning)
            csv_learn(x->csv, record);
        else
            csv_rows(x->csv, record, &x->out);
        return;
    case TO_JSONL:
        json_print(&x->out, record, 0);
        buf_add_text(&x->out, "\n");
        return;
    case TO_XML: put_xml(x, record, schema); return;
    }
}

static void flush_out(struct export *x)
{
    if (fwrite(buf_span(&x->out).data, 1, x->out.size, stdout) != x->out.size)
        err_errno(x->err, "cannot write to stdout");
    buf_cut(&x->out, 0);
}

static void walk_done(struct export *x)
{
    struct arena *arena = arena_new();
    char **id = spool_list(&x->spool, SPOOL_DONE, arena, NULL, x->err);
    size_t most = (size_t)x->config->stage.record_bytes_max;
    for (; *id && !err_failed(x->err); id++) {
        int fd = spool_folder_fd(&x->spool, SPOOL_DONE, *id);
        cJSON *record = fd >= 0 ? folder_json(fd, "record.json", most) : NULL;
        if (fd >= 0) close(fd);
        if (record)
            put_record(x, record);
        else
            err_set(x->err, ERR_INPUT,
                    "done/%s has no whole record.json: see platen fsck", *id);
        cJSON_Delete(record);
        flush_out(x);
    }
    arena_free(arena);
}

static void export_all(struct export *x)
{
    if (x->to == TO_CSV) {
        x->learning = true;
        walk_done(x);
        x->learning = false;
        if (!err_failed(x->err)) csv_header(x->csv, &x->out);
    }
    if (x->to == TO_XML)
        buf_add_text(&x->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                              "<records>\n");
    if (!err_failed(x->err)) walk_done(x);
    if (x->to == TO_XML) buf_add_text(&x->out, "</records>\n");
    if (!err_failed(x->err)) flush_out(x);
}

static int export_command(const struct command_line *line, struct err *err)
{
    static const char *const names[] = {"jsonl", "csv", "xml"};
    struct export x = {.config = line->config,
                       .schema = command_value(line, "schema"),
                       .csv = csv_new(command_value(line, "rows")),
                       .out = buf_limit(1 << 28),
                       .err = err};
    const char *to = command_value(line, "to");
    size_t i = 0;
    while (i < 3 && (!to || strcmp(names[i], to) != 0))
        i++;
    if (i == 3) err_set(err, ERR_ARGS, "want --to jsonl, csv or xml");
    x.to = (enum to)i;
    if (x.to == TO_XML) xml_start();
    spool_open(&x.spool, line->operand[0], false, err);
    if (!err_failed(err)) export_all(&x);
    spool_close(&x.spool);
    schema_free(x.record);
    schema_free(x.described);
    csv_free(x.csv);
    buf_free(&x.out);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"to", "FORMAT", "jsonl, csv or xml", 't'},
    {"schema", "NAME", "only records of this schema", 's'},
    {"rows", "FIELD", "csv: one row for each item of this array", 0},
    {0},
};

const struct command command_export_row = {
    .name = "export",
    .usage = "SPOOL --to jsonl|csv|xml [--schema NAME] [--rows FIELD]",
    .summary = "the records of a spool as one file",
    .help =
        "Prints the records of done/, oldest first. jsonl: one record a line. "
        "xml: all of\nthem in one <records>. csv: one row a record, a column "
        "for each value; arrays are\nJSON text in one cell, or, with --rows, "
        "one row for each item. Cells that a\nspreadsheet would run as a "
        "formula begin with an apostrophe.\n\n"
        "  platen export spool --to jsonl | jq .data.total\n"
        "  platen export spool --to csv --schema receipt > receipts.csv\n"
        "  platen export spool --to csv --schema receipt --rows items",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = export_command,
};
