/* checkpoint.h - a folder of safetensors: names, shapes and bytes of tensors.
 *
 * One file (model.safetensors) or several with an index
 * (model.safetensors.index.json). Nothing of the headers is believed: every
 * offset is held against the file, every size against its shape. Tensors are
 * read piece by piece; nothing is mapped and nothing is kept.
 * THREADS  Read-only once open.
 */
#ifndef VLM_CONVERT_CHECKPOINT_H
#define VLM_CONVERT_CHECKPOINT_H

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"
#include <stdint.h>

enum stored_type {
    STORED_OTHER, /* integers, other floats of 8 bits: not read as values */
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
    int64_t size[STORED_DIM_MAX]; /* as written, the last one fastest */
    int64_t n_value;
    int file;           /* which of the files */
    uint64_t at, bytes; /* its place in it, in bytes */
};

struct stored_list {
    struct stored_tensor *tensor;
    int n;
};

/* What a header says about `data_bytes` bytes behind it, in the arena; `at` is
 * counted from the end of the header. FAIL: ERR_CONFIG naming the tensor. */
struct stored_list checkpoint_header(struct span json, uint64_t data_bytes,
                                     struct arena *arena, struct err *err);

/* Bytes of one value; 0 for STORED_OTHER. */
int checkpoint_type_bytes(enum stored_type type);

struct checkpoint;

/* FAIL: ERR_MISSING for a folder without such files, ERR_CONFIG for a file
 * that is none, ERR_SYSTEM. */
struct checkpoint *checkpoint_open(const char *folder, struct err *err);
void checkpoint_close(struct checkpoint *c); /* NULL is fine */
const char *checkpoint_folder(const struct checkpoint *c);

/* All tensors by name, index from 0 to n - 1; by name NULL if there is none. */
int checkpoint_n_tensor(const struct checkpoint *c);
const struct stored_tensor *checkpoint_tensor(const struct checkpoint *c,
                                              int index);
const struct stored_tensor *checkpoint_find(const struct checkpoint *c,
                                            const char *name);

/* `size` bytes of the tensor from byte `at` on. FAIL: ERR_SYSTEM. */
void checkpoint_read(const struct checkpoint *c, const struct stored_tensor *t,
                     uint64_t at, size_t size, void *out, struct err *err);

#endif
