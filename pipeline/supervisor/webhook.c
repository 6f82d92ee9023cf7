/* webhook.c - see webhook.h. */
#include "pipeline/supervisor/webhook.h"

#include <string.h>
#include <unistd.h>

#include "pipeline/spool/document_folder.h"
#include "stages/document/reason.h"
#include "stages/engine/endpoint_sender.h"
#include "vlm/base/log.h"
#include "vlm/json/json.h"

static void add_escaped(struct buf *out, const char *key, const char *raw)
{
    struct buf text = buf_limit(8192);
    file_name_escape(raw, &text);
    json_print_member(out, key, buf_span(&text).data);
    buf_free(&text);
}

static void print_body(const struct webhook_job *job, struct buf *out)
{
    struct document_folder_state state = {0};
    bool done = job->place == SPOOL_DONE;
    int fd = spool_folder_fd(job->spool, job->place, job->id);
    cJSON *reason = NULL;
    if (fd >= 0) {
        document_folder_read_name(fd, job->id, &state);
        if (!done) reason = spool_read_json(fd, "reason.json", SPOOL_JSON_MAX);
        close(fd);
    }
    buf_print(out, "{\"event\":\"%s-%llx\",\"type\":\"document.%s\",\"id\":\"%s\"",
              job->id, (unsigned long long)job->outcome,
              done ? "done" : "failed", job->id);
    add_escaped(out, "name", state.name);
    add_escaped(out, "folder", state.path);
    if (!done)
        json_print_member(out, "code", json_get_text_or_empty(reason, "code"));
    buf_add_text(out, "}");
    cJSON_Delete(reason);
}

/* True: it was acknowledged. */
static bool send_it(const struct webhook_job *job, struct buf *body)
{
    struct settings settings = job->config->stage;
    struct engine engine = {0};
    struct err err = {0};
    const char *url = "";
    settings.endpoint = job->config->webhook;
    settings.endpoint_key_fd = job->config->webhook_secret_fd;
    settings.endpoint_signs = true;
    settings.endpoint_timeout_s = job->config->hook_timeout_s;
    settings.endpoint_parallel = 1;
    settings.fetch_fd = 0;
    struct endpoint_sender *s = endpoint_sender_new(&settings, &engine, &url, &err);
    if (err_failed(&err)) {
        log_warn("webhook: %s", err.text);
        return false;
    }
    struct flight *f = endpoint_sender_start(s, body);
    endpoint_sender_await(s, f);
    const struct engine_endpoint_reply *r = &f->reply;
    bool taken = r->outcome == FETCH_ANSWERED && r->status >= 200 &&
                 r->status < 300;
    if (!taken && r->outcome == FETCH_ANSWERED)
        log_warn("webhook: the server answered with status %d", r->status);
    else if (!taken)
        log_warn("webhook: %s", r->text);
    endpoint_sender_end(s, f);
    endpoint_sender_free(s);
    return taken;
}

void webhook_run(void *arg, int fd)
{
    const struct webhook_job *job = arg;
    struct buf body = buf_limit(64 << 10);
    (void)fd;
    setpgid(0, 0); /* it is killed with its fetch process */
    print_body(job, &body);
    _exit(send_it(job, &body) ? EXIT_OK : EXIT_OTHER);
}
