/* eval_run.c - see eval_run.h. */
#include "pipeline/eval/eval_run.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/config/config.h"
#include "pipeline/local/extract_files.h"
#include "pipeline/spool/corrected_record.h"
#include "pipeline/spool/file_name.h"
#include "pipeline/spool/spool.h"
#include "stages/document/reason.h"
#include "stages/record/record.h"
#include "stages/record/review_items.h"
#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/file_map.h"
#include "vlm/base/log.h"
#include "vlm/base/sort.h"
#include "vlm/base/text.h"
#include "vlm/json/json.h"

/* --- cases ------------------------------------------------------------- */

/* The documents of a folder and their expected values.
 *
 *   FOLDER/a.pdf  FOLDER/a.json          (or a.pdf.json)
 *   FOLDER/receipt/b.png  FOLDER/receipt/b.json     for the schema receipt
 *
 * An expected file has the value, or a whole record of platen, of which data
 * and places are used.
 */

struct cases_one {
    const char *name;     /* "receipt/b.png" */
    const char *document; /* path; NULL: only the expected file exists */
    const char *expected; /* path of the expected file */
    const char *folder;   /* "receipt", or "" */
    const char *stem;     /* "b", the name of its record */
    bool reviewed;        /* from a spool; `expected` is its folder in done/ */
};

struct cases {
    struct cases_one *one; /* sorted by name, folder by folder */
    int n;
};

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_same(const char *a, const char *b)
{
    struct stat x, y;
    return b && stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* The names in a folder, sorted, NULL after the last. */
static char **list_names(const char *folder, struct arena *arena,
                         struct err *err)
{
    DIR *dir = opendir(folder);
    size_t n = 0;
    char **name = NULL;
    if (!dir)
        err_reason(err, ERR_INPUT, "unreadable", "%s: %s", folder,
                   strerror(errno));
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (file_name_ignored(e->d_name, NULL)) continue;
        *ARENA_ADD(arena, name, n) = arena_copy(arena, span_of(e->d_name));
    }
    if (dir) closedir(dir);
    if (n) qsort(name, n, sizeof *name, sort_by_text);
    *ARENA_ADD(arena, name, n) = NULL;
    return name;
}

static const char *stem_of(const char *name, struct arena *arena)
{
    struct buf stem = buf_limit(4096);
    file_name_stem(name, &stem);
    const char *kept = arena_copy(arena, buf_span(&stem));
    buf_free(&stem);
    return kept;
}

static void add_one_case(struct cases *all, struct cases_one one,
                         struct arena *arena)
{
    *ARENA_ADD(arena, all->one, all->n) = one;
}

/* The case with this expected file, from the case `first` on, or NULL. */
static const struct cases_one *case_of_file(const struct cases *all, int first,
                                            const char *expected)
{
    for (int i = first; i < all->n; i++)
        if (!strcmp(all->one[i].expected, expected)) return &all->one[i];
    return NULL;
}

static const char *path_in(const char *folder, const char *name,
                           struct arena *arena)
{
    return arena_text(arena, "%s/%s", folder, name);
}

/* The current folder. */
struct cases_folder {
    const char *path, *name;
    int first; /* index of its first case */
};

static const char *shown_name(const struct cases_folder *f, const char *name,
                              struct arena *arena)
{
    return *f->name ? path_in(f->name, name, arena) : name;
}

static void add_document(struct cases *all, const struct cases_folder *f,
                         const char *name, struct arena *arena, struct err *err)
{
    size_t n = strlen(name) - strlen(strrchr(name, '.'));
    const char *own = arena_text(arena, "%s/%s.json", f->path, name);
    const char *expected =
        arena_text(arena, "%s/%.*s.json", f->path, (int)n, name);
    if (is_file(own)) expected = own;
    if (!is_file(expected)) {
        log_warn("%s/%s skipped: no expected values (%s)", f->path, name,
                 expected);
        return;
    }
    const struct cases_one *other = case_of_file(all, f->first, expected);
    if (other) {
        err_set(err, ERR_ARGS,
                "%s belongs to both %s and %s: rename one to %s.json", expected,
                other->name, name, name);
        return;
    }
    add_one_case(all,
                 (struct cases_one){.name = shown_name(f, name, arena),
                                    .document = path_in(f->path, name, arena),
                                    .expected = expected,
                                    .folder = f->name,
                                    .stem = stem_of(name, arena)},
                 arena);
}

static void add_expected(struct cases *all, const struct cases_folder *f,
                         const char *name, struct arena *arena)
{
    const char *path = path_in(f->path, name, arena);
    int n = (int)strlen(name) - 5;
    if (case_of_file(all, f->first, path)) return;
    add_one_case(all,
                 (struct cases_one){.name = shown_name(f, name, arena),
                                    .expected = path,
                                    .folder = f->name,
                                    .stem = arena_text(arena, "%.*s", n, name)},
                 arena);
}

static void list_one(struct cases *all, const struct cases_folder *f,
                     bool without_document, struct arena *arena,
                     struct err *err)
{
    if (err_failed(err)) return;
    char **names = list_names(f->path, arena, err);
    for (char **name = names; *name && !err_failed(err); name++)
        if (file_name_is_document(*name) &&
            is_file(path_in(f->path, *name, arena)))
            add_document(all, f, *name, arena, err);
    for (char **name = names; without_document && *name; name++)
        if (text_stem(*name, ".json")) add_expected(all, f, *name, arena);
}

/* Lists the cases of a folder, in the arena, without the sub-folder `but` (or
 * NULL); without_document: includes expected files without a document.
 * Documents without an expected file are skipped with a warning. FAIL:
 * [unreadable]; ERR_ARGS: no cases, or one expected file for two documents. */
static struct cases cases_list(const char *folder, const char *but,
                               bool without_document, struct arena *arena,
                               struct err *err)
{
    struct cases all = {0};
    if (err_failed(err)) return all;
    struct cases_folder top = {folder, "", 0};
    list_one(&all, &top, without_document, arena, err);
    char **names = list_names(folder, arena, err);
    for (char **name = names; *name && !err_failed(err); name++) {
        const char *path = path_in(folder, *name, arena);
        struct cases_folder below = {path, *name, all.n};
        if (is_folder(path) && !is_same(path, but))
            list_one(&all, &below, without_document, arena, err);
    }
    if (!all.n && !err_failed(err))
        err_set(err, ERR_ARGS,
                "%s has no documents with expected values: x.pdf (or .png, "
                ".jpg, .tif, .webp) and x.json next to it",
                folder);
    return all;
}

/* The path of a case's record in a folder of records, in the arena: in the
 * case's sub-folder, in the folder itself, or in a spool; NULL: there is
 * none. */
static const char *cases_record(const struct cases_one *one,
                                const char *records, struct arena *arena)
{
    const char *below =
        arena_text(arena, "%s/%s/%s.json", records, one->folder, one->stem);
    const char *path = arena_text(arena, "%s/%s.json", records, one->stem);
    const char *done =
        arena_text(arena, "%s/done/%s/record.json", records, one->stem);
    if (one->reviewed && is_file(done)) return done;
    if (*one->folder && is_file(below)) return below;
    return is_file(path) ? path : NULL;
}

/* --- eval run ---------------------------------------------------------- */

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
    struct eval_examples *examples;
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

static void read_case(struct evaluation *x, int i)
{
    const struct cases_one *one = &x->cases.one[i];
    x->now = i;
    if (x->examples) {
        cJSON *expected = expected_of(x, one);
        eval_examples_next(x->examples, one->document, x->schema_of_case[i],
                           result_data(expected), x->err);
        cJSON_Delete(expected);
    }
    if (!err_failed(x->err))
        extract_files_read(x->extract, one->document, take_case, x);
}

/* Reads all documents with the schema of the first one. */
static void read_schema(struct evaluation *x, int first, bool *ended)
{
    const char *schema = x->schema_of_case[first];
    size_t n = 0;
    for (int i = first; i < x->cases.n; i++)
        n += !ended[i] && !strcmp(x->schema_of_case[i], schema);
    x->extract = extract_files_open(x->config, schema, 0, x->err);
    if (x->examples)
        extract_files_examples(x->extract, eval_examples_find, x->examples);
    extract_files_expect(x->extract, n);
    for (int i = first; i < x->cases.n && !err_failed(x->err); i++) {
        if (ended[i] || strcmp(x->schema_of_case[i], schema) != 0) continue;
        read_case(x, i);
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
                           .examples = wanted->examples,
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
