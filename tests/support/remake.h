/* remake.h - a GGUF file taken apart, changed and put together again.
 *
 *     struct remake *r = remake_file("tests/vectors/micro-f32.gguf");
 *     remake_tensor(r, "output_norm.weight")->... ; remake_drop_key(r, ...);
 *     struct span bytes = remake_bytes(r);
 *     remake_free(r);
 *
 * Whatever does not work fails the test.
 */
#ifndef TESTS_SUPPORT_REMAKE_H
#define TESTS_SUPPORT_REMAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/span.h"
#include "vlm/model/gguf.h"

enum { REMAKE_MOST = 4096 };

struct remake_tensor {
    const char *name;
    int n_dim;
    int64_t ne[4]; /* unused ones are 1 */
    enum quant_type type;
    const void *data;
    size_t size; /* bytes */
};

struct remake_key {
    const char *name;
    struct span value; /* kind and value as in a file */
};

struct remake {
    struct arena *arena; /* owns everything here, and what remake_bytes gives */
    struct remake_key key[REMAKE_MOST];
    int n_key;
    struct remake_tensor tensor[REMAKE_MOST];
    int n_tensor;
};

/* From a file below the repository's root, or from bytes (copied). */
struct remake *remake_file(const char *path);
struct remake *remake_of(struct span bytes);
void remake_free(struct remake *r);

/* The tensor of this name; NULL when there is none. */
struct remake_tensor *remake_find(struct remake *r, const char *name);
/* The same, but a missing one fails the test. */
struct remake_tensor *remake_tensor(struct remake *r, const char *name);
void remake_drop(struct remake *r, const char *name);
/* A new tensor of these sizes (0: none), filled by the caller. */
void *remake_add(struct remake *r, const char *name, enum quant_type type,
                 int64_t a, int64_t b, int64_t c, int64_t d);
/* Its values as F32, and the tensor stored anew in this type (F32, F16, BF16,
 * Q8_0), rounded. */
float *remake_values(struct remake *r, const struct remake_tensor *t);
void remake_store(struct remake *r, struct remake_tensor *t,
                  enum quant_type type, const float *value);

/* Keys: set replaces one that is there already. */
bool remake_has_key(const struct remake *r, const char *name);
void remake_drop_key(struct remake *r, const char *name);
void remake_set_int(struct remake *r, const char *name, int64_t value);
void remake_set_float(struct remake *r, const char *name, float value);
void remake_set_bool(struct remake *r, const char *name, bool value);
void remake_set_text(struct remake *r, const char *name, const char *value);
/* A list of n integers: of I32, or of BOOL. */
void remake_set_list(struct remake *r, const char *name, enum gguf_kind kind,
                     const int *value, int n);
/* The same of numbers and of texts. */
void remake_set_floats(struct remake *r, const char *name, const float *value,
                       int n);

/* The file, aligned to 64 bytes; lives as long as `r`. */
struct span remake_bytes(const struct remake *r);

/* Writes it to a new file in /tmp; path is the caller's to remove. */
void remake_save(const struct remake *r, char path[static 64]);

/* Writes it as n parts, PATH-00001-of-0000n.gguf; the first holds the keys. */
void remake_save_parts(const struct remake *r, int n, char first[static 96]);
void remake_remove_parts(const char *first, int n);

#endif
