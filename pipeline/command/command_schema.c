/* command_schema.c - platen schema: list, show, plan, xsd, check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/local/schema_file.h"
#include "stages/ask/schema_names.h"
#include "stages/document/reason.h"
#include "stages/long/plan/plan.h"
#include "stages/record/record_schema.h"
#include "stages/record/xsd.h"
#include "vlm/base/buf.h"
#include "vlm/base/err.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/base/span.h"
#include "vlm/grammar/grammar.h"
#include "vlm/json/json.h"
#include "vlm/schema/keyword.h"

/* --- schema shape ------------------------------------------------------ */

/* Recognises files that are given as a schema and are none. */

enum { NAMES_MAX = 3, NAMES_BYTES_MAX = 200 };

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, list[i])) return true;
    return false;
}

/* A type that has a value of its own, unlike an object or an array of
 * anything. */
static bool is_scalar(const cJSON *type)
{
    static const char *const scalar[] = {"string", "number", "integer",
                                         "boolean", "null"};
    return cJSON_IsString(type) && is_one_of(type->valuestring, scalar,
                                             sizeof scalar / sizeof scalar[0]);
}

/* Whether a keyword can request a value. */
static bool requests(const cJSON *root, const cJSON *keyword)
{
    static const char *const schemas[] = {
        "properties",  "patternProperties",
        "allOf",       "anyOf",
        "oneOf",       "items",
        "prefixItems", "additionalProperties",
        "contains",    "dependentSchemas",
        "if",          "unevaluatedProperties",
        "enum",        "required",
        "extends"};
    static const char *const always[] = {"$ref", "$dynamicRef", "$recursiveRef",
                                         "const"};
    const char *name = keyword->string;
    const cJSON *one;
    if (is_one_of(name, always, sizeof always / sizeof always[0])) return true;
    if (!strcmp(name, "type") && cJSON_IsArray(keyword)) {
        cJSON_ArrayForEach(one, keyword) if (is_scalar(one)) return true;
        return false;
    }
    if (!strcmp(name, "type")) return is_scalar(keyword);
    /* a list is a schema only in old drafts, but an example's items often */
    if (!strcmp(name, "items") && cJSON_IsArray(keyword))
        return cJSON_IsString(json_get(root, "$schema"));
    return keyword->child &&
           is_one_of(name, schemas, sizeof schemas / sizeof schemas[0]);
}

/* The member that holds a schema in what APIs of language models take: OpenAI's
 * response_format and tools, Anthropic's tools. NULL: it is none. */
static const char *wrapped_in(const cJSON *root)
{
    static const char *const outer[] = {"json_schema", "function"};
    static const char *const inner[] = {"schema", "parameters", "input_schema"};
    for (size_t i = 0; i < sizeof outer / sizeof outer[0]; i++)
        if (json_get(root, outer[i])) root = json_get(root, outer[i]);
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++) {
        const cJSON *member = json_get(root, inner[i]);
        if (cJSON_IsString(json_get(root, "name")) && cJSON_IsObject(member))
            return inner[i];
    }
    return NULL;
}

/* Appends the names of the first members that are no keywords of a schema. False
 * if one is a misspelled keyword, which loading the schema reports. */
static bool list_names(const cJSON *root, struct buf *out)
{
    int n = 0;
    const cJSON *one;
    cJSON_ArrayForEach(one, root)
    {
        if (!one->string || *one->string == '$' || keyword_find(one->string))
            continue;
        if (keyword_near(one->string, one)) return false;
        buf_print(out, "%s\"%.40s\"", n ? ", " : "", one->string);
        if (++n == NAMES_MAX) return true;
    }
    return true;
}

static void check_members(const cJSON *root, const char *name, bool loads,
                          struct err *err)
{
    const cJSON *one;
    cJSON_ArrayForEach(one,
                       root) if (one->string && requests(root, one)) return;
    struct buf names = buf_limit(NAMES_BYTES_MAX);
    bool spelled = list_names(root, &names);
    if (spelled && names.size)
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "%s: it requests nothing: it looks like an example document "
                   "with the members %s: describe its values in \"properties\"",
                   name, names.data);
    else if (loads)
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "%s: it requests nothing: name the values to read in "
                   "\"properties\"",
                   name);
    buf_free(&names);
}

/* Refuses a schema that requests no value: an example document, an API's
 * wrapper around a schema, or one without properties; the error says which.
 * `loads`: loading it succeeded. If not, only the first two are refused, since
 * otherwise the loader's error says more. FAIL: [schema-refused]. */
static void schema_shape_check(struct span text, const char *name, bool loads,
                               struct err *err)
{
    if (err_failed(err)) return;
    struct err own = {0};
    cJSON *root = json_parse(json_unmarked(text, &own), &own);
    const char *member = root ? wrapped_in(root) : NULL;
    if (member)
        err_reason(err, ERR_CONFIG, "schema-refused",
                   "%s: it looks like a request to an API, with the schema in "
                   "its member \"%s\": save that member alone",
                   name, member);
    else if (root && !cJSON_IsFalse(root))
        check_members(root, name, loads, err);
    cJSON_Delete(root);
}

/* --- command schema ---------------------------------------------------- */

enum { SCHEMA_BYTES_MOST = 16 << 20 };

static bool is_readable(const char *path)
{
    bool readable = file_map_can_read(path);
    if (!readable) log_warn("%s: not a readable file; skipped", path);
    return readable;
}

static void list_schemas(const struct command_line *line, struct arena *arena,
                         struct err *err)
{
    const char *folder = line->config->stage.schemas;
    if (access(arena_text(arena, "%s/.", folder), R_OK | X_OK))
        err_errno(err, "%s", folder);
    for (const char **name = schema_names(folder, arena); *name; name++) {
        struct err own = {0};
        if (!is_readable(arena_text(arena, "%s/%s.schema.json", folder, *name)))
            continue;
        struct schema *s = schema_file_open(line, *name, false, &own);
        printf("%-20s %s\n", *name,
               s ? schema_title(s) : "refused: see platen schema check");
        schema_free(s);
    }
}

static void show_schema(const struct command_line *line, const char *name,
                        struct arena *arena, struct err *err)
{
    struct buf own = buf_limit(SCHEMA_BYTES_MOST);
    struct span text = {NULL, 0};
    if (schema_file_is_own(line, name, &own)) {
        text = buf_span(&own);
    } else {
        const char *path = schema_file_path(line, name, arena, err);
        if (path) text = file_map_read(path, SCHEMA_BYTES_MOST, arena, err);
    }
    if (!err_failed(err)) fwrite(text.data, 1, text.size, stdout);
    buf_free(&own);
}

/* Opens a schema to be checked. That a file is no schema at all says more than
 * what is wrong with it as a schema. */
static struct schema *open_to_check(const struct command_line *line,
                                    const char *name, struct err *err)
{
    struct err shape = {0};
    struct arena *arena = arena_new();
    struct schema *s = schema_file_open_asserting(line, name, err);
    const char *path = schema_file_is_own(line, name, NULL)
                           ? NULL
                           : schema_file_path(line, name, arena, &shape);
    if (path)
        schema_shape_check(
            file_map_read(path, SCHEMA_BYTES_MOST, arena, &shape), name,
            s != NULL, &shape);
    arena_free(arena);
    if (!err_failed(&shape)) return s;
    *err = shape;
    schema_free(s);
    return NULL;
}

/* Loads a schema, and prints what the grammar cannot enforce. */
static void check_schema(const struct command_line *line, const char *name,
                         struct err *err)
{
    struct schema *s = open_to_check(line, name, err);
    if (!s) return;
    struct grammar *g = grammar_compile(s, err);
    if (g) {
        struct buf out = buf_limit(1 << 20);
        grammar_report(g, &out);
        printf("%s: supported completely%s\n", schema_name(s),
               out.size ? "; checked after generation, not during it:"
                        : ", and enforced during generation");
        fwrite(buf_span(&out).data, 1, out.size, stdout);
        buf_cut(&out, 0);
        grammar_openings(g, &out);
        if (out.size)
            printf("%s: extra members are allowed, but not generated, in:\n%s",
                   schema_name(s), out.data);
        buf_free(&out);
    }
    grammar_free(g);
    schema_free(s);
}

/* Prints the XSD of records, with formats asserted as in extraction. */
static void print_xsd(const struct command_line *line, const char *name,
                      struct err *err)
{
    struct schema *s = schema_file_open_asserting(line, name, err);
    bool general = s && record_schema_is_general(s);
    struct schema *record = general ? NULL : record_schema_new(s, err);
    struct buf out = buf_limit(SCHEMA_BYTES_MOST);
    xsd_write(general ? s : record, &out, err);
    if (!err_failed(err)) fwrite(out.data, 1, out.size, stdout);
    err_context(err, "%s", name);
    buf_free(&out);
    schema_free(record);
    schema_free(s);
}

/* Prints how a document longer than one answer is read. */
static void print_plan(const struct command_line *line, const char *name,
                       struct err *err)
{
    struct schema *s = schema_file_open_asserting(line, name, err);
    struct plan *p = plan_new(s, false, err);
    struct buf out = buf_limit(1 << 20);
    if (p) plan_print(p, &out);
    if (out.size) fwrite(out.data, 1, out.size, stdout);
    err_context(err, "%s", name);
    buf_free(&out);
    plan_free(p);
    schema_free(s);
}

static int schema_command(const struct command_line *line, struct err *err)
{
    const char *verb = line->operand[0];
    bool is_list = !strcmp(verb, "list");
    int n_name = line->n_operand - 1;
    struct arena *arena = arena_new();
    if (is_list ? n_name != 0 : n_name < 1)
        err_set(err, ERR_ARGS, "usage: platen schema %s", line->command->usage);
    else if (is_list)
        list_schemas(line, arena, err);
    else if (strcmp(verb, "show") != 0 && strcmp(verb, "check") != 0 &&
             strcmp(verb, "xsd") != 0 && strcmp(verb, "plan") != 0)
        err_set(err, ERR_ARGS, "%s: not one of list, show, plan, xsd, check",
                verb);
    for (int i = 1; i <= n_name && !err_failed(err) && !is_list; i++) {
        if (!strcmp(verb, "show"))
            show_schema(line, line->operand[i], arena, err);
        else if (!strcmp(verb, "xsd"))
            print_xsd(line, line->operand[i], err);
        else if (!strcmp(verb, "plan"))
            print_plan(line, line->operand[i], err);
        else
            check_schema(line, line->operand[i], err);
    }
    arena_free(arena);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"catalogue", "DIR", "folder for references (schema_catalogue)", 0},
    {"format-asserts", NULL, "enforce `format` of strings", 0},
    {0},
};

const struct command command_schema_row = {
    .name = "schema",
    .usage = "list | show NAME | plan NAME|FILE | xsd NAME|FILE | check "
             "NAME|FILE...",
    .summary = "list, show and check schemas",
    .help =
        "list\tall schemas of the schemas folder, with their titles\n"
        "show\tthe schema's text; `record` and `stack` (or platen-record, "
        "platen-stack, if you have schemas of these names) are platen's own\n"
        "plan\thow documents longer than one answer are read: which arrays "
        "page by page, other values from which pages (\"x-platen-read\": "
        "\"rows\" or \"whole\" on an array overrides it; /a/*/b: tables within "
        "rows of /a)\n"
        "xsd\tthe XML Schema of its records (--format xml); see "
        "docs/record.md\n"
        "check\tloads it: misspelled keywords, contradictions, dangling or "
        "circular references and dangerous patterns are refused with their "
        "place (exit status 9), and so are example documents and other files "
        "that request nothing; then lists what cannot be enforced during "
        "generation, open objects (extra members are allowed, but none will be "
        "generated), and unknown keywords\n"
        "\n"
        "Drafts 4, 6, 7, 2019-09 and 2020-12, by $schema; --draft for schemas "
        "without it.",
    .flag = flags,
    .least = 1,
    .most = -1,
    .run = schema_command,
};
