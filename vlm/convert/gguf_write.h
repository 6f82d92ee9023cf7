/* gguf_write.h - a GGUF file, written from front to back.
 *
 * Facts first, then the directory of tensors, then gguf_write_begin, then the
 * tensors' bytes in the order of the directory. The file gets its name when it
 * is whole (gguf_write_end); until then it is NAME.part.
 * ERRORS  Kept inside; gguf_write_end reports the first one.
 */
#ifndef VLM_CONVERT_GGUF_WRITE_H
#define VLM_CONVERT_GGUF_WRITE_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"
#include "vlm/model/gguf.h"

struct gguf_writer;

/* A file at `path`; nothing is made on disk yet. */
struct gguf_writer *gguf_write_new(const char *path);

/* Ends the writing: renames the file, or removes it after a failure. Frees. */
void gguf_write_end(struct gguf_writer *w, struct err *err);

/* The name that the file has until then: to be looked at before it counts. */
const char *gguf_write_path(const struct gguf_writer *w);

/* Facts. */
void gguf_write_text(struct gguf_writer *w, const char *key, struct span text);
void gguf_write_u32(struct gguf_writer *w, const char *key, int64_t value);
void gguf_write_f32(struct gguf_writer *w, const char *key, double value);
void gguf_write_bool(struct gguf_writer *w, const char *key, bool value);

/* A list of n elements, which follow one by one. */
void gguf_write_list(struct gguf_writer *w, const char *key,
                     enum gguf_kind kind, int64_t n);
void gguf_write_list_text(struct gguf_writer *w, struct span text);
void gguf_write_list_i32(struct gguf_writer *w, int32_t value);
void gguf_write_list_f32(struct gguf_writer *w, float value);
void gguf_write_list_bool(struct gguf_writer *w, bool value);

/* A row of the directory; its bytes. */
size_t gguf_write_tensor(struct gguf_writer *w, const char *name,
                         enum quant_type type, int n_dim, const int64_t *ne);

/* Makes the file and writes everything so far; then the tensors' bytes, in as
 * many pieces as one likes, and after the last piece of each: its end. */
void gguf_write_begin(struct gguf_writer *w, struct err *err);
void gguf_write_bytes(struct gguf_writer *w, const void *bytes, size_t size,
                      struct err *err);
void gguf_write_pad(struct gguf_writer *w, struct err *err);

/* All bytes are on the disk, under the name of gguf_write_path. */
void gguf_write_flush(struct gguf_writer *w, struct err *err);

#endif
