/* retrieval_heads.c - see retrieval_heads.h. */
#include "stages/engine/retrieval_heads.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/file_map.h"
#include "vlm/base/own_folder.h"
#include "vlm/json/json.h"

enum { FILE_BYTES_MOST = 1 << 16, NUMBER_MOST = 1 << 16 };

const double retrieval_heads_hits_least = 0.8;

static const char format[] = "platen-heads/1";

const char *retrieval_heads_path(const char *cache, const char *hash,
                                 struct arena *arena)
{
    return arena_text(arena, "%s/%.24s.heads.json", cache, hash);
}

static const char *path_beside(const char *model, struct arena *arena)
{
    size_t n = strlen(model);
    if (n > 5 && !strcmp(model + n - 5, ".gguf")) n -= 5;
    return arena_text(arena, "%.*s.heads.json", (int)n, model);
}

static double get_number(const cJSON *object, const char *key)
{
    const cJSON *n = json_get(object, key);
    return cJSON_IsNumber(n) ? n->valuedouble : -1;
}

/* An integer from 0, or -1. */
static int get_integer(const cJSON *object, const char *key)
{
    double n = get_number(object, key);
    return n >= 0 && n < NUMBER_MOST ? (int)n : -1;
}

static bool read_heads(const cJSON *list, struct retrieval_heads *out)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, list)
    {
        int layer = get_integer(one, "layer"), head = get_integer(one, "head");
        double hits = get_number(one, "hits");
        if (layer < 0 || head < 0 || hits > 1) return false;
        if (hits < retrieval_heads_hits_least ||
            out->n_head == RETRIEVAL_HEADS_MAX)
            continue;
        out->head[out->n_head].layer = layer;
        out->head[out->n_head].head = head;
        out->head[out->n_head++].hits = hits;
    }
    return cJSON_IsArray(list);
}

/* False if the file is not this model's. */
static bool read_file(const char *path, const char *hash, struct arena *arena,
                      struct retrieval_heads *out)
{
    struct err quiet = {0};
    struct span text = file_map_read(path, FILE_BYTES_MOST, arena, &quiet);
    cJSON *root = err_failed(&quiet) ? NULL : json_parse(text, &quiet);
    *out = (struct retrieval_heads){.n_page = get_integer(root, "pages"),
                                    .n_token = get_integer(root, "tokens"),
                                    .chance = get_number(root, "chance")};
    bool own = root &&
               !strcmp(json_get_text_or_empty(root, "format"), format) &&
               !strcmp(json_get_text_or_empty(root, "model"), hash) &&
               read_heads(json_get(root, "heads"), out);
    cJSON_Delete(root);
    return own;
}

struct retrieval_heads retrieval_heads_load(const char *cache,
                                            const char *model, const char *hash)
{
    struct arena *arena = arena_new();
    struct retrieval_heads heads;
    bool found =
        (own_folder_is(cache) &&
         read_file(retrieval_heads_path(cache, hash, arena), hash, arena,
                   &heads)) ||
        (*model && read_file(path_beside(model, arena), hash, arena, &heads));
    arena_free(arena);
    return found ? heads : (struct retrieval_heads){.n_head = 0};
}

static cJSON *share(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.4f", value);
    return json_new_number(text);
}

void retrieval_heads_print(const struct retrieval_heads *heads,
                           const char *hash, struct buf *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", format);
    cJSON_AddStringToObject(root, "model", hash);
    cJSON_AddItemToObject(root, "pages", json_new_integer(heads->n_page));
    cJSON_AddItemToObject(root, "tokens", json_new_integer(heads->n_token));
    cJSON_AddItemToObject(root, "chance", share(heads->chance));
    cJSON *list = cJSON_AddArrayToObject(root, "heads");
    for (int i = 0; i < heads->n_head; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "layer",
                              json_new_integer(heads->head[i].layer));
        cJSON_AddItemToObject(one, "head",
                              json_new_integer(heads->head[i].head));
        cJSON_AddItemToObject(one, "hits", share(heads->head[i].hits));
        cJSON_AddItemToArray(list, one);
    }
    json_print(out, root, 2);
    buf_add_text(out, "\n");
    cJSON_Delete(root);
}
