/* gguf_read.h - one part of a GGUF file, read once from its bytes.
 *
 * Private to gguf.c: what an entry looks like, and the values of facts.
 */
#ifndef VLM_MODEL_GGUF_READ_H
#define VLM_MODEL_GGUF_READ_H

#include "vlm/base/cursor.h"
#include "vlm/model/gguf.h"

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

/* Order of names, for sorted tables. */
int gguf_read_order(struct span a, struct span b);

/* Bytes of a value of this kind; 0 for kinds without a fixed size. */
int gguf_read_bytes(uint32_t kind);

/* A value as integer or finite number; false when it is none. */
bool gguf_read_int(uint32_t kind, const char *data, int64_t *value);
bool gguf_read_float(uint32_t kind, const char *data, double *value);

/* The fact of this key among n that are sorted by key, or NULL. */
const struct gguf_fact *gguf_read_find(const struct gguf_fact *fact, int n,
                                       const char *key);

/* A fact as integer, `otherwise` when it is absent. FAIL: ERR_CONFIG when it
 * is no integer. */
int64_t gguf_read_fact_int(const struct gguf_reader *r, const char *key,
                           int64_t otherwise, struct err *err);

#endif
