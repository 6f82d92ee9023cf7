/* calibration.c - see calibration.h. */
#include "stages/confidence/calibration.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stages/confidence/confidence_model.h"
#include "vlm/base/file_map.h"
#include "vlm/base/hash.h"
#include "vlm/json/json.h"

enum { FILE_BYTES_MOST = 1 << 16 };

static const char format[] = "platen-fit/1";

/* Records have confidences rounded to four digits. */
static const double confidence_least = 1e-4;

/* Larger than any weight that was ever learnt. */
static const double weight_most = 50;

const double calibration_unchanged[CALIBRATION_WEIGHTS] = {0, 1, 0};

void calibration_features(double confidence, bool is_null,
                          double out[static CALIBRATION_WEIGHTS])
{
    double c = fmin(fmax(confidence, confidence_least), 1 - confidence_least);
    out[0] = 1;
    out[1] = confidence_odds(c);
    out[2] = is_null;
}

double calibration_apply(const struct calibration *fit, double confidence,
                         bool is_null)
{
    double feature[CALIBRATION_WEIGHTS], odds = 0;
    if (!*fit->id) return confidence;
    calibration_features(confidence, is_null, feature);
    for (int i = 0; i < CALIBRATION_WEIGHTS; i++)
        odds += fit->weight[i] * feature[i];
    double fitted = confidence_chance(odds);
    return confidence <= 0.5 ? fmin(fitted, confidence) : fitted;
}

const char *calibration_path(const char *cache, const char *model,
                             const char *schema, struct arena *arena)
{
    const char *both = arena_text(arena, "%s\n%s", model, schema);
    struct hash hash = hash_bytes(span_of(both));
    return arena_text(arena, "%s/%.24s.fit.json", cache, hash.hex);
}

static bool parse_fit(const cJSON *root, const char *model, const char *schema,
                      struct calibration *out)
{
    const cJSON *weights = json_get(root, "weights");
    if (strcmp(json_get_text_or_empty(root, "format"), format) != 0 ||
        strcmp(json_get_text_or_empty(root, "model"), model) != 0 ||
        strcmp(json_get_text_or_empty(root, "schema"), schema) != 0 ||
        cJSON_GetArraySize(weights) != CALIBRATION_WEIGHTS)
        return false;
    for (int i = 0; i < CALIBRATION_WEIGHTS; i++) {
        const cJSON *w = cJSON_GetArrayItem(weights, i);
        if (!cJSON_IsNumber(w) || !(fabs(w->valuedouble) <= weight_most))
            return false;
        out->weight[i] = w->valuedouble;
    }
    return out->weight[1] > 0;
}

struct calibration calibration_load(const char *cache, const char *model,
                                    const char *schema)
{
    struct calibration fit = {.id = ""};
    struct arena *arena = arena_new();
    struct err quiet = {0};
    struct span text =
        file_map_read(calibration_path(cache, model, schema, arena),
                      FILE_BYTES_MOST, arena, &quiet);
    cJSON *root = err_failed(&quiet) ? NULL : json_parse(text, &quiet);
    if (root && parse_fit(root, model, schema, &fit))
        snprintf(fit.id, sizeof fit.id, "%.16s", hash_bytes(text).hex);
    cJSON_Delete(root);
    arena_free(arena);
    return fit;
}

void calibration_print(const struct calibration *fit, const char *model,
                       const char *schema, long long n, struct buf *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", format);
    cJSON_AddStringToObject(root, "model", model);
    cJSON_AddStringToObject(root, "schema", schema);
    cJSON_AddItemToObject(root, "values", json_new_integer(n));
    cJSON *weights = cJSON_AddArrayToObject(root, "weights");
    for (int i = 0; i < CALIBRATION_WEIGHTS; i++)
        cJSON_AddItemToArray(weights, json_new_exact(fit->weight[i]));
    json_print(out, root, 2);
    buf_add_text(out, "\n");
    cJSON_Delete(root);
}
