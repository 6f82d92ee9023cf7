/* checkpoint_header.c - what the header of a safetensors file says.
 *
 * Example: {"norm.weight": {"dtype": "BF16", "shape": [64],
 * "data_offsets": [0, 128]}} says that the first 128 bytes behind the header
 * are 64 values of two bytes.
 */
#include <string.h>

#include "vlm/base/json.h"
#include "vlm/convert/checkpoint.h"

enum { NAME_MAX_BYTES = 512 };

static const int64_t VALUES_MOST = INT64_C(1) << 48;

static const struct {
    const char *name;
    enum stored_type type;
    int bytes;
} types[] = {
    {"F64", STORED_F64, 8},       {"F32", STORED_F32, 4},
    {"F16", STORED_F16, 2},       {"BF16", STORED_BF16, 2},
    {"U8", STORED_U8, 1},         {"F8_E4M3", STORED_F8_E4M3, 1},
    {"I8", STORED_OTHER, 1},      {"BOOL", STORED_OTHER, 1},
    {"I16", STORED_OTHER, 2},     {"U16", STORED_OTHER, 2},
    {"I32", STORED_OTHER, 4},     {"U32", STORED_OTHER, 4},
    {"I64", STORED_OTHER, 8},     {"U64", STORED_OTHER, 8},
    {"F8_E5M2", STORED_OTHER, 1},
};

int checkpoint_type_bytes(enum stored_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type && type != STORED_OTHER)
            return types[i].bytes;
    return 0;
}

/* A whole number from 0 to `most`; -1 for anything else. */
static int64_t whole(const cJSON *node, double most)
{
    if (!cJSON_IsNumber(node) || !(node->valuedouble >= 0) ||
        node->valuedouble > most)
        return -1;
    int64_t n = (int64_t)node->valuedouble;
    return (double)n == node->valuedouble ? n : -1;
}

static bool read_shape(const cJSON *shape, struct stored_tensor *t)
{
    t->n_value = 1;
    if (!cJSON_IsArray(shape)) return false;
    for (const cJSON *s = shape->child; s; s = s->next) {
        int64_t n = whole(s, (double)VALUES_MOST);
        if (n < 0 || t->n_dim == STORED_DIM_MAX) return false;
        t->size[t->n_dim++] = n;
        if (n && t->n_value > VALUES_MOST / n) return false;
        t->n_value *= n;
    }
    return true;
}

static bool read_offsets(const cJSON *pair, uint64_t data_bytes,
                         struct stored_tensor *t)
{
    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2) return false;
    int64_t from = whole(pair->child, (double)data_bytes);
    int64_t to = whole(pair->child->next, (double)data_bytes);
    if (from < 0 || to < from || (uint64_t)to > data_bytes) return false;
    t->at = (uint64_t)from;
    t->bytes = (uint64_t)(to - from);
    return true;
}

static int read_type(const cJSON *entry, struct stored_tensor *t)
{
    const char *name = json_get_text_or_empty(entry, "dtype");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name)) {
            t->type = types[i].type;
            return types[i].bytes;
        }
    return 0;
}

static void read_entry(const cJSON *entry, uint64_t data_bytes,
                       struct stored_tensor *t, struct err *err)
{
    if (!cJSON_IsObject(entry) || strlen(t->name) > NAME_MAX_BYTES) {
        err_set(err, ERR_CONFIG, "no tensor's entry");
        return;
    }
    int bytes = read_type(entry, t);
    if (!bytes)
        err_set(err, ERR_CONFIG, "dtype %.20s is none that is known",
                json_get_text_or_empty(entry, "dtype"));
    else if (!read_shape(json_get(entry, "shape"), t))
        err_set(err, ERR_CONFIG, "shape is no list of up to %d sizes",
                STORED_DIM_MAX);
    else if (!read_offsets(json_get(entry, "data_offsets"), data_bytes, t))
        err_set(err, ERR_CONFIG,
                "data_offsets do not lie in the file (%llu bytes of data): is "
                "it complete?",
                (unsigned long long)data_bytes);
    else if ((uint64_t)t->n_value != t->bytes / (unsigned)bytes ||
             t->bytes % (unsigned)bytes)
        err_set(err, ERR_CONFIG,
                "its shape and its data_offsets are of different size");
}

struct stored_list checkpoint_header(struct span json, uint64_t data_bytes,
                                     struct arena *arena, struct err *err)
{
    struct stored_list list = {0};
    if (err_failed(err)) return list;
    cJSON *root = json_parse(json, err);
    uint64_t sum = 0;
    if (!err_failed(err) && !cJSON_IsObject(root))
        err_set(err, ERR_CONFIG, "its header is no JSON object");
    else if (!err_failed(err))
        list.tensor = arena_array(arena, (size_t)cJSON_GetArraySize(root) + 1,
                                  sizeof *list.tensor);
    for (const cJSON *e = root ? root->child : NULL; e && !err_failed(err);
         e = e->next) {
        if (!strcmp(e->string, "__metadata__")) continue;
        struct stored_tensor *t = &list.tensor[list.n++];
        t->name = arena_copy(arena, span_of(e->string));
        read_entry(e, data_bytes, t, err);
        err_context(err, "tensor %.100s", t->name);
        sum += t->bytes;
    }
    cJSON_Delete(root);
    if (sum > data_bytes)
        err_set(err, ERR_CONFIG, "its tensors lie on top of each other");
    if (err_failed(err)) list.n = 0;
    return list;
}
