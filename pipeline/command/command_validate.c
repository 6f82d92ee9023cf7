/* command_validate.c - platen validate: checks records against a schema. */
#include <stdio.h>

#include "pipeline/command/commands.h"
#include "pipeline/local/schema_file.h"
#include "stages/document/reason.h"
#include "stages/record/record_schema.h"
#include "stages/record/xml.h"
#include "stages/record/xsd.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

enum { RECORD_BYTES_MOST = 64 << 20 };

struct verdict {
    const char *file;
    enum exit_code code;
    struct findings findings;
    const char *prefix;  /* of the instance pointers */
    bool many;           /* the file is an array of records */
    const char *trouble; /* why there is no verdict, or NULL */
};

/* The value to check: "data" of a record of platen's, else all of it. */
static const cJSON *data_of(const cJSON *value, const char **prefix)
{
    static const char *const key[] = {"id", "source", "pages", "schema",
                                      "engine"};
    const cJSON *data = json_get(value, "data");
    *prefix = "";
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (!json_get(value, key[i])) return value;
    if (!data) return value;
    *prefix = "/data";
    return data;
}

struct checker {
    const struct schema *schema;
    bool is_own;           /* the schema is for whole records of platen's */
    struct schema *record; /* for XML; made for the first XML file */
    struct xsd *xsd;
};

static bool is_xml(struct span text)
{
    size_t i = text.size >= 3 && !memcmp(text.data, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (i < text.size && strchr(" \t\r\n", text.data[i]))
        i++;
    return i < text.size && text.data[i] == '<';
}

/* Reports a finding in libxml2's words. */
static void add_xsd_finding(struct verdict *v, const char *why,
                            struct arena *arena)
{
    v->findings.finding = arena_alloc(arena, sizeof *v->findings.finding);
    v->findings.n_finding = 1;
    v->findings.finding[0] = (struct finding){.instance = "",
                                              .schema = "",
                                              .found = why,
                                              .wanted = "what the XSD allows"};
}

/* The value of an XML record that is valid against the XSD. Otherwise NULL, and
 * the verdict is set, or `own` if the text is not XML. */
static cJSON *read_xml(struct checker *j, struct span text, struct verdict *v,
                       struct arena *arena, struct err *own, struct err *err)
{
    xml_start();
    if (!xml_is_well_formed(text, own)) return NULL;
    if (!j->record && !j->is_own) j->record = record_schema_new(j->schema, err);
    if (!j->xsd) j->xsd = xsd_open(j->is_own ? j->schema : j->record, err);
    if (err_failed(err)) return NULL;
    struct err mapping = {0};
    bool whole = false;
    const char *why;
    /* reading data needs the schema of the data */
    cJSON *value =
        j->is_own ? NULL : xml_read(text, j->record, &whole, &mapping);
    if (!xsd_validate(j->xsd, text, arena, &why, err) ||
        (!value && !j->is_own)) {
        cJSON_Delete(value);
        if (!why) why = arena_copy(arena, span_of(mapping.text));
        add_xsd_finding(v, why, arena);
        v->code = EXIT_OUTPUT;
        return NULL;
    }
    v->many = whole && cJSON_IsArray(value);
    return value;
}

/* Checks a record, or each of many until one is not valid. */
static void check_value(const struct checker *j, const cJSON *value,
                        struct verdict *v, struct arena *arena, struct err *err)
{
    const cJSON *one = v->many ? value->child : value;
    for (int i = 0; one && v->code == EXIT_OK && !err_failed(err);
         one = one->next, i++) {
        const cJSON *data = j->is_own ? one : data_of(one, &v->prefix);
        if (v->many) v->prefix = arena_text(arena, "/%d%s", i, v->prefix);
        if (!schema_validate(j->schema, data, arena, &v->findings, err))
            v->code = EXIT_OUTPUT;
        if (!v->many) return;
    }
}

/* Reads and checks one file. Failures of the schema itself go to err. */
static struct verdict check_file(struct checker *j, const char *file,
                                 struct arena *arena, struct err *err)
{
    struct verdict v = {.file = file, .prefix = ""};
    struct err own = {0};
    struct span text = file_map_read(file, RECORD_BYTES_MOST, arena, &own);
    bool readable = !err_failed(&own);
    cJSON *value = readable && is_xml(text)
                       ? read_xml(j, text, &v, arena, &own, err)
                       : json_parse_rules(json_unmarked(text, &own),
                                          schema_rules(j->schema), &own);
    if (readable) err_context(&own, "%s", file);
    if (value) {
        check_value(j, value, &v, arena, err);
    } else if (err_failed(&own)) {
        v.code = own.kind == ERR_INPUT || own.kind == ERR_LIMIT ? EXIT_INPUT
                                                                : EXIT_ACCESS;
        v.trouble = arena_copy(arena, span_of(own.text));
    }
    cJSON_Delete(value);
    return v;
}

static void print_verdict(const struct verdict *v, struct buf *out)
{
    if (v->code == EXIT_OK) buf_print(out, "%s: valid\n", v->file);
    for (int i = 0; i < v->findings.n_finding; i++) {
        const struct finding *f = &v->findings.finding[i];
        buf_print(out, "%s: %s%s%s: found %s, wanted %s (schema %s)\n", v->file,
                  v->prefix, f->instance, *v->prefix || *f->instance ? "" : "/",
                  f->found, f->wanted, *f->schema ? f->schema : "/");
    }
}

static cJSON *verdict_tree(const struct verdict *v, struct arena *arena)
{
    cJSON *tree = cJSON_CreateObject();
    cJSON_AddStringToObject(tree, "file", v->file);
    if (v->trouble) {
        cJSON_AddItemToObject(tree, "valid", cJSON_CreateNull());
        cJSON_AddStringToObject(tree, "error", v->trouble);
        return tree;
    }
    cJSON_AddItemToObject(tree, "valid", cJSON_CreateBool(v->code == EXIT_OK));
    cJSON *list = cJSON_AddArrayToObject(tree, "findings");
    for (int i = 0; i < v->findings.n_finding; i++) {
        const struct finding *f = &v->findings.finding[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(
            one, "instance", arena_text(arena, "%s%s", v->prefix, f->instance));
        cJSON_AddStringToObject(one, "schema", f->schema);
        cJSON_AddStringToObject(one, "found", f->found);
        cJSON_AddStringToObject(one, "wanted", f->wanted);
        cJSON_AddItemToArray(list, one);
    }
    return tree;
}

/* The exit code of two files: unreadable outranks invalid. */
static enum exit_code worse(enum exit_code a, enum exit_code b)
{
    static const enum exit_code order[] = {EXIT_ACCESS, EXIT_INPUT,
                                           EXIT_OUTPUT};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i]) return order[i];
    return EXIT_OK;
}

static int validate_command(const struct command_line *line, struct err *err)
{
    const char *name = command_value(line, "schema");
    if (!name) {
        err_set(err, ERR_ARGS, "--schema NAME|FILE is needed");
        return EXIT_ARGS;
    }
    struct schema *schema = schema_file_open(line, name, true, err);
    struct checker j = {.schema = schema,
                        .is_own = schema && record_schema_is_general(schema)};
    bool json = command_value(line, "json") != NULL;
    enum exit_code code = EXIT_OK;
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < line->n_operand && !err_failed(err); i++) {
        struct arena *arena = arena_new();
        struct buf out = buf_limit(1 << 24);
        struct verdict v = check_file(&j, line->operand[i], arena, err);
        err_context(err, "%s", line->operand[i]);
        if (!err_failed(err)) {
            if (v.trouble) log_note("%s", v.trouble);
            print_verdict(&v, &out);
            cJSON_AddItemToArray(list, verdict_tree(&v, arena));
            code = worse(code, v.code);
        }
        if (!json) fwrite(buf_span(&out).data, 1, out.size, stdout);
        buf_free(&out);
        arena_free(arena);
    }
    if (json && !err_failed(err)) {
        struct buf out = buf_limit(SIZE_MAX / 4);
        json_print(&out, list, 2);
        printf("%s\n", out.data);
        buf_free(&out);
    }
    cJSON_Delete(list);
    xsd_close(j.xsd);
    schema_free(j.record);
    schema_free(schema);
    return (int)code;
}

static const struct command_flag flags[] = {
    {"schema", "NAME|FILE", "what to validate against", 0},
    {"json", NULL, "print findings as one JSON value", 0},
    {"format-asserts", NULL, "enforce `format` of strings", 0},
    {"catalogue", "DIR", "folder for references (schema_catalogue)", 0},
    {"allow-unknown", NULL, "do not report unknown or misspelled keywords", 0},
    {0},
};

const struct command command_validate_row = {
    .name = "validate",
    .usage = "--schema NAME|FILE RECORD... [--json] [--format-asserts]",
    .summary = "check records against a schema",
    .help = "Prints one line per finding, the worst first: the place, what was "
            "found, what was expected, and the part of the schema. For a "
            "record of platen, `data` is checked; for any other file, all of "
            "it. With --schema record (or stack) the whole record is checked "
            "against platen's own schema.\n"
            "\n"
            "JSON is read strictly: no duplicate keys, no \\u0000, at most 64 "
            "levels deep. XML (a <record>, <records> or <data> of "
            "urn:platen:record:2) is checked against the XSD of platen schema "
            "xsd and, read back, against the schema. A schema without "
            "requirements (true or {}) accepts whatever RFC 8259 allows.\n"
            "\n"
            "Exits with 0 (valid), 4 (not valid), 2 (not JSON or XML), 9 (the "
            "schema is refused), 5 (a file cannot be read).",
    .flag = flags,
    .least = 1,
    .most = -1,
    .run = validate_command,
};
