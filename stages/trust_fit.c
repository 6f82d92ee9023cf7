/* trust_fit.c - see trust_fit.h. */
#include "stages/trust_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stages/trust_model.h"
#include "vlm/base/hash.h"
#include "vlm/base/json.h"
#include "vlm/base/map.h"

enum { FILE_BYTES_MOST = 1 << 16 };

static const char format[] = "platen-fit/1";

/* A record rounds a confidence to four digits. */
static const double confidence_least = 1e-4;

/* More than anything that was ever learnt. */
static const double weight_most = 50;

const double trust_fit_unchanged[TRUST_FIT_WEIGHTS] = {0, 1, 0};

void trust_fit_features(double confidence, bool is_null,
                        double out[static TRUST_FIT_WEIGHTS])
{
    double c = fmin(fmax(confidence, confidence_least), 1 - confidence_least);
    out[0] = 1;
    out[1] = trust_odds(c);
    out[2] = is_null;
}

double trust_fit_apply(const struct trust_fit *fit, double confidence,
                       bool is_null)
{
    double feature[TRUST_FIT_WEIGHTS], odds = 0;
    if (!*fit->id) return confidence;
    trust_fit_features(confidence, is_null, feature);
    for (int i = 0; i < TRUST_FIT_WEIGHTS; i++)
        odds += fit->weight[i] * feature[i];
    double fitted = trust_chance(odds);
    return confidence <= 0.5 ? fmin(fitted, confidence) : fitted;
}

const char *trust_fit_path(const char *cache, const char *model,
                           const char *schema, struct arena *arena)
{
    const char *both = arena_text(arena, "%s\n%s", model, schema);
    struct hash hash = hash_bytes(span_of(both));
    return arena_text(arena, "%s/%.24s.fit.json", cache, hash.hex);
}

static bool take(const cJSON *root, const char *model, const char *schema,
                 struct trust_fit *out)
{
    const cJSON *weights = json_get(root, "weights");
    if (strcmp(json_get_text_or_empty(root, "format"), format) != 0 ||
        strcmp(json_get_text_or_empty(root, "model"), model) != 0 ||
        strcmp(json_get_text_or_empty(root, "schema"), schema) != 0 ||
        cJSON_GetArraySize(weights) != TRUST_FIT_WEIGHTS)
        return false;
    for (int i = 0; i < TRUST_FIT_WEIGHTS; i++) {
        const cJSON *w = cJSON_GetArrayItem(weights, i);
        if (!cJSON_IsNumber(w) || !(fabs(w->valuedouble) <= weight_most))
            return false;
        out->weight[i] = w->valuedouble;
    }
    return out->weight[1] > 0;
}

struct trust_fit trust_fit_load(const char *cache, const char *model,
                                const char *schema)
{
    struct trust_fit fit = {.id = ""};
    struct arena *arena = arena_new();
    struct err quiet = {0};
    struct span text = map_read(trust_fit_path(cache, model, schema, arena),
                                FILE_BYTES_MOST, arena, &quiet);
    cJSON *root = err_failed(&quiet) ? NULL : json_parse(text, &quiet);
    if (root && take(root, model, schema, &fit))
        snprintf(fit.id, sizeof fit.id, "%.16s", hash_bytes(text).hex);
    cJSON_Delete(root);
    arena_free(arena);
    return fit;
}

void trust_fit_print(const struct trust_fit *fit, const char *model,
                     const char *schema, long long n, struct buf *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", format);
    cJSON_AddStringToObject(root, "model", model);
    cJSON_AddStringToObject(root, "schema", schema);
    cJSON_AddItemToObject(root, "values", json_new_integer(n));
    cJSON *weights = cJSON_AddArrayToObject(root, "weights");
    for (int i = 0; i < TRUST_FIT_WEIGHTS; i++)
        cJSON_AddItemToArray(weights, json_new_exact(fit->weight[i]));
    json_print(out, root, 2);
    buf_add_text(out, "\n");
    cJSON_Delete(root);
}
