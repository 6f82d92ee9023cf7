/* model_hub.c - see model_hub.h. */
#include "pipeline/models/model_hub.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "vlm/base/text.h"
#include "vlm/json/json.h"

struct model_hub *model_hub_new(struct arena *arena)
{
    struct model_hub *hub = arena_alloc(arena, sizeof *hub);
    hub->file = arena_array(arena, MODEL_HUB_FILES_MOST, sizeof *hub->file);
    return hub;
}

bool model_hub_path_is_safe(const char *path)
{
    size_t n = strlen(path);
    if (n == 0 || n > 512) return false;
    for (const char *at = path; at;
         at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (strcspn(at, "/") == 0 || *at == '.' || strcspn(at, "/") > 200)
            return false;
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127 || *c == '\\' || *c == ':')
            return false;
    return true;
}

bool model_hub_is_gguf(const char *path)
{
    size_t n = strlen(path);
    return n > 5 && !strcasecmp(path + n - 5, ".gguf");
}

bool model_hub_is_sha256(const char *text)
{
    return text && strlen(text) == 64 &&
           strspn(text, "0123456789abcdefABCDEF") == 64;
}

static void add_file(struct model_hub *hub, const cJSON *entry,
                     struct arena *arena, struct err *err)
{
    const char *path = json_get_text_or_empty(entry, "path");
    const cJSON *lfs = json_get(entry, "lfs");
    const cJSON *size = json_get(lfs, "size");
    if (!size) size = json_get(entry, "size");
    const char *sha256 = json_get_text(lfs, "oid");
    if (strcmp(json_get_text_or_empty(entry, "type"), "file") != 0 ||
        !model_hub_is_gguf(path))
        return;
    if (!model_hub_path_is_safe(path)) {
        err_set(err, ERR_INPUT,
                "unsafe file name in the repository: \"%.100s\": it may lead "
                "out of the download folder",
                path);
        return;
    }
    if (!cJSON_IsNumber(size) || !(size->valuedouble >= 0) ||
        size->valuedouble > 1e15 || hub->n == MODEL_HUB_FILES_MOST) {
        err_set(err, ERR_REMOTE,
                "invalid file list: no size for \"%.100s\", or too many files",
                path);
        return;
    }
    hub->file[hub->n++] = (struct model_hub_file){
        arena_copy(arena, span_of(path)), (int64_t)size->valuedouble,
        model_hub_is_sha256(sha256) ? arena_copy(arena, span_of(sha256)) : ""};
}

static int by_path(const void *a, const void *b)
{
    const struct model_hub_file *x = a, *y = b;
    return strcmp(x->path, y->path);
}

void model_hub_add(struct model_hub *hub, struct span json, struct arena *arena,
                   struct err *err)
{
    if (err_failed(err)) return;
    struct err inner = {0};
    cJSON *list = json_parse(json, &inner);
    if (!cJSON_IsArray(list))
        err_set(err, ERR_REMOTE, "invalid file list: %s",
                err_failed(&inner) ? inner.text : "not an array");
    const cJSON *entry;
    cJSON_ArrayForEach(entry, list) if (!err_failed(err))
        add_file(hub, entry, arena, err);
    cJSON_Delete(list);
    qsort(hub->file, (size_t)hub->n, sizeof *hub->file, by_path);
}

/* --- selection ----------------------------------------------------------- */

static const char *find_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (; *text; text++)
        if (!strncasecmp(text, word, n)) return text;
    return NULL;
}

bool model_hub_is_of(const char *path, const char *quant)
{
    size_t n = strlen(quant);
    if (n == 0) return true;
    for (const char *at = path; (at = find_word(at, quant)); at++)
        if ((at == path || strchr("-._/ ", at[-1])) &&
            (!at[n] || strchr("-. /", at[n])))
            return true;
    return false;
}

static bool is_model(const char *path)
{
    const char *name = text_base_name(path);
    return !find_word(name, "mmproj") && strncasecmp(name, "mtp-", 4) != 0 &&
           !find_word(name, "imatrix");
}

/* i and *n of "...-0000i-of-0000n.gguf", else 0 and *n = 0. */
static int part_number(const char *path, int *n)
{
    size_t length = strlen(path);
    int i = 0, used = 0;
    *n = 0;
    if (length < 21) return 0;
    if (sscanf(path + length - 20, "-%5d-of-%5d%n", &i, n, &used) != 2 ||
        used != 15 || i < 1 || *n < i || *n > MODEL_HUB_PARTS_MOST)
        *n = i = 0;
    return i;
}

/* n if all n parts follow each other from `first` on (files are sorted), else
 * 0. */
static int count_parts(const struct model_hub *hub, int first, int n)
{
    size_t stem = strlen(hub->file[first].path) - 20;
    for (int i = 0; i < n; i++) {
        int of;
        if (first + i >= hub->n ||
            strncmp(hub->file[first].path, hub->file[first + i].path, stem) ||
            part_number(hub->file[first + i].path, &of) != i + 1 || of != n)
            return 0;
    }
    return n;
}

int model_hub_models(const struct model_hub *hub, const char *quant,
                     struct model_hub_model *model, int most)
{
    int n = 0;
    for (int i = 0; i < hub->n; i++) {
        int of, part = part_number(hub->file[i].path, &of), n_part = 1;
        if (!is_model(hub->file[i].path) ||
            !model_hub_is_of(hub->file[i].path, quant) || part > 1)
            continue;
        if (part == 1 && !(n_part = count_parts(hub, i, of))) continue;
        struct model_hub_model m = {.first = i, .n_part = n_part};
        for (int k = 0; k < n_part; k++)
            m.size += hub->file[i + k].size;
        if (n < most) model[n] = m;
        n++;
    }
    return n;
}

int model_hub_mmproj(const struct model_hub *hub)
{
    static const char *const type[] = {"F16", "BF16", "Q8_0", "F32", ""};
    for (size_t t = 0; t < sizeof type / sizeof *type; t++)
        for (int i = 0; i < hub->n; i++)
            if (find_word(text_base_name(hub->file[i].path), "mmproj") &&
                model_hub_is_of(hub->file[i].path, type[t]))
                return i;
    return -1;
}
