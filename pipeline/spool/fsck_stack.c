/* fsck_stack.c - see fsck_stack.h. */
#include "pipeline/spool/fsck_stack.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_part.h"
#include "pipeline/spool/spool_prune.h"
#include "vlm/json/json.h"

/* Looks in the order in which a part moves, twice, so that a moving part is not
 * missed. */
static bool part_exists(const struct spool *s, int stack_fd, const char *id)
{
    static const enum spool_place way[] = {SPOOL_WORK, SPOOL_DONE,
                                           SPOOL_FAILED};
    char staged[SPOOL_ID_SIZE + 8];
    snprintf(staged, sizeof staged, "parts/%.39s", id);
    for (int round = 0; round < 2; round++) {
        if (spool_exists(stack_fd, staged)) return true;
        for (size_t i = 0; i < sizeof way / sizeof way[0]; i++)
            if (spool_exists(s->place[way[i]], id)) return true;
    }
    return false;
}

static const char *list_fault(const struct spool *s, const char *id, int fd,
                              const cJSON *parts, char *text)
{
    const cJSON *part = NULL;
    bool delivered = spool_exists(fd, "delivered");
    bool pruning = spool_exists(fd, SPOOL_PRUNING);
    int n = 0;
    cJSON_ArrayForEach(part, parts)
    {
        char wanted[SPOOL_ID_SIZE], staged[SPOOL_ID_SIZE + 8];
        spool_part_id(id, ++n, wanted);
        snprintf(staged, sizeof staged, "parts/%.39s", wanted);
        const char *pages = json_get_text_or_empty(part, "pages");
        if (strcmp(json_get_text_or_empty(part, "id"), wanted) != 0)
            snprintf(text, FSCK_STACK_TEXT, "its part %d has the wrong id", n);
        else if (delivered && spool_exists(fd, staged))
            snprintf(text, FSCK_STACK_TEXT,
                     "its part %.39s was never moved to work/", wanted);
        else if (!pruning && !part_exists(s, fd, wanted))
            snprintf(text, FSCK_STACK_TEXT,
                     "its part %.39s (pages %.60s) is missing", wanted, pages);
        else
            continue;
        return text;
    }
    return NULL;
}

static const char *stack_fault(const struct spool *s, const char *id, int fd,
                               size_t most, char *text)
{
    cJSON *record = document_folder_json(fd, "record.json", most);
    const cJSON *parts = json_get(record, "parts");
    const char *fault = NULL;
    if (spool_part_is_stack(fd) != cJSON_IsArray(parts))
        fault = "parts/ and record.json disagree whether it is a stack";
    else if (parts)
        fault = list_fault(s, id, fd, parts, text);
    cJSON_Delete(record);
    return fault;
}

/* The entry of a stack's record for its part `number`, or NULL. */
static const cJSON *part_entry(const cJSON *record, int number)
{
    return number > 0
               ? cJSON_GetArrayItem(json_get(record, "parts"), number - 1)
               : NULL;
}

static const char *relation_fault(const cJSON *record,
                                  const struct spool_part *part, const char *id)
{
    const cJSON *entry = part_entry(record, part->number);
    const char *hex =
        json_get_text_or_empty(json_get(record, "source"), "sha256");
    if (!record) return "its stack is missing from done/";
    if (!entry || strcmp(json_get_text_or_empty(entry, "id"), id) != 0)
        return "its stack does not list it";
    if (strcmp(json_get_text_or_empty(entry, "pages"), part->pages) != 0)
        return "its stack lists other pages for it";
    if (strcmp(hex, part->sha256) != 0) return "its stack has another SHA-256";
    return NULL;
}

static const char *part_fault(const struct spool *s, const char *id, int fd,
                              size_t most, const struct spool_part *part,
                              char *text)
{
    int stack = spool_is_id(part->stack)
                    ? spool_folder_fd(s, SPOOL_DONE, part->stack)
                    : -1;
    cJSON *record =
        stack >= 0 ? document_folder_json(stack, "record.json", most) : NULL;
    const char *fault = relation_fault(record, part, id);
    cJSON_Delete(record);
    if (stack >= 0) close(stack);
    if (!fault && spool_exists(fd, "doc") &&
        !document_folder_hash_is(fd, part->sha256))
        fault = "its bytes are not those of its stack (SHA-256)";
    if (fault)
        snprintf(text, FSCK_STACK_TEXT, "%s: %s",
                 spool_is_id(part->stack) ? part->stack : "part.json", fault);
    return fault ? text : NULL;
}

const char *fsck_stack_fault(const struct spool *s, enum spool_place place,
                             const char *id, int folder_fd, size_t most,
                             char text[static FSCK_STACK_TEXT])
{
    struct spool_part part;
    if (!spool_exists(folder_fd, "doc") &&
        !spool_exists(folder_fd, SPOOL_PRUNED))
        return NULL;
    if (spool_part_read(folder_fd, &part))
        return part_fault(s, id, folder_fd, most, &part, text);
    return place == SPOOL_DONE ? stack_fault(s, id, folder_fd, most, text)
                               : NULL;
}
