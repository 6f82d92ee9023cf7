/* document_list.c - see document_list.h. */
#include "pipeline/command/document_list.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/config/config.h"
#include "pipeline/review/corrected_record.h"
#include "pipeline/spool/corrections.h"
#include "pipeline/spool/document_folder.h"
#include "pipeline/spool/spool_index.h"
#include "stages/reason.h"
#include "vlm/base/buf.h"
#include "vlm/json/json.h"

enum { JSON_MOST = 256 << 20 };

static const char *const lists[] = {"failed", "review", "unread"};
enum { N_LIST = sizeof lists / sizeof lists[0] };

bool document_list_is_reviewed(const struct spool *s,
                               const struct config *config, const char *id)
{
    struct err err = {0};
    struct corrected_record_review review = {0};
    int fd = spool_folder_fd(s, SPOOL_DONE, id);
    if (fd < 0) return true;
    if (spool_exists(fd, CORRECTIONS_FILE))
        cJSON_Delete(corrected_record_record(fd, config, &review, &err));
    close(fd);
    return review.reviewed;
}

bool document_list_is_asked(const struct command_line *line)
{
    for (int i = 0; i < N_LIST; i++)
        if (command_value(line, lists[i])) return true;
    return false;
}

/* One list, while its rows come from the index. */
struct rows {
    const struct spool *spool;
    const struct config *config;
    bool unread; /* only records that are unread */
    cJSON *list;
};

static cJSON *add_document(struct rows *r, const struct spool_index_row *row)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "id", row->id);
    cJSON_AddStringToObject(o, "name", row->name);
    cJSON_AddStringToObject(o, "folder", row->folder);
    cJSON_AddItemToArray(r->list, o);
    return o;
}

static void add_failed(void *arg, const struct spool_index_row *row)
{
    struct rows *r = arg;
    if (spool_is_dismissed(r->spool, row->id)) return;
    int fd = spool_folder_fd(r->spool, SPOOL_FAILED, row->id);
    if (fd < 0) return;
    cJSON *reason = document_folder_json(fd, "reason.json", SPOOL_JSON_MAX);
    cJSON *o = add_document(r, row);
    cJSON_AddStringToObject(o, "code", row->code);
    cJSON_AddStringToObject(o, "text", json_get_text_or_empty(reason, "text"));
    cJSON_Delete(reason);
    close(fd);
}

static void add_doubtful(void *arg, const struct spool_index_row *row)
{
    struct rows *r = arg;
    if (r->unread && !row->unread) return;
    if (document_list_is_reviewed(r->spool, r->config, row->id)) return;
    add_document(r, row);
}

static void print_lines(const cJSON *list)
{
    const cJSON *o = NULL;
    cJSON_ArrayForEach(o, list)
    {
        const char *folder = json_get_text_or_empty(o, "folder");
        const char *code = json_get_text_or_empty(o, "code");
        printf("%s  %s%s%s", json_get_text_or_empty(o, "id"), folder,
               *folder ? "/" : "", json_get_text_or_empty(o, "name"));
        if (*code)
            printf("  [%s] %s", code, json_get_text_or_empty(o, "text"));
        printf("\n");
    }
}

void document_list_print(struct spool *s, const struct command_line *line)
{
    bool json = command_value(line, "json") != NULL;
    cJSON *all = cJSON_CreateObject();
    struct spool_index *index = spool_index_open(s, false);
    for (int i = 0; i < N_LIST; i++) {
        bool failed = !strcmp(lists[i], "failed");
        struct rows r = {s, line->config, !strcmp(lists[i], "unread"),
                         cJSON_CreateArray()};
        if (!command_value(line, lists[i])) {
            cJSON_Delete(r.list);
            continue;
        }
        spool_index_list(index, failed, failed ? add_failed : add_doubtful, &r);
        cJSON_AddItemToObject(all, lists[i], r.list);
        if (!json) print_lines(r.list);
    }
    spool_index_close(index);
    if (json) {
        struct buf out = buf_limit(JSON_MOST);
        json_print(&out, all, 2);
        printf("%s\n", buf_span(&out).data);
        buf_free(&out);
    }
    cJSON_Delete(all);
}
