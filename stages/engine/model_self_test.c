/* model_self_test.c - see model_self_test.h. */
#include "stages/engine/model_self_test.h"

#include <stdio.h>
#include <string.h>

#include "vlm/base/atomic_file.h"
#include "vlm/base/buf.h"
#include "vlm/base/file_map.h"
#include "vlm/base/own_folder.h"
#include "vlm/json/json.h"
#include "vlm/session/vlm_check.h"

enum { FILE_BYTES_MOST = 1 << 14 };

static const char format[] = "platen-check/1";
static const char *const word[] = {"sane", "doubtful", "broken"};

static const char *place(const char *cache, const char *hash,
                         struct arena *arena)
{
    return arena_text(arena, "%s/%.24s.check.json", cache, hash);
}

/* False if nothing is stored, or not for this model. */
static bool load_result(const char *path, const char *hash, struct arena *arena,
                        struct vlm_verdict *found)
{
    struct err quiet = {0};
    struct span text = file_map_read(path, FILE_BYTES_MOST, arena, &quiet);
    cJSON *root = err_failed(&quiet) ? NULL : json_parse(text, &quiet);
    bool own = root &&
               !strcmp(json_get_text_or_empty(root, "format"), format) &&
               !strcmp(json_get_text_or_empty(root, "model"), hash);
    int known = -1;
    for (int i = WEIGHT_SANITY_SANE; own && i <= WEIGHT_SANITY_BROKEN; i++)
        if (!strcmp(json_get_text_or_empty(root, "verdict"), word[i]))
            known = i;
    if (known >= 0) {
        found->verdict = (enum weight_sanity)known;
        found->why =
            arena_text(arena, "%s", json_get_text_or_empty(root, "why"));
    }
    cJSON_Delete(root);
    return known >= 0;
}

static void store_result(const char *cache, const char *path, const char *hash,
                         const struct vlm_verdict *found)
{
    struct err quiet = {0}; /* on failure it is tested again next time */
    struct buf text = buf_limit(FILE_BYTES_MOST);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "format", format);
    cJSON_AddStringToObject(root, "model", hash);
    cJSON_AddStringToObject(root, "verdict", word[found->verdict]);
    cJSON_AddStringToObject(root, "why", found->why ? found->why : "");
    json_print(&text, root, 0);
    cJSON_Delete(root);
    own_folder_make(cache, &quiet);
    atomic_file_write(path, buf_span(&text), &quiet);
    buf_free(&text);
}

static struct vlm_verdict run_test(struct vlm_session *s, const char *hash,
                                   const char *cache, struct arena *arena,
                                   struct err *err)
{
    struct vlm_verdict found = {.verdict = WEIGHT_SANITY_SANE};
    bool kept = cache && *cache && *hash;
    const char *path = kept ? place(cache, hash, arena) : NULL;
    if (kept && own_folder_is(cache) && load_result(path, hash, arena, &found))
        return found;
    found = vlm_check_brief(s, arena, err);
    if (kept && !err_failed(err)) store_result(cache, path, hash, &found);
    return found;
}

const char *model_self_test(struct vlm_session *s, const char *hash,
                            const struct settings *settings,
                            struct arena *arena, struct err *err)
{
    if (err_failed(err)) return NULL;
    const char *how = settings->model_check ? settings->model_check : "";
    if (!strcmp(how, "off")) return NULL;
    struct vlm_verdict found = run_test(s, hash, settings->cache, arena, err);
    if (err_failed(err) || found.verdict == WEIGHT_SANITY_SANE) return NULL;
    if (found.verdict == WEIGHT_SANITY_BROKEN && strcmp(how, "warn") != 0)
        err_reason(err, ERR_CONFIG, "model-refused",
                   "%s: broken: %s: replace the file (details: platen model "
                   "check), or use it anyway with model_check = warn",
                   settings->model, found.why);
    return found.why;
}
