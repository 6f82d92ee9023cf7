/* gguf_write.h - sequential writer of a GGUF file.
 *
 * Metadata first, then the directory of tensors, then gguf_write_begin, then
 * the tensors' bytes in the order of the directory. The file is NAME.part
 * until gguf_write_end renames it.
 */
#ifndef VLM_CONVERT_GGUF_WRITE_H
#define VLM_CONVERT_GGUF_WRITE_H

#include <stdint.h>

#include "vlm/base/arena.h"
#include "vlm/base/err.h"
#include "vlm/base/span.h"
#include "vlm/model/gguf.h"

struct gguf_writer;

/* A writer for `path`; creates nothing on disk yet. */
struct gguf_writer *gguf_write_new(const char *path);

/* Renames the file, or removes it if err has failed. Frees the writer; NULL is
 * fine. */
void gguf_write_end(struct gguf_writer *w, struct err *err);

/* The file's path until gguf_write_end, NAME.part, for testing it before
 * that. */
const char *gguf_write_path(const struct gguf_writer *w);

/* Metadata. */
void gguf_write_text(struct gguf_writer *w, const char *key, struct span text);
void gguf_write_u32(struct gguf_writer *w, const char *key, int64_t value);
void gguf_write_f32(struct gguf_writer *w, const char *key, double value);
void gguf_write_bool(struct gguf_writer *w, const char *key, bool value);

/* Starts a list of n elements, which follow one by one. */
void gguf_write_list(struct gguf_writer *w, const char *key,
                     enum gguf_kind kind, int64_t n);
void gguf_write_list_text(struct gguf_writer *w, struct span text);
void gguf_write_list_i32(struct gguf_writer *w, int32_t value);
void gguf_write_list_f32(struct gguf_writer *w, float value);
void gguf_write_list_bool(struct gguf_writer *w, bool value);

/* Adds a row to the directory; returns the tensor's bytes. */
size_t gguf_write_tensor(struct gguf_writer *w, const char *name,
                         enum quant_type type, int n_dim, const int64_t *ne);

/* Creates the file and writes everything so far. Then follow the tensors'
 * bytes, in any number of pieces, with gguf_write_pad after the last piece of
 * each tensor. */
void gguf_write_begin(struct gguf_writer *w, struct err *err);
void gguf_write_bytes(struct gguf_writer *w, const void *bytes, size_t size,
                      struct err *err);
void gguf_write_pad(struct gguf_writer *w, struct err *err);

/* Syncs the file to disk (fsync). */
void gguf_write_flush(struct gguf_writer *w, struct err *err);

#endif
