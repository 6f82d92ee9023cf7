/* eval_run.c - see eval_run.h. */
#include "pipeline/eval/eval_run.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/config/config.h"
#include "pipeline/eval/cases.h"
#include "pipeline/local/extract_files.h"
#include "pipeline/review/corrected_record.h"
#include "pipeline/spool/spool.h"
#include "stages/document/reason.h"
#include "stages/record/record.h"
#include "stages/record/review_items.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/base/text.h"
#include "vlm/json/json.h"

/* --- eval spool ------------------------------------------------------------ */

/* The reviewed documents of a spool as cases of an evaluation:
 * the corrected record has the expected values. */

/* Does the folder look like a spool (in/, work/ and done/)? */
static bool eval_spool_is(const char *folder)
{
    static const char *const place[] = {"in", "work", "done"};
    struct arena *arena = arena_new();
    struct stat st;
    bool all = true;
    for (int i = 0; i < 3; i++)
        all &= stat(arena_text(arena, "%s/%s", folder, place[i]), &st) == 0 &&
               S_ISDIR(st.st_mode);
    arena_free(arena);
    return all;
}

/* Was the document fully reviewed? */
static bool is_reviewed(const struct config *config, int fd)
{
    struct err own = {0};
    struct corrected_record_review said = {0};
    cJSON_Delete(corrected_record_record(fd, config, &said, &own));
    return !err_failed(&own) && said.reviewed;
}

static struct cases_one new_case(const char *folder, const char *id,
                                 struct arena *arena)
{
    const char *path = arena_text(arena, "%s/done/%s", folder, id);
    return (struct cases_one){.name = id,
                              .document = arena_text(arena, "%s/doc", path),
                              .expected = path,
                              .folder = "",
                              .stem = id,
                              .reviewed = true};
}

/* Lists the fully reviewed documents of done/ by id; `expected` is their
 * folder, `reviewed` is set. Logs how many were skipped. FAIL: as spool_open;
 * ERR_ARGS: there are none. */
static struct cases eval_spool_list(const struct config *config,
                                    const char *folder, struct arena *arena,
                                    struct err *err)
{
    struct cases all = {0};
    struct spool spool;
    int n_left = 0;
    if (err_failed(err)) return all;
    spool_open(&spool, folder, false, err);
    if (err_failed(err)) return all;
    char **id = spool_list(&spool, SPOOL_DONE, arena, NULL, err);
    for (; id && *id && !err_failed(err); id++) {
        int fd = spool_folder_fd(&spool, SPOOL_DONE, *id);
        bool reviewed = fd >= 0 && is_reviewed(config, fd);
        if (fd >= 0) close(fd);
        n_left += !reviewed;
        if (reviewed)
            *ARENA_ADD(arena, all.one, all.n) = new_case(folder, *id, arena);
    }
    spool_close(&spool);
    if (n_left)
        log_note("%d documents skipped: not fully reviewed (platen review)",
                 n_left);
    if (!all.n && !err_failed(err))
        err_set(err, ERR_ARGS, "%s has no reviewed documents", folder);
    return all;
}

/* The places of values that a person corrected or confirmed. */
static cJSON *places_by_persons(const cJSON *record)
{
    cJSON *places = cJSON_CreateObject();
    const cJSON *field = NULL;
    cJSON_ArrayForEach(field, json_get(record, "fields"))
    {
        if (review_items_is_corrected(field) && json_get(field, "evidence"))
            cJSON_AddItemToObject(places, field->string,
                                  cJSON_Duplicate(field, true));
    }
    return places;
}

/* The expected record of one of them: schema and data, and only the places that
 * a person gave or confirmed; the caller frees it. NULL on failure. FAIL:
 * ERR_INPUT. */
static cJSON *eval_spool_expected(const struct config *config,
                                  const char *folder, struct err *err)
{
    static const char *const kept[] = {"format", "schema", "data"};
    if (err_failed(err)) return NULL;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) err_errno(err, "cannot open");
    cJSON *record =
        fd < 0 ? NULL : corrected_record_record(fd, config, NULL, err);
    if (fd >= 0) close(fd);
    cJSON *expected = cJSON_CreateObject();
    for (int i = 0; i < 3 && !err_failed(err); i++)
        cJSON_AddItemToObject(expected, kept[i],
                              cJSON_Duplicate(json_get(record, kept[i]), true));
    cJSON_AddItemToObject(expected, "fields", places_by_persons(record));
    cJSON_Delete(record);
    err_context(err, "%s", folder);
    if (!err_failed(err)) return expected;
    cJSON_Delete(expected);
    return NULL;
}

/* --- eval run -------------------------------------------------------------- */

struct evaluation {
    const struct config *config;
    const char *schema;  /* --schema, or NULL */
    const char *records; /* --records, or NULL: documents are read */
    struct cases cases;
    const char **schema_of_case; /* schema name of each case */
    struct extract_files *extract;
    int now; /* the case that is being read */
    struct result *result;
    struct arena *arena;
    int n_failed;
    struct err *err;
};

cJSON *eval_run_json(const struct config *config, const char *path,
                     struct err *err)
{
    if (err_failed(err)) return NULL;
    struct arena *arena = arena_new();
    struct json_rules rules = {.depth_max = JSON_DEPTH_MOST, .nul = true};
    struct span text =
        file_map_read(path, (size_t)config->stage.max_record_bytes, arena, err);
    cJSON *value = err_failed(err) ? NULL : json_parse_rules(text, rules, err);
    err_context(err, "%s", path);
    arena_free(arena);
    return value;
}

static cJSON *expected_of(const struct evaluation *x,
                          const struct cases_one *one)
{
    if (one->reviewed)
        return eval_spool_expected(x->config, one->expected, x->err);
    return eval_run_json(x->config, one->expected, x->err);
}

static const char *schema_of_record(const cJSON *record)
{
    return json_get_text_or_empty(json_get(record, "schema"), "name");
}

/* The schema from the flag, the expected record, the sub-folder, or the
 * configuration; "": none. */
static const char *asked_schema(const struct evaluation *x,
                                const struct cases_one *one,
                                const cJSON *expected)
{
    if (x->schema) return x->schema;
    if (result_data(expected) != expected && *schema_of_record(expected))
        return arena_copy(x->arena, span_of(schema_of_record(expected)));
    return *one->folder ? one->folder : x->config->default_schema;
}

/* Determines all schemas, and reads all expected files, before the first
 * document is read. */
static void choose_schemas(struct evaluation *x)
{
    x->schema_of_case = arena_array(x->arena, (size_t)x->cases.n + 1,
                                    sizeof *x->schema_of_case);
    for (int i = 0; i < x->cases.n && !err_failed(x->err); i++) {
        const struct cases_one *one = &x->cases.one[i];
        cJSON *expected = expected_of(x, one);
        x->schema_of_case[i] = asked_schema(x, one, expected);
        if (!*x->schema_of_case[i] && !x->records && !err_failed(x->err))
            err_set(x->err, ERR_ARGS,
                    "%s: which schema? Add --schema NAME, or use a sub-folder "
                    "of that name (see platen schema list)",
                    one->name);
        cJSON_Delete(expected);
    }
}

/* "receipt" of "my/receipt.schema.json". */
static const char *short_name(const char *schema, struct arena *arena)
{
    const char *name = text_base_name(schema);
    const char *end = strstr(name, ".schema.json");
    if (!end) end = strstr(name, ".json");
    return arena_text(arena, "%.*s",
                      (int)(end ? (size_t)(end - name) : strlen(name)), name);
}

static void add_case(struct evaluation *x, int i, const cJSON *record,
                     const struct err *failed)
{
    const struct cases_one *one = &x->cases.one[i];
    cJSON *expected = expected_of(x, one);
    const char *schema = schema_of_record(record);
    struct result_source source = {
        .name = one->name,
        .schema = *schema ? schema : short_name(x->schema_of_case[i], x->arena),
        .path = one->document,
        .expected = expected,
        .record = record,
        .failed = record ? NULL : failed->text};
    if (!err_failed(x->err)) result_add(x->result, &source);
    cJSON_Delete(expected);
}

/* Adds a document that cannot be read: all of its values are missing. */
static void add_failed(struct evaluation *x, int i, const struct err *err)
{
    reason_log(err);
    x->n_failed++;
    add_case(x, i, NULL, err);
}

/* --- given records ------------------------------------------------------- */

static void add_record(struct evaluation *x, int i)
{
    const struct cases_one *one = &x->cases.one[i];
    const char *path = cases_record(one, x->records, x->arena);
    struct err err = {0};
    if (!path && !one->document) return; /* neither document nor record */
    if (!path)
        err_set(&err, ERR_INPUT, "%s: %s has no record of it (%s.json)",
                one->name, x->records, one->stem);
    cJSON *record = path ? eval_run_json(x->config, path, &err) : NULL;
    record_check_format(record, &err);
    if (!err_failed(&err) && !json_get(record, "data"))
        err_set(&err, ERR_INPUT, "%s is not the record of a document", path);
    if (err_failed(&err))
        add_failed(x, i, &err);
    else
        add_case(x, i, record, NULL);
    cJSON_Delete(record);
}

/* --- reading documents --------------------------------------------------- */

static cJSON *parse_record(const struct evaluation *x, struct err *err)
{
    struct buf text = buf_limit((size_t)x->config->stage.max_record_bytes);
    if (err_failed(err)) return NULL;
    extract_files_print(x->extract, READER_JSON_LINE, &text, err);
    if (text.full && !err_failed(err))
        err_reason(err, ERR_LIMIT, "too-large",
                   "the record is longer than max_record_bytes");
    struct json_rules rules = {.depth_max = JSON_DEPTH_MOST, .nul = true};
    cJSON *record =
        err_failed(err) ? NULL : json_parse_rules(buf_span(&text), rules, err);
    buf_free(&text);
    return record;
}

/* Adds the case that was read, or could not be. */
static bool take_case(void *arg, int number, struct err *err)
{
    struct evaluation *x = arg;
    (void)number;
    cJSON *record = parse_record(x, err);
    if (extract_files_hopeless(err) || err->kind == ERR_CANCELLED)
        *x->err = *err;
    else if (err_failed(err))
        add_failed(x, x->now, err);
    else
        add_case(x, x->now, record, NULL);
    cJSON_Delete(record);
    return true;
}

/* Reads all documents with the schema of the first one. */
static void read_schema(struct evaluation *x, int first, bool *ended)
{
    const char *schema = x->schema_of_case[first];
    size_t n = 0;
    for (int i = first; i < x->cases.n; i++)
        n += !ended[i] && !strcmp(x->schema_of_case[i], schema);
    x->extract = extract_files_open(x->config, schema, 0, x->err);
    extract_files_expect(x->extract, n);
    for (int i = first; i < x->cases.n && !err_failed(x->err); i++) {
        if (ended[i] || strcmp(x->schema_of_case[i], schema) != 0) continue;
        x->now = i;
        extract_files_read(x->extract, x->cases.one[i].document, take_case, x);
        ended[i] = true;
    }
    extract_files_close(x->extract);
    x->extract = NULL;
}

static void evaluate(struct evaluation *x)
{
    bool *ended = arena_array(x->arena, (size_t)x->cases.n + 1, sizeof *ended);
    for (int i = 0; i < x->cases.n && !err_failed(x->err); i++) {
        if (x->records)
            add_record(x, i);
        else if (!ended[i])
            read_schema(x, i, ended);
    }
    if (!x->result->n_document && !err_failed(x->err))
        err_set(x->err, ERR_ARGS, "%s has no records of these documents",
                x->records);
}

struct result *eval_run(const struct eval_wanted *wanted, int *n_failed,
                        struct err *err)
{
    if (err_failed(err)) return NULL;
    struct evaluation x = {.config = wanted->config,
                           .schema = wanted->schema,
                           .records = wanted->records,
                           .result = result_new(),
                           .arena = arena_new(),
                           .err = err};
    x.cases =
        eval_spool_is(wanted->folder)
            ? eval_spool_list(wanted->config, wanted->folder, x.arena, err)
            : cases_list(wanted->folder, x.records, x.records != NULL, x.arena,
                         err);
    if (!err_failed(err)) choose_schemas(&x);
    if (!err_failed(err)) evaluate(&x);
    arena_free(x.arena);
    *n_failed += x.n_failed;
    return x.result;
}
