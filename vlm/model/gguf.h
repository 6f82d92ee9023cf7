/* gguf.h - the GGUF container: header, key-value pairs ("facts"), tensor
 * directory. Not specific to Qwen.
 *
 * Reads v2 and v3, split files; everything is mapped and nothing is copied.
 * Every count and offset is checked against the file's size before it is used.
 * THREADS  Read-only once open.
 * SOURCE   MODEL.md, "The container".
 */
#ifndef VLM_MODEL_GGUF_H
#define VLM_MODEL_GGUF_H

#include "vlm/base/arena.h"
#include "vlm/base/cursor.h"
#include "vlm/base/err.h"
#include "vlm/base/hash.h"
#include "vlm/base/span.h"
#include "vlm/tensor/formats/quant.h"
#include <stdint.h>

struct gguf;

struct gguf_tensor {
    struct span name;
    enum quant_type type;
    int n_dim;
    int64_t ne[4];    /* ne[0] fastest; unused ones are 1 */
    const void *data; /* in the mapping */
    size_t size_bytes;
};

enum { GGUF_SHOW_MAX = 72 };

enum gguf_kind { /* value types, numbers as in the file */
                 GGUF_U8,
                 GGUF_I8,
                 GGUF_U16,
                 GGUF_I16,
                 GGUF_U32,
                 GGUF_I32,
                 GGUF_F32,
                 GGUF_BOOL,
                 GGUF_STRING,
                 GGUF_ARRAY,
                 GGUF_U64,
                 GGUF_I64,
                 GGUF_F64
};

/* Opens the file and, if its name is that of part 1 of N, all parts. FAIL:
 * ERR_CONFIG naming file, byte or tensor, and the remedy. */
struct gguf *gguf_open(const char *path, struct err *err);

/* The same for a file in memory (one part). The bytes remain the caller's, must
 * be aligned to 4 and outlive the result. */
struct gguf *gguf_open_bytes(struct span bytes, const char *name,
                             struct err *err);
void gguf_close(struct gguf *g); /* NULL is fine */

/* Text from a file for one line of a message: truncated, '?' for unprintable
 * bytes. */
const char *gguf_show(struct span text, char out[static GGUF_SHOW_MAX]);

/* The path (or name) it was opened with; its tensors, of all parts, index from
 * 0 to n - 1; a tensor by name, or NULL. All borrowed. */
const char *gguf_path(const struct gguf *g);
int gguf_n_tensor(const struct gguf *g);
const struct gguf_tensor *gguf_tensor(const struct gguf *g, int index);
const struct gguf_tensor *gguf_find_tensor(const struct gguf *g,
                                           const char *name);

/* The keys of all facts, in file order; index from 0 to n - 1. */
int gguf_n_key(const struct gguf *g);
struct span gguf_key(const struct gguf *g, int index);

/* Values by key. False / `otherwise` if the key is absent; a key of another
 * kind is an error. Integers can have any integer kind. */
bool gguf_has(const struct gguf *g, const char *key);
int64_t gguf_int(const struct gguf *g, const char *key, int64_t otherwise,
                 struct err *err);
double gguf_float(const struct gguf *g, const char *key, double otherwise,
                  struct err *err);
bool gguf_bool(const struct gguf *g, const char *key, bool otherwise,
               struct err *err);
struct span gguf_string(const struct gguf *g, const char *key,
                        struct err *err); /* empty when absent */

/* Arrays: number of elements (0 if absent; 1 for a scalar), and an element. */
int64_t gguf_array_size(const struct gguf *g, const char *key, struct err *err);
int64_t gguf_array_int(const struct gguf *g, const char *key, int64_t index,
                       struct err *err);
double gguf_array_float(const struct gguf *g, const char *key, int64_t index,
                        struct err *err);

/* All strings of an array, in the arena; n must be its size. */
struct span *gguf_array_strings(const struct gguf *g, const char *key,
                                int64_t n, struct arena *arena,
                                struct err *err);

/* SHA-256 of the file; for several parts: of their concatenated hexadecimal
 * digests. Reads everything. */
struct hash gguf_hash(const struct gguf *g, struct err *err);

enum { GGUF_DATA_ALIGNMENT = 4 }; /* required by the decoders */

struct gguf_fact {
    struct span key;
    uint32_t kind; /* of the value, or of an array's elements */
    bool array;
    uint64_t n;       /* elements; 1 for a scalar */
    struct span data; /* the elements as stored in the file */
};

struct gguf_part {
    struct span bytes;
    bool mapped;
    const char *name;
};

/* One part while it is read, before it is joined with the others. */
struct gguf_reader {
    struct arena *arena; /* for facts and tensors */
    struct gguf_part *part;
    struct cursor c;
    struct gguf_fact *fact;
    int n_fact;
    struct gguf_tensor *tensor;
    int n_tensor;
};

/* Fills the reader from the part's bytes. FAIL: ERR_CONFIG, ERR_UNSUPPORTED,
 * ERR_LIMIT, naming file and byte, key or tensor. */
void gguf_read_part(struct gguf_reader *r, struct err *err);

/* Bytes of a value of this kind; 0 for kinds without a fixed size. */
int gguf_read_bytes(uint32_t kind);

#endif
