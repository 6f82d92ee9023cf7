/* command_export.c - platen export: the records of a spool as one stream. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/csv.h"
#include "pipeline/command/csv_with.h"
#include "pipeline/config/config.h"
#include "pipeline/review/renew.h"
#include "pipeline/spool/spool.h"
#include "stages/reason.h"
#include "stages/record/record.h"
#include "stages/record/record_schema.h"
#include "stages/record/xml.h"
#include "stages/stage.h"
#include "vlm/base/json.h"
#include "vlm/schema/schema.h"

enum to { TO_JSONL, TO_CSV, TO_XML };

/* A schema that a record names, loaded once; for XML. */
struct described {
    struct described *next;
    const char *name;
    struct schema *schema, *record;
    struct err err; /* why it is of no use */
};

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
    struct described *described;
    struct arena *arena;
    int n_left_out;
    struct err *err;
};

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

static struct described *find_schema(struct export *x, const char *name)
{
    const char *prompt;
    for (struct described *d = x->described; d; d = d->next)
        if (!strcmp(d->name, name)) return d;
    struct described *d = arena_take(x->arena, sizeof *d);
    d->next = x->described;
    d->name = arena_copy(x->arena, span_of(name));
    x->described = d;
    struct desk desk = {.settings = &x->config->stage};
    d->schema = stage_load_schema(name, &desk, x->arena, &prompt, &d->err);
    record_check_xml(d->schema, &d->err);
    d->record = record_schema_new(d->schema, &d->err);
    return d;
}

/* One record less is no reason to go without the others: it is named, and the
 * exit code tells. */
static void leave_out(struct export *x, const char *id, struct err *why)
{
    err_context(why, "done/%s is left out", id);
    reason_log(why);
    x->n_left_out++;
}

static void put_xml(struct export *x, const char *id, const cJSON *record,
                    const char *schema)
{
    struct buf text = buf_limit(1 << 26);
    const struct described *d = find_schema(x, schema);
    struct err own = d->err;
    xml_write_record(d->record, record, NULL, &text, &own);
    /* one document of all: the declaration of each goes */
    const char *from = buf_span(&text).data;
    const char *end = !strncmp(from, "<?xml", 5) ? strstr(from, "?>") : NULL;
    if (err_failed(&own))
        leave_out(x, id, &own);
    else
        buf_add_text(&x->out, end ? end + 2 + (end[2] == '\n') : from);
    buf_free(&text);
}

static void put_record(struct export *x, const char *id, const cJSON *record)
{
    const char *schema =
        json_get_text_or_empty(json_get(record, "schema"), "name");
    if (x->schema && strcmp(x->schema, schema) != 0) return;
    switch (x->to) {
    case TO_CSV:
        same_schema(x, schema);
        if (x->learning)
            csv_learn(x->csv, record, x->err);
        else
            csv_rows(x->csv, record, &x->out);
        return;
    case TO_JSONL:
        json_print(&x->out, record, 0);
        buf_add_text(&x->out, "\n");
        return;
    case TO_XML: put_xml(x, id, record, schema); return;
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
    for (; *id && !err_failed(x->err); id++) {
        int fd = spool_folder_fd(&x->spool, SPOOL_DONE, *id);
        struct err torn = {0};
        cJSON *record = renew_record(fd, x->config, NULL, &torn);
        if (fd >= 0) close(fd);
        if (json_get(record, "parts"))
            ; /* a stack: its documents have the records */
        else if (record)
            put_record(x, *id, record);
        else if (!x->learning)
            leave_out(x, *id, &torn);
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

static void close_schemas(struct export *x)
{
    for (struct described *d = x->described; d; d = d->next) {
        schema_free(d->record);
        schema_free(d->schema);
    }
    arena_free(x->arena);
}

static int export_command(const struct command_line *line, struct err *err)
{
    static const char *const names[] = {"jsonl", "csv", "xml"};
    struct export x = {.config = line->config,
                       .schema = command_value(line, "schema"),
                       .arena = arena_new(),
                       .out = buf_limit(1 << 28),
                       .err = err};
    const char *to = command_value(line, "to");
    size_t i = 0;
    while (i < 3 && (!to || strcmp(names[i], to) != 0))
        i++;
    if (i == 3) err_set(err, ERR_ARGS, "want --to jsonl, csv or xml");
    const char *list = command_value(line, "with");
    struct csv_with *with = list ? csv_with_new(list, err) : NULL;
    x.csv = csv_new(command_value(line, "rows"), with);
    x.to = (enum to)i;
    if (x.to == TO_XML) xml_start();
    if (x.to == TO_XML && x.schema && !err_failed(err))
        *err = find_schema(&x, x.schema)->err;
    spool_open(&x.spool, line->operand[0], false, err);
    if (!err_failed(err)) export_all(&x);
    spool_close(&x.spool);
    close_schemas(&x);
    csv_free(x.csv);
    csv_with_free(with);
    buf_free(&x.out);
    return x.n_left_out ? EXIT_SOME_FAILED : EXIT_OK;
}

static const struct command_flag flags[] = {
    {"to", "FORMAT", "jsonl, csv or xml", 't'},
    {"schema", "NAME", "only records of this schema", 's'},
    {"rows", "FIELD", "csv: one row for each item of this array", 0},
    {"with", "LIST",
     "csv: of confidence,page,verdict,review, beside each value", 0},
    {0},
};

const struct command command_export_row = {
    .name = "export",
    .usage = "SPOOL --to jsonl|csv|xml [--schema NAME] [--rows FIELD] "
             "[--with LIST]",
    .summary = "the records of a spool as one file",
    .help =
        "Prints the records of done/, oldest first. jsonl: one record a line. "
        "xml: all of\nthem in one <records>. csv: one row a record, a column "
        "for each value; arrays are\nJSON text in one cell, or, with --rows, "
        "one row for each item. A cell that a\nspreadsheet would run as a "
        "formula has an apostrophe in front, and so has one\nthat begins with "
        "an apostrophe. seller.name is `name` in `seller`; a point in a\nkey "
        "is written \\.\n\n"
        "With --with confidence,page,verdict,review (or some of them) a value "
        "has columns\nof its own beside it: total#confidence (0..1), "
        "total#page, total#verdict (of the\nsecond reader) and total#review "
        "(true where a warning names it), and the record\n#verdict and "
        "#review. What is not known is an empty cell; a cell that holds an\n"
        "array has the least confidence, the first page and the worst "
        "verdict of what is\nin it. # in a key is written \\#.\n\n"
        "What a person corrected (platen review) is exported corrected, with "
        "\"source\":\n\"person\" in the value's field. "
        "Records of version 1 are exported as those of\nversion 2.\n\n"
        "A record that cannot be exported (its schema is gone, say) is named "
        "and left out;\nthe others are exported, and the exit code is 16.\n\n"
        "  platen export spool --to jsonl | jq .data.total\n"
        "  platen export spool --to csv --schema receipt > receipts.csv\n"
        "  platen export spool --to csv --schema receipt --rows items\n"
        "  platen export spool --to csv --schema receipt --with "
        "confidence,page,review",
    .flag = flags,
    .least = 1,
    .most = 1,
    .run = export_command,
};
