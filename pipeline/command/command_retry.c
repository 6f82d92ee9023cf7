/* command_retry.c - platen retry: failed documents get another chance. */
#include <stdio.h>
#include <string.h>

#include "pipeline/command/commands.h"
#include "pipeline/config/config.h"
#include "pipeline/spool/folder.h"
#include "pipeline/spool/index.h"
#include "stages/reason.h"
#include "vlm/base/json.h"
#include "vlm/base/log.h"

#include <unistd.h>

/* The code in reason.json itself: the folders are the truth. */
static bool has_code(const struct spool *s, const char *id, const char *code)
{
    int fd = spool_folder_fd(s, SPOOL_FAILED, id);
    if (fd < 0) return false;
    cJSON *o = folder_json(fd, "reason.json", SPOOL_JSON_MAX);
    close(fd);
    const cJSON *found = json_get(o, "code");
    bool same = cJSON_IsString(found) && !strcmp(found->valuestring, code);
    cJSON_Delete(o);
    return same;
}

/* Those that are asked for, all of them ids. */
static char **choose(struct spool *s, char **id, const char *code,
                     struct arena *arena, struct err *err)
{
    size_t n = 0, most = 0;
    while (id[most])
        most++;
    char **chosen = arena_array(arena, most + 1, sizeof *chosen);
    for (; *id && !err_failed(err); id++) {
        if (code && !has_code(s, *id, code)) continue;
        if (!spool_is_id(*id))
            err_set(err, ERR_ARGS, "%s is not the id of a document", *id);
        else
            chosen[n++] = *id;
    }
    return chosen;
}

static int retry_ids(struct spool *s, char **id, const char *code,
                     struct arena *arena, struct err *err)
{
    struct err wrong = {0};
    char **chosen = choose(s, id, code, arena, &wrong);
    struct index *index = index_open(s, false);
    size_t n = spool_retry(s, chosen, err);
    if (!err_failed(err)) *err = wrong;
    index_forget(index, chosen, n);
    index_close(index);
    return (int)n;
}

static int retry_command(const struct command_line *line, struct err *err)
{
    struct spool spool;
    const char *code = command_value(line, "reason");
    bool all = command_value(line, "all") != NULL;
    if (code && !reason_find(code)) {
        err_set(err, ERR_ARGS, "%s is not a reason; platen(1) lists them",
                code);
        return EXIT_ARGS;
    }
    if ((line->n_operand > 1) + all + (code != NULL) != 1) {
        err_set(err, ERR_ARGS,
                "want ids, or --all, or --reason CODE: exactly one of them");
        return EXIT_ARGS;
    }
    spool_open(&spool, line->operand[0], false, err);
    struct arena *arena = arena_new();
    char **id = arena_array(arena, (size_t)line->n_operand + 1, sizeof *id);
    for (int i = 1; i < line->n_operand; i++)
        id[i - 1] = line->operand[i];
    if (!err_failed(err) && (all || code))
        id = spool_list(&spool, SPOOL_FAILED, arena, NULL, err);
    int n = err_failed(err) ? 0 : retry_ids(&spool, id, code, arena, err);
    if (!err_failed(err) || n)
        log_note("%d document%s back in work; the next run reads %s", n,
                 n == 1 ? "" : "s", n == 1 ? "it" : "them");
    arena_free(arena);
    spool_close(&spool);
    return EXIT_OK;
}

static const struct command_flag flags[] = {
    {"all", NULL, "everything in failed/", 0},
    {"reason", "CODE", "what failed with this code", 0},
    {0},
};

const struct command command_retry_row = {
    .name = "retry",
    .usage = "SPOOL ID... | --all | --reason CODE",
    .summary = "give failed documents another chance",
    .help = "Moves documents from failed/ back to work/ by one rename each; "
            "the next platen run\n(or the platen watch that runs) reads them "
            "again from the start. Do it after the\ncause is repaired: "
            "reason.json says what that is.\n\n"
            "  platen retry spool --reason unknown-schema\n"
            "  platen retry spool 20261121T021400Z-5e0c8f4d3b2a1907",
    .flag = flags,
    .least = 1,
    .most = -1,
    .run = retry_command,
};
