/* command_retry.c - platen retry: reads failed documents again. */
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/command/failed_documents.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_index.h"
#include "pipeline/spool/spool_names.h"
#include "stages/ask/schema_names.h"
#include "stages/document/reason.h"
#include "vlm/base/log.h"
#include "vlm/base/suggest.h"
#include "vlm/json/json.h"

#include <unistd.h>

/* Reads reason.json: the folders are authoritative, not the index. */
static bool has_code(const struct spool *s, const char *id, const char *code)
{
    int fd = spool_folder_fd(s, SPOOL_FAILED, id);
    if (fd < 0) return false;
    cJSON *o = spool_read_json(fd, "reason.json", SPOOL_JSON_MAX);
    close(fd);
    const cJSON *found = json_get(o, "code");
    bool same = cJSON_IsString(found) && !strcmp(found->valuestring, code);
    cJSON_Delete(o);
    return same;
}

/* The ids of documents that failed with this code (NULL: any) and are not
 * dismissed. */
static char **filter_ids(struct spool *s, char **id, const char *code,
                         struct arena *arena)
{
    size_t n = 0, most = 0;
    while (id[most])
        most++;
    char **chosen = arena_array(arena, most + 1, sizeof *chosen);
    for (; *id; id++) {
        if (code && !has_code(s, *id, code)) continue;
        if (!spool_is_dismissed(s, *id)) chosen[n++] = *id;
    }
    return chosen;
}

static bool is_listed(char **id, size_t n, const char *one)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(id[i], one)) return true;
    return false;
}

/* The documents that the operands name, each once. */
static char **named_ids(struct spool *s, const struct command_line *line,
                        struct arena *arena, struct err *err)
{
    char **all = arena_array(arena, 1, sizeof *all);
    size_t n = 0;
    for (int i = 1; i < line->n_operand && !err_failed(err); i++) {
        char **id = spool_named(s, SPOOL_FAILED, line->operand[i], arena, err);
        size_t n_more = 0;
        while (id[n_more])
            n_more++;
        all = arena_widen(arena, all, n + 1, n + n_more + 1, sizeof *all);
        for (size_t k = 0; k < n_more; k++)
            if (!is_listed(all, n, id[k])) all[n++] = id[k];
        all[n] = NULL;
    }
    return all;
}

char **failed_documents_choose(struct spool *s, const struct command_line *line,
                               struct arena *arena, struct err *err)
{
    if (err_failed(err)) return arena_array(arena, 1, sizeof(char *));
    const char *code = command_value(line, "reason");
    bool all = command_value(line, "all") != NULL;
    if (!all && !code) return named_ids(s, line, arena, err);
    char **id = spool_list(s, SPOOL_FAILED, arena, NULL, err);
    return filter_ids(s, id, code, arena);
}

void failed_documents_check(const struct command_line *line, struct err *err)
{
    if (err_failed(err)) return;
    const char *code = command_value(line, "reason");
    bool all = command_value(line, "all") != NULL;
    if (code && !reason_find(code)) {
        struct suggest near = suggest_begin(code);
        for (size_t i = 0; reason_at(i); i++)
            suggest_try(&near, reason_at(i)->code);
        err_set(err, ERR_ARGS,
                "%s is not a reason code%s%s%s; platen(1) lists them", code,
                near.best ? " (did you mean " : "", near.best ? near.best : "",
                near.best ? "?)" : "");
    } else if ((line->n_operand > 1) + all + (code != NULL) != 1) {
        err_set(err, ERR_ARGS,
                "name documents by id or file name, --all or --reason CODE, by "
                "exactly one of these");
    }
}

static void check_schema(const struct command_line *line, const char *name,
                         struct arena *arena, struct err *err)
{
    const char *folder = line->config->stage.schemas;
    if (err_failed(err) || !name) return;
    for (const char **one = schema_names(folder, arena); *one; one++)
        if (!strcmp(*one, name)) return;
    err_reason(err, ERR_CONFIG, "unknown-schema", "no schema %s in %s%s", name,
               folder, schema_names_hint(folder, name, arena));
}

static int retry_ids(struct spool *s, char **id, const char *schema,
                     struct err *err)
{
    struct err wrong = {0};
    size_t n_set = 0;
    for (; schema && id[n_set] && !err_failed(&wrong); n_set++)
        spool_set_folder(s, id[n_set], schema, &wrong);
    if (err_failed(&wrong)) id[n_set - 1] = NULL;
    struct spool_index *index = spool_index_open(s, false);
    size_t n = spool_retry(s, id, err);
    if (!err_failed(err)) *err = wrong;
    spool_index_forget(index, id, n);
    spool_index_close(index);
    return (int)n;
}

static int retry_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    const char *schema = command_value(line, "schema");
    failed_documents_check(line, err);
    if (err_failed(err)) return EXIT_ARGS;
    struct arena *arena = arena_new();
    struct err wrong = {0};
    check_schema(line, schema, arena, err);
    spool_open(&spool, line->operand[0], false, err);
    int n = 0;
    if (!err_failed(err)) {
        char **id = failed_documents_choose(&spool, line, arena, &wrong);
        n = retry_ids(&spool, id, schema, err);
        if (!err_failed(err)) *err = wrong;
    }
    if (!err_failed(err) || n)
        log_note("%d document%s back in work; the next run reads %s%s%s", n,
                 n == 1 ? "" : "s", n == 1 ? "it" : "them",
                 schema ? " with the schema " : "", schema ? schema : "");
    arena_free(arena);
    spool_close(&spool);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"all", NULL, "everything in failed/ that is not dismissed", 0},
    {"reason", "CODE", "what failed with this code and is not dismissed", 0},
    {"schema", "NAME", "read with this schema", 's'},
    {0},
};

const struct command command_retry_row = {
    .name = "retry",
    .usage = "SPOOL ID|NAME... | --all | --reason CODE [--schema NAME]",
    .summary = "read failed documents again",
    .help =
        "Moves documents from failed/ back to work/, by one rename each; the "
        "next platen run, or a running platen watch, reads them again from the "
        "start. Fix the cause first: reason.json names it. With --schema they "
        "are read as if they had been dropped into in/NAME/.\n"
        "\n"
        "A document is named by its id, its file name (receipt/x.pdf or x.pdf) "
        "or a pattern (\"*.pdf\"); all that match are retried.\n"
        "\n"
        "  platen retry spool x.pdf\n"
        "  platen retry spool --reason unknown-schema --schema receipt\n"
        "  platen retry spool 20261121T021400Z-5e0c8f4d3b2a1907",
    .flag = flags,
    .least = 1,
    .most = -1,
    .run = retry_command,
};
