/* hash_cache.h - cached hashes of model files.
 *
 * Hashing gigabytes takes longer than opening a model. The hash is stored in a
 * small file of the cache folder under device, inode, size and change time of
 * the model file; any change to the file changes one of these. A pin
 * (model_sha256) is checked against the bytes: pass no folder then.
 */
#ifndef VLM_MODEL_HASH_CACHE_H
#define VLM_MODEL_HASH_CACHE_H

#include "vlm/base/err.h"
#include "vlm/base/hash.h"

struct gguf;

/* The hash of a model file. Computed if `folder` is NULL, absent or read-only,
 * and for split files. */
struct hash hash_cache(const struct gguf *g, const char *folder,
                       struct err *err);

#endif
