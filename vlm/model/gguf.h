/* gguf.h - the container: header, facts, tensor directory. Nothing of Qwen.
 *
 * Reads v2 and v3, split files; everything is mapped and nothing is copied.
 * Every count and offset is checked against the bytes that are there before it
 * is used.
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

/* Opens the file and, when its name says part 1 of N, all of its parts.
 * FAIL: ERR_CONFIG naming file, byte or tensor, and the remedy. */
struct gguf *gguf_open(const char *path, struct err *err);

/* The same for a file that is in memory already (one part). The bytes stay
 * the caller's, must be aligned to 4 and outlive the result. */
struct gguf *gguf_open_bytes(struct span bytes, const char *name,
                             struct err *err);
void gguf_close(struct gguf *g); /* NULL is fine */

/* Text from a file, fit for one line of a message: cut, '?' for odd bytes. */
const char *gguf_show(struct span text, char out[static GGUF_SHOW_MAX]);

/* The path (or name) it was opened by, and its tensors, of all parts, index
 * from 0 to n - 1; by name NULL when there is none. All borrowed. */
const char *gguf_path(const struct gguf *g);
int gguf_n_tensor(const struct gguf *g);
const struct gguf_tensor *gguf_tensor(const struct gguf *g, int index);
const struct gguf_tensor *gguf_find_tensor(const struct gguf *g,
                                           const char *name);

/* The names of all facts, in their order; index from 0 to n - 1. */
int gguf_n_key(const struct gguf *g);
struct span gguf_key(const struct gguf *g, int index);

/* Facts. False / `otherwise` when the key is absent; a key of another kind is
 * an error. Any integer kind serves for an integer. */
bool gguf_has(const struct gguf *g, const char *key);
int64_t gguf_int(const struct gguf *g, const char *key, int64_t otherwise,
                 struct err *err);
double gguf_float(const struct gguf *g, const char *key, double otherwise,
                  struct err *err);
bool gguf_bool(const struct gguf *g, const char *key, bool otherwise,
               struct err *err);
struct span gguf_string(const struct gguf *g, const char *key,
                        struct err *err); /* empty when absent */

/* Arrays: element count (0 when absent; a scalar counts as one element). */
int64_t gguf_array_size(const struct gguf *g, const char *key, struct err *err);
int64_t gguf_array_int(const struct gguf *g, const char *key, int64_t index,
                       struct err *err);
double gguf_array_float(const struct gguf *g, const char *key, int64_t index,
                        struct err *err);

/* All strings of an array at once, in the arena; n must be its size. */
struct span *gguf_array_strings(const struct gguf *g, const char *key,
                                int64_t n, struct arena *arena,
                                struct err *err);

/* SHA-256 of the file; of several parts: of their digests in hexadecimal, one
 * after the other. Reads everything. */
struct hash gguf_hash(const struct gguf *g, struct err *err);

enum { GGUF_DATA_ALIGNMENT = 4 }; /* what the decoders rely on */

struct gguf_fact {
    struct span key;
    uint32_t kind; /* of the value; of the elements in an array */
    bool array;
    uint64_t n;       /* elements; 1 for a scalar */
    struct span data; /* the elements as in the file */
};

struct gguf_part {
    struct span bytes;
    bool mapped;
    const char *name;
};

/* What is read of one part before it joins the others. */
struct gguf_reader {
    struct arena *arena; /* facts and tensors go there */
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
