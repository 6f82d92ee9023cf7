/* engine_endpoint_context.c - how long is the server's context?
 * (engine_endpoint_probe.h) */
#include "stages/engine/engine_endpoint_probe.h"

#include <math.h>
#include <string.h>

#include "vlm/base/json.h"
#include "vlm/base/now.h"

enum { ASK_MS = 3000 };
/* Less is no context for a page, more no number that a server has; a question
 * of more pages than fit in the second would no longer be small. */
enum { CONTEXT_LEAST = 1024, CONTEXT_USED = 65536, CONTEXT_MOST = 1 << 24 };

static int tokens_of(const cJSON *number)
{
    double n = cJSON_IsNumber(number) ? number->valuedouble : 0;
    if (!(n >= CONTEXT_LEAST && n <= CONTEXT_MOST) || n > floor(n)) return 0;
    return n < CONTEXT_USED ? (int)n : CONTEXT_USED;
}

static int of_props(const cJSON *body)
{
    return tokens_of(
        json_get(json_get(body, "default_generation_settings"), "n_ctx"));
}

/* Of the model that is asked for, or of the only one. */
static int of_models(const cJSON *body, const char *model)
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

/* What the server says at the path, or NULL; *there: it says anything at all
 * before `end`. */
static cJSON *ask(const struct settings *settings, const char *path, double end,
                  bool *there)
{
    struct err none = {0};
    double left = end - now_seconds();
    struct engine_endpoint_get get = {.most_ms = (int)(left * 1000) + 1};
    engine_endpoint_get(settings, path, &get, &none);
    *there = !err_failed(&none) && get.status != 0;
    bool said = *there && get.code == CURLE_OK && get.status == 200;
    cJSON *body = said ? json_parse(buf_span(&get.body), &none) : NULL;
    buf_free(&get.body);
    return body;
}

int engine_endpoint_context(const struct settings *settings)
{
    double end = now_seconds() + ASK_MS / 1000.0;
    bool there = false;
    cJSON *body = ask(settings, "/props", end, &there);
    int n = of_props(body);
    cJSON_Delete(body);
    if (n || !there || now_seconds() >= end) return n;
    body = ask(settings, "/v1/models", end, &there);
    n = of_models(body, settings->endpoint_model);
    cJSON_Delete(body);
    return n;
}
