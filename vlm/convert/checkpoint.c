/* checkpoint.c - see checkpoint.h. */
#include "vlm/convert/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vlm/base/file_map.h"
#include "vlm/base/wrong_file.h"
#include "vlm/json/json.h"

/* --- checkpoint header ----------------------------------------------------- */

/* The header of a safetensors file.
 *
 * Example: {"norm.weight": {"dtype": "BF16", "shape": [64], "data_offsets":
 * [0, 128]}} means that the first 128 bytes after the header are 64 values of
 * two bytes. */

enum { NAME_MAX_BYTES = 512 };

enum { HEAD_BYTES = 256 };

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
static int64_t whole_number(const cJSON *node, double most)
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
        int64_t n = whole_number(s, (double)VALUES_MOST);
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
    int64_t from = whole_number(pair->child, (double)data_bytes);
    int64_t to = whole_number(pair->child->next, (double)data_bytes);
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
        err_set(err, ERR_CONFIG, "not a tensor entry");
        return;
    }
    int bytes = read_type(entry, t);
    if (!bytes)
        err_set(err, ERR_CONFIG, "unknown dtype %.20s",
                json_get_text_or_empty(entry, "dtype"));
    else if (!read_shape(json_get(entry, "shape"), t))
        err_set(err, ERR_CONFIG, "shape is not a list of up to %d sizes",
                STORED_DIM_MAX);
    else if (!read_offsets(json_get(entry, "data_offsets"), data_bytes, t))
        err_set(err, ERR_CONFIG,
                "data_offsets are outside the file (%llu bytes of data): is it "
                "complete?",
                (unsigned long long)data_bytes);
    else if ((uint64_t)t->n_value != t->bytes / (unsigned)bytes ||
             t->bytes % (unsigned)bytes)
        err_set(err, ERR_CONFIG, "shape and data_offsets have different sizes");
}

struct stored_list checkpoint_header(struct span json, uint64_t data_bytes,
                                     struct arena *arena, struct err *err)
{
    struct stored_list list = {0};
    if (err_failed(err)) return list;
    cJSON *root = json_parse(json, err);
    uint64_t sum = 0;
    if (!err_failed(err) && !cJSON_IsObject(root))
        err_set(err, ERR_CONFIG, "the header is not a JSON object");
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
    if (sum > data_bytes) err_set(err, ERR_CONFIG, "tensors overlap");
    if (err_failed(err)) list.n = 0;
    return list;
}

/* --- checkpoint ------------------------------------------------------------ */

enum {
    HEADER_MOST = 100 << 20, /* the format's own limit */
    INDEX_MOST = 64 << 20,
    FILES_MOST = 4096
};

struct checkpoint_part {
    const char *name;
    int fd;
};

struct checkpoint {
    struct arena *arena;
    const char *folder;
    struct checkpoint_part *part;
    int n_part;
    struct stored_tensor *tensor; /* sorted by name */
    int n_tensor;
};

static int by_name(const void *a, const void *b)
{
    const struct stored_tensor *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* --- one file -------------------------------------------------------------- */

static void read_at(int fd, uint64_t at, size_t size, void *out,
                    struct err *err)
{
    char *to = out;
    while (size && !err_failed(err)) {
        ssize_t n = pread(fd, to, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            err_errno(err, "byte %llu", (unsigned long long)at);
        else if (n == 0)
            err_set(err, ERR_SYSTEM, "byte %llu: the file has been truncated",
                    (unsigned long long)at);
        else {
            to += n;
            at += (uint64_t)n;
            size -= (size_t)n;
        }
    }
}

/* Bytes of the header; 0 after a failure. */
static uint64_t header_bytes(int fd, uint64_t file_bytes, struct err *err)
{
    unsigned char b[8] = {0};
    uint64_t size = 0;
    if (file_bytes < sizeof b) {
        err_set(err, ERR_CONFIG, "not a safetensors file: only %llu bytes",
                (unsigned long long)file_bytes);
        return 0;
    }
    read_at(fd, 0, sizeof b, b, err);
    for (int i = 7; i >= 0; i--)
        size = size << 8 | b[i];
    if (size < 2 || size > HEADER_MOST || size > file_bytes - sizeof b) {
        char head[HEAD_BYTES];
        ssize_t n = pread(fd, head, sizeof head, 0);
        const char *what =
            wrong_file_name((struct span){head, n > 0 ? (size_t)n : 0});
        if (what) err_set(err, ERR_CONFIG, "%s", what);
        err_set(err, ERR_CONFIG,
                "not a safetensors file, or truncated: invalid header size of "
                "%llu bytes",
                (unsigned long long)size);
        return 0;
    }
    return size;
}

static struct stored_list read_part(struct checkpoint *c, int part,
                                    struct err *err)
{
    struct stored_list list = {0};
    int fd = c->part[part].fd;
    struct stat st;
    if (fstat(fd, &st)) {
        err_errno(err, "stat");
        return list;
    }
    uint64_t size = header_bytes(fd, (uint64_t)st.st_size, err);
    if (err_failed(err)) return list;
    char *text = mem_alloc(size + 1, 1);
    read_at(fd, 8, size, text, err);
    list = checkpoint_header((struct span){text, size},
                             (uint64_t)st.st_size - 8 - size, c->arena, err);
    mem_free(text);
    for (int i = 0; i < list.n; i++) {
        list.tensor[i].file = part;
        list.tensor[i].at += 8 + size;
    }
    return list;
}

static void add_part(struct checkpoint *c, const char *name, struct err *err)
{
    if (err_failed(err)) return;
    char *path = arena_text(c->arena, "%s/%s", c->folder, name);
    struct stat st;
    /* opening a FIFO would block until a writer opens it */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        err_errno(err, "%s", path);
    } else if (!S_ISREG(st.st_mode)) {
        err_set(err, ERR_CONFIG, "%s: not a regular file", path);
    }
    if (err_failed(err)) {
        if (fd >= 0) close(fd);
        return;
    }
    c->part[c->n_part] =
        (struct checkpoint_part){arena_copy(c->arena, span_of(name)), fd};
    struct stored_list list = read_part(c, c->n_part++, err);
    err_context(err, "%s", path);
    c->tensor = mem_grow(c->tensor, (size_t)(c->n_tensor + list.n + 1),
                         sizeof *c->tensor);
    if (list.n)
        memcpy(c->tensor + c->n_tensor, list.tensor,
               (size_t)list.n * sizeof *list.tensor);
    c->n_tensor += list.n;
}

/* --- the folder ------------------------------------------------------------ */

/* A plain file name, which cannot lead out of the folder. */
static bool is_plain(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/') && strlen(name) < 256;
}

static void add_named(struct checkpoint *c, const cJSON *map, struct err *err)
{
    for (const cJSON *e = map ? map->child : NULL; e && !err_failed(err);
         e = e->next) {
        const char *name = cJSON_IsString(e) ? e->valuestring : "";
        int i = 0;
        while (i < c->n_part && strcmp(c->part[i].name, name) != 0)
            i++;
        if (i < c->n_part) continue;
        if (!is_plain(name) || c->n_part == FILES_MOST)
            err_set(err, ERR_CONFIG, "weight_map: %.60s: not a plain file name",
                    name);
        add_part(c, name, err);
    }
}

/* Fails if a tensor in the index is missing. */
static void check_index(struct checkpoint *c, const cJSON *map, struct err *err)
{
    for (const cJSON *e = map ? map->child : NULL; e && !err_failed(err);
         e = e->next)
        if (!checkpoint_find(c, e->string))
            err_set(err, ERR_CONFIG,
                    "weight_map: %.100s is in none of the files: download the "
                    "checkpoint again",
                    e->string);
}

static void sort_all(struct checkpoint *c, struct err *err)
{
    if (err_failed(err)) return;
    if (c->n_tensor)
        qsort(c->tensor, (size_t)c->n_tensor, sizeof *c->tensor, by_name);
    for (int i = 1; i < c->n_tensor; i++)
        if (!by_name(&c->tensor[i - 1], &c->tensor[i]))
            err_set(err, ERR_CONFIG, "%s: %.100s is in two files", c->folder,
                    c->tensor[i].name);
    if (!c->n_tensor)
        err_set(err, ERR_CONFIG, "%s: contains no tensors", c->folder);
}

static void open_index(struct checkpoint *c, struct span text, const char *path,
                       struct err *err)
{
    cJSON *root = json_parse(text, err);
    const cJSON *map = root ? json_get(root, "weight_map") : NULL;
    if (!err_failed(err) && !cJSON_IsObject(map))
        err_set(err, ERR_CONFIG, "no weight_map");
    if (!err_failed(err)) {
        c->part = arena_array(c->arena, (size_t)cJSON_GetArraySize(map) + 1,
                              sizeof *c->part);
        add_named(c, map, err);
        sort_all(c, err);
        check_index(c, map, err);
    }
    cJSON_Delete(root);
    err_context(err, "%s", path);
}

static void open_folder(struct checkpoint *c, struct err *err)
{
    struct err missing = {0};
    char *path =
        arena_text(c->arena, "%s/model.safetensors.index.json", c->folder);
    struct span text = file_map_read(path, INDEX_MOST, c->arena, &missing);
    if (!err_failed(&missing)) {
        open_index(c, text, path, err);
        return;
    }
    if (missing.kind != ERR_MISSING) {
        *err = missing;
        return;
    }
    c->part = arena_array(c->arena, 1, sizeof *c->part);
    add_part(c, "model.safetensors", err);
    if (err->kind == ERR_MISSING) {
        *err = (struct err){0};
        err_set(err, ERR_MISSING,
                "%s: contains neither model.safetensors nor "
                "model.safetensors.index.json: give the folder of a checkpoint",
                c->folder);
    }
    sort_all(c, err);
}

struct checkpoint *checkpoint_open(const char *folder, struct err *err)
{
    if (err_failed(err)) return NULL;
    struct checkpoint *c = mem_alloc(1, sizeof *c);
    c->arena = arena_new();
    c->folder = arena_copy(c->arena, span_of(folder));
    open_folder(c, err);
    if (!err_failed(err)) return c;
    checkpoint_close(c);
    return NULL;
}

void checkpoint_close(struct checkpoint *c)
{
    if (!c) return;
    for (int i = 0; i < c->n_part; i++)
        close(c->part[i].fd);
    mem_free(c->tensor);
    arena_free(c->arena);
    mem_free(c);
}

const char *checkpoint_folder(const struct checkpoint *c)
{
    return c->folder;
}

int checkpoint_n_tensor(const struct checkpoint *c)
{
    return c->n_tensor;
}

const struct stored_tensor *checkpoint_tensor(const struct checkpoint *c,
                                              int index)
{
    return &c->tensor[index];
}

const struct stored_tensor *checkpoint_find(const struct checkpoint *c,
                                            const char *name)
{
    struct stored_tensor key = {.name = name};
    return bsearch(&key, c->tensor, (size_t)c->n_tensor, sizeof key, by_name);
}

void checkpoint_read(const struct checkpoint *c, const struct stored_tensor *t,
                     uint64_t at, size_t size, void *out, struct err *err)
{
    if (err_failed(err)) return;
    if (at > t->bytes || size > t->bytes - at)
        err_set(err, ERR_CONFIG, "byte %llu is beyond its end",
                (unsigned long long)at);
    else
        read_at(c->part[t->file].fd, t->at + at, size, out, err);
    err_context(err, "%s: %s", c->part[t->file].name, t->name);
}
