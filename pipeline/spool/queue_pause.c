/* queue_pause.c - see queue_pause.h. */
#include "pipeline/spool/queue_pause.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "vlm/json/json.h"

static const char name[] = "waits";

/* Not durable: only informative, and written again by the next start. */
void queue_pause_write(struct spool *s, const struct queue_pause *w)
{
    struct buf text = buf_limit(SPOOL_JSON_MAX);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "reason", w->code);
    cJSON_AddStringToObject(o, "text", w->text);
    json_add_integer(o, "since", w->since);
    json_add_integer(o, "until", w->until);
    json_print(&text, o, 0);
    queue_pause_remove(s);
    int fd = openat(s->root, name,
                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    ssize_t put = fd < 0 ? 0 : write(fd, text.data, text.size);
    if (fd >= 0) close(fd);
    if (put != (ssize_t)text.size) queue_pause_remove(s); /* a full disk */
    buf_free(&text);
    cJSON_Delete(o);
}

void queue_pause_remove(struct spool *s)
{
    unlinkat(s->root, name, 0);
}

bool queue_pause_read(const struct spool *s, struct queue_pause *w)
{
    *w = (struct queue_pause){.since = 0};
    cJSON *o = spool_read_json(s->root, name, SPOOL_JSON_MAX);
    snprintf(w->code, sizeof w->code, "%s",
             json_get_text_or_empty(o, "reason"));
    snprintf(w->text, sizeof w->text, "%s", json_get_text_or_empty(o, "text"));
    w->since = json_get_integer(o, "since");
    w->until = json_get_integer(o, "until");
    cJSON_Delete(o);
    return *w->code && w->since > 0;
}
