/* engine_endpoint_probe.c - see engine_endpoint_probe.h. */
#include "stages/engine/engine_endpoint_probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/clock.h"
#include "vlm/json/json.h"

/* --- engine endpoint context ----------------------------------------------- */

/* Queries the server's model and context size
 * (engine_endpoint_probe.h). */

enum { ASK_MS = 3000 };

/* A context below the first is too small for a page, one above the last is
 * implausible; above CONTEXT_USED a question would have too many pages. */
enum { CONTEXT_LEAST = 1024, CONTEXT_USED = 65536, CONTEXT_MOST = 1 << 24 };

static int tokens_of(const cJSON *number)
{
    double n = cJSON_IsNumber(number) ? number->valuedouble : 0;
    if (!(n >= CONTEXT_LEAST && n <= CONTEXT_MOST) || n > floor(n)) return 0;
    return n < CONTEXT_USED ? (int)n : CONTEXT_USED;
}

static int context_of_props(const cJSON *body)
{
    return tokens_of(
        json_get(json_get(body, "default_generation_settings"), "n_ctx"));
}

/* The size for the requested model, or for the only one. */
static int context_of_models(const cJSON *body, const char *model)
{
    const cJSON *list = json_get(body, "data"), *one = NULL;
    cJSON_ArrayForEach(one, list)
    {
        if (*model && !strcmp(json_get_text_or_empty(one, "id"), model))
            return tokens_of(json_get(one, "max_model_len"));
    }
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 1) return 0;
    return tokens_of(json_get(list->child, "max_model_len"));
}

/* The server's reply to the GET, or NULL; *there: it replied at all before
 * `end`. */
static cJSON *query_server(struct endpoint_sender *sender,
                           enum fetch_target target, double end, bool *there)
{
    struct err none = {0};
    struct engine_endpoint_reply reply;
    double left = end - clock_seconds();
    endpoint_sender_get(sender, target, (int)(left * 1000) + 1, &reply);
    *there = reply.status != 0;
    bool valid = reply.outcome == FETCH_ANSWERED && reply.status == 200;
    cJSON *body = valid ? json_parse(buf_span(&reply.body), &none) : NULL;
    buf_free(&reply.body);
    return body;
}

/* Reads the name of the only model, or the names of several. Names that are too
 * long are left out, because a part of a name is useless. */
static void read_names(const cJSON *body, struct engine_endpoint_info *out)
{
    const cJSON *list = json_get(body, "data"), *one = NULL;
    int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    cJSON_ArrayForEach(one, list)
    {
        const char *id = json_get_text_or_empty(one, "id");
        size_t used = strlen(out->models), left = sizeof out->models - used;
        if (n == 1 && strlen(id) < sizeof out->model)
            snprintf(out->model, sizeof out->model, "%s", id);
        else if (*id && strlen(id) + 2 < left)
            snprintf(out->models + used, left, "%s%s", used ? ", " : "", id);
    }
}

void engine_endpoint_discover(const struct settings *settings,
                              struct endpoint_sender *sender,
                              struct engine_endpoint_info *out)
{
    double end = clock_seconds() + ASK_MS / 1000.0;
    bool wants_model = !*settings->endpoint_model;
    *out = (struct engine_endpoint_info){.there = true};
    if (!settings->n_ctx) {
        cJSON *props = query_server(sender, FETCH_PROPS, end, &out->there);
        out->n_ctx = context_of_props(props);
        cJSON_Delete(props);
    }
    bool wants_context = !settings->n_ctx && !out->n_ctx;
    if (!out->there || (!wants_model && !wants_context) ||
        clock_seconds() >= end)
        return;
    cJSON *models = query_server(sender, FETCH_MODELS, end, &out->there);
    if (wants_context)
        out->n_ctx = context_of_models(models, settings->endpoint_model);
    if (wants_model) read_names(models, out);
    cJSON_Delete(models);
}

/* --- engine endpoint probe ------------------------------------------------- */

enum { PROBE_MS = 5000 };

/* A server that accepts the connection but does not reply counts as absent: it
 * could not read a document either. A body that breaks off is a reply. */
static void check_reply(const char *url,
                        const struct engine_endpoint_reply *reply,
                        struct err *err)
{
    int status = reply->status;
    if (reply->outcome == FETCH_ABORTED)
        err_reason(err, ERR_CANCELLED, "cancelled", "asked to stop");
    else if (reply->outcome != FETCH_ANSWERED && status == 0)
        err_reason(err, ERR_REMOTE, "endpoint-failed", "%s: %s", url,
                   reply->text);
    else if (status == 401 || status == 403 || status == 407)
        err_reason(err, ERR_CONFIG, "endpoint-refused", "%s: HTTP %d", url,
                   status);
    else if (status == 429 || status == 502 || status == 503 || status == 504)
        err_reason(err, ERR_REMOTE, "endpoint-failed", "%s: HTTP %d", url,
                   status);
}

void engine_endpoint_probe(const struct settings *settings,
                           bool (*stop)(void *arg), void *stop_arg,
                           struct err *err)
{
    const struct engine asker = {.stop = stop, .stop_arg = stop_arg};
    struct engine_endpoint_reply reply = {0};
    const char *url = "";
    if (err_failed(err)) return;
    struct endpoint_sender *sender =
        endpoint_sender_new(settings, &asker, &url, err);
    if (err_failed(err)) return;
    endpoint_sender_get(sender, FETCH_MODELS, PROBE_MS, &reply);
    check_reply(url, &reply, err);
    buf_free(&reply.body);
    endpoint_sender_free(sender);
}
