/* checkpoint.h - a folder of safetensors: names, shapes and bytes of tensors.
 *
 * One file (model.safetensors) or several with an index
 * (model.safetensors.index.json). Headers are not trusted: offsets are checked
 * against the file, sizes against shapes. Tensors are read piece by piece;
 * nothing is mapped or cached. THREADS  Read-only once open.
 */
#ifndef VLM_CONVERT_CHECKPOINT_H
#define VLM_CONVERT_CHECKPOINT_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"
#include <stdint.h>

enum stored_type {
    STORED_OTHER, /* integers and other 8-bit floats: not supported as values */
    STORED_F64,
    STORED_F32,
    STORED_F16,
    STORED_BF16,
    STORED_F8_E4M3,
    STORED_U8
};

enum { STORED_DIM_MAX = 6 };

struct stored_tensor {
    const char *name;
    enum stored_type type;
    int n_dim;
    int64_t size[STORED_DIM_MAX]; /* in file order, the last one fastest */
    int64_t n_value;
    int file;           /* index of the file */
    uint64_t at, bytes; /* offset and size in the file, in bytes */
};

struct stored_list {
    struct stored_tensor *tensor;
    int n;
};

/* Parses a header that is followed by `data_bytes` bytes. The list is in the
 * arena; `at` counts from the end of the header. FAIL: ERR_CONFIG with the
 * tensor. */
struct stored_list checkpoint_header(struct span json, uint64_t data_bytes,
                                     struct arena *arena, struct err *err);

/* Bytes of one value; 0 for STORED_OTHER. */
int checkpoint_type_bytes(enum stored_type type);

struct checkpoint;

/* FAIL: ERR_MISSING for a folder without such files, ERR_CONFIG for an invalid
 * file, ERR_SYSTEM. */
struct checkpoint *checkpoint_open(const char *folder, struct err *err);
void checkpoint_close(struct checkpoint *c); /* NULL is fine */
const char *checkpoint_folder(const struct checkpoint *c);

/* The tensors in order of name, index 0 to n - 1; checkpoint_find: NULL if
 * there is none of that name. */
int checkpoint_n_tensor(const struct checkpoint *c);
const struct stored_tensor *checkpoint_tensor(const struct checkpoint *c,
                                              int index);
const struct stored_tensor *checkpoint_find(const struct checkpoint *c,
                                            const char *name);

/* Reads `size` bytes of the tensor from its byte `at` on. FAIL: ERR_SYSTEM;
 * ERR_CONFIG beyond its end. */
void checkpoint_read(const struct checkpoint *c, const struct stored_tensor *t,
                     uint64_t at, size_t size, void *out, struct err *err);

#endif
