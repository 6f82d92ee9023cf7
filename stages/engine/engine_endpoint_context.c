/* engine_endpoint_context.c - which model does the server run, and with how long a
 * context? (engine_endpoint_probe.h) */
#include "stages/engine/engine_endpoint_probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "vlm/base/clock.h"
#include "vlm/json/json.h"

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
    double left = end - clock_seconds();
    struct engine_endpoint_get get = {.most_ms = (int)(left * 1000) + 1};
    engine_endpoint_get(settings, path, &get, &none);
    *there = !err_failed(&none) && get.status != 0;
    bool said = *there && get.code == CURLE_OK && get.status == 200;
    cJSON *body = said ? json_parse(buf_span(&get.body), &none) : NULL;
    buf_free(&get.body);
    return body;
}

/* The name of the only model, or the names of several. One that is too long is
 * left out: a part of it names no model. */
static void read_names(const cJSON *body, struct engine_endpoint_said *out)
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
                              struct engine_endpoint_said *out)
{
    double end = clock_seconds() + ASK_MS / 1000.0;
    bool wants_model = !*settings->endpoint_model;
    *out = (struct engine_endpoint_said){.there = true};
    if (!settings->n_ctx) {
        cJSON *props = ask(settings, "/props", end, &out->there);
        out->n_ctx = of_props(props);
        cJSON_Delete(props);
    }
    bool wants_context = !settings->n_ctx && !out->n_ctx;
    if (!out->there || (!wants_model && !wants_context) ||
        clock_seconds() >= end)
        return;
    cJSON *models = ask(settings, "/v1/models", end, &out->there);
    if (wants_context) out->n_ctx = of_models(models, settings->endpoint_model);
    if (wants_model) read_names(models, out);
    cJSON_Delete(models);
}
