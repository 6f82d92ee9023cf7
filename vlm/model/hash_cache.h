/* hash_cache.h - the hash of a model file, remembered.
 *
 * Reading gigabytes to name a model takes longer than opening it. The hash is
 * kept in a small file of the cache folder under device, number, size and time
 * of change of the model file; whoever changes it changes one of these. A pin
 * (model_sha256) is checked against the bytes: give no folder then.
 */
#ifndef VLM_MODEL_HASH_CACHE_H
#define VLM_MODEL_HASH_CACHE_H

#include "vlm/base/err.h"
#include "vlm/base/hash.h"

struct gguf;

/* `folder` NULL, absent or read-only: computed. Split files are computed. */
struct hash hash_cache(const struct gguf *g, const char *folder,
                       struct err *err);

#endif
